"""Zones, units, tokens, tiles, damage and the end of the game: rules AW-U1 to AW-U14.

Triggers that these rules set off are queued here (`pending`, on top of those that wait). `effects.py` puts them in order once the
running part is done.
"""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.terms import Flag, Frame, Kind, Number, Player, Row, State, Table, Unit, Way, Zone
from react_env.games.arts_of_war import log
from react_env.games.arts_of_war import state as S

ONE = np.int64(1)


# ---------------------------------------------------------------------------------------------------------------- places and selections


@njit
def place_of(s: State, f: Frame, reg: Number) -> Zone:
    """The zone in register `reg` of frame `f`, or the zone where the unit in it stands; -1 for none."""
    value = s.frame[f].regs[reg]
    if reg < S.UNIT_REGS and value >= 0:
        return s.unit_zone[value]
    return value if value >= 0 else -1


@njit
def in_line(t: Table, a: Zone, b: Zone) -> Flag:
    """Whether two different zones share a row or a column."""
    return a != b and (t.row_of[a] == t.row_of[b] or t.column_of[a] == t.column_of[b])


@njit
def place_matches(s: State, t: Table, f: Frame, sel: Row, z: Zone) -> Any:
    """Whether zone `z` matches the keys of a selection that are about places: adjacent_to, diagonal_to, in_line_with, within."""
    reg = sel[S.S_ADJACENT]
    if reg >= 0:
        other = place_of(s, f, reg)
        if other < 0 or t.distance[z, other] != 1:
            return False
    reg = sel[S.S_IN_LINE]
    if reg >= 0:
        other = place_of(s, f, reg)
        if other < 0 or not in_line(t, z, other):
            return False
    reg = sel[S.S_WITHIN]
    if reg >= 0:
        other = place_of(s, f, reg)
        if other < 0 or t.distance[z, other] > sel[S.S_DISTANCE]:
            return False
    reg = sel[S.S_DIAGONAL]
    if reg >= 0:
        other = place_of(s, f, reg)
        if other < 0 or t.distance[z, other] != 2 or in_line(t, z, other):
            return False
    return True


@njit
def touches(s: State, t: Table, f: Frame, p: Player, sel: Row, z: Zone) -> Any:
    """Whether a unit that matches the key `touching` of a selection stands next to zone `z`."""
    for way in range(4):
        other = t.neighbour[z, way]
        if other >= 0 and s.zone_unit[other] >= 0:
            if unit_itself_matches(s, t, f, p, t.sels[sel[S.S_TOUCHING]], s.zone_unit[other]):
                return True
    return False


@njit
def unit_matches(s: State, t: Table, f: Frame, p: Player, sel: Row, u: Unit) -> Flag:
    """Whether unit `u` is on the board and matches selection row `sel` (UNITS), for an effect of player `p` in frame `f`."""
    if not unit_itself_matches(s, t, f, p, sel, u):
        return False
    return sel[S.S_TOUCHING] < 0 or touches(s, t, f, p, sel, s.unit_zone[u])


@njit
def unit_itself_matches(s: State, t: Table, f: Frame, p: Player, sel: Row, u: Unit) -> Any:
    """`unit_matches` without the key `touching`, which asks this of the neighbours."""
    z = s.unit_zone[u]
    if z < 0:
        return False
    owner = u // S.SLOTS
    side = sel[S.S_SIDE]
    if (side == 1 and owner != p) or (side == 2 and owner == p):
        return False
    want = sel[S.S_KIND]
    if want:
        kind = t.slot_kind[owner, u % S.SLOTS]
        if want == 1:
            if kind != 0:
                return False
        elif want == 2:
            if kind == 0:
                return False
        elif owner != p or kind != want - 2:
            return False
    k = sel[S.S_TOKEN]
    if k >= 0 and s.token[u if t.token_on_unit[p, k] else z, p, k] == 0:
        return False
    k = sel[S.S_NO_TOKEN]
    if k >= 0 and s.token[u if t.token_on_unit[p, k] else z, p, k] != 0:
        return False
    reg = sel[S.S_OTHER]
    if reg >= 0:
        if reg < S.UNIT_REGS:
            if s.frame[f].regs[reg] == u:
                return False
        elif s.frame[f].regs[reg] == z:
            return False
    if sel[S.S_EXHAUSTED] and (sel[S.S_EXHAUSTED] == 1) != (s.unit_exhausted[u] != 0):
        return False
    return place_matches(s, t, f, sel, z)


@njit
def zone_matches(s: State, t: Table, f: Frame, p: Player, sel: Row, z: Zone) -> Flag:
    """Whether zone `z` matches selection row `sel` (ZONES), for an effect of player `p` in frame `f`."""
    reg = sel[S.S_OTHER]
    if reg >= 0 and place_of(s, f, reg) == z:
        return False
    if sel[S.S_OCCUPIED] and (sel[S.S_OCCUPIED] == 1) != (s.zone_unit[z] >= 0):
        return False
    k = sel[S.S_TOKEN]
    if k >= 0 and s.token[z, p, k] < sel[S.S_TOKEN_MIN]:
        return False
    tile = sel[S.S_TILE]
    if tile > 2:
        if s.zone_tile[z] != p * S.TILES + tile - 3:
            return False
    elif tile and (tile == 1) != (s.zone_tile[z] >= 0):
        return False
    holds = sel[S.S_HOLDS]
    if holds >= 0 and (s.zone_unit[z] < 0 or not unit_matches(s, t, f, p, t.sels[holds], s.zone_unit[z])):
        return False
    if sel[S.S_TOUCHING] >= 0 and not touches(s, t, f, p, sel, z):
        return False
    return place_matches(s, t, f, sel, z)


# ---------------------------------------------------------------------------------------------------------------- triggers


# A waiting trigger is one number: its owner, the zone, what triggered (SRC_*) and the unit, in 1, 5, 5 and 5 bits. Zones and units are
# stored + 2, because EMPTY and GONE are below 0.


@njit
def packed(owner: Player, unit: Unit, here: Zone, what: Kind) -> Number:
    """A trigger as one number."""
    return np.int64(owner) << 15 | (np.int64(here) + 2) << 10 | np.int64(what) << 5 | (np.int64(unit) + 2)


@njit
def owner_of(trigger: Number) -> Player:
    """The player whose trigger it is."""
    return np.int64(trigger) >> 15


@njit
def zone_of(trigger: Number) -> Zone:
    """The zone where it happened; EMPTY for none, GONE if its tile has left."""
    return (np.int64(trigger) >> 10 & 31) - 2


@njit
def what_of(trigger: Number) -> Kind:
    """What triggered (SRC_*)."""
    return np.int64(trigger) >> 5 & 31


@njit
def unit_of(trigger: Number) -> Unit:
    """The unit that set it off; EMPTY or GONE for none."""
    return (np.int64(trigger) & 31) - 2


@njit
def queue(s: State, owner: Player, unit: Unit, here: Zone, what: Kind) -> None:
    """Queue a passive, token, tile or ascension of `owner`, to run once the running part is done (AW-C16)."""
    top = s.waiting + s.pending
    if top == S.WAITING:
        log.emit(s, log.E_LEFT_OUT, owner, what)
        return
    s.trigger[top] = packed(owner, unit, here, what)
    s.pending += 1


@njit
def queue_moved(s: State, t: Table, u: Unit, left: Number) -> None:
    """Queue what unit `u` triggers by leaving zone `left` and entering another: passives, and the tile that it enters."""
    for p in range(S.PLAYERS):
        for i in range(S.TRIGGERS):
            event = t.trigger_event[p, i]
            if event == S.T_NONE:
                break
            if event != S.T_MOVED:
                continue
            sel = t.trigger_sel[p, i]
            hit = True
            if sel >= 0:
                s.frame[S.SCRATCH].regs[S.R_ME] = p * S.SLOTS
                hit = unit_matches(s, t, S.SCRATCH, p, t.sels[sel], u)
                s.frame[S.SCRATCH].regs[S.R_ME] = 0
            if hit:
                queue(s, p, u, left, S.SRC_PASSIVE + i)
    entered = s.unit_zone[u]
    tile = s.zone_tile[entered]
    if tile >= 0:
        owner, kind = tile // S.TILES, tile % S.TILES
        if t.tile_code[owner, kind] < 0:
            return
        queue(s, owner, u, entered, S.SRC_TILE + kind)


# ---------------------------------------------------------------------------------------------------------------- movement


@njit
def body_of(s: State, t: Table, u: Unit) -> Any:
    """The units that move as one with unit `u`, itself included: one bit each (card_files.md, Bodies)."""
    p = u // S.SLOTS
    if t.artist_features[p, S.AF_ATTACHED] == 0 or (u % S.SLOTS != 0 and not t.slot_attached[p, u % S.SLOTS]):
        return ONE << np.int64(u)
    body = ONE << np.int64(p * S.SLOTS)
    for slot in range(1, S.SLOTS):
        v = p * S.SLOTS + slot
        if t.slot_attached[p, slot] and s.unit_zone[v] >= 0:
            body |= ONE << np.int64(v)
    return body


@njit
def shifted(t: Table, z: Zone, rows: Row, cols: Number) -> Zone:
    """The zone `rows` and `cols` away from zone `z`; -1 off the board."""
    row, col = t.row_of[z] + rows, t.column_of[z] + cols
    if row < 0 or row >= t.rows or col < 0 or col >= t.cols:
        return -1
    return row * t.cols + col


@njit
def fits(s: State, t: Table, body: Unit, others: Any, rows: Row, cols: Number) -> Flag:
    """Whether all of `body` can be shifted to zones on the board where only units of `body` or `others` stand."""
    for u in range(S.UNITS):
        if body >> u & ONE:
            z = shifted(t, s.unit_zone[u], rows, cols)
            if z < 0:
                return False
            v = s.zone_unit[z]
            if v >= 0 and not (body | others) >> np.int64(v) & ONE:
                return False
    return True


@njit
def shift_body(s: State, t: Table, u: Unit, body: Unit, way: Way, steps: Number) -> None:
    """Move the body of unit `u`, which fits there: `u` first, then the others. Then queue what they trigger."""
    rows = steps * ((way == 0) - np.int64(way == 2))
    cols = steps * ((way == 1) - np.int64(way == 3))
    for v in range(S.UNITS):
        if body >> v & ONE:
            s.zone_unit[s.unit_zone[v]] = -1
    for i in range(-1, S.UNITS):
        v = u if i < 0 else i
        if i == u or not body >> np.int64(v) & ONE:
            continue
        left = s.unit_zone[v]
        z = shifted(t, left, rows, cols)
        log.emit(s, log.E_MOVE, v // S.SLOTS, v, left, z)
        s.zone_unit[z] = v
        s.unit_zone[v] = z
    for v in range(S.UNITS):
        if body >> v & ONE:
            queue_moved(s, t, v, shifted(t, s.unit_zone[v], -rows, -cols))


@njit
def move_to(s: State, t: Table, u: Unit, z: Zone) -> None:
    """Move unit `u`, which is a body of its own, to the empty zone `z` (AW-U2)."""
    left = s.unit_zone[u]
    log.emit(s, log.E_MOVE, u // S.SLOTS, u, left, z)
    s.zone_unit[left] = -1
    s.zone_unit[z] = u
    s.unit_zone[u] = z
    queue_moved(s, t, u, left)


@njit
def move(s: State, t: Table, u: Unit, way: Way) -> None:
    """Move 1 zone; fails off the board or into an occupied zone (AW-U2)."""
    z = t.neighbour[s.unit_zone[u], way]
    if z < 0:
        return
    body = body_of(s, t, u)
    if body == ONE << np.int64(u):
        if s.zone_unit[z] < 0:
            move_to(s, t, u, z)
    elif fits(s, t, body, np.int64(0), (way == 0) - np.int64(way == 2), (way == 1) - np.int64(way == 3)):
        shift_body(s, t, u, body, way, np.int64(1))


@njit
def jump(s: State, t: Table, u: Unit, way: Way) -> None:
    """Move to the first empty zone in a direction, over any number of units (AW-U3)."""
    body = body_of(s, t, u)
    steps = np.int64(1)
    z = t.neighbour[s.unit_zone[u], way]
    while z >= 0 and s.zone_unit[z] >= 0 and not body >> np.int64(s.zone_unit[z]) & ONE:
        z = t.neighbour[z, way]
        steps += 1
    if z < 0:
        return
    if body == ONE << np.int64(u):
        move_to(s, t, u, z)
    elif fits(
        s, t, body, np.int64(0), steps * ((way == 0) - np.int64(way == 2)), steps * ((way == 1) - np.int64(way == 3))
    ):
        shift_body(s, t, u, body, way, steps)


@njit
def swap(s: State, t: Table, a: Unit, b: Unit) -> None:
    """Swap two units with what moves with them; fails if that leaves the board or meets another unit (AW-U4, AW-U12)."""
    if a == b:
        return
    za, zb = s.unit_zone[a], s.unit_zone[b]
    body_a, body_b = body_of(s, t, a), body_of(s, t, b)
    if body_a & body_b:  # two units of one body change places
        body_a, body_b = ONE << np.int64(a), ONE << np.int64(b)
    rows, cols = np.int64(t.row_of[zb]) - t.row_of[za], np.int64(t.column_of[zb]) - t.column_of[za]
    alone = (body_a | body_b) == (ONE << np.int64(a) | ONE << np.int64(b))
    if not alone:
        if not fits(s, t, body_a, body_b, rows, cols) or not fits(s, t, body_b, body_a, -rows, -cols):
            return
        taken = np.int64(0)
        for v in range(S.UNITS):
            if (body_a | body_b) >> v & ONE:
                sign = 1 if body_a >> v & ONE else -1
                here = ONE << np.int64(shifted(t, s.unit_zone[v], sign * rows, sign * cols))
                if taken & here:
                    return
                taken |= here
    log.emit(s, log.E_SWAP, a // S.SLOTS, a, za, b, zb)
    if alone:
        s.unit_zone[a] = zb
        s.unit_zone[b] = za
        s.zone_unit[za] = b
        s.zone_unit[zb] = a
        queue_moved(s, t, a, za)
        queue_moved(s, t, b, zb)
        return
    for v in range(S.UNITS):
        if (body_a | body_b) >> v & ONE:
            s.zone_unit[s.unit_zone[v]] = -1
    for i in range(2 * S.UNITS):  # the units of the first body, then those of the second
        v = i % S.UNITS
        if not (body_a if i < S.UNITS else body_b) >> v & ONE:
            continue
        sign = 1 if i < S.UNITS else -1
        left = s.unit_zone[v]
        z = shifted(t, left, sign * rows, sign * cols)
        if v != a and v != b:
            log.emit(s, log.E_MOVE, v // S.SLOTS, v, left, z)
        s.unit_zone[v] = z
        s.zone_unit[z] = v
    for i in range(2 * S.UNITS):
        v = i % S.UNITS
        if (body_a if i < S.UNITS else body_b) >> v & ONE:
            sign = 1 if i < S.UNITS else -1
            queue_moved(s, t, v, shifted(t, s.unit_zone[v], -sign * rows, -sign * cols))


@njit
def way_between(t: Table, a: Zone, b: Zone) -> Way:
    """The direction from zone `a` towards zone `b`; -1 if they share no row or column or are the same."""
    if not in_line(t, a, b):
        return -1
    if t.column_of[a] == t.column_of[b]:
        return 0 if b > a else 2
    return 1 if b > a else 3


# ---------------------------------------------------------------------------------------------------------------- units come and go


@njit
def forget_unit(s: State, u: Unit) -> None:
    """Empty every variable that holds unit `u`: what is summoned later with the same piece is another unit."""
    for f in range(s.frames):
        for r in range(S.UNIT_REGS):
            if s.frame[f].regs[r] == u:
                s.frame[f].regs[r] = S.GONE
    for c in range(min(s.chain_size, S.CHAIN)):
        for r in range(S.UNIT_REGS):
            if s.chain[c].regs[r] == u:
                s.chain[c].regs[r] = S.GONE
    for i in range(s.visits):
        if s.visit[i] == u:
            s.visit[i] = S.GONE
    for i in range(s.waiting + s.pending):
        one = s.trigger[i]
        if unit_of(one) == u:
            s.trigger[i] = packed(owner_of(one), S.GONE, zone_of(one), what_of(one))


@njit
def remove_unit(s: State, t: Table, u: Unit) -> None:
    """Take a summon off the board; it and its tokens return to their pools (AW-U5, AW-U11)."""
    z = s.unit_zone[u]
    log.emit(s, log.E_REMOVED, u // S.SLOTS, u, z)
    s.zone_unit[z] = -1
    s.unit_zone[u] = -1
    s.unit_exhausted[u] = 0
    for p in range(S.PLAYERS):
        for k in range(S.TOKENS):
            if t.token_on_unit[p, k]:
                s.token_left[p, k] += s.token[u, p, k]
                s.token[u, p, k] = 0
    forget_unit(s, u)
    p, vital = u // S.SLOTS, t.vital[u // S.SLOTS]
    if vital and t.slot_kind[p, u % S.SLOTS] == vital:
        s.fallen[p] = 1
        for slot in range(1, S.SLOTS):
            if t.slot_kind[p, slot] == vital and s.unit_zone[p * S.SLOTS + slot] >= 0:
                s.fallen[p] = 0


@njit
def summon(s: State, t: Table, p: Player, kind: Kind, z: Zone) -> None:
    """Summon a unit of `kind` into zone `z`, refreshed; fails if the zone is occupied or the pool empty (AW-U5)."""
    if s.zone_unit[z] >= 0:
        return
    for slot in range(1, S.SLOTS):
        u = p * S.SLOTS + slot
        if t.slot_kind[p, slot] == kind and s.unit_zone[u] < 0:
            s.unit_zone[u] = z
            s.zone_unit[z] = u
            if kind == t.vital[p]:
                s.fallen[p] = 0
            log.emit(s, log.E_SUMMON, p, u, z)
            return


@njit
def set_exhausted(s: State, u: Unit, value: Any) -> None:
    """Exhaust (1) or refresh (0) a unit; fails if it already is (AW-U6)."""
    if s.unit_exhausted[u] != value:
        s.unit_exhausted[u] = value
        log.emit(s, log.E_EXHAUST, u // S.SLOTS, value, u, s.unit_zone[u])


# ---------------------------------------------------------------------------------------------------------------- tokens and tiles


@njit
def add_token(s: State, t: Table, p: Player, k: Kind, u: Unit, z: Zone) -> None:
    """Place one token of player `p`'s kind `k` on unit `u`, or in zone `z` for a zone token (AW-U10 to AW-U12)."""
    if s.token_left[p, k] == 0:
        return
    if t.token_on_unit[p, k]:
        if s.token[u, p, k] and not t.token_stacks[p, k]:
            return
        s.token[u, p, k] += 1
        s.token_left[p, k] -= 1
        log.emit(s, log.E_TOKEN_UNIT, p, 1, p, k, u, s.unit_zone[u])
        return
    if s.token[z, p, k] and not t.token_stacks[p, k]:
        return
    s.token[z, p, k] += 1
    s.token_left[p, k] -= 1
    log.emit(s, log.E_TOKEN_ZONE, p, 1, p, k, z)
    if t.token_at[p, k] and s.token[z, p, k] >= t.token_at[p, k]:  # AW-U14
        queue(s, p, S.GONE, z, S.SRC_TOKEN + k)


@njit
def remove_tokens(s: State, t: Table, p: Player, k: Kind, u: Unit, z: Zone, count: Number) -> None:
    """Return up to `count` tokens (0: all) of player `p`'s kind `k` from unit `u` or zone `z` to the pool (AW-U11)."""
    place = u if t.token_on_unit[p, k] else z
    n = s.token[place, p, k]
    if count and n > count:
        n = count
    for _ in range(n):
        s.token_left[p, k] += 1
        s.token[place, p, k] -= 1
        if t.token_on_unit[p, k]:
            log.emit(s, log.E_TOKEN_UNIT, p, 0, p, k, u, s.unit_zone[u])
        else:
            log.emit(s, log.E_TOKEN_ZONE, p, 0, p, k, z)


@njit
def place_tile(s: State, t: Table, p: Player, k: Kind, z: Zone, way: Way) -> None:
    """Lay a zone tile; fails on another tile or with none left (AW-U11, AW-U13). `way`: the direction of a directed tile, else -1."""
    if s.zone_tile[z] < 0 and s.tile_left[p, k] > 0:
        s.tile_left[p, k] -= 1
        s.zone_tile[z] = p * S.TILES + k
        s.zone_way[z] = max(way, 0)
        if t.tile_cue[p, k] >= 0:
            s.plan[p, s.plan_size[p]] = z
            s.plan_size[p] += 1
        log.emit(s, log.E_TILE, p, 1, p, k, z, way + 1)


@njit
def place_in_plan(s: State, p: Player, z: Zone) -> Any:
    """The place of the tile in zone `z` in the plan of player `p`; -1 if it is not in it."""
    for i in range(s.plan_size[p]):
        if s.plan[p, i] == z:
            return i
    return -1


@njit
def forget_cue(s: State, z: Zone) -> None:
    """Cancel the waiting cues of the tile that leaves zone `z`: what lies there later is another tile."""
    for i in range(s.waiting):
        one = s.trigger[i]
        if zone_of(one) == z and what_of(one) >= S.SRC_CUE:
            s.trigger[i] = packed(owner_of(one), unit_of(one), S.GONE, what_of(one))


@njit
def move_tile(s: State, p: Player, a: Zone, b: Zone) -> None:
    """Move the tile of zone `a` to zone `b`; fails if one lies there (AW-U13)."""
    tile = s.zone_tile[a]
    if tile >= 0 and s.zone_tile[b] < 0:
        forget_cue(s, a)
        s.zone_tile[a] = -1
        s.zone_tile[b] = tile
        s.zone_way[b] = s.zone_way[a]
        s.zone_way[a] = 0
        i = place_in_plan(s, tile // S.TILES, a)
        if i >= 0:
            s.plan[tile // S.TILES, i] = b
        log.emit(s, log.E_TILE, p, 2, tile // S.TILES, tile % S.TILES, a, b)


@njit
def remove_tile(s: State, p: Player, z: Zone) -> None:
    """Return the tile of a zone to its owner."""
    tile = s.zone_tile[z]
    if tile >= 0:
        owner = tile // S.TILES
        forget_cue(s, z)
        s.zone_tile[z] = -1
        s.zone_way[z] = 0
        s.tile_left[owner, tile % S.TILES] += 1
        i = place_in_plan(s, owner, z)
        if i >= 0:
            s.plan_size[owner] -= 1
            for j in range(i, S.PLANS - 1):
                s.plan[owner, j] = s.plan[owner, j + 1]
            s.plan[owner, S.PLANS - 1] = -1
        log.emit(s, log.E_TILE, p, 0, owner, tile % S.TILES, z)


# ---------------------------------------------------------------------------------------------------------------- damage and the end


@njit
def win(s: State, p: Player) -> None:
    """Player `p` wins."""
    s.over = 1
    s.reward[p] = 1
    s.reward[1 - p] = -1
    log.emit(s, log.E_WIN, p)


@njit
def hit_zone(s: State, t: Table, p: Player, z: Zone) -> None:
    """Deal 1 damage to a zone: a Block token takes it, the turn player's first, else whoever stands there (AW-U7, AW-U8, AW-U10)."""
    for i in range(S.PLAYERS):
        owner = s.turn_player if i == 0 else 1 - s.turn_player
        for k in range(S.TOKENS):
            if t.token_blocks[owner, k] and s.token[z, owner, k]:
                log.emit(s, log.E_BLOCKED, p, z)
                s.token[z, owner, k] -= 1
                s.token_left[owner, k] += 1
                return
    u = s.zone_unit[z]
    if u < 0:
        log.emit(s, log.E_NOTHING, p, z)
    elif u % S.SLOTS == 0 and t.immune[u // S.SLOTS]:
        log.emit(s, log.E_UNHARMED, u // S.SLOTS, u, z)
    elif u % S.SLOTS == 0:
        # More damage may follow the third before losses are checked; it is not counted.
        if s.damage[u // S.SLOTS] < S.LIVES:
            s.damage[u // S.SLOTS] += 1
        log.emit(s, log.E_DAMAGE, u // S.SLOTS, u, z, s.damage[u // S.SLOTS])
    else:
        remove_unit(s, t, u)


@njit
def settle(s: State, p: Player) -> None:
    """End the game if a player has taken the third damage or lost the last vital summon: a tie if both have. If neither has, `p` loses.

    `p` is -1 if this only checks: after a cost or an effect with all that it triggered, or each part if `loss_check_part` (AW-U8, AW-U9).
    Else `p` is a player who loses at once (AW-T5); then a loss from earlier in the same effect comes first.
    """
    lost_0 = s.damage[0] >= S.LIVES or s.fallen[0] != 0
    lost_1 = s.damage[1] >= S.LIVES or s.fallen[1] != 0
    if not lost_0 and not lost_1:
        lost_0 = p == 0
        lost_1 = p == 1
    if lost_0 and lost_1:
        s.over = 1
        log.emit(s, log.E_TIE, 0)
    elif lost_0:
        win(s, 1)
    elif lost_1:
        win(s, 0)


@njit
def damage_selection(s: State, t: Table, f: Frame, p: Player, sel: Row) -> None:
    """Deal 1 damage to every matching zone, or to the zone of every matching unit: simultaneous, in zone order (AW-U9)."""
    row = t.sels[sel]
    hits = np.int64(0)
    for z in range(t.zones):
        if row[0] == 1:
            if zone_matches(s, t, f, p, row, z):
                hits |= ONE << z
        elif s.zone_unit[z] >= 0 and unit_matches(s, t, f, p, row, s.zone_unit[z]):
            hits |= ONE << z
    for z in range(t.zones):
        if hits >> z & ONE:
            hit_zone(s, t, p, z)
