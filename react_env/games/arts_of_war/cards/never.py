"""Why something never comes about in any game, as far as an artist's file tells; "" says nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from react_env.games.arts_of_war.cards.resources import Resource
from react_env.games.arts_of_war.cards.selections import Selection, Units, Zones

if TYPE_CHECKING:
    from react_env.games.arts_of_war.cards.schema import Artist


@dataclass
class Never:
    """What is never so while one program runs.

    Attributes:
        made: all that anything of the file can bring about.
        user: which kind of unit uses the effect, or "none".
        variables: name -> "unit", "zone", "direction", or why it is always empty, with a "!" before it.
    """

    kit: Artist
    made: set[Resource]
    user: str
    variables: dict[str, str]

    def empty(self, *names: str) -> str:
        """Why one of these variables never stands for anything."""
        found = (self.variables.get(name, "") for name in names)
        return next((reason[1:] for reason in found if reason.startswith("!")), "")

    def absent(self, what: str, names: Iterable[str | None]) -> str:
        """Why one of these kinds of "unit", "token" or "tile" is never there."""
        how = {"unit": "summoned", "token": "put anywhere", "tile": "laid"}[what]
        return next((f"{name} is never {how}" for name in names if name and (what, name) not in self.made), "")

    def too_low(self, name: str, count: int) -> str:
        """Why a counter never stands at `count`."""
        start = self.kit.counters[name].start
        return f"{name} is never more than {start}" if start < count and ("counter", name) not in self.made else ""

    def matches(self, where: Selection) -> str:
        """Why no unit or zone is ever such a one."""
        own = self._unit(where) if isinstance(where, Units) else self._zone(where) if isinstance(where, Zones) else ""
        return own or self._near(where)

    def _unit(self, where: Units) -> str:
        kinds = [where.kind] if where.kind in self.kit.summons else []
        if reason := self.absent("unit", kinds) or self.absent("token", [where.token]):
            return reason
        both = where.token is not None and where.token == where.no_token
        return f"nothing both has {where.token} and has none" if both else ""

    def _zone(self, where: Zones) -> str:
        if reason := self.absent("token", [where.token]):
            return reason
        if where.token is not None:
            kind = self.kit.tokens[where.token]
            most = kind.pool if kind.stacks else 1
            if (where.at_least or 1) > most:
                return f"never more than {most} {where.token} lie in a zone"
        if isinstance(where.tile, str) and (reason := self.absent("tile", [where.tile])):
            return reason
        if where.holds is None:
            return ""
        return "no zone is empty and holds a unit" if where.occupied is False else self.matches(where.holds)

    def _near(self, where: Selection) -> str:
        places, within = where.near(), where.within
        than = places.pop("other_than", None)
        if reason := self.empty(*places.values()):
            return reason
        of = places.pop("within", None)
        for key, word in (("adjacent_to", "adjacent"), ("in_line_with", "in line")):
            if "diagonal_to" in places and places["diagonal_to"] == places.get(key):
                return f"nothing is both {word} and diagonal to {places['diagonal_to']}"
        if within and within.distance == 0 and of in (*places.values(), than):
            return f"nothing else is within 0 zones of {of}"
        return "" if where.touching is None else self.matches(where.touching)
