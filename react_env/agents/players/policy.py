"""The agent that plays by a policy over the game's own value (`react_env.agents.players.value_policy`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from react_env.agents.models.model import ModelInfo, Weights
from react_env.agents.observed import see
from react_env.agents.players.neural import chosen
from react_env.agents.players.value_policy import ValuePolicy, told
from react_env.agents.protocol import Actions, Players, Records


class PolicyAgent:
    """Plays by a policy over the game's own value."""

    def __init__(
        self,
        game: Any,
        weights: Weights,
        info: ModelInfo,
        *,
        name: str = "policy",
        temperature: float = 0.0,
        threads: int = 1,
    ) -> None:
        """`temperature` 0 takes the best action, 1 draws from its probabilities."""
        self.name = name
        self.info = info
        self.weights = weights
        self.temperature = temperature
        self._game = game
        self._policy = ValuePolicy(game, weights, threads=threads)

    def act_states(self, states: Records, players: Players, rng: np.random.Generator) -> Actions:
        """(N,) records and (N,) players to move -> (N,) int64 ids.

        StateError if a record belongs to a game with other options, or no game could reach it.
        """
        states, players = self._policy.describe.admit(states, players)
        observations, masks = see(self._game, states)
        features = told(self._policy.describe, states, players, masks, rng)
        return chosen(self._policy.logits(observations, masks, features), masks, self.temperature, rng)
