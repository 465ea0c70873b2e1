"""What holds for every agent that looks ahead: repeatable on any number of threads, blind to what is hidden, idle if a move is forced."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from react_env.agents.players.greedy import GreedyAgent
from react_env.agents.search.flat import FlatAgent
from react_env.agents.search.mcts import SearchAgent
from react_env.errors import StateError
from tests import toy
from tests.agents.games import game_of, positions
from tests.tables import trusting

GAMES = ["toy", "arts_of_war-v0", "fight_sequence-v0", "react_fast-v0", "reality_tcg-v0"]
SEARCHES = pytest.mark.parametrize("search", [FlatAgent, SearchAgent], ids=["flat", "mcts"])


@SEARCHES
@pytest.mark.parametrize("name", GAMES)
def test_threads_and_repetition_do_not_matter_and_states_stay(name: str, search: Any) -> None:
    game = game_of(name)
    states, players = positions(game, 30, seed=2)
    before = states.tobytes()
    chosen = [
        search(game, simulations=16, threads=threads).act_states(states, players, np.random.default_rng(1))
        for threads in (1, 2, 3)
    ]
    again = search(game, simulations=16)
    again.act_states(states[:5], players[:5], np.random.default_rng(7))  # earlier decisions leave no trace
    chosen.append(again.act_states(states, players, np.random.default_rng(1)))
    for other in chosen[1:]:
        assert (chosen[0] == other).all()
    assert states.tobytes() == before


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(
    ("make", "worlds", "tries", "most"),
    [
        (GreedyAgent, 2, 300, 0.2),  # two frequencies of 300 differ by 0.2 with a probability below 1e-5
        (lambda game: FlatAgent(game, simulations=8, threads=2), 1, 150, 0.3),  # of 150 by 0.3: below 1e-6
        (lambda game: SearchAgent(game, simulations=8, threads=2), 2, 150, 0.3),
    ],
    ids=["greedy", "flat", "mcts"],
)
def test_chooses_as_often_in_any_world_that_the_player_cannot_tell_apart(
    name: str, make: Callable[[Any], Any], worlds: int, tries: int, most: float
) -> None:
    game = game_of(name)
    states, players = positions(game, 12, seed=11)
    agent = make(game)
    for state, player in zip(states, players, strict=True):
        frequencies = []
        for world in (state, *(game.determinize(state, int(player), seed) for seed in range(1, worlds + 1))):
            many = np.repeat(np.array([world], game.state_dtype), tries)
            chosen = agent.act_states(many, np.full(tries, player), np.random.default_rng(4))
            frequencies.append(np.bincount(chosen, minlength=game.num_actions) / tries)
        assert np.ptp(frequencies, axis=0).max() < most


@SEARCHES
def test_hidden_cards_change_nothing_at_all_in_re_act(search: Any) -> None:
    # Re;ACT's determinization starts from counts, so the same seeds give the same worlds.
    game = game_of("arts_of_war-v0")
    states, players = positions(game, 40, seed=12)
    others = states.copy()
    for i, player in enumerate(players):
        others[i] = game.determinize(states[i], int(player), 5)
    assert (others["hand"] != states["hand"]).any()
    agent = search(game, simulations=16, threads=2)
    chosen = [agent.act_states(worlds, players, np.random.default_rng(3)) for worlds in (states, others)]
    assert (chosen[0] == chosen[1]).all()


@SEARCHES
def test_a_forced_decision_costs_nothing(search: Any) -> None:
    game = trusting(game_of("toy"))
    state = game.new(seed=0)
    player = int(state["to_play"])
    state["hand"][player] = (0, 2, 0, 0)
    agent = search(game, simulations=50)
    chosen = agent.act_states(np.array([state], game.state_dtype), np.array([player]), np.random.default_rng(0))
    assert chosen.tolist() == [1] and agent.simulated == agent.simulations_done == 0
    state["hand"][player] = (0, 2, 1, 0)
    agent.act_states(np.array([state], game.state_dtype), np.array([player]), np.random.default_rng(0))
    assert agent.simulated >= 50


@SEARCHES
def test_sees_the_answer_that_a_look_at_the_own_play_does_not_see(search: Any) -> None:
    # The opponent has four points and holds a 1. A 0 is beaten at once on either pile, and so is the 0 that must follow a 1 on the 1. Only
    # the 1 on the left pile is safe.
    game = trusting(game_of("toy"))
    state = game.new(seed=0)
    player = int(state["to_play"])
    state["hand"] = 0
    state["hand"][player, :2] = 1
    state["hand"][1 - player, 1] = 1
    state["deck_size"] = 0
    state["pile"] = (3, 1)
    state["points"][1 - player] = 4
    states = np.repeat(np.array([state], game.state_dtype), 10)
    players = np.full(10, player)
    agent = search(game, simulations=200, scale=2.0, horizon=2)  # far enough to see the answer
    assert (agent.act_states(states, players, np.random.default_rng(0)) == 1).all()
    for row in states:
        game.step(row, 1)
    assert (agent.act_states(states, players, np.random.default_rng(1)) == toy.RANKS).all()
    assert not (GreedyAgent(game).act_states(states, players, np.random.default_rng(1)) == toy.RANKS).all()


@SEARCHES
def test_states_of_other_options_and_no_states(search: Any) -> None:
    game = game_of("toy")
    states, players = positions(game, 3)
    agent = search(game, simulations=2, threads=2)
    assert agent.act_states(states[:0], players[:0], np.random.default_rng(0)).shape == (0,)
    states["table"] = 7
    with pytest.raises(StateError):
        agent.act_states(states, players, np.random.default_rng(0))
