"""What the learners of a network have in common, whichever algorithm improves it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from react_env.agents.models.model import Weights
from react_env.agents.models.torch_network import export, restore
from react_env.engine.game import Game
from react_env.training.algorithms import imitation
from react_env.training.algorithms.learner import Watch
from react_env.training.algorithms.workers import Workers
from react_env.training.config import TrainConfig


class NetworkLearner:
    """A part of `react_env.training.algorithms.learner.Learner`: the warm start of a network, and its weights."""

    policy: Any
    _game: Game
    _config: TrainConfig
    _workers: Workers

    def imitate(self, teacher: str, watch: Callable[[str], Watch], spent: Callable[[], float] = lambda: 0.0) -> str:
        """As `imitation.teach`."""
        return imitation.teach(self.policy, self._game, self._config, self._workers, teacher, watch, spent)

    def begin_from(self, weights: Weights) -> None:
        """Go on from a network of the same architecture."""
        restore(self.policy, weights)

    def export(self) -> Weights:
        """The network of this moment as plain arrays."""
        return export(self.policy)
