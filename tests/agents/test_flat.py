"""Flat Monte Carlo: legal, even over the actions, better than random, refuses bad names. The rest: test_planners.py."""

from typing import Any

import numpy as np
import pytest

from react_env.agents.players.uniform import RandomAgent
from react_env.agents.search.flat import FlatAgent, from_argument
from react_env.errors import OptionError
from react_env.evaluation.matches.match import play_match
from tests import toy
from tests.agents.games import game_of, positions

GAMES = ["toy", "arts_of_war-v0", "fight_sequence-v0", "react_fast-v0", "reality_tcg-v0"]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("options", [{}, {"rollout": "random", "horizon": 2}, {"rollout": "none"}, {"rollout": "idle"}])
def test_actions_are_legal_whatever_the_options(name: str, options: Any) -> None:
    game = game_of(name)
    states, players = positions(game, 12, seed=6)
    chosen = FlatAgent(game, simulations=12, **options).act_states(states, players, np.random.default_rng(1))
    for state, action in zip(states, chosen, strict=True):
        assert game.action_mask(state)[action]


def test_every_action_is_tried_equally_often() -> None:
    game = game_of("arts_of_war-v0")
    states, players = positions(game, 30, seed=3)
    for state, player in zip(states, players, strict=True):
        legal = len(game.legal_actions(state))
        for simulations in (1, 20):
            agent = FlatAgent(game, simulations=simulations)
            agent.act_states(np.array([state], game.state_dtype), np.array([player]), np.random.default_rng(0))
            assert agent.simulations_done == max(1, simulations // legal) * legal
            assert agent.simulated >= agent.simulations_done


def test_plays_the_toy_better_than_random() -> None:
    game = game_of("toy")
    total = play_match(game, FlatAgent(game, simulations=40, scale=2.0), RandomAgent(), 200, seed=1).total
    assert total.wins > 2 * total.losses


def test_equal_actions_are_drawn_by_lot() -> None:
    game = game_of("toy")
    state = game.new(seed=0)
    player = int(state["to_play"])
    state["hand"][player] = (0, 2, 0, 0)
    state["pile"] = (3, 3)
    game.step(state, 1)  # scores on neither pile
    states = np.repeat(np.array([state], game.state_dtype), 100)
    agent = FlatAgent(game, simulations=2, rollout="none", horizon=0)
    chosen = agent.act_states(states, np.full(100, player), np.random.default_rng(0))
    assert sorted(set(chosen.tolist())) == [toy.RANKS, toy.RANKS + 1]


@pytest.mark.parametrize(
    ("argument", "name"),
    [("", "flat"), ("64", "flat:64"), ("64,rollout=random,horizon=0", "flat:64,rollout=random,horizon=0")],
)
def test_names_say_what_differs_from_the_default(argument: str, name: str) -> None:
    assert from_argument(game_of("toy"), argument, 1).name == name


@pytest.mark.parametrize(
    ("argument", "told"),
    [
        ("0", "simulations"),
        ("1s", "simulations"),
        ("64,grow=3", "no option 'grow'; there are rollout, horizon"),
        ("64,rollout=best", "one of none, idle, random, greedy"),
        ("64,reach=0", "reach must be from 1"),
    ],
)
def test_bad_names_say_what_would_be_right(argument: str, told: str) -> None:
    with pytest.raises(OptionError, match=told):
        from_argument(game_of("toy"), argument, 1)
