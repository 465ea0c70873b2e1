"""Fight Sequence, put together for the engine: `load`, and what only this game has."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from react_env.engine.game import Game
from react_env.engine.rng import seed_word
from react_env.engine.rules import Heuristics, Identity, Rules, Tables
from react_env.errors import OptionError
from react_env.games.fight_sequence import (
    GAME,
    actions,
    features,
    heuristics,
    hidden,
    observation,
    sequence,
    state,
    valid,
)
from react_env.games.fight_sequence.deck_files import DEFAULT, DeckFile, compile_tables, load_deck
from react_env.games.fight_sequence.deck_files import decks as installed
from react_env.games.fight_sequence.rules import RulesConfig, load_rules
from react_env.games.fight_sequence.view import View

ID = GAME.id
REVISION = 2  # raised with every change of what the compiled rules do


class FightSequence(Game):
    """Fight Sequence, with what only this game has.

    Attributes:
        decks: the deck of player 0 and of player 1.
    """

    def __init__(self, rules: Rules, heuristics: Heuristics, decks: tuple[DeckFile, DeckFile]) -> None:
        self.decks = decks
        super().__init__(rules, heuristics)

    def opening(self, seed: int) -> dict[str, Any]:
        """The deal of `new(seed)` before anything was built.

        first_player; hands: two lists of counts by card; decks: two lists of cards from the bottom.
        """
        states = np.zeros(1, self.state_dtype)
        states["rng"] = seed_word(seed)
        sequence.deal(states[0], self.tables[0])
        s = states[0]
        return {
            "first_player": int(s.initiative),
            "hands": [[int(n) for n in s.hand[p, : len(self.decks[p].cards)]] for p in range(state.PLAYERS)],
            "decks": [[int(c) for c in s.deck[p, : s.deck_size[p]]] for p in range(state.PLAYERS)],
        }


def load(decks: Sequence[str | Path] | str | Path | None = None, **options: Any) -> FightSequence:
    """Fight Sequence with two decks.

    Args:
        decks: names of installed decks, or paths of deck files; player 0's and player 1's, or one for both (G-9).
            None: the default for both.
        options: fields of `RulesConfig`.

    Raises:
        OptionError: unknown decks or options.
        CardError: a deck file that cannot be used.
    """
    if decks is None:
        decks = DEFAULT
    names = [decks] * state.PLAYERS if isinstance(decks, (str, Path)) else decks
    listed = isinstance(names, Sequence) and len(names) == state.PLAYERS
    if not listed or not all(isinstance(name, (str, Path)) for name in names):
        known = ", ".join(installed())
        raise OptionError(f"decks: a name or path, or two of them, are needed; found {decks!r}; installed: {known}")
    rules = load_rules(**options)
    first = load_deck(names[0], rules)
    pair = (first, first if names[1] == names[0] else load_deck(names[1], rules))
    tables = compile_tables(pair, rules)
    given: dict[str, Any] = {}
    if [str(name) for name in names] != [DEFAULT] * state.PLAYERS:
        given["decks"] = [str(name) for name in names]
    return FightSequence(
        Rules(
            identity=Identity(ID, given | options, rules_hash(pair, rules), load=load),
            state_dtype=state.STATE,
            tables=Tables(
                tables,
                names=(" - ".join(deck.id for deck in pair),),
                roles=(("player", "player"),),
                fixed_pieces=("my_cards", "their_cards"),
                fixed=tables["seen"],
            ),
            actions=replace(actions.ACTIONS, rows_in_use={"my_cards": max(len(deck.cards) for deck in pair)}),
            layout=observation.LAYOUT,
            view=View(pair, tables),
            reset=sequence.reset,
            apply=sequence.apply,
            legal=actions.legal,
            observe=observation.observe,
            determinize=hidden.determinize,
            valid=valid.valid,
            live={"event": ()},
            drawing="react_env.games.fight_sequence.drawing",
        ),
        Heuristics(
            value=heuristics.value,
            prior=heuristics.prior,
            potential=heuristics.potential,
            unfinished=heuristics.unfinished,
            pass_action=heuristics.pass_action,
            features=features.features,
            feature_names=features.FEATURES,
        ),
        pair,
    )


def rules_hash(pair: tuple[DeckFile, DeckFile], rules: RulesConfig) -> str:
    """16 hex digits over the revision of the rules, both deck files, and the configuration."""
    digest = hashlib.sha256(f"{ID} {REVISION}\n".encode())
    for deck in pair:
        digest.update(deck.model_dump_json(by_alias=True).encode() + b"\n")
    digest.update(rules.model_dump_json().encode())
    return digest.hexdigest()[:16]
