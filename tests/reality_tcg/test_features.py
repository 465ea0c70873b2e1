"""The features of a position of Reality TCG, number for number."""

from __future__ import annotations

import numpy as np
import pytest

import react_env
from react_env.games.reality_tcg.features import FEATURES, features
from tests.properties import features_not_met
from tests.reality_tcg.positions import Position


def of(x: Position, player: int) -> dict[str, float]:
    """The features that are not 0, by name."""
    out = np.full(len(FEATURES), np.nan, np.float32)
    features(x.s, x.game.tables[0], player, out)
    return {name: round(float(number), 4) for name, number in zip(FEATURES, out, strict=True) if number}


def position() -> Position:
    """A supported Boxer against a Gate Guard, whose player has little left."""
    return Position(
        ["Boxer", "Coach /d"],
        ["Gate Guard"],
        hands=("Captain, Counter Hook", ""),
        traps=("Slammed Door", ""),
        land=("", "Old Quarter"),
        energy=(5, 10),
        ip=(9, 2),
    )


def test_a_small_position() -> None:
    assert of(position(), 0) == {
        "one": 1,
        "IP": 0.9,
        "IP low 1": 1,
        "IP low 2": 1,
        "Energy": 0.5,
        "active Energy": 0.5,
        "hand": 0.2,
        "Characters in hand by cost 2": 1,
        "Characters in hand for the Energy of the next turn": 1,
        "cards in hand by what they do 1": 1,
        "cards in hand by what they do 10": 1,
        "empty deck": 1,
        "set Traps by what they do 11": 1,
        "set Traps that active Energy pays": 1,
        "Active Character": 1,
        "ATK": 0.5,
        "ATK reached 1": 1,
        "ATK reached 2": 1,
        "HP": 0.4,
        "DEF": 0.2,
        "position can be changed": 1,
        "Back Row": 1,
        "ATK in the Back Row": 0.2,
        "HP in the Back Row": 0.4,
        "DEF in the Back Row": 0.3,
        "best ATK in the Back Row": 0.2,
        "Back Row by what they do 2": 1,
        "IP of a blow": 0.2,
        "a blow destroys": 1,
        "a blow wins": 1,
        "own turn": 1,
        "IP of a blow in own turn": 0.2,
        "a blow destroys in own turn": 1,
        "a blow wins in own turn": 1,
        "hand in own turn": 0.2,
        "turn": 0.09,
    }


def test_the_other_side_of_it() -> None:
    low = {f"IP low {i}": 1 for i in range(1, 6)}
    assert of(position(), 1) == low | {
        "one": 1,
        "IP": 0.2,
        "Energy": 1,
        "active Energy": 1,
        "empty hand": 1,
        "empty deck": 1,
        "Lands 2": 1,
        "Active Character": 1,
        "ATK": 0.1,
        "HP": 0.3,
        "DEF": 0.3,
        "slower than theirs": 1,
        "a blow is the end of the own Active": 1,
        "IP of their blow back": 0.2,
        "turn": 0.09,
    }


def test_defense_and_an_attack_that_was_made() -> None:
    x = Position(["Boxer"], ["Gate Guard /d"], ip=(20, 20))
    assert "IP of a blow" not in of(x, 0) and "a blow destroys" not in of(x, 0), "3 DEF and 3 HP hold 4"
    assert "IP of their blow back" not in of(x, 0) and of(x, 1)["Active in Defense Position"] == 1
    alone = Position(["Boxer"], [])
    assert of(alone, 0)["IP of a blow in own turn"] == pytest.approx(0.4)
    alone.s["attacked"] = 1
    assert of(alone, 0)["IP of a blow"] == pytest.approx(0.4) and "IP of a blow in own turn" not in of(alone, 0)
    assert of(alone, 0)["attack made"] == 1
    locked = Position([], ["Boxer"])
    locked.s["locked"][0] = 1
    assert of(locked, 0)["no new Active"] == 1


def test_each_is_met_in_games() -> None:
    """Only what no Trap does is never met."""
    traps = set(range(10, 14))
    assert features_not_met(react_env.load("reality_tcg-v0", decks="random")) == {
        f"set Traps by what they do {i}" for i in range(1, 19) if i not in traps
    }
