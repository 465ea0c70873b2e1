"""Copies made in the middle of games go on exactly as their originals, and neither touches the other."""

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from react_env.engine.batch import seed_words
from react_env.engine.game import Game
from react_env.replay import Replay
from tests import toy
from tests.engine.test_batch import everything, run
from tests.play import position, random_game

N = 12
WAYS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
}
ways = pytest.mark.parametrize("way", WAYS)


@pytest.fixture(autouse=True)
def small_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let even a few games be shared by threads."""
    monkeypatch.setattr("react_env.engine.batch._SHARE", 1)


@ways
@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_goes_on_as_its_copy(game: Game, way: str, threads: int) -> None:
    batch = game.batch(N, seed=3, threads=threads, keep_final=True)
    run(batch, 25)
    other = WAYS[way](batch)
    before = everything(batch)
    assert everything(other) == before
    run(other, 60)
    assert everything(batch) == before != everything(other), "stepping the copy leaves the original as it was"
    run(batch, 60)
    assert everything(batch) == everything(other)
    words, same = (seed_words(4, N) for _ in range(2))
    seats = np.zeros(N, np.int8)
    for twin, stream in ((batch, words), (other, same)):
        twin.step_random(stream)
        twin.step_against_random(None, seats, stream)
        twin.start([2], np.array([5], np.uint64))
        twin.refresh()
    assert everything(batch) == everything(other)
    np.testing.assert_array_equal(words, same)
    after = everything(other)
    run(batch, 20)
    assert everything(other) == after, "stepping the original leaves the copy as it was"


@ways
def test_a_closed_batch_is_copied(game: Game, way: str) -> None:
    batch = game.batch(N, seed=3, threads=2)
    batch.close()
    other = WAYS[way](batch)
    run(batch, 5)
    run(other, 5)
    assert everything(batch) == everything(other)


@ways
def test_a_record_goes_on_as_its_copy(game: Game, way: str) -> None:
    state = position(game, seed=5, steps=9)
    before = state.tobytes()
    other = WAYS[way](state)
    if way == "pickle":
        other = game.copy(other)  # NumPy makes unpickled records read-only
    assert other.tobytes() == before
    for (ours, action), (theirs, same) in zip(random_game(game, 1, state), random_game(game, 1, other), strict=True):
        assert (ours.tobytes(), action) == (theirs.tobytes(), same)
    assert state.tobytes() == other.tobytes() != before


@ways
def test_what_never_changes_is_copied(game: Game, way: str) -> None:
    layout = WAYS[way](game.layout)
    assert layout.pieces == game.layout.pieces
    for name in ("low", "high", "scale"):
        np.testing.assert_array_equal(getattr(layout, name), getattr(game.layout, name))
        assert not getattr(layout, name).flags.writeable
    other = WAYS[way](game)
    assert (other is game) == (way != "pickle")
    assert other.new(5).tobytes() == game.new(5).tobytes()
    replay = Replay.record(game, [int(game.legal_actions(game.new(1))[0])], seed=1)
    assert WAYS[way](replay) == replay
    assert WAYS[way](replay).text(game) == replay.text(game)


def test_a_game_from_another_process_knows_the_card_files_of_its_player() -> None:
    """Past bug: the copy knew no card files, so that replays of it could not carry them."""
    game = toy.load()
    game.files = {Path("mine.yaml"): "cards"}
    assert pickle.loads(pickle.dumps(game)).files == game.files


def test_a_game_that_nothing_loads_again_says_so() -> None:
    game = toy.load()
    lost = Game(replace(game.rules, identity=replace(game.rules.identity, load=None)), game.heuristics)
    with pytest.raises(TypeError, match="toy-v0 cannot be pickled: its Identity has no load"):
        pickle.dumps(lost)
