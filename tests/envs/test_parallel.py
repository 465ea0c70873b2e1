"""Simultaneous choices: the parallel interface, and that nobody learns anything from the order in which players are asked."""

import copy
import pickle
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test, parallel_seed_test

import react_env
from react_env import react_fast_v0
from react_env.engine.game import Game
from react_env.envs import aec, parallel
from react_env.errors import GameOver, IllegalAction, OptionError, UnsupportedOption
from tests.conftest import loaded

GAMES = ("react_fast-v0", "react_fast-v0, skill")


@pytest.mark.parametrize("name", GAMES)
def test_pettingzoo(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(parallel.env(loaded(name)), num_cycles=300)
        parallel_seed_test(lambda: parallel.env(loaded(name)))


def choices(game: Game, seed: int, number: int, player: int, mask: Any) -> int:
    """A player's choice at the step with that number: random, but independent of who was asked before."""
    legal = np.flatnonzero(mask)
    return int(legal[np.random.default_rng((seed, number, player)).integers(len(legal))])


def test_a_step_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    """Not once for each player who chooses."""
    env = parallel.env(loaded("react_fast-v0"), render_mode="human")
    observations, _ = env.reset(seed=1)
    assert capsys.readouterr().out == f"{env.game.text(env.position)}\n\n"
    choosing = {
        agent: int(seen["action_mask"].argmax()) for agent, seen in observations.items() if seen["action_mask"].any()
    }
    assert len(choosing) > 1
    env.step(choosing)
    assert capsys.readouterr().out == f"{env.game.text(env.position)}\n\n"


@pytest.mark.parametrize("name", GAMES)
def test_the_same_game_as_turn_by_turn(name: str) -> None:
    """Past bug: turn by turn, only the player asked first was told what there is to decide (`decision` of React Fast's observation)."""
    game = loaded(name)
    together, turns = parallel.env(game), aec.raw_env(game)
    for seed in range(6):
        observations, infos = together.reset(seed=seed)
        turns.reset(seed=seed)
        number = 0
        while together.agents:
            assert together.position == turns.position
            asked = {agent for agent in together.agents if observations[agent]["action_mask"].any()}
            actions: dict[str, int] = {}
            while len(actions) < len(asked):
                agent = turns.agent_selection
                assert agent in asked and agent not in actions
                seen = turns.observe(agent)
                np.testing.assert_array_equal(seen["observation"], observations[agent]["observation"])
                np.testing.assert_array_equal(seen["action_mask"], observations[agent]["action_mask"])
                np.testing.assert_array_equal(seen["action_mask"], infos[agent]["action_mask"])
                actions[agent] = choices(game, seed, number, int(agent[-1]), seen["action_mask"])
                turns.step(actions[agent])
            observations, rewards, terminations, _, infos = together.step(actions)
            number += 1
        assert rewards == turns.rewards and all(terminations.values()) == all(turns.terminations.values())
        assert game.terminated(together.position) == all(terminations.values())


@pytest.mark.parametrize("name", GAMES)
def test_nobody_learns_from_the_order(name: str) -> None:
    """Whoever is asked first in a window, everybody sees the same before it closes, and it closes in the same way (RF-I1)."""
    game = loaded(name)
    told = np.arange(game.layout.size) >= game.layout["decision"].size  # `decision` may tell who is asked
    windows = 0
    for seed in range(4):
        state = game.new(seed=seed)
        rng = np.random.default_rng(seed)
        while not game.terminated(state):
            who = np.flatnonzero(game.together(state))
            if len(who) > 1:
                windows += 1
                chosen = {int(p): int(rng.choice(game.legal_actions(state))) for p in who}
                before = [game.observe(state, p) for p in range(game.num_players)]
                ends = []
                for order in (who, who[::-1], rng.permutation(who)):
                    world = game.copy(state)
                    others = [q for q in range(game.num_players) if q not in who and state["asked"] >> q & 1]
                    for i, p in enumerate(order):
                        world["to_play"] = p  # this player is asked next
                        world["asked"] = sum(1 << int(q) for q in (*others, *order[: i + 1]))
                        if i:
                            for q in range(game.num_players):
                                now = game.observe(world, q)
                                np.testing.assert_array_equal(now[told], before[q][told])
                        game.step(world, chosen[int(p)])
                    ends.append(game.save(world))
                assert len(set(ends)) == 1
            game.step(state, int(rng.choice(game.legal_actions(state))))
    assert windows > 100


def test_a_game_without_such_choices_says_so() -> None:
    with pytest.raises(UnsupportedOption, match="in toy-v0 players choose in turn: it has only env and raw_env"):
        parallel.env(loaded("toy"))
    state = loaded("toy").new(seed=1)
    assert loaded("toy").together(state).sum() == 1


@pytest.fixture
def env() -> parallel.env:
    made = parallel.env(loaded("react_fast-v0"), illegal="raise")
    made.reset(seed=2)
    return made


def everybody(env: parallel.env, action: int) -> dict[str, int]:
    return dict.fromkeys(env.agents, action)


HOLD = list(loaded("react_fast-v0").action_names).index("hold")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda a: {k: v for k, v in a.items() if k != "player_1"},
            "there is no action for player_1; to choose: player_",
        ),
        (
            lambda a: {**a, "player_8": 0},
            "'player_8' is not an agent of this game; there are: player_0, player_1, player_2",
        ),
        (lambda a: {**a, "player_1": 1.5}, "player_1: an action is an integer from 0 to"),
        (lambda a: {**a, "player_1": None}, "player_1: an action is an integer from 0 to"),
        (lambda a: {**a, "player_2": 0}, r"player_2: action 0 \(activate nothing\) is not legal now; legal: .*hold"),
        (lambda a: {**a, "player_2": 999}, "player_2: action 999 does not exist"),
        (lambda a: list(a.values()), "actions must be a dict, agent -> id"),
    ],
)
def test_impossible_choices_change_nothing(env: parallel.env, change: Any, message: str) -> None:
    before = env.game.save(env.position)
    with pytest.raises(IllegalAction, match=message):
        env.step(change(everybody(env, HOLD)))
    assert env.game.save(env.position) == before
    env.step(everybody(env, HOLD))
    assert env.game.save(env.position) != before


def test_an_illegal_choice_can_lose() -> None:
    env = react_fast_v0.parallel_env(players=4, max_placements=40)
    env.reset(seed=2)
    _, rewards, terminations, truncations, _ = env.step({**everybody(env, HOLD), "player_1": 0})
    assert rewards == pytest.approx({"player_0": 1 / 3, "player_1": -1.0, "player_2": 1 / 3, "player_3": 1 / 3})
    assert all(terminations.values()) and not any(truncations.values()) and env.agents == []
    with pytest.raises(GameOver, match="call reset"):
        env.step(everybody(env, HOLD))
    env.reset(seed=2)
    _, rewards, *_ = env.step(everybody(env, 0))
    assert rewards == dict.fromkeys(env.possible_agents, -1.0), "past bug: nobody was punished"
    env.reset(seed=2)
    _, rewards, *_ = env.step({**everybody(env, HOLD), "player_1": 0, "player_3": 0})
    assert rewards == {"player_0": 1.0, "player_1": -1.0, "player_2": 1.0, "player_3": -1.0}


def test_what_is_given_for_who_has_nothing_to_choose_is_ignored(env: parallel.env) -> None:
    """In the skill mode there is a step at which one player alone sets the pace."""
    env = parallel.env(loaded("react_fast-v0, skill"), illegal="raise")
    observations, _ = env.reset(seed=2)
    while sum(seen["action_mask"].any() for seen in observations.values()) > 1:
        observations, *_ = env.step({agent: int(seen["action_mask"].argmax()) for agent, seen in observations.items()})
    (alone,) = [agent for agent, seen in observations.items() if seen["action_mask"].any()]
    other = copy.deepcopy(env)
    action = int(observations[alone]["action_mask"].argmax())
    env.step({**everybody(env, 0), alone: action})
    other.step({alone: action})
    assert env.position == other.position


def test_copies_go_on_alike(env: parallel.env) -> None:
    for _ in range(4):
        env.step(everybody(env, HOLD))
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert other.position == env.position and other.agents == env.agents
        actions: Mapping[str, int] = everybody(env, HOLD)
        here, there = (copy.deepcopy(env).step(actions), other.step(actions))
        for agent in env.agents:
            np.testing.assert_array_equal(here[0][agent]["observation"], there[0][agent]["observation"])


def test_options() -> None:
    env = react_fast_v0.parallel_env(players=4, max_placements=40, render_mode="ansi")
    env.reset(seed=1)
    assert isinstance(env.render(), str) and env.state_space.contains(env.state())
    assert env.metadata["name"] == "react_fast_v0" and env.unwrapped is env
    for refused in ({"players": 9}, {"illegal": "no"}, {"render_mode": "rgb"}, {"no_such": 1}):
        with pytest.raises(OptionError):
            react_fast_v0.parallel_env(**refused)
    assert react_env.load("react_fast-v0", players=4).num_players == 4
