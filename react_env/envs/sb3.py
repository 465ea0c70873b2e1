"""Self-play for stable-baselines3: a VecEnv straight over a Batch, with the opponent inside the step.

    game = react_env.load("arts_of_war-v0", artists="random")
    env = SelfPlayVecEnv(game, num_envs=256, opponent="random", seed=0)
    model = sb3_contrib.MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=2048, n_epochs=4)
    model.learn(1_000_000)

The learner sees only its own decisions. A step takes its action in every game and lets the others play until the learner has to choose
again, in the same game or in the next one; so a reward that an opponent's move brings, as a loss mostly is, comes with the learner's last
action before it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from react_env.engine.batch import seed_words
from react_env.engine.game import Game, random_seed
from react_env.engine.kernels import random_actions
from react_env.engine.rng import seed_word
from react_env.errors import OptionError

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise ImportError(
        "react_env.envs.sb3 needs stable-baselines3: install the extra, pip install 'react_env[train]'"
    ) from error

RANDOM = "random"


class SelfPlayVecEnv(VecEnv):
    """`num_envs` games in which one seat is the learner's and opponents hold the others.

    Observations are int8 (N, O), actions ids (N,), rewards float32 (N,) for the learner's seat, dones bool (N,). A finished game starts
    again within the step; its info then holds

        terminal_observation  int8 (O,), what the learner saw at the end
        TimeLimit.truncated   whether it was cut short and not ended by the rules
        episode               {"r": sum of rewards, "l": steps of the learner, "t": seconds since the environment was made}
        opponent              its number (see `set_opponents`), -1 where another one had played before it

    `env_method("action_masks")` returns all masks as one array (N, A), as sb3-contrib stacks them.

    Args:
        game: the rules.
        num_envs: N.
        opponent: "random"; or an agent, an object with act(observations (M, O), action_masks (M, A), rng) -> (M,) ids, or with
            act_states(states (M,), players (M,), rng); or a list of them (see `set_opponents`).
        seed: for the games and the opponents' choices; None draws one from the system.
        threads: of the batch; results do not depend on it.
        seats: the learner's player number; "both": game i has the learner in seat i modulo the number of players, always.

    Raises:
        OptionError: an impossible seat or opponent.
        BatchError: num_envs or threads below 1.
        IllegalAction: in `step`; no game has changed if it was the learner's action.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponent: Any = RANDOM,
        *,
        seed: int | None = None,
        threads: int = 1,
        seats: Literal["both"] | int = "both",
    ) -> None:
        if seats != "both" and seats not in range(game.num_players):
            raise OptionError(f"seats must be 'both' or a player from 0 to {game.num_players - 1}, not {seats!r}")
        self.game = game
        self.render_mode: str | None = None
        self._seed = random_seed() if seed is None else int(seed)
        self._resets = 0
        self._began = time.perf_counter()
        self.batch = game.batch(num_envs, seed=self._seed, threads=threads, keep_final=True)
        n = self.batch.num_games
        every = np.arange(n) % game.num_players
        self.seats = (every if seats == "both" else np.full(n, seats)).astype(np.int8)
        self._rows = np.arange(n)
        self._rewards = np.zeros(n, np.float32)
        self._terminated, self._truncated = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        self._final = np.zeros((n, *game.observation_shape), np.int8)
        self._returns, self._lengths = np.zeros(n, np.float64), np.zeros(n, np.int64)
        self._empty: list[dict[str, Any]] = [{} for _ in range(n)]
        self._opponents: list[Any] = []
        self._assigned = np.zeros(n, np.int64)
        self._whole = np.ones(n, np.bool_)  # whether the present game has been against the present opponent only
        self._actions: NDArray[Any] = np.zeros(n, np.int64)
        self._learner_to_move = False
        self._begin(self._seed)
        listed = isinstance(opponent, Sequence) and not isinstance(opponent, str)
        self.set_opponents(opponent if listed else [opponent])
        super().__init__(
            n,
            spaces.Box(game.layout.low, game.layout.high, dtype=np.int8),
            spaces.Discrete(game.num_actions),
        )

    # -- opponents --------------------------------------------------------------------------------------------------------------

    def set_opponents(self, opponents: Sequence[Any], assignment: ArrayLike | None = None) -> None:
        """Change who plays against the learner, from the next step on; games go on where they are.

        Args:
            opponents: agents as in the constructor, "random" among them.
            assignment: integers (N,), the number of each game's opponent; None deals them out by neighbouring games, so that each
                meets every seat.

        Raises:
            OptionError: no opponents, an object that is none, or an assignment of wrong shape or range.
        """
        if not opponents:
            raise OptionError("at least one opponent is needed")
        for agent in opponents:
            if not (
                agent == RANDOM if isinstance(agent, str) else hasattr(agent, "act") or hasattr(agent, "act_states")
            ):
                raise OptionError(f"an opponent is 'random' or has act or act_states: {agent!r}")
        n = self.batch.num_games
        if assignment is None:
            assigned = self._rows // self.game.num_players % len(opponents)
        else:
            assigned = np.asarray(assignment)
            if assigned.shape != (n,) or assigned.dtype.kind not in "iu":
                raise OptionError(f"assignment must be integers ({n},), not {assigned.dtype} {assigned.shape}")
            if ((assigned < 0) | (assigned >= len(opponents))).any():
                raise OptionError(f"assignment names opponents that do not exist: 0 to {len(opponents) - 1} do")
        if self._opponents:
            pairs = zip(self._assigned.tolist(), assigned.tolist(), strict=True)
            self._whole &= np.array([self._opponents[old] is opponents[new] for old, new in pairs])
        self._opponents, self._assigned = list(opponents), assigned.astype(np.int64)
        self._all_random = all(isinstance(opponents[k], str) for k in np.unique(self._assigned))

    # -- stable-baselines3 ------------------------------------------------------------------------------------------------------

    def reset(self) -> NDArray[np.int8]:
        """Start all games anew: observations (N, O). With `seed` before it the same games each time."""
        given = self._seeds[0]
        if given is not None:
            self._seed, self._resets = int(given), 0
        self._begin(seed_word(self._seed, self._resets) if self._resets else self._seed)
        self._resets += 1
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = [{} for _ in range(self.num_envs)]
        self._until_learner()
        return self.batch.observations.copy()

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keep the learner's actions, ids (N,), for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Observations, rewards, dones and infos, all new; see the class."""
        self._until_learner()
        if self._all_random:
            self.batch.step_against_random(self._actions, self.seats, self._words)
        else:
            self.batch.step(self._actions)
        self._report(np.flatnonzero(self.batch.terminated | self.batch.truncated), clear=True)
        if not self._all_random:
            self._others(report=True)
        rewards = self._rewards.copy()
        dones = self._terminated | self._truncated
        self._returns += rewards
        self._lengths += 1
        return self.batch.observations.copy(), rewards, dones, self._infos(dones)

    def action_masks(self) -> NDArray[np.bool_]:
        """bool (N, A): what the learner may do."""
        self._until_learner()
        return self.batch.action_masks.copy()

    def close(self) -> None:
        """Let the threads go."""
        self.batch.close()

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """The attribute of this environment, once for each index: the games have no others."""
        return [getattr(self, attr_name)] * len(self._indices(indices))

    def set_attr(self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None) -> None:
        """Set an attribute for all games; games have none of their own.

        Raises:
            OptionError: indices are given.
        """
        if indices is not None:
            raise OptionError(f"{attr_name} cannot be set for single games")
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: int | Iterable[int] | None = None, **method_kwargs: Any
    ) -> Any:
        """Call a method. "action_masks" gives the masks of all games, or of `indices`, as one array (M, A).

        Raises:
            AttributeError: any other name: the games have no methods of their own.
        """
        if method_name != "action_masks":
            raise AttributeError(f"the games of SelfPlayVecEnv have no method {method_name!r}, only 'action_masks'")
        masks = self.action_masks(*method_args, **method_kwargs)
        return masks if indices is None else masks[self._indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: int | Iterable[int] | None = None) -> list[bool]:
        """True for Monitor only, whose work (the "episode" infos) is done here."""
        return [wrapper_class is Monitor] * len(self._indices(indices))

    # -- inside -----------------------------------------------------------------------------------------------------------------

    def _indices(self, indices: int | Iterable[int] | None) -> NDArray[np.int64]:
        if indices is None:
            return self._rows
        return self._rows[[indices] if isinstance(indices, int) else list(indices)]

    def _begin(self, seed: int) -> None:
        """New games and new random streams, all from one seed."""
        n = self.batch.num_games
        self.batch.reset(seed)
        self._words = seed_words(seed_word(seed, n), n)
        self._generator = np.random.default_rng(seed_word(seed, n + 1))
        self._returns[:] = 0
        self._lengths[:] = 0
        self._whole[:] = True
        self._learner_to_move = False

    def _until_learner(self) -> None:
        """At the start of the games, let those move who come before the learner."""
        if self._learner_to_move:
            return
        if self._all_random:
            self.batch.step_against_random(None, self.seats, self._words)
        else:
            self._others()
        self._learner_to_move = True

    def _others(self, report: bool = False) -> None:
        """Let the others choose until the learner has to, everywhere, in rounds of the games where it has not."""
        batch = self.batch
        actions = np.zeros(batch.num_games, np.int64)
        while (rows := np.flatnonzero(batch.to_play != self.seats)).size:
            assigned = self._assigned[rows]
            for k in np.unique(assigned):
                mine = rows[assigned == k]
                actions[mine] = self._choose(self._opponents[k], mine)
            batch.step(actions[rows], rows)
            if report:  # only the first end within a step: the learner had no part in another one
                ended = batch.terminated[rows] | batch.truncated[rows]
                self._report(rows[ended & ~self._terminated[rows] & ~self._truncated[rows]])

    def _report(self, ended: NDArray[np.int64], clear: bool = False) -> None:
        """Note the ends of these games, (M,) indices, as the learner's; `clear` forgets those of the last step first."""
        batch = self.batch
        if clear:
            self._rewards[:] = 0
            self._terminated[:] = False
            self._truncated[:] = False
        seats = self.seats[ended]
        self._rewards[ended] = batch.rewards[ended, seats]
        self._terminated[ended] = batch.terminated[ended]
        self._truncated[ended] = batch.truncated[ended]
        self._final[ended] = batch.final_observations[ended, seats]

    def _choose(self, agent: Any, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The agent's ids for these games, (M,)."""
        batch = self.batch
        if isinstance(agent, str):
            words = self._words[rows]
            chosen = random_actions(batch.action_masks[rows], words)
            self._words[rows] = words
            return chosen
        if hasattr(agent, "act_states"):
            players = batch.to_play[rows].astype(np.int64)
            return np.asarray(agent.act_states(batch.states[rows], players, self._generator))
        return np.asarray(agent.act(batch.observations[rows], batch.action_masks[rows], self._generator))

    def _infos(self, dones: NDArray[np.bool_]) -> list[dict[str, Any]]:
        """One dict for each game: an empty one that is used again, or what is to be told of a finished game."""
        if any(self._empty):  # somebody wrote into them
            self._empty = [{} for _ in range(self.num_envs)]
        infos = self._empty.copy()
        ended = np.flatnonzero(dones)
        if ended.size:
            seconds = round(time.perf_counter() - self._began, 6)
            final = self._final[ended]
            for row, i in enumerate(ended.tolist()):
                infos[i] = {
                    "terminal_observation": final[row],
                    "TimeLimit.truncated": bool(self._truncated[i]),
                    "episode": {"r": float(self._returns[i]), "l": int(self._lengths[i]), "t": seconds},
                    "opponent": int(self._assigned[i]) if self._whole[i] else -1,
                }
            self._whole[ended] = True
            self._returns[ended] = 0
            self._lengths[ended] = 0
        return infos
