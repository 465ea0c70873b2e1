"""Many decisions shared out to threads: what the agents that look ahead have in common."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from react_env.errors import OptionError, StateError

MOST_THREADS = 10_000


def as_bytes(records: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """(N,) contiguous records -> (N, bytes) uint8, the same memory: compiled code copies bytes a hundred times faster than records."""
    return records.view(np.uint8).reshape(len(records), records.dtype.itemsize)


class Workers:
    """Threads that take decisions one after the other, each with scratch memory of its own that is kept between calls.

    Compiled code releases the GIL, so that they run at the same time.
    """

    def __init__(self, rules: Any, threads: int, new_scratch: Callable[[], Any]) -> None:
        """`new_scratch` makes the memory of one thread when it is first needed. OptionError where `threads` is out of its range."""
        if not 1 <= threads <= MOST_THREADS:
            raise OptionError(f"threads must be from 1 to {MOST_THREADS}, not {threads!r}")
        self.threads = threads
        self.scratch: list[Any] = []
        self._rules = rules
        self._new_scratch = new_scratch

    def share(self, states: npt.NDArray[Any], chunk: int, decide: Callable[[int, int, Any], None]) -> None:
        """Calls decide(begin, end, scratch) for ranges of `chunk` of the (N,) records until all of them are done.

        The ranges are handed out one by one, since decisions differ much in what they cost. StateError where a record belongs to a game
        with other options.
        """
        count = len(states)
        if not count:
            return
        if not 0 <= states["table"].min() <= states["table"].max() < len(self._rules.tables):
            raise StateError(f"{self._rules.id}: there are states of a game with other options among these")
        chunks = itertools.count()

        def work(scratch: Any) -> None:
            while (begin := next(chunks) * chunk) < count:
                decide(begin, min(begin + chunk, count), scratch)

        workers = min(self.threads, -(-count // chunk))
        while len(self.scratch) < workers:
            self.scratch.append(self._new_scratch())
        if workers == 1:
            work(self.scratch[0])
        else:
            with ThreadPoolExecutor(workers) as pool:
                list(pool.map(work, self.scratch[:workers]))
