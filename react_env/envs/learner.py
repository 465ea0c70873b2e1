"""Games in which one seat learns and others play inside the step: the common part of all single-agent adapters over a Batch.

The learner sees only its own decisions. A step takes its action in every game and lets the others play until the learner has to choose
again, in the same game or in the next one. A reward that an opponent's move brings, such as most losses, comes with the learner's last
action before that move.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from react_env.agents.protocol import are_legal, choose, memories, name_of, remember, what_lacks
from react_env.engine.batch import array_of, check_count, seed_words
from react_env.engine.game import Game, a_game
from react_env.engine.kernels import random_actions
from react_env.engine.rng import as_seed, is_integer, random_seed, seed_word
from react_env.errors import BatchError, IllegalAction, OptionError, StateError

RANDOM = "random"
Seats = Literal["both"] | int

Illegal = Literal["raise", "lose"]  # what an illegal action does: it raises an error, or loses the game
ADVICE = "Choose among the legal actions, which action_mask tells, or make the environment with illegal='lose'."


def check_seats(game: Game, seats: Seats) -> None:
    """Raise OptionError unless `seats` is "both" or one of the game's players."""
    if not (isinstance(seats, str) and seats == "both"):
        check_seat(game, seats, "seats must be 'both' or")


def check_seat(game: Game, seat: Any, must: str) -> None:
    """Raise OptionError unless `seat` is one of the game's players; the message begins with `must`."""
    if not is_integer(seat) or not 0 <= seat < game.num_players:
        raise OptionError(f"{must} a player from 0 to {game.num_players - 1}, not {seat!r}")


def check_illegal(illegal: str) -> None:
    """Raise OptionError unless `illegal` is one of `Illegal`."""
    if illegal not in ("raise", "lose"):
        raise OptionError(f"illegal must be 'raise' or 'lose', not {illegal!r}")


def opponent_of(game: Game, opponent: Any, threads: int = 1) -> Any:
    """The agent for "random", for a name that `agents.load` knows, or for an agent itself. OptionError for anything else."""
    if isinstance(opponent, str):
        from react_env import agents  # slow to import, and often not needed

        return RANDOM if opponent == RANDOM else agents.load(opponent, game, threads=threads)
    if isinstance(opponent, type) or not (hasattr(opponent, "act") or hasattr(opponent, "act_states")):
        raise OptionError(
            f"an opponent is 'random', a name that agents.load knows, or has act or act_states: {opponent!r:.200}"
            + what_lacks(opponent)
        )
    return opponent


def integers_of(opponent: Any, answer: Any, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """The choices of an opponent as an array of this shape. BatchError, which names the opponent, for anything but integers."""
    name = f"the opponent, {name_of(opponent)},"
    chosen = array_of(f"what {name} chose", answer)
    if chosen.shape != shape or chosen.dtype.kind not in "iu":
        raise BatchError(f"{name} must choose integers {shape}, not {chosen.dtype} {chosen.shape}")
    return chosen


class LearnerGames:
    """`num_games` games of a Batch, each waiting for its learner.

    Args:
        game: the rules.
        num_games: N.
        opponents: "random", another name that `agents.load` knows, or an agent: an object with act(observations (M, O), action_masks
            (M, A), rng) -> (M,) ids, or with act_states(states (M,), players (M,), rng); or a list of them (see `set_opponents`).
        seed: for the games and the opponents' choices; None draws one from the system.
        threads: of the batch; results do not depend on it.
        seats: the learner's player number; "both": game i has the learner in seat i modulo the number of players, always.
        illegal: "raise": an illegal action of the learner raises IllegalAction; "lose": it loses the game, which ends with that step.
        describe: an `ActionFeatures`, or None.

    Attributes:
        batch: the games; after `ready` its observations and masks are the learner's.
        seats: int8 (N,), the learner's seat in each game.
        assigned: int64 (N,), the number of each game's opponent.
        rewards: float32 (N,), and terminated, truncated: bool (N,), of the last step, for the learner.
        final_observations: int8 (N, O), what the learner saw when its game last ended.
        met: int64 (N,), the number of the opponent in the game that the last step ended, -1 if the opponent changed during it.

    Raises:
        OptionError: an impossible seed, seat, opponent or value of `illegal`.
        BatchError: num_games or threads below 1.
    """

    def __init__(
        self,
        game: Game,
        num_games: int,
        opponents: Any,
        *,
        seed: int | None,
        threads: int,
        seats: Seats,
        illegal: Illegal = "raise",
        describe: Any = None,
    ) -> None:
        self.game = a_game(game)
        check_count("num_envs", num_games)  # the environments' name for it
        check_seats(game, seats)
        check_illegal(illegal)
        self.illegal, self.describe = illegal, describe
        self._seed = random_seed() if seed is None else as_seed(seed)
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
        self._whole = np.ones(n, np.bool_)  # whether the present opponent has played the whole present game
        self._ready = self._broken = False
        self._begin(self._seed)
        listed = isinstance(opponents, Sequence) and not isinstance(opponents, str)
        self.set_opponents(opponents if listed else [opponents])

    def set_opponents(self, opponents: Sequence[Any], assignment: ArrayLike | None = None) -> None:
        """Change the opponents from the next step on; the games continue.

        Args:
            opponents: agents and names as in the constructor.
            assignment: integers (N,), the number of each game's opponent. None gives each group of as many
                neighbouring games as there are seats the same one, so that every opponent meets the learner in every seat.

        Raises:
            OptionError: no opponents, an object that is not an opponent, or an assignment of wrong shape or range.
        """
        if not opponents:
            raise OptionError("at least one opponent is needed")
        opponents = [opponent_of(self.game, one, self.batch.threads) for one in opponents]
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

    def reset(self, seed: int | Sequence[int | None] | None = None) -> None:
        """Start all games anew: with a seed the same games each time, without one the next games of the last seed.

        A sequence is a seed for each game (see `start`). Raises OptionError if a single seed is not an integer.
        """
        listed = seed if isinstance(seed, Sequence) else ()
        if listed:
            given = [int(one) for one in listed if one is not None]
            seed = reduce(seed_word, given, 0) if given else None
        if seed is not None:
            self._seed, self._resets = as_seed(seed), 0  # type: ignore[arg-type]
        self._begin(seed_word(self._seed, self._resets) if self._resets else self._seed)
        self._resets += 1
        self._ready = bool(listed) and None not in listed  # `start` below deals all of them
        self.ready()
        if listed:
            self.start(self._rows, listed)

    def ready(self) -> None:
        """At the start of the games, let the players move who come before the learner."""
        if self._broken:
            raise StateError("an opponent failed to choose in the last step: call reset()")
        if self._ready:
            return
        if self._all_random:
            self.batch.step_against_random(None, self.seats, self._words)
        else:
            self._others()
        self._ready = True

    def start(self, where: NDArray[np.int64], seeds: Sequence[int | None] | None = None) -> None:
        """Start the games `where`, (M,), anew, each up to the learner's first decision.

        Args:
            seeds: (M,), each deals the same game at any place; None continues the game's random stream, as after an end.
        """
        batch = self.batch
        words = batch.states["rng"][where]
        for k, seed in enumerate(seeds or ()):
            if seed is not None:
                words[k], self._words[where[k]] = seed_word(int(seed)), seed_word(int(seed), 1)
        batch.start(where, words)
        self._whole[where] = True
        if self._all_random:
            batch.step_against_random(None, self.seats, self._words, where)
        else:
            self._others()

    def step(self, actions: ArrayLike, where: NDArray[np.int64] | None = None) -> None:
        """Take the learner's ids (N,), or (M,) in the games `where`, and play on until it has to choose again.

        Raises:
            IllegalAction: if the action was the learner's, no game has changed.
            BatchError: wrong type or shape; no game has changed.
            StateError: an opponent was interrupted, or failed, in the previous step.
        """
        self.ready()
        if actions is None:
            raise BatchError("actions must be integers, an id for each game, not None")
        lost = self._rows[:0]
        if self.illegal == "lose":
            actions, where, lost = self._without_illegal(actions, where)
        try:
            if self._all_random:
                self.batch.step_against_random(actions, self.seats, self._words, where)
            else:
                self.batch.step(actions, where)
        except IllegalAction as error:
            error.add_note(ADVICE)
            raise
        self.rewards[:] = 0
        self.terminated[:] = False
        self.truncated[:] = False
        self._report(np.flatnonzero(self.batch.terminated | self.batch.truncated))
        if not self._all_random:
            self._others(report=True)
        ended = self.terminated | self.truncated
        if ended.any() or lost.size:
            self.met = np.where(self._whole, self.assigned, -1)
            self._whole[ended] = True
        if lost.size:
            self.rewards[lost] = -1
            self.terminated[lost] = True
            self.final_observations[lost] = self.batch.observations[lost]
            self.start(lost)

    def cut(self, where: NDArray[np.int64]) -> None:
        """After a step: cut short the games `where`, (M,), none of which has ended by itself, and start them anew."""
        self.truncated[where] = True
        self.met[where] = np.where(self._whole[where], self.assigned[where], -1)
        self.final_observations[where] = self.batch.observations[where]
        self.start(where)

    def action_features(self) -> NDArray[np.float32]:
        """(N, A, F): what the learner's legal actions lead to, a new array; OptionError unless it was requested."""
        if self.describe is None:
            raise OptionError("this environment was made without action_features=True")
        self.ready()
        batch = self.batch
        return self.describe(batch.states, self.seats.astype(np.int64), batch.action_masks, self._guesses)

    def close(self) -> None:
        """Stop the threads."""
        self.batch.close()

    def __getstate__(self) -> dict[str, Any]:
        """The state, including what the opponents remember of these games."""
        return {**self.__dict__, "_memories": memories(self.batch)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        remember(state["batch"], state.pop("_memories"))
        self.__dict__.update(state)

    def _begin(self, seed: int) -> None:
        """New games and new random streams, all from one seed."""
        n = self.batch.num_games
        self.batch.reset(seed)
        self._words = seed_words(seed_word(seed, n), n)
        self._generator = np.random.default_rng(seed_word(seed, n + 1))
        self._guesses = np.random.default_rng(seed_word(seed, n + 2))
        self._whole[:] = True
        self._ready = self._broken = False

    def _without_illegal(
        self, actions: ArrayLike, where: NDArray[np.int64] | None
    ) -> tuple[ArrayLike, NDArray[np.int64] | None, NDArray[np.int64]]:
        """The arguments of `step` without the games in which the action is illegal, and those games."""
        chosen, rows = array_of("actions", actions), self._rows if where is None else where
        if chosen.shape != rows.shape or chosen.dtype.kind not in "iu":
            return actions, where, self._rows[:0]  # the batch refuses them
        legal = are_legal(self.batch, rows, chosen)
        if legal.all():
            return actions, where, self._rows[:0]
        return chosen[legal], rows[legal], rows[~legal]

    def _others(self, report: bool = False) -> None:
        """Let the others choose, in rounds, until the learner has to choose in every game."""
        batch = self.batch
        actions = np.zeros(batch.num_games, np.int64)
        self._broken = True  # until all have chosen
        while (rows := np.flatnonzero(batch.to_play != self.seats)).size:
            assigned = self.assigned[rows]
            for k in np.unique(assigned):
                mine = rows[assigned == k]
                actions[mine] = self._choices(self._opponents[k], mine)
            batch.step(actions[rows], rows)
            if report:  # only the first end within a step: the learner had no part in a second one
                ended = batch.terminated[rows] | batch.truncated[rows]
                self._report(rows[ended & ~self.terminated[rows] & ~self.truncated[rows]])
        self._broken = False

    def _report(self, ended: NDArray[np.int64]) -> None:
        """Record the ends of these games, (M,) indices, from the learner's side."""
        batch = self.batch
        seats = self.seats[ended]
        self.rewards[ended] = batch.rewards[ended, seats]
        self.terminated[ended] = batch.terminated[ended]
        self.truncated[ended] = batch.truncated[ended]
        self.final_observations[ended] = batch.final_observations[ended, seats]

    def _choices(self, agent: Any, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The agent's ids for these games, (M,). BatchError for non-integers, IllegalAction for illegal ids; both name the agent."""
        if isinstance(agent, str):
            words = self._words[rows]
            chosen = random_actions(self.batch.action_masks[rows], words)
            self._words[rows] = words
            return chosen
        chosen = integers_of(agent, choose(agent, self.batch, rows, self._generator), rows.shape)
        legal = are_legal(self.batch, rows, chosen)
        if not legal.all():
            k = int(np.argmin(legal))
            raise IllegalAction(
                f"the opponent, {name_of(agent)}, chose an illegal action: game {int(rows[k])}, action {int(chosen[k])}"
            )
        return chosen
