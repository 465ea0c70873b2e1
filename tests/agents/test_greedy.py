"""The greedy agent: against a literal search, on positions with one good move, within its budget."""

from typing import Any

import numpy as np
import pytest

from react_env.agents.observed import see
from react_env.agents.players.greedy import GreedyAgent
from tests.agents.games import game_of, positions


def outcome(game: Any, state: Any, player: int, value_of: Any = None) -> float:
    """The search that players/greedy.py describes: plain, recursive, without a budget; `value_of` replaces the quick value."""
    t = game.tables[0]
    state = state.copy()
    while not state["over"] and not game.heuristics.unfinished(state) and game.heuristics.pass_action(state) >= 0:
        game.step(state, int(game.heuristics.pass_action(state)))
    if state["over"] or not game.heuristics.unfinished(state):
        return float((value_of or game.heuristics.quick)(state, t, player))
    results = []
    for action in game.legal_actions(state):
        after = state.copy()
        game.step(after, int(action))
        results.append(outcome(game, after, player, value_of))
    return max(results) if state["to_play"] == player else min(results)


@pytest.mark.parametrize("name", ["toy", "arts_of_war-v0", "fight_sequence-v0", "react_fast-v0", "reality_tcg-v0"])
def test_decides_as_the_literal_search(name: str) -> None:
    game = game_of(name)
    states, players = positions(game, 40, seed=3)
    seed = np.random.default_rng(9)
    chosen = GreedyAgent(game, budget=10**9).act_states(states, players, seed)
    worlds = np.random.default_rng(9).integers(0, 2**64, size=(len(states), 1), dtype=np.uint64)
    for state, player, action, world in zip(states, players, chosen, worlds[:, 0]):
        rows = np.array([state], game.state_dtype)
        rows["rng"] = world
        game.kernels.determinize(rows, game.tables, player, rows["rng"][0], np.zeros(0, np.uint64))
        values = {}
        for legal in game.legal_actions(rows[0]):
            after = rows[0].copy()
            game.step(after, int(legal))
            values[int(legal)] = outcome(game, after, player)
        assert values[int(action)] == pytest.approx(max(values.values()), abs=1e-6)


def test_finds_a_win_in_one_play() -> None:
    game = game_of("toy")
    states, players = positions(game, 64, seed=5)
    fit = (states["rank"] < 0) & (states["hand"][np.arange(64), players, 3] > 0)
    states, players = states[fit], players[fit]
    assert len(states) > 5
    states["points"][np.arange(len(states)), players] = 4
    states["pile"][:] = (3, 2)  # only a 3 on the right pile makes the fifth point
    agent = GreedyAgent(game)
    for _ in range(2):  # the card, then the pile
        chosen = agent.act_states(states, players, np.random.default_rng(0))
        for state, action in zip(states, chosen):
            game.step(state, int(action))
    assert (states["over"] == 1).all()
    assert (states["reward"][np.arange(len(states)), players] == 1).all()


def test_ties_are_broken_by_the_generator() -> None:
    game = game_of("toy")
    states = np.repeat(game.batch(num_games=1, seed=0).states, 200)
    states["pile"][:] = (3, 3)  # no card gives a point
    players = states["to_play"].astype(np.int64)
    chosen = GreedyAgent(game).act_states(states, players, np.random.default_rng(0))
    legal = game.legal_actions(states[0])
    assert sorted(set(chosen.tolist())) == legal.tolist()


@pytest.mark.parametrize("name", ["toy", "arts_of_war-v0", "fight_sequence-v0", "react_fast-v0", "reality_tcg-v0"])
def test_threads_and_repetition_do_not_matter_and_states_stay(name: str) -> None:
    game = game_of(name)
    states, players = positions(game, 100, seed=2)
    before = states.tobytes()
    chosen = [
        GreedyAgent(game, worlds=2, threads=threads).act_states(states, players, np.random.default_rng(1))
        for threads in (1, 2, 3)
    ]
    assert (chosen[0] == chosen[1]).all() and (chosen[0] == chosen[2]).all()
    assert states.tobytes() == before


def test_a_small_budget_still_gives_legal_actions() -> None:
    game = game_of("arts_of_war-v0")
    states, players = positions(game, 100, seed=6)
    for budget in (1, 10, 100):
        chosen = GreedyAgent(game, budget=budget).act_states(states, players, np.random.default_rng(1))
        for state, action in zip(states, chosen):
            assert game.action_mask(state)[action]


def test_nothing_to_decide() -> None:
    game = game_of("toy")
    states, players = positions(game, 1)
    assert GreedyAgent(game, threads=2).act_states(states[:0], players[:0], np.random.default_rng(0)).shape == (0,)


GAMES = ("toy, mixed", "arts_of_war-v0", "fight_sequence-v0")


@pytest.mark.parametrize("name", GAMES)
def test_values_belong_to_the_choices(name: str) -> None:
    """It takes an action of the highest value; illegal actions have the value -inf."""
    game = game_of(name)
    states, players = positions(game, 150)
    values = GreedyAgent(game).action_values(states, players, np.random.default_rng(3))
    chosen = GreedyAgent(game).act_states(states, players, np.random.default_rng(3))
    np.testing.assert_allclose(values[np.arange(150), chosen], values.max(1))
    np.testing.assert_array_equal(np.isfinite(values), see(game, states)[1])


@pytest.mark.parametrize("name", GAMES)
def test_an_agent_that_asks_for_states_sees_what_the_batch_shows(name: str) -> None:
    game = game_of(name)
    states, players = positions(game, 200)
    observations, masks = see(game, states)
    for state, player, observation, mask in zip(states[:40], players, observations, masks, strict=False):
        np.testing.assert_array_equal(observation, game.observe(state, int(player)))
        np.testing.assert_array_equal(mask, game.action_mask(state))
