"""Flags as the bits of a word: sixteen are read at once, and none of them is a branch that could not be foreseen."""

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

    @intrinsic
    def _block(typingctx: Any, flags: Any, first: Any) -> Any:
        """The `BLOCK` flags from `first` on of a contiguous array of bool, as the lowest bits."""

        def lowered(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            memory = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            kind = ir.VectorType(ir.IntType(8), BLOCK)
            bytes_ = builder.load(builder.bitcast(builder.gep(memory, [arguments[1]]), kind.as_pointer()), align=1)
            bits = builder.bitcast(builder.icmp_unsigned("!=", bytes_, ir.Constant(kind, None)), ir.IntType(BLOCK))
            return builder.zext(bits, ir.IntType(64))

        return types.int64(flags, types.int64), lowered

    @intrinsic
    def count_bits(typingctx: Any, word: Any) -> Any:
        """How many bits of an int64 are set."""
        return types.int64(types.int64), lambda context, builder, signature, arguments: builder.ctpop(arguments[0])

    @intrinsic
    def lowest_bit(typingctx: Any, word: Any) -> Any:
        """Which bit of an int64 is the lowest that is set; 64 where none is."""

        def lowered(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

        return types.int64(types.int64), lowered

else:

    def _block(flags: Any, first: Any) -> Any:
        """The `BLOCK` flags from `first` on, as the lowest bits."""
        return sum(int(flags[first + k]) << k for k in range(BLOCK))

    def count_bits(word: Any) -> Any:
        """How many bits of an int64 are set."""
        return int(word).bit_count()

    def lowest_bit(word: Any) -> Any:
        """Which bit of an int64 is the lowest that is set; 64 where none is."""
        return (int(word) & -int(word)).bit_length() - 1 if word else 64


@njit
def word_of(flags: Any, first: Any) -> Any:
    """The `WORD` flags from `first` on of a contiguous array (A,) of bool as an int64, the first one lowest; 0 beyond the end."""
    word = np.int64(0)
    end = min(first + WORD, flags.size)
    k = first
    while k + BLOCK <= end:
        word |= _block(flags, k) << np.int64(k - first)
        k += BLOCK
    if k < end and flags.size >= BLOCK:  # the last ones, with some of before
        word |= (_block(flags, end - BLOCK) >> np.int64(k + BLOCK - end)) << np.int64(k - first)
        k = end
    while k < end:
        word |= np.int64(flags[k]) << np.int64(k - first)
        k += 1
    return word
