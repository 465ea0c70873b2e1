"""Deck files of Fight Sequence for `react-env cards`: their mistakes, and tables of their cards."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from react_env.content.card_files import MOST, CardFiles, Finding, files_at, home
from react_env.content.files import parse, read_text, shown
from react_env.content.json_schema import document
from react_env.errors import CardError, OptionError
from react_env.games.fight_sequence.deck_files import DECKS, Card, DeckFile, decks, load_deck, parse_deck
from react_env.games.fight_sequence.rules import RulesConfig, load_rules

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

SIGNS = {"stated": "", "derived": "'", "inferred": "?", "designed": "*"}
_MEANINGS = {
    "stated": "stated in public, or not told",
    "derived": "follows from what is stated",
    "inferred": "likely",
    "designed": "our own",
}


def inspect_deck(path: Path) -> Finding:
    """All mistakes of a deck file, and remarks for its owner. Never raises."""
    finding = Finding(shown(path))
    with finding.noting():
        text = read_text(path)
        rules = _rules_for(text)
        finding.id = parse_deck(text, finding.file, rules, most=MOST).id
        if rules.deck_size != load_rules().deck_size:
            size = rules.deck_size
            finding.warnings.append(f"{size} cards: to be played with the option deck_size={size}")
    return finding


def _rules_for(text: str) -> RulesConfig:
    """The rules for a deck of this size if the options allow it, otherwise the default rules."""
    try:
        size = sum(card.copies for card in DeckFile.model_validate(parse(text, "", "", ()).data).cards)
        return load_rules(deck_size=size)
    except (CardError, ValidationError, OptionError):
        return load_rules()


def find_deck(name_or_path: str) -> DeckFile:
    """An installed deck, or the deck in a file, of any size that the options allow. Raises OptionError or CardError."""
    path = home(name_or_path)
    rules = _rules_for(read_text(path)) if name_or_path not in decks() and os.path.isfile(path) else load_rules()
    return load_deck(name_or_path, rules)


def deck_page(deck: DeckFile) -> RenderableType:
    """The deck as a table. A sign behind a value shows its source, if the file gives it."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    size = sum(card.copies for card in deck.cards)
    title = Text.assemble((deck.name, "bold"), f" ({deck.id}, version {deck.version}): {size} cards")
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("card", min_width=12)
    for name in ("copies", "Speed", "Power"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("type", no_wrap=True)
    table.add_column("response", min_width=13)
    table.add_column("effect")
    marks: set[str] = set()
    for card in deck.cards:
        marks.update(card.provenance.values())
        effect = Text("")
        if card.effect is not None:
            timing = _marked(card, "timing", card.effect.timing)
            effect = Text.assemble(timing, ": ", _marked(card, "effect", card.effect.text()))
        table.add_row(
            _marked(card, "name", card.name, "bold"),
            *(_marked(card, field, str(getattr(card, field))) for field in ("copies", "speed", "power", "type")),
            _marked(card, "response", card.response_text()),
            effect,
        )
    if not marks:
        return Group(title, table)
    legend = [f"{sign or 'no sign'}: {_MEANINGS[mark]}" for mark, sign in SIGNS.items() if mark in marks or not sign]
    return Group(title, table, Text("; ".join(legend), style="dim"))


def _marked(card: Card, field: str, value: str, style: str = "") -> Text:
    """A value with the sign of its mark."""
    from rich.text import Text

    return Text.assemble((value, style), (SIGNS[card.provenance.get(field, "stated")], "dim"))


class Decks(CardFiles):
    noun = "deck"
    keys = frozenset(DeckFile.model_fields)

    def title(self, edition: str) -> str:
        return "Decks of Fight Sequence"

    def names(self, edition: str) -> Sequence[str]:
        return decks()

    def about(self, name: str, edition: str) -> str:
        return find_deck(name).name

    def content(self, edition: str) -> Mapping[str, Any]:
        return {"decks": list(decks())}

    def load(self, name: str, edition: str) -> DeckFile:
        return find_deck(name)

    def page(self, card_file: DeckFile) -> RenderableType:
        return deck_page(card_file)

    def file(self, name: str) -> Path:
        if name not in decks():
            raise OptionError(f"there is no deck {name!r:.40}")
        return DECKS / f"{name}.yaml"

    def inspect(self, path: str) -> list[Finding]:
        return [inspect_deck(file) for file in files_at(path, self)]

    def json_schema(self) -> dict[str, Any]:
        about = "A deck of Fight Sequence. docs/fight_sequence/deck_files.md says what each part means."
        schema = document("Deck", about, DeckFile)
        schema["$defs"]["Card"]["properties"]["provenance"]["propertyNames"]["enum"] += Card.other_marks
        return schema


FILES = Decks()
