"""The React Chain: what may be played, how it is played, and how the chain resolves (rules AW-C1 to AW-C15)."""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.terms import Card, Flag, Kind, Number, Player, Row, State, Table, Unit
from react_env.games.arts_of_war import log
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.effects import count_matches, holds, laid_face_down, push_frame


@njit
def depends_on_choice(sel: Row) -> Flag:
    """Whether a selection in a cost refers to an earlier choice of that cost; such a selection always has a candidate (`Program.locks`)."""
    return sel[S.S_ADJACENT] > S.R_ME or sel[S.S_WITHIN] > S.R_ME or sel[S.S_OTHER] > S.R_ME


@njit
def cost_is_payable(s: State, t: Table, p: Player, row: Row, me: Unit, spare: Number) -> Flag:
    """Whether the cost of effect `row` can be paid with unit `me` and `spare` other cards in hand (AW-C2)."""
    f = S.SCRATCH
    regs = s.frame[f].regs
    pc = t.effect_cost[row]
    payable = True
    regs[S.R_ME] = me
    while payable:
        op = t.code[pc]
        if op[0] == S.OP_END:
            break
        if op[0] == S.OP_EXHAUST:
            payable = me >= 0 and s.unit_zone[me] >= 0 and s.unit_exhausted[me] == 0
        elif op[0] == S.OP_DISCARD:
            payable = spare > 0
            spare -= 1
        elif op[0] == S.OP_CHOOSE_UNIT or op[0] == S.OP_CHOOSE_ZONE:
            payable = depends_on_choice(t.sels[op[2]]) or count_matches(s, t, f, p, op[2], 1) > 0
        elif op[0] == S.OP_SPEND:
            payable = s.counter[p, op[1]] >= op[2]
        elif op[0] == S.OP_REQUIRE:
            payable = holds(s, t, f, p, op)
        pc += 1
    regs[S.R_ME] = 0
    return payable


@njit
def user_can_play(s: State, t: Table, p: Player, c: Card, row: Row, u: Unit, spare: Number) -> Flag:
    """Whether unit `u` is of the kind that uses card `c` and can use its effect `row` now (AW-C13)."""
    if t.slot_kind[p, u % S.SLOTS] != t.card_kind[p, c] or s.unit_zone[u] < 0:
        return False
    if not t.shared_ability_card and t.ability_once_per_chain:
        for i in range(s.chain_size):
            if s.chain[i].player == p and s.chain[i].card == c and s.chain[i].regs[S.R_ME] == u:
                return False
    return cost_is_payable(s, t, p, row, u, spare)


@njit
def is_on_side(s: State, t: Table, p: Player, row: Row) -> Flag:
    """Whether effect `row` is on the side of its card that is face up."""
    return t.effect_side[row] >> np.int64(2 * s.form[p] + s.ascended[p]) & 1 == 1


@njit
def effect_is_playable(s: State, t: Table, p: Player, c: Card, row: Row, kind: Kind, spare: Number) -> Flag:
    """Whether effect `row` of card `c` is of `kind`, on the side that is face up, and can be paid for."""
    if t.effect_kind[row] != kind:
        return False
    if not is_on_side(s, t, p, row):
        return False
    k = t.card_kind[p, c]
    if k <= 0:
        return cost_is_payable(s, t, p, row, p * S.SLOTS if k == 0 else S.EMPTY, spare)
    for slot in range(1, S.SLOTS):
        if user_can_play(s, t, p, c, row, p * S.SLOTS + slot, spare):
            return True
    return False


@njit
def hand_size(s: State, p: Player) -> Number:
    """How many action cards player `p` holds."""
    n = 0
    for c in range(S.ACTIONS_CARDS):
        n += s.hand[p, c]
    return n


@njit
def card_is_playable(s: State, t: Table, p: Player, c: Card, kind: Kind) -> Flag:
    """Whether player `p` may play card `c` as an Intention or as a Reaction now (AW-C1, AW-C2, AW-C12)."""
    if kind == S.REACTION and t.card_reacts[p, c] == 0:
        return False
    if c < S.ACTIONS_CARDS:
        if s.hand[p, c] == 0:
            return False
    elif t.ability_once_per_chain and (t.shared_ability_card or t.card_kind[p, c] <= 0):
        for i in range(s.chain_size):
            if s.chain[i].player == p and s.chain[i].card == c:
                return False
    spare = hand_size(s, p) - (c < S.ACTIONS_CARDS)
    for i in range(S.EFFECTS_OF_CARD):
        row = t.card_effects[p, c, i]
        if row < 0:
            return False
        if effect_is_playable(s, t, p, c, row, kind, spare):
            return True
    return False


@njit
def known(s: State, t: Table, p: Player, c: Card) -> Number:
    """How many copies of action card `c` all know player `p` to hold: 1 after a public opening hand, until one leaves the hand (AW-S3)."""
    if not t.first_game_hand or not t.has_deck[p] or s.phase == S.PH_DEAL or s.discard[p, c]:
        return 0
    for i in range(s.chain_size):
        if s.chain[i].player == p and s.chain[i].card == c:
            return 0
    return 1


@njit
def may_lay(s: State, t: Table, p: Player, c: Card) -> Flag:
    """Whether player `p` may lay action card `c` face down on the chain now (card_files.md, Face-down cards)."""
    if not t.card_reacts[p, c] or s.hand[p, c] == 0 or laid_face_down(s, p) >= t.face_down_most[p]:
        return False
    for i in range(s.chain_size + 1, S.CHAIN):
        if s.face_down[i] < 0:
            return True
    return False


@njit
def lay_face_down(s: State, p: Player, c: Card, i: Number) -> None:
    """Lay action card `c` face down in slot `i`."""
    s.hand[p, c] -= 1
    s.face_down[i] = c
    s.face_down_player[i] = p
    log.emit(s, log.E_FACE_DOWN, p, i, more=1)


@njit
def lift(s: State, i: Number) -> Any:
    """Take the face-down card in slot `i` off the chain and return its number."""
    c = s.face_down[i]
    s.face_down[i] = -1
    s.face_down_player[i] = 0
    return c


@njit
def take_back(s: State, t: Table) -> None:
    """Return the cards that still lie face down to the hands; it stays known that they have a Reaction."""
    for p in range(S.PLAYERS):
        reactions = laid_face_down(s, p)
        for c in range(S.ACTIONS_CARDS):
            if t.card_reacts[p, c]:
                reactions -= known(s, t, p, c)
        s.known_reactions[p] = max(reactions, s.known_reactions[p])
        s.fresh[p] = 0
    for i in range(S.CHAIN):
        if s.face_down[i] >= 0:
            p = s.face_down_player[i]
            s.hand[p, lift(s, i)] += 1
            log.emit(s, log.E_TAKE_BACK, p, i)


@njit
def leave_hand(s: State, t: Table, p: Player, c: Card) -> None:
    """Take action card `c` out of the hand, to be put where all can see it."""
    s.hand[p, c] -= 1
    if t.card_reacts[p, c] and s.known_reactions[p] and known(s, t, p, c) == 0:
        s.known_reactions[p] -= 1


@njit
def reveal(s: State, t: Table) -> None:
    """Reveal and play the face-down card in the next slot. If it cannot be played, discard it and open the chain to reactions."""
    i = s.chain_size
    p = np.int64(s.face_down_player[i])
    c = np.int64(lift(s, i))
    log.emit(s, log.E_REVEAL, p, c)
    s.hand[p, c] += 1
    if card_is_playable(s, t, p, c, S.REACTION):
        name_card(s, t, p, c)
    else:
        leave_hand(s, t, p, c)
        s.discard[p, c] += 1
        log.emit(s, log.E_FUTILE, p, c)
        s.phase = S.PH_REACT
        s.to_play = 1 - s.chain[i - 1].player


@njit
def kind_in_play(s: State) -> Any:
    """The kind of effect that is being played: an Intention in the first slot, a Reaction in the others (AW-C1)."""
    return S.INTENTION if s.chain_size == 1 else S.REACTION


@njit
def name_card(s: State, t: Table, p: Player, c: Card) -> None:
    """Put card `c` on the chain; its effect, its user and its cost come next."""
    if c < S.ACTIONS_CARDS:
        leave_hand(s, t, p, c)
    i = s.chain_size
    s.chain[i].player = p
    s.chain[i].card = c
    s.chain[i].effect = -1
    s.chain[i].paid = S.PLAY_NAMED
    for r in range(S.REGS):
        s.chain[i].regs[r] = S.EMPTY
    s.chain_size += 1
    s.phase = S.PH_PLAY


@njit
def declare_effect(s: State, t: Table, row: Row) -> None:
    """Declare which effect of the card is meant (AW-C3)."""
    i = s.chain_size - 1
    s.chain[i].effect = row
    s.chain[i].paid = S.PLAY_DECLARED
    p = s.chain[i].player
    k = t.card_kind[p, s.chain[i].card]
    if k <= 0:
        begin_cost(s, t, p * S.SLOTS if k == 0 else S.EMPTY)


@njit
def begin_cost(s: State, t: Table, me: Unit) -> None:
    """Name the unit that uses the effect, and begin to pay its cost (AW-C2)."""
    i = s.chain_size - 1
    s.chain[i].paid = S.PLAY_PAYING
    s.chain[i].regs[S.R_ME] = me
    push_frame(s, S.F_COST, s.chain[i].player, t.effect_cost[s.chain[i].effect], me)


@njit
def finish_play(s: State, t: Table) -> None:
    """The cost is paid: lock what it chose, and open the chain to reactions or resolve it (AW-C4, AW-C5, AW-C7)."""
    i = s.chain_size - 1
    p = s.chain[i].player
    f = s.frames - 1
    for r in range(S.REGS):
        s.chain[i].regs[r] = s.frame[f].regs[r]
    s.chain[i].paid = S.PLAY_PAID
    regs = s.chain[i].regs
    c = s.chain[i].card
    user = regs[S.R_ME] if t.card_kind[p, c] > 0 else S.EMPTY
    e = s.chain[i].effect
    at = s.unit_zone[user] if user >= 0 else -1
    log.emit(s, log.E_PLAY, p, c, e, user, at, regs[S.R_WAY], t.effect_number[e])
    for r in range(S.R_UNIT, S.R_WAY):
        if regs[r] >= 0:
            if r < S.R_ZONE:
                log.emit(s, log.E_LOCK_UNIT, p, regs[r], s.unit_zone[regs[r]])
            else:
                log.emit(s, log.E_LOCK_ZONE, p, regs[r])
    s.passes = 0
    if s.chain_size == S.CHAIN:
        s.phase = S.PH_RESOLVE
    elif s.face_down[s.chain_size] >= 0:
        s.phase = S.PH_REVEAL
    else:
        s.phase = S.PH_REACT
        s.to_play = 1 - p


@njit
def begin_effect(s: State, t: Table) -> None:
    """Begin to resolve the last card of the chain (AW-C6)."""
    i = s.chain_size - 1
    p = s.chain[i].player
    row = s.chain[i].effect
    log.emit(s, log.E_RESOLVE, p, s.chain[i].card, row)
    me = s.chain[i].regs[S.R_ME]
    f = push_frame(s, S.F_EFFECT, p, t.effect_body[row], me)
    for r in range(S.REGS):
        s.frame[f].regs[r] = s.chain[i].regs[r]
    if t.sourceless_effects_fizzle and me < 0 and t.card_kind[p, s.chain[i].card] >= 0:
        s.frame[f].pc = 0  # row 0 of the code is OP_END: nothing happens (AW-C11)


@njit
def leave_chain(s: State) -> None:
    """Take the card that has resolved off the chain: an action card is discarded, an ability card returns (AW-C12)."""
    i = s.chain_size - 1
    p = s.chain[i].player
    c = s.chain[i].card
    if c < S.ACTIONS_CARDS:
        s.discard[p, c] += 1
    s.chain_size = i
    s.chain[i].player = 0
    s.chain[i].card = 0
    s.chain[i].effect = 0
    s.chain[i].paid = 0
    for r in range(S.REGS):
        s.chain[i].regs[r] = 0
