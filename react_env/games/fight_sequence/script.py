"""Rules of thumb for Fight Sequence: what speaks for an Action or a pass beyond what the sequence does as it lies.

Everything is judged by what the player knows: the own hand, the sequence, and which cards the opponent may hold.
"""

from typing import Any

from react_env.engine.compile import njit
from react_env.games.fight_sequence.actions import A_ATTACK, A_PASS, A_RESPOND
from react_env.games.fight_sequence.hidden import unseen
from react_env.games.fight_sequence.state import (
    ATTACK,
    D_BUILD,
    RESPONSE,
    SLOTS,
    X_BLOCK,
    X_NONE,
    X_TOKEN,
    X_WILLPOWER,
)


@njit
def chance_of_block(s: Any, t: Any, q: Any, kind: Any) -> Any:
    """How likely player `q` holds a block of that type, by what has not been seen of the deck (each card drawn as if put back)."""
    blocks, cards = 0, 0
    for c in range(t.cards[q]):
        count = unseen(s, t, q, c)
        cards += count
        row = t.effect[q, RESPONSE, c]
        if row[0] == X_BLOCK and row[2] == kind:
            blocks += count
    return held(s, q, blocks, cards)


@njit
def chance_of_attack(s: Any, t: Any, q: Any, speed: Any) -> Any:
    """How likely player `q` holds an attack of at least that Speed, in tens."""
    fast, cards = 0, 0
    for c in range(t.cards[q]):
        count = unseen(s, t, q, c)
        cards += count
        if t.speed[q, c] >= speed:
            fast += count
    return held(s, q, fast, cards)


@njit
def held(s: Any, q: Any, wanted: Any, cards: Any) -> Any:
    """The chance that at least one of so many wanted cards among all is in the hand of player `q`."""
    if wanted == 0 or cards == 0:
        return 0.0
    return 1.0 - (1.0 - wanted / cards) ** s.hand_size[q]


@njit
def opinion(s: Any, t: Any, p: Any, action: Any) -> Any:
    """What speaks for a legal action, in cards of life."""
    if s.decision != D_BUILD:
        return 0.0
    q = 1 - p
    w = t.tune
    free = SLOTS - s.slots
    if action == A_PASS:
        value = 0.0
        if s.passes == 0:
            value += w[0]
            if s.claimed == 0:
                value += w[1]
            value += w[2] * max(0, s.hand_size[p] - 5)
            value += w[3] * (free <= 2)
        return value
    if action < A_RESPOND:
        c = action - A_ATTACK
        speed, power = t.speed[p, c], t.power[p, c]
        value = w[4]
        if free > 1:
            value -= w[5] * chance_of_block(s, t, q, t.type[p, c]) * power
            value -= w[6] * chance_of_attack(s, t, q, speed)
        else:
            value += w[7]
        if t.effect[p, ATTACK, c, 0] != X_NONE:
            value += w[8]
        if s.turns == 0:
            value += w[9]
        return value
    c = action - A_RESPOND
    row = t.effect[p, RESPONSE, c]
    value = w[10]
    if row[0] == X_WILLPOWER:
        value += w[11]
    elif row[0] == X_TOKEN:
        value += w[12]
    elif row[0] == X_BLOCK:
        value += w[13]
    if free > 1:
        value += w[14]
    value += w[15] * t.power[p, c]
    return value
