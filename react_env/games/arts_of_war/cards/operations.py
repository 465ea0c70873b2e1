"""The words of effects and costs, one class each: what a card file may hold, what it compiles to, how it is printed, what it can bring
about. To add a word, write a class here and list it in the tuple at the end of its section.

A word compiles into a `program.Program` and becomes part of a sentence of `writer.Writer`; `advice.Never` knows what in a file can never
happen. `state.py` explains the rows of code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, reduce
from operator import attrgetter, or_
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, TypeAlias

from pydantic import AfterValidator, ConfigDict, Field, PlainSerializer, create_model, model_validator
from pydantic_core import PydanticCustomError
from typing_extensions import TypeAliasType

from react_env.content.files import Fault
from react_env.content.schema import Id, Model, OneOf
from react_env.games.arts_of_war import state as s
from react_env.games.arts_of_war.cards.program import Blocks, Loc, Program, walk
from react_env.games.arts_of_war.cards.selections import Selection, Sort, Units, Way, Zones
from react_env.games.arts_of_war.cards.writer import Writer, join

if TYPE_CHECKING:
    from react_env.games.arts_of_war.cards.advice import Never
    from react_env.games.arts_of_war.cards.schema import Artist

# What can grow during a turn: ("ready" | "unit" | "move", kind of unit), ("token" | "tile" | "counter", its name), PROGRESS, CUE.
Resource: TypeAlias = tuple[str, str]
Kinds: TypeAlias = dict[str, set[str]]  # kinds of unit that each unit variable can be
THEIRS = "theirs"  # any unit of the opponent
PROGRESS: Resource = ("progress", "")
CUE: Resource = ("cue", "")
Assured: TypeAlias = frozenset[tuple[str, ...]]  # what a condition found, see `Condition.assures`


class Ref(NamedTuple):
    """What a word of a card file refers to: a variable of the program ("unit", "place", "way"), or a kind of the artist."""

    what: str


UnitVar = Annotated[Id, Ref("unit")]
PlaceVar = Annotated[Id, Ref("place")]  # a zone variable, or a unit variable for where that unit stands
TokenSpot = Annotated[Id, Ref("spot")]  # where the token named before it lies: a unit, or a place
KindName = Annotated[Id, Ref("kind")]
TokenName = Annotated[Id, Ref("token")]
TileName = Annotated[Id, Ref("tile")]
CounterName = Annotated[Id, Ref("counter")]
NewVar = Annotated[Id, Ref("new")]  # a variable that is named here


@cache
def fields_of(model: type[Model]) -> list[tuple[str, str, str]]:
    """(attribute, key in the file, what it refers to or "") of each field of a model."""
    return [
        (name, field.alias or name, next((found.what for found in field.metadata if isinstance(found, Ref)), ""))
        for name, field in model.model_fields.items()
    ]


Count = Annotated[Annotated[int, Field(ge=1, le=99)] | Literal["all"], OneOf("count", ("a number from 1", "all"))]


class Named(NamedTuple):
    """A variable that a part names: its sort and, for a choice, what is chosen from."""

    name: str
    kind: Sort
    where: Selection | None = None
    optional: bool = False


class Phrase(Model):
    """A condition or a word. `Ref` says what the value of each of its keys refers to."""

    word: ClassVar[str] = ""  # the key in front of its fields, if there is one; without fields it stands alone
    shape: ClassVar[str] = ""  # what messages call it, if not by its key
    said: ClassVar[str] = ""  # how it is printed, with its references in braces

    @classmethod
    def key(cls) -> str:
        """What it begins with in a file: its word, else the first field of the class."""
        return cls.word or super().key()

    @property
    def at(self) -> Loc:
        """The key in front of its fields."""
        return (self.word,) if self.word and fields_of(type(self)) else ()

    def refs(self) -> Iterator[tuple[str, str, Any]]:
        """(key, what it refers to, value) of each key that is given, in order."""
        for name, key, what in fields_of(type(self)):
            if (value := getattr(self, name)) is not None:
                yield key, what, value

    def numbers(self, p: Program, loc: Loc) -> list[int]:
        """Its keys as numbers of a row of code. Raises Fault."""
        token = getattr(self, "token", "")  # of the spot that may be named after it
        found = (p.resolve(what, value, (*loc, key), token) for key, what, value in self.refs())
        return [number for numbers in found for number in numbers]

    def say(self, w: Writer) -> str:
        """The phrase as a request, or as a clause after "if"."""
        return self.said.format_map({key: w.ref(what, value) for key, what, value in self.refs()})

    def selections(self) -> list[Selection]:
        """The selections of units and zones in it."""
        return [value for _, _, value in self.refs() if isinstance(value, Selection)]

    def uses(self) -> list[str]:
        """The variables that it refers to, each as often as it does, without those of parts inside it."""
        named = [value for _, what, value in self.refs() if what in ("unit", "place", "spot", "way")]
        return [next(iter(value.model_dump().values())) if isinstance(value, Model) else value for value in named]

    def idle(self, never: Never) -> str:
        """Why it can never do anything, or never hold, or ""; empty variables are checked elsewhere."""
        return next(filter(None, map(never.matches, self.selections())), "")


class Word(Phrase):
    """A word of a card file: a key with a value or a mapping behind it, or a word that stands alone."""

    op: ClassVar[int] = -1
    feature: ClassVar[int] = -1  # of the cards that have it, CF_*
    sort: ClassVar[Sort]  # of the variable that it names
    brings: ClassVar[str] = ""  # the sort of resource that it makes: what it refers to of that sort, if anything

    def check(self, p: Program, loc: Loc) -> None:
        """Raises Fault for mistakes that its keys do not show one by one."""

    def compile(self, p: Program, loc: Loc) -> None:
        """Emit its rows. Raises Fault."""
        self.check(p, loc)
        numbers = self.numbers(p, loc)
        new = [p.new(value, self.sort, (*loc, key)) for key, what, value in self.refs() if what == "new"]
        p.emit(self.op, *new, *numbers)

    def names(self) -> Named | None:
        """The variable that it names, if any."""
        new = [value for _, what, value in self.refs() if what == "new"]
        return Named(new[0], self.sort, getattr(self, "where", None), getattr(self, "optional", False)) if new else None

    def neighbour(self, name: str) -> str | None:
        """The unit that a mere "adjacent" refers to when this word speaks of the unit `name`, if any."""
        return None

    def blocks(self) -> Blocks:
        """The lists of parts inside it."""
        return [((key,), value) for key, _, value in self.refs() if isinstance(value, list)]

    def sentences(self, w: Writer) -> list[str]:
        """The word as requests."""
        return [self.say(w)]

    def makes(self, kit: Artist, known: Kinds) -> set[Resource]:
        """What it can bring about; adds to `known` the kinds of unit that its own variable can be."""
        named = self.names()
        if named is not None and isinstance(named.where, Units):
            user = next(iter(known.get("me", ())), None)
            known.setdefault(named.name, set()).update(kit.matching(named.where, user))
        if self.brings and not self.at:
            return {(self.brings, "")}
        return {(what, value) for _, what, value in self.refs() if what and what == self.brings}

    def frees(self, kit: Artist) -> list[Resource]:
        """What it can return to the pools: ("stock", kind of tile), ("left", kind of token)."""
        return []

    def takes(self, here: Resource | None, assured: Assured) -> set[Resource]:
        """What it is certain to use up; `here` is what is certain to lie in the zone `here`."""
        return set()


# Conditions.


class Condition(Phrase):
    """What a part or a cost may ask before something happens."""

    code: ClassVar[int]

    def compile(self, p: Program, loc: Loc) -> list[int]:
        """The first numbers of OP_IF and OP_REQUIRE. Raises Fault."""
        return [self.code, *self.numbers(p, loc)]

    def assures(self) -> Iterator[tuple[str, ...]]:
        """What is there to be used up if it holds: ("counter", its name), ("ready", unit), ("token", its name, place)."""
        return iter(())


class _Is(Condition):
    code = s.I_MATCHES

    def say(self, w: Writer) -> str:
        (_, what, name), (_, _, where) = self.refs()
        return f"{w.ref(what, name)} {w.is_(where)}"

    def assures(self) -> Iterator[tuple[str, ...]]:
        (_, _, name), (_, _, where) = self.refs()
        if getattr(where, "exhausted", None) is False:
            yield "ready", name
        if where.token is not None:
            yield "token", where.token, name


class UnitIs(_Is):
    unit: UnitVar
    is_: Units = Field(alias="is")
    shape = "{unit: VAR, is: UNITS}"


class ZoneIs(_Is):
    zone: PlaceVar
    is_: Zones = Field(alias="is")
    shape = "{zone: PLACE, is: ZONES}"


class _Some(Condition):
    code = s.I_COUNT

    def numbers(self, p: Program, loc: Loc) -> list[int]:
        where, at_least = super().numbers(p, loc)
        return [at_least, where]

    def say(self, w: Writer) -> str:
        (_, _, where), (_, _, at_least) = self.refs()
        return f"there is {w.one(where, 'a')}" if at_least == 1 else f"there are at least {at_least} {w.plural(where)}"


class SomeUnits(_Some):
    units: Units
    at_least: Annotated[int, Ref("count")] = Field(1, ge=1, le=16)
    shape = "{units: UNITS, at_least: n}"


class SomeZones(_Some):
    zones: Zones
    at_least: Annotated[int, Ref("count")] = Field(1, ge=1, le=25)
    shape = "{zones: ZONES, at_least: n}"


class CounterIs(Condition):
    counter: CounterName
    at_least: int = Field(1, ge=1, le=99)
    shape, said = "{counter: COUNTER, at_least: n}", "{counter} is at least {at_least}"

    def compile(self, p: Program, loc: Loc) -> list[int]:
        return [s.I_COUNTER, p.kit.counter(self.counter, (*loc, "counter"), self.at_least), self.at_least]

    def idle(self, never: Never) -> str:
        return never.too_low(self.counter, self.at_least)

    def assures(self) -> Iterator[tuple[str, ...]]:
        yield "counter", self.counter


class AscendedIs(Condition):
    ascended: Annotated[bool, Ref("count")]
    code, shape = s.I_ASCENDED, "{ascended: true}"

    def say(self, w: Writer) -> str:
        return f"the {w.kit.name} is {'' if self.ascended else 'not '}ascended"


class FormIs(Condition):
    form: Literal["first", "second"]
    shape = "{form: second}"

    def compile(self, p: Program, loc: Loc) -> list[int]:
        if not p.kit.becomes:
            raise Fault((*loc, "form"), "this artist has one form only: none of its sides has `mode: becomes`")
        return [s.I_FORM, int(self.form == "second")]

    def say(self, w: Writer) -> str:
        return f"the {w.kit.name} has {'' if self.form == 'second' else 'not '}become {w.kit.becomes}"


CONDITIONS: tuple[type[Condition], ...] = (UnitIs, ZoneIs, SomeUnits, SomeZones, CounterIs, AscendedIs, FormIs)


# Parts that choose.


class _Choice(Word):
    """Choose a unit or a zone of a selection."""

    as_: NewVar = Field(alias="as")
    where: Selection

    def say(self, w: Writer) -> str:
        words, w.near = w.one(self.where, w.articles.get(self.as_, "a"), w.near), None
        return f"{'you may choose' if getattr(self, 'optional', False) else 'choose'} {words}"


class ChooseUnit(_Choice):
    word, op, sort = "choose_unit", s.OP_CHOOSE_UNIT, "unit"
    where: Units
    optional: Annotated[bool, Ref("count")] = False


class ChooseZone(_Choice):
    word, op, sort = "choose_zone", s.OP_CHOOSE_ZONE, "zone"
    where: Zones
    optional: Annotated[bool, Ref("count")] = False


class ChooseDirection(Word):
    choose_direction: NewVar
    sort, said = "direction", "choose a direction"

    def compile(self, p: Program, loc: Loc) -> None:
        p.new(self.choose_direction, "direction", (*loc, "choose_direction"))
        p.emit(s.OP_CHOOSE_WAY)


class ChooseOne(Word):
    choose_one: list[Parts] = Field(min_length=2, max_length=4)

    def compile(self, p: Program, loc: Loc) -> None:
        p.emit(s.OP_BRANCH, len(self.choose_one))
        jumps = [p.emit(s.OP_JUMP) for _ in self.choose_one]
        ends = []
        for number, branch in enumerate(self.choose_one):
            p.land(jumps[number])
            p.parts(branch, (*loc, "choose_one", number))
            p.code.options.append((p.code.rows[jumps[number]][1], len(p.code.rows), number + 1))
            if number + 1 < len(self.choose_one):
                ends.append(p.emit(s.OP_JUMP))
        for row in ends:
            p.land(row)

    def say(self, w: Writer) -> str:
        options = [f"({text})" if "(1) " in text else text for text in map(w.inner, self.choose_one)]
        return "choose one: " + "; ".join(f"({number}) {text}" for number, text in enumerate(options, start=1))

    def blocks(self) -> Blocks:
        return [(("choose_one", number), branch) for number, branch in enumerate(self.choose_one)]


class May(Word):
    may: Parts

    def compile(self, p: Program, loc: Loc) -> None:
        row = p.emit(s.OP_MAY)
        p.parts(self.may, (*loc, "may"))
        p.land(row)

    def say(self, w: Writer) -> str:
        text = w.inner(self.may)
        return f"you may{':' * ('; ' in text or text.startswith(('if', 'only', 'for')))} {text}"


class Let(Word):
    word, op, sort = "let", s.OP_LET, "zone"
    zone: NewVar
    of: UnitVar

    def say(self, w: Writer) -> str:
        return f"note {w.place(self.of)}"


# Parts that change the board.


class _Moves(Word):
    """A word that may move the units that it names first."""

    moves: ClassVar[int] = 1

    def makes(self, kit: Artist, known: Kinds) -> set[Resource]:
        return kit.moving(set().union(*(known[name] for name in self.uses()[: self.moves])))


class Move(_Moves):
    word, op, feature, said = "move", s.OP_MOVE, s.CF_MOVE, "move {unit} 1 zone {way}"
    unit: UnitVar
    way: Annotated[Way, Ref("way")]


class Jump(Move):
    word, op, said = "jump", s.OP_LEAP, "jump {unit} {way}"


class Swap(_Moves):
    word, op, feature, said, moves = "swap", s.OP_SWAP, s.CF_SWAP, "swap {unit} with {with}", 2
    unit: UnitVar
    with_: UnitVar = Field(alias="with")

    def neighbour(self, name: str) -> str:
        return self.unit if self.with_ == name else self.with_

    def check(self, p: Program, loc: Loc) -> None:
        if self.unit == self.with_:
            raise Fault(loc, f"{self.unit!r} cannot be swapped with itself")


class _Unplaces(Word):
    """A word that may return tokens to their pools: those on a removed unit, or one that takes the damage."""

    def frees(self, kit: Artist) -> list[Resource]:
        return [("left", token) for token in kit.tokens]


class Damage(_Unplaces):
    word, feature = "damage", s.CF_DAMAGE
    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})

    zone: Annotated[Id | None, Ref("place")] = None
    zones: Zones | None = None
    units: Units | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> Damage:
        if len(list(self.refs())) != 1:
            raise PydanticCustomError("damage", "needs exactly one of: zone, zones, units")
        return self

    def compile(self, p: Program, loc: Loc) -> None:
        (target,) = self.numbers(p, loc)
        p.emit(s.OP_DAMAGE, *([-1, target] if self.zone is None else [target, -1]))

    def say(self, w: Writer) -> str:
        ((_, what, value),) = self.refs()
        return f"deal 1 damage to {w.one(value, 'each') if isinstance(value, Selection) else w.ref(what, value)}"


class Summon(Word):
    word, op, feature, said = "summon", s.OP_SUMMON, s.CF_SUMMON, "summon {kind} in {zone}"
    kind: KindName
    zone: PlaceVar

    def makes(self, kit: Artist, known: Kinds) -> set[Resource]:
        return {("ready", self.kind), ("unit", self.kind), ("unit", "summon")}

    def idle(self, never: Never) -> str:
        occupied = never.variables.get(self.zone) == "unit"
        return f"{self.zone} is a unit, so that zone is occupied" if occupied else ""


class Remove(_Unplaces):
    remove: UnitVar
    op, feature, said = s.OP_REMOVE, s.CF_REMOVE, "return {remove} to the pool"

    def idle(self, never: Never) -> str:
        return "an artist cannot be removed" if (self.remove, never.user) == ("me", "artist") else ""


class Exhaust(Word):
    exhaust: UnitVar
    op, said = s.OP_EXHAUST, "exhaust {exhaust}"

    def takes(self, here: Resource | None, assured: Assured) -> set[Resource]:
        return {("ready", "")} if ("ready", self.exhaust) in assured else set()


class Refresh(Word):
    refresh: UnitVar
    op, feature, said = s.OP_REFRESH, s.CF_READY, "refresh {refresh}"

    def makes(self, kit: Artist, known: Kinds) -> set[Resource]:
        return {("ready", kind) for kind in known[self.refresh] if kind != THEIRS}


class AddToken(Word):
    word, op, feature, brings = "add_token", s.OP_ADD_TOKEN, s.CF_TOKEN, "token"
    token: TokenName
    to: TokenSpot

    def say(self, w: Writer) -> str:
        what = w.tokens(self.token, 1)
        return f"give {what} to {w.words[self.to]}" if w.on_unit(self.token) else f"place {what} in {w.place(self.to)}"


class RemoveToken(Word):
    word, op, feature = "remove_token", s.OP_REMOVE_TOKEN, s.CF_TOKEN
    token: TokenName
    from_: TokenSpot = Field(alias="from")
    count: Annotated[Count, Ref("count")] = 1

    def say(self, w: Writer) -> str:
        return w.taken(self.token, self.from_, self.count)

    def frees(self, kit: Artist) -> list[Resource]:
        return [("left", self.token)]

    def takes(self, here: Resource | None, assured: Assured) -> set[Resource]:
        token = ("token", self.token)
        return {token} if (*token, self.from_) in assured or (here == token and self.from_ == "here") else set()

    def idle(self, never: Never) -> str:
        return never.absent("token", self.token)


class PlaceTile(Word):
    word, feature, brings = "place_tile", s.CF_TILE, "tile"
    tile: TileName
    zone: PlaceVar
    way: Annotated[Id | None, Ref("way")] = None

    def compile(self, p: Program, loc: Loc) -> None:
        kind, place, *_ = self.numbers(p, loc)
        directed = p.kit.tiles[self.tile].directed
        if directed and self.way is None:
            raise Fault(loc, f"{self.tile!r} is laid with a direction; field 'way' is missing")
        if self.way is not None and not directed:
            message = f"{self.tile!r} has no direction; only a tile with directed: true is laid with one"
            raise Fault((*loc, "way"), message)
        p.emit(s.OP_PLACE_TILE, kind, place, int(directed))

    def say(self, w: Writer) -> str:
        pointing = "" if self.way is None else f", pointing {w.way(self.way)}"
        return f"place {w.tile(self.tile)} in {w.place(self.zone)}{pointing}"


class MoveTile(Word):
    word, op, feature, said = "move_tile", s.OP_MOVE_TILE, s.CF_TILE, "move the tile in {from} to {to}"
    from_: PlaceVar = Field(alias="from")
    to: PlaceVar


class RemoveTile(Word):
    word, op, feature, said = "remove_tile", s.OP_REMOVE_TILE, s.CF_TILE, "remove the tile in {zone}"
    zone: PlaceVar

    def frees(self, kit: Artist) -> list[Resource]:
        return [("stock", kind) for kind in kit.tiles]

    def takes(self, here: Resource | None, assured: Assured) -> set[Resource]:
        return {here} if here is not None and here[0] == "tile" and self.zone == "here" else set()


class Cue(Word):
    word, op, feature, brings = "cue", s.OP_CUE, s.CF_TILE, "cue"

    def check(self, p: Program, loc: Loc) -> None:
        if not p.kit.cued:
            raise Fault(loc, "there is nothing to cue: no tile of this file has `on_cue`")

    def say(self, w: Writer) -> str:
        return f"cue your {join(w.kit.cued)} tiles"


# Parts that change counters, cards and the course of the game.


class Gain(Word):
    word, op, feature, brings = "gain", s.OP_GAIN, s.CF_COUNTER, "counter"
    counter: CounterName
    count: Annotated[Count, Ref("count")] = 1

    def say(self, w: Writer) -> str:
        counter = w.kit.counters[self.counter]
        return (
            f"raise {counter.name} to {counter.highest}" if self.count == "all" else f"gain {self.count} {counter.name}"
        )


class Spend(Word):
    word, op, feature, said = "spend", s.OP_SPEND, s.CF_COUNTER, "lose {count} {counter}"
    counter: CounterName
    count: Annotated[Count, Ref("count")] = 1

    def takes(self, here: Resource | None, assured: Assured) -> set[Resource]:
        return {("counter", self.counter)} & assured

    def idle(self, never: Never) -> str:
        return never.too_low(self.counter, 1)


class Roll(Word):
    roll: Annotated[int, Ref("count")] = Field(ge=1, le=12)
    op, feature = s.OP_ROLL, s.CF_COUNTER

    def check(self, p: Program, loc: Loc) -> None:
        if not any(counter.dice for counter in p.kit.counters.values()):
            raise Fault((*loc, "roll"), "there are no dice to roll: no counter of this file has `dice`")

    def say(self, w: Writer) -> str:
        return "roll your lowest die" + ("" if self.roll == 1 else f" {self.roll} times")

    def makes(self, kit: Artist, known: Kinds) -> set[Resource]:
        return {("counter", name) for name, counter in kit.counters.items() if counter.dice}


class Defeat(Word):
    word, op, said = "defeat", s.OP_DEFEAT, "you lose the game"


class Draw(Word):
    draw: Annotated[int, Ref("count")] = Field(ge=1, le=6)
    op, feature = s.OP_DRAW, s.CF_DRAW

    def say(self, w: Writer) -> str:
        return "draw a card" if self.draw == 1 else f"draw {self.draw} cards"

    def idle(self, never: Never) -> str:
        return "" if never.kit.has_deck else "the artist has no deck"


class Progress(Word):
    word, op, feature = "progress", s.OP_PROGRESS, s.CF_PROGRESS
    said, brings = "progress the masterpiece", "progress"


class Descend(Word):
    word, op, said = "descend", s.OP_DESCEND, "descend"


class If(Word):
    if_: AnyCondition = Field(alias="if")
    then: Parts
    else_: Parts | None = Field(None, alias="else")

    def compile(self, p: Program, loc: Loc) -> None:
        row = p.emit(s.OP_IF, *self.if_.compile(p, (*loc, "if")))
        p.parts(self.then, (*loc, "then"))
        ends = [p.emit(s.OP_JUMP)] if self.else_ else []
        p.land(row, 5)
        p.parts(self.else_ or [], (*loc, "else"))
        for end in ends:
            p.land(end)

    def sentences(self, w: Writer) -> list[str]:
        # "otherwise" belongs to the nearest "if", never to an "only if".
        nested = len(self.then) == 1 and isinstance(self.then[0], If)
        asked = f"{'only ' * (nested and self.else_ is None)}if {self.if_.say(w)}"
        text = f"{asked}: ({w.inner(self.then)})" if nested and self.else_ else w.inner(self.then, asked)
        return [text] if self.else_ is None else [text, w.inner(self.else_, "otherwise")]

    def idle(self, never: Never) -> str:
        return never.empty(*self.if_.uses()) or self.if_.idle(never)


class Nearest(Model):
    nearest: Id


class Farthest(Model):
    farthest: Id


Order = Annotated[Literal["zones"] | Nearest | Farthest, OneOf("order", ("zones", "{nearest: VAR}", "{farthest: VAR}"))]
_ORDERS = {"nearest": "nearest to {} first", "farthest": "farthest from {} first"}


class ForEach(Word):
    word, sort = "for_each", "unit"
    unit: NewVar
    where: Units
    order: Order = "zones"
    do: Parts

    def by(self) -> dict[str, str]:
        """The key of its order, with the variable behind it; empty for the order of the zones."""
        return self.order.model_dump() if isinstance(self.order, Model) else {}

    def compile(self, p: Program, loc: Loc) -> None:
        if p.in_loop:
            raise Fault(loc, "a for_each cannot stand inside another for_each")
        sel = p.select(self.where, (*loc, "where"))
        order, place = 0, -1
        for key, name in self.by().items():
            order, place = list(_ORDERS).index(key) + 1, p.place(name, (*loc, "order", key))
        unit = p.new(self.unit, "unit", (*loc, "unit"))
        p.emit(s.OP_FOR, unit, sel, order, place)
        following = p.emit(s.OP_NEXT, unit, 0, order, place)
        p.in_loop = True
        p.parts(self.do, (*loc, "do"))
        p.in_loop = False
        p.scope.remove(self.unit)
        p.emit(s.OP_JUMP, following)
        p.land(following, 5)

    def say(self, w: Writer) -> str:
        order = "".join(_ORDERS[key].format(w.words[name]) for key, name in self.by().items())
        everyone = w.one(self.where, "each")
        if len(self.do) == 1 and self.do[0].uses().count(self.unit) == 1:
            clause = w.with_choice(self.unit, everyone, self.do[0])
            return f"{clause}, {order}" if order else clause
        return w.inner(self.do, f"for {everyone}{f' ({order})' if order else ''}")


PARTS: tuple[type[Word], ...] = (
    ChooseUnit, ChooseZone, ChooseDirection, ChooseOne, May, Let, Move, Jump, Swap, Damage, Summon, Remove, Exhaust,
    Refresh, AddToken, RemoveToken, PlaceTile, MoveTile, RemoveTile, Cue, Gain, Spend, Roll, Defeat, Draw, Progress,
    Descend, If, ForEach,
)  # fmt: skip


def words_in(parts: list[Part]) -> list[str]:
    """The words of a program, including those inside other parts, in printed order."""
    return [part.key() for part in walk(parts)]


# Costs.


class Payment(Word):
    """A part of a cost. It has limits, because whether it can be paid must be known before anything is paid."""

    def needs(self, user: str, chosen: dict[str, Any]) -> set[Resource]:
        """What it takes; `chosen`: variable -> the selection of its choice in the cost."""
        return {(what, value) for _, what, value in self.refs() if what in ("token", "counter")}


class PayExhaust(Exhaust, Payment):
    feature = s.CF_EXHAUST

    def check(self, p: Program, loc: Loc) -> None:
        at = (*loc, "exhaust")
        p.get(self.exhaust, at, "unit")
        if self.exhaust != "me":
            raise Fault(at, f"a cost exhausts the unit that uses the effect; found {self.exhaust!r}, allowed: me")
        p.pay("exhaust", loc, "a unit cannot be exhausted twice")

    def needs(self, user: str, chosen: dict[str, Any]) -> set[Resource]:
        return {("ready", user)}


class LockDirection(ChooseDirection, Payment):
    feature = s.CF_LOCK_WAY


class _Lock(_Choice, Payment):
    def compile(self, p: Program, loc: Loc) -> None:
        p.locks(self.where, (*loc, "where"))
        super().compile(p, loc)
        p.chosen[self.as_] = self.where


class LockZone(_Lock):
    word, op, feature, sort = "choose_zone", s.OP_CHOOSE_ZONE, s.CF_LOCK_ZONE, "zone"
    where: Zones


class LockUnit(_Lock):
    word, op, feature, sort = "choose_unit", s.OP_CHOOSE_UNIT, s.CF_LOCK_UNIT, "unit"
    where: Units


class PayToken(Payment):
    word, feature = "remove_token", s.CF_PAYS
    token: TokenName
    from_: TokenSpot = Field(alias="from")

    def compile(self, p: Program, loc: Loc) -> None:
        token, from_ = self.token, self.from_
        number, place = self.numbers(p, loc)
        if getattr(p.chosen.get(from_), "token", None) != token:
            message = (
                f"{from_!r} must be chosen in this cost with `token: {token}` in `where`, so that the token is there"
            )
            raise Fault((*loc, "from"), message)
        p.pay(f"token {token}", loc, f"a cost takes at most one {token!r}: two choices could be the same place")
        p.emit(s.OP_REMOVE_TOKEN, number, place, 1)

    def say(self, w: Writer) -> str:
        return w.taken(self.token, self.from_, 1)


class PayDiscard(Payment):
    discard: Literal[1]
    op, feature, said = s.OP_DISCARD, s.CF_PAYS, "discard a card"

    def check(self, p: Program, loc: Loc) -> None:
        if not p.kit.has_deck:
            raise Fault(loc, "an artist without a deck has no cards to discard; allowed: exhaust, remove_token")
        p.pay("discard", loc, "a cost discards at most one card")


class PayCounter(Payment):
    word, op, feature, said = "pay", s.OP_SPEND, s.CF_PAYS, "pay {count} {counter}"
    counter: CounterName
    count: Annotated[int, Ref("count")] = Field(1, ge=1, le=99)

    def check(self, p: Program, loc: Loc) -> None:
        p.kit.counter(self.counter, (*loc, "counter"), self.count)
        p.pay(f"counter {self.counter}", loc, f"a cost pays {self.counter!r} at most once; add the counts up")

    def idle(self, never: Never) -> str:
        return never.too_low(self.counter, self.count)


class Sacrifice(Payment):
    sacrifice: Id
    feature = s.CF_REMOVE

    def compile(self, p: Program, loc: Loc) -> None:
        at = (*loc, "sacrifice")
        register = p.get(self.sacrifice, at, "zone")
        where = p.chosen.get(self.sacrifice)
        holds = where.holds if isinstance(where, Zones) else None
        own = holds is not None and (holds.kind in p.kit.summons or (holds.kind, holds.side) == ("summon", "mine"))
        if not own:  # its zone must be chosen as one that holds an own summon
            raise Fault(
                at,
                f"{self.sacrifice!r} must be chosen in this cost with `holds: {{side: mine, kind: KIND}}` in `where`, so that a "
                f"summon of yours is there; KIND is one of: {', '.join(['summon', *p.kit.summons])}",
            )
        p.paid.append("sacrifice")
        p.emit(s.OP_SACRIFICE, register)

    def say(self, w: Writer) -> str:
        return f"sacrifice the {w.held[self.sacrifice]} in {w.place(self.sacrifice)}"

    def needs(self, user: str, chosen: dict[str, Any]) -> set[Resource]:
        return {("unit", chosen[self.sacrifice].holds.kind or "summon")}


class Require(Payment):
    require: AnyCondition

    def compile(self, p: Program, loc: Loc) -> None:
        """A required condition is checked before anything is paid, so it must not refer to what the cost has chosen or paid by then."""
        condition, at = self.require, (*loc, "require")
        if isinstance(condition, CounterIs) and f"counter {condition.counter}" in p.paid:
            raise Fault(at, f"a condition on {condition.counter!r} must come before it is paid in the same cost")
        selections = condition.selections()
        for name in [*condition.uses(), *(name for where in selections for name in where.variables())]:
            if name != "me":
                raise Fault(at, f"a requirement in a cost may name no variable but me; found {name!r}")
        p.before(selections, at, "condition")
        p.emit(s.OP_REQUIRE, *condition.compile(p, at))

    def say(self, w: Writer) -> str:
        return self.require.say(w)

    def idle(self, never: Never) -> str:
        return never.empty(*self.require.uses()) or self.require.idle(never)


COSTS: tuple[type[Payment], ...] = (
    PayExhaust, LockDirection, LockZone, LockUnit, PayToken, PayDiscard, PayCounter, Sacrifice, Require,
)  # fmt: skip


# Where one of them can stand.


def _any(what: str, kinds: Sequence[type[Phrase]]) -> Any:
    """A phrase of any of these kinds."""

    def member(kind: type[Phrase]) -> Any:
        """The type in a file, and how the phrase is taken from it."""
        if not kind.word:
            return kind
        if not fields_of(kind):
            return Annotated[Literal[kind.word], AfterValidator(lambda _: kind()), PlainSerializer(lambda _: kind.word)]
        around: dict[str, Any] = {kind.word: (kind, ...)}
        whole = create_model(f"{kind.__name__}Part", __base__=Model, **around)
        back = PlainSerializer(lambda phrase: {kind.word: phrase})
        return Annotated[whole, AfterValidator(attrgetter(kind.word)), back]

    return Annotated[reduce(or_, map(member, kinds)), OneOf(what, [kind.shape or kind.key() for kind in kinds])]


if TYPE_CHECKING:
    AnyCondition: TypeAlias = Condition
    Part: TypeAlias = Word
    CostPart: TypeAlias = Payment
else:
    AnyCondition = TypeAliasType("Condition", _any("condition", CONDITIONS))
    Part = TypeAliasType("Part", _any("effect part", PARTS))
    CostPart = TypeAliasType("CostPart", _any("cost part", COSTS))
Parts: TypeAlias = Annotated[list[Part], Field(min_length=1)]
for _model in (ChooseOne, May, If, ForEach, Require):
    _model.model_rebuild()
