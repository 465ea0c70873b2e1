"""Files that are whole or not there: written aside and renamed. And which of them a game was loaded from."""

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
    """As `write_aside` for files that belong together: all are written first, and renamed one right after the other.

    OSError, which names the file, where that cannot be done.
    """
    asides = {path: path.with_name(f".{path.name}.{os.getpid()}.tmp") for path in files}
    written = False
    try:
        for path, data in files.items():
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                with open(asides[path], "wb") as file:
                    # The name of a file need not be text: what is none is written as JSON writes it.
                    file.write(data.encode(errors="backslashreplace") if isinstance(data, str) else data)
                    file.flush()
                    os.fsync(file.fileno())
            except OSError as error:  # a full disk does not say which file it was
                raise OSError(error.errno, error.strerror, str(path)) from None
        written = True
        for path, aside in asides.items():
            os.replace(aside, path)
    except BaseException:
        # Once one of them is renamed the others belong beside it, and stay.
        if not written or all(aside.exists() for aside in asides.values()):
            for aside in asides.values():
                with suppress(OSError):  # as on a disk that may only be read, of which the error tells already
                    aside.unlink(missing_ok=True)
        raise


def is_leftover(path: Path) -> bool:
    """Whether a file is one that a process was writing aside when it was killed."""
    return path.name.startswith(".") and path.suffix == ".tmp"


def write_json(path: Path, content: Any) -> None:
    """`content` as indented JSON, written aside."""
    write_aside(path, as_json(content))


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file; an empty one where there is no such file, or no object that can be read."""
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
    """Collects the card files that are read meanwhile, path -> text, but for those of what is `installed` in that folder."""
    found: dict[Path, str] = {}
    token = _noted.set((found, installed))
    try:
        yield found
    finally:
        _noted.reset(token)


def note(path: Path, text: str) -> None:
    """Tell `noting` of a card file that has been read."""
    found, installed = _noted.get(({}, None))
    if installed not in path.resolve().parents:
        found[path] = text


@contextmanager
def reading_only(folder: Path) -> Iterator[None]:
    """Meanwhile `may_read` allows only card files in that folder, and those that are installed with the game that is loaded."""
    token = _only.set(folder.resolve())
    try:
        yield
    finally:
        _only.reset(token)


def may_read(path: Path) -> bool:
    """Whether a card file may be read now."""
    only, (_, installed) = _only.get(), _noted.get(({}, None))
    return only is None or any(folder in (only, installed) for folder in path.resolve().parents)
