"""The network that learns (torch, stable-baselines3), and its way out as plain arrays (react_env.agents.players.neural)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from react_env.agents.models.model import Architecture, Weights
from react_env.engine.compile import njit
from react_env.extras import need

with need("train", "torch", "sb3_contrib", "stable_baselines3"):
    import torch
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
    from torch import nn

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}
NEVER = -1e8  # the logit of an illegal action
SHARE = 256  # decisions worth a thread of their own


def precision(half: bool) -> Any:
    """The context in which `Policy.evaluate` multiplies in bfloat16, or in float32."""
    return torch.autocast("cpu", torch.bfloat16, enabled=half)


class Trunk(BaseFeaturesExtractor):  # type: ignore[misc, unused-ignore]
    """int8 observations (B, S) -> float32 features (B, width of the last layer + rows): scaled, then the layers that are shared; the rows
    of single actions follow as they are."""

    scale: torch.Tensor

    def __init__(self, observation_space: spaces.Box, scale: np.ndarray[Any, Any], architecture: Architecture) -> None:
        size = (architecture.inputs or int(observation_space.shape[0])) + len(
            architecture.pools
        ) * architecture.pool_width
        widths, activation = architecture.trunk, architecture.activation
        rows = sum(r.count * r.size for r in architecture.rows)
        super().__init__(observation_space, (widths[-1] if widths else size) + rows)
        self.inputs = architecture.inputs or int(observation_space.shape[0])
        self.slices = [r.slice for r in architecture.rows]
        # Part of the game, not of what is learned: it is not in the checkpoint of the policy.
        self.register_buffer("scale", torch.tensor(scale, dtype=torch.float32), persistent=False)
        self._pools = architecture.pools
        self.pools = nn.ModuleDict({pool.piece: nn.Linear(pool.size, architecture.pool_width) for pool in self._pools})
        layers: list[nn.Module] = []
        for width in widths:
            layers += [nn.Linear(size, width), ACTIVATIONS[activation]()]
            size = width
        self.layers = nn.Sequential(*layers)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        x = observations * self.scale
        flat = torch.cat([x[:, : self.inputs], *self.pooled(observations, x.dtype)], 1)
        return torch.cat([self.layers(flat), *(x[:, part] for part in self.slices)], 1)

    def pooled(self, observations: torch.Tensor, kind: torch.dtype) -> list[torch.Tensor]:
        """The pool of each piece, (B, W)."""
        found = []
        for pool in self._pools:
            rows = (observations[:, pool.slice].to(kind) * self.scale[pool.slice].to(kind)).reshape(
                -1, pool.count, pool.size
            )
            found.append(torch.relu(self.pools[pool.piece](rows)).sum(1) * pool.count**-0.5)
        return found


class _Layers(nn.Module):
    """What stable-baselines3 calls the extractor: the layers of the policy and of the value over the trunk's features.

    The rows of the observation that score single actions go past the layers, to the policy's output (`RowsOutput`).
    """

    def __init__(self, architecture: Architecture, width: int, rows: int) -> None:
        super().__init__()
        activation = ACTIVATIONS[architecture.activation]

        def layers(sizes: tuple[int, ...]) -> nn.Sequential:
            found: list[nn.Module] = []
            before = width
            for size in sizes:
                found += [nn.Linear(before, size), activation()]
                before = size
            return nn.Sequential(*found)

        self.policy_net, self.value_net = layers(architecture.policy), layers(architecture.value)
        self._width = width
        self.latent_dim_pi = (architecture.policy[-1] if architecture.policy else width) + rows
        self.latent_dim_vf = architecture.value[-1] if architecture.value else width

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        hidden = self.policy_net(features[:, : self._width])
        return torch.cat((hidden, features[:, self._width :]), 1)

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        return self.value_net(features[:, : self._width])  # type: ignore[no-any-return, unused-ignore]


class RowsOutput(nn.Module):
    """(B, H + rows of the observation) -> logits (B, A): a linear layer, and the score of each action that has a row."""

    def __init__(self, architecture: Architecture, hidden: int, action_count: int) -> None:
        super().__init__()
        self._rows = architecture.rows
        self._hidden = hidden
        width = architecture.row_width
        self.output = nn.Linear(hidden, action_count)
        self.features = nn.ModuleDict({r.group: nn.Linear(r.size, width, bias=False) for r in self._rows})
        self.context = nn.ModuleDict({r.group: nn.Linear(hidden, width) for r in self._rows})
        self.scores = nn.ModuleDict({r.group: nn.Linear(width, 1, bias=False) for r in self._rows})
        nn.init.orthogonal_(self.output.weight, 0.01)
        nn.init.zeros_(self.output.bias)
        for rows in self._rows:
            nn.init.orthogonal_(next(self.scores[rows.group].parameters()), 0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        begin = self._hidden
        parts = []
        for rows in self._rows:
            size = rows.count * rows.size
            parts.append(x[:, begin : begin + size])
            begin += size
        return self.score(x[:, : self._hidden], parts)

    def score(self, hidden: torch.Tensor, parts: Sequence[torch.Tensor]) -> torch.Tensor:
        """hidden (B, H) and, for each group, its rows (B, count * size) -> logits (B, A)."""
        added: list[torch.Tensor] = []
        end = 0
        for rows, part in zip(self._rows, parts, strict=True):  # in the order of their actions
            row = part.reshape(-1, rows.count, rows.size)
            hidden_row = torch.relu(self.features[rows.group](row) + self.context[rows.group](hidden)[:, None])
            found = self.scores[rows.group](hidden_row)[:, :, 0]
            added += [found.new_zeros((len(hidden), rows.first_action - end)), found]
            end = rows.first_action + rows.count
        logits: torch.Tensor = self.output(hidden)
        if added:
            logits = logits + torch.cat([*added, added[-1].new_zeros((len(hidden), logits.shape[1] - end))], 1)
        return logits


class Policy(MaskableActorCriticPolicy):  # type: ignore[misc, unused-ignore]
    """MaskablePPO's policy with the network of an `Architecture`."""

    def __init__(self, *arguments: Any, architecture: Architecture, **keywords: Any) -> None:
        self._architecture = architecture
        super().__init__(*arguments, **keywords)

    def _build_mlp_extractor(self) -> None:
        rows = sum(r.count * r.size for r in self._architecture.rows)
        extractor: Any = _Layers(self._architecture, self.features_dim - rows, rows)
        self.mlp_extractor = extractor

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        rows = sum(r.count * r.size for r in self._architecture.rows)
        hidden = self.mlp_extractor.latent_dim_pi - rows
        action_count = int(spaces.flatdim(self.action_space))
        self.action_net = RowsOutput(self._architecture, hidden, action_count)
        learning_rate: Any = {"lr": lr_schedule(1)}
        self.optimizer = self.optimizer_class(self.parameters(), **learning_rate, **self.optimizer_kwargs)

    def evaluate(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """int8 (B, S) -> logits (B, A) and values (B,), float32: the same network with less copying.

        Under torch.autocast the products are in its type; the scale of the observation goes into the weights of the first layer.
        """
        trunk: Any = self.features_extractor
        kind = torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else torch.float32
        layers: list[Any] = list(trunk.layers)
        x = observations[:, : trunk.inputs].to(kind)
        scale = trunk.scale[: trunk.inputs]
        if layers:
            first = layers.pop(0)
            if trunk.pools:
                scale = torch.cat([scale, scale.new_ones(first.weight.shape[1] - len(scale))])
                x = torch.cat([x, *(pool.to(kind) for pool in trunk.pooled(observations, kind))], 1)
            x = nn.functional.linear(x, first.weight * scale, first.bias)
        else:
            x = x * scale
        for layer in layers:
            x = layer(x)
        parts = [observations[:, part].to(kind) * trunk.scale[part].to(kind) for part in trunk.slices]
        hidden = self.mlp_extractor.policy_net(x)
        values = self.value_net(self.mlp_extractor.value_net(x))[:, 0]
        output: Any = self.action_net
        return output.score(hidden, parts).float(), values.float()


def policy_keywords(architecture: Architecture, scale: np.ndarray[Any, Any]) -> dict[str, Any]:
    """The `policy_kwargs` of MaskablePPO that make a network of `architecture`."""
    return {
        "features_extractor_class": Trunk,
        "features_extractor_kwargs": {"scale": scale, "architecture": architecture},
        "architecture": architecture,
        "activation_fn": ACTIVATIONS[architecture.activation],
    }


def policy_of(
    observations: spaces.Box, actions: spaces.Discrete, architecture: Architecture, scale: npt.NDArray[Any]
) -> Policy:
    """A new network, its weights drawn from torch's random stream."""
    return Policy(observations, actions, lambda _: 0.0, **policy_keywords(architecture, scale))


def export(policy: Any) -> Weights:
    """The weights of a policy, under the names of `Architecture.shapes`."""
    return {name: tensor.detach().numpy().astype(np.float32, copy=True) for name, tensor in _named(policy)}


def _named(policy: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors of a policy under the names of `Architecture.shapes`."""
    yield "scale", policy.features_extractor.scale
    parts = {
        "trunk": [policy.features_extractor.layers],
        "policy": [policy.mlp_extractor.policy_net, policy.action_net.output],
        "value": [policy.mlp_extractor.value_net, policy.value_net],
    }
    for name, modules in parts.items():
        linear = [layer for module in modules for layer in module.modules() if isinstance(layer, nn.Linear)]
        for number, layer in enumerate(linear):
            yield f"{name}.{number}.weight", layer.weight
            yield f"{name}.{number}.bias", layer.bias
    for piece, layer in policy.features_extractor.pools.items():
        yield f"pools.{piece}.weight", layer.weight
        yield f"pools.{piece}.bias", layer.bias
    output = policy.action_net
    for group in output.features:
        yield f"rows.{group}.features.weight", output.features[group].weight
        yield f"rows.{group}.context.weight", output.context[group].weight
        yield f"rows.{group}.context.bias", output.context[group].bias
        yield f"rows.{group}.score.weight", output.scores[group].weight


def restore(policy: Any, weights: Weights) -> None:
    """Undo `export`: put `weights` into a policy of the same architecture."""
    with torch.no_grad():
        for name, tensor in _named(policy):
            tensor.copy_(torch.from_numpy(weights[name]))


@njit
def draw(logits: Any, masks: Any, uniform: Any, actions: Any, log_probs: Any) -> None:
    """For each row one legal action by softmax(logits), and the logarithm of its probability.

    logits float32 (B, A), masks bool (B, A), uniform float64 (B,) in 0..1 -> actions int64 (B,), log_probs float32 (B,).
    """
    for row in range(logits.shape[0]):
        scores, mask = logits[row], masks[row]
        top = -np.inf
        for a in range(scores.shape[0]):
            if mask[a] and scores[a] > top:
                top = scores[a]
        total = 0.0
        for a in range(scores.shape[0]):
            if mask[a]:
                total += np.exp(scores[a] - top)
        left = uniform[row] * total
        for a in range(scores.shape[0]):
            if mask[a]:
                actions[row] = a
                left -= np.exp(scores[a] - top)
                if left < 0.0:
                    break
        log_probs[row] = scores[actions[row]] - top - np.log(total)


class Workers:
    """Threads that evaluate observations together, a share each: threads inside single products would mostly wait for each other."""

    def __init__(self, threads: int, half: bool) -> None:
        self.threads = threads
        self.half = half
        self.pool = ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,))

    def evaluate(
        self, policy: Any, observations: npt.NDArray[np.int8]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """int8 (B, S) -> logits (B, A) and values (B,), float32."""

        def share(part: npt.NDArray[np.int8]) -> tuple[torch.Tensor, torch.Tensor]:
            with torch.inference_mode(), precision(self.half):
                found: tuple[torch.Tensor, torch.Tensor] = policy.evaluate(torch.from_numpy(part))
            return found

        parts = np.array_split(observations, self.shares(len(observations)))
        logits, values = zip(*self.pool.map(share, parts), strict=True)
        return torch.cat(logits).numpy(), torch.cat(values).numpy()

    def descend(
        self,
        optimizer: torch.optim.Optimizer,
        loss_of: Callable[[npt.NDArray[np.int64]], tuple[torch.Tensor, npt.NDArray[np.float64]]],
        rows: npt.NDArray[np.int64],
        max_norm: float | None = None,
    ) -> npt.NDArray[np.float64]:
        """One step of `optimizer` along the gradient of the mean loss over the decisions `rows` (M,), each thread with a share of them.

        `loss_of` gives the mean loss over a share, and numbers to report; returned are their means over `rows`. Longer gradients than
        `max_norm` are scaled down.
        """
        parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]

        def share(part: npt.NDArray[np.int64]) -> tuple[tuple[torch.Tensor, ...], npt.NDArray[np.float64]]:
            loss, numbers = loss_of(part)
            weight = len(part) / len(rows)
            return torch.autograd.grad(weight * loss, parameters), weight * numbers

        found = list(self.pool.map(share, np.array_split(rows, self.shares(len(rows)))))
        for parameter, *gradients in zip(parameters, *(gradients for gradients, _ in found), strict=True):
            parameter.grad = sum(gradients[1:], start=gradients[0])
        if max_norm is not None:
            torch.nn.utils.clip_grad_norm_(parameters, max_norm)
        optimizer.step()
        mean: npt.NDArray[np.float64] = np.stack([numbers for _, numbers in found]).sum(0)
        return mean

    def shares(self, count: int) -> int:
        """In how many parts `count` decisions are best divided."""
        return max(1, min(self.threads, count // SHARE))

    def close(self) -> None:
        """Let the threads go."""
        self.pool.shutdown()
