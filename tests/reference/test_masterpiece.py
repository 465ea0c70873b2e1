"""The reference model of Re;ACT alone: the masterpiece row, ascension and second forms. Rule ids as in the rules of the game."""

from __future__ import annotations

import pytest
import yaml

from tests.reference.arts_of_war import DECLINE, OPTION, PASS, SLOT, THEIR_UNIT, ReferenceGame
from tests.reference.kits import INKER, KEEPER, LEAPER, ROLLER
from tests.reference.positions import (
    ABILITY_INTENTION,
    FORWARD,
    all_pass,
    keeping,
    masterpiece,
    progressing,
    since,
    start,
    with_do,
)

# ---------------------------------------------------------------------- masterpiece


def test_placing_completes() -> None:
    """AW-M1 AW-M2 AW-M5 AW-M6"""
    game = progressing("- 1 2 - c")
    assert game.legal_actions() == [SLOT, SLOT + 3]  # card 3 is the only one
    game.step(SLOT + 3)
    assert game.log[:2] == ["player_0 places masterpiece card 3 in slot 4", "player_0 ascends"]
    assert game.row == [None, None, None, None, (1, 3)]
    assert game.players[0].unplaced == {1, 2, 3}
    assert "player_0 Calligrapher: damage 0/3, ascended;" in game.status(0)[1]


@pytest.mark.parametrize(("sides", "row"), [("opposite", "- - c b -"), ("same", "- - b c -")])
def test_player_1_reads_from_her_side(sides: str, row: str) -> None:
    """AW-M5 AW-M10: an immediate ascension runs at once and ends with a descent."""
    game = progressing(row, turn_player=1, rules={"masterpiece_sides": sides})
    slot = {"opposite": 4, "same": 1}[sides]
    game.step(SLOT + (4 - slot if sides == "opposite" else slot))
    assert game.log == [
        f"player_1 places masterpiece card 1 in slot {slot + 1}",
        "player_1 ascends",
        "player_1: Grand Finale",
    ]
    assert game.to_play == 1 and game.legal_actions() == [DECLINE, THEIR_UNIT]
    assert "ascended" in game.status()[2]
    game.step(THEIR_UNIT)
    assert game.log[3:5] == ["player_0's Calligrapher (c1) takes damage (1)", "player_1 descends"]


@pytest.mark.parametrize(("setting", "back"), [("unplaced", {1}), ("lost", set())])
def test_replacing(setting: str, back: set[int]) -> None:
    """AW-M3"""
    game = progressing("1 a 2 b c", rules={"replaced_masterpiece": setting})
    assert game.legal_actions() == [DECLINE, OPTION + 2]
    game.step(OPTION + 2)
    game.step(SLOT + 1)
    assert game.log[0] == "player_0 replaces slot 2 with masterpiece card 3"
    assert game.players[1].unplaced == back
    game = progressing("1 a 2 b c")
    game.step(DECLINE)
    assert game.log[0] == "player_0 declines"


@pytest.mark.parametrize("setting", ["every_change", "own_progress"])
def test_swapping(setting: str) -> None:
    """With all three cards placed: choose a slot with a card, then any other slot, or decline. AW-M4 AW-M5 AW-M6"""
    game = progressing("c a b - 1", turn_player=1, rules={"masterpiece_check": setting}, artists=(LEAPER, INKER))
    slots = [SLOT + i for i in range(5)]
    assert game.legal_actions() == [DECLINE, slots[0], slots[2], slots[3], slots[4]]  # own view: 1 - b a c
    game.step(slots[2])
    assert game.legal_actions() == [slots[0], slots[1], slots[3], slots[4]]
    game.step(slots[3])
    assert game.log[:2] == ["player_1 swaps slots 3 and 2", "player_1 ascends"]
    assert game.row == [None, None, None, None, (0, 1)]
    game = progressing("1 3 2 b a", rules={"masterpiece_check": setting})
    game.step(SLOT + 1)
    game.step(SLOT + 4)
    assert game.log[0] == "player_0 swaps slots 2 and 5" and not game.players[0].ascended
    game = progressing("1 3 2 b a", rules={"masterpiece_check": setting})
    game.step(DECLINE)
    assert game.log[0] == "player_0 declines"


def test_nothing_to_progress() -> None:
    """AW-M3 AW-M4: with a card lost, two placed and none unplaced, nothing is asked and nothing happens."""

    def arrange(game: ReferenceGame) -> None:
        masterpiece(game, "1 2 - - -")
        game.players[0].unplaced.clear()
        game.players[0].hand[:] = [6, 0, 0, 0]
        game.players[1].hand[:] = [6, 0, 0, 0]

    game = start(arrange, phase="masterpiece", rules={"replaced_masterpiece": "lost"})
    assert game.log == ["player_0 cannot draw, hand is full", "player_1 cannot draw, hand is full"]


def test_complete_while_ascended() -> None:
    """The cards stay until the artist descends, and then it ascends again at once. AW-M7"""

    def arrange(game: ReferenceGame) -> None:
        masterpiece(game, "1 2 - - -")
        game.players[0].ascended = True
        game.players[1].artist.exhausted = True

    game = start(arrange, phase="masterpiece")
    game.players[0].deck += [0, 0]
    game.players[1].deck += [0, 0]
    game.step(SLOT + 2)
    assert game.row[:3] == [(0, 1), (0, 2), (0, 3)] and "player_0 ascends" not in game.log
    game.step(ABILITY_INTENTION)
    game.step(PASS)
    game.step(PASS)
    assert since(game, "Master Calligrapher of player_0 resolves")[:3] == [
        "player_1's Dancer (c5) takes damage (1)",
        "player_0 descends",
        "player_0 ascends",
    ]
    assert game.row == [None] * 5 and game.players[0].ascended


# ---------------------------------------------------------------------- second forms


def test_becoming_another() -> None:
    """Becoming the second form is no ascension, but the cards leave the row; the second form ascends later. AW-M6 AW-M7 AW-M10"""

    def arrange(game: ReferenceGame) -> None:
        masterpiece(game, "1 2 - - -")
        game.rolls += [6, 6]
        game.players[1].deck += [0]

    game = start(arrange, (ROLLER, INKER), phase="masterpiece")
    game.step(SLOT + 2)
    assert game.log[:4] == [
        "player_0 places masterpiece card 3 in slot 3",
        "player_0 becomes Gambler",
        "player_0: Gambler",
        "player_0's Luck: 18",
    ]
    assert game.row == [None] * 5 and not game.players[0].ascended
    assert game.status()[1] == "player_0 Roller: damage 0/3, Gambler; Luck 18 (6, 6, 6); Grit 1"
    game.step(FORWARD)
    assert "player_0's Roller (c1) moves to c2" in game.log  # its name stays
    masterpiece(game, "1 2 - - -")
    game.step(ABILITY_INTENTION)
    game.step(OPTION)
    all_pass(game)
    assert "player_0 plays Gambler [1] (Intention)" in game.log
    game.step(SLOT + 2)
    assert "player_0 ascends" in game.log and "player_0: Gambler" in game.log[:4]
    assert game.status()[1].startswith("player_0 Roller: damage 0/3, Gambler, ascended;")
    assert game.players[0].side_of(game.players[0].abilities[0])[0] == "High Roller"


def test_the_second_form_may_ascend_at_once() -> None:
    """AW-M10: a second form with an immediate ascension ascends, acts and descends at once."""

    def arrange(game: ReferenceGame) -> None:
        keeping(game)
        game.place(0, "tattoo", "a1")
        game.players[0].second_form = True
        masterpiece(game, "1 2 - - -")

    game = start(arrange, (KEEPER, INKER), phase="masterpiece")
    game.step(SLOT + 2)
    assert game.log[1:] == [
        "player_0 ascends",
        "player_0: Last Line",
        "player_1's Calligrapher (c5) takes damage (1)",
        "player_0's Tattoo 2 (a1) is removed",
        "player_0's Tattoo 1 (b1) is removed",
        "player_0's Keeper (c1) is unharmed",
        "player_0's Moth 1 (d1) is removed",
        "player_0 descends",
        "player_1 wins",
    ]


@pytest.mark.parametrize("form", [False, True])
@pytest.mark.parametrize("ascended", [False, True])
def test_conditions_on_the_artist(form: bool, ascended: bool) -> None:
    kit = with_do(ROLLER, "")
    kit["abilities"][0]["effects"] = kit["abilities"][0]["ascended"]["effects"] = kit["abilities"][0]["ascended"]["ascended"]["effects"] = [
        {"kind": "intention", "cost": [], "do": yaml.safe_load("""
          - {if: {form: second}, then: [{gain: {counter: grit, count: 1}}]}
          - {if: {form: first}, then: [{gain: {counter: luck, count: 1}}]}
          - {if: {ascended: true}, then: [{move: {unit: me, way: {toward: me}}}, {exhaust: me}]}
          - {if: {ascended: false}, then: [{spend: {counter: grit, count: 1}}]}
        """)}
    ]  # fmt: skip

    def arrange(game: ReferenceGame) -> None:
        game.players[0].second_form, game.players[0].ascended = form, ascended
        game.players[1].artist.exhausted = True

    game = start(arrange, (kit, INKER))
    game.step(ABILITY_INTENTION)
    name = {(False, False): "Roller", (True, False): "Gambler", (True, True): "High Roller", (False, True): "Roller"}[
        form, ascended
    ]
    lines = since(game, f"{name} of player_0 resolves")
    assert lines[0] == ("player_0's Grit: 2" if form else "player_0's Luck: 5")
    assert lines[1] == ("player_0's Roller (c1) is exhausted" if ascended else f"player_0's Grit: {int(form)}")
