"""High Card as a picture: both hands, the trick in the middle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from react_env.svg import PLAYERS, Pen, Svg


def draw(
    game: Any, state: Any, player: int | None = None, choices: Mapping[int, str] | None = None, style: bool = True
) -> Svg:
    """The position as `player` sees it (None: everything), that player below."""
    pen, own = Pen(choices), player or 0
    for q, y in ((1 - own, 10.0), (own, 150.0)):
        pen.text(10, y + 12, f"player_{q}: {int(state['tricks'][q])} tricks", 12, f"{PLAYERS[q]} b")
        hand = [rank for rank in range(13) for _ in range(int(state["hand"][q][rank]))]
        for i, rank in enumerate(hand):
            box = (10.0 + 38 * i, y + 20, 34.0, 44.0)
            if player in (None, q):
                pen.card(box, str(rank + 2), f"{PLAYERS[q]}-line", [rank] if q == state["to_play"] else [])
            else:
                pen.rect(*box, PLAYERS[q])
    if state["led"] >= 0:
        pen.card((183, 90, 34, 44), str(int(state["led"]) + 2), "ink-line")
    return pen.finish(224, " ".join(game.status_lines(state, player)), style)
