"""Random artists: nearly any file that docs/arts_of_war/card_files.md allows, and now and then one that it refuses."""

from __future__ import annotations

import random
from typing import Any

SORTS = {"unit": ("u1", "u2", "u3"), "zone": ("z1", "z2"), "direction": ("way",)}
Scope = dict[str, str]  # the sort of each variable
Part = dict[str, Any]
Parts = list[Any]


class Author:
    """Writes one file."""

    def __init__(self, rng: random.Random, name: str) -> None:
        self.rng = rng
        self.name = name

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def kit(self) -> dict[str, Any]:
        rng = self.rng
        self.summons: dict[str, Any] = {}
        left, attached = 7, 3
        for i in range(rng.randint(0, 4)):
            if left < 1:
                break
            n = rng.randint(1, min(left, rng.choice((1, 2, 7))))
            left -= n
            summon: Part = {"name": f"{self.name.title()} Imp {'ABCD'[i]}", "count": n}
            if n <= attached and self.chance(0.3):
                summon["attached"] = True
                attached -= n
            self.summons[f"imp_{i}"] = summon
        self.counters: dict[str, Any] = {}
        for i in range(rng.randint(0, 3)):
            if self.chance(0.4) and not any("dice" in c for c in self.counters.values()):
                dice = {"count": rng.randint(1, 4), "sides": rng.choice((2, 3, 6, 12))}
                self.counters[f"count_{i}"] = {
                    "name": f"Count {'ABC'[i]}",
                    "start": rng.randint(0, dice["count"] * dice["sides"]),
                    "dice": dice,
                }
            else:
                most = rng.choice((1, 2, 3, 5, 99))
                self.counters[f"count_{i}"] = {"name": f"Count {'ABC'[i]}", "start": rng.randint(0, most), "most": most}
        self.tokens: dict[str, Any] = {}
        for i in range(rng.randint(0, 3)):
            place = rng.choice(("unit", "zone"))
            pool, stacks = rng.choice((1, 2, 3, 9, 99)), self.chance(0.5)
            token: Part = {
                "name": f"Ink {'ABC'[i]}",
                "place": place,
                "pool": pool,
                "stacks": stacks,
                "lasts": rng.choice(("game", "turn")),
            }
            if place == "zone":
                token["blocks_damage"] = self.chance(0.4)
                if self.chance(0.5):
                    token["at"] = {"count": rng.randint(1, min(pool, 3) if stacks else 1)}
            self.tokens[f"ink_{i}"] = token
        self.tiles: dict[str, Any] = {}
        plans = 6
        for i in range(rng.randint(0, 4)):
            tile: dict[str, Any] = {
                "name": f"Bell {'ABCD'[i]}",
                "pool": rng.choice((1, 2, 3, 25)),
                "directed": self.chance(0.4),
            }
            what = rng.choice(("on_enter", "on_cue", "both"))
            if what != "on_enter":
                if plans == 0:
                    what = "on_enter"
                else:
                    tile["pool"] = min(tile["pool"], plans)
                    plans -= tile["pool"]
            tile["what"] = what
            self.tiles[f"bell_{i}"] = tile
        self.deck = self.chance(0.85)
        self.becomes = self.chance(0.3)
        self.cue = any(t["what"] != "on_enter" for t in self.tiles.values())
        self.dice = any("dice" in c for c in self.counters.values())
        text: dict[str, Any] = {
            "format": 1,
            "id": self.name,
            "name": self.name.title(),
            "concept": "Random.",
            "immune": self.chance(0.1),
        }
        for token in self.tokens.values():
            if "at" in token:
                token["at"]["do"] = self.body({"me": "unit", "here": "zone"}, small=True)
        for tile in self.tiles.values():
            what = tile.pop("what")
            scope = {"me": "unit", "unit": "unit", "here": "zone"} | ({"way": "direction"} if tile["directed"] else {})
            if what != "on_cue":
                tile["on_enter"] = self.body(scope, small=True)
            if what != "on_enter":
                tile["on_cue"] = self.body(scope, small=True)
        passives = []
        moved = 0
        for i in range(rng.randint(0, 4)):
            when = rng.choice(
                (
                    "setup",
                    "start_of_my_turn",
                    "start_of_every_turn",
                    "end_of_my_turn",
                    "end_of_every_turn",
                    "unit_moved",
                    "unit_moved",
                    "instead_of_draw",
                )
            )
            if when == "instead_of_draw" and self.deck or when == "unit_moved" and moved == 2:
                when = "setup"
            passive: dict[str, Any] = {"name": f"Passive {'ABCDEF'[i]}", "when": when}
            scope = {"me": "unit"}
            if when == "unit_moved":
                moved += 1
                scope |= {"unit": "unit", "left": "zone"}
                if self.chance(0.8):
                    passive["where"] = self.units({}, moved=True)
            passive["do"] = self.body(scope, small=True)
            passives.append(passive)
        if self.summons and self.chance(0.15):
            vital = rng.choice(list(self.summons))
            text["vital"] = vital
            passives.append(
                {
                    "name": "Vital",
                    "when": "setup",
                    "do": [
                        {"choose_zone": {"as": "z1", "where": {"adjacent_to": "me"}}},
                        {"summon": {"kind": vital, "zone": "z1"}},
                    ],
                }
            )
        actions = []
        if self.deck:
            for i, copies in enumerate(rng.choice(((8, 8, 7, 7), (1, 1, 1, 27), (5, 5, 10, 10)))):
                actions.append(
                    {
                        "id": f"card_{i}",
                        "name": f"Card {'ABCD'[i]}",
                        "copies": copies,
                        "effects": [self.effect("artist") for _ in range(rng.choice((1, 1, 2, 3)))],
                    }
                )
            if any(e["kind"] == "reaction" for c in actions for e in c["effects"]) and self.chance(0.35):
                text["face_down"] = rng.randint(1, 2)
        first: Part = {"id": "artist", "name": "First", "unit": "artist", "effects": self.side()}
        if self.becomes:
            other: Part = {
                "mode": "becomes",
                "name": "Second",
                "effects": self.side(),
                "ascended": self.ascended("Highest"),
            }
            if self.chance(0.5):
                other["do"] = self.body({"me": "unit"}, small=True)
        else:
            other = self.ascended("Raised")
        first["ascended"] = other
        abilities = [first]
        for i in range(rng.choice((0, 1, 1, 2, 3, 5))):
            unit = rng.choice(["artist", "none", *self.summons, *self.summons])
            abilities.append(
                {
                    "id": f"ability_{i}",
                    "name": f"Ability {'ABCDE'[i]}",
                    "unit": unit,
                    "effects": [self.effect(unit) for _ in range(rng.randint(1, 2))],
                }
            )
        text |= {
            "summons": self.summons,
            "counters": self.counters,
            "tokens": self.tokens,
            "tiles": self.tiles,
            "passives": passives,
            "actions": actions,
            "abilities": abilities,
        }
        return text

    def side(self) -> Parts:
        effects = [self.effect("artist") for _ in range(self.rng.randint(2, 3))]
        effects[0] = {
            "kind": "intention",
            "cost": [{"exhaust": "me"}] if self.chance(0.7) else [],
            "do": ["progress", *self.body({"me": "unit"}, small=True)][: self.rng.randint(1, 3)],
        }
        return effects

    def ascended(self, name: str) -> Part:
        if self.chance(0.4):
            return {"mode": "immediate", "name": name, "do": [*self.body({"me": "unit"}, small=True), "descend"]}
        effects = [self.effect("artist") for _ in range(self.rng.randint(1, 3))]
        if self.chance(0.7):
            effects[0]["do"] = [*effects[0]["do"], "descend"]
        return {"mode": "until_used", "name": name, "effects": effects}

    def effect(self, unit: str) -> Part:
        scope = {} if unit == "none" else {"me": "unit"}
        kind = self.rng.choice(("intention", "reaction"))
        cost, scope = self.cost(scope)
        return {"kind": kind, "cost": cost, "do": self.body(scope)}

    def fresh(self, scope: Scope, sort: str) -> str | None:
        given = sum(
            kind == sort and name not in ("me", *SORTS[sort]) for name, kind in scope.items()
        )  # set by what triggers
        free = [name for name in SORTS[sort][: len(SORTS[sort]) - given] if name not in scope]
        return self.rng.choice(free) if free else None

    def names(self, scope: Scope, *sorts: str) -> list[str]:
        return [n for n, k in scope.items() if k in sorts]

    def any_zone_token(self) -> list[str]:
        return [n for n, t in self.tokens.items() if t["place"] == "zone"]

    def position(self, scope: Scope, depth: int) -> Part:
        where: dict[str, Any] = {}
        places = self.names(scope, "unit", "zone")
        rng = self.rng
        if places:
            if self.chance(0.2):
                where["adjacent_to"] = rng.choice(places)
            if self.chance(0.1):
                where["diagonal_to"] = rng.choice(places)
            if self.chance(0.12):
                where["in_line_with"] = rng.choice(places)
            if self.chance(0.2):
                where["within"] = {"of": rng.choice(places), "distance": rng.choice((0, 1, 2, 2, 3, 8))}
            if self.chance(0.15):
                where["other_than"] = rng.choice(places)
        if depth and self.chance(0.12):
            where["touching"] = self.units(scope, depth=0)
        return where

    def units(self, scope: Scope, depth: int = 1, moved: bool = False) -> Part:
        rng = self.rng
        where: dict[str, Any] = {}
        if not moved:
            where |= self.position(scope, depth)
        if self.chance(0.35):
            where["side"] = rng.choice(("mine", "theirs"))
        if self.chance(0.4):
            kinds = ["artist", "summon"] + ([] if where.get("side") == "theirs" else list(self.summons))
            where["kind"] = rng.choice(kinds)
        for key in ("token", "no_token"):
            if self.tokens and self.chance(0.12):
                where[key] = rng.choice(list(self.tokens))
        if self.chance(0.12):
            where["exhausted"] = rng.choice((True, False))
        return where

    def zones(self, scope: Scope, depth: int = 1) -> Part:
        rng = self.rng
        where = self.position(scope, depth)
        if self.chance(0.15):
            where["occupied"] = rng.choice((True, False))
        if self.any_zone_token() and self.chance(0.2):
            where["token"] = rng.choice(self.any_zone_token())
            if self.chance(0.4):
                where["at_least"] = rng.choice((1, 2, 3, 99))
        if self.chance(0.15):
            where["tile"] = rng.choice([True, False, *self.tiles])
        if self.chance(0.15):
            where["holds"] = self.units(scope, depth)
        return where

    def condition(self, scope: Scope) -> Part:
        rng = self.rng
        kinds = ["units", "zones", "ascended"] + ["counter"] * bool(self.counters) + ["form"] * self.becomes
        kinds += ["unit"] * bool(self.names(scope, "unit")) * 2 + ["zone"] * bool(self.names(scope, "unit", "zone")) * 2
        match rng.choice(kinds):
            case "unit":
                return {"unit": rng.choice(self.names(scope, "unit")), "is": self.units(scope)}
            case "zone":
                return {"zone": rng.choice(self.names(scope, "unit", "zone")), "is": self.zones(scope)}
            case "units":
                return {"units": self.units(scope), "at_least": rng.choice((1, 1, 2, 3, 16))}
            case "zones":
                return {"zones": self.zones(scope), "at_least": rng.choice((1, 1, 3, 9, 25))}
            case "counter":
                counter = rng.choice(list(self.counters))
                return {"counter": counter, "at_least": rng.randint(1, self.highest(counter))}
            case "ascended":
                return {"ascended": rng.choice((True, False))}
        return {"form": rng.choice(("first", "second"))}

    def highest(self, name: str) -> int:
        counter = self.counters[name]
        return int(counter["most"] if "most" in counter else counter["dice"]["count"] * counter["dice"]["sides"])

    def cost(self, scope: Scope) -> tuple[Parts, Scope]:
        rng = self.rng
        scope = dict(scope)
        parts: Parts = []
        paid: set[str] = set()
        for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 4))):
            me = {n: k for n, k in scope.items() if n == "me"}
            match rng.choice(
                ("exhaust", "direction", "zone", "zone", "unit", "token", "discard", "pay", "sacrifice", "require")
            ):
                case "exhaust" if "me" in scope and "exhaust" not in paid:
                    parts.append({"exhaust": "me"})
                    paid.add("exhaust")
                case "direction" if name := self.fresh(scope, "direction"):
                    parts.append({"choose_direction": name})
                    scope[name] = "direction"
                case "zone" if name := self.fresh(scope, "zone"):
                    others = self.names(scope, "zone", "unit")
                    if others and self.chance(0.3):
                        o = rng.choice(others)
                        where = rng.choice(({"adjacent_to": o}, {"within": {"of": o, "distance": rng.randint(0, 3)}}))
                    else:
                        where = self.zones(me)
                    parts.append({"choose_zone": {"as": name, "where": where}})
                    scope[name] = "zone"
                case "unit" if name := self.fresh(scope, "unit"):
                    where = self.units(me)
                    parts.append({"choose_unit": {"as": name, "where": where}})
                    scope[name] = "unit"
                case "token" if self.tokens:
                    token = rng.choice(list(self.tokens))
                    sort = "unit" if self.tokens[token]["place"] == "unit" or self.chance(0.3) else "zone"
                    name = self.fresh(scope, sort)
                    if name is None or token in paid:
                        continue
                    where = (self.units if sort == "unit" else self.zones)(me)
                    where["token"] = token
                    where.pop("no_token", None)
                    parts.append({f"choose_{sort}": {"as": name, "where": where}})
                    parts.append({"remove_token": {"token": token, "from": name}})
                    scope[name] = sort
                    paid.add(token)
                case "discard" if self.deck and "discard" not in paid:
                    parts.append({"discard": 1})
                    paid.add("discard")
                case "pay" if self.counters:
                    counter = rng.choice(list(self.counters))
                    if counter in paid:
                        continue
                    paid.add(counter)
                    parts.append({"pay": {"counter": counter, "count": rng.randint(1, min(3, self.highest(counter)))}})
                case "sacrifice" if self.summons and (name := self.fresh(scope, "zone")):
                    where = self.zones(me)
                    where["holds"] = {"side": "mine", "kind": rng.choice(["summon", *self.summons])}
                    parts.append({"choose_zone": {"as": name, "where": where}})
                    parts.append({"sacrifice": name})
                    scope[name] = "zone"
                    return parts, scope
                case "require":
                    parts.append({"require": self.condition(me)})
        return parts, scope

    def body(self, scope: Scope, small: bool = False) -> Parts:
        return self.parts(
            dict(scope), self.rng.choice((1, 1, 2)) if small else self.rng.choice((1, 2, 2, 3, 4)), 2, False
        )

    def way(self, scope: Scope) -> Any:
        places = self.names(scope, "unit", "zone")
        ways = self.names(scope, "direction")
        if ways and self.chance(0.6):
            return self.rng.choice(ways)
        if places:
            return {self.rng.choice(("toward", "away_from")): self.rng.choice(places)}
        return None

    def parts(self, scope: Scope, count: int, depth: int, loop: bool) -> Parts:
        scope = dict(scope)
        made: Parts = []
        tries = 0
        while len(made) < count and tries < 60:
            tries += 1
            part = self.part(scope, depth, loop)
            if part is not None:
                made.append(part)
        return made or ["descend"]

    def part(self, scope: Scope, depth: int, loop: bool) -> Any:
        rng = self.rng
        units, places = self.names(scope, "unit"), self.names(scope, "unit", "zone")
        some = list(self.summons)
        words = (
            "choose_unit choose_unit choose_zone choose_zone choose_direction choose_one may let move move jump jump swap "
            "damage damage summon summon remove exhaust refresh add_token add_token remove_token place_tile place_tile "
            "move_tile remove_tile cue gain spend roll defeat draw progress descend if if for_each "
        ).split()
        match rng.choice(words):
            case "choose_unit" if name := self.fresh(scope, "unit"):
                where = self.units(scope)
                scope[name] = "unit"
                return {"choose_unit": {"as": name, "where": where, "optional": self.chance(0.3)}}
            case "choose_zone" if name := self.fresh(scope, "zone"):
                where = self.zones(scope)
                scope[name] = "zone"
                return {"choose_zone": {"as": name, "where": where, "optional": self.chance(0.3)}}
            case "choose_direction" if name := self.fresh(scope, "direction"):
                scope[name] = "direction"
                return {"choose_direction": name}
            case "choose_one" if depth:
                return {
                    "choose_one": [
                        self.parts(scope, rng.randint(1, 2), depth - 1, loop) for _ in range(rng.randint(2, 4))
                    ]
                }
            case "may" if depth:
                return {"may": self.parts(scope, rng.randint(1, 2), depth - 1, loop)}
            case "let" if units and (name := self.fresh(scope, "zone")):
                of = rng.choice(units)
                scope[name] = "zone"
                return {"let": {"zone": name, "of": of}}
            case ("move" | "jump") as word if units and (way := self.way(scope)):
                return {word: {"unit": rng.choice(units), "way": way}}
            case "swap" if len(units) > 1:
                a, b = rng.sample(units, 2)
                return {"swap": {"unit": a, "with": b}}
            case "damage":
                if places and self.chance(0.6):
                    return {"damage": {"zone": rng.choice(places)}}
                if self.chance(0.5):
                    return {"damage": {"zones": self.zones(scope)}}
                return {"damage": {"units": self.units(scope)}}
            case "summon" if some and places:
                return {"summon": {"kind": rng.choice(some), "zone": rng.choice(places)}}
            case "remove" if units:
                return {"remove": rng.choice(units)}
            case ("exhaust" | "refresh") as word if units:
                return {word: rng.choice(units)}
            case "add_token" if self.tokens and (to := self.spot(scope)):
                return {"add_token": {"token": to[0], "to": to[1]}}
            case "remove_token" if self.tokens and (to := self.spot(scope)):
                return {"remove_token": {"token": to[0], "from": to[1], "count": rng.choice((1, 2, 99, "all"))}}
            case "place_tile" if self.tiles and places:
                tile = rng.choice(list(self.tiles))
                made = {"tile": tile, "zone": rng.choice(places)}
                if self.tiles[tile]["directed"]:
                    ways = self.names(scope, "direction")
                    if not ways:
                        return None
                    made["way"] = rng.choice(ways)
                return {"place_tile": made}
            case "move_tile" if len(places) > 1:
                a, b = rng.sample(places, 2)
                return {"move_tile": {"from": a, "to": b}}
            case "remove_tile" if places:
                return {"remove_tile": {"zone": rng.choice(places)}}
            case "cue" if self.cue:
                return "cue"
            case ("gain" | "spend") as word if self.counters:
                return {word: {"counter": rng.choice(list(self.counters)), "count": rng.choice((1, 1, 2, 99, "all"))}}
            case "roll" if self.dice:
                return {"roll": rng.choice((1, 1, 2, 5))}
            case "defeat" if self.chance(0.2):
                return "defeat"
            case "draw" if self.deck or self.chance(0.2):
                return {"draw": rng.choice((1, 1, 2, 6))}
            case "progress":
                return "progress"
            case "descend" if self.chance(0.3):
                return "descend"
            case "if" if depth:
                made = {"if": self.condition(scope), "then": self.parts(scope, rng.randint(1, 2), depth - 1, loop)}
                if self.chance(0.4):
                    made["else"] = self.parts(scope, 1, depth - 1, loop)
                return made
            case "for_each" if depth and not loop and (name := self.fresh(scope, "unit")):
                where = self.units(scope)
                order: Any = "zones"
                if places and self.chance(0.5):
                    order = {rng.choice(("nearest", "farthest")): rng.choice(places)}
                return {
                    "for_each": {
                        "unit": name,
                        "where": where,
                        "order": order,
                        "do": self.parts(scope | {name: "unit"}, rng.randint(1, 2), depth - 1, True),
                    }
                }
        return None

    def spot(self, scope: Scope) -> tuple[str, str] | None:
        token = self.rng.choice(list(self.tokens))
        sorts = ("unit",) if self.tokens[token]["place"] == "unit" else ("unit", "zone")
        names = self.names(scope, *sorts)
        return (token, self.rng.choice(names)) if names else None


def random_artist(rng: random.Random, name: str) -> dict[str, Any]:
    """The contents of a random artist's file; the name is its id."""
    return Author(rng, name).kit()
