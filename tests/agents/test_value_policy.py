"""The policy over a value: an untrained one plays by the value, and what the policy says is added."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from react_env import agents
from react_env.agents.models.model import POLICY, ModelInfo, PolicyArchitecture, Weights, load_model, save_model
from react_env.agents.observed import see
from react_env.agents.players.learned_value import ValueAgent
from react_env.agents.players.policy import PolicyAgent
from react_env.agents.players.value_policy import SURE, logits_of, told
from react_env.errors import ModelError, OptionError, StateError
from react_env.training.algorithms.residual import PolicyNet
from tests.agents.games import game_of, positions
from tests.agents.test_learned_value import model, unfinished
from tests.agents.test_registry import read_by
from tests.properties import assert_frequent

NAMES = ["toy, mixed", "arts_of_war-v0, mixed"]
WIDTH = 8


def with_policy(game: Any, spread: float = 0.0, sharpness: float = 50.0) -> tuple[Weights, ModelInfo]:
    """A random value, and over it a policy whose weights have this spread; with spread 0 it adds nothing."""
    weights, info = model(game)
    shape: Any = replace(info.architecture, policy=WIDTH)  # type: ignore[type-var]
    rng = np.random.default_rng(1)
    for name, size in shape.shapes(info.observation_size, info.action_count).items():
        if name.startswith(POLICY):
            weights[name] = (spread * rng.normal(size=size)).astype(np.float32)
    weights[f"{POLICY}scale"] = game.layout.scale.astype(np.float32)
    weights[f"{POLICY}sharpness"][:] = sharpness
    return weights, replace(info, architecture=shape)


@pytest.mark.parametrize("name", NAMES)
def test_one_with_nothing_to_add_plays_by_the_value(name: str) -> None:
    game = game_of(name)
    agent = ValueAgent(game, *with_policy(game), worlds=2)
    states, players = unfinished(game, 60, seed=3)
    chosen = agent.act_states(states, players, np.random.default_rng(5))
    chances = agent.win_chances(states, players, np.random.default_rng(5))
    legal = see(game, states)[1]
    best = np.where(legal, chances, -1).max(1)
    assert legal[np.arange(len(chosen)), chosen].all()
    np.testing.assert_allclose(chances[np.arange(len(chosen)), chosen], best, atol=SURE)


@pytest.mark.parametrize("name", NAMES)
def test_chooses_as_the_network_that_learns(name: str) -> None:
    game = game_of(name)
    weights, info = with_policy(game, spread=0.5, sharpness=0.5)
    agent = ValueAgent(game, weights, info, worlds=1)
    assert agent.policy is not None
    states, players = unfinished(game, 60, seed=4)
    observations, masks = see(game, states)
    chances = agent.win_chances(states, players, np.random.default_rng(5))
    features = told(agent.policy.describe, states, players, masks, np.random.default_rng(6), chances)
    chosen = agent.policy.logits(observations, masks, features).argmax(1)
    net = PolicyNet(info.architecture, game.layout.scale, 0.5, 2)  # type: ignore[arg-type]
    ours = {n.removeprefix(POLICY): torch.tensor(w) for n, w in weights.items() if n.startswith(POLICY)}
    net.load_state_dict({**net.state_dict(), **ours})
    with torch.inference_mode():
        logits = net(torch.from_numpy(observations), torch.from_numpy(masks), torch.from_numpy(features))[0].numpy()
    legal = np.where(masks, logits, -np.inf)
    np.testing.assert_allclose(legal[np.arange(len(chosen)), chosen], legal.max(1), atol=1e-3)
    by_value = np.where(masks, chances, -1).argmax(1)
    assert 0.1 < (chosen != by_value).mean() < 1


def test_what_it_says_is_added() -> None:
    """A policy that dislikes change more than the value can object to takes the action that changes the game's value least."""
    game = game_of("arts_of_war-v0, mixed")
    weights, info = with_policy(game)
    weights[f"{POLICY}action.weight"][0, 0] = 1.0  # relu(change of the value) and relu(minus the change)
    weights[f"{POLICY}action.weight"][1, 0] = -1.0
    weights[f"{POLICY}score.weight"][0, :2] = -1e6
    agent = ValueAgent(game, weights, info, worlds=1)
    assert agent.policy is not None
    states, players = unfinished(game, 60, seed=3)
    masks = see(game, states)[1]
    chosen = agent.act_states(states, players, np.random.default_rng(5))
    # The same draws as the agent's: first those for the value, then those for the features.
    rng = np.random.default_rng(5)
    agent.win_chances(states, players, rng)
    changes = np.abs(agent.policy.describe(states, players, masks, rng)[:, :, 0])
    least = np.where(masks, changes, np.inf).min(1)
    np.testing.assert_allclose(changes[np.arange(len(chosen)), chosen], least, atol=1e-6)
    assert (least < np.where(masks, changes, 0).max(1)).mean() > 0.3


@pytest.mark.parametrize("name", NAMES)
def test_alike_on_any_number_of_threads_and_alone(name: str, tmp_path: Path) -> None:
    game = game_of(name)
    save_model(tmp_path, *with_policy(game, spread=0.5, sharpness=5.0))
    states, players = unfinished(game, 40, seed=8)
    found = [
        agents.load(f"{tmp_path}:1", game, threads=threads).act_states(states, players, np.random.default_rng(2))  # type: ignore[union-attr]
        for threads in (1, 3)
    ]
    np.testing.assert_array_equal(*found)


def over_the_own_value(game: Any, spread: float = 0.0, sharpness: float = 50.0) -> tuple[Weights, ModelInfo]:
    """A policy over the game's own value whose weights have this spread; with spread 0 it adds nothing."""
    info = ModelInfo.of(game, PolicyArchitecture.of(game, WIDTH))
    rng = np.random.default_rng(1)
    shapes = info.architecture.shapes(info.observation_size, info.action_count)
    weights = {name: (spread * rng.normal(size=size)).astype(np.float32) for name, size in shapes.items()}
    weights[f"{POLICY}scale"] = game.layout.scale.astype(np.float32)
    weights[f"{POLICY}sharpness"][:] = sharpness
    return weights, info


@pytest.mark.parametrize("name", [*NAMES, pytest.param("reality_tcg-v0", marks=pytest.mark.long)])
def test_over_the_own_value_one_with_nothing_to_add_takes_what_that_finds_best(name: str, tmp_path: Path) -> None:
    game = game_of(name)
    save_model(tmp_path, *over_the_own_value(game))
    agent = agents.load(tmp_path, game)
    assert isinstance(agent, PolicyAgent)
    states, players = positions(game, 60, seed=3)
    states, players = states[states["over"] == 0], players[states["over"] == 0]
    masks = see(game, states)[1]
    chosen = agent.act_states(states, players, np.random.default_rng(5))
    changes = agents.ActionFeatures(game)(states, players, masks, np.random.default_rng(5))[:, :, 0]
    assert masks[np.arange(len(chosen)), chosen].all()
    np.testing.assert_array_equal(changes[np.arange(len(chosen)), chosen], np.where(masks, changes, -np.inf).max(1))


def test_over_the_own_value_it_draws_as_it_learns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With :sample it draws by the probabilities of the network that learns (chi-square test, 0.1 %)."""
    game = game_of("arts_of_war-v0, mixed")
    weights, info = over_the_own_value(game, spread=0.6, sharpness=1.0)
    save_model(tmp_path, weights, info)
    agent = agents.load(f"{tmp_path}:sample", game)
    assert isinstance(agent, PolicyAgent)
    states, players = unfinished(game, 60, seed=4)
    observations, masks = see(game, states)
    row = int(masks.sum(1).argmax())
    features = told(agent._policy.describe, states, players, masks, np.random.default_rng(6))
    net = PolicyNet(info.architecture, game.layout.scale, 1.0, 2)  # type: ignore[arg-type]
    ours = {n.removeprefix(POLICY): torch.tensor(w) for n, w in weights.items() if n.startswith(POLICY)}
    net.load_state_dict({**net.state_dict(), **ours})
    with torch.inference_mode():
        logits = net(torch.from_numpy(observations), torch.from_numpy(masks), torch.from_numpy(features))[0].numpy()
    found = agent._policy.logits(observations, masks, features)
    best = found.max(1, keepdims=True) - np.where(masks, logits, -np.inf).max(1, keepdims=True)
    np.testing.assert_allclose((found - best)[masks], logits[masks], atol=1e-3)
    # One position many times, always with the same guess.
    monkeypatch.setattr(
        "react_env.agents.players.policy.told", lambda *_: np.tile(features[np.nonzero(masks)[0] == row], (4000, 1))
    )
    drawn = agent.act_states(states[[row] * 4000], players[[row] * 4000], np.random.default_rng(8))
    chances = np.exp(logits[row] - logits[row][masks[row]].max())
    assert 0.02 < chances[masks[row]].min() < 0.6  # so that another temperature would show
    assert_frequent(Counter(drawn.tolist()), {a: chances[a] for a in np.flatnonzero(masks[row]).tolist()})


def test_records_that_no_game_could_reach_are_refused_before_anything_is_read_of_them(tmp_path: Path) -> None:
    game = game_of("arts_of_war-v0")
    save_model(tmp_path, *over_the_own_value(game))
    agent: Any = agents.load(tmp_path, game)
    states, players = positions(game, 3)
    states["unit_zone"][1, 0] = 99
    with pytest.raises(StateError, match=r"states\[1\]: field unit_zone: impossible value"):
        agent.act_states(states, players, np.random.default_rng(0))
    with pytest.raises(StateError, match="not states of this game"):
        agent.act_states(np.zeros((3, 2)), players, np.random.default_rng(0))


def test_nothing_to_decide() -> None:
    """Past bug: NumPy raised an error."""
    game = game_of("toy")
    states, players = positions(game, 1)
    agent = ValueAgent(game, *with_policy(game), worlds=1)
    assert agent.act_states(states[:0], players[:0], np.random.default_rng(0)).tolist() == []


@pytest.mark.parametrize("shape", [None, [1], {"features": ["a"], "policy": 0}, {"features": "a", "policy": 4}])
def test_a_description_of_another_shape_is_refused(shape: Any, tmp_path: Path) -> None:
    save_model(tmp_path, *over_the_own_value(game_of("toy")))
    about = json.loads((tmp_path / "model.json").read_text())
    (tmp_path / "model.json").write_text(json.dumps({**about, "architecture": shape}))
    with pytest.raises(ModelError, match=r"model.json: architecture"):
        load_model(tmp_path)


def test_its_fingerprint_knows_what_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: with a policy over a learned value, the fingerprint ignored the game's own value, which the policy is told."""
    game = game_of("arts_of_war-v0")
    quick, features = (
        Path(function.py_func.__code__.co_filename).name
        for function in (game.heuristics.quick, game.heuristics.features)
    )
    save_model(tmp_path / "own", *over_the_own_value(game))
    save_model(tmp_path / "over", *with_policy(game))
    save_model(tmp_path / "value", *model(game))
    told_of = {"action_features.py", "value_policy.py", features}
    for name, there in (("own", {"policy.py", quick, *told_of}), ("over", {"learned_value.py", quick, *told_of})):
        assert there <= read_by(str(tmp_path / name), game, monkeypatch), name
    assert quick not in read_by(str(tmp_path / "value"), game, monkeypatch)


def test_a_policy_of_other_features_is_refused(tmp_path: Path) -> None:
    game = game_of("toy, mixed")
    weights, info = over_the_own_value(game)
    shape: Any = replace(info.architecture, features=("a", *info.architecture.features[1:]))  # type: ignore
    save_model(tmp_path, weights, replace(info, architecture=shape))
    with pytest.raises(ModelError, match="its features of a position are not those of toy-v0"):
        agents.load(tmp_path, game)


def test_certain_chances_are_told_as_nearly_certain() -> None:
    np.testing.assert_allclose(
        logits_of(np.array([0.0, 0.5, 1.0])), [np.log(SURE), 0, -np.log(SURE)], rtol=1e-3, atol=1e-6
    )


def test_the_value_alone_and_files(tmp_path: Path) -> None:
    game = game_of("toy, mixed")
    weights, info = with_policy(game, spread=0.5)
    shape, value = info.architecture.alone(weights)  # type: ignore[union-attr]
    assert shape.policy == 0 and set(value) == set(shape.shapes(0, 0))
    save_model(tmp_path, weights, info)
    found, about = load_model(tmp_path)
    assert about == info and all((found[name] == weights[name]).all() for name in weights)
    with pytest.raises(ModelError, match="belongs to no layer"):
        save_model(tmp_path / "a", weights, replace(info, architecture=shape))
    with pytest.raises(ModelError, match="'policy.scale' is missing"):
        save_model(tmp_path / "b", value, info)
    # The value is the same with and without the policy: the laboratory and searches ask for it.
    states, players = unfinished(game, 20, seed=3)
    both = [
        ValueAgent(game, w, i, worlds=1).win_chances(states, players, np.random.default_rng(1))
        for w, i in ((weights, info), (value, replace(info, architecture=shape)))
    ]
    np.testing.assert_array_equal(*both)


def test_it_may_be_left_out(tmp_path: Path) -> None:
    game = game_of("toy, mixed")
    weights, info = with_policy(game, spread=0.5)
    save_model(tmp_path / "over", weights, info)
    shape, value = info.architecture.alone(weights)  # type: ignore[union-attr]
    save_model(tmp_path / "value", value, replace(info, architecture=shape))
    states, players = unfinished(game, 30, seed=3)
    without, alone, whole = (
        agents.load(f"{tmp_path}/{name}", game).act_states(states, players, np.random.default_rng(1))  # type: ignore[union-attr]
        for name in ("over:1,policy=no", "value:1", "over:1")
    )
    np.testing.assert_array_equal(without, alone)
    assert (whole != alone).any()
    agent = agents.load(f"{tmp_path}/over:1,policy=no", game)
    assert isinstance(agent, ValueAgent) and agent.how == "1,policy=no"
    with pytest.raises(OptionError, match="policy must be yes or no"):
        agents.load(f"{tmp_path}/over:1,policy=maybe", game)
