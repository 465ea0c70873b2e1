"""A terminal table that folds: columns that do not fit go into further tables below, which repeat the names of the rows."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table

# Characters reserved for a column of words, such as the names of the rows, at most; longer ones may be wrapped.
WORDS = 16


class FoldingTable(Table):
    """A rich table that folds; its first column names the rows."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        endless = options.update(width=10_000)

        def measure(columns: list[int]) -> int:
            return Measurement.get(console, endless, self._of(columns)).maximum if columns else 0

        def wide(columns: list[int]) -> int:
            words = [number for number in columns if self.columns[number].justify == "left"]
            figures = [number for number in columns if number not in words]
            return measure(figures) + sum(min(measure([number]), WORDS) for number in words)

        room = options.max_width - wide([0]) if self.columns else 0
        parts: list[list[int]] = [[]]
        for number in range(1, len(self.columns)):
            if parts[-1] and wide([*parts[-1], number]) > room:
                parts.append([])
            parts[-1].append(number)
        if len(parts) == 1:
            yield from super().__rich_console__(console, options)
            return
        for part in parts:
            shown = self._of([0, *part])
            if part is parts[0]:
                shown.title, shown.min_width = self.title, self.min_width
            if part is parts[-1]:
                shown.caption = self.caption
            yield from Table.__rich_console__(shown, console, options)

    def _of(self, columns: list[int]) -> Table:
        """A table of these columns alone: all rows, no title, no caption."""
        part = copy(self)
        part.title = part.caption = part.min_width = None
        part.columns = [replace(self.columns[number], _index=place) for place, number in enumerate(columns)]
        return part
