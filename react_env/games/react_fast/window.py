"""The window after each unit: who slaps, when, and with what result (RF-R1)."""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.terms import Card, Flag, Number, Player, State, Table
from react_env.games.react_fast import log
from react_env.games.react_fast import state as S
from react_env.games.react_fast.latency import FASTEST, ex_gaussian, uniform

NEVER = 1e18


@njit
def clear_carries(s: State) -> None:
    """Cancel all slaps on their way."""
    for p in range(s.alive.shape[0]):
        s.carry[p] = -1.0


@njit
def begin_window(s: State, t: Table) -> None:
    """Open the window of a unit, in which all players in the game may commit to a slap."""
    for p in range(s.alive.shape[0]):
        s.commit[p] = S.HOLD
        if t.mode != S.SKILL:
            s.stance[p] = S.READY
    s.pace = S.NOTHING if t.mode == S.SKILL else S.NORMAL
    s.asked = 0
    s.stage = S.ST_WINDOW


@njit
def is_pair(s: State, t: Table) -> Flag:
    """Whether the pile may be slapped: the same number as before, or with Jewelry #3 the same suit (RF-L1, RF-V4, G-15)."""
    if s.before < 0 or s.face < 0 or (s.heap == 1 and t.heap_slap == 0):
        return False
    if s.face % S.RANKS == s.before % S.RANKS:
        return True
    return s.suits == 1 and s.face // S.RANKS == s.before // S.RANKS


@njit
def needed_for(s: State, t: Table) -> Card:
    """The first revealed traveling card whose needed card is the face, or NOTHING (RF-L4, G-24)."""
    if s.heap == 1 and t.heap_slap == 0:
        return S.NOTHING
    for card in range(S.TRAVELING):
        if s.owner[card] >= 0 and t.needed[card] == s.face:
            return card
    return S.NOTHING


@njit
def penalise(s: State, t: Table, p: Player) -> None:
    """Move up to two cards from the top of the player's deck to the bottom of the pile (RF-L3, G-14, G-16, G-26)."""
    if s.size[p] == 0 and t.lock_out:
        s.locked[p] = 1
    count = 0
    while count < 2 and s.size[p] > 0:
        code = s.deck[p, s.head[p]]
        s.head[p] = (s.head[p] + 1) % S.CARDS
        s.size[p] -= 1
        card = code & S.CARD_BITS
        if card >= S.PLAYING:
            s.owner[card - S.PLAYING] = p
            s.used[card - S.PLAYING] = 0
            s.shown[p] += 1
            log.emit(s, log.E_REVEAL, p, card - S.PLAYING, 0)
            continue
        for i in range(s.pile_size, 0, -1):
            s.pile[i] = s.pile[i - 1]
        s.pile[0] = code & (S.CARD_BITS | S.KNOWN)
        if t.penalty_cards_seen:
            s.pile[0] |= S.KNOWN
            s.seen[card] = s.placed
        s.pile_size += 1
        s.blind += 1
        count += 1
    s.penalties[p] = min(s.penalties[p] + 1, 255)
    log.emit(s, log.E_PENALTY, p, -1, count)


@njit
def latency(s: State, t: Table, p: Player) -> Any:
    """How long this player's slap would take, in ms; draws three random words unless the mode is deterministic."""
    time = s.scale[p] * ex_gaussian(s, t.react[p], t.mode == S.DETERMINISTIC) + t.shift[p, s.stance[p]]
    if p == s.actor and s.heap == 0:
        time += t.placer_delay[p]
    return max(time, FASTEST)


@njit
def slap_time(s: State, t: Table, p: Player, situation: Flag) -> Any:
    """When this player's hand lands, or NEVER. It draws the same random numbers whatever the player has chosen."""
    time = latency(s, t, p)
    missed, slips = False, False
    if t.mode != S.DETERMINISTIC:
        missed = uniform(s) < t.miss[p]
        slips = uniform(s) < t.alarm[p, s.stance[p]]
    if s.alive[p] == 0 or s.locked[p] == 1:
        return NEVER
    if s.carry[p] >= 0.0:  # a slap that began before this card was placed (G-11)
        return np.float64(s.carry[p])
    if s.commit[p] == S.SLAP:
        return NEVER if missed else time
    return time if slips and not situation else NEVER


@njit
def next_act(s: State, t: Table, p: Player) -> Any:
    """When the next card is placed, or the pile is picked up (G-12)."""
    time = ex_gaussian(s, t.place[p], t.mode == S.DETERMINISTIC)
    if s.pace == S.RUSH:
        time *= t.rush
    elif s.pace == S.WAIT:
        time += t.wait_ms
    if s.after == S.AFTER_LOST and t.pickup_window == 0:
        return FASTEST
    return max(time, FASTEST)


@njit
def resolve(s: State, t: Table, actor: Player) -> Player:
    """Let hands land in order of time until the next act of `actor`; returns who takes the pile, or NOBODY."""
    players = s.alive.shape[0]
    pair = is_pair(s, t)
    needed = needed_for(s, t)
    situation = pair or needed >= 0
    times = s.carry  # late slaps continue in the next window
    for p in range(players):
        times[p] = slap_time(s, t, p, situation)
    end = next_act(s, t, actor)
    winner = S.NOBODY
    done = False
    while True:
        p = earliest(times)
        time = times[p]
        if time >= end:
            break
        times[p] = NEVER
        if done:
            if t.late_slaps_penalised:
                penalise(s, t, p)
            continue
        allowed = s.free < 0 or s.free == p
        free = s.free == p
        if free:
            s.free = S.NOBODY  # the attempt uses it (G-17)
        if situation and allowed:
            done = True
            for card in range(S.TRAVELING):
                if s.owner[card] >= 0 and t.needed[card] == s.face:
                    s.owner[card] = p
                    s.used[card] = 0
                    log.emit(s, log.E_SLAP_TRAVELING, p, card, 0)
            if pair:
                log.emit(s, log.E_SLAP_PILE, p, s.face, 0)
                winner = p
                s.clock += time
        elif not free or t.free_slap_penalty:
            penalise(s, t, p)
    if winner < 0:
        s.clock += end
    for p in range(players):
        late = times[p] - end
        times[p] = late if winner < 0 and not done and late <= t.commit_ms else -1.0
    return np.int64(winner)


@njit
def earliest(times: Any) -> Number:
    """The index of the smallest time."""
    best = 0
    for p in range(1, times.shape[0]):
        if times[p] < times[best]:
            best = p
    return best
