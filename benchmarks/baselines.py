"""Learning curves of the standard algorithms in every game, and of PPO with one thing left out: docs/baselines.md.

python -m benchmarks.baselines [--steps 1500000] [--seeds 3] [--jobs N] [--runs FOLDER] [--only WORD] [--write] [GAME ...]

Each run is one `react-env train` of so many learner steps, on one thread, so that as many fit beside each other as there are processors
and the seed alone decides what comes of it. What was stopped goes on when it is called again, and what is finished is not run twice.
--write puts what the folder holds of these games into docs/baselines.yaml, from which `make docs` makes the tables, and draws the
pictures.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from typer import Argument, Option

import react_env
from benchmarks import command
from react_env.engine.compile import later
from react_env.evaluation.document import as_svg
from react_env.files import write_aside, write_json
from react_env.processors import processors
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
RUNNING: set[subprocess.Popen[str]] = set()


class Planned(NamedTuple):
    """A run, and its folder."""

    game: str
    method: str
    seed: int
    options: dict[str, Any]

    @property
    def name(self) -> str:
        """The name of its folder."""
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
    """Start or resume a run. Returns what went wrong, or an empty text."""
    here = folder / run.name
    mark = here / "finished"  # holds the number of steps
    if mark.exists() and int(mark.read_text()) >= steps:
        return ""
    file = folder / f"{run.name}.json"
    common = {"game": run.game, "seed": run.seed, "steps": steps, "threads": 1}
    write_json(file, {**common, "evaluations": 5, "evaluation_games": 400, **run.options})
    words = ["train", "--config", str(file), "--runs", str(folder), "--name", run.name]
    words += ["--resume"] if (here / "config.json").exists() else []
    words = [sys.executable, "-m", "react_env", *words]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        RUNNING.add(process)
        _, complaints = process.communicate()
    RUNNING.remove(process)
    if process.returncode:
        return f"exit status {process.returncode}: {complaints.strip().splitlines()[-1:]}"
    write_aside(mark, str(steps))
    return ""


def play_all(runs: list[Planned], folder: Path, steps: int, jobs: int) -> int:
    """Play all runs, `jobs` at a time. Returns how many failed."""
    folder.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    begin, failed = time.monotonic(), 0
    pool = ThreadPoolExecutor(jobs)
    try:
        waiting = {pool.submit(play, run, folder, steps): run for run in runs}
        for number, future in enumerate(as_completed(waiting), 1):
            problem = future.result()
            failed += bool(problem)
            left = (time.monotonic() - begin) / number * (len(runs) - number) / 60
            print(f"{number}/{len(runs)}  {waiting[future].name}  {problem or 'done'}  {left:.0f} min left", flush=True)
    except KeyboardInterrupt:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in [*RUNNING]:  # they save their state; only a terminal would have signalled them already
            process.send_signal(signal.SIGINT)
        print("stopped: the same command goes on", file=sys.stderr)
        raise SystemExit(130) from None
    finally:
        pool.shutdown(cancel_futures=True)
    return failed


def found(folder: Path, runs: list[Planned]) -> list[dict[str, Any]]:
    """Results of the finished runs: a row for each, with a point (steps, seconds, games won of 400 against each) for each evaluation."""
    rows = []
    for run in runs:
        if (folder / run.name / "finished").exists():
            lines = progress.read(folder / run.name)
            won = [{name: [tally["wins"], tally["games"]] for name, tally in line["against"].items()} for line in lines]
            points = [[line["steps"], round(line["seconds"]), tally] for line, tally in zip(lines, won, strict=True)]
            rows.append({"game": run.game, "method": run.method, "seed": run.seed, "points": points})
    return rows


def draw(rows: list[dict[str, Any]], game_id: str, methods: list[str]) -> str:
    """The share of games won against greedy over learner steps, as SVG: a line for each run, a colour for each method."""
    with later():
        seats = react_env.load(game_id).num_players

    def fill(figure: Any) -> None:
        axes = figure.add_subplot(xlabel="learner steps", ylabel="games won against greedy")
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
        progress.scale(axes, seats=seats)
        axes.set_xlim(left=0)
        figure.legend(loc="outside right upper", frameon=False, fontsize=9)

    return as_svg(7.2, 3.6, fill)


def write(folder: Path, runs: list[Planned]) -> None:
    """Write docs/baselines.yaml and the pictures; the rows of other games stay."""
    import yaml

    there, played = DOCS / "baselines.yaml", {run.game for run in runs}
    before = yaml.safe_load(there.read_text(encoding="utf-8"))["runs"] if there.exists() else []
    rows = [row for row in before if row["game"] not in played] + found(folder, runs)
    rows.sort(key=lambda row: row["game"])
    known = {"standard": [*STANDARD], "without": [WARM, *WITHOUT], "runs": rows}
    head = (
        "# What `python -m benchmarks.baselines` measured; `make docs` makes the tables of docs/baselines.md from it.\n"
    )
    write_aside(there, head + yaml.safe_dump(known, default_flow_style=None, width=140))
    for game_id in dict.fromkeys(row["game"] for row in rows):
        name = game_id.rpartition("-")[0]
        write_aside(DOCS / "pictures" / f"learning_{name}.svg", draw(rows, game_id, [*STANDARD]))
        if game_id == DEFAULT_GAME:
            write_aside(DOCS / "pictures" / f"without_{name}.svg", draw(rows, game_id, [WARM, *WITHOUT]))


def main(
    games: Annotated[list[str] | None, Argument(metavar="GAME")] = None,
    steps: Annotated[int, Option(help="Learner steps of each run.")] = 1_500_000,
    seeds: int = 3,
    jobs: Annotated[int, Option(help="Runs at the same time.")] = processors(),
    runs: Path = Path("runs/baselines"),
    only: Annotated[str, Option(help="Only methods whose name has this in it.")] = "",
    writes: Annotated[bool, Option("--write", help="Run nothing; write what there is into the docs.")] = False,
) -> None:
    """Run, and write."""
    wanted = list(planned(games or [*react_env.game_ids()], seeds, only))
    if writes:
        write(runs, wanted)
    elif play_all(wanted, runs, steps, jobs):
        raise SystemExit(1)


if __name__ == "__main__":
    command(main)
