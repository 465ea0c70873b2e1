"""Intervals: how sure a measured rate is."""

from __future__ import annotations

from collections.abc import Sequence


def wilson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a proportion; (0, 1) without trials. ValueError for impossible counts."""
    if trials == 0 and successes == 0:
        return 0.0, 1.0
    from scipy.stats import binomtest

    interval = binomtest(successes, trials).proportion_ci(confidence_level=confidence, method="wilson")
    return float(interval.low), float(interval.high)


def median(values: Sequence[float]) -> float:
    """The middle of the sorted values, or the mean of the two middle ones. ValueError if there are none."""
    ordered = sorted(values)
    if not ordered:
        raise ValueError("no values")
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def percent(value: float) -> str:
    """0.8765 -> '87.7 %'."""
    return f"{100 * value:.1f} %"


def interval_text(successes: int, trials: int) -> str:
    """The 95 % interval as '85.2-89.9 %'."""
    low, high = wilson(successes, trials)
    return f"{100 * low:.1f}-{100 * high:.1f} %"
