"""Check that no trigger goes on without end (AW-C6): what runs by itself must use something up before it sets itself off again.

Each triggered program (passives that wait for movement, tokens that reach a count, tiles, an immediate ascension) is read from top to
bottom. Its deeds (a unit moves, a token is put down, a cue) may set off others. A deed may come only after something was used up: a tile
that has left the board, a token that was taken away, a counter that was asked for and spent, a unit that was found ready and exhausted.
What no program that goes on brings back runs out, and so do the deeds that come after it; the programs that are left at the end go on for
ever. An ascension takes the masterpiece off the row, so it is set off again only where it, and what it sets off, progress often enough to
place all of it anew. Only the artist's own programs count, and all that they could do, likely or not. A program that a public source
states (`provenance`) is left alone: a tile of the printed game may stay. The limit of AW-C6a stops what gets past this check.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from react_env.content.files import Fault
from react_env.games.arts_of_war.cards import operations as O
from react_env.games.arts_of_war.cards import schema as C
from react_env.games.arts_of_war.state import PARTS

READY = ("ready", "")
Used: TypeAlias = frozenset[O.Resource]


@dataclass(frozen=True)
class Deed:
    """What a part of a program does at one go.

    Attributes:
        made: what it may bring about.
        used: what has been used up before.
        times: how often at most it is done in one run of the program.
    """

    made: frozenset[O.Resource]
    used: Used
    times: int

    def sets_off(self, it: C.Triggered, artist: C.Artist) -> int:
        """How often at most it sets off a program at once; an ascension does not count. Of the opponent one unit moves."""
        by = self.made & it.set_off_by - {O.PROGRESS}
        if O.CUE in by and it.here is not None:
            return artist.tiles[it.here[1]].pool
        body = [artist.summons[kind].count if kind in artist.summons else 1 for _, kind in by if kind in artist.body]
        return max(sum(body), int(bool(by)))


Block: TypeAlias = "list[Deed | list[Block]]"  # what is done one after the other: deeds, or one of several blocks


@dataclass
class Reading:
    """A triggered program as far as it has been read.

    Attributes:
        known: the kinds of unit that each unit variable can be.
        block: all that it may do.
    """

    artist: C.Artist
    of: C.Triggered
    known: O.Kinds
    block: Block = field(default_factory=list)

    def read(self, parts: list[O.Part], used: Used, assured: O.Assured, block: Block, times: int = 1) -> Used:
        """Note in `block` what these parts do, so many `times`, once `used` is used up; returns what is used up at their end.

        `assured`: what a condition found.
        """
        for part in parts:
            block.append(Deed(frozenset(part.frees(self.artist)), used, times))
            used |= part.takes(self.of.here, assured)
            made = part.makes(self.artist, self.known)
            match part:
                case O.If():
                    inner = [(part.then, assured | set(part.if_.assures())), (part.else_ or [], assured)]
                    used = self.one_of(inner, used, block, times)
                case O.ChooseOne(choose_one=branches):
                    used = self.one_of([(branch, assured) for branch in branches], used, block, times)
                case O.May(may=some):
                    self.read(some, used, assured, block, times)
                case O.ForEach(do=some):
                    self.read(some, used, frozenset(), block, PARTS)
                case O.Refresh():
                    made = {READY}
                case O.Swap():
                    made = self.artist.moving(self.known[part.with_])
                    block.append(Deed(frozenset(self.artist.moving(self.known[part.unit])), used, times))
            made = {READY if what == "ready" else (what, name) for what, name in made if what != "unit"}
            pools = {("left" if what == "token" else "stock", name) for what, name in made if what in ("token", "tile")}
            block.append(Deed(frozenset(made), used | pools, times))
        return used

    def one_of(self, branches: list[tuple[list[O.Part], O.Assured]], used: Used, block: Block, times: int) -> Used:
        """Note that one of these lists of parts is done; returns what is used up whichever it is."""
        blocks: list[Block] = [[] for _ in branches]
        block.append(blocks)
        ends = [self.read(parts, used, assured, inner, times) for (parts, assured), inner in zip(branches, blocks)]
        return frozenset.intersection(*ends)

    def done(self, made: set[O.Resource]) -> set[O.Resource]:
        """What it may bring about when no more than `made` is brought back."""
        return {resource for deed in _deeds(self.block) if deed.used <= made for resource in deed.made}


def _deeds(block: Block) -> Iterator[Deed]:
    for it in block:
        if isinstance(it, Deed):
            yield it
        else:
            for inner in it:
                yield from _deeds(inner)


def check_loops(artist: C.Artist) -> None:
    """Raises Fault for a triggered program that could set itself off again for ever."""
    readings = list(_readings(artist))
    made: set[O.Resource] = set()
    left = {resource for reading in readings for deed in _deeds(reading.block) for resource in deed.made}
    while left != made:
        made = left
        readings = [reading for reading in readings if reading.of.set_off_by & made]
        left = {resource for reading in readings for resource in reading.done(made)}
        if not _places_all(artist, readings, made):
            left.discard(O.PROGRESS)
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


def _places_all(artist: C.Artist, readings: list[Reading], made: set[O.Resource]) -> bool:
    """Whether an ascension, with what it sets off, can place all of the masterpiece when no more than `made` is brought back."""
    often = [0] * len(readings)  # how often each program progresses at most, as far as is known

    def most(block: Block) -> int:
        total = 0
        for it in block:
            if isinstance(it, Deed):
                if it.used <= made:
                    others = (it.sets_off(other.of, artist) * count for other, count in zip(readings, often))
                    total += it.times * ((O.PROGRESS in it.made) + sum(others))
            else:
                total += max(map(most, it))
        return min(total, PARTS)

    while (now := [most(reading.block) for reading in readings]) != often:
        often = now
    return any(count == PARTS for reading, count in zip(readings, often) if O.PROGRESS in reading.of.set_off_by)


def _set_off(reading: Reading, readings: list[Reading], made: set[O.Resource]) -> list[Reading]:
    """What a program sets off for ever, and what these set off in turn."""
    reached: list[Reading] = []
    following = [reading]
    while following:
        done = following.pop().done(made) & made
        new = [other for other in readings if other.of.set_off_by & done and other not in reached]
        reached += new
        following += new
    return reached


def _readings(artist: C.Artist) -> Iterator[Reading]:
    """Read the triggered programs that may run again and again, except those that a public source states."""
    programs = [it for it in artist.triggered() if it.set_off_by]
    programs.sort(key=lambda it: it.column != "trigger_code")  # passives are told of first
    programs += [it for it in artist.ascending() if it.set_off_by]
    for it in programs:
        if it.mark != "stated":
            reading = Reading(artist, it, {"me": {"artist"}, "unit": set(it.units)})
            reading.read(it.parts, frozenset(), frozenset(), reading.block)
            yield reading
