"""Learning by self-play: after a warm start, against the newest self, earlier selves and sparring partners.

`train` sets up, then repeats: collect and update, and now and then keep a copy, evaluate and save. A run is a folder:

    config.json            the options (TrainConfig)
    model.safetensors      the newest agent, with model.json: agents.load(folder, game)
    progress.jsonl         a line for each evaluation;  learning_curve.png shows it
    checkpoints/  pool/    what `resume` continues from
    tensorboard/           tensorboard --logdir folder
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import react_env
from react_env import agents
from react_env.agents.models.model import (
    AnyArchitecture,
    Architecture,
    ModelInfo,
    PolicyArchitecture,
    ValueArchitecture,
    Weights,
    load_for,
    save_model,
)
from react_env.agents.models.torch_network import Processor
from react_env.agents.players.from_model import agent_of
from react_env.engine.game import Game
from react_env.errors import ModelError, OptionError, TrainingError
from react_env.evaluation.cluster import Cluster
from react_env.evaluation.matches.match import MatchResult, play_match, whole
from react_env.extras import need
from react_env.files import write_json
from react_env.training.algorithms.compiled import teacher_of
from react_env.training.algorithms.learner import Learner, Stopped
from react_env.training.algorithms.maskable import Maskable
from react_env.training.algorithms.ppo import PPO
from react_env.training.algorithms.residual import Residual
from react_env.training.algorithms.td import TD
from react_env.training.algorithms.workers import Workers
from react_env.training.config import TrainConfig, read_options
from react_env.training.runs import progress
from react_env.training.runs import report as run_report
from react_env.training.runs.plots import Plots
from react_env.training.selfplay import checkpoints
from react_env.training.selfplay.interrupt import Interrupt
from react_env.training.selfplay.lock import check_unused, locked
from react_env.training.selfplay.pool import OpponentPool
from react_env.training.selfplay.schedule import EVALUATING, LEARNING, PREPARING, SAVING, WARMING, Phases, Schedule

with need("train", "torch"):
    import torch

_ALGORITHMS = {
    "ppo": "PPO (react_env.training.algorithms.ppo)",
    "maskable_ppo": "MaskablePPO (sb3-contrib)",
    "td": "TD(lambda) of a learned value (react_env.training.algorithms.td)",
    "residual": "a policy over a value, by PPO (react_env.training.algorithms.residual)",
}
# What each model is, and what can train it.
_TRAINED_BY: dict[type, tuple[str, tuple[str, ...]]] = {
    Architecture: ("a network that chooses", ("ppo", "maskable_ppo")),
    ValueArchitecture: ("a learned value", ("td", "residual")),
    PolicyArchitecture: ("a policy over the game's own value", ("residual",)),
}


@dataclass(frozen=True)
class TrainResult:
    """The result of a run, or of its part until an interruption."""

    folder: Path
    model: Path
    curve: Path
    steps: int
    seconds: float  # of the run so far, interruptions left out
    learning_seconds: float  # of these, collecting and updating
    interrupted: bool
    evaluations: list[dict[str, Any]]
    phases: dict[str, dict[str, float]]  # as `react_env.training.selfplay.schedule.Phases.to_json`

    @property
    def steps_per_second(self) -> float:
        """Learner steps per second of learning time."""
        return self.steps / self.learning_seconds if self.learning_seconds else 0.0


@dataclass
class Status:
    """Progress of a run, passed to `report` several times a second."""

    steps: int
    fraction: float  # of the whole run, 0..1
    steps_per_second: float  # of learning alone
    seconds_left: float  # until everything is done, including what follows the run; `math.inf` if not known yet
    doing: str  # "learning", "evaluating", "saving", or what the warm start does


def train(
    config: TrainConfig,
    folder: str | Path,
    *,
    resume: bool = False,
    report: Callable[[Status], None] = lambda status: None,
    say: Callable[[str], None] = lambda line: None,
    matches: float = 0.0,
    cluster: Cluster | None = None,
) -> TrainResult:
    """Train an agent as `config` says, in `folder`.

    With `resume` a run in `folder` continues from its newest checkpoint, with its original options; only `steps` and `minutes` of
    `config` may change. Ctrl-C ends the run early, with everything saved. `report` is called with the progress, `say` with messages.
    `matches`: the time that the caller will spend on matches afterwards, as a share of the learning time; it is part of the time left
    that `report` shows. With a `cluster` its machines play the games to learn from; this machine learns, and plays the evaluations.

    Raises OptionError if `folder` holds a run and `resume` is not set; ModelError if that run began under other rules; TrainingError if
    another process is working on it, if a loss is no longer finite, or if the end of the run cannot be saved. Anything that cannot be
    saved earlier is reported and tried again later.
    """
    folder = Path(folder)
    if cluster is not None:
        config.check_elsewhere()
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        if not resume:
            check_unused(folder)
        elif (folder / "config.json").exists():
            begun = read_options(folder / "config.json")
            config = TrainConfig(**{**begun, "steps": config.steps, "minutes": config.minutes})
        with closing(_Run(config, folder, report, say, matches, cluster)) as run:
            write_json(folder / "config.json", config.to_json())  # only now: a run that could not begin leaves none
            return run.go()


class _Run:
    """A run in progress: the learner, its opponents, and how far it is."""

    def __init__(
        self,
        config: TrainConfig,
        folder: Path,
        report: Callable[[Status], None],
        say: Callable[[str], None],
        matches: float,
        cluster: Cluster | None,
    ) -> None:
        self.config, self.folder, self._report, self._say = config, folder, report, say
        self.cluster = cluster
        self.schedule = Schedule(
            config.steps, config.minutes, config.evaluations + 1 if config.evaluations else 0, matches
        )
        self.phases = Phases()
        with self.phases.phase(PREPARING):
            self._prepare()

    def _prepare(self) -> None:
        """Load the game and all players, and continue from the newest checkpoint if there is one."""
        config, folder, cluster = self.config, self.folder, self.cluster
        self.game = game = react_env.load(config.game, **config.options)
        self.teacher = teacher_of(game, config.teacher)
        # A resumed run no longer needs the model that it started from, which may have changed by now, or be gone.
        own = checkpoints.newest_model(folder / "checkpoints") if config.start else None
        self.info, first = _beginning(config, game, str(own or config.start))
        # Each thread works on its own share of the decisions: threads inside a single matrix product would mostly wait for each other.
        torch.set_num_threads(1)
        large = isinstance(self.info.architecture, Architecture)  # the others are too small to gain from a GPU
        self.workers = Workers(config.threads, Processor.of(config.device if large else "cpu", config.precision))
        self.pool = OpponentPool(
            config, self.info, folder / "pool", np.random.default_rng((config.seed, 1)), game, cluster
        )
        self.baselines = {name: agents.load(name, game, threads=config.threads) for name in config.baselines}
        for name, share in config.opponents.items():
            if share:
                self.pool.meet(name)
        resumed_at = checkpoints.newest_steps(folder / "checkpoints")
        seed = config.seed + max(resumed_at, 0)
        self.learner: Learner
        architecture = self.info.architecture
        if config.algorithm == "residual":
            self.learner = Residual(game, config, self.info, first or {}, self.workers, seed=seed)
        elif isinstance(architecture, ValueArchitecture):
            self.learner = TD(game, config, architecture, self.workers, seed=seed, cluster=cluster)
        elif config.algorithm == "ppo":
            self.learner = PPO(game, config, architecture, self.workers, seed=seed, cluster=cluster)
        else:
            assert isinstance(architecture, Architecture)
            self.learner = Maskable(game, config, architecture, self.workers, seed=seed)
        self.evaluated = -1  # the number of the last evaluation
        self.snapshot_at = config.snapshot_steps
        self.seconds_of: dict[str, float] = {}  # of learning, by kind, over all parts of the run
        # The part of the warm start that is done.
        self.warmed = 0.0 if config.imitation_games and not config.start else 1.0
        self.fresh = resumed_at < 0
        if not self.fresh:
            self._restore()
        else:
            progress.cut(folder, -1)  # left by a run that ended before its first checkpoint
            if first is not None:
                self.learner.begin_from(first)
        if self.warmed < 1:
            agents.load(self.teacher, game)  # compile now, not in the time of the warm start
        self.log = Plots(folder / "tensorboard", purge_step=None if self.fresh else self.learner.steps)
        self.unwritten: list[dict[str, Any]] = []  # evaluations for which the disk had no room

    def _restore(self) -> None:
        """Continue from the newest checkpoint that can be read."""
        folder, learner = self.folder, self.learner
        found, problems = checkpoints.restore(folder / "checkpoints", learner)
        if found["rules_hash"] != self.game.rules_hash:
            raise ModelError(
                f"{folder}: this run was started under other rules ({found['rules_hash']}, now {self.game.rules_hash})"
            )
        problems += self.pool.restore(found["pool"])
        progress.cut(folder, learner.steps)
        self.phases.add(found["phases"])
        # If the run is longer than before, fewer evaluations count as done at this share of it.
        self.evaluated = min(found["evaluated"], int(self._done() * self.config.evaluations))
        self.snapshot_at = found["snapshot_at"]
        self.seconds_of = found["seconds_of"]
        self.warmed = float(found["warmed"])
        for problem in problems:
            self._say(problem)
        self._say(f"resumed at {learner.steps:,} learner steps")

    def go(self) -> TrainResult:
        """Learn until the run ends or is interrupted, then save everything."""
        with Interrupt(self._say) as self.interrupt:
            try:
                if self.warmed < 1:
                    with self.phases.phase(WARMING):
                        self._say(self.learner.imitate(self.teacher, self._watch_warm_start, self._warming))
                    self.warmed = 1.0
                    self._try_to_save()
                if self._done() >= 1:
                    self._say(f"nothing left to learn: all {self.learner.steps:,} learner steps are done")
                with self.phases.phase(LEARNING):
                    self._learn()
            except Stopped:
                pass
            title = f"{self.config.game}: {_kind(self.config, self.teacher)}"
            try:
                file = self._save()
                curve = progress.draw(self.folder, self.folder / "learning_curve.png", title)
            except OSError as error:
                saved = checkpoints.newest_steps(self.folder / "checkpoints")
                rest = f"from its checkpoint at {saved:,} steps" if saved >= 0 else "anew: it has no checkpoint yet"
                raise TrainingError(
                    f"{self.folder}: the end of the run, at {self.learner.steps:,} learner steps, cannot be saved: "
                    f"{error.filename or self.folder}: {error.strerror}. Make room, then resume it {rest}"
                ) from None
            run_report.keep(self.folder, self.log, self._say, final=True)
        return TrainResult(
            folder=self.folder,
            model=file,
            curve=curve,
            steps=self.learner.steps,
            seconds=self.phases.seconds(),
            learning_seconds=self.phases.seconds(LEARNING),
            interrupted=self.interrupt.requested,
            evaluations=progress.read(self.folder),
            phases=self.phases.to_json(),
        )

    def close(self) -> None:
        """Close files and shut down threads."""
        self.log.close()
        self.learner.close()
        self.workers.close()

    def _learn(self) -> None:
        """Repeat: collect and update, and now and then keep a copy, evaluate and save."""
        config = self.config
        saved_at = time.monotonic()
        dealt = 0
        while True:
            done = self._done()
            now = int(done * config.evaluations)
            if config.evaluations and now > self.evaluated and (done >= 1 or self._may_evaluate()):
                with self.phases.phase(EVALUATING):
                    self._evaluate(now)
                self.evaluated = now
            if done >= 1 or self.interrupt.requested:
                return
            dealt = self._deal(dealt)
            self._update(done)
            if time.monotonic() - saved_at > config.checkpoint_seconds:
                self._try_to_save()
                saved_at = time.monotonic()

    def _done(self) -> float:
        """How much of the learning is done, 0..1."""
        return self.schedule.fraction(self.learner.steps, self.phases.seconds(LEARNING))

    def _rate(self) -> float:
        """Learner steps per second of learning."""
        return self.learner.steps / max(self.phases.seconds(LEARNING), 1e-9)

    def _may_evaluate(self) -> bool:
        spent = self.phases.seconds(EVALUATING)
        return self.schedule.may_evaluate(self.learner.steps, self.phases.seconds(LEARNING), spent)

    def _deal(self, dealt: int) -> int:
        """Decide who plays whom in the next update: drawn anew now and then, and whenever a copy is kept.

        `dealt` is the number of updates since the last draw; returns the new number.
        """
        config, learner, pool = self.config, self.learner, self.pool
        if learner.steps >= self.snapshot_at:
            pool.note(learner.results())  # before `add`, which draws anew who plays
            try:
                pool.add(learner.steps, learner.export())
            except OSError as error:
                self._say(f"{error.filename}: {error.strerror}; the run goes on without this earlier self")
            self.snapshot_at = learner.steps + config.snapshot_steps
            dealt = 0
        elif dealt >= config.pool_redraw:
            pool.note(learner.results())
            pool.draw()
            dealt = 0
        if dealt == 0 or config.algorithm == "maskable_ppo":
            learner.deal(*pool.deal(config.envs))
        return dealt + 1

    def _update(self, done: float) -> None:
        """Collect and update once; `done` (0..1) is the share of the run that is over."""
        config, learner = self.config, self.learner
        before, spent = learner.steps, dict(learner.seconds)
        losses = learner.learn(
            _between(config.learning_rate, config.learning_rate_end, done),
            _between(config.entropy, config.entropy_end, done),
            self._tick,
        )
        spoiled = [name for name, loss in losses.items() if not np.isfinite(loss)]
        if spoiled:
            raise TrainingError(
                f"{self.folder}: {spoiled[0].replace('_', ' ')} is not a finite number after {before:,} learner steps; "
                "the run stops. Its last checkpoint is sound: resume it, or begin anew with a smaller learning rate"
            )
        for name, seconds in learner.seconds.items():
            self.seconds_of[name] = self.seconds_of.get(name, 0.0) + seconds - spent[name]
        for name, loss in losses.items():
            self.log.add(f"update/{name}", loss, learner.steps)
        self.log.add("rate/learner_steps_per_second", self._rate(), learner.steps)

    def _tick(self, doing: str = "learning") -> bool:
        """Report progress. Returns False once the run should stop."""
        steps, spent = self.learner.steps, self.phases.seconds()
        left = self.schedule.left(steps, self.phases, warming=self.warmed, number=self.evaluated + 1)
        self._report(Status(steps, spent / (spent + left), self._rate(), left, doing))
        return not self.interrupt.requested

    def _watch_warm_start(self, doing: str) -> Callable[..., None]:
        """As `_watch`, for work that says what share of the warm start is done."""
        watch = self._watch(doing)

        def watch_part(part: float) -> None:
            self.warmed = min(part, 0.99)
            watch()

        return watch_part

    def _warming(self) -> float:
        """The share of the warm start's time that has passed."""
        return self.phases.seconds(WARMING) / self.schedule.warm_start()

    def _watch(self, doing: str) -> Callable[..., None]:
        """A function to call during long work; it raises Stopped when the run should stop."""

        def watch(*_: Any) -> None:
            self._tick(doing)
            self.interrupt.check()

        return watch

    def _evaluate(self, number: int) -> None:
        """Play matches against the baselines, within the time for the evaluation `number`."""
        config, steps, phases = self.config, self.learner.steps, self.phases
        weights = self.learner.export()
        limit = self.schedule.evaluation(steps, phases.seconds(LEARNING), phases.seconds(EVALUATING), number)

        def play(name: str) -> MatchResult:
            return play_match(
                self.game,
                agent_of(self.game, weights, self.info, how=config.evaluated_as, threads=config.threads),
                self.baselines[name],
                whole(self.game, config.evaluation_games),
                seed=config.seed,
                threads=config.threads,
                seconds=limit if self.schedule.timed else None,
                progress=self._watch("evaluating"),
            )

        # All matches at once: the last games of one leave cores free for the others.
        with ThreadPoolExecutor(max(1, len(self.baselines))) as pool:
            matches = dict(zip(self.baselines, pool.map(play, self.baselines), strict=True))
        against = {}
        for name, match in matches.items():
            against[name] = {**match.total.to_json(), "seats": [seat.to_json() for seat in match.seats]}
            self.log.add(f"evaluation/{name}", match.total.win_rate, steps)
        self.unwritten.append({"steps": steps, "seconds": round(phases.seconds(), 1), "against": against})
        try:
            self._record()
        except OSError as error:
            self._say(f"{error.filename}: {error.strerror}; this evaluation is written as soon as there is room")
        rates = ", ".join(f"{100 * result['win_rate']:.0f} % against {name}" for name, result in against.items())
        self._say(f"{steps:>12,} learner steps: wins {rates}")
        with phases.phase(SAVING):
            run_report.keep(self.folder, self.log, self._say)

    def _record(self) -> None:
        """Write the evaluations that are not written yet."""
        if self.unwritten:
            progress.append(self.folder, *self.unwritten)
            self.unwritten.clear()

    def _try_to_save(self) -> None:
        """Save, or say why that failed."""
        try:
            self._save()
        except OSError as error:
            self._say(
                f"{self.folder}: not saved ({error.strerror}); the last checkpoint stays, and the run tries again "
                f"in {self.config.checkpoint_seconds:.0f} seconds"
            )

    def _save(self) -> Path:
        """Write a checkpoint, and the current agent into the run's folder."""
        with self.phases.phase(SAVING):
            self._tick("saving")
            if not (self.folder / "config.json").exists():  # the folder was removed meanwhile
                write_json(self.folder / "config.json", self.config.to_json())
            self._record()
            weights = self.learner.export()
            about = replace(self.info, training={**self.info.training, **self._summary()})
            extra = {
                "rules_hash": self.game.rules_hash,
                "phases": self.phases.to_json(),
                "warmed": int(self.warmed),
                "seconds_of": self.seconds_of,
                "evaluated": self.evaluated,
                "snapshot_at": self.snapshot_at,
                "pool": self.pool.to_json(),
            }
            checkpoints.save(self.folder / "checkpoints", self.learner, weights, about, extra)
            self.pool.sweep()
            return save_model(self.folder, weights, about)

    def _summary(self) -> dict[str, Any]:
        """What model.json says about the training."""
        config, evaluations = self.config, progress.read(self.folder)
        return {
            "algorithm": f"{_ALGORITHMS[config.algorithm]}: {_kind(config, self.teacher)}",
            "learner_steps": self.learner.steps,
            "seconds": round(self.phases.seconds(), 1),
            "phases": self.phases.to_json(),
            "steps_per_second": round(self._rate()),
            "seconds_of": {name: round(seconds, 1) for name, seconds in self.seconds_of.items()},
            "device": self.workers.processor.device,
            "bfloat16": self.workers.processor.half and config.algorithm in ("ppo", "residual"),
            "seed": config.seed,
            "config": config.to_json(),
            "last_evaluation": evaluations[-1] if evaluations else None,
        }


def _beginning(config: TrainConfig, game: Game, start: str) -> tuple[ModelInfo, Weights | None]:
    """What is trained, and the weights it begins with, or None for new ones. `start`: the option, or the run's own model.

    Raises OptionError for a start that does not fit.
    """
    first: Weights | None = None
    over: dict[str, Any] = {}
    architecture: AnyArchitecture
    if start:
        first, about, _ = load_for(start, game, on_mismatch="warn")
        architecture = about.architecture
        what, trains = _TRAINED_BY[type(architecture)]
        if config.algorithm not in trains:
            raise OptionError(f"{start} is {what}: train it by {' or '.join(trains)}, not by {config.algorithm}")
        if config.algorithm == "td" and isinstance(architecture, ValueArchitecture):
            architecture, first = architecture.alone(first)
        elif isinstance(architecture, ValueArchitecture):
            architecture = architecture if architecture.policy else replace(architecture, policy=config.policy_width)
            told = about.training if start == config.start else about.training.get("over", {})
            over = {"over": told} if "config" in told else {}
    elif config.algorithm == "td":
        architecture = ValueArchitecture.of(game, config.value_width)
    elif config.algorithm == "residual":
        architecture = PolicyArchitecture.of(game, config.policy_width)
    else:
        layers = config.trunk, config.policy, config.value, config.activation, config.row_width
        architecture = Architecture(*layers, pool_width=config.pool_width if config.trunk else 0).fitted(game)
    return ModelInfo.of(game, architecture, over), first


def _between(start: float, end: float, fraction: float) -> float:
    return start + (end - start) * fraction


def _kind(config: TrainConfig, teacher: str) -> str:
    """What kind of training this is, in a few words."""
    start = f"a warm start from {teacher}, then " if config.imitation_games else ""
    if config.algorithm == "residual":
        start = "over the game's own, "
    if config.start:
        start = f"from {config.start}, "
    sparring = [name for name, share in config.opponents.items() if share and name != "random"]
    return f"{start}self-play{' and sparring with ' + ' and '.join(sparring) if sparring else ''}"
