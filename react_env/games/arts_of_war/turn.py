"""The course of a game: set-up, the phases of a turn, and the loop that runs on to the next real decision (AW-S*, AW-T*)."""

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.decks import shuffle
from react_env.engine.rng import below
from react_env.engine.terms import Action, Card, Flag, Kind, Mask, Player, State, Table
from react_env.games.arts_of_war import actions as A
from react_env.games.arts_of_war import chain, effects, log
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.actions import fill, own_unit, own_way, own_zone
from react_env.games.arts_of_war.board import settle
from react_env.games.arts_of_war.masterpiece import own_slot, place_part, swap_slots

OPENING_HAND = 4  # AW-S3: as many as there are different cards


# ---------------------------------------------------------------------------------------------------------------- set-up


@njit
def deal(s: State, t: Table) -> None:
    """Set up a zeroed record: first player, shuffled decks, board (AW-S1 to AW-S4)."""
    s.first = t.first_player if t.first_player >= 0 else below(s, S.PLAYERS)
    s.turn = 1
    s.turn_player = s.first
    s.phase = S.PH_SETUP
    s.to_play = s.first
    s.unit_zone[:] = -1
    s.zone_unit[:] = -1
    s.zone_tile[:] = -1
    s.row[:] = -1
    s.face_down[:] = -1
    s.plan[:] = -1
    for p in range(S.PLAYERS):
        u = p * S.SLOTS
        s.unit_zone[u] = t.start_zone[p]
        s.zone_unit[t.start_zone[p]] = u
        for k in range(S.TOKENS):
            s.token_left[p, k] = t.token_pool[p, k]
        for k in range(S.TILES):
            s.tile_left[p, k] = t.tile_pool[p, k]
        for k in range(S.COUNTERS):
            if t.counter_start[p, k]:
                effects.gain(s, t, p, k, t.counter_start[p, k])
        if t.has_deck[p]:
            n = 0
            apart = np.int64(t.first_game_hand)  # one of each card stays out of the shuffle and goes on top (AW-S3)
            for c in range(S.ACTIONS_CARDS):
                for _ in range(t.card_copies[p, c] - apart):
                    s.deck[p, n] = c
                    n += 1
            shuffle(s, s.deck[p], 0, n)
            if apart:
                for c in range(S.ACTIONS_CARDS):
                    s.deck[p, n] = c
                    n += 1
            s.deck_size[p] = n


@njit
def deal_hand(s: State, t: Table, p: Player) -> None:
    """Deal player `p` the opening hand: the top cards of the deck, or with `first_game_hand` the topmost copy of each card (AW-S3).

    If a set-up has already filled the hand, further cards stay in the deck (AW-T4); but a `first_game_hand` still gets each card it lacks.
    """
    if not t.has_deck[p]:
        return
    for i in range(OPENING_HAND):
        n = s.deck_size[p] - 1
        place = n
        if t.first_game_hand:
            while place >= 0 and s.deck[p, place] != i:
                place -= 1
            if place < 0:
                continue
        if s.hand[p].sum() >= S.HAND and (not t.first_game_hand or s.hand[p, i] > 0):
            continue
        s.hand[p, s.deck[p, place]] += 1
        for j in range(place, n):
            s.deck[p, j] = s.deck[p, j + 1]
        s.deck[p, n] = 0
        s.deck_size[p] = n


# ---------------------------------------------------------------------------------------------------------------- phases


@njit
def push_turn_triggers(s: State, t: Table, mine: Flag, every: Flag) -> None:
    """Queue start-of-turn, end-of-turn or set-up effects: the turn player's first, each player's in file order (AW-T1, AW-T7, AW-S5)."""
    for i in range(S.PLAYERS):
        p = 1 - s.turn_player if i == 0 else s.turn_player  # what is queued last runs first
        for j in range(S.TRIGGERS - 1, -1, -1):
            event = t.trigger_event[p, j]
            if event == every or (event == mine and p == s.turn_player):
                effects.wait(s, p, S.EMPTY, S.EMPTY, S.SRC_PASSIVE + j)


@njit
def draw_phase(s: State, t: Table, p: Player) -> None:
    """Player `p` draws; an artist without a deck does what its sheet says instead (AW-T3, AW-T5)."""
    if t.has_deck[p]:
        effects.draw(s, t, p)
        return
    for j in range(S.TRIGGERS - 1, -1, -1):  # what is queued last runs first
        if t.trigger_event[p, j] == S.T_DRAW:
            effects.wait(s, p, S.EMPTY, S.EMPTY, S.SRC_PASSIVE + j)


@njit
def refresh_all(s: State) -> None:
    """Refresh every unit of both sides (AW-T7)."""
    for u in range(S.UNITS):
        s.unit_exhausted[u] = 0


@njit
def finish_turn(s: State, t: Table) -> None:
    """Return the tokens that last a turn to their pools, and begin the next turn or cut the game short (AW-T7, AW-T8)."""
    for p in range(S.PLAYERS):
        for k in range(S.TOKENS):
            if t.token_lasts_turn[p, k]:
                for place in range(S.ZONES):
                    s.token[place, p, k] = 0
                s.token_left[p, k] = t.token_pool[p, k]
    if s.turn >= t.max_turns:
        s.over = 2
        log.emit(s, log.E_TRUNCATED, 0)
        return
    s.turn += 1
    s.turn_player = 1 - s.turn_player
    s.phase = S.PH_BEGIN


@njit
def go_on(s: State, t: Table) -> None:
    """Take the next step that needs no choice, or set `s.decision`."""
    if s.pending:
        effects.order_triggers(s, t)
        return
    if effects.trigger_is_next(s):
        effects.begin_trigger(s, t)
        return
    if s.frames:
        f = s.frames - 1
        if effects.run(s, t):
            if f == 0:  # a cost, an effect or a trigger is done, with all that it triggered (AW-U8, AW-U9)
                settle(s, S.EMPTY)
                if s.over:
                    return
            kind = s.frame[f].kind
            if kind == S.F_COST:
                chain.finish_play(s, t)
                effects.pop_frame(s)
            elif kind == S.F_EFFECT:
                effects.pop_frame(s)
                chain.leave_chain(s)
            else:
                effects.pop_frame(s)
        return
    phase = s.phase
    if phase == S.PH_MAIN:
        s.to_play = s.turn_player
        s.decision = S.D_MAIN
    elif phase == S.PH_PLAY:
        s.to_play = s.chain[s.chain_size - 1].player
        stage = s.chain[s.chain_size - 1].paid
        if stage == S.PLAY_NAMED:
            s.decision = S.D_EFFECT
        elif stage == S.PLAY_DECLARED:
            s.decision = S.D_USER
    elif phase == S.PH_REACT:
        s.decision = S.D_REACT
    elif phase == S.PH_RESOLVE:
        if s.chain_size:
            chain.begin_effect(s, t)
        else:
            chain.take_back(s, t)
            s.phase = S.PH_MAIN
    elif phase == S.PH_REVEAL:
        chain.reveal(s, t)
    elif phase == S.PH_BEGIN:
        log.emit(s, log.E_TURN, s.turn_player, s.turn // 100, s.turn % 100)
        push_turn_triggers(s, t, S.T_START_MINE, S.T_START_EVERY)
        s.phase = S.PH_MASTERPIECE
    elif phase == S.PH_MASTERPIECE:
        s.phase = S.PH_DRAW
        if s.turn > 1:  # AW-T2
            effects.push_frame(s, S.F_PROGRESS, s.turn_player, 0, S.EMPTY)
            effects.begin_progress(s, t)
    elif phase == S.PH_DRAW:
        s.phase = S.PH_DRAW_OTHER
        draw_phase(s, t, np.int64(s.turn_player))
    elif phase == S.PH_DRAW_OTHER:
        s.phase = S.PH_MAIN
        draw_phase(s, t, np.int64(1 - s.turn_player))
    elif phase == S.PH_END:
        if t.refresh_before_effects:
            refresh_all(s)
        push_turn_triggers(s, t, S.T_END_MINE, S.T_END_EVERY)
        s.phase = S.PH_REFRESH
    elif phase == S.PH_REFRESH:
        if not t.refresh_before_effects:
            refresh_all(s)
        finish_turn(s, t)
    elif phase == S.PH_SETUP:
        push_turn_triggers(s, t, S.T_SETUP, S.T_SETUP)  # AW-S5
        s.phase = S.PH_DEAL
    elif phase == S.PH_DEAL:
        for p in range(S.PLAYERS):
            deal_hand(s, t, p)
        s.phase = S.PH_BEGIN


# ---------------------------------------------------------------------------------------------------------------- decisions


@njit
def take(s: State, t: Table, a: Action, forced: Flag) -> None:
    """Carry out action `a`, which is legal at the present decision."""
    decision = s.decision
    s.decision = S.D_NONE
    p = s.to_play
    if decision == S.D_MAIN:
        if a >= A.A_FACE_DOWN:
            choose_slot(s, p, a - A.A_FACE_DOWN)
        elif a >= A.A_INTENTION:
            chain.name_card(s, t, p, a - A.A_INTENTION)
        else:
            log.emit(s, log.E_END_TURN, p)
            chain.take_back(s, t)
            s.phase = S.PH_END
    elif decision == S.D_REACT:
        if a == A.A_PASS:
            log.emit(s, log.E_PASS, p, 1 if forced and t.forced_passes_announced else 0)
            s.passes += 1
            if s.passes == S.PLAYERS:
                s.phase = S.PH_RESOLVE
            else:
                s.to_play = 1 - p
        elif a >= A.A_FACE_DOWN:
            choose_slot(s, p, a - A.A_FACE_DOWN)
        else:
            chain.name_card(s, t, p, a - A.A_REACTION)
    elif decision == S.D_CHAIN_SLOT:
        c = s.frame[s.frames - 1].regs[S.R_FIRST]
        effects.pop_frame(s)
        chain.lay_face_down(s, p, c, a - A.A_SLOT)
    elif decision == S.D_EFFECT:
        c = s.chain[s.chain_size - 1].card
        for j in range(S.EFFECTS_OF_CARD):
            row = t.card_effects[p, c, j]
            if row < 0:
                break
            if (
                chain.is_on_side(s, t, p, row)
                and t.effect_number[row] == a - A.A_OPTION
                and t.effect_kind[row] == chain.kind_in_play(s)
            ):
                chain.declare_effect(s, t, row)
                break
    elif decision == S.D_USER:
        chain.begin_cost(s, t, p * S.SLOTS + a - A.A_UNIT)
    elif decision == S.D_PART or decision == S.D_SLOT or decision == S.D_SWAP_FIRST or decision == S.D_SWAP_SECOND:
        take_progress(s, t, p, a, decision)
    else:
        take_choice(s, t, p, a, decision)


@njit
def choose_slot(s: State, p: Player, c: Card) -> None:
    """Ask for the chain slot in which to lay action card `c` face down; the card waits in a frame without a program."""
    f = effects.push_frame(s, S.F_LAY, p, 0, S.EMPTY)
    s.frame[f].regs[S.R_FIRST] = c
    s.decision = S.D_CHAIN_SLOT


@njit
def take_progress(s: State, t: Table, p: Player, a: Action, decision: Kind) -> None:
    """Carry out a choice of a masterpiece progress (AW-M2 to AW-M4)."""
    f = s.frames - 1
    if a == A.A_DECLINE:
        log.emit(s, log.E_DECLINE, p)
        effects.pop_frame(s)
    elif decision == S.D_PART:
        s.frame[f].regs[S.R_FIRST] = a - A.A_OPTION
        s.decision = S.D_SLOT
    elif decision == S.D_SWAP_FIRST:
        s.frame[f].regs[S.R_FIRST] = own_slot(t, p, a - A.A_SLOT)
        s.decision = S.D_SWAP_SECOND
    else:
        first = s.frame[f].regs[S.R_FIRST]
        slot = own_slot(t, p, a - A.A_SLOT)
        effects.pop_frame(s)
        if decision == S.D_SLOT:
            place_part(s, t, p, first, slot)
        else:
            swap_slots(s, t, p, first, slot)


@njit
def take_choice(s: State, t: Table, p: Player, a: Action, decision: Kind) -> None:
    """Carry out a choice of the running part: a unit, zone, direction, branch, "may" or card to discard."""
    f = s.frames - 1
    op = t.code[s.frame[f].pc - 1]
    if decision == S.D_MAY:
        if a == A.A_DECLINE:
            log.emit(s, log.E_DECLINE, p)
            s.frame[f].pc = op[1]
    elif decision == S.D_BRANCH:
        s.frame[f].pc += a - A.A_OPTION
    elif decision == S.D_DISCARD:
        c = a - A.A_OPTION
        chain.leave_hand(s, t, p, c)
        s.discard[p, c] += 1
        log.emit(s, log.E_DISCARD, p, c)
    elif a == A.A_DECLINE:
        log.emit(s, log.E_DECLINE, p)
        s.frame[f].regs[op[1]] = S.EMPTY
    elif decision == S.D_DIRECTION:
        s.frame[f].regs[S.R_WAY] = own_way(p, a - A.A_DIRECTION)
    elif decision == S.D_UNIT:
        s.frame[f].regs[op[1]] = own_unit(p, a - A.A_UNIT)
    elif decision == S.D_ZONE:
        s.frame[f].regs[op[1]] = own_zone(t, p, a - A.A_ZONE)


@njit
def skip_choice(s: State, t: Table) -> None:
    """Skip a choice of a unit, a zone or a card that has no candidate: its variable stays empty (AW-C8)."""
    if s.decision == S.D_UNIT or s.decision == S.D_ZONE:
        f = s.frames - 1
        s.frame[f].regs[t.code[s.frame[f].pc - 1][1]] = S.EMPTY
    s.decision = S.D_NONE


@njit
def advance(s: State, t: Table, mask: Mask) -> None:
    """Go on until a player has a real choice or the game is over; `mask` then holds what is legal."""
    while True:  # this ends: valid.py says why
        if s.over:
            s.decision = S.D_NONE
            mask[:] = False
            return
        if s.decision == S.D_NONE:
            go_on(s, t)
            continue
        n = fill(s, t, mask)
        if n > 1:
            return
        if n == 0:
            skip_choice(s, t)
            continue
        a = 0
        while not mask[a]:
            a += 1
        take(s, t, a, True)


@njit
def reset(s: State, t: Table, mask: Mask) -> None:
    """Begin a game in a record that is all zero except its random stream, and go on to the first decision."""
    deal(s, t)
    advance(s, t, mask)


@njit
def apply(s: State, t: Table, a: Action, mask: Mask) -> None:
    """Carry out the legal action `a` and go on to the next decision; `mask` then holds what is legal there."""
    take(s, t, a, False)
    advance(s, t, mask)


@njit
def ahead(s: State, t: Table, a: Action, mask: Mask) -> None:
    """As `apply`, but everybody passes at reaction windows, and `mask` is right only if the next decision is unfinished."""
    take(s, t, a, False)
    while s.over == 0:
        if s.decision == S.D_NONE:
            go_on(s, t)
        elif s.decision == S.D_REACT:
            take(s, t, A.A_PASS, True)
        elif s.decision == S.D_MAIN:
            if A.can_begin(s, t):
                return
            take(s, t, A.A_END_TURN, True)
        else:
            n = fill(s, t, mask)
            if n > 1:
                return
            if n == 0:
                skip_choice(s, t)
            else:
                only = 0
                while not mask[only]:
                    only += 1
                take(s, t, only, True)
    s.decision = S.D_NONE
