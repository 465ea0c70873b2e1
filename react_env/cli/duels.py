"""A position of Re;ACT in the terminal: the board, beside or below it both players, then units, zones, chain and masterpiece."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from rich.table import Table
from rich.text import Text

from react_env.cli.common import folded
from react_env.games.arts_of_war.view import View

if TYPE_CHECKING:
    from rich.console import Console

    from react_env.engine.game import Game

COLOURS = ("cyan", "magenta")
_BESIDE = 100  # columns from which the players stand beside the board
_BOARD = 46
_SIGNS = {
    "*": "* with tokens",
    "~": "~ exhausted",
    ":": ":n tokens in the zone",
    "#": "# tile",
    "^>v<": "^>v< directed tile",
}


def draw(console: Console, game: Game, state: Any, player: int | None, you: int | None = None) -> None:
    """Print the position as `player` sees it (None: everything); `you` is called so."""
    view = cast(View, game.rules.view).of(state)
    head, first, second, *public = view.status_lines(state, player)
    board = view.board(state)[:-1]
    console.print(Text(head, style="bold"), highlight=False)
    beside = console.width >= _BESIDE
    width = console.width - _BOARD if beside else console.width
    players = Text("\n").join(
        Text(_about(line, number, player, you, width), style=COLOURS[number])
        for number, line in enumerate((first, second))
    )
    if beside:
        table = Table.grid()
        table.add_column(width=_BOARD)
        table.add_column(width=width)
        table.add_row(_picture(board, _BOARD - 2), players)
        console.print(table, highlight=False)
    else:
        console.print(_picture(board, console.width), players, sep="\n", highlight=False)
    for line in _public(public):
        console.print(Text(folded(line, console.width, "    ")), highlight=False)
    rest = game.text(state, player).splitlines()[len(board) + 2 + 3 + len(public) :]
    for line in rest:
        console.print(Text(folded(line, console.width, "    "), style="bold"), highlight=False)


def _picture(board: list[str], width: int) -> Text:
    """The board with its colours, and below it the signs that are on it, in `width` columns."""
    lines = [Text(board[0], style="dim")]
    for row in board[1:]:
        line = Text(row)
        for pattern, colour in zip((r"\b(A|a\d)[*~]*", r"\b(B|b\d)[*~]*"), COLOURS):
            line.highlight_regex(pattern, style=f"bold {colour}")
        lines.append(line)
    cells = "".join(board[1:])
    signs = ["A, a1.. player_0", "B, b1.. player_1"]
    signs += [words for marks, words in _SIGNS.items() if any(mark in cells for mark in marks)]
    whole = "  ".join(sign.replace(" ", "\N{NO-BREAK SPACE}") for sign in signs)
    legend = folded(f"    {whole}", width, "    ").replace("\N{NO-BREAK SPACE}", " ")
    return Text("\n").join([*lines, Text(legend, style="dim")])


def _about(line: str, number: int, player: int | None, you: int | None, width: int) -> str:
    """What is known of a player: a line of figures, the hand, and what of the deck may be in hand or is still to come."""
    name, _, figures = line.partition(":")
    parts = figures.strip().split("; ")
    shown = player in (None, number)
    hand = [part for part in parts if part.startswith("hand ") and shown]
    hidden = [part for part in parts if part.startswith("hidden: ")]
    rest = [part for part in parts if part not in hand + hidden]
    lines = [f"{name}{' (you)' if number == you else ''}: {'; '.join(rest)}", *(f"  {part}" for part in hand)]
    if shown:
        lines += [part.replace("hidden:", "  hand and deck:") for part in hidden if player is None]
    else:
        lines += [part.replace("hidden:", "  in hand or deck:") for part in hidden]
    return "\n".join(folded(part, width, "    ") for part in lines)


def _public(lines: list[str]) -> list[str]:
    """Units by player and zones in a line each; the chain in the order in which it resolves; the rest as it is."""
    units: dict[str, list[str]] = {}
    zones: list[str] = []
    chain: list[tuple[int, str]] = []
    rest: list[str] = []
    for line in lines:
        if found := re.match(r"unit (player_\d)'s (.*)", line):
            units.setdefault(found[1], []).append(found[2])
        elif line.startswith("zone "):
            zones.append(line.removeprefix("zone "))
        elif found := re.match(r"chain (\d+): (.*)", line):
            chain.append((int(found[1]), found[2]))
        else:
            rest.append(line)
    chain.sort(reverse=True)
    return [
        *(f"units of {player}: {'; '.join(names)}" for player, names in units.items()),
        *(["zones: " + "; ".join(zones)] if zones else []),
        *rest,
        *(["chain, the top one resolves first:"] if chain else []),
        *(f"  {number}  {words}" for number, words in chain),
    ]
