"""What the models of all card files share: exact keys, printable names, and `provenance`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Annotated, Any, ClassVar, Literal, LiteralString, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Discriminator, GetCoreSchemaHandler, StringConstraints, Tag, model_validator
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

Id = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,31}$")]  # names of variables, kinds, tokens, cards
# Names that are printed.
Title = Annotated[str, StringConstraints(min_length=1, max_length=40, pattern=r"^[^\x00-\x1f\x7f]+$")]
Mark = Literal["stated", "derived", "designed"]


def _unknown(message: LiteralString, unknown: Iterable[str], allowed: Iterable[str]) -> PydanticCustomError:
    words = {"unknown": ", ".join(map(repr, unknown)), "allowed": ", ".join(allowed)}
    return PydanticCustomError("unknown_field", message, words)


class Model(BaseModel):
    """A mapping in a file, whose keys are exactly the model's fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    @classmethod
    def file_keys(cls) -> list[str]:
        """What its fields are called in a file."""
        return [field.alias or name for name, field in cls.model_fields.items()]

    @classmethod
    def key(cls) -> str:
        """The key with which it begins in a file: its first field."""
        return cls.file_keys()[0]

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: Any) -> Any:
        if isinstance(data, dict):
            allowed = cls.file_keys()
            unknown = [str(key) for key in data if key not in allowed]
            if unknown:
                raise _unknown("unknown field {unknown}; allowed: {allowed}", unknown, allowed)
        return data


class Marked(Model):
    """A mapping with `provenance`: which of its fields are public, and which are our own."""

    other_marks: ClassVar[tuple[str, ...]] = ()  # parts of fields that have a mark, too
    provenance: dict[str, Mark] = {}

    @model_validator(mode="after")
    def _provenance_of_fields(self) -> "Marked":
        fields = [*(key for key in self.file_keys() if key != "provenance"), *self.other_marks]
        unknown = [name for name in self.provenance if name not in fields]
        if unknown:
            raise _unknown("provenance of unknown field {unknown}; allowed: {allowed}", unknown, fields)
        return self


@dataclass(frozen=True)
class OneOf:
    """An annotation of a union: it picks the member before anything is read, so that messages are about the member that is meant.

    A model is recognized by its key (see `Model.key`), a word by itself, any other value by its type.

    Attributes:
        what: what the members are, in messages.
        known: what messages call them; by default, the key, word or type by which each is recognized.
        by: a field of all members, which are models then: each is recognized by the one word that it allows there.
        each: what has only one of them; the message says so if a file gives it several.
    """

    what: str
    known: Sequence[str] = ()
    by: str = ""
    each: str = ""

    def __get_pydantic_core_schema__(self, union: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        signs = [self._sign(member) for member in get_args(union)]
        tags = {sign: f"@{getattr(sign, '__name__', sign)}" for sign in signs}

        def tag_of(value: Any) -> str:
            if isinstance(value, dict):
                found = [value.get(self.by)] if self.by else list(value)
            elif isinstance(value, Model):
                found = [getattr(value, self.by) if self.by else value.key()]
            else:
                found = [] if self.by else [value, type(value)]
            return next((tag for sign, tag in tags.items() if sign in found), "@unknown")

        told = Discriminator(
            tag_of,
            custom_error_type="unknown_" + self.what.replace(" ", "_"),
            custom_error_message=f"not a known {self.what}; known: {', '.join(self.known or signs)}",
        )
        members = (Annotated[member, Tag(tags[sign])] for member, sign in zip(get_args(union), signs))
        schema = handler(Annotated[reduce(or_, members), told])
        if not self.each:
            return schema

        def alone(value: Any) -> Any:
            several = [key for key in value if key in signs] if isinstance(value, dict) else []
            if len(several) > 1:
                words = {"what": self.what, "each": self.each, "found": " and ".join(several)}
                raise PydanticCustomError("one_of", "one {what} for each {each}; found {found}", words)
            return value

        return core_schema.no_info_before_validator_function(alone, schema)

    def _sign(self, member: Any) -> Any:
        """What a member is recognized by: a word, or a type."""
        kind = get_args(member)[0] if get_origin(member) is Annotated else member
        if get_origin(kind) is Literal:
            return get_args(kind)[0]
        if not issubclass(kind, Model):
            return kind
        return get_args(kind.model_fields[self.by].annotation)[0] if self.by else kind.key()
