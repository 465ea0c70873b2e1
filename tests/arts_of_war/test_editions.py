"""Editions: installed ones and one's own, the commands that check them, and the page on building an artist."""

import doctest
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from typer.testing import CliRunner

import react_env
from react_env.cli import app
from react_env.docs_tables import ROOT
from react_env.engine import compile as compiling
from react_env.engine.game import Game
from react_env.errors import CardError, OptionError
from react_env.games.arts_of_war.cards import artists, load_artist
from react_env.games.arts_of_war.cards.inspection import inspect
from react_env.games.arts_of_war.rules import EDITIONS, default_artists, edition_folder, load_rules, own_artists

PAGE = ROOT / "docs" / "arts_of_war" / "your_own_artist.md"
EXAMPLE = ROOT / "docs" / "arts_of_war" / "example_edition"
BOARD = "format: 1\nname: Mine\n"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A folder with one artist."""
    folder = tmp_path / "mine"
    shutil.copytree(EXAMPLE, folder)
    return folder


def call(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "100"})


# ------------------------------------------------------------------------------------------------------------------- folders


def test_a_folder_adds_to_the_standard_artists(mine: Path) -> None:
    assert own_artists(mine) == ("lamplighter",)
    assert artists(mine) == tuple(sorted((*artists(), "lamplighter")))
    assert load_artist("lamplighter", mine).name == "Lamplighter"
    assert load_artist("dancer", mine) == load_artist("dancer")
    assert load_rules(mine) == load_rules()


def test_what_lies_in_the_folder_goes_before_what_is_installed(mine: Path) -> None:
    text = (EDITIONS / "standard" / "dancer.yaml").read_text(encoding="utf-8")
    (mine / "dancer.yaml").write_text(text.replace("name: Dancer\n", "name: Other Dancer\n"), encoding="utf-8")
    assert load_artist("dancer", mine).name == "Other Dancer"
    assert load_artist("dancer").name == "Dancer"


def test_a_path_is_relative_and_knows_the_home_folder(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(mine.parent)
    monkeypatch.setenv("HOME", str(mine.parent))
    for path in ("mine", "./mine", "mine/", "~/mine", str(mine), mine, "../" + mine.parent.name + "/mine"):
        assert own_artists(path) == ("lamplighter",)
    with pytest.raises(OptionError):
        own_artists("~nobody_at_all/mine")


def test_the_name_of_an_installed_edition_goes_before_a_folder(
    tmp_path: Path, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine.rename(tmp_path / "standard")
    monkeypatch.chdir(tmp_path)
    assert edition_folder("standard") == EDITIONS / "standard"
    assert own_artists("./standard") == ("lamplighter",)


def test_links_are_followed(tmp_path: Path, mine: Path) -> None:
    (tmp_path / "link").symlink_to(mine)
    (mine / "lamp2.yaml").symlink_to(mine / "lamplighter.yaml")
    assert load_artist("lamplighter", tmp_path / "link").id == "lamplighter"
    with pytest.raises(CardError, match="lamp2.yaml: field 'id' is 'lamplighter'"):
        load_artist("lamp2", mine)


def test_the_file_bears_the_id_of_its_artist(mine: Path) -> None:
    (mine / "lamplighter.yaml").rename(mine / "lamper.yaml")
    message = r"lamper.yaml: field 'id' is 'lamplighter', .* call the file lamplighter.yaml, or write id: lamper$"
    with pytest.raises(CardError, match=message):
        load_artist("lamper", mine)
    with pytest.raises(OptionError, match="unknown artist 'lamplighter'.*did you mean 'lamper'"):
        load_artist("lamplighter", mine)
    assert load_artist(str(mine / "lamper.yaml")).id == "lamplighter"  # a file named by its path may have any name


def test_files_that_are_no_card_files_do_not_count(mine: Path) -> None:
    (mine / ".#lamplighter.yaml").symlink_to("somebody@somewhere")
    (mine / "notes.txt").write_text("x")
    (mine / "sculptor2.yml").write_text("x")
    assert own_artists(mine) == ("lamplighter",)
    with pytest.raises(OptionError, match="sculptor2.yml must be called sculptor2.yaml"):
        load_artist("sculptor2", mine)


@pytest.mark.parametrize(
    ("edition", "message"),
    [
        ("gold", "unknown edition 'gold'; known: small, standard, or the path of a folder"),
        ("standart", "did you mean 'standard'"),
        ("nowhere/at/all", "there is no folder nowhere/at/all with card files"),
        ("empty", "edition empty holds no card file; artists are files such as empty/my_artist.yaml"),
        ("file.yaml", "edition file.yaml is a file; an edition is the folder"),
        ("link", "edition link is a broken link"),
        ("circle", "edition circle"),
        ("", "a name or the path of a folder is needed"),
        (None, "a name or the path of a folder is needed; found nothing"),
        (7, "a name or the path of a folder is needed; found 7"),
        ("a\0b", r"unknown edition 'a\x00b'"),
        ("x" * 5000, "cannot be read: File name too long"),
    ],
)
def test_what_is_no_edition(edition: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "file.yaml").write_text("x")
    (tmp_path / "link").symlink_to("nothing")
    (tmp_path / "circle").symlink_to("circle")
    for look in (load_rules, artists, default_artists, lambda edition: load_artist("dancer", edition)):
        with pytest.raises(OptionError) as error:
            look(edition)
        assert message in str(error.value) and len(str(error.value)) < 500


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may read everything")
def test_a_folder_that_may_not_be_read(mine: Path) -> None:
    mine.chmod(0)
    try:
        with pytest.raises(OptionError, match="cannot be read: Permission denied"):
            artists(mine)
    finally:
        mine.chmod(0o700)


def test_a_folder_of_rules_alone(tmp_path: Path) -> None:
    (tmp_path / "board.yaml").write_text(BOARD + "rules: {max_turns: 9}\n", encoding="utf-8")
    assert load_rules(tmp_path).max_turns == 9
    assert load_rules(tmp_path, max_turns=8).max_turns == 8
    assert default_artists(tmp_path) == default_artists() and artists(tmp_path) == artists()


# ----------------------------------------------------------------------------------------------------------- the default pair


def test_the_default_artists(mine: Path) -> None:
    assert default_artists() == ("calligrapher", "dancer")
    assert default_artists(mine) == ("lamplighter", "calligrapher")
    text = (mine / "lamplighter.yaml").read_text(encoding="utf-8")
    (mine / "candle.yaml").write_text(text.replace("id: lamplighter", "id: candle"), encoding="utf-8")
    assert default_artists(mine) == ("candle", "lamplighter")
    (mine / "board.yaml").write_text(BOARD + "artists: [lamplighter, dancer]\n", encoding="utf-8")
    assert default_artists(mine) == ("lamplighter", "dancer")


def test_a_board_is_no_artist() -> None:
    """Past bug: what is right in a board file was told to be wrong: "unknown field 'artists', 'rules'"."""
    with pytest.raises(
        CardError, match="board.yaml: the field and the rules of an edition; an artist has a file of its"
    ):
        load_artist(EDITIONS / "small" / "board.yaml")


def test_own_versions_of_the_standard_pair_stay_that_pair(tmp_path: Path) -> None:
    shutil.copy(EDITIONS / "standard" / "dancer.yaml", tmp_path)
    assert default_artists(tmp_path) == ("calligrapher", "dancer")


@pytest.mark.parametrize(
    ("board", "message"),
    [
        (BOARD + "artists: [lamplighter, dancr]\n", "line 3, .*unknown artist 'dancr'.*did you mean 'dancer'"),
        (BOARD + "artists: [dancer]\n", "line 3, field 'artists': entry 2 is missing"),
        (BOARD + "artists: dancer\n", "line 3, field 'artists': should be a list; found 'dancer'"),
        (BOARD + "rules: {rows: true}\n", "line 3, field 'rules.rows': should be a whole number .*; found true"),
        (BOARD + "artists: [dancer, dancer]\n", "both are 'dancer'; allowed: two different ones"),
        (BOARD + "rules: {rows: 9}\n", "line 3, field 'rules.rows': should be at most 5; found 9"),
        (BOARD + "rules: {rows: 3}\n", "start zone c5 lies outside"),
        (BOARD + "rules: {max_turn: 9}\n", "unknown field 'max_turn'; allowed: rows, .*did you mean 'max_turns'"),
        (BOARD + "rules: {max_turns: 0x10}\n", "plain decimal digits"),
        (BOARD + "provenance: {rwos: stated}\n", "provenance of unknown rules: rwos"),
        ("format: 1\n", "field 'name' is missing"),
        ("- x\n", "a list, but a board file is a mapping with the keys format, name, artists, rules"),
        ("", "nothing in it"),
        ("a: &a [*a]\n", "aliases are not allowed"),
        ("a: " + "[" * 10000, "nested too deeply"),
    ],
)
def test_board_files_that_cannot_be_used(mine: Path, board: str, message: str) -> None:
    (mine / "board.yaml").write_text(board, encoding="utf-8")
    with pytest.raises(CardError, match=f"board.yaml: .*{message}"):
        default_artists(mine)
    (finding, other) = inspect(mine)
    assert not finding.ok and other.ok


def test_a_mirror_match_may_be_the_default(mine: Path) -> None:
    board = BOARD + "artists: [dancer, dancer]\nrules: {allow_mirror: true}\n"
    (mine / "board.yaml").write_text(board, encoding="utf-8")
    assert default_artists(mine) == ("dancer", "dancer")


# --------------------------------------------------------------------------------------------------------------- the commands


def test_check_tells_what_is_wrong_with_each_file(mine: Path) -> None:
    assert call("cards", "check", str(mine)).exit_code == 0
    (mine / "broken.yaml").write_text("format: 1\nid: broken\nnaem: Broken\nconcept: 7\n", encoding="utf-8")
    (mine / "old.yml").write_text("", encoding="utf-8")
    result = call("cards", "check", str(mine))
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == f"{mine}/broken.yaml: 1 mistake"
    assert lines[1].startswith("  line 3: unknown field 'naem'; allowed: format, id, name,")
    assert lines[2].startswith(f"{mine}/lamplighter.yaml: ok, 1 warning")
    assert lines[4:] == [f"{mine}/old.yml: ok, 1 warning", "  warning: is not read; card files are called old.yaml"]


def test_check_reads_the_weights(mine: Path) -> None:
    (mine / "weights.csv").write_text("one,1\n", encoding="utf-8")
    for path in (mine, mine / "weights.csv"):
        result = call("cards", "check", str(path))
        assert (
            result.exit_code == 1 and f"{mine}/weights.csv: 1 mistake\n  the column feature must name" in result.stdout
        )


def test_check_tells_all_mistakes_of_a_file(mine: Path) -> None:
    file = mine / "lamplighter.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(re.sub(r"copies: \d", "copies: many", text).replace("count: 4", "count: -4"), encoding="utf-8")
    finding = inspect(file)[0]
    assert len(finding.errors) == 5 and all("line " in error for error in finding.errors)
    file.write_text(text.replace("kind: ", "knid: "), encoding="utf-8")
    assert len(inspect(file)[0].errors) >= 8


def test_check_as_json(mine: Path) -> None:
    result = call("cards", "check", str(mine), str(mine / "nothing.yaml"), "--json")
    found = json.loads(result.stdout)
    assert result.exit_code == 1 and found["ok"] is False
    good, bad = found["files"]
    assert good["artist"] == "lamplighter" and good["ok"] and not good["errors"] and len(good["warnings"]) == 1
    assert bad == {
        "file": str(mine / "nothing.yaml"),
        "ok": False,
        "artist": None,
        "errors": ["there is no such file"],
        "warnings": [],
    }


NOWHERE = ["/nowhere", "/nowhere/x.yaml", "a\0b", "x" * 5000, "~nobody_at_all/x", ""]


@pytest.mark.parametrize("path", NOWHERE)
def test_check_of_what_is_not_there(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = call("cards", "check", path)
    assert result.exit_code == 1 and "Traceback" not in result.output


def test_what_is_there_is_checked_besides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = call("cards", "check", *NOWHERE, "standard")
    assert result.exit_code == 1 and "Traceback" not in result.output
    assert "standard/dancer.yaml: ok" in result.stdout


def test_installed_files_are_without_fault() -> None:
    found = inspect("standard")
    assert len(found) == 1 + len(artists()) + 1  # the board, the artists, their weights
    assert [(finding.file, finding.errors) for finding in found if finding.errors] == []


SMELLS = {
    "a token that is never put anywhere": (
        ("- add_token: {token: glare, to: it}", "- refresh: it"),
        ("- add_token: {token: glare, to: other}", "- refresh: other"),
        ["token 'glare': is never put anywhere", "'lamp', effect 1: nobody can ever pay for it: glare is never put"],
    ),
    "a token that nobody asks for": (
        ("{token: glare, within: {of: me, distance: 2}}", "{within: {of: me, distance: 2}}"),
        ("          - remove_token: {token: glare, from: it}\n", ""),
        ["token 'glare': is put somewhere, but nothing asks for it"],
    ),
    "a summon that never comes": (
        ("          - summon: {kind: lamp, zone: corner}\n  - id: flare", "          - progress\n  - id: flare"),
        ("          - summon: {kind: lamp, zone: corner}\n    ascended", "    ascended"),
        [
            "summon kind 'lamp': is never summoned",
            "'lamplighter', ascended side: can never do anything",
            "'lamp', effect 1: nobody can ever pay for it: lamp is never summoned",
            "'between_lights', effect 1: nobody can ever pay for it",
            "do part 1 (for_each): can never do anything: lamp is never summoned",
        ],
    ),
    "an effect that only chooses": (
        ("          - add_token: {token: glare, to: it}\n", ""),
        ("          - move: {unit: it, way: way}\n", ""),
        ["'blink', effect 1: can never do anything: it only chooses"],
    ),
    "counters and tiles": (
        (
            "tokens:\n",
            "counters:\n  oil: {name: Oil, start: 0, most: 3}\n  wick: {name: Wick, start: 1, most: 3}\n"
            "tiles:\n  path: {name: Path, pool: 2, on_cue: [progress]}\n\ntokens:\n",
        ),
        ("          - draw: 1\n", "          - draw: 1\n          - gain: {counter: wick}\n"),
        [
            "counter 'oil': never rises",
            "counter 'wick': is never used",
            "tile 'path': is never laid",
            "on_cue': never runs: there is no `cue`",
        ],
    ),
    "a condition that is never true": (
        (
            "          - draw: 1\n",
            "          - if: {zone: me, is: {occupied: false, holds: {}}}\n            then:\n              - draw: 1\n",
        ),
        ("concept:", "concept:"),
        [
            "(if): can never do anything: no zone is empty and holds a unit",
        ],
    ),
    "choices that are narrower than the rules": (
        ("{adjacent_to: me}}\n          - summon", "{adjacent_to: me, occupied: false}}\n          - summon"),
        (
            "within: {of: me, distance: 2}}}\n          - summon",
            "within: {of: me, distance: 2}, tile: false}}\n          - summon",
        ),
        [
            "effect 2, do part 2 (choose_zone), field 'choose_zone.where': `occupied: false` forbids what the rules allow",
            "effect 1, do part 1 (choose_zone), field 'choose_zone.where': `tile: false` forbids what the rules allow",
        ],
    ),
    "a summon where somebody stands": (
        ("summon: {kind: lamp, zone: corner}\n  - id: flare", "summon: {kind: lamp, zone: me}\n  - id: flare"),
        ("concept:", "concept:"),
        ["'kindle', effect 1: can never do anything: me is a unit, so that zone is occupied"],
    ),
}


@pytest.mark.parametrize("case", SMELLS)
def test_check_warns_of_what_looks_like_a_slip(case: str, mine: Path) -> None:
    file = mine / "lamplighter.yaml"
    text = file.read_text(encoding="utf-8")
    *changes, warnings = SMELLS[case]
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")
    (finding,) = inspect(file)
    assert finding.ok, finding.errors
    assert call("cards", "check", str(file)).exit_code == 0
    rest = [warning for warning in finding.warnings if "provenance" not in warning]
    for fragment in warnings:
        assert any(fragment in warning for warning in rest), (fragment, rest)
    assert len(rest) == len(warnings), rest


def test_schema(tmp_path: Path) -> None:
    printed = json.loads(call("cards", "schema").stdout)
    file = tmp_path / "artist.schema.json"
    result = call("cards", "schema", "--out", str(file))
    assert result.exit_code == 0 and result.stdout == ""
    assert json.loads(file.read_text(encoding="utf-8")) == printed
    jsonschema.Draft202012Validator.check_schema(printed)
    assert "@" not in file.read_text(encoding="utf-8")  # no tags of the models
    assert call("cards", "schema", "--out", "/nowhere/at/all.json").exit_code == 2


def test_show_and_list(mine: Path) -> None:
    listed = call("cards", "--edition", str(mine)).stdout
    assert re.search(r"^lamplighter +Lamplighter$", listed, re.MULTILINE)
    assert re.search(r"^dancer +Dancer +\(from standard\)$", listed, re.MULTILINE)
    direct = call("cards", "--edition", str(mine), "lamplighter").stdout
    assert "Festival of Lights" in direct
    assert direct == call("cards", "show", "lamplighter", "--edition", str(mine)).stdout
    assert json.loads(call("cards", "lamplighter", "--edition", str(mine), "--json").stdout)["id"] == "lamplighter"
    facts = json.loads(call("cards", "--edition", str(mine), "--json").stdout)
    assert facts["own"] == ["lamplighter"] and facts["default"] == ["lamplighter", "calligrapher"]


# ------------------------------------------------------------------------------------------------------------------- the page


def pieces() -> list[tuple[str, str]]:
    """(language, text) of each block of the page, in order."""
    return re.findall(r"^```(\w+)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def put_together(text: str, piece: str) -> str:
    """The file with the next piece: an empty line comes between, unless the piece begins with four spaces and so continues a card."""
    return piece if not text else f"{text}{'' if piece.startswith('    ') else chr(10)}{piece}"


def test_the_page_is_what_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command of the page is run on what the page has written so far, with the mistakes that it shows."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "my_edition" / "lamplighter.yaml"
    file.parent.mkdir()
    text = mistaken = ""
    commands = mistakes = 0
    for language, block in pieces():
        if language == "yaml":
            text = put_together(text, block)
        elif language == "diff":
            old, new = (line[1:] for line in block.splitlines(keepends=True))
            assert block[0] == "-" and text.count(old) == 1
            mistaken = text.replace(old, new)
            mistakes += 1
        elif block.startswith("$ react-env "):
            command, _, output = block.partition("\n")
            file.write_text(mistaken or text, encoding="utf-8")
            result = call(*command.split()[2:])
            assert "\n".join(line.rstrip() for line in result.stdout.splitlines()) == output.rstrip("\n")
            assert (result.exit_code == 0) == ("mistake" not in output)
            commands, mistaken = commands + 1, ""
        elif language == "text":
            (file.parent / "board.yaml").write_text(block, encoding="utf-8")
            assert (
                default_artists(file.parent) == ("lamplighter", "dancer") and load_rules("my_edition").max_turns == 80
            )
            (file.parent / "board.yaml").unlink()
    assert commands == 8 and mistakes == 2
    assert text == (EXAMPLE / "lamplighter.yaml").read_text(encoding="utf-8")
    assert own_artists(EXAMPLE) == ("lamplighter",)


def test_the_python_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "my_edition")
    monkeypatch.chdir(tmp_path)
    (code,) = [block for language, block in pieces() if language == "pycon"]
    test = doctest.DocTestParser().get_doctest(code, {}, "page", str(PAGE), 0)
    results = doctest.DocTestRunner(verbose=False).run(test)
    assert results.attempted >= 5 and results.failed == 0


def shell(folder: Path) -> list[list[str]]:
    """The arguments of the page's commands `play`, `arena` and `train`; the folder that they use is made in `folder`."""
    shutil.copytree(EXAMPLE, folder / "my_edition")
    (lines,) = [block for language, block in pieces() if language == "sh"]
    return [line.split()[1:] for line in lines.splitlines()]


def test_play_and_arena_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    play, arena, _ = shell(tmp_path)
    result = CliRunner().invoke(app, play, input="q\n", env={"COLUMNS": "100"})
    assert result.exit_code == 0 and "Lamplighter" in result.output
    result = call(*arena[:-1], "4")
    assert result.exit_code == 0 and "seat 0, lamplighter" in result.output


@pytest.mark.long
def test_training_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    train = shell(tmp_path)[-1]
    small = ["--steps", "64", "-o", "envs=8", "-o", "rollout=8", "-o", "minibatch=32", "-o", "evaluations=0"]
    result = call(*train, *small, "--threads", "1", "-o", "trunk=8", "-o", "policy=", "-o", "value=4")
    assert result.exit_code == 0, result.output


@pytest.mark.skipif(not compiling.COMPILED, reason="nothing is compiled at all")
def test_the_example_plays_without_compiling_anything() -> None:
    """200 games run to their end on the functions that play the standard artists, without compiling more."""
    standard = react_env.load("arts_of_war-v0")
    words = np.arange(200, dtype=np.uint64)
    warm = standard.batch(num_games=200, seed=0)
    warm.step(warm.random_actions(words))
    from numba.core.event import install_recorder

    with install_recorder("numba:compile") as compiled:
        play_the_example(standard)
    assert not compiled.buffer


def play_the_example(standard: Game) -> None:
    """Play 200 games to their end; both players win some."""
    words = np.arange(200, dtype=np.uint64)
    game = react_env.load("arts_of_war-v0", edition=str(EXAMPLE), artists=("lamplighter", "dancer"))
    assert game.kernels is standard.kernels and game.rules_hash != standard.rules_hash
    batch = game.batch(num_games=200, seed=0)
    ended = np.zeros(200, np.bool_)
    won = set()
    for _ in range(5000):
        batch.step(batch.random_actions(words))
        over = (batch.terminated | batch.truncated) & ~ended
        won |= {int(reward) for reward in batch.rewards[over, 0]}
        ended |= over
        if ended.all():
            break
    assert ended.all() and {-1, 1} <= won
