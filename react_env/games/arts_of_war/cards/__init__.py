"""Artists and their cards: the schema of the files, the reader, the compiler to effect tables, and the printed text."""

from react_env.games.arts_of_war.cards.compiler import compile_tables
from react_env.games.arts_of_war.cards.reader import artists, load_artist, parse_artist
from react_env.games.arts_of_war.cards.schema import AbilityCard, ActionCard, Artist

__all__ = ["AbilityCard", "ActionCard", "Artist", "artists", "compile_tables", "load_artist", "parse_artist"]
