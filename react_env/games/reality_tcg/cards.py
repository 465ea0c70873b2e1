"""Set files and deck files: their schema, reading with errors that name file, card and field, and the tables made from them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from functools import cache, reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from react_env.content.card_files import home
from react_env.content.files import Fault, parse, read_text, short, shown
from react_env.content.options import fill
from react_env.content.schema import Id, Marked, Model, OneOf, Title
from react_env.errors import CardError, OptionError, did_you_mean
from react_env.games.reality_tcg import state as S
from react_env.games.reality_tcg.rules import RulesConfig

HERE = Path(__file__).parent
SETS, DECKS = HERE / "sets", HERE / "decks"
DEFAULT_SET = "reality_default"
SMALLEST, LARGEST = 40, 60  # cards of a deck (RT-D1)

Small = Annotated[int, Field(ge=1, le=20)]
Stat = Annotated[int, Field(ge=0, le=20)]


class SummonDraw(Model):
    """Draw cards when it enters."""

    on_summon_draw: Annotated[int, Field(ge=1, le=5)]
    word: ClassVar[int] = S.X_SUMMON_DRAW
    says: ClassVar[str] = "when summoned: draw {}"


class Support(Model):
    """From the Back Row, the Active Character has more ATK."""

    support_atk: Small
    word: ClassVar[int] = S.X_SUPPORT
    says: ClassVar[str] = (
        "in the Back Row: your Active Character has +{} ATK; of several such numbers the largest counts"
    )


class Care(Model):
    """From the Back Row, heals the Active Character at the end of its owner's turn."""

    end_heal: Small
    word: ClassVar[int] = S.X_CARE
    says: ClassVar[str] = "in the Back Row, at the end of your turn: heal your Active Character by {}"


class Damage(Model):
    """Damage to the opposing Active Character, to DEF first in Defense Position."""

    damage: Small
    word: ClassVar[int] = S.X_DAMAGE
    says: ClassVar[str] = "{} damage to the opposing Active Character"


class Rally(Model):
    """ATK for the player's Active Character, this turn."""

    active_atk: Small
    word: ClassVar[int] = S.X_RALLY
    says: ClassVar[str] = "your Active Character has +{} ATK this turn"


class Draw(Model):
    """Draw cards."""

    draw: Annotated[int, Field(ge=1, le=5)]
    word: ClassVar[int] = S.X_DRAW
    says: ClassVar[str] = "draw {}"


class Swap(Model):
    """The Active Character and one of the Back Row switch, whatever their SPD."""

    swap: Literal[1]
    word: ClassVar[int] = S.X_SWAP
    says: ClassVar[str] = "swap your Active Character with one of your Back Row, whatever their SPD"


class Scandal(Model):
    """The opponent loses IP."""

    lose_ip: Small
    word: ClassVar[int] = S.X_SCANDAL
    says: ClassVar[str] = "the opponent loses {} IP"


class Hook(Model):
    """When attacked: damage to the attacker's HP, before the attack."""

    hit_attacker: Small
    word: ClassVar[int] = S.X_HOOK
    says: ClassVar[str] = "when attacked: {} damage to the attacker's HP first; without the attacker the attack ends"


class Cancel(Model):
    """When attacked: cancel the attack."""

    cancel_attack: Literal[1]
    word: ClassVar[int] = S.X_CANCEL
    says: ClassVar[str] = "when attacked: cancel the attack"


class NegateFood(Model):
    """Negate a Food of the opponent."""

    negate_food: Literal[1]
    word: ClassVar[int] = S.X_NEGATE_FOOD
    says: ClassVar[str] = "negate a Food"


class NegateManeuver(Model):
    """Negate a Maneuver of the opponent."""

    negate_maneuver: Literal[1]
    word: ClassVar[int] = S.X_NEGATE_MANEUVER
    says: ClassVar[str] = "negate a Maneuver"


class Boost(Model):
    """ATK for one of the player's Characters, this turn."""

    atk: Small
    word: ClassVar[int] = S.X_BOOST
    says: ClassVar[str] = "one of your Characters has +{} ATK this turn"


class Heal(Model):
    """HP for one of the player's Characters."""

    heal: Small
    word: ClassVar[int] = S.X_HEAL
    says: ClassVar[str] = "heal one of your Characters by {}"


class Restore(Model):
    """DEF for one of the player's Characters."""

    restore: Small
    word: ClassVar[int] = S.X_RESTORE
    says: ClassVar[str] = "restore {} DEF of one of your Characters"


class Arena(Model):
    """Every Active Character has more ATK."""

    all_active_atk: Small
    word: ClassVar[int] = S.X_ARENA
    says: ClassVar[str] = "every Active Character has +{} ATK"


class Quarter(Model):
    """As its controller's turn begins, Characters in Defense Position regain DEF."""

    turn_restore: Small
    word: ClassVar[int] = S.X_QUARTER
    says: ClassVar[str] = "as its controller's turn begins each Character in Defense Position restores {} DEF"


_OF: dict[int, tuple[type[Model], ...]] = {
    S.CHARACTER: (SummonDraw, Support, Care),
    S.MANEUVER: (Damage, Rally, Draw, Swap, Scandal),
    S.TRAP: (Hook, Cancel, NegateFood, NegateManeuver),
    S.FOOD: (Boost, Heal, Restore),
    S.LAND: (Arena, Quarter),
}


def _union(sort: int) -> Any:
    """The effects that cards of a sort may have."""
    return Annotated[reduce(or_, _OF[sort]), OneOf("effect")]


class _Card(Marked):
    id: Id = Field(description="how deck files name it")
    name: Title
    cost: Annotated[int, Field(ge=0, le=10, description="Energy")] = 0

    sort: ClassVar[int]

    def numbers(self) -> dict[str, int]:
        """The row of the tables."""
        effect: Any = getattr(self, "effect", None)
        row = {"sort": self.sort, "cost": self.cost}
        if effect is not None:
            row |= {"word": effect.word, "amount": getattr(effect, effect.key())}
        return row

    def text(self) -> str:
        """The effect as printed on the card; empty if there is none."""
        effect: Any = getattr(self, "effect", None)
        return "" if effect is None else effect.says.format(getattr(effect, effect.key()))


class Character(_Card):
    """A Character."""

    atk: Stat
    def_: Annotated[Stat, Field(alias="def")]
    hp: Small
    spd: Stat
    effect: _union(S.CHARACTER) | None = Field(None, alias="ability")  # type: ignore[valid-type]

    sort = S.CHARACTER

    def numbers(self) -> dict[str, int]:
        return super().numbers() | {"atk": self.atk, "df": self.def_, "hp": self.hp, "spd": self.spd}


class Maneuver(_Card):
    """A Maneuver."""

    effect: _union(S.MANEUVER)  # type: ignore[valid-type]

    sort = S.MANEUVER


class Trap(_Card):
    """A Trap; `from_hand` ones may be used without being set."""

    effect: _union(S.TRAP)  # type: ignore[valid-type]
    from_hand: bool = False

    sort = S.TRAP

    def numbers(self) -> dict[str, int]:
        return super().numbers() | {"from_hand": int(self.from_hand)}

    def text(self) -> str:
        return super().text() + "; also from the hand" * self.from_hand


class Food(_Card):
    """A Food."""

    effect: _union(S.FOOD)  # type: ignore[valid-type]

    sort = S.FOOD


class Land(_Card):
    """A Land."""

    effect: _union(S.LAND)  # type: ignore[valid-type]

    sort = S.LAND


_SORTS = ("characters", "maneuvers", "traps", "foods", "lands")


class SetFile(Model):
    """A set of cards."""

    id: Id
    name: Title
    version: Annotated[int, Field(ge=1)]
    characters: list[Character] = []
    maneuvers: list[Maneuver] = []
    traps: list[Trap] = []
    foods: list[Food] = []
    lands: list[Land] = []

    @property
    def cards(self) -> tuple[_Card, ...]:
        """All cards, in the order of the file; a card's kind is its index here."""
        return tuple(card for sort in _SORTS for card in getattr(self, sort))

    @model_validator(mode="after")
    def _fits(self) -> SetFile:
        cards = self.cards
        if not self.characters:
            raise PydanticCustomError("none", "a set needs a Character")
        if len(cards) > S.KINDS:
            raise PydanticCustomError("many", "{n} cards; allowed: {most}", {"n": len(cards), "most": S.KINDS})
        for what in ("id", "name"):
            seen: set[str] = set()
            for sort in _SORTS:
                for number, card in enumerate(getattr(self, sort)):
                    name = getattr(card, what)
                    if name in seen:
                        context = {"what": what, "name": repr(name), "at": (sort, number, what)}
                        raise PydanticCustomError("twice", "{what} {name} is listed twice", context)
                    seen.add(name)
        return self

    @property
    def hash(self) -> str:
        """16 hex digits over everything that matters in a game."""
        return hashlib.sha256(
            repr([(card.id, sorted(card.numbers().items())) for card in self.cards]).encode()
        ).hexdigest()[:16]


LONGEST_PATH = 4096  # of a set's file


class DeckFile(Model):
    """A deck: cards of a set and the copies of each."""

    id: Id
    name: Title
    version: Annotated[int, Field(ge=1)]
    set: Annotated[str, Field(min_length=1, max_length=LONGEST_PATH)] = Field(
        description="the set whose cards these are: the id of an installed set (a file ID.yaml beside this one replaces it), or a path"
    )
    cards: dict[str, Annotated[int, Field(ge=1, le=LARGEST)]]


def _read(path: Path, model: type[Any], what: str, most: int = 1) -> tuple[Any, Any]:
    document = parse(read_text(path), shown(path), what, model.model_fields)
    return document.read_as(model, most), document


def sets() -> tuple[str, ...]:
    """The names of the installed sets."""
    return tuple(sorted(path.stem for path in SETS.glob("*.yaml")))


def decks() -> tuple[str, ...]:
    """The names of the installed decks."""
    return tuple(sorted(path.stem for path in DECKS.glob("*.yaml")))


def load_set(name: str | Path, beside: Path | None = None, most: int = 1) -> SetFile:
    """An installed set by name, or the set in a file. Raises OptionError, or CardError with at most `most` mistakes."""
    if str(name) in sets():
        return _installed_set(str(name))
    path = home(name)
    if beside is not None and not path.is_absolute():
        path = beside / path
    if not os.path.exists(path):
        raise OptionError(
            f"there is no set {short(str(name))}{did_you_mean(str(name), sets())}; installed: {', '.join(sets())}; or the path of a file"
        )
    return _read(path, SetFile, "a set", most)[0]


@cache
def _installed_set(name: str) -> SetFile:
    return _read(SETS / f"{name}.yaml", SetFile, "a set")[0]


def load_deck(name: str | Path, rules: RulesConfig) -> tuple[DeckFile, SetFile]:
    """An installed deck by name, or the deck in a file, and its set. Raises OptionError or CardError."""
    installed = str(name) in decks()
    path = DECKS / f"{name}.yaml" if installed else home(name)
    if not installed and not os.path.isfile(path) and path.suffix != ".yaml":
        raise OptionError(
            f"there is no deck {short(str(name))}{did_you_mean(str(name), decks())}; installed: {', '.join(decks())}"
        )
    return read_deck(path, rules)


def one_set(name: str | Path, cards: SetFile, first: str | Path, firsts: SetFile) -> None:
    """Raise OptionError unless a deck uses the same set as the first: decks of different sets cannot meet."""
    if cards.hash == firsts.hash:
        return
    told = f"{name} is of the set {cards.id}, {first} of {firsts.id}"
    if cards.id == firsts.id:
        told = (
            f"{name} and {first} are of two sets called {cards.id}, whose cards differ: a deck uses the set that lies beside its file, "
            "so put both decks there"
        )
    raise OptionError(f"decks: {told}; one set is needed")


def read_deck(path: Path, rules: RulesConfig, most: int = 1) -> tuple[DeckFile, SetFile]:
    """The deck in a file, and its set. Raises CardError with at most `most` mistakes."""
    deck, document = _read(path, DeckFile, "a deck", most)
    beside = f"{deck.set}.yaml"
    if deck.set in sets() and path.parent.resolve() != DECKS.resolve() and (path.parent / beside).is_file():
        deck = deck.model_copy(update={"set": beside})  # an edition's own copy of an installed set
    try:
        cards = load_set(deck.set, path.parent)
    except OptionError as error:
        raise CardError(document.fault(("set",), str(error))) from None
    faults = list(_deck_faults(deck, cards, rules))
    if faults:
        raise CardError("\n".join(document.fault(fault.location, fault.message) for fault in faults[:most]))
    if deck.set not in sets():  # an absolute path, which is valid from any folder
        deck = deck.model_copy(update={"set": str((path.parent / home(deck.set)).resolve())})
    return deck, cards


def _deck_faults(deck: DeckFile, cards: SetFile, rules: RulesConfig) -> list[Fault]:
    known = [card.id for card in cards.cards]
    faults = []
    for name, copies in deck.cards.items():
        if name not in known:
            faults.append(Fault(("cards", name), f"the set {cards.id} has no card {name!r}{did_you_mean(name, known)}"))
        elif copies > rules.copies:
            faults.append(Fault(("cards", name), f"{copies} copies; allowed: {rules.copies} (the option copies)"))
    size = sum(deck.cards.values())
    if not SMALLEST <= size <= LARGEST:
        faults.append(Fault(("cards",), f"{size} cards; allowed: {SMALLEST} to {LARGEST}"))
    return faults


def make_tables(
    cards: SetFile, lists: Sequence[Mapping[str, int]], rules: RulesConfig, *, drawn: bool
) -> np.ndarray[Any, Any]:
    """The tables, (1,), of a game with these deck lists (card id -> copies) under these rules. Raises OptionError for too many lists."""
    room = next((room for room in S.POOLS if len(lists) <= room), 0)
    if not room:
        raise OptionError(f"decks: {len(lists)}; allowed: {S.POOLS[-1]} at a time")
    tables = np.zeros(1, S.tables_dtype(room))
    t = tables[0]
    t["kinds"] = len(cards.cards)
    for k, card in enumerate(cards.cards):
        for name, number in card.numbers().items():
            t[name][k] = number
    number_of = {card.id: k for k, card in enumerate(cards.cards)}
    for i, deck in enumerate(lists):
        t["size"][i] = sum(deck.values())
        for name, copies in deck.items():
            t["cards"][i, number_of[name]] = copies
    t["lists"], t["drawn"] = len(lists), drawn
    t["ip"] = 20
    fill(t, S.RULES, rules)
    return tables
