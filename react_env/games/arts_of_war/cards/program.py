"""An effect or a triggered program as rows of code: scopes, registers, selections, and what a cost may ask.

What is checked here needs no more than the program and the names of its artist; rows and columns are explained in `state.py`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from react_env.games.arts_of_war import state as s
from react_env.games.arts_of_war.cards import schema as C
from react_env.games.files import Fault

Loc = tuple[str | int, ...]

UNIT, ZONE, WAY = "unit", "zone", "direction"
_FIRST = {UNIT: s.R_UNIT, ZONE: s.R_ZONE, WAY: s.R_WAY}
_ROOM = {UNIT: s.R_ZONE - s.R_UNIT, ZONE: s.R_WAY - s.R_ZONE, WAY: 1}
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


def listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


class Kit:
    """The names of an artist's kinds, as numbers."""

    def __init__(self, artist: C.Artist) -> None:
        self.artist = artist
        self.kinds = {name: number for number, name in enumerate(artist.summons, start=1)}
        self.tokens = {name: number for number, name in enumerate(artist.tokens)}
        self.tiles = {name: number for number, name in enumerate(artist.tiles)}
        self.counters = {name: number for number, name in enumerate(artist.counters)}
        self.dice = next((name for name, counter in artist.counters.items() if counter.dice), None)
        self.becomes = any(isinstance(card.ascended, C.AscendedBecomes) for card in artist.abilities)

    def kind(self, name: str, loc: Loc) -> int:
        if name not in self.kinds:
            raise Fault(loc, f"unknown summon kind {name!r}; known: {listed(self.kinds)}")
        return self.kinds[name]

    def token(self, name: str, loc: Loc) -> int:
        if name not in self.tokens:
            raise Fault(loc, f"unknown token {name!r}; known: {listed(self.tokens)}")
        return self.tokens[name]

    def tile(self, name: str, loc: Loc) -> int:
        if name not in self.tiles:
            raise Fault(loc, f"unknown tile {name!r}; known: {listed(self.tiles)}")
        return self.tiles[name]

    def counter(self, name: str, loc: Loc, count: int = 0) -> int:
        """The number of a counter that is asked to stand at `count` at least."""
        if name not in self.counters:
            raise Fault(loc, f"unknown counter {name!r}; known: {listed(self.counters)}")
        highest = self.artist.counters[name].highest
        if count > highest:
            raise Fault(loc, f"{name!r} never stands at {count}; allowed: at most {highest}")
        return self.counters[name]


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
                have = listed(key for key, (of, _) in self.registers.items() if of == kind and key != "me")
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
            known = listed(f"{key} ({self.registers[key][0]})" for key in self.scope)
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

    def select(self, where: C.Selection, loc: Loc) -> int:
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
        for key, variable in where.near():
            column = {
                "adjacent_to": s.S_ADJACENT,
                "diagonal_to": s.S_DIAGONAL,
                "in_line_with": s.S_IN_LINE,
                "within": s.S_WITHIN,
                "other_than": s.S_OTHER,
            }[key]
            row[column] = self.place(variable, (*loc, key))
        if where.within:
            row[s.S_DISTANCE] = where.within.distance
        if where.touching is not None:
            if any(inner.touching is not None for inner in where.touching.all()):
                raise Fault((*loc, "touching", "touching"), "`touching` cannot stand inside another `touching`")
            row[s.S_TOUCHING] = self.select(where.touching, (*loc, "touching"))
        if isinstance(where, C.Units):
            self._select_units(where, row, loc)
        elif isinstance(where, C.Zones):
            self._select_zones(where, row, loc)
        return self.code.select(tuple(row))

    def _select_units(self, where: C.Units, row: list[int], loc: Loc) -> None:
        kit = self.kit
        row[s.S_SIDE] = {None: 0, "mine": 1, "theirs": 2}[where.side]
        if where.kind in ("artist", "summon"):
            row[s.S_KIND] = 1 if where.kind == "artist" else 2
        elif where.kind is not None:
            if where.kind not in kit.kinds:
                raise Fault(
                    (*loc, "kind"), f"unknown kind {where.kind!r}; known: {listed(['artist', 'summon', *kit.kinds])}"
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

    def _select_zones(self, where: C.Zones, row: list[int], loc: Loc) -> None:
        row[s.S_TYPE] = 1
        if where.token is not None:
            token = self.kit.token(where.token, (*loc, "token"))
            if self.kit.artist.tokens[where.token].place != "zone":
                zone_tokens = listed(name for name, kind in self.kit.artist.tokens.items() if kind.place == "zone")
                message = f"{where.token!r} lies on units, not in zones (holds: {{token: {where.token}}} asks for a unit with it)"
                raise Fault((*loc, "token"), f"{message}; zone tokens: {zone_tokens}")
            row[s.S_TOKEN], row[s.S_TOKEN_MIN] = token, where.at_least or 1
        elif where.at_least is not None:
            raise Fault((*loc, "at_least"), "at_least counts tokens, so it needs token as well")
        row[s.S_OCCUPIED] = _THREE[where.occupied]
        if isinstance(where.tile, str):
            row[s.S_TILE] = 3 + self.kit.tile(where.tile, (*loc, "tile"))
        else:
            row[s.S_TILE] = _THREE[where.tile]
        if where.holds is not None:
            row[s.S_HOLDS] = self.select(where.holds, (*loc, "holds"))

    # Costs.

    def cost(self, parts: list[C.CostPart], loc: Loc, deck: bool) -> int:
        """The first row of a cost program. Whether it can be paid must be plain before it is paid, hence the limits."""
        start = len(self.code.rows)
        chosen: dict[str, C.Units | C.Zones] = {}  # variable -> what its choice required
        paid: list[str] = []
        for number, part in enumerate(parts):
            at = (*loc, number)
            if "sacrifice" in paid:
                raise Fault(at, "a sacrifice must be the last part of its cost")
            match part:
                case C.PayExhaust(exhaust=name):
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
                case C.ChooseDirection(choose_direction=name):
                    self.new(name, WAY, (*at, "choose_direction"))
                    self.code.emit(s.OP_CHOOSE_WAY)
                case C.LockZone(choose_zone=zone):
                    self._locks(zone.where, paid, (*at, "choose_zone", "where"))
                    sel = self.select(zone.where, (*at, "choose_zone", "where"))
                    self.code.emit(s.OP_CHOOSE_ZONE, self.new(zone.as_, ZONE, (*at, "choose_zone", "as")), sel)
                    chosen[zone.as_] = zone.where
                case C.LockUnit(choose_unit=unit):
                    self._locks(unit.where, paid, (*at, "choose_unit", "where"))
                    sel = self.select(unit.where, (*at, "choose_unit", "where"))
                    self.code.emit(s.OP_CHOOSE_UNIT, self.new(unit.as_, UNIT, (*at, "choose_unit", "as")), sel)
                    chosen[unit.as_] = unit.where
                case C.PayToken(remove_token=args):
                    here = (*at, "remove_token")
                    register = self._token_place(args.token, args.from_, here, "from")
                    if args.from_ not in chosen or chosen[args.from_].token != args.token:
                        raise Fault(
                            (*here, "from"),
                            f"{args.from_!r} must be chosen in this cost with `token: {args.token}` in `where`, so that the token is there",
                        )
                    if f"token {args.token}" in paid:
                        raise Fault(
                            here, f"a cost takes at most one {args.token!r}: two choices could be the same place"
                        )
                    paid.append(f"token {args.token}")
                    self.code.emit(s.OP_REMOVE_TOKEN, self.kit.tokens[args.token], register, 1)
                case C.PayDiscard():
                    if not deck:
                        raise Fault(
                            at, "an artist without a deck has no cards to discard; allowed: exhaust, remove_token"
                        )
                    if "discard" in paid:
                        raise Fault(at, "a cost discards at most one card")
                    paid.append("discard")
                    self.code.emit(s.OP_DISCARD)
                case C.PayCounter(pay=pay):
                    register = self.kit.counter(pay.counter, (*at, "pay", "counter"), pay.count)
                    if f"counter {pay.counter}" in paid:
                        raise Fault((*at, "pay"), f"a cost pays {pay.counter!r} at most once; add the counts up")
                    paid.append(f"counter {pay.counter}")
                    self.code.emit(s.OP_SPEND, register, pay.count)
                case C.Sacrifice(sacrifice=name):
                    register = self.get(name, (*at, "sacrifice"), ZONE)
                    self._sacrificed(chosen.get(name), name, (*at, "sacrifice"))
                    paid.append("sacrifice")
                    self.code.emit(s.OP_SACRIFICE, register)
                case C.Require(require=condition):
                    self._required(condition, paid, (*at, "require"))
                    self.code.emit(s.OP_REQUIRE, *self.condition(condition, (*at, "require")))
        return self._end(start)

    def _sacrificed(self, where: C.Units | C.Zones | None, name: str, loc: Loc) -> None:
        """The zone of a sacrifice was chosen as one that holds an own summon."""
        holds = where.holds if isinstance(where, C.Zones) else None
        own = holds is not None and (holds.kind in self.kit.kinds or (holds.kind, holds.side) == ("summon", "mine"))
        if not own:
            kinds = listed(["summon", *self.kit.kinds])
            raise Fault(
                loc,
                f"{name!r} must be chosen in this cost with `holds: {{side: mine, kind: KIND}}` in `where`, so that a summon "
                f"of yours is there; KIND is one of: {kinds}",
            )

    def _required(self, condition: C.Condition, paid: list[str], loc: Loc) -> None:
        """What a cost requires holds before anything is paid: it must not speak of what is chosen or paid before it."""
        selections: list[C.Selection] = []
        names: list[str] = []
        match condition:
            case C.UnitIs(unit=name, is_=units):
                selections, names = units.all(), [name]
            case C.ZoneIs(zone=name, is_=zones):
                selections, names = zones.all(), [name]
            case C.SomeUnits(units=units):
                selections = units.all()
            case C.SomeZones(zones=zones):
                selections = zones.all()
            case C.CounterIs(counter=name) if f"counter {name}" in paid:
                raise Fault(loc, f"a condition on {name!r} must come before it is paid in the same cost")
        names += [variable for selection in selections for _, variable in selection.near()]
        for name in names:
            if name != "me":
                raise Fault(loc, f"what a cost requires speaks of no variable but me; found {name!r}")
        self._before(selections, paid, loc, "condition")

    def _locks(self, where: C.Selection, paid: list[str], loc: Loc) -> None:
        others = any(variable != "me" for _, variable in where.variables())
        lone = isinstance(where, C.Zones) and where.model_fields_set in ({"adjacent_to"}, {"within"})
        if others and not lone:
            raise Fault(
                loc,
                "in a cost, `where` may refer to a variable chosen before it only by `adjacent_to` or `within` of a choose_zone, "
                "and with no other key (a choice that can always be made)",
            )
        self._before(where.all(), paid, loc, "choice")

    def _before(self, selections: list[C.Selection], paid: list[str], loc: Loc, what: str) -> None:
        """Raises Fault where a selection speaks of something that the cost has changed by then."""
        for selection in selections:
            if "exhaust" in paid and isinstance(selection, C.Units) and selection.exhausted is not None:
                raise Fault(loc, f"a {what} by `exhausted` must come before the exhaust of the same cost")
            used = [selection.token] if isinstance(selection, C.Units | C.Zones) else []
            used += [selection.no_token] if isinstance(selection, C.Units) else []
            if any(f"token {token}" in paid for token in used if token is not None):
                raise Fault(loc, f"a {what} by a token must come before that token is taken in the same cost")

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

    def body(self, parts: list[C.Part], loc: Loc) -> int:
        """The first row of an effect program."""
        start = len(self.code.rows)
        self.parts(parts, loc)
        return self._end(start)

    def parts(self, parts: list[C.Part], loc: Loc) -> None:
        """A list of parts; the variables it names can be used up to its end."""
        outside = len(self.scope)
        for number, part in enumerate(parts):
            self.part(part, (*loc, number))
        del self.scope[outside:]

    def part(self, part: C.Part, loc: Loc) -> None:
        emit = self.code.emit
        match part:
            case "progress":
                emit(s.OP_PROGRESS)
            case "descend":
                emit(s.OP_DESCEND)
            case "cue":
                if not any(tile.on_cue for tile in self.kit.artist.tiles.values()):
                    raise Fault(loc, "there is nothing to cue: no tile of this file has `on_cue`")
                emit(s.OP_CUE)
            case "defeat":
                emit(s.OP_DEFEAT)
            case C.ChooseUnit(choose_unit=unit):
                sel = self.select(unit.where, (*loc, "choose_unit", "where"))
                emit(s.OP_CHOOSE_UNIT, self.new(unit.as_, UNIT, (*loc, "choose_unit", "as")), sel, int(unit.optional))
            case C.ChooseZone(choose_zone=zone):
                sel = self.select(zone.where, (*loc, "choose_zone", "where"))
                emit(s.OP_CHOOSE_ZONE, self.new(zone.as_, ZONE, (*loc, "choose_zone", "as")), sel, int(zone.optional))
            case C.ChooseDirection(choose_direction=name):
                self.new(name, WAY, (*loc, "choose_direction"))
                emit(s.OP_CHOOSE_WAY)
            case C.ChooseOne(choose_one=branches):
                self._branches(branches, (*loc, "choose_one"))
            case C.May(may=inner):
                row = emit(s.OP_MAY)
                self.parts(inner, (*loc, "may"))
                self.code.rows[row][1] = len(self.code.rows)
            case C.Let(let=let):
                unit_register = self.unit(let.of, (*loc, "let", "of"))
                emit(s.OP_LET, self.new(let.zone, ZONE, (*loc, "let", "zone")), unit_register)
            case C.Move(move=move):
                self._move(s.OP_MOVE, move, (*loc, "move"))
            case C.Jump(jump=move):
                self._move(s.OP_LEAP, move, (*loc, "jump"))
            case C.Swap(swap=swap):
                if swap.unit == swap.with_:
                    raise Fault((*loc, "swap"), f"{swap.unit!r} cannot be swapped with itself")
                emit(
                    s.OP_SWAP,
                    self.unit(swap.unit, (*loc, "swap", "unit")),
                    self.unit(swap.with_, (*loc, "swap", "with")),
                )
            case C.Damage(damage=damage):
                if damage.zone is not None:
                    emit(s.OP_DAMAGE, self.place(damage.zone, (*loc, "damage", "zone")), -1)
                elif damage.zones is not None:
                    emit(s.OP_DAMAGE, -1, self.select(damage.zones, (*loc, "damage", "zones")))
                elif damage.units is not None:
                    emit(s.OP_DAMAGE, -1, self.select(damage.units, (*loc, "damage", "units")))
            case C.Summon(summon=summon):
                kind = self.kit.kind(summon.kind, (*loc, "summon", "kind"))
                emit(s.OP_SUMMON, kind, self.place(summon.zone, (*loc, "summon", "zone")))
            case C.Remove(remove=name):
                emit(s.OP_REMOVE, self.unit(name, (*loc, "remove")))
            case C.Exhaust(exhaust=name):
                emit(s.OP_EXHAUST, self.unit(name, (*loc, "exhaust")))
            case C.Refresh(refresh=name):
                emit(s.OP_REFRESH, self.unit(name, (*loc, "refresh")))
            case C.AddToken(add_token=add):
                register = self._token_place(add.token, add.to, (*loc, "add_token"), "to")
                emit(s.OP_ADD_TOKEN, self.kit.tokens[add.token], register)
            case C.RemoveToken(remove_token=take):
                register = self._token_place(take.token, take.from_, (*loc, "remove_token"), "from")
                emit(
                    s.OP_REMOVE_TOKEN,
                    self.kit.tokens[take.token],
                    register,
                    0 if take.count == "all" else int(take.count),
                )
            case C.PlaceTile(place_tile=tile):
                self._place_tile(tile, (*loc, "place_tile"))
            case C.MoveTile(move_tile=path):
                source = self.place(path.from_, (*loc, "move_tile", "from"))
                emit(s.OP_MOVE_TILE, source, self.place(path.to, (*loc, "move_tile", "to")))
            case C.RemoveTile(remove_tile=gone):
                emit(s.OP_REMOVE_TILE, self.place(gone.zone, (*loc, "remove_tile", "zone")))
            case C.Gain(gain=args):
                counter = self.kit.counter(args.counter, (*loc, "gain", "counter"))
                emit(s.OP_GAIN, counter, 0 if args.count == "all" else int(args.count))
            case C.Spend(spend=args):
                counter = self.kit.counter(args.counter, (*loc, "spend", "counter"))
                emit(s.OP_SPEND, counter, 0 if args.count == "all" else int(args.count))
            case C.Roll(roll=count):
                if self.kit.dice is None:
                    raise Fault((*loc, "roll"), "there are no dice to roll: no counter of this file has `dice`")
                emit(s.OP_ROLL, count)
            case C.Draw(draw=count):
                emit(s.OP_DRAW, count)
            case C.If():
                self._if(part, loc)
            case C.ForEach():
                self._for_each(part, loc)

    def _move(self, op: int, move: C.MoveArgs, loc: Loc) -> None:
        unit = self.unit(move.unit, (*loc, "unit"))
        match move.way:
            case C.Toward(toward=name):
                self.code.emit(op, unit, s.W_TOWARD, self.place(name, (*loc, "way", "toward")))
            case C.AwayFrom(away_from=name):
                self.code.emit(op, unit, s.W_AWAY, self.place(name, (*loc, "way", "away_from")))
            case name:
                self.code.emit(op, unit, s.W_REG, self.get(name, (*loc, "way"), WAY))

    def _branches(self, branches: list[list[C.Part]], loc: Loc) -> None:
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

    def condition(self, condition: C.Condition, loc: Loc) -> tuple[int, int, int]:
        """A condition as the first three numbers of OP_IF and OP_REQUIRE."""
        match condition:
            case C.UnitIs(unit=name, is_=units):
                return s.I_MATCHES, self.unit(name, (*loc, "unit")), self.select(units, (*loc, "is"))
            case C.ZoneIs(zone=name, is_=zones):
                return s.I_MATCHES, self.place(name, (*loc, "zone")), self.select(zones, (*loc, "is"))
            case C.SomeUnits(units=units, at_least=count):
                return s.I_COUNT, count, self.select(units, (*loc, "units"))
            case C.SomeZones(zones=zones, at_least=count):
                return s.I_COUNT, count, self.select(zones, (*loc, "zones"))
            case C.CounterIs(counter=name, at_least=count):
                return s.I_COUNTER, self.kit.counter(name, (*loc, "counter"), count), count
            case C.AscendedIs(ascended=ascended):
                return s.I_ASCENDED, int(ascended), 0
            case C.FormIs(form=form):
                if not self.kit.becomes:
                    raise Fault((*loc, "form"), "this artist has one form only: none of its sides has `mode: becomes`")
                return s.I_FORM, int(form == "second"), 0
        raise AssertionError(condition)

    def _place_tile(self, tile: C.PlaceTileArgs, loc: Loc) -> None:
        kind = self.kit.tile(tile.tile, (*loc, "tile"))
        place = self.place(tile.zone, (*loc, "zone"))
        directed = self.kit.artist.tiles[tile.tile].directed
        if directed and tile.way is None:
            raise Fault(loc, f"{tile.tile!r} is laid with a direction; field 'way' is missing")
        if tile.way is not None:
            if not directed:
                raise Fault(
                    (*loc, "way"), f"{tile.tile!r} has no direction; only a tile with directed: true is laid with one"
                )
            self.get(tile.way, (*loc, "way"), WAY)
        self.code.emit(s.OP_PLACE_TILE, kind, place, int(directed))

    def _if(self, part: C.If, loc: Loc) -> None:
        row = self.code.emit(s.OP_IF, *self.condition(part.if_, (*loc, "if")))
        self.parts(part.then, (*loc, "then"))
        if part.else_ is None:
            self.code.rows[row][5] = len(self.code.rows)
            return
        end = self.code.emit(s.OP_JUMP)
        self.code.rows[row][5] = len(self.code.rows)
        self.parts(part.else_, (*loc, "else"))
        self.code.rows[end][1] = len(self.code.rows)

    def _for_each(self, part: C.ForEach, loc: Loc) -> None:
        at, args = (*loc, "for_each"), part.for_each
        if self.in_loop:
            raise Fault(loc, "a for_each cannot stand inside another for_each")
        sel = self.select(args.where, (*at, "where"))
        order, place = 0, -1
        match args.order:
            case C.Nearest(nearest=name):
                order, place = 1, self.place(name, (*at, "order", "nearest"))
            case C.Farthest(farthest=name):
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
