"""Many games that step together: arrays of records, masks and observations, preallocated, with restart of finished games."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from react_env.engine.crew import Crew
from react_env.engine.game import random_seed
from react_env.engine.kernels import (
    OTHERS,
    RANDOM,
    REFRESH,
    START,
    STEP,
    _random_actions,
    first_problem,
    random_actions,
)
from react_env.errors import BatchError, GameOver

if TYPE_CHECKING:
    from react_env.engine.game import Game

__all__ = ["Batch", "random_actions", "seed_words"]

_SHARE = 64  # games for each thread, at least: handing over fewer takes longer than stepping them


def seed_words(seed: int, count: int) -> NDArray[np.uint64]:
    """`seed_word(seed, i)` for i in 0..count-1: uint64 (count,), the first states of that many random streams."""
    mask = 0xFFFFFFFFFFFFFFFF
    base = (seed * 0x9E3779B97F4A7C15 + 0x632BE59BD9B4E019) & mask
    z = np.arange(count, dtype=np.uint64) * np.uint64(0xBF58476D1CE4E5B9) + np.uint64(base)
    for _ in range(2):
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return z


class Batch:
    """N games of one kind that step together.

    The arrays below are made once and written in place by each step: copy what must last. Do not write to `observations`: their parts that
    never change are not written again each time, only by `refresh`. All of them are for the player to move. A game that ends starts again
    within the same step: its reward and end are told, its observation and mask are those of the new game.

    Args:
        game: the rules.
        num_games: N.
        seed: game i starts with stream i of this seed; None draws a seed from the system.
        threads: how many threads share the work; the results do not depend on it.
        keep_final: also write `final_observations`.

    Attributes:
        states: (N,) records: read, save, overwrite (then call `refresh`).
        observations: int8 (N, O), what the player to move sees.
        action_masks: bool (N, A), what the player to move may do.
        to_play: int8 (N,).
        rewards: float32 (N, P), of the step just made, for every player.
        terminated, truncated: bool (N,), whether the step just made ended the game by the rules, or by a limit.
        final_observations: int8 (N, P, O), what each player saw when the game last ended; (0, P, O) without `keep_final`.

    Raises:
        BatchError: num_games or threads below 1.
    """

    def __init__(
        self, game: Game, num_games: int, *, seed: int | None = None, threads: int = 1, keep_final: bool = False
    ) -> None:
        for name, value in (("num_games", num_games), ("threads", threads)):
            if not isinstance(value, (int, np.integer)) or value < 1:
                raise BatchError(f"{name} must be an integer of at least 1, not {value!r}")
        self.game = game
        self.num_games = n = int(num_games)
        self.threads = min(int(threads), n)
        (size,) = game.observation_shape
        self.states: NDArray[Any] = np.zeros(n, game.state_dtype)
        self.observations = np.zeros((n, size), np.int8)
        self.action_masks = np.zeros((n, game.num_actions), np.bool_)
        self.to_play = np.zeros(n, np.int8)
        self.rewards = np.zeros((n, game.num_players), np.float32)
        self.terminated = np.zeros(n, np.bool_)
        self.truncated = np.zeros(n, np.bool_)
        self.final_observations = np.zeros((n if keep_final else 0, game.num_players, size), np.int8)
        self._raw = self.states.view(np.uint8).reshape(n, -1)
        self._all = np.arange(n)
        self._no_seats = np.full(n, -1, np.int8)
        self._no_words = np.zeros(n, np.uint64)
        self._shown = np.full(n, -1, np.int64)
        self._stamp = np.zeros(n, np.int64)
        self._tick = 0
        self._finished = False  # whether `refresh` found games that are over
        self._crew = Crew(self.threads - 1) if self.threads > 1 else None
        self.reset(seed)

    def __len__(self) -> int:
        return self.num_games

    def __repr__(self) -> str:
        return f"{self.game!r}.batch(num_games={self.num_games}, threads={self.threads})"

    def reset(self, seed: int | None = None) -> None:
        """Start all games anew, game i with stream i of `seed` (None: a seed from the system)."""
        self._raw[:] = 0
        self.states["rng"] = seed_words(random_seed() if seed is None else int(seed), self.num_games)
        self._drive(START, self._all, self._all)

    def start(self, where: ArrayLike, rng_states: NDArray[np.uint64]) -> None:
        """Start the games `where` anew, each with a stream of its own; the other games stay as they are.

        Args:
            where: integers (M,), each game at most once.
            rng_states: uint64 (M,), the first states of their random streams (`react_env.engine.rng.seed_word` makes that of a seed).

        Raises:
            BatchError: a wrong shape or type, or an index that does not exist or stands twice.
        """
        index = self._index(where)
        words = np.asarray(rng_states)
        if words.dtype != np.uint64 or words.shape != index.shape:
            raise BatchError(f"rng_states must be uint64 {index.shape}, not {words.dtype} {words.shape}")
        if len(np.unique(index)) < len(index):
            raise BatchError("where: a game stands there twice")
        self._raw[index] = 0
        self.states["rng"][index] = words
        self._clear()
        self._drive(START, index, index)

    def step(self, actions: ArrayLike, where: ArrayLike | None = None) -> None:
        """Take one action in each game, or in the games `where`.

        Args:
            actions: integers (N,), or (M,) with `where`; each legal for the player to move.
            where: integers (M,), each game at most once. The other games stay as they are; their rewards and ends read 0 and False.

        Raises:
            BatchError: a wrong shape or type, or an index that does not exist or stands twice.
            IllegalAction: names the first game whose action is not legal. No game has changed.
            GameOver: a finished game was written into `states`.
        """
        chosen, index = self.checked(actions, where)
        if where is not None:
            self._clear()
        self._drive(STEP, chosen, index)

    def step_random(self, rng_states: NDArray[np.uint64]) -> None:
        """One uniformly random legal action in each game: ``step(random_actions(rng_states))`` in one go.

        Args:
            rng_states: uint64 (N,), one stream for each game (see `seed_words`); each moves on by one word.

        Raises:
            BatchError: `rng_states` is not such an array.
            GameOver: a finished game was written into `states`.
        """
        self._check_array("rng_states", rng_states, np.uint64)
        if self._finished and self.states["over"].any():
            i = int(np.argmax(self.states["over"] != 0))
            raise GameOver(f"game {i} is over; overwrite it with a running one and call refresh")
        self._drive(RANDOM, self._all, self._all, None, rng_states)

    def step_against_random(
        self, actions: ArrayLike | None, seats: NDArray[np.int8], rng_states: NDArray[np.uint64]
    ) -> None:
        """One action of a learner in each game, then random moves of the others until the learner has to choose again.

        A game that ends starts again, and the others play there too if they begin. Rewards and ends are those of the first end on the way;
        a game in which the learner had no choice at all is not told.

        Args:
            actions: integers (N,), legal for the learner; None: the learner does nothing yet, the others move where they have to.
            seats: int8 (N,), the learner's player number in each game, who is to move.
            rng_states: uint64 (N,), one stream for each game (see `seed_words`); they move on.

        Raises:
            BatchError, IllegalAction: as `step`.
        """
        self._check_array("seats", seats, np.int8)
        self._check_array("rng_states", rng_states, np.uint64)
        if actions is None:
            self._drive(OTHERS, self._all, self._all, seats, rng_states)
        else:
            chosen, index = self.checked(actions)
            self._drive(STEP, chosen, index, seats, rng_states)

    def checked(
        self, actions: ArrayLike, where: ArrayLike | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The arguments of `step` as contiguous int64 arrays (M,), actions and games; raises what `step` raises."""
        index = self._all if where is None else self._index(where)
        chosen = np.asarray(actions)
        if chosen.dtype.kind not in "iu" and chosen.size:
            raise BatchError(f"actions must be integers, not {chosen.dtype}")
        if chosen.shape != index.shape:
            raise BatchError(f"actions must have the shape {index.shape}, not {chosen.shape}")
        # A uint64 beyond int64 becomes negative here, so it stays illegal.
        chosen = np.ascontiguousarray(chosen, np.int64)
        self._tick += 1
        k, problem = first_problem(chosen, index, self.action_masks, self._stamp, self._tick)
        if problem == 0:
            return chosen, index
        i = int(index[k])
        if problem == 1:
            raise BatchError(f"where[{k}]: game {i} stands there twice")
        if self.states[i]["over"]:
            raise GameOver(f"game {i} is over; overwrite it with a running one and call refresh")
        raise self.game.illegal(self.action_masks[i], int(chosen[k]), where=f"game {i}: ")

    def refresh(self, where: ArrayLike | None = None) -> None:
        """Work out masks, observations and players to move again, after `states` was written to.

        Args:
            where: integers (M,), the games that changed; None: all.

        Raises:
            BatchError: a wrong shape or type, an index that does not exist, or a record of a game with other options.
        """
        index = self._all if where is None else self._index(where)
        tables = self.states["table"][index]
        if (wrong := (tables < 0) | (tables >= len(self.game.tables))).any():
            i = int(index[np.argmax(wrong)])
            raise BatchError(
                f"game {i}: its record is played by table {self.states['table'][i]}, and this game has {len(self.game.tables)}"
            )
        self._clear()
        self._shown[index] = -1
        self._drive(REFRESH, index, index)
        self._finished = bool(self.states["over"].any())

    def random_actions(self, rng_states: NDArray[np.uint64], out: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """One uniformly random legal action for each game, by all threads.

        Args:
            rng_states: uint64 (N,), one stream for each game (see `seed_words`); each moves on by one word.
            out: int64 (N,), where to write.
        """
        if out is None:
            out = np.empty(self.num_games, np.int64)
        self._check_array("rng_states", rng_states, np.uint64)
        self._check_array("out", out, np.int64)
        self._spread(_random_actions, self.num_games, (self.action_masks, rng_states, out))
        return out

    def warm(self) -> None:
        """Compile what else a batch needs."""
        self.step(np.zeros(0, np.int64), np.zeros(0, np.int64))
        self.random_actions(seed_words(0, self.num_games))

    def close(self) -> None:
        """Let the threads go; the batch then works on with one."""
        if self._crew is not None:
            self._crew.close()
            self._crew = None

    def _drive(
        self,
        job: int,
        actions: NDArray[np.int64],
        index: NDArray[np.int64],
        seats: NDArray[np.int8] | None = None,
        words: NDArray[np.uint64] | None = None,
    ) -> None:
        self._spread(
            self.game.kernels.drive,
            len(index),
            (self.states, self.game.tables, self._raw, self.game.fixed, self.game.fixed_row, job, actions, index),
            (
                self.action_masks,
                self.observations,
                self.final_observations,
                self.to_play,
                self.rewards,
                self.terminated,
                self.truncated,
                self._no_seats if seats is None else seats,
                self._no_words if words is None else words,
                self._shown,
            ),
        )

    def _spread(
        self, kernel: Callable[..., Any], count: int, before: tuple[Any, ...], after: tuple[Any, ...] = ()
    ) -> None:
        """Call ``kernel(*before, first, last, *after)`` over 0..count-1, in one range for each thread."""
        parts = min(self.threads, count // _SHARE)
        if self._crew is None or parts < 2:
            kernel(*before, 0, count, *after)
            return
        edges = [count * i // parts for i in range(parts + 1)]
        self._crew.run([(kernel, *before, first, last, *after) for first, last in zip(edges, edges[1:])])

    def _check_array(self, name: str, array: NDArray[Any], dtype: type) -> None:
        if array.dtype != dtype or array.shape != (self.num_games,) or not array.flags.c_contiguous:
            raise BatchError(f"{name} must be a contiguous array of {np.dtype(dtype)} ({self.num_games},)")

    def _clear(self) -> None:
        self.rewards[:] = 0
        self.terminated[:] = False
        self.truncated[:] = False

    def _index(self, where: ArrayLike) -> NDArray[np.int64]:
        index = np.asarray(where)
        if index.dtype.kind not in "iu" and index.size:
            raise BatchError(f"where must be integer indices of games, not {index.dtype}")
        if index.ndim != 1:
            raise BatchError(f"where must have the shape (M,), not {index.shape}")
        if index.size and not 0 <= index.min() <= index.max() < self.num_games:
            wrong = int(np.flatnonzero((index < 0) | (index >= self.num_games))[0])
            raise BatchError(
                f"where[{wrong}]: there is no game {index[wrong]}, games go from 0 to {self.num_games - 1}"
            )
        return np.ascontiguousarray(index, np.int64)
