"""Random games of the engine agree with the reference model at every decision: equal and different decks, all rulings.

`python -m tests.fight_sequence.test_against_reference 5000` plays 5000 games and prints how often each thing was seen.
"""

from __future__ import annotations

import functools
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

import react_env
from react_env.agents.players.scripted import ScriptedAgent
from tests.fight_sequence.random_decks import SETTINGS, random_deck, random_rules
from tests.reference.chunks import together
from tests.reference.compare_fight_sequence import TEMPERAMENTS, all_that_cards_do, compare
from tests.reference.fight_sequence import RULES, Deck, Seen

ACADEMY = str(Path(react_env.__file__).parent / "games/fight_sequence/decks/academy_default.yaml")
EVERY = str(Path(__file__).parent / "decks/every_effect.yaml")
SHORT = str(Path(__file__).parent / "decks/short.yaml")

# The decks of both players, and the options that these decks need.
PAIRS: list[tuple[tuple[str, str], dict[str, Any]]] = [
    ((ACADEMY, ACADEMY), {}),
    ((ACADEMY, EVERY), {}),
    ((EVERY, ACADEMY), {}),
    ((EVERY, EVERY), {}),
    ((SHORT, SHORT), {"deck_size": 12}),
]
OTHER_RULES: list[dict[str, Any]] = [
    {"speed_reference": "last_slot", "shift_timing": "timed"},
    {"shift_timing": "immediate", "return_itself": True, "build_turns": 8},
    {"return_itself": True, "return_optional": True, "full_sequence": "closes"},
    {"willpower_covers": "adjacent_action", "simultaneous_defeat": "builder_loses", "cleanup_order": "initiative_last"},
    {"interrupt_window": "never", "untyped_responses": "attack_type", "bonus_counts": "typed_actions"},
    {"token_limit": 1, "damage_discards": "face_down", "exhausted": "initiative_loses"},
    {"damage_discards": "face_down", "timed_shift_itself": False, "max_sequences": 4},
    {
        "full_sequence": "closes",
        "speed_reference": "last_slot",
        "return_itself": True,
        "bonus_counts": "typed_actions",
    },
    {"first_player": 1, "exhausted": "initiative_loses", "simultaneous_defeat": "builder_loses", "token_limit": 2},
    {"first_player": 0, "willpower_covers": "adjacent_action", "return_optional": True, "timed_shift_itself": False},
]
GAMES_EACH = 5  # games in a row by one pair of decks and rules
LONG_CHUNKS = 200
LONG_CHUNK = 500
SEEN_AT_LEAST = 50


@functools.cache
def read(path: str) -> Deck:
    text: Deck = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    return text


@functools.lru_cache(maxsize=64)
def load(pair: tuple[str, str], rules: tuple[tuple[str, Any], ...]) -> Any:
    return react_env.load("fight_sequence-v0", decks=pair, **dict(rules))


@functools.lru_cache(maxsize=64)
def scripted(pair: tuple[str, str], rules: tuple[tuple[str, Any], ...]) -> ScriptedAgent:
    """The scripted agent for games of these decks and rules."""
    return ScriptedAgent(load(pair, rules))


def play(number: int, seen: Counter[Seen]) -> int:
    """Play game number `number`: pairs of decks take turns every few games, by the standard rules or others, with players of every kind."""
    turn, setting = divmod(number // GAMES_EACH, len(PAIRS))
    pair, needed = PAIRS[setting]
    rules = needed | (random.Random(number // GAMES_EACH).choice(OTHER_RULES) if turn % 2 else {})
    players: list[Any] = random.Random(number).choices(TEMPERAMENTS, k=2)
    given = tuple(rules.items())
    if number % 4 == 0:  # in every fourth game the scripted agent plays one side, in every eighth both
        players[number // 8 % 2] = scripted(pair, given)
        if number % 8 == 0:
            players = [scripted(pair, given)] * 2
    try:
        return compare(load(pair, given), number, (read(pair[0]), read(pair[1])), rules, (players[0], players[1]), seen)
    except AssertionError as error:
        decks = " against ".join(Path(path).stem for path in pair)
        names = " and ".join(getattr(player, "__name__", "scripted") for player in players)
        raise AssertionError(f"{decks} by {rules}, {names}: {error}") from None


def seldom_seen(seen: Counter[Seen]) -> dict[Seen, int]:
    """What the cards do that was seen too seldom."""
    return {
        did: seen[did]
        for path in (ACADEMY, EVERY, SHORT)
        for did in all_that_cards_do(read(path))
        if seen[did] < SEEN_AT_LEAST
    }


def test_every_option_is_among_the_other_rules() -> None:
    """All but `deck_size`, which belongs to the short deck, and `forbidden`, which is no rule and has games of its own."""
    ruled = set(RULES) - {"deck_size", "forbidden"}
    assert {option for rules in OTHER_RULES for option in rules} == set(SETTINGS) == ruled


@pytest.mark.parametrize("chunk", range(20))
def test_a_thousand_games(chunk: int) -> None:
    for number in range(50 * chunk, 50 * (chunk + 1)):
        play(number, Counter())


def some_of(path: str, rng: random.Random) -> tuple[str, ...]:
    """A few cards of a deck or most of them, some forbidden in one way only."""
    names = [card["name"] for card in read(path)["cards"]]
    chosen = rng.sample(names, rng.choice((1, 3, len(names) - 1, len(names))))
    return tuple(name + rng.choice(("", "", "/attack", "/response")) for name in chosen)


@pytest.mark.parametrize("chunk", range(2))
def test_games_in_which_something_is_forbidden(chunk: int) -> None:
    """The keyword `forbidden`, under all rulings: a first turn with nothing to build, or hands that nobody can use any more."""
    for number in range(15 * chunk, 15 * (chunk + 1)):
        rng = random.Random(number)
        pair, needed = PAIRS[number % len(PAIRS)]
        rules = needed | rng.choice([{}, *OTHER_RULES]) | {"forbidden": tuple(some_of(path, rng) for path in pair)}
        game = react_env.load("fight_sequence-v0", decks=pair, **rules)
        for seed in range(GAMES_EACH * number, GAMES_EACH * (number + 1)):
            first, second = random.Random(seed).choices(TEMPERAMENTS, k=2)
            try:
                compare(game, seed, (read(pair[0]), read(pair[1])), rules, (first, second))
            except AssertionError as error:
                raise AssertionError(f"{rules}: {error}") from None


def play_random_decks(number: int, folder: Path) -> None:
    """A few games by random rules, with two decks of random cards."""
    rng = random.Random(number)
    rules = random_rules(rng)
    paths, texts = [], []
    for player in (0, 1):
        texts.append(random_deck(rng, rules["deck_size"], f"deck_{player}"))
        paths.append(folder / f"deck_{player}.yaml")
        paths[-1].write_text(yaml.safe_dump(texts[-1], sort_keys=False), encoding="utf-8")
    game = react_env.load("fight_sequence-v0", decks=(str(paths[0]), str(paths[1])), **rules)
    for seed in range(GAMES_EACH * number, GAMES_EACH * (number + 1)):
        first, second = random.Random(seed).choices(TEMPERAMENTS, k=2)
        try:
            compare(game, seed, (texts[0], texts[1]), rules, (first, second))
        except AssertionError as error:
            raise AssertionError(f"random decks {number} by {rules}: {error}") from None


@pytest.mark.parametrize("chunk", range(2))
def test_random_decks(chunk: int, tmp_path: Path) -> None:
    for number in range(15 * chunk, 15 * (chunk + 1)):
        play_random_decks(number, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(20))
def test_many_random_decks(chunk: int, tmp_path: Path) -> None:
    for number in range(1000 + 100 * chunk, 1000 + 100 * (chunk + 1)):
        play_random_decks(number, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(LONG_CHUNKS))
def test_a_hundred_thousand_games(chunk: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The chunk that ends last, in whichever process, checks that nothing in any deck was left out."""
    seen: Counter[Seen] = Counter()
    for number in range(10_000 + LONG_CHUNK * chunk, 10_000 + LONG_CHUNK * (chunk + 1)):
        play(number, seen)
    total = together(tmp_path_factory, "fights", chunk, LONG_CHUNKS, seen)
    assert total is None or not seldom_seen(total)


if __name__ == "__main__":
    total: Counter[Seen] = Counter()
    decisions = sum(play(number, total) for number in range(int(sys.argv[1])))
    print(f"{sys.argv[1]} games, {decisions} decisions, no difference")
    for path in (ACADEMY, EVERY, SHORT):
        for did in sorted(all_that_cards_do(read(path)), key=lambda did: total[did]):
            print(f"{total[did]:8} {' / '.join(did)}")
