"""Results on the page, as they grow."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import httpx
import pytest

from react_env.cli import app as cli
from react_env.errors import OptionError
from react_env.web.results import Results
from tests.web.conftest import serving
from tests.web.test_page import now


def point(steps: int, won: int, games: int = 20) -> str:
    rate = won / games
    found = {"win_rate": rate, "win_rate_95": [max(0.0, rate - 0.1), min(1.0, rate + 0.1)], "games": games}
    return json.dumps({"steps": steps, "seconds": steps / 100, "against": {"greedy": found, "random": found}}) + "\n"


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the games of a small arena."""
    from typer.testing import CliRunner

    file = tmp_path_factory.mktemp("arena") / "small.db"
    words = ["arena", "random", "greedy", "--game", "fight_sequence-v0", "--games", "20", "--file", str(file)]
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 0, result.output
    return file


@pytest.mark.slow
def test_a_run_and_an_arena_are_shown_as_they_grow(page: Any, arena: Path, tmp_path: Path) -> None:
    run = tmp_path / "first"
    run.mkdir()
    (run / "progress.jsonl").write_text(point(0, 5) + point(1000, 12))
    with serving(tmp_path / "games", results=(run, arena)) as address:
        page.goto(f"http://{address}/#results")
        now(page, "document.querySelectorAll('#found section').length === 2")
        assert page.locator("#found tr").count() == 3 + 3 and "1,000" in page.inner_text("#found")
        assert page.locator("#found svg").count() == 1
        rows = page.inner_text("#found section:last-child table")
        assert rows.index("greedy") < rows.index("random") and "Elo" in rows
        with (run / "progress.jsonl").open("a") as file:
            file.write(point(2000, 19) + '{"steps": 3000, "sec')  # a line that is still being written
        now(page, "document.querySelectorAll('#found tr').length === 7")
        assert "2,000" in page.inner_text("#found")
        page.goto(f"http://{address}/#new")


@pytest.mark.slow
def test_results_go_on_after_the_server_was_away(page: Any, tmp_path: Path) -> None:
    """Past bugs: they stood still for ever after one request without an answer, and the focus was lost with each request."""
    run = tmp_path / "first"
    run.mkdir()
    (run / "progress.jsonl").write_text(point(0, 5))
    with serving(tmp_path / "games", results=(run,)) as address:
        page.goto(f"http://{address}/#results")
        page.wait_for_selector("#found .wide")
        page.focus("#found .wide")
        page.route("**/api/results", lambda route: route.abort())
        now(page, "document.getElementById('stale').textContent.includes('does not answer')")
        page.unroute("**/api/results")
        now(page, "document.getElementById('stale').textContent === ''")
        assert page.evaluate("document.activeElement.className") == "wide"
        (run / "progress.jsonl").write_text(point(0, 5) + point(1000, 12))
        now(page, "document.querySelectorAll('#found tr').length === 3")
        page.goto(f"http://{address}/#new")
    assert [text for text in page.complaints if "ERR_FAILED" not in text] == []
    page.complaints.clear()


def test_without_results_the_page_says_how_to_name_some(address: str) -> None:
    assert httpx.get(f"http://{address}/api/results").json() == []


def test_names_that_are_not_utf_8(tmp_path: Path) -> None:
    """Past bug: with one such file or run, the server failed to list any."""
    run, own = tmp_path / "caf\udce9", tmp_path / "caf\udce9.py"
    run.mkdir()
    (run / "progress.jsonl").write_text(point(0, 5))
    own.write_text("class A:\n    def act(self, observations, action_masks, rng): return action_masks.argmax(axis=1)\n")
    with serving(tmp_path / "games", results=(run,), agents=(f"{own}:A",)) as address:
        assert httpx.get(f"http://{address}/api/results", timeout=60).json()[0]["name"] == run.name
        assert f"{own}:A" in httpx.get(f"http://{address}/api/games").json()["agents"]


def test_what_cannot_be_shown(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no such file"):
        Results((tmp_path / "nothing",))
    with pytest.raises(OptionError, match="not the folder of a training run"):
        Results((tmp_path,))
    wrong = tmp_path / "wrong.db"
    wrong.write_text("nothing of an arena")
    (found,) = Results((wrong,)).told()
    assert "cannot be read" in found["problem"] and found["rows"] == []
    (tmp_path / "config.json").write_text("{}")
    (early,) = Results((tmp_path,)).told()
    assert early["note"] == "nothing has been evaluated yet"


def test_a_log_that_leaves_while_it_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: SQLite removed it between two looks, and the page got an error instead of the results."""
    file = tmp_path / "games.db"
    for one in (file, tmp_path / "games.db-wal"):
        one.write_text("nothing of an arena")
    shown, stat = Results((file,)), Path.stat

    looks = list[Path]()

    def vanishing(path: Path, **options: bool) -> os.stat_result:
        looks.extend([path] * path.name.endswith("-wal"))
        if path.name.endswith("-wal") and len(looks) > 1:
            raise FileNotFoundError(2, "No such file or directory", str(path))
        return stat(path, **options)

    monkeypatch.setattr(Path, "stat", vanishing)
    assert "cannot be read" in shown.told()[0]["problem"] and looks


def test_where_one_may_not_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: a traceback."""

    def refusing(path: Path, **options: bool) -> os.stat_result:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "stat", refusing)
    with pytest.raises(OptionError, match=r"games\.db: Permission denied"):
        Results((tmp_path / "games.db",))
