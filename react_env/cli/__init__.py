"""The command line, `react-env`. Each command imports what it needs when it runs, so that `react-env --help` is quick."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import typer
from typer import Option
from typer.core import TyperGroup

from react_env.cli import arena, balance, bench, cards, decks, demo, exploit, play, replay, train, web
from react_env.cli.common import errors, share_processor
from react_env.errors import ReactEnvError

__all__ = ["app", "main"]


class Commands(TyperGroup):
    """Turns expected errors into one line and an exit code: 2 for a mistake, 130 for Ctrl-C."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The commands in the order in which a newcomer meets them."""
        return sorted(self.commands, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER))

    def make_context(self, *arguments: Any, **extra: Any) -> Any:
        with _foreseen():  # --help prints here
            return super().make_context(*arguments, **extra)

    def invoke(self, ctx: Any) -> Any:
        with _foreseen():
            return super().invoke(ctx)


@contextmanager
def _foreseen() -> Iterator[None]:
    try:
        try:
            yield
        finally:
            sys.stdout.flush()  # or Python finds that the disk is full after the end, when nobody can tell it well
    except ReactEnvError as error:
        _fail(str(error))
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        if error.filename is not None:
            _fail(f"{error.filename}: {error.strerror}")
        if error.errno == errno.ENOENT:  # only os.getcwd names no file
            _fail("the working folder does not exist any more: change to another one")
        if error.errno != errno.ENOSPC:
            raise
        with suppress(OSError):  # what is left in the buffer would fail once more at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _fail(f"standard output: {error.strerror}")  # for any other file the error has a name
    except KeyboardInterrupt as error:
        errors().print(f"interrupted: {error}" if str(error) else "interrupted", soft_wrap=True)
        raise typer.Exit(130) from None


def _fail(message: str) -> NoReturn:
    from rich.text import Text

    errors().print(Text.assemble(("react-env:", "bold red"), f" {message}"), soft_wrap=True)
    raise typer.Exit(2) from None


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_show_locals=False,
    help="Card games as fast environments for reinforcement learning: train agents, play them, look at their games.",
)


def _version(show: bool) -> None:
    if show:
        import react_env

        print(f"react_env {react_env.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = Option(False, "--version", callback=_version, is_eager=True, help="Print the version and exit."),
) -> None:
    pass


_ORDER = ("demo", "play", "web", "train", "arena", "exploit", "balance", "decks", "replay", "cards", "bench")
for _command in (demo.demo, play.play, web.web, train.train, arena.arena, exploit.exploit, replay.replay, bench.bench):
    app.command(_command.__name__)(_command)
app.add_typer(cards.app, name="cards")
app.add_typer(balance.app, name="balance")
app.add_typer(decks.app, name="decks")


def usable_streams() -> None:
    """Make the standard streams take any text: characters that the encoding lacks become escapes; a closed stream leads to nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode))
        elif mode == "w" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def main() -> None:
    """The console script."""
    usable_streams()
    share_processor()
    app(prog_name="react-env" if sys.argv[0].endswith(("__main__.py", "-m")) else None)
