"""Compile every game, and what plays it, once before the tests, so that parallel workers only load what lies in the cache."""

import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context

import numpy as np

import agents
import react_env
from react_env.errors import OptionError

PROCESSES = 2
PLAYERS = ("mcts:1", "champion", "flat:2", "scripted", "greedy")  # the longest first


def compile_game(name: str) -> None:
    """Take one step of a game, alone and in a batch."""
    game = react_env.load(name)
    state = game.new(seed=0)
    game.step(state, int(game.legal_actions(state)[0]))
    for player in range(game.num_players):
        game.observe(game.determinize(state, player, 0), player)
    batch = game.batch(num_games=2, seed=0)
    batch.step(np.argmax(batch.action_masks, axis=1))


def compile_player(task: tuple[str, str]) -> None:
    """Load an agent, which decides once."""
    name, player = task
    with suppress(OptionError):  # some games have no script, or no champion
        agents.load(player, react_env.load(name))


def main() -> None:
    """Compile, and tell how long that took."""
    start = time.perf_counter()
    names = react_env.games()
    with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
        list(pool.map(compile_game, names))
        list(pool.map(compile_player, [(name, player) for player in PLAYERS for name in names]))
    print(f"compiled functions ready after {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
