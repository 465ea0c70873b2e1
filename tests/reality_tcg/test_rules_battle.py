"""Edge cases of battles in Reality TCG: the last HP and IP, who is saved, who waits and who may move up."""

from __future__ import annotations

from typing import Any

import pytest

from react_env.games.reality_tcg import state as S
from tests.reality_tcg.positions import Position

DECK = "Boxer, Boxer, Boxer, Boxer, Boxer, Boxer"


def attack(x: Position) -> Position:
    return x.do("to the Battle", "attack")


# -- the last IP and the last HP ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("mine", "reward"), [(4, None), (3, [-1, 1]), (2, [-1, 1])])
def test_the_attackers_last_ip(mine: int, reward: list[int] | None) -> None:
    """RT-W1, RT-B6: three damage go beyond the attacker's HP and cost its player IP; with one IP left the game goes on."""
    x = attack(Position(["Street Runner"], ["Captain"], hands=("Coach", ""), ip=(mine, 20)))
    assert (x.s["reward"].tolist() if x.s["over"] else None) == reward and x.ip == (max(mine - 3, 0), 20)


@pytest.mark.parametrize(("theirs", "reward"), [(6, None), (5, [1, -1]), (4, [1, -1])])
def test_the_defenders_last_ip(theirs: int, reward: list[int] | None) -> None:
    """RT-W1, RT-B3: a direct attack with ATK 5."""
    x = attack(Position(["Captain"], hands=("Coach", ""), ip=(1, theirs)))
    assert (x.s["reward"].tolist() if x.s["over"] else None) == reward and x.ip == (1, max(theirs - 5, 0))


def test_one_hp_is_enough_to_stay() -> None:
    """RT-B6: here the other Character is destroyed."""
    x = attack(Position(["Captain"], ["Delivery Rider"]))
    assert x.unit(0) == ("Captain", 3, 1) and x.unit(1) is None and x.s["locked"].tolist() == [0, 0]
    y = attack(Position(["Delivery Rider"], ["Boxer"], hands=("Coach", "")))
    assert y.unit(0) is None and y.unit(1) == ("Boxer", 2, 1) and y.s["refills"] == 0


def test_damage_to_def_alone() -> None:
    """RT-B5: damage that DEF holds reaches neither HP nor IP, and nothing touches the Back Row."""
    x = attack(Position(["Captain"], ["Night Watch /d", "Boxer /d"]))
    assert x.unit(1) == ("Night Watch", 0, 3) and x.unit(1, 1) == ("Boxer", 2, 4) and x.ip == (20, 20)
    y = attack(Position(["Boxer"], ["Night Watch /d"]))
    assert y.unit(1) == ("Night Watch", 1, 3)


def test_nothing_but_the_active_character_strikes_back() -> None:
    """RT-B3, RT-B4: no Character of the Back Row does, and in a direct attack nobody."""
    x = attack(Position(["Captain"], ["-", "Headliner"], ip=(20, 20)))
    assert x.unit(0) == ("Captain", 3, 4) and x.ip == (20, 15) and x.unit(1, 1) == ("Headliner", 4, 7)


# -- who is saved ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruling", ["always", "in_battles", "never"])
@pytest.mark.parametrize("falls", [0, 1])
def test_food_before_one_of_two_falls(falls: int, ruling: str) -> None:
    """RT-G27: the attacker or the defender is saved, while the other has HP left."""
    units: dict[str, Any] = {"mine": ["Captain"], "theirs": ["Delivery Rider"]}
    if falls == 0:
        units = {"mine": ["Delivery Rider"], "theirs": ["Boxer"]}
    hands = ("Coach, Hot Soup", "") if falls == 0 else ("Coach", "Hot Soup")
    x = attack(Position(**units, hands=hands, food_saves=ruling))
    asked = x.s["decision"] == S.D_ANSWER
    assert asked == (ruling != "never")
    if asked:
        assert x.s["to_play"] == falls and x.unit(falls) == ("Delivery Rider", 1, 0)
        x.do("play Hot Soup")
        assert x.unit(falls) == ("Delivery Rider", 1, 3) and x.s["locked"].tolist() == [0, 0]
    else:
        assert x.unit(falls) is None


@pytest.mark.parametrize(("ruling", "first"), [("non_active", 1), ("active", 0)])
def test_who_may_save_first(ruling: str, first: int) -> None:
    """RT-G19, RT-G27: the player whose turn it is not, as with any answer, or by the option the other."""
    hands = ("Coach, Hot Soup", "Hot Soup")
    x = attack(Position(["Captain"], ["Boxer"], hands=hands, answers_first=ruling))
    assert x.unit(0) == ("Captain", 3, 0) and x.unit(1) == ("Boxer", 2, 0)
    assert x.s["to_play"] == first
    x.do("no answer")
    assert x.s["to_play"] == 1 - first
    x.do("play Hot Soup")  # then the first is asked again
    assert x.s["to_play"] == first and x.s["decision"] == S.D_ANSWER
    x.do("no answer")
    assert x.unit(first) is None and x.unit(1 - first) is not None


def test_food_that_gives_no_hp_saves_nobody() -> None:
    """RT-G27."""
    x = attack(Position(["Captain"], ["Delivery Rider"], hands=("Coach", "Energy Bar")))
    x.do("no answer")
    assert x.s["decision"] == S.D_ANSWER and x.unit(1) == ("Delivery Rider", 1, 0)
    assert x.do("play Energy Bar").unit(1) is None


# -- who waits, and who may move up ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [1, 2, 3])
def test_each_place_of_the_back_row_may_move_up(place: int) -> None:
    """RT-B7: the Character brings its damage and its position along."""
    theirs = ["Street Runner", "-", "-", "-"]
    theirs[place] = "Coach /d"
    x = attack(Position(["Champion"], theirs).hurt(1, place, df=1, hp=2))
    assert x.s["to_play"] == 1 and x.legal == ["nobody", f"choose Back Row {place} (Coach)"]
    x.do("choose Back Row")
    assert x.unit(1) == ("Coach", 1, 2) and x.unit(1, place) is None and x.s["position"][1][0] == S.DEFENSE
    y = attack(Position(["Champion"], theirs, hands=("Coach", ""))).do("nobody")
    assert y.unit(1) is None and y.s["to_play"] == 0 and y.s["phase"] == S.P_TACTIC_2


def test_who_may_not_move_up_is_not_asked() -> None:
    """RT-B7: nobody stands behind, or the attacker was destroyed in its own attack."""
    assert attack(Position(["Champion"], ["Street Runner"], hands=("Coach", ""))).s["to_play"] == 0
    x = attack(Position(["Street Runner", "Boxer"], ["Captain", "Coach"], hands=("Coach", "")))
    assert x.s["to_play"] == 0 and x.s["decision"] == S.D_TACTIC and x.unit(0) is None


def test_who_waits_summons_to_the_back_row_alone() -> None:
    """RT-B8: a full Back Row takes nobody."""
    x = attack(Position(["Street Runner", "Boxer", "Boxer"], ["Captain"], hands=("Coach, Gate Guard", "")))
    x.do("play Coach")
    assert [text[:15] for text in x.legal] == ["to the Back Row"] * 2
    x.do("to the Back Row, attack")
    assert "play Gate Guard" not in x.legal and not any("switch" in text for text in x.legal)


def test_both_wait_only_if_both_are_destroyed() -> None:
    """RT-G15: the option changes nothing for a defender whose Character stands, or falls alone."""
    here = {"hands": ("Coach", ""), "both_destroyed": "both_wait"}
    x = attack(Position(["Street Runner"], ["Captain"], **here))  # type: ignore[arg-type]
    assert x.s["locked"].tolist() == [1, 0]
    y = attack(Position(["Champion"], ["Street Runner", "Boxer"], **here))  # type: ignore[arg-type]
    assert y.s["locked"].tolist() == [0, 0] and y.s["decision"] == S.D_REFILL


def test_a_wait_ends_once() -> None:
    """RT-G15: a player who moved nobody up after the opponent's attack may switch or summon in its turn, and is not asked again."""
    x = attack(Position(["Street Runner", "Boxer"], ["Captain"], hands=("Coach", "Coach"), decks=(DECK, DECK)))
    x.do("end the turn", "to the Battle", "attack", "nobody", "end the turn")
    assert x.s["whose"] == 0 and x.s["decision"] == S.D_TACTIC and "switch with Back Row 1 (Boxer)" in x.legal
    x.do("play Coach")
    assert any(text.startswith("to the Active Zone") for text in x.legal)


def test_a_move_up_after_the_wait_is_no_switch() -> None:
    """RT-G15, RT-G12: the move comes as the player's turn begins; after it there is still a switch, which SPD allows."""
    x = Position(["-", "Sprinter", "Boxer"], ["Captain"], hands=("Coach", ""), decks=(DECK, DECK))
    x.s["whose"], x.s["to_play"], x.s["locked"][0] = 1, 1, 1
    x.s["hand"][1][list(x.game.action_names).index("Coach")] += 1
    x.s["hand_size"][1] += 1
    x.do("to the Battle", "no attack", "end the turn")
    assert x.s["decision"] == S.D_REFILL and x.s["to_play"] == 0 and x.hand(0) == ["Coach"]  # that is before the draw
    x.do("choose Back Row 1")
    assert x.hand(0) == ["Boxer", "Coach"] and "switch with Back Row 2 (Boxer)" in x.legal


def test_an_active_character_lost_to_a_card_may_be_replaced_in_the_own_turn() -> None:
    """RT-G14: a switch or a summon replaces it; its player does not wait."""
    x = Position(["Boxer"], ["Street Runner", "Boxer"], hands=("Cheap Shot, Coach", "Coach"), decks=(DECK, DECK))
    x.do("play Cheap Shot", "to the Battle", "attack")  # a direct attack
    assert x.ip == (20, 16) and x.s["decision"] == S.D_TACTIC and x.s["locked"].tolist() == [0, 0]
    x.do("end the turn")
    assert x.s["whose"] == 1 and "switch with Back Row 1 (Boxer)" in x.legal
    x.do("play Coach")
    assert any(text.startswith("to the Active Zone") for text in x.legal)


def test_an_effect_that_goes_beyond_hp_costs_whom_it_hits() -> None:
    """RT-G16: the option applies to a Maneuver and to a Trap."""
    x = Position(["Boxer"], ["Boxer"], hands=("Cheap Shot, Coach", ""), effect_overflow=True).hurt(1, 0, df=2, hp=1)
    assert x.do("play Cheap Shot").ip == (20, 19)
    y = Position(["Boxer"], ["Boxer"], traps=("", "Counter Hook"), hands=("Coach", ""), effect_overflow=True)
    attack(y.hurt(0, 0, df=2, hp=1)).do("play Counter Hook")
    assert y.ip == (18, 20) and y.unit(0) is None and y.s["locked"].tolist() == [1, 0]
    z = attack(Position(["Boxer"], ["Boxer"], traps=("", "Counter Hook"), hands=("Coach", "")).hurt(0, 0, df=2, hp=1))
    assert z.do("play Counter Hook").ip == (20, 20)


def test_what_waits_on_the_chain_when_the_game_ends_never_happens() -> None:
    """RT-W1, RT-G19: here an attack, after a Trap has taken the attacker's last IP by the option."""
    x = Position(["Captain"], ip=(1, 1), traps=("", "Counter Hook"), hands=("Coach", ""), effect_overflow=True)
    attack(x.hurt(0, 0, df=3, hp=2)).do("play Counter Hook")
    assert x.s["over"] == 1 and x.s["reward"].tolist() == [-1, 1] and x.ip == (0, 1)
    assert not any(line.startswith("on the chain") for line in x.game.status_lines(x.s))


def test_a_log_says_how_much_it_no_longer_holds() -> None:
    """Past bug: turns without a choice brought more events in one step than a record holds, and the first were lost without a word."""
    x = Position(["Boxer"], ["Boxer"], turn=61).do("to the Battle", "attack")
    count, lines = x.game.event_count(x.s), x.game.log_lines(x.s, 1)
    assert x.s["over"] and count > 200
    assert lines[0] == f"({count - 33} more, which are no longer kept)" and len(lines) == 33
    assert len(x.game.log_lines(x.s)) == 32
