"""A game for three in the whole library: what works for any number of seats accepts it, and what is for two alone refuses it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test
from typer.testing import CliRunner

import react_env
from react_env import agents
from react_env.agents.models.model import Architecture, ModelInfo, save_model
from react_env.agents.search.mcts import SearchAgent
from react_env.cli import app
from react_env.engine.batch import seed_words
from react_env.envs import aec, gym
from react_env.envs.sb3 import SelfPlayVecEnv
from react_env.errors import OptionError
from react_env.evaluation import play_match, record_game
from react_env.evaluation.lab.games import play_deals
from react_env.evaluation.lab.study import subject_of
from react_env.evaluation.ratings.tables import play_tables
from react_env.registry import GAMES
from tests import table_of_three

WINS = 1 / 3  # the share of an agent that plays like the others, apart from ties


@pytest.fixture(autouse=True)
def known() -> Iterator[None]:
    GAMES["three-v0"] = "tests.table_of_three:GAME"
    yield
    del GAMES["three-v0"]


@pytest.fixture
def game() -> Any:
    return react_env.load("three-v0")


@pytest.mark.parametrize("name", ["greedy", pytest.param("mcts:30", marks=pytest.mark.long)])
def test_agents_play_against_two_others(name: str, game: Any) -> None:
    """One against two random players wins more than its share, and rewards sum to 0."""
    match = play_match(game, agents.load(name, game), agents.load("random", game), 300, seed=1)
    assert len(match.seats) == 3 and match.total.interval[0] > WINS, match.total
    batch = game.batch(64, seed=3)
    for _ in range(30):
        batch.step(batch.action_masks.argmax(1))
        np.testing.assert_allclose(batch.rewards.sum(1), 0.0, atol=1e-6)


def test_no_value_is_learned_where_nothing_is_told(game: Any) -> None:
    from react_env.agents.models.model import ValueArchitecture

    with pytest.raises(OptionError, match="three-v0 defines no features of a position"):
        ValueArchitecture.of(game, 8)


def test_environments_seat_three(game: Any) -> None:
    api_test(aec.env(game), num_cycles=50)
    vector = SelfPlayVecEnv(game, 6)
    vector.reset()
    for _ in range(20):
        vector.step(vector.action_masks().argmax(1))  # type: ignore[no-untyped-call]
    envs: Any = gym.make_vec(game_id="three-v0", num_envs=6, opponent="greedy")
    _, infos = envs.reset(seed=0)
    rewards = np.zeros(0)
    for _ in range(20):
        _, now, *_, infos = envs.step(infos["action_mask"].argmax(1))
        rewards = np.concatenate([rewards, now])
    assert set(np.unique(rewards)) == {-0.5, 0.0, 1.0}


def test_open_spiel_counts_three(game: Any) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from react_env.envs.openspiel import SpielGame

    spiel = SpielGame(game)
    assert spiel.num_players() == spiel.get_type().max_num_players == 3
    pyspiel.random_sim_test(spiel, num_sims=1, serialize=False, verbose=False)


def test_an_agent_learns_at_every_seat(tmp_path: Path, game: Any) -> None:
    pytest.importorskip("torch")
    from react_env.training.config import TrainConfig
    from react_env.training.selfplay.run import train

    config = TrainConfig(game="three-v0", steps=512, envs=12, rollout=16, minibatch=64, evaluations=1)
    result = train(
        config.model_copy(update={"evaluation_games": 12, "imitation_games": 12, "imitation_epochs": 1}),
        tmp_path / "run",
    )
    assert result.steps >= 512
    match = play_match(game, agents.load(result.model, game), agents.load("random", game), 30)
    assert match.total.games == 30


def test_people_and_arenas(game: Any) -> None:
    run = CliRunner()
    arena: Any = run.invoke(app, ["arena", "greedy", "random", "--game", "three-v0", "--games", "30"])
    assert arena.exit_code == 0 and "Seat 2" in arena.output
    played: Any = run.invoke(app, ["play", "three-v0", "--against", "greedy", "--seed", "1"], input="1\n1\n")
    assert played.exit_code == 0 and "You lose.\n6 decisions, 2 of them yours." in played.output
    replay = record_game(game, [agents.load("random", game)] * 3, seed=1)
    assert len(replay.players) == 3
    assert table_of_three.PLAYERS == game.num_players


class First:
    """Lays its lowest card."""

    name = "first"

    def act(self, observations: Any, action_masks: Any, rng: Any) -> Any:
        return action_masks.argmax(1)


def test_a_win_of_several_is_nobodys() -> None:
    """Past bug: tables and the laboratory took it for a win of the lowest seat among them."""
    game = react_env.load("three-v0", ranked=True)
    words = seed_words(4, 60)

    def winner(word: Any) -> int:
        state = game.new(start=int(word))
        while not game.terminated(state):
            game.step(state, int(game.legal_actions(state)[0]))
        best = np.flatnonzero(state["points"] == state["points"].max())
        return int(best[0]) if len(best) == 1 else -1

    expected = [winner(word) for word in words]
    assert 10 < expected.count(-1) < 50
    result = play_tables(game, {name: First() for name in ("a", "b", "c")}, 3 * len(words), seed=4)
    assert result.winner.tolist() == 3 * expected
    subject = subject_of("three-v0", {"ranked": True})
    found = play_deals(subject, game, First(), words, subject.watch(game, (), len(words)), (1,))
    assert found.winner.tolist() == expected


def test_who_gets_nothing_while_another_one_wins_has_lost(tmp_path: Path) -> None:
    """Past bug: the terminal said that nobody wins."""
    game = react_env.load("three-v0", ranked=True)

    def rewards(seed: int) -> list[float]:
        state = game.new(seed=seed)
        while not game.terminated(state):
            game.step(state, int(game.legal_actions(state)[0]))
        return game.rewards(state).tolist()

    seed = next(seed for seed in range(1000) if rewards(seed) in ([0, 1, -1], [0, -1, 1]))
    agent = tmp_path / "first.py"
    agent.write_text("class First:\n    def act(self, seen, masks, rng):\n        return masks.argmax(1)\n")
    played: Any = CliRunner().invoke(
        app,
        ["play", "three-v0", "--set", "ranked=true", "--against", f"{agent}:First", "--seed", str(seed)],
        input="1\n1\n",
    )
    assert played.exit_code == 0 and "You lose." in played.output and "Nobody wins." not in played.output


@pytest.mark.slow  # compiles a search
@pytest.mark.parametrize("others", ["selfish", "paranoid"])
def test_in_a_search_others_want_what_is_theirs(others: str) -> None:
    """Laying 3 is better than laying 1 for the player who does it, and worse for the one who searches; `others` says which counts."""
    game = table_of_three.load()
    state = game.new(seed=5)
    for _ in range(3):
        game.step(state, int(game.legal_actions(state)[0]))
    me = game.to_play(state)
    agent = SearchAgent(game, simulations=300, horizon=0, rollout="random", grow=3, others=others)
    agent.act_states(np.array([state]), np.array([me]), np.random.default_rng(0))
    tree = agent._workers.scratch[0].tree
    compared = 0
    for node in tree.nodes[1 : tree.sizes[0]]:
        found, edge = {}, node["first"]
        while edge >= 0:
            one = tree.edges[edge]
            if one["visits"] >= 3:
                found[int(one["action"])] = float(one["total"] / one["visits"])
            edge = one["next"]
        if node["kind"] % 16 != me and {0, 2} <= found.keys():
            compared += 1
            assert (found[2] > found[0]) == (others == "selfish")
    assert compared > 2


@pytest.mark.slow
def test_in_a_search_others_are_judged_by_the_network_too(tmp_path: Path) -> None:
    """The next player lays 1: the network judges after that, and counts a player's points in favour of the one who moves next.

    Past bug: the network had no say in what a leaf of the search is worth to the others, whatever its share.
    """
    game = table_of_three.load()
    info = ModelInfo.of(game, Architecture((), (), ()), None)
    shapes = info.architecture.shapes(info.observation_size, info.action_count)
    weights = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    weights["scale"][:] = 1.0
    weights["value.0.weight"][0, game.layout["points"].start + 2] = 0.2
    net = str(save_model(tmp_path, weights, info))
    state = game.new(seed=5)
    me = game.to_play(state)
    agent = SearchAgent(game, simulations=300, horizon=2, net=net, value=1.0, prior=0.0, lookahead=False)
    agent.act_states(np.array([state]), np.array([me]), np.random.default_rng(0))
    tree = agent._workers.scratch[0].tree
    laid = np.zeros(game.num_actions)
    for node in tree.nodes[1 : tree.sizes[0]]:
        edge = node["first"]
        while edge >= 0:
            one = tree.edges[edge]
            laid[one["action"]] += one["visits"] * (node["kind"] % 16 == (me + 1) % 3)
            edge = one["next"]
    assert laid[0] > 2 * laid[2] > 0


@pytest.mark.slow
def test_in_a_search_all_others_are_the_known_opponent() -> None:
    """Greedy lays the higher of its two cards: a 1 with one hand in nine, a 3 with five."""
    game = table_of_three.load()
    state = game.new(seed=5)
    for _ in range(3):
        game.step(state, int(game.legal_actions(state)[0]))
    me = game.to_play(state)
    agent = SearchAgent(game, simulations=300, horizon=0, opponent=agents.load("greedy", game))
    agent.act_states(np.array([state]), np.array([me]), np.random.default_rng(0))
    tree = agent._workers.scratch[0].tree
    laid = np.zeros((game.num_players, game.num_actions))
    for node in tree.nodes[1 : tree.sizes[0]]:
        edge = node["first"]
        while edge >= 0:
            one = tree.edges[edge]
            laid[node["kind"] % 16, one["action"]] += one["visits"]
            edge = one["next"]
    for player in {0, 1, 2} - {me}:
        np.testing.assert_allclose(laid[player] / laid[player].sum(), [1 / 9, 3 / 9, 5 / 9], atol=0.12)
