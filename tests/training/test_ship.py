"""A run becomes a champion: measured, with a card, found by its name."""

import json
from pathlib import Path

import pytest

import agents
from agents import champion
from react_env.errors import ModelError, OptionError
from react_env.games import PACKAGES
from tests.agents.games import game_of
from tests.training.test_selfplay import SMALL
from training.config import TrainConfig
from training.selfplay import train
from training.ship import ship


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A champion of the toy game, in a folder of its own."""
    monkeypatch.setitem(PACKAGES, "toy-v0", "tests.toy")
    monkeypatch.setattr(champion, "FOLDER", tmp_path / "champions")
    train(TrainConfig(steps=600, **{**SMALL, "advice": "greedy"}), tmp_path / "run")
    return ship(tmp_path / "run", None, {"random": 20, "greedy": 10}, threads=1, seed=5, say=lambda line: None)


def test_it_is_found_by_its_name_and_refused_under_other_rules(shipped: Path) -> None:
    game = game_of("toy")
    assert champion.games() == ("toy-v0",)
    agent = agents.load("champion", game)
    assert agent.name == "champion"
    assert agents.load("champion:sample", game).name == "champion:sample"
    assert agents.fingerprint("champion", game) != agents.fingerprint("champion:sample", game)
    with pytest.raises(ModelError, match="train one for these"):
        agents.load("champion", game_of("toy, mixed"))
    with pytest.warns(UserWarning, match="other rules"):
        assert agents.load("champion", game_of("toy, mixed"), on_mismatch="warn").name == "champion"
    with pytest.raises(OptionError, match="fight_sequence-v0 has no champion; there is one for: toy-v0"):
        agents.load("champion", game_of("fight_sequence-v0"))
    with pytest.raises(OptionError, match="champion:7"):
        agents.load("champion:7", game)


def test_its_card_tells_what_was_played(shipped: Path) -> None:
    card = (shipped / "README.md").read_text()
    played = json.loads((shipped / "matches.json").read_text())["played"]
    for name, games in (("random", 20), ("greedy", 10)):
        total = played[name]["total"]
        assert total["games"] == games
        assert f"| {name} | {games} | {100 * total['wins'] / games:.1f} %" in card
    assert "react-env train" in card and game_of("toy").rules_hash in card and "learning_curve.png" in card
    assert str(shipped.parent) not in card + (shipped / "model.json").read_text()


def test_what_was_played_is_not_played_again(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    ship(shipped.parents[1] / "run", None, {"random": 20, "greedy": 12}, threads=1, seed=5, say=said.append)
    assert said == ["12 games against greedy ..."]


def test_a_model_that_is_no_run_is_refused(shipped: Path, tmp_path: Path) -> None:
    about = json.loads((shipped / "model.json").read_text())
    (shipped / "model.json").write_text(json.dumps({**about, "training": {}}))
    with pytest.raises(OptionError, match="not the folder of a run"):
        ship(shipped, tmp_path / "out", {}, threads=1, seed=0)
