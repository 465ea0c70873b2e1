"""The features of a position of Fight Sequence, number for number."""

from __future__ import annotations

import numpy as np

import react_env
from react_env.games.fight_sequence import state as S
from react_env.games.fight_sequence.features import FEATURES, features
from tests.fight_sequence.positions import Table, table
from tests.properties import features_not_met


def of(t: Table, player: int) -> dict[str, float]:
    """The features that are not 0, by name."""
    out = np.full(len(FEATURES), np.nan, np.float32)
    features(t.state, t.game.tables[0], player, out)
    return {name: round(float(number), 4) for name, number in zip(FEATURES, out, strict=True) if number}


def position() -> Table:
    """Player 0 holds four cards, one of them returned and known, and begins the third sequence; player 1 has three left."""
    t = table()
    t.hand(0, "Jab", "Thrust", "Flare", "Flare")
    t.deck(0, "Gale Force", "Ice Blast", *["Heavy Kick"] * 5)
    t.hand(1, "Push")
    t.deck(1, "Divert", "Downswing")
    s = t.state
    s.sequence, s.starter, s.initiative, s.to_play = 3, 0, 0, 0
    s.known[0, t.number(0, "Thrust")] = 1
    s.known[0, t.number(0, "Jab")] = S.LOOSE  # it may also be the one that was put back
    s.returned[0] = 1
    s.undrawn[0] = 1
    return t


def test_a_small_position() -> None:
    low = {f"deck low {i}": 1 for i in range(1, 5)}
    assert of(position(), 0) == low | {f"begins the sequence, {name}": 1 for name in low} | {
        "one": 1,
        "deck": 0.7,
        "hand": 0.4,
        "hand and deck": 1.1,
        "begins the sequence": 1,
        "cards on the deck that were put back": 1,
        "sequence": 0.3,
        "attacks in hand by Speed 3": 2,  # Flare
        "attacks in hand by Speed 5": 1,  # Thrust
        "attacks in hand by Speed 6": 1,  # Jab
        "Power in hand, physical and magical 1": 0.3,
        "Power in hand, physical and magical 2": 0.6,
        "attacks in hand by effect 1": 2,
        "attacks in hand by effect 4": 2,  # more Power
        "responses in hand by effect 7": 2,  # Resistance
        "responses in hand by effect 8": 1,  # a block
        "responses in hand by effect 9": 1,  # Willpower
        "tokens in hand, physical and magical 2": 2,
        "blocks in hand, physical and magical 1": 1,
        "Willpower in hand": 1,
        "cards in hand that all know": 1,
        "attacks in the deck by Speed 1": 0.5,  # Heavy Kick
        "attacks in the deck by Speed 2": 0.2,
        "attacks in the deck by effect 1": 0.5,
        "attacks in the deck by effect 3": 0.2,  # Return
        "responses in the deck by effect 7": 0.5,  # Armor
        "responses in the deck by effect 8": 0.2,
        "tokens in the deck, physical and magical 1": 0.5,
        "blocks in the deck, physical and magical 1": 0.1,
        "blocks in the deck, physical and magical 2": 0.1,
    }


def test_the_other_side_of_it() -> None:
    assert of(position(), 1) == {f"deck low {i}": 1 for i in range(1, 8)} | {
        "one": 1,
        "deck": 0.2,
        "hand": 0.1,
        "hand and deck": 0.3,
        "sequence": 0.3,
        "attacks in hand by Speed 4": 1,
        "Power in hand, physical and magical 1": 0.2,
        "attacks in hand by effect 1": 1,
        "responses in hand by effect 2": 1,  # Shift
        "attacks in the deck by Speed 2": 0.1,
        "attacks in the deck by Speed 3": 0.1,
        "attacks in the deck by effect 1": 0.1,
        "attacks in the deck by effect 2": 0.1,
        "responses in the deck by effect 7": 0.1,
        "responses in the deck by effect 8": 0.1,
        "tokens in the deck, physical and magical 1": 0.1,
        "blocks in the deck, physical and magical 2": 0.1,
    }


def test_who_begins_before_anybody_has_the_initiative() -> None:
    t = table()
    t.state.initiative, t.state.starter = -1, 1
    assert ["begins the sequence" in of(t, p) for p in (0, 1)] == [False, True]


def test_the_order_of_a_deck_does_not_count() -> None:
    t, other = position(), position()
    other.deck(0, *["Heavy Kick"] * 5, "Ice Blast", "Gale Force")
    assert of(t, 0) == of(other, 0)


def test_each_is_met_in_games() -> None:
    """Only effects that no card of the deck has are never met."""
    attacks = S.X_NONE, S.X_SHIFT, S.X_RETURN, S.X_BONUS, S.X_DAMAGE
    responses = S.X_SHIFT, S.X_TOKEN, S.X_BLOCK, S.X_WILLPOWER
    known = {("attacks", code) for code in attacks} | {("responses", code) for code in responses}
    assert features_not_met(react_env.load("fight_sequence-v0")) == {
        f"{mode} in {place} by effect {code + 1}"
        for mode in ("attacks", "responses")
        for place in ("hand", "the deck")
        for code in range(S.X_WILLPOWER + 1)
        if (mode, code) not in known
    }
