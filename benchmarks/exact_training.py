"""Exploitability over a run of self-play, exact: the edition small of Re;ACT, where a perfect opponent can be worked out.

python -m benchmarks.exact_training [--minutes 3] [--magnet 0.05] [--seed 0] [--threads 2] [--points 10] [--json]

The agent draws from its probabilities. NashConv is the sum of what a perfect opponent gets from it in either seat (0: an equilibrium).
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from benchmarks import command
from react_env.cli.common import share_processor
from react_env.registry import DEFAULT_GAME, describe


def main(
    minutes: float = 3.0,
    magnet: float = 0.05,
    seed: int = 0,
    game: str = DEFAULT_GAME,
    threads: int = 2,
    points: Annotated[int, Option(help="Snapshots shown, spread evenly over those that were kept.")] = 10,
    as_json: Annotated[bool, Option("--json")] = False,
) -> None:
    """Train, then measure every snapshot."""
    share_processor()
    import react_env
    from react_env import agents
    from react_env.evaluation.ratings.exact import UNIFORM, GameTree, exact_exploitability
    from react_env.training.config import TrainConfig
    from react_env.training.selfplay.run import train

    small = describe(game).small
    played = react_env.load(game, **small)
    tree = GameTree.of(played)
    config = TrainConfig(
        game=game,
        options=dict(small),
        seed=seed,
        minutes=minutes,
        threads=threads,
        magnet=magnet,
        opponents={},
        self_share=1.0,
        pool_size=1000,
        snapshot_steps=100_000,
        imitation_games=0,
        shaping=0.0,
        evaluations=0,
    )
    found: list[dict[str, Any]] = []

    def add(steps: int, policy: Any) -> None:
        # The policy from which the agent draws, because it played by that while it learned.
        measured = exact_exploitability(tree, policy, temperature=1.0)
        found.append({"learner_steps": steps, "nash_conv": round(float(measured.nash_conv), 4)})

    with tempfile.TemporaryDirectory() as folder:
        result = train(config, Path(folder) / "run")
        kept = sorted((Path(folder) / "run" / "pool").glob("*"))  # empty after a short run
        shown = {round(i * (len(kept) - 1) / max(1, points - 1)) for i in range(points)} if kept else set()
        for i in sorted(shown):
            add(int(kept[i].name), agents.load(kept[i], played))
        add(result.steps, agents.load(result.model, played))
    uniform = round(float(exact_exploitability(tree, UNIFORM).nash_conv), 4)
    if as_json:
        print(json.dumps({"uniform": uniform, "magnet": magnet, "seed": seed, "run": found}, indent=2))
        return
    print(f"uniform play: NashConv {uniform}")
    for row in found:
        print(f"{row['learner_steps']:>12,} learner steps: NashConv {row['nash_conv']}")


if __name__ == "__main__":
    command(main)
