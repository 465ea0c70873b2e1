"""A game at a position made by hand and played in words: what such positions of all games have in common."""

from __future__ import annotations

import functools
import json
import tempfile
import zlib
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """The folder for card files that tests make, until the process ends."""
    return tempfile.TemporaryDirectory(prefix="react_env_cards_")


def file_of(made: dict[str, Any]) -> str:
    """The path of a card file with this content."""
    text = json.dumps(made, indent=1)  # JSON is YAML
    path = Path(_folder().name) / f"{made['id']}_{zlib.crc32(text.encode()):08x}.yaml"
    if not path.exists():
        path.write_text(text, encoding="utf-8")
    return str(path)


def trusting(game: Any) -> Any:
    """The game without its check of records: positions made for one rule may lack cards that every real game has."""
    other = object.__new__(type(game))
    none = np.zeros(0, np.uint64)
    other.__dict__.update(game.__dict__, _sound=none, _rest=(*game._rest[:-1], none), impossible=lambda *_: None)
    return other


class Table:
    """A position in which actions are named by their text (`Game.action_text`) or its beginning, and the log tells what happens.

    Attributes:
        game: the game.
        state: its record; a subclass makes it.
        log: every public line since the position was made.
    """

    events: ClassVar[int]  # how many lines the record of a game keeps

    def __init__(self, game: Any) -> None:
        self.game = trusting(game)
        self.log: list[str] = []
        self.state = game.new(seed=0)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.state["over"])

    @property
    def to_play(self) -> int:
        """The player who has to choose."""
        return int(self.state["to_play"])

    @property
    def rewards(self) -> list[int]:
        """The rewards of both players."""
        return [int(reward) for reward in self.game.rewards(self.state)]

    def options(self) -> list[str]:
        """The texts of all legal actions."""
        return [self.game.action_text(self.state, int(action)) for action in self.game.legal_actions(self.state)]

    def may(self, wanted: str) -> bool:
        """Whether an action whose text begins with `wanted` is legal."""
        return not self.over and any(text.startswith(wanted) for text in self.options())

    def do(self, *wanted: str) -> Self:
        """Take actions one after the other, each named by its text or the beginning of it."""
        for text in wanted:
            assert not self.over, f"{text!r}: the game is over; log: {self.log}"
            legal = self.game.legal_actions(self.state)
            texts = self.options()
            found = [i for i, other in enumerate(texts) if other == text] or [
                i for i, other in enumerate(texts) if other.startswith(text)
            ]
            assert len(found) == 1, f"{text!r} is not one of: {texts}; log: {self.log}"
            self.step(int(legal[found[0]]))
        return self

    def step(self, action: int) -> None:
        """Take an action by its id."""
        events = self.game.event_count(self.state)
        self.game.step(self.state, action)
        assert self.game.event_count(self.state) - events <= self.events, "the log has lost lines"
        self.log += self.game.log_lines(self.state, events)
