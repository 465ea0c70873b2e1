"""A counter from which threads take numbers, each a different one, without asking Python."""

from __future__ import annotations

from typing import Any

from react_env.engine.compile import COMPILED, njit

if COMPILED:
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic
    def take(typingctx: Any, turn: Any) -> Any:
        """Take the number in `turn` (1,) int64 and add one to it, atomically: each thread that asks gets a different one."""

        def lowered(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            memory = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            return builder.atomic_rmw("add", memory, memory.type.pointee(1), "monotonic")

        return types.int64(turn), lowered

else:

    def take(turn: Any) -> Any:
        """Take the number in `turn` (1,) int64 and add one to it."""
        turn[0] += 1
        return turn[0] - 1


@njit(name="engine.next_turn")
def next_turn(turn: Any) -> Any:
    """`take` for callers that are not compiled."""
    return take(turn)
