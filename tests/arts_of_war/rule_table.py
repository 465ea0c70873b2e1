"""What the rule table of Re;ACT needs; see tests/rule_table.py."""

from __future__ import annotations

from react_env.games.arts_of_war.rules import RulesConfig
from tests.rule_table import RuleTable

TABLE = RuleTable(
    game="arts_of_war",
    prefix="AW",
    sources=(
        "Sources: the printed rulebook (which wins), the rules on the publisher's site, the publisher's FAQ, public reviews;",
        "*decided* is our ruling where these are silent or differ, and where it can be changed, the option of `react_env.load` is named.",
    ),
    chapters={
        "S": "Set-up",
        "T": "Turn",
        "C": "React Chain",
        "M": "Masterpiece",
        "U": "Units, movement, damage",
        "I": "Information",
        "K": "What designed kits may not do",
    },
    config=RulesConfig,
)
