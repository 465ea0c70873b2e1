"""Which games of Re;ACT are shown, who plays them, and what can occur in them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import react_env
from react_env.games.arts_of_war import actions as A
from react_env.games.arts_of_war import log as L
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.view import QUESTIONS as QUESTIONS
from tests.playthroughs.common import TESTS, Decider, Manner, Played, regardless
from tests.reference.compare import CHOOSERS, eager

OURS = TESTS / "arts_of_war/editions"
NAME = "arts_of_war"
CHAPTER = "turn"  # a page of the text for each
LENGTH = 170  # decisions: longer games are not picked
BRIEF: frozenset[int] = frozenset()
EVENTS = S.EVENTS
WON = f"event {L.E_WIN}"

STANDARD = [
    ("calligrapher", "dancer"),
    ("dancer", "tagger"),
    ("tagger", "sculptor"),
    ("sculptor", "painter"),
    ("painter", "tattooist"),
    ("tattooist", "dj"),
    ("dj", "fortune_teller"),
    ("fortune_teller", "animator"),
    ("animator", "calligrapher"),
]
PAIRS = [*STANDARD, ("mason", "herald"), ("herald", "clockmaker"), ("clockmaker", "oracle"), ("oracle", "mason")]
GROUPS = [STANDARD, PAIRS]  # first what the standard artists can show against each other, then the rest
# The candidates of each pair: the manner of play, the limit of turns and the number of games. Random play seldom hits, so most of
# these games would otherwise go on for much longer.
CANDIDATES = [
    ("purposeful", 60, 300),
    ("purposeful", 20, 150),
    ("purposeful", 12, 100),
    ("eager", 60, 100),
    ("eager", 9, 100),
    ("uniform", 60, 100),
    ("uniform", 14, 100),
    ("patient", 60, 100),
    ("patient", 30, 60),
]

FIRST = Played(NAME, PAIRS[0], 47, "eager", {"max_turns": 4, "first_game_hand": True})


def chapter(state: Any) -> int:
    """The turn to which a decision belongs."""
    return int(state["turn"])


def candidates() -> Iterator[Played]:
    """The games from which to pick."""
    for pair in PAIRS:
        for manner, turns, games in CANDIDATES:
            for seed in range(games):
                yield Played(NAME, pair, seed, manner, {} if turns == 60 else {"max_turns": turns})


def purposeful(rng: random.Random) -> Decider:
    """Mostly eager, aims at the enemy artist or at least at the enemy, and lays the masterpiece in order from its own side."""
    other = eager(rng)
    part = 0

    def choose(state: Any, legal: list[int]) -> int:
        nonlocal part
        kind, player = int(state["decision"]), int(state["to_play"])
        best: list[int] = []
        if kind == S.D_PART:
            best = [action for action in legal if action != A.A_DECLINE][:1]
            part = best[0] - A.A_OPTION if best else 0
        elif kind == S.D_SLOT:
            best = [A.A_SLOT + part]
        elif kind == S.D_MAIN and rng.random() < PROGRESSING:
            best = [A.A_INTENTION + S.ACTIONS_CARDS]  # the artist's own card; its first effect is about the masterpiece
        elif kind == S.D_EFFECT and rng.random() < PROGRESSING:
            best = [A.A_OPTION]
        elif kind == S.D_ZONE and rng.random() < AIMING:
            best = enemy_zones(state, player)
        elif kind == S.D_UNIT and rng.random() < AIMING:
            best = [A.A_UNIT + S.SLOTS]
        for action in best:
            if action in legal:
                return action
        return other(legal)

    return choose


def enemy_zones(state: Any, player: int) -> list[int]:
    """The zones where enemy units stand, the artist's first, as the player numbers them on the standard field."""
    zones = [int(zone) for zone in state["unit_zone"][(1 - player) * S.SLOTS :][: S.SLOTS] if zone >= 0]
    return [A.A_ZONE + (zone if player == 0 else S.ZONES - 1 - zone) for zone in zones]


PROGRESSING, AIMING = 0.4, 0.7  # how often purposeful players do so
MANNERS: dict[str, Manner] = {"purposeful": purposeful}
MANNERS |= {manner.__name__: regardless(manner) for manner in CHOOSERS}


@cache
def load(artists: tuple[str, str], options: str) -> Any:
    files = [str(OURS / f"{name}.yaml") if (OURS / f"{name}.yaml").exists() else name for name in artists]
    return react_env.load("arts_of_war-v0", artists=tuple(files), **json.loads(options))


def shown_by(artists: tuple[str, str], game: Any, ring: list[list[int]], since: int, count: int) -> set[str]:
    """What the events numbered from `since` to `count` show: kinds of event, effects and triggers. `ring`: the last `EVENTS` of them."""
    found = set()
    for i in range(max(since, count - EVENTS), count):
        kind, player, a, b = ring[i % EVENTS][:4]
        found.add(f"event {kind}")
        if kind == L.E_RESOLVE:
            found.add(f"{artists[player]}: {game.rules.view.effect(player, a, b)} ({effect_place(game, player, a, b)})")
        elif kind == L.E_TRIGGER:
            found.add(f"{artists[player]}: trigger {a}")
    return found


def effect_place(game: Any, player: int, card: int, row: int) -> int:
    """The number of an effect among all of its card, both sides counted."""
    return [int(other) for other in game.tables[0]["card_effects"][player, card]].index(row) + 1


def wanted(artists: tuple[str, str]) -> set[str]:
    """Everything that can occur with these two artists, except a tie, a truncated game and a trigger beyond the limit."""
    game = load(artists, "{}")
    t = game.tables[0]
    found = {f"decision {kind}" for kind in QUESTIONS} | {f"event {kind}" for kind in range(1, L.EVENT_KINDS)}
    found -= {f"event {kind}" for kind in (L.E_TIE, L.E_TRUNCATED, L.E_LEFT_OUT)}
    for player, name in enumerate(artists):
        for card in range(S.CARDS):
            for place, row in enumerate(t["card_effects"][player, card], 1):
                if t["card_exists"][player, card] and row >= 0:
                    found.add(f"{name}: {game.rules.view.effect(player, card, int(row))} ({place})")
        artist = game.rules.view.artists[player]
        sources = [
            (S.SRC_PASSIVE, [True for _ in artist.passives]),
            (S.SRC_TOKEN, [token.at is not None for token in artist.tokens.values()]),
            (S.SRC_TILE, [tile.on_enter is not None for tile in artist.tiles.values()]),
            (S.SRC_CUE, [tile.on_cue is not None for tile in artist.tiles.values()]),
            (S.SRC_ASCENSION, [code >= 0 for code in t["ascend_code"][player]]),
        ]
        found |= {f"{name}: trigger {source + i}" for source, has in sources for i in range(len(has)) if has[i]}
        found.add(f"{name}: player_{player}")
    return found


def everything() -> set[str]:
    """What the games together have to show."""
    return set().union(*(wanted(pair) for pair in PAIRS)) | {f"event {L.E_TRUNCATED}"}
