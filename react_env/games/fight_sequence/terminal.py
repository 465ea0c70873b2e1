"""Fight Sequence in the terminal: the sequence as a row of slots, each with its owner and its card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

from react_env.cli.common import folded
from react_env.cli.positions import COLOURS
from react_env.games.fight_sequence import state as S
from react_env.games.fight_sequence.game import FightSequence
from react_env.games.fight_sequence.view import View

if TYPE_CHECKING:
    from rich.console import Console

NARROWEST = 11  # least width of a slot in characters; in a narrower terminal the row breaks
WIDEST = 20
_AROUND = 2  # characters of a column in addition to its text


def draw(console: Console, game: FightSequence, state: Any, player: int | None, you: int | None = None) -> None:
    """Print the position as `player` sees it (None: everything), with the sequence as a row; the player `you` is marked."""
    view: View = game.rules.view  # type: ignore[assignment]
    console.print(view.head(state), highlight=False, markup=False, style="bold")
    for number in range(S.PLAYERS):
        parts, pile = view.player(state, number, player in (None, number)), view.discarded(state, number)
        name = f"player_{number}{' (you)' if number == you else ''}"
        _print(console, f"{name}: {'; '.join(part for part in parts if part != pile)}", COLOURS[number])
        if ":" in pile:  # long and rarely needed
            _print(console, f"    {pile}", "dim")
    for table in _rows(game, state, you, console.width):
        console.print(table)
    for line in view.danger(state, player):
        _print(console, line)
    for line in view.decks_lines(state, player):
        _print(console, line, "dim")
    for line in view.question(state, player):
        _print(console, line)


def _print(console: Console, line: str, style: str = "") -> None:
    """A line with a style."""
    console.print(Text(folded(line, console.width, "    "), style=style), highlight=False)


def _rows(game: FightSequence, state: Any, you: int | None, width: int) -> list[Table]:
    """The sequence as tables of one row of slots each; one table unless the terminal is too narrow."""
    slots = int(state["slots"])
    if slots == 0:
        return []
    fitting = max(1, (width - 1) // (NARROWEST + _AROUND))
    rows = -(-slots // fitting)
    each = -(-slots // rows)
    wide = min(WIDEST, (width - 1) // each - _AROUND)
    return [_row(game, state, you, range(first, min(first + each, slots)), wide) for first in range(0, slots, each)]


def _row(game: FightSequence, state: Any, you: int | None, slots: range, width: int) -> Table:
    """Some slots: number and owner, the card, and the effect it still has (an immediate effect is over)."""
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
