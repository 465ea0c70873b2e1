"""What each effect of a card of Reality TCG does, to whom it does it and to whom not, and what an answer reaches."""

from __future__ import annotations

from typing import Any

import pytest

from react_env.games.reality_tcg import state as S
from tests.reality_tcg.positions import ODD, Position

DECK = "Boxer, Boxer, Boxer, Boxer, Boxer, Boxer"


def attack(x: Position) -> Position:
    return x.do("to the Battle", "attack")


# -- abilities ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mine", "theirs", "text"),
    [
        (["Boxer", "Coach"], [], "Boxer 5 (4)/2/4"),
        (["Boxer", "-", "-", "Coach"], [], "Boxer 5 (4)/2/4"),
        (["Coach", "Boxer"], [], "Coach 2/3/4"),
        (["Boxer"], ["Captain", "Coach"], "Boxer 4/2/4"),
    ],
)
def test_support_comes_from_the_own_back_row(mine: list[str], theirs: list[str], text: str) -> None:
    """RT-C1: it comes from any place there, but not from the Active Zone or from the opponent's Back Row."""
    x = Position(mine, theirs)
    assert x.game.status_lines(x.s)[2].startswith(f"  Active Zone: {text}")


def test_support_and_lands_are_for_the_active_character() -> None:
    """RT-C1, RT-C5: they give no ATK to anybody in a Back Row."""
    x = Position(["Boxer", "Captain", "Coach"], ["Boxer", "Captain"], land=("", "Sports Arena"))
    lines = x.game.status_lines(x.s)
    assert "Active Zone: Boxer 6 (4)/" in lines[2] and "Captain 5/3/4" in lines[3] and "Coach 2/3/4" in lines[3]
    assert (
        any("Active Zone: Boxer 5 (4)/" in line for line in lines[4:])
        and sum("Captain 5/3/4" in line for line in lines) == 2
    )


@pytest.mark.parametrize("name", ["Line Cook", "Coach", "Boxer"])
def test_who_does_not_draw_as_it_enters(name: str) -> None:
    """RT-C1: other abilities do nothing as their Character enters."""
    x = Position(["Boxer"], hands=(f"{name}, Headliner", ""), decks=(DECK, "")).hurt(0, 0, df=0, hp=1)
    x.do(f"play {name}", "to the Back Row, attack")
    assert x.hand(0) == ["Headliner"] and x.unit(0) == ("Boxer", 0, 1)


@pytest.mark.parametrize("place", [1, 2, 3])
def test_care_heals_the_active_character_alone(place: int) -> None:
    """RT-C1, RT-T5: it heals from each place of the Back Row, at the end of its player's turn but not of the opponent's."""
    zones = ["Boxer /d", "-", "-", "-"]
    zones[place] = "Line Cook"
    x = Position(zones, ["Boxer /d"], hands=("Coach", "Coach"), decks=(DECK, DECK))
    x.hurt(0, 0, df=0, hp=1).hurt(0, place, df=0, hp=1).hurt(1, 0, df=0, hp=1)
    x.do("to the Battle", "end the turn")
    assert x.unit(0) == ("Boxer", 0, 2) and x.unit(0, place) == ("Line Cook", 0, 1) and x.unit(1) == ("Boxer", 0, 1)
    x.do("to the Battle", "end the turn")
    assert x.unit(0) == ("Boxer", 0, 2)


def test_care_heals_no_more_than_there_was() -> None:
    """RT-C1: it heals nobody if the Active Zone is empty."""
    x = Position(["Boxer /d", "Line Cook", "Line Cook"], hands=("Coach", ""), decks=(DECK, DECK))
    assert x.hurt(0, 0, df=2, hp=3).do("to the Battle", "end the turn").unit(0) == ("Boxer", 2, 4)
    y = Position(["-", "Line Cook"], hands=("Coach", ""), decks=(DECK, DECK)).do("to the Battle", "end the turn")
    assert y.s["whose"] == 1 and y.unit(0) is None


# -- Maneuvers ---------------------------------------------------------------------------------------------------------------


def test_a_maneuver_costs_its_player_the_energy_it_says() -> None:
    """RT-C2, RT-E2: exactly that much is enough; spent Energy is still there, inactive."""
    for energy in (1, 2):
        x = Position(hands=("Restock, Red Tape", ""), energy=(energy, 10), decks=(DECK, ""))
        assert ("play Restock" in x.legal) == (energy == 2)
    x.do("play Restock")
    assert x.s["ready"].tolist() == [0, 10] and x.s["energy"].tolist() == [2, 10]


def test_inactive_energy_pays_for_nothing() -> None:
    """RT-E2: neither Characters nor Food nor Traps."""
    x = Position(["Boxer"], ["Boxer"], hands=("Coach, Energy Bar, Red Tape", "Energy Bar"), traps=("", "Slammed Door"))
    x.s["ready"] = 0, 0
    assert not any(text.startswith("play") for text in x.legal) and "set Red Tape" in x.legal
    attack(x)
    assert x.s["decision"] != S.D_ANSWER and x.unit(0) is None and x.unit(1) is None


def test_a_rally_is_for_the_own_active_character() -> None:
    """RT-C2: two of them add up."""
    x = Position(["Boxer", "Captain"], ["Boxer"], hands=("Pep Talk, Pep Talk", ""))
    x.do("play Pep Talk", "play Pep Talk")
    assert x.s["boost"].tolist() == [[6, 0, 0, 0], [0, 0, 0, 0]]


@pytest.mark.parametrize(
    ("deck", "drawn"), [("", 0), ("Coach", 1), ("Coach, Captain", 2), ("Coach, Captain, Boxer", 2)]
)
def test_a_draw_takes_as_many_as_there_are(deck: str, drawn: int) -> None:
    """RT-C2, RT-G3: cards come from the top, and too few of them cost nothing."""
    x = Position(hands=("Restock, Headliner", ""), decks=(deck, "")).do("play Restock")
    assert sorted(x.hand(0)) == sorted(["Headliner", *["Coach", "Captain"][:drawn]]) and x.s["over"] == 0
    assert ("player_0 has nothing to draw" in x.log) == (drawn < 2)


def test_a_draw_from_too_small_a_deck_loses_by_the_option() -> None:
    """RT-G3: the cards that are there are drawn first."""
    x = Position(hands=("Restock, Headliner", ""), decks=("Coach", DECK), deck_out="lose").do("play Restock")
    assert x.s["over"] == 1 and x.s["reward"].tolist() == [-1, 1] and "Coach" in x.hand(0)


def test_a_swap_takes_everything_along() -> None:
    """RT-C2, RT-S3: damage, position, ATK for this turn, and whether the position was changed."""
    x = Position(["Coach", "Boxer", "Gate Guard"], ["Captain"], hands=("Sudden Swap, Energy Bar, Boxer", ""))
    x.hurt(0, 0, df=1, hp=2).do("play Energy Bar", "choose Active", "turn Active", "play Sudden Swap")
    assert x.legal == ["choose Back Row 1 (Boxer)", "choose Back Row 2 (Gate Guard)"]
    x.do("choose Back Row 1")
    assert x.unit(0) == ("Boxer", 2, 4) and x.unit(0, 1) == ("Coach", 1, 2) and x.unit(0, 2) == ("Gate Guard", 3, 3)
    assert x.s["boost"][0].tolist() == [0, 2, 0, 0] and x.s["position"][0].tolist() == [0, 1, 0, 0]
    assert not any(text.startswith("turn Back Row 1") for text in x.legal)


@pytest.mark.parametrize("place", [1, 2, 3])
def test_a_swap_needs_both_and_neither_new(place: int) -> None:
    """RT-G12: it needs an Active Character and one of the Back Row, in whichever place; neither may have entered this turn."""
    for active, other, may in (
        ("Coach", "Bouncer", True),
        ("Coach", "Bouncer /new", False),
        ("Coach /new", "Bouncer", False),
        ("-", "Bouncer", False),
        ("Coach", "-", False),
    ):
        zones = [active, "-", "-", "-"]
        zones[place] = other
        x = Position(zones, ["Captain"], hands=("Sudden Swap, Boxer", ""))
        assert ("play Sudden Swap" in x.legal) == may, (active, other)


def test_a_swap_is_no_switch_of_the_phase() -> None:
    """RT-G12: the switch that each Tactic Phase allows is still to come."""
    x = Position(["Boxer", "Coach", "Captain"], hands=("Sudden Swap, Gate Guard", ""))
    x.do("play Sudden Swap", "choose Back Row 2")
    assert x.unit(0) == ("Captain", 3, 4) and "switch with Back Row 1 (Coach)" in x.legal


def test_a_scandal_costs_the_opponent_its_ip() -> None:
    """RT-C2, RT-W1: it wins if it takes the last."""
    assert Position(hands=("Public Scandal, Coach", "")).do("play Public Scandal").ip == (20, 17)
    x = Position(hands=("Public Scandal, Coach", ""), ip=(1, 4)).do("play Public Scandal")
    assert x.ip == (1, 1) and x.s["over"] == 0
    x = Position(hands=("Public Scandal, Coach", ""), ip=(1, 3)).do("play Public Scandal")
    assert x.ip == (1, 0) and x.s["reward"].tolist() == [1, -1]


def test_a_blow_is_for_the_opposing_active_character() -> None:
    """RT-G26, RT-C2: without one it cannot be played, whoever stands behind it or on the player's side."""
    assert "play Cheap Shot" not in Position(["Boxer"], ["-", "Boxer"], hands=("Cheap Shot, Coach", "")).legal
    x = Position([], ["Boxer", "Coach"], hands=("Cheap Shot, Coach", "")).do("play Cheap Shot")
    assert x.unit(1) == ("Boxer", 2, 2) and x.unit(1, 1) == ("Coach", 3, 4)
    y = Position([], ["Boxer"], hands=("Pep Talk, Coach", ""))
    assert "play Pep Talk" not in y.legal


# -- Traps -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("trap", ["Counter Hook", "Slammed Door", "Red Tape", "Spoiled Meal"])
@pytest.mark.parametrize("does", ["attack", "Maneuver", "Food", "Land", "summon", "switch"])
def test_each_trap_waits_for_its_trigger(trap: str, does: str) -> None:
    """RT-C3, RT-G19: an attack, a Maneuver or Food of the opponent, and nothing else."""
    steps = {
        "attack": ("to the Battle", "attack"),
        "Maneuver": ("play Restock",),
        "Food": ("play Energy Bar", "choose Active"),
        "Land": ("play Old Quarter",),
        "summon": ("play Gate Guard", "to the Back Row, attack"),
        "switch": ("switch with Back Row 1",),
    }
    card = steps[does][0].removeprefix("play ") if steps[does][0].startswith("play") else "Captain"
    x = Position(["Boxer", "Coach"], ["Captain"], hands=(card, ""), traps=("", trap), decks=(DECK, DECK))
    x.do(*steps[does])
    waits = {"Counter Hook": "attack", "Slammed Door": "attack", "Red Tape": "Maneuver", "Spoiled Meal": "Food"}[trap]
    assert (x.s["decision"] == S.D_ANSWER) == (does == waits)
    if does == waits:
        assert x.s["to_play"] == 1 and x.legal == [f"play {trap}", "no answer"]


def test_a_trap_needs_the_energy_it_costs_when_it_is_used() -> None:
    """RT-C3, RT-G18: here it is used in the opponent's turn."""
    for energy in (1, 2):
        x = attack(Position(["Boxer"], ["Boxer"], traps=("", "Slammed Door"), energy=(10, energy)))
        assert (x.s["decision"] == S.D_ANSWER) == (energy == 2)
    x.do("play Slammed Door")
    assert (
        x.s["ready"].tolist() == [10, 0] and x.s["energy"].tolist() == [10, 2] and x.s["trap"][1].tolist() == [-1] * 3
    )


def test_a_trap_in_hand_is_not_set() -> None:
    """RT-C3: it cannot be used from there, unless its card says so."""
    x = attack(Position(["Boxer"], ["Boxer"], hands=("", "Slammed Door, Counter Hook")))
    assert x.s["phase"] == S.P_TACTIC_2 or x.s["decision"] != S.D_ANSWER
    assert x.hand(1) == ["Counter Hook", "Slammed Door"] and x.unit(0) is None


def test_a_hook_that_leaves_the_attacker_standing_does_not_stop_it() -> None:
    """RT-C3: but its damage comes first."""
    x = attack(Position(["Captain"], ["Gate Guard"], traps=("", "Counter Hook"))).do("play Counter Hook")
    assert x.unit(0) is None and x.unit(1) is None and x.ip == (20, 18)  # HP 1 left, against the Gate Guard's 1
    y = attack(Position(["Champion"], ["Gate Guard"], traps=("", "Counter Hook"))).do("play Counter Hook")
    assert y.unit(0) == ("Champion", 3, 2) and y.unit(1) is None and y.ip == (20, 16)


def test_a_cancelled_attack_leaves_what_was_played_before_it() -> None:
    """RT-G19: the Trap cancels the attack, but not the Food played between them."""
    x = attack(Position(["Boxer"], ["Boxer"], hands=("Energy Bar, Coach", ""), traps=("", "Slammed Door")))
    x.do("no answer", "play Energy Bar", "play Slammed Door")
    assert x.s["boost"][0][0] == 2 and x.unit(1) == ("Boxer", 2, 4) and "the attack of player_0 is cancelled" in x.log


def test_a_trap_negates_what_it_lies_on() -> None:
    """RT-G19: here the Food in answer to an attack, not the attack."""
    x = attack(Position(["Boxer"], ["Bouncer /d"], hands=("Energy Bar, Coach", ""), traps=("", "Spoiled Meal")))
    assert x.legal == ["play Energy Bar", "no answer"]
    x.do("play Energy Bar", "play Spoiled Meal")
    assert x.s["boost"][0][0] == 0 and x.gone(0) == ["Energy Bar"] and x.gone(1) == ["Spoiled Meal"]
    assert x.unit(1) == ("Bouncer", 0, 3)  # 4 damage, and no more


def test_a_negated_card_has_cost_its_energy() -> None:
    """RT-E2, RT-G19."""
    x = Position(hands=("Public Scandal, Red Tape", ""), energy=(5, 1), traps=("", "Red Tape"))
    x.do("play Public Scandal", "play Red Tape")
    assert x.ip == (20, 20) and x.s["ready"].tolist() == [1, 0]
    assert "Public Scandal of player_0 is negated" in x.log


def test_no_trap_waits_for_an_attack_that_was_cancelled() -> None:
    """RT-G19, RT-G27: while Food may still save the attacker from another Trap, only Food is played."""
    traps = "Counter Hook, Slammed Door, Slammed Door"
    x = attack(Position(["Delivery Rider"], ["Boxer"], hands=("Hot Soup", ""), traps=("", traps)))
    x.do("play Counter Hook", "play Slammed Door", "no answer")
    assert x.s["to_play"] == 0 and x.legal == ["play Hot Soup", "no answer"]
    x.do("play Hot Soup")
    assert x.unit(0) == ("Delivery Rider", 1, 3) and x.unit(1) == ("Boxer", 2, 4)


def test_a_maneuver_is_negated_before_it_happens() -> None:
    """RT-G19, RT-G27: no longer once Food may save the Character that it has struck."""
    x = Position(["Boxer"], ["Street Runner"], hands=("Cheap Shot, Coach", "Hot Soup"), traps=("", "Red Tape"))
    x.do("play Cheap Shot")
    assert x.legal == ["play Red Tape", "no answer"]
    x.do("no answer")
    assert x.unit(1) == ("Street Runner", 1, 0) and x.legal == ["play Hot Soup", "no answer"]


# -- Food --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_food_is_for_whom_it_is_played(place: int) -> None:
    """RT-C4: that is any own Character, in either row; no other is changed."""
    x = Position(["Boxer"] * 4, ["Boxer"], hands=("Energy Bar, Hot Soup, Trail Mix, Coach", ""))
    for z in range(4):
        x.hurt(0, z, df=0, hp=1)
    zone = f"choose {('Active Zone', 'Back Row 1', 'Back Row 2', 'Back Row 3')[place]}"
    for name in ("Energy Bar", "Hot Soup", "Trail Mix"):
        x.do(f"play {name}", zone)
    for z in range(4):
        assert x.unit(0, z) == (("Boxer", 2, 4) if z == place else ("Boxer", 0, 1))
        assert x.s["boost"][0][z] == (2 if z == place else 0)
    assert not x.s["boost"][1].any() and sorted(x.gone(0)) == ["Energy Bar", "Hot Soup", "Trail Mix"]


@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_food_is_played_where_it_helps(place: int) -> None:
    """RT-G26: only for a Character that lacks HP, or DEF."""
    hand = "Hot Soup, Trail Mix, Coach"
    x = Position(["Boxer"] * 4, hands=(hand, ""))
    assert not [text for text in x.legal if text in ("play Hot Soup", "play Trail Mix")]
    x.hurt(0, place, df=2, hp=3)
    assert [text for text in x.legal if text in ("play Hot Soup", "play Trail Mix")] == ["play Hot Soup"]
    x.hurt(0, place, df=1, hp=4)
    assert [text for text in x.legal if text in ("play Hot Soup", "play Trail Mix")] == ["play Trail Mix"]
    assert x.do("play Trail Mix").unit(0, place) == ("Boxer", 2, 4)  # 1 of its 2: no more than there was


def test_food_gives_no_more_than_there_was() -> None:
    """RT-C4: neither HP nor DEF."""
    x = Position(["Night Watch", "Coach"], hands=("Hot Soup, Trail Mix, Coach", "")).hurt(0, 0, df=4, hp=2)
    assert x.do("play Hot Soup", "play Trail Mix").unit(0) == ("Night Watch", 5, 3)


def test_food_costs_its_energy_in_both_turns() -> None:
    """RT-C4, RT-E2: exactly that much Energy is enough."""
    for energy in (0, 1):
        x = attack(Position(["Boxer"], ["Boxer"], hands=("", "Energy Bar"), energy=(0, energy)))
        assert (x.s["decision"] == S.D_ANSWER) == (energy == 1)


# -- Lands -------------------------------------------------------------------------------------------------------------------


def test_a_land_in_play_is_not_in_purgatory() -> None:
    """RT-C5, RT-G20."""
    x = Position(hands=("Sports Arena, Coach", "")).do("play Sports Arena")
    assert x.gone(0) == [] and x.s["land"].tolist() == [list(x.game.action_names).index("Sports Arena"), -1]


def test_one_land_for_both() -> None:
    """RT-G17: no player lays one on the other's, nor on its own."""
    for land in (("Sports Arena", ""), ("", "Sports Arena")):
        assert "play Old Quarter" not in Position(hands=("Old Quarter, Coach", ""), land=land).legal
    assert "play Old Quarter" in Position(hands=("Old Quarter, Coach", "")).legal


def test_a_land_for_each_by_the_option() -> None:
    """RT-G17: it lies beside the other's, which stays and works as well, but does not replace one's own."""
    here = {"hands": ("Old Quarter, Sports Arena, Coach", ""), "lands": "per_player"}
    assert not {"play Old Quarter", "play Sports Arena"} & set(Position(land=("Sports Arena", ""), **here).legal)  # type: ignore[arg-type]
    x = Position(["Boxer"], ["Coach"], land=("", "Sports Arena"), **here)  # type: ignore[arg-type]
    x.do("play Sports Arena")
    assert x.s["land"][0] == x.s["land"][1] >= 0 and x.gone(1) == []
    assert "  Active Zone: Boxer 6 (4)/2/4, SPD 4, attack" in x.game.status_lines(x.s), "both"


def test_a_new_land_takes_the_place_of_the_own_where_each_has_one() -> None:
    """RT-G17, RT-G20: that of the other player stays."""
    x = Position(
        hands=("Old Quarter, Coach", ""), land=("Sports Arena", "Sports Arena"), lands="per_player", land_replace=True
    )
    x.do("play Old Quarter")
    names = list(x.game.action_names)
    assert x.s["land"].tolist() == [names.index("Old Quarter"), names.index("Sports Arena")]
    assert x.gone(0) == ["Sports Arena"] and x.gone(1) == []


@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_old_quarter_restores_def_in_defense_position(place: int) -> None:
    """RT-C5: it does so for both players, in every zone, as its controller's turn begins; only DEF, and no more than there was."""
    zones = ["Boxer"] * 4
    zones[place] = "Boxer /d"
    x = Position(zones, zones, land=("", "Old Quarter"), hands=("Coach", "Coach"), decks=(DECK, DECK))
    for p in (0, 1):
        for z in range(4):
            x.hurt(p, z, df=1, hp=1)
    ends = [text for text in ("to the Battle", "no attack", "end the turn") if place or text != "no attack"]
    x.do(*ends)
    assert x.s["whose"] == 1
    for p in (0, 1):
        assert [x.unit(p, z) for z in range(4)] == [("Boxer", 2 if z == place else 1, 1) for z in range(4)]
    x.do(*ends)
    assert x.s["whose"] == 0 and x.unit(0, place) == ("Boxer", 2, 1)


# -- other numbers, and Traps of the hand ------------------------------------------------------------------------------------


def odd(*words: Any, **more: Any) -> Position:
    """A position with the odd cards, whose numbers differ from those of the plain set."""
    return Position(*words, files=ODD, **more)


def test_the_numbers_of_abilities() -> None:
    """RT-C1: of several supporters the strongest counts, wherever it stands."""
    for back in (["Trainer", "Helper"], ["Helper", "Trainer"], ["Helper", "Trainer", "Trainer"]):
        assert "Walker 5 (2)/2/9" in odd(["Walker", *back]).game.text(odd(["Walker", *back]).s)
    x = odd(["Walker /d", "Nurse"], hands=("Pitfall", "Pitfall"), decks=("Walker", "Walker")).hurt(0, 0, df=0, hp=1)
    assert x.do("to the Battle", "end the turn").unit(0) == ("Walker", 0, 3)
    y = odd(hands=("Scout, Pitfall", ""), decks=("Blow, Cheer, Rumour, Search", "")).do(
        "play Scout", "to the Back Row, d"
    )
    assert y.hand(0) == ["Blow", "Cheer", "Rumour", "Pitfall"]


def test_the_numbers_of_maneuvers() -> None:
    """RT-C2."""
    x = odd(["Walker"], ["Walker /d"], hands=("Blow, Cheer, Search, Rumour, Pitfall", ""), decks=("Stew, Stew", ""))
    assert x.do("play Blow").unit(1) == ("Walker", 0, 6)
    assert x.do("play Cheer").s["boost"][0][0] == 4 and x.do("play Rumour").ip == (20, 18)
    assert x.do("play Search").hand(0) == ["Pitfall", "Stew"]


def test_the_numbers_of_food_and_lands() -> None:
    """RT-C4, RT-C5."""
    x = odd(["Walker"], hands=("Coffee, Stew, Bread, Stadium, Pitfall", "")).hurt(0, 0, df=0, hp=1)
    x.do("play Stew", "play Bread", "play Coffee", "play Stadium")
    assert x.unit(0) == ("Walker", 1, 3) and "Active Zone: Walker 9 (2)/1/3" in x.game.text(x.s)
    y = odd(["Walker /d"], ["Walker /d"], land=("", "Garden"), hands=("Pitfall", "Pitfall"), decks=("Stew", "Stew"))
    assert y.hurt(1, 0, df=0, hp=9).do("to the Battle", "end the turn").unit(1) == ("Walker", 2, 9)


def test_the_number_of_a_hook() -> None:
    """RT-C3."""
    x = attack(odd(["Walker"], ["Walker"], traps=("", "Pitfall"))).do("play Pitfall")
    assert x.unit(0) == ("Walker", 2, 9 - 4 - 2) and x.unit(1) == ("Walker", 2, 7)


@pytest.mark.parametrize(
    ("trap", "mine", "steps"),
    [
        ("Ambush", "Pitfall", ("to the Battle", "attack")),
        ("Refusal", "Coffee, Pitfall", ("play Coffee",)),
        ("Objection", "Rumour, Pitfall", ("play Rumour",)),
    ],
)
def test_a_trap_of_the_hand_answers_as_a_set_one(trap: str, mine: str, steps: tuple[str, ...]) -> None:
    """RT-C3: it costs its Energy, and goes from the hand to Purgatory."""
    x = odd(["Walker"], ["Walker"], hands=(mine, f"{trap}, {trap}"), energy=(10, 3)).do(*steps)
    assert x.s["to_play"] == 1 and x.legal == [f"play {trap}", "no answer"]
    x.do(f"play {trap}", *["no answer"] * (trap == "Ambush"))  # the other Ambush could still answer the attack
    assert x.gone(1) == [trap] and x.hand(1) == [trap] and x.s["ready"][1] == 3 - (trap == "Ambush")
    assert x.unit(1) == ("Walker", 2, 9) and x.ip == (20, 20) and not x.s["boost"].any()


def test_a_set_trap_is_used_before_one_of_the_hand() -> None:
    """RT-C3, RT-G18: if it may be used already."""
    for rule, left in (("at_once", 1), ("next_turn", 0)):
        x = odd(["Walker"], ["Walker"], hands=("Pitfall", "Ambush"), traps=("", "Ambush"), set_traps=rule)
        x.s["set_in"][1][0] = 9  # set this turn
        attack(x).do("play Ambush", *["no answer"] * left)
        assert x.s["hand_size"][1] == left and (x.s["trap"][1][0] < 0) == (left == 1) and x.gone(1) == ["Ambush"]


def test_a_trap_of_the_hand_needs_its_energy() -> None:
    """RT-C3."""
    x = attack(odd(["Walker"], ["Walker"], hands=("Pitfall", "Ambush"), energy=(0, 0)))
    assert x.s["decision"] != S.D_ANSWER and x.unit(1) == ("Walker", 2, 7)
