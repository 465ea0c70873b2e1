"""Which games of Fight Sequence are shown, who plays them, and what can occur in them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import react_env
from react_env.games.fight_sequence import log as L
from react_env.games.fight_sequence import state as S
from react_env.games.fight_sequence.view import QUESTIONS as QUESTIONS
from tests.fight_sequence.manners import CHOOSERS
from tests.playthroughs.common import TESTS, Decider, Manner, Played
from tests.properties import Chooser

OURS = TESTS / "fight_sequence/decks"
NAME = "fight_sequence"
CHAPTER = "sequence"  # a page of the text for each
LENGTH = 170  # decisions: longer games are not picked
BRIEF: frozenset[int] = frozenset()
EVENTS = S.EVENTS
WON = f"event {L.E_WIN}"

ACADEMY, EVERY, SHORT = "academy_default", "every_effect", "short"
Sides = tuple[str, str]
GROUPS: list[list[Sides]] = [
    [(ACADEMY, ACADEMY)],
    [(ACADEMY, EVERY), (EVERY, ACADEMY), (EVERY, EVERY)],
    [(SHORT, SHORT)],
]
# Options under which something happens that never happens otherwise.
SELDOM: list[dict[str, Any]] = [
    {"token_limit": 1},
    {"damage_discards": "face_down"},
    {"return_optional": True},
    {"max_sequences": 3},
]
GAMES = 60  # for each pair and each manner
FIRST = Played(NAME, (ACADEMY, ACADEMY), 1, "uniform")

# The event which shows that an effect or a response has done something.
SEEN_BY = {
    S.X_SHIFT: L.E_SHIFT,
    S.X_RETURN: L.E_RETURN,
    S.X_BONUS: L.E_BONUS,
    S.X_DAMAGE: L.E_DAMAGE,
    S.X_DRAW: L.E_DRAW,
    S.X_TOKEN: L.E_TOKEN,
    S.X_BLOCK: L.E_BLOCKED,
    S.X_WILLPOWER: L.E_WILLPOWER,
}
MODES = ("attack", "response")


def chapter(state: Any) -> int:
    """The sequence to which a decision belongs."""
    return int(state["sequence"])


def candidates() -> Iterator[Played]:
    """The games from which to pick."""
    for sides in [pair for group in GROUPS for pair in group]:
        for manner in MANNERS:
            for seed in range(GAMES):
                yield Played(NAME, sides, seed, manner)
                if sides != (SHORT, SHORT) and seed < GAMES // 4:
                    yield Played(NAME, sides, seed, manner, SELDOM[seed % len(SELDOM)])


def manner(choose: Chooser) -> Manner:
    """A manner of play that does not look at the position."""

    def decider(rng: random.Random) -> Decider:
        return lambda state, legal: choose(rng, legal)

    return decider


MANNERS: dict[str, Manner] = {choose.__name__: manner(choose) for choose in CHOOSERS}


@cache
def load(decks: Sides, options: str) -> Any:
    files = [str(OURS / f"{name}.yaml") if (OURS / f"{name}.yaml").exists() else name for name in decks]
    size = {"deck_size": 12} if decks == (SHORT, SHORT) else {}
    return react_env.load("fight_sequence-v0", decks=files, **size, **json.loads(options))


def shown_by(decks: Sides, game: Any, ring: list[list[int]], since: int, count: int) -> set[str]:
    """What the events numbered from `since` to `count` show: kinds of event, and what the cards do, each as attack and as response."""
    found = set()
    names = game.rules.view.names
    actor = ""  # the card whose effect or damage an event belongs to
    began = 0
    for i in range(max(0, count - EVENTS), count):
        both, number, mode = ring[i % EVENTS][:3]
        kind, player = divmod(both, S.PLAYERS)
        card = f"{decks[player]}: {names[player][number - 1]}" if number else ""
        shows = {f"event {kind}"}
        if kind in (L.E_ATTACK, L.E_RESPOND, L.E_RESOLVE):
            actor, began = f"{card} as {MODES[mode - 1]}", i
        elif kind in (L.E_SEQUENCE, L.E_PASS):
            actor = ""
        elif actor and (kind != L.E_DRAW or i == began + 1):  # later draws belong to the cleanup
            shows.add(f"{actor}: event {kind}")
        if kind in (L.E_ATTACK, L.E_RESPOND):
            shows.add(f"{card} is built as {MODES[kind == L.E_RESPOND]}")
        elif kind == L.E_RESOLVE:
            shows.add(f"{actor} resolves")
        elif kind == L.E_FROM_HAND:
            shows.add(f"{card} is discarded for its Willpower")
        if i >= since:
            found |= shows
    return found


def wanted(decks: Sides) -> set[str]:
    """Everything that can occur with these two decks."""
    game = load(decks, "{}")
    t = game.tables[0]
    found = {f"{name}: player_{player}" for player, name in enumerate(decks)}
    for player, names in enumerate(game.rules.view.names):
        for c, name in enumerate(names):
            card = f"{decks[player]}: {name}"
            for mode, word in enumerate(MODES):
                found |= {f"{card} is built as {word}", f"{card} as {word} resolves"}
                code = int(t["effect"][player, mode, c, 0])
                if code != S.X_NONE:
                    found.add(f"{card} as {word}: event {SEEN_BY[code]}")
            if t["power"][player, c]:
                found.add(f"{card} as attack: event {L.E_DAMAGE}")
            if t["willpower"][player, c]:
                found.add(f"{card} is discarded for its Willpower")
    return found


def everything() -> set[str]:
    """What the games together have to show."""
    found = {f"decision {kind}" for kind in QUESTIONS} | {f"event {kind}" for kind in range(1, L.EVENT_KINDS + 1)}
    return found.union(*(wanted(pair) for group in GROUPS for pair in group))
