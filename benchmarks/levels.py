"""How steep the ladder of the levels is: the table of docs/playing.md.

python -m benchmarks.levels [--games 4000] [--seed 193] [GAME ...]

Each level against the one below, both seats, on one set of deals (games of more than two seats with two players); and the longest of 360
decisions of each, on one thread.
"""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
from typer import Argument

import react_env
from benchmarks import command
from react_env import agents
from react_env.agents.players.champion import knows
from react_env.evaluation.matches.match import play_match
from react_env.registry import describe

GAMES, STEPS = 6, 60  # of which the decisions are timed


def worst(game: Any, level: str) -> float:
    """Milliseconds of the longest decision."""
    agent, batch, rng = agents.load(level, game), game.batch(GAMES, seed=3), np.random.default_rng(0)
    found = []
    for _ in range(STEPS):
        for row in range(GAMES):
            begin = time.perf_counter()
            action = agents.choose(agent, batch, np.array([row]), rng)
            found.append(time.perf_counter() - begin)
            batch.step(action, [row])
    return 1000 * max(found[12:])  # the first ones compile


def main(ids: Annotated[list[str] | None, Argument(metavar="GAME")] = None, games: int = 4000, seed: int = 193) -> None:
    """Measure and print."""
    for game_id in ids or react_env.game_ids():
        about = describe(game_id)
        game = react_env.load(game_id, **(about.every if about.players[1] == 2 else {"players": 2}))
        levels = ["easy", "medium", "hard", *(["champion"] if knows(game) else [])]
        for below, above in pairwise(levels):
            one, other = (agents.load(level, game, threads=2) for level in (above, below))
            total = play_match(game, one, other, games, seed=seed, threads=2).total
            low, high = total.interval
            print(
                f"{game_id:16} {above:9} against {below:7} {total.win_rate:.1%} ({low:.1%} to {high:.1%}) of {total.games}"
            )
        print(
            f"{game_id:16} longest decisions, ms: {', '.join(f'{level} {worst(game, level):.1f}' for level in levels)}"
        )


if __name__ == "__main__":
    command(main)
