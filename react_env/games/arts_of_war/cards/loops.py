"""No trigger goes on without end (AW-C6): what runs by itself must use something up before it sets itself off again.

Each program that is triggered (passives that wait for movement, tokens that reach a count, tiles, an immediate ascension) is read from
top to bottom. What it does - a unit moves, a token is put down, a cue - may set off others, and may be done only once something was
used up on the way there: a tile that has left the board, a token that was taken away, a counter that was asked for and spent, a unit
that was asked to be ready and exhausted. What no program that goes on brings back runs out, and with it what comes after; what is left
at the end goes on for ever. Only the artist's own programs count, and what could be done, not what is likely. A program that a public
source states (`provenance`) is left alone: a tile of the printed game may stay. For what gets by here there is a limit (AW-C6a).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from react_env.games.arts_of_war.cards import schema as C
from react_env.games.arts_of_war.cards.bounds import CUE, PROGRESS, Resource, matched_kinds, moved_kinds
from react_env.games.arts_of_war.state import PARTS
from react_env.games.files import Fault

READY = ("ready", "")
Deed = tuple[Resource, frozenset[Resource]]  # what is done, and what has been used up before


@dataclass
class Reading:
    """A triggered program, as far as it has been read.

    Attributes:
        set_off_by: any of these begins it.
        here: what lies in its zone `here` when it begins: its tile, or tokens.
        deeds: all that it may do.
    """

    artist: C.Artist
    name: str
    location: tuple[str | int, ...]
    set_off_by: set[Resource]
    known: dict[str, set[str]]  # kinds that each unit variable can be
    here: Resource | None = None
    deeds: list[Deed] = field(default_factory=list)

    def read(
        self, parts: list[C.Part], used: frozenset[Resource], assured: frozenset[tuple[str, ...]]
    ) -> frozenset[Resource]:
        """Note what these parts do, once `used` is used up; returns what is used up at their end. `assured`: what a condition found."""
        for part in parts:
            match part:
                case C.RemoveTile(remove_tile=gone):
                    self.makes(used, *(("stock", kind) for kind in self.artist.tiles))
                    if self.here is not None and self.here[0] == "tile" and gone.zone == "here":
                        used |= {self.here}
                case C.RemoveToken(remove_token=take):
                    self.makes(used, ("left", take.token))
                    if ("token", take.token, take.from_) in assured or (
                        self.here == ("token", take.token) and take.from_ == "here"
                    ):
                        used |= {("token", take.token)}
                case C.Spend(spend=spend) if ("counter", spend.counter) in assured:
                    used |= {("counter", spend.counter)}
                case C.Exhaust(exhaust=name) if ("ready", name) in assured:
                    used |= {READY}
                case C.If():
                    then = self.read(part.then, used, assured | set(_assures(part.if_)))
                    used = then & self.read(part.else_ or [], used, assured)
                case C.ChooseOne(choose_one=branches):
                    used = frozenset.intersection(*(self.read(branch, used, assured) for branch in branches))
                case C.May(may=inner):
                    self.read(inner, used, assured)
                case C.ForEach(for_each=loop):
                    self.known.setdefault(loop.unit, set()).update(matched_kinds(self.artist, loop.where, "artist"))
                    self.read(loop.do, used, frozenset())
                case C.ChooseUnit(choose_unit=unit):
                    self.known.setdefault(unit.as_, set()).update(matched_kinds(self.artist, unit.where, "artist"))
                case C.Move(move=move) | C.Jump(jump=move):
                    self.makes(used, *moved_kinds(self.artist, self.known[move.unit]))
                case C.Swap(swap=swap):
                    self.makes(used, *moved_kinds(self.artist, self.known[swap.unit] | self.known[swap.with_]))
                case C.AddToken(add_token=add):
                    self.makes(used | {("left", add.token)}, ("token", add.token))
                case C.PlaceTile(place_tile=tile):
                    self.makes(used | {("stock", tile.tile)}, ("tile", tile.tile))
                case C.Damage() | C.Remove():  # what lay on a unit, or took the damage, is back in the pool
                    self.makes(used, *(("left", token) for token in self.artist.tokens))
                case C.Refresh() | C.Summon():
                    self.makes(used, READY)
                case C.Gain(gain=gain):
                    self.makes(used, ("counter", gain.counter))
                case C.Roll():
                    self.makes(
                        used, *(("counter", name) for name, counter in self.artist.counters.items() if counter.dice)
                    )
                case "cue":
                    self.makes(used, CUE)
        return used

    def makes(self, used: frozenset[Resource], *resources: Resource) -> None:
        """Note what is done once `used` is used up."""
        self.deeds += [(resource, used) for resource in resources]


def _assures(condition: C.Condition) -> Iterator[tuple[str, ...]]:
    """What a condition finds there that can be used up: ("counter", its name), ("ready", unit), ("token", its name, place)."""
    match condition:
        case C.CounterIs(counter=name):
            yield "counter", name
        case C.UnitIs(unit=name, is_=units):
            if units.exhausted is False:
                yield "ready", name
            if units.token is not None:
                yield "token", units.token, name
        case C.ZoneIs(zone=name, is_=zones):
            if zones.token is not None:
                yield "token", zones.token, name


def check_loops(artist: C.Artist) -> None:
    """Raises Fault for a triggered program that could set itself off again for ever."""
    readings = list(_readings(artist))
    made = {resource for reading in readings for resource, _ in reading.deeds}
    while True:
        readings = [reading for reading in readings if reading.set_off_by & made]
        left = {resource for reading in readings for resource, used in reading.deeds if used <= made}
        if left == made:
            break
        made = left
    for reading in readings:
        reached = _set_off(reading, readings, made)
        if reading in reached:
            back = [other for other in reached if other is not reading and reading in _set_off(other, readings, made)]
            others = " and ".join(sorted({other.name for other in back}))
            through = f", through {others}" if others else ""
            raise Fault(
                reading.location,
                f"{reading.name} can set itself off again without end{through}, and uses nothing up (AW-C6); allowed: to take its "
                "tile or tokens away first (such as remove_tile: {zone: here} before the move), or to spend what it has asked for",
            )


def _set_off(reading: Reading, readings: list[Reading], made: set[Resource]) -> list[Reading]:
    """What a program sets off for ever, and what these set off in turn."""
    reached: list[Reading] = []
    following = [reading]
    while following:
        doer = following.pop()
        done = {resource for resource, used in doer.deeds if used <= made}
        new = [other for other in readings if other.set_off_by & done and other not in reached]
        reached += new
        following += new
    return reached


def _readings(artist: C.Artist) -> Iterator[Reading]:
    """The triggered programs, read, without those that a public source states."""
    everyone = matched_kinds(artist, C.Units(), None)
    entered: set[Resource] = {("move", kind) for kind in everyone}
    found: list[tuple[Reading, list[C.Part], str | None]] = []

    def program(
        name: str,
        location: tuple[str | int, ...],
        parts: list[C.Part],
        set_off_by: set[Resource],
        mark: str | None,
        here: Resource | None = None,
        unit: set[str] = everyone,
    ) -> None:
        known = {"me": {"artist"}, "unit": set(unit)}
        found.append((Reading(artist, name, location, set_off_by, known, here), parts, mark))

    for number, passive in enumerate(artist.passives):
        if passive.when == "unit_moved":
            kinds = matched_kinds(artist, passive.where or C.Units(), None)
            moved: set[Resource] = {("move", kind) for kind in kinds}
            program(
                passive.name, ("passives", number, "do"), passive.do, moved, passive.provenance.get("do"), unit=kinds
            )
    for id_, token in artist.tokens.items():
        if token.at is not None:
            location = ("tokens", id_, "at", "do")
            program(
                token.name, location, token.at.do, {("token", id_)}, token.provenance.get("at"), here=("token", id_)
            )
    for id_, tile in artist.tiles.items():
        for key, parts, by in (("on_enter", tile.on_enter, entered), ("on_cue", tile.on_cue, {CUE})):
            if parts is not None:
                program(tile.name, ("tiles", id_, key), parts, by, tile.provenance.get(key), here=("tile", id_))
    for number, card in enumerate(artist.abilities):
        for depth, side in enumerate(card.other_sides, start=1):
            # An ascension takes all masterpiece cards off the row: only who places them all again meanwhile ascends again.
            if isinstance(side, C.AscendedImmediate) and _progresses(side.do) >= PARTS:
                where: tuple[str | int, ...] = ("abilities", number, *["ascended"] * depth, "do")
                program(side.name, where, side.do, {PROGRESS}, side.provenance.get("do"))
                found[-1][0].makes(frozenset(), PROGRESS)
    for reading, parts, mark in found:
        if mark != "stated":
            reading.read(parts, frozenset(), frozenset())
            yield reading


def _progresses(parts: list[C.Part]) -> int:
    """How often a program progresses the masterpiece, at most; as often as needed in a loop over units."""
    loops = [part for part in C.walk(parts) if isinstance(part, C.ForEach)]
    return sum(part == "progress" for part in C.walk(parts)) + PARTS * sum(
        "progress" in C.walk(loop.for_each.do) for loop in loops
    )
