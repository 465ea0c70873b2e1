"""Adapters of the games to other ecosystems, one file for each."""
