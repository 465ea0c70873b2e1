"""One game at a time: errors, copies, saving, hidden information."""

import pickle

import numpy as np
import pytest

import react_env
from react_env.engine.game import Game
from react_env.errors import GameOver, IllegalAction, OptionError, ReactEnvError, StateError
from tests import toy
from tests.play import finished, position, random_game


def test_facts(game: Game) -> None:
    assert game.num_actions == len(game.action_names) == len(set(game.action_names))
    covered = [i for group in game.action_groups.values() for i in range(group.start, group.stop)]
    assert sorted(covered) == list(range(game.num_actions)), "every action belongs to one group"
    assert len(game.rules_hash) == 16 and int(game.rules_hash, 16) >= 0
    assert game.id in repr(game)


def test_a_seed_is_a_game(game: Game) -> None:
    assert game.new(7).tobytes() == game.new(seed=np.int64(7)).tobytes()
    assert game.new(7).tobytes() != game.new(8).tobytes()
    assert game.new().tobytes() != game.new().tobytes()
    assert game.new(7).tobytes() == game.batch(3, seed=7).states[0].tobytes()
    with pytest.raises(OptionError, match="seed"):
        game.new(seed="7")  # type: ignore[arg-type]


def test_random_games_end_with_a_sum_of_zero(game: Game) -> None:
    for seed in range(5):
        for state, action in random_game(game, seed):
            mask = game.action_mask(state)
            assert mask.dtype == np.bool_ and mask.shape == (game.num_actions,) and mask[action]
            assert np.flatnonzero(mask).tolist() == game.legal_actions(state).tolist()
            assert 0 <= game.to_play(state) < game.num_players
            assert not game.rewards(state).any()
        rewards = game.rewards(state)
        assert game.terminated(state) != game.truncated(state)
        assert rewards.dtype == np.float32 and rewards.shape == (game.num_players,)
        assert abs(float(rewards.astype(np.float64).sum())) < 1e-6, "a third as float32 is nearly one"
        assert not game.action_mask(state).any()


def test_turns_are_counted_where_a_record_tells_them(game: Game) -> None:
    """A field `turn` is the number of the turn, not whose turn it is: game lengths are counted in turns, and plans end with one."""
    for seed in range(2):
        turns = [int(state["turn"]) for state, _ in random_game(game, seed) if "turn" in game.state_dtype.names]
        assert turns == sorted(turns) and turns[:1] in ([], [0], [1])


def test_illegal_actions_leave_the_state_as_it_was(game: Game) -> None:
    state = position(game, seed=3, steps=5)
    before = state.tobytes()
    legal = set(game.legal_actions(state).tolist())
    illegal = next(action for action in range(game.num_actions) if action not in legal)
    for action in (illegal, -1, game.num_actions, 2**70, 1.0, "1", None, True, np.float32(1), [1]):
        with pytest.raises(IllegalAction) as error:
            game.step(state, action)  # type: ignore[arg-type]
        assert state.tobytes() == before
    with pytest.raises(IllegalAction) as error:
        game.step(state, illegal)
    message = str(error.value)
    first = min(legal)
    assert f"{illegal} ({game.action_names[illegal]})" in message
    assert f"{first} ({game.action_names[first]})" in message
    assert isinstance(error.value, ReactEnvError)


def test_no_step_after_the_end(game: Game) -> None:
    state = finished(game, seed=1)
    before = state.tobytes()
    with pytest.raises(GameOver):
        game.step(state, 0)
    assert state.tobytes() == before
    assert game.legal_actions(state).size == 0


def test_copies_are_independent(game: Game) -> None:
    state = position(game, seed=2, steps=4)
    before = state.tobytes()
    for clone in (game.copy(state), state.copy(), game.restore(game.save(state))):
        assert clone.tobytes() == before and clone.dtype == game.state_dtype
        game.step(clone, int(game.legal_actions(clone)[0]))
        assert state.tobytes() == before != clone.tobytes()


def test_an_element_of_a_batch_is_stepped_as_a_copy(game: Game) -> None:
    expected = position(game, seed=2, steps=4)
    batch = game.batch(3, seed=0)
    batch.states[1] = expected
    action = int(game.legal_actions(expected)[-1])
    game.step(expected, action)
    with pytest.raises(StateError, match="read-only"):
        game.step(batch.states[1], action)
    state = game.copy(batch.states[1])
    game.step(state, action)
    batch.states[1] = state
    assert batch.states[1].tobytes() == expected.tobytes()


def test_foreign_and_read_only_states_are_refused(game: Game) -> None:
    state = game.new(1)
    frozen = np.frombuffer(state.tobytes(), game.state_dtype)[0]
    action = int(game.legal_actions(frozen)[0])  # reading is allowed
    unpickled = pickle.loads(pickle.dumps(state))
    for record in (frozen, unpickled):
        with pytest.raises(StateError, match="read-only"):
            game.step(record, action)
        clone = game.copy(record)
        game.step(clone, action)
        assert clone.tobytes() != record.tobytes() == state.tobytes()
    for foreign in (np.zeros(3), None, 7, "state", np.zeros(2, game.state_dtype)):
        with pytest.raises(StateError, match="not a state"):
            game.legal_actions(foreign)  # type: ignore[arg-type]


def test_a_saved_game_goes_on_as_if_nothing_had_happened(game: Game) -> None:
    state = game.new(4)
    shadow = game.new(4)
    for number, (_, action) in enumerate(random_game(game, 4, state)):
        shadow = game.restore(game.save(shadow)) if number % 3 == 0 else shadow
        game.step(shadow, action)
    assert shadow.tobytes() == state.tobytes()


def test_restore_refuses_what_save_did_not_write(game: Game) -> None:
    data = game.save(game.new(1))
    assert isinstance(data, bytes)
    flipped = bytearray(data)
    flipped[-3] ^= 1
    other_rules = data[:8] + b"0123456789abcdef" + data[24:]
    cases = {
        b"": "not a saved state",
        b"PK\x03\x04" + data: "not a saved state",
        data[:-1]: "bytes instead of",
        data + b"\0": "bytes instead of",
        bytes(flipped): "damaged",
        other_rules: "other rules",
    }
    for wrong, reason in cases.items():
        with pytest.raises(StateError, match=reason):
            game.restore(wrong)


def test_options_that_change_the_rules_change_their_hash() -> None:
    short, long = toy.load(max_turns=6), toy.load(max_turns=7)
    with pytest.raises(StateError, match="other rules"):
        long.restore(short.save(short.new(1)))


def test_a_world_without_a_seed_is_a_random_one(game: Game) -> None:
    """Like a game without a seed. Past bug: "a seed is an integer, not None"."""
    state = game.new(seed=1)
    assert len({game.determinize(state, 0).tobytes() for _ in range(3)}) == 3


def test_a_world_is_not_drawn_from_the_numbers_that_dealt_the_game() -> None:
    """Past bug: worlds drawn with the batch's own seed had hands like those of game 1. Now they are no closer than with other seeds."""
    game = react_env.load("reality_tcg-v0")
    alike = np.zeros(2)
    for seed in range(400):
        state = game.copy(game.batch(2, seed=seed).states[1])
        for k, other in enumerate((seed, seed + 1000)):
            alike[k] += np.minimum(state["hand"][0], game.determinize(state, 1, other)["hand"][0]).sum()
    assert abs(alike[0] - alike[1]) < 0.05 * 2400, alike


def test_determinized_states_look_the_same_to_the_player(game: Game) -> None:
    differ = 0
    for number, (state, _) in enumerate(random_game(game, 0)):
        before = state.tobytes()
        for player in range(game.num_players):
            other = game.determinize(state, player, seed=number)
            assert other.tobytes() == game.determinize(state, player, seed=number).tobytes()
            assert state.tobytes() == before, "the true state is not touched"
            assert other["rng"] != state["rng"], "the dice to come are redrawn"
            np.testing.assert_array_equal(game.observe(other, player), game.observe(state, player))
            assert game.text(other, player) == game.text(state, player)
            assert game.log_lines(other) == game.log_lines(state)
            if player == game.to_play(state):
                np.testing.assert_array_equal(game.action_mask(other), game.action_mask(state))
            differ += other.tobytes() != before
    assert differ


def test_words(game: Game) -> None:
    for state, action in random_game(game, 5):
        for player in (None, *range(game.num_players)):
            assert isinstance(game.text(state, player), str)
            assert all(isinstance(line, str) for line in game.status_lines(state, player))
        assert game.action_text(state, action)
    assert game.event_count(state) >= len(game.log_lines(state)) > 0
    assert game.log_lines(state, since=game.event_count(state)) == []


def test_players_that_do_not_exist(game: Game) -> None:
    state = game.new(0)
    for call in (game.observe, lambda s, p: game.determinize(s, p, 0)):
        for player in (-1, game.num_players):
            with pytest.raises(OptionError, match="player"):
                call(state, player)


def test_unknown_games_and_options() -> None:
    with pytest.raises(OptionError, match="arts_of_war-v0, fight_sequence-v0"):
        react_env.load("chess-v0")
    for name in react_env.game_ids():
        with pytest.raises(OptionError):
            react_env.load(name, no_such_option=1)


def test_games_load_quickly_the_second_time(game: Game) -> None:
    assert Game(game.rules, game.heuristics).kernels is game.kernels


def test_what_a_step_touches_is_all_but_the_rows_that_are_seldom_in_use() -> None:
    """What is fetched ahead: the first row of each stack, the whole log, and every other field."""
    game = react_env.load("arts_of_war-v0")
    fields = game.state_dtype.fields
    asked = np.zeros(game.state_dtype.itemsize, np.bool_)
    for begin, end in game.rules.touched:
        asked[begin:end] = True
    for name, (dtype, offset, *_) in fields.items():
        used = dtype.base.itemsize if name in ("frame", "trigger", "visit") else dtype.itemsize
        assert asked[offset : offset + used].all(), name
        assert asked[offset : offset + dtype.itemsize].sum() == used, name
    toy_game = toy.load()
    assert toy_game.rules.touched == ((0, toy_game.state_dtype.itemsize),)
