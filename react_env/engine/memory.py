"""Memory that is fetched ahead, and scratch memory on the stack.

A batch of thousands of games does not fit into the caches. If the last one is shared with other work, a step waits for memory as long as it
computes. So a loop fetches what it touches next into the cache while it is busy with something else.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from react_env.engine.compile import COMPILED, njit

LINE = 64  # bytes of a cache line

if COMPILED:
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic
    from numba.np.numpy_support import from_dtype

    @intrinsic
    def prefetch(typingctx: Any, array: Any, offset: Any) -> Any:
        """Prefetch the cache line with byte `offset` of the memory of a contiguous array. It is not read, so it need not exist."""

        def lowered(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            memory = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
            byte = builder.gep(builder.bitcast(memory, pointer), [arguments[1]])
            kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
            asked = builder.module.globals.get("llvm.prefetch.p0i8")
            asked = asked or ir.Function(builder.module, kind, "llvm.prefetch.p0i8")
            builder.call(asked, [byte, number(1), number(3), number(1)])  # to be written, into all caches, data
            return context.get_dummy_value()

        return types.void(array, types.int64), lowered

    def scratch(count: int, dtype: DTypeLike) -> Any:
        """A function that gives its compiled caller an uninitialized array (`count`,), which is gone when the caller returns.

        It lies on the stack, so it costs nothing, and code that allocates nothing need not count references (see `linking`).
        """
        kind = types.Array(from_dtype(np.dtype(dtype)), 1, "C")

        def own_array(typingctx: Any) -> Any:
            def lowered(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                item = context.get_data_type(kind.dtype)
                width, number = context.get_abi_sizeof(item), context.get_constant(types.intp, count)
                array = context.make_array(kind)(context, builder)
                strides = [context.get_constant(types.intp, width)]
                memory = cgutils.alloca_once(builder, item, size=number)
                context.populate_array(
                    array, data=memory, shape=[number], strides=strides, itemsize=strides[0], meminfo=None
                )
                return array._getvalue()

            return kind(), lowered

        own_array.__name__ = f"own_array_{count}_{np.dtype(dtype).name}"  # part of its callers' fingerprints
        return intrinsic(own_array)

else:

    def scratch(count: int, dtype: DTypeLike) -> Any:
        """A function that gives an uninitialized array (`count`,)."""
        return lambda: np.empty(count, dtype)

    def prefetch(array: Any, offset: Any) -> None:
        """Do nothing: there is no compiler."""


@njit(name="engine.ask_for")
def ask_for(rows: Any, i: Any, begin: Any, end: Any) -> None:
    """Prefetch the bytes from `begin` to `end` of rows[i], rows (N, bytes) contiguous."""
    first = i * rows.shape[1]
    for offset in range(begin, end, LINE):
        prefetch(rows, first + offset)
