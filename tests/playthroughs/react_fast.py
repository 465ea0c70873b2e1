"""Which games of React Fast are shown, who plays them, and what can occur in them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import react_env
from react_env.games.react_fast import log as L
from react_env.games.react_fast import state as S
from react_env.games.react_fast.view import QUESTIONS as QUESTIONS
from tests.playthroughs.common import Decider, Manner, Played

NAME = "react_fast"
CHAPTER = "page"
EVENTS = S.EVENTS
WON = f"event {L.E_WIN}"
LENGTH = 260  # decisions: each card asks every player
BRIEF = frozenset({S.D_STANCE, S.D_SLAP, S.D_PACE})  # decisions that are shown in one line
TURNS_A_PAGE = 6

Sides = tuple[str, str]  # players and mode
GROUPS: list[list[Sides]] = [
    [("2_players", "decision")],
    [("3_players", "decision"), ("4_players", "decision")],
    [("2_players", "skill"), ("3_players", "skill")],
]
SELDOM: list[dict[str, Any]] = [{"max_placements": 25}, {"lock_out": True, "late_slaps": "penalised"}]
GAMES = 60  # for each pair of sides and each manner
FIRST = Played(NAME, ("4_players", "decision"), 60, "jumpy")


def chapter(state: Any) -> int:
    """The page to which a decision belongs."""
    return 1 + int(state["turn"] - 1) // TURNS_A_PAGE


def candidates() -> Iterator[Played]:
    """The games from which to pick."""
    for sides in [pair for group in GROUPS for pair in group]:
        for manner in MANNERS:
            for seed in range(GAMES):
                yield Played(NAME, sides, seed, manner)
                if seed < GAMES // 4:
                    yield Played(NAME, sides, seed, manner, SELDOM[seed % len(SELDOM)])


def manner(slap: float, in_vain: float, activate: float) -> Manner:
    """Slaps a pair, slaps anything else, and activates with these chances."""

    def decider(rng: random.Random) -> Decider:
        def choose(state: Any, legal: list[int]) -> int:
            if state["decision"] == S.D_SLAP:
                pair = min(state["face"], state["before"]) >= 0 and state["face"] % S.RANKS == state["before"] % S.RANKS
                return legal[rng.random() < (slap if pair else in_vain)]
            if state["decision"] == S.D_ACTIVATE and rng.random() > activate:
                return legal[0]
            return rng.choice(legal)

        return choose

    return decider


MANNERS: dict[str, Manner] = {
    "careful": manner(0.95, 0.03, 0.4),
    "collector": manner(0.9, 0.06, 1.0),
    "jumpy": manner(0.7, 0.3, 0.6),
}


@cache
def load(sides: Sides, options: str) -> Any:
    return react_env.load(
        "react_fast-v0", players=int(sides[0].partition("_")[0]), mode=sides[1], **json.loads(options)
    )


def shown_by(sides: Sides, game: Any, ring: list[list[int]], since: int, count: int) -> set[str]:
    """What the events numbered from `since` to `count` show: kinds of event, and which traveling cards are activated."""
    found = set()
    for i in range(max(since, count - EVENTS), count):
        kind, _, card, _ = ring[i % EVENTS]
        found.add(f"event {kind}")
        if kind in (L.E_ACTIVATE, L.E_SLAP_TRAVELING):
            found.add(f"event {kind} {S.TRAVELING_NAMES[card - 1]}")
    return found


def everything() -> set[str]:
    """What the games together have to show."""
    found = {f"decision {kind}" for kind in QUESTIONS} | {f"event {kind}" for kind in range(1, L.EVENT_KINDS + 1)}
    return found | {f"event {kind} {name}" for kind in (L.E_ACTIVATE, L.E_SLAP_TRAVELING) for name in S.TRAVELING_NAMES}
