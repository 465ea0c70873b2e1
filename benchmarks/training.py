"""Learner steps a second of self-play, end to end: games, opponents, updates, checkpoints; no warm start, no evaluations.

OPENBLAS_NUM_THREADS=1 python -m benchmarks.training [--config FILE] [--algorithm maskable_ppo] [--minutes 2] [--threads 2] [--json]
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Annotated

from typer import Option

from benchmarks import command
from react_env.cli.common import share_processor
from react_env.registry import DEFAULT_GAME


def main(
    game: str = DEFAULT_GAME,
    file: Annotated[Path | None, Option("--config", help="Such as training/configs/arts_of_war.yaml.")] = None,
    algorithm: str = "ppo",
    minutes: float = 2.0,
    threads: int = 2,
    as_json: Annotated[bool, Option("--json")] = False,
) -> None:
    """Measure and print."""
    share_processor()
    from react_env.evaluation.benchmarks import TRAINING, goal
    from react_env.training.config import TrainConfig, read_options
    from react_env.training.selfplay.run import train

    given = {"game": game, "algorithm": algorithm} | (read_options(file) if file is not None else {})
    config = TrainConfig(**{**given, "minutes": minutes, "threads": threads, "evaluations": 0, "imitation_games": 0})
    with tempfile.TemporaryDirectory() as folder:
        result = train(config, Path(folder) / "run")
        spent = json.loads((Path(folder) / "run" / "model.json").read_text())["training"]["seconds_of"]
    # "inference" is also counted in "play".
    shares = {name: round(seconds / result.seconds, 2) for name, seconds in spent.items()}
    end_to_end = result.steps / result.seconds
    least = goal(config.game, TRAINING)
    found = {
        "learner_steps": result.steps,
        "seconds": round(result.seconds, 1),
        "steps_per_second": round(end_to_end),
        "steps_per_second_without_saving": round(result.steps_per_second),
        "share_of_time": shares,
        "goal": least,
    }
    if as_json:
        print(json.dumps(found, indent=2))
    else:
        line = f"{result.steps:,} learner steps in {result.seconds:.0f} s: {end_to_end:,.0f} a second"
        if least is not None:
            line += f"   at least {least:,.0f}: {'met' if end_to_end >= least else 'missed'}"
        print(line)
        print("share of time: " + ", ".join(f"{name} {100 * share:.0f} %" for name, share in shares.items()))


if __name__ == "__main__":
    command(main)
