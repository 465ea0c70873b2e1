"""An effect or a triggered program as rows of code: scopes, registers, selections, and what a cost may ask.

What is checked here needs no more than the program and the names of its artist; rows and columns are explained in `state.py`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from react_env.content.files import Fault
from react_env.games.arts_of_war import state as s
from react_env.games.arts_of_war.cards.operations import CostPart, Part, Sacrifice, part_of
from react_env.games.arts_of_war.cards.schema import Artist, AscendedBecomes
from react_env.games.arts_of_war.cards.selections import AwayFrom, Selection, Toward, Units, Zones

Loc = tuple[str | int, ...]

UNIT, ZONE, WAY = "unit", "zone", "direction"
_FIRST = {UNIT: s.R_UNIT, ZONE: s.R_ZONE, WAY: s.R_WAY}
_ROOM = {UNIT: s.R_ZONE - s.R_UNIT, ZONE: s.R_WAY - s.R_ZONE, WAY: 1}
_THREE = {None: 0, True: 1, False: 2}


@dataclass
class Code:
    """The rows that are filled so far, of both artists."""

    rows: list[list[int]] = field(default_factory=lambda: [[s.OP_END, 0, 0, 0, 0, 0]])
    sels: list[tuple[int, ...]] = field(default_factory=list)
    effects: list[tuple[int, int, int, int, int]] = field(default_factory=list)  # kind, side, number, cost, body

    def emit(self, op: int, a: int = 0, b: int = 0, c: int = 0, d: int = 0, e: int = 0) -> int:
        self.rows.append([op, a, b, c, d, e])
        return len(self.rows) - 1

    def select(self, row: tuple[int, ...]) -> int:
        """The number of a selection; equal ones share it (it means the same for both players: seen from the effect's player)."""
        if row not in self.sels:
            self.sels.append(row)
        return self.sels.index(row)


def listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


class Kit:
    """The names of an artist's kinds, as numbers."""

    def __init__(self, artist: Artist) -> None:
        self.artist = artist
        self.kinds = {name: number for number, name in enumerate(artist.summons, start=1)}
        self.tokens = {name: number for number, name in enumerate(artist.tokens)}
        self.tiles = {name: number for number, name in enumerate(artist.tiles)}
        self.counters = {name: number for number, name in enumerate(artist.counters)}
        self.dice = next((name for name, counter in artist.counters.items() if counter.dice), None)
        self.becomes = any(isinstance(card.ascended, AscendedBecomes) for card in artist.abilities)

    def kind(self, name: str, loc: Loc) -> int:
        if name not in self.kinds:
            raise Fault(loc, f"unknown summon kind {name!r}; known: {listed(self.kinds)}")
        return self.kinds[name]

    def token(self, name: str, loc: Loc) -> int:
        if name not in self.tokens:
            raise Fault(loc, f"unknown token {name!r}; known: {listed(self.tokens)}")
        return self.tokens[name]

    def tile(self, name: str, loc: Loc) -> int:
        if name not in self.tiles:
            raise Fault(loc, f"unknown tile {name!r}; known: {listed(self.tiles)}")
        return self.tiles[name]

    def counter(self, name: str, loc: Loc, count: int = 0) -> int:
        """The number of a counter that is asked to stand at `count` at least."""
        if name not in self.counters:
            raise Fault(loc, f"unknown counter {name!r}; known: {listed(self.counters)}")
        highest = self.artist.counters[name].highest
        if count > highest:
            raise Fault(loc, f"{name!r} never stands at {count}; allowed: at most {highest}")
        return self.counters[name]


class Program:
    """One effect (its cost, then its body) or one triggered program: scopes, registers and rows."""

    def __init__(self, kit: Kit, code: Code, me: bool) -> None:
        self.kit = kit
        self.code = code
        self.registers: dict[str, tuple[str, int]] = {"me": (UNIT, s.R_ME)}  # every name of the effect
        self.scope: list[str] = ["me"] if me else []  # the names that may be used here
        self.counts = {UNIT: 0, ZONE: 0, WAY: 0}
        self.in_loop = False
        self.paid: list[str] = []  # what the cost has taken so far
        self.chosen: dict[str, Units | Zones] = {}  # variable of the cost -> what its choice required

    def emit(self, op: int, *numbers: int) -> int:
        """Another row of code: its number."""
        return self.code.emit(op, *numbers)

    def land(self, row: int, column: int = 1) -> None:
        """Let the jump in `row` lead to the row that comes next."""
        self.code.rows[row][column] = len(self.code.rows)

    def resolve(self, what: str, value: Any, loc: Loc) -> list[int]:
        """The numbers of a row for a word of the file, see `selections.Ref`. Raises Fault."""
        kit = self.kit
        match what, value:
            case "unit", _:
                return [self.unit(value, loc)]
            case "place", _:
                return [self.place(value, loc)]
            case "way", Toward(toward=name):
                return [s.W_TOWARD, self.place(name, (*loc, "toward"))]
            case "way", AwayFrom(away_from=name):
                return [s.W_AWAY, self.place(name, (*loc, "away_from"))]
            case "way", _:
                return [s.W_REG, self.get(value, loc, WAY)]
            case "count", _:
                return [0 if value == "all" else int(value)]
            case "kind" | "token" | "tile" | "counter", _:
                return [
                    {"kind": kit.kind, "token": kit.token, "tile": kit.tile, "counter": kit.counter}[what](value, loc)
                ]
        return []

    # Variables.

    def new(self, name: str, kind: str, loc: Loc) -> int:
        """The register of a variable that is named here for the first time in this scope."""
        if name in self.scope or name == "me":
            raise Fault(loc, f"the name {name!r} is already used; take another one")
        if name not in self.registers:
            if self.counts[kind] == _ROOM[kind]:
                have = listed(key for key, (of, _) in self.registers.items() if of == kind and key != "me")
                raise Fault(loc, f"no room for {kind} {name!r}: an effect names at most {_ROOM[kind]} ({have})")
            self.registers[name] = (kind, _FIRST[kind] + self.counts[kind])
            self.counts[kind] += 1
        elif self.registers[name][0] != kind:
            raise Fault(
                loc, f"{name!r} is a {self.registers[name][0]} in another part of this effect; take another name"
            )
        self.scope.append(name)
        return self.registers[name][1]

    def get(self, name: str, loc: Loc, *kinds: str) -> int:
        """The register of a variable that is used here, of one of `kinds`."""
        if name not in self.scope:
            known = listed(f"{key} ({self.registers[key][0]})" for key in self.scope)
            raise Fault(loc, f"unknown variable {name!r}; in scope: {known}")
        kind, register = self.registers[name]
        if kind not in kinds:
            raise Fault(loc, f"{name!r} is a {kind}, but this needs a {' or a '.join(kinds)}")
        return register

    def unit(self, name: str, loc: Loc) -> int:
        return self.get(name, loc, UNIT)

    def place(self, name: str, loc: Loc) -> int:
        return self.get(name, loc, UNIT, ZONE)

    # Selections.

    def select(self, where: Selection, loc: Loc) -> int:
        row = [-1] * s.SEL_WIDTH
        for column in (
            s.S_TYPE,
            s.S_SIDE,
            s.S_KIND,
            s.S_TOKEN_MIN,
            s.S_DISTANCE,
            s.S_EXHAUSTED,
            s.S_OCCUPIED,
            s.S_TILE,
        ):
            row[column] = 0
        for key, variable in where.near():
            column = {
                "adjacent_to": s.S_ADJACENT,
                "diagonal_to": s.S_DIAGONAL,
                "in_line_with": s.S_IN_LINE,
                "within": s.S_WITHIN,
                "other_than": s.S_OTHER,
            }[key]
            row[column] = self.place(variable, (*loc, key))
        if where.within:
            row[s.S_DISTANCE] = where.within.distance
        if where.touching is not None:
            if any(inner.touching is not None for inner in where.touching.all()):
                raise Fault((*loc, "touching", "touching"), "`touching` cannot stand inside another `touching`")
            row[s.S_TOUCHING] = self.select(where.touching, (*loc, "touching"))
        if isinstance(where, Units):
            self._select_units(where, row, loc)
        elif isinstance(where, Zones):
            self._select_zones(where, row, loc)
        return self.code.select(tuple(row))

    def _select_units(self, where: Units, row: list[int], loc: Loc) -> None:
        kit = self.kit
        row[s.S_SIDE] = {None: 0, "mine": 1, "theirs": 2}[where.side]
        if where.kind in ("artist", "summon"):
            row[s.S_KIND] = 1 if where.kind == "artist" else 2
        elif where.kind is not None:
            if where.kind not in kit.kinds:
                raise Fault(
                    (*loc, "kind"), f"unknown kind {where.kind!r}; known: {listed(['artist', 'summon', *kit.kinds])}"
                )
            if where.side == "theirs":
                raise Fault(
                    (*loc, "kind"),
                    f"{where.kind!r} is a kind of this artist, so side: theirs never matches; allowed: mine",
                )
            row[s.S_KIND], row[s.S_SIDE] = 2 + kit.kinds[where.kind], 1
        if where.token is not None:
            row[s.S_TOKEN], row[s.S_TOKEN_MIN] = kit.token(where.token, (*loc, "token")), 1
        if where.no_token is not None:
            row[s.S_NO_TOKEN] = kit.token(where.no_token, (*loc, "no_token"))
        row[s.S_EXHAUSTED] = _THREE[where.exhausted]

    def _select_zones(self, where: Zones, row: list[int], loc: Loc) -> None:
        row[s.S_TYPE] = 1
        if where.token is not None:
            token = self.kit.token(where.token, (*loc, "token"))
            if self.kit.artist.tokens[where.token].place != "zone":
                zone_tokens = listed(name for name, kind in self.kit.artist.tokens.items() if kind.place == "zone")
                message = f"{where.token!r} lies on units, not in zones (holds: {{token: {where.token}}} asks for a unit with it)"
                raise Fault((*loc, "token"), f"{message}; zone tokens: {zone_tokens}")
            row[s.S_TOKEN], row[s.S_TOKEN_MIN] = token, where.at_least or 1
        elif where.at_least is not None:
            raise Fault((*loc, "at_least"), "at_least counts tokens, so it needs token as well")
        row[s.S_OCCUPIED] = _THREE[where.occupied]
        if isinstance(where.tile, str):
            row[s.S_TILE] = 3 + self.kit.tile(where.tile, (*loc, "tile"))
        else:
            row[s.S_TILE] = _THREE[where.tile]
        if where.holds is not None:
            row[s.S_HOLDS] = self.select(where.holds, (*loc, "holds"))

    # Costs.

    def cost(self, parts: list[CostPart], loc: Loc) -> int:
        """The first row of a cost program."""
        start = len(self.code.rows)
        for number, part in enumerate(parts):
            if "sacrifice" in self.paid:
                raise Fault((*loc, number), f"a {Sacrifice.key()} must be the last part of its cost")
            part.compile(self, (*loc, number))
        return self._end(start)

    def pay(self, what: str, loc: Loc, twice: str) -> None:
        """Note what a cost takes. Raises Fault where it did before, which `twice` tells."""
        if what in self.paid:
            raise Fault(loc, twice)
        self.paid.append(what)

    def locks(self, where: Selection, loc: Loc) -> None:
        """A choice within a cost can always be made, and is not changed by what is paid before it. Raises Fault."""
        others = any(variable != "me" for _, variable in where.variables())
        lone = isinstance(where, Zones) and where.model_fields_set in ({"adjacent_to"}, {"within"})
        if others and not lone:
            raise Fault(
                loc,
                "in a cost, `where` may refer to a variable chosen before it only by `adjacent_to` or `within` of a choose_zone, "
                "and with no other key (a choice that can always be made)",
            )
        self.before(where.all(), loc, "choice")

    def before(self, selections: list[Selection], loc: Loc, what: str) -> None:
        """Raises Fault where a selection speaks of something that the cost has changed by then."""
        for selection in selections:
            if "exhaust" in self.paid and isinstance(selection, Units) and selection.exhausted is not None:
                raise Fault(loc, f"a {what} by `exhausted` must come before the exhaust of the same cost")
            used = [selection.token] if isinstance(selection, Units | Zones) else []
            used += [selection.no_token] if isinstance(selection, Units) else []
            if any(f"token {token}" in self.paid for token in used if token is not None):
                raise Fault(loc, f"a {what} by a token must come before that token is taken in the same cost")

    def token_place(self, token: str, to: str, loc: Loc, key: str) -> int:
        """The register of where a token lies, or is put, which stands behind `key`. Raises Fault."""
        self.kit.token(token, (*loc, "token"))
        if self.kit.artist.tokens[token].place == "zone":
            return self.place(to, (*loc, key))
        if to in self.scope and self.registers[to][0] == ZONE:
            raise Fault((*loc, key), f"{token!r} lies on units, but {to!r} is a zone; allowed: a unit variable")
        return self.unit(to, (*loc, key))

    def _end(self, start: int) -> int:
        if len(self.code.rows) == start:
            return 0
        self.code.emit(s.OP_END)
        return start

    # Bodies.

    def body(self, parts: list[Part], loc: Loc) -> int:
        """The first row of an effect program."""
        start = len(self.code.rows)
        self.parts(parts, loc)
        return self._end(start)

    def parts(self, parts: list[Part], loc: Loc) -> None:
        """A list of parts; the variables it names can be used up to its end."""
        outside = len(self.scope)
        for number, part in enumerate(parts):
            part_of(part).compile(self, (*loc, number))
        del self.scope[outside:]
