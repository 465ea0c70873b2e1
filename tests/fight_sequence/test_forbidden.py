"""The keyword `forbidden`: cards that a player may not build, in one way or in both, to find out what they are worth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import react_env
from react_env.agents import load as load_agent
from react_env.errors import OptionError
from react_env.evaluation.lab.games import Cell, play
from react_env.evaluation.lab.study import subject_of
from react_env.evaluation.lab.subject import Ban
from react_env.games.fight_sequence import state as S
from tests.fight_sequence.positions import ACADEMY, Table, load, table


def without(*cards: str, theirs: tuple[str, ...] = (), **rules: Any) -> Table:
    """A position in which player 0 may not build these cards, and player 1 not `theirs`."""
    return table(forbidden=(cards, theirs), **rules)


def test_a_card_cannot_be_built_in_a_way_that_is_forbidden() -> None:
    t = without("Jab", "Slash/attack", "Dart/response")
    for player in (0, 1):
        t.hand(player, "Jab", "Slash", "Dart", "Thrust")
    ways = [(name, way) for name in ("Jab", "Slash", "Dart", "Thrust") for way in ("attack", "respond")]
    gone = [("Jab", "attack"), ("Jab", "respond"), ("Slash", "attack"), ("Dart", "respond")]
    assert [way for way in ways if not t.may(f"{way[1]} with {way[0]}")] == gone
    t.turn(1)
    assert all(t.may(f"{way} with {name}") for name, way in ways), "the other player may"


def test_without_its_response_a_card_gives_no_willpower_from_the_hand() -> None:
    """G-5: a player who holds one is asked, unless its response is forbidden."""
    asked = []
    for cards in ((), ("Jab/attack",), ("Jab/response",), ("Jab",)):
        t = without(*cards)
        t.row("1 attacks Lunge")
        t.hand(0, "Jab")
        t.resolve()
        asked.append(t.may("discard Jab"))
    assert asked == [True, True, False, False]


def test_who_can_build_nothing_in_the_first_turn_passes() -> None:
    """It is as if the hand were empty (G-8): the pass takes the initiative and draws nothing."""
    t = without("Jab", "Slash")
    t.hand(0, "Jab", "Slash", "Jab", "Slash", "Jab")
    t.hand(1, "Jab", "Slash", "Dart", "Thrust", "Lunge")
    t.resolve(initiative=0, fill=False)
    assert t.log == ["Sequence 2: player_0 begins", "player_0 passes", "player_0 takes the initiative"]
    assert t.to_play == 1 and t.may("attack with Jab")


def test_a_single_thing_to_build_in_the_first_turn_is_built() -> None:
    """A player with only one choice is not asked."""
    t = without("Jab/attack", "Slash")
    t.hand(0, "Jab", "Slash", "Slash")
    t.hand(1, "Dart", "Thrust", "Lunge", "Blast", "Divert")
    t.deck(0)
    t.resolve(initiative=0, fill=False)
    assert t.log[2] == "player_0 responds with Jab (Willpower)" and t.to_play == 1


@pytest.mark.parametrize(("ruling", "rewards"), [("draw", [0, 0]), ("initiative_loses", [-1, 1])])
def test_cards_that_nobody_may_use_do_not_keep_a_game_going(ruling: str, rewards: list[int]) -> None:
    """With empty decks the game is over, as with empty hands (G-8), unless one player can still do something."""
    for theirs, over in (("Slash", True), ("Slash/attack", False)):
        t = without("Jab", theirs=(theirs,), exhausted=ruling)
        for player, card in enumerate(("Jab", "Slash")):
            t.hand(player, card)
            t.deck(player)
        t.row("0 responds Lunge")
        t.resolve(initiative=0, fill=False)
        assert t.over == over and (t.rewards == rewards if over else t.to_play == 1)


@pytest.mark.parametrize("theirs", [True, False])
def test_a_game_in_which_nothing_may_be_built_ends(theirs: bool) -> None:
    names = [card.name for card in load(ACADEMY).decks[0].cards]
    game = react_env.load("fight_sequence-v0", forbidden=[names, names if theirs else []])
    state, rng = game.new(seed=1), np.random.default_rng(1)
    while not state["over"]:
        if game.to_play(state) == 0 or theirs:
            assert state["decision"] == S.D_PUT_BACK
        game.step(state, int(rng.choice(game.legal_actions(state))))
    assert state["sequence"] == 60 if theirs else state["reward"].tolist() == [-1, 1]


@pytest.mark.parametrize(
    ("forbidden", "message"),
    [
        ([["Jabs"], []], "academy_default has no card 'Jabs'; it has: Jab, .* each also with /attack or /response"),
        ([["Jab/both"], []], "has no card 'Jab/both'"),
        ([["Jab"]], "a list of names for each of the 2 players"),
        ("Jab", "a list of names for each of the 2 players"),
        ([[1], []], "a list of names"),
    ],
)
def test_what_cannot_be_forbidden(forbidden: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        react_env.load("fight_sequence-v0", forbidden=forbidden)


def test_a_game_without_a_card_is_another_one_by_its_hash() -> None:
    hashes = {
        react_env.load("fight_sequence-v0", forbidden=forbidden).rules_hash
        for forbidden in (None, [["Jab"], []], [[], ["Jab"]], [["Jab/attack"], []])
    }
    assert len(hashes) == 4
    assert react_env.load("fight_sequence-v0", forbidden=[[], []]).rules_hash == load(ACADEMY).rules_hash
    assert react_env.load("fight_sequence-v0", forbidden=[["Jab"], []]).options["forbidden"] == [["Jab"], []]


@pytest.mark.parametrize(
    ("item", "stays"), [("Jab", None), ("Jab/attack", "Jab/response"), ("Jab/response", "Jab/attack")]
)
def test_the_laboratory_forbids_a_card_or_one_way_to_build_it(item: str, stays: str | None) -> None:
    """Only the first seat may not use it. The laboratory counts each way to play a card; a Willpower from the hand is a response."""
    subject = subject_of("fight_sequence-v0", {})
    cell = Cell(subject.sides * 2)
    names = [one.id for one in subject.items(subject.sides[0])]
    banned = Cell(cell.sides, Ban(subject.sides[0], item))
    free, found = (
        play(
            subject,
            one,
            game := subject.load(one.sides, one.ban),
            load_agent("random", game),
            seed=3,
            block=0,
            deals=20,
        )
        for one in (cell, banned)
    )
    assert free.used[:, :, names.index(item)].any(axis=0).all(), "both play it where they may"
    assert found.used[:, :, names.index(item)].any(axis=0).tolist() == [False, True]
    assert stays is None or found.used[:, 0, names.index(stays)].any()
    for card in range(0, len(names), 3):
        assert (free.used[:, :, card] == free.used[:, :, card + 1 : card + 3].any(axis=2)).all(), names[card]
    assert not np.array_equal(free.used[:, :, 1::3], free.used[:, :, 2::3])
