"""Agents with a memory find what they wrote at their last decision in the same game, whatever plays their games."""

import copy
import gc
import pickle
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from react_env import agents
from react_env.agents.process.asked import Asked
from react_env.engine.batch import seed_words
from react_env.envs.gym import OpponentEnv
from react_env.envs.learner import LearnerGames
from react_env.errors import BatchError, OptionError
from react_env.evaluation.matches import playing
from react_env.evaluation.matches.match import play_match
from tests.agents.games import game_of


class Counting:
    """Plays at random, counts its decisions of a game in its memory, and notes what it found there."""

    memory_per_game = 2

    def __init__(self, name: str = "counting") -> None:
        self.name = name
        self.found: list[Any] = []

    def act(self, observations: Any, action_masks: Any, rng: Any, memory: Any) -> Any:
        assert memory.shape == (len(observations), 2) and memory.dtype == np.float32
        self.found.append(memory.copy())
        memory[:, 0] += 1
        return np.where(action_masks, rng.random(action_masks.shape), -1).argmax(1)


class CountingStates(Counting):
    """The same, from states."""

    def __init__(self, game: Any) -> None:
        super().__init__()
        self._game = game

    def act_states(self, states: Any, players: Any, rng: Any, memory: Any) -> Any:
        masks = np.array([self._game.action_mask(state) for state in states])
        return self.act(states, masks, rng, memory)


@pytest.mark.parametrize("name", ["toy, mixed", "react_fast-v0"])
@pytest.mark.parametrize("searches", [False, True])
def test_a_batch_keeps_it_for_each_player_of_each_game(name: str, searches: bool) -> None:
    game = game_of(name)
    batch, rng = game.batch(5, seed=1), np.random.default_rng(2)
    agent, other = CountingStates(game) if searches else Counting(), Counting()
    counts: dict[tuple[int, int], int] = {}
    ends = 0
    for step in range(900):
        rows = np.array([3, 1, 0, 4])[step % 3 :]  # the other games move at random, game 2 always
        actions = batch.random_actions(seed_words(step, 5))
        actions[rows] = agents.choose(agent, batch, rows, rng)
        places = [(int(row), int(batch.to_play[row])) for row in rows]
        assert agent.found[-1][:, 0].tolist() == [counts.get(place, 0) for place in places]
        for place in places:
            counts[place] = counts.get(place, 0) + 1
        agents.choose(other, batch, rows, rng)  # another agent has a memory of its own
        if step == 500:
            batch.start(np.array([1]), np.array([7], np.uint64))
            counts = {place: count for place, count in counts.items() if place[0] != 1}
            continue
        batch.step(actions)
        for row in np.flatnonzero(batch.terminated | batch.truncated).tolist():
            counts = {place: count for place, count in counts.items() if place[0] != row}
            ends += 1
    assert ends > 10 and max(found.max() for found in agent.found) > 3
    batch.reset(3)
    agents.choose(agent, batch, np.arange(5), rng)
    assert not agent.found[-1].any(), "a reset begins games, too"


def test_a_match_begins_each_game_without_memories(monkeypatch: pytest.MonkeyPatch) -> None:
    """With few slots, many games follow each other in each."""
    monkeypatch.setattr(playing, "SLOTS", 4)
    agent = Counting()
    play_match(game_of("toy"), agent, Counting("other"), games=40, seed=5)
    firsts = sum(int((found[:, 0] == 0).sum()) for found in agent.found)
    assert firsts == 40, "one player in each game"


def test_an_own_agent_remembers_as_one_of_this_process(tmp_path: Path) -> None:
    game = game_of("toy")
    (tmp_path / "a.py").write_text(
        "class A:\n    memory_per_game = 2\n    def act(self, observations, action_masks, rng, memory):\n"
        "        memory[:] += [1, 0.5]\n        return action_masks.argmax(1)\n"
    )
    own: Any = agents.load(f"{tmp_path / 'a.py'}:A", game)
    batch, rng = game.batch(3, seed=1), np.random.default_rng(2)
    memory = agents.new_memory(own, 3)
    for k in range(4):
        np.testing.assert_array_equal(memory, np.full((3, 2), [k, k / 2], np.float32))
        own.act(batch.observations, batch.action_masks, rng, memory)
    assert play_match(game, own, agents.load("random", game), games=10, seed=3).total.games == 10
    own.close()


def test_the_environments_keep_it_for_their_opponents() -> None:
    agent, rng = Counting(), np.random.default_rng(0)
    env = OpponentEnv(game_of("toy"), agent)
    for seed in range(6):
        begun, over = len(agent.found), False
        _, info = env.reset(seed=seed)
        while not over:
            _, _, terminated, truncated, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
            over = terminated or truncated
        counts = [float(found[0, 0]) for found in agent.found[begun:]]
        assert counts == [float(k) for k in range(len(counts))] and len(counts) > 2


def test_a_call_that_fails_leaves_it_as_it_was() -> None:
    class Failing(Counting):
        def act(self, observations: Any, action_masks: Any, rng: Any, memory: Any) -> Any:
            if len(observations) > 1:
                memory[:] = 99
                raise ValueError("too many")
            return super().act(observations, action_masks, rng, memory)

    game = game_of("toy")
    agent = Failing()
    chooser, batch = agents.guarded(agent), game.batch(4, seed=0)
    for _ in range(3):
        actions, failed = chooser.choose(batch, np.arange(4), np.random.default_rng(0))
        assert not failed.any()
        batch.step(actions)
    found = np.array(agent.found)[:, 0, 0]
    assert found.max() in (1.0, 2.0) and set(found) <= {0.0, 1.0, 2.0}


def test_one_choice_takes_the_memory_that_it_is_given() -> None:
    game = game_of("toy")
    agent, state, rng = Counting(), game.new(0), np.random.default_rng(0)
    memory = agents.new_memory(agent, 1)
    for _ in range(3):
        agents.choose_one(agent, game, state, rng, memory)
    agents.choose_one(agent, game, state, rng)
    assert [float(found[0, 0]) for found in agent.found] == [0.0, 1.0, 2.0, 0.0]
    assert agents.new_memory(agents.load("random", game), 1) is None


@pytest.mark.parametrize("answer", [None, 3, [1.7], [True], [[3]], [1, 2]])
def test_one_choice_is_one_integer(answer: Any) -> None:
    """Past bug: 1.7 and True were taken as 1, and the error for None did not name the agent."""

    class Wrong:
        name = "wrong"

        def act(self, observations: Any, action_masks: Any, rng: Any) -> Any:
            return answer

    game = game_of("toy")
    with pytest.raises(BatchError, match=r"^wrong gave .*; an agent gives a legal id for each row, \(1,\) integers"):
        agents.choose_one(Wrong(), game, game.new(0), np.random.default_rng(0))


def test_a_hint_for_the_same_position_is_the_same() -> None:
    """Past bug: an adviser remembered each time that it was asked, though it plays no game."""
    game = game_of("toy")
    agent = Counting()
    adviser = Asked("random", game)
    adviser.chooser = agents.guarded(agent)
    for position in (0, 0, 2):
        adviser.at(position).choice(game.new(0))
    assert [float(found[0, 0]) for found in agent.found] == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("way", [copy.deepcopy, lambda games: pickle.loads(pickle.dumps(games))])
def test_the_opponents_of_a_copy_remember(way: Any) -> None:
    """Past bug: the opponents of copied vectors forgot their games."""
    games = LearnerGames(game_of("toy"), 4, Counting(), seed=1, threads=1, seats="both")
    for _ in range(3):
        games.ready()
        games.step(games.batch.action_masks.argmax(1))
    copied = way(games)
    for each in (games, copied):
        each._opponents[0].found.clear()
        each._generator = np.random.default_rng(3)
        for _ in range(3):
            each.step(each.batch.action_masks.argmax(1))
    found, found_of_copy = (np.concatenate(each._opponents[0].found) for each in (games, copied))
    np.testing.assert_array_equal(found, found_of_copy)
    assert found.any()


def test_an_opponent_that_plays_no_more_is_let_go() -> None:
    """Past bug: a batch held every agent with a memory that had ever played in it, such as the earlier selves of a learner."""
    games = LearnerGames(game_of("toy"), 4, "random", seed=1, threads=1, seats="both")
    held = []
    for _ in range(5):
        agent = Counting()
        held.append(weakref.ref(agent))
        games.set_opponents([agent])
        del agent
        for _ in range(60):
            games.ready()
            games.step(games.batch.action_masks.argmax(1))
    gc.collect()
    assert sum(one() is not None for one in held) <= 2


@pytest.mark.parametrize("size", [-1, 1.5, True, 10**9, "3"])
def test_an_impossible_size_is_refused(size: Any, tmp_path: Path) -> None:
    agent = Counting()
    agent.memory_per_game = size
    with pytest.raises(OptionError, match="counting: memory_per_game must be an integer from 0 to 1000000, not"):
        agents.choose(agent, game_of("toy").batch(1, seed=0), np.arange(1), np.random.default_rng(0))
    (tmp_path / "a.py").write_text(f"class A:\n    memory_per_game = {size!r}\n    def act(self, *_):\n        pass\n")
    with pytest.raises(OptionError, match="a.py:A: A: memory_per_game must be an integer from 0 to 1000000, not"):
        agents.load(f"{tmp_path / 'a.py'}:A", game_of("toy"))
