"""React Fast, put together for the engine: `load`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from react_env.engine.game import Game
from react_env.engine.rules import Heuristics, Identity, Rules, Tables
from react_env.errors import OptionError
from react_env.games.react_fast import GAME, actions, features, heuristics, hidden, observation, turn, valid
from react_env.games.react_fast.rules import Profile, RulesConfig, load_profile, load_rules, make_tables
from react_env.games.react_fast.state import state_dtype
from react_env.games.react_fast.view import View

ID = GAME.id
REVISION = 3  # raised with every change to what the compiled rules do
AVERAGE = "average"

Given = str | Path | Mapping[str, Any] | Profile


def load(profiles: Given | Sequence[Given] = AVERAGE, **options: Any) -> Game:
    """React Fast.

    Args:
        profiles: how fast the players are: the name of a profile (fast, average, slow), a YAML file, or its values; one for all, or one for
            each player.
        options: fields of `RulesConfig`, `players` among them.

    Raises:
        OptionError: unknown or impossible options, a profile that cannot be used.
    """
    rules = load_rules(**options)
    listed = isinstance(profiles, (list, tuple))
    names: list[Given] = list(profiles) if listed else [profiles] * rules.players  # type: ignore[arg-type, list-item]
    if len(names) != rules.players:
        raise OptionError(
            f"profiles: {len(names)} for {rules.players} players; one for all, or one for each, is needed"
        )
    seats = [load_profile(name) for name in names]
    tables = make_tables(rules, seats)
    given: dict[str, Any] = dict(options)
    if profiles != AVERAGE:
        given["profiles"] = [name.model_dump() if isinstance(name, Profile) else _plain(name) for name in names]
    players = rules.players
    return Game(
        Rules(
            identity=Identity(ID, given, rules_hash(rules, seats), load=load),
            state_dtype=state_dtype(players),
            tables=Tables(tables, roles=(("player",) * players,)),
            actions=actions.actions_of(players),
            layout=observation.layout_of(players, rules.memory, rules.mode == "skill"),
            view=View(players, int(tables["memory"][0]), rules.memory_length, rules.mode == "skill"),
            reset=turn.reset,
            apply=turn.apply,
            legal=actions.legal,
            observe=observation.observe,
            determinize=hidden.determinize,
            valid=valid.valid,
            together=turn.together,
            drawing="react_env.games.react_fast.drawing",
        ),
        Heuristics(
            value=heuristics.value,
            prior=heuristics.prior,
            features=features.features,
            feature_names=features.FEATURES,
            pass_action=heuristics.reflex,
            nothing=heuristics.nothing,
            search=heuristics.SEARCH,
        ),
    )


def _plain(given: Any) -> Any:
    return dict(given) if isinstance(given, Mapping) else str(given)


def rules_hash(rules: RulesConfig, seats: Sequence[Profile]) -> str:
    """16 hex digits over the revision of the rules, the options and the profiles."""
    digest = hashlib.sha256(f"{ID} {REVISION}\n".encode())
    digest.update(rules.model_dump_json().encode())
    for seat in seats:
        digest.update(b"\n" + seat.model_dump_json().encode())
    return digest.hexdigest()[:16]
