"""The games from which a value is learned: who plays them, the positions at rest in them, and how they ended."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event, Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env.agents.models.model import Floats, ModelInfo, Weights
from react_env.agents.players.learned_value import ValueAgent
from react_env.agents.players.uniform import pick_uniform
from react_env.agents.protocol import AnyAgent
from react_env.engine.game import Game
from react_env.evaluation.matches.playing import Trusted
from react_env.extras import need
from react_env.training.algorithms.compiled import watch
from react_env.training.algorithms.rollouts import Dealt, seed_of_part
from react_env.training.config import TrainConfig

with need("train", "torch"):
    import torch
    from torch import Tensor

_PARTS = 2  # number of tables, whatever the number of threads
_TICK = 0.1  # seconds
Noted = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]  # some positions: games, tables, features


@dataclass
class Games:
    """Finished games: M positions at rest, game by game, each game's in their order."""

    features: Tensor  # (M, P, F) float32
    tables: Tensor  # (M,) int64
    last: NDArray[np.bool_]  # (M,) the last of its game
    results: Floats  # (M, P) of its game: 1, shared among those with the highest reward, and 0 for the others

    @classmethod
    def of(cls, seen: Sequence[Seen]) -> Games | None:
        """The games that are over at some tables, or None if there are none."""
        found = [games for one in seen if (games := one.finished()) is not None]
        if len(found) < 2:
            return found[0] if found else None
        return cls(
            torch.cat([games.features for games in found]),
            torch.cat([games.tables for games in found]),
            np.concatenate([games.last for games in found]),
            np.concatenate([games.results for games in found]),
        )


class Table:
    """Games that follow each other without end: who plays them, what was seen in them, and which are over."""

    def __init__(self, game: Game, envs: int, *, seed: int, threads: int, part: int = 0) -> None:
        """`part`: the number of this table among several with the same seed."""
        self.batch = game.batch(envs, seed=seed_of_part(seed, part) if part else seed, threads=threads)
        self.dealt = Dealt(game.num_players - 1 - np.arange(envs) % game.num_players)
        self.over = 0  # how many games are over so far
        self._rng = np.random.default_rng((seed, 3, part))
        self._keeps = np.random.default_rng((seed, 7, part))  # chooses the positions to keep
        self._tables = game.tables
        self._watch = watch(game)
        self._rows = np.empty(envs, np.int64)
        self._out = np.empty((envs, game.num_players, len(game.heuristics.feature_names)), np.float32)
        self._number = np.arange(envs)  # the number of the game in each place
        self._seen: list[Noted] = []
        self._share = 1.0  # share of the positions that are noted
        self.held = 0  # how many numbers their features have, since the last `take`
        self._results: dict[int, Floats] = {}

    def over_of(self, games: int) -> int:
        """How many of the first `games` games to begin are over."""
        return min(games, int(self._number.max()) + 1) - int((self._number < games).sum())

    def thin(self) -> None:
        """Forget half of the positions, chosen at random, and note only half as many from now on."""
        self._share /= 2
        self._seen = [self._some(seen, 0.5) for seen in self._seen]
        self.held = sum(features.size for _, _, features in self._seen)

    def _some(self, seen: Noted, share: float) -> Noted:
        kept = self._keeps.random(len(seen[0])) < share
        games, tables, features = (column[kept] for column in seen)
        return games, tables, features

    def play(
        self, agent: Any, exploration: float = 0.0, opponents: Sequence[AnyAgent] = (), locks: Sequence[Lock] = ()
    ) -> int:
        """Note the positions at rest and play one decision in each game; each of `agent`'s is random with probability `exploration`.
        Returns how many were the agent's. An opponent chooses under its lock, because it may play at other tables, too."""
        self.look()
        batch = self.batch
        own = self.dealt.own(batch.to_play)
        actions = np.empty(len(own), np.int64)
        for number, rows in self.dealt.theirs(own):
            with locks[number]:
                actions[rows] = Trusted(opponents[number]).choose(batch, rows, self._rng)[0]
        astray = own & (self._rng.random(len(own)) < exploration)
        if astray.any():
            actions[astray] = pick_uniform(batch.action_masks[astray], self._rng)
        rows = np.flatnonzero(own & ~astray)
        actions[rows] = Trusted(agent).choose(batch, rows, self._rng)[0]
        self.step(actions)
        self.dealt.end(batch.terminated | batch.truncated, batch.rewards)
        return int(own.sum())

    def look(self) -> None:
        """Note the positions at rest."""
        count = self._watch(self.batch.states, self._tables, self._rows, self._out)
        rows = self._rows[:count]
        seen = self._number[rows], self.batch.states["table"][rows].astype(np.int64), self._out[:count].copy()
        self._seen.append(seen if self._share == 1.0 else self._some(seen, self._share))
        self.held += self._seen[-1][2].size

    def step(self, actions: NDArray[np.int64]) -> None:
        """Play one decision in each game."""
        batch = self.batch
        batch.step(actions)
        over = np.flatnonzero(batch.terminated | batch.truncated)
        for place in over:
            best = batch.rewards[place] == batch.rewards[place].max()
            self._results[int(self._number[place])] = (best / best.sum()).astype(np.float32)
        self._number[over] = self._number.max() + 1 + np.arange(len(over))
        self.over += len(over)

    def take(self) -> Seen:
        """What was seen since the last call, and the results of the games that have ended since then."""
        seen = Seen(self._seen, self._results)
        self._seen, self._results, self.held = [], {}, 0
        return seen

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_tables", "_watch")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._tables, self._watch = self.batch.game.tables, watch(self.batch.game)


@dataclass
class Seen:
    """Positions at rest, in games that are over and in others."""

    positions: list[Noted]
    results: dict[int, Floats]  # number of each game that is over -> (P,)

    def finished(self) -> Games | None:
        """Remove and return the games that are over; None if there are none."""
        if not self.results or not self.positions:
            return None
        numbers, tables, features = (np.concatenate(column) for column in zip(*self.positions, strict=True))
        over = np.isin(numbers, list(self.results))
        self.positions = [(numbers[~over], tables[~over], features[~over])]
        order = np.flatnonzero(over)[np.argsort(numbers[over], kind="stable")]
        numbers = numbers[order]
        ended, self.results = self.results, {}
        if not len(numbers):
            return None
        results = np.stack([ended[number] for number in numbers.tolist()])
        last = np.append(numbers[1:] != numbers[:-1], True)
        return Games(torch.from_numpy(features[order]), torch.from_numpy(tables[order]), last, results)

    def and_then(self, later: Seen) -> Seen:
        """What `finished` has left, and what was seen in the same games since."""
        return Seen([*self.positions, *later.positions], {**self.results, **later.results})


def parts_of(config: TrainConfig, parts: int) -> list[NDArray[np.int64]]:
    """The numbers of the games at each table: `config.parts` tables, or else `parts`, and no more than there are games."""
    return np.array_split(np.arange(config.envs), min(config.parts or parts, config.envs))


def player(game: Game, config: TrainConfig, info: ModelInfo, weights: Weights, threads: int = 1) -> ValueAgent:
    """The agent that plays while the value is learned."""
    return ValueAgent(game, weights, info, threads=threads, **looks(game, config))


def looks(game: Game, config: TrainConfig) -> dict[str, Any]:
    """How the agents of a run look ahead: keywords of `ValueAgent`."""
    playout = game.heuristics.search.get("playout", 0)
    return {
        "worlds": config.look_worlds,
        "width": config.plan_width,
        "budget": config.look_budget,
        "playout": playout,
    }


class Tables:
    """The tables of a learner on this machine, each played by a thread. They wait for each other only at the end of a rollout."""

    def __init__(self, game: Game, config: TrainConfig, info: ModelInfo, weights: Weights, *, seed: int) -> None:
        self._config = config
        self._rows = parts_of(config, _PARTS)
        threads = -(-config.threads // len(self._rows))
        self._tables = [
            Table(game, len(rows), seed=seed, threads=threads, part=part) for part, rows in enumerate(self._rows)
        ]
        self._agents = [player(game, config, info, weights, threads) for _ in self._tables]
        self._playing = ThreadPoolExecutor(min(config.threads, len(self._rows)))

    def deal(self, opponents: Sequence[AnyAgent], assigned: NDArray[np.int64]) -> None:
        """From now on, play game i against opponents[assigned[i]], or against itself if that is SELF."""
        self._opponents = opponents
        self._locks = [Lock() for _ in opponents]
        for table, rows in zip(self._tables, self._rows, strict=True):
            table.dealt.deal(assigned[rows], [id(opponent) for opponent in opponents])

    @property
    def results(self) -> dict[int, list[float]]:
        """Number of an opponent -> the learner's results against it since `deal`."""
        return together(table.dealt.results for table in self._tables)

    def play(self, weights: Weights, tick: Callable[[], bool]) -> tuple[int, list[Seen]]:
        """Play a rollout at each table with these weights. Returns the number of the learner's decisions, and what was seen. If `tick`
        returns False, it ends early."""
        stop = Event()

        def rollout(table: Table, agent: ValueAgent) -> int:
            agent.set_weights(weights)
            own = 0
            for _ in range(self._config.rollout):
                own += table.play(agent, self._config.exploration, self._opponents, self._locks)
                if stop.is_set():
                    break
            return own

        playing = [self._playing.submit(rollout, *pair) for pair in zip(self._tables, self._agents, strict=True)]
        try:
            while wait(playing, timeout=_TICK).not_done:
                if not tick():
                    stop.set()
        finally:
            stop.set()
        return sum(own.result() for own in playing), [table.take() for table in self._tables]

    def close(self) -> None:
        """Shut down the threads."""
        self._playing.shutdown()


def together(outcomes: Iterable[dict[int, list[float]]]) -> dict[int, list[float]]:
    """The results against each opponent, from all tables."""
    found: dict[int, list[float]] = {}
    for part in outcomes:
        for number, results in part.items():
            found[number] = found.get(number, []) + results
    return found
