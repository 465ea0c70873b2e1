"""How a card file describes units, zones and ways."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from react_env.content.schema import Id, Model, OneOf

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


TileIs = Annotated[bool | Id, OneOf("tile", ("true", "false", "the id of a tile kind of this file"))]


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


Way = Annotated[Id | Toward | AwayFrom, OneOf("way", ("a direction variable", "{toward: VAR}", "{away_from: VAR}"))]
