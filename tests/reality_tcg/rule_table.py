"""What the rule table of Reality TCG needs; see tests/rule_table.py."""

from __future__ import annotations

from react_env.games.reality_tcg.rules import RulesConfig
from tests.rule_table import RuleTable

TABLE = RuleTable(
    game="reality_tcg",
    prefix="RT",
    sources=(
        "Sources: the rulebook (*stated*), what follows from it (*derived*), what is likely (*inferred*); *decided* is our",
        "ruling where it is silent, and the option of `react_env.load` that changes it is named.",
    ),
    chapters={
        "D": "Set-up",
        "E": "Energy",
        "T": "Turns",
        "F": "Zones",
        "B": "Battle",
        "S": "Switching",
        "C": "Cards",
        "W": "Winning",
        "I": "Information",
        "G": "Rulings where the rulebook is silent",
    },
    config=RulesConfig,
    keywords=("decks", "pool"),
    called=(("RT-G", "G-"),),
)
