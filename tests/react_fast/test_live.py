"""React Fast against the clock: the keyboard's input decides what happens, and the screen shows it."""

import io
import os
import re
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import react_env
from react_env import agents
from react_env.errors import UnsupportedOption
from react_env.games.react_fast import state as S
from react_env.games.react_fast.live import Live, _Terminal, is_pair, keys, needed_for, options_of
from react_env.games.react_fast.view import pile_notes
from tests.properties import uncompiled

HOLD, SLAP = "hold", "slap"


class Person:
    """Presses a key, or none, so many seconds into each wait, and adds up the time waited."""

    def __init__(self, press: Any) -> None:
        self.press, self.waited = press, 0.0

    def __call__(self, seconds: float) -> tuple[str, float]:
        key, after = self.press()
        if key and after < seconds:
            self.waited += after
            return key, after
        if seconds >= 3600:
            return "1", 0.0  # a question: give the first answer
        self.waited += seconds
        return "", seconds


class Silent:
    """A screen that shows nothing."""

    def __init__(self, wait: Person) -> None:
        self.wait = wait

    def show(self, match: Live, asked: list[tuple[str, str]]) -> None:
        assert match.game.svg(match.state, match.seat)

    def end(self, match: Live, left: bool) -> None:
        assert match.words(left)


def live(press: Any, seat: int = 0, seed: int = 3, **options: Any) -> tuple[Live, Person]:
    game = options_of(react_env.load("react_fast-v0", **{"players": 4, "max_placements": 60, **options}), seat)
    agent, rng = agents.load("scripted", game), np.random.default_rng(0)

    def choose(state: Any) -> int:
        player = np.array([game.to_play(state)])
        return int(agent.act_states(np.array([state], game.state_dtype), player, rng)[0])

    person = Person(press)
    return Live(game, choose, seat, seed, Silent(person)), person


@pytest.mark.parametrize("mode", ["decision", "skill"])
@pytest.mark.parametrize("seat", [0, 2])
def test_who_never_slaps_plays_the_game_that_holds(mode: str, seat: int) -> None:
    """The screen waits as long as the engine says: the time waited matches the clock of the game."""
    match, person = live(lambda: ("", 0.0), seat, mode=mode)
    assert match.run() and match.state["over"]
    assert person.waited * 1000 == pytest.approx(float(match.state["clock"]), rel=0.2)
    assert match.score.slaps == [] and match.score.in_vain == 0 and match.score.situations > 0


@pytest.mark.parametrize("pace", ["rush", "wait"])
def test_cards_come_as_fast_as_the_others_choose(pace: str) -> None:
    """Past bug: with `mode="skill"` the screen waited as if everybody had chosen the normal pace."""
    options = {"players": 2, "max_placements": 30, "mode": "skill", "profiles": {"alarm": (0.0, 0.0, 0.0)}}
    game = options_of(react_env.load("react_fast-v0", **options), 0)

    def choose(state: Any) -> int:
        legal = {game.action_names[action]: int(action) for action in game.legal_actions(state)}
        return next((legal[name] for name in (pace, HOLD, "ready", "activate nothing") if name in legal), 0)

    person = Person(lambda: ("", 0.0))
    match = Live(game, choose, 0, 3, Silent(person))
    assert match.run()
    assert person.waited * 1000 == pytest.approx(float(match.state["clock"]))


def test_a_fast_hand_takes_every_pile() -> None:
    """A player who slaps every situation at once gets all of them, and is told how fast the hand was."""
    match: Any = None

    def press() -> tuple[str, float]:
        s = match.state
        pair = min(s["face"], s["before"]) >= 0 and s["face"] % S.RANKS == s["before"] % S.RANKS
        held = s["free"] not in (S.NOBODY, match.seat)  # another player holds the free slap of Gems #7
        return (" ", 0.05) if pair and not held and s["decision"] == S.D_SLAP else ("", 0.0)

    match, _ = live(press, seed=13, max_placements=200)
    seen: list[str] = []
    say = match._say
    match._say = lambda line: (seen.append(line), say(line))[1]
    match.run()
    assert match.score.slaps and set(match.score.slaps) == {50.0} and match.score.in_vain == 0
    assert not [line for line in seen if " slaps the pile" in line] and [
        line for line in seen if "you slap the pile" in line
    ]
    assert "Your hand took 50 ms as a rule, 50 ms at best." in match.score.words()


def test_a_slap_in_vain_costs_cards() -> None:
    match: Any = None

    def press() -> tuple[str, float]:
        return (" ", 0.01) if match.state["decision"] == S.D_SLAP and not match.score.in_vain else ("", 0.0)

    match, _ = live(press)
    match.run()
    assert match.score.in_vain == 1 and match.state["penalties"][0] == 1


@pytest.mark.slow
def test_nothing_need_be_compiled() -> None:
    """Past bug: with NUMBA_DISABLE_JIT=1 (docs/your_own_game.md) the first card ended in a traceback."""
    game = "live(lambda: ('', 0.0), players=2, max_placements=2)[0].run()"
    assert uncompiled("tests.react_fast.test_live", game) == "True"


def test_who_plays_is_called_you() -> None:
    """Past bug: the targets of Coins #4 and #5 named the person by a number, which the screen shows nowhere."""
    match, _ = live(lambda: ("", 0.0), seat=2)
    state, asked = match.state, []
    while state["decision"] != S.D_ACTIVATE or state["to_play"] != 2:
        match.game.step(state, int(match.game.legal_actions(state)[0]))
    state["owner"][[S.C4, S.C5]], state["used"][[S.C4, S.C5]] = 2, 0
    state["free"], state["chance"], state["remaining"] = 2, 0, 3
    assert pile_notes(state, 2) == ["chance card of player_0: 3 chances for you", "your free slap"]
    assert pile_notes(state, 0) == ["your chance card: 3 chances for player_2", "free slap of player_2"]
    match.screen.show = lambda match, questions: asked.extend(questions)
    match._decide()
    told = [words for _, words in asked]
    assert "Coins #4 on you" in told and "player_2" not in str(told)


def test_the_game_can_be_left() -> None:
    match, _ = live(lambda: ("q", 0.0))
    assert not match.run()


def test_a_key_pressed_before_the_card_was_seen_does_not_slap() -> None:
    """Past bug: a key pressed while an agent thought about the next card slapped and took its pile after 1 ms."""
    pressed: list[str] = []
    screen = _Terminal(Console(file=io.StringIO()), lambda seconds: (pressed.pop(0), 0.0) if pressed else ("", seconds))
    match, _ = live(lambda: ("", 0.0))
    pressed[:] = " ", " "
    screen.show(match, [])
    assert screen.wait(0.5) == ("", 0.5)
    pressed[:] = " ", "q"
    screen.show(match, [])
    assert screen.wait(0.5)[0] == "q"  # the key to leave still counts


def test_there_must_be_a_clock() -> None:
    with pytest.raises(UnsupportedOption, match="--turn-based"):
        options_of(react_env.load("react_fast-v0", mode="deterministic"), 0)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")
def test_in_a_terminal() -> None:
    """The command in a pseudo-terminal: cards appear, the space bar works, q leaves, and the terminal is restored."""
    import pty
    import termios

    main, other = pty.openpty()
    before = termios.tcgetattr(other)
    command = [sys.executable, "-m", "react_env", "play", "react_fast-v0", "--against", "random", "--seed", "1"]
    run = subprocess.Popen(
        command, stdin=other, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "COLUMNS": "100"}
    )
    os.write(main, b"x")  # begins; other keys follow later, because each wait reads one key
    for _ in range(400):
        if run.poll() is not None:
            break
        time.sleep(0.05)
        os.write(main, b" ")
        if _ == 40:
            os.write(main, b"q")
    out = run.communicate(timeout=60)[0].decode()
    assert run.returncode == 0, out
    assert "You leave the game." in out or "You lose." in out or "You win." in out, out
    assert re.search(r"There was (nothing to slap|something to slap .* you were (never )?first)", out), out
    assert termios.tcgetattr(other) == before
    os.close(main)
    os.close(other)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")
def test_arrow_and_function_keys_choose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: Insert is sent as ESC [ 2 ~ and chose the second action; an arrow, ESC [ A, the one with the letter a."""
    import pty

    main, other = pty.openpty()
    with os.fdopen(other) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        with keys() as wait:
            for unused in ("\x1b[2~", "\x1b[A", "\x1bOP", "\x1b[15;5~", "\x1b"):
                os.write(main, unused.encode())
                assert wait(0.05)[0] == "", repr(unused)
                os.write(main, f"{unused}2".encode() if unused != "\x1b" else b"2")
                assert wait(5.0)[0] == "2", repr(unused)
    os.close(main)


class Slower:
    """Slaps whatever can be slapped, so many seconds after it was seen: a hand on its way goes on while the cards change."""

    def __init__(self, hand: float) -> None:
        self.hand = hand
        self.match: Any = None
        self.left: float | None = None  # seconds until the hand lands

    def __call__(self, seconds: float) -> tuple[str, float]:
        if seconds >= 3600:
            self.left = None  # it lands while the clock stands
            return "1", 0.0
        s, t = self.match.state, self.match.game.tables[0]
        free = s["free"] in (S.NOBODY, self.match.seat)
        if self.left is None and free and (is_pair(s, t) or needed_for(s, t) >= 0):
            self.left = self.hand
        if self.left is None or self.left >= seconds:
            self.left = None if self.left is None else self.left - seconds
            return "", seconds
        spent, self.left = self.left, None
        return " ", spent


def test_who_comes_second_has_not_slapped_the_next_card() -> None:
    """RF-G10. Past bug: a hand that landed a moment after another's was taken as a slap at the card that came then, in vain."""
    person = Slower(0.4)
    other = {
        "mu": 330,
        "sigma": 0,
        "tau": 0,
        "place_mu": 5000,
        "alarm": (0.0, 0.0, 0.0),
    }  # no card comes before the hands
    person.match, _ = live(lambda: ("", 0.0), players=3, profiles=[other] * 3, spread=0.0)
    person.match.screen.wait = person
    match = person.match
    assert match.run()
    assert match.score.situations > 2 and set(match.score.slaps) <= {400.0}  # those that the others missed
    assert match.score.in_vain == 0 and match.state["penalties"][0] == 0
