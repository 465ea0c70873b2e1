"""The report on an arena: as a document for readers, and as CSV and JSON."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from react_env.evaluation.arrays import Ints
from react_env.evaluation.document import (
    Heat,
    HeatCell,
    Lines,
    Plot,
    Report,
    Section,
    Table,
    counted,
    made_by,
)
from react_env.evaluation.matches.records import Games
from react_env.evaluation.ratings.cycles import Cycle
from react_env.evaluation.ratings.intervals import percent, share_text, wilson
from react_env.evaluation.ratings.ratings import (
    Interval,
    Length,
    Standings,
    WinMatrix,
    agents_by_side,
    by_setting,
    deal_of,
    game_lengths,
    length_unit,
    played,
    standings,
    win_matrix,
)
from react_env.evaluation.ratings.tables import FEWEST

if TYPE_CHECKING:
    from react_env.evaluation.arena.store import FaultCount

_NOTHING = 0.01  # Elo; a narrower interval comes from results too one-sided to measure anything


@dataclass(frozen=True)
class ArenaReport:
    """The results of an arena. Agents are listed best first, except in `games`."""

    games: Games
    standings: Standings
    faults: tuple[FaultCount, ...]
    command: str

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Agents, best first."""
        return tuple(rating.agent for rating in self.standings.ratings)

    @cached_property
    def ranked(self) -> Games:
        """The games with agents numbered in that order, so `a` may be greater than `b`."""
        rank = np.array([self.names.index(agent) for agent in self.games.agents], np.int32)
        return replace(self.games, agents=self.names, a=rank[self.games.a], b=rank[self.games.b])

    @cached_property
    def matrix(self) -> WinMatrix:
        return win_matrix(self.ranked)

    @cached_property
    def by_seat(self) -> tuple[WinMatrix, ...]:
        """One matrix for each seat of the row agent: 0, 1, ..."""
        return tuple(win_matrix(self.ranked, seat) for seat in range(self.games.seats))

    @cached_property
    def sides(self) -> WinMatrix | None:
        """Artists or decks against each other; None if the game has none."""
        return by_setting(self.games)

    @cached_property
    def unit(self) -> str:
        """The unit of lengths: "turns" or "decisions"."""
        return length_unit(self.games)

    @cached_property
    def lengths(self) -> list[Length]:
        return game_lengths(self.ranked)

    @property
    def cuts(self) -> int:
        """Games stopped by the game's limit."""
        return int(self.games.cut.sum())

    @property
    def ties(self) -> int:
        """Games that ended without a winner."""
        return int(((self.games.result == 0) & ~self.games.cut).sum())


def arena_report(
    games: Games,
    *,
    faults: Iterable[FaultCount] = (),
    command: str = "",
    bootstrap: int = 1000,
    seed: int = 0,
) -> ArenaReport:
    """Work out the report from `games`.

    Args:
        games: N games, N at least 1.
        faults: what went wrong, from `Store.faults`.
        command: the command that made the report.
        bootstrap: resamples for the intervals of the ratings.
        seed: seed of the resamples.

    Raises:
        OptionError: there are no games.
    """
    games = played(games)
    return ArenaReport(games, standings(games, bootstrap=bootstrap, seed=seed), tuple(faults), command)


# In words


def _mass(value: float) -> str:
    return "0" if value < 0.0005 else f"{100 * value:.0f}" if value > 0.0995 else f"{100 * value:.1f}"


def alone_lines(report: ArenaReport) -> list[str]:
    """With more than two players, a line that says who sits at the other seats and which win rate is even."""
    seats = report.games.seats
    if seats == 2:
        return []
    return [f"One of the row plays against {seats - 1} of the column: {100 / seats:.0f} % is even."]


def seat_lines(report: ArenaReport) -> list[str]:
    """What the seats are worth, a line each; for two seats one line is enough."""
    worth = report.standings.seats
    if deal_of(report.games).max() + 1 < FEWEST:
        return ["Too few deals to tell what a seat is worth."]
    if all(seat.high - seat.low < _NOTHING for seat in worth):
        return ["What a seat is worth is not measurable: the results are too one-sided."]
    if report.games.seats == 2:
        low, value, high = (100 / (1 + 10 ** (-elo / 400)) for elo in (worth[0].low, worth[0].value, worth[0].high))
        return [f"Seat 0 is worth {_signed(worth[0])}: among equals {value:.1f} % ({low:.1f}-{high:.1f} %)."]
    return [f"Seat {seat} is worth {_signed(one)} against the mean of the seats." for seat, one in enumerate(worth)]


def _signed(worth: Interval) -> str:
    return f"{worth.value:+z.0f} Elo ({worth.low:+z.0f} to {worth.high:+z.0f})"


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
        text += f"; chance alone can explain the rest (p = {chance:.2f})."
    else:
        text += f"; the rest is more than chance (p {'< 0.001' if chance < 0.001 else f'= {chance:.3f}'})."
    lines.append(text)
    return lines


def no_winner_line(report: ArenaReport) -> str:
    """Games, ties, cut games and forfeits."""
    forfeits = int((report.games.forfeit > 0).sum())
    return (
        f"{counted(len(report.games), 'game')}: {counted(report.ties, 'tie')}, {report.cuts:,} cut by the game's limit, "
        f"{forfeits:,} forfeited."
    )


def length_line(report: ArenaReport) -> str:
    """How long games take, over all pairs."""
    p10, median, p90 = np.percentile(getattr(report.games, report.unit), (10, 50, 90))
    return f"The median game takes {median:g} {report.unit}, {p10:g} to {p90:g} in the middle 80 %."


# As a document


def document(report: ArenaReport) -> Report:
    """Standings, who beats whom, what the players had, cycles, lengths and faults."""
    found = report.standings
    sections = [
        _standings(report),
        Section(
            "Who beats whom",
            [
                "Win rate of the row against the column in percent, with its 95 % interval. A tie or a cut game is not a win.",
                *alone_lines(report),
            ],
            [_heat(report.matrix)] if len(report.names) > 1 else [],
            id="matrix",
        ),
        Section(
            "Who beats whom, by seat",
            parts=[_heat(matrix, f"Row at seat {seat}") for seat, matrix in enumerate(report.by_seat)],
            on_screen=False,
        ),
    ]
    if report.sides is not None and (by_side := agents_by_side(report.ranked)) is not None:
        sides, wins, count = by_side
        hands = "In whose hands: win rate of the agent with what it had, against all others together"
        sections.append(
            Section(
                "What the players had",
                ["Win rate of the row against the column in percent, all agents together, both seats."],
                [_heat(report.sides), Heat(report.names, _cells(wins, count), hands, sides)],
                on_screen=False,
                id="sides",
            )
        )
    if lines := cycle_lines(report):
        if len(report.names) > 2 and not found.cycles:
            lines.append("No three agents beat each other in a cycle.")
        sections.append(Section("Ladder or cycles", lines, [_ring(cycle) for cycle in found.cycles], id="cycles"))
    lengths = [
        (f"{one.a} – {one.b}", one.median, one.p10, one.p90, f"{one.median:g}, mean {one.mean:.1f}")
        for one in report.lengths
    ]
    lines = ["Each pair: the bar holds the middle 80 %, the mark is the median."]
    sections.append(Section("Length of games", lines, [Plot(lengths, report.unit)], on_screen=False, id="lengths"))
    if report.faults:
        lines = ["An agent that fails forfeits that game. Shown is the first failure of each kind."]
        faults = [
            Lines(fault.details, f"{fault.agent}: {fault.count} x {fault.kind}: {fault.message}")
            for fault in report.faults
        ]
        sections.append(Section("Faults", lines, faults, id="faults"))
    game, *made = made_by(report.games.game, report.command)
    return Report(
        f"Arena: {report.games.game}",
        f"{len(report.names)} agents, every deal played from each seat. {no_winner_line(report)} {length_line(report)}",
        sections,
        (game, ("Rules", report.games.rules_hash), *made),
    )


def _standings(report: ArenaReport) -> Section:
    """Elo with intervals, all other ratings, and what the seats are worth."""
    ratings = report.standings.ratings
    alone = report.games.seats > 2  # a win alone and a win as one of the copies are different things
    columns = ["agent", "Elo", "95 %", "games", *([] if alone else ["win %", "score %"]), "skill", "Nash %"]
    rows = [
        [
            f"{number} {rating.agent}",
            f"{rating.elo:.0f}",
            f"{rating.low:.0f}–{rating.high:.0f}",
            f"{rating.games:,}",
            *([] if alone else [f"{100 * rating.win_rate:.1f}", f"{100 * rating.score:.1f}"]),
            "-" if math.isnan(rating.skill_mu) else f"{rating.skill_mu:.1f}±{rating.skill_sigma:.1f}",
            _mass(rating.nash),
        ]
        for number, rating in enumerate(ratings, 1)
    ]
    if alpha := ratings[0].alpha_rank is not None:
        columns.append("alpha %")
        rows = [[*row, _mass(rating.alpha_rank or 0.0)] for row, rating in zip(rows, ratings)]
    if any(rating.forfeits for rating in ratings):
        columns.append("forfeits")
        rows = [[*row, f"{rating.forfeits:,}"] for row, rating in zip(rows, ratings)]
    lines = [
        "Elo by Bradley and Terry's model, the mean at 1000, with its 95 % interval; "
        + ("" if alone else "score: a tie or a cut game is half a win; ")
        + "skill: openskill's mu and sigma; Nash: the share of an agent in the best mixture of all.",
        *seat_lines(report),
    ]
    if not alpha:
        lines.append("Alpha-rank is left out: it needs OpenSpiel, the extra `openspiel`.")
    elo = [(rating.agent, rating.elo, rating.low, rating.high, row[1]) for rating, row in zip(ratings, rows)]
    return Section("Standings", lines, [Plot(elo, "Elo", in_table=True), Table(columns, rows)], id="standings")


def _ring(cycle: Cycle) -> Plot:
    """Each of three agents against the next."""
    pairs = zip(cycle.agents, (*cycle.agents[1:], cycle.agents[0]), cycle.scores, cycle.intervals, cycle.games)
    rows = [
        (f"{a} beats {b}", 100 * score, 100 * low, 100 * high, f"{100 * score:.1f} ({100 * low:.1f}-{100 * high:.1f}), n = {games:,}")
        for a, b, score, (low, high), games in pairs
    ]  # fmt: skip
    title = f"{'All three intervals above' if cycle.sure else 'May be chance: an interval reaches'} 50 %"
    return Plot(rows, "score, %", title)


def _heat(matrix: WinMatrix, title: str = "") -> Heat:
    return Heat(matrix.agents, _cells(matrix.wins, matrix.games, 100 / (matrix.rivals + 1)), title)


def _cells(wins: Ints, games: Ints, even: float = 50.0) -> list[list[HeatCell | None]]:
    return [[_cell(*counts, even) for counts in zip(*row)] for row in zip(wins.tolist(), games.tolist())]


def _cell(wins: int, games: int, even: float) -> HeatCell | None:
    if not games:
        return None
    low, high = wilson(wins, games)
    text = f"{wins} wins in {games} games, {share_text(wins, games)}"
    return HeatCell(100 * wins / games, 100 * low, 100 * high, text, even=even)


# Files


def to_json(report: ArenaReport) -> dict[str, Any]:
    """Everything as plain values, with None for unknown numbers."""
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
        "ratings": _rating_rows(report),
        "seats": [worth._asdict() for worth in found.seats],
        "groups": found.groups,
        "transitivity": found.transitivity,
        "cyclic_chance": found.cyclic_chance,
        "cycles": [asdict(cycle) | {"strength": cycle.strength, "sure": cycle.sure} for cycle in found.cycles],
        "matches": _match_rows(report),
        "settings": _setting_rows(report),
        "faults": [dict(vars(fault)) for fault in report.faults],
    }


def csv_files(report: ArenaReport) -> dict[str, str]:
    """Texts by file name: standings.csv, matches.csv and, if players have artists or decks, settings.csv."""
    files = {"standings.csv": _csv(_rating_rows(report)), "matches.csv": _csv(_match_rows(report))}
    if report.sides is not None:
        files["settings.csv"] = _csv(_setting_rows(report))
    return files


def _rating_rows(report: ArenaReport) -> list[dict[str, Any]]:
    alone = report.games.seats > 2
    return [
        {name: _known(value) for name, value in asdict(rating).items()}
        | ({} if alone else {"score": rating.score, "win_rate": rating.win_rate})
        for rating in report.standings.ratings
    ]


def _match_rows(report: ArenaReport) -> list[dict[str, Any]]:
    lengths = {(length.a, length.b): length for length in report.lengths}
    rows = []
    for a, b in np.argwhere(report.matrix.games > 0):
        if a > b and report.games.seats == 2:
            continue
        name_a, name_b = report.names[a], report.names[b]
        length = lengths[report.names[min(a, b)], report.names[max(a, b)]]
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
