"""The network of `react_env.agents.models.network` in torch, for training and, if torch is installed, for playing large batches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from react_env.agents.models.model import Architecture, Device, Floats, ModelInfo, Precision, Weights
from react_env.agents.players.neural import NeuralAgent
from react_env.agents.protocol import Masks, Observations
from react_env.engine.kernels import for_compiled
from react_env.errors import OptionError
from react_env.extras import need

with need("train", "torch"):
    import torch
    from torch import nn
    from torch.nn.functional import linear


@dataclass(frozen=True)
class Processor:
    """Where a network runs, and in which precision.

    Attributes:
        device: of torch, "cpu" or "cuda".
        half: whether large products are in bfloat16.
    """

    device: str = "cpu"
    half: bool = False

    @classmethod
    def of(cls, device: Device = "auto", precision: Precision = "auto") -> Processor:
        """The processor that the options name. auto: a GPU if torch finds one; bfloat16 if there are instructions for it.

        OptionError if a GPU is asked for and torch finds none.
        """
        found = torch.cuda.is_available()
        if device == "cuda" and not found:
            raise OptionError("device is cuda: torch finds no GPU here; leave it at auto, or install torch with CUDA")
        cpu = device == "cpu" or not found
        faster = _cpu_has_bfloat16() if cpu else torch.cuda.is_bf16_supported(including_emulation=False)
        return cls("cpu" if cpu else "cuda", faster if precision == "auto" else precision == "bfloat16")

    def products(self) -> Any:
        """The context in which a `TorchNetwork` multiplies in this precision."""
        return torch.autocast(self.device, torch.bfloat16, enabled=self.half)

    def put(self, array: npt.NDArray[Any]) -> torch.Tensor:
        """The array as a tensor on this device: on a CPU the same memory, on a GPU a copy."""
        return torch.from_numpy(array).to(self.device)


def _cpu_has_bfloat16() -> bool:
    """Whether this processor multiplies bfloat16 numbers faster than float32 (AMX or AVX-512 BF16)."""
    return bool(torch.cpu._is_amx_tile_supported() or torch.cpu._is_avx512_bf16_supported())


class TorchNetwork(nn.Module):
    """int8 (B, S) -> logits (B, A) and values (B,), float32. Its tensors are named as in `Architecture.shapes`.

    New weights are drawn from torch's random stream: orthogonal (Saxe et al., 2014), and small in layers that decide, which suits PPO best.
    """

    scale: torch.Tensor

    def __init__(self, architecture: Architecture, scale: npt.NDArray[Any], actions: int) -> None:
        super().__init__()
        self.architecture = architecture
        shapes = architecture.shapes(len(scale), actions)
        self._inputs = architecture.inputs or len(scale)
        self._activation = torch.relu if architecture.activation == "relu" else torch.tanh

        def layer(name: str, gain: float = 2**0.5) -> nn.Linear:
            out, size = shapes[f"{name}.weight"]
            found = nn.Linear(size, out, bias=f"{name}.bias" in shapes)
            nn.init.orthogonal_(found.weight, gain)
            if found.bias is not None:
                nn.init.zeros_(found.bias)
            return found

        def layers(name: str, count: int, last: float | None = None) -> nn.ModuleList:
            found = [layer(f"{name}.{number}") for number in range(count)]
            return nn.ModuleList(found if last is None else [*found, layer(f"{name}.{count}", last)])

        self.register_buffer("scale", torch.tensor(scale, dtype=torch.float32))
        self.pools = nn.ModuleDict({pool.piece: layer(f"pools.{pool.piece}") for pool in architecture.pools})
        self.trunk = layers("trunk", len(architecture.trunk))
        self.policy = layers("policy", len(architecture.policy), 0.01)
        self.value = layers("value", len(architecture.value), 1.0)
        self.rows = nn.ModuleDict()
        for rows in architecture.rows:
            gains = {"features": 1.0, "context": 1.0, "score": 0.1}
            parts = {part: layer(f"rows.{rows.group}.{part}", gain) for part, gain in gains.items()}
            self.rows[rows.group] = nn.ModuleDict(parts)

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Under torch.autocast the products are in its type."""
        shared = self._shared(observations)
        return self._policy(observations, shared), self._value(shared)

    def logits(self, observations: torch.Tensor) -> torch.Tensor:
        """The logits of `forward` alone."""
        return self._policy(observations, self._shared(observations))

    def values(self, observations: torch.Tensor) -> torch.Tensor:
        """The values of `forward` alone."""
        return self._value(self._shared(observations))

    def _seen(self, observations: torch.Tensor, part: slice) -> torch.Tensor:
        device = observations.device.type
        kind = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else torch.float32
        return observations[:, part].to(kind)

    def _rows_seen(self, observations: torch.Tensor, piece: Any) -> torch.Tensor:
        x = self._seen(observations, piece.slice)
        return (x * self.scale[piece.slice].to(x.dtype)).reshape(-1, piece.count, piece.size)

    def _shared(self, observations: torch.Tensor) -> torch.Tensor:
        x = self._seen(observations, slice(0, self._inputs))
        scale = self.scale[: self._inputs]
        pools = []
        for pool in self.architecture.pools:
            rows = self.pools[pool.piece](self._rows_seen(observations, pool))
            pools.append(torch.relu(rows).sum(1) * pool.count**-0.5)
        if not self.trunk:
            return torch.cat([x * scale, *pools], 1)
        first: Any
        first, *others = self.trunk
        # The scale goes into the weights of the first layer, which are fewer than the numbers of a batch.
        scale = torch.cat([scale, scale.new_ones(first.weight.shape[1] - len(scale))])
        x = self._activation(
            linear(torch.cat([x, *(pool.to(x.dtype) for pool in pools)], 1), first.weight * scale, first.bias)
        )
        for layer in others:
            x = self._activation(layer(x))
        return x

    def _through(self, x: torch.Tensor, layers: nn.ModuleList) -> tuple[torch.Tensor, torch.Tensor]:
        """What comes out of the last layer, and what goes into it."""
        *hidden, last = layers
        for layer in hidden:
            x = self._activation(layer(x))
        return last(x), x

    def _value(self, shared: torch.Tensor) -> torch.Tensor:
        return self._through(shared, self.value)[0][:, 0].float()

    def _policy(self, observations: torch.Tensor, shared: torch.Tensor) -> torch.Tensor:
        logits, hidden = self._through(shared, self.policy)
        added: list[torch.Tensor] = []
        end = 0
        for rows in self.architecture.rows:  # in the order of their actions
            part: Any = self.rows[rows.group]
            row = torch.relu(part["features"](self._rows_seen(observations, rows)) + part["context"](hidden)[:, None])
            found = part["score"](row)[:, :, 0]
            added += [found.new_zeros((len(hidden), rows.first_action - end)), found]
            end = rows.first_action + rows.count
        if added:
            logits = logits + torch.cat([*added, added[-1].new_zeros((len(hidden), logits.shape[1] - end))], 1)
        return logits.float()


def export(network: nn.Module) -> Weights:
    """The weights of a `TorchNetwork` as plain arrays."""
    return {name: tensor.cpu().numpy().astype(np.float32, copy=True) for name, tensor in network.state_dict().items()}


def restore(network: nn.Module, weights: Weights) -> None:
    """Undo `export`: put `weights` into a network of the same architecture."""
    network.load_state_dict({name: torch.tensor(value) for name, value in weights.items()})


class TorchAgent(NeuralAgent):
    """Plays as `NeuralAgent` does, with torch.

    Worth it for large batches on a GPU, or on a processor that multiplies bfloat16 numbers (AMX or AVX-512 BF16). They take a quarter of
    the time or less. Logits in bfloat16 are off by about one part in a hundred, so now and then it takes another action whose logit is
    nearly equal.
    """

    def __init__(
        self,
        weights: Weights,
        info: ModelInfo,
        *,
        name: str = "neural",
        temperature: float = 0.0,
        threads: int = 1,
        processor: Processor | None = None,
    ) -> None:
        """`processor`: None takes a GPU if torch finds one, and bfloat16 if there are instructions for it."""
        self._processor = processor or Processor.of()
        threads = threads if self._processor.device == "cpu" else 1  # a GPU gets all at once
        super().__init__(weights, info, name=name, temperature=temperature, threads=threads)
        self._torch = TorchNetwork(self.architecture, weights["scale"], info.action_count).to(self._processor.device)
        restore(self._torch, weights)

    def _logits(self, observations: Observations, masks: Masks) -> Floats:
        with torch.inference_mode(), self._processor.products():
            found: Floats = self._torch.logits(self._processor.put(observations)).cpu().numpy()
        return found

    def values(self, observations: Observations) -> Floats:
        """As `NeuralAgent.values`."""
        observations = for_compiled(self._admitted(observations))
        with torch.inference_mode(), self._processor.products():
            found: Floats = self._torch.values(self._processor.put(observations)).cpu().numpy()
        return found
