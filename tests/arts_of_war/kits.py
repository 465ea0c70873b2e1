"""Card files as tests use them: the kits of the editions and of the tests, read, changed and compiled."""

import json
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from rich.console import Console

from react_env.errors import CardError
from react_env.games.arts_of_war import state as s
from react_env.games.arts_of_war.cards import Artist, artists, compile_tables, load_artist, parse_artist
from react_env.games.arts_of_war.cards.printer import artist_page
from react_env.games.arts_of_war.cards.schema import AbilityCard, ActionCard, Effect
from react_env.games.arts_of_war.cards.wording import effect_text
from react_env.games.arts_of_war.rules import EDITIONS, RulesConfig

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
TEST_ARTISTS = {
    name: HERE / "editions" / f"{name}.yaml" for name in ("mason", "herald", "scribe", "clockmaker", "oracle")
}
Kit = dict[str, Any]


@cache
def _kept(name: str) -> Kit:
    file = TEST_ARTISTS.get(name, EDITIONS / "standard" / f"{name}.yaml")
    data: Kit = yaml.safe_load(file.read_text(encoding="utf-8"))
    return data


def raw(name: str) -> Kit:
    """A copy of what the file says, which may be changed."""
    return deepcopy(_kept(name))


def read(data: Kit, **options: bool) -> Artist:
    return parse_artist(json.dumps(data, indent=1), "kit.yaml", **options)  # JSON is YAML


@cache
def everyone() -> dict[str, Artist]:
    return {name: load_artist(name) for name in artists()} | {
        name: load_artist(path) for name, path in TEST_ARTISTS.items()
    }


def effect(artist: Artist, card: str, number: int = 0) -> Effect:
    return next(item for item in [*artist.actions, *artist.abilities] if item.id == card).effects[number]


def effects_of(artist: Artist) -> list[tuple[ActionCard | AbilityCard, Effect]]:
    """Every effect of every card, including those on its other sides, with its card."""
    return [(card, effect) for _, card in artist.cards for _, _, effects in card.sides for effect in effects]


def page_text(artist: Artist, width: int = 110) -> str:
    """The page of an artist as plain text, at most `width` characters wide."""
    console = Console(file=StringIO(), width=width, color_system=None, legacy_windows=False)
    console.print(artist_page(artist))
    assert isinstance(console.file, StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines()) + "\n"


def words(artist: Artist, card: str, number: int = 0) -> str:
    of = next(item for item in [*artist.actions, *artist.abilities] if item.id == card)
    return " / ".join(effect_text(artist, of, of.effects[number]))


def setting(*path: str | int, value: Any) -> Callable[[Kit], None]:
    """A change to a kit: set what stands at that path to this value."""

    def change(kit: Kit) -> None:
        here: Any = kit
        for key in path[:-1]:
            here = here[key]
        here[path[-1]] = value

    return change


def without(*path: str | int) -> Callable[[Kit], None]:
    """A change to a kit: delete what stands at that path."""

    def change(kit: Kit) -> None:
        here: Any = kit
        for key in path[:-1]:
            here = here[key]
        del here[path[-1]]

    return change


def tables(rules: RulesConfig | None = None, pair: tuple[str, str] = ("calligrapher", "dancer")) -> np.void:
    known = everyone()
    return compile_tables(known[pair[0]], known[pair[1]], rules or RulesConfig())[0]


def program(t: np.void, row: int) -> list[list[int]]:
    """The rows of code from `row` to the end of the program."""
    rows = []
    while True:
        rows.append([int(value) for value in t["code"][row]])
        if rows[-1][0] == s.OP_END:
            return rows
        row += 1


def assert_refused(name: str, change: Callable[[Kit], None], named: tuple[str, ...]) -> None:
    """The kit with this change is refused, and the message names the file and all of `named`."""
    kit = raw(name)
    change(kit)
    with pytest.raises(CardError) as refusal:
        read(kit)
    message = str(refusal.value)
    assert message.startswith("kit.yaml: ")
    for part in named:
        assert part in message, f"{part!r} is not in {message!r}"
