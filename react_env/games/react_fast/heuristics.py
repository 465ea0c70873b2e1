"""The heuristics of React Fast: how good a position is for a player, and which actions to prefer.

A value is the logit of winning times 200. Each player has a strength, and the chance to win is the share of its exponential in the sum over
all players (Luce, 1959). The weights of the strength were fitted to the winners of 16,000 games of 2, 3, 4 and 6 players, who followed the
script and sometimes played at random.
"""

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.terms import Action, Flag, Player, State, Table, Value
from react_env.games.react_fast import actions as A
from react_env.games.react_fast import state as S
from react_env.games.react_fast.window import is_pair, needed_for

WIN = 1e6
UNIT = 200.0  # a logit of winning
CARD = 0.034
FEW, NONE, FEW_CARDS = -0.69, -0.88, 3  # in addition, with at most FEW_CARDS cards; with none
WITHIN_REACH = (0.0, 0.51, 1.06, 1.66, 2.29)  # by the number of suits with a traveling card, used or not
USED = (0.0, 0.10, 0.63, 1.58)  # if all suits are within reach, by the number of used ones
FURTHER = 0.42  # a second traveling card of a suit
HIDDEN = 0.44  # a traveling card that must still be in the player's deck
CHANCE = 0.049  # for the owner of a chance card, for each card of the pile divided by one more than the chances left
VALID, VAIN, SKIP, MISSING_SUIT, ARMED = 60.0, -60.0, 30.0, 40.0, 20.0
# Whose hand lands first is mostly chance, so a search tries each action often and lets the others follow the script.
SEARCH = {
    "rollout": "script",
    "horizon": 8,
    "exploration": 1.0,
    "trust": 16.0,
    "script": 0.5,
    "worlds": 512,
    "playout": 8,
}
NEEDED = tuple(suit * S.RANKS + number - 2 for suit, number in zip(S.TRAVELING_SUIT, S.TRAVELING_NUMBER, strict=True))


@njit
def strength(s: State, p: Player) -> Value:
    """The strength of a player who is in the game, as a logarithm."""
    players = s.alive.shape[0]
    used, unused, owned = 0, 0, 0
    for card in range(S.TRAVELING):
        if s.owner[card] == p:
            owned += 1
            if s.used[card]:
                used |= 1 << S.TRAVELING_SUIT[card]
            else:
                unused |= 1 << S.TRAVELING_SUIT[card]
    suits, reach = 0, 0
    for suit in range(4):
        suits += used >> suit & 1
        reach += (used | unused) >> suit & 1
    total = CARD * s.size[p] + WITHIN_REACH[reach] + FURTHER * (owned - reach)
    total += HIDDEN * max(S.TRAVELING / players - s.shown[p], 0.0)
    if reach == 4:
        total += USED[min(suits, 3)]
    if s.size[p] <= FEW_CARDS:
        total += FEW
        if s.size[p] == 0:
            total += NONE
    if s.chance == p:
        total += CHANCE * s.pile_size / (1.0 + s.remaining)
    return total


@njit
def value(s: State, t: Table, player: Player) -> Value:
    """The logit of winning times `UNIT`; a finished game counts by its reward."""
    if s.over == 1:
        return WIN * s.reward[player]
    if s.alive[player] == 0:
        return -WIN / 10.0
    others = 0.0
    for q in range(s.alive.shape[0]):
        if q != player and s.alive[q] == 1:
            others += np.exp(strength(s, np.int64(q)))
    return UNIT * (strength(s, player) - np.log(others))


@njit
def prior(s: State, t: Table, player: Player, action: Action) -> Value:
    """Slap only situations, use traveling cards of missing suits, skip chances, and be fast, because hands seldom slip."""
    end = A.tail(s)
    if action == end + A.T_HOLD + 1:
        free = s.free < 0 or s.free == player
        return VALID if free and (is_pair(s, t) or needed_for(s, t) >= 0) else VAIN
    if action == end + A.T_SKIP:
        return SKIP
    if action == end + A.T_STANCE + S.ARMED:
        return ARMED
    if action == end + A.T_PACE + S.NORMAL:
        return 1.0
    if A.A_NONE < action < end:
        return activation(s, player, action)
    return 0.0


@njit
def main(s: State) -> Flag:
    """Whether this decision deserves a search: a traveling card, or the first choice of a window.

    All choices of a window are made at the same time, so there is no waiting for the others.
    """
    if s.decision == S.D_ACTIVATE:
        return True
    return (s.decision == S.D_SLAP or s.decision == S.D_STANCE) and s.asked == 1 << s.to_play


@njit
def reflex(s: State) -> Action:
    """What a player does without a search: slap a situation, stand armed, skip a chance; -1 for decisions of `main`."""
    if s.over == 1 or main(s):
        return np.int64(-1)
    end = A.tail(s)
    if s.decision == S.D_SKIP:
        return end + A.T_SKIP
    if s.decision == S.D_STANCE:
        return end + A.T_STANCE + S.ARMED
    if s.decision == S.D_PACE:
        return end + A.T_PACE + S.NORMAL
    free = s.free < 0 or s.free == s.to_play
    return end + A.T_HOLD + (free and situation(s))


@njit
def nothing(s: State) -> Action:
    """Hold, or activate nothing; -1 if something must be chosen."""
    if s.over == 0 and s.decision == S.D_SLAP:
        return A.tail(s) + A.T_HOLD
    return np.int64(A.A_NONE) if s.over == 0 and s.decision == S.D_ACTIVATE else np.int64(-1)


@njit
def situation(s: State) -> Flag:
    """Whether there is something to slap, without regard to the options of the rules."""
    if s.face < 0:
        return False
    if s.before >= 0:
        if s.face % S.RANKS == s.before % S.RANKS or (s.suits == 1 and s.face // S.RANKS == s.before // S.RANKS):
            return True
    for card in range(S.TRAVELING):
        if s.owner[card] >= 0 and NEEDED[card] == s.face:
            return True
    return False


@njit
def activation(s: State, player: Player, action: Action) -> Value:
    """A bonus for activating a traveling card of a missing suit."""
    players = s.alive.shape[0]
    card = S.C4
    if action < A.A_C4:
        card = A.PLAIN[action - A.A_ACTIVATE]
    elif action >= A.A_C4 + players:
        card = S.C5
    for other in range(S.TRAVELING):
        if s.owner[other] == player and s.used[other] and S.TRAVELING_SUIT[other] == S.TRAVELING_SUIT[card]:
            return 0.0
    return MISSING_SUIT
