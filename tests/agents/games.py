"""Games and positions that the tests of the agents share."""

from functools import lru_cache
from typing import Any

import numpy as np

import react_env
from tests import toy


@lru_cache(maxsize=8)
def game_of(name: str) -> Any:
    """The toy game or one of ours. In "ID, mixed" each game draws its table."""
    game_id, _, mixed = name.partition(", ")
    if game_id == "toy":
        return toy.load(max_turns=(6, 30, 9)) if mixed else toy.load()
    return react_env.load(game_id, artists="random") if mixed else react_env.load(game_id)


def after(game: Any, state: Any, action: int) -> Any:
    """A copy of a state, an action later. Calling `game.rules.apply` itself would compile it for the tests alone."""
    copy = game.copy(state)
    game.step(copy, action)
    return copy


def positions(game: Any, count: int, seed: int = 0) -> tuple[Any, Any]:
    """`count` decisions of random games, spread over their lengths: (count,) records and (count,) players to move."""
    batch = game.batch(num_games=count, seed=seed)
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 2**63, count).astype(np.uint64)
    steps = rng.integers(0, 60, count)
    for step in range(60):
        going = np.flatnonzero(steps > step)
        batch.step(batch.random_actions(words)[going], going)
    return batch.states.copy(), batch.to_play.astype(np.int64)
