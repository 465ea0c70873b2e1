"""Decks: rows of card numbers in a record, the top card last."""

from typing import Any

from react_env.engine.compile import njit
from react_env.engine.rng import below


@njit
def shuffle(s: Any, cards: Any, first: Any, last: Any) -> None:
    """Shuffle cards[first:last] of a row with the stream of record `s` (Fisher and Yates)."""
    for i in range(last - 1, first, -1):
        j = first + below(s, i + 1 - first)
        kept = cards[i]
        cards[i] = cards[j]
        cards[j] = kept


@njit
def sort(cards: Any, first: Any, last: Any) -> None:
    """Sort cards[first:last], so that what is drawn from them next depends only on which cards they are, not on their order."""
    for i in range(first + 1, last):
        card = cards[i]
        j = i
        while j > first and cards[j - 1] > card:
            cards[j] = cards[j - 1]
            j -= 1
        cards[j] = card
