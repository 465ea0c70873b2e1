"""What each legal action leads to, in every adapter."""

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test

import react_env
from react_env import agents, fight_sequence_v0, react_fast_v0
from react_env.envs import aec
from react_env.envs.sb3 import SelfPlayVecEnv
from react_env.errors import IllegalAction, OptionError
from tests.agents.games import game_of

GYM = "react_env/ReactFast-v0"


def played(env: Any, moves: int, looks: int = 1) -> list[np.ndarray]:
    """The features at each of `moves` moves; before each move everybody looks `looks` times."""
    env.reset(seed=3)
    found = []
    for agent in env.agent_iter(moves):
        for _ in range(looks):
            seen = {other: env.observe(other) for other in env.possible_agents}
        assert all(env.observation_space(other).contains(one) for other, one in seen.items())
        assert not any(one["action_features"].any() for other, one in seen.items() if other != agent)
        found.append(seen[agent]["action_features"])
        assert not found[-1][seen[agent]["action_mask"] == 0].any()
        env.step(None if env.terminations[agent] else int(seen[agent]["action_mask"].argmax()))
    return found


def test_pettingzoo() -> None:
    game = game_of("toy")
    env = aec.env(game, action_features=True)
    first, again = played(env, 12), played(env, 12, looks=3)
    assert any(features.any() for features in first)
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        agent = env.agent_selection
        np.testing.assert_array_equal(*(one.observe(agent)["action_features"] for one in (env, other)))
    assert env.unwrapped.describe.names[0] == "value"
    api_test(fight_sequence_v0.env(action_features=True), num_cycles=30)


def test_a_refused_action_changes_nothing_of_them() -> None:
    """Past bug: a refused action counted as a decision, and what is hidden was guessed anew."""
    env = aec.raw_env(react_env.load("fight_sequence-v0"), action_features=True)
    env.reset(seed=0)
    for _ in range(12):
        agent = env.agent_selection
        mask = env.action_mask(agent)
        before = env.action_features(agent).copy()
        with pytest.raises(IllegalAction):
            env.step(int(np.flatnonzero(mask == 0)[0]))
        np.testing.assert_array_equal(env.action_features(agent), before)
        env.step(int(np.flatnonzero(mask)[-1]))


def test_where_they_were_not_asked_for() -> None:
    game = game_of("toy")
    env = aec.raw_env(game)
    env.reset(seed=0)
    assert set(env.observe("player_0")) == {"observation", "action_mask"}
    with pytest.raises(OptionError, match="without action_features=True"):
        env.action_features("player_0")
    with pytest.raises(OptionError, match="without action_features=True"):
        SelfPlayVecEnv(game, 2, seed=0).action_features()


def test_those_who_choose_at_once_are_all_told() -> None:
    parallel = react_fast_v0.parallel_env(action_features=True)
    parallel_api_test(parallel, num_cycles=20)
    observations, _ = parallel.reset(seed=5)
    several = 0
    for _ in range(40):
        told = [agent for agent, seen in observations.items() if seen["action_features"].any()]
        assert all(observations[agent]["action_mask"].sum() > 1 for agent in told)
        several += len(told) > 1
        observations, *_ = parallel.step({a: int(seen["action_mask"].argmax()) for a, seen in observations.items()})
    assert several


@pytest.mark.parametrize("observation", ["flat", "dict"])
def test_gymnasium(observation: Any) -> None:
    env = gymnasium.make(GYM, opponent="random", max_placements=40, action_features=True, observation=observation)
    over, seen = False, []
    first, info = env.reset(seed=1)
    while not over:
        features = info["action_features"]
        assert features.shape == (env.action_space.n, len(env.unwrapped.describe.names))
        assert not features[info["action_mask"] == 0].any() and env.observation_space.contains(first)
        if observation == "dict":
            np.testing.assert_array_equal(first["action_features"], features)
        seen.append(features.any())
        first, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        over = terminated or truncated
    assert any(seen) and not info["action_features"].any()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_gymnasium_vector(mode: str) -> None:
    envs = gymnasium.make_vec(
        GYM,
        num_envs=5,
        opponent="random",
        max_placements=40,
        action_features=True,
        observation="dict",
        autoreset_mode=mode,
    )
    games = []
    for _ in range(2):
        seen, infos = envs.reset(seed=2)
        told = []
        ended = np.zeros(5, np.bool_)
        for _ in range(60):
            assert envs.observation_space.contains(seen)
            np.testing.assert_array_equal(seen["action_features"], infos["action_features"])
            assert not infos["action_features"][infos["action_mask"] == 0].any()
            told.append(infos["action_features"])
            seen, _, terminated, truncated, infos = envs.step(infos["action_mask"].argmax(1))
            ended |= terminated | truncated
            over = (terminated | truncated) if mode == "NextStep" else np.zeros(5, np.bool_)
            assert not infos["action_features"][over].any()
            if "final_obs" in infos:
                assert not any(one["action_features"].any() for one in infos["final_obs"] if one is not None)
                assert not infos["final_info"]["action_features"].any()
        assert ended.any() and any(features.any() for features in told)
        games.append(told)
    for one, other in zip(*games, strict=True):
        np.testing.assert_array_equal(one, other)


def test_they_change_no_game() -> None:
    """Opponents choose alike, whether or not the learner asks for features."""
    game = game_of("react_fast-v0")
    found = []
    for told in (False, True):
        env = SelfPlayVecEnv(game, 4, agents.load("greedy", game), seed=7, action_features=told)
        env.reset()
        for _ in range(50):
            if told:
                assert env.env_method("action_features", indices=[1, 3]).shape[0] == 2
            env.step(env.action_masks().argmax(1))
        found.append(env.batch.states.copy())
    assert (found[0] == found[1]).all()


def test_openspiel() -> None:
    pytest.importorskip("pyspiel")
    from react_env.envs.openspiel import SpielGame

    spiel = SpielGame(react_env.load("arts_of_war-v0"))
    state = spiel.new_initial_state()
    assert not state.action_features().any()  # a chance node
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    record = np.atleast_1d(np.asarray(state.record))
    mask = spiel.rules.action_mask(state.record)[None]
    expected = agents.ActionFeatures(spiel.rules)(
        record, np.array([state.current_player()]), mask, np.random.default_rng(6)
    )
    np.testing.assert_array_equal(state.action_features(seed=6), expected[0])
    assert expected.any() and spiel.describe.names[0] == "value"
