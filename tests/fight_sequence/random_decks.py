"""Decks of random cards and random rules: any file that docs/fight_sequence/deck_files.md allows, any options together."""

from __future__ import annotations

import random
from typing import Any

from tests.reference.fight_sequence import Deck

# The settings of every option. Those that make games long or ordinary are listed more than once.
SETTINGS: dict[str, list[Any]] = {
    "first_player": ["random", 0, 1],
    "speed_reference": ["last_built", "last_slot"],
    "shift_timing": ["as_printed", "timed", "immediate"],
    "return_itself": [False, True],
    "return_optional": [False, True],
    "build_turns": [60, 60, 12, 3, 2],
    "willpower_covers": ["next_damage", "adjacent_action"],
    "interrupt_window": ["damage", "damage", "never"],
    "simultaneous_defeat": ["draw", "builder_loses"],
    "exhausted": ["draw", "initiative_loses"],
    "untyped_responses": ["unblockable", "attack_type"],
    "bonus_counts": ["attacks", "typed_actions"],
    "cleanup_order": ["initiative_first", "initiative_last"],
    "token_limit": [0, 0, 1, 2, 12],
    "damage_discards": ["face_up", "face_up", "face_down"],
    "timed_shift_itself": [True, False],
    "full_sequence": ["each_turn", "closes"],
    "max_sequences": [60, 60, 1000, 1, 3],
}
SIZES = (10, 12, 20, 40, 40)
TYPES = ("physical", "magical")


def random_rules(rng: random.Random) -> dict[str, Any]:
    """Some of the options, each at a random setting, and a deck size."""
    rules = {option: rng.choice(settings) for option, settings in SETTINGS.items() if rng.random() < 0.4}
    return rules | {"deck_size": rng.choice(SIZES)}


def random_deck(rng: random.Random, size: int, deck_id: str) -> Deck:
    """A deck of `size` cards, from all of one kind to all different."""
    kinds = min(size, rng.choice((1, 2, 5, 10, 20, 40)))
    copies = [1] * kinds
    for _ in range(size - kinds):
        copies[rng.randrange(kinds)] += 1
    cards = [random_card(rng, f"Card {number + 1}", count) for number, count in enumerate(copies)]
    return {"format": 1, "id": deck_id, "name": deck_id.title(), "version": 1, "cards": cards}


def random_card(rng: random.Random, name: str, copies: int) -> dict[str, Any]:
    card: dict[str, Any] = {
        "name": name,
        "copies": copies,
        "speed": rng.choice((10, 20, 30, 40, 50, 60)),
        "power": rng.choice((0, 1, 1, 2, 3, 4, 5, 6, 12)),
        "type": rng.choice(TYPES),
    }
    if rng.random() < 0.7:
        kind = rng.choice(("shift", "shift", "return", "return", "bonus", "damage", "draw"))
        timing = "timed" if kind == "bonus" else rng.choice(("timed", "immediate"))
        card["effect"] = {"timing": timing, kind: random_figures(rng, kind)}
    kind = rng.choice(
        ("shift", "return", "damage", "draw", "armor", "resistance", "block", "block", "willpower", "willpower")
    )
    card["response"] = kind if kind == "willpower" else {kind: random_figures(rng, kind)}
    if kind in ("shift", "return", "damage", "draw") and rng.random() < 0.6:
        card["response"]["timing"] = rng.choice(("timed", "immediate"))
    return card


def random_figures(rng: random.Random, kind: str) -> Any:
    """A random value for an effect or response of that kind."""
    match kind:
        case "shift":
            return {"range": rng.choice((0, 1, 1, 2, 3, 8))}
        case "return":
            return rng.choice(("any", "attack", "response"))
        case "bonus":
            return {"power": rng.choice((1, 2, 12)), "against": rng.choice(TYPES)}
        case "damage":
            whom = rng.choice(("opponent", "both", "self"))
            return {"amount": rng.choice((1, 1, 2, 3, 12)), "type": rng.choice(TYPES), "to": whom}
        case "draw":
            return rng.randint(1, 5)
        case "block":
            return rng.choice(TYPES)
    return rng.choice((1, 2, 3, 12))  # armor, resistance
