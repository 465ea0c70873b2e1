"""Fight Sequence as a picture: both players, and between them the sequence as a row of Actions that breaks after three."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from react_env.games.fight_sequence import actions as A
from react_env.games.fight_sequence import state as S
from react_env.games.fight_sequence.view import TOKENS, View, plain
from react_env.svg import LETTER, NOTES, PLAYERS, SMALL, WIDTH, Pen, Svg, width_of, wrapped

if TYPE_CHECKING:
    from react_env.games.fight_sequence.game import FightSequence

SLOT, ROW = 126, 3  # an Action: its width, and how many lie in a row
SLOT_LINES = 3  # the least number of lines of an Action
LINE = 15  # units from one line of an Action to the next
MARK = 26  # room for the mark of the Action that resolves, and for the arrows of a Shift
CHIP, CHIP_HIGH, CHIPS = 126, 28, 3  # a card in hand


def draw(
    game: FightSequence,
    state: Any,
    player: int | None = None,
    choices: Mapping[int, str] | None = None,
    style: bool = True,
) -> Svg:
    """The position as `player` sees it (None: everything), that player below; see `Game.svg`."""
    view: View = game.rules.view  # type: ignore[assignment]
    s, pen = plain(state), Pen(choices)
    own = player or 0
    head, question = view.head(s), "".join(view.question(state, player))
    first, _, rest = head.partition(", ")
    pen.text(8, 16, first, style="ink b")
    pen.text(WIDTH - 8, 16, rest, style="dim", at="end", room=376 - width_of(first, LETTER, bold=True))
    pen.text(8, 33, question.replace(" to move", ""), room=384)
    y = _player(pen, view, s, 1 - own, player, 39)
    y = _sequence(pen, view, s, y + 8)
    for line in view.danger(s, player):
        pen.text(WIDTH / 2, y + 14, line, style="ink b", at="middle", room=384)
        y += 20
    y = _player(pen, view, s, own, player, y + 4)
    return pen.finish(y + 6, f"{head}. {question}", style)


def worth_showing(state: Any) -> bool:
    """Whether a position makes a good picture: a sequence of five Actions, later than the first two."""
    return bool(int(state["slots"]) == 5 and int(state["sequence"]) > 2)


def _player(pen: Pen, view: View, s: SimpleNamespace, q: int, player: int | None, y: float) -> float:
    """Draw what is known of a player: the deck as a bar, tokens, piles and the hand; returns where it ends."""
    shown = player in (None, q)
    cards = [(c, n) for c, n in enumerate(s.hand[q] if shown else view.known(s, q)[0]) if n and c < len(view.names[q])]
    parts = view.player(s, q, shown)
    notes = [part for part in parts if ("discard" in part and ":" in part) or part.startswith("hand or")]
    lines = min(NOTES, len(wrapped("; ".join(notes), 376, SMALL)))
    rows = -(-len(cards) // CHIPS)
    high = 44 + LINE * lines + (CHIP_HIGH + 3) * rows
    style = PLAYERS[q]
    pen.rect(4, y, WIDTH - 8, high, f"{style}bg", 6)
    pen.sign(16, y + 13, q, 8, "")
    begins = " · initiative" if s.initiative == q else ""
    pen.text(30, y + 18, f"player_{q}{begins}", style=f"{style} b", room=170)
    for kind, name in enumerate(TOKENS):
        pen.text(WIDTH - 12 - 96 * (1 - kind), y + 18, f"{name} {s.token[q][kind]}", at="end", room=94)
    most = sum(int(n) for n in view.t["copies"][q])
    pen.text(12, y + 37, f"deck {s.deck_size[q]}", style="ink b", room=66)
    pen.rect(80, y + 28, 90, 9, "bg")
    pen.rect(80, y + 28, 90 * s.deck_size[q] / most, 9, style)
    pen.rect(80, y + 28, 90, 9, f"{style}-line")
    words = [f"hand {s.hand_size[q]}", f"{s.undrawn[q]} put back" * bool(s.undrawn[q])]
    words += [f"face down {s.buried_size[q]}" * bool(s.buried_size[q]), f"Willpower {s.ward[q]}" * bool(s.ward[q])]
    pen.text(180, y + 37, " · ".join(word for word in words if word), room=210)
    pen.paragraph(12, y + 53, "; ".join(notes), 376, SMALL, "dim", NOTES)
    for number, (c, many) in enumerate(cards):
        x, below = 8 + (CHIP + 3) * (number % CHIPS), rows - number // CHIPS
        actions = [A.A_ATTACK + c, A.A_RESPOND + c, A.A_CARD + c] if q == s.to_play else []
        name = view.names[q][c]
        words_of = name + (f" ×{many}" if many > 1 else "")
        pen.card(
            (x, y + high - below * (CHIP_HIGH + 3), CHIP, CHIP_HIGH), name, f"{style}-line", actions, words=words_of
        )
    return y + high


def _sequence(pen: Pen, view: View, s: SimpleNamespace, y: float) -> float:
    """Draw the Actions of the sequence from the first slot on; returns where they end."""
    if s.slots == 0:
        pen.text(WIDTH / 2, y + 20, "no Action yet", style="dim i", at="middle")
        return y + 32
    for first in range(0, s.slots, ROW):
        slots = range(first, min(first + ROW, s.slots))
        lines = [_lines(view, s, slot) for slot in slots]
        high = (
            12
            + LINE * max(SLOT_LINES, *(len(one) for one in lines))
            + MARK * any(_marked(pen, s, slot) for slot in slots)
        )
        for number, slot in enumerate(slots):
            _slot(pen, view, s, slot, lines[number], (6 + number * (SLOT + 5), y, SLOT, high))
        y += high + 5
    return y


def _lines(view: View, s: SimpleNamespace, slot: int) -> list[tuple[str, str]]:
    """An Action in lines, each with its style: the name, then its effect."""
    owner, card, mode = s.slot_owner[slot], s.slot_card[slot], s.slot_mode[slot]
    about = view.decks[owner].cards[card]
    # Bold letters are 1.13 times as wide.
    found = [(line, "ink b") for line in wrapped(about.name, SLOT - 29, LETTER * 1.13)]
    if mode != S.ATTACK:
        return [
            *found,
            ("response:", "ink i"),
            *((line, "ink") for line in wrapped(about.response_text(), SLOT - 12, SMALL)),
        ]
    found += [(f"Speed {about.speed}", "ink"), (f"{about.power} {about.type}", "ink")]
    if about.effect is not None and view.t["effect"][owner, S.ATTACK, card, 1] == S.TIMED:
        found += [(line, "ink i") for line in wrapped(about.effect.text(), SLOT - 12, SMALL)]
    return found


def _resolves(s: SimpleNamespace, slot: int) -> bool:
    return bool(s.phase == S.PH_RESOLVE and slot == s.current)


def _marked(pen: Pen, s: SimpleNamespace, slot: int) -> bool:
    """Whether an Action has a mark below its lines: that it resolves, or where it may go."""
    return _resolves(s, slot) or A.A_LEFT + slot in pen.choices or A.A_RIGHT + slot in pen.choices


def _slot(
    pen: Pen,
    view: View,
    s: SimpleNamespace,
    slot: int,
    lines: list[tuple[str, str]],
    box: tuple[float, float, float, float],
) -> None:
    """Draw one Action: its owner, card and way, and whether it resolves now."""
    (x, y, _, high), owner = box, s.slot_owner[slot]
    about, style = view.decks[owner].cards[s.slot_card[slot]], PLAYERS[owner]
    with pen.spot(box, [A.A_RETURN + slot], card=about.name):
        pen.rect(*box, f"{style}bg", 3 if owner else 9)
        pen.rect(*box, f"{style}-line", 3 if owner else 9)
        pen.sign(x + 13, y + 14, owner, 9, str(slot + 1))
        for number, (line, kind) in enumerate(lines):
            left = 25 if kind == "ink b" else 7
            pen.text(
                x + left,
                y + 18 + LINE * number + 2 * bool(number),
                line,
                SMALL if number > 2 else LETTER,
                kind,
                room=SLOT - left - 4,
            )
        if _resolves(s, slot):
            pen.rect(x + 30, y + high - 23, SLOT - 60, 19, "mark")
            pen.text(x + SLOT / 2, y + high - 8.5, "resolves", SMALL, "on b", at="middle", room=SLOT - 64)
    for action, way, at in ((A.A_LEFT + slot, 3, x + 16), (A.A_RIGHT + slot, 1, x + SLOT - 16)):
        if action in pen.choices:
            with pen.spot((at - 13, y + high - MARK, 26, MARK - 3), [action]):
                pen.rect(at - 13, y + high - MARK, 26, MARK - 3, "bg")
                pen.arrow(way, at, y + high - 14)
