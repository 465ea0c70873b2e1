"""What a player cannot know, drawn anew (RT-I3): the order of both decks, the opponent's hand and set Traps, and a closed deck list."""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.kernels import count_legal
from react_env.engine.memory import scratch
from react_env.engine.rng import below
from react_env.engine.terms import Number, Player, State, Table
from react_env.games.reality_tcg import actions as A
from react_env.games.reality_tcg import state as S

TRIES = 1000  # redraws until the player to move has a choice

new_counts = scratch(S.KINDS, np.int64)
new_mask = scratch(A.ACTIONS, np.bool_)


@njit
def open_cards(s: State, q: Player, counts: Any) -> None:
    """counts[k] = how many cards of kind k of player `q` everybody sees."""
    for k in range(S.KINDS):
        counts[k] = s.gone[q, k]
    for z in range(S.ZONES):
        if s.kind[q, z] >= 0:
            counts[s.kind[q, z]] += 1
    if s.land[q] >= 0:
        counts[s.land[q]] += 1
    for i in range(s.links):
        if s.link[i, S.L_WHAT] == S.C_CARD and s.link[i, S.L_PLAYER] == q:
            counts[s.link[i, S.L_KIND]] += 1
    if s.pending >= 0 and s.to_play == q:
        counts[s.pending] += 1


@njit
def set_traps(s: State, q: Player) -> Number:
    """How many Traps player `q` has set."""
    return np.int64((s.trap[q, 0] >= 0) + (s.trap[q, 1] >= 0) + (s.trap[q, 2] >= 0))


@njit
def ways(s: State, t: Table, q: Player, deck: Number, shown: Any) -> Any:
    """The number of worlds that a deck list allows, up to a factor; 0 if it cannot be the list of player `q`."""
    mine = t.size[s.list[q]]
    if t.size[deck] != mine:
        return 0.0
    found, traps = 1.0, 0
    for k in range(t.kinds):
        left = t.cards[deck, k] - shown[k]
        if left < 0:
            return 0.0
        for i in range(shown[k]):
            found *= t.cards[deck, k] - i
        if t.sort[k] == S.TRAP:
            traps += left
    for i in range(set_traps(s, q)):
        found *= max(traps - i, 0)
    return found


@njit
def redraw_list(s: State, t: Table, q: Player, shown: Any) -> None:
    """Redraw the deck list of player `q`, in proportion to the number of worlds that each list allows."""
    total = 0.0
    for deck in range(t.lists):
        total += ways(s, t, q, np.int64(deck), shown)
    left = below(s, 1 << 30) / float(1 << 30) * total
    for deck in range(t.lists):
        many = ways(s, t, q, np.int64(deck), shown)
        if many > 0.0:
            chosen = deck
            left -= many
            if left < 0.0:
                break
    s.list[q] = chosen


@njit
def take(s: State, t: Table, cards: Any, traps_only: Any) -> Any:
    """Take a random card from the cards counted by kind; returns its kind."""
    count = 0
    for k in range(t.kinds):
        if not traps_only or t.sort[k] == S.TRAP:
            count += cards[k]
    left = below(s, count)
    for k in range(t.kinds):
        if not traps_only or t.sort[k] == S.TRAP:
            left -= cards[k]
            if left < 0:
                cards[k] -= 1
                return k
    return 0


@njit
def redraw_other(s: State, t: Table, q: Player) -> None:
    """Redraw hand, set Traps and deck of player `q`, and a closed deck list."""
    cards = new_counts()
    open_cards(s, q, cards)
    if t.open_decklists == 0:
        redraw_list(s, t, q, cards)
    for k in range(t.kinds):
        cards[k] = t.cards[s.list[q], k] - cards[k]
    for i in range(S.TRAPS):
        if s.trap[q, i] >= 0:
            s.trap[q, i] = take(s, t, cards, True)
    s.hand[q, :] = 0
    for _ in range(s.hand_size[q]):
        s.hand[q, take(s, t, cards, False)] += 1
    if s.decision == S.D_MULLIGAN and s.to_play == q:
        s.returned[:] = 0
        for _ in range(s.returning):
            s.returned[take(s, t, cards, False)] += 1
    for i in range(s.deck_size[q]):
        s.deck[q, i] = take(s, t, cards, False)


@njit
def determinize(s: State, t: Table, p: Player) -> None:
    """Redraw what player `p` cannot know, each world equally likely. `s.rng` has been redrawn already.

    The player to move has a choice: worlds without one are drawn again, up to `TRIES` times.
    """
    q = 1 - p
    redraw_other(s, t, q)
    if s.over == 0 and s.to_play == q:
        mask = new_mask()
        for _ in range(TRIES):
            A.legal(s, t, mask)
            if count_legal(mask) > 1:
                break
            redraw_other(s, t, q)
    cards = new_counts()  # player p's deck: the redrawn order must not depend on the true one
    cards[:] = 0
    for i in range(s.deck_size[p]):
        cards[s.deck[p, i]] += 1
    for i in range(s.deck_size[p]):
        s.deck[p, i] = take(s, t, cards, False)
