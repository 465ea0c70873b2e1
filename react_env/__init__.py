"""Card games as fast environments for reinforcement learning: load(), games(), version.

game = react_env.load("arts_of_war-v0", artists="random")
batch = game.batch(num_games=4096, seed=0)

With it the games are known to `gymnasium.make` and `make_vec`: see `react_env.envs.gym`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import gymnasium

from react_env.errors import OptionError
from react_env.games import PACKAGES

if TYPE_CHECKING:
    from react_env.engine.game import Game

    def games() -> tuple[str, ...]:
        """The ids that `load` knows."""
else:
    from react_env import games

__version__ = "0.1.0"
__all__ = ["__version__", "games", "load"]

for _name, _game_id in (("ArtsOfWar-v0", "arts_of_war-v0"), ("FightSequence-v0", "fight_sequence-v0")):
    gymnasium.register(
        f"react_env/{_name}",
        entry_point="react_env.envs.gym:make",
        vector_entry_point="react_env.envs.gym:make_vec",
        kwargs={"game_id": _game_id},
    )


def load(game_id: str, **options: Any) -> Game:
    """A game with its options.

    The first time on a machine its rules are compiled, which takes up to a minute and says so on stderr.

    Args:
        game_id: one of `games()`.
        options: keywords of that game; see its page.

    Raises:
        OptionError: no such game, or an option that it does not have or cannot take.
    """
    if not isinstance(game_id, str) or game_id not in PACKAGES:
        raise OptionError(f"there is no game {game_id!r:.80}; there are: {', '.join(PACKAGES)}")
    game: Game = import_module(PACKAGES[game_id]).load(**options)
    return game
