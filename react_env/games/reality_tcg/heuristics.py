"""What agents may ask of Reality TCG: how good a position is, and what speaks for an action.

A value counts in IP: a Character is worth what it can still deal and bear, more where it can act, and a blow that threatens is worth a part
of what it would do. docs/notes.md tells how the weights were found.
"""

import numpy as np

from react_env.engine.compile import njit
from react_env.games.reality_tcg import actions as A
from react_env.games.reality_tcg import state as S
from react_env.games.reality_tcg.battle import attack_of
from react_env.games.terms import Action, Flag, Player, State, Table, Value, Zone

WIN = 1e6
W_HAND, W_TRAP = 0.5, 0.6
W_CHARACTER, W_ATK, W_HP, W_DF = 0.3, 0.6, 0.5, 0.25
W_HELP = 0.8  # supports or heals
W_BACK = 0.7  # of a Character's worth while it waits
W_EMPTY, W_LOCKED = -1.0, -1.0  # no Active Character; and none to come
W_READY = 1.0  # the Active Character can attack
W_DIRECT = 0.7  # for each ATK of a blow that would go to IP
W_KILL, W_OVER = 2.0, 0.7  # the blow would destroy the opposing Character, and for each damage beyond
KEEP = 4  # the highest cost that is kept in the first hand


@njit
def character(s: State, t: Table, p: Player, z: Zone) -> Value:
    """What a Character is worth."""
    k = s.kind[p, z]
    worth = W_CHARACTER + W_ATK * t.atk[k] + W_HP * s.hp[p, z] + W_DF * s.df[p, z]
    if t.word[k] == S.X_SUPPORT or t.word[k] == S.X_CARE:
        worth += W_HELP
    return worth


@njit
def threat(s: State, t: Table, p: Player) -> Value:
    """What the next blow of the Active Character would do."""
    q = 1 - p
    if s.position[p, S.ACTIVE] == S.DEFENSE:
        return 0.0
    atk = attack_of(s, t, p, np.int64(S.ACTIVE))
    if s.kind[q, S.ACTIVE] < 0:
        return W_READY + W_DIRECT * atk
    bears = s.hp[q, S.ACTIVE]
    if s.position[q, S.ACTIVE] == S.DEFENSE:
        bears += s.df[q, S.ACTIVE]
    if atk >= bears:
        return W_READY + W_KILL + W_OVER * (atk - bears)
    return W_READY + 0.5 * W_KILL * atk / bears


@njit
def half(s: State, t: Table, p: Player) -> Value:
    """What speaks for player `p`."""
    total = 1.0 * s.ip[p] + W_HAND * s.hand_size[p]
    for i in range(S.TRAPS):
        total += W_TRAP * (s.trap[p, i] >= 0)
    for z in range(S.ZONES):
        if s.kind[p, z] >= 0:
            total += (1.0 if z == S.ACTIVE else W_BACK) * character(s, t, p, np.int64(z))
    if s.kind[p, S.ACTIVE] >= 0:
        return total + threat(s, t, p)
    return total + W_EMPTY + W_LOCKED * s.locked[p]


@njit
def value(s: State, t: Table, player: Player) -> Value:
    """How far ahead a player is, in IP; a win is 1e6."""
    if s.over == 1:
        return WIN * s.reward[player]
    return half(s, t, player) - half(s, t, 1 - player)


@njit
def material(s: State, p: Player) -> Value:
    """What player `p` has: IP, cards, and the stats of Characters."""
    total = 1.0 * s.ip[p] + W_HAND * s.hand_size[p]
    for z in range(S.ZONES):
        if s.kind[p, z] >= 0:
            total += W_CHARACTER + W_HP * s.hp[p, z] + W_DF * s.df[p, z]
    return total


@njit
def quick_value(s: State, t: Table, player: Player) -> Value:
    """How far ahead a player is, without looking at what anybody could do next."""
    if s.over == 1:
        return WIN * s.reward[player]
    return material(s, player) - material(s, 1 - player)


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
        return 0.3 if t.cost[k] > KEEP and s.returning < 2 else -1.0
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
