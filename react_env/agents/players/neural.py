"""The agent that plays by a trained network.

It is kept in the two files of `agents.models.model` and needs neither torch nor stable-baselines3. `react_env.agents.models.network`
describes the network.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import numpy as np

from react_env.agents.models.model import Architecture, Floats, ModelInfo, Weights
from react_env.agents.models.network import new_thoughts, pack, run_rows
from react_env.agents.protocol import Actions, Masks, Observations, as_array
from react_env.engine.compile import njit
from react_env.engine.kernels import for_compiled
from react_env.errors import OptionError
from react_env.processors import processors

CHUNK = 512  # positions of one call
SHARE = 16  # fewest positions worth a thread of their own
_NO_LOGITS, NOTHING = np.zeros((0, 0), np.float32), np.zeros(0, np.float32)


@njit
def select(logits: Any, masks: Any, uniform: Any, temperature: Any, actions: Any, log_probs: Any) -> None:
    """Chooses for each row the legal action with the largest logit (temperature 0), or draws from softmax(logits / temperature).

    logits float32 (B, A), masks bool (B, A), uniform float64 (B,) in 0..1 -> actions int64 (B,), -1 where none is legal, and log_probs
    float32 (B,), the logarithms of their probabilities at temperature 1; without rows they are left out.
    """
    for row in range(logits.shape[0]):
        scores, mask = logits[row], masks[row]
        best = -1
        for a in range(scores.shape[0]):
            if mask[a] and (best < 0 or scores[a] > scores[best]):
                best = a
        actions[row] = best
        if best < 0:
            continue
        top = scores[best]
        if temperature > 0.0:
            total = 0.0
            for a in range(scores.shape[0]):
                if mask[a]:
                    total += np.exp((scores[a] - top) / temperature)
            left = uniform[row] * total
            for a in range(scores.shape[0]):
                if mask[a]:
                    actions[row] = a
                    left -= np.exp((scores[a] - top) / temperature)
                    if left < 0.0:
                        break
        if log_probs.shape[0] > 0:
            total = 0.0
            for a in range(scores.shape[0]):
                if mask[a]:
                    total += np.exp(scores[a] - top)
            log_probs[row] = scores[actions[row]] - top - np.log(total)


def chosen(logits: Floats, masks: Masks, temperature: float, rng: np.random.Generator) -> Actions:
    """What `select` chooses, (N,) int64. Takes N numbers from `rng` if it draws, none otherwise."""
    out = np.empty(len(logits), np.int64)
    uniform = rng.random(len(logits)) if temperature > 0 else np.zeros(len(logits))
    select(logits, masks, uniform, temperature, out, NOTHING)
    return out


class NeuralAgent:
    """Plays by a network: the action with the largest logit, or one drawn from the network's probabilities."""

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
        self.architecture = info.architecture
        self.network = pack(weights, info.architecture)

    def act(self, observations: Observations, action_masks: Masks, rng: np.random.Generator) -> Actions:
        """(N, S) int8 and (N, A) bool -> (N,) int64, -1 where none is legal. Takes N numbers from `rng` if it draws, none otherwise.

        Other types that hold the same numbers are accepted. OptionError for another shape or other numbers.
        """
        observations = self._admitted(observations)
        count = len(observations)
        action_masks = as_array("action_masks", action_masks, np.bool_, (count, self.info.action_count))
        out = np.empty(count, np.int64)
        uniform = rng.random(count) if self.temperature > 0 else np.zeros(count)

        def work(begin: int) -> None:
            rows = slice(begin, begin + size)
            masks = for_compiled(action_masks[rows])
            logits = self._logits(for_compiled(observations[rows]), masks)
            select(logits, masks, uniform[rows], self.temperature, out[rows], NOTHING)

        size = min(CHUNK, max(SHARE, -(-count // self.threads)))
        begins = range(0, count, size)
        if self.threads > 1 and len(begins) > 1:
            list(_pool().map(work, begins))
        else:
            for begin in begins:
                work(begin)
        return out

    def logits(self, observations: Observations) -> Floats:
        """(N, S) int8 -> (N, A) float32, illegal actions included. OptionError as in `act`."""
        observations = for_compiled(self._admitted(observations))
        return self._logits(observations, np.ones((len(observations), self.info.action_count), np.bool_))

    def values(self, observations: Observations) -> Floats:
        """(N, S) int8 -> (N,) float32: the network's estimate of the observing player's reward. OptionError as in `act`."""
        observations = for_compiled(self._admitted(observations))
        out = np.empty(len(observations), np.float32)
        self._run(observations, np.zeros((len(out), 0), np.bool_), _NO_LOGITS, out)
        return out

    def _admitted(self, observations: Any) -> Observations:
        """The observations as (N, S) int8, the given array itself if it is that. OptionError for anything else."""
        found: Observations = as_array("observations", observations, np.int8, (None, self.info.observation_size))
        return found

    def _logits(self, observations: Observations, masks: Masks) -> Floats:
        """(N, A) float32, correct for legal actions only."""
        out = np.empty(masks.shape, np.float32)
        self._run(observations, masks, out, NOTHING)
        return out

    def _run(self, observations: Observations, masks: Masks, logits: Floats, values: Floats) -> None:
        thoughts = new_thoughts(self.network, self.info.observation_size, self.info.action_count)
        run_rows(self.network, thoughts, observations, masks, logits, values)


@lru_cache(maxsize=1)
def _pool() -> ThreadPoolExecutor:
    """The threads that all networks of this process share."""
    return ThreadPoolExecutor(processors())


if hasattr(os, "register_at_fork"):  # a fork copies the pool, but not its threads
    os.register_at_fork(after_in_child=_pool.cache_clear)
