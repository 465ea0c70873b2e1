"""Card files that nobody should have written: each is refused with a message that names the file and says what is wrong.

`broken/*.yaml` are such files; the first line of each says what the message must contain. What is too large or too odd to lie in the
repository is made here.
"""

import json
import os
from functools import cache
from pathlib import Path

import jsonschema
import pytest
import yaml
from pydantic import ValidationError

from react_env.content.files import DEEPEST, parse, read_text
from react_env.errors import CardError
from react_env.games.arts_of_war.card_files import ARTISTS
from react_env.games.arts_of_war.cards import artists, load_artist, parse_artist
from react_env.games.arts_of_war.cards.schema import Artist
from react_env.games.arts_of_war.rules import EDITIONS
from tests.broken import (
    answers_to,
    assert_no_file_at_all_is_refused,
    assert_refused_as_expected,
    no_texts,
    refusal,
    worst,
)

BROKEN = Path(__file__).parent / "broken"
FILES = sorted(BROKEN.glob("*.yaml"))
SOUND = (EDITIONS / "standard" / "dancer.yaml").read_text(encoding="utf-8")


def test_there_are_many() -> None:
    assert len(FILES) >= 45


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_broken_file_is_refused(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert_refused_as_expected(load_artist, file, tmp_path)


# ------------------------------------------------------------------------------------------------------------ bytes and sizes


NO_TEXTS = no_texts(SOUND, "Dancer")


@pytest.mark.parametrize("case", NO_TEXTS)
def test_what_is_no_text(case: str, tmp_path: Path) -> None:
    data, fragment = NO_TEXTS[case]
    file = tmp_path / "odd.yaml"
    file.write_bytes(data)
    assert fragment in refusal(load_artist, file)


def test_a_byte_order_mark_is_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "marked.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + SOUND.encode())
    assert load_artist(file) == load_artist("dancer") == parse_artist("\ufeff" + SOUND)


def test_line_ends_of_other_systems_are_no_harm() -> None:
    assert parse_artist(SOUND.replace("\n", "\r\n")) == load_artist("dancer")


WORST = worst(SOUND, "pool: 12", "id: ", "name: ") | {
    "many cards": ("actions: [" + "1, " * 9_000 + "1]", "and 9001 more"),
    "too many cards": ("abilities: [" + "1, " * 60_000 + "1]", "too many values"),
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return answers_to(WORST, tmp_path_factory.mktemp("worst"), "react_env.games.arts_of_war.cards.reader:read_artist")


@pytest.mark.parametrize("case", WORST)
def test_the_worst_files_are_refused_before_they_cost_much(case: str, answers: dict[str, str]) -> None:
    assert WORST[case][1] in answers[case]
    assert f"{case}.yaml: " in answers[case] and len(answers[case]) < 2000


def test_how_deep_is_too_deep() -> None:
    lists = "[" * (DEEPEST - 1) + "]" * (DEEPEST - 1)  # one less, because the mapping around them counts
    parse(f"a: {lists}", "deep.yaml", "a file", [])
    with pytest.raises(CardError, match="deep.yaml: line 1: not valid YAML: nested too deeply; allowed: 64"):
        parse(f"a: [{lists}]", "deep.yaml", "a file", [])


# --------------------------------------------------------------------------------------------------- what is not even a file


def test_folders_links_and_pipes(tmp_path: Path) -> None:
    assert_no_file_at_all_is_refused(load_artist, tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    file = tmp_path / "secret.yaml"
    file.write_text(SOUND, encoding="utf-8")
    file.chmod(0)
    assert "cannot be read" in refusal(load_artist, file)


def test_odd_file_names_are_shown_safely(tmp_path: Path) -> None:
    file = tmp_path / "od\x1b[31m\u202ed.yaml"
    file.write_text("", encoding="utf-8")
    with pytest.raises(CardError) as error:
        load_artist(file)
    assert "\\x1b[31m\\u202ed.yaml: nothing in it" in str(error.value) and "\x1b" not in str(error.value)


# ------------------------------------------------------------------------------------------------------------ the JSON schema


def data_of(file: Path) -> object:
    """What a file holds, to a reader that knows nothing of artists."""
    return json.loads(json.dumps(yaml.safe_load(file.read_text(encoding="utf-8"))))


@cache
def schema() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(ARTISTS.json_schema())


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(ARTISTS.json_schema())


@pytest.mark.parametrize("name", artists())
def test_the_schema_takes_every_installed_artist(name: str) -> None:
    schema().validate(data_of(EDITIONS / "standard" / f"{name}.yaml"))


# What the schema does not check: invisible characters, and spaces, which the reader refuses before it looks at the fields.
def of_another_shape(file: Path) -> bool:
    """Whether a broken file is valid YAML but does not have the shape of an artist file."""
    try:
        document = parse(read_text(file), file.name, "an artist file", [])
    except CardError:
        return False
    try:
        Artist.model_validate(document.data)
    except ValidationError:
        return True
    return False


def test_the_schema_refuses_files_of_another_shape() -> None:
    files = [file for file in FILES if of_another_shape(file)]
    assert len(files) >= 35
    assert [file.stem for file in files if schema().is_valid(data_of(file))] == []
