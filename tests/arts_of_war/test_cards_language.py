"""Card files, continued: bodies, counters and dice, tiles that wait for a cue, second forms, face-down cards.

Each as it is checked, encoded and printed; the other `test_cards` files have the rest of the language.
"""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import yaml

from react_env.games.arts_of_war import state as s
from react_env.games.arts_of_war.cards import Artist, compile_tables, load_artist
from react_env.games.arts_of_war.cards.wording import passive_text, tile_text, token_text
from react_env.games.arts_of_war.rules import RulesConfig
from tests.arts_of_war.kits import (
    TEST_ARTISTS,
    Kit,
    assert_refused,
    effect,
    effects_of,
    page_text,
    program,
    raw,
    read,
    setting,
    without,
    words,
)

END = [s.OP_END, 0, 0, 0, 0, 0]


def clockmaker() -> Artist:
    return load_artist(TEST_ARTISTS["clockmaker"])


def oracle() -> Artist:
    return load_artist(TEST_ARTISTS["oracle"])


@pytest.fixture(scope="module")
def t() -> np.void:
    """The tables of the Clockmaker (player 0) against the Oracle."""
    return compile_tables(clockmaker(), oracle(), RulesConfig())[0]


def snippet(do: list[Any] | None = None, cost: list[Any] | None = None, **top: Any) -> Kit:
    """The Oracle, with these parts in an action effect (`foretold`, the first) and these keys in its file."""
    kit = copy.deepcopy(raw("oracle"))
    change = kit["actions"][0]["effects"][0]
    change["cost"], change["do"] = cost or [], do or ["progress"]
    kit.update(top)
    return kit


def compiled(kit: Kit) -> tuple[list[list[int]], list[list[int]], np.void]:
    """Cost and body of the effect that `snippet` changes, and the tables."""
    tables = compile_tables(read(kit), clockmaker(), RulesConfig())[0]
    row = tables["card_effects"][0, 0, 0]
    return program(tables, tables["effect_cost"][row]), program(tables, tables["effect_body"][row]), tables


# ------------------------------------------------------------------------------------------------------------------ tables


def test_artists_units_and_counters(t: np.void) -> None:
    assert t["immune"].tolist() == [0, 1]
    assert t["vital"].tolist() == [0, 1]
    assert t["face_down_most"].tolist() == [0, 2]
    assert t["slot_kind"].tolist() == [[0, 1, 2, 2, 3, 3, 3, -1], [0, 1, 1, 1, 2, 2, -1, -1]]
    assert t["slot_attached"].tolist() == [[0, 1, 1, 1, 0, 0, 0, 0], [0] * 8]
    assert t["counter_most"].tolist() == [[24, 18, 0], [6, 3, 0]]
    assert t["counter_start"].tolist() == [[0, 7, 0], [2, 0, 0]]
    assert t["dice_counter"].tolist() == [1, -1]
    assert (t["dice"].tolist(), t["dice_sides"].tolist()) == ([3, 0], [6, 0])
    flags = [{int(flag) for flag in np.flatnonzero(t["artist_features"][player])} for player in range(2)]
    assert flags[0] == {s.AF_ATTACHED, s.AF_LASTING, s.AF_BECOMES, s.AF_DICE}
    assert flags[1] == {s.AF_DECK, s.AF_IMMUNE, s.AF_VITAL, s.AF_FACE_DOWN, s.AF_BECOMES}
    assert t["trigger_event"][0, 1] == s.T_DRAW


def test_sides_of_what_becomes_something_else(t: np.void) -> None:
    """AW-M10: an effect stands on the sides of its bits, and is counted from 0 on its own side."""
    first = [row for row in t["card_effects"][0, 4] if row >= 0]
    assert t["effect_side"][first].tolist() == [s.SIDE_FIRST] * 3 + [s.SIDE_SECOND] * 3 + [s.SIDE_SECOND_ASCENDED] * 3
    assert t["effect_number"][first].tolist() == [0, 1, 2] * 3
    second = [row for row in t["card_effects"][1, 4] if row >= 0]
    assert t["effect_side"][second].tolist() == [s.SIDE_FIRST] * 2 + [s.SIDE_SECOND_BOTH] * 3
    others = [row for row in t["card_effects"][:, 5:].ravel() if row >= 0]
    assert set(t["effect_side"][others].tolist()) == {s.SIDE_ANY}
    assert t["ascend_mode"].tolist() == [
        [s.ASCEND_BECOMES, s.ASCEND_LASTING],
        [s.ASCEND_BECOMES, s.ASCEND_IMMEDIATE],
    ]
    assert (t["ascend_code"] >= 0).tolist() == [[True, False], [False, True]]
    assert program(t, t["ascend_code"][0, 0])[:2] == [[s.OP_GAIN, 1, 0, 0, 0, 0], [s.OP_SPEND, 0, 0, 0, 0, 0]]
    assert program(t, t["ascend_code"][1, 1])[-2] == [s.OP_DESCEND, 0, 0, 0, 0, 0]


def test_cards_that_react(t: np.void) -> None:
    assert t["card_reacts"].tolist() == [[0, 0, 0, 0, 1, 1, 1, 0, 1, 0], [1, 1, 1, 0, 1, 1, 0, 0, 0, 0]]


def test_tiles_that_wait_for_a_cue(t: np.void) -> None:
    """A tile's unit, zone and direction are in the first register of their kind."""
    assert (t["tile_code"] >= 0).tolist() == [[False, True, True, False], [False] * 4]
    assert (t["tile_cue"] >= 0).tolist() == [[True, True, False, False], [True, False, False, False]]
    assert t["tile_directed"].tolist() == [[1, 0, 1, 0], [0, 0, 0, 0]]
    gear = program(t, t["tile_cue"][0, 0])
    assert gear[0][:3] == [s.OP_IF, s.I_MATCHES, s.R_ZONE]
    assert gear[1] == [s.OP_MOVE, s.R_UNIT, s.W_REG, s.R_WAY, 0, 0]
    belt = program(t, t["tile_code"][0, 2])
    assert belt[:2] == [[s.OP_REMOVE_TILE, s.R_ZONE, 0, 0, 0, 0], [s.OP_MOVE, s.R_UNIT, s.W_REG, s.R_WAY, 0, 0]]


def test_parts(t: np.void) -> None:
    parts = [
        "cue",
        {"gain": {"counter": "doubt", "count": "all"}},
        {"gain": {"counter": "doubt"}},
        {"spend": {"counter": "omen", "count": 3}},
        {"spend": {"counter": "omen", "count": "all"}},
        "defeat",
    ]
    assert compiled(snippet(parts))[1] == [
        [s.OP_CUE, 0, 0, 0, 0, 0],
        [s.OP_GAIN, 1, 0, 0, 0, 0],
        [s.OP_GAIN, 1, 1, 0, 0, 0],
        [s.OP_SPEND, 0, 3, 0, 0, 0],
        [s.OP_SPEND, 0, 0, 0, 0, 0],
        [s.OP_DEFEAT, 0, 0, 0, 0, 0],
        END,
    ]
    lay = t["card_effects"][0, 4, 1]  # Lay Gear
    body = program(t, t["effect_body"][lay])
    assert [s.OP_PLACE_TILE, 0, s.R_ZONE, 1, 0, 0] in body and [s.OP_PLACE_TILE, 2, s.R_ZONE, 1, 0, 0] in body
    assert [s.OP_ROLL, 2, 0, 0, 0, 0] in body
    plans = t["card_effects"][0, 4, 0]  # Draw Plans: the Chime has no direction
    assert [s.OP_PLACE_TILE, 1, s.R_ZONE, 0, 0, 0] in program(t, t["effect_body"][plans])


def test_conditions() -> None:
    conditions = [
        ({"counter": "omen", "at_least": 4}, [s.I_COUNTER, 0, 4]),
        ({"counter": "doubt"}, [s.I_COUNTER, 1, 1]),
        ({"ascended": True}, [s.I_ASCENDED, 1, 0]),
        ({"ascended": False}, [s.I_ASCENDED, 0, 0]),
        ({"form": "second"}, [s.I_FORM, 1, 0]),
        ({"form": "first"}, [s.I_FORM, 0, 0]),
    ]
    for condition, numbers in conditions:
        kit = snippet([{"if": condition, "then": ["progress"]}], [{"require": condition}])
        cost, body, _ = compiled(kit)
        assert cost == [[s.OP_REQUIRE, *numbers, 0, 0], END]
        assert body[0][:4] == [s.OP_IF, *numbers]
    kit = snippet(cost=[{"require": {"unit": "me", "is": {"exhausted": True}}}])
    cost, _, tables = compiled(kit)
    assert cost[0][:3] == [s.OP_REQUIRE, s.I_MATCHES, s.R_ME]
    assert tables["sels"][cost[0][3], s.S_EXHAUSTED] == 1


def test_costs() -> None:
    mine = {"holds": {"side": "mine", "kind": "raven"}}
    cost = [{"pay": {"counter": "omen", "count": 2}}, {"choose_zone": {"as": "z", "where": mine}}, {"sacrifice": "z"}]
    rows, _, tables = compiled(snippet(cost=cost))
    assert rows[0] == [s.OP_SPEND, 0, 2, 0, 0, 0]
    assert rows[2:] == [[s.OP_SACRIFICE, s.R_ZONE, 0, 0, 0, 0], END]
    held = tables["sels"][tables["sels"][rows[1][2], s.S_HOLDS]]
    assert (held[s.S_SIDE], held[s.S_KIND]) == (1, 4)


def test_selections() -> None:
    where = {"diagonal_to": "me", "touching": {"side": "theirs"}, "tile": "altar"}
    rows, _, tables = compiled(snippet(cost=[{"choose_zone": {"as": "z", "where": where}}]))
    zones = tables["sels"][rows[0][2]]
    assert (zones[s.S_DIAGONAL], zones[s.S_TILE], zones[s.S_HOLDS]) == (s.R_ME, 3, -1)
    inner = tables["sels"][zones[s.S_TOUCHING]]
    assert (inner[s.S_TYPE], inner[s.S_SIDE], inner[s.S_TOUCHING], inner[s.S_DIAGONAL]) == (0, 2, -1, -1)
    for tile, number in ((True, 1), (False, 2)):
        rows, _, tables = compiled(snippet(cost=[{"choose_zone": {"as": "z", "where": {"tile": tile}}}]))
        assert tables["sels"][rows[0][2], s.S_TILE] == number


def test_features_of_cards(t: np.void) -> None:
    def flags(player: int, card: int) -> set[int]:
        return {int(flag) for flag in np.flatnonzero(t["card_features"][player, card])}

    assert flags(0, 8) == {s.CF_INTENTION, s.CF_REACTION, s.CF_LOCK_ZONE, s.CF_PAYS, s.CF_TILE, s.CF_COUNTER}  # Rewind
    assert flags(0, 6) == {  # Cog
        *(s.CF_INTENTION, s.CF_REACTION, s.CF_EXHAUST, s.CF_LOCK_WAY, s.CF_LOCK_ZONE, s.CF_MOVE, s.CF_DAMAGE),
        s.CF_REMOVE,
    }
    cue = compile_tables(read(snippet(["cue"])), clockmaker(), RulesConfig())[0]["card_features"][0, 0]
    assert cue[s.CF_TILE] and not cue[s.CF_TOKEN - 1]
    ready = snippet([{"refresh": "me"}, {"choose_unit": {"as": "it", "where": {}}}, {"remove": "it"}])
    card = compile_tables(read(ready), clockmaker(), RulesConfig())[0]["card_features"][0, 0]
    assert card[s.CF_READY] and card[s.CF_REMOVE] and not card[s.CF_TILE]


# --------------------------------------------------------------------------------------------------------- what is refused

MINE = {"holds": {"side": "mine", "kind": "raven"}}
LOCK = {"choose_zone": {"as": "z", "where": MINE}}
CONSULT = ("abilities", 0, "effects", 1)
BECOMES = ("abilities", 0, "ascended")
FREE = {"kind": "reaction", "do": ["progress"]}
Change = Callable[[Kit], None]


def _effect(do: list[Any] | None = None, cost: list[Any] | None = None) -> Change:
    def change(kit: Kit) -> None:
        kit["actions"][0]["effects"][0].update(cost=cost or [], do=do or ["progress"])

    return change


def _intention(*cost: Any) -> Kit:
    return {"kind": "intention", "cost": list(cost), "do": ["cue"]}


REFUSED: dict[str, tuple[str, Change, tuple[str, ...]]] = {
    # Counters and dice.
    "counter without an end": ("oracle", without("counters", "omen", "most"), ("'omen'", "'most' is missing", "dice")),
    "dice with an end": (
        "clockmaker",
        setting("counters", "tension", "most", value=9),
        ("'tension'", "field 'most'", "no `most`"),
    ),
    "two counters of dice": (
        "clockmaker",
        setting("counters", "luck", value={"name": "Luck", "start": 0, "dice": {"count": 1, "sides": 6}}),
        ("'luck'", "'tension' already has the dice"),
    ),
    "counter that starts too high": (
        "oracle",
        setting("counters", "omen", "start", value=7),
        ("'omen'", "start", "starts at 7", "at most 6"),
    ),
    "dice that start too high": (
        "clockmaker",
        setting("counters", "tension", "start", value=19),
        ("'tension'", "start", "at most 18"),
    ),
    "five dice": ("clockmaker", setting("counters", "tension", "dice", "count", value=5), ("'tension'", "4", "5")),
    "one-sided dice": ("clockmaker", setting("counters", "tension", "dice", "sides", value=1), ("'tension'", "2", "1")),
    "four counters": (
        "oracle",
        lambda kit: kit["counters"].update({n: {"name": n, "start": 0, "most": 1} for n in ("a", "b")}),
        ("field 'counters'", "4", "3"),
    ),
    "unknown counter": (
        "oracle",
        _effect([{"gain": {"counter": "luck", "count": 1}}]),
        ("do part 1 (gain)", "unknown counter 'luck'", "known: omen, doubt"),
    ),
    "count of a counter": (
        "oracle",
        _effect([{"spend": {"counter": "omen", "count": 0}}]),
        ("do part 1 (spend)", "count", "1", "0"),
    ),
    "roll without dice": ("oracle", _effect([{"roll": 1}]), ("do part 1 (roll)", "no dice", "`dice`")),
    "condition that never holds": (
        "oracle",
        _effect([{"if": {"counter": "doubt", "at_least": 4}, "then": ["progress"]}]),
        ("'doubt' never stands at 4", "at most 3"),
    ),
    # Bodies, and the summons without which the game is lost.
    "four attached": ("clockmaker", setting("summons", "weight", "count", value=3), ("4 attached units", "allowed: 3")),
    "vital stranger": ("oracle", setting("vital", value="ghost"), ("field 'vital'", "'ghost'", "known: vessel, raven")),
    "vital summons that are never there": (
        "oracle",
        setting("vital", value="raven"),
        ("field 'vital'", "no 'raven' is on the board", "when: setup"),
    ),
    # Face-down cards, and what replaces the draw.
    "face down without a deck": (
        "clockmaker",
        setting("face_down", value=1),
        ("field 'face_down'", "deck", "Reaction"),
    ),
    "three face down": ("oracle", setting("face_down", value=3), ("field 'face_down'", "2", "3")),
    "instead of a draw, with a deck": (
        "oracle",
        setting("passives", 1, "when", value="instead_of_draw"),
        ("passive 2 'Vigil'", "when", "without action cards only: instead_of_draw"),
    ),
    # Tiles.
    "idle tile": ("oracle", without("tiles", "altar", "on_cue"), ("tile 'altar'", "on_enter, on_cue")),
    "seven tiles for a cue": (
        "clockmaker",
        setting("tiles", "chime", "pool", value=3),
        ("field 'tiles'", "7 tiles with on_cue", "gear 4, chime 3", "allowed: 6"),
    ),
    "nothing to cue": (
        "oracle",
        lambda kit: kit["tiles"]["altar"].update(on_enter=kit["tiles"]["altar"].pop("on_cue")),
        ("(cue)", "nothing to cue", "`on_cue`"),
    ),
    "directed tile without a way": (
        "clockmaker",
        without("abilities", 0, "effects", 1, "do", 0, "choose_one", 0, 0, "place_tile", "way"),
        ("'gear' is laid with a direction", "'way' is missing"),
    ),
    "way of a tile without direction": (
        "clockmaker",
        setting("abilities", 0, "effects", 1, "do", 0, "choose_one", 0, 0, "place_tile", "tile", value="chime"),
        ("way", "'chime' has no direction", "directed: true"),
    ),
    "way that is a zone": (
        "clockmaker",
        setting("abilities", 0, "effects", 1, "do", 0, "choose_one", 0, 0, "place_tile", "way", value="place"),
        ("'place' is a zone", "needs a direction"),
    ),
    "way in a tile without direction": (
        "clockmaker",
        setting("tiles", "chime", "on_enter", value=[{"move": {"unit": "unit", "way": "way"}}]),
        ("tile 'chime'", "unknown variable 'way'"),
    ),
    "unknown kind of tile": (
        "oracle",
        _effect(cost=[{"choose_zone": {"as": "z", "where": {"tile": "mural"}}}]),
        ("tile", "unknown tile 'mural'", "known: altar"),
    ),
    # Costs.
    "pay more than there can be": (
        "oracle",
        _effect(cost=[{"pay": {"counter": "doubt", "count": 4}}]),
        ("cost part 1 (pay)", "'doubt' never stands at 4", "at most 3"),
    ),
    "pay twice": (
        "oracle",
        _effect(cost=[{"pay": {"counter": "omen"}}, {"pay": {"counter": "omen"}}]),
        ("cost part 2 (pay)", "'omen' at most once"),
    ),
    "sacrifice of a unit": (
        "oracle",
        _effect(cost=[{"choose_unit": {"as": "it", "where": {"side": "mine"}}}, {"sacrifice": "it"}]),
        ("cost part 2 (sacrifice)", "'it' is a unit", "needs a zone"),
    ),
    "sacrifice of anybody": (
        "oracle",
        _effect(cost=[{"choose_zone": {"as": "z", "where": {"holds": {"kind": "summon"}}}}, {"sacrifice": "z"}]),
        ("cost part 2 (sacrifice)", "holds: {side: mine, kind: KIND}", "summon, vessel, raven"),
    ),
    "sacrifice before the rest": (
        "oracle",
        _effect(cost=[LOCK, {"sacrifice": "z"}, {"pay": {"counter": "omen"}}]),
        ("cost part 3 (pay)", "a sacrifice must be the last"),
    ),
    "two sacrifices": (
        "oracle",
        _effect(cost=[LOCK, {"sacrifice": "z"}, {"sacrifice": "z"}]),
        ("cost part 3 (sacrifice)", "a sacrifice must be the last"),
    ),
    "requirement of a choice": (
        "oracle",
        _effect(cost=[LOCK, {"require": {"zone": "z", "is": {"tile": True}}}]),
        ("cost part 2 (require)", "no variable but me", "'z'"),
    ),
    "requirement next to a choice": (
        "oracle",
        _effect(cost=[LOCK, {"require": {"units": {"touching": {"adjacent_to": "z"}}}}]),
        ("cost part 2 (require)", "no variable but me", "'z'"),
    ),
    "requirement of what is paid": (
        "oracle",
        _effect(cost=[{"pay": {"counter": "omen"}}, {"require": {"counter": "omen"}}]),
        ("cost part 2 (require)", "'omen' must come before it is paid"),
    ),
    "requirement of what is exhausted": (
        "oracle",
        _effect(cost=[{"exhaust": "me"}, {"require": {"unit": "me", "is": {"exhausted": False}}}]),
        ("cost part 2 (require)", "before the exhaust"),
    ),
    "choice next to a choice": (
        "oracle",
        _effect(cost=[LOCK, {"choose_zone": {"as": "y", "where": {"touching": {"adjacent_to": "z"}}}}]),
        ("cost part 2 (choose_zone)", "`adjacent_to` or `within`"),
    ),
    "choice of who stands next to a choice": (
        "oracle",
        _effect(cost=[LOCK, {"choose_zone": {"as": "y", "where": {"holds": {"adjacent_to": "z"}}}}]),
        ("cost part 2 (choose_zone)", "`adjacent_to` or `within`"),
    ),
    # Selections and conditions.
    "touching within touching": (
        "oracle",
        _effect([{"damage": {"units": {"touching": {"touching": {}}}}}]),
        ("touching", "inside another `touching`"),
    ),
    "unknown kind that is touched": (
        "oracle",
        _effect([{"damage": {"units": {"touching": {"kind": "ghost"}}}}]),
        ("touching", "'ghost'", "vessel, raven"),
    ),
    "passive of units that touch": (
        "oracle",
        setting("passives", 2, "where", value={"touching": {"side": "mine"}}),
        ("passive 3 'Feathers'", "where", "side, kind, token"),
    ),
    "form of an artist with one": (
        "scribe",
        setting("actions", 2, "effects", 0, "do", value=[{"if": {"form": "second"}, "then": ["progress"]}]),
        ("'bleeding_stroke'", "one form only", "mode: becomes"),
    ),
    "third form": (
        "oracle",
        _effect([{"if": {"form": "third"}, "then": ["progress"]}]),
        ("form", "'first' or 'second'", "'third'"),
    ),
    # What the artist becomes.
    "becomes without its own ascension": ("oracle", without(*BECOMES, "ascended"), ("ascended side", "'ascended'")),
    "becomes twice": (
        "oracle",
        lambda kit: kit["abilities"][0]["ascended"].update(ascended=copy.deepcopy(kit["abilities"][0]["ascended"])),
        ("ascended side", "until_used, immediate"),
    ),
    "becomes with one effect": (
        "oracle",
        lambda kit: kit["abilities"][0]["ascended"].update(effects=kit["abilities"][0]["ascended"]["effects"][:1]),
        ("ascended side", "at least two effects", "AW-M9"),
    ),
    "becomes without progress": (
        "oracle",
        setting(*BECOMES, "effects", 0, "do", value=["descend"]),
        ("ascended side", "`progress`", "AW-M9"),
    ),
    "sides of one name": ("oracle", setting(*BECOMES, "ascended", "name", value="Oracle"), ("same name 'Oracle'",)),
    "side with the name of a card": ("oracle", setting(*BECOMES, "name", value="Averted"), ("same name 'Averted'",)),
    "what was becomes immediate without descend": (
        "oracle",
        setting(*BECOMES, "ascended", "do", value=["descend", "progress"]),
        ("ascended side", "must end with `descend`"),
    ),
    # AW-C14.
    "counter that comes back": (
        "oracle",
        setting(*CONSULT, value={"kind": "intention", "cost": [{"pay": {"counter": "omen"}}], "do": ["cue"]}),
        ("'oracle', effect 2", "AW-C14", "the Omen that it pays can be gained again by", "Oracle [2]"),
    ),
    "dice that are rolled again": (
        "clockmaker",
        setting("abilities", 4, "effects", 0, "cost", 0, "pay", "counter", value="tension"),
        ("'rewind', effect 1", "the Tension that it pays can be gained again by", "Rewind [1]"),
    ),
    "sacrifice that comes back": (
        "oracle",
        lambda kit: (
            kit["abilities"][2].update(effects=[FREE]),
            kit["abilities"][3]["effects"][0]["do"].append({"summon": {"kind": "raven", "zone": "place"}}),
        ),
        ("'last_rite'", "AW-C14", "the Raven that it sacrifices can be summoned again by Last Rite"),
    ),
    "sacrifice of whoever comes back": (
        "oracle",
        lambda kit: (
            kit["abilities"][3]["effects"][0]["cost"][0]["choose_zone"]["where"]["holds"].update(kind="summon"),
            kit["abilities"][3]["effects"][0]["do"].append({"summon": {"kind": "vessel", "zone": "place"}}),
            kit["abilities"][1].update(unit="none", effects=[FREE]),
        ),
        ("'last_rite'", "AW-C14", "the summon that it sacrifices can be summoned again by Last Rite"),
    ),
    "requirement alone": (
        "oracle",
        setting(*CONSULT, "cost", value=[{"require": {"counter": "omen", "at_least": 6}}, {"choose_direction": "way"}]),
        ("'oracle', effect 2", "AW-C14", "nothing in its cost", "pay", "sacrifice"),
    ),
    "endless once it has become": (
        "oracle",
        setting(*BECOMES, "effects", 1, "cost", value=[]),
        ("'oracle', ascended side, effect 2", "AW-C14", "nothing in its cost"),
    ),
    "endless when it ascends again": (
        "clockmaker",
        setting(*BECOMES, "ascended", "effects", 1, "do", value=[{"refresh": "me"}]),
        ("AW-C14", "made ready again by Striking Twelve [2]"),
    ),
    "body that is moved": (  # the Pendulum's move moves the artist as well
        "clockmaker",
        lambda kit: kit["passives"][3].update(
            where={"side": "mine", "kind": "artist"},
            do=[{"choose_unit": {"as": "it", "where": {"kind": "pendulum"}}}, {"refresh": "it"}],
        ),
        ("'pendulum', effect 1", "AW-C14", "the Pendulum that it exhausts can be made ready again by", "Pendulum [1]"),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_used_is_refused_with_an_explanation(case: str) -> None:
    """AW-C14, AW-M9, AW-M10: the message names the file, the card, the field, and what would be allowed."""
    name, change, named = REFUSED[case]
    assert_refused(name, change, named)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        # A counter that only turns bring back, a sacrifice of what only action cards summon.
        ("oracle", setting("abilities", 3, "effects", 0, value=_intention({"pay": {"counter": "doubt"}}))),
        ("oracle", setting("abilities", 3, "effects", 0, value=_intention(LOCK, {"sacrifice": "z"}))),
        # What happens once a game, when the artist becomes something else, does not make anything ready again.
        ("clockmaker", lambda kit: kit["abilities"][0]["ascended"]["do"].append({"refresh": "me"})),
        # A requirement before what is paid; a sacrifice chosen by nothing but its kind.
        ("oracle", _effect(cost=[{"require": {"counter": "omen"}}, {"pay": {"counter": "omen"}}])),
        (
            "oracle",
            _effect(cost=[{"choose_zone": {"as": "z", "where": {"holds": {"kind": "raven"}}}}, {"sacrifice": "z"}]),
        ),
        # `diagonal_to` and `touching`, of one's own unit.
        ("oracle", _effect(cost=[{"choose_unit": {"as": "u", "where": {"touching": {"diagonal_to": "me"}}}}])),
        # A tile that acts both when it is entered and on a cue, and one with a direction that only waits to be entered.
        ("oracle", setting("tiles", "altar", "on_enter", value=["progress"])),
    ],
)
def test_what_is_sound_is_not_refused(name: str, change: Change) -> None:
    """AW-C14 and the limits of costs refuse no more than they must."""
    kit = copy.deepcopy(raw(name))
    change(kit)
    read(kit)


# ------------------------------------------------------------------------------------------------------------ printed text


def test_words_of_costs() -> None:
    artist = oracle()
    assert words(artist, "offering").startswith(
        "Only if there are at least 2 Vessel units: choose a zone where a friendly summon stands and sacrifice the summon in the "
        "chosen zone. / "
    )
    assert words(artist, "forbidden_reading", 1) == (
        "Only if Omen is at least 2: pay 2 Omen and discard a card. / Draw 2 cards, then lose 1 Omen."
    )
    only = read(snippet(cost=[{"require": {"ascended": False}}]))
    assert words(only, "foretold") == "Only if the Oracle is not ascended. / Progress the masterpiece."
    several = [{"require": {"form": "first"}}, {"require": {"counter": "doubt"}}, {"pay": {"counter": "omen"}}]
    assert words(read(snippet(cost=several)), "foretold").startswith(
        "Only if the Oracle has not become Voice of the Deep and Doubt is at least 1: pay 1 Omen. / "
    )


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (["cue"], "Cue your Altar tiles."),
        (["defeat"], "You lose the game."),
        ([{"gain": {"counter": "omen", "count": "all"}}], "Raise Omen to 6."),
        ([{"gain": {"counter": "omen"}}], "Gain 1 Omen."),
        ([{"spend": {"counter": "omen", "count": "all"}}], "Lose all Omen."),
        (
            [{"damage": {"units": {"side": "theirs", "diagonal_to": "me", "touching": {"kind": "raven"}}}}],
            "Deal 1 damage to each enemy unit diagonally adjacent to the Oracle and adjacent to a Raven.",
        ),
        ([{"damage": {"zones": {"tile": "altar"}}}], "Deal 1 damage to each zone with an Altar tile."),
        (
            [{"if": {"units": {"diagonal_to": "me"}}, "then": ["progress"]}],
            "If there is a unit diagonally adjacent to the Oracle, progress the masterpiece.",
        ),
        (
            [{"if": {"unit": "me", "is": {"touching": {"side": "theirs"}}}, "then": ["progress"]}],
            "If the Oracle is adjacent to an enemy unit, progress the masterpiece.",
        ),
        (
            [
                {"choose_zone": {"as": "z", "where": {"tile": False}}},
                {"if": {"zone": "z", "is": {"tile": "altar"}}, "then": ["progress"]},
            ],
            "Choose a zone without a tile. If that zone has an Altar tile, progress the masterpiece.",
        ),
        (
            [
                {
                    "choose_one": [
                        [{"choose_unit": {"as": "it", "where": {"kind": "raven"}}}, "progress", {"refresh": "it"}],
                        [{"choose_unit": {"as": "it", "where": {"kind": "vessel"}}}, "progress", {"refresh": "it"}],
                    ]
                }
            ],
            "Choose one: (1) choose a Raven, then progress the masterpiece; refresh that unit; "
            "(2) choose a Vessel, then progress the masterpiece; refresh that unit.",
        ),
        (
            [
                {"choose_zone": {"as": "z", "where": {"tile": True}}},
                {"choose_unit": {"as": "it", "where": {"other_than": "z"}}},
                {"if": {"unit": "it", "is": {"other_than": "z"}}, "then": ["progress"]},
                {"damage": {"units": {"other_than": "it"}}},
            ],
            "Choose a zone with a tile, then choose a unit outside that zone. If that unit is not in that zone, progress the "
            "masterpiece. Deal 1 damage to each unit other than that unit.",
        ),
        (
            [
                {"choose_unit": {"as": "it", "where": {"side": "theirs"}}},
                {"let": {"zone": "mine", "of": "me"}},
                {"let": {"zone": "theirs", "of": "it"}},
                {"damage": {"zone": "mine"}},
                {"damage": {"zone": "theirs"}},
            ],
            "Choose an enemy unit, then note the Oracle's zone. Note that unit's zone, then deal 1 damage to the first noted zone. "
            "Deal 1 damage to the second noted zone.",
        ),
    ],
)
def test_words_of_parts(parts: list[Any], text: str) -> None:
    assert words(read(snippet(parts)), "foretold") == f" / {text}"


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        # What is optional, and what follows it.
        (
            "{choose_unit: {as: it, where: {side: theirs}, optional: true}}, draw: 1",
            "You may choose an enemy unit. Draw a card.",
        ),
        (
            "{choose_unit: {as: it, where: {side: theirs}, optional: true}}, refresh: it",
            "You may choose an enemy unit, then refresh that unit.",
        ),
        ("may: [{choose_unit: {as: it, where: {}}}, draw: 1]", "You may choose a unit, then draw a card."),
        ("may: [{draw: 1}, {draw: 2}, {draw: 3}]", "You may: draw a card, then draw 2 cards; draw 3 cards."),
        ("may: [{if: {counter: omen}, then: [draw: 1]}]", "You may: if Omen is at least 1, draw a card."),
        # Where a list inside a list ends.
        (
            "may: [{draw: 1}, {may: [{draw: 2}, {draw: 3}]}, {draw: 4}]",
            "You may: draw a card; you may draw 2 cards, then draw 3 cards; draw 4 cards.",
        ),
        (
            "may: [{draw: 1}, {may: [{draw: 2}, {draw: 3}, {draw: 4}]}, {draw: 5}]",
            "You may: draw a card; (you may: draw 2 cards, then draw 3 cards; draw 4 cards); draw 5 cards.",
        ),
        (
            "if: {counter: omen}, then: [{if: {counter: doubt}, then: [{draw: 1}, {draw: 2}, {draw: 3}]}, {draw: 4}]",
            "If Omen is at least 1: (if Doubt is at least 1: draw a card, then draw 2 cards; draw 3 cards); draw 4 cards.",
        ),
        (
            "choose_one: [[{choose_one: [[draw: 1], [draw: 2]]}], [draw: 3]]",
            "Choose one: (1) (choose one: (1) draw a card; (2) draw 2 cards); (2) draw 3 cards.",
        ),
        # To which "if" an "otherwise" belongs.
        (
            "if: {counter: omen}, then: [{if: {counter: doubt}, then: [draw: 1]}], else: [draw: 2]",
            "If Omen is at least 1: (if Doubt is at least 1, draw a card). Otherwise, draw 2 cards.",
        ),
        (
            "if: {counter: omen}, then: [{if: {counter: doubt}, then: [draw: 1], else: [draw: 2]}]",
            "Only if Omen is at least 1: if Doubt is at least 1, draw a card; otherwise, draw 2 cards.",
        ),
        # Than whom somebody is another one.
        ("{choose_unit: {as: it, where: {other_than: me}}}, exhaust: it", "Exhaust another unit of your choice."),
        (
            "{choose_unit: {as: it, where: {side: theirs}}}, {damage: {units: {adjacent_to: it, other_than: me}}}",
            "Choose an enemy unit, then deal 1 damage to each unit adjacent to that unit other than the Oracle.",
        ),
        (
            "damage: {units: {touching: {other_than: me}}}",
            "Deal 1 damage to each unit adjacent to a unit other than the Oracle.",
        ),
        # What is in line with a zone or a unit is not that zone or unit itself.
        (
            "{choose_zone: {as: z, where: {}}}, {damage: {zones: {in_line_with: z}}}",
            "Choose a zone, then deal 1 damage to each other zone in the row or column of that zone.",
        ),
        (
            "{choose_zone: {as: z, where: {}}}, {damage: {units: {in_line_with: z}}}",
            "Choose a zone, then deal 1 damage to each unit in the row or column of that zone outside that zone.",
        ),
        (
            "{choose_unit: {as: it, where: {in_line_with: me}}}, exhaust: it",
            "Exhaust another unit of your choice in the row or column of the Oracle.",
        ),
        (
            "damage: {units: {side: theirs, in_line_with: me}}",
            "Deal 1 damage to each enemy unit in the row or column of the Oracle.",
        ),
        (
            "{choose_zone: {as: z, where: {}}}, {damage: {zones: {within: {of: me, distance: 1}, other_than: me}}}",
            "Choose a zone, then deal 1 damage to each zone within 1 zone of the Oracle other than the Oracle's zone.",
        ),
        (
            "{choose_zone: {as: z, where: {}}}, {damage: {zones: {within: {of: z, distance: 1}, other_than: z}}}",
            "Choose a zone, then deal 1 damage to each other zone within 1 zone of that zone.",
        ),
    ],
)
def test_words_with_one_reading(parts: str, text: str) -> None:
    """A text says which part belongs to what: other programs have other texts."""
    do = yaml.safe_load(f"[{parts}]" if parts[0] == "{" else f"[{{{parts}}}]")
    assert words(read(snippet(do)), "foretold") == f" / {text}"


def test_words_of_what_is_adjacent_in_a_cost() -> None:
    """It is adjacent to the unit that the cost has exhausted, as long as no other unit or zone has been named since."""
    chosen: list[Any] = [
        {"choose_direction": "way"},
        {"choose_zone": {"as": "z", "where": {"adjacent_to": "me"}}},
        {"choose_unit": {"as": "it", "where": {"adjacent_to": "me"}}},
    ]
    assert words(read(snippet(cost=[{"exhaust": "me"}, *chosen])), "foretold").startswith(
        "Exhaust the Oracle, choose a direction, choose an adjacent zone and choose a unit adjacent to the Oracle. / "
    )


def test_words_of_what_tokens_set_off() -> None:
    """A token more sets it off again, as in the rules (AW-U14): "when a zone comes to hold 3" would say that it does not."""
    dancer = load_artist("dancer")
    assert "Whenever one is placed in a zone that then holds at least 3: summon" in token_text(
        dancer, dancer.tokens["scale"]
    )


def test_words_of_tiles_and_passives() -> None:
    artist = clockmaker()
    assert tile_text(artist, artist.tiles["belt"]) == (
        "2 in all. Laid with a direction. When a unit enters: "
        "remove the tile in that zone, then move that unit 1 zone the way the Belt points."
    )
    assert tile_text(artist, artist.tiles["chime"]).startswith(
        "2 in all. When a unit enters: lose 1 Hour. When cued: deal 1 damage to each zone"
    )
    assert "When cued: if that zone is occupied, move the unit there 1 zone" in tile_text(artist, artist.tiles["gear"])
    assert passive_text(artist, artist.passives[1]) == (
        "Instead of drawing in the draw phase: gain 1 Hour, then roll your lowest die. If Hour is at least 24, you lose the game."
    )
    push = {"move": {"unit": "other", "way": {"away_from": "unit"}}}
    crowd = {"for_each": {"unit": "other", "where": {"adjacent_to": "unit"}, "do": [push, {"exhaust": "other"}]}}
    kit = snippet()
    kit["passives"].append({"name": "Shout", "when": "unit_moved", "do": [crowd]})
    loud = read(kit, allow_unbounded_abilities=True)
    assert passive_text(loud, loud.passives[-1]) == (
        "When a unit moves: for each unit adjacent to that unit, move this unit 1 zone away from that unit, then exhaust this unit."
    )
    watch = {
        "name": "Watch",
        "when": "unit_moved",
        "where": {"side": "theirs", "no_token": "mortar"},
        "do": [{"draw": 1}],
    }
    kit = raw("mason")
    kit["passives"].append(watch)
    watchful = read(kit)
    assert passive_text(watchful, watchful.passives[-1]) == (
        "When an enemy unit moves and then stands in a zone without a Mortar: draw a card."
    )
    assert "place a Gear tile in the chosen zone, pointing in the chosen direction" in words(artist, "clockmaker", 1)
    assert words(artist, "clockmaker", 1).endswith("In any case, roll your lowest die 2 times.")


def test_the_page_of_an_artist_that_becomes_another() -> None:
    page = page_text(clockmaker(), 300)
    for line in (
        "Hour (counter). Starts at 0; at most 24.",
        "Tension (dice). 3 dice with 6 sides, added up. Starts at 7.",
        "Pendulum x1. Moves as one body with the Clockmaker.",
        "Grand Clock (for good, instead of ascending). At once: raise Tension to 18, then lose all Hour.",
        "[2] Strike, Intention. Cost: Exhaust the Clockmaker, pay 6 Tension and choose another zone in the row or column of the "
        "Clockmaker.",
        "Striking Twelve (ascended side of Grand Clock)",
        "[3] Echo, Reaction. Cost: Pay 3 Tension.",
    ):
        assert line in page, line
    page = page_text(oracle(), 300)
    for line in (
        "Immune. The Oracle takes no damage.",
        "Vital. You lose the game when the last Vessel leaves the board.",
        "Face-down cards. Up to 2 action cards with a Reaction may lie face down",
        "Flood (at once on ascending as Voice of the Deep). Deal 1 damage to each enemy unit.",
    ):
        assert line in page, line


def test_the_provenance_of_what_the_artist_is_stands_beside_it() -> None:
    page = page_text(oracle(), 300).splitlines()
    title = next(line for line in page if line.startswith("The Oracle"))
    assert title.endswith("designed") and "immune" not in title
    assert next(line for line in page if "Immune. " in line).rstrip().endswith("designed")


def test_effects_of_every_side_are_effects_of_the_artist() -> None:
    for artist, count in ((clockmaker(), 16), (oracle(), 17)):
        assert len(effects_of(artist)) == count
    assert effect(clockmaker(), "clockmaker", 2) in [item for _, item in effects_of(clockmaker())]
