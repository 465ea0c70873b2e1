"""Random games of the engine agree with the reference model at every decision: all decks, decks by chance, all rulings.

`python -m tests.reality_tcg.test_against_reference 5000` plays 5000 games and prints how often each thing was seen.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import yaml

import react_env
from react_env.evaluation.deck_search import fit
from react_env.games.reality_tcg.cards import DEFAULT_SET, LARGEST, SMALLEST, decks
from react_env.games.reality_tcg.rules import RulesConfig
from tests.reference.chunks import together
from tests.reference.compare_reality_tcg import CARDS, TEMPERAMENTS, compare
from tests.reference.reality_tcg import RULES

QUICK = 1000  # the first games, which the quick tests play; most are cut short early
GAMES_EACH = 5  # games in a row by one set of rules
LONG_CHUNKS, LONG_CHUNK = 200, 500
SEEN_AT_LEAST = 50
OTHERWISE: dict[str, tuple[Any, ...]] = {
    "copies": (60,),
    "deck_out": ("lose",),
    "hand_limit": (1, 3, 5),
    "both_out": ("active_loses",),
    "negative_ip": (True,),
    "hp_damage": ("own_turn",),
    "broken_def": ("own_turn",),
    "turn_on_entry": (True,),
    "summoned_attacks": (False,),
    "summons_per_turn": (1, 2),
    "moves_per_phase": (2, 3),
    "new_refills": (False,),
    "effect_refill": (True,),
    "both_destroyed": ("both_wait",),
    "wait_ends": ("own_turn",),
    "trapped_waits": (False,),
    "effect_overflow": (True,),
    "lands": ("per_player",),
    "land_replace": (True,),
    "trap_zone": (1, 2),
    "set_traps": ("next_turn",),
    "answers_first": ("active",),
    "spent": ("removed",),
    "open_purgatory": (False,),
    "mulligans": (0, 2, 3),
    "energy_grows": ("every_turn",),
    "cancelled_counts": (False,),
    "first_draws": (True,),
    "open_decklists": (False,),
    "food_saves": ("in_battles", "never"),
    "end_answered": (False,),
}
HAPPENS = (
    "refill",
    "switch",
    "direct",
    "waits",
    "last turn",
    "empty deck",
    "negated attack",
    "negated card",
    "destroyed by an effect",
    "saved from an effect",
    "both wait",
    "discard",
)
RARE = ("both wait", "discard", "empty deck")  # these do not happen in every hundred games
EVENTS = (*(card.id for card in CARDS), "answer foods", "answer traps", *HAPPENS)


def random_rules(rng: random.Random, quick: bool) -> dict[str, Any]:
    """Random rules: usually an early end, and now and then each other option."""
    found: dict[str, Any] = {}
    if rng.random() < 0.85:
        found["max_turns"] = rng.randint(6, 20 if quick else 60)
    for name, values in OTHERWISE.items():
        if rng.random() < 0.15:
            found[name] = rng.choice(values)
    return found


@lru_cache(maxsize=1)
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="react_env_decks_")


def random_deck(rng: random.Random, copies: int) -> str:
    """Write a deck file of random cards, up to `copies` of each and 40 to 60 in all; return its path."""
    wanted: dict[str, int] = {}
    while copies * sum(number > 0 for number in wanted.values()) < SMALLEST:  # until there are enough kinds for a deck
        wanted = {card.id: rng.randint(0, copies) for card in CARDS}
    cards = fit(wanted, copies, SMALLEST, LARGEST)
    file = Path(_folder().name) / f"{rng.getrandbits(64):016x}.yaml"
    file.write_text(
        yaml.safe_dump({"id": "chance", "name": "Chance", "version": 1, "set": DEFAULT_SET, "cards": cards})
    )
    return str(file)


@lru_cache(maxsize=4)
def load(items: tuple[tuple[str, Any], ...], names: tuple[str, str]) -> Any:
    return react_env.load("reality_tcg-v0", decks=names, **dict(items))


def play(number: int, seen: Counter[str]) -> int:
    """Play game number `number` against the reference; return its number of decisions."""
    rng = random.Random(number // GAMES_EACH)
    rules = random_rules(rng, quick=number < QUICK)
    built = rng.random() < 0.3
    copies = rules.get("copies", 3)
    names = tuple(random_deck(rng, copies) if built else rng.choice(decks()) for _ in (0, 1))
    players = random.Random(number).choices(TEMPERAMENTS, k=2)
    dealer = None if rules.get("mulligans", 1) else load(tuple({**rules, "mulligans": 1}.items()), names)
    try:
        return compare(load(tuple(rules.items()), names), number, rules, players, seen, dealer)
    except AssertionError as error:
        raise AssertionError(f"game {number} by {rules}, {names}: {error}") from None


def test_every_option_is_among_the_other_rules() -> None:
    assert {*OTHERWISE, "max_turns"} == set(RULES) == set(RulesConfig.model_fields)


@pytest.mark.parametrize("chunk", range(10))
def test_a_thousand_games(chunk: int) -> None:
    seen: Counter[str] = Counter()
    for number in range(100 * chunk, 100 * (chunk + 1)):
        play(number, seen)
    assert not [event for event in EVENTS if not seen[event] and event not in RARE]


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(LONG_CHUNKS))
def test_a_hundred_thousand_games(chunk: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    seen: Counter[str] = Counter()
    for number in range(QUICK + LONG_CHUNK * chunk, QUICK + LONG_CHUNK * (chunk + 1)):
        play(number, seen)
    named = Counter({(event, "", ""): count for event, count in seen.items()})
    total = together(tmp_path_factory, "reality_tcg", chunk, LONG_CHUNKS, named)
    assert total is None or not [event for event in EVENTS if total[event, "", ""] < SEEN_AT_LEAST]


def main() -> None:
    """Play as many games as the command line says, and print how often each event was seen."""
    seen: Counter[str] = Counter()
    decisions = sum(play(number, seen) for number in range(int(sys.argv[1])))
    print(f"{sys.argv[1]} games, {decisions} decisions agree")
    for event in EVENTS:
        print(f"{seen[event]:8} {event}")


if __name__ == "__main__":
    main()
