"""Hands, decks and discard piles, and what everybody knows of them.

A returned card is known to be in its owner's hand. Once the owner puts cards back on the deck, it is loose: it may be in the hand or among
the cards put back. The field `known` counts both kinds (`state.LOOSE`).
"""

from typing import Any

from react_env.engine.compile import njit
from react_env.engine.terms import Card, Kind, Number, Player, Slot, State, Table
from react_env.games.fight_sequence import log
from react_env.games.fight_sequence import state as S


@njit
def leave_top(s: State, t: Table, p: Player) -> Any:
    """Take the top card off the deck of player `p`, which is not empty; returns the card."""
    s.deck_size[p] -= 1
    size = s.deck_size[p]
    card = s.deck[p, size]
    s.deck[p, size] = 0
    return card


@njit
def one_less_put_back(s: State, t: Table, p: Player) -> None:
    """Count a card that has left the top. Once all cards put back are gone, loose cards must be in the hand."""
    if s.undrawn[p]:
        s.undrawn[p] -= 1
        if s.undrawn[p] == 0:
            for c in range(t.cards[p]):
                s.known[p, c] = s.known[p, c] % S.LOOSE + s.known[p, c] // S.LOOSE


@njit
def draw(s: State, t: Table, p: Player, count: Number) -> None:
    """Player `p` draws up to `count` cards; `count` is at least 1."""
    drawn = 0
    while drawn < count and s.deck_size[p] > 0:
        s.hand[p, leave_top(s, t, p)] += 1
        s.hand_size[p] += 1
        one_less_put_back(s, t, p)
        drawn += 1
    log.emit(s, log.E_DRAW, p, -1, -1, drawn, 0)


@njit
def leave_hand(s: State, p: Player, card: Card) -> None:
    """Take a card from the hand of player `p`, seen by all."""
    s.hand[p, card] -= 1
    s.hand_size[p] -= 1
    if s.known[p, card] % S.LOOSE > 0:
        s.known[p, card] -= 1
    elif s.known[p, card] > 0:
        s.known[p, card] -= S.LOOSE


@njit
def put_back(s: State, t: Table, p: Player, card: Card) -> None:
    """Player `p` puts a card from the hand on the deck (rule FS-C3)."""
    s.hand[p, card] -= 1
    s.hand_size[p] -= 1
    s.deck[p, s.deck_size[p]] = card
    s.deck_size[p] += 1
    s.undrawn[p] += 1
    for c in range(t.cards[p]):
        s.known[p, c] = (s.known[p, c] % S.LOOSE + s.known[p, c] // S.LOOSE) * S.LOOSE
    log.emit(s, log.E_PUT_BACK, p, -1, -1, 0, 0)


@njit
def mill(s: State, t: Table, p: Player, amount: Number) -> None:
    """Discard up to `amount` cards from the top of player `p`'s deck as damage (rule FS-W1)."""
    count = min(amount, s.deck_size[p])
    if count and t.damage_discards_face_down:
        log.emit(s, log.E_BURY, p, -1, -1, count, 0)
    place = 0  # of the event that lists the present four cards
    for i in range(count):
        card = leave_top(s, t, p)
        if t.damage_discards_face_down:
            s.buried_size[p] += 1
            if s.undrawn[p]:  # it was put back, and nobody else can tell which card it is
                for c in range(t.cards[p]):
                    s.known[p, c] %= S.LOOSE
        else:
            s.discard[p, card] += 1
            if s.undrawn[p] and s.known[p, card] >= S.LOOSE:
                s.known[p, card] -= S.LOOSE
            if i % 4 == 0:
                place = s.events % S.EVENTS
                log.emit(s, log.E_MILL, p, card, -1, 0, 0)
            else:
                s.event[place, 1 + i % 4] = card + 1
        one_less_put_back(s, t, p)


@njit
def add_action(s: State, p: Player, card: Card, mode: Kind) -> None:
    """Put a card into the next slot."""
    s.slot_card[s.slots] = card
    s.slot_owner[s.slots] = p
    s.slot_mode[s.slots] = mode
    s.slots += 1


@njit
def remove_action(s: State, slot: Slot) -> None:
    """Take an Action out of the sequence and close the gap."""
    s.slots -= 1
    for i in range(slot, s.slots):
        s.slot_card[i] = s.slot_card[i + 1]
        s.slot_owner[i] = s.slot_owner[i + 1]
        s.slot_mode[i] = s.slot_mode[i + 1]
    s.slot_card[s.slots] = 0
    s.slot_owner[s.slots] = 0
    s.slot_mode[s.slots] = 0
    if s.current == slot:
        s.current = -1
    elif s.current > slot:
        s.current -= 1
