"""What must hold at every decision of random games of any game: no leaks, no dead ends, the same bytes however they are played."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

from react_env.engine.batch import seed_words

ROOT = Path(__file__).resolve().parents[1]
LONGEST = 20_000  # decisions; no random game gets this far


def whole_games(few: int) -> settings:
    """Settings for `few` whole games as examples in the quick suite, and twenty times as many in the long one."""
    return settings(max_examples=few * (20 if settings.get_current_profile_name() == "long" else 1))


Chooser = Callable[[Any, list[int]], int]  # choose one of the legal actions with a NumPy Generator or a random.Random


def uniform(rng: Any, legal: list[int]) -> int:
    """Any legal action."""
    return int(rng.choice(legal))


def decisions(game: Any, seed: int, limit: int = 400, choose: Chooser = uniform) -> Iterator[Any]:
    """The states of a random game, before each action; the state at the end, too."""
    rng = np.random.default_rng(seed)
    state = game.new(seed=seed)
    for _ in range(limit):
        yield state
        if game.terminated(state) or game.truncated(state):
            return
        game.step(state, choose(rng, game.legal_actions(state).tolist()))


def features_not_met(game: Any, games: int = 60) -> set[str]:
    """The names of the features that are 0 at every decision of `games` random games; all must be finite and small, with distinct names."""
    names, features = game.heuristics.feature_names, game.heuristics.features
    met = np.zeros(len(names), np.bool_)
    out = np.zeros(len(names), np.float32)
    for seed in range(games):
        for state in decisions(game, seed):
            row = np.array([state], game.state_dtype).view(np.recarray)[0]
            features(row, game.tables[row.table], seed % game.num_players, out)
            assert np.isfinite(out).all() and np.abs(out).max() < 20
            met |= out != 0
    assert len(set(names)) == len(names)
    return {name for name, one in zip(names, met, strict=True) if not one}


# ---------------------------------------------------------------------------------------------------------------- leaks


def seen(game: Any, state: Any, player: int) -> list[Any]:
    """Everything that is shown to a player."""
    shown = [
        game.observe(state, player).tobytes(),
        game.text(state, player),
        game.status_lines(state, player),
        game.log_lines(state),
    ]
    if game.event_count(state) % 8 == 0:  # a picture takes longer than everything else
        shown.append(game.svg(state, player))
    shown.append(game.determinize(state, player, 7).tobytes())  # what a bot that plans ahead is given
    if not state["over"] and game.to_play(state) == player:
        shown.append([(int(action), game.action_text(state, int(action))) for action in game.legal_actions(state)])
    return shown


def assert_no_leak(game: Any, state: Any, seed: int) -> None:
    """A player sees the same if what that player cannot know is dealt anew."""
    for player in range(game.num_players):
        shown = seen(game, state, player)
        assert seen(game, game.determinize(state, player, seed), player) == shown, f"player {player} can tell"


class Leaking:
    """A game whose observations give away, in their first number, what `look` finds in (state, player)."""

    def __init__(self, game: Any, look: Callable[[Any, int], Any]) -> None:
        self.game, self.look = game, look

    def __getattr__(self, name: str) -> Any:
        return getattr(self.game, name)

    def observe(self, state: Any, player: int) -> Any:
        observation = self.game.observe(state, player)
        observation[0] = self.look(state, player)
        return observation


def assert_leak_is_caught(game: Any, look: Callable[[Any, int], Any], seed: int) -> None:
    """`assert_no_leak` notices an observation that shows what `look` finds."""
    leaking = Leaking(game, look)
    with pytest.raises(AssertionError, match="can tell"):
        for number, state in enumerate(decisions(leaking, seed)):
            assert_no_leak(leaking, state, number)


def assert_frequent(counts: Mapping[Any, int], weights: Mapping[Any, float]) -> None:
    """Outcomes were drawn in proportion to their weights (chi-square test, 0.1 %)."""
    assert set(counts) == set(weights), set(counts) ^ set(weights)
    draws, total = sum(counts.values()), sum(weights.values())
    chi = sum((counts[world] - draws * w / total) ** 2 / (draws * w / total) for world, w in weights.items())
    freedom = len(weights) - 1
    # This bound is beyond the 99.9 % point for any number of degrees of freedom.
    assert chi < freedom + 3.1 * (2 * freedom) ** 0.5 + 6, (chi, freedom)


# ---------------------------------------------------------------------------------------------------------------- no dead ends


def play_many(game: Any, games: int, seed: int) -> Counter[str]:
    """Random games side by side: every decision has an action, every game ends, rewards sum to zero, observations fit."""
    size = min(games, 4096)
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
        assert age.max() < LONGEST, "a game does not end"
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


# ---------------------------------------------------------------------------------------------------------------- seats


def assert_seats_are_alike(
    games: tuple[Any, Any],
    states: tuple[Any, Any],
    seed: int,
    seat: tuple[str, int],
    excused: Callable[[list[str]], Sequence[str]] = lambda lines: (),
) -> None:
    """Two games with the players in each other's seats, played alike, look the same to each player.

    `seat`: the piece, and the place in it, that tell a player's own seat. `excused`: the pieces that may differ after these log lines.
    """
    one, two = games
    a, b = states
    piece, place = seat
    rng = np.random.default_rng(seed)
    for _ in range(LONGEST):
        for player in (0, 1):
            views = one.observe(a, player), two.observe(b, 1 - player)
            assert [one.layout.view(view, piece)[place] for view in views] == [player, 1 - player]
            for view in views:
                one.layout.view(view, piece)[place] = 0
            may = excused(one.log_lines(a)[-12:])
            other = [
                name
                for name, (part, _, _) in one.observation_pieces.items()
                if (views[0][part] != views[1][part]).any() and name not in may
            ]
            assert not other, (other, one.text(a), two.text(b))
        if a["over"]:
            assert a["over"] == b["over"] and a["reward"].tolist() == b["reward"].tolist()[::-1]
            return
        assert one.to_play(a) == 1 - two.to_play(b)
        assert np.array_equal(one.action_mask(a), two.action_mask(b))
        action = int(rng.choice(one.legal_actions(a)))
        one.step(a, action)
        two.step(b, action)
    raise AssertionError("the game does not end")


# ---------------------------------------------------------------------------------------------------------------- determinism


def digest(game: Any, seed: int, how: str = "alone", steps: int = 60) -> str:
    """A hash of everything that happens in some random games, played alone, in a batch, by two threads, or restored before each action."""
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


def assert_same_bytes(game: Any, seed: int, steps: int = 200) -> None:
    """Games have the same bytes alone, in a batch, by two threads, and saved and restored before every action."""
    assert len({digest(game, seed, how, steps) for how in ("alone", "batch", "threads", "restored")}) == 1


def uncompiled(module: str, expression: str) -> str:
    """The value of an expression with names of a module, as text, from a process in which nothing is compiled."""
    run = subprocess.run(
        [sys.executable, "-c", f"from {module} import *; print({expression})"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()[-1]
