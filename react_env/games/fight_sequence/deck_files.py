"""Deck files: their schema, reading with errors that name file, card and field, and the tables made from two of them."""

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from react_env.content.files import Fault, parse, read_text, short, shown
from react_env.content.options import fill
from react_env.content.schema import Id, Marked, Model, OneOf, Title
from react_env.errors import CardError, OptionError, did_you_mean
from react_env.games.fight_sequence import state as S
from react_env.games.fight_sequence.rules import RulesConfig

DECKS = Path(__file__).parent / "decks"
DEFAULT = "academy_default"

Type = Literal["physical", "magical"]
Timing = Literal["timed", "immediate"]
Small = Annotated[int, Field(ge=1, le=12)]
_TYPES = {"physical": S.PHYSICAL, "magical": S.MAGICAL}
_WHAT = {"any": S.ANY, "attack": S.ATTACK + 1, "response": S.RESPONSE + 1}
_TO = {"opponent": S.OPPONENT, "both": S.BOTH, "self": S.SELF}


class Range(Model):
    range: int = Field(ge=0, le=8, description="how many slots away the target may be; itself: 0")


class Shift(Model):
    """Move an Action one slot."""

    shift: Range

    def code(self) -> tuple[int, ...]:
        """Code and numbers for the table."""
        return S.X_SHIFT, self.shift.range, 0, 0

    def text(self) -> str:
        """The effect as printed on a card."""
        return f"Shift [range {self.shift.range}]"


class Return(Model):
    """Return an Action to its builder's hand."""

    return_: Literal["any", "attack", "response"] = Field(alias="return")

    def code(self) -> tuple[int, ...]:
        return S.X_RETURN, _WHAT[self.return_], 0, 0

    def text(self) -> str:
        return {"any": "Return an Action", "attack": "Return an attack", "response": "Return a response"}[self.return_]


class BonusPower(Model):
    power: Small
    against: Type


class Bonus(Model):
    """More Power if the opponent has an attack of a type in the sequence."""

    bonus: BonusPower

    def code(self) -> tuple[int, ...]:
        return S.X_BONUS, self.bonus.power, _TYPES[self.bonus.against], 0

    def text(self) -> str:
        return f"+{self.bonus.power} Power if the opponent has a {self.bonus.against} attack in the sequence"


class TextDamage(Model):
    amount: Small
    type: Type
    to: Literal["opponent", "both", "self"] = "opponent"


class Damage(Model):
    """Damage besides the Power."""

    damage: TextDamage

    def code(self) -> tuple[int, ...]:
        return S.X_DAMAGE, self.damage.amount, _TYPES[self.damage.type], _TO[self.damage.to]

    def text(self) -> str:
        to = {"opponent": "", "both": " to both", "self": " to yourself"}[self.damage.to]
        return f"{self.damage.amount} {self.damage.type} damage{to}"


class Draw(Model):
    """Draw cards."""

    draw: int = Field(ge=1, le=5)

    def code(self) -> tuple[int, ...]:
        return S.X_DRAW, self.draw, 0, 0

    def text(self) -> str:
        return f"draw {self.draw}"


class Armor(Model):
    """A token against physical damage."""

    armor: Small

    def code(self) -> tuple[int, ...]:
        return S.X_TOKEN, S.PHYSICAL, self.armor, 0

    def text(self) -> str:
        return f"Armor +{self.armor}"


class Resistance(Model):
    """A token against magical damage."""

    resistance: Small

    def code(self) -> tuple[int, ...]:
        return S.X_TOKEN, S.MAGICAL, self.resistance, 0

    def text(self) -> str:
        return f"Resistance +{self.resistance}"


class Block(Model):
    """Discard the neighbouring Action of that type."""

    block: Type

    def code(self) -> tuple[int, ...]:
        return S.X_BLOCK, _TYPES[self.block], 0, 0

    def text(self) -> str:
        return f"{self.block} block"


class Timed(Model):
    timing: Timing

    @model_validator(mode="before")
    @classmethod
    def _has_timing(cls, data: Any) -> Any:
        if isinstance(data, dict) and "timing" not in data:
            known = ", ".join(get_args(cls.model_fields["timing"].annotation))
            raise PydanticCustomError("one_of", "field 'timing' is missing; allowed: {known}", {"known": known})
        return data


class TimedShift(Timed, Shift):
    """Shift with its timing."""


class TimedReturn(Timed, Return):
    """Return with its timing."""


class TimedBonus(Timed, Bonus):
    """A bonus, which is always timed."""

    timing: Literal["timed"]


class TimedDamage(Timed, Damage):
    """Damage with its timing."""


class TimedDraw(Timed, Draw):
    """Draw with its timing."""


class TextResponse(Model):
    """A response with a text, which is timed unless it says otherwise."""

    timing: Timing = "timed"


class ShiftResponse(TextResponse, Shift):
    """Shift as a response."""


class ReturnResponse(TextResponse, Return):
    """Return as a response."""


class DamageResponse(TextResponse, Damage):
    """Damage as a response."""


class DrawResponse(TextResponse, Draw):
    """Draw as a response."""


_EFFECTS = ("shift", "return", "bonus", "damage", "draw")
Effect = Annotated[
    TimedShift | TimedReturn | TimedBonus | TimedDamage | TimedDraw, OneOf("effect", _EFFECTS, each="card")
]
_RESPONSES = ("armor", "resistance", "block", "willpower", "shift", "return", "damage", "draw")
Response = Annotated[
    Armor | Resistance | Block | Literal["willpower"] | ShiftResponse | ReturnResponse | DamageResponse | DrawResponse,
    OneOf("response", _RESPONSES, each="card"),
]


class Card(Marked):
    """A card and the number of its copies."""

    other_marks: ClassVar[tuple[str, ...]] = ("timing",)
    name: Title
    copies: int = Field(ge=1, le=S.DECK)
    speed: Literal[10, 20, 30, 40, 50, 60]
    power: int = Field(ge=0, le=12)
    type: Type
    effect: Effect | None = None
    response: Response
    provenance: dict[str, Literal["stated", "derived", "inferred", "designed"]] = {}  # type: ignore[assignment]

    def response_text(self) -> str:
        """The response in words, and whether it is immediate."""
        if isinstance(self.response, str):
            return "Willpower"
        return ("immediate: " if self._at_once else "") + self.response.text()

    @property
    def _at_once(self) -> bool:
        """Whether the response has a text with immediate timing."""
        return isinstance(self.response, TextResponse) and self.response.timing == "immediate"

    def rows(self, rules: RulesConfig) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Code, timing and numbers of the attack's effect and of the response."""
        attack: tuple[int, ...] = (S.X_NONE, 0, 0, 0, 0)
        if self.effect is not None:
            code, *numbers = self.effect.code()
            timing = self.effect.timing
            if code == S.X_SHIFT and rules.shift_timing != "as_printed":
                timing = rules.shift_timing
            attack = (code, S.IMMEDIATE if timing == "immediate" else S.TIMED, *numbers)
        if isinstance(self.response, str):
            return attack, (S.X_WILLPOWER, S.TIMED, 0, 0, 0)
        code, *numbers = self.response.code()
        return attack, (code, S.IMMEDIATE if self._at_once else S.TIMED, *numbers)


class DeckFile(Model):
    """A deck file."""

    format: Literal[1]
    id: Id
    name: Title
    version: int = Field(ge=1, le=1000)
    cards: list[Card] = Field(min_length=1, max_length=S.CARDS)


def decks() -> tuple[str, ...]:
    """The names of the installed decks, sorted."""
    return tuple(sorted(path.stem for path in DECKS.glob("*.yaml")))


def load_deck(name_or_path: str | Path, rules: RulesConfig) -> DeckFile:
    """An installed deck by name, or any deck by the path of its YAML file.

    Raises OptionError for an unknown name, CardError for a file that cannot be used or a deck of another size.
    """
    name = str(name_or_path)
    if name in decks():
        return read_deck(DECKS / f"{name}.yaml", rules)
    path = Path(name_or_path)
    if path.suffix not in (".yaml", ".yml"):
        raise OptionError(
            f"unknown deck {short(name)}; known: {', '.join(decks())}, or the path of a .yaml file{did_you_mean(name, decks())}"
        )
    try:
        path = path.expanduser()
    except RuntimeError as error:
        raise OptionError(f"deck file {shown(name)[:200]}: {error}") from None
    return read_deck(path, rules)


def read_deck(path: Path, rules: RulesConfig) -> DeckFile:
    """The deck in the file `path`. Raises CardError."""
    return parse_deck(read_text(path), shown(path), rules)


def parse_deck(text: str, source: str, rules: RulesConfig, most: int = 5) -> DeckFile:
    """The deck in the YAML `text`; `source` names it in errors. Raises CardError with at most `most` mistakes."""
    document = parse(text, source, "a deck file", DeckFile.model_fields)
    deck = document.read_as(DeckFile, most, _allowed)
    try:
        names = [card.name for card in deck.cards]
        for number, name in enumerate(names):
            if name in names[:number]:
                first = names.index(name) + 1
                raise Fault(
                    ("cards", number, "name"),
                    f"card {first} has this name too; raise the number of its copies, or give this card another name",
                )
            if name.rpartition("/")[0] in names and name.endswith(("/attack", "/response")):
                raise Fault(
                    ("cards", number, "name"),
                    f"a side of {name.rpartition('/')[0]} already has this name; give this card another name",
                )
        size = sum(card.copies for card in deck.cards)
        if size != rules.deck_size:
            raise Fault(("cards",), f"{size} cards with all copies; the option deck_size needs {rules.deck_size}")
    except Fault as fault:
        raise CardError(document.fault(fault.location, fault.message)) from None
    return deck


def _allowed() -> dict[str | int, str]:
    """The allowed values of fields, for fields that mean the same wherever they occur."""
    schema = DeckFile.model_json_schema()
    found: dict[str | int, str] = {}
    for model in (schema, *schema["$defs"].values()):
        for name, about in model.get("properties", {}).items():
            text = ""
            if "enum" in about:
                text = ", ".join(map(str, about["enum"]))
            elif "minimum" in about:
                text = f"{about['minimum']} to {about['maximum']}"
            found[name] = text if found.get(name, text) == text else ""
    found["response"] = ", ".join(_RESPONSES)
    return {name: text for name, text in found.items() if text}


def compile_tables(pair: tuple[DeckFile, DeckFile], rules: RulesConfig) -> NDArray[Any]:
    """(1,) `state.TABLES` of a match."""
    tables = np.zeros(1, S.TABLES)
    t = tables[0]
    features = np.zeros((S.PLAYERS, S.CARDS, S.CARD_FEATURES), np.int8)
    for p, deck in enumerate(pair):
        t["cards"][p] = len(deck.cards)
        t["deck_cards"][p] = sum(card.copies for card in deck.cards)
        for c, card in enumerate(deck.cards):
            kind = _TYPES[card.type]
            attack, response = card.rows(rules)
            t["copies"][p, c], t["speed"][p, c], t["power"][p, c], t["type"][p, c] = (
                card.copies,
                card.speed // 10,
                card.power,
                kind,
            )
            t["effect"][p, S.ATTACK, c], t["effect"][p, S.RESPONSE, c] = attack, response
            typed = response[2] if response[0] in (S.X_TOKEN, S.X_BLOCK) else S.UNTYPED
            if typed == S.UNTYPED and rules.untyped_responses == "attack_type":
                typed = kind
            t["block_type"][p, :, c] = kind, typed
            t["willpower"][p, c] = response[0] == S.X_WILLPOWER
            t["may_build"][p, :, c] = 1
            t["slot_features"][p, S.ATTACK, c] = _wide(_slot_features(S.ATTACK, card, attack, kind))
            t["slot_features"][p, S.RESPONSE, c] = _wide(_slot_features(S.RESPONSE, card, response, typed))
            features[p, c] = _card_features(card, attack, response, typed)
    for p in range(S.PLAYERS):
        theirs = features[1 - p][:, _THEIRS]
        theirs[:, 5] = features[1 - p][:, _EFFECT].any(axis=1)
        t["seen"][p] = np.concatenate([features[p].ravel(), theirs.ravel()])
    t["first_player"] = -1 if rules.first_player == "random" else rules.first_player
    fill(t, S.RULES, rules)
    return tables


def _wide(features: list[int]) -> NDArray[np.int64]:
    """The features as 64-bit words of eight numbers each."""
    return np.array(features, np.int8).view(np.int64)


def _at_once(row: tuple[int, ...]) -> int:
    """1 for an immediate effect."""
    return int(row[1] == S.IMMEDIATE and row[0] != S.X_NONE)


def _does(row: tuple[int, ...]) -> dict[str, int]:
    """The numbers of an effect or a response, by name."""
    code, _, a, b, c = row
    return {
        "shift": a + 1 if code == S.X_SHIFT else 0,
        "return": a + 1 if code == S.X_RETURN else 0,
        "bonus_physical": a if code == S.X_BONUS and b == S.PHYSICAL else 0,
        "bonus_magical": a if code == S.X_BONUS and b == S.MAGICAL else 0,
        "physical": a if code == S.X_DAMAGE and b == S.PHYSICAL else 0,
        "magical": a if code == S.X_DAMAGE and b == S.MAGICAL else 0,
        "to_self": int(code == S.X_DAMAGE and c != S.OPPONENT),
        "draw": a if code == S.X_DRAW else 0,
        "armor": b if code == S.X_TOKEN and a == S.PHYSICAL else 0,
        "resistance": b if code == S.X_TOKEN and a == S.MAGICAL else 0,
        "block_physical": int(code == S.X_BLOCK and a == S.PHYSICAL),
        "block_magical": int(code == S.X_BLOCK and a == S.MAGICAL),
        "willpower": int(code == S.X_WILLPOWER),
    }


# Features of a card: those shown in the opponent's list (the sixth is computed), and those that describe an effect of the attack.
_THEIRS = [0, 1, 2, 3, 4, 5, 13, 14, 15, 16, 17, 18]
_EFFECT = slice(5, 13)
_ATTACK = ("shift", "return", "bonus_physical", "bonus_magical", "physical", "magical")
_DEFENSE = ("armor", "resistance", "block_physical", "block_magical", "willpower")


def _slot_features(mode: int, card: Card, row: tuple[int, ...], typed: int) -> list[int]:
    """The features of an Action in the sequence, as described in observation.py. `observe` fills the first two, the owner."""
    does = _does(row)
    attack = mode == S.ATTACK
    kind = _TYPES[card.type]
    return [
        *(0, 0, int(attack), int(not attack), 0),
        *(card.speed // 10 if attack else 0, card.power if attack else 0),
        *(int(attack and kind == S.PHYSICAL), int(attack and kind == S.MAGICAL)),
        *(does[name] for name in _ATTACK),
        *(does["draw"], _at_once(row) + 2 * does["to_self"]),
        *(does[name] for name in _DEFENSE),
        *(int(typed == S.PHYSICAL), int(typed == S.MAGICAL)),
    ]


def _card_features(card: Card, attack: tuple[int, ...], response: tuple[int, ...], typed: int) -> list[int]:
    """The features of a card in the deck list, in the order given in observation.py."""
    first, second = _does(attack), _does(response)
    kind = _TYPES[card.type]
    return [
        *(card.copies, card.speed // 10, card.power, int(kind == S.PHYSICAL), int(kind == S.MAGICAL)),
        *(first[name] for name in _ATTACK),
        *(first["to_self"], first["draw"], _at_once(attack) + 2 * _at_once(response)),
        *(second[name] for name in _DEFENSE),
        *(second[name] for name in ("shift", "return", "physical", "magical", "to_self", "draw")),
        *(int(typed == S.PHYSICAL), int(typed == S.MAGICAL)),
        1,
    ]
