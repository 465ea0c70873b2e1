"""The study of React Fast (`react_env.games.react_fast.balance.study`) in words, and its plot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

from react_env.evaluation.document import STAR, Report, Section, Table, as_svg, gain_text, made_by
from react_env.evaluation.ratings.intervals import percent, share_text
from react_env.games.react_fast import state as S
from react_env.games.react_fast.balance.study import CARD, EVEN, SPEED, Answer, Question, Study, rate
from react_env.games.react_fast.game import ID

WAYS_IN_WORDS = {
    "suits": "won by four suits",
    "last": "won by last player",
    "cards": "won by most cards at the limit",
    "draw": "draws",
}
ORDER = ("who begins", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
COLORS = ("#1d4f98", "#b4541a", "#2f7d4f", "#8a3f8f", "#5d6068", "#a08a1e", "#1a8a94")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def _span(values: Sequence[float]) -> str:
    low, middle, high, late = values
    return f"{middle:g} ({low:g} to {high:g}; 95 %: {late:g})"


def _of(study: Study, kind: str) -> list[Answer]:
    return [
        study.answers[question] for question in study.questions if question.kind == kind and question in study.answers
    ]


def _even(study: Study) -> Table:
    """For each number of even players: games, how they end, length, players out."""
    rows = []
    for answer in _of(study, EVEN):
        games = answer.games
        out = sum(count for number, count in answer.out.items() if number)
        rows.append(
            [
                str(answer.question.players),
                f"{games:,}",
                *(percent(answer.ways[way] / games) if answer.ways[way] else "-" for way in WAYS_IN_WORDS),
                share_text(out, games),
                _span(answer.placements),
                _span(answer.seconds),
            ]
        )
    columns = ("players", "games", *WAYS_IN_WORDS.values(), "games with somebody out", "units placed", "seconds")
    return Table(columns, rows)


def _seats(study: Study) -> Table:
    """Win rates by the order of turns, who begins first."""
    most = max(study.settings.players)
    rows = []
    for answer in _of(study, EVEN):
        cells = [share_text(wins, sum(answer.turns)) for wins in answer.turns]
        rows.append([str(answer.question.players), *cells, *[""] * (most - len(cells))])
    return Table(("players", *ORDER[:most]), rows, "wins by the order of turns")


def _speed(study: Study) -> Table:
    """The win rate of one player by the factor of all latencies, for each number of players."""
    rows = []
    for players in study.settings.players:
        answers = [study.answers.get(Question(SPEED, players, scale=scale)) for scale in study.settings.scales]
        shares = [share_text(sum(answer.won), answer.games) if answer else "" for answer in answers]
        rows.append([str(players), percent(1 / players), *shares])
    columns = ("players", "even", *(f"latencies x {scale:g}" for scale in study.settings.scales))
    return Table(columns, rows, "one player of another speed")


def _cards(study: Study) -> list[Table]:
    """The worth of the right to activate each traveling card, and how often players who activated it won, by the number of players."""
    effects = {(q.card, q.players): effect for q, effect in study.effects(CARD).items()}
    worth, naive = [], []
    for card in S.TRAVELING_NAMES:
        found = [effects.get((card, players)) for players in study.settings.players]
        worth.append([card, *(gain_text(*astuple(effect)) if effect else "" for effect in found)])
        counts = [answer.activated[card] for answer in _of(study, EVEN)]
        naive.append([card, *(share_text(wins, games) for games, wins in counts)])
    columns = ("card", *(f"{count} players" for count in study.settings.players))
    return [
        Table(columns, worth, "what a card is worth, points of the win rate"),
        Table(columns[: len(_of(study, EVEN)) + 1], naive, "wins of those who activated it"),
    ]


def stacked(cell: str) -> str:
    """A figure, and its interval on a line of its own."""
    return cell.replace(" (", "\n(").replace("; 95 %", ";\n95 %")


def balance_report(study: Study, plot: str = "") -> Report:
    """The results so far; `plot` is the file with their picture."""
    settings = study.settings
    sections = [
        Section(
            "Even players",
            ["Length: the median, the middle 80 % and the 95th percentile. Seconds run on the game's own clock."],
            [_even(study), _seats(study)],
        )
    ]
    if _of(study, SPEED):
        line = (
            "One player's slaps take this many times as long as the others'; placing cards takes the same time for all."
        )
        sections.append(Section("What is speed worth?", [line], [_speed(study)]))
    if _of(study, CARD):
        lines = [
            "One player may not activate the card; everything else stays the same, on the same deals. The figure is how many points of the "
            "win rate the right to activate it brings. " + STAR,
            "The win rate of players who activated a card says less: a player who survives longer sees more "
            "cards, and one who has activated three suits is about to win, whatever the cards are.",
        ]
        sections.append(Section("What is a traveling card worth?", lines, _cards(study)))
    return Report(
        "What decides a game of React Fast",
        f"The agent {settings.agent} plays every seat, on {settings.deals:,} deals for each question. Where one player differs from the "
        "others, each deal is played once with that player at each seat. Intervals hold 95 %: Wilson's for rates, and for differences "
        "the spread over deals.",
        sections,
        made_by(ID, settings.command()),
        ("Win rate by speed, and what each card is worth", plot) if plot else None,
    )


def _bars(points: list[tuple[float, float, float]]) -> tuple[list[float], list[list[float]]]:
    """(middle, low, high) of shares -> the middles in percent and the lengths of the error bars, as matplotlib takes them."""
    middles = [100 * middle for middle, _, _ in points]
    return middles, [[100 * (m - low) for m, low, _ in points], [100 * (high - m) for m, _, high in points]]


def balance_plot(study: Study) -> str:
    """An SVG: the win rate by speed, and what each traveling card is worth; tables of the page hold the same figures."""
    counts = study.settings.players
    effects = study.effects(CARD)

    def draw(figure: Any) -> None:
        speed, cards = figure.subplots(1, 2)
        for number, players in enumerate(counts):
            look: dict[str, Any] = {"color": COLORS[number % len(COLORS)], "marker": MARKERS[number % len(MARKERS)]}
            look |= {"markersize": 5, "capsize": 2, "label": f"{players} players"}
            answers = [one for one in _of(study, SPEED) if one.question.players == players]
            points = {one.question.scale: rate(sum(one.won), one.games) for one in answers}
            points |= {1.0: (1 / players,) * 3}
            scales = sorted(points)
            rates, errors = _bars([points[scale] for scale in scales])
            speed.errorbar(scales, rates, yerr=errors, **look)
            found = {S.TRAVELING_NAMES.index(q.card): e for q, e in effects.items() if q.players == players}
            gains, errors = _bars([(effect.mean, effect.low, effect.high) for effect in found.values()])
            offset = 0.16 * (number - (len(counts) - 1) / 2)
            cards.errorbar(gains, [place + offset for place in found], xerr=errors, linestyle="none", **look)
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
        speed.legend(frameon=False)

    return as_svg(10, 4.4, draw)
