"""The features of a position of React Fast, and the agents that play by a learned value."""

from typing import Any

import numpy as np
import pytest
import torch

import react_env
from react_env import agents
from react_env.agents.models.model import ModelInfo, ValueArchitecture, Weights
from react_env.agents.players import champion
from react_env.agents.players.learned_value import UNIT, ValueAgent, learned, new_params
from react_env.games.react_fast import features as F
from react_env.games.react_fast import state as S
from react_env.training.algorithms.td import ValueNet, export
from tests.agents.games import positions


def counted(game: Any, state: Any, player: int) -> Any:
    out = np.empty(len(F.FEATURES), np.float32)
    game.heuristics.features(state, game.tables[0], player, out)
    return out


def model(game: Any, seed: int = 0) -> tuple[Weights, ModelInfo, ValueNet]:
    """A value with random weights."""
    torch.manual_seed(seed)
    shape = ValueArchitecture.of(game, 4)
    net = ValueNet(shape, np.zeros((1, game.num_players), np.int64))
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.normal_(std=0.2)
        net.table.zero_()
    return export(net), ModelInfo.of(game, shape), net


def ends(game: Any, state: Any, action: int) -> bool:
    """Whether an action ends the game at once."""
    after = state.copy()
    game.step(after, action)
    return bool(game.terminated(after))


def test_a_card_that_comes_at_once_counts_most() -> None:
    game = react_env.load("react_fast-v0", players=2)
    state = game.new(seed=0)
    placer = int(F.placer(state))
    state["owner"][:], state["used"][:] = S.HIDDEN, 0
    state["owner"][S.A9], state["used"][S.A9] = 0, 1
    needed = int(game.tables[0]["needed"][S.A9])
    found = []
    for deep in (0, 3):
        there = state.copy()
        for p in range(2):
            for i in range(S.CARDS):
                if there["deck"][p, i] & S.CARD_BITS == needed:
                    there["deck"][p, i] = S.FIRST | 8  # a ten, which no traveling card shows
        there["deck"][placer, (there["head"][placer] + deep) % S.CARDS] = S.FIRST | needed
        mine, theirs = counted(game, there, 0), counted(game, there, 1)
        assert mine[F.KEEP] == 0 and mine[F.KEEP + 1] == pytest.approx(theirs[F.GAIN]) and mine[F.GAIN] == 0
        found.append(float(mine[F.KEEP + 1]))
    assert found[0] == pytest.approx(1.0) and 0 < found[1] < 0.5


def test_who_is_out_has_nothing_and_no_chance() -> None:
    game = react_env.load("react_fast-v0", players=4)
    weights, info, _ = model(game)
    state = game.new(seed=1)
    state["alive"][2:] = 0
    assert not counted(game, state, 2).any() and counted(game, state, 0)[F.ONE] == 1
    assert isinstance(info.architecture, ValueArchitecture)
    value_of, params = learned(game), new_params(weights, info.architecture, game)
    values = [value_of(state, game.tables[0], player, params) for player in range(3)]
    assert values[2] < -1e4 and values[0] == pytest.approx(-values[1], abs=0.01)


@pytest.mark.parametrize("players", [2, 4])
def test_the_compiled_value_is_that_which_learns(players: int) -> None:
    """A player's chance to win is the softmax of the strengths; the chances add up to 1."""
    game = react_env.load("react_fast-v0", players=players)
    weights, info, net = model(game)
    assert isinstance(info.architecture, ValueArchitecture)
    value_of, params = learned(game), new_params(weights, info.architecture, game)
    states, _ = positions(game, 30, seed=2)
    states = states[states["over"] == 0]
    counts = np.array([[counted(game, state, player) for player in range(players)] for state in states])
    with torch.no_grad():
        strengths = net(torch.from_numpy(counts), torch.zeros(len(states), dtype=torch.long))
        expected = torch.softmax(strengths, 1).numpy()
    values = [[value_of(state, game.tables[0], p, params) for p in range(players)] for state in states]
    found = 1 / (1 + np.exp(-np.array(values) / UNIT))
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(found.sum(1), 1, rtol=1e-4)


def test_it_sees_what_its_player_sees_and_hangs_on_no_threads() -> None:
    game = react_env.load("react_fast-v0")
    weights, info, _ = model(game)
    states, players = positions(game, 24, seed=5)
    going = states["over"] == 0
    states, players = states[going], players[going]
    one, two = (ValueAgent(game, weights, info, worlds=32, playout=3, threads=n) for n in (1, 2))
    chosen = one.act_states(states, players, np.random.default_rng(0))
    np.testing.assert_array_equal(chosen, two.act_states(states, players, np.random.default_rng(0)))
    assert all(game.action_mask(state)[action] for state, action in zip(states, chosen, strict=True))
    chances = one.win_chances(states, players, np.random.default_rng(0))
    assert (chances >= 0).all() and (chances <= 1).all()


@pytest.mark.parametrize("players", [pytest.param(2, marks=pytest.mark.long), 4])
def test_the_champion_of_so_many_players(players: int) -> None:
    game = react_env.load("react_fast-v0", players=players)
    assert champion.knows(game) and not champion.knows(react_env.load("react_fast-v0", players=3))
    agent: Any = agents.load("champion", game)
    assert isinstance(agent, ValueAgent) and agent.playout > 0 and agent.name == "champion"
    # Whoever can win at once does so.
    batch = game.batch(num_games=64, seed=3)
    scripted, rng, won = agents.load("scripted", game), np.random.default_rng(0), 0
    while won < 3:
        actions = agents.choose(scripted, batch, np.arange(64), rng)
        for place in np.flatnonzero(batch.states["decision"] == S.D_ACTIVATE)[:8]:
            state = batch.states[place].copy()
            wins = [a for a in game.legal_actions(state) if ends(game, state, int(a))]
            if wins:
                player = np.array([batch.to_play[place]], np.int64)
                assert agent.act_states(np.array([state]), player, rng)[0] in wins
                won += 1
        batch.step(actions)
