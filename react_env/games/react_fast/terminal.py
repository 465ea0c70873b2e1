"""React Fast in the terminal: the pile and the players."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from react_env.games.react_fast import state as S
from react_env.games.react_fast.view import QUESTIONS, card_name, pile_notes

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from react_env.engine.game import Game

STYLES = ("yellow", "cyan", "red", "magenta")  # of the suits


def draw(console: Console, game: Game, state: Any, player: int | None, you: int | None = None) -> None:
    """Print the position as `player` sees it (None: everything); the player `you` is marked."""
    console.print(picture(game, state, player, you))
    if not state["over"]:
        console.print(f"player_{int(state['to_play'])}: {QUESTIONS[int(state['decision'])]}", highlight=False)


def picture(game: Game, state: Any, player: int | None, you: int | None = None) -> RenderableType:
    """The pile above the players, for rich to print."""
    return Group(_pile(state, you), _players(game, state, player, you))


def many(cards: int) -> str:
    """How many cards, in words."""
    return "1 card" if cards == 1 else f"{cards} cards"


def _name(p: int, you: int | None) -> str:
    return "you" if p == you else f"player_{p}"


def _pile(state: Any, you: int | None) -> Panel:
    face, before = int(state["face"]), int(state["before"])
    live = Text(f"  {card_name(face)}  ", style=f"bold reverse {STYLES[face // S.RANKS]}") if face >= 0 else Text("-")
    under = f"   on {card_name(before)}" if before >= 0 else ""
    line = Text.assemble(live, under, f"   {many(int(state['pile_size']))}")
    notes = pile_notes(state, you)
    return Panel(
        Group(line, Text("; ".join(notes), style="bold")), title="pile", box=box.ROUNDED, expand=False, width=60
    )


def _players(game: Game, state: Any, player: int | None, you: int | None) -> Table:
    table = Table(box=box.SIMPLE)
    table.add_column("", no_wrap=True, min_width=len("> player_0"))
    for head in ("cards", "known", "traveling cards (used in brackets)"):
        table.add_column(head, justify="right" if head in ("cards", "known") else "left")
    for p in range(game.num_players):
        if not state["alive"][p]:
            table.add_row(f"  {_name(p, you)}", "out", "", "", style="dim")
            continue
        cards = Text()
        for card in range(S.TRAVELING):
            if state["owner"][card] == p:
                used = bool(state["used"][card])
                name = S.TRAVELING_NAMES[card]
                cards.append(f"({name}) " if used else f"{name} ", style=STYLES[S.TRAVELING_SUIT[card]] + " dim" * used)
        cards.append("two at a time " * int(state["folds"][p]) + "may skip" * int(state["skipper"][p]), style="italic")
        known = sum(
            game.rules.view.remembers(state, int(state["deck"][p][(state["head"][p] + i) % S.CARDS]))  # type: ignore[attr-defined]
            for i in range(int(state["size"][p]))
        )
        mark = ">" if state["whose"] == p else " "
        table.add_row(f"{mark} {_name(p, you)}", str(int(state["size"][p])), str(known or ""), cards)
    return table
