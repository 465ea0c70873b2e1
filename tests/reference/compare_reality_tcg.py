"""Play a game with the Reality TCG engine and the reference model in lockstep, and compare everything they show."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import yaml

from react_env.engine.decks import shuffle
from react_env.games.reality_tcg.cards import SETS
from tests.reference.common import lockstep
from tests.reference.reality_tcg import ATTACK, PASS, Card, ReferenceGame, Side, read_cards

RING = 32  # event rows that the engine's record keeps
CARDS = read_cards(yaml.safe_load((SETS / "reality_default.yaml").read_text(encoding="utf-8")))
Temperament = Callable[[random.Random, ReferenceGame], int]


def uniform(rng: random.Random, game: ReferenceGame) -> int:
    """Any legal action."""
    return rng.choice(game.legal_actions())


def fierce(rng: random.Random, game: ReferenceGame) -> int:
    """Mostly attacks, and seldom passes."""
    legal = game.legal_actions()
    if ATTACK in legal and rng.random() < 0.9:
        return ATTACK
    if len(legal) > 1 and PASS in legal and rng.random() < 0.7:
        legal = [action for action in legal if action != PASS]
    return rng.choice(legal)


def patient(rng: random.Random, game: ReferenceGame) -> int:
    """Passes half of the time."""
    legal = game.legal_actions()
    return PASS if PASS in legal and rng.random() < 0.5 else rng.choice(legal)


TEMPERAMENTS: tuple[Temperament, ...] = (uniform, fierce, patient)


def compare(
    game: Any,
    seed: int,
    rules: dict[str, Any],
    players: list[Temperament],
    seen: Counter[str] | None = None,
    dealer: Any = None,
) -> int:
    """Play one game and return the number of decisions. Raise AssertionError at the first difference. `seen` counts what happened.

    `dealer` is the same game with a mulligan: it shows the first hands if `game` has none and plays straight on.
    """
    rng = random.Random(seed)
    state = game.new(seed=seed)
    before = [state]

    def shuffled(p: int, cards: list[Card]) -> list[Card]:
        """The deck after the engine's shuffle of the cards that lay there (top last), followed by the returned ones, sorted."""
        record = game.copy(before[0])
        deck = [int(k) for k in record["deck"][p][: record["deck_size"][p]]]
        returned = [card.number for card in cards[len(deck) :]]
        deck += sorted(returned)
        record["deck"][p][: len(deck)] = deck
        record["deck_size"][p] = len(deck)
        shuffle(np.asarray(record).reshape(1).view(np.recarray)[0], record["deck"][p], 0, len(deck))
        return [CARDS[int(k)] for k in record["deck"][p][: len(deck)]][::-1]

    sides = []
    dealt = state if dealer is None else dealer.new(seed=seed)
    for p in (0, 1):
        deck = [CARDS[int(k)] for k in dealt["deck"][p][: dealt["deck_size"][p]]][::-1]
        hand = [card for card in CARDS for _ in range(int(dealt["hand"][p][card.number]))]
        sides.append(Side(deck, hand, game.decks[int(state["list"][p])].cards))
    model = ReferenceGame(rules, CARDS, sides, int(state["first"]), shuffled)

    def choose() -> int:
        before[0] = game.copy(state)
        return players[model.to_play](rng, model)

    def looked(number: int, texts: bool) -> Iterable[int]:
        return (0, 1) if texts and not model.over else ()

    decisions = lockstep(game, state, model, seed, RING, choose, looked, model.knowledge)
    if seen is not None:
        seen.update(model.played)
    return decisions
