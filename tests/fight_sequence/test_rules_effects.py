"""Rules of Fight Sequence: effects (FS-E1 to FS-E6), and the rulings about them (FS-G2, FS-G3, FS-G11, FS-G15)."""

from __future__ import annotations

import pytest

from tests.fight_sequence.positions import card, kit, table

NOW = "{{timing: immediate, {}}}"
THEN = "{{timing: timed, {}}}"


def shifter(reach: int, timing: str = NOW) -> str:
    """A deck with a card that shifts, and others with names to tell them apart."""
    return kit(card("Shove", 60, 1, effect=timing.format(f"shift: {{range: {reach}}}")), *map(card, "ABCD"))


def returner(what: str, timing: str = NOW) -> str:
    return kit(card("Recall", 60, 1, effect=timing.format(f"return: {what}")), *map(card, "ABCD"))


@pytest.mark.rule("FS-E1")
@pytest.mark.parametrize("player", [0, 1])
def test_who_built_it_chooses(player: int) -> None:
    """The builder chooses, while building and while resolving."""
    for timing in (NOW, THEN):
        t = table(shifter(1, timing))
        t.row(f"{1 - player} responds A", f"{1 - player} responds B")
        t.hand(player, "Shove", "Idle")
        t.hand(1 - player, "Idle")
        t.do("attack with Shove")
        if timing == THEN:
            t.resolve()
        assert t.to_play == player and t.may("shift B (Armor +1) in slot 2 to the left")


@pytest.mark.rule("FS-E1")
def test_without_a_target() -> None:
    """The effect does nothing, but the damage is dealt all the same."""
    t = table(shifter(1))
    t.hand(0, "Shove")
    t.hand(1, "Idle")
    t.do("attack with Shove")
    assert t.log == ["player_0 attacks with Shove", "Shove finds no target"] and t.to_play == 1
    t = table(returner("response", THEN))
    t.row("1 attacks A", "0 attacks Recall")
    t.resolve()
    assert t.told[:3] == ["Recall of player_0 resolves", "Recall finds no target", "player_1 takes 1 physical damage"]
    assert t.told[4] == "A of player_1 resolves"


# -- shift ------------------------------------------------------------------------------------------------------------------


def shifts(reach: int, *row: str, **rules: object) -> list[str]:
    """What an immediate Shift of that range may do behind this row, as "slot direction"."""
    t = table(shifter(reach), **rules)
    t.row(*row)
    t.turn(0)
    t.hand(0, "Shove", "Idle")
    t.hand(1, "Idle")
    t.do("attack with Shove")
    if not t.may("shift"):
        return []
    return sorted(f"{text.split(' in slot ')[1][0]} {text.split()[-1]}" for text in t.options())


@pytest.mark.rule("FS-E2")
def test_what_a_shift_reaches() -> None:
    """The distance of the chosen Action counts, whichever way it goes; the last one cannot go right, the first one not left."""
    row = ("1 attacks A", "1 attacks B", "1 attacks C")
    assert shifts(0, *row) == ["4 left"] or shifts(0, *row) == []
    assert shifts(1, *row) == ["3 left", "3 right", "4 left"]
    assert shifts(2, *row) == ["2 left", "2 right", "3 left", "3 right", "4 left"]
    assert shifts(3, *row) == ["1 right", "2 left", "2 right", "3 left", "3 right", "4 left"]
    assert shifts(8, *row) == shifts(3, *row)
    assert shifts(8, "1 attacks A") == ["1 right", "2 left"]
    assert shifts(8) == []


@pytest.mark.rule("FS-E2")
def test_the_only_shift_there_is() -> None:
    """The player is not asked: at range 0 it goes left; a timed one that may not choose itself moves its neighbour to the right."""
    t = table(shifter(0))
    t.row("1 attacks A")
    t.hand(0, "Shove", "Idle")
    t.hand(1, "Idle")
    assert t.do("attack with Shove").slots == ["0 attacks Shove", "1 attacks A"]
    t = table(shifter(1, THEN), timed_shift_itself=False)
    t.row("1 attacks A", "0 attacks Shove")
    assert t.resolve().told[1] == "A moves from slot 1 to slot 2"


@pytest.mark.rule("FS-E2")
@pytest.mark.parametrize(
    ("choice", "slots", "line"),
    [
        ("shift B in slot 2 to the left", "BACS", "B moves from slot 2 to slot 1"),
        ("shift B in slot 2 to the right", "ACBS", "B moves from slot 2 to slot 3"),
        ("shift C in slot 3 to the right", "ABSC", "C moves from slot 3 to slot 4"),
        ("shift Shove in slot 4 to the left", "ABSC", "Shove moves from slot 4 to slot 3"),
    ],
)
def test_two_neighbours_swap(choice: str, slots: str, line: str) -> None:
    """They swap by one slot whatever the range, whoever owns them; each keeps its owner and stays an attack or a response."""
    t = table(shifter(3))
    t.row("1 attacks A", "0 responds B", "1 attacks C")
    t.hand(0, "Shove")
    t.hand(1, "Idle")
    t.do("attack with Shove", choice.replace("B ", "B (Armor +1) "))
    lying = {"A": "1 attacks A", "B": "0 responds B", "C": "1 attacks C", "S": "0 attacks Shove"}
    assert t.slots == [lying[letter] for letter in slots]
    assert t.log[-1] == line.replace("B ", "B (Armor +1) ") and t.to_play == 1


@pytest.mark.rule("FS-E2", "FS-R1")
def test_a_timed_shift_changes_the_order() -> None:
    """It reaches two slots, counted from the Action that resolves."""
    t = table(shifter(2, THEN))
    t.row("1 attacks A", "1 attacks B", "1 attacks C", "1 attacks D", "0 attacks Shove")
    t.resolve()
    assert sorted(text.split(" in ")[1] for text in t.options()) == [
        "slot 3 to the left",
        "slot 3 to the right",
        "slot 4 to the left",
        "slot 4 to the right",
        "slot 5 to the left",
    ]
    t.do("shift C in slot 3 to the right")
    order = [line.split()[0] for line in t.told if line.endswith("resolves")]
    assert order == ["Shove", "C", "D", "B", "A"]
    assert t.status("player_0").endswith("discard 5: Shove, Idle x4")
    assert t.status("player_1").endswith("discard 5: A, B, C, D, Idle")


@pytest.mark.rule("FS-E2", "FS-R2")
def test_a_timed_shift_past_itself() -> None:
    """The neighbour takes its slot; the attack that shifts deals its damage and leaves from its new slot."""
    t = table(shifter(1, THEN))
    t.row("1 attacks A", "1 attacks B", "0 attacks Shove")
    t.resolve().do("shift B in slot 2 to the right")
    assert t.told[:4] == [
        "Shove of player_0 resolves",
        "B moves from slot 2 to slot 3",
        "player_1 takes 1 physical damage",
        "player_1 discards Idle",
    ]
    assert [line for line in t.told if line.endswith("resolves")][1:] == [
        "B of player_1 resolves",
        "A of player_1 resolves",
    ]


@pytest.mark.rule("FS-G2")
def test_shifts_happen_as_printed() -> None:
    """Divert and Feint shift at once, Undertow as it resolves."""
    for name, at_once in (("Divert", True), ("Feint", True), ("Undertow", False)):
        t = table()
        t.row("1 attacks Pressure")
        t.hand(0, name, "Jab")
        t.hand(1, "Jab")
        assert t.do(f"attack with {name}").may("shift") == at_once
        t.state.decision = 0
        t = table()
        t.row("1 attacks Pressure", f"0 attacks {name}")
        assert t.resolve().may("shift") != at_once


@pytest.mark.rule("FS-G2")
@pytest.mark.parametrize("ruling", ["timed", "immediate"])
def test_all_shifts_alike_if_so_ruled(ruling: str) -> None:
    for name in ("Divert", "Feint", "Undertow"):
        t = table(shift_timing=ruling)
        t.row("1 attacks Pressure")
        t.hand(0, name, "Slash")
        t.hand(1, "Slash")
        assert t.do(f"attack with {name}").may("shift") == (ruling == "immediate")
        t = table(shift_timing=ruling)
        t.row("1 attacks Pressure", f"0 attacks {name}")
        assert t.resolve().may("shift") == (ruling == "timed")
    t = table(shift_timing=ruling)  # responses shift as they resolve, and other effects happen as printed
    t.row("1 attacks Pressure", "0 responds Push")
    assert t.resolve().may("shift Pressure in slot 1 to the right")
    t = table(kit(card("Recall", 60, 1, effect=NOW.format("return: any"))), shift_timing="timed")
    t.row("1 attacks Idle")
    t.hand(0, "Recall")
    t.hand(1, "Idle")
    assert "Idle returns from slot 1 to the hand of player_1" in t.do("attack with Recall").log


@pytest.mark.rule("FS-G15")
@pytest.mark.parametrize("name", ["0 attacks Undertow", "0 responds Push"])
def test_a_timed_shift_may_choose_itself(name: str) -> None:
    """It leaves from another slot; nothing else changes."""
    t = table()
    t.row("1 attacks Pressure", "1 attacks Dart", name)
    t.resolve()
    assert [text for text in t.options() if "slot 3" in text] == [
        f"shift {t.log[0].split(' of ')[0]} in slot 3 to the left"
    ]
    t.do([text for text in t.options() if "slot 3" in text][0])
    assert t.slots == [] and [line.split()[0] for line in t.told if line.endswith("resolves")][1:] == [
        "Dart",
        "Pressure",
    ]


@pytest.mark.rule("FS-G15")
@pytest.mark.parametrize("name", ["0 attacks Undertow", "0 responds Push"])
def test_a_timed_shift_may_not_choose_itself_if_so_ruled(name: str) -> None:
    """Others may still be shifted past it; an immediate one may choose itself."""
    t = table(timed_shift_itself=False)
    t.row("1 attacks Pressure", "1 attacks Dart", name)
    t.resolve()
    assert not [text for text in t.options() if "slot 3" in text]
    assert t.may("shift Dart in slot 2 to the right")
    t = table(timed_shift_itself=False)
    t.row(name)
    assert t.resolve().told[1].endswith("finds no target")
    assert shifts(1, "1 attacks A", timed_shift_itself=False) == ["1 right", "2 left"]


# -- return -----------------------------------------------------------------------------------------------------------------


def returns(what: str, *row: str, timing: str = NOW, **rules: object) -> list[str]:
    """What a Return behind this row may hit; a forced choice is read from the log."""
    t = table(returner(what, timing), **rules)
    t.row(*row, "0 attacks Recall") if timing == THEN else t.row(*row)
    t.turn(0)
    t.hand(0, "Recall", "Idle")
    t.hand(1, "Idle")
    if timing == THEN:
        t.resolve()
    else:
        t.do("attack with Recall")
    if t.may("return"):
        return [text.removeprefix("return ").split(" (")[0].split(" in ")[0] for text in t.options()]
    return [line.split(" (")[0].split(" returns")[0] for line in t.log if " returns from slot" in line]


@pytest.mark.rule("FS-E3")
@pytest.mark.parametrize("timing", [NOW, THEN])
def test_what_a_return_may_hit(timing: str) -> None:
    """At any distance: any Action, attacks only or responses only, one's own too, but not itself."""
    row = ("1 attacks A", "0 responds B", "1 responds C", "0 attacks D", *["1 attacks Idle"] * 2)
    assert returns("any", *row, timing=timing) == ["A", "B", "C", "D", "Idle", "Idle"]
    assert returns("attack", *row, timing=timing) == ["A", "D", "Idle", "Idle"]
    assert returns("response", *row, timing=timing) == ["B", "C"]
    assert returns("attack", "0 responds A", "1 attacks B", timing=timing) == ["B"]  # the only choice
    assert returns("attack", "0 responds A", "1 responds B", timing=timing) == []
    assert returns("any", timing=timing) == []


@pytest.mark.rule("FS-E3")
@pytest.mark.parametrize("owner", [0, 1])
def test_a_return_goes_to_the_hand_of_its_builder(owner: int) -> None:
    """The row closes up, and that player may build it again."""
    t = table(returner("any"))
    t.row("1 attacks A", f"{owner} responds B", "0 attacks C")
    t.hand(0, "Recall")
    t.turn(0)
    t.hand(1, "Idle")
    t.do("attack with Recall", "return B (Armor +1) in slot 2")
    assert t.log == ["player_0 attacks with Recall", f"B (Armor +1) returns from slot 2 to the hand of player_{owner}"]
    assert t.slots == ["1 attacks A", "0 attacks C", "0 attacks Recall"]
    assert t.status(f"player_{owner}").startswith(
        "player_0: hand 1: B;" if owner == 0 else "player_1: hand 2: B, Idle;"
    )
    assert t.to_play == 1 and t.may("respond with B") == (owner == 1)


@pytest.mark.rule("FS-E3", "FS-I5")
def test_the_log_tells_which_copy_returned() -> None:
    """It names the slot of one of two equal Actions; everybody sees it, in the observation too."""
    for slot in (1, 3):
        t = table(returner("any"))
        t.row("1 attacks Idle", "0 attacks A", "1 attacks Idle")
        t.hand(0, "Recall")
        t.hand(1, "Idle")
        t.do("attack with Recall", f"return Idle in slot {slot}")
        assert t.log[-1] == f"Idle returns from slot {slot} to the hand of player_1"
        for player in (0, 1):
            piece, shape, _ = t.game.observation_pieces["history"]
            assert t.game.observe(t.state, player)[piece].reshape(shape)[0, 4] == slot


@pytest.mark.rule("FS-E3")
def test_a_timed_return() -> None:
    """The Action that it takes does not resolve, and those behind move up; after that the Return deals its own damage."""
    t = table(returner("any", THEN))
    t.row("1 attacks A", "1 attacks B", "1 attacks C", "0 attacks Recall")
    t.resolve().do("return B in slot 2")
    assert t.told[:4] == [
        "Recall of player_0 resolves",
        "B returns from slot 2 to the hand of player_1",
        "player_1 takes 1 physical damage",
        "player_1 discards Idle",
    ]
    assert [line for line in t.told if line.endswith("resolves")][1:] == [
        "C of player_1 resolves",
        "A of player_1 resolves",
    ]
    assert (
        t.status("player_0").endswith("discard 3: Recall, Idle x2")
        and "B" not in t.status("player_1").split("discard")[1]
    )


@pytest.mark.rule("FS-E3", "FS-R1")
def test_the_one_that_resolves_moves_up_too() -> None:
    """The position shows this while a player is asked about its damage."""
    t = table()
    t.row("1 attacks Jab", "1 attacks Slash", "0 attacks Gale Force")
    t.hand(1, "Spark")
    t.resolve().do("return Jab")
    assert t.game.status_lines(t.state)[3:] == [
        "1. player_1 attacks: Slash (Speed 40, Power 3, physical)",
        "2. player_0 attacks: Gale Force (Speed 20, Power 4, physical) - resolves",
        "player_1 would take 4 physical damage",
    ]


@pytest.mark.rule("FS-G3")
@pytest.mark.parametrize("timing", [NOW, THEN])
def test_a_return_has_to_hit_something_but_not_itself(timing: str) -> None:
    """It has to hit one's own Action if there is no other."""
    assert returns("any", "0 attacks A", timing=timing) == ["A"]
    t = table(returner("any", timing))
    t.row("0 attacks A", "0 attacks B")
    t.turn(0)
    t.hand(0, "Recall")
    t.hand(1, "Idle")
    t.do("attack with Recall")
    if timing == THEN:
        t.resolve()
    assert t.options() == ["return A in slot 1", "return B in slot 2"]


@pytest.mark.rule("FS-G3")
@pytest.mark.parametrize("timing", [NOW, THEN])
def test_a_return_may_hit_itself_if_so_ruled(timing: str) -> None:
    """An attack that returns itself as it resolves still deals its damage."""
    assert returns("any", "1 attacks A", timing=timing, return_itself=True) == ["A", "Recall"]
    assert returns("response", "1 attacks A", timing=timing, return_itself=True) == []
    t = table(returner("any", timing), return_itself=True)
    t.row("1 attacks A")
    t.hand(0, "Recall", "Idle")
    t.hand(1, "Idle")
    t.do("attack with Recall")
    if timing == THEN:
        t.resolve()
    t.do("return Recall in slot 2")
    assert t.log[t.log.index("Recall returns from slot 2 to the hand of player_0") :][:3] == (
        [
            "Recall returns from slot 2 to the hand of player_0",
            "player_1 takes 1 physical damage",
            "player_1 discards Idle",
        ]
        if timing == THEN
        else ["Recall returns from slot 2 to the hand of player_0"]
    )
    assert (
        "Recall" in t.status("player_0").split("deck")[0] and "Recall" not in t.status("player_0").split("discard")[1]
    )
    if timing == NOW:
        assert t.slots == ["1 attacks A"] and t.to_play == 1


@pytest.mark.rule("FS-G3")
@pytest.mark.parametrize("timing", [NOW, THEN])
def test_a_return_may_be_declined_if_so_ruled(timing: str) -> None:
    t = table(returner("any", timing), return_optional=True)
    t.row("1 attacks A")
    t.hand(0, "Recall", "Idle")
    t.hand(1, "Idle")
    t.do("attack with Recall")
    if timing == THEN:
        t.resolve()
    assert t.options() == ["decline", "return A in slot 1"]
    t.do("decline")
    assert t.log[1] == "player_0 declines"
    assert "A" not in t.status("player_1").split("deck")[0]
    assert t.slots == (["1 attacks A", "0 attacks Recall"] if timing == NOW else [])
    assert ("player_1 takes 1 physical damage" in t.log) == (timing == THEN)


# -- bonus, damage, draws -----------------------------------------------------------------------------------------------------


def bonus(*row: str, name: str = "Flare", **rules: object) -> bool:
    """Whether that attack, the last of the row, gets its bonus; its damage is checked as well."""
    t = table(**rules)
    t.row(*row, f"0 attacks {name}")
    t.resolve()
    got = f"{name} gets +2 Power" in t.log
    kind = "magical" if name == "Flare" else "physical"
    assert t.log[1 + got] == f"player_1 takes {5 if got else 3} {kind} damage"
    return got


@pytest.mark.rule("FS-E4", "FS-G11")
def test_bonus() -> None:
    """An attack of that type by the opponent gives it, wherever it lies; several give it only once."""
    assert bonus("1 attacks Dart") and bonus("1 attacks Dart", "0 attacks Jab", "0 attacks Jab")
    assert bonus("1 attacks Dart", "1 attacks Dart")
    assert not bonus("1 attacks Jab") and not bonus("0 attacks Dart") and not bonus()
    assert bonus("1 attacks Jab", name="Shoulder Charge") and not bonus("1 attacks Dart", name="Shoulder Charge")
    for response in ("Dart", "Pressure", "Spark"):  # magical block, Resistance, Willpower
        assert not bonus(f"1 responds {response}")


@pytest.mark.rule("FS-E4", "FS-G11")
def test_bonus_sees_what_has_not_resolved() -> None:
    t = table()
    t.row("0 attacks Flare", "1 attacks Dart")
    t.resolve()
    assert "Flare gets +2 Power" not in t.log
    t = table()  # and no other attack gets it
    t.row("1 attacks Dart", "0 attacks Slash", "0 attacks Flare")
    t.resolve()
    assert t.after("Slash of player_0 resolves")[0] == "player_1 takes 3 physical damage"


@pytest.mark.rule("FS-G11")
def test_bonus_counts_responses_if_so_ruled() -> None:
    """The type of a response is the one by which blocks take it."""
    ruled = {"bonus_counts": "typed_actions"}
    assert (
        bonus("1 responds Dart", **ruled) and bonus("1 responds Pressure", **ruled) and bonus("1 attacks Dart", **ruled)
    )
    assert not bonus("1 responds Spark", **ruled) and not bonus("1 responds Lunge", **ruled)
    assert not bonus("0 responds Dart", **ruled)
    assert bonus("1 responds Lunge", name="Shoulder Charge", **ruled)


@pytest.mark.rule("FS-E5")
@pytest.mark.parametrize(("to", "hit"), [("opponent", [0, 2]), ("both", [2, 2]), ("self", [2, 0])])
@pytest.mark.parametrize("timing", ["timed", "immediate", "response"])
def test_text_damage(to: str, hit: list[int], timing: str) -> None:
    """It comes besides that of the Power, with its own type, whether at once, as the attack resolves, or as a response."""
    does = f"damage: {{amount: 2, type: magical, to: {to}}}"
    if timing == "response":
        t = table(kit(card("Burn", 20, 1, "physical", response=f"{{{does}}}")))
        t.row("0 responds Burn")
    else:
        t = table(kit(card("Burn", 20, 1, "physical", f"{{timing: {timing}, {does}}}")))
        if timing == "timed":
            t.row("0 attacks Burn")
    if timing == "immediate":
        t.hand(0, "Burn")
        t.hand(1, "Idle")
        t.do("attack with Burn")
    else:
        t.resolve()
    power = int(timing == "timed")
    assert t.life == [10 - hit[0], 10 - hit[1] - power]
    lines = [line for line in t.told if "takes" in line]
    assert (
        lines
        == [f"player_{p} takes 2 magical damage" for p in (1, 0) if hit[p]]
        + ["player_1 takes 1 physical damage"] * power
    )


@pytest.mark.rule("FS-E6")
@pytest.mark.parametrize("timing", ["timed", "immediate", "response"])
def test_draws(timing: str) -> None:
    """It draws as many cards as it says, or as many as there are."""
    for deck, line in (
        (5, "player_0 draws 3 cards"),
        (2, "player_0 draws 2 cards"),
        (0, "player_0 cannot draw, the deck is empty"),
    ):
        does = {"response": "{draw: 3}"} if timing == "response" else {"effect": f"{{timing: {timing}, draw: 3}}"}
        t = table(kit(card("Think", 20, 1, **does)))
        t.deck(0, *["Idle"] * deck)
        t.hand(1, "Idle")
        if timing == "immediate":
            t.hand(0, "Think", "Idle")
            t.do("attack with Think")
        else:
            t.row(f"0 {'responds' if timing == 'response' else 'attacks'} Think")
            t.resolve(initiative=1)
        assert t.log[1] == line
        if timing == "immediate":
            assert t.life[0] == max(0, deck - 3) and t.state["hand_size"][0] == 1 + min(deck, 3)
        else:  # there were five in hand before, so as many have to go back
            assert t.log.count("player_0 puts a card on the deck") == min(deck, 3)
