"""An agent that is asked about one position at a time: as the opponent of a person, or for a hint."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env import agents
from react_env.agents.players.champion import knows
from react_env.agents.process.guard import Fault, guarded

WORLDS = 16  # guesses of what is hidden over which win chances are averaged
ADVISER = "mcts:1024"  # gives hints where the game has no champion


def adviser_of(game: Any) -> str:
    """The name of the agent that gives hints: the champion of these rules, else a search."""
    return "champion" if knows(game) else ADVISER


class Asked:
    """An agent behind checks (`guarded`), asked for single records.

    Args:
        spec: what `agents.load` understands.
        game: the rules.
        threads: how many a search may use.
        seed: seed of the agent's own randomness.

    Raises:
        OptionError, ModelError: there is no such agent.
    """

    def __init__(self, spec: str, game: Any, threads: int = 1, seed: int | tuple[int, ...] = 0) -> None:
        self.chooser = guarded(agents.load(spec, game, threads=threads))
        self.name = self.chooser.name
        self._batch = game.batch(num_games=1, seed=0)  # in which agents are shown the game
        self._seed = seed
        self._rng = np.random.default_rng(seed)

    def at(self, position: int) -> Asked:
        """This object, for questions about one position alone: randomness and memory begin anew, so the same question always has the same
        answer."""
        seed = self._seed if isinstance(self._seed, tuple) else (self._seed,)
        self._rng = np.random.default_rng((*seed, position))
        self._batch.reset(0)
        return self

    @property
    def fault(self) -> Fault:
        """The agent's latest fault."""
        return self.chooser.faults[-1]

    def choice(self, state: Any) -> int | None:
        """The action that it chooses in a record; None if it fails (`fault`)."""
        self._batch.states[0] = state
        self._batch.refresh()
        actions, failed = self.chooser.choose(self._batch, np.zeros(1, np.int64), self._rng)
        return None if failed[0] else int(actions[0])

    def chances(self, state: Any, player: int) -> NDArray[np.float64] | None:
        """float64 (A,): the probability that each action of `player` wins, averaged over the hidden information; None if the agent
        cannot tell."""
        ask = getattr(getattr(self.chooser, "agent", None), "win_chances", None)
        if ask is None:
            return None
        states = np.repeat(np.asarray(state).reshape(1), WORLDS)
        return ask(states, np.full(WORLDS, player), self._rng).mean(0)

    def close(self) -> None:
        """Free what the agent holds."""
        self.chooser.close()
