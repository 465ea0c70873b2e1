"""Many games at once: the same as each alone, whatever the number of threads; restarts; errors before any change."""

from typing import Any

import numpy as np
import pytest

from react_env.engine.batch import Batch, random_actions, seed_words
from react_env.engine.game import Game
from react_env.engine.rng import seed_word
from react_env.errors import BatchError, GameOver, IllegalAction, OptionError
from tests.play import finished

N = 24


@pytest.fixture(autouse=True)
def small_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let even a few games be shared by threads."""
    monkeypatch.setattr("react_env.engine.batch._SHARE", 1)


def everything(batch: Batch) -> tuple[bytes, ...]:
    """The bytes of everything that a step may change."""
    return tuple(
        array.tobytes()
        for array in (
            batch.states,
            batch.observations,
            batch.action_masks,
            batch.to_play,
            batch.rewards,
            batch.terminated,
            batch.truncated,
            batch.final_observations,
        )
    )


def run(batch: Batch, steps: int, seed: int = 1) -> None:
    """Random steps of all games."""
    words = seed_words(seed, len(batch))
    for _ in range(steps):
        batch.step(batch.random_actions(words))


def test_seed_words() -> None:
    for seed in (0, 7, -3, 2**70):
        assert seed_words(seed, 5).tolist() == [seed_word(seed, i) for i in range(5)]


def test_shapes(game: Game) -> None:
    batch = game.batch(N, seed=0)
    (size,) = game.observation_shape
    assert len(batch) == batch.num_games == N
    assert (batch.observations.shape, batch.observations.dtype) == ((N, size), np.int8)
    assert (batch.action_masks.shape, batch.action_masks.dtype) == ((N, game.num_actions), np.bool_)
    assert (batch.rewards.shape, batch.rewards.dtype) == ((N, game.num_players), np.float32)
    assert (batch.to_play.shape, batch.terminated.shape, batch.truncated.shape) == ((N,), (N,), (N,))
    assert (batch.states.shape, batch.states.dtype) == ((N,), game.state_dtype)
    assert batch.final_observations.size == 0
    for wrong in ({"num_games": 0}, {"num_games": 2.5}, {"num_games": 2, "threads": 0}):
        with pytest.raises(BatchError):
            game.batch(**wrong)


def test_a_game_of_a_batch_is_the_game_alone(game: Game) -> None:
    batch = game.batch(N // 2, seed=5, keep_final=True)
    alone = [game.copy(state) for state in batch.states]
    assert alone[0].tobytes() == game.new(5).tobytes()
    words = seed_words(2, N // 2)
    ends = 0
    for number in range(400):
        if ends and number >= 60:
            break
        actions = batch.random_actions(words)
        batch.step(actions)
        for i, state in enumerate(alone):
            game.step(state, int(actions[i]))
            np.testing.assert_array_equal(batch.rewards[i], game.rewards(state))
            assert batch.terminated[i] == game.terminated(state)
            assert batch.truncated[i] == game.truncated(state)
            if game.terminated(state) or game.truncated(state):
                ends += 1
                for player in range(game.num_players):
                    np.testing.assert_array_equal(batch.final_observations[i, player], game.observe(state, player))
                fresh = game.new(start=int(game_word(state)))
                assert batch.states[i].tobytes() == fresh.tobytes(), "the next game goes on with the random stream"
                alone[i] = fresh
            state = alone[i]
            assert batch.states[i].tobytes() == state.tobytes()
            assert batch.to_play[i] == game.to_play(state)
            np.testing.assert_array_equal(batch.action_masks[i], game.action_mask(state))
            np.testing.assert_array_equal(batch.observations[i], game.observe(state, game.to_play(state)))
    assert ends


def game_word(state: Any) -> int:
    """The next word of a finished game's random stream, as the engine draws it for the next game."""
    mask = 0xFFFFFFFFFFFFFFFF
    z = (int(state["rng"]) + 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_nothing(game: Game, threads: int) -> None:
    one, many = (game.batch(N + 1, seed=3, threads=t, keep_final=True) for t in (1, threads))
    run(one, 200)
    run(many, 200)
    assert everything(one) == everything(many)
    many.close()
    run(one, 5)
    run(many, 5)
    assert everything(one) == everything(many)


def test_each_game_may_have_a_seed_of_its_own(game: Game) -> None:
    for seeds in ([5, 7, 5], (5, 7, 5), np.array([5, 7, 5])):
        batch = game.batch(3, seed=seeds)
        for state, seed in zip(batch.states, seeds, strict=True):
            assert state.tobytes() == game.new(int(seed)).tobytes()
        batch.reset([1, 2, 3])
        assert batch.states[1].tobytes() == game.new(2).tobytes()
    with pytest.raises(BatchError, match="seed has 2 entries for 3 games: give one integer, or one for each game"):
        game.batch(3, seed=[1, 2])
    for wrong in ([1, 2, 0.5], "abc", 1.5, [1, 2, None]):
        with pytest.raises(OptionError, match="a seed is an integer, not"):
            game.batch(3, seed=wrong)  # type: ignore[arg-type]


def test_the_same_seed_and_a_new_start(game: Game) -> None:
    batch = game.batch(N, seed=3)
    first = everything(batch)
    run(batch, 30)
    assert everything(batch) != first
    batch.reset(3)
    assert everything(batch) == first
    assert everything(game.batch(N)) != everything(game.batch(N))


def test_some_games_step_and_the_others_stay(game: Game) -> None:
    batch, whole = (game.batch(N, seed=4) for _ in range(2))
    words = seed_words(1, N)
    for _ in range(60):
        actions = batch.random_actions(words)
        whole.step(actions)
        told = np.zeros((N, game.num_players), np.float32)
        for where in (np.arange(0, N, 2), np.arange(1, N, 2)[::-1]):
            others = np.setdiff1d(np.arange(N), where)
            before = batch.states[others].tobytes(), batch.observations[others].tobytes()
            batch.step(actions[where], where)
            assert (batch.states[others].tobytes(), batch.observations[others].tobytes()) == before
            assert not batch.rewards[others].any() and not (batch.terminated | batch.truncated)[others].any()
            told += batch.rewards
        np.testing.assert_array_equal(told, whole.rewards)
        assert everything(batch)[:4] == everything(whole)[:4]


def test_wrong_arguments_change_nothing(game: Game) -> None:
    batch = game.batch(N, seed=6, keep_final=True)
    run(batch, 10)
    before = everything(batch)
    good = np.argmax(batch.action_masks, axis=1)
    cases: list[tuple[Any, Any, type[Exception], str]] = [
        (good[:-1], None, BatchError, "shape"),
        (good[None], None, BatchError, "shape"),
        (good.astype(float), None, BatchError, "integers"),
        (good.astype(bool), None, BatchError, "integers"),
        (good, np.arange(N - 1), BatchError, "shape"),
        (good[:2], [0, N], BatchError, f"no game {N}"),
        (good[:2], [-1, 0], BatchError, "no game -1"),
        (good[[1, 2, 1]], [1, 2, 1], BatchError, r"where\[2\]: game 1"),
        (good[:2], [0.0, 1.0], BatchError, "integer indices"),
        (good[:2], [[0, 1]], BatchError, "shape"),
    ]
    for actions, where, kind, reason in cases:
        with pytest.raises(kind, match=reason):
            batch.step(actions, where)
        assert everything(batch) == before
    for wrong in (-1, game.num_actions, 2**62, int(np.argmin(batch.action_masks[N - 2]))):
        actions = good.copy()
        actions[N - 2 :] = wrong
        with pytest.raises(IllegalAction, match=f"game {N - 2}: action {wrong}"):
            batch.step(actions)
        assert everything(batch) == before
    with pytest.raises(IllegalAction, match=f"action {2**64 - 1} does not exist"):
        batch.step(np.full(N, 2**64 - 1, np.uint64))
    assert everything(batch) == before
    for dtype in (np.int8, np.uint16, np.int32, np.uint64):
        if game.num_actions <= np.iinfo(dtype).max + 1:
            batch.step(np.argmax(batch.action_masks, axis=1).astype(dtype))
    batch.step([], [])


def test_overwritten_states(game: Game) -> None:
    batch, other = game.batch(N, seed=8), game.batch(N, seed=9)
    run(other, 25)
    batch.states[:] = other.states
    batch.refresh()
    assert everything(batch)[:4] == everything(other)[:4]
    assert not batch.rewards.any()
    batch.states[3] = finished(game, 1)
    batch.refresh([3])
    assert not batch.action_masks[3].any()
    before = everything(batch)
    with pytest.raises(GameOver, match="game 3"):
        batch.step(np.argmax(batch.action_masks, axis=1))
    with pytest.raises(BatchError):
        batch.refresh([N])
    assert everything(batch) == before


def test_records_are_taken_and_put_as_a_whole(game: Game) -> None:
    """Rows are chosen by numbers, by a mask or by one number; what is read is an ordinary array that shares nothing with the batch."""
    batch, other = game.batch(6, seed=3), game.batch(6, seed=4)
    rows, mask = np.array([4, 0, -1]), np.array([True, False, True, False, False, True])
    for key, places in ((rows, (4, 0, 5)), (rows.tolist(), (4, 0, 5)), (mask, (0, 2, 5))):
        found = batch.states[key]
        assert type(found) is np.ndarray and found.dtype == game.state_dtype
        assert [record.tobytes() for record in found] == [batch.states[i].tobytes() for i in places]
        found["over"] = 1
        assert not batch.states["over"].any()
    assert batch.states.copy().tobytes() == batch.states.tobytes()
    with pytest.raises(IndexError):
        batch.states[np.array([6])]
    batch.states[rows[:2]] = other.states[rows[:2]]
    batch.states[mask] = other.states[0]
    batch.refresh()
    came = {4: 4, 0: 0, 2: 0, 5: 0}
    for i in range(6):
        assert (
            batch.states[i].tobytes()
            == (other if i in came else game.batch(6, seed=3)).states[came.get(i, i)].tobytes()
        )
    with pytest.raises(BatchError, match="cannot be set"):
        batch.states[rows] = other.states[rows[:2]]


def test_random_actions_are_legal_and_uniform() -> None:
    rng = np.random.default_rng(0)
    masks = rng.random((6, 17)) < 0.4
    masks[:, 3] = True
    masks[0] = False
    words = seed_words(4, 6)
    counts = np.zeros(masks.shape, np.int64)
    out = np.empty(6, np.int64)
    draws = 6000
    for _ in range(draws):
        assert random_actions(masks, words, out) is out
        counts[np.arange(6), out] += 1
    assert counts[0, 0] == draws  # nothing legal
    for mask, count in zip(masks[1:], counts[1:]):
        assert count[~mask].sum() == 0
        expected = draws / mask.sum()
        chi_square = ((count[mask] - expected) ** 2 / expected).sum()
        assert chi_square < mask.sum() + 5 * np.sqrt(2 * mask.sum())


def test_random_streams_are_checked(game: Game) -> None:
    batch = game.batch(N, seed=0)
    seats = np.zeros(N, np.int8)
    for words in (np.zeros(N, np.int64), np.zeros(N - 1, np.uint64), np.zeros(2 * N, np.uint64)[::2]):
        with pytest.raises(BatchError, match="rng_states"):
            batch.random_actions(words)
        with pytest.raises(BatchError, match="rng_states"):
            batch.step_against_random(None, seats, words)
        with pytest.raises(BatchError, match="rng_states"):
            batch.step_random(words)


def test_games_start_anew_with_seeds_of_their_own(game: Game) -> None:
    batch = game.batch(N, seed=1)
    words = seed_words(2, N)
    for _ in range(30):
        batch.step_random(words)
    before = batch.states.copy()
    batch.start([4, 1], np.array([seed_word(17), seed_word(9)], np.uint64))
    for i, seed in ((4, 17), (1, 9)):
        state = game.new(seed=seed)
        assert batch.states[i].tobytes() == state.tobytes()
        np.testing.assert_array_equal(batch.action_masks[i], game.action_mask(state))
        np.testing.assert_array_equal(batch.observations[i], game.observe(state, game.to_play(state)))
    others = np.setdiff1d(np.arange(N), [1, 4])
    assert batch.states[others].tobytes() == before[others].tobytes()
    for where, rng_states in (([N], words[:1]), ([1, 1], words[:2]), ([1], words[:2]), ([1], words[:1].view(np.int64))):
        with pytest.raises(BatchError):
            batch.start(where, rng_states)


@pytest.mark.parametrize("threads", [1, 2])
def test_step_random_is_step_with_random_actions(game: Game, threads: int) -> None:
    one, other = game.batch(200, seed=4, threads=threads), game.batch(200, seed=4)
    words, same = seed_words(5, 200), seed_words(5, 200)
    for _ in range(150):
        one.step_random(words)
        other.step(other.random_actions(same))
        assert everything(one) == everything(other)
    np.testing.assert_array_equal(words, same)
    one.states[7] = finished(game, 1)
    one.refresh()
    with pytest.raises(GameOver, match="game 7"):
        one.step_random(words)


@pytest.mark.parametrize("threads", [1, 2])
def test_against_random_is_the_same_as_step_by_step(game: Game, threads: int) -> None:
    batch = game.batch(N, seed=11, threads=threads, keep_final=True)
    plain = game.batch(N, seed=11, keep_final=True)
    seats = (np.arange(N) % game.num_players).astype(np.int8)
    words, plain_words, mine = seed_words(1, N), seed_words(1, N), seed_words(2, N)
    rewards = np.zeros_like(plain.rewards)
    ended = np.zeros(N, np.bool_)
    batch.step_against_random(None, seats, words)
    actions: Any = None
    ends = 0
    for _ in range(200):
        if actions is not None:
            plain.step(actions)
            rewards, ended = plain.rewards.copy(), plain.terminated | plain.truncated
        while (rows := np.flatnonzero(plain.to_play != seats)).size:
            drawn = plain_words[rows]
            plain.step(random_actions(plain.action_masks[rows], drawn), rows)
            plain_words[rows] = drawn
            first = (plain.terminated | plain.truncated) & ~ended & (actions is not None)
            rewards[first] = plain.rewards[first]
            ended |= first
        assert (batch.to_play == seats).all()
        assert everything(batch)[:4] == everything(plain)[:4]
        np.testing.assert_array_equal(words, plain_words)
        np.testing.assert_array_equal(batch.rewards, rewards)
        np.testing.assert_array_equal(batch.terminated | batch.truncated, ended)
        ends += int(ended.sum())
        actions = batch.random_actions(mine)
        batch.step_against_random(actions, seats, words)
    assert ends
