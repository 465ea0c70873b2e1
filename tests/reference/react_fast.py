"""A slow, literal model of the rules of React Fast, in plain Python objects.

It shares nothing with the engine, and is written to be checked against the rulebook: the ids in the comments are those of
docs/react_fast/rules.yaml. Action names, the order of decisions and of random draws, the log and the status lines follow
docs/react_fast/decisions.md. Only the random stream is random in here: the decks come dealt.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from typing import Any

from tests.reference.common import Flow, GameEnded, Model

RULES: dict[str, Any] = {
    "players": 4,
    "mode": "decision",  # decision | skill | deterministic
    "needed": None,  # G-1: traveling card -> card; None: of the same suit and number
    "deal": "even",  # G-2, does not matter after the deal
    "remainder_face": False,  # G-3
    "highest_suit": "gems",  # G-4: gems | coins
    "bottom_cards": "public",  # G-5: public | hidden
    "suit_win": "one_of_each",  # G-8: one_of_each | all_used
    "max_placements": 5000,  # G-9
    "late_slaps": "ignored",  # G-10: ignored | penalised
    "commit_ms": 150.0,  # G-11
    "pickup_window": True,  # G-12
    "penalty_cards": "hidden",  # G-14: hidden | seen
    "heap_slap": True,  # G-15
    "lock_out": False,  # G-16
    "free_slap_penalty": True,  # G-17
    "takeover_activates": True,  # G-20
    "uncovered_counts": True,  # G-25
    "memory": "perfect",  # perfect | last_k | counts
    "memory_length": 20,
    "spread": 0.12,
    "rush": 0.6,
    "wait_ms": 400.0,
    "forbidden": (),  # by seat, traveling cards that may not be activated
}
PROFILE: dict[str, Any] = {
    "mu": 260.0,
    "sigma": 35.0,
    "tau": 70.0,
    "scale": 1.0,
    "miss": 0.02,
    "alarm": (0.0, 0.005, 0.04),  # relaxed, ready, armed
    "shift": (60.0, 0.0, -90.0),
    "place_mu": 600.0,
    "place_sigma": 80.0,
    "place_tau": 150.0,
    "placer_delay": 0.0,
}
NUMBERS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
SUITS = ("Coins", "Artifacts", "Jewelry", "Gems")  # RF-S2: in rising order
CHANCES = {"J": 1, "Q": 2, "K": 3, "A": 4}  # RF-T2
TRAVELING = (
    "Jewelry #2",
    "Jewelry #3",
    "Coins #4",
    "Coins #5",
    "Gems #6",
    "Gems #7",
    "Artifacts #8",
    "Artifacts #9",
)
STANCES = ("relaxed", "ready", "armed")
MANY = 127  # the largest number that an observation shows


def number(card: str) -> str:
    return card.split(" of ")[0]


def suit(card: str) -> str:
    return card.replace(" #", " of ").split(" of ")[1] if " of " in card else card.split(" #")[0]


def needed_card(traveling: str) -> str:
    """G-1: "Jewelry #2" needs "2 of Jewelry"."""
    of, figure = traveling.split(" #")
    return f"{figure} of {of}"


def single(value: float) -> float:
    """Round to the precision with which the record keeps times."""
    return float(struct.unpack("f", struct.pack("f", value))[0])


class Stream:
    """SplitMix64, as its authors published it."""

    def __init__(self, word: int) -> None:
        self.word = word

    def __call__(self) -> float:
        """A random number from 0 to 1, with 53 bits."""
        self.word = (self.word + 0x9E3779B97F4A7C15) % 2**64
        z = self.word
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return ((z ^ z >> 31) >> 11) / 2**53

    def normal(self) -> float:
        """A standard normal number, by the Box-Muller transform."""
        far = math.sqrt(-2 * math.log(1 - self()))
        return far * math.cos(2 * math.pi * self())

    def latency(self, mu: float, sigma: float, tau: float) -> float:
        """The sum of a normal and an exponential number."""
        bell = mu + sigma * self.normal()
        return bell - tau * math.log(1 - self())


@dataclass
class Card:
    """A card, and what is known of its place."""

    name: str
    known: bool = False
    seen: int = 0  # the number of the unit in which it was last seen

    @property
    def travels(self) -> bool:
        return " #" in self.name


@dataclass
class Traveler:
    owner: int
    used: bool = False


@dataclass
class Side:
    deck: list[Card]  # the top card first
    scale: float = 1.0
    alive: bool = True
    penalties: int = 0
    folds: bool = False  # Coins #4
    skips: bool = False  # Artifacts #8
    locked: bool = False  # G-16
    late: float | None = None  # ms until a slap from the window before lands
    stance: str = "ready"
    slaps: bool = False  # the choice in this window, while the pace is asked for


@dataclass
class Deal:
    """What chance has dealt: names of cards, and the state of the stream after the deal."""

    decks: list[list[str]]  # the top card first
    rest: list[str]  # the bottom card first
    word: int


@dataclass
class Pending:
    """A chance card that must be answered."""

    owner: int
    left: int


@dataclass
class Table:
    pile: list[Card] = field(default_factory=list)  # the bottom card first
    blind: int = 0  # cards at its bottom that never had a face
    face: str | None = None
    before: str | None = None
    heap: bool = False


class ReferenceGame(Model):
    """One game.

    Args:
        rules: options that differ from `RULES`.
        profiles: for each player, what differs from `PROFILE`.
        dealt: what chance has dealt.
    """

    def __init__(self, rules: dict[str, Any], profiles: list[dict[str, Any]], dealt: Deal) -> None:
        super().__init__()
        self.rules = RULES | rules
        self.count = self.rules["players"]
        self.profiles = [PROFILE | given for given in profiles]
        self.random = Stream(dealt.word)
        self.sides = [Side([Card(name) for name in deck]) for deck in dealt.decks]
        self.table = Table([Card(name) for name in dealt.rest], len(dealt.rest))
        self.travelers: dict[str, Traveler] = {}
        self.rewards: Any = (0.0,) * self.count
        self.names = action_names(self.count)
        self.clock = 0.0
        self.placed = 0
        self.last = 0
        self.turn = self.actor = 0
        self.open = False  # whether a window is open
        self.pending: Pending | None = None
        self.extra = self.suits = False
        self.free: int | None = None
        self.skipped = 0
        self.takeover = False
        self.fails = False  # the pile is lost with this window
        self._goes_on = False  # the turn goes on after this window: there are chances left
        self.played: set[str] = set()  # what has happened
        self._flow = self._game()
        self._advance(None)

    # -- set-up -------------------------------------------------------------------------------------------------------

    def _game(self) -> Flow:
        if self.rules["remainder_face"] and self.table.pile:
            top = self.table.pile[-1]
            top.known, self.table.blind, self.table.face = True, self.table.blind - 1, top.name
        for side, profile in zip(self.sides, self.profiles):
            far = 0.0 if self.rules["mode"] == "deterministic" else self.rules["spread"] * self.random.normal()
            side.scale = single(profile["scale"] * math.exp(far))
        starter = self.last = self._first_player()
        while True:
            starter = yield from self._round(starter)

    def _first_player(self) -> int:
        """RF-S2, G-4, G-5."""
        order = SUITS if self.rules["highest_suit"] == "gems" else SUITS[::-1]
        best: tuple[int, int] | None = None
        chosen = 0
        for p, side in enumerate(self.sides):
            bottom = next((card for card in reversed(side.deck) if not card.travels), None)
            if bottom is None:
                continue
            bottom.known = bottom.known or self.rules["bottom_cards"] == "public"
            height = (NUMBERS.index(number(bottom.name)), order.index(suit(bottom.name)))
            if best is None or height > best:
                best, chosen = height, p
        return chosen

    # -- rounds -------------------------------------------------------------------------------------------------------

    def _round(self, starter: int) -> Flow:
        """Play a round; return who begins the next one."""
        turn: int | None = starter
        while turn is not None:
            taker = yield from self._turn(turn)
            if taker is not None:
                return self._take(taker)
            turn = self._next_with_cards(turn)
        return self._take(self.pending.owner if self.pending else self.last)  # G-23

    def _take(self, p: int) -> int:
        """RF-T6, RF-W1 to W3: a player takes the pile."""
        pile = self.table.pile
        self._say(f"player_{p} takes the pile of {many(len(pile))}")
        self.sides[p].deck += pile
        self.table = Table()
        self.pending = None
        self.extra = self.suits = False  # RF-V2
        self.free = None
        for side in self.sides:
            side.folds = side.skips = side.locked = False
            side.late = None
        for q, side in enumerate(self.sides):
            if side.alive and not side.deck and q != p:
                side.alive = False
                self._say(f"player_{q} is out")
                for traveler in self.travelers.values():
                    if traveler.owner == q:
                        traveler.owner, traveler.used = p, False
                        self.played.add("inherited")
        if sum(side.alive for side in self.sides) == 1:
            self.played.add("last player")
            self._win(p)
        return p

    def _win(self, p: int | None) -> None:
        """RF-W5."""
        self._say("the game is a draw" if p is None else f"player_{p} wins")
        if p is not None:
            self.rewards = tuple(1.0 if q == p else -1 / (self.count - 1) for q in range(self.count))
        self.over = 1
        raise GameEnded

    def _next_with_cards(self, p: int) -> int | None:
        for i in range(1, self.count + 1):
            q = (p + i) % self.count
            if self.sides[q].alive and self.sides[q].deck:
                return q
        return None

    # -- turns --------------------------------------------------------------------------------------------------------

    def _turn(self, p: int) -> Flow:
        """Play a turn; return who takes the pile, if somebody does."""
        self.turn = self.actor = p
        able = sum(side.alive and bool(side.deck) for side in self.sides)
        if self.pending and self.pending.owner != p and self.sides[p].skips and self.skipped < able - 1:  # RF-V9, G-27
            if (yield from self._ask(p, self._by_name({"play the turn": False, "skip the turn": True}))):
                self._say(f"player_{p} skips the turn")
                self.skipped += 1
                self.played.add("skip")
                return None
        if self.rules["takeover_activates"] or not (self.pending and self.takeover):  # G-20
            taker = yield from self._activation(p)
            if taker is not None:
                return taker
        while True:
            placed = yield from self._unit()
            if not placed:  # only traveling cards were left
                self.takeover = self._goes_on or self.takeover
                return None
            taker = yield from self._window("lost" if self.fails else "unit")
            if taker is not None:
                return taker
            if self.pending and self.pending.owner != p or self._chances_of_own(p):
                if not self.fails and self._goes_on:
                    if self.sides[self.actor].deck:
                        continue
                    self.takeover = True
                    self.played.add("takeover")
                    return None
            self._reveal(self.actor)
            if self.fails:
                assert self.pending is not None
                return self.pending.owner
            return None

    def _chances_of_own(self, p: int) -> bool:
        """G-21: whether that player plays the chances of their own card."""
        return self.pending is not None and self.pending.owner == p

    def _activation(self, p: int) -> Flow:
        """RF-V1."""
        side = self.sides[p]
        options: dict[str, Any] = {"activate nothing": None}
        for name in TRAVELING:
            traveler = self.travelers.get(name)
            if traveler is None or traveler.owner != p or traveler.used or not side.deck:
                continue
            if name in [*self.rules["forbidden"], *[()] * 8][p]:
                continue
            if name in ("Coins #4", "Coins #5"):
                for q, other in enumerate(self.sides):
                    if other.alive and other.deck:  # G-19
                        options[f"{name} on player_{q}"] = (name, q)
            elif name != "Artifacts #9" or self.table.pile:  # G-25
                options[name] = (name, None)
        chosen = yield from self._ask(p, self._by_name(options))
        if chosen is None:
            return None
        name, target = chosen
        self.played.add(name)
        self.travelers[name].used = True
        self._say(f"player_{p} activates {name}" + (f" on player_{target}" if target is not None else ""))
        own = [(suit(other), traveler.used) for other, traveler in self.travelers.items() if traveler.owner == p]
        if len({of for of, used in own if used}) == len(SUITS):  # RF-W4, G-8
            if self.rules["suit_win"] == "one_of_each" or all(used for _, used in own):
                self._say(f"player_{p} has used traveling cards of all suits")
                self.played.add("suit win")
                self._win(p)
        if name == "Jewelry #2":  # RF-V3, G-18
            face = self.table.face
            if self.pending and not self.extra and face is not None and number(face) in CHANCES:  # "immediately after"
                self.pending.left += 1
            self.extra = True
        elif name == "Jewelry #3":
            self.suits = True
        elif name == "Coins #4":
            self.sides[target].folds = True
        elif name == "Coins #5":
            self.actor = target
        elif name == "Gems #6":
            return (yield from self._heap(p))
        elif name == "Gems #7":
            self.free = p
        elif name == "Artifacts #8":
            side.skips = True
        else:  # RF-V10, G-25
            table = self.table
            top = table.pile.pop()
            self._say(f"player_{p} takes {top.name if top.known else 'the top card'} from the pile")
            side.deck.append(top)
            self.pending = None
            table.blind = min(table.blind, len(table.pile))
            table.face = table.before = None
            if self.rules["uncovered_counts"] and len(table.pile) > table.blind:
                table.face = table.pile[-1].name
        return None

    def _heap(self, p: int) -> Flow:
        """RF-V7, G-15: Gems #6."""
        yield from self._stances()
        self.pending = None
        given = []
        for i in range(1, self.count):
            q = (p + i) % self.count
            for _ in range(2 if self.sides[q].alive else 0):
                card = self._put(q)
                if card is not None:
                    given.append((q, card))
        if not given:
            return None
        giver, top = given[-1]
        self.table.before, self.table.face, self.table.heap = self.table.face, top, True
        self.placed += 1
        self.skipped = 0
        self.last = giver
        self._say(f"the opponents of player_{p} give {many(len(given))}, {top} on top")
        if number(top) in CHANCES:
            self.pending = Pending(giver, CHANCES[number(top)] + self.extra)
        self.fails = self._goes_on = self.takeover = False
        return (yield from self._window("heap"))

    def _put(self, p: int) -> str | None:
        """Put the next playing card of a deck on the pile (G-7, G-26), and return its name."""
        self._reveal(p)
        if not self.sides[p].deck:
            return None
        card = self.sides[p].deck.pop(0)
        card.known, card.seen = True, self.placed
        self.table.pile.append(card)
        return card.name

    def _reveal(self, p: int) -> None:
        """RF-T5."""
        deck = self.sides[p].deck
        while deck and deck[0].travels:
            self._lay_out(p, deck.pop(0).name)

    def _lay_out(self, p: int, name: str) -> None:
        self.travelers[name] = Traveler(p)
        self._say(f"player_{p} turns up {name}")

    def _stances(self) -> Flow:
        """RF-R2."""
        if self.rules["mode"] == "skill":
            for p in self._hands():
                self.sides[p].stance = yield from self._ask(p, self._by_name({stance: stance for stance in STANCES}))

    def _unit(self) -> Flow:
        """RF-T1, RF-V5: place a card, or two folded into one; return whether there was any."""
        yield from self._stances()
        if self.placed >= self.rules["max_placements"]:
            self._cut()
        p = self.actor
        names = [self._put(p)]
        if names[0] is not None and self.sides[p].folds:
            names.append(self._put(p))
        names = [name for name in names if name is not None]
        if not names:
            return False
        top = names[-1]
        assert top is not None
        self.table.before, self.table.face, self.table.heap = self.table.face, top, False
        self.placed += 1
        self.skipped = 0
        self.last = self.turn
        self._say(f"player_{p} places {top}" + (" on a folded card" if len(names) == 2 else ""))
        self.fails = self._goes_on = False
        if number(top) in CHANCES:
            self.pending = Pending(self.turn, CHANCES[number(top)] + self.extra)
        elif self.pending:
            self.pending.left -= 1
            self.fails, self._goes_on = self.pending.left == 0, self.pending.left > 0
        self.takeover = False
        return True

    def _cut(self) -> None:
        """G-9."""
        self._say("the game is cut short")
        sizes = [len(side.deck) if side.alive else -1 for side in self.sides]
        best = [p for p, size in enumerate(sizes) if size == max(sizes)]
        self.played.add("cut")
        self._win(best[0] if len(best) == 1 else None)

    # -- windows ------------------------------------------------------------------------------------------------------

    def _hands(self) -> list[int]:
        """Who may slap, from the turn player on: everybody in the game, even without cards (RF-G22)."""
        order = [(self.turn + i) % self.count for i in range(self.count)]
        return [p for p in order if self.sides[p].alive and not self.sides[p].locked]

    def _window(self, kind: str) -> Flow:
        """RF-R1: play a window; return who takes the pile, if somebody slaps it."""
        skill = self.rules["mode"] == "skill"
        self.open = True
        chosen = {}
        for p in self._hands():
            if not skill:
                self.sides[p].stance = "ready"
            chosen[p] = yield from self._ask(p, self._by_name({"hold": False, "slap": True}))
        for p, side in enumerate(self.sides):
            side.slaps = chosen.get(p, False)
        goes_on = kind == "unit" and self._goes_on and bool(self.sides[self.actor].deck)
        if goes_on or kind == "heap":
            acts: int | None = self.actor
        elif kind == "lost":
            assert self.pending is not None
            acts = self.pending.owner
        else:
            acts = self._next_with_cards(self.turn)
            if acts is None:  # who is going to take the pile (G-23)
                acts = self.pending.owner if self.pending else self.last
        pace = "normal pace"
        if skill:
            paces = {name: name for name in ("rush", "normal pace", "wait")}
            pace = yield from self._ask(acts, self._by_name(paces))
        self.open = False
        for side in self.sides:
            side.slaps = False
        return self._land(chosen, acts, pace, kind == "lost")

    def _land(self, chosen: dict[int, bool], acts: int, pace: str, lost: bool) -> int | None:
        """Let everything happen in the order of time; return who takes the pile, if somebody does."""
        table, rules = self.table, self.rules
        live = not (table.heap and not rules["heap_slap"])
        pair = live and table.face is not None and table.before is not None and self._match(table.face, table.before)
        wanted = [
            name
            for name in TRAVELING
            if live and name in self.travelers and (rules["needed"] or needed_card)(name) == table.face
        ]
        situation = pair or bool(wanted)
        times = {}
        for p in range(self.count):
            time = self._slap_time(p, chosen, situation)
            if time is not None:
                times[p] = single(time)
        profile = self.profiles[acts]
        if rules["mode"] == "deterministic":
            end = profile["place_mu"] + profile["place_tau"]
        else:
            end = self.random.latency(profile["place_mu"], profile["place_sigma"], profile["place_tau"])
        end = end * rules["rush"] if pace == "rush" else end + rules["wait_ms"] if pace == "wait" else end
        end = max(end, 1.0)
        if lost and not rules["pickup_window"]:  # G-12
            end = 1.0
        taker = None
        done = False
        for p in sorted(times, key=lambda p: (times[p], p)):
            if times[p] >= end:
                continue
            if done:  # G-10
                if rules["late_slaps"] == "penalised":
                    self._penalty(p)
                continue
            free = self.free == p
            allowed = self.free is None or free
            if free:
                self.free = None
            if situation and allowed:
                done = True
                for name in wanted:  # RF-L4
                    self.travelers[name] = Traveler(p)
                    self._say(f"player_{p} slaps for {name}")
                    self.played.add("needed")
                if pair:  # RF-L1, RF-L5
                    self._say(f"player_{p} slaps the pile at {table.face}")
                    taker = p
                    self.clock += times[p]
            elif not free or rules["free_slap_penalty"]:  # RF-L3, G-17
                self._penalty(p)
        if taker is None:
            self.clock += end
        for p, side in enumerate(self.sides):  # G-11
            late = times.get(p, math.inf) - end
            side.late = single(late) if not done and 0 <= late <= rules["commit_ms"] else None
        if taker is not None:
            self._reveal(self.actor)
        return taker

    def _match(self, face: str, before: str) -> bool:
        return number(face) == number(before) or (self.suits and suit(face) == suit(before))

    def _slap_time(self, p: int, chosen: dict[int, bool], situation: bool) -> float | None:
        """RF-R3: when that player's slap lands, if it does; random numbers are drawn for everybody."""
        side, profile = self.sides[p], self.profiles[p]
        stance = STANCES.index(side.stance)
        missed = slips = False
        if self.rules["mode"] == "deterministic":
            time = profile["mu"] + profile["tau"]
        else:
            time = self.random.latency(profile["mu"], profile["sigma"], profile["tau"])
            missed = self.random() < profile["miss"]
            slips = self.random() < profile["alarm"][stance]
        time = side.scale * time + profile["shift"][stance]
        if p == self.actor and not self.table.heap:  # G-28
            time += profile["placer_delay"]
        if p not in chosen:
            return None
        if side.late is not None:
            self.played.add("late slap")
            return side.late
        if chosen[p]:
            return None if missed else max(time, 1.0)
        return max(time, 1.0) if slips and not situation else None

    def _penalty(self, p: int) -> None:
        """RF-L3, G-14, G-16, G-26."""
        side = self.sides[p]
        if not side.deck and self.rules["lock_out"]:
            side.locked = True
        paid = 0
        while paid < 2 and side.deck:
            card = side.deck.pop(0)
            if card.travels:
                self._lay_out(p, card.name)
                continue
            if self.rules["penalty_cards"] == "seen":
                card.known, card.seen = True, self.placed
            self.table.pile.insert(0, card)
            self.table.blind += 1
            paid += 1
        side.penalties += 1
        self._say(f"player_{p}'s hand lands in vain and costs {many(paid) if paid else 'nothing'}")

    # -- what is shown ------------------------------------------------------------------------------------------------

    def _by_name(self, options: dict[str, Any]) -> dict[int, Any]:
        return {self.names.index(name): meaning for name, meaning in options.items()}

    def _status_lines(self) -> list[list[str]]:
        return [self._status_for(p) for p in range(self.count)] + [self._status_for(None)]

    def _status_for(self, player: int | None) -> list[str]:
        below = f" on {self.table.before}" if self.table.face and self.table.before else ""
        lines = [f"pile: {counted(len(self.table.pile))}, live: {self.table.face or 'nothing'}{below}"]
        if self.pending:
            left = self.pending.left
            chances = {0: "no chance left", 1: "1 chance"}.get(left, f"{left} chances")
            placer = self.pending.owner
            waits = f"the chance card of player_{placer}: {chances}"  # its window is still open
            lines.append(f"player_{self.turn} has {chances} against player_{placer}" if self.turn != placer else waits)
        if self.actor != self.turn and not self.over:
            lines.append(f"player_{self.actor} plays the turn of player_{self.turn}")
        force = ["one extra chance"] * self.extra + ["suits count"] * self.suits
        force += [] if self.free is None else [f"free slap of player_{self.free}"]
        lines += [f"in force: {', '.join(force)}"] if force else []
        for p, side in enumerate(self.sides):
            if not side.alive:
                lines.append(f"player_{p}: out")
                continue
            words = [f"player_{p}: {counted(len(side.deck))}"]
            for name in TRAVELING:
                traveler = self.travelers.get(name)
                if traveler and traveler.owner == p:
                    words.append(f"{name} ({'used' if traveler.used else 'unused'})")
            words += ["plays two cards at a time"] * side.folds + ["may skip chances"] * side.skips
            words += ["no slap this round"] * side.locked
            if player in (None, p) and not self.over:
                if self.open and self.rules["mode"] == "skill":
                    words += [side.stance] + ["slaps"] * side.slaps
                words += ["a slap is on its way"] * (side.late is not None)
            words += [f"speed {1 / side.scale:.2f}"] if player in (None, p) else []
            lines.append(", ".join(words))
        return lines

    def _remembered(self, card: Card) -> bool:
        memory = self.rules["memory"]
        if not card.known or memory == "counts":
            return False
        return memory == "perfect" or self.placed - card.seen <= self.rules["memory_length"]

    def knowledge(self, player: int) -> dict[str, list[int]]:
        """What that player knows of the cards, by the names of the pieces of the observation."""
        order = [(player + i) % self.count for i in range(self.count)]
        cards = [f"{figure} of {of}" for of in SUITS for figure in NUMBERS]
        where = dict.fromkeys(cards, 0)
        for card in self.table.pile:
            if self._remembered(card):
                where[card.name] = 1
        tops: list[int] = []
        for i, p in enumerate(order):
            for place in range(6):
                deck = self.sides[p].deck
                known = place < len(deck) and self._remembered(deck[place])
                tops += one_hot(deck[place].name if known else None)
            for card in self.sides[p].deck:
                if self._remembered(card):
                    where[card.name] = 2 + i
        travel: list[int] = []
        for name in TRAVELING:
            owner = self.travelers.get(name)
            travel += [int(owner is None)] + [int(owner is not None and owner.owner == p) for p in order]
            travel.append(int(owner is not None and owner.used))
        found = {
            "face": one_hot(self.table.face),
            "before": one_hot(self.table.before),
            "traveling": travel,
            "speed": [min(int(self.sides[player].scale * 40), MANY)],
            "players": [figure for p in order for figure in self._player(p)],
        }
        if self.rules["mode"] == "skill":
            found["commit"] = [int(self.sides[player].slaps)]
        return found if self.rules["memory"] == "counts" else {**found, "tops": tops, "where": list(where.values())}

    def _player(self, p: int) -> list[int]:
        side = self.sides[p]
        own = [(suit(name), traveler.used) for name, traveler in self.travelers.items() if traveler.owner == p]
        return [
            int(side.alive),
            len(side.deck),
            sum(self._remembered(card) for card in side.deck),
            sum(not used for _, used in own),
            sum(used for _, used in own),
            len({of for of, used in own if used}),
            int(side.folds),
            int(side.skips),
            int(side.locked),
            min(side.penalties, MANY),
            int(self.turn == p),
            int(self.pending is not None and self.pending.owner == p),
            int(self.free == p),
        ]


def one_hot(card: str | None) -> list[int]:
    """A one-hot code of the number, then one of the suit."""
    if card is None:
        return [0] * (len(NUMBERS) + len(SUITS))
    return [int(number(card) == figure) for figure in NUMBERS] + [int(suit(card) == of) for of in SUITS]


def counted(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"


def many(count: int) -> str:
    return "a card" if count == 1 else f"{count} cards"


def action_names(players: int) -> list[str]:
    """The names of the actions in the order of their ids (docs/react_fast.md)."""
    targets = [f"{name} on player_{p}" for name in ("Coins #4", "Coins #5") for p in range(players)]
    plain = [name for name in TRAVELING if name not in ("Coins #4", "Coins #5")]
    windows = ("hold", "slap", "rush", "normal pace", "wait")
    return ["activate nothing", *plain, *targets, "play the turn", "skip the turn", *STANCES, *windows]
