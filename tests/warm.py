"""Compile every game and its agents once before the tests, so that parallel workers only load them from the cache."""

import time
from functools import partial

import numpy as np

import react_env
from react_env import agents
from react_env.engine.compile import ahead, later
from react_env.engine.game import Game

PLAYERS = ("mcts:1", "champion", "flat:2", "scripted", "greedy")  # those that take longest first


def compile_game(game: Game) -> None:
    """Take one step of a game, alone and in a batch."""
    game.compile()
    state = game.new(seed=0)
    game.step(state, int(game.legal_actions(state)[0]))
    for player in range(game.num_players):
        game.observe(game.determinize(state, player, 0), player)
    batch = game.batch(num_games=2, seed=0)
    batch.step(np.argmax(batch.action_masks, axis=1))


def main() -> None:
    """Compile everything and print how long it took."""
    start = time.perf_counter()
    with later():
        games = [react_env.load(name) for name in react_env.game_ids()]
    with ahead([partial(compile_game, game) for game in games], "the games"):
        pass
    # Not every game has all of these agents.
    with ahead([partial(agents.load, player, game) for player in PLAYERS for game in games], "the agents"):
        pass
    print(f"compiled functions ready after {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
