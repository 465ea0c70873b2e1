"""A tiny game for three: each in turn lays one of three cards dealt, numbers 1 to 3; after two rounds the highest sum wins.

Hands are hidden until cards are laid. If the highest sum is tied, nobody wins.
"""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.game import Game
from react_env.engine.layout import Layout
from react_env.engine.rng import below
from react_env.engine.rules import Actions, Heuristics, Identity, Rules, Tables
from react_env.registry import Description

PLAYERS, CARDS, DEALT, ROUNDS = 3, 3, 3, 2
STATE = np.dtype(
    (
        np.record,
        [
            ("rng", "u8"),
            ("table", "i2"),
            ("over", "i1"),
            ("to_play", "i1"),
            ("reward", "f4", PLAYERS),
            ("turn", "i2"),
            ("hand", "i1", (PLAYERS, CARDS)),
            ("points", "i1", PLAYERS),
        ],
    )
)
LAYOUT = Layout(
    [
        ("hand", (CARDS,), 0, DEALT, "own cards by number"),
        ("points", (PLAYERS,), 0, 6, "what each has laid, from the own seat on"),
        ("turn", (), 0, PLAYERS * ROUNDS, "cards laid"),
    ]
)


@njit
def reset(s: Any, t: Any, mask: Any) -> None:
    for p in range(PLAYERS):
        for _ in range(DEALT):
            s.hand[p, below(s, CARDS)] += 1
    s.to_play = below(s, PLAYERS)
    legal(s, t, mask)


@njit
def legal(s: Any, t: Any, mask: Any) -> None:
    for c in range(CARDS):
        mask[c] = s.hand[s.to_play, c] > 0


@njit
def apply(s: Any, t: Any, action: Any, mask: Any) -> None:
    p = s.to_play
    s.hand[p, action] -= 1
    s.points[p] += action + 1
    s.turn += 1
    s.to_play = (p + 1) % PLAYERS
    mask[:] = False
    if s.turn == PLAYERS * ROUNDS:
        s.over = 1
        best, winners = s.points.max(), 0
        for q in range(PLAYERS):
            winners += s.points[q] == best
        for q in range(PLAYERS):
            if winners == 1:
                s.reward[q] = 1.0 if s.points[q] == best else -1.0 / (PLAYERS - 1)
        return
    legal(s, t, mask)


@njit
def observe(s: Any, t: Any, player: Any, out: Any) -> None:
    for c in range(CARDS):
        out[c] = s.hand[player, c]
    for q in range(PLAYERS):
        out[CARDS + q] = s.points[(player + q) % PLAYERS]
    out[CARDS + PLAYERS] = s.turn


@njit
def determinize(s: Any, t: Any, player: Any) -> None:
    for p in range(PLAYERS):
        if p != player:
            held = s.hand[p].sum()
            s.hand[p, :] = 0
            for _ in range(held):
                s.hand[p, below(s, CARDS)] += 1


@njit
def value(s: Any, t: Any, player: Any) -> Any:
    if s.over:
        return 1e6 * s.reward[player]
    return 1.5 * s.points[player] - 0.5 * s.points.sum()


class View:
    """The game in words."""

    def text(self, state: Any, player: int | None) -> str:
        return f"points {state.points.tolist()}"

    def status_lines(self, state: Any, player: int | None) -> list[str]:
        return [self.text(state, player)]

    def log_lines(self, state: Any, since: int = 0) -> list[str]:
        return []

    def event_count(self, state: Any) -> int:
        return 0

    def action_text(self, state: Any, action: int) -> str:
        return f"lay {action + 1}"


@njit
def apply_ranked(s: Any, t: Any, action: Any, mask: Any) -> None:
    """The same, but two may win, and who comes second between two others gets nothing."""
    apply(s, t, action, mask)
    if s.over:
        for p in range(PLAYERS):
            s.reward[p] = 0.0
            for q in range(PLAYERS):
                s.reward[p] += 0.5 * np.sign(s.points[p] - s.points[q])


GAME = Description("three-v0", "Table of three", load=f"{__name__}:load", players=(PLAYERS, PLAYERS))


def load(ranked: bool = False) -> Game:
    """The game."""
    return Game(
        Rules(
            identity=Identity("three-v0", {"ranked": ranked}, f"{3 + ranked}" * 16, load=load),
            state_dtype=STATE,
            tables=Tables(np.zeros(1, np.dtype((np.record, [("unused", "i1")])))),
            actions=Actions(("lay 1", "lay 2", "lay 3"), {"cards": slice(0, CARDS)}),
            layout=LAYOUT,
            view=View(),
            reset=reset,
            apply=apply_ranked if ranked else apply,
            legal=legal,
            observe=observe,
            determinize=determinize,
        ),
        Heuristics(value=value),
    )
