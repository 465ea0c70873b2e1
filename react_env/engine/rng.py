"""The random stream that lives in each record: SplitMix64 (Steele, Lea and Flood, 2014) on the field ``rng``.

Its state is one 64-bit word, so a game's future depends on its record and the actions alone.
"""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np

from react_env.engine.compile import COMPILED, njit
from react_env.errors import OptionError

_GAMMA = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB
_MASK = 0xFFFFFFFFFFFFFFFF

if COMPILED:
    _U_GAMMA, _U_MIX_1, _U_MIX_2 = np.uint64(_GAMMA), np.uint64(_MIX_1), np.uint64(_MIX_2)

    @njit
    def next_word(s: Any) -> Any:
        """The next 64 random bits of record `s` (uint64)."""
        s.rng = s.rng + _U_GAMMA
        z = s.rng
        z = (z ^ (z >> np.uint64(30))) * _U_MIX_1
        z = (z ^ (z >> np.uint64(27))) * _U_MIX_2
        return z ^ (z >> np.uint64(31))

    @njit
    def below(s: Any, n: Any) -> Any:
        """A random integer in 0..n-1 (n below 2**31; the bias is below n / 2**32)."""
        return np.int64(((next_word(s) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))

    @njit
    def below_at(words: Any, i: Any, n: Any) -> Any:
        """Like `below`, but from the stream words[i] of an array (N,) of uint64 instead of a record's."""
        words[i] += _U_GAMMA
        z = words[i]
        z = (z ^ (z >> np.uint64(30))) * _U_MIX_1
        z = (z ^ (z >> np.uint64(27))) * _U_MIX_2
        return np.int64((((z ^ (z >> np.uint64(31))) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))

else:

    def next_word(s: Any) -> Any:
        """The next 64 random bits of record `s` (int)."""
        z = (int(s.rng) + _GAMMA) & _MASK
        s.rng = z
        z = ((z ^ (z >> 30)) * _MIX_1) & _MASK
        z = ((z ^ (z >> 27)) * _MIX_2) & _MASK
        return z ^ (z >> 31)

    def below(s: Any, n: Any) -> Any:
        """A random integer in 0..n-1 (n below 2**31; the bias is below n / 2**32)."""
        return ((next_word(s) >> 32) * int(n)) >> 32

    def below_at(words: Any, i: Any, n: Any) -> Any:
        """Like `below`, but from the stream words[i] of an array (N,) of uint64 instead of a record's."""
        z = (int(words[i]) + _GAMMA) & _MASK
        words[i] = z
        z = ((z ^ (z >> 30)) * _MIX_1) & _MASK
        z = ((z ^ (z >> 27)) * _MIX_2) & _MASK
        return (((z ^ (z >> 31)) >> 32) * int(n)) >> 32


def seed_word(seed: int, stream: int = 0) -> int:
    """The first state of stream number `stream` of `seed`: two SplitMix64 rounds, so that close seeds give unrelated streams."""
    return int(first_states(seed, stream))


def first_states(seed: int, streams: Any) -> Any:
    """Like `seed_word`, for one stream or for several, uint64 (N,)."""
    z = (streams * _MIX_1 + ((seed * _GAMMA + 0x632BE59BD9B4E019) & _MASK)) & _MASK
    for _ in range(2):
        z = ((z ^ (z >> 30)) * _MIX_1) & _MASK
        z = ((z ^ (z >> 27)) * _MIX_2) & _MASK
        z ^= z >> 31
    return z


def is_integer(value: object) -> TypeGuard[int]:
    """Whether the value is an integer, of Python or NumPy; True and False are not."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def as_seed(seed: int) -> int:
    """The seed as a Python integer. Raises OptionError if it is not an integer."""
    if not is_integer(seed):
        raise OptionError(f"a seed is an integer, not {seed!r:.80}")
    return int(seed)


def random_seed() -> int:
    """A seed from the system's randomness."""
    return int(np.random.SeedSequence().entropy) & 0x7FFFFFFFFFFFFFFF  # type: ignore[arg-type]
