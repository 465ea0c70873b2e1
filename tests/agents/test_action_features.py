"""What each legal action leads to, compared with a plain walk through everything that it may lead to."""

from typing import Any

import numpy as np
import pytest

from react_env import agents
from react_env.agents.search.action_features import MOST
from react_env.agents.search.lookahead import UNIT
from react_env.errors import OptionError, StateError
from tests.agents.games import after, game_of, positions

LONG = pytest.param("reality_tcg-v0", marks=pytest.mark.long)
SLOW = pytest.param("arts_of_war-v0, mixed", marks=pytest.mark.slow)  # to compile
NAMES = ["toy, mixed", SLOW, "fight_sequence-v0", "react_fast-v0", LONG]
TRIED = 300  # actions after which the plain walk gives a position up


def given(game: Any, count: int, seed: int) -> tuple[Any, Any, Any]:
    """States, players and masks of games that are not over."""
    states, players = positions(game, count, seed)
    going = states["over"] == 0
    states, players = states[going], players[going]
    return states, players, np.array([game.action_mask(state) for state in states])


class Walk:
    """All that an action may lead to by the player's own choices, with windows passed, in one guess of what is hidden."""

    def __init__(self, game: Any, player: int, table: Any) -> None:
        self.game, self.player, self.table = game, player, table
        self.tried = 0

    def features(self, state: Any) -> np.ndarray:
        """The features of the player's side and the mean of the others', (2, F)."""
        known = self.game.heuristics
        found = np.zeros((2, len(known.feature_names)), np.float32)
        for p in range(self.game.num_players if known.features else 0):
            out = np.zeros(found.shape[1], np.float32)
            known.features(state, self.table, p, out)
            found[int(p != self.player)] += out / (1 if p == self.player else self.game.num_players - 1)
        return found

    def played(self, state: Any, action: int) -> Any:
        self.tried += 1
        known, found = self.game.heuristics, after(self.game, state, action)
        while not found["over"] and not known.unfinished(found) and known.pass_action(found) >= 0:
            found = after(self.game, found, known.pass_action(found))
        return found

    def ends(self, state: Any) -> list[tuple[float, np.ndarray]]:
        """(value, features) of all that the player's choices may lead to; a choice of another player is foreseen in the value alone."""
        known = self.game.heuristics
        if state["over"] or not known.unfinished(state):
            return [(known.quick(state, self.table, self.player), self.features(state))]
        if self.tried > TRIED:
            raise OverflowError
        below = [self.ends(self.played(state, int(action))) for action in self.game.legal_actions(state)]
        if state["to_play"] == self.player:
            return [end for ends in below for end in ends]
        return [(min(max(value for value, _ in ends) for ends in below), self.features(state))]


@pytest.mark.parametrize("name", NAMES)
def test_tells_what_the_best_end_of_a_play_changes(name: str) -> None:
    game = game_of(name)
    describe = agents.ActionFeatures(game, budget=10**6)
    states, players, masks = given(game, 60, seed=3)
    found = describe(states, players, masks, np.random.default_rng(9))
    seeds = np.random.default_rng(9).integers(0, 2**64, size=(len(states), 1), dtype=np.uint64)
    seen = changed = 0
    for state, player, mask, seed, rows in zip(states, players, masks, seeds[:, 0], found, strict=True):
        assert not rows[~mask].any()
        if mask.sum() == 1:
            assert not rows.any()
            continue
        guess = np.array([state], game.state_dtype)
        guess["rng"] = seed
        table = game.tables[state["table"]]
        game.rules.determinize(guess[0], table, player)
        walk = Walk(game, player, table)
        before, worth = walk.features(guess[0]), game.heuristics.quick(guess[0], table, player)
        for action in np.flatnonzero(mask).tolist():
            walk.tried = 0
            try:
                ends = walk.ends(walk.played(guess[0], action))
            except OverflowError:
                continue
            best = max(value for value, _ in ends)
            assert rows[action, 0] == pytest.approx(np.clip((best - worth) / UNIT, -MOST, MOST), abs=1e-4)
            expected = [(after - before).ravel() for value, after in ends if value > best - 1e-6]
            assert any(np.allclose(rows[action, 1:], change, atol=1e-4) for change in expected)
            seen += 1
            changed += bool(rows[action].any())
    assert seen > 30 and changed > 10


@pytest.mark.parametrize("name", NAMES)
def test_threads_change_nothing(name: str) -> None:
    game = game_of(name)
    states, players, masks = given(game, 40, seed=4)
    found = [
        agents.ActionFeatures(game, threads=threads)(states, players, masks, np.random.default_rng(1))
        for threads in (1, 3)
    ]
    np.testing.assert_array_equal(*found)


def test_nothing_hidden_comes_in() -> None:
    # The determinization of Re;ACT starts from counts, so the same seeds give the same worlds.
    game = game_of("arts_of_war-v0, mixed")
    states, players, masks = given(game, 60, seed=12)
    others = states.copy()
    for i, player in enumerate(players):
        others[i] = game.determinize(states[i], int(player), 5)
    assert (others["hand"] != states["hand"]).any()
    describe = agents.ActionFeatures(game)
    found = [describe(worlds, players, masks, np.random.default_rng(3)) for worlds in (states, others)]
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("name", ["toy, mixed", "fight_sequence-v0", "react_fast-v0", LONG])
def test_nothing_hidden_comes_in_on_average(name: str) -> None:
    """Worlds that the player cannot tell apart have the same features on average, but for chance."""
    game, many = game_of(name), 400
    describe = agents.ActionFeatures(game, threads=2)
    for state, player, mask in zip(*given(game, 12, seed=12), strict=True):
        told = []
        for world in (state, game.determinize(state, int(player), 5)):
            worlds = np.repeat(np.array([world], game.state_dtype), many)
            masks = np.repeat(mask[None], many, 0)
            told.append(describe.of_legal(worlds, np.full(many, player), masks, np.random.default_rng(4)))
        first, second = (found.reshape(many, int(mask.sum()), -1) for found in told)
        error = np.sqrt((first.var(0) + second.var(0)) / many)
        assert (np.abs(first.mean(0) - second.mean(0)) <= 5 * error + 0.02).all()


def test_rows_of_the_legal_actions_alone() -> None:
    game = game_of("toy, mixed")
    describe = agents.ActionFeatures(game)
    states, players, masks = given(game, 20, seed=5)
    kept = states.copy()
    rows = describe.of_legal(states, players, masks, np.random.default_rng(2))
    dense = describe(states, players, masks, np.random.default_rng(2))
    np.testing.assert_array_equal(dense[masks], rows)
    np.testing.assert_array_equal(states, kept)
    assert rows.shape == (masks.sum(), len(describe.names)) and rows.dtype == np.float32
    sides = [f"{side} {name}" for side in ("own", "their") for name in game.heuristics.feature_names]
    assert describe.names == ("value", *sides)
    assert describe.none().shape == dense.shape[1:] and not describe.none().any()


def test_bad_input() -> None:
    game, foreign = game_of("toy"), game_of("react_fast-v0")
    describe = agents.ActionFeatures(game)
    states, players, masks = given(game, 4, seed=6)
    rng = np.random.default_rng(0)
    with pytest.raises(OptionError, match=rf"masks must be bool \({len(states)}, {game.num_actions}\)"):
        describe(states, players, masks[:, :-1], rng)
    with pytest.raises(OptionError, match="masks must be bool"):
        describe(states, players, masks.astype(np.int8), rng)
    with pytest.raises(OptionError, match="players must be"):
        describe(states, players + game.num_players, masks, rng)
    with pytest.raises(StateError, match="not states of this game"):
        describe(positions(foreign, 4)[0], players, masks, rng)
    for other in (np.ones_like(masks[2]), np.roll(masks[2], 1)):  # more legal actions; as many, but other ones
        wrong = masks.copy()
        wrong[2] = other
        with pytest.raises(OptionError, match=r"masks\[2\] is not the mask of legal actions"):
            describe(states, players, wrong, rng)
    with pytest.raises(OptionError, match="budget must be at least 1"):
        agents.ActionFeatures(game, budget=0)
