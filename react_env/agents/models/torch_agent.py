"""A network's agent evaluated by torch: for large batches, where torch is installed.

The same network and files as `players.neural`, which needs no torch. Worth it where the processor multiplies bfloat16 numbers (AMX or
AVX-512 BF16): large batches then take a quarter of the time or less, and logits are off by about one part in a hundred, so that now and
then another action of nearly equal logit is taken. In float32 both take about as long.
"""

from __future__ import annotations

from typing import Any, Literal

from react_env.agents.models.model import Floats, ModelInfo, Weights
from react_env.agents.players.neural import NeuralAgent
from react_env.agents.protocol import Observations
from react_env.engine.kernels import for_compiled
from react_env.extras import need

with need("train", "torch"):
    import torch
    from torch.nn.functional import linear


def half_precision() -> bool:
    """Whether this processor multiplies bfloat16 numbers faster than float32 (AMX or AVX-512 BF16)."""
    return bool(torch.cpu._is_amx_tile_supported() or torch.cpu._is_avx512_bf16_supported())


class TorchAgent(NeuralAgent):
    """Plays as `NeuralAgent` does, by torch."""

    def __init__(
        self,
        weights: Weights,
        info: ModelInfo,
        *,
        name: str = "neural",
        temperature: float = 0.0,
        threads: int = 1,
        precision: Literal["auto", "float32", "bfloat16"] = "auto",
    ) -> None:
        """`precision` of the large products; auto: bfloat16 where the processor has instructions for it."""
        super().__init__(weights, info, name=name, temperature=temperature, threads=threads)
        half = half_precision() if precision == "auto" else precision == "bfloat16"
        self._kind = torch.bfloat16 if half else torch.float32
        self._tensors = {key: torch.tensor(value).to(self._kind) for key, value in weights.items()}
        scale = torch.tensor(weights["scale"])
        first = [f"{part}.0.weight" for part in (("trunk",) if self.architecture.trunk else ("policy", "value"))]
        for key in first:  # the first layer takes the int8 numbers as they are: their scale goes into its weights
            weight = torch.tensor(weights[key])
            weight[:, : self._inputs] *= scale[: self._inputs]
            self._tensors[key] = weight.to(self._kind)
        for pool in self.architecture.pools:
            key = f"pools.{pool.piece}.weight"
            part = scale[pool.start : pool.start + pool.size]
            self._tensors[key] = (torch.tensor(weights[key]) * part).to(self._kind)
        for rows in self.architecture.rows:
            key = f"rows.{rows.group}.features.weight"
            part = scale[rows.start : rows.start + rows.size]
            self._tensors[key] = (torch.from_numpy(weights[key]) * part).to(self._kind)

    def _seen(self, observations: Observations, part: slice) -> torch.Tensor:
        return torch.from_numpy(for_compiled(observations[:, part])).to(self._kind)

    def _layer(self, x: torch.Tensor, name: str) -> torch.Tensor:
        return linear(x, self._tensors[f"{name}.weight"], self._tensors[f"{name}.bias"])

    def _hidden_layer(self, x: torch.Tensor, name: str) -> torch.Tensor:
        y = self._layer(x, name)
        return y.relu_() if self._relu else y.tanh_()

    def _features(self, observations: Observations) -> Any:
        architecture = self.architecture
        with torch.inference_mode():
            x = self._seen(observations, slice(0, self._inputs))
            pools = []
            for pool in architecture.pools:
                rows = self._seen(observations, pool.slice).reshape(-1, pool.count, pool.size)
                pools.append(self._layer(rows, f"pools.{pool.piece}").relu_().sum(1) * pool.count**-0.5)
            x = torch.cat([x, *pools], 1)
            for number in range(len(architecture.trunk)):
                x = self._hidden_layer(x, f"trunk.{number}")
            return x

    def _logits(self, observations: Observations) -> Floats:
        architecture = self.architecture
        h = self._features(observations)
        with torch.inference_mode():
            for number in range(len(architecture.policy)):
                h = self._hidden_layer(h, f"policy.{number}")
            logits = self._layer(h, f"policy.{len(architecture.policy)}").float()
            for rows in architecture.rows:
                name = f"rows.{rows.group}"
                seen = self._seen(observations, rows.slice).reshape(-1, rows.count, rows.size)
                x = linear(seen, self._tensors[f"{name}.features.weight"])
                row = (x + self._layer(h, f"{name}.context")[:, None]).relu_()
                part = slice(rows.first_action, rows.first_action + rows.count)
                logits[:, part] += linear(row, self._tensors[f"{name}.score.weight"])[:, :, 0].float()
            return logits.numpy()

    def values(self, observations: Observations) -> Floats:
        """(N, S) int8 -> (N,) float32: the expected reward of the player who observes, as the network sees it."""
        with torch.inference_mode():
            x = self._features(observations)
            for number in range(len(self.architecture.value)):
                x = self._hidden_layer(x, f"value.{number}")
            found: Floats = self._layer(x, f"value.{len(self.architecture.value)}")[:, 0].float().numpy()
            return found
