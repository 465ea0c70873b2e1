"""The rules of React Fast, by the ids of docs/react_fast/rules.yaml."""

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from react_env.engine.game import Game
from react_env.errors import OptionError
from react_env.games.react_fast import state as S
from react_env.games.react_fast.game import load
from react_env.games.react_fast.log import E_ACTIVATE, E_CUT, E_PLACE, E_WIN
from react_env.games.react_fast.rules import Profile, RulesConfig, load_profile, profiles
from tests.react_fast.tables import Position, card, cards, with_any_record


@cache
def setup(players: int, **options: Any) -> Game:
    """A game whose first decision is a stance, before any card."""
    return load(players=players, mode="skill", **options)


def dealt(players: int, seed: int, **options: Any) -> tuple[list[list[int]], list[int]]:
    """The decks from the top, as they were dealt, and the pile."""
    s = setup(players, **options).new(seed=seed)
    decks = [
        [int(s["deck"][p][(s["head"][p] + i) % S.CARDS]) & S.CARD_BITS for i in range(s["size"][p])]
        for p in range(players)
    ]
    return decks, [int(code) & S.CARD_BITS for code in s["pile"][: s["pile_size"]]]


# The engine is compiled for each number of players.
@pytest.mark.parametrize("players", [2, 3, 4, *(pytest.param(n, marks=pytest.mark.long) for n in (5, 6, 7)), 8])
def test_all_cards_are_dealt_equally_and_traveling_cards_evenly(players: int) -> None:
    """RF-S1, RF-G2, RF-G3, RF-G6: there are 60 cards; those left over are playing cards, and lie on the pile."""
    for seed in range(30):
        decks, pile = dealt(players, seed)
        assert sorted(sum(decks, pile)) == list(range(S.CARDS))
        assert {len(deck) for deck in decks} == {60 // players} and len(pile) == 60 % players
        traveling = [sum(c >= S.PLAYING for c in deck) for deck in decks]
        assert max(traveling) - min(traveling) <= 1 and all(c < S.PLAYING for c in pile)


def test_a_pure_shuffle_spreads_traveling_cards_by_chance() -> None:
    """RF-G2: the option `pure_shuffle`."""
    counts = Counter(sum(c >= S.PLAYING for c in dealt(4, seed, deal="pure_shuffle")[0][0]) for seed in range(200))
    assert len(counts) > 3
    for seed in range(20):
        assert all(c < S.PLAYING for c in dealt(8, seed, deal="pure_shuffle")[1])


def test_a_pure_shuffle_puts_traveling_cards_anywhere() -> None:
    """RF-G2, RF-G3 (past bug): in half of all games of eight, a traveling card due to be left over went to the bottom of the last deck."""
    count = sum(dealt(8, seed, deal="pure_shuffle")[0][7][-1] >= S.PLAYING for seed in range(140))
    assert 8 < count < 36  # 20 on average


def test_traveling_cards_come_to_all_seats_and_places() -> None:
    """RF-G2: dealt from a random seat, any of them may lie anywhere in a deck."""
    fewer, places, where, together = set(), set(), set(), set()
    for seed in range(150):
        decks, _ = dealt(3, seed)
        fewer.add(min(range(3), key=lambda p: sum(c >= S.PLAYING for c in decks[p])))
        places |= {i for deck in decks for i, c in enumerate(deck) if c >= S.PLAYING}
        where |= {(p, c) for p, deck in enumerate(decks) for c in deck if c >= S.PLAYING}
        together |= {tuple(sorted(c for c in deck if c >= S.PLAYING)) for deck in decks}
    assert (len(fewer), len(places), len(where)) == (3, 20, 3 * S.TRAVELING)
    assert len(together) > 50  # of the 84 possible pairs and threes


@pytest.mark.parametrize("suit", ["gems", "coins"])
def test_the_highest_bottom_card_begins(suit: str) -> None:
    """RF-S2, RF-G4: aces are high, the suit breaks ties with Gems highest; a traveling card at the bottom is passed over."""
    order = [0, 1, 2, 3] if suit == "gems" else [3, 2, 1, 0]
    for seed in range(60):
        s = setup(8, highest_suit=suit).new(seed=seed)
        decks, _ = dealt(8, seed, highest_suit=suit)
        bottoms = [next(c for c in reversed(deck) if c < S.PLAYING) for deck in decks]
        best = max(range(8), key=lambda p: (bottoms[p] % 13, order[bottoms[p] // 13]))
        assert s["whose"] == best


@pytest.mark.parametrize("shown", ["public", "hidden"])
def test_bottom_cards_are_remembered(shown: str) -> None:
    """RF-G5: everybody knows the cards that were held up."""
    s = load(players=4, mode="skill", bottom_cards=shown).new(seed=3)
    known = [sum(int(code) & S.KNOWN > 0 for code in s["deck"][p][: s["size"][p]]) for p in range(4)]
    assert known == [1 if shown == "public" else 0] * 4


def test_what_is_left_over_has_no_face() -> None:
    """RF-G3: nothing pairs with it, unless the option says so."""
    s = load(players=8, mode="skill").new(seed=1)
    assert s["face"] == S.NOTHING
    assert s["blind"] == s["pile_size"] == 4
    s = load(players=8, mode="skill", remainder_face=True).new(seed=1)
    assert int(s["pile"][3]) == s["face"] | S.KNOWN and s["blind"] == 3


def test_a_number_card_passes_the_turn() -> None:
    """RF-T1: clockwise, one card each."""
    at = Position("2c 5c", "3c 6c", "4c 7c")
    at.window().window().window()
    assert at.pile == cards("2c 3c 4c 5c") and at.s["whose"] == 0


@pytest.mark.parametrize(("name", "chances"), [("Jc", 1), ("Qc", 2), ("Kc", 3), ("Ac", 4)])
def test_chances_by_card(name: str, chances: int) -> None:
    """RF-T2, RF-T3: J gives 1 chance, Q 2, K 3, A 4; a player who fails loses the pile to the owner."""
    at = Position(f"{name} 2c", "2a 4a 6a 8a 10a 3a")
    at.window()
    assert (at.s["chance"], at.s["remaining"]) == (0, chances - 1)
    for _ in range(chances):
        at.window()
    assert f"player_0 takes the pile of {chances + 1} cards" in at.log and at.s["whose"] == 0
    assert at.deck(0)[-1] != card("2c")


def test_a_chance_card_is_answered_by_a_chance_card() -> None:
    """RF-T2: the round goes on with the new chance card, and the next player has to answer it."""
    at = Position("Ac 2c", "2a Ja 6a", "3g 4g")
    at.window().window()
    assert (at.s["chance"], at.s["remaining"], at.s["whose"]) == (1, 1, 1)
    at.window()
    assert at.s["whose"] == 2


def test_a_pile_goes_under_the_deck_in_its_order() -> None:
    """RF-T6: the first card placed is drawn first."""
    at = Position("5c 9c", "5a 8a")
    at.window().window(1)
    assert at.s["whose"] == 1 and at.deck(1) + at.pile == cards("5c 5a 8a")[:2] + cards("8a")


def test_a_round_begins_with_an_empty_pile() -> None:
    """RF-T6, RF-L1: a card is not compared with what lay on the pile before."""
    at = Position("2c 9c 2g", "3a 8a 2a 6a 7a 4j 4g", own={"J2": 0}).do("activate nothing")
    at.window(1).window(0)  # a slap in vain puts two cards without a face under the pile; then the twos are slapped
    assert "player_0 takes the pile of 4 cards" in at.log and at.s["decision"] == S.D_ACTIVATE
    for name in ("face", "before", "chance", "blind", "heap"):
        assert at.s[name] == (0 if name in ("blind", "heap") else S.NOTHING), name
    at = Position("5c 9c 2a", "5a 5g 3a 4a").window().window(1)
    assert at.pile == cards("5g") and at.window(0).s["penalties"][0] == 1


def asked(at: Position) -> list[int]:
    """The players who commit in this window, in order; all of them hold."""
    order, placed = [], at.s["placed"]
    while at.s["decision"] == S.D_SLAP and at.s["placed"] == placed:
        order.append(int(at.s["to_play"]))
        at.do("hold")
    return order


def test_all_commit_in_a_window_asked_in_the_order_of_turns() -> None:
    """RF-R1, RF-G22: even players without cards commit; `together` marks those who have not committed yet."""
    at = Position("2c 9c", "3a 5a", "4g", turn_of=2)
    assert at.game.together(at.s).tolist() == [True, True, True]
    at.do("hold")
    assert at.game.together(at.s).tolist() == [True, True, False]
    assert asked(at) == [0, 1] and asked(at) == [0, 1, 2]


@pytest.mark.parametrize("name", ["7", "J", "A"])
def test_a_pair_is_two_cards_of_one_number(name: str) -> None:
    """RF-L1: chance cards make pairs, too; equal suits do not, and neither does the first card of a pile."""
    at = Position(f"2c {name}c 3c 4c 5c", f"{name}g 3g 4g").window().window()
    assert f"player_0 slaps the pile at {name} of Coins" in at.window(0).log
    at = Position(f"{name}c 9c 2c", "4c 5c").window(1)
    assert at.s["penalties"].tolist() == [0, 1]
    at = Position("4c 9c 2c", "5c 6c 7c").window().window(0)
    assert at.s["penalties"].tolist() == [1, 0]


def test_only_the_first_slap_takes_the_pile() -> None:
    """RF-L1, RF-R1, RF-G10: later slaps of the same window are ignored."""
    at = Position("5c 9c 2c", "5a 8a 2a", "2g 3g")
    at.window().window(1, 2)
    assert "player_1 takes the pile of 2 cards" in at.log and at.s["penalties"].tolist() == [0, 0, 0]
    at = Position("5c 9c 2c", "5a 8a 2a", "2g 3g 4g", late_slaps="penalised")
    at.window().window(1, 2)
    assert at.s["penalties"].tolist() == [0, 0, 1]


def test_a_slap_in_vain_costs_two_cards() -> None:
    """RF-L3, RF-G14: the cards go unseen from the top of the deck to the bottom of the pile, and play goes on."""
    at = Position("2c 9c 8c", "3a 8a 7a 6a")
    at.window(1)
    assert at.pile == cards("8a 3a 2c 7a") and at.s["blind"] == 2 and at.s["penalties"].tolist() == [0, 1]
    assert not any(int(code) & S.KNOWN for code in at.s["pile"][:2])
    seen = Position("2c 9c 8c", "3a 8a 7a 6a", penalty_cards="seen").window(1)
    assert all(int(code) & S.KNOWN for code in seen.s["pile"][:2])


@pytest.mark.parametrize(("name", "words"), [("J2", "Jewelry #2"), ("A9", "Artifacts #9")])
def test_penalty_cards_pass_over_traveling_cards(name: str, words: str) -> None:
    """RF-G26: traveling cards among them are laid out before their owner."""
    at = Position("2c 9c", f"3a {name} 7a 6a").window(1)
    assert at.owner(name) == (1, False) and at.pile[:2] == cards("7a 3a")
    assert f"player_1 turns up {words}" in at.log and "player_1's hand lands in vain and costs 2 cards" in at.log


def test_the_heap_passes_over_traveling_cards() -> None:
    """RF-G26: they are laid out before the player who gives, who gives two other cards."""
    at = Position("2c 3c", "4a G7 6a 8a", own={"G6": 0}).do("Gems #6")
    assert at.owner("G7") == (1, False) and at.pile == cards("4a 6a") and at.deck(1) == cards("8a")


def test_who_has_no_card_pays_what_there_is() -> None:
    """RF-G16: that may be one card, or none; with `lock_out` a player who has none may not slap until the round ends."""
    at = Position("2c 9c 8c", "3a").window(1)
    assert at.pile[:2] == cards("3a 2c") and at.s["size"][1] == 0
    at.window(1)
    assert at.s["penalties"][1] == 2 and at.s["locked"][1] == 0
    at = Position("2c 9c 8c 7g", "3a", lock_out=True).window(1).window(1)
    assert at.s["locked"][1] == 1
    at.window()
    assert at.s["to_play"] == 0


def test_who_is_locked_out_is_not_asked_until_the_round_ends() -> None:
    """RF-G16: a player who was locked out and wins that round may slap again in the next one."""
    at = Position("2c 9c", "Ja", "4g 5g 6g", lock_out=True).window().window(1)
    assert at.s["locked"].tolist() == [0, 1, 0] and at.game.together(at.s).tolist() == [True, False, True]
    assert asked(at) == [2, 0]
    assert "player_1 takes the pile of 3 cards" in at.log and not at.s["locked"].any() and asked(at) == [1, 2, 0]


@pytest.mark.parametrize("deck", ["3a 5a 7a", "3a 5a", "3a"])
def test_only_who_has_no_card_is_locked_out(deck: str) -> None:
    """RF-G16: with `lock_out` a player who still has a card pays and may slap again."""
    at = Position("2c 9c 8c 7g", deck, "4a 6a 8a", lock_out=True, turn_of=2).window(1)
    assert at.s["penalties"][1] == 1 and at.s["locked"].tolist() == [0, 0, 0]
    at.window(1)
    assert at.s["penalties"][1] == 2


def test_traveling_cards_come_out_at_the_end_of_a_turn() -> None:
    """RF-T5, RF-G7: they are laid out face up, unused, and never count as a card that was placed."""
    at = Position("2c J2 G7 4c", "3a 5a")
    assert at.owner("J2") == (S.HIDDEN, False)
    at.window()
    assert at.owner("J2") == at.owner("G7") == (0, False) and at.pile == cards("2c 3a")
    assert at.log[1:3] == ["player_0 turns up Jewelry #2", "player_0 turns up Gems #7"]
    assert Position("J2 4c", "3a 5a").owner("J2") == (0, False)


def test_traveling_cards_come_out_of_the_deck_that_was_played() -> None:
    """RF-T5, RF-V6: after a turn of Coins #5 they come out of the target's deck."""
    at = Position("2c J2 3c", "5c 6c", "7c 8c", own={"C5": 1}, turn_of=1).do("Coins #5 on player_0").window()
    assert at.owner("J2") == (0, False) and at.deck(0) == cards("3c")


def test_traveling_cards_come_out_after_a_slapped_pile() -> None:
    """RF-T5: a turn that ends with a slap is over, too."""
    at = Position("5c 9c", "5a G7 3a").window().window(0)
    assert "player_0 takes the pile of 2 cards" in at.log and at.s["whose"] == 0
    assert at.owner("G7") == (1, False) and at.deck(1) == cards("3a")


def test_one_traveling_card_a_turn_before_the_first_card() -> None:
    """RF-V1: it has to be unused, and its owner needs a card in the deck."""
    at = Position("2c 4c", "3a 5a", own={"J2": 0, "J3": 0, "A9": 1}, used=("J3",))
    assert at.legal == ["activate nothing", "Jewelry #2"]
    at.do("Jewelry #2")
    assert at.legal == ["hold", "slap"] and at.owner("J2") == (0, True)
    forbidden = (("Jewelry #2",), ("Jewelry #3",))
    at = Position("2c 4c", "3a 5a", own={"J2": 0, "J3": 0}, forbidden=forbidden)
    assert at.legal == ["activate nothing", "Jewelry #3"]


def test_a_needed_card_is_slapped_for_its_traveling_card() -> None:
    """RF-L4, RF-G1: the first to slap owns it, unused; the pile stays and the round goes on."""
    at = Position("2j 9c", "3a 5a", own={"J2": 0}, used=("J2",))
    at.window(1)
    assert at.owner("J2") == (1, False) and at.pile[0] == card("2j")
    assert "player_1 slaps for Jewelry #2" in at.log
    for slapper in (0, 1):  # an unused one may be slapped for as well; its owner keeps it by being first
        at = Position("2j 9c", "3a 5a", own={"J2": 0}).do("activate nothing").window(slapper)
        assert at.owner("J2") == (slapper, False) and at.s["penalties"].tolist() == [0, 0]
    at = Position("Kg 9c", "3a 5a 4a 6g", own={"J2": 0}, used=("J2",), needed=("K of Gems", *("3 of Coins",) * 7))
    at.window(1)
    assert at.owner("J2") == (1, False)


def test_a_card_that_several_traveling_cards_need_gives_them_all() -> None:
    """RF-L4, RF-G1 (past bug): only the first of them was given."""
    at = Position("Kg 9c", "3a 5a 4a", own={"J2": 0, "A9": 1}, used=("J2", "A9"), needed=("K of Gems",) * 8).window(1)
    assert at.owner("J2") == at.owner("A9") == (1, False) and at.owner("G6") == (S.HIDDEN, False)
    assert at.log[-2:] == ["player_1 slaps for Jewelry #2", "player_1 slaps for Artifacts #9"]


def test_a_hidden_traveling_card_cannot_be_slapped_for() -> None:
    """RF-G24: the card that it needs makes no situation."""
    at = Position("2j 9c", "3a 5a 7a 8a").window(1)
    assert at.s["penalties"][1] == 1


@pytest.mark.parametrize(("given", "heap_slap", "pays"), [("2j 5a", True, 1), ("5a 2j", True, 0), ("5a 2j", False, 1)])
def test_a_needed_card_inside_a_heap_is_none(given: str, heap_slap: bool, pays: int) -> None:
    """RF-G24, RF-G15: on top of a heap it makes one, unless the option says that heaps are not slapped."""
    own = {"G6": 0, "J2": 0}
    at = Position("3c 4c 9c", f"{given} 8a", own=own, used=("J2",), heap_slap=heap_slap).do("Gems #6").window(0)
    assert at.s["penalties"][0] == pays and at.owner("J2") == (0, pays == 1)


@pytest.mark.parametrize(("folded", "pays"), [("2j 5a", 1), ("5a 2j", 0)])
def test_a_needed_card_under_a_folded_one_is_none(folded: str, pays: int) -> None:
    """RF-G24: only the upper card exists."""
    at = Position("9c 4c", f"{folded} 8a", "3g 6g", own={"J2": 0}, used=("J2",))
    at.s["folds"][1] = 1
    at.window().window(0)
    assert at.s["penalties"][0] == pays and at.owner("J2") == (0, pays == 1)


def test_who_runs_out_is_out_at_the_end_of_the_round() -> None:
    """RF-W1, RF-G22: players are not out before; without cards they may still slap."""
    at = Position("5c", "5a 9a", "2g 3g")
    at.window()
    assert at.s["alive"].tolist() == [1, 1, 1]
    at.window(0)
    assert "player_0 takes the pile of 2 cards" in at.log and at.s["alive"].tolist() == [1, 1, 1]


def test_the_next_player_takes_over_chances() -> None:
    """RF-T4, RF-G19, RF-G20: that player gets the chances that are left, as a turn of its own."""
    at = Position("Ac 2c", "2a", "3g 4g 6g", own={"J2": 2})
    at.window().window()
    assert at.s["whose"] == 2 and at.s["remaining"] == 3
    assert at.legal == ["activate nothing", "Jewelry #2"]
    at = Position("Ac 2c", "2a", "3g 4g 6g", own={"J2": 2}, takeover_activates=False)
    at.window().window()
    assert at.s["whose"] == 2 and at.legal == ["hold", "slap"]
    at = Position("Jc 2c", "2a 3a", own={"J2": 1}, takeover_activates=False).window()
    assert at.legal == ["activate nothing", "Jewelry #2"]  # a player who has to answer from the beginning may activate


def test_a_chance_that_is_taken_over_may_be_taken_away() -> None:
    """RF-G20, RF-V10: the turn then takes just one card."""
    at = Position("Ac 2c", "2a", "3g 4g 6g", own={"A9": 2}).window().window().do("Artifacts #9")
    assert at.s["chance"] == S.NOBODY and at.pile == cards("Ac 3g")
    assert at.window().s["whose"] == 0


def until(at: Position, decision: int) -> Position:
    """Let all be ready, hold and go on at the normal pace until they are asked something else, or `decision`."""
    first = True
    while first or at.s["decision"] != decision:
        names = [name for name in ("ready", "hold", "normal pace") if name in at.legal]
        at.do(names[0])
        first = False
    return at


def test_no_stance_is_chosen_for_a_card_that_cannot_come() -> None:
    """RF-R2, RF-T4: a player who runs out of cards in the middle of chances places none."""
    at = until(Position("Ac 2c", "2a", "3g 4g", mode="skill"), S.D_PACE).do("normal pace")
    until(at, S.D_PACE).do("normal pace")
    assert at.pile == cards("Ac 2a") and at.s["decision"] == S.D_STANCE and at.s["whose"] == 2


@pytest.mark.parametrize(
    ("decks", "chance", "paces"),
    [
        (("2c 3c", "4c 5c"), None, 1),  # the next player
        (("2c 3c", "4c 5c"), (1, 2), 0),  # the player with a chance left
        (("2c", "4c 5c", "6c 7c"), (2, 2), 1),  # the player who takes over
        (("2c 3c", "4c 5c", "6c 7c"), (2, 1), 2),  # the player who takes the pile
        (("2c", "", ""), (2, 3), 2),
        (("2c", "", ""), None, 0),
    ],
)
def test_who_acts_next_chooses_the_pace(decks: tuple[str, ...], chance: tuple[int, int] | None, paces: int) -> None:
    """RF-R2: whoever acts next if nobody slaps the pile."""
    at = until(Position(*decks, chance=chance, pile="9g Ag", mode="skill"), S.D_PACE)
    assert at.s["to_play"] == paces


def test_who_plays_the_turn_of_another_chooses_the_pace() -> None:
    """RF-R2, RF-V6: the pace of the next of the chances."""
    at = Position("2c 3c", "4c 5c", "6c 7c", own={"C5": 0}, chance=(1, 3), pile="Kg", mode="skill")
    at.do("Coins #5 on player_2")
    assert until(at, S.D_PACE).s["to_play"] == 2


def test_who_has_a_heap_placed_chooses_the_pace() -> None:
    """RF-R2, RF-V7: that player's own card comes next."""
    at = Position("2c 3c", "4a 6a 8a", "5a 7a 9a", own={"G6": 0}, mode="skill").do("Gems #6")
    assert until(at, S.D_PACE).s["to_play"] == 0


def test_the_player_after_the_user_of_coins_5_takes_over() -> None:
    """RF-G19: if its target runs out of cards in the middle of the turn."""
    at = Position("Ac 2c", "4a 6a", "7j 9j 10j", "3g", own={"C5": 1})
    at.window().do("Coins #5 on player_3").window()
    assert at.pile == cards("Ac 3g 7j") and (at.s["whose"], at.s["actor"]) == (2, 2)
    assert (at.s["chance"], at.s["remaining"]) == (0, 2)


def test_the_target_of_coins_5_plays_on_when_its_user_has_no_cards() -> None:
    """RF-V6: the target plays all the chances from its own deck, though the user has paid its last card."""
    at = Position("2c", "4c 5c 6c", "7c 8c", own={"C5": 0}, chance=(2, 3), pile="Kg")
    at.do("Coins #5 on player_1").window(0)
    assert at.pile == cards("2c Kg 4c 5c") and at.s["whose"] == 0


def test_the_owner_plays_the_own_chances_if_nobody_else_can() -> None:
    """RF-G21: the owner takes the pile after failing."""
    at = Position("Qc 2c 3c 7c", "2a")
    at.window().window()
    assert at.s["whose"] == 0 and at.s["remaining"] == 0
    at.window()
    assert at.s["over"] == 1 and at.s["reward"].tolist() == [1, -1]


def test_nobody_has_cards() -> None:
    """RF-G23: after the last window the owner of the chance card takes the pile, or else the player who placed last."""
    at = Position("2c", "3a")
    at.window().window()
    assert "player_1 takes the pile of 2 cards" in at.log and at.s["over"] == 1
    at = Position("Ac", "3a")
    at.window().window()
    assert "player_0 takes the pile of 2 cards" in at.log
    at = Position("2c", "J2", "3a")
    at.s["size"][2] = 0
    assert "player_0 takes the pile of a card" in at.window().log  # player 1 had a turn, but nothing to place
    assert at.owner("J2") == (0, False)


def test_who_has_the_turn_played_has_placed() -> None:
    """RF-G23, RF-V6: if nobody has cards after a turn of Coins #5, its user takes the pile."""
    at = Position("3a", "5c", own={"C5": 1}, turn_of=1).do("Coins #5 on player_0").window(1)
    assert at.log[-4:] == [
        "player_1's hand lands in vain and costs a card",
        "player_1 takes the pile of 2 cards",
        "player_0 is out",
        "player_1 wins",
    ]


def test_the_last_player_wins_and_the_others_share_the_loss() -> None:
    """RF-W3, RF-W5: zero-sum for any number of players."""
    at = Position("Jc 9c", "2a", "3g", chance=(2, 1))
    at.s["size"][2] = 0
    at.window().window().window()
    assert at.s["over"] == 1 and at.s["reward"].sum() == pytest.approx(0) and at.s["reward"].max() == 1
    assert at.log[-1] == "player_0 wins" and (at.s["chance"], at.s["remaining"]) == (S.NOBODY, 0)


def test_used_cards_of_all_suits_win() -> None:
    """RF-W4, RF-G8: other cards that are unused do not matter, unless the option says so."""
    own = {"J2": 0, "C4": 0, "A8": 0, "G7": 0, "J3": 0}
    assert Position("2c 3c", "4c 5c", own=own, used=("J2", "C4", "A8")).do("Gems #7").s["over"] == 1
    at = Position("2c 3c", "4c 5c", own=own, used=("J2", "C4", "A8"), suit_win="all_used").do("Gems #7")
    assert at.s["over"] == 0
    assert Position("2c 3c", "4c 5c", own=own, used=("J2", "C4")).do("Gems #7").s["over"] == 0
    of_two = {**own, "A8": 1}
    assert Position("2c 3c", "4c 5c", own=of_two, used=("J2", "C4", "A8")).do("Gems #7").s["over"] == 0


def test_a_long_game_is_decided_by_cards() -> None:
    """RF-G9: the most cards win, and equal numbers are a draw."""
    at = Position("2c 3c 7c", "4c 5c", max_placements=1).window()
    assert at.s["over"] == 1 and at.s["reward"].tolist() == [0, 0]
    assert at.log[-2:] == ["the game is cut short", "the game is a draw"]
    at = Position("2c 3c 7c 9c", "4c 5c", max_placements=1).window()
    assert at.s["reward"].tolist() == [1, -1]


@pytest.mark.parametrize(
    ("sizes", "rewards"),
    [((1, 2, 2), [0, 0, 0]), ((2, 2, 1), [0, 0, 0]), ((1, 1, 2), [-0.5, -0.5, 1]), ((2, 1, 1), [1, -0.5, -0.5])],
)
def test_of_three_players_who_has_most_cards_wins(sizes: tuple[int, int, int], rewards: list[float]) -> None:
    """RF-G9: it does not matter how the others compare."""
    decks = [" ".join(f"{n}{suit}" for n in range(4, 4 + size)) for size, suit in zip(sizes, "caj", strict=True)]
    at = Position(f"2g {decks[0]}", *decks[1:], max_placements=1).window()
    assert at.s["reward"].tolist() == rewards


def test_folded_cards_are_one_unit() -> None:
    """RF-G9, RF-V5: two folded cards count once towards `max_placements`."""
    at = Position("2c 3c 7c 9c", "4a 5a 6a 7a", own={"C4": 0}, max_placements=2).do("Coins #4 on player_0").window()
    assert at.s["over"] == 0 and at.pile == cards("2c 3c 4a") and at.window().s["over"] == 1


STEADY = {
    "sigma": 0,
    "tau": 0,
    "place_mu": 600,
    "place_sigma": 0,
    "place_tau": 0,
    "miss": 0.0,
    "alarm": (0.0, 0.0, 0.0),
}


def with_hands(at: Position, *hands: dict[str, Any]) -> Position:
    """The same position, for players with steady hands except where `hands` says otherwise."""
    profiles = [{**STEADY, **hand} for hand in hands]
    at.game = with_any_record(load(**{**at.game.options, "profiles": profiles}))
    return at


def slow(slaps: int) -> Position:
    """A position in which cards come after 600 ms, and a slap of player 1 after `slaps` ms."""
    return with_hands(Position("2c 5c 9c 8c 3c", "3a 5a 7a 6a 4a"), {"mu": 100}, {"mu": slaps})


@pytest.mark.parametrize(("slaps", "lands"), [(600, True), (740, True), (750, True), (760, False)])
def test_a_late_slap_is_held_back_or_lands_on_the_next_card(slaps: int, lands: bool) -> None:
    """RF-G11: from the moment of the next card until 150 ms after it, the hand cannot be stopped."""
    at = slow(slaps).window(1)
    carried = at.s["carry"][1]
    assert (carried == pytest.approx(slaps - 600)) if lands else carried == -1
    at.window()
    assert at.s["penalties"][1] == int(lands)


def test_a_slap_that_comes_after_another_one_is_held_back() -> None:
    """RF-G10, RF-G11: once the traveling card is slapped for, a hand that would land after the next card is held back."""
    at = Position("2j 9c 8c", "3a 5a 7a", own={"J2": 0}).do("activate nothing")
    at = with_hands(at, {"mu": 100}, {"mu": 700}).window(0, 1)
    assert at.s["carry"].tolist() == [-1, -1] and at.window().s["penalties"].tolist() == [0, 0]


def test_the_clock_runs_to_the_next_act_or_to_the_slap() -> None:
    """RF-R1, RF-R5: without chance each act takes the mean of its profile; a hand's mean is multiplied by its player's scale."""
    hand = {"mu": 200, "tau": 100, "place_tau": 150}
    at = with_hands(Position("5c 9c", "5a 8a 7a"), hand, hand)
    at.s["scale"] = [1.5, 1.0]
    assert at.window().s["clock"] == pytest.approx(750)
    assert at.window(0).s["clock"] == pytest.approx(750 + 450)


def test_times_are_ex_gaussian() -> None:
    """RF-R5: placing takes 750 ms on average, of which the tail to the right accounts for 150."""
    game = load(players=2, profiles={"miss": 0.0, "alarm": (0.0, 0.0, 0.0)})
    times: list[float] = []
    for seed in range(8):
        s, before = game.new(seed=seed), 0.0
        while s["placed"] < 60:
            game.step(s, game.action_names.index("hold") if s["decision"] == S.D_SLAP else 0)
            if s["clock"] > before:
                times.append(float(s["clock"]) - before)
                before = float(s["clock"])
    drawn = np.array(times)
    assert len(drawn) > 400 and abs(drawn.mean() - 750) < 25 and abs(drawn.std() - 170) < 20
    assert ((drawn - drawn.mean()) ** 3).mean() > 0.5 * drawn.std() ** 3


@pytest.mark.parametrize(("stance", "ms"), [("relaxed", 120), ("ready", 60), ("armed", 1)])
def test_a_stance_makes_a_hand_slower_or_faster(stance: str, ms: int) -> None:
    """RF-R4: relaxed is 60 ms slower, armed 90 ms faster; nobody is faster than 1 ms."""
    at = with_hands(Position("5c 9c", "8a 7a", pile="5a", mode="skill", spread=0.0), {"mu": 60}, {"mu": 60})
    at.do(stance).do(stance).do("slap").do("hold").do("normal pace")
    assert at.s["clock"] == pytest.approx(ms) and "player_0 takes the pile of 2 cards" in at.log


@pytest.mark.parametrize(("miss", "slaps"), [(0.0, True), (1.0, False)])
def test_a_slap_that_is_meant_may_not_happen(miss: float, slaps: bool) -> None:
    """RF-R5: it fails with the chance `miss`, and then costs nothing."""
    hand = {"miss": miss}
    at = with_hands(Position("5c 9c", "8a 7a", pile="5a", mode="decision"), hand, hand).window(0, 1)
    assert ("slaps the pile" in str(at.log)) == slaps and not at.s["penalties"].any()


@pytest.mark.parametrize(("alarm", "slips"), [((0.0, 1.0, 0.0), 1), ((1.0, 0.0, 1.0), 0)])
def test_a_hand_may_slip_where_there_is_nothing_to_slap(alarm: tuple[float, ...], slips: int) -> None:
    """RF-R4, RF-R5: it slips with the chance `alarm` of the stance, which is `ready` if none is chosen."""
    hands = [{"alarm": alarm}] * 3
    at = with_hands(Position("4c 9c", "8a 7a 6a", "", pile="5a", mode="decision"), *hands)
    at.s["alive"][2] = 0  # a player who is out has no hand
    assert at.window().s["penalties"].tolist() == [slips, slips, 0]
    at = with_hands(Position("5c 9c", "8a 7a 6a", "2g", pile="5a", mode="decision"), *hands).window()
    assert not at.s["penalties"].any() and at.s["whose"] == 1
    at = with_hands(Position("4c 9c", "8a 7a 6a", "", pile="5a", mode="decision", lock_out=True), *hands)
    at.s["locked"][2] = 1
    assert at.window().s["penalties"].tolist() == [slips, slips, 0]


def test_the_next_card_cancels_a_slap_situation() -> None:
    """RF-L2: a player who comes too late has no situation any more, and pays if the hand cannot be held back."""
    at = slow(700)
    at.s["face"] = card("2a")
    at.s["before"] = card("2c")
    at.window(1)
    assert at.s["carry"][1] == pytest.approx(100) and at.s["alive"].all()


def test_a_pair_on_the_last_chance_card_can_be_slapped() -> None:
    """RF-G12: taking the pile takes time; without `pickup_window` it takes none."""
    at = Position("9c 2c", "3a 4a", pile="Ja 9a", chance=(1, 1))
    at.window(0)
    assert "player_0 slaps the pile at 9 of Coins" in at.log
    at = Position("9c 2c", "3a 4a", pile="Ja 9a", chance=(1, 1), pickup_window=False)
    at.window(0)
    assert "player_1 takes the pile of 3 cards" in at.log
    at = Position("9c 2c", "3a 4a", pile="9a", pickup_window=False).window(0)
    assert "player_0 slaps the pile at 9 of Coins" in at.log


def test_activating_closes_a_window_only_with_the_pile() -> None:
    """RF-G13: a traveling card is activated between two windows; Gems #6 and Artifacts #9 change the pile."""
    at = Position("2c 3c", "4a 6a 8a", own={"G6": 0}, pile="7g 6g").do("Gems #6")
    assert at.legal == ["hold", "slap"] and at.pile == cards("7g 6g 4a 6a") and at.s["after"] == S.AFTER_HEAP
    at.window()
    assert at.pile[-1] == card("2c") and at.s["whose"] == 0


def test_the_heap_is_one_card() -> None:
    """RF-G15: its top is compared with the face before; a chance card there belongs to its giver, and the user has to answer it."""
    at = Position("2c 3c", "4a 6a 8a", "5a 6c 9a", own={"G6": 0}, pile="7g 6g").do("Gems #6").window(1)
    assert "player_1 slaps the pile at 6 of Coins" in at.log
    at = Position("2c 3c", "4a 6a 8a", "5a 6c 9a", own={"G6": 0}, pile="7g 6g", heap_slap=False).do("Gems #6")
    assert at.window(1).s["penalties"][1] == 1
    at = Position("2c 3c 4c", "4a 6a 8a", "5a Qc 9a", own={"G6": 0}).do("Gems #6").window()
    assert (at.s["chance"], at.s["whose"], at.s["remaining"]) == (2, 0, 1)
    at = Position("6g 3c 4c", "4a 6a 8a", own={"G6": 0}, heap_slap=False).do("Gems #6").window()
    assert at.pile == cards("4a 6a 6g")  # a card placed on the heap may still be slapped
    assert "player_1 slaps the pile at 6 of Gems" in at.window(1).log


def test_a_free_slap_shuts_the_others_out() -> None:
    """RF-V8, RF-G17: nobody else may slap; any attempt uses up the free slap, and one in vain costs the penalty as well."""
    at = Position("5c 9c", "5a 8a 3a 6a", own={"G7": 0}).do("Gems #7").window()
    at.window(1)
    assert at.s["penalties"][1] == 1 and at.s["free"] == 0
    at = Position("5c 9c", "5a 8a 3a 6a", own={"G7": 0}).do("Gems #7").window()
    at.window(0, 1)
    assert "player_0 takes the pile of 2 cards" in at.log
    at = Position("5c 9c 2c 3c", "8a 3a", own={"G7": 0}).do("Gems #7").window(0)
    assert at.s["free"] == S.NOBODY and at.s["penalties"][0] == 1
    at = Position("5c 9c 2c 3c", "8a 3a", own={"G7": 0}, free_slap_penalty=False).do("Gems #7").window(0)
    assert at.s["free"] == S.NOBODY and at.s["penalties"][0] == 0


def test_a_free_slap_shuts_the_others_out_of_traveling_cards() -> None:
    """RF-V8: only the holder of the free slap may slap for a traveling card, too."""
    at = Position("2j 9c", "8a 3a 6a", own={"G7": 0, "J2": 0}, used=("J2",)).do("Gems #7").window(1)
    assert at.owner("J2") == (0, True) and at.s["penalties"].tolist() == [0, 1] and at.s["free"] == 0
    at = Position("2j 9c", "8a 3a 6a", own={"G7": 0, "J2": 1}, used=("J2",)).do("Gems #7").window(0, 1)
    assert at.owner("J2") == (0, False) and at.s["penalties"].tolist() == [0, 0] and at.s["free"] == S.NOBODY


def test_the_free_slap_moves_to_who_activates_it_next() -> None:
    """RF-G18: only the new holder may slap, not the one before."""
    at = Position("2c 6c 9c 7g", "2a 5c 8a 3a", own={"G7": 1})
    at.s["free"] = 0
    at.window().do("Gems #7")
    assert at.s["free"] == 1
    at.window(0)
    assert at.s["penalties"].tolist() == [1, 0] and at.s["free"] == 1


@pytest.mark.parametrize(
    ("action", "on"),
    [
        ("Jewelry #3", lambda s: s["suits"]),
        ("Coins #4 on player_1", lambda s: s["folds"].any()),
        ("Gems #7", lambda s: s["free"] != S.NOBODY),
        ("Artifacts #8", lambda s: s["skipper"].any()),
    ],
)
def test_every_effect_ends_with_the_round(action: str, on: Any) -> None:
    """RF-V2: Jewelry #3, Coins #4, Gems #7 and Artifacts #8."""
    at = Position("Jc 2c 3c", "4a 6a 8a 9a", "7g 8g 9g", own={"J3": 0, "C4": 0, "G7": 0, "A8": 0}).do(action)
    assert on(at.s)
    at.window()
    assert on(at.s)
    at.window()
    assert at.s["whose"] == 0 and at.pile == [] and not on(at.s)


def test_effects_last_until_the_round_ends() -> None:
    """RF-V2, RF-G18: it does not matter who owns the card by then; a second activation does not add up."""
    at = Position("5c 2c 3c 4c", "5a 8a", own={"J2": 0, "J3": 0}).do("Jewelry #2")
    assert at.s["extra"] == 1
    at.window().window(1)
    assert "player_1 takes the pile of 2 cards" in at.log and at.s["extra"] == 0
    at = Position("2c 3c", "4a 6a", own={"J2": 0}, chance=(1, 1), pile="Jg")
    at.s["extra"] = 1
    at.do("Jewelry #2")
    assert (at.s["remaining"], at.s["extra"]) == (0, 1)  # the card that follows has used the only chance
    assert Position("2c 3c", "4a 6a", own={"J2": 0}).do("Jewelry #2").s["remaining"] == 0


def test_targets_have_cards() -> None:
    """RF-G19: players who are alive and have a card; oneself is allowed."""
    at = Position("2c 3c", "", "4a 6a", own={"C4": 0, "C5": 0})
    assert at.legal == [
        "activate nothing",
        *(f"Coins #{n} on player_{p}" for n in (4, 5) for p in (0, 2)),
    ]
    at = Position("2c 3c", "5c 6c", "4a 6a 8a", own={"C4": 1}, turn_of=1).do("Coins #4 on player_2")
    assert at.pile == cards("5c") and at.window().pile == cards("5c 4a 6a")
    assert at.log[0] == "player_1 activates Coins #4 on player_2"


def test_artifacts_9_takes_the_top_card() -> None:
    """RF-V10, RF-G25: it goes under the user's deck and ends the chance; the uncovered card gives no slap, but is compared to the next."""
    at = Position("2c 3c", "4a 6a", own={"A9": 0}, pile="2g Kg", chance=(1, 3)).do("Artifacts #9")
    assert at.deck(0)[-1] == card("Kg") and (at.s["chance"], at.s["remaining"]) == (S.NOBODY, 0)
    assert at.pile == cards("2g 2c")
    at.window(1)
    assert "player_1 slaps the pile at 2 of Coins" in at.log
    for pile in ("2g Kg", "5g 2g"):
        at = Position("2c 3c", "4a 6a", own={"A9": 0}, pile=pile, uncovered_counts=False).do("Artifacts #9")
        assert at.window(1).s["penalties"][1] == 1
    assert "Artifacts #9" not in Position("2c 3c", "4a 6a", own={"A9": 0, "J2": 0}).legal
    assert Position("2c 3c", "4a 6a", own={"A9": 0}).s["decision"] == S.D_SLAP


def test_what_artifacts_9_uncovers_is_not_compared() -> None:
    """RF-G25: not with the card below it: there is no live card before it."""
    at = Position("3c 4c", "4a 6a", own={"A9": 0}, pile="2c 2g Kg", mode="skill").do("Artifacts #9")
    assert at.s["decision"] == S.D_STANCE and (at.s["face"], at.s["before"]) == (card("2g"), S.NOTHING)


def test_artifacts_9_at_cards_without_a_face() -> None:
    """RF-V10, RF-G25: they are not compared with others, and a player who takes one does not see it."""
    at = Position("2c 3c", "4a 6a", own={"A9": 0}, pile="9g 2g Kg")
    at.s["pile"][:2], at.s["blind"] = cards("9g 2g"), 2
    at.do("Artifacts #9")
    assert at.s["blind"] == 2 and at.window(1).s["penalties"][1] == 1
    at = Position("3c 4c", "4a 6a", own={"A9": 0}, pile="2g", mode="skill")
    at.s["pile"][0], at.s["blind"], at.s["face"] = card("2g"), 1, S.NOTHING
    at.do("Artifacts #9")
    assert at.log[-1] == "player_0 takes the top card from the pile" and at.s["blind"] == 0
    assert at.deck(0)[-1] == card("2g") and where(at, 0, "2g") == 0


def test_skipping_needs_somebody_to_play() -> None:
    """RF-V9, RF-G27: of two players, the owner of the chance card plays; without a chance nobody may skip."""
    at = Position("Jc 2c 3c", "4a 6a", own={"A8": 1})
    at.s["skipper"][1] = 1
    at.window().do("skip the turn")
    assert at.s["whose"] == 0 and at.pile == cards("Jc 2c")
    at = Position("Jc", "4a 6a")
    at.s["skipper"][1] = 1
    assert at.window().s["decision"] == S.D_SLAP
    at = Position("4c 2c", "4a 6a")
    at.s["skipper"][1] = 1
    assert at.window().s["decision"] == S.D_SLAP


def test_after_a_heap_nobody_has_skipped_yet() -> None:
    """RF-V9, RF-G27 (past bug): a turn skipped before Gems #6 still counted, so the next player was not asked."""
    at = Position("Jc", "5a Kj 6a", "2g 3g", "8c 9c 10c", own={"G6": 2})
    at.s["skipper"][1] = at.s["skipper"][3] = 1
    at.window().do("skip the turn").do("Gems #6")
    assert at.s["chance"] == 1  # the king on top belongs to player 1
    at.window(2)  # the slap in vain costs player 2 its last cards
    assert at.s["whose"] == 3 and at.legal == ["play the turn", "skip the turn"]


def test_a_stance_is_chosen_for_a_heap_too() -> None:
    """RF-R2, RF-V7 (past bug): the heap reused the stances for the unit before, which the others cannot know."""
    at = Position("2c 3c", "4a 5a", own={"G6": 0}, pile="9c", mode="skill")
    at.do("Gems #6")
    assert at.pile == cards("9c") and at.legal == ["relaxed", "ready", "armed"] and at.s["to_play"] == 0
    at.do("relaxed").do("armed")
    assert at.pile == cards("9c 4a 5a") and at.s["stance"].tolist() == [S.RELAXED, S.ARMED]
    assert at.s["decision"] == S.D_SLAP
    at.window().do("normal pace")
    assert at.legal == ["relaxed", "ready", "armed"] and at.pile == cards("9c 4a 5a")
    at.do("ready").do("ready")
    assert at.pile == cards("9c 4a 5a 2c")  # the heap was one unit, then comes the user's own card


def test_without_cards_of_others_there_is_no_heap() -> None:
    """RF-V7: the user places a card instead, for which stances are chosen."""
    at = Position("2c 3c", "", own={"G6": 0}, pile="9c").do("Gems #6")
    assert at.pile == cards("9c 2c") and at.log == ["player_0 activates Gems #6", "player_0 places 2 of Coins"]
    at = Position("2c 3c", "", own={"G6": 0}, pile="9c", mode="skill").do("Gems #6").do("ready").do("ready")
    assert at.pile == cards("9c") and at.s["decision"] == S.D_STANCE


def test_a_heap_is_a_unit_of_its_last_giver() -> None:
    """RF-G9, RF-G23: a heap counts as one unit; if nobody has cards after it, the player who gave last takes the pile."""
    at = Position("2c 3c", "4a 6a 8a", own={"G6": 0}, max_placements=1).do("Gems #6")
    assert at.window().s["over"] == 1
    at = Position("4a 6a", "2c", own={"G6": 1}, turn_of=1).do("Gems #6").window(1)
    assert at.log[1] == "the opponents of player_1 give 2 cards, 6 of Artifacts on top"
    assert "player_0 takes the pile of 3 cards" in at.log


@pytest.mark.parametrize(("name", "chances"), [("J", 1), ("Q", 2), ("K", 3), ("A", 4)])
def test_a_chance_card_on_top_of_a_heap(name: str, chances: int) -> None:
    """RF-G15: the user has the usual number of chances."""
    at = Position("2c 3c", f"4a {name}a 8a", own={"G6": 0}).do("Gems #6")
    assert (at.s["chance"], at.s["remaining"]) == (1, chances)


def test_a_heap_that_is_slapped_away_is_over() -> None:
    """RF-V7: the next turn begins with a card."""
    at = Position("2c 3c 6c", "4a 9a 7a", own={"G6": 0, "J2": 1}, pile="9c")
    at.do("Gems #6").window(1)
    assert at.s["whose"] == 1 and at.s["heap"] == 0
    assert at.do("activate nothing").pile == cards("7a")


def test_two_may_skip_while_somebody_is_left() -> None:
    """RF-V9, RF-G27: one after the other; only players who could place a card count."""
    at = Position("Jc 2c 3c", "4a 6a", "5g 7g")
    at.s["skipper"][[1, 2]] = 1
    at.window().do("skip the turn")
    assert at.s["whose"] == 2 and at.legal == ["play the turn", "skip the turn"]
    at.do("skip the turn")
    assert at.s["whose"] == 0 and at.pile == cards("Jc 2c")
    at = Position("Jc", "4a 6a", "5g 7g")
    at.s["skipper"][[1, 2]] = 1
    at.window().do("skip the turn")
    assert at.s["whose"] == 2 and at.legal == ["hold", "slap"]


def test_a_card_ends_the_count_of_skipped_turns() -> None:
    """RF-V9, RF-G27: two of three may skip the new chance card, as they might the one before."""
    at = Position("Jc 2c 3c", "4a 6a", "Qg 7g 8g")
    at.s["skipper"][[0, 1]] = 1
    at.window().do("skip the turn").window()
    assert at.s["chance"] == 2 and at.legal == ["play the turn", "skip the turn"]
    assert at.do("skip the turn").s["whose"] == 1 and at.legal == ["play the turn", "skip the turn"]
    assert at.do("skip the turn").pile == cards("Jc Qg 7g")


def test_the_owner_of_the_chance_card_does_not_skip() -> None:
    """RF-V9: a player whose own chances come round has to play them."""
    at = Position("Kc 2c 3c", "4a 6a", "5g")
    at.s["skipper"][[0, 1]] = 1
    at.window().do("skip the turn").window()
    assert at.s["whose"] == 0 and at.s["remaining"] == 1 and at.pile == cards("Kc 5g 2c")


@pytest.mark.parametrize("mode", ["decision", "skill", "deterministic"])
def test_modes_ask_for_what_they_have(mode: str) -> None:
    """RF-R2: a stance before the card, a slap after it, and the pace of the next act."""
    game = load(players=3, mode=mode)
    s, rng, asked = game.new(seed=2), np.random.default_rng(0), Counter[int]()
    while not s["over"]:
        asked[int(s["decision"])] += 1
        game.step(s, int(rng.choice(game.legal_actions(s))))
    assert (asked[S.D_STANCE] > 0) == (asked[S.D_PACE] > 0) == (mode == "skill")
    assert asked[S.D_SLAP] > 0


def test_a_rushed_card_comes_sooner_and_a_stance_is_faster() -> None:
    """RF-R4: a card comes in 0.6 of the time, or `wait_ms` later; armed is 90 ms faster, relaxed 60 slower."""
    clocks = {}
    for pace in ("rush", "normal pace", "wait"):
        game = load(profiles={"place_sigma": 0, "place_tau": 0}, players=2, mode="skill", spread=0.0)
        s = game.new(seed=5)
        names = list(game.action_names)
        while s["placed"] < 2:
            legal = [names[a] for a in game.legal_actions(s)]
            wish = pace if pace in legal else "hold" if "hold" in legal else legal[0]
            game.step(s, names.index(wish))
        clocks[pace] = float(s["clock"])
    assert clocks == {"rush": 360.0, "normal pace": 600.0, "wait": 1000.0}


def test_chance_is_drawn_alike_whatever_players_choose() -> None:
    """RF-R3: whatever they choose, the same number of words is drawn from one stream, in the order of seats."""
    game = load(players=4, mode="decision")
    for seed in range(20):
        s = game.new(seed=seed)
        if s["decision"] != S.D_SLAP:
            continue
        words = set()
        for choices in range(16):
            copy = game.copy(s)
            for p in range(4):
                if copy["decision"] == S.D_SLAP and copy["placed"] == s["placed"]:
                    game.step(copy, game.action_names.index("slap" if choices >> p & 1 else "hold"))
            words.add(int(copy["rng"]))
        assert len(words) == 1


def test_nobody_sees_what_others_have_committed_to() -> None:
    """RF-I1: nor does the order of asking tell anything."""
    game = load(players=4, mode="decision")
    s = game.new(seed=8)
    while s["decision"] != S.D_SLAP or s["to_play"] != s["whose"]:  # the player asked first
        game.step(s, int(game.legal_actions(s)[0]))
    first = int(s["whose"])
    held, slapped = game.copy(s), game.copy(s)
    game.step(held, game.action_names.index("hold"))
    game.step(slapped, game.action_names.index("slap"))
    for p in {0, 1, 2, 3} - {first}:
        assert (game.observe(held, p) == game.observe(slapped, p)).all()
        assert game.text(held, p) == game.text(slapped, p)


def view(at: Position, player: int, piece: str) -> Any:
    return at.game.layout.view(at.game.observe(at.s, player), piece)


def text_of(at: Position) -> str:
    return at.game.text(at.s, 0)


def test_a_player_is_told_of_the_own_hand() -> None:
    """A player sees its own stance while a window is open, and its own slap on the way; nobody else does."""
    at = Position("5c 8c", "2a 3a", "3c 3j", mode="skill")
    while at.s["decision"] == S.D_STANCE:
        assert view(at, int(at.s["to_play"]), "table")[16] == 0
        at.do("armed")
    assert [view(at, p, "table")[16:].tolist() for p in range(3)] == [[S.ARMED + 1, 0]] * 3
    at.s["stance"][1], at.s["carry"][1] = S.RELAXED, 5.0
    assert [view(at, p, "table")[16:].tolist() for p in range(3)] == [[3, 0], [1, 1], [3, 0]]
    lines = [[line for line in at.game.text(at.s, p).splitlines() if "player_1: " in line] for p in (0, 1)]
    assert "relaxed, a slap is on its way" in lines[1][0] and "relaxed" not in lines[0][0] and "slap" not in lines[0][0]
    at = Position("5c 8c", "2a 3a").window()
    assert not view(at, 0, "table")[16:].any()  # in a mode without stances
    assert "commit" not in at.game.observation_pieces  # nor a `commit`, which is of use only for choosing a pace


def test_who_chooses_the_pace_knows_the_own_choice_of_a_slap() -> None:
    """The player knows it until the window closes; nobody else is told."""
    for choice in ("hold", "slap"):
        at = until(Position("5c 8c", "2a 3a", "3c 3j", mode="skill"), S.D_SLAP)
        for name in ("hold", choice, "hold"):
            assert [int(view(at, p, "commit")) for p in range(3)] == [0, 0, 0]
            at.do(name)
        assert at.s["decision"] == S.D_PACE and at.s["to_play"] == 1
        slaps = [0, int(choice == "slap"), 0]
        assert [int(view(at, p, "commit")) for p in range(3)] == slaps
        assert [at.game.text(at.s, p).count(", ready, slaps, speed") for p in range(3)] == slaps
        at.do("normal pace")
        assert view(at, 1, "commit") == 0 and "slaps" not in at.game.text(at.s, 1)


def test_a_pair_can_only_be_slapped_in_a_window() -> None:
    """RF-V4: a pair that lies there when Jewelry #3 is activated does not count; a pair that was not slapped in its window is over."""
    at = Position("4c 2a", "9j 9a", own={"J3": 0}, pile="2c 3c", mode="skill").do("Jewelry #3")
    assert at.s["decision"] == S.D_STANCE and view(at, 0, "table")[6] == 0
    at = Position("5c 8c", "2a 3a", own={"J2": 1}, pile="5g")
    assert view(at, 0, "table")[6] == 1  # the 5 of Coins lies on it
    at.window()
    assert at.s["decision"] == S.D_ACTIVATE and view(at, 1, "table")[6] == 0


def test_the_text_tells_the_card_below_and_who_plays() -> None:
    pair, none = (text_of(Position("5c 8c 9c", "2a 3a", pile=pile)) for pile in ("5g", "7g"))
    assert "live: 5 of Coins on 5 of Gems" in pair and "live: 5 of Coins on 7 of Gems" in none
    at = Position("2c 3c", "4c 5c", "6c 7c", own={"C5": 1}, turn_of=1, chance=(0, 3), pile="Kg").do(
        "Coins #5 on player_2"
    )
    assert "player_2 plays the turn of player_1" in text_of(at)


def where(at: Position, player: int, name: str) -> int:
    """Where a player knows a card to be: 0 unknown, 1 in the pile, 2 in its own deck, 3 in the next player's, and so on."""
    return int(view(at, player, "where")[card(name)])


def test_what_was_placed_is_known_wherever_it_goes() -> None:
    """RF-I2: in the pile, and at its place under a deck."""
    at = Position("5c 9c 2a", "5a 8a 3a", "6a 7a 4a").window()
    assert [where(at, p, "5c") for p in range(3)] == [1, 1, 1] and where(at, 0, "9c") == 0
    at.window(2)
    assert at.deck(2) == cards("7a 4a 5c 5a") and at.pile == cards("6a")
    assert [where(at, p, "5c") for p in range(3)] == [4, 3, 2] and where(at, 2, "7a") == 0
    tops = view(at, 1, "tops")[1]  # those of the next player
    assert not tops[:2].any() and [np.flatnonzero(row).tolist() for row in tops[2:4]] == [[3, 13], [3, 14]]
    assert view(at, 1, "players")[:, 2].tolist() == [0, 2, 0]
    assert "deck of player_2 from the top: ?, ?, 5 of Coins, 5 of Artifacts" in at.game.text(at.s, 1)
    at.s["deck"][0][at.s["head"][0] : at.s["head"][0] + 7] = [code | S.KNOWN for code in cards("2g 3g 4g 5g 6g 7g 8g")]
    at.s["size"][0] = 7
    assert np.flatnonzero(view(at, 2, "tops")[1].any(axis=1)).tolist() == [0, 1, 2, 3, 4, 5]


def test_the_table_tells_everybody_the_same_from_the_own_seat() -> None:
    """RF-I3: the pile, the chance and its owner, what may be slapped, and the effects in force."""
    at = Position("Qc 2c", "4a 6a 8a", "5g 7g", own={"G7": 0}).do("Gems #7")
    assert view(at, 0, "table").tolist() == [1, 0, 1, 2, 1, 1, 0, 0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0]
    assert view(at, 1, "table").tolist() == [1, 0, 1, 2, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    at.window()
    assert view(at, 0, "table").tolist() == [2, 0, 1, 1, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0]
    assert view(at, 1, "table").tolist() == [2, 0, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0]
    at.window()  # no chance is left
    assert view(at, 2, "table").tolist() == [3, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0]
    at = Position("2c 3c", "6j 8a", own={"C5": 0, "J2": 1}, pile="6g").do("Coins #5 on player_1")
    at.s["extra"] = at.s["suits"] = 1
    assert view(at, 0, "table").tolist() == [2, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0]
    assert view(at, 1, "table").tolist() == [2, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0]
    at = Position("2c 3c", "6j 8a", own={"C5": 0}, chance=(1, 3), pile="Kg").do("Coins #5 on player_1").do("hold")
    assert at.s["to_play"] == 1  # who is asked makes no difference
    assert view(at, 0, "table").tolist() == [2, 0, 1, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]
    assert view(at, 1, "table").tolist() == [2, 0, 1, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    at = Position("2c 3c 4c", "5a 2j 8a 9a 4g 3g", own={"G6": 0, "J2": 1}).do("Gems #6")
    assert view(at, 0, "table")[[6, 7, 12]].tolist() == [0, 1, 1]
    at = Position("4c 3c", "5a 7j 8a 9a").window(1)  # the penalty is two cards, which have no face
    assert view(at, 0, "table")[:2].tolist() == [4, 2]


def test_who_is_to_decide_is_told_what() -> None:
    """RF-I3: and sees the live cards, as everybody does."""
    at = Position("5c 3c", "7a 8a", "Qg 2g", pile="9j Kg")
    for player in range(3):
        assert np.flatnonzero(view(at, player, "decision")).tolist() == ([S.D_SLAP] if player == 0 else [])
        assert np.flatnonzero(view(at, player, "face")).tolist() == [3, 13]
        assert np.flatnonzero(view(at, player, "before")).tolist() == [11, 16]


def test_what_lies_before_the_players_is_told_from_the_own_seat() -> None:
    """RF-I3: the cards, traveling cards and effects of each player."""
    at = Position("5c 3c", "7a 8a 6a", "Qg", own={"J2": 1, "J3": 1, "C4": 1, "G7": 2}, used=("J2", "C4"), turn_of=0)
    s = at.s
    s["folds"], s["skipper"], s["locked"], s["penalties"] = [0, 1, 0], [0, 0, 1], [0, 1, 0], [3, 200, 0]
    s["free"], s["chance"], s["remaining"], s["actor"] = 2, 1, 2, 1
    rows = {
        0: [1, 1, 0, 0, 0, 0, 0, 0, 0, 3, 1, 0, 0],
        1: [1, 3, 0, 1, 2, 2, 1, 0, 1, 127, 0, 1, 0],
        2: [1, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1],
    }
    for player in range(3):
        assert view(at, player, "players").tolist() == [rows[(player + i) % 3] for i in range(3)]
        cards_of = view(at, player, "traveling")
        assert cards_of[S.C4].tolist() == [0, *(int((player + i) % 3 == 1) for i in range(3)), 1]
        assert cards_of[S.G7].tolist() == [0, *(int((player + i) % 3 == 2) for i in range(3)), 0]
        assert cards_of[S.A9].tolist() == [1, 0, 0, 0, 0]


def test_the_history_tells_the_last_events_from_the_own_seat() -> None:
    """RF-I3: the newest first, with players numbered from one's own seat."""
    at = Position("Qc 2c", "4a 6a 8a", "5g 7g", own={"C4": 0}).do("Coins #4 on player_2")
    for player in range(3):
        rows = view(at, player, "history").tolist()
        assert rows[0] == [E_PLACE, -player % 3, card("Qc") + 1, 1]
        assert rows[1] == [E_ACTIVATE, -player % 3, S.C4 + 1, 1 + (2 - player) % 3]
        assert rows[2:] == [[0] * 4] * 6
    at = Position("2c 4c 6c", "3a 5a", max_placements=1).window()
    assert [row[:2] for row in view(at, 1, "history").tolist()[:2]] == [[E_WIN, -1], [E_CUT, -1]]


def test_the_speed_of_others_is_hidden() -> None:
    """RF-I3: each player is told only its own, as 40 for a scale of 1."""
    at = Position("5c 3c", "7a 8a")
    at.s["scale"] = [0.8, 1.25]
    for player, speed in ((0, 32), (1, 50)):
        assert view(at, player, "speed") == speed
        assert [("speed" in line) for line in at.game.status_lines(at.s, player)[1:]] == [player == 0, player == 1]


def test_a_short_memory_knows_what_the_last_units_showed() -> None:
    """RF-I2: `last_k` counts a paid card that all saw; `counts` shows no places."""
    at = Position("5c 9c 2a", "7a 8a 3a", memory="last_k", memory_length=2).window()
    assert [where(at, 0, name) for name in ("5c", "7a")] == [1, 1]
    at.window()
    assert [where(at, 0, name) for name in ("5c", "7a", "9c")] == [0, 1, 1]
    at = Position("5c 9c 2a", "7a 8a 3a 4a", memory="last_k", memory_length=1, penalty_cards="seen").window().window(1)
    assert [where(at, 0, name) for name in ("5c", "7a", "8a", "3a", "9c")] == [0, 0, 1, 1, 1]
    at = Position("5c 9c 2a", "7a 8a 3a", memory="counts").window()
    assert not {"where", "tops"} & set(at.game.observation_pieces) and not view(at, 0, "players")[:, 2].any()
    at.s["deck"][0][at.s["head"][0]] |= S.KNOWN
    assert not view(at, 0, "players")[:, 2].any() and "deck of" not in at.game.text(at.s, 0)


def test_a_known_card_that_is_paid_stays_known() -> None:
    """RF-G14, RF-I2: it goes from a known place to a known place."""
    at = Position("5c 9c 2a", "7a 8a 3a 4a")
    at.s["deck"][1][0] |= S.KNOWN
    at.window(1)
    assert at.pile[:2] == cards("8a 7a") and (where(at, 0, "7a"), where(at, 0, "8a")) == (1, 0)


def test_the_speed_of_a_player_is_drawn_around_that_of_the_profile() -> None:
    """RF-R5: it is drawn log-normally, once a game; in the mode without chance it is the profile's."""
    game = load(players=2, profiles=["fast", "slow"])
    drawn = np.log([game.new(seed=seed)["scale"] / [0.8, 1.25] for seed in range(300)])
    assert np.abs(drawn.mean(axis=0)).max() < 0.03 and np.abs(drawn.std(axis=0) - 0.12).max() < 0.02
    fixed = load(players=2, profiles=["fast", "slow"], mode="deterministic").new(seed=0)
    assert fixed["scale"].tolist() == pytest.approx([0.8, 1.25])


def test_hands_do_not_hover() -> None:
    """RF-G28: everybody sees a face at the same moment; an option delays the player who placed it."""
    assert Profile().placer_delay == 0
    hands = {"mu": 100, "placer_delay": 60}, {"mu": 130, "placer_delay": 60}
    at = with_hands(Position("5c 9c 2c", "8a 7a", pile="5a"), *hands).window(0, 1)
    assert "player_1 takes the pile of 2 cards" in at.log
    at = Position("2c 9c", "5g 7a 8a", pile="5a", own={"C5": 0}).do("Coins #5 on player_1")
    assert "player_0 takes the pile of 2 cards" in with_hands(at, *hands).window(0, 1).log
    at = Position("2c 9c", "7a 5g 8a", pile="5a", own={"G6": 0}).do("Gems #6")  # nobody placed it
    assert "player_0 takes the pile of 3 cards" in with_hands(at, *hands).window(0, 1).log


def test_an_average_player() -> None:
    """RF-R4, RF-R5: a hand takes 330 ms on average, the next card 750."""
    assert Profile().model_dump() == {
        "mu": 260,
        "sigma": 35,
        "tau": 70,
        "scale": 1,
        "miss": 0.02,
        "alarm": (0, 0.005, 0.04),
        "shift": (60, 0, -90),
        "place_mu": 600,
        "place_sigma": 80,
        "place_tau": 150,
        "placer_delay": 0,
    }
    assert load_profile("average") == Profile()


def test_rulings_by_default() -> None:
    """RF-G1 to RF-G25 and the other rulings that an option changes: the defaults."""
    assert RulesConfig().model_dump() == {
        "players": 4,
        "mode": "decision",
        "needed": tuple(f"{name[-1]} of {name[:-3]}" for name in S.TRAVELING_NAMES),
        "deal": "even",
        "remainder_face": False,
        "highest_suit": "gems",
        "bottom_cards": "public",
        "suit_win": "one_of_each",
        "max_placements": 5000,
        "late_slaps": "ignored",
        "commit_ms": 150,
        "pickup_window": True,
        "penalty_cards": "hidden",
        "heap_slap": True,
        "lock_out": False,
        "free_slap_penalty": True,
        "takeover_activates": True,
        "uncovered_counts": True,
        "memory": "perfect",
        "memory_length": 20,
        "spread": 0.12,
        "rush": 0.6,
        "wait_ms": 400,
        "forbidden": (),
    }


@pytest.mark.parametrize("name", ["fast", "average", "slow"])
def test_profiles_are_data(name: str) -> None:
    """RF-R5: profiles are YAML files."""
    assert name in profiles() and load_profile(name).scale == {"fast": 0.8, "average": 1.0, "slow": 1.25}[name]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mu: 300\nmu: 200\n", "line 2: not valid YAML: key 'mu' is given twice"),
        ("mu: &one 300\ntau: *one\n", "aliases are not allowed"),
        ("[1, 2]\n", "a profile is a mapping with the keys mu, sigma"),
        ("mu: fast\n", "option mu: .* found 'fast'"),
    ],
)
def test_profiles_are_read_as_card_files_are(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(OptionError, match=f"mine.yaml: .*{said}"):
        load_profile(file)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"players": 1}, "players"),
        ({"players": 9}, "players"),
        ({"mode": "blitz"}, "mode"),
        ({"profiles": {"sigma": -1}}, "sigma"),
        ({"profiles": {"mu": float("nan")}}, "mu"),
        ({"profiles": {"miss": 1.5}}, "miss"),
        ({"profiles": {"scale": 1e-50}}, "scale"),  # 0 in the record
        ({"profiles": {"speed": 1}}, "speed"),
        ({"profiles": "quick"}, "fast"),
        ({"profiles": ["fast"] * 3}, "3 for 4 players"),
        ({"needed": ("1 of Gems",) * 8}, "1 of Gems"),
        ({"playerz": 3}, "players"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        load(**options)


def test_who_is_to_name_a_target_sees_the_own_seat() -> None:
    """Actions name seats, so a player is told its own; in the history a target is numbered from the player's own seat."""
    at = Position("2c 3c", "4c 5c", "6c 7c", own={"C4": 0})
    for player in range(3):
        view = at.game.layout.view(at.game.observe(at.s, player), "seat")
        assert view.tolist() == [int(p == player) for p in range(3)]
    at.do("Coins #4 on player_1")
    for player, seen in ((0, 2), (1, 1), (2, 3)):
        rows = at.game.layout.view(at.game.observe(at.s, player), "history").reshape(-1, 4).tolist()
        assert [row[3] for row in rows if row[0] == E_ACTIVATE] == [seen]
