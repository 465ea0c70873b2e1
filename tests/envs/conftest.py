"""The adapters are tested on one form of each game; the engine's tests cover what else a game can be."""

from __future__ import annotations

import pytest

from react_env.engine.game import Game
from tests.conftest import loaded

FORMS = (
    "toy, cut short",
    "toy, mixed",
    "arts_of_war-v0, mixed",
    "fight_sequence-v0, two decks",
    "react_fast-v0",
    "reality_tcg-v0, random decks",
)


@pytest.fixture(params=FORMS)
def game(request: pytest.FixtureRequest) -> Game:
    """Each game of `FORMS`."""
    return loaded(request.param)
