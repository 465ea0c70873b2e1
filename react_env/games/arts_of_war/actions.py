"""Action ids and the legal mask (docs/arts_of_war/decisions.md). Ids are in own view: player 1 sees the board turned by 180 degrees."""

from typing import Any

from react_env.engine.compile import njit
from react_env.engine.rules import Actions
from react_env.engine.terms import Flag, Mask, Player, State, Table, Unit, Way, Zone
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.board import unit_matches, zone_matches
from react_env.games.arts_of_war.chain import (
    card_is_playable,
    effect_is_playable,
    hand_size,
    kind_in_play,
    may_lay,
    user_can_play,
)
from react_env.games.arts_of_war.effects import part_may_be_declined
from react_env.games.arts_of_war.masterpiece import is_placed, own_slot

A_END_TURN = 0
A_PASS = 1
A_DECLINE = 2
A_INTENTION = 3
A_REACTION = A_INTENTION + S.CARDS
A_DIRECTION = A_REACTION + S.CARDS
A_OPTION = A_DIRECTION + 4
OPTIONS = 8
A_SLOT = A_OPTION + OPTIONS
A_UNIT = A_SLOT + S.ROW
A_ZONE = A_UNIT + S.UNITS
A_FACE_DOWN = A_ZONE + S.ZONES
NUM_ACTIONS = A_FACE_DOWN + S.ACTIONS_CARDS


def _cards(kind: str) -> list[str]:
    return [f"{kind}: action card {i + 1}" for i in range(S.ACTIONS_CARDS)] + [
        f"{kind}: ability card {i + 1}" for i in range(S.ABILITIES)
    ]


_NAMES = (
    "end turn",
    "pass",
    "decline",
    *_cards("intention"),
    *_cards("reaction"),
    *(f"direction {way}" for way in ("forward", "right", "back", "left")),
    *(f"option {i + 1}" for i in range(OPTIONS)),
    *(f"slot {i + 1}" for i in range(S.ROW)),
    *(f"own unit {i + 1}" for i in range(S.SLOTS)),
    *(f"their unit {i + 1}" for i in range(S.SLOTS)),
    *(f"zone {'abcde'[i % 5]}{i // 5 + 1}" for i in range(S.ZONES)),
    *(f"face down: action card {i + 1}" for i in range(S.ACTIONS_CARDS)),
)

_GROUPS = {
    "end turn": slice(A_END_TURN, A_END_TURN + 1),
    "pass": slice(A_PASS, A_PASS + 1),
    "decline": slice(A_DECLINE, A_DECLINE + 1),
    "intentions": slice(A_INTENTION, A_REACTION),
    "reactions": slice(A_REACTION, A_DIRECTION),
    "directions": slice(A_DIRECTION, A_OPTION),
    "options": slice(A_OPTION, A_SLOT),
    "slots": slice(A_SLOT, A_UNIT),
    "units": slice(A_UNIT, A_ZONE),
    "zones": slice(A_ZONE, A_FACE_DOWN),
    "face down": slice(A_FACE_DOWN, NUM_ACTIONS),
}
# Actions are described by what their card is and does, so that a network carries over from one artist to another.
_ROWS = {"intentions": "cards", "reactions": "cards", "directions": "ways", "units": "units", "zones": "board"}
ACTIONS = Actions(_NAMES, _GROUPS, _ROWS)


@njit
def own_zone(t: Table, p: Player, z: Zone) -> Zone:
    """Zone `z` as player `p` sees it (its own inverse)."""
    return z if p == 0 else t.zones - 1 - z


@njit
def own_way(p: Player, way: Way) -> Any:
    """Direction `way` as player `p` sees it (its own inverse)."""
    return way if p == 0 else (way + 2) % 4


@njit
def own_unit(p: Player, u: Unit) -> Unit:
    """Unit `u` as player `p` counts it: own units first (its own inverse)."""
    return u if p == 0 else (u + S.SLOTS) % S.UNITS


@njit(noalias=True)
def legal(s: State, t: Table, mask: Mask) -> None:
    """Fill `mask` with the legal actions of the present decision."""
    fill(s, t, mask)


@njit
def can_begin(s: State, t: Table) -> Flag:
    """Whether the player to move can do anything in the main phase other than end the turn."""
    p = s.to_play
    for c in range(S.CARDS):
        if t.card_exists[p, c] and card_is_playable(s, t, p, c, S.INTENTION):
            return True
    if t.face_down_most[p]:
        for c in range(S.ACTIONS_CARDS):
            if may_lay(s, t, p, c):
                return True
    return False


@njit(noalias=True)
def fill(s: State, t: Table, mask: Mask) -> Any:
    """Fill `mask` (bool, NUM_ACTIONS) with what the player to move may do, and return the number of legal actions.

    0 means that a choice of a unit, a zone or a card has no candidate and must be skipped.
    """
    mask[:] = False
    p = s.to_play
    decision = s.decision
    n = 0
    if decision == S.D_MAIN or decision == S.D_REACT:
        first = A_INTENTION if decision == S.D_MAIN else A_REACTION
        kind = S.INTENTION if decision == S.D_MAIN else S.REACTION
        mask[A_END_TURN if decision == S.D_MAIN else A_PASS] = True
        n = 1
        for c in range(S.CARDS):
            if t.card_exists[p, c] and card_is_playable(s, t, p, c, kind):
                mask[first + c] = True
                n += 1
        if t.face_down_most[p]:
            for c in range(S.ACTIONS_CARDS):
                if may_lay(s, t, p, c):
                    mask[A_FACE_DOWN + c] = True
                    n += 1
    elif decision == S.D_CHAIN_SLOT:
        for i in range(s.chain_size + 1, S.CHAIN):
            if s.face_down[i] < 0:
                mask[A_SLOT + i] = True
                n += 1
    elif decision == S.D_ZONE:
        f = s.frames - 1
        op = t.code[s.frame[f].pc - 1]
        sel = t.sels[op[2]]
        for z in range(t.zones):
            if zone_matches(s, t, f, p, sel, z):
                mask[A_ZONE + own_zone(t, p, z)] = True
                n += 1
        if n and op[3]:
            mask[A_DECLINE] = True
            n += 1
    elif decision == S.D_UNIT:
        f = s.frames - 1
        op = t.code[s.frame[f].pc - 1]
        sel = t.sels[op[2]]
        for u in range(S.UNITS):
            if unit_matches(s, t, f, p, sel, u):
                mask[A_UNIT + own_unit(p, u)] = True
                n += 1
        if n and op[3]:
            mask[A_DECLINE] = True
            n += 1
    elif decision == S.D_DIRECTION:
        for way in range(4):
            mask[A_DIRECTION + way] = True
        n = 4
    elif decision == S.D_EFFECT:
        i = s.chain_size - 1
        c = s.chain[i].card
        spare = hand_size(s, p)
        for j in range(S.EFFECTS_OF_CARD):
            row = t.card_effects[p, c, j]
            if row >= 0 and effect_is_playable(s, t, p, c, row, kind_in_play(s), spare):
                mask[A_OPTION + t.effect_number[row]] = True
                n += 1
    elif decision == S.D_USER:
        i = s.chain_size - 1
        spare = hand_size(s, p)
        for slot in range(1, S.SLOTS):
            if user_can_play(s, t, p, s.chain[i].card, s.chain[i].effect, p * S.SLOTS + slot, spare):
                mask[A_UNIT + slot] = True
                n += 1
    elif decision == S.D_BRANCH:
        n = int(t.code[s.frame[s.frames - 1].pc - 1][1])
        for i in range(n):
            mask[A_OPTION + i] = True
    elif decision == S.D_MAY:
        mask[A_OPTION] = True
        mask[A_DECLINE] = True
        n = 2
    elif decision == S.D_DISCARD:
        for c in range(S.ACTIONS_CARDS):
            if s.hand[p, c]:
                mask[A_OPTION + c] = True
                n += 1
    elif decision == S.D_PART:
        for part in range(S.PARTS):
            if not s.lost_part[p, part] and not is_placed(s, p, part):
                mask[A_OPTION + part] = True
                n += 1
        if part_may_be_declined(s):
            mask[A_DECLINE] = True
            n += 1
    elif decision == S.D_SLOT:
        full = part_may_be_declined(s)
        for slot in range(S.ROW):
            if s.row[slot] < 0 or (full and s.row[slot] // S.PARTS != p):
                mask[A_SLOT + own_slot(t, p, slot)] = True
                n += 1
    elif decision == S.D_SWAP_FIRST:
        for slot in range(S.ROW):
            if s.row[slot] >= 0:
                mask[A_SLOT + own_slot(t, p, slot)] = True
                n += 1
        mask[A_DECLINE] = True
        n += 1
    elif decision == S.D_SWAP_SECOND:
        first = s.frame[s.frames - 1].regs[S.R_FIRST]
        for slot in range(S.ROW):
            if slot != first:
                mask[A_SLOT + own_slot(t, p, slot)] = True
                n += 1
    return n
