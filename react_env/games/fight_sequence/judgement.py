"""A quick judgement of a position for one-step look-ahead (the greedy baseline), and where such a look-ahead begins and stops."""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.games.fight_sequence.actions import A_PASS
from react_env.games.fight_sequence.state import D_BUILD, D_RETURN, D_SHIFT, D_WILLPOWER

# In units of a card of life (a card in the deck).
W_HAND = 1.3  # a card in hand is life, too, once it is put back, and a choice until then
W_INITIATIVE = 0.5
W_SAFE = 3.0  # the deck is not empty: one more damage does not lose


@njit
def follow_up(s: Any) -> Any:
    """1 while the decision completes what is happening (a target, a Willpower), 0 at a free one."""
    return 1 if s.decision == D_SHIFT or s.decision == D_RETURN or s.decision == D_WILLPOWER else 0


@njit
def window(s: Any) -> Any:
    """The action that lets the others go on: `pass` while building, but for the first turn of a sequence, which allows none."""
    return A_PASS if s.decision == D_BUILD and s.turns > 0 else -1


@njit
def half(s: Any, p: Any) -> Any:
    """What speaks for player `p`."""
    value = s.deck_size[p] + W_HAND * s.hand_size[p]
    if s.deck_size[p] > 0:
        value += W_SAFE
    if s.initiative == p:
        value += W_INITIATIVE
    return value


@njit
def evaluate(s: Any, t: Any, p: Any) -> Any:
    """How good the position is for player `p` (float; a win is 1e6)."""
    if s.over:
        return 1e6 * s.reward[p]
    return half(s, p) - half(s, 1 - p)


@njit
def potential(s: Any, t: Any, p: Any) -> Any:
    """How far player `p` has come, about -1 to 1: the life of both."""
    return np.tanh((half(s, p) - half(s, 1 - p)) / 12.0)
