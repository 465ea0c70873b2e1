"""Damage, what cards do, and the chain on which they wait for answers."""

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.terms import Card, Flag, Kind, Number, Player, State, Table, Zone
from react_env.games.reality_tcg import actions as A
from react_env.games.reality_tcg import log
from react_env.games.reality_tcg import state as S


@njit
def win(s: State, p: Player) -> None:
    """End the game; player `p` has won, or nobody (NOBODY)."""
    s.over = 1
    s.decision = S.D_NONE
    s.links = 0
    s.refills = 0
    s.pending = S.NOTHING
    if p >= 0:
        s.reward[p] = 1.0
        s.reward[1 - p] = -1.0
    log.emit(s, log.E_WIN, p)


@njit
def check_win(s: State, t: Table) -> None:
    """End the game if a player's IP are 0: that player has lost (RT-W1, G-5)."""
    if s.ip[0] <= 0 and s.ip[1] <= 0:
        if s.ip[0] != s.ip[1]:
            win(s, 0 if s.ip[0] > s.ip[1] else 1)
        else:
            win(s, 1 - s.whose if t.both_out_active_loses else S.NOBODY)
    elif s.ip[0] <= 0:
        win(s, 1)
    elif s.ip[1] <= 0:
        win(s, 0)


@njit
def lose_ip(s: State, t: Table, p: Player, number: Number) -> None:
    """Player `p` loses IP, by default not below 0 (G-6)."""
    lost = number if t.negative_ip else min(number, s.ip[p])
    if lost > 0:
        s.ip[p] -= lost
        log.emit(s, log.E_IP, p, -1, lost)


@njit
def draw(s: State, t: Table, p: Player, number: Number) -> None:
    """Draw cards; an empty deck gives none (G-3)."""
    drawn = min(number, s.deck_size[p])
    for _ in range(drawn):
        s.deck_size[p] -= 1
        s.hand[p, s.deck[p, s.deck_size[p]]] += 1
        s.hand_size[p] += 1
    if drawn > 0:
        log.emit(s, log.E_DRAW, p, -1, drawn)
    if drawn < number:
        log.emit(s, log.E_EMPTY, p)
        if t.deck_out_lose and s.over == 0:
            win(s, 1 - p)


@njit
def attack_of(s: State, t: Table, p: Player, z: Zone) -> Number:
    """ATK of a Character with all bonuses (RT-C1, RT-C5)."""
    k = s.kind[p, z]
    atk = t.atk[k] + s.boost[p, z]
    if z == S.ACTIVE:
        support = 0
        for b in range(S.BACK, S.ZONES):
            other = s.kind[p, b]
            if other >= 0 and t.word[other] == S.X_SUPPORT:
                support = max(support, t.amount[other])
        atk += support
        for q in range(S.PLAYERS):
            if s.land[q] >= 0 and t.word[s.land[q]] == S.X_ARENA:
                atk += t.amount[s.land[q]]
    return atk


@njit
def hurt(s: State, p: Player, z: Zone, number: Number, hp_only: Flag) -> Number:
    """Damage a Character: its HP, but in Defense Position its DEF first (RT-B5). Returns the damage beyond its HP."""
    left = number
    if s.position[p, z] == S.DEFENSE and not hp_only:
        broken = min(left, s.df[p, z])
        s.df[p, z] -= broken
        left -= broken
    lost = min(left, s.hp[p, z])
    s.hp[p, z] -= lost
    left -= lost
    if number > 0:
        log.emit(s, log.E_DAMAGE, p, s.kind[p, z], number)
    return left


@njit
def leave(s: State, p: Player, z: Zone) -> None:
    """Empty a zone."""
    s.kind[p, z] = S.NOTHING
    s.position[p, z] = 0
    s.hp[p, z] = 0
    s.df[p, z] = 0
    s.boost[p, z] = 0
    s.entered[p, z] = 0
    s.turned[p, z] = 0


@njit
def destroyed(s: State, p: Player, z: Zone) -> Flag:
    """Send a Character without HP to Purgatory (RT-B6); returns whether there was one."""
    if s.kind[p, z] < 0 or s.hp[p, z] > 0:
        return False
    s.gone[p, s.kind[p, z]] += 1
    log.emit(s, log.E_GONE, p, s.kind[p, z])
    leave(s, p, z)
    return True


@njit
def exchange(s: State, p: Player, a: Zone, b: Zone) -> None:
    """Swap the contents of two zones."""
    s.kind[p, a], s.kind[p, b] = s.kind[p, b], s.kind[p, a]
    s.position[p, a], s.position[p, b] = s.position[p, b], s.position[p, a]
    s.hp[p, a], s.hp[p, b] = s.hp[p, b], s.hp[p, a]
    s.df[p, a], s.df[p, b] = s.df[p, b], s.df[p, a]
    s.boost[p, a], s.boost[p, b] = s.boost[p, b], s.boost[p, a]
    s.entered[p, a], s.entered[p, b] = s.entered[p, b], s.entered[p, a]
    s.turned[p, a], s.turned[p, b] = s.turned[p, b], s.turned[p, a]


@njit
def by_effect(s: State, t: Table, p: Player, k: Card, hp_only: Flag) -> None:
    """Card `k` of player `p` damages the opponent's Active Character (G-14, G-16)."""
    q = 1 - p
    left = hurt(s, q, S.ACTIVE, t.amount[k], hp_only)
    if t.effect_overflow:
        lose_ip(s, t, q, left)
    if s.hp[q, S.ACTIVE] == 0:
        if t.food_saves_always:
            push(s, S.C_DONE, p, k, S.FALLING_BY_CARD)
        else:
            fall_by_card(s, t, p, k)


@njit
def fall_by_card(s: State, t: Table, p: Player, k: Card) -> None:
    """Destroy the Active Character that card `k` of player `p` has left without HP (G-14, G-15)."""
    q = 1 - p
    if destroyed(s, q, S.ACTIVE):
        if t.word[k] == S.X_HOOK and t.trapped_waits:
            s.locked[q] = 1
        elif t.effect_refill:
            s.refills |= 1 << q


# -- the chain ---------------------------------------------------------------------------------------------------------------


@njit
def push(s: State, what: Kind, p: Player, k: Card, target: Zone) -> None:
    """Put something on the chain, where it may be answered."""
    link = s.link[s.links]
    link[S.L_WHAT] = what
    link[S.L_PLAYER] = p
    link[S.L_KIND] = k
    link[S.L_TARGET] = target
    link[S.L_NEGATED] = 0
    s.links += 1
    s.passes = 0


@njit
def ask(s: State, t: Table, p: Player) -> None:
    """Ask for answers, player `p` first, until both have none; then the chain resolves, last in, first out (G-19)."""
    if not asked(s, t, p):
        resolve(s, t)


@njit
def asked(s: State, t: Table, p: Player) -> Flag:
    """Ask the next player who has an answer and has not passed, player `p` first; returns whether there is one."""
    while s.passes < S.PLAYERS:
        if A.answers(s, t, p):
            s.decision = S.D_ANSWER
            s.to_play = p
            return True
        s.passes += 1
        p = 1 - p
    return False


@njit
def resolve(s: State, t: Table) -> None:
    """Resolve the chain, the last card first."""
    s.decision = S.D_NONE
    while s.links > 0 and s.over == 0:
        s.links -= 1
        left = np.int64(s.links)
        link = s.link[left]
        what, p, k, target, negated = link
        link[:] = 0
        if what == S.C_CARD and t.sort[k] != S.LAND:
            s.gone[p, k] += 1
        if negated:
            log.emit(s, log.E_CANCEL if what == S.C_ATTACK else log.E_NEGATED, p, k)
            if what == S.C_ATTACK:
                after_attack(s, t, p)
                if not t.cancelled_counts:
                    s.attacked = 0
            elif what == S.C_CARD and t.sort[k] == S.LAND:
                s.gone[p, k] += 1
        elif what == S.C_ATTACK:
            battle(s, t, p)
        elif what == S.C_DONE and target == S.FALLING:
            fall(s, t, p)
        elif what == S.C_DONE and target == S.FALLING_BY_CARD:
            fall_by_card(s, t, p, k)
        elif what == S.C_SUMMON:
            if t.word[k] == S.X_SUMMON_DRAW:
                draw(s, t, p, t.amount[k])
        elif what == S.C_CARD:
            happen(s, t, p, k, target)
        if s.over == 0:
            check_win(s, t)
        if s.over == 0 and s.links > left:  # somebody is about to be destroyed (G-27)
            if asked(s, t, s.whose if t.answers_first_active else 1 - s.whose):
                return
    s.passes = 0


@njit
def happen(s: State, t: Table, p: Player, k: Card, z: Zone) -> None:
    """Carry out the effect of a card (RT-C2 to RT-C5)."""
    q = 1 - p
    word, amount = t.word[k], t.amount[k]
    if word == S.X_DAMAGE:
        if s.kind[q, S.ACTIVE] >= 0:
            by_effect(s, t, p, k, False)
    elif word == S.X_RALLY:
        if s.kind[p, S.ACTIVE] >= 0:
            boost(s, p, np.int64(S.ACTIVE), amount)
    elif word == S.X_DRAW:
        draw(s, t, p, amount)
    elif word == S.X_SWAP:
        if s.kind[p, z] >= 0 and s.kind[p, S.ACTIVE] >= 0:
            exchange(s, p, S.ACTIVE, z)
            log.emit(s, log.E_MOVE, p, s.kind[p, S.ACTIVE], z)
    elif word == S.X_SCANDAL:
        lose_ip(s, t, q, amount)
    elif word == S.X_HOOK:
        if s.kind[q, S.ACTIVE] >= 0:
            by_effect(s, t, p, k, True)
    elif word == S.X_CANCEL:
        s.link[0, S.L_NEGATED] = 1
    elif word == S.X_NEGATE_FOOD or word == S.X_NEGATE_MANEUVER:
        if s.links > 0:
            s.link[s.links - 1, S.L_NEGATED] = 1
    elif word == S.X_BOOST:
        if s.kind[p, z] >= 0:
            boost(s, p, z, amount)
    elif word == S.X_HEAL:
        heal(s, t, p, z, amount)
    elif word == S.X_RESTORE:
        restore(s, t, p, z, amount)
    elif t.sort[k] == S.LAND:
        for owner in range(S.PLAYERS):
            if s.land[owner] >= 0 and (owner == p or t.lands_per_player == 0):
                s.gone[owner, s.land[owner]] += 1
                log.emit(s, log.E_GONE, owner, s.land[owner])
                s.land[owner] = S.NOTHING
        s.land[p] = k


@njit
def boost(s: State, p: Player, z: Zone, amount: Number) -> None:
    """Give a Character more ATK this turn."""
    s.boost[p, z] = min(s.boost[p, z] + amount, S.MOST_BOOST)


@njit
def heal(s: State, t: Table, p: Player, z: Zone, amount: Number) -> None:
    """Restore HP of a Character, up to the number on its card."""
    if s.kind[p, z] >= 0:
        more = min(amount, t.hp[s.kind[p, z]] - s.hp[p, z])
        if more > 0:
            s.hp[p, z] += more
            log.emit(s, log.E_HEAL, p, s.kind[p, z], more)


@njit
def restore(s: State, t: Table, p: Player, z: Zone, amount: Number) -> None:
    """Restore DEF of a Character, up to the number on its card."""
    if s.kind[p, z] >= 0:
        more = min(amount, t.df[s.kind[p, z]] - s.df[p, z])
        if more > 0:
            s.df[p, z] += more
            log.emit(s, log.E_RESTORE, p, s.kind[p, z], more)


@njit
def battle(s: State, t: Table, p: Player) -> None:
    """Deal the damage of player `p`'s attack (RT-B3 to RT-B8)."""
    q = 1 - p
    if s.kind[p, S.ACTIVE] >= 0:
        atk = attack_of(s, t, p, S.ACTIVE)
        if s.kind[q, S.ACTIVE] < 0:
            log.emit(s, log.E_DIRECT, p, s.kind[p, S.ACTIVE], atk)
            lose_ip(s, t, q, atk)
        else:
            back = attack_of(s, t, q, S.ACTIVE) if s.position[q, S.ACTIVE] == S.ATTACK else 0
            through = hurt(s, q, S.ACTIVE, atk, False)
            returned = hurt(s, p, S.ACTIVE, back, False)
            lose_ip(s, t, q, through)
            lose_ip(s, t, p, returned)
            if not t.food_saves_never and (s.hp[p, S.ACTIVE] == 0 or s.hp[q, S.ACTIVE] == 0):
                push(s, S.C_DONE, p, 0, S.FALLING)
                return
            fall(s, t, p)
            return
    after_attack(s, t, p)


@njit
def fall(s: State, t: Table, p: Player) -> None:
    """Destroy the Characters that player `p`'s attack has left without HP (RT-B6 to RT-B8)."""
    q = 1 - p
    fallen = destroyed(s, q, S.ACTIVE)
    if destroyed(s, p, S.ACTIVE):
        s.locked[p] = 1
        if fallen and t.both_destroyed_both_wait:
            s.locked[q] = 1
            return
    if fallen:
        s.refills |= 1 << q
    after_attack(s, t, p)


@njit
def after_attack(s: State, t: Table, p: Player) -> None:
    """End player `p`'s attack: the opponent may have an Active Character again (G-15)."""
    if s.locked[1 - p] and t.wait_ends_own_turn == 0:
        s.locked[1 - p] = 0
        s.refills |= 1 << (1 - p)
