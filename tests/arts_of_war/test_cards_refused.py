"""Card files: what is refused, and how the message explains it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from react_env.errors import CardError, OptionError
from react_env.games.arts_of_war.cards import Artist, artists, load_artist, parse_artist
from react_env.games.arts_of_war.rules import EDITIONS
from tests.arts_of_war.kits import TEST_ARTISTS, Kit, assert_refused, raw, read, setting, without
from tests.arts_of_war.positions import immediate, kit

FLOWING = ("actions", 0, "effects", 0)
STROKE = ("actions", 2, "effects", 0)
STUDY = ("abilities", 0, "effects", 0)
RESPITE = ("abilities", 2, "effects", 0)

REFUSED: dict[str, tuple[Callable[[Kit], None], tuple[str, ...]]] = {
    "unknown part": (
        setting(*FLOWING, "do", 1, value={"paint": "it"}),
        ("action card 1 'flowing_ink'", "effect 1", "do part 2", "'paint'", "add_token", "for_each", "progress"),
    ),
    "unknown word": (
        setting(*STUDY, "do", 0, value="progres"),
        ("ability card 1 'scribe'", "'progres'", "progress", "descend"),
    ),
    "unknown cost part": (
        setting(*FLOWING, "cost", 0, value={"bribe": 1}),
        ("cost part 1", "'bribe'", "exhaust", "discard", "pay", "sacrifice", "require"),
    ),
    "unknown field": (setting(*FLOWING, "speed", value=3), ("'flowing_ink', effect 1", "'speed'", "kind, cost, do")),
    "two parts without a dash between": (
        setting(*FLOWING, "do", 0, "shuffle", value="deck"),
        ("do part 1 (choose_unit)", "unknown field 'shuffle'", "a part of its own needs a dash of its own"),
    ),
    "unknown key of a selection": (
        setting(*FLOWING, "do", 0, "choose_unit", "where", value={"colour": "red"}),
        ("do part 1 (choose_unit)", "where", "'colour'", "side, kind, token"),
    ),
    "missing field": (without("actions", 1, "copies"), ("action card 2 'summoning_ink'", "'copies' is missing")),
    "wrong type": (setting("actions", 0, "copies", value="eight"), ("'flowing_ink'", "copies", "integer", "'eight'")),
    "number for a word": (setting("name", value=7), ("field 'name'", "string", "7")),
    "yes for a number": (
        setting("tokens", "ink", "pool", value=True),
        ("token 'ink'", "pool", "integer", "found true"),
    ),
    "another format": (setting("format", value=2), ("format", "1", "2")),
    "kind of effect": (setting(*FLOWING, "kind", value="action"), ("'intention' or 'reaction'", "'action'")),
    "deck not 30": (setting("actions", 0, "copies", value=9), ("31 cards", "flowing_ink 9", "exactly 30")),
    "three action cards": (without("actions", 3), ("3 different action cards", "exactly 4", "without a deck")),
    "twice the same card": (
        setting("actions", 1, "name", value="Flowing Ink"),
        ("action card 2", "name", "'Flowing Ink'"),
    ),
    "four effects": (
        lambda kit: kit["actions"][0].update(effects=kit["actions"][0]["effects"] * 4),
        ("'flowing_ink'", "effects", "4 entries", "at most 3"),
    ),
    "unknown variable": (
        setting(*FLOWING, "do", 2, "move", "unit", value="them"),
        ("do part 3 (move)", "unit", "'them'", "me (unit)", "way (direction)", "it (unit)"),
    ),
    "me of a card without a unit": (
        setting(*RESPITE, "do", 0, "add_token", "to", value="me"),
        ("ability card 3 'sheathing_respite'", "'me'", "in scope: it (unit)"),
    ),
    "variable of another kind": (
        setting(*FLOWING, "do", 1, value={"exhaust": "way"}),
        ("do part 2 (exhaust)", "'way' is a direction", "needs a unit"),
    ),
    "name used twice": (
        setting(*FLOWING, "do", 1, value={"choose_unit": {"as": "it", "where": {}}}),
        ("do part 2", "'it' is already used"),
    ),
    "variable of a branch used after it": (
        setting(*FLOWING, "do", 0, value={"may": [{"choose_unit": {"as": "it", "where": {}}}]}),
        ("do part 2 (add_token)", "unknown variable 'it'"),
    ),
    "four units": (
        setting(*FLOWING, "do", value=[{"choose_unit": {"as": name, "where": {}}} for name in ("a", "b", "c", "d")]),
        ("do part 4", "no room for unit 'd'", "at most 3 (a, b, c)"),
    ),
    "three zones": (
        setting(*FLOWING, "do", value=[{"choose_zone": {"as": name, "where": {}}} for name in ("a", "b", "c")]),
        ("do part 3", "no room for zone 'c'", "at most 2"),
    ),
    "two directions": (
        setting(*FLOWING, "do", 0, value={"choose_direction": "other"}),
        ("no room for direction 'other'", "at most 1"),
    ),
    "unknown token": (
        setting(*FLOWING, "do", 1, "add_token", "token", value="blood"),
        ("'blood'", "known: ink, block"),
    ),
    "unknown summon": (
        setting("actions", 1, "effects", 0, "do", 3, "summon", "kind", value="ghost"),
        ("'summoning_ink'", "do part 4 (summon)", "'ghost'", "known: spirit"),
    ),
    "unknown tile": (
        setting(*STROKE, "do", 0, value={"place_tile": {"tile": "mural", "zone": "target"}}),
        ("'bleeding_stroke'", "unknown tile 'mural'", "known: none"),
    ),
    "unknown unit of a card": (setting("abilities", 1, "unit", value="ghost"), ("'ghost'", "artist, none, spirit")),
    "unknown kind": (
        setting(*FLOWING, "do", 0, "choose_unit", "where", value={"kind": "ghost"}),
        ("'ghost'", "artist, summon, spirit"),
    ),
    "their Spirits": (
        setting(*FLOWING, "do", 0, "choose_unit", "where", value={"kind": "spirit", "side": "theirs"}),
        ("'spirit'", "never matches", "mine"),
    ),
    "unit token in a zone": (
        setting(*STROKE, "do", 0, value={"add_token": {"token": "ink", "to": "target"}}),
        ("do part 1 (add_token)", "'ink' lies on units", "'target' is a zone"),
    ),
    "zone with a unit token": (
        setting(*STROKE, "cost", 0, "choose_zone", "where", value={"token": "ink"}),
        ("cost part 1 (choose_zone)", "'ink' lies on units", "holds", "zone tokens: block"),
    ),
    "at_least without a token": (
        setting(*STROKE, "cost", 0, "choose_zone", "where", value={"at_least": 2}),
        ("at_least", "needs token"),
    ),
    "Block on a unit": (setting("tokens", "block", "place", value="unit"), ("token 'block'", "zone")),
    "count on a unit": (
        setting("tokens", "ink", "at", value={"count": 2, "do": ["progress"]}),
        ("token 'ink'", "place: zone"),
    ),
    "count that never is": (
        setting("tokens", "block", "at", value={"count": 2, "do": ["progress"]}),
        ("token 'block'", "never"),
    ),
    "damage to two things": (
        setting(*STROKE, "do", 0, value={"damage": {"zone": "target", "units": {}}}),
        ("do part 1 (damage)", "exactly one of: zone, zones, units"),
    ),
    "swap with itself": (
        setting("actions", 3, "effects", 0, "do", 1, "swap", "with", value="me"),
        ("'ink_shadow'", "'me' cannot be swapped with itself"),
    ),
    "nested for_each": (
        setting(
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
        setting(*FLOWING, "do", value=[{"for_each": {"unit": "a", "where": {}, "do": ["progress"]}}, {"exhaust": "a"}]),
        ("do part 2 (exhaust)", "unknown variable 'a'"),
    ),
    "way": (
        setting(*FLOWING, "do", 2, "move", "way", value={"up": 1}),
        ("do part 3 (move)", "toward", "away_from"),
    ),
    "condition": (
        setting(*STROKE, "do", 0, "if", value={"always": True}),
        ("condition", "{unit: VAR, is: UNITS}", "{zones: ZONES, at_least: n}"),
    ),
    "one choice": (
        setting(*FLOWING, "do", value=[{"choose_one": [["progress"]]}]),
        ("choose_one", "1 entries", "at least 2"),
    ),
    "empty effect": (setting(*FLOWING, "do", value=[]), ("'flowing_ink'", "do", "at least 1")),
    # Costs that could turn out to be unpayable while they are being paid.
    "exhaust of another unit": (
        setting(*RESPITE, "cost", 1, value={"exhaust": "it"}),
        ("cost part 2 (exhaust)", "'it'", "allowed: me"),
    ),
    "exhaust twice": (setting(*STUDY, "cost", value=[{"exhaust": "me"}] * 2), ("cost part 2", "twice")),
    "token that may not be there": (
        setting(*RESPITE, "cost", 0, "choose_unit", "where", value={"side": "mine"}),
        ("cost part 2 (remove_token)", "`token: ink` in `where`"),
    ),
    "filtered choice from a choice": (
        setting(
            *RESPITE, "cost", 1, value={"choose_zone": {"as": "z", "where": {"adjacent_to": "it", "occupied": True}}}
        ),
        ("cost part 2 (choose_zone)", "adjacent_to", "no other key"),
    ),
    "unit from a choice": (
        setting(*RESPITE, "cost", 1, value={"choose_unit": {"as": "u", "where": {"adjacent_to": "it"}}}),
        ("cost part 2 (choose_unit)", "choose_zone"),
    ),
    # Summons, passives, the artist ability card.
    "eight summons": (setting("summons", "spirit", "count", value=8), ("summon kind 'spirit'", "count", "7", "8")),
    "eight summons of two kinds": (
        setting("summons", "ghost", value={"name": "Ghost", "count": 4}),
        ("8 units", "allowed: 7"),
    ),
    "four kinds of token": (
        lambda kit: kit["tokens"].update({name: {**kit["tokens"]["ink"], "name": name} for name in ("a", "b")}),
        ("field 'tokens'", "4 entries", "at most 3"),
    ),
    "kind with a reserved id": (
        setting("summons", "artist", value={"name": "Other", "count": 1}),
        ("summon kind 'artist'", "another id"),
    ),
    "passive with a choice of units": (
        setting(
            "passives", value=[{"name": "P", "when": "unit_moved", "where": {"adjacent_to": "me"}, "do": ["progress"]}]
        ),
        ("passive 1 'P'", "where", "side, kind, token"),
    ),
    "where without movement": (
        setting("passives", value=[{"name": "P", "when": "start_of_my_turn", "where": {}, "do": ["progress"]}]),
        ("passive 1 'P'", "only unit_moved", "start_of_my_turn"),
    ),
    "moment": (
        setting("passives", value=[{"name": "P", "when": "always", "do": ["progress"]}]),
        ("passive 1 'P'", "'start_of_my_turn'", "'unit_moved'", "'always'"),
    ),
    "many passives of movement": (
        setting("passives", value=[{"name": f"P{n}", "when": "unit_moved", "do": ["progress"]} for n in range(3)]),
        ("3 passives", "P0, P1, P2", "allowed: 2"),
    ),
    "first ability card": (
        setting("abilities", 0, "unit", value="none"),
        ("ability card 1 'scribe'", "'none'", "allowed: artist"),
    ),
    "one effect": (without("abilities", 0, "effects", 1), ("at least two effects", "AW-M9")),
    "no progress": (setting(*STUDY, "do", 0, value="descend"), ("progress", "AW-M9")),
    "no other side": (without("abilities", 0, "ascended"), ("ability card 1 'scribe'", "'ascended' is missing")),
    "two other sides": (
        lambda kit: kit["abilities"][1].update(ascended=kit["abilities"][0]["ascended"]),
        ("ability card 2 'sealbrush_spirit', ascended side", "only the first"),
    ),
    "ascended mode": (setting("abilities", 0, "ascended", "mode", value="once"), ("ascended", "until_used, immediate")),
    "immediate without descend": (
        setting("abilities", 0, "ascended", value={"mode": "immediate", "name": "Now", "do": ["descend", "progress"]}),
        ("ascended side", "must end with `descend`"),
    ),
    "named effect of another card": (
        setting("abilities", 1, "effects", 0, "name", value="Dab"),
        ("'sealbrush_spirit', effect 1", "name"),
    ),
    "mark": (
        setting("provenance", "name", value="rumoured"),
        ("provenance", "'stated', 'derived' or 'designed'", "'rumoured'"),
    ),
    "mark of nothing": (
        setting("provenance", "age", value="stated"),
        ("provenance of unknown field 'age'", "name, concept"),
    ),
    "name with a line break": (setting("name", value="Two\nLines"), ("field 'name'", "pattern")),
    # AW-C14.
    "free ability": (
        setting(*STUDY, "cost", value=[]),
        ("ability card 1 'scribe', effect 1", "AW-C14", "nothing in its cost", "exhaust, discard, remove_token"),
    ),
    "token that comes back": (
        lambda kit: kit["abilities"][2]["effects"][0].update(
            kind="intention", do=[{"add_token": {"token": "ink", "to": "it"}}]
        ),
        ("'sheathing_respite'", "AW-C14", "the Ink that it takes can be put back by", "Sheathing Respite"),
    ),
    "unit that refreshes itself": (
        setting(*STUDY, "do", value=["progress", {"refresh": "me"}]),
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
        setting(
            "passives",
            value=[{"name": "Wind", "when": "unit_moved", "where": {"side": "mine"}, "do": [{"refresh": "unit"}]}],
        ),
        ("AW-C14", "Scribe [2]"),
    ),
    "too much of everything": (
        setting(*STUDY, "do", value=["progress"] * 400),
        ("too large", "rows of code", "allowed: 319"),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_used_is_refused_with_an_explanation(case: str) -> None:
    """AW-C14, AW-M9, AW-M10, AW-S3: the message names the file, the card, the field, and what would be allowed."""
    change, named = REFUSED[case]
    assert_refused("scribe", change, named)


def test_an_unknown_token_of_what_an_artist_becomes() -> None:
    change = setting("abilities", 0, "ascended", "do", 0, value={"add_token": {"token": "blood", "to": "me"}})
    assert_refused("painter", change, ("ascended side, do part 1 (add_token)", "'blood'", "known: block"))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("id: x\nname: [1, 2\n", "line 3"),
        ("id: x\nid: y\n", "line 2: not valid YAML: key 'id' is given twice"),
        ("a: &x [1]\nb: *x\n", "line 2: not valid YAML: aliases are not allowed"),
        ("a: !!python/object/apply:os.getcwd []\n", "line 1: not valid YAML"),
        ("id: x\nname: y: z\n", "line 2: not valid YAML: a colon in the wrong place"),
        ("id: x\nlist:\n  a: 1\n b: 2\n", "line 4: not valid YAML: the line does not fit those around it"),
        ("id: x\nlist:\n  a: 1\n- b\n", "line 4: not valid YAML: the line does not fit those around it"),
        ("  id: x\nname: y\n", "line 2: not valid YAML: the line does not fit those around it"),
        ("id: x\nname y\nconcept: z\n", "line 2: not valid YAML: a line without a colon"),
        ("id: x\nname: 'y' z\n", "line 2: not valid YAML: the line goes on after the end of quotes"),
        ("id: x\nname: 'y\nconcept: z\n", "line 2: not valid YAML: quotes that do not end"),
        ("id: - x\n", "line 1: not valid YAML: a dash in the wrong place"),
        ("id: @x\n", "line 1: not valid YAML: a text that begins with @ needs quotes"),
        ("a: {b: 1 c: 2}\n", "line 1: not valid YAML: a comma or the closing } is missing"),
        ("a: {b: 1,, c: 2}\n", "line 1: not valid YAML: a value is missing before ,"),
        ("a: {b: 1}}\n", "line 1: not valid YAML: the line goes on after the end of quotes, of braces {} or"),
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
    """AW-C14 can be switched off by a field of the rules: allow_unbounded_abilities."""
    kit = raw("scribe")
    kit["abilities"][0]["effects"][0]["cost"] = []
    assert read(kit, allow_unbounded_abilities=True).abilities[0].effects[0].cost == []


@pytest.mark.parametrize(
    "change",
    [
        lambda kit: kit["abilities"][2]["effects"][0].update(
            kind="intention"
        ),  # it takes Ink, which comes only from exhausting
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


BOUNCE = {"move": {"unit": "unit", "way": {"away_from": "me"}}}
BOUNCE_IT = {"move": {"unit": "it", "way": {"away_from": "me"}}}
GONE = {"remove_tile": {"zone": "here"}}
HOP = [{"choose_direction": "way"}, {"jump": {"unit": "me", "way": "way"}}]
MOVED = {"name": "Stir", "when": "unit_moved", "where": {"kind": "artist", "side": "mine"}}
CROWD = {"name": "Crowd", "place": "zone", "pool": 3, "stacks": True}


def tile(*parts: Any, key: str = "on_enter", **fields: Any) -> dict[str, Any]:
    """A change to a kit: this one tile."""
    return {"tiles": {"trap": {"name": "Trap", "pool": 2, key: list(parts), **fields}}}


LOOPS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "a tile that stays": (tile(BOUNCE), ("tile 'trap', field 'on_enter'", "Trap", "remove_tile: {zone: here}")),
    "a tile that goes too late": (tile(BOUNCE, GONE), ("tile 'trap', field 'on_enter'",)),
    "a tile that goes in one branch only": (
        tile({"choose_one": [[GONE], [{"exhaust": "unit"}]]}, BOUNCE),
        ("on_enter",),
    ),
    "a tile that goes if one likes": (tile({"may": [GONE]}, BOUNCE), ("on_enter",)),
    "a tile that is laid again": (
        tile(GONE, {"place_tile": {"tile": "trap", "zone": "me"}}, BOUNCE),
        ("tile 'trap', field 'on_enter'",),
    ),
    "a tile that cues itself": (tile("cue", key="on_cue"), ("tile 'trap', field 'on_cue'",)),
    "a passive that moves whom it waits for": ({"passives": [{**MOVED, "do": HOP}]}, ("passive 1 'Stir', field 'do'",)),
    "a counter that is not asked for": (
        {
            "passives": [{**MOVED, "do": [{"spend": {"counter": "breath"}}, *HOP]}],
            "counters": {"breath": {"name": "Breath", "start": 1, "most": 3}},
        },
        ("passive 1 'Stir'",),
    ),
    "a counter that is gained again": (
        {
            "passives": [
                {**MOVED, "do": [{"if": {"counter": "breath"}, "then": [{"spend": {"counter": "breath"}}, *HOP]}]},
                {**MOVED, "name": "Sigh", "do": [{"gain": {"counter": "breath"}}]},
            ],
            "counters": {"breath": {"name": "Breath", "start": 1, "most": 3}},
        },
        ("passive 1 'Stir'",),
    ),
    "tokens that come back": (
        {
            "passives": [{**MOVED, "do": [{"add_token": {"token": "crowd", "to": "left"}}]}],
            "tokens": {
                "crowd": {
                    **CROWD,
                    "at": {
                        "count": 1,
                        "do": [{"remove_token": {"token": "crowd", "from": "here", "count": "all"}}, *HOP],
                    },
                }
            },
        },
        ("passive 1 'Stir'", "through Crowd"),
    ),
    "a masterpiece in one go": (
        {"up": immediate("[progress, progress, progress, descend]")},
        ("ability card 1 'artist'", "Flash"),
    ),
}
NO_LOOPS: dict[str, dict[str, Any]] = {
    "a tile that goes": tile(GONE, BOUNCE),
    "a tile that goes either way": tile({"choose_one": [[GONE], [GONE, {"exhaust": "unit"}]]}, BOUNCE),
    "a tile that a source states": tile(BOUNCE, provenance={"on_enter": "stated"}),
    "a tile that moves nobody": tile({"damage": {"zone": "here"}}),
    "a counter that runs out": {
        "passives": [
            {**MOVED, "do": [{"if": {"counter": "breath"}, "then": [{"spend": {"counter": "breath"}}, *HOP]}]}
        ],
        "counters": {"breath": {"name": "Breath", "start": 1, "most": 3}},
    },
    "a unit that tires": {
        "passives": [
            {**MOVED, "do": [{"if": {"unit": "me", "is": {"exhausted": False}}, "then": [{"exhaust": "me"}, *HOP]}]}
        ]
    },
    "tokens that run out": {
        "tokens": {"crowd": {**CROWD, "at": {"count": 1, "do": [{"add_token": {"token": "crowd", "to": "me"}}]}}}
    },
    "whom it does not wait for": {
        "passives": [{**MOVED, "do": [{"choose_unit": {"as": "it", "where": {"side": "theirs"}}}, BOUNCE_IT]}]
    },
    "two steps of the masterpiece": {"up": immediate("[progress, progress, descend]")},
}


def small(change: dict[str, Any]) -> Kit:
    """A small artist with these fields in place of its own."""
    told = {"tiles": {}} | {key: change[key] for key in ("tiles", "tokens", "up") if key in change}
    return kit("ann", **told) | {key: change[key] for key in ("passives", "counters") if key in change}


@pytest.mark.rule("AW-C6")
@pytest.mark.parametrize("case", LOOPS)
def test_triggers_without_end_are_refused(case: str) -> None:
    change, named = LOOPS[case]
    with pytest.raises(CardError) as refusal:
        read(small(change))
    message = str(refusal.value)
    assert message.startswith("kit.yaml: ")
    for part in (*named, "without end", "AW-C6"):
        assert part in message, f"{part!r} is not in {message!r}"
    read(small(change), allow_unbounded_abilities=True)


@pytest.mark.rule("AW-C6")
@pytest.mark.parametrize("case", NO_LOOPS)
def test_triggers_that_end_are_not_refused(case: str) -> None:
    read(small(NO_LOOPS[case]))


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
