"""The scripted agent: what it weighs, that it sees nothing hidden, and that it beats random and greedy."""

from typing import Any

import numpy as np
import pytest

from react_env import agents
from react_env.agents.players.greedy import GreedyAgent
from react_env.agents.players.scripted import ScriptedAgent
from react_env.errors import OptionError
from react_env.evaluation.matches.match import play_match
from tests.agents.games import game_of, positions
from tests.agents.test_greedy import outcome

GAMES = ["arts_of_war-v0", "fight_sequence-v0", "reality_tcg-v0"]


@pytest.mark.parametrize("name", GAMES)
def test_adds_the_script_to_the_literal_search(name: str) -> None:
    """It takes an action with the largest sum of its prior and of what a look-ahead finds by the value of the game."""
    game = game_of(name)
    assert game.heuristics.by_hand
    states, players = positions(game, 80, seed=3)
    chosen = ScriptedAgent(game, budget=10**9).act_states(states, players, np.random.default_rng(9))
    worlds = np.random.default_rng(9).integers(0, 2**64, size=(len(states), 1), dtype=np.uint64)
    differs = 0
    for state, player, action, world in zip(states, players, chosen, worlds[:, 0], strict=True):
        rows = np.array([state], game.state_dtype)
        rows["rng"] = world
        game.kernels.determinize(rows, game.tables, player, rows["rng"][0], np.zeros(0, np.uint64))
        values, plain = {}, {}
        for legal in game.legal_actions(rows[0]).tolist():
            after = rows[0].copy()
            game.step(after, legal)
            plain[legal] = outcome(game, after, player)
            values[legal] = outcome(game, after, player, game.heuristics.value)
            if game.heuristics.prior is not None:
                values[legal] += game.heuristics.prior(rows[0], game.tables[0], player, legal)
        assert values[int(action)] == pytest.approx(max(values.values()), abs=1e-6)
        differs += plain[int(action)] < max(plain.values()) - 1e-6
    assert differs > 3  # greedy would have chosen something else


@pytest.mark.parametrize("name", GAMES[1:])
def test_the_script_sees_what_its_player_sees(name: str) -> None:
    game = game_of(name)
    states, players = positions(game, 60, seed=4)
    for state, player in zip(states, players, strict=True):
        other = game.determinize(state, int(player), 5)
        for action in game.legal_actions(state).tolist():
            opinions = [game.heuristics.prior(world, game.tables[0], player, action) for world in (state, other)]
            assert opinions[0] == opinions[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["arts_of_war-v0, mixed", "fight_sequence-v0"])
def test_beats_random_and_greedy(name: str) -> None:
    """The floors are well below what is measured (see the documentation), so that bad luck does not fail them."""
    game = game_of(name)
    agent = agents.load("scripted", game)
    assert isinstance(agent, ScriptedAgent) and agent.name == "scripted"
    for opponent, games, floor in (("random", 30, 0.9), ("greedy", 100, 0.5)):
        result = play_match(game, agent, agents.load(opponent, game), games=games, seed=1)
        assert result.total.win_rate > floor, (opponent, result.total)


def test_greedy_has_no_script() -> None:
    """With the same seed and worlds, the two sometimes choose differently, in what no look-ahead sees."""
    game: Any = game_of(GAMES[1])
    states, players = positions(game, 200, seed=8)
    chosen = [kind(game).act_states(states, players, np.random.default_rng(2)) for kind in (GreedyAgent, ScriptedAgent)]
    assert 10 < (chosen[0] != chosen[1]).sum() < 190


def test_a_game_without_a_script_is_refused() -> None:
    with pytest.raises(OptionError, match="toy-v0 has no script: use greedy"):
        agents.load("scripted", game_of("toy"))
