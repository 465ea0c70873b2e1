"""The points of a run for TensorBoard."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from react_env.extras import need

with need("train", "torch", "tensorboard"):
    from torch.utils.tensorboard import SummaryWriter


PAUSE = 60.0  # seconds after which a writer that failed is replaced


class Plots:
    """A SummaryWriter that a full disk costs points, and never the run.

    Where one cannot write, its thread dies and all later calls raise, so it is given up; another one, with a file of its own, begins later.
    """

    def __init__(self, folder: Path, purge_step: int | None = None) -> None:
        """`purge_step`: of a run that is resumed, from where on older points are no longer shown."""
        self._folder = str(folder)
        self._hook = threading.excepthook
        threading.excepthook = self._on_exception
        self._writer: Any = None
        self._failed = 0.0
        try:
            self._writer = SummaryWriter(self._folder, purge_step=purge_step)
        except (OSError, UnicodeError):  # the name of a folder need not be text
            self._give_up()

    def add(self, name: str, value: float, steps: int) -> None:
        """The point `value` at `steps` of the curve `name`."""
        if self._writer is None and time.monotonic() - self._failed < PAUSE:
            return
        try:
            if self._writer is None:
                self._writer = SummaryWriter(self._folder)
            self._writer.add_scalar(name, value, steps)
        except (OSError, UnicodeError):
            self._give_up()

    def flush(self) -> None:
        """Write what waits."""
        if self._writer is not None:
            try:
                self._writer.flush()
            except OSError:
                self._give_up()

    def close(self) -> None:
        """Write what waits, and end."""
        self._give_up()
        threading.excepthook = self._hook

    def _give_up(self) -> None:
        with suppress(OSError):
            if self._writer is not None:
                self._writer.close()
        self._writer, self._failed = None, time.monotonic()

    def _on_exception(self, arguments: Any) -> None:
        """A writer's thread that a full disk stopped needs no traceback: the run tells what it could not save."""
        ours = type(arguments.thread).__module__.partition(".")[0] == "tensorboard"
        if not (ours and issubclass(arguments.exc_type, OSError)):
            self._hook(arguments)
