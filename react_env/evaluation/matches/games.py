"""Many games at once, each with its own agents, seats and deal, all of them played to the end.

A place of the batch is given its next game as soon as its game ends. No game is given up because it is long, so that short games do not
count for more than their share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from react_env.engine.rng import seed_word
from react_env.evaluation.matches.records import A_FORFEITED, B_FORFEITED, NOBODY

if TYPE_CHECKING:
    from react_env.agents.process.guard import Chooser, Fault

SLOTS = 2048  # games at once


@dataclass(frozen=True, slots=True)
class Job:
    """A game to be played: agent `a` at `seat`, agent `b` at all others, the deal of ``game.new(seed)``."""

    a: int  # number of an agent
    b: int
    seed: int
    seat: int


@dataclass(frozen=True, slots=True)
class Row:
    """How a game ended; the columns are those of `react_env.evaluation.matches.records.Games`."""

    job: Job
    table: int  # the table of the game by which it was played, see `setting_names`
    result: int
    cut: bool
    forfeit: int
    turns: int
    decisions: int
    fault: Fault | None = None  # why it was forfeited


def setting_names(game: Any) -> tuple[str, ...]:
    """What the players have, player 0's first, for each table of the game: "calligrapher - dancer"; "" where there is no such thing."""
    return tuple(game.rules.tables.names) or ("",) * len(game.tables)


def play_jobs(
    game: Any,
    choosers: Mapping[int, Chooser],
    jobs: Iterable[Job],
    *,
    finished: Callable[[list[Row]], None],
    seed: int | Sequence[int] = 0,
    threads: int = 1,
    slots: int = SLOTS,
) -> None:
    """Play all `jobs` to the end, up to `slots` at once.

    Args:
        game: the rules.
        choosers: the agents, by the numbers that jobs name. Each is asked once a step, for all games in which it is to move.
        jobs: taken one by one when there is a place for them, so it may be a generator that decides late.
        finished: called after every step with the games that have just ended, often none, before more jobs are taken.
        seed: of the agents' chance: one generator for each of them. The same arguments give the same games.
        threads: of the batch.
        slots: games at once.

    An agent that fails (see `react_env.agents.process.guard`) has lost that game, which ends there.
    """
    waiting = iter(jobs)
    begin = list(islice(waiting, slots))
    if not begin:
        return
    places = _Places(game, len(begin), threads)
    words = list(seed) if isinstance(seed, Sequence) else [seed]
    rngs = {k: np.random.default_rng((*words, k)) for k in choosers}
    places.deal(np.arange(len(begin)), begin)
    playing = np.arange(len(begin))
    try:
        while len(playing):
            asked = places.agents[playing, places.batch.to_play[playing]]
            actions = np.zeros(len(playing), np.int64)
            failed = np.zeros(len(playing), np.bool_)
            faults: dict[int, Fault] = {}  # by place
            for k, chooser in choosers.items():
                if len(mine := np.flatnonzero(asked == k)):
                    known = len(chooser.faults)
                    actions[mine], failed[mine] = chooser.choose(places.batch, playing[mine], rngs[k])
                    faults |= zip(playing[mine][failed[mine]].tolist(), chooser.faults[known:])
            rows = places.step(playing, actions, failed, faults)
            finished([row for _, row in rows])
            if rows:
                free = np.array([place for place, _ in rows])
                begin = list(islice(waiting, len(free)))
                places.deal(free[: len(begin)], begin)
                if len(begin) < len(free):
                    playing = playing[~np.isin(playing, free[len(begin) :])]
    finally:
        places.batch.close()


class _Places:
    """The places of a batch, and which job is played at each."""

    def __init__(self, game: Any, count: int, threads: int) -> None:
        self.game = game
        self.batch = game.batch(num_games=count, seed=0, threads=threads)
        self.jobs: list[Job | None] = [None] * count
        self.agents = np.zeros((count, game.num_players), np.int64)  # who sits where
        self.decisions = np.zeros(count, np.int64)
        self.tables = np.zeros(count, np.int64)
        self.counts_turns = "turn" in (self.batch.states.dtype.names or ())

    def deal(self, places: NDArray[np.int64], jobs: Sequence[Job]) -> None:
        """Begin a job at each of `places` (M,): the records become those of ``game.new(seed)``."""
        if not jobs:
            return
        batch = self.batch
        for place, job in zip(places, jobs):
            self.jobs[place] = job
            self.agents[place] = job.b
            self.agents[place, job.seat] = job.a
        self.decisions[places] = 0
        batch.start(places, np.array([seed_word(job.seed) for job in jobs], np.uint64))
        self.tables[places] = batch.states["table"][places]

    def step(
        self,
        playing: NDArray[np.int64],
        actions: NDArray[np.int64],
        failed: NDArray[np.bool_],
        faults: dict[int, Fault],
    ) -> list[tuple[int, Row]]:
        """Take an action (M,) at each of the places `playing` (M,) but where the agent `failed` (M,).

        Returns the places at which a game ended, and how.
        """
        batch = self.batch
        # A game that ends starts again within the step, so what is told of it is read before.
        turns = batch.states["turn"][playing] if self.counts_turns else np.zeros(len(playing), np.int64)
        movers = batch.to_play[playing]
        if failed.any():
            actions, going = actions[~failed], playing[~failed]
        else:
            going = playing
        batch.step(actions, going)
        self.decisions[going] += 1
        truncated = batch.truncated[playing]
        ended = []
        for i in np.flatnonzero(batch.terminated[playing] | truncated | failed):
            place = int(playing[i])
            job = self.jobs[place]
            assert job is not None
            forfeit, result = NOBODY, 0
            if failed[i]:
                forfeit, result = (A_FORFEITED, -1) if movers[i] == job.seat else (B_FORFEITED, 1)
            elif not truncated[i]:
                result = int(np.sign(batch.rewards[place, job.seat]))
            row = Row(
                job,
                int(self.tables[place]),
                result,
                bool(truncated[i] and not failed[i]),
                forfeit,
                int(turns[i]),
                int(self.decisions[place]),
                faults.get(place),
            )
            ended.append((place, row))
        return ended
