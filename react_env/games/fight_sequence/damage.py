"""Damage: tokens, Willpower waiting or from the hand, the deck as life, defeat.

One instance of damage hits one player or both. `begin` sets it up; `settle` asks the players and deals it, and stops when one must choose.
"""

from typing import Any

from react_env.engine.compile import njit
from react_env.engine.terms import Flag, Kind, Player, State, Table
from react_env.games.fight_sequence import log
from react_env.games.fight_sequence import state as S
from react_env.games.fight_sequence.cards import mill


@njit
def win(s: State, p: Player) -> None:
    """End the game: player `p` wins."""
    s.over = 1
    s.reward[p] = 1
    s.reward[1 - p] = -1
    log.emit(s, log.E_WIN, p, -1, -1, 0, 0)


@njit
def tie(s: State) -> None:
    """End the game: nobody wins."""
    s.over = 1
    log.emit(s, log.E_TIE, 0, -1, -1, 0, 0)


@njit
def begin(s: State, kind: Kind, to_opponent: Any, to_self: Any) -> None:
    """Set up damage of type `kind` by the Action that acts, reduced by tokens (rule FS-R4)."""
    builder = s.acting[0]
    s.damage_type = kind
    s.asked = 0
    for p in range(S.PLAYERS):
        s.raw[p] = to_self if p == builder else to_opponent
        s.pending[p] = max(0, s.raw[p] - s.token[p, kind])
        s.ignored[p] = 0


@njit
def holds_willpower(s: State, t: Table, p: Player) -> Flag:
    """Whether player `p` has a card in hand that can be discarded for its Willpower."""
    hand, willpower = s.hand[p], t.willpower[p]
    held = 0
    for c in range(S.CARDS):
        held += hand[c] * willpower[c]
    return held > 0


@njit
def settle(s: State, t: Table) -> Any:
    """Continue with the present damage; returns False if a player has to choose first, True when it has been dealt.

    The opponent of the Action's builder is asked first, then the builder; then both take the damage at once (FS-R5, G-5 to G-7).
    """
    builder = s.acting[0]
    while s.asked < S.PLAYERS:
        p = 1 - builder if s.asked == 0 else builder
        if s.pending[p] > 0 and not s.ignored[p]:
            if s.ward[p] > 0:
                s.ward[p] -= 1
                s.ignored[p] = 1
            elif s.phase == S.PH_RESOLVE and t.interrupt_window_damage and holds_willpower(s, t, p):
                s.decision = S.D_WILLPOWER
                s.to_play = p
                return False
        s.asked += 1
    lost = 0
    for i in range(S.PLAYERS):
        p = 1 - builder if i == 0 else builder
        if s.raw[p] == 0:
            continue
        if s.ignored[p]:
            log.emit(s, log.E_IGNORE, p, -1, s.damage_type, s.pending[p], 0)
            continue
        log.emit(s, log.E_DAMAGE, p, -1, s.damage_type, s.pending[p], s.raw[p] - s.pending[p])
        if s.pending[p] > 0:
            if s.deck_size[p] == 0:
                lost |= 1 << p
            mill(s, t, p, s.pending[p])
    for p in range(S.PLAYERS):
        s.raw[p] = 0
        s.pending[p] = 0
        s.ignored[p] = 0
    if lost == 3:
        if t.simultaneous_defeat_builder_loses:
            win(s, 1 - builder)
        else:
            tie(s)
    elif lost:
        win(s, 1 if lost == 1 else 0)
    return True
