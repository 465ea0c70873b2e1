"""Card files: the public facts of the kits and the printed text.

The golden pages are written anew by `python -m tests.arts_of_war.test_cards`.
"""

import io
from pathlib import Path
from typing import Any

import pytest
import yaml
from rich.console import Console

from react_env.errors import OptionError
from react_env.games.arts_of_war.cards import artists, load_artist
from react_env.games.arts_of_war.cards.operations import COSTS, PARTS, words_in
from react_env.games.arts_of_war.cards.printer import artist_page
from react_env.games.arts_of_war.cards.schema import Marked
from react_env.games.arts_of_war.cards.wording import effect_text
from react_env.games.arts_of_war.rules import EDITIONS
from tests.arts_of_war.kits import GOLDEN, TEST_ARTISTS, effect, effects_of, everyone, page_text, raw, read, words

# ---------------------------------------------------------------------- the two kits


def test_public_facts_of_the_calligrapher() -> None:
    """AW-U12, AW-M9, AW-S3, AW-U10: everything that is public about her; what only an example of play shows is derived from it."""
    artist = load_artist("calligrapher")
    assert artist.name == "Calligrapher"
    assert [(kind.name, kind.count) for kind in artist.summons.values()] == [("Sealbrush Spirit", 4)]
    ink, block = artist.tokens["ink"], artist.tokens["block"]
    assert (ink.name, ink.place, ink.stacks, ink.lasts) == ("Ink", "unit", False, "game")
    assert (block.place, block.lasts, block.blocks_damage) == ("zone", "turn", True)
    assert words(artist, "sealbrush_spirit", 1) == (
        "Exhaust this Sealbrush Spirit and choose an adjacent zone. / If this Sealbrush Spirit has Ink, deal 1 damage to the chosen zone."
    )
    assert effect(artist, "sealbrush_spirit", 1).kind == "intention"
    assert words(artist, "flowing_ink") == (
        "Choose a direction. / Give Ink to a unit of your choice, then move that unit 1 zone in the chosen direction."
    )
    assert effect(artist, "flowing_ink").kind == "reaction"
    assert words(artist, "summoning_ink").startswith(
        " / Give Ink to a unit of your choice, then summon a Sealbrush Spirit"
    )
    first, _, respite = artist.abilities
    assert [item.kind for item in first.effects] == ["intention", "intention"]
    assert ["progress" in words_in(item.do) for item in first.effects] == [True, False]
    assert (respite.name, respite.unit) == ("Sheathing Respite", "none")
    for card, number in (("flowing_ink", 0), ("sealbrush_spirit", 1)):
        assert set(effect(artist, card, number).provenance.values()) == {"derived"}


def test_public_facts_of_the_dancer() -> None:
    """AW-U3, AW-U4: everything that is public about her; what only an example of play shows is derived from it."""
    artist = load_artist("dancer")
    scale = artist.tokens["scale"]
    assert (scale.name, scale.place, scale.stacks) == ("Scale", "zone", True)
    assert scale.at is not None and scale.at.count == 3
    assert artist.summons["fish"].name == "Dancing Fish"
    assert "summon a Dancing Fish in that zone, then remove all Scale tokens from that zone" in page_text(artist, 400)
    passive = artist.passives[0]
    assert (passive.when, passive.where.side, passive.where.kind) == ("unit_moved", "mine", "artist")  # type: ignore[union-attr]
    assert words(artist, "pivoting_step") == " / Swap the Dancer with an adjacent unit of your choice."
    assert effect(artist, "pivoting_step").kind == "reaction" and not effect(artist, "pivoting_step").cost
    calling = words(artist, "calling_step")
    assert calling.startswith(" / Move each other unit in the row or column of the Dancer")
    assert calling.endswith("Jump the Dancer in a direction of your choice.")
    assert any("progress" in words_in(item.do) for item in artist.abilities[0].effects)
    assert set(effect(artist, "pivoting_step").provenance.values()) == {"derived"}


def test_no_block_is_stated() -> None:
    """Sources say what Blocks do, but do not name any artist that has them (AW-U10)."""
    blocks = [token for name in artists() for token in load_artist(name).tokens.values() if token.blocks_damage]
    assert len(blocks) == 5 and not any("stated" in block.provenance.values() for block in blocks)


SHIPPED = sorted(path for folder in ("standard", "small") for path in (EDITIONS / folder).glob("*.yaml"))


@pytest.mark.rule("AW-C10")
@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_no_choice_is_narrower_than_the_rules(path: Path) -> None:
    """A zone may be chosen in vain: one with a unit to summon into, one with a tile to lay another on."""
    narrow = []

    def look(node: Any, mark: str) -> None:
        if isinstance(node, list):
            for item in node:
                look(item, mark)
        elif isinstance(node, dict):
            if {"as", "where"} <= set(node) and mark != "stated":
                narrow.extend((node, key) for key in ("occupied", "tile") if node["where"].get(key) is False)
                narrow.extend((node, key) for key in ("exhausted", "no_token") if key in node["where"])
            marks = node.get("provenance", {})
            for key, value in node.items():
                look(value, marks.get(key, mark) if isinstance(marks, dict) else mark)

    look(yaml.safe_load(path.read_text(encoding="utf-8")), "")
    assert not narrow


@pytest.mark.parametrize("name", artists())
def test_every_field_of_a_standard_kit_says_where_it_comes_from(name: str) -> None:
    groups = {"summons", "counters", "tokens", "tiles", "passives", "actions", "abilities", "effects", "ascended"}

    def check(item: Any, where: str) -> None:
        if isinstance(item, Marked):
            fields = {type(item).model_fields[field].alias or field for field in item.model_fields_set}
            assert fields - groups - {"provenance", "format", "id"} <= set(item.provenance), where
            for field in groups & fields:
                inner = getattr(item, field)
                for number, entry in enumerate(
                    inner.values() if isinstance(inner, dict) else inner if isinstance(inner, list) else [inner]
                ):
                    check(entry, f"{where}, {field} {number}")

    artist = load_artist(name)
    assert artist.id == name
    check(artist, name)


def test_the_decks_are_thirty_cards_of_four_kinds() -> None:
    """AW-S3."""
    for name in artists():
        copies = [card.copies for card in load_artist(name).actions]
        assert not copies or (len(copies) == 4 and sum(copies) == 30)


def test_the_artists_of_the_tests_use_what_the_kits_do_not() -> None:
    """Together the artists use every part of the language."""
    parts, costs, keys, conditions, moments, modes = set(), set(), set(), set(), set(), set()

    def look(node: Any) -> None:
        if isinstance(node, dict):
            for key, value in node.items():
                if key in ("where", "zones", "units", "is", "holds", "touching") and isinstance(value, dict):
                    keys.update(value)
                if key in ("if", "require"):
                    conditions.add(tuple(sorted(value)))
                if key in ("cost", "do", "then", "else", "may", "on_enter", "on_cue") and isinstance(value, list):
                    (costs if key == "cost" else parts).update(
                        part if isinstance(part, str) else next(iter(part)) for part in value
                    )
                if key == "choose_one":
                    parts.update(
                        part if isinstance(part, str) else next(iter(part)) for branch in value for part in branch
                    )
                if key == "mode" and value not in ("stated", "derived", "designed"):
                    modes.add(value)
                if key == "when" and value not in ("stated", "derived", "designed"):
                    moments.add(value)
                look(value)
        elif isinstance(node, list):
            for value in node:
                look(value)

    for name in TEST_ARTISTS:
        look(raw(name))
    assert parts == {kind.key() for kind in PARTS}
    assert costs == {kind.key() for kind in COSTS}
    assert keys == {
        *("side", "kind", "token", "no_token", "adjacent_to", "diagonal_to", "touching", "in_line_with", "within"),
        *("other_than", "exhausted", "occupied", "at_least", "tile", "holds"),
    }
    assert {("is", "unit"), ("is", "zone"), ("units",), ("at_least", "units"), ("at_least", "zones")} <= conditions
    assert {("at_least", "counter"), ("ascended",), ("form",)} <= conditions
    assert modes == {"until_used", "immediate", "becomes"}
    assert moments == {
        "setup",
        "start_of_my_turn",
        "start_of_every_turn",
        "end_of_my_turn",
        "end_of_every_turn",
        "unit_moved",
        "instead_of_draw",
    }


# ---------------------------------------------------------------------- printed text


@pytest.mark.parametrize("name", [*artists(), *TEST_ARTISTS])
def test_pages(name: str) -> None:
    """The page of an artist, word for word."""
    assert page_text(everyone()[name]) == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*artists(), *TEST_ARTISTS])
def test_texts_are_whole_sentences(name: str) -> None:
    artist = everyone()[name]
    for card, item in effects_of(artist):
        for text in effect_text(artist, card, item):
            assert not text or (text[0].isupper() and text.endswith(".") and "  " not in text and "None" not in text), (
                text
            )


def test_a_page_in_colour() -> None:
    console = Console(file=io.StringIO(), width=100, color_system="truecolor", force_terminal=True)
    console.print(artist_page(load_artist("dancer")))
    assert isinstance(console.file, io.StringIO)
    assert "Pivoting Step" in console.file.getvalue()
    with pytest.raises(OptionError):
        load_artist("poet")


def test_names_are_not_markup() -> None:
    """Text that looks like markup of the terminal is printed as it stands."""
    kit = raw("dancer")
    kit["actions"][0]["name"] = "[red]Step[/red]"
    assert "[red]Step[/red] x9" in page_text(read(kit))


def write_golden() -> None:
    GOLDEN.mkdir(exist_ok=True)
    for name, artist in everyone().items():
        (GOLDEN / f"{name}.txt").write_text(page_text(artist), encoding="utf-8")


if __name__ == "__main__":
    write_golden()
