"""Games of one batch with different tables: how a table is drawn, and that the games differ in nothing else."""

import pickle
from dataclasses import replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import react_env
from react_env import agents
from react_env.agents.models.model import Architecture
from react_env.agents.players.greedy import GreedyAgent
from react_env.engine.game import Game
from react_env.engine.rng import seed_word
from react_env.engine.rules import Tables
from react_env.errors import BatchError, OptionError, StateError
from react_env.evaluation.matches.match import play_match, record_game
from react_env.games.arts_of_war.cards import artists, load_artist
from react_env.games.arts_of_war.game import ArtsOfWar, every_pairing, rules_hash
from react_env.games.arts_of_war.rules import default_artists, load_rules
from react_env.replay import Replay
from tests import toy
from tests.agents.games import positions
from tests.play import finished, random_game

GAMMA, WORDS = 0x9E3779B97F4A7C15, 2**64
NAMES = artists()
DEFAULT = default_artists()


@lru_cache(maxsize=1)
def mixed() -> ArtsOfWar:
    """Re;ACT with a pairing drawn for each game."""
    return react_env.load("arts_of_war-v0", artists="random")  # type: ignore[return-value]


@lru_cache(maxsize=128)
def single(*pairing: str) -> ArtsOfWar:
    """Re;ACT with one pairing."""
    return react_env.load("arts_of_war-v0", artists=pairing)  # type: ignore[return-value]


def drawn(word: int, tables: int) -> tuple[int, int]:
    """The table drawn from the first state of a stream, and the state after that: SplitMix64, written out."""
    word = (word + GAMMA) % WORDS
    z = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) % WORDS
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) % WORDS
    return ((z ^ z >> 31) >> 32) * tables >> 32, word


def as_single(state: Any) -> Any:
    """A copy of the state as the game with only its pairing would hold it."""
    state = state.copy()
    state["table"] = 0
    return state


def chi_square(counts: Any) -> float:
    expected = counts.sum() / counts.size
    return float(((counts - expected) ** 2 / expected).sum())


# ---------------------------------------------------------------------------------------------------------------- the draw


def test_tables_are_drawn_equally_often() -> None:
    game = toy.load(max_turns=(6, 30, 9))
    batch = game.batch(3000, seed=1)
    counts = np.bincount(batch.states["table"], minlength=3)
    assert chi_square(counts) < 2 + 5 * np.sqrt(4)
    before = batch.states["table"].copy()
    again = np.zeros(9, np.int64)
    for _ in range(40):  # every game ends at least once, and draws a table whatever it had before
        batch.step(batch.action_masks.argmax(axis=1))
        over = batch.terminated | batch.truncated
        again += np.bincount(before[over] * 3 + batch.states["table"][over], minlength=9)
        before = batch.states["table"].copy()
    assert again.sum() > 3000
    for row in again.reshape(3, 3):
        assert chi_square(row) < 2 + 5 * np.sqrt(4)


def test_every_ordered_pairing_is_drawn_equally_often() -> None:
    game = mixed()
    assert sorted(game.pairings) == [(a, b) for a, b in product(NAMES, NAMES) if a != b] and len(NAMES) >= 9
    tables = game.batch(100 * len(game.pairings), seed=0).states["table"]
    counts = np.bincount(tables, minlength=len(game.pairings))
    free = counts.size - 1
    assert counts.size == len(game.pairings) and chi_square(counts) < free + 5 * np.sqrt(2 * free)


def test_the_table_is_the_first_thing_that_a_game_draws() -> None:
    game = mixed()
    for seed in range(300):
        table, _ = drawn(seed_word(seed), len(game.tables))
        state = game.new(seed)
        assert state["table"] == table
        assert game.pairing(state) == game.pairings[table]


def test_a_single_table_takes_nothing_from_the_stream() -> None:
    one, two = toy.load(), toy.load(max_turns=(30, 30))
    for seed in range(50):
        word = seed_word(seed)
        state = two.new(start=word)
        assert one.new(start=(word + GAMMA) % WORDS).tobytes() == as_single(state).tobytes()
        assert one.new(start=word).tobytes() != as_single(state).tobytes()


def test_which_pairings_there_are() -> None:
    rules, known = load_rules(), [load_artist(name) for name in NAMES[:3]]
    pairs = [(a.id, b.id) for a, b in every_pairing(known, rules)]
    assert pairs == [(a, b) for a in NAMES[:3] for b in NAMES[:3] if a != b]
    mirror = load_rules(allow_mirror=True)
    assert [(a.id, b.id) for a, b in every_pairing(known, mirror)] == list(product(NAMES[:3], NAMES[:3]))
    with pytest.raises(OptionError, match="allow_mirror"):
        every_pairing(known[:1], rules)
    game = react_env.load("arts_of_war-v0", artists="random", allow_mirror=True)
    assert isinstance(game, ArtsOfWar) and len(game.pairings) == len(NAMES) ** 2


def test_an_edition_of_ones_own_is_drawn_from(tmp_path: Path) -> None:
    text = (Path(react_env.__file__).parent / f"games/arts_of_war/editions/standard/{NAMES[0]}.yaml").read_text()
    (tmp_path / "newcomer.yaml").write_text(text.replace(f"\nid: {NAMES[0]}\n", "\nid: newcomer\n"))
    game = react_env.load("arts_of_war-v0", artists="random", edition=tmp_path)
    assert isinstance(game, ArtsOfWar)
    assert {("newcomer", NAMES[0]), (NAMES[1], "newcomer")} < set(game.pairings)
    assert game.options["edition"] == str(tmp_path) and pickle.loads(pickle.dumps(game)).rules_hash == game.rules_hash
    assert "newcomer" in react_env.load("arts_of_war-v0", edition=str(tmp_path)).options["artists"]


def test_without_artists_the_edition_says_who_plays() -> None:
    game = react_env.load("arts_of_war-v0")
    assert isinstance(game, ArtsOfWar) and game.pairings == (DEFAULT,)
    assert game.options["artists"] == list(DEFAULT) and game.rules_hash == single(*DEFAULT).rules_hash
    for wrong in ("no", DEFAULT[0], (), DEFAULT[:1], (*DEFAULT, "x"), 7, (1, 2), ["random"]):
        with pytest.raises(OptionError, match="'random'"):
            react_env.load("arts_of_war-v0", artists=wrong)


def test_the_rules_hash_covers_all_pairings_in_their_order() -> None:
    rules, known = load_rules(), [load_artist(name) for name in NAMES[:3]]
    pairs = every_pairing(known, rules)
    hashes = {rules_hash(pairs, rules), rules_hash(pairs[::-1], rules), rules_hash(pairs[1:], rules)}
    assert len(hashes) == 3
    assert mixed().rules_hash != single(*DEFAULT).rules_hash
    assert dict(mixed().options) == {"artists": "random"}
    assert pickle.loads(pickle.dumps(mixed())).pairings == mixed().pairings


# ---------------------------------------------------------------------------------------------------------------- the games


@pytest.mark.parametrize("seed", [pytest.param(n, marks=[pytest.mark.long] if n >= 10 else []) for n in range(30)])
def test_a_mixed_game_is_the_game_of_its_pairing(seed: int) -> None:
    """It is dealt from the stream as it is after the table is drawn, and differs only in the field `table`."""
    game = mixed()
    _, word = drawn(seed_word(seed), len(game.tables))
    state = game.new(seed)
    alone = single(*game.pairing(state))
    other = alone.new(start=word)
    rng = np.random.default_rng(seed)
    seen = 0
    while True:
        assert as_single(state).tobytes() == other.tobytes()
        for player in range(2):
            np.testing.assert_array_equal(game.observe(state, player), alone.observe(other, player))
        np.testing.assert_array_equal(game.action_mask(state), alone.action_mask(other))
        if not game.action_mask(state).any():
            break
        assert game.log_lines(state, seen) == alone.log_lines(other, seen)
        seen = game.event_count(state)
        action = int(rng.choice(game.legal_actions(state)))
        if rng.random() < 0.1:
            for player in (None, 0, 1):
                assert game.text(state, player) == alone.text(other, player)
            assert game.action_text(state, action) == alone.action_text(other, action)
            player = int(rng.integers(2))
            guess, same = game.determinize(state, player, seed), alone.determinize(other, player, seed)
            assert guess["table"] == state["table"] and as_single(guess).tobytes() == same.tobytes()
        game.step(state, action)
        alone.step(other, action)
    np.testing.assert_array_equal(game.rewards(state), alone.rewards(other))
    assert (game.terminated(state), game.truncated(state)) == (alone.terminated(other), alone.truncated(other))
    assert game.restore(game.save(state)).tobytes() == state.tobytes()


def test_a_place_of_a_mixed_batch_goes_through_many_pairings() -> None:
    game = mixed()
    batch = game.batch(32, seed=4, keep_final=True)
    words = np.arange(32, dtype=np.uint64)
    seen = [{int(table)} for table in batch.states["table"]]
    for _ in range(1500):
        before = batch.states["table"].copy()
        batch.step(batch.random_actions(words))
        going = ~(batch.terminated | batch.truncated)
        assert (batch.states["table"][going] == before[going]).all()
        for i, table in enumerate(batch.states["table"].tolist()):
            seen[i].add(table)
    assert min(map(len, seen)) > 2
    for i, state in enumerate(batch.states):
        alone = single(*game.pairing(state))
        np.testing.assert_array_equal(batch.observations[i], alone.observe(as_single(state), int(batch.to_play[i])))
        np.testing.assert_array_equal(batch.action_masks[i], alone.action_mask(as_single(state)))


def test_the_opening_is_that_of_the_game() -> None:
    game = mixed()
    decks = 0
    for seed in range(60):
        state, opening = game.new(seed), game.opening(seed)
        assert state["first"] == opening["first_player"]
        copies = game.tables[state["table"]]["card_copies"]
        for player, deck in enumerate(opening["decks"]):
            held = opening["hands"][player]
            assert [deck.count(c) + held[c] for c in range(4)] == copies[player, :4].tolist()
            left = min(int(state["deck_size"][player]), len(deck))  # with set-up choices the hands are not dealt yet
            assert state["deck"][player, :left].tolist() == deck[:left]
            decks += left > 10
    assert decks > 60


def test_a_replay_finds_its_pairing_again() -> None:
    game = mixed()
    found = set()
    for seed in range(2):
        actions = [action for _, action in random_game(game, seed)]
        text = Replay.record(game, actions, seed=seed).text(game)
        replay = Replay.parse(text)
        *_, last = replay.states()
        again = replay.game()
        assert isinstance(again, ArtsOfWar) and last.state.tobytes() == finished(game, seed).tobytes()
        found.add(again.pairing(last.state))
        first, second = again.pairing(last.state)
        with pytest.raises(react_env.errors.ReplayError, match="other rules"):
            replay.check(single(first, second))
    assert len(found) > 1


# ---------------------------------------------------------------------------------------------------------------- around it


def test_agents_judge_by_the_table_of_each_state() -> None:
    from react_env.training.algorithms.shaping import potentials_of

    game = mixed()
    states, players = positions(game, 30, seed=8)
    assert len(set(states["table"].tolist())) > 15
    greedy = GreedyAgent(game, budget=300)
    potentials = potentials_of(game, states, players)
    for i, state in enumerate(states):
        alone = single(*game.pairing(state))
        row = np.array([as_single(state)], game.state_dtype)
        player = players[i : i + 1]
        assert potentials[i] == potentials_of(alone, row, player)[0]
        chosen = greedy.act_states(states[i : i + 1], player, np.random.default_rng(i))
        same = GreedyAgent(alone, budget=300).act_states(row, player, np.random.default_rng(i))
        assert chosen.tolist() == same.tolist()
    assert np.ptp(potentials) > 0
    with pytest.raises(StateError, match="other options"):
        GreedyAgent(single(*DEFAULT)).act_states(states, players, np.random.default_rng(0))


def test_matches_of_mixed_games() -> None:
    game = mixed()
    greedy, random = agents.load("greedy", game), agents.load("random", game)
    result = play_match(game, greedy, random, 60, seed=2)
    assert result.total.games == 60 and result.total.wins > 30
    replay = record_game(game, [greedy, random], seed=3)
    *_, last = Replay.parse(replay.text(game)).states(game)
    assert last.state["over"]


def test_the_command_line_takes_mixed_games() -> None:
    from react_env.cli.common import options_of, seat_names

    game = mixed()
    assert options_of(game.id, None, "random") == options_of(game.id, ["artists=random"], None) == dict(game.options)
    assert options_of(game.id, None, ", ".join(DEFAULT)) == {"artists": list(DEFAULT)}
    assert seat_names(mixed()) == ["seat 0", "seat 1"]
    assert seat_names(single(*DEFAULT)) == [f"seat 0, {DEFAULT[0]}", f"seat 1, {DEFAULT[1]}"]


def test_networks_see_who_plays_where_it_is_drawn() -> None:
    layout = mixed().layout
    assert Architecture().fitted(mixed()).inputs == 0, "all of the observation"
    fixed = Architecture().fitted(single(*DEFAULT)).inputs
    assert fixed == layout["cards"].start
    batch = mixed().batch(200, seed=0)
    told = {tuple(mixed().observe(state, 0)[fixed:]) for state in batch.states}
    assert len(told) == len(set(batch.states["table"].tolist())) > 60, "each pairing looks different"
    batch = single(*DEFAULT).batch(200, seed=0)
    batch.step(batch.action_masks.argmax(axis=1))
    for player in range(2):
        assert len({tuple(row) for row in batch.observations[batch.to_play == player][:, fixed:]}) == 1


def test_states_of_other_options_are_refused() -> None:
    games: list[tuple[Game, Game]] = [
        (toy.load(max_turns=(6, 30, 9)), toy.load()),
        (mixed(), single(*DEFAULT)),
    ]
    for many, one in games:
        state = next(state for state in map(many.new, range(100)) if state["table"] > 0)
        for call in (one.legal_actions, one.save, one.copy, one.action_mask):
            with pytest.raises(StateError, match="other options"):
                call(state)
        with pytest.raises(StateError, match="other options"):
            one.observe(state, 0)
        with pytest.raises(StateError, match="other options"):
            one.step(state, 0)
        batch = one.batch(3, seed=0)
        before = batch.observations.copy()
        batch.states[1] = state
        with pytest.raises(BatchError, match="game 1: field table: impossible value .* other options"):
            batch.refresh()
        np.testing.assert_array_equal(batch.observations, before)
        state["table"] = -1
        batch.states[1] = state
        with pytest.raises(BatchError, match="game 1: field table: impossible value -1"):
            batch.refresh([1])
        batch.refresh([0, 2])


def test_rules_that_the_engine_cannot_use_are_refused() -> None:
    rules = toy.load().rules
    for field in ("rng", "table", "over", "to_play", "reward"):
        fields = [(name, rules.state_dtype[name]) for name in rules.state_dtype.names or () if name != field]
        with pytest.raises(ValueError, match=f"no field {field};"):
            Game(replace(rules, state_dtype=np.dtype((np.record, fields))))
    for shape in (0, (1, 1), 2**15 + 1):
        with pytest.raises(ValueError, match="from 1 to 32768"):
            Game(replace(rules, tables=Tables(np.zeros(shape, toy.TABLES))))
    for live in ({"stack": ()}, {"reward": ("turn",)}, {"reward": ("depth",)}, {"reward": ("over", "over", "over")}):
        with pytest.raises(ValueError, match=r"live is .*; needed: a field of the record, and up to two of type i1"):
            Game(replace(rules, live=live))
