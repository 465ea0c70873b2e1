"""The public log: events in a ring in the record. `view.py` puts them into words."""

from react_env.engine.compile import njit
from react_env.engine.terms import Kind, Number, Player, State
from react_env.games.reality_tcg import state as S

# An event holds its kind, a player, a card + 1, and a number; 0 means none.
E_BEGIN = 1  # who begins
E_MULLIGAN = 2  # number: cards returned
E_TURN = 3  # number: Energy
E_DRAW = 4  # number: cards
E_SUMMON = 5  # card; number: zone * 2 + position
E_SET = 6
E_PLAY = 7  # card; number: target zone + 1
E_ATTACK = 8  # card
E_DIRECT = 9  # number: ATK
E_NEGATED = 10  # card
E_DAMAGE = 11  # card; number: to DEF and HP
E_IP = 12  # number: lost
E_GONE = 13  # card
E_MOVE = 14  # card that comes to the Active Zone, or 0; number: the back row place
E_TURNED = 15  # card; number: position
E_HEAL = 16  # card; number
E_RESTORE = 17  # card; number
E_REFILL = 18  # card
E_WIN = 19
E_CUT = 20
E_CANCEL = 21
E_EMPTY = 22  # nothing to draw
E_DISCARD = 23  # card
EVENT_KINDS = 23
MOST = 127


@njit
def emit(s: State, kind: Kind, player: Player, card: Number = -1, number: Number = 0) -> None:
    """Append one public event; `card` is a kind, or -1 for none."""
    row = s.event[s.events % S.EVENTS]
    row[0] = kind
    row[1] = player
    row[2] = card + 1
    row[3] = min(number, MOST)
    s.events += 1
