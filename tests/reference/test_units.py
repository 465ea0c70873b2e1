"""The reference model of Re;ACT alone: units, damage, tokens, tiles, triggers and selections. Rule ids as in the rules of the game."""

from __future__ import annotations

import copy

import pytest

from tests.reference.arts_of_war import DECLINE, END_TURN, OPTION, ZONE, ReferenceGame, Tile
from tests.reference.kits import FLOORER, INKER, LEAPER
from tests.reference.positions import ABILITY_INTENTION, FORWARD, RIGHT, run_effect, since, start, with_do, zone_id

# ---------------------------------------------------------------------- units


def test_move_and_jump() -> None:
    """AW-U1 AW-U2 AW-U3"""

    def arrange(game: ReferenceGame) -> None:
        game.place(0, "fish", "c2")
        game.place(1, "artist", "c3")

    for do, zone in (("move", "c1"), ("jump", "c4")):
        game = run_effect(f"[{{choose_direction: w}}, {{{do}: {{unit: me, way: w}}}}]", arrange)
        game.step(FORWARD)
        there = game.players[0].artist.zone
        assert there is not None and there.name == zone

    def walled(game: ReferenceGame) -> None:
        arrange(game)
        game.place(1, "spirit", "c4")
        game.place(1, "spirit", "c5")

    game = run_effect("[{choose_direction: w}, {jump: {unit: me, way: w}}]", walled)
    game.step(FORWARD)
    assert game.players[0].artist.zone is game.zone("c1")
    game.step(ABILITY_INTENTION)
    game.step(RIGHT)
    assert game.players[0].artist.zone is game.zone("d1")


def test_view_of_player_1() -> None:
    """Player 1's forward is down the board, and her zone ids run the other way."""

    def arrange(game: ReferenceGame) -> None:
        game.players[0].artist.exhausted = True

    kit = with_do(
        INKER, "[{choose_direction: w}, {move: {unit: me, way: w}}, {choose_zone: {as: z, where: {adjacent_to: me}}}]"
    )
    game = start(arrange, (LEAPER, kit), turn_player=1)
    game.step(ABILITY_INTENTION)
    game.step(RIGHT)
    assert game.log[-1] == "player_1's Calligrapher (c5) moves to b5"
    assert game.legal_actions() == [ZONE + 2, ZONE + 4, ZONE + 8]  # c5, a5, b4


def test_simultaneous_damage_ties() -> None:
    """AW-U7 AW-U8 AW-U9"""

    def arrange(game: ReferenceGame) -> None:
        game.players[0].damage = game.players[1].damage = 2
        game.place(1, "artist", "a2")
        game.place(1, "spirit", "b2")

    game = run_effect("[{damage: {units: {}}}, {exhaust: me}]", arrange)
    assert game.log[-5:] == [
        "player_0's Dancer (c1) takes damage (3)",
        "player_1's Calligrapher (a2) takes damage (3)",
        "player_1's Sealbrush Spirit 1 (b2) is removed",
        "player_0's Dancer (c1) is exhausted",
        "The game is a tie",
    ]
    assert game.over == 1 and game.rewards == (0, 0)


def test_third_damage_ends_the_game_in_the_middle_of_a_chain() -> None:
    """AW-U8"""

    def arrange(game: ReferenceGame) -> None:
        game.players[1].damage = 2

    do = "[{damage: {units: {side: theirs}}}, {damage: {units: {}}}]"
    game = run_effect(do, arrange)
    assert game.log[-4:] == [
        "player_1's Calligrapher (c5) takes damage (3)",
        "player_0's Dancer (c1) takes damage (1)",
        "player_1's Calligrapher (c5) takes damage (3)",  # there is no fourth
        "player_0 wins",
    ]
    assert game.rewards == (1, -1) and game.legal_actions() == [] and len(game.chain) == 1
    game = run_effect(do, arrange, rules={"loss_check": "part"})
    assert game.log[-2:] == ["player_1's Calligrapher (c5) takes damage (3)", "player_0 wins"]
    with pytest.raises(ValueError):
        game.step(END_TURN)


def test_summons() -> None:
    """The free summon with the lowest number arrives; without a free one nothing is summoned. AW-U5"""

    def arrange(game: ReferenceGame) -> None:
        game.place(0, "fish", "a1")
        game.place(0, "fish", "b1")
        first = game.players[0].units[1]
        assert first is not None
        game._remove(first)

    do = "[{choose_zone: {as: z, where: {occupied: false, adjacent_to: me}}}, {summon: {kind: fish, zone: z}}]"
    game = run_effect(do, arrange)
    game.step(zone_id(game, 0, "d1"))
    assert game.log[-1] == "player_0's Dancing Fish 1 (d1) is summoned"
    game.step(ABILITY_INTENTION)  # the pool is empty now
    assert game.log[-1] == "Dancer of player_0 resolves"  # c2 was the only empty zone: nothing was asked or done


def test_exhausted_and_refreshed_once() -> None:
    """AW-U6: an exhausted unit is not exhausted again, nor is a ready one refreshed."""
    game = run_effect("[{exhaust: me}, {exhaust: me}, {refresh: me}, {refresh: me}]", lambda game: None)
    told = since(game, "Dancer of player_0 resolves")
    assert told == ["player_0's Dancer (c1) is exhausted", "player_0's Dancer (c1) is refreshed"]
    assert game.players[0].artist is not None and not game.players[0].artist.exhausted


def test_block_token() -> None:
    """A Block token lies in the zone, takes the next damage and goes. AW-U10"""

    def arrange(game: ReferenceGame) -> None:
        game.place(1, "artist", "a2")
        game.zone("a2").tokens[0, "guard"] = 1
        game.players[0].token_pool["guard"] -= 1

    game = run_effect("[{damage: {units: {side: theirs}}}, {damage: {units: {side: theirs}}}]", arrange)
    assert game.log[-2:] == ["Damage at a2 is blocked", "player_1's Calligrapher (a2) takes damage (1)"]
    assert game.players[0].token_pool["guard"] == 2


def test_tokens() -> None:
    """Pools are finite; Ink does not stack, and travels with its unit. AW-U11 AW-U12"""

    def arrange(game: ReferenceGame) -> None:
        for zone in ("a1", "b1", "d1"):
            game.place(0, "spirit", zone)

    everybody = (
        "[{for_each: {unit: x, where: {}, do: [{add_token: {token: ink, to: x}}]}}, {swap: {unit: me, with: x}}]"
    )
    game = run_effect(everybody, arrange, INKER, LEAPER)
    assert since(game, "Calligrapher of player_0 resolves") == [
        "player_0's Sealbrush Spirit 1 (a1) gets Ink",
        "player_0's Sealbrush Spirit 2 (b1) gets Ink",
        "player_0's Calligrapher (c1) gets Ink",
        "player_0's Calligrapher (c1) and player_1's Dancer (c5) swap",
        "player_1: Shed Scales",
        "c5 gets Scale",
    ]
    assert game.players[0].artist.tokens == {(0, "ink"): 1}
    assert "zone c5: player_1's Scale" in game.status()


def test_third_scale_summons_before_the_next_part() -> None:
    """AW-C6 AW-C16"""

    def arrange(game: ReferenceGame) -> None:
        game.zone("c1").tokens[0, "scale"] = 2
        game.players[0].token_pool["scale"] -= 2

    game = run_effect("[{choose_direction: w}, {jump: {unit: me, way: w}}, {draw: 1}]", arrange)
    game.players[0].deck.append(0)
    game.step(FORWARD)
    assert since(game, "Dancer of player_0 resolves") == [
        "player_0's Dancer (c1) moves to c2",
        "player_0: Shed Scales",
        "c1 gets Scale",
        "player_0: Scale",
        "player_0's Dancing Fish 1 (c1) is summoned",
        "c1 loses Scale",
        "c1 loses Scale",
        "c1 loses Scale",
        "player_0 draws a card",
    ]


def pushed_onto_tile(game: ReferenceGame) -> None:
    game.place(0, "artist", "a1")
    game.place(1, "artist", "a2")
    game.zone("a3").tile = Tile(0, "push")
    game.zone("a4").tile = Tile(0, "spike")
    game.players[0].tile_pool["push"] -= 1
    game.players[0].tile_pool["spike"] -= 1


@pytest.mark.parametrize(("order", "first"), [("turn_player_then_zones", "Push"), ("zones", "Shed Scales")])
def test_tiles_and_the_order_of_triggers(order: str, first: str) -> None:
    """AW-U13 AW-C16: the Dancer leaves a2 and enters a3."""
    do = "[{choose_unit: {as: it, where: {side: theirs}}}, {move: {unit: it, way: {away_from: me}}}]"
    game = run_effect(do, pushed_onto_tile, FLOORER, LEAPER, rules={"trigger_order": order})
    assert [line[10:] for line in game.log if line.startswith("player_") and ":" in line][0] == first
    assert "player_1's Dancer (a3) moves to a4" in game.log
    assert "player_1's Dancer (a4) takes damage (1)" in game.log
    assert game.log.count("a4 loses Spike") == 1


def test_tiles_do_not_stack() -> None:
    """AW-U13: a tile is neither placed nor moved onto another; moved under a unit it triggers nothing."""
    do = """
      - {choose_zone: {as: a, where: {tile: true}}}
      - {choose_zone: {as: b, where: {}}}
      - {move_tile: {from: a, to: b}}
      - {place_tile: {tile: spike, zone: b}}
    """
    game = run_effect(do, pushed_onto_tile, FLOORER, LEAPER)
    game.step(zone_id(game, 0, "a3"))
    game.step(zone_id(game, 0, "a4"))
    assert game.log[-1] == "Floorer of player_0 resolves"
    game.step(ABILITY_INTENTION)
    game.step(zone_id(game, 0, "a3"))
    game.step(zone_id(game, 0, "a2"))
    assert game.log[-1] == "Push moves from a3 to a2"


@pytest.mark.parametrize("limit", [32, 40])
def test_triggers_nest_as_deep_as_the_limit(limit: int) -> None:
    """Two tiles that push a unit back and forth stop at the limit."""
    kit = copy.deepcopy(FLOORER)
    kit["tiles"]["push"]["on_enter"] = [
        {"if": {"zone": "here", "is": {"other_than": "me", "within": {"of": "me", "distance": 2}}},
         "then": [{"move": {"unit": "unit", "way": {"away_from": "me"}}}],
         "else": [{"move": {"unit": "unit", "way": {"toward": "me"}}}]}
    ]  # fmt: skip

    def arrange(game: ReferenceGame) -> None:
        pushed_onto_tile(game)
        game.zone("a4").tile = Tile(0, "push")

    do = "[{choose_unit: {as: it, where: {side: theirs}}}, {move: {unit: it, way: {away_from: me}}}]"
    game = run_effect(do, arrange, kit, INKER, rules={"trigger_limit": limit})
    assert game.log.count("player_0: Push") == limit
    assert sum("moves to" in line for line in game.log) == limit + 1
    assert game.log[-1] == "player_0: Push is left out (trigger limit)"


# ---------------------------------------------------------------------- selections


@pytest.mark.parametrize(
    ("where", "zones"),
    [
        ("{diagonal_to: me}", ["a1", "c1", "a3", "c3"]),
        ("{touching: {side: theirs}}", ["e3", "d4", "e5"]),
        ("{touching: {kind: summon}, occupied: true}", ["e4"]),
        ("{touching: {side: theirs, kind: summon}}", []),
        ("{tile: push}", ["a5"]),
        ("{tile: true}", ["a5", "b5", "c5"]),
        ("{holds: {touching: {kind: can}}}", ["e4"]),
        ("{holds: {diagonal_to: me}}", []),
    ],
)
def test_selections(where: str, zones: list[str]) -> None:
    """Zones can be selected by a diagonal, by who stands in or beside them, and by their tile."""

    def arrange(game: ReferenceGame) -> None:
        game.place(0, "artist", "b2")
        game.place(0, "can", "d4")
        game.place(1, "artist", "e4")
        game.zone("a5").tile = Tile(0, "push")
        game.zone("b5").tile = Tile(0, "spike")
        game.zone("c5").tile = Tile(1, "push")

    game = run_effect(
        f"[{{choose_zone: {{as: z, where: {where}, optional: true}}}}, {{may: []}}]", arrange, FLOORER, FLOORER
    )
    if not zones:
        assert OPTION in game.legal_actions()
    else:
        assert game.legal_actions() == [DECLINE, *(zone_id(game, 0, name) for name in zones)]
