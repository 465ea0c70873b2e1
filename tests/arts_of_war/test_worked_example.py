"""The worked example of the rules with the two standard kits, both ways, and the rulebooks' other examples."""

from __future__ import annotations

import pytest

from tests.arts_of_war.positions import Table, table


def spirit_beside_the_dancer() -> Table:
    t = table("calligrapher", "dancer")
    t.place(0, "artist", "a1")
    t.place(0, "spirit", "b3", "ink")
    t.place(1, "artist", "c3")
    t.give(0, "Flowing Ink")
    t.give(1, "Pivoting Step")
    return t


def spirit_attacks(t: Table) -> None:
    t.do("play Sealbrush Spirit", "zone c3")
    assert t.log == [
        "player_0's Sealbrush Spirit 1 (b3) is exhausted",
        "player_0 plays Sealbrush Spirit [2] (Intention) with player_0's Sealbrush Spirit 1 (b3), zone c3",
    ]
    assert t.to_play == 1
    t.do("play Pivoting Step")
    assert t.log[-1] == "player_1 plays Pivoting Step (Reaction)" and t.to_play == 0


@pytest.mark.rule("AW-C4", "AW-C6", "AW-C7", "AW-C8", "AW-C10", "AW-C15")
def test_with_flowing_ink() -> None:
    t = spirit_beside_the_dancer()
    spirit_attacks(t)
    t.do("play Flowing Ink", "left")
    t.passes().do("player_0's Sealbrush Spirit 1")  # the unit is chosen as Flowing Ink resolves
    assert t.log[3:] == [
        "player_0 plays Flowing Ink (Reaction), left",
        "player_1 passes",
        "player_0 passes",
        "Flowing Ink of player_0 resolves",  # the Spirit is inked already
        "player_0's Sealbrush Spirit 1 (b3) moves to a3",
        "Pivoting Step of player_1 resolves",  # nobody is adjacent
        "Sealbrush Spirit of player_0 resolves",
        "player_1's Dancer (c3) takes damage (1)",
    ]
    assert t.state["damage"].tolist() == [0, 1]
    assert t.status("unit player_0's Sealbrush Spirit 1") == "unit player_0's Sealbrush Spirit 1 (a3), exhausted, Ink"
    assert t.state["discard"][0].tolist() == [1, 0, 0, 0] and t.state["discard"][1].tolist() == [1, 0, 0, 0]


@pytest.mark.rule("AW-U8", "AW-M8")
def test_with_flowing_ink_and_two_damage_before() -> None:
    """The third of his masterpiece cards is turned over, so she wins."""
    t = spirit_beside_the_dancer()
    t.hurt(1, 2)
    spirit_attacks(t)
    t.do("play Flowing Ink", "left").passes().do("player_0's Sealbrush Spirit 1")
    assert t.log[-2:] == ["player_1's Dancer (c3) takes damage (3)", "player_0 wins"]
    assert t.over and t.rewards == [1, -1]


@pytest.mark.rule("AW-C7", "AW-U4", "AW-U7", "AW-U8", "AW-U12")
def test_without_flowing_ink() -> None:
    t = spirit_beside_the_dancer()
    spirit_attacks(t)
    t.passes()
    assert t.log[3:] == [
        "player_0 passes",
        "player_1 passes",
        "Pivoting Step of player_1 resolves",
        "player_1's Dancer (c3) and player_0's Sealbrush Spirit 1 (b3) swap",
        "player_1: Shed Scales",
        "c3 gets Scale",
        "Sealbrush Spirit of player_0 resolves",
        "player_0's Sealbrush Spirit 1 (c3) is removed",  # by its own attack
    ]
    assert t.state["damage"].tolist() == [0, 0] and t.at("b3") == "player_1's Dancer"


@pytest.mark.rule("AW-C8", "AW-U3")
def test_calling_step_with_nobody_in_line() -> None:
    """The Dancer still jumps."""
    t = table("dancer", "calligrapher")
    t.place(0, "artist", "b2")
    t.place(1, "artist", "d4")
    t.give(0, "Calling Step")
    t.do("play Calling Step").passes().do("right")
    assert t.after("Calling Step of player_0 resolves") == [
        "player_0's Dancer (b2) moves to c2",
        "player_0: Shed Scales",
        "b2 gets Scale",
    ]


@pytest.mark.rule("AW-C8", "AW-U5", "AW-C10")
def test_summoning_ink_with_all_spirits_out() -> None:
    """A unit is inked all the same, also if the zone chosen for the Spirit is occupied."""
    t = table("calligrapher", "dancer")
    for zone in ("a1", "a2", "a3", "a4"):
        t.place(0, "spirit", zone)
    t.give(0, "Summoning Ink", "Summoning Ink")
    t.do("play Summoning Ink").passes().do("player_1's Dancer")
    while not t.may("play"):
        t.do("zone c4")
    assert t.after("Summoning Ink of player_0 resolves") == ["player_1's Dancer (c5) gets Ink"]
    t = table("calligrapher", "dancer")
    t.place(0, "spirit", "c2")
    t.give(0, "Summoning Ink")
    t.do("play Summoning Ink").passes().do("player_0's Calligrapher", "zone c2")
    assert t.after("Summoning Ink of player_0 resolves") == ["player_0's Calligrapher (c1) gets Ink"]


@pytest.mark.rule("AW-C6", "AW-U5", "AW-U11")
def test_the_third_scale() -> None:
    """A Dancing Fish is summoned there at once, before the chain goes on, and those Scales leave."""
    t = table("dancer", "calligrapher")
    t.strew(0, "scale", "c1", "c1", "d1")
    t.give(0, "Calling Step", "Slipstream")
    t.place(1, "artist", "e5")
    t.do("play Calling Step", "play Slipstream", "up").passes()
    assert t.after("Slipstream of player_0 resolves")[:8] == [
        "player_0's Dancer (c1) moves to c2",
        "player_0: Shed Scales",
        "c1 gets Scale",
        "player_0: Scale",
        "player_0's Dancing Fish 1 (c1) is summoned",
        "c1 loses Scale",
        "c1 loses Scale",
        "c1 loses Scale",
    ]
    assert t.state["token_left"][0, 0] == 11 and t.at("c1") == "player_0's Dancing Fish 1"


@pytest.mark.rule("AW-U5")
def test_the_third_scale_in_an_occupied_zone() -> None:
    """The Dancer swapped away, so somebody stands there: no Fish, but the Scales leave."""
    t = table("dancer", "calligrapher")
    t.strew(0, "scale", "c1", "c1")
    t.place(1, "artist", "e5")
    t.place(1, "spirit", "c2")
    t.give(0, "Pivoting Step", "Calling Step", "Slipstream")
    t.do("play Calling Step", "pass", "play Pivoting Step").passes()
    after = t.after("Pivoting Step of player_0 resolves")
    assert after[:4] == [
        "player_0's Dancer (c1) and player_1's Sealbrush Spirit 1 (c2) swap",
        "player_0: Shed Scales",
        "c1 gets Scale",
        "player_0: Scale",
    ]
    assert after[4:7] == ["c1 loses Scale"] * 3 and t.at("c1") == "player_1's Sealbrush Spirit 1"


@pytest.mark.rule("AW-M9", "AW-C2", "AW-T7")
def test_one_of_the_two_intentions_of_the_calligrapher_in_a_turn() -> None:
    """Each exhausts her, so the other cannot be paid for until she is refreshed at the end of the turn."""
    for chosen in (1, 2):
        t = table("calligrapher", "dancer")
        t.do("play Calligrapher (Intention)")
        assert [text[:16] for text in t.options()] == ["Calligrapher [1]", "Calligrapher [2]"]
        t.do(f"Calligrapher [{chosen}]").passes()
        while not t.may("end the turn"):
            t.step(int(t.game.legal_actions(t.state)[0]))
        assert not t.may("play Calligrapher")
        t.end_turn()
        while not (t.may("end the turn") and t.to_play == 0):
            t.step(int(t.game.legal_actions(t.state)[0]))
        assert t.state["turn"] == 5 and t.may("play Calligrapher")


@pytest.mark.rule("AW-C6")
def test_a_spirit_without_ink_does_nothing() -> None:
    t = table("calligrapher", "dancer")
    t.place(0, "spirit", "c4")
    t.do("play Sealbrush Spirit", "zone c5").passes()
    assert "Sealbrush Spirit of player_0 resolves" in t.log and t.state["damage"].sum() == 0


@pytest.mark.rule("AW-M2", "AW-M4", "AW-M6", "AW-M9")
def test_masterpiece_of_the_standard_artists() -> None:
    """There are two ways to progress in a turn; three in order make an artist ascend: both of them until the side is used."""
    t = table("calligrapher", "dancer", turn_player=1)
    t.row("a1", "-", "a3", "-", "-")
    t.end_turn()
    assert t.options() == ["masterpiece slot 2", "masterpiece slot 4", "masterpiece slot 5"]
    t.do("masterpiece slot 4", "play Calligrapher", "Calligrapher [1]").passes()
    t.do("masterpiece slot 4", "masterpiece slot 3")
    assert t.state["ascended"].tolist() == [0, 0] and t.state["row"].tolist() == [0, -1, 1, 2, -1]
    t.do(
        "masterpiece card 1",
        "masterpiece slot 5",
        "end the turn",
        "masterpiece slot 1",
        "masterpiece slot 2",
    )
    assert t.state["ascended"].tolist() == [1, 0] and t.state["row"].tolist() == [-1, -1, -1, -1, 3]
    t = table("calligrapher", "dancer")
    t.row("a1", "a2", "-", "-", "-")
    t.do("play Calligrapher", "Calligrapher [1]").passes().do("masterpiece slot 3")
    assert t.state["ascended"].tolist() == [1, 0] and "player_0 ascends" in t.log
    t = table("calligrapher", "dancer", turn_player=1)
    t.row("-", "-", "-", "b2", "b1")
    t.do("play Dancer", "Dancer [1]").passes().do("masterpiece slot 3")
    assert t.state["ascended"].tolist() == [0, 1] and "player_1 ascends" in t.log
