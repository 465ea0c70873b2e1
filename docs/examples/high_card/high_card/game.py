"""The rules. Two of each rank from 2 to 14; each player gets `hand` cards, the rest is out of the game.

Who leads plays a card, the other one follows with any card. The higher card takes the trick, among equals the leader's; who took it
leads next. Most tricks win; as many each is a draw.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.game import Game
from react_env.engine.layout import Layout
from react_env.engine.rng import below
from react_env.engine.rules import Actions, Heuristics, Identity, Rules, Tables
from react_env.errors import OptionError

REVISION = 1  # raised with every change of what the rules do: models that learned other rules are refused then
RANKS, COPIES, MOST = 13, 2, 10
STATE = np.dtype(
    (
        np.record,
        [
            ("rng", "u8"),  # these five the engine reads
            ("table", "i2"),
            ("over", "i1"),
            ("to_play", "i1"),
            ("reward", "f4", 2),
            ("hand", "i1", (2, RANKS)),  # cards of each rank
            ("led", "i1"),  # the card that was led, -1 none
            ("tricks", "i1", 2),
            ("count", "i1"),  # cards played
            ("player", "i1", 2 * MOST),  # who played them,
            ("card", "i1", 2 * MOST),  # and which
        ],
    )
)
TABLES = np.dtype((np.record, [("hand", "i1")]))  # what does not change during a game
LAYOUT = Layout(
    [
        ("hand", (RANKS,), 0, COPIES, "own cards by rank"),
        ("gone", (RANKS,), 0, COPIES, "cards that were played, by rank"),
        ("led", (RANKS,), 0, 1, "the card that was led"),
        ("tricks", (2,), 0, MOST, "own and the opponent's tricks"),
    ]
)


@njit
def legal(s: Any, t: Any, mask: Any) -> None:
    for rank in range(RANKS):
        mask[rank] = s.hand[s.to_play, rank] > 0


@njit
def deal(s: Any, player: Any, count: Any, left: Any) -> None:
    """Give so many cards, drawn from `left` (cards of each rank)."""
    for _ in range(count):
        k = below(s, left.sum())
        rank = 0
        while k >= left[rank]:
            k -= left[rank]
            rank += 1
        left[rank] -= 1
        s.hand[player, rank] += 1


@njit
def reset(s: Any, t: Any, mask: Any) -> None:
    left = np.full(RANKS, COPIES, np.int64)
    deal(s, 0, t.hand, left)
    deal(s, 1, t.hand, left)
    s.led = -1
    s.to_play = below(s, 2)
    legal(s, t, mask)


@njit
def apply(s: Any, t: Any, action: Any, mask: Any) -> None:
    p = s.to_play
    s.hand[p, action] -= 1
    s.player[s.count], s.card[s.count] = p, action
    s.count += 1
    if s.led < 0:
        s.led = action
        s.to_play = 1 - p
    else:
        winner = p if action > s.led else 1 - p
        s.tricks[winner] += 1
        s.led = -1
        s.to_play = winner
        if s.count == 2 * t.hand:
            s.over = 1
            ahead = np.sign(s.tricks[0] - s.tricks[1])
            s.reward[0], s.reward[1] = ahead, -ahead
            mask[:] = False
            return
    legal(s, t, mask)


@njit
def observe(s: Any, t: Any, player: Any, out: Any) -> None:
    out[:] = 0
    for rank in range(RANKS):
        out[rank] = s.hand[player, rank]
    for i in range(s.count):
        out[RANKS + s.card[i]] += 1
    if s.led >= 0:
        out[2 * RANKS + s.led] = 1
    out[3 * RANKS] = s.tricks[player]
    out[3 * RANKS + 1] = s.tricks[1 - player]


@njit
def determinize(s: Any, t: Any, player: Any) -> None:
    """The opponent's hand is any of the cards that the player has not seen."""
    left = np.full(RANKS, COPIES, np.int64)
    for i in range(s.count):
        left[s.card[i]] -= 1
    count = 0
    for rank in range(RANKS):
        left[rank] -= s.hand[player, rank]
        count += s.hand[1 - player, rank]
        s.hand[1 - player, rank] = 0
    deal(s, 1 - player, count, left)


@njit
def value(s: Any, t: Any, player: Any) -> float:
    """What greedy plays by: tricks, then high cards that are left."""
    if s.over:
        return 1e6 * s.reward[player]
    found = 10.0 * (s.tricks[player] - s.tricks[1 - player])
    for rank in range(RANKS):
        found += 0.1 * rank * s.hand[player, rank]
    return found


class View:
    """The game in words."""

    def text(self, state: Any, player: int | None = None) -> str:
        lines = self.status_lines(state, player)
        return "\n".join([*lines, *([f"player_{int(state['to_play'])} to move"] if not state["over"] else [])])

    def status_lines(self, state: Any, player: int | None = None) -> list[str]:
        lines = [f"led: {int(state['led']) + 2}" if state["led"] >= 0 else "nothing led"]
        for p in range(2):
            hand = [r + 2 for r in range(RANKS) for _ in range(int(state["hand"][p][r]))]
            shown = " ".join(map(str, hand)) if player in (None, p) else f"{len(hand)} cards"
            lines.append(f"player_{p}: {int(state['tricks'][p])} tricks, hand {shown or 'empty'}")
        return lines

    def event_count(self, state: Any) -> int:
        return int(state["count"])

    def log_lines(self, state: Any, since: int = 0) -> list[str]:
        played = zip(state["player"].tolist(), state["card"].tolist())
        return [f"player_{p} plays {card + 2}" for p, card in list(played)[since : int(state["count"])]]

    def action_text(self, state: Any, action: int) -> str:
        return f"play {action + 2}"


def load(hand: int = 6) -> Game:
    """High Card with so many cards in each hand, 2 to 10. OptionError."""
    if not isinstance(hand, int) or not 2 <= hand <= MOST:
        raise OptionError(f"hand is {hand!r}; allowed: 2 to {MOST}")
    tables = np.zeros(1, TABLES)
    tables["hand"] = hand
    rules = Rules(
        identity=Identity("high_card-v0", {"hand": hand}, f"{REVISION:08x}{hand:08x}", load=load),
        state_dtype=STATE,
        tables=Tables(tables),
        actions=Actions(tuple(f"play {rank + 2}" for rank in range(RANKS)), {"cards": slice(0, RANKS)}),
        layout=LAYOUT,
        view=View(),
        reset=reset,
        apply=apply,
        legal=legal,
        observe=observe,
        determinize=determinize,
        drawing="high_card.drawing",
    )
    return Game(rules, Heuristics(value=value))
