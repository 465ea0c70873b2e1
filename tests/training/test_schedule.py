"""How a run's time is shared out, by clocks that the test sets."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from react_env.training.selfplay.schedule import EVALUATING, LEARNING, MATCHES, WARMING, Phases, Schedule, most_matches


class Clocks:
    """A clock, and the processor time of two busy cores."""

    def __init__(self) -> None:
        self.now = 100.0

    def phases(self) -> Phases:
        return Phases(clock=lambda: self.now, processor=lambda: 2 * self.now)


@contextmanager
def going(phases: Phases, name: str, clocks: Clocks, seconds: float) -> Iterator[None]:
    with phases.phase(name):
        clocks.now += seconds
        yield


def spent(**seconds: float) -> dict[str, dict[str, float]]:
    names = {"warm": WARMING, "learned": LEARNING, "evaluated": EVALUATING}
    return {names[name]: {"clock": clock, "processor": 0.0} for name, clock in seconds.items()}


def test_phases_are_measured_apart() -> None:
    """A phase that begins within another is not counted twice; one that still goes on counts up to now."""
    clocks = Clocks()
    phases = clocks.phases()
    phases.add(spent(learned=10.0))
    with going(phases, LEARNING, clocks, 3.0):
        with going(phases, EVALUATING, clocks, 5.0):
            pass
        clocks.now += 2.0
        assert phases.seconds(LEARNING) == 15.0 and phases.seconds() == 20.0
    clocks.now += 50.0
    assert phases.to_json() == {
        LEARNING: {"clock": 15.0, "processor": 10.0},
        EVALUATING: {"clock": 5.0, "processor": 10.0},
    }


def test_a_phase_that_is_interrupted_is_closed() -> None:
    clocks = Clocks()
    phases = clocks.phases()
    with pytest.raises(KeyError), going(phases, LEARNING, clocks, 1.0), going(phases, EVALUATING, clocks, 2.0):
        raise KeyError
    clocks.now += 9.0
    assert phases.seconds() == 3.0


def test_minutes_are_of_learning() -> None:
    schedule = Schedule(steps=1000, minutes=1.0, evaluations=4)
    assert [schedule.fraction(*done) for done in ((0, 0.0), (500, 6.0), (500, 45.0), (10, 60.0))] == [0, 0.5, 0.75, 1]
    assert schedule.learning(0, 0.0) == 60.0
    assert schedule.learning(500, 10.0) == 20.0  # by steps it ends earlier
    assert Schedule(1000, 0.0, 4).learning(0, 0.0) == math.inf


def test_what_is_beside_learning_takes_two_thirds_of_it_at_most() -> None:
    """Even if each evaluation uses all that it may; matches get less after a warm start that was too long for the learning."""
    for seconds in (60.0, 240.0):
        schedule = Schedule(0, seconds / 60, evaluations=7)
        evaluated = 0.0
        for number in range(7):
            learned = seconds * number / 6
            assert schedule.may_evaluate(0, learned, evaluated)
            evaluated += schedule.evaluation(0, learned, evaluated, number)
        warm = schedule.warm_start()
        matches = most_matches(spent(warm=warm, learned=seconds, evaluated=evaluated))
        assert warm + evaluated + matches == pytest.approx(2 / 3 * seconds)
        assert min(warm, evaluated, matches) >= seconds / 6 - 1e-9
    assert most_matches(spent(warm=20.0, learned=60.0, evaluated=15.0)) == pytest.approx(5.0)
    assert most_matches(spent(learned=60.0)) == 15.0
    assert most_matches(spent(warm=90.0, learned=60.0)) == 0.0


def test_evaluations_that_take_long_are_fewer() -> None:
    """A run of ten minutes is to have 100 of them, each of which takes at least 20 seconds whatever it is allowed."""
    schedule = Schedule(0, 10.0, evaluations=101)
    evaluated, taken = 0.0, []
    for second in range(600):
        if second * 100 // 600 > len(taken) and schedule.may_evaluate(0, float(second), evaluated):
            evaluated += max(20.0, schedule.evaluation(0, float(second), evaluated, len(taken)))
            taken.append(second)
    assert len(taken) in (5, 6) and evaluated <= 100 + 20
    assert taken[-1] > 400  # until the end


def test_a_run_by_steps_has_no_limits_of_time() -> None:
    schedule = Schedule(1000, 0.0, evaluations=2)
    assert schedule.warm_start() == schedule.evaluation(500, 5.0, 1e9, 1) == math.inf
    assert schedule.may_evaluate(500, 5.0, 1e9)


def test_what_is_left_of_the_whole() -> None:
    schedule = Schedule(0, 1.0, evaluations=4, matches=MATCHES)
    clocks = Clocks()
    phases = clocks.phases()
    # Before anything: the most that each may take.
    assert schedule.left(0, phases, warming=0.0) == pytest.approx(15 + 60 + 10 + 15)
    with going(phases, WARMING, clocks, 2.0):
        assert schedule.left(0, phases, warming=0.25) == pytest.approx(6 + 60 + 10 + 15)
    with going(phases, LEARNING, clocks, 30.0):
        with going(phases, EVALUATING, clocks, 1.0):
            pass
        # The other evaluations are expected to take as long as the first, which took less than it might have.
        assert schedule.left(0, phases, number=1) == pytest.approx(30 + 3 + 15)
        # By steps the run is faster than by the clock: two thirds of the learning is done.
        faster = Schedule(300, 1.0, evaluations=4, matches=MATCHES)
        assert faster.left(200, phases, number=4) == pytest.approx(15 + 45 / 4)
    assert Schedule(1000, 0.0, 4).left(0, phases) == math.inf
