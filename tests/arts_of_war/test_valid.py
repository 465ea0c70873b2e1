"""Forged records: what `valid` accepts plays on to an end, with all texts; what no game could reach is refused with the field's name."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np
import pytest

import react_env
from react_env.engine.batch import seed_words
from react_env.errors import BatchError, StateError
from react_env.games.arts_of_war import state as S
from tests.conftest import loaded
from tests.forging import EVERYWHERE, LONG_CHUNKS, Forger, assert_valid, fault, forge
from tests.play import random_game

NAMES = S.STATE.names or ()
ARTISTS = "arts_of_war-v0, mixed"  # of tests.conftest: all pairings
OTHER_RULES: tuple[dict[str, Any], ...] = (
    {"allow_mirror": True, "first_game_hand": True, "max_turns": 12, "replaced_masterpiece": "lost"},
    {"edition": "small"},
)


# ------------------------------------------------------------------------------------------------------------ real records


@pytest.mark.parametrize(
    "options",
    [{"allow_mirror": True}, *OTHER_RULES],
    ids=["all artists", "first game", "small"],
)
def test_every_record_of_a_game_is_valid(options: dict[str, Any]) -> None:
    """Every record of a game is valid, and so is every world that a player may imagine there."""
    game = react_env.load("arts_of_war-v0", artists="random", **options)
    batch = game.batch(100, seed=4)
    words = seed_words(2, len(batch))
    for step in range(300):
        states = batch.states.copy()
        if step % 10 == 0:
            worlds = [game.determinize(state, step // 10 % 2, step) for state in states[:30]]
            states = np.concatenate([states, np.array(worlds, game.state_dtype)])
        assert_valid(game, states)
        batch.step_random(words)


def test_the_end_of_a_game_is_valid() -> None:
    game = loaded(ARTISTS)
    for seed in range(20):
        state = game.new(seed)
        for _ in random_game(game, seed, state):
            pass
        assert not fault(game, state)


# ---------------------------------------------------------------------------------------------------------- forged records


def group_of_another(rng: random.Random, state: Any, other: Any) -> None:
    """Take one group of fields, such as the chain, the programs or the decision, from another position."""
    group = rng.choice(
        (
            "chain",
            "frame",
            "waiting trigger visit",
            "event shown",
            "zone",
            "unit",
            "deck hand discard",
            "decision to_play phase",
        )
    )
    for name in NAMES:
        if name != "table" and any(name.startswith(start) for start in group.split()):
            state[name] = other[name]


def another_row(rng: random.Random, state: Any, other: Any) -> None:
    """Let a program go on at another of its rows, or with other variables."""
    if state["frames"] > 0:
        f = rng.randrange(int(state["frames"])) % S.FRAMES
        if rng.random() < 0.5:
            state["frame"]["pc"][f] += rng.choice((-2, -1, 1, 2))
        else:
            state["frame"]["regs"][f, rng.randrange(S.REGS)] = rng.choice(
                (-2, -1, 0, 1, 2, 3, 4, 5, 6, 8, 15, 16, 24, 25)
            )


def moved_card(rng: random.Random, state: Any, other: Any) -> None:
    """Move a card elsewhere, with the counts as a careful forger would put them."""
    player, card = rng.randrange(S.PLAYERS), rng.randrange(S.ACTIONS_CARDS)
    state["hand"][player, card] -= 1
    state["discard"][player, card] += 1


def moved_unit(rng: random.Random, state: Any, other: Any) -> None:
    """Move a unit elsewhere."""
    unit, zone = rng.randrange(S.UNITS), rng.randrange(S.ZONES)
    if 0 <= (old := int(state["unit_zone"][unit])) < S.ZONES:
        state["zone_unit"][old] = -1
    state["unit_zone"][unit], state["zone_unit"][zone] = zone, unit


FORGERS: tuple[Forger, ...] = (
    *EVERYWHERE,
    group_of_another,
    *(another_row,) * 2,
    moved_card,
    moved_unit,
)


@cache
def games() -> list[tuple[Any, list[Any]]]:
    """Games of all pairings, and records of each: every ninth of some games, and those where programs, triggers or face-down cards wait."""
    found: list[tuple[Any, list[Any]]] = []
    for options in ({}, *OTHER_RULES):
        game = react_env.load("arts_of_war-v0", artists="random", **options) if options else loaded(ARTISTS)
        records = []
        for seed in range(24):
            state = game.new(seed)
            for number, _ in enumerate(random_game(game, seed, state)):
                if number % 9 == 0 or state["frames"] > 1 or state["waiting"] or (state["face_down"] >= 0).any():
                    records.append(game.copy(state))
            records.append(game.copy(state))
        found.append((game, records))
    return found


@pytest.mark.slow
def test_forged_records_are_refused_or_play_on() -> None:
    told = forge(games(), FORGERS, 2000, 0, alone=0.2)
    assert told[""] > 200 and len(told) > 35, told


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(LONG_CHUNKS))
def test_a_million_forged_records(chunk: int) -> None:
    forge(games(), FORGERS, 1_000_000 // LONG_CHUNKS, 1 + chunk, alone=0.02)


def test_files_and_batches_are_refused_by_the_name_of_the_field() -> None:
    game = loaded(ARTISTS)
    batch = game.batch(4, seed=1)
    for name, value in (
        ("damage", 7),
        ("unit_zone", 99),
        ("decision", 77),
        ("chain_size", 9),
        ("deck", 4),
        ("turn", 0),
    ):
        state = game.copy(batch.states[1])
        np.asarray(state)[name].reshape(-1)[0] = value
        with pytest.raises(StateError, match=f"field {name}: impossible value"):
            game.restore(game.save(state))
        batch.states[1] = state
        with pytest.raises(BatchError, match=f"game 1: field {name}: impossible value"):
            batch.refresh()
        batch.reset(1)
