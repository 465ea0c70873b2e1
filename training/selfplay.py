"""Learning by self-play: MaskablePPO against its newest self, earlier selves and the baselines, after a warm start.

`train` reads from top to bottom: set up, then again and again collect and update, keep a copy now and then, evaluate, save. A run is a
folder:

    config.json            what was set (TrainConfig)
    model.safetensors      the newest agent, with model.json: agents.load(folder, game)
    progress.jsonl         a line for each evaluation;  learning_curve.png shows it
    checkpoints/  pool/    what `resume` goes on from
    tensorboard/           tensorboard --logdir folder
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure

import agents
import react_env
from agents.files import write_json
from agents.neural import Architecture, ModelInfo, NeuralAgent, save_model
from evaluation.matches import play_match
from react_env.errors import ModelError, OptionError
from training import checkpoints, imitation, network, progress
from training.config import TrainConfig
from training.interrupt import Interrupt, Stopped
from training.pool import OpponentPool
from training.shaping import ShapedVecEnv

BASELINES = ("random", "greedy")


@dataclass(frozen=True)
class TrainResult:
    """What a run, or the part of it until an interruption, came to."""

    folder: Path
    model: Path
    curve: Path
    steps: int
    seconds: float  # of training so far, interruptions left out
    steps_per_second: float  # of collecting and updating alone
    interrupted: bool
    evaluations: list[dict[str, Any]]


@dataclass
class Status:
    """How far a run is; given to `report` several times a second."""

    steps: int
    fraction: float  # of the whole run, 0..1
    steps_per_second: float
    seconds_left: float
    doing: str  # "learning", "evaluating against greedy", "saving"


class Clock:
    """How much of the run is done, by steps or by time, whichever is further."""

    def __init__(self, config: TrainConfig, elapsed: float = 0.0) -> None:
        self._config = config
        self._start = time.monotonic() - elapsed

    def seconds(self) -> float:
        return time.monotonic() - self._start

    def fraction(self, steps: int) -> float:
        """0 at the beginning, 1 when the run is over."""
        by_steps = steps / self._config.steps if self._config.steps else 0.0
        by_time = self.seconds() / (60 * self._config.minutes) if self._config.minutes else 0.0
        return min(1.0, max(by_steps, by_time))


class _Watch(BaseCallback):  # type: ignore[misc, unused-ignore]
    """Reports progress while games are played, and ends the collection early when the run is to stop."""

    def __init__(self, tick: Callable[[], bool], threads: int) -> None:
        super().__init__()
        self._tick = tick
        self._threads = threads
        self.results: list[float] = []

    def _on_rollout_start(self) -> None:
        # The passes while playing are too small to be shared: threads would wait for each other longer than they work.
        torch.set_num_threads(1)

    def _on_step(self) -> bool:
        done = self.locals["dones"]
        if done.any():
            self.results.extend(self.locals["infos"][i]["episode"]["r"] for i in done.nonzero()[0])
        return self._tick()

    def _on_rollout_end(self) -> None:
        torch.set_num_threads(self._threads)
        if self.results:
            self.logger.record("rollout/games", len(self.results))
            self.logger.record("rollout/mean_result", float(np.mean(self.results)))
            self.results = []


def train(
    config: TrainConfig,
    folder: Path,
    *,
    resume: bool = False,
    report: Callable[[Status], None] = lambda status: None,
    say: Callable[[str], None] = lambda line: None,
) -> TrainResult:
    """Train an agent as `config` says, in `folder`.

    With `resume` a run in `folder` goes on from its newest checkpoint, with the options it was begun with; only `steps` and
    `minutes` of `config` may change. Ctrl-C ends the run early, with everything saved. `report` and `say` show what happens.

    OptionError if `folder` holds a run and `resume` is not set; ModelError if that run was made under other rules.
    """
    if (folder / "config.json").exists():
        if not resume:
            raise OptionError(f"{folder} already holds a run: resume it, or choose another name")
        config = replace(TrainConfig.read(folder / "config.json"), steps=config.steps, minutes=config.minutes)
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "config.json", config.to_json())

    # The game, the network, the opponents.
    torch.distributions.Distribution.set_default_validate_args(False)
    game = react_env.load(config.game, **config.options)
    architecture = Architecture(config.trunk, config.policy, config.value, config.activation, config.row_width).fitted(
        game
    )
    info = ModelInfo.of(game, architecture)
    pool = OpponentPool(config, info, folder / "pool", np.random.default_rng((config.seed, 1)))
    found: dict[str, Any] | None = None
    resumed_at = checkpoints.newest_steps(folder / "checkpoints")
    env = ShapedVecEnv(
        game,
        config.envs,
        weight=config.shaping if game.rules.potential is not None else 0.0,
        gamma=config.gamma,
        stalemate=config.stalemate,
        seed=config.seed + resumed_at,
        threads=config.threads,
    )
    clock = Clock(config)
    model = MaskablePPO(
        network.Policy,
        env,
        n_steps=config.rollout,
        batch_size=config.minibatch,
        n_epochs=config.epochs,
        learning_rate=config.learning_rate,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip,
        ent_coef=config.entropy,
        vf_coef=config.value_weight,
        max_grad_norm=config.max_grad_norm,
        policy_kwargs=network.policy_keywords(architecture, game.layout.scale),
        seed=config.seed,
        device="cpu",
    )
    model.lr_schedule = lambda _: _between(
        config.learning_rate, config.learning_rate_end, clock.fraction(model.num_timesteps)
    )
    model.set_logger(configure(str(folder / "tensorboard"), ["tensorboard"]))
    if resumed_at:
        found, problems = checkpoints.restore(folder / "checkpoints", model)
        if found["rules_hash"] != game.rules_hash:
            raise ModelError(
                f"{folder}: this run was begun under other rules ({found['rules_hash']}, now {game.rules_hash})"
            )
        problems += pool.restore(found["pool"])
        progress.cut(folder, model.num_timesteps)
        clock = Clock(config, found["seconds"])
        for problem in problems:
            say(problem)
        say(f"resumed at {model.num_timesteps:,} learner steps")
    # The number of the last evaluation; with a longer run than before, that of the same share of it.
    evaluated = min(found["evaluated"], int(clock.fraction(model.num_timesteps) * config.evaluations)) if found else -1
    snapshot_at = found["snapshot_at"] if found else config.snapshot_steps

    baselines = {name: agents.load(name, game, threads=config.threads) for name in BASELINES}
    if config.greedy_share:
        pool.greedy = baselines["greedy"]
    # Learner steps and seconds of collecting and updating alone, of all parts of the run.
    learned, learning_seconds = (found["learned"], found["learning_seconds"]) if found else (0, 1e-9)
    saved_at = time.monotonic()

    with Interrupt(say) as interrupt:

        def tick(doing: str = "learning") -> bool:
            done = clock.fraction(model.num_timesteps)
            left = clock.seconds() * (1 - done) / done if done else 0.0
            report(Status(model.num_timesteps, done, learned / learning_seconds, left, doing))
            return not interrupt.requested

        def evaluate() -> None:
            agent = NeuralAgent(network.export(model.policy), info)
            against = {}
            for name, baseline in baselines.items():

                def watch(done: int, total: int, name: str = name) -> None:
                    tick(f"evaluating against {name}")
                    interrupt.check()

                match = play_match(
                    game,
                    agent,
                    baseline,
                    config.evaluation_games,
                    seed=config.seed,
                    threads=config.threads,
                    progress=watch,
                )
                against[name] = match.total.to_json()
                model.logger.record(f"evaluation/{name}", match.total.win_rate)
            model.logger.dump(model.num_timesteps)
            line = {"steps": model.num_timesteps, "seconds": round(clock.seconds(), 1), "against": against}
            progress.append(folder, line)
            rates = ", ".join(f"{100 * result['win_rate']:.0f} % against {name}" for name, result in against.items())
            say(f"{model.num_timesteps:>12,} learner steps: wins {rates}")

        def save() -> Path:
            tick("saving")
            weights = network.export(model.policy)
            about = replace(
                info, training=_summary(config, teacher, model.num_timesteps, clock.seconds(), progress.read(folder))
            )
            extra = {
                "rules_hash": game.rules_hash,
                "seconds": clock.seconds(),
                "learned": learned,
                "learning_seconds": learning_seconds,
                "evaluated": evaluated,
                "snapshot_at": snapshot_at,
                "pool": pool.to_json(),
            }
            checkpoints.save(folder / "checkpoints", model.num_timesteps, model, weights, about, extra)
            pool.sweep()
            return save_model(folder, weights, about)

        teacher = imitation.teacher_of(game, config.teacher)

        def imitate() -> None:
            def playing(done: float) -> None:
                tick(f"{teacher} plays {config.imitation_games} games to imitate")
                interrupt.check()

            def fitting(done: float) -> None:
                tick(f"imitating {teacher}")
                interrupt.check()

            lessons = imitation.collect(
                game,
                config.imitation_games,
                teacher=teacher,
                noise=config.imitation_noise,
                gamma=config.gamma,
                weight=config.shaping,
                seed=config.seed,
                threads=config.threads,
                progress=playing,
            )
            agreement = imitation.fit(
                model.policy,
                lessons,
                epochs=config.imitation_epochs,
                minibatch=min(1024, config.minibatch),
                learning_rate=config.imitation_rate,
                seed=config.seed,
                tick=fitting,
            )
            say(
                f"imitated {len(lessons.actions):,} decisions of {teacher}; the network agrees with "
                f"{100 * agreement:.0f} % of them"
            )

        watch_games = _Watch(tick, config.threads)
        try:
            if not resumed_at and config.imitation_games:
                imitate()
            while True:
                done = clock.fraction(model.num_timesteps)
                if config.evaluations and int(done * config.evaluations) > evaluated:
                    evaluate()
                    evaluated = int(done * config.evaluations)
                if done >= 1 or interrupt.requested:
                    break
                start = time.perf_counter()
                weights = network.export(model.policy)
                pool.renew(weights)
                if model.num_timesteps >= snapshot_at:
                    pool.add(model.num_timesteps, weights)
                    snapshot_at = model.num_timesteps + config.snapshot_steps
                env.set_opponents(*pool.deal(config.envs))
                model.ent_coef = _between(config.entropy, config.entropy_end, done)
                before = model.num_timesteps
                model.learn(config.envs * config.rollout, watch_games, reset_num_timesteps=False)
                learned += model.num_timesteps - before
                learning_seconds += time.perf_counter() - start
                if time.monotonic() - saved_at > config.checkpoint_seconds:
                    save()
                    saved_at = time.monotonic()
        except Stopped:
            pass
        seconds = clock.seconds()
        file = save()
        curve = progress.draw(folder, folder / "learning_curve.png", f"{config.game}: {_kind(config, teacher)}")
    env.close()
    return TrainResult(
        folder=folder,
        model=file,
        curve=curve,
        steps=model.num_timesteps,
        seconds=seconds,
        steps_per_second=learned / learning_seconds,
        interrupted=interrupt.requested,
        evaluations=progress.read(folder),
    )


def _between(start: float, end: float, fraction: float) -> float:
    return start + (end - start) * fraction


def _kind(config: TrainConfig, teacher: str) -> str:
    """What kind of training this is, in a few words."""
    start = f"a warm start from {teacher}, then " if config.imitation_games else ""
    return f"{start}self-play{' and sparring with greedy' if config.greedy_share else ''}"


def _summary(
    config: TrainConfig, teacher: str, steps: int, seconds: float, evaluations: list[dict[str, Any]]
) -> dict[str, Any]:
    """What model.json tells about the training."""
    return {
        "algorithm": f"MaskablePPO (sb3-contrib): {_kind(config, teacher)}",
        "learner_steps": steps,
        "seconds": round(seconds, 1),
        "seed": config.seed,
        "config": config.to_json(),
        "last_evaluation": evaluations[-1] if evaluations else None,
    }
