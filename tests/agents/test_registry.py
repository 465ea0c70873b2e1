"""agents.load: names, paths, and what it says where there is no such agent."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from react_env.errors import ModelError, OptionError
from tests.agents.games import game_of


def game_for(name: str) -> Any:
    """A small game that the agent of that name can play."""
    return game_of("fight_sequence-v0" if name == "scripted" else "toy")


def test_named_agents_follow_the_protocol() -> None:
    for name in agents.available():
        game = game_for(name)
        agent = agents.load(name, game)
        assert agent.name == name
        assert isinstance(agent, agents.StateAgent if agents.uses_states(agent) else agents.Agent)


def test_worlds_of_greedy() -> None:
    assert agents.load("greedy:4", game_of("toy")).name == "greedy:4"


@pytest.mark.parametrize(
    "spec", ["gready", "", "random:3", "greedy:0", "greedy:many", "greedy:100000", "nowhere/at/all"]
)
def test_unknown_agents_are_refused(spec: str) -> None:
    with pytest.raises(OptionError):
        agents.load(spec, game_of("toy"))


def test_the_error_lists_what_there_is() -> None:
    with pytest.raises(OptionError, match=r"'gready'.*random, greedy.*model\.safetensors"):
        agents.load("gready", game_of("toy"))


def test_a_missing_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no such file"):
        agents.load(tmp_path, game_of("toy"))
    with pytest.raises(ModelError, match="no such file"):
        agents.load(tmp_path / "x.safetensors", game_of("toy"))


def test_choose_asks_each_kind_of_agent_for_some_rows() -> None:
    rows = np.array([1, 5, 6])
    for name in agents.available():
        game = game_for(name)
        batch = game.batch(num_games=8, seed=0)
        chosen = agents.choose(agents.load(name, game), batch, rows, np.random.default_rng(0))
        assert chosen.shape == (3,) and chosen.dtype == np.int64
        assert batch.action_masks[rows, chosen].all()
        assert len(agents.choose(agents.load(name, game), batch, rows[:0], np.random.default_rng(0))) == 0
