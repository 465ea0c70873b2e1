"""The record of a run: a line of JSON for each evaluation, and the learning curve as a picture."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

from react_env.evaluation.ratings.intervals import Rate
from react_env.extras import need
from react_env.files import write_aside

FILE = "progress.jsonl"
COLORS = ("#2f6fb3", "#c8501e", "#1f8a5f", "#8a4fb5", "#a87400", "#c2407f", "#2592ad", "#6b6f76")  # on a white ground
_FIRST = ("random", "greedy", "scripted")  # always in the first colours, so that pictures of two runs can be compared
_MARKERS = "osD^vPX*"
_NAME = 32  # letters of a baseline's name in the picture
_DASHES = ("-", "--", ":", "-.")


def append(folder: Path, *lines: dict[str, Any]) -> None:
    """Add evaluations to the record, replacing those at the same steps. If that raises OSError, none is added."""
    anew = {line["steps"] for line in lines}
    _write(folder, [*(line for line in read(folder) if line["steps"] not in anew), *lines])


def read(folder: Path) -> list[dict[str, Any]]:
    """All evaluations so far; a line that was cut by an interruption is left out."""
    lines = []
    try:
        text = (folder / FILE).read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return []
    for line in text.splitlines():
        with suppress(ValueError):
            lines.append(json.loads(line))
    return lines


def cut(folder: Path, steps: int) -> None:
    """Forget what was recorded after `steps`: the run goes on from there."""
    lines = read(folder)
    kept = [line for line in lines if line["steps"] <= steps]
    if len(kept) < len(lines):
        _write(folder, kept)


def _write(folder: Path, lines: Iterable[dict[str, Any]]) -> None:
    write_aside(folder / FILE, "".join(json.dumps(line) + "\n" for line in lines))


def baselines(lines: Iterable[dict[str, Any]]) -> list[str]:
    """All agents that the learner was measured against, in the order of their first evaluation."""
    return list(dict.fromkeys(name for line in lines for name in line["against"]))


def won(tally: Mapping[str, Any]) -> Rate:
    """The share of games won, from a tally in the record: of all games or of one seat."""
    return Rate(tally["wins"], tally["games"])


@dataclass(frozen=True)
class Look:
    """How the line of a baseline looks; up to 32 of them in a picture all differ."""

    number: int  # of the colour in COLORS
    marker: str
    dashes: str


def looks(names: Iterable[str]) -> dict[str, Look]:
    """A look for each baseline."""
    names = list(names)
    numbers = {name: _FIRST.index(name) for name in names if name in _FIRST}
    free = iter([number for number in range(len(names) + len(_FIRST)) if number not in numbers.values()])
    numbers |= {name: next(free) for name in names if name not in numbers}
    colors = len(COLORS)
    return {
        name: Look(n % colors, _MARKERS[n % len(_MARKERS)], _DASHES[n // colors % len(_DASHES)])
        for name, n in ((name, numbers[name]) for name in names)
    }


def unit_of_time(seconds: float) -> tuple[str, float]:
    """The unit in which to show a time of that length, and how many seconds it has."""
    return ("hours", 3600.0) if seconds >= 7200 else ("minutes", 60.0) if seconds >= 120 else ("seconds", 1.0)


def curve(
    axes: Any, lines: list[dict[str, Any]], over: Literal["steps", "seconds"] = "steps", only: str = "", seat: int = -1
) -> None:
    """Draw the win rate against each baseline into matplotlib's `axes`, with 95 % intervals (Wilson) as bands.

    Args:
        over: what the horizontal axis shows: learner steps, or the time of the run.
        only: the baseline to draw, without the others.
        seat: of the agent; -1: all together.
    """
    names = baselines(lines)
    unit, length = unit_of_time(lines[-1]["seconds"] if lines else 0.0)
    for name, look in looks(names).items():
        if only and name != only:
            continue
        met = [line for line in lines if name in line["against"]]
        found = [won(line["against"][name] if seat < 0 else line["against"][name]["seats"][seat]) for line in met]
        at = [line["steps"] if over == "steps" else line["seconds"] / length for line in met]
        bounds = [rate.interval for rate in found]
        color, dashes = COLORS[look.number], look.dashes if seat < 0 else _DASHES[seat % len(_DASHES)]
        axes.fill_between(at, *zip(*bounds, strict=True), color=color, alpha=0.16, linewidth=0)
        axes.plot(
            at,
            [rate.value for rate in found],
            color=color,
            marker=look.marker,
            linestyle=dashes,
            markersize=3.5,
            linewidth=1.6,
            label=name,
        )
    seats = max((len(tally["seats"]) for line in lines for tally in line["against"].values()), default=2)
    scale(axes, steps=over == "steps", seats=seats)
    axes.set(xlabel="learner steps" if over == "steps" else f"{unit} of the run", xlim=(0, None))


def scale(axes: Any, *, steps: bool = True, seats: int = 2) -> None:
    """Set up `axes` for shares of games won, over learner `steps` or over time; a line marks the even share of so many `seats`."""
    from matplotlib.ticker import EngFormatter, PercentFormatter

    axes.axhline(1 / seats, color="#9a9da3", linewidth=0.8, linestyle=(0, (4, 4)), zorder=0)
    axes.set_ylim(-0.02, 1.02)
    if steps:
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))


def picture(size: tuple[float, float]) -> tuple[Any, Any]:
    """A figure of that many inches, and its axes, for shares of games won."""
    need("train", "matplotlib")
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, dpi=150, layout="constrained")
    axes = figure.add_subplot(ylabel="games won")
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def save(figure: Any, path: Path) -> Path:
    """Write a figure as PNG."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png")
    write_aside(path, buffer.getvalue())
    return path


def draw(folder: Path, path: Path, title: str) -> Path:
    """The learning curve as PNG: win rate against each baseline over learner steps, with 95 % intervals."""
    lines = read(folder)
    figure, axes = picture((9, 4.8))
    curve(axes, lines)
    axes.set_title(textwrap.fill(title, 64), loc="left", fontsize=10)
    handles, names = axes.get_legend_handles_labels()
    if names:
        last = {name: won(tally) for line in lines for name, tally in line["against"].items()}
        words = []
        for name in names:
            low, high = last[name].interval
            told = f"{100 * last[name].value:.0f} % ({100 * low:.0f}-{100 * high:.0f}), n {last[name].games:,}"
            shown = name if len(name) <= _NAME else f"…{name[1 - _NAME :]}"  # the end of a path says most
            between = "  " if len(shown) <= _NAME // 2 else "\n"  # a wide legend leaves no room for the plot
            words.append(shown + between + told)
        figure.legend(
            handles,
            words,
            loc="outside right upper",
            frameon=False,
            fontsize=9,
            title="against; last evaluation\nband: 95 % interval (Wilson)",
            title_fontsize=9,
            alignment="left",
        )
    return save(figure, path)
