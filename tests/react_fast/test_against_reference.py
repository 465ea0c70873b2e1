"""Random games of the engine agree with the reference model at every decision: 2 to 8 players, all modes, all rulings.

Each number of players is compiled by itself, so the quick games have three of them, and most are cut short early.

`python -m tests.react_fast.test_against_reference 5000` plays 5000 games and prints how often each thing was seen.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from functools import lru_cache
from typing import Any

import pytest

import react_env
from react_env.games.react_fast.rules import RulesConfig
from tests.reference.chunks import together
from tests.reference.compare_react_fast import TEMPERAMENTS, compare
from tests.reference.react_fast import PROFILE, RULES, TRAVELING

QUICK = 1000  # the first games, which the quick tests play
GAMES_EACH = 5  # games in a row by one set of rules
LONG_CHUNKS, LONG_CHUNK = 200, 500
SEEN_AT_LEAST = 50
EVENTS = (*TRAVELING, "inherited", "needed", "suit win", "takeover", "last player", "late slap", "skip", "cut")
OTHERWISE: dict[str, tuple[Any, ...]] = {
    "needed": (tuple(f"{number} of Coins" for number in (10, "J", "Q", "K", "A", 2, 3, 4)),),
    "deal": ("pure_shuffle",),
    "remainder_face": (True,),
    "highest_suit": ("coins",),
    "bottom_cards": ("hidden",),
    "suit_win": ("all_used",),
    "late_slaps": ("penalised",),
    "commit_ms": (0.0, 400.0),
    "pickup_window": (False,),
    "penalty_cards": ("seen",),
    "heap_slap": (False,),
    "lock_out": (True,),
    "free_slap_penalty": (False,),
    "takeover_activates": (False,),
    "uncovered_counts": (False,),
    "memory": ("last_k", "counts"),
    "memory_length": (3,),
    "spread": (0.5,),
    "rush": (0.2,),
    "wait_ms": (50.0,),
    "forbidden": ((("Jewelry #2", "Coins #4"), ("Gems #6", "Artifacts #9")),),
}
OTHER_PROFILES: tuple[dict[str, Any], ...] = (
    {},
    {"mu": 400.0, "sigma": 90.0, "tau": 200.0, "scale": 1.3, "miss": 0.2},
    {"mu": 550.0, "place_mu": 500.0, "alarm": (0.05, 0.1, 0.3), "placer_delay": 60.0, "shift": (20.0, 5.0, -200.0)},
)


def random_rules(rng: random.Random, quick: bool) -> dict[str, Any]:
    """Random rules: a number of players, a mode, usually an early end, and now and then each other option."""
    found: dict[str, Any] = {
        "players": rng.choice((2, 2, 4, 4, 8)) if quick else rng.randint(2, 8),
        "mode": rng.choice(("decision", "decision", "skill", "deterministic")),
    }
    if rng.random() < (0.92 if quick else 0.85):
        found["max_placements"] = rng.randint(10, 40 if quick else 90)
    for name, values in OTHERWISE.items():
        if rng.random() < 0.2:
            found[name] = rng.choice(values)
    return found


@lru_cache(maxsize=4)
def load(items: tuple[tuple[str, Any], ...], profiles: tuple[int, ...]) -> Any:
    return react_env.load("react_fast-v0", profiles=[OTHER_PROFILES[k] for k in profiles], **dict(items))


def play(number: int, seen: Counter[str]) -> int:
    """Play game number `number` against the reference; return its number of decisions."""
    rng = random.Random(number // GAMES_EACH)
    rules = random_rules(rng, quick=number < QUICK)
    count = rules["players"]
    kinds = tuple(rng.randrange(len(OTHER_PROFILES)) for _ in range(count)) if rng.random() < 0.4 else (0,) * count
    told = {**rules}
    if "needed" in rules:
        told["needed"] = dict(zip(TRAVELING, rules["needed"])).__getitem__
    players = random.Random(number).choices(TEMPERAMENTS, k=count)
    try:
        profiles = [OTHER_PROFILES[k] for k in kinds]
        return compare(load(tuple(rules.items()), kinds), number, told, profiles, players, seen)
    except AssertionError as error:
        raise AssertionError(f"game {number} by {rules}, profiles {kinds}: {error}") from None


def test_every_option_is_among_the_other_rules() -> None:
    assert {*OTHERWISE, "players", "mode", "max_placements"} == set(RULES) == set(RulesConfig.model_fields)
    assert set(PROFILE) == set(react_env.games.react_fast.rules.Profile.model_fields)


@pytest.mark.parametrize("chunk", range(10))
def test_a_thousand_games(chunk: int) -> None:
    seen: Counter[str] = Counter()
    for number in range(100 * chunk, 100 * (chunk + 1)):
        play(number, seen)
    assert not [event for event in EVENTS if not seen[event]]


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(LONG_CHUNKS))
def test_a_hundred_thousand_games(chunk: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    seen: Counter[str] = Counter()
    for number in range(QUICK + LONG_CHUNK * chunk, QUICK + LONG_CHUNK * (chunk + 1)):
        play(number, seen)
    named = Counter({(event, "", ""): count for event, count in seen.items()})
    total = together(tmp_path_factory, "react_fast", chunk, LONG_CHUNKS, named)
    assert total is None or not [event for event in EVENTS if total[event, "", ""] < SEEN_AT_LEAST]


def main() -> None:
    """Play as many games as the command line says, and print how often each event was seen."""
    seen: Counter[str] = Counter()
    decisions = sum(play(number, seen) for number in range(int(sys.argv[1])))
    print(f"{sys.argv[1]} games, {decisions} decisions agree")
    for event in EVENTS:
        print(f"{seen[event]:8} {event}")


if __name__ == "__main__":
    main()
