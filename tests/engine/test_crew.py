"""The threads of a batch: every call made, errors told, no thread left behind."""

import gc
import os
import threading
import time

import pytest

from react_env.engine.crew import Crew


def alive(before: set[threading.Thread]) -> int:
    """How many threads of crews are new since `before`; agents of other tests may have some."""
    return sum(thread.name.startswith("react_env_") for thread in set(threading.enumerate()) - before)


def until(condition: object) -> bool:
    for _ in range(6000):
        if condition():  # type: ignore[operator]
            return True
        time.sleep(0.01)
    return False


def test_every_call_is_made_the_first_one_here() -> None:
    crew, where = Crew(2), {}

    def call(i: int) -> None:
        where[i] = threading.current_thread()

    for count in (1, 2, 3):
        where.clear()
        crew.run([(call, i) for i in range(count)])
        assert sorted(where) == list(range(count)) and len(set(where.values())) == count
        assert where[0] is threading.current_thread()
    crew.close()


def test_calls_overlap() -> None:
    crew, barrier = Crew(1), threading.Barrier(2, timeout=60)
    crew.run([(barrier.wait,), (barrier.wait,)])  # would time out if one ran after the other
    crew.close()


def test_an_error_is_raised_where_the_work_was_asked_for() -> None:
    crew = Crew(1)

    def fail() -> None:
        raise ZeroDivisionError("here")

    done = []
    for calls in ([(done.append, 1), (fail,)], [(fail,), (done.append, 2)]):
        with pytest.raises(ZeroDivisionError, match="here"):
            crew.run(calls)
    crew.run([(done.append, 3), (done.append, 4)])
    assert sorted(done) == [1, 2, 3, 4]
    crew.close()


def test_threads_end_with_their_owner() -> None:
    before = set(threading.enumerate())
    crew, other = Crew(2), Crew(1)
    crew.run([(int,), (int,), (int,)])
    assert alive(before) == 3
    crew.close()
    crew.close()
    del other
    gc.collect()
    assert until(lambda: alive(before) == 0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_after_a_fork_there_are_new_threads() -> None:
    crew, done = Crew(1), []
    crew.run([(done.append, 1), (done.append, 2)])
    child = os.fork()
    if child == 0:
        crew.run([(done.append, 3), (done.append, 4)])
        os._exit(len(done))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 4
    crew.close()
