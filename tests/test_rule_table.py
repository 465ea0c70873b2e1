"""Every rule has a test, every option belongs to a rule, and the page of both is up to date."""

from __future__ import annotations

import pytest

from tests.rule_table import RuleTable, tables

each = pytest.mark.parametrize("table", tables(), ids=lambda table: table.game)


@each
def test_every_rule_has_a_test_and_every_test_a_rule(table: RuleTable) -> None:
    table.check_tests()


@each
def test_every_rule_of_a_source_names_its_lines(table: RuleTable) -> None:
    table.check_lines()


@each
def test_every_option_is_a_ruling(table: RuleTable) -> None:
    table.check_options()


@each
def test_page_is_up_to_date(table: RuleTable) -> None:
    table.check_page()
