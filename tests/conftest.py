"""The games on which the engine and the adapters are tested: `game` is each of them in turn."""

import gc
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

import react_env
from react_env.engine.game import Game
from tests import toy

DECKS = Path(__file__).parent / "fight_sequence" / "decks"

# The quick tests use the same examples each time, so that only a change can make them fail; the long tests look for new ones.
settings.register_profile("quick", derandomize=True, deadline=None, max_examples=40)
settings.register_profile("long", deadline=None)
settings.load_profile("quick")

GAMES: dict[str, Callable[[], Game]] = {
    "toy": toy.load,
    "toy, cut short": lambda: toy.load(max_turns=6),
    "toy, mixed": lambda: toy.load(max_turns=(6, 30, 9)),
    "arts_of_war-v0": lambda: react_env.load("arts_of_war-v0", artists=("calligrapher", "dancer")),
    "arts_of_war-v0, mixed": lambda: react_env.load("arts_of_war-v0", artists="random"),
    "fight_sequence-v0": lambda: react_env.load("fight_sequence-v0"),
    "fight_sequence-v0, two decks": lambda: react_env.load(
        "fight_sequence-v0",
        decks=("academy_default", DECKS / "every_effect.yaml"),
        max_sequences=4,
        damage_discards="face_down",
    ),
    "react_fast-v0": lambda: react_env.load("react_fast-v0", players=4, max_placements=40),
    "react_fast-v0, skill": lambda: react_env.load("react_fast-v0", players=4, max_placements=40, mode="skill"),
    "reality_tcg-v0": lambda: react_env.load("reality_tcg-v0", max_turns=14),
    "reality_tcg-v0, random decks": lambda: react_env.load(
        "reality_tcg-v0", decks="random", open_decklists=False, max_turns=10
    ),
}


def pytest_collection_finish() -> None:
    """Freeze the imported modules, so that the garbage collector does not scan them again and again."""
    gc.collect()
    gc.freeze()


@cache
def loaded(name: str) -> Game:
    """One of `GAMES`, kept: games never change, and reading nine artists takes a second."""
    return GAMES[name]()


@pytest.fixture(params=GAMES)
def game(request: pytest.FixtureRequest) -> Game:
    """Each game of `GAMES`."""
    return loaded(request.param)
