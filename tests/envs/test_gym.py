"""Gymnasium: what one agent is told against an opponent, alone and in a vector, and the results of Gymnasium's own checks."""

import json
import subprocess
import sys
import warnings
from functools import partial
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
from react_env.envs.learner import ADVICE, LearnerGames
from tests import toy

N = 12
IDS = {
    "arts_of_war-v0": "react_env/ArtsOfWar-v0",
    "fight_sequence-v0": "react_env/FightSequence-v0",
    "react_fast-v0": "react_env/ReactFast-v0",
    "reality_tcg-v0": "react_env/RealityTcg-v0",
}
DUEL = {"artists": ("calligrapher", "dancer")}


class First:
    """Takes the first legal action, by the protocol of agents, and remembers what it saw."""

    def __init__(self) -> None:
        self.seen: list[tuple[Any, Any]] = []

    def act(self, observations: Any, action_masks: Any, rng: np.random.Generator) -> Any:
        assert len(observations) == len(action_masks) > 0 and action_masks.dtype == np.bool_
        self.seen += [(observation.copy(), mask.copy()) for observation, mask in zip(observations, action_masks)]
        return action_masks.argmax(axis=1)


class FirstOfStates:
    """The same by the protocol of search; it overwrites the records that it is given."""

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
    """Whole games are played again in PettingZoo from the same seed: the agent has the same decisions, and the result is the same."""
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


def test_seeds_one_after_the_other_bring_every_seat(game: Game) -> None:
    """Past bug: each reset with a seed put the agent into seat 0."""
    env, players = OpponentEnv(game), game.num_players
    assert [env.reset(seed=seed)[1]["seat"] for seed in range(8)] == [seed % players for seed in range(8)]
    assert [env.reset()[1]["seat"] for _ in range(8)] == [(7 + n) % players for n in range(1, 9)]
    assert OpponentEnv(game, seats=1).reset(seed=4)[1]["seat"] == 1


def test_a_reset_can_name_the_seat(game: Game) -> None:
    """Only for that game; the next games get their seats as usual."""
    for seats in ("both", 0):
        env = OpponentEnv(game, seats=seats)
        told = [env.reset(seed=2, options={"seat": 1}), env.reset(options={}), env.reset(options={"seat": None})]
        expected = [1, 3 % game.num_players, 4 % game.num_players] if seats == "both" else [1, 0, 0]
        assert [info["seat"] for _, info in told] == expected
        for wrong in (game.num_players, -1, "both", True, 0.0):
            with pytest.raises(errors.OptionError, match=r"options: seat must be a player from 0 to"):
                env.reset(options={"seat": wrong})
        with pytest.raises(errors.UnsupportedOption, match="reset: unknown option 'seats'; known: seat"):
            env.reset(options={"seats": 1})
    with pytest.raises(errors.UnsupportedOption, match="reset: unknown option 'seat'; known: reset_mask"):
        OpponentVectorEnv(game, 2).reset(options={"seat": 1})


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
    wrong: list[dict[str, Any]] = [
        {"seats": game.num_players},
        {"seats": True},
        {"opponent": object()},
        {"render_mode": "rgb"},
        {"illegal": "no"},
        {"observation": "list"},
        {"dtype": "uint8"},
        {"dtype": "nonsense"},
    ]
    vector = (
        {"autoreset_mode": "never"},
        {"max_episode_steps": 0},
        {"max_episode_steps": "5"},
        {"seed": 1.0},
        {"seed": True},
    )
    for keywords in vector:
        with pytest.raises(errors.OptionError, match=next(iter(keywords))):
            OpponentVectorEnv(game, 2, **keywords)  # type: ignore[arg-type]
    for keywords in wrong:
        with pytest.raises(errors.OptionError):
            OpponentEnv(game, **keywords)
        with pytest.raises(errors.OptionError):
            OpponentVectorEnv(game, 2, **keywords)
    for count in (0, -1, 2.5, "3"):
        with pytest.raises(errors.BatchError, match="num_envs must be an integer"):
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
    vector = OpponentVectorEnv(game, 1, seed=0)
    _, infos = vector.reset()
    for one, action in ((env, int(info["action_mask"].argmin())), (vector, infos["action_mask"].argmin(axis=1))):
        with pytest.raises(errors.IllegalAction) as caught:
            one.step(action)  # type: ignore[attr-defined]
        assert caught.value.__notes__ == [ADVICE]  # algorithms without masks run into this

    class Wrong(First):
        def act(self, observations: Any, action_masks: Any, rng: np.random.Generator) -> Any:
            return action_masks.argmin(axis=1)

    env = OpponentEnv(game, Wrong(), seats=0)
    with pytest.raises(errors.IllegalAction, match="^the opponent, Wrong, chose") as caught:
        _, info = env.reset(seed=0)
        for _ in range(50):
            *_, info = env.step(int(info["action_mask"].argmax()))
    assert not hasattr(caught.value, "__notes__")


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


def test_of_two_games_that_end_within_a_step_the_first_is_told() -> None:
    """The agent had no choice in the second one."""
    games = LearnerGames(toy.load(max_turns=(1, 30)), 64, First(), seed=1, threads=1, seats="both")
    games.ready()
    ends: dict[int, list[tuple[bool, float]]] = {}
    batch, step = games.batch, games.batch.step

    def watched(actions: Any, where: Any = None) -> None:
        step(actions, where)
        for i in np.flatnonzero(batch.terminated | batch.truncated).tolist():
            ends.setdefault(i, []).append((bool(batch.truncated[i]), float(batch.rewards[i, games.seats[i]])))

    batch.step = watched  # type: ignore[method-assign]
    seen = set()
    for _ in range(40):
        ends.clear()
        games.step(batch.action_masks.argmax(1))
        for i in range(64):
            assert (bool(games.truncated[i]), float(games.rewards[i])) == ends.get(i, [(False, 0.0)])[0]
            assert games.terminated[i] == (i in ends and not ends[i][0][0])
        seen |= {tuple(found) for found in ends.values()}
    assert any(len(found) > 1 and found[0] != found[1] for found in seen)


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
    """The numbers are those of `LearnerGames`, which single-agent adapters step; tests/envs/test_sb3.py compares it with single games."""
    envs = OpponentVectorEnv(game, N, opponents(game)[kind], autoreset_mode=AutoresetMode.SAME_STEP)
    games = LearnerGames(game, N, opponents(game)[kind], seed=6, threads=1, seats="both")
    observations, infos = envs.reset(seed=6)
    games.reset(range(6, 6 + N))
    rng, ends = np.random.default_rng(0), 0
    for _ in range(120 if game.id != "toy-v0" else 40):
        assert observations in envs.observation_space and observations.dtype == np.int8
        np.testing.assert_array_equal(observations, games.batch.observations)
        np.testing.assert_array_equal(infos["action_mask"], games.batch.action_masks)
        np.testing.assert_array_equal(envs.action_masks(), games.batch.action_masks)
        assert infos["action_mask"].dtype == np.int8 and infos["seat"].tolist() == [
            i % game.num_players for i in range(N)
        ]
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
    for seeds in ([1] * (N - 1), [0.5] * N, "1" * N, 1.5, True):
        with pytest.raises(errors.OptionError, match="seed"):
            envs.reset(seed=seeds)  # type: ignore[arg-type]
    for mask in (np.ones(N), np.ones(N - 1, bool), True):
        with pytest.raises(errors.OptionError, match="reset_mask"):
            envs.reset(options={"reset_mask": mask})
    envs.close()


@pytest.mark.parametrize("kind", ["random", "agent"])
@pytest.mark.parametrize("limit", [None, 4])
def test_when_a_finished_game_starts_again(game: Game, kind: str, limit: int | None) -> None:
    """The games are the same in all modes: what SAME_STEP tells in one step, the others tell in two."""
    keywords: dict[str, Any] = {"seed": 2, "max_episode_steps": limit}
    same, following, disabled = (
        OpponentVectorEnv(game, N, opponents(game)[kind], autoreset_mode=mode.value, **keywords)
        for mode in (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED)
    )
    if game.id != "toy-v0" and limit is None:
        pytest.skip("long games; the toy has the same ends")
    assert same.autoreset_mode is same.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    histories: list[list[list[Any]]] = []
    for envs in (same, following, disabled):
        found: list[list[Any]] = [[] for _ in range(N)]
        (observations, infos), over = envs.reset(), np.zeros(N, bool)
        for _ in range(24):
            if envs is disabled and over.any():
                with pytest.raises(errors.GameOver, match=f"game {over.argmax()}"):
                    envs.step(np.zeros(N, int))
                observations, infos = envs.reset(options={"reset_mask": over})
                over[:] = False
            assert (infos["action_mask"].all(axis=1) >= over).all(), "any action will do for a game that is over"
            np.testing.assert_array_equal(envs.action_masks(), infos["action_mask"])
            before = observations
            observations, rewards, terminated, truncated, infos = envs.step(infos["action_mask"].argmax(axis=1))
            ended = terminated | truncated
            for i in range(N):
                seen = infos["final_obs"][i] if envs is same and ended[i] else observations[i]
                if envs is following and over[i]:
                    assert not ended[i] and rewards[i] == 0
                    continue
                found[i].append((before[i].tobytes(), seen.tobytes(), float(rewards[i]), terminated[i], truncated[i]))
            assert ("final_obs" in infos) == ("final_info" in infos) == (envs is same and bool(ended.any()))
            if "final_info" in infos:
                told = infos["final_info"]
                assert told["action_mask"][ended].all() and not told["action_mask"][~ended].any()
                np.testing.assert_array_equal(told["seat"][ended], infos["seat"][ended])
                assert (infos["_final_info"] == ended).all() and (told["_seat"] == ended).all()
            over = ended & (envs is not same)
        histories.append(found)
    assert histories[0] == histories[2]
    for whole, part in zip(histories[0], histories[1]):
        assert whole[: len(part)] == part and len(part) >= 12
    cut = [step for found in histories[0] for step in found if step[-1]]
    assert limit is None or cut
    with pytest.raises(errors.BatchError):
        following.step(np.zeros(N - 1, int))


class Interrupted:
    """An opponent that Ctrl-C interrupts once; after that it answers as it is told."""

    name = "interrupted"

    def __init__(self) -> None:
        self.once, self.answer = True, lambda masks: masks.argmax(axis=1)

    def act(self, observations: Any, action_masks: Any, rng: np.random.Generator) -> Any:
        if self.once:
            self.once = False
            raise KeyboardInterrupt
        return self.answer(action_masks)


def test_after_an_interrupted_opponent_nobody_plays_its_move(game: Game) -> None:
    vector = OpponentVectorEnv(game, N, Interrupted(), seats=0, seed=1)
    single = OpponentEnv(game, Interrupted(), seats=0)
    for env in (vector, single):
        try:
            env.reset(seed=1)
            while True:
                masks = env.action_masks()
                env.step(masks.argmax(axis=-1) if env is vector else int(masks.argmax()))
        except KeyboardInterrupt:
            pass
        with pytest.raises(errors.StateError, match="reset"):
            masks = env.action_masks()
            env.step(masks.argmax(axis=-1) if env is vector else int(masks.argmax()))
        env.reset(seed=1)
        masks = env.action_masks()
        env.step(masks.argmax(axis=-1) if env is vector else int(masks.argmax()))
    vector.close()


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (lambda masks: masks.argmax(axis=1) + 0.9, errors.BatchError, "interrupted, must choose integers"),
        (lambda masks: masks.argmax(axis=1)[:, None], errors.BatchError, "must choose integers"),
        (lambda masks: None, errors.BatchError, "must choose integers"),
        (lambda masks: [[0], [0, 1]], errors.BatchError, "interrupted, chose cannot be read as an array"),
        (lambda masks: masks.argmin(axis=1), errors.IllegalAction, "interrupted, chose an illegal action: game"),
    ],
)
def test_an_opponent_that_answers_nonsense_is_named(answer: Any, error: Any, message: str) -> None:
    opponent = Interrupted()
    opponent.once, opponent.answer = False, answer
    with pytest.raises(error, match=message):
        envs = OpponentVectorEnv(toy.load(), N, opponent, seats=1, seed=1)
        envs.reset()
        envs.step(envs.action_masks().argmax(axis=1))


@pytest.mark.parametrize(
    "answer", [lambda masks: int(masks.argmax()), lambda masks: masks[0].argmax(), lambda masks: None]
)
def test_an_opponent_of_a_single_game_gives_an_array_too(answer: Any) -> None:
    """Past bug: a plain number led to "cannot unpack non-iterable int", sometimes in the middle of a game."""
    opponent = Interrupted()
    opponent.once, opponent.answer = False, answer
    env = OpponentEnv(toy.load(), opponent, seats=1)
    with pytest.raises(errors.BatchError, match=r"interrupted, must choose integers \(1,\), not"):
        for seed in range(20):
            env.reset(seed=seed)
            env.step(int(env.action_masks().argmax()))
    for one in (OpponentEnv, partial(OpponentVectorEnv, num_envs=N)):
        with pytest.raises(errors.OptionError, match="Interrupted is a class: give an agent of it"):
            one(toy.load(), opponent=Interrupted)  # type: ignore[operator]


def test_words_of_the_environment_are_told_with_those_of_the_game() -> None:
    for make in (gymnasium.make, partial(gymnasium.make_vec, num_envs=2)):
        with pytest.raises(TypeError, match="artists, edition.*of the environment: opponent, render_mode, seats"):
            make("react_env/ArtsOfWar-v0", seat=0)  # type: ignore[operator]


def test_no_actions_are_no_step() -> None:
    envs = OpponentVectorEnv(toy.load(), N, seed=1)
    envs.reset()
    with pytest.raises(errors.BatchError, match="not None"):
        envs.step(None)  # type: ignore[arg-type]


def test_a_vector_cut_short_is_as_games_with_gymnasiums_limit() -> None:
    """Against an opponent without random numbers, TimeLimit around single games gives the same as the vector's own limit."""
    game, steps = toy.load(), 5
    envs = OpponentVectorEnv(game, 4, First(), seats=1, max_episode_steps=steps, autoreset_mode="SameStep")
    seeds = [3, 8, None, 3]
    observations, infos = envs.reset(seed=seeds)
    np.testing.assert_array_equal(observations[0], observations[3])
    singles = [gymnasium.wrappers.TimeLimit(OpponentEnv(game, First(), seats=1), steps) for _ in range(2)]
    over = [False, False]
    for single, seed, seen in zip(singles, seeds, observations):
        np.testing.assert_array_equal(single.reset(seed=seed)[0], seen)
    for _ in range(steps):
        actions = infos["action_mask"].argmax(axis=1)
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        for i, single in enumerate(singles):
            if not over[i]:
                seen, *told, _ = single.step(int(actions[i]))
                assert told == [rewards[i], terminated[i], truncated[i]]
                over[i] = bool(terminated[i] or truncated[i])
                np.testing.assert_array_equal(seen, infos["final_obs"][i] if over[i] else observations[i])
    assert all(over)
    single, length, ended = OpponentEnv(game, First(), seats=1), 0, False
    single.reset(seed=3)
    while not ended:
        last, _, ended, _, _ = single.step(int(single.action_masks().argmax()))
        length += 1
    limited = OpponentVectorEnv(game, 1, First(), seats=1, max_episode_steps=length)
    limited.reset(seed=[3])
    for step in range(length):
        (seen,), _, terminated, truncated, _ = limited.step(limited.action_masks().argmax(axis=1))
        assert [*terminated, *truncated] == [step == length - 1] * 2, "both, as Gymnasium's limit says it"
    np.testing.assert_array_equal(seen, last)
    first, second = (envs.reset(seed=[None] * 4)[0].tobytes() for _ in range(2))
    assert first != second
    assert envs.reset(seed=[1, 2, 3, None])[0].tobytes() == envs.reset(seed=(1, 2, 3, None))[0].tobytes()
    assert envs.reset(seed=[1, 2, 3, 4])[0].tobytes() == envs.reset(seed=np.arange(1, 5))[0].tobytes()  # type: ignore[arg-type]


def test_one_seed_is_that_of_the_first_game(game: Game) -> None:
    """As in Gymnasium's own vector of single games. Past bug: with a mask of all games the vector dealt other games than without one."""
    envs = OpponentVectorEnv(game, 3, First(), seats=1, seed=7)
    singles = gymnasium.vector.SyncVectorEnv([lambda: OpponentEnv(game, First(), seats=1)] * 3)
    first, infos = singles.reset(seed=7)
    everything = {"options": {"reset_mask": np.ones(3, bool)}}
    for keywords in ({}, {"seed": 7}, {"seed": 7, **everything}):
        seen, told = envs.reset(**keywords)
        np.testing.assert_array_equal(seen, first)
        np.testing.assert_array_equal(told["action_mask"], infos["action_mask"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # past bug: the seed of the third game overflowed to 0
        np.testing.assert_array_equal(envs.reset(seed=np.uint8(254))[0], envs.reset(seed=254)[0])
    assert envs.reset()[0].tobytes() != first.tobytes(), "without a seed it goes on to other games"


def test_a_vector_by_id_takes_a_seed() -> None:
    first, second = (gymnasium.make_vec("react_env/FightSequence-v0", 2, seed=7).reset()[0] for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_a_typing_error_is_told_with_what_is_meant() -> None:
    for make in (gymnasium.make, partial(gymnasium.make_vec, num_envs=2)):
        with pytest.raises(errors.UnsupportedOption, match="of the environment: .*; did you mean 'opponent'?"):
            make("react_env/ArtsOfWar-v0", oponent="hard")  # type: ignore[operator]
        with pytest.raises(errors.UnsupportedOption, match="; did you mean 'artists'") as told:
            make("react_env/ArtsOfWar-v0", artist="random")  # type: ignore[operator]
        assert str(told.value).count("did you mean") == 1


def test_nothing_is_shown_before_a_reset(game: Game) -> None:
    """Past bug: it raised "field to_play: impossible value", or showed an empty board."""
    with pytest.raises(errors.GameOver, match=r"call reset\(\)"):
        OpponentEnv(game, render_mode="ansi").render()


def test_nothing_is_played_before_a_reset(game: Game) -> None:
    """Past bug: a vector played on from a seed that nobody had given."""
    envs = OpponentVectorEnv(game, 2, seed=1)
    for early in (envs.action_masks, lambda: envs.step(np.zeros(2, np.int64))):
        with pytest.raises(errors.GameOver, match=r"call reset\(\)"):
            early()
    envs.reset()
    envs.step(envs.action_masks().argmax(1))


def test_only_the_games_of_the_mask_are_reset(game: Game) -> None:
    envs = OpponentVectorEnv(game, 4, seed=1)
    observations, infos = envs.reset()
    for _ in range(3):
        observations, *_, infos = envs.step(infos["action_mask"].argmax(axis=1))
    mask = np.array([True, False, True, False])
    after, infos = envs.reset(seed=7, options={"reset_mask": mask})
    np.testing.assert_array_equal(after[~mask], observations[~mask])
    another, _ = envs.reset(options={"reset_mask": mask})
    np.testing.assert_array_equal(another[~mask], observations[~mask])
    assert all(another[i].tobytes() != after[i].tobytes() for i in np.flatnonzero(mask))
    listed, _ = envs.reset(seed=[7, None, 9, None])
    np.testing.assert_array_equal(after[mask], listed[mask])


@pytest.mark.parametrize("kind", ["random", "agent"])
def test_an_illegal_action_loses_where_that_is_asked(game: Game, kind: str) -> None:
    """In a vector only the games with illegal actions end; the others go on undisturbed."""
    keywords: dict[str, Any] = {"seed": 5, "autoreset_mode": "SameStep"}
    envs = OpponentVectorEnv(game, N, opponents(game)[kind], illegal="lose", **keywords)
    strict = OpponentVectorEnv(game, N, opponents(game)[kind], **keywords)
    seen, infos = envs.reset()
    strict.reset()
    wrong = np.isin(np.arange(N), [0, 3, 7])
    for step in range(8):
        actions, right = (one.action_masks().argmax(axis=1) for one in (envs, strict))
        if step == 4:
            actions[wrong] = infos["action_mask"][0].argmin(), -1, game.num_actions
            with pytest.raises(errors.IllegalAction, match="game 0"):
                strict.step(actions)
        before = seen
        seen, rewards, terminated, truncated, infos = envs.step(actions)
        others, expected, *_ = strict.step(right)
        np.testing.assert_array_equal(seen[~wrong], others[~wrong])
        np.testing.assert_array_equal(rewards[~wrong], expected[~wrong])
        if step == 4:
            assert (rewards[wrong] == -1).all() and terminated[wrong].all() and not truncated[wrong].any()
            for i in np.flatnonzero(wrong):
                np.testing.assert_array_equal(infos["final_obs"][i], before[i])
    everything = envs.step(np.full(N, -1))
    assert (everything[1] == -1).all() and everything[2].all()
    with pytest.raises(errors.BatchError):
        envs.step(np.zeros(N))

    env = OpponentEnv(game, First(), seats=1, illegal="lose")
    seen, info = env.reset(seed=1)
    *_, info = env.step(int(info["action_mask"].argmax()))
    seen, reward, terminated, truncated, info = env.step(int(info["action_mask"].argmin()))
    assert (reward, terminated, truncated) == (-1.0, True, False) and info["action_mask"].all()
    with pytest.raises(errors.GameOver):
        env.step(0)
    with pytest.raises(errors.IllegalAction):
        env.reset(seed=1)
        env.step(0.5)  # type: ignore[arg-type]

    class Wrong(First):
        def act(self, observations: Any, action_masks: Any, rng: np.random.Generator) -> Any:
            return action_masks.argmin(axis=1)

    env = OpponentEnv(game, Wrong(), seats=0, illegal="lose")
    with pytest.raises(errors.IllegalAction, match="opponent"):
        _, info = env.reset(seed=0)
        for _ in range(50):
            *_, info = env.step(int(info["action_mask"].argmax()))


@pytest.mark.parametrize("dtype", ["int8", np.float32])
def test_forms_of_observations(game: Game, dtype: Any) -> None:
    keywords: dict[str, Any] = {"observation": "dict", "dtype": dtype}
    plain, env = OpponentEnv(game, First()), OpponentEnv(game, First(), **keywords)
    assert list(env.observation_space) == ["action_mask", "observations"]  # type: ignore[call-overload]
    (seen, info), (other, _) = plain.reset(seed=1), env.reset(seed=1)
    for _ in range(2):
        assert other in env.observation_space and other["observations"].dtype == dtype
        np.testing.assert_array_equal(seen, other["observations"])
        np.testing.assert_array_equal(info["action_mask"], other["action_mask"])
        action = int(info["action_mask"].argmax())
        (seen, *_, info), (other, *_) = plain.step(action), env.step(action)
    envs = OpponentVectorEnv(game, 3, seed=1, autoreset_mode="SameStep", max_episode_steps=2, **keywords)
    seen, infos = envs.reset()
    for _ in range(2):
        assert seen in envs.observation_space and seen["observations"].dtype == dtype
        np.testing.assert_array_equal(seen["action_mask"], infos["action_mask"])
        assert not np.shares_memory(seen["action_mask"], infos["action_mask"])
        seen, *_, infos = envs.step(infos["action_mask"].argmax(axis=1))
    assert all(final in envs.single_observation_space for final in infos["final_obs"])
    assert type(envs.single_action_space.n) is type(env.action_space.n) is int  # type: ignore[attr-defined]


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


@pytest.mark.parametrize("keywords", [{}, {"observation": "dict", "dtype": "float32"}], ids=str)
def test_gymnasium_finds_no_fault(game: Game, keywords: dict[str, Any]) -> None:
    """Gymnasium's check draws actions without the mask."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = OpponentEnv(game, First(), render_mode="ansi", illegal="lose", **keywords)
        check_env(env, skip_render_check=True)


WRAPPERS: dict[str, Any] = {
    "RecordEpisodeStatistics": {},
    "NormalizeObservation": {},
    "NormalizeReward": {},
    "ClipReward": {"min_reward": 0, "max_reward": 1},
    "DtypeObservation": {"dtype": np.float64},
    "FlattenObservation": {},
    "TransformReward": {"func": lambda rewards: rewards * 2},
    "DictInfoToList": {},
    "NumpyToTorch": {},
}


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("name", WRAPPERS)
def test_gymnasiums_vector_wrappers(name: str, mode: AutoresetMode) -> None:
    if name == "NumpyToTorch":
        pytest.importorskip("torch")
        pytest.importorskip("array_api_compat")
        if mode is AutoresetMode.SAME_STEP:
            pytest.skip("it cannot convert the objects of final_obs, those of Gymnasium's own vectors neither")
    game = toy.load(max_turns=6)
    plain = OpponentVectorEnv(game, 4, seed=1, illegal="lose", autoreset_mode=mode)
    refused = {AutoresetMode.SAME_STEP} if name.endswith("Observation") else set()
    if mode in refused or (name == "NormalizeObservation" and mode is AutoresetMode.DISABLED):
        with pytest.raises((ValueError, AssertionError)):  # before 1.4, Gymnasium asserts without a text
            getattr(gymnasium.wrappers.vector, name)(plain, **WRAPPERS[name])
        return
    wrapped = getattr(gymnasium.wrappers.vector, name)(plain, **WRAPPERS[name])
    wrapped.reset(seed=1)
    ends = 0
    for _ in range(30):
        actions = plain.action_masks().argmax(axis=1)
        if name == "NumpyToTorch":
            import torch

            actions = torch.as_tensor(actions)
        *_, terminated, truncated, _ = wrapped.step(actions)
        over = np.asarray(terminated) | np.asarray(truncated)
        ends += int(over.sum())
        if mode is AutoresetMode.DISABLED and over.any():
            wrapped.reset(options={"reset_mask": over})
    assert ends


def test_texts_since_the_last_look() -> None:
    """With render_mode "ansi_list" there is one text for each step, and a new list for a new game."""
    game = toy.load(max_turns=6)
    for mode in AutoresetMode:
        envs = OpponentVectorEnv(game, 2, seed=1, max_episode_steps=3, autoreset_mode=mode, render_mode="ansi_list")
        texts = OpponentVectorEnv(game, 2, seed=1, max_episode_steps=3, autoreset_mode=mode, render_mode="ansi")
        envs.reset()
        texts.reset()
        expected = [texts.render()]
        for _ in range(2):
            actions = envs.action_masks().argmax(axis=1)
            envs.step(actions)
            texts.step(actions)
            expected.append(texts.render())
        assert envs.render() == tuple(map(list, zip(*expected))) and envs.render() == ([], [])
        envs.step(envs.action_masks().argmax(axis=1))
        assert list(map(len, envs.render() or ())) == ([1, 1] if mode is AutoresetMode.SAME_STEP else [0, 0])


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
        env = gymnasium.make(IDS[game_id], render_mode="ansi_list", **options)
        _, info = env.reset(seed=1)
        env.step(int(info["action_mask"].argmax()))
        assert list(map(type, env.render())) == [str, str] and env.render() == []
        keywords = {"autoreset_mode": "SameStep", "max_episode_steps": 50, "illegal": "lose", "dtype": "float32"}
        envs = gymnasium.make_vec(IDS[game_id], num_envs=4, opponent="greedy", threads=2, **options, **keywords)
        assert isinstance(envs, OpponentVectorEnv) and envs.autoreset_mode is AutoresetMode.SAME_STEP
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
    for make in (gymnasium.make, gymnasium.make_vec):
        for keywords in ({"max_trns": 3}, {"frameskip": 1}, {"render_mode": "rgb"}):
            with pytest.raises(
                TypeError, match=next(iter(keywords))
            ) as error:  # other libraries catch it and go on without the keyword
                make(IDS[game_id], **keywords)
            assert isinstance(error.value, errors.OptionError)
    with pytest.raises(errors.OptionError, match="gredy"):
        gymnasium.make(IDS[game_id], opponent="gredy")


def test_an_import_is_all_that_the_ids_need() -> None:
    code = "import react_env, gymnasium, json; print(json.dumps([i for i in gymnasium.registry if 'react_env' in i]))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert json.loads(out) == list(IDS.values())
    assert len(IDS) == len(react_env.game_ids()), "every game has an id"


def test_stable_baselines_makes_and_checks_them() -> None:
    """Its `make_vec_env` tries a render mode; its check and its PPO know no masks."""
    pytest.importorskip("stable_baselines3")
    from stable_baselines3 import PPO
    from stable_baselines3.common.env_checker import check_env
    from stable_baselines3.common.env_util import make_vec_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = make_vec_env("react_env/FightSequence-v0", n_envs=2, seed=1, env_kwargs={"illegal": "lose"})
        check_env(OpponentEnv(toy.load(), illegal="lose"))
    model = PPO("MlpPolicy", env, n_steps=16, batch_size=32, n_epochs=1, seed=0, device="cpu").learn(64)
    assert model.num_timesteps == 64 and model.ep_info_buffer
    env.close()


def test_maskable_ppo_takes_the_single_environment() -> None:
    """It learns, and plays in the usual loop of its documentation, where an action is an array without dimensions."""
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
