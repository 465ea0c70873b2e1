"""The rulebook's worked examples, figure for figure: the cards are built in turn from the hands, and the whole log is compared."""

from __future__ import annotations

import pytest

from tests.fight_sequence.positions import Table, table

YOU, THEY = 0, 1


@pytest.mark.rule("FS-R1", "FS-R4", "FS-B4")
def test_one_armor_stops_eight() -> None:
    """Armor +3 against Lunge, Slash and Thrust: 1, 0 and 0 damage; it does nothing against Missile."""
    t = table()
    t.turn(THEY)
    t.hand(THEY, "Lunge", "Slash", "Thrust", "Missile")
    t.hand(YOU, "Downswing", "Lunge", "Lunge", "Lunge")
    t.do("attack with Lunge", "pass", "attack with Slash", "pass", "attack with Missile", "pass", "attack with Thrust")
    t.do("respond with Downswing", "pass")
    assert t.after("Downswing (Armor +3) of player_0 resolves")[:8] == [
        "player_0 has Armor 3",
        "Thrust of player_1 resolves",
        "player_0 takes no physical damage, 2 stopped",
        "Missile of player_1 resolves",
        "player_0 takes 3 magical damage",
        "player_0 discards Heavy Kick, Heavy Kick, Heavy Kick",
        "Slash of player_1 resolves",
        "player_0 takes no physical damage, 3 stopped",
    ]
    assert t.after("Lunge of player_1 resolves")[:2] == [
        "player_0 takes 1 physical damage, 3 stopped",
        "player_0 discards Heavy Kick",
    ]


def nine_actions() -> Table:
    """The nine Actions of the example, built one after the other; then the last one begins to resolve."""
    t = table()
    t.hand(YOU, "Downswing", "Slash", "Blast", "Flare", "Jab")
    t.hand(THEY, "Gale Force", "Fireball", "Divert", "Missile", "Undertow")  # the response of Undertow is a Willpower
    t.deck(
        YOU, "Heavy Kick", "Pressure", "Lunge", "Thrust", "Thrust", "Dart", "Slash", "Lunge", "Ice Blast", "Ice Blast"
    )
    t.deck(
        THEY, "Shoulder Charge", "Dart", "Blast", "Flare", "Heavy Kick", "Lunge", "Pressure", "Thrust", "Slash", "Slash"
    )
    t.do("attack with Downswing", "attack with Gale Force", "respond with Slash", "attack with Fireball")
    t.do("respond with Blast", "respond with Divert", "respond with Flare", "attack with Missile")
    assert t.slots == [
        "0 attacks Downswing",
        "1 attacks Gale Force",
        "0 responds Slash",
        "1 attacks Fireball",
        "0 responds Blast",
        "1 responds Divert",
        "0 responds Flare",
        "1 attacks Missile",
    ]
    assert t.to_play == YOU and t.options()[1:] == [
        "attack with Jab (Speed 60, 1 physical)",
        "respond with Jab (Willpower)",
    ]
    return t.do("attack with Jab")


@pytest.mark.rule("FS-B6", "FS-R1", "FS-R2", "FS-R3", "FS-R4", "FS-R5", "FS-R6", "FS-E5", "FS-G6", "FS-C2", "FS-C5")
def test_nine_actions() -> None:
    t = nine_actions()
    assert t.log == [
        "player_0 attacks with Downswing",
        "player_1 attacks with Gale Force",
        "player_0 responds with Slash (physical block)",
        "player_1 attacks with Fireball",
        "player_0 responds with Blast (Resistance +3)",
        "player_1 responds with Divert (magical block)",
        "player_0 responds with Flare (Resistance +3)",
        "player_1 attacks with Missile",
        "player_0 attacks with Jab",
        "player_1 passes",  # nine Actions: both have to pass
        "player_1 takes the initiative",
        "player_1 draws a card",
        "player_0 passes",
        "player_0 draws a card",
        "Jab of player_0 resolves",
    ]
    # 9: Jab deals 1, which they could ignore.
    assert t.to_play == THEY and t.options() == ["take 1 physical damage", "discard Undertow for its Willpower"]
    assert t.status("9. ").endswith(" - resolves") and t.life == [9, 9]
    t.log.clear()
    t.do("take")
    assert t.log == [
        "player_1 takes 1 physical damage",
        "player_1 discards Dart",
        # 8: Missile, before there is a token.
        "Missile of player_1 resolves",
        "player_0 takes 3 magical damage",
        "player_0 discards Pressure, Lunge, Thrust",
        # 7: the token. 6: the block discards the other Resistance +3, in slot 5.
        "Flare (Resistance +3) of player_0 resolves",
        "player_0 has Resistance 3",
        "Divert (magical block) of player_1 resolves",
        "Blast (Resistance +3) of player_0 is blocked",
        # 4: the text of Fireball, which they could ignore.
        "Fireball of player_1 resolves",
    ]
    assert t.to_play == THEY and t.options() == ["take 2 magical damage", "discard Undertow for its Willpower"]
    assert t.game.status_lines(t.state) == [
        "Sequence 1, resolving, initiative player_1",
        "player_0: hand 1: Heavy Kick; deck 6; discard 6: Jab, Thrust, Lunge, Pressure, Blast, Flare; Resistance 3",
        "player_1: hand 2: Shoulder Charge, Undertow; deck 8; discard 3: Dart, Missile, Divert",
        "1. player_0 attacks: Downswing (Speed 20, Power 5, physical)",
        "2. player_1 attacks: Gale Force (Speed 20, Power 4, physical)",
        "3. player_0 responds: Slash (physical block)",
        "4. player_1 attacks: Fireball (Speed 10, Power 6, magical) - resolves",
        "player_1 would take 2 magical damage",
    ]
    t.log.clear()
    t.do("take")
    assert t.log == [
        "player_0 takes no magical damage, 2 stopped",
        "player_1 takes 2 magical damage",
        "player_1 discards Blast, Flare",
        "player_0 takes 3 magical damage, 3 stopped",
        "player_0 discards Thrust, Dart, Slash",
        # 3: the block discards Gale Force, in slot 2, which returns nothing and deals nothing.
        "Slash (physical block) of player_0 resolves",
        "Gale Force of player_1 is blocked",
        # 1: Downswing.
        "Downswing of player_0 resolves",
    ]
    assert t.to_play == THEY and t.options() == ["take 5 physical damage", "discard Undertow for its Willpower"]
    t.log.clear()
    t.do("discard Undertow")
    assert t.log == [
        "player_1 discards Undertow for its Willpower",
        "player_1 ignores 5 physical damage",
        "player_1 draws 4 cards",
        "player_0 draws 3 cards",  # all that are left in the deck
        "Sequence 2: player_1 begins",
    ]
    assert t.game.status_lines(t.state) == [
        "Sequence 2, building, initiative player_1",
        "player_0: hand 4: Lunge, Heavy Kick, Ice Blast x2; deck 0; "
        "discard 11: Jab, Thrust x2, Slash x2, Lunge, Downswing, Dart, Pressure, Blast, Flare",
        "player_1: hand 5: Thrust, Lunge, Heavy Kick, Shoulder Charge, Pressure; deck 2; "
        "discard 8: Gale Force, Dart, Missile, Blast, Fireball, Flare, Divert, Undertow",
    ]
    assert not t.may("pass")


@pytest.mark.rule("FS-E2", "FS-E4", "FS-B7", "FS-G11")
def test_divert_moves_flare() -> None:
    """Flare moves left, so that Pressure resolves before it: no bonus. Pressure itself is two slots away and cannot be chosen."""
    t = table()
    t.hand(YOU, "Pressure", "Divert", "Slash")
    t.hand(THEY, "Flare", "Slash")
    t.do("attack with Pressure", "attack with Flare", "attack with Divert")
    assert t.to_play == YOU and t.options() == [
        "shift Flare in slot 2 to the left",
        "shift Divert in slot 3 to the left",
        "shift Flare in slot 2 to the right",
    ]
    t.do("shift Flare in slot 2 to the left")
    assert t.slots == ["1 attacks Flare", "0 attacks Pressure", "0 attacks Divert"]
    t.resolve()
    assert [line for line in t.told if "resolves" in line or "takes" in line or "Power" in line] == [
        "Divert of player_0 resolves",
        "player_1 takes 3 magical damage",
        "Pressure of player_0 resolves",
        "player_1 takes 4 magical damage",
        "Flare of player_1 resolves",
        "player_0 takes 3 magical damage",
    ]


@pytest.mark.rule("FS-E4", "FS-G11")
@pytest.mark.parametrize("shift", ["shift Divert in slot 3 to the left", "shift Flare in slot 2 to the right"])
def test_flare_sees_pressure_otherwise(shift: str) -> None:
    """The other choices of the example: Flare resolves first, and gets its 2 Power."""
    t = table()
    t.hand(YOU, "Pressure", "Divert", "Slash")
    t.hand(THEY, "Flare", "Slash")
    t.do("attack with Pressure", "attack with Flare", "attack with Divert", shift)
    t.resolve()
    assert t.told[:3] == ["Flare of player_1 resolves", "Flare gets +2 Power", "player_0 takes 5 magical damage"]


@pytest.mark.rule("FS-R2", "FS-E3")
def test_gale_force_returns_before_it_deals_four() -> None:
    """It returns an Action of any kind, attack or response; then it deals its 4 damage."""
    t = table()
    t.row("1 attacks Slash", "1 responds Lunge", "0 attacks Gale Force")
    t.resolve()
    assert t.options() == ["return Slash in slot 1", "return Lunge (Armor +3) in slot 2"] and t.life == [10, 10]
    t.do("return Lunge")
    assert t.told[:3] == [
        "Gale Force of player_0 resolves",
        "Lunge (Armor +3) returns from slot 2 to the hand of player_1",
        "player_1 takes 4 physical damage",
    ]


@pytest.mark.rule("FS-E3")
def test_ice_blast_returns_attacks_alone() -> None:
    t = table()
    t.row("1 attacks Slash", "1 responds Lunge", "1 attacks Dart", "0 attacks Ice Blast")
    assert t.resolve().options() == ["return Slash in slot 1", "return Dart in slot 3"]


@pytest.mark.rule("FS-B2", "FS-B3")
def test_slash_on_thrust() -> None:
    """It may not be built as an attack, but as a response; then Downswing may follow."""
    t = table()
    t.hand(YOU, "Thrust", "Downswing")
    t.hand(THEY, "Slash", "Slash")
    t.do("attack with Thrust")
    assert not t.may("attack with Slash") and t.may("respond with Slash")
    assert t.status("Sequence") == "Sequence 1, building, Speed 50 or more"
    t.do("respond with Slash")
    assert t.status("Sequence") == "Sequence 1, building"
    t.do("attack with Downswing")
    assert t.slots == ["0 attacks Thrust", "1 responds Slash", "0 attacks Downswing"]
    assert t.may("attack with Slash")  # Speed 40 on 20


@pytest.mark.rule("FS-W2", "FS-W3")
def test_overkill() -> None:
    """More damage than cards leaves 0 cards and no winner; 1 more damage wins."""
    t = table()
    t.deck(THEY, "Jab", "Slash", "Dart")
    t.row("0 attacks Heavy Kick")
    t.resolve()
    assert t.told[1:] == ["player_1 takes 6 physical damage", "player_1 discards Jab, Slash, Dart"]
    assert not t.over and t.life == [10, 0]
    t.row("0 attacks Jab")
    t.resolve()
    won = "player_0 wins: player_1 took damage with an empty deck"
    assert t.log[-2:] == ["player_1 takes 1 physical damage", won] and t.rewards == [1, -1]


@pytest.mark.rule("FS-C3")
def test_un_draw() -> None:
    """With seven cards in hand, two go on top of the deck, so that five are left."""
    t = table()
    t.hand(YOU, "Jab", "Thrust", "Slash", "Lunge", "Dart", "Missile", "Blast")
    t.resolve()
    t.do("put Lunge", "put Blast")
    assert t.told == ["player_0 puts a card on the deck"] * 2 and t.life == [12, 10]
    assert t.status("player_0", YOU) == (
        "player_0: hand 5: Jab, Thrust, Slash, Dart, Missile; deck 12 (on top Blast, Lunge); discard 0"
    )


@pytest.mark.rule("FS-B6", "FS-B4")
def test_nine_actions_are_the_most() -> None:
    """Then both have to pass, and draw; the first to pass takes the initiative, if nobody has it from this sequence."""
    log = nine_actions().log
    assert log[9:14] == [
        "player_1 passes",
        "player_1 takes the initiative",
        "player_1 draws a card",
        "player_0 passes",
        "player_0 draws a card",
    ]


@pytest.mark.rule("FS-B8", "FS-C5")
def test_who_has_the_initiative_cannot_pass_first() -> None:
    t = table()
    t.turn(THEY)
    t.hand(YOU, "Slash", "Slash", "Slash", "Slash", "Slash")
    t.hand(THEY, "Lunge", "Lunge", "Lunge", "Lunge", "Lunge")
    t.do("attack with Lunge", "pass", "pass")
    assert t.log[1:3] == ["player_0 passes", "player_0 takes the initiative"]
    while not t.status("Sequence").startswith("Sequence 2"):
        t.do(t.options()[0])
    assert t.log[-1] == "Sequence 2: player_0 begins" and t.to_play == YOU
    assert not t.may("pass") and t.options() and all(text.startswith(("attack", "respond")) for text in t.options())
