"""The heuristics of Reality TCG: how good a position is, and which actions to prefer.

Values count in IP. The weights come from a linear regression on the champion's value of positions in its own games; docs/notes.md says
how good it is.
"""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.terms import Action, Flag, Number, Player, State, Table, Value
from react_env.games.reality_tcg import actions as A
from react_env.games.reality_tcg import state as S
from react_env.games.reality_tcg.battle import attack_of

WIN = 1e6
W_HAND, W_ENERGY = 0.74, 0.06  # a card, active Energy
W_ACTIVE, W_ATK, W_HP, W_DF = -4.2, 0.41, 0.71, 0.41  # a Character counts only by its stats
W_DEFENSE, W_LOCKED = -0.17, -1.0
W_BACK, W_BACK_ATK, W_BACK_HP, W_BACK_BEST = -3.0, 0.12, 0.58, 0.13
W_BLOW = 0.17  # for each IP of an attack that can still be made this turn
W_LATER, W_KILL = 0.02, 0.92  # for each IP of a later attack; if it would destroy the opposing Character
M_CARD, M_CHARACTER, M_HP, M_DF = 0.5, 0.3, 0.5, 0.25  # weights of `quick_value`
KEEP = 4  # the highest cost that is kept in the first hand


def _by_word(**worths: float) -> Any:
    """(WORDS,) the worth of cards by their effect."""
    found = np.zeros(S.WORDS)
    for name, worth in worths.items():
        found[getattr(S, f"X_{name}")] = worth
    return found


# The worth of a card in hand beyond W_HAND; of a set Trap, or a Land in play.
HELD = _by_word(SCANDAL=0.8, HOOK=1.6, CANCEL=0.66, DAMAGE=0.12, BOOST=-0.52, RALLY=-0.7, HEAL=-0.22)
LIES = _by_word(HOOK=3.0, CANCEL=2.4, NEGATE_FOOD=1.0, NEGATE_MANEUVER=1.7, ARENA=-0.2, QUARTER=1.4)


@njit
def bears(s: State, p: Player) -> Number:
    """How much damage the Active Character absorbs before IP are lost."""
    defends = s.position[p, S.ACTIVE] == S.DEFENSE
    return s.hp[p, S.ACTIVE] + (s.df[p, S.ACTIVE] if defends else 0)


@njit
def blow(s: State, t: Table, p: Player, atk: Number) -> Value:
    """The worth of an attack by the Active Character with this ATK, now or later."""
    q = 1 - p
    through = 1.0 * atk
    kills = 0.0
    if s.kind[q, S.ACTIVE] >= 0:
        holds = bears(s, q)
        kills = 1.0 if atk >= holds else 0.0
        through = max(atk - holds, 0)
    before = s.phase == S.P_TACTIC_1 or s.phase == S.P_BATTLE
    if s.whose == p and s.attacked == 0 and before and s.turn > 1:
        return W_BLOW * through
    return W_LATER * through + W_KILL * kills


@njit
def half(s: State, t: Table, p: Player) -> Value:
    """Player `p`'s half of the value."""
    total = 1.0 * s.ip[p] + W_HAND * s.hand_size[p] + W_ENERGY * s.ready[p]
    for k in range(t.kinds):
        total += s.hand[p, k] * HELD[t.word[k]]
    for i in range(S.TRAPS):
        if s.trap[p, i] >= 0:
            total += LIES[t.word[s.trap[p, i]]]
    if s.land[p] >= 0:
        total += LIES[t.word[s.land[p]]]
    best = 0
    for z in range(S.BACK, S.ZONES):
        if s.kind[p, z] >= 0:
            atk = t.atk[s.kind[p, z]]
            best = max(best, atk)
            total += W_BACK + W_BACK_ATK * atk + W_BACK_HP * s.hp[p, z]
    total += W_BACK_BEST * best
    if s.kind[p, S.ACTIVE] < 0:
        return total + W_LOCKED * s.locked[p]
    atk = attack_of(s, t, p, S.ACTIVE)
    total += W_ACTIVE + W_ATK * atk + W_HP * s.hp[p, S.ACTIVE] + W_DF * s.df[p, S.ACTIVE]
    if s.position[p, S.ACTIVE] == S.DEFENSE:
        return total + W_DEFENSE
    return total + blow(s, t, p, atk)


@njit
def value(s: State, t: Table, player: Player) -> Value:
    """How far ahead a player is, in IP; a win is 1e6."""
    if s.over == 1:
        return WIN * s.reward[player]
    return half(s, t, player) - half(s, t, 1 - player)


@njit
def material(s: State, p: Player) -> Value:
    """The worth of what player `p` has: IP, cards, and the stats of Characters."""
    total = 1.0 * s.ip[p] + M_CARD * s.hand_size[p]
    for z in range(S.ZONES):
        if s.kind[p, z] >= 0:
            total += M_CHARACTER + M_HP * s.hp[p, z] + M_DF * s.df[p, z]
    return total


@njit
def quick_value(s: State, t: Table, player: Player) -> Value:
    """How far ahead a player is, without looking at possible attacks."""
    if s.over == 1:
        return WIN * s.reward[player]
    return material(s, player) - material(s, 1 - player)


@njit
def potential(s: State, t: Table, player: Player) -> Value:
    """How far the player has come, -1 to 1."""
    return np.tanh((half(s, t, player) - half(s, t, 1 - player)) / 10.0)


@njit
def prior(s: State, t: Table, player: Player, action: Action) -> Value:
    """A bonus for an action beyond its result: keep a cheap first hand, and spend Energy that would be lost anyway."""
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
