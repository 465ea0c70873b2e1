"""`react-env train`: self-play, with every option of a run."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, fields
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from react_env.cli.common import (
    GameArgument,
    JsonOption,
    OtherGameOption,
    SeatsOption,
    SetOption,
    errors,
    options_of,
    output,
    print_json,
    which_game,
)
from react_env.extras import need
from react_env.registry import option_words
from react_env.training.config import TrainConfig, read_options, usual

if TYPE_CHECKING:
    from react_env.training.selfplay.run import TrainResult

_SHOWN_APART = ("options", "opponents", "baselines")
_PANELS = {
    "algorithm": "Learning",
    "trunk": "Network",
    "start": "Warm start",
    "self_share": "Opponents",
    "evaluations": "Evaluation and saving",
}


def _train(
    context: typer.Context,
    name: str,
    runs: Path,
    resume: bool,
    seats: str | None,
    sets: list[str] | None,
    file: Path | None,
    opponents: list[str] | None,
    baselines: list[str] | None,
    as_json: bool,
    given: dict[str, Any],
) -> None:
    if opponents:
        given["opponents"] = dict(_share(text) for text in opponents)
    if baselines:
        given["baselines"] = tuple(baselines)
    # What stands in the command itself counts more than the file, and the file more than what is usual.
    chosen = {key for key in given if _was_given(context, key)}
    chosen |= (
        {"opponents"} & set(given) | {"baselines"} & set(given) | ({"game"} if context.params["game_name"] else set())
    )
    found = read_options(file) if file is not None else {}
    given = {**given, **{key: value for key, value in found.items() if key not in chosen}}
    fixed = chosen | set(found)
    given |= {key: value for key, value in usual(given["algorithm"]).items() if key not in fixed}
    options = options_of(given["game"], sets, seats)
    given["options"] = {**given.get("options", {}), **options}
    if not given["steps"] and not given["minutes"]:
        given["minutes"] = 30.0
    config = TrainConfig(**given)
    result = run(config, runs / name, resume)
    if as_json:
        print_json(summary(result))
    else:
        report(result, option_words(config.game, config.options))
    if result.interrupted:
        raise typer.Exit(130)


def _was_given(context: typer.Context, key: str) -> bool:
    """Whether an option stands in the command itself."""
    source = context.get_parameter_source(key)
    return source is not None and source.name == "COMMANDLINE"


def _share(text: str) -> tuple[str, float]:
    """'greedy=0.4' -> ("greedy", 0.4)"""
    name, _, share = text.rpartition("=")
    try:
        return name, float(share)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not NAME=SHARE, such as greedy=0.4", param_hint="--opponent") from None


def train(context: typer.Context, **arguments: Any) -> None:
    """Train an agent by self-play.

    It plays against its newest self, a pool of earlier selves and the named opponents. The run is a folder:
    **model.safetensors** plays (react-env arena greedy FOLDER), **learning_curve.png** shows how it went,
    **tensorboard/** the details. Ctrl-C saves and ends; **--resume** goes on, after a kill too, with at most a minute lost.
    Minutes are minutes of learning; the warm start and the evaluations take at most five twelfths of that more. Without --steps and
    --minutes it learns for 30 minutes.
    """
    need("train")
    apart = ("name", "runs", "resume", "seats", "sets", "file", "opponents", "baselines", "as_json")
    own = {key: arguments.pop(key) for key in apart}
    arguments["game"] = which_game(arguments.pop("game_name"), arguments["game"])
    for key in ("trunk", "policy", "value"):
        arguments[key] = _widths(key, arguments[key])
    _train(context, **own, given=arguments)


def _widths(name: str, text: str) -> tuple[int, ...]:
    """'256,128' -> (256, 128); '' -> ()."""
    try:
        found = tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError:
        found = (0,)
    if any(width < 1 for width in found):
        raise typer.BadParameter(f"{text!r} is not a list of widths such as 256,128", param_hint=f"--{name}")
    return found


def _signature() -> inspect.Signature:
    """The options of `train`: its own, then one for each field of TrainConfig, with its sentence as the help."""

    def option(name: str, kind: Any, default: Any) -> inspect.Parameter:
        return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)

    parameters = [
        inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context),
        option("game_name", GameArgument, None),
        option(
            "name", Annotated[str, typer.Option("--name", help="Name of the run, its folder below --runs.")], "selfplay"
        ),
        option("runs", Annotated[Path, typer.Option("--runs", help="Where runs are kept.")], Path("runs")),
        option(
            "resume",
            Annotated[
                bool,
                typer.Option(
                    "--resume", help="Go on with this run from its newest checkpoint; anew where it has none."
                ),
            ],
            False,
        ),
        option("seats", SeatsOption, None),
        option("sets", SetOption, None),
        option(
            "file",
            Annotated[
                Path | None,
                typer.Option(
                    "--config", help="A file of options, YAML or JSON; what stands in the command itself counts more."
                ),
            ],
            None,
        ),
        option(
            "opponents",
            Annotated[
                list[str] | None,
                typer.Option(
                    "--opponent",
                    metavar="NAME=SHARE",
                    help="An agent to spar with and the share of the games against it, such as scripted=0.3; repeat for more. "
                    "Default: random=0.02 and greedy=0.4.",
                    rich_help_panel="Opponents",
                ),
            ],
            None,
        ),
        option(
            "baselines",
            Annotated[
                list[str] | None,
                typer.Option(
                    "--baseline",
                    metavar="NAME",
                    help="An agent to measure it against; repeat for more. Default: random and greedy.",
                    rich_help_panel="Evaluation and saving",
                ),
            ],
            None,
        ),
        option("as_json", JsonOption, False),
    ]
    panel = None
    for field in fields(TrainConfig):
        panel = _PANELS.get(field.name, panel)
        if field.name in _SHOWN_APART:
            continue
        if field.name == "game":
            parameters.append(option("game", OtherGameOption, None))
            continue
        default = field.default if field.default is not MISSING else None
        kind: Any = str if isinstance(default, tuple) else type(default)
        if isinstance(default, tuple):
            default = ",".join(map(str, default))
        flag = "--" + field.name.replace("_", "-")
        parameters.append(
            option(
                field.name,
                Annotated[kind, typer.Option(flag, help=field.metadata["sentence"], rich_help_panel=panel)],
                default,
            )
        )
    return inspect.Signature(parameters)


train.__signature__ = _signature()  # type: ignore[attr-defined]
train.__annotations__ = {name: p.annotation for name, p in _signature().parameters.items()}


Show: TypeAlias = Callable[[str, float, str, float], None]  # doing, part of the whole 0..1, numbers, seconds left


@contextmanager
def whole_bar() -> Iterator[Show]:
    """A progress bar on standard error for all that a command does: what, how far the whole is, and how long it will still take."""
    from rich.progress import BarColumn, Progress, TextColumn

    console = errors()
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        TextColumn("{task.percentage:>3.0f} % of the whole"),
        TextColumn("{task.fields[numbers]}"),
        console=console,
        transient=True,
        expand=True,
        disable=not console.is_terminal,
    ) as bar:
        task = bar.add_task("preparing", total=1.0, numbers="")

        def show(doing: str, part: float, numbers: str, seconds_left: float) -> None:
            left = f"{clock_words(seconds_left)} left" if math.isfinite(seconds_left) else ""
            bar.update(task, completed=part, description=doing, numbers=f"{numbers}  {left}")

        yield show


def clock_words(seconds: float) -> str:
    """3:05"""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"


def prepare(config: TrainConfig, folder: Path, resume: bool) -> None:
    """Compile what the run in `folder` needs, on all processors, while torch is imported."""
    import react_env
    from react_env.engine.compile import ahead, later
    from react_env.training.algorithms.compiled import tasks

    before = folder / "config.json"
    if before.exists():
        if not resume:
            return  # it will be refused
        config = TrainConfig.read(before)
    with later():
        game = react_env.load(config.game, **config.options)
    with ahead(tasks(config, game), f"{game.id} and its players"):
        game.compile()
        import_module("react_env.training.selfplay.run")


def run(config: TrainConfig, folder: Path, resume: bool, show: Show | None = None, matches: float = 0.0) -> TrainResult:
    """Train with a progress bar on standard error: `show`, or one of its own. `matches`: as for `react_env.training.selfplay.run.train`."""
    if show is None:
        prepare(config, folder, resume)
        with whole_bar() as show:
            return run(config, folder, resume, show, matches)
    from react_env.training.selfplay import run as selfplay
    from react_env.training.selfplay.schedule import EVALUATIONS, WARM_START

    console = errors()

    def report(status: selfplay.Status) -> None:
        rate = f"{status.steps_per_second:,.0f}/s" if status.steps_per_second > 1 else ""
        show(status.doing, status.fraction, f"{status.steps:,} steps  {rate}", status.seconds_left)

    def say(line: str) -> None:
        console.print(line, highlight=False, markup=False)

    console.print(f"training in {folder}", highlight=False)
    if config.minutes:
        most = config.minutes * (1 + WARM_START + EVALUATIONS + matches)
        say(
            f"{config.minutes:g} minutes of learning{' at most' if config.steps else ''}, about {most:.1f} for the whole"
        )
    return selfplay.train(config, folder, resume=resume, report=report, say=say, matches=matches)


def phase_words(phases: Mapping[str, Mapping[str, float]]) -> str:
    """What each phase of a run took, and how many cores were busy in it: "learning 2:30 (1.9 cores), saving 0:01"."""
    parts = []
    for name, spent in phases.items():
        busy = f" ({spent['processor'] / spent['clock']:.1f} cores)" if spent["clock"] >= 1 else ""
        parts.append(f"{name} {clock_words(spent['clock'])}{busy}")
    return ", ".join(parts)


def summary(result: TrainResult) -> dict[str, Any]:
    """What a program would want to know of a run."""
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
    console = output()
    state = "interrupted, all is saved" if result.interrupted else "done"
    console.print(
        f"{state}: {result.steps:,} learner steps in {result.learning_seconds / 60:.1f} minutes of learning, "
        f"{result.steps_per_second:,.0f} a second",
        highlight=False,
    )
    console.print(f"  {'time':16}{phase_words(result.phases)}", highlight=False, soft_wrap=True)
    lines = [("agent", result.model), ("learning curve", result.curve)]
    for what, path in lines:
        console.print(f"  {what:16}{path}", highlight=False, soft_wrap=True)
    if result.interrupted:
        console.print(
            f"  {'go on':16}react-env train --resume --runs {result.folder.parent} --name {result.folder.name}",
            highlight=False,
            soft_wrap=True,
        )
    else:
        words = " ".join(["react-env play --against", str(result.folder), *game_words])
        console.print(f"  {'try it':16}{words}", highlight=False, markup=False, soft_wrap=True)
