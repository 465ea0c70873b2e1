"""Whatever the card files call `stated` has a place in a source, and the page of these places is up to date."""

from __future__ import annotations

import pytest

from tests.provenance import Provenance, stated, tables

each = pytest.mark.parametrize("table", tables(), ids=lambda table: table.game)


@each
def test_every_stated_mark_has_a_place_and_every_place_a_mark(table: Provenance) -> None:
    table.check_marks()


@each
def test_page_is_up_to_date(table: Provenance) -> None:
    table.check_page()


def test_marks_are_found_at_any_depth() -> None:
    data = {
        "provenance": {"name": "stated", "concept": "designed"},
        "tokens": {"scale": {"provenance": {"pool": "stated"}}},
        "actions": [{"name": "Step", "effects": [{"provenance": {"do": "stated", "cost": "derived"}}]}],
    }
    assert set(stated(data, "kit")) == {
        ("kit", "name"),
        ("kit / tokens / scale", "pool"),
        ("kit / actions / Step / effects / 1", "do"),
    }
