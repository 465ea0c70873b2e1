"""Same record and actions, same bytes: compiled or not."""

import ast
import hashlib
import subprocess
import sys
from functools import cache

import pytest

from react_env.engine.batch import seed_words
from react_env.engine.compile import COMPILED
from tests.conftest import GAMES
from tests.properties import uncompiled

STEPS = 50
N = 4


def digest(name: str) -> str:
    """A hash of everything that happens in some random games of a batch, and of its first game determinized for each player."""
    game = GAMES[name]()
    batch = game.batch(N, seed=1, keep_final=True)
    words, other_words = seed_words(2, N), seed_words(3, N)
    hashed = hashlib.sha256()
    seats = batch.to_play.copy()
    batch.step_against_random(None, seats, other_words)
    for number in range(STEPS):
        actions = batch.random_actions(words)
        if number % 2:
            batch.step_against_random(actions, seats, other_words)
        else:
            batch.step(actions[::2], [0, 2])
            batch.step_against_random(None, seats, other_words)
        for array in (batch.states, batch.observations, batch.action_masks, batch.to_play, batch.final_observations):
            hashed.update(array.tobytes())
    for player in range(game.num_players):
        hashed.update(game.determinize(batch.states[0], player, 5).tobytes())
    return hashed.hexdigest()


@cache
def digests_uncompiled() -> dict[str, str]:
    """The digests of all `GAMES`, made by one process in which nothing is compiled."""
    found: dict[str, str] = ast.literal_eval(uncompiled(__name__, "{name: digest(name) for name in GAMES}"))
    return found


@pytest.mark.skipif(not COMPILED, reason="there is nothing to compare: Numba is absent or disabled")
@pytest.mark.parametrize("name", GAMES)
def test_compiled_and_not_are_the_same(name: str) -> None:
    assert digests_uncompiled()[name] == digest(name)


def test_importing_the_package_is_light() -> None:
    """Only Gymnasium and its NumPy are imported, to register the games; what compiles, learns and draws is imported when it is used."""
    code = (
        "import sys, react_env; heavy = {'numba', 'torch', 'pettingzoo', 'stable_baselines3', 'scipy', 'matplotlib', 'pydantic'};"
        "print(sorted(heavy & set(sys.modules)), react_env.game_ids())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("[] ('arts_of_war-v0', 'fight_sequence-v0'")
