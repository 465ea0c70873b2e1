"""What the models of all card files share: exact keys, printable names, and `provenance`."""

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, ClassVar, Literal, LiteralString

from pydantic import BaseModel, ConfigDict, Discriminator, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

Id = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,31}$")]  # names of variables, kinds, tokens, cards
# Names that are printed.
Title = Annotated[str, StringConstraints(min_length=1, max_length=40, pattern=r"^[^\x00-\x1f\x7f]+$")]
Mark = Literal["stated", "derived", "designed"]


def _unknown(message: LiteralString, unknown: Iterable[str], allowed: Iterable[str]) -> PydanticCustomError:
    words = {"unknown": ", ".join(map(repr, unknown)), "allowed": ", ".join(allowed)}
    return PydanticCustomError("unknown_field", message, words)


class Model(BaseModel):
    """A mapping of the file: its keys are exactly the fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: Any) -> Any:
        if isinstance(data, dict):
            allowed = [field.alias or name for name, field in cls.model_fields.items()]
            unknown = [str(key) for key in data if key not in allowed]
            if unknown:
                raise _unknown("unknown field {unknown}; allowed: {allowed}", unknown, allowed)
        return data


class Marked(Model):
    """A mapping with `provenance`: which of its fields are public, and which are our own."""

    other_marks: ClassVar[tuple[str, ...]] = ()  # what else has a mark: a part of a field
    provenance: dict[str, Mark] = {}

    @model_validator(mode="after")
    def _provenance_of_fields(self) -> "Marked":
        fields = [field.alias or name for name, field in type(self).model_fields.items() if name != "provenance"]
        fields += self.other_marks
        unknown = [name for name in self.provenance if name not in fields]
        if unknown:
            raise _unknown("provenance of unknown field {unknown}; allowed: {allowed}", unknown, fields)
        return self


def one_of(what: str, known: Sequence[str], tag_of: Callable[[Any], str | None]) -> Discriminator:
    """How to tell the members of a union apart; `tag_of` gives the tag, or None for what is none of them."""
    return Discriminator(
        lambda value: tag if (tag := tag_of(value)) is not None else "@unknown",
        custom_error_type="unknown_" + what.replace(" ", "_"),
        custom_error_message=f"not a known {what}; known: {', '.join(known)}",
    )


def key_of(*keys: str) -> Callable[[Any], str | None]:
    """Members are told apart by their first field: a key of the mapping, or an attribute of a model that is already made."""

    def tag(value: Any) -> str | None:
        if isinstance(value, Model):
            value = value.model_dump(by_alias=True)
        if isinstance(value, str):
            return f"@{value}" if value in keys else None
        if isinstance(value, dict):
            return next((f"@{key}" for key in keys if key in value), None)
        return None

    return tag
