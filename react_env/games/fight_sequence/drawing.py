"""Fight Sequence as a picture: both players, and between them the sequence as a row of Actions that breaks after three."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from react_env.games.fight_sequence import actions as A
from react_env.games.fight_sequence import state as S
from react_env.games.fight_sequence.view import TOKENS, View, plain
from react_env.svg import PLAYERS, WIDTH, Pen, Svg, wrapped

if TYPE_CHECKING:
    from react_env.games.fight_sequence.game import FightSequence

SLOT, SLOT_HIGH, ROW = 126, 76, 3  # an Action: its width and height, and how many lie in a row
CHIP, CHIP_HIGH, CHIPS = 94, 19, 4  # a card in hand


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
    pen.text(8, 15, head.partition(",")[0], 12, "ink b", room=110)
    pen.text(WIDTH - 8, 15, question.replace(" to move", ""), 9.5, at="end", room=270)
    pen.text(8, 29, head.partition(", ")[2], 9, "dim", room=384)
    y = _player(pen, view, s, 1 - own, player, 35)
    y = _sequence(pen, view, s, y + 8)
    for line in view.danger(s, player):
        pen.text(WIDTH / 2, y + 11, line, 10, "ink b", at="middle", room=384)
        y += 16
    y = _player(pen, view, s, own, player, y + 4)
    return pen.finish(y + 6, f"{head}. {question}", style)


def worth_showing(state: Any) -> bool:
    """Whether a position shows what the game is about: a sequence of five Actions, not the first of the game."""
    return bool(int(state["slots"]) == 5 and int(state["sequence"]) > 2)


def _player(pen: Pen, view: View, s: SimpleNamespace, q: int, player: int | None, y: float) -> float:
    """What is known of a player: the deck as a bar, tokens, piles and the hand; where it ends."""
    shown = player in (None, q)
    cards = [(c, n) for c, n in enumerate(s.hand[q] if shown else s.known[q]) if n and c < len(view.names[q])]
    parts = view.player(s, q, shown)
    notes = [part for part in parts if ("discard" in part and ":" in part) or part.startswith("hand or")]
    lines = wrapped("; ".join(notes), 376, 8)[:3]
    rows = -(-len(cards) // CHIPS)
    high = 40 + 11 * len(lines) + (CHIP_HIGH + 3) * rows
    style = PLAYERS[q]
    pen.rect(4, y, WIDTH - 8, high, f"{style}bg", 6)
    pen.sign(16, y + 12, q, 8, "")
    begins = " · initiative" if s.initiative == q else ""
    pen.text(30, y + 16, f"player_{q}{begins}", 12, f"{style} b", room=180)
    for kind, name in enumerate(TOKENS):
        pen.text(WIDTH - 12 - 90 * (1 - kind), y + 16, f"{name} {s.token[q][kind]}", 9.5, at="end", room=86)
    most = sum(int(n) for n in view.t["copies"][q])
    pen.text(12, y + 32, f"deck {s.deck_size[q]}", 9, room=50)
    pen.rect(66, y + 25, 150, 8, "bg")
    pen.rect(66, y + 25, 150 * s.deck_size[q] / most, 8, style)
    pen.rect(66, y + 25, 150, 8, f"{style}-line")
    words = [f"hand {s.hand_size[q]}", f"{s.undrawn[q]} put back" * bool(s.undrawn[q])]
    words += [f"face down {s.buried_size[q]}" * bool(s.buried_size[q]), f"Willpower {s.ward[q]}" * bool(s.ward[q])]
    pen.text(226, y + 32, " · ".join(word for word in words if word), 9, room=164)
    for number, line in enumerate(lines):
        pen.text(12, y + 45 + 11 * number, line, 8, "dim", room=376)
    for number, (c, many) in enumerate(cards):
        x, below = 9 + (CHIP + 2) * (number % CHIPS), rows - number // CHIPS
        actions = [A.A_ATTACK + c, A.A_RESPOND + c, A.A_CARD + c] if q == s.to_play else []
        name = view.names[q][c]
        words_of = name + (f" ×{many}" if many > 1 else "")
        pen.card(
            (x, y + high - below * (CHIP_HIGH + 3), CHIP, CHIP_HIGH), name, f"{style}-line", actions, words=words_of
        )
    return y + high


def _sequence(pen: Pen, view: View, s: SimpleNamespace, y: float) -> float:
    """The Actions of the sequence from its first slot on; where they end."""
    if s.slots == 0:
        pen.text(WIDTH / 2, y + 20, "no Action yet", 10, "dim i", at="middle")
        return y + 32
    for slot in range(s.slots):
        _slot(pen, view, s, slot, 6 + (slot % ROW) * (SLOT + 5), y + (slot // ROW) * (SLOT_HIGH + 5))
    return y + -(-int(s.slots) // ROW) * (SLOT_HIGH + 5)


def _slot(pen: Pen, view: View, s: SimpleNamespace, slot: int, x: float, y: float) -> None:
    """One Action: its owner and card, how it lies there, and whether it resolves now."""
    owner, card, mode = s.slot_owner[slot], s.slot_card[slot], s.slot_mode[slot]
    about, style = view.decks[owner].cards[card], PLAYERS[owner]
    acts = s.phase == S.PH_RESOLVE and slot == s.current
    with pen.spot((x, y, SLOT, SLOT_HIGH), [A.A_RETURN + slot], card=about.name):
        pen.rect(x, y, SLOT, SLOT_HIGH, f"{style}bg", 3 if owner else 9)
        pen.rect(x, y, SLOT, SLOT_HIGH, f"{style}-line", 3 if owner else 9)
        pen.sign(x + 13, y + 13, owner, 8, str(slot + 1))
        pen.text(x + 25, y + 16, about.name, 9.5, "ink b", room=SLOT - 29)
        if mode == S.ATTACK:
            pen.text(x + 7, y + 31, f"Speed {about.speed} · {about.power} {about.type}", 8.5, room=SLOT - 12)
            if about.effect is not None and view.t["effect"][owner, S.ATTACK, card, 1] == S.TIMED:
                pen.paragraph(x + 7, y + 43, about.effect.text(), SLOT - 12, 8)
        else:
            pen.text(x + 7, y + 31, "response", 8.5, "ink i")
            pen.paragraph(x + 7, y + 43, about.response_text(), SLOT - 12, 8)
        if acts:
            pen.rect(x + 2, y + SLOT_HIGH - 13, SLOT - 4, 11, "lit")
            pen.text(x + SLOT / 2, y + SLOT_HIGH - 4.5, "resolves", 8.5, "on b", at="middle")
    for action, way, at in ((A.A_LEFT + slot, 3, x + 10), (A.A_RIGHT + slot, 1, x + SLOT - 10)):
        if action in pen.choices:
            with pen.spot((at - 9, y + SLOT_HIGH - 24, 18, 20), [action]):
                pen.rect(at - 9, y + SLOT_HIGH - 24, 18, 20, "bg")
                pen.arrow(way, at, y + SLOT_HIGH - 14)
