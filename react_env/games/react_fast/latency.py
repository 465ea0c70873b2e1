"""How long a hand takes: ex-Gaussian latencies and their random numbers."""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.rng import next_word
from react_env.engine.terms import State

_UNIT = 2.0**-53
FASTEST = 1.0  # ms; no latency is shorter


@njit
def uniform(s: State) -> Any:
    """A random number in 0..1, never 1, from one word of the record's stream."""
    return (next_word(s) >> 11) * _UNIT


@njit
def normal(s: State) -> Any:
    """A standard normal number, from two words (Box and Muller, 1958)."""
    radius = np.sqrt(-2.0 * np.log(1.0 - uniform(s)))
    return radius * np.cos(2.0 * np.pi * uniform(s))


@njit
def ex_gaussian(s: State, row: Any, fixed: Any) -> Any:
    """A latency in ms for (mu, sigma, tau): normal plus exponential, from three words; if `fixed`, its mean without drawing."""
    if fixed:
        return row[0] + row[2]
    bell = row[0] + row[1] * normal(s)
    return bell - row[2] * np.log(1.0 - uniform(s))
