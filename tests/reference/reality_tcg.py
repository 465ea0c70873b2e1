"""A slow, literal model of Reality TCG in plain Python objects, written from the rules (docs/reality_tcg/rules.yaml) alone.

It shares nothing with the engine but the card files. It is told who begins, the deal and the result of each shuffle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.reference.common import Flow, GameEnded, Model

RULES: dict[str, Any] = {
    "copies": 3,  # G-2, does not matter once the decks are built
    "deck_out": "no_penalty",  # G-3: no_penalty | lose
    "max_turns": 200,  # G-3
    "hand_limit": 60,  # G-4
    "both_out": "draw",  # G-5: draw | active_loses
    "negative_ip": False,  # G-6
    "hp_damage": "stays",  # G-7: stays | own_turn
    "broken_def": "stays",  # G-8: stays | own_turn
    "turn_on_entry": False,  # G-9
    "summoned_attacks": True,  # G-10
    "summons_per_turn": 60,  # G-11
    "moves_per_phase": 1,  # G-12
    "new_refills": True,  # G-13
    "effect_refill": False,  # G-14
    "both_destroyed": "attacker_waits",  # G-15: attacker_waits | both_wait
    "wait_ends": "attack",  # G-15: attack | own_turn
    "trapped_waits": True,  # G-15
    "effect_overflow": False,  # G-16
    "lands": "shared",  # G-17: shared | per_player
    "land_replace": False,  # G-17
    "trap_zone": 3,  # G-18
    "set_traps": "at_once",  # G-18: at_once | next_turn
    "answers_first": "non_active",  # G-19: non_active | active
    "spent": "purgatory",  # G-20: purgatory | removed
    "open_purgatory": True,  # G-21
    "mulligans": 1,  # G-22
    "energy_grows": "own_turns",  # G-23: own_turns | every_turn
    "cancelled_counts": True,  # G-24
    "first_draws": False,  # G-25
    "open_decklists": True,
    "food_saves": "always",  # G-27: always | in_battles | never
    "end_answered": True,  # G-28
}
KINDS = 40  # room for cards: each has its own action
PASS, ATTACK, PLACE, TURN, MOVE, BACK, TARGET = 40, 41, 42, 46, 50, 53, 54
ZONES = ("Active Zone", "Back Row 1", "Back Row 2", "Back Row 3")
SORTS = ("characters", "maneuvers", "traps", "foods", "lands")
POSITIONS = ("attack", "defense")
LONGEST_CHAIN = 16
MOST_BOOST = 100  # ATK for a turn (card_files.md)
ON_CHAIN = {"done": "what was done", "ending": "end of the turn"}


@dataclass(frozen=True, eq=False)  # one object for each kind of card
class Card:
    number: int
    sort: str
    id: str
    name: str
    cost: int
    effect: str
    amount: int
    atk: int = 0
    df: int = 0
    hp: int = 0
    spd: int = 0
    from_hand: bool = False


def read_cards(content: Mapping[str, Any]) -> list[Card]:
    """The cards of a set file, in the order of its parts."""
    found: list[Card] = []
    for sort in SORTS:
        for entry in content.get(sort, []):
            effect = entry.get("effect") or entry.get("ability") or {}
            word = next(iter(effect), "")
            stats = (
                {"atk": entry["atk"], "df": entry["def"], "hp": entry["hp"], "spd": entry["spd"]}
                if sort == "characters"
                else {}
            )
            found.append(
                Card(
                    len(found),
                    sort,
                    entry["id"],
                    entry["name"],
                    entry.get("cost", 0),
                    word,
                    effect.get(word, 0),
                    from_hand=entry.get("from_hand", False),
                    **stats,
                )
            )
    return found


@dataclass
class Unit:
    card: Card
    position: int
    hp: int
    df: int
    entered: int
    boost: int = 0
    turned: int = 0


@dataclass
class Entry:
    """Something on the chain."""

    what: str  # done | damage | ending | attack | summon | card
    player: int
    card: Card | None = None
    zone: int = 0
    negated: bool = False


@dataclass
class Side:
    deck: list[Card]  # top first
    hand: list[Card]
    list: Mapping[str, int]
    ip: int = 20
    energy: int = 0
    ready: int = 0
    waits: bool = False
    zones: list[Unit | None] = field(default_factory=lambda: [None] * 4)
    traps: list[tuple[Card, int] | None] = field(default_factory=lambda: [None] * 3)
    land: Card | None = None
    purgatory: list[Card] = field(default_factory=list)
    returned: list[Card] = field(default_factory=list)

    @property
    def active(self) -> Unit | None:
        return self.zones[0]

    @property
    def free_back(self) -> int | None:
        return next((z for z in (1, 2, 3) if self.zones[z] is None), None)

    @property
    def back(self) -> list[int]:
        return [z for z in (1, 2, 3) if self.zones[z] is not None]


class ReferenceGame(Model):
    """A game between two sides; `shuffled(player, cards)` returns the deck after a shuffle, top first."""

    def __init__(
        self,
        rules: Mapping[str, Any],
        cards: Sequence[Card],
        sides: list[Side],
        first: int,
        shuffled: Callable[[int, list[Card]], list[Card]],
    ) -> None:
        super().__init__()
        self.rules = {**RULES, **rules}
        self.cards, self.sides, self.first, self.shuffled = list(cards), sides, first, shuffled
        self.played: set[str] = set()
        self.turn, self.whose, self.phase = 0, first, "mulligan"
        self.chain: list[Entry] = []
        self.refills: set[int] = set()
        self.attacked, self.moved, self.summoned = False, 0, 0
        self.pending: Card | None = None
        self.falling: Entry | None = None  # G-27: damage is dealt, somebody is about to be destroyed
        self._say(f"player_{first} goes first")
        for p in (first, 1 - first):
            self._say(f"player_{p} draws 6 cards")
        self._flow = self._game()
        self._advance(None)

    # -- the end

    def _win(self, p: int | None) -> None:
        self.over = 1
        self.rewards = (0, 0) if p is None else (1, -1) if p == 0 else (-1, 1)
        self.chain = []  # what still waited there never happens
        self._say("the game is a draw" if p is None else f"player_{p} wins")
        raise GameEnded

    def _check(self) -> None:
        """RT-W1, G-5."""
        out = [p for p in (0, 1) if self.sides[p].ip <= 0]
        if len(out) == 2:
            self.played.add("both out")
            mine, theirs = self.sides[0].ip, self.sides[1].ip
            if mine != theirs:  # G-6
                self._win(0 if mine > theirs else 1)
            self._win(1 - self.whose if self.rules["both_out"] == "active_loses" else None)
        if out:
            self._win(1 - out[0])

    # -- set-up and turns

    def _game(self) -> Flow:
        for p in (self.first, 1 - self.first):
            for _ in range(self.rules["mulligans"]):  # G-22
                if not (yield from self._mulligan(p)):
                    break
        self.whose = 1 - self.first
        while True:
            yield from self._turn()

    def _mulligan(self, p: int) -> Flow:
        """RT-D4: offer a mulligan; return how many cards went back."""
        side = self.sides[p]
        self.to_play = p
        while len(side.returned) < 3:
            chosen = yield from self._ask(p, {PASS: None, **{card.number: card for card in side.hand}})
            if chosen is None:
                break
            side.hand.remove(chosen)
            side.returned.append(chosen)
        count = len(side.returned)
        self._say(f"player_{p} returns {cards_in_words(count)}" if count else f"player_{p} keeps the hand")
        if count:
            side.deck = self.shuffled(p, side.deck + side.returned)
            side.returned = []
            self._draw(p, count - 1)
        return count

    def _draw(self, p: int, number: int) -> None:
        side = self.sides[p]
        drawn = min(number, len(side.deck))
        side.hand += side.deck[:drawn]
        del side.deck[:drawn]
        if drawn:
            self._say(f"player_{p} draws {cards_in_words(drawn)}")
        if drawn == number:
            return
        self._say(f"player_{p} has nothing to draw")
        self.played.add("empty deck")
        if self.rules["deck_out"] == "lose":
            self._win(1 - p)

    def _turn(self) -> Flow:
        if self.turn == self.rules["max_turns"]:  # G-3
            self._say("the last turn is over")
            mine, theirs = self.sides[0].ip, self.sides[1].ip
            self.played.add("last turn")
            self._win(0 if mine > theirs else 1 if theirs > mine else None)
        self.turn += 1
        self.whose = p = 1 - self.whose
        side = self.sides[p]
        self.attacked, self.phase, self.summoned = False, "start", 0
        for q in (0, 1):
            if q == p or self.rules["energy_grows"] == "every_turn":
                self.sides[q].energy = min(10, self.sides[q].energy + 1)
        side.ready = side.energy
        self._say(f"player_{p}'s turn, {side.energy} Energy")
        for unit in side.zones:
            if unit is not None and self.rules["hp_damage"] == "own_turn":
                unit.hp = unit.card.hp
            if unit is not None and self.rules["broken_def"] == "own_turn":
                unit.df = unit.card.df
        if side.land is not None and side.land.effect == "turn_restore":
            for q in (0, 1):
                for unit in self.sides[q].zones:
                    if unit is not None and unit.position == 1:
                        self._restore(q, unit, side.land.amount)
        if side.waits:  # G-15
            side.waits = False
            self.refills.add(p)
        yield from self._refill()
        self.phase, self.moved = "Tactic Phase 1", 0
        if self.turn > 1 or self.rules["first_draws"]:
            self._draw(p, 1)
        yield from self._tactics()
        self.phase = "Battle Phase"
        yield from self._battle_phase()
        self.phase, self.moved = "Tactic Phase 2", 0
        yield from self._tactics()
        self.phase = "End Phase"
        if self.rules["end_answered"]:  # G-28: the opponent first, since the turn player has just passed
            yield from self._window(Entry("ending", p), 1 - p, 1)
        while len(side.hand) > self.rules["hand_limit"]:  # G-4
            card = yield from self._ask(p, {card.number: card for card in side.hand})
            side.hand.remove(card)
            side.purgatory.append(card)
            self._say(f"player_{p} discards {card.name}")
            self.played.add("discard")
        for z in side.back:
            unit = side.zones[z]
            assert unit is not None
            if unit.card.effect == "end_heal" and side.active is not None:
                self._heal(p, side.active, unit.card.amount)
        for q in (0, 1):
            for unit in self.sides[q].zones:
                if unit is not None:
                    unit.boost = 0

    def _refill(self) -> Flow:
        """RT-B7, G-15: the player whose turn it is not goes first."""
        for p in (1 - self.whose, self.whose):
            side = self.sides[p]
            able = [z for z in side.back if self.rules["new_refills"] or self._settled(side.zones[z])]  # G-13
            if p in self.refills and side.active is None and not side.waits and able:
                z = yield from self._ask(p, {PASS: None, **{TARGET + z: z for z in able}})
                if z is not None:
                    side.zones[0], side.zones[z] = side.zones[z], None
                    self._say(f"player_{p} moves {self._name(side.active)} up to the Active Zone")
                    self.played.add("refill")
            self.refills.discard(p)

    @staticmethod
    def _name(unit: Unit | None) -> str:
        assert unit is not None
        return unit.card.name

    # -- Tactic Phases

    def _settled(self, unit: Unit | None) -> bool:
        """RT-S1: whether there is a Character that did not enter this turn."""
        return unit is not None and unit.entered != self.turn

    def _may_leave(self, p: int) -> bool:
        """RT-S2, G-12."""
        mine, theirs = self.sides[p].active, self.sides[1 - p].active
        if mine is None or not self._settled(mine):
            return False
        return theirs is None or mine.card.spd >= theirs.card.spd

    def _tactics(self) -> Flow:
        p = self.whose
        side = self.sides[p]
        while True:
            options: dict[int, Any] = {PASS: None}
            for card in side.hand:
                if self._playable(p, card):
                    options[card.number] = ("card", card)
            for z, unit in enumerate(side.zones):
                if unit is not None and unit.turned != self.turn:
                    if self._settled(unit) or self.rules["turn_on_entry"]:
                        options[TURN + z] = ("turn", z)
            if self.moved < self.rules["moves_per_phase"]:
                for z in (1, 2, 3):
                    free = side.active is None and not side.waits
                    if self._settled(side.zones[z]) and (free or self._may_leave(p)):
                        options[MOVE + z - 1] = ("move", z)
                if side.free_back is not None and self._may_leave(p):
                    options[BACK] = ("move", side.free_back)
            chosen = yield from self._ask(p, options)
            if chosen is None:
                return
            what, which = chosen
            if what == "card":
                yield from self._play(p, which)
            elif what == "turn":
                unit = side.zones[which]
                assert unit is not None
                unit.position, unit.turned = 1 - unit.position, self.turn
                self._say(f"player_{p} turns {unit.card.name} to {POSITIONS[unit.position]} position")
                yield from self._window(Entry("done", p))
            else:
                side.zones[0], side.zones[which] = side.zones[which], side.zones[0]
                self.moved += 1
                if side.active is None:
                    self._say(f"player_{p} moves the Active Character to the Back Row")
                else:
                    self._say(f"player_{p} brings {side.active.card.name} to the Active Zone")
                self.played.add("switch")
                yield from self._window(Entry("done", p))

    def _playable(self, p: int, card: Card) -> bool:
        side, other = self.sides[p], self.sides[1 - p]
        if card.sort == "traps":
            return None in side.traps[: self.rules["trap_zone"]]
        if card.cost > side.ready:
            return False
        if card.sort == "characters":
            if self.summoned == self.rules["summons_per_turn"]:  # G-11
                return False
            return (side.active is None and not side.waits) or side.free_back is not None
        if card.sort == "foods":
            return self._edible(p, card)
        if card.sort == "lands":
            if self.rules["land_replace"]:
                return True
            return side.land is None and (other.land is None or self.rules["lands"] == "per_player")
        if card.effect == "damage":
            return other.active is not None
        if card.effect == "active_atk":
            return side.active is not None
        if card.effect == "swap":
            return self._settled(side.active) and any(self._settled(side.zones[z]) for z in (1, 2, 3))
        return True

    def _targets(self, p: int, card: Card) -> list[int]:
        """The zones of the Characters for whom a Food does something."""
        found = []
        for z, unit in enumerate(self.sides[p].zones):
            if unit is None or (card.effect == "heal" and unit.hp == unit.card.hp):
                continue
            if card.effect == "restore" and unit.df == unit.card.df:
                continue
            found.append(z)
        return found

    def _edible(self, p: int, card: Card) -> bool:
        return card.cost <= self.sides[p].ready and bool(self._targets(p, card))

    def _play(self, p: int, card: Card) -> Flow:
        side = self.sides[p]
        side.hand.remove(card)
        self.played.add(card.id)
        if card.sort == "traps":
            side.traps[side.traps.index(None)] = (card, self.turn)
            self._say(f"player_{p} sets a Trap")
            yield from self._window(Entry("done", p))
            return
        side.ready -= card.cost
        if card.sort == "characters":
            self.pending = card
            places: dict[int, Any] = {}
            if side.active is None and not side.waits:
                places |= {PLACE: (0, 0), PLACE + 1: (0, 1)}
            if side.free_back is not None:
                places |= {PLACE + 2: (side.free_back, 0), PLACE + 3: (side.free_back, 1)}
            z, position = yield from self._ask(p, places)
            self.pending = None
            side.zones[z] = Unit(card, position, card.hp, card.df, self.turn)
            self.summoned += 1
            self._say(
                f"player_{p} summons {card.name} to the {'Back Row' if z else 'Active Zone'}, {POSITIONS[position]} position"
            )
            yield from self._window(Entry("summon", p, card, z))
            return
        entry = yield from self._used(p, card)
        yield from self._window(entry)

    def _used(self, p: int, card: Card) -> Flow:
        """The chain entry of a card that was paid for; its player chooses the target if it needs one."""
        side = self.sides[p]
        zone = 0
        if card.sort == "foods" or card.effect == "swap":
            zones = (
                self._targets(p, card)
                if card.sort == "foods"
                else [z for z in (1, 2, 3) if self._settled(side.zones[z])]
            )
            self.pending = card
            zone = yield from self._ask(p, {TARGET + z: z for z in zones})
            self.pending = None
            self._say(f"player_{p} plays {card.name} for the {ZONES[zone]}")
        else:
            self._say(f"player_{p} plays {card.name}")
        return Entry("card", p, card, zone)

    # -- battle

    def _battle_phase(self) -> Flow:
        p = self.whose
        side = self.sides[p]
        while True:
            unit = side.active
            ready = unit is not None and unit.position == 0 and (self._settled(unit) or self.rules["summoned_attacks"])
            if self.attacked or not ready or self.turn == 1:
                return
            options: dict[int, Any] = {PASS: None, ATTACK: "attack"}
            options |= {card.number: card for card in side.hand if card.sort == "foods" and self._edible(p, card)}
            chosen = yield from self._ask(p, options)
            if chosen is None:
                return
            if chosen == "attack":
                self.attacked = True
                self._say(f"player_{p} attacks with {self._name(unit)}")
                assert unit is not None
                yield from self._window(Entry("attack", p, unit.card))
            else:
                yield from self._play(p, chosen)

    def _atk(self, p: int, z: int) -> int:
        unit = self.sides[p].zones[z]
        assert unit is not None
        atk = unit.card.atk + unit.boost
        if z == 0:
            helpers = [self.sides[p].zones[b] for b in self.sides[p].back]
            atk += max([u.card.amount for u in helpers if u is not None and u.card.effect == "support_atk"], default=0)
            atk += sum(s.land.amount for s in self.sides if s.land is not None and s.land.effect == "all_active_atk")
        return atk

    def _hurt(self, p: int, unit: Unit, number: int, hp_only: bool = False) -> int:
        left = number
        if unit.position == 1 and not hp_only:
            broken = min(left, unit.df)
            unit.df -= broken
            left -= broken
        lost = min(left, unit.hp)
        unit.hp -= lost
        if number:
            self._say(f"{unit.card.name} of player_{p} takes {number} damage")
        return left - lost

    def _lose(self, p: int, number: int) -> None:
        lost = number if self.rules["negative_ip"] else min(number, self.sides[p].ip)
        if lost:
            self.sides[p].ip -= lost
            self._say(f"player_{p} loses {lost} IP")

    def _dead(self, p: int) -> bool:
        side = self.sides[p]
        unit = side.active
        if unit is None or unit.hp > 0:
            return False
        side.purgatory.append(unit.card)
        self._say(f"{unit.card.name} of player_{p} goes to Purgatory")
        side.zones[0] = None
        return True

    def _fight(self, p: int) -> None:
        q = 1 - p
        mine, theirs = self.sides[p].active, self.sides[q].active
        if mine is not None:
            atk = self._atk(p, 0)
            if theirs is None:
                self._say(f"{mine.card.name} strikes directly with {atk}")
                self.played.add("direct")
                self._lose(q, atk)
            else:
                back = self._atk(q, 0) if theirs.position == 0 else 0
                through = self._hurt(q, theirs, atk)
                returned = self._hurt(p, mine, back)
                self._lose(q, through)
                self._lose(p, returned)
                if self.rules["food_saves"] != "never" and 0 in (mine.hp, theirs.hp):
                    self.falling = Entry("damage", p)
                else:
                    self._fall(p)
                return
        self._attack_over(p)

    def _fall(self, p: int) -> None:
        """RT-B6 to RT-B8: destroy who has no HP left after the attack of that player."""
        q = 1 - p
        fallen, lost = self._dead(q), self._dead(p)
        if lost:
            self.sides[p].waits = True
            self.played.add("waits")
        if fallen and lost and self.rules["both_destroyed"] == "both_wait":  # G-15
            self.sides[q].waits = True
            self.played.add("both wait")
            return
        if fallen:
            self.refills.add(q)
        self._attack_over(p)

    def _fall_by(self, p: int, card: Card) -> None:
        """G-14, G-15: destroy who has no HP left after a card of that player."""
        if self._dead(1 - p):
            self.played.add("destroyed by an effect")
            if card.effect == "hit_attacker" and self.rules["trapped_waits"]:
                self.sides[1 - p].waits = True
            elif self.rules["effect_refill"]:
                self.refills.add(1 - p)
        else:
            self.played.add("saved from an effect")

    def _attack_over(self, p: int) -> None:
        """G-15: the opponent's wait may be over."""
        other = self.sides[1 - p]
        if other.waits and self.rules["wait_ends"] == "attack":
            other.waits = False
            self.refills.add(1 - p)

    # -- the chain

    def _answers(self, p: int) -> dict[int, Any]:
        if len(self.chain) >= LONGEST_CHAIN:
            return {}
        side = self.sides[p]
        found: dict[int, Any] = {c.number: c for c in side.hand if c.sort == "foods" and self._edible(p, c)}
        usable = [c for c in side.hand if c.sort == "traps" and c.from_hand]
        for trap in side.traps:
            if trap is not None and (self.rules["set_traps"] == "at_once" or trap[1] != self.turn):
                usable.append(trap[0])
        for card in usable:
            if card.cost <= side.ready and self._triggered(p, card):
                found[card.number] = card
        return found

    def _triggered(self, p: int, card: Card) -> bool:
        first, last = self.chain[0], self.chain[-1]
        if card.effect in ("hit_attacker", "cancel_attack"):
            return first.what == "attack" and first.player != p and not first.negated
        wanted = {"negate_food": "foods", "negate_maneuver": "maneuvers"}[card.effect]
        return last.what == "card" and last.card is not None and last.card.sort == wanted and last.player != p

    def _window(self, entry: Entry, first: int | None = None, passes: int = 0) -> Flow:
        """G-19: what was played last happens first."""
        yield from self._collect(entry, first, passes)
        while self.chain:
            self._happen(self.chain.pop())
            self._check()
            if self.falling:
                falling, self.falling = self.falling, None
                yield from self._collect(falling)
        yield from self._refill()

    def _collect(self, entry: Entry, first: int | None = None, passes: int = 0) -> Flow:
        """Ask for answers until both players pass."""
        self.chain.append(entry)
        if first is None:
            first = self.whose if self.rules["answers_first"] == "active" else 1 - self.whose
        p = first
        while passes < 2:
            found = self._answers(p)
            chosen = None
            if found:
                chosen = yield from self._ask(p, {PASS: None, **found})
            if chosen is None:
                passes += 1
            else:
                self.played.add(f"answer {chosen.sort}")
                self.chain.append((yield from self._answer(p, chosen)))
                passes = 0
            p = 1 - p

    def _answer(self, p: int, card: Card) -> Flow:
        side = self.sides[p]
        self.played.add(card.id)
        at = None
        if card.sort == "traps":
            waits = self.rules["set_traps"] == "next_turn"
            at = next(
                (
                    i
                    for i, t in enumerate(side.traps)
                    if t is not None and t[0] == card and not (waits and t[1] == self.turn)
                ),
                None,
            )
        if at is None:
            side.hand.remove(card)
        else:
            side.traps[at] = None
        side.ready -= card.cost
        return (yield from self._used(p, card))

    def _happen(self, entry: Entry) -> None:
        p, card = entry.player, entry.card
        side, other = self.sides[p], self.sides[1 - p]
        if entry.what == "card" and card is not None and (card.sort != "lands" or entry.negated):
            side.purgatory.append(card)
        if entry.negated:
            if entry.what == "attack":
                self._say(f"the attack of player_{p} is cancelled")
                self._attack_over(p)
                if not self.rules["cancelled_counts"]:
                    self.attacked = False
            else:
                assert card is not None
                self._say(f"{card.name} of player_{p} is negated")
            self.played.add(f"negated {entry.what}")
            return
        if entry.what == "attack":
            self._fight(p)
        if entry.what == "damage" and card is None:
            self._fall(p)
        elif entry.what == "damage":
            self._fall_by(p, card)
        if card is None or entry.what in ("attack", "damage"):
            return
        if entry.what == "summon":
            if card.effect == "on_summon_draw":
                self._draw(p, card.amount)
            return
        word, amount = card.effect, card.amount
        unit = side.zones[entry.zone]
        if word in ("damage", "hit_attacker"):
            if other.active is not None:
                left = self._hurt(1 - p, other.active, amount, word == "hit_attacker")
                if self.rules["effect_overflow"]:
                    self._lose(1 - p, left)
                if other.active.hp == 0 and self.rules["food_saves"] == "always":
                    self.falling = Entry("damage", p, card)
                else:
                    self._fall_by(p, card)
        elif word == "active_atk":
            if side.active is not None:
                side.active.boost = min(side.active.boost + amount, MOST_BOOST)
        elif word == "draw":
            self._draw(p, amount)
        elif word == "swap":
            if unit is not None and side.active is not None:
                side.zones[0], side.zones[entry.zone] = unit, side.active
                self._say(f"player_{p} brings {unit.card.name} to the Active Zone")
        elif word == "lose_ip":
            self._lose(1 - p, amount)
        elif word == "cancel_attack":
            self.chain[0].negated = True
        elif word in ("negate_food", "negate_maneuver"):
            self.chain[-1].negated = True
        elif word == "atk":
            if unit is not None:
                unit.boost = min(unit.boost + amount, MOST_BOOST)
        elif word == "heal":
            if unit is not None:
                self._heal(p, unit, amount)
        elif word == "restore":
            if unit is not None:
                self._restore(p, unit, amount)
        else:  # a Land
            for q, owner in enumerate(self.sides):
                if owner.land is not None and (q == p or self.rules["lands"] == "shared"):
                    owner.purgatory.append(owner.land)
                    where = "goes to Purgatory" if self.rules["spent"] == "purgatory" else "leaves the game"  # G-20
                    self._say(f"{owner.land.name} of player_{q} {where}")
                    owner.land = None
            side.land = card

    def _heal(self, p: int, unit: Unit, amount: int) -> None:
        more = min(amount, unit.card.hp - unit.hp)
        if more > 0:
            unit.hp += more
            self._say(f"{unit.card.name} of player_{p} is healed by {more}")

    def _restore(self, p: int, unit: Unit, amount: int) -> None:
        more = min(amount, unit.card.df - unit.df)
        if more > 0:
            unit.df += more
            self._say(f"{unit.card.name} of player_{p} restores {more} DEF")

    # -- what is shown

    def _status_lines(self) -> list[list[str]]:
        return [self._status_for(player) for player in (0, 1, None)]

    def _unit_text(self, p: int, z: int) -> str:
        unit = self.sides[p].zones[z]
        if unit is None:
            return "nobody"
        strikes, own = self._atk(p, z), unit.card.atk
        attack = f"{strikes}" if strikes == own else f"{strikes} ({own})"
        text = f"{unit.card.name} {attack}/{unit.df}/{unit.hp}, SPD {unit.card.spd}, {POSITIONS[unit.position]}"
        return text + (", new" if unit.entered == self.turn else "")

    def _status_for(self, player: int | None) -> list[str]:
        lines = [f"turn {self.turn} of player_{self.whose}, {self.phase}" if self.turn else "before the first turn"]
        for p, side in enumerate(self.sides):
            line = f"player_{p}: {side.ip} IP, {side.ready} of {side.energy} Energy active, {len(side.deck)} cards in the deck"
            line += f", {len(side.hand)} in hand"
            lines.append(line + (", no new Active Character yet" if side.waits else ""))
            lines.append(f"  Active Zone: {self._unit_text(p, 0)}")
            if side.back:
                lines.append(f"  Back Row: {'; '.join(self._unit_text(p, z) for z in side.back)}")
            traps = [trap[0].name for trap in side.traps if trap is not None]
            if traps:
                lines.append(f"  set Traps: {in_order(traps) if player in (None, p) else len(traps)}")
            if side.land is not None:
                lines.append(f"  Land: {side.land.name}")
            away = [c for c in side.purgatory if self.rules["spent"] == "removed" and c.sort in ("foods", "lands")]
            kept = [c for c in side.purgatory if c not in away]
            if kept:
                seen = player in (None, p) or self.rules["open_purgatory"]  # G-21
                lines.append(f"  Purgatory: {in_order(self._sorted(kept)) if seen else len(kept)}")
            if away:
                lines.append(f"  out of the game: {in_order(self._sorted(away))}")
            if player in (None, p):
                lines.append(f"  hand: {in_order(self._sorted(side.hand)) or 'nothing'}")
        for entry in self.chain:
            name = self._card_name(entry) if entry.what == "card" else ON_CHAIN.get(entry.what, entry.what)
            lines.append(f"on the chain: {name} of player_{entry.player}{', negated' if entry.negated else ''}")
        return lines

    @staticmethod
    def _card_name(entry: Entry) -> str:
        assert entry.card is not None
        return entry.card.name

    @staticmethod
    def _sorted(cards: Sequence[Card]) -> list[str]:
        return [card.name for card in sorted(cards, key=lambda card: card.number)]

    def knowledge(self, p: int) -> dict[str, list[int]]:
        """What a player sees of the cards and the Characters, as the observation encodes it."""
        mine, theirs = self.sides[p], self.sides[1 - p]
        cards: list[int] = []
        purgatory = theirs.purgatory if self.rules["open_purgatory"] else []
        shown = [u.card for u in theirs.zones if u is not None] + purgatory
        shown += [theirs.land] if theirs.land is not None else []
        shown += [e.card for e in self.chain if e.what == "card" and e.player != p and e.card is not None]
        shown += [self.pending] if self.pending is not None and self.to_play != p else []
        for card in self.cards:
            left = theirs.list.get(card.id, 0) - shown.count(card) if self.rules["open_decklists"] else 0
            cards += [
                mine.hand.count(card),
                mine.purgatory.count(card),
                purgatory.count(card),
                mine.deck.count(card),
                left,
            ]
        units: list[int] = []
        for q in (p, 1 - p):
            for z, unit in enumerate(self.sides[q].zones):
                if unit is None:
                    units += [0] * 16
                    continue
                c = unit.card
                units += [1, c.cost, self._atk(q, z), c.atk, unit.df, c.df, unit.hp, c.hp, c.spd, unit.position]
                units += [int(unit.entered == self.turn), int(unit.turned == self.turn), unit.boost]
                units += [c.amount if c.effect == word else 0 for word in ("on_summon_draw", "support_atk", "end_heal")]
        return {"cards": cards, "units": units}


def cards_in_words(number: int) -> str:
    return "a card" if number == 1 else f"{number} cards"


def in_order(names: Sequence[str]) -> str:
    """Each name once, with the number of its copies."""
    found: dict[str, int] = {}
    for name in names:
        found[name] = found.get(name, 0) + 1
    return ", ".join(f"{name} x{count}" if count > 1 else name for name, count in found.items())
