"""Decisions shared out to threads: each once, with scratch of one thread at a time; foreign states and bad numbers are refused."""

import threading
from typing import Any

import numpy as np
import pytest

from agents.sharing import Workers, as_bytes
from react_env.errors import OptionError, StateError
from tests.agents.games import game_of, positions


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("count", [1, 10, 12])
def test_each_decision_is_made_once_by_a_worker_with_its_own_scratch(threads: int, count: int) -> None:
    game = game_of("toy")
    states, _ = positions(game, count)
    workers = Workers(game.rules, threads, threading.Lock)
    times = np.zeros(count, np.int64)

    def decide(begin: int, end: int, scratch: Any) -> None:
        assert 0 < end - begin <= 4
        assert scratch.acquire(blocking=False)  # nobody else is using it
        times[begin:end] += 1
        scratch.release()

    for _ in range(2):
        workers.share(states, 4, decide)
    assert (times == 2).all()
    assert 1 <= len(workers.scratch) <= threads


def test_an_error_of_a_worker_reaches_the_caller() -> None:
    game = game_of("toy")
    states, _ = positions(game, 8)

    def decide(begin: int, end: int, scratch: Any) -> None:
        raise ValueError("no")

    for threads in (1, 2):
        with pytest.raises(ValueError, match="no"):
            Workers(game.rules, threads, list).share(states, 1, decide)


def test_states_of_other_options_are_refused_and_none_are_fine() -> None:
    game = game_of("toy")
    states, _ = positions(game, 3)
    workers = Workers(game.rules, 2, list)
    workers.share(states[:0], 1, lambda *_: pytest.fail("there is nothing to decide"))
    for wrong in (-1, 1):
        states["table"][1] = wrong
        with pytest.raises(StateError, match="other options"):
            workers.share(states, 1, lambda *_: None)


@pytest.mark.parametrize("threads", [0, -1, 10**6])
def test_threads_out_of_range_are_named(threads: int) -> None:
    with pytest.raises(OptionError, match="threads"):
        Workers(game_of("toy").rules, threads, list)


def test_bytes_of_records_are_the_same_memory() -> None:
    states, _ = positions(game_of("toy"), 3)
    raw = as_bytes(states)
    assert raw.shape == (3, states.dtype.itemsize)
    raw[1] = raw[0]
    assert states[1].tobytes() == states[0].tobytes()
