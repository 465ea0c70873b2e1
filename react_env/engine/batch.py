"""Many games that step together: preallocated arrays of records, masks and observations. Finished games restart."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import TypeVar

from react_env.engine.crew import Crew
from react_env.engine.kernels import (
    MOST_MOVES,
    OTHERS,
    RANDOM,
    REFRESH,
    START,
    STEP,
    STUCK,
    _random_actions,
    check_array,
    first_beyond,
    first_problem,
    for_compiled,
    random_actions,
)
from react_env.engine.rng import as_seed, first_states, is_integer, random_seed, seed_word
from react_env.errors import BatchError, GameOver

if TYPE_CHECKING:
    from react_env.engine.game import Game

__all__ = ["Batch", "random_actions", "seed_words"]

_MOST_STREAMS = 2**32
_WORD, _NUMBER, _SEAT = np.dtype(np.uint64), np.dtype(np.int64), np.dtype(np.int8)
_ALL_SOUND = np.zeros(0, np.uint64)  # no marks: a batch itself tracks what is written to its records
# What `Kernels.drive` writes, in the order of its arguments.
_OUTPUTS = ("action_masks", "observations", "final_observations", "to_play", "rewards", "terminated", "truncated")
_SHARE = 64  # the fewest games that a thread gets: handing over fewer takes longer than stepping them


def seed_words(seed: int, count: int) -> NDArray[np.uint64]:
    """`seed_word(seed, i)` for i in 0..count-1: uint64 (count,), the first states of that many random streams.

    The games of a batch with this seed start from the same states. For random actions take another seed, or the deals determine them.

    Raises:
        OptionError: the seed is not an integer.
        BatchError: an impossible number of streams.
    """
    if not is_integer(count) or not 0 <= count <= _MOST_STREAMS:
        raise BatchError(f"the number of streams must be from 0 to {_MOST_STREAMS}, not {count!r:.80}")
    return first_states(as_seed(seed), np.arange(count, dtype=np.uint64))


def words_of(seed: int | Sequence[int] | None, count: int) -> NDArray[np.uint64]:
    """The first states of the random streams of `count` games: streams 0, 1, ... of one seed (None draws one from the system), or
    stream 0 of each of several seeds.

    Raises:
        OptionError: a seed is not an integer.
        BatchError: another number of seeds than games, or an impossible number of games.
    """
    if isinstance(seed, np.ndarray):
        seed = seed.tolist()
    if not isinstance(seed, Sequence) or isinstance(seed, str):
        return seed_words(random_seed() if seed is None else seed, count)
    if len(seed) != count:
        raise BatchError(f"seed has {len(seed)} entries for {count} games: give one integer, or one for each game")
    return np.array([seed_word(as_seed(one)) for one in seed], np.uint64)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A view of a contiguous array that cannot be made writable."""
    if not array.size:  # nothing to write, and no buffer to take
        empty = array.view()
        empty.flags.writeable = False
        return empty
    data: Any = array.reshape(-1).view(np.uint8)
    return np.frombuffer(memoryview(data).toreadonly(), array.dtype).reshape(array.shape)


def as_lumps(records: NDArray[Any]) -> NDArray[Any]:
    """(N,) records -> (N,) lumps of bytes in the same memory. NumPy copies lumps seventy times faster than records."""
    return records.view(np.dtype((np.void, records.dtype.itemsize)))


def taken(records: NDArray[Any], rows: Any) -> NDArray[Any]:
    """A copy of ``records[rows]``, for (N,) records and an array of indices or a mask."""
    return as_lumps(records)[rows].view(records.dtype)


class _AtWork:
    """Held while a batch works. A second caller gets an error: two at once would step records that neither has checked."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        if not self._lock.acquire(False):
            raise BatchError("another thread is using this batch; give each thread its own batch")

    def __exit__(self, *_: object) -> None:
        self._lock.release()


class States(np.ndarray[Any, Any]):
    """The records of a batch: an array (N,) that reads like any other, and in which whole records and columns can be overwritten.

        batch.states[3] = record
        batch.states["turn"] = 1
        batch.refresh()

    After a write the batch must be refreshed before its next step. A part of a record cannot be written: change a copy of the record and
    put that back. What is taken out of this array is an ordinary array or record, read-only if it shares the batch's memory.
    """

    _memory: NDArray[Any] | None = None  # what `__setitem__` writes to; None in an array made from this one
    _plain: NDArray[Any]  # the same memory, read-only
    _lock: _AtWork
    written: NDArray[np.bool_]  # (N,), which records were written to since they were last refreshed
    stale = False  # whether any was

    @classmethod
    def of(cls, memory: NDArray[Any], lock: _AtWork) -> Self:
        """A guard around the records `memory` (N,)."""
        plain = read_only(memory)
        states = plain.view(cls)
        states._memory, states._plain, states._lock = memory, plain, lock
        states.written = np.zeros(len(memory), np.bool_)
        return states

    def __getitem__(self, key: Any) -> Any:
        if self._memory is None:
            return super().__getitem__(key)
        if isinstance(key, np.ndarray) and key.dtype.kind in "iub":
            return taken(self._plain, key)
        return self._plain[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._memory is None:
            super().__setitem__(key, value)
            return
        columns = isinstance(key, str) or (isinstance(key, list) and any(isinstance(name, str) for name in key))
        with self._lock:
            try:
                self.written[slice(None) if columns else key] = True
                self.stale = True
                if not columns and isinstance(value, np.ndarray) and value.dtype == self.dtype:
                    as_lumps(self._memory)[key] = as_lumps(value)
                else:
                    self._memory[key] = value
            except Exception as error:  # NumPy, or the object itself, may raise anything
                raise BatchError(f"states[{str(key)[:40]}] cannot be set: {str(error)[:200]}") from error

    def copy(self, order: Any = "C") -> Any:
        """An ordinary array of the same records."""
        if self._memory is None:
            return np.array(self, order=order, subok=False)
        return as_lumps(self._plain).copy(order).view(self.dtype)

    def __reduce__(self) -> Any:
        return self.copy().__reduce__()

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    def __copy__(self) -> Any:
        return self.copy()

    def refreshed(self, index: NDArray[np.int64]) -> None:
        """Note that the records `index` have been refreshed."""
        if self.stale:
            self.written[index] = False
            self.stale = bool(self.written.any())


G = TypeVar("G", bound="Game", default=Any)  # the type of the game: `Game` or a subclass


def check_count(name: str, value: Any) -> None:
    """Raise BatchError, which names the argument, unless its value is an integer of at least 1."""
    if not is_integer(value) or value < 1:
        raise BatchError(f"{name} must be an integer of at least 1, not {value!r:.80}")


class Batch(Generic[G]):
    """N games of one kind that step together.

    The arrays below are allocated once, and each step overwrites them in place: copy what you keep. They are read-only, except that
    whole records and columns of `states` can be assigned; for tensors use `torch.tensor(batch.observations)`, since `torch.from_numpy`
    warns about read-only arrays. Observations and masks are those of the player to move. A game that ends restarts within the same step:
    rewards and ends are those of the finished game, observation and mask those of the new one. Copies (`copy.copy`, `copy.deepcopy`,
    `pickle`) continue exactly like the original.

    Args:
        game: the rules.
        num_games: N.
        seed: game i starts with stream i of this seed. With N seeds, game i is dealt like `game.new(seed[i])`. None draws a seed from the
            system.
        threads: how many threads share the work; the results do not depend on it.
        keep_final: also write `final_observations`.

    Raises:
        BatchError: num_games or threads below 1; another number of seeds than games.
        OptionError: a seed is not an integer.
    """

    def __init__(
        self,
        game: G,
        num_games: int,
        *,
        seed: int | Sequence[int] | None = None,
        threads: int = 1,
        keep_final: bool = False,
    ) -> None:
        check_count("num_games", num_games)
        check_count("threads", threads)
        self._game = game
        self._num_games = n = int(num_games)
        self._threads = min(int(threads), n)
        (size,) = game.observation_shape
        try:
            self._states: NDArray[Any] = np.zeros(n, game.state_dtype)
            self._observations = np.zeros((n, size), np.int8)
            self._action_masks = np.zeros((n, game.num_actions), np.bool_)
            self._to_play = np.zeros(n, np.int8)
            self._rewards = np.zeros((n, game.num_players), np.float32)
            self._terminated = np.zeros(n, np.bool_)
            self._truncated = np.zeros(n, np.bool_)
            self._final_observations = np.zeros((n if keep_final else 0, game.num_players, size), np.int8)
        except (MemoryError, ValueError, OverflowError) as error:
            raise BatchError(f"num_games: there is not enough memory for {n} games") from error
        self._all = np.arange(n)
        self._no_seats = np.full(n, -1, np.int8)
        self._no_words = np.zeros(n, np.uint64)
        self._shown = np.full(n, -1, np.int64)
        self._stamp = np.zeros(n, np.int64)
        self._tick = 0
        self._finished = False  # whether `refresh` found games that are over
        self._episodes: NDArray[np.int64] | None = None
        self._open(self._threads > 1)
        self.reset(seed)

    def _open(self, crew: bool) -> None:
        """Make what no copy can share: views of the arrays, the threads and the lock."""
        self._raw = self._states.view(np.uint8).reshape(self._num_games, -1)
        game = self._game
        self._inputs = (self._states, game.tables, self._raw, game.fixed, game.fixed_row)
        self._outputs = tuple(getattr(self, f"_{name}") for name in _OUTPUTS)
        self._alone = (*self._outputs, self._no_seats, self._no_words, self._shown, _ALL_SOUND)
        self._kernel = game.kernels.drive
        self._lock = _AtWork()
        self._views = {name: read_only(array) for name, array in zip(_OUTPUTS, self._outputs)}
        self._public_states = States.of(self._states, self._lock)
        self._crew = Crew(self._threads - 1) if crew else None

    def __getstate__(self) -> dict[str, Any]:
        copied = {name: v.copy() if isinstance(v, np.ndarray) else v for name, v in self.__dict__.items()}
        for name in ("_raw", "_inputs", "_outputs", "_alone", "_kernel", "_lock", "_views", "_public_states"):
            del copied[name]
        return copied | {"_crew": self._crew is not None, "_written": np.flatnonzero(self._public_states.written)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        crew, written = state.pop("_crew"), state.pop("_written")
        self.__dict__.update(state)
        self._open(crew)
        self._public_states.written[written] = True
        self._public_states.stale = bool(written.size)

    @property
    def game(self) -> G:
        """The rules."""
        return self._game

    @property
    def num_games(self) -> int:
        """N."""
        return self._num_games

    @property
    def threads(self) -> int:
        """How many threads share the work."""
        return self._threads

    @property
    def states(self) -> States:
        """(N,) records: read, save, overwrite (then call `refresh`); see `States`."""
        return self._public_states

    @property
    def observations(self) -> NDArray[np.int8]:
        """int8 (N, O), what the player to move sees."""
        return self._views["observations"]

    @property
    def action_masks(self) -> NDArray[np.bool_]:
        """bool (N, A), what the player to move may do."""
        return self._views["action_masks"]

    @property
    def to_play(self) -> NDArray[np.int8]:
        """int8 (N,), the player to move."""
        return self._views["to_play"]

    @property
    def rewards(self) -> NDArray[np.float32]:
        """float32 (N, P), the rewards of the last step, for every player."""
        return self._views["rewards"]

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """bool (N,), whether the rules ended the game in the last step."""
        return self._views["terminated"]

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """bool (N,), whether a limit ended the game in the last step."""
        return self._views["truncated"]

    @property
    def final_observations(self) -> NDArray[np.int8]:
        """int8 (N, P, O), what each player saw when the game last ended; (0, P, O) without `keep_final`."""
        return self._views["final_observations"]

    @property
    def episodes(self) -> NDArray[np.int64]:
        """int64 (N,), a copy: counters that rise by one where a new game begins. Counting starts when this is first read."""
        if self._episodes is None:
            self._episodes = np.zeros(self._num_games, np.int64)
        return self._episodes.copy()

    def __len__(self) -> int:
        return self._num_games

    def __repr__(self) -> str:
        return f"{self._game!r}.batch(num_games={self._num_games}, threads={self._threads})"

    def reset(self, seed: int | Sequence[int] | None = None) -> None:
        """Start all games anew. `seed` is as for the batch itself."""
        words = words_of(seed, self._num_games)
        with self._lock:
            self._raw[:] = 0
            self._states["rng"] = words
            self._drive(START, self._all, self._all)
            self._public_states.refreshed(self._all)

    def start(self, where: ArrayLike, rng_states: NDArray[np.uint64]) -> None:
        """Restart the games `where`, each with its own random stream; the other games stay as they are.

        Args:
            where: integers (M,), each game at most once.
            rng_states: uint64 (M,), the first states of their random streams (`react_env.engine.rng.seed_word` gives that of a seed).

        Raises:
            BatchError: a wrong shape or type, or an index that does not exist or is repeated.
        """
        index = self._index(where, once=True)
        words = array_of("rng_states", rng_states)
        if words.dtype != np.uint64 or words.shape != index.shape:
            raise BatchError(f"rng_states must be uint64 {index.shape}, not {words.dtype} {words.shape}")
        with self._lock:
            self._raw[index] = 0
            self._states["rng"][index] = words
            self._clear()
            self._drive(START, index, index)
            self._public_states.refreshed(index)

    def step(self, actions: ArrayLike, where: ArrayLike | None = None) -> None:
        """Take one action in each game, or in the games `where`.

        Args:
            actions: integers (N,), or (M,) with `where`; each legal for the player to move.
            where: integers (M,), each game at most once. The other games stay as they are; their rewards and ends read 0 and False.

        Raises:
            BatchError: a wrong shape or type, an index that does not exist or is repeated, or `states` was written to and not
                refreshed.
            IllegalAction: names the first game whose action is not legal. No game has changed.
            GameOver: a finished game was written into `states`.
        """
        with self._lock:
            chosen, index = self.checked(actions, where)
            if where is not None:
                self._clear()
            self._drive(STEP, chosen, index)

    def step_random(self, rng_states: NDArray[np.uint64]) -> None:
        """Take one uniformly random legal action in each game: ``step(random_actions(rng_states))`` in one call.

        Args:
            rng_states: uint64 (N,), one stream for each game (see `seed_words`); each moves on by one word.

        Raises:
            BatchError: `rng_states` is not such an array, or `states` was written to and not refreshed.
            GameOver: a finished game was written into `states`.
        """
        check_array("rng_states", rng_states, _WORD, self._all.shape)
        with self._lock:
            self._check_running(self._all)
            self._drive(RANDOM, self._all, self._all, None, rng_states)

    def step_against_random(
        self,
        actions: ArrayLike | None,
        seats: NDArray[np.int8],
        rng_states: NDArray[np.uint64],
        where: ArrayLike | None = None,
    ) -> None:
        """Take one action of a learner in each game, or in the games `where`, then random actions of the other players until the learner
        has to choose.

        A game that ends restarts, and the others move in the new game if they begin. Rewards and ends are those of the first game that
        ended; a game in which the learner had no choice at all is not reported.

        Args:
            actions: integers (N,), or (M,) with `where`, legal for the learner; None: the learner takes no action yet, and the
                others move until it has to choose.
            seats: int8 (N,), the learner's player number in each game; with `actions`, the learner is to move.
            rng_states: uint64 (N,), one stream for each game (see `seed_words`); they move on.
            where: as in `step`.

        Raises:
            BatchError, IllegalAction, GameOver: as `step`. BatchError also if there is no such player, or if the others moved
                `MOST_MOVES` times and the learner still had nothing to choose.
        """
        check_array("seats", seats, _SEAT, self._all.shape, written=False)
        check_array("rng_states", rng_states, _WORD, self._all.shape)
        seats = for_compiled(seats)
        if (i := first_beyond(seats, self._game.num_players)) >= 0:
            raise BatchError(
                f"seats[{i}]: player {seats[i]} does not exist, players are numbered from 0 to {self._game.num_players - 1}"
            )
        with self._lock:
            if actions is None:
                chosen = index = self._all if where is None else self._index(where, once=True)
                self._check_running(index)
            else:
                chosen, index = self.checked(actions, where)
            if where is not None:
                self._clear()
            self._drive(OTHERS if actions is None else STEP, chosen, index, seats, rng_states)

    def checked(
        self, actions: ArrayLike, where: ArrayLike | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The arguments of `step` as contiguous int64 arrays (M,), actions and games; raises what `step` raises."""
        if self._public_states.stale:
            self._check_fresh()
        index = self._all if where is None else self._index(where)
        chosen = array_of("actions", actions)
        if chosen.dtype.kind not in "iu" and chosen.size:
            raise BatchError(f"actions must be integers, not {chosen.dtype}")
        if chosen.shape != index.shape:
            raise BatchError(f"actions must have the shape {index.shape}, not {chosen.shape}")
        # A uint64 beyond int64 becomes negative here, so it stays illegal.
        given, chosen = chosen, for_compiled(chosen, np.int64)
        self._tick += 1
        k, problem = first_problem(chosen, index, self._action_masks, self._stamp, self._tick)
        if problem == 0:
            return chosen, index
        i = int(index[k])
        if problem == 1:
            raise BatchError(f"where[{k}]: game {i} is listed twice")
        if self._states[i]["over"]:
            raise GameOver(f"game {i} is over; overwrite it with a running one and call refresh")
        raise self._game.illegal(self._action_masks[i], int(given[k]), where=f"game {i}: ")

    def refresh(self, where: ArrayLike | None = None) -> None:
        """Recompute masks, observations and players to move, after `states` was written to.

        Args:
            where: integers (M,), the games that changed; None: all.

        Raises:
            BatchError: a wrong shape or type, an index that does not exist, or a record that no game of these options could reach: the
                message names the game and the field.
        """
        index = self._all if where is None else np.unique(self._index(where))  # two threads never share a game
        with self._lock:
            if problem := self._game.impossible(self._states, index):
                k, reason = problem
                raise BatchError(f"game {index[k]}: {reason}")
            self._clear()
            self._shown[index] = -1
            self._drive(REFRESH, index, index)
            self._finished = bool(self._states["over"].any())
            self._public_states.refreshed(index)

    def random_actions(self, rng_states: NDArray[np.uint64], out: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Draw one uniformly random legal action for each game, on all threads.

        Args:
            rng_states: uint64 (N,), one stream for each game (see `seed_words`); each moves on by one word.
            out: int64 (N,), where to write.

        Raises:
            BatchError: an array of another shape or type, or one that cannot be written to; the batch is at work in another thread.
        """
        check_array("rng_states", rng_states, _WORD, self._all.shape)
        if out is None:
            out = np.empty(self._num_games, np.int64)
        else:
            check_array("out", out, _NUMBER, self._all.shape)
        with self._lock:
            self._spread(_random_actions, self._num_games, (self._action_masks, rng_states, out))
        return out

    def warm(self) -> None:
        """Compile everything that a batch may still need."""
        self.step(np.zeros(0, np.int64), np.zeros(0, np.int64))
        self.random_actions(seed_words(0, self._num_games))
        first_beyond(self._no_seats, self._game.num_players)

    def close(self) -> None:
        """Stop the threads; the batch then continues with one."""
        with self._lock:
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
        if words is None:
            after = self._alone
        else:
            after = (*self._outputs, self._no_seats if seats is None else seats, words, self._shown, _ALL_SOUND)
        results = self._spread(self._kernel, len(index), (*self._inputs, job, actions, index), after)
        if self._episodes is not None:
            self._episodes[index] += 1 if job == START else self._terminated[index] | self._truncated[index]
        if STUCK in results:
            raise BatchError(f"{self._game.id}: after {MOST_MOVES} moves in one step there was still nothing to choose")

    def _spread(
        self, kernel: Callable[..., Any], count: int, before: tuple[Any, ...], after: tuple[Any, ...] = ()
    ) -> Sequence[Any]:
        """Call ``kernel(*before, first, last, *after)`` over 0..count-1, in one range for each thread; returns the results."""
        if self._crew is None or (parts := min(self._threads, count // _SHARE)) < 2:
            return (kernel(*before, 0, count, *after),)
        edges = [count * i // parts for i in range(parts + 1)]
        return self._crew.run([(kernel, *before, first, last, *after) for first, last in zip(edges, edges[1:])])

    def _check_fresh(self) -> None:
        if self._public_states.stale:
            i = int(np.argmax(self._public_states.written))
            raise BatchError(f"game {i}: its record was written to; call refresh before the next step")

    def _check_running(self, index: NDArray[np.int64]) -> None:
        self._check_fresh()
        if self._finished and (over := self._states["over"][index]).any():
            i = int(index[np.argmax(over != 0)])
            raise GameOver(f"game {i} is over; overwrite it with a running one and call refresh")

    def _clear(self) -> None:
        self._rewards[:] = 0
        self._terminated[:] = False
        self._truncated[:] = False

    def _index(self, where: ArrayLike, once: bool = False) -> NDArray[np.int64]:
        index = array_of("where", where)
        if index.dtype.kind not in "iu" and index.size:
            raise BatchError(f"where must be integer indices of games, not {index.dtype}")
        if index.ndim != 1:
            raise BatchError(f"where must have the shape (M,), not {index.shape}")
        if index.size and not 0 <= index.min() <= index.max() < self._num_games:
            wrong = int(np.flatnonzero((index < 0) | (index >= self._num_games))[0])
            raise BatchError(
                f"where[{wrong}]: there is no game {index[wrong]}, games are numbered from 0 to {self._num_games - 1}"
            )
        if once and len(np.unique(index)) < len(index):
            raise BatchError("where: a game is listed twice")
        return for_compiled(index, np.int64)


def array_of(name: str, value: Any) -> NDArray[Any]:
    """The argument `name` as an array of any type and shape. Raises BatchError if it is none, such as rows of different lengths."""
    try:
        return np.asarray(value)
    except Exception as error:  # NumPy, or the object itself, may raise anything
        raise BatchError(f"{name} cannot be read as an array: {str(error)[:200]}") from error
