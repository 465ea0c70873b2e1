"""What the server lets through: nothing hidden, nothing for strangers, and a clear message to whoever sends nonsense."""

from __future__ import annotations

import errno
import http.client
import json
import secrets
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

import react_env
from react_env.content.words import asked_words
from react_env.engine.rng import seed_word
from react_env.errors import OptionError
from react_env.games.fight_sequence.deck_files import DECKS as FIGHT_DECKS
from react_env.games.reality_tcg.cards import DECKS
from react_env.replay import Replay
from react_env.web import recording
from react_env.web import server as S
from react_env.web.sessions import PERSON, Session, SessionError, Sessions
from tests.play import random_game
from tests.web.conftest import serving

GAMES: dict[str, dict[str, Any]] = {
    "arts_of_war-v0": {"artists": ["fortune_teller", "calligrapher"]},
    "fight_sequence-v0": {},
    "react_fast-v0": {"players": 4, "max_placements": 60},
    "reality_tcg-v0": {},
}


def begun(
    address: str, game: str = "fight_sequence-v0", seats: tuple[str, ...] = (PERSON, "random"), **more: Any
) -> str:
    """The id of a new game."""
    answer = httpx.post(
        f"http://{address}/api/sessions", json={"game": game, "seats": list(seats), **more}, timeout=120
    )
    assert answer.status_code == 200, answer.text
    return str(answer.json()["id"])


@contextmanager
def looking(address: str, session: str, **options: Any) -> Iterator[ClientConnection]:
    """A page that looks at a game."""
    with connect(f"ws://{address}/api/sessions/{session}", max_size=None, **options) as page:
        yield page


def heard(page: ClientConnection, kind: str = "view", seconds: float = 20) -> dict[str, Any]:
    """The next message of that kind."""
    while True:
        message: dict[str, Any] = json.loads(page.recv(timeout=seconds))
        if message["type"] == kind:
            return message


def to_choose(page: ClientConnection) -> dict[str, Any]:
    """The next position in which the person has to choose, or the end."""
    while not ((view := heard(page))["choices"] or view["over"]):
        pass
    return view


def choose(page: ClientConnection, view: dict[str, Any], number: int = 0) -> None:
    page.send(
        json.dumps({"type": "choose", "at": view["at"], "action": view["choices"][number % len(view["choices"])][0]})
    )


# ------------------------------------------------------------------------------------------------------------------------- what is hidden


@pytest.mark.parametrize("game_id", list(GAMES))
def test_a_view_is_the_same_for_every_position_that_its_player_cannot_tell_apart(game_id: str) -> None:
    game = react_env.load(game_id, **GAMES[game_id])
    for seat in range(game.num_players):
        seats = ["random"] * game.num_players
        seats[seat] = PERSON
        session = Session("x" * 22, game, seats, seed_word(seat))
        for number, (_, action) in enumerate(random_game(game, seat, game.new(start=session.start))):
            if number % 8 == 0 and session.looks == seat:
                shown = session.view()
                kept, session.state = session.state, game.determinize(session.state, seat, number)
                assert session.view() == shown
                session.state = kept
            session.take(action)
        assert session.over and session.looks is None


@pytest.mark.parametrize(
    ("game_id", "most"), [("fight_sequence-v0", 1000), ("arts_of_war-v0", 10), ("reality_tcg-v0", 10)]
)
def test_the_traffic_of_a_whole_game_tells_nothing_that_the_player_may_not_see(
    tmp_path: Path, game_id: str, most: int
) -> None:
    """Until the end, every message is made only from what the text of the position tells this player."""
    with serving(tmp_path) as address:
        session = begun(address, game_id, seed=5)
        store = Sessions(tmp_path)
        with looking(address, session) as page:
            number = 0
            while not (view := to_choose(page))["over"] and number < most:
                number += 1
                assert set(view) == {
                    *("type", "at", "svg", "choices", "nothing", "asked", "question", "lines", "from", "mover", "who"),
                    *("you", "watching", "shared", "over", "result"),
                }
                there = store.find(session)
                store._loaded.clear()
                game, state = there.game, there.state
                world = game.determinize(state, 0, number)
                assert view["svg"] == game.svg(world, 0, choices=True, style=False)
                assert view["choices"] == [[a, game.action_text(world, a)] for a in game.legal_actions(world).tolist()]
                refused = httpx.get(f"http://{address}/api/sessions/{session}/replay")
                assert refused.status_code == 400 and "goes on" in refused.json()["error"]
                assert view["asked"] == asked_words(game, world) != ""
                choose(page, view, number * 7)
        assert number > 5


# -------------------------------------------------------------------------------------------------------------------- who may ask


def test_only_the_page_itself_may_ask(address: str) -> None:
    get = lambda **headers: httpx.get(f"http://{address}/api/games", headers=headers).status_code  # noqa: E731
    port = address.rpartition(":")[2]
    assert get() == 200 and get(Host=f"localhost:{port}") == 200
    assert get(Host="evil.example") == 403 and get(Host=f"evil.example:{port}") == 403
    assert get(Origin="http://evil.example") == 403 and get(Origin=f"http://{address}") == 200
    session = begun(address)
    for wrong in ({"origin": "http://evil.example"}, {"additional_headers": {"Host": "evil.example"}}):
        with pytest.raises(Exception, match="403|400"), looking(address, session, **wrong):
            pass


def test_from_other_machines_only_with_the_token(tmp_path: Path) -> None:
    with serving(tmp_path, token="secret-token") as address, httpx.Client(base_url=f"http://{address}") as client:
        assert client.get("/").status_code == 403 and client.get("/?token=wrong").status_code == 403
        assert client.get("/api/games").status_code == 403
        assert client.get("/?token=secret-token", follow_redirects=True).status_code == 200
        assert client.get("/api/games").status_code == 200
        cookie = client.cookies.jar
        assert all(
            one.has_nonstandard_attr("HttpOnly") and one.get_nonstandard_attr("SameSite") == "strict" for one in cookie
        )


def test_a_page_may_load_nothing_from_elsewhere(address: str) -> None:
    for path in ("/", "/static/app.js", "/api/games", "/nothing"):
        answer = httpx.get(f"http://{address}{path}")
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
    for name in ("index.html", "page.css", "app.css", "app.js", "recording.html", "recording.css", "recording.js"):
        text = (Path(S.__file__).parent / "static" / name).read_text()
        assert "http://" not in text and "https:" not in text.replace('"https:" ?', ""), name
    for path in ("../server.py", "%2e%2e%2fserver.py", "index.html"):
        assert httpx.get(f"http://{address}/static/{path}").status_code == 404


def test_nobody_guesses_a_game(address: str) -> None:
    session = begun(address)
    assert len(session) >= 22
    for wrong in ("x", "../../etc/passwd", secrets.token_urlsafe(16), "%2e%2e"):
        assert httpx.get(f"http://{address}/api/sessions/{wrong}/cards").status_code in (400, 404)
    with looking(address, secrets.token_urlsafe(16)) as page:
        assert "no such game" in heard(page, "gone")["text"]


# ------------------------------------------------------------------------------------------------------------------------- nonsense


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "cannot be read"),
        ("{", "cannot be read"),
        ("[]", "cannot be read"),
        ('{"type": "choose"}', "at: Field required"),
        ('{"type": "fly", "at": 0}', "cannot be read"),
        ('{"type": "choose", "at": 0, "action": "1"}', "action: Input should be a valid integer"),
        ('{"type": "choose", "at": 0, "action": 1, "more": 2}', "more: Extra inputs"),
        ('{"type": "choose", "at": 0, "action": 100000}', "not legal"),
        ('{"type": "choose", "at": 0, "action": -1}', "not legal"),
        ('{"type": "choose", "at": 99, "action": 1}', "somebody else has already chosen"),
        ('{"type": "undo", "at": 0}', "nothing to take back"),
        ('{"type": "go", "at": 0}', "people play"),
        (json.dumps({"type": "undo", "at": 0, "x": "y" * 5000}), "at most 4096"),
    ],
)
def test_a_message_that_makes_no_sense_is_answered_and_changes_nothing(address: str, text: str, complaint: str) -> None:
    session = begun(address, seed=3)
    with looking(address, session) as page:
        before = to_choose(page)
        page.send(text.replace('"at": 0', f'"at": {before["at"]}'))
        assert complaint in heard(page, "error")["text"]
        choose(page, before)
        assert heard(page)["at"] > before["at"]


def test_ten_megabytes_and_a_thousand_messages_harm_only_who_sends_them(address: str) -> None:
    session = begun(address, seed=3)
    with looking(address, session) as witness:
        view = to_choose(witness)
        with looking(address, session) as page:
            heard(page)
            with pytest.raises(ConnectionClosed):
                page.send("x" * 10_000_000)
                heard(page, "never")
        with looking(address, session) as page:
            heard(page)
            with pytest.raises(ConnectionClosed) as closed:
                for _ in range(1000):
                    page.send('{"type": "undo", "at": -1}')
                while True:
                    last = json.loads(page.recv(timeout=10))
            assert (
                closed.value.rcvd is not None and closed.value.rcvd.code == 1008 and "messages a second" in last["text"]
            )
        choose(witness, view)
        assert heard(witness)["at"] > view["at"]
    big = httpx.post(f"http://{address}/api/recordings", json={"text": "x" * 300_000})
    assert big.status_code == 413 and "at most" in big.json()["error"]
    host, _, port = address.partition(":")
    chunked = http.client.HTTPConnection(host, int(port))
    chunked.request("POST", "/api/recordings", body=iter([b"x"] * 10), headers={"Content-Type": "application/json"})
    assert chunked.getresponse().status == 413


def test_two_pages_see_the_same_game_and_only_the_first_choice_counts(address: str) -> None:
    session = begun(address, seed=3)
    with looking(address, session) as one, looking(address, session) as other:
        view = to_choose(one)
        assert to_choose(other)["at"] == view["at"]
        choose(one, view)
        while heard(other)["at"] <= view["at"]:
            pass
        choose(other, view)
        assert "decision" in heard(other, "error")["text"] or "is to move" in heard(other, "error")["text"]


def test_after_the_end_nothing_can_be_chosen(address: str, folder: Path) -> None:
    game = react_env.load("fight_sequence-v0")
    actions = [action for _, action in random_game(game, 4)]
    ended = Session(secrets.token_urlsafe(16), game, [PERSON, "random"], seed_word(4), actions)
    (folder / f"{ended.id}.json").write_text(json.dumps(ended.saved()))
    with looking(address, ended.id) as page:
        view = heard(page)
        assert view["over"] and view["result"]
        page.send(json.dumps({"type": "choose", "at": view["at"], "action": 0}))
        assert "over" in heard(page, "error")["text"]
    text = httpx.get(f"http://{address}/api/sessions/{ended.id}/replay").text
    assert Replay.parse(text).actions == actions


@pytest.mark.parametrize(
    ("wanted", "complaint"),
    [
        ({"game": "chess", "seats": [PERSON, "random"]}, "there is no game"),
        ({"game": "fight_sequence-v0", "seats": [PERSON]}, "too short|at least 2"),
        ({"game": "fight_sequence-v0", "seats": [PERSON, "random", "random"]}, "2 seats"),
        ({"game": "fight_sequence-v0", "seats": [PERSON, "nobody"]}, "there is no agent"),
        ({"game": "fight_sequence-v0", "seats": [PERSON, "/etc/passwd"]}, "there is no agent"),
        ({"game": "fight_sequence-v0", "seats": [PERSON, "tests/toy.py:Agent"]}, "there is no agent"),
        ({"game": "fight_sequence-v0", "seats": [PERSON, "mcts:no"]}, "mcts"),
        ({"game": "fight_sequence-v0", "seats": [PERSON, "mcts:8,net=/srv/model"]}, "there is no agent"),
        ({"game": "arts_of_war-v0", "seats": [PERSON, "random"], "sides": ["dancer", "../dj"]}, "there is no"),
        ({"game": "arts_of_war-v0", "seats": [PERSON, "random"], "sides": ["dancer"]}, "1 for 2"),
        ({"game": "react_fast-v0", "seats": [PERSON, "random"], "sides": ["a", "b"]}, "have nothing to choose"),
        ({"game": "fight_sequence-v0", "seats": [PERSON, "random"], "seed": -1}, "greater than"),
        ({"game": "fight_sequence-v0", "seats": [PERSON, "random"], "options": {"x": 1}}, "Extra inputs"),
    ],
)
def test_a_game_that_cannot_be(address: str, wanted: dict[str, Any], complaint: str) -> None:
    answer = httpx.post(f"http://{address}/api/sessions", json=wanted, timeout=60)
    assert answer.status_code in (400, 422)
    assert any(one in answer.text for one in complaint.split("|")), answer.text


def test_a_recording_reads_no_files_of_the_server(address: str, tmp_path: Path) -> None:
    game = react_env.load("arts_of_war-v0", artists=("dancer", "dj"))
    text = Replay.record(game, [], seed=1).text(game)
    answer = httpx.post(f"http://{address}/api/recordings", json={"text": text}, timeout=60)
    assert httpx.get(f"http://{address}{answer.json()['page']}").text.startswith("<!doctype html>")
    for options in ('{"edition": "/etc"}', '{"artists": ["../x.yaml", "dj"]}', '{"profiles": {"file": "/etc/passwd"}}'):
        wrong = text.replace('{"artists": ["dancer", "dj"]}', options)
        assert wrong != text
        answer = httpx.post(f"http://{address}/api/recordings", json={"text": wrong})
        assert answer.status_code == 400 and "does not contain it; react-env" in answer.json()["error"]


def test_a_recording_is_shown_by_the_cards_that_it_carries_and_by_no_others(address: str, tmp_path: Path) -> None:
    shutil.copy(DECKS / "tempo.yaml", tmp_path / "mine.yaml")
    game = react_env.load("reality_tcg-v0", decks=[str(tmp_path / "mine.yaml"), "rush"])
    text = Replay.record(game, [], seed=1).text(game)
    (tmp_path / "mine.yaml").write_text("gone")
    opened = httpx.post(f"http://{address}/api/recordings", json={"text": text}, timeout=60)
    page = httpx.get(f"http://{address}{opened.json()['page']}", timeout=60).text
    assert page == recording.html(Replay.parse(text), served=True)
    (tmp_path / "set.yaml").write_text("a secret of this machine")
    wrong = text.replace("set: reality_default", f"set: {tmp_path / 'set.yaml'}")
    assert wrong != text
    answer = httpx.post(f"http://{address}/api/recordings", json={"text": wrong}, timeout=60)
    assert answer.status_code == 400 and "may not be read here" in answer.json()["error"]
    assert "secret" not in answer.text


def test_a_recording_leads_back_to_the_start_page_where_the_server_shows_it(address: str, folder: Path) -> None:
    """Past bug: only the browser's button led back. A recording saved as a file has nowhere to lead."""
    game = react_env.load("fight_sequence-v0")
    ended = Session(
        secrets.token_urlsafe(16), game, [PERSON, "random"], seed_word(4), [a for _, a in random_game(game, 4)]
    )
    (folder / f"{ended.id}.json").write_text(json.dumps(ended.saved()))
    opened = httpx.post(f"http://{address}/api/recordings", json={"text": ended.replay().text(game)}, timeout=60)
    for place in (f"/api/sessions/{ended.id}/recording", opened.json()["page"]):
        assert '<a href="/">' in httpx.get(f"http://{address}{place}", timeout=60).text
    assert "<a " not in recording.html(ended.replay(), game)


# -------------------------------------------------------------------------------------------------------------------------- sessions


def test_a_game_comes_back_as_it_was(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path)
    session = sessions.new("reality_tcg-v0", {}, [PERSON, "greedy"], seed=2)
    while session.at < 12:
        if session.waits_for_person:
            session.choose(session.at, int(session.game.legal_actions(session.state)[-1]))
        else:
            session.answer()
    sessions.keep(session)
    again = Sessions(tmp_path).find(session.id)
    assert again is not session and again.view() == session.view()
    (tmp_path / f"{session.id}.json").write_text("{")
    with pytest.raises(SessionError, match="cannot be read"):
        Sessions(tmp_path).find(session.id)
    (tmp_path / f"{session.id}.json").write_text(json.dumps({**session.saved(), "rules": "0" * 16}))
    with pytest.raises(SessionError, match="other rules"):
        Sessions(tmp_path).find(session.id)


@pytest.mark.parametrize("seed", [None, 7])
def test_a_replay_tells_the_seed_by_which_the_page_deals_the_game_again(seed: int | None, tmp_path: Path) -> None:
    """Past bug: the seed was null in every replay of the page."""
    session = Sessions(tmp_path).new("fight_sequence-v0", {}, ["random", "random"], seed)
    while session.answer():
        pass
    Sessions(tmp_path).keep(session)
    found = Sessions(tmp_path).find(session.id).replay().seed
    assert found is not None and seed in (None, found) and len(str(found)) <= 15  # few enough digits for the page
    assert Sessions(tmp_path).new("fight_sequence-v0", {}, session.seats, found).start == session.start
    older = {name: value for name, value in session.saved().items() if name != "seed"}
    (tmp_path / f"{session.id}.json").write_text(json.dumps(older))
    assert Sessions(tmp_path).find(session.id).replay().seed is None


def test_a_full_disk_stops_no_game_and_every_page_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: the page lost its connection, again and again, and the server printed a traceback."""
    full = OSError(errno.ENOSPC, "No space left on device", "folder/game.json")
    with serving(tmp_path) as address:
        session = begun(address)
        with looking(address, session) as page:
            view = to_choose(page)
            with monkeypatch.context() as patched:
                for module in ("sessions", "editor"):
                    patched.setattr(f"react_env.web.{module}.write_aside", Mock(side_effect=full))
                choose(page, view)
                assert heard(page)["at"] > view["at"]
                assert "No space left on device" in heard(page, "note")["text"]
                begun(address)
                typed = {
                    "game": "fight_sequence-v0",
                    "name": sorted(file.stem for file in FIGHT_DECKS.glob("*.yaml"))[0],
                }
                answer = httpx.post(f"http://{address}/api/cards/check", json={**typed, "text": "deck: x"}, timeout=60)
                assert "No space left on device" in answer.json()["error"] and "folder" not in answer.text
        with looking(address, session) as page:  # now there is room again
            choose(page, to_choose(page))
            to_choose(page)
        assert len(json.loads((tmp_path / f"{session}.json").read_text())["actions"]) > 1


def test_what_was_chosen_before_a_restart_can_be_taken_back(tmp_path: Path) -> None:
    game = react_env.load("arts_of_war-v0", artists=("tagger", "dancer"))
    sessions, done = Sessions(tmp_path), 0
    for seed in range(12):
        session = sessions.new(game.id, dict(game.options), [PERSON, PERSON], seed=seed)
        before = session.view()
        session.choose(0, int(game.legal_actions(session.state)[-1]))
        sessions.keep(session)
        try:
            here = session.undo(session.at)
        except SessionError:
            continue
        again = Sessions(tmp_path).find(session.id)
        assert again.undo(again.at) == here and again.view() == before
        done += 1
    assert done


@pytest.mark.parametrize("winner", [0, 1])
def test_who_has_lost_is_told_so(winner: int, tmp_path: Path) -> None:
    game = react_env.load("fight_sequence-v0")
    for seed in range(40):
        session = Session("x" * 22, game, [PERSON, "random"], seed_word(seed), [a for _, a in random_game(game, seed)])
        if game.rewards(session.state)[winner] > 0:
            assert session.view()["result"] == ("You win." if winner == 0 else "You lose.")
            return
    raise AssertionError("nobody won")


def test_nobody_is_told_of_a_moment_in_which_an_agent_may_have_nothing_to_choose(address: str) -> None:
    """AW-I2: if the engine passes for an agent, there is no such moment, so one in which an agent may react is not shown or counted."""
    game = react_env.load("arts_of_war-v0", artists=("tagger", "dancer"))
    here, hidden, shown, numbers = Session("x" * 22, game, [PERSON, "random"], seed_word(3)), set(), set(), []
    while here.at < 30 and not here.over:
        if here.waits_for_person:
            here.choose(here.at, int(game.legal_actions(here.state)[-1]))
        else:
            window = game.action_text(here.state, int(game.legal_actions(here.state)[0])) == "pass"
            assert window == here.might_be_forced
            hidden |= {here.view()["svg"]} if window else set()
            here.answer()
    with looking(address, begun(address, "arts_of_war-v0", seed=3, sides=["tagger", "dancer"])) as page:
        while len(numbers) < here.at and not (view := heard(page))["over"]:
            shown.add(view["svg"])
            if view["choices"]:
                numbers.append(view["at"])
                choose(page, view, -1)
    assert len(hidden) > 3 and len(shown) > 10 and not hidden & shown
    assert numbers == list(range(len(numbers)))


@pytest.mark.slow
def test_what_is_taken_back_is_gone_from_the_log(tmp_path: Path) -> None:
    game = react_env.load("arts_of_war-v0", artists=("dancer", "calligrapher"))
    undone = 0
    for seed in range(6):
        session = Session("x" * 22, game, [PERSON, PERSON], seed_word(seed))
        for _ in range(25):
            before, at = session.view(), session.at
            session.choose(at, int(game.legal_actions(session.state)[-1]))
            if session.over:
                break
            try:
                words = session.undo(session.at)
            except SessionError as refused:
                assert "take" in str(refused)
                continue
            undone += 1
            assert words.startswith("taken back: ") and session.view() == before
            session.choose(at, int(game.legal_actions(session.state)[0]))
    assert undone > 3


@pytest.mark.slow
def test_an_agent_that_fails_forfeits(tmp_path: Path) -> None:
    own = tmp_path / "wrong.py"
    own.write_text(
        "class Wrong:\n    def __init__(self, game): pass\n    def act(self, observations, masks, rng): raise ValueError('no')\n"
    )
    sessions = Sessions(tmp_path / "games", agents=(f"{own}:Wrong",))
    session = sessions.new("fight_sequence-v0", {}, [PERSON, f"{own}:Wrong"], seed=1)
    while not session.over:
        if session.waits_for_person:
            session.choose(session.at, int(session.game.legal_actions(session.state)[0]))
        else:
            session.answer()
    assert "forfeits" in session.view()["result"]
    session.close()


def test_old_games_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("react_env.web.sessions.MOST_LOADED", 2)
    monkeypatch.setattr("react_env.web.sessions.MOST_KEPT", 3)
    sessions = Sessions(tmp_path)
    ids = [sessions.new("fight_sequence-v0", {}, [PERSON, "random"], seed=n).id for n in range(5)]
    assert len(sessions._loaded) == 2 and sessions.find(ids[0]).id == ids[0]
    Sessions(tmp_path)
    assert len(list(tmp_path.glob("*.json"))) == 3
    with pytest.raises(OptionError, match="there is no agent"):
        sessions.new("fight_sequence-v0", {}, [PERSON, "nobody"])


@pytest.mark.slow
def test_many_games_at_once_do_not_disturb_each_other(address: str) -> None:
    """Each of 8 games, with a page of its own, goes on to its end."""
    ended = []

    def one(number: int) -> None:
        with looking(address, begun(address, seed=number)) as page:
            while not (view := to_choose(page))["over"]:
                choose(page, view, number)
            ended.append(view["at"])

    threads = [threading.Thread(target=one, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(ended) == 8


def test_a_position_can_be_looked_at_while_an_agent_thinks(tmp_path: Path) -> None:
    """The agent's choice counts only if the game has not changed in the meantime."""
    sessions = Sessions(tmp_path)
    session = sessions.new("fight_sequence-v0", {}, [PERSON, "random"], seed=1)
    while session.waits_for_person:
        session.choose(session.at, int(session.game.legal_actions(session.state)[0]))
    thinking, go_on = threading.Event(), threading.Event()
    agent = session._agent("random", session.mover)
    choice = agent.choice

    def slow(state: Any) -> int | None:
        thinking.set()
        go_on.wait(20)
        return choice(state)

    agent.choice = slow  # type: ignore[method-assign]
    thread = threading.Thread(target=session.answer)
    thread.start()
    assert thinking.wait(20)
    at = session.view()["at"]
    sessions.keep(session)
    with pytest.raises(SessionError, match="is to move"):
        session.choose(at, 0)
    go_on.set()
    thread.join()
    assert session.view()["at"] == at and len(session.actions) == at + 1


def test_an_agent_that_cannot_play_ends_the_game_with_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Sessions(tmp_path).new("fight_sequence-v0", {}, [PERSON, "random"], seed=1)
    while session.waits_for_person:
        session.choose(session.at, int(session.game.legal_actions(session.state)[0]))

    def broken(name: str, seat: int) -> Any:
        raise OptionError("its file has gone")

    monkeypatch.setattr(session, "_agent", broken)
    assert session.answer() and session.over
    assert session.view()["result"] == "random cannot play: its file has gone"


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"game": "arts_of_war-v0", "seats": [PERSON, "random"], "sides": ["dj", "dj"]}, "choose another one"),
        ({"game": "react_fast-v0", "seats": [PERSON, "champion", "random"]}, "learned other rules"),
    ],
)
def test_a_refusal_names_nothing_that_the_page_has_not(address: str, wanted: dict[str, Any], words: str) -> None:
    """Past bug: it named options of the command line, and a folder of the server."""
    told = httpx.post(f"http://{address}/api/sessions", json=wanted, timeout=120)
    assert told.status_code == 400 and words in told.json()["error"]
    assert not any(part in told.text for part in ("--", "/", "on_mismatch"))


def test_a_card_that_says_another_thing_on_each_side_is_told_for_both(tmp_path: Path) -> None:
    """Past bug: of two cards with the same name, the page showed the text of only one."""
    deck = (FIGHT_DECKS / "academy_default.yaml").read_text(encoding="utf-8")
    mine = tmp_path / "mine.yaml"
    mine.write_text(deck.replace("speed: 60", "speed: 40", 1), encoding="utf-8")
    game = react_env.load("fight_sequence-v0", decks=("academy_default", str(mine)))
    told = {words["name"]: words["lines"] for words in recording.texts(game, game.new(seed=1))}
    changed = [lines for lines in told.values() if lines[0].startswith("player_")]
    assert len(changed) == 1 and changed[0][0].startswith("player_0: Attack: Speed 60")
    assert any(line.startswith("player_1: Attack: Speed 40") for line in changed[0])
