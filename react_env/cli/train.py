"""`react-env train`: self-play, with every option of a run."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer
from typer import Option

from react_env.cli import flags
from react_env.cli.common import (
    bar,
    clock_words,
    errors,
    named_values,
    options_of,
    output,
    pair,
    print_facts,
    print_json,
    which_game,
)
from react_env.content.files import short
from react_env.errors import OptionError
from react_env.extras import need
from react_env.registry import option_words

if TYPE_CHECKING:
    from react_env.evaluation.cluster import Cluster
    from react_env.training.config import TrainConfig
    from react_env.training.selfplay.run import TrainResult


def _list_options(wanted: bool) -> None:
    """Print every option of learning, with its usual value and a sentence about it."""
    if not wanted:
        return
    from rich.table import Table

    from react_env.training.config import USUAL, TrainConfig, option_text

    about = TrainConfig.describe()
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column()
    for group, names in TrainConfig.groups().items():
        table.add_row(f"[bold]{group}[/]")
        for name in names:
            value, sentence = about[name]
            table.add_row(
                f"  {name}",
                option_text(value),
                sentence
                + "".join(f" {kind}: {option_text(found[name])}." for kind, found in USUAL.items() if name in found),
            )
    output().print(table, markup=True)
    raise typer.Exit


def train(
    game_name: flags.Game = None,
    name: Annotated[
        str, Option(metavar="NAME", help="Name of the run; default selfplay.", show_default=False)
    ] = "selfplay",
    runs: Annotated[
        Path, Option(metavar="FOLDER", help="Folder of all runs; default runs.", show_default=False)
    ] = Path("runs"),
    resume: Annotated[bool, Option("--resume", help="Continue this run.")] = False,
    minutes: Annotated[float | None, Option(metavar="N", help="Minutes of learning; default 30.")] = None,
    steps: Annotated[int | None, Option(metavar="N", help="End after N decisions.")] = None,
    algorithm: Annotated[
        str | None, Option(metavar="NAME", help="ppo (the default), maskable_ppo, td, residual.")
    ] = None,
    start: Annotated[str | None, Option(metavar="MODEL", help="A model to begin from.")] = None,
    opponents: Annotated[
        list[str] | None, Option("--opponent", metavar="NAME=SHARE", help="Spar with it in this share of games.")
    ] = None,
    baselines: Annotated[
        list[str] | None, Option("--baseline", metavar="NAME", help="Measure it against this agent.")
    ] = None,
    learning: Annotated[
        list[str] | None, Option("-o", "--option", metavar="NAME=VALUE", help="Any other training option.")
    ] = None,
    list_options: Annotated[
        bool, Option("--list-options", is_eager=True, callback=_list_options, help="List what -o can set.")
    ] = False,
    file: flags.Config = None,
    threads: Annotated[int | None, Option(metavar="N", help="Threads; default all processors.")] = None,
    ray: flags.Ray = None,
    seed: Annotated[int | None, Option("--seed", metavar="N", min=0, help="Seed of all chance; default 0.")] = None,
    game_id: flags.OtherGame = None,
    seats: flags.Seats = None,
    sets: flags.Set = None,
    as_json: flags.Json = False,
) -> None:
    """Train an agent by self-play: against its newest self, earlier selves and other agents.

    The run is a folder: **model.safetensors** plays (react-env arena greedy FOLDER), **report.html** and **learning_curve.png** show how
    it went, **tensorboard/** the details. Ctrl-C saves and ends; **--resume** goes on, after a kill too, with at most a minute lost.
    """
    need("train")
    from react_env.training.config import TrainConfig, read_options

    given = read_options(file) if file is not None else {}
    given |= named_values(learning, "--option")
    said = {
        "minutes": minutes,
        "steps": steps,
        "algorithm": algorithm,
        "start": start,
        "threads": threads,
        "seed": seed,
    }
    given |= {key: value for key, value in said.items() if value is not None}
    if opponents:
        given["opponents"] = dict(pair(text, "--opponent", "NAME=SHARE") for text in opponents)
    if baselines:
        given["baselines"] = baselines
    before: dict[str, Any] = _begun(runs / name) if resume else {}
    if game_name or game_id or "game" not in given | before:
        given["game"] = which_game(game_name, game_id)
    game = str(given.get("game", before.get("game")))
    brought = given.get("options", {})
    given["options"] = {**brought, **options_of(game, sets, seats)} if isinstance(brought, dict) else brought
    if before:
        config = _going_on(before, given, runs / name)
    else:
        if "steps" not in given and "minutes" not in given:
            given["minutes"] = 30.0
        config = TrainConfig(**given)
    from react_env.training.selfplay.lock import check_free

    if ray is not None:
        config.check_elsewhere()
    check_free(runs / name, resume)  # before anything slow begins
    from react_env.evaluation.cluster import on

    with on(ray) as cluster:
        result = run(config, runs / name, resume, cluster=cluster)
    if as_json:
        print_json(summary(result))
    else:
        report(result, option_words(config.game, config.options))
    if result.interrupted:
        raise typer.Exit(130)


def _begun(folder: Path) -> dict[str, Any]:
    """The options with which the run in a folder was begun. OptionError if there is no run."""
    from react_env.training.config import read_options

    if not (folder / "config.json").exists():
        raise OptionError(f"{folder} holds no run to resume; leave out --resume to begin one there")
    return read_options(folder / "config.json")


def _going_on(before: dict[str, Any], given: dict[str, Any], folder: Path) -> TrainConfig:
    """The options of a resumed run: its own, with a new end if one is given. OptionError if any other option differs from its own."""
    from react_env.training.config import TrainConfig

    ends = {name: given.pop(name) for name in ("steps", "minutes") if given.get(name)}
    if ends:
        before = {**before, "steps": 0, "minutes": 0.0, **ends}
    if not given["options"]:
        del given["options"]
    was = TrainConfig(**before)
    try:
        asked = vars(TrainConfig(**{**before, **given}))
    except OptionError:
        # Perhaps they only clash with the run's own options; then the message below says what differs.
        if any(type(getattr(was, name, None)) is not type(value) for name, value in given.items()):
            raise
        asked = given
    differ = [name for name in given if getattr(was, name) != asked[name]]
    if differ:
        told = ", ".join(_difference(name, getattr(was, name), asked[name]) for name in differ)
        raise OptionError(f"{folder} was started with {told}; only --steps and --minutes may change")
    return was


def _difference(name: str, was: Any, asked: Any) -> str:
    """How the value of an option differs from that of the run; of a table, the entries that differ."""
    if isinstance(was, dict) and isinstance(asked, dict):
        keys = [key for key in {**was, **asked} if was.get(key) != asked.get(key)]
        return ", ".join(_difference(f"{name} {key}", was.get(key), asked.get(key)) for key in keys)
    return f"{name} {short(was)}, not {short(asked)}"


Show: TypeAlias = Callable[[str, float, str, float], None]  # doing, part of the whole 0..1, numbers, seconds left


@contextmanager
def whole_bar() -> Iterator[Show]:
    """A progress bar on standard error for everything a command does: the current step, the part of the whole, and the time left."""
    with bar("{task.percentage:>3.0f} % of the whole", "{task.fields[numbers]}") as progress:
        task = progress.add_task("preparing", total=1.0, numbers="")

        def show(doing: str, part: float, numbers: str, seconds_left: float) -> None:
            left = f"{clock_words(seconds_left)} left" if math.isfinite(seconds_left) else ""
            progress.update(task, completed=part, description=doing, numbers=f"{numbers}  {left}")

        yield show


def prepare(config: TrainConfig, folder: Path, resume: bool) -> None:
    """Compile what the run in `folder` needs, on all processors, while torch is imported."""
    import react_env
    from react_env.agents.registry import check_spec
    from react_env.engine.compile import ahead, later
    from react_env.training.algorithms.compiled import tasks
    from react_env.training.config import TrainConfig

    before = folder / "config.json"
    if before.exists():
        if not resume:
            return  # the run will be refused
        config = TrainConfig.read(before)
    for spec in (*config.opponents, *config.baselines, config.start, config.teacher):
        if spec not in ("", "auto"):
            check_spec(spec)
    with later():
        game = react_env.load(config.game, **config.options)
    with ahead(tasks(config, game), f"{game.id} and its players"):
        game.compile()
        import_module("react_env.training.selfplay.run")


def run(
    config: TrainConfig,
    folder: Path,
    resume: bool,
    show: Show | None = None,
    matches: float = 0.0,
    cluster: Cluster | None = None,
) -> TrainResult:
    """Train with a progress bar on standard error: `show`, or one of its own. `matches`, `cluster`: as for
    `react_env.training.selfplay.run.train`."""
    if show is None:
        prepare(config, folder, resume)
        with whole_bar() as show:
            return run(config, folder, resume, show, matches, cluster)
    from react_env.training.selfplay import run as selfplay
    from react_env.training.selfplay.schedule import EVALUATIONS, WARM_START

    def report(status: selfplay.Status) -> None:
        rate = f"{status.steps_per_second:,.0f}/s" if status.steps_per_second > 1 else ""
        show(status.doing, status.fraction, f"{status.steps:,} steps  {rate}", status.seconds_left)

    say = errors().print
    say(f"training in {folder}")
    if config.minutes:
        most = config.minutes * (1 + WARM_START + EVALUATIONS + matches)
        minutes = f"{config.minutes:g} minute{'s' if config.minutes != 1 else ''} of learning{' at most' if config.steps else ''}"
        say(f"{minutes}, about {most:.1f} for the whole")
    return selfplay.train(config, folder, resume=resume, report=report, say=say, matches=matches, cluster=cluster)


def phase_words(phases: Mapping[str, Mapping[str, float]]) -> str:
    """How long each phase of a run took, and how many cores it kept busy: "learning 2:30 (1.9 cores), saving 0:01"."""
    parts = []
    for name, spent in phases.items():
        busy = f" ({spent['processor'] / spent['clock']:.1f} cores)" if spent["clock"] >= 1 else ""
        parts.append(f"{name} {clock_words(spent['clock'])}{busy}")
    return ", ".join(parts)


def summary(result: TrainResult) -> dict[str, Any]:
    """The facts of a run, for programs."""
    return {
        "folder": str(result.folder),
        "model": str(result.model),
        "learning_curve": str(result.curve),
        "learner_steps": result.steps,
        "seconds": round(result.seconds, 1),
        "phases": result.phases,
        "steps_per_second": round(result.steps_per_second),
        "interrupted": result.interrupted,
        "last_evaluation": result.evaluations[-1] if result.evaluations else None,
    }


def report(result: TrainResult, game_words: Sequence[str] = ()) -> None:
    """The short summary at the end of a run; `game_words` name its game on a command line."""
    state = "interrupted, everything is saved" if result.interrupted else "done"
    output().print(
        f"{state}: {result.steps:,} learner steps in {result.learning_seconds / 60:.1f} minutes of learning, "
        f"{result.steps_per_second:,.0f} a second"
    )
    folder = result.folder
    resume = ["react-env", "train", "--resume", "--runs", str(folder.parent), "--name", folder.name]
    again = ("go on", shlex.join(resume))
    play = ("try it", " ".join(["react-env play --against", shlex.quote(str(folder)), *game_words]))
    facts = [("time", phase_words(result.phases)), ("agent", result.model), ("learning curve", result.curve)]
    print_facts([*facts, again if result.interrupted else play], 16, indent="  ")
