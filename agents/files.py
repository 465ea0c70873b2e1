"""Files that are whole or not there: written aside and renamed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def write_aside(path: Path, data: bytes | str) -> None:
    """Write `data` to `path` so that a reader, or an interruption at any moment, finds the old file or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(aside, "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)


def write_json(path: Path, content: Any) -> None:
    """`content` as indented JSON, written aside."""
    write_aside(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
