"""A tiny game for the tests of the engine: hidden hands, random deals, several steps of one player in a row, a limit of turns.

Two piles, cards of ranks 0 to 3. In a turn a player names a rank of the hand, then a pile; the card goes on the pile and gives a point if
it is higher than the pile's top card. The player draws a card; if the ranks were equal, the same player goes on. Five points win, two
empty hands are a draw, and after `max_turns` turns the game is cut short. With several limits each game draws one of them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.game import Game
from react_env.engine.layout import Layout
from react_env.engine.rng import below
from react_env.engine.rules import Actions, Heuristics, Identity, Rules, Tables
from react_env.errors import OptionError
from react_env.registry import Description

RANKS, DECK, GOAL = 4, 16, 5
NAMES = ("rank 0", "rank 1", "rank 2", "rank 3", "left pile", "right pile")
STATE = np.dtype(
    (
        np.record,
        [
            ("rng", "u8"),
            ("table", "i2"),
            ("over", "i1"),
            ("to_play", "i1"),
            ("reward", "f4", 2),
            ("turn", "i2"),
            ("rank", "i1"),  # the rank just named, or -1
            ("hand", "i1", (2, RANKS)),
            ("deck", "i1", DECK),
            ("deck_size", "i1"),
            ("pile", "i1", 2),
            ("points", "i1", 2),
        ],
    )
)
TABLES = np.dtype((np.record, [("max_turns", "i2")]))
LAYOUT = Layout(
    [
        ("rank", (), -1, 3, "the rank just named, -1 none"),
        ("hand", (RANKS,), 0, 4, "own cards by rank"),
        ("hand_size", (), 0, 16, "cards of the opponent"),
        ("pile", (2,), 0, 3, "top cards"),
        ("points", (2,), 0, GOAL, "own and the opponent's points"),
        ("deck_size", (), 0, DECK, "cards in the deck"),
        ("limit", (), 0, 127, "turns until the game is cut short, at most 127"),
    ]
)
HAND, HAND_SIZE, PILE = LAYOUT["hand"].start, LAYOUT["hand_size"].start, LAYOUT["pile"].start
POINTS, SIZE, LIMIT = LAYOUT["points"].start, LAYOUT["deck_size"].start, LAYOUT["limit"].start


@njit
def draw(s: Any, player: Any) -> None:
    if s.deck_size > 0:
        s.deck_size -= 1
        s.hand[player, s.deck[s.deck_size]] += 1


@njit
def shuffle(s: Any) -> None:
    for i in range(s.deck_size - 1, 0, -1):
        j = below(s, i + 1)
        card = s.deck[i]
        s.deck[i] = s.deck[j]
        s.deck[j] = card


@njit
def legal(s: Any, t: Any, mask: Any) -> None:
    mask[:] = False
    if s.rank < 0:
        for rank in range(RANKS):
            mask[rank] = s.hand[s.to_play, rank] > 0
    else:
        mask[RANKS] = True
        mask[RANKS + 1] = True


@njit
def reset(s: Any, t: Any, mask: Any) -> None:
    for i in range(DECK):
        s.deck[i] = i % RANKS
    s.deck_size = DECK
    shuffle(s)
    for _ in range(4):
        draw(s, 0)
        draw(s, 1)
    s.rank = -1
    s.to_play = below(s, 2)
    legal(s, t, mask)


@njit
def apply(s: Any, t: Any, action: Any, mask: Any) -> None:
    mask[:] = False
    me = s.to_play
    if s.rank < 0:
        s.rank = action
    else:
        pile = action - RANKS
        again = s.rank == s.pile[pile]
        if s.rank > s.pile[pile]:
            s.points[me] += 1
        s.hand[me, s.rank] -= 1
        s.pile[pile] = s.rank
        s.rank = -1
        draw(s, me)
        s.turn += 1
        if s.points[me] == GOAL:
            s.over = 1
            s.reward[me] = 1
            s.reward[1 - me] = -1
        elif s.hand.sum() == 0:
            s.over = 1
        elif s.turn >= t.max_turns:
            s.over = 2
        if s.over != 0:
            return
        if not (again and s.hand[me].sum() > 0) and s.hand[1 - me].sum() > 0:
            s.to_play = 1 - me
    legal(s, t, mask)


@njit
def observe(s: Any, t: Any, player: Any, out: Any) -> None:
    out[0] = s.rank if s.to_play == player else -1
    for rank in range(RANKS):
        out[HAND + rank] = s.hand[player, rank]
    out[HAND_SIZE] = s.hand[1 - player].sum()
    for i in range(2):
        out[PILE + i] = s.pile[i]
        out[POINTS + i] = s.points[player if i == 0 else 1 - player]
    out[SIZE] = s.deck_size
    out[LIMIT] = min(t.max_turns - s.turn, 127)


@njit
def determinize(s: Any, t: Any, player: Any) -> None:
    count = 0
    for rank in range(RANKS):
        while s.hand[1 - player, rank] > 0:
            s.hand[1 - player, rank] -= 1
            s.deck[s.deck_size] = rank
            s.deck_size += 1
            count += 1
    shuffle(s)
    for _ in range(count):
        draw(s, 1 - player)
    other = 1 - player
    if (
        s.to_play == other and s.rank >= 0 and s.hand[other, s.rank] == 0
    ):  # the card that is being played stays in the hand
        given = 0
        while s.hand[other, given] == 0:
            given += 1
        s.hand[other, given] -= 1
        s.hand[other, s.rank] += 1
        for i in range(s.deck_size):
            if s.deck[i] == s.rank:
                s.deck[i] = given
                break


@njit
def value(s: Any, t: Any, player: Any) -> float:
    if s.over != 0:
        return 1e6 * s.reward[player]
    return float(s.points[player] - s.points[1 - player])


@njit
def potential(s: Any, t: Any, player: Any) -> float:
    return np.tanh(value(s, t, player) / 2.0)


@njit
def unfinished(s: Any) -> int:
    return 1 if s.rank >= 0 else 0


FIELDS = STATE.names or ()
RANK, HAND_FIELD, DECK_FIELD, DECK_SIZE = (FIELDS.index(name) for name in ("rank", "hand", "deck", "deck_size"))
PILE_FIELD, POINTS_FIELD, TURN = (FIELDS.index(name) for name in ("pile", "points", "turn"))


@njit
def valid(s: Any, t: Any) -> Any:
    if s.turn < 0 or s.turn > t.max_turns or (s.over == 0 and s.turn == t.max_turns):
        return TURN
    if s.deck_size < 0 or s.deck_size > DECK:
        return DECK_SIZE
    for i in range(s.deck_size):
        if s.deck[i] < 0 or s.deck[i] >= RANKS:
            return DECK_FIELD
    for p in range(2):
        if s.pile[p] < 0 or s.pile[p] >= RANKS:
            return PILE_FIELD
        if s.points[p] < 0 or s.points[p] >= GOAL + (s.over != 0):
            return POINTS_FIELD
    for rank in range(RANKS):
        n = np.int64(s.hand[0, rank]) + s.hand[1, rank]
        for i in range(s.deck_size):
            n += s.deck[i] == rank
        if s.hand[0, rank] < 0 or s.hand[1, rank] < 0 or n > DECK // RANKS:
            return HAND_FIELD
    if s.over == 0:
        if s.rank < -1 or s.rank >= RANKS or (s.rank >= 0 and s.hand[s.to_play, s.rank] == 0):
            return RANK
        if s.hand[s.to_play].sum() == 0:
            return HAND_FIELD
    return -1


FEATURES = ("one", "points", "cards", "highest rank", "own turn")


@njit
def features(s: Any, t: Any, p: Any, f: Any) -> None:
    f[:] = 0.0
    f[0] = 1.0
    f[1] = s.points[p]
    for rank in range(RANKS):
        f[2] += s.hand[p, rank]
        if s.hand[p, rank]:
            f[3] = rank
    f[4] = s.to_play == p


class View:
    """The game in words."""

    def text(self, state: Any, player: int | None) -> str:
        hands = [f"player_{p}: {state.hand[p].tolist() if player in (None, p) else '?'}" for p in range(2)]
        return "\n".join([*self.status_lines(state, player), *hands])

    def status_lines(self, state: Any, player: int | None) -> list[str]:
        return [f"turn {int(state.turn)}, piles {state.pile.tolist()}, points {state.points.tolist()}"]

    def log_lines(self, state: Any, since: int = 0) -> list[str]:
        return [f"turn {n + 1} is over" for n in range(since, int(state.turn))]

    def event_count(self, state: Any) -> int:
        return int(state.turn)

    def action_text(self, state: Any, action: int) -> str:
        return f"play on the {NAMES[action]}" if action >= RANKS else f"take a card of {NAMES[action]}"


GAME = Description("toy-v0", "Toy", load="tests.toy:load")


def load(max_turns: int | Sequence[int] = 30) -> Game:
    """The toy game. `max_turns` is the limit after which a game is cut short, or several limits, of which each game draws one."""
    limits = [max_turns] if isinstance(max_turns, int) else list(max_turns)
    if not limits or not all(isinstance(limit, int) and 1 <= limit <= 1000 for limit in limits):
        raise OptionError(f"max_turns must be integers from 1 to 1000, not {max_turns!r}")
    tables = np.zeros(len(limits), TABLES)
    tables["max_turns"] = limits
    return Game(
        Rules(
            identity=Identity(
                "toy-v0",
                {"max_turns": max_turns if isinstance(max_turns, int) else limits},
                f"{0x70700 + sum(limit * 1001**i for i, limit in enumerate(limits)):016x}"[:16],
                load=load,
            ),
            state_dtype=STATE,
            tables=Tables(tables, roles=(("first", "second"),) * len(limits)),
            actions=Actions(NAMES, {"ranks": slice(0, RANKS), "piles": slice(RANKS, RANKS + 2)}),
            layout=LAYOUT,
            view=View(),
            reset=reset,
            apply=apply,
            legal=legal,
            observe=observe,
            determinize=determinize,
            valid=valid,
        ),
        Heuristics(value=value, features=features, feature_names=FEATURES, potential=potential, unfinished=unfinished),
    )
