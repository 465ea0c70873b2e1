"""Random games of the engine agree with the reference model at every decision: all artists, both ways round, all rulings."""

from __future__ import annotations

import functools
import itertools
import random
from pathlib import Path
from typing import Any

import pytest
import yaml

import react_env
from tests.reference.arts_of_war import RULES
from tests.reference.compare import CHOOSERS, compare

STANDARD = Path(react_env.__file__).parent / "games/arts_of_war/editions/standard"
OURS = Path(__file__).parent / "editions"

# Every second game is played by the standard rules.
OTHER_RULES: list[dict[str, Any]] = [
    {"sourceless_effects": "fizzle", "trigger_order": "zones"},
    {"full_hand_spares_deck_out": False, "replaced_masterpiece": "lost"},
    {"shared_ability_card": False, "masterpiece_check": "own_progress"},
    {"masterpiece_sides": "same", "forced_passes": "announced"},
    {"ability_once_per_chain": False, "first_game_hand": True},
    {"max_turns": 8, "shared_ability_card": False, "trigger_order": "zones"},
    {"sourceless_effects": "fizzle", "ability_once_per_chain": False, "replaced_masterpiece": "lost"},
    {"rows": 4, "cols": 4, "start_zones": ("b1", "c4")},
]
GAMES_EACH = 5  # to load a game takes as long as to play two
VARIANTS = [rules for other in OTHER_RULES for rules in ({}, other)]


def read(path: Path) -> dict[str, Any]:
    text: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return text


@functools.cache
def artist_files() -> dict[str, dict[str, Any]]:
    """Every artist by what `load` knows it by: the id in the standard edition, the path of a file of the tests."""
    files = {path.stem: read(path) for path in sorted(STANDARD.glob("*.yaml"))}
    files |= {str(path): read(path) for path in (OURS / "herald.yaml", OURS / "mason.yaml")}
    return {name: text for name, text in files.items() if "abilities" in text}


@functools.cache
def standard_rules() -> dict[str, Any]:
    rules = read(STANDARD / "board.yaml")["rules"]
    return {key: value for key, value in rules.items() if key in RULES}


@functools.lru_cache(maxsize=4)
def load(pair: tuple[str, str], variant: int) -> Any:
    return react_env.load("arts_of_war-v0", artists=pair, **VARIANTS[variant])


def play(number: int) -> int:
    """The game of that number: pairs of artists and rules take turns every few games, manners of playing in each."""
    pairs = list(itertools.permutations(artist_files(), 2))
    setting = number // GAMES_EACH
    pair = pairs[setting % len(pairs)]
    variant = setting // len(pairs) % len(VARIANTS)
    rng = random.Random(number)
    chooser = rng.choice(CHOOSERS)
    files = (artist_files()[pair[0]], artist_files()[pair[1]])
    rules = standard_rules() | VARIANTS[variant]
    try:
        return compare(load(pair, variant), number, files, rules, chooser(rng))
    except AssertionError as error:
        raise AssertionError(f"{pair} by {VARIANTS[variant]}, {chooser.__name__}: {error}") from None


@pytest.mark.parametrize("chunk", range(20))
def test_a_thousand_games(chunk: int) -> None:
    for number in range(50 * chunk, 50 * (chunk + 1)):
        play(number)


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(100))
def test_a_hundred_thousand_games(chunk: int) -> None:
    for number in range(10_000 + 1_000 * chunk, 10_000 + 1_000 * (chunk + 1)):
        play(number)
