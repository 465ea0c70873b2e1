"""Reading what a study has saved to its file, to continue from there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from react_env.errors import OptionError

T = TypeVar("T")


def read_kept(file: Path, what: str, form: int, read: Callable[[Any], T]) -> T | None:
    """What `read` makes of the JSON in a file of format number `form`, or None if there is no such file.

    Raises OptionError if the file cannot be read, has another format, or is not a `what`, because `read` does not find what it needs.
    """
    try:
        if not file.exists():
            return None
        found = json.loads(file.read_text(encoding="utf-8"))
        if found["format"] == form:
            return read(found)
        what += f" of this version of react_env (its format is {found['format']!r:.20}, not {form})"
    except OSError as error:
        raise OptionError(f"{file} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, RecursionError, OptionError):
        pass
    raise OptionError(f"{file} is no {what}; name another file")
