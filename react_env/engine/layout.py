"""The named pieces of an observation: where each lies in the flat buffer, its shape, its range and its meaning.

A game declares its pieces once; the compiled observe function, the network's scaling, the spaces of the adapters and the tables of the
documentation all read that declaration.

    LAYOUT = Layout([("turn", (), 0, 100, "number of the turn"), ("hand", (4,), 0, 6, "own cards by kind")])
    HAND = LAYOUT["hand"].start        # an int, constant for the compiler
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Piece(NamedTuple):
    """One named piece of the flat observation."""

    name: str
    shape: tuple[int, ...]  # () is one number
    low: ArrayLike  # smallest value: a number, or an array that broadcasts to `shape`
    high: ArrayLike  # largest value, likewise
    meaning: str
    # Names of the entries along the last axis, if they have any; in a history, of the kinds of events.
    names: tuple[str, ...] = ()
    start: int = 0  # offset in the buffer; set by Layout

    @property
    def size(self) -> int:
        """How many features the piece has."""
        return prod(self.shape)

    @property
    def stop(self) -> int:
        """The offset just after the piece."""
        return self.start + self.size

    @property
    def slice(self) -> slice:
        """The piece's place in the flat buffer."""
        return slice(self.start, self.stop)


class Layout:
    """Named pieces, one after the other, over one flat int8 buffer of `size` features.

    Args:
        pieces: each a `Piece` or a tuple (name, shape, low, high, meaning[, names]), in the order in which they lie in the buffer.

    Attributes:
        size: length of the buffer.
        pieces: name -> (slice, shape, meaning).
        low, high: int8 (size,), the range of each feature.
        scale: float32 (size,), the factor that brings each feature into -1..1, for networks.

    Raises:
        ValueError: a name given twice, or a range that is empty or does not fit int8.
    """

    def __init__(self, pieces: Iterable[Piece | tuple[Any, ...]]) -> None:
        self._pieces: dict[str, Piece] = {}
        lows: list[NDArray[np.int64]] = []
        highs: list[NDArray[np.int64]] = []
        start = 0
        for given in pieces:
            piece = Piece(*given[:6])._replace(start=start)
            low = np.broadcast_to(np.asarray(piece.low, np.int64), piece.shape).ravel()
            high = np.broadcast_to(np.asarray(piece.high, np.int64), piece.shape).ravel()
            if piece.name in self._pieces:
                raise ValueError(f"piece {piece.name!r} is given twice")
            if (low > high).any() or (low < -128).any() or (high > 127).any():
                raise ValueError(
                    f"piece {piece.name!r}: the range {piece.low}..{piece.high} is empty or does not fit int8"
                )
            self._pieces[piece.name] = piece
            lows.append(low)
            highs.append(high)
            start = piece.stop
        self.size = start
        self.low: NDArray[np.int8] = np.concatenate([*lows, np.zeros(0, np.int64)]).astype(np.int8)
        self.high: NDArray[np.int8] = np.concatenate([*highs, np.zeros(0, np.int64)]).astype(np.int8)
        largest = np.maximum(np.abs(self.low.astype(np.int64)), np.abs(self.high.astype(np.int64)))
        self.scale: NDArray[np.float32] = (1.0 / np.maximum(largest, 1)).astype(np.float32)
        for array in (self.low, self.high, self.scale):
            array.flags.writeable = False

    def __reduce__(self) -> Any:
        return Layout, (list(self),)  # so that a copy's arrays are read-only, too

    def __getitem__(self, name: str) -> Piece:
        return self._pieces[name]

    def __iter__(self) -> Iterator[Piece]:
        return iter(self._pieces.values())

    def __len__(self) -> int:
        return len(self._pieces)

    def __contains__(self, name: object) -> bool:
        return name in self._pieces

    @property
    def pieces(self) -> dict[str, tuple[slice, tuple[int, ...], str]]:
        """name -> (slice, shape, meaning)."""
        return {piece.name: (piece.slice, piece.shape, piece.meaning) for piece in self}

    def view(self, observation: NDArray[Any], name: str) -> NDArray[Any]:
        """One piece of observations (..., size), reshaped to (..., *shape); shares their memory if they are contiguous."""
        piece = self._pieces[name]
        return observation[..., piece.slice].reshape(observation.shape[:-1] + piece.shape)

    def markdown(self) -> str:
        """The pieces as a Markdown table for the documentation, with the names of entries below it."""
        lines = ["| from | piece | shape | values | meaning |", "|---:|---|---|---|---|"]
        for piece in self:
            shape = " x ".join(map(str, piece.shape)) or "1"
            values = f"{np.min(piece.low)} to {np.max(piece.high)}"
            lines.append(f"| {piece.start} | `{piece.name}` | {shape} | {values} | {piece.meaning} |")
        lines.append(f"| {self.size} | | | | the end |")
        for piece in self:
            if piece.names:
                named = ", ".join(f"{number} {name}" for number, name in enumerate(piece.names))
                lines += ["", f"`{piece.name}`: {named}."]
        return "\n".join(lines) + "\n"


def names_of(module: Any, prefix: str) -> tuple[str, ...]:
    """Names for the values from 0, made from a module's constants that begin with `prefix`: names_of(state, "D_")."""
    numbers = {name: value for name, value in vars(module).items() if name.startswith(prefix) and value >= 0}
    found = {value: name.removeprefix(prefix).lower().replace("_", " ") for name, value in numbers.items()}
    return tuple(found.get(value, "none") for value in range(max(found) + 1))


class Numbers:
    """Named numbers in a row; a call makes room for more."""

    def __init__(self) -> None:
        self._names: list[str] = []

    def __call__(self, name: str, count: int = 1) -> int:
        """Make room for `count` numbers; returns the place of the first. Several are called "name 1", "name 2" and so on."""
        begin = len(self._names)
        self._names += [name] if count == 1 else [f"{name} {number}" for number in range(1, count + 1)]
        return begin

    def names(self) -> tuple[str, ...]:
        """The name of each number."""
        return tuple(self._names)
