"""The VecEnv for stable-baselines3: what a learner is told, in both seats, against any opponent."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
from react_env.engine.batch import random_actions, seed_words
from react_env.engine.game import Game
from react_env.envs.learner import ADVICE
from react_env.envs.sb3 import SelfPlayVecEnv
from react_env.errors import BatchError, IllegalAction, OptionError, UnsupportedOption
from react_env.pixels import rgb_array
from tests import toy

N = 12


@pytest.fixture(autouse=True)
def small_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let even a few games be shared by threads."""
    monkeypatch.setattr("react_env.engine.batch._SHARE", 1)


class Uniform:
    """Any legal action, by the protocol of agents."""

    name = "uniform"

    def act(self, observations: Any, action_masks: Any, rng: np.random.Generator) -> Any:
        assert len(observations) == len(action_masks) > 0
        return np.argmax(action_masks * rng.random(action_masks.shape), axis=1)


class First:
    """The first legal action, by the protocol of search."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def act_states(self, states: Any, players: Any, rng: np.random.Generator) -> Any:
        assert all(self.game.to_play(state) == player for state, player in zip(states, players))
        return np.array([self.game.legal_actions(state)[0] for state in states])


OPPONENTS = ["random", "agent", "search", "mixed"]


def make(game: Game, kind: str = "random", **keywords: Any) -> SelfPlayVecEnv:
    opponents: dict[str, Any] = {"random": "random", "agent": Uniform(), "search": First(game)}
    opponent = list(opponents.values()) if kind == "mixed" else opponents[kind]
    return SelfPlayVecEnv(game, **{"num_envs": N, "opponent": opponent, "seed": 1, **keywords})


def steps(env: SelfPlayVecEnv, count: int, seed: int = 5) -> Any:
    """Random play of the learner: yield (observations, rewards, dones, infos) of each step."""
    words = seed_words(seed, env.num_envs)
    for _ in range(count):
        yield env.step(random_actions(env.env_method("action_masks"), words))


@pytest.mark.parametrize("kind", OPPONENTS)
def test_a_learner_is_told_the_truth(game: Game, kind: str) -> None:
    """At every step, observations, rewards and infos agree with the records of the environment's batch."""
    env = make(game, kind)
    observations = env.reset()
    assert observations.shape == (N, *game.observation_shape) and observations.dtype == np.int8
    seen: set[tuple[int, float, bool]] = set()
    lengths, returns = np.zeros(N, int), np.zeros(N)
    for observations, rewards, dones, infos in steps(env, 120 if game.id != "toy-v0" else 60):
        assert rewards.dtype == np.float32 and rewards.shape == (N,) and dones.dtype == np.bool_
        assert (observations >= env.observation_space.low).all() and (observations <= env.observation_space.high).all()
        assert (env.batch.to_play == env.seats).all(), "it is always the learner's turn"
        lengths += 1
        returns += rewards
        for i in range(N):
            state = env.batch.states[i]
            np.testing.assert_array_equal(observations[i], game.observe(state, int(env.seats[i])))
            if not dones[i]:
                assert infos[i] == {} and rewards[i] == 0
                continue
            info = infos[i]
            assert set(info) == {"terminal_observation", "TimeLimit.truncated", "episode", "opponent"}
            assert info["opponent"] == (i // game.num_players % 3 if kind == "mixed" else 0)
            assert info["terminal_observation"] in env.observation_space
            assert (info["episode"]["r"], info["episode"]["l"]) == (returns[i], lengths[i])
            assert not (info["TimeLimit.truncated"] and rewards[i])
            seen.add((int(env.seats[i]), float(rewards[i]), info["TimeLimit.truncated"]))
            lengths[i] = returns[i] = 0
    if kind == "random":
        assert seen
    if game.id == "toy-v0" and game.options["max_turns"] == 30 and kind in ("random", "agent"):
        assert {(seat, reward) for seat, reward, _ in seen} >= {(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)}
    if game.options.get("max_turns") == 6:
        assert {(seat, cut) for seat, _, cut in seen} >= {(0, True), (1, True)}


def test_whom_a_game_was_against(game: Game) -> None:
    """A game in which the opponent changed counts for nobody; if only the number of the same agent changed, it counts for that agent."""
    one, other = Uniform(), Uniform()
    env = SelfPlayVecEnv(game, N, [one, other], seed=1)
    env.reset()
    list(steps(env, 2))
    changed = np.arange(N) % 3 == 0
    now = np.where(changed, env._games.assigned, 1 - env._games.assigned)
    env.set_opponents([other, one], now)
    told: list[list[int]] = [[] for _ in range(N)]
    for *_, infos in steps(env, 300):
        for i, info in enumerate(infos):
            told[i] += [info["opponent"]] if info else []
    assert sum(map(len, told)) > N
    for i, found in enumerate(told):
        expected = [-1 if changed[i] else now[i], *[now[i]] * len(found)]
        assert found == expected[: len(found)]
    env.reset()
    env.set_opponents([other, one], 1 - now)
    env.reset()
    assert {info["opponent"] for *_, infos in steps(env, 300) for info in infos if info} == {0, 1}


@pytest.mark.parametrize("kind", OPPONENTS)
def test_terminal_observations_are_those_of_the_final_states(game: Game, kind: str) -> None:
    """Where the learner's action ends the game, a single game that takes it has the same observation, reward and cut."""
    env = make(game, kind, num_envs=4)
    env.reset()
    words = seed_words(9, 4)
    ends = 0
    for _ in range(260 if game.id != "toy-v0" else 60):
        states = [game.copy(state) for state in env.batch.states]
        actions = random_actions(env.action_masks(), words)
        _, rewards, dones, infos = env.step(actions)
        for i in np.flatnonzero(dones):
            state = states[i]
            game.step(state, int(actions[i]))
            if state["over"]:  # ends by an opponent's action are compared in test_batch
                ends += 1
                seat = int(env.seats[i])
                np.testing.assert_array_equal(infos[i]["terminal_observation"], game.observe(state, seat))
                assert rewards[i] == game.rewards(state)[seat]
                assert infos[i]["TimeLimit.truncated"] == game.truncated(state)
    assert ends or game.id != "toy-v0"


def test_both_ways_to_play_at_random_agree(game: Game) -> None:
    """The compiled step against random and the rounds for agents, with the same random choices."""

    def history(env: SelfPlayVecEnv) -> list[Any]:
        found: list[Any] = [env.reset()]
        for observations, rewards, dones, infos in steps(env, 120):
            for info in infos:
                info.get("episode", {}).pop("t", None)
            found.append((observations.tobytes(), rewards.tobytes(), dones.tobytes(), str(infos)))
        return found

    compiled, rounds = make(game), make(game)
    rounds._games._all_random = False
    first, second = history(compiled), history(rounds)
    np.testing.assert_array_equal(first[0], second[0])
    assert first[1:] == second[1:]
    two_threads = history(make(game, threads=2))
    assert first[1:] == two_threads[1:]


@pytest.mark.parametrize("kind", OPPONENTS)
def test_seeds_and_threads(game: Game, kind: str) -> None:
    def rewards(env: SelfPlayVecEnv) -> list[bytes]:
        return [env.reset().tobytes(), *(step[0].tobytes() + step[1].tobytes() for step in steps(env, 30))]

    env = make(game, kind, seed=3)
    first = rewards(env)
    assert first == rewards(make(game, kind, seed=3, threads=2))
    assert first != rewards(env), "a reset without a seed goes on to other games"
    env.seed(8)
    second = rewards(env)
    env.seed(8)
    assert second == rewards(env)


def test_a_seed_that_is_no_integer(game: Game) -> None:
    env = make(game)
    env.seed(1.5)  # type: ignore[arg-type]  # stable-baselines3 itself checks nothing
    with pytest.raises(OptionError, match="a seed is an integer, not 1.5"):
        env.reset()
    env.seed(2)
    env.reset()


def test_results_are_new_arrays(game: Game) -> None:
    env = make(game)
    kept = env.reset()
    copy = kept.copy()
    masks = env.env_method("action_masks")
    results = list(steps(env, 3))
    np.testing.assert_array_equal(kept, copy)
    assert results[0][0] is not results[1][0] and not np.shares_memory(results[0][1], results[1][1])
    assert not np.shares_memory(masks, env.batch.action_masks)


def test_infos_that_somebody_writes_into(game: Game) -> None:
    env = make(game)
    env.reset()
    _, _, _, infos = next(steps(env, 1))
    infos[0]["mine"] = 1
    *_, (_, _, dones, infos) = steps(env, 2)
    assert all(info == {} for info, done in zip(infos, dones) if not done)
    assert len({id(info) for info in infos}) == N


@pytest.mark.parametrize("seat", [0, 1])
def test_one_seat(game: Game, seat: int) -> None:
    env = make(game, seats=seat)
    env.reset()
    assert (env.seats == seat).all()
    for _ in steps(env, 10):
        assert (env.batch.to_play == seat).all()


def test_opponents_change_between_steps() -> None:
    game = toy.load()
    env = make(game)
    env.reset()
    list(steps(env, 3))
    calls = []

    class Named(Uniform):
        def __init__(self, name: str) -> None:
            self.name = name

        def act(self, observations: Any, action_masks: Any, rng: np.random.Generator) -> Any:
            calls.append(self.name)
            return super().act(observations, action_masks, rng)

    env.set_opponents([Named("a"), Named("b"), "random"], np.full(N, 1))
    list(steps(env, 5))
    assert set(calls) == {"b"}
    env.set_opponents([Named("a"), Named("b")])
    assert env._games.assigned.tolist() == [0, 0, 1, 1] * 3, "each meets both seats"
    list(steps(env, 5))
    assert set(calls) == {"a", "b"}
    env.set_opponents(["random", "greedy"])
    assert env._games._opponents[1].name == "greedy"
    for opponents, assignment in (
        ([], None),
        (["nobody"], None),
        ([object()], None),
        (["random"], [1] * N),
        (["random"], [0]),
    ):
        with pytest.raises(OptionError):
            env.set_opponents(opponents, assignment)


def test_what_is_written_into_an_info_is_in_no_other() -> None:
    """Past bug: games that went on had the same dict at every step."""
    env = make(toy.load())
    env.reset()
    first, second = (infos for *_, infos in steps(env, 2))
    assert not {id(info) for info in first} & {id(info) for info in second}


def test_an_illegal_action_changes_nothing(game: Game) -> None:
    for kind in ("random", "agent"):
        env = make(game, kind)
        env.reset()
        before = env.batch.states.tobytes()
        actions = np.argmax(env.action_masks(), axis=1)
        actions[5] = int(np.argmin(env.action_masks()[5]))
        with pytest.raises(IllegalAction, match="game 5") as caught:
            env.step(actions)
        assert caught.value.__notes__ == [ADVICE]
        with pytest.raises(BatchError):
            env.step(actions[:-1])
        assert env.batch.states.tobytes() == before


@pytest.mark.parametrize("kind", ["random", "agent"])
def test_an_illegal_action_loses_where_that_is_asked(game: Game, kind: str) -> None:
    env = make(game, kind, illegal="lose")
    before = env.reset()
    actions = np.argmax(env.action_masks(), axis=1)
    wrong = np.isin(np.arange(N), [2, 5, 6])
    actions[wrong] = int(np.argmin(env.action_masks()[2])), -1, game.num_actions
    states = env.batch.states.copy()
    observations, rewards, dones, infos = env.step(actions)
    assert all(env.batch.states[i].tobytes() != states[i].tobytes() for i in np.flatnonzero(wrong)), "other games"
    assert (rewards[wrong] == -1).all() and dones[wrong].all()
    for i in np.flatnonzero(wrong):
        np.testing.assert_array_equal(infos[i]["terminal_observation"], before[i])
        assert infos[i]["episode"]["r"] == -1 and infos[i]["episode"]["l"] == 1 and infos[i]["opponent"] == 0
        assert not infos[i]["TimeLimit.truncated"]
    assert (env.batch.to_play == env.seats).all()
    np.testing.assert_array_equal(observations, env.batch.observations)
    env.set_opponents([Uniform()])
    for opponent in (-1, 0):  # nobody's game, because the opponent changed during it, and then the next one
        *_, infos = env.step(np.full(N, -1))
        assert {info["opponent"] for info in infos} == {opponent}
    with pytest.raises(BatchError, match="actions cannot be read as an array"):  # past bug: NumPy's ValueError
        env.step([[0], [0, 1]])
    with pytest.raises(OptionError, match="illegal"):
        make(game, illegal="ignore")


def test_what_stable_baselines_asks() -> None:
    from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecMonitor

    env = make(toy.load())
    env.reset()
    assert is_masking_supported(env)
    np.testing.assert_array_equal(get_action_masks(env), env.batch.action_masks)
    assert env.env_method("action_masks", indices=[1, 3]).shape == (2, 6)
    assert env.get_attr("render_mode", indices=0) == [None]
    assert not env.has_attr("no_such_thing")
    with pytest.raises(AttributeError):
        env.env_method("no_such_thing")
    with pytest.raises(OptionError):
        env.set_attr("render_mode", "x", indices=[0])
    assert env.env_is_wrapped(Monitor) == [True] * N and env.env_is_wrapped(VecMonitor, indices=2) == [False]
    assert env.seed(3) == list(range(3, 3 + N))
    env.set_options({"seat": 1})  # past bug: ignored without a word
    with pytest.raises(UnsupportedOption, match="unknown option 'seat'.* of reset; known: none"):
        env.reset()
    env.set_options()
    env.reset()
    with pytest.raises(OptionError, match="seats"):
        make(toy.load(), seats=2)
    env.close()


def test_a_picture_shows_what_the_learner_sees() -> None:
    """Past bug: VecVideoRecorder could not film it, because `render_mode` and `get_images` were missing."""
    pytest.importorskip("PIL")
    game = toy.load()
    env = make(game, num_envs=2, render_mode="rgb_array")
    assert env.metadata == {"render_modes": ["human", "rgb_array"], "render_fps": 1}
    env.reset()
    one, other = (rgb_array(game.svg(env.batch.states[seat], player=seat)) for seat in (0, 1))
    np.testing.assert_array_equal(env.render(), np.concatenate([one, other]))
    with pytest.raises(OptionError, match="render_mode must be 'rgb_array' or None, not 'ansi'"):
        make(game, render_mode="ansi")


def test_maskable_ppo_learns_a_little() -> None:
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.evaluation import evaluate_policy

    env = make(toy.load(max_turns=6), "mixed", num_envs=16)
    model = MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=64, n_epochs=1, seed=0, device="cpu")
    model.learn(512)
    assert model.num_timesteps == 512 and model.ep_info_buffer
    mean, _ = evaluate_policy(model, make(toy.load()), n_eval_episodes=20)
    assert -1 <= mean <= 1
