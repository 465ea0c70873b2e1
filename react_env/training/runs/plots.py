"""The curves of a run for TensorBoard."""

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
    """A SummaryWriter for which a full disk costs points of the curves, but never stops the run.

    If a writer cannot write, its thread dies and all later calls raise. So it is dropped, and a new one, with its own file, begins later.
    """

    def __init__(self, folder: Path, purge_step: int | None = None) -> None:
        """`purge_step`: for a resumed run, the step from which older points are no longer shown."""
        self._folder = str(folder)
        self._hook = threading.excepthook
        threading.excepthook = self._on_exception
        self._writer: Any = None
        self._failed = 0.0
        try:
            self._writer = SummaryWriter(self._folder, purge_step=purge_step)
        except (OSError, UnicodeError):  # a folder's name need not be valid text
            self._give_up()

    def add(self, name: str, value: float, steps: int) -> None:
        """Add the point `value` at `steps` to the curve `name`."""
        if self._writer is None and time.monotonic() - self._failed < PAUSE:
            return
        try:
            if self._writer is None:
                self._writer = SummaryWriter(self._folder)
            self._writer.add_scalar(name, value, steps)
        except (OSError, UnicodeError):
            self._give_up()

    def flush(self) -> None:
        """Write the points that are waiting."""
        if self._writer is not None:
            try:
                self._writer.flush()
            except OSError:
                self._give_up()

    def close(self) -> None:
        """Write the points that are waiting, and stop."""
        self._give_up()
        threading.excepthook = self._hook

    def _give_up(self) -> None:
        with suppress(OSError):
            if self._writer is not None:
                self._writer.close()
        self._writer, self._failed = None, time.monotonic()

    def _on_exception(self, arguments: Any) -> None:
        """Print no traceback of a writer's thread that a full disk stopped: the run says what it could not save."""
        ours = type(arguments.thread).__module__.partition(".")[0] == "tensorboard"
        if not (ours and issubclass(arguments.exc_type, OSError)):
            self._hook(arguments)
