"""The points of a run for TensorBoard: they are kept if there is room, and a failure to write them never ends a run."""

import threading
from pathlib import Path
from typing import Any

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from react_env.training.runs import plots
from react_env.training.runs.plots import Plots


def test_points_are_written(tmp_path: Path) -> None:
    log = Plots(tmp_path)
    log.add("update/entropy", 1.5, 100)
    log.flush()
    log.close()
    accumulator = EventAccumulator(str(tmp_path))
    accumulator.Reload()
    assert [(event.step, event.value) for event in accumulator.Scalars("update/entropy")] == [(100, 1.5)]


def test_a_writer_that_fails_is_replaced_after_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    class Full:
        def __init__(self, *_: Any, **__: Any) -> None:
            made.append(self)

        def add_scalar(self, *_: Any) -> None:
            raise OSError(28, "No space left on device")

        flush = close = add_scalar

    monkeypatch.setattr(plots, "SummaryWriter", Full)
    before = threading.excepthook
    log = Plots(tmp_path)
    log.flush()
    log.add("update/entropy", 1.5, 100)
    assert len(made) == 1, "it waits"
    monkeypatch.setattr(plots, "PAUSE", 0.0)
    log.add("update/entropy", 1.5, 200)
    assert len(made) == 2
    log.close()
    assert threading.excepthook == before


def test_a_folder_whose_name_is_no_text_has_no_points(tmp_path: Path) -> None:
    """Past bug: the run ended before it began, because TensorBoard cannot write files there."""
    log = Plots(tmp_path / "caf\udce9")
    log.add("update/entropy", 1.5, 100)
    log.flush()
    log.close()
