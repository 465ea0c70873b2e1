"""Action ids, which depend on the number of players, and which of them are legal."""

from typing import Any

from react_env.engine.compile import njit
from react_env.engine.rules import Actions
from react_env.engine.terms import Action, Flag, Mask, Player, State, Table
from react_env.games.react_fast import state as S

A_NONE = 0  # activate nothing
A_ACTIVATE = 1  # the traveling cards without a target, in the order of `PLAIN`
PLAIN = (S.J2, S.J3, S.G6, S.G7, S.A8, S.A9)
A_C4 = A_ACTIVATE + len(PLAIN)  # with a target; then Coins #5 with a target, then `tail`
TAIL = ("play the turn", "skip the turn", *S.STANCES, "hold", "slap", "rush", "normal pace", "wait")
T_PLAY, T_SKIP, T_STANCE, T_HOLD, T_PACE = 0, 1, 2, 5, 7


@njit
def tail(s: State) -> Action:
    """The first action after those with a target."""
    return A_C4 + 2 * s.alive.shape[0]


def actions_of(players: int) -> Actions:
    """The actions of a game with this number of players."""
    targets = [f"{S.TRAVELING_NAMES[card]} on player_{p}" for card in (S.C4, S.C5) for p in range(players)]
    names = ("activate nothing", *(S.TRAVELING_NAMES[card] for card in PLAIN), *targets, *TAIL)
    end = len(names)
    return Actions(
        names,
        {
            "none": slice(A_NONE, A_ACTIVATE),
            "activate": slice(A_ACTIVATE, A_C4),
            "coins_4": slice(A_C4, A_C4 + players),
            "coins_5": slice(A_C4 + players, A_C4 + 2 * players),
            "skip": slice(end - 10, end - 8),
            "stance": slice(end - 8, end - 5),
            "slap": slice(end - 5, end - 3),
            "pace": slice(end - 3, end),
        },
    )


@njit
def usable(s: State, t: Table, p: Player, card: Any) -> Flag:
    """Whether a player owns the traveling card, has not used it, and is not forbidden to activate it."""
    return s.owner[card] == p and s.used[card] == 0 and (t.forbidden[p] >> card & 1) == 0


@njit
def can_activate(s: State, t: Table, p: Player) -> Flag:
    """Whether there is anything to activate (RF-V1, G-25)."""
    if s.size[p] == 0:
        return False
    for card in range(S.TRAVELING):
        if usable(s, t, p, card) and (card != S.A9 or s.pile_size > 0):
            return True
    return False


@njit
def legal(s: State, t: Table, mask: Mask) -> None:
    """The legal actions of the present decision."""
    mask[:] = False
    p = s.to_play
    end = tail(s)
    if s.decision == S.D_ACTIVATE:
        mask[A_NONE] = True
        for i in range(len(PLAIN)):
            card = PLAIN[i]
            mask[A_ACTIVATE + i] = usable(s, t, p, card) and (card != S.A9 or s.pile_size > 0)
        players = s.alive.shape[0]
        for q in range(players):
            target = s.alive[q] == 1 and s.size[q] > 0
            mask[A_C4 + q] = target and usable(s, t, p, S.C4)
            mask[A_C4 + players + q] = target and usable(s, t, p, S.C5)
    elif s.decision == S.D_SKIP:
        mask[end + T_PLAY] = True
        mask[end + T_SKIP] = True
    elif s.decision == S.D_STANCE:
        for i in range(3):
            mask[end + T_STANCE + i] = True
    elif s.decision == S.D_SLAP:
        mask[end + T_HOLD] = True
        mask[end + T_HOLD + 1] = True
    elif s.decision == S.D_PACE:
        for i in range(3):
            mask[end + T_PACE + i] = True
