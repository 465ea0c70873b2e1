"""Games from which the learner learns in every seat that it holds: decisions, and the reward and the advantage of each.

The rules say which side decides next; the sides do not alternate. Credit therefore follows the decisions of one seat: the successor of a
decision is the next one of the same player in the same game, however many decisions of others lie between. The result of the game goes to
the last decision of each seat, as that seat's own reward. Decisions whose successor is not known when an update is due are kept for the
next one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env.agents.models.model import Floats
from react_env.agents.players.neural import select
from react_env.engine.compile import njit
from react_env.engine.game import Game
from react_env.evaluation.matches.playing import Trusted
from react_env.training.algorithms.shaping import potentials_of
from react_env.training.config import TrainConfig

SELF = -1  # the number of the opponent in a game in which the learner holds all seats
_OPEN = -1  # the decision that follows is not known yet
_LAST = -2  # none follows: the game ended

Evaluate = Callable[[NDArray[np.int8], NDArray[np.bool_], NDArray[Any]], tuple[Floats, Floats]]
Tells = Callable[[NDArray[Any], NDArray[np.int64], NDArray[np.bool_], np.random.Generator], Floats]

_STAYS = ("game", "_beside", "_tells")  # left out when rollouts are pickled


def seed_of_part(seed: int, part: int) -> int:
    """The seed of the games in one part of a run that begins with `seed`."""
    return int(np.random.SeedSequence((seed, part)).generate_state(1, np.uint64)[0] >> 1)


class Dealt:
    """Who plays whom in N games, and the learner's results against each opponent, from games that were against it throughout.

    Attributes:
        seats: (N,) the learner's seat, for games that it shares with others.
        assigned: (N,) the number of the opponent in each game; SELF: the learner holds all seats.
        results: number of an opponent -> the learner's results against it since `deal`.
    """

    def __init__(self, seats: NDArray[np.int64]) -> None:
        self.seats = seats
        self.assigned = np.full(len(seats), SELF)
        self.results: dict[int, list[float]] = {}
        self._names: list[Hashable] = [None] * len(seats)  # the opponent in each game
        self._whole = np.zeros(len(seats), np.bool_)  # whether the current game was against it throughout

    def deal(self, assigned: NDArray[np.int64], names: Sequence[Hashable]) -> None:
        """From now on, play game i against the opponent assigned[i]. `names` identify the opponents across calls. Games go on."""
        after = [names[k] if k != SELF else None for k in assigned.tolist()]
        self._whole &= np.array([one == other for one, other in zip(self._names, after, strict=True)])
        self.assigned, self._names, self.results = assigned, after, {}

    def own(self, to_play: NDArray[Any]) -> NDArray[np.bool_]:
        """(N,) whether the learner is to move in each game; `to_play` (N,) seats."""
        return (self.assigned == SELF) | (to_play == self.seats)

    def theirs(self, own: NDArray[np.bool_]) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield each opponent that is to move, and the games in which it is; `own` (N,) are those in which the learner is."""
        for number in np.unique(self.assigned[~own]).tolist():
            yield number, np.flatnonzero(~own & (self.assigned == number))

    def end(self, ended: NDArray[np.bool_], rewards: NDArray[Any]) -> None:
        """Note the results of the games that have ended, (N,); rewards (N, P)."""
        for i in np.flatnonzero(ended & self._whole & (self.assigned != SELF)).tolist():
            self.results.setdefault(int(self.assigned[i]), []).append(float(rewards[i, self.seats[i]]))
        self._whole |= ended


@dataclass(frozen=True)
class Rollout:
    """D decisions of the learner, ready for an update. The arrays are reused by the next `collect`."""

    observations: NDArray[np.int8]  # (D, O)
    masks: NDArray[np.bool_]  # (D, A)
    actions: NDArray[np.int64]  # (D,)
    log_probs: Floats  # (D,) of the action, when it was drawn
    values: Floats  # (D,) what the network expected then
    advantages: Floats  # (D,) generalized advantage estimates (Schulman et al., 2016)
    features: NDArray[Any]  # (D,) for each, the features of its legal actions, float16 (legal actions, F); or (0,)
    complete: NDArray[np.int64]  # indices of the decisions to learn from; the others wait for what follows them

    @classmethod
    def together(cls, parts: Sequence[Rollout]) -> Rollout:
        """Several rollouts as one."""
        if len(parts) == 1:
            return parts[0]
        begins = np.cumsum([0, *(len(part.actions) for part in parts[:-1])])
        whole = {name: np.concatenate([getattr(part, name) for part in parts]) for name in (*_TOLD, "complete")}
        whole["complete"] += np.repeat(begins, [len(part.complete) for part in parts])
        return cls(**whole)


_TOLD = tuple(field.name for field in fields(Rollout) if field.name != "complete")


class _Decisions:
    """Room for decisions of the learner: the arrays of a `Rollout`, and those from which the advantages are computed."""

    def __init__(self, game: Game, room: int, tells: bool) -> None:
        self.observations = np.zeros((room, *game.observation_shape), np.int8)
        self.masks = np.zeros((room, game.num_actions), np.bool_)
        self.features = np.empty(room * tells, object)
        self.actions = np.zeros(room, np.int64)
        self.log_probs, self.values, self.rewards, self.potentials, self.advantages = np.zeros((5, room), np.float32)
        self.games, self.seats, self.follows = np.zeros((3, room), np.int64)

    def keep(self, rows: NDArray[np.int64]) -> None:
        """Move these rows to the beginning and drop all others."""
        for array in vars(self).values():
            if len(array):
                array[: len(rows)] = array[rows]

    def first(self, count: int) -> dict[str, NDArray[Any]]:
        """Views of the first `count` decisions, by the names of the arrays."""
        return {name: array[:count] for name, array in vars(self).items()}


@njit
def _follow(
    games: Any, seats: Any, first: Any, phi: Any, gamma: Any, last: Any, follows: Any, rewards: Any, potentials: Any
) -> None:
    """Link decisions first, first + 1, ..., made in `games` by `seats`, to the last ones of the same seats."""
    for k in range(games.shape[0]):
        g, p, j = games[k], seats[k], first + k
        i = last[g, p]
        if i >= 0:
            follows[i] = j
            rewards[i] += gamma * phi[k] - potentials[i]
        last[g, p] = j
        follows[j] = _OPEN
        rewards[j] = 0.0
        potentials[j] = phi[k]


@njit
def _finish(
    ended: Any, results: Any, truncated: Any, stalemate: Any, last: Any, follows: Any, rewards: Any, potentials: Any
) -> None:
    """Give the results of the games `ended`, which are over, to the last decision of each seat."""
    for k in range(ended.shape[0]):
        g = ended[k]
        for p in range(last.shape[1]):
            i = last[g, p]
            if i >= 0:
                rewards[i] += results[g, p] - potentials[i] - (stalemate if truncated[g] else 0.0)
                follows[i] = _LAST
                last[g, p] = -1


@njit
def _advantages(
    count: Any, follows: Any, rewards: Any, values: Any, gamma: Any, gae_lambda: Any, advantages: Any
) -> None:
    """Fill advantages (count,), with 0 for decisions whose successor is not known yet."""
    for j in range(count - 1, -1, -1):
        i = follows[j]
        if i == _LAST:
            advantages[j] = rewards[j] - values[j]
        elif i == _OPEN:
            advantages[j] = 0.0
        else:
            advantages[j] = rewards[j] + gamma * values[i] - values[j] + gamma * gae_lambda * advantages[i]


class Rollouts:
    """N games that the learner plays against itself and against others.

    Args:
        game: the rules.
        config: of the run. It sets the number of decisions in each game between two updates, whoever makes them (`rollout`), the shaping
            of the rewards, and how decisions are credited.
        count: N.
        seed: of the games and of every choice; threads: of the games.
        tells: (states (M,), players (M,), masks (M, A), generator) -> features of each legal action, row by row in the order of the masks.
    """

    def __init__(
        self,
        game: Game,
        config: TrainConfig,
        count: int,
        *,
        seed: int,
        threads: int = 1,
        tells: Tells | None = None,
    ) -> None:
        self.game = game
        self.batch = game.batch(count, seed=seed, threads=threads)
        self._config = config
        self._beside = ThreadPoolExecutor(1)  # opponents choose while the learner does
        self._rng, self._opponents_rng = np.random.default_rng((seed, 4)), np.random.default_rng((seed, 7))
        self._dealt = Dealt(np.arange(count) % game.num_players)
        self._opponents: list[Any] = []
        self._room = count * (config.rollout + game.num_players)  # for new decisions, and for those left over
        self._noted = _Decisions(game, self._room, tells is not None)
        self._tells = tells
        self._last = np.full((count, game.num_players), -1, np.int64)
        self._count = 0

    def deal(
        self, opponents: Sequence[Any], assigned: NDArray[np.int64], names: Sequence[Hashable] | None = None
    ) -> None:
        """From now on, play game i against opponents[assigned[i]], or against itself if that is SELF. Games go on.

        `names` identify the opponents across calls, if the same one may come as another object.
        """
        self._dealt.deal(assigned, [id(opponent) for opponent in opponents] if names is None else names)
        self._opponents = list(opponents)

    @property
    def results(self) -> dict[int, list[float]]:
        """Number of an opponent -> the learner's results against it since `deal`."""
        return self._dealt.results

    def collect(self, evaluate: Evaluate, tick: Callable[[], bool] = lambda: True) -> Rollout:
        """Play the decisions of a rollout in every game. `evaluate`: observations (M, O), masks (M, A) and the features of the legal
        actions -> logits (M, A) and values (M,).

        Ends early if `tick`, called after each round, returns False.
        """
        self._keep_open()
        batch, noted, config = self.batch, self._noted, self._config
        chosen = np.zeros(batch.num_games, np.int64)
        for _ in range(config.rollout):
            own = self._dealt.own(batch.to_play)
            theirs = self._beside.submit(self._choose_for_opponents, own, chosen)
            try:
                rows = np.flatnonzero(own)
                chosen[rows] = self._decide(rows, evaluate)
            finally:
                theirs.result()
            batch.step(chosen)
            ended = batch.terminated | batch.truncated
            if ended.any():
                _finish(
                    np.flatnonzero(ended),
                    batch.rewards,
                    batch.truncated,
                    config.stalemate,
                    self._last,
                    noted.follows,
                    noted.rewards,
                    noted.potentials,
                )
                self._dealt.end(ended, batch.rewards)
            if not tick():
                break
        n = self._count
        _advantages(n, noted.follows, noted.rewards, noted.values, config.gamma, config.gae_lambda, noted.advantages)
        found, complete = noted.first(n), np.flatnonzero(noted.follows[:n] != _OPEN)
        return Rollout(**{name: found[name] for name in _TOLD}, complete=complete)

    def __getstate__(self) -> dict[str, Any]:
        """What is needed to go on: the games, the decisions without a successor, and the random streams; no threads and no opponents."""
        self._keep_open()
        kept = {name: value for name, value in self.__dict__.items() if name not in _STAYS}
        return kept | {"_noted": self._noted.first(self._count), "_opponents": []}

    def __setstate__(self, state: dict[str, Any]) -> None:
        kept = state.pop("_noted")
        self.__dict__.update(state)
        self.game = self.batch.game
        self._tells = None
        self._noted = _Decisions(self.game, self._room, False)
        for name, array in self._noted.first(self._count).items():
            array[:] = kept[name]
        self._beside = ThreadPoolExecutor(1)

    def _choose_for_opponents(self, own: NDArray[np.bool_], chosen: NDArray[np.int64]) -> None:
        """Fill `chosen` in the games that wait for an opponent: those that are not the learner's `own`."""
        for number, rows in self._dealt.theirs(own):
            chosen[rows] = Trusted(self._opponents[number]).choose(self.batch, rows, self._opponents_rng)[0]

    def close(self) -> None:
        """Shut down the threads."""
        self._beside.shutdown()
        self.batch.close()

    def _decide(self, rows: NDArray[np.int64], evaluate: Evaluate) -> NDArray[np.int64]:
        """Choose for the learner in the games `rows`, and note its decisions."""
        batch = self.batch
        begin, end = self._count, self._count + len(rows)
        part, noted = slice(begin, end), self._noted
        # "clip" writes straight into `out`; "raise" would go through a copy. All rows exist.
        np.take(batch.observations, rows, 0, out=noted.observations[part], mode="clip")
        np.take(batch.action_masks, rows, 0, out=noted.masks[part], mode="clip")
        seats = batch.to_play[rows].astype(np.int64)
        if self._tells is not None:
            told = self._tells(batch.states[rows], seats, noted.masks[part], self._rng).astype(np.float16)
            for k, share in enumerate(np.split(told, noted.masks[part].sum(1).cumsum()[:-1]), begin):
                noted.features[k] = share
        logits, noted.values[part] = evaluate(noted.observations[part], noted.masks[part], noted.features[part])
        uniform = self._rng.random(len(rows))
        select(logits, noted.masks[part], uniform, 1.0, noted.actions[part], noted.log_probs[part])
        noted.games[part], noted.seats[part] = rows, seats
        config, phi = self._config, np.zeros(len(rows))
        if config.shaping:
            phi = config.shaping * potentials_of(self.game, batch.states, seats, rows)
        _follow(rows, seats, begin, phi, config.gamma, self._last, noted.follows, noted.rewards, noted.potentials)
        self._count = end
        return noted.actions[part]

    def _keep_open(self) -> None:
        """Move the decisions whose successor is not known yet to the beginning, and forget the others."""
        noted = self._noted
        waiting = np.flatnonzero(noted.follows[: self._count] == _OPEN)
        n = len(waiting)
        noted.keep(waiting)
        self._last[:] = -1
        self._last[noted.games[:n], noted.seats[:n]] = np.arange(n)
        self._count = n
