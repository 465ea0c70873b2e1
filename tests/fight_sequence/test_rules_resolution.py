"""Rules of Fight Sequence: resolving a sequence (FS-R1 to FS-R6), and the rulings about it (FS-G5, FS-G6, FS-G10, FS-G13)."""

from __future__ import annotations

import pytest

from tests.fight_sequence.positions import Table, card, kit, table

ORDER = ("0 attacks Thrust", "1 attacks Slash", "0 responds Lunge", "1 attacks Missile")


def resolved(*row: str, armor: int = 0, resistance: int = 0, **rules: object) -> Table:
    """That row, resolved up to a choice or the end, with these tokens for player 1."""
    t = table(**rules)
    t.tokens(1, armor, resistance)
    t.row(*row)
    return t.resolve()


@pytest.mark.rule("FS-R1")
def test_last_built_first() -> None:
    """When an Action has resolved it goes to its owner's pile, whoever that is."""
    t = resolved(*ORDER)
    assert [line for line in t.told if line.endswith("resolves")] == [
        "Missile of player_1 resolves",
        "Lunge (Armor +3) of player_0 resolves",
        "Slash of player_1 resolves",
        "Thrust of player_0 resolves",
    ]
    assert t.status("player_0").endswith("discard 5: Thrust, Lunge, Heavy Kick x3")
    assert t.status("player_1").endswith("discard 4: Slash, Heavy Kick x2, Missile")
    t = table()
    t.row("1 attacks Slash", "0 attacks Thrust")
    t.hand(1, "Jab")
    t.resolve()  # in the middle of Thrust
    assert t.slots == ["1 attacks Slash", "0 attacks Thrust"]
    assert t.status("2. ") == "2. player_0 attacks: Thrust (Speed 50, Power 2, physical) - resolves"
    assert t.status("player_0").endswith("discard 0")


@pytest.mark.rule("FS-R2", "FS-E5")
def test_timed_effect_then_power() -> None:
    t = resolved("0 attacks Fireball")
    assert t.told == [
        "Fireball of player_0 resolves",
        "player_1 takes 2 magical damage",
        "player_1 discards Heavy Kick, Heavy Kick",
        "player_0 takes 2 magical damage",
        "player_0 discards Heavy Kick, Heavy Kick",
        "player_1 takes 6 magical damage",
        "player_1 discards Heavy Kick, Heavy Kick, Heavy Kick, Heavy Kick",
        "player_1 discards Heavy Kick, Heavy Kick",
    ]
    assert t.life == [8, 2]


@pytest.mark.rule("FS-R2")
@pytest.mark.parametrize(("name", "power", "kind"), [("Downswing", 5, "physical"), ("Missile", 3, "magical")])
@pytest.mark.parametrize("player", [0, 1])
def test_an_attack_deals_its_power(name: str, power: int, kind: str, player: int) -> None:
    t = resolved(f"{player} attacks {name}")
    assert t.told[:2] == [f"{name} of player_{player} resolves", f"player_{1 - player} takes {power} {kind} damage"]
    assert t.life[1 - player] == 10 - power and t.life[player] == 10
    assert not any(word in line for line in t.told for word in ("Armor", "blocked"))  # its response bar does nothing


@pytest.mark.rule("FS-R3")
def test_a_response_is_its_response_bar() -> None:
    """It deals no damage and has no effect of the attack; a text response does what its text says."""
    assert resolved("0 responds Fireball").told == [
        "Fireball (Resistance +3) of player_0 resolves",
        "player_0 has Resistance 3",
    ]
    assert resolved("0 responds Feint").told == [
        "Feint (Willpower) of player_0 resolves",
        "player_0 will ignore the next damage",
    ]
    t = resolved("1 attacks Jab", "1 attacks Slash", "0 responds Push")
    assert t.to_play == 0 and t.may("shift Slash in slot 2 to the left") and not t.may("shift Jab in slot 1")
    t.do("shift Slash in slot 2 to the left")
    assert t.log[1:3] == ["Slash moves from slot 2 to slot 1", "Jab of player_1 resolves"]
    assert not any("player_1 takes" in line for line in t.log)


@pytest.mark.rule("FS-R4")
@pytest.mark.parametrize("player", [0, 1])
def test_tokens_of_both_kinds(player: int) -> None:
    """Armor works against physical, Resistance against magical damage, for their owner alone."""
    attacks = [f"{1 - player} attacks {name}" for name in ("Missile", "Downswing")]
    other = [f"{player} attacks {name}" for name in ("Missile", "Downswing")]
    for name, kind, stopped in (("Lunge", "Armor", (0, 3)), ("Blast", "Resistance", (3, 0))):
        t = resolved(*attacks, f"{player} responds {name}")
        assert t.told[:2] == [f"{name} ({kind} +3) of player_{player} resolves", f"player_{player} has {kind} 3"]
        assert t.life[player] == 10 - 3 - 5 + sum(stopped)
        t = resolved(*other, f"{player} responds {name}")
        assert t.life[1 - player] == 2


@pytest.mark.rule("FS-R4")
def test_tokens_add_up_and_stay() -> None:
    """They work against every instance of damage, from when they are given to the end of the sequence."""
    t = resolved(
        "1 attacks Slash",
        "1 attacks Heavy Kick",
        "0 responds Downswing",
        "1 attacks Thrust",
        "1 attacks Downswing",
        "0 responds Lunge",
        "1 attacks Slash",
    )
    assert [line for line in t.told if "takes" in line or "Armor" in line and "has" in line] == [
        "player_0 takes 3 physical damage",
        "player_0 has Armor 3",
        "player_0 takes 2 physical damage, 3 stopped",
        "player_0 takes no physical damage, 2 stopped",
        "player_0 has Armor 6",
        "player_0 takes no physical damage, 6 stopped",
        "player_0 takes no physical damage, 3 stopped",
    ]
    assert t.life[0] == 5


@pytest.mark.rule("FS-R4", "FS-E5")
def test_tokens_reduce_text_and_power_each() -> None:
    t = resolved("0 attacks Fireball", resistance=1)
    assert [line for line in t.told if "takes" in line] == [
        "player_1 takes 1 magical damage, 1 stopped",
        "player_0 takes 2 magical damage",
        "player_1 takes 5 magical damage, 1 stopped",
    ]
    t = resolved("1 attacks Fireball", resistance=9)  # tokens work against one's own text, too
    assert [line for line in t.told if "takes" in line][1] == "player_1 takes no magical damage, 2 stopped"


@pytest.mark.rule("FS-R4")
def test_tokens_of_the_sequence_before_do_not_help_while_building() -> None:
    """Damage while building meets no tokens, because those of the sequence before are gone."""
    t = table(kit(card("Sting", 50, 0, effect="{timing: immediate, damage: {amount: 2, type: physical}}")))
    t.row("0 responds Idle")
    t.resolve().do("attack with Idle")
    t.hand(1, "Sting")
    t.do("attack with Sting")
    assert t.log[-2] == "player_0 takes 2 physical damage"


# -- Willpower ----------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("FS-R5")
@pytest.mark.parametrize(("name", "kind", "power"), [("Downswing", "physical", 5), ("Blast", "magical", 5)])
def test_a_built_willpower_ignores_the_next_damage(name: str, kind: str, power: int) -> None:
    """It works against either type, and once."""
    t = resolved("1 attacks Jab", f"1 attacks {name}", "0 responds Jab")
    assert t.told == [
        "Jab (Willpower) of player_0 resolves",
        "player_0 will ignore the next damage",
        f"{name} of player_1 resolves",
        f"player_0 ignores {power} {kind} damage",
        "Jab of player_1 resolves",
        "player_0 takes 1 physical damage",
        "player_0 discards Heavy Kick",
    ]
    assert t.life == [9, 10]


@pytest.mark.rule("FS-R5")
@pytest.mark.parametrize("player", [0, 1])
def test_willpower_of_ones_own_alone(player: int) -> None:
    t = resolved(f"{player} attacks Thrust", f"{player} responds Jab")
    assert t.told[-2] == f"player_{1 - player} takes 2 physical damage"


@pytest.mark.rule("FS-R5")
def test_willpower_from_the_hand() -> None:
    """Any card in hand with a Willpower will do; it is discarded, and only this damage is ignored."""
    t = table()
    t.row("1 attacks Thrust", "1 attacks Downswing")
    t.hand(0, "Jab", "Spark", "Slash")
    t.resolve()
    assert t.to_play == 0 and t.status("player_0 would") == "player_0 would take 5 physical damage"
    assert t.options() == ["take 5 physical damage", "discard Jab for its Willpower", "discard Spark for its Willpower"]
    t.do("discard Spark")
    assert t.log[1:] == [
        "player_0 discards Spark for its Willpower",
        "player_0 ignores 5 physical damage",
        "Thrust of player_1 resolves",
    ]
    assert t.life == [10, 10] and t.status("player_0:").endswith("discard 1: Spark")
    assert t.options() == ["take 2 physical damage", "discard Jab for its Willpower"]
    t.do("take")
    assert t.log[4:6] == ["player_0 takes 2 physical damage", "player_0 discards Heavy Kick, Heavy Kick"]
    assert t.status("player_0").startswith("player_0: hand 5: Jab, Slash")  # one drawn at cleanup


@pytest.mark.rule("FS-R5")
def test_effects_happen_all_the_same() -> None:
    """Willpower stops nothing but damage."""
    t = resolved("0 attacks Slash", "0 attacks Jab", "1 attacks Gale Force", "0 responds Jab")
    t.do("return Slash")
    assert t.log[2:5] == [
        "Gale Force of player_1 resolves",
        "Slash returns from slot 1 to the hand of player_0",
        "player_0 ignores 4 physical damage",
    ]


@pytest.mark.rule("FS-R5", "FS-G5", "FS-G6")
def test_both_players_are_asked_about_damage_to_both() -> None:
    """First the opponent of the builder is asked, and both before either takes it."""
    t = table()
    t.row("0 attacks Fireball")
    t.hand(0, "Jab")
    t.hand(1, "Spark", "Feint")
    t.resolve()
    assert t.to_play == 1 and t.log == ["Fireball of player_0 resolves"]
    t.do("discard Spark")
    assert t.to_play == 0 and t.log[1:] == ["player_1 discards Spark for its Willpower"]
    t.do("discard Jab")
    assert t.log[2:5] == [
        "player_0 discards Jab for its Willpower",
        "player_1 ignores 2 magical damage",
        "player_0 ignores 2 magical damage",
    ]
    assert t.to_play == 1 and t.life == [10, 10]  # the Power is another instance
    assert t.options() == ["take 6 magical damage", "discard Feint for its Willpower"]


@pytest.mark.rule("FS-G5")
def test_several_willpowers_add_up() -> None:
    t = resolved("1 attacks Thrust", "1 attacks Slash", "1 attacks Lunge", "0 responds Jab", "0 responds Spark")
    assert [line for line in t.told if "ignores" in line or "takes" in line] == [
        "player_0 ignores 4 physical damage",
        "player_0 ignores 3 physical damage",
        "player_0 takes 2 physical damage",
    ]
    t = table()
    t.row("1 attacks Thrust", "0 responds Jab", "0 responds Spark")
    t.hand(0, "Feint")
    t.row("1 attacks Slash")
    t.resolve()
    t.do("take")
    assert "player_0 ignores 2 physical damage" in t.log
    t = table()  # while two are waiting
    t.row("1 attacks Gale Force", "1 attacks Slash", "0 attacks Lunge", "0 responds Jab", "0 responds Spark")
    t.hand(1, "Jab")
    t.resolve()
    assert t.status("player_0").endswith("; Willpower 2")


@pytest.mark.rule("FS-G5", "FS-R4")
def test_what_tokens_stop_uses_up_no_willpower() -> None:
    t = resolved("0 attacks Lunge", "0 attacks Thrust", "1 responds Jab", armor=2)
    assert [line for line in t.told if "takes" in line or "ignores" in line] == [
        "player_1 takes no physical damage, 2 stopped",
        "player_1 ignores 2 physical damage",  # of 4
    ]


@pytest.mark.rule("FS-G5")
def test_text_and_power_are_two_instances() -> None:
    t = resolved("1 attacks Fireball", "0 responds Jab")
    assert [line for line in t.told if "takes" in line or "ignores" in line] == [
        "player_0 ignores 2 magical damage",
        "player_1 takes 2 magical damage",
        "player_0 takes 6 magical damage",
    ]


def two_after_a_willpower(**rules: object) -> list[str]:
    """A Willpower, an attack of its player, an attack of the opponent: the log lines on damage to the former."""
    t = table(**rules)
    t.row("1 attacks Slash", "0 attacks Jab", "0 responds Spark")
    t.resolve()
    return [line for line in t.told if line.startswith(("player_0 takes", "player_0 ignores"))]


@pytest.mark.rule("FS-G5")
def test_willpower_waits_for_the_next_damage() -> None:
    assert two_after_a_willpower() == ["player_0 ignores 3 physical damage"]


@pytest.mark.rule("FS-G5")
def test_willpower_covers_the_adjacent_action_if_so_ruled() -> None:
    ruled = {"willpower_covers": "adjacent_action"}
    assert two_after_a_willpower(**ruled) == ["player_0 takes 3 physical damage"]
    t = resolved("1 attacks Thrust", "1 attacks Slash", "0 responds Spark", **ruled)
    assert [line for line in t.told if "ignores" in line] == ["player_0 ignores 3 physical damage"]
    t = resolved("1 attacks Slash", "0 responds Spark", "0 responds Jab", **ruled)  # the first one covers the second
    assert "player_0 ignores 3 physical damage" in t.told
    t = resolved("1 attacks Thrust", "1 attacks Slash", "0 responds Spark", "0 responds Jab", **ruled)
    assert "player_0 takes 2 physical damage" in t.told


@pytest.mark.rule("FS-G5", "FS-C1")
def test_what_is_left_of_willpower_goes_at_cleanup() -> None:
    t = resolved("0 responds Jab")
    assert "Willpower" not in t.status("player_0")
    t.row("1 attacks Slash")
    t.log.clear()
    t.resolve()
    assert "player_0 takes 3 physical damage" in t.told


@pytest.mark.rule("FS-G6")
def test_nobody_is_asked_about_no_damage() -> None:
    """Nor is a player for whom another Willpower waits, who has no such card, or who is not hit."""
    t = table()
    t.tokens(1, armor=3)
    t.row("0 attacks Slash")
    t.hand(0, "Jab")
    t.hand(1, "Jab")
    t.resolve()
    assert t.told == ["Slash of player_0 resolves", "player_1 takes no physical damage, 3 stopped"]
    t = table()
    t.row("0 attacks Slash", "1 responds Jab")
    t.hand(1, "Spark")
    assert t.resolve().told[-1] == "player_1 ignores 3 physical damage"
    t = table()
    t.row("0 attacks Slash")
    t.hand(0, "Jab")
    assert t.resolve().told[1] == "player_1 takes 3 physical damage"


@pytest.mark.rule("FS-G6")
def test_nobody_is_asked_while_building() -> None:
    sting = card(
        "Sting", 50, 1, effect="{timing: immediate, damage: {amount: 2, type: physical}}", response="willpower"
    )
    t = table(kit(sting))
    t.hand(0, "Sting")
    t.hand(1, "Sting")
    t.do("attack with Sting")
    assert t.log[1:] == ["player_1 takes 2 physical damage", "player_1 discards Idle, Idle"]
    assert t.resolve().options() == ["take 1 physical damage", "discard Sting for its Willpower"]


@pytest.mark.rule("FS-G6")
def test_nobody_is_ever_asked_if_so_ruled() -> None:
    t = table(interrupt_window="never")
    t.row("0 attacks Slash", "0 attacks Jab", "1 responds Jab")
    t.hand(1, "Spark")
    t.resolve()
    assert [line for line in t.told if "damage" in line] == [
        "player_1 will ignore the next damage",
        "player_1 ignores 1 physical damage",
        "player_1 takes 3 physical damage",
    ]


# -- blocks -------------------------------------------------------------------------------------------------------------------


def blocked(target: str, block: str, **rules: object) -> bool:
    """Whether that block, built right behind the target, discards it."""
    t = table(**rules)
    t.row(target, block)
    t.resolve()
    owner, does, name = target.split(" ", 2)
    happened = any(line.startswith(name) and line.endswith("resolves") for line in t.log)
    assert ("nothing is blocked" in t.log) == happened
    assert happened or name in t.status(f"player_{owner}").split("discard")[1]
    return not happened


@pytest.mark.rule("FS-R6")
@pytest.mark.parametrize(
    ("target", "physical", "magical"),
    [
        ("1 attacks Slash", True, False),
        ("1 attacks Dart", False, True),
        ("1 attacks Gale Force", True, False),
        ("1 responds Slash", True, False),  # a physical block
        ("1 responds Dart", False, True),  # a magical block
        ("1 responds Lunge", True, False),  # Armor
        ("1 responds Blast", False, True),  # Resistance
        ("0 attacks Slash", False, False),  # one's own Action
        ("0 attacks Dart", False, False),
        ("0 responds Lunge", False, False),
    ],
)
def test_what_a_block_discards(target: str, physical: bool, magical: bool) -> None:
    assert blocked(target, "0 responds Thrust") == physical
    assert blocked(target, "0 responds Missile") == magical
    swapped = target.translate(str.maketrans("01", "10"))
    assert blocked(swapped, "1 responds Thrust") == physical and blocked(swapped, "1 responds Missile") == magical


@pytest.mark.rule("FS-R6")
def test_a_blocked_action_does_nothing() -> None:
    """Neither effect nor damage; the next Action resolves after it."""
    t = resolved("1 attacks Jab", "1 attacks Gale Force", "0 responds Thrust")
    assert t.told[:3] == [
        "Thrust (physical block) of player_0 resolves",
        "Gale Force of player_1 is blocked",
        "Jab of player_1 resolves",
    ]
    assert t.life == [9, 10] and t.status("player_1").endswith("discard 2: Jab, Gale Force")
    assert t.status("player_0").endswith("discard 2: Thrust, Heavy Kick")
    t = resolved("1 responds Lunge", "0 responds Slash")
    assert "Armor" not in " ".join(t.told[1:]).replace("Lunge (Armor +3) of player_1 is blocked", "")


@pytest.mark.rule("FS-R6")
def test_only_the_adjacent_action_is_blocked() -> None:
    """It blocks no Action beyond that, and none if one's own Action lies in between."""
    t = resolved("1 attacks Slash", "1 attacks Dart", "0 responds Thrust")
    assert t.told[1] == "nothing is blocked" and "Slash of player_1 resolves" in t.told
    t = resolved("1 attacks Slash", "0 attacks Jab", "0 responds Thrust")
    assert t.told[1] == "nothing is blocked" and "Slash of player_1 resolves" in t.told
    assert resolved("0 responds Thrust").told == ["Thrust (physical block) of player_0 resolves", "nothing is blocked"]


@pytest.mark.rule("FS-R6")
def test_a_block_on_a_block() -> None:
    """The attack that the first block would have stopped comes through."""
    t = resolved("0 attacks Slash", "1 responds Thrust", "0 responds Gale Force")
    assert t.told[:4] == [
        "Gale Force (physical block) of player_0 resolves",
        "Thrust (physical block) of player_1 is blocked",
        "Slash of player_0 resolves",
        "player_1 takes 3 physical damage",
    ]


@pytest.mark.rule("FS-R6", "FS-B7")
def test_a_block_comes_too_late_for_immediate_effects() -> None:
    t = table()
    t.row("0 attacks Slash", "1 responds Lunge")
    t.hand(1, "Thrust", "Slash")
    t.hand(0, "Feint", "Slash")
    t.do("attack with Feint", "shift Lunge (Armor +3) in slot 2 to the left", "respond with Thrust")
    t.resolve()
    assert t.told[1] == "Feint of player_0 is blocked"
    assert [line for line in t.told if line.endswith("resolves")][1:] == [
        "Slash of player_0 resolves",
        "Lunge (Armor +3) of player_1 resolves",
    ]


@pytest.mark.rule("FS-G10")
def test_willpower_and_text_responses_cannot_be_blocked() -> None:
    for name in ("Jab", "Spark", "Push"):
        for block in ("Thrust", "Missile"):
            assert not blocked(f"1 responds {name}", f"0 responds {block}")


@pytest.mark.rule("FS-G10")
def test_they_have_the_type_of_the_attack_if_so_ruled() -> None:
    for name, physical in (("Jab", True), ("Spark", False), ("Push", True)):
        for block in ("Thrust", "Missile"):
            assert blocked(f"1 responds {name}", f"0 responds {block}", untyped_responses="attack_type") == (
                physical == (block == "Thrust")
            )
    assert not blocked("1 responds Dart", "0 responds Thrust", untyped_responses="attack_type")


@pytest.mark.rule("FS-G13")
def test_as_many_tokens_as_needed() -> None:
    """There may be more than six, for each player and of each type."""
    t = resolved(*["0 responds Lunge"] * 4, *["1 responds Lunge"] * 4)
    assert t.told[-1] == "player_0 has Armor 12" and "player_1 has Armor 12" in t.told


@pytest.mark.rule("FS-G13")
def test_both_share_the_token_pieces_if_so_ruled() -> None:
    t = resolved("0 responds Blast", "1 responds Lunge", "0 responds Lunge", "0 responds Downswing", token_limit=2)
    assert t.told[1::2] == [
        "player_0 has Armor 3",
        "player_0 has Armor 6",
        "player_1 gets no token",
        "player_0 has Resistance 3",
    ]
    t.row("1 responds Lunge")
    t.log.clear()
    assert t.resolve().told[-1] == "player_1 has Armor 3"  # the tokens were put back after the sequence
