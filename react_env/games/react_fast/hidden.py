"""What a player cannot know, redrawn: the cards at unknown places, and how fast the others are (RF-I3).

The others' commitments are undone (RF-I1). Nobody sees a slap of theirs that is still on its way (G-11), so a redrawn world has none.
"""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.memory import scratch
from react_env.engine.rng import below
from react_env.engine.terms import Number, Player, State, Table
from react_env.games.react_fast import state as S
from react_env.games.react_fast.latency import normal, uniform

new_cards = scratch(S.CARDS, np.int8)


@njit
def given(s: State, seat: Player, p: Player) -> Number:
    """How many traveling cards player `p` was dealt if `seat` got the first one (G-2)."""
    players = s.alive.shape[0]
    return np.int64((S.TRAVELING - (p - seat) % players + players - 1) // players)


@njit
def below_shown(s: State, t: Table, p: Player) -> Number:
    """The place from which on a deck's first cards must be traveling cards: those below the card that was held up (G-4, G-5)."""
    start = 0
    for i in range(s.size[p]):
        code = s.deck[p, (s.head[p] + i) % S.CARDS]
        if (code & S.FIRST) != 0 and ((code & S.KNOWN) != 0 or t.bottom_cards_public == 0):
            start = i + 1
    return np.int64(start)


@njit
def places(s: State, p: Player, low: Number, high: Number) -> Number:
    """How many of a deck's places from `low` to `high` - 1 may hold a traveling card."""
    count = 0
    for i in range(low, high):
        code = s.deck[p, (s.head[p] + i) % S.CARDS]
        count += (code & (S.KNOWN | S.FIRST)) == S.FIRST
    return np.int64(count)


@njit
def chance_of(s: State, t: Table, seat: Player) -> Any:
    """The likelihood of what has been seen if `seat` was dealt the first traveling card, up to a factor; 0 if impossible."""
    chance = 1.0
    for p in range(s.alive.shape[0]):
        start = below_shown(s, t, p)
        free = places(s, p, 0, start)
        left = given(s, seat, p) - s.shown[p] - places(s, p, start, s.size[p])
        if left < 0:
            return 0.0
        # binomial(free, left), which is 0 if left > free; the deal itself contributes the same factor for every seat.
        for i in range(left):
            chance *= (free - i) / (i + 1)
    return chance


@njit
def redraw_seat(s: State, t: Table) -> None:
    """Redraw who was dealt the first traveling card."""
    total = 0.0
    for seat in range(s.alive.shape[0]):
        total += chance_of(s, t, seat)
    left = uniform(s) * total
    for seat in range(s.alive.shape[0]):
        chance = chance_of(s, t, seat)
        if chance > 0.0:
            s.first_seat = seat
            left -= chance
            if left < 0.0:
                return


@njit
def gather(s: State, cards: Any) -> None:
    """Set cards[c] to 1 for each card at an unknown place, else 0, and empty these places (all bits of the card set)."""
    for card in range(S.CARDS):
        cards[card] = 0
    for p in range(s.alive.shape[0]):
        for i in range(s.size[p]):
            place = (s.head[p] + i) % S.CARDS
            if (s.deck[p, place] & S.KNOWN) == 0:
                cards[s.deck[p, place] & S.CARD_BITS] = 1
                s.deck[p, place] |= S.CARD_BITS
    for i in range(s.pile_size):
        if (s.pile[i] & S.KNOWN) == 0:
            cards[s.pile[i] & S.CARD_BITS] = 1
            s.pile[i] |= S.CARD_BITS


@njit
def draw(s: State, cards: Any, low: Number, high: Number) -> Any:
    """Take a random one of the marked cards from `low` to `high` - 1."""
    count = 0
    for card in range(low, high):
        count += cards[card]
    left = below(s, count)
    for card in range(low, high):
        if cards[card]:
            if left == 0:
                cards[card] = 0
                return card
            left -= 1
    return low


@njit
def put_traveling(s: State, t: Table, cards: Any) -> None:
    """Place the traveling cards that nobody has seen: first those below the cards that were held up, then the rest at random among the
    unknown places, to each deck as many as were dealt to it (or to any deck, RF-G2)."""
    players = s.alive.shape[0]
    for p in range(players):
        start = below_shown(s, t, p)
        for _ in range(places(s, p, start, s.size[p])):
            put_one(s, p, start, 0, draw(s, cards, S.PLAYING, S.CARDS))
    if t.deal_even:
        redraw_seat(s, t)
        for p in range(players):
            seen = s.shown[p] + places(s, p, below_shown(s, t, p), s.size[p])
            for _ in range(given(s, np.int64(s.first_seat), p) - seen):
                put_one(s, p, 0, below(s, free_places(s, p)), draw(s, cards, S.PLAYING, S.CARDS))
        return
    for card in range(S.PLAYING, S.CARDS):
        if cards[card]:
            cards[card] = 0
            total = 0
            for p in range(players):
                total += free_places(s, p)
            number = below(s, total)
            for p in range(players):
                here = free_places(s, p)
                if number < here:
                    put_one(s, p, 0, number, card)
                    break
                number -= here


@njit
def free_places(s: State, p: Player) -> Number:
    """How many emptied places of a deck may hold a traveling card."""
    count = 0
    for i in range(s.size[p]):
        count += s.deck[p, (s.head[p] + i) % S.CARDS] == (S.FIRST | S.CARD_BITS)
    return np.int64(count)


@njit
def put_one(s: State, p: Player, start: Number, number: Number, card: Any) -> None:
    """Put a card into a deck, at the emptied place with that number among those from `start` on that may hold a traveling card."""
    left = number
    for i in range(start, s.size[p]):
        place = (s.head[p] + i) % S.CARDS
        if s.deck[p, place] == (S.FIRST | S.CARD_BITS):
            if left == 0:
                s.deck[p, place] = S.FIRST | card
                return
            left -= 1


@njit
def determinize(s: State, t: Table, p: Player) -> None:
    """Redraw what player `p` cannot know, each world equally likely. `s.rng` has been redrawn already."""
    players = s.alive.shape[0]
    cards = new_cards()
    gather(s, cards)
    put_traveling(s, t, cards)
    for q in range(players):
        for i in range(s.size[q]):
            place = (s.head[q] + i) % S.CARDS
            if (s.deck[q, place] & S.CARD_BITS) == S.CARD_BITS:
                s.deck[q, place] = (s.deck[q, place] & ~S.CARD_BITS) | draw(s, cards, 0, S.PLAYING)
        if q != p:
            if t.mode != S.DETERMINISTIC:
                s.scale[q] = t.scale[q] * np.exp(t.spread * normal(s))
            s.carry[q] = -1.0
            if t.mode == S.SKILL:
                s.stance[q] = below(s, 3)
    for i in range(s.pile_size):
        if (s.pile[i] & S.CARD_BITS) == S.CARD_BITS:
            s.pile[i] = (s.pile[i] & ~S.CARD_BITS) | draw(s, cards, 0, S.PLAYING)
    ask_again(s, t, p)


@njit
def ask_again(s: State, t: Table, p: Player) -> None:
    """Undo the others' commitments, which nobody knows; they will be asked again after player `p`.

    So a window looks the same from every seat, whatever the order of asking.
    """
    asked_now = s.decision == S.D_STANCE or s.decision == S.D_SLAP
    s.asked &= 1 << p | (1 << s.to_play if asked_now else 0)
    for q in range(s.alive.shape[0]):
        if q != p:
            if s.decision == S.D_STANCE:
                s.stance[q] = S.READY
            s.commit[q] = S.HOLD
    if s.stage == S.ST_WINDOW and t.mode == S.SKILL and s.to_play != p:
        s.pace = S.NOTHING
