"""From artists to tables: every card, unit, token and tile of two artists as numbers that the engine reads.

What is checked and what is encoded go together (`checks.py`, `program.py`), so that what is accepted is what runs. Tables are
explained in `state.py`.
"""

import numpy as np
from numpy.typing import NDArray

from react_env.content.files import Fault
from react_env.errors import OptionError
from react_env.games.arts_of_war import state as s
from react_env.games.arts_of_war.cards import program as P
from react_env.games.arts_of_war.cards import schema as C
from react_env.games.arts_of_war.cards.checks import check_kit
from react_env.games.arts_of_war.cards.operations import AddToken, Part, Word, part_of, walk
from react_env.games.arts_of_war.cards.selections import Units
from react_env.games.arts_of_war.rules import RulesConfig, zone_number

# What one artist may use, so that any two fit the tables together. Row 0 of the code is an empty program.
CODE_LIMIT = (s.CODE_ROWS - 1) // 2
SEL_LIMIT = 64  # and not SEL_ROWS / 2: a column of the selections names a selection in one byte
EFFECT_LIMIT = s.EFFECT_ROWS // 2
MOVED_LIMIT = s.MOVED_PASSIVES
FAR = 99  # distance to a zone that does not exist

_TRIGGERS = {
    "setup": s.T_SETUP,
    "start_of_my_turn": s.T_START_MINE,
    "start_of_every_turn": s.T_START_EVERY,
    "end_of_my_turn": s.T_END_MINE,
    "end_of_every_turn": s.T_END_EVERY,
    "unit_moved": s.T_MOVED,
    "instead_of_draw": s.T_DRAW,
}
_ASCEND_MODES = {
    "until_used": s.ASCEND_LASTING,
    "immediate": s.ASCEND_IMMEDIATE,
    "becomes": s.ASCEND_BECOMES,
}


class Compiler:
    """Fills the tables of both artists, one after the other."""

    def __init__(self) -> None:
        self.code = P.Code()
        self.tables: NDArray[np.void] = np.zeros(1, s.TABLES)
        t = self.tables[0]
        for name in (
            "card_kind",
            "card_effects",
            "slot_kind",
            "token_code",
            "tile_code",
            "tile_cue",
            "dice_counter",
            "trigger_sel",
            "trigger_code",
            "ascend_code",
        ):
            t[name] = -1
        t["effect_kind"] = t["effect_side"] = t["effect_number"] = -1

    def artist(self, player: int, artist: C.Artist) -> None:
        """Everything of one artist. Raises Fault."""
        check_kit(artist)
        t, kit = self.tables[0], P.Kit(artist)
        before = len(self.code.rows), len(self.code.sels), len(self.code.effects)
        self._units(player, kit)
        self._counters(player, artist)
        self._tokens(player, kit)
        self._tiles(player, kit)
        self._passives(player, kit)
        t["has_deck"][player] = bool(artist.actions)
        t["immune"][player] = artist.immune
        t["vital"][player] = kit.kinds[artist.vital] if artist.vital else 0
        t["face_down_most"][player] = artist.face_down
        t["artist_features"][player] = _artist_features(artist)
        for number, action in enumerate(artist.actions):
            self._card(player, number, kit, action, ("actions", number))
        for number, ability in enumerate(artist.abilities):
            self._card(player, s.ACTIONS_CARDS + number, kit, ability, ("abilities", number))
        self._ascensions(player, kit)
        after = len(self.code.rows), len(self.code.sels), len(self.code.effects)
        for what, used, limit in zip(
            ("rows of code", "selections", "effects"), np.subtract(after, before), (CODE_LIMIT, SEL_LIMIT, EFFECT_LIMIT)
        ):
            if used > limit:
                raise Fault((), f"the artist is too large: {used} {what}; allowed: {limit}")

    def _units(self, player: int, kit: P.Kit) -> None:
        kinds, attached = [0], [0]
        for name, summon in kit.artist.summons.items():
            kinds += [kit.kinds[name]] * summon.count
            attached += [int(summon.attached)] * summon.count
        self.tables[0]["slot_kind"][player, : len(kinds)] = kinds
        self.tables[0]["slot_attached"][player, : len(kinds)] = attached

    def _counters(self, player: int, artist: C.Artist) -> None:
        t = self.tables[0]
        for number, counter in enumerate(artist.counters.values()):
            t["counter_most"][player, number] = counter.highest
            t["counter_start"][player, number] = counter.start
            if counter.dice is not None:
                t["dice_counter"][player] = number
                t["dice"][player], t["dice_sides"][player] = counter.dice.count, counter.dice.sides

    def _tokens(self, player: int, kit: P.Kit) -> None:
        t = self.tables[0]
        for number, (name, token) in enumerate(kit.artist.tokens.items()):
            t["token_exists"][player, number] = 1
            t["token_on_unit"][player, number] = token.place == "unit"
            t["token_pool"][player, number] = token.pool
            t["token_stacks"][player, number] = token.stacks
            t["token_lasts_turn"][player, number] = token.lasts == "turn"
            t["token_blocks"][player, number] = token.blocks_damage
            if token.at is not None:
                t["token_at"][player, number] = token.at.count
                loc = ("tokens", name, "at", "do")
                t["token_code"][player, number] = self._triggered(kit, token.at.do, loc, here=P.ZONE)

    def _tiles(self, player: int, kit: P.Kit) -> None:
        t = self.tables[0]
        for number, (name, tile) in enumerate(kit.artist.tiles.items()):
            variables = {"unit": P.UNIT, "here": P.ZONE} | ({"way": P.WAY} if tile.directed else {})
            t["tile_pool"][player, number] = tile.pool
            t["tile_directed"][player, number] = tile.directed
            for column, key, parts in (("tile_code", "on_enter", tile.on_enter), ("tile_cue", "on_cue", tile.on_cue)):
                if parts is not None:
                    t[column][player, number] = self._triggered(kit, parts, ("tiles", name, key), **variables)

    def _triggered(self, kit: P.Kit, parts: list[Part], loc: P.Loc, **variables: str) -> int:
        """A program that no card runs: `me` is the owner's artist."""
        program = P.Program(kit, self.code, me=True)
        for name, kind in variables.items():
            program.new(name, kind, loc)
        return program.body(parts, loc)

    def _passives(self, player: int, kit: P.Kit) -> None:
        t = self.tables[0]
        moved = [passive.name for passive in kit.artist.passives if passive.when == "unit_moved"]
        if len(moved) > MOVED_LIMIT:
            raise Fault(
                ("passives",),
                f"{len(moved)} passives with when: unit_moved ({P.listed(moved)}); allowed: {MOVED_LIMIT}",
            )
        for number, passive in enumerate(kit.artist.passives):
            loc: P.Loc = ("passives", number)
            t["trigger_event"][player, number] = _TRIGGERS[passive.when]
            if passive.when == "unit_moved":
                where = passive.where or Units()
                if where.near() or where.touching is not None:
                    raise Fault(
                        (*loc, "where"),
                        "the units that trigger it are told by side, kind, token, no_token and exhausted only",
                    )
                if where.model_fields_set:
                    program = P.Program(kit, self.code, me=True)
                    t["trigger_sel"][player, number] = program.select(where, (*loc, "where"))
                row = self._triggered(kit, passive.do, (*loc, "do"), unit=P.UNIT, left=P.ZONE)
            else:
                if passive.where is not None:
                    raise Fault((*loc, "where"), f"only unit_moved has `where`; found when: {passive.when}")
                row = self._triggered(kit, passive.do, (*loc, "do"))
            t["trigger_code"][player, number] = row

    def _card(self, player: int, number: int, kit: P.Kit, card: C.ActionCard | C.AbilityCard, loc: P.Loc) -> None:
        t = self.tables[0]
        t["card_exists"][player, number] = 1
        kind = 0
        sides: list[tuple[tuple[str, ...], list[C.Effect]]] = [(("effects",), card.effects)]
        masks = [s.SIDE_ANY]
        if isinstance(card, C.ActionCard):
            t["card_copies"][player, number] = card.copies
        else:
            if card.unit == "none":
                kind = -1
            elif card.unit != "artist":
                if card.unit not in kit.kinds:
                    known = P.listed(["artist", "none", *kit.kinds])
                    raise Fault((*loc, "unit"), f"unknown unit {card.unit!r}; known: {known}")
                kind = kit.kinds[card.unit]
            if card.ascended is not None:
                sides, masks = [(path, effects) for path, _, effects in card.sides], _masks(card)
        t["card_kind"][player, number] = kind
        rows = []
        for (path, effects), mask in zip(sides, masks, strict=True):
            for index, effect in enumerate(effects):
                rows.append(self._effect(kit, effect, (*loc, *path, index), mask, index, me=kind >= 0))
        t["card_effects"][player, number, : len(rows)] = rows
        t["card_reacts"][player, number] = any(effect.kind == "reaction" for _, effects in sides for effect in effects)
        t["card_features"][player, number] = _features(kit.artist, card)

    def _ascensions(self, player: int, kit: P.Kit) -> None:
        """What a completed masterpiece brings to each form of the artist."""
        for form, side in enumerate(kit.artist.abilities[0].other_sides):
            self.tables[0]["ascend_mode"][player, form] = _ASCEND_MODES[side.mode]
            if not isinstance(side, C.AscendedUntilUsed) and side.do is not None:
                loc: P.Loc = ("abilities", 0, *("ascended",) * (form + 1), "do")
                self.tables[0]["ascend_code"][player, form] = self._triggered(kit, side.do, loc)

    def _effect(self, kit: P.Kit, effect: C.Effect, loc: P.Loc, side: int, number: int, me: bool) -> int:
        program = P.Program(kit, self.code, me)
        cost = program.cost(effect.cost, (*loc, "cost"))
        body = program.body(effect.do, (*loc, "do"))
        kind = s.INTENTION if effect.kind == "intention" else s.REACTION
        self.code.effects.append((kind, side, number, cost, body))
        return len(self.code.effects) - 1

    def finish(self) -> NDArray[np.void]:
        t, code = self.tables[0], self.code
        t["code"][: len(code.rows)] = code.rows
        for player in range(s.PLAYERS):
            order = [player, 1 - player]
            seen = np.concatenate([t["card_features"][order].ravel(), t["artist_features"][order].ravel()])
            t["seen"][player] = seen
        if code.sels:
            t["sels"][: len(code.sels)] = code.sels
        for column, name in enumerate(("effect_kind", "effect_side", "effect_number", "effect_cost", "effect_body")):
            t[name][: len(code.effects)] = [effect[column] for effect in code.effects]
        return self.tables


def _masks(card: C.AbilityCard) -> list[int]:
    """On which sides of the artist ability card (SIDE_*) the effects of each of `card.sides` stand."""
    modes = [side.mode for side in card.other_sides]
    masks = [s.SIDE_NORMAL if modes[0] == "until_used" else s.SIDE_FIRST]
    match modes:
        case ["until_used"]:
            masks += [s.SIDE_ASCENDED]
        case ["becomes", "until_used"]:
            masks += [s.SIDE_SECOND, s.SIDE_SECOND_ASCENDED]
        case ["becomes", "immediate"]:
            masks += [s.SIDE_SECOND_BOTH]
    return masks


def _artist_features(artist: C.Artist) -> list[int]:
    """What kind of artist this is (AF_*), each 0 or 1."""
    flags = [0] * s.ARTIST_FEATURES
    modes = [side.mode for side in artist.abilities[0].other_sides]
    flags[s.AF_DECK] = int(bool(artist.actions))
    flags[s.AF_IMMUNE] = int(artist.immune)
    flags[s.AF_VITAL] = int(artist.vital is not None)
    flags[s.AF_FACE_DOWN] = int(artist.face_down > 0)
    flags[s.AF_ATTACHED] = int(len(artist.body) > 1)
    flags[s.AF_LASTING] = int("until_used" in modes)
    flags[s.AF_BECOMES] = int("becomes" in modes)
    flags[s.AF_DICE] = int(any(counter.dice for counter in artist.counters.values()))
    return flags


def _features(artist: C.Artist, card: C.ActionCard | C.AbilityCard) -> list[int]:
    """What a card is about, over all its effects (CF_*)."""
    flags = [0] * s.CARD_FEATURES
    flags[s.CF_ACTION] = int(isinstance(card, C.ActionCard))
    words: list[Word] = []
    for of, effect in artist.effects:
        if of is not card:
            continue
        flags[s.CF_INTENTION if effect.kind == "intention" else s.CF_REACTION] = 1
        words += [*effect.cost, *map(part_of, walk(effect.do))]
    for side in card.other_sides if isinstance(card, C.AbilityCard) else []:
        words += [] if isinstance(side, C.AscendedUntilUsed) else map(part_of, walk(side.do or []))
    for word in words:
        if word.feature >= 0:
            flags[word.feature] = 1
        if isinstance(word, AddToken):
            flags[s.CF_BLOCK] |= int(artist.tokens[word.add_token.token].blocks_damage)
    return flags


def check_artist(artist: C.Artist) -> None:
    """Raises Fault where the artist cannot be compiled."""
    Compiler().artist(0, artist)


def compile_tables(artist0: C.Artist, artist1: C.Artist, rules: RulesConfig) -> NDArray[np.void]:
    """The tables of a match, shape (1,) of TABLES: geometry, rules, and both artists' cards.

    Raises OptionError for a mirror match that the rules do not allow (AW-S1).
    """
    if artist0.id == artist1.id and not rules.allow_mirror:
        raise OptionError(f"both players have the artist {artist0.id!r} (AW-S1); allowed only with allow_mirror=True")
    compiler = Compiler()
    compiler.artist(0, artist0)
    compiler.artist(1, artist1)
    tables = compiler.finish()
    _geometry(tables[0], rules)
    _rules(tables[0], rules)
    return tables


def _geometry(t: np.void, rules: RulesConfig) -> None:
    rows, cols = rules.rows, rules.cols
    t["rows"], t["cols"], t["zones"] = rows, cols, rows * cols
    t["neighbour"], t["distance"] = -1, FAR
    for zone in range(rows * cols):
        row, col = divmod(zone, cols)
        for way, (up, right) in enumerate(((1, 0), (0, 1), (-1, 0), (0, -1))):
            if 0 <= row + up < rows and 0 <= col + right < cols:
                t["neighbour"][zone, way] = (row + up) * cols + col + right
        for other in range(rows * cols):
            t["distance"][zone, other] = abs(row - other // cols) + abs(col - other % cols)
    t["start_zone"] = [zone_number(name, cols) for name in rules.start_zones]


def _rules(t: np.void, rules: RulesConfig) -> None:
    t["first_player"] = -1 if rules.first_player == "random" else rules.first_player
    t["first_game_hand"] = rules.first_game_hand
    t["max_turns"] = rules.max_turns
    t["full_hand_spares"] = rules.full_hand_spares_deck_out
    t["sourceless_fizzle"] = rules.sourceless_effects == "fizzle"
    t["ability_once_per_chain"] = rules.ability_once_per_chain
    t["shared_ability_card"] = rules.shared_ability_card
    t["trigger_zones_only"] = rules.trigger_order == "zones"
    t["replaced_is_lost"] = rules.replaced_masterpiece == "lost"
    t["masterpiece_same_side"] = rules.masterpiece_sides == "same"
    t["check_own_progress_only"] = rules.masterpiece_check == "own_progress"
    t["announce_forced_passes"] = rules.forced_passes == "announced"
    t["trigger_limit"] = rules.trigger_limit
    t["loss_by_part"] = rules.loss_check == "part"
    t["refresh_first"] = rules.refresh == "before_effects"
