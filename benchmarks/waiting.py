"""Whether waiting loses: scripted against itself, but one of the two ends each of its own turns at once and only answers.

python -m benchmarks.waiting [--games 720] [--against scripted] [--seed 91]

All pairings of the default game, from both seats; a tie or a game cut short is no win.
"""

from __future__ import annotations

import numpy as np

import react_env
from benchmarks import command
from react_env import agents
from react_env.evaluation.ratings.intervals import wilson
from react_env.registry import DEFAULT_GAME, describe

END = "end turn"


def main(games: int = 720, against: str = "scripted", seed: int = 91) -> None:
    """Play and print."""
    game = react_env.load(DEFAULT_GAME, **describe(DEFAULT_GAME).every)
    end = game.action_names.index(END)
    waiting, other = agents.load("scripted", game), agents.load(against, game)
    won = cut = 0
    for seat in range(2):
        batch = game.batch(num_games=games // 2, seed=seed, threads=2)
        live, rng = np.ones(len(batch), np.bool_), np.random.default_rng(seed)
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
    low, high = wilson(won, games)
    print(f"who only answers wins {won} of {games}, {won / games:.1%} ({low:.1%} to {high:.1%}); {cut} cut")


if __name__ == "__main__":
    command(main)
