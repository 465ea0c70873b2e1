"""Records as uncompiled rules see them: with Python integers.

Compiled code computes in 64 bits. NumPy computes in the type of the operands, so a field of one byte would overflow where the same source,
compiled, does not. Here fields and elements are read as `int`; writing a value that does not fit raises OverflowError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from types import SimpleNamespace
from typing import Any

import numpy as np

from react_env.engine.compile import COMPILED


class PlainArray(np.ndarray[Any, Any]):
    """A view of an array whose elements are read as Python numbers."""

    def __getitem__(self, index: Any) -> Any:
        value = super().__getitem__(index)
        if isinstance(value, np.void):
            return PlainRecord(value)
        return value.item() if isinstance(value, np.generic) else value


class PlainRecord:
    """A view of a record whose fields are read as Python numbers or `PlainArray`."""

    __slots__ = ("_record",)

    def __init__(self, record: np.void) -> None:
        object.__setattr__(self, "_record", record)

    def __getattr__(self, name: str) -> Any:
        try:
            value = self._record[name]
        except ValueError:
            raise AttributeError(name) from None
        return value.view(PlainArray) if isinstance(value, np.ndarray) else value.item()

    def __setattr__(self, name: str, value: Any) -> None:
        self._record[name] = value


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, called with a `PlainRecord` in place of each record."""

    @wraps(function)
    def call(*arguments: Any) -> Any:
        return function(*(PlainRecord(a) if isinstance(a, np.void) else a for a in arguments))

    return call


def from_python(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the rules for callers that are not compiled; wrapped by `plain` if nothing is compiled."""
    return function if COMPILED else plain(function)


class EventLog:
    """The part of a view that tells the public events. A record counts them in `events` and holds the last ones in the ring `event`."""

    _event: Callable[..., str]  # what the numbers of one event say

    def event_count(self, state: Any) -> int:
        """How many public events there have been."""
        return int(state["events"])

    def event_rows(self, state: Any, since: int = 0) -> list[list[int]]:
        """The public events numbered from `since` that the record still holds, each as its row of numbers."""
        ring, count = np.asarray(state)["event"].tolist(), self.event_count(state)
        return [ring[i % len(ring)] for i in range(max(since, count - len(ring), 0), count)]

    def log_lines(self, state: Any, since: int = 0) -> list[str]:
        """Public events numbered from `since` that the record still holds."""
        return [self._event(*row) for row in self.event_rows(state, since)]


class Reader:
    """Reads records as plain Python numbers and nested lists, which Python reads twenty times as fast as the fields of a record.

    The last record is kept, since several texts of one position are often asked for in a row.

    Args:
        fields: the names of the fields to read.
    """

    def __init__(self, fields: Iterable[str]) -> None:
        self.fields = tuple(fields)
        self._last: tuple[bytes, SimpleNamespace] | None = None

    def __call__(self, record: Any) -> SimpleNamespace:
        """The fields of a record; what this has read already is returned as it is."""
        if isinstance(record, SimpleNamespace):
            return record
        key = record.tobytes()
        if self._last is None or self._last[0] != key:
            fields = np.asarray(record)  # its fields are read faster than those of a record
            self._last = key, SimpleNamespace(**{name: _values(fields[name]) for name in self.fields})
        return self._last[1]


def _values(field: Any) -> Any:
    """A field as Python numbers and nested lists; an array of records becomes a list of objects with the same attributes."""
    if not (names := field.dtype.names):
        return field.tolist()
    inner = {name: field[name].tolist() for name in names}
    return [SimpleNamespace(**dict(zip(names, row, strict=True))) for row in zip(*inner.values(), strict=True)]
