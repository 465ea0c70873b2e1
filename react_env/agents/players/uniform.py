"""The agent that plays any legal action, all equally likely."""

from __future__ import annotations

from typing import Any

import numpy as np

from react_env.agents.arguments import no_argument
from react_env.agents.protocol import Actions, Masks, Observations, as_array
from react_env.engine.compile import njit
from react_env.engine.kernels import count_legal, for_compiled, nth_legal


@njit
def _pick(masks: Any, uniform: Any, out: Any) -> None:
    """out (N,): for each row of masks (N, A), the legal id number floor(uniform * count); -1 where none is legal."""
    for row in range(masks.shape[0]):
        count = count_legal(masks[row])
        out[row] = nth_legal(masks[row], int(uniform[row] * count)) if count else -1


def pick_uniform(masks: Masks, rng: np.random.Generator) -> Actions:
    """A random legal id for each row of masks (N, A) bool, as (N,) int64."""
    out = np.empty(len(masks), np.int64)
    _pick(for_compiled(masks), rng.random(len(masks)), out)
    return out


def from_argument(game: Any, argument: str, threads: int) -> RandomAgent:
    """The agent ``random``. OptionError for an argument."""
    no_argument("random", argument)
    return RandomAgent()


class RandomAgent:
    """Plays any legal action, all equally likely."""

    name = "random"

    def act(self, observations: Observations, action_masks: Masks, rng: np.random.Generator) -> Actions:
        """(N, S) int8 and (N, A) bool -> (N,) int64, -1 where none is legal. OptionError for masks of another shape or other numbers."""
        return pick_uniform(as_array("action_masks", action_masks, np.bool_, (len(observations), None)), rng)
