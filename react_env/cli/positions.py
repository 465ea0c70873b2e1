"""A position of any game in the terminal, and the texts of its cards, by what the game's description offers (`Description.terminal`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from react_env.cli.common import output
from react_env.errors import OptionError
from react_env.registry import describe

if TYPE_CHECKING:
    from react_env.engine.game import Game

COLOURS = ("cyan", "magenta")  # of player 0 and player 1


class Words(NamedTuple):
    """A card or something else of a game that has a name and does something."""

    player: int  # whose it is
    name: str
    lines: list[str]
    held: int  # copies that this player can see in the own hand, or 1 for what always lies ready there


def show_position(game: Game, state: Any, player: int | None, you: int | None = None) -> None:
    """Print a position as `player` sees it (None: everything), drawn where there is a drawing of the game; `you` sits at the screen."""
    if (terminal := _terminal(game)) is not None:
        terminal.draw(output(), game, state, player, you)
    else:
        output().print(game.text(state, player), highlight=False, markup=False)


def card_words(game: Game, state: Any, player: int) -> list[Words]:
    """What there is in this game, own things first; empty for a game without card texts."""
    terminal = _terminal(game)
    found: list[Words] = [] if terminal is None else terminal.card_words(game, state, player)
    return found


def question_words(game: Game, state: Any) -> str:
    """The text of what asks the question at hand, where the question itself does not tell; "" elsewhere."""
    terminal = _terminal(game)
    return "" if terminal is None else str(terminal.question_words(game, state))


def _terminal(game: Game) -> Any:
    """The game's own part of the command line, or None."""
    try:
        return describe(game.id).part("terminal")
    except OptionError:  # a game that was made without a description
        return None
