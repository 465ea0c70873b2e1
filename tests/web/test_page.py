"""The page in a real browser: whole games by clicks and by keys, replays, a narrow screen, nothing that hinders anybody."""

from __future__ import annotations

import contextlib
import io
import json
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import react_env
from react_env.engine.rng import seed_word
from react_env.evaluation.document import Plot, Report, Section, Table, as_html
from react_env.pixels import rgb_array
from react_env.replay import Replay
from react_env.web import recording
from react_env.web.sessions import PERSON, Session
from tests.play import random_game

GAMES = ["arts_of_war-v0", "fight_sequence-v0", "react_fast-v0", "reality_tcg-v0"]


def begin(page: Any, address: str, game: str, against: str = "random", seed: int = 3, clock: bool = False) -> None:
    """From the first page to the first decision of a new game."""
    page.goto(f"http://{address}/")
    page.wait_for_selector("#seats .seat")
    page.select_option("#game", game)
    for who in page.locator(".who").all()[1:]:
        who.select_option(against)
    page.fill("#seed", str(seed))
    if page.locator("#clock").is_visible():
        page.set_checked("#clock", clock)
    page.click("#begin")
    page.wait_for_selector("#slap:not([hidden])" if clock else "#choices button, #after:not([hidden]), #cover[open]")


def now(page: Any, until: str, seconds: float = 30) -> None:
    """Wait until an expression of the page's script holds (the page's policy forbids Playwright's own way to wait)."""
    end = time.monotonic() + seconds
    while not page.evaluate(until):
        assert time.monotonic() < end, f"{until}: {page.inner_text('#status')} {page.inner_text('#note')}"
        page.wait_for_timeout(4)


def next_decision(page: Any, at: int) -> None:
    """Wait until the person has another decision to make, or the game is over."""
    now(page, f"seen.over || (seen.at !== {at} && seen.choices.length > 0) || only !== null")


def play_on(page: Any, turns: int, in_picture: bool = True) -> int:
    """Choose by clicks, alternately in the picture and in the list, until the game is over; return the number of clicks."""
    for number in range(turns):
        if page.evaluate("seen.over"):
            return number
        at = page.evaluate("seen.at")
        spots = page.locator("#picture [data-action]") if in_picture and number % 2 else None
        if spots is not None and spots.count():
            spots.nth(number % spots.count()).click(force=True)
        else:
            buttons = page.locator("#choices button:not(.all)")
            buttons.nth((number * 7) % buttons.count()).click()
        next_decision(page, at)
    raise AssertionError(f"no end after {turns} clicks")


def kept(folder: Path, game_id: str, left: int) -> str:
    """Save a game against random in a server's folder, `left` decisions before its end; return its id."""
    game = react_env.load(game_id, **({"artists": ["painter", "dj"]} if game_id == "arts_of_war-v0" else {}))
    actions = [action for _, action in random_game(game, 4)]
    seats = [PERSON, *["random"] * (game.num_players - 1)]
    session = Session(secrets.token_urlsafe(16), game, seats, seed_word(4), actions[: max(0, len(actions) - left)])
    (folder / f"{session.id}.json").write_text(json.dumps(session.saved()))
    return session.id


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_clicks(page: Any, address: str, game: str) -> None:
    begin(page, address, game)
    assert play_on(page, 900) > 3
    assert page.locator("#after").is_visible() and page.inner_text("#status")


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_the_end_of_a_game_by_clicks_then_its_recording(page: Any, address: str, folder: Path, game: str) -> None:
    page.goto(f"http://{address}/#play={kept(folder, game, 12)}")
    page.wait_for_selector("#choices button")
    play_on(page, 200)
    assert page.locator("#after").is_visible() and page.inner_text("#status")
    with page.expect_download() as download:
        page.click("#replay")
    replay = Replay.load(download.value.path())
    assert replay.game_id == game and replay.end in ("terminated", "truncated")
    page.click("#recording")
    page.wait_for_selector("#picture svg")
    assert page.inner_text("#where") == f"1 of {len(replay.actions) + 1}"


def test_by_the_keyboard_alone(page: Any, address: str) -> None:
    page.goto(f"http://{address}/")
    page.wait_for_selector("#seats .seat")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "game":
            break
    page.keyboard.type("Fight")
    while page.evaluate("document.activeElement.id") != "begin":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#choices button")
    for _ in range(20):
        if page.evaluate("seen.over"):
            break
        at = page.evaluate("seen.at")
        page.keyboard.press("2" if page.evaluate("seen.choices.length") > 1 else "1")
        next_decision(page, at)
        if page.evaluate("seen.choices.length"):  # the picture says whose turn it is, which may be the other player's
            assert page.inner_text("#status") == f"Your decision, player_{page.evaluate('seen.mover')}."
    assert page.evaluate("seen.over || seen.at > 10")  # the game is another one each time, and may be short


@pytest.mark.slow
def test_keys_choose_after_a_list_or_a_box_was_used(page: Any, address: str) -> None:
    """Past bug: no key worked until one clicked elsewhere."""
    begin(page, address, "reality_tcg-v0")
    for part in ("#read", "#judge"):
        page.focus(part)
        at = page.evaluate("seen.at")
        page.keyboard.press("1")
        next_decision(page, at)
        assert page.evaluate("seen.at") > at
    page.focus("#read")
    page.keyboard.press(" ")
    now(page, "document.getElementById('read').matches(':open')")
    at = page.evaluate("seen.at")
    page.keyboard.press("1")
    page.wait_for_timeout(300)
    assert page.evaluate("seen.at") == at, "a list that is open has them"


@pytest.mark.slow
def test_a_part_of_the_picture_is_chosen_by_tab_and_enter(page: Any, address: str) -> None:
    begin(page, address, "fight_sequence-v0")
    page.locator("#picture [data-action]").first.focus()
    assert page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("Enter")
    now(page, "only !== null || seen.at > 0")  # if a card may attack or respond, the list asks which
    assert page.locator("#words").inner_text() != ""


@pytest.mark.slow
@pytest.mark.parametrize("game_id", GAMES)
def test_pixels_are_those_that_a_browser_draws(page: Any, game_id: str) -> None:
    """Frames of videos look like the pictures on a page, except for the edges of letters."""
    game = react_env.load(game_id)
    states = [state for state, _ in zip((game.copy(state) for state, _ in random_game(game, 2)), range(40))]
    picture = game.svg(states[-1])
    page.set_viewport_size({"width": 640, "height": 960})
    page.set_content(f'<body style="margin:0;background:#faf8f3">{picture}</body>')
    drawn = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    frame = rgb_array(picture).astype(int)
    found = np.array(drawn).astype(int)
    blurred = [np.array(Image.fromarray(one.astype(np.uint8)).reduce(8)).astype(int) for one in (frame, found)]
    assert np.abs(frame - found).mean() < 6 and np.abs(blurred[0] - blurred[1]).max() < 130
    assert (np.abs(blurred[0] - blurred[1]).max(axis=2) > 40).mean() < 0.01


@pytest.mark.slow
def test_a_telephone(telephone: Any, address: str) -> None:
    page = telephone
    page.goto(f"http://{address}/")
    page.wait_for_selector("#seats .seat")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    begin(page, address, "arts_of_war-v0")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    begin(page, address, "reality_tcg-v0")
    spot = page.locator("#picture [data-action][data-card]").first
    name, at = spot.get_attribute("data-card"), page.evaluate("seen.at")
    spot.tap(force=True)
    now(page, "only !== null")
    assert page.evaluate("seen.at") == at, "a finger reads before it chooses"
    assert page.inner_text("#words").startswith(name)
    page.locator("#choices button").first.tap()
    now(page, f"seen.at !== {at}")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


SMALL_TARGETS = """[...document.querySelectorAll("button, select, nav a, input:not([type=checkbox]), .check")].filter((one) => {
    const box = one.getBoundingClientRect();
    return box.width && (box.height < 43.5 || box.width < 40);
}).map((one) => one.id || one.textContent)"""


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_telephone_can_be_read_and_touched(telephone: Any, address: str, game: str) -> None:
    """Letters and targets are large enough; the question, the news and the choices below the board are in sight without scrolling."""
    page = telephone
    begin(page, address, game)
    for number in range(8):
        if page.evaluate("seen.over"):
            break
        at = page.evaluate("seen.at")
        assert page.evaluate(SMALL_TARGETS) == []
        sizes = page.evaluate(
            """[...document.querySelectorAll("#picture text")].map((one) => {
                const scale = document.querySelector("#picture svg").getBoundingClientRect().width / 400;
                return scale * Number(one.getAttribute("font-size"));
            })"""
        )
        assert min(sizes) >= 8.5 and np.median(sizes) >= 12 * 0.9, sizes
        assert page.inner_text("#question") not in ("", ".")
        box = page.locator("#choices button").first.bounding_box()
        turn = page.locator("#turn").bounding_box()
        assert turn["y"] + turn["height"] <= 741 and box["y"] + box["height"] <= 741
        assert page.evaluate("document.documentElement.scrollWidth") <= 360 and box["x"] + box["width"] <= 360
        buttons = page.locator("#choices button:not(.all)")
        buttons.nth(number * 7 % buttons.count()).tap()
        next_decision(page, at)
        assert abs(page.locator("#picture").bounding_box()["y"]) < 60, "the board is in sight"
        assert bool(page.inner_text("#news")) == page.evaluate("lines.length > since")


@pytest.mark.slow
def test_on_a_telephone_the_hand_is_seen_above_the_choices_from_the_start(telephone: Any, address: str) -> None:
    """Past bug: the page scrolled before it was long enough, and the choices covered a part of the hand."""
    page = telephone
    page.set_viewport_size({"width": 390, "height": 700})
    begin(page, address, "fight_sequence-v0", seed=7)
    edge = "document.getElementById('%s').getBoundingClientRect().%s"
    assert page.evaluate(edge % ("picture", "bottom")) <= page.evaluate(edge % ("turn", "top")) + 2


@pytest.mark.slow
def test_on_a_telephone_names_and_figures_of_a_report_stand_side_by_side(telephone: Any) -> None:
    """Past bug: long figures covered the name."""
    page = telephone
    page.set_viewport_size({"width": 390, "height": 700})
    plot = Plot([("Calligrapher", 9.0, -2.6, 20.6, "+9.0 (-2.6 to +20.6) over 1 pairing")], "points")
    page.set_content(as_html(Report("What changes", "", [Section("In short", [], [plot])])))
    ends = """() => {
        const row = document.querySelector(".plot li"), name = document.createRange();
        name.selectNodeContents(row.querySelector(".name"));
        return [name.getBoundingClientRect().right, row.querySelector(".value").getBoundingClientRect().left];
    }"""
    name, figures = page.evaluate(ends)
    assert name < figures


@pytest.mark.slow
def test_on_a_telephone_an_interval_stays_on_its_line_and_prose_does_not(telephone: Any) -> None:
    rows = [
        ("Painter", "the painter scores " * 8, "53.2 % (51.0-55.4) of 2,000", *["24 (22-26); half of all 20 to 28"] * 3)
    ]
    table = Table(("side", "missed goal", "score", *"abc"), rows, left=2)
    telephone.set_content(as_html(Report("Balance", "", [Section("In short", [], [table])])))
    style = "part => [getComputedStyle(part).textAlign, part.offsetHeight > 60]"
    cells = telephone.locator(".figures tbody td")
    assert cells.nth(0).evaluate(style) == ["left", True]
    lines = "part => { const text = document.createRange(); text.selectNodeContents(part); return text.getClientRects().length; }"
    assert [cells.nth(number).evaluate(lines) for number in (1, 2)] == [1, 1]
    assert telephone.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.slow
def test_a_long_question_takes_the_room_that_a_telephone_has(telephone: Any, address: str) -> None:
    """Past bug: the question was cut after four lines, and the space below was empty."""
    page = telephone
    page.set_viewport_size({"width": 390, "height": 844})
    begin(page, address, "arts_of_war-v0", seed=1)
    shown = "(() => { document.getElementById('behind').textContent = 'what the card does '.repeat(%d); fit(); })()"
    high = "document.getElementById('%s').offsetHeight"
    page.evaluate(shown % 8)
    few = page.evaluate(high % "turn")
    page.evaluate(shown % 40)
    room = page.evaluate("parseFloat(getComputedStyle(document.getElementById('turn')).maxHeight)")
    assert few <= page.evaluate(high % "turn") == pytest.approx(room, abs=2)
    assert page.evaluate(high % "behind") > 83 + (room - few) / 2
    assert page.locator("#choices button").last.bounding_box()["y"] < 844


@pytest.mark.slow
def test_on_a_telephone_a_clock_is_played_by_touch(telephone: Any, address: str) -> None:
    page = telephone
    begin(page, address, "react_fast-v0", "scripted", clock=True)
    now(page, "clock.frame > 0")
    assert page.inner_text("#slap") == "Begin" and "Tap" in page.inner_text("#status")
    where = page.locator("#slap").bounding_box()
    page.tap("#slap")
    now(page, "clock.begun")
    assert page.inner_text("#slap") == "Slap"
    now(page, "clock.frame > 6")
    assert page.locator("#slap").bounding_box() == where, "it does not move away from under the finger"
    page.tap("#quit")
    now(page, "clock.over")
    assert "You leave" in page.inner_text("#status")


@pytest.mark.slow
def test_on_a_telephone_a_card_is_read_and_closed(telephone: Any, address: str) -> None:
    page = telephone
    begin(page, address, "arts_of_war-v0")
    page.locator("#picture [data-card]").first.tap(force=True)
    words, turn = page.locator("#words").bounding_box(), page.locator("#turn").bounding_box()
    assert words["y"] >= turn["y"] and words["y"] + words["height"] <= 741
    page.tap("#words .shut")
    assert page.inner_text("#words") == ""


@pytest.mark.slow
def test_the_log_grows_line_by_line(page: Any, address: str) -> None:
    """Old lines stay as they are, so that a screen reader reads only the new ones."""
    begin(page, address, "arts_of_war-v0", "random", seed=1)
    for _ in range(6):
        page.evaluate("document.querySelectorAll('#log p').forEach((line) => { line.dataset.old = '1'; })")
        at, before = page.evaluate("seen.at"), page.locator("#log p").count()
        page.locator("#choices button").first.click()
        next_decision(page, at)
        assert page.locator("#log p").count() == page.evaluate("lines.length")
        assert page.locator("#log p[data-old]").count() == before


@pytest.mark.slow
def test_two_people_share_a_screen(page: Any, address: str) -> None:
    """Neither hand is shown before its player says so."""
    begin(page, address, "fight_sequence-v0", PERSON)
    first = page.evaluate("waiting[0].you")
    for _ in range(2):  # before the first hand, and again after the page is reloaded
        assert page.evaluate("document.getElementById('cover').open && seen === null")
        assert f"Hand the screen to player_{first}." in page.inner_text("#cover")
        assert page.inner_html("#picture") == page.inner_text("#choices") == ""
        page.reload()
        page.wait_for_selector("#cover[open]")
    page.click("#cover button")
    now(page, "seen !== null && seen.choices.length > 0")
    eyes, asked = page.evaluate("seen.you"), 0
    for _ in range(12):
        now(page, f"document.getElementById('cover').open || (seen.choices.length > 0 && seen.you === {eyes})")
        if page.evaluate("document.getElementById('cover').open"):
            asked += 1
            assert f"Hand the screen to player_{1 - eyes}." in page.inner_text("#cover")
            assert page.inner_html("#picture") == page.inner_text("#choices") == page.inner_text("#words") == ""
            for _ in range(5):  # a browser closes a dialog at the third one, whatever the page says
                page.keyboard.press("Escape")
                page.wait_for_timeout(30)
                assert page.evaluate("document.getElementById('cover').open")
                assert page.inner_html("#picture") == page.inner_text("#choices") == ""
            if asked == 2:
                page.check("#open-hands")
            page.keyboard.press("Enter") if asked == 1 else page.click("#cover button")
            eyes = 1 - eyes
            now(page, f"seen.you === {eyes} && seen.choices.length > 0")
            assert page.inner_html("#picture") != ""
        if asked == 2:
            break
        at = page.evaluate("seen.at")
        page.keyboard.press("1")
        now(page, f"document.getElementById('cover').open || (seen !== null && seen.at !== {at})")
    assert asked == 2
    for _ in range(12):
        at = page.evaluate("seen.at")
        page.keyboard.press("1")
        next_decision(page, at)
        assert not page.evaluate("document.getElementById('cover').open")
    assert page.evaluate("seen.you") in (0, 1)


@pytest.mark.slow
def test_any_card_is_read_from_a_list(page: Any, address: str) -> None:
    begin(page, address, "reality_tcg-v0")
    at = page.evaluate("seen.at")
    names = page.locator("#read option").all_inner_texts()[1:]
    assert len(names) > 20 and names == sorted(names)
    page.select_option("#read", names[3])
    assert page.inner_text("#words").startswith(names[3]) and page.evaluate("seen.at") == at


@pytest.mark.slow
def test_take_back_hint_and_who_is_ahead(page: Any, address: str) -> None:
    begin(page, address, "arts_of_war-v0", "greedy", seed=1)
    while page.evaluate("seen.choices.length") < 2:
        page.keyboard.press("1")
    page.check("#judge")
    now(page, "!document.getElementById('ahead').hidden")
    assert "you win in about" in page.inner_text("#chance-words")
    assert "would" not in page.inner_text("#note") and page.locator("#choices .hinted").count() == 0, (
        "no hint was asked for"
    )
    page.click("#hint")
    now(page, "hinted !== null")
    assert "would" in page.inner_text("#note") and page.locator("#choices .hinted").count() == 1
    hint = page.inner_text("#note")
    page.evaluate("$('note').textContent = 'what stands here'")
    page.uncheck("#judge")
    page.check("#judge")
    now(page, "!document.getElementById('ahead').hidden")
    assert page.inner_text("#note") == "what stands here", "who is ahead is not another hint"
    page.click("#hint")
    now(page, "hinted !== null")
    assert page.inner_text("#note") == hint, "one position, one hint"
    page.keyboard.press("Escape")
    page.click("#undo")
    now(page, "/tak(e|en) back/.test(document.getElementById('note').textContent)")
    page.wait_for_timeout(400)
    assert "back" in page.inner_text("#note"), "it stays until something else is said"


@pytest.mark.slow
def test_there_is_no_form_before_the_games_have_come(page: Any, address: str) -> None:
    asked: list[Any] = []
    page.route("**/api/games", lambda route: asked.append(route))  # answered when the test says so
    page.goto(f"http://{address}/")
    while not asked:
        page.wait_for_timeout(10)
    assert page.inner_text("#loading") == "Loading …" and page.locator("#begin").is_hidden()
    assert page.title() == "New game - react_env"
    page.evaluate("location.hash = 'cards'")
    assert page.locator("#loading").is_visible() and page.locator("#kind").is_hidden()
    assert page.title() == "Cards - react_env"
    page.evaluate("location.hash = 'new'")
    asked[0].continue_()
    page.wait_for_selector("#seats .seat")
    assert page.locator("#begin").is_visible() and page.locator("#loading").is_hidden()
    page.unroute("**/api/games")
    page.route("**/api/games", lambda route: route.abort())
    page.reload()
    now(page, "document.getElementById('loading').textContent.includes('does not answer')")
    assert [text for text in page.complaints if "ERR_FAILED" not in text] == []
    page.complaints.clear()


@pytest.mark.slow
def test_a_game_that_is_gone_leaves_no_buttons(page: Any, address: str) -> None:
    begin(page, address, "fight_sequence-v0")
    page.evaluate("location.hash = 'play=AAAAAAAAAAAAAAAAAAAAAA'")
    now(page, "document.getElementById('status').textContent.includes('no such game')")
    unusable = ("#tools", "#slap", "#log-keys", "#reading")
    assert all(page.locator(part).is_hidden() for part in unusable)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate("location.hash = 'play=../../x'")
    now(page, "document.getElementById('status').textContent === 'There is no such game.'")
    page.wait_for_timeout(300)
    assert not asked and all(page.locator(part).is_hidden() for part in unusable)
    assert [text for text in page.complaints if "status of 400" not in text] == []
    page.complaints.clear()


@pytest.mark.slow
def test_back_and_forward_while_the_server_is_slow(page: Any, address: str) -> None:
    """Past bug: a game that was left and entered again before its cards had come was connected twice, with the cards of both games."""
    begin(page, address, "reality_tcg-v0")
    other = page.evaluate("location.hash")
    begin(page, address, "fight_sequence-v0")
    this, names = page.evaluate("location.hash"), page.evaluate("[...cards.keys()]")
    sockets: list[Any] = []
    page.on("websocket", lambda socket: sockets.append(socket))
    asked: list[Any] = []
    page.route("**/cards", lambda route: asked.append(route))  # answered when the test says so
    for place in ("#new", this, other, "#new", this):
        page.evaluate(f"location.hash = '{place}'")
        page.wait_for_timeout(50)
    while len(asked) < 3:
        page.wait_for_timeout(10)
    for route in asked:
        route.continue_()
    page.wait_for_selector("#choices button")
    page.wait_for_timeout(300)
    assert len(sockets) == 1 and page.evaluate("[...cards.keys()]") == names


@pytest.mark.slow
def test_what_cannot_be_used_is_not_there(page: Any, address: str, folder: Path) -> None:
    """Past bug: the buttons of a decision were shown over an empty board, and the line about keys below a finished game."""
    unusable = ("#tools", "#slap", "#log-keys")
    asked: list[Any] = []
    page.route("**/cards", lambda route: asked.append(route))  # answered when the test says so
    page.goto(f"http://{address}/#play={kept(folder, 'fight_sequence-v0', 0)}")
    while not asked:
        page.wait_for_timeout(10)
    assert page.inner_text("#status") == "Loading …"
    assert all(page.locator(part).is_hidden() for part in unusable)
    asked[0].continue_()
    page.wait_for_selector("#after:not([hidden])")
    assert all(page.locator(part).is_hidden() for part in unusable)
    page.unroute("**/cards")
    begin(page, address, "fight_sequence-v0")
    assert page.locator("#tools").is_visible() and page.locator("#log-keys").is_visible()


@pytest.mark.slow
def test_enter_goes_on_after_a_click(page: Any, address: str) -> None:
    """If there is a choice that lets the others go on, it has the focus, and two clicks are not two decisions."""
    begin(page, address, "arts_of_war-v0", "greedy", seed=1)
    passes = 0
    for _ in range(30):
        if page.evaluate("seen.over"):
            break
        at = page.evaluate("seen.at")
        if page.locator("#choices button.first").count():
            assert page.evaluate("document.activeElement.className") == "first" or not passes
            passes += 1
            page.locator("#choices button").last.focus()
        page.locator("#choices button").last.evaluate("button => { button.click(); button.click(); }")
        next_decision(page, at)
    assert passes


@pytest.mark.slow
def test_a_game_against_the_clock(page: Any, address: str) -> None:
    """Cards come by themselves, the space bar slaps at the time that the page has measured, and q leaves."""
    begin(page, address, "react_fast-v0", "scripted", clock=True)
    now(page, "clock.frame > 0")
    assert "Press a key" not in page.inner_text("#log") and "space bar to begin" in page.inner_text("#status")
    page.keyboard.press(" ")
    slapped = False
    for _ in range(600):
        if page.evaluate("clock.asked?.length > 0"):
            page.keyboard.press(page.evaluate("clock.asked[0]"))
        elif page.evaluate("clock.frame > 8") and not slapped:
            page.keyboard.press(" ")
        slapped = slapped or "you slap" in page.inner_text("#log") or "your hand" in page.inner_text("#log")
        if slapped or page.evaluate("clock.over"):
            break
        page.wait_for_timeout(30)
    assert slapped
    page.keyboard.press("q")
    now(page, "clock.over")
    assert "on the clock" in page.inner_text("#status")


@pytest.mark.slow
def test_a_clock_that_is_left_before_it_begins_and_one_whose_server_goes(page: Any, address: str) -> None:
    """Past bugs: Enter on a link began the game that it left, which was lost; buttons stayed that nothing answered."""
    begin(page, address, "react_fast-v0", "random", clock=True)
    now(page, "clock.frame > 0")
    place = page.evaluate("location.hash")
    page.focus("nav a[href='#open']")
    page.keyboard.press("Enter")
    page.wait_for_selector("#file")
    page.evaluate(f"location.hash = '{place}'")
    page.wait_for_selector("#slap:not([hidden])")
    assert page.inner_text("#status") == "Press the space bar to begin."
    page.focus("#slap")
    page.keyboard.press("Enter")
    now(page, "clock.begun", 60)
    page.evaluate("socket.close()")
    now(page, "document.getElementById('status').textContent.includes('has gone')")
    assert (
        page.locator("#slap").is_hidden()
        and page.locator("#quit").is_hidden()
        and page.locator("#recording").is_hidden()
    )
    page.click("#again")
    page.wait_for_selector("#begin")


@pytest.mark.slow
def test_lines_of_a_clock_are_told_once_and_a_held_key_slaps_once(page: Any, address: str) -> None:
    """Past bugs: a screen reader began again from the first line with each card, and the space bar, held down, slapped once more when it
    was let go."""
    begin(page, address, "react_fast-v0", "random", clock=True)
    now(page, "clock.frame > 0")
    page.evaluate(
        """() => {
          window.told = [];
          window.pressed = [];
          const news = (changes) => told.push(...changes.flatMap((one) => [...one.addedNodes]).map((one) => one.textContent));
          new MutationObserver(news).observe($("log"), { childList: true });
          say = (message) => {
            if (message.key) pressed.push(message.key);
            socket.send(JSON.stringify(message));
          };
        }"""
    )
    before = page.locator("#log p").count()
    page.focus("#slap")
    for key in (" ", "Enter"):
        for _ in range(3):
            page.keyboard.down(key)
        page.keyboard.up(key)
        now(page, "clock.begun", 60)
    pressed = page.evaluate("pressed")
    assert pressed in ([" "], [" ", " "]), "each key once, but Enter not while the button waits for a decision"
    end = time.monotonic() + 60
    while page.locator("#log p").count() < 8 and not page.evaluate("clock.over"):
        assert time.monotonic() < end
        if page.evaluate("clock.asked?.length > 0"):
            page.keyboard.press(page.evaluate("clock.asked[0]"))
        page.wait_for_timeout(30)
    shown = page.locator("#log p").all_inner_texts()
    assert len(page.evaluate("told")) == page.evaluate("clock.said") - before
    assert page.evaluate("told")[-len(shown) :] == shown[-len(page.evaluate("told")) :]
    page.keyboard.press("q")
    now(page, "clock.over")


@pytest.mark.slow
def test_a_held_key_makes_one_decision(page: Any, address: str) -> None:
    """Past bug: the key of a choice, held down for a moment, made the next decisions, too; Enter, held down, uncovered the next hand."""
    begin(page, address, "fight_sequence-v0")
    for key in ("1", "Enter"):
        at = page.evaluate("seen.at")
        page.locator("#choices button").first.focus()
        page.keyboard.down(key)
        for _ in range(12):
            page.keyboard.down(key)
            page.wait_for_timeout(20)
        page.keyboard.up(key)
        now(page, "seen.over || seen.choices.length > 0")
        assert page.evaluate("seen.at") == at + 1, key
    name = page.locator("#choices button").first.aria_snapshot()
    assert (
        re.search(r'button "[^0-9]', name)
        and page.locator("#choices button").first.get_attribute("aria-keyshortcuts") == "1"
    )


@pytest.mark.slow
def test_the_choices_are_in_sight_at_a_zoom_of_400_percent(page: Any, address: str) -> None:
    """Past bug: the status and the news filled the strip below the board, and no choice was in sight."""
    page.set_viewport_size({"width": 320, "height": 225})
    for game in GAMES:
        begin(page, address, game)
        place = page.locator("#choices button").first.bounding_box()
        assert place is not None and place["y"] + min(place["height"], 30) <= 225, game


@pytest.mark.slow
def test_two_agents_are_watched(page: Any, address: str) -> None:
    page.goto(f"http://{address}/")
    page.wait_for_selector("#seats .seat")
    page.select_option("#game", "fight_sequence-v0")
    for who in page.locator(".who").all():
        who.select_option("random")
    page.click("#begin")
    page.wait_for_selector("#watch:not([hidden])")
    page.click("#step")
    now(page, "seen.at === 1")
    page.evaluate("document.activeElement.blur()")
    shown = page.inner_text("body")
    for key in "uh1":  # keys for players, which do nothing here
        page.keyboard.press(key)
    page.wait_for_timeout(200)
    assert page.inner_text("body") == shown
    page.select_option("#pace", "150")
    page.click("#run")
    now(page, "seen.at > 5")
    page.click("#run")
    assert page.locator("#undo").is_hidden()


@pytest.mark.slow
def test_a_replay_is_opened_and_stepped(page: Any, address: str, tmp_path: Path) -> None:
    game = react_env.load("reality_tcg-v0")
    actions = [action for _, action in random_game(game, 5)]
    file = tmp_path / "a.replay"
    Replay.record(game, actions, seed=5, players=["ada", "bea"]).save(file, game)
    page.goto(f"http://{address}/#open")
    held: list[Any] = []
    page.route(
        "**/api/recordings", lambda route: held.append(route)
    )  # answered when the test says so: opening a long replay takes seconds
    page.set_input_files("#file", file)
    now(page, "document.getElementById('unreadable').textContent === 'opening …'")
    while not held:
        page.wait_for_timeout(10)
    held[0].continue_()
    page.wait_for_selector("#slider")
    page.unroute("**/api/recordings")
    _step_through(page, len(actions))
    page.goto(f"http://{address}/#open")
    file.write_text(file.read_text().replace("end:", "fin:"))
    page.set_input_files("#file", file)
    now(page, "document.getElementById('unreadable').textContent.includes('line')")
    page.complaints[:] = [text for text in page.complaints if "400" not in text]  # the browser reports the refusal


def _step_through(page: Any, decisions: int) -> None:
    page.wait_for_selector("#picture svg")
    assert page.inner_text("#where") == f"1 of {decisions + 1}"
    everything = page.inner_html("#picture")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("PageDown")
    assert page.inner_text("#where") == f"12 of {decisions + 1}"
    page.keyboard.press("Home")
    page.select_option("#view", label="what player_1 knew")
    assert page.inner_html("#picture") != everything
    page.locator("#picture [data-card]").first.hover(force=True)
    assert page.locator("#words p").count() > 1
    page.click("#last")
    assert "the end" in page.inner_text("#choice")
    page.select_option("#speed", "120")
    page.click("#play")
    page.wait_for_timeout(400)
    assert page.inner_text("#where") != f"{decisions + 1} of {decisions + 1}"


@pytest.mark.slow
def test_a_recording_opens_from_a_file_without_any_server(page: Any, tmp_path: Path) -> None:
    game = react_env.load("arts_of_war-v0", artists=("painter", "dj"))
    actions = [action for _, action in random_game(game, 2)][:60]
    replay = Replay.record(game, actions, seed=2)
    file = tmp_path / "game.html"
    file.write_text(recording.html(replay, game), encoding="utf-8")
    page.goto(file.as_uri())
    _step_through(page, len(actions))


@pytest.mark.slow
@pytest.mark.parametrize("place", ["new", "open", "cards", "play", "recording"])
def test_accessibility(page: Any, address: str, folder: Path, place: str) -> None:
    if place in ("new", "open", "cards"):
        page.goto(f"http://{address}/#{place}")
        page.wait_for_selector("#findings .status" if place == "cards" else "#seats .seat", state="attached")
    else:
        page.goto(f"http://{address}/#play={kept(folder, 'arts_of_war-v0', 20 if place == 'play' else 0)}")
        page.wait_for_selector("#choices button, #after:not([hidden])")
        if place == "recording":
            page.click("#recording")
            page.wait_for_selector("#picture svg")
    _serious_violations(page)


@pytest.mark.slow
def test_accessibility_on_a_telephone(telephone: Any, address: str) -> None:
    page = telephone
    begin(page, address, "arts_of_war-v0", seed=1)
    assert page.inner_text("#behind")
    _serious_violations(page)
    page.locator("#picture [data-card]").first.tap(force=True)
    assert page.inner_text("#words")
    _serious_violations(page)


def _serious_violations(page: Any) -> None:
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert not serious, [(one["id"], [node["html"][:150] for node in one["nodes"][:3]]) for one in serious]


@pytest.mark.slow
def test_a_server_that_is_killed_comes_back_with_its_games(chromium: Any, tmp_path: Path) -> None:
    """After kill -9 in the middle of a game, the page waits; when the server is back, the game goes on where it was."""
    context = chromium.new_context(reduced_motion="reduce")
    page = context.new_page()
    with killed(tmp_path, 0) as address:
        begin(page, address, "fight_sequence-v0")
        at = page.evaluate("seen.at")
        page.locator("#choices button").first.click()
        next_decision(page, at)
        played = page.evaluate("seen.at")
    now(page, "document.getElementById('status').textContent.includes('trying again')")
    with killed(tmp_path, int(address.rpartition(":")[2])):
        now(page, f"seen.at === {played} && !document.getElementById('status').textContent.includes('trying')")
        page.locator("#choices button").first.click()
        next_decision(page, played)
    context.close()


@contextlib.contextmanager
def killed(folder: Path, port: int) -> Iterator[str]:
    """The address of `react-env web` in a process of its own, which is killed at the end."""
    command = [
        sys.executable,
        "-m",
        "react_env",
        "web",
        "--no-browser",
        "--folder",
        str(folder),
        "--port",
        str(port),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split("//")[1].split("/")[0]
        process.kill()
