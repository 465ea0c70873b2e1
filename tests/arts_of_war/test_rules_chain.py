"""Rules of Re;ACT, chapter three: the React Chain and its effects (AW-C1 to AW-C16)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from react_env.errors import CardError
from react_env.games.arts_of_war.actions import ACTIONS
from react_env.games.arts_of_war.cards import parse_artist
from tests.arts_of_war.positions import (
    BLANK,
    PROGRESS,
    REST,
    Table,
    ability,
    intention,
    kit,
    passive,
    reaction,
    table,
)

HIT = "[{damage: {zone: target}}]"
TARGET = "[{choose_zone: {as: target, where: {}}}]"
STEP = "[{choose_direction: way}]"
MOVE = "[{move: {unit: me, way: way}}]"


def note(token: str = "scale") -> str:
    """An effect that leaves a mark where its user stands."""
    return f"[{{add_token: {{token: {token}, to: me}}}}]"


# ---------------------------------------------------------------------------------------------------------------- playing


@pytest.mark.rule("AW-C1")
def test_intentions_begin_and_reactions_follow() -> None:
    both = [intention(), reaction()]
    t = table(kit("ann", Both=both, Calm=[reaction()]), kit("ben", Both=both, Act=[intention()]))
    t.give(0, "Both", "Both", "Calm")
    t.give(1, "Both", "Act")
    assert t.to_play == 0
    assert t.options() == ["end the turn", "play Both (Intention)", "play Ann (Intention)"]
    t.do("play Both (Intention)")
    assert t.to_play == 1 and t.options() == ["pass", "play Both (Reaction)"]
    t.do("play Both (Reaction)")
    assert t.log[-1] == "player_1 plays Both [2] (Reaction)"  # its Intention cannot be played here
    assert t.to_play == 0 and t.options() == ["pass", "play Both (Reaction)", "play Calm (Reaction)"]
    t.do("pass")
    assert t.log[-4:] == [
        "player_0 passes",
        "player_1 passes",  # a player who has no Reaction left is not asked
        "Both of player_1 resolves",
        "Both of player_0 resolves",
    ]
    assert t.to_play == 0 and t.state["chain_size"] == 0


@pytest.mark.rule("AW-C2")
def test_costs_are_paid_at_once() -> None:
    dear = intention(
        note(),
        "[{exhaust: me}, {choose_unit: {as: it, where: {token: ink}}}, {remove_token: {token: ink, from: it}}, {discard: 1}]",
    )
    t = table(kit("ann", Dear=[dear]), kit("ben", Answer=[reaction()]))
    t.place(0, "artist", "c1", "ink")
    t.give(0, "Dear", "Blank 1")
    t.give(1, "Answer")
    t.do("play Dear")
    assert t.log == [
        "player_0's Ann (c1) is exhausted",
        "player_0's Ann (c1) loses Ink",
        "player_0 discards Blank 1",
        "player_0 plays Dear (Intention), unit player_0's Ann (c1)",
    ]
    assert t.to_play == 1  # and only now the opponent may react
    assert t.state["unit_exhausted"][0] == 1 and t.state["token"].sum() == 0 and t.state["hand"][0].sum() == 0
    t.do("pass")
    assert "c1 gets Scale" in t.log


A_SCALE = "[{choose_zone: {as: z, where: {token: scale}}}, {remove_token: {token: scale, from: z}}]"
NEXT_TO_ME = "[{choose_zone: {as: z, where: {adjacent_to: me, occupied: true}}}]"
THEIR_SUMMON = "[{choose_unit: {as: it, where: {side: theirs, kind: summon}}}]"


COINS = {"coin": {"name": "Coin", "start": 0, "most": 9}}
AN_IMP = "[{choose_zone: {as: z, where: {holds: {side: mine, kind: imp}}}}, {sacrifice: z}]"


@pytest.mark.rule("AW-C2")
@pytest.mark.parametrize("zone", ["b2", "a1"])
def test_summons_and_counters_are_paid_at_once(zone: str) -> None:
    dear = intention(note(), "[{pay: {counter: coin, count: 2}}, " + AN_IMP[1:])
    t = table(kit("ann", Dear=[dear]) | {"counters": COINS}, kit("ben", Answer=[reaction()]))
    t.place(0, "imp", zone)
    t.count(0, "coin", 3)
    t.give(0, "Dear")
    t.give(1, "Answer")
    t.do("play Dear")
    assert t.log == [
        "player_0's Coin: 1",
        f"player_0's Imp 1 ({zone}) is removed",
        f"player_0 plays Dear (Intention), zone {zone}",
    ]
    assert t.to_play == 1 and t.at(zone) == ""


@pytest.mark.rule("AW-C2")
@pytest.mark.parametrize(
    ("cost", "payable", "broken"),
    [
        ("[{exhaust: me}]", lambda t: None, lambda t: t.place(0, "artist", "c1", exhausted=True)),
        ("[{discard: 1}]", lambda t: t.give(0, "Blank 1"), lambda t: None),
        (THEIR_SUMMON, lambda t: t.place(1, "imp", "a5"), lambda t: t.place(0, "imp", "a5")),
        (A_SCALE, lambda t: t.strew(0, "scale", "a1"), lambda t: None),
        (A_SCALE, lambda t: t.strew(0, "scale", "a1"), lambda t: t.strew(1, "scale", "a1")),
        (NEXT_TO_ME, lambda t: t.place(0, "imp", "c2"), lambda t: t.place(0, "imp", "d2")),
        (AN_IMP, lambda t: t.place(0, "imp", "b2"), lambda t: t.place(1, "imp", "b2")),
        ("[{pay: {counter: coin, count: 2}}]", lambda t: t.count(0, "coin", 2), lambda t: t.count(0, "coin", 1)),
        (
            "[{require: {units: {side: mine, kind: imp}, at_least: 2}}]",
            lambda t: [t.place(0, "imp", zone) for zone in ("a1", "b1")],
            lambda t: t.place(0, "imp", "a1"),
        ),
    ],
)
def test_what_cannot_be_paid_cannot_be_played(cost: str, payable: Any, broken: Any) -> None:
    for arrange, playable in ((payable, True), (broken, False)):
        t = table(kit("ann", Dear=[intention(cost=cost)]) | {"counters": COINS}, kit("ben"))
        t.give(0, "Dear")
        arrange(t)
        assert t.may("play Dear") == playable


@pytest.mark.rule("AW-C2")
@pytest.mark.parametrize(("coins", "playable"), [(2, True), (1, False)])
def test_a_summon_pays_with_what_its_player_has(coins: int, playable: bool) -> None:
    dear = ability("Imp", "imp", intention(cost="[{pay: {counter: coin, count: 2}}, {exhaust: me}]"))
    t = table(kit("ann", dear) | {"counters": COINS}, kit("ben"))
    t.place(0, "imp", "b2")
    t.count(0, "coin", coins)
    assert t.may("play Imp") == playable


@pytest.mark.rule("AW-C2")
@pytest.mark.parametrize("held", [1, 0])
def test_an_ability_card_is_not_one_of_the_cards_in_hand(held: int) -> None:
    """The one action card in hand pays for it; without one nothing does."""
    t = table(kit("ann", artist=(PROGRESS, REST, intention(cost="[{discard: 1}]"))), kit("ben"))
    t.place(0, "artist", "c1", exhausted=True)
    t.give(0, *["Blank 1"] * held)
    assert t.may("play Ann") == bool(held)


@pytest.mark.rule("AW-C2")
def test_what_is_near_an_earlier_choice_can_always_be_chosen() -> None:
    """When the game asks whether the cost can be paid, nothing has been chosen yet."""
    cost = "[{choose_zone: {as: one, where: {}}}, {choose_zone: {as: two, where: {adjacent_to: one}}}]"
    t = table(kit("ann", Dear=[intention(cost=cost)]), kit("ben"))
    t.give(0, "Dear")
    t.do("play Dear", "zone a1")
    assert t.options() == ["zone b1", "zone a2"]


@pytest.mark.rule("AW-C2", "AW-U6")
def test_what_costs_nothing_can_always_be_played() -> None:
    """Even by an exhausted artist, with no other card in hand and no unit near; the same effect with a cost cannot be."""
    lone = "[{choose_unit: {as: it, where: {kind: imp}}}, {exhaust: it}]"
    for cost, playable in (("[]", True), ("[{exhaust: me}]", False)):
        t = table(kit("ann", Act=[intention(lone, cost)]), kit("ben", Answer=[reaction(lone, cost)]))
        for player, zone in ((0, "c1"), (1, "c5")):
            t.place(player, "artist", zone, exhausted=True)
        t.give(0, "Act")
        assert t.may("play Act") == playable
        if playable:
            t.give(1, "Answer")
            t.do("play Act")
            assert t.options() == ["pass", "play Answer (Reaction)"]
            t.do("play Answer").passes()
            assert t.after("Answer of player_1 resolves")[0] == "Act of player_0 resolves"


@pytest.mark.rule("AW-C3")
def test_the_effect_is_declared() -> None:
    one, two = intention(note("ink")), intention(note("scale"), "[{discard: 1}]")
    t = table(kit("ann", Many=[one, reaction(), two]), kit("ben", Answer=[reaction()]))
    t.give(0, "Many", "Blank 1", "Blank 1")
    t.give(1, "Answer")
    t.do("play Many (Intention)")
    assert t.options() == ["Many [1]", "Many [3]"]
    t.step(ACTIONS.groups["options"].start + 2)  # the third effect of the card
    assert t.log == ["player_0 discards Blank 1", "player_0 plays Many [3] (Intention)"]
    t.do("pass")
    assert t.log[-1] == "c1 gets Scale"
    # If only one effect can be paid for, that one is meant.
    t = table(kit("ann", Many=[one, reaction(), two]), kit("ben"))
    t.give(0, "Many")
    t.do("play Many (Intention)")
    assert t.log[0] == "player_0 plays Many [1] (Intention)" and t.log[-1] == "player_0's Ann (c1) gets Ink"


# ---------------------------------------------------------------------------------------------------------------- the window


def duel(turn_player: int = 0, **rules: object) -> Table:
    """A position in which both players hold cards that can do anything at any time."""
    cards = {"Act": [intention(), reaction()]}
    t = table(kit("ann", **cards), kit("ben", **cards), turn_player=turn_player, **rules)
    t.give(0, *["Act"] * 5)
    t.give(1, *["Act"] * 5)
    return t


@pytest.mark.rule("AW-C4")
@pytest.mark.parametrize("turn_player", [0, 1])
def test_the_opponent_of_the_last_play_comes_first(turn_player: int) -> None:
    t = duel(turn_player)
    me, them = turn_player, 1 - turn_player
    t.do("play Act (Intention)")
    assert t.to_play == them
    t.do("play Act (Reaction)")
    assert t.to_play == me
    t.do("pass")
    assert t.to_play == them  # the player of the last card may go on alone
    t.do("play Act (Reaction)")
    assert t.to_play == me  # a player who passed before is asked again
    t.do("pass", "pass")
    assert t.log[-5:] == [
        f"player_{me} passes",
        f"player_{them} passes",
        f"Act of player_{them} resolves",
        f"Act of player_{them} resolves",
        f"Act of player_{me} resolves",
    ]
    assert t.to_play == me and t.state["chain_size"] == 0


@pytest.mark.rule("AW-C4")
def test_one_pass_locks_nobody_out() -> None:
    t = duel()
    t.do("play Act (Intention)", "pass")
    assert t.to_play == 0 and t.state["chain_size"] == 1  # one pass does not resolve the chain
    t.do("play Act (Reaction)")
    assert t.to_play == 1 and t.may("play Act (Reaction)")
    t.do("pass")
    assert t.to_play == 0 and t.state["chain_size"] == 2  # passes before a play do not count
    t.do("pass")
    assert t.state["chain_size"] == 0


SEER = kit("ben", Hide=[reaction()], Dear=[reaction(cost="[{discard: 1}]")]) | {"face_down": 1}


@pytest.mark.rule("AW-C4", "AW-I1")
def test_where_a_card_is_laid_face_down() -> None:
    """In a slot after the next one, which only a play fills; no more of them than the artist may lay. Laying one is no play."""
    t = table(kit("ann", Go=[intention()], Answer=[reaction()]), SEER)
    t.give(0, "Go")
    t.give(1, "Hide", "Hide")
    t.do("play Go", "lay Hide face down")
    assert t.options() == [f"slot {i} of the chain" for i in (3, 4, 5)]
    t.do("slot 4")
    assert t.to_play == 1 and t.options() == ["pass", "play Hide (Reaction)"]
    t.passes()
    t.give(0, "Go", "Answer")
    t.give(1, "Hide")
    t.do("play Go", "play Hide", "play Answer", "play Hide")
    assert t.to_play == 1 and t.options() == ["pass", "play Hide (Reaction)"]  # the last slot is the next one


@pytest.mark.rule("AW-C1", "AW-C4")
def test_only_reactions_are_laid_face_down_and_only_into_free_slots() -> None:
    t = table(kit("ann", Go=[intention()], Answer=[reaction()]), SEER | {"face_down": 2})
    t.give(0, "Go", "Answer")
    t.give(1, "Hide", "Hide", "Hide", "Blank 1")
    t.do("play Go")
    assert t.options() == ["pass", "play Hide (Reaction)", "lay Hide face down"]
    t.do("lay Hide face down", "slot 5", "play Hide", "play Answer")
    assert t.to_play == 1 and t.options() == ["pass", "play Hide (Reaction)"]  # after the next slot none is free
    t = table(kit("ann", Go=[intention()]), SEER | {"face_down": 2})
    t.give(0, "Go")
    t.give(1, "Hide", "Hide")
    t.do("play Go", "lay Hide face down", "slot 4", "lay Hide face down")
    assert t.options() == ["slot 3 of the chain", "slot 5 of the chain"]


@pytest.mark.rule("AW-C2", "AW-C4")
def test_a_revealed_card_is_played() -> None:
    """That happens right after the card before it was played: its cost is paid, and then its player's opponent may react."""
    t = table(kit("ann", Go=[intention()], Answer=[reaction()]), SEER)
    t.give(0, "Go", "Answer")
    t.give(1, "Hide", "Dear", "Blank 1")
    t.do("play Go", "lay Dear face down", "slot 3", "play Hide")
    assert t.log[-3:] == ["player_1 reveals Dear", "player_1 discards Blank 1", "player_1 plays Dear (Reaction)"]
    assert t.to_play == 0 and t.state["chain_size"] == 3 and not t.state["hand"][1].any()


@pytest.mark.rule("AW-C2", "AW-C4")
def test_a_revealed_card_that_cannot_be_paid_for() -> None:
    """It is discarded, and the opponent of the player who played last may react as if it had not been there."""
    t = table(kit("ann", Go=[intention()], Answer=[reaction()]), SEER)
    t.give(0, "Go", "Answer")
    t.give(1, "Hide", "Dear")
    t.do("play Go", "lay Dear face down", "slot 3", "play Hide")
    assert t.log[-2:] == ["player_1 reveals Dear", "Dear of player_1 comes to nothing"]
    assert t.state["discard"][1].tolist() == [0, 1, 0, 0] and not t.state["hand"][1].any()
    assert t.to_play == 0 and t.options() == ["pass", "play Answer (Reaction)"]


@pytest.mark.rule("AW-C5")
def test_the_fifth_card() -> None:
    t = duel()
    t.do("play Act (Intention)", *["play Act (Reaction)"] * 3)
    assert t.state["chain_size"] == 4 and t.may("play Act (Reaction)")
    t.do("play Act (Reaction)")
    assert t.log[-6:] == [
        "player_0 plays Act [2] (Reaction)",
        "Act of player_0 resolves",
        "Act of player_1 resolves",
        "Act of player_0 resolves",
        "Act of player_1 resolves",
        "Act of player_0 resolves",
    ]
    assert "passes" not in " ".join(t.log) and t.may("end the turn")


# ---------------------------------------------------------------------------------------------------------------- resolution


@pytest.mark.rule("AW-C6")
def test_from_the_last_to_the_first_and_nothing_between() -> None:
    act, answer = (
        intention("[{choose_zone: {as: z, where: {}}}, {place_tile: {tile: bell, zone: z}}]"),
        reaction("[{choose_direction: way}, {move: {unit: me, way: way}}]"),
    )
    t = table(kit("ann", Act=[act], Answer=[answer]), kit("ben", Answer=[answer]))
    t.give(0, "Act", "Answer", "Answer")
    t.give(1, "Answer", "Answer")
    t.do("play Act", "play Answer", "play Answer").passes()
    order = []
    while t.to_play in (0, 1) and t.state["chain_size"]:
        assert not [text for text in t.options() if text.startswith(("play", "pass", "end"))]
        order.append((int(t.state["chain_size"]), t.to_play))
        t.step(int(t.game.legal_actions(t.state)[0]))
    assert order == [(3, 0), (2, 1), (1, 0)]


@pytest.mark.rule("AW-C6")
def test_triggers_run_before_the_chain_goes_on() -> None:
    """Even before the next part of the effect that triggered them."""
    walk = reaction("[{move: {unit: me, way: way}}, {exhaust: me}]", STEP)
    trail = passive("unit_moved", "[{add_token: {token: scale, to: left}}]", "Trail", "{side: mine}")
    t = table(kit("ann", Act=[intention()]), kit("ben", Walk=[walk], passives=(trail,)))
    t.give(0, "Act")
    t.give(1, "Walk")
    t.do("play Act", "play Walk", "left").passes()
    assert t.after("Walk of player_1 resolves") == [
        "player_1's Ben (c5) moves to b5",
        "player_1: Trail",
        "c5 gets Scale",
        "player_1's Ben (b5) is exhausted",
        "Act of player_0 resolves",
    ]


@pytest.mark.rule("AW-C7")
def test_targets_are_locked() -> None:
    """The zone is hit though its unit has left and another has come, and though the attacker was moved away."""
    strike = intention(HIT, "[{choose_zone: {as: target, where: {adjacent_to: me}}}]")
    dodge = reaction("[{choose_unit: {as: it, where: {adjacent_to: me}}}, {swap: {unit: me, with: it}}]")
    away = reaction("[{move: {unit: me, way: way}}]", STEP)
    t = table(kit("ann", Strike=[strike], Away=[away]), kit("ben", Dodge=[dodge], Away=[away]))
    t.place(0, "artist", "c3")
    t.place(1, "artist", "c4")
    t.place(0, "imp", "d4")
    t.give(0, "Strike", "Away")
    t.give(1, "Dodge")
    t.do("play Strike", "zone c4", "play Dodge", "play Away", "down")
    t.passes()
    assert t.log[-4:] == [
        "Dodge of player_1 resolves",
        "player_1's Ben (c4) and player_0's Imp 1 (d4) swap",
        "Strike of player_0 resolves",
        "player_0's Imp 1 (c4) is removed",
    ]
    assert t.at("c2") == "player_0's Ann"  # two zones away by then


@pytest.mark.rule("AW-C7")
def test_units_are_locked() -> None:
    """What was chosen as a cost stays chosen, wherever it is by then."""
    bind = intention("[{exhaust: it}]", "[{choose_unit: {as: it, where: {side: theirs}}}]")
    away = reaction("[{move: {unit: me, way: way}}]", STEP)
    t = table(kit("ann", Bind=[bind]), kit("ben", Away=[away]))
    t.place(1, "imp", "b5")
    t.give(0, "Bind")
    t.give(1, "Away")
    t.do("play Bind", "player_1's Ben", "play Away", "right").passes()
    assert t.log[-1] == "player_1's Ben (d5) is exhausted"


@pytest.mark.rule("AW-C7")
def test_directions_are_locked() -> None:
    t = table(kit("ann", Walk=[intention(MOVE, STEP)]), kit("ben", Answer=[reaction()]))
    t.give(0, "Walk")
    t.give(1, "Answer")
    t.do("play Walk", "right")
    assert t.log[-1] == "player_0 plays Walk (Intention), right"
    t.do("pass")
    assert t.log[-1] == "player_0's Ann (c1) moves to d1"


@pytest.mark.rule("AW-C8")
def test_what_fails_is_left_out() -> None:
    """In printed order, except a move into the wall, a summon without a place, or a unit that does not exist: the rest happens."""
    long = intention(
        "[{exhaust: me}, {move: {unit: me, way: way}}, {choose_unit: {as: it, where: {side: theirs, kind: summon}}},"
        " {swap: {unit: me, with: it}}, {summon: {kind: imp, zone: me}}, {damage: {zone: it}}, {refresh: me},"
        " {damage: {zones: {tile: true}}}, {add_token: {token: ink, to: me}}]",
        STEP,
    )
    t = table(kit("ann", Long=[long]), kit("ben"))
    t.give(0, "Long")
    t.do("play Long", "down").passes()
    assert t.after("Long of player_0 resolves") == [
        "player_0's Ann (c1) is exhausted",
        "player_0's Ann (c1) is refreshed",
        "player_0's Ann (c1) gets Ink",
    ]


@pytest.mark.rule("AW-C8")
def test_chosen_parts_run_in_order() -> None:
    one = "[{choose_one: [[{add_token: {token: ink, to: me}}], [{exhaust: me}, {refresh: me}]]}, {add_token: {token: scale, to: me}}]"
    t = table(kit("ann", Pick=[intention(one)]), kit("ben"))
    t.give(0, "Pick")
    t.do("play Pick").passes()
    assert t.options() == ["option 1", "option 2"]
    t.do("option 2")
    assert t.after("Pick of player_0 resolves") == [
        "player_0's Ann (c1) is exhausted",
        "player_0's Ann (c1) is refreshed",
        "c1 gets Scale",
    ]


@pytest.mark.rule("AW-C9")
def test_nothing_is_optional_but_what_says_so() -> None:
    cards = {
        "Must": "[{choose_unit: {as: it, where: {side: mine}}}, {exhaust: it}, {choose_zone: {as: z, where: {adjacent_to: it}}},"
        " {choose_direction: w}]",
        "May": "[{choose_unit: {as: it, where: {side: mine}, optional: true}}, {exhaust: it}, {may: [{exhaust: me}]}]",
    }
    t = table(kit("ann", **{name: [intention(do)] for name, do in cards.items()}), kit("ben"))
    t.place(0, "imp", "a1")
    t.give(0, "Must", "May")
    t.do("play Must").passes()
    while t.state["chain_size"]:
        assert "decline" not in t.options()
        t.step(int(t.game.legal_actions(t.state)[0]))
    t = table(kit("ann", **{name: [intention(do)] for name, do in cards.items()}), kit("ben"))
    t.give(0, "May")  # even if only one thing can be chosen
    t.do("play May").passes()
    assert t.options() == ["decline", "player_0's Ann (c1)"]
    t.do("decline")
    assert t.options() == ["decline", "do it"]
    t.do("decline")
    assert t.log[-2:] == ["player_0 declines", "player_0 declines"] and not t.state["unit_exhausted"].any()


@pytest.mark.rule("AW-C9")
def test_a_zone_may_be_left_out_where_the_card_says_so() -> None:
    shed = intention("[{choose_zone: {as: z, where: {}, optional: true}}, {add_token: {token: scale, to: z}}]")
    t = table(kit("ann", Shed=[shed]), kit("ben"))
    t.give(0, "Shed")
    t.do("play Shed").passes()
    assert t.options()[0] == "decline" and len(t.options()) == 26
    t.do("decline")
    assert t.log[-1] == "player_0 declines"


@pytest.mark.rule("AW-C8")
@pytest.mark.parametrize(
    ("part", "coins"),
    [("gain", "1 3"), ("gain", "9 4"), ("gain", "all 4"), ("spend", "1 1"), ("spend", "9 0"), ("spend", "all 0")],
)
def test_a_counter_goes_as_far_as_it_can(part: str, coins: str) -> None:
    count, left = coins.split()
    act = intention(f"[{{{part}: {{counter: coin, count: {count}}}}}]")
    counters = {"coin": {"name": "Coin", "start": 0, "most": 4}}
    t = table(kit("ann", Act=[act]) | {"counters": counters}, kit("ben") | {"counters": counters})
    t.count(0, "coin", 2)
    t.count(1, "coin", 3)
    t.give(0, "Act")
    t.do("play Act").passes()
    assert t.log[-1] == f"player_0's Coin: {left}" and t.state["counter"][:, 0].tolist() == [int(left), 3]


@pytest.mark.rule("AW-C8")
@pytest.mark.parametrize("units", ["unit: it, with: me", "unit: me, with: it"])
def test_nobody_swaps_with_a_unit_that_is_not_there(units: str) -> None:
    act = intention(f"[{{choose_unit: {{as: it, where: {{kind: summon}}}}}}, {{swap: {{{units}}}}}]")
    t = table(kit("ann", Act=[act]), kit("ben"))
    t.give(0, "Act")
    t.do("play Act").passes()
    assert t.log[-1] == "Act of player_0 resolves" and t.at("c1") == "player_0's Ann"


@pytest.mark.rule("AW-C9")
def test_so_may_the_only_zone() -> None:
    shed = (
        "[{choose_zone: {as: z, where: {holds: {side: theirs}}, optional: true}}, {add_token: {token: scale, to: z}}]"
    )
    t = table(kit("ann", Shed=[intention(shed)]), kit("ben"))
    t.give(0, "Shed")
    t.do("play Shed").passes()
    assert t.options() == ["decline", "zone c5: player_1's Ben"]


@pytest.mark.rule("AW-C8")
def test_a_loop_goes_by_the_numbers_of_the_zones() -> None:
    """It does so unless the card says otherwise."""
    act = "[{for_each: {unit: one, where: {side: mine}, do: [{add_token: {token: ink, to: one}}]}}]"
    t = table(kit("ann", Act=[intention(act)]), kit("ben"))
    t.place(0, "artist", "c3")
    for zone in ("a2", "e1"):
        t.place(0, "imp", zone)
    t.give(0, "Act")
    t.do("play Act").passes()
    units = ("Imp 2 (e1)", "Imp 1 (a2)", "Ann (c3)")
    assert t.after("Act of player_0 resolves") == [f"player_0's {unit} gets Ink" for unit in units]


@pytest.mark.rule("AW-C8", "AW-C9")
@pytest.mark.parametrize("ben", ["c5", "e4"])
def test_what_is_declined_or_cannot_be_chosen_is_not_what_was_chosen_before(ben: str) -> None:
    """A neighbour of each Imp is chosen: the first has Ann; the second has none and the third declines Ben, or the other way round."""
    near = "[{choose_unit: {as: it, where: {adjacent_to: imp}, optional: true}}, {add_token: {token: scale, to: it}}]"
    act = intention(f"[{{for_each: {{unit: imp, where: {{side: mine, kind: imp}}, do: {near}}}}}]")
    t = table(kit("ann", Act=[act]), kit("ben"))
    for zone in ("c2", "c4", "e3"):
        t.place(0, "imp", zone)
    t.place(1, "artist", ben)
    t.give(0, "Act")
    t.do("play Act").passes()
    t.do("player_0's Ann (c1)", "decline")
    assert t.after("Act of player_0 resolves") == ["c1 gets Scale", "player_0 declines"]


@pytest.mark.rule("AW-C8")
def test_a_zone_that_cannot_be_chosen_is_not_the_one_chosen_before() -> None:
    """The first Imp stands next to Ann, the second next to nobody."""
    near = "[{choose_zone: {as: z, where: {adjacent_to: imp, occupied: true}}}, {add_token: {token: scale, to: z}}]"
    act = intention(f"[{{for_each: {{unit: imp, where: {{kind: imp}}, do: {near}}}}}]")
    t = table(kit("ann", Act=[act]), kit("ben"))
    t.place(0, "imp", "c2")
    t.place(0, "imp", "e4")
    t.give(0, "Act")
    t.do("play Act").passes()
    assert t.after("Act of player_0 resolves") == ["c1 gets Scale"]


@pytest.mark.rule("AW-C8", "AW-C9")
@pytest.mark.parametrize(
    ("part", "tile"),
    [
        ("{move_tile: {from: z, to: y}}", "b2"),
        ("{move_tile: {from: y, to: z}}", "e5"),
        ("{remove_tile: {zone: y}}", "e5"),
        ("{place_tile: {tile: bell, zone: y}}", "b2"),
        ("{summon: {kind: imp, zone: y}}", "b2"),
        ("{damage: {zone: y}}", "b2"),
    ],
)
def test_nothing_happens_in_a_zone_that_is_left_out(part: str, tile: str) -> None:
    act = intention(f"[{{choose_zone: {{as: y, where: {{}}, optional: true}}}}, {part}]", TARGET.replace("target", "z"))
    t = table(kit("ann", Act=[act]), kit("ben"))
    t.lay(0, "bell", tile)
    t.give(0, "Act")
    t.do("play Act", "zone b2").passes().do("decline")
    assert t.log[-1] == "player_0 declines" and t.status("zone") == f"zone {tile}: player_0's Bell"


@pytest.mark.rule("AW-C10")
def test_effects_that_do_nothing_and_invalid_targets() -> None:
    cards = {
        "Lone": [intention("[{choose_unit: {as: it, where: {adjacent_to: me}}}, {swap: {unit: me, with: it}}]")],
        "Walk": [intention(MOVE, STEP)],
        "Call": [intention("[{choose_zone: {as: z, where: {adjacent_to: me}}}, {summon: {kind: imp, zone: z}}]")],
        "Strike": [intention(HIT, TARGET)],
    }
    t = table(kit("ann", **cards), kit("ben"))
    t.place(0, "imp", "c2")
    t.state["unit_zone"][1] = -1
    t.state["zone_unit"][t.zone("c2")] = -1
    t.give(0, *cards)
    t.do("play Lone").passes()  # nobody is adjacent
    assert t.log[-1] == "Lone of player_0 resolves"
    t.place(1, "imp", "c2")
    t.do("play Walk")
    assert t.options() == ["up", "right", "down", "left"]
    t.do("up").passes()  # into a unit
    assert t.log[-1] == "Walk of player_0 resolves" and t.at("c1") == "player_0's Ann"
    t.do("play Call").passes().do("zone c2")  # occupied
    assert t.log[-1] == "Call of player_0 resolves"
    t.do("play Strike").passes()
    assert len(t.options()) == 25
    t.do("zone a3").passes()  # empty
    assert t.log[-1] == "Damage at a3 hits nothing"


def source_gone(**rules: object) -> Table:
    """A position in which an Imp's effect is on the chain and the Imp is removed before it resolves."""
    bite = intention(
        "[{exhaust: me}, {move: {unit: me, way: way}}, {damage: {zone: target}}]",
        "[{choose_zone: {as: target, where: {}}}, {choose_direction: way}, {exhaust: me}]",
    )
    shot = reaction(HIT, TARGET)
    t = table(kit("ann", ability("Imp", "imp", bite)), kit("ben", Shot=[shot]), **rules)
    t.place(0, "imp", "b2")
    t.give(1, "Shot")
    return t.do("play Imp", "zone c5", "left", "play Shot", "zone b2").passes()


@pytest.mark.rule("AW-C11")
def test_effect_of_a_unit_that_is_gone() -> None:
    t = source_gone()
    assert t.log[-3:] == [
        "player_0's Imp 1 (b2) is removed",
        "Imp of player_0 resolves",
        "player_1's Ben (c5) takes damage (1)",
    ]


@pytest.mark.rule("AW-C11")
def test_effect_of_a_unit_that_is_gone_if_ruled_to_fizzle() -> None:
    t = source_gone(sourceless_effects="fizzle")
    assert t.log[-2:] == ["player_0's Imp 1 (b2) is removed", "Imp of player_0 resolves"]
    # An effect that needs no unit of its own is not affected.
    t = table(
        kit(
            "ann",
            ability(
                "Law",
                "none",
                intention(note("ink").replace("me", "it"), "[{choose_unit: {as: it, where: {}}}, {discard: 1}]"),
            ),
        ),
        kit("ben"),
        sourceless_effects="fizzle",
    )
    t.give(0, "Blank 1")
    t.do("play Law", "player_1's Ben").passes()
    assert t.log[-1] == "player_1's Ben (c5) gets Ink"


@pytest.mark.rule("AW-C11")
def test_a_new_unit_is_another_unit() -> None:
    """A summon that comes back in between is not the unit that used the effect."""
    bite = intention("[{add_token: {token: ink, to: me}}]", "[{exhaust: me}]")
    renew = reaction(
        "[{choose_unit: {as: it, where: {kind: imp}}}, {remove: it}, {summon: {kind: imp, zone: z}}]",
        "[{choose_zone: {as: z, where: {}}}]",
    )
    t = table(kit("ann", ability("Imp", "imp", bite), Renew=[renew]), kit("ben"))
    t.place(0, "imp", "b2")
    t.give(0, "Renew")
    t.do("play Imp", "play Renew", "zone d2").passes()
    assert t.log[-2:] == ["player_0's Imp 1 (d2) is summoned", "Imp of player_0 resolves"]
    assert t.status("unit player_0's Imp 1") == "unit player_0's Imp 1 (d2)"


@pytest.mark.rule("AW-C11")
def test_a_new_unit_is_not_the_one_that_set_off_a_trigger() -> None:
    """A trigger that waits does not take a unit summoned in between for the unit that moved, either."""
    renew = passive("unit_moved", "[{remove: unit}, {summon: {kind: imp, zone: left}}]", "Renew", "{kind: imp}")
    stain = passive("unit_moved", "[{add_token: {token: ink, to: unit}}]", "Stain", "{kind: imp}")
    push = intention(
        "[{choose_unit: {as: it, where: {kind: imp}}}, {move: {unit: it, way: way}}]", "[{choose_direction: way}]"
    )
    t = table(kit("ann", passives=(renew, stain), Push=[push]), kit("ben"))
    t.place(0, "imp", "b2")
    t.give(0, "Push")
    t.do("play Push", "up").passes()
    assert t.after("player_0: Renew") == [
        "player_0's Imp 1 (b3) is removed",
        "player_0's Imp 1 (b2) is summoned",
        "player_0: Stain",
    ]


@pytest.mark.rule("AW-C11")
def test_a_loop_passes_over_what_has_left_the_board() -> None:
    """The Imp that is visited first removes the second, and the third is still visited."""
    other = (
        "[{choose_unit: {as: other, where: {kind: imp, other_than: imp}, optional: true}}, {remove: other}, {draw: 1}]"
    )
    t = table(
        kit("ann", Cull=[intention(f"[{{for_each: {{unit: imp, where: {{kind: imp}}, do: {other}}}}}]")]), kit("ben")
    )
    for zone in ("b2", "d2", "b3"):
        t.place(0, "imp", zone)
    t.give(0, "Cull")
    t.do("play Cull").passes().do("player_0's Imp 2", "decline")
    assert t.after("Cull of player_0 resolves") == [
        "player_0's Imp 2 (d2) is removed",
        "player_0 draws a card",
        "player_0 declines",
        "player_0 draws a card",
    ]


@pytest.mark.rule("AW-C12")
def test_discarded_after_resolving() -> None:
    """Until then the card is on the chain; then it is in the discard pile for good."""
    t = table(
        kit("ann", Act=[intention("[{choose_direction: w}, {draw: 1}]")]),
        kit("ben", Answer=[reaction("[{choose_direction: w}]")]),
    )
    t.give(0, "Act")
    t.give(1, "Answer")
    t.deck(0, "Blank 1")
    t.do("play Act", "play Answer")
    assert t.state["discard"].sum() == 0 and t.state["hand"].sum() == 0
    t.passes()
    assert t.state["discard"].sum() == 0  # player 1 chooses a direction
    t.do("up")
    assert t.state["discard"].tolist() == [[0, 0, 0, 0], [1, 0, 0, 0]]
    t.do("up")
    assert t.state["discard"].tolist() == [[1, 0, 0, 0], [1, 0, 0, 0]]
    assert not t.may("play Act")


ONCE = ability(
    "Chant",
    "none",
    intention(cost="[{discard: 1}]"),
    reaction(note("ink").replace("me", "it"), "[{choose_unit: {as: it, where: {}}}]"),
)


@pytest.mark.rule("AW-C12")
def test_an_ability_card_lies_in_a_chain_once() -> None:
    t = table(kit("ann", ONCE, Calm=[reaction()]), kit("ben", Answer=[reaction()]))
    t.give(0, "Calm", *["Blank 1"] * 4)
    t.give(1, *["Answer"] * 2)
    t.do("play Chant (Intention)", "discard Blank 1", "play Answer")
    assert t.to_play == 0 and not t.may("play Chant (Reaction)")
    t.passes()
    t.do(
        "play Blank 1 (Intention)", "play Answer", "play Chant (Reaction)", "player_0's Ann"
    )  # the card has returned, so it can be played in the next chain
    assert not t.may("play Chant (Reaction)")


@pytest.mark.rule("AW-C12")
def test_both_artist_cards_may_lie_in_one_chain() -> None:
    both = (PROGRESS, REST, reaction(cost="[{exhaust: me}]"))
    t = table(kit("ann", artist=both), kit("ben", artist=both))
    t.do("play Ann", "Ann [2]", "play Ben (Reaction)")
    assert "player_1 plays Ben [3] (Reaction)" in t.log


@pytest.mark.rule("AW-C12")
def test_an_ability_card_lies_in_a_chain_as_often_as_paid_for_if_so_ruled() -> None:
    t = table(kit("ann", ONCE), kit("ben", Answer=[reaction()]), ability_once_per_chain=False)
    t.give(0, *["Blank 1"] * 4)
    t.give(1, "Answer")
    t.do(
        "play Chant (Intention)",
        "play Answer",
        "play Chant (Reaction)",
        "player_0's Ann",
        "play Chant (Reaction)",
        "player_0's Ann",
    )
    assert [t.status(f"chain {i}").split("'s ")[1].split(" [")[0] for i in (1, 3, 4)] == ["Chant"] * 3


@pytest.mark.rule("AW-C12", "AW-C13")
@pytest.mark.parametrize("shared", [True, False])
def test_a_unit_uses_its_card_as_often_as_paid_for_if_so_ruled(shared: bool) -> None:
    free = ability("Imp", "imp", intention(cost="[{discard: 1}]"), reaction(cost="[{discard: 1}]"))
    rules = {"ability_once_per_chain": False, "shared_ability_card": shared}
    t = table(kit("ann", free), kit("ben", Answer=[reaction()]), **rules)
    t.place(0, "imp", "b2")
    t.give(0, "Blank 1", "Blank 1")
    t.give(1, "Answer", "Answer")
    t.do("play Imp (Intention)", "play Answer", "play Imp (Reaction)")
    assert t.log[-1] == "player_0 plays Imp [2] (Reaction) with player_0's Imp 1 (b2)"


IMP = ability("Imp", "imp", intention(note("ink"), "[{exhaust: me}]"), reaction(note("ink"), "[{exhaust: me}]"))


@pytest.mark.rule("AW-C13")
def test_one_card_for_all_units_of_a_kind() -> None:
    t = table(kit("ann", IMP), kit("ben", Answer=[reaction()]))
    t.place(0, "imp", "a1", exhausted=True)
    t.place(0, "imp", "b2")
    t.place(0, "imp", "d2")
    t.give(1, "Answer")
    t.do("play Imp (Intention)")
    assert t.options() == ["player_0's Imp 2 (b2)", "player_0's Imp 3 (d2)"]  # only those that can pay
    t.do("player_0's Imp 3")
    assert t.log[-1] == "player_0 plays Imp [1] (Intention) with player_0's Imp 3 (d2)"
    t.do("play Answer")
    assert t.options()[0] == "end the turn" or not t.may("play Imp (Reaction)")
    t.passes()
    assert t.log[-1] == "player_0's Imp 3 (d2) gets Ink"
    t.do("play Imp (Intention)")  # with the one that is left
    assert "player_0 plays Imp [1] (Intention) with player_0's Imp 2 (b2)" in t.log


@pytest.mark.rule("AW-C13")
def test_a_unit_does_not_use_the_card_of_another_kind() -> None:
    kinds = {kind: {"name": kind.capitalize(), "count": 2} for kind in ("imp", "ogre")}
    t = table(kit("ann", IMP, summons=kinds), kit("ben"))
    t.place(0, "imp", "b2", exhausted=True)
    t.place(0, "ogre", "d2")
    assert not t.may("play Imp")
    t.place(0, "imp", "b3")
    t.do("play Imp").passes()
    assert t.log[-1] == "player_0's Imp 2 (b3) gets Ink"


@pytest.mark.rule("AW-C13")
def test_a_card_for_each_unit_if_so_ruled() -> None:
    t = table(kit("ann", IMP), kit("ben", Answer=[reaction()]), shared_ability_card=False)
    t.place(0, "imp", "b2")
    t.place(0, "imp", "d2")
    t.give(1, "Answer")
    t.do("play Imp (Intention)", "player_0's Imp 1", "play Answer")
    assert t.may("play Imp (Reaction)")
    t.do("play Imp (Reaction)")
    assert t.log[-1 - t.log[::-1].index(next(line for line in reversed(t.log) if "plays" in line))] == (
        "player_0 plays Imp [2] (Reaction) with player_0's Imp 2 (d2)"
    )


@pytest.mark.rule("AW-C13", "AW-C12")
def test_each_unit_once_per_chain_even_then() -> None:
    free = ability("Imp", "imp", intention(note("ink"), "[{discard: 1}]"), reaction(note("ink"), "[{discard: 1}]"))
    t = table(kit("ann", free, Calm=[reaction()]), kit("ben", Answer=[reaction()]), shared_ability_card=False)
    t.place(0, "imp", "b2")
    t.place(0, "imp", "d2")
    t.give(0, "Calm", *["Blank 2"] * 3)
    t.give(1, "Answer", "Answer")
    t.do("play Imp (Intention)", "player_0's Imp 1", "discard Blank 2", "play Answer")
    t.do("play Imp (Reaction)", "discard Blank 2")
    assert t.status("chain 3").startswith("chain 3: player_0's Imp [2] with player_0's Imp 2 (d2)")
    t.do("pass")
    assert t.to_play == 0 and t.may("play Calm (Reaction)") and not t.may("play Imp (Reaction)")


@pytest.mark.rule("AW-C17")
def test_an_ability_card_of_no_unit() -> None:
    """It is there from the start and names no unit: neither an exhausted artist nor a lack of summons stops it."""
    law = ability(
        "Law", "none", intention(note("ink").replace("me", "it"), "[{choose_unit: {as: it, where: {}}}, {discard: 1}]")
    )
    imp = ability("Imp", "imp", intention(note("ink")[:-1] + ", {exhaust: me}]", "[{exhaust: me}]"))
    t = table(kit("ann", law, imp), kit("ben"))
    t.place(0, "artist", "c1", exhausted=True)
    t.give(0, "Blank 1", "Blank 1")
    assert t.may("play Law") and not t.may("play Ann") and not t.may("play Imp")  # no Imp is out to use its card
    for count in (1, 2):  # as often as it can be paid for
        t.do("play Law", "player_0's Ann" if count == 1 else "player_1's Ben").passes()
    assert t.log.count("player_0 plays Law (Intention), unit player_0's Ann (c1)") == 1
    assert [line for line in t.log if line.endswith("gets Ink")] == [
        "player_0's Ann (c1) gets Ink",
        "player_1's Ben (c5) gets Ink",
    ]


@pytest.mark.rule("AW-C17")
def test_every_artist_has_an_ability_card() -> None:
    """An artist without one is refused, but a kind of summon may go without."""
    without = kit("ann")
    assert not any(card["unit"] == "imp" for card in without["abilities"])
    assert parse_artist(json.dumps(without), "kit.yaml").abilities[0].unit == "artist"
    without["abilities"][0]["unit"] = "none"
    with pytest.raises(CardError, match="the first ability card is the artist's"):
        parse_artist(json.dumps(without), "kit.yaml")


@pytest.mark.rule("AW-C14")
def test_endless_turns_are_refused() -> None:
    """A free ability Intention could be played for ever; Reactions end with the chain."""
    endless = kit("ann", artist=(PROGRESS, REST, intention(note("ink"))))
    with pytest.raises(CardError, match="AW-C14"):
        table(endless, kit("ben"))
    table(kit("ann", artist=(PROGRESS, REST, reaction(note("ink")))), kit("ben"))
    refreshing = kit("ann", artist=(PROGRESS, intention("[{refresh: me}]", "[{exhaust: me}]")))
    with pytest.raises(CardError, match="AW-C14"):
        table(refreshing, kit("ben"))


@pytest.mark.rule("AW-C14")
def test_endless_turns_are_allowed_if_so_ruled() -> None:
    endless = kit("ann", artist=(PROGRESS, REST, intention(note("ink"))))
    t = table(endless, kit("ben"), allow_unbounded_abilities=True)
    for _ in range(30):
        t.do("play Ann", "Ann [3]").passes()
    assert t.state["turn"] == 3
    assert parse_artist(json.dumps(endless), "ann", allow_unbounded_abilities=True).id == "ann"


@pytest.mark.rule("AW-C15")
def test_what_is_chosen_when() -> None:
    """What a cost asks for is chosen on playing, the rest on resolving, on the board as it is then, by the player of the effect."""
    push = intention(
        "[{choose_unit: {as: it, where: {adjacent_to: me}}}, {move: {unit: it, way: way}}]", "[{choose_direction: way}]"
    )
    call = reaction("[{summon: {kind: imp, zone: z}}]", "[{choose_zone: {as: z, where: {}}}]")
    t = table(kit("ann", Push=[push]), kit("ben", Call=[call]))
    t.place(0, "imp", "b1")
    t.give(0, "Push")
    t.give(1, "Call")
    t.do("play Push")
    assert t.to_play == 0 and t.options() == ["up", "right", "down", "left"]
    t.do("up")
    assert t.to_play == 1  # nothing else is asked now
    t.do("play Call", "zone d1").passes()
    assert t.to_play == 0
    assert t.options() == ["player_0's Imp 1 (b1)", "player_1's Imp 1 (d1)"]  # one of them was not there before
    t.do("player_1's Imp 1")
    assert t.log[-1] == "player_1's Imp 1 (d1) moves to d2"


# ---------------------------------------------------------------------------------------------------------------- triggers

TRAIL = passive("unit_moved", BLANK, "Trail")


@pytest.mark.rule("AW-C16")
@pytest.mark.parametrize(
    ("rules", "turn_player", "order"),
    [
        ({}, 0, ["player_0: Trail", "player_0: Trail", "player_1: Trail", "player_1: Trail"]),
        ({}, 1, ["player_1: Trail", "player_1: Trail", "player_0: Trail", "player_0: Trail"]),
        ({"trigger_order": "zones"}, 0, ["player_0: Trail", "player_1: Trail", "player_0: Trail", "player_1: Trail"]),
        ({"trigger_order": "zones"}, 1, ["player_1: Trail", "player_0: Trail", "player_1: Trail", "player_0: Trail"]),
    ],
)
def test_order_of_triggers(rules: dict[str, str], turn_player: int, order: list[str]) -> None:
    """A swap of neighbours moves two units at one moment; both players' passives see both."""
    swap = intention("[{choose_unit: {as: it, where: {side: theirs}}}, {swap: {unit: me, with: it}}]")
    one, other = (kit(name, passives=(TRAIL,), Swap=[swap]) for name in ("ann", "ben"))
    t = table(one, other, turn_player=turn_player, **rules)
    t.place(1, "artist", "d1")
    t.give(turn_player, "Swap")
    t.do("play Swap").passes()
    assert t.log[-4:] == order


@pytest.mark.rule("AW-C16")
def test_in_one_zone_passives_come_before_tiles_each_in_the_order_of_the_file() -> None:
    """Both units of a swap leave a zone with a Bell, and enter the other."""
    swap = intention("[{choose_unit: {as: it, where: {kind: imp}}}, {swap: {unit: me, with: it}}]")
    second = passive("unit_moved", BLANK, "Second Trail")
    t = table(kit("ann", passives=(TRAIL, second), Swap=[swap]), kit("ben"))
    t.place(0, "imp", "d4")
    t.lay(0, "bell", "c1", "d4")
    t.give(0, "Swap")
    t.do("play Swap").passes()
    habits = ["player_0: Trail", "player_0: Second Trail", "player_0: Bell"]
    assert t.after("player_0's Ann (c1) and player_0's Imp 1 (d4) swap") == [
        *habits,
        "player_0's Imp 1 (c1) gets Ink",
        *habits,
        "player_0's Ann (d4) gets Ink",
    ]


@pytest.mark.rule("AW-C6", "AW-C16")
def test_what_a_tile_does_to_who_has_entered_is_not_lost_with_the_tile() -> None:
    """The turn player's passive comes first, and takes the tile away."""
    sweep = passive("unit_moved", "[{remove_tile: {zone: unit}}]", "Sweep", "{side: mine}")
    t = table(kit("ann", passives=(sweep,), Walk=[intention(MOVE, STEP)]), kit("ben"))
    t.place(0, "artist", "b1")
    t.lay(1, "bell", "a1")
    t.give(0, "Walk")
    t.do("play Walk", "left").passes()
    assert t.after("player_0's Ann (b1) moves to a1") == [
        "player_0: Sweep",
        "a1 loses Bell",
        "player_1: Bell",
        "player_0's Ann (a1) gets Ink",
    ]


@pytest.mark.rule("AW-C16")
def test_each_trigger_completely_before_the_next() -> None:
    """They go by the zones that were left; what a trigger triggers comes before its own next part, and before the next trigger."""
    mark = passive("unit_moved", "[{add_token: {token: mark, to: left}}, {add_token: {token: late, to: left}}]", "Mark")
    mark_token = {"name": "Mark", "place": "zone", "pool": 6, "stacks": True}
    dot_token = {"name": "Dot", "place": "zone", "pool": 6, "stacks": True}
    mark_token["at"] = {"count": 1, "do": [{"add_token": {"token": "dot", "to": "here"}}]}
    tokens: dict[str, Any] = {"mark": mark_token, "dot": dot_token, "late": dot_token | {"name": "Late"}}
    swap = intention("[{choose_unit: {as: it, where: {kind: imp}}}, {swap: {unit: me, with: it}}]")
    t = table(kit("ann", passives=(mark,), tokens=tokens, tiles={}, Swap=[swap]), kit("ben"))
    t.place(0, "artist", "d3")
    t.place(0, "imp", "b2")
    t.give(0, "Swap")
    t.do("play Swap").passes()
    assert t.after("player_0's Ann (d3) and player_0's Imp 1 (b2) swap") == [
        "player_0: Mark",
        "b2 gets Mark",
        "player_0: Mark",
        "b2 gets Dot",
        "b2 gets Late",
        "player_0: Mark",
        "d3 gets Mark",
        "player_0: Mark",
        "d3 gets Dot",
        "d3 gets Late",
    ]
