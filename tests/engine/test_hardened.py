"""Compiled code reads and writes only what has been checked: any input leads to a result or to an error of the project."""

import copy
import itertools
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import react_env
from react_env.engine import kernels
from react_env.engine.batch import Batch, random_actions, seed_words
from react_env.engine.compile import COMPILED, njit
from react_env.engine.game import Game
from react_env.errors import BatchError, GameOver, OptionError, ReactEnvError, StateError
from react_env.replay import Replay
from tests import toy
from tests.conftest import loaded
from tests.engine.test_batch import everything, run
from tests.play import finished, position

N = 6


class Evil:
    """An object that fails whatever is asked of it."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise RuntimeError("no array")

    def __len__(self) -> int:
        raise RuntimeError("no length")


def read_only(array: np.ndarray) -> np.ndarray:
    array = array.copy()
    array.flags.writeable = False
    return array


def strange(shape: tuple[int, ...], dtype: Any) -> list[Any]:
    """Values to pass instead of an array of this shape and type."""
    good = np.zeros(shape, dtype)
    return [
        None,
        True,
        -1,
        2**70,
        1.5,
        "x",
        b"x",
        [],
        [0] * (shape[0] + 1),
        [[1], [2, 3]],
        {"a": 1},
        object(),
        Evil(),
        print,
        np.zeros((), dtype),
        np.zeros(0, dtype),
        good[:-1],
        np.zeros((*shape, 1), dtype),
        np.zeros((*shape[:-1], shape[-1] + 1), dtype),
        good.astype(np.float64),
        good.astype(object),
        good.astype("U1"),
        np.full(shape, np.nan),
        np.zeros((2, *shape), dtype)[:, ...][0:0],
    ]


def written(shape: tuple[int, ...], dtype: Any) -> list[Any]:
    """What compiled code cannot write to as such an array, even if its shape and type are right."""
    double = np.zeros((*shape[:-1], 2 * shape[-1]), dtype)[..., ::2]
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    odd = np.frombuffer(bytearray(size + 1), np.uint8)[1:].view(dtype).reshape(shape)
    cases = [case for case in strange(shape, dtype) if case is not None]
    return [*cases, read_only(np.zeros(shape, dtype)), double, *([odd] if not odd.flags.aligned else [])]


def calls(game: Game, batch: Batch, folder: Path) -> Iterator[tuple[str, Callable[[Any], Any], list[Any]]]:
    """Every public callable of the engine with one argument left open, and values that do not fit there."""
    state, words, seats = game.new(1), seed_words(1, N), np.zeros(N, np.int8)
    mask = batch.action_masks.copy()
    actions = np.argmax(mask, axis=1)
    numbers = [None, 1.5, "x", [], 2**70, -(2**70), np.zeros(2), Evil(), object(), np.nan]
    players = [-1, game.num_players, True, *numbers]
    records = [*strange((1,), np.int8), np.zeros(2, game.state_dtype), np.zeros(1, np.dtype([("rng", "u8")]))[0]]
    replay = Replay.record(game, [int(game.legal_actions(state)[0])], seed=1)
    yield "observe", lambda x: game.observe(x, 0), records
    yield "observe player", lambda x: game.observe(state, x), players
    yield "observe out", lambda x: game.observe(state, 0, out=x), written(game.observation_shape, np.int8)
    yield "step", lambda x: game.step(x, 0), records
    yield "step action", lambda x: game.step(state, x), [-1, game.num_actions, True, *numbers]
    for name in ("copy", "to_play", "action_mask", "legal_actions", "terminated", "truncated", "rewards", "save"):
        yield name, getattr(game, name), records
    for name in ("text", "status_lines", "log_lines", "event_count"):
        yield name, getattr(game, name), records
    yield "text player", lambda x: game.text(state, x), players[:2] + players[4:]
    yield "status player", lambda x: game.status_lines(state, x), players[:2] + players[4:]
    yield "log since", lambda x: game.log_lines(state, x), [n for n in numbers if not isinstance(n, int)]
    yield "action_text", lambda x: game.action_text(x, 0), records
    yield "action_text action", lambda x: game.action_text(state, x), [-1, game.num_actions, True, *numbers]
    yield "determinize", lambda x: game.determinize(x, 0, 0), records
    yield "determinize player", lambda x: game.determinize(state, x, 0), players
    seeds = [n for n in numbers if n is not None and not isinstance(n, int)]
    yield "determinize seed", lambda x: game.determinize(state, 0, x), seeds
    yield "new", game.new, seeds
    yield "new start", lambda x: game.new(start=x), [n for n in (*numbers, -1, 2**64) if n is not None]
    yield "restore", game.restore, [*strange((3,), np.int8), b"", b"RENV1\0\0\0" * 9, 10**15]
    yield "batch", game.batch, [0, -1, True, 10**15, *numbers]
    yield "batch seed", lambda x: game.batch(2, seed=x), seeds
    yield "batch threads", lambda x: game.batch(2, threads=x), [0, -1, True, *numbers[:4]]
    yield "reset", batch.reset, seeds
    yield "batch step", batch.step, strange((N,), np.int64)
    yield "batch step where", lambda x: batch.step(actions, x), strange((N,), np.int64)[1:]
    yield "checked", batch.checked, strange((N,), np.int64)
    yield "start where", lambda x: batch.start(x, words), strange((N,), np.int64)
    yield "start words", lambda x: batch.start(np.arange(N), x), strange((N,), np.uint64)
    yield "refresh", batch.refresh, [-1, 2**70, 1.5, "x", Evil(), print, [[1], [2]], [N], [0.5]]
    yield "step_random", batch.step_random, [None, *written((N,), np.uint64)]
    yield "random_actions", batch.random_actions, [None, *written((N,), np.uint64)]
    yield "random_actions out", lambda x: batch.random_actions(words, x), written((N,), np.int64)
    yield "against actions", lambda x: batch.step_against_random(x, seats, words), strange((N,), np.int64)[1:]
    beyond = [np.full(N, game.num_players, np.int8), np.full(N, -1, np.int8), np.full(N, -128, np.int8)]
    yield (
        "against seats",
        lambda x: batch.step_against_random(actions, x, words),
        [*strange((N,), np.int8), *beyond],
    )
    yield "against words", lambda x: batch.step_against_random(actions, seats, x), [None, *written((N,), np.uint64)]
    yield (
        "masks",
        lambda x: random_actions(x, words),
        [*strange((N,), np.int8), mask[:-1], mask.astype(np.int8), mask[:, :, None]],
    )
    yield "masks words", lambda x: random_actions(mask, x), [None, *written((N,), np.uint64)]
    yield "masks out", lambda x: random_actions(mask, words, x), written((N,), np.int64)
    yield "seed_words", lambda x: seed_words(x, 3), [None, *seeds]
    yield "seed_words count", lambda x: seed_words(0, x), [-1, 10**15, *numbers]
    yield "states", lambda x: batch.states.__setitem__(x, state), [N, -N - 1, "no", 1.5, Evil(), [0, "rng"], (1, 2)]
    yield "states value", lambda x: batch.states.__setitem__(0, x), [None, "x", Evil(), [1, 2], np.zeros(3), object()]
    yield "record", lambda x: Replay.record(game, x, seed=1), [*numbers[:3], [None], ["x"], [1.5], [10**30], Evil()]
    yield "record seed", lambda x: Replay.record(game, [], seed=x), [None, *seeds]
    yield "record start", lambda x: Replay.record(game, [], start=x), [-1, 2**64, *seeds]
    yield "record players", lambda x: Replay.record(game, [], seed=1, players=x), [1, ["a"], [1, 2], [None] * 2]
    yield "record game", lambda x: Replay.record(x, [], seed=1), numbers
    yield "replay states", lambda x: list(replay.states(x)), numbers[1:]
    yield "replay text", replay.text, numbers
    yield "replay save", lambda x: replay.save(folder / "a", x), numbers[1:]
    yield "replay check", replay.check, numbers
    yield "replay load", Replay.load, [*numbers, "", folder, folder / "none", b"\xff", "\0"]
    yield "replay parse", Replay.parse, [*numbers, "", b"x"]
    yield "load", react_env.load, ["", "chess", *numbers]


@pytest.mark.parametrize("name", ["toy, mixed", "arts_of_war-v0", "fight_sequence-v0"])
def test_whatever_is_given_the_error_is_one_of_the_project(name: str, tmp_path: Path) -> None:
    game = loaded(name)
    batch = game.batch(N, seed=3)
    wrong = []
    for call, ask, given in calls(game, batch, tmp_path):
        for value in given:
            try:
                ask(value)
            except ReactEnvError as error:
                assert len(str(error)) < 1500, call
            except BaseException as error:
                wrong.append(f"{call}({value!r:.60}): {error!r:.200}")
            else:
                wrong.append(f"{call}({value!r:.60}) is accepted")
    assert not wrong, "\n".join(wrong)
    batch.refresh() if batch.states.stale else None
    run(batch, 3)


def test_nothing_of_a_batch_can_be_replaced_or_written_to(game: Game) -> None:
    batch = game.batch(N, seed=3, keep_final=True)
    run(batch, 5)
    before = everything(batch)
    for name in ("observations", "action_masks", "to_play", "rewards", "terminated", "truncated", "final_observations"):
        array = getattr(batch, name)
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 1
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True
        with pytest.raises(ValueError, match="WRITEABLE"):
            array[:1].flags.writeable = True
        with pytest.raises(AttributeError):
            setattr(batch, name, array.copy())
    for name in ("states", "game", "num_games", "threads"):
        with pytest.raises(AttributeError):
            setattr(batch, name, getattr(batch, name))
        with pytest.raises(AttributeError):
            delattr(batch, name)
    for write in (
        lambda: batch.states["over"].__setitem__(0, 1),
        lambda: batch.states[0].__setitem__("table", 99),
        lambda: batch.states.view(np.uint8).__setitem__(0, 1),
        lambda: batch.states.fill(0),
        lambda: np.copyto(batch.states, np.zeros(N, game.state_dtype)),
        lambda: batch.states.setflags(write=True),
        lambda: batch.states["rng"].setflags(write=True),
        lambda: np.asarray(batch.states[0]).setflags(write=True),
    ):
        with pytest.raises(ValueError, match="read-only|WRITEABLE"):
            write()
    with pytest.raises(StateError, match="read-only"):
        game.step(batch.states[0], int(game.legal_actions(batch.states[0])[0]))
    assert everything(batch) == before
    assert not batch.states.stale


def test_records_and_columns_are_written_and_refreshed(game: Game) -> None:
    batch = game.batch(N, seed=3)
    words = seed_words(1, N)
    state = position(game, seed=8, steps=6)
    batch.states[2] = state
    kept = copy.deepcopy(batch)
    for twin in (batch, kept):
        for step in (
            lambda twin=twin: twin.step(np.argmax(twin.action_masks, axis=1)),
            lambda twin=twin: twin.step_random(words),
            lambda twin=twin: twin.step_against_random(None, np.zeros(N, np.int8), words),
            lambda twin=twin: twin.checked(np.argmax(twin.action_masks, axis=1)),
        ):
            with pytest.raises(BatchError, match="game 2: .* refresh"):
                step()
        twin.refresh([1])
        with pytest.raises(BatchError, match="game 2: .* refresh"):
            twin.step_random(words)
        twin.refresh([2])
        np.testing.assert_array_equal(twin.action_masks[2], game.action_mask(state))
        run(twin, 3)
    batch.states["rng"] = 7
    batch.start(np.arange(N), seed_words(0, N))
    batch.step_random(words)
    batch.states[:] = np.array([state] * N, game.state_dtype)
    batch.reset(0)
    batch.step_random(words)
    batch.states[np.arange(N) > 3] = state
    batch.states[:4] = state
    batch.states[["rng", "table"]] = np.array([(5, int(state["table"]))], [("rng", "u8"), ("table", "i2")])
    batch.refresh()
    assert (batch.states["rng"] == 5).all()
    taken = batch.states[[0, 1]]
    taken["rng"] = 3  # a copy, which anybody may change
    assert type(taken) is type(batch.states.copy()) is type(batch.states["rng"]) is np.ndarray
    assert (batch.states["rng"] == 5).all() and not batch.states.stale


@pytest.mark.parametrize("value", [-1, 1000, -32768, 32767])
def test_tables_that_do_not_exist_are_refused(game: Game, value: int) -> None:
    batch = game.batch(N, seed=3)
    batch.states["table"] = value
    with pytest.raises(BatchError, match="game 0: field table"):
        batch.refresh()
    with pytest.raises(BatchError, match="refresh"):
        batch.step_random(seed_words(0, N))
    state = game.new(0)
    state["table"] = value
    for ask in (game.action_mask, game.copy, game.save, game.text, lambda s: game.observe(s, 0)):
        with pytest.raises(StateError, match="table"):
            ask(state)


@pytest.mark.parametrize(("field", "value"), [("over", 3), ("over", -1), ("to_play", -1), ("to_play", 9)])
def test_what_every_game_has_is_checked(game: Game, field: str, value: int) -> None:
    batch = game.batch(N, seed=3)
    state = batch.states[4].copy()
    state[field] = value
    batch.states[4] = state
    with pytest.raises(BatchError, match=f"game 4: field {field}: impossible value {value}"):
        batch.refresh()
    with pytest.raises(StateError, match=f"field {field}: impossible value {value}"):
        game.restore(game.save(state))


@pytest.mark.parametrize(("name", "field"), [("arts_of_war-v0", "row"), ("fight_sequence-v0", "slot_card")])
def test_a_record_that_was_written_to_is_looked_at_before_it_is_used(name: str, field: str) -> None:
    game = loaded(name)
    state, twin = position(game, 5, 10), position(game, 5, 10)
    kept = np.asarray(state)[field].copy()
    action = int(game.legal_actions(state)[0])
    with pytest.raises(StateError, match="impossible value"):
        game.step(np.zeros(1, game.state_dtype)[0], 0)
    for ask in (
        lambda: game.action_mask(state),
        lambda: game.observe(state, 0),
        lambda: game.determinize(state, 0, 0),
        lambda: game.text(state),
        lambda: game.status_lines(state, 1),
        lambda: game.action_text(state, action),
        lambda: game.log_lines(state),
        lambda: game.step(state, action),
    ):
        np.asarray(state)[field] = 99
        before = state.tobytes()
        with pytest.raises(StateError, match=f"field {field}: impossible value"):
            ask()
        assert state.tobytes() == before
        np.asarray(state)[field] = kept
        ask()
    game.step(twin, action)  # nobody wrote to this one
    assert state.tobytes() == twin.tobytes()


@pytest.mark.skipif(not COMPILED, reason="it is Python's own hash")
def test_the_mark_of_a_record_tells_any_change_of_it(game: Game) -> None:
    states = np.zeros(1, game.state_dtype)
    data = states.view(np.uint8)
    marks = set()
    for place in range(len(data)):
        for value in (0, 1, 2, 128, 255):
            data[place] = value
            marks.add(int(kernels.mark(states)))
        data[place] = 0
    assert len(marks) == 4 * len(data) + 1
    data[:] = np.random.default_rng(0).integers(0, 256, len(data))
    marks = {int(kernels.mark(states))}
    for one, other in itertools.pairwise(range(0, len(data), 3)):
        data[[one, other]] = data[[other, one]]
        marks.add(int(kernels.mark(states)))
        marks.add(int(kernels.mark(states)))
    assert len(marks) > len(data) // 3 - 20  # some of the swapped bytes were alike


def test_arrays_of_any_make_step_without_another_compilation(game: Game) -> None:
    if not COMPILED:
        pytest.skip("nothing is compiled")
    batch = game.batch(N, seed=3)
    batch.warm()
    words = seed_words(1, N)
    functions = (game.kernels.drive, kernels.first_problem, kernels._random_actions, kernels.first_beyond)
    before = [len(f.signatures) for f in functions]
    batch.step(read_only(batch.random_actions(words)))
    batch.step(np.repeat(batch.random_actions(words), 2)[::2])
    odd = np.frombuffer(bytearray(8 * N + 1), np.uint8)[1:].view(np.int64)
    odd[:] = batch.random_actions(words)
    batch.step(odd, where=read_only(np.arange(N)))
    batch.step_against_random(None, read_only(np.zeros(N, np.int8)), words)
    random_actions(batch.action_masks, words)
    batch.refresh(read_only(np.arange(N)))
    batch.start(read_only(np.arange(N)), read_only(words))
    assert [len(f.signatures) for f in functions] == before


def test_a_batch_at_work_is_not_touched_by_another_thread() -> None:
    game = loaded("arts_of_war-v0")
    batch, words = game.batch(500, seed=3), seed_words(1, 500)
    reasons: list[str] = []

    def play() -> None:
        for _ in range(100):
            try:
                batch.step(batch.random_actions(words))
            except ReactEnvError as error:
                reasons.append(str(error))

    threads = [threading.Thread(target=play) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # Another thread may have stepped between mask and step, or may be at work.
    assert all("not legal now" in reason or "another thread" in reason for reason in reasons)
    batch.states[0] = game.new(1)
    batch.refresh()
    asked = (
        batch.reset,
        batch.refresh,
        lambda: batch.step_random(words),
        lambda: batch.random_actions(words),
        lambda: batch.states.__setitem__(0, 0),
    )
    with batch._lock:
        for ask in asked:
            with pytest.raises(BatchError, match="another thread"):
                ask()
    batch.step_random(words)


def test_others_who_never_come_to_an_end_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("react_env.engine.kernels.MOST_MOVES", 1000)  # compiled code keeps its own value
    rules = toy.load().rules
    fields = [
        (name, ("f4", 3) if name == "reward" else rules.state_dtype[name]) for name in rules.state_dtype.names or ()
    ]
    three = replace(rules, state_dtype=np.dtype((np.record, fields)), reset=_first_alone, apply=_again)
    game = Game(replace(three, identity=replace(rules.identity, id="toy-one_seat-v0")))
    batch = game.batch(2, seed=0)
    with pytest.raises(BatchError, match="moves in one step"):
        batch.step_against_random(None, np.full(2, 2, np.int8), seed_words(0, 2))


@njit
def _first_alone(s: Any, t: Any, mask: Any) -> None:
    mask[:] = True


@njit
def _again(s: Any, t: Any, action: Any, mask: Any) -> None:
    mask[:] = True


def test_games_that_are_over_are_not_stepped(game: Game) -> None:
    batch = game.batch(N, seed=3)
    batch.states[1] = finished(game, 1)
    batch.refresh()
    for step in (
        lambda: batch.step(np.zeros(N, np.int64)),
        lambda: batch.step_random(seed_words(0, N)),
        lambda: batch.step_against_random(None, batch.to_play.copy(), seed_words(0, N)),
    ):
        with pytest.raises((GameOver, ReactEnvError)):
            step()
    assert list(itertools.islice(batch.states["over"], 2)) == [0, batch.states[1]["over"]]
    with pytest.raises(OptionError):
        game.observe(batch.states[1], 0, out=np.zeros(0, np.int8))
