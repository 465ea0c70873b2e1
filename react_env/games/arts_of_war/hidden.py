"""What a player cannot know, drawn anew: rule AW-I1."""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.decks import shuffle, sort
from react_env.engine.rng import below
from react_env.games.arts_of_war.chain import hand_size
from react_env.games.arts_of_war.state import ACTIONS_CARDS, CHAIN, DECK, F_LAY, R_FIRST


@njit
def sort_deck(s: Any, p: Any, with_hand: Any) -> Any:
    """Lay the deck of player `p` out by card, with hand and face-down cards if asked for, and return its size.

    So what is drawn from it next depends on the cards in it alone, not on the true order, which would be a leak.
    """
    n = np.int64(s.deck_size[p])
    if with_hand:
        for c in range(ACTIONS_CARDS):
            for _ in range(s.hand[p, c]):
                s.deck[p, n] = c
                n += 1
        for j in range(CHAIN):
            if s.face_down[j] >= 0 and s.face_down_player[j] == p:
                s.deck[p, n] = s.face_down[j]
                n += 1
    sort(s.deck[p], 0, n)
    return n


@njit
def take_reaction(s: Any, t: Any, p: Any, n: Any) -> Any:
    """Take one of the first `n` cards of player `p`'s deck that has a Reaction, each equally likely; the last one fills its place."""
    count = 0
    for i in range(n):
        if t.card_reacts[p, s.deck[p, i]]:
            count += 1
    left = below(s, count)
    for i in range(n):
        c = s.deck[p, i]
        if t.card_reacts[p, c]:
            if left == 0:
                s.deck[p, i] = s.deck[p, n - 1]
                return np.int64(c)
            left -= 1
    return np.int64(0)  # never: what lies face down has a Reaction


@njit
def determinize(s: Any, t: Any, p: Any) -> None:
    """Redraw what player `p` cannot know: the own deck's order, the opponent's hand, deck and face-down cards. `s.rng` is new.

    What lies face down has a Reaction, that much is known of it.
    """
    shuffle(s, s.deck[p], 0, sort_deck(s, p, False))
    q = 1 - p
    held = hand_size(s, q)
    n = sort_deck(s, q, True)
    for c in range(ACTIONS_CARDS):
        s.hand[q, c] = 0
    for i in range(CHAIN):
        if s.face_down[i] >= 0 and s.face_down_player[i] == q:
            n -= 1
            s.face_down[i] = take_reaction(s, t, q, n + 1)
    if s.frames and s.frame_kind[s.frames - 1] == F_LAY and s.frame_player[s.frames - 1] == q:
        # A card of the hand is about to be laid face down.
        n -= 1
        held -= 1
        c = take_reaction(s, t, q, n + 1)
        s.frame_regs[s.frames - 1, R_FIRST] = c
        s.hand[q, c] += 1
    shuffle(s, s.deck[q], 0, n)
    for _ in range(held):
        n -= 1
        s.hand[q, s.deck[q, n]] += 1
    for i in range(n, DECK):
        s.deck[q, i] = 0
