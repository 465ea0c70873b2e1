"""Set-up, the phases of a turn, and what each choice leads to."""

from typing import Any

from react_env.engine.compile import njit
from react_env.engine.decks import shuffle
from react_env.engine.rng import below
from react_env.engine.terms import Action, Card, Mask, Number, Player, State, Table, Zone
from react_env.games.reality_tcg import actions as A
from react_env.games.reality_tcg import battle as B
from react_env.games.reality_tcg import log
from react_env.games.reality_tcg import state as S

# -- set-up ------------------------------------------------------------------------------------------------------------------


@njit
def reset(s: State, t: Table, mask: Mask) -> None:
    """Set up decks, hands and the first player, up to the first decision (RT-D1 to RT-D3)."""
    for p in range(S.PLAYERS):
        s.list[p] = below(s, t.lists) if t.drawn else p
        for k in range(t.kinds):
            for _ in range(t.cards[s.list[p], k]):
                s.deck[p, s.deck_size[p]] = k
                s.deck_size[p] += 1
        shuffle(s, s.deck[p], 0, s.deck_size[p])
        for z in range(S.ZONES):
            B.leave(s, p, z)
        for i in range(S.TRAPS):
            s.trap[p, i] = S.NOTHING
        s.land[p] = S.NOTHING
        s.ip[p] = t.ip
    s.pending = S.NOTHING
    s.first = below(s, S.PLAYERS)
    s.whose = s.first
    log.emit(s, log.E_BEGIN, s.first)
    for i in range(S.PLAYERS):
        B.draw(s, t, (s.first + i) % S.PLAYERS, S.HAND)
    s.to_play = s.first
    if t.mulligans > 0:
        s.phase = S.P_MULLIGAN
        s.decision = S.D_MULLIGAN
    else:
        first_turn(s, t)
        go_on(s, t)
    settle(s, t, mask)


@njit
def end_mulligan(s: State, t: Table) -> None:
    """Shuffle the returned cards into the deck and draw one fewer (RT-D4). A player who may return cards again is asked again (G-22)."""
    p = s.to_play
    for k in range(t.kinds):
        for _ in range(s.returned[k]):
            s.deck[p, s.deck_size[p]] = k
            s.deck_size[p] += 1
        s.returned[k] = 0
    number = s.returning
    s.returning = 0
    log.emit(s, log.E_MULLIGAN, p, -1, number)
    if number > 0:
        shuffle(s, s.deck[p], 0, s.deck_size[p])
        B.draw(s, t, p, number - 1)
    s.mulligans += 1
    if number > 0 and s.mulligans < t.mulligans:
        return
    s.mulligans = 0
    if p == s.first:
        s.to_play = 1 - p
    else:
        first_turn(s, t)


@njit
def first_turn(s: State, t: Table) -> None:
    """Begin the first turn."""
    s.whose = 1 - s.first
    begin_turn(s, t)


# -- turns -------------------------------------------------------------------------------------------------------------------


@njit
def begin_turn(s: State, t: Table) -> None:
    """Begin the next player's turn (RT-T1). After the last turn of the game, IP decide (G-3)."""
    if s.turn == t.max_turns:
        log.emit(s, log.E_CUT, S.NOBODY)
        B.win(s, 0 if s.ip[0] > s.ip[1] else 1 if s.ip[1] > s.ip[0] else S.NOBODY)
        return
    s.turn += 1
    s.whose = 1 - s.whose
    p = s.whose
    s.attacked = 0
    s.summons = 0
    s.phase = S.P_START
    for q in range(S.PLAYERS):
        if q == p or t.energy_grows_every_turn:
            s.energy[q] = min(s.energy[q] + 1, S.MOST_ENERGY)
    s.ready[p] = s.energy[p]
    log.emit(s, log.E_TURN, p, -1, s.energy[p])
    for z in range(S.ZONES):
        if s.kind[p, z] >= 0:
            if t.hp_damage_own_turn:
                s.hp[p, z] = t.hp[s.kind[p, z]]
            if t.broken_def_own_turn:
                s.df[p, z] = t.df[s.kind[p, z]]
    if s.land[p] >= 0 and t.word[s.land[p]] == S.X_QUARTER:
        for q in range(S.PLAYERS):
            for z in range(S.ZONES):
                if s.kind[q, z] >= 0 and s.position[q, z] == S.DEFENSE:
                    B.restore(s, t, q, z, t.amount[s.land[p]])
    if s.locked[p]:  # the wait ends here at the latest (G-15)
        s.locked[p] = 0
        s.refills |= 1 << p


@njit
def end_turn(s: State, t: Table) -> None:
    """End the turn (RT-T5) and begin the next."""
    p = s.whose
    for z in range(S.BACK, S.ZONES):
        k = s.kind[p, z]
        if k >= 0 and t.word[k] == S.X_CARE:
            B.heal(s, t, p, S.ACTIVE, t.amount[k])
    for q in range(S.PLAYERS):
        for z in range(S.ZONES):
            s.boost[q, z] = 0
    begin_turn(s, t)


@njit
def go_on(s: State, t: Table) -> None:
    """With nothing pending, go to the next decision of the turn."""
    while s.over == 0:
        if s.refills:
            p = 1 - s.whose if s.refills >> (1 - s.whose) & 1 else s.whose
            if s.kind[p, S.ACTIVE] < 0 and s.locked[p] == 0 and A.may_refill(s, t, p):
                s.decision = S.D_REFILL
                s.to_play = p
                return
            s.refills &= ~(1 << p)
        elif s.phase == S.P_START:
            s.phase = S.P_TACTIC_1
            s.moved = 0
            if s.turn > 1 or t.first_draws:
                B.draw(s, t, s.whose, 1)
        elif s.phase == S.P_BATTLE:
            if A.can_attack(s, t):
                s.decision = S.D_BATTLE
                s.to_play = s.whose
                return
            s.phase = S.P_TACTIC_2
            s.moved = 0
        elif s.phase == S.P_END:
            if s.hand_size[s.whose] > t.hand_limit:
                s.decision = S.D_DISCARD
                s.to_play = s.whose
                return
            end_turn(s, t)
        else:
            s.decision = S.D_TACTIC
            s.to_play = s.whose
            return


# -- choices -----------------------------------------------------------------------------------------------------------------


@njit
def declare(s: State, t: Table, what: Any, p: Player, k: Card, target: Zone) -> None:
    """Put something on the chain. If the chain was empty, the player whose turn it is not is asked first (G-19)."""
    first = 1 - p
    if s.links == 0:
        first = s.whose if t.answers_first_active else 1 - s.whose
    B.push(s, what, p, k, target)
    B.ask(s, t, first)


@njit
def play(s: State, t: Table, p: Player, k: Card) -> None:
    """Play a card from the hand and pay its cost (RT-E2), or set a Trap."""
    s.hand[p, k] -= 1
    s.hand_size[p] -= 1
    if t.sort[k] == S.TRAP:
        for i in range(t.trap_zone):
            if s.trap[p, i] < 0:
                s.trap[p, i] = k
                s.set_in[p, i] = s.turn
                break
        log.emit(s, log.E_SET, p)
        declare(s, t, S.C_DONE, p, 0, S.DONE)
        return
    s.ready[p] -= t.cost[k]
    if t.sort[k] == S.CHARACTER:
        s.pending = k
        s.decision = S.D_PLACE
    elif t.sort[k] == S.FOOD or t.word[k] == S.X_SWAP:
        s.pending = k
        s.decision = S.D_TARGET
    else:
        log.emit(s, log.E_PLAY, p, k)
        declare(s, t, S.C_CARD, p, k, 0)


@njit
def answer(s: State, t: Table, p: Player, k: Card) -> None:
    """Answer with Food or with a Trap; a set Trap is used before one in hand."""
    if t.sort[k] == S.FOOD:
        play(s, t, p, k)
        return
    i = A.set_place(s, t, p, k)
    if i >= 0:
        s.trap[p, i] = S.NOTHING
        s.set_in[p, i] = 0
    else:
        s.hand[p, k] -= 1
        s.hand_size[p] -= 1
    s.ready[p] -= t.cost[k]
    log.emit(s, log.E_PLAY, p, k)
    declare(s, t, S.C_CARD, p, k, 0)


@njit
def enter(s: State, t: Table, p: Player, number: Number) -> None:
    """The Character being played enters a zone in a position (RT-F3)."""
    k = s.pending
    z = S.ACTIVE if number < 2 else A.free_back(s, p)
    s.pending = S.NOTHING
    s.kind[p, z] = k
    s.position[p, z] = number & 1
    s.hp[p, z] = t.hp[k]
    s.df[p, z] = t.df[k]
    s.boost[p, z] = 0
    s.entered[p, z] = s.turn
    s.turned[p, z] = 0
    s.summons += 1
    log.emit(s, log.E_SUMMON, p, k, number)
    declare(s, t, S.C_SUMMON, p, k, z)


@njit
def tactic(s: State, t: Table, p: Player, action: Action) -> None:
    """Carry out a choice in a Tactic Phase."""
    if action == A.A_PASS:
        if s.phase == S.P_TACTIC_1:
            s.phase = S.P_BATTLE
        else:
            s.phase = S.P_END
            if t.end_answered:  # by the other player: this one has just passed (G-28)
                B.push(s, S.C_DONE, p, 0, S.ENDING)
                s.passes = 1
                B.ask(s, t, 1 - p)
        return
    if action < A.A_PASS:
        play(s, t, p, action - A.A_CARD)
        return
    if action < A.A_MOVE:
        z = action - A.A_TURN
        s.position[p, z] = 1 - s.position[p, z]
        s.turned[p, z] = s.turn
        log.emit(s, log.E_TURNED, p, s.kind[p, z], s.position[p, z])
    else:
        z = A.free_back(s, p) if action == A.A_BACK else action - A.A_MOVE + 1
        B.exchange(s, p, S.ACTIVE, z)
        s.moved += 1
        log.emit(s, log.E_MOVE, p, s.kind[p, S.ACTIVE], z)
    declare(s, t, S.C_DONE, p, 0, S.DONE)


@njit
def act(s: State, t: Table, action: Action) -> None:
    """Carry out the chosen action, and go to the next decision."""
    p, decision = s.to_play, s.decision
    s.decision = S.D_NONE
    if decision == S.D_MULLIGAN:
        if action != A.A_PASS:
            k = action - A.A_CARD
            s.hand[p, k] -= 1
            s.hand_size[p] -= 1
            s.returned[k] += 1
            s.returning += 1
        if action == A.A_PASS or s.returning == S.MULLIGAN:
            end_mulligan(s, t)
        if s.turn == 0:
            s.decision = S.D_MULLIGAN
            return
    elif decision == S.D_TACTIC:
        tactic(s, t, p, action)
    elif decision == S.D_PLACE:
        enter(s, t, p, action - A.A_PLACE)
    elif decision == S.D_TARGET:
        k, z = s.pending, action - A.A_TARGET
        s.pending = S.NOTHING
        log.emit(s, log.E_PLAY, p, k, z + 1)
        declare(s, t, S.C_CARD, p, k, z)
    elif decision == S.D_BATTLE:
        if action == A.A_PASS:
            s.phase = S.P_TACTIC_2
            s.moved = 0
        elif action == A.A_ATTACK:
            s.attacked = 1
            log.emit(s, log.E_ATTACK, p, s.kind[p, S.ACTIVE])
            declare(s, t, S.C_ATTACK, p, s.kind[p, S.ACTIVE], 0)
        else:
            play(s, t, p, action - A.A_CARD)
    elif decision == S.D_ANSWER:
        if action == A.A_PASS:
            s.passes += 1
            B.ask(s, t, 1 - p)
        else:
            answer(s, t, p, action - A.A_CARD)
    elif decision == S.D_REFILL:
        s.refills &= ~(1 << p)
        if action != A.A_PASS:
            z = action - A.A_TARGET
            B.exchange(s, p, S.ACTIVE, z)
            log.emit(s, log.E_REFILL, p, s.kind[p, S.ACTIVE], z)
    elif decision == S.D_DISCARD:
        k = action - A.A_CARD
        s.hand[p, k] -= 1
        s.hand_size[p] -= 1
        s.gone[p, k] += 1
        log.emit(s, log.E_DISCARD, p, k)
    if s.decision == S.D_NONE:
        go_on(s, t)


@njit
def settle(s: State, t: Table, mask: Mask) -> None:
    """Go on to a decision with more than one legal action, or to the end."""
    while s.over == 0:
        A.legal(s, t, mask)
        count = 0
        only = 0
        for a in range(mask.shape[0]):
            if mask[a]:
                count += 1
                only = a
        if count > 1:
            return
        act(s, t, only)
    mask[:] = False


@njit
def apply(s: State, t: Table, action: Action, mask: Mask) -> None:
    """Take a legal action, and go on to the next decision."""
    s.reward[:] = 0.0
    act(s, t, action)
    settle(s, t, mask)
