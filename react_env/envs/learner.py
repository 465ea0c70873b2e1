"""Games in which one seat learns and others play inside the step: what every single-agent adapter over a Batch has in common.

The learner sees only its own decisions. A step takes its action in every game and lets the others play until the learner has to choose
again, in the same game or in the next one; so a reward that an opponent's move brings, as a loss mostly is, comes with the learner's last
action before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from react_env.engine.batch import seed_words
from react_env.engine.game import Game, random_seed
from react_env.engine.kernels import random_actions
from react_env.engine.rng import seed_word
from react_env.errors import OptionError

RANDOM = "random"
Seats = Literal["both"] | int


def check_seats(game: Game, seats: Seats) -> None:
    """Raise OptionError unless `seats` is "both" or one of the game's players."""
    if seats != "both" and (isinstance(seats, bool) or seats not in range(game.num_players)):
        raise OptionError(f"seats must be 'both' or a player from 0 to {game.num_players - 1}, not {seats!r}")


def check_opponent(agent: Any) -> None:
    """Raise OptionError unless `agent` is "random" or an object that can choose."""
    if not (agent == RANDOM if isinstance(agent, str) else hasattr(agent, "act") or hasattr(agent, "act_states")):
        raise OptionError(f"an opponent is 'random' or has act or act_states: {agent!r}")


class LearnerGames:
    """`num_games` games of a Batch, each waiting for its learner.

    Args:
        game: the rules.
        num_games: N.
        opponents: "random"; or an agent, an object with act(observations (M, O), action_masks (M, A), rng) -> (M,) ids, or with
            act_states(states (M,), players (M,), rng); or a list of them (see `set_opponents`).
        seed: for the games and the opponents' choices; None draws one from the system.
        threads: of the batch; results do not depend on it.
        seats: the learner's player number; "both": game i has the learner in seat i modulo the number of players, always.

    Attributes:
        batch: the games; its observations and masks are the learner's once `ready` was called.
        seats: int8 (N,), the learner's seat in each game.
        assigned: int64 (N,), the number of each game's opponent.
        rewards: float32 (N,), terminated, truncated: bool (N,), of the step just made, for the learner.
        final_observations: int8 (N, O), what the learner saw when its game last ended.
        met: int64 (N,), the number of the opponent in the game that the step just made ended, -1 if another one had played before it.

    Raises:
        OptionError: an impossible seat or opponent.
        BatchError: num_games or threads below 1.
    """

    def __init__(
        self, game: Game, num_games: int, opponents: Any, *, seed: int | None, threads: int, seats: Seats
    ) -> None:
        check_seats(game, seats)
        self.game = game
        self._seed = random_seed() if seed is None else int(seed)
        self._resets = 0
        self.batch = game.batch(num_games, seed=self._seed, threads=threads, keep_final=True)
        n = self.batch.num_games
        every = np.arange(n) % game.num_players
        self.seats = (every if seats == "both" else np.full(n, seats)).astype(np.int8)
        self._rows = np.arange(n)
        self.rewards = np.zeros(n, np.float32)
        self.terminated, self.truncated = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        self.final_observations = np.zeros((n, *game.observation_shape), np.int8)
        self._opponents: list[Any] = []
        self.assigned, self.met = np.zeros(n, np.int64), np.full(n, -1)
        self._whole = np.ones(n, np.bool_)  # whether the present game has been against the present opponent only
        self._ready = False
        self._begin(self._seed)
        listed = isinstance(opponents, Sequence) and not isinstance(opponents, str)
        self.set_opponents(opponents if listed else [opponents])

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
            check_opponent(agent)
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
            pairs = zip(self.assigned.tolist(), assigned.tolist(), strict=True)
            self._whole &= np.array([self._opponents[old] is opponents[new] for old, new in pairs])
        self._opponents, self.assigned = list(opponents), assigned.astype(np.int64)
        self._all_random = all(isinstance(opponents[k], str) for k in np.unique(self.assigned))

    def reset(self, seed: int | None = None) -> None:
        """Start all games anew: with a seed the same games each time, without one the next games of the last seed."""
        if seed is not None:
            self._seed, self._resets = int(seed), 0
        self._begin(seed_word(self._seed, self._resets) if self._resets else self._seed)
        self._resets += 1
        self.ready()

    def ready(self) -> None:
        """At the start of the games, let those move who come before the learner."""
        if self._ready:
            return
        if self._all_random:
            self.batch.step_against_random(None, self.seats, self._words)
        else:
            self._others()
        self._ready = True

    def step(self, actions: ArrayLike) -> None:
        """Take the learner's ids (N,), and play on until it has to choose again.

        Raises:
            IllegalAction: no game has changed if it was the learner's action.
        """
        self.ready()
        if self._all_random:
            self.batch.step_against_random(actions, self.seats, self._words)
        else:
            self.batch.step(actions)
        self.rewards[:] = 0
        self.terminated[:] = False
        self.truncated[:] = False
        self._report(np.flatnonzero(self.batch.terminated | self.batch.truncated))
        if not self._all_random:
            self._others(report=True)
        ended = self.terminated | self.truncated
        if ended.any():
            self.met = np.where(self._whole, self.assigned, -1)
            self._whole[ended] = True

    def close(self) -> None:
        """Let the threads go."""
        self.batch.close()

    def _begin(self, seed: int) -> None:
        """New games and new random streams, all from one seed."""
        n = self.batch.num_games
        self.batch.reset(seed)
        self._words = seed_words(seed_word(seed, n), n)
        self._generator = np.random.default_rng(seed_word(seed, n + 1))
        self._whole[:] = True
        self._ready = False

    def _others(self, report: bool = False) -> None:
        """Let the others choose until the learner has to, everywhere, in rounds of the games where it has not."""
        batch = self.batch
        actions = np.zeros(batch.num_games, np.int64)
        while (rows := np.flatnonzero(batch.to_play != self.seats)).size:
            assigned = self.assigned[rows]
            for k in np.unique(assigned):
                mine = rows[assigned == k]
                actions[mine] = self._choose(self._opponents[k], mine)
            batch.step(actions[rows], rows)
            if report:  # only the first end within a step: the learner had no part in another one
                ended = batch.terminated[rows] | batch.truncated[rows]
                self._report(rows[ended & ~self.terminated[rows] & ~self.truncated[rows]])

    def _report(self, ended: NDArray[np.int64]) -> None:
        """Note the ends of these games, (M,) indices, as the learner's."""
        batch = self.batch
        seats = self.seats[ended]
        self.rewards[ended] = batch.rewards[ended, seats]
        self.terminated[ended] = batch.terminated[ended]
        self.truncated[ended] = batch.truncated[ended]
        self.final_observations[ended] = batch.final_observations[ended, seats]

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
