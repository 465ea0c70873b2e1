"""The learner of stable-baselines3: sb3-contrib's MaskablePPO over `react_env.training.algorithms.shaping.ShapedVecEnv`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env.agents.models.model import Architecture, ModelInfo
from react_env.agents.players.neural import NeuralAgent
from react_env.engine.game import Game
from react_env.extras import need
from react_env.training.algorithms import network
from react_env.training.algorithms.network_learner import NetworkLearner
from react_env.training.algorithms.rollouts import SELF
from react_env.training.algorithms.shaping import ShapedVecEnv
from react_env.training.config import TrainConfig

with need("train", "torch", "sb3_contrib", "stable_baselines3"):
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import Logger

_LOSSES = {
    "policy_loss": "train/policy_gradient_loss",
    "value_loss": "train/value_loss",
    "entropy": "train/entropy_loss",
    "approx_kl": "train/approx_kl",
    "clip_fraction": "train/clip_fraction",
}


class _Watch(BaseCallback):  # type: ignore[misc, unused-ignore]
    """Reports progress and remembers results while games are played, and ends the collection early when the run is to stop."""

    def __init__(self, threads: int) -> None:
        super().__init__()
        self._threads = threads
        self.tick: Callable[[], bool] = lambda: True
        self.collected = 0.0  # when the last collection ended
        self.results: dict[int, list[float]] = {}  # as `Maskable.results`

    def _on_rollout_start(self) -> None:
        # The passes while playing are too small to be shared: threads would wait for each other longer than they work.
        torch.set_num_threads(1)

    def _on_step(self) -> bool:
        for i in np.flatnonzero(self.locals["dones"]).tolist():
            info = self.locals["infos"][i]
            if info["opponent"] >= 0:
                self.results.setdefault(info["opponent"], []).append(info["episode"]["r"])
        return self.tick()

    def _on_rollout_end(self) -> None:
        torch.set_num_threads(self._threads)
        self.collected = time.perf_counter()


class Maskable(NetworkLearner):
    """MaskablePPO with the attributes and methods of `react_env.training.algorithms.ppo.PPO`: the learner holds one seat of each game."""

    def __init__(
        self, game: Game, config: TrainConfig, architecture: Architecture, workers: network.Workers, *, seed: int
    ) -> None:
        # With large policies and wide masks the checks of torch's distributions have been seen to fail on sound input.
        torch.distributions.Distribution.set_default_validate_args(False)
        self._game = game
        self._config = config
        self._workers = workers
        self._info = ModelInfo.of(game, architecture)
        self._env = ShapedVecEnv(
            game,
            config.envs,
            weight=config.shaping if game.heuristics.potential is not None else 0.0,
            gamma=config.gamma,
            stalemate=config.stalemate,
            seed=seed,
            threads=config.threads,
        )
        self._model = MaskablePPO(
            network.Policy,
            self._env,
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
            seed=seed,
            device="cpu",
        )
        self._model.set_logger(Logger(None, []))
        self._watch = _Watch(config.threads)
        self.policy = self._model.policy
        self.optimizer = self.policy.optimizer
        self.magnet = None
        self.seconds = {"play": 0.0, "update": 0.0}
        self._before = 0  # steps of the run that this one goes on from

    @property
    def steps(self) -> int:
        return self._before + int(self._model.num_timesteps)

    @steps.setter
    def steps(self, steps: int) -> None:
        self._before = steps - int(self._model.num_timesteps)

    @property
    def updates(self) -> int:
        return int(self._model._n_updates)

    @updates.setter
    def updates(self, updates: int) -> None:
        self._model._n_updates = updates

    def deal(self, opponents: Any, assigned: NDArray[np.int64]) -> None:
        """As `Rollouts.deal`; against itself it plays its newest self as the network is at this moment."""
        newest = NeuralAgent(
            network.export(self.policy), self._info, name="newest", temperature=1.0, threads=self._config.threads
        )
        self._env.set_opponents([*opponents, newest], np.where(assigned == SELF, len(opponents), assigned))

    def results(self) -> dict[int, list[float]]:
        """Number of an opponent -> the learner's results against it since this was last asked."""
        found, self._watch.results = self._watch.results, {}
        return found

    def learn(
        self,
        learning_rate: float,
        entropy: float,
        tick: Callable[[], bool] = lambda: True,
        *,
        teaching: float = 0.0,
    ) -> dict[str, float]:
        """Play and update once. Returns the means of the update's losses."""
        start = time.perf_counter()
        self._watch.tick = tick
        self._watch.collected = start
        self._model.lr_schedule = lambda _: learning_rate
        self._model.ent_coef = entropy
        self._model.learn(self._config.envs * self._config.rollout, self._watch, reset_num_timesteps=False)
        self.seconds["play"] += self._watch.collected - start
        self.seconds["update"] += time.perf_counter() - self._watch.collected
        logged = self._model.logger.name_to_value
        found = {name: float(logged[key]) for name, key in _LOSSES.items() if key in logged}
        if "entropy" in found:
            found["entropy"] = -found["entropy"]
        return found

    def close(self) -> None:
        """Let the games' threads go."""
        self._env.close()
