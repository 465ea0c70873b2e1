"""Random games of the engine agree with the reference model at every decision: all pairings, both ways round, all rulings.

`python -m tests.arts_of_war.test_against_reference 5000` plays 5000 games and prints how often each thing was seen.
"""

from __future__ import annotations

import functools
import itertools
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import react_env
from react_env.engine.rng import seed_word
from react_env.errors import CardError, OptionError
from react_env.games.arts_of_war import cards, turn
from tests.arts_of_war import positions
from tests.arts_of_war.random_artists import random_artist
from tests.properties import assert_no_leak, decisions
from tests.reference.arts_of_war import RULES
from tests.reference.chunks import together
from tests.reference.common import Chooser
from tests.reference.compare import CHOOSERS, Effect, compare, effects_of
from tests.reference.kits import KITS

STANDARD = Path(react_env.__file__).parent / "games/arts_of_war/editions/standard"
OURS = Path(__file__).parent / "editions"

OTHER_RULES: list[dict[str, Any]] = [
    {"sourceless_effects": "fizzle", "trigger_order": "zones"},
    {"full_hand_spares_deck_out": False, "replaced_masterpiece": "lost"},
    {"shared_ability_card": False, "masterpiece_check": "own_progress"},
    {"masterpiece_sides": "same", "forced_passes": "announced", "refresh": "before_effects"},
    {"ability_once_per_chain": False, "first_game_hand": True},
    {"max_turns": 8, "shared_ability_card": False, "trigger_order": "zones", "loss_check": "part"},
    {
        "sourceless_effects": "fizzle",
        "ability_once_per_chain": False,
        "replaced_masterpiece": "lost",
        "trigger_limit": 16,
    },
    {"rows": 4, "cols": 4, "start_zones": ("b1", "c4")},
]
GAMES_EACH = 5  # games in a row by one pairing and rules: to load a game takes half as long as to play one
LONG_CHUNKS = 200
LONG_CHUNK = 500
SEEN_AT_LEAST = 50

Texts = dict[str, dict[str, Any]]


def read(path: Path) -> dict[str, Any]:
    text: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return text


@functools.cache
def installed() -> Texts:
    """The artists of the standard edition by their ids."""
    return {name: read(STANDARD / f"{name}.yaml") for name in cards.artists()}


@functools.cache
def standard_rules() -> dict[str, Any]:
    rules = read(STANDARD / "board.yaml")["rules"]
    return {key: value for key, value in rules.items() if key in RULES}


@functools.lru_cache(maxsize=4)
def load(pair: tuple[str, str] | str, rules: tuple[tuple[str, Any], ...]) -> Any:
    return react_env.load("arts_of_war-v0", artists=pair, **dict(rules))


def play(number: int, texts: Texts, played: Counter[Effect], **always: Any) -> int:
    """Play game number `number`: the pairings take turns every few games, by the standard rules or others, with any of the choosers."""
    pairs = list(itertools.permutations(texts, 2))
    turn, setting = divmod(number // GAMES_EACH, len(pairs))
    pair = pairs[setting]
    rules = always | (random.Random(number // GAMES_EACH).choice(OTHER_RULES) if turn % 2 else {})
    rng = random.Random(number)
    chooser = rng.choice(CHOOSERS)
    files = (texts[pair[0]], texts[pair[1]])
    game = load(pair, tuple(rules.items()))
    try:
        return compare(game, number, files, standard_rules() | rules, chooser(rng), played)
    except AssertionError as error:
        raise AssertionError(f"{pair} by {rules}, {chooser.__name__}: {error}") from None


def seldom_seen(played: Counter[Effect]) -> dict[Effect, int]:
    """The effects of the installed artists that were seen too seldom."""
    effects = [effect for text in installed().values() for effect in effects_of(text)]
    return {effect: played[effect] for effect in effects if played[effect] < SEEN_AT_LEAST}


@pytest.mark.parametrize("chunk", [pytest.param(n, marks=[pytest.mark.long] if n >= 5 else []) for n in range(20)])
def test_a_thousand_games(chunk: int) -> None:
    """The quick suite plays a quarter of them."""
    for number in range(50 * chunk, 50 * (chunk + 1)):
        play(number, installed(), Counter())


@pytest.fixture(scope="module")
def own_artists(tmp_path_factory: pytest.TempPathFactory) -> Texts:
    """The test artists by the paths of their files; those that exist only in memory are written to files first."""
    folder = tmp_path_factory.mktemp("kits")
    files = sorted(path for path in OURS.glob("*.yaml") if "abilities" in read(path))
    for name, text in KITS.items():
        files.append(folder / f"{name}.yaml")
        files[-1].write_text(yaml.safe_dump(text, sort_keys=False), encoding="utf-8")
    return {str(path): read(path) for path in files}


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(5))
def test_artists_of_the_tests(chunk: int, own_artists: Texts) -> None:
    """Together they use every part of the language; here they are shuffled, so that few games see many pairings."""
    names = sorted(own_artists)
    random.Random(chunk).shuffle(names)
    for number in range(20 * chunk, 20 * (chunk + 1)):
        start = number // GAMES_EACH % (len(names) // 2) * 2
        texts = {name: own_artists[name] for name in names[start : start + 2]}
        play(number, texts, Counter(), allow_unbounded_abilities=True)


@pytest.mark.rule("AW-C6a")
@pytest.mark.parametrize("limit", [16, 32])
def test_triggers_without_end(limit: int) -> None:
    """At the start of one player's turns two tiles cue each other, so that triggers would double at each level."""
    lay = "[{place_tile: {tile: gong, zone: me}}, {choose_zone: {as: z, where: {adjacent_to: me}}}, {place_tile: {tile: gong, zone: z}}]"
    ann = positions.kit(
        "ann",
        tiles={"gong": {"name": "Gong", "pool": 2, "on_cue": ["cue"]}},
        passives=(positions.passive("setup", lay, "Lay"), positions.passive("start_of_my_turn", "[cue]", "Ring")),
    )
    ben = positions.kit("ben")
    rules = {"max_turns": 3, "trigger_limit": limit, "allow_unbounded_abilities": True}
    game = positions.load(ann, ben, **rules)
    rng = random.Random(limit)
    compare(game, limit, (ann, ben), standard_rules() | rules, rng.choice)


def dealt(game: Any, seed: int) -> dict[str, Any]:
    """What `new(seed)` deals before a set-up that may draw: whole decks."""
    states = np.zeros(1, game.state_dtype)
    states["rng"] = seed_word(seed)
    s = states[0]
    turn.deal(s, game.tables[0])
    decks = [[int(card) for card in s["deck"][p][: s["deck_size"][p]]] for p in (0, 1)]
    return {"first_player": int(s["first"]), "hands": [[0] * 4] * 2, "decks": decks}


class TooLong(Exception):
    """A turn without end, which is possible only with `allow_unbounded_abilities`."""


def at_most(most: int, choose: Chooser) -> Chooser:
    """That chooser, which raises `TooLong` after so many decisions."""
    left = iter(range(most))

    def chosen(legal: list[int]) -> int:
        if next(left, None) is None:
            raise TooLong
        return choose(legal)

    return chosen


def play_random_artists(number: int, folder: Path) -> None:
    """A few games with two artists of random words, by the rules of the standard edition or by others."""
    rng = random.Random(number)
    rules = {"allow_unbounded_abilities": True, "max_turns": rng.choice((60, 20, 8))} | rng.choice([{}, *OTHER_RULES])
    while True:
        texts, paths = [], []
        for name in ("ann", "ben"):
            texts.append(random_artist(rng, name))
            paths.append(folder / f"{name}.yaml")
            paths[-1].write_text(yaml.safe_dump(texts[-1], sort_keys=False), encoding="utf-8")
        try:
            game = react_env.load("arts_of_war-v0", artists=tuple(map(str, paths)), **rules)
        except CardError:
            continue
        except OptionError as error:  # the set-up decides every game
            assert "over before anybody could choose" in str(error)
            continue
        break
    low, high = game.layout.low, game.layout.high
    for seed in range(GAMES_EACH * number, GAMES_EACH * (number + 1)):
        chooser = random.Random(seed).choice(CHOOSERS)
        choose = at_most(1000, chooser(random.Random(seed)))
        try:
            compare(game, seed, (texts[0], texts[1]), standard_rules() | rules, choose, dealt=dealt)
        except TooLong:
            pass
        except AssertionError as error:
            raise AssertionError(f"random artists {number} by {rules}, {chooser.__name__}: {error}") from None
    for count, state in enumerate(decisions(game, number, limit=100)):
        observations = [game.observe(state, player) for player in (0, 1)]
        assert all((low <= seen).all() and (seen <= high).all() for seen in observations), f"random artists {number}"
        if count % 10 == 0:
            assert_no_leak(game, state, number)
            assert game.restore(game.save(state)) == state


def test_random_artists(tmp_path: Path) -> None:
    for number in range(8):
        play_random_artists(number, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(20))
def test_many_random_artists(chunk: int, tmp_path: Path) -> None:
    for number in range(1000 + 50 * chunk, 1000 + 50 * (chunk + 1)):
        play_random_artists(number, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("rules", [{}, *OTHER_RULES[:2]], ids=lambda rules: ",".join(rules) or "standard")
def test_random_pairings(rules: dict[str, Any]) -> None:
    """`artists="random"` draws a pairing for each game, which is then played by the same rules."""
    game = load("random", tuple(rules.items()))
    drawn = {tuple(game.pairing(game.new(seed=seed))) for seed in range(40)}
    assert len(drawn) > 1 and all(mine != theirs for mine, theirs in drawn)
    for seed in range(20):
        rng = random.Random(seed)
        compare(game, seed, installed(), standard_rules() | rules, rng.choice(CHOOSERS)(rng))


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(LONG_CHUNKS))
def test_a_hundred_thousand_games(chunk: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The chunk that ends last, in whichever process, checks that nothing of any artist was left out."""
    played: Counter[Effect] = Counter()
    for number in range(10_000 + LONG_CHUNK * chunk, 10_000 + LONG_CHUNK * (chunk + 1)):
        play(number, installed(), played)
    total = together(tmp_path_factory, "played", chunk, LONG_CHUNKS, played)
    assert total is None or not seldom_seen(total)


if __name__ == "__main__":
    seen: Counter[Effect] = Counter()
    total = sum(play(number, installed(), seen) for number in range(int(sys.argv[1])))
    print(f"{sys.argv[1]} games, {total} decisions, no difference")
    for text in installed().values():
        for effect in sorted(effects_of(text), key=lambda effect: seen[effect]):
            print(f"{seen[effect]:8} {' / '.join(word for word in effect if word)}")
