"""The public log: events in a ring in the record. `view.py` puts them into words."""

from typing import Any

from react_env.engine.compile import njit
from react_env.engine.terms import Kind, Number, Player, State
from react_env.games.fight_sequence import state as S

# An event holds its kind and player in one number (`kind_of`, `player_of`), card + 1, mode + 1, and two more numbers; 0 means none. An
# observation shows all but the last.
E_SEQUENCE = 1  # number: the sequence's number % 100; more: // 100
E_ATTACK = 2
E_RESPOND = 3
E_PASS = 4
E_INITIATIVE = 5
E_DRAW = 6  # number: cards drawn, 0: the deck is empty
E_RESOLVE = 7
E_SHIFT = 8  # number: to slot + 1; more: from slot + 1; the player is its owner
E_RETURN = 9  # number: from slot + 1; the player is its owner
E_NO_TARGET = 10
E_DECLINE = 11
E_BONUS = 12  # number: Power
E_TOKEN = 13  # mode: type; number: all tokens of that type
E_NO_TOKEN = 14
E_BLOCKED = 15  # the player is its owner
E_NOTHING_BLOCKED = 16
E_WILLPOWER = 17
E_FROM_HAND = 18
E_DAMAGE = 19  # mode: type; number: amount; more: stopped
E_IGNORE = 20  # mode: type; number: amount
E_MILL = 21  # four cards, each + 1, instead of card, mode and numbers
E_BURY = 22  # number: cards
E_PUT_BACK = 23
E_WIN = 24
E_TIE = 25
E_CUT = 26
EVENT_KINDS = 26


@njit
def emit(s: State, kind: Kind, player: Player, card: Number, mode: Number, number: Number, more: Number) -> None:
    """Append one public event; `card` and `mode` are their numbers, or -1 for none."""
    row = s.event[s.events % S.EVENTS]
    row[0] = kind * S.PLAYERS + player
    row[1] = card + 1
    row[2] = mode + 1
    row[3] = number
    row[4] = more
    s.events += 1


@njit
def kind_of(row: Any) -> Kind:
    """The kind of an event."""
    return row[0] // S.PLAYERS


@njit
def player_of(row: Any) -> Player:
    """The player of an event."""
    return row[0] % S.PLAYERS
