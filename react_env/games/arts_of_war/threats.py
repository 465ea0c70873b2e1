"""Threats in Re;ACT: effects that could hit what a player must not lose (the prey) if nobody moved any more."""

from react_env.engine.compile import njit
from react_env.engine.terms import Flag, Number, Player, Row, State, Table, Unit, Zone
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.board import place_of, unit_matches, zone_matches
from react_env.games.arts_of_war.chain import is_on_side
from react_env.games.arts_of_war.effects import holds


@njit
def aim(s: State, t: Table, p: Player, op: Row, z: Zone) -> None:
    """Make the choice `op` in the frame SCRATCH: zone `z`, or the unit there, if it matches."""
    sel = t.sels[op[2]]
    if op[0] == S.OP_CHOOSE_ZONE:
        if zone_matches(s, t, S.SCRATCH, p, sel, z):
            s.frame[S.SCRATCH].regs[op[1]] = z
    elif s.zone_unit[z] >= 0 and unit_matches(s, t, S.SCRATCH, p, sel, s.zone_unit[z]):
        s.frame[S.SCRATCH].regs[op[1]] = s.zone_unit[z]


@njit
def strikes(s: State, t: Table, p: Player, pc: Row, z: Zone) -> Flag:
    """Whether the program from row `pc` on does damage to zone `z`, with the variables of SCRATCH and the board as they are.

    Of branches the first counts, and loops over units do not. Movement and removal by earlier parts are not foreseen.
    """
    while True:
        op = t.code[pc]
        pc += 1
        code = op[0]
        if code == S.OP_END:
            return False
        if code == S.OP_DAMAGE:
            if op[2] < 0:
                if place_of(s, S.SCRATCH, op[1]) == z:
                    return True
            elif t.sels[op[2]][0] == 1:
                if zone_matches(s, t, S.SCRATCH, p, t.sels[op[2]], z):
                    return True
            elif s.zone_unit[z] >= 0 and unit_matches(s, t, S.SCRATCH, p, t.sels[op[2]], s.zone_unit[z]):
                return True
        elif code == S.OP_CHOOSE_ZONE or code == S.OP_CHOOSE_UNIT:
            aim(s, t, p, op, z)
        elif code == S.OP_IF:
            if not holds(s, t, S.SCRATCH, p, op):
                pc = op[5]
        elif code == S.OP_NEXT:
            pc = op[5]
        elif code == S.OP_JUMP:
            pc = op[1]


@njit
def reaches(s: State, t: Table, p: Player, row: Row, me: Unit, z: Zone) -> Flag:
    """Whether effect `row`, used by unit `me` of player `p` once it is refreshed, can damage zone `z` where it stands."""
    regs = s.frame[S.SCRATCH].regs
    regs[:] = S.EMPTY
    regs[S.R_ME] = me
    source, target = -1, -1  # the last two choices of the cost: `target` is aimed at `z`, `source` tries every zone
    payable = True
    pc = t.effect_cost[row]
    while payable and t.code[pc, 0] != S.OP_END:
        op = t.code[pc]
        if op[0] == S.OP_CHOOSE_ZONE or op[0] == S.OP_CHOOSE_UNIT:
            source, target = target, pc
        elif op[0] == S.OP_SPEND:
            payable = s.counter[p, op[1]] >= op[2]
        elif op[0] == S.OP_REQUIRE:
            payable = holds(s, t, S.SCRATCH, p, op)
        pc += 1
    hit = False
    if payable and source < 0:
        if target >= 0:
            aim(s, t, p, t.code[target], z)
        hit = strikes(s, t, p, t.effect_body[row], z)
    elif payable:
        for here in range(t.zones):
            regs[t.code[source, 1]] = S.EMPTY
            aim(s, t, p, t.code[source], here)
            if regs[t.code[source, 1]] >= 0:
                regs[t.code[target, 1]] = S.EMPTY
                aim(s, t, p, t.code[target], z)
                if strikes(s, t, p, t.effect_body[row], z):
                    hit = True
                    break
    regs[:] = 0
    return hit


@njit
def is_prey(s: State, t: Table, q: Player, u: Unit) -> Flag:
    """Whether unit `u` on the board is what player `q` must not lose: the artist, or a vital summon."""
    if s.unit_zone[u] < 0:
        return False
    return t.slot_kind[q, u % S.SLOTS] == t.vital[q]  # kind 0 is the artist


@njit
def finds_prey(s: State, t: Table, p: Player, row: Row, me: Unit) -> Flag:
    """Whether effect `row` of unit `me` reaches anything that the opponent must not lose."""
    q = 1 - p
    for u in range(q * S.SLOTS, (q + 1) * S.SLOTS):
        if is_prey(s, t, q, u) and reaches(s, t, p, row, me, s.unit_zone[u]):
            return True
    return False


@njit
def threats(s: State, t: Table, p: Player) -> Number:
    """How many effects of player `p` reach prey, each counted once for every unit that can use it."""
    count = 0
    for c in range(S.CARDS):
        if not t.card_damages[p, c] or (c < S.ACTIONS_CARDS and s.hand[p, c] == 0):
            continue
        for i in range(t.card_damages[p, c]):
            row = t.card_effects[p, c, i]
            if row < 0:
                break
            if not t.effect_damages[row] or not is_on_side(s, t, p, row):
                continue
            if t.card_kind[p, c] < 0:
                count += finds_prey(s, t, p, row, S.EMPTY)
                continue
            for u in range(p * S.SLOTS, (p + 1) * S.SLOTS):
                if t.slot_kind[p, u % S.SLOTS] == t.card_kind[p, c] and s.unit_zone[u] >= 0:
                    count += finds_prey(s, t, p, row, u)
    return count
