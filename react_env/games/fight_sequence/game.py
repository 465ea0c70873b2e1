"""Fight Sequence, put together for the engine: `load`, and what only this game has."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env.content.options import bans
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
REVISION = 2  # raised with every change to what the compiled rules do
WAYS = {"attack": state.ATTACK, "response": state.RESPONSE}  # ways to build a card


class FightSequence(Game):
    """Fight Sequence, with the attributes of this game alone.

    Attributes:
        decks: the decks of player 0 and of player 1.
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


def load(
    decks: Sequence[str | Path] | str | Path | None = None,
    forbidden: Sequence[Sequence[str]] | None = None,
    **options: Any,
) -> FightSequence:
    """Fight Sequence with two decks.

    Args:
        decks: names of installed decks, or paths of deck files; player 0's and player 1's, or one for both (G-9).
            None: the default for both.
        forbidden: for each player, names of cards that it may not build, in either way or in one of them ("Jab", "Jab/attack",
            "Jab/response"), to find out what they are worth. Without its response a card gives no Willpower from the hand either. A
            player who can build nothing in the first turn of a sequence passes and draws nothing, as without a card (G-8); when nobody
            can use a card any more and the decks are empty, the game is over as when there are none.
        options: fields of `RulesConfig`.

    Raises:
        OptionError: unknown decks, cards or options.
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
    banned = bans(forbidden, state.PLAYERS)
    if banned:
        forbid(tables, pair, banned)
        given["forbidden"] = [list(cards) for cards in banned]
    if [str(name) for name in names] != [DEFAULT] * state.PLAYERS:
        given["decks"] = [str(name) for name in names]
    return FightSequence(
        Rules(
            identity=Identity(ID, given | options, rules_hash(pair, rules, banned), load=load),
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


def playable(deck: DeckFile) -> dict[str, tuple[int, tuple[int, ...], str]]:
    """What a deck lets its player build: the name of a card, name/attack or name/response -> the card's number, ways to build it, words."""
    found: dict[str, tuple[int, tuple[int, ...], str]] = {}
    for number, card in enumerate(deck.cards):
        found[card.name] = (number, tuple(WAYS.values()), card.name)
        for way, mode in WAYS.items():
            found[f"{card.name}/{way}"] = (number, (mode,), f"{card.name} ({way})")
    return found


def forbid(tables: NDArray[Any], pair: Sequence[DeckFile], banned: Sequence[Sequence[str]]) -> None:
    """Write into the tables what each player may not build. OptionError for a card that the deck does not have."""
    t = tables[0]
    for player, (deck, names) in enumerate(zip(pair, banned, strict=True)):
        known = playable(deck)
        for name in names:
            if name not in known:
                cards = ", ".join(card.name for card in deck.cards)
                raise OptionError(
                    f"forbidden: {deck.id} has no card {name!r}; it has: {cards}; each also with /attack or /response"
                )
            card, modes, _ = known[name]
            t["may_build"][player, list(modes), card] = 0
            t["restricted"][player] = 1
            if state.RESPONSE in modes:
                t["willpower"][player, card] = 0


def rules_hash(pair: tuple[DeckFile, DeckFile], rules: RulesConfig, banned: Sequence[Sequence[str]] = ()) -> str:
    """16 hex digits over the revision of the rules, both deck files, the options and the forbidden cards."""
    digest = hashlib.sha256(f"{ID} {REVISION}\n".encode())
    for deck in pair:
        digest.update(deck.model_dump_json(by_alias=True).encode() + b"\n")
    digest.update(rules.model_dump_json().encode())
    if banned:
        digest.update(repr(banned).encode())
    return digest.hexdigest()[:16]
