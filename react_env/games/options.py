"""The options of a game, checked: a rules configuration from keywords."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from react_env.errors import OptionError, UnsupportedOption
from react_env.games.files import did_you_mean

Config = TypeVar("Config", bound=BaseModel)


def checked(model: type[Config], fields: Mapping[str, Any], options: Mapping[str, Any], whole: str = "") -> Config:
    """The configuration with `options` in place of its own `fields`.

    Raises UnsupportedOption for an option that does not exist and OptionError for an impossible value; a mistake of several fields together
    is told as one of the option `whole`.
    """
    for name in options:
        if name not in model.model_fields:
            # Python's own words for it stand there because other libraries look for them.
            raise UnsupportedOption(
                f"unknown option {name!r} (unexpected keyword argument {name!r}); known: {', '.join(model.model_fields)}"
                + did_you_mean(name, model.model_fields)
            )
    try:
        return model.model_validate({**fields, **options})
    except ValidationError as error:
        first = error.errors()[0]
        if not first["loc"]:
            raise OptionError(f"option {whole}: {first['msg'].removeprefix('Value error, ')}") from None
        name, about = str(first["loc"][0]), model.model_fields[str(first["loc"][0])].description
        message = first["msg"].removeprefix("Input ")
        raise OptionError(f"option {name}: {message}; found {first['input']!r}. {about}") from None
