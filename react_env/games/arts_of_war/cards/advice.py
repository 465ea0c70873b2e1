"""What is allowed in an artist file but looks like a slip: idle parts, costs nobody can pay, unused kinds, choices that are too narrow.

It reads the file and plays no games. No warning means little, but what it calls idle is idle in every game.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from react_env.content.schema import Marked, Model
from react_env.games.arts_of_war.cards import operations as O
from react_env.games.arts_of_war.cards.program import Loc
from react_env.games.arts_of_war.cards.schema import Artist, Effect
from react_env.games.arts_of_war.cards.selections import Selection, Units, Zones

Advice = Iterator[tuple[Loc, str]]
_GROUPS = ("summons", "counters", "tokens", "tiles", "passives", "actions", "abilities", "effects", "ascended")


def advice(artist: Artist) -> list[tuple[Loc, str]]:
    """(place in the file, what looks wrong there), in the order of the file."""
    models = list(_models(artist))
    return [*_provenance(models), *_narrow(models), *Look(artist, [model for _, model, _ in models]).all()]


def _models(value: Any, loc: Loc = (), mark: str = "") -> Iterator[tuple[Loc, Model, str]]:
    """(place, model, what the provenance around it says) of every mapping and word of a file."""
    if isinstance(value, Model):
        yield loc, value, mark
        marks = value.provenance if isinstance(value, Marked) else {}
        for name, key, _ in O.fields_of(type(value)):
            yield from _models(getattr(value, name), (*loc, key), marks.get(key, mark))
    elif isinstance(value, dict | list):
        for place, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _models(inner, (*loc, place), mark)


def _provenance(models: list[tuple[Loc, Model, str]]) -> Advice:
    """One warning for all fields that do not say where they come from."""
    missing: list[Loc] = []
    for loc, item, _ in models:
        if isinstance(item, Marked):
            given = [key for name, key, _ in O.fields_of(type(item)) if name in item.model_fields_set]
            told = ("format", "id", "provenance", *_GROUPS, *item.provenance)
            missing += [(*loc, key) for key in given if key not in told]
    if missing:
        more = f", and {len(missing) - 1} more of the file" if len(missing) > 1 else ""
        yield missing[0], f"provenance says nothing about this field{more} (stated, derived or designed)"


def _narrow(models: list[tuple[Loc, Model, str]]) -> Advice:
    """Choices that exclude what the rules let a player choose in vain, unless the field is marked `stated` (AW-C10)."""
    for loc, item, mark in models:
        if isinstance(item, O.ChooseZone | O.LockZone) and mark != "stated":
            for key in ("occupied", "tile"):
                if getattr(item.where, key) is False:
                    yield (
                        (*loc, "choose_zone", "where"),
                        f"`{key}: false` forbids what the rules allow, to choose in vain on purpose (AW-C10); it belongs here only "
                        "where the printed card says so",
                    )


@dataclass
class Never:
    """Why something can never happen while one program runs, as far as the file shows; "" if it shows no reason.

    Attributes:
        made: all that anything in the file can bring about.
        user: the kind of unit that uses the effect, or "none".
        variables: name -> "unit", "zone", "direction", or why it is always empty, with a "!" before it.
    """

    kit: Artist
    made: set[O.Resource]
    user: str
    variables: dict[str, str]

    def empty(self, *names: str) -> str:
        """Why one of these variables is always empty."""
        found = (self.variables.get(name, "") for name in names)
        return next((reason[1:] for reason in found if reason.startswith("!")), "")

    def absent(self, what: str, name: str | None) -> str:
        """Why this kind of "unit", "token" or "tile" is never there."""
        how = {"unit": "summoned", "token": "put anywhere", "tile": "laid"}[what]
        return f"{name} is never {how}" if name and (what, name) not in self.made else ""

    def too_low(self, name: str, count: int) -> str:
        """Why a counter never reaches `count`."""
        start = self.kit.counters[name].start
        return f"{name} is never more than {start}" if start < count and ("counter", name) not in self.made else ""

    def matches(self, where: Selection) -> str:
        """Why no unit or zone ever matches."""
        return next(filter(None, self._reasons(where)), "")

    def _reasons(self, where: Selection) -> Iterator[str]:
        if isinstance(where, Units):
            yield self.absent("unit", where.kind if where.kind in self.kit.summons else None)
            yield self.absent("token", where.token)
            if where.token is not None and where.token == where.no_token:
                yield f"nothing both has {where.token} and has none"
        elif isinstance(where, Zones):
            yield self.absent("token", where.token)
            if where.token is not None:
                kind = self.kit.tokens[where.token]
                most = kind.pool if kind.stacks else 1
                if (where.at_least or 1) > most:
                    yield f"never more than {most} {where.token} lie in a zone"
            if isinstance(where.tile, str):
                yield self.absent("tile", where.tile)
            if where.holds is not None:
                yield "no zone is empty and holds a unit" if where.occupied is False else self.matches(where.holds)
        places, within = where.near(), where.within
        than = places.pop("other_than", None)
        yield self.empty(*places.values())
        of = places.pop("within", None)
        for key, word in (("adjacent_to", "adjacent"), ("in_line_with", "in line")):
            if "diagonal_to" in places and places["diagonal_to"] == places.get(key):
                yield f"nothing is both {word} and diagonal to {places['diagonal_to']}"
        if within and within.distance == 0 and of in (*places.values(), than):
            yield f"nothing else is within 0 zones of {of}"
        if where.touching is not None:
            yield self.matches(where.touching)


class Look:
    """The advice on one artist, and what its file can ever bring about."""

    def __init__(self, artist: Artist, models: list[Model]) -> None:
        self.artist = artist
        self.programs = {program.loc: program for program in (*artist.triggered(), *artist.ascending())}
        self.made: set[O.Resource] = set()
        self.asked: set[str | None] = set()  # tokens that something takes or asks for
        self.counted: set[str] = set()  # counters, likewise
        known: O.Kinds = defaultdict(set)
        for found in models:
            if isinstance(found, O.Word):
                self.made |= found.makes(artist, known)
            match found:
                case Units(token=token, no_token=other):
                    self.asked |= {token, other}
                case Zones(token=token) | O.RemoveToken(token=token) | O.PayToken(token=token):
                    self.asked.add(token)
                case O.PayCounter(counter=counter) | O.CounterIs(counter=counter):
                    self.counted.add(counter)

    def all(self) -> Advice:
        """(place in the file, what looks wrong there)."""
        yield from self._kinds()
        for number, passive in enumerate(self.artist.passives):
            loc: Loc = ("passives", number)
            if passive.where is not None and (reason := self._never("artist", {}).matches(passive.where)):
                yield (*loc, "where"), f"never runs: {reason}"
            yield from self._triggered((*loc, "do"))
        for loc, card in self.artist.cards:
            for path, _, effects in card.sides:
                for index, effect in enumerate(effects):
                    yield from self._effect(effect, (*loc, *path, index), card.unit)
                yield from self._triggered((*loc, *path[:-1], "do"))

    def _kinds(self) -> Advice:
        artist = self.artist
        for name in artist.summons:
            if ("unit", name) not in self.made:
                yield ("summons", name), "is never summoned"
        for name, counter in artist.counters.items():
            if ("counter", name) not in self.made and counter.start == 0:
                yield ("counters", name), "never rises: it starts at 0, and nothing gains or rolls it"
            elif name not in self.counted:
                yield ("counters", name), "is never used: nothing pays it or asks how high it stands"
        for name, token in artist.tokens.items():
            if ("token", name) not in self.made:
                yield ("tokens", name), "is never put anywhere (add_token)"
            elif not (name in self.asked or token.at is not None or token.blocks_damage):
                yield ("tokens", name), "is put somewhere, but nothing asks for it"
            yield from self._triggered(("tokens", name, "at", "do"))
        for name, tile in artist.tiles.items():
            if ("tile", name) not in self.made:
                yield ("tiles", name), "is never laid (place_tile)"
            if tile.on_cue is not None and O.CUE not in self.made:
                yield ("tiles", name, "on_cue"), "never runs: there is no `cue`"
            yield from self._triggered(("tiles", name, "on_enter"))
            yield from self._triggered(("tiles", name, "on_cue"))

    def _never(self, user: str, variables: dict[str, str]) -> Never:
        return Never(self.artist, self.made, user, variables)

    def _triggered(self, loc: Loc) -> Advice:
        """The advice on the program at `loc`, if there is one."""
        if program := self.programs.get(loc):
            end = -1 if O.PROGRESS in program.set_off_by else None  # without the last `descend`
            yield from _program(program.parts[:end], loc, self._never("artist", {"me": "unit"} | program.variables))

    def _effect(self, effect: Effect, loc: Loc, user: str) -> Advice:
        never, reason = self._never(user, {} if user == "none" else {"me": "unit"}), ""
        if user not in ("artist", "none"):
            reason = never.absent("unit", user)
        for part in effect.cost:
            reason = reason or never.empty(*part.uses()) or part.idle(never)
            if named := part.names():
                never.variables[named.name] = named.kind
        if reason:
            yield loc, f"nobody can ever pay for it: {reason}"
        else:
            yield from _program(effect.do, (*loc, "do"), never)


def _program(parts: list[O.Part], loc: Loc, never: Never) -> Advice:
    idle: list[tuple[Loc, str]] = []
    if _acts(parts, loc, never, idle):
        yield from ((at, f"can never do anything: {reason}") for at, reason in idle)
    else:
        reason = idle[0][1] if idle else "it only chooses" if parts else "it only descends"
        yield loc[:-1], f"can never do anything: {reason}"


def _acts(parts: list[O.Part], loc: Loc, never: Never, idle: list[tuple[Loc, str]]) -> bool:
    """Whether any part can do something; puts those that cannot into `idle`, with the reason."""
    acting = False
    for number, part in enumerate(parts):
        reason = never.empty(*part.uses()) or part.idle(never)
        at, named, blocks = (*loc, number, *part.at), part.names(), part.blocks()
        acts = not blocks and not reason
        if named and not blocks:  # it only chooses
            never.variables[named.name] = f"!{named.name} is always empty ({reason})" if reason else named.kind
            continue
        variables = never.variables | ({named.name: named.kind} if named else {})
        for keys, inner in blocks:  # look at all, even if one acts
            if not reason or keys == ("else",):
                acts |= _acts(inner, (*at, *keys), replace(never, variables=dict(variables)), idle)
        if reason and not acts:
            idle.append((at, reason))
        acting |= acts
    return acting
