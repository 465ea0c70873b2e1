"""One process at a time in a run's folder."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType

try:
    import fcntl
except ImportError:  # not a POSIX system: nothing is locked there
    fcntl = None  # type: ignore[assignment]

from react_env.errors import TrainingError

FILE = ".lock"


class Lock:
    """Held while the context is open, and let go by the system when its process ends, however that happens.

    TrainingError if another process holds it.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._file: int | None = None

    def __enter__(self) -> Lock:
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        if fcntl is None:
            return self
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            who = os.read(self._file, 32).decode(errors="replace").strip()
            os.close(self._file)
            raise TrainingError(
                f"{self._path.parent}: another process ({who or 'unknown'}) works on this run; wait for it, stop it, "
                "or choose another name"
            ) from None
        os.ftruncate(self._file, 0)
        with suppress(OSError):  # on a full disk the lock holds without saying whose it is
            os.write(self._file, str(os.getpid()).encode())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
