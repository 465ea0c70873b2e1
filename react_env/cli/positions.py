"""A position of any game in the terminal, by what the game's description offers (`Description.terminal`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from react_env.cli.common import output
from react_env.errors import OptionError
from react_env.registry import describe

if TYPE_CHECKING:
    from react_env.engine.game import Game

COLOURS = ("cyan", "magenta")  # of player 0 and player 1


def show_position(game: Game, state: Any, player: int | None, you: int | None = None) -> None:
    """Print a position as `player` sees it (None: everything), drawn where there is a drawing of the game; `you` sits at the screen."""
    if (terminal := _terminal(game)) is not None:
        terminal.draw(output(), game, state, player, you)
    else:
        output().print(game.text(state, player))


def _terminal(game: Game) -> Any:
    """The game's own part of the command line, or None."""
    try:
        return describe(game.id).part("terminal")
    except OptionError:  # a game that was made without a description
        return None
