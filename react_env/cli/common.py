"""What several commands share: the game's options, where output goes, progress bars."""

from __future__ import annotations

import json
import os
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from react_env.errors import OptionError
from react_env.registry import DEFAULT_GAME, GAMES, describe, descriptions

if TYPE_CHECKING:
    from rich.console import Console

    from react_env.engine.game import Game

GameArgument = Annotated[
    str | None, typer.Argument(metavar="GAME", help=f"{', '.join(GAMES)}; else {DEFAULT_GAME}.", show_default=False)
]
GameOption = Annotated[str, typer.Option("--game", metavar="ID", help="The game.")]
OtherGameOption = Annotated[str | None, typer.Option("--game", metavar="ID", help="The same as GAME.", hidden=True)]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="An option of the game; repeatable."),
]
_SEAT_OPTIONS = [f"--{about.seats}" for about in descriptions().values() if about.seats]
SeatsOption = Annotated[  # what each seat of the game brings, by whatever name its game calls that
    str | None,
    typer.Option(*dict.fromkeys(_SEAT_OPTIONS), metavar="A,B", help="Who or what plays at each seat."),
]
ThreadsOption = Annotated[
    int, typer.Option("--threads", metavar="N", min=1, max=64, help="Threads.", show_default=True)
]
RayOption = Annotated[
    str | None,
    typer.Option("--ray", metavar="ADDRESS|local", help="Play on the machines of a Ray cluster (extra 'ray')."),
]
SeedOption = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of all chance.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def share_processor() -> None:
    """Let threads that wait for each other soon go to sleep; to be called before NumPy and torch are loaded.

    By default they spin for long, which is many times slower where anything else runs on the machine. Spinning for some microseconds
    keeps most of what it gains on an idle one.
    NumPy's own threads are not used at all: the matrix products of a small network are not worth sharing.
    """
    os.environ.setdefault("GOMP_SPINCOUNT", "2000")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def output() -> Console:
    """Where results go: standard output."""
    from rich.console import Console

    return Console(emoji=False)  # ":x:" in a path is no picture


def errors() -> Console:
    """Where progress and complaints go: standard error, so that results can be piped."""
    from rich.console import Console

    return Console(stderr=True, emoji=False)


def which_game(argument: str | None, option: str | None) -> str:
    """The game that stands as the argument of a command or behind --game; without both, the default."""
    if argument is not None and option is not None and argument != option:
        raise OptionError(f"two games: {argument} and --game {option}")
    return argument or option or DEFAULT_GAME


def pair(text: str, option: str, shape: str = "NAME=VALUE") -> tuple[str, str]:
    """'NAME=VALUE' -> (NAME, VALUE). OptionError, which names the `option` that it stands behind."""
    name, equals, value = text.rpartition("=") if shape == "NAME=SHARE" else text.partition("=")
    if not equals or not name:
        raise OptionError(f"{option} {text}: expected {shape}")
    return name, value


def named_values(texts: list[str] | None, option: str = "--set") -> dict[str, Any]:
    """Each of NAME=VALUE, the value as JSON or else as plain text. OptionError."""
    found: dict[str, Any] = {}
    for text in texts or []:
        name, value = pair(text, option)
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def options_of(game_id: str, sets: list[str] | None, seats: str | None) -> dict[str, Any]:
    """The keywords of `react_env.load` from --set, and from what the seats bring. OptionError."""
    options = named_values(sets)
    if seats is not None:
        brought = describe(game_id).seats
        if brought is None:
            raise OptionError(f"{'/'.join(_SEAT_OPTIONS)}: nothing can be brought to {game_id}")
        names = [name.strip() for name in seats.split(",")]
        options[brought] = names if len(names) > 1 else names[0]  # one word: for both, or a way to draw them
    return options


def load_game(game_id: str, sets: list[str] | None, seats: str | None) -> Game:
    """The game that the options of a command name."""
    import react_env

    return react_env.load(game_id, **options_of(game_id, sets, seats))


def seat_names(game: Game) -> list[str]:
    """A word for each seat: what it has brought, where the seats differ in that."""
    try:
        seats = describe(game.id).seats
    except OptionError:  # a game that was made without a description
        seats = None
    names = None if seats is None else game.options.get(seats)
    if isinstance(names, (list, tuple)) and len(names) == game.num_players and len(set(names)) > 1:
        return [f"seat {seat}, {str(name).rpartition('/')[2].removesuffix('.yaml')}" for seat, name in enumerate(names)]
    return [f"seat {seat}" for seat in range(game.num_players)]


def folded(line: str, width: int, indent: str) -> str:
    """A long line in several, the later ones after `indent`."""
    return textwrap.fill(line, max(20, width), subsequent_indent=indent, break_on_hyphens=False)


def print_json(content: Any) -> None:
    """JSON on standard output."""
    print(json.dumps(content, indent=2, ensure_ascii=False))


@contextmanager
def counter(what: str, unit: str = "games") -> Iterator[Callable[..., None]]:
    """A progress bar on standard error for the function that it gives: `update(done, total, what=...)`.

    Nothing is drawn where standard error is no terminal, and it vanishes at the end.
    """
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = errors()
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        TextColumn("{task.completed:,.0f}/{task.total:,.0f} " + unit),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        expand=True,
        disable=not console.is_terminal,
    ) as bar:
        task = bar.add_task(what, total=None, visible=False, rate="")
        start = shown = time.monotonic()
        before = what

        def update(done: int, total: int, what: str = what) -> None:
            nonlocal start, shown, before
            now = time.monotonic()
            if what != before and unit == "games":
                start = now
                bar.reset(task, total=total, description=what, visible=True)
            elif now - shown < 0.1 and done < total and what == before:
                return
            shown, before = now, what
            rate = f"{done / (now - start):,.0f}/s" if now > start and unit == "games" else ""
            bar.update(task, completed=done, total=total, description=what, visible=True, rate=rate)

        yield update
