"""Rules of Re;ACT, chapter four: the masterpiece and ascension (AW-M1 to AW-M10)."""

from __future__ import annotations

import itertools

import pytest

import react_env
from react_env.errors import CardError
from react_env.games.arts_of_war.cards import artists, load_artist
from react_env.games.arts_of_war.cards.operations import words_in
from tests.arts_of_war.positions import (
    PROGRESS,
    REST,
    Table,
    ascended,
    immediate,
    intention,
    kit,
    reaction,
    table,
)

FORTH = intention("[progress]")  # an action card that progresses
FALL = intention("[descend]")
CHECKS = pytest.mark.parametrize("rules", [{}, {"masterpiece_check": "own_progress"}])


def players(turn_player: int = 0, up: dict[str, object] | None = None, **rules: object) -> Table:
    cards = {"Forth": [FORTH], "Fall": [FALL], "Hit": [intention("[{damage: {zone: me}}]")]}
    t = table(kit("ann", up=up, **cards), kit("ben", up=up, **cards), turn_player=turn_player, **rules)
    t.give(turn_player, *["Forth"] * 4, "Fall", "Hit")
    return t


def picture(t: Table) -> str:
    return (
        t.status("masterpiece: ").removeprefix("masterpiece: ").replace("player_0's ", "a").replace("player_1's ", "b")
    )


@pytest.mark.rule("AW-M1")
def test_one_row_for_both() -> None:
    """It has five slots, one card in a slot, and each player has three cards."""
    t = players()
    t.row("a2", "-", "b1", "-", "-")
    t.do("play Forth").passes()
    assert t.options() == ["masterpiece card 1", "masterpiece card 3"]  # card 2 lies there already
    t.do("masterpiece card 3")
    assert t.options() == ["masterpiece slot 2", "masterpiece slot 4", "masterpiece slot 5"]
    t.do("masterpiece slot 4")
    assert picture(t) == "a2 | - | b1 | a3 | -"


@pytest.mark.rule("AW-M2")
@pytest.mark.parametrize("player", [0, 1])
def test_place(player: int) -> None:
    """Any card goes into any empty slot, and a card has to be placed."""
    for card, slot in itertools.product((1, 2, 3), (1, 2, 3, 4, 5)):
        t = players(player)
        t.do("play Forth").passes()
        assert "decline" not in t.options() and len(t.options()) == 3
        t.do(f"masterpiece card {card}")
        assert "decline" not in t.options() and len(t.options()) == 5
        t.do(f"masterpiece slot {slot}")
        assert picture(t).split(" | ")[slot - 1] == f"{'ab'[player]}{card}"
        assert t.log[-1] == f"player_{player} places masterpiece card {card} in slot {slot}"


@pytest.mark.rule("AW-M3")
def test_replace() -> None:
    """Only if no slot is empty, only over a card of the opponent's, and only if the player wants to."""
    t = players()
    t.row("a3", "b3", "b1", "b2", "a1")
    t.do("play Forth").passes()
    assert t.options() == ["decline", "masterpiece card 2"]
    t.do("masterpiece card 2")
    assert t.options() == ["masterpiece slot 2", "masterpiece slot 3", "masterpiece slot 4"]
    t.do("masterpiece slot 3")
    assert picture(t) == "a3 | b3 | a2 | b2 | a1"
    assert t.log[-1] == "player_0 replaces slot 3 with masterpiece card 2"
    t.end_turn()
    assert t.options() == ["decline", "masterpiece card 1"]  # that card is unplaced again
    t.do("masterpiece card 1", "masterpiece slot 5")
    assert picture(t) == "a3 | b3 | a2 | b2 | b1"
    assert "player_1 replaces slot 5 with masterpiece card 1" in t.log


@pytest.mark.rule("AW-M3")
def test_replacing_is_optional() -> None:
    t = players()
    t.row("a3", "b3", "b1", "b2", "a1")
    t.do("play Forth").passes().do("decline")
    assert picture(t) == "a3 | b3 | b1 | b2 | a1" and t.log[-1] == "player_0 declines"


@pytest.mark.rule("AW-M3")
def test_nothing_is_replaced_while_a_slot_is_empty() -> None:
    t = players()
    t.row("a3", "b3", "-", "-", "a1")
    t.do("play Forth").passes()
    assert t.options() == ["masterpiece slot 3", "masterpiece slot 4"]  # for card 2, the only one left


@pytest.mark.rule("AW-M3")
def test_a_lost_card_is_not_placed_again() -> None:
    """If another card is unplaced it is that one, whatever slot is empty."""
    t = players(turn_player=1, replaced_masterpiece="lost")
    t.row("b1", "a3", "a1", "-", "-")
    t.state.lost_part[1, 2] = 1  # card 3
    t.do("play Forth").passes()
    assert sorted(t.options()) == ["masterpiece slot 4", "masterpiece slot 5"]
    t.do("masterpiece slot 5")
    assert picture(t) == "b1 | a3 | a1 | - | b2"


@pytest.mark.rule("AW-M3")
def test_replaced_cards_are_lost_if_so_ruled() -> None:
    t = players(replaced_masterpiece="lost")
    t.row("a3", "b3", "b1", "b2", "a1")
    t.do("play Forth").passes().do("masterpiece card 2", "masterpiece slot 3")
    assert t.game.layout.view(t.game.observe(t.state, 1), "players")[:, 4].tolist() == [0, 0]  # nothing to place
    t.end_turn()
    # Player 1 has two cards left, and both are placed: there is nothing to place, and there are no three to swap with.
    assert t.after("Turn 4: player_1")[:2] == ["player_1 draws a card", "player_0 draws a card"]
    assert t.may("end the turn")


@pytest.mark.rule("AW-M4")
def test_swap() -> None:
    """With all three placed, any two slots may be swapped: cards of anybody, or one of the slots empty."""
    t = players()
    t.row("a3", "b1", "-", "a1", "a2")
    t.do("play Forth").passes()
    assert t.options() == ["decline", *(f"masterpiece slot {i}" for i in (1, 2, 4, 5))]
    t.do("masterpiece slot 2")
    assert t.options() == [f"masterpiece slot {i}" for i in (1, 3, 4, 5)]
    t.do("masterpiece slot 3")
    assert picture(t) == "a3 | - | b1 | a1 | a2" and t.log[-1] == "player_0 swaps slots 2 and 3"
    t.do("play Forth").passes().do("masterpiece slot 1", "masterpiece slot 5")
    assert picture(t) == "a2 | - | b1 | a1 | a3"
    t.do("play Forth").passes().do("decline")
    assert picture(t) == "a2 | - | b1 | a1 | a3"


@pytest.mark.rule("AW-M4", "AW-T2")
@pytest.mark.parametrize("player", [0, 1])
def test_swap_in_the_masterpiece_phase(player: int) -> None:
    """The turn player makes the swap."""
    t = players(1 - player)
    t.row(*("a1 a3 a2 b1 -", "- a1 b2 b3 b1")[player].split())
    t.end_turn()
    assert t.to_play == player and t.may("decline")
    t.do("masterpiece slot 3", f"masterpiece slot {(2, 4)[player]}")
    assert t.log[-3:-1] == [f"player_{player} ascends", f"player_{player} draws a card"]


@pytest.mark.rule("AW-M4")
def test_swap_with_two_cards_of_the_opponent() -> None:
    t = players(turn_player=1)
    t.row("a3", "b3", "a1", "b2", "b1")
    t.do("play Forth").passes()
    t.do("masterpiece slot 3", "masterpiece slot 1")
    assert picture(t) == "a1 | b3 | a3 | b2 | b1"


@pytest.mark.rule("AW-M5")
@pytest.mark.parametrize(
    ("player", "rules", "row", "card", "slot", "complete"),
    [
        (0, {}, "a1 a2 - b1 -", 3, 3, True),
        (0, {}, "- - a1 a2 -", 3, 5, True),
        (0, {}, "a1 a2 - - -", 3, 4, False),  # not side by side
        (0, {}, "a3 a2 - - -", 1, 3, False),  # the wrong way round
        (0, {}, "a1 a3 - - -", 2, 3, False),
        (1, {}, "- - - b2 b1", 3, 3, True),  # seen from the other side of the table
        (1, {}, "b3 b2 - - -", 1, 3, True),
        (1, {}, "b1 b2 - - -", 3, 3, False),
        (1, {"masterpiece_sides": "same"}, "b1 b2 - - -", 3, 3, True),
        (1, {"masterpiece_sides": "same"}, "b3 b2 - - -", 1, 3, False),
        (0, {"masterpiece_sides": "same"}, "a1 a2 - - -", 3, 3, True),
    ],
)
def test_complete(player: int, rules: dict[str, str], row: str, card: int, slot: int, complete: bool) -> None:
    t = players(player, **rules)
    t.row(*row.split())
    t.do("play Forth").passes()
    t.do(*([f"masterpiece card {card}"] if t.may("masterpiece card") else []), f"masterpiece slot {slot}")
    assert bool(t.state["ascended"][player]) == complete


@pytest.mark.rule("AW-M6")
@CHECKS
def test_completion(rules: dict[str, str]) -> None:
    """The cards leave at once and can be placed again, and the artist's card shows its other side."""
    super_move = intention("[{damage: {units: {side: theirs, kind: artist}}}, descend]", "[{exhaust: me}]")
    t = players(up=ascended(super_move), **rules)
    t.row("a1", "a2", "-", "b1", "-")
    t.do("play Forth").passes().do("masterpiece slot 3")
    assert t.log[-2:] == ["player_0 places masterpiece card 3 in slot 3", "player_0 ascends"]
    assert picture(t) == "- | - | - | b1 | -" and t.state["ascended"].tolist() == [1, 0]
    assert t.may("play Raised (Intention)") and not t.may("play Ann (Intention)")
    t.do("play Forth").passes()
    assert t.options() == [f"masterpiece card {i}" for i in (1, 2, 3)]
    t.do("masterpiece card 1", "masterpiece slot 1", "play Raised").passes()
    assert t.log[-2:] == ["player_1's Ben (c5) takes damage (1)", "player_0 descends"]
    assert not t.state["ascended"].any()


@pytest.mark.rule("AW-M6")
@CHECKS
def test_completion_by_a_swap_and_by_replacing(rules: dict[str, str]) -> None:
    t = players(**rules)
    t.row("a1", "a3", "a2", "b1", "-")
    t.do("play Forth").passes().do("masterpiece slot 3", "masterpiece slot 2")
    assert t.log[-1] == "player_0 ascends" and picture(t) == "- | - | - | b1 | -"
    t = players(**rules)
    t.row("a1", "a2", "b1", "b2", "b3")
    t.do("play Forth").passes().do("masterpiece card 3", "masterpiece slot 3")
    assert t.log[-1] == "player_0 ascends" and picture(t) == "- | - | - | b2 | b3"


@pytest.mark.rule("AW-M6")
@CHECKS
def test_completion_by_a_reaction(rules: dict[str, str]) -> None:
    """The artist ascends in the other player's turn, too."""
    t = table(kit("ann", Go=[intention()]), kit("ben", Answer=[reaction("[progress]")]), **rules)
    t.row("a1", "-", "-", "b2", "b1")
    t.give(0, "Go")
    t.give(1, "Answer")
    t.do("play Go", "play Answer").passes().do("masterpiece slot 3")
    assert "player_1 ascends" in t.log and t.state["ascended"].tolist() == [0, 1]
    assert picture(t) == "a1 | - | - | - | -"


@pytest.mark.rule("AW-M6")
def test_nobody_completes_the_masterpiece_of_the_other() -> None:
    """So it makes no difference whose masterpiece is looked at after a change (masterpiece_check).

    No row and no way to progress completes the three cards of the player who does not progress.
    """
    cards = [f"{player}{card}" for player in "ab" for card in (1, 2, 3)]
    found = set()
    for count in range(6):
        for chosen in itertools.permutations(cards, count):
            for places in itertools.combinations(range(5), count):
                row = ["-"] * 5
                for place, card in zip(places, chosen):
                    row[place] = card
                if not complete(row, "b"):
                    found |= {after for after in progressed(row) if complete(list(after), "b")}
    assert not found


def complete(row: list[str], player: str) -> bool:
    side = row if player == "a" else row[::-1]
    return any(side[i : i + 3] == [f"{player}{card}" for card in (1, 2, 3)] for i in range(3))


def progressed(row: list[str]) -> set[tuple[str, ...]]:
    """The rows that player a can make of a row."""
    unplaced = [card for card in ("a1", "a2", "a3") if card not in row]
    made = set()
    if unplaced:
        for card, slot in itertools.product(unplaced, range(5)):
            if row[slot] == "-" or ("-" not in row and row[slot][0] == "b"):
                made.add((*row[:slot], card, *row[slot + 1 :]))
    else:
        for one, other in itertools.combinations(range(5), 2):
            after = list(row)
            after[one], after[other] = after[other], after[one]
            made.add(tuple(after))
    return made


@pytest.mark.rule("AW-M6")
def test_whose_masterpiece_is_looked_at_makes_no_difference() -> None:
    """Random games go the same way by either ruling."""
    games = [react_env.load("arts_of_war-v0", masterpiece_check=check) for check in ("every_change", "own_progress")]
    batches = [game.batch(256, seed=4) for game in games]
    words = [batch.states["rng"].copy() for batch in batches]
    for _ in range(300):
        for batch, word in zip(batches, words):
            batch.step(batch.random_actions(word))
        assert (batches[0].action_masks == batches[1].action_masks).all()
    assert batches[0].states.tobytes() == batches[1].states.tobytes()
    assert (batches[0].states["ascended"] > 0).any()


@pytest.mark.rule("AW-M7")
@CHECKS
def test_complete_while_ascended(rules: dict[str, str]) -> None:
    """The cards stay; on descending the artist ascends again, and then they leave."""
    t = players(**rules)
    t.raise_up(0)
    t.row("a1", "a2", "-", "b1", "-")
    t.do("play Forth").passes().do("masterpiece slot 3")
    assert picture(t) == "a1 | a2 | a3 | b1 | -" and "player_0 ascends" not in t.log
    t.do("play Fall").passes()
    assert t.log[-2:] == ["player_0 descends", "player_0 ascends"]
    assert picture(t) == "- | - | - | b1 | -" and t.state["ascended"][0] == 1
    t = players()
    t.raise_up(0)
    t.row("a1", "a2", "-", "b1", "-")
    t.do("play Fall").passes()
    assert t.log[-1] == "player_0 descends" and t.state["ascended"][0] == 0


@pytest.mark.rule("AW-M7")
def test_to_descend_without_having_ascended_does_nothing() -> None:
    t = players()
    t.do("play Fall").passes()
    assert t.log[-1] == "Fall of player_0 resolves"


@pytest.mark.rule("AW-M8")
@pytest.mark.parametrize("damage", [0, 2])
def test_damage_changes_nothing_about_the_masterpiece(damage: int) -> None:
    t = players()
    t.hurt(0, damage)
    t.row("a1", "-", "-", "-", "-")
    for card in (2, 3):
        t.do("play Forth").passes()
        assert f"masterpiece card {card}" in t.options() or t.may("masterpiece slot")
        t.do(*([f"masterpiece card {card}"] if t.may("masterpiece card") else []), f"masterpiece slot {card}")
    assert t.log[-1] == "player_0 ascends"
    t = players()
    t.row("a1", "a2", "-", "-", "-")
    before = picture(t)
    t.do("play Hit").passes()
    assert t.log[-1] == "player_0's Ann (c1) takes damage (1)" and picture(t) == before


@pytest.mark.rule("AW-M9")
def test_two_abilities_and_one_of_them_progresses() -> None:
    for name in artists():
        card = load_artist(name).abilities[0]
        assert card.unit == "artist" and len(card.effects) >= 2
        assert any("progress" in words_in(effect.do) for effect in card.effects), name
    for abilities in ((PROGRESS,), (REST, REST)):
        with pytest.raises(CardError, match="AW-M9"):
            table(kit("ann", artist=abilities), kit("ben"))
    t = table(kit("ann"), kit("ben"))
    t.do("play Ann", "Ann [1]").passes().do("masterpiece card 2", "masterpiece slot 2")
    assert picture(t) == "- | a2 | - | - | -"


@pytest.mark.rule("AW-M10")
def test_a_lasting_side() -> None:
    """It lasts until its super is used, over several turns; its other abilities leave it up."""
    side = ascended(
        PROGRESS, intention("[{damage: {units: {side: theirs, kind: artist}}}, descend]", "[{exhaust: me}]")
    )
    t = players(up=side)
    t.row("a1", "a2", "-", "-", "-")
    t.do("play Forth").passes().do("masterpiece slot 3")
    t.do("play Raised", "Raised [1]").passes().do("masterpiece card 1", "masterpiece slot 1")
    assert t.state["ascended"][0] == 1
    t.end_turn().do("masterpiece card 3", "masterpiece slot 5").end_turn()
    t.do("masterpiece card 2", "masterpiece slot 4")
    assert t.state["ascended"][0] == 1 and t.state["turn"] == 5
    t.do("play Raised", "Raised [2]").passes()
    assert t.log[-2:] == ["player_1's Ben (c5) takes damage (1)", "player_0 descends"]
    assert not t.may("play Raised")


@pytest.mark.rule("AW-M10")
def test_an_immediate_side() -> None:
    """It does its work at once, before anything else, and is over."""
    side = immediate("[{choose_zone: {as: z, where: {holds: {side: theirs}}}}, {damage: {zone: z}}, descend]")
    act = intention("[progress, {add_token: {token: scale, to: me}}]")
    t = table(kit("ann", up=side, Act=[act]), kit("ben", Answer=[reaction()]))
    t.row("a1", "a2", "-", "-", "-")
    t.give(0, "Act")
    t.do("play Act").passes().do("masterpiece slot 3")
    assert t.after("player_0 ascends") == [
        "player_0: Flash",
        "player_1's Ben (c5) takes damage (1)",
        "player_0 descends",
        "c1 gets Scale",
    ]
    assert not t.state["ascended"].any() and picture(t) == "- | - | - | - | -"
    assert t.may("play Ann") and not t.may("play Flash")
