"""How a run divides its time: `minutes` counts learning alone; everything else in a run may take a share of that on top.

A learner step is the same work on every machine, and so is a game of an evaluation, but the time they take differs. So the limits are
shares of the learning time, measured as the run goes: a slow machine or a slow agent plays fewer games in its evaluations, but never
learns less. A run that ends by steps alone has no time limits, so its result depends on its seed alone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass

# The largest shares of the learning time; together two thirds.
WARM_START, EVALUATIONS, MATCHES = 1 / 4, 1 / 6, 1 / 4

# The phases of a run. MATCHING comes after it, in `react-env demo`, which shows the agent.
PREPARING, WARMING, LEARNING, EVALUATING, SAVING, MATCHING = (
    "preparing",
    "warm start",
    "learning",
    "evaluations",
    "saving",
    "matches",
)


@dataclass(frozen=True)
class Spent:
    """The seconds that a phase has taken so far: wall-clock time, and processor time of all cores of this process together."""

    clock: float = 0.0
    processor: float = 0.0


class Phases:
    """The time that each phase of a run has taken, over all parts of the run, without the interruptions."""

    def __init__(
        self, *, clock: Callable[[], float] = time.perf_counter, processor: Callable[[], float] = time.process_time
    ) -> None:
        self._spent: dict[str, Spent] = {}
        self._clock, self._processor = clock, processor
        self._now: tuple[str, float, float] | None = None  # the running phase, and both clocks when it began

    def add(self, before: Mapping[str, Mapping[str, float]]) -> None:
        """Add the time of earlier parts of the run, in the form of `to_json`."""
        for name, spent in before.items():
            so_far = self._spent.get(name, Spent())
            self._spent[name] = Spent(so_far.clock + spent["clock"], so_far.processor + spent["processor"])

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time the phase `name` while this context is open; the phase that was running pauses meanwhile."""
        before = self._now[0] if self._now else None
        self._change(name)
        try:
            yield
        finally:
            self._change(before)

    def _change(self, name: str | None) -> None:
        """Switch to the phase `name`, or to none."""
        if self._now is not None:
            self._spent[self._now[0]] = self.spent(self._now[0])
        self._now = None
        if name is not None:
            self._spent.setdefault(name, Spent())
            self._now = (name, self._clock(), self._processor())

    def spent(self, name: str) -> Spent:
        """The time that `name` has taken so far, even while it is running."""
        found = self._spent.get(name, Spent())
        if self._now is None or self._now[0] != name:
            return found
        _, clock, processor = self._now
        return Spent(found.clock + self._clock() - clock, found.processor + self._processor() - processor)

    def seconds(self, name: str | None = None) -> float:
        """Wall-clock seconds of one phase, or of all together."""
        return sum(self.spent(each).clock for each in (list(self._spent) if name is None else [name]))

    def to_json(self) -> dict[str, dict[str, float]]:
        """Phase -> {"clock", "processor"}, in the order in which they first began."""
        found = {name: self.spent(name) for name in self._spent}
        return {name: {part: round(value, 3) for part, value in asdict(spent).items()} for name, spent in found.items()}


@dataclass(frozen=True)
class Schedule:
    """How long a run may take, and how long it still will; times are in seconds unless a name says minutes.

    Attributes:
        steps, minutes: of learning; the run ends at whichever is reached first. 0: no such end.
        evaluations: how many there are in all.
        matches: the time that the caller will spend on matches after the run, as a share of the learning time.
    """

    steps: int
    minutes: float
    evaluations: int
    matches: float = 0.0

    @property
    def timed(self) -> bool:
        """Whether time ends the run. Only then is the time for everything besides learning limited."""
        return self.minutes > 0

    def fraction(self, steps: int, learned: float) -> float:
        """How much of the learning is done, 0..1, after `steps` learner steps in `learned` seconds of learning."""
        by_steps = steps / self.steps if self.steps else 0.0
        by_time = learned / (60 * self.minutes) if self.minutes else 0.0
        return min(1.0, max(by_steps, by_time))

    def learning(self, steps: int, learned: float) -> float:
        """How long all of the learning will take, at the pace so far. Before it begins: its limit, or `math.inf` without one."""
        done = self.fraction(steps, learned)
        if learned > 0 and done > 0:
            return learned / done
        return 60 * self.minutes if self.timed else math.inf

    def warm_start(self) -> float:
        """How long the warm start may take."""
        return WARM_START * 60 * self.minutes if self.timed else math.inf

    def may_evaluate(self, steps: int, learned: float, spent: float) -> bool:
        """Whether another evaluation may begin after `spent` seconds of them. They may be one evaluation ahead of their share of the
        learning time; if single games take long, there are fewer evaluations."""
        if not self.timed:
            return True
        advance = self.learning(steps, learned) / max(1, self.evaluations)
        return spent <= EVALUATIONS * (learned + advance)

    def evaluation(self, steps: int, learned: float, spent: float, number: int) -> float:
        """How long the evaluation `number` (0 is the first) may take, after `spent` seconds of evaluations: the
        remaining ones share the remaining time equally."""
        if not self.timed:
            return math.inf
        return max(0.0, EVALUATIONS * self.learning(steps, learned) - spent) / max(1, self.evaluations - number)

    def left(self, steps: int, phases: Phases, *, warming: float = 1.0, number: int = 0) -> float:
        """How long the run, with the matches after it, will probably still take; `math.inf` if that is not known yet.

        Args:
            steps: learner steps so far.
            phases: what was spent so far.
            warming: the share of the warm start that is done, 1 if there is none.
            number: evaluations that are done.
        """
        learned = phases.seconds(LEARNING)
        whole = self.learning(steps, learned)
        if not math.isfinite(whole):
            return math.inf
        warm = 0.0
        if warming < 1:
            begun = phases.seconds(WARMING)
            warm = begun * (1 - warming) / warming if warming > 0 else math.inf
            warm = min(warm, max(0.0, self.warm_start() - begun))
        spent = phases.seconds(EVALUATING)
        to_come = max(0, self.evaluations - number)
        each = spent / number if number else math.inf
        looking = to_come * min(each, self.evaluation(steps, learned, spent, number)) if to_come else 0.0
        return warm + max(0.0, whole - learned) + looking + self.matches * whole


def most_matches(phases: Mapping[str, Mapping[str, float]]) -> float:
    """How long the matches after a run may take, given its `phases` (as `Phases.to_json`): their own share of the learning time, or less if
    the warm start and the evaluations took more than theirs."""

    def clock(name: str) -> float:
        return phases.get(name, {}).get("clock", 0.0)

    others = clock(WARMING) + clock(EVALUATING)
    learned = clock(LEARNING)
    return max(0.0, min(MATCHES * learned, (WARM_START + EVALUATIONS + MATCHES) * learned - others))
