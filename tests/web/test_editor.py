"""Cards in the browser: checked while they are typed, played, compared; no file of the server is read or overwritten."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import httpx
import pytest

import react_env
from react_env.evaluation.lab import compare as comparing
from react_env.games.arts_of_war.rules import artist_files
from react_env.games.reality_tcg.card_files import FILES
from react_env.web import editor as E
from tests.web.test_page import now

DANCER = artist_files("standard")["dancer"]


def asked(address: str, path: str, **body: Any) -> httpx.Response:
    return httpx.post(f"http://{address}/api/cards/{path}", json=body, timeout=120)


@pytest.mark.slow
@pytest.mark.parametrize("game", E.catalogue(), ids=lambda one: one["game"])
def test_each_installed_file_is_shown_and_can_be_played(address: str, game: dict[str, Any]) -> None:
    for name in game["names"]:
        text = httpx.get(f"http://{address}/api/cards/{game['game']}/{name}").text
        found = asked(address, "check", game=game["game"], name=name, text=text).json()
        assert found["errors"] == [] and len(found["page"]) > 200
    name = game["sides"][-1]
    text = httpx.get(f"http://{address}/api/cards/{game['game']}/{name}").text
    answer = asked(address, "play", game=game["game"], name=name, text=text, other=game["sides"][0], against="random")
    assert "id" in answer.json(), answer.text


def test_a_broken_file_is_told_by_line_and_cannot_be_played(address: str) -> None:
    broken = DANCER.read_text().replace("kind: intention", "kind: intent", 1)
    found = asked(address, "check", game="arts_of_war-v0", name="dancer", text=broken).json()
    assert "line" in found["errors"][0] and found["page"] == ""
    answer = asked(address, "play", game="arts_of_war-v0", name="dancer", text=broken, other="dj", against="random")
    assert answer.status_code == 400 and "line" in answer.json()["error"]


@pytest.mark.parametrize(
    "text", ["", "a: [", "\x00", "!!python/object/apply:os.system ['touch /tmp/x']", "x" * 200_000]
)
def test_any_text_gets_an_answer(address: str, text: str) -> None:
    found = asked(address, "check", game="arts_of_war-v0", name="dancer", text=text)
    assert found.status_code == 200 and found.json()["errors"]


@pytest.mark.parametrize("path", ["/etc/passwd", "../../secret.yaml", "reality_default.yaml"])
def test_a_page_reads_no_files_of_the_server(address: str, path: str) -> None:
    """Past bug: a deck could name any file as its set, and the message told how that file begins."""
    before = FILES.file("rush").read_text()
    wrong = re.sub(r"^set: .*$", f"set: {path}", before, flags=re.MULTILINE)
    assert wrong != before
    for words, more in (("check", {}), ("play", {"other": "wall", "against": "random"})):
        told = asked(address, words, game="reality_tcg-v0", name="rush", text=wrong, **more)
        assert told.status_code == 400 and "a page may not read other files" in told.text and "root:" not in told.text


def test_a_set_that_is_no_text_is_a_mistake_of_the_file(address: str) -> None:
    """Past bug: it was told to be a file that is not installed."""
    text = FILES.file("rush").read_text().replace("set: reality_default", "set: {id: reality_default}")
    (error,) = asked(address, "check", game="reality_tcg-v0", name="rush", text=text).json()["errors"]
    assert "field 'set': should be a text" in error


def test_half_a_character_is_refused(address: str) -> None:
    """Past bug: it caused an error in the server."""
    body = '{"game": "arts_of_war-v0", "name": "dancer", "text": "\\ud800"}'
    told = httpx.post(f"http://{address}/api/cards/check", content=body, headers={"content-type": "application/json"})
    assert told.status_code == 422 and "unicode" in told.text


def test_names_are_those_that_are_installed(address: str, folder: Path) -> None:
    for name in ("../dancer", "board", "nobody", "/etc/passwd"):
        assert asked(address, "check", game="arts_of_war-v0", name=name, text="x: 1").status_code == 400
        assert httpx.get(f"http://{address}/api/cards/arts_of_war-v0/{name}").status_code in (400, 404)
    assert asked(address, "check", game="react_fast-v0", name="x", text="").status_code == 400
    before = DANCER.read_text()
    asked(address, "check", game="arts_of_war-v0", name="dancer", text=before + "\n# mine\n")
    assert DANCER.read_text() == before


def test_old_texts_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(E, "MOST_EDITIONS", 3)
    editor = E.Editor(tmp_path)
    kept = [editor.kept("arts_of_war-v0", "dancer", f"# {number}\n") for number in range(6)]
    assert [file.exists() for file in kept] == [False] * 3 + [True] * 3


def test_the_same_text_may_be_asked_for_twice_at_once(tmp_path: Path) -> None:
    """Past bug: a check and a comparison of one text wrote it aside under the same name, and one of them failed with a status of 500."""
    editor = E.Editor(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        for number in range(20):
            asked = [pool.submit(editor.kept, "arts_of_war-v0", "dancer", f"# {number}\n") for _ in range(8)]
            assert all(one.result().read_text() == f"# {number}\n" for one in asked)


@pytest.mark.long
def test_what_an_edit_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edited Dancer is compared against the eight others; the same text with another comment is the same game: nothing is compared."""
    monkeypatch.setattr(comparing, "FIRST", 4)
    monkeypatch.setattr(E, "BUDGET", 130)
    editor, text = E.Editor(tmp_path), DANCER.read_text()
    found = editor.begin("arts_of_war-v0", "dancer", text + "\n# other words\n")
    while found.running:
        time.sleep(0.01)
    assert "same game" in found.told()["problem"] and found.rows == []
    edited = text.replace("distance: 3", "distance: 1")
    assert edited != text
    found = editor.begin("arts_of_war-v0", "dancer", edited)
    while found.running:
        time.sleep(0.01)
    told = found.told()
    assert told["problem"] == "" and len(told["rows"]) == 8 and told["side"] == "dancer"
    for row in told["rows"]:
        assert row["other"] != "dancer" and row["low"] <= row["difference"] <= row["high"]
        assert row["difference"] == pytest.approx(row["after"] - row["before"])
    with pytest.raises(react_env.errors.ReactEnvError, match="no editions|has none"):
        editor.begin("fight_sequence-v0", "academy_default", "x: 1")


@pytest.mark.slow
def test_a_comparison_can_be_stopped_and_there_is_one_at_a_time(address: str) -> None:
    text = DANCER.read_text().replace("distance: 3", "distance: 1")
    given = {"game": "arts_of_war-v0", "name": "dancer", "text": text}
    assert asked(address, "compare", **given).json()["running"]
    assert "is running" in asked(address, "compare", **given).json()["error"]
    asked(address, "stop")
    end = time.monotonic() + 60
    while (told := httpx.get(f"http://{address}/api/cards/comparison").json())["running"]:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert told["problem"].startswith("It was stopped") and not told["finished"]


@pytest.mark.slow
def test_what_was_found_until_a_comparison_is_stopped_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pairings compared so far are kept, and the comparison is not called finished."""
    monkeypatch.setattr(comparing, "FIRST", 2)
    editor = E.Editor(tmp_path)
    found = editor.begin("arts_of_war-v0", "dancer", DANCER.read_text().replace("distance: 3", "distance: 1"))
    end = time.monotonic() + 120
    while not found.rows and found.running:
        assert time.monotonic() < end
        time.sleep(0.005)
    found.stop()
    while found.running:
        time.sleep(0.01)
    told = found.told()
    assert told["rows"] and not told["finished"] and "found until then" in told["problem"]
    assert all(row["other"] != "dancer" for row in told["rows"])


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # the thread tells the server's log
def test_a_comparison_that_fails_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: it just ended, and the page said nothing."""
    monkeypatch.setattr(E, "compare", Mock(side_effect=MemoryError("no room")))
    editor = E.Editor(tmp_path)
    found = editor.begin("arts_of_war-v0", "dancer", DANCER.read_text().replace("distance: 3", "distance: 1"))
    found._thread.join(120)
    told = found.told()
    assert told["problem"] == "It ended with an error: MemoryError('no room')." and not told["finished"]


@pytest.mark.slow
def test_a_stopped_comparison_in_the_browser(page: Any, address: str) -> None:
    """Its table is shown as unfinished, and fits a telephone."""
    row = {"other": "dj", "before": 0.5, "after": 0.6, "difference": 0.1, "low": -0.1, "high": 0.3, "surely": False}
    told = {"running": False, "finished": False, "problem": "It was stopped: this is what was found until then."}
    told |= {"done": 900, "total": 8000, "seconds": 12, "side": "dancer", "rows": [row], "agent": "greedy"}
    page.set_viewport_size({"width": 360, "height": 740})
    page.route("**/api/cards/comparison", lambda route: route.fulfill(json=told))
    page.goto(f"http://{address}/#cards")
    page.wait_for_selector("#changes td")
    assert "found until then. Unfinished, after 12 s" in page.inner_text("#compared")
    assert "so far" in page.inner_text("#changes")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    edges = page.locator("#changes td").last.bounding_box()
    assert edges["x"] + edges["width"] <= 360


def the_dancer(page: Any, address: str) -> str:
    """Open the Dancer's card file and return its text."""
    page.goto(f"http://{address}/#cards")
    page.wait_for_selector("#findings .status")
    page.select_option("#card", "dancer")
    now(page, "document.getElementById('yaml').value.includes('id: dancer')")
    return str(page.input_value("#yaml"))


@pytest.mark.slow
def test_in_the_browser(page: Any, address: str) -> None:
    text = the_dancer(page, address)
    now(page, "document.getElementById('page').textContent.includes('The Dancer')")
    page.fill("#yaml", text.replace("kind: intention", "kind: intent", 1))
    now(page, "document.querySelectorAll('#findings .wrong').length > 0")
    assert page.locator("#try").is_disabled()
    assert "earlier text" in page.inner_text("#older")
    assert page.evaluate("getComputedStyle($('page')).opacity") == "0.5"
    page.once("dialog", lambda dialog: dialog.accept())
    page.click("#reset")
    now(page, "document.querySelectorAll('#findings .wrong').length === 0")
    assert page.locator("#older").is_hidden() and page.evaluate("getComputedStyle($('page')).opacity") == "1"
    page.select_option("#other", "dj")
    page.select_option("#rival", "random")
    page.click("#try")
    page.wait_for_selector("#choices button")
    assert "Dancer" in page.inner_text("#picture") and "DJ" in page.inner_text("#picture")


@pytest.mark.slow
def test_a_file_that_is_not_played_by_itself(page: Any, address: str) -> None:
    """Past bug: of a set of cards the page said that it can be played, and refused it after the click."""
    page.goto(f"http://{address}/#cards")
    page.wait_for_selector("#findings .status")
    page.select_option("#kind", "reality_tcg-v0")
    now(page, "document.getElementById('findings').textContent.includes('It is no deck')")
    assert page.input_value("#card") == "reality_default" and page.locator("#try").is_disabled()
    page.select_option("#card", "rush")
    now(page, "document.getElementById('findings').textContent === 'This file can be played.'")
    assert page.locator("#try").is_enabled()


@pytest.mark.slow
def test_what_was_typed_is_kept(page: Any, address: str) -> None:
    """Past bug: it was lost without a warning by choosing another file, by reloading the page, and by "As installed"."""
    text = the_dancer(page, address)
    assert page.locator("#drafted").is_hidden()
    mine = f"# mine\n{text}"
    page.fill("#yaml", mine)
    assert page.locator("#drafted").is_visible()
    page.select_option("#card", "dj")
    now(page, "document.getElementById('yaml').value.includes('id: dj')")
    assert page.locator("#drafted").is_hidden()
    page.select_option("#card", "dancer")
    now(page, "document.getElementById('yaml').value.startsWith('# mine')")
    page.reload()
    now(page, "document.getElementById('yaml').value.startsWith('# mine')")
    assert page.locator("#drafted").is_visible() and page.input_value("#card") == "dancer"
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.click("#reset")
    assert page.input_value("#yaml") == mine
    page.once("dialog", lambda dialog: dialog.accept())
    page.click("#reset")
    now(page, "document.getElementById('drafted').hidden")
    assert page.input_value("#yaml") == text


@pytest.mark.slow
def test_cards_while_the_server_does_not_answer(page: Any, address: str) -> None:
    """Past bugs: the text of the file before stayed under the name of the new one, what was typed there was not kept, and a comparison
    that had gone with its server seemed to run for ever."""
    text = the_dancer(page, address)
    told = {"running": True, "finished": False, "problem": "", "done": 100, "total": 8000, "seconds": 12, "key": ""}
    told |= {"side": "dancer", "rows": [], "agent": "greedy"}
    page.route("**/api/cards/comparison", lambda route: route.fulfill(json=told))
    page.evaluate("follow()")
    now(page, "!document.getElementById('halt').hidden")
    checks: list[Any] = []
    page.route("**/api/cards/check", lambda route: checks.append(route))  # answered late, when another file is shown
    page.evaluate("void checkFile()")
    while not checks:
        page.wait_for_timeout(10)
    page.unroute("**/api/cards/check")
    page.route("**/api/**", lambda route: route.abort())
    page.select_option("#card", "dj")
    now(page, "document.getElementById('findings').textContent.includes('does not answer')")
    with page.expect_response("**/api/cards/check"):
        checks[0].continue_()
    page.wait_for_timeout(100)
    assert page.input_value("#yaml") == "" and page.locator("#try").is_disabled()
    now(page, "document.getElementById('compared').textContent.includes('does not answer')")
    page.click("#halt")
    page.select_option("#card", "dancer")
    page.unroute("**/api/**")
    page.unroute("**/api/cards/comparison")
    now(page, "document.getElementById('findings').textContent.includes('can be played')")
    assert page.input_value("#yaml") == text and page.locator("#try").is_enabled()
    now(page, "document.getElementById('halt').hidden")
    page.route("**/api/**", lambda route: route.abort())
    page.fill("#yaml", f"# mine\n{text}")
    now(page, "document.getElementById('findings').textContent.includes('does not answer')")
    assert "cannot be played" not in page.inner_text("#findings")  # nobody has looked at it
    assert page.locator("#try").is_disabled() and page.locator("#compare").is_disabled()
    page.unroute("**/api/**")
    now(page, "document.getElementById('findings').textContent.includes('can be played')")
    assert [text for text in page.complaints if "ERR_FAILED" not in text] == []
    page.complaints.clear()


@pytest.mark.slow
def test_what_is_compared_is_told(page: Any, address: str) -> None:
    """Past bugs: nothing happened for seconds after a click; a refusal vanished at once; nobody knew which text a table was about."""
    row = {"other": "dj", "before": 0.5, "after": 0.6, "difference": 0.1, "low": 0.05, "high": 0.15, "surely": True}
    told = {"running": False, "finished": True, "problem": "", "done": 8000, "total": 8000, "seconds": 12}
    told |= {"side": "dancer", "rows": [row], "agent": "greedy", "key": ""}
    begun: list[Any] = []
    page.route("**/api/cards/comparison", lambda route: route.fulfill(json=told if begun else None))
    page.route("**/api/cards/compare", lambda route: begun.append(route))  # answered when the test says so
    page.goto(f"http://{address}/#cards")
    page.wait_for_selector("#findings .status")
    page.select_option("#card", "dancer")
    now(page, "document.getElementById('page').textContent.includes('The Dancer')")
    told["key"] = page.evaluate("checked")
    page.click("#compare")
    assert page.locator("#compare").is_disabled() and "begins" in page.inner_text("#compared")
    while not begun:
        page.wait_for_timeout(10)
    told["running"] = True
    begun[0].fulfill(json={"error": "another comparison is running: wait for it, or stop it"}, status=400)
    now(page, "document.getElementById('changes').textContent.includes('dj')")
    page.wait_for_timeout(900)
    assert "is running" in page.inner_text("#refused") and page.locator("#compare").is_disabled()
    assert "the text of dancer that is shown" in page.inner_text("#whose")
    told["running"] = False
    page.wait_for_selector("#compare:enabled")
    page.fill("#yaml", page.input_value("#yaml") + "# more")
    now(page, "document.getElementById('whose').textContent.includes('another text')")
    assert page.inner_text("#refused") == ""
    page.complaints.clear()  # the browser reports the refusal
