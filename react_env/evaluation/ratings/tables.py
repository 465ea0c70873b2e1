"""Games of more than two players with a different agent at each seat: tables, placements, and ratings by who came first.

Each deal is played in every rotation of the agents around the table, so that each agent sits in each seat once with the same cards.
Ratings are by Luce's model (1959; the first place of Plackett and Luce): an agent's chance to win is its share of the strengths at the
table, each multiplied by the strength of the seat. openskill rates the same games one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from react_env.agents.protocol import AnyAgent
from react_env.engine.batch import seed_words
from react_env.errors import OptionError
from react_env.evaluation.arrays import Floats, Ints
from react_env.evaluation.matches.playing import SLOTS, Playing, Trusted, winners
from react_env.evaluation.ratings.intervals import wilson
from react_env.evaluation.ratings.ratings import ELO, plackett_luce
from react_env.extras import need

BOOTSTRAP = 200
FEWEST = 10  # deals needed to resample an interval; from fewer it would be far too narrow
SETTLED = 5  # games won, and games not won, that an agent or a seat needs for an interval, and an agent to count for the mean of 0


class Place(NamedTuple):
    """How an agent has done at tables. Intervals are 95 %. Elo has a mean of 0 over the agents that sometimes win and sometimes do not
    (`SETTLED`): how far below the others an agent lies that never wins is anybody's guess."""

    name: str
    games: int
    wins: int
    draws: int
    win_rate: tuple[float, float]  # Wilson
    elo: float
    # By resampled deals; None with too few deals, wins, or games not won, or if every other agent has too few.
    elo_interval: tuple[float, float] | None
    mu: float  # openskill
    sigma: float


@dataclass(frozen=True)
class TableResult:
    """All games of `play_tables`.

    Attributes:
        places: the agents, the best first.
        seats: Elo of each seat around a mean of 0, with its interval; None with too few deals, wins, or games not won.
        players: agents at a table.
        agents: int64 (G, P), who sat where; winner: int64 (G,), the seat that won, or -1 for none or several; deal: int64 (G,).
    """

    places: tuple[Place, ...]
    seats: tuple[tuple[float, tuple[float, float] | None], ...]
    players: int
    agents: Ints
    winner: Ints
    deal: Ints

    def to_json(self) -> dict[str, Any]:
        """The figures as plain values."""
        agents = [{**place._asdict(), "win_rate_95": place.win_rate} for place in self.places]
        for agent in agents:
            agent["win_rate"] = agent["wins"] / agent["games"]
        return {"players": self.players, "games": len(self.winner), "agents": agents, "seats": self.seats}


def play_tables(
    game: Any,
    agents: Mapping[str, AnyAgent],
    games: int,
    *,
    seed: int = 0,
    threads: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> TableResult:
    """Play at least `games` games (a multiple of the number of players) at tables drawn from `agents`, each deal in every rotation.

    With more agents than seats each deal draws who sits there, all equally often; with fewer, some agents sit at two places of a table.
    OptionError with fewer than two agents, or fewer games than players.
    """
    names, players = list(agents), game.num_players
    if len(names) < 2:
        raise OptionError("a table needs at least two agents")
    if games < players:
        raise OptionError(f"games is {games}: each deal is played by {players} rotations")
    deals = -(-games // players)
    rng = np.random.default_rng(seed)
    seated = _seated(len(names), players, deals, rng)
    tables = np.concatenate([np.roll(seated, shift, axis=1) for shift in range(players)])
    deal = np.tile(np.arange(deals), players)
    words = np.tile(seed_words(seed, deals), players)
    winner = np.full(len(tables), -1)
    choosers = {number: Trusted(agents[name]) for number, name in enumerate(names)}
    rngs = {number: np.random.default_rng((seed, number)) for number in choosers}
    waiting = np.arange(len(tables))
    number_of = np.zeros(min(SLOTS, len(tables)), np.int64)  # the game at each place
    with Playing(game, choosers, rngs, len(number_of), threads=threads) as playing:

        def fill(free: Ints) -> None:
            nonlocal waiting
            now, waiting = waiting[: len(free)], waiting[len(free) :]
            number_of[free[: len(now)]] = now
            playing.begin(free[: len(now)], words[now], tables[now])

        fill(np.arange(len(number_of)))
        for step in playing.steps():
            ended = step.rows[step.over]
            if len(ended):
                winner[number_of[ended]] = winners(playing.batch.rewards[ended])
                fill(ended)
                progress(len(tables) - len(waiting) - len(playing.rows), len(tables))
    return rate(names, tables, winner, deal)


def _seated(count: int, players: int, deals: int, rng: np.random.Generator) -> Ints:
    """Who sits around each table, (deals, players), all equally often but for the last tables."""
    rounds = -(-deals * players // count) + players
    order = np.concatenate([rng.permutation(count) for _ in range(rounds)])
    found = []
    for _ in range(deals):
        if count >= players:  # nobody sits twice at a table: an agent that is there already waits for the next
            chosen: list[int] = []
            later: list[int] = []
            at = 0
            while len(chosen) < players:
                (later if order[at] in chosen else chosen).append(int(order[at]))
                at += 1
            order = np.concatenate([np.array(later, np.int64), order[at:], rng.permutation(count)])
        else:
            chosen, order = order[:players].tolist(), np.concatenate([order[players:], rng.permutation(count)])
        found.append(rng.permutation(chosen))
    return np.array(found)


def rate(names: list[str], tables: Ints, winner: Ints, deal: Ints) -> TableResult:
    """Ratings from who sat where (G, P) and which seat won (G,), -1 for a draw; games of one deal (G,) are resampled together."""
    count, players = len(names), tables.shape[1]
    won = tables[np.flatnonzero(winner >= 0), winner[winner >= 0]]
    wins, games = np.bincount(won, minlength=count), np.bincount(tables.ravel(), minlength=count)
    settled = np.minimum(wins, games - wins) >= SETTLED

    def elo(weight: Floats) -> Floats:
        strengths, seats = luce(count, tables, winner, weight)
        return np.concatenate([strengths - (strengths[settled].mean() if settled.any() else 0.0), seats])

    found = elo(np.ones(len(winner)))
    rng = np.random.default_rng(0)
    deals = int(deal.max()) + 1
    again = []
    for _ in range(BOOTSTRAP if deals >= FEWEST else 0):
        weight = np.bincount(rng.integers(0, deals, deals), minlength=deals)
        again.append(elo(weight[deal].astype(float)))
    bounds = np.percentile(again, (2.5, 97.5), axis=0).T.tolist() if again else None

    def interval(k: int) -> tuple[float, float] | None:
        return None if bounds is None else (bounds[k][0], bounds[k][1])

    skills = plackett_luce(count, tables, winner)
    places = []
    for k, name in enumerate(names):
        draws = int((tables[winner < 0] == k).sum())
        rated = float(found[k]), interval(k) if settled[k] and settled.sum() > 1 else None
        places.append(Place(name, int(games[k]), int(wins[k]), draws, wilson(wins[k], games[k]), *rated, *skills[k]))
    order = sorted(range(count), key=lambda k: -found[k])
    wins = np.bincount(winner[winner >= 0], minlength=players)
    sure = np.minimum(wins, wins.sum() - wins) >= SETTLED
    worth = [(float(found[count + s]), interval(count + s) if sure[s] else None) for s in range(players)]
    return TableResult(tuple(places[k] for k in order), tuple(worth), players, tables, winner, deal)


def luce(count: int, tables: Ints, winner: Ints, weight: Floats) -> tuple[Floats, Floats]:
    """Elo of `count` agents and of the seats, each around a mean of 0: the likeliest ones, given half an imagined win and loss each."""
    need("eval", "scipy")
    from scipy.optimize import minimize
    from scipy.special import log_softmax

    players = tables.shape[1]
    decided = winner >= 0
    tables, winner, weight = tables[decided], winner[decided], weight[decided]
    rows = np.arange(len(winner))
    prior = 1.0 / max(len(winner), 1)

    def loss(x: Floats) -> tuple[float, Floats]:
        log_shares = log_softmax(x[tables] + x[count:], axis=1)
        total = -float((weight * log_shares[rows, winner]).sum())
        pull = np.exp(log_shares)
        pull[rows, winner] -= 1.0
        pull *= weight[:, None]
        gradient = np.zeros(count + players)
        np.add.at(gradient, tables, pull)
        gradient[count:] = pull.sum(0)
        imagined = np.logaddexp(0.0, x) + np.logaddexp(0.0, -x)
        return prior * (total + imagined.sum() / 2), prior * (gradient + np.tanh(x / 2) / 2)

    found = minimize(loss, np.zeros(count + players), jac=True, method="L-BFGS-B").x
    strengths, seats = found[:count], found[count:]
    return ELO * (strengths - strengths.mean()), ELO * (seats - seats.mean())
