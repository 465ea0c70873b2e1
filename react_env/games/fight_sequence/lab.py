"""What the balance laboratory asks of Fight Sequence: its decks, their cards, how long a game is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from react_env.errors import OptionError
from react_env.evaluation.lab.subject import Ban, DeckSubject, Item, Moves, Watch
from react_env.games.fight_sequence import actions as A
from react_env.games.fight_sequence.deck_files import DeckFile, decks, load_deck
from react_env.games.fight_sequence.game import FightSequence, load
from react_env.games.fight_sequence.rules import load_rules


class Plays(Watch):
    """A card is played by an attack or a response with it."""

    def step(self, moves: Moves) -> None:
        rows, players, actions, _, _ = moves
        card = np.where(actions < A.A_RESPOND, actions - A.A_ATTACK, actions - A.A_RESPOND)
        played = (actions >= A.A_ATTACK) & (actions < A.A_CARD)
        self.used[rows[played], players[played], card[played]] = True


class Decks(DeckSubject):
    """Fight Sequence: a deck at each seat."""

    length_unit = "sequences"
    _files: dict[str, DeckFile]

    def installed(self) -> tuple[str, ...]:
        return decks()

    def read(self, name: str) -> DeckFile:
        return load_deck(name, load_rules(**self.options))

    def items(self, side: str) -> tuple[Item, ...]:
        return tuple(Item(card.name, card.name) for card in self._files[side].cards)

    def load(self, sides: Sequence[str], ban: Ban | None = None) -> FightSequence:
        if ban is not None:
            raise OptionError("fight_sequence-v0 cannot forbid a card to one side yet")
        return load([self._names[side] for side in sides], **self.options)

    def watch(self, game: Any, sides: Sequence[str], games: int) -> Watch:
        return Plays(games, len(sides), max(len(self.items(side)) for side in sides))

    def began(self, state: Any) -> int:
        return int(state["starter"])

    def length(self, last: Any) -> int:
        return int(last["sequence"])
