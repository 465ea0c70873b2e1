"""The reference model of Re;ACT alone: artists of several units, counters and dice. Rule ids as in the rules of the game."""

from __future__ import annotations

import copy

import pytest

from tests.reference.arts_of_war import OWN_UNIT, NoRoll, ReferenceGame
from tests.reference.kits import INKER, ROLLER
from tests.reference.positions import (
    ABILITY_INTENTION,
    FORWARD,
    JUMP,
    MOVE,
    SWAP,
    armed,
    run_effect,
    since,
    start,
    where_they_stand,
)

# ---------------------------------------------------------------------- bodies


def test_a_body_moves_as_one() -> None:
    """The named unit moves first, then the others; each of them counts as moved. AW-U2"""
    kit = copy.deepcopy(ROLLER)
    game = run_effect(
        "[{choose_unit: {as: it, where: {side: mine}}}, {choose_direction: w}, {move: {unit: it, way: w}}]", armed, kit
    )
    game.step(OWN_UNIT + 2)
    game.step(FORWARD)
    assert since(game, "Roller of player_0 resolves") == [
        "player_0's Blade 2 (d3) moves to d4",
        "player_0's Roller (c2) moves to c3",
        "player_0's Blade 1 (b3) moves to b4",
        "player_0: Footwork",
        "player_0's Luck: 5",
        "player_0: Footwork",
        "player_0's Luck: 6",
    ]


@pytest.mark.parametrize("obstacle", ["edge", "their unit", "own pawn"])
def test_a_body_is_blocked_as_one(obstacle: str) -> None:
    """AW-U2 AW-S2"""

    def arrange(game: ReferenceGame) -> None:
        armed(game)
        if obstacle == "edge":
            for unit, zone in ((1, "b5"), (2, "d5")):
                blade = game.players[0].units[unit]
                assert blade is not None and blade.zone is not None
                blade.zone.unit = None
                blade.zone = game.zone(zone)
                blade.zone.unit = blade
            game.place(1, "artist", "a1")
        else:
            game.place(int(obstacle == "their unit"), "artist" if obstacle == "their unit" else "pawn", "d4")

    game = run_effect(MOVE, arrange, ROLLER)
    before = where_they_stand(game)
    game.step(FORWARD)
    assert game.log[-1] == "Roller of player_0 resolves"
    assert where_they_stand(game) == before


def test_a_body_is_not_in_its_own_way() -> None:
    """A member ahead is no obstacle to a move or a jump. AW-U2 AW-U3"""

    def arrange(game: ReferenceGame) -> None:
        game.place(0, "artist", "c2")
        game.place(0, "blade", "c3")

    for do in (MOVE, JUMP):
        game = run_effect(do, arrange, ROLLER)
        game.step(FORWARD)
        assert where_they_stand(game) == ["c3", "c4"]


@pytest.mark.parametrize(("third", "stands"), [("d5", ["c2", "b3", "d3"]), ("e1", ["c4", "b5", "d5"])])
def test_a_body_jumps_as_far_as_the_named_unit(third: str, stands: list[str]) -> None:
    """AW-U3: it jumps over the unit in c3 to c4 if the blades find room two zones further on."""

    def arrange(game: ReferenceGame) -> None:
        armed(game)
        game.place(1, "spirit", "c3")
        game.place(1, "spirit", third)
        game.place(1, "artist", "a1")

    game = run_effect(JUMP, arrange, ROLLER)
    game.step(FORWARD)
    assert where_they_stand(game) == stands


def test_a_swap_takes_the_body_along() -> None:
    """Every member shifts as the named one does, and counts as moved. AW-U4"""

    def arrange(game: ReferenceGame) -> None:
        armed(game)
        game.place(1, "artist", "c3")

    game = run_effect(SWAP, arrange, ROLLER)
    assert since(game, "Roller of player_0 resolves") == [
        "player_0's Roller (c2) and player_1's Calligrapher (c3) swap",
        "player_0's Blade 1 (b3) moves to b4",
        "player_0's Blade 2 (d3) moves to d4",
        "player_0: Footwork",
        "player_0's Luck: 5",
        "player_0: Footwork",
        "player_0's Luck: 6",
    ]
    assert where_they_stand(game) == ["c3", "b4", "d4"] and where_they_stand(game, 1) == ["c2"]


@pytest.mark.parametrize(("zone", "blocker"), [("b5", None), ("e2", None), ("c3", "b4")])
def test_a_swap_that_does_not_fit_fails(zone: str, blocker: str | None) -> None:
    """AW-U4: a swap fails if a blade would leave the board or enter an occupied zone."""

    def arrange(game: ReferenceGame) -> None:
        armed(game)
        game.place(1, "artist", zone)
        if blocker is not None:
            game.place(0, "pawn", blocker)

    game = run_effect(SWAP, arrange, ROLLER)
    assert game.log[-1] == "Roller of player_0 resolves"
    assert where_they_stand(game)[:3] == ["c2", "b3", "d3"] and where_they_stand(game, 1) == [zone]


@pytest.mark.parametrize(("zone", "stands"), [("d3", ["d2", "c3"]), ("e3", ["b2", "a3"])])
def test_bodies_of_both_sides_swap(zone: str, stands: list[str]) -> None:
    """Both bodies shift, the first one's members named before the second one's; if two units would meet, the swap fails. AW-U4"""

    def arrange(game: ReferenceGame) -> None:
        game.place(0, "artist", "b2")
        game.place(0, "blade", "a3")
        game.place(1, "artist", "d2")
        game.place(1, "blade", zone)

    do = "[{choose_unit: {as: it, where: {side: theirs, kind: artist}}}, {swap: {unit: me, with: it}}]"
    game = run_effect(do, arrange, ROLLER, ROLLER)
    assert where_they_stand(game) == stands
    if zone == "d3":
        assert where_they_stand(game, 1) == ["b2", "b3"]
        assert since(game, "Roller of player_0 resolves")[:3] == [
            "player_0's Roller (b2) and player_1's Roller (d2) swap",
            "player_0's Blade 1 (a3) moves to c3",
            "player_1's Blade 1 (d3) moves to b3",
        ]
    else:  # both blades would come to c3
        assert game.log[-1] == "Roller of player_0 resolves"


def test_members_of_one_body_change_places() -> None:
    """AW-U4: nothing else moves."""
    game = run_effect(
        "[{choose_unit: {as: it, where: {side: mine, kind: blade}}}, {swap: {unit: me, with: it}}]", armed, ROLLER
    )
    game.step(OWN_UNIT + 1)
    assert where_they_stand(game) == ["b3", "c2", "d3"]
    assert since(game, "Roller of player_0 resolves") == [
        "player_0's Roller (c2) and player_0's Blade 1 (b3) swap",
        "player_0: Footwork",
        "player_0's Luck: 5",
    ]


# ---------------------------------------------------------------------- counters and dice


def test_counters_have_ends() -> None:
    """A counter stops at its maximum and at 0; only changes are logged."""
    do = """
      - {gain: {counter: grit, count: 9}}
      - {gain: {counter: grit, count: 1}}
      - {spend: {counter: grit, count: 2}}
      - {if: {counter: grit, at_least: 4}, then: [{spend: {counter: grit, count: 1}}], else: [{spend: {counter: grit, count: all}}]}
      - {spend: {counter: grit, count: 1}}
      - {if: {counter: grit}, then: [defeat]}
      - {gain: {counter: grit, count: all}}
    """
    game = run_effect(do, armed, ROLLER)
    assert since(game, "Roller of player_0 resolves") == [f"player_0's Grit: {value}" for value in (5, 3, 0, 5)]


def test_dice_go_up_and_down_from_the_lowest() -> None:
    """The start value is gained point by point; paying lowers the lowest die above 0 down to 0, then the next."""

    def arrange(game: ReferenceGame) -> None:
        armed(game)
        assert game.players[0].dice["luck"] == [1, 1, 2]
        game.players[0].dice["luck"] = [0, 2, 6]

    kit = copy.deepcopy(ROLLER)
    cost = [{"pay": {"counter": "luck", "count": 3}}]
    kit["abilities"][0]["effects"] = [
        {"kind": "intention", "cost": cost, "do": [{"gain": {"counter": "luck", "count": 4}}]}
    ]
    game = start(arrange, (kit, kit))
    game.step(ABILITY_INTENTION)
    assert game.log[:2] == ["player_0's Luck: 5", "player_0 plays Roller (Intention)"]
    assert game.log[-1] == "player_0's Luck: 9"
    assert game.players[0].dice["luck"] == [2, 2, 5]
    assert game.status()[1] == "player_0 Roller: damage 0/3; Luck 9 (2, 2, 5); Grit 1"


def test_rolling_takes_the_lowest_each_time() -> None:
    def arrange(game: ReferenceGame) -> None:
        armed(game)
        game.rolls += [6, 1, 1]

    game = run_effect("[{roll: 3}, {if: {counter: luck, at_least: 9}, then: [defeat]}]", arrange, ROLLER)
    assert since(game, "Roller of player_0 resolves") == [  # from 1, 1, 2
        "player_0 rolls 6: Luck 9",
        "player_0 rolls 1: Luck 9",
        "player_0 rolls 1: Luck 9",
        "player_1 wins",
    ]
    assert game.players[0].dice["luck"] == [1, 2, 6]
    with pytest.raises(NoRoll):
        run_effect("[{roll: 1}]", armed, ROLLER)
    with pytest.raises(ValueError, match="7"):
        run_effect("[{roll: 1}]", lambda game: game.rolls.append(7), ROLLER)


def test_a_counter_that_cannot_be_paid() -> None:
    """AW-C2: two payments from one counter add up; a requirement is checked when its turn comes."""
    kit = copy.deepcopy(ROLLER)
    pay = {"pay": {"counter": "luck", "count": 2}}
    require = {"require": {"counter": "luck", "at_least": 2}}
    for cost, playable in (
        ([pay, pay], True),
        ([pay, pay, pay], False),
        ([pay, require], True),
        ([pay, pay, require], False),
    ):
        kit["abilities"][0]["effects"] = [{"kind": "intention", "cost": cost, "do": []}]
        game = start(armed, (kit, INKER))
        assert (ABILITY_INTENTION in game.legal_actions()) == playable, cost
        assert game.players[0].dice["luck"] == [1, 1, 2]  # what was tried out is undone


def test_in_place_of_the_draw() -> None:
    """The turn player goes first; an effect that draws does nothing without a deck. AW-T3 AW-T5"""

    def arrange(game: ReferenceGame) -> None:
        game.rolls += [5, 6]
        game.players[1].deck.append(0)

    game = start(arrange, (ROLLER, INKER), turn_player=1, phase="draw")
    assert game.log == [
        "player_1 draws a card",
        "player_0: Throw",
        "player_0 rolls 5: Luck 8",
        "player_0 rolls 6: Luck 13",
        "player_0's Grit: 2",
    ]
    game = run_effect("[{draw: 2}]", armed, ROLLER)
    assert game.log[-1] == "Roller of player_0 resolves"
