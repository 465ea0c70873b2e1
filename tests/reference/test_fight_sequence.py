"""The reference model of Fight Sequence alone, on positions made by hand. Sections (§) and gaps (G-...) as in the rules of the game."""

from __future__ import annotations

import copy
import random
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.reference.fight_sequence import (
    ATTACK,
    CARD,
    DECLINE,
    LEFT,
    PASS,
    RESPOND,
    RETURN,
    RIGHT,
    RULES,
    Deck,
    ReferenceGame,
)

ROOT = Path(__file__).parents[2]


def read(path: str) -> Deck:
    text: Deck = yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))
    return text


ACADEMY = read("react_env/games/fight_sequence/decks/academy_default.yaml")
EVERY = read("tests/fight_sequence/decks/every_effect.yaml")
SHORT = read("tests/fight_sequence/decks/short.yaml")

MANY = "*20"  # a deck that lasts, of a card that asks for no decision when it is drawn or discarded
FILLER = {"academy_default": "Slash", "every_effect": "Poke"}


def names(text: str) -> list[str]:
    """`Slash*2, Jab` as a list."""
    found = []
    for part in filter(None, text.split(", ")):
        name, _, count = part.partition("*")
        found += [name] * int(count or 1)
    return found


def position(
    row: str = "",
    *,
    hands: tuple[str, str] = ("", ""),
    decks: tuple[str, str] = (MANY, MANY),
    phase: str = "resolving",
    builder: int = 0,
    initiative: int | None = 0,
    number: int = 1,
    files: tuple[Deck, Deck] = (ACADEMY, ACADEMY),
    **rules: Any,
) -> ReferenceGame:
    """`row`: the Actions from slot 1 on, `0 Jab | 1 Slash r` (r: as a response); decks with the top card last."""

    def arrange(game: ReferenceGame) -> None:
        for player in (0, 1):
            game.give(player, *names(hands[player]))
            cards = decks[player] if decks[player] != MANY else FILLER[files[player]["id"]] + MANY
            game.stack(player, *names(cards))
        for text in filter(None, row.split(" | ")):
            player, name = int(text[0]), text[2:]
            game.lay(player, name.removesuffix(" r"), "response" if name.endswith(" r") else "attack")
        game.initiative = initiative
        game.number = number

    return ReferenceGame.at(files, arrange, rules=rules, builder=builder, phase=phase)


def building(row: str = "", **options: Any) -> ReferenceGame:
    """A position in which nobody has passed yet."""
    return position(row, **({"phase": "building", "initiative": None} | options))


def own(game: ReferenceGame, kind: int, name: str) -> int:
    """The action id for that card of the player to move."""
    return kind + game.number_of(game.to_play, name)


def do(game: ReferenceGame, kind: int, name: str) -> None:
    game.step(own(game, kind, name))


def finish(game: ReferenceGame) -> ReferenceGame:
    """Pass, decline, or take the first choice, until the next sequence or the end."""
    number = game.number
    while not game.over and game.number == number:
        game.step(game.legal_actions()[0])
    return game


def slots(game: ReferenceGame) -> list[str]:
    return [action.card["name"] for action in game.sequence]


def pile(game: ReferenceGame, player: int) -> dict[str, int]:
    side = game.players[player]
    return {name: count for name, count in zip(side.names, side.discard) if count}


def both_ways(*settings: tuple[Any, Any]) -> pytest.MarkDecorator:
    """Run the test once for each setting of an option, with its expected outcome."""
    return pytest.mark.parametrize(("setting", "outcome"), settings)


# ---------------------------------------------------------------------- the examples of the rulebook


def test_example_1_armor() -> None:
    """Armor 3 lets 1, 0 and 0 damage of Lunge, Slash and Thrust through. §4"""
    game = finish(position("0 Thrust | 0 Slash | 0 Lunge | 1 Downswing r"))
    assert game.log[:10] == [
        "Downswing (Armor +3) of player_1 resolves",
        "player_1 has Armor 3",
        "Lunge of player_0 resolves",
        "player_1 takes 1 physical damage, 3 stopped",
        "player_1 discards Slash",
        "Slash of player_0 resolves",
        "player_1 takes no physical damage, 3 stopped",
        "Thrust of player_0 resolves",
        "player_1 takes no physical damage, 2 stopped",
        "player_0 draws 5 cards",
    ]


NINE = "0 Downswing | 1 Gale Force | 0 Slash r | 1 Fireball | 0 Blast r | 1 Divert r | 0 Flare r | 1 Missile | 0 Jab"


def test_example_2_nine_actions() -> None:
    """The long example, from the last Action to the first. §4"""
    game = position(NINE, hands=("", "Spark"))
    assert game.to_play == 1 and game.legal_actions() == [DECLINE, own(game, CARD, "Spark")]  # against the Jab
    assert game.status(1)[-2:] == [
        "9. player_0 attacks: Jab (Speed 60, Power 1, physical) - resolves",
        "player_1 would take 1 physical damage",
    ]
    assert game.status(None)[-1] == game.status(1)[-1]
    assert game.status(0)[-1] == game.status(1)[-2]
    game.step(DECLINE)
    game.step(DECLINE)  # against their own Fireball
    do(game, CARD, "Spark")
    assert game.log[:23] == [
        "Jab of player_0 resolves",
        "player_1 takes 1 physical damage",
        "player_1 discards Slash",
        "Missile of player_1 resolves",
        "player_0 takes 3 magical damage",
        "player_0 discards Slash, Slash, Slash",
        "Flare (Resistance +3) of player_0 resolves",
        "player_0 has Resistance 3",
        "Divert (magical block) of player_1 resolves",
        "Blast (Resistance +3) of player_0 is blocked",
        "Fireball of player_1 resolves",
        "player_0 takes no magical damage, 2 stopped",
        "player_1 takes 2 magical damage",
        "player_1 discards Slash, Slash",
        "player_0 takes 3 magical damage, 3 stopped",
        "player_0 discards Slash, Slash, Slash",
        "Slash (physical block) of player_0 resolves",
        "Gale Force of player_1 is blocked",
        "Downswing of player_0 resolves",
        "player_1 discards Spark for its Willpower",
        "player_1 ignores 5 physical damage",
        "player_0 draws 5 cards",
        "player_1 draws 5 cards",
    ]
    assert pile(game, 0) == {"Downswing": 1, "Slash": 7, "Blast": 1, "Flare": 1, "Jab": 1}
    assert pile(game, 1) == {"Gale Force": 1, "Fireball": 1, "Divert": 1, "Missile": 1, "Slash": 3, "Spark": 1}
    assert game.number == 2 and game.builder == 0


@pytest.mark.parametrize(("shift", "slot", "damage"), [(LEFT + 1, 1, 3), (RIGHT + 1, 3, 5)])
def test_example_3_shift(shift: int, slot: int, damage: int) -> None:
    """Divert reaches Flare but not Pressure; moved to the left, Flare resolves too late for its bonus. §4 G-2"""
    game = building("0 Pressure | 1 Flare", hands=("Divert", ""))
    do(game, ATTACK, "Divert")
    assert game.to_play == 0 and game.legal_actions() == [LEFT + 1, LEFT + 2, RIGHT + 1]
    game.step(shift)
    assert game.log[1] == f"Flare moves from slot 2 to slot {slot}"
    finish(game)
    assert ("Flare gets +2 Power" in game.log) == (damage == 5)
    assert f"player_0 takes {damage} magical damage" in game.log


def test_example_4_speed() -> None:
    """Slash is too slow for Thrust, but not as a response, which sets the speed back. §3"""
    game = building("0 Thrust", hands=("Downswing", "Slash"), builder=1)
    assert game.status(0)[0] == "Sequence 1, building, Speed 50 or more"
    assert game.legal_actions() == [PASS, own(game, RESPOND, "Slash")]
    do(game, RESPOND, "Slash")
    assert game.status(0)[0] == "Sequence 1, building"
    assert own(game, ATTACK, "Downswing") in game.legal_actions()


def test_example_5_overkill() -> None:
    """More damage than cards empties the deck; the next damage wins. §2"""
    game = finish(position("0 Jab | 0 Downswing", decks=(MANY, "Slash*2")))
    assert game.log[1:] == [
        "player_1 takes 5 physical damage",
        "player_1 discards Slash, Slash",
        "Jab of player_0 resolves",
        "player_1 takes 1 physical damage",
        "player_0 wins: player_1 took damage with an empty deck",
    ]
    assert game.over == 1 and game.rewards == (1, -1) and game.legal_actions() == []


def test_example_6_putting_back() -> None:
    """With more than five cards the player chooses what goes back, in which order. §4 Cleanup"""
    game = position(phase="cleanup", hands=("Jab*2, Dart*5", ""))
    assert game.legal_actions() == [own(game, CARD, "Jab"), own(game, CARD, "Dart")]
    do(game, CARD, "Dart")
    do(game, CARD, "Jab")
    assert game.log[:3] == ["player_0 puts a card on the deck"] * 2 + ["player_1 draws 5 cards"]
    assert game.status(0)[1] == "player_0: hand 5: Jab, Dart x4; deck 22 (on top Jab, Dart); discard 0"
    assert game.status(1)[1] == "player_0: hand 5; deck 22 (2 put back); discard 0"


def test_example_7_nine_actions_are_the_limit() -> None:
    """Both must pass, and draw; the first to do so takes the initiative. §3"""
    game = building(NINE.rpartition(" | ")[0], hands=("Jab*2", "Jab*2"))
    do(game, ATTACK, "Jab")
    assert game.log[:7] == [
        "player_0 attacks with Jab",
        "player_1 passes",
        "player_1 takes the initiative",
        "player_1 draws a card",
        "player_0 passes",
        "player_0 draws a card",
        "Jab of player_0 resolves",
    ]


def test_example_8_first_turn() -> None:
    """The player who begins a sequence cannot pass. §3"""
    game = position(phase="cleanup", hands=("Slash*5", "Slash*5"), initiative=1, number=2)
    assert game.log == ["Sequence 3: player_1 begins"]  # with five cards nobody draws
    assert game.to_play == 1 and game.legal_actions() == [own(game, ATTACK, "Slash"), own(game, RESPOND, "Slash")]


# ---------------------------------------------------------------------- building and resolving


def test_a_whole_first_sequence() -> None:
    """Nobody has the initiative at first; the first pass takes it, and two in a row end the building. §2 §3"""
    cards = [number for number in range(20) for _ in range(2)]
    deck, hand = cards[5:], [2, 2, 1] + [0] * 17  # Jab, Thrust, Slash
    game = ReferenceGame((ACADEMY, ACADEMY), {}, (deck, deck), 1, (hand, hand))
    assert game.status(0)[:2] == [
        "Sequence 1, building",
        "player_0: hand 5: Jab x2, Thrust x2, Slash; deck 35; discard 0",
    ]
    do(game, ATTACK, "Thrust")
    game.step(PASS)
    do(game, RESPOND, "Slash")  # a pass does not lock anybody out, nor does it end anything alone
    game.step(PASS)
    game.step(PASS)
    assert game.log[:11] == [
        "Sequence 1: player_1 begins",
        "player_1 attacks with Thrust",
        "player_0 passes",
        "player_0 takes the initiative",
        "player_0 draws a card",
        "player_1 responds with Slash (physical block)",
        "player_0 passes",
        "player_0 draws a card",
        "player_1 passes",
        "player_1 draws a card",
        "Slash (physical block) of player_1 resolves",
    ]
    assert "nothing is blocked" in game.log  # the neighbour is the player's own


def test_wrong_cards_are_refused() -> None:
    with pytest.raises(ValueError, match="are not the cards of"):
        ReferenceGame((ACADEMY, ACADEMY), {}, ([], []), 0, ([1] * 20, [1] * 20))
    with pytest.raises(ValueError, match="unknown rules"):
        position(speed="last_slot")


def test_deck_size() -> None:
    hand, deck = [1, 1, 1, 1, 1, 0], [0, 0, 1, 2, 4, 5, 5]
    ReferenceGame((SHORT, SHORT), {"deck_size": 12}, (deck, deck), 0, (hand, hand))
    with pytest.raises(ValueError, match="12 cards, not 40"):
        ReferenceGame((SHORT, SHORT), {}, (deck, deck), 0, (hand, hand))


def test_two_different_decks() -> None:
    """Each player's card numbers refer to that player's own file. G-9"""
    game = building("0 Jab", hands=("", "Rush"), builder=1, files=(ACADEMY, EVERY))
    do(game, ATTACK, "Rush")
    assert game.log[:2] == ["player_1 attacks with Rush", "player_1 draws a card"]


def test_empty_hand_at_the_first_turn() -> None:
    """A forced pass that takes the initiative and draws nothing. G-8"""
    game = position(phase="cleanup", hands=("", "Jab"), decks=("", "Jab*4"))
    assert game.log == [
        "player_0 cannot draw, the deck is empty",
        "player_1 draws 4 cards",
        "Sequence 2: player_0 begins",
        "player_0 passes",
        "player_0 takes the initiative",
    ]
    assert game.to_play == 1 and PASS in game.legal_actions()


@pytest.mark.parametrize(("block", "other", "blocked"), [("Slash r", "Jab", True), ("Divert r", "Jab", False)])
def test_block_of_an_attack(block: str, other: str, blocked: bool) -> None:
    """§4 Block"""
    game = finish(position(f"0 {other} | 1 {block}"))
    assert ("Jab of player_0 is blocked" in game.log) == blocked


@pytest.mark.parametrize(
    ("response", "kind"),
    [("Lunge r", "physical"), ("Slash r", "physical"), ("Blast r", "magical"), ("Dart r", "magical")],
)
def test_block_of_a_response(response: str, kind: str) -> None:
    """Armor and physical blocks are physical, Resistance and magical blocks magical. §4"""
    block = "Slash r" if kind == "physical" else "Divert r"
    game = finish(position(f"0 {response} | 1 {block}"))
    assert f"{response[:-2]} " in game.log[1] and "is blocked" in game.log[1]
    other = "Divert r" if kind == "physical" else "Slash r"
    assert finish(position(f"0 {response} | 1 {other}")).log[1] == "nothing is blocked"


def test_tokens_add_up_and_go_at_cleanup() -> None:
    game = position("1 Jab r | 0 Downswing r | 0 Lunge r")
    assert game.log[1:4:2] == ["player_0 has Armor 3", "player_0 has Armor 6"]
    assert game.number == 2 and game.players[0].tokens == {"physical": 0, "magical": 0}
    assert game.players[1].willpower == []


def test_willpower_that_waits_is_used_before_anybody_is_asked() -> None:
    """G-5: stopped damage does not use it up; several add up."""
    game = finish(position("0 Lunge | 0 Blast | 0 Slash | 1 Jab r | 1 Jab r | 1 Lunge r", hands=("", "Spark")))
    assert game.log[5:11] == [
        "player_1 will ignore the next damage",
        "Slash of player_0 resolves",
        "player_1 takes no physical damage, 3 stopped",
        "Blast of player_0 resolves",
        "player_1 ignores 5 magical damage",
        "Lunge of player_0 resolves",
    ]
    assert game.log[11] == "player_1 ignores 1 physical damage"
    assert not any("for its Willpower" in line for line in game.log)


def test_status() -> None:
    game = position("0 Slash | 1 Dart r | 0 Gale Force | 1 Blast r | 1 Lunge r | 1 Jab r", hands=("", "Spark*2"))
    assert game.status(0) == [
        "Sequence 1, resolving, initiative player_0",
        "player_0: hand 0; deck 20; discard 0",
        "player_1: hand 2; deck 20; discard 3: Jab, Lunge, Blast; Armor 3; Resistance 3; Willpower 1",
        "1. player_0 attacks: Slash (Speed 40, Power 3, physical)",
        "2. player_1 responds: Dart (magical block)",
        "3. player_0 attacks: Gale Force (Speed 20, Power 4, physical) - resolves",
    ]
    assert "hand 2: Spark x2;" in game.status(1)[2] and "hand 2: Spark x2;" in game.status()[2]
    assert game.legal_actions() == [RETURN, RETURN + 1]


# ---------------------------------------------------------------------- effects


def test_immediate_damage() -> None:
    """While building, neither tokens nor Willpower stop damage, and damage can end the game. §3 G-7"""
    game = building(
        "0 Rush r", hands=("Rush*2", "Quake, Rush*2"), decks=("Rush*3", ""), builder=1, files=(EVERY, EVERY)
    )
    do(game, ATTACK, "Quake")
    assert game.log == [
        "player_1 attacks with Quake",
        "player_0 takes 2 magical damage",
        "player_0 discards Rush, Rush",
        "player_1 takes 2 magical damage",
        "player_0 wins: player_1 took damage with an empty deck",
    ]


def test_damage_to_oneself_and_an_attack_without_power() -> None:
    game = position("0 Feud | 0 Sting | 1 Rage r | 1 Sting r", files=(EVERY, EVERY))
    assert game.log[:8] == [
        "Sting (1 physical damage) of player_1 resolves",
        "player_0 takes 1 physical damage",
        "player_0 discards Poke",
        "Rage (2 physical damage to yourself) of player_1 resolves",
        "player_1 takes 2 physical damage",
        "player_1 discards Poke, Poke",
        "Sting of player_0 resolves",  # immediate damage, no Power
        "Feud of player_0 resolves",
    ]


def test_more_names_than_a_line_holds() -> None:
    game = finish(position("0 Downswing"))
    assert game.log[2:4] == ["player_1 discards Slash, Slash, Slash, Slash", "player_1 discards Slash"]


def test_drawing_effects() -> None:
    """An effect draws as many cards as there are. §2"""
    game = position("1 Wait | 0 Spare r", decks=("Poke*2", "Poke*9"), files=(EVERY, EVERY))
    assert game.log[:4] == [
        "Spare (draw 3) of player_0 resolves",
        "player_0 draws 2 cards",
        "Wait of player_1 resolves",
        "player_1 draws 5 cards",
    ]


@pytest.mark.parametrize(("name", "targets"), [("Recall", [0, 1, 2]), ("Undo", [0]), ("Hush", [1, 2])])
def test_what_a_return_can_reach(name: str, targets: list[int]) -> None:
    """§4 Return; here as a text response."""
    game = position(f"0 Poke | 1 Wall r | 0 Poke r | 1 {name} r", files=(EVERY, EVERY), return_optional=True)
    assert game.to_play == 1 and game.legal_actions() == [DECLINE, *(RETURN + slot for slot in targets)]
    game.step(RETURN + targets[0])
    first = [
        "Poke returns from slot 1 to the hand of player_0",
        "Wall (Armor +12) returns from slot 2 to the hand of player_1",
    ]
    assert game.log[1] == first[targets[0]]


def test_the_row_closes_up() -> None:
    game = position("1 Jab | 0 Slash | 1 Dart | 0 Ice Blast", hands=("", "Jab"))
    game.step(RETURN + 1)
    assert slots(game) == ["Jab", "Dart", "Ice Blast"] and game.to_play == 1
    assert game.players[0].hand[game.number_of(0, "Slash")] == 1


@pytest.mark.parametrize(
    ("name", "slots_reached"), [("Hop", [2]), ("Push", [1, 2]), ("Slide", [0, 1, 2]), ("Leap", [0, 1, 2])]
)
def test_range_of_a_shift(name: str, slots_reached: list[int]) -> None:
    """§4 Shift: its own card is at distance 0; the Action moves one slot, towards a neighbour that is there."""
    deck = copy.deepcopy(EVERY)
    deck["cards"].append(next(card for card in ACADEMY["cards"] if card["name"] == "Push"))
    game = position(f"1 Poke | 1 Poke | 0 {name} r", files=(deck, deck))
    left = [LEFT + i for i in slots_reached if i > 0]
    right = [RIGHT + i for i in slots_reached if i < 2]
    if len(left + right) == 1:
        assert game.log[1] == f"{name} (Shift [range 0]) moves from slot 3 to slot 2"
    else:
        assert game.legal_actions() == left + right


@pytest.mark.parametrize(
    ("row", "name", "what", "target"),
    [
        ("0 Undertow", "Undertow", "effect", False),
        ("1 Jab | 0 Undertow", "Undertow", "effect", True),
        ("0 Ice Blast", "Ice Blast", "effect", False),
        ("1 Dart | 0 Ice Blast", "Ice Blast", "effect", True),
        ("0 Flare", "Flare", "effect", False),
        ("1 Dart | 0 Flare", "Flare", "effect", True),
        ("0 Fireball", "Fireball", "effect", True),
        ("0 Push r", "Push", "response effect", False),
        ("1 Jab | 0 Push r", "Push", "response effect", True),
        ("0 Slash r", "Slash", "response effect", False),
        ("1 Jab | 0 Slash r", "Slash", "response effect", True),
        ("0 Lunge r", "Lunge", "response effect", True),
        ("0 Jab r", "Jab", "response effect", True),
    ],
)
def test_what_is_counted_as_seen(row: str, name: str, what: str, target: bool) -> None:
    """An effect counts if it found a target, a block if it met something."""
    game = finish(position(row))
    assert game.played["academy_default", name, what] == target


# ---------------------------------------------------------------------- every option both ways


@both_ways(("last_slot", True), ("last_built", False))
def test_speed_reference(setting: str, outcome: bool) -> None:
    """G-1"""
    game = building("0 Slash", hands=("Feint", "Missile"), speed_reference=setting)
    do(game, ATTACK, "Feint")
    game.step(LEFT + 1)
    assert slots(game) == ["Feint", "Slash"]
    assert (own(game, ATTACK, "Missile") in game.legal_actions()) == outcome
    assert game.status(0)[0] == f"Sequence 1, building, Speed {40 if outcome else 50} or more"


@both_ways(("last_slot", 0), ("last_built", 40))
def test_speed_reference_of_an_action_that_left(setting: str, outcome: int) -> None:
    game = building("", hands=("Undo", "Wall"), files=(EVERY, EVERY), speed_reference=setting, return_itself=True)
    do(game, ATTACK, "Undo")
    assert slots(game) == [] and game.to_play == 1
    assert (own(game, ATTACK, "Wall") in game.legal_actions()) == (outcome <= 10)
    assert ("Speed 40 or more" in game.status(0)[0]) == (outcome == 40)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("Flinch", "Poke moves from slot 1 to slot 2"),
        ("Snatch", "Poke returns from slot 1 to the hand of player_0"),
        ("Spite", "player_0 takes 2 physical damage"),
        ("Glance", "player_1 draws 2 cards"),
    ],
)
def test_text_responses_at_once(name: str, line: str) -> None:
    """§3: an immediate text happens as its Action is built, on a response, too."""
    game = building("0 Poke | 1 Poke", hands=("Poke", name), builder=1, files=(EVERY, EVERY))
    do(game, RESPOND, name)
    if name == "Flinch":
        game.step(RIGHT)
    if name == "Snatch":
        game.step(RETURN)
    assert game.log[1] == line and game.to_play == 0
    while not any(said.endswith("resolves") for said in game.log):
        game.step(PASS)
    first = next(i for i, said in enumerate(game.log) if said.endswith("resolves"))
    assert game.log[first].startswith(f"{name} (immediate: ") and game.log[first + 1].endswith(" resolves")


@pytest.mark.parametrize(
    ("setting", "name", "at_once"),
    [
        ("as_printed", "Divert", True),
        ("as_printed", "Undertow", False),
        ("timed", "Divert", False),
        ("immediate", "Undertow", True),
    ],
)
def test_shift_timing(setting: str, name: str, at_once: bool) -> None:
    """G-2"""
    game = building("1 Blast | 0 Lunge", hands=(name, ""), shift_timing=setting)
    do(game, ATTACK, name)
    assert ("passes" in " ".join(game.log)) != at_once
    assert game.to_play == 0 and LEFT + 1 in game.legal_actions()


@both_ways((False, ["Gale Force finds no target"]), (True, ["Gale Force returns from slot 1 to the hand of player_0"]))
def test_return_itself(setting: bool, outcome: list[str]) -> None:
    """G-3: an Action that returns itself still deals its damage, and stays in the hand."""
    game = position("0 Gale Force", return_itself=setting)
    assert game.log[1:3] == [*outcome, "player_1 takes 4 physical damage"]
    assert pile(game, 0) == ({} if setting else {"Gale Force": 1})


@both_ways((False, [RETURN, RETURN + 1]), (True, [DECLINE, RETURN, RETURN + 1]))
def test_return_optional(setting: bool, outcome: list[int]) -> None:
    """G-3"""
    game = position("1 Slash | 0 Slash | 0 Gale Force", return_optional=setting)
    assert game.legal_actions() == outcome
    game.step(outcome[0])
    assert game.log[1] == ("player_0 declines" if setting else "Slash returns from slot 1 to the hand of player_1")


@both_ways((60, False), (3, True))
def test_build_turns(setting: int, outcome: bool) -> None:
    """G-4: passes are turns, too."""
    game = building("0 Jab", hands=("Jab*4", "Jab*4"), builder=1, build_turns=setting)
    game.step(PASS)
    assert game.to_play == 0
    do(game, RESPOND, "Jab")
    assert ("Jab of player_0 resolves" in game.log) == outcome


@both_ways(("next_damage", True), ("adjacent_action", False))
def test_willpower_covers(setting: str, outcome: bool) -> None:
    """G-5: a Willpower that covers only the adjacent Action expires with it."""
    game = position("0 Slash | 1 Flare r | 1 Jab r", willpower_covers=setting)
    assert ("player_1 ignores 3 physical damage" in game.log) == outcome
    game = position("0 Slash | 1 Jab r", willpower_covers=setting)
    assert "player_1 ignores 3 physical damage" in game.log
    game = position("0 Slash | 0 Missile | 1 Jab r | 1 Jab r", willpower_covers=setting)
    assert "player_1 ignores 3 magical damage" in game.log
    assert ("player_1 ignores 3 physical damage" in game.log) == outcome


def test_willpower_covers_an_action_that_returns_another() -> None:
    """The adjacent Action is the one that resolves next, not the one that it returns."""
    game = position("1 Jab | 0 Gale Force | 1 Jab r", willpower_covers="adjacent_action")
    assert game.log[3:5] == ["Jab returns from slot 1 to the hand of player_1", "player_1 ignores 4 physical damage"]


@both_ways(("damage", True), ("never", False))
def test_interrupt_window(setting: str, outcome: bool) -> None:
    """G-6"""
    game = position("0 Slash", hands=("", "Jab, Spark"), interrupt_window=setting)
    if outcome:
        assert game.legal_actions() == [DECLINE, own(game, CARD, "Jab"), own(game, CARD, "Spark")]
    else:
        assert game.log[1] == "player_1 takes 3 physical damage"


@both_ways(
    ("draw", ["the game is a draw: both took damage with an empty deck"]),
    ("builder_loses", ["player_1 wins: both took damage with an empty deck, by an Action of player_0"]),
)
def test_simultaneous_defeat(setting: str, outcome: list[str]) -> None:
    """G-7"""
    game = position("0 Fireball", decks=("", ""), simultaneous_defeat=setting)
    assert game.log[1:] == ["player_1 takes 2 magical damage", "player_0 takes 2 magical damage", *outcome]
    assert game.rewards == ((0, 0) if setting == "draw" else (-1, 1))


def test_own_damage_defeats() -> None:
    """G-7: one's own damage defeats, too; both players are asked before anything happens."""
    game = position("0 Fireball", hands=("Jab", "Jab"), decks=("", MANY))
    assert game.to_play == 1
    do(game, CARD, "Jab")
    assert game.to_play == 0 and game.log[-1] == "player_1 discards Jab for its Willpower"
    game.step(DECLINE)
    assert game.log[2:] == [
        "player_1 ignores 2 magical damage",
        "player_0 takes 2 magical damage",
        "player_1 wins: player_0 took damage with an empty deck",
    ]


@both_ways(
    ("draw", "the game is a draw: nobody has a card left"),
    ("initiative_loses", "player_0 wins: nobody has a card left, and player_1 has the initiative"),
)
def test_exhausted(setting: str, outcome: str) -> None:
    """G-8: this is checked before the limit of sequences."""
    game = position(phase="cleanup", decks=("", ""), initiative=1, number=60, exhausted=setting)
    assert game.log[-1] == outcome and game.over == 1


@both_ways(("unblockable", False), ("attack_type", True))
@pytest.mark.parametrize("name", ["Jab", "Push"])
def test_untyped_responses(name: str, setting: str, outcome: bool) -> None:
    """G-10"""
    game = position(f"0 {name} r | 1 Slash r", untyped_responses=setting)
    assert game.log[1].endswith("of player_0 is blocked" if outcome else "nothing is blocked")
    assert position(f"0 {name} r | 1 Dart r", untyped_responses=setting).log[1] == "nothing is blocked"


@both_ways(("attacks", False), ("typed_actions", True))
def test_bonus_counts(setting: str, outcome: bool) -> None:
    """G-11: only the opponent's Actions count, and only those of that type."""
    for row, bonus in (
        ("1 Slash", True),
        ("0 Slash", False),
        ("1 Dart", False),
        ("1 Slash r", outcome),
        ("1 Dart r", False),
    ):
        game = position(f"{row} | 0 Shoulder Charge", bonus_counts=setting)
        assert ("Shoulder Charge gets +2 Power" in game.log) == bonus
        assert f"player_1 takes {5 if bonus else 3} physical damage" in game.log


def test_bonus_counts_untyped_responses() -> None:
    game = position("1 Jab r | 0 Shoulder Charge", bonus_counts="typed_actions")
    assert "Shoulder Charge gets +2 Power" not in game.log
    game = position("1 Jab r | 0 Shoulder Charge", bonus_counts="typed_actions", untyped_responses="attack_type")
    assert "Shoulder Charge gets +2 Power" in game.log


@both_ways(("initiative_first", [1, 0]), ("initiative_last", [0, 1]))
def test_cleanup_order(setting: str, outcome: list[int]) -> None:
    """G-12"""
    game = position(phase="cleanup", initiative=1, cleanup_order=setting)
    assert game.log[:2] == [f"player_{player} draws 5 cards" for player in outcome]


@both_ways(
    (0, ["player_1 has Armor 3", "player_0 has Armor 3"]), (1, ["player_1 has Armor 3", "player_0 gets no token"])
)
def test_token_limit(setting: int, outcome: list[str]) -> None:
    """G-13: the limit counts the pieces of both players, each type separately."""
    game = position("0 Blast r | 0 Lunge r | 1 Lunge r", token_limit=setting)
    assert game.log[1:4:2] == outcome
    assert game.log[5] == "player_0 has Resistance 3"


@both_ways(("face_up", "player_1 discards Slash, Slash, Slash"), ("face_down", "player_1 discards 3 cards face down"))
def test_damage_discards(setting: str, outcome: str) -> None:
    """G-14"""
    game = position("0 Jab | 0 Slash", hands=("", "Jab"), damage_discards=setting)
    game.step(DECLINE)
    assert game.log[2] == outcome
    for player in (None, 0, 1):
        known = "discard 3: Slash x3" if setting == "face_up" else "discard 0; face down 3"
        assert f"; deck 17; {known}" in game.status(player)[2]
    unseen = 20 if setting == "face_down" else 17
    slash = game.number_of(1, "Slash")
    assert game.knowledge(1)["my_unseen"][slash] == game.knowledge(0)["their_unseen"][slash] == unseen
    game.step(DECLINE)
    if setting == "face_down":
        assert "player_1 discards a card face down" in game.log


@both_ways((True, [LEFT + 1, RIGHT]), (False, [RIGHT]))
def test_timed_shift_itself(setting: bool, outcome: list[int]) -> None:
    """G-15: even where it may not choose itself, it can swap places as the neighbour; an immediate Shift may always choose itself."""
    game = position("1 Spark | 0 Undertow", hands=("", "Jab"), timed_shift_itself=setting)
    if setting:
        assert game.legal_actions() == outcome
        game.step(RIGHT)
    assert game.log[1] == "Spark moves from slot 1 to slot 2"
    assert game.status(0)[-2:] == [
        "1. player_0 attacks: Undertow (Speed 40, Power 2, magical) - resolves",
        "2. player_1 attacks: Spark (Speed 60, Power 1, magical)",
    ]
    game.step(DECLINE)
    assert "Spark of player_1 resolves" in game.log and pile(game, 0)["Undertow"] == 1
    game = building("0 Jab r", hands=("", "Feint"), builder=1, timed_shift_itself=setting)
    do(game, ATTACK, "Feint")
    assert game.legal_actions() == [LEFT + 1, RIGHT]


@both_ways(("each_turn", True), ("closes", False))
def test_full_sequence(setting: str, outcome: bool) -> None:
    """G-16"""
    row = " | ".join(["0 Poke", "1 Poke"] * 3 + ["0 Poke", "1 Poke r"])
    game = building(row, hands=("Recall", "Poke"), files=(EVERY, EVERY), full_sequence=setting)
    do(game, ATTACK, "Recall")
    game.step(RETURN)
    assert ("player_1 passes" not in game.log) == outcome
    assert (game.number == 1 and own(game, ATTACK, "Poke") in game.legal_actions()) == outcome


@both_ways((60, False), (3, True))
def test_max_sequences(setting: int, outcome: bool) -> None:
    game = position(phase="cleanup", number=3, max_sequences=setting)
    assert (game.log[-1] == "the game is cut short after 3 sequences, the limit") == outcome
    assert (game.over, game.number) == ((2, 3) if outcome else (0, 4)) and game.rewards == (0, 0)


# ---------------------------------------------------------------------- what is known


def test_a_returned_card_is_known_until_one_of_its_number_leaves() -> None:
    """§5"""
    game = position("1 Jab | 0 Lunge | 1 Gale Force", hands=("Lunge", ""))
    game.step(RETURN + 1)
    lunge = game.number_of(0, "Lunge")
    assert game.knowledge(1)["their_known"][lunge] == 1 and game.knowledge(0)["hand"][lunge] == 2
    assert "player_0: hand 5 with Lunge; deck" in game.status(1)[1]
    assert "with" not in game.status(None)[1]
    do(game, ATTACK, "Lunge")
    assert not any(game.knowledge(1)["their_known"])


def known_and_put_back(**rules: Any) -> ReferenceGame:
    """Player 0 has put back a Lunge that was known and on it a Jab, and begins a sequence with Dart x4 and Thrust."""

    def arrange(game: ReferenceGame) -> None:
        game.give(0, *names("Lunge, Jab, Dart*4, Thrust"))
        for player in (0, 1):
            game.stack(player, *names("Slash*20"))
        game.players[0].known[game.number_of(0, "Lunge")] = 1
        game.initiative = 0

    game = ReferenceGame.at((ACADEMY, ACADEMY), arrange, rules=rules, phase="cleanup")
    do(game, CARD, "Lunge")
    do(game, CARD, "Jab")
    return game


def test_cards_put_back() -> None:
    """The owner knows them and their order; the opponent knows how many, and that a known card is in the hand or among them."""
    game = known_and_put_back()
    lunge, jab = game.number_of(0, "Lunge"), game.number_of(0, "Jab")
    mine, theirs = game.knowledge(0), game.knowledge(1)
    assert mine["my_top"] == [jab, lunge]
    assert mine["my_unseen"][jab] == mine["my_unseen"][lunge] == 1
    assert theirs["their_unseen"] == [a + b for a, b in zip(mine["hand"], mine["my_unseen"])]
    assert not any(theirs["their_known"]) and theirs["their_loose"][lunge] == sum(theirs["their_loose"]) == 1
    assert theirs["counts"][1] == mine["counts"][0] | {"hand": 5, "deck": 22, "put_back": 2}
    assert game.status(1)[1] == "player_0: hand 5; deck 22 (2 put back); hand or put back Lunge; discard 0"
    assert game.status(0)[1] == "player_0: hand 5: Thrust, Dart x4; deck 22 (on top Jab, Lunge); discard 0"


def test_cards_put_back_are_drawn_again() -> None:
    """Once all of them are drawn, the known card is known to be in the hand."""
    game = known_and_put_back()
    lunge = game.number_of(0, "Lunge")
    do(game, ATTACK, "Thrust")
    do(game, RESPOND, "Slash")
    game.step(PASS)
    assert game.knowledge(0)["my_top"] == [lunge] and game.knowledge(1)["their_loose"][lunge] == 1
    do(game, RESPOND, "Slash")
    game.step(PASS)
    assert game.knowledge(0)["my_top"] == [] and not any(game.knowledge(1)["their_loose"])
    assert game.knowledge(1)["their_known"][lunge] == 1
    assert "hand 6 with Lunge; deck 20;" in game.status(1)[1]


def hit(game: ReferenceGame, attack: str) -> None:
    """Player 0 begins with Dart as a response; player 1 adds that attack, and then both pass."""
    game.give(1, attack)
    do(game, RESPOND, "Dart")
    do(game, ATTACK, attack)
    player = game.players[0]
    deck, put_back = list(player.deck), player.put_back
    game.step(PASS)  # player 0 draws the Jab ...
    assert player.put_back == put_back - 1 and player.deck == deck[:-1]
    game.step(PASS)


def test_cards_put_back_are_discarded() -> None:
    """A copy discarded from among them counts as the known one."""
    game = known_and_put_back()
    lunge = game.number_of(0, "Lunge")
    hit(game, "Missile")
    game.step(DECLINE)  # ... and could use it
    assert "player_0 discards Lunge, Slash, Slash" in game.log
    assert not any(game.knowledge(1)["their_known"]) and not any(game.knowledge(1)["their_loose"])
    assert game.players[0].put_back == 0 and game.players[0].discard[lunge] == 1


def test_cards_put_back_are_discarded_face_down() -> None:
    """Nobody can tell which cards are left, so what was known about them is forgotten."""
    game = known_and_put_back(damage_discards="face_down")
    hit(game, "Missile")
    game.step(DECLINE)
    assert "player_0 discards 3 cards face down" in game.log
    assert not any(game.knowledge(1)["their_known"]) and not any(game.knowledge(1)["their_loose"])


def test_known_in_both_ways() -> None:
    """If one copy is known in the hand and another in the hand or put back, a copy that leaves the hand counts as the first."""
    game = known_and_put_back()
    lunge, side = game.number_of(0, "Lunge"), game.players[0]
    side.hand[lunge] = side.known[lunge] = 1
    side.leaves_hand(lunge)
    assert game.knowledge(1)["their_known"][lunge] == 0 and game.knowledge(1)["their_loose"][lunge] == 1


# ---------------------------------------------------------------------- whole games


@pytest.mark.parametrize("files", [(ACADEMY, ACADEMY), (EVERY, ACADEMY), (EVERY, EVERY)], ids=lambda f: f[0]["id"])
@pytest.mark.parametrize(
    "rules", [{}, {"damage_discards": "face_down", "return_itself": True}], ids=["standard", "other"]
)
def test_no_card_is_lost_and_all_that_is_known_is_true(files: tuple[Deck, Deck], rules: dict[str, Any]) -> None:
    for seed in range(20):
        game = deal(files, rules, seed)
        rng = random.Random(seed)
        while not game.over:
            for side in game.players:
                built = [action.number for action in game.sequence if action.player == side.number]
                for i, card in enumerate(side.cards):
                    in_deck = side.deck.count(i)
                    assert (
                        side.hand[i] + in_deck + side.discard[i] + side.face_down[i] + built.count(i) == card["copies"]
                    )
                    assert side.known[i] <= side.hand[i]
                    assert side.known[i] + side.loose[i] <= side.hand[i] + side.top().count(i)
            game.step(rng.choice(game.legal_actions()))
        assert sum(game.rewards) == 0


def deal(files: tuple[Deck, Deck], rules: dict[str, Any], seed: int) -> ReferenceGame:
    rng = random.Random(seed)
    decks, hands = [], []
    for text in files:
        deck = [i for i, card in enumerate(text["cards"]) for _ in range(card["copies"])]
        rng.shuffle(deck)
        decks.append(deck[:-5])
        hands.append([deck[-5:].count(i) for i in range(len(text["cards"]))])
    return ReferenceGame(files, rules, (decks[0], decks[1]), rng.randrange(2), (hands[0], hands[1]))


def test_forbidden() -> None:
    """Not a rule: an option bars a player from building some cards, in both ways or in one."""
    hands = ("Jab, Slash, Dart", "Jab")
    game = building("0 Jab r | 1 Jab r", hands=hands, forbidden=(("Jab", "Slash/attack", "Dart/response"), ()))
    assert game.legal_actions() == [PASS, own(game, ATTACK, "Dart"), own(game, RESPOND, "Slash")]
    game = building("0 Jab r", hands=hands, builder=1, forbidden=(("Jab",), ()))
    assert game.legal_actions() == [PASS, own(game, ATTACK, "Jab"), own(game, RESPOND, "Jab")]
    assert building(hands=("Jab", ""), forbidden=(("Jab",), ())).log[0] == "player_0 passes", (
        "there is nothing to build"
    )
    over = {"phase": "cleanup", "hands": ("Jab", ""), "decks": ("", ""), "initiative": 1, "number": 60}
    assert position(**over, forbidden=(("Jab",), ())).log[-1] == "the game is a draw: nobody has a card left"
    assert "the limit" in position(**over, forbidden=(("Jab/attack",), ())).log[-1]


def test_every_option_is_tested() -> None:
    """Each option has a test of its name, except those that do not matter after the deal."""
    untested = {option for option in RULES if not any(name.startswith(f"test_{option}") for name in globals())}
    assert untested == {"first_player"}
