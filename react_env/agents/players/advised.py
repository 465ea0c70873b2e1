"""A network that is advised: to its logits is added what a look-ahead finds of each action.

What a card will hit is laborious to learn and easy to work out; how one position compares with another is the reverse. So the engine
works out the first (the values that greedy or scripted give to each legal action), and the network learns what to add to it (residual
policy learning: Silver et al., 2018): an untrained one plays about as its adviser does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from react_env.agents.models.model import Floats
from react_env.agents.observed import see
from react_env.agents.players import greedy, scripted
from react_env.agents.players.neural import NeuralAgent, chosen
from react_env.agents.protocol import Actions, Players, Records
from react_env.errors import OptionError

MOST = 12.0  # logits by which an action may lie behind the best one in the adviser's eyes


_ADVISERS = {"greedy": greedy.from_argument, "scripted": scripted.from_argument}


class Adviser:
    """An agent that tells what it finds of each action, in logits."""

    def __init__(self, name: str, scale: float, game: Any, *, threads: int = 1) -> None:
        """`name`: of an agent that tells values, greedy or scripted; `scale`: how many units of its value are one logit."""
        kind, _, argument = name.partition(":")
        if kind not in _ADVISERS:
            raise OptionError(f"{name} cannot advise: it gives no values of actions; {' and '.join(_ADVISERS)} do")
        self._agent = _ADVISERS[kind](game, argument, threads)
        if not scale > 0:
            raise OptionError(f"advice_scale is {scale}: it must be more than 0")
        self._scale = scale

    def __call__(self, states: Records, players: Players, rng: np.random.Generator) -> Floats:
        """(N,) records and (N,) players to move -> (N, A) float32: 0 for the best action and illegal ones, less for the others."""
        values = self._agent.action_values(states, players, rng)
        values -= values.max(1, keepdims=True)
        legal = np.isfinite(values)
        return np.where(legal, np.maximum(values / self._scale, -MOST), 0.0).astype(np.float32)


def network_in(agent: Any) -> NeuralAgent | None:
    """The network by which an agent plays, with an adviser or alone; None where it plays by none."""
    if isinstance(agent, AdvisedAgent):
        return agent.network
    return agent if isinstance(agent, NeuralAgent) else None


class AdvisedAgent:
    """Plays by a network whose `ModelInfo` names an adviser."""

    def __init__(self, game: Any, network: NeuralAgent, *, threads: int = 1) -> None:
        self.name = network.name
        self.info = network.info
        self.network = network
        self._game = game
        self._adviser = Adviser(network.info.advice, network.info.advice_scale, game, threads=threads)

    def act_states(self, states: Records, players: Players, rng: np.random.Generator) -> Actions:
        """(N,) records and (N,) players to move -> (N,) int64 ids."""
        advice = self._adviser(states, players, rng)  # which refuses records that no game could reach
        observations, masks = see(self._game, states)
        return chosen(self.network.logits(observations) + advice, masks, self.network.temperature, rng)
