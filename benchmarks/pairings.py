"""Random play of Re;ACT by pairing, one thread: `python -m benchmarks.pairings`. Observation and mask for each decision.

Measured are every pairing of the standard edition and a batch that mixes all of them; the mixed one first and last, as these
machines are noisy.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time

import react_env
from react_env.engine.batch import seed_words
from react_env.games.arts_of_war.cards import artists

BATCH = 4096
GOAL = 700_000  # decisions/s on one thread


def rate(pairing: tuple[str, str] | str, steps: int) -> float:
    """Decisions a second of random play, after the games have spread out."""
    batch = react_env.load("arts_of_war-v0", artists=pairing).batch(BATCH, seed=1)
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
    parser.add_argument("--steps", type=int, default=150, help="of each batch that are timed")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = [("mixed", rate("random", options.steps))]
    found += [(" - ".join(pair), rate(pair, options.steps)) for pair in itertools.combinations(artists("standard"), 2)]
    found.append(("mixed, again", rate("random", options.steps)))
    found.sort(key=lambda figure: figure[1])
    if options.json:
        print(json.dumps({"batch": BATCH, "goal": GOAL, "decisions_per_second": dict(found)}, indent=2))
        return
    for name, value in found:
        print(f"{name:32}{value:12,.0f} decisions/s   at least {GOAL:,}: {'met' if value >= GOAL else 'missed'}")


if __name__ == "__main__":
    main()
