"""Forged records: what `valid` accepts plays on to an end, with all texts; what no game could reach is refused with the field's name."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np
import pytest

from react_env.games.fight_sequence import state as S
from tests.fight_sequence.manners import CHOOSERS
from tests.fight_sequence.test_properties import CASES, Case, load, named
from tests.forging import EVERYWHERE, LONG_CHUNKS, Forger, fault, forge
from tests.properties import decisions

# ------------------------------------------------------------------------------------------------------------ real records


@pytest.mark.parametrize("case", CASES, ids=named)
def test_every_record_of_a_game_is_valid(case: Case) -> None:
    """Every record of a game is valid, and so is every world that a player may imagine there."""
    game = load(case)
    for number, chooser in enumerate(CHOOSERS):
        for state in decisions(game, number, choose=chooser):
            for world in (state, game.determinize(state, 0, number), game.determinize(state, 1, number)):
                assert not fault(game, world), f"{fault(game, world)}\n{game.text(world)}"


# ---------------------------------------------------------------------------------------------------------- forged records


def decision_of_another(rng: random.Random, state: Any, other: Any) -> None:
    """Take the decision, the player who decides and the stage from another record."""
    for name in (
        "to_play",
        "decision",
        "phase",
        "stage",
        "turns",
        "passes",
        "claimed",
        "initiative",
        "acting",
        "current",
    ):
        if rng.random() < 0.7:
            state[name] = other[name]


def moved_card(rng: random.Random, state: Any, other: Any) -> None:
    """Move a card elsewhere, and correct the counts as a careful forger would."""
    player = rng.randrange(S.PLAYERS)
    held = np.flatnonzero(state["hand"][player])
    if len(held) and rng.random() < 0.5:
        card = rng.choice(held.tolist())
        state["hand"][player, card] -= 1
        state["hand_size"][player] -= 1
        state["discard"][player, card] += 1
    elif 0 < (size := int(state["deck_size"][player])) <= S.DECK:
        card = int(state["deck"][player, size - 1]) % S.CARDS
        state["deck"][player, size - 1] = 0
        state["deck_size"][player] -= 1
        state["hand"][player, card] += 1
        state["hand_size"][player] += 1
    known, card = state["known"][player], rng.randrange(5)
    known[card] = (int(known[card]) + rng.choice((0, 0, 0, 1, -1, S.LOOSE, -S.LOOSE))) % 256


FORGERS: tuple[Forger, ...] = (
    *EVERYWHERE,
    decision_of_another,
    moved_card,
)


@cache
def games() -> list[tuple[Any, list[Any]]]:
    """The game of each case, and records of it."""
    return [
        (
            game,
            [state.copy() for n, chooser in enumerate(CHOOSERS) for state in decisions(game, 50 + n, choose=chooser)],
        )
        for game in map(load, CASES)
    ]


def test_forged_records_are_refused_or_play_on() -> None:
    told = forge(games(), FORGERS, 3000, 0, alone=0.2)
    assert told[""] > 300 and len(told) > 35, told


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(LONG_CHUNKS))
def test_a_million_forged_records(chunk: int) -> None:
    forge(games(), FORGERS, 1_000_000 // LONG_CHUNKS, 1 + chunk, alone=0.02)
