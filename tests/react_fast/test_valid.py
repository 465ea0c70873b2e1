"""Forged records: what `valid` accepts plays on to an end, with all texts; what no game could reach is refused with the field's name."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np
import pytest

import react_env
from react_env.games.react_fast import state as S
from tests.forging import EVERYWHERE, LONG_CHUNKS, Forger, fault, forge, records_of

CASES: tuple[dict[str, Any], ...] = (
    {"players": 2, "max_placements": 60},
    {"players": 4, "max_placements": 60, "mode": "skill"},
    {"players": 8, "max_placements": 60, "lock_out": True, "remainder_face": True},
)


@cache
def games() -> list[tuple[Any, list[Any]]]:
    """The game of each case, and records of it."""
    return [(game, records_of(game)) for game in (react_env.load("react_fast-v0", **options) for options in CASES)]


def test_every_record_of_a_game_is_valid() -> None:
    """Every record of a game is valid, and so is every world that a player may imagine there."""
    for game, records in games():
        for number, record in enumerate(records[::7]):
            world = game.determinize(record.reshape(1)[0], number % game.num_players, number)
            assert not fault(game, record) and not fault(game, world)


@pytest.mark.parametrize(
    ("options", "seed"),
    [({"players": 8, "profiles": {"scale": 100}, "spread": 2.0}, 85214), ({"profiles": {"scale": 0.001}}, 0)],
)
def test_the_slowest_and_the_quickest_players_are_valid(options: dict[str, Any], seed: int) -> None:
    """Past bug: a player a million times as slow as usual, which the options allow, was called impossible."""
    game = react_env.load("react_fast-v0", **options)
    assert not fault(game, game.new(seed=seed))


def decision_of_another(rng: random.Random, state: Any, other: Any) -> None:
    """Take the decision, the player who decides and the stage from another record."""
    for name in (
        "to_play",
        "decision",
        "stage",
        "after",
        "asked",
        "whose",
        "actor",
        "last",
        "chance",
        "remaining",
        "pace",
    ):
        if rng.random() < 0.6:
            state[name] = other[name]


def moved_card(rng: random.Random, state: Any, other: Any) -> None:
    """Move the top card of a deck to the pile or under another deck, and correct the counts as a careful forger would."""
    players = len(state["size"])
    p = rng.randrange(players)
    if not 0 < state["size"][p] <= S.CARDS or not 0 <= state["head"][p] < S.CARDS:
        return
    code = state["deck"][p][state["head"][p]]
    state["head"][p] = (state["head"][p] + 1) % S.CARDS
    state["size"][p] -= 1
    if rng.random() < 0.5 and 0 <= state["pile_size"] < S.CARDS:
        state["pile"][state["pile_size"]] = code & ~np.uint8(S.FIRST)
        state["pile_size"] += 1
        return
    q = rng.randrange(players)
    if 0 <= state["size"][q] < S.CARDS and 0 <= state["head"][q] < S.CARDS:
        state["deck"][q][(int(state["head"][q]) + int(state["size"][q])) % S.CARDS] = code
        state["size"][q] += 1


def moved_traveler(rng: random.Random, state: Any, other: Any) -> None:
    """Give a traveling card to another player, used or unused."""
    card = rng.randrange(S.TRAVELING)
    if state["owner"][card] >= 0:
        state["owner"][card] = rng.randrange(len(state["size"]))
        state["used"][card] = rng.randrange(2)


FORGERS: tuple[Forger, ...] = (*EVERYWHERE, decision_of_another, moved_card, moved_traveler)


def test_forged_records_are_refused_or_play_on() -> None:
    told = forge(games(), FORGERS, 2000, 0, alone=0.1)
    assert told[""] > 200 and len(told) > 25, told


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(LONG_CHUNKS))
def test_a_million_forged_records(chunk: int) -> None:
    forge(games(), FORGERS, 1_000_000 // LONG_CHUNKS, 1 + chunk, alone=0.02)
