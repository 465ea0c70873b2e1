"""Tables of different agents: fair seatings, and ratings that find what made the games."""

import json
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import react_env
from react_env import agents
from react_env.cli import app
from react_env.errors import OptionError
from react_env.evaluation.ratings.tables import ELO, _seated, luce, play_tables, rate

pytest.importorskip("openskill")


@pytest.mark.parametrize(("count", "players", "deals"), [(4, 4, 5), (7, 3, 70), (2, 3, 40), (5, 2, 25), (8, 8, 3)])
def test_all_sit_equally_often_and_nobody_twice_at_a_table_if_there_are_enough(
    count: int, players: int, deals: int
) -> None:
    seated = _seated(count, players, deals, np.random.default_rng(1))
    assert seated.shape == (deals, players)
    if count >= players:
        assert all(len(set(table)) == players for table in seated.tolist())
    times = Counter(seated.ravel().tolist())
    assert max(times.values()) - min(times.get(k, 0) for k in range(count)) <= 2


def test_each_deal_is_played_in_every_rotation_by_the_same_cards() -> None:
    game = react_env.load("react_fast-v0", players=4, max_placements=40)
    crowd = {name: agents.load(name, game) for name in ("random", "scripted", "greedy", "medium")}
    result = play_tables(game, crowd, 60, seed=3)
    assert len(result.winner) == 60 and {place.games for place in result.places} == {60}
    for deal in range(15):
        tables = result.agents[result.deal == deal]
        assert all(sorted(column) == [0, 1, 2, 3] for column in tables.T.tolist())
    assert [place.wins for place in result.places] == sorted((place.wins for place in result.places), reverse=True)
    again = play_tables(game, crowd, 60, seed=3, threads=2)
    assert (again.winner == result.winner).all() and again.places == result.places


class First:
    """Takes the legal action with the lowest id."""

    name = "first"

    def act(self, observations: Any, action_masks: Any, rng: Any) -> Any:
        return action_masks.argmax(1)


def test_the_same_players_in_other_seats_meet_the_same_deal() -> None:
    game = react_env.load("react_fast-v0", players=3, max_placements=40)
    result = play_tables(game, {"a": First(), "b": First(), "c": First()}, 30, seed=1)
    by_deal = [set(result.winner[result.deal == deal].tolist()) for deal in range(10)]
    assert all(len(winners) == 1 for winners in by_deal) and len(set.union(*by_deal)) > 1


def test_a_game_that_nobody_wins_is_drawn() -> None:
    game = react_env.load("react_fast-v0", players=3, max_placements=1)
    result = play_tables(game, {"a": First(), "b": First(), "c": First()}, 6)
    assert (result.winner == -1).all() and {(place.wins, place.draws) for place in result.places} == {(0, 6)}


def test_what_is_resampled_are_deals() -> None:
    """If the seat decides every deal, the two are surely equal; the same games on different deals would leave doubt."""
    tables, winner = np.array([[0, 1], [1, 0]] * 20), np.array([0, 0] * 20)
    of_deals, apart = (rate(["a", "b"], tables, winner, deal) for deal in (np.arange(40) // 2, np.arange(40)))
    (one, other), _ = (place.elo_interval for place in of_deals.places)
    assert other - one < 1e-3 and np.ptp(apart.places[0].elo_interval) > 20


def test_ratings_are_those_that_made_the_games() -> None:
    """Winners drawn by Luce's model with known strengths and seats."""
    rng = np.random.default_rng(0)
    strengths, seats = np.array([0.8, 0.0, -0.8, 0.0]), np.array([0.3, 0.0, -0.3])
    tables = np.array([rng.permutation(4)[:3] for _ in range(20000)])
    utility = strengths[tables] + seats
    winner = (utility + rng.gumbel(size=utility.shape)).argmax(1)
    found, of_seats = luce(4, tables, winner, np.ones(len(winner)))
    np.testing.assert_allclose(found, ELO * strengths, atol=12)
    np.testing.assert_allclose(of_seats, ELO * seats, atol=12)
    few = rate(["a", "b", "c", "d"], tables[:600], winner[:600], np.arange(600) // 3)
    assert [place.name for place in few.places][0] == "a" and few.places[-1].name == "c"
    inside = [
        place.elo_interval[0] <= ELO * strengths["abcd".index(place.name)] <= place.elo_interval[1]
        for place in few.places
    ]
    assert sum(inside) >= 3
    by_skill = sorted(few.places, key=lambda place: -place.mu)
    assert by_skill[0].name == "a" and by_skill[-1].name == "c"


def test_who_never_wins_has_a_finite_rating() -> None:
    tables = np.array(list(product(range(2), repeat=2)))[1:3].repeat(10, 0)
    winner = np.array([int(np.flatnonzero(row == 0)[0]) for row in tables])
    result = rate(["strong", "weak"], tables, winner, np.arange(20))
    assert result.places[0].name == "strong" and np.isfinite([p.elo for p in result.places]).all()
    drawn = rate(["a", "b"], tables, np.full(20, -1), np.arange(20))
    assert {place.draws for place in drawn.places} == {20} and abs(drawn.places[0].elo) < 1e-6


def test_who_hardly_ever_wins_moves_nobody_else() -> None:
    """Past bug: the rating of an agent without a win was far too high, which moved all others through the mean of 0."""
    rng = np.random.default_rng(1)
    elo = np.array([200.0, 0.0, -200.0, -1500.0])
    tables = np.array([rng.permutation(4) for _ in range(1200)])
    winner = ((elo / ELO)[tables] + rng.gumbel(size=tables.shape)).argmax(1)
    result = rate(["a", "b", "c", "hopeless"], tables, winner, np.arange(1200) // 4)
    assert [place.name for place in result.places] == ["a", "b", "c", "hopeless"]
    for place, true in zip(result.places[:3], elo):
        assert place.elo_interval is not None and place.elo_interval[0] < true < place.elo_interval[1]
        assert abs(place.elo - true) < 25
    ladder = rate(["a", "b", "c"], np.array([[0, 1], [0, 2], [1, 2]] * 40), np.zeros(120, int), np.arange(120) // 3)
    assert [place.elo_interval for place in ladder.places] == [None] * 3, "the middle one alone would be 0 for certain"
    assert result.places[3].wins < 5 and result.places[3].elo_interval is None and result.places[3].elo < -600


def test_a_seat_that_always_wins_has_no_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: its worth was "+296 to +296", and agents that won everything were said to have "too few deals"."""
    result = rate(["a", "b", "c"], np.array([[0, 1, 2]] * 30), np.zeros(30, int), np.arange(30))
    assert [interval for _, interval in result.seats] == [None] * 3
    monkeypatch.setattr("react_env.evaluation.ratings.tables.play_tables", lambda *_, **__: result)
    run = CliRunner().invoke(app, ["arena", "random", "scripted", "--tables", "--game", "react_fast-v0"])
    assert run.output.count("too one-sided") == 3 + 3 and "too few deals" not in run.output


def test_wrong_numbers() -> None:
    game = react_env.load("react_fast-v0", players=4)
    one = {"random": agents.load("random", game)}
    with pytest.raises(OptionError, match="at least two agents"):
        play_tables(game, one, 30)
    with pytest.raises(OptionError, match="each deal is played by 4 rotations"):
        play_tables(game, {**one, "scripted": agents.load("scripted", game)}, 2)


def test_the_command() -> None:
    few = ["--game", "react_fast-v0", "--set", "players=4", "--set", "max_placements=30", "--games", "40"]
    run = CliRunner().invoke(app, ["arena", "random", "scripted", "--tables", *few])
    assert run.exit_code == 0, run.output
    assert "40 games of 4" in run.output and "Seat 3 is worth" in run.output
    run = CliRunner().invoke(app, ["arena", "random", "scripted", "--tables", *few[:-1], "8"])
    assert run.exit_code == 0 and run.output.count("too few deals") == 2 + 4, "of two agents and four seats"
    run = CliRunner().invoke(app, ["arena", "random", "scripted", "--tables", "--json", *few])
    found = json.loads(run.stdout)
    assert found["players"] == 4 and {agent["name"] for agent in found["agents"]} == {"random", "scripted"}
    run = CliRunner().invoke(app, ["arena", "random", "scripted", "--tables", "--file", "x.arena", *few])
    assert run.exit_code == 2 and "--tables goes with" in run.stderr
