"""The learner of stable-baselines3: sb3-contrib's MaskablePPO over `react_env.training.algorithms.shaping.ShapedVecEnv`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env.agents.models.model import Architecture, ModelInfo
from react_env.agents.models.torch_network import TorchNetwork, export
from react_env.agents.players.neural import NeuralAgent
from react_env.engine.game import Game
from react_env.extras import need
from react_env.training.algorithms.network_learner import NetworkLearner
from react_env.training.algorithms.rollouts import SELF
from react_env.training.algorithms.shaping import ShapedVecEnv
from react_env.training.algorithms.workers import Workers
from react_env.training.config import TrainConfig

with need("train", "torch", "sb3_contrib", "stable_baselines3"):
    import torch
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import Logger

_LOSSES = {
    "policy_loss": "train/policy_gradient_loss",
    "value_loss": "train/value_loss",
    "entropy": "train/entropy_loss",
    "approx_kl": "train/approx_kl",
    "clip_fraction": "train/clip_fraction",
}


class Policy(MaskableActorCriticPolicy):  # type: ignore[misc, unused-ignore]
    """MaskablePPO's policy around a `TorchNetwork`."""

    network: TorchNetwork

    def __init__(self, *arguments: Any, architecture: Architecture, scale: NDArray[Any], **keywords: Any) -> None:
        self._parts = (architecture, scale)
        super().__init__(*arguments, **keywords)

    def _build(self, lr_schedule: Any) -> None:
        self.network = TorchNetwork(*self._parts, int(self.action_space.n))  # type: ignore[attr-defined, unused-ignore]
        learning_rate: Any = {"lr": lr_schedule(1)}
        self.optimizer = self.optimizer_class(self.network.parameters(), **learning_rate, **self.optimizer_kwargs)

    def _distribution(self, logits: torch.Tensor, masks: Any) -> Any:
        found = self.action_dist.proba_distribution(action_logits=logits)
        if masks is not None:
            found.apply_masking(masks)
        return found

    def forward(self, obs: Any, deterministic: bool = False, action_masks: Any = None) -> tuple[Any, Any, Any]:
        logits, values = self.network(obs)
        distribution = self._distribution(logits, action_masks)
        actions = distribution.get_actions(deterministic=deterministic)
        return actions, values[:, None], distribution.log_prob(actions)

    def evaluate_actions(self, obs: Any, actions: Any, action_masks: Any = None) -> tuple[Any, Any, Any]:
        logits, values = self.network(obs)
        distribution = self._distribution(logits, action_masks)
        return values[:, None], distribution.log_prob(actions), distribution.entropy()

    def get_distribution(self, obs: Any, action_masks: Any = None) -> Any:
        return self._distribution(self.network.logits(obs), action_masks)

    def predict_values(self, obs: Any) -> Any:
        return self.network.values(obs)[:, None]


class _Watch(BaseCallback):  # type: ignore[misc, unused-ignore]
    """Reports progress and remembers results while games are played, and ends the collection early when the run should stop."""

    def __init__(self, threads: int) -> None:
        super().__init__()
        self._threads = threads
        self.tick: Callable[[], bool] = lambda: True
        self.collected = 0.0  # when the last collection ended
        self.results: dict[int, list[float]] = {}  # as `Maskable.results`

    def _on_rollout_start(self) -> None:
        # The network's passes during play are too small to share: threads would wait for each other longer than they work.
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
        self, game: Game, config: TrainConfig, architecture: Architecture, workers: Workers, *, seed: int
    ) -> None:
        # For large policies and wide masks, the checks of torch's distributions have failed on valid input.
        torch.distributions.Distribution.set_default_validate_args(False)
        self._game = game
        self._config = config
        self._workers = workers
        self._info = ModelInfo.of(game, architecture)
        self._env = ShapedVecEnv(
            game,
            config.envs,
            weight=config.shaping,
            gamma=config.gamma,
            stalemate=config.stalemate,
            seed=seed,
            threads=config.threads,
        )
        self._model = MaskablePPO(
            Policy,
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
            policy_kwargs={"architecture": architecture, "scale": game.layout.scale},
            seed=seed,
            device=workers.processor.device,
        )
        self._model.set_logger(Logger(None, []))
        self._watch = _Watch(config.threads)
        policy: Any = self._model.policy
        self.policy, self.optimizer = policy.network, policy.optimizer
        self.magnet = None
        self.seconds = {"play": 0.0, "update": 0.0}
        self.steps = self.updates = 0

    def deal(self, opponents: Any, assigned: NDArray[np.int64]) -> None:
        """As `Rollouts.deal`, but in games against itself the opponent is a copy of the network as it is now."""
        newest = NeuralAgent(
            export(self.policy), self._info, name="newest", temperature=1.0, threads=self._config.threads
        )
        self._env.set_opponents([*opponents, newest], np.where(assigned == SELF, len(opponents), assigned))

    def results(self) -> dict[int, list[float]]:
        """Number of an opponent -> the learner's results against it since this was last asked."""
        found, self._watch.results = self._watch.results, {}
        return found

    def learn(self, learning_rate: float, entropy: float, tick: Callable[[], bool] = lambda: True) -> dict[str, float]:
        """Play and update once. Returns the means of the update's losses."""
        start = time.perf_counter()
        self._watch.tick = tick
        self._watch.collected = start
        self._model.lr_schedule = lambda _: learning_rate
        self._model.ent_coef = entropy
        before = self._model.num_timesteps
        self._model.learn(self._config.envs * self._config.rollout, self._watch, reset_num_timesteps=False)
        self.steps += self._model.num_timesteps - before
        self.updates += self._config.epochs
        self.seconds["play"] += self._watch.collected - start
        self.seconds["update"] += time.perf_counter() - self._watch.collected
        logged = self._model.logger.name_to_value
        found = {name: float(logged[key]) for name, key in _LOSSES.items() if key in logged}
        if "entropy" in found:
            found["entropy"] = -found["entropy"]
        return found

    def close(self) -> None:
        """Shut down the threads that play the games."""
        self._env.close()
