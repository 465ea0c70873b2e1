"""The comparison of React Fast finds an engine whose ruling differs from the model's."""

from __future__ import annotations

import random
from typing import Any

import pytest

import react_env
from tests.react_fast.test_against_reference import OTHERWISE
from tests.reference.compare_react_fast import TEMPERAMENTS, compare
from tests.reference.react_fast import ReferenceGame, needed_card, suit

NEEDED = {  # the other options that make an option matter
    "remainder_face": {"players": 8},
    "commit_ms": {"mode": "skill"},  # late slaps are seldom in "decision"
    "memory_length": {"memory": "last_k"},
    "rush": {"mode": "skill"},
    "wait_ms": {"mode": "skill"},
}
OPTIONS = [
    (name, value) for name, values in OTHERWISE.items() if name != "deal" for value in values
]  # the engine deals for both


@pytest.mark.slow
@pytest.mark.parametrize(("name", "value"), OPTIONS, ids=lambda value: str(value)[:20])
def test_every_ruling_makes_a_difference(name: str, value: Any) -> None:
    rules = {"players": 4, "max_placements": 150, **NEEDED.get(name, {})}
    players = rules["players"]
    game = react_env.load("react_fast-v0", **{**rules, name: value})
    with pytest.raises(AssertionError, match="seed .* after .* actions"):
        for seed in range(200):
            compare(game, seed, rules, [{}] * players, random.Random(seed).choices(TEMPERAMENTS, k=players))


def test_names() -> None:
    assert (suit("10 of Gems"), suit("Coins #4"), needed_card("Artifacts #9")) == ("Gems", "Coins", "9 of Artifacts")


def test_a_model_that_forgets_a_rule_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the model forgets that a player's traveling cards become unused when the player is out."""
    take = ReferenceGame._take

    def forgetful(self: ReferenceGame, p: int) -> int:
        used = {name: traveler.used for name, traveler in self.travelers.items()}
        taken = take(self, p)
        for name, traveler in self.travelers.items():
            traveler.used = used[name]
        return taken

    monkeypatch.setattr(ReferenceGame, "_take", forgetful)
    game = react_env.load("react_fast-v0", players=4)
    with pytest.raises(AssertionError, match="seed .* after .* actions"):
        for seed in range(50):
            compare(game, seed, {"players": 4}, [{}] * 4, random.Random(seed).choices(TEMPERAMENTS, k=4))


def test_a_clock_that_runs_otherwise_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    step = ReferenceGame.step

    def slow(self: ReferenceGame, action: int) -> None:
        step(self, action)
        self.clock += 1.0

    monkeypatch.setattr(ReferenceGame, "step", slow)
    with pytest.raises(AssertionError, match="clock: engine "):
        compare(react_env.load("react_fast-v0", players=4), 0, {"players": 4}, [{}] * 4, list(TEMPERAMENTS[:4]))
