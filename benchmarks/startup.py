"""How long a user waits: `import react_env`, the first compilation on a machine, and a later start up to the first step.

    python -m benchmarks.startup [--json]

Each figure is the time of a whole new process, less that of an empty one; the first compilation goes into a folder of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

from evaluation.statistics import median

_IMPORT = (
    "import sys, react_env; assert not {'torch', 'stable_baselines3', 'gymnasium', 'pettingzoo'} & set(sys.modules)"
)
_START = "import react_env; g = react_env.load(sys.argv[1]); s = g.new(seed=0); g.step(s, int(g.legal_actions(s)[0]))"
_PETTINGZOO = "from react_env import arts_of_war_v0; e = arts_of_war_v0.env(); e.reset(seed=0); e.last()"
# Name, program, goal in seconds, whether the cache begins empty.
FIGURES = (
    ("import react_env", _IMPORT, 0.5, False),
    ("first compilation, load and first step", "import sys; " + _START, 90.0, True),
    ("later start: load and first step", "import sys; " + _START, 2.0, False),
    ("later start: PettingZoo environment", _PETTINGZOO, None, False),
)


def measure(program: str, game: str, cache: str) -> float:
    """Seconds of a new process that runs `program`."""
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", program, game],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "REACT_ENV_CACHE_DIR": cache},
    )
    return time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="arts_of_war-v0")
    parser.add_argument(
        "--repeats", type=int, default=5, help="of all but the first compilation, which is measured once"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = []
    with tempfile.TemporaryDirectory() as cache:
        empty = median([measure("pass", options.game, cache) for _ in range(options.repeats)])
        # The compilation comes first, for the later starts use what it left.
        for name, program, goal, fresh in sorted(FIGURES, key=lambda figure: not figure[3]):
            repeats = 1 if fresh else options.repeats
            seconds = median([measure(program, options.game, cache) for _ in range(repeats)]) - empty
            found.append({"figure": name, "seconds": round(seconds, 3), "goal": goal})
            if not options.json:
                bound = "" if goal is None else f"   at most {goal:g}: {'met' if seconds <= goal else 'missed'}"
                print(f"{name:42}{seconds:8.2f} s{bound}", flush=True)
    if options.json:
        print(json.dumps({"game": options.game, "empty_process": round(empty, 3), "figures": found}, indent=2))


if __name__ == "__main__":
    main()
