"""How steep the ladder of the levels is: the table of docs/playing.md.

python -m benchmarks.levels [--games 4000] [--seed 193] [GAME ...]

Each level against the one below, both seats, on one set of deals (games of more than two seats with two players; --games 0 plays none); and
how long its decisions take, the median, the mean and the longest of 360 in its own games, in milliseconds of one core.
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

GAMES, STEPS = 6, 62
WARM = 12  # decisions that are not timed: they compile


def pace(game: Any, level: str) -> str:
    """Median, mean and longest decision: milliseconds of processor time, which other processes do not lengthen."""
    agent, batch, rng = agents.load(level, game), game.batch(GAMES, seed=3), np.random.default_rng(0)
    found = []
    for _ in range(STEPS):
        for row in range(GAMES):
            begin = time.process_time()
            action = agents.choose(agent, batch, np.array([row]), rng)
            found.append(1000 * (time.process_time() - begin))
            batch.step(action, [row])
    found = found[WARM:]
    return f"{level} {np.median(found):.1f}, {np.mean(found):.1f}, {max(found):.1f}"


def main(ids: Annotated[list[str] | None, Argument(metavar="GAME")] = None, games: int = 4000, seed: int = 193) -> None:
    """Measure and print."""
    for game_id in ids or react_env.game_ids():
        about = describe(game_id)
        game = react_env.load(game_id, **(about.every if about.players[1] == 2 else {"players": 2}))
        levels = ["easy", "medium", "hard", *(["champion"] if knows(game) else [])]
        for below, above in pairwise(levels) if games else ():
            one, other = (agents.load(level, game, threads=2) for level in (above, below))
            total = play_match(game, one, other, games, seed=seed, threads=2).total
            low, high = total.interval
            print(
                f"{game_id:16} {above:9} against {below:7} {total.win_rate:.1%} ({low:.1%} to {high:.1%}) of {total.games}"
            )
        print(f"{game_id:16} median, mean, longest decision, ms: {'; '.join(pace(game, level) for level in levels)}")


if __name__ == "__main__":
    command(main)
