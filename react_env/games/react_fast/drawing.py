"""React Fast as a picture: the pile with its live card, and below it a line for each player with what lies there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from react_env.games.react_fast import actions as A
from react_env.games.react_fast import state as S
from react_env.games.react_fast.view import QUESTIONS, View, card_name, own_notes, pile_notes
from react_env.svg import LETTER, PLAYERS, SMALL, WIDTH, Pen, Point, Svg, wrapped

if TYPE_CHECKING:
    from react_env.engine.game import Game

HIGH = 52  # of a player's line
MORE = 17  # units that it is higher where cards lie in two rows
CARDS = 150  # where the traveling cards of a player begin
# The sign of each suit around 0, 0; all differ even without colour: a coin, an urn, a ring and a cut stone. First the circle, if any
# (height of its centre, radius), then the lines.
_SUITS: tuple[tuple[Point | None, tuple[tuple[Point, ...], ...]], ...] = (
    ((0, 7), (((-3, 0), (3, 0)),)),
    (None, (((-5, -7), (5, -7), (2, -3), (6, 0), (3, 7), (-3, 7), (-6, 0), (-2, -3), (-5, -7)),)),
    ((2, 6), (((-3, -5), (0, -9), (3, -5), (-3, -5)),)),
    (None, (((-7, -2), (-3, -7), (3, -7), (7, -2), (0, 7), (-7, -2)), ((-7, -2), (7, -2)))),
)


def draw(
    game: Game, state: Any, player: int | None = None, choices: Mapping[int, str] | None = None, style: bool = True
) -> Svg:
    """The position as `player` sees it (None: everything); see `Game.svg`."""
    view: View = game.rules.view  # type: ignore[assignment]
    pen = Pen(choices)
    s = {name: state[name].tolist() for name in state.dtype.names if name not in ("deck", "event", "pile", "seen")}
    # The order in which players are asked for a slap means nothing.
    who = "everybody" if s["decision"] == S.D_SLAP else f"player_{s['to_play']}"
    question = f"{who}: {QUESTIONS[s['decision']]}" if not s["over"] else _ended(view, state)
    pen.text(8, 17, f"{s['clock'] / 1000:.2f} s", 15, "ink b")
    pen.text(WIDTH - 8, 17, question, at="end", room=290)
    _pile(pen, s, 26)
    y: float = 126
    for p in range(view.players):
        y += _player(pen, view, state, s, p, player, y) + 4
    head = ", ".join(view.status_lines(state, player)[:1])
    return pen.finish(y + 2, f"{head}. {question}", style)


def worth_showing(state: Any) -> bool:
    """Whether a position makes a good picture: a live card, and most traveling cards out."""
    return bool(int((state["owner"] >= 0).sum()) >= 5 and int(state["face"]) >= 0)


def _ended(view: View, state: Any) -> str:
    return "".join(view.log_lines(state)[-1:])


def _pile(pen: Pen, s: dict[str, Any], y: float) -> None:
    """The live card, the one below it, the number of cards, and the effects in force."""
    slap = len(A.actions_of(len(s["size"])).names) - len(A.TAIL) + A.T_HOLD + S.SLAP
    with pen.spot((8, y, 132, 92), [slap], round_=8):
        pen.rect(8, y, 132, 92, "field", 8)
        if s["before"] >= 0:
            _face(pen, s["before"], 86, y + 6, 48, 60)
        if s["face"] >= 0:
            _face(pen, s["face"], 14, y + 6, 66, 80)
        else:
            pen.text(74, y + 50, "no card", LETTER, "dim i", at="middle")
    x, y = CARDS, y + 15
    pen.text(x, y, f"pile of {s['pile_size']}", 15, "ink b")
    for note in pile_notes(s):
        y += 17 * pen.paragraph(x, y + 19, note, WIDTH - x - 8, LETTER, lines=2)


def _face(pen: Pen, card: int, x: float, y: float, width: float, high: float) -> None:
    """A playing card: rank, the sign of its suit, and the suit's name."""
    with pen.spot():
        pen.rect(x, y, width, high, "bg", 5)
        pen.rect(x, y, width, high, "ink-line", 5)
        pen.title(card_name(card))
        size = width / 56
        pen.text(x + 5 * size, y + 18 * size, S.RANK_NAMES[card % S.RANKS], 18 * size, "ink b")
        _suit(pen, card // S.RANKS, x + width / 2, y + high * 0.55, 1.4 * size)
        if width > 60:
            pen.text(x + width / 2, y + high - 5, S.SUITS[card // S.RANKS], SMALL, at="middle", room=width - 4)


def _suit(pen: Pen, suit: int, x: float, y: float, scale: float) -> None:
    circle, lines = _SUITS[suit]
    if circle is not None:
        pen.circle(x, y + circle[0] * scale, circle[1] * scale, "mark-line", 1.6 * scale)
    for points in lines:
        pen.line([(x + a * scale, y + b * scale) for a, b in points], "mark-line", 1.6 * scale)


def _notes(view: View, state: Any, s: dict[str, Any], p: int, player: int | None) -> str:
    """Further notes on a player."""
    if not s["alive"][p]:
        return ""
    notes = ["two cards at a time"] * bool(s["folds"][p]) + ["may skip"] * bool(s["skipper"][p])
    notes += ["no slap this round"] * bool(s["locked"][p])
    if player in (None, p):
        notes += own_notes(s, p, view.stances)
    head, size, deck = s["head"][p], s["size"][p], state["deck"][p]
    known = [int(deck[(head + i) % S.CARDS]) for i in range(size)]
    seen = [card_name(code & S.CARD_BITS) if view.remembers(state, code) else "?" for code in known[:4]]
    if any(name != "?" for name in seen):
        notes.append(f"next: {', '.join(seen)}")
    return " · ".join(notes)


def _player(pen: Pen, view: View, state: Any, s: dict[str, Any], p: int, player: int | None, y: float) -> float:
    """Draw a player: turn, cards, the deck as a bar, traveling cards, and known cards on top of the deck; returns the height."""
    targets = [A.A_C4 + p, A.A_C4 + view.players + p]
    cards = [card for card in range(S.TRAVELING) if s["owner"][card] == p]
    notes, more = _notes(view, state, s, p, player), MORE * (len(cards) > 4)
    line = HIGH + more + 15 * max(0, len(wrapped(notes, 340, SMALL)) - 1)
    with pen.spot((4, y, WIDTH - 8, line), targets, round_=6):
        pen.rect(4, y, WIDTH - 8, line, "field", 6)
        # The same colours as in the form for a new game, until the end.
        style = PLAYERS[p] if p < len(PLAYERS) else "ink"
        pen.circle(18, y + 14, 9, style)
        pen.text(18, y + 18.4, str(p), SMALL, "bg b" if style == "ink" else "on b", at="middle")
        if p == player:
            pen.text(9, y + 38, "you", SMALL, "ink b")
        if not s["alive"][p]:
            pen.text(34, y + 19, f"player_{p} is out", LETTER, "dim i")
            return line
        if s["whose"] == p and not s["over"]:
            pen.rect(4, y, WIDTH - 8, line, "mark-line", 6)
            pen.arrow(1, 36, y + 14, "mark")
        pen.text(46, y + 18, f"player_{p}: {s['size'][p]}", LETTER, "ink b", room=100)
        pen.rect(46, y + 25, 92, 6, "bg")
        pen.rect(46, y + 25, 92 * min(1, s["size"][p] / 30), 6, style)
        pen.paragraph(46, y + HIGH - 6 + more, notes, 340, SMALL, "dim")
    wide, high = 57, 26 if len(cards) <= 4 else 22
    for number, card in enumerate(cards):
        actions = [A.A_ACTIVATE + A.PLAIN.index(card)] if card in A.PLAIN and p == s["to_play"] else []
        used = bool(s["used"][card])
        x, top = CARDS + (wide + 3) * (number % 4), y + 3 + (high + 2) * (number // 4)
        name = S.TRAVELING_NAMES[card]
        with pen.spot((x, top, wide, high), actions, card=name):
            pen.rect(x, top, wide, high, "field" if used else "bg")
            pen.rect(x, top, wide, high, "edge-line" if used else "mark-line")
            _suit(pen, S.TRAVELING_SUIT[card], x + 12, top + high / 2, 1.0)
            number_of = f"#{S.TRAVELING_NUMBER[card]}"
            pen.text(x + 26, top + high / 2 + 4.8, number_of, LETTER, "dim i" if used else "ink b", room=wide - 28)
            if used:
                pen.title(f"{name}, used")
                pen.line([(x + 5, top + high - 4), (x + 46, top + 5)], "edge-line", 1.5)
    return line
