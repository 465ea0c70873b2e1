"""Slow, literal models of the games, to hold the engines against."""
