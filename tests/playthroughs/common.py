"""How the modules beside this one describe a shown game and who plays it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TESTS = HERE.parent

Decider = Callable[[Any, list[int]], int]  # from a state and its legal actions to an action
Manner = Callable[[random.Random], Decider]


@dataclass(frozen=True)
class Played:
    """The data that identify a game."""

    game: str  # the module here that knows it
    sides: tuple[str, str]  # artists or decks
    seed: int
    moves: str  # one of the module's MANNERS
    options: dict[str, Any] = field(default_factory=dict, hash=False)


def regardless(manner: Callable[[random.Random], Callable[[list[int]], int]]) -> Manner:
    """A manner of play that does not look at the position."""

    def decider(rng: random.Random) -> Decider:
        choose = manner(rng)
        return lambda state, legal: choose(legal)

    return decider
