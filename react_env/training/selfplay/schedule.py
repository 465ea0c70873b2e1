"""How a run's time is shared out: minutes are minutes of learning, and what belongs to a run beside it has a share of them.

A learner step costs the same work on every machine, and so does a game of an evaluation; how long they take does not. So the limits are
shares of the time of learning, measured as it goes: a slow machine, or a slow agent, has fewer games played for its evaluations, never
less learning. A run that ends by steps alone has no limits of time, so that its result depends on its seed alone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass

# Of the time of learning, at most; together two thirds.
WARM_START, EVALUATIONS, MATCHES = 1 / 4, 1 / 6, 1 / 4

# The phases of a run. MATCHING is of those who show the agent after it, `react-env demo`.
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
    """What a phase took so far, in seconds: by the clock, and of the processor, all cores of this process together."""

    clock: float = 0.0
    processor: float = 0.0


class Phases:
    """What each phase of a run took, in all parts of it: interruptions are left out."""

    def __init__(
        self, *, clock: Callable[[], float] = time.perf_counter, processor: Callable[[], float] = time.process_time
    ) -> None:
        self._spent: dict[str, Spent] = {}
        self._clock, self._processor = clock, processor
        self._now: tuple[str, float, float] | None = None  # the phase that goes on, and both clocks when it began

    def add(self, before: Mapping[str, Mapping[str, float]]) -> None:
        """Take in what earlier parts of the run took, as `to_json` tells it."""
        for name, spent in before.items():
            so_far = self._spent.get(name, Spent())
            self._spent[name] = Spent(so_far.clock + spent["clock"], so_far.processor + spent["processor"])

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """While this context is open, `name` goes on; one that went on before rests meanwhile."""
        before = self._now[0] if self._now else None
        self._change(name)
        try:
            yield
        finally:
            self._change(before)

    def _change(self, name: str | None) -> None:
        """From now on `name` goes on; None: nothing does."""
        if self._now is not None:
            self._spent[self._now[0]] = self.spent(self._now[0])
        self._now = None
        if name is not None:
            self._spent.setdefault(name, Spent())
            self._now = (name, self._clock(), self._processor())

    def spent(self, name: str) -> Spent:
        """What `name` took so far, also while it goes on."""
        found = self._spent.get(name, Spent())
        if self._now is None or self._now[0] != name:
            return found
        _, clock, processor = self._now
        return Spent(found.clock + self._clock() - clock, found.processor + self._processor() - processor)

    def seconds(self, name: str | None = None) -> float:
        """By the clock: of one phase, or of all together."""
        return sum(self.spent(each).clock for each in (list(self._spent) if name is None else [name]))

    def to_json(self) -> dict[str, dict[str, float]]:
        """Phase -> {"clock", "processor"}, in the order in which they first began."""
        found = {name: self.spent(name) for name in self._spent}
        return {name: {part: round(value, 3) for part, value in asdict(spent).items()} for name, spent in found.items()}


@dataclass(frozen=True)
class Schedule:
    """What a run may take, and what it has before it; all times in seconds.

    Attributes:
        steps, minutes: of learning, after which the run ends, whichever is reached first; 0: no such end.
        evaluations: how many there are in all.
        matches: the share of learning that whoever started the run means to spend on matches after it.
    """

    steps: int
    minutes: float
    evaluations: int
    matches: float = 0.0

    @property
    def timed(self) -> bool:
        """Whether time ends the run, so that what belongs to it beside learning has limits."""
        return self.minutes > 0

    def fraction(self, steps: int, learned: float) -> float:
        """How much of the learning is done, 0..1, after `steps` learner steps in `learned` seconds of learning."""
        by_steps = steps / self.steps if self.steps else 0.0
        by_time = learned / (60 * self.minutes) if self.minutes else 0.0
        return min(1.0, max(by_steps, by_time))

    def learning(self, steps: int, learned: float) -> float:
        """How long all of the learning will take: as it went so far; before it, as long as it may; without such an end `math.inf`."""
        done = self.fraction(steps, learned)
        if learned > 0 and done > 0:
            return learned / done
        return 60 * self.minutes if self.timed else math.inf

    def warm_start(self) -> float:
        """How long the warm start may take."""
        return WARM_START * 60 * self.minutes if self.timed else math.inf

    def may_evaluate(self, steps: int, learned: float, spent: float) -> bool:
        """Whether evaluations, `spent` seconds of them so far, keep pace with learning, one of them in advance: where a single game takes
        long, they are fewer."""
        if not self.timed:
            return True
        advance = self.learning(steps, learned) / max(1, self.evaluations)
        return spent <= EVALUATIONS * (learned + advance)

    def evaluation(self, steps: int, learned: float, spent: float, number: int) -> float:
        """How long the evaluation `number` (0 is the first) may take, after `spent` seconds of evaluations: those that are left share alike
        what is left."""
        if not self.timed:
            return math.inf
        return max(0.0, EVALUATIONS * self.learning(steps, learned) - spent) / max(1, self.evaluations - number)

    def left(self, steps: int, phases: Phases, *, warming: float = 1.0, number: int = 0) -> float:
        """How long the run, with the matches after it, will probably still take; `math.inf` where that cannot be said yet.

        Args:
            steps: learner steps so far.
            phases: what was spent so far.
            warming: the part of the warm start that is done, 1 where there is none.
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
    """How long the matches after a run may take that took `phases` (as `Phases.to_json`): their own share of the time of learning, and less
    where the warm start and the evaluations have had more than theirs."""

    def clock(name: str) -> float:
        return phases.get(name, {}).get("clock", 0.0)

    others = clock(WARMING) + clock(EVALUATING)
    learned = clock(LEARNING)
    return max(0.0, min(MATCHES * learned, (WARM_START + EVALUATIONS + MATCHES) * learned - others))
