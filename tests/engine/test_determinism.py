"""Same record and actions, same bytes: compiled or not."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from react_env.engine.batch import seed_words
from react_env.engine.compile import COMPILED
from tests.conftest import GAMES

STEPS = {
    "toy": 120,
    "toy, cut short": 120,
    "toy, mixed": 120,
    "arts_of_war-v0": 60,
    "arts_of_war-v0, mixed": 60,
    "fight_sequence-v0": 60,
    "fight_sequence-v0, two decks": 60,
}
N = 4


def digest(name: str) -> str:
    """A hash of everything that happens in some random games of a batch, and of what determinizing them gives."""
    game = GAMES[name]()
    batch = game.batch(N, seed=1, keep_final=True)
    words, other_words = seed_words(2, N), seed_words(3, N)
    hashed = hashlib.sha256()
    seats = batch.to_play.copy()
    batch.step_against_random(None, seats, other_words)
    for number in range(STEPS[name]):
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


@pytest.mark.skipif(not COMPILED, reason="there is nothing to compare: Numba is absent or disabled")
@pytest.mark.parametrize("name", GAMES)
def test_compiled_and_not_are_the_same(name: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", f"from tests.engine.test_determinism import digest; print(digest({name!r}))"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split()[-1] == digest(name)


def test_importing_the_package_is_light() -> None:
    """Gymnasium and its NumPy only, which are told of the games; what compiles, learns and draws is imported when it is used."""
    code = (
        "import sys, react_env; heavy = {'numba', 'torch', 'pettingzoo', 'stable_baselines3', 'scipy', 'matplotlib', 'pydantic'};"
        "print(sorted(heavy & set(sys.modules)), react_env.games())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("[] ('arts_of_war-v0', 'fight_sequence-v0'")
