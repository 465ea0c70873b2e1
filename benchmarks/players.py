"""Games a second of agents that play themselves, whatever the seats may bring.

python -m benchmarks.players [greedy scripted champion:1,width=0,policy=no ...] [--game arts_of_war-v0] [--games 300] [--threads 2]
"""

from __future__ import annotations

import time
from typing import Annotated

from typer import Argument

import react_env
from benchmarks import command
from react_env import agents
from react_env.evaluation.matches.match import play_match
from react_env.registry import DEFAULT_GAME, describe

AGENTS = ("greedy", "scripted", "champion:1,width=0,policy=no")
FIRST = 40  # games before the timed ones, in which everything is compiled and loaded


def main(
    names: Annotated[list[str] | None, Argument(metavar="AGENT")] = None,
    game: str = DEFAULT_GAME,
    games: int = 300,
    threads: int = 2,
) -> None:
    """Measure, and print a line for each agent."""
    played = react_env.load(game, **describe(game).every)
    for name in names or AGENTS:
        one, other = (agents.load(name, played, threads=threads) for _ in range(2))
        play_match(played, one, other, FIRST, seed=1, threads=threads)
        begin = time.perf_counter()
        play_match(played, one, other, games, seed=2, threads=threads)
        print(f"{name}: {games / (time.perf_counter() - begin):.1f} games/s", flush=True)


if __name__ == "__main__":
    command(main)
