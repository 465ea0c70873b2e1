"""The artist file as typed models: `docs/arts_of_war/card_files.md`, part for part.

A model's fields are the keys of the YAML, so that `model_dump` gives back what was read. What a single field cannot tell - scopes,
registers, pools, loops - is checked by `compiler.py` and `bounds.py`.
"""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, StringConstraints, Tag, model_validator
from pydantic_core import PydanticCustomError

from react_env.games.arts_of_war.state import ABILITIES, COUNTERS, DICE, KINDS, SLOTS, TILES, TOKENS, TRIGGERS
from react_env.games.schema import Id, Marked, Model, Title, key_of, one_of

# Selections.


class Within(Model):
    of: Id
    distance: int = Field(ge=0, le=8)


class Selection(Model):
    adjacent_to: Id | None = None
    diagonal_to: Id | None = None
    touching: "Units | None" = None
    in_line_with: Id | None = None
    within: Within | None = None
    other_than: Id | None = None

    def near(self) -> list[tuple[str, str]]:
        """(key, variable) for each variable that the keys of this selection name themselves."""
        of = self.within.of if self.within else None
        keys = [
            ("adjacent_to", self.adjacent_to),
            ("diagonal_to", self.diagonal_to),
            ("in_line_with", self.in_line_with),
            ("within", of),
            ("other_than", self.other_than),
        ]
        return [(key, variable) for key, variable in keys if variable is not None]

    def inside(self) -> list["Units"]:
        """The selections of units directly inside this one."""
        return [] if self.touching is None else [self.touching]

    def all(self) -> list["Selection"]:
        """This selection and those inside it, at any depth."""
        return [self, *(deep for inner in self.inside() for deep in inner.all())]

    def variables(self) -> list[tuple[str, str]]:
        """(key, variable) for each variable that the selection refers to, at any depth."""
        return [pair for selection in self.all() for pair in selection.near()]


class Units(Selection):
    side: Literal["mine", "theirs"] | None = None
    kind: Id | None = None
    token: Id | None = None
    no_token: Id | None = None
    exhausted: bool | None = None


def _tile_tag(value: Any) -> str | None:
    return "@any" if isinstance(value, bool) else "@kind" if isinstance(value, str) else None


TileIs = Annotated[
    Annotated[bool, Tag("@any")] | Annotated[Id, Tag("@kind")],
    one_of("tile", ("true", "false", "the id of a tile kind of this file"), _tile_tag),
]


class Zones(Selection):
    occupied: bool | None = None
    token: Id | None = None
    at_least: int | None = Field(None, ge=1, le=99)
    tile: TileIs | None = None
    holds: Units | None = None

    def inside(self) -> list[Units]:
        return super().inside() + ([] if self.holds is None else [self.holds])


for _selection in (Selection, Units, Zones):
    _selection.model_rebuild()


# Ways and orders.


class Toward(Model):
    toward: Id


class AwayFrom(Model):
    away_from: Id


def _way_tag(value: Any) -> str | None:
    return "@variable" if isinstance(value, str) else key_of("toward", "away_from")(value)


Way = Annotated[
    Annotated[Id, Tag("@variable")] | Annotated[Toward, Tag("@toward")] | Annotated[AwayFrom, Tag("@away_from")],
    one_of("way", ("a direction variable", "{toward: VAR}", "{away_from: VAR}"), _way_tag),
]


class Nearest(Model):
    nearest: Id


class Farthest(Model):
    farthest: Id


Order = Annotated[
    Annotated[Literal["zones"], Tag("@zones")]
    | Annotated[Nearest, Tag("@nearest")]
    | Annotated[Farthest, Tag("@farthest")],
    one_of("order", ("zones", "{nearest: VAR}", "{farthest: VAR}"), key_of("zones", "nearest", "farthest")),
]


# Conditions.


class UnitIs(Model):
    unit: Id
    is_: Units = Field(alias="is")


class ZoneIs(Model):
    zone: Id
    is_: Zones = Field(alias="is")


class SomeUnits(Model):
    units: Units
    at_least: int = Field(1, ge=1, le=16)


class SomeZones(Model):
    zones: Zones
    at_least: int = Field(1, ge=1, le=25)


class CounterIs(Model):
    counter: Id
    at_least: int = Field(1, ge=1, le=99)


class AscendedIs(Model):
    ascended: bool


class FormIs(Model):
    form: Literal["first", "second"]


Condition = Annotated[
    Annotated[UnitIs, Tag("@unit")]
    | Annotated[ZoneIs, Tag("@zone")]
    | Annotated[SomeUnits, Tag("@units")]
    | Annotated[SomeZones, Tag("@zones")]
    | Annotated[CounterIs, Tag("@counter")]
    | Annotated[AscendedIs, Tag("@ascended")]
    | Annotated[FormIs, Tag("@form")],
    one_of(
        "condition",
        (
            "{unit: VAR, is: UNITS}",
            "{zone: PLACE, is: ZONES}",
            "{units: UNITS, at_least: n}",
            "{zones: ZONES, at_least: n}",
            "{counter: COUNTER, at_least: n}",
            "{ascended: true}",
            "{form: second}",
        ),
        key_of("unit", "zone", "units", "zones", "counter", "ascended", "form"),
    ),
]


# Parts: one model each, in the order of the page.


class ChooseUnitArgs(Model):
    as_: Id = Field(alias="as")
    where: Units
    optional: bool = False


class ChooseUnit(Model):
    choose_unit: ChooseUnitArgs


class ChooseZoneArgs(Model):
    as_: Id = Field(alias="as")
    where: Zones
    optional: bool = False


class ChooseZone(Model):
    choose_zone: ChooseZoneArgs


class ChooseDirection(Model):
    choose_direction: Id


class ChooseOne(Model):
    choose_one: list["Parts"] = Field(min_length=2, max_length=4)


class May(Model):
    may: "Parts"


class LetArgs(Model):
    zone: Id
    of: Id


class Let(Model):
    let: LetArgs


class MoveArgs(Model):
    unit: Id
    way: Way


class Move(Model):
    move: MoveArgs


class Jump(Model):
    jump: MoveArgs


class SwapArgs(Model):
    unit: Id
    with_: Id = Field(alias="with")


class Swap(Model):
    swap: SwapArgs


class DamageArgs(Model):
    zone: Id | None = None
    zones: Zones | None = None
    units: Units | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> "DamageArgs":
        if sum(value is not None for value in (self.zone, self.zones, self.units)) != 1:
            raise PydanticCustomError("damage", "needs exactly one of: zone, zones, units")
        return self


class Damage(Model):
    damage: DamageArgs


class SummonArgs(Model):
    kind: Id
    zone: Id


class Summon(Model):
    summon: SummonArgs


class Remove(Model):
    remove: Id


class Exhaust(Model):
    exhaust: Id


class Refresh(Model):
    refresh: Id


class AddTokenArgs(Model):
    token: Id
    to: Id


class AddToken(Model):
    add_token: AddTokenArgs


def _count_tag(value: Any) -> str | None:
    return "@all" if value == "all" else "@number" if isinstance(value, int) else None


Count = Annotated[
    Annotated[Annotated[int, Field(ge=1, le=99)], Tag("@number")] | Annotated[Literal["all"], Tag("@all")],
    one_of("count", ("a number from 1", "all"), _count_tag),
]


class RemoveTokenArgs(Model):
    token: Id
    from_: Id = Field(alias="from")
    count: Count = 1


class RemoveToken(Model):
    remove_token: RemoveTokenArgs


class PlaceTileArgs(Model):
    tile: Id
    zone: Id
    way: Id | None = None


class PlaceTile(Model):
    place_tile: PlaceTileArgs


class MoveTileArgs(Model):
    from_: Id = Field(alias="from")
    to: Id


class MoveTile(Model):
    move_tile: MoveTileArgs


class RemoveTileArgs(Model):
    zone: Id


class RemoveTile(Model):
    remove_tile: RemoveTileArgs


class CountArgs(Model):
    counter: Id
    count: Count = 1


class Gain(Model):
    gain: CountArgs


class Spend(Model):
    spend: CountArgs


class Roll(Model):
    roll: int = Field(ge=1, le=12)


class Draw(Model):
    draw: int = Field(ge=1, le=6)


class If(Model):
    if_: Condition = Field(alias="if")
    then: "Parts"
    else_: "Parts | None" = Field(None, alias="else")


class ForEachArgs(Model):
    unit: Id
    where: Units
    order: Order = "zones"
    do: "Parts"


class ForEach(Model):
    for_each: ForEachArgs


PART_NAMES = (
    "choose_unit",
    "choose_zone",
    "choose_direction",
    "choose_one",
    "may",
    "let",
    "move",
    "jump",
    "swap",
    "damage",
    "summon",
    "remove",
    "exhaust",
    "refresh",
    "add_token",
    "remove_token",
    "place_tile",
    "move_tile",
    "remove_tile",
    "cue",
    "gain",
    "spend",
    "roll",
    "defeat",
    "draw",
    "progress",
    "descend",
    "if",
    "for_each",
)

Part: TypeAlias = Annotated[
    Annotated[ChooseUnit, Tag("@choose_unit")]
    | Annotated[ChooseZone, Tag("@choose_zone")]
    | Annotated[ChooseDirection, Tag("@choose_direction")]
    | Annotated[ChooseOne, Tag("@choose_one")]
    | Annotated[May, Tag("@may")]
    | Annotated[Let, Tag("@let")]
    | Annotated[Move, Tag("@move")]
    | Annotated[Jump, Tag("@jump")]
    | Annotated[Swap, Tag("@swap")]
    | Annotated[Damage, Tag("@damage")]
    | Annotated[Summon, Tag("@summon")]
    | Annotated[Remove, Tag("@remove")]
    | Annotated[Exhaust, Tag("@exhaust")]
    | Annotated[Refresh, Tag("@refresh")]
    | Annotated[AddToken, Tag("@add_token")]
    | Annotated[RemoveToken, Tag("@remove_token")]
    | Annotated[PlaceTile, Tag("@place_tile")]
    | Annotated[MoveTile, Tag("@move_tile")]
    | Annotated[RemoveTile, Tag("@remove_tile")]
    | Annotated[Literal["cue"], Tag("@cue")]
    | Annotated[Gain, Tag("@gain")]
    | Annotated[Spend, Tag("@spend")]
    | Annotated[Roll, Tag("@roll")]
    | Annotated[Literal["defeat"], Tag("@defeat")]
    | Annotated[Draw, Tag("@draw")]
    | Annotated[Literal["progress"], Tag("@progress")]
    | Annotated[Literal["descend"], Tag("@descend")]
    | Annotated[If, Tag("@if")]
    | Annotated[ForEach, Tag("@for_each")],
    one_of("effect part", PART_NAMES, key_of(*PART_NAMES)),
]
Parts: TypeAlias = Annotated[list[Part], Field(min_length=1)]

for _model in (ChooseOne, May, If, ForEachArgs, ForEach):
    _model.model_rebuild()


# Costs.


class PayExhaust(Model):
    exhaust: Id


class LockUnitArgs(Model):
    as_: Id = Field(alias="as")
    where: Units


class LockUnit(Model):
    choose_unit: LockUnitArgs


class LockZoneArgs(Model):
    as_: Id = Field(alias="as")
    where: Zones


class LockZone(Model):
    choose_zone: LockZoneArgs


class PayTokenArgs(Model):
    token: Id
    from_: Id = Field(alias="from")


class PayToken(Model):
    remove_token: PayTokenArgs


class PayDiscard(Model):
    discard: Literal[1]


class PayCounterArgs(Model):
    counter: Id
    count: int = Field(1, ge=1, le=99)


class PayCounter(Model):
    pay: PayCounterArgs


class Sacrifice(Model):
    sacrifice: Id


class Require(Model):
    require: Condition


COST_NAMES = (
    "exhaust",
    "choose_direction",
    "choose_zone",
    "choose_unit",
    "remove_token",
    "discard",
    "pay",
    "sacrifice",
    "require",
)

CostPart: TypeAlias = Annotated[
    Annotated[PayExhaust, Tag("@exhaust")]
    | Annotated[ChooseDirection, Tag("@choose_direction")]
    | Annotated[LockZone, Tag("@choose_zone")]
    | Annotated[LockUnit, Tag("@choose_unit")]
    | Annotated[PayToken, Tag("@remove_token")]
    | Annotated[PayDiscard, Tag("@discard")]
    | Annotated[PayCounter, Tag("@pay")]
    | Annotated[Sacrifice, Tag("@sacrifice")]
    | Annotated[Require, Tag("@require")],
    one_of("cost part", COST_NAMES, key_of(*COST_NAMES)),
]


# Cards and artists.


class Effect(Marked):
    name: Title | None = None
    kind: Literal["intention", "reaction"]
    cost: list[CostPart] = []
    do: Parts


class ActionCard(Marked):
    id: Id
    name: Title
    copies: int = Field(ge=1, le=30)
    effects: list[Effect] = Field(min_length=1, max_length=3)


class AscendedUntilUsed(Marked):
    mode: Literal["until_used"]
    name: Title
    effects: list[Effect] = Field(min_length=1, max_length=4)


class AscendedImmediate(Marked):
    mode: Literal["immediate"]
    name: Title
    do: Parts


def _mode_tag(value: Any) -> str | None:
    mode = value.get("mode") if isinstance(value, dict) else getattr(value, "mode", None)
    return f"@{mode}" if mode in ("until_used", "immediate", "becomes") else None


OtherSide = Annotated[
    Annotated[AscendedUntilUsed, Tag("@until_used")] | Annotated[AscendedImmediate, Tag("@immediate")],
    one_of("ascended mode of what an artist has become", ("until_used", "immediate"), _mode_tag),
]


class AscendedBecomes(Marked):
    mode: Literal["becomes"]
    name: Title
    effects: list[Effect] = Field(min_length=1, max_length=4)
    do: Parts | None = None
    ascended: OtherSide


Ascended = Annotated[
    Annotated[AscendedUntilUsed, Tag("@until_used")]
    | Annotated[AscendedImmediate, Tag("@immediate")]
    | Annotated[AscendedBecomes, Tag("@becomes")],
    one_of("ascended mode", ("until_used", "immediate", "becomes"), _mode_tag),
]


class AbilityCard(Marked):
    id: Id
    name: Title
    unit: Id  # artist, none, or a summon kind
    effects: list[Effect] = Field(min_length=1, max_length=4)
    ascended: Ascended | None = None

    @property
    def other_sides(self) -> list[AscendedUntilUsed | AscendedImmediate | AscendedBecomes]:
        """What ascending brings: of the first form, then of what the artist becomes; the n-th lies n times `ascended` deep."""
        if isinstance(self.ascended, AscendedBecomes):
            return [self.ascended, self.ascended.ascended]
        return [] if self.ascended is None else [self.ascended]

    @property
    def sides(self) -> list[tuple[tuple[str, ...], str, list[Effect]]]:
        """(keys that lead to the effects, name, effects) of every side that has effects."""
        found: list[tuple[tuple[str, ...], str, list[Effect]]] = [(("effects",), self.name, self.effects)]
        for depth, side in enumerate(self.other_sides, start=1):
            if not isinstance(side, AscendedImmediate):
                found.append((("ascended",) * depth + ("effects",), side.name, side.effects))
        return found


class SummonKind(Marked):
    name: Title
    count: int = Field(ge=1, le=SLOTS - 1)
    attached: bool = False


class Dice(Model):
    count: int = Field(ge=1, le=DICE)
    sides: int = Field(ge=2, le=12)


class CounterKind(Marked):
    name: Title
    start: int = Field(ge=0, le=99)
    most: int | None = Field(None, ge=1, le=99)
    dice: Dice | None = None

    @property
    def highest(self) -> int:
        """How high it can stand."""
        return self.dice.count * self.dice.sides if self.dice else self.most or 0


class TokenAt(Model):
    count: int = Field(ge=1, le=99)
    do: Parts


class TokenKind(Marked):
    name: Title
    place: Literal["unit", "zone"]
    pool: int = Field(ge=1, le=99)
    stacks: bool
    lasts: Literal["game", "turn"] = "game"
    blocks_damage: bool = False
    at: TokenAt | None = None


class TileKind(Marked):
    name: Title
    pool: int = Field(ge=1, le=25)
    directed: bool = False
    on_enter: Parts | None = None
    on_cue: Parts | None = None


When = Literal[
    "setup",
    "start_of_my_turn",
    "start_of_every_turn",
    "end_of_my_turn",
    "end_of_every_turn",
    "unit_moved",
    "instead_of_draw",
]


class Passive(Marked):
    name: Title
    when: When
    where: Units | None = None
    do: Parts


class Artist(Marked):
    """One artist file, as it was read."""

    format: Literal[1]
    id: Id
    name: Title
    concept: Annotated[str, StringConstraints(min_length=1, max_length=400, pattern=r"^[^\x00-\x1f\x7f]+$")]
    immune: bool = False
    vital: Id | None = None  # a summon kind
    face_down: int = Field(0, ge=0, le=2)
    summons: Annotated[dict[Id, SummonKind], Field(max_length=KINDS - 1)] = {}
    counters: Annotated[dict[Id, CounterKind], Field(max_length=COUNTERS)] = {}
    tokens: Annotated[dict[Id, TokenKind], Field(max_length=TOKENS)] = {}
    tiles: Annotated[dict[Id, TileKind], Field(max_length=TILES)] = {}
    passives: list[Passive] = Field([], max_length=TRIGGERS)
    actions: list[ActionCard] = []
    abilities: list[AbilityCard] = Field(min_length=1, max_length=ABILITIES)

    @property
    def effects(self) -> list[tuple[ActionCard | AbilityCard, Effect]]:
        """Every effect of every card, those of its other sides included, with its card."""
        found: list[tuple[ActionCard | AbilityCard, Effect]] = []
        for action in self.actions:
            found += [(action, effect) for effect in action.effects]
        for ability in self.abilities:
            found += [(ability, effect) for _, _, effects in ability.sides for effect in effects]
        return found

    @property
    def body(self) -> list[str]:
        """The kinds of unit that move as one: the artist, and its attached summons."""
        return ["artist", *(name for name, summon in self.summons.items() if summon.attached)]


def blocks(part: object) -> list[list[Part]]:
    """The lists of parts that lie inside a part, in order."""
    match part:
        case ChooseOne(choose_one=branches):
            return list(branches)
        case May(may=parts):
            return [parts]
        case If(then=then, else_=otherwise):
            return [then] if otherwise is None else [then, otherwise]
        case ForEach(for_each=args):
            return [args.do]
    return []


def walk(parts: list[Part]) -> list[Part]:
    """All parts of a program, those inside others included, in printed order."""
    found: list[Part] = []
    for part in parts:
        found.append(part)
        for inner in blocks(part):
            found += walk(inner)
    return found
