"""A quick judgement of a position for one-step look-ahead (the greedy baseline), and where such a look-ahead begins and stops."""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.games.arts_of_war.actions import A_PASS
from react_env.games.arts_of_war.masterpiece import own_slot
from react_env.games.arts_of_war.state import (
    ACTIONS_CARDS,
    ASCEND_LASTING,
    D_MAIN,
    D_REACT,
    HAND,
    PARTS,
    PLAYERS,
    ROW,
    SLOTS,
    TOKENS,
)

# In units of which one damage to an artist is 100.
W_CARD = 7.0
W_SUMMON = 8.0
W_ADJACENT_SUMMON = 5.0
W_NEAR = 1.0
W_PARTS = 5.0
W_ASCENDED = 25.0
W_TOKEN_ON_ARTIST = 8.0
W_TOKEN_ON_OWN = 3.0
W_TOKEN_ON_ZONE = 1.0
W_TOKEN_NEAR_ARTIST = 4.0


@njit
def follow_up(s: Any) -> Any:
    """1 while the decision completes something already begun, 0 at a free decision (main phase, reaction window)."""
    return 0 if s.decision == D_MAIN or s.decision == D_REACT else 1


@njit
def window(s: Any) -> Any:
    """The action that lets the others go on: `pass` at a reaction window, -1 where there is none."""
    return A_PASS if s.decision == D_REACT else -1


@njit
def half(s: Any, t: Any, p: Any, card_weight: Any) -> Any:
    """What speaks for player `p`, not counting what speaks for the other."""
    held = 0
    for c in range(ACTIONS_CARDS):
        held += s.hand[p, c]
    value = card_weight * min(held, HAND - 1)
    target = s.unit_zone[(1 - p) * SLOTS]
    for slot in range(1, SLOTS):
        u = p * SLOTS + slot
        z = s.unit_zone[u]
        if z < 0:
            continue
        d = t.distance[z, target]
        value += W_SUMMON - W_NEAR * d
        if d == 1:
            value += W_ADJACENT_SUMMON
        for k in range(TOKENS):
            if s.unit_token[u, p, k]:
                value += W_TOKEN_ON_OWN
    for k in range(TOKENS):
        if s.unit_token[(1 - p) * SLOTS, p, k]:
            value += W_TOKEN_ON_ARTIST
        if not t.token_on_unit[p, k] and not t.token_blocks[p, k] and s.token_left[p, k] < t.token_pool[p, k]:
            for z in range(t.zones):
                n = s.zone_token[z, p, k]
                if n:
                    value += W_TOKEN_ON_ZONE * n
                    if t.distance[z, target] <= 1:
                        value += W_TOKEN_NEAR_ARTIST
    best = 0
    for first in range(ROW - PARTS + 1):
        fit = 0
        for part in range(PARTS):
            here = s.row[own_slot(t, p, first + part)]
            if here == p * PARTS + part:
                fit += 2
            elif here < 0:
                fit += 1
        best = max(best, fit)
    value += W_PARTS * best
    if s.ascended[p] and t.ascend_mode[p] == ASCEND_LASTING:
        value += W_ASCENDED
    return value


@njit
def balance(s: Any, t: Any, p: Any, card_weight: Any) -> Any:
    """What speaks for player `p` less what speaks for the other (float; the first damage is worth 125, the second 175)."""
    value = 0.0
    for q in range(PLAYERS):
        sign = 1.0 if q == p else -1.0
        hurt = float(s.damage[q])
        value += sign * (half(s, t, q, card_weight) - 100.0 * hurt - 25.0 * hurt * hurt)
    return value


@njit
def evaluate(s: Any, t: Any, p: Any) -> Any:
    """How good the position is for player `p` (float; a win is 1e6)."""
    if s.over:
        return 1e6 * s.reward[p]
    return balance(s, t, p, W_CARD)


@njit
def potential(s: Any, t: Any, p: Any) -> Any:
    """How far player `p` has come, about -1 to 1: the balance without the cards in hand, which a learner would only hoard."""
    return np.tanh(balance(s, t, p, 0.0) / 300.0)
