"""The options of a game, checked: a rules configuration from keywords."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError

from react_env.errors import OptionError, UnsupportedOption

Config = TypeVar("Config", bound=BaseModel)


def checked(model: type[Config], fields: Mapping[str, Any], options: Mapping[str, Any], whole: str = "") -> Config:
    """The configuration of these `fields`, overridden by `options`. Raises UnsupportedOption or OptionError, see `explained`."""
    for name in options:
        if name not in model.model_fields:
            raise UnsupportedOption.named(name, model.model_fields)
    try:
        return model.model_validate({**fields, **options})
    except ValidationError as error:
        raise explained(model, error, f"option {whole}: ") from None


def fill(table: Any, columns: Iterable[tuple[str, str]], rules: BaseModel) -> None:
    """Write options into the columns (name, type) of a table.

    A number or a truth value has a column of the option's name. For an option that is a word, a column is named after the option and one
    of the words, such as "deck_out_lose": it is 1 if that is the word, else 0. Raises KeyError for any other column.
    """
    values = dict(rules)
    for name, field in type(rules).model_fields.items():
        if get_origin(field.annotation) is Literal:
            values |= {f"{name}_{word}": values[name] == word for word in get_args(field.annotation)}
    for name, _ in columns:
        table[name] = values[name]


def explained(model: type[BaseModel], error: ValidationError, whole: str = "") -> OptionError:
    """The first mistake, in words: UnsupportedOption for an option that does not exist, OptionError for an impossible value. If several
    options together are wrong, the message begins with `whole`."""
    first = error.errors()[0]
    if not first["loc"]:
        return OptionError(whole + first["msg"].removeprefix("Value error, "))
    name = str(first["loc"][0])
    if first["type"] == "extra_forbidden":
        return UnsupportedOption.named(name, model.model_fields)
    message = first["msg"].removeprefix("Input ")
    return OptionError(f"option {name}: {message}; found {first['input']!r}. {model.model_fields[name].description}")


def bans(forbidden: Any, players: int) -> tuple[tuple[str, ...], ...]:
    """What each player may not play, checked; () if nothing is forbidden. Raises OptionError for anything but a list of names for each."""
    if forbidden is None:
        return ()
    lists = list(forbidden) if isinstance(forbidden, (list, tuple)) else []
    if len(lists) != players or not all(
        isinstance(names, (list, tuple)) and all(isinstance(name, str) for name in names) for names in lists
    ):
        raise OptionError(
            f"forbidden: a list of names for each of the {players} players is needed; found {forbidden!r:.80}"
        )
    found = tuple(tuple(names) for names in lists)
    return found if any(found) else ()
