"""An arena with the toy game in a process of its own: for tests that kill it, or that start two at once.

    python -m tests.evaluation.arena_run FILE GAMES GO

It says "ready", waits until the file GO exists, plays, and prints how many games it has played and whether all are done.
"""

import sys
import time
from pathlib import Path

from evaluation.arena import Arena, Progress, round_robin
from evaluation.store import Store
from tests.agents.games import game_of

SPECS = ("random", "greedy", "greedy:2")


def main(file: str, games: str, go: str) -> None:
    """Play `games` games of each pair."""
    game = game_of("toy")
    print("ready", flush=True)
    while not Path(go).exists():
        time.sleep(0.01)
    told: list[Progress] = []
    with Store(file, game) as store, Arena(game, store) as arena:
        complete = arena.play(round_robin([arena.add(spec) for spec in SPECS]), int(games), progress=told.append)
    print(told[-1].done - told[-1].before if told else 0, complete, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
