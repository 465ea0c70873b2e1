"""What the models of all games share: how they wait for a decision, and how they are compared with an engine."""

from __future__ import annotations

import difflib
import random
from collections.abc import Callable, Generator, Iterable
from typing import Any

LOG_RING = 48  # event rows that a record of Re;ACT keeps
TAIL = 40  # lines of the log that a report shows

Options = dict[int, Any]  # action id -> what it means
Flow = Generator[tuple[int, Options], int, Any]  # yields the player and the options, is sent an action id
Chooser = Callable[[list[int]], int]


class GameEnded(Exception):
    """Raised when the game is over: whatever was still to be done is dropped."""


class Model:
    """A game written as one generator: it yields who can choose what, and is sent what was chosen.

    A subclass sets `_flow`, and raises GameEnded when the game ends.
    """

    _flow: Flow

    def __init__(self) -> None:
        self.log: list[str] = []
        self.over = 0  # 1: it has ended; 2: it was cut short
        self.rewards: tuple[float, ...] = (0, 0)
        self.to_play = 0
        self._options: Options = {}
        self._status: list[list[str]] | None = None  # as each player sees it, then everything; None: not written yet

    def legal_actions(self) -> list[int]:
        """What the player to move may do."""
        return sorted(self._options)

    def step(self, action: int) -> None:
        """Take the action, and play on to the next decision with more than one legal action."""
        if action not in self._options:
            raise ValueError(f"action {action} is not legal; legal are {self.legal_actions()}")
        self._advance(action)

    def status(self, player: int | None = None) -> list[str]:
        """The position as that player knows it, or all of it for None."""
        if self._status is None:
            self._status = self._status_lines()
        return self._status[-1 if player is None else player]

    def _status_lines(self) -> list[list[str]]:
        raise NotImplementedError

    def _advance(self, action: int | None) -> None:
        self._status = None
        try:
            self.to_play, self._options = self._flow.send(action)  # type: ignore[arg-type]
        except GameEnded:
            self._options = {}

    def _ask(self, player: int, options: Options) -> Flow:
        """Let the player choose; do not ask if there is only one legal action."""
        if len(options) == 1:
            return next(iter(options.values()))
        action = yield player, options
        return options[action]

    def _say(self, line: str) -> None:
        self.log.append(line)


def counted(names: list[str], counts: list[int]) -> str:
    """A list of cards by name, with the number of copies if there are several."""
    return ", ".join(f"{name} x{n}" if n > 1 else name for name, n in zip(names, counts) if n)


def uniform(rng: random.Random) -> Chooser:
    """Any legal action."""
    return rng.choice


TEXT_EVERY = 32  # texts are compared once in so many decisions: they take longest, and only repeat what was compared


def texts_are_due(number: int, seed: int) -> bool:
    """Whether the texts are compared at that decision of the game with that seed."""
    return (number + seed) % TEXT_EVERY == 0


def open_differences(
    game: Any, state: Any, model: Model, shown: list[str], logged: list[str], texts: bool = True
) -> list[str]:
    """The differences between what engine and model show at this decision, in words.

    `shown`, `logged`: what engine and model logged in the last step; `texts`: whether to compare status lines (always done at the end).
    """
    found = []

    def check(what: str, engine: Any, reference: Any) -> None:
        if engine != reference:
            found.append(f"{what}: engine {engine}, reference {reference}")

    check("terminated", bool(game.terminated(state)), model.over == 1)
    check("truncated", bool(game.truncated(state)), model.over == 2)
    rewards = [float(reward) for reward in game.rewards(state)]
    if any(rewards) or any(model.rewards):
        check("rewards", [round(reward, 6) for reward in rewards], [round(r, 6) for r in model.rewards])
    if not model.over:
        check("to play", int(game.to_play(state)), model.to_play)
        check("legal actions", game.legal_actions(state).tolist(), model.legal_actions())
    if shown != logged:
        found.append("the logs differ")
    for player in (None, *range(len(model.rewards))) if model.over else (None, model.to_play) if texts else ():
        if game.status_lines(state, player) != model.status(player):
            found.append(f"the status lines for {player} differ")
    return found


def seen_differences(game: Any, state: Any, player: int, wanted: dict[str, list[int]]) -> list[str]:
    """Where the observation differs from what that player knows: `wanted`, by the name of the piece; zeros may follow."""
    found = []
    observation = game.observe(state, player)
    for name, value in wanted.items():
        if name not in game.observation_pieces:
            found.append(f"{name} is not in the observation")
            continue
        part = observation[game.observation_pieces[name][0]].tolist()
        if part != value + [0] * (len(part) - len(value)):
            found.append(f"{name} as player {player} sees it: engine {part}, reference {value}")
    return found


def lockstep(
    game: Any,
    state: Any,
    model: Any,
    seed: int,
    ring: int,
    choose: Callable[[], int],
    looked: Callable[[int, bool], Iterable[int]],
    known: Callable[[int], dict[str, list[int]]],
    more: Callable[[], list[str]] = list,
) -> int:
    """Play to the end, and compare at each decision what both show. Return the number of decisions.

    Raise AssertionError at the first difference.

    Args:
        game, state, model, seed: the engine's rules and record, the model of the same deal, and its seed, for the report.
        ring: how many event rows the engine's record keeps.
        choose: returns the action of the player to move.
        looked: (number of the decision, whether its texts are due) -> the players whose knowledge is compared.
        known: what a player knows according to the model, by the names of the pieces of the observation.
        more: returns the differences that only this game can have.
    """
    actions: list[int] = []
    events = lines = 0
    while True:
        count = game.event_count(state)
        shown, logged = game.log_lines(state, events) if count > events else [], model.log[lines:]
        if count - events > ring:  # the engine has forgotten the first of them
            shown = shown[events > 0 :]  # drop the line that says so
            logged = logged[len(logged) - len(shown) :]
        texts = texts_are_due(len(actions), seed)
        differences = open_differences(game, state, model, shown, logged, texts) + more()
        for player in looked(len(actions), texts):
            differences += seen_differences(game, state, player, known(player))
        if differences:
            raise AssertionError(report(game, state, model, seed, actions, differences))
        if model.over:
            return len(actions)
        events, lines = count, len(model.log)
        actions.append(choose())
        game.step(state, actions[-1])
        model.step(actions[-1])


def report(game: Any, state: Any, model: Model, seed: int, actions: list[int], differences: list[str]) -> str:
    """Everything needed to see the difference and to reproduce it."""
    lines = [f"seed {seed}, after {len(actions)} actions: {actions}", *differences]
    shown = game.log_lines(state)
    lines += beside("log", shown[-TAIL:], model.log[-min(TAIL, len(shown)) :])
    for player in (None, *range(len(model.rewards))):
        engine, reference = game.status_lines(state, player), model.status(player)
        if player is None or engine != reference:
            lines += beside(f"status for {player}", engine, reference)
    return "\n".join(lines)


def beside(title: str, engine: list[str], reference: list[str]) -> list[str]:
    """Both texts merged: shared lines once; lines that only one of them has, marked E (engine) or R (reference)."""
    lines = [f"--- {title} (E: engine only, R: reference only)"]
    for line in difflib.ndiff(engine, reference):
        if line[0] != "?":
            lines.append({" ": "    ", "-": "  E ", "+": "  R "}[line[0]] + line[2:])
    return lines
