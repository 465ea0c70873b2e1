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
    FACE_DOWN,
    OPTION,
    OWN_UNIT,
    PASS,
    PLAY,
    RULES,
    SLOT,
    THEIR_UNIT,
    ZONE,
    NoRoll,
    ReferenceGame,
    Tile,
)
from tests.reference.kits import AUGUR, FLOORER, FRAMER, INKER, KEEPER, KITS, LEAPER, ROLLER

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
    assert game.status()[-2] == "chain 1: player_0's Blot [1], unit player_0's Calligrapher (c1) ..."
    game.step(OPTION + SPILL)
    assert game.log[:3] == [
        "player_0's Calligrapher (c1) loses Ink",
        "player_0 discards Spill",
        "player_0 plays Blot [1] (Intention), unit player_0's Calligrapher (c1)",
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
    """Player 0's artist does this at once: nobody reacts."""

    def silent(game: ReferenceGame) -> None:
        arrange(game)
        game.players[1].artist.exhausted = True

    kit = with_do(kit, do)
    game = start(silent, (kit, other), **options)
    game.step(ABILITY_INTENTION)
    all_pass(game)
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
    game.zone("a3").tile = Tile(0, "push")
    game.zone("a4").tile = Tile(0, "spike")
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
        game.zone("a4").tile = Tile(0, "push")

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
    assert game.legal_actions() == [SLOT, SLOT + 3]  # card 3 is the only one
    game.step(SLOT + 3)
    assert game.log[:2] == ["player_0 places masterpiece card 3 in slot 4", "player_0 ascends"]
    assert game.row == [None, None, None, None, (1, 3)]
    assert game.players[0].unplaced == {1, 2, 3}
    assert "player_0 Calligrapher: damage 0/3, ascended;" in game.status(0)[1]


@pytest.mark.parametrize(("sides", "row"), [("opposite", "- - c b -"), ("same", "- - b c -")])
def test_player_1_reads_from_her_side(sides: str, row: str) -> None:
    """AW-M5 AW-M10: the immediate ascension runs at once, and descends."""
    game = progressing(row, turn_player=1, rules={"masterpiece_sides": sides})
    slot = {"opposite": 4, "same": 1}[sides]
    game.step(SLOT + (4 - slot if sides == "opposite" else slot))
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
    game.step(SLOT + 1)
    assert game.log[0] == "player_0 replaces slot 2 with masterpiece card 3"
    assert game.players[1].unplaced == back
    game = progressing("1 a 2 b c")
    game.step(DECLINE)
    assert game.log[0] == "player_0 declines"


@pytest.mark.parametrize("setting", ["every_change", "own_progress"])
def test_swapping(setting: str) -> None:
    """With all three placed: a slot with a card, then any other; or declined. AW-M4 AW-M5 AW-M6"""
    game = progressing("c a b - 1", turn_player=1, rules={"masterpiece_check": setting}, artists=(LEAPER, INKER))
    slots = [SLOT + i for i in range(5)]
    assert game.legal_actions() == [DECLINE, slots[0], slots[2], slots[3], slots[4]]  # own view: 1 - b a c
    game.step(slots[2])
    assert game.legal_actions() == [slots[0], slots[1], slots[3], slots[4]]
    game.step(slots[3])
    assert game.log[:2] == ["player_1 swaps slots 3 and 2", "player_1 ascends"]
    assert game.row == [None, None, None, None, (0, 1)]
    game = progressing("1 3 2 b a", rules={"masterpiece_check": setting})
    game.step(SLOT + 1)
    game.step(SLOT + 4)
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
    game.step(SLOT + 2)
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


# ---------------------------------------------------------------------- bodies


def armed(game: ReferenceGame) -> None:
    """The Roller in c2 with blades in b3 and d3."""
    game.place(0, "artist", "c2")
    game.place(0, "blade", "b3")
    game.place(0, "blade", "d3")


def where_they_stand(game: ReferenceGame, player: int = 0) -> list[str]:
    return [unit.zone.name for unit in game.players[player].on_board() if unit.zone is not None]


MOVE = "[{choose_direction: w}, {move: {unit: me, way: w}}]"
JUMP = "[{choose_direction: w}, {jump: {unit: me, way: w}}]"
SWAP = "[{choose_unit: {as: it, where: {side: theirs}}}, {swap: {unit: me, with: it}}]"


def test_a_body_moves_as_one() -> None:
    """The named unit first, then the others; every one of them has moved. AW-U2"""
    kit = copy.deepcopy(ROLLER)
    game = run_effect(
        "[{choose_unit: {as: it, where: {side: mine}}}, {choose_direction: w}, {move: {unit: it, way: w}}]", armed, kit
    )
    game.step(OWN_UNIT + 2)
    game.step(FORWARD)
    assert since(game, "Roller of player_0 resolves") == [
        "player_0's Blade 2 (d3) moves to d4",
        "player_0's Roller (c2) moves to c3",
        "player_0's Blade 1 (b3) moves to b4",
        "player_0: Footwork",
        "player_0's Luck: 5",
        "player_0: Footwork",
        "player_0's Luck: 6",
    ]


@pytest.mark.parametrize("obstacle", ["edge", "their unit", "own pawn"])
def test_a_body_is_blocked_as_one(obstacle: str) -> None:
    """AW-U2 AW-S2"""

    def arrange(game: ReferenceGame) -> None:
        armed(game)
        if obstacle == "edge":
            for unit, zone in ((1, "b5"), (2, "d5")):
                blade = game.players[0].units[unit]
                assert blade is not None and blade.zone is not None
                blade.zone.unit = None
                blade.zone = game.zone(zone)
                blade.zone.unit = blade
            game.place(1, "artist", "a1")
        else:
            game.place(int(obstacle == "their unit"), "artist" if obstacle == "their unit" else "pawn", "d4")

    game = run_effect(MOVE, arrange, ROLLER)
    before = where_they_stand(game)
    game.step(FORWARD)
    assert game.log[-1] == "Roller of player_0 resolves"
    assert where_they_stand(game) == before


def test_a_body_is_not_in_its_own_way() -> None:
    """A member ahead is no obstacle, neither to a move nor to a jump. AW-U2 AW-U3"""

    def arrange(game: ReferenceGame) -> None:
        game.place(0, "artist", "c2")
        game.place(0, "blade", "c3")

    for do in (MOVE, JUMP):
        game = run_effect(do, arrange, ROLLER)
        game.step(FORWARD)
        assert where_they_stand(game) == ["c3", "c4"]


@pytest.mark.parametrize(("third", "stands"), [("d5", ["c2", "b3", "d3"]), ("e1", ["c4", "b5", "d5"])])
def test_a_body_jumps_as_far_as_the_named_unit(third: str, stands: list[str]) -> None:
    """AW-U3: over the unit in c3 to c4, if the blades find room two zones on."""

    def arrange(game: ReferenceGame) -> None:
        armed(game)
        game.place(1, "spirit", "c3")
        game.place(1, "spirit", third)
        game.place(1, "artist", "a1")

    game = run_effect(JUMP, arrange, ROLLER)
    game.step(FORWARD)
    assert where_they_stand(game) == stands


def test_a_swap_takes_the_body_along() -> None:
    """Every member shifts as the named one does, and has moved. AW-U4"""

    def arrange(game: ReferenceGame) -> None:
        armed(game)
        game.place(1, "artist", "c3")

    game = run_effect(SWAP, arrange, ROLLER)
    assert since(game, "Roller of player_0 resolves") == [
        "player_0's Roller (c2) and player_1's Calligrapher (c3) swap",
        "player_0's Blade 1 (b3) moves to b4",
        "player_0's Blade 2 (d3) moves to d4",
        "player_0: Footwork",
        "player_0's Luck: 5",
        "player_0: Footwork",
        "player_0's Luck: 6",
    ]
    assert where_they_stand(game) == ["c3", "b4", "d4"] and where_they_stand(game, 1) == ["c2"]


@pytest.mark.parametrize(("zone", "blocker"), [("b5", None), ("e2", None), ("c3", "b4")])
def test_a_swap_that_does_not_fit_fails(zone: str, blocker: str | None) -> None:
    """AW-U4: a blade would leave the board, or enter the zone of somebody else."""

    def arrange(game: ReferenceGame) -> None:
        armed(game)
        game.place(1, "artist", zone)
        if blocker is not None:
            game.place(0, "pawn", blocker)

    game = run_effect(SWAP, arrange, ROLLER)
    assert game.log[-1] == "Roller of player_0 resolves"
    assert where_they_stand(game)[:3] == ["c2", "b3", "d3"] and where_they_stand(game, 1) == [zone]


@pytest.mark.parametrize(("zone", "stands"), [("d3", ["d2", "c3"]), ("e3", ["b2", "a3"])])
def test_bodies_of_both_sides_swap(zone: str, stands: list[str]) -> None:
    """Both shift, and the first one's members are named before the second one's; where two would meet it fails. AW-U4"""

    def arrange(game: ReferenceGame) -> None:
        game.place(0, "artist", "b2")
        game.place(0, "blade", "a3")
        game.place(1, "artist", "d2")
        game.place(1, "blade", zone)

    do = "[{choose_unit: {as: it, where: {side: theirs, kind: artist}}}, {swap: {unit: me, with: it}}]"
    game = run_effect(do, arrange, ROLLER, ROLLER)
    assert where_they_stand(game) == stands
    if zone == "d3":
        assert where_they_stand(game, 1) == ["b2", "b3"]
        assert since(game, "Roller of player_0 resolves")[:3] == [
            "player_0's Roller (b2) and player_1's Roller (d2) swap",
            "player_0's Blade 1 (a3) moves to c3",
            "player_1's Blade 1 (d3) moves to b3",
        ]
    else:  # both blades would come to c3
        assert game.log[-1] == "Roller of player_0 resolves"


def test_members_of_one_body_change_places() -> None:
    """AW-U4: nothing else moves."""
    game = run_effect(
        "[{choose_unit: {as: it, where: {side: mine, kind: blade}}}, {swap: {unit: me, with: it}}]", armed, ROLLER
    )
    game.step(OWN_UNIT + 1)
    assert where_they_stand(game) == ["b3", "c2", "d3"]
    assert since(game, "Roller of player_0 resolves") == [
        "player_0's Roller (c2) and player_0's Blade 1 (b3) swap",
        "player_0: Footwork",
        "player_0's Luck: 5",
    ]


# ---------------------------------------------------------------------- counters and dice


def test_counters_have_ends() -> None:
    """Up to the most, down to nothing; what does not change is not logged."""
    do = """
      - {gain: {counter: grit, count: 9}}
      - {gain: {counter: grit, count: 1}}
      - {spend: {counter: grit, count: 2}}
      - {if: {counter: grit, at_least: 4}, then: [{spend: {counter: grit, count: 1}}], else: [{spend: {counter: grit, count: all}}]}
      - {spend: {counter: grit, count: 1}}
      - {if: {counter: grit}, then: [defeat]}
      - {gain: {counter: grit, count: all}}
    """
    game = run_effect(do, armed, ROLLER)
    assert since(game, "Roller of player_0 resolves") == [f"player_0's Grit: {value}" for value in (5, 3, 0, 5)]


def test_dice_go_up_and_down_from_the_lowest() -> None:
    """They start like a gain; paying takes the lowest that shows more than 0, down to 0, then the next."""

    def arrange(game: ReferenceGame) -> None:
        armed(game)
        assert game.players[0].dice["luck"] == [1, 1, 2]
        game.players[0].dice["luck"] = [0, 2, 6]

    kit = copy.deepcopy(ROLLER)
    cost = [{"pay": {"counter": "luck", "count": 3}}]
    kit["abilities"][0]["effects"] = [
        {"kind": "intention", "cost": cost, "do": [{"gain": {"counter": "luck", "count": 4}}]}
    ]
    game = start(arrange, (kit, kit))
    game.step(ABILITY_INTENTION)
    assert game.log[:2] == ["player_0's Luck: 5", "player_0 plays Roller (Intention)"]
    assert game.log[-1] == "player_0's Luck: 9"
    assert game.players[0].dice["luck"] == [2, 2, 5]
    assert game.status()[1] == "player_0 Roller: damage 0/3; Luck 9 (2, 2, 5); Grit 1"


def test_rolling_takes_the_lowest_each_time() -> None:
    def arrange(game: ReferenceGame) -> None:
        armed(game)
        game.rolls += [6, 1, 1]

    game = run_effect("[{roll: 3}, {if: {counter: luck, at_least: 9}, then: [defeat]}]", arrange, ROLLER)
    assert since(game, "Roller of player_0 resolves") == [  # from 1, 1, 2
        "player_0 rolls 6: Luck 9",
        "player_0 rolls 1: Luck 9",
        "player_0 rolls 1: Luck 9",
        "player_1 wins",
    ]
    assert game.players[0].dice["luck"] == [1, 2, 6]
    with pytest.raises(NoRoll):
        run_effect("[{roll: 1}]", armed, ROLLER)
    with pytest.raises(ValueError, match="7"):
        run_effect("[{roll: 1}]", lambda game: game.rolls.append(7), ROLLER)


def test_a_counter_that_cannot_be_paid() -> None:
    """AW-C2: two payments from one counter add up; a requirement is looked at when its turn comes."""
    kit = copy.deepcopy(ROLLER)
    pay = {"pay": {"counter": "luck", "count": 2}}
    require = {"require": {"counter": "luck", "at_least": 2}}
    for cost, playable in (
        ([pay, pay], True),
        ([pay, pay, pay], False),
        ([pay, require], True),
        ([pay, pay, require], False),
    ):
        kit["abilities"][0]["effects"] = [{"kind": "intention", "cost": cost, "do": []}]
        game = start(armed, (kit, INKER))
        assert (ABILITY_INTENTION in game.legal_actions()) == playable, cost
        assert game.players[0].dice["luck"] == [1, 1, 2]  # what was tried out is undone


def test_in_place_of_the_draw() -> None:
    """The turn player's first; an effect that draws does nothing without a deck. AW-T3 AW-T5"""

    def arrange(game: ReferenceGame) -> None:
        game.rolls += [5, 6]
        game.players[1].deck.append(0)

    game = start(arrange, (ROLLER, INKER), turn_player=1, phase="draw")
    assert game.log == [
        "player_1 draws a card",
        "player_0: Throw",
        "player_0 rolls 5: Luck 8",
        "player_0 rolls 6: Luck 13",
        "player_0's Grit: 2",
    ]
    game = run_effect("[{draw: 2}]", armed, ROLLER)
    assert game.log[-1] == "Roller of player_0 resolves"


# ---------------------------------------------------------------------- selections


@pytest.mark.parametrize(
    ("where", "zones"),
    [
        ("{diagonal_to: me}", ["a1", "c1", "a3", "c3"]),
        ("{touching: {side: theirs}}", ["e3", "d4", "e5"]),
        ("{touching: {kind: summon}, occupied: true}", ["e4"]),
        ("{touching: {side: theirs, kind: summon}}", []),
        ("{tile: push}", ["a5"]),
        ("{tile: true}", ["a5", "b5", "c5"]),
        ("{holds: {touching: {kind: can}}}", ["e4"]),
        ("{holds: {diagonal_to: me}}", []),
    ],
)
def test_selections(where: str, zones: list[str]) -> None:
    """Diagonally, beside somebody, on a tile of one kind of one's own."""

    def arrange(game: ReferenceGame) -> None:
        game.place(0, "artist", "b2")
        game.place(0, "can", "d4")
        game.place(1, "artist", "e4")
        game.zone("a5").tile = Tile(0, "push")
        game.zone("b5").tile = Tile(0, "spike")
        game.zone("c5").tile = Tile(1, "push")

    game = run_effect(
        f"[{{choose_zone: {{as: z, where: {where}, optional: true}}}}, {{may: []}}]", arrange, FLOORER, FLOORER
    )
    if not zones:
        assert OPTION in game.legal_actions()
    else:
        assert game.legal_actions() == [DECLINE, *(zone_id(game, 0, name) for name in zones)]


# ---------------------------------------------------------------------- immune artists, vital summons, sacrifices, defeat


def keeping(game: ReferenceGame) -> None:
    """The Keeper in c1 with her last tattoo in b1 and a moth in d1."""
    game.place(0, "tattoo", "b1")
    game.place(0, "moth", "d1")


def test_an_immune_artist() -> None:
    """No damage is counted; a Block token is used up all the same. AW-U8 AW-U10"""

    def arrange(game: ReferenceGame) -> None:
        keeping(game)
        game.zone("c1").tokens[0, "guard"] = 1
        game.players[0].token_pool["guard"] -= 1

    game = run_effect("[{damage: {zone: me}}, {damage: {zone: me}}]", arrange, KEEPER)
    assert game.log[-2:] == ["Damage at c1 is blocked", "player_0's Keeper (c1) is unharmed"]
    assert game.players[0].damage == 0
    assert game.status()[1].startswith("player_0 Keeper: damage -; hand 0")


def test_the_last_vital_summon() -> None:
    """Of two one may go; other summons do not count."""
    game = run_effect("[{damage: {units: {kind: tattoo}}}, {draw: 1}]", keeping, KEEPER)
    assert game.log[-2:] == ["player_0's Tattoo 1 (b1) is removed", "player_1 wins"]
    assert game.rewards == (-1, 1)

    def two(game: ReferenceGame) -> None:
        keeping(game)
        game.place(0, "tattoo", "a1")

    game = run_effect(
        "[{choose_unit: {as: it, where: {kind: tattoo}}}, {remove: it}, {damage: {units: {kind: moth}}}]", two, KEEPER
    )
    game.step(OWN_UNIT + 1)
    assert not game.over and where_they_stand(game) == ["c1", "a1"]
    game = run_effect("[{choose_unit: {as: it, where: {kind: tattoo}}}, {remove: it}, {draw: 1}]", keeping, KEEPER)
    assert game.log[-2:] == ["player_0's Tattoo 1 (b1) is removed", "player_1 wins"]


@pytest.mark.parametrize("other", [KEEPER, INKER], ids=["vital", "damage"])
def test_both_lose_by_one_part(other: dict[str, Any]) -> None:
    """AW-U9: the last vital summon and another loss in the same damage are a tie."""

    def arrange(game: ReferenceGame) -> None:
        keeping(game)
        if other is KEEPER:
            game.place(1, "tattoo", "e5")
        game.players[1].damage = 2

    game = run_effect("[{damage: {units: {}}}]", arrange, KEEPER, other)
    assert game.log[-1] == "The game is a tie" and game.rewards == (0, 0) and game.over == 1


def test_a_later_part_does_not_tie() -> None:
    """AW-U9: what is done part by part is settled part by part."""

    def arrange(game: ReferenceGame) -> None:
        keeping(game)
        game.place(1, "tattoo", "e5")

    do = "[{for_each: {unit: x, where: {kind: summon}, do: [{remove: x}]}}]"
    game = run_effect(do, arrange, KEEPER, KEEPER)
    assert game.log[-1] == "player_1 wins" and game.rewards == (-1, 1)


def offering(game: ReferenceGame) -> None:
    keeping(game)
    game.place(1, "artist", "e1")
    game.players[0].hand[0] = 1
    game.players[1].artist.exhausted = True


def test_a_sacrifice() -> None:
    """Paid at once; the zone stays locked. AW-C2 AW-C7"""
    game = start(offering, (KEEPER, INKER))
    game.step(INTENTION)
    assert game.legal_actions() == [zone_id(game, 0, "b1"), zone_id(game, 0, "d1")]
    game.step(zone_id(game, 0, "d1"))
    assert game.log[:2] == ["player_0's Moth 1 (d1) is removed", "player_0 plays Offering [1] (Intention), zone d1"]
    all_pass(game)
    lines = since(game, "Offering of player_0 resolves")  # what stands beside the zone, by the number of its own
    assert lines[:2] == ["player_0's Keeper (c1) is unharmed", "player_1's Calligrapher (e1) takes damage (1)"]
    game = start(offering, (KEEPER, INKER))
    game.step(INTENTION)
    game.step(zone_id(game, 0, "b1"))  # the last tattoo: nothing more is paid or played
    assert game.log == ["player_0's Tattoo 1 (b1) is removed", "player_1 wins"]


def test_without_a_summon_nothing_is_sacrificed() -> None:
    """AW-C2"""

    def arrange(game: ReferenceGame) -> None:
        game.players[0].hand[0] = 1
        game.players[1].hand[:] = [1, 1, 0, 0]

    game = start(arrange, (KEEPER, INKER))
    assert INTENTION not in game.legal_actions()


def test_the_unit_that_pays_may_be_the_one_that_is_sacrificed() -> None:
    """AW-C11: it is exhausted, removed, and gone when the effect resolves."""
    kit = copy.deepcopy(KEEPER)
    kit["vital"] = None
    kit["abilities"][1]["effects"] = [
        {
            "kind": "intention",
            "cost": [
                {"exhaust": "me"},
                {"choose_zone": {"as": "z", "where": {"holds": {"side": "mine", "kind": "tattoo"}}}},
                {"sacrifice": "z"},
            ],
            "do": [{"damage": {"zone": "me"}}, {"damage": {"zone": "z"}}],
        }
    ]

    def arrange(game: ReferenceGame) -> None:
        keeping(game)
        game.players[1].artist.exhausted = True

    game = start(arrange, (kit, INKER))
    game.step(ABILITY_INTENTION + 1)
    assert game.log[:3] == [
        "player_0's Tattoo 1 (b1) is exhausted",
        "player_0's Tattoo 1 (b1) is removed",
        "player_0 plays Tattoo (Intention) with a unit that is gone, zone b1",
    ]
    assert since(game, "Tattoo of player_0 resolves")[0] == "Damage at b1 hits nothing"


@pytest.mark.parametrize(("zones", "playable"), [(["b1"], False), (["b1", "a3"], True)])
def test_a_requirement(zones: list[str], playable: bool) -> None:
    """AW-C2: nothing is paid, and without it nothing is played."""

    def arrange(game: ReferenceGame) -> None:
        for zone in zones:
            game.place(0, "tattoo", zone)
        game.players[0].hand[2] = 1
        game.players[1].hand[SUMMONING_INK] = 1

    game = start(arrange, (KEEPER, INKER), turn_player=1)
    game.step(INTENTION + SUMMONING_INK)
    assert game.to_play == 0 and (REACTION + 2 in game.legal_actions()) == playable


# ---------------------------------------------------------------------- directed tiles and cues


def framed(game: ReferenceGame, *frames: tuple[str, str, int | None]) -> None:
    """Lay these tiles of player 0: zone, kind, direction."""
    for zone, kind, way in frames:
        game.zone(zone).tile = Tile(0, kind, way)
        game.players[0].tile_pool[kind] -= 1
        if kind != "gust":
            game.plan[0].append(game.zone(zone))


def test_a_cue_runs_the_plan_in_order() -> None:
    """Each completely before the next, for whoever stands there when its turn comes."""

    def arrange(game: ReferenceGame) -> None:
        game.place(0, "cel", "b2")
        game.place(1, "artist", "e3")
        framed(game, ("b2", "step", 0), ("d4", "strike", None), ("b3", "step", 1), ("c3", "gust", 1))

    game = run_effect("[cue, {draw: 1}]", arrange, FRAMER)
    assert since(game, "Framer of player_0 resolves") == [
        "player_0: Step",
        "player_0's Cel 1 (b2) moves to b3",
        "player_0: Strike",
        "d4 loses Strike",
        "player_0: Step",
        "player_0's Cel 1 (b3) moves to c3",
        "player_0: Gust",
        "player_0's Cel 1 (c3) moves to d3",
    ]
    assert [zone.name for zone in game.plan[0]] == ["b2", "b3"]
    status = game.status()
    assert "zone b2: player_0's Step (up)" in status and "zone c3: player_0's Gust (right)" in status
    assert status[status.index("zone c3: player_0's Gust (right)") + 1] == "plan of player_0: b2, b3"


def test_tiles_that_are_not_where_they_lay() -> None:
    """The first moves the second away and back comes nothing: it does not run, but keeps its place in the order."""
    kit = copy.deepcopy(FRAMER)
    kit["tiles"]["splice"]["on_cue"] = yaml.safe_load(
        "[{choose_zone: {as: from, where: {tile: step}}}, {move_tile: {from: from, to: me}}]"
    )

    def arrange(game: ReferenceGame) -> None:
        framed(game, ("a3", "splice", None), ("b3", "step", 1), ("d3", "strike", None))

    game = run_effect("[cue]", arrange, kit)
    assert since(game, "Framer of player_0 resolves") == [
        "player_0: Splice",
        "Step moves from b3 to c1",
        "player_0: Strike",
        "d3 loses Strike",
    ]
    assert [zone.name for zone in game.plan[0]] == ["a3", "c1"]
    game.step(ABILITY_INTENTION)  # now it lies where it lies, with its direction, under the artist
    all_pass(game)
    assert since(game, "Framer of player_0 resolves")[:3] == [
        "player_0: Splice",
        "player_0: Step",
        "player_0's Framer (c1) moves to d1",
    ]


def test_a_tile_laid_in_its_place_is_another() -> None:
    """What the first tile takes up and lays again does not run at this cue, and goes to the end of the order."""
    kit = copy.deepcopy(FRAMER)
    kit["tiles"]["splice"]["on_cue"] = yaml.safe_load(
        "[{choose_zone: {as: z, where: {tile: strike}}}, {remove_tile: {zone: z}}, {place_tile: {tile: strike, zone: z}}]"
    )

    def arrange(game: ReferenceGame) -> None:
        framed(game, ("b3", "strike", None), ("a3", "splice", None))
        game.plan[0].reverse()

    game = run_effect("[cue]", arrange, kit)
    assert since(game, "Framer of player_0 resolves") == ["player_0: Splice", "b3 loses Strike", "b3 gets Strike"]
    assert [zone.name for zone in game.plan[0]] == ["a3", "b3"]


def test_laying_a_directed_tile() -> None:
    """In the view of player 1 forward is down; without a direction nothing is laid. AW-U13"""

    def arrange(game: ReferenceGame) -> None:
        game.players[0].artist.exhausted = True

    kit = with_do(
        FRAMER,
        "[{choose_zone: {as: z, where: {adjacent_to: me}}}, {choose_direction: w}, {place_tile: {tile: step, zone: z, way: w}}]",
    )
    game = start(arrange, (FLOORER, kit), turn_player=1)
    game.step(ABILITY_INTENTION)
    all_pass(game)
    game.step(zone_id(game, 1, "c4"))
    game.step(FORWARD)
    assert game.log[-1] == "c4 gets Step, down"
    assert "zone c4: player_1's Step (down)" in game.status() and "plan of player_1: c4" in game.status()


def test_a_tile_without_on_enter_is_no_trigger() -> None:
    """AW-U13"""

    def arrange(game: ReferenceGame) -> None:
        framed(game, ("c2", "step", 0), ("d1", "strike", None))

    game = run_effect(MOVE, arrange, FRAMER)
    game.step(FORWARD)
    assert game.log[-1] == "player_0's Framer (c1) moves to c2"
    game = run_effect(MOVE, arrange, FRAMER)
    game.step(RIGHT)
    assert game.log[-2:] == ["player_0: Strike", "player_0's Reel: 3"]


def test_cues_nest_six_deep() -> None:
    """A tile that cues itself comes to an end."""
    kit = copy.deepcopy(FRAMER)
    kit["tiles"]["step"]["on_cue"] = ["cue"]
    game = run_effect("[cue]", lambda game: framed(game, ("a3", "step", 0)), kit)
    assert game.log.count("player_0: Step") == 6


# ---------------------------------------------------------------------- second forms


def test_becoming_another() -> None:
    """Not ascended, the cards leave the row; what it has become ascends later. AW-M6 AW-M7 AW-M10"""

    def arrange(game: ReferenceGame) -> None:
        masterpiece(game, "1 2 - - -")
        game.rolls += [6, 6]
        game.players[1].deck += [0]

    game = start(arrange, (ROLLER, INKER), phase="masterpiece")
    game.step(SLOT + 2)
    assert game.log[:4] == [
        "player_0 places masterpiece card 3 in slot 3",
        "player_0 becomes Gambler",
        "player_0: Gambler",
        "player_0's Luck: 18",
    ]
    assert game.row == [None] * 5 and not game.players[0].ascended
    assert game.status()[1] == "player_0 Roller: damage 0/3, Gambler; Luck 18 (6, 6, 6); Grit 1"
    game.step(FORWARD)
    assert "player_0's Roller (c1) moves to c2" in game.log  # its name stays
    masterpiece(game, "1 2 - - -")
    game.step(ABILITY_INTENTION)
    game.step(OPTION)
    all_pass(game)
    assert "player_0 plays Gambler [1] (Intention)" in game.log
    game.step(SLOT + 2)
    assert "player_0 ascends" in game.log and "player_0: Gambler" in game.log[:4]
    assert game.status()[1].startswith("player_0 Roller: damage 0/3, Gambler, ascended;")
    assert game.players[0].side_of(game.players[0].abilities[0])[0] == "High Roller"


def test_the_second_form_may_ascend_at_once() -> None:
    """AW-M10, and the condition on the form."""

    def arrange(game: ReferenceGame) -> None:
        keeping(game)
        game.place(0, "tattoo", "a1")
        game.players[0].second_form = True
        masterpiece(game, "1 2 - - -")

    game = start(arrange, (KEEPER, INKER), phase="masterpiece")
    game.step(SLOT + 2)
    assert game.log[1:] == [
        "player_0 ascends",
        "player_0: Last Line",
        "player_1's Calligrapher (c5) takes damage (1)",
        "player_0's Tattoo 2 (a1) is removed",
        "player_0's Tattoo 1 (b1) is removed",
        "player_0's Keeper (c1) is unharmed",
        "player_0's Moth 1 (d1) is removed",
        "player_1 wins",
    ]


@pytest.mark.parametrize("form", [False, True])
@pytest.mark.parametrize("ascended", [False, True])
def test_conditions_on_the_artist(form: bool, ascended: bool) -> None:
    kit = with_do(ROLLER, "")
    kit["abilities"][0]["effects"] = kit["abilities"][0]["ascended"]["effects"] = kit["abilities"][0]["ascended"]["ascended"]["effects"] = [
        {"kind": "intention", "cost": [], "do": yaml.safe_load("""
          - {if: {form: second}, then: [{gain: {counter: grit, count: 1}}]}
          - {if: {form: first}, then: [{gain: {counter: luck, count: 1}}]}
          - {if: {ascended: true}, then: [{move: {unit: me, way: {toward: me}}}, {exhaust: me}]}
          - {if: {ascended: false}, then: [{spend: {counter: grit, count: 1}}]}
        """)}
    ]  # fmt: skip

    def arrange(game: ReferenceGame) -> None:
        game.players[0].second_form, game.players[0].ascended = form, ascended
        game.players[1].artist.exhausted = True

    game = start(arrange, (kit, INKER))
    game.step(ABILITY_INTENTION)
    name = {(False, False): "Roller", (True, False): "Gambler", (True, True): "High Roller", (False, True): "Roller"}[
        form, ascended
    ]
    lines = since(game, f"{name} of player_0 resolves")
    assert lines[0] == ("player_0's Grit: 2" if form else "player_0's Luck: 5")
    assert lines[1] == ("player_0's Roller (c1) is exhausted" if ascended else f"player_0's Grit: {int(form)}")


# ---------------------------------------------------------------------- face-down cards

FORESIGHT, SNARE, DOOM, GATHER = range(4)


def augury(game: ReferenceGame, hand: list[int], theirs: list[int] | None = None) -> None:
    game.players[0].hand[:] = hand
    game.players[1].hand[:] = theirs or [0, 0, 0, 0]
    for player in game.players:
        player.deck[:] = [1, 1, 1, 1]
    game.players[1].artist.exhausted = True


def test_laying_cards_face_down() -> None:
    """At the beginning of a chain slots 2 to 5, two cards at most, only what has a Reaction; only the owner sees it. AW-I1"""
    game = start(lambda game: augury(game, [1, 1, 1, 1]), (AUGUR, INKER))
    assert [action for action in game.legal_actions() if action >= FACE_DOWN] == [
        FACE_DOWN,
        FACE_DOWN + 1,
        FACE_DOWN + 2,
    ]
    game.step(FACE_DOWN + DOOM)
    assert game.legal_actions() == [SLOT + 1, SLOT + 2, SLOT + 3, SLOT + 4] and game.log == []
    game.step(SLOT + 3)
    game.step(FACE_DOWN + SNARE)
    assert game.legal_actions() == [SLOT + 1, SLOT + 2, SLOT + 4]
    game.step(SLOT + 1)
    assert game.log == ["player_0 lays a card face down in slot 4", "player_0 lays a card face down in slot 2"]
    assert max(game.legal_actions()) < FACE_DOWN
    assert game.hand(0) == [1, 0, 0, 1]
    lines = ["chain 2: player_0's face-down card", "chain 4: player_0's face-down card"]
    assert game.status(1)[-3:-1] == lines
    assert game.status(0)[-3:-1] == game.status()[-3:-1] == [f"{lines[0]}: Snare", f"{lines[1]}: Doom"]
    hidden = "hidden: Foresight x8, Snare x8, Doom x7, Gather x7"
    assert game.status(1)[1] == f"player_0 Augur: damage 0/3; hand 2; deck 4; {hidden}; discard 0; Omen 0"
    game.step(END_TURN)
    assert game.log[2:5] == ["player_0 ends the turn", *["player_0 takes back a face-down card"] * 2]
    assert game.hand(0) == [1, 1, 1, 1]


def test_slots_are_not_mirrored() -> None:
    """The slots of the chain are the same for both."""

    def arrange(game: ReferenceGame) -> None:
        augury(game, [0, 0, 0, 0], [1, 0, 0, 0])

    game = start(arrange, (INKER, AUGUR), turn_player=1)
    game.step(FACE_DOWN + FORESIGHT)
    game.step(SLOT + 1)
    assert game.log[0] == "player_1 lays a card face down in slot 2"


def test_revealed_after_the_cost_before_anybody_reacts() -> None:
    """The card in the slot before is paid for; then the face-down card is declared, paid and played as a Reaction. AW-C4"""
    game = start(lambda game: augury(game, [1, 1, 1, 1], [6, 0, 0, 0]), (AUGUR, INKER))
    game.step(FACE_DOWN + SNARE)
    game.step(SLOT + 1)
    game.step(INTENTION + GATHER)
    assert game.log[1:] == [
        "player_0 plays Gather (Intention)",
        "player_0 reveals Snare",
        "player_0 plays Snare [1] (Reaction), unit player_1's Calligrapher (c5)",
    ]
    assert game.to_play == 1 and PASS in game.legal_actions()
    assert [play.card.number for play in game.chain] == [GATHER, SNARE] and game.face_down == {}


def test_revealed_with_choices() -> None:
    """Declared and paid for when it is revealed: the card that is discarded comes from what is then in hand. AW-C3"""

    def arrange(game: ReferenceGame) -> None:
        augury(game, [1, 0, 1, 1], [6, 0, 0, 0])
        game.players[0].value["omen"] = 2

    game = start(arrange, (AUGUR, INKER))
    game.step(FACE_DOWN + DOOM)
    game.step(SLOT + 1)
    game.step(INTENTION + GATHER)
    assert game.log[-1] == "player_0 reveals Doom"
    assert game.to_play == 0 and game.legal_actions() == [OPTION, OPTION + 1]
    assert game.status(1)[-2] == "chain 2: player_0's Doom ..."
    game.step(OPTION)
    assert game.log[-1] == "player_0 discards Foresight"  # the only card left
    assert game.legal_actions() == [zone_id(game, 0, name) for name in ("b1", "d1", "c2")]


def test_revealed_and_not_payable() -> None:
    """It is discarded, and the window opens as if it had not been there; its slot is the next again."""
    game = start(lambda game: augury(game, [0, 1, 1, 1], [6, 0, 0, 0]), (AUGUR, INKER))
    game.step(FACE_DOWN + DOOM)
    game.step(SLOT + 1)
    game.step(FACE_DOWN + SNARE)
    game.step(SLOT + 2)
    game.step(INTENTION + GATHER)
    assert game.log[-3:] == [
        "player_0 plays Gather (Intention)",
        "player_0 reveals Doom",
        "Doom of player_0 comes to nothing",
    ]
    assert game.players[0].discard == [0, 0, 1, 0]
    assert game.to_play == 1 and len(game.chain) == 1
    game.step(REACTION + FLOWING_INK)
    game.step(FORWARD)  # into slot 2: what lies in slot 3 comes next
    assert game.log[-2:] == [
        "player_0 reveals Snare",
        "player_0 plays Snare [1] (Reaction), unit player_1's Calligrapher (c5)",
    ]
    assert game.to_play == 1


def test_laying_is_no_answer() -> None:
    """In the window the same player decides again; the slots come later than the next one to be filled."""
    game = start(lambda game: augury(game, [2, 0, 0, 0], [1, 1, 0, 0]), (AUGUR, INKER), turn_player=1)
    game.step(INTENTION + SUMMONING_INK)
    assert game.to_play == 0 and game.legal_actions() == [PASS, REACTION, ABILITY_REACTION, FACE_DOWN]
    game.step(FACE_DOWN)
    assert game.legal_actions() == [SLOT + 2, SLOT + 3, SLOT + 4]
    game.step(SLOT + 2)
    assert game.log[-1] == "player_0 lays a card face down in slot 3"
    assert game.to_play == 0 and game.legal_actions() == [PASS, REACTION, ABILITY_REACTION, FACE_DOWN]
    game.step(PASS)
    assert game.log[-1] == "player_0 passes" and game.to_play == 1
    game.step(REACTION + FLOWING_INK)
    game.step(FORWARD)
    revealed = game.log.index("player_0 reveals Foresight")
    assert game.log[revealed - 1] == "player_1 plays Flowing Ink (Reaction), down"
    assert game.log[revealed + 1 : revealed + 3] == ["player_0 plays Foresight (Reaction)", "player_1 passes"]


def test_taken_back_when_the_chain_has_resolved() -> None:
    """After everything that its last effect has done."""
    game = start(lambda game: augury(game, [1, 0, 0, 1]), (AUGUR, INKER))
    game.step(FACE_DOWN)
    game.step(SLOT + 4)
    game.step(INTENTION + GATHER)
    all_pass(game)
    game.step(zone_id(game, 0, "c2"))
    assert since(game, "Gather of player_0 resolves")[:2] == [
        "player_0's Raven 1 (c2) is summoned",
        "player_0 takes back a face-down card",
    ]
    assert game.hand(0) == [1, 0, 0, 0] and game.face_down == {}


def test_the_fifth_slot_resolves_at_once() -> None:
    """AW-C5: filled by a face-down card too."""

    def arrange(game: ReferenceGame) -> None:
        augury(game, [2, 0, 0, 1], [3, 0, 0, 0])

    game = start(arrange, (AUGUR, INKER))
    game.step(FACE_DOWN)
    game.step(SLOT + 4)
    game.step(INTENTION + GATHER)
    for _ in range(3):
        if game.to_play == 0:
            game.step(PASS)
        game.step(REACTION + FLOWING_INK)
        game.step(FORWARD)
    assert game.log[game.log.index("player_0 reveals Foresight") + 1 :][:2] == [
        "player_0 plays Foresight (Reaction)",
        "Foresight of player_0 resolves",
    ]


@pytest.mark.parametrize(("held", "line"), [(4, "player_0 draws a card"), (5, "player_0 cannot draw, hand is full")])
def test_face_down_cards_count_as_held(held: int, line: str) -> None:
    """AW-T4: five in hand and one face down are a full hand."""
    game = start(lambda game: augury(game, [1, 0, 0, held]), (with_do(AUGUR, "[{draw: 1}]"), INKER))
    game.step(FACE_DOWN)
    game.step(SLOT + 4)
    game.step(ABILITY_INTENTION)
    all_pass(game)
    assert since(game, "Augur of player_0 resolves")[0] == line


def test_forced_passes_with_a_card_to_lay() -> None:
    """AW-I2: who may still lay a card decides, and is not told as forced to pass."""

    def arrange(game: ReferenceGame) -> None:
        augury(game, [0, 0, 1, 0], [0, 1, 0, 0])
        game.players[0].artist.exhausted = True

    game = start(arrange, (AUGUR, INKER), turn_player=1, rules={"forced_passes": "announced"})
    game.step(INTENTION + SUMMONING_INK)
    assert game.to_play == 0 and game.legal_actions() == [PASS, FACE_DOWN + DOOM]
    game.step(PASS)
    assert game.log[1:3] == ["player_0 passes", "player_1 cannot react"]


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
    for seed in range(42):
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
        rolls = [rng.randint(1, 6) for _ in range(3000)]
        first = rng.randrange(2)
        game = ReferenceGame((files[0], files[1]), rules, (decks[0], decks[1]), first, (hands[0], hands[1]), rolls)
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
            laid = [
                zone for zone in game.zones if zone.tile and (zone.tile.player, zone.tile.kind) == (side.number, kind)
            ]
            assert len(laid) + side.tile_pool[kind] == tile["pool"]
            assert all((zone in game.plan[side.number]) == ("on_cue" in tile) for zone in laid)
        for card in side.actions:
            on_chain = sum(play.card is card for play in game.chain)
            n = card.number
            hidden = sum(there is card for there in game.face_down.values())
            assert side.hand[n] + side.deck.count(n) + side.discard[n] + on_chain + hidden == card.text["copies"]
        assert sum(side.hand) + len(game.face_down_of(side.number)) <= 6
        assert len(game.face_down_of(side.number)) <= side.face_down_limit
        assert all(0 <= side.count(kind) <= side.most(kind) for kind in side.counters)
        assert all(dice == sorted(dice) for dice in side.dice.values())
    assert all(zone.tile is not None for plan in game.plan for zone in plan)
