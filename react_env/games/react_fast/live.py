"""React Fast against the clock: cards appear in time, the space bar slaps, and the others react as their profiles say.

The engine draws when each agent's hand lands. Here those times are known before a window begins, and the screen shows each event at its
time. The person's hand lands when the key is pressed. The screen is a terminal (`play`) or a page in a browser.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from react_env.engine.plain import from_python
from react_env.errors import UnsupportedOption
from react_env.games.react_fast import actions as A
from react_env.games.react_fast import state as S
from react_env.games.react_fast import turn, window
from react_env.games.react_fast.game import load
from react_env.games.react_fast.view import QUESTIONS
from react_env.games.react_fast.window import NEVER

if TYPE_CHECKING:
    from rich.console import Console

    from react_env.engine.game import Game

next_actor, next_act, slap_time, is_pair, needed_for = map(
    from_python, (turn.next_actor, window.next_act, window.slap_time, window.is_pair, window.needed_for)
)
QUIT = "q"
SLAP = " "
LINES = 8  # events that are shown
LATE = 0.2  # seconds; nobody has seen a card and slapped it so soon
_VERBS = {f"{verb}s": verb for verb in ("place", "turn", "activate", "skip", "slap", "pay", "take", "win")}
_VERBS |= {"is": "are", "has": "have"}
# wait(seconds) -> the key that was pressed and after how many seconds, or ("", seconds) if none was
Wait = Callable[[float], tuple[str, float]]
Choose = Callable[[Any], int]  # record -> the action of an agent there


class Screen(Protocol):
    """Where a person sees the game and presses keys."""

    def show(self, match: Live, asked: list[tuple[str, str]]) -> None:
        """Show the position and the latest events; `asked`: keys and their meaning, while the clock stands."""
        ...

    def wait(self, seconds: float) -> tuple[str, float]:
        """See `Wait`."""
        ...

    def end(self, match: Live, left: bool) -> None:
        """Show the end: the game is over, or the person has left."""
        ...


@dataclass
class Score:
    """The result of a person. Times in ms."""

    slaps: list[float] = field(default_factory=list)  # of the person's hand, when it landed first
    in_vain: int = 0
    situations: int = 0

    def words(self) -> str:
        """One or two sentences."""
        text = "There was nothing to slap"
        if self.situations:
            first = f"first {times(len(self.slaps))}" if self.slaps else "never first"
            text = f"There was something to slap {times(self.situations)}; you were {first}"
        text += f", and you slapped in vain {times(self.in_vain)}." if self.in_vain else "."
        if self.slaps:
            text += f" Your hand took {median(self.slaps):.0f} ms as a rule, {min(self.slaps):.0f} ms at best."
        return text


def times(count: int) -> str:
    """How often, in words."""
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


def play(console: Console, game: Game, choose: Choose, seat: int, seed: int) -> bool:
    """Play a game at the keyboard; returns whether it was played to the end."""
    person = options_of(game, seat)
    with keys() as wait, _Terminal(console, wait) as screen:
        match = Live(person, choose, seat, seed, screen)
        finished = match.run()
    console.print(match.score.words(), highlight=False)
    return finished


def options_of(game: Game, seat: int) -> Game:
    """The game in which the person's hand neither slips nor misses, because the keyboard decides what it does."""
    if game.options.get("mode") == "deterministic":
        raise UnsupportedOption("there is no clock with mode='deterministic'; --turn-based plays it")
    given = list(game.options.get("profiles", ["average"] * game.num_players))
    given[seat] = {"miss": 0.0, "alarm": (0.0, 0.0, 0.0)}
    options = {name: value for name, value in game.options.items() if name != "profiles"}
    return load(profiles=given, **options)


class Live:
    """A game with one person.

    Args:
        game: from `options_of`.
        choose: the choice of an agent in a record, for all other seats.
        seat: the person's seat.
        seed: of the deal and of all latencies except the person's.
        screen: shows the game and reads keys.
    """

    def __init__(self, game: Game, choose: Choose, seat: int, seed: int, screen: Screen) -> None:
        self.game, self.choose, self.seat, self.screen = game, choose, seat, screen
        self.state = game.new(seed=seed)
        self.score = Score()
        self.lines: list[str] = []  # the latest events
        self.said = 0  # how many there were
        self.begun = False
        self._told = 0
        self._deaf = 0.0  # seconds of the next window in which a slap is one for the card before

    def run(self) -> bool:
        """Play to the end; returns False if the person leaves early."""
        self._show()
        left = self.screen.wait(3600.0)[0] == QUIT
        self.begun = not left
        while not left and not self.state["over"]:
            left = not self._go_on()
        self._tell()
        self.screen.end(self, left)
        return not left

    def words(self, left: bool) -> str:
        """The end of the game in words."""
        reward = float(self.game.rewards(self.state)[self.seat])
        word = "You leave the game." if left else "You win." if reward > 0 else "You lose." if reward < 0 else "A draw."
        return f"{word} {float(self.state['clock']) / 1000:.0f} s on the clock."

    def barred(self) -> str:
        """Why the person cannot slap; "" if a slap counts."""
        if not self.state["alive"][self.seat]:
            return "You are out; the others play on."
        return "You have no slap this round." if self.state["locked"][self.seat] else ""

    def _go_on(self) -> bool:
        """Go on to the next decision or window; returns False if the person leaves."""
        s = self.state
        if s["decision"] == S.D_SLAP:
            return self._window()
        if s["to_play"] != self.seat:
            self.game.step(s, self.choose(s))
            return True
        if s["decision"] == S.D_STANCE:
            self.game.step(s, self._own_way(s))
            return True
        return self._decide()

    def _decide(self) -> bool:
        """Ask the person while the clock stands; returns False if the person leaves."""
        legal = [int(action) for action in self.game.legal_actions(self.state)]
        keys = "1234567890abcdefghijklmnoprstuvwxyz"[: len(legal)]  # without q
        words = [self.game.action_text(self.state, action).replace(f"player_{self.seat}", "you") for action in legal]
        self._show(list(zip(keys, words)))
        while True:
            key = self.screen.wait(3600.0)[0]
            if key == QUIT:
                return False
            if key and key in keys:
                self._deaf = 0.0
                self.game.step(self.state, legal[keys.index(key)])
                return True

    def _window(self) -> bool:
        """Play a window: everybody commits, and hands land in real time. Returns False if the person leaves."""
        s, seat = self.state, self.seat
        ahead = self.game.copy(s)
        actions = []
        while True:
            mine = ahead["to_play"] == seat
            action = int(A.tail(ahead) + A.T_HOLD) if mine else self.choose(ahead)
            actions.append(action)
            if not self._more_to_ask(ahead):
                break
            self.game.step(ahead, action)
        if ahead["pace"] == S.NOTHING:  # chosen last, by the player who acts next
            self.game.step(ahead, actions[-1])
            actions.append(self._own_way(ahead) if ahead["to_play"] == seat else self.choose(ahead))
            ahead["pace"] = actions[-1] - A.tail(ahead) - A.T_PACE
        else:
            ahead["commit"][int(ahead["to_play"])] = actions[-1] - A.tail(ahead) - A.T_HOLD
        times, end = self._times(ahead)
        t = self.game.tables[s["table"]]
        pair, needed = bool(is_pair(s, t)), int(needed_for(s, t))
        situation = pair or needed >= 0
        may = not self.barred()
        allowed = [p for p in range(self.game.num_players) if s["free"] < 0 or s["free"] == p]
        settled = min((times[p] for p in allowed if p != seat), default=NEVER) if situation else NEVER
        self._show()
        good = situation and seat in allowed
        landed, left = self._hand(min(end, settled) / 1000, goes_on=not good)
        if left:
            return False
        # Who comes second slaps a moment after the first: that is ignored (G-10), though the next card lies there by then.
        second = good and landed is None and settled < end and not t["late_slaps_penalised"]
        self._deaf = LATE if second else 0.0
        if landed is not None and may:
            s["carry"][seat] = np.float32(landed)
            if good:
                self.score.slaps.append(landed)
            else:
                self.score.in_vain += 1
        self.score.situations += bool(good and may)
        for action in actions:
            self.game.step(s, action)
        self._tell()
        return True

    def _hand(self, seconds: float, goes_on: bool) -> tuple[float | None, bool]:
        """The time in ms of the person's first slap, if any, and whether the person leaves; `goes_on`: a slap does not end the window."""
        passed, landed = 0.0, None
        while passed < seconds:
            key, spent = self.screen.wait(seconds - passed)
            passed += spent
            if key == QUIT:
                return None, True
            if key == SLAP and self._deaf <= passed < seconds and landed is None:
                landed = max(passed * 1000, 1.0)
                if not goes_on:
                    break
        return landed, False

    def _own_way(self, s: Any) -> int:
        """The person's stance or pace, always the neutral one: the keyboard shows how fast the person is."""
        stance = s["decision"] == S.D_STANCE
        return int(A.tail(s) + (A.T_STANCE + S.READY if stance else A.T_PACE + S.NORMAL))

    def _more_to_ask(self, s: Any) -> bool:
        """Whether others commit after the player to move."""
        return int(self.game.together(s).sum()) > 1

    def _times(self, s: Any) -> tuple[list[float], float]:
        """When the others' hands land and when the next card comes, in ms, as the engine will draw them."""
        copy = self.game.copy(s)
        t = self.game.tables[s["table"]]
        situation = bool(is_pair(copy, t)) or needed_for(copy, t) >= 0
        times = [float(slap_time(copy, t, p, situation)) for p in range(self.game.num_players)]
        return times, float(next_act(copy, t, next_actor(copy)))

    # -- the screen -------------------------------------------------------------------------------------------------------------

    def _say(self, line: str) -> None:
        self.lines = [*self.lines, line][-LINES:]
        self.said += 1

    def _tell(self) -> None:
        for line in self.game.log_lines(self.state, self._told):
            self._say(_addressed(line, self.seat))
        self._told = self.game.event_count(self.state)

    def _show(self, asked: list[tuple[str, str]] | None = None) -> None:
        self._tell()
        self.screen.show(self, asked or [])


def _addressed(line: str, seat: int) -> str:
    """A line of the log, addressed to the player in that seat."""
    own, line = line.startswith(f"player_{seat} "), line.replace(f"player_{seat}'s", "your")
    line = line.replace(f"player_{seat}", "you")
    return re.sub(rf"\b({'|'.join(_VERBS)})\b", lambda found: _VERBS[found[1]], line) if own else line


class _Terminal:
    """The screen of a terminal."""

    def __init__(self, console: Console, wait: Wait) -> None:
        from rich.live import Live as Display

        self.console, self._wait = console, wait
        self._left = False
        self._display = Display(console=console, auto_refresh=False, transient=True)

    def __enter__(self) -> _Terminal:
        self._display.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._display.__exit__(*error)

    def show(self, match: Live, asked: list[tuple[str, str]]) -> None:
        """See `Screen`."""
        from rich.console import Group
        from rich.text import Text

        from react_env.games.react_fast.terminal import picture

        begin = ["The space bar slaps, q leaves. Press a key to begin."] * (not match.begun)
        lines = [Text(line, style="dim") for line in (*match.lines, *begin)]
        question = [f"Your turn: {QUESTIONS[int(match.state['decision'])]}? The clock stands."] * bool(asked)
        question += [f"{key}  {words}" for key, words in asked]
        now = picture(match.game, match.state, match.seat, match.seat)
        self._display.update(Group(now, *lines, *(Text(line, style="bold") for line in question)), refresh=True)
        while not self._left and (key := self._wait(0.001)[0]):  # drop keys pressed for the previous picture
            self._left = key == QUIT

    def wait(self, seconds: float) -> tuple[str, float]:
        """See `Wait`."""
        return (QUIT, 0.0) if self._left else self._wait(seconds)

    def end(self, match: Live, left: bool) -> None:
        """See `Screen`."""
        from react_env.games.react_fast.terminal import picture

        self._display.stop()
        self.console.print(picture(match.game, match.state, match.seat, match.seat))
        for line in match.lines:
            self.console.print(line, highlight=False, markup=False, style="dim")
        self.console.print(match.words(left), style="bold", highlight=False)


@contextmanager
def keys() -> Iterator[Wait]:
    """Read single keys without Enter: yields a function that waits for a key."""
    import sys

    try:
        import termios
        import tty
    except ImportError:  # Windows
        import msvcrt

        def wait_there(seconds: float) -> tuple[str, float]:
            begin = time.perf_counter()
            while (passed := time.perf_counter() - begin) < seconds:
                if msvcrt.kbhit():  # type: ignore[attr-defined]
                    key = msvcrt.getwch()  # type: ignore[attr-defined]
                    if key not in ("\0", "\xe0"):
                        return key.lower(), time.perf_counter() - begin
                    msvcrt.getwch()  # type: ignore[attr-defined] # the second half of an arrow or function key
                time.sleep(min(0.001, seconds - passed))
            return "", seconds

        yield wait_there
        return

    import os
    import select

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)

    def follows(seconds: float = 0.0) -> bool:
        return bool(select.select([descriptor], [], [], max(seconds, 0.0))[0])

    def wait_here(seconds: float) -> tuple[str, float]:
        begin = time.perf_counter()
        while follows(begin + seconds - time.perf_counter()):
            key, passed = os.read(descriptor, 1), time.perf_counter() - begin
            if key != b"\x1b":
                return (key.decode("ascii", "replace").lower() if key else QUIT), passed  # end of input: leave
            # An arrow or function key: ESC [ figures letter, or ESC O letter. Its figures and letters choose nothing.
            if follows() and os.read(descriptor, 1) in (b"[", b"O"):
                while follows() and not b"@" <= os.read(descriptor, 1) <= b"~":
                    pass
        return "", max(time.perf_counter() - begin, seconds)

    try:
        tty.setcbreak(descriptor)
        yield wait_here
    finally:
        with suppress(termios.error):
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
