"""What a player cannot know, drawn anew: rule AW-I1."""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.rng import below
from react_env.games.arts_of_war.chain import hand_size
from react_env.games.arts_of_war.state import ACTIONS_CARDS, DECK


@njit
def shuffle(s: Any, p: Any, n: Any) -> None:
    """Shuffle the first `n` cards of player `p`'s deck."""
    for i in range(n - 1, 0, -1):
        j = below(s, i + 1)
        kept = s.deck[p, i]
        s.deck[p, i] = s.deck[p, j]
        s.deck[p, j] = kept


@njit
def sort_deck(s: Any, p: Any, with_hand: Any) -> Any:
    """Lay the deck of player `p` out by card, with the hand if asked for, and return its size.

    So what is drawn from it next depends on the cards in it alone, not on the true order, which would be a leak.
    """
    n = np.int64(s.deck_size[p])
    if with_hand:
        for c in range(ACTIONS_CARDS):
            for _ in range(s.hand[p, c]):
                s.deck[p, n] = c
                n += 1
    for i in range(1, n):
        card = s.deck[p, i]
        j = i
        while j > 0 and s.deck[p, j - 1] > card:
            s.deck[p, j] = s.deck[p, j - 1]
            j -= 1
        s.deck[p, j] = card
    return n


@njit
def determinize(s: Any, t: Any, p: Any) -> None:
    """Redraw what player `p` cannot know, uniformly: the own deck's order, the opponent's hand and deck. `s.rng` is already new."""
    shuffle(s, p, sort_deck(s, p, False))
    q = 1 - p
    held = hand_size(s, q)
    n = sort_deck(s, q, True)
    shuffle(s, q, n)
    for c in range(ACTIONS_CARDS):
        s.hand[q, c] = 0
    for _ in range(held):
        n -= 1
        s.hand[q, s.deck[q, n]] += 1
    for i in range(n, DECK):
        s.deck[q, i] = 0
