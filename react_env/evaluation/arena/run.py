"""The arena: agents play each other, each pair the same deals from every seat, and a store keeps every game.

No game is played again: a new agent plays only its own games, and a run that was stopped continues where it was.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from react_env import agents
from react_env.agents.process.guard import SECONDS, Chooser, guarded
from react_env.agents.protocol import AnyAgent
from react_env.agents.registry import fingerprint
from react_env.errors import OptionError, ReactEnvError
from react_env.evaluation.arena.store import Store, StoredAgent
from react_env.evaluation.arrays import Floats, Ints
from react_env.evaluation.cluster import Cluster, Package, parcel, unpacked
from react_env.evaluation.matches.games import Job, Row, play_jobs, setting_names
from react_env.evaluation.matches.match import MatchResult, Tally, deals
from react_env.evaluation.matches.playing import SLOTS
from react_env.evaluation.matches.records import A_FORFEITED, Games

Pair: TypeAlias = tuple[int, int]  # ids of two agents in the store, the smaller first

ALL = "all"  # in place of a field: every agent of the file
_SIMULATIONS = 16384  # in one step of the batch, roughly
# Fewest places for agents that search by simulations: with fewer, threads often wait for the last search of a step.
_FEWEST = 64
_TIMED = 16  # places for agents that search for a given time
_OWN = 256  # places for agents that run in their own process
_CLAIM = 32  # fewest deals claimed at once
_WAIT = 1.0  # seconds before a run checks again whether other runs have finished their games
_PIECE = 64  # deals of a pair that are played together on another machine


@dataclass
class Progress:
    """How far `Arena.play` has come; every call of `progress` gets the same object, brought up to date.

    Attributes:
        names: names of the A agents.
        played: (A, A) games of the row agent against the column agent, in this run and before it.
        score: (A, A) points of the row agent in those games: 1 for a win, its share of 1 for a tie or a cut game.
        faults: (A,) games forfeited.
        done, total: games of the pairs asked for.
        before: how many of them were done when the run began.
        running: games in progress.
        seconds: seconds since the run began.
        rivals: how many copies of the agent with the higher number play a game; the other agent sits alone among them.
    """

    names: tuple[str, ...]
    played: Ints
    score: Floats
    faults: Ints
    done: int
    total: int
    before: int
    running: int = 0
    seconds: float = 0.0
    rivals: int = 1

    @property
    def rate(self) -> float:
        """Games per second in this run."""
        return (self.done - self.before) / self.seconds if self.seconds > 0 else 0.0

    def add(self, a: NDArray[Any], b: NDArray[Any], result: NDArray[Any], forfeit: NDArray[Any]) -> None:
        """Count M more games, given as columns (M,) of `Games`; agents are numbered as in `names`."""
        points = np.array([1 / (self.rivals + 1), 1.0, 0.0])[result]  # nobody won, won, lost
        for one, other, part in ((a, b, points), (b, a, 1 - points)):
            np.add.at(self.played, (one, other), 1)
            np.add.at(self.score, (one, other), part)
        np.add.at(self.faults, np.where(forfeit == A_FORFEITED, a, b)[forfeit > 0], 1)


class Arena:
    """Agents that play each other.

    Args:
        game: the rules.
        store: keeps the games.
        threads: threads of the batch and of agents that search.
        seconds: time limit for a decision of a user's own agent, see `react_env.agents.process.guard`.
        on_mismatch: whether a model for other rules is refused, or only warned about.
        cluster: machines that play instead of this one. The same seed then gives the same games, however many machines there are.
    """

    def __init__(
        self,
        game: Any,
        store: Store,
        *,
        threads: int = 1,
        seconds: float = SECONDS,
        on_mismatch: Literal["refuse", "warn"] = "refuse",
        cluster: Cluster | None = None,
    ) -> None:
        self.game = game
        self.cluster = cluster
        self.store = store
        self.threads = threads
        self.seconds = seconds
        self.on_mismatch = on_mismatch
        self.agents: dict[int, StoredAgent] = {}  # those loaded and ready to play, by id
        self.messages: list[str] = []  # what a user should be told about agents
        self._choosers: dict[int, Chooser] = {}
        self._places: dict[int, int] = {}  # most games at once

    def add(self, spec: str, agent: AnyAgent | None = None) -> int:
        """Let an agent take part (`agent`, if it is loaded already) and return its id in the store. Errors are those of `agents.load`."""
        if agent is None:
            agent = self._load(spec)
        known = len(self.store.messages)
        stored = self.store.agent(agent.name, spec, fingerprint(spec, self.game))
        self.messages += self.store.messages[known:]
        self._take(stored, agent)
        return stored.id

    def add_all(self) -> list[int]:
        """Let every stored agent take part that still loads and has not changed; return their ids. `messages` explains who is left out."""
        found = []
        for stored in self.store.agents():
            if stored.id not in self.agents:
                try:
                    if fingerprint(stored.spec, self.game) != stored.fingerprint:
                        raise OptionError("it has changed since it played")
                    agent = self._load(stored.spec)
                except (ReactEnvError, OSError) as error:
                    self.messages.append(f"{stored.name} is left out: {error}")
                    continue
                self._take(stored, agent)
            found.append(stored.id)
        return found

    def _load(self, spec: str) -> AnyAgent:
        return agents.load(spec, self.game, threads=self.threads, on_mismatch=self.on_mismatch)

    def _take(self, stored: StoredAgent, agent: AnyAgent) -> None:
        if stored.id in self._choosers:
            return
        self.agents[stored.id] = stored
        self._choosers[stored.id] = guarded(agent, seconds=self.seconds)
        self._places[stored.id] = _places(agent)

    def close(self) -> None:
        """End the agents' processes and give up claims."""
        for chooser in self._choosers.values():
            chooser.close()
        self.store.release()

    def __enter__(self) -> Arena:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def play(
        self,
        pairs: Sequence[Pair],
        games: int,
        *,
        minutes: float | None = None,
        progress: Callable[[Progress], None] = lambda so_far: None,
    ) -> bool:
        """Play until each of `pairs` has `games` games, the same deals from every seat.

        Args:
            pairs: see `round_robin` and `against`.
            games: games of each pair, including those of earlier runs.
            minutes: time limit. No game begins that would probably end after it; games in progress are played to the end.
            progress: called after every step of the batch, or with every piece that a cluster has played.

        Returns True if all games are played, False if time ran out or another run is still playing some of them.

        Raises:
            OptionError: `games` is not a positive multiple of the number of players.
        """
        players = self.game.num_players
        couples = deals(self.game, games)
        settings = setting_names(self.game)
        ids = sorted({number for pair in pairs for number in pair})
        slots = min((self._places[number] for number in ids), default=SLOTS)
        began = time.monotonic()
        end = np.inf if minutes is None else began + 60 * minutes
        at_once: dict[Job, float] = {}  # when each game in progress began
        length = 0.0  # running mean of the seconds that a game takes

        state = self._progress(ids, pairs, couples)

        def jobs() -> Iterator[Job]:
            while claimed := self.store.claim(pairs, couples, max(_CLAIM, slots // players // 4)):
                for job in claimed:
                    now = time.monotonic()
                    if now + length > end:
                        return
                    if job in at_once:  # still played here; its claim ran out, and another run has held it since
                        continue
                    at_once[job] = now
                    yield job

        if self.cluster is not None:
            played = self._elsewhere(self.cluster, pairs, couples, end)
        else:
            choosers = {number: self._choosers[number] for number in ids}
            seed = (self.store.seed, self.store.run)
            played = play_jobs(self.game, choosers, jobs(), seed=seed, threads=self.threads, slots=slots)
        try:
            for rows in played:
                now = time.monotonic()
                new = self.store.add(rows, settings)
                for row in rows:
                    took = now - at_once.pop(row.job, began)
                    length = took if length == 0 else length + 0.02 * (took - length)
                if rows:
                    told = np.array([(row.job.a, row.job.b, row.result, row.forfeit) for row in rows]).T
                    state.add(*np.searchsorted(ids, told[:2]), *told[2:])
                state.done = min(state.total, state.done + new)
                state.running = len(at_once)
                state.seconds = now - began
                self.store.renew()
                progress(state)
        finally:
            self.store.release()
        return sum(self.store.counts(pairs, couples).values()) == state.total

    def _elsewhere(self, cluster: Cluster, pairs: Sequence[Pair], couples: int, end: float) -> Iterator[list[Row]]:
        """Yield the results of each piece of games that another machine has played."""
        left = self.store.missing(pairs, couples)
        pieces: dict[tuple[int, int, int], list[Job]] = {}
        for job in left:
            pieces.setdefault((job.a, job.b, job.seed // _PIECE), []).append(job)
        ids = {number for pair in pairs for number in pair}
        packages = {number: cluster.share(parcel(self.agents[number].spec)) for number in ids}
        game = cluster.share(self.game)

        def told() -> Iterator[tuple[Any, ...]]:
            for (a, b, piece), jobs in pieces.items():
                if time.monotonic() > end:
                    return
                seed = (self.store.seed, a, b, piece % 2**32)
                yield game, packages[a], packages[b], jobs, seed, self.seconds, self.on_mismatch

        for _, rows in cluster.each(_remote_games, told()):
            yield rows

    def _progress(self, ids: Sequence[int], pairs: Sequence[Pair], couples: int) -> Progress:
        count = len(ids)
        done = sum(self.store.counts(pairs, couples).values())
        state = Progress(
            tuple(self.agents[number].name for number in ids),
            np.zeros((count, count), np.int64),
            np.zeros((count, count)),
            np.zeros(count, np.int64),
            done,
            len(pairs) * couples * self.game.num_players,
            done,
            rivals=self.game.num_players - 1,
        )
        games = self.store.games(ids)
        state.add(games.a, games.b, games.result, games.forfeit)
        return state

    def games(self) -> Games:
        """The games between the agents that take part."""
        return self.store.games(self.agents)

    def match(
        self, spec_a: str, spec_b: str, games: int, *, progress: Callable[[Progress], None] = lambda so_far: None
    ) -> Games:
        """Play until two agents have `games` games, and return all that they have; its `agents` are (a, b). For games of two players.

        Waits for games that another run is playing: the first to end are the short ones, and their results alone would be biased.

        OptionError if the game has more players.
        """
        if self.game.num_players != 2:
            raise OptionError(f"{self.game.id} has {self.game.num_players} players: a match is between two")
        a, b = self.add(spec_a), self.add(spec_b)
        while not self.play(round_robin((a, b)), games, progress=progress):
            time.sleep(_WAIT)
        found = self.store.games((a, b))
        return found if a < b else found.turned()


@lru_cache(maxsize=32)
def _chooser(game: Any, package: Package, seconds: float, on_mismatch: Literal["refuse", "warn"]) -> Chooser:
    return guarded(agents.load(unpacked(package), game, on_mismatch=on_mismatch), seconds=seconds)


def _remote_games(
    game: Any,
    a: Package,
    b: Package,
    jobs: list[Job],
    seed: tuple[int, ...],
    seconds: float,
    on_mismatch: Literal["refuse", "warn"],
) -> list[Row]:
    """Play games of one pair of agents; runs on another machine."""
    packages = {jobs[0].a: a, jobs[0].b: b}
    choosers = {number: _chooser(game, package, seconds, on_mismatch) for number, package in packages.items()}
    return [row for rows in play_jobs(game, choosers, jobs, seed=seed, slots=len(jobs)) for row in rows]


def round_robin(ids: Sequence[int]) -> list[Pair]:
    """Every agent against every other."""
    return list(combinations(sorted(set(ids)), 2))


def against(ids: Sequence[int], field: Sequence[int]) -> list[Pair]:
    """Each of `ids` against each of `field`, but not against itself."""
    return sorted({(min(a, b), max(a, b)) for a in ids for b in field if a != b})


def _places(agent: Any) -> int:
    """How many games an agent plays at once: few enough to keep a step short, so that games soon end and are saved."""
    if getattr(agent, "seconds", None) is not None:
        return _TIMED
    if (simulations := getattr(agent, "simulations", None)) is not None:
        return int(np.clip(_SIMULATIONS // simulations, _FEWEST, SLOTS))
    return _OWN if hasattr(agent, "patience") else SLOTS


def match_results(games: Games, seed: int = 0) -> list[MatchResult]:
    """Each pair that has played, with a Tally for each seat of the first agent."""
    found = []
    for a, b in combinations(range(len(games.agents)), 2):
        of_pair = games[(games.a == a) & (games.b == b)]
        if len(of_pair):
            seats = tuple(_tally(of_pair[of_pair.seat == seat], seat) for seat in range(games.seats))
            found.append(MatchResult(games.game, games.agents[a], games.agents[b], seed, seats, 0.0))
    return found


def _tally(games: Games, seat: int) -> Tally:
    result, cut = games.result, games.cut
    counted = (result == 1, result == -1, (result == 0) & ~cut, cut, games.decisions, games.turns)
    return Tally(seat, len(games), *(int(column.sum()) for column in counted))
