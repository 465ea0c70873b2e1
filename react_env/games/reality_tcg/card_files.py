"""Deck and set files of Reality TCG for `react-env cards`: their mistakes, and tables of their cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from react_env.content.card_files import MOST, CardFiles, Finding, files_at, home, keys_of
from react_env.content.files import parse, shown
from react_env.content.json_schema import document
from react_env.errors import CardError, OptionError
from react_env.games.reality_tcg import state as S
from react_env.games.reality_tcg.cards import (
    DECKS,
    LARGEST,
    SETS,
    Character,
    DeckFile,
    SetFile,
    decks,
    load_deck,
    load_set,
    read_deck,
    sets,
)
from react_env.games.reality_tcg.rules import RulesConfig, load_rules

if TYPE_CHECKING:
    from rich.console import RenderableType

SIGNS = {"stated": "", "derived": "'", "designed": "*"}
_MEANINGS = {"derived": "follows from what is stated", "designed": "designed, not stated by the publisher"}


def _rules() -> RulesConfig:
    """Rules that allow any number of copies, because the limit is an option."""
    return load_rules(copies=LARGEST)


def is_set(path: Path) -> bool:
    """Whether a file holds a set, not a deck."""
    keys = keys_of(path)
    return len(keys & SetFile.model_fields.keys()) > len(keys & DeckFile.model_fields.keys())


class Files(CardFiles):
    noun = "deck_list"
    keys = frozenset({*DeckFile.model_fields, *SetFile.model_fields})

    def title(self, edition: str) -> str:
        return "Sets and decks of Reality TCG"

    def names(self, edition: str) -> Sequence[str]:
        return (*sets(), *decks())

    def about(self, name: str, edition: str) -> str:
        return load_set(name).name if name in sets() else load_deck(name, _rules())[0].name

    def content(self, edition: str) -> Mapping[str, Any]:
        return {"sets": list(sets()), "deck_lists": list(decks())}

    def load(self, name: str, edition: str) -> DeckFile | SetFile:
        if name in sets() or (name not in decks() and is_set(home(name))):
            return load_set(name if name in sets() else home(name))
        return load_deck(name if name in decks() else home(name), _rules())[0]

    def page(self, card_file: DeckFile | SetFile) -> RenderableType:
        return page(card_file)

    def asks_for(self, text: str) -> str:
        try:
            found = parse(text, "", "", ()).data.get("set")
        except CardError:  # it cannot be read in a deck either
            return ""
        return found if isinstance(found, str) and found not in sets() else ""

    def file(self, name: str) -> Path:
        if name not in self.names(""):
            raise OptionError(f"there is no deck or set {name!r:.40}")
        return (SETS if name in sets() else DECKS) / f"{name}.yaml"

    def played(self, file: Path, other: str) -> dict[str, Any]:
        if is_set(file):
            raise OptionError("name a deck here; a deck names the set that it uses")
        return super().played(file, other)

    def inspect(self, path: str) -> list[Finding]:
        return [inspect(file) for file in files_at(path, self)]

    def json_schema(self) -> dict[str, Any]:
        about = "docs/reality_tcg/card_files.md says what each part means."
        return document("Deck or set of Reality TCG", about, DeckFile, SetFile)


def inspect(path: Path) -> Finding:
    """All mistakes of a file, and remarks for its owner. Never raises."""
    finding = Finding(shown(path))
    with finding.noting():
        if is_set(path):
            finding.id = load_set(path, most=MOST).id
        else:
            deck = read_deck(path, _rules(), most=MOST)[0]
            finding.id = deck.id
            copies = max(deck.cards.values())
            if copies > load_rules().copies:
                finding.warnings.append(f"{copies} copies of a card: to be played with the option copies={copies}")
    return finding


def page(found: DeckFile | SetFile) -> RenderableType:
    """A table of the cards, with the copies in a deck, and with a sign behind what a set's file calls designed."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    deck = found if isinstance(found, DeckFile) else None
    cards = found if isinstance(found, SetFile) else load_set(found.set)
    copies = deck.cards if deck is not None else {card.id: 0 for card in cards.cards}
    size = f"{sum(copies.values())} cards of {cards.id}" if deck is not None else f"{len(copies)} cards"
    title = Text.assemble((found.name, "bold"), f" ({found.id}, version {found.version}): {size}")
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("card", min_width=14)
    names = ("copies", "cost", "ATK", "DEF", "HP", "SPD") if deck is not None else ("cost", "ATK", "DEF", "HP", "SPD")
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("sort", no_wrap=True)
    table.add_column("what it does")
    marks: set[str] = set()
    for card in cards.cards:
        if card.id not in copies:
            continue
        signs = {field: SIGNS[mark] for field, mark in card.provenance.items()}
        marks |= set(card.provenance.values())
        numbers = [str(copies[card.id])] if deck is not None else []
        numbers.append(f"{card.cost}{signs.get('cost', '')}")
        stats = ("atk", "def", "hp", "spd")
        values = (card.atk, card.def_, card.hp, card.spd) if isinstance(card, Character) else ("",) * len(stats)
        numbers += [f"{value}{signs.get(stat, '') if value != '' else ''}" for stat, value in zip(stats, values)]
        table.add_row(card.name + signs.get("name", ""), *numbers, S.SORT_NAMES[card.sort], card.text())
    legend = "; ".join(f"{SIGNS[mark]}: {meaning}" for mark, meaning in _MEANINGS.items() if mark in marks)
    return Group(title, table, *([Text(legend, style="dim")] if legend else []))


FILES = Files()
