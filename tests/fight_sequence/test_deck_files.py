"""Valid deck files: what they mean, the installed one, and that no source names a card of theirs."""

from pathlib import Path

import pytest

import react_env
from react_env.errors import CardError
from react_env.games.fight_sequence.deck_files import DECKS, DeckFile, decks, load_deck, parse_deck
from react_env.games.fight_sequence.rules import RulesConfig
from tests.conftest import DECKS as TEST_DECKS
from tests.sources import assert_no_source_names

RULES = RulesConfig()
SOUND = (DECKS / "academy_default.yaml").read_text(encoding="utf-8")


def parse(text: str) -> DeckFile:
    return parse_deck(text, "deck.yaml", RULES)


def test_the_installed_deck() -> None:
    """The deck agrees with the rules file's table of the default set: how many of each kind of response, what is public, and the curve."""
    assert decks() == ("academy_default",)
    deck = load_deck("academy_default", RULES)
    assert sum(card.copies for card in deck.cards) == 40 and len(deck.cards) == 20
    counts: dict[str, int] = {}
    for card in deck.cards:
        text = card.response_text()
        counts[text] = counts.get(text, 0) + card.copies
    assert counts == {
        "Armor +3": 8,
        "Resistance +3": 8,
        "physical block": 6,
        "magical block": 8,
        "Willpower": 8,
        "Shift [range 1]": 2,
    }
    for card in deck.cards:
        given = {"name", "copies", "speed", "power", "type", "response"}
        if card.effect is not None:
            given |= {"effect", "timing"}
        assert given <= set(card.provenance), f"{card.name}: every field says where it comes from"
        assert card.provenance["copies"] == "designed"
        if card.effect is None and card.name != "Push":
            assert card.speed // 10 + card.power == 7, card.name


KNOWN = {
    "Downswing": (20, 5, "physical"),
    "Lunge": (30, 4, "physical"),
    "Slash": (40, 3, "physical"),
    "Thrust": (50, 2, "physical"),
    "Missile": (40, 3, "magical"),
    "Blast": (20, 5, "magical"),
    "Divert": (30, 3, "magical"),
    "Flare": (30, 3, "magical"),
    "Fireball": (10, 6, "magical"),
    "Gale Force": (20, 4, "physical"),
    "Jab": (60, 1, "physical"),
}


@pytest.mark.parametrize("name", KNOWN)
def test_what_the_rulebook_lets_know_of_a_card(name: str) -> None:
    card = next(card for card in load_deck("academy_default", RULES).cards if card.name == name)
    assert (card.speed, card.power, card.type) == KNOWN[name]


@pytest.mark.parametrize("name", ["every_effect", "short"])
def test_decks_of_the_tests(name: str) -> None:
    deck = load_deck(TEST_DECKS / f"{name}.yaml", RulesConfig(deck_size=12) if name == "short" else RULES)
    assert deck.id == name


def test_a_byte_order_mark_and_other_line_ends_are_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "marked.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + SOUND.encode())
    installed = load_deck("academy_default", RULES)
    assert load_deck(file, RULES) == installed == parse(SOUND.replace("\n", "\r\n"))


def test_the_order_of_the_cards_and_the_version_belong_to_the_rules(tmp_path: Path) -> None:
    """Another file is another game: its states and replays are not mixed up with those of this one."""
    hashes = {react_env.load("fight_sequence-v0").rules_hash}
    for number, text in enumerate(
        (SOUND.replace("version: 1", "version: 2", 1), SOUND.replace("name: Academy", "name: Akademie", 1))
    ):
        file = tmp_path / f"deck_{number}.yaml"
        file.write_text(text, encoding="utf-8")
        hashes |= {
            react_env.load("fight_sequence-v0", decks=file).rules_hash,
            react_env.load("fight_sequence-v0", decks=("academy_default", file)).rules_hash,
        }
    assert len(hashes) == 5


def test_one_name_or_two(tmp_path: Path) -> None:
    game = react_env.load("fight_sequence-v0", decks="academy_default")
    assert game.rules_hash == react_env.load("fight_sequence-v0", decks=["academy_default"] * 2).rules_hash
    assert game.rules_hash == react_env.load("fight_sequence-v0").rules_hash and not game.options
    file = tmp_path / "copy.yml"
    file.write_text(SOUND, encoding="utf-8")
    assert react_env.load("fight_sequence-v0", decks=str(file)).options["decks"] == [str(file)] * 2


@pytest.mark.parametrize(("size", "other"), [(10, 11), (12, 40), (40, 39)])
def test_the_deck_size_is_an_option(size: int, other: int) -> None:
    card = f"{{name: Only, copies: {size}, speed: 10, power: 1, type: physical, response: willpower}}"
    text = f"format: 1\nid: one\nname: One\nversion: 1\ncards: [{card}]\n"
    assert parse_deck(text, "one.yaml", RulesConfig(deck_size=size)).cards[0].copies == size
    with pytest.raises(CardError, match=f"{size} cards with all copies; the option deck_size needs {other}"):
        parse_deck(text, "one.yaml", RulesConfig(deck_size=other))


def test_no_source_names_a_card() -> None:
    assert_no_source_names({card.name for card in load_deck("academy_default", RULES).cards})
