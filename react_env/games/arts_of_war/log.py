"""The public event log of a record: a ring of small rows, numbered from the start of the game.

A row is (kind, player, a, b, c, d, e). `view.py` prints the rows; `observation.py` shows the last of them.
"""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.terms import Kind, Number, Player, Row, State
from react_env.games.arts_of_war import state as S

(
    E_NONE,
    E_TURN,  # a: turn // 100, b: turn % 100
    E_DRAW,  # a: 0 drawn, 1 hand full, 2 deck empty
    E_PLAY,  # a: card, b: effect row, c: unit that uses it, d: its zone, e: direction; the next two kinds of row continue it
    E_LOCK_UNIT,  # continues a play. a: unit, b: its zone
    E_LOCK_ZONE,  # continues a play. a: zone
    E_DISCARD,  # a: card
    E_PASS,  # a: 1 announced as forced
    E_RESOLVE,  # a: card, b: effect row
    E_TRIGGER,  # a: what triggered (SRC_*), b: how deep it nests, from 1
    E_MOVE,  # a: unit, b: from, c: to
    E_SWAP,  # a: unit, b: its zone, c: unit, d: its zone
    E_BLOCKED,  # a: zone
    E_DAMAGE,  # a: unit, b: zone, c: damage so far
    E_REMOVED,  # a: unit, b: zone
    E_NOTHING,  # a: zone
    E_SUMMON,  # a: unit, b: zone
    E_TOKEN_UNIT,  # a: 1 gets, 0 loses, b: owner of the token, c: token kind, d: unit, e: zone
    E_TOKEN_ZONE,  # a: 1 gets, 0 loses, b: owner, c: token kind, d: zone
    E_TILE,  # a: 1 gets, 0 loses, 2 moves, b: owner, c: tile kind, d: zone, e: zone moved to, or direction + 1 where directed
    E_EXHAUST,  # a: 1 exhausted, 0 refreshed, b: unit, c: zone
    E_PLACE,  # a: part, b: slot
    E_REPLACE,  # a: part, b: slot
    E_SWAP_SLOTS,  # a, b: slots
    E_DECLINE,
    E_ASCEND,  # a: 1 ascends, 0 descends, 2 becomes another
    E_END_TURN,
    E_WIN,
    E_TIE,
    E_TRUNCATED,
    E_UNHARMED,  # a: unit, b: zone
    E_COUNTER,  # a: counter, b: its new value
    E_ROLL,  # a: what the die shows, b: the value of the counter of dice
    E_FACE_DOWN,  # a: slot of the chain
    E_REVEAL,  # a: card
    E_FUTILE,  # a: card that was revealed and could not be played
    E_TAKE_BACK,  # a: slot of the chain
    E_LEFT_OUT,  # a trigger beyond the limit (AW-C6a). a: what triggered (SRC_*)
) = range(38)
EVENT_KINDS = 38


# For each kind of event: the least and the greatest value of its numbers a, b, ..., and the columns of the row in which observations find
# its card, unit, zone and number (0: it has none).
_UNIT, _ZONE, _SPOT = (S.GONE, S.UNITS - 1), (-1, S.ZONES - 1), (0, S.ZONES - 1)
_CARD, _ACTION_CARD, _EFFECT = (0, S.CARDS - 1), (0, S.ACTIONS_CARDS - 1), (0, 127)
_PART, _SLOT, _CHAIN_SLOT = (0, S.PARTS - 1), (0, S.ROW - 1), (0, S.CHAIN - 1)
_TOKEN, _TILE, _COUNTER = (0, S.TOKENS - 1), (0, S.TILES - 1), (0, S.COUNTERS - 1)
_PLAYER, _BIT, _COUNT, _ANY = (0, S.PLAYERS - 1), (0, 1), (0, 127), (-128, 127)
_NOWHERE = (0, 0, 0, 0)
_KINDS: list[tuple[list[int], list[tuple[int, int]], tuple[int, int, int, int]]] = [
    ([E_TURN], [_ANY, _ANY], _NOWHERE),
    ([E_DRAW, E_ASCEND], [(0, 2)], (0, 0, 0, 2)),
    ([E_PLAY], [_CARD, _EFFECT, _UNIT, _ZONE, (-1, 3)], (2, 4, 0, 0)),
    ([E_LOCK_UNIT, E_REMOVED, E_SUMMON, E_UNHARMED], [_UNIT, _ZONE], (0, 2, 3, 4)),
    ([E_DAMAGE], [_UNIT, _ZONE, (0, S.LIVES)], (0, 2, 3, 4)),
    ([E_LOCK_ZONE, E_BLOCKED, E_NOTHING], [_SPOT], (0, 0, 2, 0)),
    ([E_DISCARD], [_CARD], (2, 0, 0, 0)),
    ([E_REVEAL, E_FUTILE], [_ACTION_CARD], (2, 0, 0, 0)),
    ([E_PASS], [_BIT], _NOWHERE),
    ([E_RESOLVE], [_CARD, _EFFECT], (2, 0, 0, 0)),
    ([E_TRIGGER, E_LEFT_OUT], [_COUNT, _COUNT], _NOWHERE),
    ([E_MOVE], [_UNIT, _ZONE, _SPOT], (0, 2, 4, 0)),
    ([E_SWAP], [_UNIT, _ZONE, _UNIT, _ZONE], (0, 2, 5, 0)),
    ([E_TOKEN_UNIT], [_BIT, _PLAYER, _TOKEN, _UNIT, _ZONE], (0, 5, 6, 2)),
    ([E_TOKEN_ZONE], [_BIT, _PLAYER, _TOKEN, _SPOT], (0, 0, 5, 2)),
    ([E_TILE], [(0, 2), _PLAYER, _TILE, _SPOT, _SPOT], (0, 0, 5, 2)),
    ([E_EXHAUST], [_BIT, _UNIT, _ZONE], (0, 3, 4, 2)),
    ([E_PLACE, E_REPLACE], [_PART, _SLOT], _NOWHERE),
    ([E_SWAP_SLOTS], [_SLOT, _SLOT], _NOWHERE),
    ([E_DECLINE, E_END_TURN, E_WIN, E_TIE, E_TRUNCATED], [], _NOWHERE),
    ([E_COUNTER], [_COUNTER, _COUNT], (0, 0, 0, 3)),
    ([E_ROLL], [_COUNT, _COUNT], (0, 0, 0, 3)),
    ([E_FACE_DOWN], [_CHAIN_SLOT], (0, 0, 0, 2)),
    ([E_TAKE_BACK], [_CHAIN_SLOT], _NOWHERE),
]
assert sorted(kind for kinds, _, _ in _KINDS for kind in kinds) == list(range(1, EVENT_KINDS))
LOW, HIGH = np.zeros((2, EVENT_KINDS, S.EVENT_WIDTH), np.int64)  # of each column of a row
_SHOWN = np.zeros((EVENT_KINDS, 4), np.int8)  # a table, because branches would be unpredictable here
for _kinds, _spans, _columns in _KINDS:
    for _column, _span in enumerate([_PLAYER, *_spans], 1):
        LOW[_kinds, _column], HIGH[_kinds, _column] = _span
    _SHOWN[_kinds] = _columns


@njit
def shown(event: Row, more: Number) -> Any:
    """What observations show of an event, as player 0 sees it: kind, who (1 or 2), card, unit and zone (each + 1), and number (with `more`
    added). What the event does not have is 0."""
    kind = np.int64(event[0])
    card, unit, zone, number = _SHOWN[kind, 0], _SHOWN[kind, 1], _SHOWN[kind, 2], _SHOWN[kind, 3]
    u, z = np.int64(event[unit]), np.int64(event[zone])
    return (
        kind,
        np.int64(event[1]) + 1,
        (np.int64(event[card]) + 1) * (card != 0),
        (u + 1) * ((unit != 0) & (u >= 0)),
        (z + 1) * ((zone != 0) & (z >= 0)),
        np.int64(event[number]) * (number != 0) + more,
    )


@njit
def emit(
    s: State,
    kind: Kind,
    player: Player,
    a: Number = 0,
    b: Number = 0,
    c: Number = 0,
    d: Number = 0,
    e: Number = 0,
    more: Number = 0,
) -> None:
    """Append one public event; `more` as for `shown`."""
    row = s.event[s.events % S.EVENTS]
    row[0] = kind
    row[1] = player
    row[2] = a
    row[3] = b
    row[4] = c
    row[5] = d
    row[6] = e
    seen = s.shown[s.events % S.SHOWN]
    seen[0], seen[1], seen[2], seen[3], seen[4], seen[5] = shown(row, more)
    s.events += 1
