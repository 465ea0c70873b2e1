"""Zones, units, tokens, tiles and damage: rules AW-U1 to AW-U13, and the winning of the game.

Whatever a rule makes trigger is queued here (`pending`) and put in order by `effects.py` once the running part is done.
"""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.games.arts_of_war.log import (
    E_BLOCKED,
    E_DAMAGE,
    E_EXHAUST,
    E_MOVE,
    E_NOTHING,
    E_REMOVED,
    E_SUMMON,
    E_SWAP,
    E_TIE,
    E_TILE,
    E_TOKEN_UNIT,
    E_TOKEN_ZONE,
    E_WIN,
    emit,
)
from react_env.games.arts_of_war.state import (
    CHAIN,
    GONE,
    PENDING,
    PLAYERS,
    R_ME,
    S_ADJACENT,
    S_DISTANCE,
    S_EXHAUSTED,
    S_HOLDS,
    S_IN_LINE,
    S_KIND,
    S_NO_TOKEN,
    S_OCCUPIED,
    S_OTHER,
    S_SIDE,
    S_TILE,
    S_TOKEN,
    S_TOKEN_MIN,
    S_WITHIN,
    SCRATCH,
    SLOTS,
    SRC_PASSIVE,
    SRC_TILE,
    SRC_TOKEN,
    T_MOVED,
    T_NONE,
    TILES,
    TOKENS,
    TRIGGERS,
    UNIT_REGS,
)

LIVES = 3  # AW-U8
ONE = np.int64(1)


# ---------------------------------------------------------------------------------------------------------------- places and selections


@njit
def place_of(s: Any, f: Any, reg: Any) -> Any:
    """The zone that register `reg` of frame `f` means: its own, or the one where its unit stands; -1 for none."""
    value = s.frame_regs[f, reg]
    if reg < UNIT_REGS and value >= 0:
        return s.unit_zone[value]
    return value if value >= 0 else -1


@njit
def in_line(t: Any, a: Any, b: Any) -> Any:
    """Whether two different zones share a row or a column."""
    return a != b and (a // t.cols == b // t.cols or a % t.cols == b % t.cols)


@njit
def place_matches(s: Any, t: Any, f: Any, sel: Any, z: Any) -> Any:
    """The keys of a selection that speak of places, for zone `z`: adjacent_to, in_line_with, within."""
    reg = sel[S_ADJACENT]
    if reg >= 0:
        other = place_of(s, f, reg)
        if other < 0 or t.distance[z, other] != 1:
            return False
    reg = sel[S_IN_LINE]
    if reg >= 0:
        other = place_of(s, f, reg)
        if other < 0 or not in_line(t, z, other):
            return False
    reg = sel[S_WITHIN]
    if reg >= 0:
        other = place_of(s, f, reg)
        if other < 0 or t.distance[z, other] > sel[S_DISTANCE]:
            return False
    return True


@njit
def unit_matches(s: Any, t: Any, f: Any, p: Any, sel: Any, u: Any) -> Any:
    """Whether unit `u` is on the board and matches selection row `sel` (UNITS), for an effect of player `p` in frame `f`."""
    z = s.unit_zone[u]
    if z < 0:
        return False
    owner = u // SLOTS
    side = sel[S_SIDE]
    if (side == 1 and owner != p) or (side == 2 and owner == p):
        return False
    want = sel[S_KIND]
    if want:
        kind = t.slot_kind[owner, u % SLOTS]
        if want == 1:
            if kind != 0:
                return False
        elif want == 2:
            if kind == 0:
                return False
        elif owner != p or kind != want - 2:
            return False
    k = sel[S_TOKEN]
    if k >= 0 and (s.unit_token[u, p, k] if t.token_on_unit[p, k] else s.zone_token[z, p, k]) == 0:
        return False
    k = sel[S_NO_TOKEN]
    if k >= 0 and (s.unit_token[u, p, k] if t.token_on_unit[p, k] else s.zone_token[z, p, k]) != 0:
        return False
    reg = sel[S_OTHER]
    if reg >= 0:
        if reg < UNIT_REGS:
            if s.frame_regs[f, reg] == u:
                return False
        elif s.frame_regs[f, reg] == z:
            return False
    if sel[S_EXHAUSTED] and (sel[S_EXHAUSTED] == 1) != (s.unit_exhausted[u] != 0):
        return False
    return place_matches(s, t, f, sel, z)


@njit
def zone_matches(s: Any, t: Any, f: Any, p: Any, sel: Any, z: Any) -> Any:
    """Whether zone `z` matches selection row `sel` (ZONES), for an effect of player `p` in frame `f`."""
    reg = sel[S_OTHER]
    if reg >= 0 and place_of(s, f, reg) == z:
        return False
    if sel[S_OCCUPIED] and (sel[S_OCCUPIED] == 1) != (s.zone_unit[z] >= 0):
        return False
    k = sel[S_TOKEN]
    if k >= 0 and s.zone_token[z, p, k] < sel[S_TOKEN_MIN]:
        return False
    if sel[S_TILE] and (sel[S_TILE] == 1) != (s.zone_tile[z] >= 0):
        return False
    holds = sel[S_HOLDS]
    if holds >= 0 and (s.zone_unit[z] < 0 or not unit_matches(s, t, f, p, t.sels[holds], s.zone_unit[z])):
        return False
    return place_matches(s, t, f, sel, z)


# ---------------------------------------------------------------------------------------------------------------- triggers


@njit
def queue(s: Any, owner: Any, zone: Any, unit: Any, here: Any, source: Any) -> None:
    """Let a passive, token, tile or ascension of `owner` wait for the end of the running part (AW-C16)."""
    if s.pending < PENDING:
        row = s.pending_row[s.pending]
        row[0] = owner
        row[1] = zone
        row[2] = unit
        row[3] = here
        row[4] = source
        s.pending += 1


@njit
def queue_moved(s: Any, t: Any, u: Any, left: Any) -> None:
    """What a unit's leaving of a zone and its entering of another trigger: passives and the tile."""
    for p in range(PLAYERS):
        for i in range(TRIGGERS):
            event = t.trigger_event[p, i]
            if event == T_NONE:
                break
            if event != T_MOVED:
                continue
            sel = t.trigger_sel[p, i]
            hit = True
            if sel >= 0:
                s.frame_regs[SCRATCH, R_ME] = p * SLOTS
                hit = unit_matches(s, t, SCRATCH, p, t.sels[sel], u)
                s.frame_regs[SCRATCH, R_ME] = 0
            if hit:
                queue(s, p, left, u, left, SRC_PASSIVE * 16 + i)
    entered = s.unit_zone[u]
    tile = s.zone_tile[entered]
    if tile >= 0:
        owner, kind = tile // TILES, tile % TILES
        queue(s, owner, entered, u, entered, SRC_TILE * 16 + kind)


# ---------------------------------------------------------------------------------------------------------------- movement


@njit
def move_to(s: Any, t: Any, u: Any, z: Any) -> None:
    """Move unit `u` to the empty zone `z` (AW-U2)."""
    left = s.unit_zone[u]
    emit(s, E_MOVE, u // SLOTS, u, left, z, 0, 0, 0)
    s.zone_unit[left] = -1
    s.zone_unit[z] = u
    s.unit_zone[u] = z
    queue_moved(s, t, u, left)


@njit
def move(s: Any, t: Any, u: Any, way: Any) -> None:
    """Move 1 zone; off the board or into an occupied zone it fails (AW-U2)."""
    z = t.neighbour[s.unit_zone[u], way]
    if z >= 0 and s.zone_unit[z] < 0:
        move_to(s, t, u, z)


@njit
def jump(s: Any, t: Any, u: Any, way: Any) -> None:
    """Move to the first empty zone in a direction, over any number of units (AW-U3)."""
    z = t.neighbour[s.unit_zone[u], way]
    while z >= 0 and s.zone_unit[z] >= 0:
        z = t.neighbour[z, way]
    if z >= 0:
        move_to(s, t, u, z)


@njit
def swap(s: Any, t: Any, a: Any, b: Any) -> None:
    """Exchange two units with what moves with them (AW-U4, AW-U12)."""
    if a == b:
        return
    za, zb = s.unit_zone[a], s.unit_zone[b]
    emit(s, E_SWAP, a // SLOTS, a, za, b, zb, 0, 0)
    s.unit_zone[a] = zb
    s.unit_zone[b] = za
    s.zone_unit[za] = b
    s.zone_unit[zb] = a
    queue_moved(s, t, a, za)
    queue_moved(s, t, b, zb)


@njit
def way_between(t: Any, a: Any, b: Any) -> Any:
    """The direction from zone `a` towards zone `b` of its row or column; -1 if they share none or are the same."""
    if not in_line(t, a, b):
        return -1
    if a % t.cols == b % t.cols:
        return 0 if b > a else 2
    return 1 if b > a else 3


# ---------------------------------------------------------------------------------------------------------------- units come and go


@njit
def forget_unit(s: Any, u: Any) -> None:
    """Empty every variable that holds unit `u`: what is summoned with the same tile later is another unit."""
    for f in range(s.frames):
        s.frame_loop[f] = np.int64(s.frame_loop[f]) & ~(ONE << u)
        for r in range(UNIT_REGS):
            if s.frame_regs[f, r] == u:
                s.frame_regs[f, r] = GONE
    for c in range(min(s.chain_size, CHAIN)):
        for r in range(UNIT_REGS):
            if s.chain_regs[c, r] == u:
                s.chain_regs[c, r] = GONE
    for i in range(s.pending):
        if s.pending_row[i, 2] == u:
            s.pending_row[i, 2] = GONE
    for i in range(s.waiting):
        if s.waiting_row[i, 2] == u:
            s.waiting_row[i, 2] = GONE


@njit
def remove_unit(s: Any, u: Any) -> None:
    """Take a summon off the board; it and its tokens return to their pools (AW-U5, AW-U11)."""
    z = s.unit_zone[u]
    emit(s, E_REMOVED, u // SLOTS, u, z, 0, 0, 0, 0)
    s.zone_unit[z] = -1
    s.unit_zone[u] = -1
    s.unit_exhausted[u] = 0
    for p in range(PLAYERS):
        for k in range(TOKENS):
            s.token_left[p, k] += s.unit_token[u, p, k]
            s.unit_token[u, p, k] = 0
    forget_unit(s, u)


@njit
def summon(s: Any, t: Any, p: Any, kind: Any, z: Any) -> None:
    """Bring a summon of `kind` to zone `z`, refreshed; fails if the zone is occupied or the pool empty (AW-U5)."""
    if s.zone_unit[z] >= 0:
        return
    for slot in range(1, SLOTS):
        u = p * SLOTS + slot
        if t.slot_kind[p, slot] == kind and s.unit_zone[u] < 0:
            s.unit_zone[u] = z
            s.zone_unit[z] = u
            emit(s, E_SUMMON, p, u, z, 0, 0, 0, 0)
            return


@njit
def set_exhausted(s: Any, u: Any, value: Any) -> None:
    """Exhaust (1) or refresh (0) a unit; fails if it is so already (AW-U6)."""
    if s.unit_exhausted[u] != value:
        s.unit_exhausted[u] = value
        emit(s, E_EXHAUST, u // SLOTS, value, u, s.unit_zone[u], 0, 0, 0)


# ---------------------------------------------------------------------------------------------------------------- tokens and tiles


@njit
def add_token(s: Any, t: Any, p: Any, k: Any, u: Any, z: Any) -> None:
    """Place one token of player `p`'s kind `k` on unit `u`, or in zone `z` for a zone token (AW-U10 to AW-U12)."""
    if s.token_left[p, k] == 0:
        return
    if t.token_on_unit[p, k]:
        if s.unit_token[u, p, k] and not t.token_stacks[p, k]:
            return
        s.unit_token[u, p, k] += 1
        s.token_left[p, k] -= 1
        emit(s, E_TOKEN_UNIT, p, 1, p, k, u, s.unit_zone[u], 0)
        return
    if s.zone_token[z, p, k] and not t.token_stacks[p, k]:
        return
    s.zone_token[z, p, k] += 1
    s.token_left[p, k] -= 1
    emit(s, E_TOKEN_ZONE, p, 1, p, k, z, 0, 0)
    if t.token_at[p, k] and s.zone_token[z, p, k] == t.token_at[p, k]:
        queue(s, p, z, GONE, z, SRC_TOKEN * 16 + k)


@njit
def remove_tokens(s: Any, t: Any, p: Any, k: Any, u: Any, z: Any, count: Any) -> None:
    """Return up to `count` tokens (0: all) of player `p`'s kind `k` from unit `u` or zone `z` to the pool (AW-U11)."""
    n = s.unit_token[u, p, k] if t.token_on_unit[p, k] else s.zone_token[z, p, k]
    if count and n > count:
        n = count
    for _ in range(n):
        s.token_left[p, k] += 1
        if t.token_on_unit[p, k]:
            s.unit_token[u, p, k] -= 1
            emit(s, E_TOKEN_UNIT, p, 0, p, k, u, s.unit_zone[u], 0)
        else:
            s.zone_token[z, p, k] -= 1
            emit(s, E_TOKEN_ZONE, p, 0, p, k, z, 0, 0)


@njit
def place_tile(s: Any, p: Any, k: Any, z: Any) -> None:
    """Lay a zone tile; fails on another tile or with none left (AW-U11, AW-U13)."""
    if s.zone_tile[z] < 0 and s.tile_left[p, k] > 0:
        s.tile_left[p, k] -= 1
        s.zone_tile[z] = p * TILES + k
        emit(s, E_TILE, p, 1, p, k, z, 0, 0)


@njit
def move_tile(s: Any, p: Any, a: Any, b: Any) -> None:
    """Move the tile of zone `a` to zone `b`; fails where one lies (AW-U13)."""
    tile = s.zone_tile[a]
    if tile >= 0 and s.zone_tile[b] < 0:
        s.zone_tile[a] = -1
        s.zone_tile[b] = tile
        emit(s, E_TILE, p, 2, tile // TILES, tile % TILES, a, b, 0)


@njit
def remove_tile(s: Any, p: Any, z: Any) -> None:
    """Return the tile of a zone to its owner."""
    tile = s.zone_tile[z]
    if tile >= 0:
        s.zone_tile[z] = -1
        s.tile_left[tile // TILES, tile % TILES] += 1
        emit(s, E_TILE, p, 0, tile // TILES, tile % TILES, z, 0, 0)


# ---------------------------------------------------------------------------------------------------------------- damage and the end


@njit
def win(s: Any, p: Any) -> None:
    """Player `p` wins, at once."""
    s.over = 1
    s.reward[p] = 1
    s.reward[1 - p] = -1
    emit(s, E_WIN, p, 0, 0, 0, 0, 0, 0)


@njit
def hit_zone(s: Any, t: Any, p: Any, z: Any) -> None:
    """1 damage to a zone: a Block token takes it, else whoever stands there (AW-U7, AW-U8, AW-U10)."""
    for owner in range(PLAYERS):
        for k in range(TOKENS):
            if t.token_blocks[owner, k] and s.zone_token[z, owner, k]:
                emit(s, E_BLOCKED, p, z, 0, 0, 0, 0, 0)
                s.zone_token[z, owner, k] -= 1
                s.token_left[owner, k] += 1
                return
    u = s.zone_unit[z]
    if u < 0:
        emit(s, E_NOTHING, p, z, 0, 0, 0, 0, 0)
    elif u % SLOTS == 0:
        s.damage[u // SLOTS] += 1
        emit(s, E_DAMAGE, u // SLOTS, u, z, s.damage[u // SLOTS], 0, 0, 0)
    else:
        remove_unit(s, u)


@njit
def settle_damage(s: Any) -> None:
    """After one effect's damage: who has reached the third loses; both at once is a tie (AW-U8, AW-U9)."""
    lost_0, lost_1 = s.damage[0] >= LIVES, s.damage[1] >= LIVES
    if lost_0 and lost_1:
        s.over = 1
        emit(s, E_TIE, 0, 0, 0, 0, 0, 0, 0)
    elif lost_0:
        win(s, 1)
    elif lost_1:
        win(s, 0)


@njit
def damage_one(s: Any, t: Any, p: Any, z: Any) -> None:
    """1 damage to one zone."""
    hit_zone(s, t, p, z)
    settle_damage(s)


@njit
def damage_selection(s: Any, t: Any, f: Any, p: Any, sel: Any) -> None:
    """1 damage to every zone, or to the zone of every unit, that matches; simultaneous, in the order of the zones (AW-U9)."""
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
    settle_damage(s)
