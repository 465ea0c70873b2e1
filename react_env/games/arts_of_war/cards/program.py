"""An effect or a triggered program as rows of code: scopes, registers, selections, and what a cost may ask.

The checks here need only the program and the names of its artist; `state.py` explains rows and columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from react_env.content.files import Fault
from react_env.games.arts_of_war import state as s
from react_env.games.arts_of_war.cards.selections import AwayFrom, Selection, Sort, Toward, Units, Within, Zones

if TYPE_CHECKING:
    from react_env.games.arts_of_war.cards.operations import Word
    from react_env.games.arts_of_war.cards.schema import Artist

Loc: TypeAlias = tuple[str | int, ...]  # keys and positions from the top of the file
Blocks: TypeAlias = "list[tuple[Loc, list[Word]]]"  # (keys that lead there, parts) of each list of parts inside a part
_FIRST: dict[Sort, int] = {"unit": s.R_UNIT, "zone": s.R_ZONE, "direction": s.R_WAY}
_ROOM: dict[Sort, int] = {"unit": s.R_ZONE - s.R_UNIT, "zone": s.R_WAY - s.R_ZONE, "direction": 1}
_NOT_ASKED = dict.fromkeys(range(s.SEL_WIDTH), -1) | dict.fromkeys(
    (s.S_TYPE, s.S_SIDE, s.S_KIND, s.S_TOKEN_MIN, s.S_DISTANCE, s.S_EXHAUSTED, s.S_OCCUPIED, s.S_TILE), 0
)
_COLUMNS = {
    "adjacent_to": s.S_ADJACENT,
    "diagonal_to": s.S_DIAGONAL,
    "in_line_with": s.S_IN_LINE,
    "other_than": s.S_OTHER,
    "touching": s.S_TOUCHING,
    "holds": s.S_HOLDS,
    "exhausted": s.S_EXHAUSTED,
    "occupied": s.S_OCCUPIED,
    "tile": s.S_TILE,
}


def listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


@dataclass
class Code:
    """The rows that are filled so far, of both artists."""

    rows: list[list[int]] = field(default_factory=lambda: [[s.OP_END, 0, 0, 0, 0, 0]])
    # (first row, row after the last, number from 1) of each option of a choice between effects, inner ones first
    options: list[tuple[int, int, int]] = field(default_factory=list)
    sels: list[tuple[int, ...]] = field(default_factory=list)
    # (kind, side, number, cost, body, whether it damages) of each
    effects: list[tuple[int, int, int, int, int, bool]] = field(default_factory=list)

    def select(self, row: tuple[int, ...]) -> int:
        """The number of a selection. Equal ones share it: read from the side of the effect's player, they mean the same for both."""
        if row not in self.sels:
            self.sels.append(row)
        return self.sels.index(row)


class Program:
    """One effect (its cost, then its body) or one triggered program: scopes, registers and rows."""

    def __init__(self, kit: Artist, code: Code, me: bool) -> None:
        self.kit = kit
        self.code = code
        self.registers: dict[str, tuple[Sort, int]] = {"me": ("unit", s.R_ME)}  # every name of the effect
        self.scope: list[str] = ["me"] if me else []  # the names that may be used here
        self.in_loop = False
        self.paid: list[str] = []  # what the cost has taken so far
        self.chosen: dict[str, Selection] = {}  # variable of the cost -> what its choice required

    def emit(self, op: int, *numbers: int) -> int:
        """Add a row of code and return its number."""
        self.code.rows.append([op, *numbers, *[0] * (5 - len(numbers))])
        return len(self.code.rows) - 1

    def land(self, row: int, column: int = 1) -> None:
        """Point the jump in `row` at the row that comes next."""
        self.code.rows[row][column] = len(self.code.rows)

    def resolve(self, what: str, value: Any, loc: Loc, token: str = "") -> list[int]:
        """The numbers of a row for what a word refers to (`operations.Ref`); `token` is the one whose spot it names. Raises Fault."""
        match what, value:
            case _, Selection():
                return [self.select(value, loc)]
            case "unit", _:
                return [self.get(value, loc, "unit")]
            case "place", _:
                return [self.place(value, loc)]
            case "spot", _:
                return [self._spot(token, value, loc)]
            case "way", Toward(toward=name):
                return [s.W_TOWARD, self.place(name, (*loc, "toward"))]
            case "way", AwayFrom(away_from=name):
                return [s.W_AWAY, self.place(name, (*loc, "away_from"))]
            case "way", _:
                return [s.W_REG, self.get(value, loc, "direction")]
            case "count", _:
                return [0 if value == "all" else int(value)]
            case "kind" | "token" | "tile" | "counter", _:
                return [self.kit.number(what, value, loc)]
        return []

    # Variables.

    def new(self, name: str, kind: Sort, loc: Loc) -> int:
        """The register of a variable that is named here for the first time in this scope."""
        if name in self.scope or name == "me":
            raise Fault(loc, f"the name {name!r} is already used; take another one")
        if name not in self.registers:
            have = [key for key, (of, _) in self.registers.items() if of == kind and key != "me"]
            if len(have) == _ROOM[kind]:
                raise Fault(loc, f"no room for {kind} {name!r}: an effect names at most {_ROOM[kind]} ({listed(have)})")
            self.registers[name] = (kind, _FIRST[kind] + len(have))
        found, register = self.registers[name]
        if found != kind:
            raise Fault(loc, f"{name!r} is a {found} in another part of this effect; take another name")
        self.scope.append(name)
        return register

    def get(self, name: str, loc: Loc, *kinds: Sort) -> int:
        """The register of a variable that is used here and must be of one of `kinds`."""
        if name not in self.scope:
            known = listed(f"{key} ({self.registers[key][0]})" for key in self.scope)
            raise Fault(loc, f"unknown variable {name!r}; in scope: {known}")
        kind, register = self.registers[name]
        if kind not in kinds:
            raise Fault(loc, f"{name!r} is a {kind}, but this needs a {' or a '.join(kinds)}")
        return register

    def place(self, name: str, loc: Loc) -> int:
        return self.get(name, loc, "unit", "zone")

    def _spot(self, token: str, name: str, loc: Loc) -> int:
        """The register for where a token lies or is put."""
        if not self.kit.tokens[token].on_unit:
            return self.place(name, loc)
        if name in self.scope and self.registers[name][0] == "zone":
            raise Fault(loc, f"{token!r} lies on units, but {name!r} is a zone; allowed: a unit variable")
        return self.get(name, loc, "unit")

    # Selections.

    def select(self, where: Selection, loc: Loc) -> int:
        """The number of a selection. Raises Fault."""
        row = _NOT_ASKED | {s.S_TYPE: int(isinstance(where, Zones))}
        for key in type(where).model_fields:
            value, at = getattr(where, key), (*loc, key)
            match key, value:
                case _, None:
                    pass
                case _, bool():
                    row[_COLUMNS[key]] = 1 if value else 2
                case "touching" | "holds", Units():
                    if key == "touching" and value.touching is not None:
                        raise Fault((*at, "touching"), "`touching` cannot stand inside another `touching`")
                    row[_COLUMNS[key]] = self.select(value, at)
                case "within", Within():
                    row |= {s.S_WITHIN: self.place(value.of, at), s.S_DISTANCE: value.distance}
                case "side", _:
                    row[s.S_SIDE] = 1 if value == "mine" else 2
                case "kind", _:
                    row |= self._kind(value, getattr(where, "side", None), at)
                case "token", _:
                    row |= {s.S_TOKEN: self._token(value, isinstance(where, Zones), at), s.S_TOKEN_MIN: 1}
                case "no_token", _:
                    row[s.S_NO_TOKEN] = self.kit.number("token", value, at)
                case "at_least", _:
                    if row[s.S_TOKEN] < 0:
                        raise Fault(at, "at_least counts tokens, so it needs token as well")
                    row[s.S_TOKEN_MIN] = value
                case "tile", _:
                    row[s.S_TILE] = 3 + self.kit.number("tile", value, at)
                case _:
                    row[_COLUMNS[key]] = self.place(value, at)
        return self.code.select(tuple(row.values()))

    def _kind(self, kind: str, side: str | None, loc: Loc) -> dict[int, int]:
        if kind in ("artist", "summon"):
            return {s.S_KIND: 1 if kind == "artist" else 2}
        if kind not in self.kit.summons:
            raise Fault(loc, f"unknown kind {kind!r}; known: {listed(['artist', 'summon', *self.kit.summons])}")
        if side == "theirs":
            raise Fault(loc, f"{kind!r} is a kind of this artist, so side: theirs never matches; allowed: mine")
        return {s.S_KIND: 2 + self.kit.number("kind", kind, loc), s.S_SIDE: 1}

    def _token(self, token: str, of_zone: bool, loc: Loc) -> int:
        number, kinds = self.kit.number("token", token, loc), self.kit.tokens
        if of_zone and kinds[token].on_unit:
            message = f"{token!r} lies on units, not in zones (holds: {{token: {token}}} asks for a unit with it)"
            zone_tokens = listed(name for name, kind in kinds.items() if not kind.on_unit)
            raise Fault(loc, f"{message}; zone tokens: {zone_tokens}")
        return number

    # Costs.

    def pay(self, what: str, loc: Loc, twice: str) -> None:
        """Note what a cost takes. Raises Fault, with the message `twice`, if it has taken that before."""
        if what in self.paid:
            raise Fault(loc, twice)
        self.paid.append(what)

    def locks(self, where: Selection, loc: Loc) -> None:
        """Raises Fault if what a cost has chosen or paid before a choice could leave that choice without a candidate."""
        others = any(name != "me" for name in where.variables())
        lone = isinstance(where, Zones) and where.model_fields_set in ({"adjacent_to"}, {"within"})
        if others and not lone:
            raise Fault(
                loc,
                "in a cost, `where` may refer to a variable chosen before it only by `adjacent_to` or `within` of a choose_zone, "
                "and with no other key (a choice that can always be made)",
            )
        self.before([where], loc, "choice")

    def before(self, selections: list[Selection], loc: Loc, what: str) -> None:
        """Raises Fault if a selection refers to something that the cost has changed by then."""
        for where in (deep for selection in selections for deep in selection.all()):
            if "exhaust" in self.paid and getattr(where, "exhausted", None) is not None:
                raise Fault(loc, f"a {what} by `exhausted` must come before the exhaust of the same cost")
            if any(f"token {getattr(where, key, None)}" in self.paid for key in ("token", "no_token")):
                raise Fault(loc, f"a {what} by a token must come before that token is taken in the same cost")

    def cost(self, parts: Sequence[Word], loc: Loc) -> int:
        """The first row of a cost program."""
        start = len(self.code.rows)
        for number, part in enumerate(parts):
            if "sacrifice" in self.paid:
                raise Fault((*loc, number), "a sacrifice must be the last part of its cost")
            part.compile(self, (*loc, number, *part.at))
        return self._end(start)

    # Bodies.

    def body(self, parts: Sequence[Word], loc: Loc) -> int:
        """The first row of an effect program."""
        start = len(self.code.rows)
        self.parts(parts, loc)
        return self._end(start)

    def parts(self, parts: Sequence[Word], loc: Loc) -> None:
        """Compile a list of parts; the variables that it names are in scope up to its end."""
        outside = len(self.scope)
        for number, part in enumerate(parts):
            part.compile(self, (*loc, number, *part.at))
        del self.scope[outside:]

    def _end(self, start: int) -> int:
        if len(self.code.rows) == start:
            return 0
        self.emit(s.OP_END)
        return start


def walk(parts: Sequence[Word]) -> Iterator[Word]:
    """All parts of a program, including those inside others, in printed order."""
    for part in parts:
        yield part
        for _, inner in part.blocks():
            yield from walk(inner)
