"""The interpreter of effects: it runs programs in frames, one part at a time, up to the next choice.

Programs are rows of `TABLES.code`; state.py lists the operations, and docs/arts_of_war/card_files.md says what they mean. `run` executes
the last frame until it needs a choice (`s.decision` is set), something triggers, or it is done.
"""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.rng import below
from react_env.engine.terms import Flag, Frame, Kind, Number, Player, Row, State, Table, Unit, Zone
from react_env.games.arts_of_war import board, log
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.masterpiece import descend, empty_slots, placed_count, unplaced_count


@njit
def push_frame(s: State, kind: Kind, p: Player, pc: Row, me: Unit) -> Any:
    """Begin a program for player `p` and return its frame number. All variables except `me` are empty."""
    f = s.frames
    s.frame[f].pc = pc
    s.frame[f].player = p
    s.frame[f].kind = kind
    s.frame[f].base = s.waiting
    s.frame[f].loop = 0
    for r in range(S.REGS):
        s.frame[f].regs[r] = S.EMPTY
    s.frame[f].regs[S.R_ME] = me
    s.frames += 1
    return f


@njit
def pop_frame(s: State) -> None:
    """End the last frame. Everything above the stack is zero, so that equal positions have equal bytes."""
    f = s.frames - 1
    end_loop(s, f)
    s.frames = f
    s.frame[f].pc = 0
    s.frame[f].player = 0
    s.frame[f].kind = 0
    s.frame[f].base = 0
    for r in range(S.REGS):
        s.frame[f].regs[r] = 0
    if triggers_running(s) == 0:
        s.set_off = 0


@njit
def triggers_running(s: State) -> Number:
    """How many triggers run inside one another. Every frame is one, except perhaps the first, and the last while it is a progress."""
    return 0 if s.frames == 0 else s.frames - np.int64(s.frame[0].kind != S.F_TRIGGER)


@njit
def wait(s: State, owner: Player, unit: Unit, here: Zone, what: Kind) -> None:
    """Queue a trigger ahead of all that wait already."""
    board.queue(s, owner, unit, here, what)
    s.waiting += s.pending
    s.pending = 0


@njit
def turn_comes(s: State, t: Table, trigger: Number) -> Number:
    """The sort key of a trigger among those of one moment; the lowest runs first (AW-C16)."""
    # By owner and zone (or by zone and owner), then passives before tokens before tiles, each in file order.
    other = 0 if board.owner_of(trigger) == s.turn_player else 1
    zone = board.zone_of(trigger) + 1
    if t.trigger_order_zones:
        return (zone * 2 + other) * S.SOURCES + board.what_of(trigger)
    return (other * 2 * S.ZONES + zone) * S.SOURCES + board.what_of(trigger)


@njit
def order_triggers(s: State, t: Table) -> None:
    """Sort what one moment has triggered so that the next to run is last; of equals, the one queued first runs first."""
    first = s.waiting
    s.waiting += s.pending
    s.pending = 0
    for i in range(first + 1, s.waiting):
        turn = turn_comes(s, t, s.trigger[i])
        j = i
        while j > first and turn_comes(s, t, s.trigger[j - 1]) <= turn:
            s.trigger[j], s.trigger[j - 1] = s.trigger[j - 1], s.trigger[j]
            j -= 1


@njit
def trigger_is_next(s: State) -> Flag:
    """Whether a waiting trigger must run before the last frame goes on."""
    return s.waiting > (0 if s.frames == 0 else s.frame[s.frames - 1].base)


@njit
def program_of(t: Table, p: Player, what: Kind) -> Row:
    """The first row of the program that a trigger of player `p` runs; -1 if it runs nothing."""
    if what < S.SRC_TOKEN:
        return t.trigger_code[p, what - S.SRC_PASSIVE]
    if what < S.SRC_TILE:
        return t.token_code[p, what - S.SRC_TOKEN]
    if what < S.SRC_ASCENSION:
        return t.tile_code[p, what - S.SRC_TILE]
    if what < S.SRC_CUE:
        return t.ascend_code[p, what - S.SRC_ASCENSION]
    return t.tile_cue[p, what - S.SRC_CUE]


@njit
def begin_trigger(s: State, t: Table) -> None:
    """Begin the next trigger, unless it nests too deep, too many have been set off in one go, or its loops lack room (AW-C6a)."""
    s.waiting -= 1
    trigger = s.trigger[s.waiting]
    s.trigger[s.waiting] = 0
    p, unit, here, what = (
        board.owner_of(trigger),
        board.unit_of(trigger),
        board.zone_of(trigger),
        board.what_of(trigger),
    )
    if here == S.GONE:  # the tile has left its zone and does not follow the cue
        return
    limit = np.int64(t.trigger_limit)
    deep = triggers_running(s)
    if deep >= limit or s.set_off >= limit * limit or s.visits > S.VISITS - S.UNITS:
        log.emit(s, log.E_LEFT_OUT, p, what)
        return
    log.emit(s, log.E_TRIGGER, p, what, deep + 1)
    f = push_frame(s, S.F_TRIGGER, p, program_of(t, p, what), p * S.SLOTS)
    s.set_off += 1
    s.frame[f].regs[S.R_UNIT] = s.zone_unit[here] if what >= S.SRC_CUE else unit
    s.frame[f].regs[S.R_ZONE] = here
    tile = what - S.SRC_CUE if what >= S.SRC_CUE else what - S.SRC_TILE
    if 0 <= tile < S.TILES and t.tile_directed[p, tile] and s.zone_tile[here] == p * S.TILES + tile:
        s.frame[f].regs[S.R_WAY] = s.zone_way[here]


@njit
def give_cue(s: State, p: Player) -> None:
    """Queue the tiles of player `p` that wait for a cue, to run in the order in which they were laid."""
    for i in range(s.plan_size[p] - 1, -1, -1):
        z = s.plan[p, i]
        wait(s, p, S.EMPTY, z, S.SRC_CUE + s.zone_tile[z] % S.TILES)


@njit
def show_counter(s: State, p: Player, k: Kind) -> None:
    """Log the new value of a counter."""
    log.emit(s, log.E_COUNTER, p, k, s.counter[p, k])


@njit
def sort_dice(s: State, t: Table, p: Player) -> None:
    """Lay the dice of player `p` in order, lowest first."""
    for i in range(1, t.dice[p]):
        face = s.dice[p, i]
        j = i
        while j > 0 and s.dice[p, j - 1] > face:
            s.dice[p, j] = s.dice[p, j - 1]
            j -= 1
        s.dice[p, j] = face


@njit
def gain(s: State, t: Table, p: Player, k: Kind, count: Number) -> None:
    """Raise a counter by `count` (0: to its highest). Of dice, the lowest goes up by 1 that many times (card_files.md, Dice)."""
    room = t.counter_most[p, k] - s.counter[p, k]
    n = np.int64(room if count == 0 or count > room else count)
    s.counter[p, k] += n
    if t.dice_counter[p] == k:
        for _ in range(n):
            s.dice[p, 0] += 1
            sort_dice(s, t, p)


@njit
def spend(s: State, t: Table, p: Player, k: Kind, count: Number) -> None:
    """Lower a counter by `count` (0: to 0). Of dice, the lowest that shows more than 0 pays first."""
    n = np.int64(s.counter[p, k] if count == 0 or count > s.counter[p, k] else count)
    s.counter[p, k] -= n
    if t.dice_counter[p] == k:
        for i in range(t.dice[p]):
            paid = min(n, np.int64(s.dice[p, i]))
            s.dice[p, i] -= paid
            n -= paid
        sort_dice(s, t, p)


@njit
def roll(s: State, t: Table, p: Player) -> None:
    """Roll the lowest die."""
    k = t.dice_counter[p]
    face = below(s, np.int64(t.dice_sides[p])) + 1
    s.counter[p, k] += face - s.dice[p, 0]
    s.dice[p, 0] = face
    sort_dice(s, t, p)
    log.emit(s, log.E_ROLL, p, face, s.counter[p, k])


@njit
def laid_face_down(s: State, p: Player) -> Number:
    """How many cards of player `p` lie face down on the chain."""
    n = 0
    for i in range(S.CHAIN):
        if s.face_down[i] >= 0 and s.face_down_player[i] == p:
            n += 1
    return n


@njit
def draw(s: State, t: Table, p: Player) -> None:
    """Draw one card (AW-T3 to AW-T5); cards that lie face down count as held."""
    if not t.has_deck[p]:
        return
    below = laid_face_down(s, p) if t.face_down_most[p] else 0
    held = below
    for c in range(S.ACTIONS_CARDS):
        held += s.hand[p, c]
    if held >= S.HAND and (t.full_hand_spares_deck_out or s.deck_size[p] > 0):
        log.emit(s, log.E_DRAW, p, 1)
    elif s.deck_size[p] == 0:
        log.emit(s, log.E_DRAW, p, 2)
        board.settle(s, p)
    else:
        s.deck_size[p] -= 1
        n = s.deck_size[p]
        s.hand[p, s.deck[p, n]] += 1
        s.deck[p, n] = 0
        if below:
            s.fresh[p] += 1
        log.emit(s, log.E_DRAW, p)


@njit
def count_matches(s: State, t: Table, f: Frame, p: Player, sel: Row, enough: Number) -> Number:
    """How many units or zones match a selection, counted up to `enough`."""
    row = t.sels[sel]
    n = 0
    if row[0] == 1:
        for z in range(t.zones):
            if board.zone_matches(s, t, f, p, row, z):
                n += 1
                if n >= enough:
                    return n
    else:
        for u in range(S.UNITS):
            if board.unit_matches(s, t, f, p, row, u):
                n += 1
                if n >= enough:
                    return n
    return n


@njit
def holds(s: State, t: Table, f: Frame, p: Player, op: Row) -> Any:
    """Whether the condition of an OP_IF or OP_REQUIRE row holds; it does not if its variable is empty."""
    if op[1] == S.I_COUNT:
        return count_matches(s, t, f, p, op[3], op[2]) >= op[2]
    if op[1] == S.I_COUNTER:
        return s.counter[p, op[2]] >= op[3]
    if op[1] == S.I_ASCENDED:
        return s.ascended[p] == op[2]
    if op[1] == S.I_FORM:
        return s.form[p] == op[2]
    row = t.sels[op[3]]
    if row[0] == 1:
        z = board.place_of(s, f, op[2])
        return z >= 0 and board.zone_matches(s, t, f, p, row, z)
    u = s.frame[f].regs[op[2]]
    return u >= 0 and board.unit_matches(s, t, f, p, row, u)


@njit
def begin_loop(s: State, t: Table, f: Frame, p: Player, op: Row) -> None:
    """List the units that a for_each will visit, in order: by zone, or by distance and then zone, as they stand now."""
    end_loop(s, f)
    origin = -1
    if op[3]:
        origin = board.place_of(s, f, op[4])
        if origin < 0:
            return
    loop = np.int64(0)
    for u in range(S.UNITS):
        if board.unit_matches(s, t, f, p, t.sels[op[2]], u):
            loop |= board.ONE << u
    while loop:  # the last to be visited first: the next one must lie on top
        best = -1
        best_key: Any = 0
        for u in range(S.UNITS):
            if loop >> u & board.ONE:
                z = s.unit_zone[u]
                key = np.int64(z)
                if op[3]:
                    d = np.int64(t.distance[z, origin])
                    key += S.ZONES * (d if op[3] == 1 else S.ZONES - d)
                if best < 0 or key > best_key:
                    best, best_key = u, key
        loop &= ~(board.ONE << best)
        s.visit[s.visits] = best
        s.visits += 1
        s.frame[f].loop += 1


@njit
def next_in_loop(s: State, f: Frame) -> Any:
    """Take the next unit that is still on the board out of the loop of frame `f`; EMPTY if none is left."""
    u = np.int64(S.GONE)
    while s.frame[f].loop and u == S.GONE:
        s.frame[f].loop -= 1
        s.visits -= 1
        u = np.int64(s.visit[s.visits])
        s.visit[s.visits] = 0
    return u if u >= 0 else S.EMPTY


@njit
def end_loop(s: State, f: Frame) -> None:
    """Drop the units that the loop of frame `f` has yet to visit."""
    while next_in_loop(s, f) >= 0:
        pass


@njit
def begin_progress(s: State, t: Table) -> None:
    """Ask for the first decision of a progress, or end it if nothing can be done (AW-M2 to AW-M4)."""
    p = s.frame[s.frames - 1].player
    if unplaced_count(s, p) > 0:
        s.to_play = p
        s.decision = S.D_PART
    elif placed_count(s, p) == S.PARTS:
        s.to_play = p
        s.decision = S.D_SWAP_FIRST
    else:
        pop_frame(s)


@njit
def part_may_be_declined(s: State) -> Flag:
    """Whether placing a masterpiece card would replace one, which is optional (AW-M3)."""
    return empty_slots(s) == 0


@njit
def run_part(s: State, t: Table, f: Frame) -> None:
    """Execute the next part of frame `f` (not OP_END), or set `s.decision` if it asks the player to choose."""
    op = t.code[s.frame[f].pc]
    code = op[0]
    p = s.frame[f].player
    regs = s.frame[f].regs
    s.frame[f].pc += 1
    if code == S.OP_CHOOSE_UNIT:
        s.decision = S.D_UNIT
    elif code == S.OP_CHOOSE_ZONE:
        s.decision = S.D_ZONE
    elif code == S.OP_CHOOSE_WAY:
        s.decision = S.D_DIRECTION
    elif code == S.OP_BRANCH:
        s.decision = S.D_BRANCH
    elif code == S.OP_MAY:
        s.decision = S.D_MAY
    elif code == S.OP_DISCARD:
        s.decision = S.D_DISCARD
    elif code == S.OP_JUMP:
        s.frame[f].pc = op[1]
    elif code == S.OP_LET:
        regs[op[1]] = board.place_of(s, f, op[2])
    elif code == S.OP_MOVE or code == S.OP_LEAP:
        u = regs[op[1]]
        if u >= 0:
            way: Any = np.int64(regs[S.R_WAY])
            if op[2] != S.W_REG:
                way = -1
                other = board.place_of(s, f, op[3])
                if other >= 0:
                    if op[2] == S.W_TOWARD:
                        way = board.way_between(t, s.unit_zone[u], other)
                    else:
                        way = board.way_between(t, other, s.unit_zone[u])
            if way >= 0:
                if code == S.OP_MOVE:
                    board.move(s, t, u, way)
                else:
                    board.jump(s, t, u, way)
    elif code == S.OP_SWAP:
        if regs[op[1]] >= 0 and regs[op[2]] >= 0:
            board.swap(s, t, regs[op[1]], regs[op[2]])
    elif code == S.OP_DAMAGE:
        if op[2] >= 0:
            board.damage_selection(s, t, f, p, op[2])
        else:
            z = board.place_of(s, f, op[1])
            if z >= 0:
                board.hit_zone(s, t, p, z)
    elif code == S.OP_SUMMON:
        z = board.place_of(s, f, op[2])
        if z >= 0:
            board.summon(s, t, p, op[1], z)
    elif code == S.OP_REMOVE:
        u = regs[op[1]]
        if u >= 0 and u % S.SLOTS != 0:
            board.remove_unit(s, t, u)
    elif code == S.OP_SACRIFICE:
        z = board.place_of(s, f, op[1])
        if z >= 0 and s.zone_unit[z] >= 0 and s.zone_unit[z] % S.SLOTS != 0:
            board.remove_unit(s, t, s.zone_unit[z])
    elif code == S.OP_EXHAUST or code == S.OP_REFRESH:
        u = regs[op[1]]
        if u >= 0:
            board.set_exhausted(s, u, 1 if code == S.OP_EXHAUST else 0)
    elif code == S.OP_ADD_TOKEN or code == S.OP_REMOVE_TOKEN:
        z = board.place_of(s, f, op[2])
        if z >= 0:
            if code == S.OP_ADD_TOKEN:
                board.add_token(s, t, p, op[1], regs[op[2]], z)
            else:
                board.remove_tokens(s, t, p, op[1], regs[op[2]], z, op[3])
    elif code == S.OP_PLACE_TILE:
        z = board.place_of(s, f, op[2])
        if z >= 0:
            if op[3] == 0:
                board.place_tile(s, t, p, op[1], z, np.int64(-1))
            elif regs[S.R_WAY] >= 0:
                board.place_tile(s, t, p, op[1], z, np.int64(regs[S.R_WAY]))
    elif code == S.OP_MOVE_TILE:
        a, b = board.place_of(s, f, op[1]), board.place_of(s, f, op[2])
        if a >= 0 and b >= 0:
            board.move_tile(s, p, a, b)
    elif code == S.OP_REMOVE_TILE:
        z = board.place_of(s, f, op[1])
        if z >= 0:
            board.remove_tile(s, p, z)
    elif code == S.OP_DRAW:
        for _ in range(op[1]):
            if not s.over:
                draw(s, t, p)
    elif code == S.OP_GAIN or code == S.OP_SPEND:
        before = s.counter[p, op[1]]
        if code == S.OP_GAIN:
            gain(s, t, p, op[1], op[2])
        else:
            spend(s, t, p, op[1], op[2])
        if s.counter[p, op[1]] != before:
            show_counter(s, p, op[1])
    elif code == S.OP_ROLL:
        for _ in range(op[1]):
            roll(s, t, p)
    elif code == S.OP_CUE:
        give_cue(s, p)
    elif code == S.OP_DEFEAT:
        board.settle(s, p)
    elif code == S.OP_PROGRESS:
        push_frame(s, S.F_PROGRESS, p, 0, S.EMPTY)
        begin_progress(s, t)
    elif code == S.OP_DESCEND:
        descend(s, t, p)
    elif code == S.OP_IF:
        if not holds(s, t, f, p, op):
            s.frame[f].pc = op[5]
    elif code == S.OP_FOR:
        begin_loop(s, t, f, p, op)
    elif code == S.OP_NEXT:
        u = next_in_loop(s, f)
        regs[op[1]] = u
        if u < 0:
            s.frame[f].pc = op[5]
    if s.decision:
        s.to_play = p
    elif t.loss_check_part and not s.over:
        board.settle(s, S.EMPTY)


@njit
def run(s: State, t: Table) -> Any:
    """Run the last frame until a choice is due, a trigger waits, the game is over or the frame ends. Returns True only if it ended."""
    f = s.frames - 1
    waiting = s.waiting
    while t.code[s.frame[f].pc][0] != S.OP_END:
        run_part(s, t, f)
        if s.decision or s.pending or s.over or s.frames != f + 1 or s.waiting != waiting:
            return False
    return True
