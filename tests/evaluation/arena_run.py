"""An arena with the toy game in a process of its own: for tests that kill it, or that start two at once.

    python -m tests.evaluation.arena_run FILE GAMES GO [REST]

It says "ready", waits until the file GO exists, plays, and prints how many games it has played and whether all are done. After REST games
it says "rests", and goes on when the file GO.on exists, so that it cannot finish before a slower process has begun.
"""

import sys
import time
from pathlib import Path

from react_env.evaluation.arena.run import Arena, Progress, round_robin
from react_env.evaluation.arena.store import Store
from tests.agents.games import game_of

SPECS = ("random", "greedy", "greedy:2")


def wait_for(file: str) -> None:
    while not Path(file).exists():
        time.sleep(0.01)


def main(file: str, games: str, go: str, rest: str = "0") -> None:
    """Play `games` games of each pair."""
    game = game_of("toy")
    print("ready", flush=True)
    wait_for(go)
    told: list[Progress] = []
    rested = rest == "0"

    def tell(progress: Progress) -> None:
        nonlocal rested
        told.append(progress)
        if not rested and progress.done - progress.before >= int(rest):
            rested = True
            print("rests", flush=True)
            wait_for(f"{go}.on")

    with Store(file, game) as store, Arena(game, store) as arena:
        complete = arena.play(round_robin([arena.add(spec) for spec in SPECS]), int(games), progress=tell)
    print(told[-1].done - told[-1].before if told else 0, complete, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
