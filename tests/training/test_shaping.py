"""Shaped rewards of the learner that holds one seat: hints on the way that cancel out."""

from dataclasses import replace

import numpy as np
import pytest

from react_env.engine.batch import seed_words
from react_env.engine.game import Game
from react_env.envs.sb3 import SelfPlayVecEnv
from react_env.training.algorithms.shaping import ShapedVecEnv, potentials_of
from tests.agents.games import game_of

WEIGHT, GAMMA = 0.5, 0.9


@pytest.mark.parametrize("stalemate", [0.0, 0.3])
def test_the_hints_of_a_game_cancel_out(stalemate: float) -> None:
    """Past bug: without a stalemate penalty, a game that was cut short lost the potential of its end and gained the value of its end."""
    plain = game_of("toy, mixed")
    game = Game(plain.rules, replace(plain.heuristics, potential=plain.heuristics.value))
    shaped = ShapedVecEnv(game, 32, weight=WEIGHT, gamma=GAMMA, stalemate=stalemate, seed=1)
    unshaped = SelfPlayVecEnv(game, 32, seed=1)
    np.testing.assert_array_equal(shaped.reset(), unshaped.reset())
    words, cuts, ends = seed_words(2, 32), 0, 0
    for _ in range(60):
        before = potentials_of(game, shaped.batch.states, shaped.seats, rows=np.arange(32))
        actions = shaped.batch.random_actions(words)
        _, rewards, dones, infos = shaped.step(actions)
        _, results, _, told = unshaped.step(actions)
        after = potentials_of(game, shaped.batch.states, shaped.seats, rows=np.arange(32))
        cut = np.array([info.get("TimeLimit.truncated", False) for info in told])
        hints = WEIGHT * (np.where(dones, 0.0, GAMMA * after) - before)
        np.testing.assert_allclose(rewards, results + hints - stalemate * cut, atol=1e-6)
        assert not any(info.get("TimeLimit.truncated") for info in infos), "what is over has no value any more"
        assert [info.get("episode", {}).get("r") for info in infos] == [i.get("episode", {}).get("r") for i in told]
        cuts, ends = cuts + cut.sum(), ends + (dones & ~cut).sum()
    assert cuts > 10 and ends > 10
