"""Opponents by difficulty: easy, medium and hard are other agents under a name that says how they feel to play against."""

from __future__ import annotations

from typing import Any

import numpy as np

from react_env.agents.players.uniform import pick_uniform
from react_env.agents.protocol import Actions, Players, Records, StateAgent
from react_env.agents.search.sharing import admitted
from react_env.engine.batch import taken


class Careless:
    """Plays as another agent does, except for a share of its decisions, in which it takes a random legal action."""

    def __init__(self, game: Any, agent: StateAgent, *, name: str, slips: float) -> None:
        """`slips`: that share, from 0 to 1."""
        self.name = name
        self.slips = slips
        self._game = game
        self._agent = agent

    def act_states(self, states: Records, players: Players, rng: np.random.Generator) -> Actions:
        """(N,) records and (N,) players to move -> (N,) int64 ids. StateError and OptionError as in `admitted`."""
        states, players = admitted(self._game, states, players)
        slipped = rng.random(len(states)) < self.slips
        chosen = np.empty(len(states), np.int64)
        if not slipped.all():
            chosen[~slipped] = self._agent.act_states(taken(states, ~slipped), players[~slipped], rng)
        if slipped.any():
            masks = np.array([self._game.action_mask(state) for state in states[slipped]])
            chosen[slipped] = pick_uniform(masks, rng)
        return chosen
