"""Fight Sequence for the balance laboratory: its decks, their cards, how long a game is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from react_env.evaluation.lab.subject import Ban, DeckSubject, Item, Moves, Watch
from react_env.games.fight_sequence import actions as A
from react_env.games.fight_sequence import state as S
from react_env.games.fight_sequence.deck_files import DeckFile, decks, load_deck
from react_env.games.fight_sequence.game import WAYS, FightSequence, load, playable
from react_env.games.fight_sequence.rules import load_rules

ITEMS = 1 + len(WAYS)  # for each card: the card itself, and each way to build it


class Plays(Watch):
    """A card is played as an attack or a response, or from the hand for its Willpower, which counts as its response."""

    def step(self, moves: Moves) -> None:
        rows, players, actions, before, _ = moves
        shown = before["decision"] == S.D_WILLPOWER
        for first, end, way, counts in (
            (A.A_ATTACK, A.A_RESPOND, S.ATTACK, True),
            (A.A_RESPOND, A.A_CARD, S.RESPONSE, True),
            (A.A_CARD, A.A_LEFT, S.RESPONSE, shown),
        ):
            played = (actions >= first) & (actions < end) & counts
            item = ITEMS * (actions[played] - first)
            for part in (0, 1 + way):
                self.used[rows[played], players[played], item + part] = True


class Decks(DeckSubject):
    """A deck at each seat."""

    length_unit = "sequences"
    ways = ("damage to an empty deck", "no cards left")
    _files: dict[str, DeckFile]

    def installed(self) -> tuple[str, ...]:
        return decks()

    def read(self, name: str) -> DeckFile:
        return load_deck(name, load_rules(**self.options))

    def items(self, side: str) -> tuple[Item, ...]:
        return tuple(
            Item(name, words, part=len(ways) == 1) for name, (_, ways, words) in playable(self._files[side]).items()
        )

    def load(self, sides: Sequence[str], ban: Ban | None = None) -> FightSequence:
        forbidden = None if ban is None else ban.lists(sides)
        return load([self._names[side] for side in sides], forbidden=forbidden, **self.options)

    def watch(self, game: Any, sides: Sequence[str], games: int) -> Watch:
        return Plays(games, len(sides), max(len(self.items(side)) for side in sides))

    def began(self, state: Any) -> int:
        return int(state["starter"])

    def way(self, last: Any) -> int:
        return int(last["phase"] == S.PH_BEGIN)  # then the game ends because nobody has a card left (G-8)

    def length(self, last: Any) -> int:
        return int(last["sequence"])
