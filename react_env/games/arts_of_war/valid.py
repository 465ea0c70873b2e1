"""Which records a game can have reached: what compiled code, the texts and `determinize` may rely on.

A record that the rules themselves have made is sound. One that comes from a file or another program is played only if `valid` finds
nothing wrong with it: every number stands for something in the tables; units, cards, tokens and tiles are where they can be, in the right
numbers; and what runs or waits fits the phase and the decision. From such a record every loop of the rules ends. A program goes back only
through `OP_NEXT`, and each time takes a unit out of its loop. `set_off` counts the triggers inside one another and in a row, and has a
limit. Two passes in a row resolve a chain, one card after the other. And turns are numbered up to the last.
"""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.memory import scratch
from react_env.engine.rules import numbered
from react_env.engine.terms import Card, Flag, Frame, Kind, Number, Player, Row, State, Table
from react_env.games.arts_of_war import actions as A
from react_env.games.arts_of_war import log as L
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.actions import fill
from react_env.games.arts_of_war.board import owner_of, unit_of, what_of, zone_of
from react_env.games.arts_of_war.chain import known, may_lay
from react_env.games.arts_of_war.effects import program_of
from react_env.games.arts_of_war.log import HIGH, LOW
from react_env.games.arts_of_war.masterpiece import is_placed

FIELD = numbered(S.STATE)  # what the parts of `valid` return; 0 if they find nothing

new_mask = scratch(A.NUM_ACTIONS, np.bool_)
MOST_EVENTS = 1 << 30  # far more than a game has, and far below the largest i4


@njit
def valid(s: State, t: Table) -> Any:
    """The index in `field_names(STATE)` of the first field found with a value that no game can reach; -1 if there is none."""
    found = (
        numbers(s, t)
        or units(s, t)
        or tiles(s, t)
        or tokens(s, t)
        or chain(s, t)
        or face_down(s, t)
        or cards(s, t, 0)
        or cards(s, t, 1)
        or masterpiece(s, t)
        or triggers(s, t)
        or frames(s, t)
        or events(s, t)
        or decision(s, t)
    )
    return found - 1


@njit
def numbers(s: State, t: Table) -> Any:
    """Single numbers are in their ranges."""
    if not 0 <= s.over <= 2:
        return FIELD.over
    if not 0 <= s.to_play < S.PLAYERS:
        return FIELD.to_play
    if (
        not -1 <= s.reward[0] <= 1
        or s.reward[0] % 1 != 0
        or s.reward[0] != -s.reward[1]
        or (s.over != 1 and s.reward[0] != 0)
    ):
        return FIELD.reward
    if not 1 <= s.turn <= t.max_turns:
        return FIELD.turn
    if not 0 <= s.turn_player < S.PLAYERS:
        return FIELD.turn_player
    if not 0 <= s.first < S.PLAYERS:
        return FIELD.first
    if not S.PH_SETUP <= s.phase <= S.PH_DEAL:
        return FIELD.phase
    if not S.D_NONE <= s.decision < S.DECISIONS or (s.decision == S.D_NONE) != (s.over != 0):
        return FIELD.decision
    if not 0 <= s.passes <= S.PLAYERS:
        return FIELD.passes
    for p in range(S.PLAYERS):
        if not 0 <= s.damage[p] <= S.LIVES:
            return FIELD.damage
        if not 0 <= s.form[p] <= (t.ascend_mode[p, 0] == S.ASCEND_BECOMES):
            return FIELD.form
        if not 0 <= s.ascended[p] <= (s.form[p] == 1 or t.ascend_mode[p, 0] != S.ASCEND_BECOMES):
            return FIELD.ascended
        if not 0 <= s.fallen[p] <= 1:
            return FIELD.fallen
        for k in range(S.COUNTERS):
            if not 0 <= s.counter[p, k] <= t.counter_most[p, k]:
                return FIELD.counter
        shown = 0
        for i in range(S.DICE):
            face = s.dice[p, i]
            if not 0 <= face <= (t.dice_sides[p] if i < t.dice[p] else 0):
                return FIELD.dice
            if i > 0 and i < t.dice[p] and face < s.dice[p, i - 1]:
                return FIELD.dice
            shown += face
        if t.dice_counter[p] >= 0 and shown != s.counter[p, t.dice_counter[p]]:
            return FIELD.dice
    return 0


@njit
def units(s: State, t: Table) -> Any:
    """Units and zones name each other; the artists are on the board."""
    for u in range(S.UNITS):
        z = s.unit_zone[u]
        if not -1 <= z < t.zones or (z < 0 and u % S.SLOTS == 0):
            return FIELD.unit_zone
        if z >= 0 and (t.slot_kind[u // S.SLOTS, u % S.SLOTS] < 0 or s.zone_unit[z] != u):
            return FIELD.unit_zone
        if not 0 <= s.unit_exhausted[u] <= (z >= 0):
            return FIELD.unit_exhausted
    for z in range(S.ZONES):
        u = s.zone_unit[z]
        if not -1 <= u < S.UNITS or (u >= 0 and s.unit_zone[u] != z):
            return FIELD.zone_unit
    return 0


@njit
def tiles(s: State, t: Table) -> Any:
    """Each tile lies in a zone or is left in the pool; those that wait for a cue are in the plan, once each."""
    for z in range(S.ZONES):
        tile = s.zone_tile[z]
        if not -1 <= tile < S.PLAYERS * S.TILES or (tile >= 0 and z >= t.zones):
            return FIELD.zone_tile
        directed = tile >= 0 and t.tile_directed[tile // S.TILES, tile % S.TILES] != 0
        if not 0 <= s.zone_way[z] <= (3 if directed else 0):
            return FIELD.zone_way
    for p in range(S.PLAYERS):
        planned = 0
        for k in range(S.TILES):
            lie = 0
            for z in range(S.ZONES):
                lie += s.zone_tile[z] == p * S.TILES + k
            if s.tile_left[p, k] < 0 or s.tile_left[p, k] + lie != t.tile_pool[p, k]:
                return FIELD.tile_left
            if t.tile_cue[p, k] >= 0:
                planned += lie
        if s.plan_size[p] != planned or planned > S.PLANS:
            return FIELD.plan_size
        for i in range(S.PLANS):
            z = s.plan[p, i]
            if i >= planned:
                if z != -1:
                    return FIELD.plan
                continue
            if not 0 <= z < t.zones or s.zone_tile[z] < 0:
                return FIELD.plan
            if s.zone_tile[z] // S.TILES != p or t.tile_cue[p, s.zone_tile[z] % S.TILES] < 0:
                return FIELD.plan
            for j in range(i):
                if s.plan[p, j] == z:
                    return FIELD.plan
    return 0


@njit
def tokens(s: State, t: Table) -> Any:
    """Each token is on a unit, in a zone, or left in the pool."""
    for p in range(S.PLAYERS):
        for k in range(S.TOKENS):
            most = t.token_pool[p, k] if t.token_stacks[p, k] else min(1, t.token_pool[p, k])
            count = np.int64(s.token_left[p, k])
            if count < 0:
                return FIELD.token_left
            for place in range(S.ZONES):
                n = s.token[place, p, k]
                there = place < t.zones
                if t.token_on_unit[p, k]:
                    there = place < S.UNITS and s.unit_zone[place] >= 0
                if not 0 <= n <= (most if there else 0):
                    return FIELD.token
                count += n
            if count != t.token_pool[p, k]:
                return FIELD.token_left
    return 0


@njit
def fits(s: State, t: Table, r: Number, value: Any) -> Flag:
    """Whether register `r` of a program can hold `value`."""
    if r < S.UNIT_REGS:
        return value == S.EMPTY or value == S.GONE or (0 <= value < S.UNITS and s.unit_zone[value] >= 0)
    return S.EMPTY <= value < (4 if r == S.R_WAY else t.zones)


@njit
def is_effect_of(t: Table, p: Player, c: Card, row: Row) -> Flag:
    """Whether `row` of the effect table belongs to card `c`."""
    for i in range(S.EFFECTS_OF_CARD):
        if row >= 0 and t.card_effects[p, c, i] == row:
            return True
    return False


@njit
def chain(s: State, t: Table) -> Any:
    """The cards on the chain have been played; only for the last may the play still be unfinished."""
    n = s.chain_size
    open_chain = s.phase == S.PH_PLAY or s.phase == S.PH_REACT or s.phase == S.PH_RESOLVE or s.phase == S.PH_REVEAL
    if not 0 <= n <= S.CHAIN or (n > 0 and not open_chain):
        return FIELD.chain_size
    for i in range(S.CHAIN):
        p, c, row, paid = s.chain[i].player, s.chain[i].card, s.chain[i].effect, s.chain[i].paid
        if not 0 <= p < (S.PLAYERS if i < n else 1):
            return FIELD.chain_player
        if not 0 <= c < (S.CARDS if i < n else 1):
            return FIELD.chain_card
        if not S.PLAY_NAMED <= paid <= S.PLAY_PAID:
            return FIELD.chain_paid
        if i >= n:
            if row != 0:
                return FIELD.chain_effect
            if paid != 0:
                return FIELD.chain_paid
            for r in range(S.REGS):
                if s.chain[i].regs[r] != 0:
                    return FIELD.chain_regs
            continue
        if not t.card_exists[p, c]:
            return FIELD.chain_card
        if (paid == S.PLAY_PAID) != (i < n - 1 or s.phase != S.PH_PLAY):
            return FIELD.chain_paid
        if paid == S.PLAY_NAMED:
            if row != -1:
                return FIELD.chain_effect
        elif not is_effect_of(t, p, c, row) or t.effect_kind[row] != (S.INTENTION if i == 0 else S.REACTION):
            return FIELD.chain_effect
        for r in range(S.REGS):
            value = s.chain[i].regs[r]
            if not fits(s, t, r, value) or (
                value != S.EMPTY and paid < (S.PLAY_PAYING if r == S.R_ME else S.PLAY_PAID)
            ):
                return FIELD.chain_regs
        me = s.chain[i].regs[S.R_ME]
        if me >= 0 and (me // S.SLOTS != p or t.slot_kind[p, me % S.SLOTS] != t.card_kind[p, c]):
            return FIELD.chain_regs
    return 0


@njit
def face_down(s: State, t: Table) -> Any:
    """Each face-down card has a Reaction and lies in a slot that the chain has not reached."""
    laid = np.int64(0)  # both players' counts in one number, player 1's times 8
    for i in range(S.CHAIN):
        c, p = s.face_down[i], s.face_down_player[i]
        if not -1 <= c < S.ACTIONS_CARDS:
            return FIELD.face_down
        if not 0 <= p < (S.PLAYERS if c >= 0 else 1):
            return FIELD.face_down_player
        if c >= 0:
            if i == 0 or i < s.chain_size or not t.card_reacts[p, c]:
                return FIELD.face_down
            if i == s.chain_size and s.phase != S.PH_PLAY and s.phase != S.PH_REVEAL and s.phase != S.PH_RESOLVE:
                return FIELD.face_down
            laid += 8 if p else 1
    if laid % 8 > t.face_down_most[0] or laid // 8 > t.face_down_most[1]:
        return FIELD.face_down_player
    return 0


@njit
def cards(s: State, t: Table, p: Player) -> Any:
    """Each copy of each card of player `p` lies in exactly one place, and what is known of the hand is true."""
    size = s.deck_size[p]
    if not 0 <= size <= S.DECK:
        return FIELD.deck_size
    for i in range(S.DECK):
        if not 0 <= s.deck[p, i] < S.ACTIONS_CARDS or (i >= size and s.deck[p, i] != 0):
            return FIELD.deck
    deck = s.deck[p]
    held, reactions = np.int64(0), np.int64(0)
    for c in range(S.ACTIONS_CARDS):
        hand = np.int64(s.hand[p, c])
        if not 0 <= hand <= S.HAND:
            return FIELD.hand
        if not 0 <= s.discard[p, c] <= (0 if s.phase == S.PH_DEAL else S.DECK):
            return FIELD.discard
        for i in range(S.CHAIN):
            hand += s.face_down[i] == c and s.face_down_player[i] == p
        count = hand + s.discard[p, c]
        for i in range(s.chain_size):
            count += s.chain[i].player == p and s.chain[i].card == c
        for i in range(size):
            count += deck[i] == c
        if count != t.card_copies[p, c]:
            return FIELD.deck
        if hand < known(s, t, p, c):
            return FIELD.hand
        held += hand
        if t.card_reacts[p, c]:
            reactions += hand - known(s, t, p, c)
    if held > S.HAND:
        return FIELD.hand
    if s.phase == S.PH_DEAL and t.first_game_hand:  # one of each lies on top: a set-up draws the last kind first
        for i in range(S.ACTIONS_CARDS):
            if i < held and s.hand[p, S.ACTIONS_CARDS - 1 - i] == 0:
                return FIELD.hand
    if not 0 <= s.known_reactions[p] <= reactions:
        return FIELD.known_reactions
    if not 0 <= s.fresh[p] <= S.HAND:  # some of those drawn may have left the hand
        return FIELD.fresh
    return 0


@njit
def masterpiece(s: State, t: Table) -> Any:
    """Each masterpiece card lies in at most one slot, and in none if it is lost."""
    for i in range(S.ROW):
        if not -1 <= s.row[i] < S.PLAYERS * S.PARTS:
            return FIELD.row
        for j in range(i):
            if s.row[i] >= 0 and s.row[i] == s.row[j]:
                return FIELD.row
    for p in range(S.PLAYERS):
        for part in range(S.PARTS):
            if not 0 <= s.lost_part[p, part] <= (t.replaced_masterpiece_lost != 0 and not is_placed(s, p, part)):
                return FIELD.lost_part
    return 0


@njit
def runs(t: Table, p: Player, what: Kind) -> Flag:
    """Whether player `p` has the trigger `what` (SRC_*)."""
    if not 0 <= what < S.SOURCES:
        return False
    if what < S.SRC_TOKEN:
        return t.trigger_event[p, what - S.SRC_PASSIVE] != S.T_NONE
    if what < S.SRC_TILE:
        return t.token_at[p, what - S.SRC_TOKEN] != 0
    return program_of(t, p, what) >= 0


@njit
def triggers(s: State, t: Table) -> Any:
    """Each waiting trigger can run; none is pending while a player chooses."""
    n = np.int64(s.waiting) + s.pending
    if s.waiting < 0 or n > S.WAITING:
        return FIELD.waiting
    if s.pending < 0 or (s.pending > 0 and s.over == 0):
        return FIELD.pending
    for i in range(n):
        one = s.trigger[i]
        p, unit, here, what = owner_of(one), unit_of(one), zone_of(one), what_of(one)
        cue = what >= S.SRC_CUE
        if not runs(t, p, what) or not fits(s, t, S.R_ME, unit) or here >= t.zones:
            return FIELD.trigger
        if here == S.EMPTY and (cue or S.SRC_TOKEN <= what < S.SRC_ASCENSION):
            return FIELD.trigger
        if here == S.GONE and not cue:
            return FIELD.trigger
        if cue and here >= 0 and s.zone_tile[here] != p * S.TILES + what - S.SRC_CUE:
            return FIELD.trigger
    for i in range(n, S.WAITING):
        if s.trigger[i] != 0:
            return FIELD.trigger
    return 0


@njit
def frames(s: State, t: Table) -> Any:
    """Each frame runs a program that can run here, at one of its rows, with values that its variables can have."""
    n, limit = s.frames, np.int64(t.trigger_limit)
    if not 0 <= n <= limit + 2:
        return FIELD.frames
    nested = np.int64(0)  # triggers
    visits = np.int64(0)
    for f in range(n):
        kind, p, pc = s.frame[f].kind, s.frame[f].player, np.int64(s.frame[f].pc)
        if not S.F_COST <= kind <= S.F_LAY:
            return FIELD.frame_kind
        if not 0 <= p < S.PLAYERS:
            return FIELD.frame_player
        if not 0 <= pc < S.CODE_ROWS:
            return FIELD.frame_pc
        if not (s.frame[f - 1].base if f else 0) <= s.frame[f].base <= s.waiting:
            return FIELD.frame_base
        nested += kind == S.F_TRIGGER
        start = pc
        while start > 0 and t.code[start - 1, 0] != S.OP_END:
            start -= 1
        field = frame(s, t, f, kind, p, pc, start)
        if field:
            return field
        # A program begins only if there is room for a loop over all units; a progress has no loop.
        if not 0 <= s.frame[f].loop <= (0 if kind == S.F_PROGRESS else S.UNITS):
            return FIELD.frame_loop
        if kind != S.F_PROGRESS and visits > S.VISITS - S.UNITS:
            return FIELD.frame_loop
        visits += s.frame[f].loop
        for r in range(S.REGS):
            if not fits(s, t, r, s.frame[f].regs[r]):
                return FIELD.frame_regs
    for f in range(n, S.FRAMES):
        if s.frame[f].pc != 0:
            return FIELD.frame_pc
        if s.frame[f].player != 0:
            return FIELD.frame_player
        if s.frame[f].kind != 0:
            return FIELD.frame_kind
        if s.frame[f].base != 0:
            return FIELD.frame_base
        if s.frame[f].loop != 0:
            return FIELD.frame_loop
        for r in range(S.REGS):
            if s.frame[f].regs[r] != 0:
                return FIELD.frame_regs
    if s.visits != visits:
        return FIELD.visits
    for i in range(S.VISITS):
        u = s.visit[i]
        if i >= visits:
            if u != 0:
                return FIELD.visit
        elif u != S.GONE and (not 0 <= u < S.UNITS or s.unit_zone[u] < 0):
            return FIELD.visit
    if nested > limit:
        return FIELD.frame_kind
    if not nested <= s.set_off <= (limit * limit if nested else 0):
        return FIELD.set_off
    if s.over == 0 and s.waiting != (s.frame[n - 1].base if n else 0):
        return FIELD.waiting
    return 0


@njit
def reacting(s: State) -> Any:
    """The player whose turn it is to react to the last card of the chain."""
    p = np.int64(s.chain[max(s.chain_size - 1, 0)].player)
    return p if s.passes else 1 - p


@njit
def frame(s: State, t: Table, f: Frame, kind: Kind, p: Player, pc: Row, start: Number) -> Flag:
    """0 if frame `f`, whose program begins at row `start`, fits where it is; else the field that does not."""
    i, me = s.chain_size - 1, s.frame[f].regs[S.R_ME]
    if kind == S.F_TRIGGER:
        if me != p * S.SLOTS:
            return FIELD.frame_regs
        if f == 0 and (s.chain_size > 0 or s.phase == S.PH_PLAY or s.phase == S.PH_REACT or s.phase == S.PH_RESOLVE):
            return FIELD.frame_kind
        for what in range(S.SOURCES):
            if runs(t, p, what) and program_of(t, p, what) == start:
                return 0
        return FIELD.frame_pc
    if (kind == S.F_PROGRESS or kind == S.F_LAY) and me != S.EMPTY:
        return FIELD.frame_regs
    if kind == S.F_PROGRESS:
        if f != s.frames - 1 or (f == 0 and s.phase != S.PH_DRAW):
            return FIELD.frame_kind
        return FIELD.frame_pc if pc != 0 else 0
    if f > 0:
        return FIELD.frame_kind
    if kind == S.F_LAY:
        c = s.frame[f].regs[S.R_FIRST]
        if s.frames != 1 or (s.phase != S.PH_MAIN and s.phase != S.PH_REACT):
            return FIELD.frame_kind
        if pc != 0:
            return FIELD.frame_pc
        if p != (s.turn_player if s.phase == S.PH_MAIN else reacting(s)):
            return FIELD.frame_player
        return 0 if 0 <= c < S.ACTIONS_CARDS and may_lay(s, t, p, c) else FIELD.frame_regs
    if s.phase != (S.PH_PLAY if kind == S.F_COST else S.PH_RESOLVE) or i < 0:
        return FIELD.frame_kind
    if p != s.chain[i].player:
        return FIELD.frame_player
    if me != s.chain[i].regs[S.R_ME]:
        return FIELD.frame_regs
    if kind == S.F_COST:
        if s.chain[i].paid != S.PLAY_PAYING:
            return FIELD.chain_paid
        return FIELD.frame_pc if start != t.effect_cost[s.chain[i].effect] else 0
    return FIELD.frame_pc if pc != 0 and start != t.effect_body[s.chain[i].effect] else 0


@njit
def events(s: State, t: Table) -> Any:
    """The events in the log name things that exist, and `shown` agrees with them."""
    if not 1 <= s.events < MOST_EVENTS:
        return FIELD.events
    for i in range(min(S.EVENTS, s.events)):
        e = s.event[i]
        kind = e[0]
        if not 1 <= kind < L.EVENT_KINDS:
            return FIELD.event
        for j in range(1, S.EVENT_WIDTH):
            if not LOW[kind, j] <= e[j] <= HIGH[kind, j]:
                return FIELD.event
        if not is_told(t, kind, e[1], e[2], e[3], e[4]):
            return FIELD.event
        if kind == L.E_TILE and e[2] != 2 and e[6] > 4:
            return FIELD.event
    for i in range(max(0, s.events - S.SHOWN), s.events):
        e, seen = s.event[i % S.EVENTS], s.shown[i % S.SHOWN]
        more = t.effect_number[e[3]] if e[0] == L.E_PLAY else e[0] == L.E_FACE_DOWN
        wanted = L.shown(e, np.int64(more))
        for j in range(len(wanted)):
            if seen[j] != wanted[j]:
                return FIELD.shown
    return 0


@njit
def is_told(t: Table, kind: Kind, p: Player, a: Number, b: Number, c: Number) -> Flag:
    """Whether the artists have what an event of player `p` names."""
    if kind == L.E_PLAY or kind == L.E_RESOLVE:
        return t.card_exists[p, a] != 0 and is_effect_of(t, p, a, b)
    if kind == L.E_DISCARD or kind == L.E_REVEAL or kind == L.E_FUTILE:
        return t.card_exists[p, a] != 0
    if kind == L.E_TRIGGER or kind == L.E_LEFT_OUT:
        return runs(t, p, a)
    if kind == L.E_TOKEN_UNIT or kind == L.E_TOKEN_ZONE:
        return t.token_exists[b, c] != 0
    if kind == L.E_TILE:
        return t.tile_pool[b, c] > 0
    if kind == L.E_COUNTER:
        return t.counter_most[p, a] > 0
    if kind == L.E_ROLL:
        return t.dice_counter[p] >= 0
    if kind == L.E_ASCEND:
        return a < 2 or t.ascend_mode[p, 0] == S.ASCEND_BECOMES
    return True


@njit
def decision(s: State, t: Table) -> Any:
    """The decision fits the phase and what runs, the right player makes it, and it has a legal action."""
    if s.over:
        return 0
    wanted, n, d = np.int64(-1), s.frames, s.decision
    if n == 0:
        i = s.chain_size - 1
        if d == S.D_MAIN:
            if s.phase != S.PH_MAIN:
                return FIELD.phase
            wanted = np.int64(s.turn_player)
        elif d == S.D_REACT:
            if s.phase != S.PH_REACT:
                return FIELD.phase
            if i < 0 or i == S.CHAIN - 1:
                return FIELD.chain_size
            if s.passes >= S.PLAYERS:
                return FIELD.passes
            wanted = reacting(s)
        elif d == S.D_EFFECT or d == S.D_USER:
            if s.phase != S.PH_PLAY:
                return FIELD.phase
            if i < 0:
                return FIELD.chain_size
            if s.chain[i].paid != (S.PLAY_NAMED if d == S.D_EFFECT else S.PLAY_DECLARED):
                return FIELD.chain_paid
            wanted = np.int64(s.chain[i].player)
            if d == S.D_USER and t.card_kind[wanted, s.chain[i].card] <= 0:
                return FIELD.decision
        else:
            return FIELD.decision
    else:
        f = n - 1
        kind = s.frame[f].kind
        wanted = np.int64(s.frame[f].player)
        outer = s.frame[0].kind
        if outer == S.F_TRIGGER and not (
            s.phase == S.PH_DEAL
            or s.phase == S.PH_MASTERPIECE
            or s.phase == S.PH_DRAW
            or s.phase == S.PH_DRAW_OTHER
            or s.phase == S.PH_MAIN
            or s.phase == S.PH_REFRESH
        ):
            return FIELD.phase
        if kind == S.F_LAY:
            if d != S.D_CHAIN_SLOT:
                return FIELD.decision
            if s.phase == S.PH_REACT and (s.chain_size == 0 or s.passes >= S.PLAYERS):
                return FIELD.passes
        elif kind == S.F_PROGRESS:
            first = s.frame[f].regs[S.R_FIRST]
            if d == S.D_SLOT:
                if not 0 <= first < S.PARTS or s.lost_part[wanted, first] or is_placed(s, wanted, first):
                    return FIELD.frame_regs
            elif d == S.D_SWAP_SECOND:
                if not 0 <= first < S.ROW:
                    return FIELD.frame_regs
            elif (d != S.D_PART and d != S.D_SWAP_FIRST) or first != S.EMPTY:
                return FIELD.decision
        else:
            op = t.code[max(np.int64(s.frame[f].pc) - 1, 0), 0]
            if not (
                (d == S.D_UNIT and op == S.OP_CHOOSE_UNIT)
                or (d == S.D_ZONE and op == S.OP_CHOOSE_ZONE)
                or (d == S.D_DIRECTION and op == S.OP_CHOOSE_WAY)
                or (d == S.D_BRANCH and op == S.OP_BRANCH)
                or (d == S.D_MAY and op == S.OP_MAY)
                or (d == S.D_DISCARD and op == S.OP_DISCARD)
            ):
                return FIELD.decision
    if s.to_play != wanted:
        return FIELD.to_play
    # The rules take an only action themselves; but in a determinized world the other player may be left with just one.
    mask = new_mask()
    mask[:] = False
    if fill(s, t, mask) == 0:
        return FIELD.decision
    return 0
