"""A slow, literal model of the rules of Fight Sequence, in plain Python objects.

It shares nothing with the engine but the deck files, and is written to be checked against the rules, whose sections (§) and gaps
(G-...) stand in the comments. Deck files mean what docs/fight_sequence/deck_files.md says; the action ids, the order of decisions,
the log and the status lines follow docs/fight_sequence/decisions.md.

The whole game is one generator (`Model`). Nothing in here is random: the decks come shuffled and the hands dealt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.reference.common import Flow, GameEnded, Model, Options, counted

RULES: dict[str, Any] = {
    "deck_size": 40,
    "first_player": "random",  # does not matter after the deal
    "speed_reference": "last_built",  # G-1: last_built | last_slot
    "shift_timing": "as_printed",  # G-2: as_printed | timed | immediate
    "return_itself": False,  # G-3
    "return_optional": False,  # G-3
    "build_turns": 60,  # G-4
    "willpower_covers": "next_damage",  # G-5: next_damage | adjacent_action
    "interrupt_window": "damage",  # G-6: damage | never
    "simultaneous_defeat": "draw",  # G-7: draw | builder_loses
    "exhausted": "draw",  # G-8: draw | initiative_loses
    "untyped_responses": "unblockable",  # G-10: unblockable | attack_type
    "bonus_counts": "attacks",  # G-11: attacks | typed_actions
    "cleanup_order": "initiative_first",  # G-12: initiative_first | initiative_last
    "token_limit": 0,  # G-13: 0: no limit
    "damage_discards": "face_up",  # G-14: face_up | face_down
    "timed_shift_itself": True,  # G-15
    "full_sequence": "each_turn",  # G-16: each_turn | closes
    "max_sequences": 60,
    "forbidden": ((), ()),  # not a rule: cards that each player may not build, as name, name/attack or name/response
}

HAND_SIZE = 5
SEQUENCE_LIMIT = 9
NAMES_A_LINE = 4
TOKENS = {"physical": "Armor", "magical": "Resistance"}  # by the damage that they stop

# Action ids (docs/fight_sequence/decisions.md).
PASS = 0
DECLINE = 1
ATTACK = 2
RESPOND = 42
CARD = 82
LEFT = 122
RIGHT = 131
RETURN = 140

PHASES = ("begin", "building", "resolving", "cleanup")

Deck = dict[str, Any]  # a deck file
Seen = tuple[str, str, str]  # id of the deck, name of the card, what it did
Effect = tuple[str, Any]  # what it does, and its figures


@dataclass(eq=False)
class Action:
    """A card in the sequence, as an attack or as a response."""

    player: int
    number: int  # of the card, 0 for the first of its deck file
    card: dict[str, Any]
    is_attack: bool

    @property
    def response(self) -> Effect:
        """What the card does as a response."""
        return response_of(self.card)

    def __str__(self) -> str:
        if self.is_attack:
            return str(self.card["name"])
        when = "immediate: " if at_once(self.card) else ""
        return f"{self.card['name']} ({when}{effect_words(*self.response)})"


def response_of(card: dict[str, Any]) -> Effect:
    """What a card does as a response."""
    response = card["response"]
    if response == "willpower":
        return "willpower", None
    ((kind, value),) = [(kind, value) for kind, value in response.items() if kind != "timing"]
    return kind, value


def at_once(card: dict[str, Any]) -> bool:
    """Whether the card's response is a text that takes effect as it is built (§3)."""
    response = card["response"]
    return response != "willpower" and response.get("timing") == "immediate"


def effect_of(card: dict[str, Any]) -> tuple[str, Effect] | None:
    """The timing and the effect that a card has as an attack."""
    if "effect" not in card:
        return None
    text = dict(card["effect"])
    timing = text.pop("timing")
    (effect,) = text.items()
    return timing, effect


def effect_words(kind: str, value: Any) -> str:
    """What a response does, in words."""
    match kind:
        case "armor":
            return f"Armor +{value}"
        case "resistance":
            return f"Resistance +{value}"
        case "block":
            return f"{value} block"
        case "willpower":
            return "Willpower"
        case "shift":
            return f"Shift [range {value['range']}]"
        case "return":
            return {"any": "Return an Action", "attack": "Return an attack", "response": "Return a response"}[value]
        case "damage":
            whom = {"opponent": "", "both": " to both", "self": " to yourself"}[value["to"]]
            return f"{value['amount']} {value['type']} damage{whom}"
        case "draw":
            return f"draw {value}"
    raise ValueError(kind)


class Player:
    """One side of the table."""

    def __init__(self, number: int, text: Deck, deck: list[int], hand: list[int]) -> None:
        self.number = number
        self.name = f"player_{number}"
        self.id: str = text["id"]
        self.cards: list[dict[str, Any]] = text["cards"]
        self.names = [card["name"] for card in self.cards]
        self.deck = list(deck)  # card numbers from the bottom to the top
        self.hand = list(hand[: len(self.cards)])  # how many of each card, as in the lists below
        self.discard = [0] * len(self.cards)
        self.face_down = [0] * len(self.cards)  # discarded by damage (G-14)
        self.put_back = 0  # how many of the top cards of the deck the player put there
        self.known = [0] * len(self.cards)  # what the opponent knows to be in the hand
        self.loose = [0] * len(self.cards)  # ... to be in the hand or among the cards put back
        self.tokens = {"physical": 0, "magical": 0}  # how much of each damage is stopped
        self.willpower: list[Action] = []  # those that wait for damage

    def top(self) -> list[int]:
        """The cards put back that are still on the deck, from the top."""
        return self.deck[: -self.put_back - 1 : -1]

    def leaves_hand(self, number: int) -> None:
        """Take a card of that number from the hand to where everybody sees it."""
        self.hand[number] -= 1
        if self.known[number]:
            self.known[number] -= 1
        elif self.loose[number]:
            self.loose[number] -= 1

    def take_top(self, to: list[int]) -> int:
        """Move the top card of the deck to the hand or to one of the piles, and return its number."""
        number = self.deck.pop()
        to[number] += 1
        if self.put_back:
            self.put_back -= 1
            if to is self.discard and self.loose[number]:
                self.loose[number] -= 1
            if to is self.face_down:  # nobody can tell what is left
                self.loose = [0] * len(self.cards)
            if not self.put_back:  # all of them were drawn or discarded
                self.known = [known + loose for known, loose in zip(self.known, self.loose)]
                self.loose = [0] * len(self.cards)
        return number

    def put_on_deck(self, number: int) -> None:
        """Put a card from the hand on the deck, hidden from the opponent."""
        self.loose = [known + loose for known, loose in zip(self.known, self.loose)]
        self.known = [0] * len(self.cards)
        self.hand[number] -= 1
        self.deck.append(number)
        self.put_back += 1


class ReferenceGame(Model):
    """One game, from the moment after the opening hands are dealt."""

    def __init__(
        self,
        deck_files: tuple[Deck, Deck],
        rules: dict[str, Any],
        decks: tuple[list[int], list[int]],
        first_player: int,
        hands: tuple[list[int], list[int]],
    ) -> None:
        """`decks`: card numbers, 0 for the first of the file, from the bottom to the top; `hands`: how many of each card."""
        self._lay_out(deck_files, rules, decks, first_player, hands)
        for side in self.players:
            copies = [card["copies"] for card in side.cards]
            if [side.hand[i] + side.deck.count(i) for i in range(len(copies))] != copies:
                raise ValueError(f"hand and deck of {side.name} are not the cards of {side.id}")
            if sum(copies) != self.rules["deck_size"]:
                raise ValueError(f"{side.id} has {sum(copies)} cards, not {self.rules['deck_size']}")
        self._start("begin")

    @classmethod
    def at(
        cls,
        deck_files: tuple[Deck, Deck],
        arrange: Callable[[ReferenceGame], None],
        *,
        rules: dict[str, Any] | None = None,
        builder: int = 0,
        phase: str = "building",
    ) -> ReferenceGame:
        """A hand-made position: start with empty hands and decks, call `arrange`, and play on from that phase."""
        game = cls.__new__(cls)
        nothing: list[list[int]] = [[0] * len(text["cards"]) for text in deck_files]
        game._lay_out(deck_files, rules or {}, ([], []), builder, (nothing[0], nothing[1]))
        arrange(game)
        game._start(phase)
        return game

    def _lay_out(
        self,
        deck_files: tuple[Deck, Deck],
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
        self.players = [Player(i, deck_files[i], decks[i], hands[i]) for i in range(2)]
        self.number = 1  # of the sequence
        self.phase = "building"
        self.initiative: int | None = None
        self.builder = self.to_play = first_player  # whose turn it is while building
        self.turns = 0  # in this sequence
        self.passes = 0  # in a row
        self.claimed = False  # somebody has passed in this sequence
        self.was_full = False  # there were 9 Actions in this sequence
        self.sequence: list[Action] = []
        self.last_built: Action | None = None
        self.resolving: Action | None = None
        self.pieces = {"physical": 0, "magical": 0}  # tokens out on the table, of both players
        self.threat: tuple[int, int, str] | None = None  # who is asked about how much damage of which type
        self.played: Counter[Seen] = Counter()

    def _start(self, phase: str) -> None:
        self._flow = self._play_game(phase)
        self._advance(None)

    # ------------------------------------------------------------------ for hand-made positions

    def number_of(self, player: int, name: str) -> int:
        """The card number of that name."""
        return self.players[player].names.index(name)

    def give(self, player: int, *names: str) -> None:
        """Put cards into the hand."""
        for name in names:
            self.players[player].hand[self.number_of(player, name)] += 1

    def stack(self, player: int, *names: str) -> None:
        """Put cards on the deck, the last name on top."""
        self.players[player].deck += [self.number_of(player, name) for name in names]

    def lay(self, player: int, name: str, as_what: str = "attack") -> Action:
        """Put a card into the next slot of the sequence."""
        number = self.number_of(player, name)
        action = Action(player, number, self.players[player].cards[number], as_what == "attack")
        self.sequence.append(action)
        self.last_built = action
        self.turns += 1
        self.was_full |= len(self.sequence) == SEQUENCE_LIMIT
        return action

    # ------------------------------------------------------------------ the course of the game

    def _play_game(self, phase: str) -> Flow:
        flows = {
            "begin": self._begin,
            "building": self._build,
            "resolving": self._resolve,
            "cleanup": self._clean_up,
        }
        while True:
            for name in PHASES[PHASES.index(phase) :]:
                yield from flows[name]()
            if not any(self._of_use(side) or side.deck for side in self.players):  # G-8
                holder = self.initiative
                loses = holder is not None and self.rules["exhausted"] == "initiative_loses"
                if loses and holder is not None:
                    self._end(1 - holder, f"nobody has a card left, and {self.players[holder].name} has the initiative")
                self._end(None, "nobody has a card left")
            if self.number == self.rules["max_sequences"]:
                self._say(f"the game is cut short after {self.number} sequences, the limit")
                self.over = 2
                raise GameEnded
            self.number += 1
            assert self.initiative is not None
            self.builder = self.initiative
            phase = "begin"

    def _may(self, side: Player, number: int, way: str) -> bool:
        """Whether a player may use a card that way, "attack" or "response"."""
        forbidden = self.rules["forbidden"][side.number]
        return side.names[number] not in forbidden and f"{side.names[number]}/{way}" not in forbidden

    def _of_use(self, side: Player) -> bool:
        """Whether a player holds a card that may be built."""
        ways = ("attack", "response")
        return any(count and self._may(side, number, way) for number, count in enumerate(side.hand) for way in ways)

    def _end(self, winner: int | None, why: str) -> None:
        self.over = 1
        if winner is None:
            self._say(f"the game is a draw: {why}")
        else:
            self._say(f"{self.players[winner].name} wins: {why}")
            self.rewards = (1, -1) if winner == 0 else (-1, 1)
        raise GameEnded

    def _draw(self, player: int, count: int) -> None:
        """Draw as many cards as there are; having too few has no penalty (§2)."""
        side = self.players[player]
        drawn = min(count, len(side.deck))
        for _ in range(drawn):
            side.take_top(side.hand)
        if drawn == 0:
            self._say(f"{side.name} cannot draw, the deck is empty")
        else:
            self._say(f"{side.name} draws {'a card' if drawn == 1 else f'{drawn} cards'}")

    # ------------------------------------------------------------------ building (§3)

    def _begin(self) -> Flow:
        self.turns = self.passes = 0
        self.claimed = self.was_full = False
        self.last_built = None
        self.phase = "building"
        self._say(f"Sequence {self.number}: {self.players[self.builder].name} begins")
        yield from ()

    def _build(self) -> Flow:
        self.phase = "building"
        while self.passes < 2:
            self.turns += 1
            chosen = yield from self._ask(self.builder, self._turn_options())
            if chosen is None:
                self._pass()
            else:
                yield from self._build_action(chosen)
            self.builder = 1 - self.builder

    def _turn_options(self) -> Options:
        """What can be built, and the pass; the first turn can be passed only if nothing can be built (G-8)."""
        side = self.players[self.builder]
        full = len(self.sequence) == SEQUENCE_LIMIT
        if self.rules["full_sequence"] == "closes":  # G-16
            full = full or self.was_full
        if full or self.turns > self.rules["build_turns"] or not any(side.hand):  # G-4
            return {PASS: None}
        options: Options = {} if self.turns == 1 else {PASS: None}
        for number, card in enumerate(side.cards):
            if side.hand[number]:
                if card["speed"] >= self._speed() and self._may(side, number, "attack"):
                    options[ATTACK + number] = Action(side.number, number, card, True)
                if self._may(side, number, "response"):
                    options[RESPOND + number] = Action(side.number, number, card, False)
        return options or {PASS: None}

    def _speed(self) -> int:
        """The Speed that an attack must reach (G-1)."""
        before = self.last_built  # wherever it is now, even in a hand
        if self.rules["speed_reference"] == "last_slot":
            before = self.sequence[-1] if self.sequence else None
        return before.card["speed"] if before and before.is_attack else 0

    def _pass(self) -> None:
        side = self.players[self.builder]
        self.passes += 1
        self._say(f"{side.name} passes")
        if not self.claimed:
            self.claimed = True
            self.initiative = side.number
            self._say(f"{side.name} takes the initiative")
        if self.turns > 1:
            self._draw(side.number, 1)

    def _build_action(self, action: Action) -> Flow:
        side = self.players[action.player]
        self.passes = 0
        side.leaves_hand(action.number)
        self.sequence.append(action)
        self.last_built = action
        self.was_full = self.was_full or len(self.sequence) == SEQUENCE_LIMIT
        self._say(f"{side.name} {'attacks' if action.is_attack else 'responds'} with {action}")
        self._count(action, "attack" if action.is_attack else "response")
        if action.is_attack:
            yield from self._attack_effect(action, "immediate")
        elif at_once(action.card):
            yield from self._respond(action)

    # ------------------------------------------------------------------ effects

    def _attack_effect(self, action: Action, moment: str) -> Flow:
        """Do the effect of an attack if this is its moment; return what it adds to the Power."""
        text = effect_of(action.card)
        if text is None:
            return 0
        timing, (kind, value) = text
        if kind == "shift" and self.rules["shift_timing"] != "as_printed":  # G-2
            timing = self.rules["shift_timing"]
        if timing != moment:
            return 0
        if kind == "bonus":
            return self._bonus(action, value)
        if (yield from self._do(action, kind, value)):
            self._count(action, "effect")
        return 0

    def _do(self, action: Action, kind: str, value: Any) -> Flow:
        """Do an effect of an attack or a text response; return whether it had something to do."""
        match kind:
            case "shift":
                return (yield from self._shift(action, value["range"]))
            case "return":
                return (yield from self._return(action, value))
            case "damage":
                opponent = 1 - action.player
                whom = {"opponent": [opponent], "both": [opponent, action.player], "self": [action.player]}[value["to"]]
                yield from self._damage(action, whom, value["amount"], value["type"])
            case "draw":
                self._draw(action.player, value)
            case _:
                raise ValueError(kind)
        return True

    def _shift(self, action: Action, reach: int) -> Flow:
        """§4: an Action within range changes places with a neighbour."""
        own = self.sequence.index(action)
        options: Options = {}
        for place, target in enumerate(self.sequence):
            if abs(place - own) > reach:
                continue
            if target is self.resolving and not self.rules["timed_shift_itself"]:  # G-15
                continue
            if place > 0:
                options[LEFT + place] = (place, place - 1)
            if place < len(self.sequence) - 1:
                options[RIGHT + place] = (place, place + 1)
        if not options:
            self._say(f"{action} finds no target")
            return False
        place, to = yield from self._ask(action.player, options)
        target = self.sequence[place]
        self.sequence[place], self.sequence[to] = self.sequence[to], target
        self._say(f"{target} moves from slot {place + 1} to slot {to + 1}")
        return True

    def _return(self, action: Action, what: str) -> Flow:
        """§4: an Action at any distance goes back to the hand of the player who built it."""
        options: Options = {
            RETURN + place: target
            for place, target in enumerate(self.sequence)
            if (target is not action or self.rules["return_itself"])  # G-3
            and (what == "any" or target.is_attack == (what == "attack"))
        }
        if not options:
            self._say(f"{action} finds no target")
            return False
        if self.rules["return_optional"]:  # G-3
            options[DECLINE] = None
        target = yield from self._ask(action.player, options)
        if target is None:
            self._say(f"{self.players[action.player].name} declines")
            return False
        slot = self.sequence.index(target) + 1
        self.sequence.remove(target)
        side = self.players[target.player]
        side.hand[target.number] += 1
        side.known[target.number] += 1  # §5
        self._say(f"{target} returns from slot {slot} to the hand of {side.name}")
        return True

    def _bonus(self, action: Action, value: dict[str, Any]) -> int:
        """G-11: more Power against an opponent with an Action of that type in the sequence."""
        for other in self.sequence:
            counts = other.is_attack or self.rules["bonus_counts"] == "typed_actions"
            if counts and other.player != action.player and self._type(other) == value["against"]:
                self._say(f"{action} gets +{value['power']} Power")
                self._count(action, "effect")
                return int(value["power"])
        return 0

    def _type(self, action: Action) -> str | None:
        """§4 Block, G-10."""
        if action.is_attack:
            return str(action.card["type"])
        kind, value = action.response
        if kind == "block":
            return str(value)
        if kind in ("armor", "resistance"):
            return "physical" if kind == "armor" else "magical"
        return str(action.card["type"]) if self.rules["untyped_responses"] == "attack_type" else None

    # ------------------------------------------------------------------ resolving (§4)

    def _resolve(self) -> Flow:
        self.phase = "resolving"
        while self.sequence:
            action = self.sequence[-1]
            self.resolving = action
            waiting = [list(side.willpower) for side in self.players]
            self._say(f"{action} of {self.players[action.player].name} resolves")
            if action.is_attack:
                more = yield from self._attack_effect(action, "timed")
                yield from self._damage(action, [1 - action.player], action.card["power"] + more, action.card["type"])
            elif not at_once(action.card):
                yield from self._respond(action)
            self.resolving = None
            if action in self.sequence:  # it may have returned itself
                self._discard(action)
            if self.rules["willpower_covers"] == "adjacent_action":  # G-5
                for side, expired in zip(self.players, waiting):
                    side.willpower = [willpower for willpower in side.willpower if willpower not in expired]

    def _discard(self, action: Action) -> None:
        """Move an Action from the sequence to the discard pile of the player who built it."""
        self.sequence.remove(action)
        self.players[action.player].discard[action.number] += 1

    def _respond(self, action: Action) -> Flow:
        kind, value = action.response
        match kind:
            case "armor":
                done = self._take_token(action, "physical", value)
            case "resistance":
                done = self._take_token(action, "magical", value)
            case "block":
                done = self._block(action, value)
            case "willpower":
                side = self.players[action.player]
                side.willpower.append(action)
                self._say(f"{side.name} will ignore the next damage")
                done = True
            case _:
                done = yield from self._do(action, kind, value)
        if done:
            self._count(action, "response effect")

    def _take_token(self, action: Action, against: str, value: int) -> bool:
        side = self.players[action.player]
        self.pieces[against] += 1
        if 0 < self.rules["token_limit"] < self.pieces[against]:  # G-13
            self.pieces[against] -= 1
            self._say(f"{side.name} gets no token")
            return False
        side.tokens[against] += value
        self._say(f"{side.name} has {TOKENS[against]} {side.tokens[against]}")
        return True

    def _block(self, action: Action, against: str) -> bool:
        place = self.sequence.index(action) - 1
        other = self.sequence[place] if place >= 0 else None
        if other is None or other.player == action.player or self._type(other) != against:
            self._say("nothing is blocked")
            return False
        self._discard(other)
        self._say(f"{other} of {self.players[other.player].name} is blocked")
        return True

    # ------------------------------------------------------------------ damage

    def _damage(self, action: Action, whom: list[int], amount: int, kind: str) -> Flow:
        """Damage at one moment: first everybody decides, then all of it happens; the end of the game is checked last (G-7)."""
        if amount == 0:
            return
        ignored = []
        for player in whom:
            ignored.append((yield from self._ignores(player, max(0, amount - self.players[player].tokens[kind]), kind)))
        beaten = []
        for player, spared in zip(whom, ignored):
            side = self.players[player]
            taken = max(0, amount - side.tokens[kind])
            if spared:
                self._say(f"{side.name} ignores {taken} {kind} damage")
                continue
            stopped = f", {amount - taken} stopped" if taken < amount else ""
            self._say(f"{side.name} takes {taken or 'no'} {kind} damage{stopped}")
            if taken and not side.deck:  # §2
                beaten.append(player)
            else:
                self._lose_cards(side, taken)
        if len(beaten) == 2:
            both = "both took damage with an empty deck"
            if self.rules["simultaneous_defeat"] == "draw":
                self._end(None, both)
            self._end(1 - action.player, f"{both}, by an Action of {self.players[action.player].name}")
        if beaten:
            self._end(1 - beaten[0], f"{self.players[beaten[0]].name} took damage with an empty deck")

    def _ignores(self, player: int, taken: int, kind: str) -> Flow:
        """G-5, G-6: whether a Willpower that waits, or one from the hand, cancels that damage."""
        side = self.players[player]
        if taken == 0:
            return False
        if side.willpower:
            side.willpower.pop(0)
            return True
        if self.phase != "resolving" or self.rules["interrupt_window"] == "never":
            return False
        options: Options = {DECLINE: None}
        for number, card in enumerate(side.cards):
            if side.hand[number] and response_of(card)[0] == "willpower" and self._may(side, number, "response"):
                options[CARD + number] = number
        self.threat = (player, taken, kind)
        chosen = yield from self._ask(player, options)
        self.threat = None
        if chosen is None:
            return False
        side.leaves_hand(chosen)
        side.discard[chosen] += 1
        self._say(f"{side.name} discards {side.names[chosen]} for its Willpower")
        self.played[side.id, side.names[chosen], "interrupt"] += 1
        return True

    def _lose_cards(self, side: Player, count: int) -> None:
        """Discard the damage from the top of the deck; damage beyond the last card is lost (§2)."""
        face_down = self.rules["damage_discards"] == "face_down"  # G-14
        pile = side.face_down if face_down else side.discard
        names = [side.names[side.take_top(pile)] for _ in range(min(count, len(side.deck)))]
        if face_down:
            if names:
                self._say(f"{side.name} discards {'a card' if len(names) == 1 else f'{len(names)} cards'} face down")
            return
        for first in range(0, len(names), NAMES_A_LINE):
            self._say(f"{side.name} discards {', '.join(names[first : first + NAMES_A_LINE])}")

    # ------------------------------------------------------------------ cleanup

    def _clean_up(self) -> Flow:
        self.phase = "cleanup"
        for side in self.players:
            side.tokens = dict.fromkeys(side.tokens, 0)
            side.willpower = []
        self.pieces = dict.fromkeys(self.pieces, 0)
        first = self.initiative or 0
        if self.rules["cleanup_order"] == "initiative_last":  # G-12
            first = 1 - first
        for player in (first, 1 - first):
            yield from self._back_to_five(self.players[player])

    def _back_to_five(self, side: Player) -> Flow:
        missing = HAND_SIZE - sum(side.hand)
        if missing > 0:
            self._draw(side.number, missing)
        while sum(side.hand) > HAND_SIZE:
            number = yield from self._ask(side.number, {CARD + i: i for i, count in enumerate(side.hand) if count})
            side.put_on_deck(number)
            self._say(f"{side.name} puts a card on the deck")

    # ------------------------------------------------------------------ what is known

    def knowledge(self, player: int) -> dict[str, Any]:
        """What that player knows: how many of each card, the numbers of the cards put back, and public counts."""
        me, them = self.players[player], self.players[1 - player]
        return {
            "hand": list(me.hand),
            "my_unseen": [me.deck.count(i) + me.face_down[i] for i in range(len(me.cards))],
            "my_top": me.top(),
            "my_discard": list(me.discard),
            "their_unseen": [them.hand[i] + them.deck.count(i) + them.face_down[i] for i in range(len(them.cards))],
            "their_known": list(them.known),
            "their_loose": list(them.loose),
            "their_discard": list(them.discard),
            "counts": [
                {
                    "hand": sum(side.hand),
                    "deck": len(side.deck),
                    "put_back": side.put_back,
                    "discard": sum(side.discard),
                    "face_down": sum(side.face_down),
                    "armor": side.tokens["physical"],
                    "resistance": side.tokens["magical"],
                    "willpower": len(side.willpower),
                }
                for side in (me, them)
            ],
        }

    def _count(self, action: Action, what: str) -> None:
        self.played[self.players[action.player].id, action.card["name"], what] += 1

    # ------------------------------------------------------------------ text

    def _status_lines(self) -> list[list[str]]:
        head = f"Sequence {self.number}, {self.phase}"
        if self.initiative is not None:
            head += f", initiative {self.players[self.initiative].name}"
        if self.phase == "building" and self._speed():
            head += f", Speed {self._speed()} or more"
        row = [self._slot_line(slot, action) for slot, action in enumerate(self.sequence, 1)]
        (own0, other0), (own1, other1) = (self._player_lines(side) for side in self.players)
        lines = [[head, own0, other1, *row], [head, other0, own1, *row], [head, own0, own1, *row]]
        if self.threat:
            player, taken, kind = self.threat
            for who in (player, 2):
                lines[who].append(f"{self.players[player].name} would take {taken} {kind} damage")
        return lines

    def _player_lines(self, side: Player) -> tuple[str, str]:
        """A player's line as the player sees it, and as the opponent does."""
        own = other = f"{side.name}: hand {sum(side.hand)}"
        if any(side.hand):
            own += f": {counted(side.names, side.hand)}"
        if any(side.known):
            other += f" with {counted(side.names, side.known)}"
        own += f"; deck {len(side.deck)}"
        other += f"; deck {len(side.deck)}"
        if side.put_back:
            own += f" (on top {', '.join(side.names[number] for number in side.top())})"
            other += f" ({side.put_back} put back)"
        if any(side.loose):
            other += f"; hand or put back {counted(side.names, side.loose)}"
        rest = f"; discard {sum(side.discard)}"
        if any(side.discard):
            rest += f": {counted(side.names, side.discard)}"
        if any(side.face_down):
            rest += f"; face down {sum(side.face_down)}"
        for kind, token in TOKENS.items():
            if side.tokens[kind]:
                rest += f"; {token} {side.tokens[kind]}"
        if side.willpower:
            rest += f"; Willpower {len(side.willpower)}"
        return own + rest, other + rest

    def _slot_line(self, slot: int, action: Action) -> str:
        name, card = self.players[action.player].name, action.card
        if action.is_attack:
            line = (
                f"{slot}. {name} attacks: {card['name']} (Speed {card['speed']}, Power {card['power']}, {card['type']})"
            )
        else:
            line = f"{slot}. {name} responds: {action}"
        return line + (" - resolves" if action is self.resolving else "")
