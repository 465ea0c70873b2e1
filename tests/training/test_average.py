"""The average of learned values, and values with fewer hidden numbers."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from react_env import agents
from react_env.agents.models.model import Architecture, ModelInfo, load_model, save_model
from react_env.agents.players import champion
from react_env.errors import OptionError
from react_env.registry import GAMES
from react_env.training.config import TrainConfig
from react_env.training.runs import average as command
from react_env.training.runs.average import average
from react_env.training.runs.prune import prune
from react_env.training.runs.ship import ship
from react_env.training.selfplay.run import train
from tests.agents.games import game_of, positions
from tests.agents.test_learned_value import model
from tests.agents.test_value_policy import with_policy
from tests.training.test_td import SMALL


def judged(game: Any, weights: Any, info: Any) -> Any:
    """What a value says of some positions, in logits."""
    from react_env.agents.players.learned_value import UNIT, learned, new_params

    params, value_of = new_params(weights, info.architecture, game), learned(game)
    states, players = positions(game, 40, seed=3)
    rows = [i for i in range(len(states)) if not states[i]["over"]]
    return np.array([value_of(states[i], game.tables[states[i]["table"]], players[i], params) / UNIT for i in rows])


@pytest.mark.parametrize("name", ["toy, mixed", "arts_of_war-v0, mixed"])
def test_its_logits_are_the_mean(name: str) -> None:
    game = game_of(name)
    models = [model(game, seed=seed) for seed in (1, 2, 3)]
    weights, info = average(models)
    expected = np.mean([judged(game, *one) for one in models], 0)
    np.testing.assert_allclose(judged(game, weights, info), expected, rtol=1e-3, atol=1e-3)
    assert expected.std() > 0.05
    assert info.architecture.width == sum(about.architecture.width for _, about in models)  # type: ignore[union-attr]


def test_an_average_of_an_average_counts_every_run() -> None:
    game = game_of("toy")
    models = [
        (weights, replace(info, training={"learner_steps": n, "seconds": 1.5}))
        for n in (3, 4, 5)
        for weights, info in [model(game)]
    ]
    both = average([average(models[:2]), models[2]])[1].training
    assert both["members"] == [{"learner_steps": n, "seconds": 1.5} for n in (3, 4, 5)]
    assert (both["learner_steps"], both["seconds"]) == (12, 4.5)


def test_a_policy_over_a_value_is_left_out() -> None:
    """And so are the minutes in which it was learned: a card tells how the values were trained."""
    game = game_of("toy")
    weights, info = with_policy(game)
    shape: Any = info.architecture
    info = replace(info, training={"learner_steps": 7, "seconds": 9.0, "over": {"learner_steps": 3, "seconds": 1.5}})
    found, about = average([(weights, info), (weights, info)])
    assert about.architecture == replace(shape, policy=0, width=2 * shape.width)
    assert set(found) == set(about.architecture.shapes(info.observation_size, info.action_count))
    assert about.training == {"learner_steps": 6, "seconds": 3.0, "members": [{"learner_steps": 3, "seconds": 1.5}] * 2}
    np.testing.assert_allclose(judged(game, found, about), judged(game, *model(game)), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("name", ["toy, mixed", "react_fast-v0"])
def test_what_can_be_said_with_fewer_hidden_numbers_stays(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The average of a value with itself has each number twice, and one that is never above zero says nothing."""
    monkeypatch.setitem(GAMES, "toy-v0", "tests.toy:GAME")
    game = game_of(name)
    weights, info = model(game)
    shape: Any = info.architecture
    weights["bias"][0] = -1e3
    double, about = average([(weights, info), (weights, info)])
    over: list[int] = []
    found, narrow, change = prune(double, about, 4, games=40, seed=1, tick=over.append)
    assert over[0] == 0 and max(over) < 40 and found["own"].shape[2] == found["out"].size == 4
    assert narrow.architecture == replace(shape, width=4) and change < 1e-4
    assert narrow.training["pruned"] == {"width": 10, "games": 40, "seed": 1}
    np.testing.assert_allclose(judged(game, found, narrow), judged(game, weights, info), atol=1e-2)
    fewer, smaller, change = prune(double, about, 2, games=40, seed=1)
    said, told = judged(game, fewer, smaller), judged(game, weights, info)
    assert change > 1e-4 and np.corrcoef(said, told)[0, 1] > 0.9
    silent = {name: np.zeros_like(part) for name, part in double.items()}
    assert prune(silent, about, 3, games=4)[0]["out"].size == 3
    for wrong in (0, 11):
        with pytest.raises(OptionError, match=f"a width of {wrong}: this value can keep 1 to 10"):
            prune(double, about, wrong)


def test_what_has_no_average_is_refused() -> None:
    game = game_of("toy")
    one = model(game)
    network = {}, ModelInfo.of(game, Architecture((4,), (4,), (4,), "relu"))
    for models, message in (
        ([one], "two values or more, not 1"),
        ([one, network], "only learned values"),
        ([one, model(game_of("toy, mixed"))], "differ in options"),
        (
            [one, (one[0], replace(one[1], architecture=replace(one[1].architecture, roles=("a", "b"))))],
            "features or roles",
        ),
    ):
        with pytest.raises(OptionError, match=message):
            average(models)  # type: ignore[arg-type]


def test_the_command_makes_what_can_be_shipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, pictures: None
) -> None:
    monkeypatch.setitem(GAMES, "toy-v0", "tests.toy:GAME")
    monkeypatch.setattr(champion, "FOLDER", tmp_path / "champions")
    runs = [str(tmp_path / f"run{seed}") for seed in (0, 1, 2)]
    for seed, run in enumerate(runs):
        train(TrainConfig(steps=2000, seed=seed, **{**SMALL, "evaluations": int(seed == 0)}), Path(run))
    both = tmp_path / "both"
    monkeypatch.setattr("sys.argv", ["average", str(both), *runs])
    command.main()
    assert capsys.readouterr().out.startswith(f"{both}: the average of")
    with pytest.raises(SystemExit):
        command.main()
    assert "is there already" in capsys.readouterr().err
    assert load_model(both)[1].architecture.width == 12  # type: ignore[union-attr]
    out = ship(both, None, {"random": 10}, threads=1, seed=5, say=lambda line: None)
    card = (out / "README.md").read_text()
    assert "the average of 3 runs" in card and card.count("**The command.**") == 2 and " With `--seed 2`: 2," in card
    assert (
        "Of the first of these runs" in card
        and (out / "learning_curve.png").exists()
        and str(tmp_path) not in (out / "model.json").read_text()
    )
    assert agents.load("champion", game_of("toy")).name == "champion"
    narrow = [str(tmp_path / "again"), *reversed(runs), "--width", "5", "--games", "20"]
    monkeypatch.setattr("sys.argv", ["average", *narrow])
    command.main()
    said = capsys.readouterr().out
    assert " of 20 games are over" in said and "5 hidden units: a chance to win changes by 0." in said
    assert load_model(tmp_path / "again")[1].architecture.width == 5  # type: ignore[union-attr]
    out = ship(tmp_path / "again", None, {"random": 10}, threads=1, seed=5, say=lambda line: None)
    card = (out / "README.md").read_text()
    assert "; of its 12 hidden units those are kept that matter" in card
    assert "Learning curve" not in card and not (out / "learning_curve.png").exists()
    assert json.loads((out / "matches.json").read_text())["played"]["random"]["total"]["games"] == 10


def test_a_folder_without_a_model_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    save_model(tmp_path / "one", *model(game_of("toy")))
    monkeypatch.setattr("sys.argv", ["average", str(tmp_path / "out"), str(tmp_path / "one"), str(tmp_path / "two")])
    with pytest.raises(SystemExit):
        command.main()
    assert "two" in capsys.readouterr().err and not (tmp_path / "out").exists()
