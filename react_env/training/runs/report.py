"""The page of a run, report.html: what is trained, how it goes, how fast, and the command that makes it again.

Everything comes from the files of the run's folder, so the page can be written again at any time, by another process too. It is one file
that runs no scripts and loads nothing.
"""

from __future__ import annotations

import base64
import logging
import math
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from react_env.agents.models.model import ModelInfo, PolicyArchitecture, ValueArchitecture, Weights, load_model
from react_env.errors import ModelError
from react_env.evaluation.document import as_svg
from react_env.evaluation.pages import environment
from react_env.evaluation.ratings.intervals import Rate
from react_env.extras import need
from react_env.files import read_json, write_aside
from react_env.registry import option_words
from react_env.training.config import TrainConfig, option_text
from react_env.training.runs import progress
from react_env.training.selfplay import checkpoints
from react_env.training.selfplay.schedule import LEARNING, Schedule

FILE = "report.html"
_PAUSE = 10.0  # seconds between two writings of a run's page; each takes about half a second
_POINTS = 150  # most points in a line; with more updates, each is a mean
_DARK = dict(  # colours of the pictures: light -> dark
    zip(
        (*progress.COLORS, "#5d6068", "#e2e2de", "#9a9da3"),
        ("#7db4f0", "#f2935f", "#5cc79a", "#c49aec", "#e0b64a", "#f08bb8", "#7fd0e6", "#b5b9c0")
        + ("#a2a5ad", "#33363c", "#74777e"),
        strict=True,
    )
)
_SHORT = {"seconds": "s", "minutes": "min", "hours": "h"}
_CHARTS = {  # TensorBoard's name -> heading, what to look for
    "policy_loss": ("Policy loss", "Small and noisy: its level says little."),
    "value_loss": ("Value loss", "Squared error of the expected reward."),
    "entropy": ("Entropy", "In nats. Near 0 the policy no longer tries anything."),
    "approx_kl": ("KL divergence", "From the policy that played; above 0.05 the steps are large."),
    "clip_fraction": ("Clip fraction", "Decisions whose probability ratio left PPO's range."),
    "magnet_kl": ("Divergence from the magnet", "From the moving average of the policy."),
}
_NOT_ALWAYS = ("magnet_kl",)  # all 0 in a run without it


@dataclass(frozen=True)
class Updates:
    """What TensorBoard's files hold of U updates, oldest first; an update that a resumed run repeated appears once."""

    steps: NDArray[np.int64]  # (U,) learner steps after the update
    times: NDArray[np.float64]  # (U,) when it ended, seconds since 1970
    values: dict[str, NDArray[np.float64]]  # "entropy" and so on -> (U,)
    rates: NDArray[np.float64]  # (U,) learner steps per second up to then, counting only playing and updating
    begun: tuple[float, ...]  # when the run was begun and each time it was resumed, seconds since 1970

    @property
    def seconds(self) -> NDArray[np.float64]:
        """(U,) seconds of playing and updating up to then; 0 if nothing has been learned yet, as in the first update on a cluster."""
        return np.divide(self.steps, self.rates, out=np.zeros(len(self.steps)), where=self.rates > 0)


@dataclass(frozen=True)
class Share:
    """A part of a whole."""

    name: str
    share: float  # 0..1
    note: str = ""


def keep(folder: Path, log: Any, say: Callable[[str], None], *, final: bool = False) -> None:
    """Call `write` while a run goes on: a failure is reported to `say` and does not stop the run.

    Args:
        folder: of the run.
        log: its Plots, flushed first.
        final: the run ends here; otherwise, a page younger than ten seconds is left as it is.
    """
    try:
        file = folder / FILE
        if not final and file.exists() and 0 <= time.time() - file.stat().st_mtime < _PAUSE:
            return
        log.flush()
        write(folder)
    except Exception as error:  # a picture is never worth a run
        say(f"{folder / FILE}: not written ({type(error).__name__}: {error})")


def write(folder: Path) -> Path:
    """Write the page of the run in `folder`, and return its path. Raises OptionError if there is no run."""
    path = folder / FILE
    write_aside(path, html(folder))
    return path


def html(folder: Path) -> str:
    """The page of the run in `folder`. Raises OptionError if there is no run."""
    import react_env

    config = TrainConfig.read(folder / "config.json")
    lines, updates = progress.read(folder), read_updates(folder / "tensorboard")
    found = _model(folder)
    info = found[1] if found else None
    saved = f"{checkpoints.newest_steps(folder / 'checkpoints'):012d}"
    state = read_json(folder / "checkpoints" / saved / "checkpoint.json")
    done: Mapping[str, Any] = info.training if info else {}
    steps, seconds = int(done.get("learner_steps", 0)), float(done.get("seconds", 0.0))
    if lines and lines[-1]["steps"] >= steps:
        steps, seconds = lines[-1]["steps"], max(seconds, lines[-1]["seconds"])
    phases = done.get("phases", {})
    pages = environment("react_env.training")
    pages.filters |= {"time": _time_words, "day": _day}
    names = progress.baselines(lines)
    return pages.get_template("run.html").render(
        name=folder.resolve().name,
        config=config,
        info=info,
        options=", ".join(
            f"{key} {_plain(value)}" for key, value in (info.options if info else config.options).items()
        ),
        kind=done.get("algorithm", config.algorithm),
        network=_network_words(info) if info else "",
        parameters=sum(value.size for key, value in found[0].items() if key != "scale") if found else 0,
        bfloat16=done.get("bfloat16", False),
        gpu=done.get("device") == "cuda",
        steps=steps,
        seconds=seconds,
        rate=done.get("steps_per_second", 0),
        end=_end_words(config),
        part_done=Schedule(config.steps, config.minutes, 0).fraction(steps, phases.get(LEARNING, {}).get("clock", 0.0)),
        last=[(key, progress.won(tally)) for key, tally in (lines[-1]["against"].items() if lines else ())],
        looks=progress.looks(names),
        curves=_curves(lines),
        seat_curves=_seat_curves(lines),
        evaluations=[_evaluation_rows(line) for line in reversed(lines)],
        seats=max((len(tally["seats"]) for line in lines for tally in line["against"].values()), default=0),
        opponents=opponent_shares(config, state),
        pool=pool_results(state),
        times=time_shares(phases, done.get("seconds_of", {})),
        phases=phases,
        threads=config.threads,
        speed=_speed(updates),
        charts=_charts(updates),
        parts=_parts(updates),
        command=command(config, folder),
        version=react_env.__version__,
        written=time.time(),
        colors=list(zip(progress.COLORS, [_DARK[color] for color in progress.COLORS], strict=True)),
    )


# What the files hold


def read_updates(folder: Path) -> Updates:
    """What TensorBoard's event files in `folder` hold of the updates."""
    need("train", "tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

    events = EventAccumulator(str(folder), size_guidance={"scalars": 0})
    log = logging.getLogger("tensorboard")
    level = log.level
    log.setLevel(logging.ERROR)  # no warnings that a resumed run repeats steps
    try:
        if folder.is_dir():
            events.Reload()
    finally:
        log.setLevel(level)
    rate = "rate/learner_steps_per_second"
    tags = [tag for tag in events.Tags()["scalars"] if tag.startswith("update/")]
    rows = {tag: events.Scalars(tag) for tag in (*tags, rate)} if tags and rate in events.Tags()["scalars"] else {}
    count = min(map(len, rows.values()), default=0)  # a process that was killed may have left an update half written
    first = rows[rate][:count] if rows else []
    starts = (next(EventFileLoader(str(file)).Load(), None) for file in folder.glob("events.out.tfevents.*"))
    begun = sorted(start.wall_time for start in starts if start is not None)
    return Updates(
        np.array([event.step for event in first], np.int64),
        np.array([event.wall_time for event in first], np.float64),
        {tag.partition("/")[2]: np.array([event.value for event in rows[tag][:count]], np.float64) for tag in tags},
        np.array([event.value for event in first], np.float64),
        tuple(begun),
    )


def _model(folder: Path) -> tuple[Weights, ModelInfo] | None:
    """The newest agent; None before the first is saved."""
    try:
        return load_model(folder)
    except ModelError:
        return None


def command(config: TrainConfig, folder: Path = Path("runs/selfplay")) -> str:
    """The command line that makes a run like this one: the game, its folder, the threads, and every option that is not usual for its
    algorithm."""
    words = ["react-env", "train", *option_words(config.game, config.options)]
    for flag, text, usual_text in (("--name", folder.name, "selfplay"), ("--runs", str(folder.parent), "runs")):
        words += [flag, shlex.quote(text)] if text != usual_text else []
    usual = TrainConfig(minutes=1, algorithm=config.algorithm, start="any").model_copy(
        update={"minutes": 0.0, "algorithm": "ppo", "start": ""}
    )
    for name in TrainConfig.describe():
        value = getattr(config, name)
        if name in ("game", "options") or (name != "threads" and value == getattr(usual, name)):
            continue
        if name == "opponents":
            flag, given = "--opponent", [f"{agent}={share:g}" for agent, share in (value or {"random": 0}).items()]
        elif name == "baselines":
            flag, given = "--baseline", list(value)
        elif name in ("steps", "minutes", "algorithm", "seed", "threads", "start"):
            flag, given = f"--{name}", [f"{value:g}" if name == "minutes" else str(value)]
        else:
            flag, given = "-o", [f"{name}={option_text(value)}"]
        words += [word for text in given for word in (flag, shlex.quote(text))]
    return " ".join(words)


def opponent_shares(config: TrainConfig, state: Mapping[str, Any]) -> list[Share]:
    """Who holds the other seat, and in what share of the games. `state`: the newest checkpoint's."""
    found = [Share(name, share) for name, share in config.opponents.items() if share]
    rest = max(0.0, 1.0 - sum(config.opponents.values()))
    pool = state.get("pool", {})
    own = min(config.self_share, rest) if pool.get("playing") else rest
    note = "the share of the earlier selves is its own until there are any" if own > config.self_share else ""
    found.append(Share("its newest self", own, note))
    if rest - own > 1e-9:
        found.append(Share("earlier selves", rest - own, f"{config.pool_active} of the pool at a time"))
    return found


def pool_results(state: Mapping[str, Any]) -> list[tuple[int, bool, Rate]]:
    """For each earlier self of the pool: its learner steps, whether it plays now, the learner's newest results against it."""
    pool = state.get("pool", {})
    rows = []
    for steps in pool.get("members", []):
        results = pool["results"].get(str(steps), [])
        rows.append((steps, steps in pool["playing"], Rate(sum(result > 0 for result in results), len(results))))
    return rows


def time_shares(phases: Mapping[str, Mapping[str, float]], of: Mapping[str, float]) -> list[Share]:
    """Where the time of the run went: `phases` and `of` are phases and seconds_of in model.json; inference is a part of play."""
    inference = of.get("inference", 0.0)
    parts = [
        ("games and opponents" if inference else "games, opponents and inference", of.get("play", 0.0) - inference),
        ("inference of the learner", inference),
        ("update", of.get("update", 0.0)),
        *((name, spent["clock"]) for name, spent in phases.items() if name != LEARNING),
    ]
    whole = sum(spent for _, spent in parts)
    return [Share(name, spent / whole, _time_words(spent)) for name, spent in parts if spent > 0]


# In words


def _plain(value: Any) -> str:
    return " - ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _network_words(info: ModelInfo) -> str:
    def widths(sizes: Sequence[int]) -> str:
        return "-".join(map(str, sizes)) or "none"

    shape = info.architecture
    if isinstance(shape, ValueArchitecture):
        return (
            f"a learned value: {len(shape.features)} features of each side, {shape.width} hidden units, weights for each of "
            f"{len(shape.roles)} roles" + (f"; over it a policy, {shape.policy} wide" if shape.policy else "")
        )
    if isinstance(shape, PolicyArchitecture):
        return f"a policy over the game's own value, {shape.policy} wide"
    text = (
        f"layers shared {widths(shape.trunk)}, of the policy {widths(shape.policy)}, of the value {widths(shape.value)}"
    )
    if shape.rows:
        text += f"; {shape.row_width} for single zones, units and directions"
    return f"{text}; {shape.activation}; {info.observation_size:,} numbers in, {info.action_count} actions out"


def _end_words(config: TrainConfig) -> str:
    ends = [f"{config.steps:,} learner steps"] if config.steps else []
    ends += [f"{config.minutes:g} minutes"] if config.minutes else []
    return " or ".join(ends)


def _time_words(seconds: float) -> str:
    unit, length = progress.unit_of_time(seconds)
    return f"{seconds / length:.1f} {_SHORT[unit]}"


def _day(moment: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(moment))


def _evaluation_rows(line: Mapping[str, Any]) -> dict[str, Any]:
    rows = [
        {
            "name": name,
            "all": progress.won(tally),
            "seats": [progress.won(seat) for seat in tally["seats"]],
            "none": tally["ties"] + tally["truncations"],
        }
        for name, tally in line["against"].items()
    ]
    return {"steps": line["steps"], "seconds": line["seconds"], "rows": rows}


def _parts(updates: Updates) -> list[dict[str, Any]]:
    """The parts of a run between interruptions; those without an update are left out."""
    parts = []
    for begin, end in zip(updates.begun, (*updates.begun, math.inf)[1:], strict=True):
        inside = np.flatnonzero((updates.times >= begin) & (updates.times < end))
        if inside.size:
            times, steps = updates.times[inside], updates.steps[inside]
            parts.append({"begun": begin, "seconds": times[-1] - begin, "from": int(steps[0]), "to": int(steps[-1])})
    return parts


# Pictures


def _picture(draw: Callable[[Any], None], *, large: bool) -> dict[str, str]:
    """An SVG as data URIs {"light", "dark"}: `draw` fills its axes."""
    soft = "#5d6068"
    look = {
        "axes.edgecolor": "#e2e2de",
        "axes.labelcolor": soft,
        "xtick.color": soft,
        "ytick.color": soft,
        "xtick.labelsize": 9.5,
        "ytick.labelsize": 9.5,
        "savefig.transparent": True,
    }
    width, height = (5.2, 3.3) if large else (3.7, 2.2)

    def fill(figure: Any) -> None:
        figure.set_layout_engine()  # none, so that the plots have the same edges in all pictures
        figure.subplots_adjust(left=0.6 / width, right=1 - 0.15 / width, bottom=0.5 / height, top=1 - 0.1 / height)
        axes = figure.add_subplot()
        draw(axes)
        axes.tick_params(length=0)

    light = as_svg(width, height, fill, look).replace("'DejaVu Sans'", "system-ui, 'DejaVu Sans'")
    dark = light
    for color, other in _DARK.items():
        dark = dark.replace(color, other)
    return {"light": _data_uri(light), "dark": _data_uri(dark)}


def _data_uri(svg: str) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def _curves(lines: list[dict[str, Any]]) -> list[dict[str, str]]:
    """The learning curve over learner steps and over the time of the run."""
    axes: tuple[tuple[str, Literal["steps", "seconds"]], ...] = (
        ("Over learner steps", "steps"),
        ("Over time", "seconds"),
    )
    return [
        {"title": title, **_picture(partial(progress.curve, lines=lines, over=over), large=True)}
        for title, over in (axes if lines else ())
    ]


def _seat_curves(lines: list[dict[str, Any]]) -> list[dict[str, str]]:
    """For each baseline the learning curve of each seat."""

    def draw(axes: Any, name: str) -> None:
        for seat in range(max(len(line["against"][name]["seats"]) for line in lines if name in line["against"])):
            progress.curve(axes, lines, only=name, seat=seat)

    return [
        {"title": f"Against {name}", **_picture(partial(draw, name=name), large=False)}
        for name in progress.baselines(lines)
    ]


def _means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """At most `_POINTS` means of neighbours: (min(U, _POINTS),)."""
    return np.array([part.mean() for part in np.array_split(values, min(len(values), _POINTS))])


def _line(at: NDArray[Any], values: NDArray[np.float64], color: str) -> Callable[[Any], None]:
    def draw(axes: Any) -> None:
        need("train", "matplotlib")
        from matplotlib.ticker import EngFormatter, MaxNLocator

        axes.plot(at, values, color=color, linewidth=1.5, marker="o" if len(values) < 3 else "", markersize=3)
        axes.set_xlabel("learner steps")
        axes.set_xlim(left=0)
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.yaxis.set_major_locator(MaxNLocator(5))
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        axes.yaxis.set_major_formatter(EngFormatter(sep="") if np.abs(values).max() >= 1000 else "{x:g}")

    return draw


def _charts(updates: Updates) -> list[dict[str, str]]:
    """A picture of each of the update's losses."""
    pictures = []
    for name, (title, words) in _CHARTS.items():
        values = updates.values.get(name, np.zeros(0))
        if not values.size or (name in _NOT_ALWAYS and not values.any()):
            continue
        points = _line(_means(updates.steps.astype(np.float64)), _means(values), progress.COLORS[0])
        pictures.append({"title": title, "words": words, **_picture(points, large=False)})
    return pictures


def _speed(updates: Updates) -> dict[str, str] | None:
    """Learner steps a second of playing and updating, over the run."""
    if not len(updates.steps):
        return None
    # Each mean rate gives the seconds up to its update; differences over several updates give the rate in between.
    last = np.unique(np.linspace(0, len(updates.steps), min(len(updates.steps), _POINTS) + 1).astype(int)[1:] - 1)
    steps, seconds = updates.steps[last], updates.seconds[last]
    rates = np.diff(steps, prepend=0) / np.maximum(np.diff(seconds, prepend=0.0), 1e-9)

    unit, length = progress.unit_of_time(seconds[-1])

    def draw(axes: Any) -> None:
        _line(seconds / length, rates, progress.COLORS[2])(axes)
        axes.set_xlabel(f"{unit} of play and update")
        axes.set_ylim(0, 1.15 * max(1.0, rates.max()))

    return _picture(draw, large=False)
