"""Gymnasium: what one agent is told against an opponent, alone and in a vector, and what Gymnasium's own checks say."""

import json
import subprocess
import sys
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import react_env
from react_env import errors
from react_env.engine.game import Game
from react_env.envs import aec
from react_env.envs.gym import OpponentEnv, OpponentVectorEnv
from react_env.envs.learner import LearnerGames
from tests import toy

N = 12
IDS = {"arts_of_war-v0": "react_env/ArtsOfWar-v0", "fight_sequence-v0": "react_env/FightSequence-v0"}
DUEL = {"artists": ("calligrapher", "dancer")}


class First:
    """The first legal action, by the protocol of agents; remembers what it saw."""

    def __init__(self) -> None:
        self.seen: list[tuple[Any, Any]] = []

    def act(self, observations: Any, action_masks: Any, rng: np.random.Generator) -> Any:
        assert len(observations) == len(action_masks) > 0 and action_masks.dtype == np.bool_
        self.seen += [(observation.copy(), mask.copy()) for observation, mask in zip(observations, action_masks)]
        return action_masks.argmax(axis=1)


class FirstOfStates:
    """The same by the protocol of search; spoils what it is given."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def act_states(self, states: Any, players: Any, rng: np.random.Generator) -> Any:
        assert all(self.game.to_play(state) == player for state, player in zip(states, players))
        chosen = np.array([self.game.legal_actions(state)[0] for state in states])
        states["to_play"] = 1 - states["to_play"]
        return chosen


def opponents(game: Game) -> dict[str, Any]:
    return {"random": "random", "agent": First(), "search": FirstOfStates(game)}


def some(mask: Any, rng: np.random.Generator) -> int:
    """Any legal action."""
    return int(rng.choice(np.flatnonzero(mask)))


def test_one_agent_is_told_the_truth(game: Game) -> None:
    """Whole games again on PettingZoo's table from the same seed: the same decisions are the agent's, and the same result."""
    env, table, rng = OpponentEnv(game, First()), aec.raw_env(game), np.random.default_rng(0)
    observation, info = env.reset(seed=4)
    table.reset(seed=4)
    results = []
    for number in range(6):
        me = f"player_{number % game.num_players}"
        over = False
        while not over:
            while table.agent_selection != me:
                table.step(int(table.observe(table.agent_selection)["action_mask"].argmax()))
            seen = table.observe(me)
            np.testing.assert_array_equal(observation, seen["observation"])
            np.testing.assert_array_equal(info["action_mask"], seen["action_mask"])
            np.testing.assert_array_equal(env.action_masks(), seen["action_mask"].astype(bool))
            assert observation in env.observation_space and info["seat"] == number % game.num_players
            action = some(info["action_mask"], rng)
            table.step(action)
            while table.agent_selection != me and not any((*table.terminations.values(), *table.truncations.values())):
                table.step(int(table.observe(table.agent_selection)["action_mask"].argmax()))
            observation, reward, terminated, truncated, info = env.step(action)
            assert (reward, terminated, truncated) == (
                table.rewards[me],
                table.terminations[me],
                table.truncations[me],
            )
            assert isinstance(reward, float)
            over = terminated or truncated
        np.testing.assert_array_equal(observation, table.observe(me)["observation"])
        assert info["action_mask"].all() and env.action_masks().all()
        with pytest.raises(errors.GameOver):
            env.step(0)
        results.append((me, reward, terminated))
        observation, info = env.reset()
        table.reset()
    assert len({me for me, *_ in results}) == game.num_players


@pytest.mark.parametrize("kind", ["random", "agent", "search"])
def test_seeds_tell_the_games(game: Game, kind: str) -> None:
    def history(seed: int) -> list[Any]:
        env, rng = OpponentEnv(game, opponents(game)[kind]), np.random.default_rng(1)
        found: list[Any] = []
        for begin in (seed, None, None, seed):
            observation, info = env.reset(seed=begin)
            found.append([])
            for _ in range(25):
                found[-1].append((observation.tobytes(), info["action_mask"].tobytes(), info["seat"]))
                observation, *_, terminated, truncated, info = env.step(some(info["action_mask"], rng))
                if terminated or truncated:
                    break
        return found

    first, second = history(3), history(3)
    assert first == second
    assert first[0][0] == first[3][0] and first[0][0] != first[1][0] != first[2][0]
    assert history(4)[0] != first[0]


def test_a_search_opponent_does_as_the_agent_of_the_same_mind(game: Game) -> None:
    envs = [OpponentEnv(game, opponent, seats=1) for opponent in (First(), FirstOfStates(game))]
    (first, info), (second, _) = [env.reset(seed=2) for env in envs]
    rng, over = np.random.default_rng(2), False
    while not over:
        np.testing.assert_array_equal(first, second)
        action = some(info["action_mask"], rng)
        (first, *result, info), (second, *same, _) = [env.step(action) for env in envs]
        assert result == same
        over = any(result[1:])


def test_mistakes(game: Game) -> None:
    wrong: list[dict[str, Any]] = [{"seats": 2}, {"seats": True}, {"opponent": object()}, {"render_mode": "human"}]
    for keywords in wrong:
        with pytest.raises(errors.OptionError):
            OpponentEnv(game, **keywords)
        with pytest.raises(errors.OptionError):
            OpponentVectorEnv(game, 2, **keywords)
    for count in (0, -1, 2.5, "3"):
        with pytest.raises(errors.BatchError, match="num_games"):
            OpponentVectorEnv(game, count)  # type: ignore[arg-type]
    env = OpponentEnv(game, First())
    with pytest.raises(errors.GameOver, match="reset"):
        env.step(0)
    _, info = env.reset(seed=0)
    before = np.asarray(env._table.position).tobytes()
    for action in (int(info["action_mask"].argmin()), -1, game.num_actions, 0.5, None, np.array(0.0), np.array([0])):
        with pytest.raises(errors.IllegalAction):
            env.step(action)  # type: ignore[arg-type]
    assert np.asarray(env._table.position).tobytes() == before

    class Wrong(First):
        def act(self, observations: Any, action_masks: Any, rng: np.random.Generator) -> Any:
            return action_masks.argmin(axis=1)

    env = OpponentEnv(game, Wrong(), seats=0)
    with pytest.raises(errors.IllegalAction, match="opponent"):
        _, info = env.reset(seed=0)
        for _ in range(50):
            *_, info = env.step(int(info["action_mask"].argmax()))


def test_a_game_that_ends_before_the_agents_first_decision_is_dealt_anew() -> None:
    """Some of these games are cut short after the first turn, which is the opponent's."""
    env = OpponentEnv(toy.load(max_turns=(1, 30)), First(), seats=1)
    dealt = []
    for seed in range(20):
        _, info = env.reset(seed=seed)
        dealt.append(env._games)
        assert not info["action_mask"].all()
        env.step(int(info["action_mask"].argmax()))
    assert {1, 2} <= set(dealt)


def test_what_is_seen_is_for_the_agent_alone() -> None:
    """render() shows what the agent's player sees, not the opponent's hand."""
    game = toy.load()
    env = OpponentEnv(game, seats=1, render_mode="ansi")
    env.reset(seed=0)
    assert env.render() == game.text(env._table.position, player=1) != game.text(env._table.position)
    envs = OpponentVectorEnv(game, 3, seats="both", seed=0, render_mode="ansi")
    envs.reset()
    states = envs._games.batch.states
    assert envs.render() == tuple(game.text(states[i], player=i % 2) for i in range(3))
    for silent in (OpponentEnv(game), OpponentVectorEnv(game, 2)):
        silent.reset()
        with pytest.warns(UserWarning, match="render_mode"):
            assert silent.render() is None


@pytest.mark.parametrize("kind", ["random", "agent", "search"])
def test_a_vector_tells_what_its_games_tell(game: Game, kind: str) -> None:
    """The numbers of the vector are those of the games that every single-agent adapter steps; tests/envs/test_sb3.py compares these with
    single games."""
    envs = OpponentVectorEnv(game, N, opponents(game)[kind])
    games = LearnerGames(game, N, opponents(game)[kind], seed=6, threads=1, seats="both")
    observations, infos = envs.reset(seed=6)
    games.reset(6)
    rng, ends = np.random.default_rng(0), 0
    for _ in range(120 if game.id != "toy-v0" else 40):
        assert observations in envs.observation_space and observations.dtype == np.int8
        np.testing.assert_array_equal(observations, games.batch.observations)
        np.testing.assert_array_equal(infos["action_mask"], games.batch.action_masks)
        np.testing.assert_array_equal(envs.action_masks(), games.batch.action_masks)
        assert infos["action_mask"].dtype == np.int8 and infos["seat"].tolist() == [0, 1] * (N // 2)
        actions = np.array([some(mask, rng) for mask in infos["action_mask"]])
        kept = observations, observations.copy()
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        np.testing.assert_array_equal(*kept)
        games.step(actions)
        np.testing.assert_array_equal(rewards, games.rewards)
        np.testing.assert_array_equal(terminated, games.terminated)
        np.testing.assert_array_equal(truncated, games.truncated)
        ended = terminated | truncated
        assert ("final_obs" in infos) == bool(ended.any()), "only where games ended"
        for i in np.flatnonzero(ended):
            np.testing.assert_array_equal(infos["final_obs"][i], games.final_observations[i])
            ends += 1
        if ended.any():
            np.testing.assert_array_equal(infos["_final_obs"], ended)
            assert all(infos["final_obs"][i] is None for i in np.flatnonzero(~ended))
    assert ends or game.id != "toy-v0"
    with pytest.raises(errors.OptionError, match="seed"):
        envs.reset(seed=[1] * N)  # type: ignore[arg-type]
    with pytest.raises(errors.OptionError, match="reset_mask"):
        envs.reset(options={"reset_mask": np.ones(N, bool)})
    envs.close()


def test_vectors_are_the_same_on_any_threads(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("react_env.engine.batch._SHARE", 1)

    def history(threads: int) -> list[bytes]:
        envs = OpponentVectorEnv(game, N, seed=1, threads=threads)
        (observations, infos), found = envs.reset(), []
        for _ in range(20):
            observations, rewards, *_, infos = envs.step(infos["action_mask"].argmax(axis=1))
            found.append(observations.tobytes() + rewards.tobytes())
        return found

    assert history(1) == history(2)


class AnyIdWillDo(OpponentEnv):
    """Gymnasium's check draws ids without the mask: take the first legal one in place of one that is not."""

    def step(self, action: int) -> Any:
        mask = self.action_masks()
        return super().step(action if mask[action] else int(mask.argmax()))


def test_gymnasium_finds_no_fault(game: Game) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(AnyIdWillDo(game, First(), render_mode="ansi"), skip_render_check=True)


@pytest.mark.parametrize("game_id", IDS)
def test_gymnasium_makes_them_by_id(game_id: str) -> None:
    options = DUEL if game_id == "arts_of_war-v0" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(IDS[game_id], opponent="greedy", seats=1, render_mode="ansi", **options)
        _, info = env.reset(seed=1)
        assert isinstance(env.render(), str)
        for _ in range(5):
            *_, info = env.step(env.action_space.sample(info["action_mask"]))
            assert info["action_mask"].any()
        assert env.get_wrapper_attr("action_masks")().dtype == np.bool_
        env.close()
        envs = gymnasium.make_vec(IDS[game_id], num_envs=4, opponent="greedy", threads=2, **options)
        assert isinstance(envs, OpponentVectorEnv) and envs.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
        envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
        _, infos = envs.reset(seed=1)
        for _ in range(60):
            _, _, terminated, truncated, infos = envs.step(infos["action_mask"].argmax(axis=1))
            assert ("episode" in infos) == bool((terminated | truncated).any())
        envs.close()
        mode = {"autoreset_mode": AutoresetMode.SAME_STEP}
        envs = gymnasium.make_vec(IDS[game_id], 2, vectorization_mode="sync", vector_kwargs=mode, **options)
        _, infos = envs.reset(seed=1)
        assert {"action_mask", "seat", "_action_mask", "_seat"} == set(infos)
        envs.close()
    with pytest.raises(errors.OptionError, match="max_trns"):
        gymnasium.make(IDS[game_id], max_trns=3)
    with pytest.raises(errors.OptionError, match="gredy"):
        gymnasium.make(IDS[game_id], opponent="gredy")


def test_an_import_is_all_that_the_ids_need() -> None:
    code = "import react_env, gymnasium, json; print(json.dumps([i for i in gymnasium.registry if 'react_env' in i]))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert json.loads(out) == list(IDS.values())
    assert len(IDS) == len(react_env.games()), "every game has an id"


def test_maskable_ppo_takes_the_single_environment() -> None:
    """Learning and the usual loop of its documentation, in which an action is an array without dimensions."""
    pytest.importorskip("sb3_contrib")
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.utils import get_action_masks

    env = OpponentEnv(toy.load(max_turns=6), First())
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=32, n_epochs=1, seed=0, device="cpu")
    model.learn(64)
    assert model.num_timesteps == 64
    observation, _ = env.reset(seed=0)
    for _ in range(3):
        action, _ = model.predict(observation, action_masks=get_action_masks(env))
        assert action.shape == () and not isinstance(action, np.integer)
        observation, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            break
