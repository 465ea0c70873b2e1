"""Self-play for stable-baselines3: a VecEnv straight over a Batch, with the opponent inside the step.

    game = react_env.load("arts_of_war-v0", artists="random")
    env = SelfPlayVecEnv(game, num_envs=256, opponent="random", seed=0)
    model = sb3_contrib.MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=2048, n_epochs=4)
    model.learn(1_000_000)

What a step is, and whose reward comes when: `react_env.envs.learner`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from react_env.engine.game import Game, a_game
from react_env.envs.aec import check_render_mode, describer, rendered
from react_env.envs.learner import RANDOM, Illegal, LearnerGames, Seats
from react_env.errors import OptionError, UnsupportedOption
from react_env.extras import need

with need("train", "stable_baselines3"):
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv


class SelfPlayVecEnv(VecEnv):
    """`num_envs` games with the learner in one seat and opponents in the others.

    Observations are int8 (N, O), actions ids (N,), rewards float32 (N,) for the learner's seat, dones bool (N,). A finished game starts
    again within the step. Its info then holds

        terminal_observation  int8 (O,), what the learner saw at the end
        TimeLimit.truncated   whether it was cut short and not ended by the rules
        episode               {"r": sum of rewards, "l": steps of the learner, "t": seconds since the environment was made}
        opponent              its number (see `set_opponents`), -1 if the opponent changed during the game

    `env_method("action_masks")` returns all masks as one array (N, A), as sb3-contrib stacks them.

    Args:
        game: the rules.
        num_envs: N.
        opponent: "random", another name that `agents.load` knows, or an agent: an object with act(observations (M, O), action_masks
            (M, A), rng) -> (M,) ids, or with act_states(states (M,), players (M,), rng); or a list of them (see `set_opponents`).
        seed: for the games and the opponents' choices; None draws one from the system.
        threads: of the batch; results do not depend on it.
        seats: the learner's player number; "both": game i has the learner in seat i modulo the number of players, always.
        illegal: "raise": an illegal action of the learner raises IllegalAction; "lose": the learner loses that game, reward -1, and the
            game ends with that step, as algorithms without masks need it.
        action_features: whether `action_features()` describes what each legal action leads to.
        render_mode: "rgb_array": `get_images()` gives each game as the learner sees it, uint8 (960, 640, 3), and `render()` all of them
            in one picture, as `VecVideoRecorder` wants it; films look best with few games. Or None.

    Raises:
        OptionError: an impossible seat, opponent, render mode or value of `illegal`.
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
        seats: Seats = "both",
        illegal: Illegal = "raise",
        action_features: bool = False,
        render_mode: str | None = None,
    ) -> None:
        self.game = a_game(game)
        check_render_mode(render_mode, ("rgb_array",))
        self.render_mode = render_mode
        self._began = time.perf_counter()
        self.describe = describer(game, threads) if action_features else None
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
        self.batch, self.seats = self._games.batch, self._games.seats
        n = self.batch.num_games
        self._rows = np.arange(n)
        self._returns, self._lengths = np.zeros(n, np.float64), np.zeros(n, np.int64)
        self._actions: NDArray[Any] = np.zeros(n, np.int64)
        super().__init__(
            n, spaces.Box(game.layout.low, game.layout.high, dtype=np.int8), spaces.Discrete(game.num_actions)
        )
        self.metadata["render_fps"] = 1  # type: ignore[assignment]  # one frame is one decision, shown for a second

    def set_opponents(self, opponents: Sequence[Any], assignment: ArrayLike | None = None) -> None:
        """Change the opponents from the next step on; arguments and errors are those of `LearnerGames.set_opponents`."""
        self._games.set_opponents(opponents, assignment)

    # -- stable-baselines3 ------------------------------------------------------------------------------------------------------

    def reset(self) -> NDArray[np.int8]:
        """Start all games anew: observations (N, O). After `seed(...)` these are the same games each time.

        Raises:
            OptionError: `seed` was given something other than an integer.
            UnsupportedOption: `set_options` was given an option; there are none.
        """
        if given := [name for options in self._options for name in options]:
            raise UnsupportedOption.named(given[0], (), "reset")
        self._games.reset(self._seeds[0])
        self._returns[:] = 0
        self._lengths[:] = 0
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = [{} for _ in range(self.num_envs)]
        return self.batch.observations.copy()

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keep the learner's actions, ids (N,), for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Observations, rewards, dones and infos, all new; see the class."""
        games = self._games
        games.step(self._actions)
        rewards = games.rewards.copy()
        dones = games.terminated | games.truncated
        self._returns += rewards
        self._lengths += 1
        return self.batch.observations.copy(), rewards, dones, self._infos(dones)

    def action_masks(self) -> NDArray[np.bool_]:
        """bool (N, A): what the learner may do."""
        self._games.ready()
        return self.batch.action_masks.copy()

    def action_features(self) -> NDArray[np.float32]:
        """float32 (N, A, F): what the learner's legal actions lead to (`react_env.agents.ActionFeatures`, which names the numbers in
        `describe.names`). Each call makes a new guess of what is hidden. Raises OptionError unless they were requested."""
        return self._games.action_features()

    def get_images(self) -> list[NDArray[np.uint8] | None]:
        """Each game as the learner sees it; without a render mode None and a warning."""
        self._games.ready()
        seats = self.seats.tolist()
        return [rendered(self.game, self.batch.states[i], self.render_mode, player=seats[i]) for i in self._rows]

    def close(self) -> None:
        """Stop the threads."""
        self._games.close()

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """The attribute of this environment, once for each index: games have no attributes of their own."""
        return [getattr(self, attr_name)] * len(self._indices(indices))

    def set_attr(self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None) -> None:
        """Set an attribute of this environment; games have no attributes of their own.

        Raises:
            OptionError: indices are given.
        """
        if indices is not None:
            raise OptionError(f"{attr_name} cannot be set for single games")
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: int | Iterable[int] | None = None, **method_kwargs: Any
    ) -> Any:
        """Call a method. "action_masks" gives the masks of all games, or of `indices`, as one array (M, A); "action_features" likewise
        (M, A, F).

        Raises:
            AttributeError: any other name, because games have no methods of their own.
        """
        if method_name not in ("action_masks", "action_features"):
            raise AttributeError(
                f"the games of SelfPlayVecEnv have no method {method_name!r}, only 'action_masks' and 'action_features'"
            )
        found = getattr(self, method_name)(*method_args, **method_kwargs)
        return found if indices is None else found[self._indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: int | Iterable[int] | None = None) -> list[bool]:
        """True only for Monitor, because this class does Monitor's work (the "episode" infos)."""
        return [wrapper_class is Monitor] * len(self._indices(indices))

    # -- inside -----------------------------------------------------------------------------------------------------------------

    def _indices(self, indices: int | Iterable[int] | None) -> NDArray[np.int64]:
        if indices is None:
            return self._rows
        return self._rows[[indices] if isinstance(indices, int) else list(indices)]

    def _infos(self, dones: NDArray[np.bool_]) -> list[dict[str, Any]]:
        """One dict for each game: empty, or the info of a finished game."""
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = np.flatnonzero(dones)
        if ended.size:
            seconds = round(time.perf_counter() - self._began, 6)
            games = self._games
            final = games.final_observations[ended]
            for row, i in enumerate(ended.tolist()):
                infos[i] = {
                    "terminal_observation": final[row],
                    "TimeLimit.truncated": bool(games.truncated[i]),
                    "episode": {"r": float(self._returns[i]), "l": int(self._lengths[i]), "t": seconds},
                    "opponent": int(games.met[i]),
                }
            self._returns[ended] = 0
            self._lengths[ended] = 0
        return infos
