"""The options of a run: each has a sentence, impossible ones are refused."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from react_env.errors import OptionError
from react_env.files import write_json
from react_env.training.config import TrainConfig


def test_an_option_of_the_game_has_its_place() -> None:
    with pytest.raises(OptionError, match=r"unknown option 'artists'.*options of the game stand in options="):
        TrainConfig(steps=1, artists="random")


def test_every_option_has_a_sentence() -> None:
    for name, (_, sentence) in TrainConfig.describe().items():
        assert sentence.endswith("."), name


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"steps": -1},
        {"minutes": 1, "envs": 0},
        {"minutes": 1, "opponents": {"greedy": 0.9, "random": 0.2}},
        {"minutes": 1, "self_share": 1.1},
        {"minutes": 1, "evaluation_games": 0},
        {"minutes": 1, "envs": 2, "rollout": 2},
        {"minutes": 1, "activation": "gelu"},
        {"minutes": 1, "algorithm": "dqn"},
        {"minutes": 1, "gamma": 2},
        {"minutes": 1, "clip": -1},
        {"minutes": 1, "max_grad_norm": 0},
        {"minutes": 1, "seed": -3},
        {"minutes": 1, "threads": -1},
        {"minutes": 1, "algorithm": "maskable_ppo", "magnet": 0.1},
        {"minutes": 1, "algorithm": "td", "value_width": 10**6},
        {"minutes": 1, "algorithm": "residual", "policy_width": 10**6},
        {"minutes": 1, "trunk": (10**6,)},
    ],
)
def test_impossible_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        TrainConfig(**options)


def test_all_processors_are_used_and_the_run_says_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("react_env.training.config.processors", lambda: 12)
    assert TrainConfig(steps=1).threads == TrainConfig(steps=1, threads=0).to_json()["threads"] == 12
    assert TrainConfig(steps=1, threads=3).threads == 3


def test_there_and_back(tmp_path: Path) -> None:
    config = TrainConfig(minutes=2, trunk=(32, 16), options={"max_turns": 9})
    file = tmp_path / "config.json"
    file.write_text(json.dumps(config.to_json()))
    assert TrainConfig.read(file) == config


def test_a_file_is_read_as_it_was_written_whatever_the_locale(tmp_path: Path) -> None:
    options = {"minutes": 1.0, "opponents": {"müller.py:Agent": 0.25}}
    write_json(file := tmp_path / "config.json", options)
    code = (
        "from pathlib import Path; from react_env.files import read_json; from react_env.training.config import read_options;"
        f"file = Path({str(file)!r}); assert read_json(file) == read_options(file) == {options!a}"
    )
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}  # in which text is ASCII
    subprocess.run([sys.executable, "-c", code], env=os.environ | locale, check=True)


def test_a_file_may_be_yaml(tmp_path: Path) -> None:
    file = tmp_path / "run.yaml"
    file.write_text(
        "minutes: 3\nlearning_rate: 1e-4\ntrunk: [64, 32]\nopponents: {greedy: 0.25, mcts:64: 0.05}\nbaselines: [greedy]\n"
    )
    config = TrainConfig.read(file)
    assert (
        config.minutes == 3
        and config.learning_rate == 1e-4
        and config.trunk == (64, 32)
        and config.baselines == ("greedy",)
    )
    assert config.opponents == {"greedy": 0.25, "mcts:64": 0.05}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"stepz": 3}',
        "envs: many",
        "envs: true",
        "minutes: [1]",
        "trunk: [a]",
        "baselines: [1]",
        "opponents: {greedy: much}",
        "opponents: greedy",
        "!!python/object/apply:os.system ['true']",
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "config.json"
    file.write_text(text)
    with pytest.raises(OptionError, match=r"config\.json"):
        TrainConfig.read(file)
    with pytest.raises(OptionError, match="no such file"):
        TrainConfig.read(tmp_path / "other.json")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        (
            "run.yaml",
            "minutes: 1\nenvs: &a [1]\noptions: {artists: *a}",
            "line 3: not valid YAML: aliases are not allowed",
        ),
        ("run.yaml", "options: &x {artists: [*x]}", "line 1: .*aliases are not allowed"),
        ("run.yaml", "minutes: 1\n\tenvs: 3", "line 2: not valid YAML: a tab"),
        ("run.yaml", "minutes: 1\nminutes: 2", "line 2: .*'minutes' is given twice"),
        ("config.json", "[" * 100_000, "cannot be read"),
    ],
)
def test_where_a_file_is_wrong_is_told(tmp_path: Path, name: str, text: str, told: str) -> None:
    """Past bug: an option that held itself was a RecursionError, and what was wrong with a line was not said."""
    (file := tmp_path / name).write_text(text)
    with pytest.raises(OptionError, match=rf"{name}: {told}"):
        TrainConfig.read(file)


def test_how_an_agent_is_evaluated_may_be_a_number() -> None:
    """`-o evaluated_as=1` arrives as a number."""
    assert TrainConfig(minutes=1, evaluated_as=1).evaluated_as == "1"
    with pytest.raises(OptionError, match="evaluated_as"):
        TrainConfig(minutes=1, evaluated_as=[1])
