"""The reference model of Re;ACT alone, on positions made by hand. Rule ids as in the rules of the game."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.reference.arts_of_war import (
    DECLINE,
    DIRECTION,
    END_TURN,
    MASTERPIECE_SLOT,
    OPTION,
    OWN_UNIT,
    PASS,
    PLAY,
    RULES,
    THEIR_UNIT,
    ZONE,
    ReferenceGame,
)
from tests.reference.kits import FLOORER, INKER, KITS, LEAPER

INTENTION, ABILITY_INTENTION = PLAY["intention", True], PLAY["intention", False]
REACTION, ABILITY_REACTION = PLAY["reaction", True], PLAY["reaction", False]
FLOWING_INK, SUMMONING_INK, BLOT, SPILL = range(4)
PIVOTING_STEP, CALLING_STEP, SHATTER, GUARD = range(4)
FORWARD, RIGHT, BACK, LEFT = range(DIRECTION, DIRECTION + 4)

STANDARD = Path(__file__).parents[2] / "react_env/games/arts_of_war/editions/standard"
CALLIGRAPHER, DANCER = (yaml.safe_load((STANDARD / f"{name}.yaml").read_text()) for name in ("calligrapher", "dancer"))

Arrange = Callable[[ReferenceGame], None]


def start(
    arrange: Arrange, artists: tuple[dict[str, Any], dict[str, Any]] = (INKER, LEAPER), **options: Any
) -> ReferenceGame:
    """A position in the main phase of player 0's turn 3, unless told otherwise."""
    return ReferenceGame.at(artists, arrange, **options)


def zone_id(game: ReferenceGame, player: int, name: str) -> int:
    number = game.zone(name).number
    return ZONE + (number if player == 0 else len(game.zones) - 1 - number)


def since(game: ReferenceGame, line: str) -> list[str]:
    """What was logged after the last time that line was."""
    last = max(i for i, logged in enumerate(game.log) if logged == line)
    return game.log[last + 1 :]


def with_do(kit: dict[str, Any], do: str, **effect: Any) -> dict[str, Any]:
    """That kit with another first effect on its artist ability card: an intention without a cost."""
    kit = copy.deepcopy(kit)
    kit["abilities"][0]["effects"] = [{"kind": "intention", "cost": [], "do": yaml.safe_load(do)} | effect]
    return kit


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
    game.step(OPTION + 1)
    game.step(zone_id(game, 0, "c3"))
    assert game.log[-2:] == [
        "player_0's Sealbrush Spirit 1 (b3) is exhausted",
        "player_0 plays Sealbrush Spirit [2] (Intention) with player_0's Sealbrush Spirit 1 (b3), zone c3",
    ]
    assert game.to_play == 1
    game.step(REACTION + PIVOTING_STEP)
    assert game.to_play == 0


def all_pass(game: ReferenceGame) -> None:
    while PASS in game.legal_actions():
        game.step(PASS)


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
    """The same without it: the two swap, and the Spirit destroys itself. AW-C7 AW-U4 AW-U7 AW-U8"""
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
    """A full hand spares from decking out, unless the rule says otherwise. AW-T4 AW-T5"""

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
    """The triggers of the end, then everybody is refreshed and the tokens of the turn go. AW-T7 AW-U10"""

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
    """The opponent first, then the player; a later play asks the one who passed again. AW-C4 AW-I2"""

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
    """AW-C11: the parts that need the unit are skipped, unless the whole effect is to fizzle."""
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
    """What cannot be paid cannot be played; never the card itself is discarded. AW-C2 AW-U6"""

    def arrange(game: ReferenceGame) -> None:
        game.players[0].hand[:] = [0, 0, 1, 0]
        game.players[0].artist.tokens[0, "ink"] = 1
        game.players[0].artist.exhausted = True

    # The ink could be paid, but no card is left to discard: only the end of the turn is left, and is taken.
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
    assert game.status()[-2] == "chain 1: player_0's Blot, unit player_0's Calligrapher (c1) ..."
    game.step(OPTION + SPILL)
    assert game.log[:3] == [
        "player_0's Calligrapher (c1) loses Ink",
        "player_0 discards Spill",
        "player_0 plays Blot (Intention), unit player_0's Calligrapher (c1)",
    ]
    assert game.players[0].discard == [0, 0, 0, 1]


def test_invalid_targets_may_be_chosen() -> None:
    """AW-C10 AW-U2 AW-U5: a blocked direction, an occupied zone."""
    kit = with_do(INKER, "[{choose_zone: {as: z, where: {adjacent_to: me}}}, {summon: {kind: spirit, zone: z}}]")

    def arrange(game: ReferenceGame) -> None:
        game.place(1, "artist", "c2")

    game = start(arrange, (kit, LEAPER))
    game.step(ABILITY_INTENTION)
    game.step(PASS)
    game.step(zone_id(game, 0, "c2"))
    assert game.log[-1] == "Calligrapher of player_0 resolves"


# ---------------------------------------------------------------------- units


def run_effect(
    do: str, arrange: Arrange, kit: dict[str, Any] = LEAPER, other: dict[str, Any] = INKER, **options: Any
) -> ReferenceGame:
    """Player 0's artist does this at once: nobody can react."""

    def silent(game: ReferenceGame) -> None:
        arrange(game)
        game.players[1].artist.exhausted = True

    kit = with_do(kit, do)
    game = start(silent, (kit, other), **options)
    game.step(ABILITY_INTENTION)
    return game


def test_move_and_jump() -> None:
    """AW-U1 AW-U2 AW-U3"""

    def arrange(game: ReferenceGame) -> None:
        game.place(0, "fish", "c2")
        game.place(1, "artist", "c3")

    for do, zone in (("move", "c1"), ("jump", "c4")):
        game = run_effect(f"[{{choose_direction: w}}, {{{do}: {{unit: me, way: w}}}}]", arrange)
        game.step(FORWARD)
        there = game.players[0].artist.zone
        assert there is not None and there.name == zone

    def walled(game: ReferenceGame) -> None:
        arrange(game)
        game.place(1, "spirit", "c4")
        game.place(1, "spirit", "c5")

    game = run_effect("[{choose_direction: w}, {jump: {unit: me, way: w}}]", walled)
    game.step(FORWARD)
    assert game.players[0].artist.zone is game.zone("c1")
    game.step(ABILITY_INTENTION)
    game.step(RIGHT)
    assert game.players[0].artist.zone is game.zone("d1")


def test_view_of_player_1() -> None:
    """Her forward is down the board, her zone ids run the other way."""

    def arrange(game: ReferenceGame) -> None:
        game.players[0].artist.exhausted = True

    kit = with_do(
        INKER, "[{choose_direction: w}, {move: {unit: me, way: w}}, {choose_zone: {as: z, where: {adjacent_to: me}}}]"
    )
    game = start(arrange, (LEAPER, kit), turn_player=1)
    game.step(ABILITY_INTENTION)
    game.step(RIGHT)
    assert game.log[-1] == "player_1's Calligrapher (c5) moves to b5"
    assert game.legal_actions() == [ZONE + 2, ZONE + 4, ZONE + 8]  # c5, a5, b4


def test_simultaneous_damage_ties() -> None:
    """AW-U7 AW-U8 AW-U9"""

    def arrange(game: ReferenceGame) -> None:
        game.players[0].damage = game.players[1].damage = 2
        game.place(1, "artist", "a2")
        game.place(1, "spirit", "b2")

    game = run_effect("[{damage: {units: {}}}, {draw: 1}]", arrange)
    assert game.log[-4:] == [
        "player_0's Dancer (c1) takes damage (3)",
        "player_1's Calligrapher (a2) takes damage (3)",
        "player_1's Sealbrush Spirit 1 (b2) is removed",
        "The game is a tie",
    ]
    assert game.over == 1 and game.rewards == (0, 0)


def test_third_damage_ends_the_game_in_the_middle_of_a_chain() -> None:
    """AW-U8"""

    def arrange(game: ReferenceGame) -> None:
        game.players[1].damage = 2

    game = run_effect("[{damage: {units: {side: theirs}}}, {damage: {units: {side: mine}}}]", arrange)
    assert game.log[-2:] == ["player_1's Calligrapher (c5) takes damage (3)", "player_0 wins"]
    assert game.rewards == (1, -1) and game.legal_actions() == []
    with pytest.raises(ValueError):
        game.step(END_TURN)


def test_summons() -> None:
    """The lowest free tile arrives refreshed; another Unit than the one that left. AW-U5"""

    def arrange(game: ReferenceGame) -> None:
        game.place(0, "fish", "a1")
        game.place(0, "fish", "b1")
        first = game.players[0].units[1]
        assert first is not None
        game._remove(first)

    do = "[{choose_zone: {as: z, where: {occupied: false, adjacent_to: me}}}, {summon: {kind: fish, zone: z}}]"
    game = run_effect(do, arrange)
    game.step(zone_id(game, 0, "d1"))
    assert game.log[-1] == "player_0's Dancing Fish 1 (d1) is summoned"
    game.step(ABILITY_INTENTION)  # the pool is empty now
    assert game.log[-1] == "Dancer of player_0 resolves"  # c2 was the only empty zone: nothing was asked or done


def test_block_token() -> None:
    """It lies in the zone, takes the next damage and goes. AW-U10"""

    def arrange(game: ReferenceGame) -> None:
        game.place(1, "artist", "a2")
        game.zone("a2").tokens[0, "guard"] = 1
        game.players[0].token_pool["guard"] -= 1

    game = run_effect("[{damage: {units: {side: theirs}}}, {damage: {units: {side: theirs}}}]", arrange)
    assert game.log[-2:] == ["Damage at a2 is blocked", "player_1's Calligrapher (a2) takes damage (1)"]
    assert game.players[0].token_pool["guard"] == 2


def test_tokens() -> None:
    """Finite pools; Ink does not stack and travels. AW-U11 AW-U12"""

    def arrange(game: ReferenceGame) -> None:
        for zone in ("a1", "b1", "d1"):
            game.place(0, "spirit", zone)

    everybody = (
        "[{for_each: {unit: x, where: {}, do: [{add_token: {token: ink, to: x}}]}}, {swap: {unit: me, with: x}}]"
    )
    game = run_effect(everybody, arrange, INKER, LEAPER)
    assert since(game, "Calligrapher of player_0 resolves") == [
        "player_0's Sealbrush Spirit 1 (a1) gets Ink",
        "player_0's Sealbrush Spirit 2 (b1) gets Ink",
        "player_0's Calligrapher (c1) gets Ink",
        "player_0's Calligrapher (c1) and player_1's Dancer (c5) swap",
        "player_1: Shed Scales",
        "c5 gets Scale",
    ]
    assert game.players[0].artist.tokens == {(0, "ink"): 1}
    assert "zone c5: player_1's Scale" in game.status()


def test_third_scale_summons_before_the_next_part() -> None:
    """AW-C6 AW-C16"""

    def arrange(game: ReferenceGame) -> None:
        game.zone("c1").tokens[0, "scale"] = 2
        game.players[0].token_pool["scale"] -= 2

    game = run_effect("[{choose_direction: w}, {jump: {unit: me, way: w}}, {draw: 1}]", arrange)
    game.players[0].deck.append(0)
    game.step(FORWARD)
    assert since(game, "Dancer of player_0 resolves") == [
        "player_0's Dancer (c1) moves to c2",
        "player_0: Shed Scales",
        "c1 gets Scale",
        "player_0: Scale",
        "player_0's Dancing Fish 1 (c1) is summoned",
        "c1 loses Scale",
        "c1 loses Scale",
        "c1 loses Scale",
        "player_0 draws a card",
    ]


def pushed_onto_tile(game: ReferenceGame) -> None:
    game.place(0, "artist", "a1")
    game.place(1, "artist", "a2")
    game.zone("a3").tile = (0, "push")
    game.zone("a4").tile = (0, "spike")
    game.players[0].tile_pool["push"] -= 1
    game.players[0].tile_pool["spike"] -= 1


@pytest.mark.parametrize(("order", "first"), [("turn_player_then_zones", "Push"), ("zones", "Shed Scales")])
def test_tiles_and_the_order_of_triggers(order: str, first: str) -> None:
    """AW-U13 AW-C16: the Dancer leaves a2 and enters a3."""
    do = "[{choose_unit: {as: it, where: {side: theirs}}}, {move: {unit: it, way: {away_from: me}}}]"
    game = run_effect(do, pushed_onto_tile, FLOORER, LEAPER, rules={"trigger_order": order})
    assert [line[10:] for line in game.log if line.startswith("player_") and ":" in line][0] == first
    assert "player_1's Dancer (a3) moves to a4" in game.log
    assert "player_1's Dancer (a4) takes damage (1)" in game.log
    assert game.log.count("a4 loses Spike") == 1


def test_tiles_do_not_stack() -> None:
    """AW-U13: neither placed nor moved onto another; being placed under a unit triggers nothing."""
    do = """
      - {choose_zone: {as: a, where: {tile: true}}}
      - {choose_zone: {as: b, where: {}}}
      - {move_tile: {from: a, to: b}}
      - {place_tile: {tile: spike, zone: b}}
    """
    game = run_effect(do, pushed_onto_tile, FLOORER, LEAPER)
    game.step(zone_id(game, 0, "a3"))
    game.step(zone_id(game, 0, "a4"))
    assert game.log[-1] == "Floorer of player_0 resolves"
    game.step(ABILITY_INTENTION)
    game.step(zone_id(game, 0, "a3"))
    game.step(zone_id(game, 0, "a2"))
    assert game.log[-1] == "Push moves from a3 to a2"


def test_triggers_nest_six_deep() -> None:
    """Two tiles that push a unit to and fro come to an end."""
    kit = copy.deepcopy(FLOORER)
    kit["tiles"]["push"]["on_enter"] = [
        {"if": {"zone": "here", "is": {"other_than": "me", "within": {"of": "me", "distance": 2}}},
         "then": [{"move": {"unit": "unit", "way": {"away_from": "me"}}}],
         "else": [{"move": {"unit": "unit", "way": {"toward": "me"}}}]}
    ]  # fmt: skip

    def arrange(game: ReferenceGame) -> None:
        pushed_onto_tile(game)
        game.zone("a4").tile = (0, "push")

    do = "[{choose_unit: {as: it, where: {side: theirs}}}, {move: {unit: it, way: {away_from: me}}}]"
    game = run_effect(do, arrange, kit, INKER)
    assert game.log.count("player_0: Push") == 6
    assert sum("moves to" in line for line in game.log) == 7


# ---------------------------------------------------------------------- masterpiece


def masterpiece(game: ReferenceGame, row: str) -> None:
    """Put cards there: "1 2 c - -" is player 0's cards 1 and 2 and player 1's card 3."""
    for i, word in enumerate(row.split()):
        if word != "-":
            player, card = (0, int(word)) if word.isdigit() else (1, "abc".index(word) + 1)
            game.row[i] = (player, card)
            game.players[player].unplaced.remove(card)


def progressing(row: str, turn_player: int = 0, **options: Any) -> ReferenceGame:
    artists = options.pop("artists", (INKER, LEAPER))
    return start(lambda game: masterpiece(game, row), artists, phase="masterpiece", turn_player=turn_player, **options)


def test_placing_completes() -> None:
    """AW-M1 AW-M2 AW-M5 AW-M6"""
    game = progressing("- 1 2 - c")
    assert game.legal_actions() == [MASTERPIECE_SLOT, MASTERPIECE_SLOT + 3]  # card 3 is the only one
    game.step(MASTERPIECE_SLOT + 3)
    assert game.log[:2] == ["player_0 places masterpiece card 3 in slot 4", "player_0 ascends"]
    assert game.row == [None, None, None, None, (1, 3)]
    assert game.players[0].unplaced == {1, 2, 3}
    assert "player_0 Calligrapher: damage 0/3, ascended;" in game.status(0)[1]


@pytest.mark.parametrize(("sides", "row"), [("opposite", "- - c b -"), ("same", "- - b c -")])
def test_player_1_reads_from_her_side(sides: str, row: str) -> None:
    """AW-M5 AW-M10: the immediate ascension runs at once, and descends."""
    game = progressing(row, turn_player=1, rules={"masterpiece_sides": sides})
    slot = {"opposite": 4, "same": 1}[sides]
    game.step(MASTERPIECE_SLOT + (4 - slot if sides == "opposite" else slot))
    assert game.log == [
        f"player_1 places masterpiece card 1 in slot {slot + 1}",
        "player_1 ascends",
        "player_1: Grand Finale",
    ]
    assert game.to_play == 1 and game.legal_actions() == [DECLINE, THEIR_UNIT]
    assert "ascended" in game.status()[2]
    game.step(THEIR_UNIT)
    assert game.log[3:5] == ["player_0's Calligrapher (c1) takes damage (1)", "player_1 descends"]


@pytest.mark.parametrize(("setting", "back"), [("unplaced", {1}), ("lost", set())])
def test_replacing(setting: str, back: set[int]) -> None:
    """AW-M3"""
    game = progressing("1 a 2 b c", rules={"replaced_masterpiece": setting})
    assert game.legal_actions() == [DECLINE, OPTION + 2]
    game.step(OPTION + 2)
    game.step(MASTERPIECE_SLOT + 1)
    assert game.log[0] == "player_0 replaces slot 2 with masterpiece card 3"
    assert game.players[1].unplaced == back
    game = progressing("1 a 2 b c")
    game.step(DECLINE)
    assert game.log[0] == "player_0 declines"


@pytest.mark.parametrize("setting", ["every_change", "own_progress"])
def test_swapping(setting: str) -> None:
    """With all three placed: a slot with a card, then any other; or declined. AW-M4 AW-M5 AW-M6"""
    game = progressing("c a b - 1", turn_player=1, rules={"masterpiece_check": setting}, artists=(LEAPER, INKER))
    slots = [MASTERPIECE_SLOT + i for i in range(5)]
    assert game.legal_actions() == [DECLINE, slots[0], slots[2], slots[3], slots[4]]  # own view: 1 - b a c
    game.step(slots[2])
    assert game.legal_actions() == [slots[0], slots[1], slots[3], slots[4]]
    game.step(slots[3])
    assert game.log[:2] == ["player_1 swaps slots 3 and 2", "player_1 ascends"]
    assert game.row == [None, None, None, None, (0, 1)]
    game = progressing("1 3 2 b a", rules={"masterpiece_check": setting})
    game.step(MASTERPIECE_SLOT + 1)
    game.step(MASTERPIECE_SLOT + 4)
    assert game.log[0] == "player_0 swaps slots 2 and 5" and not game.players[0].ascended
    game = progressing("1 3 2 b a", rules={"masterpiece_check": setting})
    game.step(DECLINE)
    assert game.log[0] == "player_0 declines"


def test_nothing_to_progress() -> None:
    """AW-M3 AW-M4: with a card lost, two placed and none unplaced, nothing is asked and nothing happens."""

    def arrange(game: ReferenceGame) -> None:
        masterpiece(game, "1 2 - - -")
        game.players[0].unplaced.clear()
        game.players[0].hand[:] = [6, 0, 0, 0]
        game.players[1].hand[:] = [6, 0, 0, 0]

    game = start(arrange, phase="masterpiece", rules={"replaced_masterpiece": "lost"})
    assert game.log == ["player_0 cannot draw, hand is full", "player_1 cannot draw, hand is full"]


def test_complete_while_ascended() -> None:
    """The cards stay until the artist descends, who ascends again at once. AW-M7"""

    def arrange(game: ReferenceGame) -> None:
        masterpiece(game, "1 2 - - -")
        game.players[0].ascended = True
        game.players[1].artist.exhausted = True

    game = start(arrange, phase="masterpiece")
    game.players[0].deck += [0, 0]
    game.players[1].deck += [0, 0]
    game.step(MASTERPIECE_SLOT + 2)
    assert game.row[:3] == [(0, 1), (0, 2), (0, 3)] and "player_0 ascends" not in game.log
    game.step(ABILITY_INTENTION)
    game.step(PASS)
    game.step(PASS)
    assert since(game, "Master Calligrapher of player_0 resolves")[:3] == [
        "player_1's Dancer (c5) takes damage (1)",
        "player_0 descends",
        "player_0 ascends",
    ]
    assert game.row == [None] * 5 and game.players[0].ascended


# ---------------------------------------------------------------------- whole games

OPTIONS: list[dict[str, Any]] = [
    {},
    {"full_hand_spares_deck_out": False, "sourceless_effects": "fizzle", "shared_ability_card": False},
    {"ability_once_per_chain": False, "trigger_order": "zones", "replaced_masterpiece": "lost"},
    {"masterpiece_sides": "same", "masterpiece_check": "own_progress", "forced_passes": "announced", "max_turns": 9},
    {"rows": 4, "cols": 3, "start_zones": ("b1", "b4")},
]


@pytest.mark.parametrize("rules", OPTIONS, ids=[",".join(rules) or "standard" for rules in OPTIONS])
def test_random_games(rules: dict[str, Any]) -> None:
    """Nothing is lost and nothing multiplies: units, tokens, tiles and cards, in random games to the end."""
    for seed in range(30):
        rng = random.Random(seed)
        files = tuple(KITS[name] for name in rng.sample(list(KITS), 2))
        decks: list[list[int]] = []
        hands: list[list[int]] = []
        for text in files:
            actions = text.get("actions") or []
            deck = [i for i, card in enumerate(actions) for _ in range(card["copies"])]
            rng.shuffle(deck)
            decks.append(deck[:-4])
            hands.append([deck[-4:].count(i) for i in range(len(actions))])
        game = ReferenceGame((files[0], files[1]), rules, (decks[0], decks[1]), rng.randrange(2), (hands[0], hands[1]))
        while not game.over:
            legal = game.legal_actions()
            assert len(legal) > 1 and legal == sorted(set(legal))
            check_invariants(game)
            game.step(rng.choice(legal))
        assert sum(game.rewards) == 0
        assert game.turn <= game.rules["max_turns"] <= RULES["max_turns"]


def check_invariants(game: ReferenceGame) -> None:
    units = game._units()
    assert all(unit.zone is not None and unit.zone.unit is unit for unit in units)
    assert sum(zone.unit is not None for zone in game.zones) == len(units)
    for side in game.players:
        for kind, token in side.tokens.items():
            out = sum(place.tokens.get((side.number, kind), 0) for place in units)
            out += sum(place.tokens.get((side.number, kind), 0) for place in game.zones)
            assert out + side.token_pool[kind] == token["pool"]
        for kind, tile in side.tiles.items():
            assert sum(zone.tile == (side.number, kind) for zone in game.zones) + side.tile_pool[kind] == tile["pool"]
        for card in side.actions:
            on_chain = sum(play.card is card for play in game.chain)
            n = card.number
            assert side.hand[n] + side.deck.count(n) + side.discard[n] + on_chain == card.text["copies"]
        assert sum(side.hand) <= 6
