"""A network that is advised plays as its adviser until it has learned something to add."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from react_env import agents
from react_env.agents.models.model import Architecture, ModelInfo, save_model
from react_env.agents.observed import see
from react_env.agents.players.advised import MOST, AdvisedAgent, Adviser
from react_env.agents.players.neural import NeuralAgent
from react_env.errors import ModelError, OptionError
from tests.agents.games import game_of, positions

GAMES = ("toy, mixed", "arts_of_war-v0", "fight_sequence-v0")


def silent(game: Any, advice: str = "greedy") -> tuple[Any, ModelInfo]:
    """A network that says nothing of any action: all its weights are 0."""
    info = replace(ModelInfo.of(game, Architecture((4,), (4,), (4,), "relu").fitted(game)), advice=advice)
    shapes = info.architecture.shapes(info.observation_size, info.action_count)
    return {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}, info


@pytest.mark.parametrize("name", GAMES)
def test_it_sees_what_the_batch_shows(name: str) -> None:
    game = game_of(name)
    states, players = positions(game, 200)
    observations, masks = see(game, states)
    for state, player, observation, mask in zip(states[:40], players, observations, masks, strict=False):
        np.testing.assert_array_equal(observation, game.observe(state, int(player)))
        np.testing.assert_array_equal(mask, game.action_mask(state))


@pytest.mark.parametrize("name", GAMES)
def test_values_belong_to_the_choices(name: str) -> None:
    """greedy takes an action that is worth most; what is illegal is worth nothing at all."""
    game = game_of(name)
    states, players = positions(game, 150)
    greedy = agents.load("greedy", game)
    values = greedy.action_values(states, players, np.random.default_rng(3))  # type: ignore[union-attr]
    chosen = agents.load("greedy", game).act_states(states, players, np.random.default_rng(3))  # type: ignore[union-attr]
    np.testing.assert_allclose(values[np.arange(150), chosen], values.max(1))
    np.testing.assert_array_equal(np.isfinite(values), see(game, states)[1])


@pytest.mark.parametrize("name", GAMES)
def test_a_network_that_says_nothing_plays_as_its_adviser(name: str) -> None:
    game = game_of(name)
    states, players = positions(game, 150)
    agent = AdvisedAgent(game, NeuralAgent(*silent(game)))
    chosen = agent.act_states(states, players, np.random.default_rng(3))
    values = agents.load("greedy", game).action_values(states, players, np.random.default_rng(3))  # type: ignore[union-attr]
    np.testing.assert_allclose(values[np.arange(150), chosen], values.max(1))


def test_what_the_network_says_is_added() -> None:
    """A network that wants one action by more than an adviser can object to takes it wherever it is legal."""
    game = game_of("arts_of_war-v0")
    weights, info = silent(game)
    end_turn = game.action_names.index("end turn")
    weights["policy.1.bias"][end_turn] = MOST + 1
    states, players = positions(game, 300)
    chosen = AdvisedAgent(game, NeuralAgent(weights, info)).act_states(states, players, np.random.default_rng(0))
    may = see(game, states)[1][:, end_turn]
    assert may.any() and (chosen[may] == end_turn).all() and (chosen[~may] != end_turn).all()


def test_advice_is_0_for_the_best_and_bounded() -> None:
    game = game_of("arts_of_war-v0")
    states, players = positions(game, 300)
    advice = Adviser("greedy", 10.0, game)(states, players, np.random.default_rng(0))
    assert advice.max() == 0.0 and advice.min() >= -MOST
    assert (advice == -MOST).any()
    gentle = Adviser("greedy", 1e6, game)(states, players, np.random.default_rng(0))
    assert gentle.min() > -1.0


def test_files_tell_of_the_adviser(tmp_path: Path) -> None:
    game = game_of("toy")
    save_model(tmp_path, *silent(game))
    assert isinstance(agents.load(tmp_path, game), AdvisedAgent)
    text = (tmp_path / "model.json").read_text()
    (tmp_path / "model.json").write_text(text.replace('"advice": "greedy"', '"advice": "mcts:64"'))
    with pytest.raises(ModelError, match="advice is 'mcts:64'"):
        agents.load(tmp_path, game)


def test_who_tells_no_values_cannot_advise() -> None:
    with pytest.raises(OptionError, match="random cannot advise"):
        Adviser("random", 1.0, game_of("toy"))
