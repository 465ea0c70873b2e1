"""The reference model of Re;ACT alone: cards laid face down. Rule ids as in the rules of the game."""

from __future__ import annotations

import pytest

from tests.reference.arts_of_war import END_TURN, FACE_DOWN, OPTION, PASS, SLOT, ReferenceGame
from tests.reference.kits import AUGUR, INKER
from tests.reference.positions import (
    ABILITY_INTENTION,
    ABILITY_REACTION,
    FLOWING_INK,
    FORWARD,
    INTENTION,
    REACTION,
    SUMMONING_INK,
    all_pass,
    since,
    start,
    with_do,
    zone_id,
)

FORESIGHT, SNARE, DOOM, GATHER = range(4)


def augury(game: ReferenceGame, hand: list[int], theirs: list[int] | None = None) -> None:
    game.players[0].hand[:] = hand
    game.players[1].hand[:] = theirs or [0, 0, 0, 0]
    for player in game.players:
        player.deck[:] = [1, 1, 1, 1]
    game.players[1].artist.exhausted = True


def test_laying_cards_face_down() -> None:
    """Before a chain, at most two cards with a Reaction may be laid in slots 2 to 5; only the owner sees which they are. AW-I1"""
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
    """Once the card before it is paid for, the face-down card is declared, paid for and played as a Reaction. AW-C4"""
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
    """A face-down card is declared and paid for when it is revealed, from the hand as it is then. AW-C3"""

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
    """A card that cannot be paid for is discarded; the window opens as if it had not been there, and its slot is next again."""
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
    """Whoever lays a card in the window decides again; the card may go into any empty slot after the next one to be filled."""
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
    """Face-down cards are taken back after everything that the chain's last effect has done."""
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
    """AW-C5: even if a face-down card fills it."""

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
    """AW-I2: a player who can still lay a card is asked, and the log does not call the pass forced."""

    def arrange(game: ReferenceGame) -> None:
        augury(game, [0, 0, 1, 0], [0, 1, 0, 0])
        game.players[0].artist.exhausted = True

    game = start(arrange, (AUGUR, INKER), turn_player=1, rules={"forced_passes": "announced"})
    game.step(INTENTION + SUMMONING_INK)
    assert game.to_play == 0 and game.legal_actions() == [PASS, FACE_DOWN + DOOM]
    game.step(PASS)
    assert game.log[1:3] == ["player_0 passes", "player_1 cannot react"]
