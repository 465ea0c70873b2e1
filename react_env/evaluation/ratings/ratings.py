"""How strong the agents of an arena are: Bradley-Terry ratings with intervals, openskill's, win matrices, game lengths.

Pure functions over `react_env.evaluation.matches.records.Games`. What each number means: docs/ratings.md.

In ratings and scores a tie, or a game cut at the game's limit, is half a win for either side; a win rate counts wins alone. A couple is
the same deal played once from each seat. Its games are not independent, so everything here resamples and averages whole couples.

With more than two players the first agent of a pair sits alone among copies of the second. Among equals each seat wins equally often (Luce,
1959), so one of four wins a quarter of its games. Three times its odds are those of one agent against one; all ratings use these. A tie
then gives each seat its share of a win.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from react_env.errors import OptionError
from react_env.evaluation.arrays import Bools, Floats, Ints
from react_env.evaluation.matches.records import Games
from react_env.evaluation.ratings.cycles import (
    Cycle,
    alpha_rank,
    cyclic_chance,
    differences,
    explained,
    max_entropy_nash,
    strongest_cycles,
)
from react_env.evaluation.ratings.intervals import TWO_SIDED, independent, score_interval, wilson
from react_env.extras import need

ELO = 400 / np.log(10)  # of one unit of log-odds
MEAN_ELO = 1000.0  # mean of the ratings of all agents
PRIOR = 0.5  # wins, and as many losses, that every agent starts with against an average one: one tie
SKILL_GAMES = 20_000  # most games that openskill is shown
_ABSENT = 3  # a game of a couple that has not been played
_BLOCK = 1 << 22  # numbers in a block of resamples


class Interval(NamedTuple):
    """A value and its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Rating:
    """One agent among the others."""

    agent: str
    elo: float  # Bradley-Terry; the mean of all agents is 1000
    low: float  # 95 % bootstrap interval
    high: float
    games: int
    wins: int
    losses: int
    halves: int  # ties and cut games
    forfeits: int  # games lost because the agent failed
    skill_mu: float  # openskill; nan if it was left out
    skill_sigma: float
    nash: float  # share in the equilibrium of maximum entropy
    alpha_rank: float | None  # None if OpenSpiel is not installed

    @property
    def score(self) -> float:
        """A win 1, a tie or a cut game one half; 0 to 1."""
        return (self.wins + 0.5 * self.halves) / self.games

    @property
    def win_rate(self) -> float:
        """Wins divided by games."""
        return self.wins / self.games


@dataclass(frozen=True)
class Standings:
    """The ratings of an arena, and how much of its results they explain."""

    ratings: tuple[Rating, ...]  # best first
    # What each seat is worth, in Elo against the mean of the seats' effects. With two seats, a player there scores
    # 1 / (1 + 10 ** (-value / 400)) against an equal.
    seats: tuple[Interval, ...]
    groups: int  # more than 1: some agents have not met, not even through others, and their ratings do not compare
    transitivity: float  # share of the variation of log-odds that ratings explain, 0 to 1
    cyclic_chance: float  # the chance of such a large rest if ratings explained everything
    cycles: tuple[Cycle, ...]  # strongest first


@dataclass(frozen=True)
class WinMatrix:
    """The row agent against the column agent, in games; all arrays are (A, A) int64, the diagonal is 0.

    With several rivals only the games in which the row agent sat alone are counted.
    """

    agents: tuple[str, ...]
    wins: Ints
    losses: Ints
    ties: Ints
    cuts: Ints  # stopped by the game's limit
    rivals: int = 1  # copies of the column agent in a game

    @cached_property
    def games(self) -> Ints:
        return self.wins + self.losses + self.ties + self.cuts

    @cached_property
    def points(self) -> Floats:
        """Wins, plus the row agent's share of the games that nobody won: half of each against one rival."""
        return self.wins + (self.ties + self.cuts) / (self.rivals + 1)

    @property
    def met(self) -> Bools:
        """(A, A) who has met whom."""
        return (self.games + self.games.T) > 0

    def interval(self, row: int, column: int) -> tuple[float, float]:
        """Wilson's 95 % interval of a win rate."""
        return wilson(int(self.wins[row, column]), int(self.games[row, column]))


class Length(NamedTuple):
    """How long games between two agents take, in turns, or in decisions where the game does not count turns."""

    a: str
    b: str
    games: int
    mean: float
    p10: float
    median: float
    p90: float


def standings(games: Games, *, bootstrap: int = 1000, seed: int = 0, skill: bool = True) -> Standings:
    """Ratings of all agents that have played, best first.

    Args:
        games: N games, N at least 1.
        bootstrap: resamples for the intervals.
        seed: seed of the resamples.
        skill: False leaves openskill out, which takes longest.

    Raises:
        OptionError: there are no games, or `bootstrap` is below 1.
    """
    games = played(games)
    fit = bradley_terry(games, bootstrap=bootstrap, seed=seed)
    matrix = win_matrix(games)
    odds = log_odds(matrix, fit.theta)
    pairs = couples(games)
    sides = _both_sides(matrix)
    skills = openskill(games) if skill else [(float("nan"), float("nan"))] * len(games.agents)
    nash, alpha = max_entropy_nash(odds), alpha_rank(np.tanh(odds / 2))  # twice the score less one
    groups = _groups(matrix.met)
    forfeits = np.bincount(games.a[games.forfeit == 1], minlength=len(games.agents))
    forfeits += np.bincount(games.b[games.forfeit == 2], minlength=len(games.agents))
    low, high = fit.intervals
    ratings = [
        Rating(
            agent=name,
            elo=float(fit.elo[i]),
            low=float(low[i]),
            high=float(high[i]),
            games=int(sides.games[i].sum()),
            wins=int(sides.wins[i].sum()),
            losses=int(sides.losses[i].sum()),
            halves=int((sides.ties + sides.cuts)[i].sum()),
            forfeits=int(forfeits[i]),
            skill_mu=skills[i][0],
            skill_sigma=skills[i][1],
            nash=float(nash[i]),
            alpha_rank=None if alpha is None else float(alpha[i]),
        )
        for i, name in enumerate(games.agents)
    ]
    scores = score_intervals(pairs, matrix)
    return Standings(
        ratings=tuple(sorted(ratings, key=lambda rating: (-rating.elo, rating.agent))),
        seats=fit.seats,
        groups=groups,
        transitivity=explained(odds, matrix.met),
        cyclic_chance=cyclic_chance(pairs.pairs, *pairs.known(), len(games.agents), groups, matrix.rivals),
        cycles=strongest_cycles(games.agents, scores, sides.games),
    )


def played(games: Games) -> Games:
    """The same games without agents that have played none. OptionError if there are no games at all."""
    if not len(games):
        raise OptionError("there are no games to rate")
    present = np.union1d(games.a, games.b)
    if len(present) == len(games.agents):
        return games
    return replace(
        games,
        agents=tuple(games.agents[i] for i in present),
        a=np.searchsorted(present, games.a).astype(np.int32),
        b=np.searchsorted(present, games.b).astype(np.int32),
    )


# Couples


@dataclass(frozen=True)
class Couples:
    """Couples of games counted by pair and outcome: P pairs, T types of outcome, S seats."""

    pairs: Ints  # (P, 2) agents, the first below the second
    pair: Ints  # (T,) rising
    count: Ints  # (T,) couples
    played: Floats  # (T, S) 1 where the game with the first agent at this seat was played
    points: Floats  # (T, S) of the first agent: 0, 1/S where nobody won, 1

    def scores(self) -> tuple[Floats, Floats]:
        """Mean score of the first agent of each pair, and the variance of that mean; (P,) both.

        If all couples of a pair have the same score, one more counts, as if played by equals, so that no variance is 0.
        """
        count, pair, played, points = self._smoothed
        share, gained = played.sum(axis=1), points.sum(axis=1)
        games = np.bincount(pair, count * share)
        mean = np.bincount(pair, count * gained) / games
        # The variance of a ratio of sums: couples are independent, the games of one couple are not.
        rest = (gained - mean[pair] * share) ** 2
        number = np.bincount(pair, count)
        variance = np.bincount(pair, count * rest) / games**2 * number / np.maximum(number - 1, 1)
        return mean, variance

    def known(self) -> tuple[Floats, Floats]:
        """Mean score of the first agent of each pair, and how many independent games would tell as much; (P,) both."""
        games = np.bincount(self.pair, self.count * self.played.sum(axis=1))
        means = np.bincount(self.pair, self.count * self.points.sum(axis=1)) / games
        each = zip(means.tolist(), self.scores()[1].tolist(), games.tolist(), strict=True)
        return means, np.array([independent(mean, variance, number, number) for mean, variance, number in each])

    def resample(self, times: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Couples of each pair drawn anew, with replacement: (games, points) of each pair and seat, (times, P, S) both.

        If all couples of a pair have the same score (one agent won all its games), a couple of equals is added to those drawn from.
        Otherwise all its resamples would be the same, as if there were no doubt left.
        """
        count, pair, played, points = self._smoothed
        starts = np.searchsorted(pair, np.arange(len(self.pairs) + 1))
        drawn_games = np.empty((times, len(self.pairs), played.shape[1]))
        drawn_points = np.empty_like(drawn_games)
        number = np.bincount(self.pair, self.count).astype(np.int64)
        for p, (start, end) in enumerate(zip(starts, starts[1:])):
            chances = count[start:end] / count[start:end].sum()
            drawn = rng.multinomial(number[p], chances, size=times).astype(np.float64)
            drawn_games[:, p] = drawn @ played[start:end]
            drawn_points[:, p] = drawn @ points[start:end]
        return drawn_games, drawn_points

    def totals(self) -> tuple[Floats, Floats]:
        """(games, points) of each pair and seat, (P, S) both: the average of resamples, so that an estimate lies among them."""
        count, pair, played, points = self._smoothed
        share = (np.bincount(self.pair, self.count) / np.bincount(pair, count))[pair] * count
        size = (len(self.pairs), self.played.shape[1])
        games, gained = np.zeros(size), np.zeros(size)
        np.add.at(games, pair, share[:, None] * played)
        np.add.at(gained, pair, share[:, None] * points)
        return games, gained

    @cached_property
    def _smoothed(self) -> tuple[Floats, Ints, Floats, Floats]:
        """(count, pair, played, points) as above, with one more couple for each pair whose couples all have the same score: partly lost
        and partly won, as between equals. With two seats that is half a couple either way."""
        first = np.searchsorted(self.pair, np.arange(len(self.pairs)))
        score = self.points.sum(axis=1) / self.played.sum(axis=1)
        alike = np.flatnonzero(np.maximum.reduceat(score, first) - np.minimum.reduceat(score, first) < 1e-9)
        won = 1 / self.played.shape[1]
        count = np.concatenate([self.count, np.repeat([1 - won, won], len(alike))])
        pair = np.concatenate([self.pair, alike, alike])
        whole = np.maximum.reduceat(self.played, first)[alike]
        played = np.concatenate([self.played, whole, whole])
        points = np.concatenate([self.points, np.zeros_like(whole), whole])
        order = np.argsort(pair, kind="stable")
        return count[order], pair[order], played[order], points[order]


def couples(games: Games) -> Couples:
    """The games of an arena as couples: games of one (a, b, setting, seed), one from each seat."""
    seats = games.seats
    order = np.lexsort((games.seat, games.seed, games.setting, games.b, games.a))
    columns = np.stack([games.a, games.b, games.setting, games.seed, games.seat])[:, order]
    new_deal, new_game = (
        np.r_[True, (columns[:rows, 1:] != columns[:rows, :-1]).any(axis=0)] for rows in (4, len(columns))
    )
    # If a game occurs twice, the second belongs to another couple.
    run = np.arange(len(order)) - np.flatnonzero(new_game)[np.cumsum(new_game) - 1]
    _, first, couple = np.unique(np.cumsum(new_deal) * (run.max() + 1) + run, return_index=True, return_inverse=True)
    outcomes = np.full((len(first), seats), _ABSENT)
    outcomes[couple, columns[4]] = games.result[order] + 1
    pairs, pair = np.unique(columns[:2, first].T, axis=0, return_inverse=True)
    types, count = np.unique(np.column_stack([pair, outcomes]), axis=0, return_counts=True)
    worth = np.array([0.0, 1 / seats, 1.0, 0.0])  # lost, nobody won, won, absent
    there = types[:, 1:] != _ABSENT
    return Couples(pairs.astype(np.int64), types[:, 0], count, there.astype(np.float64), worth[types[:, 1:]])


def evened(score: Any, rivals: int) -> Any:
    """What an agent would score against one rival if it scores `score` against `rivals` copies of it: `rivals` times the odds."""
    return rivals * score / (1 + (rivals - 1) * score)


def score_intervals(pairs: Couples, matrix: WinMatrix) -> Floats:
    """(A, A, 3): `evened` score of the row against the column with its 95 % interval, nan where they have not met.

    Wilson's interval for as many independent games as would have the variance of the couples: where luck decides much, a deal played
    from both seats tells more than two deals.
    """
    size = len(matrix.agents)
    result = np.full((size, size, 3), np.nan)
    _, variances = pairs.scores()
    for (a, b), variance in zip(pairs.pairs, variances):
        games = int(matrix.games[a, b])
        score = float(matrix.points[a, b]) / games
        ends = score_interval(score, variance, games, games)
        score, low, high = (evened(value, matrix.rivals) for value in (score, *ends))
        result[a, b] = score, low, high
        result[b, a] = 1 - score, 1 - high, 1 - low
    return result


# Bradley-Terry


@dataclass(frozen=True)
class BradleyTerry:
    """Strengths of A agents and effects of S seats by maximum likelihood, and R resamples of both."""

    agents: tuple[str, ...]
    theta: Floats  # (A,) log-odds, mean 0
    effects: Floats  # (S,) log-odds against their mean
    thetas: Floats = field(repr=False)  # (R, A)
    all_effects: Floats = field(repr=False)  # (R, S)

    @property
    def elo(self) -> Floats:
        """(A,) ratings with mean 1000."""
        return MEAN_ELO + ELO * self.theta

    @property
    def intervals(self) -> Floats:
        """(2, A): lower and upper end of each rating's 95 % interval."""
        return MEAN_ELO + ELO * np.percentile(self.thetas, (2.5, 97.5), axis=0)

    @property
    def seats(self) -> tuple[Interval, ...]:
        """What each seat is worth, in Elo."""
        low, high = ELO * np.percentile(self.all_effects, (2.5, 97.5), axis=0)
        return tuple(Interval(*map(float, seat)) for seat in zip(ELO * self.effects, low, high))


def bradley_terry(games: Games, *, bootstrap: int = 1000, seed: int = 0) -> BradleyTerry:
    """The strengths that make the results most likely (Bradley and Terry, 1952), estimated together with the effects of the seats.

    With two seats, one effect is added to the difference of the strengths if the first agent sits at seat 0, and subtracted if it sits at
    seat 1. With more, where the first agent of a pair sits alone among copies of the second, each seat has an effect; their mean is 0. A
    tie or a cut game is a share of a win. As a weak prior, every agent has tied once with an average one, and the seats once with each
    other: ratings stay finite for agents that won or lost everything, and for groups that never met. A pair whose couples all have the
    same score counts as in `Couples.resample`.

    Args:
        games: N games, N at least 1.
        bootstrap: resamples of couples, within each pair; the seats' effects then scatter further, because all pairs share the deals.
        seed: seed of the resamples.

    Raises:
        OptionError: there are no games, or `bootstrap` is below 1.
    """
    if bootstrap < 1:
        raise OptionError(f"bootstrap is {bootstrap}: it must be at least 1")
    if not len(games):
        raise OptionError("there are no games to rate")
    counted = couples(games)
    size, seats, number = len(games.agents), games.seats, len(counted.pairs)
    design = np.zeros((number, seats, size + (1 if seats == 2 else seats)))
    design[np.arange(number), :, counted.pairs[:, 0]] = 1
    design[np.arange(number), :, counted.pairs[:, 1]] = -1
    design[:, :, size:] = np.array([[1.0], [-1.0]]) if seats == 2 else np.eye(seats) - 1 / seats
    rows = design.reshape(number * seats, -1)

    def fit(games_: Floats, points: Floats, start: Floats) -> Floats:
        flat = games_.reshape(len(games_), -1), points.reshape(len(points), -1)
        return _maximum_likelihood(rows, *flat, start, seats - 1)

    total_games, total_points = counted.totals()
    best = fit(total_games[None], total_points[None], np.zeros((1, rows.shape[1])))
    rng = np.random.default_rng(seed)
    block = max(1, _BLOCK // max(1, rows.size, rows.shape[1] ** 2))
    found = [
        fit(*counted.resample(min(block, bootstrap - done), rng), best.repeat(min(block, bootstrap - done), axis=0))
        for done in range(0, bootstrap, block)
    ]

    def strengths(x: Floats) -> Floats:
        return x[:, :size] - x[:, :size].mean(axis=1, keepdims=True)

    def effects(x: Floats) -> Floats:
        own = np.column_stack([x[:, size], -x[:, size]]) if seats == 2 else x[:, size:]
        return own - own.mean(axis=1, keepdims=True)

    resamples = np.concatenate(found)
    theta, own = strengths(best)[0], effects(best)[0]
    all_effects = own + _shared_luck(games, theta, own) * (effects(resamples) - own)
    return BradleyTerry(games.agents, theta, own, strengths(resamples), all_effects)


def deal_of(games: Games) -> Ints:
    """(N,) the number of the deal of each game, from 0."""
    found: Ints = np.unique(np.stack([games.setting, games.seed]), axis=1, return_inverse=True)[1].ravel()
    return found


def _shared_luck(games: Games, theta: Floats, effects: Floats) -> Floats:
    """(S,) the factor, at least 1, by which the seats' effects scatter further than couples drawn pair by pair suggest.

    All pairs play the same deals, so luck that favours a seat in one of them favours it for all pairs. This matters little for the
    strengths: each agent of a couple has sat there once.
    """
    z = theta[games.a] - theta[games.b] + effects[games.seat] - np.log(games.seats - 1)
    rest = np.select([games.result > 0, games.result < 0], [1.0, 0.0], 1 / games.seats) - _logistic(z)
    told = ((np.arange(games.seats) == games.seat[:, None]) - 1 / games.seats) * rest[:, None]
    deal, pair = deal_of(games), games.a.astype(np.int64) * len(games.agents) + games.b

    def summed(groups: Ints, values: Floats) -> Floats:
        found = np.zeros((groups.max() + 1, games.seats))
        np.add.at(found, groups, values)
        return found

    _, first, couple = np.unique(deal * (pair.max() + 1) + pair, return_index=True, return_inverse=True)
    told, deal, pair = summed(couple, told), deal[first], pair[first]
    told -= summed(pair, told)[pair] / np.bincount(pair)[pair, None]
    alone, together = (told**2).sum(0), (summed(deal, told) ** 2).sum(0)
    return np.sqrt(np.maximum(together / np.maximum(alone, 1e-12), 1.0))


def quick_elo(played: Ints, score: Floats, rivals: int = 1) -> Floats:
    """Ratings while an arena runs: Bradley-Terry without the seats' effects, with intervals from the curvature instead of resamples.

    Takes milliseconds. The intervals take games to be independent, so they are a little wider than those of `bradley_terry` if a deal
    played from both seats tends to be split.

    Args:
        played: (A, A) games of the row agent against the column agent.
        score: (A, A) points of the row agent in those games: 1 for a win, a share of 1 for a tie or a cut game.
        rivals: how many copies of the agent with the higher number play a game; the other agent sits alone among them.

    Returns:
        (A, 2): the rating, with mean 1000, and half the width of its 95 % interval.
    """
    first, second = np.nonzero(np.triu(played, 1))
    size, design = len(played), differences(first, second, len(played))
    games = played[first, second].astype(np.float64)
    theta = _maximum_likelihood(design, games[None], score[first, second][None], np.zeros((1, size)), rivals)[0]
    rate, own = _logistic(design @ theta - np.log(rivals)), _logistic(theta)
    curvature = (design.T * (games * rate * (1 - rate))) @ design + np.diag(2 * PRIOR * own * (1 - own))
    centre = np.eye(size) - 1 / size
    spread = np.sqrt(np.diag(centre @ np.linalg.inv(curvature) @ centre))
    return np.column_stack([MEAN_ELO + ELO * (theta - theta.mean()), TWO_SIDED * ELO * spread])


def _maximum_likelihood(design: Floats, games: Floats, points: Floats, start: Floats, rivals: int) -> Floats:
    """Newton's method for R logistic regressions at once.

    Args:
        design: (C, K), the same for all.
        games: (R, C), and `points` (R, C) of the first agent.
        start: (R, K).
        rivals: how many copies of the second agent the first plays against.

    Returns:
        (R, K), where the likelihood with the prior is largest; its logarithm is strictly concave.
    """
    size = design.shape[1]
    products = (design[:, :, None] * design[:, None, :]).reshape(len(design), size * size)
    diagonal = np.arange(size)
    alone = np.log(rivals)

    def loss(x: Floats) -> Floats:
        z = x @ design.T - alone
        data: Floats = (games * np.logaddexp(0, z) - points * z).sum(axis=1)
        data += PRIOR * (np.logaddexp(0, x) + np.logaddexp(0, -x)).sum(axis=1)
        return data

    x = start.copy()
    now = loss(x)
    for _ in range(200):
        rate, own = _logistic(x @ design.T - alone), _logistic(x)
        gradient = (games * rate - points) @ design + 2 * PRIOR * (own - 0.5)
        hessian = ((games * rate * (1 - rate)) @ products).reshape(-1, size, size)
        hessian[:, diagonal, diagonal] += 2 * PRIOR * own * (1 - own)
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        if np.abs(step).max() < 1e-9:
            break
        # A full step may overshoot where the curve is flat: halve it until the loss falls.
        for _ in range(40):
            then = loss(x - step)
            worse = then > now + 1e-12 * np.abs(now)
            if not worse.any():
                break
            step[worse] /= 2
        x, now = x - step, then
    return x


def _logistic(x: Floats) -> Floats:
    return 0.5 * (1 + np.tanh(x / 2))


def _groups(met: Bools) -> int:
    need("eval", "scipy")
    from scipy.sparse.csgraph import connected_components

    return int(connected_components(met, directed=False)[0])


# Other measures


def openskill(games: Games) -> list[tuple[float, float]]:
    """(mu, sigma) of each agent by openskill's Plackett-Luce model (Joshy, 2024; after Weng and Lin, 2011), defaults 25 and 25 / 3.

    It learns game by game, so order matters: by seed, then setting, agents and seat. Its code is slow, so of more games than 20 000
    about 20 000 are drawn, those of a deal together if all seats were played.
    """
    order = np.lexsort((games.seat, games.b, games.a, games.setting, games.seed))
    if len(order) > SKILL_GAMES:
        # At random, not every nth: the pairs follow each other in a fixed order.
        number = len(order) // games.seats
        some = np.random.default_rng(0).choice(number, SKILL_GAMES // games.seats, replace=False)
        order = order[: number * games.seats].reshape(number, games.seats)[np.sort(some)].ravel()
    result = games.result[order]
    winner = np.where(result > 0, 0, np.where(result < 0, 1, -1))
    table = np.column_stack([games.a, *[games.b] * (games.seats - 1)])[order].astype(np.int64)
    return plackett_luce(len(games.agents), table, winner)


def plackett_luce(count: int, tables: Ints, winner: Ints) -> list[tuple[float, float]]:
    """(mu, sigma) by openskill of `count` agents from G games of P players, in this order.

    Args:
        tables: (G, P) who played; an agent at two places of a table learns from both.
        winner: (G,) the place that won, while all others come second; -1: nobody won.
    """
    need("eval", "openskill")
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    skills = [model.rating() for _ in range(count)]
    for who, first in zip(tables.tolist(), winner.tolist()):
        ranks = [1.0 if first in (-1, place) else 2.0 for place in range(len(who))]
        rated = model.rate([[skills[k]] for k in who], ranks=ranks)
        for k in set(who):
            mine = [team[0] for other, team in zip(who, rated) if other == k]
            mu, sigma = (sum(getattr(one, name) for one in mine) / len(mine) for name in ("mu", "sigma"))
            skills[k] = model.rating(mu=mu, sigma=sigma)
    return [(float(skill.mu), float(skill.sigma)) for skill in skills]


def win_matrix(games: Games, seat: int | None = None) -> WinMatrix:
    """All games, or those in which the row agent sat at `seat`."""
    if seat is None:
        first, second = np.ones(len(games), np.bool_), np.full(len(games), games.seats == 2)
    else:
        first, second = games.seat == seat, (games.seat == 1 - seat) & (games.seats == 2)
    return _matrix(
        games.agents,
        np.concatenate([games.a[first], games.b[second]]),
        np.concatenate([games.b[first], games.a[second]]),
        np.concatenate([games.result[first], -games.result[second]]),
        np.concatenate([games.cut[first], games.cut[second]]),
        games.seats - 1,
    )


def _both_sides(matrix: WinMatrix) -> WinMatrix:
    """With several rivals, also count the games in which the row agent played the copies."""
    if matrix.rivals == 1:
        return matrix
    wins, losses, ties, cuts = matrix.wins, matrix.losses, matrix.ties, matrix.cuts
    return replace(matrix, wins=wins + losses.T, losses=losses + wins.T, ties=ties + ties.T, cuts=cuts + cuts.T)


def _matrix(
    names: tuple[str, ...], row: NDArray[Any], column: NDArray[Any], result: NDArray[Any], cut: Bools, rivals: int = 1
) -> WinMatrix:
    """Games (N,) of the row against the column; results are the row's."""
    counts = np.zeros((4, len(names), len(names)), np.int64)
    kind = np.where(result == 0, 2 + cut, result == -1)  # the place in `WinMatrix`: won, lost, tied, cut
    np.add.at(counts, (kind, row, column), 1)
    wins, losses, ties, cuts = counts
    return WinMatrix(names, wins, losses, ties, cuts, rivals)


def by_setting(games: Games) -> WinMatrix | None:
    """What the players had (artists, decks) against each other, all agents together; None if the settings are not of two players.

    Every agent plays a setting from both seats, so their strengths cancel.
    """
    found = _sides(games)
    if found is None:
        return None
    sides, had = found
    # Seen from player 0, whose result is that of `a` if a sat there.
    result = np.where(games.seat == 0, games.result, -games.result)
    told = had[:, 0] != had[:, 1]  # a side against itself tells nothing
    row, column = np.concatenate([had[told], had[told, ::-1]]).T
    result = np.concatenate([result[told], -result[told]])
    return _matrix(sides, row, column, result, np.tile(games.cut[told], 2))


def agents_by_side(games: Games) -> tuple[tuple[str, ...], Ints, Ints] | None:
    """How agents fare with what they had: (names of the sides, wins (A, K), games (A, K)); None as for `by_setting`."""
    found = _sides(games)
    if found is None:
        return None
    sides, had = found
    wins = np.zeros((len(games.agents), len(sides)), np.int64)
    count = np.zeros_like(wins)
    for agent, seat, sign in ((games.a, games.seat, 1), (games.b, 1 - games.seat, -1)):
        side = had[np.arange(len(games)), seat]
        np.add.at(count, (agent, side), 1)
        np.add.at(wins, (agent, side), games.result == sign)
    return sides, wins, count


def _sides(games: Games) -> tuple[tuple[str, ...], Ints] | None:
    """What players may have, and what each player had (N, 2); None if the settings are not of two players."""
    names = [setting.split(" - ") for setting in games.settings]
    if games.seats != 2 or any(len(name) != 2 for name in names):
        return None
    sides, index = np.unique(np.array(names), return_inverse=True)
    return tuple(map(str, sides)), index.reshape(-1, 2)[games.setting]


def length_unit(games: Games) -> str:
    """The unit of lengths: "turns", or "decisions" if the game does not count turns."""
    return "turns" if games.turns.any() else "decisions"


def game_lengths(games: Games) -> list[Length]:
    """A Length for each pair that has met."""
    values = getattr(games, length_unit(games))
    found = []
    pairs = np.sort(np.column_stack([games.a, games.b]), axis=1)
    for a, b in np.unique(pairs, axis=0):
        own = values[(pairs == (a, b)).all(axis=1)]
        p10, median, p90 = np.percentile(own, (10, 50, 90))
        found.append(
            Length(games.agents[a], games.agents[b], len(own), float(own.mean()), float(p10), float(median), float(p90))
        )
    return found


def log_odds(matrix: WinMatrix, theta: Sequence[float] | Floats) -> Floats:
    """(A, A) antisymmetric: logarithm of the odds of the row's `evened` score against the column, one tie added.

    For two that have not met, what their strengths `theta` (A,) predict.
    """
    theta = np.asarray(theta)
    tie = 2 * PRIOR / (matrix.rivals + 1)  # the row's share of it; each of the others has the same
    odds = np.log(matrix.rivals * (matrix.points + tie) / (matrix.games - matrix.points + matrix.rivals * tie))
    odds = np.where(matrix.games > 0, odds, -odds.T)
    return np.where(matrix.met, odds, theta[:, None] - theta[None, :])
