"""The commands behind the figures of the README can be called, and the exact one measures what it says."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NAMES = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("name", NAMES)
def test_each_explains_itself(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", [f"benchmarks.{name}", "--help"])
    with pytest.raises(SystemExit) as ended:
        import_module(f"benchmarks.{name}").main()
    assert ended.value.code == 0
    assert f"python -m benchmarks.{name}" in capsys.readouterr().out


@pytest.mark.long
def test_exact_exploitability_over_a_run() -> None:
    """NashConv of uniform play is that of the edition; of the agent a number between an equilibrium and losing every game."""
    arguments = ["--minutes", "0.3", "--points", "1", "--threads", "1", "--json"]
    output = subprocess.run(
        [sys.executable, "-m", "benchmarks.exact_training", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=280,
    ).stdout
    found = json.loads(output[output.index("{") :])
    assert found["uniform"] == pytest.approx(1.224, abs=1e-3)
    assert found["run"] and all(0 <= row["nash_conv"] <= 2 for row in found["run"])
    steps = [row["learner_steps"] for row in found["run"]]
    assert steps == sorted(steps) and steps[-1] > 0
