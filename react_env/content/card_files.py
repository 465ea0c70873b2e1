"""What a game whose cards are files offers to `react-env cards`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from react_env.content.files import parse, read_text
from react_env.errors import CardError, ReactEnvError

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rich.console import RenderableType

MOST = 50  # mistakes of one file that are reported


@dataclass
class Finding:
    """What was found in one file. The file can be used if there are no `errors`."""

    file: str
    id: str | None = None  # of what the file holds, if it can be used
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.errors

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Catch an error that is raised inside, and add each of its lines to `errors`, without the name of the file."""
        try:
            yield
        except ReactEnvError as error:
            self.errors += [line.removeprefix(f"{self.file}: ") for line in str(error).splitlines()]


class CardFiles(Protocol):
    """The card files of a game: artists, or decks. The methods with a default suit decks."""

    noun: str  # "artist": what one file holds
    keys: frozenset[str]  # the keys at the top of such a file
    editions: bool = False  # whether there are several editions of them

    def title(self, edition: str) -> str:
        """What they are called in a list: "Decks of Fight Sequence"."""

    def names(self, edition: str) -> Sequence[str]:
        """The names of the installed ones. Raises OptionError for an unknown edition."""

    def about(self, name: str, edition: str) -> str:
        """A few words on one of them."""

    def content(self, edition: str) -> Mapping[str, Any]:
        """The list for programs, as JSON values."""

    def load(self, name: str, edition: str) -> BaseModel:
        """An installed one by name, or the one in a file. Raises OptionError or CardError."""

    def page(self, card_file: Any) -> RenderableType:
        """A card file as a player would read it."""

    def file(self, name: str) -> Path:
        """The file of an installed one. Raises OptionError for an unknown name."""

    def played(self, file: Path, other: str) -> dict[str, Any]:
        """Options of a game in which the file plays at seat 0 against an installed one. Raises OptionError if it cannot."""
        return {"decks": [str(file), other]}

    def asks_for(self, text: str) -> str:
        """The other file that the `text` of a card file needs and that is not installed; "" if it needs none."""
        return ""

    def inspect(self, path: str) -> list[Finding]:
        """What is wrong with a file, or with each file of a folder. Never raises."""

    def json_schema(self) -> dict[str, Any]:
        """What such a file may look like, as JSON schema (draft 2020-12), for editors."""


def home(path: str | Path) -> Path:
    """The path with the home folder in place of ~, or unchanged if there is no such home."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def files_at(path: str, files: CardFiles) -> list[Path]:
    """The file of the installed one with this name; else the card files in the folder at this path, or the file itself."""
    if path in files.names("standard") and not os.path.exists(path):
        return [files.file(path)]
    target = home(path)
    return sorted(target.glob("*.yaml")) if os.path.isdir(target) else [target]


def keys_of(path: Path) -> set[str]:
    """The keys at the top of a card file, or as many as can be found if it is damaged."""
    try:
        text = read_text(path)
    except CardError:
        return set()
    try:
        return set(parse(text, "", "", ()).data)
    except CardError:
        return set(re.findall(r"^(\w+)\s*:", text, re.MULTILINE))
