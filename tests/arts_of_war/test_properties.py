"""What holds at every decision of whole random games: nothing leaks, no game gets stuck, views agree, the bytes never differ."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import react_env
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.actions import A_END_TURN
from tests.arts_of_war.positions import intention, kit, reaction, table
from tests.properties import (
    assert_frequent,
    assert_leak_is_caught,
    assert_no_leak,
    assert_same_bytes,
    assert_seats_are_alike,
    decisions,
    digest,
    play_many,
    uncompiled,
    whole_games,
)

HERE = Path(__file__).parent
GAME = "arts_of_war-v0"
MASON, HERALD, ORACLE, CLOCKMAKER = (
    str(HERE / "editions" / f"{name}.yaml") for name in ("mason", "herald", "oracle", "clockmaker")
)
Pair = tuple[str, str] | str  # two artists, or "random"
PAIRS: list[Pair] = [
    ("calligrapher", "dancer"),
    (MASON, HERALD),
    (ORACLE, CLOCKMAKER),
    ("fortune_teller", "painter"),
    "random",
]
SEAT = ("turn", 4)  # which player the observer is
SEEDS = st.integers(0, 2**32)


@cache
def load(pair: Pair, **rules: Any) -> Any:
    return react_env.load(GAME, artists=pair, **rules)


# ---------------------------------------------------------------------------------------------------------------- leaks


@pytest.mark.rule("AW-I1", "AW-I2")
@pytest.mark.parametrize("pair", [PAIRS[0], *(pytest.param(pair, marks=pytest.mark.slow) for pair in PAIRS[1:])])
@whole_games(2)
@given(seed=SEEDS)
def test_nothing_leaks(pair: Pair, seed: int) -> None:
    game = load(pair)
    for number, state in enumerate(decisions(game, seed)):
        assert_no_leak(game, state, seed + number)


@pytest.mark.rule("AW-I1", "AW-S3")
def test_nothing_leaks_beyond_an_opening_hand_that_is_known() -> None:
    game = load((ORACLE, "fortune_teller"), first_game_hand=True)
    for number, state in enumerate(decisions(game, 2, limit=60)):
        assert_no_leak(game, state, number)


def test_a_leak_is_caught() -> None:
    """Observations that leak: a card of the opponent's hand, the top of one's own deck, the random stream."""
    game = load(PAIRS[0])

    looks = (
        lambda state, player: state["hand"][1 - player, 2] > 1,
        lambda state, player: state["deck"][player, max(state["deck_size"][player] - 1, 0)],
        lambda state, player: state["rng"] % 2,
    )
    for look in looks:
        assert_leak_is_caught(game, look, seed=3)


@pytest.mark.rule("AW-I1")
def test_determinize_is_uniform() -> None:
    """Of four hidden cards, two are in hand and two in the deck: each world is drawn as often as its weight; chi-square, 0.1 %."""
    t = table(kit("ann"), kit("ben", One=[reaction()], Two=[reaction()], Three=[reaction()]))
    t.give(1, "One", "Two")
    t.deck(1, "Three", "One")
    t.deck(0, "Blank 1", "Blank 2")
    counts: Counter[Any] = Counter()
    draws = 6000
    for seed in range(draws):
        s = t.game.determinize(t.state, 0, seed)
        counts[tuple(s["hand"][1].tolist()), tuple(s["deck"][1, :2].tolist()), tuple(s["deck"][0, :2].tolist())] += 1
    # Count worlds by the orders of the four cards (two of them alike): a hand without order, then a deck with order.
    weights: Counter[Any] = Counter()
    cards = [0, 1, 2, 0]
    for i in range(4):
        for j in range(4):
            if i != j:
                held = [card for k, card in enumerate(cards) if k not in (i, j)]
                for own in ((0, 1), (1, 0)):
                    weights[tuple(held.count(card) for card in range(4)), (cards[i], cards[j]), own] += 1
    assert_frequent(counts, weights)


@pytest.mark.rule("AW-I1")
@pytest.mark.parametrize("choosing", [False, True])
def test_determinize_knows_of_face_down_cards_that_they_are_reactions(choosing: bool) -> None:
    """The opponent lays one face down, or is about to: of four hidden cards it is one that has a Reaction; chi-square, 0.1 %."""
    seer = kit("ben", One=[reaction()], Two=[reaction()], Three=[intention()]) | {"face_down": 1}
    t = table(kit("ann", Go=[intention()]), seer)
    t.give(0, "Go")
    t.give(1, "One", "Two", "Three")
    t.deck(1, "Three")
    t.do("play Go", "lay One face down")
    if not choosing:
        t.do("slot 3")
    counts: Counter[Any] = Counter()
    draws = 6000
    for seed in range(draws):
        s = t.game.determinize(t.state, 0, seed)
        below = int(s["frame"]["regs"][0, S.R_FIRST] if choosing else s["face_down"][2])
        counts[below, tuple(s["hand"][1].tolist()), int(s["deck"][1, 0])] += 1
    # One of the two Reactions lies there; of the other Reaction and two Threes, one is the deck and two are the hand.
    weights: Counter[Any] = Counter()
    for below in (0, 1):
        for deck in (1 - below, 2, 2):
            held = [1 - below, 2, 2]
            held.remove(deck)
            if choosing:
                held.append(below)
            weights[below, tuple(held.count(card) for card in range(4)), deck] += 1
    assert_frequent(counts, weights)


@pytest.mark.parametrize("artist", ["painter"])
def test_dice_are_fair(artist: str) -> None:
    """Each face comes up as often: chi-square, 0.1 %."""
    t = table(artist, "dancer", turn_player=1)
    t.count(0, "inspiration", 0, 0, 0)
    counts: Counter[int] = Counter()
    draws = 6000
    for seed in range(draws):
        s = t.game.determinize(t.state, 1, seed)
        since = t.game.event_count(s)
        t.game.step(s, A_END_TURN)
        while not any(" rolls " in line for line in t.game.log_lines(s, since)):
            t.game.step(s, int(t.game.legal_actions(s)[0]))
        (line,) = [line for line in t.game.log_lines(s, since) if " rolls " in line][:1]
        counts[int(line.split(" rolls ")[1].split(":")[0])] += 1
    assert_frequent(counts, dict.fromkeys(range(1, 7), 1))


# ---------------------------------------------------------------------------------------------------------------- no dead ends


@pytest.mark.slow
@pytest.mark.rule("AW-T8", "AW-U9")
@pytest.mark.parametrize("pair", PAIRS)
def test_no_dead_ends(pair: Pair) -> None:
    ends = play_many(load(pair), 1_500, seed=5)
    assert ends["won"] > 750, ends


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("pair", PAIRS)
def test_no_dead_ends_in_a_million_games(pair: Pair, seed: int) -> None:
    play_many(load(pair), 20_000, seed=100 + seed)


@pytest.mark.rule("AW-T8")
def test_short_games_are_truncated() -> None:
    ends = play_many(load(PAIRS[0], max_turns=3), 4_000, seed=6)
    assert ends["truncated"] > 1_000, ends


def test_record_is_small() -> None:
    assert S.STATE.itemsize <= 1600


# ---------------------------------------------------------------------------------------------------------------- views


def by_zone(lines: list[str]) -> tuple[str, ...]:
    """The pieces that may differ: the history, if one part has lately done several things in the order of the zones."""
    hit = ("Damage at", "takes damage", "is removed", "is unharmed")
    several = any("Calling Step of" in line for line in lines) or sum(any(w in line for w in hit) for line in lines) > 1
    return ("history",) if several else ()


@pytest.mark.slow
@pytest.mark.rule("AW-M5")
@pytest.mark.parametrize(
    "pair", [("calligrapher", "dancer"), ("dancer", "calligrapher"), ("fortune_teller", "painter"), ("animator", "dj")]
)
@whole_games(5)
@given(seed=SEEDS)
def test_seats_are_alike(pair: tuple[str, str], seed: int) -> None:
    """The same game with the players in each other's seats looks the same to each of them, except for the seat's number.

    Only what goes by zone number comes in another order from the other side: damage to several zones, and the units that Calling Step
    moves at equal distance.
    """
    one = load(pair, first_player=0)
    two = load((pair[1], pair[0]), first_player=1)
    a, b = one.new(seed=seed), two.new(seed=seed)
    for name in ("hand", "deck", "deck_size"):
        b[name] = a[name][::-1]
    assert_seats_are_alike((one, two), (a, b), seed, SEAT, by_zone)


# ---------------------------------------------------------------------------------------------------------------- determinism


@pytest.mark.parametrize("pair", PAIRS)
def test_same_bytes(pair: Pair) -> None:
    assert_same_bytes(load(pair), 11)


@pytest.mark.slow
def test_same_bytes_uncompiled() -> None:
    cases = [PAIRS[0], (MASON, HERALD), (ORACLE, CLOCKMAKER)]
    found = uncompiled(__name__, f"[digest(load(pair), 12, 'batch', 40) for pair in {cases!r}]")
    assert found == repr([digest(load(pair), 12, "batch", 40) for pair in cases])
