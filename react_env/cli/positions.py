"""A position of any game in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from react_env.cli.common import output

if TYPE_CHECKING:
    from react_env.engine.game import Game


def show_position(game: Game, state: Any, player: int | None, you: int | None = None) -> None:
    """Print a position as `player` sees it (None: everything), drawn where there is a drawing of the game; `you` sits at the screen."""
    if game.id == "fight_sequence-v0":
        from react_env.cli.sequences import draw as draw_sequence
        from react_env.games.fight_sequence import FightSequence

        draw_sequence(output(), cast(FightSequence, game), state, player, you)
    elif game.id == "arts_of_war-v0":
        from react_env.cli.duels import draw as draw_duel

        draw_duel(output(), game, state, player, you)
    else:
        output().print(game.text(state, player), highlight=False, markup=False)
