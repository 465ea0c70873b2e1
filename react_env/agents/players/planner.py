"""The agent that plans its turn by the game's own value. Searches ask it about the actions at the root.

It follows a few of the best plays to the end of its own turn (`react_env.agents.search.planning`), in worlds in which what its player
cannot know has been redrawn. `react_env.agents.players.learned_value` does the same with a learned value.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from react_env.agents.players.greedy import GreedyAgent, make_decide
from react_env.agents.protocol import Players, Records, Values
from react_env.agents.search.lookahead import NO_PARAMS, make_value
from react_env.agents.search.planning import BUDGET, WIDTH, make_plan, new_beam
from react_env.engine.game import Game, once_per_game

LEAD = 0.04  # in the chance of winning: with it the best action is taken without further guesses, which would change 1 choice in 100


@once_per_game
def kernel(game: Game) -> Any:
    """The compiled choice of an action by plans over positions valued by the game."""
    prefix = f"{game.id}.planner"
    return make_decide(game, make_plan(game, make_value(game.heuristics.value, prefix), prefix), prefix)


class PlanningAgent(GreedyAgent):
    """Plans the turn that ends, if nobody reacts, where the game's value finds a win most likely, and takes the first action."""

    kind = "planner"

    def __init__(self, game: Any, *, worlds: int, width: int = WIDTH, budget: int = BUDGET, threads: int = 1) -> None:
        """It averages the chances in `worlds` guesses of what is hidden, or fewer if the best action is clear; in each it applies about
        `budget` actions for the first play. The plan of a turn follows `width` positions; 0: it ends with the first play."""
        self.width = width
        self.lead = LEAD
        super().__init__(game, worlds=worlds, budget=budget * worlds, threads=threads)

    def _make(self, game: Any) -> Any:
        return kernel(game)

    def win_chances(self, states: Records, players: Players, rng: np.random.Generator) -> Values:
        """(N,) records and (N,) players to move -> (N, A) float64: the chance that the player wins after each legal action, by
        the value; 0 for illegal actions. A single legal action is not looked at and gets 0.5."""
        values = self.action_values(states, players, rng) / self.worlds
        legal = np.isfinite(values)
        values[~legal] = 0.0
        values[legal & (legal.sum(1) == 1)[:, None]] = 0.5
        return values

    def new_params(self) -> Any:
        """The parameters of the value of a position, with scratch memory for one worker."""
        return NO_PARAMS

    def _new_params(self) -> Any:
        return self.new_params(), new_beam(self._game, self.width)
