"""Many decisions shared among threads: what the agents that look ahead have in common."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from react_env.agents.protocol import Actions, Players, Records, Values
from react_env.engine.compile import njit
from react_env.engine.crew import Crew
from react_env.engine.game import once_per_game
from react_env.engine.kernels import field_checker, for_compiled
from react_env.engine.turns import next_turn, take
from react_env.errors import OptionError, StateError

MOST_THREADS = 10_000
_BLOCK = 64  # bytes
_SLICE = 0.02  # about how many seconds a thread decides in compiled code before it looks for an interruption
_MOST = 1 << 20  # most decisions in that time
IMPOSSIBLE = -2  # in place of an action: no game could reach the record


class Decisions(NamedTuple):
    """N decisions that threads share."""

    states: npt.NDArray[Any]  # (N,) records
    raw: npt.NDArray[np.uint8]  # (N, bytes) the same memory
    tables: npt.NDArray[Any]  # (T,) of the game
    checked: npt.NDArray[np.int64]  # the names that `field_checker` takes
    players: npt.NDArray[np.int64]  # (N,) the players who decide
    seeds: npt.NDArray[np.uint64]  # (N, worlds) of the guesses of what is hidden
    ties: npt.NDArray[np.float64]  # (N,) in [0, 1), which break ties
    out: npt.NDArray[np.int64]  # (N,) the chosen ids, or `IMPOSSIBLE`
    worth: npt.NDArray[np.float64]  # (N, A) what each action is worth; (0, 0) if only the choice is asked for


def as_bytes(records: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """(N,) contiguous records -> (N, bytes) uint8, the same memory: compiled code copies bytes a hundred times faster than records."""
    return records.view(np.uint8).reshape(len(records), records.dtype.itemsize)


@once_per_game
def make_next_row(game: Any) -> Any:
    """Compiles next_row(asked, turn): the row of `Decisions` to decide next, -1 if none is left."""
    wrong_field = field_checker(game.id, game.rules.valid)

    @njit(name=f"{game.id}.next_row")
    def next_row(asked: Any, turn: Any) -> Any:
        while True:
            row = take(turn)
            if row >= asked.states.shape[0]:
                return -1
            if wrong_field(asked.states[row], asked.tables, asked.checked) < 0:
                return row
            asked.out[row] = IMPOSSIBLE

    return next_row


@njit
def copy_row(source: Any, target: Any) -> None:
    """Copies source (bytes,) to target (bytes,). An assignment would do, but its error for unequal lengths takes seconds to compile."""
    for i in range(target.size):
        target[i] = source[i]


@once_per_game
def make_live_copy(game: Any) -> Any:
    """Compiles copy(source, target) of the bytes of a record, except rows that are not in use (`Rules.live`): there `target` stays
    as it was.
    """
    fields: Any = game.state_dtype.fields
    parts, begin = [], 0
    for name in sorted(game.rules.live, key=lambda name: fields[name][1]):
        dtype, offset = fields[name][:2]
        counts = [fields[count][1] for count in game.rules.live[name]]
        parts.append(
            (begin, offset, offset + dtype.itemsize, dtype.base.itemsize, *(counts + 2 * [begin])[:2], len(counts))
        )
        begin = offset + dtype.itemsize
    size = game.state_dtype.itemsize
    segments = (*parts, (begin, size, size, 0, 0, 0, 0))

    @njit(name=f"{game.id}.copy_live")
    def copy_live(source: Any, target: Any) -> None:
        for begin, end, most, row, first, second, counts in segments:
            stop = np.int64(end)
            if counts > 0:
                stop += row * source[first]
                if counts > 1:
                    stop += row * source[second]
                # Whole blocks are copied fastest, and a few bytes more do no harm.
                stop = min(most, begin + (stop - begin + _BLOCK - 1) // _BLOCK * _BLOCK)
            for i in range(begin, stop):
                target[i] = source[i]

    return copy_live


def admitted(game: Any, states: Records, players: Players) -> tuple[Records, Players]:
    """(N,) records and (N,) players to move as compiled code takes them.

    StateError if the records are not of this game, a game is over, or another player is to move; OptionError if there are not N
    players, or one does not exist.
    """
    states, players = np.asarray(states), np.asarray(players)
    if states.dtype != game.state_dtype:
        raise StateError(f"{game.id}: these are not states of this game but {states.dtype} {states.shape}"[:200])
    if states.ndim != 1:
        raise StateError(
            f"{game.id}: states must be (N,) records, not {states.shape}; a single one is np.array([state])"
        )
    count = len(states)
    fits = players.shape == (count,) and (not count or players.dtype.kind in "iu")
    if not fits or (count and not 0 <= players.min() <= players.max() < game.num_players):
        raise OptionError(f"{game.id}: players must be {count} numbers from 0 to {game.num_players - 1}")
    over, to_play = states["over"] != 0, states["to_play"]
    wrong = over | (to_play != players)
    if wrong.any():
        row = int(wrong.argmax())
        what = "the game is over" if over[row] else f"player {to_play[row]} is to move, not {players[row]}"
        raise StateError(f"{game.id}: states[{row}]: {what}")
    return for_compiled(states), for_compiled(players, np.int64)


class Compiled:
    """Base class for decisions by a compiled function of a game. Copies make the function again: another process could not unpickle it."""

    def __init__(self, game: Any, threads: int) -> None:
        self._game = game
        self._kernel = self._make(game)
        self._workers = Workers(game, threads, self._new_scratch)

    def _make(self, game: Any) -> Any:
        """The compiled function, the same at each call."""
        raise NotImplementedError

    def _new_scratch(self) -> Any:
        """The memory of one thread."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_kernel"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._kernel = self._make(self._game)


class Workers:
    """Threads that take decisions one after the other, each with scratch memory of its own that is kept between calls.

    Compiled code releases the GIL, so the threads run at the same time. It also takes its decisions by itself: sixteen threads that ask
    Python for each handful would wait for each other most of the time.
    """

    def __init__(self, game: Any, threads: int, new_scratch: Callable[[], Any]) -> None:
        """`new_scratch` makes the memory of one thread when it is first needed. OptionError if `threads` is out of its range."""
        if not 1 <= threads <= MOST_THREADS:
            raise OptionError(f"threads must be from 1 to {MOST_THREADS}, not {threads!r}")
        self.threads = threads
        self.scratch: list[Any] = []
        self._game = game
        self._new_scratch = new_scratch
        self._crew: Crew | None = None  # the threads besides the one that asks
        self._lock = threading.Lock()  # two threads that ask one agent take turns: there is one scratch memory

    def __getstate__(self) -> dict[str, Any]:
        """Copies make their own threads and scratch memory: in that, arrays share memory, which arrays that are copied would not."""
        return {**self.__dict__, "scratch": [], "_crew": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()

    def asked(
        self, states: Records, players: Players, seeds: npt.NDArray[np.uint64], ties: Values, worth: Values
    ) -> Decisions:
        """(N,) records and (N,) players, checked by `admitted`, as `Decisions` to be made."""
        states, players = admitted(self._game, states, players)
        game, out = self._game, np.zeros(len(states), np.int64)
        return Decisions(states, as_bytes(states), game.tables, game.checked, players, seeds, ties, out, worth)

    def share(self, count: int, decide: Callable[[npt.NDArray[np.int64], int, Any], None]) -> None:
        """Calls decide(turn, most, scratch) again and again until `count` decisions are made. It makes the decisions whose numbers it takes
        from `turn` (see `react_env.engine.turns.take`), at most `most`, and ends when it gets `count` or more.

        So each decision is made by a thread that is free: they differ much in what they cost.
        """
        turn = np.zeros(1, np.int64)

        def work(scratch: Any) -> None:
            most = 1
            try:
                while turn[0] < count:
                    begin = time.perf_counter()
                    decide(turn, most, scratch)
                    most = min(2 * most, _MOST) if time.perf_counter() - begin < _SLICE else max(most // 2, 1)
            except BaseException:
                turn[0] = count  # so that the other threads end, too
                raise

        workers = max(1, min(self.threads, count))
        with self._lock:
            while len(self.scratch) < workers:
                self.scratch.append(self._new_scratch())
            if workers == 1:
                work(self.scratch[0])
                return
            if self._crew is None or self._crew.count < workers - 1:
                self._crew = Crew(workers - 1)
            self._crew.run([(work, scratch) for scratch in self.scratch[:workers]])

    def one_by_one(self, states: Records, choose: Callable[[int, Any], int]) -> Actions:
        """The results of choose(row, scratch) for (N,) records, each checked first: (N,) int64. For decisions that take long."""
        out = np.empty(len(states), np.int64)

        def decide(turn: npt.NDArray[np.int64], _: int, scratch: Any) -> None:
            if (row := next_turn(turn)) < len(states):
                self.check(states, np.array([row]))
                out[row] = choose(row, scratch)

        self.share(len(states), decide)
        return out

    def check(self, states: Records, rows: npt.NDArray[np.int64]) -> None:
        """Raise StateError if one of the records states[rows] belongs to other options or could not be reached in this game."""
        if problem := self._game.impossible(states, rows):
            raise StateError(f"{self._game.id}: states[{rows[problem[0]]}]: {problem[1]}")
