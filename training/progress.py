"""The record of a run: a line of JSON for each evaluation, and the learning curve as a picture."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import Any

from agents.files import write_aside
from evaluation.statistics import wilson

FILE = "progress.jsonl"
_COLORS = {"random": "#3b76af", "greedy": "#c2571a"}


def append(folder: Path, line: dict[str, Any]) -> None:
    """Add one evaluation to the record."""
    with open(folder / FILE, "a") as file:
        file.write(json.dumps(line) + "\n")


def read(folder: Path) -> list[dict[str, Any]]:
    """All evaluations so far; a line that was cut by an interruption is left out."""
    lines = []
    try:
        text = (folder / FILE).read_text()
    except FileNotFoundError:
        return []
    for line in text.splitlines():
        try:
            lines.append(json.loads(line))
        except ValueError:
            continue
    return lines


def cut(folder: Path, steps: int) -> None:
    """Forget what was recorded after `steps`: the run goes on from there."""
    kept = [line for line in read(folder) if line["steps"] <= steps]
    write_aside(folder / FILE, "".join(json.dumps(line) + "\n" for line in kept))


def draw(folder: Path, path: Path, title: str) -> Path:
    """The learning curve as PNG: win rate against each baseline over learner steps, with 95 % intervals."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter, PercentFormatter

    lines = read(folder)
    figure = Figure(figsize=(8, 4.5), dpi=150, layout="constrained")
    axes = figure.add_subplot()
    names = list(dict.fromkeys(name for line in lines for name in line["against"]))
    for name in names:
        points = [(line["steps"], line["against"][name]) for line in lines if name in line["against"]]
        steps = [step for step, _ in points]
        rates = [found["wins"] / found["games"] for _, found in points]
        bounds = [wilson(found["wins"], found["games"]) for _, found in points]
        color = _COLORS.get(name)
        axes.plot(steps, rates, "o-", color=color, markersize=4, label=f"against {name}")
        axes.fill_between(
            steps, [low for low, _ in bounds], [high for _, high in bounds], color=color, alpha=0.2, linewidth=0
        )
    axes.axhline(0.5, color="0.6", linewidth=0.8, linestyle="--")
    axes.set(xlabel="learner steps", ylabel="games won", ylim=(0, 1.02), title=title)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.grid(alpha=0.25)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if names:
        axes.legend(loc="lower right", frameon=False, title="band: 95 % interval (Wilson)")
    buffer = BytesIO()
    figure.savefig(buffer, format="png")
    write_aside(path, buffer.getvalue())
    return path
