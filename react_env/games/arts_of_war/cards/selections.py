"""What a card file says of units, zones and ways."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, Tag

from react_env.content.schema import Id, Model, key_of, one_of

Sort: TypeAlias = Literal["unit", "zone", "direction"]  # of variable


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

    def near(self) -> dict[str, str]:
        """The variable behind each key of this selection that names one."""
        of = self.within.of if self.within else None
        keys = {key: getattr(self, key) for key in ("adjacent_to", "diagonal_to", "in_line_with")}
        named = keys | {"within": of, "other_than": self.other_than}
        return {key: variable for key, variable in named.items() if variable is not None}

    def all(self) -> list["Selection"]:
        """This selection and those inside it, at any depth."""
        inside = [self.touching, getattr(self, "holds", None)]
        return [self, *(deep for inner in inside if inner is not None for deep in inner.all())]

    def variables(self) -> list[str]:
        """The variables that the selection refers to, at any depth."""
        return [name for where in self.all() for name in where.near().values()]


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


for _selection in (Selection, Units, Zones):
    _selection.model_rebuild()


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
