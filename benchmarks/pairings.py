"""Random play by what the two seats bring, one thread, observation and mask for each decision.

python -m benchmarks.pairings [--game arts_of_war-v0] [--steps 150] [--json]

Measured are every pairing of the game and a batch that mixes all of them; the mixed one first and last, as these
machines are noisy.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Annotated, Any

from typer import Option

import react_env
from benchmarks import command
from react_env.evaluation.benchmarks import BATCH, random_play
from react_env.evaluation.matches.games import setting_names
from react_env.registry import DEFAULT_GAME, describe

GOAL = 700_000  # decisions/s on one thread


def rate(game_id: str, options: Mapping[str, Any], steps: int) -> float:
    """Decisions a second of random play, after the games have spread out."""
    work = random_play(react_env.load(game_id, **options), 1, given=True)
    next(work)
    start = time.perf_counter()
    done = sum(next(work) for _ in range(steps))
    return done / (time.perf_counter() - start)


def main(
    game: str = DEFAULT_GAME,
    steps: Annotated[int, Option(help="Of each batch that are timed.")] = 150,
    as_json: Annotated[bool, Option("--json")] = False,
) -> None:
    """Measure and print, the slowest first."""
    about = describe(game)
    names = {tuple(sorted(name.split(" - "))) for name in setting_names(react_env.load(game, **about.every)) if name}
    played: list[tuple[str, Mapping[str, Any]]] = [("mixed", about.every), ("mixed, again", about.every)]
    played[1:1] = [(" - ".join(pairing), {str(about.seats): pairing}) for pairing in sorted(names)]
    found = sorted(((name, rate(game, kept, steps)) for name, kept in played), key=lambda figure: figure[1])
    if as_json:
        print(json.dumps({"batch": BATCH, "goal": GOAL, "decisions_per_second": dict(found)}, indent=2))
        return
    for name, value in found:
        print(f"{name:32}{value:12,.0f} decisions/s   at least {GOAL:,}: {'met' if value >= GOAL else 'missed'}")


if __name__ == "__main__":
    command(main)
