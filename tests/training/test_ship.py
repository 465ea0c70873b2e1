"""A run becomes a champion: measured, with a card, found by its name."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import react_env
from react_env import agents
from react_env.agents.models.model import load_model
from react_env.agents.players import champion
from react_env.errors import ModelError, OptionError
from react_env.evaluation.matches.match import MatchResult, play_match
from react_env.registry import GAMES, describe
from react_env.training.config import TrainConfig
from react_env.training.runs import ship as ship_module
from react_env.training.runs.ship import carry_over, ship
from react_env.training.selfplay.run import train
from tests.agents.games import game_of
from tests.training.test_selfplay import SMALL


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run and the champion that it became; tests do not change them."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(GAMES, "toy-v0", "tests.toy:GAME")
        train(TrainConfig(steps=600, **SMALL), folder / "run")
        out = folder / "champions" / "toy-v0"
        ship(folder / "run", out, {"random": 20, "greedy": 10}, threads=1, seed=5, say=lambda line: None)
    return folder


@pytest.fixture
def shipped(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A champion of the toy game, in a folder of its own."""
    monkeypatch.setitem(GAMES, "toy-v0", "tests.toy:GAME")
    monkeypatch.setattr(champion, "FOLDER", tmp_path / "champions")
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path / "champions" / "toy-v0"


@pytest.mark.slow
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
    assert (shipped / "learning_curve.png").exists()
    assert str(shipped.parent) not in card + (shipped / "model.json").read_text()


def test_what_was_played_is_not_played_again(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = json.loads((shipped / "matches.json").read_text())["played"]
    said: list[str] = []
    ship(shipped.parents[1] / "run", None, {"random": 10, "greedy": 16}, threads=1, seed=5, say=said.append)
    after = json.loads((shipped / "matches.json").read_text())["played"]
    assert [line.partition(",")[0] for line in said] == ["greedy: 10 of 16 games", "greedy: 16 of 16 games"]
    assert after["random"] == before["random"] and after["greedy"]["total"]["games"] == 16
    for seat in range(2):
        was, now = before["greedy"]["seats"][seat], after["greedy"]["seats"][seat]
        assert was["games"] == 5 and now["games"] == 8
        assert all(now[result] - was[result] in range(4) for result in ("wins", "losses", "ties", "truncations"))
        assert now["decisions"] > was["decisions"]


def test_a_match_that_was_stopped_goes_on_with_its_next_block(
    shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was played before is kept, and each block is on deals of its own."""
    run = shipped.parents[1] / "run"
    monkeypatch.setattr("react_env.training.runs.ship.BLOCK", 4)
    (run / "matches.json").unlink()
    whole = ship(run, tmp_path / "whole", {"random": 20}, threads=1, seed=5, say=lambda line: None)
    (run / "matches.json").unlink()
    seeds: list[int] = []

    def play(*args: Any, seed: int, **options: Any) -> MatchResult:
        if len(seeds) == 2:
            seeds.append(seed)
            raise KeyboardInterrupt
        seeds.append(seed)
        return play_match(*args, seed=seed, **options)

    monkeypatch.setattr("react_env.training.runs.ship.play_match", play)
    with pytest.raises(KeyboardInterrupt):
        ship(run, tmp_path / "stopped", {"random": 20}, threads=1, seed=5, say=lambda line: None)
    assert json.loads((run / "matches.json").read_text())["played"]["random"]["total"]["games"] == 16
    assert len(set(seeds)) == 3 and not (tmp_path / "stopped").exists()
    monkeypatch.setattr("react_env.training.runs.ship.play_match", play_match)
    ship(run, tmp_path / "stopped", {"random": 20}, threads=1, seed=5, say=lambda line: None)
    results = [
        json.loads((folder / "matches.json").read_text())["played"]["random"]
        for folder in (whole, tmp_path / "stopped")
    ]
    assert results[0]["seats"] == results[1]["seats"]


def test_ctrl_c_says_how_to_go_on(
    shipped: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Past bug: a traceback."""

    def stopped(*_: Any, **__: Any) -> MatchResult:
        raise KeyboardInterrupt

    run = shipped.parents[1] / "run"
    monkeypatch.setattr("react_env.training.runs.ship.play_match", stopped)
    monkeypatch.setattr("sys.argv", ["ship", str(run), "--against", "random=1000"])
    with pytest.raises(SystemExit) as ended:
        ship_module.main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == f"interrupted: the same command continues with {run / 'matches.json'}\n"


def test_the_champion_before_stays_whole_until_all_is_played(
    shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Past bug: the matches of another run lay beside its weights from the first block on."""
    before = {path.name: path.read_bytes() for path in shipped.iterdir()}
    train(TrainConfig(steps=600, seed=8, **SMALL), tmp_path / "other")
    blocks: list[int] = []

    def play(*args: Any, **options: Any) -> MatchResult:
        blocks.append(args[3])
        if len(blocks) == 2:
            raise KeyboardInterrupt
        return play_match(*args, **options)

    monkeypatch.setattr("react_env.training.runs.ship.BLOCK", 4)
    monkeypatch.setattr("react_env.training.runs.ship.play_match", play)
    with pytest.raises(KeyboardInterrupt):
        ship(tmp_path / "other", None, {"random": 20}, threads=1, seed=5, say=lambda line: None)
    assert {path.name: path.read_bytes() for path in shipped.iterdir()} == before


def test_of_a_run_and_its_champion_the_one_with_more_games_counts(shipped: Path) -> None:
    ship(shipped, None, {"random": 30}, threads=1, seed=5, say=lambda line: None)
    said: list[str] = []
    ship(shipped.parents[1] / "run", None, {"random": 30}, threads=1, seed=5, say=said.append)
    assert said == []
    assert json.loads((shipped / "matches.json").read_text())["played"]["random"]["total"]["games"] == 30


def test_a_champion_can_be_measured_further_where_it_lies(shipped: Path) -> None:
    """The run in which it was trained may be gone."""
    card = (shipped / "README.md").read_text()
    said: list[str] = []
    ship(shipped, None, {"random": 20, "greedy": 12}, threads=1, seed=5, say=said.append)
    assert len(said) == 2 and said[0].startswith("greedy: 10 of 12 games")
    again = (shipped / "README.md").read_text()
    assert "| greedy | 12 |" in again and (shipped / "learning_curve.png").exists()
    curve = "## Learning curve"
    assert again.partition(curve)[2] == card.partition(curve)[2] != ""


def test_an_opponent_that_changed_is_played_anew(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = agents.fingerprint

    def fingerprint(spec: Any, game: Any) -> str:
        return "changed" if spec == "greedy" else known(spec, game)

    monkeypatch.setattr(agents, "fingerprint", fingerprint)
    said: list[str] = []
    ship(shipped.parents[1] / "run", None, {"random": 20, "greedy": 10}, threads=1, seed=5, say=said.append)
    assert [line.partition(",")[0] for line in said] == ["greedy: 0 of 10 games", "greedy: 10 of 10 games"]


def test_a_model_that_is_no_run_is_refused(shipped: Path, tmp_path: Path) -> None:
    about = json.loads((shipped / "model.json").read_text())
    (shipped / "model.json").write_text(json.dumps({**about, "training": {}}))
    with pytest.raises(OptionError, match="not the folder of a run"):
        ship(shipped, tmp_path / "out", {}, threads=1, seed=0)


def test_weights_are_carried_over_to_rules_that_have_changed(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = json.loads((shipped / "model.json").read_text())
    weights = (shipped / "model.safetensors").read_bytes()
    carry_over(shipped)
    assert json.loads((shipped / "model.json").read_text()) == old, "nothing has changed, so nothing is to be written"
    load = react_env.load

    def changed(name: str, **options: Any) -> Any:
        game = load(name, **options)
        game.rules_hash = "changed"
        return game

    monkeypatch.setattr(react_env, "load", changed)
    game = changed("toy-v0")
    with pytest.raises(ModelError, match="other rules"):
        agents.load("champion", game)
    carry_over(shipped)
    assert agents.load("champion", game).name == "champion"
    assert (shipped / "model.safetensors").read_bytes() == weights
    said: list[str] = []
    ship(shipped, None, {"random": 4}, threads=1, seed=5, say=said.append)
    assert said[0] == "random: 0 of 4 games", "what was played under the rules before does not count"
    assert (
        f"Carried over.** It learned under earlier rules, hash `{old['rules_hash']}`"
        in (shipped / "README.md").read_text()
    )


@pytest.mark.parametrize("card", sorted(champion.FOLDER.rglob("README.md")), ids=lambda card: card.parent.name)
def test_a_card_has_a_column_for_every_seat(card: Path) -> None:
    """Past bug: at a table of four only two seats had a name."""
    for table in card.read_text(encoding="utf-8").split("\n\n"):
        rows = [line.count("|") for line in table.splitlines() if line.startswith("|")]
        assert len({*rows}) <= 1


def test_a_champion_for_other_options_stays_where_it_is(shipped: Path) -> None:
    """Past bug: measured again, it took the place of the one for the usual options."""
    usual = (shipped / "README.md").read_bytes()
    variant = shipped / "variant"
    shutil.copytree(shipped, variant)
    assert ship(variant, None, {"random": 4}, threads=1, seed=6, say=lambda _: None) == variant
    assert (shipped / "README.md").read_bytes() == usual


def test_a_champion_takes_the_place_of_that_of_the_same_options_alone(
    shipped: Path, made: Path, tmp_path: Path
) -> None:
    """Past bug: the champion for two players took the place of the one for four."""
    usual = (shipped / "README.md").read_bytes()
    other = tmp_path / "other"
    shutil.copytree(made / "run", other)
    described = json.loads((other / "model.json").read_text())
    (other / "model.json").write_text(json.dumps({**described, "options": {"max_turns": 9}}))
    with pytest.raises(
        OptionError,
        match=r"champions for the options \{\"max_turns\": 30\}, not for \{\"max_turns\": 9\}: name the folder.*--out",
    ):
        ship(other, None, {"random": 4}, threads=1, seed=6, say=lambda _: None)
    assert (shipped / "README.md").read_bytes() == usual


@pytest.mark.parametrize(
    ("game_id", "looks"),
    [
        ("arts_of_war-v0", "It plans its turn to the end"),
        ("fight_sequence-v0", "It looks at one play at a time, as if nobody reacted"),
        ("react_fast-v0", "Each action is played on in many worlds"),
        ("reality_tcg-v0", "It plans its turn to the end"),
    ],
)
def test_a_card_says_how_a_champion_looks_ahead(game_id: str, looks: str) -> None:
    what = ship_module._what(load_model(champion.path(game_id))[1])
    searches = describe(game_id).champion
    assert looks in what and ("A tree search" in what) == bool(searches) and searches in what
    assert what in (champion.path(game_id).parent / "README.md").read_text(encoding="utf-8")
