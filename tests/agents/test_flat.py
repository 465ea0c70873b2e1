"""Flat Monte Carlo: legal and repeatable, even over the actions, wins in one, uses no hidden knowledge, refuses bad names."""

from typing import Any

import numpy as np
import pytest

from agents.flat import FlatAgent, from_argument
from agents.random import RandomAgent
from evaluation.matches import play_match
from react_env.errors import OptionError, StateError
from tests import toy
from tests.agents.games import game_of, positions

GAMES = ["toy", "arts_of_war-v0", "fight_sequence-v0"]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("options", [{}, {"rollout": "random", "horizon": 2}, {"rollout": "none"}, {"rollout": "idle"}])
def test_actions_are_legal_whatever_the_options(name: str, options: Any) -> None:
    game = game_of(name)
    states, players = positions(game, 12, seed=6)
    chosen = FlatAgent(game, simulations=12, **options).act_states(states, players, np.random.default_rng(1))
    for state, action in zip(states, chosen, strict=True):
        assert game.action_mask(state)[action]


@pytest.mark.parametrize("name", GAMES)
def test_threads_and_repetition_do_not_matter_and_states_stay(name: str) -> None:
    game = game_of(name)
    states, players = positions(game, 30, seed=2)
    before = states.tobytes()
    chosen = [
        FlatAgent(game, simulations=16, threads=threads).act_states(states, players, np.random.default_rng(1))
        for threads in (1, 2, 3)
    ]
    again = FlatAgent(game, simulations=16)
    again.act_states(states[:5], players[:5], np.random.default_rng(7))  # what was tried before leaves no trace
    chosen.append(again.act_states(states, players, np.random.default_rng(1)))
    for other in chosen[1:]:
        assert (chosen[0] == other).all()
    assert states.tobytes() == before


@pytest.mark.parametrize("name", ["arts_of_war-v0", "fight_sequence-v0"])
def test_chooses_as_often_in_any_world_that_the_player_cannot_tell_apart(name: str) -> None:
    game = game_of(name)
    states, players = positions(game, 12, seed=11)
    tries = 150
    agent = FlatAgent(game, simulations=8, threads=2)
    for state, player in zip(states, players, strict=True):
        frequencies = []
        for world in (state, game.determinize(state, int(player), 1)):
            many = np.repeat(np.array([world], game.state_dtype), tries)
            chosen = agent.act_states(many, np.full(tries, player), np.random.default_rng(4))
            frequencies.append(np.bincount(chosen, minlength=game.num_actions) / tries)
        # A difference of 0.3 between two frequencies of 150 has a probability below 1e-6.
        assert np.ptp(frequencies, axis=0).max() < 0.3


def test_hidden_cards_change_nothing_at_all_in_re_act() -> None:
    # Its determinization starts from counts, so the same seeds give the same worlds.
    game = game_of("arts_of_war-v0")
    states, players = positions(game, 40, seed=12)
    others = states.copy()
    for i, player in enumerate(players):
        others[i] = game.determinize(states[i], int(player), 5)
    assert (others["hand"] != states["hand"]).any()
    agent = FlatAgent(game, simulations=16)
    chosen = [agent.act_states(worlds, players, np.random.default_rng(3)) for worlds in (states, others)]
    assert (chosen[0] == chosen[1]).all()


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


def test_a_forced_decision_costs_nothing() -> None:
    game = game_of("toy")
    state = game.new(seed=0)
    player = int(state["to_play"])
    state["hand"][player] = (0, 2, 0, 0)
    agent = FlatAgent(game, simulations=50)
    chosen = agent.act_states(np.array([state], game.state_dtype), np.array([player]), np.random.default_rng(0))
    assert chosen.tolist() == [1] and agent.simulated == agent.simulations_done == 0


def test_sees_the_answer_that_beats_a_play() -> None:
    # As in the test of the search: only the 1 on the left pile is not beaten, and the answer lies within the cut-off.
    game = game_of("toy")
    state = game.new(seed=0)
    player = int(state["to_play"])
    state["hand"] = 0
    state["hand"][player, :2] = 1
    state["hand"][1 - player, 1] = 1
    state["deck_size"] = 0
    state["pile"] = (3, 1)
    state["points"][1 - player] = 4
    states = np.repeat(np.array([state], game.state_dtype), 10)
    players = np.full(10, player)
    agent = FlatAgent(game, simulations=200, scale=2.0, horizon=2)
    assert (agent.act_states(states, players, np.random.default_rng(0)) == 1).all()
    for row in states:
        game.step(row, 1)
    assert (agent.act_states(states, players, np.random.default_rng(1)) == toy.RANKS).all()


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
    game.step(state, 1)  # no pile takes it
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


def test_states_of_other_options_and_no_states() -> None:
    game = game_of("toy")
    states, players = positions(game, 3)
    agent = FlatAgent(game, simulations=2, threads=2)
    assert agent.act_states(states[:0], players[:0], np.random.default_rng(0)).shape == (0,)
    states["table"] = 7
    with pytest.raises(StateError):
        agent.act_states(states, players, np.random.default_rng(0))
