"""Forged records: what `valid` accepts plays on to an end, with all texts; what no game could reach is refused with the field's name."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest

import react_env
from react_env.games.reality_tcg import state as S
from tests.forging import EVERYWHERE, LONG_CHUNKS, Forger, fault, forge, records_of

CASES: tuple[dict[str, Any], ...] = (
    {"max_turns": 20},
    {"max_turns": 14, "decks": "random", "open_decklists": False, "effect_refill": True, "cancelled_counts": False},
    {"max_turns": 20, "decks": ("control", "feast"), "lands": "per_player", "trap_zone": 2, "moves_per_phase": 3},
)


@cache
def games() -> list[tuple[Any, list[Any]]]:
    """The game of each case, and records of it."""
    return [(game, records_of(game)) for game in (react_env.load("reality_tcg-v0", **options) for options in CASES)]


def test_every_record_of_a_game_is_valid() -> None:
    """Every record of a game is valid, and so is every world that a player may imagine there."""
    for game, records in games():
        for number, record in enumerate(records[::5]):
            world = game.determinize(record.reshape(1)[0], number % 2, number)
            assert not fault(game, record) and not fault(game, world)


def test_whoever_may_move_up_is_asked_before_anything_else() -> None:
    (game, records), *_ = games()
    record = next(record.copy() for record in records if record["decision"] == S.D_TACTIC)
    record["refills"] = 1
    assert str(fault(game, record)).startswith("field refills")


def test_nothing_is_negated_while_somebody_may_answer() -> None:
    (game, records), *_ = games()
    record = next(record.copy() for record in records if record["links"])
    record["link"][0][S.L_NEGATED] = 1
    assert str(fault(game, record)).startswith("field link")


def decision_of_another(rng: random.Random, state: Any, other: Any) -> None:
    """Take the decision, the player who decides and the stage from another record."""
    for name in (
        "to_play",
        "decision",
        "phase",
        "whose",
        "turn",
        "pending",
        "passes",
        "links",
        "link",
        "refills",
        "locked",
    ):
        if rng.random() < 0.6:
            state[name] = other[name]


def moved_card(rng: random.Random, state: Any, other: Any) -> None:
    """Move the top card of a deck elsewhere, and correct the deck's count as a careful forger would."""
    p = rng.randrange(S.PLAYERS)
    size = int(state["deck_size"][p])
    if not 0 < size <= S.MOST_CARDS:
        return
    k = int(state["deck"][p][size - 1])
    if not 0 <= k < S.KINDS:
        return
    state["deck_size"][p] -= 1
    where = rng.randrange(5)
    if where == 0 and state["hand"][p][k] < 60:
        state["hand"][p][k] += 1
        state["hand_size"][p] += 1
    elif where == 1 and state["gone"][p][k] < 60:
        state["gone"][p][k] += 1
    elif where == 2:
        z = rng.randrange(S.ZONES)
        state["kind"][p][z], state["hp"][p][z], state["df"][p][z] = k, 1, 0
    elif where == 3:
        state["trap"][p][rng.randrange(S.TRAPS)] = k
    else:
        state["land"][p] = k


def link_of_another(rng: random.Random, state: Any, other: Any) -> None:
    """Put something on the chain, and usually ask for an answer."""
    i = rng.randrange(3)
    state["link"][i] = (rng.randrange(S.LINKS), rng.randrange(2), rng.randrange(28), rng.randrange(4), rng.randrange(2))
    state["links"] = i + 1
    if rng.random() < 0.7:
        state["decision"] = S.D_ANSWER


FORGERS: tuple[Forger, ...] = (*EVERYWHERE, decision_of_another, moved_card, link_of_another)


def test_forged_records_are_refused_or_play_on() -> None:
    told = forge(games(), FORGERS, 2000, 0, alone=0.1)
    assert told[""] > 200 and len(told) > 25, told


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(LONG_CHUNKS))
def test_a_million_forged_records(chunk: int) -> None:
    forge(games(), FORGERS, 1_000_000 // LONG_CHUNKS, 1 + chunk, alone=0.02)
