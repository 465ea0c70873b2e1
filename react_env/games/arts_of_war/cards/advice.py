"""What is allowed in an artist file but looks like a slip: idle parts, costs nobody can pay, unused kinds, choices that are too narrow.

It works on what a file says, not on what a game could bring: no warning means little, but what is called idle is so in every game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pydantic import BaseModel

from react_env.games.arts_of_war.cards.schema import Artist
from react_env.games.schema import Marked

Loc = tuple[str | int, ...]
Kit = dict[str, Any]
Variables = dict[str, str]  # name -> "unit", "zone", "direction", or why it is always empty, with a "!" before it
_GROUPS = ("summons", "counters", "tokens", "tiles", "passives", "actions", "abilities", "effects", "ascended")


def advice(artist: Artist) -> list[tuple[Loc, str]]:
    """(place in the file, what looks wrong there), in the order of the file."""
    look = _Look(artist)
    return [*_provenance(artist), *_narrow(look.kit), *look.all()]


def _provenance(artist: Artist) -> Iterator[tuple[Loc, str]]:
    """One warning for all fields that do not say where they come from."""
    missing: list[Loc] = []

    def look(item: BaseModel, loc: Loc) -> None:
        for name in type(item).model_fields:
            value, field = getattr(item, name), type(item).model_fields[name].alias or name
            if name not in item.model_fields_set or name in ("format", "id", "provenance"):
                continue
            if field not in _GROUPS and isinstance(item, Marked) and field not in item.provenance:
                missing.append((*loc, field))
            if field in _GROUPS:
                entries = (
                    value.items()
                    if isinstance(value, dict)
                    else enumerate(value)
                    if isinstance(value, list)
                    else [("", value)]
                )
                for key, entry in entries:
                    if isinstance(entry, BaseModel):
                        look(entry, (*loc, field, key) if key != "" else (*loc, field))

    look(artist, ())
    if missing:
        more = f", and {len(missing) - 1} more of the file" if len(missing) > 1 else ""
        yield missing[0], f"provenance says nothing about this field{more} (stated, derived or designed)"


def _narrow(node: Any, loc: Loc = (), mark: str = "") -> Iterator[tuple[Loc, str]]:
    """Choices that leave out what the rules let a player choose in vain, unless a source is said to state the field (AW-C10)."""
    if isinstance(node, list):
        for number, item in enumerate(node):
            yield from _narrow(item, (*loc, number), mark)
    if not isinstance(node, dict):
        return
    where = node["choose_zone"]["where"] if "choose_zone" in node else {}
    for key in ("occupied", "tile"):
        if where.get(key) is False and mark != "stated":
            yield (
                (*loc, "choose_zone", "where"),
                f"`{key}: false` forbids what the rules allow, to choose in vain on purpose (AW-C10); it belongs here only where the "
                "printed card says so",
            )
    for key, value in node.items():
        yield from _narrow(value, (*loc, key), node.get("provenance", {}).get(key, mark))


class _Look:
    """One artist file, as plain mappings and lists."""

    def __init__(self, artist: Artist) -> None:
        self.kit: Kit = artist.model_dump(by_alias=True, exclude_none=True)
        self.added: set[str] = set()
        self.asked: set[str] = set()
        self.summoned: set[str] = set()
        self.placed: set[str] = set()
        self.raised: set[str] = set()
        self.counted: set[str] = set()
        self.rolls = self.cues = False
        self._gather(self.kit)
        if self.rolls:
            self.raised |= {name for name, counter in self.kit["counters"].items() if "dice" in counter}
        self.deck = bool(self.kit["actions"])

    def _gather(self, node: Any) -> None:
        """What is put on the board, raised and asked for, anywhere."""
        if isinstance(node, list):
            for item in node:
                self._gather(item)
            self.cues |= "cue" in node
        if not isinstance(node, dict):
            return
        for key, value in node.items():
            if key == "provenance":
                continue
            if key == "add_token":
                self.added.add(value["token"])
            elif key == "remove_token":
                self.asked.add(value["token"])
            elif key in ("token", "no_token") and "to" not in node and isinstance(value, str):
                self.asked.add(value)
            elif key == "summon" and isinstance(value, dict):
                self.summoned.add(value["kind"])
            elif key == "place_tile":
                self.placed.add(value["tile"])
            elif key == "gain":
                self.raised.add(value["counter"])
            elif key == "pay" or (key == "counter" and "at_least" in node):
                self.counted.add(value["counter"] if key == "pay" else value)
            elif key == "roll":
                self.rolls = True
            self._gather(value)

    def all(self) -> Iterator[tuple[Loc, str]]:
        yield from self._kinds()
        for number, passive in enumerate(self.kit["passives"]):
            loc: Loc = ("passives", number)
            never = self._no_unit(passive["where"], {}) if "where" in passive else ""
            if never:
                yield (*loc, "where"), f"never runs: {never}"
            names = {"me": "unit"} | ({"unit": "unit", "left": "zone"} if passive["when"] == "unit_moved" else {})
            yield from self._program(passive["do"], (*loc, "do"), names, "artist")
        for group in ("actions", "abilities"):
            for number, card in enumerate(self.kit[group]):
                yield from self._card(card, (group, number), card.get("unit", "artist"))

    def _kinds(self) -> Iterator[tuple[Loc, str]]:
        for name in self.kit["summons"]:
            if name not in self.summoned:
                yield ("summons", name), "is never summoned"
        for name, counter in self.kit["counters"].items():
            if name not in self.raised and counter["start"] == 0:
                yield ("counters", name), "never rises: it starts at 0, and nothing gains or rolls it"
            elif name not in self.counted:
                yield ("counters", name), "is never used: nothing pays it or asks how high it stands"
        for name, token in self.kit["tokens"].items():
            if name not in self.added:
                yield ("tokens", name), "is never put anywhere (add_token)"
            elif not (name in self.asked or "at" in token or token["blocks_damage"]):
                yield ("tokens", name), "is put somewhere, but nothing asks for it"
            if "at" in token:
                names = {"me": "unit", "here": "zone"}
                yield from self._program(token["at"]["do"], ("tokens", name, "at", "do"), names, "artist")
        for name, tile in self.kit["tiles"].items():
            if name not in self.placed:
                yield ("tiles", name), "is never laid (place_tile)"
            if "on_cue" in tile and not self.cues:
                yield ("tiles", name, "on_cue"), "never runs: there is no `cue`"
            names = {"me": "unit", "unit": "unit", "here": "zone"} | ({"way": "direction"} if tile["directed"] else {})
            for key in ("on_enter", "on_cue"):
                if key in tile:
                    yield from self._program(tile[key], ("tiles", name, key), names, "artist")

    def _card(self, card: Kit, loc: Loc, user: str) -> Iterator[tuple[Loc, str]]:
        names = {} if user == "none" else {"me": "unit"}
        for index, effect in enumerate(card.get("effects", [])):
            at = (*loc, "effects", index)
            variables = dict(names)
            reason = self._unpayable(effect["cost"], variables, user)
            if reason:
                yield at, f"nobody can ever pay for it: {reason}"
            else:
                yield from self._program(effect["do"], (*at, "do"), variables, user)
        if "do" in card:
            parts = card["do"][:-1] if card["mode"] == "immediate" else card["do"]  # without the last `descend`
            yield from self._program(parts, (*loc, "do"), {"me": "unit"}, "artist")
        if "ascended" in card:
            yield from self._card(card["ascended"], (*loc, "ascended"), "artist")

    # Costs.

    def _unpayable(self, cost: list[Kit], variables: Variables, user: str) -> str:
        if user not in ("artist", "none", *self.summoned):
            return f"{user} is never summoned"
        for part in cost:
            reason = ""
            match part:
                case {"choose_unit": args}:
                    variables[args["as"]] = "unit"
                    reason = self._no_unit(args["where"], variables)
                case {"choose_zone": args}:
                    variables[args["as"]] = "zone"
                    reason = self._no_zone(args["where"], variables)
                case {"choose_direction": name}:
                    variables[name] = "direction"
                case {"pay": args}:
                    reason = self._too_low(args["counter"], args["count"])
                case {"require": condition}:
                    reason = self._false(condition, variables)
            if reason:
                return reason
        return ""

    def _too_low(self, name: str, count: int) -> str:
        start = self.kit["counters"][name]["start"]
        return f"{name} is never more than {start}" if start < count and name not in self.raised else ""

    # Selections and conditions: why nothing ever matches, or "".

    def _near(self, where: Kit, variables: Variables) -> str:
        places = {key: where[key] for key in ("adjacent_to", "diagonal_to", "in_line_with") if key in where}
        within = where.get("within")
        for name in [*places.values(), *([within["of"]] if within else [])]:
            if variables.get(name, "").startswith("!"):
                return variables[name][1:]
        same = "adjacent_to" in places and places["adjacent_to"] == places.get("diagonal_to")
        line = "diagonal_to" in places and places["diagonal_to"] == places.get("in_line_with")
        if same or line:
            return f"nothing is both {'adjacent' if same else 'in line'} and diagonal to {places['diagonal_to']}"
        if within and within["distance"] == 0 and within["of"] in (*places.values(), where.get("other_than")):
            return f"nothing else is within 0 zones of {within['of']}"
        return self._no_unit(where["touching"], variables) if "touching" in where else ""

    def _no_unit(self, where: Kit, variables: Variables) -> str:
        kind, token = where.get("kind"), where.get("token")
        if kind in self.kit["summons"] and kind not in self.summoned:
            return f"{kind} is never summoned"
        if token is not None and token not in self.added:
            return f"{token} is never put anywhere"
        if token is not None and token == where.get("no_token"):
            return f"nothing both has {token} and has none"
        return self._near(where, variables)

    def _no_zone(self, where: Kit, variables: Variables) -> str:
        token, tile = where.get("token"), where.get("tile")
        if token is not None:
            if token not in self.added:
                return f"{token} is never put anywhere"
            kind = self.kit["tokens"][token]
            most = kind["pool"] if kind["stacks"] else 1
            if where.get("at_least", 1) > most:
                return f"never more than {most} {token} lie in a zone"
        if isinstance(tile, str) and tile not in self.placed:
            return f"{tile} is never laid"
        if "holds" in where:
            if where.get("occupied") is False:
                return "no zone is empty and holds a unit"
            if reason := self._no_unit(where["holds"], variables):
                return reason
        return self._near(where, variables)

    def _false(self, condition: Kit, variables: Variables) -> str:
        match condition:
            case {"unit": name, "is": units}:
                return variables.get(name, "")[1:] if self._empty(name, variables) else self._no_unit(units, variables)
            case {"zone": name, "is": zones}:
                return variables.get(name, "")[1:] if self._empty(name, variables) else self._no_zone(zones, variables)
            case {"units": units}:
                return self._no_unit(units, variables)
            case {"zones": zones}:
                return self._no_zone(zones, variables)
            case {"counter": name, "at_least": count}:
                return self._too_low(name, count)
        return ""

    @staticmethod
    def _empty(name: str, variables: Variables) -> bool:
        return variables.get(name, "").startswith("!")

    # Programs.

    def _program(self, parts: list[Any], loc: Loc, variables: Variables, user: str) -> Iterator[tuple[Loc, str]]:
        idle: list[tuple[Loc, str]] = []
        if self._acts(parts, loc, dict(variables), user, idle):
            for at, reason in idle:
                yield at, f"can never do anything: {reason}"
        else:
            reason = idle[0][1] if idle else "it only chooses" if parts else "it only descends"
            yield loc[:-1], f"can never do anything: {reason}"

    def _acts(self, parts: list[Any], loc: Loc, variables: Variables, user: str, idle: list[tuple[Loc, str]]) -> bool:
        """Whether any part can do something; those that cannot are put into `idle` with the reason."""
        acting = False
        for number, part in enumerate(parts):
            at = (*loc, number)
            result = self._part(part, at, variables, user, idle)
            if isinstance(result, str):
                idle.append((at, result))
            acting |= result is True
        return acting

    def _part(self, part: Any, loc: Loc, variables: Variables, user: str, idle: list[tuple[Loc, str]]) -> bool | str:
        """True for a part that can do something, False for one that only chooses, else why it can do nothing."""

        def inside(parts: Any, *keys: str | int, more: Variables | None = None) -> bool:
            return self._acts(parts, (*loc, *keys), variables | (more or {}), user, idle)

        def name(variable: str, kind: str, reason: str) -> bool:
            variables[variable] = f"!{variable} is always empty ({reason})" if reason else kind
            return False

        match part:
            case {"choose_unit": args}:
                return name(args["as"], "unit", self._no_unit(args["where"], variables))
            case {"choose_zone": args}:
                return name(args["as"], "zone", self._no_zone(args["where"], variables))
            case {"choose_direction": variable}:
                return name(variable, "direction", "")
            case {"let": args}:
                return name(
                    args["zone"],
                    "zone",
                    variables.get(args["of"], "")[1:] if self._empty(args["of"], variables) else "",
                )
            case {"choose_one": branches}:
                return (
                    sum(inside(branch, "choose_one", number) for number, branch in enumerate(branches)) > 0
                )  # all are seen
            case {"may": parts}:
                return inside(parts, "may")
            case {"if": condition, "then": then, **rest}:
                reason = self._false(condition, variables)
                acting = False if reason else inside(then, "then")
                if "else" in rest:
                    acting |= inside(rest["else"], "else")
                return reason if reason and not acting else acting
            case {"for_each": args}:
                reason = self._no_unit(args["where"], variables)
                return reason or inside(args["do"], "for_each", "do", more={args["unit"]: "unit"})
        return self._action(part, variables, user) or True

    def _action(self, part: Any, variables: Variables, user: str) -> str:
        """Why a part that acts can do nothing, or ""."""
        if isinstance(part, str):
            return ""
        (verb, args), *_ = part.items()
        kinds = ("token", "tile", "kind", "counter")
        values = (
            [args]
            if isinstance(args, str)
            else [value for key, value in args.items() if key not in kinds]
            if isinstance(args, dict)
            else []
        )
        for value in values:
            inner = list(value.values()) if isinstance(value, dict) and verb in ("move", "jump") else [value]
            for variable in inner:
                if isinstance(variable, str) and self._empty(variable, variables):
                    return variables[variable][1:]
        ways: dict[str, Callable[[], str]] = {
            "draw": lambda: "" if self.deck else "the artist has no deck",
            "spend": lambda: self._too_low(args["counter"], 1),
            "remove": lambda: "an artist cannot be removed" if args == "me" and user == "artist" else "",
            "summon": lambda: (
                f"{args['zone']} is a unit, so that zone is occupied" if variables.get(args["zone"]) == "unit" else ""
            ),
            "remove_token": lambda: "" if args["token"] in self.added else f"{args['token']} is never put anywhere",
            "damage": lambda: (
                self._no_unit(args["units"], variables)
                if "units" in args
                else self._no_zone(args["zones"], variables)
                if "zones" in args
                else ""
            ),
        }
        return ways[verb]() if verb in ways else ""
