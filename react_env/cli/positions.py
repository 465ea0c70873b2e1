"""A position of any game in the terminal, by what the game's description offers (`Description.terminal`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from react_env.cli.common import output
from react_env.registry import described

if TYPE_CHECKING:
    from react_env.engine.game import Game

COLOURS = ("cyan", "magenta")  # player 0 and player 1


def show_position(game: Game, state: Any, player: int | None, you: int | None = None) -> None:
    """Print a position as `player` sees it (None: everything), as a drawing if the game has one; `you` sits at the screen."""
    if (terminal := described(game.id).part("terminal")) is not None:
        terminal.draw(output(), game, state, player, you)
    else:
        output().print(game.text(state, player))
