"""The words of effects and costs, one class each: what a card file may hold, what it compiles to, how it is printed, what it can bring
about. A new word is a class here, in its tuple at the end of its section.

The program that a word is compiled into is `program.Program`, the sentence that it becomes part of is written by `wording.Writer`, and
`advice.Look` knows what of a file can ever happen. Rows of code are explained in `state.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from react_env.content.files import Fault
from react_env.content.schema import Id, Model, key_of, one_of
from react_env.games.arts_of_war import state as s
from react_env.games.arts_of_war.cards.selections import (
    Count,
    CounterName,
    Farthest,
    KindName,
    Nearest,
    Order,
    PlaceVar,
    Ref,
    Selection,
    TileName,
    TokenName,
    Units,
    UnitVar,
    Way,
    Zones,
    ref_of,
)

if TYPE_CHECKING:
    from react_env.games.arts_of_war.cards.advice import Look, Variables
    from react_env.games.arts_of_war.cards.program import Loc, Program
    from react_env.games.arts_of_war.cards.schema import Artist
    from react_env.games.arts_of_war.cards.wording import Writer

# What can grow during a turn: ("ready" | "unit" | "move", kind of unit), ("token" | "tile" | "counter", its name), PROGRESS, CUE.
Resource: TypeAlias = tuple[str, str]
THEIRS = "theirs"  # any unit of the opponent
PROGRESS: Resource = ("progress", "")
CUE: Resource = ("cue", "")
Kinds: TypeAlias = dict[str, set[str]]  # kinds of unit that each unit variable can be


class Word:
    """A word of a card file: in this form one that stands by itself."""

    word: ClassVar[str] = ""
    op: ClassVar[int] = -1
    feature: ClassVar[int] = -1  # of the cards that have it, CF_*
    said: ClassVar[str] = ""  # how it is printed, with its references in braces
    brings: ClassVar[str] = ""  # the sort of resource that it makes of what it refers to

    def compile(self, p: Program, loc: Loc) -> None:
        """Emit its rows. Raises Fault."""
        p.emit(self.op)

    def say(self, w: Writer) -> str:
        """It as a request."""
        return self.said

    def uses(self) -> list[str]:
        """The variables that it names, each as often as it does; of one with parts inside none."""
        return []

    def blocks(self) -> list[tuple[tuple[str | int, ...], list[Any]]]:
        """(keys that lead there, parts) of each list of parts inside it."""
        return []

    def makes(self, artist: Artist, known: Kinds) -> set[Resource]:
        """What it can bring about; `known` learns what its own variables can be."""
        return set()

    def frees(self, artist: Artist) -> list[Resource]:
        """What lies in the pools again: ("stock", kind of tile), ("left", kind of token)."""
        return []

    def idle(self, look: Look, variables: Variables, user: str) -> str:
        """Why it can never do anything, or ""."""
        return ""


class Operation(Word, Model):
    """A word with something after its colon: the first field of the class, a value or a mapping."""

    op: ClassVar[int] = -1
    feature: ClassVar[int] = -1
    said: ClassVar[str] = ""
    brings: ClassVar[str] = ""

    @classmethod
    def key(cls) -> str:
        """The word."""
        ((name, field),) = list(cls.model_fields.items())[:1]
        return field.alias or name

    def refs(self) -> Iterator[tuple[tuple[str, ...], str, Any]]:
        """(keys, what it refers to, value) of all that stands behind the word, in order."""
        name, field = next(iter(type(self).model_fields.items()))
        value, key = getattr(self, name), field.alias or name
        if not isinstance(value, Model):
            yield (key,), ref_of(field.metadata), value
            return
        for inner, about in type(value).model_fields.items():
            yield (key, about.alias or inner), ref_of(about.metadata), getattr(value, inner)

    def compile(self, p: Program, loc: Loc) -> None:
        numbers: list[int] = []
        for keys, what, value in self.refs():
            numbers += p.resolve(what, value, (*loc, *keys))
        p.emit(self.op, *numbers)

    def say(self, w: Writer) -> str:
        return self.said.format_map({keys[-1]: w.ref(what, value) for keys, what, value in self.refs()})

    def makes(self, artist: Artist, known: Kinds) -> set[Resource]:
        return {(what, value) for _, what, value in self.refs() if what and what == self.brings}

    def uses(self) -> list[str]:
        found = []
        for _, what, value in self.refs():
            if what in ("unit", "place", "way") and value is not None:
                found.append(next(iter(value.model_dump().values())) if isinstance(value, Model) else value)
        return found


def _told_apart(members: dict[str, Any], by: Any) -> Any:
    """A union of the members, which `by` tells apart by their names."""
    return Annotated[reduce(or_, (Annotated[kind, Tag(f"@{name}")] for name, kind in members.items())), by]


def _any_word(what: str, words: tuple[type[Word], ...]) -> Any:
    """Any of the `words`."""
    members: dict[str, Any] = {word_of(kind): kind for kind in words}
    members |= {name: Literal[name] for name, kind in members.items() if not issubclass(kind, Operation)}
    return _told_apart(members, one_of(what, tuple(members), key_of(*members)))


def word_of(word: type[Word]) -> str:
    """How the class is written in a card file."""
    return word.key() if issubclass(word, Operation) else word.word


def part_of(part: Any) -> Word:
    """A part as it was read, as its class: words that stand by themselves are read as texts."""
    return _ALONE[part] if isinstance(part, str) else part


def walk(parts: list[Any]) -> list[Any]:
    """All parts of a program as they were read, those inside others included, in printed order."""
    found: list[Any] = []
    for part in parts:
        found.append(part)
        for _, inner in part_of(part).blocks():
            found += walk(inner)
    return found


def matched_kinds(artist: Artist, where: Units, user: str | None) -> set[str]:
    """The kinds of unit that a selection can match: own kinds by name, and THEIRS."""
    own = {"artist", *artist.summons}
    if where.kind in ("artist", "summon"):
        own = {kind for kind in own if (kind == "artist") == (where.kind == "artist")}
    elif where.kind is not None:
        own = {where.kind}
    if where.side == "theirs":
        own = set()
    if where.other_than == "me" and user is not None and (user == "artist" or artist.summons[user].count == 1):
        own.discard(user)
    of_this_file = where.kind is not None and where.kind not in ("artist", "summon")
    return own if where.side == "mine" or of_this_file else own | {THEIRS}


def moved_kinds(artist: Artist, kinds: set[str]) -> set[Resource]:
    """What moves when units of these kinds are moved: of a body all of it."""
    body = set(artist.body)
    return {("move", kind) for kind in (kinds | body if kinds & body else kinds)}


# Conditions.


class Condition(Model):
    """What may be asked before something happens."""

    def compile(self, p: Program, loc: Loc) -> tuple[int, int, int]:
        """The first three numbers of OP_IF and OP_REQUIRE. Raises Fault."""
        raise NotImplementedError

    def say(self, w: Writer) -> str:
        """It as a clause after "if"."""
        raise NotImplementedError

    def selections(self) -> list[Selection]:
        """What it asks of units and zones."""
        values = (getattr(self, name) for name in type(self).model_fields)
        return [inner for value in values if isinstance(value, Selection) for inner in value.all()]

    def names(self) -> list[str]:
        """The variables that it speaks of itself."""
        return [value for value in (getattr(self, name, None) for name in ("unit", "zone")) if value is not None]

    def never(self, look: Look, variables: Variables) -> str:
        """Why it is never so, or ""."""
        return ""

    def assures(self) -> Iterator[tuple[str, ...]]:
        """What it finds that can be used up: ("counter", its name), ("ready", unit), ("token", its name, place)."""
        return iter(())


class UnitIs(Condition):
    unit: Id
    is_: Units = Field(alias="is")

    def compile(self, p: Program, loc: Loc) -> tuple[int, int, int]:
        return s.I_MATCHES, p.unit(self.unit, (*loc, "unit")), p.select(self.is_, (*loc, "is"))

    def say(self, w: Writer) -> str:
        return f"{w.words[self.unit]} {w.unit_is(self.is_)}"

    def never(self, look: Look, variables: Variables) -> str:
        return look.empty(self.unit, variables) or look.no_unit(self.is_, variables)

    def assures(self) -> Iterator[tuple[str, ...]]:
        if self.is_.exhausted is False:
            yield "ready", self.unit
        if self.is_.token is not None:
            yield "token", self.is_.token, self.unit


class ZoneIs(Condition):
    zone: Id
    is_: Zones = Field(alias="is")

    def compile(self, p: Program, loc: Loc) -> tuple[int, int, int]:
        return s.I_MATCHES, p.place(self.zone, (*loc, "zone")), p.select(self.is_, (*loc, "is"))

    def say(self, w: Writer) -> str:
        return f"{w.place(self.zone)} {w.zone_is(self.is_)}"

    def never(self, look: Look, variables: Variables) -> str:
        return look.empty(self.zone, variables) or look.no_zone(self.is_, variables)

    def assures(self) -> Iterator[tuple[str, ...]]:
        if self.is_.token is not None:
            yield "token", self.is_.token, self.zone


class SomeUnits(Condition):
    units: Units
    at_least: int = Field(1, ge=1, le=16)

    def compile(self, p: Program, loc: Loc) -> tuple[int, int, int]:
        return s.I_COUNT, self.at_least, p.select(self.units, (*loc, "units"))

    def say(self, w: Writer) -> str:
        if self.at_least == 1:
            return f"there is {w.units(self.units, 'a')}"
        return f"there are at least {self.at_least} {w.plural(self.units)}"

    def never(self, look: Look, variables: Variables) -> str:
        return look.no_unit(self.units, variables)


class SomeZones(Condition):
    zones: Zones
    at_least: int = Field(1, ge=1, le=25)

    def compile(self, p: Program, loc: Loc) -> tuple[int, int, int]:
        return s.I_COUNT, self.at_least, p.select(self.zones, (*loc, "zones"))

    def say(self, w: Writer) -> str:
        if self.at_least == 1:
            return f"there is {w.zone(self.zones, 'a')}"
        return f"there are at least {self.at_least} {w.zone(self.zones, '').replace('zone', 'zones', 1)}"

    def never(self, look: Look, variables: Variables) -> str:
        return look.no_zone(self.zones, variables)


class CounterIs(Condition):
    counter: Id
    at_least: int = Field(1, ge=1, le=99)

    def compile(self, p: Program, loc: Loc) -> tuple[int, int, int]:
        return s.I_COUNTER, p.kit.counter(self.counter, (*loc, "counter"), self.at_least), self.at_least

    def say(self, w: Writer) -> str:
        return f"{w.counter(self.counter)} is at least {self.at_least}"

    def never(self, look: Look, variables: Variables) -> str:
        return look.too_low(self.counter, self.at_least)

    def assures(self) -> Iterator[tuple[str, ...]]:
        yield "counter", self.counter


class AscendedIs(Condition):
    ascended: bool

    def compile(self, p: Program, loc: Loc) -> tuple[int, int, int]:
        return s.I_ASCENDED, int(self.ascended), 0

    def say(self, w: Writer) -> str:
        return f"the {w.artist.name} is {'' if self.ascended else 'not '}ascended"


class FormIs(Condition):
    form: Literal["first", "second"]

    def compile(self, p: Program, loc: Loc) -> tuple[int, int, int]:
        if not p.kit.becomes:
            raise Fault((*loc, "form"), "this artist has one form only: none of its sides has `mode: becomes`")
        return s.I_FORM, int(self.form == "second"), 0

    def say(self, w: Writer) -> str:
        other = w.artist.abilities[0].other_sides[0]
        return f"the {w.artist.name} has {'' if self.form == 'second' else 'not '}become {other.name}"


if TYPE_CHECKING:
    AnyCondition: TypeAlias = Condition
else:
    _CONDITIONS = {
        "unit": (UnitIs, "{unit: VAR, is: UNITS}"),
        "zone": (ZoneIs, "{zone: PLACE, is: ZONES}"),
        "units": (SomeUnits, "{units: UNITS, at_least: n}"),
        "zones": (SomeZones, "{zones: ZONES, at_least: n}"),
        "counter": (CounterIs, "{counter: COUNTER, at_least: n}"),
        "ascended": (AscendedIs, "{ascended: true}"),
        "form": (FormIs, "{form: second}"),
    }
    AnyCondition = _told_apart(
        {key: kind for key, (kind, _) in _CONDITIONS.items()},
        one_of("condition", tuple(form for _, form in _CONDITIONS.values()), key_of(*_CONDITIONS)),
    )


# Parts that choose.


def _choose(p: Program, word: str, args: Any, loc: Loc) -> None:
    """Compile a choice of a unit or a zone."""
    kind, op = ("unit", s.OP_CHOOSE_UNIT) if isinstance(args.where, Units) else ("zone", s.OP_CHOOSE_ZONE)
    sel = p.select(args.where, (*loc, word, "where"))
    p.emit(op, p.new(args.as_, kind, (*loc, word, "as")), sel, int(getattr(args, "optional", False)))


def _say_choice(w: Writer, args: Any, near: str | None = None) -> str:
    """A choice of a unit or a zone in words."""
    say = w.units if isinstance(args.where, Units) else w.zone
    return f"{'you may choose' if getattr(args, 'optional', False) else 'choose'} {say(args.where, w.article(args.as_), near)}"


class UnitChoice(Model):
    as_: Id = Field(alias="as")
    where: Units
    optional: bool = False


class ChooseUnit(Operation):
    choose_unit: UnitChoice

    def compile(self, p: Program, loc: Loc) -> None:
        _choose(p, "choose_unit", self.choose_unit, loc)

    def say(self, w: Writer) -> str:
        return _say_choice(w, self.choose_unit)

    def makes(self, artist: Artist, known: Kinds) -> set[Resource]:
        kinds = matched_kinds(artist, self.choose_unit.where, next(iter(known.get("me", ())), None))
        known.setdefault(self.choose_unit.as_, set()).update(kinds)
        return set()


class ZoneChoice(Model):
    as_: Id = Field(alias="as")
    where: Zones
    optional: bool = False


class ChooseZone(Operation):
    choose_zone: ZoneChoice

    def compile(self, p: Program, loc: Loc) -> None:
        _choose(p, "choose_zone", self.choose_zone, loc)

    def say(self, w: Writer) -> str:
        return _say_choice(w, self.choose_zone)


class ChooseDirection(Operation):
    choose_direction: Id
    said = "choose a direction"

    def compile(self, p: Program, loc: Loc) -> None:
        p.new(self.choose_direction, "direction", (*loc, "choose_direction"))
        p.emit(s.OP_CHOOSE_WAY)


class ChooseOne(Operation):
    choose_one: list[Parts] = Field(min_length=2, max_length=4)

    def compile(self, p: Program, loc: Loc) -> None:
        p.emit(s.OP_BRANCH, len(self.choose_one))
        jumps = [p.emit(s.OP_JUMP) for _ in self.choose_one]
        ends = []
        for number, branch in enumerate(self.choose_one):
            p.land(jumps[number])
            p.parts(branch, (*loc, "choose_one", number))
            if number + 1 < len(self.choose_one):
                ends.append(p.emit(s.OP_JUMP))
        for row in ends:
            p.land(row)

    def say(self, w: Writer) -> str:
        options = [f"({number}) {w.inner(branch)[0]}" for number, branch in enumerate(self.choose_one, start=1)]
        return f"choose one: {'; '.join(options)}"

    def blocks(self) -> list[tuple[tuple[str | int, ...], list[Any]]]:
        return [(("choose_one", number), branch) for number, branch in enumerate(self.choose_one)]


class May(Operation):
    may: Parts

    def compile(self, p: Program, loc: Loc) -> None:
        row = p.emit(s.OP_MAY)
        p.parts(self.may, (*loc, "may"))
        p.land(row)

    def say(self, w: Writer) -> str:
        return f"you may {w.inner(self.may)[0]}"

    def blocks(self) -> list[tuple[tuple[str | int, ...], list[Any]]]:
        return [(("may",), self.may)]


class Noted(Model):
    zone: Id
    of: UnitVar


class Let(Operation):
    let: Noted

    def compile(self, p: Program, loc: Loc) -> None:
        unit = p.unit(self.let.of, (*loc, "let", "of"))
        p.emit(s.OP_LET, p.new(self.let.zone, "zone", (*loc, "let", "zone")), unit)

    def say(self, w: Writer) -> str:
        return f"note {w.place(self.let.of)}"


# Parts that change the board.


class Moved(Model):
    unit: UnitVar
    way: Annotated[Way, Ref("way")]


class _Moves(Operation):
    def _moved(self) -> str:
        return self.uses()[0]

    def makes(self, artist: Artist, known: Kinds) -> set[Resource]:
        return moved_kinds(artist, known[self._moved()])


class Move(_Moves):
    move: Moved
    op, feature, said = s.OP_MOVE, s.CF_MOVE, "move {unit} 1 zone {way}"


class Jump(_Moves):
    jump: Moved
    op, feature, said = s.OP_LEAP, s.CF_MOVE, "jump {unit} {way}"


class Swapped(Model):
    unit: UnitVar
    with_: UnitVar = Field(alias="with")


class Swap(Operation):
    swap: Swapped
    op, feature, said = s.OP_SWAP, s.CF_SWAP, "swap {unit} with {with}"

    def compile(self, p: Program, loc: Loc) -> None:
        if self.swap.unit == self.swap.with_:
            raise Fault((*loc, "swap"), f"{self.swap.unit!r} cannot be swapped with itself")
        super().compile(p, loc)

    def makes(self, artist: Artist, known: Kinds) -> set[Resource]:
        return moved_kinds(artist, known[self.swap.unit] | known[self.swap.with_])


class DamageArgs(Model):
    zone: Annotated[Id | None, Ref("place")] = None
    zones: Zones | None = None
    units: Units | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> DamageArgs:
        if sum(value is not None for value in (self.zone, self.zones, self.units)) != 1:
            raise PydanticCustomError("damage", "needs exactly one of: zone, zones, units")
        return self


class Damage(Operation):
    damage: DamageArgs
    feature = s.CF_DAMAGE

    def compile(self, p: Program, loc: Loc) -> None:
        at = (*loc, "damage")
        if self.damage.zone is not None:
            p.emit(s.OP_DAMAGE, p.place(self.damage.zone, (*at, "zone")), -1)
        elif self.damage.zones is not None:
            p.emit(s.OP_DAMAGE, -1, p.select(self.damage.zones, (*at, "zones")))
        elif self.damage.units is not None:
            p.emit(s.OP_DAMAGE, -1, p.select(self.damage.units, (*at, "units")))

    def say(self, w: Writer) -> str:
        zone, zones, units = self.damage.zone, self.damage.zones, self.damage.units
        target = w.place(zone) if zone else w.zone(zones, "each") if zones else w.units(units or Units(), "each")
        return f"deal 1 damage to {target}"

    def frees(self, artist: Artist) -> list[Resource]:
        return [("left", token) for token in artist.tokens]  # what lay on a unit, or took the damage

    def idle(self, look: Look, variables: Variables, user: str) -> str:
        if self.damage.units is not None:
            return look.no_unit(self.damage.units, variables)
        return "" if self.damage.zones is None else look.no_zone(self.damage.zones, variables)


class Summoned(Model):
    kind: KindName
    zone: PlaceVar


class Summon(Operation):
    summon: Summoned
    op, feature, said = s.OP_SUMMON, s.CF_SUMMON, "summon {kind} in {zone}"

    def makes(self, artist: Artist, known: Kinds) -> set[Resource]:
        return {("ready", self.summon.kind), ("unit", self.summon.kind), ("unit", "summon")}

    def idle(self, look: Look, variables: Variables, user: str) -> str:
        on_unit = variables.get(self.summon.zone) == "unit"
        return f"{self.summon.zone} is a unit, so that zone is occupied" if on_unit else ""


class Remove(Operation):
    remove: UnitVar
    op, feature, said = s.OP_REMOVE, s.CF_REMOVE, "return {remove} to the pool"

    def frees(self, artist: Artist) -> list[Resource]:
        return [("left", token) for token in artist.tokens]

    def idle(self, look: Look, variables: Variables, user: str) -> str:
        return "an artist cannot be removed" if (self.remove, user) == ("me", "artist") else ""


class Exhaust(Operation):
    exhaust: UnitVar
    op, said = s.OP_EXHAUST, "exhaust {exhaust}"


class Refresh(Operation):
    refresh: UnitVar
    op, feature, said = s.OP_REFRESH, s.CF_READY, "refresh {refresh}"

    def makes(self, artist: Artist, known: Kinds) -> set[Resource]:
        return {("ready", kind) for kind in known[self.refresh] if kind != THEIRS}


class AddedToken(Model):
    token: TokenName
    to: PlaceVar


class AddToken(Operation):
    add_token: AddedToken
    feature, brings = s.CF_TOKEN, "token"

    def compile(self, p: Program, loc: Loc) -> None:
        add = self.add_token
        register = p.token_place(add.token, add.to, (*loc, "add_token"), "to")
        p.emit(s.OP_ADD_TOKEN, p.kit.tokens[add.token], register)

    def say(self, w: Writer) -> str:
        what, to = w.tokens(self.add_token.token, 1), self.add_token.to
        return f"give {what} to {w.words[to]}" if w.on_unit(self.add_token.token) else f"place {what} in {w.place(to)}"


class RemovedToken(Model):
    token: TokenName
    from_: PlaceVar = Field(alias="from")
    count: Count = 1


class RemoveToken(Operation):
    remove_token: RemovedToken
    feature = s.CF_TOKEN

    def compile(self, p: Program, loc: Loc) -> None:
        take = self.remove_token
        register = p.token_place(take.token, take.from_, (*loc, "remove_token"), "from")
        p.emit(s.OP_REMOVE_TOKEN, p.kit.tokens[take.token], register, 0 if take.count == "all" else int(take.count))

    def say(self, w: Writer) -> str:
        take = self.remove_token
        return f"remove {w.tokens(take.token, take.count)} from {w.token_place(take.token, take.from_)}"

    def frees(self, artist: Artist) -> list[Resource]:
        return [("left", self.remove_token.token)]

    def idle(self, look: Look, variables: Variables, user: str) -> str:
        token = self.remove_token.token
        return "" if ("token", token) in look.made else f"{token} is never put anywhere"


class PlacedTile(Model):
    tile: TileName
    zone: PlaceVar
    way: Annotated[Id | None, Ref("way")] = None


class PlaceTile(Operation):
    place_tile: PlacedTile
    feature, brings = s.CF_TILE, "tile"

    def compile(self, p: Program, loc: Loc) -> None:
        tile, at = self.place_tile, (*loc, "place_tile")
        kind = p.kit.tile(tile.tile, (*at, "tile"))
        place = p.place(tile.zone, (*at, "zone"))
        directed = p.kit.artist.tiles[tile.tile].directed
        if directed and tile.way is None:
            raise Fault(at, f"{tile.tile!r} is laid with a direction; field 'way' is missing")
        if tile.way is not None:
            if not directed:
                raise Fault(
                    (*at, "way"), f"{tile.tile!r} has no direction; only a tile with directed: true is laid with one"
                )
            p.get(tile.way, (*at, "way"), "direction")
        p.emit(s.OP_PLACE_TILE, kind, place, int(directed))

    def say(self, w: Writer) -> str:
        tile = self.place_tile
        pointing = f", pointing {w.way(tile.way)}" if tile.way is not None else ""
        return f"place {w.tile(tile.tile)} in {w.place(tile.zone)}{pointing}"


class MovedTile(Model):
    from_: PlaceVar = Field(alias="from")
    to: PlaceVar


class MoveTile(Operation):
    move_tile: MovedTile
    op, feature, said = s.OP_MOVE_TILE, s.CF_TILE, "move the tile in {from} to {to}"


class RemovedTile(Model):
    zone: PlaceVar


class RemoveTile(Operation):
    remove_tile: RemovedTile
    op, feature, said = s.OP_REMOVE_TILE, s.CF_TILE, "remove the tile in {zone}"

    def frees(self, artist: Artist) -> list[Resource]:
        return [("stock", kind) for kind in artist.tiles]


class Cue(Word):
    word, op, feature = "cue", s.OP_CUE, s.CF_TILE

    def compile(self, p: Program, loc: Loc) -> None:
        if not any(tile.on_cue for tile in p.kit.artist.tiles.values()):
            raise Fault(loc, "there is nothing to cue: no tile of this file has `on_cue`")
        super().compile(p, loc)

    def say(self, w: Writer) -> str:
        return f"cue your {w.join([tile.name for tile in w.artist.tiles.values() if tile.on_cue])} tiles"

    def makes(self, artist: Artist, known: Kinds) -> set[Resource]:
        return {CUE}


# Parts that change counters, cards and the course of the game.


class Counted(Model):
    counter: CounterName
    count: Annotated[Count, Ref("count")] = 1


class Gain(Operation):
    gain: Counted
    op, feature, brings = s.OP_GAIN, s.CF_COUNTER, "counter"

    def say(self, w: Writer) -> str:
        name, highest = w.counter(self.gain.counter), w.artist.counters[self.gain.counter].highest
        return f"raise {name} to {highest}" if self.gain.count == "all" else f"gain {self.gain.count} {name}"


class Spend(Operation):
    spend: Counted
    op, feature, said = s.OP_SPEND, s.CF_COUNTER, "lose {count} {counter}"

    def idle(self, look: Look, variables: Variables, user: str) -> str:
        return look.too_low(self.spend.counter, 1)


class Roll(Operation):
    roll: Annotated[int, Ref("count")] = Field(ge=1, le=12)
    op, feature = s.OP_ROLL, s.CF_COUNTER

    def compile(self, p: Program, loc: Loc) -> None:
        if p.kit.dice is None:
            raise Fault((*loc, "roll"), "there are no dice to roll: no counter of this file has `dice`")
        super().compile(p, loc)

    def say(self, w: Writer) -> str:
        return "roll your lowest die" + ("" if self.roll == 1 else f" {self.roll} times")

    def makes(self, artist: Artist, known: Kinds) -> set[Resource]:
        return {("counter", name) for name, counter in artist.counters.items() if counter.dice}


class Defeat(Word):
    word, op, said = "defeat", s.OP_DEFEAT, "you lose the game"


class Draw(Operation):
    draw: Annotated[int, Ref("count")] = Field(ge=1, le=6)
    op, feature = s.OP_DRAW, s.CF_DRAW

    def say(self, w: Writer) -> str:
        return "draw a card" if self.draw == 1 else f"draw {self.draw} cards"

    def idle(self, look: Look, variables: Variables, user: str) -> str:
        return "" if look.artist.actions else "the artist has no deck"


class Progress(Word):
    word, op, feature, said = "progress", s.OP_PROGRESS, s.CF_PROGRESS, "progress the masterpiece"

    def makes(self, artist: Artist, known: Kinds) -> set[Resource]:
        return {PROGRESS}


class Descend(Word):
    word, op, said = "descend", s.OP_DESCEND, "descend"


class If(Operation):
    if_: AnyCondition = Field(alias="if")
    then: Parts
    else_: Parts | None = Field(None, alias="else")

    def compile(self, p: Program, loc: Loc) -> None:
        row = p.emit(s.OP_IF, *self.if_.compile(p, (*loc, "if")))
        p.parts(self.then, (*loc, "then"))
        if self.else_ is None:
            p.land(row, 5)
            return
        end = p.emit(s.OP_JUMP)
        p.land(row, 5)
        p.parts(self.else_, (*loc, "else"))
        p.land(end)

    def say(self, w: Writer) -> str:
        then, short = w.inner(self.then)
        text = f"if {self.if_.say(w)}{',' if short else ':'} {then}"
        if self.else_ is None:
            return text
        otherwise, short = w.inner(self.else_)
        return f"{text}; otherwise{',' if short else ':'} {otherwise}"

    def uses(self) -> list[str]:
        return []

    def idle(self, look: Look, variables: Variables, user: str) -> str:
        return self.if_.never(look, variables)

    def blocks(self) -> list[tuple[tuple[str | int, ...], list[Any]]]:
        return [(("then",), self.then), *([] if self.else_ is None else [(("else",), self.else_)])]


class Each(Model):
    unit: Id
    where: Units
    order: Order = "zones"
    do: Parts


class ForEach(Operation):
    for_each: Each

    def compile(self, p: Program, loc: Loc) -> None:
        at, args = (*loc, "for_each"), self.for_each
        if p.in_loop:
            raise Fault(loc, "a for_each cannot stand inside another for_each")
        sel = p.select(args.where, (*at, "where"))
        order, place = 0, -1
        match args.order:
            case Nearest(nearest=name):
                order, place = 1, p.place(name, (*at, "order", "nearest"))
            case Farthest(farthest=name):
                order, place = 2, p.place(name, (*at, "order", "farthest"))
        unit = p.new(args.unit, "unit", (*at, "unit"))
        p.emit(s.OP_FOR, unit, sel, order, place)
        following = p.emit(s.OP_NEXT, unit, 0, order, place)
        p.in_loop = True
        p.parts(args.do, (*at, "do"))
        p.in_loop = False
        p.scope.remove(args.unit)
        p.emit(s.OP_JUMP, following)
        p.land(following, 5)

    def say(self, w: Writer) -> str:
        args, order = self.for_each, ""
        match args.order:
            case Nearest(nearest=name):
                order = f"nearest to {w.words[name]} first"
            case Farthest(farthest=name):
                order = f"farthest from {w.words[name]} first"
        everyone = w.units(args.where, "each")
        if len(args.do) == 1 and part_of(args.do[0]).uses().count(args.unit) == 1:
            clause = w.with_choice(args.unit, everyone, part_of(args.do[0]))
            return f"{clause}, {order}" if order else clause
        do, short = w.inner(args.do)
        return f"for {everyone}{f' ({order})' if order else ''}{',' if short else ':'} {do}"

    def blocks(self) -> list[tuple[tuple[str | int, ...], list[Any]]]:
        return [(("for_each", "do"), self.for_each.do)]

    def idle(self, look: Look, variables: Variables, user: str) -> str:
        return look.no_unit(self.for_each.where, variables)

    def makes(self, artist: Artist, known: Kinds) -> set[Resource]:
        kinds = matched_kinds(artist, self.for_each.where, next(iter(known.get("me", ())), None))
        known.setdefault(self.for_each.unit, set()).update(kinds)
        return set()


PARTS: tuple[type[Word], ...] = (
    ChooseUnit,
    ChooseZone,
    ChooseDirection,
    ChooseOne,
    May,
    Let,
    Move,
    Jump,
    Swap,
    Damage,
    Summon,
    Remove,
    Exhaust,
    Refresh,
    AddToken,
    RemoveToken,
    PlaceTile,
    MoveTile,
    RemoveTile,
    Cue,
    Gain,
    Spend,
    Roll,
    Defeat,
    Draw,
    Progress,
    Descend,
    If,
    ForEach,
)
PART_NAMES = tuple(map(word_of, PARTS))
_ALONE = {kind.word: kind() for kind in PARTS if not issubclass(kind, Operation)}
if TYPE_CHECKING:
    Part: TypeAlias = Operation | str
else:
    Part = _any_word("effect part", PARTS)
Parts: TypeAlias = Annotated[list[Part], Field(min_length=1)]
for _model in (ChooseOne, May, If, Each, ForEach):
    _model.model_rebuild()


# Costs.


class Payment(Operation):
    """A part of a cost. Whether it can be paid must be plain before it is paid, hence the limits."""

    def needs(self, user: str | None, held: dict[str, str]) -> set[Resource]:
        """What it takes; `held`: zone variable -> kind of the summon that was asked to stand there."""
        return {(what, value) for _, what, value in self.refs() if what in ("token", "counter")}

    def unpayable(self, look: Look, variables: Variables) -> str:
        """Why nobody can ever pay it, or ""."""
        return ""


class PayExhaust(Payment):
    exhaust: UnitVar
    op, feature, said = s.OP_EXHAUST, s.CF_EXHAUST, "exhaust {exhaust}"

    def compile(self, p: Program, loc: Loc) -> None:
        at = (*loc, "exhaust")
        p.unit(self.exhaust, at)
        if self.exhaust != "me":
            message = f"a cost exhausts the unit that uses the effect; found {self.exhaust!r}, allowed: me"
            raise Fault(at, message)
        p.pay("exhaust", loc, "a unit cannot be exhausted twice")
        super().compile(p, loc)

    def needs(self, user: str | None, held: dict[str, str]) -> set[Resource]:
        return {("ready", str(user))}


class LockDirection(Payment):
    choose_direction: Id
    feature, said = s.CF_LOCK_WAY, "choose a direction"
    compile = ChooseDirection.compile

    def unpayable(self, look: Look, variables: Variables) -> str:
        variables[self.choose_direction] = "direction"
        return ""


class LockedZone(Model):
    as_: Id = Field(alias="as")
    where: Zones


class LockZone(Payment):
    choose_zone: LockedZone
    feature = s.CF_LOCK_ZONE

    def compile(self, p: Program, loc: Loc) -> None:
        p.locks(self.choose_zone.where, (*loc, "choose_zone", "where"))
        _choose(p, "choose_zone", self.choose_zone, loc)
        p.chosen[self.choose_zone.as_] = self.choose_zone.where

    def say(self, w: Writer) -> str:
        return _say_choice(w, self.choose_zone, w.near)

    def unpayable(self, look: Look, variables: Variables) -> str:
        variables[self.choose_zone.as_] = "zone"
        return look.no_zone(self.choose_zone.where, variables)


class LockedUnit(Model):
    as_: Id = Field(alias="as")
    where: Units


class LockUnit(Payment):
    choose_unit: LockedUnit
    feature = s.CF_LOCK_UNIT

    def compile(self, p: Program, loc: Loc) -> None:
        p.locks(self.choose_unit.where, (*loc, "choose_unit", "where"))
        _choose(p, "choose_unit", self.choose_unit, loc)
        p.chosen[self.choose_unit.as_] = self.choose_unit.where

    def say(self, w: Writer) -> str:
        return _say_choice(w, self.choose_unit, w.near)

    def unpayable(self, look: Look, variables: Variables) -> str:
        variables[self.choose_unit.as_] = "unit"
        return look.no_unit(self.choose_unit.where, variables)


class PaidToken(Model):
    token: TokenName
    from_: PlaceVar = Field(alias="from")


class PayToken(Payment):
    remove_token: PaidToken
    feature = s.CF_PAYS

    def compile(self, p: Program, loc: Loc) -> None:
        token, from_, at = self.remove_token.token, self.remove_token.from_, (*loc, "remove_token")
        register = p.token_place(token, from_, at, "from")
        chosen = p.chosen.get(from_)
        if not isinstance(chosen, Units | Zones) or chosen.token != token:
            message = (
                f"{from_!r} must be chosen in this cost with `token: {token}` in `where`, so that the token is there"
            )
            raise Fault((*at, "from"), message)
        p.pay(f"token {token}", at, f"a cost takes at most one {token!r}: two choices could be the same place")
        p.emit(s.OP_REMOVE_TOKEN, p.kit.tokens[token], register, 1)

    def say(self, w: Writer) -> str:
        token = self.remove_token.token
        return f"remove {w.tokens(token, 1)} from {w.token_place(token, self.remove_token.from_)}"


class PayDiscard(Payment):
    discard: Literal[1]
    feature, said = s.CF_PAYS, "discard a card"

    def compile(self, p: Program, loc: Loc) -> None:
        if not p.kit.artist.actions:
            raise Fault(loc, "an artist without a deck has no cards to discard; allowed: exhaust, remove_token")
        p.pay("discard", loc, "a cost discards at most one card")
        p.emit(s.OP_DISCARD)


class PaidCounter(Model):
    counter: CounterName
    count: Annotated[int, Ref("count")] = Field(1, ge=1, le=99)


class PayCounter(Payment):
    pay: PaidCounter
    feature, said = s.CF_PAYS, "pay {count} {counter}"

    def compile(self, p: Program, loc: Loc) -> None:
        counter, count = self.pay.counter, self.pay.count
        register = p.kit.counter(counter, (*loc, "pay", "counter"), count)
        p.pay(f"counter {counter}", (*loc, "pay"), f"a cost pays {counter!r} at most once; add the counts up")
        p.emit(s.OP_SPEND, register, count)

    def unpayable(self, look: Look, variables: Variables) -> str:
        return look.too_low(self.pay.counter, self.pay.count)


class Sacrifice(Payment):
    sacrifice: Id
    feature = s.CF_REMOVE

    def compile(self, p: Program, loc: Loc) -> None:
        at = (*loc, "sacrifice")
        register = p.get(self.sacrifice, at, "zone")
        where = p.chosen.get(self.sacrifice)
        holds = where.holds if isinstance(where, Zones) else None
        own = holds is not None and (holds.kind in p.kit.kinds or (holds.kind, holds.side) == ("summon", "mine"))
        if not own:  # its zone was chosen as one that holds an own summon
            raise Fault(
                at,
                f"{self.sacrifice!r} must be chosen in this cost with `holds: {{side: mine, kind: KIND}}` in `where`, so that a "
                f"summon of yours is there; KIND is one of: {', '.join(['summon', *p.kit.kinds])}",
            )
        p.paid.append("sacrifice")
        p.emit(s.OP_SACRIFICE, register)

    def say(self, w: Writer) -> str:
        return f"sacrifice the {w.held[self.sacrifice]} in {w.place(self.sacrifice)}"

    def needs(self, user: str | None, held: dict[str, str]) -> set[Resource]:
        return {("unit", held[self.sacrifice])}


class Require(Payment):
    require: AnyCondition

    def compile(self, p: Program, loc: Loc) -> None:
        """What a cost requires holds before anything is paid: it must not speak of what is chosen or paid before it."""
        condition, at = self.require, (*loc, "require")
        if isinstance(condition, CounterIs) and f"counter {condition.counter}" in p.paid:
            raise Fault(at, f"a condition on {condition.counter!r} must come before it is paid in the same cost")
        selections = condition.selections()
        for name in [*condition.names(), *(variable for selection in selections for _, variable in selection.near())]:
            if name != "me":
                raise Fault(at, f"what a cost requires speaks of no variable but me; found {name!r}")
        p.before(selections, at, "condition")
        p.emit(s.OP_REQUIRE, *condition.compile(p, at))

    def unpayable(self, look: Look, variables: Variables) -> str:
        return self.require.never(look, variables)


COSTS: tuple[type[Payment], ...] = (
    PayExhaust,
    LockDirection,
    LockZone,
    LockUnit,
    PayToken,
    PayDiscard,
    PayCounter,
    Sacrifice,
    Require,
)
COST_NAMES = tuple(map(word_of, COSTS))
if TYPE_CHECKING:
    CostPart: TypeAlias = Payment
else:
    CostPart = _any_word("cost part", COSTS)
