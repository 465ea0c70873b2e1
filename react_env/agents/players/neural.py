"""The agent that is a trained network. It travels in the two files of `agents.models.model` and needs neither torch nor stable-baselines3.

The network (B decisions, S observation numbers, A actions):

    int8 (B, S) * scale (S,) -> trunk layers -> policy layers -> logits (B, A), of which only the legal ones count
                                             -> value layers  -> value (B,)

Where the game says which rows of the observation belong to which actions (`Rules.action_rows`: a zone's row to choosing that zone), each
such action also gets w . relu(F row + C h + b), with the same F, C, b and w for all actions of the group and h the last policy layer: what
is learned of one zone holds for all. And the trunk may be given, beside the observation, the pool of each such piece: the sum of
relu(P row + p) over its rows, divided by the square root of their number (Zaheer et al., 2017), so that what stands together in a zone
is seen wherever that zone is.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from react_env.agents.models.model import Architecture, Floats, ModelInfo, Pool, Weights, load_for
from react_env.agents.protocol import Actions, Masks, Observations
from react_env.engine.compile import njit
from react_env.engine.kernels import for_compiled
from react_env.errors import OptionError

CHUNK = 512  # rows of one matrix product, so that a layer's numbers stay in the processor's cache
SHARE = 16  # fewest rows worth a thread of their own


@njit
def _add(x: Any, weight: Any, out: Any) -> None:
    """out (O,) += x (I,) @ weight (I, O); zeros of `x` cost nothing."""
    for i in range(x.shape[0]):
        if x[i] != 0:
            factor = np.float32(x[i])
            line = weight[i]
            for j in range(out.size):
                out[j] += factor * line[j]


@njit
def _affine(x: Any, weight: Any, bias: Any, relu: Any, out: Any) -> None:
    """out (N, O) = x (N, I) @ weight (I, O) + bias, negative results cut off with `relu`.

    Zeros of `x` cost nothing: most of an observation and half of what a ReLU lets through. That beats a dense product at every batch size
    here, and above all for the few games of a late round, where starting the threads of a matrix library costs more than the product.
    """
    for row in range(x.shape[0]):
        total = out[row]
        total[:] = bias
        _add(x[row], weight, total)
        if relu:
            for j in range(total.size):
                total[j] = max(total[j], np.float32(0.0))


@njit
def _pool_rows(x: Any, features: Any, bias: Any, hidden: Any, out: Any) -> None:
    """out (N, W) = sum over the rows of relu(x (N, R, K) @ features (K, W) + bias (W,)) / sqrt(R); hidden (W,) is scratch."""
    out[:] = 0.0
    share = np.float32(1.0 / np.sqrt(x.shape[1]))
    for n in range(x.shape[0]):
        for r in range(x.shape[1]):
            hidden[:] = bias
            _add(x[n, r], features, hidden)
            for j in range(hidden.size):
                out[n, j] += share * max(hidden[j], np.float32(0.0))


@njit
def _score_rows(x: Any, features: Any, context: Any, score: Any, hidden: Any, logits: Any) -> None:
    """logits (N, R) += score (W,) . relu(x (N, R, K) @ features (K, W) + context (N, W)); hidden (W,) is scratch."""
    for n in range(x.shape[0]):
        for r in range(x.shape[1]):
            hidden[:] = context[n]
            _add(x[n, r], features, hidden)
            total = np.float32(0.0)
            for j in range(hidden.size):
                total += score[j] * max(hidden[j], np.float32(0.0))
            logits[n, r] += total


@njit
def select(logits: Any, masks: Any, uniform: Any, temperature: Any, out: Any) -> None:
    """out (N,): per row the legal id of the largest logit (temperature 0), or one drawn from softmax(logits / temperature)."""
    for row in range(logits.shape[0]):
        scores = logits[row]
        mask = masks[row]
        best = -1
        for action in range(scores.shape[0]):
            if mask[action] and (best < 0 or scores[action] > scores[best]):
                best = action
        out[row] = best
        if temperature > 0.0 and best >= 0:
            top = scores[best]
            total = 0.0
            for action in range(scores.shape[0]):
                if mask[action]:
                    scores[action] = np.exp((scores[action] - top) / temperature)
                    total += scores[action]
            left = uniform[row] * total
            for action in range(scores.shape[0]):
                if mask[action]:
                    out[row] = action
                    left -= scores[action]
                    if left < 0.0:
                        break


class NeuralAgent:
    """Plays by a network: the action of the largest logit, or a random one by the network's probabilities."""

    def __init__(
        self, weights: Weights, info: ModelInfo, *, name: str = "neural", temperature: float = 0.0, threads: int = 1
    ) -> None:
        """`temperature` 0 takes the best action, 1 draws from the network's own distribution. `threads` share large batches."""
        if temperature < 0:
            raise OptionError(f"temperature {temperature} is negative")
        self.name = name
        self.info = info
        self.weights = weights
        self.temperature = temperature
        self.threads = threads
        assert isinstance(info.architecture, Architecture)
        self.architecture = architecture = info.architecture
        self._relu = architecture.activation == "relu"
        self._trunk = [_layer(weights, f"trunk.{n}") for n in range(len(architecture.trunk))]
        self._policy = [_layer(weights, f"policy.{n}") for n in range(len(architecture.policy) + 1)]
        self._value = [_layer(weights, f"value.{n}") for n in range(len(architecture.value) + 1)]
        self._rows = []
        for rows in architecture.rows:
            name = f"rows.{rows.group}"
            features = np.array(weights[f"{name}.features.weight"].T, np.float32, order="C")
            features *= weights["scale"][rows.start : rows.start + rows.size, None]
            context = _layer(weights, f"{name}.context")
            self._rows.append((rows, features, context, weights[f"{name}.score.weight"][0].astype(np.float32)))
        self._pools = []
        for pool in architecture.pools:
            pooled, bias = _layer(weights, f"pools.{pool.piece}")
            pooled *= weights["scale"][pool.start : pool.start + pool.size, None]
            self._pools.append((pool, pooled, bias))
        # The first layer takes the int8 numbers as they are: their scale goes into its weights.
        self._inputs = architecture.inputs or info.observation_size
        first_layers = [self._trunk[:1]] if self._trunk else [self._policy[:1], self._value[:1]]
        for first in first_layers:
            first[0][0][: self._inputs] *= weights["scale"][: self._inputs, None]

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        game: Any,
        *,
        temperature: float = 0.0,
        on_mismatch: Literal["refuse", "warn"] = "refuse",
    ) -> NeuralAgent:
        """The agent in a model file, if it was made for `game`.

        ModelError and `on_mismatch` as in `react_env.agents.models.model.load_for`; OptionError where the model is no network.
        """
        weights, info, name = load_for(path, game, on_mismatch=on_mismatch)
        if not isinstance(info.architecture, Architecture):
            raise OptionError(f"{path} is a learned value, not a network that chooses: use agents.load")
        return cls(weights, info, name=name, temperature=temperature)

    def act(self, observations: Observations, action_masks: Masks, rng: np.random.Generator) -> Actions:
        """(N, S) int8 and (N, A) bool -> (N,) int64. Takes N numbers from `rng` if it draws, none otherwise."""
        count = len(observations)
        out = np.empty(count, np.int64)
        uniform = rng.random(count) if self.temperature > 0 else np.zeros(count)

        def work(begin: int) -> None:
            rows = slice(begin, begin + size)
            logits = self._logits(for_compiled(observations[rows]))
            select(logits, for_compiled(action_masks[rows]), uniform[rows], self.temperature, out[rows])

        size = min(CHUNK, max(SHARE, -(-count // self.threads)))
        begins = range(0, count, size)
        if self.threads > 1 and len(begins) > 1:
            list(_pool().map(work, begins))
        else:
            for begin in begins:
                work(begin)
        return out

    def logits(self, observations: Observations) -> Floats:
        """(N, S) int8 -> (N, A) float32, illegal actions included."""
        parts = [self._logits(for_compiled(part)) for part in _parts(observations)]
        return np.concatenate(parts) if parts else np.zeros((0, self.info.action_count), np.float32)

    def values(self, observations: Observations) -> Floats:
        """(N, S) int8 -> (N,) float32: the expected reward of the player who observes, as the network sees it."""
        parts = [self._run(self._features(part), self._value)[:, 0] for part in _parts(observations)]
        return np.concatenate(parts) if parts else np.zeros(0, np.float32)

    def _logits(self, observations: Observations) -> Floats:
        h = self._features(observations)
        for layer in self._policy[:-1]:
            h = self._hidden(h, layer)
        logits = _apply(h, self._policy[-1], False)
        for rows, features, context, score in self._rows:
            x = for_compiled(observations[:, rows.slice]).reshape(-1, rows.count, rows.size)
            out = logits[:, rows.first_action : rows.first_action + rows.count]
            _score_rows(x, features, _apply(h, context, False), score, np.empty(len(score), np.float32), out)
        return logits

    def _features(self, observations: Observations) -> Any:
        x: Any = for_compiled(observations[:, : self._inputs])
        layers = self._trunk
        if self._pools:
            weight, bias = layers[0]
            y = _apply(x, (weight[: self._inputs], bias), False)
            pooled = np.concatenate([self._pooled(observations, *pool) for pool in self._pools], 1)
            y += _apply(pooled, (weight[self._inputs :], np.zeros_like(bias)), False)
            x = np.maximum(y, 0.0, out=y) if self._relu else np.tanh(y, out=y)
            layers = layers[1:]
        for layer in layers:
            x = self._hidden(x, layer)
        return x

    def _pooled(self, observations: Observations, pool: Pool, features: Floats, bias: Floats) -> Floats:
        rows = for_compiled(observations[:, pool.slice]).reshape(-1, pool.count, pool.size)
        out = np.empty((len(rows), len(bias)), np.float32)
        _pool_rows(rows, features, bias, np.empty(len(bias), np.float32), out)
        return out

    def _run(self, x: Any, layers: list[tuple[Floats, Floats]]) -> Floats:
        for layer in layers[:-1]:
            x = self._hidden(x, layer)
        return _apply(x, layers[-1], False)

    def _hidden(self, x: Any, layer: tuple[Floats, Floats]) -> Floats:
        y = _apply(x, layer, self._relu)
        return y if self._relu else np.tanh(y, out=y)


def _apply(x: Any, layer: tuple[Floats, Floats], relu: bool) -> Floats:
    weight, bias = layer
    out = np.empty((len(x), weight.shape[1]), np.float32)
    _affine(x, weight, bias, relu, out)
    return out


@lru_cache(maxsize=1)
def _pool() -> ThreadPoolExecutor:
    """The threads that all networks of this process share."""
    return ThreadPoolExecutor(os.cpu_count())


def _layer(weights: Weights, name: str) -> tuple[Floats, Floats]:
    """(in, out) weight, contiguous and our own, and (out,) bias."""
    return np.array(weights[f"{name}.weight"].T, np.float32, order="C"), weights[f"{name}.bias"].astype(np.float32)


def _parts(observations: Observations) -> list[Observations]:
    return [observations[begin : begin + CHUNK] for begin in range(0, len(observations), CHUNK)]
