"""From artists to tables: checks what the schema cannot, and encodes every effect as rows of code.

Both happen in one pass, so that what is accepted is what runs. Rows and columns are explained in `state.py`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from react_env.errors import OptionError
from react_env.games.arts_of_war import state as s
from react_env.games.arts_of_war.cards.faults import Fault
from react_env.games.arts_of_war.cards.schema import (
    AbilityCard,
    ActionCard,
    AddToken,
    Artist,
    AscendedImmediate,
    AscendedUntilUsed,
    AwayFrom,
    ChooseDirection,
    ChooseOne,
    ChooseUnit,
    ChooseZone,
    CostPart,
    Damage,
    Draw,
    Effect,
    Exhaust,
    Farthest,
    ForEach,
    If,
    Jump,
    Let,
    LockUnit,
    LockZone,
    May,
    Move,
    MoveArgs,
    MoveTile,
    Nearest,
    Part,
    PayDiscard,
    PayExhaust,
    PayToken,
    PlaceTile,
    Refresh,
    Remove,
    RemoveTile,
    RemoveToken,
    Selection,
    SomeUnits,
    SomeZones,
    Summon,
    Swap,
    Toward,
    UnitIs,
    Units,
    ZoneIs,
    Zones,
    walk,
)
from react_env.games.arts_of_war.rules import RulesConfig, zone_number

Loc = tuple[str | int, ...]

# What one artist may use, so that any two fit the tables together. Row 0 of the code is an empty program.
CODE_LIMIT = (s.CODE_ROWS - 1) // 2
SEL_LIMIT = 64  # and not SEL_ROWS / 2: a column of the selections names a selection in one byte
EFFECT_LIMIT = s.EFFECT_ROWS // 2
MOVED_LIMIT = 3  # two units that swap then make at most PENDING triggers wait
FAR = 99  # distance to a zone that does not exist

UNIT, ZONE, WAY = "unit", "zone", "direction"
_FIRST = {UNIT: s.R_UNIT, ZONE: s.R_ZONE, WAY: s.R_WAY}
_ROOM = {UNIT: s.R_ZONE - s.R_UNIT, ZONE: s.R_WAY - s.R_ZONE, WAY: 1}
_TRIGGERS = {
    "setup": s.T_SETUP,
    "start_of_my_turn": s.T_START_MINE,
    "start_of_every_turn": s.T_START_EVERY,
    "end_of_my_turn": s.T_END_MINE,
    "end_of_every_turn": s.T_END_EVERY,
    "unit_moved": s.T_MOVED,
}
_THREE = {None: 0, True: 1, False: 2}


@dataclass
class Code:
    """The rows that are filled so far, of both artists."""

    rows: list[list[int]] = field(default_factory=lambda: [[s.OP_END, 0, 0, 0, 0, 0]])
    sels: list[tuple[int, ...]] = field(default_factory=list)
    effects: list[tuple[int, int, int, int, int]] = field(default_factory=list)  # kind, side, number, cost, body

    def emit(self, op: int, a: int = 0, b: int = 0, c: int = 0, d: int = 0, e: int = 0) -> int:
        self.rows.append([op, a, b, c, d, e])
        return len(self.rows) - 1

    def select(self, row: tuple[int, ...]) -> int:
        """The number of a selection; equal ones share it (it means the same for both players: seen from the effect's player)."""
        if row not in self.sels:
            self.sels.append(row)
        return self.sels.index(row)


class Kit:
    """The names of an artist's kinds, as numbers."""

    def __init__(self, artist: Artist) -> None:
        self.artist = artist
        self.kinds = {name: number for number, name in enumerate(artist.summons, start=1)}
        self.tokens = {name: number for number, name in enumerate(artist.tokens)}
        self.tiles = {name: number for number, name in enumerate(artist.tiles)}

    def kind(self, name: str, loc: Loc) -> int:
        if name not in self.kinds:
            raise Fault(loc, f"unknown summon kind {name!r}; known: {_list(self.kinds)}")
        return self.kinds[name]

    def token(self, name: str, loc: Loc) -> int:
        if name not in self.tokens:
            raise Fault(loc, f"unknown token {name!r}; known: {_list(self.tokens)}")
        return self.tokens[name]

    def tile(self, name: str, loc: Loc) -> int:
        if name not in self.tiles:
            raise Fault(loc, f"unknown tile {name!r}; known: {_list(self.tiles)}")
        return self.tiles[name]


def _list(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


class Program:
    """One effect (its cost, then its body) or one triggered program: scopes, registers and rows."""

    def __init__(self, kit: Kit, code: Code, me: bool) -> None:
        self.kit = kit
        self.code = code
        self.registers: dict[str, tuple[str, int]] = {"me": (UNIT, s.R_ME)}  # every name of the effect
        self.scope: list[str] = ["me"] if me else []  # the names that may be used here
        self.counts = {UNIT: 0, ZONE: 0, WAY: 0}
        self.in_loop = False

    # Variables.

    def new(self, name: str, kind: str, loc: Loc) -> int:
        """The register of a variable that is named here for the first time in this scope."""
        if name in self.scope or name == "me":
            raise Fault(loc, f"the name {name!r} is already used; take another one")
        if name not in self.registers:
            if self.counts[kind] == _ROOM[kind]:
                have = _list(key for key, (of, _) in self.registers.items() if of == kind and key != "me")
                raise Fault(loc, f"no room for {kind} {name!r}: an effect names at most {_ROOM[kind]} ({have})")
            self.registers[name] = (kind, _FIRST[kind] + self.counts[kind])
            self.counts[kind] += 1
        elif self.registers[name][0] != kind:
            raise Fault(
                loc, f"{name!r} is a {self.registers[name][0]} in another part of this effect; take another name"
            )
        self.scope.append(name)
        return self.registers[name][1]

    def get(self, name: str, loc: Loc, *kinds: str) -> int:
        """The register of a variable that is used here, of one of `kinds`."""
        if name not in self.scope:
            known = _list(f"{key} ({self.registers[key][0]})" for key in self.scope)
            raise Fault(loc, f"unknown variable {name!r}; in scope: {known}")
        kind, register = self.registers[name]
        if kind not in kinds:
            raise Fault(loc, f"{name!r} is a {kind}, but this needs a {' or a '.join(kinds)}")
        return register

    def unit(self, name: str, loc: Loc) -> int:
        return self.get(name, loc, UNIT)

    def place(self, name: str, loc: Loc) -> int:
        return self.get(name, loc, UNIT, ZONE)

    # Selections.

    def select(self, where: Selection, loc: Loc) -> int:
        row = [-1] * s.SEL_WIDTH
        for column in (
            s.S_TYPE,
            s.S_SIDE,
            s.S_KIND,
            s.S_TOKEN_MIN,
            s.S_DISTANCE,
            s.S_EXHAUSTED,
            s.S_OCCUPIED,
            s.S_TILE,
        ):
            row[column] = 0
        for key, variable in Selection.variables(where):
            column = {
                "adjacent_to": s.S_ADJACENT,
                "in_line_with": s.S_IN_LINE,
                "within": s.S_WITHIN,
                "other_than": s.S_OTHER,
            }[key]
            row[column] = self.place(variable, (*loc, key))
        if where.within:
            row[s.S_DISTANCE] = where.within.distance
        if isinstance(where, Units):
            self._select_units(where, row, loc)
        elif isinstance(where, Zones):
            self._select_zones(where, row, loc)
        return self.code.select(tuple(row))

    def _select_units(self, where: Units, row: list[int], loc: Loc) -> None:
        kit = self.kit
        row[s.S_SIDE] = {None: 0, "mine": 1, "theirs": 2}[where.side]
        if where.kind in ("artist", "summon"):
            row[s.S_KIND] = 1 if where.kind == "artist" else 2
        elif where.kind is not None:
            if where.kind not in kit.kinds:
                raise Fault(
                    (*loc, "kind"), f"unknown kind {where.kind!r}; known: {_list(['artist', 'summon', *kit.kinds])}"
                )
            if where.side == "theirs":
                raise Fault(
                    (*loc, "kind"),
                    f"{where.kind!r} is a kind of this artist, so side: theirs never matches; allowed: mine",
                )
            row[s.S_KIND], row[s.S_SIDE] = 2 + kit.kinds[where.kind], 1
        if where.token is not None:
            row[s.S_TOKEN], row[s.S_TOKEN_MIN] = kit.token(where.token, (*loc, "token")), 1
        if where.no_token is not None:
            row[s.S_NO_TOKEN] = kit.token(where.no_token, (*loc, "no_token"))
        row[s.S_EXHAUSTED] = _THREE[where.exhausted]

    def _select_zones(self, where: Zones, row: list[int], loc: Loc) -> None:
        row[s.S_TYPE] = 1
        if where.token is not None:
            token = self.kit.token(where.token, (*loc, "token"))
            if self.kit.artist.tokens[where.token].place != "zone":
                zone_tokens = _list(name for name, kind in self.kit.artist.tokens.items() if kind.place == "zone")
                message = f"{where.token!r} lies on units, not in zones (holds: {{token: {where.token}}} asks for a unit with it)"
                raise Fault((*loc, "token"), f"{message}; zone tokens: {zone_tokens}")
            row[s.S_TOKEN], row[s.S_TOKEN_MIN] = token, where.at_least or 1
        elif where.at_least is not None:
            raise Fault((*loc, "at_least"), "at_least counts tokens, so it needs token as well")
        row[s.S_OCCUPIED] = _THREE[where.occupied]
        row[s.S_TILE] = _THREE[where.tile]
        if where.holds is not None:
            row[s.S_HOLDS] = self.select(where.holds, (*loc, "holds"))

    # Costs.

    def cost(self, parts: list[CostPart], loc: Loc, deck: bool) -> int:
        """The first row of a cost program. Whether it can be paid must be plain before it is paid, hence the limits."""
        start = len(self.code.rows)
        tokens: dict[str, str | None] = {}  # chosen variable -> token that its choice required
        paid: list[str] = []
        for number, part in enumerate(parts):
            at = (*loc, number)
            match part:
                case PayExhaust(exhaust=name):
                    register = self.unit(name, (*at, "exhaust"))
                    if name != "me":
                        raise Fault(
                            (*at, "exhaust"),
                            f"a cost exhausts the unit that uses the effect; found {name!r}, allowed: me",
                        )
                    if "exhaust" in paid:
                        raise Fault(at, "a unit cannot be exhausted twice")
                    paid.append("exhaust")
                    self.code.emit(s.OP_EXHAUST, register)
                case ChooseDirection(choose_direction=name):
                    self.new(name, WAY, (*at, "choose_direction"))
                    self.code.emit(s.OP_CHOOSE_WAY)
                case LockZone(choose_zone=zone):
                    self._locks(zone.where, paid, (*at, "choose_zone", "where"))
                    sel = self.select(zone.where, (*at, "choose_zone", "where"))
                    self.code.emit(s.OP_CHOOSE_ZONE, self.new(zone.as_, ZONE, (*at, "choose_zone", "as")), sel)
                    tokens[zone.as_] = zone.where.token
                case LockUnit(choose_unit=unit):
                    self._locks(unit.where, paid, (*at, "choose_unit", "where"))
                    sel = self.select(unit.where, (*at, "choose_unit", "where"))
                    self.code.emit(s.OP_CHOOSE_UNIT, self.new(unit.as_, UNIT, (*at, "choose_unit", "as")), sel)
                    tokens[unit.as_] = unit.where.token
                case PayToken(remove_token=args):
                    here = (*at, "remove_token")
                    register = self._token_place(args.token, args.from_, here, "from")
                    if tokens.get(args.from_) != args.token:
                        raise Fault(
                            (*here, "from"),
                            f"{args.from_!r} must be chosen in this cost with `token: {args.token}` in `where`, so that the token is there",
                        )
                    if args.token in paid:
                        raise Fault(
                            here, f"a cost takes at most one {args.token!r}: two choices could be the same place"
                        )
                    paid.append(args.token)
                    self.code.emit(s.OP_REMOVE_TOKEN, self.kit.tokens[args.token], register, 1)
                case PayDiscard():
                    if not deck:
                        raise Fault(
                            at, "an artist without a deck has no cards to discard; allowed: exhaust, remove_token"
                        )
                    if "discard" in paid:
                        raise Fault(at, "a cost discards at most one card")
                    paid.append("discard")
                    self.code.emit(s.OP_DISCARD)
        return self._end(start)

    def _locks(self, where: Selection, paid: list[str], loc: Loc) -> None:
        others = [key for key, variable in where.variables() if variable != "me"]
        if others and (
            not isinstance(where, Zones)
            or others[0] not in ("adjacent_to", "within")
            or len(where.model_fields_set) > 1
        ):
            raise Fault(
                loc,
                "in a cost, `where` may refer to a variable chosen before it only by `adjacent_to` or `within` of a choose_zone, "
                "and with no other key (a choice that can always be made)",
            )
        units = where if isinstance(where, Units) else where.holds if isinstance(where, Zones) else None
        if "exhaust" in paid and units is not None and units.exhausted is not None:
            raise Fault(loc, "a choice by `exhausted` must come before the exhaust of the same cost")
        used = {units.token, units.no_token} if units is not None else set()
        used |= {where.token} if isinstance(where, Zones) else set()
        if used & set(paid) - {None}:
            raise Fault(loc, "a choice by a token must come before that token is taken in the same cost")

    def _token_place(self, token: str, to: str, loc: Loc, key: str) -> int:
        self.kit.token(token, (*loc, "token"))
        if self.kit.artist.tokens[token].place == "zone":
            return self.place(to, (*loc, key))
        if to in self.scope and self.registers[to][0] == ZONE:
            raise Fault((*loc, key), f"{token!r} lies on units, but {to!r} is a zone; allowed: a unit variable")
        return self.unit(to, (*loc, key))

    def _end(self, start: int) -> int:
        if len(self.code.rows) == start:
            return 0
        self.code.emit(s.OP_END)
        return start

    # Bodies.

    def body(self, parts: list[Part], loc: Loc) -> int:
        """The first row of an effect program."""
        start = len(self.code.rows)
        self.parts(parts, loc)
        return self._end(start)

    def parts(self, parts: list[Part], loc: Loc) -> None:
        """A list of parts; the variables it names can be used up to its end."""
        outside = len(self.scope)
        for number, part in enumerate(parts):
            self.part(part, (*loc, number))
        del self.scope[outside:]

    def part(self, part: Part, loc: Loc) -> None:
        emit = self.code.emit
        match part:
            case "progress":
                emit(s.OP_PROGRESS)
            case "descend":
                emit(s.OP_DESCEND)
            case ChooseUnit(choose_unit=unit):
                sel = self.select(unit.where, (*loc, "choose_unit", "where"))
                emit(s.OP_CHOOSE_UNIT, self.new(unit.as_, UNIT, (*loc, "choose_unit", "as")), sel, int(unit.optional))
            case ChooseZone(choose_zone=zone):
                sel = self.select(zone.where, (*loc, "choose_zone", "where"))
                emit(s.OP_CHOOSE_ZONE, self.new(zone.as_, ZONE, (*loc, "choose_zone", "as")), sel, int(zone.optional))
            case ChooseDirection(choose_direction=name):
                self.new(name, WAY, (*loc, "choose_direction"))
                emit(s.OP_CHOOSE_WAY)
            case ChooseOne(choose_one=branches):
                self._branches(branches, (*loc, "choose_one"))
            case May(may=inner):
                row = emit(s.OP_MAY)
                self.parts(inner, (*loc, "may"))
                self.code.rows[row][1] = len(self.code.rows)
            case Let(let=let):
                unit_register = self.unit(let.of, (*loc, "let", "of"))
                emit(s.OP_LET, self.new(let.zone, ZONE, (*loc, "let", "zone")), unit_register)
            case Move(move=move):
                self._move(s.OP_MOVE, move, (*loc, "move"))
            case Jump(jump=move):
                self._move(s.OP_LEAP, move, (*loc, "jump"))
            case Swap(swap=swap):
                if swap.unit == swap.with_:
                    raise Fault((*loc, "swap"), f"{swap.unit!r} cannot be swapped with itself")
                emit(
                    s.OP_SWAP,
                    self.unit(swap.unit, (*loc, "swap", "unit")),
                    self.unit(swap.with_, (*loc, "swap", "with")),
                )
            case Damage(damage=damage):
                if damage.zone is not None:
                    emit(s.OP_DAMAGE, self.place(damage.zone, (*loc, "damage", "zone")), -1)
                elif damage.zones is not None:
                    emit(s.OP_DAMAGE, -1, self.select(damage.zones, (*loc, "damage", "zones")))
                elif damage.units is not None:
                    emit(s.OP_DAMAGE, -1, self.select(damage.units, (*loc, "damage", "units")))
            case Summon(summon=summon):
                kind = self.kit.kind(summon.kind, (*loc, "summon", "kind"))
                emit(s.OP_SUMMON, kind, self.place(summon.zone, (*loc, "summon", "zone")))
            case Remove(remove=name):
                emit(s.OP_REMOVE, self.unit(name, (*loc, "remove")))
            case Exhaust(exhaust=name):
                emit(s.OP_EXHAUST, self.unit(name, (*loc, "exhaust")))
            case Refresh(refresh=name):
                emit(s.OP_REFRESH, self.unit(name, (*loc, "refresh")))
            case AddToken(add_token=add):
                register = self._token_place(add.token, add.to, (*loc, "add_token"), "to")
                emit(s.OP_ADD_TOKEN, self.kit.tokens[add.token], register)
            case RemoveToken(remove_token=take):
                register = self._token_place(take.token, take.from_, (*loc, "remove_token"), "from")
                emit(
                    s.OP_REMOVE_TOKEN,
                    self.kit.tokens[take.token],
                    register,
                    0 if take.count == "all" else int(take.count),
                )
            case PlaceTile(place_tile=tile):
                kind = self.kit.tile(tile.tile, (*loc, "place_tile", "tile"))
                emit(s.OP_PLACE_TILE, kind, self.place(tile.zone, (*loc, "place_tile", "zone")))
            case MoveTile(move_tile=path):
                source = self.place(path.from_, (*loc, "move_tile", "from"))
                emit(s.OP_MOVE_TILE, source, self.place(path.to, (*loc, "move_tile", "to")))
            case RemoveTile(remove_tile=gone):
                emit(s.OP_REMOVE_TILE, self.place(gone.zone, (*loc, "remove_tile", "zone")))
            case Draw(draw=count):
                emit(s.OP_DRAW, count)
            case If():
                self._if(part, loc)
            case ForEach():
                self._for_each(part, loc)

    def _move(self, op: int, move: MoveArgs, loc: Loc) -> None:
        unit = self.unit(move.unit, (*loc, "unit"))
        match move.way:
            case Toward(toward=name):
                self.code.emit(op, unit, s.W_TOWARD, self.place(name, (*loc, "way", "toward")))
            case AwayFrom(away_from=name):
                self.code.emit(op, unit, s.W_AWAY, self.place(name, (*loc, "way", "away_from")))
            case name:
                self.code.emit(op, unit, s.W_REG, self.get(name, (*loc, "way"), WAY))

    def _branches(self, branches: list[list[Part]], loc: Loc) -> None:
        self.code.emit(s.OP_BRANCH, len(branches))
        jumps = [self.code.emit(s.OP_JUMP) for _ in branches]
        ends = []
        for number, branch in enumerate(branches):
            self.code.rows[jumps[number]][1] = len(self.code.rows)
            self.parts(branch, (*loc, number))
            if number + 1 < len(branches):
                ends.append(self.code.emit(s.OP_JUMP))
        for row in ends:
            self.code.rows[row][1] = len(self.code.rows)

    def _if(self, part: If, loc: Loc) -> None:
        at = (*loc, "if")
        match part.if_:
            case UnitIs(unit=name, is_=units):
                row = self.code.emit(s.OP_IF, 0, self.unit(name, (*at, "unit")), self.select(units, (*at, "is")))
            case ZoneIs(zone=name, is_=zones):
                row = self.code.emit(s.OP_IF, 0, self.place(name, (*at, "zone")), self.select(zones, (*at, "is")))
            case SomeUnits(units=units, at_least=count):
                row = self.code.emit(s.OP_IF, 1, count, self.select(units, (*at, "units")))
            case SomeZones(zones=zones, at_least=count):
                row = self.code.emit(s.OP_IF, 1, count, self.select(zones, (*at, "zones")))
        self.parts(part.then, (*loc, "then"))
        if part.else_ is None:
            self.code.rows[row][5] = len(self.code.rows)
            return
        end = self.code.emit(s.OP_JUMP)
        self.code.rows[row][5] = len(self.code.rows)
        self.parts(part.else_, (*loc, "else"))
        self.code.rows[end][1] = len(self.code.rows)

    def _for_each(self, part: ForEach, loc: Loc) -> None:
        at, args = (*loc, "for_each"), part.for_each
        if self.in_loop:
            raise Fault(loc, "a for_each cannot stand inside another for_each")
        sel = self.select(args.where, (*at, "where"))
        order, place = 0, -1
        match args.order:
            case Nearest(nearest=name):
                order, place = 1, self.place(name, (*at, "order", "nearest"))
            case Farthest(farthest=name):
                order, place = 2, self.place(name, (*at, "order", "farthest"))
        unit = self.new(args.unit, UNIT, (*at, "unit"))
        self.code.emit(s.OP_FOR, unit, sel, order, place)
        following = self.code.emit(s.OP_NEXT, unit, 0, order, place)
        self.in_loop = True
        self.parts(args.do, (*at, "do"))
        self.in_loop = False
        self.scope.remove(args.unit)
        self.code.emit(s.OP_JUMP, following)
        self.code.rows[following][5] = len(self.code.rows)


class Compiler:
    """Fills the tables of both artists, one after the other."""

    def __init__(self) -> None:
        self.code = Code()
        self.tables: NDArray[np.void] = np.zeros(1, s.TABLES)
        t = self.tables[0]
        for name in (
            "card_kind",
            "card_effects",
            "slot_kind",
            "token_code",
            "tile_code",
            "trigger_sel",
            "trigger_code",
            "ascend_code",
        ):
            t[name] = -1
        t["effect_kind"] = t["effect_side"] = t["effect_number"] = -1

    def artist(self, player: int, artist: Artist) -> None:
        """Everything of one artist. Raises Fault."""
        t, kit = self.tables[0], Kit(artist)
        before = len(self.code.rows), len(self.code.sels), len(self.code.effects)
        _check_cards(artist)
        self._units(player, artist)
        for number, (name, token) in enumerate(artist.tokens.items()):
            t["token_exists"][player, number] = 1
            t["token_on_unit"][player, number] = token.place == "unit"
            t["token_pool"][player, number] = token.pool
            t["token_stacks"][player, number] = token.stacks
            t["token_lasts_turn"][player, number] = token.lasts == "turn"
            t["token_blocks"][player, number] = token.blocks_damage
            if token.at is not None:
                if token.place != "zone":
                    raise Fault(
                        ("tokens", name, "at"), "only a zone token can be counted in a zone; place: zone is needed"
                    )
                if token.at.count > (token.pool if token.stacks else 1):
                    raise Fault(("tokens", name, "at", "count"), "so many can never lie in one zone (pool, stacks)")
                t["token_at"][player, number] = token.at.count
                t["token_code"][player, number] = self._triggered(
                    kit, token.at.do, ("tokens", name, "at", "do"), here=ZONE
                )
            if token.blocks_damage and token.place != "zone":
                raise Fault(
                    ("tokens", name, "blocks_damage"), "only a zone token can block damage; place: zone is needed"
                )
        for number, (name, tile) in enumerate(artist.tiles.items()):
            t["tile_pool"][player, number] = tile.pool
            t["tile_code"][player, number] = self._triggered(
                kit, tile.on_enter, ("tiles", name, "on_enter"), unit=UNIT, here=ZONE
            )
        self._passives(player, kit)
        t["has_deck"][player] = bool(artist.actions)
        for number, action in enumerate(artist.actions):
            self._card(player, number, kit, action, ("actions", number))
        for number, ability in enumerate(artist.abilities):
            self._card(player, s.ACTIONS_CARDS + number, kit, ability, ("abilities", number))
        after = len(self.code.rows), len(self.code.sels), len(self.code.effects)
        for what, used, limit in zip(
            ("rows of code", "selections", "effects"), np.subtract(after, before), (CODE_LIMIT, SEL_LIMIT, EFFECT_LIMIT)
        ):
            if used > limit:
                raise Fault((), f"the artist is too large: {used} {what}; allowed: {limit}")

    def _units(self, player: int, artist: Artist) -> None:
        kinds = [0]
        for number, (name, summon) in enumerate(artist.summons.items(), start=1):
            if name in ("artist", "summon", "none"):
                raise Fault(("summons", name), "this word has a meaning of its own; take another id")
            kinds += [number] * summon.count
        if len(kinds) > s.SLOTS:
            raise Fault(("summons",), f"{len(kinds) - 1} units of summons in all; allowed: {s.SLOTS - 1}")
        self.tables[0]["slot_kind"][player, : len(kinds)] = kinds

    def _triggered(self, kit: Kit, parts: list[Part], loc: Loc, **variables: str) -> int:
        """A program that no card runs: `me` is the owner's artist."""
        program = Program(kit, self.code, me=True)
        for name, kind in variables.items():
            program.new(name, kind, loc)
        return program.body(parts, loc)

    def _passives(self, player: int, kit: Kit) -> None:
        t = self.tables[0]
        moved = [passive.name for passive in kit.artist.passives if passive.when == "unit_moved"]
        if len(moved) > MOVED_LIMIT:
            raise Fault(
                ("passives",), f"{len(moved)} passives with when: unit_moved ({_list(moved)}); allowed: {MOVED_LIMIT}"
            )
        for number, passive in enumerate(kit.artist.passives):
            loc: Loc = ("passives", number)
            t["trigger_event"][player, number] = _TRIGGERS[passive.when]
            if passive.when == "unit_moved":
                where = passive.where or Units()
                if where.variables():
                    raise Fault(
                        (*loc, "where"),
                        "the units that trigger it are told by side, kind, token, no_token and exhausted only",
                    )
                if where.model_fields_set:
                    program = Program(kit, self.code, me=True)
                    t["trigger_sel"][player, number] = program.select(where, (*loc, "where"))
                row = self._triggered(kit, passive.do, (*loc, "do"), unit=UNIT, left=ZONE)
            else:
                if passive.where is not None:
                    raise Fault((*loc, "where"), f"only unit_moved has `where`; found when: {passive.when}")
                row = self._triggered(kit, passive.do, (*loc, "do"))
            t["trigger_code"][player, number] = row

    def _card(self, player: int, number: int, kit: Kit, card: ActionCard | AbilityCard, loc: Loc) -> None:
        t = self.tables[0]
        t["card_exists"][player, number] = 1
        ascended = None
        kind = 0
        if isinstance(card, ActionCard):
            t["card_copies"][player, number] = card.copies
        else:
            if card.unit == "none":
                kind = -1
            elif card.unit != "artist":
                if card.unit not in kit.kinds:
                    raise Fault(
                        (*loc, "unit"), f"unknown unit {card.unit!r}; known: {_list(['artist', 'none', *kit.kinds])}"
                    )
                kind = kit.kinds[card.unit]
            ascended = card.ascended
        t["card_kind"][player, number] = kind
        rows = []
        side = s.SIDE_NORMAL if isinstance(ascended, AscendedUntilUsed) else s.SIDE_BOTH
        for index, effect in enumerate(card.effects):
            rows.append(self._effect(kit, effect, (*loc, "effects", index), side, index, me=kind >= 0))
        if isinstance(ascended, AscendedUntilUsed):
            t["ascend_mode"][player] = s.ASCEND_LASTING
            for index, effect in enumerate(ascended.effects):
                at = (*loc, "ascended", "effects", index)
                rows.append(self._effect(kit, effect, at, s.SIDE_ASCENDED, index, me=True))
        elif isinstance(ascended, AscendedImmediate):
            t["ascend_mode"][player] = s.ASCEND_IMMEDIATE
            if ascended.do[-1] != "descend":
                raise Fault((*loc, "ascended", "do"), "an immediate ascension must end with `descend`")
            t["ascend_code"][player] = self._triggered(kit, ascended.do, (*loc, "ascended", "do"))
        t["card_effects"][player, number, : len(rows)] = rows
        t["card_features"][player, number] = _features(kit.artist, card)

    def _effect(self, kit: Kit, effect: Effect, loc: Loc, side: int, number: int, me: bool) -> int:
        program = Program(kit, self.code, me)
        cost = program.cost(effect.cost, (*loc, "cost"), deck=bool(kit.artist.actions))
        body = program.body(effect.do, (*loc, "do"))
        kind = s.INTENTION if effect.kind == "intention" else s.REACTION
        self.code.effects.append((kind, side, number, cost, body))
        return len(self.code.effects) - 1

    def finish(self) -> NDArray[np.void]:
        t, code = self.tables[0], self.code
        t["code"][: len(code.rows)] = code.rows
        if code.sels:
            t["sels"][: len(code.sels)] = code.sels
        for column, name in enumerate(("effect_kind", "effect_side", "effect_number", "effect_cost", "effect_body")):
            t[name][: len(code.effects)] = [effect[column] for effect in code.effects]
        return self.tables


def _check_cards(artist: Artist) -> None:
    """What the rules ask of a kit: the deck (AW-S3), the artist ability card (AW-M9, AW-M10), and names that tell cards apart."""
    if artist.actions:
        if len(artist.actions) != s.ACTIONS_CARDS:
            allowed = f"exactly {s.ACTIONS_CARDS}, or none for an artist without a deck"
            raise Fault(("actions",), f"{len(artist.actions)} different action cards; allowed: {allowed}")
        copies = sum(card.copies for card in artist.actions)
        if copies != s.DECK:
            counts = ", ".join(f"{card.id} {card.copies}" for card in artist.actions)
            raise Fault(("actions",), f"the deck has {copies} cards ({counts}); allowed: exactly {s.DECK}")
    first = artist.abilities[0]
    if first.unit != "artist":
        raise Fault(
            ("abilities", 0, "unit"), f"the first ability card is the artist's; found {first.unit!r}, allowed: artist"
        )
    if first.ascended is None:
        raise Fault(("abilities", 0), "the artist ability card needs its other side: field 'ascended' is missing")
    if len(first.effects) < 2:
        raise Fault(("abilities", 0, "effects"), "the artist ability card needs at least two effects (AW-M9)")
    if not any("progress" in walk(effect.do) for effect in first.effects):
        raise Fault(
            ("abilities", 0, "effects"), "one effect of the artist ability card must contain `progress` (AW-M9)"
        )
    seen: dict[str, set[str]] = {"id": set(), "name": set()}
    groups: tuple[tuple[str, Sequence[ActionCard | AbilityCard]], ...] = (
        ("actions", artist.actions),
        ("abilities", artist.abilities),
    )
    for group, cards in groups:
        for number, card in enumerate(cards):
            for what, value in (("id", card.id), ("name", card.name)):
                if what == "id" and group == "abilities" and number == 0:
                    continue
                if value in seen[what]:
                    raise Fault((group, number, what), f"another card has the same {what} {value!r}")
                seen[what].add(value)
            for index, effect in enumerate(card.effects):
                if effect.name is not None and (group, number) != ("abilities", 0):
                    raise Fault(
                        (group, number, "effects", index, "name"), "only effects of the artist ability card have names"
                    )
    for number, card in enumerate(artist.abilities[1:], start=1):
        if card.ascended is not None:
            raise Fault(
                ("abilities", number, "ascended"), "only the first ability card, the artist's, has an ascended side"
            )


_FEATURE_OF_COST: tuple[tuple[type, int], ...] = (
    (PayExhaust, s.CF_EXHAUST),
    (LockZone, s.CF_LOCK_ZONE),
    (ChooseDirection, s.CF_LOCK_WAY),
    (LockUnit, s.CF_LOCK_UNIT),
    (PayToken, s.CF_PAYS),
    (PayDiscard, s.CF_PAYS),
)
_FEATURE_OF_PART: tuple[tuple[type, int], ...] = (
    (Damage, s.CF_DAMAGE),
    (Move, s.CF_MOVE),
    (Jump, s.CF_MOVE),
    (Swap, s.CF_SWAP),
    (Summon, s.CF_SUMMON),
    (AddToken, s.CF_TOKEN),
    (RemoveToken, s.CF_TOKEN),
    (PlaceTile, s.CF_TOKEN),
    (MoveTile, s.CF_TOKEN),
    (RemoveTile, s.CF_TOKEN),
    (Draw, s.CF_DRAW),
)


def _features(artist: Artist, card: ActionCard | AbilityCard) -> list[int]:
    """What a card is about, over all its effects (CF_*)."""
    flags = [0] * s.CARD_FEATURES
    flags[s.CF_ACTION] = int(isinstance(card, ActionCard))
    parts: list[Part] = []
    for of, effect in artist.effects:
        if of is not card:
            continue
        flags[s.CF_INTENTION if effect.kind == "intention" else s.CF_REACTION] = 1
        for cost in effect.cost:
            for kind, flag in _FEATURE_OF_COST:
                flags[flag] |= int(isinstance(cost, kind))
        parts += walk(effect.do)
    if isinstance(card, AbilityCard) and isinstance(card.ascended, AscendedImmediate):
        parts += walk(card.ascended.do)
    for part in parts:
        for kind, flag in _FEATURE_OF_PART:
            flags[flag] |= int(isinstance(part, kind))
        flags[s.CF_PROGRESS] |= int(part == "progress")
        if isinstance(part, AddToken):
            flags[s.CF_BLOCK] |= int(artist.tokens[part.add_token.token].blocks_damage)
    return flags


def check_artist(artist: Artist) -> None:
    """Raises Fault where the artist cannot be compiled."""
    Compiler().artist(0, artist)


def compile_tables(artist0: Artist, artist1: Artist, rules: RulesConfig) -> NDArray[np.void]:
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
