"""Gymnasium: one seat is the agent, an opponent plays the other inside the step.

    import gymnasium
    import react_env

    env = gymnasium.make("react_env/ArtsOfWar-v0", opponent="greedy", artists="random")
    observation, info = env.reset(seed=7)
    over = False
    while not over:
        action = env.action_space.sample(info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated

    envs = gymnasium.make_vec("react_env/ArtsOfWar-v0", num_envs=256, opponent="greedy", threads=2)

The other id is `react_env/FightSequence-v0`. Observations are int8 (O,) (`env.unwrapped.game.layout` tells the pieces), actions are ids,
rewards 1 for a won game, -1 for a lost one and 0 otherwise. Which actions are legal stands in `info["action_mask"]`, int8 (A,), and in
`action_masks()`, bool, where sb3-contrib's MaskablePPO looks for it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

import react_env
from react_env.engine.game import Game
from react_env.envs import aec
from react_env.envs.learner import RANDOM, LearnerGames, Seats, check_opponent, check_seats
from react_env.errors import GameOver, IllegalAction, OptionError

Observation = NDArray[np.int8]


class OpponentEnv(gymnasium.Env[Observation, Any]):
    """A game for one agent. Made by `gymnasium.make`, or from a game that is loaded already.

    `info` holds

        action_mask  int8 (A,), 1 for each legal action; all 1 once the game is over, so that a masked distribution stays defined
        seat         the player number of the agent in this game

    Args:
        game: the rules.
        opponent: "random", another name that `agents.load` knows, or an agent: an object with act(observations (1, O), action_masks
            (1, A), rng) -> (1,) ids, or with act_states(states (1,), players (1,), rng).
        seats: the agent's player number; "both": in turn, beginning with 0 at each reset with a seed.
        render_mode: "ansi": `render()` gives the position as the agent sees it, as text; or None.

    Raises:
        OptionError: an impossible seat, opponent or render mode.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self, game: Game, opponent: Any = RANDOM, *, seats: Seats = "both", render_mode: str | None = None
    ) -> None:
        check_seats(game, seats)
        self.game = game
        self.render_mode = render_mode
        self.seat = 0
        self.observation_space = _observations(game)
        self.action_space = spaces.Discrete(game.num_actions)
        self._table = aec.raw_env(game, render_mode)
        self._opponent = _opponent(game, opponent)
        self._seats = seats
        self._games = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal a new game, up to the agent's first decision.

        Args:
            seed: the same seed gives the same game, and the same games at later resets without one. Without any seed so far: random.
            options: not used.
        """
        super().reset(seed=seed)
        if seed is not None:
            self._games = 0
        self._deal(seed)
        while self._over():  # no rule forbids that it ends before the agent's first decision
            self._deal(None)
        observation, _, _, _, info = self._seen()
        return observation, info

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take the agent's action and let the opponent answer, up to the agent's next decision or the end.

        Raises:
            IllegalAction: not an integer, out of range, or not legal now; nothing has changed. Or the opponent chose such an action.
            GameOver: the game is over, or there was no reset.
        """
        if not self._table.agents or self._over():
            raise GameOver("there is no game to step: call reset()")
        self._table.step(action)
        self._answer()
        return self._seen()

    def action_masks(self) -> NDArray[np.bool_]:
        """bool (A,): what the agent may do; all True once the game is over."""
        return self._table.action_mask(self._me).astype(np.bool_)

    def render(self) -> str | None:
        """With render_mode "ansi" the position as the agent sees it; otherwise None and a warning."""
        if self.render_mode is None:
            return self._table.render()
        return self.game.text(self._table.position, player=self.seat)

    @property
    def _me(self) -> str:
        return self._table.possible_agents[self.seat]

    def _deal(self, seed: int | None) -> None:
        self.seat = self._games % self.game.num_players if self._seats == "both" else self._seats
        self._games += 1
        self._table.reset(seed)
        self._answer()

    def _over(self) -> bool:
        return bool(self._table.terminations[self._me] or self._table.truncations[self._me])

    def _answer(self) -> None:
        """Let the opponent choose until the agent has to."""
        table, me = self._table, self._me
        while table.agent_selection != me and not self._over():
            if isinstance(self._opponent, str):
                legal = np.flatnonzero(table.action_mask(table.agent_selection))
                action = legal[self.np_random.integers(len(legal))]
            elif hasattr(self._opponent, "act_states"):
                states = np.asarray(table.position).reshape(1).copy()
                (action,) = self._opponent.act_states(states, states["to_play"].astype(np.int64), self.np_random)
            else:
                seen = table.observe(table.agent_selection)
                masks = seen["action_mask"].astype(np.bool_)[None]
                (action,) = self._opponent.act(seen["observation"][None], masks, self.np_random)
            try:
                table.step(action)
            except IllegalAction as error:
                raise IllegalAction(f"the opponent, {self._opponent!r}, chose what it may not: {error}") from error

    def _seen(self) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """What `step` returns of the present position."""
        table, me = self._table, self._me
        seen = table.observe(me)
        info = {"action_mask": seen["action_mask"], "seat": self.seat}
        # Only the last step of a game has a reward.
        return seen["observation"], float(table.rewards[me]), table.terminations[me], table.truncations[me], info


class OpponentVectorEnv(VectorEnv[Observation, NDArray[np.int64], NDArray[Any]]):
    """`num_envs` games for one agent, stepped together on threads. Made by `gymnasium.make_vec`.

    A finished game starts again within the step (AutoresetMode.SAME_STEP). Observations are int8 (N, O), rewards float32 (N,), ends bool
    (N,), all new at each step. `infos` holds, each with its `_name`, bool (N,), that tells for which games it is there,

        action_mask  int8 (N, A), 1 for each legal action
        seat         int64 (N,), the player number of the agent, always the same in a game
        final_obs    objects (N,), what the agent saw at the end, int8 (O,); only in steps in which games ended

    Args:
        game: the rules.
        num_envs: N.
        opponent: as for `OpponentEnv`, for N games at once.
        seats: the agent's player number; "both": game i has it in seat i modulo the number of players.
        seed: of the games until a reset has one; None draws one from the system.
        threads: how many threads share the work; results do not depend on it.
        render_mode: "ansi": `render()` gives each position as its agent sees it, as text; or None.

    Raises:
        OptionError: an impossible seat, opponent or render mode.
        BatchError: num_envs or threads below 1.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1, "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponent: Any = RANDOM,
        *,
        seats: Seats = "both",
        seed: int | None = None,
        threads: int = 1,
        render_mode: str | None = None,
    ) -> None:
        if render_mode not in aec.RENDER_MODES:
            raise OptionError(f"render_mode must be one of {aec.RENDER_MODES}, not {render_mode!r}")
        self._games = LearnerGames(game, num_envs, _opponent(game, opponent), seed=seed, threads=threads, seats=seats)
        self.game = game
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.single_observation_space = _observations(game)
        self.single_action_space = spaces.Discrete(game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._seats = self._games.seats.astype(np.int64)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start all games anew, each up to the agent's first decision.

        Args:
            seed: the same seed gives the same games each time; None goes on to the next games of the last seed.
            options: not used.

        Raises:
            OptionError: a list of seeds, or the option "reset_mask": games restart by themselves.
        """
        if not (seed is None or isinstance(seed, (int, np.integer))):
            raise OptionError(f"seed: one integer for all games, or None; not {seed!r}")
        if options and "reset_mask" in options:
            raise OptionError("reset_mask: a finished game has restarted by itself, and single games cannot be reset")
        self._games.reset(seed)
        return self._games.batch.observations.copy(), self._infos()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Observation, NDArray[Any], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Take the agent's actions, ids (N,), and let the opponent answer.

        Raises:
            IllegalAction: not legal now; nothing has changed.
            BatchError: not N integers; nothing has changed.
        """
        games = self._games
        games.step(actions)
        infos = self._infos()
        terminated, truncated = games.terminated.copy(), games.truncated.copy()
        ended = terminated | truncated
        if ended.any():
            final = np.full(self.num_envs, None, dtype=object)
            for i in np.flatnonzero(ended):
                final[i] = games.final_observations[i].copy()
            infos["final_obs"], infos["_final_obs"] = final, ended
        return games.batch.observations.copy(), games.rewards.copy(), terminated, truncated, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """bool (N, A): what the agent may do."""
        self._games.ready()
        return self._games.batch.action_masks.copy()

    def render(self) -> tuple[str, ...] | None:
        """With render_mode "ansi" each position as its agent sees it; otherwise None and a warning."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode: make the environment with render_mode='ansi'")
            return None
        seats = self._games.seats.tolist()
        return tuple(self.game.text(state, player=seat) for state, seat in zip(self._games.batch.states, seats))

    def close_extras(self, **kwargs: Any) -> None:
        """Let the threads go."""
        self._games.close()

    def _infos(self) -> dict[str, Any]:
        """Of the present positions."""
        every = np.ones(self.num_envs, np.bool_)
        return {
            "action_mask": self._games.batch.action_masks.astype(np.int8),
            "_action_mask": every,
            "seat": self._seats.copy(),
            "_seat": every.copy(),
        }


def _observations(game: Game) -> Any:
    return spaces.Box(game.layout.low, game.layout.high, dtype=np.int8)


def _opponent(game: Game, opponent: Any) -> Any:
    """The opponent itself, where it is a name; `agents` stands above this package and is imported only then."""
    if isinstance(opponent, str) and opponent != RANDOM:
        return import_module("agents").load(opponent, game)
    check_opponent(opponent)
    return opponent


# -- gymnasium.make and make_vec, which react_env/__init__.py tells gymnasium of -------------------------------------------------


def make(
    game_id: str, opponent: Any = RANDOM, seats: Seats = "both", render_mode: str | None = None, **options: Any
) -> OpponentEnv:
    """What `gymnasium.make` calls: `OpponentEnv` of a game with these options (`react_env.load`)."""
    return OpponentEnv(react_env.load(game_id, **options), opponent, seats=seats, render_mode=render_mode)


def make_vec(
    game_id: str,
    num_envs: int,
    opponent: Any = RANDOM,
    seats: Seats = "both",
    threads: int = 1,
    render_mode: str | None = None,
    **options: Any,
) -> OpponentVectorEnv:
    """What `gymnasium.make_vec` calls: `OpponentVectorEnv` of a game with these options (`react_env.load`)."""
    game = react_env.load(game_id, **options)
    return OpponentVectorEnv(game, num_envs, opponent, seats=seats, threads=threads, render_mode=render_mode)
