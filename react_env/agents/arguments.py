"""The text behind the colon of an agent's name: for a search, a budget and options by name (mcts:256,horizon=2)."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from react_env.errors import OptionError


def usual(agent: type, kind: str, game: Any, *, without: Sequence[str]) -> dict[str, Any]:
    """The keyword arguments of the constructor of `agent`, except those in `without`, with their usual values: what suits the game
    (`react_env.engine.rules.Heuristics.search`, where `kind` stands for the agent), else the defaults."""
    parameters = inspect.signature(agent).parameters.values()
    options = [p for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY and p.name not in without]
    suited = game.heuristics.search
    return {
        option.name: suited.get(f"{kind}.{option.name}", suited.get(option.name, option.default)) for option in options
    }


def split(argument: str) -> tuple[str, list[str]]:
    """The budget (or "") and the options, each still a text such as horizon=2."""
    first, *rest = argument.split(",")
    return ("", [first, *rest]) if "=" in first else (first, rest)


def split_own(text: str) -> tuple[str, str]:
    """The Python file that a text names and the text behind it: a class and its options, or "". If it names no file, "" and ""."""
    file, colon, rest = text.partition(".py:")  # the first one: an option may contain another
    if colon:
        return f"{file}.py", rest
    return (text, "") if text.endswith(".py") else ("", "")


def read(spec: str, texts: Sequence[str], known: Mapping[str, Any]) -> dict[str, Any]:
    """Options such as horizon=2, each converted to the type of its default in `known`, or to a float if that is None.

    OptionError, which names `spec`, for an unknown name, a name given twice, or a value of another type.
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or name not in known:
            raise OptionError(f"{spec}: no option {name!r}; there are {', '.join(known)}, each as in name=value")
        if name in found:
            raise OptionError(f"{spec}: {name} is given twice")
        found[name] = _value(spec, name, value, known[name])
    return found


def _value(spec: str, name: str, text: str, default: Any) -> Any:
    if isinstance(default, bool):
        if text not in ("yes", "no"):
            raise OptionError(f"{spec}: {name} must be yes or no, not {text!r}")
        return text == "yes"
    if isinstance(default, str):
        return text
    kind, word = (int, "a whole number") if isinstance(default, int) else (float, "a number")
    try:
        return kind(text)
    except ValueError:
        raise OptionError(f"{spec}: {name} must be {word}, not {text!r}") from None


def differing(values: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    """The `values` that differ from those in `known`, as text that `read` understands, with a comma before each."""
    return "".join(f",{name}={_text(values[name])}" for name, default in known.items() if values[name] != default)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def check_ranges(agent: str, given: Mapping[str, Any], ranges: Mapping[str, tuple[float, float]]) -> None:
    """Raise OptionError if a given value is neither None nor within its bounds; ranges: name -> (lowest, highest)."""
    for name, (low, high) in ranges.items():
        if given[name] is not None and not low <= given[name] <= high:
            raise OptionError(f"{agent}: {name} must be from {low:g} to {high:g}, not {given[name]!r}")


def worlds_in(name: str, argument: str) -> int:
    """How many guesses of what is hidden ``name:argument`` averages, 1 by default. OptionError unless it is from 1 to 1000."""
    if not argument:
        return 1
    if not argument.isdecimal() or not 1 <= int(argument) <= 1000:
        raise OptionError(f"{name}:{argument}: the number of worlds must be a whole number from 1 to 1000")
    return int(argument)


def no_argument(name: str, argument: str) -> None:
    """Raise OptionError if there is an argument, for an agent that takes none."""
    if argument:
        raise OptionError(f"{name}:{argument}: {name} takes nothing after a colon")
