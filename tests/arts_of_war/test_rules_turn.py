"""Rules of Re;ACT, chapter two: the turn (AW-T1 to AW-T8)."""

from __future__ import annotations

import pytest

import react_env
from tests.arts_of_war.positions import BLANK, PROGRESS, REST, intention, kit, load, passive, reaction, table

DRAW = intention("[{draw: 1}]")


def habits(name: str) -> tuple[dict[str, object], ...]:
    return tuple(
        passive(f"{when}_turn", BLANK, f"{name} {when}".replace("_", " "))
        for when in ("start_of_every", "start_of_my", "end_of_my", "end_of_every")
    )


@pytest.mark.rule("AW-T1")
@pytest.mark.parametrize("turn_player", [0, 1])
def test_start_of_turn(turn_player: int) -> None:
    """They come first in a turn: the turn player's in the order of the sheet, then the other's; "my" means only one's own turn."""
    t = table(kit("ann", passives=habits("a")), kit("ben", passives=habits("b")), turn_player=1 - turn_player)
    t.end_turn()
    mine, other = "ab"[turn_player], "ab"[1 - turn_player]
    assert t.after(f"Turn 4: player_{turn_player}") == [
        f"player_{turn_player}: {mine} start of every",
        f"player_{turn_player}: {mine} start of my",
        f"player_{1 - turn_player}: {other} start of every",
    ]
    assert t.may("masterpiece card 1") and t.to_play == turn_player  # the next phase


@pytest.mark.rule("AW-T2")
def test_masterpiece_phase() -> None:
    """Not on turn 1; on every later turn once, by the turn player, before the draws."""
    game = load(kit("ann"), kit("ben"), first_player=0)
    state = game.new(seed=0)
    assert int(state["turn"]) == 1 and not (state["row"] >= 0).any()
    assert "end the turn" in [game.action_text(state, int(a)) for a in game.legal_actions(state)]
    assert "player_1 draws a card" in game.log_lines(state)
    for turn, player in ((2, 1), (3, 0)):
        game.step(state, 0)
        assert game.log_lines(state)[-1] == f"Turn {turn}: player_{player}"  # nobody has drawn yet
        assert game.to_play(state) == player
        for _ in range(2):
            game.step(state, int(game.legal_actions(state)[0]))
        lines = game.log_lines(state)
        assert lines[-3].startswith(f"player_{player} places masterpiece card")
        draws = {f"player_{p} {what}": p for p in (0, 1) for what in ("draws a card", "cannot draw, hand is full")}
        assert [draws[line] for line in lines[-2:]] == [player, 1 - player]
        assert int((state["row"] >= 0).sum()) == turn - 1


@pytest.mark.rule("AW-T3")
@pytest.mark.parametrize("first", [0, 1])
def test_both_draw(first: int) -> None:
    game = load(kit("ann"), kit("ben"), first_player=first)
    state = game.new(seed=0)
    assert game.log_lines(state) == [
        f"Turn 1: player_{first}",
        f"player_{first} draws a card",
        f"player_{1 - first} draws a card",
    ]
    assert state["hand"].sum(axis=1).tolist() == [5, 5] and state["deck_size"].tolist() == [25, 25]
    t = table(kit("ann"), kit("ben"), turn_player=1 - first)
    t.deck(0, "Blank 2", "Blank 1")
    t.end_turn().do("masterpiece card 1", "masterpiece slot 1")
    assert t.log[-2:] == [f"player_{first} draws a card", f"player_{1 - first} draws a card"]
    assert t.state["hand"][0].tolist() == [1, 0, 0, 0]  # the top one
    assert t.state["deck_size"].tolist() == [1, 19]


def full_hand(deck: tuple[str, ...], **rules: object) -> object:
    t = table(kit("ann", deck=False), kit("ben", Draw=[reaction("[{draw: 1}]")], Look=[DRAW]), turn_player=0, **rules)
    t.give(1, *["Blank 1"] * 6)
    t.deck(1, *deck)
    return t.end_turn().do("masterpiece card 1", "masterpiece slot 1")


@pytest.mark.rule("AW-T4")
def test_full_hand() -> None:
    """The seventh card is not drawn, and then an empty deck does not matter either."""
    for deck in (("Blank 1",), ()):
        t = full_hand(deck)
        assert "player_1 cannot draw, hand is full" in t.log
        assert t.state["hand"][1].sum() == 6 and t.state["deck_size"][1] == len(deck)
        assert not t.over


@pytest.mark.rule("AW-T4")
def test_no_more_than_six_by_an_effect_either() -> None:
    """One of three draws succeeds, because the card being played has left the hand of six; after that the deck does not matter."""
    t = table(kit("ann", Greedy=[intention("[{draw: 3}]")]), kit("ben"))
    t.give(0, "Greedy", *["Blank 1"] * 5)
    t.deck(0, "Blank 2")
    t.do("play Greedy").passes()
    assert t.after("Greedy of player_0 resolves") == [
        "player_0 draws a card",
        "player_0 cannot draw, hand is full",
        "player_0 cannot draw, hand is full",
    ]
    assert t.state["hand"][0].sum() == 6 and not t.over


@pytest.mark.rule("AW-T4")
def test_full_hand_does_not_spare_if_so_ruled() -> None:
    t = full_hand((), full_hand_spares_deck_out=False)
    assert t.over and t.rewards == [1, -1]
    assert t.log[-2:] == ["player_1 cannot draw, deck is empty", "player_0 wins"]
    t = full_hand(("Blank 1",), full_hand_spares_deck_out=False)
    assert (
        not t.over and t.state["hand"][1].sum() == 6
    )  # with cards in the deck a full hand is no loss, and stays at six


@pytest.mark.rule("AW-T4")
def test_what_lies_face_down_is_held() -> None:
    """With four cards in hand, one on the chain and one face down, one of two draws succeeds."""
    seer = kit("ben", Look=[reaction("[{draw: 2}]")], Hide=[reaction()]) | {"face_down": 1}
    t = table(kit("ann", Go=[intention()]), seer)
    t.give(0, "Go")
    t.give(1, "Look", "Hide", *["Blank 1"] * 4)
    t.do("play Go", "lay Hide face down", "slot 5", "play Look").passes()
    assert t.after("Look of player_1 resolves") == [
        "player_1 draws a card",
        "player_1 cannot draw, hand is full",
        "Go of player_0 resolves",
        "player_1 takes back a face-down card",
    ]
    assert t.state["hand"][1].sum() == 6


@pytest.mark.rule("AW-T5")
@pytest.mark.parametrize("turn_player", [0, 1])
def test_empty_deck(turn_player: int) -> None:
    """The turn player draws first, and so loses first."""
    t = table(kit("ann"), kit("ben"), turn_player=1 - turn_player)
    t.deck(0)
    t.deck(1)
    t.end_turn().do("masterpiece card 1", "masterpiece slot 1")
    assert t.log[-2:] == [f"player_{turn_player} cannot draw, deck is empty", f"player_{1 - turn_player} wins"]
    assert t.over and t.rewards[turn_player] == -1 and t.rewards[1 - turn_player] == 1


@pytest.mark.rule("AW-T5")
def test_empty_deck_in_the_middle_of_an_effect() -> None:
    """The game ends at once: neither the third draw nor the damage after it happens."""
    greedy = intention("[{draw: 3}, {damage: {zone: me}}]")
    t = table(kit("ann", Greedy=[greedy]), kit("ben"))
    t.give(0, "Greedy")
    t.deck(0, "Blank 1")
    t.do("play Greedy").passes()
    assert t.log[-3:] == ["player_0 draws a card", "player_0 cannot draw, deck is empty", "player_1 wins"]
    assert t.rewards == [-1, 1] and t.state["damage"].tolist() == [0, 0]


@pytest.mark.rule("AW-T5")
def test_no_deck_never_loses_by_it() -> None:
    draws = intention("[{draw: 1}]", "[{exhaust: me}]")
    t = table(kit("ann", deck=False, artist=(PROGRESS, draws)), kit("ben"))
    t.do("play Ann", "Ann [2]").passes()
    assert "Ann of player_0 resolves" in t.log and not t.over
    t.do("masterpiece card 1", "masterpiece slot 1")
    assert not t.over and "player_0 draws a card" not in t.log


@pytest.mark.rule("AW-T5")
@pytest.mark.parametrize("turn_player", [0, 1])
def test_what_the_sheets_say_instead_of_a_draw(turn_player: int) -> None:
    """Both do it when both would draw: the turn player first, each in the order of the sheet."""
    one, other = (
        kit(name, deck=False, passives=tuple(passive("instead_of_draw", BLANK, f"{name} {i}") for i in (1, 2)))
        for name in ("ann", "ben")
    )
    t = table(one, other, turn_player=1 - turn_player)
    t.end_turn().do("masterpiece card 1", "masterpiece slot 1")
    assert t.after(f"player_{turn_player} places masterpiece card 1 in slot 1") == [
        f"player_{player}: {('ann', 'ben')[player]} {i}" for player in (turn_player, 1 - turn_player) for i in (1, 2)
    ]


@pytest.mark.rule("AW-T3", "AW-T5")
def test_one_draws_and_the_other_does_what_its_sheet_says() -> None:
    t = table(kit("ann", deck=False, passives=(passive("instead_of_draw", BLANK, "Muse"),)), kit("ben"))
    t.end_turn().do("masterpiece card 1", "masterpiece slot 1")
    assert t.log[-2:] == ["player_1 draws a card", "player_0: Muse"]


@pytest.mark.rule("AW-T6")
def test_any_number_of_chains() -> None:
    """A chain does not end the turn; the turn player does, and only between chains."""
    t = table(
        kit("ann", Act=[intention("[{choose_zone: {as: z, where: {}}}, {place_tile: {tile: bell, zone: z}}]")]),
        kit("ben", Answer=[reaction()]),
    )
    t.give(0, *["Act"] * 4)
    t.give(1, "Answer")
    for _ in range(4):
        assert t.to_play == 0 and t.may("end the turn")
        t.do("play Act")
        assert t.to_play == 1 and not t.may("end the turn")  # in the reaction window
        t.do("pass")
        assert t.to_play == 0 and not t.may("end the turn")  # at a choice during the resolution
        t.do("zone a1")
    assert t.state["turn"] == 3
    t.end_turn()
    assert t.state["turn"] == 4 and "player_0 ends the turn" in t.log


@pytest.mark.rule("AW-T7")
@pytest.mark.parametrize("turn_player", [0, 1])
def test_end_of_turn_effects(turn_player: int) -> None:
    t = table(kit("ann", passives=habits("a")), kit("ben", passives=habits("b")), turn_player=turn_player)
    t.end_turn()
    mine, other = "ab"[turn_player], "ab"[1 - turn_player]
    lines = t.after(f"player_{turn_player} ends the turn")
    assert lines[: lines.index(f"Turn 4: player_{1 - turn_player}")] == [
        f"player_{turn_player}: {mine} end of my",
        f"player_{turn_player}: {mine} end of every",
        f"player_{1 - turn_player}: {other} end of every",
    ]


@pytest.mark.rule("AW-T7")
@pytest.mark.parametrize("refresh", ["after_effects", "before_effects"])
def test_refresh_and_block(refresh: str) -> None:
    """Units of both sides are refreshed after the end-of-turn effects; what lasts a turn goes, what lasts longer stays."""
    dusk = passive(
        "end_of_my_turn", "[{if: {unit: me, is: {exhausted: true}}, then: [{add_token: {token: ink, to: me}}]}]", "Dusk"
    )
    t = table(kit("ann", passives=(dusk,), artist=(PROGRESS, REST)), kit("ben"), refresh=refresh)
    t.place(0, "artist", "c1", exhausted=True)
    t.place(0, "imp", "a1", exhausted=True)
    t.place(1, "artist", "c5", exhausted=True)
    t.place(1, "imp", "a5", "ink", exhausted=True)
    t.strew(0, "block", "b2")
    t.strew(1, "block", "b4")
    t.strew(1, "scale", "b4")
    t.end_turn()
    inked = refresh == "after_effects"  # she is still exhausted as Dusk runs
    assert ("player_0's Ann (c1) gets Ink" in t.log) == inked
    assert [line for line in t.game.status_lines(t.state) if line.startswith(("unit", "zone"))] == [
        "unit player_0's Ann (c1)" + ", player_0's Ink" * inked,
        "unit player_0's Imp 1 (a1)",
        "unit player_1's Ben (c5)",
        "unit player_1's Imp 1 (a5), player_1's Ink",
        "zone b4: player_1's Scale",
    ]
    assert t.state["token_left"][:, 2].tolist() == [2, 2]


@pytest.mark.rule("AW-T7")
@pytest.mark.parametrize("refresh", ["after_effects", "before_effects"])
def test_what_is_exhausted_at_the_end_of_the_turn(refresh: str) -> None:
    """It is refreshed if the refresh comes last; it stays exhausted in the next turn if the refresh came before."""
    dusk = passive("end_of_my_turn", "[{exhaust: me}]", "Dusk")
    t = table(kit("ann", passives=(dusk,)), kit("ben"), refresh=refresh)
    t.end_turn()
    assert "player_0's Ann (c1) is exhausted" in t.log
    assert ("exhausted" in t.status("unit player_0's Ann")) == (refresh == "before_effects")


@pytest.mark.rule("AW-T7")
def test_what_lasts_a_turn_goes_from_units_as_well() -> None:
    tokens = {"chill": {"name": "Chill", "place": "unit", "pool": 2, "stacks": False, "lasts": "turn"}}
    t = table(kit("ann", tokens=tokens, tiles={}), kit("ben"))
    t.place(0, "artist", "c1", "chill")
    t.mark(8, "chill", 0)
    t.end_turn()
    assert t.state["token"].sum() == 0 and t.state["token_left"][0, 0] == 2


@pytest.mark.rule("AW-T7", "AW-U10")
def test_a_block_stands_until_the_end_of_turn_effects_are_over() -> None:
    dusk = passive("end_of_my_turn", "[{damage: {zone: me}}]", "Dusk")
    t = table(kit("ann", passives=(dusk,)), kit("ben"))
    t.strew(0, "block", "c1")
    t.end_turn()
    assert "Damage at c1 is blocked" in t.log and t.state["damage"].tolist() == [0, 0]


@pytest.mark.rule("AW-T8")
@pytest.mark.parametrize(("rules", "last"), [({}, 60), ({"max_turns": 7}, 7)])
def test_truncation(rules: dict[str, int], last: int) -> None:
    t = table(kit("ann"), kit("ben"), turn=last - 1, **rules).end_turn()
    assert not t.over and t.state["turn"] == last
    t.do("masterpiece card 1", "masterpiece slot 1").end_turn()
    assert t.game.truncated(t.state) and not t.game.terminated(t.state)
    assert t.rewards == [0, 0] and t.log[-1] == "The game is truncated" and t.state["turn"] == last


@pytest.mark.rule("AW-T8")
def test_the_limit_comes_after_the_end_phase() -> None:
    """A loss in the end phase of the last turn counts."""
    stumble = passive("end_of_my_turn", "[{damage: {zone: me}}]", "Stumble")
    t = table(kit("ann", passives=(stumble,)), kit("ben"), turn=60)
    t.hurt(0, 2)
    t.end_turn()
    assert t.game.terminated(t.state) and t.rewards == [-1, 1]
    assert react_env.load("arts_of_war-v0").options == {"artists": ["calligrapher", "dancer"]}
