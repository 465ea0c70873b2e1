"""What several commands share: the game's options, where output goes, progress bars."""

from __future__ import annotations

import json
import os
import shlex
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from react_env.errors import OptionError

if TYPE_CHECKING:
    from rich.console import Console

    from react_env.engine.game import Game

DEFAULT_GAME = "arts_of_war-v0"
GameArgument = Annotated[
    str | None, typer.Argument(metavar="GAME", help=f"The game, such as fight_sequence-v0; else {DEFAULT_GAME}.")
]
GameOption = Annotated[str, typer.Option("--game", metavar="ID", help="The game.")]
OtherGameOption = Annotated[str | None, typer.Option("--game", metavar="ID", help="The same as GAME.")]
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
DecksOption = Annotated[
    str | None,
    typer.Option(
        "--decks",
        metavar="A,B",
        help="Fight Sequence: the decks of player 0 and player 1, or one for both: names, or paths of deck files.",
    ),
]
ThreadsOption = Annotated[int, typer.Option("--threads", metavar="N", min=1, max=64, help="Threads.")]
SeedOption = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of all chance.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
SIDES = {"arts_of_war-v0": "artists", "fight_sequence-v0": "decks"}  # what each player of a game has, as its option


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


def game_options(sets: list[str] | None, artists: str | None, decks: str | None = None) -> dict[str, Any]:
    """The keywords of `react_env.load` from --set, --artists and --decks."""
    options: dict[str, Any] = {}
    for item in sets or []:
        name, equals, value = item.partition("=")
        if not equals or not name:
            raise OptionError(f"--set {item}: expected NAME=VALUE")
        try:
            options[name] = json.loads(value)
        except ValueError:
            options[name] = value
    for option, given in (("artists", artists), ("decks", decks)):
        if given is not None:
            names = [name.strip() for name in given.split(",")]
            options[option] = names if len(names) > 1 else names[0]  # one word: for both, or a way to draw them
    return options


def options_of(game_id: str, sets: list[str] | None, artists: str | None, decks: str | None) -> dict[str, Any]:
    """As `game_options`. OptionError where a game is given what only another one has."""
    for option, given in (("artists", artists), ("decks", decks)):
        if given is not None and game_id in SIDES and SIDES[game_id] != option:
            theirs = SIDES[game_id]
            raise OptionError(f"--{option}: {game_id} has no {option}; its {theirs} are given with --{theirs}")
    return game_options(sets, artists, decks)


def load_game(game_id: str, sets: list[str] | None, artists: str | None, decks: str | None = None) -> Game:
    """The game that the options of a command name."""
    import react_env

    return react_env.load(game_id, **options_of(game_id, sets, artists, decks))


def option_words(game_id: str, options: Mapping[str, Any]) -> list[str]:
    """A game and its options as words of a command line."""
    words = [] if game_id == DEFAULT_GAME else ["--game", game_id]
    for name, value in options.items():
        if name in SIDES.values():
            words += [f"--{name}", value if isinstance(value, str) else ",".join(map(str, value))]
        else:
            words += ["--set", f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
    return [shlex.quote(word) for word in words]


def seat_names(game: Game) -> list[str]:
    """A word for each seat: the artist or the deck that it has, where they differ."""
    names = dict(game.options).get(SIDES.get(game.id, ""))
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
