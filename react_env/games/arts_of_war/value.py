"""The value of a position in Re;ACT as a good player sees it, beyond what a quick count of it shows.

A card, a summon or a point is worth several times what the quick value gives it, because it is a later answer: a card or a reaction is
spent only for more than it will be worth later. Threats are effects that could hit what a player must not lose (the prey) if nobody moved
any more; enough of them to win count most. An artist wants room to step aside and walls at its back. A deck that runs out loses the game,
so its last cards count most. The masterpiece counts little before it is complete.

Whose turn it is does not matter: a position must hold when the turn ends. Both hands are read, so what a player cannot know must be
redrawn first.

The weights come from logistic regressions of the winner on these features, with the strength of the artists against each other taken out:
one over games of greedy against itself, one over games of a first fit against itself. Where they disagreed, the weight lies between them.
"""

from typing import Any

from react_env.engine.compile import njit
from react_env.engine.terms import Flag, Number, Player, Row, State, Table, Unit, Value, Zone
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.board import place_of, unit_matches, zone_matches
from react_env.games.arts_of_war.chain import is_on_side
from react_env.games.arts_of_war.effects import holds
from react_env.games.arts_of_war.heuristics import W_TIE, best_fit, hurt, steps_to_prey

# In the units of the quick value: the first damage to an artist is 125, the second 175.
W_CARD = 42.0
W_REACTION = 22.0  # more for a card with a Reaction: it answers on both turns
# A hand is worth less the later it is; otherwise two players with full hands would wait for each other until the turn limit. In shares of
# that limit: when the worth begins to fade, and when it would be gone. LEAST_WORTH is the share of it that always stays.
FADES_FROM = 1 / 6
FADES_TO = 2 / 3
LEAST_WORTH = 0.1
W_DECK = 2.6  # each card left in the deck
W_LOW_DECK = 66.0  # each card that it is short of LOW_DECK: to draw from an empty one loses
LOW_DECK = 8
W_POINT = 21.0  # each point of a counter up to MOST_POINTS
MOST_POINTS = 10
W_FIT = 4.0  # each masterpiece card in its place; half of it for a free place
W_ASCENDED = 21.0
W_FORM = 60.0
W_SUMMON = 40.0
W_NEAR = 18.0  # a summon that is at most two steps from its prey
W_STEP = 12.0  # each step between the artist and its prey
W_FREE_SIDE = 13.5  # an empty zone beside what must not be lost: room to step aside
W_WALL = 21.5  # a side from which nobody comes
W_TOKEN = 8.5  # in a zone
W_TILE_NEAR = 29.0  # beside the prey or under it
W_THREAT = 22.0  # the prey can be hit
W_LETHAL = 81.0  # the prey can be hit as often as it takes to win


# ------------------------------------------------------------------------------------------------------------------------------ threats


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


# ------------------------------------------------------------------------------------------------------------------------------ position


@njit
def means(s: State, t: Table, p: Player) -> Any:
    """What player `p` has to work with: cards, deck, points, the masterpiece, and what ascending has brought."""
    value = 0.0
    later = max(LEAST_WORTH, min(1.0, (FADES_TO - s.turn / t.max_turns) / (FADES_TO - FADES_FROM)))
    for c in range(S.ACTIONS_CARDS):
        value += later * s.hand[p, c] * (W_CARD + W_REACTION * t.card_reacts[p, c])
    for i in range(S.CHAIN):
        if s.face_down[i] >= 0 and s.face_down_player[i] == p:
            value += later * (W_CARD + W_REACTION)
    if t.has_deck[p]:
        value += W_DECK * s.deck_size[p] - W_LOW_DECK * max(0, LOW_DECK - s.deck_size[p])
    for k in range(S.COUNTERS):
        if t.counter_most[p, k]:
            value += W_POINT * min(s.counter[p, k], MOST_POINTS)
    value += W_FIT * 0.5 * best_fit(s, t, p)
    if s.ascended[p] and t.ascend_mode[p, s.form[p]] == S.ASCEND_LASTING:
        value += W_ASCENDED
    return value + W_FORM * s.form[p]


@njit
def stand(s: State, t: Table, p: Player) -> Value:
    """How player `p` stands on the board: units and their places, tokens and tiles."""
    q = 1 - p
    value = 0.0
    share = 1.0 / S.LIVES if t.vital[p] else 1.0
    for u in range(p * S.SLOTS, (p + 1) * S.SLOTS):
        z = s.unit_zone[u]
        if z < 0:
            continue
        steps = steps_to_prey(s, t, q, z)
        if u == p * S.SLOTS:
            value -= W_STEP * steps
        else:
            value += W_SUMMON
            if steps <= 2:
                value += W_NEAR
        if is_prey(s, t, p, u):
            for way in range(4):
                beside = t.neighbour[z, way]
                if beside < 0:
                    value += share * W_WALL
                elif s.zone_unit[beside] < 0:
                    value += share * W_FREE_SIDE
    for k in range(S.TOKENS):
        if not t.token_on_unit[p, k] and not t.token_blocks[p, k] and s.token_left[p, k] < t.token_pool[p, k]:
            for z in range(t.zones):
                value += W_TOKEN * s.token[z, p, k]
    for z in range(t.zones):
        if s.zone_tile[z] >= 0 and s.zone_tile[z] // S.TILES == p and steps_to_prey(s, t, q, z) <= 1:
            value += W_TILE_NEAR
    return value


@njit
def half(s: State, t: Table, p: Player) -> Value:
    """The value of player `p`'s side, damage included."""
    value = means(s, t, p) + stand(s, t, p)
    count = threats(s, t, p)
    if count:
        value += W_THREAT
    if count >= S.LIVES - hurt(s, t, 1 - p):
        value += W_LETHAL
    harm = hurt(s, t, p)
    return value - 100.0 * harm - 25.0 * harm * harm


@njit
def value(s: State, t: Table, p: Player) -> Value:
    """How good the position is for player `p`, in the units of `heuristics.value` (float; a win is 1e6)."""
    if s.over:
        return 1e6 * s.reward[p] if s.reward[p] else W_TIE
    return half(s, t, p) - half(s, t, 1 - p)
