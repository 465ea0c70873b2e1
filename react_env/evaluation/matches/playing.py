"""The one loop that plays games between agents: matches, arenas, balance reports, recorded games and lessons of a network use it.

Every game is played to its end. No game is given up because it is long: short games would then count for more than their share.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from react_env.agents.protocol import AnyAgent, are_legal, choose, name_of
from react_env.errors import BatchError
from react_env.evaluation.arrays import Bools, Ints

if TYPE_CHECKING:
    from react_env.agents.process.guard import Chooser, Fault

SLOTS = 2048  # games at once


def load_for_edited(spec: str, game: Any, threads: int = 1) -> AnyAgent:
    """Like `agents.load`, but without warnings about other rules: edited cards change the rules hash, yet a model can still play them."""
    from react_env import agents

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return agents.load(spec, game, threads=threads, on_mismatch="warn")


def winners(rewards: NDArray[np.float32]) -> Ints:
    """(N,) the seat that won each of N games, by their rewards (N, P) at the end; -1 where nobody won, or several did as much."""
    most = rewards.max(1)
    alone = (rewards == most[:, None]).sum(1) == 1
    return np.where(alone & (most > 0), rewards.argmax(1), -1)


class Step(NamedTuple):
    """One step of M games; all arrays are (M,)."""

    rows: Ints  # their places in the batch
    players: Ints  # who moved
    actions: Ints
    turns: Ints  # before the step, 0 where the game does not count turns
    over: Bools  # games that have ended, by the rules, by a limit or by a forfeit
    truncated: Bools  # by a limit
    failed: Bools  # by a forfeit of the player to move
    faults: Mapping[int, Fault]  # why, by place
    # The records before the step, if asked for: a game that ends is started again within the step.
    before: NDArray[Any] | None


class Trusted:
    """An agent as a `Chooser` that never forfeits: its exceptions reach the caller."""

    def __init__(self, agent: AnyAgent) -> None:
        self.agent = agent
        self.name = name_of(agent)
        self.faults: list[Fault] = []

    def choose(self, batch: Any, rows: Ints, rng: np.random.Generator) -> tuple[Ints, Bools]:
        """See `react_env.agents.process.guard.Chooser`."""
        actions = choose(self.agent, batch, rows, rng)
        given = np.asarray(actions)
        if given.shape != (len(rows),) or given.dtype.kind not in "iu":
            raise BatchError(
                f"{self.name} gave {given.dtype} {given.shape} for {len(rows)} games; an agent gives a legal id for each, "
                f"({len(rows)},) integers"
            )
        legal = are_legal(batch, rows, given)
        if not legal.all():
            k = int(np.argmin(legal))
            raise batch.game.illegal(batch.action_masks[rows[k]], int(given[k]), f"{self.name}, game {int(rows[k])}: ")
        return given, np.zeros(len(rows), np.bool_)

    def close(self) -> None:
        """Do nothing: there is nothing to free."""


class Playing:
    """A batch in which each place plays a game to its end and then waits until `begin` gives it another.

    Args:
        game: the rules.
        choosers: the agents by number. Each is asked once a step, for all games in which it is to move.
        rngs: each agent's random generator, by the agent's number.
        places: N, the size of the batch.
        threads: threads of the batch.
        keep_states: whether each `Step` holds the records from before it.
    """

    def __init__(
        self,
        game: Any,
        choosers: Mapping[int, Chooser],
        rngs: Mapping[int, np.random.Generator],
        places: int,
        *,
        threads: int = 1,
        keep_states: bool = False,
    ) -> None:
        self.batch = game.batch(num_games=places, seed=0, threads=threads)
        self.agents = np.zeros((places, game.num_players), np.int64)  # who sits where
        self.rows = np.zeros(0, np.int64)  # the places at which a game is played
        self._choosers, self._rngs, self._keep = choosers, rngs, keep_states
        self._counts_turns = "turn" in (self.batch.states.dtype.names or ())

    def __enter__(self) -> Playing:
        return self

    def __exit__(self, *problem: object) -> None:
        self.batch.close()

    def begin(self, rows: Ints, words: NDArray[np.uint64], agents: Ints) -> None:
        """Begin a game at each free place of `rows` (M,), from random streams `words` (M,), with the numbers of `agents` by seat (M, P)."""
        if len(rows):
            self.agents[rows] = agents
            self.batch.start(rows, words)
            self.rows = np.sort(np.concatenate([self.rows, rows]))

    def steps(self) -> Iterator[Step]:
        """Step all games until none is left; between two steps `begin` may give free places another game."""
        batch = self.batch
        while len(rows := self.rows):
            players = batch.to_play[rows].astype(np.int64)
            asked = self.agents[rows, players]
            actions, failed = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.bool_)
            faults: dict[int, Fault] = {}
            for number, chooser in self._choosers.items():
                if len(mine := np.flatnonzero(asked == number)):
                    known = len(chooser.faults)
                    actions[mine], failed[mine] = chooser.choose(batch, rows[mine], self._rngs[number])
                    faults |= zip(rows[mine][failed[mine]].tolist(), chooser.faults[known:])
            turns = batch.states["turn"][rows].astype(np.int64) if self._counts_turns else np.zeros(len(rows), np.int64)
            before = batch.states[rows] if self._keep else None
            if failed.any():
                batch.step(actions[~failed], rows[~failed])
            else:
                batch.step(actions, rows)
            truncated = batch.truncated[rows]
            over = batch.terminated[rows] | truncated | failed
            self.rows = rows[~over]
            yield Step(rows, players, actions, turns, over, truncated, failed, faults, before)
