"""A game against the clock on a page: the page's own time counts, without the delay to the server."""

from __future__ import annotations

import asyncio
import json
import queue
import threading
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

import react_env
from react_env.errors import ReactEnvError, UnsupportedOption
from react_env.web.clock import Clock, Key
from react_env.web.sessions import PERSON


@pytest.fixture
def clock() -> Clock:
    game = react_env.load("react_fast-v0", players=4, max_placements=40)
    found = Clock(game, [PERSON, "random", "random"], seed=4)
    found._loop = asyncio.new_event_loop()
    found._frame = 7
    return found


def run(work: Coroutine[Any, Any, Any]) -> None:
    """Run a coroutine to its end, in a thread of its own: where a browser has been started, this one keeps a loop of events."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


def pressed(clock: Clock, *keys: tuple[float, Key]) -> None:
    """Let each key reach the server after its number of seconds."""
    for after, key in keys:
        threading.Timer(after, clock._put, (key,)).start()


def test_a_slap_counts_at_the_time_of_the_page_however_late_it_comes(clock: Clock) -> None:
    pressed(clock, (0.05, Key(frame=7, key="", ms=0.0)), (0.15, Key(frame=7, key=" ", ms=12.5)))
    assert clock.wait(10.0) == (" ", 0.0125)


def test_a_slap_of_another_frame_or_after_the_time_does_not_count(clock: Clock) -> None:
    pressed(clock, (0.01, Key(frame=6, key=" ", ms=3.0)), (0.02, Key(frame=7, key=" ", ms=150.0)))
    begin = time.monotonic()
    assert clock.wait(0.1) == ("", 0.1)
    assert time.monotonic() - begin > 0.1


def test_who_leaves_while_an_agent_thinks_is_heard(clock: Clock) -> None:
    """Past bug: the key was ignored, because it belonged to the frame that was shown before the agent had chosen."""
    clock._put(Key(frame=6, key="q", ms=900.0))
    assert clock.wait(5.0) == ("q", 0.0)


@pytest.mark.slow
def test_the_way_to_the_page_and_back_is_added_to_the_time(clock: Clock) -> None:
    """A page that painted 0.6 s after the frame was sent, and slapped late, is still heard after the time would have been over."""
    pressed(clock, (0.6, Key(frame=7, key="", ms=0.0)), (2.3, Key(frame=7, key=" ", ms=1650.0)))
    assert clock.wait(2.0) == (" ", 1.65)


def test_who_is_out_is_not_asked_to_slap(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: the page of a player who was out went on saying "Slap when there is something to slap"."""
    assert clock._message([])["barred"] == ""
    monkeypatch.setattr(clock.match.game, "svg", lambda *_, **__: "")  # cannot draw a record that play has not reached
    clock.match.state["locked"][clock.match.seat] = 1
    assert clock._message([])["barred"] == "You have no slap this round."
    clock.match.state["alive"][clock.match.seat] = 0
    assert clock._message([])["barred"] == "You are out; the others play on."


def test_who_has_gone_leaves_the_game(clock: Clock) -> None:
    for _ in range(200):
        clock._put(Key(frame=1, key=" ", ms=1.0))
    clock._put(Key(frame=-1, key="q", ms=0.0))
    assert clock.wait(5.0) == ("q", 0.0)


def test_the_processes_of_agents_end_with_the_game(clock: Clock) -> None:
    """Past bug: each game against an agent from a file left its process running."""
    ended: list[int] = []
    for agent in clock._agents.values():
        agent.close = lambda: ended.append(1)  # type: ignore[method-assign]

    class Gone:
        async def send_text(self, text: str) -> None: ...

        async def receive_text(self) -> str:
            raise RuntimeError("the page has gone")

    run(clock.run(Gone()))
    assert len(ended) == len(clock._agents) > 0


class Page:
    """A page that stays until `leave` is set and keeps what it was sent."""

    def __init__(self) -> None:
        self.leave, self.got = asyncio.Event(), list[str]()

    async def send_text(self, text: str) -> None:
        self.got.append(text)

    async def receive_text(self) -> str:
        await self.leave.wait()
        raise ConnectionError


async def told(page: Page) -> str:
    """The first message that a page gets."""
    while not page.got:
        await asyncio.sleep(0.01)
    return page.got[0]


def test_of_two_pages_that_come_while_an_agent_thinks_one_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: the other page also waited, without a message, until the whole game was over."""
    clock = Clock(react_env.load("react_fast-v0", players=4, max_placements=40), [PERSON, "random", "random"], seed=4)
    thinks, play = threading.Event(), clock._play

    async def meet() -> None:
        first, second, third = Page(), Page(), Page()
        monkeypatch.setattr(clock, "_play", lambda: (thinks.wait(30), play()))
        gone = asyncio.create_task(clock.run(first))
        first.leave.set()
        while not clock._gone or not clock.playing:
            await asyncio.sleep(0.01)
        waits = asyncio.create_task(clock.run(second))
        await asyncio.sleep(0)
        await clock.run(third)
        assert "another page" in third.got[0] and not second.got
        thinks.set()
        await gone
        assert not json.loads(await told(second))["begun"]
        second.leave.set()
        await waits

    run(asyncio.wait_for(meet(), 30))


def test_a_game_that_breaks_down_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: the next page got the broken game, and the agents' processes stayed."""
    clock = Clock(react_env.load("react_fast-v0", players=4, max_placements=40), [PERSON, "random", "random"], seed=4)
    closed: list[int] = []
    broken = clock.match
    monkeypatch.setattr(clock, "close", lambda: closed.append(1))
    monkeypatch.setattr(broken, "run", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run(clock.run(Page()))
    assert closed and clock.match is not broken


def test_who_may_play_against_the_clock() -> None:
    game = react_env.load("react_fast-v0", players=2)
    for seats in ([PERSON, PERSON], ["random", "random"]):
        with pytest.raises(ReactEnvError, match="one person"):
            Clock(game, seats, 1)
    with pytest.raises(ReactEnvError, match="no clock"):
        Clock(react_env.load("fight_sequence-v0"), [PERSON, "random"], 1)
    with pytest.raises(UnsupportedOption):
        Clock(react_env.load("react_fast-v0", players=2, mode="deterministic"), [PERSON, "random"], 1)


def test_the_champion_plays_against_the_clock() -> None:
    """Past bug: the champion was asked about the game with the person's profile, whose rules it had not learned."""
    game = react_env.load("react_fast-v0", players=4)
    clock = Clock(game, [PERSON, *["champion"] * 3], 1)
    assert all(agent.name == "champion" for agent in clock._agents.values())
    clock.close()


@pytest.mark.slow
def test_over_the_wire_nothing_hidden_is_told(address: str) -> None:
    wanted = {"game": "react_fast-v0", "seats": [PERSON, "random", "random"], "seed": 3, "clock": True}
    name = httpx.post(f"http://{address}/api/clocks", json=wanted, timeout=60).json()["id"]
    assert len(httpx.get(f"http://{address}/api/clocks/{name}/cards").json()) == 8
    with connect(f"ws://{address}/api/clocks/{name}") as page:
        message: Any = json.loads(page.recv(timeout=10))
        while message["frame"] < 6:
            assert set(message) == {
                "type",
                "frame",
                "svg",
                "lines",
                "from",
                "asked",
                "question",
                "begun",
                "barred",
                "result",
            }
            key = message["asked"][0][0] if message["asked"] else " " if message["frame"] == 1 else ""
            page.send(json.dumps({"frame": message["frame"], "key": key, "ms": 1.0 if key else 0.0}))
            page.send("nonsense")
            message = json.loads(page.recv(timeout=10))
        page.send(json.dumps({"frame": message["frame"], "key": "q", "ms": 1.0}))
        while not message["result"]:
            message = json.loads(page.recv(timeout=10))
        assert "You leave the game" in message["result"]
    with connect(f"ws://{address}/api/clocks/{name}") as page:  # a page that is reloaded
        assert json.loads(page.recv(timeout=10))["result"] == message["result"]
    with connect(f"ws://{address}/api/clocks/{name[::-1]}") as page:
        assert "start another one" in json.loads(page.recv(timeout=10))["text"]


@pytest.mark.slow
def test_a_game_that_has_not_begun_waits_for_a_page_that_is_loaded_again(address: str) -> None:
    """Past bug: the game was gone, and the page said that it was over."""
    wanted = {"game": "react_fast-v0", "seats": [PERSON, "random"], "seed": 3, "clock": True}
    name = httpx.post(f"http://{address}/api/clocks", json=wanted, timeout=60).json()["id"]
    seen = []
    for _ in range(3):
        assert httpx.get(f"http://{address}/api/clocks/{name}/cards").status_code == 200
        with connect(f"ws://{address}/api/clocks/{name}") as page:
            seen.append(json.loads(page.recv(timeout=10)))
            with connect(f"ws://{address}/api/clocks/{name}") as other:
                assert "another page" in json.loads(other.recv(timeout=10))["text"]
    assert seen[0] == seen[1] == seen[2] and not seen[0]["begun"]
    with connect(f"ws://{address}/api/clocks/{name}") as page:
        page.send(json.dumps({"frame": json.loads(page.recv(timeout=10))["frame"], "key": " ", "ms": 1.0}))
        assert json.loads(page.recv(timeout=10))["begun"]
    with connect(f"ws://{address}/api/clocks/{name}") as page:
        assert "You leave the game" in json.loads(page.recv(timeout=10))["result"]


class Script:
    """Keys that a page sends, each at its second; waiting for them is the only thing that takes time."""

    def __init__(self, *keys: tuple[float, Key]) -> None:
        self.now, self.keys = 0.0, list(keys)

    def monotonic(self) -> float:
        return self.now

    def get(self, timeout: float) -> Key:
        if not self.keys or self.keys[0][0] > self.now + timeout:
            self.now += timeout
            raise queue.Empty
        self.now, key = self.keys.pop(0)
        return key


@pytest.mark.parametrize(("at", "counts"), [(1.2, True), (1.5, False)])
def test_nobody_gets_time_by_painting_again(at: float, counts: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The round trip takes a tenth of a second and is added only once."""
    script = Script((0.1, Key(frame=1)), (0.9, Key(frame=1)), (at, Key(frame=1, key="s", ms=950)))
    assert scripted(script, monkeypatch).wait(1.0) == (("s", 0.95) if counts else ("", 1.0))


def test_a_second_key_in_the_same_frame_counts_from_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: its time since the card was painted was taken, so that the next card came too soon."""
    script = Script((0.1, Key(frame=1)), (0.4, Key(frame=1, key=" ", ms=300)), (0.6, Key(frame=1, key=" ", ms=500)))
    clock = scripted(script, monkeypatch)
    assert clock.wait(1.0) == (" ", 0.3)
    assert clock.wait(0.7) == (" ", pytest.approx(0.2))
    assert clock.wait(0.5) == ("", 0.5) and script.now > 1.1


def scripted(script: Script, monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock at frame 1 that hears these keys."""
    monkeypatch.setattr(time, "monotonic", script.monotonic)
    clock = object.__new__(Clock)
    clock._frame, clock._away, clock._keys, clock._heard = 1, 0.05, script, (0, 0.0)  # type: ignore[assignment]
    return clock
