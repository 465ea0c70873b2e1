"""The page's server: FastAPI routes, and a WebSocket for each page that shows a game.

Whatever a page sends is checked before anything else sees it: host and origin, the token if there is one, size, rate and form. A WebSocket
carries JSON objects, described at `Choose` and `Ask`; the answer to each is a view, a hint or an error in words.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections import OrderedDict, defaultdict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

import react_env
from react_env.engine.rng import random_seed
from react_env.errors import OptionError, ReactEnvError
from react_env.evaluation.lab.study import subject_of
from react_env.extras import need
from react_env.registry import describe, descriptions
from react_env.replay import Replay
from react_env.svg import STYLE
from react_env.web import editor, recording
from react_env.web.clock import Clock
from react_env.web.results import Results
from react_env.web.sessions import PERSON, Session, SessionError, Sessions

with need("web"):
    from fastapi import FastAPI, Request, Response, WebSocket, WebSocketDisconnect
    from fastapi.encoders import jsonable_encoder
    from fastapi.exceptions import RequestValidationError
    from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse

LARGEST = 256 * 1024  # bytes of a request
LARGEST_MESSAGE = 4096  # characters of a message over a WebSocket
MOST_RECORDINGS, MOST_CLOCKS = 30, 100
RATE, BURST = 40.0, 80.0  # messages answered per second and page; BURST may come at once
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
COOKIE = "react_env_token"
# If an agent refuses the rules: its own message names command line options and a folder of the server.
_OTHER_RULES = "this agent has learned other rules, for another number of players or other cards: choose another agent"
_FILES = {"app.js": "text/javascript", "app.css": "text/css"}


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Choose(_Message):
    """A person takes an action at decision `at`."""

    type: Literal["choose"]
    at: int
    action: int


class Ask(_Message):
    """At decision `at` a person takes back the last decision, or asks what a strong agent would do; or a watcher lets the agents go on by
    one decision."""

    type: Literal["undo", "hint", "go"]
    at: int


MESSAGE: TypeAdapter[Choose | Ask] = TypeAdapter(Annotated[Choose | Ask, Field(discriminator="type")])


class NewGame(_Message):
    """What a page sends to begin a game: `sides` are what the seats bring, in their order; [] if they bring nothing."""

    game: str = Field(max_length=60)
    seats: list[Annotated[str, Field(max_length=200)]] = Field(min_length=2, max_length=8)
    sides: list[Annotated[str, Field(max_length=60)]] = Field([], max_length=8)
    seed: int | None = Field(None, ge=0, lt=2**63)
    clock: bool = False  # play against the clock, if the game has one


class CardText(_Message):
    """A card file as typed, in place of the installed one of that name."""

    game: str = Field(max_length=60)
    name: str = Field(max_length=60)
    text: str = Field(max_length=LARGEST)


class CardGame(CardText):
    """A typed file to play, against an installed one in the hands of an agent."""

    other: str = Field(max_length=60)
    against: str = Field("medium", max_length=200)


class Recording(_Message):
    """The text of a replay file."""

    text: str = Field(max_length=LARGEST)


class Server:
    """The state that the routes share.

    Args:
        folder: where games are kept.
        agents: further agents that may be chosen, as `agents.load` understands them.
        token: what a page must know if other machines can reach the server; None: nothing.
        hosts: allowed names of the server. A request with another name in its Host header is refused, so that no foreign page can reach
            the server by a name of its own (DNS rebinding).
        results: files of arenas and folders of training runs to show.
    """

    def __init__(
        self,
        folder: Path,
        agents: tuple[str, ...],
        token: str | None,
        hosts: tuple[str, ...],
        results: tuple[Path, ...] = (),
    ) -> None:
        self.sessions = Sessions(folder, agents)
        self.editor = editor.Editor(folder / "cards")
        self.results = Results(results)
        self.token, self.hosts = token, hosts
        self.pages: dict[str, set[WebSocket]] = defaultdict(set)  # by game
        self.told: dict[WebSocket, int] = {}  # how many lines of the log each page has
        self.clocks: OrderedDict[str, Clock] = OrderedDict()  # games against the clock
        self.recordings: OrderedDict[str, str] = OrderedDict()  # pages of opened replays
        self.busy: dict[str, asyncio.Task[None]] = {}  # games in which agents are choosing

    # -- over HTTP --------------------------------------------------------------------------------------------------------------

    def catalogue(self) -> dict[str, Any]:
        """The games, what their seats may bring, and the agents."""
        found = []
        for game_id, about in descriptions().items():
            sides: list[str] = []
            if about.lab:
                with suppress(ReactEnvError):
                    sides = sorted(subject_of(game_id, {}).sides)
            low, high = about.players
            seats = {"players": [low, high], "side": about.seats, "sides": sides}
            found.append(
                {"id": game_id, "title": about.title, "brief": about.brief, **seats, "clock": bool(about.live)}
            )
        return {"games": found, "agents": self.sessions.names(), "person": PERSON, "version": react_env.__version__}

    def options(self, wanted: NewGame) -> dict[str, Any]:
        """The options of the game that a page wants. Raises OptionError."""
        about = describe(wanted.game)
        low, high = about.players
        if not low <= len(wanted.seats) <= high:
            raise OptionError(
                f"{about.title} has {low if low == high else f'{low} to {high}'} seats, not {len(wanted.seats)}"
            )
        options: dict[str, Any] = {"players": len(wanted.seats)} if low != high else {}
        if wanted.sides:
            if not about.seats or not about.lab:
                raise OptionError(f"the seats of {about.title} have nothing to choose")
            known = subject_of(wanted.game, {}).sides
            for side in wanted.sides:
                if side not in known:
                    raise OptionError(f"{about.seats}: there is no {side!r}; there are: {', '.join(sorted(known))}")
            if len(wanted.sides) != len(wanted.seats):
                raise OptionError(f"{about.seats}: {len(wanted.sides)} for {len(wanted.seats)} seats")
            options[about.seats] = wanted.sides
        elif about.every:
            options.update(about.every)
        return options

    def clock(self, name: str) -> Clock:
        """A game against the clock. Raises SessionError."""
        if name not in self.clocks:
            raise SessionError("this game against the clock does not exist, or no longer: start another one")
        return self.clocks[name]

    # -- over WebSockets --------------------------------------------------------------------------------------------------------

    async def tell(self, session: Session) -> None:
        """Send the position to every page that shows the game."""
        for page in list(self.pages.get(session.id, ())):
            with suppress(RuntimeError, WebSocketDisconnect):  # the page has gone in the meantime
                await self.show(page, session)

    async def show(self, page: WebSocket, session: Session) -> None:
        """Send the position to one page."""
        told = min(self.told.get(page, 0), len(session.lines))
        self.told[page] = len(session.lines)
        await page.send_text(json.dumps(session.view(told)))
        if session.unkept:  # only with a position: that an agent had a decision may be hidden
            await page.send_text(json.dumps({"type": "note", "text": session.unkept}))

    def let_agents_choose(self, session: Session) -> None:
        """Let agents choose in the background until a person is to move."""
        running = self.busy.get(session.id)
        if not session.over and not session.waits_for_person and (running is None or running.done()):
            self.busy[session.id] = asyncio.create_task(self._agents(session))

    async def _agents(self, session: Session) -> None:
        while await self._answer(session):
            if not session.might_be_forced:
                await self.tell(session)
        self.busy.pop(session.id, None)

    async def _answer(self, session: Session) -> bool:
        """Let an agent make one decision; return whether another decision of an agent follows without being asked for."""

        def work() -> None:
            session.answer()
            self.sessions.keep(session)

        await asyncio.to_thread(work)
        if session.over or session.waits_for_person:
            await self.tell(session)
            return False
        return True

    async def take(self, page: WebSocket, session: Session, text: str) -> None:
        """Do what a page asks for, and tell every page that shows the game. Raises SessionError if it cannot be done."""
        try:
            message = MESSAGE.validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise SessionError(f"this message cannot be read: {where}: {first['msg']}") from None

        def work() -> dict[str, Any] | None:
            answer = None
            if isinstance(message, Choose):
                session.choose(message.at, message.action)
            elif message.type == "undo":
                answer = {"type": "note", "text": session.undo(message.at)}
            elif message.type == "hint":
                return session.hint(message.at)
            elif PERSON in session.seats:
                raise SessionError("in this game people play; it goes on by itself")
            elif message.at != session.at or session.over:
                return {}  # another page was quicker
            else:
                session.answer()
            self.sessions.keep(session)
            return answer

        answer = await asyncio.to_thread(work)
        if message.type != "hint" and answer != {} and not session.might_be_forced:
            await self.tell(session)
        if answer:
            await page.send_text(json.dumps(answer))
        if isinstance(message, Choose):
            self.let_agents_choose(session)


class _Escaped(JSONResponse):
    """JSON in ASCII: names of files, and what a page has sent, may hold lone surrogates, which only an escape can write."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content).encode()


def app(
    folder: Path,
    agents: tuple[str, ...] = (),
    token: str | None = None,
    hosts: tuple[str, ...] = (),
    results: tuple[Path, ...] = (),
) -> FastAPI:
    """The page's server as an ASGI application; see `Server`."""
    server = Server(folder, agents, token, ("localhost", "127.0.0.1", "[::1]", *hosts), results)
    web = FastAPI(title="react_env", docs_url=None, redoc_url=None, openapi_url=None, default_response_class=_Escaped)
    web.state.server = server
    web.middleware("http")(partial(_guard, server))

    @web.exception_handler(RequestValidationError)
    async def unreadable(request: Request, error: RequestValidationError) -> Response:
        return _Escaped({"detail": jsonable_encoder(error.errors())}, 422)

    @web.exception_handler(ReactEnvError)
    async def refused(request: Request, error: ReactEnvError) -> _Escaped:
        told = str(error)
        return _Escaped({"error": _OTHER_RULES if "--any-rules" in told else told}, 400)

    @web.exception_handler(OSError)
    async def unwritable(request: Request, error: OSError) -> _Escaped:
        # Without the path: pages need not know the folders of the server.
        return _Escaped({"error": f"the server cannot use its files: {error.strerror or error}"}, 507)

    @web.get("/")
    async def index() -> HTMLResponse:
        return HTMLResponse(recording.static("index.html"))

    @web.get("/static/{name}")
    async def file(name: str) -> Response:
        if name == "page.css":
            return Response(STYLE + recording.static("page.css"), media_type="text/css")
        if name not in _FILES:
            return PlainTextResponse("there is no such file", 404)
        return Response(recording.static(name), media_type=_FILES[name])

    @web.get("/api/games")
    def games() -> dict[str, Any]:
        return server.catalogue()

    @web.post("/api/sessions")
    def begin(wanted: NewGame) -> dict[str, str]:
        return {"id": server.sessions.new(wanted.game, server.options(wanted), wanted.seats, wanted.seed).id}

    @web.post("/api/clocks")
    def begin_clock(wanted: NewGame) -> dict[str, str]:
        game = server.sessions.game(wanted.game, server.options(wanted))
        server.sessions.check(game, wanted.seats)
        clock = Clock(game, wanted.seats, random_seed() if wanted.seed is None else wanted.seed)
        name = secrets.token_urlsafe(16)
        server.clocks[name] = clock
        idle = [one for one, other in list(server.clocks.items()) if one != name and not other.playing]
        for one in idle[: max(0, len(server.clocks) - MOST_CLOCKS)]:
            if (other := server.clocks.pop(one, None)) is not None:
                other.close()
        return {"id": name}

    @web.get("/api/clocks/{name}/cards")
    def cards_of_clock(name: str) -> list[dict[str, Any]]:
        clock = server.clock(name)
        return recording.texts(clock.match.game, clock.match.state)

    @web.websocket("/api/clocks/{name}")
    async def clock_socket(page: WebSocket, name: str) -> None:
        if not await _accepted(server, page):
            return
        with suppress(WebSocketDisconnect, RuntimeError):
            try:
                await server.clock(name).run(page)
            except SessionError as error:
                await page.send_text(json.dumps({"type": "gone", "text": str(error)}))
            await page.close()

    @web.get("/api/results")
    def shown_results() -> list[dict[str, Any]]:
        return server.results.told()

    @web.get("/api/cards")
    def card_files() -> list[dict[str, Any]]:
        return editor.catalogue()

    @web.get("/api/cards/{game_id}/{name}")
    def card_file(game_id: str, name: str) -> PlainTextResponse:
        return PlainTextResponse(server.editor.text(game_id, name))

    @web.post("/api/cards/check")
    def check(given: CardText) -> dict[str, Any]:
        return server.editor.check(given.game, given.name, given.text)

    @web.post("/api/cards/play")
    def play_cards(given: CardGame) -> dict[str, str]:
        options = server.editor.options(given.game, given.name, given.text, given.other)
        return {"id": server.sessions.new(given.game, options, [PERSON, given.against]).id}

    @web.post("/api/cards/compare")
    def compare(given: CardText) -> dict[str, Any]:
        return server.editor.begin(given.game, given.name, given.text).told()

    @web.get("/api/cards/comparison")
    def comparison() -> dict[str, Any] | None:
        return None if server.editor.comparison is None else server.editor.comparison.told()

    @web.post("/api/cards/stop")
    def stop_comparing() -> dict[str, Any]:
        if server.editor.comparison is not None:
            server.editor.comparison.stop()
        return {}

    @web.get("/api/sessions/{session_id}/cards")
    def cards(session_id: str) -> list[dict[str, Any]]:
        session = server.sessions.find(session_id)
        return recording.texts(session.game, session.state)

    @web.get("/api/sessions/{session_id}/replay")
    def replay(session_id: str) -> PlainTextResponse:
        session = server.sessions.find(session_id)
        text = session.replay().text(session.game, words=False)
        return PlainTextResponse(text, headers={"Content-Disposition": 'attachment; filename="game.replay"'})

    @web.get("/api/sessions/{session_id}/recording")
    def recorded(session_id: str) -> HTMLResponse:
        session = server.sessions.find(session_id)
        page = recording.html(session.replay(), session.game, served=True)
        return HTMLResponse(page, headers={"Content-Security-Policy": recording.policy()})

    @web.post("/api/recordings")
    def read(given: Recording) -> dict[str, str]:
        replay = Replay.parse(given.text)
        name = secrets.token_urlsafe(16)
        server.recordings[name] = recording.html(replay, replay.game_of_its_files(), served=True)
        while len(server.recordings) > MOST_RECORDINGS:
            server.recordings.popitem(last=False)
        return {"page": f"/api/recordings/{name}"}

    @web.get("/api/recordings/{name}")
    def shown(name: str) -> Response:
        if (page := server.recordings.get(name)) is None:
            return PlainTextResponse("this recording is not kept any more: open its file again", 404)
        return HTMLResponse(page, headers={"Content-Security-Policy": recording.policy()})

    @web.websocket("/api/sessions/{session_id}")
    async def socket(page: WebSocket, session_id: str) -> None:
        if not await _accepted(server, page):
            return
        try:
            session = await asyncio.to_thread(server.sessions.find, session_id)
        except ReactEnvError as error:
            await page.send_text(json.dumps({"type": "gone", "text": str(error)}))
            await page.close(1008)
            return
        server.pages[session.id].add(page)
        try:
            await server.show(page, session)
            if PERSON in session.seats:
                server.let_agents_choose(session)
            await _listen(server, page, session)
        except WebSocketDisconnect:
            pass
        finally:
            server.pages[session.id].discard(page)
            if not server.pages[session.id]:
                del server.pages[session.id]
            server.told.pop(page, None)

    return web


async def _accepted(server: Server, page: WebSocket) -> bool:
    """Accept a page if it may connect, else close it; return whether it may."""
    if not _may_ask(server, page):
        await page.close(1008)
        return False
    await page.accept()
    return True


async def _listen(server: Server, page: WebSocket, session: Session) -> None:
    """Answer what a page sends until it leaves, or sends more than anybody can click."""
    allowance, last = BURST, time.monotonic()
    while True:
        text = await page.receive_text()
        now = time.monotonic()
        allowance, last = min(BURST, allowance + (now - last) * RATE), now
        if allowance < 1:
            await page.send_text(json.dumps({"type": "error", "text": f"more than {RATE:.0f} messages a second"}))
            await page.close(1008)
            return
        allowance -= 1
        try:
            if len(text) > LARGEST_MESSAGE:
                raise SessionError(f"a message has at most {LARGEST_MESSAGE} characters, not {len(text)}")
            # The game may have left memory in the meantime, to make room for others.
            session = await asyncio.to_thread(server.sessions.find, session.id)
            await server.take(page, session, text)
        except ReactEnvError as error:
            await page.send_text(json.dumps({"type": "error", "text": str(error), "at": session.at}))


async def _guard(server: Server, request: Request, call: Callable[[Request], Awaitable[Response]]) -> Response:
    """Refuse requests that are not allowed or too large, and set the security headers of each answer."""
    if not _may_ask(server, request):
        token = request.query_params.get("token")
        if (
            request.url.path == "/"
            and server.token is not None
            and token == server.token
            and _known_host(server, request)
        ):
            answer: Response = Response(status_code=303, headers={"Location": "/"})
            answer.set_cookie(COOKIE, server.token, httponly=True, samesite="strict")
        else:
            answer = PlainTextResponse("open the address that react-env web has printed", 403)
    elif int(request.headers.get("content-length") or 0) > LARGEST or "chunked" in request.headers.get(
        "transfer-encoding", ""
    ):
        answer = JSONResponse({"error": f"a request has at most {LARGEST} bytes, and says how many"}, 413)
    else:
        answer = await call(request)
    answer.headers.setdefault("Content-Security-Policy", POLICY)
    answer.headers["X-Content-Type-Options"] = "nosniff"
    answer.headers["Referrer-Policy"] = "no-referrer"
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _known_host(server: Server, asked: Request | WebSocket) -> bool:
    host = asked.headers.get("host", "").rpartition(":")
    name = host[0] if host[1] and host[2].isdecimal() else asked.headers.get("host", "")
    return name in server.hosts


def _may_ask(server: Server, asked: Request | WebSocket) -> bool:
    """Whether a request comes from our own page: to a host name of this server, from its own origin, with the token."""
    origin = asked.headers.get("origin")
    if not _known_host(server, asked) or (
        origin is not None and origin.partition("://")[2] != asked.headers.get("host")
    ):
        return False
    return server.token is None or asked.cookies.get(COOKIE) == server.token
