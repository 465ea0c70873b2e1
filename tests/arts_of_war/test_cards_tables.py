"""Card files: the options of the rules and the compiled tables."""

from typing import Any

import numpy as np
import pytest
import yaml

from react_env.errors import CardError, OptionError, ReactEnvError
from react_env.games.arts_of_war import state as s
from react_env.games.arts_of_war.cards.compiler import FAR
from react_env.games.arts_of_war.rules import EDITIONS, RulesConfig, editions, load_rules, middle_starts, zone_number
from tests.arts_of_war.kits import program, raw, read, tables

# ---------------------------------------------------------------------- rules


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


# ---------------------------------------------------------------------- tables


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
    switches = (
        "first_game_hand",
        "sourceless_effects_fizzle",
        "trigger_order_zones",
        "replaced_masterpiece_lost",
        "masterpiece_sides_same",
        "loss_check_part",
        "refresh_before_effects",
    )
    for name in switches:
        assert t[name] == 0
    assert (t["masterpiece_check_own_progress"], t["forced_passes_announced"], t["first_player"], t["max_turns"]) == (
        0,
        0,
        -1,
        60,
    )
    assert t["full_hand_spares_deck_out"] == t["ability_once_per_chain"] == t["shared_ability_card"] == 1
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
            loss_check="part",
            refresh="before_effects",
        )
    )
    for name in switches:
        assert t[name] == 1
    assert (t["masterpiece_check_own_progress"], t["forced_passes_announced"], t["first_player"], t["max_turns"]) == (
        1,
        1,
        1,
        9,
    )
    assert t["full_hand_spares_deck_out"] == t["ability_once_per_chain"] == t["shared_ability_card"] == 0


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
    assert t["ascend_mode"][:, 0].tolist() == [s.ASCEND_LASTING] * 2
    assert t["ascend_code"].tolist() == [[-1, -1]] * 2
    first = t["card_effects"][0, 4]
    assert (first >= 0).sum() == 4
    assert t["effect_side"][first[:4]].tolist() == [s.SIDE_NORMAL] * 2 + [s.SIDE_ASCENDED] * 2
    assert t["effect_number"][first[:4]].tolist() == [0, 1, 0, 1]
    assert t["effect_side"][t["card_effects"][1, 4, :6]].tolist() == [s.SIDE_NORMAL] * 3 + [s.SIDE_ASCENDED] * 3
    assert t["trigger_event"][1].tolist() == [s.T_MOVED] + [s.T_NONE] * 5


def test_features_of_cards() -> None:
    t = tables(pair=("scribe", "dancer"))
    flowing = {int(flag) for flag in np.flatnonzero(t["card_features"][0, 0])}
    assert flowing == {s.CF_ACTION, s.CF_REACTION, s.CF_LOCK_WAY, s.CF_TOKEN, s.CF_MOVE}
    respite = {int(flag) for flag in np.flatnonzero(t["card_features"][0, 6])}
    assert respite == {s.CF_REACTION, s.CF_LOCK_UNIT, s.CF_PAYS, s.CF_TOKEN, s.CF_BLOCK}
    artist = {int(flag) for flag in np.flatnonzero(t["card_features"][0, 4])}
    assert artist == {s.CF_INTENTION, s.CF_EXHAUST, s.CF_PROGRESS, s.CF_MOVE, s.CF_TOKEN, s.CF_DAMAGE}


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
    """Registers, selections, kinds and jump targets are in range; jumps stay in their program; equal selections are stored once."""
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
    """The rows of one artist mean the same whoever the other is: the same cards, features and triggers."""
    one, two = tables(), tables(pair=("mason", "dancer"))
    for name in ("card_features", "card_kind", "slot_kind", "token_pool", "token_at", "trigger_event"):
        assert np.array_equal(one[name][1], two[name][1])
