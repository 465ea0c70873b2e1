"""What holds at every decision of whole random games: nothing leaks, nothing is stuck, views agree, same bytes however it is played."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import react_env
from react_env.engine.batch import seed_words
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.actions import A_END_TURN
from tests.arts_of_war.positions import intention, kit, reaction, table

HERE = Path(__file__).parent
GAME = "arts_of_war-v0"
MASON, HERALD, ORACLE, CLOCKMAKER = (
    str(HERE / "editions" / f"{name}.yaml") for name in ("mason", "herald", "oracle", "clockmaker")
)
Pair = tuple[str, str] | str  # two artists, or "random"
PAIRS: list[Pair] = [
    ("calligrapher", "dancer"),
    ("dancer", "calligrapher"),
    (MASON, HERALD),
    (ORACLE, CLOCKMAKER),
    ("fortune_teller", "painter"),
    "random",
]
SEAT = 4  # of the piece `turn`: which player I am
SEEDS = st.integers(0, 2**32)


@cache
def load(pair: Pair, **rules: Any) -> Any:
    return react_env.load(GAME, artists=pair, **rules)


def decisions(game: Any, seed: int, limit: int = 400) -> Iterator[Any]:
    """The states of a random game, before each action; the state at the end, too."""
    rng = np.random.default_rng(seed)
    state = game.new(seed=seed)
    for _ in range(limit):
        yield state
        if game.terminated(state) or game.truncated(state):
            return
        game.step(state, int(rng.choice(game.legal_actions(state))))


# ---------------------------------------------------------------------------------------------------------------- leaks


def seen(game: Any, state: Any, player: int) -> list[Any]:
    """Everything that is shown to a player."""
    shown = [
        game.observe(state, player).tobytes(),
        game.text(state, player),
        game.status_lines(state, player),
        game.log_lines(state),
    ]
    shown.append(game.determinize(state, player, 7).tobytes())  # what a bot that plans ahead is given
    if not state["over"] and game.to_play(state) == player:
        shown.append([(int(action), game.action_text(state, int(action))) for action in game.legal_actions(state)])
    return shown


def assert_no_leak(game: Any, state: Any, seed: int) -> None:
    """What a player cannot know, dealt otherwise, looks the same."""
    for player in (0, 1):
        shown = seen(game, state, player)
        assert seen(game, game.determinize(state, player, seed), player) == shown, f"player {player} can tell"


@pytest.mark.rule("AW-I1", "AW-I2")
@pytest.mark.parametrize("pair", PAIRS)
@settings(max_examples=5)
@given(seed=SEEDS)
def test_nothing_leaks(pair: Pair, seed: int) -> None:
    game = load(pair)
    for number, state in enumerate(decisions(game, seed)):
        assert_no_leak(game, state, seed + number)


def test_a_leak_is_caught() -> None:
    """An observation that shows one card of the opponent's hand, or what lies on top of the own deck."""
    game = load(PAIRS[0])

    class Leaking:
        def __init__(self, look: Any) -> None:
            self.look = look

        def __getattr__(self, name: str) -> Any:
            return getattr(game, name)

        def observe(self, state: Any, player: int) -> Any:
            observation = game.observe(state, player)
            observation[0] = self.look(state, player)
            return observation

    looks = (
        lambda state, player: state["hand"][1 - player, 2] > 1,
        lambda state, player: state["deck"][player, max(state["deck_size"][player] - 1, 0)],
        lambda state, player: state["rng"] % 2,
    )
    for look in looks:
        leaking = Leaking(look)
        with pytest.raises(AssertionError, match="can tell"):
            for number, state in enumerate(decisions(leaking, 3)):
                assert_no_leak(leaking, state, number)


@pytest.mark.rule("AW-I1")
def test_determinize_is_uniform() -> None:
    """Of 2 + 1 hidden cards of three kinds each of the equally many worlds comes as often: chi-square, 0.1 %."""
    t = table(kit("ann"), kit("ben", One=[reaction()], Two=[reaction()], Three=[reaction()]))
    t.give(1, "One", "Two")
    t.deck(1, "Three", "One")
    t.deck(0, "Blank 1", "Blank 2")
    counts: Counter[Any] = Counter()
    draws = 6000
    for seed in range(draws):
        s = t.game.determinize(t.state, 0, seed)
        counts[tuple(s["hand"][1].tolist()), tuple(s["deck"][1, :2].tolist()), tuple(s["deck"][0, :2].tolist())] += 1
    # Worlds by the order of the four cards (two of them alike): a hand without order, then a deck with order.
    weights: Counter[Any] = Counter()
    cards = [0, 1, 2, 0]
    for i in range(4):
        for j in range(4):
            if i != j:
                held = [card for k, card in enumerate(cards) if k not in (i, j)]
                for own in ((0, 1), (1, 0)):
                    weights[tuple(held.count(card) for card in range(4)), (cards[i], cards[j]), own] += 1
    assert set(counts) == set(weights)
    total = sum(weights.values())
    chi = sum((counts[world] - draws * w / total) ** 2 / (draws * w / total) for world, w in weights.items())
    freedom = len(weights) - 1
    assert chi < freedom + 3.1 * (2 * freedom) ** 0.5 + 6, (
        chi,
        freedom,
    )  # beyond the 99.9 % point for these degrees of freedom


@pytest.mark.rule("AW-I1")
@pytest.mark.parametrize("choosing", [False, True])
def test_determinize_knows_of_face_down_cards_that_they_are_reactions(choosing: bool) -> None:
    """The opponent lays one face down (or is about to): of four hidden cards, one that has a Reaction; chi-square, 0.1 %."""
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
        below = int(s["frame_regs"][0, S.R_FIRST] if choosing else s["face_down"][2])
        counts[below, tuple(s["hand"][1].tolist()), int(s["deck"][1, 0])] += 1
    # One of the two Reactions lies there; of the other Reaction and twice Three, one is the deck and two are the hand.
    weights: Counter[Any] = Counter()
    for below in (0, 1):
        for deck in (1 - below, 2, 2):
            held = [1 - below, 2, 2]
            held.remove(deck)
            if choosing:
                held.append(below)
            weights[below, tuple(held.count(card) for card in range(4)), deck] += 1
    assert set(counts) == set(weights)
    total = sum(weights.values())
    chi = sum((counts[world] - draws * w / total) ** 2 / (draws * w / total) for world, w in weights.items())
    assert chi < 20.5, chi  # the 99.9 % point of 5 degrees of freedom; these have 3


@pytest.mark.parametrize("artist", ["painter"])
def test_dice_are_fair(artist: str) -> None:
    """Each face as often: chi-square, 0.1 %."""
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
    assert set(counts) == set(range(1, 7))
    assert sum((n - draws / 6) ** 2 / (draws / 6) for n in counts.values()) < 20.5


# ---------------------------------------------------------------------------------------------------------------- no dead ends


def play_many(pair: Pair, games: int, seed: int, **rules: Any) -> Counter[str]:
    """Random games side by side: every decision has an action, every game ends, rewards sum to zero, observations fit."""
    game = load(pair, **rules)
    size = 4096
    batch = game.batch(size, seed=seed, keep_final=True)
    words = seed_words(seed + 1, size)
    low, high = game.layout.low, game.layout.high
    ends: Counter[str] = Counter()
    age = np.zeros(size, np.int64)
    steps = 0
    while sum(ends.values()) < games:
        assert batch.action_masks.any(axis=1).all(), "a decision without a legal action"
        batch.step(batch.random_actions(words))
        over = batch.terminated | batch.truncated
        age = np.where(over, 0, age + 1)
        assert age.max() < 20_000, "a game does not end"
        assert not (batch.terminated & batch.truncated).any()
        assert (batch.rewards.sum(axis=1) == 0).all() and not batch.rewards[~batch.terminated].any()
        ends["won"] += int((batch.rewards[:, 0] != 0).sum())
        ends["tied"] += int((batch.terminated & (batch.rewards[:, 0] == 0)).sum())
        ends["truncated"] += int(batch.truncated.sum())
        if steps % 32 == 0:
            assert (batch.observations >= low).all() and (batch.observations <= high).all()
            for final in batch.final_observations[over]:
                assert (final >= low).all() and (final <= high).all()
            assert (batch.action_masks.sum(axis=1) > 1).all(), "a decision with a single action is none"
        steps += 1
    return ends


@pytest.mark.rule("AW-T8", "AW-U9")
@pytest.mark.parametrize("pair", PAIRS)
def test_no_dead_ends(pair: Pair) -> None:
    ends = play_many(pair, 20_000, seed=5)
    assert ends["won"] > 10_000, ends


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("pair", PAIRS)
def test_no_dead_ends_in_a_million_games(pair: Pair, seed: int) -> None:
    play_many(pair, 20_000, seed=100 + seed)


@pytest.mark.rule("AW-T8")
def test_short_games_are_truncated() -> None:
    ends = play_many(PAIRS[0], 4_000, seed=6, max_turns=3)
    assert ends["truncated"] > 1_000, ends


def test_record_is_small() -> None:
    assert S.STATE.itemsize <= 3072


# ---------------------------------------------------------------------------------------------------------------- views


def by_zone(lines: list[str]) -> bool:
    """Whether one part did several things in the order of the zones, of late."""
    hit = ("Damage at", "takes damage", "is removed", "is unharmed")
    return any("Calling Step of" in line for line in lines) or sum(any(w in line for w in hit) for line in lines) > 1


@pytest.mark.rule("AW-M5")
@pytest.mark.parametrize(
    "pair", [("calligrapher", "dancer"), ("dancer", "calligrapher"), ("fortune_teller", "painter"), ("animator", "dj")]
)
@settings(max_examples=15)
@given(seed=SEEDS)
def test_seats_are_alike(pair: tuple[str, str], seed: int) -> None:
    """The same game with the players in each other's seats looks the same to each of them, but for the number of the seat.

    Only what goes by zone number comes in another order from the other side: damage to several zones, and the units that Calling Step
    moves at equal distance.
    """
    one = load(pair, first_player=0)
    two = load((pair[1], pair[0]), first_player=1)
    a, b = one.new(seed=seed), two.new(seed=seed)
    for name in ("hand", "deck", "deck_size"):
        b[name] = a[name][::-1]
    rng = np.random.default_rng(seed)
    for _ in range(500):
        for player in (0, 1):
            views = one.observe(a, player), two.observe(b, 1 - player)
            assert [one.layout.view(view, "turn")[SEAT] for view in views] == [player, 1 - player]
            for view in views:
                one.layout.view(view, "turn")[SEAT] = 0
            other = [
                name
                for name, (place, _, _) in one.observation_pieces.items()
                if (views[0][place] != views[1][place]).any()
            ]
            if other == ["history"] and by_zone(one.log_lines(a)[-12:]):
                other = []
            assert not other, (other, one.text(a), two.text(b))
        if a["over"]:
            assert a["reward"].tolist() == b["reward"].tolist()[::-1]
            return
        assert one.to_play(a) == 1 - two.to_play(b)
        assert np.array_equal(one.action_mask(a), two.action_mask(b))
        action = int(rng.choice(one.legal_actions(a)))
        one.step(a, action)
        two.step(b, action)


# ---------------------------------------------------------------------------------------------------------------- determinism


def digest(pair: Pair, seed: int, how: str = "alone", steps: int = 60) -> str:
    """A hash of everything that happens in some random games, played in one of several ways."""
    game = load(pair)
    count = 4
    hashed = hashlib.sha256()
    words = seed_words(seed + 1, count)
    batch = game.batch(count, seed=seed, threads=2 if how == "threads" else 1)
    for _ in range(steps):
        actions = batch.random_actions(words)
        if how in ("alone", "restored"):
            for i in range(count):
                state = batch.states[i].copy() if how == "alone" else game.restore(game.save(batch.states[i]))
                game.step(state, int(actions[i]))
                if not state["over"]:
                    hashed.update(state.tobytes() + game.action_mask(state).tobytes())
                    hashed.update(game.observe(state, game.to_play(state)).tobytes())
            batch.step(actions)
        else:
            batch.step(actions)
            for i in np.flatnonzero(~(batch.terminated | batch.truncated)):
                hashed.update(
                    batch.states[i].tobytes() + batch.action_masks[i].tobytes() + batch.observations[i].tobytes()
                )
    return hashed.hexdigest()


@pytest.mark.parametrize("pair", PAIRS)
def test_same_bytes(pair: Pair) -> None:
    """Alone, in a batch, by two threads, saved and restored before every action."""
    assert len({digest(pair, 11, how, 200) for how in ("alone", "batch", "threads", "restored")}) == 1


@pytest.mark.parametrize("pair", [PAIRS[0], (MASON, HERALD), (ORACLE, CLOCKMAKER)])
def test_same_bytes_uncompiled(pair: Pair) -> None:
    code = f"from tests.arts_of_war.test_properties import digest; print(digest({pair!r}, 12, 'batch', 40))"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        cwd=HERE.parents[1],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split()[-1] == digest(pair, 12, "batch", 40)
