"""What the rule table of Fight Sequence needs; see tests/rule_table.py."""

from __future__ import annotations

from react_env.games.fight_sequence.rules import RulesConfig
from tests.rule_table import RuleTable

TABLE = RuleTable(
    game="fight_sequence",
    prefix="FS",
    sources=(
        "Sources: the draft of the rulebook (*stated*), what follows from it (*derived*), its pictures and examples (*inferred*);",
        "*decided* is our ruling where it is silent, and the option of `react_env.load` that changes it is named.",
    ),
    chapters={
        "S": "Set-up",
        "W": "Winning, and damage to the deck",
        "B": "Building a sequence",
        "E": "Effects",
        "R": "Resolving a sequence",
        "C": "Cleanup",
        "I": "Information",
        "G": "Rulings where the rulebook is silent",
    },
    config=RulesConfig,
    keywords=("decks",),
    called=(("FS-G", "G-"),),
)
