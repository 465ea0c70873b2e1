"""What holds at every decision of whole random games: nothing leaks, no card is lost, no game gets stuck, the bytes never differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import react_env
from react_env import agents
from react_env.evaluation import play_match
from react_env.games.reality_tcg import state as S
from react_env.games.reality_tcg.valid import valid
from tests.properties import (
    LONGEST,
    assert_leak_is_caught,
    assert_no_leak,
    assert_same_bytes,
    decisions,
    digest,
    play_many,
    uncompiled,
    whole_games,
)

CASES: list[dict[str, Any]] = [
    {},
    {"decks": "random", "open_decklists": False},
    {
        "decks": ("giants", "control"),
        "lands": "per_player",
        "land_replace": True,
        "moves_per_phase": 3,
        "turn_on_entry": True,
    },
    {
        "decks": ("feast", "rush"),
        "effect_refill": True,
        "effect_overflow": True,
        "deck_out": "lose",
        "set_traps": "next_turn",
    },
    {
        "decks": ("control", "tempo"),
        "hand_limit": 3,
        "mulligans": 3,
        "open_purgatory": False,
        "negative_ip": True,
        "summons_per_turn": 1,
        "answers_first": "active",
        "both_destroyed": "both_wait",
        "wait_ends": "own_turn",
        "trapped_waits": False,
        "new_refills": False,
        "spent": "removed",
    },
]
MORE: list[dict[str, Any]] = [
    {"broken_def": "own_turn", "hp_damage": "own_turn", "max_turns": 30, "decks": name} for name in ("wall", "tempo")
]


def load(options: dict[str, Any], **more: Any) -> Any:
    return react_env.load("reality_tcg-v0", **{**options, **more})


@pytest.mark.parametrize("options", CASES, ids=str)
@whole_games(2)
@given(seed=st.integers(0, 2**32))
def test_nothing_leaks(options: dict[str, Any], seed: int) -> None:
    """RT-I1, RT-I2, RT-I3."""
    game = load(options, max_turns=20)
    for number, state in enumerate(decisions(game, seed)):
        if number % 5 == 0:
            assert_no_leak(game, state, seed + number)


def test_who_is_asked_has_something_to_choose_in_every_world() -> None:
    """RT-I3 (past bug): in a quarter of the worlds drawn while the opponent was asked for an answer, the opponent had none."""
    game, rng = load({}), np.random.default_rng(0)
    asked = 0
    for seed in range(4):
        s = game.new(seed=seed)
        while not s["over"]:
            player = int(s["to_play"])
            world = game.determinize(s, 1 - player, seed)
            assert len(game.legal_actions(world)) > 1
            asked += bool(s["decision"] == S.D_ANSWER)
            game.step(s, int(rng.choice(game.legal_actions(s))))
    assert asked > 20


def test_a_leak_is_caught() -> None:
    """Observations that leak: a card of the opponent's hand, the top of one's own deck, a set Trap, a closed deck list, the RNG stream."""
    looks = (
        lambda state, player: state["hand"][1 - player, 4],
        lambda state, player: state["deck"][player, max(state["deck_size"][player] - 1, 0)],
        lambda state, player: state["trap"][1 - player, 0],
        lambda state, player: state["list"][1 - player],
        lambda state, player: state["rng"] % 2,
    )
    for look in looks:
        assert_leak_is_caught(load(CASES[1]), look, seed=3)


@pytest.mark.parametrize("options", [*CASES, *MORE], ids=str)
@whole_games(2)
@given(seed=st.integers(0, 2**32))
def test_records_are_sound(options: dict[str, Any], seed: int) -> None:
    """Every card of a list is somewhere, in the worlds that players imagine as well: `valid` counts them."""
    game = load(options)
    for number, state in enumerate(decisions(game, seed)):
        assert valid(state, game.tables[0]) == -1
        assert valid(game.determinize(state, number % 2, seed + number), game.tables[0]) == -1


@pytest.mark.parametrize("options", [*CASES, *MORE], ids=str)
def test_no_dead_ends(options: dict[str, Any]) -> None:
    ends = play_many(load(options), 1_000, seed=5)
    assert ends["won"] > 660 and not ends["truncated"], ends


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("options", [*CASES, *MORE], ids=str)
def test_no_dead_ends_in_a_million_games(options: dict[str, Any], seed: int) -> None:
    play_many(load(options), 20_000, seed=100 + seed)


@pytest.mark.parametrize("options", CASES[:1] + CASES[2:], ids=str)
@whole_games(5)
@given(seed=st.integers(0, 2**32))
def test_seats_are_alike(options: dict[str, Any], seed: int) -> None:
    """The same game with the players in each other's seats looks the same to each of them."""
    names = options.get("decks", ("tempo", "wall"))
    one, two = load(options, max_turns=30), load({**options, "decks": names[::-1]}, max_turns=30)
    a, b = one.new(seed=seed), two.new(seed=seed)
    for name in ("hand", "deck", "deck_size", "hand_size"):
        b[name] = a[name][::-1]
    for name in ("first", "whose", "to_play"):
        b[name] = 1 - a[name]
    b["rng"] = a["rng"]
    rng = np.random.default_rng(seed)
    for _ in range(LONGEST):
        for player in (0, 1):
            assert np.array_equal(one.observe(a, player), two.observe(b, 1 - player))
        if a["over"]:
            assert a["reward"].tolist() == b["reward"].tolist()[::-1]
            return
        assert np.array_equal(one.action_mask(a), two.action_mask(b))
        action = int(rng.choice(one.legal_actions(a)))
        one.step(a, action)
        two.step(b, action)
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("options", CASES, ids=str)
def test_same_bytes(options: dict[str, Any]) -> None:
    assert_same_bytes(load(options), 11)


@pytest.mark.slow
def test_same_bytes_uncompiled() -> None:
    found = uncompiled(__name__, "[digest(load(options), 12, 'batch', 100) for options in CASES[1:3]]")
    assert found == repr([digest(load(options), 12, "batch", 100) for options in CASES[1:3]])


def test_record_is_small() -> None:
    assert S.STATE.itemsize <= 2048


def test_scripted_beats_greedy_and_greedy_random() -> None:
    """The limits lie well below what was measured (see the documentation), so that bad luck does not fail the test."""
    game = load({"decks": "random"})
    scripted, greedy, random = (agents.load(name, game) for name in ("scripted", "greedy", "random"))
    assert play_match(game, scripted, greedy, games=60, seed=2).total.win_rate > 0.75
    assert play_match(game, greedy, random, games=60, seed=2).total.win_rate > 0.7
