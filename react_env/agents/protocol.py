"""What an agent is: a name, and one of two ways to choose actions for many games at once.

An `Agent` sees what a player sees, N observations and N masks. A `StateAgent` (search) is given the N states of the games, and
must look only at determinized copies of them (the library's own agents are tested for this). N is the number of decisions asked for in
one call. They belong to different games, in any order, so an agent keeps nothing of them by itself. An agent that needs a memory sets the
attribute `memory_per_game`, how many numbers it keeps of a game, and is then given a fourth argument, `memory`.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias, runtime_checkable
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from react_env.engine.rng import is_integer
from react_env.errors import BatchError, OptionError, StateError

Actions: TypeAlias = npt.NDArray[np.int64]
Observations: TypeAlias = npt.NDArray[np.int8]
Masks: TypeAlias = npt.NDArray[np.bool_]
Records: TypeAlias = npt.NDArray[Any]  # (N,) of games
Players: TypeAlias = npt.NDArray[np.int64]  # (N,)
Values: TypeAlias = npt.NDArray[np.float64]
Memory: TypeAlias = npt.NDArray[np.float32]  # (N, memory_per_game)
Rows: TypeAlias = npt.NDArray[np.int64]  # (M,) places in a batch
Flags: TypeAlias = npt.NDArray[np.bool_]  # (M,)
MOST_MEMORY = 1_000_000  # numbers for each game and player: 4 MB


@runtime_checkable
class Agent(Protocol):
    """Chooses from what the player to move sees."""

    name: str

    def act(self, observations: Observations, action_masks: Masks, rng: np.random.Generator) -> Actions:
        """One legal id for each row: (N, size) int8 and (N, A) bool -> (N,) int64. All randomness comes from `rng`."""
        ...


@runtime_checkable
class StateAgent(Protocol):
    """Chooses from the states of games, using only what `players` know."""

    name: str

    def act_states(self, states: Records, players: Players, rng: np.random.Generator) -> Actions:
        """One legal id for each record: (N,) records and (N,) players to move -> (N,) int64. `states` is not changed."""
        ...


AnyAgent: TypeAlias = Agent | StateAgent


def uses_states(agent: AnyAgent) -> bool:
    """Whether `agent` is a `StateAgent`: it has `act_states`."""
    return hasattr(agent, "act_states")


def name_of(agent: Any) -> str:
    """The name of an agent, or of its class if it has none."""
    return str(getattr(agent, "name", type(agent).__name__))


def what_lacks(found: Any) -> str:
    """The end of an error message: what a class or a model of stable-baselines3 lacks to be an agent; "" for anything else."""
    if isinstance(found, type):
        return f"; {found.__name__} is a class: give an agent of it, {found.__name__}(...)"
    if hasattr(found, "predict") or str(found).endswith(".zip"):
        return "; a model of stable-baselines3 needs a class with act around it: see agents/sb3_agent.py"
    return ""


def as_array(name: str, given: Any, dtype: type[Any], shape: tuple[int | None, int | None]) -> npt.NDArray[Any]:
    """`given` as an array of `dtype` and `shape`, in which None stands for any size; `given` itself if it already is one.

    Compiled code would read beyond the end of a smaller array, and would be compiled anew for another type. OptionError for another
    shape, or for numbers that `dtype` cannot hold.
    """
    array = np.asarray(given)
    if array.ndim != 2 or any(wanted not in (None, size) for wanted, size in zip(shape, array.shape)):
        rows, columns = ("N" if shape[0] is None else shape[0], "A" if shape[1] is None else shape[1])
        raise OptionError(f"{name} must have the shape ({rows}, {columns}), not {array.shape}")
    if array.dtype == dtype:
        return array
    found = array.astype(dtype) if array.dtype.kind in "biuf" else None
    if found is None or (found != array).any():
        holds = "True and False, or 1 and 0" if dtype is np.bool_ else f"numbers of {dtype.__name__}"
        raise OptionError(f"{name} must hold {holds}; found other {array.dtype}")
    return found


def are_legal(batch: Any, rows: npt.NDArray[np.int64], actions: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Which of these integers (M,) are legal actions in the games `rows` (M,) of a Batch: bool (M,)."""
    masks = batch.action_masks
    known = (actions >= 0) & (actions < masks.shape[1])
    return np.asarray(known & masks[rows, np.where(known, actions, 0)])


def memory_per_game(agent: Any) -> int:
    """How many numbers `agent` keeps for each game and player. OptionError for a `memory_per_game` that is not from 0 to MOST_MEMORY."""
    size = getattr(agent, "memory_per_game", 0)
    if not is_integer(size) or not 0 <= size <= MOST_MEMORY:
        raise OptionError(
            f"{name_of(agent)}: memory_per_game must be an integer from 0 to {MOST_MEMORY}, not {size!r:.80}"
        )
    return int(size)


def new_memory(agent: Any, count: int) -> Memory | None:
    """The memory that `agent` is given for `count` new games: zeros (count, memory_per_game), or None if it keeps none."""
    size = memory_per_game(agent)
    return np.zeros((count, size), np.float32) if size else None


class _Kept:
    """One agent's memory of the games of one batch."""

    def __init__(self, agent: Any, batch: Any, size: int) -> None:
        self.agent = agent  # kept alive, so that no other agent can get its id
        self._numbers = np.zeros((batch.num_games, batch.game.num_players, size), np.float32)
        self._episodes = batch.episodes

    def recall(self, batch: Any, rows: Rows, players: Players) -> Memory:
        """A copy (M, size) of the memory, zeros for games that have begun since the last call."""
        now = batch.episodes
        self._numbers[now != self._episodes] = 0.0
        self._episodes = now
        return self._numbers[rows, players]

    def keep(self, rows: Rows, players: Players, memory: Memory) -> None:
        """Store what the agent remembers from now on."""
        self._numbers[rows, players] = memory

    def of_some(self, batch: Any) -> bool:
        """Whether any game that it may remember is still going on."""
        return bool((batch.episodes == self._episodes).any())


_KEPT: WeakKeyDictionary[Any, dict[int, _Kept]] = WeakKeyDictionary()  # by batch, then by the id of the agent


def memories(batch: Any) -> list[_Kept]:
    """What agents remember of the games of a batch. `remember` takes it for a copy of the batch."""
    return list(_KEPT.get(batch, {}).values())


def remember(batch: Any, kept: list[_Kept]) -> None:
    """Give the agents these memories of the games of a batch, such as those that they have of the batch it was copied from."""
    _KEPT[batch] = {id(one.agent): one for one in kept}


def ask(agent: AnyAgent, first: Any, second: Any, rng: np.random.Generator, memory: Memory | None) -> Actions:
    """Call `act_states` or `act`. If there is a memory, the agent gets it and writes in it."""
    more = () if memory is None else (memory,)
    if uses_states(agent):
        return agent.act_states(first, second, rng, *more)  # type: ignore[union-attr]
    return agent.act(first, second, rng, *more)  # type: ignore[union-attr]


def choose(agent: AnyAgent, batch: Any, rows: npt.NDArray[np.int64], rng: np.random.Generator) -> Actions:
    """The actions of `agent` for the games `rows` (M,) of a Batch, as (M,) int64; M may be 0.

    An agent with a memory finds in it what it wrote at the last decision of the same player in the same game of this batch. If it raises,
    the memory stays as it was.
    """
    if not len(rows):
        return np.zeros(0, np.int64)
    players = batch.to_play[rows].astype(np.int64)
    if uses_states(agent):
        first, second = batch.states[rows], players
    else:
        first, second = batch.observations[rows], batch.action_masks[rows]
    if not (size := memory_per_game(agent)):
        return ask(agent, first, second, rng, None)
    if (kept := _KEPT.get(batch, {}).get(id(agent))) is None:
        remember(batch, [one for one in memories(batch) if one.of_some(batch)])
        kept = _KEPT[batch][id(agent)] = _Kept(agent, batch, size)
    memory = kept.recall(batch, rows, players)
    actions = ask(agent, first, second, rng, memory)
    kept.keep(rows, players, memory)
    return actions


def choose_one(agent: AnyAgent, game: Any, state: Any, rng: np.random.Generator, memory: Memory | None = None) -> int:
    """The action of `agent` in one state of `game`, for the player to move. StateError if the game is over; BatchError if the agent's
    answer is not one integer.

    `memory`: for an agent that keeps one, a `new_memory(agent, 1)` for each player when a game begins; the agent then changes it in
    place. None: it remembers nothing.
    """
    found = np.asarray(ask_one(agent, game, state, rng, memory))
    if found.shape != (1,) or found.dtype.kind not in "iu":
        raise BatchError(
            f"{name_of(agent)} gave {found.dtype} {found.shape}; an agent gives a legal id for each row, (1,) integers"
        )
    return int(found[0])


def ask_one(agent: AnyAgent, game: Any, state: Any, rng: np.random.Generator, memory: Memory | None = None) -> Any:
    """As `choose_one`, but the agent's answer unchecked: an array (1,) if it is valid."""
    mask = game.action_mask(state)
    if not mask.any():
        raise StateError(f"{game.id}: the game is over: there is nothing to choose")
    player = game.to_play(state)
    if memory is None:
        memory = new_memory(agent, 1)
    if uses_states(agent):
        return ask(agent, np.asarray(game.copy(state)).reshape(1), np.array([player]), rng, memory)
    return ask(agent, game.observe(state, player)[None], mask[None], rng, memory)
