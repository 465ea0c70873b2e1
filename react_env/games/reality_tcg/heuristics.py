"""What agents may ask of Reality TCG: how good a position is, and what speaks for an action.

A value counts in IP. The weights are by hand: a Character is worth what it can still deal and bear, more where it can act, and Energy
that is kept for a set Trap or Food is not lost.
"""

import numpy as np

from react_env.engine.compile import njit
from react_env.games.reality_tcg import actions as A
from react_env.games.reality_tcg import state as S
from react_env.games.reality_tcg.battle import attack_of
from react_env.games.terms import Action, Flag, Player, State, Table, Value

WIN = 1e6
W_ATK, W_HP, W_DF = 0.55, 0.45, 0.2
W_BACK = 0.75  # of a Character's worth while it waits
W_HAND, W_TRAP, W_ENERGY, W_READY = 1.1, 1.3, 0.6, 0.12
W_EMPTY = -2.5  # no Active Character
W_LOCKED = -1.5
W_DECK = -0.0
W_MULLIGAN = 3  # the highest cost that is kept in the first hand


@njit
def character(s: State, t: Table, p: Player, z: Player) -> Value:
    """What a Character is worth where it is."""
    k = s.kind[p, z]
    worth = W_ATK * (t.atk[k]) + W_HP * s.hp[p, z] + W_DF * s.df[p, z] + 0.3
    if S.X_SUPPORT <= t.word[k] <= S.X_CARE:
        worth += 0.8
    return worth


@njit
def half(s: State, t: Table, p: Player) -> Value:
    """What speaks for player `p`."""
    q = 1 - p
    total = 1.0 * s.ip[p] + W_HAND * s.hand_size[p] + W_ENERGY * s.energy[p] + W_READY * s.ready[p]
    for i in range(S.TRAPS):
        total += W_TRAP * (s.trap[p, i] >= 0)
    for z in range(S.ZONES):
        if s.kind[p, z] >= 0:
            total += (1.0 if z == S.ACTIVE else W_BACK) * character(s, t, p, z)
    if s.kind[p, S.ACTIVE] < 0:
        total += W_EMPTY + W_LOCKED * s.locked[p]
    elif s.kind[q, S.ACTIVE] >= 0:
        # What the next blow of each would do to the other.
        atk = attack_of(s, t, q, S.ACTIVE)
        bears = s.hp[p, S.ACTIVE] + (s.df[p, S.ACTIVE] if s.position[p, S.ACTIVE] == S.DEFENSE else 0)
        if atk >= bears and (s.position[q, S.ACTIVE] == S.ATTACK or s.whose == q):
            total -= 0.4 * character(s, t, p, np.int64(S.ACTIVE)) + 0.3 * (atk - bears)
    return total


@njit
def value(s: State, t: Table, player: Player) -> Value:
    """How far ahead a player is, in IP; a win is 1e6."""
    if s.over == 1:
        return WIN * s.reward[player]
    return half(s, t, player) - half(s, t, 1 - player)


@njit
def potential(s: State, t: Table, player: Player) -> Value:
    """How far the player has come, -1 to 1."""
    return np.tanh((half(s, t, player) - half(s, t, 1 - player)) / 20.0)


@njit
def prior(s: State, t: Table, player: Player, action: Action) -> Value:
    """What speaks for an action beyond what it leads to: keep a cheap first hand; cards cost Energy that would be lost anyway."""
    if s.decision == S.D_MULLIGAN:
        if action == A.A_PASS:
            return 0.0
        k = action - A.A_CARD
        return 0.3 if t.cost[k] > W_MULLIGAN + 1 and s.returning < 2 else -1.0
    if s.decision == S.D_TACTIC and action < A.A_PASS:
        k = action - A.A_CARD
        if t.sort[k] == S.TRAP:
            return 0.5
        if t.sort[k] == S.FOOD:
            return -0.6  # better as an answer
        if t.sort[k] == S.CHARACTER:
            return 0.4
    return 0.0


@njit
def unfinished(s: State) -> Flag:
    """1 while a play already begun is being completed."""
    return 1 if s.decision == S.D_PLACE or s.decision == S.D_TARGET or s.decision == S.D_REFILL else 0


@njit
def pass_action(s: State) -> Action:
    """No answer, where one may be given."""
    return A.A_PASS if s.decision == S.D_ANSWER else -1
