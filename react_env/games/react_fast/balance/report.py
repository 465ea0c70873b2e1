"""The study of React Fast (`react_env.games.react_fast.balance.study`) for the terminal, and as a page of the docs with its plot."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from react_env.evaluation.markdown import markdown_table
from react_env.evaluation.ratings.intervals import interval_text, percent
from react_env.extras import need
from react_env.games.react_fast import state as S
from react_env.games.react_fast.balance.study import CARD, EVEN, SPEED, WAYS, Answer, Effect, Question, Study, rate

WAYS_IN_WORDS = {
    "suits": "four suits",
    "last": "last player",
    "cards": "most cards at the limit",
    "draw": "draw",
}
ORDER = ("who begins", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
COLORS = ("#1d4f98", "#b4541a", "#2f7d4f", "#8a3f8f", "#5d6068", "#a08a1e", "#1a8a94")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def _rate_text(wins: int, games: int) -> str:
    return f"{percent(wins / games)} ({interval_text(wins, games)})" if games else ""


def _effect_text(effect: Effect) -> str:
    mark = " *" if effect.sure else ""
    return f"{100 * effect.mean:+.1f} ({100 * effect.low:+.1f} to {100 * effect.high:+.1f}){mark}"


def _span(values: Sequence[float]) -> str:
    low, middle, high, late = values
    return f"{middle:g} ({low:g} to {high:g}; 95 %: {late:g})"


def even_rows(study: Study) -> list[list[str]]:
    """For each number of even players: games, how they end, length, players out."""
    rows = []
    for answer in _of(study, EVEN):
        games = answer.games
        out = sum(count for number, count in answer.out.items() if number)
        ways = [f"{percent(answer.ways[way] / games)}" if answer.ways[way] else "-" for way in WAYS]
        rows.append(
            [
                str(answer.question.players),
                f"{games:,}",
                *ways,
                _rate_text(out, games),
                _span(answer.placements),
                _span(answer.seconds),
            ]
        )
    return rows


EVEN_COLUMNS = (
    "players",
    "games",
    *(f"won by {WAYS_IN_WORDS[way]}" if way != "draw" else "draws" for way in WAYS),
    "games with somebody out",
    "units placed",
    "seconds",
)


def seat_rows(study: Study) -> list[list[str]]:
    """Win rates by the order of turns, who begins first."""
    rows = []
    most = max(study.settings.players)
    for answer in _of(study, EVEN):
        games = sum(answer.turns)
        cells = [_rate_text(wins, games) for wins in answer.turns]
        rows.append([str(answer.question.players), *cells, *[""] * (most - len(cells))])
    return rows


def speed_rows(study: Study) -> list[list[str]]:
    """The win rate of one player by the factor of all latencies, for each number of players."""
    rows = []
    for players in study.settings.players:
        cells = [str(players), percent(1 / players)]
        for scale in study.settings.scales:
            answer = study.answers.get(Question(SPEED, players, scale=scale))
            cells.append(_rate_text(sum(answer.won), answer.games) if answer is not None else "")
        rows.append(cells)
    return rows


def card_rows(study: Study) -> list[list[str]]:
    """What the right to activate each traveling card is worth, in points of the win rate, for each number of players."""
    effects = study.effects(CARD)
    return [
        [
            card,
            *(
                _effect_text(effects[question]) if (question := Question(CARD, players, card=card)) in effects else ""
                for players in study.settings.players
            ),
        ]
        for card in S.TRAVELING_NAMES
    ]


def naive_rows(study: Study) -> list[list[str]]:
    """How often who activated a card won, for each number of even players."""
    answers = _of(study, EVEN)
    return [
        [card, *(_rate_text(*_wins_first(answer.activated[card])) for answer in answers)] for card in S.TRAVELING_NAMES
    ]


def _stacked(cell: str) -> str:
    """A figure, and its interval on a line of its own."""
    return cell.replace(" (", "\n(").replace("; 95 %", "\n95 %")


def _wins_first(counts: tuple[int, int]) -> tuple[int, int]:
    return counts[1], counts[0]


def _of(study: Study, kind: str) -> list[Answer]:
    return [
        study.answers[question] for question in study.questions if question.kind == kind and question in study.answers
    ]


def balance_report(study: Study) -> RenderableType:
    """For the terminal."""

    def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> RenderableType:
        made = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), title=title, title_justify="left", title_style="bold")
        for number, column in enumerate(columns):
            made.add_column(column, justify="left" if number == 0 else "right", overflow="fold")
        for row in rows:
            made.add_row(*(_stacked(cell) for cell in row))
        return made

    players = [f"{count} players" for count in study.settings.players]
    parts: list[RenderableType] = [
        table("even players", EVEN_COLUMNS, even_rows(study)),
        table("wins by the order of turns", ("players", *ORDER[: max(study.settings.players)]), seat_rows(study)),
    ]
    if _of(study, SPEED):
        scales = [f"latencies x {scale:g}" for scale in study.settings.scales]
        parts.append(table("one player of another speed", ("players", "even", *scales), speed_rows(study)))
    if _of(study, CARD):
        parts.append(table("what a card is worth, points of the win rate", ("card", *players), card_rows(study)))
        parts.append(table("wins of who activated it", ("card", *players), naive_rows(study)))
    parts.append(
        Text("* differs from nothing, with at most 5 % of these findings wrong in the whole table", style="dim")
    )
    return Group(*parts)


def balance_page(study: Study, plot: str) -> str:
    """The study as a page of Markdown; `plot` is the name of its picture."""
    import react_env

    settings = study.settings
    players = [f"{count} players" for count in settings.players]
    lines = [
        "# What decides a game of React Fast",
        "",
        f"`{settings.command()}` made this page, with react_env {react_env.__version__}.",
        "",
        f"The agent {settings.agent} plays every seat, on {settings.deals:,} deals for each question. Where one player differs from the",
        "others, each deal is played once with that player at each seat.",
        "Intervals hold 95 %: Wilson's for rates, and for differences the spread over deals.",
        "",
        f"![Win rate by speed, and what each card is worth]({plot})",
        "",
        "## Even players",
        "",
        "Length: the median, the middle 80 % and the 95 % percentile. Seconds run on the game's own clock.",
        "",
        *markdown_table(EVEN_COLUMNS, even_rows(study)),
        "",
        "Wins by the order of turns:",
        "",
        *markdown_table(("players", *ORDER[: max(settings.players)]), seat_rows(study)),
        "",
        "## What is speed worth?",
        "",
        "One player's hand takes so many times as long as the others', in slaps; placing cards takes all the same time.",
        "",
        *markdown_table(("players", "even", *(f"x {scale:g}" for scale in settings.scales)), speed_rows(study)),
        "",
        "## What is a traveling card worth?",
        "",
        "One player may not activate the card; all else stays as it is, on the same deals. The figure is how many points of the",
        "win rate the right to activate it brings. A star: it differs from nothing, and at most 5 % of the stars in the table are",
        "wrong (Benjamini and Hochberg, 1995).",
        "",
        *markdown_table(("card", *players), card_rows(study)),
        "",
        "The win rate of players who did activate a card tells less. Who lives long sees more cards, and who has activated three",
        "suits is about to win, whatever the cards are:",
        "",
        *markdown_table(("card", *players), naive_rows(study)),
        "",
    ]
    return "\n".join(lines)


def balance_plot(study: Study) -> str:
    """An SVG: the win rate by speed, and what each traveling card is worth; tables of the page hold the same figures."""
    need("eval", "matplotlib")
    import matplotlib
    from matplotlib.figure import Figure

    effects = study.effects(CARD)
    with matplotlib.rc_context({"svg.fonttype": "none", "font.size": 10, "svg.hashsalt": "react_fast"}):
        figure = Figure(figsize=(10, 4.4), layout="constrained")
        speed, cards = figure.subplots(1, 2)
        for number, players in enumerate(study.settings.players):
            look: dict[str, Any] = {"color": COLORS[number % len(COLORS)], "marker": MARKERS[number % len(MARKERS)]}
            look |= {"markersize": 5, "capsize": 2, "label": f"{players} players"}
            points = [(1.0, (1 / players, 1 / players, 1 / players))] + [
                (question.scale, rate(sum(answer.won), answer.games))
                for question, answer in study.answers.items()
                if question.kind == SPEED and question.players == players
            ]
            points.sort()
            rates = [100 * mean for _, (mean, _, _) in points]
            errors = [
                [100 * (mean - low) for _, (mean, low, _) in points],
                [100 * (high - mean) for _, (mean, _, high) in points],
            ]
            speed.errorbar([scale for scale, _ in points], rates, yerr=errors, **look)
            found = [(S.TRAVELING_NAMES.index(q.card), e) for q, e in effects.items() if q.players == players]
            offset = 0.16 * (number - (len(study.settings.players) - 1) / 2)
            cards.errorbar(
                [100 * effect.mean for _, effect in found],
                [place + offset for place, _ in found],
                xerr=[
                    [100 * (effect.mean - effect.low) for _, effect in found],
                    [100 * (effect.high - effect.mean) for _, effect in found],
                ],
                linestyle="none",
                **look,
            )
        speed.set(
            xlabel="latency, times that of the others",
            ylabel="wins, %",
            ylim=(0, 100),
            title="One player of another speed",
        )
        cards.set(xlabel="points of the win rate", title="The right to activate a card")
        cards.set_yticks(range(S.TRAVELING), S.TRAVELING_NAMES)
        cards.invert_yaxis()
        cards.axvline(0, color="#5d6068", linewidth=0.8)
        for axes in (speed, cards):
            axes.grid(color="#e2e2de", linewidth=0.8)
            axes.set_axisbelow(True)
            axes.spines[["top", "right"]].set_visible(False)
        speed.legend(frameon=False)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()
