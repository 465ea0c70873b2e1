"""The rules of Reality TCG, by the ids of docs/reality_tcg/rules.yaml; the worked examples of the rulebook are among them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import react_env
from react_env.errors import CardError, OptionError
from react_env.games.reality_tcg import state as S
from react_env.games.reality_tcg.cards import decks as installed
from react_env.games.reality_tcg.cards import load_deck
from react_env.games.reality_tcg.rules import load_rules
from tests.reality_tcg.positions import DECKS, Position

GAME = react_env.load("reality_tcg-v0")
DECK = "Boxer, Boxer, Boxer, Boxer, Boxer, Boxer"


def choose(s: Any, text: str, game: Any = GAME) -> None:
    (action,) = [a for a in game.legal_actions(s) if game.action_text(s, int(a)).startswith(text)]
    game.step(s, int(action))


def begun(seed: int = 0, **options: Any) -> tuple[Any, Any]:
    """A game in its first turn; both players have kept their hands."""
    game = react_env.load("reality_tcg-v0", **options)
    s = game.new(seed=seed)
    choose(s, "return no more", game)
    choose(s, "return no more", game)
    return game, s


# -- set-up ------------------------------------------------------------------------------------------------------------------


def test_decks_hands_and_ip() -> None:
    """RT-D1, RT-D2: players get six cards of a shuffled deck, and 20 IP."""
    firsts = set()
    for seed in range(20):
        s = GAME.new(seed=seed)
        assert (
            s["hand_size"].tolist() == [6, 6] and s["deck_size"].tolist() == [34, 34] and s["ip"].tolist() == [20, 20]
        )
        firsts.add(int(s["deck"][0][33]))
    assert len(firsts) > 5


@pytest.mark.parametrize("size", [39, 61])
def test_decks_of_other_sizes_are_refused(size: int, tmp_path: Path) -> None:
    """RT-D1: 40 to 60 cards."""
    deck = tmp_path / "deck.yaml"
    deck.write_text(
        f"id: mine\nname: Mine\nversion: 1\nset: reality_default\ncards: {{boxer: 30, captain: {size - 30}}}\n"
    )
    with pytest.raises(CardError, match=f"{size} cards; allowed: 40 to 60"):
        react_env.load("reality_tcg-v0", decks=deck, copies=40)


def test_a_deck_of_sixty_is_dealt_whole(tmp_path: Path) -> None:
    """RT-D1, RT-G2: sixty cards are allowed, and more copies if the option says so."""
    deck = tmp_path / "deck.yaml"
    deck.write_text("id: mine\nname: Mine\nversion: 1\nset: reality_default\ncards: {boxer: 30, captain: 30}\n")
    with pytest.raises(CardError, match="30 copies; allowed: 3"):
        react_env.load("reality_tcg-v0", decks=deck)
    s = react_env.load("reality_tcg-v0", decks=deck, copies=30).new(seed=1)
    assert s["deck_size"].tolist() == [54, 54]


def test_who_goes_first_is_drawn() -> None:
    """RT-D3."""
    count = Counter(int(GAME.new(seed=seed)["first"]) for seed in range(200))
    assert 70 < count[0] < 130


@pytest.mark.parametrize(("returned", "left"), [(0, 6), (1, 5), (2, 5), (3, 5)])
def test_mulligan(returned: int, left: int) -> None:
    """RT-D4, RT-G22: return 2, draw 1; return 1, draw none (examples of the rulebook); the first player goes first, each returns once."""
    s = GAME.new(seed=3)
    first = int(s["first"])
    for _ in range(returned):
        assert s["to_play"] == first and s["decision"] == S.D_MULLIGAN
        GAME.step(s, int(GAME.legal_actions(s)[0]))
    if returned < 3:
        choose(s, "return no more")
    assert s["to_play"] == 1 - first and s["decision"] == S.D_MULLIGAN
    assert s["hand_size"][first] == left and s["deck_size"][first] == 40 - left
    choose(s, "return no more")
    assert s["turn"] >= 1  # a turn without a choice passes by itself


def test_returned_cards_are_shuffled_into_the_deck() -> None:
    """RT-D4: a returned card may come again."""
    again = 0
    for seed in range(60):
        s = GAME.new(seed=seed)
        p = int(s["first"])
        before = s["hand"][p].copy()
        k = int(GAME.legal_actions(s)[0])
        for _ in range(3):
            GAME.step(s, int(GAME.legal_actions(s)[0]))
        assert s["hand"][p].sum() == 5
        again += s["hand"][p][k] > max(int(before[k]) - 3, 0)
    assert 0 < again < 60


def test_both_return_cards_of_their_own() -> None:
    """RT-D4, RT-G22, RT-D3: each draws from its own deck, whose cards stay the same; the player who returned first begins."""
    for seed in range(10):
        s = GAME.new(seed=seed)
        lists = [GAME.tables[0]["cards"][p] for p in (0, 1)]
        first = int(s["first"])
        assert s["whose"] == first
        for p in (first, 1 - first):
            for _ in range(3):
                assert s["to_play"] == p
                GAME.step(s, int(GAME.legal_actions(s)[0]))
        if s["turn"] != 1:  # that turn had nothing to choose
            continue
        assert s["whose"] == first and f"player_{first}'s turn, 1 Energy" in GAME.log_lines(s)
        for p in (0, 1):
            deck = np.bincount(s["deck"][p][: s["deck_size"][p]], minlength=S.KINDS)
            assert (deck + s["hand"][p] == lists[p]).all() and s["hand_size"][p] == 5


@pytest.mark.parametrize("returned", [1, 3])
def test_returned_cards_do_not_stay_on_top(returned: int) -> None:
    """RT-D4: the cards drawn at once, or next, are seldom the returned ones."""
    again = 0
    for seed in range(60):
        s = GAME.new(seed=seed)
        p = int(s["first"])
        before = s["hand"][p].copy()
        for _ in range(returned):
            GAME.step(s, int(GAME.legal_actions(s)[0]))
        if returned == 1:  # one returned card draws none
            choose(s, "return no more")
            s["hand"][p][s["deck"][p][s["deck_size"][p] - 1]] += 1
        again += (s["hand"][p] <= before).all()
    assert again < 20


# -- Energy and turns --------------------------------------------------------------------------------------------------------


def test_the_first_turns() -> None:
    """RT-T3, RT-E1, RT-G23, RT-G25: one Energy each in the first turns; the first player does not draw or attack, the second does both."""
    found = 0
    for seed in range(40):
        game, s = begun(seed, decks="rush")
        if s["turn"] != 1:  # that turn had nothing to choose
            continue
        p = int(s["whose"])
        assert s["energy"][p] == 1 == s["ready"][p] and s["energy"][1 - p] == 0
        assert s["hand_size"][p] == 6 and s["deck_size"][p] == 34
        names = [game.action_text(s, int(a)) for a in game.legal_actions(s)]
        if "play Street Runner" not in names:
            continue
        choose(s, "play Street Runner", game)
        choose(s, "to the Active Zone, attack", game)
        while s["turn"] == 1:
            assert s["decision"] != S.D_BATTLE
            game.step(s, S.KINDS)
        q = 1 - p
        if s["turn"] != 2:
            continue
        assert s["energy"][q] == 1 and s["hand_size"][q] == 7
        names = [game.action_text(s, int(a)) for a in game.legal_actions(s)]
        if "play Street Runner" in names:
            choose(s, "play Street Runner", game)
            choose(s, "to the Active Zone, attack", game)
            while s["decision"] == S.D_ANSWER or s["decision"] == S.D_TACTIC:
                game.step(s, S.KINDS)
            assert s["decision"] == S.D_BATTLE and s["whose"] == q
            found += 1
    assert found


def test_who_goes_first_draws_where_the_option_says_so() -> None:
    """RT-G25: the option `first_draws`."""
    _, s = begun(first_draws=True)
    assert s["hand_size"][s["whose"]] == 7


def test_energy() -> None:
    """RT-E1: it grows to ten at most, and all of it becomes active."""
    x = Position(["Boxer /d"], ["Boxer /d"], hands=("Restock", "Restock"), energy=(9, 10), decks=(DECK, DECK))
    x.do("play Restock")
    assert x.s["ready"].tolist() == [7, 10]
    x.do("to the Battle", "end the turn")
    assert x.s["whose"] == 1 and x.s["energy"].tolist() == [9, 10] and x.s["ready"].tolist() == [7, 10]
    x.do("play Restock", "to the Battle", "end the turn")
    assert x.s["energy"].tolist() == [10, 10] and x.s["ready"].tolist() == [10, 8]


def test_energy_may_grow_every_turn() -> None:
    """RT-G23: the option `energy_grows`."""
    x = Position(energy=(3, 5), decks=(DECK, DECK), hands=("Boxer", ""), energy_grows="every_turn")
    x.do("to the Battle", "end the turn")
    assert x.s["energy"].tolist() == [4, 6]


def test_energy_is_spent_in_the_opponents_turn_too() -> None:
    """RT-E2: it stays inactive until its player's next turn; a card without a cost needs none."""
    x = Position(["Boxer"], ["Captain", "Boxer"], hands=("Red Tape", "Energy Bar"), energy=(0, 1), decks=(DECK, DECK))
    x.do("to the Battle", "attack", "play Energy Bar", "choose Active")
    assert x.s["ready"].tolist() == [0, 0] and x.s["energy"].tolist() == [0, 1] and x.s["turn"] == 9
    y = Position(["Boxer /d"], hands=("Trail Mix, Boxer", ""), energy=(0, 0)).hurt(0, 0, df=0, hp=4)
    assert any(text.startswith("play Trail Mix") for text in y.legal) and "play Boxer" not in y.legal


def test_the_phases_of_a_turn() -> None:
    """RT-T1, RT-T2: draw, Tactic Phase 1, Battle Phase, Tactic Phase 2, end; both Tactic Phases allow the same."""
    x = Position(["Boxer"], ["Boxer /d"], hands=("Coach", ""), decks=(DECK, DECK))
    first = x.legal
    assert "play Coach" in first and "to the Battle Phase" in first
    x.do("to the Battle")
    assert x.legal == ["no attack", "attack"]
    x.do("no attack")
    assert x.s["phase"] == S.P_TACTIC_2
    assert [text for text in x.legal if text != "end the turn"] == [t for t in first if t != "to the Battle Phase"]
    x.do("end the turn")
    assert x.s["whose"] == 1 and x.hand(1) == ["Boxer"] and x.s["phase"] == S.P_TACTIC_1


def test_what_holds_this_turn_is_over_with_it() -> None:
    """RT-T5."""
    x = Position(["Boxer"], ["Boxer /d"], hands=("Pep Talk", "Coach"), decks=(DECK, DECK))
    x.do("play Pep Talk")
    assert x.s["boost"][0][0] == 3
    x.do("to the Battle", "no attack", "end the turn")
    assert x.s["boost"][0][0] == 0


def test_what_holds_this_turn_is_over_for_the_opponent_too() -> None:
    """RT-T5: so is the effect of Food that was an answer in this turn."""
    x = Position(["Boxer"], ["Boxer /d"], hands=("Public Scandal, Coach", "Energy Bar"), decks=(DECK, DECK))
    x.do("play Public Scandal", "play Energy Bar")
    assert x.s["boost"][1][0] == 2
    x.do("to the Battle", "no attack", "end the turn")
    assert x.s["whose"] == 1 and not x.s["boost"].any()


def test_what_holds_this_turn_is_over_in_every_zone() -> None:
    """RT-T5."""
    x = Position(["Boxer /d", *["Boxer"] * 3], hands=("Energy Bar, " * 4 + "Coach", ""), decks=(DECK, DECK))
    for zone in ("Active Zone", "Back Row 1", "Back Row 2", "Back Row 3"):
        x.do("play Energy Bar", f"choose {zone}")
    assert x.s["boost"][0].tolist() == [2, 2, 2, 2]
    x.do("to the Battle", "end the turn")
    assert not x.s["boost"].any()


def test_each_player_has_the_switches_and_the_attack_of_a_turn() -> None:
    """RT-B1, RT-G12: it does not matter what the opponent did in the turn before."""
    mine = ["Boxer /d", "Sprinter", "Captain /d"]
    x = Position(mine, mine, hands=("Headliner", "Headliner"), energy=(0, 0), decks=(DECK, DECK))
    for p in (0, 1):
        assert x.s["to_play"] == p
        x.do("switch with Back Row 1", "to the Battle", "attack", "switch with Back Row 2", "end the turn")
    assert x.s["to_play"] == 0 and x.s["turn"] == 11 and "switch with Back Row 1 (Boxer)" in x.legal


def test_the_draw_comes_before_the_first_tactic_phase_alone() -> None:
    """RT-T1: the player whose turn it is draws one card from the top."""
    x = Position(["Boxer /d"], ["Boxer /d"], hands=("Headliner", "Headliner"), decks=("Coach", "Captain, Coach, Boxer"))
    x.do("to the Battle")
    assert x.hand(0) == ["Headliner"]
    x.do("end the turn")
    assert x.hand(0) == ["Headliner"] and x.hand(1) == ["Captain", "Headliner"] and x.s["deck_size"].tolist() == [1, 2]


# -- zones and summons -------------------------------------------------------------------------------------------------------


def test_zones_hold_one_and_three() -> None:
    """RT-F1, RT-F2, RT-G11: places and Energy alone limit how many Characters are summoned."""
    x = Position(
        hands=("Street Runner, Street Runner, Street Runner, Street Runner, Street Runner", ""), energy=(10, 0)
    )
    for place in ("Active Zone, attack", "Back Row, attack", "Back Row, defense", "Back Row, attack"):
        x.do("play Street Runner", f"to the {place}")
    assert "play Street Runner" not in x.legal and x.s["ready"][0] == 6
    assert x.s["position"][0].tolist() == [0, 0, 1, 0]


def test_a_full_back_row_takes_nobody() -> None:
    """RT-F2, RT-S3: neither the Active Character nor a new one may go there, but two may change places."""
    x = Position(["Boxer", "Coach", "Coach", "Coach"], hands=("Gate Guard, Restock", ""))
    assert "Active Character to the Back Row" not in x.legal and "switch with Back Row 3 (Coach)" in x.legal
    assert "play Gate Guard" not in x.legal
    y = Position(["-", "Coach", "Coach", "Coach"], hands=("Gate Guard, Restock", "")).do("play Gate Guard")
    assert [text.split(",")[0] for text in y.legal] == ["to the Active Zone"] * 2


@pytest.mark.parametrize("position", ["attack", "defense"])
@pytest.mark.parametrize("zone", ["Active Zone", "Back Row"])
def test_a_character_enters_where_and_as_was_chosen(zone: str, position: str) -> None:
    """RT-F3, RT-S1, RT-G9, RT-G10: it is unhurt, and neither switches nor turns this turn, but may attack."""
    mine = ["-", "Coach"] if zone == "Active Zone" else ["Coach"]
    x = Position(mine, hands=("Boxer, Restock", ""), decks=(DECK, DECK)).do("play Boxer", f"to the {zone}, {position}")
    z = 0 if zone == "Active Zone" else 1
    assert x.unit(0, z) == ("Boxer", 2, 4) and x.s["position"][0][z] == (position == "defense")
    assert x.unit(0, 1 - z) == ("Coach", 3, 4)
    words = [text for text in x.legal if text.startswith(("turn", "switch"))]
    assert words == [f"turn {('Back Row 1', 'Active Zone')[z]} (Coach) to defense position"]
    x.do("to the Battle")
    assert (x.s["decision"] == S.D_BATTLE) == (z == 1 or position == "attack")


@pytest.mark.parametrize("energy", [3, 4])
def test_a_summon_costs_its_energy(energy: int) -> None:
    """RT-F3: it may go to either zone, in either position."""
    x = Position(hands=("Captain, Gate Guard, Red Tape", ""), energy=(energy, 0))
    assert ("play Captain" in x.legal) == (energy == 4)
    if energy == 4:
        x.do("play Captain")
        assert [text.partition("(")[0] for text in x.legal] == [
            "to the Active Zone, attack position",
            "to the Active Zone, defense position",
            "to the Back Row, attack position",
            "to the Back Row, defense position",
        ]
        x.do("to the Back Row, defense")
        assert x.unit(0, 1) == ("Captain", 3, 4) and x.s["ready"][0] == 0


# -- battle: the examples of the rulebook ------------------------------------------------------------------------------------


def attack(x: Position) -> Position:
    return x.do("to the Battle", "attack")


def test_attack_position_takes_damage_to_hp_and_the_rest_to_ip() -> None:
    """RT-B4, RT-B5, RT-B6: ATK 5 against HP 4 in Attack Position costs 1 IP (example); both strike at the same time."""
    x = attack(Position(["Captain"], ["Boxer"]))
    assert x.ip == (20, 19) and x.unit(1) is None
    assert x.unit(0) is None  # the Boxer strikes at the same time: 4 against HP 4


def test_defense_position_takes_damage_to_def_first() -> None:
    """RT-B4, RT-B5: ATK 5 against DEF 3 and HP 4 in Defense Position leaves HP 2 (example), and nothing is dealt back."""
    x = attack(Position(["Captain"], ["Captain /d"]))
    assert x.unit(1) == ("Captain", 0, 2) and x.unit(0) == ("Captain", 3, 4) and x.ip == (20, 20)


@pytest.mark.parametrize(("attacker", "ip"), [("Heavy Lifter", 20), ("Champion", 19)])
def test_what_breaks_def_and_hp_goes_on_to_ip(attacker: str, ip: int) -> None:
    """RT-B5, RT-B6: ATK 6 against DEF 4 and HP 2 costs no IP, ATK 7 costs 1 (example)."""
    x = attack(Position([attacker], ["Bouncer /d"]).hurt(1, 0, df=4, hp=2))
    assert x.unit(1) is None and x.ip == (20, ip) and x.gone(1) == ["Bouncer"]


def test_the_attackers_controller_loses_ip_too() -> None:
    """RT-B6."""
    x = attack(Position(["Street Runner"], ["Captain"]))
    assert x.ip == (17, 20) and x.unit(0) is None and x.unit(1) == ("Captain", 3, 2)


def test_a_direct_attack() -> None:
    """RT-B3."""
    assert attack(Position(["Captain"], ["-", "Boxer"])).ip == (20, 15)


def test_one_attack_a_turn_by_the_active_character_in_attack_position() -> None:
    """RT-B1, RT-B2."""
    x = attack(Position(["Captain", "Boxer"], ["Night Watch /d"]))
    assert x.s["phase"] == S.P_TACTIC_2
    x = Position(["Captain /d", "Boxer"], ["Night Watch /d"], hands=("Coach", ""))
    x.do("to the Battle")
    assert x.s["phase"] == S.P_TACTIC_2


def test_a_new_character_may_attack() -> None:
    """RT-G10, and the option `summoned_attacks`."""
    x = Position(["Captain /new"], hands=("Coach", "")).do("to the Battle")
    assert x.s["decision"] == S.D_BATTLE
    y = Position(["Captain /new"], hands=("Coach", ""), summoned_attacks=False).do("to the Battle")
    assert y.s["phase"] == S.P_TACTIC_2


def test_the_defender_may_move_one_up_at_once() -> None:
    """RT-B7, RT-G13: any Character of the Back Row, even one that has just entered, or nobody."""
    x = attack(Position(["Champion"], ["Street Runner", "Boxer", "Coach"]))
    assert x.s["to_play"] == 1 and x.legal == ["nobody", "choose Back Row 1 (Boxer)", "choose Back Row 2 (Coach)"]
    x.do("choose Back Row 2")
    assert x.unit(1) == ("Coach", 3, 4) and x.unit(1, 2) is None and x.s["whose"] == 0
    y = attack(Position(["Champion"], ["Street Runner", "Boxer /new"])).do("choose Back Row 1")
    assert y.unit(1) == ("Boxer", 2, 4)


def test_who_dies_in_the_own_attack_waits() -> None:
    """RT-B8, RT-G15: nobody is moved up or summoned to the Active Zone until the opponent's next attack is over; then one may move up."""
    x = attack(Position(["Street Runner", "Boxer"], ["Captain"], hands=("Coach", ""), decks=(DECK, DECK)))
    assert x.s["phase"] == S.P_TACTIC_2 and not any("switch" in text for text in x.legal)
    x.do("play Coach")
    assert all("Back Row" in text for text in x.legal)
    x.do("to the Back Row, attack", "end the turn", "to the Battle", "attack")
    assert x.ip == (12, 20)  # 3 beyond the HP of the Street Runner, 5 by a direct attack
    assert x.s["to_play"] == 0 and x.legal == ["nobody", "choose Back Row 1 (Boxer)", "choose Back Row 2 (Coach)"]
    x.do("choose Back Row 1")
    assert x.unit(0) == ("Boxer", 2, 4) and x.s["locked"].tolist() == [0, 0]


def test_the_wait_ends_with_the_own_turn_at_the_latest() -> None:
    """RT-B8, RT-G15: here the opponent makes no attack."""
    x = attack(Position(["Street Runner", "Boxer"], ["Captain"], hands=("Coach", ""), decks=(DECK, DECK)))
    x.do("end the turn", "to the Battle", "no attack", "end the turn")
    assert x.s["turn"] == 11 and x.s["decision"] == S.D_REFILL and x.s["to_play"] == 0
    x.do("choose Back Row 1")
    assert x.unit(0) == ("Boxer", 2, 4)


def test_if_both_are_destroyed_the_attacker_waits() -> None:
    """RT-G15: the defender may refill at once."""
    x = attack(Position(["Captain", "Boxer"], ["Boxer", "Coach"], hands=("Coach", "")))
    assert x.s["to_play"] == 1 and x.s["decision"] == S.D_REFILL
    x.do("choose Back Row 1")
    assert x.unit(1) == ("Coach", 3, 4) and x.s["locked"].tolist() == [1, 0]


def test_an_attacker_destroyed_by_a_trap_waits() -> None:
    """RT-G15: the Trap deals 3 damage to HP, and the attack ends."""
    x = attack(
        Position(["Sprinter", "Boxer"], ["Captain"], traps=("", "Counter Hook"), hands=("Coach", "")).hurt(
            0, 0, df=2, hp=3
        )
    )
    x.do("play Counter Hook")
    assert x.unit(0) is None and x.unit(1) == ("Captain", 3, 4) and x.s["locked"].tolist() == [1, 0]
    assert x.ip == (20, 20) and x.s["decision"] == S.D_TACTIC


@pytest.mark.parametrize("trap", ["Slammed Door", "Counter Hook"])
def test_the_wait_ends_with_an_attack_that_hits_nobody(trap: str) -> None:
    """RT-G15: an attack that was cancelled, and one whose attacker a Trap destroyed."""
    x = Position(["Street Runner"], ["-", "Boxer", "Coach"], traps=("", trap), hands=("Coach", ""))
    x.s["locked"][1] = 1
    attack(x).do(f"play {trap}")
    assert x.s["locked"][1] == 0 and x.s["decision"] == S.D_REFILL and x.s["to_play"] == 1
    assert x.do("choose Back Row 1").unit(1) == ("Boxer", 2, 4) and x.ip == (20, 20)


def test_of_two_who_may_move_one_up_the_defender_does_first() -> None:
    """RT-B7, RT-G15: a Trap destroys the attacker, which ends the defender's wait; by the options the attacker may refill as well."""
    here = {"traps": ("", "Counter Hook"), "effect_refill": True, "trapped_waits": False}
    x = Position(["Street Runner", "Sprinter"], ["-", "Boxer"], **here)  # type: ignore[arg-type]
    x.s["locked"][1] = 1
    attack(x).do("play Counter Hook")
    assert x.s["to_play"] == 1 and x.legal == ["nobody", "choose Back Row 1 (Boxer)"]
    x.do("choose Back Row 1")
    assert x.s["to_play"] == 0 and x.legal == ["nobody", "choose Back Row 1 (Sprinter)"]


# -- switching ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("active", "allowed"), [("Boxer", True), ("Sprinter", True), ("Coach", False)])
def test_speed_decides_who_may_leave(active: str, allowed: bool) -> None:
    """RT-S2: against SPD 4, SPD 4 and SPD 7 may switch, SPD 3 may not (example)."""
    x = Position([active, "Bouncer"], ["Captain"])
    assert ("switch with Back Row 1 (Bouncer)" in x.legal) == allowed
    assert ("Active Character to the Back Row" in x.legal) == allowed


def test_without_an_opponent_everybody_may_leave() -> None:
    """RT-G12: a Character that comes in needs no SPD either."""
    assert "switch with Back Row 1 (Bouncer)" in Position(["Coach", "Bouncer"], ["-", "Captain"]).legal


@pytest.mark.parametrize(("front", "back"), [("Boxer /new", "Bouncer"), ("Boxer", "Bouncer /new")])
def test_who_entered_this_turn_does_not_switch(front: str, back: str) -> None:
    """RT-S1."""
    assert not any("switch" in text for text in Position([front, back], hands=("Coach", "")).legal)


def test_who_has_moved_up_is_as_new_as_before() -> None:
    """RT-S1: a Character that entered this turn and has moved up since does not switch; others do."""
    here = {"traps": ("", "Counter Hook"), "hands": ("Gate Guard", ""), "effect_refill": True, "trapped_waits": False}
    mine = ["Street Runner", "Boxer /new", "Sprinter"]
    for choice, switches in (("choose Back Row 1", False), ("choose Back Row 2", True)):
        x = attack(Position(mine, ["Captain"], **here)).do("play Counter Hook", choice)  # type: ignore[arg-type]
        assert x.s["phase"] == S.P_TACTIC_2
        assert ("Active Character to the Back Row" in x.legal) == switches


def test_ways_to_switch() -> None:
    """RT-S3, RT-G12: one moves up to an empty Active Zone, one moves back, or two change places, once in each Tactic Phase."""
    x = Position(["-", "Boxer", "Coach"], hands=("Gate Guard", "")).do("switch with Back Row 1")
    assert x.unit(0) == ("Boxer", 2, 4) and x.unit(0, 1) is None
    assert not any("switch" in text or "to the Back Row" in text for text in x.legal)
    x.do("to the Battle", "no attack", "switch with Back Row 2")
    assert x.unit(0) == ("Coach", 3, 4) and x.unit(0, 2) == ("Boxer", 2, 4)
    y = Position(["Boxer"], hands=("Gate Guard", "")).do("Active Character to the Back Row")
    assert y.unit(0) is None and y.unit(0, 1) == ("Boxer", 2, 4)
    z = Position(["Boxer", "Coach"], hands=("Gate Guard", ""), moves_per_phase=2).do("switch with Back Row 1")
    assert any("switch" in text for text in z.legal)


def test_a_switch_in_each_tactic_phase_without_an_attack() -> None:
    """RT-G12: also if the Battle Phase is over at once, because the Active Character cannot attack."""
    x = Position(["Boxer", "Coach /d"], hands=("Gate Guard", "")).do("switch with Back Row 1", "to the Battle")
    assert x.s["phase"] == S.P_TACTIC_2 and "switch with Back Row 1 (Boxer)" in x.legal


def test_positions_change_once_a_turn() -> None:
    """RT-G9: each Character's may, but not in the turn in which it entered."""
    x = Position(["Boxer", "Coach"], hands=("Gate Guard", "")).do("turn Active Zone")
    assert x.s["position"][0][0] == S.DEFENSE
    assert [text for text in x.legal if text.startswith("turn")] == ["turn Back Row 1 (Coach) to defense position"]
    new = {"hands": ("Gate Guard", "")}
    assert not any(text.startswith("turn") for text in Position(["Boxer /new"], **new).legal)
    assert any(text.startswith("turn") for text in Position(["Boxer /new"], **new, turn_on_entry=True).legal)


def test_positions_change_both_ways() -> None:
    """RT-G9: a Character turned to Attack Position may attack."""
    x = Position(["Boxer /d"], hands=("Coach", "")).do("turn Active Zone (Boxer) to attack")
    assert x.s["position"][0][0] == S.ATTACK and x.do("to the Battle").s["decision"] == S.D_BATTLE


def test_a_switch_does_not_change_who_was_turned() -> None:
    """RT-G9: each Character may be turned once, wherever it stands."""
    x = Position(["Boxer", "Coach"], hands=("Gate Guard", "")).do("turn Active Zone", "switch with Back Row 1")
    turns = [text for text in x.legal if text.startswith("turn")]
    assert turns == ["turn Active Zone (Coach) to defense position"]


# -- cards -------------------------------------------------------------------------------------------------------------------


def test_abilities() -> None:
    """RT-C1: draw as it enters; support from the Back Row, which does not add up; healing at the end of its player's turn."""
    x = Position(hands=("Detective, Boxer", ""), decks=(DECK, "")).do("play Detective", "to the Back Row, attack")
    assert x.hand(0) == ["Boxer", "Boxer"]
    x = attack(Position(["Boxer", "Coach", "Coach"], ["Night Watch /d"]))
    assert x.unit(1) == ("Night Watch", 0, 3)  # ATK 4, and 1 only once, against DEF 5
    x = Position(["Boxer /d", "Line Cook", "Line Cook"], hands=("Coach", ""), decks=(DECK, DECK)).hurt(0, 0, df=0, hp=1)
    x.do("to the Battle", "end the turn")
    assert x.unit(0) == ("Boxer", 0, 3)
    y = Position(["Line Cook"], hands=("Coach", ""), decks=(DECK, DECK)).hurt(0, 0, df=0, hp=1)
    y.do("to the Battle", "no attack", "end the turn")
    assert y.unit(0) == ("Line Cook", 0, 1)  # it is not in the Back Row


def test_maneuvers() -> None:
    """RT-C2: each happens once, then goes to Purgatory; damage by position, more ATK this turn, cards, IP."""
    x = Position(
        ["Boxer"], ["Captain /d"], hands=("Cheap Shot, Pep Talk, Restock, Public Scandal", ""), decks=(DECK, "")
    )
    x.do("play Cheap Shot")
    assert x.unit(1) == ("Captain", 1, 4) and x.gone(0) == ["Cheap Shot"] and x.s["ready"][0] == 9
    x.do("play Restock", "play Public Scandal", "play Pep Talk", "to the Battle", "attack")
    assert x.hand(0) == ["Boxer", "Boxer"] and x.ip == (20, 15) and x.unit(1) is None  # 7 against 1 + 4; Scandal: 3
    y = Position(["Boxer"], ["Captain"], hands=("Cheap Shot, Coach", "")).do("play Cheap Shot")
    assert y.unit(1) == ("Captain", 3, 2)


def test_maneuvers_traps_and_lands_are_for_tactic_phases() -> None:
    """RT-C2, RT-C3, RT-G17, RT-C4: in the Battle Phase and as an answer only Food is played; Tactic Phase 2 allows all of them again."""
    hand = "Cheap Shot, Red Tape, Old Quarter, Energy Bar"
    x = Position(["Boxer"], ["Captain /d"], hands=(hand, hand))
    tactics = ["play Cheap Shot", "set Red Tape", "play Energy Bar", "play Old Quarter"]
    assert [text for text in x.legal if text.startswith(("play", "set"))] == tactics
    x.do("to the Battle")
    assert x.legal == ["play Energy Bar", "no attack", "attack"]
    x.do("attack")
    for player in (1, 0):
        assert x.s["to_play"] == player and x.legal == ["play Energy Bar", "no answer"]
        x.do("no answer")
    assert x.s["phase"] == S.P_TACTIC_2 and {"set Red Tape", "play Old Quarter"} <= set(x.legal)


def test_cards_that_would_do_nothing() -> None:
    """RT-G26: if there is no Character that it could help or hurt, a card stays in the hand."""
    hand = "Cheap Shot, Pep Talk, Sudden Swap, Energy Bar, Hot Soup, Trail Mix, Restock"
    assert [text for text in Position(hands=(hand, "")).legal if text.startswith("play")] == ["play Restock"]
    x = Position(["Boxer", "Coach"], ["Boxer"], hands=(hand, ""))
    assert not {"play Hot Soup", "play Trail Mix"} & set(x.legal)  # nobody lacks HP or DEF
    assert {"play Cheap Shot", "play Pep Talk", "play Sudden Swap", "play Energy Bar"} <= set(x.legal)
    y = Position(["Boxer", "Coach"], hands=("Hot Soup, Coach", "")).hurt(0, 1, df=3, hp=1)
    assert "play Hot Soup" in y.legal


def test_swap_needs_no_speed() -> None:
    """RT-G12: this holds for Sudden Swap, but not for a Character that entered this turn."""
    x = Position(["Coach", "Bouncer", "Boxer /new"], ["Captain"], hands=("Sudden Swap, Boxer", "")).do(
        "play Sudden Swap"
    )
    assert x.unit(0) == ("Bouncer", 4, 3) and x.unit(0, 1) == ("Coach", 3, 4)  # only one could be chosen
    y = Position(["Coach /new", "Bouncer"], ["Captain"], hands=("Sudden Swap, Boxer", ""))
    assert "play Sudden Swap" not in y.legal


def test_traps_are_set_and_wait_for_their_trigger() -> None:
    """RT-C3, RT-G18, RT-E2: three may lie face down; the cost is paid when one is used."""
    x = Position(
        ["Boxer"],
        ["Boxer"],
        hands=("Slammed Door, Slammed Door, Slammed Door, Slammed Door", ""),
        energy=(2, 0),
        decks=(DECK, DECK),
    )
    x.do("set Slammed Door", "set Slammed Door", "set Slammed Door")
    assert "set Slammed Door" not in x.legal and x.s["ready"][0] == 2
    assert "Slammed Door" not in x.game.text(x.s, 1) and "set Traps: 3" in x.game.text(x.s, 1)
    x.do("to the Battle", "no attack", "end the turn", "to the Battle", "attack")
    assert x.s["to_play"] == 0 and x.legal == ["play Slammed Door", "no answer"]
    x.do("play Slammed Door")
    assert x.s["ready"][0] == 0 and x.gone(0) == ["Slammed Door"] and x.unit(0) == ("Boxer", 2, 4)


def test_a_cancelled_attack_was_the_attack() -> None:
    """RT-G24, and the option `cancelled_counts`."""
    x = attack(Position(["Boxer"], ["Boxer"], traps=("", "Slammed Door"))).do("play Slammed Door")
    assert x.s["phase"] == S.P_TACTIC_2 and x.unit(1) == ("Boxer", 2, 4)
    y = attack(Position(["Boxer"], ["Boxer"], traps=("", "Slammed Door"), cancelled_counts=False)).do(
        "play Slammed Door"
    )
    assert y.s["decision"] == S.D_BATTLE


def test_traps_may_have_to_wait_a_turn() -> None:
    """RT-G18: the options `set_traps` and `trap_zone`."""
    for rule, legal in (("at_once", True), ("next_turn", False)):
        x = Position(["Boxer"], ["Boxer"], traps=("", "Slammed Door"), hands=("Coach", ""), set_traps=rule)
        x.s["set_in"][1][0] = 9  # set this turn
        x.do("to the Battle", "attack")
        assert (x.s["decision"] == S.D_ANSWER) == legal
    y = Position(hands=("Red Tape, Slammed Door, Coach", ""), trap_zone=1).do("set Red Tape")
    assert "set Slammed Door" not in y.legal


def test_food_answers_anything() -> None:
    """RT-C4, RT-G20: an attack, a Maneuver, a change of position, a summon, a set Trap; then it goes to Purgatory."""
    x = attack(Position(["Captain"], ["Boxer"], hands=("", "Energy Bar")))
    assert x.s["to_play"] == 1
    x.do("play Energy Bar")
    assert sorted(x.gone(1)) == ["Boxer", "Energy Bar"]
    assert x.ip == (18, 19)  # 6 against HP 4
    for text in ("play Restock", "turn Active", "play Gate Guard", "set Red Tape"):
        y = Position(
            ["Boxer"], ["Boxer"], hands=("Restock, Gate Guard, Red Tape", "Energy Bar"), decks=(DECK, DECK)
        ).do(text)
        if text == "play Gate Guard":
            y.do("to the Back Row, attack")
        assert y.s["decision"] == S.D_ANSWER and y.s["to_play"] == 1, text


def test_food_saves_who_is_about_to_be_destroyed() -> None:
    """RT-C4, RT-G27: damage and IP are dealt, then Food may be played; a Character that has HP again stays, the other is destroyed."""
    here = {"mine": ["Captain"], "theirs": ["Boxer", "Bouncer"], "hands": ("Coach", "Hot Soup")}
    x = attack(Position(**here))  # type: ignore[arg-type]
    assert x.s["decision"] == S.D_ANSWER and x.s["to_play"] == 1  # HP was full at the attack: nothing to heal
    assert x.unit(0) == ("Captain", 3, 0) and x.unit(1) == ("Boxer", 2, 0) and x.ip == (20, 19)
    x.do("play Hot Soup")
    assert x.unit(1) == ("Boxer", 2, 3) and x.unit(0) is None and x.gone(0) == ["Captain"] and x.s["locked"][0] == 1
    y = attack(Position(**here)).do("no answer")  # type: ignore[arg-type]
    assert y.unit(1) is None and y.s["decision"] == S.D_REFILL and y.s["to_play"] == 1
    z = attack(Position(**here, food_saves="never"))  # type: ignore[arg-type]
    assert z.s["decision"] == S.D_REFILL and z.gone(1) == ["Boxer"] and z.hand(1) == ["Hot Soup"]
    w = attack(Position(**here, ip=(20, 1)))  # type: ignore[arg-type]
    assert w.s["over"] == 1 and w.s["reward"].tolist() == [1, -1]  # no IP left: nobody is asked any more


def test_food_saves_from_a_card_as_from_a_battle() -> None:
    """RT-C4, RT-G27: a Maneuver or a Trap deals its damage, then Food may be played before a Character without HP is destroyed."""
    here = {"mine": ["Boxer"], "theirs": ["Street Runner"], "hands": ("Cheap Shot", "Hot Soup"), "decks": (DECK, DECK)}
    x = Position(**here).do("play Cheap Shot")  # type: ignore[arg-type]
    assert x.s["decision"] == S.D_ANSWER and x.s["to_play"] == 1 and x.unit(1)[2] == 0
    assert "on the chain: damage of player_0" in x.game.status_lines(x.s)
    saved = Position(**here).do("play Cheap Shot", "play Hot Soup")  # type: ignore[arg-type]
    assert saved.unit(1) == ("Street Runner", 1, 2) and saved.gone(1) == ["Hot Soup"]
    assert x.do("no answer").unit(1) is None and x.gone(1) == ["Street Runner"]
    trapped = {"hands": ("Hot Soup", ""), "traps": ("", "Counter Hook"), "decks": (DECK, DECK)}
    y = attack(Position(["Delivery Rider"], ["Boxer"], **trapped)).do("play Counter Hook")  # type: ignore[arg-type]
    assert y.s["decision"] == S.D_ANSWER and y.s["to_play"] == 0 and y.unit(0)[2] == 0
    assert y.s["links"] == 2, "the attack is still to come"
    unhurt = y.unit(1)
    y.do("play Hot Soup")
    assert y.unit(1) != unhurt, "who was saved strikes"
    for ruling in ("in_battles", "never"):
        z = Position(**here, food_saves=ruling).do("play Cheap Shot")  # type: ignore[arg-type]
        assert z.unit(1) is None and z.hand(1) == ["Hot Soup"]


def test_food_answers_the_end_of_a_turn() -> None:
    """RT-C4, RT-G28: in the opponent's turn, even if the opponent did nothing in it; a player who has just passed is not asked."""
    here = {"mine": ["Boxer"], "theirs": ["Captain"], "hands": ("Restock, Hot Soup", "Hot Soup"), "decks": (DECK, DECK)}
    ends = ("to the Battle", "no attack", "end")
    x = Position(**here).hurt(0, 0, df=1, hp=1).hurt(1, 0, df=3, hp=1).do(*ends)  # type: ignore[arg-type]
    assert x.s["decision"] == S.D_ANSWER and x.s["to_play"] == 1 and x.s["whose"] == 0
    assert "on the chain: end of the turn of player_0" in x.game.status_lines(x.s)
    x.do("play Hot Soup")
    assert x.unit(1)[2] == 1 and x.s["to_play"] == 0 and x.s["decision"] == S.D_ANSWER, "Food is answered as ever"
    assert x.do("no answer").unit(1)[2] == 4 and x.s["whose"] == 1
    y = Position(**here).hurt(1, 0, df=3, hp=1).do(*ends, "no answer")  # type: ignore[arg-type]
    assert y.s["whose"] == 1 and y.s["decision"] == S.D_TACTIC
    for answers, hp in (((), 4), (("no answer",), 1)):  # player 0 could answer, but has passed
        y = Position(**here).hurt(0, 0, df=1, hp=1).hurt(1, 0, df=3, hp=hp).do(*ends, *answers)  # type: ignore[arg-type]
        assert y.s["whose"] == 1 and y.s["decision"] == S.D_TACTIC
    z = Position(**here, end_answered=False).hurt(1, 0, df=3, hp=1).do(*ends)  # type: ignore[arg-type]
    assert z.s["whose"] == 1 and z.s["decision"] == S.D_TACTIC


def test_food_heals_and_restores_up_to_what_was_there() -> None:
    """RT-C4: Hot Soup and Trail Mix."""
    x = Position(["Night Watch /d", "Boxer"], hands=("Hot Soup, Trail Mix", "")).hurt(0, 0, df=2, hp=1)
    x.do("play Hot Soup", "play Trail Mix")
    assert x.unit(0) == ("Night Watch", 4, 3)


def test_the_chain_is_last_in_first_out() -> None:
    """RT-G19: a Trap negates a Maneuver or Food; Food answers Food, first by the player whose turn it is not."""
    x = Position(["Boxer"], ["Boxer"], hands=("Public Scandal", ""), traps=("", "Red Tape")).do("play Public Scandal")
    assert x.s["to_play"] == 1
    x.do("play Red Tape")
    assert x.ip == (20, 20) and x.gone(0) == ["Public Scandal"] and x.gone(1) == ["Red Tape"]
    y = Position(["Boxer"], ["Boxer"], hands=("Energy Bar", ""), traps=("", "Spoiled Meal")).do("play Energy Bar")
    y.do("play Spoiled Meal")
    assert y.s["boost"][0][0] == 0
    z = Position(["Boxer"], ["Boxer"], hands=("Energy Bar, Hot Soup", "Energy Bar")).hurt(0, 0, df=2, hp=1)
    z.do("to the Battle", "attack")
    assert z.s["to_play"] == 1  # the player whose turn it is not
    z.do("play Energy Bar")
    assert z.s["to_play"] == 0 and z.legal == ["play Energy Bar", "play Hot Soup", "no answer"]
    z.do("play Hot Soup")  # only player 0 has an answer left, and is asked once more after player 1
    z.do("no answer", "no answer")  # to the attack, and before the other Boxer is destroyed
    assert z.unit(1) is None and z.ip == (18, 20)  # 6 against HP 4; it was healed before


def test_nobody_negates_what_is_their_own() -> None:
    """RT-G19: a player's own Traps do not answer its own Maneuver, Food or attack."""
    x = Position(["Boxer"], hands=("Public Scandal, Coach", ""), traps=("Red Tape", "")).do("play Public Scandal")
    assert x.s["decision"] == S.D_TACTIC and x.ip == (20, 17)
    y = Position(["Boxer"], hands=("Energy Bar, Coach", ""), traps=("Spoiled Meal", "")).do("play Energy Bar")
    assert y.s["decision"] == S.D_TACTIC and y.s["boost"][0][0] == 2
    z = attack(Position(["Boxer"], ["Boxer /d"], hands=("Coach", ""), traps=("Slammed Door, Counter Hook", "")))
    assert z.s["decision"] == S.D_TACTIC and z.unit(1) == ("Boxer", 0, 2)


def test_what_is_answered_has_been_done_or_waits() -> None:
    """RT-G19: a switch, a change of position and a summon are done before they are answered; an attack and a draw are not."""
    hands = ("Restock, Detective", "Energy Bar")
    here = {"mine": ["Boxer", "Coach"], "theirs": ["Captain"], "hands": hands, "decks": (DECK, DECK)}
    x = Position(**here).do("switch with Back Row 1")  # type: ignore[arg-type]
    assert x.s["decision"] == S.D_ANSWER and x.unit(0) == ("Coach", 3, 4)
    x = Position(**here).do("turn Active")  # type: ignore[arg-type]
    assert x.s["decision"] == S.D_ANSWER and x.s["position"][0][0] == S.DEFENSE
    x = Position(**here).do("play Detective", "to the Back Row, attack")  # type: ignore[arg-type]
    assert x.s["decision"] == S.D_ANSWER and x.unit(0, 2) == ("Detective", 3, 5) and x.hand(0) == ["Restock"]
    x = Position(**here).do("play Restock")  # type: ignore[arg-type]
    assert x.s["decision"] == S.D_ANSWER and x.hand(0) == ["Detective"]
    x = attack(Position(**here))  # type: ignore[arg-type]
    assert x.s["decision"] == S.D_ANSWER and x.unit(0) == ("Boxer", 2, 4) and x.unit(1) == ("Captain", 3, 4)


def test_a_chain_holds_sixteen() -> None:
    """RT-G19: the attack and fifteen answers; then it resolves and nobody is asked."""
    x = attack(Position(["Boxer"], ["Boxer"], hands=("", ", ".join(["Energy Bar"] * 20)), energy=(0, 100), ip=(50, 20)))
    for number in range(15):
        assert x.s["decision"] == S.D_ANSWER and x.s["links"] == number + 1
        x.do("play Energy Bar")
    assert x.s["links"] == 1 and x.unit(0) == ("Boxer", 2, 0)  # RT-G27
    x.do("no answer")
    assert x.s["links"] == 0 and x.hand(1) == ["Energy Bar"] * 5
    assert x.unit(0) is None and x.ip == (50 - (4 + 15 * 2 - 4), 20)


def test_a_trap_of_an_attack_stays_usable_after_food() -> None:
    """RT-G19: it may be used as long as the attack is on the chain; a Trap that negates answers only what was played last."""
    x = attack(Position(["Boxer"], ["Boxer"], hands=("Energy Bar", ""), traps=("", "Slammed Door, Red Tape")))
    assert x.legal == ["play Slammed Door", "no answer"]
    x.do("no answer", "play Energy Bar")
    assert x.s["to_play"] == 1 and x.legal == ["play Slammed Door", "no answer"]


def test_lands() -> None:
    """RT-C5, RT-G17: there is one for both players, and it stays; both Active Characters get ATK, or DEF at its controller's turn."""
    x = Position(["Captain"], ["Captain"], hands=("Sports Arena, Old Quarter", "Old Quarter"), decks=(DECK, DECK))
    x.do("play Sports Arena")
    assert "play Old Quarter" not in x.legal
    x.do("to the Battle", "attack")
    assert x.ip == (18, 18)
    x = Position(
        ["Bouncer /d", "Gate Guard /d"],
        ["Bouncer /d", "Gate Guard"],
        land=("", "Old Quarter"),
        hands=("Coach", "Coach"),
        decks=(DECK, DECK),
    )
    for p in (0, 1):
        x.hurt(p, 0, df=1, hp=1).hurt(p, 1, df=1, hp=1)
    x.do("to the Battle", "end the turn")
    assert [x.unit(p, z)[1] for p in (0, 1) for z in (0, 1)] == [2, 2, 2, 1]  # type: ignore[index]
    x.do("to the Battle", "end the turn")
    assert [x.unit(p, z)[1] for p in (0, 1) for z in (0, 1)] == [2, 2, 2, 1]  # type: ignore[index]


def test_a_land_in_the_place_of_another() -> None:
    """RT-G17, RT-G20: a new one takes the place of the old one, which goes to Purgatory."""
    y = Position(["Boxer"], hands=("Old Quarter, Coach", ""), land=("", "Sports Arena"), land_replace=True)
    y.do("play Old Quarter")
    assert y.s["land"].tolist() == [list(y.game.action_names).index("Old Quarter"), -1] and y.gone(1) == [
        "Sports Arena"
    ]


# -- the end -----------------------------------------------------------------------------------------------------------------


def test_who_has_no_ip_has_lost() -> None:
    """RT-W1, RT-G6: IP are never below 0."""
    x = attack(Position(["Captain"], ip=(20, 3)))
    assert x.s["over"] == 1 and x.s["reward"].tolist() == [1, -1] and x.ip == (20, 0)


@pytest.mark.parametrize(("rule", "reward"), [("draw", [0, 0]), ("active_loses", [-1, 1])])
def test_both_without_ip(rule: str, reward: list[int]) -> None:
    """RT-G5."""
    x = attack(Position(["Captain"], ["Captain"], ip=(1, 1), both_out=rule))
    assert x.s["over"] == 1 and x.s["reward"].tolist() == reward


@pytest.mark.parametrize(("rule", "over"), [("no_penalty", 0), ("lose", 1)])
def test_an_empty_deck(rule: str, over: int) -> None:
    """RT-G3."""
    x = Position(["Boxer /d"], ["Boxer /d"], hands=("Coach", "Coach"), deck_out=rule).do(
        "to the Battle", "end the turn"
    )
    assert x.s["over"] == over and (not over or x.s["reward"].tolist() == [1, -1])


@pytest.mark.parametrize(("ip", "reward"), [((5, 4), [1, -1]), ((4, 5), [-1, 1]), ((5, 5), [0, 0])])
def test_the_last_turn(ip: tuple[int, int], reward: list[int]) -> None:
    """RT-G3: then the higher IP win, and equal ones are a draw."""
    x = Position(["Boxer /d"], ["Boxer /d"], hands=("Coach", "Coach"), ip=ip, turn=9, max_turns=9, decks=(DECK, DECK))
    x.do("to the Battle", "end the turn")
    assert x.s["over"] == 1 and x.s["reward"].tolist() == reward


def test_no_limit_to_a_hand() -> None:
    """RT-G4."""
    x = Position(hands=(", ".join(["Headliner"] * 15), ""), energy=(1, 1), decks=(DECK, DECK))
    x.s["hand"][1][0] = 20
    x.s["hand_size"][1] = 20
    x.do("end the turn" if x.s["phase"] == S.P_TACTIC_2 else "to the Battle")
    assert x.s["hand_size"][1] > 20


def test_damage_stays_or_comes_back() -> None:
    """RT-G7, RT-G8: HP and DEF, with the options of both."""
    for name, left in (("", (1, 2)), ("hp_damage", (1, 4)), ("broken_def", (2, 2))):
        options = {name: "own_turn"} if name else {}
        x = Position(["Boxer /d"], ["Boxer /d"], hands=("Coach", "Coach"), decks=(DECK, DECK), **options).hurt(
            1, 0, df=1, hp=2
        )
        x.do("to the Battle", "end the turn")
        assert x.unit(1) == ("Boxer", *left), name


def test_effects_do_not_refill_and_cost_no_ip() -> None:
    """RT-G14, RT-G16: Cheap Shot destroys the Active Character, without and with the options."""
    here = {"mine": ["Boxer"], "theirs": ["Street Runner", "Boxer"], "hands": ("Cheap Shot, Coach", "")}
    x = Position(**here).hurt(1, 0, df=0, hp=1).do("play Cheap Shot")  # type: ignore[arg-type]
    assert x.unit(1) is None and x.s["to_play"] == 0 and x.ip == (20, 20)
    y = Position(**here, effect_refill=True).hurt(1, 0, df=0, hp=1).do("play Cheap Shot")  # type: ignore[arg-type]
    assert y.s["decision"] == S.D_REFILL and y.s["to_play"] == 1
    z = Position(**here, effect_overflow=True).hurt(1, 0, df=0, hp=1).do("play Cheap Shot")  # type: ignore[arg-type]
    assert z.ip == (20, 19)


# -- information and cards ---------------------------------------------------------------------------------------------------


def test_what_is_hidden() -> None:
    """RT-I1, RT-G21: hands, set Traps and decks are hidden; Purgatory and all numbers are public."""
    x = Position(
        ["Boxer"], ["Coach"], hands=("Captain", "Champion"), traps=("", "Red Tape"), decks=("Sprinter", "Bouncer")
    )
    x.s["gone"][1][3] = 1
    text = x.game.text(x.s, 0)
    assert not any(name in text for name in ("Champion", "Red Tape", "Sprinter")) and "Captain" in text
    assert "Purgatory: Bouncer" in text and "1 in hand" in text
    assert "Champion" in x.game.text(x.s, None) and "Sprinter" in x.game.text(x.s, None)


def test_closed_deck_lists() -> None:
    """RT-I2: the observation tells nothing about the other's deck, and a guessed world may have another list."""
    game = react_env.load("reality_tcg-v0", decks="random", open_decklists=False)
    s = game.new(seed=5)
    lists = {int(game.determinize(s, 0, seed)["list"][1]) for seed in range(40)}
    assert len(lists) == len(installed())
    assert {int(game.determinize(s, 0, seed)["list"][0]) for seed in range(10)} == {int(s["list"][0])}
    assert not game.layout.view(game.observe(s, 0), "cards")[:, 4].any()
    known = react_env.load("reality_tcg-v0", decks="random")
    t = known.new(seed=5)
    assert {int(known.determinize(t, 0, seed)["list"][1]) for seed in range(20)} == {int(t["list"][1])}
    assert known.layout.view(known.observe(t, 0), "cards")[:, 4].sum() == 40


def test_guessed_worlds_are_alike() -> None:
    """RT-I3: chi-square over which Trap lies set, of three kinds with two, one and one copies left."""
    game = react_env.load("reality_tcg-v0", decks=DECKS[0])
    s = game.new(seed=1)
    choose(s, "return no more", game)
    choose(s, "return no more", game)
    names = list(game.action_names)
    p = 1 - int(s["to_play"])
    # Player p has set one of the four Traps of its deck, two of which are Counter Hooks.
    traps = [names.index(name) for name in ("Counter Hook", "Slammed Door", "Red Tape")]
    k = next(k for k in traps if (s["deck"][p][: s["deck_size"][p]] == k).any())
    i = int(np.flatnonzero(s["deck"][p][: s["deck_size"][p]] == k)[0])
    s["deck"][p][i] = s["deck"][p][s["deck_size"][p] - 1]
    s["deck_size"][p] -= 1
    s["trap"][p][0] = k
    count = Counter(int(game.determinize(s, 1 - p, seed)["trap"][p][0]) for seed in range(2000))
    expected = dict(zip(traps, (1000, 500, 500)))
    assert sum((count[trap] - n) ** 2 / n for trap, n in expected.items()) < 13.8  # 99.9 % with two degrees of freedom


def test_all_cards_are_files() -> None:
    """RT-G1, RT-G2: every installed deck obeys the rules, and every card of the set is in one of them."""
    used: set[str] = set()
    for name in installed():
        deck, cards = load_deck(name, load_rules())
        used |= set(deck.cards)
    assert used == {card.id for card in cards.cards} and len(installed()) >= 6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decks": "tempoo"}, "there is no deck 'tempoo'.*tempo"),
        ({"decks": ("tempo",) * 3}, "3; a name or path"),
        ({"decks": "tempo", "pool": ["wall"]}, 'goes with decks="random"'),
        ({"decks": "random", "pool": []}, "no decks"),
        ({"decks": (1, 2)}, "neither a name nor a path"),
        ({"decks": 2}, "2 is neither a name nor a path"),
        ({"max_turns": 0}, "max_turns"),
        ({"deck_out": "win"}, "deck_out"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        react_env.load("reality_tcg-v0", **options)
