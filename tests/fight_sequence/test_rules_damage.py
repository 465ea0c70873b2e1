"""Rules of Fight Sequence: damage to the deck, and winning (FS-W1 to FS-W4, FS-G7)."""

from __future__ import annotations

import pytest

from tests.fight_sequence.positions import card, kit, table

BURST = card("Burst", 10, 0, "magical", "{timing: timed, damage: {amount: 2, type: magical, to: both}}")
CRAMP = card("Cramp", 10, 1, "physical", "{timing: timed, damage: {amount: 2, type: physical, to: self}}")
WON = "player_0 wins: player_1 took damage with an empty deck"
LOST = "player_1 wins: player_0 took damage with an empty deck"


@pytest.mark.rule("FS-W1")
@pytest.mark.parametrize("player", [0, 1])
def test_damage_discards_from_the_top(player: int) -> None:
    """The player who takes damage discards that many cards from the top, onto its own pile; the builder loses nothing."""
    t = table()
    t.deck(1 - player, "Jab", "Thrust", "Slash", "Lunge", "Dart", "Missile", "Missile")
    t.row(f"{player} attacks Downswing")
    t.resolve()
    assert t.told == [
        f"Downswing of player_{player} resolves",
        f"player_{1 - player} takes 5 physical damage",
        f"player_{1 - player} discards Jab, Thrust, Slash, Lunge",
        f"player_{1 - player} discards Dart",
    ]
    assert (t.life[player], t.life[1 - player]) == (10, 2)
    assert t.game.text(t.state).splitlines()[-3 + 1 - player].endswith("deck from the top: Missile, Missile")
    assert t.status(f"player_{1 - player}").endswith("; discard 5: Jab, Thrust, Slash, Lunge, Dart")
    assert t.status(f"player_{player}").endswith("; discard 1: Downswing")


@pytest.mark.rule("FS-W1")
def test_much_damage() -> None:
    """Every point of it discards a card."""
    t = table(kit(card("Crash", 10, 12)))
    t.deck(1, *["Idle"] * 12, "Crash")
    t.row("0 attacks Crash")
    t.resolve()
    assert t.told[1:] == ["player_1 takes 12 physical damage", *["player_1 discards Idle, Idle, Idle, Idle"] * 3]
    assert t.life == [10, 1] and t.status("player_1").endswith("discard 12: Idle x12")


@pytest.mark.rule("FS-W2")
@pytest.mark.parametrize("player", [0, 1])
def test_damage_to_an_empty_deck_wins(player: int) -> None:
    """A single point is enough, and the rest of the sequence does not resolve."""
    t = table()
    t.deck(1 - player)
    t.deck(player)
    t.row(f"{1 - player} attacks Downswing", f"{player} attacks Jab")
    t.resolve()
    assert t.log == [
        f"Jab of player_{player} resolves",
        f"player_{1 - player} takes 1 physical damage",
        f"player_{player} wins: player_{1 - player} took damage with an empty deck",
    ]
    assert t.over and t.rewards[player] == 1 and t.rewards[1 - player] == -1
    assert t.game.terminated(t.state) and not t.game.truncated(t.state)


@pytest.mark.rule("FS-W2")
def test_no_damage_defeats_nobody() -> None:
    """Not even with an empty deck, if tokens stop all of it or the attack has no Power."""
    t = table(kit(card("Wave", 10, 0), card("Jab", 60, 2)))
    t.deck(1)
    t.tokens(1, armor=2)
    t.row("0 attacks Wave", "0 attacks Jab")
    t.resolve()
    assert t.told == [
        "Jab of player_0 resolves",
        "player_1 takes no physical damage, 2 stopped",
        "Wave of player_0 resolves",
    ]
    assert not t.over


@pytest.mark.rule("FS-W2", "FS-B7")
def test_immediate_damage_wins_at_once() -> None:
    t = table(kit(card("Sting", 50, 0, effect="{timing: immediate, damage: {amount: 1, type: physical}}")))
    t.deck(1)
    t.hand(0, "Sting")
    t.hand(1, "Idle")
    t.do("attack with Sting")
    assert t.log == ["player_0 attacks with Sting", "player_1 takes 1 physical damage", WON]
    assert t.rewards == [1, -1]


@pytest.mark.rule("FS-W3")
def test_overkill_only_empties_the_deck() -> None:
    t = table()
    t.deck(1, "Jab", "Thrust")
    t.row("0 attacks Jab", "0 attacks Heavy Kick")
    t.resolve(fill=False)
    assert t.log[:3] == [
        "Heavy Kick of player_0 resolves",
        "player_1 takes 6 physical damage",
        "player_1 discards Jab, Thrust",
    ]
    assert t.log[3:] == ["Jab of player_0 resolves", "player_1 takes 1 physical damage", WON]
    t = table()
    t.deck(1, "Jab", "Thrust")
    t.row("0 attacks Heavy Kick")
    t.resolve()
    assert not t.over and t.life == [10, 0]


@pytest.mark.rule("FS-W4", "FS-B4")
def test_a_pass_without_a_card_to_draw() -> None:
    t = table()
    t.deck(0)
    t.row("0 attacks Jab", "1 attacks Jab")
    t.hand(0, "Slash")
    t.hand(1, "Slash")
    t.do("pass")
    assert t.log == ["player_0 passes", "player_0 takes the initiative", "player_0 cannot draw, the deck is empty"]
    assert not t.over and t.to_play == 1


@pytest.mark.rule("FS-W4", "FS-C2")
def test_too_few_cards_at_cleanup() -> None:
    t = table()
    t.deck(0, "Jab", "Slash")
    t.deck(1)
    t.hand(1, "Dart")
    t.resolve(fill=False)
    assert t.told == ["player_0 draws 2 cards", "player_1 cannot draw, the deck is empty"]
    assert t.state["hand_size"].tolist() == [2, 1] and not t.over


@pytest.mark.rule("FS-W2", "FS-W3", "FS-E5")
def test_each_instance_finds_the_deck_as_it_is() -> None:
    """Text damage that empties the deck defeats nobody; the Power of the same attack then does."""
    for cards in (1, 2, 3):
        t = table()
        t.deck(1, *["Slash"] * cards)
        t.row("0 attacks Fireball")
        t.resolve()
        assert t.over == (cards < 3) and t.life == [8, 0]
        assert (t.log[-2:] == ["player_1 takes 6 magical damage", WON]) == t.over


def both_fall(**rules: object) -> object:
    t = table(kit(BURST), **rules)
    t.deck(0)
    t.deck(1)
    t.row("1 attacks Burst")
    return t.resolve()


@pytest.mark.rule("FS-G7")
def test_simultaneous_defeat_is_a_draw() -> None:
    t = both_fall()
    assert t.log == [
        "Burst of player_1 resolves",
        "player_0 takes 2 magical damage",
        "player_1 takes 2 magical damage",
        "the game is a draw: both took damage with an empty deck",
    ]
    assert t.over and t.rewards == [0, 0]


@pytest.mark.rule("FS-G7")
def test_simultaneous_defeat_is_lost_by_the_builder_if_so_ruled() -> None:
    t = both_fall(simultaneous_defeat="builder_loses")
    assert t.log[-1] == "player_0 wins: both took damage with an empty deck, by an Action of player_1"
    assert t.rewards == [1, -1]


@pytest.mark.rule("FS-G7", "FS-E5")
@pytest.mark.parametrize("ruling", ["draw", "builder_loses"])
def test_damage_to_both_that_defeats_one(ruling: str) -> None:
    """Both take the damage before the game ends."""
    for loser in (0, 1):
        t = table(kit(BURST), simultaneous_defeat=ruling)
        t.deck(loser)
        t.row("0 attacks Burst")
        t.resolve()
        assert t.log[-1] == f"player_{1 - loser} wins: player_{loser} took damage with an empty deck"
        assert t.life[1 - loser] == 8
        assert t.rewards == [1 - 2 * (loser == p) for p in (0, 1)]


@pytest.mark.rule("FS-G7", "FS-E5")
def test_damage_to_oneself_defeats() -> None:
    t = table(kit(CRAMP))
    t.deck(0)
    t.row("0 attacks Cramp")
    t.resolve()
    assert t.log == ["Cramp of player_0 resolves", "player_0 takes 2 physical damage", LOST]
    assert t.rewards == [-1, 1] and t.life == [0, 10]
