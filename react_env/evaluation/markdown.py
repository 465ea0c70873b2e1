"""What pages in Markdown share."""

from __future__ import annotations

from collections.abc import Sequence


def markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table in Markdown; all columns but the first are set to the right."""
    head = ["| " + " | ".join(columns) + " |", "| --- |" + " ---: |" * (len(columns) - 1)]
    return [*head, *("| " + " | ".join(row) + " |" for row in rows)]
