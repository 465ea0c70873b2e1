"""Decisions shared among threads: each once, with the scratch of one thread at a time; foreign states and bad numbers are refused."""

import copy
import pickle
import threading
import time
from typing import Any

import numpy as np
import pytest

from react_env import agents
from react_env.agents.search.sharing import Workers, admitted, as_bytes
from react_env.engine.compile import njit
from react_env.engine.crew import Crew
from react_env.engine.turns import next_turn, take
from react_env.errors import OptionError, StateError
from tests.agents.games import game_of, positions


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("count", [1, 10, 12])
def test_each_decision_is_made_once_by_a_worker_with_its_own_scratch(threads: int, count: int) -> None:
    workers = Workers(game_of("toy"), threads, threading.Lock)
    times = np.zeros(count, np.int64)

    def decide(turn: Any, most: int, scratch: Any) -> None:
        assert scratch.acquire(blocking=False)  # nobody else is using it
        for _ in range(most):
            if (row := next_turn(turn)) < count:
                times[row] += 1
        scratch.release()

    for _ in range(2):
        workers.share(count, decide)
    assert (times == 2).all()
    assert 1 <= len(workers.scratch) <= threads


def test_threads_are_only_made_as_they_are_needed() -> None:
    workers = Workers(game_of("toy"), 10_000, list)
    before = set(threading.enumerate())
    for count in (3, 5, 5):
        workers.share(count, lambda turn, *_: next_turn(turn))
        made = [thread for thread in set(threading.enumerate()) - before if thread.name.startswith("react_env_")]
        assert count - 1 <= len(made) <= 6  # the threads made for three may still be ending


def test_who_is_free_makes_the_next_decision() -> None:
    """Past bug: twenty plans of a turn, each as long as a hundred looks, were split between two threads as sixteen and four."""
    others, taken = threading.Event(), []

    def decide(turn: Any, most: int, scratch: Any) -> None:
        for _ in range(most):
            if (row := next_turn(turn)) >= 20:
                return
            taken.append(row)
            if len(taken) == 20:
                others.set()
            if row == 0:  # takes as long as all others together
                assert others.wait(60)

    Workers(game_of("toy"), 2, list).share(20, decide)
    assert sorted(taken) == [*range(20)]


@njit
def count_turns(turn: Any, times: Any) -> None:
    """Take turns until there are none, and count each in times (N,)."""
    while True:
        row = take(turn)
        if row >= times.size:
            break
        times[row] += 1


def test_threads_that_take_turns_at_the_same_time_get_different_ones() -> None:
    times, turn = np.zeros(2_000_000, np.int8), np.zeros(1, np.int64)
    Crew(3).run([(count_turns, turn, times)] * 4)
    assert (times == 1).all() and turn[0] == len(times) + 4


def test_an_error_of_a_worker_reaches_the_caller_and_ends_the_work_of_the_others() -> None:
    game = game_of("toy")

    def decide(turn: Any, most: int, scratch: Any) -> None:
        raise ValueError("no")

    for threads in (1, 2):
        with pytest.raises(ValueError, match="no"):
            Workers(game, threads, list).share(8, decide)
    taken = []

    def decide_or_fail(turn: Any, most: int, scratch: Any) -> None:
        taken.append(next_turn(turn))
        if taken[-1] == 20:  # only in one of the three threads
            raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        Workers(game, 3, list).share(300_000, decide_or_fail)
    assert len(taken) < 300_000


def test_two_threads_that_ask_one_agent_take_turns() -> None:
    workers = Workers(game_of("toy"), 1, list)
    at_work, together, taken = threading.Lock(), [], []

    def decide(turn: Any, most: int, scratch: list[Any]) -> None:
        together.append(not at_work.acquire(blocking=False))
        time.sleep(0.001)
        taken.append(next_turn(turn))
        if not together[-1]:
            at_work.release()

    threads = [threading.Thread(target=workers.share, args=(20, decide)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not any(together) and len(workers.scratch) == 1
    assert sorted(taken) == sorted(4 * [*range(20)])


def test_states_of_other_options_are_refused_and_none_are_fine() -> None:
    game = game_of("toy")
    states, players = positions(game, 3)
    workers = Workers(game, 2, list)
    admitted(game, states[:0], players[:0])
    workers.share(0, lambda *_: pytest.fail("there is nothing to decide"))
    for wrong in (-1, 1):
        states["table"][1] = wrong
        with pytest.raises(StateError, match="other options"):
            workers.check(states, np.arange(3))


def test_records_that_no_game_could_reach_and_players_who_do_not_exist_are_refused() -> None:
    game = game_of("arts_of_war-v0")
    states, players = positions(game, 3)
    agent = agents.load("greedy", game)
    rng = np.random.default_rng(0)
    for wrong in (np.array([0, 2, 0]), np.array([0, -1, 0]), players[:2], players[None]):
        with pytest.raises(OptionError, match="players must be 3 numbers"):
            agent.act_states(states, wrong, rng)
    states["unit_zone"][1, 0] = 99
    with pytest.raises(StateError, match=r"states\[1\]: field unit_zone: impossible value"):
        agent.act_states(states, players, rng)
    with pytest.raises(StateError, match="not states of this game"):
        agent.act_states(np.zeros((3, 2)), players, rng)


@pytest.mark.parametrize("name", ["greedy", "easy", "flat:2", "mcts:2"])
def test_what_is_no_decision_of_the_players_is_refused(name: str) -> None:
    """Past bug: finished games got the action -1 or 0, and a player who was not to move got an action of the other player."""
    game, rng = game_of("fight_sequence-v0"), np.random.default_rng(0)
    states, players = positions(game, 3)
    agent = agents.load(name, game)
    with pytest.raises(
        StateError, match=r"states must be \(N,\) records, not \(\); a single one is np.array\(\[state\]\)"
    ):
        agent.act_states(states[0], 0, rng)
    with pytest.raises(StateError, match=rf"states\[1\]: player {players[1]} is to move, not {1 - players[1]}"):
        agent.act_states(states, np.where(np.arange(3) == 1, 1 - players, players), rng)
    with pytest.raises(OptionError, match="players must be 3 numbers from 0 to 1"):
        agent.act_states(states, players[:2], rng)
    assert len(agent.act_states([*states], [*players], rng)) == 3
    while not game.terminated(states[2]):
        game.step(states[2], int(game.legal_actions(states[2])[0]))
    with pytest.raises(StateError, match=r"states\[2\]: the game is over"):
        agent.act_states(states, players, rng)


@pytest.mark.parametrize("threads", [0, -1, 10**6])
def test_threads_out_of_range_are_named(threads: int) -> None:
    with pytest.raises(OptionError, match="threads"):
        Workers(game_of("toy"), threads, list)


def test_bytes_of_records_are_the_same_memory() -> None:
    states, _ = positions(game_of("toy"), 3)
    raw = as_bytes(states)
    assert raw.shape == (3, states.dtype.itemsize)
    raw[1] = raw[0]
    assert states[1].tobytes() == states[0].tobytes()


@pytest.mark.parametrize(
    "way", [copy.deepcopy, lambda agent: pickle.loads(pickle.dumps(agent))], ids=["deepcopy", "pickle"]
)
@pytest.mark.parametrize("name", ["greedy", "scripted", "flat:2", "mcts:2"])
@pytest.mark.parametrize("game_id", ["arts_of_war-v0", "fight_sequence-v0"])
def test_a_copy_of_an_agent_that_has_played_decides_as_the_original(game_id: str, name: str, way: Any) -> None:
    """Past bug: in a copy's scratch memory, the bytes were no longer those of the records, and greedy's copy never came to an end."""
    game = game_of(game_id)
    states, players = positions(game, 6)
    agent: Any = agents.load(name, game)
    agent.act_states(states, players, np.random.default_rng(1))
    other = way(agent)
    told = [one.act_states(states, players, np.random.default_rng(2)).tolist() for one in (agent, other, agent)]
    assert told[0] == told[1] == told[2]
