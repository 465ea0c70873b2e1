"""The study of what decides the game: the same deals with and without a change, counted correctly, and saved to a file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import react_env
from react_env import agents
from react_env.cli import app
from react_env.engine.batch import seed_words
from react_env.errors import OptionError
from react_env.evaluation.matches.playing import Playing, Trusted
from react_env.games.react_fast import state as S
from react_env.games.react_fast.balance.study import CARD, EVEN, SPEED, Question, Settings, Study

FORBIDDEN = "Jewelry #2"


def new_study() -> Study:
    """A study of two scales and one card, so that few games are played."""
    found = Study(Settings(deals=12, players=(2,), scales=(1.0, 0.4)))
    found.questions = [question for question in found.questions if question.card in ("", FORBIDDEN)]
    return found


@pytest.fixture(scope="module")
def study() -> Study:
    found = new_study()
    list(found.play())
    return found


@pytest.mark.slow
def test_the_same_speed_is_worth_nothing_and_a_quick_hand_a_lot(study: Study) -> None:
    """A change that changes nothing leaves every game as it was; twelve deals are still too few to prove that there is no difference."""
    effects = study.effects(SPEED)
    same, quick = (effects[Question(SPEED, 2, scale=scale)] for scale in (1.0, 0.4))
    assert same.mean == 0.0 and same.high == -same.low < 0.2 and not same.sure
    assert quick.mean > 0.2 and quick.sure
    assert study.answers[Question(SPEED, 2, scale=1.0)].won == study.answers[Question(EVEN, 2)].won


def test_counts(study: Study) -> None:
    even = study.answers[Question(EVEN, 2)]
    assert even.games == 12 == sum(even.ways.values()) == sum(even.out.values())
    assert sum(even.turns) == sum(even.seats) == sum(even.won)
    quick = study.answers[Question(SPEED, 2, scale=0.4)]
    assert quick.games == 24 and sum(quick.won) == sum(quick.seats)
    assert all(wins <= games for games, wins in even.activated.values())
    assert sum(games for games, _ in even.activated.values()) > 20


def test_a_forbidden_card_is_not_activated_by_that_player(study: Study) -> None:
    """RF-V1 and its option `forbidden`: only the other of two players may activate the card."""
    answer = study.answers[Question(CARD, 2, card=FORBIDDEN)]
    game = react_env.load("react_fast-v0", players=2, forbidden=((FORBIDDEN,), ()))
    assert answer.activated[FORBIDDEN][0] <= answer.games
    for seed in range(40):
        state = game.new(seed=seed)
        while not state["over"]:
            legal = {game.action_names[action] for action in game.legal_actions(state)}
            assert not (state["to_play"] == 0 and FORBIDDEN in legal)
            game.step(state, int(game.legal_actions(state)[-1]))


def test_length_is_that_of_the_games(study: Study) -> None:
    game = react_env.load("react_fast-v0", players=2)
    seats = dict.fromkeys((0, 1), Trusted(agents.load("scripted", game)))
    rngs = {player: np.random.default_rng((0, player)) for player in seats}
    placed = []
    with Playing(game, seats, rngs, 12, keep_states=True) as playing:
        playing.begin(np.arange(12), seed_words(0, 12), np.tile([0, 1], (12, 1)))
        for step in playing.steps():
            assert step.before is not None
            for k in step.over.nonzero()[0]:
                last = game.copy(step.before[k])
                game.step(last, int(step.actions[k]))
                placed.append(int(last["placed"]))
    placed.sort()
    median = (placed[5] + placed[6]) / 2
    assert study.answers[Question(EVEN, 2)].placements[1] == median


@pytest.mark.slow
def test_a_stopped_study_goes_on(study: Study, tmp_path: Path) -> None:
    file = tmp_path / "study.json"
    first = new_study()
    for number, _ in enumerate(first.play()):
        if number == 2:
            break
    file.write_text(json.dumps(first.to_json()))
    second = new_study()
    assert second.resume(file) == 3
    list(second.play())
    assert second.answers == study.answers and second.complete
    with pytest.raises(OptionError, match="other rules or settings .*--deals 12"):
        Study(Settings(deals=13, players=(2,), scales=(0.4,))).resume(file)
    file.write_text("{}")
    with pytest.raises(OptionError, match="no study of react-env balance"):
        second.resume(file)


def test_answers_with_another_profile_are_not_taken(tmp_path: Path) -> None:
    """An answer is not reused if the file of its profile has changed since."""
    profile, file = tmp_path / "mine.yaml", tmp_path / "study.json"
    profile.write_text("mu: 300\n")
    study = Study(settings := Settings(deals=2, players=(2,), scales=(0.5,), profile=str(profile)))
    next(study.play())
    file.write_text(json.dumps(study.to_json()))
    assert Study(settings).resume(file) == 1
    profile.write_text("mu: 200\n")
    with pytest.raises(OptionError, match="a profile that said something else"):
        Study(settings).resume(file)


def test_the_command_writes_a_page_with_every_figure(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    words = ["balance", "react_fast-v0", "--deals", "2", "--players", "2", "--scales", "0.5", "--markdown", str(file)]
    result = CliRunner().invoke(app, [*words, "--file", str(tmp_path / "study.json")], env={"COLUMNS": "120"})
    assert result.exit_code == 0, result.output
    assert "one player of another speed" in result.output
    assert "95th percentile" in result.output and re.search(r"to [\d.]+; *$", result.output, re.MULTILINE)
    page = file.read_text()
    assert "--deals 2 --seed 0 --players 2 --scales 0.5`" in page and "(page.svg)" in page and "| 2 | 2 |" in page
    assert all(f"| {card} |" in page for card in S.TRAVELING_NAMES)
    assert file.with_suffix(".svg").read_text().startswith("<?xml")
    assert json.loads((tmp_path / "study.json").read_text())["complete"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--players", "9"), "less than or equal to 8"),
        (("--players", "2.5"), "expected whole numbers above 0"),
        (("--players", "inf"), "expected whole numbers above 0"),
        (("--scales", "inf"), "expected numbers above 0"),
        (("--players", "2,2"), "list each value once"),
        (("--scales", "nan"), "expected numbers above 0"),
        (("--scales", "x"), "expected numbers above 0"),
        (("--profile", "sleepy"), "neither a file nor one of"),
        (("--agent", "nobody", "--players", "2"), "no agent is called 'nobody'"),
    ],
)
def test_what_cannot_be_studied(words: tuple[str, ...], message: str) -> None:
    result = CliRunner().invoke(app, ["balance", "react_fast-v0", *words], env={"COLUMNS": "200"})
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([["Jewelry #4"]], "'Jewelry #4' is not a traveling card"),
        ([[], [], [], [], []], "5 lists of cards for 4 players"),
        ("Jewelry #2", "should be a valid tuple"),
    ],
)
def test_forbidden_cards_that_cannot_be(given: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        react_env.load("react_fast-v0", forbidden=given)
