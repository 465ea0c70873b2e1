"""The public log: events in a ring that the record carries. `view.py` puts them into words."""

from typing import Any

from react_env.engine.compile import njit
from react_env.games.fight_sequence.state import EVENTS

# kind; then the player, and up to four numbers.
E_SEQUENCE = 1  # number // 100, number % 100
E_ATTACK = 2  # card
E_RESPOND = 3  # card
E_PASS = 4
E_INITIATIVE = 5
E_DRAW = 6  # cards drawn, 0: the deck is empty
E_RESOLVE = 7  # card, mode
E_SHIFT = 8  # card, mode, from slot, to slot; the player is its owner
E_RETURN = 9  # card, mode
E_NO_TARGET = 10  # card, mode
E_DECLINE = 11
E_BONUS = 12  # card, Power
E_TOKEN = 13  # type, all tokens of that type
E_NO_TOKEN = 14
E_BLOCKED = 15  # card, mode; the player is its owner
E_NOTHING_BLOCKED = 16
E_WILLPOWER = 17
E_FROM_HAND = 18  # card
E_DAMAGE = 19  # amount, type, stopped
E_IGNORE = 20  # amount, type
E_MILL = 21  # four cards, each + 1, 0 none
E_BURY = 22  # cards
E_PUT_BACK = 23
E_WIN = 24
E_TIE = 25
E_CUT = 26
EVENT_KINDS = 26


@njit
def emit(s: Any, kind: Any, player: Any, a: Any, b: Any, c: Any, d: Any) -> None:
    """Append one public event."""
    row = s.event[s.events % EVENTS]
    row[0] = kind
    row[1] = player
    row[2] = a
    row[3] = b
    row[4] = c
    row[5] = d
    s.events += 1
