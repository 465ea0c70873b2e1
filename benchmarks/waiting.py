"""Whether waiting loses: scripted against itself, but one of the two ends each of its own turns at once and only answers.

python -m benchmarks.waiting [--games 720] [--against scripted] [--seed 91]

All pairings of the default game, from both seats; a tie or a game cut short is no win.
"""

from __future__ import annotations

import argparse

import numpy as np

import react_env
from react_env import agents
from react_env.evaluation.ratings.intervals import wilson
from react_env.registry import DEFAULT_GAME, describe

END = "end turn"


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=720)
    parser.add_argument("--against", default="scripted")
    parser.add_argument("--seed", type=int, default=91)
    options = parser.parse_args()
    game = react_env.load(DEFAULT_GAME, **describe(DEFAULT_GAME).every)
    end = game.action_names.index(END)
    waiting, other = agents.load("scripted", game), agents.load(options.against, game)
    won = cut = 0
    for seat in range(2):
        batch = game.batch(num_games=options.games // 2, seed=options.seed, threads=2)
        live, rng = np.ones(len(batch), np.bool_), np.random.default_rng(options.seed)
        while live.any():
            actions = batch.action_masks.argmax(axis=1)
            for player, agent in ((seat, waiting), (1 - seat, other)):
                if len(rows := np.flatnonzero(live & (batch.to_play == player))):
                    chosen = agents.choose(agent, batch, rows, rng)
                    ends = batch.action_masks[rows, end] & (agent is waiting)
                    actions[rows] = np.where(ends, end, chosen)
            batch.step(actions)
            ended = live & (batch.terminated | batch.truncated)
            won += int((batch.rewards[ended, seat] > 0).sum())
            cut += int((ended & batch.truncated).sum())
            live &= ~ended
    low, high = wilson(won, options.games)
    print(
        f"who only answers wins {won} of {options.games}, {won / options.games:.1%} ({low:.1%} to {high:.1%}); {cut} cut"
    )


if __name__ == "__main__":
    main()
