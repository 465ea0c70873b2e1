"""What several commands share: reading the game's options, where output goes, progress bars."""

from __future__ import annotations

import json
import os
import sys
import textwrap
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from react_env.cli import flags
from react_env.errors import OptionError
from react_env.registry import DEFAULT_GAME, describe, described

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn, Task

    from react_env.engine.game import Game

MOST_GAMES = 10_000_000
LINE_SECONDS = 60.0  # between two lines of progress if there is no terminal


def share_processor() -> None:
    """Make threads that wait for each other go to sleep soon; call this before NumPy and torch are loaded.

    By default they spin for a long time, which is many times slower if anything else runs on the machine. Spinning for a few microseconds
    keeps most of the gain on an idle machine.
    NumPy's own threads are not used at all: the matrix products of a small network are not worth sharing.
    """
    os.environ.setdefault("GOMP_SPINCOUNT", "2000")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def output(stderr: bool = False) -> Console:
    """Where results go: standard output. Text is printed as it is: brackets or ":x:" in a path have no special meaning."""
    from rich.console import Console

    return Console(stderr=stderr, emoji=False, markup=False, highlight=False)


def errors() -> Console:
    """Where progress and complaints go: standard error, so that results can be piped."""
    return output(stderr=True)


def interrupted(place: Path | None, without: str = "") -> KeyboardInterrupt:
    """The exception that ends a command after Ctrl-C. It names the file or folder, if any, from which the same command can go on, perhaps
    `without` an option."""
    if place is None:
        return KeyboardInterrupt()
    return KeyboardInterrupt(f"the same command{' without ' * bool(without)}{without} continues with {place}")


def which_game(argument: str | None, option: str | None) -> str:
    """The game given as the argument of a command or with --game; without either, the default."""
    if argument is not None and option is not None and argument != option:
        raise OptionError(f"two games: {argument} and --game {option}")
    return argument or option or DEFAULT_GAME


def pair(text: str, option: str, shape: str = "NAME=VALUE") -> tuple[str, str]:
    """'NAME=VALUE' -> (NAME, VALUE). Raises an OptionError that names the `option`."""
    name, equals, value = text.rpartition("=") if shape == "NAME=SHARE" else text.partition("=")
    if not equals or not name:
        raise OptionError(f"{option} {text}: expected {shape}")
    return name, value


def named_values(texts: list[str] | None, option: str = "--set") -> dict[str, Any]:
    """Name -> value for each NAME=VALUE, with the value as JSON or else as plain text. Raises OptionError."""
    found: dict[str, Any] = {}
    for text in texts or []:
        name, value = pair(text, option)
        try:
            found[name] = json.loads(value)
        except (ValueError, RecursionError):
            found[name] = value
    return found


def options_of(game_id: str, sets: list[str] | None, seats: str | None) -> dict[str, Any]:
    """The keywords of `react_env.load` from --set and from what the seats bring. Raises OptionError."""
    options = named_values(sets)
    if seats is not None:
        brought = describe(game_id).seats
        if brought is None:
            raise OptionError(f"{'/'.join(flags.SEAT_OPTIONS)}: the seats of {game_id} have nothing to choose")
        names = [name.strip() for name in seats.split(",")]
        options[brought] = names if len(names) > 1 else names[0]  # one name: for all seats, or a way to draw
    return options


def load_game(game_id: str, sets: list[str] | None, seats: str | None) -> Game:
    """The game that the options of a command name."""
    import react_env

    return react_env.load(game_id, **options_of(game_id, sets, seats))


def check_place(option: str, file: Path | None) -> None:
    """Raise OptionError if the file of an option cannot be written: it is a folder, or its folder does not exist or is read-only."""
    if file is None:
        return
    if file.is_dir():
        raise OptionError(f"{option} {file}: this is a folder; a file is needed")
    if file.exists() and not file.is_file():  # such as /dev/stdout: written directly, so its folder does not matter
        return
    if not file.resolve().parent.is_dir():
        raise OptionError(f"{option} {file}: there is no folder {file.resolve().parent}")
    if not os.access(file.resolve().parent, os.W_OK):
        raise OptionError(f"{option} {file}: nothing can be written in the folder {file.resolve().parent}")


def check_games(games: int) -> None:
    """Raise OptionError for more games than anybody would wait for: memory for all of them is taken at the start."""
    if games > MOST_GAMES:
        raise OptionError(f"--games {games}: allowed are {MOST_GAMES:,} at most")


def seat_names(game: Game) -> list[str]:
    """A name for each seat, with what it brings if the seats differ in that."""
    seats = described(game.id).seats
    names = None if seats is None else game.options.get(seats)
    if isinstance(names, (list, tuple)) and len(names) == game.num_players and len(set(names)) > 1:
        return [f"seat {seat}, {str(name).rpartition('/')[2].removesuffix('.yaml')}" for seat, name in enumerate(names)]
    return [f"seat {seat}" for seat in range(game.num_players)]


def folded(line: str, width: int, indent: str) -> str:
    """A long line wrapped into several, the later ones indented by `indent`."""
    return textwrap.fill(line, max(20, width), subsequent_indent=indent, break_on_hyphens=False)


def clock_words(seconds: float) -> str:
    """3:05, 15:24:50"""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def print_json(content: Any) -> None:
    """Print JSON on standard output, with escapes if the encoding may lack characters."""
    print(json.dumps(content, indent=2, ensure_ascii=not (sys.stdout.encoding or "").lower().startswith("utf")))


def print_facts(facts: Iterable[tuple[str, object]], width: int, indent: str = "") -> None:
    """Print each (name, value) as a line on standard output, the names in a column of this width."""
    for what, told in facts:
        output().print(f"{indent}{what:{width}}{told}", soft_wrap=True)


@contextmanager
def bar(*columns: str | ProgressColumn) -> Iterator[Progress]:
    """A progress bar on standard error, followed by these columns; it vanishes at the end.

    If standard error is not a terminal, such as in the log of a job, a line without a bar is printed each minute.
    """
    from rich.progress import BarColumn, Progress

    console = errors()
    if console.is_terminal:
        shown = "{task.description}", BarColumn(bar_width=None), *columns
        with Progress(*shown, console=console, transient=True, expand=True) as progress:
            yield progress
        return
    progress, ended = Progress("{task.description}", *columns, console=console, disable=True), threading.Event()

    def tell() -> None:
        while not ended.wait(LINE_SECONDS):
            console.print(progress.get_renderable())

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield progress
    finally:
        ended.set()
        thread.join()


@contextmanager
def counter(what: str, unit: str = "games") -> Iterator[Callable[..., None]]:
    """A progress bar; the context gives the function that moves it, `update(done, total, what=...)`."""
    from rich.progress import ProgressColumn, TimeRemainingColumn
    from rich.text import Text

    class Rate(ProgressColumn):
        """Games per second, worked out only when it is drawn, which is rarer than updates."""

        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:,.0f}/s" if task.speed and unit == "games" else "")

    with bar("{task.completed:,.0f}/{task.total:,.0f} " + unit, Rate(), TimeRemainingColumn()) as progress:
        task = progress.add_task(what, total=None, visible=False)
        (shown,) = progress.tasks

        def update(done: int, total: int, what: str = what) -> None:
            if what != shown.description and (unit == "games" or done < shown.completed):
                progress.reset(task)
            progress.update(task, completed=done, total=total, description=what, visible=True)

        yield update
