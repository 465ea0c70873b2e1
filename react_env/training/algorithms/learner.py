"""What a run asks of its learner, whichever algorithm that is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from react_env.agents.models.model import Weights

Watch = Callable[..., None]  # called during long work; raises Stopped when the run should stop


class Stopped(Exception):
    """Raised inside long work, at a point where it can be left, after an interruption was requested."""


class Learner(Protocol):
    """What plays and learns: `training.algorithms.ppo.PPO`, `training.algorithms.maskable.Maskable`, `training.algorithms.td.TD`.

    Attributes:
        policy, optimizer, magnet: torch objects that a checkpoint keeps; `magnet` may be None.
        steps: the learner's own decisions so far; updates: passes over what was played.
        seconds: where the time went: {"play", "update"}, and any other parts that the learner times.
    """

    policy: Any
    optimizer: Any
    magnet: Any
    steps: int
    updates: int
    seconds: dict[str, float]

    def deal(self, opponents: Any, assigned: NDArray[np.int64]) -> None:
        """From now on, play game i against opponents[assigned[i]], or against itself if that is `training.algorithms.rollouts.SELF`."""

    def results(self) -> dict[int, list[float]]:
        """Number of an opponent -> the learner's results against it since `deal`, if they are known."""

    def learn(self, learning_rate: float, entropy: float, tick: Callable[[], bool] = ...) -> dict[str, float]:
        """Play and update once. Returns the means of the update's losses; a loss that is not finite has spoiled what was learned.

        `tick` is called during play. If it returns False, play ends early, or raises Stopped if other machines play.
        """

    def imitate(self, teacher: str, watch: Callable[[str], Watch], spent: Callable[[], float] = ...) -> str:
        """Before self-play, learn from games of `teacher` against itself. Returns a sentence on what was learned.

        watch(doing) returns a function to call meanwhile with the share of the warm start that is done. spent() is the share of the warm
        start's time that has passed: as it nears 1, the learner makes do with fewer games.
        """

    def begin_from(self, weights: Weights) -> None:
        """Take over weights that `export` returned, and continue learning from them."""

    def export(self) -> Weights:
        """The weights learned so far, as plain arrays."""

    def close(self) -> None:
        """Shut down the threads."""
