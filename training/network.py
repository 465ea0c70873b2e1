"""The network that learns (torch, stable-baselines3), and its way out as plain arrays (agents.neural)."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from agents.neural import Architecture, Weights

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}


class Trunk(BaseFeaturesExtractor):  # type: ignore[misc, unused-ignore]
    """int8 observations (B, S) -> float32 features (B, width of the last layer): scaled, then the layers that policy and value share."""

    def __init__(
        self, observation_space: spaces.Box, scale: np.ndarray[Any, Any], widths: tuple[int, ...], activation: str
    ) -> None:
        size = int(observation_space.shape[0])
        super().__init__(observation_space, widths[-1] if widths else size)
        # Part of the game, not of what is learned: it is not in the checkpoint of the policy.
        self.register_buffer("scale", torch.tensor(scale, dtype=torch.float32), persistent=False)
        layers: list[nn.Module] = []
        for width in widths:
            layers += [nn.Linear(size, width), ACTIVATIONS[activation]()]
            size = width
        self.layers = nn.Sequential(*layers)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return self.layers(observations * self.scale)  # type: ignore[no-any-return, operator, unused-ignore]


def policy_keywords(architecture: Architecture, scale: np.ndarray[Any, Any]) -> dict[str, Any]:
    """The `policy_kwargs` of MaskablePPO that make a network of `architecture`."""
    return {
        "features_extractor_class": Trunk,
        "features_extractor_kwargs": {
            "scale": scale,
            "widths": architecture.trunk,
            "activation": architecture.activation,
        },
        "net_arch": {"pi": list(architecture.policy), "vf": list(architecture.value)},
        "activation_fn": ACTIVATIONS[architecture.activation],
    }


def export(policy: Any) -> Weights:
    """The weights of a MaskablePPO policy made with `policy_keywords`, under the names of `Architecture.shapes`."""
    weights: Weights = {"scale": _array(policy.features_extractor.scale)}
    parts = {
        "trunk": [policy.features_extractor.layers],
        "policy": [policy.mlp_extractor.policy_net, policy.action_net],
        "value": [policy.mlp_extractor.value_net, policy.value_net],
    }
    for name, modules in parts.items():
        linear = [layer for module in modules for layer in module.modules() if isinstance(layer, nn.Linear)]
        for number, layer in enumerate(linear):
            weights[f"{name}.{number}.weight"] = _array(layer.weight)
            weights[f"{name}.{number}.bias"] = _array(layer.bias)
    return weights


def _array(tensor: torch.Tensor) -> np.ndarray[Any, np.dtype[np.float32]]:
    return tensor.detach().cpu().numpy().astype(np.float32, copy=True)
