"""PettingZoo's parallel interface over a Game whose players choose at the same time.

    env = parallel.env(game)
    observations, infos = env.reset(seed=7)
    while env.agents:
        actions = {agent: choose(observations[agent]) for agent in env.agents}
        observations, rewards, terminations, truncations, infos = env.step(actions)

It is the same game as the turn-by-turn one (`react_env.envs.aec`), in which agents that choose at the same time are asked one after the
other without seeing each other's choices: the same seed and choices give the same game.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from react_env.engine.game import Game
from react_env.envs import aec
from react_env.envs.learner import Illegal, check_illegal
from react_env.errors import GameOver, IllegalAction, UnsupportedOption

Observation = dict[str, NDArray[Any]]
Told = tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]


class env(ParallelEnv):
    """A game as PettingZoo's ParallelEnv. Agents, observations, masks and rewards are those of `aec.raw_env`.

    A step takes the choices of all agents that choose now. An agent with nothing to choose has an action mask of zeros; its action is
    ignored and may be left out. An agent that is out of the game stays in `agents` until the game ends, because its reward comes then.

    Args:
        game: the rules.
        render_mode: as for `aec.raw_env`.
        illegal: "raise": an illegal action raises IllegalAction and changes nothing; "lose": an agent that chooses one loses the game at
            once with the reward -1, which the others share as a gain. If nobody is left who could win, all get -1.
        action_features: as for `aec.raw_env`.

    Raises:
        UnsupportedOption: no two players of this game choose at the same time, or the render mode is unknown.
        OptionError: an unknown value of `illegal`.
    """

    metadata: dict[str, Any] = {"render_modes": [*aec.RENDER_MODES], "render_fps": 1}

    def __init__(
        self,
        game: Game,
        render_mode: str | None = None,
        illegal: Illegal = "lose",
        action_features: bool = False,
    ) -> None:
        if game.rules.together is None:
            raise UnsupportedOption(f"in {game.id} players choose in turn: it has only env and raw_env")
        check_illegal(illegal)
        self._table = aec.raw_env(game, render_mode, action_features=action_features)
        self.game, self.render_mode, self.illegal = game, render_mode, illegal
        self.metadata = {**deepcopy(type(self).metadata), "name": self._table.metadata["name"]}
        self.possible_agents = self._table.possible_agents
        self.agents: list[str] = []
        self.observation_spaces, self.action_spaces = self._table.observation_spaces, self._table.action_spaces
        self.state_space = self._table.state_space
        # What each agent that chooses now sees, as if it were asked first; empty once the game is over.
        self._asked: dict[str, Observation] = {}

    @property
    def position(self) -> np.record:
        """The record of the present position. It holds what players cannot see."""
        return self._table.position

    def observation_space(self, agent: str) -> spaces.Dict:
        """The space of the agent's observations: the same object at each call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The space of the agent's actions: the same object at each call."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Start a new game; see `aec.raw_env.reset`."""
        self._table.reset(seed, options)
        self.agents = self.possible_agents[:]
        self._asked = self._ask()
        observations = self._observations()
        return observations, self._infos(observations)

    def step(self, actions: Mapping[str, int]) -> Told:
        """Take the choices of all agents that choose now, as agent -> action id.

        Raises:
            IllegalAction: an agent that does not exist or is not in the game, a missing action of an agent that chooses now, or an action
                that is not an integer; with `illegal="raise"` also one that is not legal. Nothing has changed.
            GameOver: the game is over, or there was no reset.
        """
        if not self.agents:
            raise GameOver("there is no game: call reset()")
        self._check(actions)
        wrong = [agent for agent in self._asked if not self._legal(agent, actions[agent])]
        rewards = dict.fromkeys(self.agents, 0.0)
        if wrong:
            if self.illegal == "raise":
                mask = self._asked[wrong[0]]["action_mask"]
                raise self.game.illegal(mask.astype(np.bool_), int(actions[wrong[0]]), f"{wrong[0]}: ")
            others = len(self.agents) - len(wrong)
            rewards = {agent: -1.0 if agent in wrong else len(wrong) / others for agent in self.agents}
        else:
            for _ in self._asked:
                self._table.take(int(actions[self._table.agent_selection]), "raise")
            rewards.update(self._table.rewards)
            if self.render_mode == "human":
                self.render()
        ended = bool(wrong) or any(self._table.terminations.values())
        cut = any(self._table.truncations.values())
        self._asked = {} if ended or cut else self._ask()
        observations = self._observations()
        found = (
            observations,
            rewards,
            dict.fromkeys(self.agents, ended),
            dict.fromkeys(self.agents, cut),
            self._infos(observations),
        )
        if ended or cut:
            self.agents = []
        return found

    def state(self) -> NDArray[np.int8]:
        """What all agents see together; see `aec.raw_env.state`."""
        return self._table.state()

    def render(self) -> Any:
        """The position, including hidden cards; see `aec.raw_env.render`."""
        return self._table.render()

    def close(self) -> None:
        """Does nothing: there is nothing to close."""

    def _ask(self) -> dict[str, Observation]:
        """What each agent that chooses now sees and may do. They are asked in turn in a copy, so the choices of others change nothing."""
        game, state = self.game, self.game.copy(self._table.position)
        left, found = int(game.together(state).sum()), dict[str, Observation]()
        while True:
            mask, player = game.action_mask(state), game.to_play(state)
            seen: Observation = {"observation": game.observe(state, player), "action_mask": mask.astype(np.int8)}
            if self._table.describe is not None:
                seen["action_features"] = self._table.features_of(state, mask, player)
            found[self.possible_agents[player]] = seen
            if len(found) == left:
                return found
            game.step(state, int(mask.argmax()))

    def _observations(self) -> dict[str, Observation]:
        """The observations of all agents, as new arrays."""
        asked = {agent: {name: piece.copy() for name, piece in seen.items()} for agent, seen in self._asked.items()}
        return {agent: asked[agent] if agent in asked else self._idle(agent) for agent in self.agents}

    def _idle(self, agent: str) -> Observation:
        """What an agent sees that has nothing to choose, or that has reached the end."""
        mask = np.full(self.game.num_actions, not self._asked, np.int8)
        seen: Observation = {"observation": self._table.seen(agent), "action_mask": mask}
        if self._table.describe is not None:
            seen["action_features"] = self._table.describe.none()
        return seen

    def _infos(self, observations: dict[str, Observation]) -> dict[str, dict[str, Any]]:
        return {agent: {"action_mask": seen["action_mask"].copy()} for agent, seen in observations.items()}

    def _check(self, actions: Any) -> None:
        """Raise IllegalAction unless each agent that chooses now has an integer, and all keys are agents."""
        choosing = ", ".join(self._asked)
        if not isinstance(actions, Mapping):
            raise IllegalAction(f"actions must be a dict, agent -> id, not {actions!r:.80}; to choose: {choosing}")
        if unknown := [agent for agent in actions if agent not in self.agents]:
            raise IllegalAction(
                f"{unknown[0]!r:.80} is not an agent of this game; there are: {', '.join(self.agents)}; to choose: {choosing}"
            )
        for agent in self._asked:
            if agent not in actions:
                raise IllegalAction(f"there is no action for {agent}; to choose: {choosing}")
            self.game.as_action(actions[agent], f"{agent}: ")

    def _legal(self, agent: str, action: Any) -> bool:
        mask = self._asked[agent]["action_mask"]
        return bool(0 <= int(action) < len(mask) and mask[int(action)])
