"""PettingZoo's AEC interface over a Game: the turn-by-turn loop of multi-agent reinforcement learning.

    env = aec.env(game, render_mode="ansi")
    env.reset(seed=7)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        action = None if termination or truncation else choose(observation["observation"], observation["action_mask"])
        env.step(action)

`raw_env` is the environment itself; illegal actions raise errors there. `env` adds PettingZoo's check of the order of calls, and an illegal
action loses the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import gymnasium.logger
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

import react_env
from react_env.engine.game import Game, a_game
from react_env.engine.kernels import ILLEGAL, PLAY, REFRESH
from react_env.engine.rng import as_seed, random_seed, seed_word
from react_env.envs.learner import ADVICE, Illegal, check_illegal
from react_env.errors import GameOver, IllegalAction, OptionError, UnsupportedOption
from react_env.extras import need
from react_env.pixels import rgb_array

if TYPE_CHECKING:
    from react_env.agents import ActionFeatures

FRAMES = ("ansi", "svg", "rgb_array")  # render modes whose `render()` returns something
RENDER_MODES = ("human", *FRAMES)
_VIEWS = ("_over", "_to_play", "_reward", "_legal")  # of the record and the mask, which a copy makes again


def discrete(n: int) -> spaces.Discrete:
    """Discrete(n) whose `n` is a plain int, because some libraries do not accept NumPy's."""
    space = spaces.Discrete(n)
    space.n = n  # type: ignore[assignment]
    return space


def describer(game: Game, threads: int = 1) -> ActionFeatures:
    """The `ActionFeatures` of a game; imported here because few need it and it is slow to import."""
    from react_env.agents import ActionFeatures

    return ActionFeatures(game, threads=threads)


def features_space(describe: ActionFeatures) -> spaces.Box:
    """The space of the action features of one decision."""
    return spaces.Box(-np.inf, np.inf, describe.none().shape, np.float32)


def check_render_mode(render_mode: str | None, known: Sequence[str] = RENDER_MODES) -> None:
    """Raise UnsupportedOption for an unknown `render_mode`, and MissingPackage if it needs a package that is not installed."""
    if render_mode is not None and render_mode not in known:
        raise UnsupportedOption(f"render_mode must be {', '.join(map(repr, known))} or None, not {render_mode!r}")
    if render_mode is not None and render_mode.startswith("rgb_array"):
        need("render")


def rendered(game: Game, state: np.record, render_mode: str | None, player: int | None = None) -> Any:
    """A position as `player` sees it (None: everything), in the form of a render mode. Returns None if the mode prints it, and None with a
    warning if there is no mode."""
    if render_mode is None:
        gymnasium.logger.warn("render() without a render_mode: make the environment with render_mode='ansi'")
        return None
    if render_mode in ("ansi", "human"):
        text = game.text(state, player)
        return text if render_mode == "ansi" else print(text, end="\n\n")
    picture = game.svg(state, player)
    return picture if render_mode == "svg" else rgb_array(picture)


class raw_env(AECEnv):
    """A game as PettingZoo's AECEnv, without wrappers; it checks actions and the order of calls itself.

    Agents are "player_0", "player_1", ... An observation is a dict of

        observation  int8 (O,), what the agent sees (`game.layout` names the pieces)
        action_mask  int8 (A,), 1 for each legal action; all 0 for an agent that is not to move; all 1 once the game is over, when
                     only None can be played, so that a masked distribution over it stays defined
        action_features  only if requested: float32 (A, F), what each legal action leads to (`ActionFeatures`, which
                     names the numbers in `describe.names`); 0 for an agent that is not to move

    `infos` holds the same `action_mask`, for libraries that look for it there.

    Args:
        game: the rules.
        render_mode: "human", "ansi", "svg", "rgb_array" or None; see `render`.
        illegal: "raise": an illegal action raises IllegalAction and changes nothing; "lose": the agent loses the game at once, reward -1,
            and the other wins it, 1.
        action_features: whether observations include what each legal action leads to.

    Raises:
        OptionError: an unknown render mode (an UnsupportedOption) or value of `illegal`.
    """

    metadata: dict[str, Any] = {"render_modes": [*RENDER_MODES], "is_parallelizable": False, "render_fps": 1}

    def __init__(
        self,
        game: Game,
        render_mode: str | None = None,
        illegal: Illegal = "raise",
        action_features: bool = False,
    ) -> None:
        super().__init__()
        check_render_mode(render_mode)
        check_illegal(illegal)
        self.game = a_game(game)
        self.describe = describer(game) if action_features else None
        self.render_mode = render_mode
        self.illegal = illegal
        self.metadata = {**deepcopy(type(self).metadata), "name": game.id.replace("-", "_")}
        self.possible_agents = [f"player_{player}" for player in range(game.num_players)]
        self.agents: list[str] = []
        self.action_spaces = {agent: discrete(game.num_actions) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(game.layout.low, game.layout.high, dtype=np.int8),
                    "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8),
                    **({"action_features": features_space(self.describe)} if self.describe else {}),
                }
            )
            for agent in self.possible_agents
        }
        low, high = (np.tile(bound, game.num_players) for bound in (game.layout.low, game.layout.high))
        self.state_space = spaces.Box(low, high, dtype=np.int8)
        self._player = {agent: player for player, agent in enumerate(self.possible_agents)}
        self._seed: int | None = None
        self._resets = self._moves = 0
        self._ended = False
        self._told: tuple[int, NDArray[np.float32]] | None = None  # the move and its action features
        self._mask = np.zeros(game.num_actions, np.bool_)
        self._bind(np.zeros(1, game.state_dtype))

    def _bind(self, states: NDArray[Any]) -> None:
        """Take this record as the position. Views of its fields are made once, because making one takes as long as a step of the rules."""
        self._states = states
        self._over, self._to_play, self._reward = states["over"], states["to_play"], states["reward"][0]
        self._legal = self._mask.view(np.int8)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _VIEWS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind(self._states)

    @property
    def position(self) -> np.record:
        """The record of the present position (`Game.copy` it to keep it). It holds what players cannot see."""
        self._check_begun()
        return self._states[0]

    def observation_space(self, agent: str) -> spaces.Dict:
        """The space of the agent's observations: the same object at each call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The space of the agent's actions: the same object at each call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game.

        Args:
            seed: the same seed gives the same game, and the same games at later resets without one. Without any seed so far: random.
            options: ignored; PettingZoo's own tests pass meaningless ones.
        """
        if seed is not None or self._seed is None:
            self._seed = random_seed() if seed is None else as_seed(seed)
            self._resets = 0
        self._bind(np.asarray(self.game.new(start=seed_word(self._seed, self._resets))).reshape(1))
        self._resets += 1
        self._ended = False
        self._moves, self._told = 0, None
        self.game.drive(REFRESH, self._states, self._mask)
        self.agents = self.possible_agents[:]
        self.rewards: dict[str, float] = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards: dict[str, float] = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.agent_selection = self.possible_agents[self._to_play.item()]
        self.infos: dict[str, dict[str, Any]] = {
            agent: {"action_mask": self.action_mask(agent)} for agent in self.agents
        }
        self._skip_agent_selection = None
        if self.render_mode == "human":
            self.render()

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """As in PettingZoo. Raises GameOver once every agent has seen the end, or before the first reset."""
        if not self.agents:
            raise GameOver("there is no game: call reset()")
        return super().last(observe)

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """What the agent sees now, as new arrays; see the class."""
        found = {"observation": self.seen(agent), "action_mask": self.action_mask(agent)}
        return {**found, "action_features": self.action_features(agent)} if self.describe else found

    def seen(self, agent: str) -> NDArray[np.int8]:
        """The piece "observation" of `observe`: int8 (O,), a new array."""
        self._check_begun()
        observation = np.empty(self.game.observation_shape, np.int8)
        self.game.look(self._states, self._player[agent], observation)
        return observation

    def action_mask(self, agent: str) -> NDArray[np.int8]:
        """The piece "action_mask" of `observe`: int8 (A,), a new array; see the class."""
        self._check_begun()
        if self._ended:
            return np.ones(self.game.num_actions, np.int8)
        if agent == self.agent_selection:
            return self._legal.copy()
        return np.zeros(self.game.num_actions, np.int8)

    def action_features(self, agent: str) -> NDArray[np.float32]:
        """The piece "action_features" of `observe`: float32 (A, F), a new array; see the class. Raises OptionError unless the
        environment was made with them."""
        self._check_begun()
        if self.describe is None:
            raise OptionError("this environment was made without action_features=True")
        if self._ended or agent != self.agent_selection:
            return self.describe.none()
        if self._told is None or self._told[0] != self._moves:
            self._told = self._moves, self.features_of(self._states, self._mask, self._player[agent])
        return self._told[1].copy()

    def features_of(self, state: Any, mask: NDArray[np.bool_], player: int) -> NDArray[np.float32]:
        """What the legal actions of a record lead to, for `player`. Looking changes nothing, however often: a move's guess of what is
        hidden depends only on the number of the move."""
        rng = np.random.default_rng((seed_word(self._seed or 0, self._resets), self._moves))
        assert self.describe is not None
        return self.describe(np.atleast_1d(state), np.array([player]), mask[None], rng)[0]

    def state(self) -> NDArray[np.int8]:
        """What all agents see together, including all hands: int8 (P * O,), a new array of their observations, player 0's first.

        It leaves out what nobody sees, such as the order of the decks; `position` has that.
        """
        return np.concatenate([self.seen(agent) for agent in self.possible_agents])

    def step(self, action: int | None) -> None:
        """Take the action of `agent_selection`; once the game is over, None for each agent in turn.

        Raises:
            IllegalAction: not an integer; with `illegal="raise"` also out of range or not legal now. Nothing has changed.
            GameOver: an action of an agent whose game is over, or a step without `reset`.
        """
        try:
            self.take(action, self.illegal)
        except IllegalAction as error:
            if self.illegal == "raise":
                error.add_note(ADVICE)
            raise
        if self.render_mode == "human" and action is not None:
            self.render()

    def take(self, action: int | None, illegal: Illegal) -> None:
        """`step`, with this `illegal` in place of the environment's."""
        if not self.agents:
            raise GameOver("there is no game: call reset()")
        agent = self.agent_selection
        if self._ended:
            if action is not None:
                raise GameOver(f"the game is over; the only action left for {agent} is None")
            self._was_dead_step(None)
            return
        action = self.game.as_action(action)
        refused = self.game.drive(PLAY, self._states, self._mask, action) == ILLEGAL
        if refused and illegal == "raise":
            raise self.game.illegal(self._mask, action)
        self._moves += 1
        if refused:
            others = len(self.possible_agents) - 1
            self._end([-1.0 if other == agent else 1 / others for other in self.possible_agents], self.terminations)
        elif over := self._over.item():
            self._end(self._reward.tolist(), self.terminations if over == 1 else self.truncations)
        else:  # rewards come only at the end
            mover = self.agent_selection = self.possible_agents[self._to_play.item()]
            if mover != agent:
                self.infos[agent] = {"action_mask": np.zeros(self.game.num_actions, np.int8)}
            self.infos[mover] = {"action_mask": self._legal.copy()}

    def _end(self, rewards: list[float], ends: dict[str, bool]) -> None:
        """Record the end of the game: the rewards of all players, and whether it was terminated or truncated."""
        self._ended = True
        for agent, reward in zip(self.possible_agents, rewards):
            self.rewards[agent] = reward
            self._cumulative_rewards[agent] += reward
            ends[agent] = True
            self.infos[agent] = {"action_mask": self.action_mask(agent)}
        self.agent_selection = self.possible_agents[
            (self._player[self.agent_selection] + 1) % len(self.possible_agents)
        ]

    def render(self) -> Any:
        """The position, including hidden cards: text with render_mode "ansi", a picture with "svg" (`Game.svg`), pixels, uint8 (960,
        640, 3), with "rgb_array". With "human" it is printed, also after each step. Without a render_mode: None and a warning."""
        return rendered(self.game, self.position, self.render_mode)

    def close(self) -> None:
        """Does nothing: there is nothing to close."""

    def _check_begun(self) -> None:
        if not self._resets:
            raise GameOver("there is no game: call reset()")


class of_id(raw_env):
    """`raw_env` of the game that the class attribute `game_id` names; further keywords are options of the game."""

    game_id: str

    def __init__(
        self, render_mode: str | None = None, illegal: Illegal = "raise", action_features: bool = False, **options: Any
    ) -> None:
        super().__init__(react_env.load(self.game_id, **options), render_mode, illegal, action_features)


class Ordered(OrderEnforcingWrapper):
    """PettingZoo's check of the order of calls. A step after the end is an error here, not just a printed warning."""

    def step(self, action: int | None) -> None:
        if self._has_reset and not self.env.agents:
            raise GameOver("the game is over and every agent has been told: call reset()")
        super().step(action)

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return self.env.last(observe)

    def __str__(self) -> str:
        return str(self.env)


def env(game: Game, render_mode: str | None = None, illegal: Illegal = "lose", action_features: bool = False) -> AECEnv:
    """`raw_env` with PettingZoo's check of the order of calls.

    By PettingZoo's convention an agent that chooses an illegal action loses the game; unlike with its TerminateIllegalWrapper, the
    others win it. No wrapper is needed for that, nor for actions out of range.
    """
    return Ordered(raw_env(game, render_mode, illegal, action_features))
