"""Tune: the smallest edit of designed numbers that reaches a goal, found by an optimiser and confirmed on fresh deals.

The optimiser is Optuna's tree-structured Parzen estimator (Bergstra et al., 2011); an edit that does badly on a quarter of the deals is not
played to the end (successive halving: Jamieson and Talwalkar, 2016). The study's folder keeps all games under names derived from what they
depend on, so a tuning that was stopped repeats its choices at no cost, and goes on.
"""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from react_env.content.files import parse, read_text, short, shown
from react_env.content.schema import Model
from react_env.errors import CardError, OptionError
from react_env.evaluation.lab.edits import Edition, Place, stated
from react_env.evaluation.lab.findings import AgentFindings, agent_findings
from react_env.evaluation.lab.study import Folder, Settings, Study, Work, subject_of
from react_env.evaluation.lab.subject import Goals
from react_env.extras import need


def _two(value: Any) -> Any:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise PydanticCustomError(
            "one_of",
            "two numbers are needed, the least and the most, such as [0.45, 0.55]; found {found}",
            {"found": short(value)},
        )
    return tuple(value)


Span = Annotated[tuple[float, float], BeforeValidator(_two)]
Values = dict[Place, int]
Progress = Callable[[int, int, str], None]
POINTS = 0.05  # a score that misses its goal by so much counts as much as one turn too many
SIZE = 0.05  # what it counts to move one value through its whole range
FINALISTS = 5
REFUSED = 20  # so many tries per trial asked for may fail to load before the search ends
AGAIN, FRESH = 2, 4  # times the deals of the search: to choose among finalists, to confirm the one chosen


class Wanted(Model):
    """The goals: each a range. Scores and shares lie between 0 and 1."""

    pairing: Span | None = None
    side: Span | None = None
    sides: Mapping[str, Span] = Field(default_factory=dict)  # of single sides
    began: Span | None = None
    length: Span | None = None


class Moving(Model):
    """A number that may move."""

    file: str
    at: str
    low: int = Field(alias="from")
    high: int = Field(alias="to")

    @property
    def place(self) -> Place:
        return Place(self.file, self.at)


class Plan(Model):
    """What a tuning is asked to do, as its file says."""

    goals: Wanted
    values: list[Moving] = Field(min_length=1)

    @classmethod
    def read(cls, path: Path) -> Plan:
        """Read a plan from a YAML file. OptionError if it is not one, or if its goals contradict each other."""
        try:
            plan = parse(read_text(path), shown(path), "a goal file", cls.model_fields).read_as(cls)
        except CardError as error:
            raise OptionError(str(error)) from None
        plan.check(path)
        return plan

    def check(self, path: Path) -> None:
        """OptionError for goals that no edition could reach, for no goals, and for values that leave nothing to try."""
        wanted = self.goals
        spans = {name: span for name in ("pairing", "side", "began", "length") if (span := getattr(wanted, name))}
        for name, (low, high) in {**spans, **wanted.sides}.items():
            if not low <= high:  # nor if one of them is nan
                raise OptionError(f"{path}: goal {name}: {low:g} to {high:g} is an empty range")
            if low < 0 or (name != "length" and high > 1):
                allowed = "0 turns or more" if name == "length" else "scores between 0 and 1"
                raise OptionError(f"{path}: goal {name}: {low:g} to {high:g}; allowed: {allowed}")
        for name in ("pairing", "side"):
            if name in spans and not spans[name][0] <= 0.5 <= spans[name][1]:
                low, high = spans[name]
                raise OptionError(
                    f"{path}: goal {name}: {low:g} to {high:g} contradicts itself: what one side scores others lose, so 0.5 must lie within"
                )
        for every in ("side", "pairing"):  # a side's score is the mean of its pairings
            least, most = spans.get(every, (0.0, 1.0))
            for name, (low, high) in wanted.sides.items():
                if low > most or high < least:
                    raise OptionError(
                        f"{path}: goal sides.{name}: {low:g} to {high:g} contradicts the goal for every {every}"
                    )
        if not spans and not wanted.sides:
            raise OptionError(f"{path}: no goals; there are {', '.join(Wanted.model_fields)}")
        for value in self.values:
            if value.low >= value.high:
                raise OptionError(f"{path}: {value.place}: from {value.low} to {value.high} leaves nothing to choose")
        places = [value.place for value in self.values]
        for place in places:
            if places.count(place) > 1:
                raise OptionError(f"{path}: {place} is named twice")


def loss(wanted: Wanted, found: AgentFindings) -> float:
    """How far an agent's games are from the goals: 0 if all are reached; 1 for each `POINTS` of a score and for each turn."""

    def beyond(value: float, span: Span | None, unit: float) -> float:
        return 0.0 if span is None else max(span[0] - value, value - span[1], 0.0) / unit

    # Each pairing is listed twice.
    total = sum(beyond(mean.value, wanted.pairing, POINTS) for mean in found.pairs.values()) / 2
    for side in found.sides:
        for span in (wanted.side, wanted.sides.get(side.side)):
            total += beyond(side.score.value, span, POINTS)
    return total + beyond(found.began.value, wanted.began, POINTS) + beyond(found.length[2], wanted.length, 1.0)


@dataclass(frozen=True)
class Tuned:
    """What a tuning found.

    Attributes:
        start, values: the numbers that may move, before and after.
        trials: how many were made, some of the same edition; tried: editions that were measured to the end; refused: tries that did not
            load; why: what is wrong with the first of them; left: trials not made, because hardly any edition loaded.
        before, after: what each agent's games say, on deals that played no part in the search.
        missed: how far from the goals they are, before and after.
        worse: how far the best edit of the search is from the goals there, if it is no nearer than the files; then nothing is moved.
        facts: how many facts of the files are not our own design; none of them moved.
        files: the card files after, and the tables beside them.
        patch: turns the files before into those after.
    """

    start: Values
    values: Values
    trials: int
    tried: int
    refused: int
    before: tuple[AgentFindings, ...]
    after: tuple[AgentFindings, ...]
    missed: tuple[float, float]
    facts: int
    files: Mapping[str, bytes]
    patch: str
    worse: float | None = None
    why: str = ""
    left: int = 0

    @property
    def reached(self) -> bool:
        """Whether all goals are reached."""
        return self.missed[1] == 0.0


class Tuning:
    """The search for an edit.

    Raises:
        OptionError: a value is not designed or does not exist, or a goal is for a side that is not studied.
        MissingPackage: Optuna is not installed.
    """

    def __init__(
        self, plan: Plan, settings: Settings, edition: Path, folder: Folder, *, trials: int, threads: int = 1
    ) -> None:
        need("eval", "optuna")
        if trials < 1:
            raise OptionError(f"trials is {trials}; allowed: 1 or more")
        self.plan, self.settings, self.folder, self.trials, self.threads = plan, settings, folder, trials, threads
        self.edition = Edition(edition)
        self.facts = stated(self.edition.texts)
        self.subject = subject_of(settings.game, settings.options, settings.sides)
        self._editions = tempfile.TemporaryDirectory(prefix="react_env_tune_")
        self.start: Values = {value.place: self.edition.value(value.place) for value in plan.values}
        for value in plan.values:
            if not value.low <= self.start[value.place] <= value.high:
                raise OptionError(
                    f"{value.place} is {self.start[value.place]}, which is not from {value.low} to {value.high}"
                )
        unmoved = self._study({}, settings.seed, 1)
        sides = unmoved.sides
        self._check_moves(unmoved)
        for side in plan.goals.sides:
            if side not in sides:
                raise OptionError(f"goal sides.{side}: there is no such side; there are {', '.join(sides)}")
        spans = [
            (max(low, least), min(high, most))
            for side in sides
            for (low, high), (least, most) in [(plan.goals.sides.get(side, (0.0, 1.0)), plan.goals.side or (0.0, 1.0))]
        ]
        if len(sides) > 1 and not sum(low for low, _ in spans) <= len(sides) / 2 <= sum(high for _, high in spans):
            raise OptionError(
                "the goals of the sides contradict each other: what one side scores others lose, so all together score "
                f"one half on average, and these goals ask for {sum(low for low, _ in spans) / len(sides):.2f} to "
                f"{sum(high for _, high in spans) / len(sides):.2f}"
            )
        self.played, self.refused, self.why = 0, 0, ""
        self._progress: Progress = lambda done, total, what: None
        self._told = 0, trials, "tuning"

    def _check_moves(self, unmoved: Study) -> None:
        """OptionError for a value that no game of the study reads, such as one in the file of a side that is not studied."""
        games = {cell: unmoved.played_by(cell) for cell in unmoved.cells}
        for value in self.plan.values:
            other = value.low if self.start[value.place] != value.low else value.high
            try:
                moved = self._study({value.place: other}, self.settings.seed, 1)
            except CardError:  # which the search will report, too
                continue
            if all(moved.played_by(cell) == game for cell, game in games.items()):
                raise OptionError(
                    f"{value.place}: games of {', '.join(unmoved.sides) or self.settings.game} are the same with {other} in place of "
                    f"{self.start[value.place]}; nothing in this study uses it"
                )

    def _study(self, moved: Values, seed: int, deals: int) -> Study:
        """The study of the edition with these numbers moved. CardError if it does not load."""
        edited = Path(self._editions.name) / str(len(list(Path(self._editions.name).iterdir())))
        edited.mkdir()
        files = {file: text.encode() for file, text in self.edition.texts_with(moved).items()}
        for file, data in {**files, **self.edition.tables}.items():
            (edited / file).write_bytes(data)
        options, sides = self.subject.edition(str(edited))
        settings = replace(self.settings, options=options, sides=sides, seed=seed, deals=deals, judge="")
        return Study(settings, self.folder, threads=self.threads)

    def _findings(self, moved: Values, seed: int, deals: int) -> tuple[AgentFindings, ...]:
        study = self._study(moved, seed, deals)
        work = [Work(agent, cell, deals) for agent in self.settings.agents for cell in study.cells]
        for _ in study.play(work, self._tell_games):
            pass
        return tuple(
            agent_findings(study.subject, agent, {cell: study.outcomes(agent, cell) for cell in study.cells})
            for agent in self.settings.agents
        )

    def missed(self, moved: Values, seed: int, deals: int) -> float:
        """How far an edit is from the goals, over all agents."""
        return sum(loss(self.plan.goals, found) for found in self._findings(moved, seed, deals))

    def size(self, values: Values) -> float:
        """How large an edit is: the share of its range through which each value moves."""
        spans = {value.place: value.high - value.low for value in self.plan.values}
        return sum(abs(value - self.start[place]) / spans[place] for place, value in values.items())

    def run(self, progress: Progress = lambda done, total, what: None) -> Tuned:
        """Search, choose, make the edit smaller, confirm. `progress` is called with (edits played, edits in all, what for), first for the
        trials. While an edit is played, the words also say how many of its games are done."""
        deals, seed = self.settings.deals, self.settings.seed
        self._progress = progress
        found = self._search()
        best = sorted(found, key=lambda pair: pair[1])[:FINALISTS]
        finalists = [values for values, _ in best if values != self.start]
        again: list[tuple[Values, float]] = []
        for values in (self.start, *finalists):
            self._tell(len(again), 1 + len(finalists), "the best on other deals")
            again.append((values, self.missed(values, seed + 1, AGAIN * deals)))
        values, far = min(again, key=lambda pair: pair[1] + SIZE * self.size(pair[0]))
        moved = sorted(
            (place for place in values if values[place] != self.start[place]),
            key=lambda p: abs(values[p] - self.start[p]),
        )
        for number, place in enumerate(moved):  # numbers that need not move go back
            self._tell(number, len(moved), "which numbers it needs")
            without = {**values, place: self.start[place]}
            rest = self._try(without, seed + 1, AGAIN * deals)
            if rest <= far:
                values, far = without, rest
        self._tell(0, 2, "before and after on fresh deals")
        before = self._findings(self.start, seed + 2, FRESH * deals)
        self._tell(1, 2, "before and after on fresh deals")
        after = self._findings(values, seed + 2, FRESH * deals)
        goals = self.plan.goals
        missed = (sum(loss(goals, one) for one in before), sum(loss(goals, one) for one in after))
        worse = missed[1] if values != self.start and missed[1] >= missed[0] else None
        if worse is not None:
            values, after, missed = self.start, before, (missed[0], missed[0])
        texts = self.edition.texts_with(values)
        if stated(texts) != self.facts:
            raise AssertionError("a stated fact moved")
        return Tuned(
            self.start,
            values,
            self.played,
            len(found),
            self.refused,
            before,
            after,
            missed,
            len(self.facts),
            {file: text.encode() for file, text in texts.items()} | self.edition.tables,
            self.edition.patch(values),
            worse,
            self.why,
            self.trials - self.played,
        )

    def _try(self, values: Values, seed: int, deals: int) -> float:
        """As `missed`; infinite for an edition that does not load."""
        try:
            return self.missed(values, seed, deals)
        except CardError as error:
            self.refused += 1
            found = str(error).splitlines()[0]  # with the bare name of the file: the folder of the try will be gone
            self.why = self.why or re.sub(rf"\S*{re.escape(Path(self._editions.name).name)}/\d+/", "", found)
            return math.inf

    def _tell(self, done: int, total: int, what: str) -> None:
        self._told = done, total, what
        self._progress(done, total, what)

    def _tell_games(self, done: int, total: int) -> None:
        """Report how far the current edit is played."""
        edits, of, what = self._told
        self._progress(edits, of, f"{what}, {done:,} of {total:,} games")

    def _search(self) -> list[tuple[Values, float]]:
        """Every edition that was played to the end, once each, with its distance from the goals plus what its size counts."""
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        deals, seed = self.settings.deals, self.settings.seed
        study = optuna.create_study(
            sampler=optuna.samplers.TPESampler(
                seed=seed % 2**32, multivariate=True, n_startup_trials=max(5, self.trials // 6)
            ),
            pruner=optuna.pruners.SuccessiveHalvingPruner(min_resource=1, reduction_factor=3),
        )
        study.enqueue_trial({str(place): value for place, value in self.start.items()})
        found: list[tuple[Values, float]] = []

        def measured(trial: Any) -> float:
            values = {v.place: trial.suggest_int(str(v.place), v.low, v.high) for v in self.plan.values}
            extra = SIZE * self.size(values)
            far = self._try(values, seed, max(1, deals // 4))
            if math.isinf(far):
                raise optuna.TrialPruned  # not one of the trials asked for, but Optuna learns from it
            self.played += 1
            trial.report(far + extra, 1)
            if trial.number and trial.should_prune():
                raise optuna.TrialPruned
            far = self._try(values, seed, deals) + extra
            if (values, far) not in found:
                found.append((values, far))
            return far

        def told(study: Any, trial: Any) -> None:
            self._tell(self.played, self.trials, f"tuning, {self.refused} did not load" if self.refused else "tuning")
            if self.played == self.trials:
                study.stop()

        study.optimize(measured, (1 + REFUSED) * self.trials, callbacks=[told])
        if not found:
            raise OptionError("none of the editions that were tried can be loaded; give the values other ranges")
        return found


def as_goals(wanted: Wanted) -> Goals:
    """The goals as the report takes them."""
    return replace(Goals(ties=None, cut=None), **dict(wanted))
