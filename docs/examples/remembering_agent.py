"""Plays at random, but keeps its Reactions for later: react-env arena remembering_agent.py:Patient random"""

import numpy as np


class Patient:
    memory_per_game = 1  # one number for each player of each game

    def __init__(self, game, patience=10):
        self.patience = patience
        self.passes = np.isin(game.action_names, ["pass", "decline"])

    def act(self, observations, action_masks, rng, memory):
        memory[:, 0] += 1  # this player's decisions in this game so far; 0 when a game begins
        early = memory[:, :1] <= self.patience
        wishes = rng.random(action_masks.shape) + (early & self.passes)
        return np.where(action_masks, wishes, -1).argmax(axis=1)
