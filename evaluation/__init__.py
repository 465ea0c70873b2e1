"""Who is better, and is the game fair: matches, ratings, reports."""

from evaluation.matches import MatchResult, Tally, match_table, play_match, record_game, round_robin
from evaluation.statistics import wilson

__all__ = ["MatchResult", "Tally", "match_table", "play_match", "record_game", "round_robin", "wilson"]
