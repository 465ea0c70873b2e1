"""The neural agent: what it computes, and which files it refuses."""

import json
import os
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import react_env
from react_env import agents
from react_env.agents.models.model import Architecture, ModelInfo, load_model, save_model
from react_env.agents.players.neural import NeuralAgent
from react_env.errors import ModelError, OptionError
from tests import toy
from tests.agents.games import game_of

ARCHITECTURE = Architecture(trunk=(16,), policy=(8,), value=(), activation="tanh")
SHAPE = asdict(ARCHITECTURE)
ROW = {"group": "piles", "first_action": 4, "count": 2, "start": 6, "size": 1}


def random_model(
    game: Any, architecture: Architecture = ARCHITECTURE, seed: int = 0
) -> tuple[dict[str, Any], ModelInfo]:
    info = ModelInfo.of(game, architecture, {"learner_steps": 5})
    rng = np.random.default_rng(seed)
    shapes = architecture.shapes(info.observation_size, info.action_count)
    weights = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    weights["scale"] = game.layout.scale.copy()
    return weights, info


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return save_model(tmp_path / "m", *random_model(game_of("toy")))


@pytest.mark.parametrize(
    "architecture",
    [
        ARCHITECTURE,
        Architecture((), (8,), (4, 4), "relu"),
        Architecture((8, 8), (), (), "relu"),
        Architecture((), (), (), "tanh"),
    ],
)
def test_computes_the_network(architecture: Architecture) -> None:
    game = game_of("toy")
    weights, info = random_model(game, architecture)
    observations = np.random.default_rng(1).integers(-5, 10, (1300, game.observation_shape[0]), dtype=np.int8)
    function = np.tanh if architecture.activation == "tanh" else lambda x: np.maximum(x, 0)

    def run(x: Any, name: str, hidden: int, last: bool) -> Any:
        for number in range(hidden + last):
            x = x @ weights[f"{name}.{number}.weight"].T + weights[f"{name}.{number}.bias"]
            x = function(x) if number < hidden else x
        return x

    trunk = run(observations.astype(np.float64) * weights["scale"], "trunk", len(architecture.trunk), False)
    agent = NeuralAgent(weights, info)
    logits = run(trunk, "policy", len(architecture.policy), True)
    np.testing.assert_allclose(agent.logits(observations), logits, rtol=1e-3, atol=1e-3)
    values = run(trunk, "value", len(architecture.value), True)[:, 0]
    np.testing.assert_allclose(agent.values(observations), values, rtol=1e-3, atol=1e-3)
    masks = np.random.default_rng(2).random(logits.shape) < 0.5
    masks[:, 0] = True
    chosen = agent.act(observations, masks, np.random.default_rng(0))
    rows = np.arange(len(chosen))
    assert masks[rows, chosen].all()
    best = np.where(masks, logits, -np.inf).max(axis=1)
    np.testing.assert_allclose(logits[rows, chosen], best, rtol=1e-3, atol=1e-3)


def test_sampling_follows_the_probabilities() -> None:
    game = game_of("toy")
    weights, info = random_model(game)
    agent = NeuralAgent(weights, info, temperature=1.0)
    observation = np.zeros((1, info.observation_size), np.int8)
    mask = np.array([True, False, True, True, False, True])
    count = 20_000
    chosen = agent.act(np.repeat(observation, count, 0), np.tile(mask, (count, 1)), np.random.default_rng(0))
    logits = agent.logits(observation)[0].astype(np.float64)
    expected = np.where(mask, np.exp(logits - logits[mask].max()), 0)
    expected /= expected.sum()
    np.testing.assert_allclose(np.bincount(chosen, minlength=6) / count, expected, atol=0.02)


def test_arrays_of_other_shapes_and_numbers_are_refused() -> None:
    """Past bug: with fewer masks than observations, logits were written beyond the end of their memory."""
    game = game_of("toy")
    agent, rng = NeuralAgent(*random_model(game)), np.random.default_rng(0)
    batch = game.batch(64, seed=0)
    seen, masks = batch.observations.copy(), batch.action_masks.copy()
    rows, size, actions = 64, seen.shape[1], masks.shape[1]
    for wrong in (masks[:4], masks[0], masks[:, :-1], np.repeat(masks, 2, axis=0)):
        with pytest.raises(OptionError, match=rf"action_masks must have the shape \({rows}, {actions}\), not \("):
            agent.act(seen, wrong, rng)
    for wrong in (seen[0], seen[:, :-1]):
        for ask in (agent.logits, agent.values, lambda observations: agent.act(observations, masks, rng)):
            with pytest.raises(OptionError, match=rf"observations must have the shape \(N, {size}\), not \("):
                ask(wrong)
    with pytest.raises(OptionError, match="action_masks must hold True and False, or 1 and 0; found other int64"):
        agent.act(seen, masks * 2, rng)
    with pytest.raises(OptionError, match="observations must hold numbers of int8; found other float32"):
        agent.values(seen + np.float32(0.5))
    expected = agent.act(seen, masks, rng)
    for given in ((seen, masks.astype(np.int8)), (seen.astype(np.float32), masks), (seen.tolist(), masks.tolist())):
        np.testing.assert_array_equal(agent.act(*given, rng), expected)


def test_files_there_and_back(saved: Path) -> None:
    game = game_of("toy")
    weights, info = load_model(saved)
    for name, value in random_model(game)[0].items():
        np.testing.assert_array_equal(weights[name], value)
    assert info == random_model(game)[1]
    for spec in (saved, saved.parent, str(saved)):
        assert agents.load(spec, game).name == "m"
    assert agents.load(f"{saved}:sample", game).temperature == 1.0
    assert sorted(file.name for file in saved.parent.iterdir()) == ["model.json", "model.safetensors"]


def test_loads_without_torch(saved: Path) -> None:
    program = (
        "import sys; import numpy as np; from tests import toy; from react_env import agents; "
        "g = toy.load(); a = agents.load(sys.argv[1], g);"
        "b = g.batch(3, seed=0); print(a.act(b.observations, b.action_masks, np.random.default_rng(0)));"
        "assert not {'torch', 'stable_baselines3', 'pickle5'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program, str(saved)], check=True)


def change_json(file: Path, **changes: Any) -> None:
    about = json.loads(file.read_text())
    about.update(changes)
    file.write_text(json.dumps(about))


@pytest.mark.parametrize("length", [0, 4, 8, 100, -1])
def test_a_cut_file_is_refused(saved: Path, length: int) -> None:
    saved.write_bytes(saved.read_bytes()[:length])
    with pytest.raises(ModelError, match=r"model\.safetensors: "):
        agents.load(saved, game_of("toy"))


def test_changed_weights_are_refused(saved: Path) -> None:
    data = bytearray(saved.read_bytes())
    data[-3] ^= 1
    saved.write_bytes(data)
    with pytest.raises(ModelError, match="weights_sha256"):
        agents.load(saved, game_of("toy"))


def test_a_kill_between_the_two_files_loses_nothing(saved: Path) -> None:
    """Past bug: after a kill between the renaming of the weights and that of their description, a run's model could not be loaded."""
    weights, info = load_model(saved)
    description, aside = saved.with_suffix(".json"), saved.parent / f".{saved.stem}.json.4711.tmp"
    before = description.read_text()
    save_model(saved, {name: value + 1 for name, value in weights.items()}, info)
    description.rename(aside)
    description.write_text(before)
    (saved.parent / f".{saved.stem}.json.12.tmp").write_text("{")
    found, about = load_model(saved)
    assert about == info and all((found[name] == value + 1).all() for name, value in weights.items())
    aside.unlink()
    with pytest.raises(ModelError, match="weights_sha256 differs"):
        load_model(saved)


@pytest.mark.parametrize("which", [1, 2])
def test_an_interruption_between_the_two_files_loses_nothing(
    which: int, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Past bug: if it was stopped at the second of two renames, the description that was still aside was removed."""
    weights, info = load_model(saved)
    replace_file, calls = os.replace, []  # type: tuple[Any, list[Any]]

    def interrupted(aside: Any, path: Any) -> None:
        calls.append(path)
        if len(calls) == which:
            raise KeyboardInterrupt
        replace_file(aside, path)

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save_model(saved, {name: value + 1 for name, value in weights.items()}, info)
    found, _ = load_model(saved)
    assert all((found[name] == (value if which == 1 else value + 1)).all() for name, value in weights.items())
    assert len(list(saved.parent.glob(".*.tmp"))) == which - 1


@pytest.mark.parametrize("content", [b"not a model", b"\x80\x04\x95pickle", b"PK\x03\x04" + b"0" * 100])
def test_a_foreign_file_is_refused(saved: Path, content: bytes) -> None:
    saved.write_bytes(content)
    with pytest.raises(ModelError, match="not a whole safetensors file"):
        agents.load(saved, game_of("toy"))


def test_a_model_of_another_game_is_refused_whatever_its_size(tmp_path: Path) -> None:
    game = react_env.load("fight_sequence-v0")
    architecture = Architecture((4,), (4,), (4,), row_width=4, pool_width=4).fitted(game)
    info = ModelInfo.of(game, architecture)
    shapes = architecture.shapes(info.observation_size, info.action_count)
    save_model(tmp_path, {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}, info)
    with pytest.raises(ModelError, match="made for fight_sequence-v0, not for toy-v0"):
        agents.load(tmp_path, game_of("toy"))


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"a": 1}', '{"format": "react_env model", "version": 2}', "[" * 100_000]
)
def test_a_foreign_description_is_refused(saved: Path, content: str) -> None:
    saved.with_suffix(".json").write_text(content)
    with pytest.raises(ModelError, match=r"model\.json: "):
        agents.load(saved, game_of("toy"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": 3}, "game is 3; it should be a valid string"),
        ({"game": "chess-v0"}, "made for chess-v0, not for toy-v0"),
        ({"observation_size": 5}, "has shape"),
        ({"observation_size": True}, "observation_size is True"),
        ({"action_count": None}, "action_count is None; it should be a valid integer"),
        ({"options": []}, "options"),
        ({"architecture": {**SHAPE, "activation": "gelu"}}, "gelu"),
        ({"architecture": {**SHAPE, "policy": [9]}}, "has shape"),
        ({"architecture": {**SHAPE, "trunk": [16, 8]}}, "is missing"),
        ({"architecture": {**SHAPE, "trunk": [10**12]}}, "architecture.trunk"),
        ({"architecture": {**SHAPE, "row_width": -1}}, "architecture.row_width"),
        (
            {"architecture": {**SHAPE, "row_width": 4, "rows": [{"group": "piles"}]}},
            r"rows\.0\.first_action: Field required",
        ),
        ({"architecture": {**SHAPE, "row_width": 4, "rows": [{**ROW, "start": 10**9}]}}, "beyond the observation"),
        (
            {"architecture": {**SHAPE, "row_width": 4, "rows": [{**ROW, "count": 0}]}},
            r"rows\.0\.count is 0; it should be greater",
        ),
        ({"architecture": {**SHAPE, "row_width": 4, "rows": [ROW, ROW]}}, "twice"),
        ({"architecture": {**SHAPE, "row_width": 4, "rows": [ROW]}}, "is missing"),
        ({"weights_sha256": "0"}, "weights_sha256 differs"),
        ({"rules_hash": "0" * 16}, "other rules"),
    ],
)
def test_a_description_that_does_not_fit_is_refused(saved: Path, changes: dict[str, Any], message: str) -> None:
    change_json(saved.with_suffix(".json"), **changes)
    with pytest.raises(ModelError, match=message):
        agents.load(saved, game_of("toy"))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("policy.0.bias", None, "'policy.0.bias' is missing"),
        ("more", np.zeros(3, np.float32), "'more' belongs to no layer"),
        ("policy.0.bias", np.zeros(8), "float64"),
        ("policy.0.bias", np.full(8, np.nan, np.float32), "not finite"),
    ],
)
def test_other_tensors_are_refused(saved: Path, name: str, value: Any, message: str) -> None:
    import hashlib

    tensors = load_file(saved)
    tensors.pop(name, None)
    if value is not None:
        tensors[name] = value
    save_file(tensors, saved)
    change_json(saved.with_suffix(".json"), weights_sha256=hashlib.sha256(saved.read_bytes()).hexdigest())
    with pytest.raises(ModelError, match=message):
        agents.load(saved, game_of("toy"))


def test_other_rules_can_be_allowed(saved: Path) -> None:
    other = toy.load(max_turns=29)
    with pytest.raises(ModelError, match="other rules"):
        agents.load(saved, other)
    with pytest.warns(UserWarning, match="other rules"):
        agents.load(saved, other, on_mismatch="warn")


def test_nothing_is_written_where_weights_and_description_differ(tmp_path: Path) -> None:
    weights, info = random_model(game_of("toy"))
    with pytest.raises(ModelError):
        save_model(tmp_path / "m", weights, replace(info, action_count=3))
    assert not (tmp_path / "m").exists()
