"""What the programs of an artist can bring about and use up; and how places in its file, and names, are told."""

from collections.abc import Iterable
from typing import TypeAlias

Loc: TypeAlias = tuple[str | int, ...]  # keys and positions from the top of the file
# What can grow during a turn: ("ready" | "unit" | "move", kind of unit), ("token" | "tile" | "counter", its name), PROGRESS, CUE.
Resource: TypeAlias = tuple[str, str]
Kinds: TypeAlias = dict[str, set[str]]  # kinds of unit that each unit variable can be
THEIRS = "theirs"  # any unit of the opponent
PROGRESS: Resource = ("progress", "")
CUE: Resource = ("cue", "")


def listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
