"""What an artist has - its kinds of unit, counter, token and tile - without what any of them does: all that a word asks of its artist."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, StringConstraints

from react_env.content.files import Fault
from react_env.content.schema import Id, Marked, Model, Title
from react_env.games.arts_of_war.cards.selections import Units
from react_env.games.arts_of_war.state import COUNTERS, DICE, KINDS, SLOTS

Loc: TypeAlias = tuple[str | int, ...]  # keys and positions from the top of the file
# What can grow during a turn: ("ready" | "unit" | "move", kind of unit), ("token" | "tile" | "counter", its name), PROGRESS, CUE.
Resource: TypeAlias = tuple[str, str]
Kinds: TypeAlias = dict[str, set[str]]  # kinds of unit that each unit variable can be
THEIRS = "theirs"  # any unit of the opponent
PROGRESS: Resource = ("progress", "")
CUE: Resource = ("cue", "")

_FIELDS = {"kind": "summons", "token": "tokens", "tile": "tiles", "counter": "counters"}


def listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


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


class Token(Marked):
    name: Title
    place: Literal["unit", "zone"]
    pool: int = Field(ge=1, le=99)
    stacks: bool
    lasts: Literal["game", "turn"] = "game"
    blocks_damage: bool = False

    @property
    def on_unit(self) -> bool:
        return self.place == "unit"


class Tile(Marked):
    name: Title
    pool: int = Field(ge=1, le=25)
    directed: bool = False


class Kit(Marked):
    format: Literal[1]
    id: Id
    name: Title
    concept: Annotated[str, StringConstraints(min_length=1, max_length=400, pattern=r"^[^\x00-\x1f\x7f]+$")]
    immune: bool = False
    vital: Id | None = None  # a summon kind
    face_down: int = Field(0, ge=0, le=2)
    summons: Annotated[dict[Id, SummonKind], Field(max_length=KINDS - 1)] = {}
    counters: Annotated[dict[Id, CounterKind], Field(max_length=COUNTERS)] = {}
    tokens: Mapping[Id, Token] = {}
    tiles: Mapping[Id, Tile] = {}

    # What only the programs and cards of the whole artist tell.

    @property
    def has_deck(self) -> bool:
        raise NotImplementedError

    @property
    def cued(self) -> list[str]:
        """The names of the tiles that wait for a cue."""
        raise NotImplementedError

    @property
    def becomes(self) -> str:
        """The name of what the artist becomes for good, or ""."""
        raise NotImplementedError

    def number(self, what: str, name: str, loc: Loc) -> int:
        """The number of a "kind" of summon (from 1), a "token", a "tile" or a "counter". Raises Fault."""
        known = list(getattr(self, _FIELDS[what]))
        if name not in known:
            raise Fault(loc, f"unknown {'summon kind' if what == 'kind' else what} {name!r}; known: {listed(known)}")
        return known.index(name) + (what == "kind")

    def counter(self, name: str, loc: Loc, count: int) -> int:
        """The number of a counter that is asked to stand at `count` at least. Raises Fault."""
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
        own = {"artist", *self.summons}
        if where.kind in ("artist", "summon"):
            own = {kind for kind in own if (kind == "artist") == (where.kind == "artist")}
        elif where.kind is not None:
            own = {where.kind}
        if where.side == "theirs":
            own = set()
        if where.other_than == "me" and user is not None and (user == "artist" or self.summons[user].count == 1):
            own.discard(user)
        of_this_file = where.kind is not None and where.kind not in ("artist", "summon")
        return own if where.side == "mine" or of_this_file else own | {THEIRS}

    def moving(self, kinds: set[str]) -> set[Resource]:
        """What moves when units of these kinds are moved: of a body all of it."""
        return {("move", kind) for kind in (kinds | self.body if kinds & self.body else kinds)}
