"""The artist file as typed models: `docs/arts_of_war/card_files.md`, part for part.

A model's fields are the keys of the YAML, so that `model_dump` gives back what was read. What a single field cannot tell - scopes,
registers, pools, loops - is checked by `compiler.py` and `bounds.py`.
"""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, Tag

from react_env.content.schema import Id, Marked, Model, Title, one_of
from react_env.games.arts_of_war.cards.operations import CostPart, Parts
from react_env.games.arts_of_war.cards.selections import Units
from react_env.games.arts_of_war.state import ABILITIES, COUNTERS, DICE, KINDS, SLOTS, TILES, TOKENS, TRIGGERS

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
