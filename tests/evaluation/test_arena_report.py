"""The report on an arena: figures agree everywhere, the terminal keeps to 80 columns, the page escapes what users named."""

import csv
import dataclasses
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from react_env.errors import OptionError
from react_env.evaluation.arena.report import ArenaReport, arena_report, csv_files, document, to_json
from react_env.evaluation.document import as_console, as_html, console_table, counted, gain_text
from react_env.evaluation.pages import Axis
from react_env.evaluation.ratings.ratings import standings
from tests.evaluation.simulated import pairings, simulated
from tests.evaluation.test_ratings import alone

EVIL = "<script>alert(1)</script>[bold]&'\".py:Agent"
FAULT = SimpleNamespace(
    agent=EVIL,
    kind="error",
    count=7,
    message="KeyError: '</summary><img src=x>'",
    details='Traceback (most recent call last):\n  File "a.py", line 3, in act\nKeyError: "</pre><b>"\n',
)
FIELD = {"random": 0.0, "scripted": 300.0, EVIL: 150.0, "mcts:64": 350.0}


def html(report: ArenaReport) -> str:
    return as_html(document(report))


def report_of(field: dict[str, float] = FIELD, couples: int = 60, **options: Any) -> ArenaReport:
    games = simulated(field, couples, seat=40, settings=pairings(), seed=1)
    return arena_report(games, bootstrap=50, command="react-env arena a 'b & c'", **options)


def shown(report: ArenaReport, width: int = 80) -> str:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    console.print(as_console(document(report)))
    return console.file.getvalue()  # type: ignore[attr-defined]


class Page(HTMLParser):
    """The tags of a page with their attributes; it checks that they are properly nested."""

    VOID = {"meta", "link", "input", "br"}

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_page_escapes_everything_and_needs_nothing_else() -> None:
    page = Page(html(report_of(faults=[FAULT])))
    tags = {tag for tag, _ in page.tags}
    assert not tags & {"script", "img", "iframe", "object", "base"}
    assert EVIL in page.texts
    text = "".join(page.texts)
    assert FAULT.details in text and FAULT.message in text and "react-env arena a 'b & c'" in text
    for tag, attributes in page.tags:
        assert not any(name.startswith("on") for name in attributes), tag
        link = attributes.get("href") or "data:,"
        assert (link == "data:," or link.startswith("#")) and "src" not in attributes
    style = html(report_of())
    assert "url(" not in style and "@import" not in style and "http://" not in style and "https://" not in style


def test_the_page_has_every_section_and_cell() -> None:
    report = report_of(faults=[FAULT])
    page = Page(html(report))
    ids = {attributes["id"] for _, attributes in page.tags if "id" in attributes}
    assert {"standings", "matrix", "sides", "cycles", "lengths", "faults", "made"} <= ids
    titles = [attributes.get("title") or "" for tag, attributes in page.tags if tag == "td"]
    wins, games = int(report.matrix.wins[0, 1]), int(report.matrix.games[0, 1])
    expected = f"{report.names[0]} against {report.names[1]}: {wins} wins in {games} games"
    assert any(title.startswith(expected) for title in titles)
    # For all seats and for each of two seats, 12 cells of four agents; 6 cells of sides; 12 of agents with sides.
    assert sum(bool(title) for title in titles) == 3 * 12 + 6 + 12
    assert report.games.rules_hash in "".join(page.texts)


def test_in_a_narrow_terminal_columns_stand_in_further_tables() -> None:
    """Past bug: in 40 columns numbers were broken into two lines, "116" above "6"."""
    report = report_of({"random": 0.0, "scripted": 300.0, "mcts:64": 350.0})
    narrow = shown(report, 40)
    assert max(map(len, narrow.splitlines())) <= 40
    for line in shown(report, 200).splitlines():
        if re.match(r" \d \S", line):  # a row of a table
            assert set(line.split()) <= set(narrow.split()), line


def test_words_are_wrapped_and_do_not_make_a_further_table() -> None:
    """Past bug: a long last column of words stood in a table of its own, so nothing told what was before and what after an edit."""
    console = Console(width=80, record=True, file=io.StringIO())
    missed = "Tagger scores 9.4 % against DJ, the goal is 35 to 65 %; it may be chance"
    console.print(console_table(("agent", "", "missed goal"), [("scripted", "before", missed)], left=3))
    told = console.export_text()
    assert told.count("agent") == 1 and "scripted before Tagger scores 9.4 %" in told
    assert all(len(line) <= 80 for line in told.splitlines())


def test_sections_without_content_are_left_out() -> None:
    games = simulated({"a": 0.0, "b": 100.0}, 20)
    ids = re.findall(r'id="([a-z]+)"', html(arena_report(games, bootstrap=20)))
    assert "sides" not in ids and "faults" not in ids and "cycles" not in ids
    assert set(csv_files(arena_report(games, bootstrap=20))) == {"standings.csv", "matches.csv"}


def test_positions_lie_inside_the_track() -> None:
    for value in re.findall(r"(?:left|width):(-?[\d.]+)%", html(report_of())):
        assert 0 <= float(value) <= 100
    axis = Axis.of([900.0], [900.0])
    assert axis.at(900) == "50.00%" and axis.low < 900 < axis.high
    assert Axis.of([700.0, 900.0], [1000.0, 1300.0]).ticks == (700, 800, 900, 1000, 1100, 1200, 1300)


def test_terminal_fits_80_columns_with_eight_agents() -> None:
    field = {f"an agent with a long name {number}": 150.0 * number for number in range(8)}
    text = shown(report_of(field))
    assert max(map(len, text.splitlines())) <= 80
    table = text.split("Win rate of the row")[1]
    assert "…" not in table.replace("an agent with a…", "")  # numbers are whole
    assert "97-100" in text  # the widest interval there is


def test_terminal_tells_what_the_report_knows() -> None:
    report = report_of(faults=[FAULT])
    text = shown(report, 160)
    best = report.standings.ratings[0]
    assert f"{best.elo:.0f}" in text and f"{best.low:.0f}–{best.high:.0f}" in text
    assert (
        "720 games" in text
        and "The median game takes" in text
        and "Seat 0 is worth +" in text
        and "Ratings explain" in text
    )
    assert "7 x error: KeyError" in text and 'File "a.py", line 3, in act' in text
    assert "<script>alert(1" in text


@pytest.mark.parametrize(
    ("couples", "stronger", "told"),
    [
        (3, 50.0, "Too few deals to tell what a seat is worth."),
        (40, 5000.0, "What a seat is worth is not measurable: the results are too one-sided."),
    ],
)
def test_the_worth_of_a_seat_is_only_told_where_it_was_measured(couples: int, stronger: float, told: str) -> None:
    """Past bug: "+0 Elo (+0 to +0)" if one of two won all games."""
    text = shown(arena_report(simulated({"a": 0.0, "b": stronger}, couples), bootstrap=20), 160)
    assert told in text and "Seat 0 is worth" not in text


def test_the_worth_of_a_seat_needs_deals_not_pairs() -> None:
    """Past bug: 15 pairs on three deals were enough."""
    text = shown(arena_report(simulated(dict.fromkeys("abcdef", 0.0), 3), bootstrap=20), 160)
    assert "Too few deals to tell what a seat is worth." in text


def test_long_tracebacks_keep_their_end() -> None:
    fault = SimpleNamespace(
        agent="a", kind="error", count=1, message="m", details="\n".join(map(str, range(1000, 1100)))
    )
    text = shown(report_of(faults=[fault]))
    assert "1099" in text and "1050" not in text
    assert "1050" in html(report_of(faults=[fault]))


def test_cycles_are_shown_with_rates_and_intervals() -> None:
    ring = np.log(3) * np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    report = arena_report(simulated(dict.fromkeys("rps", 0.0), 200, odds=ring, seed=1), bootstrap=20)
    (cycle,) = report.standings.cycles
    text = shown(report)
    assert re.search(rf"r beats p +{100 * cycle.scores[0]:.1f}", text)
    assert "All three intervals above 50" in text and "All three intervals above 50" in html(report)


def test_csv_and_json_agree_with_the_figures(tmp_path: Path) -> None:
    report = report_of(faults=[FAULT])
    for name, written in csv_files(report).items():
        (tmp_path / name).write_text(written)
    assert {path.name for path in tmp_path.iterdir()} == {"standings.csv", "matches.csv", "settings.csv"}
    content = json.loads(json.dumps(to_json(report)))
    assert [rating["agent"] for rating in content["ratings"]] == list(report.names)
    assert content["faults"][0]["details"] == FAULT.details and content["made"]["games"] == 720
    with open(tmp_path / "matches.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6 * 3
    for one in rows:
        parts = [row for row in rows if (row["a"], row["b"]) == (one["a"], one["b"])]
        total, *seats = (int(row["games"]) for row in parts)
        assert total == sum(seats) == 120
        assert sum(int(one[name]) for name in ("wins", "losses", "ties", "cuts")) == int(one["games"])
    with open(tmp_path / "standings.csv", newline="") as file:
        assert float(next(csv.DictReader(file))["elo"]) == pytest.approx(report.standings.ratings[0].elo, abs=1e-4)


def test_what_was_left_out_of_the_ratings_is_told_as_unknown() -> None:
    games = simulated({"a": 0.0, "b": 100.0}, 20)
    report = ArenaReport(games, standings(games, bootstrap=10, skill=False), (), "")
    assert to_json(report)["ratings"][0]["skill_mu"] is None
    assert Page(html(report)) and "nan" not in shown(report)


def test_no_games() -> None:
    with pytest.raises(OptionError, match="no games"):
        arena_report(simulated({"a": 0.0, "b": 0.0}, 3)[:0])


def test_forfeits_are_counted() -> None:
    games = simulated({"a": 0.0, "b": 0.0}, 10)
    forfeit = np.where((games.result == 1) & (np.arange(20) < 10), 2, 0).astype(np.int8)
    report = arena_report(dataclasses.replace(games, forfeit=forfeit), bootstrap=10)
    assert f"{(forfeit > 0).sum()} forfeited" in shown(report) and "<th>forfeits</th>" in html(report)


def test_one_against_three() -> None:
    """The report says which rate is even; an overall score, over games alone and games as one of three, would mislead."""
    report = arena_report(alone({(0, 1): 0.4, (0, 2): 0.6, (1, 2): 0.5}, 200), bootstrap=50)
    text = shown(report)
    assert "One of the row plays against 3 of the column: 25 % is even." in text and "win %" not in text
    assert [rating["agent"] for rating in to_json(report)["ratings"]] == ["a", "b", "c"]
    assert "score" not in to_json(report)["ratings"][0]
    cells = text[text.index("25 % is even") :].splitlines()[4:]
    assert cells[0].split()[:4] == ["1", "a", "38", "60"] and cells[2].split()[:3] == ["2", "b", "56"]
    kinds = [attributes.get("class") for tag, attributes in Page(html(report)).tags if tag == "td"]
    assert [kind for kind in kinds if kind in ("over", "under")][:3] == 3 * ["over"], "38 % is more than even"
    rows = [row for row in csv.DictReader(io.StringIO(csv_files(report)["matches.csv"])) if row["seat of a"] == "all"]
    assert [(row["a"], row["b"], row["games"]) for row in rows] == [(*pair, "800") for pair in ("ab", "ac", "bc")]


def test_words_of_numbers() -> None:
    """Past bugs: '1 ties', and a difference of zero as '-0.0'."""
    assert [counted(number, "tie") for number in (0, 1, 1200)] == ["0 ties", "1 tie", "1,200 ties"]
    assert gain_text(-1e-5, -0.02, 0.02, False) == "+0.0 (-2.0 to +2.0)"
