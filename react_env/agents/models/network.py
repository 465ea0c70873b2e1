"""A network as compiled code runs it: the forward pass of one position, which allocates nothing.

It plays (`react_env.agents.players.neural`) and guides searches; `react_env.agents.models.torch_network` is the same network in
torch, for training. B positions, S observation numbers, A actions:

    int8 (B, S) * scale (S,) -> trunk layers -> policy layers -> logits (B, A), of which only the legal ones count
                                             -> value layers  -> value (B,)

A game may say which rows of the observation belong to which actions (`Actions.rows`: the row of a zone to choosing that zone). The logit
of each such action also gets w . relu(F row + C h + b), with the same F, C, b and w for all actions of the group and h the last policy
layer: what is learned about one zone holds for all. The trunk may also be given a pool of each such piece of the observation: the sum of
relu(P row + p) over its rows, divided by the square root of their number (Zaheer et al., 2017). So the network sees what stands together
in a zone, wherever that zone is.

All weights lie in one array and the layers in a table of numbers. So networks of every architecture have the same type, and the code that
uses them is compiled once for all. Zeros cost nothing: most of an observation is 0, and half of what comes out of a ReLU.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from react_env.agents.models.model import Architecture, Weights
from react_env.engine.compile import njit

_OBSERVATION = -1  # the observation, in place of a row of `Thoughts.hidden`
_TRUNK, _HEAD = 0, 2  # the first of two rows of `Thoughts.hidden`


class Network(NamedTuple):
    """The weights: L layers, and G groups of actions that are scored by rows of the observation."""

    weights: npt.NDArray[np.float32]  # (W,) all weights and biases
    layers: npt.NDArray[np.int64]  # (L, 3) where (inputs, outputs) weights and then the biases begin; inputs; outputs
    # (4,) layers ends[0] to ends[1] are the trunk, up to ends[2] the policy, up to ends[3] the value
    ends: npt.NDArray[np.int64]
    # (G, 6) where (features, width) weights, (inputs, width) weights of the context, its biases and the score begin; first action;
    # actions; first number of the first row in the observation; features; width
    rows: npt.NDArray[np.int64]
    # (G, 5) where (features, width) weights and the biases of a pool begin; first number of the first row; rows; features; width
    pools: npt.NDArray[np.int64]
    relu: int  # 1: after each hidden layer; 0: tanh


class Thoughts(NamedTuple):
    """Scratch memory of one worker: H is the width of the widest layer."""

    observation: npt.NDArray[np.int8]  # (S,)
    hidden: npt.NDArray[np.float32]  # (4, H) two rows for the trunk and two for a head, used in turn
    row: npt.NDArray[np.float32]  # (H,)
    pooled: npt.NDArray[np.float32]  # (numbers in all pools,)
    logits: npt.NDArray[np.float32]  # (A,) of the last position, correct for legal actions only
    policy: npt.NDArray[np.float64]  # (A,) the probabilities of the actions, 0 for illegal ones


def pack(weights: Weights, architecture: Architecture) -> Network:
    """The network of these weights. The scale of the observation is multiplied into the first weights that it meets."""
    scale = weights["scale"]
    parts: list[npt.NDArray[np.float32]] = []

    def place(*arrays: npt.NDArray[np.float32]) -> int:
        begin = sum(part.size for part in parts)
        parts.extend(np.ravel(array) for array in arrays)
        return begin

    def layer(name: str, factor: Any = 1.0) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        weight = weights[f"{name}.weight"].T.astype(np.float32)
        weight[: np.size(factor)] *= np.reshape(factor, (-1, 1))
        return weight, weights[f"{name}.bias"].astype(np.float32)

    inputs = scale[: architecture.inputs or len(scale)]
    heads = {"policy": len(architecture.policy) + 1, "value": len(architecture.value) + 1}
    layers, ends = [], [0]
    for name, count in {"trunk": len(architecture.trunk), **heads}.items():
        first = name == "trunk" or not architecture.trunk
        for number in range(count):
            weight, bias = layer(f"{name}.{number}", inputs if first and number == 0 else 1.0)
            layers.append((place(weight, bias), *weight.shape))
        ends.append(len(layers))
    rows = []
    seen = 1.0 if architecture.trunk or architecture.policy else inputs  # the scale of what the context sees
    for group in architecture.rows:
        name = f"rows.{group.group}"
        features = weights[f"{name}.features.weight"].T * scale[group.start : group.start + group.size, None]
        begin = place(features.astype(np.float32), *layer(f"{name}.context", seen), weights[f"{name}.score.weight"][0])
        rows.append((begin, group.first_action, group.count, group.start, *features.shape))
    pools = []
    for pool in architecture.pools:
        weight, bias = layer(f"pools.{pool.piece}", scale[pool.start : pool.start + pool.size])
        pools.append((place(weight, bias), pool.start, pool.count, *weight.shape))
    return Network(
        weights=np.concatenate(parts).astype(np.float32),
        layers=np.array(layers, np.int64),
        ends=np.array(ends, np.int64),
        rows=np.array(rows, np.int64).reshape(-1, 6),
        pools=np.array(pools, np.int64).reshape(-1, 5),
        relu=int(architecture.activation == "relu"),
    )


def no_network() -> Network:
    """An empty network, for a search that has none."""
    return Network(
        weights=np.zeros(0, np.float32),
        layers=np.zeros((0, 3), np.int64),
        ends=np.zeros(4, np.int64),
        rows=np.zeros((0, 6), np.int64),
        pools=np.zeros((0, 5), np.int64),
        relu=1,
    )


def new_thoughts(network: Network, observation_size: int, actions: int) -> Thoughts:
    """Scratch memory for `network`."""
    width = max([0, *network.layers[:, 2], *network.rows[:, 5], *network.pools[:, 4]])
    return Thoughts(
        np.zeros(observation_size, np.int8),
        np.zeros((4, width), np.float32),
        np.zeros(width, np.float32),
        np.zeros(network.pools[:, 4].sum(), np.float32),
        np.zeros(actions, np.float32),
        np.zeros(actions, np.float64),
    )


@njit
def _add(x: Any, weights: Any, begin: Any, out: Any) -> None:
    """out (O,) += x (I,) @ weights[begin:], of shape (I, O); zeros of `x` cost nothing."""
    for i in range(x.shape[0]):
        if x[i] != 0:
            factor = np.float32(x[i])
            line = weights[begin + i * out.shape[0] : begin + (i + 1) * out.shape[0]]
            for j in range(out.shape[0]):
                out[j] += factor * line[j]


@njit
def _affine(network: Any, thoughts: Any, source: Any, begin: Any, inputs: Any, out: Any) -> None:
    """out (O,) = the source (`inputs` numbers of a row of `hidden`, or of the observation) times the weights, plus the biases."""
    bias = network.weights[begin + inputs * out.shape[0] :]
    for j in range(out.shape[0]):
        out[j] = bias[j]
    if source == _OBSERVATION:
        flat = inputs - thoughts.pooled.shape[0]
        _add(thoughts.observation[:flat], network.weights, begin, out)
        _add(thoughts.pooled, network.weights, begin + flat * out.shape[0], out)
    else:
        _add(thoughts.hidden[source, :inputs], network.weights, begin, out)


@njit
def _run(network: Any, thoughts: Any, first: Any, last: Any, source: Any, row: Any, outputs: Any) -> Any:
    """Runs layers first to last - 1 on the row `source`: (the row of `hidden` with the result, the row with what went into the last layer).

    row: the first of the two rows to use; outputs: how many layers at the end have no activation.
    """
    before = source
    for number in range(first, last):
        before = source
        source = row + (number - first) % 2
        out = thoughts.hidden[source, : network.layers[number, 2]]
        _affine(network, thoughts, before, network.layers[number, 0], network.layers[number, 1], out)
        if number < last - outputs:
            if network.relu != 0:
                for j in range(out.shape[0]):
                    out[j] = max(out[j], np.float32(0.0))
            else:
                for j in range(out.shape[0]):
                    out[j] = np.tanh(out[j])
    return source, before


@njit
def trunk(network: Any, thoughts: Any) -> Any:
    """Runs the shared layers on `thoughts.observation`: the row of `hidden` with the result."""
    filled = 0
    for number in range(network.pools.shape[0]):
        begin, start, count, size, width = network.pools[number]
        out = thoughts.pooled[filled : filled + width]
        filled += width
        out[:] = 0.0
        bias = network.weights[begin + size * width :]
        hidden = thoughts.row[:width]
        for r in range(count):
            for j in range(width):
                hidden[j] = bias[j]
            _add(thoughts.observation[start + r * size : start + (r + 1) * size], network.weights, begin, hidden)
            for j in range(width):
                out[j] += max(hidden[j], np.float32(0.0))
        for j in range(width):
            out[j] /= np.float32(np.sqrt(count))
    return _run(network, thoughts, network.ends[0], network.ends[1], _OBSERVATION, _TRUNK, 0)[0]


@njit
def value(network: Any, thoughts: Any, shared: Any) -> Any:
    """The network's value of the position for the observing player; shared: from `trunk`."""
    row, _ = _run(network, thoughts, network.ends[2], network.ends[3], shared, _HEAD, 1)
    return thoughts.hidden[row, 0]


@njit
def logits(network: Any, thoughts: Any, shared: Any, mask: Any) -> None:
    """Fills `thoughts.logits` for the actions that are legal by `mask`; shared: from `trunk`."""
    row, context = _run(network, thoughts, network.ends[1], network.ends[2], shared, _HEAD, 1)
    out = thoughts.logits
    for action in range(out.shape[0]):
        out[action] = thoughts.hidden[row, action]
    for group in range(network.rows.shape[0]):
        begin, first, count, start, size, width = network.rows[group]
        if not mask[first : first + count].any():
            continue
        inputs = network.layers[network.ends[2] - 1, 1]
        after = begin + size * width
        base = thoughts.hidden[row, :width]  # its logits have already been read
        _affine(network, thoughts, context, after, inputs, base)
        weights = network.weights[after + (inputs + 1) * width :]
        scored = thoughts.row[:width]
        for r in range(count):
            if mask[first + r]:
                for j in range(width):
                    scored[j] = base[j]
                _add(thoughts.observation[start + r * size : start + (r + 1) * size], network.weights, begin, scored)
                total = np.float32(0.0)
                for j in range(width):
                    total += weights[j] * max(scored[j], np.float32(0.0))
                out[first + r] += total


@njit
def run_rows(network: Any, thoughts: Any, observations: Any, masks: Any, logits_out: Any, values_out: Any) -> None:
    """The forward pass for N positions: observations (N, S) and masks (N, A) -> logits (N, A), correct where legal, and values (N,).

    An output without rows is left out.
    """
    for row in range(observations.shape[0]):
        thoughts.observation[:] = observations[row]
        shared = trunk(network, thoughts)
        if values_out.shape[0] > 0:
            values_out[row] = value(network, thoughts, shared)
        if logits_out.shape[0] > 0:
            logits(network, thoughts, shared, masks[row])
            logits_out[row] = thoughts.logits
