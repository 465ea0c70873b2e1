"""React Fast in the terminal: the pile, the players around it, and the texts of the traveling cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from react_env.cli.positions import Words
from react_env.games.react_fast import state as S
from react_env.games.react_fast.view import QUESTIONS, card_name

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from react_env.engine.game import Game

STYLES = ("yellow", "cyan", "red", "magenta")  # of the suits
TEXTS = {  # of the traveling cards: for whom, and what they do
    S.J2: ("everybody, until the round ends", "Every chance card has one chance more, also one that lies on top."),
    S.J3: ("everybody, until the round ends", "Two cards of one suit in a row may be slapped, too."),
    S.C4: ("a player, until the round ends", "Places two cards folded into one; only the upper one exists."),
    S.C5: ("a player, once", "Plays this turn in your place; chance cards are yours."),
    S.G6: ("your opponents, once", "Each gives two cards to the pile. They are one card, and only the top is live."),
    S.G7: ("you, until you slap or the round ends", "Nobody else may slap."),
    S.A8: ("you, until the round ends", "You may skip turns in which chances are to be answered."),
    S.A9: ("you, once", "You take the top card of the pile. No chance is pending any more."),
}


def draw(console: Console, game: Game, state: Any, player: int | None, you: int | None = None) -> None:
    """Print the position as `player` sees it (None: everything); `you` is called so."""
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
    notes = []
    if state["chance"] >= 0:
        left = int(state["remaining"])
        chances = "no chance left" if left == 0 else "1 chance" if left == 1 else f"{left} chances"
        notes.append(f"{_name(int(state['turn']), you)}: {chances} against {_name(int(state['chance']), you)}")
    notes += ["one extra chance"] if state["extra"] else []
    notes += ["suits count"] if state["suits"] else []
    notes += [f"free slap: {_name(int(state['free']), you)}"] if state["free"] >= 0 else []
    return Panel(
        Group(line, Text("; ".join(notes), style="bold")), title="pile", box=box.ROUNDED, expand=False, width=60
    )


def _players(game: Game, state: Any, player: int | None, you: int | None) -> Table:
    table = Table(box=box.SIMPLE)
    for head in ("", "cards", "known", "traveling cards (used in brackets)"):
        table.add_column(head, justify="right" if head in ("cards", "known") else "left")
    for p in range(game.num_players):
        if not state["alive"][p]:
            table.add_row(_name(p, you), "out", "", "", style="dim")
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
        mark = ">" if state["turn"] == p else " "
        table.add_row(f"{mark} {_name(p, you)}", str(int(state["size"][p])), str(known or ""), cards)
    return table


def card_words(game: Game, state: Any, player: int) -> list[Words]:
    """The eight traveling cards, those of `player` first."""
    found = []
    needed = game.tables[0]["needed"]
    for card in sorted(range(S.TRAVELING), key=lambda card: int(state["owner"][card]) != player):
        whom, text = TEXTS[card]
        lines = [f"For {whom}. {text}", f"Unused again for who slaps the {card_name(int(needed[card]))}."]
        found.append(Words(player, S.TRAVELING_NAMES[card], lines, int(state["owner"][card] == player)))
    return found


def question_words(game: Game, state: Any) -> str:
    """Questions of this game say everything themselves."""
    return ""
