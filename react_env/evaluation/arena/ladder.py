"""Skill depth: how often doubling a search's budget pays (`react-env arena --ladder mcts`).

Every rung plays the rung below it, the same deals from both seats. A budget pays if it is better beyond doubt than half of it, or than
the last budget that paid: that may be several doublings back, since one doubling may gain too little to be seen. The ladder ends after
a few budgets in a row that do not pay. The number of doublings that pay says how much skill a game rewards: in a game of pure luck none,
though about one ladder in fifteen shows one by chance.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from react_env.errors import OptionError
from react_env.evaluation.arrays import Floats
from react_env.evaluation.document import console_table
from react_env.evaluation.matches.records import Games
from react_env.evaluation.ratings.intervals import wilson
from react_env.evaluation.ratings.ratings import ELO, PRIOR, Interval, couples, score_intervals, win_matrix
from react_env.extras import need
from react_env.files import write_aside

if TYPE_CHECKING:
    from rich.table import Table

START = 16  # budget of the first rung
MOST = 4096  # the largest budget
PATIENCE = 2  # the ladder ends after so many budgets in a row that do not pay
_TITLE = 90  # characters in a line of the plot's title
FORMATS = (".png", ".svg", ".pdf")

Play: TypeAlias = Callable[[str, str, int], Games]  # (spec a, spec b, games) -> games between them; `agents` is (a, b)


@dataclass(frozen=True)
class Rung:
    """A budget against half of it."""

    spec: str
    below: str
    budget: int
    games: int
    wins: int
    losses: int
    halves: int  # ties and cut games
    seat_wins: tuple[int, ...]  # wins from each seat
    seat_games: tuple[int, ...]
    score: Interval  # a win 1, a tie or a cut game one half
    elo: Interval  # gained by this doubling; this interval and those below are by bootstrap
    total: Interval  # Elo gained since the first budget
    base: int  # the largest budget below that paid, or the first
    since: Interval  # Elo gained since `base`
    pays: bool  # better beyond doubt than half of it (interval of the score) or than `base` (interval of the Elo)
    draws: Floats = field(repr=False, compare=False)  # (R,) resamples of `total`

    @property
    def win_rate(self) -> float:
        """Wins divided by games."""
        return self.wins / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the win rate."""
        return wilson(self.wins, self.games)

    def to_json(self) -> dict[str, Any]:
        """The rung as plain values."""
        values: dict[str, Any] = {}
        for name, value in vars(self).items():
            if isinstance(value, Interval):
                before = "" if name == "score" else f"{name}_"
                values |= {name: value.value, f"{before}low": value.low, f"{before}high": value.high}
            elif name != "draws":
                values[name] = value
        return values | {"win_rate": self.win_rate, "win_rate_95": list(self.interval)}


@dataclass(frozen=True)
class Ladder:
    """The rungs climbed."""

    game: str
    first: str  # the agent with the smallest budget
    start: int
    rungs: tuple[Rung, ...]
    games: int  # games of each rung
    patience: int  # so many budgets in a row that did not pay end it

    @property
    def depth(self) -> int:
        """How many doublings lead to the last budget that paid."""
        return max((number for number, rung in enumerate(self.rungs, 1) if rung.pays), default=0)

    @property
    def complete(self) -> bool:
        """Whether the ladder ended because budgets stopped paying; False if the largest budget allowed was reached before."""
        return len(self.rungs) - self.depth >= self.patience

    def to_json(self) -> dict[str, Any]:
        """The ladder as plain values."""
        rungs = [rung.to_json() for rung in self.rungs]
        return {**vars(self), "depth": self.depth, "complete": self.complete, "rungs": rungs}


def spec_of(family: str, budget: int) -> str:
    """ "mcts", 64 -> "mcts:64"; a family may say where the budget stands: "mcts:{},scale=100"."""
    return family.replace("{}", str(budget)) if "{}" in family else f"{family}:{budget}"


def climb(
    play: Play,
    family: str,
    *,
    start: int = START,
    most: int = MOST,
    games: int = 1000,
    patience: int = PATIENCE,
    done: Callable[[Rung], None] = lambda rung: None,
    bootstrap: int = 1000,
    seed: int = 0,
) -> Ladder:
    """Double the budget of `family` until that stops paying.

    Args:
        play: plays `games` games between two agents, half from each seat, and returns them; the first agent is `agents[0]`.
        family: see `spec_of`.
        start: the first budget.
        most: the largest budget.
        games: games of each rung.
        patience: the ladder ends after so many budgets in a row that do not pay.
        done: called with each rung.
        bootstrap: resamples for the intervals of Elo.
        seed: seed of the resamples.

    Raises:
        OptionError: a budget or number is out of range, or two agents have played no games.
    """
    if start < 1 or most < 2 * start:
        raise OptionError(
            f"budgets from {start} to {most}: the first must be at least 1, the last at least twice the first"
        )
    for name, number in (("bootstrap", bootstrap), ("patience", patience)):
        if number < 1:
            raise OptionError(f"{name} is {number}: it must be at least 1")
    rng = np.random.default_rng(seed)
    rungs: list[Rung] = []
    game, budget, waited = "", 2 * start, 0
    while budget <= most and waited < patience:
        found = play(spec_of(family, budget), spec_of(family, budget // 2), games)
        if not len(found):
            raise OptionError(f"{spec_of(family, budget)} and {spec_of(family, budget // 2)} have played no games")
        rung = _rung(family, budget, found, rungs, bootstrap, rng)
        rungs.append(rung)
        game, waited = found.game, 0 if rung.pays else waited + 1
        done(rung)
        budget *= 2
    return Ladder(game, spec_of(family, start), start, tuple(rungs), games, patience)


def _rung(
    family: str, budget: int, games: Games, under: Sequence[Rung], bootstrap: int, rng: np.random.Generator
) -> Rung:
    """The rung above the rungs `under`."""
    matrix, pairs = win_matrix(games), couples(games)
    score = Interval(*map(float, score_intervals(pairs, matrix)[0, 1]))
    played, points = (drawn[:, 0].sum(axis=1) for drawn in pairs.resample(bootstrap, rng))
    elo, gained = _elo(float(matrix.points[0, 1]), len(games)), _elo(points, played)
    total, draws = (under[-1].total.value + elo, under[-1].draws + gained) if under else (elo, gained)
    paid = next((rung for rung in reversed(under) if rung.pays), None)
    base = paid.budget if paid else (under[0].budget if under else budget) // 2
    since = _interval(total - paid.total.value, draws - paid.draws) if paid else _interval(total, draws)
    seats = [win_matrix(games, seat) for seat in range(games.seats)]
    return Rung(
        spec=spec_of(family, budget),
        below=spec_of(family, budget // 2),
        budget=budget,
        games=len(games),
        wins=int(matrix.wins[0, 1]),
        losses=int(matrix.losses[0, 1]),
        halves=int((matrix.ties + matrix.cuts)[0, 1]),
        seat_wins=tuple(int(seat.wins[0, 1]) for seat in seats),
        seat_games=tuple(int(seat.games[0, 1]) for seat in seats),
        score=score,
        elo=_interval(elo, gained),
        total=_interval(total, draws),
        base=base,
        since=since,
        pays=score.low > 0.5 or since.low > 0,
        draws=draws,
    )


def _interval(value: float, drawn: Floats) -> Interval:
    """`value` with the 95 % interval of its resamples."""
    return Interval(float(value), *map(float, np.percentile(drawn, (2.5, 97.5))))


def _elo(points: Any, games: Any) -> Any:
    """Elo of a score. Half a win is added for either side, which keeps it finite if one side won every game."""
    return ELO * np.log((points + PRIOR) / (games - points + PRIOR))


def verdict(ladder: Ladder) -> str:
    """One sentence that says how deep the game goes."""
    top = ladder.rungs[ladder.depth - 1].spec if ladder.depth else ladder.first
    if ladder.depth:
        paid = f"{ladder.depth} doublings pay, as far as {top}" if ladder.depth > 1 else f"1 doubling pays, to {top}"
    else:
        paid = "No doubling pays beyond doubt"
    if not ladder.complete:
        return f"{paid}, and the largest budget allowed is reached: there may be more."
    last = ladder.rungs[-1]
    return f"{paid}: {last.spec} gains {last.since.value:+z.0f} Elo ({last.since.low:+z.0f} to {last.since.high:+z.0f}) on {top}."


def ladder_table(ladder: Ladder) -> Table:
    """A row for each doubling; 80 columns."""
    from rich.text import Text

    columns = ("budget", "games", "win %", "95 %", "by seat", "score %", "95 %", "Elo", "in all", "pays")
    rows = []
    for rung in ladder.rungs:
        low, high = rung.interval
        seats = zip(rung.seat_wins, rung.seat_games)
        rows.append(
            [
                str(rung.budget),
                str(rung.games),
                f"{100 * rung.win_rate:.1f}",
                f"{100 * low:.0f}-{100 * high:.0f}",
                " ".join(f"{100 * wins / max(1, games):.0f}" for wins, games in seats),
                f"{100 * rung.score.value:.1f}",
                f"{100 * rung.score.low:.1f}-{100 * rung.score.high:.1f}",
                f"{rung.elo.value:+z.0f}",
                f"{rung.total.value:+z.0f}",
                Text("yes", style="green") if rung.pays else Text("no", style="red"),
            ]
        )
    caption = (
        "each budget against half of it, the same deals from both seats;\n"
        "score: a tie is half a win; it pays where it is better beyond\n"
        "doubt than half of it, or than the last one that paid"
    )
    return console_table(columns, rows, left=0, caption=caption)


def plot(ladder: Ladder, path: Path) -> None:
    """Plot the Elo gained since the first budget against the budget, which doubles from tick to tick, to a PNG, SVG or PDF file.

    OptionError for other file endings.
    """
    if path.suffix.lower() not in FORMATS:
        raise OptionError(f"{path}: a plot is a file that ends in {', '.join(FORMATS)}")
    need("eval", "matplotlib")
    from matplotlib.figure import Figure

    # Not a figure of pyplot, which would ask for a window system.
    figure = Figure(figsize=(8, 4.8), layout="constrained")
    axes = figure.subplots()
    budgets = [ladder.start, *(rung.budget for rung in ladder.rungs)]
    totals, lows, highs = zip((0.0, 0.0, 0.0), *(rung.total for rung in ladder.rungs))
    blue, grey = "#2258a5", "#6b6e76"
    axes.fill_between(budgets, lows, highs, color=blue, alpha=0.15, linewidth=0)
    axes.plot(budgets, totals, color=blue, linewidth=2, zorder=2)
    pays = [True, *(rung.pays for rung in ladder.rungs)]
    face = [blue if paid else "white" for paid in pays]
    axes.scatter(budgets, totals, s=46, color=face, edgecolors=blue, linewidths=1.8, zorder=3)
    for rung in ladder.rungs:
        axes.annotate(
            f"{100 * rung.score.value:.0f} %", (rung.budget, rung.total.value), (0, 11), textcoords="offset points",
            ha="center", va="bottom", fontsize=10, color="black",
        )  # fmt: skip
        axes.annotate(
            f"{100 * rung.score.low:.1f}-{100 * rung.score.high:.1f}", (rung.budget, rung.total.value), (0, -11),
            textcoords="offset points", ha="center", va="top", fontsize=8, color=grey,
        )  # fmt: skip
    axes.set_xscale("log", base=2)
    axes.set_xticks(budgets, [str(budget) for budget in budgets])
    axes.minorticks_off()
    axes.margins(x=0.06, y=0.16)
    axes.set_xlabel("budget of each decision", color=grey)
    axes.set_ylabel(f"Elo above {ladder.first}", color=grey, parse_math=False)
    title = textwrap.fill(f"{ladder.game}: {verdict(ladder)}", _TITLE)
    axes.set_title(title, loc="left", fontsize=11, parse_math=False)
    axes.grid(axis="y", color="#e5e5e2", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color("#c8c8c4")
    axes.tick_params(colors=grey, length=0)
    figure.supxlabel(
        f"Numbers: score against half the budget and its 95 % interval, {_counts(ladder.rungs)} games each, both seats; "
        "empty dot: not better\nbeyond doubt than half of it, nor than the last full dot. Band: 95 % interval of the Elo gained.",
        fontsize=8, color=grey, x=0.01, ha="left",
    )  # fmt: skip
    data = io.BytesIO()
    figure.savefig(data, format=path.suffix[1:].lower(), dpi=150)
    write_aside(path, data.getvalue())


def _counts(rungs: Sequence[Rung]) -> str:
    """ "1,000", or "500 to 1,000" if rungs differ."""
    fewest, most = min(rung.games for rung in rungs), max(rung.games for rung in rungs)
    return f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"
