"""The random agent is uniform over the legal actions."""

import numpy as np
import pytest
from scipy.stats import chisquare

from react_env.agents.players.uniform import RandomAgent, pick_uniform
from react_env.errors import OptionError


def test_only_legal_actions_all_equally_likely() -> None:
    mask = np.zeros(30, np.bool_)
    mask[[0, 3, 17, 29]] = True
    chosen = pick_uniform(np.tile(mask, (20_000, 1)), np.random.default_rng(1))
    counts = np.bincount(chosen, minlength=30)
    assert counts[~mask].sum() == 0
    assert chisquare(counts[mask]).pvalue > 0.001


def test_masks_of_another_shape_are_refused() -> None:
    masks, observations = np.ones((4, 6), np.int8), np.zeros((4, 3), np.int8)
    rng = np.random.default_rng(0)
    for wrong in (masks[:3], masks[0]):
        with pytest.raises(OptionError, match=r"action_masks must have the shape \(4, A\)"):
            RandomAgent().act(observations, wrong, rng)
    assert (RandomAgent().act(observations, masks, rng) >= 0).all()


def test_the_generator_decides() -> None:
    masks = np.random.default_rng(0).random((100, 20)) < 0.5
    masks[:, 4] = True
    observations = np.zeros((100, 3), np.int8)
    first, again, other = (RandomAgent().act(observations, masks, np.random.default_rng(seed)) for seed in (7, 7, 8))
    assert (first == again).all() and (first != other).any()
