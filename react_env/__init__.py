"""Card games as fast environments for reinforcement learning: load(), game_ids(), version.

    game = react_env.load("arts_of_war-v0", artists="random")
    batch = game.batch(num_games=4096, seed=0)

Importing this package registers the games for `gymnasium.make` and `make_vec`: see `react_env.envs.gym`.
"""

from __future__ import annotations

import gymnasium

from react_env.registry import game_ids, load

__version__ = "0.1.0"
__all__ = ["__version__", "game_ids", "load"]

for _game_id in game_ids():
    _name, _, _version = _game_id.rpartition("-")  # my_game-v0 is react_env/MyGame-v0 there
    gymnasium.register(
        f"react_env/{_name.title().replace('_', '')}-{_version}",
        entry_point="react_env.envs.gym:make",
        vector_entry_point="react_env.envs.gym:make_vec",
        kwargs={"game_id": _game_id},
    )
