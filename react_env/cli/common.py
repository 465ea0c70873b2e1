"""What several commands share: the game's options, where output goes, progress bars."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from react_env.errors import OptionError

if TYPE_CHECKING:
    from rich.console import Console

    from react_env.engine.game import Game

GameOption = Annotated[str, typer.Option("--game", metavar="ID", help="The game.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="An option of the game, the value as JSON or plain text; may be repeated."
    ),
]
ArtistsOption = Annotated[
    str | None,
    typer.Option(
        "--artists",
        metavar="A,B",
        help="Re;ACT: the artists of player 0 and player 1, or random: a pairing for each game. Short for --set artists=...",
    ),
]
ThreadsOption = Annotated[int, typer.Option("--threads", metavar="N", min=1, max=64, help="Threads.")]
SeedOption = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of all chance.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
DEFAULT_GAME = "arts_of_war-v0"


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

    return Console()


def errors() -> Console:
    """Where progress and complaints go: standard error, so that results can be piped."""
    from rich.console import Console

    return Console(stderr=True)


def game_options(sets: list[str] | None, artists: str | None) -> dict[str, Any]:
    """The keywords of `react_env.load` from --set and --artists."""
    options: dict[str, Any] = {}
    for item in sets or []:
        name, equals, value = item.partition("=")
        if not equals or not name:
            raise OptionError(f"--set {item}: expected NAME=VALUE")
        try:
            options[name] = json.loads(value)
        except ValueError:
            options[name] = value
    if artists is not None:
        names = [name.strip() for name in artists.split(",")]
        options["artists"] = names if len(names) > 1 else names[0]  # one word: a way to draw them
    return options


def load_game(game_id: str, sets: list[str] | None, artists: str | None) -> Game:
    """The game that the options of a command name."""
    import react_env

    return react_env.load(game_id, **game_options(sets, artists))


def seat_names(game: Game) -> list[str]:
    """A word for each seat: the artist that sits there, where the game has artists."""
    artists = dict(game.options).get("artists")
    if isinstance(artists, (list, tuple)) and len(artists) == game.num_players:
        return [
            f"seat {seat}, {str(name).rpartition('/')[2].removesuffix('.yaml')}" for seat, name in enumerate(artists)
        ]
    return [f"seat {seat}" for seat in range(game.num_players)]


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
