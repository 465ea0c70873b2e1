"""What a player sees, as one flat int8 array: "me first" (own seat, own side of the board), in named pieces.

`LAYOUT` declares it and `observe` fills it. It shows nothing that is hidden from the player (AW-I1). The composition of decks is public,
so the opponent's hand, deck and face-down cards are shown as one heap: what lies nowhere else.
"""

from typing import Any

import numpy as np

from react_env.engine.bits import BLOCK, lowest_bit, not_negative
from react_env.engine.compile import njit
from react_env.engine.layout import Layout, names_of
from react_env.engine.terms import Features, Number, Player, State, Table, Zone
from react_env.games.arts_of_war import log
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.actions import own_unit, own_way, own_zone
from react_env.games.arts_of_war.masterpiece import own_slot, unplaced_count

PLAYER_FEATURES = 5 + S.TOKENS + 1 + S.COUNTERS + S.DICE
MOST_TOKENS = 12  # more tokens in one place are shown as 12
MOST_LOCKS = 5
PLANES = 22
WAY_FEATURES = 7
UNIT_FEATURES = 5
CHAIN_FEATURES = 11 + S.CARDS
FACE_DOWN_FEATURES = 2 + S.ACTIONS_CARDS
EVENT_FEATURES = 6

LAYOUT = Layout(
    [
        (
            "decision",
            (S.DECISIONS,),
            0,
            1,
            "what is to be decided, one-hot (all 0 for the player who is not to move)",
            names_of(S, "D_"),
        ),
        (
            "turn",
            (5,),
            0,
            [127, 1, 1, 1, 1],
            "turn number (at most 127), my turn, I began the game, one pass so far, I am player 1",
        ),
        (
            "players",
            (S.PLAYERS, PLAYER_FEATURES),
            0,
            [3, 1, S.HAND, S.DECK, S.PARTS, *[127] * S.TOKENS, 1, *[127] * S.COUNTERS, *[12] * S.DICE],
            "me, then them: damage, ascended, cards in hand, cards in deck, unplaced masterpiece cards, tokens left of each kind (3), the "
            "artist has become another, counters (3), what the dice show, lowest first (4)",
        ),
        ("hand", (S.ACTIONS_CARDS,), 0, S.HAND, "my hand, by card"),
        ("my_deck", (S.ACTIONS_CARDS,), 0, S.DECK, "what my deck holds, by card (its order is unknown)"),
        ("my_discard", (S.ACTIONS_CARDS,), 0, S.DECK, "my discard pile, by card"),
        ("their_hidden", (S.ACTIONS_CARDS,), 0, S.DECK, "their hand, deck and face-down cards together, by card"),
        ("their_discard", (S.ACTIONS_CARDS,), 0, S.DECK, "their discard pile, by card"),
        (
            "board",
            (S.ZONES, PLANES),
            0,
            [1, 1, 1, 1, 4, 1, *[MOST_TOKENS] * 6, 4, 4, 5, 5, 8, 8, 4, 4, S.PLANS, S.PLANS],
            "per zone: my artist, my summon, their artist, their summon, kind of summon, exhausted, my tokens by kind (3; in the zone or "
            "on its unit; 12 stands for more, too), their tokens by kind (3), my tile, their tile, how often my part of the chain has "
            "locked it, how often theirs has, steps from my artist, steps from theirs, direction of my tile (own view, + 1), of theirs, "
            "when my tile's turn comes at a cue (1 first), when theirs does",
        ),
        (
            "units",
            (S.UNITS, UNIT_FEATURES),
            0,
            [1, 4, 4, 1, MOST_TOKENS],
            "per unit, mine first: on the board, row, column, exhausted, tokens on it (at most 12)",
        ),
        (
            "ways",
            (4, WAY_FEATURES),
            0,
            [1, 1, 1, 1, MOST_TOKENS, MOST_TOKENS, 8],
            "what lies in each direction (own view) of the unit that acts now, else of my artist: wall, nothing, my unit, their unit, my "
            "tokens, their tokens, steps from there to their artist",
        ),
        (
            "chain",
            (S.CHAIN, CHAIN_FEATURES),
            0,
            [1, 1, *[1] * S.CARDS, 8, S.UNITS, S.UNITS, 5, 5, 1, 1, 1, 1],
            "per slot of the React Chain: mine, theirs, card (one-hot), number of the effect, unit that uses it, locked unit, row and "
            "column + 1 of the locked zone (of the last, if two), locked direction (one-hot)",
        ),
        (
            "running",
            (8,),
            0,
            [1, S.UNITS, S.UNITS, 5, 5, 5, 5, 5],
            "the effect or cost that runs: it is mine, its unit, the first unit chosen in it, row and column + 1 of the first and of the "
            "second zone, and one more: the option of a choice between effects that runs, masterpiece card or slot + 1 chosen so far, or "
            "action card + 1 that I am about to lay face down",
        ),
        (
            "face_down",
            (S.CHAIN, FACE_DOWN_FEATURES),
            0,
            1,
            "per slot of the React Chain: a face-down card of mine, one of theirs, which of my action cards (one-hot)",
        ),
        (
            "returned",
            (S.PLAYERS,),
            0,
            S.HAND,
            "cards that lay face down and are known to have a Reaction: in my hand, in theirs",
        ),
        (
            "masterpiece",
            (S.ROW, S.PLAYERS * S.PARTS),
            0,
            1,
            "per slot, from my side: which of my three cards lies there, which of theirs (one-hot)",
        ),
        (
            "history",
            (S.SHOWN, EVENT_FEATURES),
            [0, 0, 0, 0, 0, 0],
            [log.EVENT_KINDS - 1, 2, S.CARDS, S.UNITS, S.ZONES, 127],
            "the last public events, newest first: kind, by me (1) or them (2), card, unit, zone (each + 1), further number",
            names_of(log, "E_"),
        ),
        (
            "cards",
            (S.PLAYERS, S.CARDS, S.CARD_FEATURES),
            0,
            1,
            "what each card is and does, mine first: action card, has Intention, has Reaction, cost: exhaust, lock zone, lock direction, "
            "lock unit, pays token, card or counter; effect: damage, move, swap, summon, token, draw, progress, block, tile or cue, "
            "counter, refresh, removal of a summon",
        ),
        (
            "artists",
            (S.PLAYERS, S.ARTIST_FEATURES),
            0,
            1,
            "what the artists are, mine first: has a deck, is immune, has summons that it must not lose, may lay cards face down, has "
            "units attached to it, ascends until that is used, becomes another, has dice",
        ),
    ]
)

O_DECISION = LAYOUT["decision"].start
O_TURN = LAYOUT["turn"].start
O_PLAYERS = LAYOUT["players"].start
O_HAND = LAYOUT["hand"].start
O_MY_DECK = LAYOUT["my_deck"].start
O_MY_DISCARD = LAYOUT["my_discard"].start
O_THEIR_HIDDEN = LAYOUT["their_hidden"].start
O_THEIR_DISCARD = LAYOUT["their_discard"].start
O_BOARD = LAYOUT["board"].start
O_UNITS = LAYOUT["units"].start
O_WAYS = LAYOUT["ways"].start
O_CHAIN = LAYOUT["chain"].start
O_RUNNING = LAYOUT["running"].start
O_MASTERPIECE = LAYOUT["masterpiece"].start
O_HISTORY = LAYOUT["history"].start
O_FACE_DOWN = LAYOUT["face_down"].start
O_RETURNED = LAYOUT["returned"].start
O_CARDS = LAYOUT["cards"].start
assert LAYOUT["artists"].stop == O_CARDS + S.SEEN  # the last two pieces are copied together
B_TOKENS, B_TILES, B_TARGETS, B_STEPS, B_WAYS, B_PLANS = 6, 12, 14, 16, 18, 20


@njit(noalias=True)
def observe(s: State, t: Table, p: Player, out: Features) -> None:
    """Fill `out` (int8, LAYOUT.size) with what player `p` sees."""
    out[:O_CARDS] = 0
    me, them = p, 1 - p
    if s.to_play == p and not s.over:
        out[O_DECISION + s.decision] = 1
    out[O_TURN] = min(s.turn, 127)
    out[O_TURN + 1] = s.turn_player == p
    out[O_TURN + 2] = s.first == p
    out[O_TURN + 3] = s.passes == 1
    out[O_TURN + 4] = p
    for i in range(S.PLAYERS):
        observe_player(s, p if i == 0 else 1 - p, out, O_PLAYERS + i * PLAYER_FEATURES)
    for c in range(S.ACTIONS_CARDS):
        out[O_HAND + c] = s.hand[me, c]
        out[O_MY_DISCARD + c] = s.discard[me, c]
        out[O_THEIR_DISCARD + c] = s.discard[them, c]
        # A deck holds what lies nowhere else; cards on the chain are subtracted below.
        out[O_MY_DECK + c] = t.card_copies[me, c] - s.hand[me, c] - s.discard[me, c]
        out[O_THEIR_HIDDEN + c] = t.card_copies[them, c] - s.discard[them, c]
    observe_board(s, t, p, out)
    observe_ways(s, t, p, out)
    observe_chain(s, t, p, out)
    observe_face_down(s, p, out)
    for i in range(S.ROW):
        if s.row[i] >= 0:
            slot = own_slot(t, p, i)
            owner = 0 if s.row[i] // S.PARTS == p else 1
            out[O_MASTERPIECE + slot * S.PLAYERS * S.PARTS + owner * S.PARTS + s.row[i] % S.PARTS] = 1
    observe_history(s, t, p, out)


@njit(noalias=True)
def observe_player(s: State, q: Player, out: Features, at: Number) -> None:
    """The public numbers of player `q`."""
    out[at] = s.damage[q]
    out[at + 1] = s.ascended[q]
    out[at + 2] = s.hand[q, 0] + s.hand[q, 1] + s.hand[q, 2] + s.hand[q, 3]
    out[at + 3] = s.deck_size[q]
    out[at + 4] = unplaced_count(s, q)
    for k in range(S.TOKENS):
        out[at + 5 + k] = s.token_left[q, k]
    out[at + 5 + S.TOKENS] = s.form[q]
    for k in range(S.COUNTERS):
        out[at + 6 + S.TOKENS + k] = s.counter[q, k]
    for k in range(S.DICE):
        out[at + 6 + S.TOKENS + S.COUNTERS + k] = s.dice[q, k]


@njit(noalias=True)
def observe_board(s: State, t: Table, p: Player, out: Features) -> None:
    """Units, tokens and tiles: the planes and the unit rows."""
    # Zone z is own zone turned + step * z.
    turned, step = np.int64((t.zones - 1) * p), np.int64(1 - 2 * p)
    tokens_on_units = False
    for q in range(S.PLAYERS):
        for k in range(S.TOKENS):
            tokens_on_units |= t.token_on_unit[q, k] != 0 and s.token_left[q, k] != t.token_pool[q, k]
    there = not_negative(s.unit_zone, 0)
    if p == 1:
        there = (there >> S.SLOTS | there << S.SLOTS) & ((1 << S.UNITS) - 1)
    while there:
        i = lowest_bit(there)
        there &= there - 1
        u = own_unit(p, i)
        own = turned + step * s.unit_zone[u]
        at = O_BOARD + own * PLANES
        unit = O_UNITS + i * UNIT_FEATURES
        out[at + 2 * (i >= S.SLOTS) + (i % S.SLOTS != 0)] = 1
        out[at + 4] = t.slot_kind[u // S.SLOTS, u % S.SLOTS]  # 0 of an artist
        out[at + 5] = s.unit_exhausted[u]
        out[unit] = 1
        out[unit + 1] = t.row_of[own]
        out[unit + 2] = t.column_of[own]
        out[unit + 3] = s.unit_exhausted[u]
        if tokens_on_units:
            for k in range(S.TOKENS):
                mine = s.token[u, p, k] * t.token_on_unit[p, k]
                his = s.token[u, 1 - p, k] * t.token_on_unit[1 - p, k]
                out[at + B_TOKENS + k] = min(mine, MOST_TOKENS)
                out[at + B_TOKENS + S.TOKENS + k] = min(his, MOST_TOKENS)
                out[unit + 4] = min(out[unit + 4] + mine + his, MOST_TOKENS)
    for q in range(S.PLAYERS):
        base = B_TOKENS if q == p else B_TOKENS + S.TOKENS
        for k in range(S.TOKENS):
            if t.token_on_unit[q, k] or s.token_left[q, k] == t.token_pool[q, k]:
                continue
            for z in range(t.zones):
                out[O_BOARD + own_zone(t, p, z) * PLANES + base + k] = min(s.token[z, q, k], MOST_TOKENS)
    laid = not_negative(s.zone_tile, 0) | not_negative(s.zone_tile, S.ZONES - BLOCK) << (S.ZONES - BLOCK)
    laid &= (1 << np.int64(t.zones)) - 1
    while laid:
        z = lowest_bit(laid)
        laid &= laid - 1
        q, k = s.zone_tile[z] // S.TILES, s.zone_tile[z] % S.TILES
        at = O_BOARD + (turned + step * z) * PLANES + (q != p)
        out[at + B_TILES] = k + 1
        if t.tile_directed[q, k]:
            out[at + B_WAYS] = own_way(p, s.zone_way[z]) + 1
    for q in range(S.PLAYERS):
        for i in range(s.plan_size[q]):
            out[O_BOARD + own_zone(t, p, s.plan[q, i]) * PLANES + B_PLANS + (q != p)] = i + 1


@njit
def note_lock(out: Features, z: Zone, theirs: Any) -> None:
    """Count a lock of zone `z` by the chain; `theirs` is 1 for the opponent's part of the chain."""
    at = O_BOARD + z * PLANES + B_TARGETS + theirs
    out[at] = min(out[at] + 1, MOST_LOCKS)


@njit(noalias=True)
def observe_ways(s: State, t: Table, p: Player, out: Features) -> None:
    """Steps to the artists, and what lies around the unit that acts."""
    mine, theirs = s.unit_zone[p * S.SLOTS], s.unit_zone[(1 - p) * S.SLOTS]
    # The board looks the same from both sides, so distances need not be turned.
    from_mine, from_theirs = t.distance[own_zone(t, p, mine)], t.distance[own_zone(t, p, theirs)]
    for z in range(t.zones):
        at = O_BOARD + z * PLANES + B_STEPS
        out[at] = from_mine[z]
        out[at + 1] = from_theirs[z]
    here = mine
    if s.frames:
        u = s.frame[s.frames - 1].regs[S.R_ME]
        kind = s.frame[s.frames - 1].kind
        if kind != S.F_PROGRESS and kind != S.F_LAY and u >= 0 and s.unit_zone[u] >= 0:
            here = s.unit_zone[u]
    for way in range(4):
        at = O_WAYS + own_way(p, way) * WAY_FEATURES
        z = t.neighbour[here, way]
        if z < 0:
            out[at] = 1
            continue
        u = s.zone_unit[z]
        if u < 0:
            out[at + 1] = 1
        else:
            out[at + (2 if u // S.SLOTS == p else 3)] = 1
        ours, others = 0, 0
        for k in range(S.TOKENS):
            ours += s.token[z, p, k] * (1 - t.token_on_unit[p, k])
            others += s.token[z, 1 - p, k] * (1 - t.token_on_unit[1 - p, k])
        out[at + 4] = min(ours, MOST_TOKENS)
        out[at + 5] = min(others, MOST_TOKENS)
        out[at + 6] = t.distance[z, theirs]


@njit(noalias=True)
def observe_chain(s: State, t: Table, p: Player, out: Features) -> None:
    """The React Chain, what it has locked, and the effect that runs."""
    for i in range(s.chain_size):
        at = O_CHAIN + i * CHAIN_FEATURES
        theirs = s.chain[i].player != p
        out[at + theirs] = 1
        out[at + 2 + s.chain[i].card] = 1
        if s.chain[i].card < S.ACTIONS_CARDS:
            out[(O_THEIR_HIDDEN if theirs else O_MY_DECK) + s.chain[i].card] -= 1
        if s.chain[i].effect >= 0:
            out[at + 2 + S.CARDS] = t.effect_number[s.chain[i].effect] + 1
        regs = s.chain[i].regs
        if s.chain[i].paid != S.PLAY_PAID and s.frames:
            regs = s.frame[0].regs  # the cost that is being paid
        at += 3 + S.CARDS
        if regs[S.R_ME] >= 0:
            out[at] = own_unit(p, regs[S.R_ME]) + 1
        if regs[S.R_UNIT] >= 0:
            out[at + 1] = own_unit(p, regs[S.R_UNIT]) + 1
            if s.unit_zone[regs[S.R_UNIT]] >= 0:
                note_lock(out, own_zone(t, p, s.unit_zone[regs[S.R_UNIT]]), theirs)
        for r in range(S.R_ZONE, S.R_WAY):
            if regs[r] >= 0:
                z = own_zone(t, p, regs[r])
                out[at + 2] = t.row_of[z] + 1
                out[at + 3] = t.column_of[z] + 1
                note_lock(out, z, theirs)
        if regs[S.R_WAY] >= 0:
            out[at + 4 + own_way(p, regs[S.R_WAY])] = 1
    if s.frames:
        f = s.frames - 1
        regs = s.frame[f].regs
        if s.frame[f].kind == S.F_LAY:
            if s.frame[f].player == p:
                out[O_RUNNING] = 1
                out[O_RUNNING + 7] = regs[S.R_FIRST] + 1
            return
        out[O_RUNNING] = s.frame[f].player == p
        if s.frame[f].kind == S.F_PROGRESS:
            if regs[S.R_FIRST] >= 0:
                chosen = own_slot(t, p, regs[S.R_FIRST]) if s.decision == S.D_SWAP_SECOND else regs[S.R_FIRST]
                out[O_RUNNING + 7] = chosen + 1
            return
        if regs[S.R_ME] >= 0:
            out[O_RUNNING + 1] = own_unit(p, regs[S.R_ME]) + 1
        if regs[S.R_UNIT] >= 0:
            out[O_RUNNING + 2] = own_unit(p, regs[S.R_UNIT]) + 1
        for r in range(S.R_ZONE, S.R_WAY):
            if regs[r] >= 0:
                z = own_zone(t, p, regs[r])
                out[O_RUNNING + 3 + 2 * (r - S.R_ZONE)] = t.row_of[z] + 1
                out[O_RUNNING + 4 + 2 * (r - S.R_ZONE)] = t.column_of[z] + 1
        out[O_RUNNING + 7] = t.option[s.frame[f].pc - 1]


@njit(noalias=True)
def observe_face_down(s: State, p: Player, out: Features) -> None:
    """The face-down cards on the chain, of which the player knows only their own, and those that have returned."""
    for i in range(S.CHAIN):
        if s.face_down[i] >= 0:
            at = O_FACE_DOWN + i * FACE_DOWN_FEATURES
            if s.face_down_player[i] == p:
                out[at] = 1
                out[at + 2 + s.face_down[i]] = 1
                out[O_MY_DECK + s.face_down[i]] -= 1
            else:
                out[at + 1] = 1
    for i in range(S.PLAYERS):
        out[O_RETURNED + i] = s.known_reactions[p if i == 0 else 1 - p]


@njit(noalias=True)
def observe_history(s: State, t: Table, p: Player, out: Features) -> None:
    """The last events, newest first. Branches here would be unpredictable, so factors of 0 or 1 replace them."""
    beyond = np.int64(t.zones) + 1
    for i in range(min(S.SHOWN, s.events)):
        event = s.shown[(s.events - 1 - i) % S.SHOWN]
        unit, zone = np.int64(event[3]), np.int64(event[4])
        at = O_HISTORY + i * EVENT_FEATURES
        out[at] = event[0]
        out[at + 1] = event[1] ^ (3 * p)
        out[at + 2] = event[2]
        out[at + 3] = (((unit - 1) ^ (S.SLOTS * p)) + 1) * (unit != 0)
        out[at + 4] = zone + p * (beyond - 2 * zone) * (zone != 0)
        out[at + 5] = event[5]
