"""Intervals against published numbers."""

import pytest

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
