"""Games by id: those of the library, and those of other packages.

A package makes its game known by an entry point of the group ``react_env.games``, whose name is the id and whose value the module that has
``load(**options)``:

    [project.entry-points."react_env.games"]
    my_game-v0 = "my_package.my_game"
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from react_env.errors import OptionError

if TYPE_CHECKING:
    from react_env.engine.game import Game

PACKAGES = {  # id -> module with load(**options)
    "arts_of_war-v0": "react_env.games.arts_of_war",
    "fight_sequence-v0": "react_env.games.fight_sequence",
}


@cache
def _installed() -> dict[str, str]:
    return {point.name: point.value for point in entry_points(group="react_env.games")}


def packages() -> dict[str, str]:
    """Id -> module, of the library's games first; another package cannot take their ids."""
    return {**PACKAGES, **{name: module for name, module in _installed().items() if name not in PACKAGES}}


def game_ids() -> tuple[str, ...]:
    """The ids that `load` knows."""
    return tuple(packages())


def load(game_id: str, **options: Any) -> Game:
    """A game with its options.

    The first time on a machine its rules are compiled, which takes up to a minute and says so on stderr.

    Args:
        game_id: one of `game_ids()`.
        options: keywords of that game; see its page.

    Raises:
        OptionError: no such game, or an option that it does not have or cannot take; the module of another package that cannot be imported.
    """
    if not isinstance(game_id, str) or game_id not in packages():
        raise OptionError(f"there is no game {game_id!r:.80}; there are: {', '.join(game_ids())}")
    module = packages()[game_id]
    try:
        found = import_module(module)
    except ImportError as error:
        if game_id in PACKAGES:
            raise
        raise OptionError(f"{game_id}: its module {module} cannot be imported: {error}") from error
    game: Game = found.load(**options)
    return game
