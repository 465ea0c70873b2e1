"""Reality TCG for the search for decks (`react_env.evaluation.deck_search`)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from react_env.files import write_aside
from react_env.games.reality_tcg.cards import LARGEST, SMALLEST, decks, load_deck, one_set
from react_env.games.reality_tcg.game import RealityTCG, load
from react_env.games.reality_tcg.rules import load_rules


class Decks:
    """See `react_env.evaluation.deck_search.DeckSpace`."""

    smallest, largest = SMALLEST, LARGEST

    def __init__(self, field: Sequence[str], options: Mapping[str, Any]) -> None:
        self.field = tuple(field) or decks()
        rules = load_rules(**options)
        found = {name: load_deck(name, rules) for name in self.field}
        first, cards = found[self.field[0]]
        self.most = min(rules.copies, LARGEST)
        self._options = dict(options)
        for name, (_, theirs) in found.items():
            one_set(name, theirs, self.field[0], cards)
        self._set = first.set
        self._cards = {name: deck.cards for name, (deck, _) in found.items()}
        self.names = {card.id: card.name for card in cards.cards}

    def cards(self, deck: str) -> Mapping[str, int]:
        return self._cards[deck]

    def write(self, file: Path, name: str, cards: Mapping[str, int]) -> None:
        ordered = {card: cards[card] for card in self.names if card in cards}
        word = re.sub(r"[^a-z0-9]+", "_", file.stem.lower()).strip("_")
        known_as = (word if word[:1].isalpha() else f"deck_{word}".rstrip("_"))[:32]
        title = " ".join(name.split())[:40].strip() or known_as
        content = {"id": known_as, "name": title, "version": 1, "set": self._set, "cards": ordered}
        write_aside(file, yaml.safe_dump(content, sort_keys=False, allow_unicode=True))

    def load(self, decks: tuple[str, str]) -> RealityTCG:
        return load(decks=decks, **self._options)
