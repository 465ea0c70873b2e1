"""Compile every game once before the tests, so that parallel workers only load what lies in the cache."""

import time

import numpy as np

import agents
import react_env


def main() -> None:
    """Take one step of each game, alone and in a batch, and tell how long that took."""
    start = time.perf_counter()
    for name in react_env.games():
        game = react_env.load(name)
        state = game.new(seed=0)
        game.step(state, int(game.legal_actions(state)[0]))
        for player in range(game.num_players):
            game.observe(game.determinize(state, player, 0), player)
        batch = game.batch(num_games=2, seed=0)
        batch.step(np.argmax(batch.action_masks, axis=1))
        agents.load("greedy", game)
        agents.load("mcts:1", game)
    print(f"compiled functions ready after {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
