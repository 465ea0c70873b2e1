"""Intervals against published numbers."""

import numpy as np
import pytest

from react_env.evaluation.ratings.differences import compared
from react_env.evaluation.ratings.intervals import wilson


def test_wilson_against_known_values() -> None:
    # Newcombe 1998, table I, method 3.
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert wilson(15, 148) == pytest.approx((0.0624, 0.1605), abs=1e-4)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=1e-4)
    assert wilson(0, 20)[0] == 0 and wilson(300, 300)[1] == 1
    assert wilson(1, 29) == pytest.approx((0.0061, 0.1718), abs=1e-4)


def test_wilson_without_games() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


def test_wilson_refuses_impossible_counts() -> None:
    with pytest.raises(ValueError):
        wilson(5, 3)


@pytest.mark.parametrize("rate", [0.01, 0.04, 0.3])
def test_differences_that_hardly_ever_occur_are_not_known_exactly(rate: float) -> None:
    """Past bug: of 50 deals without one the interval was 0 to 0. Each deal differs by half a point with this chance."""
    rng = np.random.default_rng(0)
    samples = [np.where(rng.random(50) < rate, 0.5, 0.0) for _ in range(400)]
    found = compared(samples)
    assert np.mean([low <= rate / 2 <= high for _, low, high, _ in found]) > 0.92
    _, low, high, sure = compared([np.zeros(50)])[0]
    assert -0.05 < low < -0.02 and high == -low and not sure
    assert compared([np.full(4, 0.5)])[0][1] < 0.1, "four equal differences may be luck"
