"""Games of a learner that other machines play, through Ray.

The games are divided into parts that travel: after each rollout, a part's games, its random streams and its open decisions come back to
the learner. So a part gives the same results whichever machine plays it, and however often it has to be played again. If a machine dies,
only its rollout is lost, and another one plays that again.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env import agents
from react_env.agents.models.model import (
    AnyArchitecture,
    Architecture,
    Device,
    ModelInfo,
    PolicyArchitecture,
    Precision,
    ValueArchitecture,
    Weights,
)
from react_env.agents.models.torch_network import Processor, TorchAgent, TorchNetwork, restore
from react_env.agents.players.learned_value import ValueAgent
from react_env.agents.players.policy import PolicyAgent
from react_env.agents.protocol import AnyAgent
from react_env.engine.game import Game
from react_env.evaluation.cluster import Cluster, Package, Shared, unpacked
from react_env.extras import need
from react_env.training.algorithms.learner import Stopped
from react_env.training.algorithms.rollouts import Rollout, Rollouts, seed_of_part
from react_env.training.algorithms.tables import Seen, Table, looks, parts_of, player, together
from react_env.training.algorithms.workers import Workers
from react_env.training.config import TrainConfig

with need("train", "torch"):
    import torch

_PARTS = 8  # if the options do not say


# -- opponents ------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Named:
    """A named agent from the options, in the form in which it travels."""

    package: Package

    def agent(self, game: Game) -> AnyAgent:
        """The agent."""
        return agents.load(unpacked(self.package), game)


@dataclass(frozen=True)
class Earlier:
    """An earlier self, in the form in which it travels."""

    name: str
    weights: Weights
    info: ModelInfo
    config: TrainConfig

    def agent(self, game: Game, threads: int = 1, device: Device = "cpu") -> AnyAgent:
        """The agent on that device; if it has probabilities, it draws from them."""
        weights, info, name = self.weights, self.info, self.name
        if isinstance(info.architecture, ValueArchitecture):
            return ValueAgent(game, weights, info, name=name, threads=threads, **looks(game, self.config))
        if isinstance(info.architecture, PolicyArchitecture):
            return PolicyAgent(game, weights, info, name=name, temperature=1.0, threads=threads)
        processor = Processor.of(device, self.config.precision)
        return TorchAgent(weights, info, name=name, temperature=1.0, threads=threads, processor=processor)


@lru_cache(maxsize=16)
def _opponent(shared: Shared, game: Game) -> AnyAgent:
    found: Named | Earlier = shared.content()
    return found.agent(game)


# -- parts ----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Told:
    """What all parts of a run need to know, sent once."""

    game: Game
    config: TrainConfig
    shape: Any  # Architecture, or ModelInfo for td
    seed: int


class _Elsewhere:
    """Parts of a learner's games: the state in which each last came back, and its opponents."""

    def __init__(
        self, cluster: Cluster, game: Game, config: TrainConfig, shape: AnyArchitecture | ModelInfo, *, seed: int
    ) -> None:
        self._cluster = cluster
        self._rows = parts_of(config, _PARTS)
        self._told = cluster.share(_Told(game, config, shape, seed))
        self._states: list[bytes | None] = [None] * len(self._rows)
        self._outcomes: list[dict[int, list[float]]] = []
        self._opponents: Sequence[Any] = ()
        self._assigned = np.zeros(0, np.int64)

    def deal(self, opponents: Sequence[Any], assigned: NDArray[np.int64]) -> None:
        """As `Rollouts.deal`; opponents are `Named` and `Earlier`, shared with the machines."""
        self._opponents, self._assigned, self._outcomes = list(opponents), assigned, []

    @property
    def results(self) -> dict[int, list[float]]:
        """Number of an opponent -> the learner's results against it since `deal`."""
        return together(self._outcomes)

    def _play(self, function: Callable[..., Any], weights: Weights, tick: Callable[[], bool]) -> list[Any]:
        """Play a rollout of each part. Raises Stopped once `tick` returns False; all parts then stay as they were."""
        shared = self._cluster.share(weights)
        pieces = (
            (self._told, part, state, shared, self._opponents, self._assigned[rows])
            for part, (state, rows) in enumerate(zip(self._states, self._rows, strict=True))
        )
        found = dict(self._cluster.each(function, pieces, tick))
        if len(found) < len(self._rows):
            raise Stopped
        played = [found[part] for part in range(len(self._rows))]
        self._states = [state for state, *_ in played]
        self._outcomes += [outcomes for _, outcomes, *_ in played]
        return [content for _, _, *content in played]

    def close(self) -> None:
        """Do nothing: the cluster stays open for others."""


# -- networks -------------------------------------------------------------------------------------------------------------------


class RolloutsElsewhere(_Elsewhere):
    """`Rollouts` that other machines play."""

    def collect(self, weights: Weights, tick: Callable[[], bool]) -> Rollout:
        """Play a rollout of all parts with these weights. Raises Stopped once `tick` returns False."""
        return Rollout.together([rollout for (rollout,) in self._play(_rollout, weights, tick)])


@lru_cache(maxsize=2)
def _network(game: Game, architecture: Architecture, precision: Precision) -> tuple[TorchNetwork, Workers]:
    torch.set_num_threads(1)
    return TorchNetwork(architecture, game.layout.scale, game.num_actions), Workers(1, Processor.of("cpu", precision))


def _rollout(
    told: _Told,
    part: int,
    state: bytes | None,
    weights: Weights,
    opponents: list[Shared],
    assigned: NDArray[np.int64],
) -> tuple[bytes, dict[int, list[float]], Rollout]:
    """A rollout of a part, played on another machine."""
    game, config = told.game, told.config
    rollouts: Rollouts
    if state is None:
        rollouts = Rollouts(game, config, len(assigned), seed=seed_of_part(told.seed, part))
    else:
        rollouts = pickle.loads(state)
    names = [shared.reference.hex() for shared in opponents]
    rollouts.deal([_opponent(shared, game) for shared in opponents], assigned, names)
    network, workers = _network(game, told.shape, config.precision)
    restore(network, weights)
    # A copy: pickling the rollouts moves open decisions to the front of the same arrays.
    found = copy.deepcopy(rollouts.collect(lambda observations, *_: workers.evaluate(network, observations)))
    state = pickle.dumps(rollouts)
    rollouts.close()
    return state, rollouts.results, found


# -- values ---------------------------------------------------------------------------------------------------------------------


class TablesElsewhere(_Elsewhere):
    """`react_env.training.algorithms.tables.Tables` that other machines play."""

    def play(self, weights: Weights, tick: Callable[[], bool]) -> tuple[int, list[Seen]]:
        """As `Tables.play`, but raises Stopped once `tick` returns False."""
        played = self._play(_table, weights, tick)
        return sum(own for own, _ in played), [seen for _, seen in played]


def _table(
    told: _Told, part: int, state: bytes | None, weights: Weights, opponents: list[Shared], assigned: NDArray[np.int64]
) -> tuple[bytes, dict[int, list[float]], int, Seen]:
    """A rollout at a table, played on another machine."""
    game, config = told.game, told.config
    table: Table
    if state is None:
        table = Table(game, len(assigned), seed=told.seed, threads=1, part=part)
    else:
        table = pickle.loads(state)
    table.dealt.deal(assigned, [shared.reference.hex() for shared in opponents])
    agent = player(game, config, told.shape, weights)
    known = [_opponent(shared, game) for shared in opponents]
    locks = [Lock() for _ in known]
    own = sum(table.play(agent, config.exploration, known, locks) for _ in range(config.rollout))
    seen = table.take()
    return pickle.dumps(table), table.dealt.results, own, seen
