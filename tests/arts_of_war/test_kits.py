"""What designed kits may not do (rules file, AW-K): the nine of the standard edition, and test kits that break the rules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from react_env.evaluation.lab.games import Cell, play
from react_env.evaluation.lab.study import subject_of
from react_env.games.arts_of_war.cards import Artist, artists, load_artist
from react_env.games.arts_of_war.cards.operations import words_in
from react_env.games.arts_of_war.cards.schema import AscendedImmediate, AscendedUntilUsed
from react_env.games.arts_of_war.lab import ON_CHAIN
from tests.arts_of_war.kits import effects_of, raw, read
from tests.arts_of_war.positions import table
from tests.evaluation.lab.test_games import Chance
from tests.provenance import tables

NINE = artists("standard")
WITH_TIME = (
    "setup",
    "start_of_my_turn",
    "start_of_every_turn",
    "end_of_my_turn",
    "end_of_every_turn",
    "instead_of_draw",
)
HARM = {"damage", "cue"}


def words(parts: Any) -> set[str]:
    """The operations of a program, nested ones included."""
    return set(words_in(parts))


def harm_without_a_play(artist: Artist) -> Iterator[str]:
    """What does damage without a play: effects of time, and of ascending."""
    for passive in artist.passives:
        if passive.when in WITH_TIME and words(passive.do) & HARM:
            yield passive.name
    for card in artist.abilities:
        for side in card.other_sides:
            if words(getattr(side, "do", None) or []) & HARM:
                yield side.name


def shares(sides: tuple[str, str], deals: int) -> Any:
    """(damage to artists on the chain, all damage to artists) over games of random play."""
    subject = subject_of("arts_of_war-v0", {}, sides)
    cell = Cell(subject.sides)
    return (
        play(subject, cell, subject.load(subject.sides), Chance(), seed=5, block=0, deals=deals)
        .counted[:, :, ON_CHAIN]
        .sum(axis=(0, 1))
    )


def without_a_source(artist: Artist) -> list[str]:
    """Ascended sides that are used up at once, though no source says so."""
    sides = [side for card in artist.abilities for side in card.other_sides if isinstance(side, AscendedImmediate)]
    return [side.name for side in sides if side.provenance["mode"] not in ("stated", "derived")]


def punishes_waiting(artist: Artist) -> bool:
    """Whether an effect of the first ascended side deals damage or lays a tile."""
    side = artist.abilities[0].other_sides[0]
    effects = [] if isinstance(side, AscendedImmediate) else side.effects
    return any(words(effect.do) & {"damage", "place_tile"} for effect in effects)


def stated_blocks(artist: Artist) -> list[str]:
    """Blocks with a field that is marked as stated."""
    return [
        kind for kind, token in artist.tokens.items() if token.blocks_damage and "stated" in token.provenance.values()
    ]


def clock(folder: Path) -> Path:
    """A Dancer who also strikes each turn, and on ascending."""
    kit = raw("dancer")
    strike = {"damage": {"units": {"side": "theirs", "kind": "artist"}}}
    kit["passives"].append({"name": "Clock", "when": "start_of_my_turn", "do": [strike], "provenance": {}})
    kit["abilities"][0]["ascended"] = {
        "mode": "immediate",
        "name": "Burst",
        "do": [strike, "descend"],
        "provenance": {"mode": "designed"},
    }
    path = folder / "clock.yaml"
    path.write_text(json.dumps(kit), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", NINE)
@pytest.mark.rule("AW-K1", "AW-K2")
def test_nothing_strikes_by_itself(name: str) -> None:
    assert not list(harm_without_a_play(load_artist(name)))


@pytest.mark.rule("AW-K1", "AW-K2")
def test_what_strikes_by_itself_is_found(tmp_path: Path) -> None:
    assert list(harm_without_a_play(load_artist(clock(tmp_path)))) == ["Clock", "Burst"]


@pytest.mark.rule("AW-K1")
def test_all_damage_is_dealt_on_the_chain(tmp_path: Path) -> None:
    """This is tested in play, so that what the files hide behind triggers is found as well."""
    for one, other in zip(NINE, NINE[1:] + NINE[:1]):
        on_chain, damage = shares((one, other), 12)
        assert on_chain == damage > 0, one
    on_chain, damage = shares((str(clock(tmp_path)), "dj"), 12)
    assert on_chain < damage


def kept_for_good(artist: Artist) -> list[str]:
    """Sides that last until their super is used but have no super: none of their effects makes the artist descend."""
    sides = [side for card in artist.abilities for side in card.other_sides if isinstance(side, AscendedUntilUsed)]
    return [side.name for side in sides if not any("descend" in words(effect.do) for effect in side.effects)]


@pytest.mark.rule("AW-M10")
def test_every_side_that_lasts_has_a_super_that_ends_it() -> None:
    assert not [side for name in NINE for side in kept_for_good(load_artist(name))]
    kit = raw("dancer")
    for effect in kit["abilities"][0]["ascended"]["effects"]:
        effect["do"] = [part for part in effect["do"] if part != "descend"]
    assert kept_for_good(read(kit)) == ["Prima Ballerina"]


@pytest.mark.parametrize("name", NINE)
@pytest.mark.rule("AW-K2")
def test_a_side_that_is_used_up_at_once_has_a_source(name: str) -> None:
    assert not without_a_source(load_artist(name))


@pytest.mark.rule("AW-K2", "AW-K3", "AW-K4")
def test_what_breaks_the_other_rules_is_found(tmp_path: Path) -> None:
    broken = load_artist(clock(tmp_path))
    assert without_a_source(broken) == ["Burst"] and not punishes_waiting(broken)
    kit = raw("calligrapher")
    kit["tokens"]["block"]["provenance"]["name"] = "stated"
    assert stated_blocks(read(kit)) == ["block"]


@pytest.mark.parametrize("name", NINE)
@pytest.mark.rule("AW-K3")
def test_a_masterpiece_unlocks_what_punishes_waiting(name: str) -> None:
    artist = load_artist(name)
    assert punishes_waiting(artist)
    assert any(part == "progress" for _, effect in effects_of(artist) for part in words_in(effect.do))


@pytest.mark.rule("AW-K4")
def test_stated_needs_a_source_of_that_very_thing() -> None:
    """Every mark has its place in the sources and every place its mark; Blocks are stated for nobody."""
    for marked in tables():
        marked.check_marks()
    for name in NINE:
        assert not stated_blocks(load_artist(name))


def test_a_shove_reaches_behind_a_wall() -> None:
    """Its swap puts an artist where the summon in front of it stood, on the Mural there: a wall no longer keeps the Tagger out."""
    t = table("tagger", "dj")
    t.place(0, "artist", "c3")
    t.place(1, "speaker", "c4")
    t.lay(0, "burner", "c4")
    t.give(0, "Fresh Paint", "Shove")
    t.do("play Fresh Paint", "zone c2", "pass", "play Shove", "left").passes()
    t.do("player_1's Speaker", "option 2", "player_1's DJ")
    assert "player_1's DJ (c4) takes damage (1)" in t.log
    assert t.at("c5").startswith("player_1's Speaker")
