"""From artists to tables: every card, unit, token and tile of two artists as numbers that the engine reads.

Files are checked while they are compiled (`checks.py`, `program.py`), so what is accepted is what runs. `state.py` explains the
tables.
"""

import numpy as np
from numpy.typing import NDArray

from react_env.content.files import Fault
from react_env.content.options import fill
from react_env.errors import OptionError
from react_env.games.arts_of_war import state as s
from react_env.games.arts_of_war.cards import schema as C
from react_env.games.arts_of_war.cards.checks import check_kit
from react_env.games.arts_of_war.cards.operations import AddToken
from react_env.games.arts_of_war.cards.program import Code, Loc, Program, listed, walk
from react_env.games.arts_of_war.rules import RulesConfig, zone_number

# The most that one artist may use, so that any two fit the tables together. Row 0 of the code is an empty program.
CODE_LIMIT = (s.CODE_ROWS - 1) // 2
SEL_LIMIT = 64  # not SEL_ROWS / 2, because a selection refers to another one in one byte
EFFECT_LIMIT = s.EFFECT_ROWS // 2
FAR = 99  # distance to a zone that does not exist
_NOTHING_THERE = (
    *("card_kind", "card_effects", "slot_kind", "token_code", "tile_code", "tile_cue", "dice_counter", "trigger_sel"),
    *("trigger_code", "ascend_code", "effect_kind", "effect_side", "effect_number"),
)
_ASCEND_MODES = {"until_used": s.ASCEND_LASTING, "immediate": s.ASCEND_IMMEDIATE, "becomes": s.ASCEND_BECOMES}
# The bits (SIDE_*) for the effects of each of a card's `sides`, by the modes of its other sides; an immediate side has no effects.
_MASKS: dict[tuple[str, ...], tuple[int, ...]] = {
    (): (s.SIDE_ANY,),
    ("until_used",): (s.SIDE_NORMAL, s.SIDE_ASCENDED),
    ("immediate",): (s.SIDE_FIRST,),
    ("becomes", "until_used"): (s.SIDE_FIRST, s.SIDE_SECOND, s.SIDE_SECOND_ASCENDED),
    ("becomes", "immediate"): (s.SIDE_FIRST, s.SIDE_SECOND_BOTH),
}


class Compiler:
    """Fills the tables of both artists, one after the other."""

    def __init__(self) -> None:
        self.code = Code()
        self.tables: NDArray[np.void] = np.zeros(1, s.TABLES)
        for name in _NOTHING_THERE:
            self.tables[0][name] = -1

    def artist(self, player: int, artist: C.Artist) -> None:
        """Compile one artist. Raises Fault."""
        check_kit(artist)
        before = self._sizes()
        self._kinds(player, artist)
        for program in artist.triggered():
            if program.column == "trigger_code":
                self._moment(player, program.number, artist)
            self._triggered(player, artist, program)
        for loc, card in artist.cards:
            self._card(player, artist, card, loc)
        for program in artist.ascending():
            self._triggered(player, artist, program)
        limits = {"rows of code": CODE_LIMIT, "selections": SEL_LIMIT, "effects": EFFECT_LIMIT}
        for (what, limit), used in zip(limits.items(), np.subtract(self._sizes(), before)):
            if used > limit:
                raise Fault((), f"the artist is too large: {used} {what}; allowed: {limit}")

    def _sizes(self) -> tuple[int, int, int]:
        return len(self.code.rows), len(self.code.sels), len(self.code.effects)

    def _kinds(self, player: int, artist: C.Artist) -> None:
        """Fill in what the artist has and is, without its programs."""
        t, kinds, attached = self.tables[0], [0], [0]
        for number, summon in enumerate(artist.summons.values(), start=1):
            kinds += [number] * summon.count
            attached += [int(summon.attached)] * summon.count
        t["slot_kind"][player, : len(kinds)], t["slot_attached"][player, : len(kinds)] = kinds, attached
        for number, counter in enumerate(artist.counters.values()):
            t["counter_most"][player, number] = counter.highest
            t["counter_start"][player, number] = counter.start
            if counter.dice is not None:
                t["dice_counter"][player] = number
                t["dice"][player], t["dice_sides"][player] = counter.dice.count, counter.dice.sides
        for number, token in enumerate(artist.tokens.values()):
            t["token_exists"][player, number] = 1
            t["token_on_unit"][player, number] = token.on_unit
            t["token_pool"][player, number] = token.pool
            t["token_stacks"][player, number] = token.stacks
            t["token_lasts_turn"][player, number] = token.lasts == "turn"
            t["token_blocks"][player, number] = token.blocks_damage
            t["token_at"][player, number] = token.at.count if token.at else 0
        for number, tile in enumerate(artist.tiles.values()):
            t["tile_pool"][player, number] = tile.pool
            t["tile_directed"][player, number] = tile.directed
        for form, side in enumerate(artist.abilities[0].other_sides):
            t["ascend_mode"][player, form] = _ASCEND_MODES[side.mode]
        t["has_deck"][player] = artist.has_deck
        t["immune"][player] = artist.immune
        t["vital"][player] = artist.number("kind", artist.vital, ("vital",)) if artist.vital else 0
        t["face_down_most"][player] = artist.face_down
        t["artist_features"][player] = _artist_features(artist)

    def _moment(self, player: int, number: int, artist: C.Artist) -> None:
        """Fill in when a passive runs."""
        t, passive, loc = self.tables[0], artist.passives[number], ("passives", number, "where")
        t["trigger_event"][player, number] = C.MOMENTS[passive.when][0]
        if passive.where is None:
            return
        if passive.when != "unit_moved":
            raise Fault(loc, f"only unit_moved has `where`; found when: {passive.when}")
        if passive.where.near() or passive.where.touching is not None:
            raise Fault(loc, "its units are chosen by side, kind, token, no_token and exhausted only")
        if passive.where.model_fields_set:
            t["trigger_sel"][player, number] = Program(artist, self.code, me=True).select(passive.where, loc)

    def _triggered(self, player: int, artist: C.Artist, triggered: C.Triggered) -> None:
        program = Program(artist, self.code, me=True)
        for name, kind in triggered.variables.items():
            program.new(name, kind, triggered.loc)
        self.tables[0][triggered.column][player, triggered.number] = program.body(triggered.parts, triggered.loc)

    def _card(self, player: int, artist: C.Artist, card: C.Card, loc: Loc) -> None:
        t, number = self.tables[0], int(loc[1])
        if isinstance(card, C.ActionCard):
            t["card_copies"][player, number] = card.copies
        else:
            number += s.ACTIONS_CARDS
        kinds = {"artist": 0, "none": -1} | {name: kind for kind, name in enumerate(artist.summons, start=1)}
        if card.unit not in kinds:
            raise Fault((*loc, "unit"), f"unknown unit {card.unit!r}; known: {listed(kinds)}")
        t["card_exists"][player, number] = 1
        t["card_kind"][player, number] = kinds[card.unit]
        rows = []
        masks = _MASKS[tuple(side.mode for side in card.other_sides)]
        for (path, _, effects), mask in zip(card.sides, masks):
            for index, effect in enumerate(effects):
                rows.append(self._effect(artist, effect, (*loc, *path, index), mask, index, me=card.unit != "none"))
        t["card_effects"][player, number, : len(rows)] = rows
        damaging = [place for place, row in enumerate(rows, 1) if self.code.effects[row][-1]]
        t["card_damages"][player, number] = max(damaging, default=0)
        t["card_features"][player, number] = _features(artist, card)
        t["card_reacts"][player, number] = t["card_features"][player, number, s.CF_REACTION]

    def _effect(self, artist: C.Artist, effect: C.Effect, loc: Loc, side: int, number: int, me: bool) -> int:
        program = Program(artist, self.code, me)
        cost = program.cost(effect.cost, (*loc, "cost"))
        body = program.body(effect.do, (*loc, "do"))
        kind = s.INTENTION if effect.kind == "intention" else s.REACTION
        damages = any(row[0] == s.OP_DAMAGE for row in self.code.rows[body:])
        self.code.effects.append((kind, side, number, cost, body, damages))
        return len(self.code.effects) - 1


def _artist_features(artist: C.Artist) -> list[int]:
    """What kind of artist this is (AF_*), each 0 or 1."""
    modes = [side.mode for side in artist.abilities[0].other_sides]
    flags = {
        s.AF_DECK: artist.has_deck,
        s.AF_IMMUNE: artist.immune,
        s.AF_VITAL: artist.vital is not None,
        s.AF_FACE_DOWN: artist.face_down > 0,
        s.AF_ATTACHED: len(artist.body) > 1,
        s.AF_LASTING: "until_used" in modes,
        s.AF_BECOMES: "becomes" in modes,
        s.AF_DICE: any(counter.dice for counter in artist.counters.values()),
    }
    return [int(flags[number]) for number in range(s.ARTIST_FEATURES)]


def _features(artist: C.Artist, card: C.Card) -> list[int]:
    """What a card is about, over all its effects (CF_*)."""
    effects = [effect for _, _, effects in card.sides for effect in effects]
    words = [word for effect in effects for word in (*effect.cost, *walk(effect.do))]
    words += [word for side in card.other_sides for word in walk(side.do or [])]
    about = {word.feature for word in words}
    about |= {s.CF_INTENTION if effect.kind == "intention" else s.CF_REACTION for effect in effects}
    if isinstance(card, C.ActionCard):
        about.add(s.CF_ACTION)
    blocking = [name for name, token in artist.tokens.items() if token.blocks_damage]
    if any(isinstance(word, AddToken) and word.token in blocking for word in words):
        about.add(s.CF_BLOCK)
    return [int(feature in about) for feature in range(s.CARD_FEATURES)]


def compile_tables(artist0: C.Artist, artist1: C.Artist, rules: RulesConfig) -> NDArray[np.void]:
    """The tables of a match, shape (1,) of TABLES: geometry, rules, and both artists' cards.

    Raises OptionError for a mirror match that the rules do not allow (AW-S1).
    """
    if artist0.id == artist1.id and not rules.allow_mirror:
        raise OptionError(
            f"both players have the artist {artist0.id!r}: choose another one for one of them, or set allow_mirror (AW-S1)"
        )
    compiler = Compiler()
    compiler.artist(0, artist0)
    compiler.artist(1, artist1)
    t, code = compiler.tables[0], compiler.code
    t["code"][: len(code.rows)] = code.rows
    for begin, end, option in reversed(code.options):
        t["option"][begin:end] = option
    if code.sels:
        t["sels"][: len(code.sels)] = code.sels
    for column, name in enumerate(("kind", "side", "number", "cost", "body", "damages")):
        t[f"effect_{name}"][: len(code.effects)] = [effect[column] for effect in code.effects]
    for player in range(s.PLAYERS):
        order = [player, 1 - player]
        t["seen"][player] = np.concatenate([t[name][order].ravel() for name in ("card_features", "artist_features")])
    _geometry(t, rules)
    t["first_player"] = -1 if rules.first_player == "random" else rules.first_player
    fill(t, s.RULES, rules)
    return compiler.tables


def _geometry(t: np.void, rules: RulesConfig) -> None:
    rows, cols = rules.rows, rules.cols
    t["rows"], t["cols"], t["zones"] = rows, cols, rows * cols
    t["neighbour"], t["distance"] = -1, FAR
    for zone in range(rows * cols):
        row, col = divmod(zone, cols)
        t["row_of"][zone], t["column_of"][zone] = row, col
        for way, (up, right) in enumerate(((1, 0), (0, 1), (-1, 0), (0, -1))):
            if 0 <= row + up < rows and 0 <= col + right < cols:
                t["neighbour"][zone, way] = (row + up) * cols + col + right
        for other in range(rows * cols):
            t["distance"][zone, other] = abs(row - other // cols) + abs(col - other % cols)
    t["start_zone"] = [zone_number(name, cols) for name in rules.start_zones]
