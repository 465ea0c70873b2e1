"""Rules of Fight Sequence: the set-up (FS-S1 to FS-S4), and whose deck is which (FS-G9)."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest

import react_env
from react_env.errors import CardError
from tests.fight_sequence.positions import card, kit, load, table


@pytest.mark.rule("FS-S1")
def test_decks_are_shuffled() -> None:
    """There are 40 cards, all copies of the deck file; a card is in hand, on top or at the bottom as often as its copies make it."""
    game = load()
    copies = [card.copies for card in game.decks[0].cards]
    assert sum(copies) == 40
    ends: collections.Counter[tuple[int, int, int]] = collections.Counter()
    dealt = np.zeros((2, 20), int)
    for seed in range(400):
        opening = game.opening(seed)
        for player in (0, 1):
            hand, deck = opening["hands"][player], opening["decks"][player]
            assert [hand[c] + deck.count(c) for c in range(20)] == copies
            for place in (0, -1):
                ends[player, place, deck[place]] += 1
            dealt[player] += hand
    # 20 cards, 2 copies of each: each is 20 of 400 times at an end, and 100 of 2000 in hand, give or take 4 sigma.
    assert len(ends) == 80 and all(2 <= count <= 38 for count in ends.values()), ends
    assert (60 <= dealt).all() and (dealt <= 140).all(), dealt
    assert game.opening(3)["decks"][0] != game.opening(3)["decks"][1]


@pytest.mark.rule("FS-S1")
def test_other_sizes_of_decks() -> None:
    small = kit(card("Jab", 60, 1), size=12)
    with pytest.raises(CardError, match="12 cards with all copies; the option deck_size needs 40"):
        load(small)
    opening = load(small, deck_size=12).opening(0)
    assert [len(deck) for deck in opening["decks"]] == [7, 7]


@pytest.mark.rule("FS-S2")
def test_five_cards_in_hand() -> None:
    game = load()
    for seed in range(5):
        opening = game.opening(seed)
        assert [sum(hand) for hand in opening["hands"]] == [5, 5]
        assert [len(deck) for deck in opening["decks"]] == [35, 35]
        state = game.new(seed)
        assert state["hand"].sum(axis=1).tolist() == [5, 5] and state["hand_size"].tolist() == [5, 5]
        assert state["deck_size"].tolist() == [35, 35]


@pytest.mark.rule("FS-S3")
def test_who_begins() -> None:
    """Chance decides, or the option names a player; nobody has the initiative yet."""
    game = load()
    assert 150 <= sum(game.opening(seed)["first_player"] for seed in range(400)) <= 250
    for player in (0, 1):
        chosen = load(first_player=player)
        for seed in range(10):
            state = chosen.new(seed)
            assert chosen.log_lines(state) == [f"Sequence 1: player_{player} begins"]
            assert chosen.to_play(state) == player
            assert chosen.status_lines(state)[0] == "Sequence 1, building"


@pytest.mark.rule("FS-S4")
@pytest.mark.parametrize(
    ("field", "values", "refused"),
    [
        ("speed", [10, 20, 30, 40, 50, 60], [0, 5, 15, 70]),
        ("type", ["physical", "magical"], ["mental"]),
        (
            "response",
            [{"armor": 3}, {"resistance": 3}, {"block": "physical"}, {"block": "magical"}, "willpower", {"draw": 1}],
            ["none", {"block": "mental"}, {"speed": 10}],
        ),
    ],
)
def test_what_a_card_may_be(field: str, values: list[Any], refused: list[Any]) -> None:
    """Six Speeds, two types, four kinds of response; nothing else can stand in a deck file."""
    made = card("Odd")
    for value in values:
        assert getattr(load(kit(made | {field: value})).decks[0].cards[0], field) is not None
    for value in refused:
        with pytest.raises(CardError, match=field):
            load(kit(made | {field: value}))


@pytest.mark.rule("FS-G9")
def test_one_deck_for_both_or_two() -> None:
    mirror = react_env.load("fight_sequence-v0")
    assert [deck.id for deck in mirror.decks] == ["academy_default", "academy_default"]
    mine = kit(card("Jab", 60, 1))
    assert [deck.id for deck in load(mine).decks] == ["kit", "kit"]
    t = table(mine, "academy_default")
    t.hand(0, "Jab")
    t.hand(1, "Heavy Kick")
    assert t.options() == ["attack with Jab (Speed 60, 1 physical)", "respond with Jab (Armor +1)"]
    t.do("attack with Jab")
    assert t.options() == ["pass", "respond with Heavy Kick (Armor +3)"]


@pytest.mark.rule("FS-G9", "FS-R2", "FS-R6")
@pytest.mark.parametrize("reference", ["last_built", "last_slot"])
def test_a_card_is_what_it_is_in_the_deck_of_its_owner(reference: str) -> None:
    """Even if the first cards of both decks differ: Speed, Power and type of an attack, what a response does and what blocks it."""
    surge = card("Surge", 60, 1, effect="{timing: timed, bonus: {power: 3, against: physical}}")
    guard = card("Guard", 10, 1, response="{armor: 2}")
    two = (
        kit(card("Swift", 50, 2, "magical", response="{block: magical}"), guard, surge),
        kit(card("Heavy", 20, 5, "physical", response="willpower"), card("Screen", 10, 1, response="{resistance: 4}")),
    )
    for name, speed in (("0 attacks Swift", 50), ("1 attacks Heavy", 20)):
        t = table(*two, speed_reference=reference)
        t.row(name)
        assert t.status("Sequence") == f"Sequence 1, building, Speed {speed} or more"
        t.hand(0, "Swift", "Idle")
        t.hand(1, "Heavy", "Idle")
        assert [text.split()[2] for text in t.options() if text.startswith("attack")] == (
            [] if speed == 50 else ["Swift"]
        )
    t = table(*two)
    t.row("1 attacks Heavy", "0 attacks Swift")
    told = t.resolve(fill=False).told
    assert "player_1 takes 2 magical damage" in told and "player_0 takes 5 physical damage" in told
    for row, line in (
        (("1 attacks Heavy", "0 responds Swift"), "nothing is blocked"),
        (("1 responds Screen", "0 responds Swift"), "Screen (Resistance +4) of player_1 is blocked"),
        (("1 responds Heavy", "0 responds Swift"), "nothing is blocked"),
        (("1 attacks Heavy", "0 attacks Surge"), "Surge gets +3 Power"),
        (("0 responds Guard",), "player_0 has Armor 2"),
        (("1 responds Screen",), "player_1 has Resistance 4"),
    ):
        t = table(*two)
        t.row(*row)
        assert t.resolve(fill=False).told[1] == line
    t = table(*two)
    t.row("0 attacks Swift", "1 attacks Heavy")
    t.hand(0, "Swift")
    t.hand(1, "Heavy")
    t.resolve(fill=False)  # only Heavy has a Willpower
    assert t.to_play == 1 and t.options() == ["take 2 magical damage", "discard Heavy for its Willpower"]
