"""Bytes as the bits of a word: sixteen are read at once, without branches that a processor could mispredict."""

from __future__ import annotations

from typing import Any

import numpy as np

from react_env.engine.compile import COMPILED, njit

BLOCK = 16
WORD = 48  # flags in one word, whose sign stays clear

if COMPILED:
    from llvmlite import ir
    from numba.core import types
    from numba.extending import intrinsic

    def _compared(how: str, values: Any) -> Any:
        """An intrinsic that compares the `BLOCK` bytes of the array `values` from its second argument on with 0, as the lowest bits."""

        def lowered(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            memory = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            kind = ir.VectorType(ir.IntType(8), BLOCK)
            bytes_ = builder.load(builder.bitcast(builder.gep(memory, [arguments[1]]), kind.as_pointer()), align=1)
            bits = builder.bitcast(builder.icmp_signed(how, bytes_, ir.Constant(kind, None)), ir.IntType(BLOCK))
            return builder.zext(bits, ir.IntType(64))

        return types.int64(values, types.int64), lowered

    @intrinsic
    def not_0(typingctx: Any, values: Any, first: Any) -> Any:
        """Which of the `BLOCK` bytes of a contiguous array from index `first` on are not 0, as the lowest bits."""
        return _compared("!=", values)

    @intrinsic
    def not_negative(typingctx: Any, values: Any, first: Any) -> Any:
        """Which of the `BLOCK` int8 of a contiguous array from index `first` on are not negative, as the lowest bits."""
        return _compared(">=", values)

    @intrinsic
    def count_bits(typingctx: Any, word: Any) -> Any:
        """How many bits of an int64 are set."""
        return types.int64(types.int64), lambda context, builder, signature, arguments: builder.ctpop(arguments[0])

    @intrinsic
    def lowest_bit(typingctx: Any, word: Any) -> Any:
        """The number of the lowest set bit of an int64; 64 if none is set."""

        def lowered(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

        return types.int64(types.int64), lowered

else:

    def not_0(values: Any, first: Any) -> Any:
        """Which of the `BLOCK` bytes of a contiguous array from index `first` on are not 0, as the lowest bits."""
        return sum(int(value != 0) << k for k, value in enumerate(values.reshape(-1)[first : first + BLOCK]))

    def not_negative(values: Any, first: Any) -> Any:
        """Which of the `BLOCK` int8 of a contiguous array from index `first` on are not negative, as the lowest bits."""
        return sum(int(value >= 0) << k for k, value in enumerate(values.reshape(-1)[first : first + BLOCK]))

    def count_bits(word: Any) -> Any:
        """How many bits of an int64 are set."""
        return int(word).bit_count()

    def lowest_bit(word: Any) -> Any:
        """The number of the lowest set bit of an int64; 64 if none is set."""
        return (int(word) & -int(word)).bit_length() - 1 if word else 64


@njit
def word_of(flags: Any, first: Any) -> Any:
    """The `WORD` flags of a contiguous bool array (A,) from index `first` on as an int64, the first one lowest; 0 beyond the end."""
    word = np.int64(0)
    end = min(first + WORD, flags.size)
    k = first
    while k + BLOCK <= end:
        word |= not_0(flags, k) << np.int64(k - first)
        k += BLOCK
    if k < end and flags.size >= BLOCK:  # the last ones, and some before them
        word |= (not_0(flags, end - BLOCK) >> np.int64(k + BLOCK - end)) << np.int64(k - first)
        k = end
    while k < end:
        word |= np.int64(flags[k]) << np.int64(k - first)
        k += 1
    return word
