"""Rules of Fight Sequence: building a sequence (FS-B1 to FS-B8), and its limits (FS-G1, FS-G4, FS-G8, FS-G16)."""

from __future__ import annotations

import pytest

from tests.fight_sequence.positions import Table, card, kit, table

RECALL = card("Recall", 30, 1, effect="{timing: immediate, return: any}")
HOP = card("Hop", 50, 1, effect="{timing: immediate, shift: {range: 1}}")
NINE = [f"{i % 2} attacks Heavy Kick" for i in range(9)]


@pytest.mark.rule("FS-B1", "FS-B5")
def test_attack_respond_or_pass() -> None:
    """Players take turns; a card that is built goes from the hand into the next slot, and nothing resolves yet."""
    t = table()
    t.hand(0, "Jab", "Lunge")
    t.hand(1, "Thrust", "Dart")
    t.do("attack with Lunge")
    assert t.to_play == 1 and t.slots == ["0 attacks Lunge"]
    assert t.options() == [
        "pass",
        "attack with Thrust (Speed 50, 2 physical)",
        "attack with Dart (Speed 50, 2 magical)",
        "respond with Thrust (physical block)",
        "respond with Dart (magical block)",
    ]
    t.do("respond with Dart")
    assert t.to_play == 0 and t.slots == ["0 attacks Lunge", "1 responds Dart"]
    assert t.status("player_1") == "player_1: hand 1: Thrust; deck 10; discard 0"
    t.do("attack with Jab")
    assert t.log == [
        "player_0 attacks with Lunge",
        "player_1 responds with Dart (magical block)",
        "player_0 attacks with Jab",
    ]
    assert t.slots == ["0 attacks Lunge", "1 responds Dart", "0 attacks Jab"] and t.life == [10, 10]


@pytest.mark.rule("FS-B2")
@pytest.mark.parametrize("player", [0, 1])
def test_an_attack_is_as_fast_as_the_one_before(player: int) -> None:
    """Equal Speed is enough; earlier Actions do not matter; after a response or on an empty sequence any attack may follow."""
    t = table()
    t.hand(player, "Lunge", "Slash", "Thrust", "Jab")

    def attacks(*row: str) -> list[str]:
        t.state.slots = t.state.turns = t.state.speed = 0
        t.row(*row)
        t.turn(player)
        return [text.split()[2] for text in t.options() if text.startswith("attack")]

    assert attacks("1 attacks Missile") == ["Jab", "Thrust", "Slash"]  # after Speed 40: 60, 50 and 40, not 30
    assert attacks("0 attacks Missile") == ["Jab", "Thrust", "Slash"]  # the same after one's own Action
    assert attacks("1 attacks Jab") == ["Jab"]
    assert attacks("0 attacks Jab", "1 responds Lunge") == ["Jab", "Thrust", "Slash", "Lunge"]
    assert attacks("0 attacks Jab", "0 responds Jab", "1 attacks Slash") == ["Jab", "Thrust", "Slash"]
    assert attacks() == ["Jab", "Thrust", "Slash", "Lunge"]


@pytest.mark.rule("FS-B2")
def test_a_pass_leaves_the_speed_as_it_is() -> None:
    t = table()
    t.row("0 attacks Missile")
    t.hand(0, "Lunge", "Jab")
    t.hand(1, "Lunge", "Lunge")
    t.do("pass")
    assert t.may("attack with Jab") and not t.may("attack with Lunge")
    assert t.status("Sequence") == "Sequence 1, building, initiative player_1, Speed 40 or more"


@pytest.mark.rule("FS-B3")
def test_any_response_on_any_speed() -> None:
    """Nothing of the attack counts: no immediate effect, no Speed."""
    t = table()
    t.row("0 attacks Jab")
    t.hand(0, "Heavy Kick")
    t.hand(1, "Heavy Kick", "Feint")
    assert t.options() == ["pass", "respond with Heavy Kick (Armor +3)", "respond with Feint (Willpower)"]
    t.do("respond with Feint")
    assert t.log == ["player_1 responds with Feint (Willpower)"] and t.to_play == 0
    assert t.may("attack with Heavy Kick") and t.status("Sequence") == "Sequence 1, building"


@pytest.mark.rule("FS-B4")
def test_the_first_pass_takes_the_initiative() -> None:
    """Either player can take it, once a sequence; each pass draws the top card."""
    for first in (0, 1):
        t = table()
        t.row(f"{1 - first} attacks Downswing")
        t.deck(first, "Slash", "Dart")
        t.hand(0, "Jab", "Thrust")
        t.hand(1, "Jab", "Thrust")
        t.hand(1 - first, "Lunge")
        t.do("pass")
        assert t.log == [
            f"player_{first} passes",
            f"player_{first} takes the initiative",
            f"player_{first} draws a card",
        ]
        assert t.status(f"player_{first}").startswith(f"player_{first}: hand 3: Jab, Thrust, Slash; deck 1")
        t.do("attack with Thrust")
        assert t.to_play == first and t.may("attack with Jab") and t.may("respond with Jab")  # not locked out
        t.do("pass", "attack with Jab", "pass")
        assert t.log[3:] == [
            f"player_{1 - first} attacks with Thrust",
            f"player_{first} passes",
            f"player_{first} draws a card",
            f"player_{1 - first} attacks with Jab",
            f"player_{first} passes",
            f"player_{first} cannot draw, the deck is empty",
        ]
        assert t.status("Sequence").startswith(f"Sequence 1, building, initiative player_{first}")


@pytest.mark.rule("FS-B4")
def test_the_initiative_can_change_hands() -> None:
    """A player who kept it from the sequence before loses it to the first pass of this one."""
    t = table()
    t.state.initiative = 0
    t.row("0 attacks Jab")
    t.hand(0, "Jab")
    t.hand(1, "Jab")
    t.do("pass")
    assert "player_1 takes the initiative" in t.log and t.state["initiative"] == 1
    t = table()
    t.state.initiative = 0
    t.row("0 attacks Jab", "1 attacks Jab")
    t.hand(0, "Jab")
    t.hand(1, "Jab")
    assert "player_0 takes the initiative" in t.do("pass").log  # told again, though nothing changes
    t = table()
    t.resolve(initiative=0)  # a sequence later
    t.do("attack with Heavy Kick", "pass")
    assert t.log[-3:] == ["player_1 passes", "player_1 takes the initiative", "player_1 draws a card"]


@pytest.mark.rule("FS-B5")
def test_two_passes_in_a_row_end_the_building() -> None:
    t = table()
    t.row("1 attacks Downswing")
    t.hand(0, "Dart", "Lunge", "Slash")
    t.hand(1, "Thrust", "Thrust", "Slash")
    t.do("pass", "attack with Thrust", "pass")  # an Action between them
    assert t.status("Sequence").startswith("Sequence 1, building")
    assert not any("resolves" in line for line in t.log)
    t.do("pass")
    assert t.log[6:9] == ["player_1 passes", "player_1 draws a card", "Thrust of player_1 resolves"]
    assert "Downswing of player_1 resolves" in t.log


@pytest.mark.rule("FS-B6")
def test_nine_actions_force_both_to_pass() -> None:
    """Both draw, and the first to pass takes the initiative if nobody has taken it yet."""
    t = table()
    t.row(*NINE[:8])
    t.hand(0, "Heavy Kick", "Jab", "Lunge", "Slash")
    t.hand(1, "Jab", "Lunge", "Slash", "Thrust")
    t.do("attack with Heavy Kick")
    assert t.log[:7] == [
        "player_0 attacks with Heavy Kick",
        "player_1 passes",
        "player_1 takes the initiative",
        "player_1 draws a card",
        "player_0 passes",
        "player_0 draws a card",
        "Heavy Kick of player_0 resolves",
    ]


@pytest.mark.rule("FS-B6")
def test_the_initiative_is_taken_once() -> None:
    t = table()
    t.row(*NINE[:8])
    t.hand(0, "Jab", "Lunge")
    t.hand(1, "Jab", "Heavy Kick")
    t.do("pass", "attack with Heavy Kick")
    assert t.log[:8] == [
        "player_0 passes",
        "player_0 takes the initiative",
        "player_0 draws a card",
        "player_1 attacks with Heavy Kick",
        "player_0 passes",
        "player_0 draws a card",
        "player_1 passes",
        "player_1 draws a card",
    ]


@pytest.mark.rule("FS-B6")
def test_eight_actions_leave_room_for_one() -> None:
    t = table()
    t.row(*NINE[:8])
    t.hand(0, "Jab")
    assert t.options() == ["pass", "attack with Jab (Speed 60, 1 physical)", "respond with Jab (Willpower)"]


@pytest.mark.rule("FS-B7", "FS-R2")
def test_immediate_effects_happen_when_built() -> None:
    """They happen before the other's turn, and not again when the Action resolves; only then does it deal its damage."""
    t = table(kit(card("Sting", 50, 1, effect="{timing: immediate, damage: {amount: 2, type: magical}}")))
    t.hand(0, "Sting", "Idle")
    t.hand(1, "Idle")
    t.do("attack with Sting")
    assert t.log == ["player_0 attacks with Sting", "player_1 takes 2 magical damage", "player_1 discards Idle, Idle"]
    assert t.to_play == 1
    t.do("pass", "pass")
    assert t.after("Sting of player_0 resolves")[:2] == ["player_1 takes 1 physical damage", "player_1 discards Idle"]


@pytest.mark.rule("FS-B7", "FS-R3")
def test_a_text_response_is_immediate_if_it_says_so() -> None:
    """It happens before the other's turn and not again, and like any response has no Speed; otherwise it waits for the resolution."""
    for timing, at_once in (("", False), ("timing: timed, ", False), ("timing: immediate, ", True)):
        t = table(kit(card("Nudge", 60, 1, response=f"{{{timing}shift: {{range: 1}}}}"), card("Quick", 60)))
        t.row("0 attacks Quick", "1 attacks Idle", "0 attacks Quick")
        t.hand(0, "Idle")
        t.hand(1, "Nudge")
        t.do("respond with Nudge")
        assert t.may("shift") == at_once and t.to_play == int(at_once)
        if at_once:
            t.do("shift Quick in slot 3 to the left")
            name = "Nudge (immediate: Shift [range 1])"
            assert t.log == [f"player_1 responds with {name}", "Quick moves from slot 3 to slot 2"]
            assert t.to_play == 0 and t.may("attack with Idle") and t.status("Sequence") == "Sequence 1, building"
            assert t.status("4.") == f"4. player_1 responds: {name}"
            t.resolve()
            assert t.told[0] == f"{name} of player_1 resolves" and "moves" not in " ".join(t.told)
            assert t.slots == []


@pytest.mark.rule("FS-B7", "FS-R3")
@pytest.mark.parametrize(
    ("does", "line"),
    [
        ("return: attack", "Idle returns from slot 1 to the hand of player_0"),
        ("damage: {amount: 2, type: magical}", "player_0 takes 2 magical damage"),
        ("draw: 2", "player_1 draws 2 cards"),
    ],
)
def test_every_text_response_may_be_immediate(does: str, line: str) -> None:
    t = table(kit(card("Nudge", 60, 1, response=f"{{timing: immediate, {does}}}")))
    t.row("0 attacks Idle")
    t.hand(0, "Idle")
    t.hand(1, "Nudge")
    t.do("respond with Nudge")
    assert t.log[1] == line and t.to_play == 0 and t.log.count(line) == 1
    assert line not in t.resolve().told


@pytest.mark.rule("FS-B7")
def test_timed_effects_wait() -> None:
    t = table()
    t.hand(0, "Fireball")
    t.hand(1, "Jab")
    t.do("attack with Fireball")
    assert t.log == ["player_0 attacks with Fireball"] and t.to_play == 1


@pytest.mark.rule("FS-B8")
def test_the_first_turn_is_no_pass() -> None:
    t = table()
    t.hand(0, "Jab")
    t.hand(1, "Jab")
    assert not t.may("pass")
    assert t.do("attack with Jab").may("pass")
    t = table()  # nor is the first turn of a later sequence
    t.resolve(initiative=1)
    assert t.to_play == 1 and t.status("Sequence") == "Sequence 2, building, initiative player_1"
    assert not t.may("pass") and t.may("attack") and t.may("respond")


# -- rulings ----------------------------------------------------------------------------------------------------------------


def after_a_hop(**rules: object) -> Table:
    """A position in which Hop (50) was built behind a response and has shifted itself before it."""
    t = table(kit(HOP), **rules)
    t.row("0 responds Idle")
    t.hand(1, "Hop")
    t.hand(0, "Idle")
    t.do("attack with Hop", "shift Hop in slot 2 to the left")
    assert t.slots == ["1 attacks Hop", "0 responds Idle"]
    return t


def after_a_return(**rules: object) -> Table:
    """A position in which Recall (30) was built on Idle (10) and has returned itself."""
    t = table(kit(RECALL), return_itself=True, **rules)
    t.row("0 attacks Idle")
    t.hand(0, "Idle")
    t.hand(1, "Recall")
    t.do("attack with Recall", "return Recall")
    assert t.slots == ["0 attacks Idle"] and t.to_play == 0
    return t


@pytest.mark.rule("FS-G1")
def test_the_last_slot_tells_the_speed_if_so_ruled() -> None:
    t = after_a_hop(speed_reference="last_slot")
    assert t.may("attack with Idle") and t.status("Sequence") == "Sequence 1, building"
    t = after_a_return(speed_reference="last_slot")
    assert t.may("attack with Idle") and t.status("Sequence") == "Sequence 1, building, Speed 10 or more"
    t = table(kit(HOP), speed_reference="last_slot")  # a response there has no Speed, however fast its card
    t.row("1 attacks Hop", "1 responds Hop")
    t.hand(0, "Idle")
    assert t.may("attack with Idle") and t.status("Sequence") == "Sequence 1, building"


@pytest.mark.rule("FS-G1")
def test_the_action_built_last_tells_the_speed() -> None:
    """It does so wherever it lies now, and even when it is back in the hand."""
    t = after_a_hop()
    assert not t.may("attack with Idle") and t.may("respond with Idle")
    assert t.status("Sequence") == "Sequence 1, building, Speed 50 or more"
    t = after_a_return()
    assert not t.may("attack with Idle") and t.status("Sequence") == "Sequence 1, building, Speed 30 or more"
    t = table(kit(HOP))
    t.row("0 attacks Hop")
    t.hand(0, "Idle")
    t.hand(1, "Hop", "Idle")
    assert t.do("respond with Hop").may("attack with Idle")  # a response resets the Speed, however fast its card
    t = table(kit(RECALL, card("Quick", 60)))
    t.row("0 attacks Quick", "1 attacks Idle")
    t.hand(0, "Recall", "Idle")
    t.hand(1, "Idle")
    t.do("attack with Recall", "return Quick")
    assert t.slots == ["1 attacks Idle", "0 attacks Recall"] and t.to_play == 1
    assert not t.may("attack with Idle")  # the Action that Recall returned was not the last one built
    assert t.status("Sequence") == "Sequence 1, building, Speed 30 or more"
    t = table()
    t.hand(0, "Thrust", "Slash")
    t.hand(1, "Thrust", "Slash")
    t.do("attack with Slash")
    assert t.may("attack with Slash")
    t.do("attack with Thrust")
    assert t.may("attack with Thrust") and not t.may("attack with Slash")
    t.resolve()
    assert t.status("Sequence") == "Sequence 2, building, initiative player_0"  # the next sequence has no Speed to beat


def returns_for_ever(**rules: object) -> Table:
    """A game in which two cards return each other and nobody passes, up to the first pass."""
    t = table(kit(RECALL), **rules)
    t.hand(0, "Recall", "Idle")
    t.hand(1, "Recall", "Idle")
    while "player_0 passes" not in t.log:
        t.do("attack with Recall" if t.may("attack with Recall") else "pass")
    return t


@pytest.mark.rule("FS-G4")
def test_returns_do_not_go_on_for_ever() -> None:
    """After 60 turns players can only pass; then the sequence resolves."""
    t = returns_for_ever()
    assert sum("attacks with" in line for line in t.log) == 60
    assert t.log[t.log.index("player_0 passes") :][:6] == [
        "player_0 passes",
        "player_0 takes the initiative",
        "player_0 draws a card",
        "player_1 passes",
        "player_1 draws a card",
        "Recall of player_1 resolves",
    ]
    assert t.status("Sequence").startswith("Sequence 2, building")
    assert t.may("attack with Idle")  # the next sequence has its own turns


@pytest.mark.rule("FS-G4")
def test_other_limits_of_turns() -> None:
    """A pass counts as a turn."""
    assert sum("attacks with" in line for line in returns_for_ever(build_turns=8).log) == 8
    t = table(build_turns=4)
    t.hand(0, *["Jab"] * 4)
    t.hand(1, *["Jab"] * 4)
    t.do("attack with Jab", "pass", "attack with Jab")
    assert t.may("respond with Jab")
    t.do("respond with Jab")  # the fourth turn
    assert t.log[5:9] == [
        "player_1 responds with Jab (Willpower)",
        "player_0 passes",
        "player_0 draws a card",
        "player_1 passes",
    ]


@pytest.mark.rule("FS-G8")
def test_who_begins_without_a_card_passes() -> None:
    """Its pass takes the initiative and draws nothing; the other player may build or pass."""
    t = table()
    t.deck(0)
    t.hand(1, "Jab", "Slash", "Dart", "Thrust", "Lunge")
    t.resolve(initiative=0, fill=False)
    assert t.log == [
        "player_0 cannot draw, the deck is empty",
        "Sequence 2: player_0 begins",
        "player_0 passes",
        "player_0 takes the initiative",
    ]
    assert t.to_play == 1 and t.may("pass") and t.may("attack with Jab")
    t.do("pass")
    assert t.log[4:6] == ["player_1 passes", "player_1 draws a card"]
    assert t.log[6] == "player_0 cannot draw, the deck is empty"  # cleanup


@pytest.mark.rule("FS-G8", "FS-B4")
def test_an_empty_hand_later_in_the_sequence_passes_and_draws() -> None:
    t = table()
    t.hand(0, "Jab")
    t.hand(1, "Jab", "Spark")
    t.row("1 responds Lunge")
    t.do("attack with Jab", "attack with Jab")
    assert t.log[2:] == ["player_0 passes", "player_0 takes the initiative", "player_0 draws a card"]
    assert t.to_play == 1


def nothing_left(**rules: object) -> Table:
    t = table(**rules)
    t.deck(0)
    t.deck(1)
    t.row("0 responds Lunge")
    return t.resolve(initiative=0, fill=False)


@pytest.mark.rule("FS-G8")
def test_nobody_has_a_card_left() -> None:
    t = nothing_left()
    assert t.log[-1] == "the game is a draw: nobody has a card left" and t.over and t.rewards == [0, 0]
    t = nothing_left(exhausted="initiative_loses")
    assert t.log[-1] == "player_1 wins: nobody has a card left, and player_0 has the initiative"
    assert t.rewards == [-1, 1]


@pytest.mark.rule("FS-G8")
@pytest.mark.parametrize("ruling", ["draw", "initiative_loses"])
@pytest.mark.parametrize("player", [0, 1])
def test_one_card_left_is_enough_to_go_on(ruling: str, player: int) -> None:
    t = table(exhausted=ruling)
    t.deck(0)
    t.deck(1)
    t.hand(player, "Jab")
    t.resolve(initiative=0, fill=False)
    assert not t.over and t.to_play == player and t.may("attack with Jab")


def the_ninth_returns(**rules: object) -> Table:
    t = table(kit(RECALL), **rules)
    t.row(*[f"{i % 2} attacks Idle" for i in range(8)])
    t.hand(0, "Recall", "Idle")
    t.hand(1, "Idle", "Recall")
    return t.do("attack with Recall", "return Idle in slot 1")


@pytest.mark.rule("FS-G16")
def test_a_slot_that_is_free_again_is_built_on() -> None:
    t = the_ninth_returns()
    assert t.state["slots"] == 8 and t.to_play == 1
    assert t.may("attack with Recall") and t.may("respond with Idle") and t.may("pass")


@pytest.mark.rule("FS-G16")
def test_nine_actions_close_the_sequence_if_so_ruled() -> None:
    t = the_ninth_returns(full_sequence="closes")
    assert t.log[2:5] == ["player_1 passes", "player_1 takes the initiative", "player_1 draws a card"]
    assert "player_0 passes" in t.log and "Recall of player_0 resolves" in t.log
    while not t.status("Sequence").startswith("Sequence 2, building"):
        t.do(t.options()[0])
    assert t.may("attack with Idle")  # the next sequence is open
    t = table(kit(RECALL), full_sequence="closes")  # and a sequence of fewer than nine stays open, too
    t.row(*[f"{i % 2} attacks Idle" for i in range(7)])
    t.hand(0, "Idle", "Recall")
    t.hand(1, "Recall", "Idle")
    assert t.do("attack with Recall", "return Idle in slot 1").may("attack with Recall")
