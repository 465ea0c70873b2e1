"""A policy over a learned value, learned by PPO, on the toy game."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from react_env import agents
from react_env.agents.models.model import (
    POLICY,
    Architecture,
    ModelInfo,
    PolicyArchitecture,
    ValueArchitecture,
    Weights,
    load_model,
    save_model,
)
from react_env.agents.players.learned_value import ValueAgent, untrained
from react_env.agents.players.value_policy import SURE
from react_env.errors import OptionError
from react_env.registry import GAMES
from react_env.training.algorithms.rollouts import SELF, Rollouts
from react_env.training.config import TrainConfig
from react_env.training.runs.ship import ship
from react_env.training.selfplay.run import train
from tests.agents.games import game_of
from tests.training.test_rollouts import config as rollout_config
from tests.training.test_rollouts import evaluate

SMALL: dict[str, Any] = {
    "game": "toy-v0",
    "algorithm": "residual",
    "envs": 64,
    "rollout": 32,
    "minibatch": 512,
    "policy_width": 16,
    "threads": 1,
    "evaluations": 1,
    "evaluation_games": 400,
    "opponents": {},
    "self_share": 1.0,
    "baselines": ("random",),
    "learning_rate_end": 3e-3,
}


@pytest.fixture(autouse=True)
def toy_is_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "toy-v0", "tests.toy:GAME")


def value(folder: Path, weights: Weights | None = None) -> str:
    """A model with these weights, or one to which all positions are alike."""
    game = game_of("toy")
    shape = ValueArchitecture.of(game, 3)
    return str(save_model(folder, weights or untrained(shape), ModelInfo.of(game, shape)))


def test_a_run_goes_on_over_its_own_value_whatever_became_of_the_start(tmp_path: Path) -> None:
    """Past bug: it went on over the start as it was by then, and failed if that was gone."""
    weights = untrained(ValueArchitecture.of(game_of("toy"), 3))
    start = value(tmp_path / "value")
    config = TrainConfig(steps=1, start=start, **{**SMALL, "evaluations": 0})
    train(config, tmp_path / "run")
    about = json.loads((tmp_path / "run" / "model.json").read_text())["training"]
    value(tmp_path / "value", {name: array + 1 for name, array in weights.items()})
    train(config.model_copy(update={"steps": 3000}), tmp_path / "run", resume=True)
    shutil.rmtree(tmp_path / "value")
    done = train(config.model_copy(update={"steps": 6000}), tmp_path / "run", resume=True)
    assert done.steps >= 6000
    found = load_model(tmp_path / "run")[0]
    assert all(np.array_equal(found[name], array) for name, array in weights.items())
    assert json.loads((tmp_path / "run" / "model.json").read_text())["training"].get("over") == about.get("over")


@pytest.mark.slow
def test_it_learns_over_a_value_that_knows_nothing(tmp_path: Path, pictures: None) -> None:
    """It begins as good as random play, and wins by what it has learned to add; the value stays as it was."""
    start = value(tmp_path / "value")
    result = train(TrainConfig(steps=60_000, start=start, **SMALL), tmp_path / "run")
    first, last = (result.evaluations[i]["against"]["random"] for i in (0, -1))
    assert last["win_rate_95"][0] > first["win_rate_95"][1] + 0.1, (first, last)
    weights, info = load_model(tmp_path / "run")
    assert isinstance(info.architecture, ValueArchitecture) and info.architecture.policy == 16
    before = load_model(start)[0]
    assert all((weights[name] == before[name]).all() for name in before)
    assert weights[f"{POLICY}score.weight"].any()
    assert info.training["algorithm"].startswith("a policy over a value")
    report = (tmp_path / "run" / "report.html").read_text()
    assert "learned value" in report and f"--algorithm residual --start {start}" in report


@pytest.mark.slow
def test_it_learns_over_the_games_own_value(tmp_path: Path, pictures: None) -> None:
    """With little weight on that value, its draws begin as good as random play, and win by what it learns."""
    config = TrainConfig(steps=60_000, sharpness=1e-3, evaluated_as="sample", **SMALL)
    result = train(config, tmp_path / "run")
    first, last = (result.evaluations[i]["against"]["random"] for i in (0, -1))
    assert last["win_rate_95"][0] > first["win_rate_95"][1] + 0.1, (first, last)
    info = load_model(tmp_path / "run")[1]
    assert info.architecture == PolicyArchitecture(game_of("toy").heuristics.feature_names, 16)
    assert "over the game's own, self-play" in info.training["algorithm"]
    report = (tmp_path / "run" / "report.html").read_text()
    assert "a policy over the game&#39;s own value, 16 wide" in report and "--algorithm residual" in report


def test_such_a_run_goes_on_and_another_begins_from_it(tmp_path: Path) -> None:
    quiet = {**SMALL, "evaluations": 0, "snapshot_steps": 1500, "self_share": 0.5, "opponents": {"greedy": 0.25}}
    folder, said = tmp_path / "run", []  # type: tuple[Path, list[str]]
    config = TrainConfig(steps=4000, **quiet)
    done = train(config, folder)
    assert len(list((folder / "pool").iterdir())) >= 2
    more = train(config.model_copy(update={"steps": 8000}), folder, resume=True, say=said.append)
    assert f"resumed at {done.steps:,} learner steps" in said and more.steps >= 8000
    still = {**quiet, "learning_rate": 1e-12, "learning_rate_end": 1e-12}
    train(TrainConfig(steps=1, start=str(folder), **still), tmp_path / "begun")
    found, before = load_model(tmp_path / "begun")[0], load_model(folder)[0]
    assert all(np.allclose(found[name], before[name], atol=1e-6) for name in before)
    out = ship(folder, tmp_path / "champion", {"random": 4}, threads=1, seed=1, say=lambda line: None)
    assert "A policy over the game's own value, 16 wide" in (out / "README.md").read_text()


def test_a_run_goes_on_and_another_begins_from_it(tmp_path: Path) -> None:
    start, quiet = value(tmp_path / "value"), {**SMALL, "evaluations": 0}
    folder, said = tmp_path / "run", []  # type: tuple[Path, list[str]]
    config = TrainConfig(steps=4000, start=start, **{**quiet, "snapshot_steps": 1500, "self_share": 0.5})
    done = train(config, folder, say=said.append)
    assert len(list((folder / "pool").iterdir())) >= 2
    more = train(config.model_copy(update={"steps": 8000}), folder, resume=True, say=said.append)
    assert f"resumed at {done.steps:,} learner steps" in said and more.steps >= 8000
    begun = tmp_path / "begun"
    train(
        TrainConfig(steps=1, start=str(folder), **{**quiet, "learning_rate": 1e-12, "learning_rate_end": 1e-12}), begun
    )
    found, before = load_model(begun)[0], load_model(folder)[0]
    assert all(np.allclose(found[name], before[name], atol=1e-6) for name in before)
    # td goes on with the value alone.
    train(
        TrainConfig(game="toy-v0", algorithm="td", steps=1, envs=16, minibatch=64, evaluations=0, start=str(folder)),
        tmp_path / "td",
    )
    about = json.loads((tmp_path / "td" / "model.json").read_text())
    assert about["architecture"]["policy"] == 0
    agent = agents.load(tmp_path / "td", game_of("toy"))
    assert isinstance(agent, ValueAgent) and agent.policy is None


@pytest.mark.slow
def test_its_card_tells_how_the_value_was_made_too(tmp_path: Path) -> None:
    td = TrainConfig(game="toy-v0", algorithm="td", steps=1, envs=16, minibatch=64, evaluations=0, value_width=3)
    train(td, tmp_path / "value")
    train(TrainConfig(steps=1, start=str(tmp_path / "value"), **{**SMALL, "evaluations": 0}), tmp_path / "run")
    out = ship(tmp_path / "run", tmp_path / "champion", {"random": 4}, threads=1, seed=1, say=lambda line: None)
    card = (out / "README.md").read_text()
    first, second = card.index("--algorithm residual --start value"), card.index("--algorithm td")
    assert first < card.index("- **How the value under it was trained.** TD(lambda)") < second
    assert "A policy over it, 16 wide" in card and str(tmp_path) not in card + (out / "model.json").read_text()
    # The card of a policy that was trained further tells of both runs.
    train(TrainConfig(steps=1, start=str(tmp_path / "run"), **{**SMALL, "evaluations": 0}), tmp_path / "on")
    ship(tmp_path / "on", out, {"random": 4}, threads=1, seed=1, say=lambda line: None)
    card = (out / "README.md").read_text()
    titles = ("How it was trained.", "How it was trained before.", "How the value under it was trained.")
    algorithms = ("A policy over a value", "A policy over a value", "TD(lambda)")
    found = [card.index(f"- **{title}** {algorithm}") for title, algorithm in zip(titles, algorithms, strict=True)]
    assert found == sorted(found) and card.count("- **How") == 3 and str(tmp_path) not in card


def test_the_seed_decides(tmp_path: Path) -> None:
    start, models = value(tmp_path / "value"), []
    for number, seed in enumerate((1, 1, 2)):
        train(TrainConfig(steps=4000, seed=seed, start=start, **{**SMALL, "evaluations": 0}), tmp_path / str(number))
        models.append(load_model(tmp_path / str(number))[0])
    assert all((models[0][name] == models[1][name]).all() for name in models[0])
    assert any((models[0][name] != models[2][name]).any() for name in models[0])


def test_what_cannot_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match="imitation_games is 9: residual begins with the value"):
        TrainConfig(steps=1, imitation_games=9, **SMALL)
    monkeypatch.setitem(GAMES, "three-v0", "tests.table_of_three:GAME")
    with pytest.raises(OptionError, match="three-v0 defines no features .* nothing to learn from"):
        train(TrainConfig(steps=1, **{**SMALL, "game": "three-v0"}), tmp_path / "nothing")
    assert not (tmp_path / "nothing" / "config.json").exists()
    game = game_of("toy")
    info = ModelInfo.of(game, Architecture((4,), (4,), (4,)).fitted(game))
    shapes = info.architecture.shapes(info.observation_size, info.action_count)
    save_model(tmp_path / "network", {name: np.zeros(size, np.float32) for name, size in shapes.items()}, info)
    with pytest.raises(OptionError, match="is a network that chooses: train it by ppo or maskable_ppo, not by res"):
        train(TrainConfig(steps=1, start=str(tmp_path / "network"), **SMALL), tmp_path / "run")
    with pytest.raises(OptionError, match="is a learned value: train it by td or residual, not by ppo"):
        train(TrainConfig(game="toy-v0", steps=1, start=value(tmp_path / "value")), tmp_path / "other")
    policy = train(TrainConfig(steps=1, **{**SMALL, "evaluations": 0}), tmp_path / "policy").model
    for algorithm in ("ppo", "td"):
        with pytest.raises(OptionError, match="is a policy over the game's own value: train it by residual, not by"):
            train(TrainConfig(game="toy-v0", algorithm=algorithm, steps=1, start=str(policy)), tmp_path / algorithm)


def test_a_run_that_begins_from_another_is_as_sharp_as_it_is_told(tmp_path: Path) -> None:
    options = {**SMALL, "evaluations": 0}
    train(TrainConfig(steps=1, sharpness=5.0, **options), tmp_path / "one")
    train(TrainConfig(steps=1, sharpness=40.0, start=str(tmp_path / "one"), **options), tmp_path / "other")
    found = [load_model(tmp_path / name)[0][f"{POLICY}sharpness"].tolist() for name in ("one", "other")]
    assert found == [[5.0], [40.0]]


def test_what_is_told_of_the_actions_stays_with_its_decision() -> None:
    """Even in rollouts that carry over decisions which wait for their successors."""
    game = game_of("toy")

    def tells(states: Any, players: Any, masks: Any, rng: Any) -> Any:
        rows, actions = np.nonzero(masks)
        marks = np.stack(
            [
                game.observe(state, int(player)).sum(dtype=np.int64)
                for state, player in zip(states, players, strict=True)
            ]
        )
        return np.stack([marks[rows], actions], 1).astype(np.float32)

    rollouts = Rollouts(game, rollout_config(5), 16, seed=7, tells=tells)
    rollouts.deal([], np.full(16, SELF))
    seen = 0
    for _ in range(6):
        rollout = rollouts.collect(evaluate)  # type: ignore[arg-type]
        for observation, mask, features in zip(rollout.observations, rollout.masks, rollout.features, strict=True):
            assert features[:, 1].tolist() == np.flatnonzero(mask).tolist()
            assert (features[:, 0] == observation.sum(dtype=np.int64)).all()
            seen += 1
    assert seen > 400
    rollouts.close()


def test_a_sure_win_is_taken_for_one_by_the_net() -> None:
    """The expected result begins at what the value says: 1 for a sure winner, whatever the number of players."""
    import torch

    from react_env.training.algorithms.residual import PolicyNet

    shape = replace(ValueArchitecture.of(game_of("toy"), 3), policy=4)
    count = 2 * len(shape.features) + 2
    for players in (2, 4):
        net = PolicyNet(shape, np.ones(5), 1.0, players)
        features = torch.zeros(3, count)
        features[:, -1] = torch.tensor([0.0, np.log((1 - SURE) / SURE), np.log(SURE / (1 - SURE))])
        masks = torch.tensor([[True, True, False], [False, False, True]])
        logits, results = net(torch.zeros(2, 5, dtype=torch.int8), masks, features)
        np.testing.assert_allclose(results.detach(), [1.0, -1 / (players - 1)], atol=1e-3)
        assert logits[0, 1] == 0 and logits[0, 0] < -9 and not logits[~masks].any()
