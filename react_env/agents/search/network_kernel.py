"""A network for compiled code: the forward pass for one position, which allocates nothing. It is what a search asks at its nodes.

All weights lie in one array and the layers in a table of numbers, so that networks of every architecture have the same type and a search is
compiled once for all of them. `react_env.agents.players.neural` says what the network is, and computes the same for many positions at once.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from react_env.engine.compile import njit
from react_env.engine.kernels import copy_end

if TYPE_CHECKING:
    from react_env.agents.players.neural import NeuralAgent

_OBSERVATION = -1  # in place of a row of `Thoughts.hidden`
_TRUNK, _HEAD = 0, 2  # the first of two rows of `Thoughts.hidden`


class Network(NamedTuple):
    """The weights: L layers, and G groups of actions that are scored by rows of the observation."""

    weights: npt.NDArray[np.float32]  # (W,) of everything
    layers: npt.NDArray[np.int64]  # (L, 3) where (inputs, outputs) weights and then the biases begin; inputs; outputs
    ends: npt.NDArray[
        np.int64
    ]  # (4,) layers ends[0] to ends[1] are the trunk, up to ends[2] the policy, up to ends[3] the value
    # (G, 6) where (features, width) weights, (inputs, width) weights of the context, its biases and the score begin; first action;
    # actions; first number of the first row in the observation; features; width
    rows: npt.NDArray[np.int64]
    # (G, 5) where (features, width) weights and the biases of a pool begin; first number of the first row; rows; features; width
    pools: npt.NDArray[np.int64]
    relu: int  # 1: after each hidden layer; 0: tanh
    shaping: (
        float  # the weight of the game's potential that the value leaves out (`react_env.training.algorithms.shaping`)
    )
    fixed: npt.NDArray[np.int8]  # (K, F) ends of observations that stay as they are
    fixed_row: npt.NDArray[np.int64]  # (T, P) which of them a player sees


class Thoughts(NamedTuple):
    """Scratch memory of one worker: H is the width of the widest layer."""

    observation: npt.NDArray[np.int8]  # (S,)
    hidden: npt.NDArray[np.float32]  # (4, H) two rows for the trunk and two for a head, used in turn
    row: npt.NDArray[np.float32]  # (H,)
    pooled: npt.NDArray[np.float32]  # (numbers in all pools,)
    logits: npt.NDArray[np.float32]  # (A,) of the last position, right where an action is legal
    policy: npt.NDArray[np.float64]  # (A,) their probabilities, 0 where it is not


def pack(agent: NeuralAgent, game: Any) -> Network:
    """The network of `agent`, which was made for `game`."""
    parts: list[npt.NDArray[np.float32]] = []

    def place(*arrays: npt.NDArray[np.float32]) -> int:
        begin = sum(part.size for part in parts)
        parts.extend(np.ravel(array) for array in arrays)
        return begin

    stacks = (agent._trunk, agent._policy, agent._value)
    layers = [(place(weight, bias), *weight.shape) for stack in stacks for weight, bias in stack]
    rows = [
        (place(features, *context, score), group.first_action, group.count, group.start, *features.shape)
        for group, features, context, score in agent._rows
    ]
    pools = [(place(features, bias), pool.start, pool.count, *features.shape) for pool, features, bias in agent._pools]
    config = agent.info.training.get("config")
    shaping = config.get("shaping") if isinstance(config, dict) and game.heuristics.potential is not None else None
    if isinstance(config, dict) and config.get("shaping_unit"):
        shaping = None  # another potential than the game's own: it is not added back
    return Network(
        weights=np.concatenate(parts),
        layers=np.array(layers, np.int64),
        ends=np.cumsum([0, *map(len, stacks)]).astype(np.int64),
        rows=np.array(rows, np.int64).reshape(-1, 6),
        pools=np.array(pools, np.int64).reshape(-1, 5),
        relu=int(agent.architecture.activation == "relu"),
        shaping=float(shaping) if isinstance(shaping, int | float) and math.isfinite(shaping) else 0.0,
        fixed=game.fixed,
        fixed_row=game.fixed_row,
    )


def no_network() -> Network:
    """What a search without a network is given in its place."""
    return Network(
        weights=np.zeros(0, np.float32),
        layers=np.zeros((0, 3), np.int64),
        ends=np.zeros(4, np.int64),
        rows=np.zeros((0, 6), np.int64),
        pools=np.zeros((0, 5), np.int64),
        relu=1,
        shaping=0.0,
        fixed=np.zeros((0, 0), np.int8),
        fixed_row=np.zeros((0, 0), np.int64),
    )


def new_thoughts(network: Network, game: Any) -> Thoughts:
    """Scratch memory for `network` in games of these rules."""
    width = max([0, *network.layers[:, 2], *network.rows[:, 5], *network.pools[:, 4]])
    actions = len(game.action_names)
    return Thoughts(
        np.zeros(game.layout.size, np.int8),
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
    """Layers first to last - 1 of what stands in the row `source`: the rows of `hidden` with the last result and with the one before it.

    row: the first of the two rows to use; outputs: how many layers at the end have no function after them.
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
    """The shared layers for `thoughts.observation`: the row of `hidden` in which their result stands."""
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
    """What the network says of the position for the player who observes; shared: from `trunk`."""
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
        base = thoughts.hidden[row, :width]  # the logits have been read from there
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


class Questions(NamedTuple):
    """The compiled functions of one game."""

    policy: Any  # (network, thoughts, s, t, mask): fills thoughts.policy for the player to move
    worth: Any  # (network, thoughts, s, t, player) -> value in -1..1 for `player` of a game that goes on


def make_questions(game: Any, prefix: str, guided: bool) -> Questions:
    """Compiles what a search asks a network about a game s of `game`; `prefix` names the functions in the cache.

    Where the search is not `guided` by a network they do nothing: then there is less to compile.
    """
    if not guided:

        @njit(name=f"{prefix}.no_policy")
        def no_policy(network: Any, thoughts: Any, s: Any, t: Any, mask: Any) -> None:
            pass

        @njit(name=f"{prefix}.no_worth")
        def no_worth(network: Any, thoughts: Any, s: Any, t: Any, player: Any) -> Any:
            return 0.0

        return Questions(no_policy, no_worth)
    observe, potential = game.rules.observe, game.heuristics.potential

    if potential is None:

        @njit(name=f"{prefix}.potential_of")
        def potential_of(s: Any, t: Any, player: Any) -> Any:
            return 0.0

    else:
        potential_of = potential

    @njit(name=f"{prefix}.look_at")
    def look_at(network: Any, thoughts: Any, s: Any, t: Any) -> None:
        """Fills `thoughts.observation` with what the player to move sees."""
        copy_end(network.fixed[network.fixed_row[s.table, s.to_play]], thoughts.observation)
        observe(s, t, np.int64(s.to_play), thoughts.observation)

    @njit(name=f"{prefix}.policy")
    def policy(network: Any, thoughts: Any, s: Any, t: Any, mask: Any) -> None:
        look_at(network, thoughts, s, t)
        logits(network, thoughts, trunk(network, thoughts), mask)
        found, out = thoughts.logits, thoughts.policy
        top = -np.inf
        for action in range(mask.shape[0]):
            if mask[action]:
                top = max(top, found[action])
        total = 0.0
        for action in range(mask.shape[0]):
            out[action] = np.exp(found[action] - top) if mask[action] else 0.0
            total += out[action]
        for action in range(mask.shape[0]):
            out[action] /= total

    @njit(name=f"{prefix}.worth")
    def worth(network: Any, thoughts: Any, s: Any, t: Any, player: Any) -> Any:
        look_at(network, thoughts, s, t)
        found = float(value(network, thoughts, trunk(network, thoughts)))
        if network.shaping != 0.0:
            found += network.shaping * potential_of(s, t, np.int64(s.to_play))
        found = min(max(found, -1.0), 1.0)
        return found if s.to_play == player else -found

    return Questions(policy, worth)
