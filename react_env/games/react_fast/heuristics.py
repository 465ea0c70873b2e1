"""What agents may ask of React Fast: how good a position is for a player, and what speaks for an action.

A value is counted in cards. Nine games of ten end by the suit win, so a used traveling card of a suit that is still missing is worth many.
"""

import numpy as np

from react_env.engine.compile import njit
from react_env.games.react_fast import actions as A
from react_env.games.react_fast import state as S
from react_env.games.react_fast.window import is_pair, needed_for
from react_env.games.terms import Action, Player, State, Table, Value

WIN = 1e6
SUIT_WORTH = (0.0, 6.0, 14.0, 26.0, 40.0)  # by how many suits are used
UNUSED = 5.0  # a traveling card that can still be used for a missing suit
VALID, VAIN, HELD_BACK = 30.0, -8.0, 12.0


@njit
def strength(s: State, p: Player) -> Value:
    """What one player has."""
    if s.alive[p] == 0:
        return -20.0
    used, ready = 0, 0
    for card in range(S.TRAVELING):
        if s.owner[card] == p:
            if s.used[card]:
                used |= 1 << S.TRAVELING_SUIT[card]
            else:
                ready |= 1 << S.TRAVELING_SUIT[card]
    suits, open_ = 0, 0
    for suit in range(4):
        suits += used >> suit & 1
        open_ += (ready & ~used) >> suit & 1
    return s.size[p] + SUIT_WORTH[suits] + UNUSED * open_


@njit
def value(s: State, t: Table, player: Player) -> Value:
    """The player's strength less that of the strongest opponent, and the pile for who would take it."""
    if s.over == 1:
        return WIN * s.reward[player]
    best = -1e9
    for q in range(s.alive.shape[0]):
        if q != player:
            best = max(best, strength(s, np.int64(q)))
    total = strength(s, player) - best
    if s.chance >= 0:
        share = 0.5 * s.pile_size / (1.0 + s.remaining)
        total += share if s.chance == player else -share
    return total


@njit
def prior(s: State, t: Table, player: Player, action: Action) -> Value:
    """Slap a situation and nothing else; go for the suits that are missing; skip a chance; hurry where a slap of others would hurt."""
    end = A.tail(s)
    if action == end + A.T_HOLD + 1:
        free = s.free < 0 or s.free == player
        return VALID if free and (is_pair(s, t) or needed_for(s, t) >= 0) else VAIN
    if action == end + A.T_SKIP:
        return HELD_BACK
    if action == end + A.T_STANCE + S.READY:
        return 1.0
    if action == end + A.T_PACE + S.NORMAL:
        return 1.0
    if A.A_NONE < action < end:
        return activation(s, player, action)
    return 0.0


@njit
def activation(s: State, player: Player, action: Action) -> Value:
    """What speaks for activating a traveling card beyond what it leads to: a missing suit; targets that hurt others."""
    players = s.alive.shape[0]
    card, target = S.C4, np.int64(-1)
    if action < A.A_C4:
        card = A.PLAIN[action - A.A_ACTIVATE]
    elif action < A.A_C4 + players:
        target = action - A.A_C4
    else:
        card, target = S.C5, action - A.A_C4 - players
    for other in range(S.TRAVELING):
        if s.owner[other] == player and s.used[other] and S.TRAVELING_SUIT[other] == S.TRAVELING_SUIT[card]:
            return -3.0  # the suit is there already: keep it for its effect
    return UNUSED if target != player else UNUSED - 2.0
