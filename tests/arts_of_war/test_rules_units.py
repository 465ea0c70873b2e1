"""Rules of Re;ACT, chapter five: units, movement, damage, tokens, tiles (AW-U1 to AW-U13)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.arts_of_war.positions import TOKENS, ability, intention, kit, passive, reaction, table

WAY = "[{choose_direction: way}]"
MOVE = intention("[{move: {unit: me, way: way}}]", WAY)
JUMP = intention("[{jump: {unit: me, way: way}}]", WAY)
ANYWHERE = "[{choose_zone: {as: z, where: {}}}]"
STRIKE = intention("[{damage: {zone: z}}]", ANYWHERE)
CALL = intention("[{summon: {kind: imp, zone: z}}]", ANYWHERE)
ANYBODY = "[{choose_unit: {as: it, where: {}}}]"
SWAP = intention("[{swap: {unit: me, with: it}}]", ANYBODY)


@pytest.mark.rule("AW-U1")
def test_orthogonal() -> None:
    near = intention("[{choose_zone: {as: z, where: {adjacent_to: me}}}, {place_tile: {tile: bell, zone: z}}]")
    reach = intention(
        "[{choose_zone: {as: z, where: {within: {of: me, distance: 2}}}}, {place_tile: {tile: bell, zone: z}}]"
    )
    t = table(kit("ann", Near=[near], Reach=[reach], Move=[MOVE]), kit("ben"))
    t.place(0, "artist", "b2")
    t.give(0, "Near", "Reach", "Move")
    t.do("play Near").passes()
    assert sorted(t.options()) == ["zone a2", "zone b1", "zone b3", "zone c2"]
    t.do("zone a2", "play Reach").passes()
    reached = {text.split(":")[0][-2:] for text in t.options()}
    assert reached == {"b2", "a2", "b1", "b3", "c2", "a1", "a3", "c1", "c3", "b4", "d2"}
    t.do("zone b3", "play Move")
    assert t.options() == ["up", "right", "down", "left"]


@pytest.mark.rule("AW-U1")
def test_a_line_is_a_row_or_a_column() -> None:
    line = intention("[{choose_unit: {as: it, where: {in_line_with: me}}}, {exhaust: it}]")
    t = table(kit("ann", Line=[line]), kit("ben"))
    t.place(0, "artist", "b2")
    for zone in ("b5", "e2", "c3"):
        t.place(0, "imp", zone)
    t.give(0, "Line")
    t.do("play Line").passes()
    assert t.options() == ["player_0's Imp 1 (b5)", "player_0's Imp 2 (e2)"]


@pytest.mark.rule("AW-U1")
@pytest.mark.parametrize(
    ("zone", "near", "far"),
    [
        *(("c5", "c4", "c5"), ("e3", "d3", "e3"), ("c1", "c2", "c1"), ("a3", "b3", "a3")),
        *(("c4", "c4", "c5"), ("d3", "d3", "e3"), ("c2", "c2", "c1"), ("b3", "b3", "a3")),
        ("b4", "b4", "b4"),
    ],
)
def test_toward_and_away_are_along_the_line(zone: str, near: str, far: str) -> None:
    """The line is Ann's, who is in c3; she or the wall ends the move, and a unit that is not in line with her stays."""
    for way, lands in (("toward", near), ("away_from", far)):
        go = intention(
            f"[{{choose_unit: {{as: it, where: {{kind: imp}}}}}}, {{move: {{unit: it, way: {{{way}: me}}}}}}]"
        )
        t = table(kit("ann", Go=[go]), kit("ben"))
        t.place(0, "artist", "c3")
        t.place(1, "artist", "e5")
        t.place(0, "imp", zone)
        t.give(0, "Go")
        t.do("play Go").passes()
        assert t.at(lands) == "player_0's Imp 1"


@pytest.mark.rule("AW-C11", "AW-U1")
def test_nobody_moves_toward_a_unit_that_is_gone() -> None:
    hunt = "[{remove: it}, {move: {unit: me, way: {toward: it}}}]"
    t = table(kit("ann", Hunt=[intention(hunt, "[{choose_unit: {as: it, where: {kind: imp}}}]")]), kit("ben"))
    t.place(0, "artist", "e3")
    t.place(0, "imp", "e5")
    t.give(0, "Hunt")
    t.do("play Hunt").passes()
    assert t.log[-1] == "player_0's Imp 1 (e5) is removed" and t.at("e3") == "player_0's Ann"


@pytest.mark.rule("AW-U5")
def test_a_kind_of_summon_means_the_own_units_of_that_kind() -> None:
    kinds = {kind: {"name": kind.capitalize(), "count": 2} for kind in ("imp", "ogre")}
    pick = intention("[{choose_unit: {as: it, where: {kind: ogre}}}, {exhaust: it}]")
    t = table(*(kit(name, Pick=[pick], summons=kinds) for name in ("ann", "ben")), turn_player=1)
    for player, row in ((0, 2), (1, 4)):
        t.place(player, "imp", f"a{row}")
        for zone in "bd":
            t.place(player, "ogre", f"{zone}{row}")
    t.give(1, "Pick")
    t.do("play Pick").passes()
    assert t.options() == ["player_1's Ogre 1 (b4)", "player_1's Ogre 2 (d4)"]


@pytest.mark.rule("AW-U1")
def test_what_a_card_says_is_diagonal() -> None:
    """That is one step away on the diagonal, not two steps away in a line."""
    lay = intention("[{choose_zone: {as: z, where: {diagonal_to: me}}}, {place_tile: {tile: bell, zone: z}}]")
    t = table(kit("ann", Lay=[lay]), kit("ben"))
    t.place(0, "artist", "c3")
    t.give(0, "Lay")
    t.do("play Lay").passes()
    assert sorted(t.options()) == ["zone b2", "zone b4", "zone d2", "zone d4"]


@pytest.mark.rule("AW-U1")
@pytest.mark.parametrize(("kind", "zones"), [("imp", "b1 a2 c2 b3"), ("artist", "b1 d1 c2 c4 b5 d5")])
def test_what_touches_a_unit_lies_on_its_four_sides(kind: str, zones: str) -> None:
    storm = intention(f"[{{damage: {{zones: {{touching: {{kind: {kind}}}}}}}}}]")
    t = table(kit("ann", Storm=[storm]), kit("ben"))
    t.place(0, "imp", "b2")
    t.give(0, "Storm")
    t.do("play Storm").passes()
    assert t.after("Storm of player_0 resolves") == [f"Damage at {zone} hits nothing" for zone in zones.split()]


@pytest.mark.rule("AW-U2")
def test_move() -> None:
    """A move off the field or into an occupied zone fails; tokens and tiles are no obstacle."""
    t = table(kit("ann", Move=[MOVE]), kit("ben"))
    t.place(0, "artist", "a2")
    t.place(1, "imp", "a3")
    t.strew(0, "scale", "b2", "b2")
    t.strew(1, "block", "b2")
    t.lay(1, "bell", "b2")
    t.give(0, *["Move"] * 4)
    t.do("play Move", "left").passes()
    t.do("play Move", "up").passes()
    assert t.at("a2") == "player_0's Ann" and not [line for line in t.log if "moves" in line]
    t.do("play Move", "right").passes()
    assert t.at("b2") == "player_0's Ann" and "player_0's Ann (a2) moves to b2" in t.log
    t.place(0, "imp", "b1")  # one's own units are in the way, too
    t.do("play Move", "down").passes()
    assert t.at("b2") == "player_0's Ann"


ATTACHED = {"imp": {"name": "Imp", "count": 3, "attached": True}}


@pytest.mark.rule("AW-U2")
@pytest.mark.parametrize(("way", "moves"), [("up", True), ("right", True), ("left", False), ("down", False)])
def test_a_body_moves_as_one_or_not_at_all(way: str, moves: bool) -> None:
    """It stays if one of its units would leave the field or meet another unit; its units may move into each other's places."""
    t = table(kit("ann", Move=[MOVE], summons=ATTACHED), kit("ben"))
    t.place(0, "artist", "b3")
    for zone in ("a3", "c4"):
        t.place(0, "imp", zone)
    t.place(1, "imp", "a2")  # below one of them
    t.place(1, "artist", "e5")
    t.give(0, "Move")
    t.do("play Move", way).passes()
    assert len(t.after("Move of player_0 resolves")) == 3 * moves
    rows, columns = {"up": (1, 0), "right": (0, 1)}.get(way, (0, 0))
    for name, column, row in (("Ann", "b", 3), ("Imp 1", "a", 3), ("Imp 2", "c", 4)):
        assert t.at(f"{chr(ord(column) + columns)}{row + rows}") == f"player_0's {name}"


@pytest.mark.rule("AW-U2")
@pytest.mark.parametrize("card", ["move", "jump"])
@pytest.mark.parametrize("pushed", ["Ann", "Imp 2"])
@pytest.mark.parametrize("seat", [0, 1])
def test_who_pushes_a_unit_of_a_body_pushes_all_of_it(seat: int, pushed: str, card: str) -> None:
    push = intention(
        f"[{{{card}: {{unit: it, way: way}}}}]", "[{choose_unit: {as: it, where: {}}}, {choose_direction: way}]"
    )
    body = [kit(name, summons=ATTACHED, Push=[push]) for name in ("ann", "ben")]
    t = table(*body, turn_player=seat)
    name = pushed.replace("Ann", ("Ann", "Ben")[seat])
    t.place(seat, "artist", "c3")
    for zone in ("b2", "d4"):
        t.place(seat, "imp", zone)
    t.give(seat, "Push")
    t.do("play Push", f"player_{seat}'s {name}", "right").passes()
    zones = {("Ann", "Ben")[seat]: "c3 d3", "Imp 1": "b2 c2", "Imp 2": "d4 e4"}
    moves = [f"player_{seat}'s {unit} ({way[:2]}) moves to {way[3:]}" for unit, way in zones.items()]
    assert sorted(t.after(f"Push of player_{seat} resolves")) == moves
    assert all(t.at(way[3:]) == f"player_{seat}'s {unit}" for unit, way in zones.items())


@pytest.mark.rule("AW-U2", "AW-U13")
def test_only_the_units_of_the_body_have_moved() -> None:
    trail = passive("unit_moved", "[{add_token: {token: scale, to: left}}]", "Trail")
    t = table(kit("ann", Move=[MOVE], summons=ATTACHED, passives=(trail,)), kit("ben"))
    t.place(0, "imp", "d1")
    t.place(1, "imp", "a3")
    t.lay(1, "bell", "a3", "c5")
    t.give(0, "Move")
    t.do("play Move", "up").passes()
    assert t.log[-4:] == ["player_0: Trail", "c1 gets Scale", "player_0: Trail", "d1 gets Scale"]
    assert t.log.count("player_0: Trail") == 2 and "player_1: Bell" not in t.log


@pytest.mark.rule("AW-U2", "AW-U3")
@pytest.mark.parametrize("card", ["Move", "Jump"])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_body_does_not_enter_the_zone_of_an_artist(seat: int, card: str) -> None:
    cards = {"Move": [MOVE], "Jump": [JUMP]}
    t = table(*(kit(name, summons=ATTACHED, **cards) for name in ("ann", "ben")), turn_player=seat)
    t.place(seat, "artist", "c3")
    t.place(seat, "imp", "d3")
    t.place(1 - seat, "artist", "d4")
    t.give(seat, card)
    t.do(f"play {card}", "up").passes()
    assert t.log[-1] == f"{card} of player_{seat} resolves" and t.at("c3") and t.at("d3") and t.at("d4")


@pytest.mark.rule("AW-U2")
@pytest.mark.parametrize(
    ("way", "ann", "imp"), [("up", "b4", "a5"), ("right", "d2", "e3"), ("down", "b2", "a1"), ("left", "b3", "a4")]
)
def test_no_unit_of_a_body_leaves_the_field(way: str, ann: str, imp: str) -> None:
    """They stay even if there is room for the artist."""
    t = table(kit("ann", Move=[MOVE], summons=ATTACHED), kit("ben"))
    t.place(0, "artist", ann)
    t.place(0, "imp", imp)
    t.give(0, "Move")
    t.do("play Move", way).passes()
    assert t.log[-1] == "Move of player_0 resolves" and t.at(ann) == "player_0's Ann"


@pytest.mark.rule("AW-U3")
@pytest.mark.parametrize(
    ("others", "lands"),
    [([], "c2"), (["c2"], "c3"), (["c2", "c3", "c4"], "c5"), (["c3"], "c2"), (["c2", "c3", "c4", "c5"], "c1")],
)
def test_jump(others: list[str], lands: str) -> None:
    """Over any number of units to the first empty zone; a plain move if the next zone is empty; never beyond the edge."""
    t = table(kit("ann", Jump=[JUMP]), kit("ben"))
    t.place(1, "artist", "c5" if "c5" in others else "e5")
    for i, zone in enumerate(zone for zone in others if zone != "c5"):
        t.place(i % 2, "imp", zone)
    t.give(0, "Jump")
    t.do("play Jump", "up").passes()
    assert t.at(lands) == "player_0's Ann"
    assert ("moves" in t.log[-1]) == (lands != "c1")


@pytest.mark.rule("AW-U3")
def test_nobody_jumps_into_a_corner_where_somebody_stands() -> None:
    t = table(kit("ann", Jump=[JUMP]), kit("ben"))
    t.place(0, "artist", "b1")
    t.place(1, "imp", "a1")
    t.give(0, "Jump")
    t.do("play Jump", "left").passes()
    assert t.log[-1] == "Jump of player_0 resolves" and t.at("b1") == "player_0's Ann"


@pytest.mark.rule("AW-U3", "AW-U13")
def test_who_jumps_enters_only_the_zone_where_it_lands() -> None:
    """The zones that it skips are not entered, whatever lies there."""
    t = table(kit("ann", Jump=[JUMP]), kit("ben"))
    t.place(1, "imp", "c2")
    t.lay(1, "bell", "c2")
    t.give(0, "Jump", "Jump", "Blank 1")
    t.do("play Jump", "up").passes()
    assert t.after("Jump of player_0 resolves") == ["player_0's Ann (c1) moves to c3"]
    t.lay(1, "bell", "c1")
    t.do("play Jump", "down").passes()
    assert t.after("Jump of player_0 resolves") == [
        "player_0's Ann (c3) moves to c1",
        "player_1: Bell",
        "player_0's Ann (c1) gets Ink",
    ]


@pytest.mark.rule("AW-U3")
@pytest.mark.parametrize(
    ("imp", "others", "lands"),
    [("b3", "e4", "b3"), ("c2", "b3", "b4"), ("b3", "b4", "b2"), ("c2", "b3 c4", "b2")],
)
def test_a_body_jumps_as_one_or_not_at_all(imp: str, others: str, lands: str) -> None:
    """It goes as far as Ann would by herself: units of the body are not in her way, and are not jumped over."""
    t = table(kit("ann", Jump=[JUMP], summons=ATTACHED), kit("ben"))
    t.place(0, "artist", "b2")
    t.place(0, "imp", imp)
    for zone in others.split():
        t.place(1, "imp", zone)
    t.give(0, "Jump")
    t.do("play Jump", "up").passes()
    moved = int(lands[1]) - 2
    assert t.at(lands) == "player_0's Ann" and t.at(f"{imp[0]}{int(imp[1]) + moved}") == "player_0's Imp 1"


@pytest.mark.rule("AW-U2", "AW-U3", "AW-U4", "AW-U13")
@pytest.mark.parametrize(("card", "choice"), [("Move", "left"), ("Jump", "left"), ("Swap", "player_0's Imp 1")])
@pytest.mark.parametrize("attached", [False, True])
def test_the_corner_is_entered_like_any_zone(card: str, choice: str, attached: bool) -> None:
    """By an artist alone, and by one with an Imp that moves along."""
    summons = {"imp": {**ATTACHED["imp"], "attached": attached}}
    t = table(kit("ann", Move=[MOVE], Jump=[JUMP], Swap=[SWAP], summons=summons), kit("ben"))
    t.place(0, "artist", "b1")
    t.place(0, "imp", "a1" if card == "Swap" else "b2")
    t.lay(0, "bell", "a1")
    t.give(0, card)
    t.do(f"play {card}", choice).passes()
    assert t.at("a1") == "player_0's Ann" and t.log[-2:] == ["player_0: Bell", "player_0's Ann (a1) gets Ink"]


@pytest.mark.rule("AW-U1")
@pytest.mark.parametrize(
    ("where", "zones"),
    [
        ("adjacent_to: me", "b1 a2"),
        ("diagonal_to: me", "b2"),
        ("in_line_with: me", "b1 c1 d1 e1 a2 a3 a4 a5"),
        ("within: {of: me, distance: 1}", "b1 a2"),
    ],
)
def test_what_is_near_the_corner(where: str, zones: str) -> None:
    storm = intention(f"[{{damage: {{zones: {{{where}, occupied: false}}}}}}]")
    t = table(kit("ann", Storm=[storm]), kit("ben"))
    t.place(0, "artist", "a1")
    t.give(0, "Storm")
    t.do("play Storm").passes()
    assert t.after("Storm of player_0 resolves") == [f"Damage at {zone} hits nothing" for zone in zones.split()]


@pytest.mark.rule("AW-U5", "AW-U6", "AW-U7", "AW-U10")
def test_what_stands_in_the_corner_is_there_like_anywhere() -> None:
    """It is visited before the others, it can pay with itself, a Block protects it, and it can be hit."""
    each = intention("[{for_each: {unit: x, where: {side: mine}, do: [{add_token: {token: ink, to: x}}]}}]")
    bark = ability("Imp", "imp", intention("[{add_token: {token: block, to: me}}]", "[{exhaust: me}]"))
    t = table(kit("ann", bark, Call=[CALL], Strike=[STRIKE], Each=[each]), kit("ben"))
    t.give(0, "Call", "Each", "Strike", "Strike")
    t.place(0, "artist", "d5")
    t.place(0, "imp", "e5")
    t.do("play Call", "zone a1").passes()
    t.do("play Each").passes()
    inked = ["player_0's Imp 2 (a1)", "player_0's Ann (d5)", "player_0's Imp 1 (e5)"]
    assert t.after("Each of player_0 resolves") == [f"{unit} gets Ink" for unit in inked]
    t.do("play Imp", "player_0's Imp 2").passes()
    assert t.log[-1] == "a1 gets Block"
    t.do("play Strike", "zone a1").passes().do("play Strike", "zone a1").passes()
    assert "Damage at a1 is blocked" in t.log and t.log[-1] == "player_0's Imp 2 (a1) is removed"


@pytest.mark.rule("AW-U4", "AW-U12")
def test_swap() -> None:
    """The tokens on both units go along, those in the zones do not; exhaustion stays with the unit."""
    t = table(kit("ann", Swap=[SWAP]), kit("ben"))
    t.place(0, "artist", "c1", "ink", exhausted=True)
    t.place(1, "imp", "d4")
    t.strew(1, "scale", "c1")
    t.give(0, "Swap", "Blank 1")
    t.do("play Swap", "player_1's Imp 1").passes()
    assert t.log[-1] == "player_0's Ann (c1) and player_1's Imp 1 (d4) swap"
    assert t.status("unit player_0's Ann") == "unit player_0's Ann (d4), exhausted, player_0's Ink"
    assert t.status("unit player_1's Imp") == "unit player_1's Imp 1 (c1)"
    assert t.status("zone") == "zone c1: player_1's Scale"


@pytest.mark.rule("AW-U4", "AW-U13")
def test_a_swap_is_to_enter() -> None:
    """Both units enter: tiles and passives on moving trigger for both."""
    trail = passive("unit_moved", "[{add_token: {token: scale, to: left}}]", "Trail", "{side: mine}")
    t = table(kit("ann", Swap=[SWAP], passives=(trail,)), kit("ben"))
    t.place(0, "imp", "d4")
    t.lay(1, "bell", "c1", "d4")
    t.give(0, "Swap", "Blank 1")
    t.do("play Swap", "player_0's Imp 1").passes()
    assert sorted(t.after("player_0's Ann (c1) and player_0's Imp 1 (d4) swap")) == sorted(
        [
            "player_0: Trail",
            "c1 gets Scale",
            "player_0: Trail",
            "d4 gets Scale",
            "player_1: Bell",
            "player_0's Imp 1 (c1) gets Ink",
            "player_1: Bell",
            "player_0's Ann (d4) gets Ink",
        ]
    )


@pytest.mark.rule("AW-U4")
def test_a_swap_with_oneself_fails() -> None:
    trail = passive("unit_moved", "[{add_token: {token: scale, to: left}}]", "Trail")
    t = table(kit("ann", Swap=[SWAP], passives=(trail,)), kit("ben"))
    t.give(0, "Swap", "Blank 1")
    t.do("play Swap", "player_0's Ann").passes()
    assert t.log[-1] == "Swap of player_0 resolves" and t.at("c1") == "player_0's Ann"


@pytest.mark.rule("AW-U4")
@pytest.mark.parametrize(
    ("mine", "theirs", "swaps"),
    [
        ("d2", "b4", True),
        ("e1", "e5", False),  # both would come to e3
        ("b4", "d5", False),  # one of Ann's body would leave the field
        ("b1", "c1", False),  # one of Ben's would
        ("a1", "b4", False),  # the Ogre, which belongs to no body, stands in a3
    ],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_swap_of_two_bodies(mine: str, theirs: str, swaps: bool, seat: int) -> None:
    """Ann stands in c2, Ben in c4, each with an Imp of the body: all of them change places, or none does."""
    others = ATTACHED | {"ogre": {"name": "Ogre", "count": 1}}
    t = table(*(kit(name, Swap=[SWAP], summons=others) for name in ("ann", "ben")), turn_player=seat)
    for player, artist, imp in ((0, "c2", mine), (1, "c4", theirs)):
        t.place(player, "artist", artist)
        t.place(player, "imp", imp)
    t.place(0, "ogre", "a3")
    t.give(seat, "Swap")
    t.do("play Swap", ("player_1's Ben", "player_0's Ann")[seat]).passes()
    assert (t.at("c4") == "player_0's Ann") == (t.at("c2") == "player_1's Ben") == swaps
    assert (t.at(mine) == "player_0's Imp 1") == (t.at(theirs) == "player_1's Imp 1") == (not swaps)
    assert t.at("a3") == "player_0's Ogre 1"


@pytest.mark.rule("AW-U4", "AW-U13")
@pytest.mark.parametrize("seat", [0, 1])
def test_all_units_of_two_bodies_that_swap_enter(seat: int) -> None:
    """Each of them leaves a Scale behind, in the order of the zones."""
    trail = passive("unit_moved", "[{add_token: {token: scale, to: left}}]", "Trail")
    one = kit("ann", Swap=[SWAP], summons=ATTACHED, passives=(trail,))
    t = table(one, kit("ben", Swap=[SWAP], summons=ATTACHED), turn_player=seat)
    for player, artist, imp in ((0, "c2", "d2"), (1, "c4", "b4")):
        t.place(player, "artist", artist)
        t.place(player, "imp", imp)
    t.lay(1, "bell", "d4", "b2")
    t.give(seat, "Swap")
    t.do("play Swap", ("player_1's Ben", "player_0's Ann")[seat]).passes()
    assert [line[:2] for line in t.log if line.endswith("gets Scale")] == ["c2", "d2", "b4", "c4"]
    assert [line for line in t.log if line.endswith("gets Ink")] == [
        "player_1's Imp 1 (b2) gets Ink",
        "player_0's Imp 1 (d4) gets Ink",
    ]
    moves = ["player_0's Imp 1 (d2) moves to d4", "player_1's Imp 1 (b4) moves to b2"]
    assert sorted(line for line in t.log if "moves" in line) == moves  # the artists swap


@pytest.mark.rule("AW-U4")
def test_two_units_of_one_body_change_places() -> None:
    """The others of the body stay where they are."""
    t = table(kit("ann", Swap=[SWAP], summons=ATTACHED), kit("ben"))
    for zone in ("b2", "d2"):
        t.place(0, "imp", zone)
    t.give(0, "Swap")
    t.do("play Swap", "player_0's Imp 1").passes()
    assert [t.at(zone) for zone in ("b2", "c1", "d2")] == ["player_0's Ann", "player_0's Imp 1", "player_0's Imp 2"]


@pytest.mark.rule("AW-U5")
def test_each_kind_of_summon_has_its_own_pool() -> None:
    kinds = {kind: {"name": kind.capitalize(), "count": 1} for kind in ("imp", "ogre")}
    t = table(kit("ann", Call=[CALL], summons=kinds), kit("ben"))
    t.place(0, "imp", "b2")
    t.give(0, "Call")
    t.do("play Call", "zone b3").passes()
    assert t.log[-1] == "Call of player_0 resolves" and t.at("b3") == ""


@pytest.mark.rule("AW-U5")
def test_only_a_summon_on_the_board_is_removed() -> None:
    """An artist stays where it is, and removing a unit that is already gone affects nobody."""
    out = intention("[{choose_unit: {as: it, where: {}}}, {remove: it}, {remove: it}]")
    t = table(kit("ann", Out=[out]), kit("ben"))
    t.place(0, "imp", "b2")
    t.give(0, "Out", "Out")
    t.do("play Out").passes().do("player_1's Ben")
    assert t.log[-1] == "Out of player_0 resolves" and t.at("c5").startswith("player_1's Ben")
    t.do("play Out").passes().do("player_0's Imp 1")
    assert t.after("Out of player_0 resolves") == ["player_0's Imp 1 (b2) is removed"] and t.at("b2") == ""
    assert t.at("c5").startswith("player_1's Ben") and t.at("c1").startswith("player_0's Ann")


@pytest.mark.rule("AW-U5")
def test_summons() -> None:
    use = ability("Imp", "imp", intention("[{add_token: {token: ink, to: me}}]", "[{exhaust: me}]"))
    trail = passive("unit_moved", "[{add_token: {token: scale, to: left}}]", "Trail")
    t = table(kit("ann", use, Call=[CALL], Strike=[STRIKE], passives=(trail,)), kit("ben"))
    t.lay(1, "bell", "b2")
    t.give(0, *["Call"] * 6, *["Strike"] * 2)
    t.do("play Call", "zone b2").passes()
    assert t.after("Call of player_0 resolves") == [
        "player_0's Imp 1 (b2) is summoned"
    ]  # a summon does not enter: no Bell, no Trail
    t.do("play Imp").passes()  # at once, because it arrives refreshed
    assert t.log[-1] == "player_0's Imp 1 (b2) gets Ink" and t.state["unit_exhausted"][1] == 1
    t.do("play Call", "zone b2").passes()
    assert t.log[-1] == "Call of player_0 resolves"  # occupied
    t.do("play Strike", "zone b2").passes()  # 1 HP
    assert t.log[-1] == "player_0's Imp 1 (b2) is removed" and t.at("b2") == ""
    t.do("play Call", "zone b3").passes()
    assert t.log[-1] == "player_0's Imp 1 (b3) is summoned"  # again, and refreshed
    assert t.status("unit player_0's Imp 1") == "unit player_0's Imp 1 (b3)"
    for zone in ("a1", "a2"):
        t.do("play Call", f"zone {zone}").passes()
    t.do("play Call", "zone a3").passes()
    assert t.log[-1] == "Call of player_0 resolves" and t.at("a3") == ""  # the pool of three is empty


@pytest.mark.rule("AW-U6")
def test_exhaust_and_refresh() -> None:
    both = intention("[{exhaust: it}, {exhaust: it}, {refresh: it}, {refresh: it}]", ANYBODY)
    t = table(kit("ann", Both=[both], Move=[MOVE]), kit("ben"))
    t.place(0, "artist", "c1", exhausted=True)
    t.give(0, "Both", "Move")
    t.do("play Both", "player_1's Ben").passes()
    assert t.after("Both of player_0 resolves") == [
        "player_1's Ben (c5) is exhausted",
        "player_1's Ben (c5) is refreshed",
    ]
    t.do("play Move", "up")  # an exhausted artist can play, and can move
    t.passes()
    assert "player_0's Ann (c1) moves to c2" in t.log


@pytest.mark.rule("AW-U7")
def test_damage_hits_whoever_stands_there() -> None:
    t = table(kit("ann", Strike=[STRIKE]), kit("ben"))
    t.place(0, "imp", "b2")
    t.give(0, *["Strike"] * 3, "Blank 1")
    t.do("play Strike", "zone c1").passes()
    assert t.log[-1] == "player_0's Ann (c1) takes damage (1)"
    t.do("play Strike", "zone b2").passes()
    assert t.log[-1] == "player_0's Imp 1 (b2) is removed"
    t.do("play Strike", "zone c5").passes()
    assert t.log[-1] == "player_1's Ben (c5) takes damage (1)"
    assert t.state["damage"].tolist() == [1, 1]


@pytest.mark.rule("AW-U7")
@pytest.mark.parametrize("seat", [0, 1])
def test_damage_to_units_hits_both_artists(seat: int) -> None:
    storm = [intention("[{damage: {units: {kind: artist}}}]")]
    t = table(kit("ann", Storm=storm), kit("ben", Storm=storm), turn_player=seat)
    t.give(seat, "Storm")
    t.do("play Storm").passes()
    hits = ["player_0's Ann (c1) takes damage (1)", "player_1's Ben (c5) takes damage (1)"]
    assert t.after(f"Storm of player_{seat} resolves") == hits


@pytest.mark.rule("AW-U8")
@pytest.mark.parametrize("loser", [0, 1])
def test_the_third_damage_ends_the_game_with_its_effect(loser: int) -> None:
    """It ends in the middle of a chain, but not of an effect: the rest of that effect still happens."""
    shot = reaction("[{damage: {zone: z}}, {damage: {zone: me}}, {add_token: {token: scale, to: me}}]", ANYWHERE)
    t = table(kit("ann", Strike=[STRIKE], Shot=[shot]), kit("ben", Shot=[shot]))
    t.hurt(loser, 1)
    t.give(0, "Strike")
    t.give(1, "Shot", "Shot")
    zone = ("c1", "c5")[loser]
    t.do("play Strike", "zone a1", "play Shot", f"zone {zone}", "play Shot", f"zone {zone}")
    t.passes()
    if loser == 0:
        assert t.log[-1] == "player_1 wins" and t.state["damage"].tolist() == [3, 2]
    else:
        assert t.log[-1] == "player_0 wins" and t.state["damage"].tolist() == [0, 3]
    assert t.log[-2] == "c5 gets Scale"
    assert t.over and t.game.terminated(t.state) and t.rewards[loser] == -1 and t.rewards[1 - loser] == 1
    assert "Strike of player_0 resolves" not in t.log and t.options() == []


@pytest.mark.rule("AW-U8")
def test_two_damage_do_not_end_it() -> None:
    t = table(kit("ann", Strike=[STRIKE]), kit("ben"))
    t.give(0, *["Strike"] * 3)
    for count in (1, 2, 3):
        assert not t.over
        t.do("play Strike", "zone c5").passes()
        assert f"player_1's Ben (c5) takes damage ({count})" in t.log
    assert t.over


@pytest.mark.rule("AW-U9")
def test_simultaneous_damage() -> None:
    """If one effect deals both artists' third damage it is a tie, and everything is hit before anybody has lost."""
    storm = intention("[{damage: {zones: {occupied: true}}}, {add_token: {token: ink, to: me}}]")
    t = table(kit("ann", Storm=[storm]), kit("ben"))
    t.place(1, "imp", "e5")
    t.hurt(0, 2)
    t.hurt(1, 2)
    t.give(0, "Storm")
    t.do("play Storm").passes()
    assert t.after("Storm of player_0 resolves") == [
        "player_0's Ann (c1) takes damage (3)",
        "player_1's Ben (c5) takes damage (3)",
        "player_1's Imp 1 (e5) is removed",
        "player_0's Ann (c1) gets Ink",
        "The game is a tie",
    ]
    assert t.over and t.rewards == [0, 0] and t.game.terminated(t.state)


@pytest.mark.rule("AW-U9")
@pytest.mark.parametrize("check", ["effect", "part"])
def test_damage_one_after_the_other_by_one_effect(check: str) -> None:
    """The third damage of both artists in several parts of an effect is a tie, too, unless losses are checked after each part."""
    two = intention("[{choose_unit: {as: it, where: {side: theirs}}}, {damage: {zone: it}}, {damage: {zone: me}}]")
    t = table(kit("ann", Two=[two]), kit("ben"), loss_check=check)
    t.hurt(0, 2)
    t.hurt(1, 2)
    t.give(0, "Two")
    t.do("play Two").passes()
    if check == "effect":
        assert t.log[-1] == "The game is a tie" and t.rewards == [0, 0] and t.state["damage"].tolist() == [3, 3]
    else:
        assert t.log[-1] == "player_0 wins" and t.rewards == [1, -1] and t.state["damage"].tolist() == [2, 3]


@pytest.mark.rule("AW-U8")
def test_of_damage_no_more_than_the_third_is_counted() -> None:
    """An artist has three masterpiece cards to turn over; what the player to move sees stays within its range."""
    flurry = intention("[{damage: {zone: z}}, {damage: {zone: z}}, {choose_direction: way}]", ANYWHERE)
    t = table(kit("ann", Flurry=[flurry]), kit("ben"))
    t.hurt(1, 2)
    t.give(0, "Flurry")
    t.do("play Flurry", "zone c5").passes()
    assert t.log[-2:] == ["player_1's Ben (c5) takes damage (3)"] * 2
    assert (
        not t.over
        and t.state["damage"].tolist() == [0, 3]
        and t.status("player_1").startswith("player_1 Ben: damage 3/3")
    )
    assert (t.game.observe(t.state, 0) <= t.game.layout.high).all()
    t.do("up")
    assert t.over and t.log[-1] == "player_0 wins"


@pytest.mark.rule("AW-U9")
@pytest.mark.parametrize("mine", [True, False])
def test_two_zones_with_both_at_two_damage(mine: bool) -> None:
    """It is a tie, whichever of the two is hit first."""
    cost = "[{choose_zone: {as: first, where: {}}}, {choose_zone: {as: second, where: {adjacent_to: first}}}]"
    t = table(kit("ann", Doom=[intention("[{damage: {zone: first}}, {damage: {zone: second}}]", cost)]), kit("ben"))
    t.place(1, "artist", "c2")
    t.hurt(0, 2)
    t.hurt(1, 2)
    t.give(0, "Doom")
    first, second = ("c1", "c2") if mine else ("c2", "c1")
    t.do("play Doom", f"zone {first}", f"zone {second}").passes()
    assert t.log[-1] == "The game is a tie" and t.over and t.rewards == [0, 0]


@pytest.mark.rule("AW-U8", "AW-U9")
def test_what_an_effect_triggers_belongs_to_it() -> None:
    """The tile deals one artist's third damage, the part after it the other's: that is one effect."""
    tiles = {"trap": {"name": "Trap", "pool": 1, "on_enter": [{"damage": {"zone": "here"}}]}}
    walk = intention("[{move: {unit: me, way: way}}, {damage: {units: {side: theirs}}}]", "[{choose_direction: way}]")
    t = table(kit("ann", Walk=[walk], tiles=tiles), kit("ben"))
    t.lay(0, "trap", "c2")
    t.hurt(0, 2)
    t.hurt(1, 2)
    t.give(0, "Walk")
    t.do("play Walk", "up").passes()
    assert t.log[-4:] == [
        "player_0: Trap",
        "player_0's Ann (c2) takes damage (3)",
        "player_1's Ben (c5) takes damage (3)",
        "The game is a tie",
    ]


@pytest.mark.rule("AW-U8", "AW-U9")
def test_what_nothing_else_triggered_is_an_effect_by_itself() -> None:
    """Two habits trigger at the end of the turn: the first decides the game, so the second does not make it a tie."""
    habits = (
        passive("end_of_my_turn", "[{damage: {zone: me}}]", "Stumble"),
        passive("end_of_my_turn", "[{damage: {units: {side: theirs}}}]", "Kick"),
    )
    t = table(kit("ann", passives=habits), kit("ben"))
    t.hurt(0, 2)
    t.hurt(1, 2)
    t.end_turn()
    assert t.log[-3:] == ["player_0: Stumble", "player_0's Ann (c1) takes damage (3)", "player_1 wins"]
    assert t.rewards == [-1, 1]


@pytest.mark.rule("AW-T5", "AW-U9")
def test_to_lose_at_once_after_the_third_damage() -> None:
    """A draw from an empty deck ends the game at once, but a player who has taken the third damage by then has lost before."""
    dare = intention("[{damage: {units: {side: theirs}}}, {draw: 1}, {exhaust: me}]")
    t = table(kit("ann", Dare=[dare]), kit("ben"))
    t.give(0, "Dare", "Dare")
    t.deck(0, "Dare")
    t.hurt(1, 1)
    t.do("play Dare").passes()
    assert not t.over
    t.do("play Dare").passes()
    assert t.log[-3:] == [
        "player_1's Ben (c5) takes damage (3)",
        "player_0 cannot draw, deck is empty",
        "player_0 wins",
    ]


@pytest.mark.rule("AW-U9")
def test_a_tie_stays_one_whoever_cannot_draw() -> None:
    """One effect deals both third damages, then draws from the empty deck."""
    storm = intention("[{damage: {zones: {occupied: true}}}, {draw: 1}]")
    t = table(kit("ann", Storm=[storm]), kit("ben"))
    t.give(0, "Storm")
    t.deck(0)
    t.hurt(0, 2)
    t.hurt(1, 2)
    t.do("play Storm").passes()
    assert t.log[-2:] == ["player_0 cannot draw, deck is empty", "The game is a tie"]


@pytest.mark.rule("AW-C11")
def test_a_place_of_a_unit_that_is_gone_is_none() -> None:
    """It is not the zone that the variable named the time before."""
    mark = intention(
        "[{for_each: {unit: x, where: {kind: artist}, do: [{let: {zone: z, of: it}}, {add_token: {token: scale, to: z}}, {remove: it}]}}]",
        "[{choose_unit: {as: it, where: {kind: summon}}}]",
    )
    t = table(kit("ann", Mark=[mark]), kit("ben"))
    t.place(1, "imp", "b3")
    t.give(0, "Mark")
    t.do("play Mark").passes()
    assert t.log[-2:] == ["b3 gets Scale", "player_1's Imp 1 (b3) is removed"]


@pytest.mark.rule("AW-C8")
def test_other_than_a_zone_is_who_does_not_stand_there() -> None:
    act = intention(
        "[{choose_zone: {as: z, where: {}}}, {choose_unit: {as: it, where: {other_than: z}}}, {exhaust: it}]"
    )
    t = table(kit("ann", Act=[act]), kit("ben"))
    t.place(0, "imp", "b2")
    t.give(0, "Act")
    t.do("play Act").passes().do("zone c5")
    assert t.options() == ["player_0's Ann (c1)", "player_0's Imp 1 (b2)"]


@pytest.mark.rule("AW-C11")
@pytest.mark.parametrize(
    "where", ["adjacent_to: it", "diagonal_to: it", "in_line_with: it", "within: {of: it, distance: 1}"]
)
def test_nothing_is_near_a_unit_that_is_gone(where: str) -> None:
    storm = intention(
        f"[{{remove: it}}, {{damage: {{zones: {{{where}}}}}}}]", "[{choose_unit: {as: it, where: {kind: summon}}}]"
    )
    t = table(kit("ann", Storm=[storm]), kit("ben"))
    t.place(1, "imp", "e5")
    t.give(0, "Storm")
    t.do("play Storm").passes()
    assert t.log[-1] == "player_1's Imp 1 (e5) is removed"


@pytest.mark.rule("AW-U11")
def test_only_the_tokens_on_a_unit_go_with_it() -> None:
    """Tokens in zones stay, whichever unit goes."""
    banish = intention("[{choose_unit: {as: it, where: {kind: imp}}}, {remove: it}]")
    t = table(kit("ann", Banish=[banish]), kit("ben"))
    t.place(0, "imp", "c3", "ink")
    t.strew(0, "scale", "a1", "b1", "c1", "d1", "e1", "a2")
    t.give(0, "Banish")
    t.do("play Banish").passes()
    assert t.log[-1] == "player_0's Imp 1 (c3) is removed"
    assert t.state["token"].sum() == 6 and t.state["token_left"].tolist()[0] == [3, 0, 2]


@pytest.mark.rule("AW-U14")
def test_a_count_is_met_by_more_than_it() -> None:
    """Four Scales lie in the zone and have not brought the Fish: the fifth does."""
    t = table("dancer", "calligrapher")
    t.strew(0, "scale", "c1", "c1", "c1", "c1")
    t.give(0, "Calling Step")
    t.do("play Calling Step").passes().do("up")
    assert "player_0's Dancing Fish 1 (c1) is summoned" in t.log
    assert t.log.count("c1 loses Scale") == 5 and t.state["token_left"][0, 0] == 12


GUARD = intention("[{add_token: {token: block, to: z}}]", ANYWHERE)


@pytest.mark.rule("AW-U10")
def test_block() -> None:
    """It lies in the zone, takes one damage there, and goes back to the pool."""
    t = table(kit("ann", Guard=[GUARD], Strike=[STRIKE], Move=[MOVE]), kit("ben"))
    t.give(0, "Guard", *["Strike"] * 3, "Move", "Blank 1")
    t.do("play Guard", "zone c1").passes()
    assert t.status("zone") == "zone c1: player_0's Block" and t.state["token_left"][0, 2] == 1
    t.do("play Strike", "zone c1").passes()
    assert t.log[-1] == "Damage at c1 is blocked" and t.state["damage"].tolist() == [0, 0]
    assert t.state["token_left"][0, 2] == 2
    t.do("play Strike", "zone c1").passes()
    assert t.log[-1] == "player_0's Ann (c1) takes damage (1)"


@pytest.mark.rule("AW-U10")
def test_each_artist_says_which_of_its_tokens_block() -> None:
    """Ann's Block is the last of her tokens, Ben's the first of his."""
    t = table(kit("ann", Strike=[STRIKE]), kit("ben", tokens=dict(reversed(TOKENS.items()))))
    t.give(0, "Strike", "Strike")
    for player, zone in ((0, "b2"), (1, "b3")):
        t.strew(player, "block", zone)
        t.do("play Strike", f"zone {zone}").passes()
        assert f"Damage at {zone} is blocked" in t.log


@pytest.mark.rule("AW-U10", "AW-U11")
def test_a_second_block_in_a_zone_stays_in_the_pool_unless_they_stack() -> None:
    stacking: dict[str, Any] = {**TOKENS, "block": {**TOKENS["block"], "stacks": True}}
    for tokens, lie in ((TOKENS, 1), (stacking, 2)):
        t = table(kit("ann", Guard=[GUARD], tokens=tokens), kit("ben"))
        t.give(0, "Guard", "Guard")
        for _ in range(2):
            t.do("play Guard", "zone c1").passes()
        assert t.log.count("c1 gets Block") == lie and t.state["token_left"][0, 2] == 2 - lie


@pytest.mark.rule("AW-U10")
def test_a_block_stays_behind_and_serves_anybody() -> None:
    t = table(kit("ann", Strike=[STRIKE], Move=[MOVE]), kit("ben"))
    t.strew(0, "block", "c1")
    t.give(0, *["Strike"] * 2, "Move", "Blank 1")
    t.do("play Move", "right").passes()
    assert t.status("zone") == "zone c1: player_0's Block"
    t.do("play Strike", "zone d1").passes()
    assert t.log[-1] == "player_0's Ann (d1) takes damage (1)"
    t.place(1, "imp", "c1")
    t.do("play Strike", "zone c1").passes()
    assert t.log[-1] == "Damage at c1 is blocked" and t.at("c1") == "player_1's Imp 1"


@pytest.mark.rule("AW-U10")
@pytest.mark.parametrize("striker", [0, 1])
@pytest.mark.parametrize("seat", [0, 1])
def test_of_two_blocks_the_turn_players_goes_first(seat: int, striker: int) -> None:
    """It does not matter who sits where, or whose effect deals the damage."""
    cards = {"Strike": [STRIKE, reaction("[{damage: {zone: z}}]", ANYWHERE)]}
    t = table(kit("ann", **cards), kit("ben", **cards), turn_player=seat)
    for player in (0, 1):
        t.strew(player, "block", "c3")
    t.give(striker, "Strike")
    if striker != seat:
        t.give(seat, "Blank 1")
        t.do("play Blank 1")
    t.do("play Strike", "zone c3").passes()
    assert "Damage at c3 is blocked" in t.log
    assert t.status("zone") == f"zone c3: player_{1 - seat}'s Block"


@pytest.mark.rule("AW-U10", "AW-T7")
def test_a_block_goes_at_the_end_of_the_turn_unless_the_artist_says_otherwise() -> None:
    lasting: dict[str, Any] = {**TOKENS, "block": {**TOKENS["block"], "lasts": "game"}}
    for tokens, left in ((TOKENS, 2), (lasting, 1)):
        t = table(kit("ann", tokens=tokens), kit("ben"))
        t.strew(0, "block", "c1")
        t.end_turn()
        assert t.state["token_left"][0, 2] == left
        assert t.state["token"].sum() == 2 - left


@pytest.mark.rule("AW-U11")
def test_pools_are_finite() -> None:
    shed = intention("[{add_token: {token: scale, to: z}}]", ANYWHERE)
    take = intention("[{remove_token: {token: scale, from: z, count: 2}}]", ANYWHERE)
    t = table(kit("ann", Shed=[shed], Take=[take]), kit("ben"))
    t.strew(0, "scale", *["a1"] * 3, "b1", "b1")
    t.strew(1, "scale", "b1")
    t.give(0, *["Shed"] * 3, "Take", "Blank 1")
    t.do("play Shed", "zone b1").passes()  # the sixth and last
    t.do("play Shed", "zone b1").passes()
    assert t.log[-1] == "Shed of player_0 resolves"
    assert [line for line in t.game.status_lines(t.state) if line.startswith("zone")] == [
        "zone a1: player_0's Scale x3",
        "zone b1: player_0's Scale x3, player_1's Scale",  # several share a zone
    ]
    t.do("play Take", "zone a1").passes()
    assert t.after("Take of player_0 resolves") == ["a1 loses Scale", "a1 loses Scale"]  # two of the three
    t.do("play Shed", "zone c3").passes()  # the Scales are back in the pool, so there is one again
    assert t.log[-1] == "c3 gets Scale"


@pytest.mark.rule("AW-U11", "AW-U13")
def test_tiles_are_as_finite_as_tokens() -> None:
    lay = intention("[{place_tile: {tile: bell, zone: z}}]", ANYWHERE)
    clear = intention("[{remove_tile: {zone: z}}]", ANYWHERE)
    t = table(kit("ann", Lay=[lay], Clear=[clear]), kit("ben"))
    t.lay(0, "bell", "a1", "b1")
    t.give(0, *["Lay"] * 3, "Clear")
    t.do("play Lay", "zone c3").passes()
    assert t.log[-1] == "Lay of player_0 resolves"  # both Bells are out
    t.do("play Clear", "zone a1").passes()
    assert t.log[-1] == "a1 loses Bell"
    t.do("play Lay", "zone c3").passes()
    assert t.log[-1] == "c3 gets Bell"
    t.do("play Lay", "zone d3").passes()
    assert t.log[-1] == "Lay of player_0 resolves"


@pytest.mark.rule("AW-U11")
def test_the_tokens_of_a_removed_unit_return() -> None:
    t = table(kit("ann", Strike=[STRIKE]), kit("ben"))
    imp = t.place(1, "imp", "b3", "ink")
    t.mark(imp, "ink", 0)
    t.give(0, "Strike", "Blank 1")
    assert t.state["token_left"][:, 0].tolist() == [2, 2]
    t.do("play Strike", "zone b3").passes()
    assert t.state["token_left"][:, 0].tolist() == [3, 3] and t.state["token"].sum() == 0


@pytest.mark.rule("AW-U12")
def test_ink_travels_and_does_not_stack() -> None:
    brush = intention("[{add_token: {token: ink, to: it}}]", ANYBODY)
    t = table(kit("ann", Brush=[brush], Move=[MOVE]), kit("ben"))
    t.give(0, "Brush", "Brush", "Move", "Blank 1")
    for _ in range(2):
        t.do("play Brush", "player_0's Ann").passes()
    assert t.log.count("player_0's Ann (c1) gets Ink") == 1 and t.state["token_left"][0, 0] == 2
    t.do("play Move", "up").passes()
    assert t.status("unit player_0's Ann") == "unit player_0's Ann (c2), player_0's Ink"
    stacking: dict[str, Any] = {**TOKENS, "ink": {**TOKENS["ink"], "stacks": True}}
    t = table(kit("ann", Brush=[brush], tokens=stacking), kit("ben"))
    t.give(0, "Brush", "Brush", "Blank 1")
    for _ in range(2):
        t.do("play Brush", "player_0's Ann").passes()
    assert t.status("unit player_0's Ann") == "unit player_0's Ann (c1), player_0's Ink x2"


@pytest.mark.rule("AW-U13", "AW-T1", "AW-T7")
def test_to_move_sets_off_no_other_passive() -> None:
    turns = ("setup", "start_of_my_turn", "start_of_every_turn", "end_of_my_turn", "end_of_every_turn")
    t = table(kit("ann", Move=[MOVE], passives=[passive(when, "[{draw: 1}]", when) for when in turns]), kit("ben"))
    t.give(0, "Move")
    t.do("play Move", "up").passes()
    assert t.log[-1] == "player_0's Ann (c1) moves to c2"


@pytest.mark.rule("AW-U13")
def test_one_tile_in_a_zone() -> None:
    lay = intention("[{place_tile: {tile: bell, zone: z}}]", ANYWHERE)
    shift = intention(
        "[{choose_zone: {as: y, where: {}}}, {move_tile: {from: z, to: y}}]",
        "[{choose_zone: {as: z, where: {tile: true}}}]",
    )
    t = table(kit("ann", Lay=[lay], Shift=[shift]), kit("ben"))
    t.lay(1, "bell", "b2")
    t.give(0, *["Lay"] * 4, *["Shift"] * 5, "Blank 1")
    t.do("play Lay", "zone b2").passes()
    assert t.log[-1] == "Lay of player_0 resolves"
    t.do("play Lay", "zone c3").passes()
    assert t.log[-1] == "c3 gets Bell"
    t.do("play Lay", "zone c3").passes()  # on a Bell of one's own
    assert t.log[-1] == "Lay of player_0 resolves"
    t.do("play Shift", "zone c3").passes().do("zone b2")
    assert t.log[-1] == "Shift of player_0 resolves"
    t.do("play Shift", "zone b2").passes().do("zone d3")
    assert t.log[-1] == "Bell moves from b2 to d3"
    assert [line for line in t.game.status_lines(t.state) if line.startswith("zone")] == [
        "zone c3: player_0's Bell",
        "zone d3: player_1's Bell",
    ]
    t.do("play Shift", "zone c3").passes().do("zone b2")
    assert t.log[-1] == "Bell moves from c3 to b2"
    t.do("play Lay", "zone a1").passes().do("play Shift", "zone a1").passes().do("zone b2")
    assert t.log[-1] == "Shift of player_0 resolves"
    t.do("play Shift", "zone a1").passes().do("zone e5")
    assert t.log[-1] == "Bell moves from a1 to e5"


@pytest.mark.rule("AW-U13")
@pytest.mark.parametrize("seat", [0, 1])
def test_a_tile_that_was_moved_follows_the_next_cue_where_it_lies(seat: int) -> None:
    """It does so in its turn, whoever moved it."""
    tiles = {"horn": {"name": "Horn", "pool": 3, "on_cue": [{"add_token": {"token": "scale", "to": "here"}}]}}
    move = intention(
        "[{move_tile: {from: y, to: z}}]", "[{choose_zone: {as: y, where: {}}}, {choose_zone: {as: z, where: {}}}]"
    )
    cards = {"Ring": [intention("[cue]")], "Move": [move]}
    t = table(kit("ann", tiles=tiles, **cards), kit("ben", tiles=tiles, **cards), turn_player=seat)
    t.lay(1 - seat, "horn", "c4")
    t.lay(seat, "horn", "b2", "d2")
    t.give(seat, "Move", "Ring")
    t.do("play Move", "zone b2", "zone e4").passes().do("play Ring").passes()
    scales = [line for line in t.log if line.endswith("gets Scale")]
    assert scales == ["e4 gets Scale", "d2 gets Scale"]


@pytest.mark.rule("AW-U11", "AW-U13")
@pytest.mark.parametrize("seat", [0, 1])
def test_a_tile_that_was_taken_away_follows_no_cue(seat: int) -> None:
    """The others follow it in their order; if no tile lies in a zone, none is taken away."""
    tiles = {"horn": {"name": "Horn", "pool": 3, "on_cue": [{"remove_tile": {"zone": "here"}}]}}
    cards = {"Ring": [intention("[cue]")], "Take": [intention("[{remove_tile: {zone: z}}]", ANYWHERE)]}
    t = table(kit("ann", tiles=tiles, **cards), kit("ben", tiles=tiles, **cards), turn_player=seat)
    for player in (seat, 1 - seat):
        t.lay(player, "horn", *(f"{column}{player + 2}" for column in "abc"))
    t.give(seat, "Take", "Take", "Ring", "Ring")
    t.do("play Take", "zone d4").passes()
    assert t.log[-1] == f"Take of player_{seat} resolves"
    t.do("play Take", f"zone a{seat + 2}").passes().do("play Ring").passes()
    horns = [f"{column}{seat + 2} loses Horn" for column in "bc"]
    assert t.after(f"Ring of player_{seat} resolves") == [
        f"player_{seat}: Horn",
        horns[0],
        f"player_{seat}: Horn",
        horns[1],
    ]
    t.do("play Ring").passes()
    assert t.log[-1] == f"Ring of player_{seat} resolves"
    assert t.state["tile_left"][:, 0].tolist() == [3 * (seat == 0), 3 * (seat == 1)]


@pytest.mark.rule("AW-U13")
def test_who_enters_triggers_the_tile_at_once() -> None:
    """Friend or foe, by their own move or another's; but not by standing there, being summoned there or leaving."""
    push = intention(
        "[{move: {unit: it, way: way}}, {exhaust: it}]", "[{choose_unit: {as: it, where: {}}}, {choose_direction: way}]"
    )
    t = table(kit("ann", Push=[push], Call=[CALL]), kit("ben"))
    t.lay(0, "bell", "b1", "b5")
    t.give(0, *["Push"] * 4, "Call", "Blank 1")
    t.do("play Push", "player_1's Ben", "left").passes()
    assert t.after("Push of player_0 resolves") == [
        "player_1's Ben (c5) moves to b5",
        "player_0: Bell",
        "player_1's Ben (b5) gets Ink",
        "player_1's Ben (b5) is exhausted",
    ]
    t.do("play Push", "player_0's Ann", "left").passes()
    assert t.after("player_0's Ann (c1) moves to b1")[0] == "player_0: Bell"
    t.do("play Push", "player_0's Ann", "left").passes()
    assert t.after("player_0's Ann (b1) moves to a1") == []
    t.do("play Call", "zone b1").passes()
    assert t.log[-1] == "player_0's Imp 1 (b1) is summoned"
