"""Every error that the project raises on purpose, one type for each kind of mistake."""


class ReactEnvError(Exception):
    """The base of all of them: `except ReactEnvError` catches what was foreseen and nothing else."""


class CardError(ReactEnvError):
    """A card file that cannot be used; the message names the file, the card, the field, and what would be allowed."""


class IllegalAction(ReactEnvError, ValueError):
    """An action that the rules do not allow now; the state is as it was."""


class OptionError(ReactEnvError, ValueError):
    """An option of a game, an agent or a command that does not exist or has an impossible value."""


class UnsupportedOption(OptionError, TypeError):
    """A keyword or a render mode that there is not. As a TypeError, too, it tells those who only try one, as other libraries do, to go
    on without it."""


class ReplayError(ReactEnvError):
    """A replay that cannot be read, or that was recorded under other rules."""


class ModelError(ReactEnvError):
    """A model file that is damaged, foreign, or made for another game."""


class TrainingError(ReactEnvError):
    """Training that cannot go on: numbers that are not finite, or a run that another process works on."""


class MissingPackage(ReactEnvError, ModuleNotFoundError):
    """A package that comes only with an extra of react_env, and is not installed."""


class GameOver(ReactEnvError):
    """A step after the end of the game."""


class BatchError(ReactEnvError, ValueError):
    """Arguments of a batch with a wrong shape, type or index; no game was changed."""


class StateError(ReactEnvError, ValueError):
    """Bytes or a record that are not a state of this game."""
