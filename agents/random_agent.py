"""Plays any legal action: react-env arena agents/random_agent.py:RandomAgent greedy"""

import numpy as np


class RandomAgent:
    def act(self, observations, action_masks, rng):
        return np.where(action_masks, rng.random(action_masks.shape), -1.0).argmax(axis=1)
