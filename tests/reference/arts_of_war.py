"""A slow, literal model of the rules of Re;ACT - The Arts of War, in plain Python objects.

It shares nothing with the engine but the card files, and is written to be checked against the rules, whose ids (AW-...) stand in
the comments. Card files mean what docs/arts_of_war/card_files.md says; the action ids, the order of decisions, the log and the
status lines follow docs/arts_of_war/decisions.md.

The whole game is one generator. Whenever a player has to decide, it yields the player and a dict of options, from action id to
what the action means, and is sent the chosen action id. Nothing in here is random: shuffled decks and die rolls come from outside.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.reference.common import Flow, GameEnded, Model, Options, counted

RULES: dict[str, Any] = {
    "rows": 5,  # AW-S2
    "cols": 5,
    "start_zones": ("c1", "c5"),
    "max_turns": 60,  # AW-T8
    "refresh": "after_effects",  # AW-T7: after_effects | before_effects
    "full_hand_spares_deck_out": True,  # AW-T4
    "sourceless_effects": "resolve",  # AW-C11: resolve | fizzle
    "ability_once_per_chain": True,  # AW-C12
    "shared_ability_card": True,  # AW-C13
    "trigger_order": "turn_player_then_zones",  # AW-C16: ... | zones
    "replaced_masterpiece": "unplaced",  # AW-M3: unplaced | lost
    "masterpiece_sides": "opposite",  # AW-M5: opposite | same
    "masterpiece_check": "every_change",  # AW-M6: every_change | own_progress
    "forced_passes": "private",  # AW-I2: private | announced
    "trigger_limit": None,  # AW-C6a: how deep triggers may nest; None: no limit
    "loss_check": "effect",  # AW-U9: effect | part
    # These do not matter after the deal: AW-S1, AW-S3, AW-S4, AW-C14.
    "allow_mirror": False,
    "first_game_hand": False,
    "first_player": "random",
    "allow_unbounded_abilities": False,
}

OPENING_HAND = 4
HAND_LIMIT = 6
CHAIN_LIMIT = 5
MASTERPIECE_SLOTS = 5
FATAL_DAMAGE = 3

# Action ids (docs/arts_of_war/decisions.md).
END_TURN = 0
PASS = 1
DECLINE = 2
PLAY = {
    ("intention", True): 3,
    ("intention", False): 7,
    ("reaction", True): 13,
    ("reaction", False): 17,
}  # True: action card
DIRECTION = 23
OPTION = 27
SLOT = 35  # of the masterpiece row, or of the chain
OWN_UNIT = 40
THEIR_UNIT = 48
ZONE = 56
FACE_DOWN = 81

STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))  # rows and columns of up, right, down, left
DIRECTION_NAMES = ("up", "right", "down", "left")
PHASES = ("start", "masterpiece", "draw", "main", "end")

Token = tuple[int, str]  # whose token, which kind


class NoRoll(Exception):
    """A die is rolled, but no roll is left to take."""


@dataclass(eq=False)
class Tile:
    """A zone tile on the board (AW-U13). A tile that is laid again is another Tile."""

    player: int
    kind: str
    way: int | None = None  # the direction of a directed tile


@dataclass(eq=False)
class Zone:
    """One square of the field."""

    number: int
    row: int
    col: int
    name: str
    neighbours: list[Zone | None] = field(default_factory=list)  # up, right, down, left; None beyond the edge
    unit: Unit | None = None  # AW-S2: one unit at most
    tokens: dict[Token, int] = field(default_factory=dict)
    tile: Tile | None = None  # AW-U13: one tile at most

    def distance(self, other: Zone) -> int:
        """How many orthogonal steps lie between two zones."""
        return abs(self.row - other.row) + abs(self.col - other.col)

    def diagonal_to(self, other: Zone) -> bool:
        """Whether it is one row and one column away."""
        return abs(self.row - other.row) == 1 and abs(self.col - other.col) == 1

    def in_line_with(self, other: Zone) -> bool:
        """Whether it is another zone of the same row or column."""
        return self is not other and (self.row == other.row or self.col == other.col)

    def way_to(self, other: Zone) -> int | None:
        """The direction along the shared row or column, or None if the zones are not in line."""
        if not self.in_line_with(other):
            return None
        if self.col == other.col:
            return 0 if other.row > self.row else 2
        return 1 if other.col > self.col else 3


@dataclass(eq=False)
class Unit:
    """An artist, or a summon from its summoning to its removal; summoned again, it is another Unit."""

    player: int
    slot: int  # 0 is the artist
    kind: str  # "artist" or the kind of summon
    title: str  # its owner, name and number
    zone: Zone | None  # None once it has left the board
    exhausted: bool = False
    tokens: dict[Token, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.title} ({self.zone.name})" if self.zone else "a unit that is gone"


Value = Unit | Zone | int | None  # what a variable of an effect can hold; an int is a direction


@dataclass
class Scope:
    """The player for whom an effect runs, and the effect's variables."""

    player: int
    variables: dict[str, Value]

    def unit(self, name: str) -> Unit | None:
        """The unit in that variable, or None if it is not on the board."""
        value = self.variables.get(name)
        return value if isinstance(value, Unit) and value.zone is not None else None

    def place(self, name: str) -> Zone | None:
        """A zone variable, or the zone in which that unit stands now."""
        value = self.variables.get(name)
        if isinstance(value, Unit):
            return value.zone
        return value if isinstance(value, Zone) else None

    def direction(self, name: str) -> int | None:
        """A direction variable."""
        value = self.variables.get(name)
        return value if isinstance(value, int) else None


@dataclass
class Card:
    """An action card (all copies of it) or an ability card."""

    player: int
    number: int  # 0 is the first of its file
    is_action: bool
    text: dict[str, Any]

    @property
    def user(self) -> str:
        """Which kind of unit uses it: artist, none or a kind of summon. Action cards are used by the artist."""
        return "artist" if self.is_action else self.text["unit"]


@dataclass
class Play:
    """A card on the react chain."""

    player: int
    card: Card
    kind: str  # intention | reaction
    name: str  # of the side on which the effect stands
    side: list[dict[str, Any]]  # the effects of that side
    number: int | None = None  # which of them, once it is declared (AW-C3)
    scope: Scope = field(default_factory=lambda: Scope(0, {}))
    locked: list[str] = field(default_factory=list)  # variables chosen as a cost (AW-C7)
    paid: bool = False

    @property
    def effect(self) -> dict[str, Any]:
        assert self.number is not None
        return self.side[self.number]

    def describe(self, kind: str = "") -> str:
        """How the log and the status lines name it."""
        text = self.name
        if len(self.side) > 1 and self.number is not None:
            text += f" [{self.number + 1}]"
        text += kind
        values = [self.scope.variables[name] for name in self.locked]
        if self.card.user not in ("artist", "none") and "me" in self.scope.variables:
            text += f" with {self.scope.variables['me']}"
        text += "".join(f", unit {value}" for value in values if isinstance(value, Unit))
        text += "".join(f", zone {value.name}" for value in values if isinstance(value, Zone))
        text += "".join(f", {DIRECTION_NAMES[value]}" for value in values if isinstance(value, int))
        return text


@dataclass
class Choice:
    """A card that can be played now."""

    card: Card
    kind: str  # intention | reaction
    usable: dict[int, list[Unit | None]]  # the effects of that kind that can be paid, each with its possible users
    face_down: bool = False  # it comes from the chain, not from the hand


@dataclass
class Trigger:
    """A passive, token, tile or ascension that waits until the current part is done."""

    player: int
    name: str
    zone: int  # where it happened
    rank: tuple[int, int]  # passives, then tokens, then tiles; each in the order of the file
    do: list[Any]
    variables: dict[str, Value]
    tile: Tile | None = None


class Player:
    """One side of the table: what its artist file says, and what it has."""

    def __init__(self, number: int, text: dict[str, Any], start: Zone, deck: list[int], hand: list[int]) -> None:
        self.number = number
        self.name = f"player_{number}"
        self.text = text
        self.passives: list[dict[str, Any]] = text.get("passives") or []
        self.tokens: dict[str, dict[str, Any]] = text.get("tokens") or {}
        self.tiles: dict[str, dict[str, Any]] = text.get("tiles") or {}
        self.actions = [Card(number, i, True, card) for i, card in enumerate(text.get("actions") or [])]
        self.abilities = [Card(number, i, False, card) for i, card in enumerate(text["abilities"])]
        self.deck = list(deck)  # from the bottom to the top
        self.hand = list(hand)  # how many of each action card
        self.discard = [0] * len(self.actions)
        self.immune: bool = text.get("immune", False)
        self.vital: str | None = text.get("vital")
        self.face_down_limit: int = text.get("face_down", 0)
        self.counters: dict[str, dict[str, Any]] = text.get("counters") or {}
        self.value: dict[str, int] = {}
        self.dice: dict[str, list[int]] = {}  # what they show, the lowest first
        for kind, counter in self.counters.items():
            if "dice" in counter:
                self.dice[kind] = [0] * counter["dice"]["count"]
            else:
                self.value[kind] = 0
            self.gain(kind, counter.get("start", 0))
        self.damage = 0
        self.ascended = False
        self.second_form = False  # the artist has become its second form (`becomes`)
        self.unplaced = {1, 2, 3}  # masterpiece cards (AW-M1)
        self.token_pool = {kind: token["pool"] for kind, token in self.tokens.items()}
        self.tile_pool = {kind: tile["pool"] for kind, tile in self.tiles.items()}
        self.artist = Unit(number, 0, "artist", f"{self.name}'s {text['name']}", start)
        start.unit = self.artist
        self.summon_slots: list[tuple[str, str]] = []  # kind and title of every summon tile, slot 1 first
        self.attached: set[str] = set()
        for kind, summon in (text.get("summons") or {}).items():
            if summon.get("attached"):
                self.attached.add(kind)
            for i in range(summon["count"]):
                self.summon_slots.append((kind, f"{self.name}'s {summon['name']} {i + 1}"))
        self.units: list[Unit | None] = [self.artist] + [None] * len(self.summon_slots)  # by slot; None: in the pool

    def side_of(self, card: Card) -> tuple[str, list[dict[str, Any]]]:
        """Name and effects of the side of the card that faces up."""
        side = card.text
        if card is self.abilities[0]:
            if self.second_form:
                side = side["ascended"]
            if self.ascended and self.ascended_side["mode"] == "until_used":
                side = self.ascended_side
        return side["name"], side["effects"]

    @property
    def ascended_side(self) -> dict[str, Any]:
        """What the next completed masterpiece brings, or the last one has brought."""
        first: dict[str, Any] = self.abilities[0].text["ascended"]
        return first["ascended"] if self.second_form else first

    def count(self, kind: str) -> int:
        """The value of a counter; for dice, the sum of what they show."""
        return sum(self.dice[kind]) if kind in self.dice else self.value[kind]

    def most(self, kind: str) -> int:
        """The highest value of a counter."""
        counter = self.counters[kind]
        return int(counter["dice"]["count"] * counter["dice"]["sides"] if kind in self.dice else counter["most"])

    def gain(self, kind: str, count: int) -> None:
        """Raise the counter as far as it goes; with dice, point by point, always the lowest die."""
        for _ in range(min(count, self.most(kind) - self.count(kind))):
            if kind in self.dice:
                self.dice[kind][0] += 1
                self.dice[kind].sort()
            else:
                self.value[kind] += 1

    def spend(self, kind: str, count: int) -> None:
        """Lower the counter as far as it goes; with dice, point by point, always the lowest die above 0."""
        for _ in range(min(count, self.count(kind))):
            if kind in self.dice:
                lowest = next(i for i, shown in enumerate(self.dice[kind]) if shown > 0)
                self.dice[kind][lowest] -= 1
            else:
                self.value[kind] -= 1

    def on_board(self) -> list[Unit]:
        """Its units in the order of their slots."""
        return [unit for unit in self.units if unit is not None]


class ReferenceGame(Model):
    """One game from the set-up on; until they are dealt, the given hands lie on top of the shuffled decks."""

    def __init__(
        self,
        artist_files: tuple[dict[str, Any], dict[str, Any]],
        rules: dict[str, Any],
        decks: tuple[list[int], list[int]],
        first_player: int,
        hands: tuple[list[int], list[int]],
        rolls: Iterable[int] = (),
    ) -> None:
        empty = [[0] * len(hand) for hand in hands]
        whole = [[*deck, *(card for card, n in enumerate(hand) for _ in range(n))] for deck, hand in zip(decks, hands)]
        self._build(artist_files, rules, (whole[0], whole[1]), first_player, (empty[0], empty[1]))
        self.rolls.extend(rolls)
        self._start("start")

    @classmethod
    def at(
        cls,
        artist_files: tuple[dict[str, Any], dict[str, Any]],
        arrange: Callable[[ReferenceGame], None],
        *,
        rules: dict[str, Any] | None = None,
        turn_player: int = 0,
        turn: int = 3,
        phase: str = "main",
    ) -> ReferenceGame:
        """A hand-made position: start with empty hands and decks, call `arrange`, and play on from that phase."""
        game = cls.__new__(cls)
        empty: list[list[int]] = [[0] * len(text.get("actions") or []) for text in artist_files]
        game._build(artist_files, rules or {}, ([], []), turn_player, (empty[0], empty[1]))
        game.turn = turn
        arrange(game)
        game._start(phase)
        return game

    def _build(
        self,
        artist_files: tuple[dict[str, Any], dict[str, Any]],
        rules: dict[str, Any],
        decks: tuple[list[int], list[int]],
        first_player: int,
        hands: tuple[list[int], list[int]],
    ) -> None:
        super().__init__()
        unknown = set(rules) - set(RULES)
        if unknown:
            raise ValueError(f"unknown rules: {sorted(unknown)}")
        self.rules = RULES | rules
        rows, cols = self.rules["rows"], self.rules["cols"]
        self.zones = [
            Zone(r * cols + c, r, c, f"{'abcdefghijklm'[c]}{r + 1}") for r in range(rows) for c in range(cols)
        ]
        for zone in self.zones:
            for rise, run in STEPS:
                r, c = zone.row + rise, zone.col + run
                zone.neighbours.append(self.zones[r * cols + c] if 0 <= r < rows and 0 <= c < cols else None)
        self.players = [
            Player(i, artist_files[i], self.zone(self.rules["start_zones"][i]), decks[i], hands[i]) for i in range(2)
        ]
        self.blocks = [
            (i, kind) for i in range(2) for kind, t in self.players[i].tokens.items() if t.get("blocks_damage")
        ]
        names = [{token["name"] for token in player.tokens.values()} for player in self.players]
        self.shared_token_names = names[0] & names[1]
        self.turn = 1
        self.turn_player = first_player
        self.chain: list[Play] = []
        self.face_down: dict[int, Card] = {}  # by the slot of the chain, from 1
        self.row: list[tuple[int, int] | None] = [None] * MASTERPIECE_SLOTS  # player and masterpiece card
        # The zones of each player's tiles with on_cue, in the order in which the tiles were laid.
        self.plan: tuple[list[Zone], list[Zone]] = ([], [])
        self.triggered: list[Trigger] = []
        self.trigger_depth = 0  # how many triggers are running, one inside another
        self.triggers_begun = 0  # since the outermost began, itself included
        self.effects_running = 0  # of cards and triggers, one inside another
        self.rolls: list[int] = []  # what the dice will show, from outside
        self.played: Counter[tuple[str, str, str]] = Counter()  # artist, card ("" for a trigger), effect
        self.fallen: set[int] = set()  # players who have lost their last vital summon
        self.to_play = first_player

    # ------------------------------------------------------------------ from outside

    def hand(self, player: int) -> list[int]:
        """How many of each action card that player holds."""
        return list(self.players[player].hand)

    def zone(self, name: str) -> Zone:
        """The zone of that name."""
        return next(zone for zone in self.zones if zone.name == name)

    def place(self, player: int, kind: str, zone: str, *, exhausted: bool = False) -> Unit:
        """For hand-made positions: put the artist, or the next summon of that kind, into a zone."""
        there, side = self.zone(zone), self.players[player]
        assert there.unit is None
        if kind == "artist":
            assert side.artist.zone is not None
            side.artist.zone.unit = None
            side.artist.zone, there.unit = there, side.artist
        else:
            self._summon(player, kind, there)
            self.log.pop()
        assert there.unit is not None
        there.unit.exhausted = exhausted
        return there.unit

    def _start(self, phase: str) -> None:
        self._flow = self._play_game(phase)
        self._advance(None)

    # ------------------------------------------------------------------ decisions

    def _zone_id(self, player: int, zone: Zone) -> int:
        return ZONE + (zone.number if player == 0 else len(self.zones) - 1 - zone.number)

    def _unit_id(self, player: int, unit: Unit) -> int:
        return (OWN_UNIT if unit.player == player else THEIR_UNIT) + unit.slot

    def _direction_id(self, player: int, direction: int) -> int:
        return DIRECTION + (direction if player == 0 else (direction + 2) % 4)

    def _slot_id(self, player: int, slot: int) -> int:
        mirrored = player == 1 and self.rules["masterpiece_sides"] == "opposite"
        return SLOT + (MASTERPIECE_SLOTS - 1 - slot if mirrored else slot)

    # ------------------------------------------------------------------ the turn

    def _play_game(self, phase: str) -> Flow:
        if self.turn == 1 and phase == "start":
            yield from self._phase_passives("setup")  # AW-S5: before the hands are dealt
            for side in self.players:
                for kind in range(OPENING_HAND if side.actions else 0):  # AW-S3
                    self._deal(side, kind)
        while True:
            yield from self._play_turn(phase)
            if self.turn == self.rules["max_turns"]:  # AW-T8
                self._say("The game is truncated")
                self.over = 2
                raise GameEnded
            self.turn += 1
            self.turn_player = 1 - self.turn_player
            phase = "start"

    def _deal(self, side: Player, kind: int) -> None:
        """Deal a card of the opening hand: the top of the deck, or the topmost of that kind. The set-up may have drawn cards before."""
        full = sum(side.hand) >= HAND_LIMIT  # AW-T4
        if not self.rules["first_game_hand"]:
            if not full:
                side.hand[side.deck.pop()] += 1
        elif kind in side.deck and not (full and side.hand[kind]):
            side.deck.reverse()
            side.deck.remove(kind)
            side.deck.reverse()
            side.hand[kind] += 1

    def _play_turn(self, phase: str) -> Flow:
        flows = {
            "start": self._start_phase,
            "masterpiece": self._masterpiece_phase,
            "draw": self._draw_phase,
            "main": self._main_phase,
            "end": self._end_phase,
        }
        for name in PHASES[PHASES.index(phase) :]:
            yield from flows[name]()

    def _start_phase(self) -> Flow:
        self._say(f"Turn {self.turn}: player_{self.turn_player}")
        yield from self._phase_passives("start_of_every_turn", "start_of_my_turn")  # AW-T1

    def _masterpiece_phase(self) -> Flow:
        if self.turn > 1:  # AW-T2
            yield from self._progress(self.turn_player)
            yield from self._run_triggers()

    def _draw_phase(self) -> Flow:
        for player in (self.turn_player, 1 - self.turn_player):  # AW-T3
            if self.players[player].actions:
                self._draw(player)
            else:  # AW-T5
                yield from self._phase_passives("instead_of_draw", players=(player,))

    def _main_phase(self) -> Flow:
        while True:  # AW-T6
            plays = self._playable(self.turn_player, "intention")
            options = {END_TURN: None} | plays | self._hideable(self.turn_player)
            chosen = yield from self._ask(self.turn_player, options)
            if isinstance(chosen, Card):
                yield from self._lay_face_down(chosen)
            elif chosen is not None:
                yield from self._build_chain(chosen)
                yield from self._resolve_chain()
            else:
                self._say(f"player_{self.turn_player} ends the turn")
                self._take_back()
                return

    def _end_phase(self) -> Flow:
        # AW-T7: neither rulebook says which of the two comes first.
        if self.rules["refresh"] == "before_effects":
            self._refresh_all()
        yield from self._phase_passives("end_of_every_turn", "end_of_my_turn")
        if self.rules["refresh"] == "after_effects":
            self._refresh_all()
        for owner, player in enumerate(self.players):
            for kind, token in player.tokens.items():
                if token.get("lasts") == "turn":
                    places: list[Zone | Unit] = [*self.zones, *self._units()]
                    for place in places:
                        player.token_pool[kind] += place.tokens.pop((owner, kind), 0)

    def _refresh_all(self) -> None:
        for unit in self._units():
            unit.exhausted = False

    def _phase_passives(self, every: str, mine: str = "", players: tuple[int, ...] | None = None) -> Flow:
        """Run the passives of one phase: the turn player's first, each side's in the order of its file."""
        for player in players or (self.turn_player, 1 - self.turn_player):
            for passive in self.players[player].passives:
                if passive["when"] == every or (passive["when"] == mine and player == self.turn_player):
                    variables: dict[str, Value] = {"me": self.players[player].artist}
                    yield from self._run_trigger(Trigger(player, passive["name"], 0, (0, 0), passive["do"], variables))

    def _draw(self, player: int) -> None:
        side = self.players[player]
        if not side.actions:  # AW-T5: without a deck
            return
        held = sum(side.hand) + len(self.face_down_of(player))
        full = held >= HAND_LIMIT
        if full and (side.deck or self.rules["full_hand_spares_deck_out"]):  # AW-T4
            self._say(f"{side.name} cannot draw, hand is full")
        elif not side.deck:  # AW-T5
            self._say(f"{side.name} cannot draw, deck is empty")
            self._look_who_lost({player})
        else:
            side.hand[side.deck.pop()] += 1
            self._say(f"{side.name} draws a card")

    def _whole_effect(self, flow: Flow) -> Flow:
        """Run an effect with everything that it triggers; check only when all of it has resolved whether somebody has lost (AW-U8)."""
        self.effects_running += 1
        yield from flow
        self.effects_running -= 1
        if self.effects_running == 0:
            self._look_who_lost()

    def _look_who_lost(self, at_once: Iterable[int] = ()) -> None:
        """End the game if anybody has lost by now; if both have, it is a tie (AW-U9). If nobody has, the players in `at_once` lose."""
        losers = {*self.fallen, *(side.number for side in self.players if side.damage >= FATAL_DAMAGE)} or {*at_once}
        if not losers:
            return
        if len(losers) == 2:
            self._say("The game is a tie")
        else:
            (loser,) = losers
            self._say(f"player_{1 - loser} wins")
            self.rewards = (-1, 1) if loser == 0 else (1, -1)
        self.over = 1
        raise GameEnded

    # ------------------------------------------------------------------ playing cards

    def _playable(self, player: int, kind: str) -> Options:
        """The cards with an effect of that kind that can be played."""
        side = self.players[player]
        in_hand = [card for card in side.actions if side.hand[card.number] > 0]
        choices = [Choice(card, kind, self._usable(card, kind)) for card in [*in_hand, *side.abilities]]
        return {PLAY[kind, choice.card.is_action] + choice.card.number: choice for choice in choices if choice.usable}

    def _usable(self, card: Card, kind: str, face_down: bool = False) -> dict[int, list[Unit | None]]:
        """The effects of that kind (AW-C1) that can be paid (AW-C2), each with the units that can use it."""
        usable = {}
        for i, effect in enumerate(self.players[card.player].side_of(card)[1]):
            if effect["kind"] == kind:
                users = [user for user in self._users(card) if self._can_pay(card, effect, user, face_down)]
                if users:
                    usable[i] = users
        return usable

    def _users(self, card: Card) -> list[Unit | None]:
        """The units that may use a card now, considering only the chain (AW-C12, AW-C13)."""
        side = self.players[card.player]
        users: list[Unit | None]
        if card.user == "artist":
            users = [side.artist]
        elif card.user == "none":
            users = [None]
        else:
            users = [unit for unit in side.on_board() if unit.kind == card.user]
        if not card.is_action and self.rules["ability_once_per_chain"]:
            on_chain = [play.scope.variables.get("me") for play in self.chain if play.card is card]
            if on_chain and self.rules["shared_ability_card"]:
                return []
            users = [user for user in users if user not in on_chain]
        return users

    def _can_pay(self, card: Card, effect: dict[str, Any], user: Unit | None, face_down: bool) -> bool:
        cost = effect.get("cost") or []
        if not cost:
            return True
        cards_left = sum(self.players[card.player].hand)
        if card.is_action and not face_down:
            cards_left -= 1  # the card that is played cannot be discarded
        return self._payable(cost, Scope(card.player, {"me": user}), cards_left)

    def _payable(self, cost: list[Any], scope: Scope, cards_left: int) -> bool:
        """Whether the parts of a cost can be paid one after the other. What is tried out is undone."""
        if not cost:
            return True
        ((op, arg),), rest = cost[0].items(), cost[1:]
        if op == "exhaust":
            unit = scope.unit(arg)
            if unit is None or unit.exhausted:
                return False
            unit.exhausted = True
            payable = self._payable(rest, scope, cards_left)
            unit.exhausted = False
            return payable
        if op == "choose_direction":
            return self._payable(rest, Scope(scope.player, scope.variables | {arg: 0}), cards_left)
        if op in ("choose_zone", "choose_unit"):
            where = arg.get("where") or {}
            for value in self._units() if op == "choose_unit" else self.zones:
                if isinstance(value, Unit):
                    matches = self._unit_matches(value, where, scope)
                else:
                    matches = self._zone_matches(value, where, scope)
                chosen = Scope(scope.player, scope.variables | {arg["as"]: value})
                if matches and self._payable(rest, chosen, cards_left):
                    return True
            return False
        if op == "remove_token":
            holder, token = self._holder(arg["token"], arg["from"], scope)
            if holder is None or not holder.tokens.get(token):
                return False
            holder.tokens[token] -= 1
            payable = self._payable(rest, scope, cards_left)
            holder.tokens[token] += 1
            return payable
        if op == "pay":
            side, kind, count = self.players[scope.player], arg["counter"], arg.get("count", 1)
            if side.count(kind) < count:
                return False
            before = side.value.copy(), copy.deepcopy(side.dice)
            side.spend(kind, count)
            payable = self._payable(rest, scope, cards_left)
            side.value, side.dice = before
            return payable
        if op == "sacrifice":
            unit = self._sacrificed(arg, scope)
            if unit is None:
                return False
            zone, units = unit.zone, self.players[unit.player].units
            assert zone is not None
            zone.unit = unit.zone = units[unit.slot] = None
            payable = self._payable(rest, scope, cards_left)
            zone.unit, unit.zone, units[unit.slot] = unit, zone, unit
            return payable
        if op == "require":
            return self._condition(arg, scope) and self._payable(rest, scope, cards_left)
        assert op == "discard", op
        return cards_left >= arg and self._payable(rest, scope, cards_left - arg)

    def _play(self, choice: Choice) -> Flow:
        """Put a card on the chain, declare its effect (AW-C3) and pay at once (AW-C2)."""
        card = choice.card
        player = card.player
        side = self.players[player]
        play = Play(player, card, choice.kind, *side.side_of(card), scope=Scope(player, {}))
        self.chain.append(play)
        if card.is_action and not choice.face_down:
            side.hand[card.number] -= 1
        play.number = yield from self._ask(player, {OPTION + i: i for i in choice.usable})
        users = choice.usable[play.number]
        if users == [None]:
            user = None
        else:
            user = yield from self._ask(player, {self._unit_id(player, unit): unit for unit in users if unit})
        play.scope.variables["me"] = user
        for part in play.effect.get("cost") or []:
            ((op, arg),) = part.items()
            if op == "discard":
                yield from self._discard(player, arg)
            else:
                yield from self._do(op, arg, play.scope)
            if op == "choose_direction":
                play.locked.append(arg)
            elif op in ("choose_unit", "choose_zone"):
                play.locked.append(arg["as"])
        self._look_who_lost()  # a cost can sacrifice the last vital summon
        play.paid = True
        self._say(f"{side.name} plays {play.describe(f' ({play.kind.capitalize()})')}")
        self.played[side.text["id"], card.text["id"], f"{play.name} [{play.number + 1}]"] += 1

    def _discard(self, player: int, count: int) -> Flow:
        side = self.players[player]
        for _ in range(count):
            held = {OPTION + card.number: card for card in side.actions if side.hand[card.number]}
            card = yield from self._ask(player, held)
            side.hand[card.number] -= 1
            side.discard[card.number] += 1
            self._say(f"{side.name} discards {card.text['name']}")

    # ------------------------------------------------------------------ the react chain

    def _build_chain(self, intention: Choice) -> Flow:
        yield from self._play(intention)  # AW-C1
        while len(self.chain) < CHAIN_LIMIT:  # AW-C5
            play = self._reveal()
            if play is None:
                play = yield from self._window()
            if play is None:
                return
            yield from self._play(play)

    def _window(self) -> Flow:
        """The reaction that follows, or None after two passes in a row (AW-C4)."""
        last = self.chain[-1].player
        for player in (1 - last, last):
            chosen: Any = True
            while chosen is not None:
                options = {PASS: None} | self._playable(player, "reaction") | self._hideable(player)
                chosen = yield from self._ask(player, options)
                if isinstance(chosen, Choice):
                    return chosen
                if isinstance(chosen, Card):  # that is no answer: the same player decides again
                    yield from self._lay_face_down(chosen)
            silent = len(options) > 1 or self.rules["forced_passes"] == "private"  # AW-I2
            self._say(f"player_{player} passes" if silent else f"player_{player} cannot react")
        return None

    # Face-down cards (AW-I1; the section of that name in card_files.md).

    def face_down_of(self, player: int) -> list[Card]:
        return [card for card in self.face_down.values() if card.player == player]

    def _free_slots(self) -> list[int]:
        """The empty slots of the chain after the next one to be filled."""
        return [slot for slot in range(len(self.chain) + 2, CHAIN_LIMIT + 1) if slot not in self.face_down]

    def _hideable(self, player: int) -> Options:
        """The cards that this player may lay face down now."""
        side = self.players[player]
        if len(self.face_down_of(player)) >= side.face_down_limit or not self._free_slots():
            return {}
        return {
            FACE_DOWN + card.number: card
            for card in side.actions
            if side.hand[card.number] > 0 and any(effect["kind"] == "reaction" for effect in card.text["effects"])
        }

    def _lay_face_down(self, card: Card) -> Flow:
        slot = yield from self._ask(card.player, {SLOT + slot - 1: slot for slot in self._free_slots()})
        self.players[card.player].hand[card.number] -= 1
        self.face_down[slot] = card
        self._say(f"player_{card.player} lays a card face down in slot {slot}")

    def _reveal(self) -> Choice | None:
        """Reveal the card that lies face down in the next slot of the chain; return it if it can be played."""
        card = self.face_down.pop(len(self.chain) + 1, None)
        if card is None:
            return None
        side = self.players[card.player]
        self._say(f"{side.name} reveals {card.text['name']}")
        usable = self._usable(card, "reaction", face_down=True)
        if usable:
            return Choice(card, "reaction", usable, face_down=True)
        self._say(f"{card.text['name']} of {side.name} comes to nothing")
        side.discard[card.number] += 1
        return None

    def _take_back(self) -> None:
        """Return all cards that still lie face down to the hands."""
        for slot in sorted(self.face_down):
            card = self.face_down.pop(slot)
            self.players[card.player].hand[card.number] += 1
            self._say(f"player_{card.player} takes back a face-down card")

    def _resolve_chain(self) -> Flow:
        while self.chain:  # AW-C6: the last first
            play = self.chain[-1]
            self._say(f"{play.name} of player_{play.player} resolves")
            user = play.scope.variables["me"]
            gone = isinstance(user, Unit) and user.zone is None
            if not (gone and self.rules["sourceless_effects"] == "fizzle"):  # AW-C11
                yield from self._whole_effect(self._run(play.effect.get("do") or [], play.scope))
            if play.card.is_action:  # AW-C12
                self.players[play.player].discard[play.card.number] += 1
            self.chain.pop()
        self._take_back()

    # ------------------------------------------------------------------ effects

    def _run(self, parts: list[Any], scope: Scope) -> Flow:
        """Run the parts from top to bottom (AW-C8); what a part triggers runs before the next part (AW-C6)."""
        for part in parts:
            if isinstance(part, str):
                yield from self._do(part, None, scope)
            elif "if" in part:
                holds = self._condition(part["if"], scope)
                yield from self._run((part["then"] if holds else part.get("else")) or [], scope)
            else:
                ((op, arg),) = part.items()
                yield from self._do(op, arg, scope)
            if self.triggered:
                yield from self._run_triggers()

    def _do(self, op: str, arg: Any, scope: Scope) -> Flow:
        flow = getattr(self, f"_part_{op}")(arg, scope)
        if flow is not None:
            yield from flow
        if self.rules["loss_check"] == "part":  # AW-U9
            self._look_who_lost()

    def _run_triggers(self) -> Flow:
        """Run everything that one moment has triggered, each trigger completely before the next (AW-C16)."""
        triggers, self.triggered = self.triggered, []
        for trigger in sorted(triggers, key=self._trigger_order):
            yield from self._run_trigger(trigger)

    def _trigger_order(self, trigger: Trigger) -> Any:
        others = trigger.player != self.turn_player
        if self.rules["trigger_order"] == "zones":
            return trigger.zone, others, trigger.rank
        return others, trigger.zone, trigger.rank

    def _run_trigger(self, trigger: Trigger) -> Flow:
        if self.trigger_depth == 0:
            self.triggers_begun = 0
        limit = self.rules["trigger_limit"]
        if limit is not None and (self.trigger_depth == limit or self.triggers_begun == limit**2):  # AW-C6a
            self._say(f"player_{trigger.player}: {trigger.name} is left out (trigger limit)")
            return
        self.triggers_begun += 1
        here = trigger.variables.get("here")
        if trigger.tile is not None and isinstance(here, Zone) and here.tile is not trigger.tile:
            trigger.variables["way"] = None
        self._say(f"player_{trigger.player}: {trigger.name}")
        self.played[self.players[trigger.player].text["id"], "", trigger.name] += 1
        self.trigger_depth += 1
        yield from self._whole_effect(self._run(trigger.do, Scope(trigger.player, trigger.variables)))
        self.trigger_depth -= 1

    def _trigger(self, trigger: Trigger) -> None:
        self.triggered.append(trigger)

    # Choices (AW-C9, AW-C15): by the player for whom the effect runs.

    def _part_choose_unit(self, arg: dict[str, Any], scope: Scope) -> Flow:
        units = self._units_where(arg.get("where") or {}, scope)
        return self._choose(arg, {self._unit_id(scope.player, unit): unit for unit in units}, scope)

    def _part_choose_zone(self, arg: dict[str, Any], scope: Scope) -> Flow:
        zones = self._zones_where(arg.get("where") or {}, scope)
        return self._choose(arg, {self._zone_id(scope.player, zone): zone for zone in zones}, scope)

    def _choose(self, arg: dict[str, Any], options: Options, scope: Scope) -> Flow:
        scope.variables[arg["as"]] = None
        if not options:
            return
        if arg.get("optional"):
            options[DECLINE] = None
        chosen = yield from self._ask(scope.player, options)
        scope.variables[arg["as"]] = chosen
        if chosen is None:
            self._say(f"player_{scope.player} declines")

    def _part_choose_direction(self, arg: str, scope: Scope) -> Flow:
        ways = {self._direction_id(scope.player, direction): direction for direction in range(4)}
        scope.variables[arg] = yield from self._ask(scope.player, ways)

    def _part_choose_one(self, arg: list[list[Any]], scope: Scope) -> Flow:
        parts = yield from self._ask(scope.player, {OPTION + i: parts for i, parts in enumerate(arg)})
        yield from self._run(parts, scope)

    def _part_may(self, arg: list[Any], scope: Scope) -> Flow:
        parts = yield from self._ask(scope.player, {OPTION: arg, DECLINE: None})
        if parts is None:
            self._say(f"player_{scope.player} declines")
        else:
            yield from self._run(parts, scope)

    def _part_for_each(self, arg: dict[str, Any], scope: Scope) -> Flow:
        units = self._units_where(arg.get("where") or {}, scope)
        units.sort(key=lambda unit: unit.zone.number)  # type: ignore[union-attr]
        order = arg.get("order", "zones")
        if order != "zones":
            ((which, name),) = order.items()
            place = scope.place(name)
            if place is None:
                return
            sign = 1 if which == "nearest" else -1
            units.sort(key=lambda unit: sign * place.distance(unit.zone))  # type: ignore[arg-type]
        for unit in units:
            if unit.zone is not None:
                scope.variables[arg["unit"]] = unit
                yield from self._run(arg["do"], scope)

    def _part_let(self, arg: dict[str, str], scope: Scope) -> None:
        scope.variables[arg["zone"]] = scope.place(arg["of"])

    # Movement.

    def _way(self, unit: Unit, way: Any, scope: Scope) -> int | None:
        if isinstance(way, str):
            return scope.direction(way)
        ((which, name),) = way.items()
        place = scope.place(name)
        if place is None or unit.zone is None:
            return None
        direction = unit.zone.way_to(place)
        if direction is None:
            return None
        return direction if which == "toward" else (direction + 2) % 4

    def _part_move(self, arg: dict[str, Any], scope: Scope) -> None:
        unit = scope.unit(arg["unit"])
        if unit is None or unit.zone is None:
            return
        direction = self._way(unit, arg["way"], scope)
        if direction is None:
            return
        self._shift(unit, STEPS[direction])  # AW-U2

    def _part_jump(self, arg: dict[str, Any], scope: Scope) -> None:
        unit = scope.unit(arg["unit"])
        if unit is None or unit.zone is None:
            return
        direction = self._way(unit, arg["way"], scope)
        if direction is None:
            return
        body = self._body(unit)
        target = unit.zone.neighbours[direction]
        while target is not None and target.unit is not None and target.unit not in body:  # AW-U3
            target = target.neighbours[direction]
        if target is not None:
            self._shift(unit, (target.row - unit.zone.row, target.col - unit.zone.col))

    def _body(self, unit: Unit) -> list[Unit]:
        """The units that move together with this one, in the order of slots: an artist and what is attached to it, or the unit alone."""
        side = self.players[unit.player]
        body = [other for other in side.on_board() if other.kind == "artist" or other.kind in side.attached]
        return body if unit in body else [unit]

    def _zone_at(self, zone: Zone | None, step: tuple[int, int]) -> Zone | None:
        """The zone so many rows and columns away, None beyond the edge."""
        assert zone is not None
        row, col = zone.row + step[0], zone.col + step[1]
        inside = 0 <= row < self.rules["rows"] and 0 <= col < self.rules["cols"]
        return self.zones[row * self.rules["cols"] + col] if inside else None

    def _shift(self, unit: Unit, step: tuple[int, int]) -> None:
        """Move the whole body of that unit by so many rows and columns, or nothing at all."""
        body = self._body(unit)
        goals = {member: self._zone_at(member.zone, step) for member in body}
        if self._fit(goals):
            for member in [unit, *(member for member in body if member is not unit)]:
                self._say_move(member, goals)
            self._relocate(goals)

    def _part_swap(self, arg: dict[str, Any], scope: Scope) -> None:
        one, other = scope.unit(arg["unit"]), scope.unit(arg["with"])
        if one is None or other is None or one is other:
            return
        here, there = one.zone, other.zone
        assert here is not None and there is not None
        bodies = self._body(one), self._body(other)
        goals: dict[Unit, Zone | None]
        if other in bodies[0]:  # two of one body: only they change places
            goals = {one: there, other: here}
        else:  # AW-U4: each with its body
            rise, run = there.row - here.row, there.col - here.col
            goals = {member: self._zone_at(member.zone, (rise, run)) for member in bodies[0]}
            goals |= {member: self._zone_at(member.zone, (-rise, -run)) for member in bodies[1]}
        if self._fit(goals):
            self._say(f"{one} and {other} swap")
            for member in goals:
                if member not in (one, other):
                    self._say_move(member, goals)
            self._relocate(goals)  # tokens on the units go with them (AW-U12)

    def _fit(self, goals: dict[Unit, Zone | None]) -> bool:
        """Whether these units would all stand on the board, each in a zone of its own."""
        zones = [zone for zone in goals.values() if zone is not None]
        return len(set(zones)) == len(goals) and all(zone.unit is None or zone.unit in goals for zone in zones)

    def _say_move(self, unit: Unit, goals: dict[Unit, Zone | None]) -> None:
        zone = goals[unit]
        assert zone is not None
        self._say(f"{unit} moves to {zone.name}")

    def _relocate(self, goals: dict[Unit, Zone | None]) -> None:
        moves = []
        for unit in goals:
            assert unit.zone is not None
            moves.append((unit, unit.zone))
            unit.zone.unit = None
        for unit, zone in goals.items():
            assert zone is not None
            zone.unit, unit.zone = unit, zone
        self._have_moved(moves)

    def _have_moved(self, moves: list[tuple[Unit, Zone]]) -> None:
        """Note what these units trigger by leaving and entering zones at one moment."""
        for unit, left in moves:
            for player in self.players:
                for i, passive in enumerate(player.passives):
                    if passive["when"] != "unit_moved":
                        continue
                    scope = Scope(player.number, {"me": player.artist, "unit": unit, "left": left})
                    if self._unit_matches(unit, passive.get("where") or {}, scope):
                        self._trigger(
                            Trigger(player.number, passive["name"], left.number, (0, i), passive["do"], scope.variables)
                        )
            entered = unit.zone
            assert entered is not None
            tile = entered.tile
            if tile is not None and "on_enter" in self._tile_text(tile):  # AW-U13
                self._trigger(self._tile_trigger(tile, "on_enter", entered, unit))

    def _tile_trigger(self, tile: Tile, when: str, zone: Zone, unit: Unit | None) -> Trigger:
        text = self._tile_text(tile)
        me = self.players[tile.player].artist
        variables: dict[str, Value] = {"me": me, "unit": unit, "here": zone, "way": tile.way}
        return Trigger(tile.player, text["name"], zone.number, (2, 0), text[when] or [], variables, tile)

    def _part_cue(self, arg: None, scope: Scope) -> Flow:
        """Run the tiles that wait for a cue in the order in which they were laid; skip those that have left their zone meanwhile."""
        waiting = [(zone, zone.tile) for zone in self.plan[scope.player]]
        for zone, tile in waiting:
            if tile is not None and zone.tile is tile:
                yield from self._run_trigger(self._tile_trigger(tile, "on_cue", zone, zone.unit))

    # Damage and what stands on the board.

    def _part_damage(self, arg: dict[str, Any], scope: Scope) -> None:
        if "zone" in arg:
            place = scope.place(arg["zone"])
            zones = [] if place is None else [place]
        elif "zones" in arg:
            zones = self._zones_where(arg["zones"], scope)
        else:
            zones = [unit.zone for unit in self._units_where(arg["units"], scope) if unit.zone]
        for zone in sorted(zones, key=lambda zone: zone.number):  # simultaneous (AW-U9): the end is checked afterwards
            blocks = sorted(
                self.blocks, key=lambda token: token[0] != self.turn_player
            )  # AW-U10: the turn player's first
            block = next((token for token in blocks if zone.tokens.get(token)), None)
            unit = zone.unit
            if block is not None:  # AW-U10
                self._say(f"Damage at {zone.name} is blocked")
                self._take_token(zone, block)
            elif unit is None:
                self._say(f"Damage at {zone.name} hits nothing")
            elif unit.kind == "artist" and self.players[unit.player].immune:
                self._say(f"{unit} is unharmed")
            elif unit.kind == "artist":  # AW-U7: whoever stands there, of either side
                player = self.players[unit.player]
                player.damage = min(player.damage + 1, FATAL_DAMAGE)  # only three cards can be turned over (AW-M8)
                self._say(f"{unit} takes damage ({player.damage})")
            else:
                self._remove(unit)

    def _part_defeat(self, arg: None, scope: Scope) -> None:
        self._look_who_lost({scope.player})

    def _remove(self, unit: Unit) -> None:
        """Return a summon to the pool (AW-U5), and the tokens on it to theirs (AW-U11)."""
        assert unit.zone is not None
        self._say(f"{unit} is removed")
        for token in list(unit.tokens):
            while unit.tokens.get(token):
                self._take_token(unit, token)
        unit.zone.unit = None
        unit.zone = None
        side = self.players[unit.player]
        side.units[unit.slot] = None
        if unit.kind == side.vital and not any(other.kind == side.vital for other in side.on_board()):
            self.fallen.add(side.number)

    def _part_remove(self, arg: str, scope: Scope) -> None:
        unit = scope.unit(arg)
        if unit is not None and unit.kind != "artist":
            self._remove(unit)

    def _sacrificed(self, name: str, scope: Scope) -> Unit | None:
        place = scope.place(name)
        unit = place.unit if place is not None else None
        return unit if unit is not None and unit.player == scope.player and unit.kind != "artist" else None

    def _part_sacrifice(self, arg: str, scope: Scope) -> None:
        unit = self._sacrificed(arg, scope)
        if unit is not None:
            self._remove(unit)

    def _part_summon(self, arg: dict[str, Any], scope: Scope) -> None:
        place = scope.place(arg["zone"])
        if place is not None:
            self._summon(scope.player, arg["kind"], place)

    def _summon(self, player: int, kind: str, zone: Zone) -> None:
        """AW-U5: fails if the zone is occupied or the pool empty; the summon arrives refreshed and does not count as entering."""
        side = self.players[player]
        free = [i for i, (k, _) in enumerate(side.summon_slots, 1) if k == kind and side.units[i] is None]
        if zone.unit is None and free:
            unit = Unit(player, free[0], kind, side.summon_slots[free[0] - 1][1], zone)
            side.units[free[0]] = zone.unit = unit
            if kind == side.vital:
                self.fallen.discard(player)
            self._say(f"{unit} is summoned")

    def _part_exhaust(self, arg: str, scope: Scope) -> None:
        unit = scope.unit(arg)
        if unit is not None and not unit.exhausted:  # AW-U6
            self._say(f"{unit} is exhausted")
            unit.exhausted = True

    def _part_refresh(self, arg: str, scope: Scope) -> None:
        unit = scope.unit(arg)
        if unit is not None and unit.exhausted:  # AW-U6
            self._say(f"{unit} is refreshed")
            unit.exhausted = False

    # Tokens and tiles.

    def _holder(self, kind: str, name: str, scope: Scope) -> tuple[Unit | Zone | None, Token]:
        """What holds such a token of the player (that unit, or that zone), and the token."""
        on_unit = self.players[scope.player].tokens[kind]["place"] == "unit"
        return (scope.unit(name) if on_unit else scope.place(name)), (scope.player, kind)

    def _part_add_token(self, arg: dict[str, Any], scope: Scope) -> None:
        holder, token = self._holder(arg["token"], arg["to"], scope)
        owner = self.players[scope.player]
        text = owner.tokens[arg["token"]]
        if holder is None or owner.token_pool[arg["token"]] == 0:  # AW-U11
            return
        if holder.tokens.get(token) and not text.get("stacks"):  # AW-U12
            return
        owner.token_pool[arg["token"]] -= 1
        holder.tokens[token] = holder.tokens.get(token, 0) + 1
        self._say(f"{holder.name if isinstance(holder, Zone) else holder} gets {text['name']}")
        at = text.get("at")
        if at and isinstance(holder, Zone) and holder.tokens[token] >= at["count"]:  # AW-U14
            rank = (1, list(owner.tokens).index(arg["token"]))
            variables: dict[str, Value] = {"me": owner.artist, "here": holder}
            self._trigger(Trigger(owner.number, text["name"], holder.number, rank, at["do"], variables))

    def _part_remove_token(self, arg: dict[str, Any], scope: Scope) -> None:
        holder, token = self._holder(arg["token"], arg["from"], scope)
        if holder is None:
            return
        there = holder.tokens.get(token, 0)
        count = arg.get("count", 1)
        name = self.players[scope.player].tokens[arg["token"]]["name"]
        for _ in range(there if count == "all" else min(count, there)):
            self._say(f"{holder.name if isinstance(holder, Zone) else holder} loses {name}")
            self._take_token(holder, token)

    def _take_token(self, holder: Unit | Zone, token: Token) -> None:
        """Return one token to its owner's pool (AW-U11)."""
        holder.tokens[token] -= 1
        if not holder.tokens[token]:
            del holder.tokens[token]
        self.players[token[0]].token_pool[token[1]] += 1

    def _part_place_tile(self, arg: dict[str, Any], scope: Scope) -> None:
        place, owner, kind = scope.place(arg["zone"]), self.players[scope.player], arg["tile"]
        way = scope.direction(arg["way"]) if "way" in arg else None
        if "way" in arg and way is None:
            return
        if place is not None and place.tile is None and owner.tile_pool[kind] > 0:  # AW-U13
            owner.tile_pool[kind] -= 1
            place.tile = Tile(owner.number, kind, way)
            if "on_cue" in owner.tiles[kind]:
                self.plan[owner.number].append(place)
            towards = "" if way is None else f", {DIRECTION_NAMES[way]}"
            self._say(f"{place.name} gets {self._tile_text(place.tile)['name']}{towards}")

    def _part_move_tile(self, arg: dict[str, Any], scope: Scope) -> None:
        start, target = scope.place(arg["from"]), scope.place(arg["to"])
        if start is not None and target is not None and start.tile is not None and target.tile is None:  # AW-U13
            self._say(f"{self._tile_text(start.tile)['name']} moves from {start.name} to {target.name}")
            plan = self.plan[start.tile.player]
            if start in plan:  # it keeps its place in the order
                plan[plan.index(start)] = target
            target.tile, start.tile = start.tile, None

    def _part_remove_tile(self, arg: dict[str, Any], scope: Scope) -> None:
        place = scope.place(arg["zone"])
        if place is not None and place.tile is not None:
            self._say(f"{place.name} loses {self._tile_text(place.tile)['name']}")
            owner = self.players[place.tile.player]
            owner.tile_pool[place.tile.kind] += 1
            if place in self.plan[owner.number]:
                self.plan[owner.number].remove(place)
            place.tile = None

    def _tile_text(self, tile: Tile) -> dict[str, Any]:
        return self.players[tile.player].tiles[tile.kind]

    # Counters and dice.

    def _part_gain(self, arg: dict[str, Any], scope: Scope) -> None:
        side, kind = self.players[scope.player], arg["counter"]
        count = arg.get("count", 1)
        self._change_counter(side, kind, side.gain, side.most(kind) if count == "all" else count)

    def _part_spend(self, arg: dict[str, Any], scope: Scope) -> None:
        side, kind = self.players[scope.player], arg["counter"]
        count = arg.get("count", 1)
        self._change_counter(side, kind, side.spend, side.count(kind) if count == "all" else count)

    def _part_pay(self, arg: dict[str, Any], scope: Scope) -> None:
        side = self.players[scope.player]
        self._change_counter(side, arg["counter"], side.spend, arg.get("count", 1))

    def _change_counter(self, side: Player, kind: str, change: Callable[[str, int], None], count: int) -> None:
        before = side.count(kind)
        change(kind, count)
        if side.count(kind) != before:
            self._say(f"{side.name}'s {side.counters[kind]['name']}: {side.count(kind)}")

    def _part_require(self, arg: dict[str, Any], scope: Scope) -> None:
        """Do nothing: a requirement costs nothing."""

    def _part_roll(self, arg: int, scope: Scope) -> None:
        side = self.players[scope.player]
        ((kind, dice),) = side.dice.items()  # at most one counter has dice
        for _ in range(arg):
            if not self.rolls:
                raise NoRoll(f"{side.name} rolls, and no roll is left in the queue")
            shown = self.rolls.pop(0)
            if not 1 <= shown <= side.counters[kind]["dice"]["sides"]:
                raise ValueError(f"no die of {side.name} can show {shown}")
            dice[0] = shown
            dice.sort()
            self._say(f"{side.name} rolls {shown}: {side.counters[kind]['name']} {sum(dice)}")

    def _part_draw(self, arg: int, scope: Scope) -> None:
        for _ in range(arg):
            self._draw(scope.player)

    # ------------------------------------------------------------------ masterpiece

    def _part_progress(self, arg: None, scope: Scope) -> Flow:
        return self._progress(scope.player)

    def _part_descend(self, arg: None, scope: Scope) -> None:
        player = self.players[scope.player]
        if player.ascended:
            player.ascended = False
            self._say(f"{player.name} descends")
            self._ascend_if_complete(player.number)  # AW-M7

    def _progress(self, player: int) -> Flow:
        side = self.players[player]
        row = self.row
        empty = {self._slot_id(player, i): i for i in range(MASTERPIECE_SLOTS) if row[i] is None}
        cards = {OPTION + card - 1: card for card in sorted(side.unplaced)}
        if cards and empty:  # AW-M2
            card = yield from self._ask(player, cards)
            slot = yield from self._ask(player, empty)
            row[slot] = (player, card)
            side.unplaced.remove(card)
            self._say(f"{side.name} places masterpiece card {card} in slot {slot + 1}")
        elif cards:  # AW-M3
            card = yield from self._ask(player, cards | {DECLINE: None})
            if card is None:
                self._say(f"{side.name} declines")
                return
            theirs = {i: row[i] for i in range(MASTERPIECE_SLOTS) if row[i][0] != player}  # type: ignore[index]
            slot = yield from self._ask(player, {self._slot_id(player, i): i for i in theirs})
            if self.rules["replaced_masterpiece"] == "unplaced":
                self.players[1 - player].unplaced.add(theirs[slot][1])  # type: ignore[index]
            row[slot] = (player, card)
            side.unplaced.remove(card)
            self._say(f"{side.name} replaces slot {slot + 1} with masterpiece card {card}")
        elif sum(there is not None and there[0] == player for there in row) == 3:  # AW-M4
            taken = {self._slot_id(player, i): i for i in range(MASTERPIECE_SLOTS) if row[i] is not None}
            one = yield from self._ask(player, taken | {DECLINE: None})
            if one is None:
                self._say(f"{side.name} declines")
                return
            others = {self._slot_id(player, i): i for i in range(MASTERPIECE_SLOTS) if i != one}
            other = yield from self._ask(player, others)
            row[one], row[other] = row[other], row[one]
            self._say(f"{side.name} swaps slots {one + 1} and {other + 1}")
        else:
            return
        for owner in (self.turn_player, 1 - self.turn_player):  # AW-M6
            if self.rules["masterpiece_check"] == "every_change" or owner == player:
                self._ascend_if_complete(owner)

    def _complete(self, player: int) -> bool:
        """AW-M5: cards 1, 2, 3 in three consecutive slots, read from the owner's side."""
        row = self.row[::-1] if player == 1 and self.rules["masterpiece_sides"] == "opposite" else self.row
        wanted = [(player, 1), (player, 2), (player, 3)]
        return any(row[i : i + 3] == wanted for i in range(MASTERPIECE_SLOTS - 2))

    def _ascend_if_complete(self, player: int) -> None:
        side = self.players[player]
        if side.ascended or not self._complete(player):  # AW-M7: while ascended the cards stay
            return
        for i, there in enumerate(self.row):
            if there is not None and there[0] == player:
                self.row[i] = None
                side.unplaced.add(there[1])
        up = side.ascended_side
        if up["mode"] == "becomes":
            side.second_form = True
            self._say(f"{side.name} becomes {up['name']}")
        else:
            side.ascended = True
            self._say(f"{side.name} ascends")
        if up["mode"] != "until_used" and up.get("do"):  # AW-M10
            self._trigger(Trigger(player, up["name"], -1, (0, 0), up["do"], {"me": side.artist}))

    # ------------------------------------------------------------------ selections and conditions

    def _units(self) -> list[Unit]:
        return [unit for player in self.players for unit in player.units if unit is not None]

    def _units_where(self, where: dict[str, Any], scope: Scope) -> list[Unit]:
        return [unit for unit in self._units() if self._unit_matches(unit, where, scope)]

    def _zones_where(self, where: dict[str, Any], scope: Scope) -> list[Zone]:
        return [zone for zone in self.zones if self._zone_matches(zone, where, scope)]

    def _unit_matches(self, unit: Unit, where: dict[str, Any], scope: Scope) -> bool:
        zone = unit.zone
        assert zone is not None
        for key, wanted in where.items():
            if key == "side":
                holds = (unit.player == scope.player) == (wanted == "mine")
            elif key == "kind":
                if wanted == "artist":
                    holds = unit.kind == "artist"
                elif wanted == "summon":
                    holds = unit.kind != "artist"
                else:
                    holds = unit.kind == wanted and unit.player == scope.player
            elif key in ("token", "no_token"):
                on_unit = self.players[scope.player].tokens[wanted]["place"] == "unit"
                holder = unit if on_unit else zone
                has = holder.tokens.get((scope.player, wanted), 0) > 0
                holds = has == (key == "token")
            elif key == "exhausted":
                holds = unit.exhausted == wanted
            elif key == "other_than":
                other = scope.variables.get(wanted)
                holds = unit is not other and zone is not other
            else:
                holds = self._position_matches(zone, key, wanted, scope)
            if not holds:
                return False
        return True

    def _zone_matches(self, zone: Zone, where: dict[str, Any], scope: Scope) -> bool:
        for key, wanted in where.items():
            if key == "occupied":
                holds = (zone.unit is not None) == wanted
            elif key == "token":
                holds = zone.tokens.get((scope.player, wanted), 0) >= where.get("at_least", 1)
            elif key == "at_least":
                continue
            elif key == "tile" and isinstance(wanted, bool):
                holds = (zone.tile is not None) == wanted
            elif key == "tile":
                holds = zone.tile is not None and (zone.tile.player, zone.tile.kind) == (scope.player, wanted)
            elif key == "holds":
                holds = zone.unit is not None and self._unit_matches(zone.unit, wanted or {}, scope)
            elif key == "other_than":
                holds = zone is not scope.place(wanted)
            else:
                holds = self._position_matches(zone, key, wanted, scope)
            if not holds:
                return False
        return True

    def _position_matches(self, zone: Zone, key: str, wanted: Any, scope: Scope) -> bool:
        """Neighbourhood, line and reach (AW-U1); nothing lies near an empty variable."""
        if key == "touching":
            return any(zone in unit.zone.neighbours for unit in self._units_where(wanted or {}, scope) if unit.zone)
        place = scope.place(wanted["of"] if key == "within" else wanted)
        if place is None:
            return False
        if key == "adjacent_to":
            return zone in place.neighbours
        if key == "diagonal_to":
            return zone.diagonal_to(place)
        if key == "in_line_with":
            return zone.in_line_with(place)
        assert key == "within", key
        return bool(zone.distance(place) <= wanted["distance"])

    def _condition(self, condition: dict[str, Any], scope: Scope) -> bool:
        if "unit" in condition:
            unit = scope.unit(condition["unit"])
            return unit is not None and self._unit_matches(unit, condition["is"] or {}, scope)
        if "zone" in condition:
            place = scope.place(condition["zone"])
            return place is not None and self._zone_matches(place, condition["is"] or {}, scope)
        side = self.players[scope.player]
        if "counter" in condition:
            return bool(side.count(condition["counter"]) >= condition.get("at_least", 1))
        if "ascended" in condition:
            return bool(side.ascended == condition["ascended"])
        if "form" in condition:
            return bool(side.second_form == (condition["form"] == "second"))
        found: Iterable[Unit | Zone]
        if "units" in condition:
            found = self._units_where(condition["units"] or {}, scope)
        else:
            found = self._zones_where(condition["zones"] or {}, scope)
        return bool(len(list(found)) >= condition.get("at_least", 1))

    # ------------------------------------------------------------------ text

    def _status_lines(self) -> list[list[str]]:
        head = [f"Turn {self.turn}, player_{self.turn_player}'s turn"]
        (hidden0, shown0), (hidden1, shown1) = (self._player_lines(side) for side in self.players)
        *rest, last = self._public_lines()
        return [
            [*head, shown0, hidden1, *rest, *self._face_down_lines({0}), last],
            [*head, hidden0, shown1, *rest, *self._face_down_lines({1}), last],
            [*head, shown0, shown1, *rest, *self._face_down_lines({0, 1}), last],
        ]

    def _player_lines(self, side: Player) -> tuple[str, str]:
        """A player's line without and with the list of the hand."""
        damage = "-" if side.immune else f"{side.damage}/{FATAL_DAMAGE}"
        before = f"{side.name} {side.text['name']}: damage {damage}"
        if side.second_form:
            before += f", {side.abilities[0].text['ascended']['name']}"
        if side.ascended:
            before += ", ascended"
        counters = ""
        for kind, counter in side.counters.items():
            counters += f"; {counter['name']} {side.count(kind)}"
            if kind in side.dice:
                counters += f" ({', '.join(map(str, side.dice[kind]))})"
        if not side.actions:
            return before + counters, before + counters
        names = [card.text["name"] for card in side.actions]
        unseen = [card.text["copies"] - gone for card, gone in zip(side.actions, side.discard)]  # AW-I1
        for play in self.chain:
            if play.player == side.number and play.card.is_action:
                unseen[play.card.number] -= 1
        before += f"; hand {sum(side.hand)}"
        after = f"; deck {len(side.deck)}"
        if any(unseen):
            after += f"; hidden: {counted(names, unseen)}"
        after += f"; discard {sum(side.discard)}"
        if any(side.discard):
            after += f": {counted(names, side.discard)}"
        after += counters
        held = f": {counted(names, side.hand)}" if any(side.hand) else ""
        return before + after, before + held + after

    def _face_down_lines(self, owners: set[int]) -> list[str]:
        """The cards that lie face down, named only if they belong to one of the owners."""
        lines = []
        for slot, card in sorted(self.face_down.items()):
            name = f": {card.text['name']}" if card.player in owners else ""
            lines.append(f"chain {slot}: player_{card.player}'s face-down card{name}")
        return lines

    def _public_lines(self) -> list[str]:
        lines = []
        for unit in self._units():
            words = [f"unit {unit}"]
            if unit.exhausted:
                words.append("exhausted")
            if unit.tokens:
                words += self._token_words(unit.tokens, always_owner=False)
            lines.append(", ".join(words))
        for zone in self.zones:
            if zone.tokens or zone.tile:
                words = self._token_words(zone.tokens, always_owner=True)
                if zone.tile:
                    towards = "" if zone.tile.way is None else f" ({DIRECTION_NAMES[zone.tile.way]})"
                    words.append(f"player_{zone.tile.player}'s {self._tile_text(zone.tile)['name']}{towards}")
                lines.append(f"zone {zone.name}: {', '.join(words)}")
        for player, plan in enumerate(self.plan):
            if plan:
                lines.append(f"plan of player_{player}: {', '.join(zone.name for zone in plan)}")
        for i, play in enumerate(self.chain, 1):
            lines.append(f"chain {i}: player_{play.player}'s {play.describe()}{'' if play.paid else ' ...'}")
        cards = [f"player_{there[0]}'s {there[1]}" if there else "-" for there in self.row]
        lines.append(f"masterpiece: {' | '.join(cards)}")
        return lines

    def _token_words(self, tokens: dict[Token, int], always_owner: bool) -> list[str]:
        words = []
        for player in self.players:
            for kind, token in player.tokens.items():
                count = tokens.get((player.number, kind), 0)
                if count:
                    owner = f"{player.name}'s " if always_owner or token["name"] in self.shared_token_names else ""
                    words.append(f"{owner}{token['name']}{f' x{count}' if count > 1 else ''}")
        return words
