"""Ctrl-C that lets a run finish and save its current work."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from react_env.training.algorithms.learner import Stopped

# Seconds within which another signal counts as the same one: `timeout` signals a process and then its group, too.
_AGAIN = 1.0


class Interrupt:
    """While this context is open, the first Ctrl-C (or SIGTERM) only sets `requested`; another one, a second or more later, interrupts
    at once.

    Outside the main thread it leaves signals alone.
    """

    def __init__(self, say: Callable[[str], None] = lambda line: None) -> None:
        self.requested = False
        self._say = say
        self._since = 0.0
        self._before: dict[int, Any] = {}

    def check(self) -> None:
        """Raise Stopped if an interruption was requested."""
        if self.requested:
            raise Stopped

    def __enter__(self) -> Interrupt:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            if time.monotonic() - self._since < _AGAIN:
                return
            raise KeyboardInterrupt
        self.requested, self._since = True, time.monotonic()
        self._say("stopping after this update, with everything saved (interrupt again to stop at once)")
