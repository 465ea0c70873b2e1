"""Files that are either whole or not there: written aside and renamed. And the card files that a game was loaded from."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any


def write_aside(path: Path, data: bytes | str) -> None:
    """Write `data` to `path` so that a reader, or an interruption at any moment, finds the old file or the new one, never a part."""
    write_all_aside({path: data})


def write_all_aside(files: Mapping[Path, bytes | str]) -> None:
    """Like `write_aside`, for files that belong together: all are written first, then renamed one right after the other.

    A link stays, and the file that it leads to is replaced. What is no regular file, such as /dev/stdout, is written directly.

    Raises OSError, which names the file, if that cannot be done.
    """
    files = {_target(path): data for path, data in files.items()}
    asides = {path: path.with_name(f".{path.name}.{os.getpid()}.tmp") for path in files if not _is_special(path)}
    written = False
    try:
        for path, data in files.items():
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                with open(asides.get(path, path), "wb") as file:
                    # Names of files need not be valid text: what cannot be encoded is escaped, as in JSON.
                    file.write(data.encode(errors="backslashreplace") if isinstance(data, str) else data)
                    file.flush()
                    if path in asides:
                        os.fsync(file.fileno())
            except OSError as error:  # a full disk does not say which file it was
                raise OSError(error.errno, error.strerror, str(path)) from None
        written = True
        for path, aside in asides.items():
            os.replace(aside, path)
    except BaseException:
        # Once one of them has been renamed, the others belong beside it and stay.
        if not written or all(aside.exists() for aside in asides.values()):
            for aside in asides.values():
                with suppress(OSError):  # as on a read-only disk, which the error reports already
                    aside.unlink(missing_ok=True)
        raise


def _is_special(path: Path) -> bool:
    """Whether there is something that is no regular file: a device, a pipe, a folder."""
    return path.exists() and not path.is_file()


def _target(path: Path) -> Path:
    """Where a link leads if it leads to a regular file or to nothing; else the path itself."""
    return Path(os.path.realpath(path)) if path.is_symlink() and not _is_special(path) else path


def is_leftover(path: Path) -> bool:
    """Whether a file is one that a process was writing aside when it was killed."""
    return path.name.startswith(".") and path.suffix == ".tmp"


def write_json(path: Path, content: Any) -> None:
    """Write `content` as indented JSON, by `write_aside`."""
    write_aside(path, as_json(content))


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file, or an empty one if there is no such file or no object in it that can be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def as_json(content: Any) -> str:
    """`content` as indented JSON text."""
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


_noted: ContextVar[tuple[dict[Path, str], Path | None]] = ContextVar("noted")
_only: ContextVar[Path | None] = ContextVar("only", default=None)


@contextmanager
def noting(installed: Path | None) -> Iterator[dict[Path, str]]:
    """Collect the card files that are read in this context, path -> text, except those in the folder `installed`."""
    found: dict[Path, str] = {}
    token = _noted.set((found, installed))
    try:
        yield found
    finally:
        _noted.reset(token)


def note(path: Path, text: str) -> None:
    """Tell `noting` about a card file that has been read."""
    found, installed = _noted.get(({}, None))
    if installed not in path.resolve().parents:
        found[path] = text


@contextmanager
def reading_only(folder: Path) -> Iterator[None]:
    """In this context `may_read` allows only card files in `folder`, and those installed with the game that is being loaded."""
    token = _only.set(folder.resolve())
    try:
        yield
    finally:
        _only.reset(token)


def may_read(path: Path) -> bool:
    """Whether a card file may be read now."""
    only, (_, installed) = _only.get(), _noted.get(({}, None))
    return only is None or any(folder in (only, installed) for folder in path.resolve().parents)
