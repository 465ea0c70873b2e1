"""Slow, literal models of the games, to compare the engines with."""
