"""The network that learns (torch, stable-baselines3), and its way out as plain arrays (agents.neural)."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from agents.neural import Architecture, Weights

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}


class Trunk(BaseFeaturesExtractor):  # type: ignore[misc, unused-ignore]
    """int8 observations (B, S) -> float32 features (B, width of the last layer + rows): scaled, then the layers that are shared; the rows
    of single actions follow as they are."""

    def __init__(self, observation_space: spaces.Box, scale: np.ndarray[Any, Any], architecture: Architecture) -> None:
        size = architecture.inputs or int(observation_space.shape[0])
        widths, activation = architecture.trunk, architecture.activation
        rows = sum(r.count * r.size for r in architecture.rows)
        super().__init__(observation_space, (widths[-1] if widths else size) + rows)
        self._inputs = architecture.inputs or int(observation_space.shape[0])
        self._slices = [r.slice for r in architecture.rows]
        # Part of the game, not of what is learned: it is not in the checkpoint of the policy.
        self.register_buffer("scale", torch.tensor(scale, dtype=torch.float32), persistent=False)
        layers: list[nn.Module] = []
        for width in widths:
            layers += [nn.Linear(size, width), ACTIVATIONS[activation]()]
            size = width
        self.layers = nn.Sequential(*layers)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        x = observations * self.scale  # type: ignore[operator, unused-ignore]
        return torch.cat([self.layers(x[:, : self._inputs]), *(x[:, part] for part in self._slices)], 1)


class _Layers(nn.Module):
    """What stable-baselines3 calls the extractor: the layers of the policy and of the value over the trunk's features.

    The rows of the observation that judge single actions go past the layers, to the policy's output (`RowsOutput`).
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
    """(B, H + rows of the observation) -> logits (B, A): a linear layer, and the judgement of each action that has a row."""

    def __init__(self, architecture: Architecture, hidden: int, action_count: int) -> None:
        super().__init__()
        self._rows = architecture.rows
        self._hidden = hidden
        width = architecture.row_width
        self.output = nn.Linear(hidden, action_count)
        self.features = nn.ModuleDict({r.group: nn.Linear(r.size, width, bias=False) for r in self._rows})
        self.context = nn.ModuleDict({r.group: nn.Linear(hidden, width) for r in self._rows})
        self.judgement = nn.ModuleDict({r.group: nn.Linear(width, 1, bias=False) for r in self._rows})
        nn.init.orthogonal_(self.output.weight, 0.01)
        nn.init.zeros_(self.output.bias)
        for rows in self._rows:
            nn.init.orthogonal_(next(self.judgement[rows.group].parameters()), 0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = x[:, : self._hidden]
        begin, end = self._hidden, 0
        added: list[torch.Tensor] = []
        for rows in self._rows:  # in the order of their actions
            added.append(hidden.new_zeros((len(x), rows.first_action - end)))
            size = rows.count * rows.size
            row = x[:, begin : begin + size].reshape(-1, rows.count, rows.size)
            judged = torch.relu(self.features[rows.group](row) + self.context[rows.group](hidden)[:, None])
            added.append(self.judgement[rows.group](judged)[:, :, 0])
            begin, end = begin + size, rows.first_action + rows.count
        logits: torch.Tensor = self.output(hidden)
        if added:
            logits = logits + torch.cat([*added, hidden.new_zeros((len(x), logits.shape[1] - end))], 1)
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


def policy_keywords(architecture: Architecture, scale: np.ndarray[Any, Any]) -> dict[str, Any]:
    """The `policy_kwargs` of MaskablePPO that make a network of `architecture`."""
    return {
        "features_extractor_class": Trunk,
        "features_extractor_kwargs": {"scale": scale, "architecture": architecture},
        "architecture": architecture,
        "activation_fn": ACTIVATIONS[architecture.activation],
    }


def export(policy: Any) -> Weights:
    """The weights of a MaskablePPO policy made with `policy_keywords`, under the names of `Architecture.shapes`."""
    weights: Weights = {"scale": _array(policy.features_extractor.scale)}
    parts = {
        "trunk": [policy.features_extractor.layers],
        "policy": [policy.mlp_extractor.policy_net, policy.action_net.output],
        "value": [policy.mlp_extractor.value_net, policy.value_net],
    }
    for name, modules in parts.items():
        linear = [layer for module in modules for layer in module.modules() if isinstance(layer, nn.Linear)]
        for number, layer in enumerate(linear):
            weights[f"{name}.{number}.weight"] = _array(layer.weight)
            weights[f"{name}.{number}.bias"] = _array(layer.bias)
    output = policy.action_net
    for group in output.features:
        weights[f"rows.{group}.features.weight"] = _array(output.features[group].weight)
        weights[f"rows.{group}.context.weight"] = _array(output.context[group].weight)
        weights[f"rows.{group}.context.bias"] = _array(output.context[group].bias)
        weights[f"rows.{group}.judgement.weight"] = _array(output.judgement[group].weight)
    return weights


def _array(tensor: torch.Tensor) -> np.ndarray[Any, np.dtype[np.float32]]:
    return tensor.detach().cpu().numpy().astype(np.float32, copy=True)
