"""Differences between games on the same deals: their mean, and which of many are more than chance."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from react_env.evaluation.arrays import Floats
from react_env.extras import need


def mean_of(values: Floats) -> tuple[float, float, float]:
    """The mean of at least two independent values and its 95 % interval (Student's)."""
    need("eval", "scipy")
    from scipy.stats import t

    mean, error = float(values.mean()), float(values.std(ddof=1)) / math.sqrt(len(values))
    half = float(t.ppf(0.975, len(values) - 1)) * error
    return mean, mean - half, mean + half


def p_value(values: Floats) -> float:
    """How probable a mean at least so far from 0, to either side, is by chance: the larger p-value of Student's t test and the sign test.

    Results of games take few values, so a handful may happen to scatter little; the sign test does not depend on the scatter.
    """
    need("eval", "scipy")
    from scipy.stats import binomtest, t

    positive, negative = int((values > 0).sum()), int((values < 0).sum())
    if not positive + negative:
        return 1.0
    signs = float(binomtest(positive, positive + negative).pvalue)
    error = float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    return max(signs, 2 * float(t.sf(abs(float(values.mean())) / error, len(values) - 1)) if error else 0.0)


def surely(p_values: Sequence[float]) -> list[bool]:
    """Which findings stand if at most 5 % of the findings that stand may be wrong (Benjamini and Hochberg, 1995)."""
    if not p_values:
        return []
    need("eval", "scipy")
    from scipy.stats import false_discovery_control

    return [bool(value <= 0.05) for value in false_discovery_control(p_values)]


def compared(samples: Sequence[Floats], step: float = 0.5) -> list[tuple[float, float, float, bool]]:
    """For each sample its mean, the ends of the interval, and whether it stands among all samples; see `mean_of` and `surely`.

    Each interval is as wide as if the sample had one more value `step`, as much as one game can change a value, and one more -`step`:
    equal values in a sample do not make its mean certain.
    """
    found = []
    for values, sure in zip(samples, surely([p_value(values) for values in samples]), strict=True):
        _, low, high = mean_of(np.append(values, (-step, step)))
        mean, half = float(values.mean()), (high - low) / 2
        found.append((mean, mean - half, mean + half, sure))
    return found
