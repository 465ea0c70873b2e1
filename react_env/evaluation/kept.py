"""What a study has written to its file, to go on from there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from react_env.errors import OptionError

T = TypeVar("T")


def read_kept(file: Path, what: str, form: int, read: Callable[[Any], T]) -> T | None:
    """What `read` makes of the JSON in a file, whose format has the number `form`; None where there is none.

    Raises OptionError for a file that cannot be read, is of another format, or is no `what`: `read` finds something else there than it
    needs.
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
