"""Games a second of agents that play themselves, whatever the seats may bring.

python -m benchmarks.players [greedy scripted champion:1,width=0,policy=no ...] [--game arts_of_war-v0] [--games 300] [--threads 2]
"""

from __future__ import annotations

import argparse
import time

import react_env
from react_env import agents
from react_env.evaluation.matches.match import play_match
from react_env.registry import DEFAULT_GAME, describe

FIRST = 40  # games beforehand, in which all is compiled and loaded


def main() -> None:
    """Measure, and print a line for each agent."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="*", default=["greedy", "scripted", "champion:1,width=0,policy=no"])
    parser.add_argument("--game", default=DEFAULT_GAME)
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    game = react_env.load(options.game, **describe(options.game).every)
    for name in options.agents:
        one, other = (agents.load(name, game, threads=options.threads) for _ in range(2))
        play_match(game, one, other, FIRST, seed=1, threads=options.threads)
        begin = time.perf_counter()
        play_match(game, one, other, options.games, seed=2, threads=options.threads)
        print(f"{name}: {options.games / (time.perf_counter() - begin):.1f} games/s", flush=True)


if __name__ == "__main__":
    main()
