"""Re;ACT in the terminal: the board and both players, then units, zones, chain and masterpiece."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from react_env.cli.common import folded
from react_env.cli.positions import COLOURS
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.view import CELL, Part, View

if TYPE_CHECKING:
    from rich.console import Console

    from react_env.engine.game import Game

_BESIDE = 100  # from this many columns on, the players stand beside the board
_BOARD = 46
_SIGNS = {
    "*": "* with tokens",
    "~": "~ exhausted",
    ":": ":n tokens in the zone",
    "#": "# tile",
    "^>v<": "^>v< directed tile",
}


def draw(console: Console, game: Game, state: Any, player: int | None, you: int | None = None) -> None:
    """Print the position as `player` sees it (None: everything); player `you` is marked as such."""
    view = _view(game, state)
    console.print(Text(view.status_lines(state, player)[0], style="bold"), highlight=False)
    beside = console.width >= _BESIDE
    width = console.width - _BOARD if beside else console.width
    players = Text("\n").join(
        Text(_about(view, state, number, player, you, width), style=COLOURS[number]) for number in range(S.PLAYERS)
    )
    if beside:
        table = Table.grid()
        table.add_column(width=_BOARD)
        table.add_column(width=width)
        table.add_row(_picture(view, state, _BOARD - 2), players)
        console.print(table, highlight=False)
    else:
        console.print(_picture(view, state, console.width), players, sep="\n", highlight=False)
    for line in _table(view.table(state, player)):
        console.print(Text(folded(line, console.width, "    ")), highlight=False)
    for line in view.question(state, player):
        console.print(Text(folded(line, console.width, "    "), style="bold"), highlight=False)


def _view(game: Game, state: Any) -> View:
    view: View = game.rules.view.of(state)  # type: ignore[attr-defined]
    return view


def _picture(view: View, state: Any, width: int) -> Text:
    """The board in colour, and below it what the signs on it mean, in `width` columns."""
    lines, found = [Text(view.columns(), style="dim")], ""
    for number, cells in view.cells(state):
        line = Text(f"{number:>2}  ")
        for owner, unit, rest in cells:
            cell = unit + rest or "."
            found += cell
            before = (CELL - len(cell)) // 2
            line.append(" " * before)
            line.append(unit, style=f"bold {COLOURS[owner]}" if unit else "")
            line.append(cell[len(unit) :] + " " * (CELL - before - len(cell)))
        line.rstrip()
        lines.append(line)
    signs = ["A, a1.. player_0", "B, b1.. player_1"]
    signs += [words for marks, words in _SIGNS.items() if any(mark in found for mark in marks)]
    whole = "  ".join(sign.replace(" ", "\N{NO-BREAK SPACE}") for sign in signs)
    legend = folded(f"    {whole}", width, "    ").replace("\N{NO-BREAK SPACE}", " ")
    return Text("\n").join([*lines, Text(legend, style="dim")])


def _about(view: View, state: Any, number: int, player: int | None, you: int | None, width: int) -> str:
    """What is known of a player: a line of figures, the hand, and which cards are in hand or deck."""
    shown = player in (None, number)
    parts = view.player(state, number, shown)
    apart = ("hand", "hidden") if shown else ("hidden",)
    figures = "; ".join(part.text for part in parts if part.kind not in apart)
    lines = [f"{view.player_name(number)}{' (you)' if number == you else ''}: {figures}"]
    for part in parts:
        if part.kind == "hand" and shown:
            lines.append(f"  {part.text}")
        elif part.kind == "hidden" and (player is None or not shown):
            lines.append(f"  {'hand and' if shown else 'in hand or'} deck: {part.text}")
    return "\n".join(folded(line, width, "    ") for line in lines)


def _table(parts: list[Part]) -> list[str]:
    """A line for the units of each player and one for the zones; the chain in the order in which it resolves; the rest as it is."""
    lines = []
    for number in range(S.PLAYERS):
        if units := [part.text for part in parts if part.kind == "unit" and part.number == number]:
            lines.append(f"units of player_{number}: {'; '.join(units)}")
    if zones := [part.text for part in parts if part.kind == "zone"]:
        lines.append("zones: " + "; ".join(zones))
    lines += [part.line() for part in parts if part.kind not in ("unit", "zone", "chain")]
    if chain := sorted(((part.number, part.text) for part in parts if part.kind == "chain"), reverse=True):
        lines += ["chain, the top one resolves first:", *(f"  {number}  {text}" for number, text in chain)]
    return lines
