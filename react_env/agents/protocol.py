"""What an agent is: a name, and one of two ways to choose actions for many games at once.

An `Agent` sees what a player sees, N observations and N masks. A `StateAgent` (search) is given the N states of the games, and
must look only at determinized copies of them (the library's own agents are tested for this). N is the number of decisions asked for in
one call; they belong to different games, in any order, so an agent keeps no memory between calls.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from react_env.errors import OptionError, StateError

Actions: TypeAlias = npt.NDArray[np.int64]
Observations: TypeAlias = npt.NDArray[np.int8]
Masks: TypeAlias = npt.NDArray[np.bool_]
Records: TypeAlias = npt.NDArray[Any]  # (N,) of games
Players: TypeAlias = npt.NDArray[np.int64]  # (N,)
Values: TypeAlias = npt.NDArray[np.float64]
Rows: TypeAlias = npt.NDArray[np.int64]  # (M,) places in a batch
Flags: TypeAlias = npt.NDArray[np.bool_]  # (M,)


@runtime_checkable
class Agent(Protocol):
    """Chooses from what the player to move sees."""

    name: str

    def act(self, observations: Observations, action_masks: Masks, rng: np.random.Generator) -> Actions:
        """One legal id for each row: (N, size) int8 and (N, A) bool -> (N,) int64. All randomness comes from `rng`."""
        ...


@runtime_checkable
class StateAgent(Protocol):
    """Chooses by search from states, using only what `players` know."""

    name: str

    def act_states(self, states: Records, players: Players, rng: np.random.Generator) -> Actions:
        """One legal id for each record: (N,) records and (N,) players to move -> (N,) int64. `states` is not changed."""
        ...


AnyAgent: TypeAlias = Agent | StateAgent


def uses_states(agent: AnyAgent) -> bool:
    """True if `agent` searches: it has `act_states`."""
    return hasattr(agent, "act_states")


def name_of(agent: Any) -> str:
    """The name of an agent, or that of its class."""
    return str(getattr(agent, "name", type(agent).__name__))


def what_lacks(found: Any) -> str:
    """The end of a message where an agent is needed: what a class, or a model of stable-baselines3, lacks; "" for anything else."""
    if isinstance(found, type):
        return f"; {found.__name__} is a class: give an agent of it, {found.__name__}(...)"
    if hasattr(found, "predict") or str(found).endswith(".zip"):
        return "; a model of stable-baselines3 needs a class with act around it: see agents/sb3_agent.py"
    return ""


def as_array(name: str, given: Any, dtype: type[Any], shape: tuple[int | None, int | None]) -> npt.NDArray[Any]:
    """`given` as an array of `dtype` and `shape`, in which None is any number: `given` itself where it is one.

    Compiled code reads beyond the end of a smaller one, and is compiled anew for another type. OptionError for another shape, or for
    numbers that are none of `dtype`.
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


def choose(agent: AnyAgent, batch: Any, rows: npt.NDArray[np.int64], rng: np.random.Generator) -> Actions:
    """The actions of `agent` for the games `rows` (M,) of a Batch, as (M,) int64; M may be 0."""
    if not len(rows):
        return np.zeros(0, np.int64)
    if uses_states(agent):
        return agent.act_states(batch.states[rows], batch.to_play[rows].astype(np.int64), rng)  # type: ignore[union-attr]
    return agent.act(batch.observations[rows], batch.action_masks[rows], rng)  # type: ignore[union-attr]


def choose_one(agent: AnyAgent, game: Any, state: Any, rng: np.random.Generator) -> int:
    """The action of `agent` in one state of `game`, for its player to move. StateError: the game is over."""
    mask = game.action_mask(state)
    if not mask.any():
        raise StateError(f"{game.id}: the game is over: there is nothing to choose")
    player = game.to_play(state)
    if uses_states(agent):
        states = np.asarray(game.copy(state)).reshape(1)
        return int(agent.act_states(states, np.array([player]), rng)[0])  # type: ignore[union-attr]
    return int(agent.act(game.observe(state, player)[None], mask[None], rng)[0])  # type: ignore[union-attr]
