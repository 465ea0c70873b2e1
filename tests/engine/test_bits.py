"""Flags as bits of words, and the choice of a legal action that uses them."""

from typing import Any

import numpy as np

from react_env.engine.bits import WORD, count_bits, lowest_bit, word_of
from react_env.engine.compile import njit
from react_env.engine.kernels import count_legal, nth_legal


@njit
def bits_of(word: Any) -> Any:
    """(how many bits are set, which is the lowest), from compiled code."""
    return count_bits(word), lowest_bit(word)


def masks() -> list[Any]:
    """Masks of every length from 1 to 199: none, one, some and all legal."""
    rng = np.random.default_rng(0)
    return [rng.random(size) < share for size in range(1, 200) for share in (0.0, 1 / size, 0.3, 1.0)]


def test_words_hold_the_flags_in_their_order() -> None:
    for mask in masks():
        for first in range(0, len(mask), WORD):
            part = mask[first : first + WORD]
            word = int(word_of(mask, first))
            assert [word >> k & 1 for k in range(WORD)] == [*part, *[False] * (WORD - len(part))]
            assert bits_of(word) == (part.sum(), np.argmax(part) if part.any() else 64)


def test_what_lies_beside_a_row_is_not_read_into_it() -> None:
    rows = np.ones((3, 21), np.bool_)
    rows[1] = False
    assert word_of(rows[1], 0) == 0 and count_legal(rows[1]) == 0
    assert count_legal(rows[0]) == count_legal(rows[2]) == 21


def test_each_legal_action_has_its_number() -> None:
    for mask in masks():
        legal = np.flatnonzero(mask)
        assert count_legal(mask) == len(legal)
        assert [nth_legal(mask, k) for k in range(len(legal))] == legal.tolist()
        assert nth_legal(mask, len(legal)) == 0
