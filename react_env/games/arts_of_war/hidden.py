"""What a player cannot know, drawn anew: rule AW-I1."""

from typing import Any

from react_env.engine.compile import njit
from react_env.engine.rng import below
from react_env.games.arts_of_war.chain import hand_size
from react_env.games.arts_of_war.state import ACTIONS_CARDS, DECK


@njit
def shuffle(s: Any, p: Any, heap: Any, n: Any) -> None:
    """Shuffle the first `n` cards of player `p`'s deck array, in place."""
    for i in range(n - 1, 0, -1):
        j = below(s, i + 1)
        kept = heap[p, i]
        heap[p, i] = heap[p, j]
        heap[p, j] = kept


@njit
def determinize(s: Any, t: Any, p: Any) -> None:
    """Redraw what player `p` cannot know, uniformly: the own deck's order, the opponent's hand and deck. `s.rng` is already new."""
    shuffle(s, p, s.deck, s.deck_size[p])
    q = 1 - p
    held = hand_size(s, q)
    n = s.deck_size[q]
    for c in range(ACTIONS_CARDS):
        for _ in range(s.hand[q, c]):
            s.deck[q, n] = c
            n += 1
        s.hand[q, c] = 0
    shuffle(s, q, s.deck, n)
    for _ in range(held):
        n -= 1
        s.hand[q, s.deck[q, n]] += 1
    for i in range(n, DECK):
        s.deck[q, i] = 0
