"""Documents of tables, heat maps and plots: for the terminal, as Markdown, and as one HTML page that needs nothing else.

Names of agents, artists, decks and cards come from users' files: the page escapes all text, runs no scripts and loads nothing.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from react_env.evaluation.pages import Axis, environment
from react_env.extras import need

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table as RichTable

STAR = "A star: it differs from even, or from nothing, and at most 5 % of the stars of a table are wrong (Benjamini and Hochberg, 1995)."
WITH_INTERVALS = 6  # columns of a heat map, of more there is no room for intervals in a terminal


@dataclass(frozen=True)
class Table:
    """Rows of text under columns; the first column names the row."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""


@dataclass(frozen=True)
class HeatCell:
    """A share of a heat map, in percent."""

    value: float
    low: float
    high: float
    text: str
    sure: bool = False

    @property
    def short(self) -> str:
        """Without its interval."""
        return f"{self.value:.0f}{' *' if self.sure else ''}"

    @property
    def kind(self) -> str:
        """Its colour, or none."""
        return "over" if self.value > 50 else "under" if self.value < 50 else ""

    @property
    def strength(self) -> str:
        """How much of the colour it has."""
        return f"{min(100.0, 2.5 * abs(self.value - 50)):.0f}%"


@dataclass(frozen=True)
class Heat:
    """A table of shares, the row against the column."""

    names: Sequence[str]
    cells: Sequence[Sequence[HeatCell | None]]
    title: str = ""

    def table(self, *, short: bool = False) -> Table:
        """In text; `short`: without intervals, and columns numbered."""
        if not short:
            rows = [(name, *(cell.text if cell else "" for cell in row)) for name, row in zip(self.names, self.cells)]
            return Table(("", *self.names), rows, self.title)
        rows = [
            (f"{number} {name}", *(cell.short if cell else "" for cell in row))
            for number, (name, row) in enumerate(zip(self.names, self.cells), start=1)
        ]
        return Table(("", *map(str, range(1, len(rows) + 1))), rows, self.title)


@dataclass(frozen=True)
class Plot:
    """Values with their intervals, a row each."""

    rows: Sequence[tuple[str, float, float, float, str]]  # name, value, ends, in words
    unit: str
    title: str = ""
    in_table: bool = False  # whether a table after it has its figures, so that text does without it

    @property
    def axis(self) -> Axis:
        return Axis.of([row[2] for row in self.rows], [row[3] for row in self.rows])

    def table(self) -> Table:
        """In text."""
        return Table(("", self.unit), [(name, text) for name, *_, text in self.rows], self.title)


@dataclass(frozen=True)
class Section:
    """A part of a report."""

    title: str
    lines: Sequence[str] = ()
    parts: Sequence[Table | Heat | Plot] = ()
    on_screen: bool = True  # whether a terminal shows it: it is small


@dataclass(frozen=True)
class Report:
    """What there is to tell."""

    title: str
    lead: str
    sections: Sequence[Section]
    made: Sequence[tuple[str, str]] = field(default=())  # how it was made: word, text
    picture: tuple[str, str] | None = None  # for Markdown alone: what it shows, its file


def made_by(game: str, command: str) -> tuple[tuple[str, str], ...]:
    """How a report was made."""
    import react_env

    return ("Game", game), ("Command", command), ("Version", f"react_env {react_env.__version__}")


def gain_text(mean: float, low: float, high: float, sure: bool) -> str:
    """A difference of shares with its interval, in points, '+9.2 (+7.4 to +10.9) *': the star where it stands."""
    return f"{100 * mean:+.1f} ({100 * low:+.1f} to {100 * high:+.1f}){' *' if sure else ''}"


def _tables(section: Section, most: int = 1000) -> list[Table]:
    """The parts of a section in text; heat maps of more than `most` columns without intervals."""
    found = []
    title = ""
    for part in section.parts:
        if isinstance(part, Plot) and part.in_table:
            title = part.title
            continue
        if isinstance(part, Table):
            table = part
        elif isinstance(part, Heat):
            table = part.table(short=len(part.names) > most)
        else:
            table = part.table()
        found.append(replace(table, title=table.title or title))
        title = ""
    return found


def console_table(columns: Iterable[str], rows: Iterable[Sequence[Any]], *, left: int = 1, **options: Any) -> RichTable:
    """A table for the terminal, its first `left` columns set to the left; `options` are those of rich."""
    from rich import box
    from rich.table import Table as RichTable

    made = RichTable(box=box.SIMPLE_HEAD, title_justify="left", title_style="bold", caption_justify="left", **options)
    for number, column in enumerate(columns):
        made.add_column(column, justify="left" if number < left else "right", overflow="fold")
    for row in rows:
        made.add_row(*row)
    return made


def as_console(report: Report, cell: Callable[[str], str] = lambda text: text) -> RenderableType:
    """For the terminal: what is small; `cell` may break the lines of a cell."""
    from rich.console import Group
    from rich.text import Text

    parts: list[RenderableType] = [Text(report.title, style="bold"), Text(report.lead)]
    for section in (section for section in report.sections if section.on_screen):
        parts += [Text(), Text(section.title, style="bold underline"), *map(Text, section.lines)]
        for table in _tables(section, WITH_INTERVALS):
            rows = [[cell(text) for text in row] for row in table.rows]
            width = min(76, len(table.title))
            title = table.title or None
            parts.append(console_table(table.columns, rows, title=title, padding=(0, 1, 0, 0), min_width=width))
    return Group(*parts)


def as_markdown(report: Report) -> str:
    """A page for the docs."""
    lines = [f"# {report.title}", "", report.lead, ""]
    if report.picture is not None:
        lines += ["![{}]({})".format(*report.picture), ""]
    for section in report.sections:
        lines += [f"## {section.title}", ""]
        for line in section.lines:
            lines += [line, ""]
        for table in _tables(section):
            if table.title:
                lines += [f"### {table.title}", ""]
            lines += ["| " + " | ".join(table.columns) + " |", "| --- |" + " ---: |" * (len(table.columns) - 1)]
            lines += ["| " + " | ".join(map(_escaped, row)) + " |" for row in table.rows]
            lines.append("")
    lines += ["## How it was made", "", *(f"- {word}: `{text}`" for word, text in report.made), ""]
    return "\n".join(lines)


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace(" *", " \\*")


def as_html(report: Report, page: str = "balance.html") -> str:
    """One page that needs nothing else."""
    return environment().get_template(page).render(report=report, kind=lambda part: type(part).__name__)


def as_svg(width: float, height: float, draw: Callable[[Any], None]) -> str:
    """What `draw` puts into a figure of matplotlib, so many inches large; the same text each time."""
    need("eval", "matplotlib")
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.fonttype": "none", "font.size": 10, "svg.hashsalt": "react_env"}):
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure)
        for axes in figure.axes:
            axes.grid(color="#e2e2de", linewidth=0.8)
            axes.set_axisbelow(True)
            axes.spines[["top", "right"]].set_visible(False)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()
