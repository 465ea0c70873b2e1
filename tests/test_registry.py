"""Games of other packages, found by their entry points."""

import ast
import json
import pickle
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test
from typer.testing import CliRunner

import react_env
from react_env import agents, registry
from react_env.cli import app
from react_env.envs import aec
from react_env.errors import OptionError
from react_env.evaluation import benchmarks, play_match

DECK = "tests/fight_sequence/decks/every_effect.yaml"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two packages as pip installs them: one with a game, one whose entry point names a module that does not exist."""
    (tmp_path / "others_game.py").write_text(
        "from react_env.registry import Description\n"
        "from tests.toy import load as toy\n"
        "def load(**options): return toy(**options)\n"
        "GAME = Description('toy-v0', 'Toy', load='others_game:load')\n"
        "OTHER = Description('other-v0', 'Other', load='others_game:missing')\n"
        "RENAMED = Description('renamed-v0', 'Renamed', load='others_game:load')\n"
        "SEATS = Description('seats-v0', 'Seats', load='others_game:load', players=(3, 4))\n"
    )
    for package, lines in (
        (
            "others_game",
            "toy-v0 = others_game:GAME\nother-v0 = others_game:OTHER\nrenamed-v0 = others_game:RENAMED\n"
            "seats-v0 = others_game:SEATS\nwrong-v0 = others_game:GAME\narts_of_war-v0 = others_game:GAME\n",
        ),
        ("broken", "gone-v0 = no_such_module:GAME\n"),
    ):
        info = tmp_path / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[react_env.games]\n{lines}")
    monkeypatch.syspath_prepend(str(tmp_path))
    registry._installed.cache_clear()
    yield
    registry._installed.cache_clear()
    sys.modules.pop("others_game", None)


def run(*arguments: str, text: str = "") -> str:
    result: Any = CliRunner().invoke(app, [*arguments], input=text)
    assert result.exit_code == 0, result.output
    return str(result.output)


@pytest.mark.parametrize(
    ("game", "option", "meant"),
    [
        ("arts_of_war-v0", "artist", "artists"),
        ("fight_sequence-v0", "deck", "decks"),
        ("reality_tcg-v0", "seed_pool", "pool"),
        ("react_fast-v0", "player", "players"),
    ],
)
def test_a_slip_in_an_option_is_told_with_what_is_meant(game: str, option: str, meant: str) -> None:
    """Past bug: the message listed only the options that change the rules, not those that say who plays."""
    with pytest.raises(OptionError, match=rf"unknown option '{option}'.*known: .*\b{meant}\b.*"):
        react_env.load(game, **{option: 3})


@pytest.mark.parametrize(
    ("game", "options", "same"),
    [
        (
            "arts_of_war-v0",
            {"artists": np.array(["dancer", "tagger"]), "max_turns": np.int64(9), "allow_mirror": np.bool_(True)},
            {"artists": ["dancer", "tagger"], "max_turns": 9, "allow_mirror": True},
        ),
        ("arts_of_war-v0", {"rows": np.int64(5), "cols": np.array(5)}, {"rows": 5, "cols": 5}),
        ("fight_sequence-v0", {"decks": np.str_(DECK)}, {"decks": [DECK, DECK]}),
        ("react_fast-v0", {"players": np.int8(4), "profiles": [np.str_("fast")] * 4}, {"players": 4}),
        ("reality_tcg-v0", {"decks": "random", "pool": np.array(["rush", "wall"])}, {"pool": ["rush", "wall"]}),
    ],
    ids=str,
)
def test_options_of_numpy_are_plain(game: str, options: dict[str, Any], same: dict[str, Any]) -> None:
    """Past bug: NumPy values were kept as they were, and broke pickles, replays, runs and OpenSpiel."""
    loaded = react_env.load(game, **options)
    kept = json.loads(json.dumps(dict(loaded.options)))
    assert kept == kept | same
    assert loaded.rules_hash == pickle.loads(pickle.dumps(loaded)).rules_hash == react_env.load(game, **kept).rules_hash


def test_artists_are_paths_too() -> None:
    """Past bug: a Path was refused with "two names are needed", although editions and decks could be Paths."""
    path = Path("tests/arts_of_war/editions/clockmaker.yaml")
    game = react_env.load("arts_of_war-v0", artists=("calligrapher", path))
    assert game.options["artists"] == ["calligrapher", str(path)]
    assert game.rules_hash == react_env.load("arts_of_war-v0", artists=("calligrapher", str(path))).rules_hash


@pytest.mark.usefixtures("installed")
def test_a_game_of_another_package_is_found_and_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An id, a title and `load` are enough for a game to work in the whole library."""
    rate = benchmarks._rate
    monkeypatch.setattr(benchmarks, "_rate", lambda work, seconds: rate(work, 0.01))
    assert "toy-v0" in react_env.game_ids()
    game = react_env.load("toy-v0", max_turns=6)
    assert game.id == "toy-v0" and game.options["max_turns"] == 6
    assert play_match(game, agents.load("greedy", game), agents.load("random", game), games=20).total.games == 20
    assert "player_0" in run("play", "toy-v0", "--against", "random", "--seed", "1", text="1\nq\n")
    assert "random" in run("arena", "greedy", "random", "--game", "toy-v0", "--games", "20", "--set", "max_turns=6")
    figures = {figure["name"]: figure for figure in json.loads(run("bench", "toy-v0", "--quick", "--json"))["figures"]}
    assert figures["random play, 1 thread"]["value"] > 0
    assert figures["record of a state"]["value"] == game.state_dtype.itemsize
    assert all(figure["skipped"] or figure["values"] for figure in figures.values())
    assert (
        "who begins" not in (told := run("balance", "toy-v0", "--games", "20", "--set", "max_turns=6"))
        and "ties" in told
    )
    trained = ("--steps", "512", "-o", "envs=8", "-o", "rollout=16", "-o", "minibatch=64", "--threads", "1")
    quick = ("-o", "evaluations=0", "-o", "imitation_games=0", "--name", "tiny", "--runs", str(tmp_path))
    run("train", "toy-v0", "--set", "max_turns=6", *trained, *quick)
    assert agents.load(tmp_path / "tiny", game).name
    env = aec.env(game)
    api_test(env, num_cycles=50)


@pytest.mark.usefixtures("installed")
def test_it_cannot_take_an_id_of_the_library_and_its_faults_are_named() -> None:
    assert registry.describe("arts_of_war-v0").title == "Re;ACT - The Arts of War"
    for game, fault in (
        ("gone-v0", "gone-v0: its description no_such_module:GAME cannot be imported: No module named"),
        ("wrong-v0", "wrong-v0: others_game:GAME is not the description of this game but Description"),
        ("other-v0", "other-v0: others_game:missing cannot be imported"),
        ("renamed-v0", "renamed-v0: others_game:load made a game with the id 'toy-v0' in its Identity"),
        # Past bug: it was loaded, and the page offered the seats of the description, which the game then refused.
        ("seats-v0", r"seats-v0: others_game:load made a game for 2 players, but its Description.players are \(3, 4\)"),
        ("chess", "there is no game 'chess'; there are: arts_of_war-v0, fight_sequence-v0, .*toy-v0"),
    ):
        with pytest.raises(OptionError, match=fault):
            react_env.load(game)
    assert "toy-v0" in registry.descriptions() and "gone-v0" not in registry.descriptions()


WORDS = re.compile(r"arts_?of_?war|fight_?sequence|re;act|\bartists\b", re.IGNORECASE)
# Where a game may be named: its own folder, PettingZoo's modules, the champions, and the two lines that make the library's games known.
OWN = re.compile(
    r"react_env/(games/(arts_of_war|fight_sequence)/|arts_of_war_v0\.py|fight_sequence_v0\.py|agents/champions/)"
)


def test_nothing_outside_a_game_asks_which_game_this_is() -> None:
    root = Path(react_env.__file__).parents[1]
    named = {}
    for file in sorted((root / "react_env").rglob("*.py")):
        path = file.relative_to(root).as_posix()
        text = file.read_text(encoding="utf-8")
        if OWN.match(path) or not WORDS.search(text):
            continue
        code = ast.parse(text)
        for node in ast.walk(code):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
                node.body = node.body[1:] or [ast.Pass()]  # a docstring may name a game as an example
        lines = [line for line in ast.unparse(code).splitlines() if WORDS.search(line)]
        if lines:
            named[path] = lines
    assert len(named.pop("react_env/registry.py")) == 2, "the default game, and the descriptions"
    assert not named
