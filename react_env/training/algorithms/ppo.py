"""Our own proximal policy optimization, in one file, over `react_env.training.algorithms.rollouts`.

It saves what costs most in stable-baselines3's MaskablePPO: it learns from the learner's decisions in both seats, computes large matrix
products in bfloat16 if the processor has instructions for it, and does without an environment for each seat.

Schulman et al. (2017), with the advantages normalized over each minibatch. With `magnet` above 0 a Kullback-Leibler term holds the policy
near a moving average of itself, as in magnetic mirror descent (Sokota et al., 2023).
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env.agents.models.model import AnyArchitecture, Floats
from react_env.agents.models.torch_network import TorchNetwork
from react_env.agents.protocol import Masks, Observations
from react_env.engine.game import Game
from react_env.evaluation.cluster import Cluster
from react_env.extras import need
from react_env.training.algorithms.elsewhere import RolloutsElsewhere
from react_env.training.algorithms.network_learner import NetworkLearner
from react_env.training.algorithms.rollouts import Rollout, Rollouts, Tells
from react_env.training.algorithms.workers import NEVER, Workers
from react_env.training.config import TrainConfig

with need("train", "torch"):
    import torch

_LOSSES = ("policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction", "magnet_kl")


class PPO(NetworkLearner):
    """The learner: network, optimizer, the games it plays, and the update.

    Attributes:
        policy, optimizer: torch objects.
        steps: decisions learned from so far; updates: passes over a rollout.
        seconds: where the time went: {"play", "update"}, and "inference", the part of "play" that the network took.
    """

    _tells: Tells | None = None  # as `Rollouts` takes it

    def __init__(
        self,
        game: Game,
        config: TrainConfig,
        architecture: AnyArchitecture,
        workers: Workers,
        *,
        seed: int,
        cluster: Cluster | None = None,
    ) -> None:
        torch.manual_seed(seed)
        self._game = game
        self._config = config
        self._workers = workers
        self.policy = self._new_network(architecture).to(workers.processor.device)
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=config.learning_rate, eps=1e-5, fused=True)
        self.magnet = copy.deepcopy(self.policy) if config.magnet else None
        self.steps = 0
        self.updates = 0
        self.seconds = {"play": 0.0, "inference": 0.0, "update": 0.0}
        self._rng = np.random.default_rng((seed, 5))
        self._rollouts: Rollouts | RolloutsElsewhere
        if cluster is None:
            self._rollouts = Rollouts(game, config, config.envs, seed=seed, threads=config.threads, tells=self._tells)
        else:
            self._rollouts = RolloutsElsewhere(cluster, game, config, architecture, seed=seed)
        self._played: Rollout | None = None  # on other machines, and not learned from yet
        self._beside = ThreadPoolExecutor(1, initializer=torch.set_num_threads, initargs=(1,))

    def _new_network(self, architecture: Any) -> Any:
        return TorchNetwork(architecture, self._game.layout.scale, self._game.num_actions)

    def deal(self, opponents: Any, assigned: NDArray[np.int64]) -> None:
        """As `Rollouts.deal`."""
        self._rollouts.deal(opponents, assigned)

    def results(self) -> dict[int, list[float]]:
        """Number of an opponent -> the learner's results against it since `deal`."""
        return self._rollouts.results

    def learn(self, learning_rate: float, entropy: float, tick: Callable[[], bool] = lambda: True) -> dict[str, float]:
        """Play and update once.

        If other machines play, they do so during the update, with the network from before it. Neither side waits, but the games learned
        from are one update older. The probability ratios account for that, because they start from the policy that played.

        Returns the means of the update's losses; a loss that is not finite has spoiled the network.
        """
        start = time.perf_counter()
        if isinstance(self._rollouts, Rollouts):
            rollout = self._rollouts.collect(self._evaluate, tick)
            middle = time.perf_counter()
            found = self._update(rollout, learning_rate, entropy)
        else:
            weights, (before, self._played) = self.export(), (self._played, None)
            update = self._beside.submit(self._update, before, learning_rate, entropy)
            try:
                self._played = self._rollouts.collect(weights, tick)
            finally:
                middle = time.perf_counter()
                found = update.result()
        self.seconds["play"] += middle - start
        self.seconds["update"] += time.perf_counter() - middle
        return found

    def close(self) -> None:
        """Shut down the threads that play and update."""
        self._rollouts.close()
        self._beside.shutdown()

    def _evaluate(self, observations: Observations, masks: Masks, features: NDArray[Any]) -> tuple[Floats, Floats]:
        start = time.perf_counter()
        found = self._think(observations, masks, features)
        self.seconds["inference"] += time.perf_counter() - start
        return found

    def _think(self, observations: Observations, masks: Masks, features: NDArray[Any]) -> tuple[Floats, Floats]:
        """Logits (B, A) and values (B,) for decisions that are being made."""
        return self._workers.evaluate(self.policy, observations)

    def _judge(self, network: Any, seen: dict[str, Any], rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (B, A) and values (B,) for the decisions `rows` that are learned from."""
        return network(seen["observations"][rows])

    def _update(self, rollout: Rollout | None, learning_rate: float, entropy: float) -> dict[str, float]:
        """Make passes over a rollout. Returns the means of their losses, or {} if there is no decision to learn from."""
        if rollout is None or not len(rollout.complete):
            return {}
        config = self._config
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        put = self._workers.processor.put
        told: dict[str, Any] = {
            field.name: put(getattr(rollout, field.name)) for field in fields(rollout) if field.name != "features"
        }
        told["features"] = rollout.features
        told["returns"] = told["advantages"] + told["values"]
        normal = told["normal"] = torch.zeros_like(told["advantages"])
        sums = np.zeros(len(_LOSSES))
        count = 0
        for _ in range(config.epochs):
            order = self._rng.permutation(rollout.complete)
            # Equal parts, none of them small: with parts of a fixed size, the last could be a handful.
            for rows in np.array_split(order, max(1, round(len(order) / config.minibatch))):
                chosen = rollout.advantages[rows]
                normal[put(rows)] = put((chosen - chosen.mean()) / (chosen.std() + 1e-8))
                sums += self._workers.descend(
                    self.optimizer, lambda part: self._loss(told, put(part), entropy), rows, config.max_grad_norm
                )
                count += 1
        self.steps += len(rollout.complete)
        self.updates += config.epochs
        if self.magnet is not None:
            with torch.no_grad():
                for kept, newest in zip(self.magnet.parameters(), self.policy.parameters(), strict=True):
                    kept.lerp_(newest, 1.0 - config.magnet_decay)
        return dict(zip(_LOSSES, (sums / max(count, 1)).tolist(), strict=True))

    def _loss(
        self, told: dict[str, Any], rows: torch.Tensor, entropy: float
    ) -> tuple[torch.Tensor, NDArray[np.float64]]:
        """The mean loss over the decisions `rows`, and its parts in the order of `_LOSSES`.

        `told`: the arrays of a `Rollout`, with returns (D,) and the normalized advantages, normal (D,).
        """
        config, products = self._config, self._workers.processor.products
        illegal = ~told["masks"][rows]
        actions, old, returns, advantage = (told[name][rows] for name in ("actions", "log_probs", "returns", "normal"))
        with products():
            logits, values = self._judge(self.policy, told, rows)
        log_all = torch.log_softmax(logits.masked_fill(illegal, NEVER), 1)
        change = log_all.gather(1, actions[:, None])[:, 0] - old
        # An illegal action has probability 0: its huge negative logarithm must not enter the sums.
        log_all = log_all.masked_fill(illegal, 0.0)
        probabilities = log_all.exp().masked_fill(illegal, 0.0)
        mean_entropy = -(probabilities * log_all).sum(1).mean()
        ratio = change.exp()
        clipped = ratio.clamp(1.0 - config.clip, 1.0 + config.clip)
        policy_loss = -torch.minimum(advantage * ratio, advantage * clipped).mean()
        value_loss = torch.nn.functional.mse_loss(values, returns)
        loss = policy_loss + config.value_weight * value_loss - entropy * mean_entropy
        away = values.new_zeros(())
        if self.magnet is not None:
            with torch.no_grad(), products():
                held, _ = self._judge(self.magnet, told, rows)
            held = torch.log_softmax(held.masked_fill(illegal, NEVER), 1).masked_fill(illegal, 0.0)
            away = (probabilities * (log_all - held)).sum(1).mean()
            loss = loss + config.magnet * away
        with torch.no_grad():
            apart = (ratio - 1.0 - change).mean()
            cut = ((ratio - 1.0).abs() > config.clip).float().mean()
            losses = torch.stack([policy_loss, value_loss, mean_entropy, apart, cut, away])
        return loss, losses.cpu().numpy().astype(np.float64)
