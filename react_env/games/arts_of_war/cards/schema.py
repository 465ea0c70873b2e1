"""The artist file as typed models: `docs/arts_of_war/card_files.md`, part for part.

A model's fields are the keys of the YAML, so `model_dump` gives back what was read. What a single field cannot show (scopes,
registers, pools, loops) is checked by `checks.py`, `compiler.py`, `loops.py` and `bounds.py`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, StringConstraints

from react_env.content.files import Fault
from react_env.content.schema import Id, Marked, Model, OneOf, Title
from react_env.games.arts_of_war import state as s
from react_env.games.arts_of_war.cards.operations import CUE, PROGRESS, THEIRS, CostPart, Part, Parts, Resource
from react_env.games.arts_of_war.cards.program import Loc, listed
from react_env.games.arts_of_war.cards.selections import Sort, Units

# Cards.


class Effect(Marked):
    name: Title | None = None
    kind: Literal["intention", "reaction"]
    cost: list[CostPart] = []
    do: Parts


Side = tuple[tuple[str, ...], str, list[Effect]]  # keys that lead to the effects, name, effects


class ActionCard(Marked):
    id: Id
    name: Title
    copies: int = Field(ge=1, le=30)
    effects: list[Effect] = Field(min_length=1, max_length=3)
    unit: ClassVar[Id] = "artist"  # who uses it
    other_sides: ClassVar[list["OtherSide"]] = []

    @property
    def sides(self) -> list[Side]:
        """Every side, with its effects."""
        return [(("effects",), self.name, self.effects)]


class AscendedUntilUsed(Marked):
    mode: Literal["until_used"]
    name: Title
    effects: list[Effect] = Field(min_length=1, max_length=4)
    do: ClassVar[None] = None


class AscendedImmediate(Marked):
    mode: Literal["immediate"]
    name: Title
    do: Parts
    effects: ClassVar[list[Effect]] = []


class AscendedBecomes(Marked):
    mode: Literal["becomes"]
    name: Title
    effects: list[Effect] = Field(min_length=1, max_length=4)
    do: Parts | None = None
    ascended: Annotated[
        AscendedUntilUsed | AscendedImmediate, OneOf("ascended mode of what an artist has become", by="mode")
    ]


OtherSide: TypeAlias = AscendedUntilUsed | AscendedImmediate | AscendedBecomes


class AbilityCard(Marked):
    id: Id
    name: Title
    unit: Id  # artist, none, or a summon kind
    effects: list[Effect] = Field(min_length=1, max_length=4)
    ascended: Annotated[OtherSide, OneOf("ascended mode", by="mode")] | None = None

    @property
    def other_sides(self) -> list[OtherSide]:
        """The sides that ascending brings: to the first form, then to what the artist becomes; the n-th is under n keys `ascended`."""
        if isinstance(self.ascended, AscendedBecomes):
            return [self.ascended, self.ascended.ascended]
        return [] if self.ascended is None else [self.ascended]

    @property
    def sides(self) -> list[Side]:
        """Every side, with its effects."""
        sides: list[AbilityCard | OtherSide] = [self, *self.other_sides]
        return [(("ascended",) * depth + ("effects",), side.name, side.effects) for depth, side in enumerate(sides)]


Card: TypeAlias = ActionCard | AbilityCard


# Units, counters, tokens and tiles.


class SummonKind(Marked):
    name: Title
    count: int = Field(ge=1, le=s.SLOTS - 1)
    attached: bool = False


class Dice(Model):
    count: int = Field(ge=1, le=s.DICE)
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

    @property
    def on_unit(self) -> bool:
        return self.place == "unit"


class TileKind(Marked):
    name: Title
    pool: int = Field(ge=1, le=25)
    directed: bool = False
    on_enter: Parts | None = None
    on_cue: Parts | None = None


# What runs by itself.


MOMENTS = {  # their numbers in the tables, and how they are printed
    "setup": (s.T_SETUP, "During set-up"),
    "start_of_my_turn": (s.T_START_MINE, "At the start of your turn"),
    "start_of_every_turn": (s.T_START_EVERY, "At the start of every turn"),
    "end_of_my_turn": (s.T_END_MINE, "At the end of your turn"),
    "end_of_every_turn": (s.T_END_EVERY, "At the end of every turn"),
    "unit_moved": (s.T_MOVED, "When {who} moves"),
    "instead_of_draw": (s.T_DRAW, "Instead of drawing in the draw phase"),
}


class Passive(Marked):
    name: Title
    when: Literal[tuple(MOMENTS)]  # type: ignore[valid-type]
    where: Units | None = None
    do: Parts


@dataclass(frozen=True)
class Triggered:
    """A program that no card runs; `me` is its owner's artist.

    Attributes:
        column, number: where the tables hold its first row.
        mark: its provenance.
        variables: what sort each of its variables is, besides `me`.
        set_off_by: what sets it off during a turn; empty if it runs once in a turn or in a game.
        units: the kinds of unit that its variable `unit` can be.
        here: what lies in its zone `here` when it begins: its tile, or tokens.
    """

    name: str
    loc: Loc
    parts: list[Part]
    column: str
    number: int
    mark: str | None
    variables: dict[str, Sort] = field(default_factory=dict)
    set_off_by: set[Resource] = field(default_factory=set)
    units: set[str] = field(default_factory=set)
    here: Resource | None = None


_KINDS = {"kind": "summons", "token": "tokens", "tile": "tiles", "counter": "counters"}


class Artist(Marked):
    """One artist file, as it was read."""

    format: Literal[1]
    id: Id
    name: Title
    concept: Annotated[str, StringConstraints(min_length=1, max_length=400, pattern=r"^[^\x00-\x1f\x7f]+$")]
    immune: bool = False
    vital: Id | None = None  # a summon kind
    face_down: int = Field(0, ge=0, le=2)
    summons: Annotated[dict[Id, SummonKind], Field(max_length=s.KINDS - 1)] = {}
    counters: Annotated[dict[Id, CounterKind], Field(max_length=s.COUNTERS)] = {}
    tokens: Annotated[dict[Id, TokenKind], Field(max_length=s.TOKENS)] = {}
    tiles: Annotated[dict[Id, TileKind], Field(max_length=s.TILES)] = {}
    passives: list[Passive] = Field([], max_length=s.TRIGGERS)
    actions: list[ActionCard] = []
    abilities: list[AbilityCard] = Field(min_length=1, max_length=s.ABILITIES)

    @property
    def has_deck(self) -> bool:
        return bool(self.actions)

    @property
    def cued(self) -> list[str]:
        """The names of the tiles that wait for a cue."""
        return [tile.name for tile in self.tiles.values() if tile.on_cue]

    @property
    def becomes(self) -> str:
        """The name of what the artist becomes for good, or ""."""
        return next((card.ascended.name for card in self.abilities if isinstance(card.ascended, AscendedBecomes)), "")

    @property
    def cards(self) -> list[tuple[Loc, Card]]:
        """Every card, with its place in the file."""
        groups: dict[str, Sequence[Card]] = {"actions": self.actions, "abilities": self.abilities}
        return [((group, number), card) for group, cards in groups.items() for number, card in enumerate(cards)]

    def number(self, what: str, name: str, loc: Loc) -> int:
        """The number of a "kind" of summon (from 1), a "token", a "tile" or a "counter". Raises Fault."""
        known = list(getattr(self, _KINDS[what]))
        if name not in known:
            raise Fault(loc, f"unknown {'summon kind' if what == 'kind' else what} {name!r}; known: {listed(known)}")
        return known.index(name) + (what == "kind")

    def counter(self, name: str, loc: Loc, count: int) -> int:
        """The number of a counter that must be able to reach `count`. Raises Fault."""
        number, highest = self.number("counter", name, loc), self.counters[name].highest
        if count > highest:
            raise Fault(loc, f"{name!r} never stands at {count}; allowed: at most {highest}")
        return number

    @property
    def body(self) -> set[str]:
        """The kinds of unit that move as one: the artist, and its attached summons."""
        return {"artist", *(name for name, summon in self.summons.items() if summon.attached)}

    def matching(self, where: Units, user: str | None = None) -> set[str]:
        """The kinds of unit that a selection can match: own kinds by name, and THEIRS."""
        general = {None: {"artist", *self.summons}, "artist": {"artist"}, "summon": set(self.summons)}
        own = set() if where.side == "theirs" else general.get(where.kind, {str(where.kind)})
        if where.other_than == "me" and user is not None and (user == "artist" or self.summons[user].count == 1):
            own.discard(user)
        return own if where.side == "mine" or where.kind not in general else own | {THEIRS}

    def moving(self, kinds: set[str]) -> set[Resource]:
        """What moves when units of these kinds move: if one belongs to the body, all of it."""
        return {("move", kind) for kind in (kinds | self.body if kinds & self.body else kinds)}

    def triggered(self) -> Iterator[Triggered]:
        """What runs by itself: tokens that reach a count, tiles, passives."""
        everyone = self.matching(Units())
        for number, (id_, token) in enumerate(self.tokens.items()):
            if token.at is not None:
                loc: Loc = ("tokens", id_, "at", "do")
                it, mark = ("token", id_), token.provenance.get("at")
                variables: dict[str, Sort] = {"here": "zone"}
                yield Triggered(token.name, loc, token.at.do, "token_code", number, mark, variables, {it}, here=it)
        for number, (id_, tile) in enumerate(self.tiles.items()):
            variables = {"unit": "unit", "here": "zone"}
            if tile.directed:
                variables["way"] = "direction"
            for column, key, parts, by in (
                ("tile_code", "on_enter", tile.on_enter, {("move", kind) for kind in everyone}),
                ("tile_cue", "on_cue", tile.on_cue, {CUE}),
            ):
                if parts is not None:
                    loc, here, mark = ("tiles", id_, key), ("tile", id_), tile.provenance.get(key)
                    yield Triggered(tile.name, loc, parts, column, number, mark, variables, by, everyone, here)
        for number, passive in enumerate(self.passives):
            variables, by, kinds = {}, set(), set()
            if passive.when == "unit_moved":
                variables, kinds = {"unit": "unit", "left": "zone"}, self.matching(passive.where or Units())
                by = {("move", kind) for kind in kinds}
            loc, mark = ("passives", number, "do"), passive.provenance.get("do")
            yield Triggered(passive.name, loc, passive.do, "trigger_code", number, mark, variables, by, kinds)

    def ascending(self) -> Iterator[Triggered]:
        """What the other sides of the artist ability card do at once."""
        for form, side in enumerate(self.abilities[0].other_sides):
            if side.do is not None:
                loc: Loc = ("abilities", 0, *("ascended",) * (form + 1), "do")
                by = {PROGRESS} if isinstance(side, AscendedImmediate) else set()
                yield Triggered(side.name, loc, side.do, "ascend_code", form, side.provenance.get("do"), set_off_by=by)
