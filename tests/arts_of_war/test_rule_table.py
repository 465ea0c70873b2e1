"""Every rule has a test, every option of the rules is a ruling, and the page of both is up to date."""

from __future__ import annotations

from react_env.games.arts_of_war.rules import RulesConfig
from tests.arts_of_war.rule_table import CHAPTERS, ID, PAGE, named_tests, page, rules


def test_every_rule_has_a_test_and_every_test_a_rule() -> None:
    untested = set(rules()) - set(named_tests())
    unknown = set(named_tests()) - set(rules())
    assert not untested, f"no test names {sorted(untested)}"
    assert not unknown, f"tests name rules that do not exist: {sorted(unknown)}"
    assert all(ID.fullmatch(rule) and rule[3] in CHAPTERS for rule in rules())


def test_every_option_is_a_ruling() -> None:
    options = {name.strip() for rule in rules().values() for name in rule.get("option", "").split(",") if name}
    assert options == set(RulesConfig.model_fields)
    for rule, entry in rules().items():
        for name in entry.get("option", "").split(","):
            if name:
                assert (RulesConfig.model_fields[name.strip()].description or "").startswith(f"{rule}:")


def test_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m tests.arts_of_war.rule_table"
