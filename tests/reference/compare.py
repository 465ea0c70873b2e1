"""Play a game of the Re;ACT engine and of the reference model in lockstep, and hold everything they show against each other."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.reference.arts_of_war import DECLINE, END_TURN, PASS, ReferenceGame

LOG_RING = 48  # so many events the engine's record keeps

Chooser = Callable[[list[int]], int]


def uniform(rng: random.Random) -> Chooser:
    """Any legal action."""
    return rng.choice


def eager(rng: random.Random) -> Chooser:
    """Seldom ends a turn, passes or declines: long chains, crowded boards."""

    def choose(legal: list[int]) -> int:
        active = [action for action in legal if action not in (END_TURN, PASS, DECLINE)]
        return rng.choice(active if active and rng.random() < 0.9 else legal)

    return choose


def patient(rng: random.Random) -> Chooser:
    """Mostly ends turns and passes: long games, full hands, masterpieces in each other's way, empty decks."""

    def choose(legal: list[int]) -> int:
        idle = [action for action in legal if action in (END_TURN, PASS)]
        return idle[0] if idle and rng.random() < 0.7 else rng.choice(legal)

    return choose


CHOOSERS = (uniform, eager, patient)


def compare(
    game: Any, seed: int, artists: tuple[dict[str, Any], dict[str, Any]], rules: dict[str, Any], chooser: Chooser
) -> int:
    """One game; raises AssertionError at the first difference. Returns the number of decisions."""
    opening = game.opening(seed)
    decks = [[int(card) for card in deck] for deck in opening["decks"]]
    hands = [[int(count) for count in hand] for hand in opening["hands"]]
    model = ReferenceGame(artists, rules, (decks[0], decks[1]), int(opening["first_player"]), (hands[0], hands[1]))
    state = game.new(seed=seed)
    actions: list[int] = []
    while True:
        shown = log_tail(game.log_lines(state)), log_tail(model.log)
        differences = list(find_differences(game, state, model, *shown))
        if differences:
            raise AssertionError(report(game, state, model, seed, actions, differences))
        if model.over:
            return len(actions)
        action = chooser(model.legal_actions())
        actions.append(action)
        game.step(state, action)
        model.step(action)


def log_tail(lines: list[str]) -> list[str]:
    """What of a log the engine still has."""
    return list(lines[-LOG_RING:])


def find_differences(game: Any, state: Any, model: ReferenceGame, shown: list[str], logged: list[str]) -> list[str]:
    """What the two show differently at this decision, in words."""
    found = []

    def check(what: str, engine: Any, reference: Any) -> None:
        if engine != reference:
            found.append(f"{what}: engine {engine}, reference {reference}")

    check("terminated", bool(game.terminated(state)), model.over == 1)
    check("truncated", bool(game.truncated(state)), model.over == 2)
    check("rewards", [int(reward) for reward in game.rewards(state)], list(model.rewards))
    if not model.over:
        check("to play", int(game.to_play(state)), model.to_play)
        check("legal actions", [int(action) for action in game.legal_actions(state)], model.legal_actions())
    if shown != logged:
        found.append("the logs differ")
    for player in (None, 0, 1):
        if game.status_lines(state, player) != model.status(player):
            found.append(f"the status lines for {player} differ")
    return found


def report(game: Any, state: Any, model: ReferenceGame, seed: int, actions: list[int], differences: list[str]) -> str:
    """Everything that is needed to see the difference, and to come back to it."""
    lines = [f"seed {seed}, after {len(actions)} actions: {actions}", *differences]
    lines += beside("log", game.log_lines(state)[-LOG_RING:], model.log[-LOG_RING:])
    for player in (None, 0, 1):
        engine, reference = game.status_lines(state, player), model.status(player)
        if player is None or engine != reference:
            lines += beside(f"status for {player}", engine, reference)
    return "\n".join(lines)


def beside(title: str, engine: list[str], reference: list[str]) -> list[str]:
    """Both texts: what they share once, what only one of them has marked E (engine) or R (reference)."""
    lines = [f"--- {title} (E: engine only, R: reference only)"]
    same = 0
    while same < min(len(engine), len(reference)) and engine[same] == reference[same]:
        same += 1
    lines += [f"    {line}" for line in engine[:same]]
    lines += [f"  E {line}" for line in engine[same:]]
    lines += [f"  R {line}" for line in reference[same:]]
    return lines
