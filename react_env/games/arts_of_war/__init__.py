"""Re;ACT - The Arts of War: two artists duel on a grid with a reaction chain.

`load` puts the parts together for the engine. The rooms, in the order of the rulebook: `turn` (set-up, phases, decisions), `masterpiece`,
`chain`, `effects` (the interpreter), `board` (units, tokens, tiles, damage), `hidden` (what a player cannot know); `actions` and
`observation` are what a player may do and sees; `cards` reads the artists; `state` holds the record and the tables.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from react_env.engine.game import Game, Rules
from react_env.engine.rng import seed_word
from react_env.errors import OptionError
from react_env.games.arts_of_war import actions, hidden, judgement, observation, state, turn
from react_env.games.arts_of_war.cards import Artist, compile_tables, load_artist
from react_env.games.arts_of_war.rules import RulesConfig, load_rules
from react_env.games.arts_of_war.view import View

ID = "arts_of_war-v0"
REVISION = 1  # raised with every change of what the compiled rules do


class ArtsOfWar(Game):
    """Re;ACT, with what only this game has."""

    def opening(self, seed: int) -> dict[str, Any]:
        """The deal of `new(seed)` before anything was played: first_player, hands (2, 4) counts, decks (2 lists from the bottom)."""
        states = np.zeros(1, self.state_dtype)
        states["rng"] = seed_word(seed)
        turn.deal(states[0], self.tables[0])
        s = states[0]
        return {
            "first_player": int(s.first),
            "hands": [[int(n) for n in hand] for hand in s.hand],
            "decks": [[int(c) for c in s.deck[p, : s.deck_size[p]]] for p in range(state.PLAYERS)],
        }


def load(artists: tuple[str, str] = ("calligrapher", "dancer"), edition: str = "standard", **options: Any) -> ArtsOfWar:
    """Re;ACT with two artists.

    Args:
        artists: names of artists of the edition, or paths of artist files; player 0's and player 1's.
        edition: the folder of card files.
        options: fields of `RulesConfig`.

    Raises:
        OptionError: unknown artists, editions or options; the same artist twice without `allow_mirror`.
        CardError: a card file that cannot be used.
    """
    if isinstance(artists, str) or len(tuple(artists)) != 2 or not all(isinstance(name, str) for name in artists):
        raise OptionError(f"artists: two names are needed, such as ('calligrapher', 'dancer'), found {artists!r}")
    rules = load_rules(edition, **options)
    free = rules.allow_unbounded_abilities
    pair = (
        load_artist(artists[0], edition, allow_unbounded_abilities=free),
        load_artist(artists[1], edition, allow_unbounded_abilities=free),
    )
    if pair[0].id == pair[1].id and not rules.allow_mirror:
        raise OptionError(f"both artists are {pair[0].id!r}: give two different ones, or allow_mirror=True (AW-S1)")
    tables = compile_tables(pair[0], pair[1], rules)
    given = {"artists": list(artists), **({} if edition == "standard" else {"edition": edition}), **options}
    return ArtsOfWar(
        Rules(
            id=ID,
            num_players=state.PLAYERS,
            state_dtype=state.STATE,
            tables=tables,
            action_names=actions.ACTION_NAMES,
            action_groups=actions.ACTION_GROUPS,
            layout=observation.LAYOUT,
            rules_hash=rules_hash(pair, rules),
            options=given,
            reset=turn.reset,
            apply=turn.apply,
            legal=actions.legal,
            observe=observation.observe,
            determinize=hidden.determinize,
            evaluate=judgement.evaluate,
            follow_up=judgement.follow_up,
            window=judgement.window,
            potential=judgement.potential,
            constant_pieces=("cards",),
            action_rows={"directions": "ways", "units": "units", "zones": "board"},
            view=View(pair, tables),
        )
    )


def rules_hash(artists: tuple[Artist, Artist], rules: RulesConfig) -> str:
    """16 hex digits over the revision of the rules, the two card files and the configuration."""
    digest = hashlib.sha256(f"{ID} {REVISION}\n".encode())
    for artist in artists:
        digest.update(artist.model_dump_json(by_alias=True).encode() + b"\n")
    digest.update(rules.model_dump_json().encode())
    return digest.hexdigest()[:16]
