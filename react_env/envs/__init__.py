"""Adapters of the games to PettingZoo, Gymnasium, stable-baselines3 and OpenSpiel, one file each."""
