"""A slow, literal model of the rules of Re;ACT - The Arts of War, in plain Python objects.

It shares nothing with the engine but the card files, and is written to be held against the rules: the ids in the comments are
those of the rules (AW-...), the meaning of the card files is that of docs/arts_of_war/card_files.md, and the action ids, the order
of decisions, the log and the status lines are those of docs/arts_of_war/decisions.md.

The whole game is one generator. Wherever somebody has to decide, it yields who and what can be chosen, as a dict from action id
to the thing that is meant, and is sent the action id back. Nothing in here is random: the decks come shuffled from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from typing import Any

RULES: dict[str, Any] = {
    "rows": 5,  # AW-S2
    "cols": 5,
    "start_zones": ("c1", "c5"),
    "max_turns": 60,  # AW-T8
    "full_hand_spares_deck_out": True,  # AW-T4
    "sourceless_effects": "resolve",  # AW-C11: resolve | fizzle
    "ability_once_per_chain": True,  # AW-C12
    "shared_ability_card": True,  # AW-C13
    "trigger_order": "turn_player_then_zones",  # AW-C16: ... | zones
    "replaced_masterpiece": "unplaced",  # AW-M3: unplaced | lost
    "masterpiece_sides": "opposite",  # AW-M5: opposite | same
    "masterpiece_check": "every_change",  # AW-M6: every_change | own_progress
    "forced_passes": "private",  # AW-I2: private | announced
    # Of no concern after the deal: AW-S1, AW-S3, AW-S4, AW-C14.
    "allow_mirror": False,
    "first_game_hand": False,
    "first_player": "random",
    "allow_unbounded_abilities": False,
}

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
MASTERPIECE_SLOT = 35
OWN_UNIT = 40
THEIR_UNIT = 48
ZONE = 56

STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))  # rows and columns of up, right, down, left
DIRECTION_NAMES = ("up", "right", "down", "left")
TRIGGER_DEPTH = 6  # so many triggers within one another (docs/arts_of_war/decisions.md)
PHASES = ("start", "masterpiece", "draw", "main", "end")

Options = dict[int, Any]  # action id -> what it means
Flow = Generator[tuple[int, Options], int, Any]  # yields who decides among what, is sent an action id
Token = tuple[int, str]  # whose token, which kind


class GameEnded(Exception):
    """Leaves everything that was still to be done undone: a game that is over stops at once."""


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
    tile: Token | None = None  # AW-U13: one tile at most

    def distance(self, other: Zone) -> int:
        """How many orthogonal steps lie between two zones."""
        return abs(self.row - other.row) + abs(self.col - other.col)

    def in_line_with(self, other: Zone) -> bool:
        """Whether it is another zone of the same row or column."""
        return self is not other and (self.row == other.row or self.col == other.col)

    def way_to(self, other: Zone) -> int | None:
        """The direction along the shared row or column, None where there is none."""
        if not self.in_line_with(other):
            return None
        if self.col == other.col:
            return 0 if other.row > self.row else 2
        return 1 if other.col > self.col else 3


@dataclass(eq=False)
class Unit:
    """An artist, or a summon between its summoning and its removal. Summoned again it is another Unit."""

    player: int
    slot: int  # 0 is the artist
    kind: str  # "artist" or the kind of summon
    title: str  # whose, and its name and number
    zone: Zone | None  # None once it has left the board
    exhausted: bool = False
    tokens: dict[Token, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.title} ({self.zone.name})" if self.zone else "a unit that is gone"


Value = Unit | Zone | int | None  # what a variable of an effect can hold; an int is a direction


@dataclass
class Scope:
    """For whom an effect runs, and its variables."""

    player: int
    variables: dict[str, Value]

    def unit(self, name: str) -> Unit | None:
        """That unit, while it is on the board."""
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
    name: str  # of the side that was up when it was played
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
        if not self.card.is_action and len(self.side) > 1 and self.number is not None:
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
class Trigger:
    """A passive, token, tile or ascension that waits for the present part to be done."""

    player: int
    name: str
    zone: int  # where it happened
    rank: tuple[int, int]  # passives, then tokens, then tiles; each in the order of the file
    do: list[Any]
    variables: dict[str, Value]


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
        self.ascended_side: dict[str, Any] = self.abilities[0].text["ascended"]
        self.deck = list(deck)  # from the bottom to the top
        self.hand = list(hand)  # how many of each action card
        self.discard = [0] * len(self.actions)
        self.damage = 0
        self.ascended = False
        self.unplaced = {1, 2, 3}  # masterpiece cards (AW-M1)
        self.token_pool = {kind: token["pool"] for kind, token in self.tokens.items()}
        self.tile_pool = {kind: tile["pool"] for kind, tile in self.tiles.items()}
        self.artist = Unit(number, 0, "artist", f"{self.name}'s {text['name']}", start)
        start.unit = self.artist
        self.summon_slots: list[tuple[str, str]] = []  # kind and title of every summon tile, slot 1 first
        for kind, summon in (text.get("summons") or {}).items():
            for i in range(summon["count"]):
                self.summon_slots.append((kind, f"{self.name}'s {summon['name']} {i + 1}"))
        self.units: list[Unit | None] = [self.artist] + [None] * len(self.summon_slots)  # by slot; None: in the pool

    def side_of(self, card: Card) -> tuple[str, list[dict[str, Any]]]:
        """Name and effects of the side of a card that is up."""
        if card is self.abilities[0] and self.ascended and self.ascended_side["mode"] == "until_used":
            return self.ascended_side["name"], self.ascended_side["effects"]
        return card.text["name"], card.text["effects"]

    def on_board(self) -> list[Unit]:
        """Its units in the order of their slots."""
        return [unit for unit in self.units if unit is not None]


class ReferenceGame:
    """One game, from the moment when the opening hands have been dealt."""

    def __init__(
        self,
        artist_files: tuple[dict[str, Any], dict[str, Any]],
        rules: dict[str, Any],
        decks: tuple[list[int], list[int]],
        first_player: int,
        hands: tuple[list[int], list[int]],
    ) -> None:
        self._build(artist_files, rules, decks, first_player, hands)
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
        """A hand-made position: empty hands and decks, then `arrange`, then play goes on from that phase."""
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
        self.row: list[tuple[int, int] | None] = [None] * MASTERPIECE_SLOTS  # whose masterpiece card lies there, which
        self.triggered: list[Trigger] = []
        self.trigger_depth = 0  # how many triggers are being run within one another
        self.log: list[str] = []
        self.over = 0
        self.rewards = (0, 0)
        self.to_play = first_player
        self._options: Options = {}
        self._status: list[list[str]] | None = None

    # ------------------------------------------------------------------ from outside

    def legal_actions(self) -> list[int]:
        """What the player to move may do."""
        return sorted(self._options)

    def step(self, action: int) -> None:
        """Do it, and go on to the next decision that has more than one legal action."""
        if action not in self._options:
            raise ValueError(f"action {action} is not legal; legal are {self.legal_actions()}")
        self._advance(action)

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

    def _advance(self, action: int | None) -> None:
        self._status = None
        try:
            self.to_play, self._options = self._flow.send(action)  # type: ignore[arg-type]
        except GameEnded:
            self._options = {}

    # ------------------------------------------------------------------ decisions

    def _ask(self, player: int, options: Options) -> Flow:
        """Let the player choose; what has one legal action only is not asked."""
        if len(options) == 1:
            return next(iter(options.values()))
        action = yield player, options
        return options[action]

    def _zone_id(self, player: int, zone: Zone) -> int:
        return ZONE + (zone.number if player == 0 else len(self.zones) - 1 - zone.number)

    def _unit_id(self, player: int, unit: Unit) -> int:
        return (OWN_UNIT if unit.player == player else THEIR_UNIT) + unit.slot

    def _direction_id(self, player: int, direction: int) -> int:
        return DIRECTION + (direction if player == 0 else (direction + 2) % 4)

    def _slot_id(self, player: int, slot: int) -> int:
        mirrored = player == 1 and self.rules["masterpiece_sides"] == "opposite"
        return MASTERPIECE_SLOT + (MASTERPIECE_SLOTS - 1 - slot if mirrored else slot)

    # ------------------------------------------------------------------ the turn

    def _play_game(self, phase: str) -> Flow:
        if self.turn == 1 and phase == "start":
            yield from self._phase_passives("setup", "setup")  # AW-S5
        while True:
            yield from self._play_turn(phase)
            if self.turn == self.rules["max_turns"]:  # AW-T8
                self._say("The game is truncated")
                self.over = 2
                raise GameEnded
            self.turn += 1
            self.turn_player = 1 - self.turn_player
            phase = "start"

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
        yield from self._phase_passives("start_of_my_turn", "start_of_every_turn")  # AW-T1

    def _masterpiece_phase(self) -> Flow:
        if self.turn > 1:  # AW-T2
            yield from self._progress(self.turn_player)
            yield from self._run_triggers()

    def _draw_phase(self) -> Flow:
        for player in (self.turn_player, 1 - self.turn_player):  # AW-T3
            self._draw(player)
        yield from ()

    def _main_phase(self) -> Flow:
        while True:  # AW-T6
            plays = self._playable(self.turn_player, "intention")
            play = yield from self._ask(self.turn_player, {END_TURN: None} | plays)
            if play is None:
                self._say(f"player_{self.turn_player} ends the turn")
                return
            yield from self._build_chain(play)
            yield from self._resolve_chain()

    def _end_phase(self) -> Flow:
        yield from self._phase_passives("end_of_my_turn", "end_of_every_turn")  # AW-T7
        for unit in self._units():
            unit.exhausted = False
        for owner, player in enumerate(self.players):
            for kind, token in player.tokens.items():
                if token.get("lasts") == "turn":
                    places: list[Zone | Unit] = [*self.zones, *self._units()]
                    for place in places:
                        player.token_pool[kind] += place.tokens.pop((owner, kind), 0)

    def _phase_passives(self, mine: str, every: str) -> Flow:
        """The passives of one phase: the turn player's first, each side's in the order of its file."""
        for player in (self.turn_player, 1 - self.turn_player):
            for passive in self.players[player].passives:
                if passive["when"] == every or (passive["when"] == mine and player == self.turn_player):
                    variables: dict[str, Value] = {"me": self.players[player].artist}
                    yield from self._run_trigger(Trigger(player, passive["name"], 0, (0, 0), passive["do"], variables))

    def _draw(self, player: int) -> None:
        side = self.players[player]
        if not side.actions:  # AW-T5: without a deck
            return
        full = sum(side.hand) >= HAND_LIMIT
        if full and (side.deck or self.rules["full_hand_spares_deck_out"]):  # AW-T4
            self._say(f"{side.name} cannot draw, hand is full")
        elif not side.deck:  # AW-T5
            self._say(f"{side.name} cannot draw, deck is empty")
            self._end_game({1 - player})
        else:
            side.hand[side.deck.pop()] += 1
            self._say(f"{side.name} draws a card")

    def _end_game(self, winners: set[int]) -> None:
        """The game is over at once: one winner, or a tie of both (AW-U9)."""
        if len(winners) == 2:
            self._say("The game is a tie")
        else:
            (winner,) = winners
            self._say(f"player_{winner} wins")
            self.rewards = (1, -1) if winner == 0 else (-1, 1)
        self.over = 1
        raise GameEnded

    # ------------------------------------------------------------------ playing cards

    def _playable(self, player: int, kind: str) -> Options:
        """Cards of which an effect of that kind can be played, each with those effects and the units that can use them."""
        side = self.players[player]
        found: Options = {}
        in_hand = [card for card in side.actions if side.hand[card.number] > 0]
        for card in [*in_hand, *side.abilities]:
            effects = side.side_of(card)[1]
            usable = {}
            for i, effect in enumerate(effects):
                if effect["kind"] == kind:  # AW-C1
                    users = [user for user in self._users(card) if self._can_pay(card, effect, user)]  # AW-C2
                    if users:
                        usable[i] = users
            if usable:
                found[PLAY[kind, card.is_action] + card.number] = (card, kind, usable)
        return found

    def _users(self, card: Card) -> list[Unit | None]:
        """The units that may use a card now, as far as the chain goes (AW-C12, AW-C13)."""
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

    def _can_pay(self, card: Card, effect: dict[str, Any], user: Unit | None) -> bool:
        cost = effect.get("cost") or []
        if not cost:
            return True
        cards_left = sum(self.players[card.player].hand) - card.is_action  # never the card that is played
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
        assert op == "discard", op
        return cards_left >= arg and self._payable(rest, scope, cards_left - arg)

    def _play(self, choice: tuple[Card, str, dict[int, list[Unit | None]]]) -> Flow:
        """Put a card on the chain, declare what is meant (AW-C3) and pay at once (AW-C2)."""
        card, kind, usable = choice
        player = card.player
        side = self.players[player]
        play = Play(player, card, kind, *side.side_of(card), scope=Scope(player, {}))
        self.chain.append(play)
        if card.is_action:
            side.hand[card.number] -= 1
        play.number = yield from self._ask(player, {OPTION + i: i for i in usable})
        users = usable[play.number]
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
        play.paid = True
        self._say(f"{side.name} plays {play.describe(f' ({kind.capitalize()})')}")

    def _discard(self, player: int, count: int) -> Flow:
        side = self.players[player]
        for _ in range(count):
            held = {OPTION + card.number: card for card in side.actions if side.hand[card.number]}
            card = yield from self._ask(player, held)
            side.hand[card.number] -= 1
            side.discard[card.number] += 1
            self._say(f"{side.name} discards {card.text['name']}")

    # ------------------------------------------------------------------ the react chain

    def _build_chain(self, intention: Any) -> Flow:
        play = intention  # AW-C1
        while play is not None:
            yield from self._play(play)
            if len(self.chain) == CHAIN_LIMIT:  # AW-C5
                return
            play = yield from self._window()

    def _window(self) -> Flow:
        """The reaction that follows, or None after two passes in a row (AW-C4)."""
        last = self.chain[-1].player
        for player in (1 - last, last):
            reactions = self._playable(player, "reaction")
            play = yield from self._ask(player, {PASS: None} | reactions)
            if play is not None:
                return play
            silent = bool(reactions) or self.rules["forced_passes"] == "private"  # AW-I2
            self._say(f"player_{player} passes" if silent else f"player_{player} cannot react")
        return None

    def _resolve_chain(self) -> Flow:
        while self.chain:  # AW-C6: the last first
            play = self.chain[-1]
            self._say(f"{play.name} of player_{play.player} resolves")
            user = play.scope.variables["me"]
            gone = isinstance(user, Unit) and user.zone is None
            if not (gone and self.rules["sourceless_effects"] == "fizzle"):  # AW-C11
                yield from self._run(play.effect.get("do") or [], play.scope)
            if play.card.is_action:  # AW-C12
                self.players[play.player].discard[play.card.number] += 1
            self.chain.pop()

    # ------------------------------------------------------------------ effects

    def _run(self, parts: list[Any], scope: Scope) -> Flow:
        """The parts from top to bottom (AW-C8); what a part triggers runs before the next part (AW-C6)."""
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

    def _run_triggers(self) -> Flow:
        """Everything that one moment has triggered, each completely before the next (AW-C16)."""
        triggers, self.triggered = self.triggered, []
        for trigger in sorted(triggers, key=self._trigger_order):
            yield from self._run_trigger(trigger)

    def _trigger_order(self, trigger: Trigger) -> Any:
        others = trigger.player != self.turn_player
        if self.rules["trigger_order"] == "zones":
            return trigger.zone, others, trigger.rank
        return others, trigger.zone, trigger.rank

    def _run_trigger(self, trigger: Trigger) -> Flow:
        self._say(f"player_{trigger.player}: {trigger.name}")
        self.trigger_depth += 1
        yield from self._run(trigger.do, Scope(trigger.player, trigger.variables))
        self.trigger_depth -= 1

    def _trigger(self, trigger: Trigger) -> None:
        if self.trigger_depth < TRIGGER_DEPTH:
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
        place = scope.place(arg["of"])
        if place is not None:
            scope.variables[arg["zone"]] = place

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
        target = unit.zone.neighbours[direction]
        if target is not None and target.unit is None:  # AW-U2
            self._move_to(unit, target)

    def _part_jump(self, arg: dict[str, Any], scope: Scope) -> None:
        unit = scope.unit(arg["unit"])
        if unit is None or unit.zone is None:
            return
        direction = self._way(unit, arg["way"], scope)
        if direction is None:
            return
        target = unit.zone.neighbours[direction]
        while target is not None and target.unit is not None:  # AW-U3
            target = target.neighbours[direction]
        if target is not None:
            self._move_to(unit, target)

    def _move_to(self, unit: Unit, target: Zone) -> None:
        left = unit.zone
        assert left is not None
        self._say(f"{unit} moves to {target.name}")
        left.unit = None
        target.unit, unit.zone = unit, target
        self._have_moved([(unit, left)])

    def _part_swap(self, arg: dict[str, Any], scope: Scope) -> None:
        one, other = scope.unit(arg["unit"]), scope.unit(arg["with"])
        if one is None or other is None or one is other:
            return
        here, there = one.zone, other.zone
        assert here is not None and there is not None
        self._say(f"{one} and {other} swap")
        one.zone, other.zone = there, here  # AW-U4; tokens on the units go with them (AW-U12)
        here.unit, there.unit = other, one
        self._have_moved([(one, here), (other, there)])

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
            if entered.tile is not None:  # AW-U13
                owner = self.players[entered.tile[0]]
                tile = owner.tiles[entered.tile[1]]
                variables: dict[str, Value] = {"me": owner.artist, "unit": unit, "here": entered}
                self._trigger(
                    Trigger(owner.number, tile["name"], entered.number, (2, 0), tile.get("on_enter") or [], variables)
                )

    # Damage and what stands on the board.

    def _part_damage(self, arg: dict[str, Any], scope: Scope) -> None:
        if "zone" in arg:
            place = scope.place(arg["zone"])
            zones = [] if place is None else [place]
        elif "zones" in arg:
            zones = self._zones_where(arg["zones"], scope)
        else:
            zones = [unit.zone for unit in self._units_where(arg["units"], scope) if unit.zone]
        beaten = set()
        for zone in sorted(
            zones, key=lambda zone: zone.number
        ):  # simultaneous (AW-U9): the end is looked at afterwards
            block = next((token for token in self.blocks if zone.tokens.get(token)), None)
            unit = zone.unit
            if block is not None:  # AW-U10
                self._say(f"Damage at {zone.name} is blocked")
                self._take_token(zone, block)
            elif unit is None:
                self._say(f"Damage at {zone.name} hits nothing")
            elif unit.kind == "artist":  # AW-U7: whoever stands there, whosesoever it is
                player = self.players[unit.player]
                player.damage += 1
                self._say(f"{unit} takes damage ({player.damage})")
                if player.damage >= FATAL_DAMAGE:  # AW-U8
                    beaten.add(unit.player)
            else:
                self._remove(unit)
        if beaten:
            self._end_game({0, 1} if len(beaten) == 2 else {0, 1} - beaten)

    def _remove(self, unit: Unit) -> None:
        """A summon goes back to the pool (AW-U5), the tokens on it too (AW-U11)."""
        assert unit.zone is not None
        self._say(f"{unit} is removed")
        for token in list(unit.tokens):
            while unit.tokens.get(token):
                self._take_token(unit, token)
        unit.zone.unit = None
        unit.zone = None
        self.players[unit.player].units[unit.slot] = None

    def _part_remove(self, arg: str, scope: Scope) -> None:
        unit = scope.unit(arg)
        if unit is not None and unit.kind != "artist":
            self._remove(unit)

    def _part_summon(self, arg: dict[str, Any], scope: Scope) -> None:
        place = scope.place(arg["zone"])
        if place is not None:
            self._summon(scope.player, arg["kind"], place)

    def _summon(self, player: int, kind: str, zone: Zone) -> None:
        """AW-U5: fails in an occupied zone and with an empty pool; it arrives refreshed and has not entered the zone."""
        side = self.players[player]
        free = [i for i, (k, _) in enumerate(side.summon_slots, 1) if k == kind and side.units[i] is None]
        if zone.unit is None and free:
            unit = Unit(player, free[0], kind, side.summon_slots[free[0] - 1][1], zone)
            side.units[free[0]] = zone.unit = unit
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
        """Where a token of the player's own kind belongs: on that unit, or in that zone."""
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
        if at and isinstance(holder, Zone) and holder.tokens[token] == at["count"]:
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
        """One token returns to its owner's pool (AW-U11)."""
        holder.tokens[token] -= 1
        if not holder.tokens[token]:
            del holder.tokens[token]
        self.players[token[0]].token_pool[token[1]] += 1

    def _part_place_tile(self, arg: dict[str, Any], scope: Scope) -> None:
        place, owner, kind = scope.place(arg["zone"]), self.players[scope.player], arg["tile"]
        if place is not None and place.tile is None and owner.tile_pool[kind] > 0:  # AW-U13
            owner.tile_pool[kind] -= 1
            place.tile = (owner.number, kind)
            self._say(f"{place.name} gets {self._tile_name(place.tile)}")

    def _part_move_tile(self, arg: dict[str, Any], scope: Scope) -> None:
        start, target = scope.place(arg["from"]), scope.place(arg["to"])
        if start is not None and target is not None and start.tile is not None and target.tile is None:  # AW-U13
            self._say(f"{self._tile_name(start.tile)} moves from {start.name} to {target.name}")
            target.tile, start.tile = start.tile, None

    def _part_remove_tile(self, arg: dict[str, Any], scope: Scope) -> None:
        place = scope.place(arg["zone"])
        if place is not None and place.tile is not None:
            self._say(f"{place.name} loses {self._tile_name(place.tile)}")
            self.players[place.tile[0]].tile_pool[place.tile[1]] += 1
            place.tile = None

    def _tile_name(self, tile: Token) -> str:
        return str(self.players[tile[0]].tiles[tile[1]]["name"])

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
        side.ascended = True
        self._say(f"{side.name} ascends")
        if side.ascended_side["mode"] == "immediate":  # AW-M10
            up = side.ascended_side
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
            elif key == "tile":
                holds = (zone.tile is not None) == wanted
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
        """Orthogonal neighbourhood, line and reach (AW-U1); nothing lies near an empty variable."""
        place = scope.place(wanted["of"] if key == "within" else wanted)
        if place is None:
            return False
        if key == "adjacent_to":
            return zone in place.neighbours
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
        found: Iterable[Unit | Zone]
        if "units" in condition:
            found = self._units_where(condition["units"] or {}, scope)
        else:
            found = self._zones_where(condition["zones"] or {}, scope)
        return bool(len(list(found)) >= condition.get("at_least", 1))

    # ------------------------------------------------------------------ text

    def _say(self, line: str) -> None:
        self.log.append(line)

    def status(self, player: int | None = None) -> list[str]:
        """What that player knows of the position; None: everything."""
        if self._status is None:
            head = [f"Turn {self.turn}, player_{self.turn_player}'s turn"]
            (hidden0, shown0), (hidden1, shown1) = (self._player_lines(side) for side in self.players)
            rest = self._public_lines()
            self._status = [
                [*head, shown0, hidden1, *rest],
                [*head, hidden0, shown1, *rest],
                [*head, shown0, shown1, *rest],
            ]
        return self._status[2 if player is None else player]

    def _player_lines(self, side: Player) -> tuple[str, str]:
        """A player's line without and with the list of the hand."""
        before = f"{side.name} {side.text['name']}: damage {side.damage}/{FATAL_DAMAGE}"
        if side.ascended:
            before += ", ascended"
        if not side.actions:
            return before, before
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
        held = f": {counted(names, side.hand)}" if any(side.hand) else ""
        return before + after, before + held + after

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
                    words.append(f"player_{zone.tile[0]}'s {self._tile_name(zone.tile)}")
                lines.append(f"zone {zone.name}: {', '.join(words)}")
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


def counted(names: list[str], counts: list[int]) -> str:
    """A list of cards: name, and how many from two on."""
    return ", ".join(f"{name} x{n}" if n > 1 else name for name, n in zip(names, counts) if n)
