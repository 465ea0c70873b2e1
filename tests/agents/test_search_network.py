"""The search with a network: the compiled forward pass, what it does to the choices, what it may not see, names and refusals."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from react_env import agents
from react_env.agents.models import network
from react_env.agents.models.model import Architecture, ModelInfo, save_model
from react_env.agents.models.network import new_thoughts
from react_env.agents.players.neural import NeuralAgent
from react_env.agents.search.guide import guide_of, make_questions
from react_env.agents.search.mcts import SearchAgent
from react_env.errors import ModelError, OptionError
from react_env.training.algorithms.shaping import potentials_of
from tests import toy
from tests.agents.games import game_of, positions

ARCHITECTURES = [
    Architecture((24,), (16,), (8,), "relu", row_width=8),
    Architecture((16, 24, 8), (16, 8), (8, 8, 4), "tanh", row_width=4),
    Architecture((), (8,), (), "relu"),
    Architecture((), (), (), "tanh"),
    Architecture((8,), (), (4,), "tanh", row_width=40),
]
ALONE: dict[str, Any] = {"lookahead": False, "value": 1.0}  # the network alone judges


def model(game: Any, architecture: Architecture = ARCHITECTURES[0], training: Any = None, size: float = 1.0) -> Any:
    """(weights, info) of a network with random weights, or with zeros if `size` is 0."""
    architecture = architecture.fitted(game)
    info = ModelInfo.of(game, architecture, training)
    rng = np.random.default_rng(0)
    shapes = architecture.shapes(info.observation_size, info.action_count)
    weights = {
        name: (size * rng.normal(size=shape) / np.sqrt(shape[-1])).astype(np.float32) for name, shape in shapes.items()
    }
    weights["scale"] = game.layout.scale.copy()
    return weights, info


@pytest.mark.parametrize("name", ["arts_of_war-v0", "fight_sequence-v0", "arts_of_war-v0, mixed"])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_logits_of_legal_actions_need_no_others(name: str, architecture: Architecture) -> None:
    game = game_of(name)
    agent = NeuralAgent(*model(game, architecture))
    states, players = positions(game, 20, seed=3)
    observations = np.array([game.observe(state, int(player)) for state, player in zip(states, players)])
    logits, values = agent.logits(observations), agent.values(observations)
    thoughts = new_thoughts(agent.network, game.layout.size, game.num_actions)
    for row, observation in enumerate(observations):
        mask = game.action_mask(states[row])
        thoughts.observation[:] = observation
        shared = network.trunk(agent.network, thoughts)
        assert network.value(agent.network, thoughts, shared) == values[row]
        network.logits(agent.network, thoughts, shared, mask)
        np.testing.assert_array_equal(thoughts.logits[mask], logits[row][mask])


@pytest.mark.parametrize("shaping", [0.0, 0.5])
def test_asks_for_the_player_to_move_and_gives_back_what_shaping_took(shaping: float) -> None:
    game = game_of("arts_of_war-v0, mixed")  # its observations end with pieces that stay as they are
    agent = NeuralAgent(*model(game, training={"config": {"shaping": shaping}}, size=0.5))
    guide = guide_of(agent, game)
    thoughts = new_thoughts(agent.network, game.layout.size, game.num_actions)
    ask = make_questions(game, "test.arts_of_war", True)
    states, players = positions(game, 30, seed=4)
    observations = np.array([game.observe(state, int(player)) for state, player in zip(states, players)])
    expected = agent.values(observations) + shaping * potentials_of(game, states, players)
    logits = agent.logits(observations).astype(np.float64)
    for row, (state, player) in enumerate(zip(states, players)):
        table, mask = game.tables[state["table"]], game.action_mask(state)
        for who, sign in ((player, 1), (1 - player, -1)):
            found = ask.worth(guide, thoughts, state, table, who)
            assert found == pytest.approx(sign * np.clip(expected[row], -1, 1), abs=1e-5)
        ask.policy(guide, thoughts, state, table, mask)
        policy = np.where(mask, np.exp(logits[row] - logits[row][mask].max()), 0)
        np.testing.assert_allclose(thoughts.policy, policy / policy.sum(), atol=1e-5)
    assert np.ptp(potentials_of(game, states, players)) > 0.1 and np.median(np.abs(expected)) < 1


def test_what_a_position_is_worth_to_several_players_sums_to_nothing() -> None:
    """Past bug: the player to move had v, and each of the others had -v."""
    game = game_of("react_fast-v0")
    agent = NeuralAgent(*model(game, size=0.5))
    guide, thoughts = guide_of(agent, game), new_thoughts(agent.network, game.layout.size, game.num_actions)
    ask = make_questions(game, "test.react_fast", True)
    for state in positions(game, 5, seed=4)[0]:
        table = game.tables[state["table"]]
        worths = [ask.worth(guide, thoughts, state, table, p) for p in range(game.num_players)]
        assert sum(worths) == pytest.approx(0, abs=1e-6) and np.ptp(worths) > 1e-3


@pytest.fixture
def toy_net(tmp_path: Path) -> Path:
    return save_model(tmp_path / "m", *model(game_of("toy")))


def test_a_network_that_is_sure_of_an_action_is_followed(tmp_path: Path) -> None:
    game = game_of("toy")
    states, players = positions(game, 60, seed=5)
    fit = (states["rank"] < 0) & ((states["hand"][np.arange(60), players] > 0).sum(axis=1) > 1)
    states, players = states[fit], players[fit]
    weights, info = model(game, size=0.0)  # all positions are worth the same
    for sure in range(toy.RANKS):
        weights["policy.1.bias"][:] = 0
        weights["policy.1.bias"][sure] = 12
        save_model(tmp_path, weights, info)
        agent = SearchAgent(game, simulations=30, net=str(tmp_path), prior=1.0, **ALONE)
        chosen = agent.act_states(states, players, np.random.default_rng(0))
        held = states["hand"][np.arange(len(states)), players, sure] > 0
        assert held.any() and (chosen[held] == sure).all()


@pytest.mark.slow  # half a minute of compilation
def test_an_action_that_comes_late_is_as_probable_as_among_all_legal_ones(tmp_path: Path) -> None:
    """Past bug: an action first allowed by a later world was weighed only against the other new ones, so a single one was certain."""
    game = game_of("arts_of_war-v0, mixed")
    save_model(tmp_path, *model(game, size=0.0))  # all legal actions are equally probable, and there are at least two
    agent = SearchAgent(game, simulations=64, net=str(tmp_path), prior=1.0, **ALONE)
    states, players = positions(game, 10, seed=5)
    edges = 0
    for row in range(10):
        agent.act_states(states[row : row + 1], players[row : row + 1], np.random.default_rng(row))
        tree = agent._workers.scratch[0].tree
        used = tree.edges[1 : tree.sizes[1]]
        assert used["probability"].max() < 0.51
        edges += len(used)
    assert edges > 500


@pytest.mark.parametrize("sign", [1, -1])
def test_the_value_speaks_for_the_player_to_move(tmp_path: Path, sign: int) -> None:
    # After a play the opponent is to move. A network that likes the other player's points makes none itself, and the other way round.
    game = game_of("toy")
    states, players = positions(game, 60, seed=5)
    rows = np.arange(60)
    fit = (states["rank"] < 0) & (states["hand"][rows, players, 3] > 0) & (states["hand"][rows, players, 0] > 0)
    states, players = states[fit], players[fit]
    states["pile"] = (1, 1)  # a 3 makes a point, a 0 does not
    states["points"] = 1
    states["turn"] = 0
    weights, info = model(game, Architecture((), (), (), "relu"), size=0.0)
    weights["value.0.weight"][0, toy.POINTS : toy.POINTS + 2] = (sign, -sign)
    save_model(tmp_path, weights, info)
    agent = SearchAgent(game, simulations=200, net=str(tmp_path), prior=0.3, **ALONE)
    chosen = agent.act_states(states, players, np.random.default_rng(0))
    assert len(states) > 5
    makes_points = chosen >= 2
    assert makes_points.all() if sign > 0 else not makes_points.any()


@pytest.mark.long  # half a minute of compilation
def test_hidden_cards_change_nothing_at_all_in_re_act(tmp_path: Path) -> None:
    game = game_of("arts_of_war-v0")
    save_model(tmp_path, *model(game))
    states, players = positions(game, 30, seed=12)
    others = states.copy()
    for i, player in enumerate(players):
        others[i] = game.determinize(states[i], int(player), 5)
    assert (others["hand"] != states["hand"]).any()
    agent = SearchAgent(game, simulations=16, net=str(tmp_path), prior=0.5, **ALONE)
    chosen = [agent.act_states(worlds, players, np.random.default_rng(3)) for worlds in (states, others)]
    assert (chosen[0] == chosen[1]).all()
    for state, action in zip(states, chosen[0]):
        assert game.action_mask(state)[action]


def test_threads_and_repetition_do_not_matter(toy_net: Path) -> None:
    game = game_of("toy")
    states, players = positions(game, 30, seed=2)
    chosen = [
        SearchAgent(game, simulations=16, net=str(toy_net), threads=threads).act_states(
            states, players, np.random.default_rng(1)
        )
        for threads in (1, 1, 3)
    ]
    assert (chosen[0] == chosen[1]).all() and (chosen[0] == chosen[2]).all()


def test_a_network_without_weight_changes_nothing(toy_net: Path) -> None:
    game = game_of("toy")
    states, players = positions(game, 60, seed=2)
    plain, guided, other = (
        SearchAgent(game, simulations=24, **options).act_states(states, players, np.random.default_rng(1))
        for options in ({}, {"net": str(toy_net), "prior": 0.0, "value": 0.0}, {"net": str(toy_net), "prior": 2.0})
    )
    assert (plain == guided).all() and (plain != other).any()


def test_names_and_fingerprints_tell_the_network(toy_net: Path) -> None:
    game = game_of("toy")
    spec = f"mcts:64,net={toy_net}"
    for text in (spec, f"{spec},prior=0.25,value=0.5", f"mcts:0.5s,net={toy_net.parent}"):
        agent = agents.load(text, game)
        assert agent.name == text and agents.load(agent.name, game).name == text
    before = agents.fingerprint(spec, game)
    assert before != agents.fingerprint("mcts:64", game) and before == agents.fingerprint(spec, game)
    weights, info = model(game)
    weights["policy.0.bias"][0] += 1
    save_model(toy_net, weights, info)
    assert agents.fingerprint(spec, game) != before


def test_a_network_of_other_rules_is_refused(toy_net: Path) -> None:
    with pytest.raises(ModelError, match="other rules"):
        agents.load(f"mcts:8,net={toy_net}", toy.load(max_turns=29))
    weights, info = model(game_of("toy"))
    save_model(toy_net, weights, replace(info, game="chess-v0"))
    with pytest.raises(ModelError, match="made for chess-v0"):
        agents.load(f"mcts:8,net={toy_net}", game_of("toy"))


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ("net=greedy", OptionError, "net must name a model, .*, not 'greedy'"),
        ("net=", OptionError, "net must name a model"),
        ("net=gready", OptionError, "net must name a model, such as .*safetensors, not 'gready'"),
        ("net=nowhere/model.safetensors", ModelError, "no such file"),
        ("net=nowhere/model.safetensors,value=1.5", OptionError, "value must be from 0 to 1"),
        ("net=nowhere/model.safetensors,prior=-1", OptionError, "prior must be from 0"),
        ("prior=0.5", OptionError, "prior and value need a network"),
        ("value=0.5", OptionError, "prior and value need a network"),
    ],
)
def test_bad_options_say_what_would_be_right(options: str, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        agents.load(f"mcts:8,{options}", game_of("toy"))
