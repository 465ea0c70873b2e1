"""Skill depth: the ladder stops where doubling does not pay, its sums add up, its plot is drawn."""

import io
import json
from pathlib import Path

import pytest
from PIL import Image
from rich.console import Console

from react_env.errors import OptionError
from react_env.evaluation.arena.ladder import climb, ladder_table, plot, spec_of, verdict
from react_env.evaluation.matches.records import Games
from tests.evaluation.simulated import simulated

GAIN = {32: 200.0, 64: 120.0, 128: 80.0, 256: 0.0, 512: 0.0}  # Elo of each doubling


def play(a: str, b: str, games: int) -> Games:
    budget = int(a.split(":")[1])
    assert b == f"mcts:{budget // 2}"
    return simulated({a: GAIN[budget], b: 0.0}, games // 2, seat=60, luck=100, ties=0.02, seed=budget)


def test_stops_where_doubling_does_not_pay() -> None:
    told: list[int] = []
    ladder = climb(play, "mcts", games=1000, done=lambda rung: told.append(rung.budget), bootstrap=200)
    assert told == [rung.budget for rung in ladder.rungs] == [32, 64, 128, 256, 512]
    assert [rung.pays for rung in ladder.rungs] == [True, True, True, False, False]
    assert [rung.base for rung in ladder.rungs] == [16, 32, 64, 128, 128]
    assert ladder.depth == 3 and ladder.complete and ladder.game == "toy" and ladder.first == "mcts:16"
    assert verdict(ladder).startswith("3 doublings pay, as far as mcts:128: mcts:512 gains ")
    impatient = climb(play, "mcts", games=1000, patience=1, bootstrap=200)
    assert [rung.budget for rung in impatient.rungs] == [32, 64, 128, 256] and impatient.complete
    assert not climb(play, "mcts", games=1000, most=256, bootstrap=200).complete, "a second one may pay"


def test_doublings_that_pay_together_are_seen() -> None:
    def small(a: str, b: str, games: int) -> Games:
        return simulated({a: 20.0, b: 0.0}, games // 2, luck=100, seed=int(a.split(":")[1]) + 1)

    first, second, third, _ = climb(small, "mcts", games=800, most=256, bootstrap=500).rungs
    assert (first.pays, second.pays, third.pays) == (True, False, True)
    assert third.score.low < 0.5 and third.elo.low < 0 and third.base == second.base == 32  # it does not pay alone
    assert third.since.value == pytest.approx(second.elo.value + third.elo.value)
    assert 0 < third.since.low < third.since.value < third.since.high


def test_a_doubling_that_pays_alone_is_no_end() -> None:
    def late(a: str, b: str, games: int) -> Games:  # what the first doubling seems to cost, the second one brings back
        return simulated({a: -60.0 if a == "mcts:32" else 30.0, b: 0.0}, games // 2, luck=100, seed=8)

    first, second, *more = climb(late, "mcts", games=800, most=256, bootstrap=500).rungs
    assert not first.pays and second.since.low < 0 and second.pays and more


def test_nothing_to_find() -> None:
    ladder = climb(lambda a, b, n: simulated({a: 0.0, b: 0.0}, n // 2, seed=3), "mcts", games=200, bootstrap=100)
    assert ladder.depth == 0 and len(ladder.rungs) == 2 and ladder.complete
    assert verdict(ladder).startswith("No doubling pays beyond doubt: mcts:64 gains ") and verdict(ladder).endswith(
        "on mcts:16."
    )


def test_stops_at_the_largest_budget() -> None:
    ladder = climb(play, "mcts", most=100, games=1000, bootstrap=50)
    assert [rung.budget for rung in ladder.rungs] == [32, 64] and not ladder.complete
    assert "there may be more" in verdict(ladder)


def test_figures_of_a_rung() -> None:
    first, second, *_ = climb(play, "mcts", games=4000, bootstrap=500).rungs
    assert first.wins + first.losses + first.halves == first.games == 4000
    assert sum(first.seat_wins) == first.wins and first.seat_games == (2000, 2000)
    assert first.seat_wins[0] > first.seat_wins[1]
    assert first.score.value == pytest.approx((first.wins + first.halves / 2) / first.games)
    assert (
        first.score.low < first.score.value < first.score.high
        and first.interval[0] < first.win_rate < first.interval[1]
    )
    assert first.elo.value == pytest.approx(200, abs=25) and first.elo.low < first.elo.value < first.elo.high
    assert second.total.value == pytest.approx(first.elo.value + second.elo.value)
    assert second.total.high - second.total.low > first.total.high - first.total.low


def test_who_wins_everything_stays_finite() -> None:
    ladder = climb(lambda a, b, n: simulated({a: 1e5, b: 0.0}, n // 2), "mcts", most=32, games=200, bootstrap=100)
    (rung,) = ladder.rungs
    assert rung.win_rate == 1 and rung.pays and 500 < rung.elo.value < 2000
    assert rung.elo.low < rung.elo.value
    json.dumps(ladder.to_json(), allow_nan=False)


def test_json_and_table() -> None:
    ladder = climb(play, "mcts", games=1000, bootstrap=100)
    content = ladder.to_json()
    assert content["depth"] == 3 and content["rungs"][0]["win_rate_95"] == list(ladder.rungs[0].interval)
    console = Console(width=80, file=io.StringIO())
    console.print(ladder_table(ladder))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert max(map(len, text.splitlines())) <= 80 and "…" not in text
    assert text.count("yes") == 3 and text.count(" no ") == 2


def test_where_the_budget_stands() -> None:
    assert spec_of("mcts", 64) == "mcts:64" and spec_of("mcts:{},scale=2", 64) == "mcts:64,scale=2"


def test_plots(tmp_path: Path) -> None:
    ladder = climb(play, "mcts", games=1000, bootstrap=50)
    plot(ladder, tmp_path / "ladder.png")
    with Image.open(tmp_path / "ladder.png") as image:
        assert image.width >= 1000 and len(set(image.convert("L").get_flattened_data())) > 20
    plot(ladder, tmp_path / "ladder.svg")
    assert "</svg>" in (tmp_path / "ladder.svg").read_text()
    with pytest.raises(OptionError, match=r"ends in \.png, \.svg"):
        plot(ladder, tmp_path / "ladder.jpeg2")


def test_a_name_is_no_formula(tmp_path: Path) -> None:
    ladder = climb(lambda a, b, n: simulated({a: 0.0, b: 0.0}, n // 2), "$\\frac{$", games=100, bootstrap=20)
    plot(ladder, tmp_path / "ladder.svg")


@pytest.mark.parametrize(("start", "most"), [(0, 64), (16, 16), (16, 31)])
def test_impossible_budgets(start: int, most: int) -> None:
    with pytest.raises(OptionError, match="budgets from"):
        climb(play, "mcts", start=start, most=most)


def test_impossible_patience() -> None:
    with pytest.raises(OptionError, match="patience is 0"):
        climb(play, "mcts", patience=0)


def test_nothing_played() -> None:
    with pytest.raises(OptionError, match="have played no games"):
        climb(lambda a, b, n: simulated({a: 0.0, b: 0.0}, 2)[:0], "mcts")
