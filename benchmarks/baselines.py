"""Learning curves of the standard algorithms in every game, and of PPO with one thing left out: docs/baselines.md.

python -m benchmarks.baselines [--steps 1500000] [--seeds 3] [--jobs N] [--runs FOLDER] [--only WORD] [--write] [GAME ...]

Each run is one `react-env train` of so many learner steps, on one thread, so that as many fit beside each other as there are processors
and the seed alone decides what comes of it. What was stopped goes on when it is called again, and what is finished is not run twice.
--write puts what the folder holds into docs/baselines.yaml, from which `make docs` makes the tables, and draws the pictures.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

import react_env
from react_env.engine.compile import later, processors
from react_env.files import write_aside, write_json
from react_env.registry import DEFAULT_GAME
from react_env.training.runs import progress

DOCS = Path(__file__).resolve().parents[1] / "docs"
WARM = "PPO, warm start"
STANDARD: dict[str, dict[str, Any]] = {
    "MaskablePPO": {"algorithm": "maskable_ppo", "imitation_games": 0},
    "PPO": {"imitation_games": 0},
    WARM: {},
    "TD": {"algorithm": "td", "evaluated_as": "1,width=0"},
}
WITHOUT: dict[str, dict[str, Any]] = {  # of the default game, beside "PPO, warm start"
    "no shaped rewards": {"shaping": 0.0},
    "no rows, no pools": {"row_width": 0, "pool_width": 0},
    "no sparring partners": {"opponents": {}},
    "16 decisions a game and update": {"rollout": 16, "envs": 4096},
}


class Planned(NamedTuple):
    """A run, and the folder in which it is."""

    game: str
    method: str
    seed: int
    options: dict[str, Any]

    @property
    def name(self) -> str:
        """Its folder."""
        return f"{self.game}-{self.method.replace(',', '').replace(' ', '_')}-{self.seed}"


def planned(games: list[str], seeds: int, only: str) -> Iterator[Planned]:
    """All runs, the first seed of each first."""
    for seed in range(seeds):
        for game_id in games:
            with later():
                game = react_env.load(game_id)
            for method, options in (STANDARD | (WITHOUT if game_id == DEFAULT_GAME else {})).items():
                if options.get("algorithm") == "td" and (game.heuristics.features is None or game.num_players != 2):
                    continue
                if only in method:
                    yield Planned(game_id, method, seed, options)


def play(run: Planned, folder: Path, steps: int) -> str:
    """Run it, or go on with it; what went wrong, or nothing."""
    here = folder / run.name
    mark = here / "finished"  # with how many steps
    if mark.exists() and int(mark.read_text()) >= steps:
        return ""
    file = folder / f"{run.name}.json"
    common = {"game": run.game, "seed": run.seed, "steps": steps, "threads": 1}
    write_json(file, {**common, "evaluations": 5, "evaluation_games": 400, **run.options})
    words = ["train", "--config", str(file), "--runs", str(folder), "--name", run.name]
    words += ["--resume"] if (here / "config.json").exists() else []
    done = subprocess.run([sys.executable, "-m", "react_env.cli", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        return f"exit status {done.returncode}: {done.stderr.strip().splitlines()[-1:]}"
    write_aside(mark, str(steps))
    return ""


def play_all(runs: list[Planned], folder: Path, steps: int, jobs: int) -> int:
    """Run all of them, so many at a time; how many failed."""
    folder.mkdir(parents=True, exist_ok=True)
    begin, failed = time.monotonic(), 0
    pool = ThreadPoolExecutor(jobs)
    try:
        waiting = {pool.submit(play, run, folder, steps): run for run in runs}
        for number, future in enumerate(as_completed(waiting), 1):
            problem = future.result()
            failed += bool(problem)
            left = (time.monotonic() - begin) / number * (len(runs) - number) / 60
            print(f"{number}/{len(runs)}  {waiting[future].name}  {problem or 'done'}  {left:.0f} min left", flush=True)
    except KeyboardInterrupt:  # the runs get it as well, and save themselves
        print("stopped: the same command goes on", file=sys.stderr)
        raise SystemExit(130) from None
    finally:
        pool.shutdown(cancel_futures=True)
    return failed


def found(folder: Path, runs: list[Planned]) -> list[dict[str, Any]]:
    """What the finished runs came to: a row for each, with a point (steps, seconds, games won of 400 against each) for each evaluation."""
    rows = []
    for run in runs:
        if (folder / run.name / "finished").exists():
            lines = progress.read(folder / run.name)
            won = [{name: [tally["wins"], tally["games"]] for name, tally in line["against"].items()} for line in lines]
            points = [[line["steps"], round(line["seconds"]), tally] for line, tally in zip(lines, won, strict=True)]
            rows.append({"game": run.game, "method": run.method, "seed": run.seed, "points": points})
    return rows


def draw(rows: list[dict[str, Any]], game_id: str, methods: list[str], path: Path) -> None:
    """The share of games won against greedy over learner steps: a line for each run, a colour for each method."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter, PercentFormatter

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "react_env", "font.family": "sans-serif"}):
        figure = Figure(figsize=(7.2, 3.6), layout="constrained")
        figure.patch.set_facecolor("white")
        axes = figure.add_subplot()
        for number, method in enumerate(methods):
            for row in rows:
                if (row["game"], row["method"]) == (game_id, method):
                    axes.plot(
                        [steps for steps, _, _ in row["points"]],
                        [won["greedy"][0] / won["greedy"][1] for _, _, won in row["points"]],
                        color=progress.COLORS[number],
                        linewidth=1.4,
                        alpha=0.8,
                        label=method if row["seed"] == 0 else None,
                    )
        with later():
            even = 1 / react_env.load(game_id).num_players
        axes.axhline(even, color="#9a9da3", linewidth=0.8, linestyle=(0, (4, 4)), zorder=0)
        axes.set(xlabel="learner steps", ylabel="games won against greedy", ylim=(-0.02, 1.02))
        axes.set_xlim(left=0)
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="outside right upper", frameon=False, fontsize=9)
        aside = path.with_suffix(".aside.svg")
        figure.savefig(aside, metadata={"Date": None})
        aside.replace(path)


def write(folder: Path, runs: list[Planned]) -> None:
    """docs/baselines.yaml and the pictures."""
    import yaml

    rows = found(folder, runs)
    known = {"standard": [*STANDARD], "without": [WARM, *WITHOUT], "runs": rows}
    head = (
        "# What `python -m benchmarks.baselines` measured; `make docs` makes the tables of docs/baselines.md from it.\n"
    )
    write_aside(DOCS / "baselines.yaml", head + yaml.safe_dump(known, default_flow_style=None, width=140))
    for game_id in dict.fromkeys(row["game"] for row in rows):
        name = game_id.rpartition("-")[0]
        draw(rows, game_id, [*STANDARD], DOCS / "pictures" / f"learning_{name}.svg")
        if game_id == DEFAULT_GAME:
            draw(rows, game_id, [WARM, *WITHOUT], DOCS / "pictures" / f"without_{name}.svg")


def main() -> None:
    """Run, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="*", default=react_env.game_ids())
    parser.add_argument("--steps", type=int, default=1_500_000, help="learner steps of each run")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=processors(), help="runs at the same time")
    parser.add_argument("--runs", type=Path, default=Path("runs/baselines"))
    parser.add_argument("--only", default="", help="only methods whose name has this in it")
    parser.add_argument("--write", action="store_true", help="run nothing; write what there is into the docs")
    options = parser.parse_args()
    runs = list(planned(options.game, options.seeds, options.only))
    if options.write:
        write(options.runs, runs)
    elif play_all(runs, options.runs, options.steps, options.jobs):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
