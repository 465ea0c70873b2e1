"""How long a user waits: `import react_env`, the first compilation on a machine, a later start up to the first step, and `react-env demo`.

    python -m benchmarks.startup [--json]

Each figure is the time of a whole new process, less that of an empty one; the first compilation goes into a folder of its own, and so does
what the demo compiles.
"""

from __future__ import annotations

import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Annotated

from typer import Option

from benchmarks import command
from react_env.evaluation.benchmarks import COMPILATION, goal
from react_env.registry import DEFAULT_GAME

_IMPORT = "import sys, react_env; assert not {'torch', 'stable_baselines3', 'pettingzoo', 'numba'} & set(sys.modules)"
_START = "import react_env; g = react_env.load(sys.argv[1]); s = g.new(seed=0); g.step(s, int(g.legal_actions(s)[0]))"
_PETTINGZOO = (
    "import sys; from importlib import import_module; e = import_module(sys.argv[2]).env(); e.reset(seed=0); e.last()"
)
DEMO = "demo, nothing compiled: first learning"
# Name, program, whether the cache begins empty. The compilation comes first, because the later starts use what it left.
FIGURES = (
    (COMPILATION, "import sys; " + _START, True),
    ("import react_env", _IMPORT, False),
    ("later start: load and first step", "import sys; " + _START, False),
    ("later start: PettingZoo environment", _PETTINGZOO, False),
)


def measure(program: str, game: str, cache: str) -> float:
    """Seconds of a new process that runs `program`."""
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", program, game, pettingzoo_module(game)],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "REACT_ENV_CACHE_DIR": cache},
    )
    return time.perf_counter() - start


def measure_demo(game: str) -> tuple[float, float]:
    """Wall-clock seconds, and seconds of all processors, from `react-env demo` with an empty cache to its first learning step.

    Learning begins when the first evaluation, of the agent after its warm start, has been recorded. With so few minutes of learning, the
    warm start and the evaluation are as short as can be.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "demo")
        words = ["demo", game, "--minutes", "0.05", "--games", "2", "--out", str(out)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "react_env", *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "REACT_ENV_CACHE_DIR": str(Path(folder, "cache"))},
        )
        try:
            while not (out / "progress.jsonl").exists():
                if process.poll() is not None:
                    raise RuntimeError(f"{' '.join(words)} ended with {process.returncode} before it learned")
                time.sleep(0.01)
            seconds = time.perf_counter() - start
        finally:
            process.kill()
            process.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def pettingzoo_module(game: str) -> str:
    """The module of a game's PettingZoo environment."""
    return f"react_env.{game.replace('-', '_')}"


def main(
    game: str = DEFAULT_GAME,
    repeats: Annotated[int, Option(help="Of all but the first compilation, which is measured once.")] = 5,
    as_json: Annotated[bool, Option("--json")] = False,
) -> None:
    """Measure and print."""
    found = []
    with tempfile.TemporaryDirectory() as cache:
        empty = median([measure("pass", game, cache) for _ in range(repeats)])
        for name, program, fresh in FIGURES:
            if program == _PETTINGZOO and importlib.util.find_spec(pettingzoo_module(game)) is None:
                continue
            times = 1 if fresh else repeats
            seconds = median([measure(program, game, cache) for _ in range(times)]) - empty
            most = goal(game, name)
            found.append({"figure": name, "seconds": round(seconds, 3), "goal": most})
            if not as_json:
                bound = "" if most is None else f"   at most {most:g}: {'met' if seconds <= most else 'missed'}"
                print(f"{name:42}{seconds:8.2f} s{bound}", flush=True)
    if importlib.util.find_spec("torch") is not None:
        seconds, processor = measure_demo(game)
        most = goal(game, DEMO)
        found.append({"figure": DEMO, "seconds": round(seconds, 3), "processor": round(processor, 3), "goal": most})
        if not as_json:
            print(f"{DEMO:42}{seconds:8.2f} s ({processor:.1f} s of processors)")
    if as_json:
        print(json.dumps({"game": game, "empty_process": round(empty, 3), "figures": found}, indent=2))


if __name__ == "__main__":
    command(main)
