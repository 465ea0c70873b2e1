"""The agent that plays by what it has learned: what it computes, its files, and the search with it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from react_env import agents
from react_env.agents.models.model import ModelInfo, ValueArchitecture, Weights, load_model, save_model
from react_env.agents.players.learned_value import UNIT, WORLDS, ValueAgent, learned, new_params
from react_env.agents.players.planner import PlanningAgent
from react_env.agents.search.mcts import SearchAgent
from react_env.errors import ModelError, OptionError
from tests.agents.games import game_of, positions

NAMES = ["toy, mixed", "arts_of_war-v0, mixed"]


def model(game: Any, width: int = 5, seed: int = 0) -> tuple[Weights, ModelInfo]:
    """A learned value with random weights."""
    shape = ValueArchitecture.of(game, width)
    info = ModelInfo.of(game, shape)
    rng = np.random.default_rng(seed)
    shapes = shape.shapes(info.observation_size, info.action_count)
    return {name: (0.3 * rng.normal(size=size)).astype(np.float32) for name, size in shapes.items()}, info


def unfinished(game: Any, count: int, seed: int) -> tuple[Any, Any]:
    """The positions, of `count`, in which the game goes on, and the players to move."""
    states, players = positions(game, count, seed=seed)
    going = states["over"] == 0
    return states[going], players[going]


def counted(game: Any, state: Any, player: int) -> Any:
    """The features of a player, from the game."""
    out = np.empty(len(game.heuristics.feature_names), np.float32)
    game.heuristics.features(state, game.tables[state["table"]], player, out)
    return out.astype(np.float64)


@pytest.mark.parametrize("name", NAMES)
def test_computes_what_it_says(name: str) -> None:
    game = game_of(name)
    weights, info = model(game)
    shape = info.architecture
    assert isinstance(shape, ValueArchitecture)
    value_of, params = learned(game), new_params(weights, shape, game)
    states, _ = positions(game, 40, seed=3)
    spread = []
    for state in states:
        if state["over"]:
            continue
        roles = [shape.roles.index(role) for role in game.rules.tables.roles[state["table"]]]
        f, g = (counted(game, state, player) for player in range(2))
        linear = weights["linear"][roles[0]] @ f - weights["linear"][roles[1]] @ g
        mine = f @ weights["own"][roles[0]] + g @ weights["other"][roles[1]] + weights["bias"]
        theirs = g @ weights["own"][roles[1]] + f @ weights["other"][roles[0]] + weights["bias"]
        expected = linear + weights["out"] @ (np.maximum(mine, 0) - np.maximum(theirs, 0))
        table = game.tables[state["table"]]
        assert value_of(state, table, 0, params) == pytest.approx(UNIT * expected, rel=1e-3, abs=0.05)
        assert value_of(state, table, 1, params) == pytest.approx(
            -value_of(state, table, 0, params), rel=1e-4, abs=0.01
        )
        spread.append(expected)
    assert len(spread) > 20 and np.std(spread) > 0.1


@pytest.mark.parametrize("name", [*NAMES, "react_fast-v0"])
def test_what_it_was_asked_before_changes_nothing(name: str) -> None:
    """The product of a side is kept until the features or the role of that side change: between positions of a game they often stay
    the same, and in another game the same features may belong to another role."""
    game = game_of(name)
    weights, info = model(game)
    assert isinstance(info.architecture, ValueArchitecture)
    value_of, kept = learned(game), new_params(weights, info.architecture, game)
    same = 0
    for seed in range(6):
        state = game.new(seed=seed)
        rng = np.random.default_rng(seed)
        before = counted(game, state, 0)
        for _ in range(40):
            if state["over"]:
                break
            table = game.tables[state["table"]]
            for player in range(game.num_players):
                alone = value_of(state, table, player, new_params(weights, info.architecture, game))
                assert value_of(state, table, player, kept) == alone
            game.step(state, int(rng.choice(game.legal_actions(state))))
            now = counted(game, state, 0)
            same += (now == before).all()
            before = now
    assert same > 5
    state = game.new(seed=7)
    for number, table in enumerate(game.tables):
        state["table"] = number
        for player in range(game.num_players):
            alone = value_of(state, table, player, new_params(weights, info.architecture, game))
            assert value_of(state, table, player, kept) == alone


def test_an_end_counts_more_than_any_value() -> None:
    game = game_of("toy")
    weights, info = model(game)
    assert isinstance(info.architecture, ValueArchitecture)
    value_of, params = learned(game), new_params(weights, info.architecture, game)
    state = game.new(seed=0)
    state["over"], state["reward"] = 1, (1, -1)
    assert [value_of(state, game.tables[0], player, params) for player in range(2)] == [1e6, -1e6]
    state["reward"] = 0
    drawn = value_of(state, game.tables[0], 0, params)
    assert -1e6 < drawn < 0 and value_of(state, game.tables[0], 1, params) == drawn


@pytest.mark.parametrize("name", NAMES)
def test_plays_legally_and_alike_on_any_number_of_threads(name: str, tmp_path: Path) -> None:
    game = game_of(name)
    save_model(tmp_path, *model(game))
    states, players = unfinished(game, 40, seed=1)
    chosen = [
        agents.load(tmp_path, game, threads=threads).act_states(states, players, np.random.default_rng(1))
        for threads in (1, 3)
    ]
    np.testing.assert_array_equal(*chosen)
    assert all(game.action_mask(state)[action] for state, action in zip(states, chosen[0]))


def test_takes_the_action_of_the_highest_value() -> None:
    """A value that loves points names a rank that scores, if there is one; the agent gives chances of winning."""
    game = game_of("toy")
    weights, info = model(game)
    for value in weights.values():
        value[:] = 0
    weights["linear"][..., game.heuristics.feature_names.index("points")] = 1
    states, players = positions(game, 60, seed=2)
    agent, greedy = ValueAgent(game, weights, info, worlds=1, width=0), agents.load("greedy", game)
    rows = (states["over"] == 0) & (states["rank"] < 0)
    values = agent.action_values(states[rows], players[rows], np.random.default_rng(0))
    theirs = greedy.action_values(states[rows], players[rows], np.random.default_rng(0))  # type: ignore[union-attr]
    chances = np.where(np.isinf(theirs), -np.inf, 1 / (1 + np.exp(-np.clip(theirs, -500, 500))))
    alone = np.isfinite(theirs).sum(1) == 1  # a single legal action is not looked at
    chances[alone] = values[alone]
    np.testing.assert_allclose(values, chances, atol=1e-6)
    assert len(np.unique(values[np.isfinite(values)].round(3))) > 4


@pytest.mark.parametrize("name", NAMES)
def test_chances_are_averaged_over_worlds(name: str, tmp_path: Path) -> None:
    game = game_of(name)
    save_model(tmp_path, *model(game))
    states, players = unfinished(game, 30, seed=4)
    agent: Any = agents.load(f"{tmp_path}:3", game)
    assert agent.worlds == 3
    found = agent.win_chances(states, players, np.random.default_rng(7))
    # The same guesses one by one: each row of seeds belongs to its position.
    seeds = np.random.default_rng(7).integers(0, 2**64, size=(len(states), 3), dtype=np.uint64)
    alone: Any = agents.load(f"{tmp_path}:1", game)
    assert (alone.worlds, agents.load(tmp_path, game).worlds) == (1, WORLDS)  # type: ignore[union-attr]

    class Given:
        def __init__(self, world: int) -> None:
            self.integers = lambda *_, **__: seeds[:, [world]]
            self.random = lambda count: np.zeros(count)

    each = [alone.win_chances(states, players, Given(world)) for world in range(3)]
    np.testing.assert_allclose(found, np.mean(each, 0), atol=1e-9)
    assert np.abs(each[0] - each[1]).max() > 1e-3  # what is hidden matters
    assert all(game.action_mask(state)[row > 0].all() for state, row in zip(states, found, strict=True))
    assert (found[[game.action_mask(state).sum() == 1 for state in states]].max(1) == 0.5).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_clear_choice_needs_no_further_guess(name: str) -> None:
    """The action is the best on average over as many guesses as it took for one action to lead by enough, or over all."""
    game = game_of(name)
    weights, info = model(game)
    states, players = unfinished(game, 60, seed=9)
    seeds = np.random.default_rng(5).integers(0, 2**64, size=(len(states), 3), dtype=np.uint64)
    agent, alone = (ValueAgent(game, weights, info, worlds=worlds) for worlds in (3, 1))
    agent.lead, agent.budget, alone.budget = 0.04, 3 * 10**6, 10**6

    class Given:
        def __init__(self, worlds: list[int]) -> None:
            self.integers = lambda *_, **__: seeds[:, worlds]
            self.random = lambda count: np.zeros(count)

    chosen = agent.act_states(states, players, Given([0, 1, 2]))  # type: ignore[arg-type]
    each = [alone.win_chances(states, players, Given([world])) for world in range(3)]  # type: ignore[arg-type]
    taken = []
    for row, action in enumerate(chosen):
        found = np.zeros(len(each[0][row]))
        for world in range(3):
            found += each[world][row]
            second, first = np.sort(found)[-2:]
            if first - second >= agent.lead * (world + 1):
                break
        assert found[action] == pytest.approx(found.max(), abs=1e-9)
        taken.append(world)
    assert set(taken) == {0, 1, 2} or name == "toy, mixed"
    assert len(set(taken)) > 1
    worth = agent.action_values(states, players, Given([0, 1, 2]))  # type: ignore[arg-type]
    several = np.isfinite(worth).sum(1) > 1
    np.testing.assert_allclose(np.where(np.isfinite(worth), worth, 0)[several], np.sum(each, 0)[several], atol=1e-9)


def test_other_weights_from_one_moment_to_the_next() -> None:
    game = game_of("arts_of_war-v0, mixed")
    (first, info), (second, _) = model(game, seed=1), model(game, seed=2)
    states, players = positions(game, 60, seed=5)
    agent = ValueAgent(game, first, info)
    before = agent.act_states(states, players, np.random.default_rng(0))
    agent.set_weights(second)
    after = agent.act_states(states, players, np.random.default_rng(0))
    fresh = ValueAgent(game, second, info).act_states(states, players, np.random.default_rng(0))
    np.testing.assert_array_equal(after, fresh)
    assert (before != after).any()


def test_a_single_pairing_of_all_is_played_with_the_weights_of_its_artists(tmp_path: Path) -> None:
    mixed, alone = game_of("arts_of_war-v0, mixed"), game_of("arts_of_war-v0")
    weights, info = model(mixed)
    save_model(tmp_path, weights, info)
    agent = agents.load(tmp_path, alone)
    assert isinstance(agent, ValueAgent)
    shape = info.architecture
    assert isinstance(shape, ValueArchitecture)
    roles = [shape.roles.index(role) for role in alone.rules.tables.roles[0]]
    assert agent.new_params().role.tolist() == [roles]


def test_a_role_that_was_not_learned_has_the_mean() -> None:
    game = game_of("toy")
    weights, info = model(game)
    shape = info.architecture
    assert isinstance(shape, ValueArchitecture)
    params = new_params(weights, replace(shape, roles=("first", "nobody")), game)
    assert params.role.tolist() == [[0, 2]]
    np.testing.assert_allclose(params.weights[2, :-1, 0], weights["linear"].mean(0), rtol=1e-6)
    np.testing.assert_allclose(params.weights[2, :-1, 1:6], weights["own"].mean(0), rtol=1e-6)
    np.testing.assert_allclose(params.weights[2, :-1, 6:11], weights["other"].mean(0), rtol=1e-6)
    assert not params.weights[:, :, 11:].any() and not params.weights[:, -1].any()


def test_files(tmp_path: Path) -> None:
    game = game_of("toy")
    weights, info = model(game)
    file = save_model(tmp_path, weights, info)
    read, about = load_model(tmp_path)
    assert about == info
    for name, value in weights.items():
        np.testing.assert_array_equal(read[name], value)
    before = agents.fingerprint(tmp_path, game)
    save_model(tmp_path, model(game, seed=1)[0], info)
    assert agents.fingerprint(tmp_path, game) != before
    with pytest.raises(OptionError, match="no probabilities"):
        agents.load(f"{file}:sample", game)
    with pytest.raises(ModelError, match="made for toy-v0"):
        agents.load(tmp_path, game_of("arts_of_war-v0"))
    shape = info.architecture
    assert isinstance(shape, ValueArchitecture)
    other = replace(info, architecture=replace(shape, features=("one", "luck", *shape.features[2:])))
    save_model(tmp_path, weights, other)
    with pytest.raises(ModelError, match="its features of a position"):
        agents.load(tmp_path, game)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"width": 5', '"width": 0', "width is 0"),
        ('"width": 5', '"width": 6', "has shape"),
        ('"first",', "7,", r"architecture\.roles\.0 is 7"),
        ('"features": [', '"features": [], "ways": [', "architecture.features is"),
    ],
)
def test_a_description_that_is_wrong_is_refused(old: str, new: str, says: str, tmp_path: Path) -> None:
    save_model(tmp_path, *model(game_of("toy")))
    file = tmp_path / "model.json"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new, 1))
    with pytest.raises(ModelError, match=says):
        load_model(tmp_path)


def test_the_search_plays_by_it(tmp_path: Path) -> None:
    game = game_of("toy")
    save_model(tmp_path / "a", *model(game, seed=1))
    save_model(tmp_path / "b", *model(game, seed=2))
    states, players = positions(game, 60, seed=2)
    rows = states["over"] == 0
    states, players = states[rows], players[rows]
    chosen = {}
    for name in ("a", "b", ""):
        net = f",net={tmp_path / name}" if name else ""
        agent: Any = agents.load(f"mcts:16{net}", game)
        chosen[name] = agent.act_states(states, players, np.random.default_rng(0))
        assert all(game.action_mask(state)[action] for state, action in zip(states, chosen[name]))
    assert (chosen["a"] != chosen["b"]).any() and (chosen["a"] != chosen[""]).any()
    with pytest.raises(OptionError, match="no prior"):
        SearchAgent(game, net=str(tmp_path / "a"), value=0.5)


def test_the_search_explores_more_with_it(tmp_path: Path) -> None:
    """A name leaves out the default exploration, which is larger with a learned value than without."""
    game = game_of("toy")
    save_model(tmp_path / "a", *model(game, seed=1))
    net = f"net={tmp_path / 'a'}"
    for options, name, exploration in (
        ("", "mcts:16", 0.02),
        (",exploration=0.5", "mcts:16,exploration=0.5", 0.5),
        (f",{net}", f"mcts:16,{net}", 0.5),
        (f",{net},exploration=0.02", f"mcts:16,exploration=0.02,{net}", 0.02),
    ):
        agent: Any = agents.load(f"mcts:16{options}", game)
        assert (agent.name, agent.settings.exploration) == (name, exploration)


@pytest.mark.parametrize("by_hand", [False, True])
def test_the_search_begins_with_plans(tmp_path: Path, by_hand: bool) -> None:
    """The first simulation takes the favourite action of the agent that plans by the same value. A turn of the toy is one play."""
    game = game_of("arts_of_war-v0" if by_hand else "toy")
    if not by_hand:
        save_model(tmp_path / "a", *model(game, seed=1))
    states, players = positions(game, 60, seed=2)
    states, players = states[states["over"] == 0], players[states["over"] == 0]
    spec = "mcts:1,plans=3" if by_hand else f"mcts:1,net={tmp_path / 'a'}"
    chosen = agents.load(spec, game).act_states(states, players, np.random.default_rng(0))
    rng = np.random.default_rng(0)
    rng.integers(0, 2**64, size=len(states), dtype=np.uint64)  # the seeds of the searches
    value: Any = PlanningAgent(game, worlds=3) if by_hand else agents.load(str(tmp_path / "a"), game)
    chances = value.win_chances(states, players, rng)
    rows = np.arange(len(states))
    assert chances[rows, chosen] == pytest.approx(chances.max(1))
    assert (chances.max(1) > chances[rows, chances.argmin(1)]).any()
    if by_hand:
        other = agents.load("mcts:1,plans=0", game).act_states(states, players, np.random.default_rng(0))
        assert (chances.max(1) > chances[rows, other] + 0.01).any(), "without plans it begins otherwise"


def test_plans_that_cannot_be(tmp_path: Path) -> None:
    game = game_of("toy")
    save_model(tmp_path / "a", *model(game, seed=1))
    with pytest.raises(OptionError, match="which plans in its own way; leave plans out"):
        agents.load(f"mcts:8,net={tmp_path / 'a'},plans=1", game)
    with pytest.raises(OptionError, match="plans must be from 0 to"):
        agents.load("mcts:8,plans=-1", game)
    with pytest.raises(OptionError, match="which records of fight_sequence-v0 do not show"):
        agents.load("mcts:8,plans=1", game_of("fight_sequence-v0"))
