"""Random play by what the two seats bring, one thread: `python -m benchmarks.pairings`. Observation and mask for each decision.

Measured are every pairing of the game and a batch that mixes all of them; the mixed one first and last, as these
machines are noisy.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping
from typing import Any

import react_env
from react_env.engine.batch import seed_words
from react_env.evaluation.matches.games import setting_names
from react_env.registry import DEFAULT_GAME, describe, descriptions

BATCH = 4096
GOAL = 700_000  # decisions/s on one thread


def rate(game_id: str, options: Mapping[str, Any], steps: int) -> float:
    """Decisions a second of random play, after the games have spread out."""
    batch = react_env.load(game_id, **options).batch(BATCH, seed=1)
    words = seed_words(2, BATCH)
    for _ in range(200):
        batch.step(batch.random_actions(words))
    start = time.perf_counter()
    for _ in range(steps):
        batch.step(batch.random_actions(words))
    return BATCH * steps / (time.perf_counter() - start)


def main() -> None:
    """Measure and print, the slowest first."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--game", default=DEFAULT_GAME, choices=[name for name, about in descriptions().items() if about.every]
    )
    parser.add_argument("--steps", type=int, default=150, help="of each batch that are timed")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    about = describe(options.game)
    pairings = sorted(
        {tuple(sorted(name.split(" - "))) for name in setting_names(react_env.load(options.game, **about.every))}
    )
    played: list[tuple[str, Mapping[str, Any]]] = [("mixed", about.every)]
    played += [(" - ".join(names), {str(about.seats): names}) for names in pairings]
    found = [(name, rate(options.game, kept, options.steps)) for name, kept in [*played, ("mixed, again", about.every)]]
    found.sort(key=lambda figure: figure[1])
    if options.json:
        print(json.dumps({"batch": BATCH, "goal": GOAL, "decisions_per_second": dict(found)}, indent=2))
        return
    for name, value in found:
        print(f"{name:32}{value:12,.0f} decisions/s   at least {GOAL:,}: {'met' if value >= GOAL else 'missed'}")


if __name__ == "__main__":
    main()
