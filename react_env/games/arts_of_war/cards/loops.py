"""Check that no trigger goes on without end (AW-C6): what runs by itself must use something up before it sets itself off again.

Each triggered program (passives that wait for movement, tokens that reach a count, tiles, an immediate ascension) is read from top to
bottom. Its deeds (a unit moves, a token is put down, a cue) may set off others. A deed may come only after something was used up: a tile
that has left the board, a token that was taken away, a counter that was asked for and spent, a unit that was found ready and exhausted.
What no program that goes on brings back runs out, and so do the deeds that come after it; the programs that are left at the end go on for
ever. Only the artist's own programs count, and all that they could do, likely or not. A program that a public source states (`provenance`)
is left alone: a tile of the printed game may stay. The limit of AW-C6a stops what gets past this check.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from react_env.content.files import Fault
from react_env.games.arts_of_war.cards import operations as O
from react_env.games.arts_of_war.cards import schema as C
from react_env.games.arts_of_war.cards.program import walk
from react_env.games.arts_of_war.state import PARTS

READY = ("ready", "")
Used = frozenset[O.Resource]


@dataclass
class Reading:
    """A triggered program as far as it has been read.

    Attributes:
        known: the kinds of unit that each unit variable can be.
        deeds: all that it may do, each with what has been used up before.
    """

    artist: C.Artist
    of: C.Triggered
    known: O.Kinds
    deeds: list[tuple[O.Resource, Used]] = field(default_factory=list)

    def read(self, parts: list[O.Part], used: Used, assured: O.Assured) -> Used:
        """Note what these parts do once `used` is used up; return what is used up at their end. `assured`: what conditions found there."""
        for part in parts:
            self.makes(used, *part.frees(self.artist))
            used |= part.takes(self.of.here, assured)
            made = [READY] if isinstance(part, O.Refresh) else sorted(part.makes(self.artist, self.known))
            match part:
                case O.If():
                    then = self.read(part.then, used, assured | set(part.if_.assures()))
                    used = then & self.read(part.else_ or [], used, assured)
                case O.ChooseOne(choose_one=branches):
                    used = frozenset.intersection(*(self.read(branch, used, assured) for branch in branches))
                case O.May(may=inner):
                    self.read(inner, used, assured)
                case O.ForEach(do=inner):
                    self.read(inner, used, frozenset())
            for what, name in made:
                pool = {"token": {("left", name)}, "tile": {("stock", name)}}.get(what, set())
                if what not in ("unit", "progress"):
                    self.makes(used | pool, READY if what == "ready" else (what, name))
        return used

    def makes(self, used: Used, *resources: O.Resource) -> None:
        """Note what is done once `used` is used up."""
        self.deeds += [(resource, used) for resource in resources]


def check_loops(artist: C.Artist) -> None:
    """Raises Fault for a triggered program that could set itself off again for ever."""
    readings = list(_readings(artist))
    made: set[O.Resource] = set()
    left = {resource for reading in readings for resource, _ in reading.deeds}
    while left != made:
        made = left
        readings = [reading for reading in readings if reading.of.set_off_by & made]
        left = {resource for reading in readings for resource, used in reading.deeds if used <= made}
    for reading in readings:
        reached = _set_off(reading, readings, made)
        if reading in reached:
            back = [other for other in reached if other is not reading and reading in _set_off(other, readings, made)]
            others = " and ".join(sorted({other.of.name for other in back}))
            through = f", through {others}" if others else ""
            raise Fault(
                reading.of.loc,
                f"{reading.of.name} can set itself off again without end{through}, and uses nothing up (AW-C6); allowed: to take its "
                "tile or tokens away first (such as remove_tile: {zone: here} before the move), or to spend what it has asked for",
            )


def _set_off(reading: Reading, readings: list[Reading], made: set[O.Resource]) -> list[Reading]:
    """What a program sets off for ever, and what these set off in turn."""
    reached: list[Reading] = []
    following = [reading]
    while following:
        done = {resource for resource, used in following.pop().deeds if used <= made}
        new = [other for other in readings if other.of.set_off_by & done and other not in reached]
        reached += new
        following += new
    return reached


def _readings(artist: C.Artist) -> Iterator[Reading]:
    """Read the triggered programs that may run again and again, except those that a public source states."""
    programs = [it for it in artist.triggered() if it.set_off_by]
    programs.sort(key=lambda it: it.column != "trigger_code")  # messages name passives first
    # An ascension takes all masterpiece cards off the row: only a program that places them all again can lead to another.
    programs += [it for it in artist.ascending() if it.set_off_by and _progresses(it.parts) >= PARTS]
    for it in programs:
        if it.mark != "stated":
            reading = Reading(artist, it, {"me": {"artist"}, "unit": set(it.units)})
            if O.PROGRESS in it.set_off_by:
                reading.makes(frozenset(), O.PROGRESS)
            reading.read(it.parts, frozenset(), frozenset())
            yield reading


def _progresses(parts: list[O.Part]) -> int:
    """How often a program can progress the masterpiece; a loop over units counts as often enough to complete it."""
    looped = [it for it in walk(parts) if isinstance(it, O.ForEach) and "progress" in O.words_in(it.do)]
    return O.words_in(parts).count("progress") + PARTS * len(looped)
