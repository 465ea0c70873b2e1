"""Reality TCG in the terminal: both fields face each other, the Active Zones between them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

from react_env.cli.common import folded
from react_env.cli.positions import COLOURS
from react_env.games.reality_tcg import state as S
from react_env.games.reality_tcg.game import RealityTCG
from react_env.games.reality_tcg.view import QUESTIONS, View

if TYPE_CHECKING:
    from rich.console import Console


def draw(console: Console, game: RealityTCG, state: Any, player: int | None, you: int | None = None) -> None:
    """Print the position as `player` sees it (None: everything), with that player's field below. The player `you` is marked."""
    view: View = game.rules.view  # type: ignore[assignment]
    lines = view.status_lines(state, player)
    own = player if player is not None else 0
    console.print(lines[0], style="bold", highlight=False, markup=False)
    for p in (1 - own, own):
        name = f"player_{p}{' (you)' if p == you else ''}"
        facts = next(line for line in lines if line.startswith(f"player_{p}:")).removeprefix(f"player_{p}: ")
        console.print(Text.assemble((name, COLOURS[p]), f": {facts}"), highlight=False)
        console.print(_field(console, game, state, p, active_first=p == own))
        for line in _rest(view, state, p, player):
            text = folded(line.replace(" x", "\u00a0x"), console.width, "    ").replace(
                "\u00a0", " "
            )  # "x3" stays with its card
            console.print(text, highlight=False, markup=False)
    for line in lines:
        if line.startswith("on the chain"):
            console.print(line, highlight=False, markup=False, style="bold")
    if not state["over"]:
        card = view.kinds[int(state["pending"])] if state["pending"] >= 0 else ""
        question = QUESTIONS[int(state["decision"])].format(card)
        console.print(f"player_{int(state['to_play'])}: {question}", highlight=False, markup=False)


def _field(console: Console, game: RealityTCG, state: Any, p: int, active_first: bool) -> Table:
    """The Characters of a player: a row for the Active Zone and one for the Back Row, or in a narrow terminal a row for each."""
    active, *back = (_unit(game, state, p, z) for z in range(S.ZONES))
    rows = [[Text(""), active, Text("")], back]
    wide = _table(rows if active_first else rows[::-1], no_wrap=True)
    if console.measure(wide, options=console.options.update_width(sys.maxsize)).maximum <= console.width:
        return wide
    rows = [[Text("Active"), active], *([Text(f"Back {z}"), unit] for z, unit in enumerate(back, start=S.BACK))]
    return _table(rows if active_first else rows[::-1])


def _table(rows: list[list[Text]], no_wrap: bool = False) -> Table:
    table = Table(box=box.ROUNDED, show_header=False, padding=(0, 1))
    for _ in rows[0]:
        table.add_column(min_width=16 if no_wrap else None, no_wrap=no_wrap)
    for row in rows:
        table.add_row(*row)
    return table


def _unit(game: RealityTCG, state: Any, p: int, z: int) -> Text:
    """A Character with its present ATK, DEF, HP, SPD and position."""
    k = int(state["kind"][p][z])
    if k < 0:
        return Text("-" if z else "nobody", style="dim")
    card: Any = game.set.cards[k]
    view: View = game.rules.view  # type: ignore[assignment]
    position = S.POSITION_NAMES[int(state["position"][p][z])]
    new = ", new" if state["entered"][p][z] == state["turn"] else ""
    return Text.assemble(
        (f"{card.name}\n", f"bold {COLOURS[p]}"),
        f"{view.attack(state, p, z)} ATK  {int(state['df'][p][z])}/{card.def_} DEF\n",
        f"{int(state['hp'][p][z])}/{card.hp} HP   {card.spd} SPD\n",
        (f"{position}{new}", "italic"),
    )


def _rest(view: View, state: Any, p: int, player: int | None) -> list[str]:
    """Traps, Land, Purgatory and hand, if they exist and are visible."""
    skipped = ("  Active Zone", "  Back Row")
    found, mine = [], False
    for line in view.status_lines(state, player):
        if not line.startswith("  "):
            mine = line.startswith(f"player_{p}:")
        elif mine and not line.startswith(skipped):
            found.append(line)
    return found
