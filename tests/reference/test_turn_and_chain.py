"""The reference model of Re;ACT alone: the worked example, the turn and the chain. Rule ids as in the rules of the game."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.reference.arts_of_war import DECLINE, END_TURN, OPTION, OWN_UNIT, PASS, THEIR_UNIT, ReferenceGame
from tests.reference.kits import FLOORER, INKER, LEAPER
from tests.reference.positions import (
    ABILITY_INTENTION,
    ABILITY_REACTION,
    BACK,
    BLOT,
    CALLIGRAPHER,
    DANCER,
    FLOWING_INK,
    FORWARD,
    GUARD,
    INTENTION,
    LEFT,
    PIVOTING_STEP,
    REACTION,
    RIGHT,
    SPILL,
    SUMMONING_INK,
    all_pass,
    start,
    with_do,
    zone_id,
)

# ---------------------------------------------------------------------- the worked example


def spirit_beside_dancer(game: ReferenceGame) -> None:
    game.place(0, "artist", "a1")
    game.place(1, "artist", "c3")
    spirit = game.place(0, "spirit", "b3")
    spirit.tokens[0, "ink"] = 1
    game.players[0].token_pool["ink"] -= 1
    game.players[0].hand[FLOWING_INK] = 1
    game.players[1].hand[PIVOTING_STEP] = 1


def spirit_attacks(game: ReferenceGame) -> None:
    game.step(ABILITY_INTENTION + 1)
    if OPTION + 1 in game.legal_actions():  # the Spirit of the test kits has two Intentions; this is the second
        game.step(OPTION + 1)
    game.step(zone_id(game, 0, "c3"))
    assert game.log[-2:] == [
        "player_0's Sealbrush Spirit 1 (b3) is exhausted",
        "player_0 plays Sealbrush Spirit [2] (Intention) with player_0's Sealbrush Spirit 1 (b3), zone c3",
    ]
    assert game.to_play == 1
    game.step(REACTION + PIVOTING_STEP)
    assert game.to_play == 0


BOTH_KITS = pytest.mark.parametrize("artists", [(INKER, LEAPER), (CALLIGRAPHER, DANCER)], ids=["test kits", "standard"])


@BOTH_KITS
def test_worked_example_with_flowing_ink(artists: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """The rulebook's example: the Spirit is pushed out of the Dancer's reach and hits. AW-C4 AW-C6 AW-C7 AW-C8 AW-C15"""
    game = start(spirit_beside_dancer, artists)
    spirit_attacks(game)
    game.step(REACTION + FLOWING_INK)
    game.step(LEFT)
    all_pass(game)
    game.step(OWN_UNIT + 1)  # the Spirit is chosen as Flowing Ink resolves
    assert game.log[3:] == [
        "player_0 plays Flowing Ink (Reaction), left",
        "player_1 passes",
        "player_0 passes",
        "Flowing Ink of player_0 resolves",
        "player_0's Sealbrush Spirit 1 (b3) moves to a3",
        "Pivoting Step of player_1 resolves",
        "Sealbrush Spirit of player_0 resolves",
        "player_1's Dancer (c3) takes damage (1)",
    ]
    assert game.players[0].units[1] is not None


@BOTH_KITS
def test_worked_example_without_flowing_ink(artists: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """Without Flowing Ink the two swap, and the Spirit destroys itself. AW-C7 AW-U4 AW-U7 AW-U8"""
    game = start(spirit_beside_dancer, artists)
    spirit_attacks(game)
    all_pass(game)
    assert game.log[3:] == [
        "player_0 passes",
        "player_1 passes",
        "Pivoting Step of player_1 resolves",
        "player_1's Dancer (c3) and player_0's Sealbrush Spirit 1 (b3) swap",
        "player_1: Shed Scales",
        "c3 gets Scale",
        "Sealbrush Spirit of player_0 resolves",
        "player_0's Sealbrush Spirit 1 (c3) is removed",
    ]
    assert game.players[1].damage == 0
    assert game.players[0].units[1] is None
    assert game.players[0].token_pool["ink"] == artists[0]["tokens"]["ink"]["pool"]


# ---------------------------------------------------------------------- turn


def test_first_turn() -> None:
    """No masterpiece on turn 1, both draw, the turn player first. AW-T2 AW-T3"""
    game = ReferenceGame((INKER, LEAPER), {}, ([0, 1], [2, 3]), 1, ([1, 1, 1, 1], [1, 1, 1, 1]))
    assert game.log == ["Turn 1: player_1", "player_1 draws a card", "player_0 draws a card"]
    assert game.hand(0) == [1, 2, 1, 1] and game.hand(1) == [1, 1, 1, 2]  # from the top
    assert game.to_play == 1 and END_TURN in game.legal_actions()


@pytest.mark.parametrize(("spares", "over"), [(True, 0), (False, 1)])
def test_full_hand_and_empty_deck(spares: bool, over: int) -> None:
    """A full hand saves its player from decking out, unless the option is off. AW-T4 AW-T5"""

    def arrange(game: ReferenceGame) -> None:
        game.players[0].hand[:] = [6, 0, 0, 0]
        game.players[1].deck[:] = [0]

    game = start(arrange, phase="draw", rules={"full_hand_spares_deck_out": spares})
    assert game.over == over
    if spares:
        assert game.log[:2] == ["player_0 cannot draw, hand is full", "player_1 draws a card"]
    else:
        assert game.log == ["player_0 cannot draw, deck is empty", "player_1 wins"]
        assert game.rewards == (-1, 1)


def test_empty_deck_loses_and_an_artist_without_a_deck_does_not() -> None:
    """AW-T5"""
    game = start(lambda game: None, (FLOORER, INKER), phase="draw")
    assert game.log == ["player_1 cannot draw, deck is empty", "player_0 wins"]
    assert game.rewards == (1, -1) and game.legal_actions() == []


def test_end_phase() -> None:
    """The end-of-turn triggers run; then everybody is refreshed and the tokens of the turn go. AW-T7 AW-U10"""

    def arrange(game: ReferenceGame) -> None:
        game.place(0, "can", "b3", exhausted=True)
        game.players[1].artist.exhausted = True
        game.zone("c3").tokens[1, "guard"] = 1
        game.players[1].token_pool["guard"] -= 1
        game.players[1].hand[:] = [6, 0, 0, 0]

    game = start(arrange, (FLOORER, LEAPER))
    game.step(END_TURN)
    assert game.log == ["player_0 ends the turn", "player_0: Dusk"]
    assert game.to_play == 0 and game.legal_actions() == [DECLINE, OPTION]
    assert all(unit.exhausted for unit in game._units() if unit is not game.players[0].artist)
    game.step(OPTION)
    game.step(OWN_UNIT)
    assert game.log[2:4] == ["player_0's Floorer (c1) gets Ink", "Turn 4: player_1"]
    assert not any(unit.exhausted for unit in game._units())
    assert game.players[1].token_pool["guard"] == 2
    assert game.players[0].artist.tokens == {} and game.players[0].token_pool["ink"] == 2


def test_start_of_turn_comes_first_and_only_on_its_owners_turns() -> None:
    """AW-T1 AW-T2"""
    game = start(lambda game: None, (FLOORER, LEAPER), phase="start")
    assert game.log == ["Turn 3: player_0", "player_0: Dawn"]
    assert game.to_play == 0
    game.step(DECLINE)
    assert game.log[2:] == ["player_0 declines"]
    assert game.legal_actions() == [OPTION, OPTION + 1, OPTION + 2]
    other = start(lambda game: None, (FLOORER, LEAPER), phase="start", turn_player=1)
    assert other.log == ["Turn 3: player_1"] and other.to_play == 1


def test_truncation() -> None:
    """AW-T8"""
    game = start(lambda game: None, (FLOORER, FLOORER), turn=60)
    game.step(END_TURN)
    game.step(DECLINE)
    game.step(DECLINE)
    assert game.log[-1] == "The game is truncated"
    assert game.over == 2 and game.rewards == (0, 0) and game.turn == 60


# ---------------------------------------------------------------------- chain


def test_window_opens_again_after_a_pass() -> None:
    """The opponent is asked first, then the player; a later play asks again whoever passed. AW-C4 AW-I2"""

    def arrange(game: ReferenceGame) -> None:
        game.players[0].hand[:] = [1, 1, 0, 0]
        game.players[1].hand[:] = [2, 0, 0, 0]

    game = start(arrange)
    game.step(INTENTION + SUMMONING_INK)
    assert game.to_play == 1 and game.legal_actions() == [PASS, REACTION, ABILITY_REACTION]
    game.step(PASS)
    assert game.to_play == 0
    game.step(REACTION + FLOWING_INK)
    game.step(FORWARD)
    assert game.to_play == 1
    game.step(REACTION + PIVOTING_STEP)
    # Player 0 has nothing left: the pass is made, and logged like any other.
    assert game.log[-2:] == ["player_1 plays Pivoting Step (Reaction)", "player_0 passes"]
    assert game.to_play == 1
    game.step(PASS)
    assert "Pivoting Step of player_1 resolves" in game.log


def test_announced_passes() -> None:
    """AW-I2"""

    def arrange(game: ReferenceGame) -> None:
        game.players[0].hand[:] = [0, 1, 0, 0]
        game.players[1].artist.exhausted = True

    game = start(arrange, rules={"forced_passes": "announced"})
    game.step(INTENTION + SUMMONING_INK)
    assert game.log == [
        "player_0 plays Summoning Ink (Intention)",
        "player_1 cannot react",
        "player_0 cannot react",
        "Summoning Ink of player_0 resolves",
    ]


def test_fifth_card_resolves_at_once() -> None:
    """AW-C5 AW-C6; action cards are discarded as they resolve, last in first out. AW-C12"""

    def arrange(game: ReferenceGame) -> None:
        game.players[0].hand[:] = [3, 1, 0, 0]
        game.players[1].hand[:] = [6, 0, 0, 0]

    game = start(arrange)
    game.step(INTENTION + SUMMONING_INK)
    for _ in range(2):
        game.step(REACTION + PIVOTING_STEP)
        game.step(REACTION + FLOWING_INK)
        game.step(LEFT)
    assert game.log[-1] == "Flowing Ink of player_0 resolves"
    assert len(game.chain) == 5 and game.players[0].discard == [0, 0, 0, 0]
    game.step(OWN_UNIT)
    assert game.players[0].discard == [1, 0, 0, 0]
    assert game.log[-1] == "Flowing Ink of player_0 resolves" and len(game.chain) == 3


def test_card_on_the_chain_in_the_status_lines() -> None:
    """AW-I1 and the lines of docs/arts_of_war/decisions.md"""
    game = start(spirit_beside_dancer)
    game.step(ABILITY_INTENTION + 1)
    assert game.status(1)[-2] == "chain 1: player_0's Sealbrush Spirit ..."
    game.step(OPTION + 1)
    assert game.status(1)[-2] == "chain 1: player_0's Sealbrush Spirit [2] with player_0's Sealbrush Spirit 1 (b3) ..."
    game.step(zone_id(game, 0, "c3"))
    game.step(REACTION + PIVOTING_STEP)
    assert game.status(0) == [
        "Turn 3, player_0's turn",
        "player_0 Calligrapher: damage 0/3; hand 1: Flowing Ink; deck 0; "
        "hidden: Flowing Ink x8, Summoning Ink x8, Blot x7, Spill x7; discard 0",
        "player_1 Dancer: damage 0/3; hand 0; deck 0; hidden: Pivoting Step x7, Calling Step x8, Shatter x7, Guard x7; discard 0",
        "unit player_0's Calligrapher (a1)",
        "unit player_0's Sealbrush Spirit 1 (b3), exhausted, Ink",
        "unit player_1's Dancer (c3)",
        "chain 1: player_0's Sealbrush Spirit [2] with player_0's Sealbrush Spirit 1 (b3), zone c3",
        "chain 2: player_1's Pivoting Step",
        "masterpiece: - | - | - | - | -",
    ]


def two_cans(game: ReferenceGame) -> None:
    game.place(0, "artist", "a1")
    game.place(0, "can", "a3")
    game.place(0, "can", "e3")
    game.players[1].hand[GUARD] = 5


@pytest.mark.parametrize(
    ("rules", "units"),
    [
        ({}, None),
        ({"shared_ability_card": False}, [OWN_UNIT + 2]),
        ({"ability_once_per_chain": False}, [OWN_UNIT + 2]),  # the first is exhausted
    ],
)
def test_ability_card_on_the_chain(rules: dict[str, Any], units: list[int] | None) -> None:
    """AW-C12 AW-C13"""
    game = start(two_cans, (FLOORER, INKER), rules=rules, turn_player=1)
    game.players[1].hand[:] = [1, 1, 0, 0]
    game._flow = game._play_game("main")
    game._advance(None)
    game.step(INTENTION + SUMMONING_INK)
    game.step(ABILITY_REACTION + 1)
    assert game.legal_actions() == [OWN_UNIT + 1, OWN_UNIT + 2]
    game.step(OWN_UNIT + 1)
    game.step(FORWARD)
    game.step(PASS)  # player 1, who could play Flowing Ink
    if units is None:
        assert game.log[-4:-2] == ["player_0 passes", "Can of player_0 resolves"]
    else:
        assert game.to_play == 0 and game.legal_actions() == [PASS, ABILITY_REACTION + 1]
        game.step(ABILITY_REACTION + 1)
        assert game.legal_actions() == [FORWARD, RIGHT, BACK, LEFT]
        assert game.chain[-1].scope.variables["me"] is game.players[0].units[2]


@pytest.mark.parametrize(("setting", "damage"), [("resolve", 1), ("fizzle", 0)])
def test_source_gone_before_resolution(setting: str, damage: int) -> None:
    """AW-C11: the parts that need the unit are skipped, unless the option makes the whole effect fizzle."""
    kit = copy.deepcopy(INKER)
    kit["abilities"][1]["effects"][1]["do"] = [
        {"add_token": {"token": "ink", "to": "me"}},
        {"damage": {"zone": "target"}},
    ]

    def arrange(game: ReferenceGame) -> None:
        game.place(0, "artist", "a1")
        game.place(1, "artist", "d3")
        game.place(0, "spirit", "c3")
        game.players[1].hand[BLOT] = 1

    other = copy.deepcopy(INKER)
    game = start(arrange, (kit, other), rules={"sourceless_effects": setting})
    game.step(ABILITY_INTENTION + 1)
    game.step(OPTION + 1)
    game.step(zone_id(game, 0, "d3"))
    game.step(REACTION + BLOT)
    game.step(THEIR_UNIT)
    game.step(zone_id(game, 1, "a2"))
    assert game.players[1].damage == 1
    game = start(arrange, (kit, other), rules={"sourceless_effects": setting})
    game.step(ABILITY_INTENTION + 1)
    game.step(OPTION + 1)
    game.step(zone_id(game, 0, "d3"))
    game.step(REACTION + BLOT)
    assert game.legal_actions() == [THEIR_UNIT, THEIR_UNIT + 1]
    game.step(THEIR_UNIT + 1)
    # A zone next to the Spirit; the Spirit is taken away by hand instead, before the chain resolves.
    unit = game.players[0].units[1]
    assert unit is not None
    game._remove(unit)
    game.step(zone_id(game, 1, "b3"))
    assert game.log[-1 - damage] == "Sealbrush Spirit of player_0 resolves"
    assert game.players[1].damage == damage
    assert "gets Ink" not in game.log[-2]


def test_costs() -> None:
    """What cannot be paid cannot be played; a card is never discarded to pay for itself. AW-C2 AW-U6"""

    def arrange(game: ReferenceGame) -> None:
        game.players[0].hand[:] = [0, 0, 1, 0]
        game.players[0].artist.tokens[0, "ink"] = 1
        game.players[0].artist.exhausted = True

    # The ink could be paid, but no card is left to discard: ending the turn is the only choice, and is made.
    game = start(arrange)
    assert game.log[0] == "player_0 ends the turn"

    def richer(game: ReferenceGame) -> None:
        arrange(game)
        game.players[0].hand[SPILL] = 1
        game.players[0].hand[FLOWING_INK] = 1

    game = start(richer)
    assert game.legal_actions() == [END_TURN, INTENTION + BLOT, INTENTION + SPILL]
    game.step(INTENTION + BLOT)
    assert game.legal_actions() == [OPTION + FLOWING_INK, OPTION + SPILL]
    assert game.status()[-2] == "chain 1: player_0's Blot [1], unit player_0's Calligrapher (c1) ..."
    game.step(OPTION + SPILL)
    assert game.log[:3] == [
        "player_0's Calligrapher (c1) loses Ink",
        "player_0 discards Spill",
        "player_0 plays Blot [1] (Intention), unit player_0's Calligrapher (c1)",
    ]
    assert game.players[0].discard == [0, 0, 0, 1]


def test_invalid_targets_may_be_chosen() -> None:
    """AW-C10 AW-U2 AW-U5: here an occupied zone, where nothing is summoned."""
    kit = with_do(INKER, "[{choose_zone: {as: z, where: {adjacent_to: me}}}, {summon: {kind: spirit, zone: z}}]")

    def arrange(game: ReferenceGame) -> None:
        game.place(1, "artist", "c2")

    game = start(arrange, (kit, LEAPER))
    game.step(ABILITY_INTENTION)
    game.step(PASS)
    game.step(zone_id(game, 0, "c2"))
    assert game.log[-1] == "Calligrapher of player_0 resolves"
