"""Which games of Reality TCG are shown, who plays them, and what can occur in them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import react_env
from react_env.games.reality_tcg import actions as A
from react_env.games.reality_tcg import log as L
from react_env.games.reality_tcg import state as S
from react_env.games.reality_tcg.cards import DEFAULT_SET, load_set
from react_env.games.reality_tcg.view import QUESTIONS as QUESTIONS
from tests.playthroughs.common import Decider, Manner, Played

NAME = "reality_tcg"
CHAPTER = "turn"
EVENTS = S.EVENTS
WON = f"event {L.E_WIN}"
LENGTH = 300  # decisions
BRIEF = frozenset({S.D_PLACE, S.D_TARGET, S.D_ANSWER})  # decisions that are shown in one line

Sides = tuple[str, str]  # decks
GROUPS: list[list[Sides]] = [[("tempo", "wall"), ("rush", "feast")], [("control", "giants"), ("feast", "control")]]
SELDOM: list[dict[str, Any]] = [
    {"max_turns": 12},
    {"land_replace": True},
    {"effect_refill": True},
    {"deck_out": "lose"},
    {"hand_limit": 3},
]
GAMES = 40  # for each pair of sides and each manner
FIRST = Played(NAME, ("tempo", "wall"), 3, "fierce")


def chapter(state: Any) -> int:
    """The turn to which a decision belongs."""
    return int(state["turn"])


def candidates() -> Iterator[Played]:
    """The games from which to pick."""
    for sides in [pair for group in GROUPS for pair in group]:
        for manner in MANNERS:
            for seed in range(GAMES):
                yield Played(NAME, sides, seed, manner)
                if seed < GAMES // 2:
                    yield Played(NAME, sides, seed, manner, SELDOM[seed % len(SELDOM)])


def manner(attack: float, stop: float) -> Manner:
    """Attacks, and passes, with these chances."""

    def decider(rng: random.Random) -> Decider:
        def choose(state: Any, legal: list[int]) -> int:
            if A.A_ATTACK in legal and rng.random() < attack:
                return A.A_ATTACK
            if A.A_PASS in legal:
                if rng.random() < stop:
                    return A.A_PASS
                legal = [action for action in legal if action != A.A_PASS]
            return rng.choice(legal)

        return choose

    return decider


MANNERS: dict[str, Manner] = {
    "fierce": manner(1.0, 0.2),
    "busy": manner(0.7, 0.05),
    "lazy": manner(0.8, 0.5),
    "idle": manner(0.0, 0.9),
}


@cache
def load(decks: Sides, options: str) -> Any:
    return react_env.load("reality_tcg-v0", decks=decks, **json.loads(options))


def shown_by(sides: Sides, game: Any, ring: list[list[int]], since: int, count: int) -> set[str]:
    """What the events numbered from `since` to `count` show: kinds of event, and which cards are played."""
    found = set()
    for i in range(max(since, count - EVENTS), count):
        kind, _, card, _ = ring[i % EVENTS]
        found.add(f"event {kind}")
        if kind in (L.E_PLAY, L.E_SUMMON):
            found.add(f"played {game.set.cards[card - 1].name}")
    return found


def everything() -> set[str]:
    """What the games together have to show."""
    found = {f"decision {kind}" for kind in QUESTIONS} | {f"event {kind}" for kind in range(1, L.EVENT_KINDS + 1)}
    return found | {f"played {card.name}" for card in load_set(DEFAULT_SET).cards}
