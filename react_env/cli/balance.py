"""`react-env balance`: each game tells for itself what is even in it."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from react_env.errors import OptionError
from react_env.registry import DEFAULT_GAME, descriptions, game_ids, imported


class Games(TyperGroup):
    """A command for each game; without a game's name it is the default one."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        first = args[0] if args else ""
        if first in game_ids() and first not in self.commands:
            raise OptionError(f"{first} has no study of its balance; there are: {', '.join(self.commands)}")
        if first not in self.commands and first not in ctx.help_option_names:
            args = [DEFAULT_GAME, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=Games,
    rich_markup_mode="markdown",
    help=f"Tell how fair a game is. `react-env balance GAME --help` lists its options; without GAME it is {DEFAULT_GAME}.",
)
for _about in descriptions().values():
    if _about.balance:
        app.command(_about.id)(imported(_about.balance))
