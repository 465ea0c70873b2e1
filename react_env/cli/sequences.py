"""A position of Fight Sequence in the terminal: the sequence as a row of slots, each with its owner and its card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

from react_env.cli.common import folded
from react_env.games.fight_sequence import FightSequence
from react_env.games.fight_sequence import state as S

if TYPE_CHECKING:
    from rich.console import Console

NARROWEST = 11  # characters of a slot; with fewer columns the row is broken
WIDEST = 20
COLOURS = ("cyan", "magenta")
_AROUND = 2  # characters of a column besides its text


def draw(console: Console, game: FightSequence, state: Any, player: int | None, you: int | None = None) -> None:
    """Print the position as `player` sees it (None: everything), with the sequence as a row; `you` is called so."""
    lines = game.text(state, player).splitlines()
    slots = int(state["slots"])
    head, players, after = lines[0], lines[1 : 1 + S.PLAYERS], lines[1 + S.PLAYERS + slots :]
    console.print(head, highlight=False, markup=False, style="bold")
    for number, line in enumerate(players):
        parts = (line.replace(":", " (you):", 1) if number == you else line).split("; ")
        gone = [part for part in parts if part.startswith("discard ")]
        _words(console, "; ".join(part for part in parts if part not in gone), COLOURS[number])
        for part in gone:
            if ":" in part:  # long, and seldom looked at
                _words(console, f"    {part}", "dim")
    for table in _rows(game, state, you, console.width):
        console.print(table)
    for line in after:
        _words(console, line, "dim" if "'s deck from the top: " in line else "")


def _words(console: Console, line: str, style: str = "") -> None:
    """A line with a style."""
    console.print(Text(folded(line, console.width, "    "), style=style), highlight=False)


def _rows(game: FightSequence, state: Any, you: int | None, width: int) -> list[Table]:
    """The sequence as tables of one row of slots; more than one where the terminal is too narrow."""
    slots = int(state["slots"])
    if slots == 0:
        return []
    fitting = max(1, (width - 1) // (NARROWEST + _AROUND))
    rows = -(-slots // fitting)
    each = -(-slots // rows)
    wide = min(WIDEST, (width - 1) // each - _AROUND)
    return [_row(game, state, you, range(first, min(first + each, slots)), wide) for first in range(0, slots, each)]


def _row(game: FightSequence, state: Any, you: int | None, slots: range, width: int) -> Table:
    """Some slots: number and owner; the card; what it still does (an immediate effect has happened)."""
    table = Table(box=box.SQUARE, padding=(0, 0, 0, 1))
    cells = []
    for slot in slots:
        owner, card = int(state["slot_owner"][slot]), int(state["slot_card"][slot])
        style = COLOURS[owner]
        table.add_column(f"{slot + 1} {'you' if owner == you else f'player_{owner}'}", width=width, style=style)
        about = game.decks[owner].cards[card]
        if int(state["slot_mode"][slot]) == S.ATTACK:
            what = [f"Speed {about.speed}", f"{about.power} {about.type}"]
            if about.effect is not None and game.tables[0]["effect"][owner, S.ATTACK, card, 1] == S.TIMED:
                what.append(about.effect.text())
        else:
            what = ["response:", about.response_text()]
        if int(state["current"]) == slot and int(state["phase"]) == S.PH_RESOLVE:
            what.append("RESOLVES")
        cells.append((Text(about.name, style="bold", overflow="fold"), Text("\n".join(what), overflow="fold")))
    for line in zip(*cells, strict=True):
        table.add_row(*line)
    return table
