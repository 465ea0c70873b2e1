"""What a study has written to its file, to go on from there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from react_env.errors import OptionError

T = TypeVar("T")


def read_kept(file: Path, what: str, read: Callable[[Any], T]) -> T | None:
    """What `read` makes of the JSON in a file; None where there is none.

    Raises OptionError for a file that cannot be read, or is no `what`: `read` finds something else there than it needs.
    """
    try:
        if not file.exists():
            return None
        return read(json.loads(file.read_text(encoding="utf-8")))
    except OSError as error:
        raise OptionError(f"{file} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, OptionError):
        raise OptionError(f"{file} is no {what}; name another file") from None
