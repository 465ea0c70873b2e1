"""What games say: pure functions from outcomes to figures, each with its sample and its 95 % interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env.evaluation.arrays import Bools, Floats
from react_env.evaluation.lab.games import Cell, Outcomes
from react_env.evaluation.lab.subject import Ban, Figure, Goals, Item, Subject
from react_env.evaluation.matches.records import Games
from react_env.evaluation.ratings.differences import compared, mean_of, p_value, surely
from react_env.evaluation.ratings.intervals import Rate, median_interval, percent, rounded, score_interval
from react_env.evaluation.ratings.ratings import Standings, standings
from react_env.extras import need

BEHIND = 0.25  # a winner whose chance was once below this has come back
PERCENTILES = (5, 25, 50, 75, 95)
FEWEST = 10  # games that each of two groups needs for their difference; with fewer the interval would be far too narrow


@dataclass(frozen=True)
class Mean:
    """A mean of values that are independent from deal to deal, with its interval; `sure` if it stands among many findings."""

    value: float
    low: float
    high: float
    games: int
    sure: bool = False

    @classmethod
    def around(cls, value: float, error: float, games: int, least: float = -1.0, most: float = 1.0) -> Mean:
        """A mean with this standard error, of values that lie between `least` and `most`."""
        return cls(value, max(least, value - 1.96 * error), min(most, value + 1.96 * error), games)

    @property
    def error(self) -> float:
        """Its standard error, as the interval implies."""
        return (self.high - self.low) / (2 * 1.96)

    @property
    def chance(self) -> float:
        """How probable a value at least so far from 0 is by chance."""
        return 2 * NormalDist().cdf(-abs(self.value) / self.error) if self.error else 1.0

    def to_json(self) -> dict[str, Any]:
        return {**rounded(self.value, self.low, self.high), "games": self.games, "sure": self.sure}


def _marked(means: Sequence[Mean], chances: Sequence[float]) -> list[Mean]:
    """The same means, marked if they are surely not chance (false discovery rate 5 %); `chances`: how probable each is by chance."""
    return [replace(mean, sure=sure) for mean, sure in zip(means, surely(chances), strict=True)]


def score_of(values: Floats, games: int) -> Mean:
    """The mean of scores by deal, between 0 and 1, with Wilson's interval for as many independent games as would have their spread."""
    value, variance = float(values.mean()), float(values.var(ddof=1)) / len(values) if len(values) > 1 else 0.0
    return Mean(value, *score_interval(value, variance, games, games), games)


def _mean(means: Sequence[Mean], games: int) -> Mean:
    """The mean of independent means, its interval combined from theirs, each side by itself (Donner and Zou, 2012)."""
    value = sum(mean.value for mean in means) / len(means)
    below, above = (
        math.hypot(*(mean.value - mean.low for mean in means)),
        math.hypot(*(mean.high - mean.value for mean in means)),
    )
    return Mean(value, value - below / len(means), value + above / len(means), games)


@dataclass(frozen=True)
class Judged:
    """How a learned value saw some of the games."""

    known: Mean  # the share of a game after which the winner stayed ahead
    comebacks: Rate  # games with a winner that was below `BEHIND` in some part of the game
    weighty: Mean  # the share of decisions in which the best two actions differ

    def to_json(self) -> dict[str, Any]:
        return _figures(self, "known", "comebacks", "weighty")


@dataclass(frozen=True)
class Play:
    """How often one item of a side is played."""

    item: Item
    played: Rate  # of the games of its side
    # The score of its side in those games minus that in the others; None if either group has fewer than `FEWEST`.
    naive: Mean | None


@dataclass(frozen=True)
class Ratio:
    """A figure of the game's own: so many of one thing for each of another."""

    figure: Figure
    mean: Mean  # over the games in which the other thing occurred

    def to_json(self) -> dict[str, Any]:
        return {"figure": self.figure.name, **self.mean.to_json()}


@dataclass(frozen=True)
class SideFindings:
    """One side against all others."""

    side: str
    score: Mean
    began: Rate  # its wins of decided games in which it began
    second: Rate  # in which it did not
    ways: tuple[Rate, ...]  # of its wins
    lost: tuple[Rate, ...]  # of its defeats
    length: tuple[float, ...]  # `PERCENTILES`
    plays: tuple[Play, ...]
    ratios: tuple[Ratio, ...]  # of what this side did
    different: float  # how many equally frequent items would be as varied: e to the entropy of the plays


@dataclass(frozen=True)
class AgentFindings:
    """What one agent's games say.

    Attributes:
        pairs: (side, other) -> the score of the side; both orders.
        standings: the sides rated as if they were players; None if there are fewer than two.
    """

    agent: str
    games: int
    pairs: Mapping[tuple[str, str], Mean]
    standings: Standings | None
    sides: tuple[SideFindings, ...]
    began: Rate
    ties: Rate
    cut: Rate
    length: tuple[float, ...]  # `PERCENTILES`
    median: tuple[float, float]  # the interval of the median length
    ways: tuple[Rate, ...]  # of the games with a winner
    tied: tuple[Rate, ...]  # how, of the ties
    ratios: tuple[Ratio, ...]
    judged: Judged | None


def agent_findings(subject: Subject, agent: str, cells: Mapping[Cell, Outcomes]) -> AgentFindings:
    """All findings from the games of one agent in the cells of a study, at least one cell."""
    # Sides have different numbers of items, so what was played cannot be joined.
    parts = [replace(found, used=np.zeros((len(found), 0, 0), np.bool_)) for found in cells.values()]
    everything = Outcomes.together(parts)
    sides = tuple(dict.fromkeys(side for cell in cells for side in cell.sides))
    pairs, chances = {}, []
    for a, b in permutations(sides, 2):
        if Cell((a, b)) in cells:
            seats = [(found, seat) for seat, pair in enumerate(((a, b), (b, a))) if (found := cells.get(Cell(pair)))]
            scores = np.mean([found.score(seat) for found, seat in seats], axis=0)
            pairs[a, b] = score_of(scores, len(scores) * len(seats))
            chances.append(p_value(scores - 0.5))
    pairs = dict(zip(pairs, _marked(list(pairs.values()), chances)))
    decided = everything.winner >= 0
    tied = ~decided & ~everything.cut
    limited = (everything.way == subject.ways.index(subject.limit)) if subject.limit else np.zeros_like(tied)
    return AgentFindings(
        agent,
        len(everything),
        pairs,
        standings(_as_games(subject, sides, cells), bootstrap=300, skill=False) if len(sides) > 1 else None,
        tuple(_side(subject, side, cells, pairs) for side in sides),
        Rate.of(everything.winner == everything.began, decided & (everything.began >= 0)),
        Rate.of(tied),
        Rate.of(everything.cut | limited),
        tuple(np.percentile(everything.length, PERCENTILES).tolist()),
        median_interval(everything.length.astype(float)),
        _ways(subject, everything.way[decided]),
        _ways(subject, everything.way[tied]),
        _ratios(subject, everything.counted.sum(axis=1)),
        _judged(everything),
    )


def _as_games(subject: Subject, sides: Sequence[str], cells: Mapping[Cell, Outcomes]) -> Games:
    """The games with the sides as if they were agents."""
    parts = []
    for cell, found in cells.items():
        first, second = (sides.index(side) for side in cell.sides)
        if first != second:
            a, b, seat = (first, second, 0) if first < second else (second, first, 1)
            result = np.where(found.winner < 0, 0, np.where(found.winner == seat, 1, -1))
            cut = found.cut & (found.winner < 0)
            parts.append(np.broadcast_arrays(a, b, seat, np.arange(len(found)), result, cut, found.length))
    columns = np.concatenate(parts, axis=1)
    zeros = np.zeros(columns.shape[1])
    return Games.of(
        subject.game_id,
        "",
        tuple(subject.title(side) for side in sides),
        ("",),
        2,
        **dict(zip(("a", "b", "seat", "seed", "result", "cut", "turns"), columns)),
        **dict.fromkeys(("setting", "forfeit", "decisions"), zeros),
    )


def _ways(subject: Subject, way: NDArray[np.int8]) -> tuple[Rate, ...]:
    return tuple(Rate.of(way == number) for number in range(len(subject.ways)))


def _ratios(subject: Subject, counted: NDArray[np.int32]) -> tuple[Ratio, ...]:
    """The figures of N games, `counted` (N, F, 2): a ratio of sums, its interval by linearisation over games."""
    found = []
    for number, figure in enumerate(subject.figures):
        some = counted[:, number].astype(float)
        some = some[some[:, 1] > 0]
        if len(some) < 2:
            mean = Mean(math.nan, math.nan, math.nan, len(some))
        else:
            value = float(some[:, 0].sum() / some[:, 1].sum())
            rest = (some[:, 0] - value * some[:, 1]) / some[:, 1].mean()
            variance = float(rest.var(ddof=1)) / len(some)
            if figure.share:
                measured = float(some[:, 1].sum())
                mean = Mean(value, *score_interval(value, variance, len(some), measured), len(some))
            else:
                mean = Mean.around(value, math.sqrt(variance), len(some), 0.0, math.inf)
        found.append(Ratio(figure, mean))
    return tuple(found)


def _judged(found: Outcomes) -> Judged | None:
    seen = ~np.isnan(found.decisions)
    won = seen & (found.winner >= 0) & ~np.isnan(found.chances[:, 0])
    if won.sum() < 2:
        return None
    own = winners_chances(found.chances[won].astype(float), found.winner[won] == 0)
    last_behind = np.where(own <= 0.5, np.arange(1, own.shape[1] + 1), 0).max(1)
    share = found.weighty[seen] / np.maximum(found.decisions[seen], 1)
    return Judged(
        _part_of(last_behind / own.shape[1]),
        Rate.of(own.min(1) < BEHIND),
        _part_of(share.astype(float)),
    )


def _part_of(shares: Floats) -> Mean:
    """The mean of shares of games, at least two."""
    mean, low, high = mean_of(shares)
    return Mean(mean, max(low, 0.0), min(high, 1.0), len(shares))


def winners_chances(chances: Floats, first: Bools) -> Floats:
    """(G, K) the winner's chances in the parts of G games, from player 0's chances as a judge saw them and from whether player 0 won.

    A judge is often too sure of itself early in a game. So in each part the log-odds are multiplied by the factor, not below 0, that makes
    the results likeliest (Platt, 1999).
    """
    need("eval", "scipy")
    from scipy.optimize import minimize_scalar
    from scipy.special import expit, logit

    odds = logit(np.clip(chances, 1e-3, 1 - 1e-3)) * np.where(first, 1.0, -1.0)[:, None]

    def unlikely(slope: float, column: Floats) -> float:
        return float(np.logaddexp(0, -slope * column).sum())

    for column in odds.T:
        column *= minimize_scalar(unlikely, bounds=(0.0, 3.0), args=(column.copy(),), method="bounded").x
    return expit(odds)


def _side(
    subject: Subject, side: str, cells: Mapping[Cell, Outcomes], pairs: Mapping[tuple[str, str], Mean]
) -> SideFindings:
    """One side, over all its cells."""
    mine = [(found, seat) for cell, found in cells.items() for seat, one in enumerate(cell.sides) if one == side]
    items = subject.items(side)

    def all_of(column: Callable[[Outcomes, int], NDArray[Any]]) -> NDArray[Any]:
        return np.concatenate([column(found, seat) for found, seat in mine])

    scores = all_of(Outcomes.score)
    won, decided = all_of(lambda found, seat: found.winner == seat), all_of(lambda found, _: found.winner >= 0)
    began = all_of(lambda found, seat: found.began == seat)
    way, length = all_of(lambda found, _: found.way), all_of(lambda found, _: found.length)
    used = all_of(lambda found, seat: found.used[:, seat, : len(items)])
    others = [mean for (a, _), mean in pairs.items() if a == side]
    plays = tuple(Play(item, Rate.of(used[:, i]), _naive(scores, used[:, i])) for i, item in enumerate(items))
    whole = used[:, [i for i, item in enumerate(items) if item.can_be_forbidden and not item.part]]
    share = whole.sum(axis=0) / max(1, whole.sum())
    entropy = float(-(share[share > 0] * np.log(share[share > 0])).sum())
    return SideFindings(
        side,
        # A deal is played from both seats, so the interval is combined from those of the pairings, which share no deals.
        _mean(others, len(scores)) if others else Mean(0.5, 0.5, 0.5, len(scores)),
        Rate.of(won, decided & began),
        Rate.of(won, decided & ~began),
        _ways(subject, way[won]),
        _ways(subject, way[decided & ~won]),
        tuple(np.percentile(length, PERCENTILES).tolist()),
        plays,
        _ratios(subject, all_of(lambda found, seat: found.counted[:, seat])),
        math.exp(entropy) if len(items) else 0.0,
    )


def _naive(scores: Floats, used: Bools) -> Mean | None:
    """The score in the games in which an item was played, minus the score in the others."""
    with_it, without = scores[used], scores[~used]
    if min(len(with_it), len(without)) < FEWEST:
        return None
    played, not_played = score_of(with_it, len(with_it)), score_of(without, len(without))
    value = played.value - not_played.value
    below = math.hypot(played.value - played.low, not_played.high - not_played.value)  # Newcombe, 1998
    above = math.hypot(played.high - played.value, not_played.value - not_played.low)
    return Mean(value, value - below, value + above, len(scores))


# -- what an item is worth, and what an edit changes ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Worth:
    """What the right to play an item is worth to its side: its score minus its score without the item, on the same deals."""

    ban: Ban
    difference: Mean
    play: Play


def worth(
    subject: Subject, bans: Sequence[Ban], free: Mapping[Cell, Outcomes], banned: Mapping[Cell, Outcomes]
) -> list[Worth]:
    """Restricted play (Jaffe et al., 2012) for each of `bans`; items that surely matter are marked (false discovery rate 5 %)."""
    rows, gains, seats_of_a_deal = [], [], 2
    for ban in bans:
        seats = [(cell, cell.sides.index(ban.side)) for cell in banned if cell.ban == ban]
        # The games on one deal of a pairing, from both seats, are one sample.
        pairings: dict[tuple[str, ...], list[Floats]] = {}
        for cell, seat in seats:
            gained = free[Cell(cell.sides)].score(seat) - banned[cell].score(seat)
            pairings.setdefault(tuple(sorted(cell.sides)), []).append(gained)
        gains.append(np.concatenate([np.mean(values, axis=0) for values in pairings.values()]))
        seats_of_a_deal = len(seats) // len(pairings)  # 1 for a side that plays against itself
        scores = np.concatenate([free[Cell(cell.sides)].score(seat) for cell, seat in seats])
        i, item = next((i, item) for i, item in enumerate(subject.items(ban.side)) if item.id == ban.item)
        used = np.concatenate([free[Cell(cell.sides)].used[:, seat, i] for cell, seat in seats])
        rows.append((ban, len(scores), Play(item, Rate.of(used), _naive(scores, used))))
    return [
        Worth(ban, Mean(value, max(low, -1.0), min(high, 1.0), games, sure), play)
        for (ban, games, play), (value, low, high, sure) in zip(rows, compared(gains, 1 / seats_of_a_deal), strict=True)
    ]


@dataclass(frozen=True)
class Change:
    """What an edit does to a side against another: its score with the edit minus its score without, on the same deals."""

    side: str
    other: str
    before: Mean
    after: Mean
    difference: Mean


def changes(pairings: Sequence[tuple[str, str, Sequence[Sequence[Outcomes]]]]) -> list[Change]:
    """What moved in each pairing (side, other, games): the games before and after, each (side first, other first) on the same deals.

    Those that surely moved are marked (false discovery rate 5 %).
    """
    scores = [[(first.score(0) + second.score(1)) / 2 for first, second in games] for _, _, games in pairings]
    moved = compared([new - old for old, new in scores])
    return [
        Change(
            side,
            other,
            score_of(old, 2 * len(old)),
            score_of(new, 2 * len(new)),
            Mean(value, low, high, 2 * len(old), sure),
        )
        for (side, other, _), (old, new), (value, low, high, sure) in zip(pairings, scores, moved, strict=True)
    ]


@dataclass(frozen=True)
class Total:
    """By how much the score of a side moves, over the pairings that an edit can touch."""

    side: str
    difference: Mean
    pairings: int


def totals(found: Sequence[Change]) -> list[Total]:
    """One for each side, the largest gain first. Sides that surely moved are marked (false discovery rate 5 %); a side with a single
    pairing is marked if the pairing is."""
    sides: dict[str, list[Mean]] = {}
    for row in found:
        sides.setdefault(row.side, []).append(row.difference)
        sides.setdefault(row.other, []).append(replace(row.difference, value=-row.difference.value))
    totals = []
    for means in sides.values():
        value, games = sum(mean.value for mean in means) / len(means), sum(mean.games for mean in means)
        totals.append(Mean.around(value, math.hypot(*(mean.error for mean in means)) / len(means), games))
    made = [
        Total(side, mean if len(means) > 1 else replace(mean, sure=means[0].sure), len(means))
        for (side, means), mean in zip(sides.items(), _marked(totals, [mean.chance for mean in totals]))
    ]
    return sorted(made, key=lambda total: -total.difference.value)


# -- goals ---------------------------------------------------------------------------------------------------------------------


def misses(subject: Subject, goals: Goals, found: AgentFindings) -> list[str]:
    """A line for each goal that is missed, in words. If the sample leaves open whether it is missed, the line says "may be chance"."""
    lines = []

    def within(what: str, value: float, low: float, high: float, interval: tuple[float, float], span: str = "") -> None:
        if not low <= value <= high:
            maybe = not (interval[1] < low or interval[0] > high)  # also if the interval is not known
            lines.append(f"{what}, the goal is {span or span_text(low, high)}{'; it may be chance' if maybe else ''}")

    if goals.pairing:
        least, most = goals.pairing
        for (a, b), mean in found.pairs.items():
            loses = mean.value < 0.5 or (mean.value == 0.5 and a < b)
            if loses or least <= 1 - mean.value <= most:  # the winner's score is listed if it alone misses the goal
                text = f"{subject.title(a)} scores {percent(mean.value)} against {subject.title(b)}"
                within(text, mean.value, *goals.pairing, (mean.low, mean.high))
    for side in found.sides:
        text = f"{subject.title(side.side)} scores {percent(side.score.value)} against all others"
        for span in dict.fromkeys(filter(None, (goals.side, goals.sides.get(side.side)))):
            within(text, side.score.value, *span, (side.score.low, side.score.high))
    if goals.began and found.began.games:
        within(
            f"the first player wins {percent(found.began.value)}", found.began.value, *goals.began, found.began.interval
        )
    for name, goal, rate in (("ties", goals.ties, found.ties), ("games ended by a limit", goals.cut, found.cut)):
        if goal is not None:
            within(f"{name}: {percent(rate.value)}", rate.value, 0.0, goal, rate.interval)
    if goals.length:
        text = f"the median game takes {found.length[2]:g} {subject.length_unit}"
        low, high = goals.length
        within(text, found.length[2], low, high, found.median, f"{low:g} to {high:g}")
    for ratio in found.ratios:
        if ratio.figure.name in goals.figures and not math.isnan(ratio.mean.value):
            low, high = goals.figures[ratio.figure.name]
            value = percent(ratio.mean.value) if ratio.figure.share else f"{ratio.mean.value:.2f}"
            words = "" if ratio.figure.share else f"{low:g} to {high:g}"
            mean = ratio.mean
            within(f"{ratio.figure.name}: {value}", mean.value, low, high, (mean.low, mean.high), words)
    for side in found.sides:
        for play in side.plays:
            goal = goals.part_played if play.item.part else goals.played
            if goal is not None and play.item.can_be_forbidden:
                text = f"{subject.title(side.side)}: {play.item.name} is played in {percent(play.played.value)} of its games"
                within(text, play.played.value, goal, 1.0, play.played.interval, f"{percent(goal)} or more")
    return lines


def span_text(low: float, high: float) -> str:
    """A goal for a share, in words."""
    return f"at most {100 * high:g} %" if low == 0 else f"{100 * low:g} to {100 * high:g} %"


# -- for programs --------------------------------------------------------------------------------------------------------------


def to_json(
    subject: Subject,
    goals: Goals,
    findings: Sequence[AgentFindings],
    worths: Sequence[tuple[str, Sequence[Worth]]] = (),
) -> dict[str, Any]:
    """A study's figures as plain values."""
    return {
        "titles": {side: subject.title(side) for side in subject.sides},
        "ways": list(subject.ways),
        "agents": {
            found.agent: {
                "games": found.games,
                "pairs": [{"side": a, "other": b, **mean.to_json()} for (a, b), mean in found.pairs.items()],
                "who_begins": found.began.to_json(),
                **_figures(found, "ties", "cut", "ways", "tied", "judged"),
                "strengths": found.standings and _strengths(found.standings),
                "missed": misses(subject, goals, found),
                "length": _percentiles(found.length),
                "median": rounded(found.length[2], *found.median),
                "figures": _plain(found.ratios),
                "sides": [
                    {
                        "side": side.side,
                        **_figures(side, "score", "began", "second", "ways", "lost"),
                        "length": _percentiles(side.length),
                        "figures": _plain(side.ratios),
                        "different": round(side.different, 2),
                        "plays": [
                            {"item": play.item.id, "name": play.item.name, "played": play.played.to_json()}
                            for play in side.plays
                        ],
                    }
                    for side in found.sides
                ],
            }
            for found in findings
        },
        "worth": {
            agent: [
                {
                    "side": row.ban.side,
                    "item": row.ban.item,
                    "name": row.play.item.name,
                    **row.difference.to_json(),
                    **_figures(row.play, "played", "naive"),
                }
                for row in rows
            ]
            for agent, rows in worths
        },
    }


def changes_json(found: Sequence[Any]) -> dict[str, Any]:
    """What an edit changes, from each `compare.Compared`, as plain values."""
    return {
        "changes": {
            one.name: [
                {
                    "side": row.side,
                    "other": row.other,
                    **_figures(row, "before", "after"),
                    "moved": row.difference.to_json(),
                }
                for row in one.changes
            ]
            for one in found
        },
        "sides": {
            one.name: [
                {"side": total.side, "pairings": total.pairings, **total.difference.to_json()}
                for total in totals(one.changes)
            ]
            for one in found
        },
        "open": {one.name: one.open for one in found},
    }


def _strengths(found: Standings) -> dict[str, Any]:
    """The sides rated as if they were players; sides by their titles."""
    return {
        "elo": [{"side": one.agent, "elo": one.elo, "low": one.low, "high": one.high} for one in found.ratings],
        "explained": found.transitivity,
        "chance_of_the_rest": found.cyclic_chance,
        "rings": [
            {"sides": list(ring.agents), "scores": list(ring.scores), "sure": ring.sure} for ring in found.cycles
        ],
    }


def _figures(found: Any, *names: str) -> dict[str, Any]:
    """Some attributes of findings as plain values."""
    return {name: _plain(getattr(found, name)) for name in names}


def _plain(value: Any) -> Any:
    return [_plain(one) for one in value] if isinstance(value, tuple) else value and value.to_json()


def _percentiles(length: Sequence[float]) -> dict[str, float]:
    return dict(zip(map(str, PERCENTILES), length))
