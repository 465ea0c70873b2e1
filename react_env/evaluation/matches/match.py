"""Matches between agents: a fixed set of games from each seat, played to the end, with 95 % intervals.

The same seeds are played from every seat, so that the luck of the deal favours nobody. Each place of the batch plays exactly one game and
is then left alone: if places restarted and the first games to finish counted, that would favour short games. For the same reason a match
with a time limit ends between two blocks of games, never within one.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from react_env.agents.protocol import AnyAgent, name_of, what_lacks
from react_env.engine.batch import seed_words
from react_env.engine.game import a_game
from react_env.engine.rng import as_seed, random_seed, seed_word
from react_env.errors import OptionError
from react_env.evaluation.arrays import Ints
from react_env.evaluation.document import console_table
from react_env.evaluation.matches.playing import SLOTS, Playing, Trusted
from react_env.evaluation.ratings.intervals import interval_text, percent, wilson

if TYPE_CHECKING:
    from rich.table import Table

    from react_env.agents.process.guard import Chooser
    from react_env.replay import Replay

FIRST = 8  # deals of the first block of a match that has a time limit

Progress: TypeAlias = Callable[[int, int], None]  # (games done, games in all)


@dataclass(frozen=True)
class Tally:
    """Results of agent `a` from one seat, or from all (seat -1)."""

    seat: int
    games: int
    wins: int
    losses: int
    ties: int
    truncations: int
    decisions: int  # of all players
    turns: int  # 0 where the game does not count turns

    @property
    def win_rate(self) -> float:
        """Wins divided by games; a tie or a truncated game is not a win."""
        return self.wins / self.games if self.games else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the win rate."""
        return wilson(self.wins, self.games)

    @property
    def score(self) -> float:
        """Mean over the games: a win counts 1, a tie or a truncated game one half."""
        return (self.wins + 0.5 * (self.ties + self.truncations)) / self.games if self.games else 0.0

    def to_json(self) -> dict[str, Any]:
        low, high = self.interval
        count = max(1, self.games)
        return {
            **vars(self),
            "seat": self.seat if self.seat >= 0 else "all",
            "win_rate": round(self.win_rate, 4),
            "win_rate_95": [round(low, 4), round(high, 4)],
            "score": round(self.score, 4),
            "decisions_per_game": round(self.decisions / count, 1),
            "turns_per_game": round(self.turns / count, 1) if self.turns else None,
        }

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Tally:
        """Undo `to_json`."""
        return cls(-1 if found["seat"] == "all" else found["seat"], *(found[column] for column in _COUNTS))


_COUNTS = ("games", "wins", "losses", "ties", "truncations", "decisions", "turns")


def _together(seat: int, tallies: Sequence[Tally]) -> Tally:
    """The sum of `tallies`, as the Tally of `seat`."""
    return Tally(seat, *(sum(getattr(tally, column) for tally in tallies) for column in _COUNTS))


@dataclass(frozen=True)
class MatchResult:
    """Agent `a` against agent `b`, one Tally for each seat of `a`."""

    game: str
    a: str
    b: str
    seed: int
    seats: tuple[Tally, ...]
    seconds: float

    @property
    def total(self) -> Tally:
        """All seats together."""
        return _together(-1, self.seats)

    def and_then(self, more: MatchResult) -> MatchResult:
        """This match and `more` games of the same agents on other deals; the seed stays that of the first."""
        pairs = zip(self.seats, more.seats, strict=True)
        seats = tuple(_together(pair[0].seat, pair) for pair in pairs)
        return MatchResult(self.game, self.a, self.b, self.seed, seats, self.seconds + more.seconds)

    def to_json(self) -> dict[str, Any]:
        return {
            **vars(self),
            "seconds": round(self.seconds, 2),
            "seats": [tally.to_json() for tally in self.seats],
            "total": self.total.to_json(),
        }

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> MatchResult:
        """Undo `to_json`."""
        seats = tuple(Tally.from_json(tally) for tally in found["seats"])
        return cls(found["game"], found["a"], found["b"], found["seed"], seats, found["seconds"])


def _agent_of(agent: AnyAgent | str, game: Any, threads: int) -> AnyAgent:
    """The agent itself, or the agent of that name. OptionError if it is not an agent."""
    if isinstance(agent, str):
        from react_env import agents  # not at the top: it imports more than a match needs

        return agents.load(agent, game, threads=threads)
    if isinstance(agent, type) or not (hasattr(agent, "act") or hasattr(agent, "act_states")):
        raise OptionError(
            f"an agent is a name that agents.load knows, or has act or act_states: {agent!r:.200}{what_lacks(agent)}"
        )
    return agent


def play_match(
    game: Any,
    agent_a: AnyAgent | str,
    agent_b: AnyAgent | str,
    games: int = 1000,
    *,
    seed: int = 0,
    threads: int = 1,
    seconds: float | None = None,
    progress: Progress | None = None,
    names: tuple[str, str] | None = None,
) -> MatchResult:
    """Play `games` games, equally many and with the same seeds from every seat of `agent_a`; `agent_b` plays all other seats.

    The result depends only on the agents, `games` and `seed`, unless `seconds` is given: then blocks of games begin only while they
    will probably end within that time (the first block always does), and the tallies say how many games were played. `progress` is
    called with the number of finished games. An agent may be given by its name (`agents.load`).

    Raises OptionError if `games` is not a positive multiple of the number of players, the seed is not an integer, `seconds` is not a
    number, or an agent is not one; BatchError or IllegalAction, naming the agent, for an answer that is not a legal action.
    """
    agent_a, agent_b = (_agent_of(agent, a_game(game), threads) for agent in (agent_a, agent_b))
    players = game.num_players
    start = time.perf_counter()
    seed = as_seed(seed)
    if seconds is not None and (not isinstance(seconds, Real) or math.isnan(seconds)):
        raise OptionError(f"seconds is {seconds!r:.80}: it must be a number, or None")
    if seconds == math.inf:
        seconds = None
    words = seed_words(seed, deals(game, games))
    choosers = {0: Trusted(agent_a), 1: Trusted(agent_b)}
    rngs = {number: np.random.default_rng((seed % 2**64, number)) for number in choosers}
    counts = np.zeros((players, 6), np.int64)
    done = 0

    def finished(now: int) -> None:
        if progress is not None:
            progress(done * players + now, games)

    finished(0)  # a first game may take long
    while count := next_block(len(words), done, time.perf_counter() - start, seconds, SLOTS // players):
        counts += outcomes(game, choosers, words[done : done + count], rngs, threads, finished)
        done += count
    tallies = tuple(Tally(seat, done, *row) for seat, row in enumerate(counts.tolist()))
    name_a, name_b = names or (name_of(agent_a), name_of(agent_b))
    return MatchResult(game.id, name_a, name_b, seed, tallies, time.perf_counter() - start)


def go_on(
    known: MatchResult | None, games: int, block: int, seed: int, play: Callable[[int, int], MatchResult]
) -> Iterator[MatchResult]:
    """Play on from the result `known` to `games` games, at most `block` at a time; yields the result so far after each block.

    `play` gets the number of games of a block and its seed: each block has its own deals, which depend on how many games came before.
    """
    while (done := known.total.games if known else 0) < games:
        deals = seed if done == 0 else int(np.random.SeedSequence((seed, done)).generate_state(1)[0])
        played = play(min(games - done, block), deals)
        known = known.and_then(played) if known else played
        yield known


def deals(game: Any, games: int) -> int:
    """How many different deals make `games` games of a pair. OptionError if not every deal can be played from each seat."""
    number = isinstance(games, (int, np.integer)) and not isinstance(games, bool)
    if not number or games <= 0 or games % game.num_players:
        raise OptionError(
            f"games is {games!r:.80}: it must be a positive multiple of {game.num_players}, to play the same games from each seat"
        )
    return int(games) // int(game.num_players)


def whole(game: Any, games: int) -> int:
    """`games`, rounded up so that every deal can be played from each seat."""
    return -(-games // int(game.num_players)) * int(game.num_players)


def next_block(deals: int, done: int, spent: float, seconds: float | None, places: int) -> int:
    """How many deals to play next, at most `places`: as many of the rest of `deals` as probably fit into `seconds`, if the `done` so far
    took `spent` seconds. 0: the match ends here."""
    left = min(deals - done, places)
    if seconds is None:
        return left
    if not done:
        return min(left, FIRST)
    fits = int(done * (seconds / spent - 1.0)) if spent else left
    return min(left, fits) if fits >= FIRST // 2 else 0


def outcomes(
    game: Any,
    choosers: Mapping[int, Chooser],
    words: NDArray[np.uint64],
    rngs: Mapping[int, np.random.Generator],
    threads: int,
    finished: Callable[[int], None],
) -> Ints:
    """Play the deals of the random streams `words` with agent 0 at each seat, all at once: threads then share out a search's decisions.

    Returns (P, 6), for each seat of agent 0: wins, losses, ties, truncations, decisions, turns.
    """
    players = game.num_players
    seats = np.repeat(np.arange(players), len(words))
    counts = np.zeros((players, 6), np.int64)
    with Playing(game, choosers, rngs, len(seats), threads=threads) as playing:
        playing.begin(
            np.arange(len(seats)), np.tile(words, players), (np.arange(players) != seats[:, None]).astype(np.int64)
        )
        for step in playing.steps():
            np.add.at(counts[:, 4], seats[step.rows], 1)
            if step.over.any():
                ended = step.rows[step.over]
                reward = playing.batch.rewards[ended, seats[ended]]
                kind = np.where(step.truncated[step.over], 3, np.where(reward > 0, 0, np.where(reward < 0, 1, 2)))
                np.add.at(counts, (seats[ended], kind), 1)
                np.add.at(counts[:, 5], seats[ended], step.turns[step.over])
                finished(len(seats) - len(playing.rows))
    return counts


def record_game(
    game: Any, agents: Sequence[AnyAgent | str], *, seed: int | None = 0, names: Sequence[str] = ()
) -> Replay:
    """Play one game with agents[player] at each seat and return it as a Replay; the deal is that of ``game.new(seed)``.

    Agents and errors are as for `play_match`; also OptionError if there is not one agent for each player.
    """
    from react_env.replay import Replay

    players = a_game(game).num_players
    if isinstance(agents, str) or not isinstance(agents, Sized) or len(agents) != players:
        raise OptionError(f"agents: one for each of the {players} players is needed, not {agents!r:.200}")
    seed = random_seed() if seed is None else as_seed(seed)
    found = [_agent_of(agent, game, 1) for agent in agents]
    choosers = {player: Trusted(agent) for player, agent in enumerate(found)}
    rngs = {player: np.random.default_rng((seed % 2**64, 2, player)) for player in choosers}
    with Playing(game, choosers, rngs, 1) as playing:
        playing.begin(np.zeros(1, np.int64), np.array([seed_word(seed)], np.uint64), np.arange(game.num_players)[None])
        actions = [int(step.actions[0]) for step in playing.steps()]
    return Replay.record(game, actions, seed=seed, players=list(names) or [name_of(agent) for agent in found])


def match_table(results: Sequence[MatchResult], title: str | None = None, seats: Sequence[str] = ()) -> Table:
    """A table with one row for each match as a whole and one for each seat; `seats` names the seats."""
    from rich.text import Text

    columns = ("match", "games", "won", "lost", "tied", "cut", "win rate", "95 % interval", "length")
    unit = "turns" if any(result.total.turns for result in results) else "decisions"
    caption = f"cut: stopped by the game's limit; length: {unit} a game; a tie or a cut game is not a win"
    if results and (players := len(results[0].seats)) > 2:
        caption += f"; one against {players - 1}, so {100 / players:.0f} % is even"
    table = console_table(columns, (), title=title, caption=caption)
    for result in results:
        places = seats or [f"seat {tally.seat}" for tally in result.seats]
        for tally in (result.total, *result.seats):
            everything = tally.seat < 0
            length = tally.turns if tally.turns else tally.decisions
            table.add_row(
                Text(f"{result.a} vs {result.b}" if everything else f"  {places[tally.seat]}"),
                str(tally.games),
                str(tally.wins),
                str(tally.losses),
                str(tally.ties),
                str(tally.truncations),
                percent(tally.win_rate),
                interval_text(tally.wins, tally.games),
                f"{length / max(1, tally.games):.1f}",
                style="bold" if everything else None,
            )
    return table
