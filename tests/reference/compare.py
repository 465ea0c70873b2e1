"""Play a game of the Re;ACT engine and of the reference model in lockstep, and hold everything they show against each other."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.reference.arts_of_war import DECLINE, END_TURN, PASS, Player, ReferenceGame

LOG_RING = 64  # so many event rows the engine's record keeps; a play takes one more for each thing that it locks
TAIL = 40  # lines of the log that a report shows

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
    events = lines = 0
    while True:
        shown = game.log_lines(state, events)
        logged = model.log[lines:]
        if game.event_count(state) - events > LOG_RING:  # the engine has forgotten the first of them
            logged = logged[len(logged) - len(shown) :]
        differences = list(find_differences(game, state, model, shown, logged))
        if differences:
            raise AssertionError(report(game, state, model, seed, actions, differences))
        if model.over:
            return len(actions)
        events, lines = game.event_count(state), len(model.log)
        action = chooser(model.legal_actions())
        actions.append(action)
        game.step(state, action)
        model.step(action)


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
        check("legal actions", game.legal_actions(state).tolist(), model.legal_actions())
    if shown != logged:
        found.append("the logs differ")
    for player in (None, 0, 1):
        if game.status_lines(state, player) != model.status(player):
            found.append(f"the status lines for {player} differ")
    for player in (0, 1):
        wanted = knowledge(model, player)
        observation = game.observe(state, player)
        for name, value in wanted.items():
            part = observation[game.observation_pieces[name][0]]
            if part[: len(value)].tolist() != value or part[len(value) :].any():
                found.append(f"{name} as player {player} sees it: engine {part.tolist()}, reference {value}")
    return found


def knowledge(model: ReferenceGame, player: int) -> dict[str, list[int]]:
    """What that player knows, by the names of the pieces of the observation."""
    me, them = model.players[player], model.players[1 - player]
    return {
        "players": [*public_numbers(model, me), *public_numbers(model, them)],
        "hand": me.hand,
        "my_deck": [me.deck.count(card) for card in range(len(me.actions))],
        "my_discard": me.discard,
        "their_hidden": [them.hand[card] + them.deck.count(card) for card in range(len(them.actions))],
        "their_discard": them.discard,
    }


def public_numbers(model: ReferenceGame, side: Player) -> list[int]:
    """Damage, ascended, cards in hand and deck, unplaced masterpiece cards, tokens left of each kind."""
    tokens = [side.token_pool[kind] for kind in side.tokens]
    return [
        side.damage,
        int(side.ascended),
        sum(side.hand),
        len(side.deck),
        len(side.unplaced),
        *tokens,
        *[0] * (3 - len(tokens)),
    ]


def report(game: Any, state: Any, model: ReferenceGame, seed: int, actions: list[int], differences: list[str]) -> str:
    """Everything that is needed to see the difference, and to come back to it."""
    lines = [f"seed {seed}, after {len(actions)} actions: {actions}", *differences]
    shown = game.log_lines(state)
    lines += beside("log", shown[-TAIL:], model.log[-min(TAIL, len(shown)) :])
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
