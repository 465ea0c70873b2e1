"""One process at a time in a run's folder."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # not a POSIX system: nothing is locked there
    fcntl = None  # type: ignore[assignment]

from react_env.errors import OptionError, TrainingError

FILE = ".lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes out of `folder` while the context is open. The system releases the lock when this process ends, even if killed.

    Raises TrainingError if another process holds it.
    """
    file = os.open(folder / FILE, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                who = os.read(file, 32).decode(errors="replace").strip() or "unknown"
                raise TrainingError(
                    f"{folder}: another process ({who}) is using this run; wait for it, stop it, or choose another name"
                ) from None
            os.ftruncate(file, 0)
            with suppress(OSError):  # on a full disk the lock holds without saying whose it is
                os.write(file, str(os.getpid()).encode())
        yield
    finally:
        os.close(file)


def check_free(folder: Path, resume: bool) -> None:
    """Raise OSError if nothing can be written to `folder`, OptionError if it holds a run and `resume` is not set, TrainingError if
    another process is working on it."""
    there = next(place for place in (folder.absolute(), *folder.absolute().parents) if place.exists())
    if not there.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    if not os.access(there, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
    if (folder / FILE).exists():
        with locked(folder):
            pass
    if not resume:
        check_unused(folder)


def check_unused(folder: Path) -> None:
    """Raise OptionError if `folder` holds a run."""
    if (folder / "config.json").exists():
        raise OptionError(f"{folder} already holds a run: resume it, or choose another name")


def empty(folder: Path, last: Sequence[str]) -> None:
    """Remove everything but the lock from a folder that is locked here. The files `last`, which tell what the folder is, go at the end."""
    for path in sorted(folder.iterdir(), key=lambda path: path.name in last):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name != FILE:
            path.unlink()
