"""A search for a deck (`react_env.evaluation.deck_search`) for the terminal, and as a page of Markdown with its plot."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from react_env.evaluation.deck_search import Carried, Meeting, Search
from react_env.evaluation.markdown import markdown_table
from react_env.evaluation.ratings.intervals import interval_text, percent
from react_env.extras import need

MEETINGS = ("against", "games", "wins", "ties", "at seat 0", "at seat 1")
CARRIED = ("card", "copies", "points of the score")


def _rate(wins: int, games: int) -> str:
    return f"{percent(wins / games)} ({interval_text(wins, games)})"


def meeting_rows(meetings: Sequence[Meeting]) -> list[list[str]]:
    """A row for each deck of the field, and one for all of them."""
    rows = []
    for one in meetings:
        half = one.games // 2
        seats = [percent(wins / half) for wins in one.seats]
        rows.append([one.against, f"{one.games:,}", _rate(one.wins, one.games), str(one.ties), *seats])
    games, wins = sum(one.games for one in meetings), sum(one.wins for one in meetings)
    seats = [percent(sum(one.seats[seat] for one in meetings) / (games // 2)) for seat in (0, 1)]
    return [*rows, ["all", f"{games:,}", _rate(wins, games), str(sum(one.ties for one in meetings)), *seats]]


def _gain(one: Carried) -> str:
    mark = " *" if one.sure else ""
    return f"{100 * one.mean:+.1f} ({100 * one.low:+.1f} to {100 * one.high:+.1f}){mark}"


def card_rows(search: Search) -> list[list[str]]:
    """The cards of the found deck, what carries it first."""
    found = search.result
    return [[search.space.names[one.card], str(found.found[one.card]), _gain(one)] for one in found.carried]


def deck_report(search: Search) -> RenderableType:
    """For the terminal."""
    found, settings = search.result, search.settings

    def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> RenderableType:
        made = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), title=title, title_justify="left", title_style="bold")
        for number, column in enumerate(columns):
            made.add_column(column, justify="left" if number == 0 else "right", overflow="fold")
        for row in rows:
            made.add_row(*row)
        return made

    return Group(
        Text(_summary(search)),
        table("the deck that was found", MEETINGS, meeting_rows(found.meetings)),
        table(f"{found.best_of_field}, which did best of the field", MEETINGS, meeting_rows(found.theirs)),
        table("what its cards do for it", CARRIED, card_rows(search)),
        Text(
            f"{settings.agent} plays all decks, {settings.report:,} deals against each at both seats, none of them played before.\n"
            "* differs from nothing, with at most 5 % of these findings wrong in the whole table",
            style="dim",
        ),
    )


def _summary(search: Search) -> str:
    """How much of what a search promised was luck."""
    found = search.result
    tried = max(trial.score for trial in found.trials)
    again = max(trial.score for trial in found.finalists)
    games = sum(one.games for one in found.meetings)
    points = sum(one.wins + 0.5 * one.ties for one in found.meetings)
    return (
        f"{len(found.trials)} decks tried. Score of the best on the deals of the search {percent(tried)}, of the one that was chosen "
        f"on other deals {percent(again)}, of that one on fresh deals {percent(points / games)}."
    )


def deck_page(search: Search, plot: str) -> str:
    """The search as a page of Markdown; `plot` is the name of its picture."""
    import react_env

    found, settings, space = search.result, search.settings, search.space
    size = sum(found.found.values())
    lines = [
        "# A deck that beats the field",
        "",
        f"`{search.command()}` made this page, with react_env {react_env.__version__}.",
        "",
        f"The agent {settings.agent} plays all decks.",
        _summary(search),
        "A score counts a win 1 and a tie one half; intervals hold 95 %.",
        "",
        f"![The score of the decks that were tried]({plot})",
        "",
        f"## The deck, {size} cards",
        "",
        ", ".join(f"{space.names[card]} x{copies}" for card, copies in found.found.items()),
        "",
        f"On {settings.report:,} fresh deals against each deck of the field, at both seats:",
        "",
        *markdown_table(MEETINGS, meeting_rows(found.meetings)),
        "",
        f"Of the field {found.best_of_field} did best, on the same deals:",
        "",
        *markdown_table(MEETINGS, meeting_rows(found.theirs)),
        "",
        "## What carries it",
        "",
        "What the deck scores beyond itself without one card, whose places go to the cards that the field plays most. Both play the",
        "same deals, so most of the luck cancels out. A star: it differs from nothing, and at most 5 % of the stars are wrong (Benjamini",
        "and Hochberg, 1995).",
        "",
        *markdown_table(CARRIED, card_rows(search)),
        "",
    ]
    return "\n".join(lines)


def deck_plot(search: Search) -> str:
    """An SVG: the score of each deck that was tried, the best so far, and what was measured again."""
    need("eval", "matplotlib")
    import matplotlib
    from matplotlib.figure import Figure

    found = search.result
    scores = 100 * np.array([trial.score for trial in found.trials])
    with matplotlib.rc_context({"svg.fonttype": "none", "font.size": 10, "svg.hashsalt": "deck_search"}):
        figure = Figure(figsize=(8, 4), layout="constrained")
        axes = figure.subplots()
        numbers = np.arange(1, len(scores) + 1)
        axes.plot(numbers, scores, "o", color="#9aa4b5", markersize=3, label="a deck, on the deals of the search")
        axes.step(numbers, np.maximum.accumulate(scores), where="post", color="#1d4f98", label="the best so far")
        games = sum(one.games for one in found.meetings)
        fresh = 100 * sum(one.wins + 0.5 * one.ties for one in found.meetings) / games
        axes.axhline(fresh, color="#b4541a", linestyle="--", label="the deck found, on fresh deals")
        axes.set(xlabel="decks tried", ylabel="score against the field, %", ylim=(0, 100))
        axes.grid(color="#e2e2de", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, loc="lower right")
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()
