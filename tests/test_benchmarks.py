"""The commands behind the README's figures can be called, and the exact one measures what it says."""

import json
import os
import signal
import subprocess
import sys
import threading
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmarks import command

ROOT = Path(__file__).resolve().parents[1]
NAMES = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("name", NAMES)
def test_each_explains_itself(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", [f"benchmarks.{name}", "--help"])
    with pytest.raises(SystemExit) as ended:
        command(import_module(f"benchmarks.{name}").main)
    assert ended.value.code == 0
    assert f"python -m benchmarks.{name}" in capsys.readouterr().out


@pytest.mark.long
def test_exact_exploitability_over_a_run() -> None:
    """NashConv of uniform play has its known value; that of the agent lies between 0 (an equilibrium) and 2 (losing every game)."""
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


def test_baselines_come_from_finished_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    baselines = import_module("benchmarks.baselines")
    runs = list(baselines.planned(["fight_sequence-v0"], 2, ""))
    assert [run.seed for run in runs] == sorted(run.seed for run in runs)
    assert {run.method for run in runs} == {*baselines.STANDARD}
    four = {run.method for run in baselines.planned(["react_fast-v0"], 1, "")}
    assert four == {*baselines.STANDARD} - {"TD"}, "a table of four"
    for run in runs[:2]:
        line = {"steps": 7, "seconds": 2.4, "against": {"greedy": {"wins": 3, "games": 4}}}
        (tmp_path / run.name).mkdir()
        (tmp_path / run.name / "progress.jsonl").write_text(json.dumps(line) + "\n")
    (tmp_path / runs[0].name / "finished").write_text("7")
    assert not baselines.play(runs[0], tmp_path, 7), "it is not run twice"
    row = {"game": "fight_sequence-v0", "method": runs[0].method, "seed": 0, "points": [[7, 2, {"greedy": [3, 4]}]]}
    assert baselines.found(tmp_path, runs) == [row]
    monkeypatch.setattr(baselines, "DOCS", tmp_path / "docs")
    (tmp_path / "docs" / "pictures").mkdir(parents=True)
    others = [row | {"game": name, "seed": seed} for name, seed in (("arts_of_war-v0", 0), ("fight_sequence-v0", 1))]
    (tmp_path / "docs" / "baselines.yaml").write_text(yaml.safe_dump({"runs": others}))
    baselines.write(tmp_path, runs)
    rows = yaml.safe_load((tmp_path / "docs" / "baselines.yaml").read_text())["runs"]
    assert rows == [others[0], row], "what is there of other games stays, what is there of these goes"
    assert "<svg" in (tmp_path / "docs" / "pictures" / "learning_fight_sequence.svg").read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_baselines_that_are_stopped_stop_their_runs(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Past bug: only Ctrl-C in the terminal reached the runs. After another signal they went on, and the same command was refused."""
    baselines = import_module("benchmarks.baselines")
    begin, begun = subprocess.Popen, []

    def stand_in(words: list[str], **options: Any) -> "subprocess.Popen[str]":
        begun.append(begin([sys.executable, "-c", "import time; time.sleep(30)"], **options))
        threading.Timer(0.2, os.kill, (os.getpid(), number)).start()
        return begun[-1]

    def refused(*_: Any) -> None:
        raise AssertionError("SIGTERM would end it at once")

    for one, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, refused)):
        request.addfinalizer(partial(signal.signal, one, signal.signal(one, handler)))
    monkeypatch.setattr(subprocess, "Popen", stand_in)
    runs = list(baselines.planned(["fight_sequence-v0"], 1, ""))
    with pytest.raises(SystemExit):
        baselines.play_all(runs, tmp_path, 7, 1)
    assert [process.returncode for process in begun] == [-signal.SIGINT]
