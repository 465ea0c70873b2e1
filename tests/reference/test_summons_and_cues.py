"""The reference model of Re;ACT alone: summons, defeat, directed tiles and cues. Rule ids as in the rules of the game."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml

from tests.reference.arts_of_war import OWN_UNIT, ReferenceGame, Tile
from tests.reference.kits import FLOORER, FRAMER, INKER, KEEPER
from tests.reference.positions import (
    ABILITY_INTENTION,
    FORWARD,
    INTENTION,
    MOVE,
    REACTION,
    RIGHT,
    SUMMONING_INK,
    all_pass,
    keeping,
    run_effect,
    since,
    start,
    where_they_stand,
    with_do,
    zone_id,
)

# ---------------------------------------------------------------------- immune artists, vital summons, sacrifices, defeat


def test_an_immune_artist() -> None:
    """No damage is counted; a Block token is used up all the same. AW-U8 AW-U10"""

    def arrange(game: ReferenceGame) -> None:
        keeping(game)
        game.zone("c1").tokens[0, "guard"] = 1
        game.players[0].token_pool["guard"] -= 1

    game = run_effect("[{damage: {zone: me}}, {damage: {zone: me}}]", arrange, KEEPER)
    assert game.log[-2:] == ["Damage at c1 is blocked", "player_0's Keeper (c1) is unharmed"]
    assert game.players[0].damage == 0
    assert game.status()[1].startswith("player_0 Keeper: damage -; hand 0")


def test_the_last_vital_summon() -> None:
    """One of two vital summons may go, but not the last; other summons do not count."""
    game = run_effect("[{damage: {units: {kind: tattoo}}}]", keeping, KEEPER)
    assert game.log[-2:] == ["player_0's Tattoo 1 (b1) is removed", "player_1 wins"]
    assert game.rewards == (-1, 1)
    game = run_effect("[{let: {zone: z, of: me}}, {for_each: {unit: x, where: {kind: tattoo}, do: [{let: {zone: z, of: x}}, {remove: x}, "
                      "{summon: {kind: tattoo, zone: z}}]}}]", keeping, KEEPER)  # fmt: skip
    assert not game.over  # another has come before the loss is checked

    def two(game: ReferenceGame) -> None:
        keeping(game)
        game.place(0, "tattoo", "a1")

    game = run_effect(
        "[{choose_unit: {as: it, where: {kind: tattoo}}}, {remove: it}, {damage: {units: {kind: moth}}}]", two, KEEPER
    )
    game.step(OWN_UNIT + 1)
    assert not game.over and where_they_stand(game) == ["c1", "a1"]
    game = run_effect("[{choose_unit: {as: it, where: {kind: tattoo}}}, {remove: it}, {exhaust: me}]", keeping, KEEPER)
    assert game.log[-3:] == [
        "player_0's Tattoo 1 (b1) is removed",
        "player_0's Keeper (c1) is exhausted",
        "player_1 wins",
    ]


@pytest.mark.parametrize("other", [KEEPER, INKER], ids=["vital", "damage"])
def test_both_lose_by_one_part(other: dict[str, Any]) -> None:
    """AW-U9: the last vital summon and another loss in the same damage are a tie."""

    def arrange(game: ReferenceGame) -> None:
        keeping(game)
        if other is KEEPER:
            game.place(1, "tattoo", "e5")
        game.players[1].damage = 2

    game = run_effect("[{damage: {units: {}}}]", arrange, KEEPER, other)
    assert game.log[-1] == "The game is a tie" and game.rewards == (0, 0) and game.over == 1


@pytest.mark.parametrize(("check", "end"), [("effect", "The game is a tie"), ("part", "player_1 wins")])
def test_both_lose_by_one_effect(check: str, end: str) -> None:
    """AW-U9: two losses in different parts of one effect are a tie, unless each part is checked."""

    def arrange(game: ReferenceGame) -> None:
        keeping(game)
        game.place(1, "tattoo", "e5")

    do = "[{for_each: {unit: x, where: {kind: summon}, do: [{remove: x}]}}]"
    game = run_effect(do, arrange, KEEPER, KEEPER, rules={"loss_check": check})
    assert game.log[-1] == end


def offering(game: ReferenceGame) -> None:
    keeping(game)
    game.place(1, "artist", "e1")
    game.players[0].hand[0] = 1
    game.players[1].artist.exhausted = True


def test_a_sacrifice() -> None:
    """A sacrifice is paid at once, and its zone stays the target. AW-C2 AW-C7"""
    game = start(offering, (KEEPER, INKER))
    game.step(INTENTION)
    assert game.legal_actions() == [zone_id(game, 0, "b1"), zone_id(game, 0, "d1")]
    game.step(zone_id(game, 0, "d1"))
    assert game.log[:2] == ["player_0's Moth 1 (d1) is removed", "player_0 plays Offering [1] (Intention), zone d1"]
    all_pass(game)
    lines = since(game, "Offering of player_0 resolves")  # those beside the zone, in the order of zones
    assert lines[:2] == ["player_0's Keeper (c1) is unharmed", "player_1's Calligrapher (e1) takes damage (1)"]
    game = start(offering, (KEEPER, INKER))
    game.step(INTENTION)
    game.step(zone_id(game, 0, "b1"))  # the last tattoo: nothing more is paid or played
    assert game.log == ["player_0's Tattoo 1 (b1) is removed", "player_1 wins"]


def test_without_a_summon_nothing_is_sacrificed() -> None:
    """AW-C2"""

    def arrange(game: ReferenceGame) -> None:
        game.players[0].hand[0] = 1
        game.players[1].hand[:] = [1, 1, 0, 0]

    game = start(arrange, (KEEPER, INKER))
    assert INTENTION not in game.legal_actions()


def test_the_unit_that_pays_may_be_the_one_that_is_sacrificed() -> None:
    """AW-C11: it is exhausted, removed, and gone when the effect resolves."""
    kit = copy.deepcopy(KEEPER)
    kit["vital"] = None
    kit["abilities"][1]["effects"] = [
        {
            "kind": "intention",
            "cost": [
                {"exhaust": "me"},
                {"choose_zone": {"as": "z", "where": {"holds": {"side": "mine", "kind": "tattoo"}}}},
                {"sacrifice": "z"},
            ],
            "do": [{"damage": {"zone": "me"}}, {"damage": {"zone": "z"}}],
        }
    ]

    def arrange(game: ReferenceGame) -> None:
        keeping(game)
        game.players[1].artist.exhausted = True

    game = start(arrange, (kit, INKER))
    game.step(ABILITY_INTENTION + 1)
    assert game.log[:3] == [
        "player_0's Tattoo 1 (b1) is exhausted",
        "player_0's Tattoo 1 (b1) is removed",
        "player_0 plays Tattoo (Intention) with a unit that is gone, zone b1",
    ]
    assert since(game, "Tattoo of player_0 resolves")[0] == "Damage at b1 hits nothing"


@pytest.mark.parametrize(("zones", "playable"), [(["b1"], False), (["b1", "a3"], True)])
def test_a_requirement(zones: list[str], playable: bool) -> None:
    """AW-C2: a requirement costs nothing, but unless it is met the effect cannot be played."""

    def arrange(game: ReferenceGame) -> None:
        for zone in zones:
            game.place(0, "tattoo", zone)
        game.players[0].hand[2] = 1
        game.players[1].hand[SUMMONING_INK] = 1

    game = start(arrange, (KEEPER, INKER), turn_player=1)
    game.step(INTENTION + SUMMONING_INK)
    assert game.to_play == 0 and (REACTION + 2 in game.legal_actions()) == playable


# ---------------------------------------------------------------------- directed tiles and cues


def framed(game: ReferenceGame, *frames: tuple[str, str, int | None]) -> None:
    """Lay these tiles of player 0: zone, kind, direction."""
    for zone, kind, way in frames:
        game.zone(zone).tile = Tile(0, kind, way)
        game.players[0].tile_pool[kind] -= 1
        if kind != "gust":
            game.plan[0].append(game.zone(zone))


def test_a_cue_runs_the_plan_in_order() -> None:
    """Each tile runs completely before the next, for whoever stands there when its turn comes."""

    def arrange(game: ReferenceGame) -> None:
        game.place(0, "cel", "b2")
        game.place(1, "artist", "e3")
        framed(game, ("b2", "step", 0), ("d4", "strike", None), ("b3", "step", 1), ("c3", "gust", 1))

    game = run_effect("[cue, {draw: 1}]", arrange, FRAMER)
    assert since(game, "Framer of player_0 resolves") == [
        "player_0: Step",
        "player_0's Cel 1 (b2) moves to b3",
        "player_0: Strike",
        "d4 loses Strike",
        "player_0: Step",
        "player_0's Cel 1 (b3) moves to c3",
        "player_0: Gust",
        "c3 loses Gust",
        "player_0's Cel 1 (c3) moves to d3",
    ]
    assert [zone.name for zone in game.plan[0]] == ["b2", "b3"]
    status = game.status()
    assert "zone b2: player_0's Step (up)" in status
    assert status[status.index("zone b3: player_0's Step (right)") + 1] == "plan of player_0: b2, b3"


def test_tiles_that_are_not_where_they_lay() -> None:
    """A tile that the first one moves away does not run at this cue, but keeps its place in the order."""
    kit = copy.deepcopy(FRAMER)
    kit["tiles"]["splice"]["on_cue"] = yaml.safe_load(
        "[{choose_zone: {as: from, where: {tile: step}}}, {move_tile: {from: from, to: me}}]"
    )

    def arrange(game: ReferenceGame) -> None:
        framed(game, ("a3", "splice", None), ("b3", "step", 1), ("d3", "strike", None))

    game = run_effect("[cue]", arrange, kit)
    assert since(game, "Framer of player_0 resolves") == [
        "player_0: Splice",
        "Step moves from b3 to c1",
        "player_0: Strike",
        "d3 loses Strike",
    ]
    assert [zone.name for zone in game.plan[0]] == ["a3", "c1"]
    game.step(ABILITY_INTENTION)  # now it runs where it lies, with its direction, under the artist
    all_pass(game)
    assert since(game, "Framer of player_0 resolves")[:3] == [
        "player_0: Splice",
        "player_0: Step",
        "player_0's Framer (c1) moves to d1",
    ]


def test_a_tile_laid_in_its_place_is_another() -> None:
    """A tile that the first one removes and lays again does not run at this cue, and goes to the end of the order."""
    kit = copy.deepcopy(FRAMER)
    kit["tiles"]["splice"]["on_cue"] = yaml.safe_load(
        "[{choose_zone: {as: z, where: {tile: strike}}}, {remove_tile: {zone: z}}, {place_tile: {tile: strike, zone: z}}]"
    )

    def arrange(game: ReferenceGame) -> None:
        framed(game, ("b3", "strike", None), ("a3", "splice", None))
        game.plan[0].reverse()

    game = run_effect("[cue]", arrange, kit)
    assert since(game, "Framer of player_0 resolves") == ["player_0: Splice", "b3 loses Strike", "b3 gets Strike"]
    assert [zone.name for zone in game.plan[0]] == ["a3", "b3"]


def test_laying_a_directed_tile() -> None:
    """A tile that player 1 directs forward points down. AW-U13"""

    def arrange(game: ReferenceGame) -> None:
        game.players[0].artist.exhausted = True

    kit = with_do(
        FRAMER,
        "[{choose_zone: {as: z, where: {adjacent_to: me}}}, {choose_direction: w}, {place_tile: {tile: step, zone: z, way: w}}]",
    )
    game = start(arrange, (FLOORER, kit), turn_player=1)
    game.step(ABILITY_INTENTION)
    all_pass(game)
    game.step(zone_id(game, 1, "c4"))
    game.step(FORWARD)
    assert game.log[-1] == "c4 gets Step, down"
    assert "zone c4: player_1's Step (down)" in game.status() and "plan of player_1: c4" in game.status()


def test_a_tile_without_on_enter_is_no_trigger() -> None:
    """AW-U13"""

    def arrange(game: ReferenceGame) -> None:
        framed(game, ("c2", "step", 0), ("d1", "strike", None))

    game = run_effect(MOVE, arrange, FRAMER)
    game.step(FORWARD)
    assert game.log[-1] == "player_0's Framer (c1) moves to c2"
    game = run_effect(MOVE, arrange, FRAMER)
    game.step(RIGHT)
    assert game.log[-2:] == ["player_0: Strike", "player_0's Reel: 3"]


@pytest.mark.parametrize(("steps", "begun"), [(1, 32), (2, 2 * 32 * 32)])
def test_cues_without_end(steps: int, begun: int) -> None:
    """A tile that cues itself stops at the depth limit; two, which double each time, once each outermost trigger has begun too many."""
    kit = copy.deepcopy(FRAMER)
    kit["tiles"]["step"]["on_cue"] = ["cue"]
    laid = [("a3", "step", 0), ("b3", "step", 0)]
    game = run_effect("[cue]", lambda game: framed(game, *laid[:steps]), kit, rules={"trigger_limit": 32})
    assert game.log.count("player_0: Step") == begun
    assert game.log[-1] == "player_0: Step is left out (trigger limit)"
