"""A game against the clock on a page (`Description.live`). The page itself measures the time from painting a frame to the key press of its
person, so the way to the server and back does not count."""

from __future__ import annotations

import asyncio
import json
import queue
import time
from contextlib import suppress
from functools import partial
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from react_env.agents.process.asked import Asked
from react_env.content.words import asked_words
from react_env.engine.game import Game
from react_env.registry import describe
from react_env.web.sessions import PERSON, SessionError

QUIT = "q"
SLACK = 0.03  # extra seconds to wait for a key, besides the way there and back
SLOWEST = 0.6  # most seconds there and back that are allowed for


class Key(BaseModel):
    """The page has painted frame `frame` (key ""), or a key was pressed `ms` milliseconds after that."""

    model_config = ConfigDict(extra="forbid", strict=True)
    frame: int
    key: str = Field("", max_length=1)
    ms: float = Field(0.0, ge=0, le=3.7e6)
    type: Literal["key"] = "key"


class Clock:
    """One game and the screen of its person (the `Screen` of the game's live module). It runs in its own thread.

    Args:
        game: the rules.
        seats: who plays; one of them is a person.
        seed: seed of the deal, and of all latencies except the person's.
    """

    def __init__(self, game: Game, seats: list[str], seed: int) -> None:
        live = describe(game.id).part("live")
        if live is None:
            raise SessionError(f"{game.id} has no clock")
        if seats.count(PERSON) != 1:
            raise SessionError(
                "one person plays against the clock, the others are agents; to watch agents, leave the clock out"
            )
        self.seat = seats.index(PERSON)
        person = live.options_of(game, self.seat)
        agents = self._agents = {
            seat: Asked(who, game, seed=(seed % 2**32, seat)) for seat, who in enumerate(seats) if who != PERSON
        }  # agents play the game as asked for: a trained one would refuse the rules with the person's profile

        def choose(state: Any) -> int:
            agent = agents[game.to_play(state)]
            action = agent.choice(state)
            if action is None:
                raise SessionError(f"{agent.name} forfeits: {agent.fault.message}")
            return action

        self._match = partial(live.Live, person, choose, self.seat, seed, self)
        self._playing = asyncio.Lock()
        self._gone = True  # whether no page is connected
        self._awaited = False  # whether another page waits for this one to leave
        self._last = ""  # the last message of a finished game
        self._set_up()

    def _set_up(self) -> None:
        self.match = self._match()
        self._keys: queue.Queue[Key] = queue.Queue(maxsize=100)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._out: asyncio.Queue[str | None] = asyncio.Queue()
        self._frame = 0
        self._heard = (0, 0.0)  # frame of the last key that counted, and its seconds there
        self._away = 0.05  # seconds there and back

    # -- the server's side --------------------------------------------------------------------------------------------------------

    @property
    def playing(self) -> bool:
        """Whether a page is playing."""
        return self._playing.locked()

    async def run(self, page: Any) -> None:
        """Play with a page until the game ends or the page leaves. If the game has not begun by then, it waits for the next page. A page
        that comes after the end is told how the game ended."""
        if self.playing and (self._awaited or not self._gone):
            await page.send_text(json.dumps({"type": "gone", "text": "this game against the clock has another page"}))
            return
        self._awaited = True
        async with self._playing:
            self._awaited = False
            if not self._last:
                await self._run(page)
            else:
                await page.send_text(self._last)

    async def _run(self, page: Any) -> None:
        self._gone = False
        self._loop = asyncio.get_running_loop()
        playing = asyncio.create_task(asyncio.to_thread(self._play))
        hearing = asyncio.create_task(self._hear(page))
        try:
            while (text := await self._out.get()) is not None:
                await page.send_text(text)
        finally:
            hearing.cancel()
            self._leave()
            try:
                await playing
            finally:
                self.close()
                if not self._last:
                    self._set_up()

    def _leave(self) -> None:
        """Note that the page has gone, and quit the game."""
        self._gone = True
        self._put(Key(frame=-1, key=QUIT, ms=0.0))

    def close(self) -> None:
        """End the agents' processes."""
        for agent in self._agents.values():
            agent.close()

    async def _hear(self, page: Any) -> None:
        try:
            while True:
                text = await page.receive_text()
                try:
                    if len(text) <= 200:
                        self._put(Key.model_validate_json(text))
                except ValidationError:
                    continue  # not a key
        except Exception:  # whatever ended the connection: the person has gone
            self._leave()

    def _put(self, key: Key) -> None:
        try:
            self._keys.put_nowait(key)
        except queue.Full:
            if key.frame == -1:  # the person leaves: earlier keys no longer matter
                with suppress(queue.Empty):  # the game may take keys at the same time
                    while True:
                        self._keys.get_nowait()
                self._keys.put_nowait(key)

    def _send(self, message: dict[str, Any] | None) -> None:
        assert self._loop is not None
        text = None if message is None else json.dumps(message)
        self._loop.call_soon_threadsafe(self._out.put_nowait, text)

    def _end(self, message: dict[str, Any]) -> None:
        self._last = json.dumps(message)
        self._send(message)

    def _play(self) -> None:
        try:
            self.match.run()
        except SessionError as error:
            self._end({"type": "gone", "text": str(error)})
        finally:
            self._send(None)

    # -- the screen -------------------------------------------------------------------------------------------------------------

    def show(self, match: Any, asked: list[tuple[str, str]]) -> None:
        """Send what the person sees, with the keys to choose from."""
        self._frame += 1
        self._send(self._message(asked))

    def _message(self, asked: list[tuple[str, str]], result: str = "") -> dict[str, Any]:
        match = self.match
        return {
            "type": "clock",
            "frame": self._frame,
            "svg": match.game.svg(match.state, self.seat, style=False),
            "lines": match.lines,
            "from": match.said - len(match.lines),
            "asked": asked,
            "question": asked_words(match.game, match.state) if asked else "",
            "begun": match.begun,
            "barred": match.barred(),
            "result": result,
        }

    def wait(self, seconds: float) -> tuple[str, float]:
        """The key that the person pressed and after how many seconds by the page's own clock, or ("", seconds) if none. Seconds count from
        when the page painted the frame, or from the last key in it."""
        frame, sent = self._frame, time.monotonic()
        before = self._heard[1] if self._heard[0] == frame else 0.0
        painted = sent
        while True:
            left = painted + seconds + self._away + SLACK - time.monotonic()
            try:
                key = self._keys.get(timeout=max(left, 0.0))
            except queue.Empty:
                return "", seconds
            if key.frame == -1 or key.key == QUIT:  # may come for another frame: the person left while an agent thought
                return QUIT, 0.0
            if key.frame != frame:
                continue  # pressed for an earlier frame
            if not key.key and painted == sent:  # only once: painting again gains no time
                painted = time.monotonic()
                self._away = min(SLOWEST, painted - sent)
            elif key.key and (spent := max(0.0, key.ms / 1000 - before)) < seconds:
                self._heard = frame, before + spent
                return key.key, spent

    def end(self, match: Any, left: bool) -> None:
        """Send how the game ended, unless the page left before it began."""
        self._frame += 1
        if match.begun or not self._gone:
            self._end(self._message([], f"{match.words(left)} {match.score.words()}"))
