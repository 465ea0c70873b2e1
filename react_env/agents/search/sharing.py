"""Many decisions shared out to threads: what the agents that look ahead have in common."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from react_env.engine.compile import njit
from react_env.engine.game import once_per_game
from react_env.errors import OptionError, StateError

MOST_THREADS = 10_000
_BLOCK = 64  # bytes


def as_bytes(records: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """(N,) contiguous records -> (N, bytes) uint8, the same memory: compiled code copies bytes a hundred times faster than records."""
    return records.view(np.uint8).reshape(len(records), records.dtype.itemsize)


@njit
def copy_row(source: Any, target: Any) -> None:
    """target (bytes,) becomes source (bytes,). An assignment would do, but the error for rows of two lengths takes seconds to compile."""
    for i in range(target.size):
        target[i] = source[i]


@once_per_game
def make_live_copy(game: Any) -> Any:
    """Compiles copy(source, target) of the bytes of a record: but for the rows that are not in use (`Rules.live`), which keep what
    `target` had there.
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


class Workers:
    """Threads that take decisions one after the other, each with scratch memory of its own that is kept between calls.

    Compiled code releases the GIL, so that they run at the same time.
    """

    def __init__(self, game: Any, threads: int, new_scratch: Callable[[], Any]) -> None:
        """`new_scratch` makes the memory of one thread when it is first needed. OptionError where `threads` is out of its range."""
        if not 1 <= threads <= MOST_THREADS:
            raise OptionError(f"threads must be from 1 to {MOST_THREADS}, not {threads!r}")
        self.threads = threads
        self.scratch: list[Any] = []
        self._game = game
        self._new_scratch = new_scratch
        self._pool: ThreadPoolExecutor | None = None  # beside the thread that asks

    def __getstate__(self) -> dict[str, Any]:
        """Copies make scratch memory and threads of their own: in it one array is the bytes of another, which copies would not be."""
        return {**self.__dict__, "scratch": [], "_pool": None}

    def share(
        self,
        states: npt.NDArray[Any],
        players: npt.NDArray[np.int64],
        chunk: int,
        decide: Callable[[int, int, Any], None],
    ) -> None:
        """Calls decide(begin, end, scratch) for ranges of `chunk` of the (N,) records until all of them are done.

        The ranges are handed out one by one, since decisions differ much in what they cost. StateError where a record is none that this
        game could reach, or belongs to other options; OptionError where there are not as many players, or one who does not exist.
        """
        count = len(states)
        if not count:
            return
        game = self._game
        if states.dtype != game.state_dtype or states.ndim != 1:
            raise StateError(f"{game.id}: these are not states of this game but {states.dtype} {states.shape}"[:200])
        if players.shape != (count,) or not 0 <= players.min() <= players.max() < game.num_players:
            raise OptionError(f"{game.id}: players must be {count} numbers from 0 to {game.num_players - 1}")
        chunks = itertools.count()

        def work(scratch: Any) -> None:
            while (begin := next(chunks) * chunk) < count:
                end = min(begin + chunk, count)
                if problem := game.impossible(states, np.arange(begin, end)):
                    raise StateError(f"{game.id}: states[{begin + problem[0]}]: {problem[1]}")
                decide(begin, end, scratch)

        workers = min(self.threads, -(-count // chunk))
        while len(self.scratch) < workers:
            self.scratch.append(self._new_scratch())
        if workers > 1 and self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads - 1)
        helpers = [self._pool.submit(work, scratch) for scratch in self.scratch[1:workers]] if self._pool else []
        try:
            work(self.scratch[0])
        finally:
            for helper in helpers:
                helper.result()
