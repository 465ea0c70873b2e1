"""Many games at once, each with its own agents, seats and deal: a place is given its next game as soon as its game ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from react_env.engine.rng import seed_word
from react_env.evaluation.arrays import Ints
from react_env.evaluation.matches.playing import SLOTS, Playing, Step
from react_env.evaluation.matches.records import A_FORFEITED, B_FORFEITED, NOBODY

if TYPE_CHECKING:
    from react_env.agents.process.guard import Chooser, Fault


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
    table: int  # which table of the game was used, see `setting_names`
    result: int
    cut: bool
    forfeit: int
    turns: int
    decisions: int
    fault: Fault | None = None  # why it was forfeited


def setting_names(game: Any) -> tuple[str, ...]:
    """What the players have, player 0's first, for each table of the game: "calligrapher - dancer"; "" if they have no such thing."""
    return tuple(game.rules.tables.names) or ("",) * len(game.tables)


def play_jobs(
    game: Any,
    choosers: Mapping[int, Chooser],
    jobs: Iterable[Job],
    *,
    seed: int | Sequence[int] = 0,
    threads: int = 1,
    slots: int = SLOTS,
) -> Iterator[list[Row]]:
    """Play all `jobs` to the end, up to `slots` at once; after every step yield the games that have just ended, often none.

    Args:
        game: the rules.
        choosers: the agents, by the numbers that jobs name. Each is asked once a step, for all games in which it is to move.
        jobs: taken one by one when there is a place for them, so it may be a generator that decides late. A job that follows a game at its
            place is taken after that game has been yielded.
        seed: seed of the agents' random generators, one for each agent. The same arguments give the same games.
        threads: threads of the batch.
        slots: games at once.

    An agent that fails (see `react_env.agents.process.guard`) forfeits that game, which ends at once.
    """
    waiting = iter(jobs)
    begin = list(islice(waiting, slots))
    if not begin:
        return
    words = list(seed) if isinstance(seed, Sequence) else [seed]
    rngs = {k: np.random.default_rng((*words, k)) for k in choosers}
    with Playing(game, choosers, rngs, len(begin), threads=threads) as playing:
        at = _Jobs(playing, game.num_players)
        at.deal(np.arange(len(begin)), begin)
        for step in playing.steps():
            at.decisions[step.rows[~step.failed]] += 1
            ended = np.flatnonzero(step.over)
            yield [at.row(step, i) for i in ended.tolist()]
            if len(ended):
                at.deal(step.rows[ended], list(islice(waiting, len(ended))))


class _Jobs:
    """Which job is played at each place."""

    def __init__(self, playing: Playing, players: int) -> None:
        places = len(playing.batch)
        self.playing = playing
        self.players = players
        self.jobs: list[Job | None] = [None] * places
        self.decisions = np.zeros(places, np.int64)
        self.tables = np.zeros(places, np.int64)

    def deal(self, free: Ints, jobs: Sequence[Job]) -> None:
        """Begin a job at each of the `free` places while there are jobs: the records become those of ``game.new(seed)``."""
        free = free[: len(jobs)]
        agents = np.array([[job.b] * self.players for job in jobs], np.int64).reshape(len(jobs), self.players)
        for place, job, seated in zip(free.tolist(), jobs, agents, strict=True):
            self.jobs[place] = job
            seated[job.seat] = job.a
        self.decisions[free] = 0
        self.playing.begin(free, np.array([seed_word(job.seed) for job in jobs], np.uint64), agents)
        self.tables[free] = self.playing.batch.states["table"][free]

    def row(self, step: Step, i: int) -> Row:
        """How the i-th game of a step ended."""
        place, truncated, failed = int(step.rows[i]), bool(step.truncated[i]), bool(step.failed[i])
        job = self.jobs[place]
        assert job is not None
        forfeit, result = NOBODY, 0
        if failed:
            forfeit, result = (A_FORFEITED, -1) if step.players[i] == job.seat else (B_FORFEITED, 1)
        elif not truncated:
            result = int(np.sign(self.playing.batch.rewards[place, job.seat]))
        turns, decisions = int(step.turns[i]), int(self.decisions[place])
        return Row(job, int(self.tables[place]), result, truncated, forfeit, turns, decisions, step.faults.get(place))
