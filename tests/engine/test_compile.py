"""Compilation: once, with a word, and never with old sources."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from react_env.engine.compile import COMPILED

pytestmark = pytest.mark.skipif(not COMPILED, reason="Numba is absent or disabled")

ROOT = Path(__file__).resolve().parents[2]
CODE = (
    "from tests import toy; game = toy.load(); state = game.new(0); game.step(state, int(game.legal_actions(state)[0]))"
)


def start(cache: Path, code: str = CODE) -> str:
    """What a new process says on stderr."""
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "REACT_ENV_CACHE_DIR": str(cache)},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return run.stderr


def test_the_first_start_compiles_and_says_so_and_later_ones_are_silent(tmp_path: Path) -> None:
    said = start(tmp_path)
    assert said.splitlines() == [
        "react_env: compiling toy-v0 for this machine (once, up to a minute) ...",
        "react_env: compiled.",
    ]
    files = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb*")}
    assert files
    said = start(tmp_path, CODE + "; game.batch(2, seed=0, threads=2).reset()")
    assert said == ""
    assert files == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb*")}, "nothing is compiled again"


def test_rules_outside_the_package_are_compiled_again_when_they_change(tmp_path: Path) -> None:
    """The loops over rules know the files of rules that the cache's folder does not know."""
    rules = tmp_path / "other.py"
    source = (ROOT / "tests" / "toy.py").read_text()
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import other; game = other.load(); s = game.new(0)\n"
        "for _ in range(4): game.step(s, int(game.legal_actions(s)[-1]))\n"
        "print(int(s['points'].sum()), file=sys.stderr)"
    )
    rules.write_text(source)
    before = int(start(tmp_path / "cache", code).splitlines()[-1])
    assert before > 0
    rules.write_text(source.replace("s.points[me] += 1", "s.points[me] += 2"))
    assert int(start(tmp_path / "cache", code).splitlines()[-1]) == 2 * before


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    said = start(blocked / "cache")
    assert said.endswith("react_env: compiled.\n")
