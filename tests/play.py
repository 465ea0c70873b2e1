"""Random play for the tests of the engine and the adapters."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from react_env.engine.game import Game


def random_game(game: Game, seed: int, state: Any = None) -> Iterator[tuple[Any, int]]:
    """Play to the end: (state before the action, action). The state is not a copy: the next step changes it."""
    rng = np.random.default_rng(seed)
    state = game.new(seed) if state is None else state
    while not (game.terminated(state) or game.truncated(state)):
        action = int(rng.choice(game.legal_actions(state)))
        yield state, action
        game.step(state, action)


def position(game: Game, seed: int, steps: int) -> Any:
    """The state after so many random steps, or the last decision before the end."""
    state = game.new(seed)
    kept = game.copy(state)
    for number, _ in enumerate(random_game(game, seed, state)):
        kept = game.copy(state)
        if number == steps:
            break
    return kept


def finished(game: Game, seed: int) -> Any:
    """The state at the end of a random game."""
    state = game.new(seed)
    for _ in random_game(game, seed, state):
        pass
    return state
