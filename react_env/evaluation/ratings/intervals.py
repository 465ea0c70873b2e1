"""Intervals: how sure a measured rate is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from react_env.evaluation.arrays import Bools, Floats
from react_env.extras import need

TWO_SIDED = NormalDist().inv_cdf(0.975)  # half the width of a 95 % interval, in standard deviations


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Wilson's 95 % score interval of a proportion, as (low, high) from 0 to 1; (0, 1) without trials. ValueError for impossible
    counts."""
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials")
    low, high = wilson_score(successes / trials if trials else 0.0, trials)
    return low if successes else 0.0, high if successes < trials else 1.0  # exact in spite of rounding


def percent(value: float) -> str:
    """0.8765 -> '87.7 %'."""
    return f"{100 * value:.1f} %"


def interval_text(successes: int, trials: int) -> str:
    """The 95 % interval as '85.2-89.9 %'."""
    low, high = wilson(successes, trials)
    return f"{100 * low:.1f}-{100 * high:.1f} %"


def share_text(successes: int, trials: int) -> str:
    """A share with its 95 % interval, '87.7 % (85.2-89.9 %)'; '' without trials."""
    return f"{percent(successes / trials)} ({interval_text(successes, trials)})" if trials else ""


def wilson_score(mean: float, trials: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a mean between 0 and 1 that is known as precisely as from `trials` independent games; (0, 1) without
    trials."""
    if trials <= 0:
        return 0.0, 1.0
    z2 = TWO_SIDED**2
    middle = (mean + z2 / (2 * trials)) / (1 + z2 / trials)
    half = (z2 * mean * (1 - mean) / trials + z2 * z2 / (4 * trials * trials)) ** 0.5 / (1 + z2 / trials)
    return max(0.0, middle - half), min(1.0, middle + half)


def score_interval(score: float, variance: float, games: int, most: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a mean score between 0 and 1, for as many independent games as would have its `variance` (see
    `independent`)."""
    return wilson_score(score, independent(score, variance, games, most))


def independent(score: float, variance: float, games: int, most: float) -> float:
    """How many independent games would give a mean score between 0 and 1 this variance, at most four times `most`; `games` if the score
    is 0 or 1 or the variance is 0."""
    spread = score * (1 - score)
    return min(spread / variance, 4.0 * most) if spread > 0 and variance > 0 else games


@dataclass(frozen=True)
class Rate:
    """A share of independent games, with Wilson's interval."""

    count: int
    games: int

    @classmethod
    def of(cls, those: Bools, among: Bools | None = None) -> Rate:
        """The share of `those` (N,) in N games, or in the games `among` (N,) if given."""
        return cls(int(those.sum()), len(those)) if among is None else cls(int((those & among).sum()), int(among.sum()))

    @property
    def value(self) -> float:
        return self.count / self.games if self.games else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.count, self.games)

    def to_json(self) -> dict[str, Any]:
        return {**rounded(self.value, *self.interval), "count": self.count, "games": self.games}


def rounded(*values: float) -> dict[str, float | None]:
    """A value and the ends of its interval, with None for unknown numbers."""
    return {name: None if math.isnan(v) else round(v, 4) for name, v in zip(("value", "low", "high"), values)}


def median_interval(values: Floats) -> tuple[float, float]:
    """The 95 % interval of the median for any distribution, by the ranks of the sorted values; (nan, nan) for fewer than six values."""
    need("eval", "scipy")
    from scipy.stats import binom

    rank = int(binom.ppf(0.025, len(values), 0.5))
    if not rank:
        return math.nan, math.nan
    found = np.sort(values)
    return float(found[rank - 1]), float(found[-rank])
