"""Learning to correct the choices of a value: a policy over it, by PPO (residual policy learning: Silver et al., 2018).

A value judges positions, not plays, and looks ahead as if nobody reacted. So a play that invites an answer, or a Reaction that is worth
more later, looks as good to it as any other. Here the value stays fixed, and a policy over it
(`react_env.agents.players.value_policy`) learns from the results of whole games, in both seats. At first it adds nothing: the first games
are played by the value alone, with actions drawn by how much better they look.

The value is the game's own, by which greedy plays, or with the option `start` a learned one. A learned value plans its turn. While the
policy learns, plans end with the first play (the option `plan_width`), which is several times as fast; what the policy learns holds for
whole plans as well.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from react_env.agents.models.model import (
    POLICY,
    Floats,
    ModelInfo,
    PolicyArchitecture,
    ValueArchitecture,
    Weights,
)
from react_env.agents.players.learned_value import ValueAgent
from react_env.agents.players.value_policy import told
from react_env.agents.protocol import Masks, Observations, Players, Records
from react_env.agents.search.action_features import ActionFeatures
from react_env.engine.game import Game
from react_env.extras import need
from react_env.training.algorithms.ppo import PPO
from react_env.training.algorithms.tables import player
from react_env.training.algorithms.workers import Workers
from react_env.training.config import TrainConfig

with need("train", "torch"):
    import torch
    from torch import Tensor, nn

_HEAD = 64  # hidden width of the expected result, which only learning needs


class PolicyNet(nn.Module):
    """`react_env.agents.players.value_policy` for many decisions at once, with the expected result, which learning needs."""

    scale: Tensor
    sharpness: Tensor

    def __init__(
        self, shape: ValueArchitecture | PolicyArchitecture, scale: npt.NDArray[Any], sharpness: float, players: int
    ) -> None:
        super().__init__()
        width = shape.policy
        self.register_buffer("scale", torch.tensor(scale, dtype=torch.float32))
        self.register_buffer("sharpness", torch.tensor([sharpness], dtype=torch.float32))
        self.see = nn.Linear(len(scale), width)
        self.context = nn.Linear(width, width)
        self.action = nn.Linear(2 * len(shape.features) + 2, width, bias=False)
        self.score = nn.Linear(width, 1, bias=False)
        last = nn.Linear(_HEAD, 1)
        self.result = nn.Sequential(nn.Linear(width, _HEAD), nn.ReLU(), last)
        # How far the expected result follows the value. The game's own value only says what an action changes.
        self.believes = nn.Parameter(torch.full((), float(isinstance(shape, ValueArchitecture))))
        for weights in (self.score.weight, last.weight, last.bias):
            nn.init.zeros_(weights)
        self._others = players - 1

    def forward(self, observations: Tensor, masks: Tensor, features: Tensor) -> tuple[Tensor, Tensor]:
        """int8 (B, S), bool (B, A) and float32 (M, F) of the M legal actions -> logits (B, A), 0 where illegal, and results (B,)."""
        seen = torch.relu(self.see(observations * self.scale))
        context = self.context(seen).repeat_interleave(masks.sum(1), 0)
        own = self.score(torch.relu(self.action(features) + context))[:, 0].float()
        filled = torch.full(masks.shape, -torch.inf).masked_scatter(masks, features[:, -1])
        best = filled.amax(1)
        added = torch.zeros(masks.shape).masked_scatter(masks, own)
        logits = added + (self.sharpness * (filled - best[:, None])).masked_fill(~masks, 0.0)
        # The winner gets 1, and the others share -1.
        expected = (torch.sigmoid(best) * (1 + self._others) - 1) / self._others
        return logits, self.believes * expected + self.result(seen)[:, 0].float()


class Residual(PPO):
    """The learner. Its policy stands over `value`, the weights of a learned value (perhaps with a policy already), or over the game's own
    value if `info` describes a policy alone."""

    def __init__(
        self, game: Game, config: TrainConfig, info: ModelInfo, value: Weights, workers: Workers, *, seed: int
    ) -> None:
        assert isinstance(info.architecture, ValueArchitecture | PolicyArchitecture)
        self._shape = info.architecture
        self._value: Weights = {}
        self._player: ValueAgent | None = None
        if isinstance(self._shape, ValueArchitecture):
            alone, self._value = self._shape.alone(value)
            self._player = player(game, config, replace(info, architecture=alone), self._value, config.threads)
        self._describe = ActionFeatures(game, threads=config.threads)
        super().__init__(game, config, info.architecture, workers, seed=seed)

    def _new_network(self, architecture: Any) -> Any:
        usual = 80.0 if isinstance(architecture, ValueArchitecture) else 20.0
        sharpness = self._config.sharpness or usual
        return PolicyNet(architecture, self._game.layout.scale, sharpness, self._game.num_players)

    def _tells(self, states: Records, players: Players, masks: Masks, rng: np.random.Generator) -> Floats:
        chances = self._player.win_chances(states, players, rng) if self._player else None
        return told(self._describe, states, players, masks, rng, chances)

    def _think(self, observations: Observations, masks: Masks, features: NDArray[Any]) -> tuple[Floats, Floats]:
        def judge(seen: Tensor, legal: Masks, features: NDArray[Any]) -> tuple[Tensor, Tensor]:
            return self.policy(seen, torch.from_numpy(legal), _together(features))

        return self._workers.evaluate(judge, observations, masks, features)

    def _judge(self, network: Any, seen: dict[str, Any], rows: Tensor) -> tuple[Tensor, Tensor]:
        return network(seen["observations"][rows], seen["masks"][rows], _together(seen["features"][rows.numpy()]))

    def begin_from(self, weights: Weights) -> None:
        """Continue from a policy over the same value, or from one that adds nothing if there is none yet."""
        found = {
            name.removeprefix(POLICY): torch.tensor(array)
            for name, array in weights.items()
            if name.startswith(POLICY) and not name.endswith("sharpness")
        }
        self.policy.load_state_dict({**self.policy.state_dict(), **found})

    def export(self) -> Weights:
        """The learned value, if there is one, and the policy over it as it is now."""
        shapes = self._shape.shapes(self._game.layout.size, self._game.num_actions)
        policy = {POLICY + name: tensor.numpy().copy() for name, tensor in self.policy.state_dict().items()}
        return {name: array for name, array in {**self._value, **policy}.items() if name in shapes}


def _together(features: NDArray[Any]) -> Tensor:
    """The features of the legal actions of some decisions, one after the other."""
    return torch.from_numpy(np.concatenate(list(features)).astype(np.float32))
