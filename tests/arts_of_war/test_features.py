"""The features of a position of Re;ACT, number for number."""

from __future__ import annotations

from typing import Any

import numpy as np

from react_env.games.arts_of_war.features import FEATURES, features
from tests.agents.games import game_of, positions
from tests.arts_of_war.positions import Table, ability, intention, kit, reaction, table

NEAR = "{choose_zone: {as: z, where: {within: {of: me, distance: 2}}}}"
STRIKE = intention("[{damage: {zone: z}}]", f"[{NEAR}]")
PARRY = reaction("[{damage: {zone: z}}]", f"[{NEAR}]")
BITE = intention("[{damage: {zone: z}}]", "[{exhaust: me}, {choose_zone: {as: z, where: {adjacent_to: me}}}]")


NEVER_AT_RANDOM = {
    "points 3",
    "points squared 3",
    "counter nearly full 3",
    "low deck",
    "masterpiece 5",
    "ascended, masterpiece complete",
    "summons 4",
    "summons near 4",
    "summons beside 4",
    "tokens in zones 2",
    "tokens in zones 3",
    "tokens in zones near 2",
    "tokens in zones near 3",
    "tokens on own units 2",
    "tokens on own units 3",
    "tokens on their units 2",
    "tokens on their units 3",
    "token on their artist 2",
    "token on their artist 3",
    *(f"{name} {i}" for name in ("late", "hand when late") for i in range(1, 6)),  # no game here lasts so long
}


def of(t: Table, player: int = 0) -> dict[str, float]:
    """The features by name."""
    out = np.full(len(FEATURES), np.nan, np.float32)
    features(t.state, t.t, player, out)
    return dict(zip(FEATURES, out.tolist(), strict=True))


def test_each_has_a_name_of_its_own() -> None:
    assert len(set(FEATURES)) == len(FEATURES)


def test_a_small_position() -> None:
    """Ann in c1 with a Strike and a spirit beside Ben in c3, who has been hit once and has no cards."""
    t = table(kit("ann", ability("Imp", "imp", BITE), Strike=[STRIKE]), kit("ben"))
    t.place(1, "artist", "c3")
    t.place(0, "imp", "b3")
    t.give(0, "Strike")
    t.state["damage"][1] = 1
    found, theirs = of(t), of(t, 1)
    expected = {
        "one": 1,
        "in hand 1": 1,
        "reactions in hand": 0,
        "empty hand": 0,
        "summons 1": 1,
        "summons near 1": 1,
        "summons beside 1": 1,
        "steps": 2,
        "artist beside": 0,
        "in line": 1,
        "off centre": 4,
        "free sides": 3,
        "walls": 1,
        "threats 1": 1,
        "threats 2": 1,
        "threats 3": 0,
        "lethal threats": 1,  # two are enough
        "harm": 0,
        "own turn": 1,
        "threat in own turn": 1,
        "hand in own turn": 1,
        "refreshed units in own turn": 2,
        "refreshed artist in own turn": 1,
    }
    assert {name: found[name] for name in expected} == expected
    expected = {
        "empty hand": 1,
        "free sides": 3,
        "walls": 0,
        "off centre": 0,
        "harm": 1,
        "harm reached 1": 1,
        "harm reached 2": 0,
        "threats 1": 0,
        "lethal threats": 0,
        "own turn": 0,
        "refreshed units in own turn": 0,
    }
    assert {name: theirs[name] for name in expected} == expected


def test_hands() -> None:
    t = table(kit("ann", Strike=[STRIKE], Parry=[PARRY]), kit("ben"))
    t.give(0, "Strike", "Parry", "Parry")
    found = of(t)
    assert found["reactions in hand"] == 2
    assert sorted(found[f"in hand {i}"] for i in range(1, 5)) == [0, 0, 1, 2]
    assert not found["full hand"]
    t.give(0, *["Parry"] * 6)
    assert of(t)["full hand"]


def test_how_late_it_is() -> None:
    """Each sixth of the turns that has passed counts, and so does the hand from then on."""
    t = table(kit("ann", Parry=[PARRY]), kit("ben"))
    t.give(0, "Parry", "Parry")
    for turn, over in ((1, 0), (10, 0), (11, 1), (35, 3), (60, 5)):
        t.state["turn"] = turn
        found = of(t)
        assert [found[f"late {i}"] for i in range(1, 6)] == [1] * over + [0] * (5 - over)
        assert [found[f"hand when late {i}"] for i in range(1, 6)] == [2] * over + [0] * (5 - over)


def test_all_are_finite_and_each_occurs() -> None:
    """This holds in random play, except for what takes skill or is not in the shipped kits."""
    game = game_of("arts_of_war-v0, mixed")
    states, _ = positions(game, 1500, seed=11)
    out = np.full((len(states), 2, len(FEATURES)), np.nan, np.float32)
    for row, state in enumerate(states):
        before: Any = state.tobytes()
        for player in range(2):
            features(state, game.tables[state["table"]], player, out[row, player])
        assert state.tobytes() == before  # it only looks
    assert np.isfinite(out).all() and np.abs(out).max() < 64
    never = {name for name, most in zip(FEATURES, np.abs(out).max((0, 1)), strict=True) if most == 0}
    assert never == NEVER_AT_RANDOM
