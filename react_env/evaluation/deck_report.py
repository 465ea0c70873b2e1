"""The report of a search for a deck (`react_env.evaluation.deck_search`), and its plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from react_env.evaluation.deck_search import Meeting, Search
from react_env.evaluation.document import STAR, Report, Section, Table, as_svg, gain_text, made_by
from react_env.evaluation.ratings.intervals import percent, share_text


def _meetings(meetings: Sequence[Meeting], title: str) -> Table:
    """A row for each deck of the field, and one for all of them."""
    everybody = Meeting(
        "all",
        sum(one.games for one in meetings),
        sum(one.wins for one in meetings),
        sum(one.ties for one in meetings),
        (sum(one.seats[0] for one in meetings), sum(one.seats[1] for one in meetings)),
    )
    rows = [
        [
            one.against,
            f"{one.games:,}",
            share_text(one.wins, one.games),
            str(one.ties),
            *(percent(wins / (one.games // 2)) for wins in one.seats),
        ]
        for one in (*meetings, everybody)
    ]
    return Table(("against", "games", "wins", "ties", "at seat 0", "at seat 1"), rows, title)


def _fresh_score(search: Search) -> float:
    """The score of the deck that was found, on fresh deals."""
    meetings = search.result.meetings
    return sum(one.wins + 0.5 * one.ties for one in meetings) / sum(one.games for one in meetings)


def known_deck(search: Search) -> str:
    """The deck of the field that equals the deck found, if no new deck did better; else ""."""
    return next((d for d in search.space.field if dict(search.space.cards(d)) == search.result.found), "")


def deck_report(search: Search, plot: str = "") -> Report:
    """The report of a search; `plot` is the file with its picture."""
    found, settings, names = search.result, search.settings, search.space.names
    tried = max(trial.score for trial in found.trials)
    again = max(trial.score for trial in found.finalists)
    size = sum(found.found.values())
    known = known_deck(search)
    tables = [_meetings(found.meetings, known or "the deck that was found")]
    if not known:
        tables.append(_meetings(found.theirs, f"{found.best_of_field}, which did best of the field, on the same deals"))
    carried = [
        [names[one.card], str(found.found[one.card]), gain_text(one.mean, one.low, one.high, one.sure)]
        for one in found.carried
    ]
    return Report(
        "No new deck does better than the field" if known else "A deck that beats the field",
        f"{len(found.trials)} decks tried. The best scored {percent(tried)} on the deals of the search; the deck chosen scored "
        f"{percent(again)} on other deals and {percent(_fresh_score(search))} on fresh ones."
        + (f" It is {known}, a deck of the field: no new deck did better." if known else ""),
        [
            Section(
                f"The deck, {size} cards",
                [
                    ", ".join(f"{names[card]} x{copies}" for card, copies in found.found.items()),
                    f"{settings.agent} plays all decks, {settings.report:,} deals against each of the field at both seats, none of them "
                    "played before. A score counts a win 1 and a tie one half; intervals hold 95 %.",
                ],
                tables,
            ),
            Section(
                "What each card contributes",
                [
                    "How many points more the deck scores than without the card, whose places go to the cards that the field plays most. "
                    "Both play the same deals, so most of the luck cancels out. " + STAR,
                ],
                [Table(("card", "copies", "points of the score"), carried)],
            ),
        ],
        made_by(settings.game, search.command()),
        ("The score of the decks that were tried", plot) if plot else None,
    )


def deck_plot(search: Search) -> str:
    """An SVG: the score of each deck that was tried, the best so far, and what was measured again."""
    scores = 100 * np.array([trial.score for trial in search.result.trials])
    numbers = np.arange(1, len(scores) + 1)

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        axes.plot(numbers, scores, "o", color="#9aa4b5", markersize=3, label="a deck, on the deals of the search")
        axes.step(numbers, np.maximum.accumulate(scores), where="post", color="#1d4f98", label="the best so far")
        axes.axhline(
            100 * _fresh_score(search), color="#b4541a", linestyle="--", label="the deck found, on fresh deals"
        )
        axes.set(xlabel="decks tried", ylabel="score against the field, %", ylim=(0, 100))
        axes.legend(frameon=False, loc="lower right")

    return as_svg(8, 4, draw)
