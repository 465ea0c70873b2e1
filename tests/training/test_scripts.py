"""The training scripts of the folder `training`, on a tiny budget."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from react_env import docs_tables

SCRIPTS = docs_tables.ROOT / "training"


def test_maskable_ppo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    pytest.importorskip("sb3_contrib")
    out = tmp_path / "model.zip"
    small = ["--steps", "256", "--envs", "8", "--rollout", "8", "--snapshot", "2", "--games", "4"]
    monkeypatch.setattr("sys.argv", ["maskable_ppo.py", "--game", "fight_sequence-v0", *small, "--out", str(out)])
    runpy.run_path(str(SCRIPTS / "maskable_ppo.py"), run_name="__main__")
    said = capsys.readouterr().out
    assert re.findall(r"against (\w+): .* of (\d+) games", said) == [("random", "4"), ("greedy", "4")] and out.is_file()
