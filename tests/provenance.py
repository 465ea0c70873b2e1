"""Write where the sources say what the card files call `stated`: docs/<game>/provenance.md.

    python -m tests.provenance

Each mark `stated` in a game's card files has a line in docs/<game>/provenance.yaml, and each line has its mark. The sources themselves
are not part of the project, so a line names the place in them and says in our own words what stands there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent
_PLACE = re.compile(r"[A-Za-z]\w*(, [^,]+)* \d+(-\d+)?(, \d+(-\d+)?)*")


def stated(data: Any, item: str) -> Iterator[tuple[str, str]]:
    """(item, field) of each mark `stated` below `data`; the keys and names on the way to an item identify it."""
    if isinstance(data, dict):
        marks = data.get("provenance")
        if isinstance(marks, dict):
            yield from ((item, field) for field, mark in marks.items() if mark == "stated")
        for key, value in data.items():
            if key != "provenance":
                yield from stated(value, f"{item} / {key}")
    elif isinstance(data, list):
        for number, value in enumerate(data, 1):
            name = value.get("name", number) if isinstance(value, dict) else number
            yield from stated(value, f"{item} / {name}")


@dataclass(frozen=True)
class Provenance:
    """The table of one game.

    Attributes:
        game: the name of its folders.
    """

    game: str

    @property
    def yaml(self) -> Path:
        """The file with the lines."""
        return ROOT / "docs" / self.game / "provenance.yaml"

    @property
    def path(self) -> Path:
        """The path of the page."""
        return ROOT / "docs" / self.game / "provenance.md"

    def read(self) -> dict[str, Any]:
        """sources: letter -> title; marks: item -> field -> [where, what stands there]."""
        data: dict[str, Any] = yaml.safe_load(self.yaml.read_text(encoding="utf-8"))
        return data

    def marks(self) -> set[tuple[str, str]]:
        """(item, field) of each mark `stated` in the card files of the game."""
        folder = ROOT / "react_env" / "games" / self.game
        found: set[tuple[str, str]] = set()
        for file in sorted(folder.rglob("*.yaml")):
            name = "/".join(file.relative_to(folder).with_suffix("").parts[1:])
            found |= set(stated(yaml.safe_load(file.read_text(encoding="utf-8")), name))
        return found

    def page(self) -> str:
        """The page as Markdown."""
        data = self.read()
        lines = [
            "# Sources of the stated facts",
            "",
            "Written by `python -m tests.provenance` from [provenance.yaml](provenance.yaml). Each field of the card files that",
            "`provenance` calls `stated` has a line here, in our own words, with its place in the source.",
            "",
            *(f"- {letter}: {title}" for letter, title in data["sources"].items()),
            "",
            "| card file / item | field | where | what stands there |",
            "|---|---|---|---|",
        ]
        for item, fields in data["marks"].items():
            lines += [f"| {item} | {field} | {where} | {says} |" for field, (where, says) in fields.items()]
        return "\n".join(lines) + "\n"

    # -- what the suite checks -----------------------------------------------------------------------------------------

    def check_marks(self) -> None:
        """Each mark has a line, each line a mark, and a place in a source that the file names."""
        data = self.read()
        lines = {(item, field): line for item, fields in data["marks"].items() for field, line in fields.items()}
        marks = self.marks()
        assert not marks - set(lines), f"stated, but nothing says where: {sorted(marks - set(lines))}"
        assert not set(lines) - marks, f"the card files do not call these stated: {sorted(set(lines) - marks)}"
        for mark, (where, says) in lines.items():
            assert _PLACE.fullmatch(where), f"{mark}: {where!r} is no source with its lines, like 'R, Attack 85-89'"
            assert where.split(",")[0].split(" ")[0] in data["sources"], f"{mark}: {where!r} names no source"
            assert len(says) > 10, mark

    def check_page(self) -> None:
        """The page is up to date."""
        assert self.path.read_text(encoding="utf-8") == self.page(), "run: python -m tests.provenance"


def tables() -> list[Provenance]:
    """The tables of all games that have one."""
    return [Provenance(path.parent.name) for path in sorted((ROOT / "docs").glob("*/provenance.yaml"))]


def main() -> None:
    """Write the pages."""
    for table in tables():
        table.path.write_text(table.page(), encoding="utf-8")
        print(f"{table.path.relative_to(ROOT)}: {len(table.marks())} marks")


if __name__ == "__main__":
    main()
