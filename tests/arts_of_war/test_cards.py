"""Card files: the public facts of the two kits, what is refused and how it is explained, the compiled tables, the printed text.

The golden pages are written anew by `python -m tests.arts_of_war.test_cards`.
"""

import copy
import io
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from rich.console import Console

from react_env.errors import CardError, OptionError, ReactEnvError
from react_env.games.arts_of_war import state as s
from react_env.games.arts_of_war.cards import Artist, artists, compile_tables, load_artist, parse_artist
from react_env.games.arts_of_war.cards.compiler import FAR
from react_env.games.arts_of_war.cards.printer import card_text, print_artist
from react_env.games.arts_of_war.cards.schema import COST_NAMES, PART_NAMES, Effect, Marked
from react_env.games.arts_of_war.cards.wording import effect_text
from react_env.games.arts_of_war.rules import EDITIONS, RulesConfig, editions, load_rules, middle_starts, zone_number

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
TEST_ARTISTS = {
    name: HERE / "editions" / f"{name}.yaml" for name in ("mason", "herald", "scribe", "clockmaker", "oracle")
}
Kit = dict[str, Any]


def raw(name: str) -> Kit:
    file = TEST_ARTISTS.get(name, EDITIONS / "standard" / f"{name}.yaml")
    data: Kit = yaml.safe_load(file.read_text(encoding="utf-8"))
    return data


def read(data: Kit, **options: bool) -> Artist:
    return parse_artist(json.dumps(data, indent=1), "kit.yaml", **options)  # JSON is YAML


@cache
def everyone() -> dict[str, Artist]:
    return {name: load_artist(name) for name in artists()} | {
        name: load_artist(path) for name, path in TEST_ARTISTS.items()
    }


def effect(artist: Artist, card: str, number: int = 0) -> Effect:
    return next(item for item in [*artist.actions, *artist.abilities] if item.id == card).effects[number]


def words(artist: Artist, card: str, number: int = 0) -> str:
    of = next(item for item in [*artist.actions, *artist.abilities] if item.id == card)
    return " / ".join(effect_text(artist, of, of.effects[number]))


# ------------------------------------------------------------------------------------------------------- the two kits


def test_public_facts_of_the_calligrapher() -> None:
    """AW-U12, AW-M9, AW-S3, AW-U10: everything that is public about her, and marked as stated."""
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
    assert ["progress" in item.do for item in first.effects] == [True, False]
    assert (respite.name, respite.unit) == ("Sheathing Respite", "none")
    for card, number in (("flowing_ink", 0), ("sealbrush_spirit", 1)):
        assert set(effect(artist, card, number).provenance.values()) == {"stated"}


def test_public_facts_of_the_dancer() -> None:
    """AW-U3, AW-U4: everything that is public about her, and marked as stated."""
    artist = load_artist("dancer")
    scale = artist.tokens["scale"]
    assert (scale.name, scale.place, scale.stacks) == ("Scale", "zone", True)
    assert scale.at is not None and scale.at.count == 3
    assert artist.summons["fish"].name == "Dancing Fish"
    assert "summon a Dancing Fish in that zone, then remove all Scale tokens from that zone" in card_text(artist, 400)
    passive = artist.passives[0]
    assert (passive.when, passive.where.side, passive.where.kind) == ("unit_moved", "mine", "artist")  # type: ignore[union-attr]
    assert words(artist, "pivoting_step") == " / Swap the Dancer with an adjacent unit of your choice."
    assert effect(artist, "pivoting_step").kind == "reaction" and not effect(artist, "pivoting_step").cost
    calling = words(artist, "calling_step")
    assert calling.startswith(" / Move each unit in the row or column of the Dancer")
    assert calling.endswith("Jump the Dancer in a direction of your choice.")
    assert any("progress" in item.do for item in artist.abilities[0].effects)
    assert set(effect(artist, "pivoting_step").provenance.values()) == {"stated"}


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
    assert parts == set(PART_NAMES)
    assert costs == set(COST_NAMES)
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


# --------------------------------------------------------------------------------------------------------- what is refused


def _set(*path: str | int, value: Any) -> Callable[[Kit], None]:
    def change(kit: Kit) -> None:
        here: Any = kit
        for key in path[:-1]:
            here = here[key]
        here[path[-1]] = value

    return change


def _drop(*path: str | int) -> Callable[[Kit], None]:
    def change(kit: Kit) -> None:
        here: Any = kit
        for key in path[:-1]:
            here = here[key]
        del here[path[-1]]

    return change


FLOWING = ("actions", 0, "effects", 0)
STROKE = ("actions", 2, "effects", 0)
STUDY = ("abilities", 0, "effects", 0)
RESPITE = ("abilities", 2, "effects", 0)

REFUSED: dict[str, tuple[Callable[[Kit], None], tuple[str, ...]]] = {
    "unknown part": (
        _set(*FLOWING, "do", 1, value={"paint": "it"}),
        ("action card 1 'flowing_ink'", "effect 1", "do part 2", "'paint'", "add_token", "for_each", "progress"),
    ),
    "unknown word": (
        _set(*STUDY, "do", 0, value="progres"),
        ("ability card 1 'scribe'", "'progres'", "progress", "descend"),
    ),
    "unknown cost part": (
        _set(*FLOWING, "cost", 0, value={"bribe": 1}),
        ("cost part 1", "'bribe'", "exhaust", "discard", "pay", "sacrifice", "require"),
    ),
    "unknown field": (_set(*FLOWING, "speed", value=3), ("'flowing_ink', effect 1", "'speed'", "kind, cost, do")),
    "unknown key of a selection": (
        _set(*FLOWING, "do", 0, "choose_unit", "where", value={"colour": "red"}),
        ("do part 1 (choose_unit)", "where", "'colour'", "side, kind, token"),
    ),
    "missing field": (_drop("actions", 1, "copies"), ("action card 2 'summoning_ink'", "'copies' is missing")),
    "wrong type": (_set("actions", 0, "copies", value="eight"), ("'flowing_ink'", "copies", "integer", "'eight'")),
    "number for a word": (_set("name", value=7), ("field 'name'", "string", "7")),
    "yes for a number": (_set("tokens", "ink", "pool", value=True), ("token 'ink'", "pool", "integer", "True")),
    "another format": (_set("format", value=2), ("format", "1", "2")),
    "kind of effect": (_set(*FLOWING, "kind", value="action"), ("'intention' or 'reaction'", "'action'")),
    "deck not 30": (_set("actions", 0, "copies", value=9), ("31 cards", "flowing_ink 9", "exactly 30")),
    "three action cards": (_drop("actions", 3), ("3 different action cards", "exactly 4", "without a deck")),
    "twice the same card": (
        _set("actions", 1, "name", value="Flowing Ink"),
        ("action card 2", "name", "'Flowing Ink'"),
    ),
    "four effects": (
        lambda kit: kit["actions"][0].update(effects=kit["actions"][0]["effects"] * 4),
        ("'flowing_ink'", "effects", "4 entries", "at most 3"),
    ),
    "unknown variable": (
        _set(*FLOWING, "do", 2, "move", "unit", value="them"),
        ("do part 3 (move)", "unit", "'them'", "me (unit)", "way (direction)", "it (unit)"),
    ),
    "me of a card without a unit": (
        _set(*RESPITE, "do", 0, "add_token", "to", value="me"),
        ("ability card 3 'sheathing_respite'", "'me'", "in scope: it (unit)"),
    ),
    "variable of another kind": (
        _set(*FLOWING, "do", 1, value={"exhaust": "way"}),
        ("do part 2 (exhaust)", "'way' is a direction", "needs a unit"),
    ),
    "name used twice": (
        _set(*FLOWING, "do", 1, value={"choose_unit": {"as": "it", "where": {}}}),
        ("do part 2", "'it' is already used"),
    ),
    "variable of a branch used after it": (
        _set(*FLOWING, "do", 0, value={"may": [{"choose_unit": {"as": "it", "where": {}}}]}),
        ("do part 2 (add_token)", "unknown variable 'it'"),
    ),
    "four units": (
        _set(*FLOWING, "do", value=[{"choose_unit": {"as": name, "where": {}}} for name in ("a", "b", "c", "d")]),
        ("do part 4", "no room for unit 'd'", "at most 3 (a, b, c)"),
    ),
    "three zones": (
        _set(*FLOWING, "do", value=[{"choose_zone": {"as": name, "where": {}}} for name in ("a", "b", "c")]),
        ("do part 3", "no room for zone 'c'", "at most 2"),
    ),
    "two directions": (
        _set(*FLOWING, "do", 0, value={"choose_direction": "other"}),
        ("no room for direction 'other'", "at most 1"),
    ),
    "unknown token": (_set(*FLOWING, "do", 1, "add_token", "token", value="blood"), ("'blood'", "known: ink, block")),
    "unknown summon": (
        _set("actions", 1, "effects", 0, "do", 3, "summon", "kind", value="ghost"),
        ("'summoning_ink'", "do part 4 (summon)", "'ghost'", "known: spirit"),
    ),
    "unknown tile": (
        _set(*STROKE, "do", 0, value={"place_tile": {"tile": "mural", "zone": "target"}}),
        ("'bleeding_stroke'", "unknown tile 'mural'", "known: none"),
    ),
    "unknown unit of a card": (_set("abilities", 1, "unit", value="ghost"), ("'ghost'", "artist, none, spirit")),
    "unknown kind": (
        _set(*FLOWING, "do", 0, "choose_unit", "where", value={"kind": "ghost"}),
        ("'ghost'", "artist, summon, spirit"),
    ),
    "their Spirits": (
        _set(*FLOWING, "do", 0, "choose_unit", "where", value={"kind": "spirit", "side": "theirs"}),
        ("'spirit'", "never matches", "mine"),
    ),
    "unit token in a zone": (
        _set(*STROKE, "do", 0, value={"add_token": {"token": "ink", "to": "target"}}),
        ("do part 1 (add_token)", "'ink' lies on units", "'target' is a zone"),
    ),
    "zone with a unit token": (
        _set(*STROKE, "cost", 0, "choose_zone", "where", value={"token": "ink"}),
        ("cost part 1 (choose_zone)", "'ink' lies on units", "holds", "zone tokens: block"),
    ),
    "at_least without a token": (
        _set(*STROKE, "cost", 0, "choose_zone", "where", value={"at_least": 2}),
        ("at_least", "needs token"),
    ),
    "Block on a unit": (_set("tokens", "block", "place", value="unit"), ("token 'block'", "zone")),
    "count on a unit": (
        _set("tokens", "ink", "at", value={"count": 2, "do": ["progress"]}),
        ("token 'ink'", "place: zone"),
    ),
    "count that never is": (
        _set("tokens", "block", "at", value={"count": 2, "do": ["progress"]}),
        ("token 'block'", "never"),
    ),
    "damage to two things": (
        _set(*STROKE, "do", 0, value={"damage": {"zone": "target", "units": {}}}),
        ("do part 1 (damage)", "exactly one of: zone, zones, units"),
    ),
    "swap with itself": (
        _set("actions", 3, "effects", 0, "do", 1, "swap", "with", value="me"),
        ("'ink_shadow'", "'me' cannot be swapped with itself"),
    ),
    "nested for_each": (
        _set(
            *FLOWING,
            "do",
            value=[
                {
                    "for_each": {
                        "unit": "a",
                        "where": {},
                        "do": [{"for_each": {"unit": "b", "where": {}, "do": ["progress"]}}],
                    }
                }
            ],
        ),
        ("for_each", "inside another for_each"),
    ),
    "unit of a loop after it": (
        _set(*FLOWING, "do", value=[{"for_each": {"unit": "a", "where": {}, "do": ["progress"]}}, {"exhaust": "a"}]),
        ("do part 2 (exhaust)", "unknown variable 'a'"),
    ),
    "way": (
        _set(*FLOWING, "do", 2, "move", "way", value={"up": 1}),
        ("do part 3 (move)", "toward", "away_from"),
    ),
    "condition": (
        _set(*STROKE, "do", 0, "if", value={"always": True}),
        ("condition", "{unit: VAR, is: UNITS}", "{zones: ZONES, at_least: n}"),
    ),
    "one choice": (
        _set(*FLOWING, "do", value=[{"choose_one": [["progress"]]}]),
        ("choose_one", "1 entries", "at least 2"),
    ),
    "empty effect": (_set(*FLOWING, "do", value=[]), ("'flowing_ink'", "do", "at least 1")),
    # Costs that cannot be told to be payable before they are paid.
    "exhaust of another unit": (
        _set(*RESPITE, "cost", 1, value={"exhaust": "it"}),
        ("cost part 2 (exhaust)", "'it'", "allowed: me"),
    ),
    "exhaust twice": (_set(*STUDY, "cost", value=[{"exhaust": "me"}] * 2), ("cost part 2", "twice")),
    "token that may not be there": (
        _set(*RESPITE, "cost", 0, "choose_unit", "where", value={"side": "mine"}),
        ("cost part 2 (remove_token)", "`token: ink` in `where`"),
    ),
    "filtered choice from a choice": (
        _set(*RESPITE, "cost", 1, value={"choose_zone": {"as": "z", "where": {"adjacent_to": "it", "occupied": True}}}),
        ("cost part 2 (choose_zone)", "adjacent_to", "no other key"),
    ),
    "unit from a choice": (
        _set(*RESPITE, "cost", 1, value={"choose_unit": {"as": "u", "where": {"adjacent_to": "it"}}}),
        ("cost part 2 (choose_unit)", "choose_zone"),
    ),
    # Summons, passives, the artist ability card.
    "eight summons": (_set("summons", "spirit", "count", value=8), ("summon kind 'spirit'", "count", "7", "8")),
    "eight summons of two kinds": (
        _set("summons", "ghost", value={"name": "Ghost", "count": 4}),
        ("8 units", "allowed: 7"),
    ),
    "four kinds of token": (
        lambda kit: kit["tokens"].update({name: {**kit["tokens"]["ink"], "name": name} for name in ("a", "b")}),
        ("field 'tokens'", "4 entries", "at most 3"),
    ),
    "kind with a reserved id": (
        _set("summons", "artist", value={"name": "Other", "count": 1}),
        ("summon kind 'artist'", "another id"),
    ),
    "passive with a choice of units": (
        _set(
            "passives", value=[{"name": "P", "when": "unit_moved", "where": {"adjacent_to": "me"}, "do": ["progress"]}]
        ),
        ("passive 1 'P'", "where", "side, kind, token"),
    ),
    "where without movement": (
        _set("passives", value=[{"name": "P", "when": "start_of_my_turn", "where": {}, "do": ["progress"]}]),
        ("passive 1 'P'", "only unit_moved", "start_of_my_turn"),
    ),
    "moment": (
        _set("passives", value=[{"name": "P", "when": "always", "do": ["progress"]}]),
        ("passive 1 'P'", "'start_of_my_turn'", "'unit_moved'", "'always'"),
    ),
    "many passives of movement": (
        _set("passives", value=[{"name": f"P{n}", "when": "unit_moved", "do": ["progress"]} for n in range(3)]),
        ("3 passives", "P0, P1, P2", "allowed: 2"),
    ),
    "first ability card": (
        _set("abilities", 0, "unit", value="none"),
        ("ability card 1 'scribe'", "'none'", "allowed: artist"),
    ),
    "one effect": (_drop("abilities", 0, "effects", 1), ("at least two effects", "AW-M9")),
    "no progress": (_set(*STUDY, "do", 0, value="descend"), ("progress", "AW-M9")),
    "no other side": (_drop("abilities", 0, "ascended"), ("ability card 1 'scribe'", "'ascended' is missing")),
    "two other sides": (
        lambda kit: kit["abilities"][1].update(ascended=kit["abilities"][0]["ascended"]),
        ("ability card 2 'sealbrush_spirit', ascended side", "only the first"),
    ),
    "ascended mode": (_set("abilities", 0, "ascended", "mode", value="once"), ("ascended", "until_used, immediate")),
    "immediate without descend": (
        _set("abilities", 0, "ascended", value={"mode": "immediate", "name": "Now", "do": ["descend", "progress"]}),
        ("ascended side", "must end with `descend`"),
    ),
    "named effect of another card": (
        _set("abilities", 1, "effects", 0, "name", value="Dab"),
        ("'sealbrush_spirit', effect 1", "name"),
    ),
    "mark": (
        _set("provenance", "name", value="rumoured"),
        ("provenance", "'stated', 'derived' or 'designed'", "'rumoured'"),
    ),
    "mark of nothing": (
        _set("provenance", "age", value="stated"),
        ("provenance of unknown field 'age'", "name, concept"),
    ),
    "name with a line break": (_set("name", value="Two\nLines"), ("field 'name'", "pattern")),
    # AW-C14.
    "free ability": (
        _set(*STUDY, "cost", value=[]),
        ("ability card 1 'scribe', effect 1", "AW-C14", "nothing in its cost", "exhaust, discard, remove_token"),
    ),
    "token that comes back": (
        lambda kit: kit["abilities"][2]["effects"][0].update(
            kind="intention", do=[{"add_token": {"token": "ink", "to": "it"}}]
        ),
        ("'sheathing_respite'", "AW-C14", "the Ink that it takes can be put back by", "Sheathing Respite"),
    ),
    "unit that refreshes itself": (
        _set(*STUDY, "do", value=["progress", {"refresh": "me"}]),
        ("'scribe', effect 1", "AW-C14", "made ready again by Scribe [1]"),
    ),
    "two that refresh each other": (
        lambda kit: (
            kit["abilities"][0]["effects"][1].update(
                do=[{"choose_unit": {"as": "it", "where": {"kind": "spirit"}}}, {"refresh": "it"}]
            ),
            kit["abilities"][1]["effects"][0].update(
                do=[{"choose_unit": {"as": "it", "where": {"kind": "artist"}}}, {"refresh": "it"}]
            ),
        ),
        ("AW-C14", "Sealbrush Spirit [1]"),
    ),
    "free reaction that refreshes": (
        lambda kit: kit["abilities"][2]["effects"][0].update(
            cost=[], do=[{"choose_unit": {"as": "it", "where": {"side": "mine"}}}, {"refresh": "it"}]
        ),
        ("AW-C14", "made ready again by Sheathing Respite"),
    ),
    "passive that refreshes whoever moves": (
        _set(
            "passives",
            value=[{"name": "Wind", "when": "unit_moved", "where": {"side": "mine"}, "do": [{"refresh": "unit"}]}],
        ),
        ("AW-C14", "Scribe [2]"),
    ),
    "too much of everything": (
        _set(*STUDY, "do", value=["progress"] * 400),
        ("too large", "rows of code", "allowed: 319"),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_used_is_refused_with_an_explanation(case: str) -> None:
    """AW-C14, AW-M9, AW-M10, AW-S3: the message names the file, the card, the field, and what would be allowed."""
    change, named = REFUSED[case]
    kit = copy.deepcopy(raw("scribe"))
    change(kit)
    with pytest.raises(CardError) as refusal:
        read(kit)
    message = str(refusal.value)
    assert message.startswith("kit.yaml: ")
    for part in named:
        assert part in message, f"{part!r} is not in {message!r}"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("id: x\nname: [1, 2\n", "line 3"),
        ("id: x\nid: y\n", "line 2: not valid YAML: key 'id' is given twice"),
        ("a: &x [1]\nb: *x\n", "line 2: not valid YAML: aliases are not allowed"),
        ("a: !!python/object/apply:os.getcwd []\n", "line 1: not valid YAML"),
        ("[1, 2]: x\n", "line 1"),
        ("- a\n- b\n", "is a mapping with the keys"),
        ("", "is a mapping with the keys"),
        ("a: " + "[" * 5000, "nested too deeply"),
        ("a: \x00", "not valid YAML"),
        ("a: 2024-99-99", "not valid YAML"),
    ],
)
def test_broken_yaml_is_named_with_its_line(text: str, named: str) -> None:
    with pytest.raises(CardError) as refusal:
        parse_artist(text, "kit.yaml")
    assert str(refusal.value).startswith("kit.yaml") and named in str(refusal.value)


def test_endless_abilities_are_allowed_on_request() -> None:
    """AW-C14 is a field of the rules: allow_unbounded_abilities."""
    kit = raw("scribe")
    kit["abilities"][0]["effects"][0]["cost"] = []
    assert read(kit, allow_unbounded_abilities=True).abilities[0].effects[0].cost == []


@pytest.mark.parametrize(
    "change",
    [
        lambda kit: kit["abilities"][2]["effects"][0].update(
            kind="intention"
        ),  # takes Ink, which only exhausting gives
        lambda kit: kit["abilities"][0]["effects"][0].update(cost=[{"discard": 1}], do=["progress", {"refresh": "me"}]),
        lambda kit: kit["abilities"][0]["effects"][1].update(  # the artist refreshes Spirits, which refresh nobody
            do=[{"choose_unit": {"as": "it", "where": {"kind": "spirit"}}}, {"refresh": "it"}]
        ),
        lambda kit: kit["actions"][3]["effects"][0]["do"].append({"refresh": "me"}),  # action cards are used up
        lambda kit: kit.update(passives=[{"name": "Dawn", "when": "start_of_every_turn", "do": [{"refresh": "me"}]}]),
    ],
)
def test_what_ends_is_not_refused(change: Callable[[Kit], None]) -> None:
    """AW-C14 refuses no more than it must."""
    kit = raw("scribe")
    change(kit)
    read(kit)


def test_unknown_artists_and_files(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="unknown artist 'poet'; edition standard has: .*calligrapher, dancer"):
        load_artist("poet")
    with pytest.raises(OptionError, match="unknown artist '../standard/dancer'"):
        load_artist("../standard/dancer")
    with pytest.raises(OptionError, match="no artist file nowhere.yaml"):
        load_artist("nowhere.yaml")
    with pytest.raises(OptionError, match="unknown edition 'gold'; known: small, standard"):
        load_artist("dancer", "gold")
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CardError, match="binary.yaml: not a text in UTF-8"):
        load_artist(binary)
    huge = tmp_path / "huge.yaml"
    huge.write_bytes(b"#" * 300_000)
    with pytest.raises(CardError, match="huge.yaml: larger than"):
        load_artist(huge)
    custom = tmp_path / "custom.yaml"
    custom.write_text((EDITIONS / "standard" / "dancer.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    assert load_artist(str(custom)) == load_artist(custom) == load_artist("dancer")


def test_an_artist_file_is_what_it_is_read_as() -> None:
    """Nothing is lost between the file and the model."""
    for name in (*artists(), *TEST_ARTISTS):
        data = raw(name)
        assert Artist.model_validate(data).model_dump(by_alias=True, exclude_unset=True) == data


# ------------------------------------------------------------------------------------------------------------------ rules


def test_the_standard_edition_is_the_rulings() -> None:
    """AW-S1, AW-S2, AW-S3, AW-S4, AW-T4, AW-T8, AW-C11 to AW-C14, AW-C16, AW-M3, AW-M5, AW-M6, AW-I2: defaults and edition agree."""
    assert editions() == ("small", "standard")
    assert load_rules() == RulesConfig()
    board = yaml.safe_load((EDITIONS / "standard" / "board.yaml").read_text(encoding="utf-8"))
    assert set(board["rules"]) == set(board["provenance"]) == set(RulesConfig.model_fields)
    for name, field in RulesConfig.model_fields.items():
        assert (field.description or "").startswith("AW-"), name


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"speed": 1}, ("unknown option 'speed'", "max_turns")),
        ({"rows": 6}, ("option rows", "5", "AW-S2")),
        ({"rows": "5"}, ("option rows", "integer")),
        ({"max_turns": 0}, ("option max_turns", "AW-T8")),
        ({"first_player": 2}, ("option first_player", "'random', 0 or 1")),
        ({"allow_mirror": "yes"}, ("option allow_mirror", "boolean")),
        ({"start_zones": ("c1", "c1")}, ("start_zones", "both artists would start in c1")),
        ({"start_zones": ("c1", "c5"), "rows": 4}, ("start_zones", "c5 lies outside")),
        ({"start_zones": ("c1",)}, ("start_zones",)),
        ({"start_zones": ("c1", "z9")}, ("start_zones", "z9")),
    ],
)
def test_impossible_options_are_refused(options: dict[str, Any], named: tuple[str, ...]) -> None:
    with pytest.raises(OptionError) as refusal:
        load_rules(**options)
    for part in named:
        assert part in str(refusal.value)


def test_errors_are_of_one_family() -> None:
    assert (
        issubclass(CardError, ReactEnvError)
        and issubclass(OptionError, ReactEnvError)
        and issubclass(OptionError, ValueError)
    )


# ------------------------------------------------------------------------------------------------------------------ tables


def tables(rules: RulesConfig | None = None, pair: tuple[str, str] = ("calligrapher", "dancer")) -> np.void:
    known = everyone()
    return compile_tables(known[pair[0]], known[pair[1]], rules or RulesConfig())[0]


@pytest.mark.parametrize(("rows", "cols"), [(3, 3), (3, 5), (4, 4), (5, 3), (5, 5)])
def test_geometry(rows: int, cols: int) -> None:
    """AW-S2, AW-U1: a grid with walls, zones counted row by row, orthogonal steps."""
    t = tables(load_rules(rows=rows, cols=cols))
    assert (t["zones"], t["rows"], t["cols"]) == (rows * cols, rows, cols)
    assert list(t["start_zone"]) == [zone_number(name, cols) for name in middle_starts(rows, cols)]
    for zone in range(s.ZONES):
        for way, step in enumerate((cols, 1, -cols, -1)):
            to = t["neighbour"][zone, way]
            if to >= 0:
                assert to == zone + step and t["neighbour"][to, (way + 2) % 4] == zone and t["distance"][zone, to] == 1
        inside = zone < rows * cols
        assert (t["neighbour"][zone] >= 0).any() == inside
        assert t["distance"][zone, zone] == (0 if inside else FAR)
    corners = [zone for zone in range(rows * cols) if (t["neighbour"][zone] >= 0).sum() == 2]
    assert corners == [0, cols - 1, (rows - 1) * cols, rows * cols - 1]
    assert t["distance"][0, rows * cols - 1] == rows + cols - 2


def test_rules_reach_the_tables() -> None:
    t = tables()
    for name in (
        "first_game_hand",
        "sourceless_fizzle",
        "trigger_zones_only",
        "replaced_is_lost",
        "masterpiece_same_side",
    ):
        assert t[name] == 0
    assert (t["check_own_progress_only"], t["announce_forced_passes"], t["first_player"], t["max_turns"]) == (
        0,
        0,
        -1,
        60,
    )
    assert t["full_hand_spares"] == t["ability_once_per_chain"] == t["shared_ability_card"] == 1
    t = tables(
        load_rules(
            first_player=1,
            first_game_hand=True,
            full_hand_spares_deck_out=False,
            max_turns=9,
            sourceless_effects="fizzle",
            ability_once_per_chain=False,
            shared_ability_card=False,
            trigger_order="zones",
            replaced_masterpiece="lost",
            masterpiece_sides="same",
            masterpiece_check="own_progress",
            forced_passes="announced",
        )
    )
    for name in (
        "first_game_hand",
        "sourceless_fizzle",
        "trigger_zones_only",
        "replaced_is_lost",
        "masterpiece_same_side",
    ):
        assert t[name] == 1
    assert (t["check_own_progress_only"], t["announce_forced_passes"], t["first_player"], t["max_turns"]) == (
        1,
        1,
        1,
        9,
    )
    assert t["full_hand_spares"] == t["ability_once_per_chain"] == t["shared_ability_card"] == 0


def test_mirror_matches_need_leave() -> None:
    """AW-S1."""
    with pytest.raises(OptionError, match="AW-S1"):
        tables(pair=("dancer", "dancer"))
    assert tables(load_rules(allow_mirror=True), ("dancer", "dancer"))["card_copies"][1, 0] == 9


def test_cards_and_units_of_the_kits() -> None:
    t = tables()
    assert t["card_exists"].tolist() == [[1] * 7 + [0] * 3, [1] * 6 + [0] * 4]
    assert t["card_copies"].tolist() == [[8, 8, 7, 7] + [0] * 6, [9, 7, 7, 7] + [0] * 6]
    assert t["card_kind"][0].tolist() == [0, 0, 0, 0, 0, 1, -1, -1, -1, -1]
    assert t["slot_kind"].tolist() == [[0, 1, 1, 1, 1, -1, -1, -1], [0, 1, 1, 1, -1, -1, -1, -1]]
    assert t["has_deck"].tolist() == [1, 1]
    assert t["token_at"].tolist() == [[0, 0, 0], [3, 0, 0]]
    assert t["token_blocks"].tolist() == [[0, 1, 0], [0, 0, 0]]
    assert t["ascend_mode"][:, 0].tolist() == [s.ASCEND_LASTING, s.ASCEND_IMMEDIATE]
    assert t["ascend_code"][0].tolist() == [-1, -1]
    assert t["ascend_code"][1, 0] > 0 and t["ascend_code"][1, 1] == -1
    first = t["card_effects"][0, 4]
    assert (first >= 0).sum() == 4
    assert t["effect_side"][first[:4]].tolist() == [s.SIDE_NORMAL] * 2 + [s.SIDE_ASCENDED] * 2
    assert t["effect_number"][first[:4]].tolist() == [0, 1, 0, 1]
    assert (t["effect_side"][t["card_effects"][1, 4, :3]] == s.SIDE_FIRST).all()
    assert t["trigger_event"][1].tolist() == [s.T_MOVED, s.T_START_MINE] + [s.T_NONE] * 4


def test_features_of_cards() -> None:
    t = tables(pair=("scribe", "dancer"))
    flowing = {int(flag) for flag in np.flatnonzero(t["card_features"][0, 0])}
    assert flowing == {s.CF_ACTION, s.CF_REACTION, s.CF_LOCK_WAY, s.CF_TOKEN, s.CF_MOVE}
    respite = {int(flag) for flag in np.flatnonzero(t["card_features"][0, 6])}
    assert respite == {s.CF_REACTION, s.CF_LOCK_UNIT, s.CF_PAYS, s.CF_TOKEN, s.CF_BLOCK}
    artist = {int(flag) for flag in np.flatnonzero(t["card_features"][0, 4])}
    assert artist == {s.CF_INTENTION, s.CF_EXHAUST, s.CF_PROGRESS, s.CF_MOVE, s.CF_TOKEN, s.CF_DAMAGE}


def program(t: np.void, row: int) -> list[list[int]]:
    rows = []
    while True:
        rows.append([int(value) for value in t["code"][row]])
        if rows[-1][0] == s.OP_END:
            return rows
        row += 1


def test_the_code_of_flowing_ink() -> None:
    t = tables(pair=("scribe", "dancer"))
    row = t["card_effects"][0, 0, 0]
    assert program(t, t["effect_cost"][row]) == [[s.OP_CHOOSE_WAY, 0, 0, 0, 0, 0], [s.OP_END, 0, 0, 0, 0, 0]]
    body = program(t, t["effect_body"][row])
    everybody = body[0][2]
    assert body == [
        [s.OP_CHOOSE_UNIT, s.R_UNIT, everybody, 0, 0, 0],
        [s.OP_ADD_TOKEN, 0, s.R_UNIT, 0, 0, 0],
        [s.OP_MOVE, s.R_UNIT, s.W_REG, s.R_WAY, 0, 0],
        [s.OP_END, 0, 0, 0, 0, 0],
    ]
    assert t["sels"][everybody].tolist() == [0, 0, 0, -1, 0, -1, -1, -1, -1, 0, -1, 0, 0, 0, -1, -1, -1]


@pytest.mark.parametrize(
    "pair", [("calligrapher", "dancer"), ("mason", "herald"), ("herald", "dancer"), ("clockmaker", "oracle")]
)
def test_code_is_well_formed(pair: tuple[str, str]) -> None:
    """Registers, selections, kinds and jump targets are in range; jumps stay in their program; equal selections are one."""
    t = tables(pair=pair)
    starts = {int(row) for row in t["effect_cost"][t["effect_kind"] >= 0]} | {
        int(row) for row in t["effect_body"][t["effect_kind"] >= 0]
    }
    for player in range(2):
        starts |= {
            int(row)
            for name in ("token_code", "tile_code", "tile_cue", "trigger_code", "ascend_code")
            for row in t[name][player]
            if row >= 0
        }
    sels = (
        max((int(row[2]) for row in t["code"] if row[0] in (s.OP_CHOOSE_UNIT, s.OP_CHOOSE_ZONE, s.OP_FOR)), default=0)
        + 1
    )
    assert len({tuple(row) for row in t["sels"][:sels].tolist()}) == sels <= 128
    for start in starts:
        end, row = start, start
        while t["code"][end][0] != s.OP_END:
            end += 1
        while row < end:
            op, a, b, c, d, e = (int(value) for value in t["code"][row])
            assert s.OP_END < op < s.OPS
            if op == s.OP_JUMP or op == s.OP_MAY:
                assert start <= a <= end
            if op in (s.OP_IF, s.OP_NEXT):
                assert row < e <= end
            if op == s.OP_BRANCH:
                assert 2 <= a <= 4 and all(t["code"][row + k][0] == s.OP_JUMP for k in range(1, a + 1))
            if op == s.OP_FOR:
                assert t["code"][row + 1][:5].tolist() == [s.OP_NEXT, a, 0, c, d]
            if op in (s.OP_CHOOSE_UNIT, s.OP_FOR, s.OP_EXHAUST, s.OP_REFRESH, s.OP_REMOVE):
                assert s.R_ME <= a < s.R_ZONE
            if op == s.OP_CHOOSE_ZONE:
                assert s.R_ZONE <= a < s.R_WAY
            row += 1


def test_an_artist_without_a_deck() -> None:
    """AW-S3: artists without a deck skip it."""
    t = tables(pair=("mason", "herald"))
    assert t["has_deck"].tolist() == [1, 0]
    assert not t["card_exists"][1, : s.ACTIONS_CARDS].any() and t["card_exists"][1, s.ACTIONS_CARDS :].all()
    kit = raw("herald")
    kit["abilities"][0]["effects"][0]["cost"] = [{"discard": 1}]
    with pytest.raises(CardError, match="without a deck has no cards to discard"):
        read(kit)


def test_tables_do_not_depend_on_the_other_artist() -> None:
    """The rows of one artist mean the same against everybody: the same cards, features and triggers."""
    one, two = tables(), tables(pair=("mason", "dancer"))
    for name in ("card_features", "card_kind", "slot_kind", "token_pool", "token_at", "trigger_event"):
        assert np.array_equal(one[name][1], two[name][1])


# ------------------------------------------------------------------------------------------------------------ printed text


@pytest.mark.parametrize("name", [*artists(), *TEST_ARTISTS])
def test_pages(name: str) -> None:
    """The page of an artist, word for word."""
    assert card_text(everyone()[name]) == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*artists(), *TEST_ARTISTS])
def test_texts_are_whole_sentences(name: str) -> None:
    artist = everyone()[name]
    for card, item in artist.effects:
        for text in effect_text(artist, card, item):
            assert not text or (text[0].isupper() and text.endswith(".") and "  " not in text and "None" not in text), (
                text
            )


def test_print_artist() -> None:
    console = Console(file=io.StringIO(), width=100, color_system="truecolor", force_terminal=True)
    print_artist("dancer", console)
    assert isinstance(console.file, io.StringIO)
    assert "Pivoting Step" in console.file.getvalue()
    with pytest.raises(OptionError):
        print_artist("poet", console)


def test_names_are_not_markup() -> None:
    """What looks like markup of the terminal is printed as it stands."""
    kit = raw("dancer")
    kit["actions"][0]["name"] = "[red]Step[/red]"
    assert "[red]Step[/red] x9" in card_text(read(kit))


def write_golden() -> None:
    GOLDEN.mkdir(exist_ok=True)
    for name, artist in everyone().items():
        (GOLDEN / f"{name}.txt").write_text(card_text(artist), encoding="utf-8")


if __name__ == "__main__":
    write_golden()
