"""Small artists and positions for the tests of the rules: a few lines say who stands where, and play goes on in words.

    hit = intention("[{damage: {zone: target}}]", cost="[{choose_zone: {as: target, where: {}}}]")
    t = table(kit("ann", Strike=[hit]), kit("ben"))
    t.place(0, "artist", "c2")
    t.give(0, "Strike")
    t.do("play Strike (Intention)", "zone c5")
    assert t.log[-1] == "player_1's Ben (c5) takes damage (1)"

Actions are named by their text (`Game.action_text`) or the beginning of it; the log tells what happened.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import yaml

import react_env
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.actions import A_END_TURN, A_PASS
from tests import tables

Kit = dict[str, Any]
BLANK = "[{choose_unit: {as: oneself, where: {side: mine, kind: artist}}}]"  # an effect that does nothing
SUMMONS = {"imp": {"name": "Imp", "count": 3}}
TOKENS = {
    "ink": {"name": "Ink", "place": "unit", "pool": 3, "stacks": False},
    "scale": {"name": "Scale", "place": "zone", "pool": 6, "stacks": True},
    "block": {"name": "Block", "place": "zone", "pool": 2, "stacks": False, "lasts": "turn", "blocks_damage": True},
}
TILES = {"bell": {"name": "Bell", "pool": 2, "on_enter": [{"add_token": {"token": "ink", "to": "unit"}}]}}


# ---------------------------------------------------------------------------------------------------------------- artists


def effect(kind: str, do: str, cost: str = "[]") -> dict[str, Any]:
    """An effect made from the text of its parts."""
    return {"kind": kind, "cost": yaml.safe_load(cost), "do": yaml.safe_load(do)}


def intention(do: str = BLANK, cost: str = "[]") -> dict[str, Any]:
    """An Intention."""
    return effect("intention", do, cost)


def reaction(do: str = BLANK, cost: str = "[]") -> dict[str, Any]:
    """A Reaction."""
    return effect("reaction", do, cost)


PROGRESS = intention("[progress]", "[{exhaust: me}]")
REST = intention(BLANK, "[{exhaust: me}]")


def ascended(*effects: dict[str, Any]) -> dict[str, Any]:
    """A side that lasts until its super is used."""
    return {
        "mode": "until_used",
        "name": "Raised",
        "effects": list(effects) or [intention("[descend]", "[{exhaust: me}]")],
    }


def immediate(do: str = "[descend]") -> dict[str, Any]:
    """A side that is over as soon as it has done its work."""
    return {"mode": "immediate", "name": "Flash", "do": yaml.safe_load(do)}


def ability(name: str, unit: str, *effects: dict[str, Any]) -> dict[str, Any]:
    """A further ability card."""
    return {"id": name.lower(), "name": name, "unit": unit, "effects": list(effects)}


def kit(
    name: str,
    *abilities: dict[str, Any],
    artist: tuple[dict[str, Any], ...] = (PROGRESS, REST),
    up: dict[str, Any] | None = None,
    passives: tuple[dict[str, Any], ...] = (),
    deck: bool = True,
    summons: dict[str, Any] = SUMMONS,
    tokens: dict[str, Any] = TOKENS,
    tiles: dict[str, Any] = TILES,
    **cards: list[dict[str, Any]],
) -> Kit:
    """A small artist: action cards by name (filled up to four with idle Intentions), further ability cards, and other changes."""
    names = [*cards, *(f"Blank {i}" for i in range(1, 5 - len(cards)))]
    actions = [
        {
            "id": f"card_{i}",
            "name": title.replace("_", " "),
            "copies": (8, 8, 7, 7)[i],
            "effects": cards.get(title, [intention()]),
        }
        for i, title in enumerate(names)
    ]
    card = {
        "id": "artist",
        "name": name.capitalize(),
        "unit": "artist",
        "effects": list(artist),
        "ascended": up or ascended(),
    }
    return {
        "format": 1,
        "id": name,
        "name": name.capitalize(),
        "concept": "For a test.",
        "summons": summons,
        "tokens": tokens,
        "tiles": tiles,
        "passives": list(passives),
        "actions": actions if deck else [],
        "abilities": [card, *abilities],
    }


def passive(when: str, do: str, name: str = "Habit", where: str | None = None) -> dict[str, Any]:
    """A passive."""
    made: dict[str, Any] = {"name": name, "when": when, "do": yaml.safe_load(do)}
    if where is not None:
        made["where"] = yaml.safe_load(where)
    return made


def file_of(artist: Kit | str) -> str:
    """What `load` takes for an artist: its name, or the path of a file with it."""
    return artist if isinstance(artist, str) else tables.file_of(artist)


# ---------------------------------------------------------------------------------------------------------------- positions


class Table(tables.Table):
    """A game at a position made by hand: the main phase of turn 3, empty hands, and 20 cards in each deck."""

    events = S.EVENTS

    def __init__(self, game: Any, turn_player: int = 0, turn: int = 3) -> None:
        super().__init__(game)
        self.view = game.rules.view
        self.t = game.tables[0]
        fresh = np.zeros(1, game.state_dtype)[0]
        for name in ("rng", "table"):
            fresh[name] = self.state[name]
        fresh.unit_zone[:] = -1
        fresh.zone_unit[:] = -1
        fresh.zone_tile[:] = -1
        fresh.row[:] = -1
        fresh.face_down[:] = -1
        fresh.plan[:] = -1
        fresh.token_left[:] = self.t["token_pool"]
        fresh.tile_left[:] = self.t["tile_pool"]
        self.state = fresh
        fresh.turn, fresh.turn_player, fresh.first = turn, turn_player, (turn_player + turn + 1) % 2
        fresh.phase, fresh.decision, fresh.to_play = S.PH_MAIN, S.D_MAIN, turn_player
        for player in (0, 1):
            self._stand(player * S.SLOTS, int(self.t["start_zone"][player]))
            for number, name in enumerate(self.view.artists[player].counters):
                self.count(player, name, int(self.t["counter_start"][player, number]))
            if self.t["has_deck"][player]:
                self.deck(player, *[self.card_names(player)[i % 4] for i in range(20)])

    # -- arranging ------------------------------------------------------------------------------------------------------

    def zone(self, name: str) -> int:
        """The number of the zone of that name."""
        return (int(name[1]) - 1) * int(self.t["cols"]) + "abcde".index(name[0])

    def card_names(self, player: int) -> list[str]:
        """The names of a player's action cards."""
        return [card.name for card in self.view.artists[player].actions]

    def _stand(self, unit: int, zone: int) -> None:
        s = self.state
        assert s.zone_unit[zone] in (-1, unit), "two units in one zone"
        if s.unit_zone[unit] >= 0:
            s.zone_unit[s.unit_zone[unit]] = -1
        s.unit_zone[unit] = zone
        s.zone_unit[zone] = unit

    def place(self, player: int, kind: str, zone: str, *tokens: str, exhausted: bool = False) -> int:
        """Put the artist, or the next summon of that kind, into a zone, with tokens of its owner; return its unit number."""
        if kind == "artist":
            unit = player * S.SLOTS
        else:
            number = [*self.view.artists[player].summons].index(kind) + 1
            free = [
                slot
                for slot in range(1, S.SLOTS)
                if self.t["slot_kind"][player, slot] == number and self.state.unit_zone[player * S.SLOTS + slot] < 0
            ]
            unit = player * S.SLOTS + free[0]
        self._stand(unit, self.zone(zone))
        self.state.unit_exhausted[unit] = exhausted
        for token in tokens:
            self.mark(unit, token, player)
        return unit

    def mark(self, unit: int, token: str, owner: int) -> None:
        """Put a token of that player on a unit."""
        number = [*self.view.artists[owner].tokens].index(token)
        self.state.token[unit, owner, number] += 1
        self.state.token_left[owner, number] -= 1

    def strew(self, owner: int, token: str, *zones: str) -> None:
        """Put one token of that player into each of these zones."""
        number = [*self.view.artists[owner].tokens].index(token)
        for zone in zones:
            self.state.token[self.zone(zone), owner, number] += 1
            self.state.token_left[owner, number] -= 1

    def lay(self, owner: int, tile: str, *zones: str) -> None:
        """Put a tile of that player into each of these zones; a directed one is "c3 up"."""
        number = [*self.view.artists[owner].tiles].index(tile)
        for zone in zones:
            name, _, way = zone.partition(" ")
            self.state.zone_tile[self.zone(name)] = owner * S.TILES + number
            self.state.tile_left[owner, number] -= 1
            self.state.zone_way[self.zone(name)] = ("up", "right", "down", "left").index(way) if way else 0
            if self.t["tile_cue"][owner, number] >= 0:
                self.state.plan[owner, self.state.plan_size[owner]] = self.zone(name)
                self.state.plan_size[owner] += 1

    def count(self, player: int, counter: str, *values: int) -> None:
        """Set a counter to a value, or a counter of dice to the faces that they show."""
        number = [*self.view.artists[player].counters].index(counter)
        self.state.counter[player, number] = sum(values)
        if self.t["dice_counter"][player] == number and any(values):
            self.state.dice[player, : len(values)] = sorted(values)

    def give(self, player: int, *cards: str) -> None:
        """Add action cards to a hand."""
        for card in cards:
            self.state.hand[player, self.card_names(player).index(card)] += 1

    def deck(self, player: int, *cards: str) -> None:
        """Set the deck of a player; the last card is its top."""
        s = self.state
        s.deck[player] = 0
        s.deck_size[player] = len(cards)
        for i, card in enumerate(cards):
            s.deck[player, i] = self.card_names(player).index(card)

    def hurt(self, player: int, damage: int) -> None:
        """Set the damage that an artist has taken."""
        self.state.damage[player] = damage

    def row(self, *slots: str) -> None:
        """Set the masterpiece row, from player 0's left: "a1" is player 0's card 1, "b3" player 1's card 3, "-" an empty slot."""
        self.state.row[:] = [-1 if slot == "-" else "ab".index(slot[0]) * S.PARTS + int(slot[1]) - 1 for slot in slots]

    def raise_up(self, player: int) -> None:
        """Turn the artist to its ascended side."""
        self.state.ascended[player] = 1

    def become(self, player: int) -> None:
        """Turn the artist into its second form."""
        self.state.form[player] = 1

    # -- playing --------------------------------------------------------------------------------------------------------

    def passes(self) -> Table:
        """Let everybody pass until the chain has resolved or somebody has something else to choose."""
        while not self.over and self.state["decision"] == S.D_REACT:
            self.step(A_PASS)
        return self

    def end_turn(self) -> Table:
        """End the turn."""
        self.step(A_END_TURN)
        return self

    def after(self, line: str) -> list[str]:
        """The log after the last line equal to `line`."""
        last = max(i for i, logged in enumerate(self.log) if logged == line)
        return self.log[last + 1 :]

    def status(self, beginning: str) -> str:
        """The only status line that begins so."""
        (line,) = [line for line in self.game.status_lines(self.state) if line.startswith(beginning)]
        return line

    def at(self, zone: str) -> str:
        """The name of the unit in a zone, or nothing."""
        unit = int(self.state.zone_unit[self.zone(zone)])
        return self.view._units[unit] if unit >= 0 else ""


def table(
    one: Kit | str = "calligrapher", other: Kit | str = "dancer", turn_player: int = 0, turn: int = 3, **rules: Any
) -> Table:
    """A position of these two artists: the main phase of that turn, artists at their start zones, empty hands."""
    return Table(load(one, other, **rules), turn_player, turn)


def load(one: Kit | str, other: Kit | str, **rules: Any) -> Any:
    """The game of two artists."""
    return react_env.load("arts_of_war-v0", artists=(file_of(one), file_of(other)), **rules)
