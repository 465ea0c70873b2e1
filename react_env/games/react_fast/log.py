"""The public log: events in a ring in the record. `view.py` puts them into words."""

from react_env.engine.compile import njit
from react_env.engine.terms import Kind, Number, Player, State
from react_env.games.react_fast import state as S

# An event holds its kind, a player, a card + 1 or a traveling card + 1, and a number; 0 means none.
E_PLACE = 1  # card; number: cards of the unit
E_REVEAL = 2  # traveling card
E_ACTIVATE = 3  # traveling card; number: target + 1
E_SKIP = 4
E_SLAP_PILE = 5
E_SLAP_TRAVELING = 6  # traveling card
E_PENALTY = 7  # number: cards
E_ROUND = 8  # who takes the pile; number: cards
E_OUT = 9
E_HEAP = 10  # card; number: cards
E_TAKE = 11  # card: Artifacts #9
E_SUIT_WIN = 12
E_WIN = 13
E_CUT = 14  # the player is the winner, or NOBODY
EVENT_KINDS = 14


@njit
def emit(s: State, kind: Kind, player: Player, card: Number = -1, number: Number = 0) -> None:
    """Append one public event; `card` is its number, or -1 for none."""
    row = s.event[s.events % S.EVENTS]
    row[0] = kind
    row[1] = player
    row[2] = card + 1
    row[3] = number
    s.events += 1
