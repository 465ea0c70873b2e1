"""Intervals against published numbers."""

import numpy as np
import pytest

from react_env.evaluation.ratings.differences import compared, p_value, surely
from react_env.evaluation.ratings.intervals import median_interval, wilson


def test_wilson_against_known_values() -> None:
    # Newcombe 1998, table I, method 3.
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert wilson(15, 148) == pytest.approx((0.0624, 0.1605), abs=1e-4)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=1e-4)
    assert wilson(0, 20)[0] == 0 and wilson(300, 300)[1] == 1
    assert wilson(1, 29) == pytest.approx((0.0061, 0.1718), abs=1e-4)


def test_the_interval_of_a_median() -> None:
    # Conover 1999, table A3: of 20 values the 6th and the 15th, at 95.9 %; with fewer than six even all of them are not enough.
    assert median_interval(np.random.default_rng(0).permutation(20) + 1.0) == (6, 15)
    assert median_interval(np.arange(6.0)) == (0, 5) and np.isnan(median_interval(np.arange(5.0))).all()


def test_wilson_without_games() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


def test_wilson_refuses_impossible_counts() -> None:
    with pytest.raises(ValueError):
        wilson(5, 3)


@pytest.mark.parametrize("rate", [0.01, 0.04, 0.3])
def test_differences_that_hardly_ever_occur_are_not_known_exactly(rate: float) -> None:
    """Past bug: 50 deals without a difference gave an interval of 0 to 0. Here a deal differs by half a point with this chance."""
    rng = np.random.default_rng(0)
    samples = [np.where(rng.random(50) < rate, 0.5, 0.0) for _ in range(400)]
    found = compared(samples)
    assert np.mean([low <= rate / 2 <= high for _, low, high, _ in found]) > 0.92
    _, low, high, sure = compared([np.zeros(50)])[0]
    assert -0.05 < low < -0.02 and high == -low and not sure
    assert compared([np.full(4, 0.5)])[0][1] < 0.1, "four equal differences may be luck"


def test_one_finding_of_many_needs_more_than_five_percent() -> None:
    # Benjamini and Hochberg 1995, section 3.2: at 5 % the four smallest of fifteen stand.
    published = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459]
    published += [0.324, 0.4262, 0.5719, 0.6528, 0.759, 1.0]
    assert surely(published) == [True] * 4 + [False] * 11
    assert surely([0.04]) == [True] and surely([0.04, 0.5, 0.5]) == [False] * 3 and surely([]) == []


def test_neither_signs_alone_nor_size_alone_make_a_difference() -> None:
    often, large = np.repeat([0.1, -1.0], [40, 4]), np.repeat([0.0, 0.5], [40, 4])
    assert p_value(often) > 0.5, "the mean is 0, whatever the signs"
    assert p_value(large) == pytest.approx(0.125), "four heads in a row"
    assert p_value(np.repeat([0.5, -0.5], [40, 10])) < 1e-4
