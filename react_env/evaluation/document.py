"""Documents of tables, heat maps and plots: for the terminal, as Markdown, and as one self-contained HTML page.

Names of agents, artists, decks and cards come from users' files: the page escapes all text, runs no scripts and loads nothing.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from react_env.evaluation.pages import Axis, environment
from react_env.extras import need

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table as RichTable

STAR = (
    "A star marks a significant difference from even or from zero; at most 5 % of the stars of a table are false "
    "(Benjamini and Hochberg, 1995)."
)
WITH_INTERVALS = 8  # most columns of a heat map that leave room for intervals in a terminal
LAST_LINES = 15  # of verbatim text, shown in a terminal


@dataclass(frozen=True)
class Table:
    """Rows of text under columns; the first column names the row."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    left: int = 1  # how many of the first columns are left-aligned: names and prose, not figures


@dataclass(frozen=True)
class HeatCell:
    """A share in a heat map, in percent, with its interval and its text."""

    value: float
    low: float
    high: float
    text: str
    sure: bool = False
    even: float = 50.0  # the share between equals

    @property
    def kind(self) -> str:
        """Its colour, or none."""
        return "over" if self.value > self.even else "under" if self.value < self.even else ""

    @property
    def strength(self) -> str:
        """The strength of its colour, full at four fifths of the way from even to always or never."""
        room = 100 - self.even if self.value > self.even else self.even
        return f"{min(100.0, 125 * abs(self.value - self.even) / room):.0f}%"


@dataclass(frozen=True)
class Heat:
    """A table of shares, the row against the column; without `columns`, rows and columns are the same."""

    names: Sequence[str]
    cells: Sequence[Sequence[HeatCell | None]]
    title: str = ""
    columns: Sequence[str] = ()

    def table(self) -> Table:
        """In text."""
        rows = [[name, *(cell.text if cell else "" for cell in row)] for name, row in zip(self.names, self.cells)]
        return Table(("", *(self.columns or self.names)), rows, self.title)

    def console(self) -> RichTable:
        """For a terminal: unnamed columns are numbered, with intervals if there is room. Green: surely more than even; red: surely less."""
        from rich.text import Text

        few = len(self.columns or self.names) <= WITH_INTERVALS

        def shown(cell: HeatCell | None) -> Text:
            if cell is None:
                return Text()
            made = Text(
                f"{cell.value:.0f}", style="green" if cell.low > cell.even else "red" if cell.high < cell.even else ""
            )
            made.append(" *" if cell.sure else "")
            return made.append(f"\n{cell.low:.0f}-{cell.high:.0f}", style="dim not green not red") if few else made

        heads = self.columns or [str(number) for number in range(1, len(self.names) + 1)]
        rows = [
            [f"{number} {name}", *map(shown, row)]
            for number, (name, row) in enumerate(zip(self.names, self.cells), start=1)
        ]
        return console_table(("", *heads), rows, title=self.title)


@dataclass(frozen=True)
class Plot:
    """Values with their intervals, a row each."""

    rows: Sequence[tuple[str, float, float, float, str]]  # name, value, low, high, text
    unit: str
    title: str = ""
    in_table: bool = False  # whether the table after it has its figures, so that text leaves it out

    @property
    def axis(self) -> Axis:
        return Axis.of([row[2] for row in self.rows], [row[3] for row in self.rows])

    def table(self) -> Table:
        """In text."""
        return Table(("", self.unit), [(name, text) for name, *_, text in self.rows], self.title)


@dataclass(frozen=True)
class Lines:
    """Verbatim text, such as a traceback; if it is empty, the title says everything."""

    text: str
    title: str = ""


Part: TypeAlias = Table | Heat | Plot | Lines


@dataclass(frozen=True)
class Section:
    """A part of a report."""

    title: str
    lines: Sequence[str] = ()
    parts: Sequence[Part] = ()
    on_screen: bool = True  # whether a terminal shows it; large ones are left out
    id: str = ""  # the target of links in a page


@dataclass(frozen=True)
class Report:
    """A document: title, lead, sections, and how it was made."""

    title: str
    lead: str
    sections: Sequence[Section]
    made: Sequence[tuple[str, str]] = field(default=())  # how it was made: (label, text)
    picture: tuple[str, str] | None = None  # for Markdown alone: (what it shows, its file)


def made_by(game: str, command: str) -> tuple[tuple[str, str], ...]:
    """How a report was made."""
    import react_env

    return ("Game", game), ("Command", command), ("Version", f"react_env {react_env.__version__}")


def counted(number: int, what: str) -> str:
    """'1 pairing', '2 pairings'."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def gain_text(mean: float, low: float, high: float, sure: bool) -> str:
    """A difference of shares with its interval, in points, '+9.2 (+7.4 to +10.9) *'; with a star if it is sure."""
    return f"{100 * mean:+z.1f} ({100 * low:+z.1f} to {100 * high:+z.1f}){' *' if sure else ''}"


def console_table(
    columns: Iterable[str], rows: Iterable[Sequence[Any]], *, title: str | None = None, left: int = 1, **options: Any
) -> RichTable:
    """A table for the terminal, with its first `left` columns left-aligned; `options` are those of rich."""
    from rich import box
    from rich.text import Text

    from react_env.evaluation.folding import FoldingTable

    def plain(cell: Any) -> Any:
        return Text(cell) if isinstance(cell, str) else cell  # rich would read brackets in names as markup

    made = FoldingTable(box=box.SIMPLE_HEAD, title_justify="left", caption_justify="left", **{"padding": 0, **options})
    if title:
        made.title, made.min_width = Text(title, style="bold"), min(76, len(title))
    for number, column in enumerate(columns):
        made.add_column(plain(column), justify="left" if number < left else "right", overflow="fold")
    for row in rows:
        made.add_row(*map(plain, row))
    return made


def as_console(report: Report, cell: Callable[[str], str] = lambda text: text) -> RenderableType:
    """The report for the terminal, without its large sections; `cell` may break the lines of a cell."""
    from rich.console import Group
    from rich.text import Text

    shown: list[RenderableType] = [Text(report.title, style="bold"), Text(report.lead)]
    for section in (section for section in report.sections if section.on_screen):
        shown += [Text(), Text(section.title, style="bold underline"), *map(Text, section.lines)]
        for part in _in_text(section):
            if isinstance(part, Heat):
                shown.append(part.console())
            elif isinstance(part, Lines):
                lines = part.text.rstrip().splitlines()
                lines = lines if len(lines) <= LAST_LINES else ["...", *lines[-LAST_LINES:]]
                shown += [Text(part.title), *(Text(f"  {line}", style="dim") for line in lines)]
            else:
                rows = [[cell(text) for text in row] for row in part.rows]
                shown.append(console_table(part.columns, rows, title=part.title, left=part.left))
    return Group(*shown)


def _in_text(section: Section) -> Iterator[Table | Heat | Lines]:
    """Its parts, with plots as tables. A plot whose figures are in the next table is left out, and that table takes its title."""
    title = ""
    for part in section.parts:
        if isinstance(part, Plot) and part.in_table:
            title = part.title
            continue
        found = part.table() if isinstance(part, Plot) else part
        yield replace(found, title=found.title or title)
        title = ""


def as_markdown(report: Report) -> str:
    """A page for the docs."""
    lines = [f"# {report.title}", "", report.lead, ""]
    if report.picture is not None:
        lines += ["![{}]({})".format(*report.picture), ""]
    for section in report.sections:
        lines += [f"## {section.title}", ""]
        for line in section.lines:
            lines += [line, ""]
        for part in _in_text(section):
            if part.title:
                lines += [f"### {part.title}", ""]
            if isinstance(part, Lines):
                lines += ["```", *part.text.rstrip().splitlines(), "```", ""] if part.text else []
                continue
            table = part.table() if isinstance(part, Heat) else part
            lines += [*markdown_table(table), ""]
    lines += ["## How it was made", "", *(f"- {word}: `{text}`" for word, text in report.made), ""]
    return "\n".join(lines)


def markdown_table(table: Table) -> list[str]:
    """The lines of a table."""
    rule = "|" + " --- |" * table.left + " ---: |" * (len(table.columns) - table.left)
    head = ["| " + " | ".join(map(_escaped, table.columns)) + " |", rule]
    return [*head, *("| " + " | ".join(map(_escaped, row)) + " |" for row in table.rows)]


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace(" *", " \\*")


def as_html(report: Report) -> str:
    """One self-contained page."""
    return environment().get_template("document.html").render(report=report, kind=lambda part: type(part).__name__)


def as_svg(width: float, height: float, draw: Callable[[Any], None], look: dict[Any, Any] | None = None) -> str:
    """An SVG of what `draw` puts into a matplotlib figure, its size in inches; the same text each time. `look`: settings of matplotlib."""
    need("eval", "matplotlib")
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.fonttype": "none", "font.size": 10, "svg.hashsalt": "react_env"} | (look or {})):
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure)
        for axes in figure.axes:
            axes.grid(color="#e2e2de", linewidth=0.8)
            axes.set_axisbelow(True)
            axes.spines[["top", "right"]].set_visible(False)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()
