"""Threads that share each step of a batch and sleep in between.

To hand over a step of some thousand games, a pool of futures takes about as long as a thread takes for its part of the step. Two locks for
each thread take a third of that.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any


class _Member:
    """A thread that waits for a call, makes it, and signals that it is done."""

    def __init__(self, name: str) -> None:
        self.go = threading.Lock()
        self.done = threading.Lock()
        self.go.acquire()
        self.done.acquire()
        self.call: tuple[Any, ...] | None = None  # function and arguments; None ends the thread
        self.error: BaseException | None = None
        self.result: Any = None
        self.busy = False
        threading.Thread(target=self._work, name=name, daemon=True).start()

    def _work(self) -> None:
        while True:
            self.go.acquire()
            if self.call is None:
                return
            function, *arguments = self.call
            try:
                self.result = function(*arguments)
            except BaseException as error:  # raised again in the caller's thread
                self.error = error
            del function, arguments
            self.call = None
            self.done.release()

    def start(self, call: tuple[Any, ...]) -> None:
        self.wait()  # what an interrupted call left behind
        self.call, self.error, self.busy = call, None, True
        self.go.release()

    def wait(self) -> None:
        if self.busy:
            self.done.acquire()
            self.busy = False

    def end(self) -> None:
        self.wait()
        self.call = None
        self.go.release()


class Crew:
    """`count` threads besides the caller's. They end with `close`, or when this object is collected."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._open()

    def _open(self) -> None:
        self._process = os.getpid()
        self._members = [_Member(f"react_env_{i}") for i in range(self.count)]
        self._end = weakref.finalize(self, _end, self._members, self._process)
        self._end.atexit = False  # they are daemons

    def run(self, calls: Sequence[tuple[Callable[..., Any], *tuple[Any, ...]]]) -> list[Any]:
        """Make up to `count` + 1 calls (function, *arguments) at once, the first in the caller's thread.

        Returns the results when all are done. If a call raises an error, it is raised again here.
        """
        if self._process != os.getpid():  # a fork does not copy threads
            self._open()
        busy = self._members[: len(calls) - 1]
        for member, call in zip(busy, calls[1:]):
            member.start(call)
        try:
            function, *arguments = calls[0]
            first = function(*arguments)
        finally:
            for member in busy:
                member.wait()
        for member in busy:
            if member.error is not None:
                raise member.error
        return [first, *(member.result for member in busy)]

    def close(self) -> None:
        """End the threads."""
        self._end()


def _end(members: list[_Member], process: int) -> None:
    if process == os.getpid():
        for member in members:
            member.end()
