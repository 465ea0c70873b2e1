"""Games of other packages, found by their entry points."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import react_env
from react_env import agents, registry
from react_env.cli import app
from react_env.errors import OptionError
from react_env.evaluation import play_match


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two packages as pip installs them: one with a game, one whose module does not exist."""
    (tmp_path / "others_game.py").write_text(
        "from tests.toy import load as toy\ndef load(**options): return toy(**options)\n"
    )
    for package, lines in (
        ("others_game", "toy-v0 = others_game\narts_of_war-v0 = others_game\n"),
        ("broken", "gone-v0 = no_such_module\n"),
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


@pytest.mark.usefixtures("installed")
def test_a_game_of_another_package_is_found_and_played() -> None:
    assert "toy-v0" in react_env.game_ids()
    game = react_env.load("toy-v0", max_turns=6)
    assert game.id == "toy-v0" and game.options["max_turns"] == 6
    assert play_match(game, agents.load("greedy", game), agents.load("random", game), games=20).total.games == 20
    result: Any = CliRunner().invoke(app, ["bench", "toy-v0", "--quick", "--json"])
    assert result.exit_code == 0, result.output


@pytest.mark.usefixtures("installed")
def test_it_cannot_take_an_id_of_the_library_and_its_faults_are_named() -> None:
    assert registry.packages()["arts_of_war-v0"] == "react_env.games.arts_of_war"
    with pytest.raises(OptionError, match="gone-v0: its module no_such_module cannot be imported: No module named"):
        react_env.load("gone-v0")
    with pytest.raises(
        OptionError, match="there is no game 'chess'; there are: arts_of_war-v0, fight_sequence-v0, .*toy-v0"
    ):
        react_env.load("chess")
