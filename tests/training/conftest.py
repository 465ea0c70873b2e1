"""What all tests of training share."""

import pytest


@pytest.fixture
def pictures() -> None:
    """For tests that look at the page or the learning curve of a run or an attack: see `no_pictures`."""


@pytest.fixture(autouse=True)
def no_pictures(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw nothing: drawing a run of a thousand steps takes five times as long as learning."""
    if "pictures" not in request.fixturenames:
        monkeypatch.setattr("react_env.training.runs.report.keep", lambda *_, **__: None)
        monkeypatch.setattr("react_env.training.runs.progress.draw", lambda _, path, __: path)
        monkeypatch.setattr("react_env.training.runs.exploit.draw", lambda _, path: path)
