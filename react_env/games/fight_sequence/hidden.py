"""What a player cannot know, redrawn: both decks, the opponent's hand, cards discarded face down (rules FS-I1 to FS-I4).

The hidden cards of a player are counted in a heap, from which the hidden places are filled. What is left in the heap lies face down in the
discard pile.
"""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.memory import scratch
from react_env.engine.rng import below
from react_env.engine.terms import Card, Number, Player, State, Table
from react_env.games.fight_sequence import state as S
from react_env.games.fight_sequence.damage import holds_willpower

FREE = -1
TRIES = 1000  # redraws until the hand holds a Willpower known to be there; after so many, one is put there


new_heap = scratch(S.CARDS, np.int8)


@njit
def unseen(s: State, t: Table, p: Player, card: Card) -> Number:
    """How many copies of a card lie in the hand or the deck of player `p`, or face down in the discard pile."""
    count = np.int64(t.copies[p, card]) - s.discard[p, card]
    for i in range(s.slots):
        if s.slot_owner[i] == p and s.slot_card[i] == card:
            count -= 1
    return count


@njit
def draw_from_heap(s: State, heap: Any, size: Number) -> Any:
    """Take a random card from the heap, which holds `size` cards; returns it."""
    left = below(s, size)
    card = 0
    while left >= heap[card]:
        left -= heap[card]
        card += 1
    heap[card] -= 1
    return card


@njit
def redraw_own(s: State, t: Table, p: Player) -> None:
    """Redraw player `p`'s own deck below the cards that the player has put back; the rest of the heap was discarded face down."""
    rest = np.int64(s.deck_size[p]) - s.undrawn[p]
    size = rest + s.buried_size[p]
    heap = new_heap()
    for c in range(t.cards[p]):
        heap[c] = unseen(s, t, p, c) - s.hand[p, c]
    for i in range(rest, s.deck_size[p]):
        heap[s.deck[p, i]] -= 1
    for i in range(rest):
        s.deck[p, i] = draw_from_heap(s, heap, size)
        size -= 1


@njit
def redraw_other(s: State, t: Table, q: Player) -> None:
    """Redraw hand and deck of player `q`. Cards known to be in hand stay there, loose ones stay in hand or among those put back."""
    rest = np.int64(s.deck_size[q]) - s.undrawn[q]
    hands = np.int64(s.hand_size[q])
    backs = np.int64(s.undrawn[q])
    size = hands + s.deck_size[q] + s.buried_size[q]
    heap = new_heap()
    for c in range(t.cards[q]):
        held, loose = s.known[q, c] % S.LOOSE, s.known[q, c] // S.LOOSE
        heap[c] = unseen(s, t, q, c) - held - loose
        s.hand[q, c] = held
        hands -= held
        size -= held + loose
    for i in range(rest, s.deck_size[q]):
        s.deck[q, i] = FREE
    for c in range(t.cards[q]):
        for _ in range(s.known[q, c] // S.LOOSE):
            place = below(s, hands + backs)
            if place < hands:
                s.hand[q, c] += 1
                hands -= 1
            else:
                place -= hands
                i = rest
                while place > 0 or s.deck[q, i] != FREE:
                    if s.deck[q, i] == FREE:
                        place -= 1
                    i += 1
                s.deck[q, i] = c
                backs -= 1
    for _ in range(hands):
        s.hand[q, draw_from_heap(s, heap, size)] += 1
        size -= 1
    for i in range(s.deck_size[q]):
        if i < rest or s.deck[q, i] == FREE:
            s.deck[q, i] = draw_from_heap(s, heap, size)
            size -= 1


@njit
def put_willpower(s: State, t: Table, q: Player) -> None:
    """Swap a card in player `q`'s hand with the first card of the deck that has a Willpower."""
    for i in range(s.deck_size[q]):
        card = s.deck[q, i]
        if t.willpower[q, card]:
            for c in range(t.cards[q]):
                if s.hand[q, c] > s.known[q, c] % S.LOOSE:
                    s.hand[q, c] -= 1
                    s.hand[q, card] += 1
                    s.deck[q, i] = c
                    return


@njit
def determinize(s: State, t: Table, p: Player) -> None:
    """Redraw what player `p` cannot know, each world equally likely. `s.rng` has been redrawn already.

    A player who is asked about a Willpower has one: worlds without one are drawn again.
    """
    redraw_own(s, t, p)
    q = 1 - p
    redraw_other(s, t, q)
    if s.over == 0 and s.decision == S.D_WILLPOWER and s.to_play == q:
        tries = 1
        while not holds_willpower(s, t, q) and tries < TRIES:
            redraw_other(s, t, q)
            tries += 1
        if not holds_willpower(s, t, q):
            put_willpower(s, t, q)
