"""Rules of Fight Sequence: cleanup, and what comes after it (FS-C1 to FS-C5, FS-G12)."""

from __future__ import annotations

import pytest

from tests.fight_sequence.positions import Table, load, table


def too_many(player: int, *row: str, **rules: object) -> Table:
    """Seven cards in that player's hand: Jab, Thrust, Dart and four Slashes; Lunge on Missile in the deck."""
    t = table(**rules)
    t.deck(player, "Lunge", "Missile")
    t.hand(player, "Jab", "Thrust", "Dart", *["Slash"] * 4)
    t.row(*row)
    return t.resolve(initiative=0)


@pytest.mark.rule("FS-C1")
def test_tokens_go() -> None:
    t = table()
    t.tokens(0, 3, 6)
    t.tokens(1, 6, 3)
    t.hand(0, *["Slash"] * 4, "Jab", "Dart")
    t.resolve()
    assert t.status("Sequence") == "Sequence 1, cleanup, initiative player_0"
    assert not any("Armor" in t.status(f"player_{p}") or "Resistance" in t.status(f"player_{p}") for p in (0, 1))
    t.do("put Jab")
    t.row("0 attacks Downswing", "0 attacks Blast", "1 attacks Downswing", "1 attacks Blast")
    t.resolve()
    assert [line for line in t.told if "stopped" in line] == []


@pytest.mark.rule("FS-C2")
@pytest.mark.parametrize("player", [0, 1])
def test_draw_up_to_five(player: int) -> None:
    """Cards come from the top; a player with five draws none."""
    t = table()
    t.deck(player, "Jab", "Thrust", "Dart", "Lunge")
    t.hand(player, "Slash", "Slash")
    t.hand(1 - player, *["Slash"] * 5)
    t.resolve(fill=False)
    assert t.told == [f"player_{player} draws 3 cards"] and t.to_play == 0
    assert t.status(f"player_{player}") == f"player_{player}: hand 5: Jab, Thrust, Slash x2, Dart; deck 1; discard 0"
    assert t.status(f"player_{1 - player}").startswith(f"player_{1 - player}: hand 5: Slash x5; deck 10;")


@pytest.mark.rule("FS-C2")
def test_one_card_and_four() -> None:
    t = table()
    t.hand(0, *["Slash"] * 4)
    t.resolve(fill=False)
    assert t.told == ["player_0 draws a card", "player_1 draws 5 cards"]


@pytest.mark.rule("FS-C3")
@pytest.mark.parametrize("player", [0, 1])
def test_put_cards_back(player: int) -> None:
    """One by one, in any order, until five are left; the last one put back lies on top."""
    t = too_many(player)
    assert t.to_play == player and t.options() == [
        f"put {name} on the deck" for name in ("Jab", "Thrust", "Slash", "Dart")
    ]
    t.do("put Dart")
    assert t.to_play == player and not t.may("put Dart") and t.may("put Slash")
    assert t.life[player] == 3
    t.do("put Jab")
    assert t.told == [f"player_{player} puts a card on the deck"] * 2
    assert t.life[player] == 4 and t.state["hand_size"].tolist() == [5, 5]
    assert t.status("Sequence").startswith("Sequence 2, building")
    text = t.game.text(t.state).splitlines()
    assert f"player_{player}'s deck from the top: Jab, Dart, Lunge, Missile" in text
    t.do(t.options()[0])
    t.deck(1 - player)
    t.row(f"{1 - player} attacks Lunge")
    t.resolve()  # cards put back count as life
    if t.may("take"):
        t.do("take")
    assert f"player_{player} discards Jab, Dart, Lunge, Missile" in t.log


@pytest.mark.rule("FS-C3")
def test_equal_cards_are_put_back_without_a_question() -> None:
    t = table()
    t.hand(0, *["Slash"] * 6)
    t.resolve()
    assert t.told == ["player_0 puts a card on the deck"] and t.life == [11, 10]


@pytest.mark.rule("FS-C4")
def test_the_game_is_cut_short() -> None:
    """It is cut short after the cleanup of the last sequence, unless the cards end it first."""
    for limit in (60, 3):
        t = table() if limit == 60 else table(max_sequences=limit)
        t.state.sequence = limit - 1
        t.resolve()
        assert not t.over and t.status("Sequence") == f"Sequence {limit}, building, initiative player_0"
        t.resolve(fill=False)
        assert t.log[-1] == f"the game is cut short after {limit} sequences, the limit"
        assert t.over and t.rewards == [0, 0] and t.game.truncated(t.state) and not t.game.terminated(t.state)
    t = table(max_sequences=1)
    t.deck(0)
    t.deck(1)
    t.resolve(fill=False)
    assert t.log[-1] == "the game is a draw: nobody has a card left" and t.game.terminated(t.state)


@pytest.mark.rule("FS-C5", "FS-B4")
@pytest.mark.parametrize("player", [0, 1])
def test_the_initiative_begins_the_next_sequence(player: int) -> None:
    """The first to pass begins it, whoever began this one."""
    for starter in (0, 1):
        t = table()
        t.state.starter = starter
        t.row(f"{1 - player} attacks Thrust")
        for p in (0, 1):
            t.hand(p, *["Slash"] * 4)
        t.do("pass", "pass")
        assert t.log[1] == f"player_{player} takes the initiative"
        assert t.log[-1] == f"Sequence 2: player_{player} begins" and t.to_play == player
        assert t.status("Sequence") == f"Sequence 2, building, initiative player_{player}"


@pytest.mark.rule("FS-C5", "FS-B4", "FS-B5")
def test_a_sequence_begins_afresh() -> None:
    """There are no Actions and no Speed to beat, nobody has passed, and all turns are left."""
    game = load(first_player=0)
    state = game.new(seed=1)
    for _ in range(300):
        events = game.event_count(state)
        game.step(state, int(game.legal_actions(state)[0]))
        if any(line.startswith("Sequence ") for line in game.log_lines(state, events)):
            assert state["slots"] == state["turns"] == state["passes"] == state["claimed"] == state["speed"] == 0
            assert not state["token"].any() and not state["ward"].any() and not state["pieces"].any()
        if game.terminated(state):
            break
    assert int(state["sequence"]) >= 2


@pytest.mark.rule("FS-G12")
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("ruling", ["initiative_first", "initiative_last"])
def test_whose_cleanup_comes_first(player: int, ruling: str) -> None:
    t = table(cleanup_order=ruling)
    t.resolve(initiative=player, fill=False)
    first = player if ruling == "initiative_first" else 1 - player
    assert t.told == [f"player_{first} draws 5 cards", f"player_{1 - first} draws 5 cards"]
