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

_PLAYING = 0.6  # share of the warm start's time in which the teacher plays; then it is imitated


class NetworkLearner:
    """What `react_env.training.algorithms.learner.Learner` asks of a network: the warm start, and its weights."""

    policy: Any
    _game: Game
    _config: TrainConfig
    _workers: Workers

    def imitate(self, teacher: str, watch: Callable[[str], Watch], spent: Callable[[], float] = lambda: 0.0) -> str:
        """As `react_env.training.algorithms.learner.Learner.imitate`."""
        config = self._config
        playing = watch(f"{teacher} plays {config.imitation_games} games to imitate")
        fitting = watch(f"imitating {teacher}")
        lessons = imitation.collect(
            self._game,
            config,
            teacher,
            progress=lambda done: playing(_PLAYING * done),
            spent=lambda: spent() / _PLAYING,
        )
        agreement = imitation.fit(
            self.policy,
            lessons,
            config,
            self._workers,
            tick=lambda done: fitting(_PLAYING + (1.0 - _PLAYING) * done),
            spent=spent,
        )
        count = len(lessons.labels)
        return f"imitated {count:,} decisions of {teacher}; the network agrees with {100 * agreement:.0f} % of them"

    def begin_from(self, weights: Weights) -> None:
        """Continue from a network of the same architecture."""
        restore(self.policy, weights)

    def export(self) -> Weights:
        """The network as it is now, as plain arrays."""
        return export(self.policy)
