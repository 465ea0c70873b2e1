"""Reality TCG for the balance laboratory: its decks, their cards, how a game ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from react_env.evaluation.lab.subject import Ban, DeckSubject, Goals, Item, Moves, Watch
from react_env.games.reality_tcg import actions as A
from react_env.games.reality_tcg import state as S
from react_env.games.reality_tcg.cards import DeckFile, SetFile, decks, load_deck, one_set
from react_env.games.reality_tcg.game import RealityTCG, load
from react_env.games.reality_tcg.rules import load_rules

IP, DECK, LIMIT = range(3)


class Plays(Watch):
    """Cards by their kinds. An action of a card plays it, unless the decision returns or discards cards."""

    def __init__(self, games: int, items: Sequence[Sequence[int]]) -> None:
        super().__init__(games, len(items), max(map(len, items)))
        self._item = np.full((len(items), A.ACTIONS), -1)
        for player, kinds in enumerate(items):
            self._item[player, list(kinds)] = np.arange(len(kinds))

    def step(self, moves: Moves) -> None:
        rows, players, actions, before, _ = moves
        item = self._item[players, actions]
        item[np.isin(before["decision"], (S.D_MULLIGAN, S.D_DISCARD))] = -1
        played = item >= 0
        self.used[rows[played], players[played], item[played]] = True


class Decks(DeckSubject):
    """A deck at each seat, all of one set."""

    ways = ("no IP left", "empty deck", "the turn limit")
    limit = "the turn limit"
    goals = Goals(pairing=(0.3, 0.7), began=(0.45, 0.55), ties=0.06, cut=0.03, length=(12, 20))
    _files: dict[str, DeckFile]
    _set: SetFile | None = None
    _first = ""  # the deck by which that is known

    def installed(self) -> tuple[str, ...]:
        return decks()

    def read(self, name: str) -> DeckFile:
        deck, cards = load_deck(name, load_rules(**self.options))
        if self._set is None:
            self._set, self._first = cards, name
        one_set(name, cards, self._first, self._set)
        return deck

    def items(self, side: str) -> tuple[Item, ...]:
        assert self._set is not None
        return tuple(Item(card.id, card.name) for card in self._set.cards if card.id in self._files[side].cards)

    def load(self, sides: Sequence[str], ban: Ban | None = None) -> RealityTCG:
        forbidden = None if ban is None else ban.lists(sides)
        return load([self._names[side] for side in sides], forbidden=forbidden, **self.options)

    def played_by(self, game: Any, sides: Sequence[str]) -> bytes:
        """The rules, and the cards of these decks."""
        tables = game.tables.copy()
        t = tables[0]
        absent = t["cards"][: len(sides)].sum(axis=0) == 0
        for name in ("sort", "cost", "atk", "df", "hp", "spd", "word", "amount", "from_hand"):
            t[name][absent] = 0
        return bytes(tables.tobytes())

    def watch(self, game: Any, sides: Sequence[str], games: int) -> Watch:
        kinds = [card.id for card in game.set.cards]
        return Plays(games, [[kinds.index(item.id) for item in self.items(side)] for side in sides])

    def way(self, last: Any) -> int:
        if last["ip"].min() <= 0:
            return IP
        return LIMIT if last["turn"] == load_rules(**self.options).max_turns else DECK
