"""Action ids, and which of them are legal (docs/fight_sequence/decisions.md)."""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.rules import Actions
from react_env.engine.terms import Flag, Kind, Mask, Number, Player, Slot, State, Table
from react_env.games.fight_sequence import state as S

A_PASS = 0
A_DECLINE = 1
A_ATTACK = 2
A_RESPOND = A_ATTACK + S.CARDS
A_CARD = A_RESPOND + S.CARDS
A_LEFT = A_CARD + S.CARDS
A_RIGHT = A_LEFT + S.SLOTS
A_RETURN = A_RIGHT + S.SLOTS
NUM_ACTIONS = A_RETURN + S.SLOTS

_NAMES = (
    "pass",
    "decline",
    *(f"attack with card {i + 1}" for i in range(S.CARDS)),
    *(f"respond with card {i + 1}" for i in range(S.CARDS)),
    *(f"card {i + 1}" for i in range(S.CARDS)),
    *(f"shift slot {i + 1} left" for i in range(S.SLOTS)),
    *(f"shift slot {i + 1} right" for i in range(S.SLOTS)),
    *(f"return slot {i + 1}" for i in range(S.SLOTS)),
)
_GROUPS = {
    "pass": slice(A_PASS, A_PASS + 1),
    "decline": slice(A_DECLINE, A_DECLINE + 1),
    "attacks": slice(A_ATTACK, A_RESPOND),
    "responses": slice(A_RESPOND, A_CARD),
    "cards": slice(A_CARD, A_LEFT),
    "shift_left": slice(A_LEFT, A_RIGHT),
    "shift_right": slice(A_RIGHT, A_RETURN),
    "return": slice(A_RETURN, NUM_ACTIONS),
}
_ROWS = {
    "attacks": "my_cards",
    "responses": "my_cards",
    "cards": "my_cards",
    "shift_left": "sequence",
    "shift_right": "sequence",
    "return": "sequence",
}
ACTIONS = Actions(_NAMES, _GROUPS, _ROWS)


@njit
def speed_to_beat(s: State, t: Table) -> Any:
    """The Speed, in tens, that the next attack needs (rules FS-B2, G-1)."""
    if t.speed_reference_last_built:
        return np.int64(s.speed)
    if s.slots == 0:
        return np.int64(0)
    i = s.slots - 1
    if s.slot_mode[i] == S.RESPONSE:
        return np.int64(0)
    return np.int64(t.speed[s.slot_owner[i], s.slot_card[i]])


@njit
def can_build(s: State, t: Table) -> Flag:
    """Whether there is room and time for another Action (FS-B6, G-4, G-16)."""
    return s.slots < S.SLOTS and not s.closed and s.turns < t.build_turns and s.hand_size[s.to_play] > 0


@njit
def may_shift(s: State, t: Table, slot: Slot, step: Number) -> Flag:
    """Whether the Action that acts may shift that slot by `step`, -1 or 1 (FS-E2, G-15)."""
    if not 0 <= slot + step < s.slots:
        return False
    reach = t.effect[s.acting[0], s.acting[2], s.acting[1], 2]
    if abs(slot - s.current) > reach:
        return False
    return slot != s.current or s.phase != S.PH_RESOLVE or t.timed_shift_itself == 1


@njit
def may_return(s: State, t: Table, slot: Slot) -> Flag:
    """Whether the Action that acts may return that slot (FS-E3, G-3)."""
    if slot == s.current and not t.return_itself:
        return False
    what = t.effect[s.acting[0], s.acting[2], s.acting[1], 2]
    return what == S.ANY or what == s.slot_mode[slot] + 1


@njit
def has_use(s: State, t: Table, p: Player) -> Flag:
    """Whether player `p` holds a card that may be built, as an attack or as a response."""
    for c in range(t.cards[p]):
        if s.hand[p, c] > 0 and (t.may_build[p, S.ATTACK, c] or t.may_build[p, S.RESPONSE, c]):
            return True
    return False


@njit
def has_target(s: State, t: Table, code: Kind) -> Flag:
    """Whether the effect of the Action that acts has a target."""
    for slot in range(s.slots):
        if code == S.X_SHIFT:
            if may_shift(s, t, slot, -1) or may_shift(s, t, slot, 1):
                return True
        elif code == S.X_RETURN and may_return(s, t, slot):
            return True
    return False


@njit
def legal(s: State, t: Table, mask: Mask) -> None:
    """The legal actions of the present decision."""
    fill(s, t, mask)


@njit
def fill(s: State, t: Table, mask: Mask) -> Any:
    """As `legal`; returns the legal action if there is only one, else -1."""
    mask[:] = False
    count = 0
    only = -1
    p = s.to_play
    if s.decision == S.D_BUILD:
        if not can_build(s, t):
            mask[A_PASS] = True
            return A_PASS
        # Without branches and over all possible cards, so that the compiler handles many of them at once.
        hand, may, speeds, speed = s.hand[p], t.may_build[p], t.speed[p], speed_to_beat(s, t)
        attacks, responses = mask[A_ATTACK:A_RESPOND], mask[A_RESPOND:A_CARD]
        for c in range(S.CARDS):
            responses[c] = (hand[c] > 0) & (may[S.RESPONSE, c] > 0)
        for c in range(S.CARDS):
            attacks[c] = (hand[c] > 0) & (may[S.ATTACK, c] > 0) & (speeds[c] >= speed)
        if s.turns > 0:
            mask[A_PASS] = True
        if not t.restricted[p]:
            return -1  # a response or a pass; in the first turn a response or an attack, as there is no Speed to beat
        for action in range(A_ATTACK, A_CARD):
            if mask[action]:
                count += 1
                only = action
        if count == 0:
            mask[A_PASS] = True
        if mask[A_PASS]:
            count += 1
            only = A_PASS
    elif s.decision == S.D_SHIFT:
        for slot in range(s.slots):
            if may_shift(s, t, slot, -1):
                mask[A_LEFT + slot] = True
                count += 1
                only = A_LEFT + slot
            if may_shift(s, t, slot, 1):
                mask[A_RIGHT + slot] = True
                count += 1
                only = A_RIGHT + slot
    elif s.decision == S.D_RETURN:
        for slot in range(s.slots):
            if may_return(s, t, slot):
                mask[A_RETURN + slot] = True
                count += 1
                only = A_RETURN + slot
        if t.return_optional:
            mask[A_DECLINE] = True
            count += 1
    elif s.decision == S.D_WILLPOWER:
        for c in range(t.cards[p]):
            if s.hand[p, c] and t.willpower[p, c]:
                mask[A_CARD + c] = True
        mask[A_DECLINE] = True
        return -1
    elif s.decision == S.D_PUT_BACK:
        for c in range(t.cards[p]):
            if s.hand[p, c]:
                mask[A_CARD + c] = True
                count += 1
                only = A_CARD + c
    return only if count == 1 else -1
