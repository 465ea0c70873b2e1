"""Every error that the library raises on purpose, one type for each kind of mistake; and help with mistyped names."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Self


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """ "; did you mean 'damage'?", or "" if no known word is similar."""
    near = get_close_matches(word[:60].lower(), list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near and near[0] != word else ""


class ReactEnvError(Exception):
    """The base class of these errors: `except ReactEnvError` catches expected errors and nothing else."""


class CardError(ReactEnvError):
    """A card file that cannot be used; the message names the file, the card, the field, and what would be allowed."""


class IllegalAction(ReactEnvError, ValueError):
    """An action that the rules do not allow now; the state is unchanged."""


class OptionError(ReactEnvError, ValueError):
    """An option of a game, an agent or a command that does not exist or has an impossible value."""


class UnsupportedOption(OptionError, TypeError):
    """A keyword or a render mode that does not exist. It is also a TypeError, so that libraries that try out a keyword go on without
    it."""

    @classmethod
    def named(cls, name: str, known: Iterable[str], of: str = "") -> Self:
        """The error for an option `of` something that is not a known one. It contains Python's own words, because other libraries look for
        them."""
        known = list(known)
        return cls(
            f"unknown option {name!r} (unexpected keyword argument {name!r}){of and f' of {of}'}; known: "
            f"{', '.join(known) or 'none'}{did_you_mean(name, known)}"
        )


class ReplayError(ReactEnvError):
    """A replay that cannot be read, or that was recorded under other rules."""


class ModelError(ReactEnvError):
    """A model file that is damaged or was made for another game, or a file that is not a model."""


class TrainingError(ReactEnvError):
    """Training that cannot continue: numbers that are not finite, or a run that another process is working on."""


class MissingPackage(ReactEnvError, ModuleNotFoundError):
    """A package that comes only with an extra of react_env is not installed."""


class GameOver(ReactEnvError):
    """A step after the end of the game."""


class BatchError(ReactEnvError, ValueError):
    """Arguments of a batch with a wrong shape, type or index; no game was changed."""


class StateError(ReactEnvError, ValueError):
    """Bytes or a record that are not a state of this game."""
