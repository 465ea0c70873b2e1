"""What the rule table of React Fast needs; see tests/rule_table.py."""

from __future__ import annotations

from react_env.games.react_fast.rules import RulesConfig
from tests.rule_table import RuleTable

TABLE = RuleTable(
    game="react_fast",
    prefix="RF",
    sources=(
        "Sources: the rulebook (*stated*), what follows from it (*derived*), its pictures and patterns (*inferred*); *decided* is our",
        "ruling where it is silent, and the option of `react_env.load` that changes it is named.",
    ),
    chapters={
        "S": "Set-up",
        "T": "Turns and rounds",
        "L": "Slaps",
        "V": "Traveling cards",
        "W": "Winning",
        "R": "Time",
        "I": "Information",
        "G": "Rulings where the rulebook is silent",
    },
    config=RulesConfig,
    keywords=("profiles",),
    called=(("RF-G", "G-"),),
)
