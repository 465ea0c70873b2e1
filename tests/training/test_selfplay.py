"""Self-play on the toy game: it learns, saves, resumes, survives Ctrl-C and kill -9."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from typer.testing import CliRunner

from react_env import agents
from react_env.agents.models.model import Architecture, ModelInfo, load_model, save_model
from react_env.agents.models.torch_network import Processor, export, restore
from react_env.agents.players.neural import NeuralAgent
from react_env.cli import app
from react_env.envs.sb3 import SelfPlayVecEnv
from react_env.errors import ModelError, OptionError, TrainingError
from react_env.evaluation.matches.match import MatchResult, play_match
from react_env.registry import GAMES
from react_env.training.algorithms import imitation
from react_env.training.algorithms.learner import Stopped
from react_env.training.algorithms.maskable import Policy
from react_env.training.algorithms.ppo import PPO
from react_env.training.algorithms.residual import Residual
from react_env.training.algorithms.rollouts import SELF
from react_env.training.algorithms.workers import Workers
from react_env.training.config import TrainConfig
from react_env.training.runs import progress
from react_env.training.selfplay import checkpoints
from react_env.training.selfplay.pool import MEMORY, OpponentPool
from react_env.training.selfplay.run import Status, train
from react_env.training.selfplay.schedule import Phases
from tests import toy
from tests.agents.games import game_of
from tests.toy import POINTS

SMALL = {
    "game": "toy-v0",
    "device": "cpu",
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
    "opponents": {"random": 0.05},
    "self_share": 0.5,
    "entropy": 0.05,
    "entropy_end": 0.01,
    "learning_rate": 1e-3,
}


PATIENCE = 240  # seconds; much else may run on the machine


@pytest.fixture(autouse=True)
def toy_is_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "toy-v0", "tests.toy:GAME")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 4096 learner steps."""
    GAMES["toy-v0"] = "tests.toy:GAME"
    folder = tmp_path_factory.mktemp("runs") / "run"
    try:
        train(TrainConfig(steps=4096, **SMALL), folder)
    finally:
        del GAMES["toy-v0"]
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
        ".lock",
        "report.html",
    }
    assert (finished / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    lines = progress.read(finished)
    steps = [line["steps"] for line in lines]
    assert steps[0] == 0 and 2048 <= steps[1] < 3000 and 4096 <= steps[2] < 5000
    assert all(seat["games"] == 10 for line in lines for seat in line["against"]["greedy"]["seats"])
    assert all(line["against"][name]["games"] == 20 for line in lines for name in ("random", "greedy"))
    about = json.loads((finished / "model.json").read_text())
    assert about["training"]["learner_steps"] == steps[2]
    assert len(list((finished / "pool").iterdir())) == 3
    assert [place.name for place in (finished / "checkpoints").iterdir()] == [f"{steps[2]:012d}"]


def test_the_agent_plays(finished: Path) -> None:
    game = game_of("toy")
    agent = agents.load(finished, game)
    batch = game.batch(num_games=5, seed=0)
    chosen = agents.choose(agent, batch, np.arange(5), np.random.default_rng(0))
    assert batch.action_masks[np.arange(5), chosen].all()


def network_of(game: Any, architecture: Architecture) -> Any:
    """An untrained MaskablePPO for `game`."""
    keywords = {"architecture": architecture, "scale": game.layout.scale}
    return MaskablePPO(Policy, SelfPlayVecEnv(game, 4, seed=0), policy_kwargs=keywords, device="cpu")


def assert_same(model: Any, agent: NeuralAgent, game: Any) -> None:
    """The NumPy agent computes what torch computes."""
    batch = game.batch(num_games=300, seed=3)
    words = np.arange(300, dtype=np.uint64)
    for _ in range(20):
        batch.step(batch.random_actions(words))
    with torch.no_grad():
        observations = torch.tensor(batch.observations)
        logits, values = model.policy.network(observations)
    np.testing.assert_allclose(agent.logits(batch.observations), logits.numpy(), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(agent.values(batch.observations), values.numpy(), rtol=1e-3, atol=1e-4)


def test_export_equals_the_network(finished: Path) -> None:
    game = game_of("toy")
    weights, info = load_model(finished)
    model = network_of(game, info.architecture)
    restore(model.policy.network, weights)
    for name, value in export(model.policy.network).items():
        np.testing.assert_array_equal(value, weights[name])
    agent = NeuralAgent(weights, info)
    assert_same(model, agent, game)
    batch = game.batch(num_games=300, seed=3)
    chosen = agent.act(batch.observations, batch.action_masks, np.random.default_rng(0))
    theirs, _ = model.predict(batch.observations, action_masks=batch.action_masks, deterministic=True)
    np.testing.assert_array_equal(chosen, theirs)


@pytest.mark.parametrize("row_width, pool_width", [(0, 0), (8, 0), (8, 6)])
@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_export_equals_the_network_of_the_real_game(
    row_width: int, pool_width: int, activation: Any, tmp_path: Path
) -> None:
    game = game_of("arts_of_war-v0")
    architecture = Architecture((32,), (16,), (16,), activation, row_width, pool_width=pool_width).fitted(game)
    assert bool(architecture.pools) == (pool_width > 0)
    assert bool(architecture.rows) == (row_width > 0)
    model = network_of(game, architecture)
    torch.manual_seed(0)
    with torch.no_grad():
        for parameter in model.policy.parameters():
            parameter.normal_(std=0.3)
    save_model(tmp_path, export(model.policy.network), ModelInfo.of(game, architecture))
    assert_same(model, agents.load(tmp_path, game), game)


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
    second = train(config.model_copy(update={"steps": 4096, "envs": 99}), folder, resume=True, say=said.append)
    assert f"resumed at {first.steps:,} learner steps" in said
    assert 2048 <= first.steps < 4096 <= second.steps
    assert second.seconds > first.seconds
    assert progress.read(folder)[: len(before)] == before
    assert progress.read(folder)[-1]["steps"] == second.steps, "the longer run has an end of its own to evaluate"
    assert json.loads((folder / "config.json").read_text())["envs"] == 32  # as it was begun
    assert any((value != load_model(folder)[0][name]).any() for name, value in weights.items())
    third = train(config.model_copy(update={"steps": 4096}), folder, resume=True)
    assert third.steps == second.steps and third.evaluations == second.evaluations


def test_a_run_and_its_continuation_tell_the_learner_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Step size and entropy fall in a straight line. A continued run plays other games than at the beginning, keeps the next earlier self
    when it is due, and knows nothing of evaluations made after its checkpoint."""
    told: list[tuple[int, float, float]] = []
    seeds: list[int] = []

    class Watched(PPO):
        def __init__(self, *arguments: Any, seed: int, **keywords: Any) -> None:
            seeds.append(seed)
            super().__init__(*arguments, seed=seed, **keywords)

        def learn(self, learning_rate: float, entropy: float, *arguments: Any, **keywords: Any) -> dict[str, float]:
            told.append((self.steps, learning_rate, entropy))
            return super().learn(learning_rate, entropy, *arguments, **keywords)

    monkeypatch.setattr("react_env.training.selfplay.run.PPO", Watched)
    folder = tmp_path / "run"
    config = TrainConfig(steps=3000, **{**SMALL, "learning_rate_end": 1e-4, "snapshot_steps": 2000, "evaluations": 0})
    steps = train(config, folder).steps
    for done, learning_rate, entropy in told:
        share = done / 3000
        assert (learning_rate, entropy) == pytest.approx((1e-3 - 9e-4 * share, 0.05 - 0.04 * share))
    assert len(told) > 3
    kept = sorted(place.name for place in (folder / "pool").iterdir())
    progress.append(folder, {"steps": steps + 1, "seconds": 1.0, "against": {}})
    with (folder / "progress.jsonl").open("ab") as file:
        file.write(b"\xff\0")  # what a crash of the machine may leave
    train(config.model_copy(update={"steps": steps + 1}), folder, resume=True)
    assert len(kept) == 1 and sorted(place.name for place in (folder / "pool").iterdir()) == kept
    assert len(set(seeds)) == 2 and progress.read(folder) == []


def test_the_seed_decides(tmp_path: Path) -> None:
    models = []
    for number, seed in enumerate((1, 1, 2)):
        train(TrainConfig(steps=1024, seed=seed, **SMALL), tmp_path / str(number))
        models.append(load_model(tmp_path / str(number))[0])
    assert all((models[0][name] == models[1][name]).all() for name in models[0])
    assert any((models[0][name] != models[2][name]).any() for name in models[0])


def test_it_begins_from_a_model(finished: Path, tmp_path: Path) -> None:
    config = TrainConfig(steps=300, **{**SMALL, "start": str(finished), "trunk": (99,), "evaluations": 1})
    train(config, tmp_path / "run")
    assert progress.read(tmp_path / "run")[0]["against"] == progress.read(finished)[-1]["against"]
    assert load_model(tmp_path / "run")[1].architecture == load_model(finished)[1].architecture
    with pytest.raises(ModelError, match="made for toy-v0"):
        train(config.model_copy(update={"game": "arts_of_war-v0"}), tmp_path / "other")


def test_stable_baselines3_learns_in_the_same_run(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    config = TrainConfig(steps=1024, **{**SMALL, "algorithm": "maskable_ppo", "opponents": {"greedy": 0.5}})
    first = train(config, folder)
    assert first.steps == 1024
    second = train(config.model_copy(update={"steps": 2048}), folder, resume=True)
    assert second.steps == 2048
    assert [line["steps"] for line in second.evaluations] == [0, 512, 1024, 2048]
    agents.load(folder, game_of("toy"))


@pytest.mark.parametrize("algorithm", ["ppo", "maskable_ppo"])
def test_results_against_earlier_selves_are_remembered(tmp_path: Path, algorithm: str) -> None:
    """Because of them hard ones are drawn more often; results against named opponents and the newest self are not among them."""
    config = TrainConfig(steps=6000, **{**SMALL, "algorithm": algorithm, "self_share": 0.25})
    train(config, tmp_path)
    places = sorted((tmp_path / "checkpoints").iterdir())
    pool = json.loads((places[-1] / "checkpoint.json").read_text())["pool"]
    results = pool["results"]
    assert set(results) <= {str(steps) for steps in pool["members"]}
    assert sum(map(len, results.values())) > 20
    assert {result for found in results.values() for result in found} >= {1.0, -1.0}


def test_the_magnet_is_kept_over_a_resume(tmp_path: Path) -> None:
    config = TrainConfig(steps=600, **{**SMALL, "magnet": 0.1})
    train(config, tmp_path / "run")
    assert train(config.model_copy(update={"steps": 1200}), tmp_path / "run", resume=True).steps >= 1200


def test_a_spoiled_network_stops_the_run_and_the_checkpoint_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    config = TrainConfig(steps=1024, **SMALL)
    first = train(config, folder)
    learn = PPO.learn

    def spoil(learner: PPO, *arguments: Any, **keywords: Any) -> dict[str, float]:
        return {**learn(learner, *arguments, **keywords), "value_loss": float("nan")}

    monkeypatch.setattr(PPO, "learn", spoil)
    with pytest.raises(TrainingError, match=f"value loss is not a finite number after {first.steps:,} learner steps"):
        train(config.model_copy(update={"steps": 4096}), folder, resume=True)
    monkeypatch.setattr(PPO, "learn", learn)
    assert checkpoints.newest_steps(folder / "checkpoints") == first.steps
    assert train(config.model_copy(update={"steps": 2048}), folder, resume=True).steps >= 2048


def test_two_processes_do_not_share_a_run(tmp_path: Path) -> None:
    code = "import sys, pathlib\nfrom react_env.training.selfplay import lock\n"
    code += "with lock.locked(pathlib.Path(sys.argv[1])): print(1, flush=True); input()"
    held = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert held.stdout is not None and held.stdout.readline() == "1\n"
    with pytest.raises(TrainingError, match=f"another process \\({held.pid}\\) is using this run"):
        train(TrainConfig(steps=10, **SMALL), tmp_path)
    held.kill()
    held.communicate()
    train(TrainConfig(steps=10, **SMALL), tmp_path)


@pytest.fixture
def disk() -> Iterator[Callable[[bool], None]]:
    """disk(True): from now on the system lets no file grow; writing fails as on a full disk, but with another message."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill(now: bool) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]) if now else before)

    yield fill
    fill(False)


def test_a_disk_that_is_full_for_a_while_costs_no_evaluation(tmp_path: Path, disk: Callable[[bool], None]) -> None:
    """Checkpoints, earlier selves and evaluations that cannot be written are reported; the run goes on, and writes what it can later."""
    folder = tmp_path / "run"
    said: list[str] = []
    config = TrainConfig(steps=4096, **{**SMALL, "checkpoint_seconds": 1e-6, "evaluations": 8})
    result = train(config, folder, report=lambda status: disk(1000 < status.steps < 3000), say=said.append)
    for line in (
        "not saved (File too large)",
        "progress.jsonl: File too large; this evaluation is written as soon as there is room",
        "model.safetensors: File too large; the run goes on without this earlier self",
    ):
        assert any(line in told for told in said)
    evaluated = [line["steps"] for line in progress.read(folder)]
    assert len(evaluated) == 9 and any(1000 < steps < 3000 for steps in evaluated)
    assert result.evaluations == progress.read(folder)
    assert checkpoints.newest_steps(folder / "checkpoints") == result.steps
    assert all((place / "model.json").exists() for place in (folder / "pool").iterdir())
    assert not list(folder.rglob(".*.tmp"))


def test_the_last_evaluation_is_written_when_the_end_is_saved(tmp_path: Path, disk: Callable[[bool], None]) -> None:
    said: list[str] = []
    config = TrainConfig(steps=1024, **{**SMALL, "evaluations": 1})
    train(config, tmp_path, report=lambda status: disk(status.doing.startswith("evaluating")), say=said.append)
    assert sum("as soon as there is room" in line for line in said) == 2
    assert len(progress.read(tmp_path)) == 2


@pytest.mark.parametrize(("evaluations", "file"), [(0, r"learner\.pt"), (2, r"progress\.jsonl")])
def test_an_end_that_cannot_be_saved_is_told_and_the_run_can_be_resumed(
    evaluations: int, file: str, tmp_path: Path, disk: Callable[[bool], None]
) -> None:
    folder = tmp_path / "run"
    config = TrainConfig(steps=4096, **{**SMALL, "checkpoint_seconds": 1e-6, "evaluations": evaluations})
    message = rf"{file}: File too large\. Make room, then resume it from its checkpoint"
    with pytest.raises(TrainingError, match=message) as error:
        train(config, folder, report=lambda status: disk(status.steps > 2000))
    disk(False)
    saved = checkpoints.newest_steps(folder / "checkpoints")
    assert 0 < saved <= 2000 and f"at {saved:,} steps" in str(error.value)
    assert not list(folder.rglob(".*.tmp"))
    assert load_model(folder)[1].training["learner_steps"] == saved
    assert train(config, folder, resume=True).steps >= 4096
    assert len(progress.read(folder)) == (evaluations and evaluations + 1)


def test_a_run_that_could_never_save_is_resumed_anew(tmp_path: Path, disk: Callable[[bool], None]) -> None:
    """What it evaluated before is forgotten, as are evaluations made after a checkpoint."""
    config = TrainConfig(steps=1024, **SMALL)
    with pytest.raises(TrainingError, match=r"Make room, then resume it anew: it has no checkpoint yet"):
        train(config, tmp_path, report=lambda status: disk(status.doing == "saving"))
    disk(False)
    assert len(progress.read(tmp_path)) == 3
    train(config, tmp_path, resume=True)
    assert len(progress.read(tmp_path)) == 3


def test_a_disk_that_is_full_from_the_start_is_told(tmp_path: Path, disk: Callable[[bool], None]) -> None:
    disk(True)
    with pytest.raises(OSError, match="File too large") as error:
        train(TrainConfig(steps=1024, **SMALL), tmp_path)
    disk(False)
    assert error.value.filename == str(tmp_path / "config.json") and not list(tmp_path.glob("*.json"))


def test_a_run_on_a_file_system_that_fills_up(tmp_path: Path) -> None:
    """The same on a disk that is really full: four megabytes, which another file takes up."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a file system")
    filler = place / "filler"

    def fill(status: Status) -> None:
        if status.steps > 1000:
            with suppress(OSError), open(filler, "ab", buffering=0) as file:
                while file.write(bytes(4096)):
                    pass

    try:
        config = TrainConfig(steps=2048, **{**SMALL, "checkpoint_seconds": 1e-6, "evaluations": 0})
        with pytest.raises(
            TrainingError, match=r"learner\.pt: No space left on device\. Make room, then resume it from"
        ):
            train(config, place / "run", report=fill)
        saved = checkpoints.newest_steps(place / "run" / "checkpoints")
        assert 0 < saved <= 1000 and not list(place.rglob(".*.tmp"))
        filler.unlink()
        said: list[str] = []
        assert train(config, place / "run", resume=True, say=said.append).steps >= 2048
        assert said[0] == f"resumed at {saved:,} learner steps"
        assert load_model(place / "run")[1].training["learner_steps"] >= 2048
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_damaged_checkpoint_is_passed_over(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    config = TrainConfig(steps=2048, **{**SMALL, "checkpoint_seconds": 1e-6})
    train(config, folder)
    places = sorted((folder / "checkpoints").iterdir())
    assert len(places) == 2
    before, damaged = (int(place.name) for place in places)
    file = places[-1] / "learner.pt"
    file.write_bytes(file.read_bytes()[:1000])
    said: list[str] = []
    result = train(config.model_copy(update={"steps": damaged + 1}), folder, resume=True, say=said.append)
    assert f"{damaged:012d}" in said[0] and "left out" in said[0]
    assert f"resumed at {before:,} learner steps" in said
    assert result.steps > damaged
    steps = [line["steps"] for line in result.evaluations]
    assert steps == sorted(set(steps))


def test_a_kill_while_a_checkpoint_is_replaced_leaves_it_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: a finished run that was resumed removed its only checkpoint before the same one, written anew, took its place."""
    folder = tmp_path / "run"
    config = TrainConfig(steps=512, **SMALL)
    steps = train(config, folder).steps
    remove = shutil.rmtree

    def killed(place: Path, **options: Any) -> None:
        if place.name.isdecimal():
            next(place.iterdir()).unlink()
            raise KeyboardInterrupt
        remove(place, **options)

    with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
        patch.setattr(checkpoints.shutil, "rmtree", killed)
        train(config, folder, resume=True)
    said: list[str] = []
    train(config, folder, resume=True, say=said.append)
    assert said[0] == f"resumed at {steps:,} learner steps"


def test_a_run_whose_folder_is_removed_can_be_resumed_from_what_it_saves_then(tmp_path: Path) -> None:
    """Past bug: it wrote checkpoints without options. Nothing resumed them, and a new run there silently began from them."""
    folder = tmp_path / "run"

    def remove(status: Status) -> None:
        if status.steps and not list(tmp_path.glob("removed")):
            folder.rename(tmp_path / "removed")

    config = TrainConfig(steps=1024, **SMALL)
    steps = train(config, folder, report=remove).steps
    with pytest.raises(OptionError, match="already holds a run"):
        train(config, folder)
    assert train(config, folder, resume=True).steps == steps


def test_other_rules_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "run"
    config = TrainConfig(steps=512, **SMALL)
    train(config, folder)
    file = next((folder / "checkpoints").iterdir()) / "checkpoint.json"
    file.write_text(file.read_text().replace(game_of("toy").rules_hash, "f" * 16))
    with pytest.raises(ModelError, match="other rules"):
        train(config.model_copy(update={"steps": 1024}), folder, resume=True)


@pytest.mark.slow
def test_it_learns(tmp_path: Path) -> None:
    result = train(TrainConfig(steps=120_000, **{**SMALL, "envs": 128, "evaluation_games": 400}), tmp_path / "run")
    first, last = result.evaluations[0]["against"]["random"], result.evaluations[-1]["against"]["random"]
    assert last["win_rate_95"][0] > first["win_rate_95"][1]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no GPU here")
@pytest.mark.parametrize("options", [{"magnet": 0.1}, {"algorithm": "maskable_ppo"}])
def test_a_gpu_learns_and_goes_on_where_it_was(tmp_path: Path, options: dict[str, Any]) -> None:
    config = TrainConfig(steps=2048, **{**SMALL, **options, "device": "cuda", "imitation_games": 64})
    train(config, tmp_path / "run")
    result = train(config.model_copy(update={"steps": 4096}), tmp_path / "run", resume=True)
    _, info = load_model(result.model)
    assert info.training["device"] == "cuda" and result.steps >= 4096
    agents.load(result.model, game_of("toy"))


def pool_of(folder: Path, info: ModelInfo, seed: int = 0, **options: Any) -> OpponentPool:
    """A pool whose named opponents are words."""
    config = TrainConfig(minutes=1, **{**SMALL, **options})
    pool = OpponentPool(config, info, folder, np.random.default_rng(seed), None)
    pool.named = dict.fromkeys(config.opponents, "a named one")
    return pool


def test_opponents_are_dealt_as_configured(tmp_path: Path, finished: Path) -> None:
    weights, info = load_model(finished)
    pool = pool_of(tmp_path, info, pool_active=2, opponents={"random": 0.06, "greedy": 0.2})
    opponents, index = pool.deal(100)
    assert len(opponents) == 2
    assert np.bincount(index - SELF).tolist() == [74, 6, 20]
    assert (index[::2] == index[1::2]).all()  # both seats
    for steps in range(1, 7):
        pool.add(steps, weights)
    assert len(pool.members) == 3 and {1, 6} <= set(pool.members)
    opponents, index = pool.deal(100)
    assert opponents[2:] == [pool.members[steps] for steps in pool.playing]
    assert np.bincount(index - SELF).tolist() == [50, 6, 20, 12, 12]
    pool.sweep()
    assert {int(place.name) for place in tmp_path.iterdir()} == set(pool.members)
    pool.note({0: [1.0], 2: [-1.0] * 7, 3: [1.0] * 9})
    other = pool_of(tmp_path, info, seed=5, pool_active=2, opponents={"random": 0.06, "greedy": 0.2})
    assert other.restore(json.loads(json.dumps(pool.to_json()))) == []
    assert other.playing == pool.playing and set(other.members) == set(pool.members)
    assert other.results == pool.results == dict(zip(pool.playing, ([-1.0] * 7, [1.0] * 9), strict=True))
    assert other.rng.random() == pool.rng.random()


@pytest.mark.parametrize(
    ("games", "shares"), [(7, [1.0]), (6, [0.5, 0.5]), (12, [0.25, 0.25, 0.25, 0.25]), (10, [0.26, 0.5])]
)
def test_rounded_shares_are_no_more_than_all_games(
    games: int, shares: list[float], tmp_path: Path, finished: Path
) -> None:
    """Past bug: an attacker of 7 games, or two opponents in 6, could not begin."""
    names = ("random", "greedy", "a.py:A", "b.py:B")
    pool = pool_of(tmp_path, load_model(finished)[1], opponents=dict(zip(names, shares)), self_share=0.0)
    _, index = pool.deal(games)
    counts = np.bincount(index - SELF, minlength=1 + len(shares))
    assert len(index) == games and (abs(counts[1:] - games * np.array(shares)) <= 2).all()


def test_an_evaluation_made_again_takes_the_place_of_the_first(tmp_path: Path) -> None:
    """Past bug: a run killed between an evaluation and its next checkpoint reported it twice."""
    for steps, seconds in ((0, 1.0), (64, 2.0), (0, 3.0)):
        progress.append(tmp_path, {"steps": steps, "seconds": seconds, "against": {}})
    assert [(line["steps"], line["seconds"]) for line in progress.read(tmp_path)] == [(64, 2.0), (0, 3.0)]


@pytest.mark.parametrize("algorithm", ["ppo", "residual"])
def test_a_rollout_without_a_whole_decision_teaches_nothing(
    algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Past bug: Ctrl-C in the first round of a rollout led to a division by zero, and nothing was saved."""
    learner = PPO if algorithm == "ppo" else Residual
    think = learner._think
    config = TrainConfig(steps=5000, algorithm=algorithm, **{**SMALL, "evaluations": 0})

    def interrupted(self: Any, *given: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return think(self, *given)

    monkeypatch.setattr(learner, "_think", interrupted)
    result = train(config, tmp_path / "run")
    assert result.interrupted and result.steps == 0 and result.model.exists()


def test_minutes_are_minutes_of_learning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the warm start, evaluations and saving take, the run learns for all of its minutes; they are cut to their shares."""
    now = [0.0]
    limits: list[float | None] = []

    def play(*args: Any, seconds: float | None = None, **options: Any) -> MatchResult:
        limits.append(seconds)
        now[0] += seconds or 0.0
        return play_match(*args, **options)

    def update(run: Any, done: float) -> None:
        now[0] += 1.0
        run.learner.steps += 100

    def imitate(learner: Any, teacher: str, watch: Any, spent: Callable[[], float]) -> str:
        tick, over = watch("imitating"), 0.0
        while spent() < 1:
            now[0] += 1.0
            over += 1.0
            tick(min(1.0, spent()))
        return f"{over}"

    monkeypatch.setattr("react_env.training.selfplay.run.play_match", play)
    monkeypatch.setattr("react_env.training.selfplay.run._Run._update", update)
    monkeypatch.setattr("react_env.training.selfplay.run.PPO.imitate", imitate)
    monkeypatch.setattr(
        "react_env.training.selfplay.run.Phases", lambda: Phases(clock=lambda: now[0], processor=lambda: 0.0)
    )
    options = {**SMALL, "evaluations": 4, "evaluation_games": 2, "baselines": ("random",), "imitation_games": 9}
    told: list[Status] = []
    result = train(TrainConfig(minutes=2, **options), tmp_path / "run", report=told.append)
    assert result.learning_seconds == 120.0 and result.steps == 12_000
    assert result.phases["warm start"]["clock"] == 30.0
    assert limits == pytest.approx([4.0] * 5)  # a sixth of the learning, shared out
    assert result.seconds == pytest.approx(120 + 30 + 20)
    assert [line["steps"] for line in result.evaluations] == [0, 3000, 6000, 9000, 12_000]
    left = [status.seconds_left for status in told]
    assert left == sorted(left, reverse=True) and left[-1] == pytest.approx(0.0)
    assert told[-1].fraction == pytest.approx(1.0)
    limits.clear()
    train(TrainConfig(steps=1000, **{**options, "imitation_games": 0}), tmp_path / "by steps")
    assert limits == [None] * len(limits)


def test_an_interrupted_warm_start_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: a resumed run took it as done."""

    def stop(*_: Any) -> str:
        raise Stopped

    config = TrainConfig(steps=512, **{**SMALL, "imitation_games": 32})
    imitate = PPO.imitate
    monkeypatch.setattr("react_env.training.selfplay.run.PPO.imitate", stop)
    train(config, tmp_path / "run")
    monkeypatch.setattr("react_env.training.selfplay.run.PPO.imitate", imitate)
    said: list[str] = []
    train(config, tmp_path / "run", resume=True, say=said.append)
    assert any(line.startswith("imitated ") for line in said)
    said.clear()
    train(config.model_copy(update={"steps": 1024}), tmp_path / "run", resume=True, say=said.append)
    assert not any(line.startswith("imitated ") for line in said)


LESSONS = TrainConfig(steps=1, imitation_games=256, gamma=1.0, shaping=0.0, threads=1)


def test_the_warm_start_expects_what_learning_will() -> None:
    """The result for whoever decides, discounted by its decisions until the end, less the potential, which learning leaves out."""

    def lessons(**options: Any) -> imitation.Lessons:
        config = TrainConfig(steps=1, **{**SMALL, "imitation_games": 40, "gamma": 0.9, "shaping": 0.0, **options})
        return imitation.collect(game_of("toy"), config, "greedy")

    plain, shaped = lessons(), lessons(shaping=0.5)
    last, before = (plain.returns[np.isclose(np.abs(plain.returns), size)] for size in (1.0, 0.9))
    assert len(last) == len(before) > 40
    assert last.sum() == pytest.approx(0) and before.sum() == pytest.approx(0, abs=1e-4), (
        "one wins what the other loses"
    )
    own, other = shaped.observations[:, POINTS : POINTS + 2].T
    assert (shaped.observations == plain.observations).all()
    assert shaped.returns == pytest.approx(plain.returns - 0.5 * np.tanh((own - other) / 2.0), abs=1e-6)
    options = {**SMALL, "imitation_games": 10, "gamma": 1.0, "shaping": 0.0, "stalemate": 0.25}
    cut = imitation.collect(toy.load(max_turns=1), TrainConfig(steps=1, **options), "greedy")
    assert cut.returns.min() == cut.returns.max() == -0.25, "past bug: 0"


def test_rows_of_lessons_grow_in_one_array() -> None:
    rng, rows = np.random.default_rng(0), imitation._Rows()
    parts = [rng.integers(0, 9, (size, 3), dtype=np.int8) for size in (4, 0, 1, 300, 7)]
    for part in parts:
        rows.add(part)
    assert (rows.all() == np.concatenate(parts)).all() and rows.all().base is None


def test_a_warm_start_without_time_makes_do_with_fewer_games() -> None:
    game = game_of("toy")
    spent = iter([0.0] * 4 + [1.0] * 10_000)
    lessons = imitation.collect(game, LESSONS, "greedy", spent=lambda: next(spent))
    whole = imitation.collect(game, LESSONS, "greedy")
    assert 0 < len(lessons.labels) == len(lessons.returns) == len(lessons.observations) < len(whole.labels)
    architecture = Architecture((32,), (16,), (16,), "relu").fitted(game)
    model, workers = network_of(game, architecture), Workers(1, Processor())
    shares, rates = iter([0.6, 0.6, 0.8, 1.0]), []
    imitation.fit(
        model.policy.network,
        lessons,
        LESSONS.model_copy(update={"imitation_epochs": 1000, "minibatch": 16}),
        workers,
        tick=rates.append,
        spent=lambda: next(shares),
    )
    assert rates == pytest.approx([0.0, 0.5, 1.0], abs=0.01)


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
        "-o",
        "envs=32",
    ]
    options += ["-o", "rollout=16", "-o", "minibatch=256", "-o", "checkpoint_seconds=0.2", "-o", "evaluations=0"]
    options += ["-o", "imitation_games=64", *more]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.training.toy_cli", "train", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


def wait_for_checkpoints(folder: Path, after: int = 0) -> None:
    """Wait until there is a checkpoint at a later step than `after`, and another after that."""
    end = time.monotonic() + PATIENCE
    seen = {after}
    while len(seen) < 3:
        seen |= {steps for place in (folder / "checkpoints").glob("[0-9]*") if (steps := int(place.name)) > after}
        assert time.monotonic() < end, f"no checkpoint within {PATIENCE} seconds"
        time.sleep(0.05)


@pytest.mark.slow
def test_ctrl_c_saves_and_says_how_to_go_on_and_kill_loses_only_what_came_after_the_last_checkpoint(
    tmp_path: Path,
) -> None:
    """One run in three processes: stopped, resumed and killed, then resumed in this process."""
    folder = tmp_path / "run"
    process = start(folder, "--minutes", "10")
    wait_for_checkpoints(folder)
    process.send_signal(signal.SIGINT)
    output, complaints = process.communicate()
    assert process.returncode == 130, complaints
    assert "interrupted, everything is saved" in output and "--resume" in output
    stopped = checkpoints.newest_steps(folder / "checkpoints")
    assert stopped > 0
    assert json.loads((folder / "model.json").read_text())["training"]["learner_steps"] == stopped
    agents.load(folder, game_of("toy"))
    process = start(folder, "--minutes", "20", "--resume")
    wait_for_checkpoints(folder, after=stopped)
    process.kill()
    _, complaints = process.communicate()
    assert f"resumed at {stopped:,}" in complaints
    killed = checkpoints.newest_steps(folder / "checkpoints")
    assert killed > stopped
    agents.load(folder, game_of("toy"))
    arguments = ["--runs", str(folder.parent), "--name", folder.name, "--steps", str(killed + 1), "--resume", "--json"]
    again = CliRunner().invoke(app, ["train", "toy-v0", *arguments])
    assert again.exit_code == 0, again.output
    assert f"resumed at {killed:,}" in again.stderr
    assert json.loads(again.stdout)["learner_steps"] > killed
    assert not list((folder / "checkpoints").glob(".*"))


def test_results_against_earlier_selves_are_kept_however_often_one_is_added(tmp_path: Path) -> None:
    """Past bug: with an earlier self added before each new draw, no result was ever counted."""
    options = {**SMALL, "snapshot_steps": 700, "pool_redraw": 1000, "evaluations": 0, "self_share": 0.2}
    train(TrainConfig(steps=9000, **options), tmp_path / "run")
    checkpoint = max((tmp_path / "run" / "checkpoints").iterdir()) / "checkpoint.json"
    results = json.loads(checkpoint.read_text())["pool"]["results"]
    assert sum(map(len, results.values())) > 20


def test_those_that_are_hard_to_beat_play_more_often(tmp_path: Path, finished: Path) -> None:
    weights, info = load_model(finished)
    pool = pool_of(tmp_path, info, pool_priority=2.0)
    for steps in (1, 2):
        pool.add(steps, weights)
    pool.results = {1: [1.0] * 90 + [-1.0] * 10, 2: [1.0] * 50 + [-1.0] * 50}
    drawn = []
    for _ in range(400):
        pool.draw()
        drawn += pool.playing
    assert 2 * drawn.count(1) < drawn.count(2)  # 0.1 ** 2 to 0.5 ** 2


def test_what_a_pool_remembers(tmp_path: Path, finished: Path) -> None:
    weights, info = load_model(finished)
    pool = pool_of(tmp_path, info, pool_size=3, opponents={"random": 0.05})
    for steps in (10, 20, 30, 40, 50, 60):
        pool.add(steps, weights)
        pool.note({0: [1.0], 1: [-1.0] * (MEMORY + 10)})  # number 0 is the named agent
    assert len(pool.members) == 3 and {10, 60} < set(pool.members), "the first and the newest stay"
    assert set(pool.results) <= set(pool.members) and {len(found) for found in pool.results.values()} == {MEMORY}
    (met, *_) = pool.results
    assert pool.win_rate(met) < 0.02 and pool.win_rate(70) == 0.5, "nothing is known of who has not been met"
    again = pool_of(tmp_path, info, pool_size=3, opponents={"random": 0.05})
    assert again.restore(json.loads(json.dumps(pool.to_json()))) == []
    assert again.results == pool.results and again.playing == pool.playing
    for _ in range(20):
        pool.draw()
        again.draw()
        assert again.playing == pool.playing, "chance goes on where it was"


@pytest.mark.slow
def test_the_warm_start_agrees_with_greedy_more_than_chance() -> None:
    game = game_of("toy")
    lessons = imitation.collect(game, LESSONS, "greedy")
    assert np.allclose(lessons.labels.sum(1), 1) and not lessons.labels[~lessons.masks].any()
    assert set(np.unique(lessons.returns)) <= {-1.0, 0.0, 1.0}
    architecture = Architecture((32,), (16,), (16,), "relu").fitted(game)
    torch.manual_seed(0)
    model = network_of(game, architecture)
    workers = Workers(2, Processor())
    config = LESSONS.model_copy(update={"minibatch": 64, "imitation_epochs": 1, "imitation_rate": 1e-9})
    first = imitation.fit(model.policy.network, lessons, config, workers)
    config = config.model_copy(update={"imitation_epochs": 10, "imitation_rate": 1e-2})
    last = imitation.fit(model.policy.network, lessons, config, workers)
    assert last > first + 0.1
    agent = NeuralAgent(export(model.policy.network), ModelInfo.of(game, architecture))
    chosen = agent.act(lessons.observations, lessons.masks, np.random.default_rng(0))
    assert (lessons.labels[np.arange(len(chosen)), chosen] > 0).mean() > first + 0.1
