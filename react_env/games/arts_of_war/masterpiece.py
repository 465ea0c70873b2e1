"""The masterpiece row and ascension: rules AW-M1 to AW-M10.

Slots are numbered from player 0's left; player 1 reads them the other way round (AW-M5).
"""

from typing import Any

from react_env.engine.compile import njit
from react_env.engine.terms import Flag, Number, Player, Slot, State, Table
from react_env.games.arts_of_war import log
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.board import queue


@njit
def own_slot(t: Table, p: Player, slot: Slot) -> Any:
    """Slot number `slot` as player `p` reads the row (its own inverse)."""
    return slot if p == 0 or t.masterpiece_sides_same else S.ROW - 1 - slot


@njit
def is_placed(s: State, p: Player, part: Number) -> Flag:
    """Whether masterpiece card `part` of player `p` lies in the row."""
    for i in range(S.ROW):
        if s.row[i] == p * S.PARTS + part:
            return True
    return False


@njit
def placed_count(s: State, p: Player) -> Number:
    """How many cards of player `p` lie in the row."""
    n = 0
    for i in range(S.ROW):
        if s.row[i] >= 0 and s.row[i] // S.PARTS == p:
            n += 1
    return n


@njit
def empty_slots(s: State) -> Number:
    """How many slots of the row are empty."""
    n = 0
    for i in range(S.ROW):
        if s.row[i] < 0:
            n += 1
    return n


@njit
def unplaced_count(s: State, p: Player) -> Number:
    """How many cards of player `p` can still be placed."""
    n = S.PARTS - placed_count(s, p)
    for part in range(S.PARTS):
        n -= s.lost_part[p, part]
    return n


@njit
def is_complete(s: State, t: Table, p: Player) -> Flag:
    """Whether the three cards of player `p` lie in consecutive slots, in order as player `p` reads the row (AW-M5)."""
    for first in range(S.ROW - S.PARTS + 1):
        fits = True
        for part in range(S.PARTS):
            if s.row[own_slot(t, p, first + part)] != p * S.PARTS + part:
                fits = False
        if fits:
            return True
    return False


@njit
def check_ascension(s: State, t: Table, actor: Player) -> None:
    """Let artists with a complete masterpiece ascend, or become another, unless ascended; the turn player's first (AW-M6, AW-M7)."""
    for i in range(S.PLAYERS):
        p = s.turn_player if i == 0 else 1 - s.turn_player
        if s.ascended[p] or (t.masterpiece_check_own_progress and p != actor) or not is_complete(s, t, p):
            continue
        for slot in range(S.ROW):
            if s.row[slot] >= 0 and s.row[slot] // S.PARTS == p:
                s.row[slot] = -1
        form = s.form[p]
        if t.ascend_mode[p, form] == S.ASCEND_BECOMES:
            s.form[p] = 1
            log.emit(s, log.E_ASCEND, p, 2)
        else:
            s.ascended[p] = 1
            log.emit(s, log.E_ASCEND, p, 1)
        if t.ascend_code[p, form] >= 0:
            queue(s, p, S.GONE, S.EMPTY, S.SRC_ASCENSION + form)


@njit
def descend(s: State, t: Table, p: Player) -> None:
    """The artist descends; with a complete masterpiece it ascends again at once (AW-M7)."""
    if s.ascended[p]:
        s.ascended[p] = 0
        log.emit(s, log.E_ASCEND, p)
        check_ascension(s, t, p)


@njit
def place_part(s: State, t: Table, p: Player, part: Number, slot: Slot) -> None:
    """Place a card in a slot: an empty one (AW-M2), or one with a card of the opponent, which it replaces (AW-M3)."""
    old = s.row[slot]
    if old < 0:
        log.emit(s, log.E_PLACE, p, part, slot)
    else:
        log.emit(s, log.E_REPLACE, p, part, slot)
        if t.replaced_masterpiece_lost:
            s.lost_part[old // S.PARTS, old % S.PARTS] = 1
    s.row[slot] = p * S.PARTS + part
    check_ascension(s, t, p)


@njit
def swap_slots(s: State, t: Table, p: Player, a: Slot, b: Slot) -> None:
    """Swap two slots (AW-M4)."""
    log.emit(s, log.E_SWAP_SLOTS, p, a, b)
    s.row[a], s.row[b] = s.row[b], s.row[a]
    check_ascension(s, t, p)
