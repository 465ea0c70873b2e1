"""Self-play on the toy game: it learns, saves, resumes, survives Ctrl-C and kill -9."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO

import agents
from agents.neural import Architecture, ModelInfo, NeuralAgent, load_model, save_model
from react_env.envs.sb3 import SelfPlayVecEnv
from react_env.errors import ModelError, OptionError
from react_env.games import PACKAGES
from tests.agents.games import game_of
from training import checkpoints, imitation, network, progress
from training.config import TrainConfig
from training.pool import OpponentPool
from training.selfplay import train

SMALL = {
    "game": "toy-v0",
    "envs": 32,
    "rollout": 16,
    "minibatch": 256,
    "epochs": 2,
    "trunk": (16,),
    "policy": (8,),
    "value": (8,),
    "threads": 1,
    "snapshot_steps": 1000,
    "pool_size": 3,
    "evaluations": 2,
    "evaluation_games": 20,
    "imitation_games": 0,
    "greedy_share": 0.0,
    "self_share": 0.5,
    "random_share": 0.05,
    "entropy": 0.05,
    "entropy_end": 0.01,
    "learning_rate": 1e-3,
}


@pytest.fixture(autouse=True)
def toy_is_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PACKAGES, "toy-v0", "tests.toy")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 4096 learner steps."""
    PACKAGES["toy-v0"] = "tests.toy"
    folder = tmp_path_factory.mktemp("runs") / "run"
    try:
        train(TrainConfig(steps=4096, **SMALL), folder)
    finally:
        del PACKAGES["toy-v0"]
    return folder


def test_leaves_everything_where_it_says(finished: Path) -> None:
    names = {file.name for file in finished.iterdir()}
    assert names == {
        "config.json",
        "model.safetensors",
        "model.json",
        "progress.jsonl",
        "learning_curve.png",
        "checkpoints",
        "pool",
        "tensorboard",
    }
    assert (finished / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    lines = progress.read(finished)
    assert [line["steps"] for line in lines] == [0, 2048, 4096]
    assert all(line["against"][name]["games"] == 20 for line in lines for name in ("random", "greedy"))
    about = json.loads((finished / "model.json").read_text())
    assert about["training"]["learner_steps"] == 4096
    assert len(list((finished / "pool").iterdir())) == 3
    assert [place.name for place in (finished / "checkpoints").iterdir()] == ["000000004096"]


def test_the_agent_plays(finished: Path) -> None:
    game = game_of("toy")
    agent = agents.load(finished, game)
    batch = game.batch(num_games=5, seed=0)
    chosen = agents.choose(agent, batch, np.arange(5), np.random.default_rng(0))
    assert batch.action_masks[np.arange(5), chosen].all()


def network_of(game: Any, architecture: Architecture) -> Any:
    """An untrained MaskablePPO for `game`."""
    from sb3_contrib import MaskablePPO

    from react_env.envs.sb3 import SelfPlayVecEnv

    keywords = network.policy_keywords(architecture, game.layout.scale)
    return MaskablePPO(network.Policy, SelfPlayVecEnv(game, 4, seed=0), policy_kwargs=keywords, device="cpu")


def assert_same(model: Any, agent: NeuralAgent, game: Any) -> None:
    """The NumPy agent computes what torch computes."""
    batch = game.batch(num_games=300, seed=3)
    words = np.arange(300, dtype=np.uint64)
    for _ in range(20):
        batch.step(batch.random_actions(words))
    with torch.no_grad():
        observations = torch.as_tensor(batch.observations)
        features = model.policy.extract_features(observations)
        logits = model.policy.action_net(model.policy.mlp_extractor.forward_actor(features))
        values = model.policy.predict_values(observations)[:, 0]
    np.testing.assert_allclose(agent.logits(batch.observations), logits.numpy(), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(agent.values(batch.observations), values.numpy(), rtol=1e-3, atol=1e-4)


def test_export_equals_the_network(finished: Path) -> None:
    game = game_of("toy")
    weights, info = load_model(finished)
    model = network_of(game, info.architecture)
    checkpoints.restore(finished / "checkpoints", model)
    for name, value in network.export(model.policy).items():
        np.testing.assert_array_equal(value, weights[name])
    agent = NeuralAgent(weights, info)
    assert_same(model, agent, game)
    batch = game.batch(num_games=300, seed=3)
    chosen = agent.act(batch.observations, batch.action_masks, np.random.default_rng(0))
    theirs, _ = model.predict(batch.observations, action_masks=batch.action_masks, deterministic=True)
    np.testing.assert_array_equal(chosen, theirs)


@pytest.mark.parametrize("row_width", [0, 8])
@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_export_equals_the_network_of_the_real_game(row_width: int, activation: Any, tmp_path: Path) -> None:
    game = game_of("arts_of_war-v0")
    architecture = Architecture((32,), (16,), (16,), activation, row_width).fitted(game)
    assert bool(architecture.rows) == (row_width > 0)
    model = network_of(game, architecture)
    torch.manual_seed(0)
    with torch.no_grad():
        for parameter in model.policy.parameters():
            parameter.normal_(std=0.3)
    save_model(tmp_path, network.export(model.policy), ModelInfo.of(game, architecture))
    assert_same(model, NeuralAgent.load(tmp_path, game), game)


def test_a_run_is_not_overwritten(finished: Path) -> None:
    with pytest.raises(OptionError, match="already holds a run"):
        train(TrainConfig(steps=10, **SMALL), finished)


def test_resume_goes_on_where_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    config = TrainConfig(steps=2048, **SMALL)
    first = train(config, folder)
    before = progress.read(folder)
    weights, _ = load_model(folder)
    said: list[str] = []
    second = train(replace(config, steps=4096, envs=99), folder, resume=True, say=said.append)
    assert "resumed at 2,048 learner steps" in said
    assert (first.steps, second.steps) == (2048, 4096)
    assert second.seconds > first.seconds
    assert progress.read(folder)[: len(before)] == before
    assert json.loads((folder / "config.json").read_text())["envs"] == 32  # as it was begun
    assert any((value != load_model(folder)[0][name]).any() for name, value in weights.items())
    third = train(replace(config, steps=4096), folder, resume=True)
    assert third.steps == 4096 and third.evaluations == second.evaluations


def test_the_seed_decides(tmp_path: Path) -> None:
    models = []
    for number, seed in enumerate((1, 1, 2)):
        train(TrainConfig(steps=1024, seed=seed, **SMALL), tmp_path / str(number))
        models.append(load_model(tmp_path / str(number))[0])
    assert all((models[0][name] == models[1][name]).all() for name in models[0])
    assert any((models[0][name] != models[2][name]).any() for name in models[0])


def test_a_damaged_checkpoint_is_passed_over(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    config = TrainConfig(steps=2048, **{**SMALL, "checkpoint_seconds": 1e-6})
    train(config, folder)
    places = sorted((folder / "checkpoints").iterdir())
    assert [place.name for place in places] == ["000000001536", "000000002048"]
    file = places[-1] / "learner.pt"
    file.write_bytes(file.read_bytes()[:1000])
    said: list[str] = []
    result = train(replace(config, steps=2560), folder, resume=True, say=said.append)
    assert "000000002048" in said[0] and "left out" in said[0]
    assert "resumed at 1,536 learner steps" in said
    assert result.steps == 2560
    steps = [line["steps"] for line in result.evaluations]
    assert steps == sorted(set(steps))


def test_other_rules_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "run"
    config = TrainConfig(steps=512, **SMALL)
    train(config, folder)
    file = next((folder / "checkpoints").iterdir()) / "checkpoint.json"
    file.write_text(file.read_text().replace(game_of("toy").rules_hash, "f" * 16))
    with pytest.raises(ModelError, match="other rules"):
        train(replace(config, steps=1024), folder, resume=True)


def test_it_learns(tmp_path: Path) -> None:
    result = train(TrainConfig(steps=120_000, **{**SMALL, "envs": 128, "evaluation_games": 400}), tmp_path / "run")
    first, last = result.evaluations[0]["against"]["random"], result.evaluations[-1]["against"]["random"]
    assert last["win_rate_95"][0] > first["win_rate_95"][1]


def test_opponents_are_dealt_as_configured(tmp_path: Path, finished: Path) -> None:
    weights, info = load_model(finished)
    config = TrainConfig(minutes=1, **{**SMALL, "pool_active": 2})
    pool = OpponentPool(config, info, tmp_path, np.random.default_rng(0))
    pool.renew(weights)
    opponents, index = pool.deal(100)
    assert [getattr(agent, "name", agent) for agent in opponents] == ["latest", "random"]
    assert np.bincount(index).tolist() == [95, 5]
    for steps in range(1, 7):
        pool.add(steps, weights)
    assert len(pool.members) == 3 and {1, 6} <= set(pool.members)
    opponents, index = pool.deal(100)
    assert np.bincount(index, minlength=4).tolist() == [50, 5, 23, 22]
    pool.sweep()
    assert {int(place.name) for place in tmp_path.iterdir()} == set(pool.members)
    other = OpponentPool(config, info, tmp_path, np.random.default_rng(5))
    assert other.restore(json.loads(json.dumps(pool.to_json()))) == []
    assert other.playing == pool.playing and set(other.members) == set(pool.members)
    assert other.rng.random() == pool.rng.random()


def start(folder: Path, *more: str) -> "subprocess.Popen[str]":
    options = [
        "--runs",
        str(folder.parent),
        "--name",
        folder.name,
        "--game",
        "toy-v0",
        "--threads",
        "1",
        "--envs",
        "32",
    ]
    options += ["--rollout", "16", "--minibatch", "256", "--checkpoint-seconds", "0.2", "--evaluations", "0", *more]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.training.toy_cli", "train", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


def wait_for_checkpoints(folder: Path, count: int = 2) -> None:
    end = time.monotonic() + 90
    while len(list((folder / "checkpoints").glob("[0-9]*"))) < count:
        assert time.monotonic() < end, "no checkpoint within 90 seconds"
        time.sleep(0.05)


def test_ctrl_c_saves_and_says_how_to_go_on(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    process = start(folder, "--minutes", "10")
    wait_for_checkpoints(folder)
    process.send_signal(signal.SIGINT)
    output, complaints = process.communicate(timeout=60)
    assert process.returncode == 130, complaints
    assert "interrupted, all is saved" in output and "--resume" in output
    steps = checkpoints.newest_steps(folder / "checkpoints")
    assert steps > 0
    assert json.loads((folder / "model.json").read_text())["training"]["learner_steps"] == steps
    agents.load(folder, game_of("toy"))
    again = start(folder, "--steps", str(steps + 1), "--resume", "--json")
    output, complaints = again.communicate(timeout=90)
    assert again.returncode == 0, complaints
    assert f"resumed at {steps:,}" in complaints
    assert json.loads(output)["learner_steps"] >= steps + 1


def test_kill_loses_at_most_what_came_after_the_last_checkpoint(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    process = start(folder, "--minutes", "10")
    wait_for_checkpoints(folder)
    process.kill()
    process.communicate(timeout=60)
    steps = checkpoints.newest_steps(folder / "checkpoints")
    agents.load(folder, game_of("toy"))
    again = start(folder, "--steps", str(steps + 1), "--resume", "--json")
    output, complaints = again.communicate(timeout=90)
    assert again.returncode == 0, complaints
    assert json.loads(output)["learner_steps"] > steps
    assert not list((folder / "checkpoints").glob(".*"))


def test_a_share_of_the_games_is_against_greedy(tmp_path: Path, finished: Path) -> None:
    weights, info = load_model(finished)
    config = TrainConfig(minutes=1, **{**SMALL, "greedy_share": 0.25})
    pool = OpponentPool(config, info, tmp_path, np.random.default_rng(0), greedy="the baseline")
    pool.renew(weights)
    opponents, index = pool.deal(100)
    assert opponents[2] == "the baseline"
    assert np.bincount(index).tolist() == [70, 5, 25]


def test_the_warm_start_agrees_with_greedy_more_than_chance() -> None:
    game = game_of("toy")
    lessons = imitation.collect(game, 256, noise=0.1, gamma=1.0, weight=0.0, seed=0, threads=1)
    assert lessons.masks[np.arange(len(lessons.actions)), lessons.actions].all()
    assert set(np.unique(lessons.returns)) <= {-1.0, 0.0, 1.0}
    architecture = Architecture((32,), (16,), (16,), "relu").fitted(game)
    env = SelfPlayVecEnv(game, 4, seed=0)
    model = MaskablePPO(
        network.Policy,
        env,
        policy_kwargs=network.policy_keywords(architecture, game.layout.scale),
        seed=0,
        device="cpu",
    )
    first = imitation.fit(model.policy, lessons, epochs=1, minibatch=64, learning_rate=1e-9, seed=0)
    last = imitation.fit(model.policy, lessons, epochs=10, minibatch=64, learning_rate=1e-2, seed=0)
    assert last > first + 0.1
    agent = NeuralAgent(network.export(model.policy), ModelInfo.of(game, architecture))
    agreed = agent.act(lessons.observations, lessons.masks, np.random.default_rng(0)) == lessons.actions
    assert agreed.mean() > first + 0.1
