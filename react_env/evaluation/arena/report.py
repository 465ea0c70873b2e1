"""The report on an arena: for the terminal, as CSV and JSON, and as one HTML page that needs nothing else.

Agents' names, faults and settings come from users: the page escapes all text, runs no scripts and loads nothing.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from react_env.evaluation.matches.records import Games
from react_env.evaluation.pages import Axis, environment
from react_env.evaluation.ratings.intervals import percent, wilson_score
from react_env.evaluation.ratings.ratings import (
    Interval,
    Length,
    Rating,
    Standings,
    WinMatrix,
    agents_by_side,
    by_setting,
    game_lengths,
    played,
    standings,
    win_matrix,
)
from react_env.files import as_json, write_all_aside

if TYPE_CHECKING:
    from rich.console import RenderableType

    from react_env.evaluation.arena.store import FaultCount

PAGE = "arena.html"
_TRACEBACK = 15  # lines of a traceback in the terminal
_NAME = 16  # characters of a name in the terminal
_WITH_INTERVALS = 8  # agents, of more there is no room for intervals in the matrix


@dataclass(frozen=True)
class ArenaReport:
    """What there is to tell of an arena; agents stand best first everywhere."""

    games: Games
    standings: Standings
    matrix: WinMatrix
    by_seat: tuple[WinMatrix, ...]  # the row agent at seat 0, 1, ...
    sides: WinMatrix | None  # artists or decks against each other; None where there are none
    agent_sides: SideTable | None
    unit: str  # of lengths: "turns" or "decisions"
    lengths: tuple[Length, ...]
    faults: tuple[FaultCount, ...]
    command: str

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Agents, best first."""
        return tuple(rating.agent for rating in self.standings.ratings)

    @property
    def cuts(self) -> int:
        """Games stopped by the game's limit."""
        return int(self.games.cut.sum())

    @property
    def ties(self) -> int:
        """Games that ended without a winner."""
        return int(((self.games.result == 0) & ~self.games.cut).sum())


@dataclass(frozen=True)
class SideTable:
    """Agents (rows) with what they had (columns): lists of (wins, games)."""

    sides: tuple[str, ...]
    cells: tuple[tuple[tuple[int, int], ...], ...]


def arena_report(
    games: Games,
    *,
    faults: Iterable[FaultCount] = (),
    command: str = "",
    bootstrap: int = 1000,
    seed: int = 0,
    ratings: Standings | None = None,
) -> ArenaReport:
    """Everything worked out from `games`.

    Args:
        games: N games, N at least 1.
        faults: what went wrong, as `Store.faults` tells it.
        command: how it was made.
        bootstrap: resamples for the intervals of the ratings.
        seed: of the resamples.
        ratings: of these games, where they are known; then nothing is rated again.

    Raises:
        OptionError: there are no games.
    """
    games = played(games)
    found = ratings or standings(games, bootstrap=bootstrap, seed=seed)
    order = [games.agents.index(rating.agent) for rating in found.ratings]
    rank = {rating.agent: number for number, rating in enumerate(found.ratings)}
    unit, lengths = game_lengths(games)
    with_sides = agents_by_side(games)
    table = None
    if with_sides is not None:
        sides, wins, count = with_sides
        table = SideTable(
            sides, tuple(tuple((int(wins[i, k]), int(count[i, k])) for k in range(len(sides))) for i in order)
        )
    return ArenaReport(
        games=games,
        standings=found,
        matrix=_reordered(win_matrix(games), order),
        by_seat=tuple(_reordered(win_matrix(games, seat), order) for seat in range(games.seats)),
        sides=by_setting(games),
        agent_sides=table,
        unit=unit,
        lengths=tuple(sorted((_ranked(length, rank) for length in lengths), key=lambda n: (rank[n.a], rank[n.b]))),
        faults=tuple(faults),
        command=command,
    )


def _reordered(matrix: WinMatrix, order: Sequence[int]) -> WinMatrix:
    grid = np.ix_(order, order)
    return WinMatrix(
        tuple(matrix.agents[i] for i in order),
        matrix.wins[grid],
        matrix.losses[grid],
        matrix.ties[grid],
        matrix.cuts[grid],
    )


def _ranked(length: Length, rank: dict[str, int]) -> Length:
    """The stronger of the two first."""
    return length if rank[length.a] < rank[length.b] else length._replace(a=length.b, b=length.a)


# In words


def _elo_span(rating: Rating) -> str:
    return f"{rating.low:.0f}–{rating.high:.0f}"


def _rate_span(wins: int, games: int) -> str:
    low, high = wilson_score(wins / games, games)
    return f"{100 * low:.0f}-{100 * high:.0f}"


def _skill(rating: Rating) -> str:
    return "-" if math.isnan(rating.skill_mu) else f"{rating.skill_mu:.1f} ±{rating.skill_sigma:.1f}"


def _mass(value: float | None) -> str:
    if value is None:
        return "-"
    return "0" if value < 0.0005 else f"{100 * value:.0f}" if value > 0.0995 else f"{100 * value:.1f}"


def seat_lines(report: ArenaReport) -> list[str]:
    """What the seats are worth, a line each; with two seats one says it all."""
    if report.games.seats == 2:
        worth = report.standings.seat_advantage
        low, value, high = (100 / (1 + 10 ** (-elo / 400)) for elo in (worth.low, worth.value, worth.high))
        return [f"Seat 0 is worth {_signed(worth)}: among equals {value:.1f} % ({low:.1f}-{high:.1f} %)."]
    return [
        f"Seat {seat} is worth {_signed(worth)} against the mean of the seats."
        for seat, worth in enumerate(report.standings.seats)
    ]


def _signed(worth: Interval) -> str:
    return f"{worth.value:+.0f} Elo ({worth.low:+.0f} to {worth.high:+.0f})"


def cycle_lines(report: ArenaReport) -> list[str]:
    """How much of the results a ladder explains, and whether the rest is more than chance."""
    found = report.standings
    lines = []
    if found.groups > 1:
        lines.append(
            f"The agents form {found.groups} groups that have not met, not even through others: ratings compare only inside a group."
        )
    if len(report.names) < 3:
        return lines
    text = f"Ratings explain {percent(found.transitivity)} of the variation of the results (log-odds)"
    chance = found.cyclic_chance
    if chance >= 0.05:
        text += f"; chance alone leaves such a rest (p = {chance:.2f})."
    else:
        text += f"; the rest is more than chance (p {'< 0.001' if chance < 0.001 else f'= {chance:.3f}'})."
    lines.append(text)
    return lines


def no_winner_line(report: ArenaReport) -> str:
    """Games, ties, cut games and forfeits."""
    forfeits = int((report.games.forfeit > 0).sum())
    return (
        f"{len(report.games):,} game{'s' * (len(report.games) != 1)}: {report.ties:,} ties, {report.cuts:,} cut by the game's limit, "
        f"{forfeits:,} forfeited."
    )


def length_line(report: ArenaReport) -> str:
    """How long the games of all pairs together take."""
    p10, median, p90 = np.percentile(getattr(report.games, report.unit), (10, 50, 90))
    return f"The median game takes {median:g} {report.unit}, {p10:g} to {p90:g} in the middle 80 %."


# For the terminal


def terminal(report: ArenaReport) -> RenderableType:
    """Standings, win matrix, seats, cycles and faults; 80 columns wide with eight agents."""
    from rich.console import Group
    from rich.text import Text

    names = report.names
    parts: list[RenderableType] = [Text("standings", style="bold"), _standings_table(report)]
    notes = [
        "Elo: Bradley-Terry, mean 1000; score: %, a tie is half a win;",
        "skill: openskill's mu and sigma; Nash: %, share in the best mixture of all",
    ]
    if report.standings.ratings[0].alpha_rank is None:
        notes.append("alpha-rank is left out: it needs OpenSpiel, the extra `openspiel`")
    parts += [Text(line, style="dim") for line in notes]
    if len(names) > 1:
        below = ", and its 95 % interval" if len(names) <= _WITH_INTERVALS else ""
        parts += [Text(f"\nwin rate of the row against the column, %{below}", style="bold"), _matrix_table(report)]
        if len(names) > _WITH_INTERVALS:
            parts.append(
                Text("green, red: the 95 % interval is above, below 50 %; intervals are in the files", style="dim")
            )
    parts += [
        Text(line) for line in (no_winner_line(report), length_line(report), *seat_lines(report), *cycle_lines(report))
    ]
    for cycle in report.standings.cycles:
        steps = zip(cycle.agents, (*cycle.agents[1:], cycle.agents[0]), cycle.scores, cycle.intervals)
        parts.append(Text(f"{'a cycle' if cycle.sure else 'perhaps a cycle'}, scores in %:"))
        parts += [
            Text(f"  {a} beats {b} {100 * score:.1f} ({100 * low:.1f}-{100 * high:.1f})")
            for a, b, score, (low, high) in steps
        ]
    if report.faults:
        parts.append(Text("\nfaults", style="bold"))
    for fault in report.faults:
        parts.append(Text(f"{fault.agent}: {fault.count} x {fault.kind}: {fault.message}"))
        lines = fault.details.rstrip().splitlines()
        if len(lines) > _TRACEBACK:
            lines = ["...", *lines[-_TRACEBACK:]]
        parts += [Text("  " + line, style="dim") for line in lines]
    return Group(*parts)


def _standings_table(report: ArenaReport) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=0)
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("agent", no_wrap=True)
    ratings = report.standings.ratings
    alpha = ratings[0].alpha_rank is not None
    for column in ("Elo", "95 %", "games", "win %", "score", "skill", "Nash", *(["alpha"] if alpha else [])):
        table.add_column(column, justify="right", no_wrap=True)
    for number, rating in enumerate(ratings, 1):
        cells = [
            f"{rating.elo:.0f}",
            _elo_span(rating),
            str(rating.games),
            f"{100 * rating.win_rate:.1f}",
            f"{100 * rating.score:.1f}",
            _skill(rating).replace(" ", ""),
            _mass(rating.nash),
        ]
        if alpha:
            cells.append(_mass(rating.alpha_rank))
        table.add_row(str(number), _short(rating.agent), *cells)
    return table


def _matrix_table(report: ArenaReport) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, padding=0)
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    matrix = report.matrix
    for number in range(1, len(report.names) + 1):
        table.add_column(str(number), justify="right", no_wrap=True)
    for row, name in enumerate(report.names):
        cells: list[Text] = []
        for column in range(len(report.names)):
            wins, games = int(matrix.wins[row, column]), int(matrix.games[row, column])
            if not games:
                cells.append(Text("-" if row == column else "", style="dim"))
                continue
            low, high = wilson_score(wins / games, games)
            cell = Text(f"{100 * wins / games:.0f}", style="green" if low > 0.5 else "red" if high < 0.5 else "")
            if len(report.names) <= _WITH_INTERVALS:
                cell.append("\n" + _rate_span(wins, games), style="dim not green not red")
            cells.append(cell)
        table.add_row(str(row + 1), _short(name), *cells)
    return table


def _short(name: str) -> Any:
    """A name cut to its column, and as it is: rich would read brackets as markup."""
    from rich.text import Text

    text = Text(name, no_wrap=True)
    text.truncate(_NAME, overflow="ellipsis")
    return text


# Files


def to_json(report: ArenaReport) -> dict[str, Any]:
    """Everything as plain values, None where a number is not known."""
    import react_env

    found = report.standings
    return {
        "made": {
            "game": report.games.game,
            "rules_hash": report.games.rules_hash,
            "command": report.command,
            "react_env": react_env.__version__,
            "games": len(report.games),
        },
        "ratings": [
            {name: _known(value) for name, value in asdict(rating).items()}
            | {"score": rating.score, "win_rate": rating.win_rate}
            for rating in found.ratings
        ],
        "seats": [worth._asdict() for worth in found.seats],
        "groups": found.groups,
        "transitivity": found.transitivity,
        "cyclic_chance": found.cyclic_chance,
        "cycles": [asdict(cycle) | {"strength": cycle.strength, "sure": cycle.sure} for cycle in found.cycles],
        "matches": _match_rows(report),
        "settings": _setting_rows(report),
        "faults": [
            {
                "agent": fault.agent,
                "kind": fault.kind,
                "count": fault.count,
                "message": fault.message,
                "details": fault.details,
            }
            for fault in report.faults
        ],
    }


def csv_files(report: ArenaReport) -> dict[str, str]:
    """Texts by file name: standings.csv, matches.csv and, where players have artists or decks, settings.csv."""
    ratings = [
        {name: _known(value) for name, value in asdict(rating).items()}
        | {"score": rating.score, "win_rate": rating.win_rate}
        for rating in report.standings.ratings
    ]
    files = {"standings.csv": _csv(ratings), "matches.csv": _csv(_match_rows(report))}
    if report.sides is not None:
        files["settings.csv"] = _csv(_setting_rows(report))
    return files


def write(report: ArenaReport, folder: Path) -> list[Path]:
    """The page, the CSV files and arena.json in `folder`, written aside and renamed; their paths, the page first."""
    files = {PAGE: html(report), **csv_files(report), "arena.json": as_json(to_json(report))}
    paths = {folder / name: text for name, text in files.items()}
    write_all_aside(paths)
    return list(paths)


def _match_rows(report: ArenaReport) -> list[dict[str, Any]]:
    lengths = {(length.a, length.b): length for length in report.lengths}
    rows = []
    for a, b in np.argwhere(report.matrix.games > 0):
        if a > b:
            continue
        name_a, name_b = report.names[a], report.names[b]
        length = lengths[name_a, name_b]
        for seat, matrix in (("all", report.matrix), *((str(k), m) for k, m in enumerate(report.by_seat))):
            row = {"a": name_a, "b": name_b, "seat of a": seat, **_counts(matrix, a, b)}
            if seat == "all":
                row |= {f"{report.unit} {k}": getattr(length, k) for k in ("mean", "p10", "median", "p90")}
            rows.append(row)
    return rows


def _setting_rows(report: ArenaReport) -> list[dict[str, Any]]:
    if report.sides is None:
        return []
    return [
        {"a": report.sides.agents[a], "b": report.sides.agents[b], **_counts(report.sides, a, b)}
        for a, b in np.argwhere(report.sides.games > 0)
        if a < b
    ]


def _counts(matrix: WinMatrix, row: int, column: int) -> dict[str, Any]:
    counts = {name: int(getattr(matrix, name)[row, column]) for name in ("games", "wins", "losses", "ties", "cuts")}
    low, high = matrix.interval(row, column)
    rate = counts["wins"] / counts["games"] if counts["games"] else None
    return counts | {"win rate of a": rate, "low": low, "high": high}


def _csv(rows: Sequence[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows({name: round(v, 5) if isinstance(v, float) else v for name, v in row.items()} for row in rows)
    return text.getvalue()


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


# The page


def html(report: ArenaReport) -> str:
    """The page, all in one file: no scripts, nothing loaded, readable in light and dark, on wide screens and phones."""
    import react_env

    ratings = report.standings.ratings
    axis = Axis.of([rating.low for rating in ratings], [rating.high for rating in ratings])
    ends = [length.p90 for length in report.lengths]
    grids = [("All seats", _heat(report.matrix))]
    grids += [(f"Row at seat {seat}", _heat(matrix)) for seat, matrix in enumerate(report.by_seat)]
    return (
        environment()
        .get_template("arena.html")
        .render(
            report=report,
            version=react_env.__version__,
            ratings=ratings,
            axis=axis,
            alpha=ratings[0].alpha_rank is not None,
            forfeits=any(rating.forfeits for rating in ratings),
            grids=grids,
            sides=None if report.sides is None else _heat(report.sides),
            agent_sides=None
            if report.agent_sides is None
            else [[_cell(*c) for c in row] for row in report.agent_sides.cells],
            lengths_axis=Axis.of([0.0], ends),
            seat_lines=seat_lines(report),
            cycle_lines=cycle_lines(report),
            no_winner_line=no_winner_line(report),
            length_line=length_line(report),
            skill=_skill,
            mass=_mass,
        )
    )


@dataclass(frozen=True)
class Cell:
    """A cell of a heat map."""

    wins: int
    games: int
    low: float  # percent
    high: float

    @property
    def rate(self) -> float:
        return 100 * self.wins / self.games

    @property
    def kind(self) -> str:
        """What colour it has: "over", "under" one half."""
        return "over" if self.rate >= 50 else "under"

    @property
    def strength(self) -> str:
        """How much of it, a CSS percentage."""
        return f"{min(100.0, 2 * abs(self.rate - 50)):.0f}%"


def _cell(wins: int, games: int) -> Cell | None:
    if not games:
        return None
    low, high = wilson_score(wins / games, games)
    return Cell(wins, games, 100 * low, 100 * high)


def _heat(matrix: WinMatrix) -> list[list[Cell | None]]:
    size = len(matrix.agents)
    return [[_cell(int(matrix.wins[i, j]), int(matrix.games[i, j])) for j in range(size)] for i in range(size)]
