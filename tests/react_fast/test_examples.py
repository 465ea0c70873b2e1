"""The worked examples of the rulebook, as golden positions."""

import pytest

from react_env.games.react_fast import state as S
from tests.react_fast.tables import Position, cards


@pytest.mark.parametrize(("below", "slapped"), [("6c", False), ("5c", True)])
def test_two_folded_fives_count_as_one(below: str, slapped: bool) -> None:
    """Example 1: of two folded 5s only the upper one exists, so they make no pair on a 6, but do on a 5 (RF-V5)."""
    at = Position(below, "5j 5g 9c 9a", "2c", own={"C4": 0}, used=("C4",))
    at.s["folds"][1] = 1
    at.window().window(0)
    assert ("player_0 slaps the pile at 5 of Gems" in at.log) == slapped


def test_upper_cards_of_two_folds_make_a_pair() -> None:
    """Example 2: 6 and 4 folded, then 3 and 4 folded: a slap situation (RF-V5)."""
    at = Position("6c 4c 9c", "3j 4g 9j", own={"C4": 0})
    at.s["folds"] = 1
    at.do("activate nothing").window()
    assert at.pile == cards("6c 4c 3j 4g")
    at.window(0)
    assert "player_0 slaps the pile at 4 of Gems" in at.log and "player_0 takes the pile of 4 cards" in at.log


def test_of_folded_chance_cards_only_the_upper_one_is_passed_on() -> None:
    """Example 3: J and K folded answer a K, and pass on the three chances of a K (RF-V5)."""
    at = Position("Jc Kc 9c", "2c 3c 4c 6c", own={"C4": 0})
    at.s["folds"][0] = 1
    at.do("activate nothing").window()
    assert (at.s["chance"], at.s["remaining"]) == (0, 2)  # the first card has used one of three chances
    assert at.pile == cards("Jc Kc 2c")


@pytest.mark.parametrize(
    ("deck", "placed", "out"),
    [
        ("2c 3c 4c", "2c 3c", ""),
        ("2c 3c", "2c 3c", ""),
        ("2c J2 G6 3c 4c", "2c 3c", "J2 G6"),
        ("2c", "2c", ""),
        ("2c A8", "2c", "A8"),
    ],
)
def test_two_cards_are_folded_or_the_last_one_is_placed(deck: str, placed: str, out: str) -> None:
    """RF-V5: traveling cards between the two are laid out first."""
    at = Position("9c", deck, "5a 6a")
    at.s["folds"][1] = 1
    at.window()
    assert at.pile == cards(f"9c {placed}") and all(at.owner(name) == (1, False) for name in out.split())
    assert at.log[-1] == "player_1 places " + ("3 of Coins on a folded card" if " " in placed else "2 of Coins")


def test_who_plays_the_turn_of_another_folds_as_well() -> None:
    """RF-V5: if Coins #5 makes the target of Coins #4 play, it places two cards; if the user of Coins #5 is that target, nobody folds."""
    at = Position("2c 3c", "5c 6c 8c", own={"C5": 0})
    at.s["folds"][1] = 1
    assert at.do("Coins #5 on player_1").pile == cards("5c 6c")
    at = Position("2c 3c", "5c 6c 8c", own={"C5": 0})
    at.s["folds"][0] = 1
    assert at.do("Coins #5 on player_1").pile == cards("5c")


def test_a_target_of_coins_5_plays_the_turn_and_the_order_goes_on() -> None:
    """Example 4: in the order A, B, C, D, B targets A: A plays, then C, D and A (RF-V6)."""
    at = Position("2c 3c 4c", "5c 6c", "7c 8c", "9c 10c", own={"C5": 1}, turn_of=1)
    at.do("Coins #5 on player_0")
    for _ in range(3):
        at.window()
    placed = [line for line in at.log if "places" in line]
    assert placed == [
        "player_0 places 2 of Coins",
        "player_2 places 7 of Coins",
        "player_3 places 9 of Coins",
        "player_0 places 3 of Coins",
    ]


def test_a_chance_card_of_a_coins_5_turn_belongs_to_the_user() -> None:
    """RF-V6: the target plays a J for player 1, who wins the pile when player 2 fails."""
    at = Position("Jc 3c 4c", "5c 6c", "7c 8c", own={"C5": 1}, turn_of=1)
    at.do("Coins #5 on player_0").window().window()
    assert "player_1 takes the pile of 2 cards" in at.log


def test_who_skips_a_chance_does_not_get_it() -> None:
    """Example 5: A plays a chance card, B skips, C fails: A takes the pile (RF-V9)."""
    at = Position("Jc 2c", "3c 4c", "5c 6c", own={"A8": 1})
    at.s["skipper"][1] = 1
    at.window()
    assert at.legal == ["play the turn", "skip the turn"]
    at.do("skip the turn").window()
    assert "player_1 skips the turn" in at.log and "player_0 takes the pile of 2 cards" in at.log


def test_suits_count_from_the_card_after_jewelry_3() -> None:
    """Example 6: a pair of suits that already lies there is ignored; a third card of the suit may be slapped (RF-V4)."""
    at = Position("4c 2a", "9j 9a", own={"J3": 0}, pile="2c 3c")
    at.do("Jewelry #3")
    assert "slap" in at.legal and at.s["suits"] == 1
    at.window(1)
    assert "player_1 slaps the pile at 4 of Coins" in at.log
    at = Position("4c 2a", "9a 9j 6a 7a", own={"J3": 0}, pile="2c 3a").do("Jewelry #3")
    assert at.window(1).s["penalties"][1] == 1  # Coins on Artifacts is no pair of suits


def test_jewelry_2_adds_a_chance_to_the_card_that_lies_there() -> None:
    """Example 7: activated right after a chance card, it adds one chance (RF-V3)."""
    at = Position("2c 3c 4c", "5a 6a", own={"J2": 0}, chance=(1, 2), pile="Qg")
    at.do("Jewelry #2")
    at.window()
    assert at.s["remaining"] == 1  # three chances, less the two cards on the pile
    at.window().window()
    assert "player_1 takes the pile of 4 cards" in at.log


def test_jewelry_2_adds_a_chance_to_the_cards_that_follow() -> None:
    """RF-V3: every chance card of the round has one chance more, also one on top of a heap."""
    at = Position("2c 3c 4c 6c", "Ja 6a Qa 8a", own={"J2": 0}).do("Jewelry #2").window()
    assert (at.s["chance"], at.s["remaining"]) == (1, 2)
    at.window().window().window()
    assert "player_1 takes the pile of 4 cards" in at.log
    at = Position("2c 4c Kc 6c", "7a 8a", own={"J2": 0, "G6": 1}).do("Jewelry #2").window().do("Gems #6")
    assert at.pile == cards("2c 4c Kc") and (at.s["chance"], at.s["remaining"]) == (0, 4)


def test_jewelry_2_adds_nothing_to_a_card_under_others() -> None:
    """RF-V3: a chance card gets one chance more if the card is activated right after it, but not when the chances are taken over."""
    at = Position("Kc 9c 9a", "2c", "3a 4c 5a 6g 7c", own={"J2": 2}).window().window()
    assert at.log[-1] == "player_1 places 2 of Coins" and at.s["remaining"] == 2
    at.do("Jewelry #2")
    assert at.log[-1] == "player_2 places 3 of Artifacts" and at.s["remaining"] == 1
    at.window().window()
    assert "player_0 takes the pile of 4 cards" in at.log


@pytest.mark.parametrize(("last", "owner", "chances"), [("9a", S.NOBODY, 0), ("Ka", 1, 3)])
def test_gems_6_cancels_a_chance_unless_its_top_is_one(last: str, owner: int, chances: int) -> None:
    """Example 8: the heap of Gems #6 breaks out of a chance, unless its own top is a chance card (RF-V7)."""
    at = Position("2c 3c 4c", f"5a {last} 7a", own={"G6": 0}, chance=(1, 2), pile="Qg")
    at.do("Gems #6")
    assert (at.s["chance"], at.s["remaining"]) == (owner, chances)
    assert at.pile == cards(f"Qg 5a {last}")


def test_the_suit_win_comes_before_the_effect() -> None:
    """Example 9: the fourth suit wins at once; Gems #6 takes no cards (RF-W4)."""
    at = Position("2c 3c", "5a 6a", own={"J2": 0, "C4": 0, "A8": 0, "G6": 0}, used=("J2", "C4", "A8"))
    at.do("Gems #6")
    assert at.s["over"] == 1 and at.s["reward"].tolist() == [1, -1]
    assert at.pile == [] and len(at.deck(1)) == 2
    assert at.log[-2:] == ["player_0 has used traveling cards of all suits", "player_0 wins"]


def test_a_needed_card_that_makes_a_pair_gives_both() -> None:
    """Example 10: the first to slap gets both the traveling card and the pile (RF-L5)."""
    at = Position("6g 2c", "5a 6a", own={"G6": 1}, used=("G6",), pile="6j")
    at.window(0)
    assert at.owner("G6") == (0, False) and "player_0 takes the pile of 2 cards" in at.log


def test_traveling_cards_of_the_loser_arrive_unused() -> None:
    """Example 11: a player who is out gives its traveling cards to the winner of the round, unused (RF-W2)."""
    at = Position("Jc 2c", "3c", "4c 6c", own={"G7": 1}, used=("G7",))
    at.window().window()
    assert at.owner("G7") == (0, False) and "player_1 is out" in at.log
