"""No compiled function of the library uses an index that is negative or too large.

Such an index would read or write memory beside an array, because the library's functions do not count negative indices from the end
(`react_env.engine.linking`). Numba checks indices in `NUMBA_BOUNDSCHECK=1 make test`, for all tests, and here, for whole games.
"""

import os
import subprocess
import sys

import numpy as np
import pytest

import react_env
from react_env import agents
from react_env.engine.batch import seed_words
from react_env.engine.compile import COMPILED
from react_env.engine.game import Game
from react_env.errors import OptionError

PLAYERS = ("champion", "scripted", "greedy", "flat:4", "mcts:8")
OPTIONS = {"arts_of_war-v0": {"artists": "random"}, "reality_tcg-v0": {"decks": "random"}}
CHECKED = {**os.environ, "NUMBA_BOUNDSCHECK": "1"}


def play(game: Game) -> None:
    """Play random games with all observations, redrawn and checked positions, and some turns of each agent."""
    batch, words = game.batch(num_games=64, seed=1, keep_final=True), seed_words(2, 64)
    for step in range(2000):
        batch.step_random(words)
        if step % 200 == 0:
            batch.refresh()
    for i, record in enumerate(batch.states[:16].copy()):
        for player in range(game.num_players):
            game.observe(game.determinize(record, player, i), player)
    rng = np.random.default_rng(0)
    for name in PLAYERS:
        try:
            agent = agents.load(name, game)
        except OptionError:  # not every game has all of these agents
            continue
        for _ in range(20 if name == "champion" else 60):
            batch.step(agents.choose(agent, batch, np.arange(64), rng))


@pytest.mark.long
@pytest.mark.skipif(not COMPILED, reason="Numba is absent or disabled")
@pytest.mark.parametrize("name", react_env.game_ids())
def test_no_index_is_out_of_bounds(name: str) -> None:
    command = f"import react_env; from tests.engine.test_bounds import *; play(react_env.load({name!r}, **OPTIONS.get({name!r}, {{}})))"
    ran = subprocess.run([sys.executable, "-c", command], env=CHECKED, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr[-3000:]
