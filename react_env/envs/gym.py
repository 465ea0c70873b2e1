"""Gymnasium: the agent sits at one seat, and an opponent plays the others inside `step`.

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

The other games have similar ids (`react_env/RealityTcg-v0`). Observations are int8 (O,) (`env.unwrapped.game.layout` names the pieces),
actions are ids, rewards are 1 for a won game, -1 for a lost one (of four players each loser gets -1/3) and 0 otherwise. Legal actions
are in `info["action_mask"]`, int8 (A,), and in `action_masks()`, bool, where sb3-contrib's MaskablePPO looks for them. Keywords:
`observation="dict"` puts the mask into the observation, `dtype="float32"` changes the type of the numbers, `illegal="lose"` suits
algorithms without masks, `action_features=True` adds what each legal action leads to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from gymnasium.wrappers import RenderCollection
from numpy.typing import DTypeLike, NDArray

import react_env
from react_env.agents.protocol import ask_one, name_of, new_memory
from react_env.engine.batch import array_of
from react_env.engine.game import Game, a_game
from react_env.engine.rng import is_integer
from react_env.envs import aec
from react_env.envs.learner import (
    RANDOM,
    Illegal,
    LearnerGames,
    Seats,
    check_seat,
    check_seats,
    integers_of,
    opponent_of,
)
from react_env.errors import (
    BatchError,
    GameOver,
    IllegalAction,
    OptionError,
    StateError,
    UnsupportedOption,
    did_you_mean,
)

Observation = Any  # an array, or a dict of arrays: see `_Form`
Kind = Literal["flat", "dict"]
_LIST = "_list"  # Gymnasium's suffix of a render mode: keep what was rendered at each step
_LISTS = [f"{mode}{_LIST}" for mode in aec.FRAMES]


class OpponentEnv(gymnasium.Env[Observation, Any]):
    """A game for one agent. Made by `gymnasium.make`, or from a loaded game.

    `info` holds

        action_mask  int8 (A,), 1 for each legal action; all 1 once the game is over, so that a masked distribution stays defined
        seat         the player number of the agent in this game
        action_features  only if requested: float32 (A, F), what each legal action leads to
                     (`react_env.agents.ActionFeatures`, which names the numbers in `describe.names`); 0 once the game is over

    Args:
        game: the rules.
        opponent: "random", another name that `agents.load` knows, or an agent: an object with act(observations (1, O), action_masks
            (1, A), rng) -> (1,) ids, or with act_states(states (1,), players (1,), rng).
        seats: the agent's player number; "both": in turn; a reset with a seed begins at that seed modulo the number of players.
        render_mode: how `render()` shows the position as the agent sees it: "ansi": text, "svg": a picture, "rgb_array": its pixels,
            uint8 (960, 640, 3); "human": it is printed, also after each step; or None.
        illegal: "raise": an illegal action raises IllegalAction and changes nothing; "lose": the agent loses the game at once.
        observation: "flat": an array (O,); "dict": {"observations": that array, "action_mask": int8 (A,)}, and "action_features" if
            requested.
        dtype: of the observations; it must hold every int8. The numbers stay as they are; `game.layout.scale` scales them to -1..1.
        action_features: whether `info` includes what each legal action leads to.

    Raises:
        OptionError: an impossible seat, opponent, render mode, dtype or other value.
    """

    metadata = {"render_modes": [*aec.RENDER_MODES], "render_fps": 1}

    def __init__(
        self,
        game: Game,
        opponent: Any = RANDOM,
        *,
        seats: Seats = "both",
        render_mode: str | None = None,
        illegal: Illegal = "raise",
        observation: Kind = "flat",
        dtype: DTypeLike = np.int8,
        action_features: bool = False,
    ) -> None:
        self.game = a_game(game)
        check_seats(game, seats)
        self.metadata = deepcopy(type(self).metadata)
        self.render_mode = render_mode
        self.seat = 0
        aec.check_render_mode(render_mode)
        self._table = aec.raw_env(game, illegal=illegal, action_features=action_features)
        self.describe = self._table.describe
        self._form = _Form(game, observation, dtype, self.describe)
        self.observation_space = self._form.space
        self.action_space = aec.discrete(game.num_actions)
        self._opponent = opponent_of(game, opponent)
        self._seats = seats
        self._first = self._games = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal a new game, up to the agent's first decision.

        Args:
            seed: the same seed gives the same game, and the same games at later resets without one. Without any seed so far: random.
            options: "seat": the agent's player number in this game.

        Raises:
            OptionError: no such seat, or an unknown option (an UnsupportedOption).
        """
        _check_reset_options(options, ("seat",))
        seat = (options or {}).get("seat")
        if seat is not None:
            check_seat(self.game, seat, "options: seat must be")
        super().reset(seed=seed)
        if seed is not None:
            self._first, self._games = seed, 0
        self._deal(seed, seat)
        while self._over():  # a game may end before the agent's first decision
            self._deal(None, seat)
        observation, _, _, _, info = self._seen()
        if self.render_mode == "human":
            self.render()
        return observation, info

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take the agent's action and let the opponent answer, up to the agent's next decision or the end.

        Raises:
            IllegalAction: not an integer; with `illegal="raise"` also out of range or not legal now. Nothing has changed. Also raised if
                the opponent chose such an action.
            GameOver: the game is over, or there was no reset.
            StateError: the opponent was interrupted, or failed, in the previous step.
        """
        if not self._table.agents or self._over():
            raise GameOver("there is no game to step: call reset()")
        if self._table.agent_selection != self._me:
            raise StateError("the opponent failed to choose in the last step: call reset()")
        self._table.step(action)
        self._answer()
        if self.render_mode == "human":
            self.render()
        return self._seen()

    def action_masks(self) -> NDArray[np.bool_]:
        """bool (A,): the agent's legal actions; all True once the game is over."""
        return self._table.action_mask(self._me).astype(np.bool_)

    def render(self) -> Any:
        """The position as the agent sees it, as `render_mode` says; without one, None and a warning."""
        return aec.rendered(self.game, self._table.position, self.render_mode, player=self.seat)

    @property
    def _me(self) -> str:
        return self._table.possible_agents[self.seat]

    def _deal(self, seed: int | None, seat: int | None) -> None:
        turn = (self._first + self._games) % self.game.num_players if self._seats == "both" else self._seats
        self.seat = turn if seat is None else int(seat)
        self._games += 1
        self._memories = [new_memory(self._opponent, 1) for _ in self._table.possible_agents]
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
            else:
                memory = self._memories[self.game.to_play(table.position)]
                answer = ask_one(self._opponent, self.game, table.position, self.np_random, memory)
                action = integers_of(self._opponent, answer, (1,))[0]
            try:
                table.take(action, "raise")
            except IllegalAction as error:
                raise IllegalAction(
                    f"the opponent, {name_of(self._opponent)}, chose an illegal action: {error}"
                ) from error

    def _seen(self) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """What `step` returns of the present position."""
        table, me = self._table, self._me
        seen = table.observe(me)
        info = {"action_mask": seen["action_mask"], "seat": self.seat}
        features = seen.get("action_features")
        if features is not None:
            info["action_features"] = features
        observation = self._form.of(seen["observation"], seen["action_mask"], features)
        # Only the last step of a game has a reward.
        return observation, float(table.rewards[me]), table.terminations[me], table.truncations[me], info


class OpponentVectorEnv(VectorEnv[Observation, NDArray[np.int64], NDArray[Any]]):
    """`num_envs` games for one agent, stepped together on threads. Made by `gymnasium.make_vec`.

    Observations are int8 (N, O), rewards float32 (N,), ends bool (N,), all new at each step. `infos` holds the following, each with a
    `_name`, bool (N,), that marks the games to which it applies:

        action_mask  int8 (N, A), 1 for each legal action; all 1 for a game that is over
        seat         int64 (N,), the player number of the agent, always the same in a game
        action_features  as for `OpponentEnv`, float32 (N, A, F)
        final_obs    objects (N,), what the agent saw at the end; only with SAME_STEP, and in steps in which games ended
        final_info   the infos above of these games at their end; likewise

    Args:
        game: the rules.
        num_envs: N.
        opponent: as for `OpponentEnv`, for N games at once.
        seats: the agent's player number; "both": game i has it in seat i modulo the number of players.
        seed: of the first reset if that has neither a seed nor a mask; None draws one from the system.
        threads: how many threads share the work; results do not depend on it.
        render_mode: as for `OpponentEnv`, without "human", for each game (a finished game shows the next one); with the suffix "_list",
            a list for each game of all that was rendered since the last `render()` or the game's start.
        illegal: as for `OpponentEnv`.
        observation: as for `OpponentEnv`.
        dtype: as for `OpponentEnv`.
        autoreset_mode: when a finished game starts again, one of Gymnasium's modes or its value, such as "SameStep". NEXT_STEP, the default
            as elsewhere in Gymnasium: in the next step, which ignores the game's action; SAME_STEP: within the same step, so that no
            step is lost; DISABLED: only by `reset`.
        max_episode_steps: a game is cut short (truncated) after this many steps of the agent; None: only by its own rules.
        action_features: as for `OpponentEnv`.

    Raises:
        OptionError: an impossible seat, opponent, render mode, dtype or other value.
        BatchError: num_envs or threads below 1.
    """

    metadata = {"render_modes": [*aec.FRAMES, *_LISTS], "render_fps": 1, "autoreset_mode": AutoresetMode.NEXT_STEP}

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
        illegal: Illegal = "raise",
        observation: Kind = "flat",
        dtype: DTypeLike = np.int8,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        action_features: bool = False,
    ) -> None:
        self.game = a_game(game)
        aec.check_render_mode(render_mode, self.metadata["render_modes"])
        self.describe = aec.describer(game, threads) if action_features else None
        self._form = _Form(game, observation, dtype, self.describe)
        try:
            self.autoreset_mode = AutoresetMode(autoreset_mode)
        except ValueError:
            known = ", ".join(repr(mode.value) for mode in AutoresetMode)
            raise OptionError(f"autoreset_mode must be one of {known}, not {autoreset_mode!r}") from None
        if not (max_episode_steps is None or is_integer(max_episode_steps) and max_episode_steps > 0):
            raise OptionError(f"max_episode_steps must be an integer of at least 1, or None, not {max_episode_steps!r}")
        self._games = LearnerGames(
            game,
            num_envs,
            opponent,
            seed=seed,
            threads=threads,
            seats=seats,
            illegal=illegal,
            describe=self.describe,
        )
        self.metadata = {**deepcopy(type(self).metadata), "autoreset_mode": self.autoreset_mode}
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.single_observation_space = self._form.space
        self.single_action_space = aec.discrete(game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._seats = self._games.seats.astype(np.int64)
        self._seed = None if seed is None else int(seed)
        self._limit = max_episode_steps
        self._steps = np.zeros(num_envs, np.int64)
        self._over = np.zeros(num_envs, np.bool_)  # the last step that the agent saw ended the game
        self._dealt = False
        self._frames: list[list[Any]] = [[] for _ in range(num_envs)]

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start the games anew, each up to the agent's first decision.

        Args:
            seed: the same seed gives the same games each time; None goes on to the next games of the last seed. An integer is the seed of
                game 0, and the others follow, as in Gymnasium's own vectors. Or a list with a seed for each game, where None stands
                for any. The same seed deals the same game at any place, in `OpponentEnv` too. (How an opponent breaks ties, and what
                it guesses, also depends on the games beside it.)
            options: "reset_mask": bool (N,), the games to start anew; the others go on.

        Raises:
            OptionError: wrong seeds or a wrong mask, or an unknown option (an UnsupportedOption).
        """
        _check_reset_options(options, ("reset_mask",))
        games, n = self._games, self.num_envs
        if isinstance(seed, np.ndarray):
            seed = seed.tolist()
        if not (seed is None or is_integer(seed)) and not (
            isinstance(seed, Sequence) and len(seed) == n and all(one is None or is_integer(one) for one in seed)
        ):
            raise OptionError(f"seed: an integer, None, or a list of {n} of them; not {seed!r}")
        rows, masked = np.arange(n), "reset_mask" in (options or {})
        if not masked:
            seed, self._seed = self._seed if seed is None else seed, None
        seeds: Any = [int(seed) + i for i in range(n)] if is_integer(seed) else seed or [None] * n
        self._dealt = True
        if options and masked:
            mask = np.asarray(options["reset_mask"])
            if mask.shape != (n,) or mask.dtype != np.bool_:
                raise OptionError(f"reset_mask must be bool ({n},), not {mask.dtype} {mask.shape}")
            rows = np.flatnonzero(mask)
            games.ready()
            # The successor of a finished game is waiting already.
            dealt = np.array([i for i in rows if seeds[i] is not None or not self._over[i]], np.int64)
            games.start(dealt, [seeds[i] for i in dealt])
        else:
            games.reset(None if seed is None else seeds)
        self._over[rows] = False
        self._steps[rows] = 0
        self._film(rows, started=rows)
        return self._seen()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Observation, NDArray[Any], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Take the agent's actions, ids (N,), and let the opponent answer.

        Raises:
            IllegalAction: not legal now; nothing has changed. With `illegal="lose"` only for the opponent's actions.
            BatchError: not N integers; nothing has changed.
            GameOver: there was no reset; or with DISABLED, a game is over and was not reset.
        """
        self._check_dealt()
        games, waiting = self._games, self._over
        if waiting.any():
            if self.autoreset_mode is AutoresetMode.DISABLED:
                raise GameOver(f"game {int(waiting.argmax())} is over: reset(options={{'reset_mask': ...}})")
            chosen = array_of("actions", actions)
            if chosen.shape != waiting.shape:
                raise BatchError(f"actions must have the shape {waiting.shape}, not {chosen.shape}")
            games.step(chosen[~waiting], np.flatnonzero(~waiting))
        else:
            games.step(actions)
        if self._limit is not None:
            self._steps += ~waiting
            late = self._steps >= self._limit
            if late.any():
                games.cut(np.flatnonzero(late & ~games.terminated & ~games.truncated))
                games.truncated |= late
        ended = games.terminated | games.truncated
        self._steps[ended] = 0
        same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        if not same_step:
            self._over = ended
        self._film(np.flatnonzero(~self._over), started=np.flatnonzero(ended if same_step else waiting))
        observations, infos = self._seen()
        if same_step and ended.any():
            final = np.full(self.num_envs, None, dtype=object)
            for i in np.flatnonzero(ended):
                nothing = None if self.describe is None else self.describe.none()
                final[i] = self._form.of(games.final_observations[i].copy(), self._form.any_action, nothing)
            infos["final_obs"], infos["_final_obs"] = final, ended
            masks, seats = np.zeros((self.num_envs, self.game.num_actions), np.int8), np.where(ended, self._seats, 0)
            masks[ended] = 1
            told = {"action_mask": masks, "_action_mask": ended, "seat": seats, "_seat": ended}
            if self.describe is not None:
                told |= {"action_features": np.zeros_like(infos["action_features"]), "_action_features": ended}
            infos["final_info"], infos["_final_info"] = told, ended
        return observations, games.rewards.copy(), games.terminated.copy(), games.truncated.copy(), infos

    def action_masks(self) -> NDArray[np.bool_]:
        """bool (N, A): what the agent may do; all True for a game that is over. GameOver: there was no reset."""
        self._check_dealt()
        self._games.ready()
        return self._games.batch.action_masks | self._over[:, None]

    def render(self) -> tuple[Any, ...] | None:
        """What the render mode gives, for each game; without a mode None and a warning."""
        if self.render_mode is None:
            aec.rendered(self.game, self._games.batch.states[0], None)
            return None
        if self.render_mode.endswith(_LIST):
            frames, self._frames = self._frames, [[] for _ in range(self.num_envs)]
            return tuple(frames)
        return tuple(self._frame(i) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads."""
        self._games.close()

    def _check_dealt(self) -> None:
        if not self._dealt:
            raise GameOver("there are no games to step: call reset()")

    def _frame(self, i: int) -> Any:
        mode = (self.render_mode or "").removesuffix(_LIST)
        return aec.rendered(self.game, self._games.batch.states[i], mode, player=int(self._seats[i]))

    def _film(self, rows: NDArray[np.int64], started: NDArray[np.int64]) -> None:
        """In a "_list" mode, keep the positions of these games, some of which have just started."""
        if self.render_mode is not None and self.render_mode.endswith(_LIST):
            for i in started:
                self._frames[i].clear()
            for i in rows:
                self._frames[i].append(self._frame(i))

    def _seen(self) -> tuple[Observation, dict[str, Any]]:
        """What the agent sees of the present positions, and their infos."""
        games = self._games
        observations = games.batch.observations.astype(self._form.dtype)
        masks = games.batch.action_masks.astype(np.int8)
        if self._over.any():
            observations[self._over] = games.final_observations[self._over]
            masks[self._over] = 1
        every = np.ones(self.num_envs, np.bool_)
        infos = {"action_mask": masks, "_action_mask": every, "seat": self._seats.copy(), "_seat": every.copy()}
        features = None
        if self.describe is not None:
            features = games.action_features()
            features[self._over] = 0
            infos |= {"action_features": features, "_action_features": every.copy()}
        return self._form.of(observations, masks, features), infos


class _Form:
    """The form in which observations are given.

    Args:
        observation, dtype: as for `OpponentEnv`.
        describe: the `ActionFeatures` that come with them, or None.

    Attributes:
        space: of one observation.
        dtype: of its numbers.
        any_action: int8 (A,), the mask of a game that is over.

    Raises:
        OptionError: an unknown kind, or a dtype that does not hold every int8.
    """

    def __init__(self, game: Game, observation: Kind, dtype: DTypeLike, describe: Any = None) -> None:
        if observation not in ("flat", "dict"):
            raise OptionError(f"observation must be 'flat' or 'dict', not {observation!r}")
        try:
            self.dtype = np.dtype(dtype)
            fits = np.can_cast(np.int8, self.dtype) and self.dtype.kind in "if"
        except TypeError:
            fits = False
        if not fits:
            raise OptionError(f"dtype must hold every int8, such as 'int8' or 'float32', not {dtype!r}")
        self.any_action = np.ones(game.num_actions, np.int8)
        self._as_dict = observation == "dict"
        bounds = game.layout.low.astype(self.dtype), game.layout.high.astype(self.dtype)
        self.space: spaces.Space[Any] = spaces.Box(*bounds, dtype=self.dtype.type)
        if self._as_dict:
            mask = spaces.Box(0, 1, (game.num_actions,), np.int8)
            found: dict[str, spaces.Space[Any]] = {"observations": self.space, "action_mask": mask}
            if describe is not None:
                found["action_features"] = aec.features_space(describe)
            self.space = spaces.Dict(found)

    def of(
        self, observations: NDArray[Any], masks: NDArray[np.int8], features: NDArray[np.float32] | None = None
    ) -> Observation:
        """Observations (..., O), which the caller then owns, with masks (..., A) and action features (..., A, F), which are copied."""
        observations = observations.astype(self.dtype, copy=False)
        if not self._as_dict:
            return observations
        found = {"observations": observations, "action_mask": masks.copy()}
        return found if features is None else {**found, "action_features": features.copy()}


def _check_reset_options(options: Mapping[str, Any] | None, known: Sequence[str]) -> None:
    """Raise UnsupportedOption unless the `options` of a reset are among those known."""
    if unknown := [name for name in options or {} if name not in known]:
        raise UnsupportedOption(f"reset: unknown option {unknown[0]!r}; known: {', '.join(known)}")


# -- gymnasium.make and make_vec; react_env/__init__.py registers them ------------------------------------------------------------

_OWN = ("seats", "illegal", "observation", "dtype", "action_features")
_OWN_OF_VECTORS = (*_OWN, "seed", "threads", "autoreset_mode", "max_episode_steps")


def _game(game_id: str, options: dict[str, Any], own: Sequence[str]) -> Game:
    """The game of an environment with these keywords of its `own`. Raises OptionError, which also names them."""
    try:
        return react_env.load(game_id, **options)
    except UnsupportedOption as error:
        known = ["opponent", "render_mode", *own]
        meant = (
            "" if "did you mean" in str(error) else next(filter(None, (did_you_mean(o, known) for o in options)), "")
        )
        raise UnsupportedOption(f"{error}; those of the environment: {', '.join(known)}{meant}") from None


def make(
    game_id: str, opponent: Any = RANDOM, *, render_mode: str | None = None, **options: Any
) -> gymnasium.Env[Any, Any]:
    """What `gymnasium.make` calls: `OpponentEnv` with its keywords, of a game with all other options (`react_env.load`).

    A render_mode with the suffix "_list" gives a list of all that was rendered since the last `render()` or the start of the game.
    """
    aec.check_render_mode(render_mode, [*aec.RENDER_MODES, *_LISTS])
    own = {name: options.pop(name) for name in _OWN if name in options}
    game = _game(game_id, options, _OWN)
    if render_mode is not None and render_mode.endswith(_LIST):
        return RenderCollection(OpponentEnv(game, opponent, render_mode=render_mode.removesuffix(_LIST), **own))
    return OpponentEnv(game, opponent, render_mode=render_mode, **own)


def make_vec(
    game_id: str, num_envs: int, opponent: Any = RANDOM, *, render_mode: str | None = None, **options: Any
) -> OpponentVectorEnv:
    """What `gymnasium.make_vec` calls: `OpponentVectorEnv` with its keywords, of a game with all other options (`react_env.load`)."""
    own = {name: options.pop(name) for name in _OWN_OF_VECTORS if name in options}
    game = _game(game_id, options, _OWN_OF_VECTORS)
    return OpponentVectorEnv(game, num_envs, opponent, render_mode=render_mode, **own)
