"""What a run asks of its learner, whichever algorithm that is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from react_env.agents.models.model import Weights

Watch = Callable[..., None]  # called in long work; raises Stopped when the run is to stop


class Stopped(Exception):
    """Raised inside long work, at a place where it can be left, after an interruption was asked for."""


class Learner(Protocol):
    """What plays and learns: `training.algorithms.ppo.PPO`, `training.algorithms.maskable.Maskable`, `training.algorithms.td.TD`.

    Attributes:
        policy, optimizer, magnet: of torch, what a checkpoint keeps; `magnet` may be None.
        steps: decisions of its own so far; updates: passes over what was played.
        seconds: where the time went: {"play", "update"}, and what else the learner tells apart.
    """

    policy: Any
    optimizer: Any
    magnet: Any
    steps: int
    updates: int
    seconds: dict[str, float]

    def deal(self, opponents: Any, assigned: NDArray[np.int64]) -> None:
        """From now on game i is against opponents[assigned[i]], or against itself where that is `training.algorithms.rollouts.SELF`."""

    def results(self) -> dict[int, list[float]]:
        """Number of an opponent -> the learner's results against it since `deal`, where that is known."""

    def learn(self, learning_rate: float, entropy: float, tick: Callable[[], bool] = ...) -> dict[str, float]:
        """Play and update once. Returns the means of the update's losses; one that is not finite has spoiled what was learned.

        `tick` is called while it plays; False ends that early, or raises Stopped where other machines play.
        """

    def imitate(self, teacher: str, watch: Callable[[str], Watch], spent: Callable[[], float] = ...) -> str:
        """Before self-play: learn from games of `teacher` against itself. Returns what came of it, a sentence.

        watch(doing) gives what is called meanwhile with the part of the warm start that is done. spent() tells the share of the time for it
        that is over: towards 1 the learner makes do with fewer games.
        """

    def begin_from(self, weights: Weights) -> None:
        """Undo `export`: go on from what was learned before."""

    def export(self) -> Weights:
        """What was learned so far as plain arrays."""

    def close(self) -> None:
        """Let threads go."""
