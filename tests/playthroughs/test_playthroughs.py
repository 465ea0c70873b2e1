"""The games in this folder play out as they are written here, and together they show everything."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest

from tests.playthroughs import HERE, SHOWS, files, occurrences, read_header, text_of

FILES = sorted(HERE.glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_playthrough(path: Path) -> None:
    written, played = path.read_text(encoding="utf-8"), text_of(read_header(path))
    if written != played:
        lines = difflib.unified_diff(
            written.splitlines(), played.splitlines(), "written", "played now", lineterm="", n=2
        )
        changes = "\n".join(list(lines)[:60])
        pytest.fail(f"{path.name} differs; if it should, run: make playthroughs\n{changes}")


@pytest.mark.parametrize("name", SHOWS)
def test_everything_occurs(name: str) -> None:
    shown = set().union(*(occurrences(read_header(path))[0] for path in files(name)))
    assert not SHOWS[name].everything() - shown, "run: make playthroughs"


def test_every_file_belongs_to_a_game() -> None:
    assert sorted(path for name in SHOWS for path in files(name)) == FILES
