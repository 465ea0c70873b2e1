"""What is allowed in an artist file but looks like a slip: idle parts, costs nobody can pay, unused kinds, choices that are too narrow.

It works on what a file says, not on what a game could bring: no warning means little, but what is called idle is so in every game.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from react_env.content.schema import Marked
from react_env.games.arts_of_war.cards import operations as O
from react_env.games.arts_of_war.cards.schema import AbilityCard, Artist, AscendedImmediate, Effect
from react_env.games.arts_of_war.cards.selections import Selection, Units, Zones

Loc = tuple[str | int, ...]
Variables = dict[str, str]  # name -> "unit", "zone", "direction", or why it is always empty, with a "!" before it
_GROUPS = ("summons", "counters", "tokens", "tiles", "passives", "actions", "abilities", "effects", "ascended")


def advice(artist: Artist) -> list[tuple[Loc, str]]:
    """(place in the file, what looks wrong there), in the order of the file."""
    return [*_provenance(artist), *_narrow(artist.model_dump(by_alias=True, exclude_none=True)), *Look(artist).all()]


def _provenance(artist: Artist) -> Iterator[tuple[Loc, str]]:
    """One warning for all fields that do not say where they come from."""
    missing: list[Loc] = []

    def look(item: BaseModel, loc: Loc) -> None:
        for name in type(item).model_fields:
            value, field = getattr(item, name), type(item).model_fields[name].alias or name
            if name not in item.model_fields_set or name in ("format", "id", "provenance"):
                continue
            if field not in _GROUPS and isinstance(item, Marked) and field not in item.provenance:
                missing.append((*loc, field))
            if field in _GROUPS:
                entries = (
                    value.items()
                    if isinstance(value, dict)
                    else enumerate(value)
                    if isinstance(value, list)
                    else [("", value)]
                )
                for key, entry in entries:
                    if isinstance(entry, BaseModel):
                        look(entry, (*loc, field, key) if key != "" else (*loc, field))

    look(artist, ())
    if missing:
        more = f", and {len(missing) - 1} more of the file" if len(missing) > 1 else ""
        yield missing[0], f"provenance says nothing about this field{more} (stated, derived or designed)"


def _narrow(node: Any, loc: Loc = (), mark: str = "") -> Iterator[tuple[Loc, str]]:
    """Choices that leave out what the rules let a player choose in vain, unless a source is said to state the field (AW-C10)."""
    if isinstance(node, list):
        for number, item in enumerate(node):
            yield from _narrow(item, (*loc, number), mark)
    if not isinstance(node, dict):
        return
    where = node["choose_zone"]["where"] if "choose_zone" in node else {}
    for key in ("occupied", "tile"):
        if where.get(key) is False and mark != "stated":
            yield (
                (*loc, "choose_zone", "where"),
                f"`{key}: false` forbids what the rules allow, to choose in vain on purpose (AW-C10); it belongs here only where the "
                "printed card says so",
            )
    for key, value in node.items():
        yield from _narrow(value, (*loc, key), node.get("provenance", {}).get(key, mark))


def _models(value: Any) -> Iterator[Any]:
    """Every model of a file, and every word that stands by itself."""
    if isinstance(value, BaseModel):
        yield value
        for name in type(value).model_fields:
            yield from _models(getattr(value, name))
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield O.part_of(inner) if isinstance(value, list) and isinstance(inner, str) else None
            yield from _models(inner)


class Look:
    """One artist, and what of its kinds can ever come about."""

    def __init__(self, artist: Artist) -> None:
        self.artist = artist
        self.made: set[O.Resource] = set()
        self.asked: set[str] = set()  # tokens that something takes or asks for
        self.counted: set[str] = set()  # counters, likewise
        known: O.Kinds = defaultdict(set)
        for found in _models(artist):
            if isinstance(found, O.Word):
                self.made |= found.makes(artist, known)
            match found:
                case Units(token=token, no_token=other):
                    self.asked |= {name for name in (token, other) if name is not None}
                case Zones(token=str(token)) | O.RemovedToken(token=token) | O.PaidToken(token=token):
                    self.asked.add(token)
                case O.PaidCounter(counter=counter) | O.CounterIs(counter=counter):
                    self.counted.add(counter)

    def all(self) -> Iterator[tuple[Loc, str]]:
        """(place in the file, what looks wrong there)."""
        artist = self.artist
        yield from self._kinds()
        for number, passive in enumerate(artist.passives):
            loc: Loc = ("passives", number)
            never = self.no_unit(passive.where, {}) if passive.where is not None else ""
            if never:
                yield (*loc, "where"), f"never runs: {never}"
            names = {"me": "unit"} | ({"unit": "unit", "left": "zone"} if passive.when == "unit_moved" else {})
            yield from self._program(passive.do, (*loc, "do"), names, "artist")
        for number, action in enumerate(artist.actions):
            yield from self._effects(action.effects, ("actions", number, "effects"), "artist")
        for number, card in enumerate(artist.abilities):
            yield from self._ability(card, ("abilities", number))

    def _ability(self, card: AbilityCard, loc: Loc) -> Iterator[tuple[Loc, str]]:
        yield from self._effects(card.effects, (*loc, "effects"), card.unit)
        for depth, side in enumerate(card.other_sides, start=1):
            at = (*loc, *("ascended",) * depth)
            if not isinstance(side, AscendedImmediate):
                yield from self._effects(side.effects, (*at, "effects"), "artist")
            parts = getattr(side, "do", None)
            if parts is not None:  # of an immediate one without the last `descend`
                said = parts[:-1] if isinstance(side, AscendedImmediate) else parts
                yield from self._program(said, (*at, "do"), {"me": "unit"}, "artist")

    def _kinds(self) -> Iterator[tuple[Loc, str]]:
        artist, me = self.artist, {"me": "unit"}
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
            if token.at is not None:
                yield from self._program(token.at.do, ("tokens", name, "at", "do"), me | {"here": "zone"}, "artist")
        for name, tile in artist.tiles.items():
            if ("tile", name) not in self.made:
                yield ("tiles", name), "is never laid (place_tile)"
            if tile.on_cue is not None and O.CUE not in self.made:
                yield ("tiles", name, "on_cue"), "never runs: there is no `cue`"
            names = me | {"unit": "unit", "here": "zone"} | ({"way": "direction"} if tile.directed else {})
            for key, parts in (("on_enter", tile.on_enter), ("on_cue", tile.on_cue)):
                if parts is not None:
                    yield from self._program(parts, ("tiles", name, key), names, "artist")

    def _effects(self, effects: list[Effect], loc: Loc, user: str) -> Iterator[tuple[Loc, str]]:
        for index, effect in enumerate(effects):
            variables: Variables = {} if user == "none" else {"me": "unit"}
            reason = self._unpayable(effect.cost, variables, user)
            if reason:
                yield (*loc, index), f"nobody can ever pay for it: {reason}"
            else:
                yield from self._program(effect.do, (*loc, index, "do"), variables, user)

    def _unpayable(self, cost: list[O.CostPart], variables: Variables, user: str) -> str:
        if user not in ("artist", "none") and ("unit", user) not in self.made:
            return f"{user} is never summoned"
        return next(filter(None, (part.unpayable(self, variables) for part in cost)), "")

    # Why nothing ever matches or is so, or "".

    def empty(self, name: str, variables: Variables) -> str:
        """Why a variable never stands for anything."""
        found = variables.get(name, "")
        return found[1:] if found.startswith("!") else ""

    def too_low(self, name: str, count: int) -> str:
        """Why a counter never stands at `count`."""
        start = self.artist.counters[name].start
        return f"{name} is never more than {start}" if start < count and ("counter", name) not in self.made else ""

    def _near(self, where: Selection, variables: Variables) -> str:
        places, within = dict(where.near()), where.within
        than = places.pop("other_than", None)
        for name in places.values():
            if reason := self.empty(name, variables):
                return reason
        of = places.pop("within", None)
        same = "adjacent_to" in places and places["adjacent_to"] == places.get("diagonal_to")
        line = "diagonal_to" in places and places["diagonal_to"] == places.get("in_line_with")
        if same or line:
            return f"nothing is both {'adjacent' if same else 'in line'} and diagonal to {places['diagonal_to']}"
        if within and within.distance == 0 and of in (*places.values(), than):
            return f"nothing else is within 0 zones of {of}"
        return "" if where.touching is None else self.no_unit(where.touching, variables)

    def no_unit(self, where: Units, variables: Variables) -> str:
        """Why no unit is ever such a one."""
        if where.kind in self.artist.summons and ("unit", where.kind) not in self.made:
            return f"{where.kind} is never summoned"
        if where.token is not None and ("token", where.token) not in self.made:
            return f"{where.token} is never put anywhere"
        if where.token is not None and where.token == where.no_token:
            return f"nothing both has {where.token} and has none"
        return self._near(where, variables)

    def no_zone(self, where: Zones, variables: Variables) -> str:
        """Why no zone is ever such a one."""
        if where.token is not None:
            if ("token", where.token) not in self.made:
                return f"{where.token} is never put anywhere"
            kind = self.artist.tokens[where.token]
            most = kind.pool if kind.stacks else 1
            if (where.at_least or 1) > most:
                return f"never more than {most} {where.token} lie in a zone"
        if isinstance(where.tile, str) and ("tile", where.tile) not in self.made:
            return f"{where.tile} is never laid"
        if where.holds is not None:
            if where.occupied is False:
                return "no zone is empty and holds a unit"
            if reason := self.no_unit(where.holds, variables):
                return reason
        return self._near(where, variables)

    # Programs.

    def _program(self, parts: list[Any], loc: Loc, variables: Variables, user: str) -> Iterator[tuple[Loc, str]]:
        idle: list[tuple[Loc, str]] = []
        if self._acts(parts, loc, dict(variables), user, idle):
            for at, reason in idle:
                yield at, f"can never do anything: {reason}"
        else:
            reason = idle[0][1] if idle else "it only chooses" if parts else "it only descends"
            yield loc[:-1], f"can never do anything: {reason}"

    def _acts(self, parts: list[Any], loc: Loc, variables: Variables, user: str, idle: list[tuple[Loc, str]]) -> bool:
        """Whether any part can do something; those that cannot are put into `idle` with the reason."""
        acting = False
        for number, part in enumerate(parts):
            at = (*loc, number)
            result = self._part(O.part_of(part), at, variables, user, idle)
            if isinstance(result, str):
                idle.append((at, result))
            acting |= result is True
        return acting

    def _part(self, part: O.Word, loc: Loc, variables: Variables, user: str, idle: list[tuple[Loc, str]]) -> bool | str:
        """True for a part that can do something, False for one that only chooses, else why it can do nothing."""

        def name(variable: str, kind: str, reason: str) -> bool:
            variables[variable] = f"!{variable} is always empty ({reason})" if reason else kind
            return False

        match part:
            case O.ChooseUnit(choose_unit=unit):
                return name(unit.as_, "unit", self.no_unit(unit.where, variables))
            case O.ChooseZone(choose_zone=zone):
                return name(zone.as_, "zone", self.no_zone(zone.where, variables))
            case O.ChooseDirection(choose_direction=variable):
                return name(variable, "direction", "")
            case O.Let(let=let):
                return name(let.zone, "zone", self.empty(let.of, variables))
        acting, never = False, part.idle(self, variables, user)
        for keys, inner in part.blocks():  # all are seen
            if not never or keys == ("else",):
                more = {part.for_each.unit: "unit"} if isinstance(part, O.ForEach) else {}
                acting |= self._acts(inner, (*loc, *keys), variables | more, user, idle)
        if part.blocks():
            return never if never and not acting else acting
        return next(filter(None, (self.empty(used, variables) for used in part.uses())), "") or never or True
