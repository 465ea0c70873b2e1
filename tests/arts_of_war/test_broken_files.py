"""Card files that nobody should have written: each is refused with a message that names the file and says what is wrong.

`broken/*.yaml` are such files; the first line of each says what the message must contain. What is too large or too odd to lie in the
repository is made here.
"""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml
from pydantic import ValidationError

from react_env.errors import CardError
from react_env.games.arts_of_war.cards import artists, load_artist, parse_artist
from react_env.games.arts_of_war.cards.json_schema import json_schema
from react_env.games.arts_of_war.cards.schema import Artist
from react_env.games.arts_of_war.rules import EDITIONS
from react_env.games.files import DEEPEST, parse, read_text

BROKEN = Path(__file__).parent / "broken"
FILES = sorted(BROKEN.glob("*.yaml"))
SOUND = (EDITIONS / "standard" / "dancer.yaml").read_text(encoding="utf-8")


def expected(file: Path) -> list[str]:
    first = file.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("# expect: "), file.name
    return first.removeprefix("# expect: ").split(" | ")


def refusal(file: Path) -> str:
    """The message with which a file is refused, which names the file in each line."""
    with pytest.raises(CardError) as error:
        load_artist(file)
    message = str(error.value)
    assert all(line.startswith(f"{file}: ") for line in message.splitlines())
    assert message.isprintable() or "\n" in message
    return message


def test_there_are_many() -> None:
    assert len(FILES) >= 45


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_broken_file_is_refused(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    message = refusal(file)
    for fragment in expected(file):
        assert fragment in message, f"{fragment!r} is not in {message!r}"
    assert len(message) < 1000
    assert not list(tmp_path.iterdir())  # nothing of it was executed


# ------------------------------------------------------------------------------------------------------------ bytes and sizes


@pytest.mark.parametrize(
    ("data", "fragment"),
    [
        (SOUND.encode("utf-16"), "not a text in UTF-8 but in UTF-16"),
        (SOUND.encode("utf-16-le"), "U+0000"),
        (SOUND.replace("Dancer", "Dänzer").encode("latin-1"), "not a text in UTF-8"),
        (SOUND.replace("Dancer", "Dan\0cer").encode(), "U+0000"),
        (b"\xff\xfe\x00", "not a text in UTF-8"),
        (b"\x1f\x8b\x08" + bytes(range(256)), "not a text in UTF-8"),
        (b"#" * 10_000_000, "larger than 200000 bytes"),
    ],
    ids=["utf-16", "utf-16 without a mark", "latin-1", "nul", "mark alone", "compressed", "10 MB"],
)
def test_what_is_no_text(data: bytes, fragment: str, tmp_path: Path) -> None:
    file = tmp_path / "odd.yaml"
    file.write_bytes(data)
    assert fragment in refusal(file)


def test_a_byte_order_mark_is_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "marked.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + SOUND.encode())
    assert load_artist(file) == load_artist("dancer") == parse_artist("\ufeff" + SOUND)


def test_line_ends_of_other_systems_are_no_harm() -> None:
    assert parse_artist(SOUND.replace("\n", "\r\n")) == load_artist("dancer")


WORST = {
    "lists in lists": ("format: " + "[" * 10_000, "nested too deeply"),
    "mappings in mappings": ("format: " + "{a: " * 10_000, "nested too deeply"),
    "dashes": ("- " * 10_000, "nested too deeply"),
    "question marks": ("? " * 10_000, "nested too deeply"),
    "indents": ("\n".join(" " * n + "a:" for n in range(600)), "nested too deeply"),
    "a long number": (SOUND.replace("pool: 12", "pool: " + "1" * 100_000), "a number of 100000 characters"),
    "a long hexadecimal number": (SOUND.replace("pool: 12", "pool: 0x" + "f" * 100_000), "plain decimal digits"),
    "a long number of minutes": (SOUND.replace("pool: 12", "pool: 1" + ":59" * 50_000), "plain decimal digits"),
    "a long fraction": (SOUND.replace("pool: 12", "pool: 1." + "1" * 100_000), "a number of 100002 characters"),
    "a long exponent": (SOUND.replace("pool: 12", "pool: 1e999999999"), "found inf"),
    "a long word": (SOUND.replace("id: dancer\n", "id: " + "a" * 150_000 + "!\n", 1), "found 'aaa"),
    "a long name": (SOUND.replace("name: Dancer\n", "name: " + "a " * 70_000 + "b\n", 1), "at most 40 characters"),
    "many fields": ("".join(f"a{n}: 1\n" for n in range(4_000)), "'a4' and 3995 more"),
    "too many fields": ("".join(f"a{n}: 1\n" for n in range(15_000)), "too many values"),
    "many cards": ("actions: [" + "1, " * 9_000 + "1]", "and 9001 more"),
    "too many cards": ("abilities: [" + "1, " * 60_000 + "1]", "too many values"),
    "many escapes": ('name: "' + r"\u0041" * 30_000 + '"', "field 'format' is missing"),
    "many aliases": (
        "a0: &a0 x\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 500)),
        "aliases are not allowed",
    ),
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The answer to each of `WORST`, from a process of its own that is ended when it takes far too long or too much memory."""
    folder = tmp_path_factory.mktemp("worst")
    for case, (text, _) in WORST.items():
        (folder / f"{case}.yaml").write_text(text, encoding="utf-8")
    program = (
        "import json, resource, sys\n"
        "from pathlib import Path\n"
        "from react_env.errors import CardError\n"
        "from react_env.games.arts_of_war.cards.reader import read_artist\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (1 << 31, 1 << 31))\n"
        "for file in sorted(Path(sys.argv[1]).iterdir()):\n"
        "    try: read_artist(file)\n"
        "    except CardError as error: print(json.dumps([file.stem, str(error)]), flush=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, folder], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-1000:]
    return dict(json.loads(line) for line in done.stdout.splitlines())


@pytest.mark.parametrize("case", WORST)
def test_the_worst_files_are_refused_before_they_cost_much(case: str, answers: dict[str, str]) -> None:
    assert WORST[case][1] in answers[case]
    assert f"{case}.yaml: " in answers[case] and len(answers[case]) < 2000


def test_how_deep_is_too_deep() -> None:
    lists = "[" * (DEEPEST - 1) + "]" * (DEEPEST - 1)  # and the mapping around them
    parse(f"a: {lists}", "deep.yaml", "a file", [])
    with pytest.raises(CardError, match="deep.yaml: line 1: not valid YAML: nested too deeply; allowed: 64"):
        parse(f"a: [{lists}]", "deep.yaml", "a file", [])


# --------------------------------------------------------------------------------------------------- what is not even a file


def test_folders_links_and_pipes(tmp_path: Path) -> None:
    """Neither waited for nor followed into nothing."""
    folder = tmp_path / "folder.yaml"
    folder.mkdir()
    assert "a folder, not a card file" in refusal(folder)
    link = tmp_path / "link.yaml"
    link.symlink_to(tmp_path / "nowhere.yaml")
    assert "a link that leads nowhere" in refusal(link)
    circle = tmp_path / "circle.yaml"
    circle.symlink_to(circle)
    assert "circle.yaml" in refusal(circle)
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)
    assert "not a regular file" in refusal(pipe)
    endless = tmp_path / "endless.yaml"
    endless.symlink_to("/dev/zero")
    assert "not a regular file" in refusal(endless)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s.yaml"))
        assert "not a regular file" in refusal(tmp_path / "s.yaml")


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    file = tmp_path / "secret.yaml"
    file.write_text(SOUND, encoding="utf-8")
    file.chmod(0)
    assert "cannot be read" in refusal(file)


def test_odd_file_names_are_shown_safely(tmp_path: Path) -> None:
    file = tmp_path / "od\x1b[31m\u202ed.yaml"
    file.write_text("", encoding="utf-8")
    with pytest.raises(CardError) as error:
        load_artist(file)
    assert "\\x1b[31m\\u202ed.yaml: nothing in it" in str(error.value) and "\x1b" not in str(error.value)


# ------------------------------------------------------------------------------------------------------------ the JSON schema


def data_of(file: Path) -> object:
    """What a file holds for a reader that knows nothing of artists."""
    return json.loads(json.dumps(yaml.safe_load(file.read_text(encoding="utf-8"))))


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(json_schema())


@pytest.mark.parametrize("name", artists())
def test_the_schema_takes_every_installed_artist(name: str) -> None:
    jsonschema.validate(data_of(EDITIONS / "standard" / f"{name}.yaml"), json_schema())


# What the schema does not tell: characters that nobody sees and spaces, which the reader refuses before it looks at the fields.
def structural() -> list[Path]:
    """The broken files that are YAML, but not of the shape of an artist file."""
    found = []
    for file in FILES:
        try:
            document = parse(read_text(file), file.name, "an artist file", [])
        except CardError:
            continue
        try:
            Artist.model_validate(document.data)
        except ValidationError:
            found.append(file)
    return found


def test_many_files_are_of_another_shape() -> None:
    assert len(structural()) >= 35


@pytest.mark.parametrize("file", structural(), ids=lambda file: file.stem)
def test_the_schema_refuses_files_of_another_shape(file: Path) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data_of(file), json_schema())
