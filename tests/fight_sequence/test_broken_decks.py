"""Deck files that nobody should have written: each is refused with a message that names file, line, card and field and what is allowed.

`broken/*.yaml` are such files; the first line of each says what the message must contain.
"""

from pathlib import Path

import pytest

import react_env
from react_env.errors import CardError, OptionError
from react_env.games.fight_sequence.deck_files import DECKS, DeckFile, load_deck
from react_env.games.fight_sequence.rules import RulesConfig
from tests.broken import (
    answers_to,
    assert_no_file_at_all_is_refused,
    assert_refused_as_expected,
    expected,
    no_texts,
    refusal,
    worst,
)

BROKEN = Path(__file__).parent / "broken"
FILES = sorted(BROKEN.glob("*.yaml"))
SOUND = (DECKS / "academy_default.yaml").read_text(encoding="utf-8")


def load(file: Path) -> DeckFile:
    """A deck by the standard rules."""
    return load_deck(file, RulesConfig())


def test_there_are_many() -> None:
    assert len(FILES) >= 80


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_broken_file_is_refused(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert_refused_as_expected(load, file, tmp_path)


def test_messages_tell_the_place() -> None:
    """The message about a mistake in a card names the line, the card and usually the field."""
    placed = [file for file in FILES if any(part.startswith("card ") for part in expected(file))]
    assert len(placed) >= 50
    for file in placed:
        assert any(part.startswith("line ") for part in expected(file)), file.name


NO_TEXTS = no_texts(SOUND, "Academy")


@pytest.mark.parametrize("case", NO_TEXTS)
def test_what_is_no_text(case: str, tmp_path: Path) -> None:
    data, fragment = NO_TEXTS[case]
    file = tmp_path / "odd.yaml"
    file.write_bytes(data)
    assert fragment in refusal(load, file)


WORST = worst(SOUND, "copies: 2", "id: ", "name: ") | {
    "many cards": ("cards: [" + "1, " * 9_000 + "1]", "has 9001 entries; allowed: at most 40"),
    "too many cards": ("cards: [" + "1, " * 60_000 + "1]", "too many values"),
    "large numbers": (SOUND.replace("copies: 2", "copies: 99999999999999999999"), "should be at most 40"),
}


def read(file: Path) -> DeckFile:
    """Load a deck in the process that reads the worst files."""
    return load(file)


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return answers_to(WORST, tmp_path_factory.mktemp("worst"), f"{__name__}:read")


@pytest.mark.parametrize("case", WORST)
def test_the_worst_files_are_refused_before_they_cost_much(case: str, answers: dict[str, str]) -> None:
    assert WORST[case][1] in answers[case]
    assert f"{case}.yaml: " in answers[case] and len(answers[case]) < 2000


def test_folders_links_and_pipes(tmp_path: Path) -> None:
    assert_no_file_at_all_is_refused(load, tmp_path)


def test_the_game_says_which_of_two_decks_is_broken() -> None:
    broken = BROKEN / "bonus_immediate.yaml"
    with pytest.raises(CardError, match="bonus_immediate.yaml: line 18, card 2 'Lunge', field 'effect.timing'"):
        react_env.load("fight_sequence-v0", decks=("academy_default", broken))


@pytest.mark.parametrize(
    ("decks", "fragment"),
    [
        ("academy_defualt", "did you mean 'academy_default'"),
        ("deck.json", "unknown deck 'deck.json'; known: academy_default, or the path of a .yaml file"),
        (("academy_default",), "a name or path, or two of them"),
        (("academy_default",) * 3, "a name or path, or two of them"),
        (7, "a name or path, or two of them"),
        ({"player_0": "academy_default"}, "a name or path, or two of them"),
        (("academy_default", None), "a name or path, or two of them"),
        ("~nobody_of_this_name/deck.yaml", "deck.yaml"),
    ],
)
def test_what_names_no_deck(decks: object, fragment: str) -> None:
    with pytest.raises(OptionError) as error:
        react_env.load("fight_sequence-v0", decks=decks)
    assert fragment in str(error.value)


@pytest.mark.parametrize("name", ["nowhere.yaml", "od\x1b[31m\u202ed.yaml", "n\0ul.yaml"])
def test_files_that_are_not_there(name: str, tmp_path: Path) -> None:
    with pytest.raises(CardError) as error:
        load(tmp_path / name)
    assert str(error.value).isprintable()
