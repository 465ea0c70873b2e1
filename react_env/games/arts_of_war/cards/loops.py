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

from react_env.content.files import Fault
from react_env.games.arts_of_war.cards import operations as O
from react_env.games.arts_of_war.cards import schema as C
from react_env.games.arts_of_war.cards.operations import CUE, PROGRESS, Resource, matched_kinds, part_of, walk
from react_env.games.arts_of_war.cards.selections import Units
from react_env.games.arts_of_war.state import PARTS

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
        self, parts: list[O.Part], used: frozenset[Resource], assured: frozenset[tuple[str, ...]]
    ) -> frozenset[Resource]:
        """Note what these parts do, once `used` is used up; returns what is used up at their end. `assured`: what a condition found."""
        for raw in parts:
            part = part_of(raw)
            self.makes(used, *part.frees(self.artist))
            match part:
                case O.RemoveTile(remove_tile=gone):
                    if self.here is not None and self.here[0] == "tile" and gone.zone == "here":
                        used |= {self.here}
                case O.RemoveToken(remove_token=take):
                    token: Resource = ("token", take.token)
                    if (*token, take.from_) in assured or (self.here == token and take.from_ == "here"):
                        used |= {token}
                case O.Spend(spend=spend) if ("counter", spend.counter) in assured:
                    used |= {("counter", spend.counter)}
                case O.Exhaust(exhaust=name) if ("ready", name) in assured:
                    used |= {READY}
                case O.If():
                    then = self.read(part.then, used, assured | set(part.if_.assures()))
                    used = then & self.read(part.else_ or [], used, assured)
                case O.ChooseOne(choose_one=branches):
                    used = frozenset.intersection(*(self.read(branch, used, assured) for branch in branches))
                case O.May(may=inner):
                    self.read(inner, used, assured)
            for resource in [READY] if isinstance(part, O.Refresh) else sorted(part.makes(self.artist, self.known)):
                what, name = resource
                if what in ("token", "tile"):
                    self.makes(used | {("left" if what == "token" else "stock", name)}, resource)
                elif what == "ready":
                    self.makes(used, READY)
                elif what not in ("unit", "progress"):
                    self.makes(used, resource)
            if isinstance(part, O.ForEach):
                self.read(part.for_each.do, used, frozenset())
        return used

    def makes(self, used: frozenset[Resource], *resources: Resource) -> None:
        """Note what is done once `used` is used up."""
        self.deeds += [(resource, used) for resource in resources]


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
    everyone = matched_kinds(artist, Units(), None)
    entered: set[Resource] = {("move", kind) for kind in everyone}
    found: list[tuple[Reading, list[O.Part], str | None]] = []

    def program(
        name: str,
        location: tuple[str | int, ...],
        parts: list[O.Part],
        set_off_by: set[Resource],
        mark: str | None,
        here: Resource | None = None,
        unit: set[str] = everyone,
    ) -> None:
        known = {"me": {"artist"}, "unit": set(unit)}
        found.append((Reading(artist, name, location, set_off_by, known, here), parts, mark))

    for number, passive in enumerate(artist.passives):
        if passive.when == "unit_moved":
            kinds = matched_kinds(artist, passive.where or Units(), None)
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


def _progresses(parts: list[O.Part]) -> int:
    """How often a program progresses the masterpiece, at most; as often as needed in a loop over units."""
    everything = walk(parts)
    looped = [part for part in everything if isinstance(part, O.ForEach) and "progress" in walk(part.for_each.do)]
    return everything.count("progress") + PARTS * len(looped)
