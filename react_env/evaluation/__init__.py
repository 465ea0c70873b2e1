"""Measuring agents and games: matches, ratings, reports."""

from react_env.evaluation.matches.match import MatchResult, Tally, match_table, play_match, record_game
from react_env.evaluation.ratings.intervals import wilson

__all__ = ["MatchResult", "Tally", "match_table", "play_match", "record_game", "wilson"]
