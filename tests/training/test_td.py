"""Learning a value by temporal differences, on the toy game."""

import json
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pytest
import torch

import react_env
from react_env import agents
from react_env.agents.models.model import ModelInfo, ValueArchitecture, load_model, save_model
from react_env.agents.models.torch_network import Processor
from react_env.agents.players.learned_value import UNIT, ValueAgent, learned, new_params
from react_env.agents.search.planning import as_chance
from react_env.engine.batch import seed_words
from react_env.errors import OptionError
from react_env.evaluation.matches import playing
from react_env.registry import GAMES
from react_env.training.algorithms.rollouts import SELF
from react_env.training.algorithms.tables import Games, Table
from react_env.training.algorithms.td import TD, ValueNet, export, fill_targets
from react_env.training.algorithms.workers import Workers
from react_env.training.config import TrainConfig
from react_env.training.runs import progress
from react_env.training.selfplay.run import train
from tests.agents.games import game_of, positions

SMALL: dict[str, Any] = {
    "game": "toy-v0",
    "algorithm": "td",
    "envs": 64,
    "rollout": 16,
    "minibatch": 256,
    "epochs": 1,
    "value_width": 4,
    "replay": 4,
    "threads": 1,
    "evaluations": 2,
    "evaluation_games": 100,
    "imitation_games": 64,
    "opponents": {},
    "learning_rate": 3e-3,
    "gae_lambda": 0.8,
}


@pytest.fixture(autouse=True)
def toy_is_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "toy-v0", "tests.toy:GAME")


def test_many_games_to_begin_with_take_no_more_memory() -> None:
    """Whenever more positions are held than fit, a random half is forgotten; the others still know how their games ended."""
    game = game_of("toy")
    greedy = agents.load("greedy", game)

    def seen_of(most: int) -> tuple[int, Games]:
        table = Table(game, 16, seed=1, threads=1)
        while table.over < 200:
            table.play(greedy, 0.1)
            if table.held > most:
                table.thin()
        held = table.held
        games = table.take().finished()
        assert games is not None and table.held == 0
        return held, games

    _, whole = seen_of(2**62)
    size = whole.features[0].numel()
    held, games = seen_of(100 * size)
    assert held <= 100 * size < whole.features.numel()
    won = {tuple(row) for row in np.concatenate([whole.features.flatten(1), whole.results], 1).tolist()}
    assert {tuple(row) for row in np.concatenate([games.features.flatten(1), games.results], 1).tolist()} <= won
    assert 10 < games.last.sum() <= len(games.features) <= 100


def test_it_begins_with_the_first_games_to_begin_and_not_the_first_to_end() -> None:
    """Past bug: with places that restart at once, many short games end before the long ones, from which it never learned."""
    game = game_of("toy")
    table, rng = Table(game, 16, seed=1, threads=1), np.random.default_rng(0)
    while table.over_of(40) < 40:
        table.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in table.batch.action_masks]))
    results = table.take().results
    assert set(range(40)) <= set(results) and len(results) == table.over > 40
    fresh = Table(game, 16, seed=1, threads=1)
    assert fresh.over_of(16) == fresh.over_of(100) == 0


def test_a_game_begun_against_somebody_else_is_no_result() -> None:
    """Past bug: after new opponents were dealt, the games under way counted for them."""
    game = game_of("toy")
    table, greedy = Table(game, 16, seed=1, threads=1), agents.load("greedy", game)
    table.dealt.deal(np.zeros(16, np.int64), ["one"])
    table.play(greedy, 0.0, [greedy], [Lock()])
    while min(table._number) < 32:  # until each place has begun its third game
        table.play(greedy, 0.0, [greedy], [Lock()])
    assert len(table.dealt.results[0]) == table.over - 16 > 0, (
        "not the first ones, which nobody had dealt when they began"
    )
    over, begun = table.over, table._number.copy()
    table.dealt.deal(np.array([0, 1] * 8), ["two", "one"])  # every other place goes on against the same one
    while (table._number == begun).any():
        table.play(greedy, 0.0, [greedy, greedy], [Lock(), Lock()])
    assert sum(map(len, table.dealt.results.values())) == table.over - over - 8


def test_targets_by_hand() -> None:
    """Two games: one of three positions that is won, one of a single position that is lost."""
    out = np.empty((4, 2), np.float32)
    first = np.array([0.5, 0.6, 0.8, 0.3], np.float32)
    last, won = np.array([False, False, True, True]), np.array([1, 1, 1, 0], np.float32)
    chances, results = np.stack([first, 1 - first], 1), np.stack([won, 1 - won], 1)
    fill_targets(chances, last, results, 1.0, 0.5, out)
    # The last position aims at the result; each before at half the next chance and half the next aim.
    np.testing.assert_allclose(out[:, 0], [0.5 * 0.6 + 0.5 * 0.9, 0.5 * 0.8 + 0.5 * 1.0, 1.0, 0.0])
    np.testing.assert_allclose(out.sum(1), 1, rtol=1e-6)
    fill_targets(chances, last, results, 1.0, 1.0, out)
    np.testing.assert_allclose(out[:, 0], [1, 1, 1, 0])
    fill_targets(chances, last, results, 0.8, 1.0, out)  # a fifth of the lead over even is lost with each position
    np.testing.assert_allclose(out[:, 0], [0.5 + 0.5 * 0.64, 0.5 + 0.5 * 0.8, 1, 0])


def test_a_lead_fades_among_those_who_are_in_the_game() -> None:
    """Three players, the last of them out of the game."""
    chances = np.array([[0.4, 0.6, 0], [0.7, 0.3, 0]], np.float32)
    results, out = np.array([[1, 0, 0]] * 2, np.float32), np.empty((2, 3), np.float32)
    fill_targets(chances, np.array([False, True]), results, 0.9, 0.0, out)
    np.testing.assert_allclose(out[0], [0.9 * 0.7 + 0.05, 0.9 * 0.3 + 0.05, 0], rtol=1e-6)


@pytest.mark.parametrize("name", ["toy, mixed", "arts_of_war-v0, mixed"])
def test_what_leaves_is_what_was_learned(name: str) -> None:
    """The compiled value computes what the network that learns computes, except for the constant of each table."""
    game = game_of(name)
    shape = ValueArchitecture.of(game, 6)
    torch.manual_seed(0)
    number = {role: i for i, role in enumerate(shape.roles)}
    net = ValueNet(shape, np.array([[number[role] for role in table] for table in game.rules.tables.roles]))
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.normal_(std=0.1)
        net.scale.uniform_(0.5, 2)
    params, value_of = new_params(export(net), shape, game), learned(game)
    states, _ = positions(game, 40, seed=3)
    states = states[states["over"] == 0]
    counts = np.empty((len(states), 2, len(shape.features)), np.float32)
    for row, state in enumerate(states):
        for player in range(2):
            game.heuristics.features(state, game.tables[state["table"]], player, counts[row, player])
    tables = torch.from_numpy(states["table"].astype(np.int64))
    with torch.no_grad():
        strengths = net(torch.from_numpy(counts), tables)
        logits = (strengths[:, 0] - strengths[:, 1] - net.table[tables][:, 0]).numpy()
    found = [value_of(state, game.tables[state["table"]], 0, params) for state in states]
    np.testing.assert_allclose(found, UNIT * logits, rtol=1e-3, atol=0.05)
    assert np.std(logits) > 0.05


def test_what_leaves_of_several_is_who_wins_among_those_in_the_game() -> None:
    game = react_env.load("react_fast-v0", players=4)
    shape = ValueArchitecture.of(game, 6)
    torch.manual_seed(0)
    net = ValueNet(shape, np.zeros((len(game.tables), 4), np.int64))
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.normal_(std=0.1)
        net.table.zero_()
    batch = game.batch(40, seed=1)
    words = seed_words(2, 40)
    for _ in range(60):
        batch.step_random(words)
    counts = np.empty((40, 4, len(shape.features)), np.float32)
    for row, state in enumerate(batch.states):
        for player in range(4):
            game.heuristics.features(state, game.tables[0], player, counts[row, player])
    inside = counts.any(2).sum(1)
    assert (inside == 4).any() and (inside < 4).any(), "some are out"
    with torch.no_grad():
        chances = torch.softmax(net(torch.from_numpy(counts), torch.zeros(40, dtype=torch.int64)), 1).numpy()
    params, value_of = new_params(export(net), shape, game), learned(game)
    found = [[as_chance(value_of(s, game.tables[0], p, params)) for p in range(4)] for s in batch.states]
    np.testing.assert_allclose(found, chances, atol=1e-4)


def test_the_tables_of_a_run_play_other_games() -> None:
    one, other = (Table(game_of("toy"), 16, seed=1, threads=1, part=part) for part in range(2))
    assert not (set(one.batch.states["rng"].tolist()) & set(other.batch.states["rng"].tolist()))
    assert (one._rng.random(16) != other._rng.random(16)).all()


def test_only_its_own_moves_are_random() -> None:
    class First:
        name = "first"

        def act(self, observations: Any, action_masks: Any, rng: Any) -> Any:
            return action_masks.argmax(1)

    table, first = Table(game_of("toy"), 32, seed=1, threads=1), First()
    table.dealt.deal(np.zeros(32, np.int64), ["first"])
    own: list[bool] = []
    theirs: list[bool] = []
    step = table.step

    def watched(actions: Any) -> None:
        lowest = actions == table.batch.action_masks.argmax(1)
        mine = table.batch.to_play == table.dealt.seats
        own.extend(lowest[mine])
        theirs.extend(lowest[~mine])
        step(actions)

    table.step = watched  # type: ignore[method-assign]
    for _ in range(10):
        table.play(first, 1.0, [first], [Lock()])
    assert all(theirs) and 0.2 < np.mean(own) < 0.8


def test_it_learns_from_the_games_of_the_last_updates() -> None:
    game = game_of("toy")
    config = TrainConfig(steps=1, **{**SMALL, "replay": 2})
    learner = TD(game, config, ValueArchitecture.of(game, 4), Workers(1, Processor()), seed=0)
    kept: list[list[int]] = []
    for _ in range(6):
        learner.learn(1e-2, 0.0)
        kept.append([id(games) for games in learner._recent])
    learner.close()
    assert [len(games) for games in kept[3:]] == [2, 2, 2]
    assert kept[4][0] == kept[3][1] and kept[5][0] == kept[4][1]


def test_every_finished_game_is_told_once_and_in_order() -> None:
    game = game_of("toy, mixed")
    table = Table(game, 16, seed=1, threads=1)
    rng = np.random.default_rng(0)
    seen: list[Games] = []
    taken = table.take()
    over, rests = 0, 0
    turns = {place: [] for place in range(16)}  # type: dict[int, list[int]]
    expected: list[list[int]] = []
    for step in range(450):
        at_rest = np.flatnonzero(table.batch.states["rank"] < 0)
        for place in at_rest:
            turns[int(place)].append(int(table.batch.states["points"][place].sum()))
        rests += len(at_rest)
        table.look()
        table.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in table.batch.action_masks]))
        for place in np.flatnonzero(table.batch.terminated | table.batch.truncated):
            over += 1
            expected.append(turns[int(place)])
            turns[int(place)] = []
        if step % 90 == 0:
            taken = taken.and_then(table.take())
        if step % 90 == 30 and (found := taken.finished()) is not None:  # while the games go on
            seen.append(found)
    if (found := taken.and_then(table.take()).finished()) is not None:
        seen.append(found)
    assert over > 50
    assert sum(int(games.last.sum()) for games in seen) == over
    points = game.heuristics.feature_names.index("points")
    told = []
    for games in seen:
        totals = games.features[:, :, points].sum(1).int().tolist()
        ends = np.flatnonzero(games.last) + 1
        told += [totals[begin:end] for begin, end in zip([0, *ends[:-1]], ends, strict=True)]
        for begin, end in zip([0, *ends[:-1]], ends, strict=True):
            assert len({float(result) for result in games.results[begin:end, 0]}) == 1
            assert len(set(games.tables[begin:end].tolist())) == 1
    assert sorted(told) == sorted(expected)
    assert {float(result) for games in seen for result in games.results[:, 0]} == {0.0, 0.5, 1.0}


@pytest.mark.slow
def test_a_run_from_beginning_to_end(tmp_path: Path, pictures: None) -> None:
    """It learns, says how, goes on where it was, and another run can begin from it."""
    folder = tmp_path / "run"
    config = TrainConfig(steps=40_000, **SMALL)
    said: list[str] = []
    result = train(config, folder, say=said.append)
    assert result.steps >= 40_000
    assert any(line.startswith("learned the results of") for line in said)
    about = json.loads((folder / "model.json").read_text())
    assert about["architecture"]["roles"] == ["first", "second"]
    assert about["training"]["algorithm"].startswith("TD(lambda)")
    assert "learned value" in (folder / "report.html").read_text()
    assert isinstance(agents.load(folder, game_of("toy")), ValueAgent)
    before = load_model(folder)[0]
    more = train(config.model_copy(update={"steps": 44_000}), folder, resume=True, say=said.append)
    assert f"resumed at {result.steps:,} learner steps" in said and more.steps >= 44_000
    assert any((value != before[name]).any() for name, value in load_model(folder)[0].items())
    begun = tmp_path / "begun"
    train(config.model_copy(update={"steps": 1, "start": str(folder), "value_width": 9}), begun)
    assert progress.read(begun)[0]["against"] == progress.read(folder)[-1]["against"]


@pytest.mark.slow
def test_it_learns_from_nothing(tmp_path: Path) -> None:
    config = {**SMALL, "imitation_games": 0, "evaluation_games": 400, "evaluations": 1}
    result = train(TrainConfig(steps=60_000, **config), tmp_path / "run")
    first, last = (result.evaluations[i]["against"]["random"] for i in (0, -1))
    assert last["win_rate_95"][0] > first["win_rate_95"][1], (first, last)


def test_the_seed_decides(tmp_path: Path) -> None:
    models = []
    for number, seed in enumerate((1, 1, 2)):
        train(TrainConfig(steps=3000, seed=seed, **{**SMALL, "evaluations": 0}), tmp_path / str(number))
        models.append(load_model(tmp_path / str(number))[0])
    assert all((models[0][name] == models[1][name]).all() for name in models[0])
    assert any((models[0][name] != models[2][name]).any() for name in models[0])


def test_opponents_hold_their_seats(monkeypatch: pytest.MonkeyPatch) -> None:
    game = game_of("toy")
    config = TrainConfig(steps=1, **{**SMALL, "opponents": {"greedy": 0.25, "random": 0.5}})
    learner = TD(game, config, ValueArchitecture.of(game, 4), Workers(1, Processor()), seed=0)
    assigned = np.repeat([0, 1, SELF], [16, 32, 16])
    learner.deal([agents.load("greedy", game), agents.load("random", game)], assigned)
    asked: dict[str, list[Any]] = {"greedy": [], "random": [], "value": []}
    choose = agents.choose

    def watch(agent: Any, batch: Any, rows: Any, rng: Any) -> Any:
        first = 32 * [table.batch for table in learner._tables._tables].index(batch)  # type: ignore[union-attr]
        asked[agent.name] += [(first + int(row), int(batch.to_play[row])) for row in rows]
        return choose(agent, batch, rows, rng)

    monkeypatch.setattr(playing, "choose", watch)
    for _ in range(6):
        learner.learn(1e-3, 0.0)
    results = learner.results()
    assert set(results) == {0, 1} and set(sum(results.values(), [])) <= {-1.0, 0.0, 1.0}
    assert len(results[1]) > len(results[0]) > 0
    assert {row for row, _ in asked["greedy"]} == set(range(16)) and {row for row, _ in asked["random"]} == set(
        range(16, 48)
    )
    assert all(seat == row % 2 for name in ("greedy", "random") for row, seat in asked[name])
    assert all(row >= 48 or seat != row % 2 for row, seat in asked["value"])


def test_what_is_learned_beside_the_games_depends_on_the_seed_alone() -> None:
    """It is the same on any number of threads, though playing and updating run at the same time."""
    game = game_of("toy, mixed")
    found = []
    for threads in (1, 2, 2):
        config = TrainConfig(steps=1, **{**SMALL, "threads": threads})
        learner = TD(game, config, ValueArchitecture.of(game, 4), Workers(1, Processor()), seed=0)
        losses = [learner.learn(1e-2, 0.0) for _ in range(5)]
        assert not losses[0] and losses[1], "what one call played the next one learns from"
        found.append((losses, learner.steps, learner.export()))
        learner.close()
    for losses, steps, weights in found[1:]:
        assert (losses, steps) == found[0][:2]
        assert all((weights[name] == value).all() for name, value in found[0][2].items())


def test_what_plays_is_an_average_that_leans_to_the_last_updates() -> None:
    """With a lean of 1 the nth update counts n times as much as the first."""
    game = game_of("toy")
    learner = TD(
        game,
        TrainConfig(steps=1, **{**SMALL, "averaging": 1.0}),
        ValueArchitecture.of(game, 4),
        Workers(1, Processor()),
        seed=0,
    )
    seen = []
    for number in range(1, 5):
        learner.learn(1e-2, 0.0)
        seen.append(export(learner.policy))
        counts = np.arange(1, number + 1)
        for name, mean in learner.export().items():
            expected = sum(n * weights[name] for n, weights in zip(counts, seen, strict=True)) / counts.sum()
            np.testing.assert_allclose(mean, expected, rtol=1e-4, atol=1e-6)
    assert any((seen[-1][name] != value).any() for name, value in learner.export().items())
    before = learner.export()
    learner.learn(1e-2, 0.0)
    assert all((learner._tables._agents[0].weights[name] == value).all() for name, value in before.items())
    before = learner.export()
    again = TD(game, TrainConfig(steps=1, **SMALL), ValueArchitecture.of(game, 4), Workers(1, Processor()), seed=1)
    again.begin_from(before)
    for name, value in again.export().items():
        np.testing.assert_allclose(value, before[name], rtol=1e-4, atol=1e-6)


def last_state(run: Path) -> Any:
    return json.loads(max((run / "checkpoints").glob("*/checkpoint.json")).read_text())


@pytest.mark.slow
def test_earlier_selves_are_kept_and_met(tmp_path: Path) -> None:
    options = {**SMALL, "evaluations": 0, "self_share": 0.5, "snapshot_steps": 4000, "pool_redraw": 2}
    config = TrainConfig(steps=20_000, **options)
    train(config, tmp_path / "run")
    state = last_state(tmp_path / "run")
    members = state["pool"]["members"]
    assert len(members) >= 3 and state["pool"]["playing"][0] in members
    assert all(len(found) > 5 for found in state["pool"]["results"].values()) and state["pool"]["results"]
    first, last = (
        agents.load(tmp_path / "run" / "pool" / f"{steps:012d}", game_of("toy")) for steps in members[::2][:2]
    )
    assert isinstance(first, ValueAgent) and isinstance(last, ValueAgent)
    assert any((first.weights[name] != last.weights[name]).any() for name in first.weights)
    alone = tmp_path / "alone"
    train(config.model_copy(update={"self_share": 1.0, "steps": 9000}), alone)
    state = last_state(alone)
    assert state["pool"]["members"] and state["pool"]["playing"] == []


def test_a_network_is_no_value_to_begin_from(tmp_path: Path) -> None:
    from tests.agents.test_search_network import model

    game = game_of("toy")
    weights, info = model(game)
    save_model(tmp_path / "network", weights, ModelInfo.of(game, info.architecture))
    with pytest.raises(OptionError, match="is a network that chooses: train it by ppo or maskable_ppo, not by td"):
        train(TrainConfig(steps=1, start=str(tmp_path / "network"), **SMALL), tmp_path / "run")


@pytest.mark.parametrize(
    ("option", "value"),
    [("exploration", 1.5), ("replay", 0), ("averaging", -1.0), ("plan_width", -1), ("value_width", 0)],
)
def test_options_out_of_range(option: str, value: float) -> None:
    with pytest.raises(OptionError, match=option):
        TrainConfig(steps=1, **{**SMALL, option: value})


@pytest.mark.parametrize("seats", [2, 4])
def test_a_learning_curve_shows_what_is_even(seats: int) -> None:
    """Past bug: at a table of four the line lay at one half."""
    tally = {"wins": 3, "games": 10, "seats": [{}] * seats}
    _, axes = progress.picture((4, 3))
    progress.curve(axes, [{"steps": 0, "seconds": 1.0, "against": {"greedy": tally}}])
    assert any(list(line.get_ydata()) == [1 / seats] * 2 for line in axes.lines)


def test_a_warm_start_keeps_to_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: 58,000 games at a table of four took 23 GB."""
    game = game_of("toy")
    monkeypatch.setattr("react_env.training.algorithms.td._HELD", 2000)
    config = TrainConfig(steps=1, **{**SMALL, "imitation_games": 300})
    learner = TD(game, config, ValueArchitecture.of(game, 4), Workers(1, Processor()), seed=0)
    learner.imitate("greedy", lambda _: lambda _: None)
    assert 0 < learner._recent[0].features.numel() <= 2000
