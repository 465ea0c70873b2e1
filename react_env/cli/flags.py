"""Arguments and options that several commands share, as Typer takes them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from react_env.processors import processors
from react_env.registry import DEFAULT_GAME, GAMES, descriptions

Game = Annotated[
    str | None, Argument(metavar="GAME", help=f"{', '.join(GAMES)}; default {DEFAULT_GAME}.", show_default=False)
]
OtherGame = Annotated[str | None, Option("--game", metavar="ID", help="The same as GAME.", hidden=True)]
Set = Annotated[list[str] | None, Option("--set", metavar="NAME=VALUE", help="An option of the game; repeatable.")]
SEAT_OPTIONS = list(dict.fromkeys(f"--{about.seats}" for about in descriptions().values() if about.seats))
Seats = Annotated[  # what each seat brings, under the name that the game has for it
    str | None, Option(*SEAT_OPTIONS, metavar="A,B", help="What each seat brings.")
]
_MOST = 64
ALL = min(processors(), _MOST)  # the threads of a command that plays many games, unless it is told otherwise
Threads = Annotated[int, Option("--threads", metavar="N", min=1, max=_MOST, help="Threads.", show_default=True)]
Ray = Annotated[str | None, Option("--ray", metavar="ADDRESS|local", help="Play on a Ray cluster (extra ray).")]
Config = Annotated[Path | None, Option("--config", metavar="FILE", help="Training options, YAML or JSON.")]
Markdown = Annotated[
    Path | None, Option(metavar="FILE", dir_okay=False, help="Write a page here, and its plot beside it.")
]
Seed = Annotated[int, Option("--seed", metavar="N", min=0, help="Seed of all chance; default 0.", show_default=False)]
Json = Annotated[bool, Option("--json", help="Print JSON, for programs.")]
