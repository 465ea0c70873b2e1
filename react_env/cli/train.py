"""`react-env train`: self-play, with every option of a run."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from react_env.cli.common import (
    ArtistsOption,
    DecksOption,
    GameArgument,
    JsonOption,
    OtherGameOption,
    SetOption,
    errors,
    option_words,
    options_of,
    output,
    print_json,
    which_game,
)
from training.config import TrainConfig, read_options, usual

if TYPE_CHECKING:
    from training.selfplay import TrainResult

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
    artists: str | None,
    decks: str | None,
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
    options = options_of(given["game"], sets, artists, decks)
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
    Without --steps and --minutes it runs for 30 minutes.
    """
    apart = ("name", "runs", "resume", "artists", "decks", "sets", "file", "opponents", "baselines", "as_json")
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
            Annotated[bool, typer.Option("--resume", help="Go on with this run from its newest checkpoint.")],
            False,
        ),
        option("artists", ArtistsOption, None),
        option("decks", DecksOption, None),
        option("sets", SetOption, None),
        option(
            "file",
            Annotated[
                Path | None,
                typer.Option("--config", help="A file of options, YAML or JSON; those of the command line go before."),
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


def run(config: TrainConfig, folder: Path, resume: bool) -> TrainResult:
    """Train with a progress bar on standard error."""
    from rich.progress import BarColumn, Progress, TextColumn

    console = errors()
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        TextColumn("{task.percentage:>3.0f} %"),
        TextColumn("{task.fields[numbers]}"),
        console=console,
        transient=True,
        expand=True,
        disable=not console.is_terminal,
    ) as bar:
        task = bar.add_task("preparing", total=1.0, numbers="")
        console.print(f"training in {folder}", highlight=False)
        from training import selfplay

        def report(status: selfplay.Status) -> None:
            minutes, seconds = divmod(int(status.seconds_left), 60)
            rate = f"{status.steps_per_second:,.0f}/s" if status.steps_per_second > 1 else ""
            bar.update(
                task,
                completed=status.fraction,
                description=status.doing,
                numbers=f"{status.steps:,} steps  {rate}  {minutes}:{seconds:02} left",
            )

        def say(line: str) -> None:
            console.print(line, highlight=False, markup=False)

        return selfplay.train(config, folder, resume=resume, report=report, say=say)


def summary(result: TrainResult) -> dict[str, Any]:
    """What a program would want to know of a run."""
    return {
        "folder": str(result.folder),
        "model": str(result.model),
        "learning_curve": str(result.curve),
        "learner_steps": result.steps,
        "seconds": round(result.seconds, 1),
        "steps_per_second": round(result.steps_per_second),
        "interrupted": result.interrupted,
        "last_evaluation": result.evaluations[-1] if result.evaluations else None,
    }


def report(result: TrainResult, game_words: Sequence[str] = ()) -> None:
    """The short summary at the end of a run; `game_words` name its game on a command line."""
    console = output()
    state = "interrupted, all is saved" if result.interrupted else "done"
    console.print(
        f"{state}: {result.steps:,} learner steps in {result.seconds / 60:.1f} minutes, "
        f"{result.steps_per_second:,.0f} a second while learning",
        highlight=False,
    )
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
