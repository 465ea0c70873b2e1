"""The options of Reality TCG that change a ruling on what the rulebook leaves open; more are in test_rules.py beside their rules."""

from __future__ import annotations

import pytest

import react_env
from react_env.games.reality_tcg import state as S
from tests.reality_tcg.positions import DECKS, Position

DECK = "Boxer, Boxer, Boxer, Boxer, Boxer, Boxer"


def attack(x: Position) -> Position:
    return x.do("to the Battle", "attack")


def test_a_limit_to_the_hand() -> None:
    """RT-G4: in its End Phase a player discards cards of its choice until the limit is met."""
    x = Position(["Boxer /d"], hands=("Coach, Coach, Captain, Boxer", ""), decks=(DECK, DECK), hand_limit=2)
    x.do("to the Battle", "end the turn")
    assert x.s["phase"] == S.P_END and x.legal == ["discard Boxer", "discard Coach", "discard Captain"]
    x.do("discard Coach", "discard Captain")
    assert x.hand(0) == ["Boxer", "Coach"] and x.gone(0) == ["Coach", "Captain"] and x.s["whose"] == 1
    assert "player_0 discards Captain" in x.log


@pytest.mark.parametrize(("mine", "reward"), [(3, [1, -1]), (2, [0, 0]), (1, [-1, 1])])
def test_ip_below_zero(mine: int, reward: list[int]) -> None:
    """RT-G6: both lose 1 IP in the battle of two Captains (ATK 5 against HP 4); the player with more IP wins, or else RT-G5 decides."""
    x = Position(["Captain"], ["Captain"], ip=(mine, 2), negative_ip=True).hurt(0, 0, df=3, hp=1).hurt(1, 0, df=3, hp=1)
    attack(x)
    assert x.ip == (mine - 4, -2) and x.s["over"] == 1 and x.s["reward"].tolist() == reward
    direct = attack(Position(["Captain"], ip=(20, 3), negative_ip=True))
    assert direct.ip == (20, -2) and direct.s["reward"].tolist() == [1, -1]


def test_a_limit_to_summons() -> None:
    """RT-G11: the option limits how many Characters a player summons in each of its turns."""
    hands = ("Gate Guard, Boxer, Coach, Restock", "Coach, Boxer")
    x = Position(hands=hands, decks=(DECK, DECK), summons_per_turn=2)
    x.do("play Gate Guard", "to the Back Row, attack", "play Boxer", "to the Back Row, attack")
    assert [text for text in x.legal if text.startswith("play")] == ["play Restock"]
    x.do("to the Battle", "end the turn")
    assert "play Coach" in x.legal


@pytest.mark.parametrize("allowed", [True, False])
def test_who_is_new_may_be_moved_up(allowed: bool) -> None:
    """RT-G13: when the defender's Active Character is destroyed, the option may keep back a Character that entered this turn."""
    x = Position(["Captain"], ["Boxer", "Coach /new", "Bouncer"], new_refills=allowed)
    attack(x)
    assert x.legal == ["nobody"] + ["choose Back Row 1 (Coach)"] * allowed + ["choose Back Row 2 (Bouncer)"]
    alone = Position(["Captain"], ["Boxer", "Coach /new"], hands=("Coach", ""), new_refills=allowed)
    attack(alone)
    assert (alone.s["decision"] == S.D_REFILL) == allowed


def test_both_wait() -> None:
    """RT-G15: the defender, too, gets no new Active Character before the opponent's next attack or its own turn."""
    x = Position(["Captain", "Boxer"], ["Boxer", "Coach"], hands=("Coach", ""), both_destroyed="both_wait")
    attack(x)
    assert x.s["locked"].tolist() == [1, 1] and x.s["to_play"] == 0
    x.do("end the turn")
    assert x.s["to_play"] == 1 and x.s["decision"] == S.D_REFILL and x.s["locked"].tolist() == [1, 0]


def test_the_wait_may_last_to_the_own_turn() -> None:
    """RT-G15: an attack of the opponent does not end it."""
    x = Position(
        ["Street Runner", "Boxer"], ["Captain"], hands=("Coach", "Coach"), decks=(DECK, DECK), wait_ends="own_turn"
    )
    attack(x).do("end the turn", "to the Battle", "attack")
    assert x.s["to_play"] == 1 and x.s["locked"].tolist() == [1, 0]
    x.do("end the turn")
    assert x.s["to_play"] == 0 and x.s["decision"] == S.D_REFILL


@pytest.mark.parametrize("waits", [True, False])
def test_a_trapped_attacker(waits: bool) -> None:
    """RT-G15: by the option, an attacker destroyed by a Trap counts as destroyed in its own attack, or by an effect (RT-G14)."""
    x = Position(["Boxer", "Coach"], ["Captain"], traps=("", "Counter Hook"), hands=("Coach", ""), trapped_waits=waits)
    attack(x.hurt(0, 0, df=2, hp=3)).do("play Counter Hook")
    assert x.unit(0) is None and x.s["locked"][0] == waits
    assert any("switch with Back Row 1" in text for text in x.legal) == (not waits)


@pytest.mark.parametrize(("first", "player"), [("non_active", 1), ("active", 0)])
def test_who_answers_first(first: str, player: int) -> None:
    """RT-G19: the player whose turn it is not, or the other; then both in turn."""
    hands = ("Energy Bar, Energy Bar", "Energy Bar, Energy Bar")
    x = attack(Position(["Boxer"], ["Boxer"], hands=hands, answers_first=first))
    for answers in (player, 1 - player, player):
        assert x.s["to_play"] == answers
        x.do("play Energy Bar")


@pytest.mark.parametrize(("rule", "may"), [("at_once", True), ("next_turn", False)])
def test_a_trap_that_has_just_been_set(rule: str, may: bool) -> None:
    """RT-G18: the Trap was set this turn, to be used against the opponent's Food; in the next turn it may be used in any case."""
    hands = ("Spoiled Meal, Coach", "Energy Bar, Energy Bar, Coach")
    x = Position(["Boxer"], ["Night Watch /d"], hands=hands, decks=(DECK, DECK), set_traps=rule)
    x.do("set Spoiled Meal", "no answer", "to the Battle", "attack", "play Energy Bar")
    assert (x.legal == ["play Spoiled Meal", "no answer"]) == may
    x.do(*["no answer"] * (2 if may else 1), "end the turn", "no answer", "play Energy Bar")
    assert x.s["to_play"] == 0 and x.legal == ["play Spoiled Meal", "no answer"]


def test_spent_food_and_lands_may_leave_the_game() -> None:
    """RT-G20: then they do not go to Purgatory."""
    options = {"land_replace": True, "spent": "removed"}
    x = Position(["Boxer"], hands=("Old Quarter, Energy Bar, Restock", ""), land=("", "Sports Arena"), **options)
    x.do("play Old Quarter", "play Energy Bar", "play Restock")
    text = x.game.text(x.s, 0)
    assert (
        "Purgatory: Restock" in text
        and "out of the game: Energy Bar" in text
        and "out of the game: Sports Arena" in text
    )
    assert "Sports Arena of player_1 leaves the game" in x.log


def test_a_closed_purgatory() -> None:
    """RT-G21: of the opponent's, the text and the observation tell only how many cards it holds."""
    x = Position(["Boxer"], ["Coach"], hands=("Coach", "Captain"), open_purgatory=False)
    k = list(x.game.action_names).index("Bouncer")
    x.s["gone"][1][k] = 2
    assert "Purgatory: 2" in x.game.text(x.s, 0) and "Bouncer" not in x.game.text(x.s, 0)
    assert "Purgatory: Bouncer x2" in x.game.text(x.s, 1)
    cards = x.game.layout.view(x.game.observe(x.s, 0), "cards")
    assert cards[k, 2] == 0 and cards[k, 4] == 2  # it counts as unseen
    assert x.game.layout.view(x.game.observe(x.s, 1), "cards")[k, 1] == 2


@pytest.mark.parametrize("mulligans", [0, 1, 2, 3])
def test_how_often_cards_may_be_returned(mulligans: int) -> None:
    """RT-G22: each time up to three cards, and one fewer is drawn; a player who returns none is done."""
    game = react_env.load("reality_tcg-v0", decks=DECKS, mulligans=mulligans)
    s = game.new(seed=3)
    first = int(s["first"])
    for number in range(mulligans):
        assert s["to_play"] == first and s["hand_size"][first] == 6 - number
        for _ in range(3):
            game.step(s, int(game.legal_actions(s)[0]))
    for number in range(mulligans):  # the other player just as often
        assert s["to_play"] == 1 - first and s["hand_size"].sum() == 12 - mulligans - number
        for _ in range(3):
            game.step(s, int(game.legal_actions(s)[0]))
    assert s["turn"] >= 1 and s["phase"] != S.P_MULLIGAN


def test_who_returns_nothing_is_not_asked_again() -> None:
    """RT-G22: neither at first nor after it has returned a card."""
    game = react_env.load("reality_tcg-v0", decks=DECKS, mulligans=3)
    s = game.new(seed=3)
    first = int(s["first"])
    game.step(s, S.KINDS)
    assert s["to_play"] == 1 - first and s["hand_size"].tolist() == [6, 6]
    game.step(s, int(game.legal_actions(s)[0]))
    game.step(s, S.KINDS)
    assert s["to_play"] == 1 - first and s["phase"] == S.P_MULLIGAN and s["hand_size"].sum() == 11
    game.step(s, S.KINDS)
    assert s["phase"] != S.P_MULLIGAN


def test_a_forbidden_card_is_neither_played_nor_answered_with() -> None:
    """The keyword `forbidden`: for both players, with a card of each sort, set or in hand."""
    banned = ("boxer", "restock", "energy_bar", "sports_arena", "slammed_door")
    here = {
        "hands": ("Boxer, Restock, Energy Bar, Sports Arena, Slammed Door, Coach", "Energy Bar"),
        "decks": ("Coach", "Coach"),
    }
    x = Position(["Boxer"], ["Boxer"], **here, traps=("", "Slammed Door"), forbidden=(banned, banned))  # type: ignore[arg-type]
    assert [text for text in x.legal if text.startswith(("play", "set"))] == ["play Coach"]
    assert attack(x).s["decision"] != S.D_ANSWER and x.hand(1) == ["Energy Bar"]
