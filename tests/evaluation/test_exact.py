"""Exact exploitability: against OpenSpiel's own figures, on games whose value is known, and on the small edition."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspiel")
import pyspiel
from open_spiel.python import policy as spiel_policy
from open_spiel.python.algorithms import best_response, exploitability

import react_env
from react_env import agents
from react_env.agents.models.model import Architecture, ModelInfo
from react_env.agents.players.neural import NeuralAgent
from react_env.agents.players.uniform import RandomAgent
from react_env.envs.openspiel import SpielGame, SpielState
from react_env.errors import OptionError
from react_env.evaluation.ratings.exact import GameTree, exact_exploitability, solve

ONE_TURN: dict[str, Any] = {"edition": "small", "max_turns": 1}


@lru_cache(maxsize=1)
def small() -> Any:
    """The small edition with a single turn."""
    return react_env.load("arts_of_war-v0", **ONE_TURN)


def spiel_game(name: str) -> Any:
    """A game of OpenSpiel, or the small edition as one."""
    return SpielGame(small()) if name == "small" else pyspiel.load_game(name)


class Tabular(spiel_policy.Policy):
    """A policy of a tree in OpenSpiel's form."""

    def __init__(self, game: Any, tree: GameTree, policies: Any) -> None:
        super().__init__(game, range(2))
        self._table: dict[tuple[int, str], dict[int, float]] = {}
        for player, (side, policy) in enumerate(zip(tree.sides, policies)):
            for number, key in enumerate(side.keys):
                where = slice(side.first[number], side.first[number + 1])
                self._table[player, key] = dict(zip(side.actions[where].tolist(), policy[where].tolist()))

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        player = state.current_player() if player_id is None else player_id
        return self._table[player, state.information_state_string(player)]


def random_policies(tree: GameTree, seed: int) -> Any:
    """Some policy for each player."""
    rng = np.random.default_rng(seed)
    return tuple(side.policy(rng.random(len(side.actions)) ** 3) for side in tree.sides)


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker", "small"])
def test_best_responses_are_those_of_openspiel(name: str) -> None:
    game = spiel_game(name)
    tree = GameTree.of(game)
    policies = random_policies(tree, seed=1)
    theirs = Tabular(game, tree, policies)
    root = game.new_initial_state()
    for player, ours in enumerate(tree.best_responses(policies)):
        assert ours == pytest.approx(best_response.BestResponsePolicy(game, player, theirs, root).value(root), abs=1e-9)
    conv = exploitability.nash_conv(game, theirs, return_only_nash_conv=False)
    assert sum(tree.best_responses(policies)) == pytest.approx(conv.nash_conv, abs=1e-9)
    assert tree.best_responses(policies)[0] - tree.value(policies) == pytest.approx(
        conv.player_improvements[0], abs=1e-9
    )


@pytest.mark.parametrize(("name", "value"), [("kuhn_poker", -1 / 18), ("leduc_poker", -0.085606)])
def test_the_known_value_of_a_game_is_found(name: str, value: float) -> None:
    """Kuhn (1950); Leduc hold'em as in the literature on CFR."""
    found = solve(spiel_game(name))
    assert found.tolerance <= 1e-6
    assert found.bounds[0] - 1e-6 <= value <= found.bounds[1] + 1e-6
    assert abs(found.value - value) <= 1e-6


def test_a_solution_is_as_good_as_it_says() -> None:
    tree = GameTree.of(small())
    found = solve(tree)
    conv = exploitability.nash_conv(SpielGame(small()), Tabular(SpielGame(small()), tree, found.policies))
    assert conv == pytest.approx(2 * found.tolerance, abs=1e-9) and found.tolerance <= 1e-6
    assert found.bounds[0] - 1e-9 <= tree.value(found.policies) <= found.bounds[1] + 1e-9


def test_the_figures_of_uniform_play() -> None:
    found = exact_exploitability(small())
    assert (found.histories, found.information_sets) == (315, (54, 49))
    assert found.nash_conv == pytest.approx(0.5877403846)
    assert found.best_responses == pytest.approx((0.3774038462, 0.2103365385))
    assert found.value == pytest.approx(0.0368840144)
    assert found.exploitability == pytest.approx(found.nash_conv / 2)


@pytest.mark.long
def test_the_small_edition_has_its_documented_figures() -> None:
    tree = GameTree.of(react_env.load("arts_of_war-v0", edition="small"))
    found = exact_exploitability(tree)
    assert (found.histories, found.information_sets) == (196_623, (23_667, 16_003))
    assert found.nash_conv == pytest.approx(1.2243519231)
    solution = solve(tree)
    assert solution.value == pytest.approx(0.0936, abs=1e-6) and solution.tolerance <= 1e-6
    # Hidden hands matter: always doing what is likeliest would reveal too much.
    likeliest = []
    for side, policy in zip(tree.sides, solution.policies):
        most = np.maximum.reduceat(policy, side.first[:-1])
        likeliest.append(side.policy(np.r_[1.0, policy[1:] == np.repeat(most, np.diff(side.first))]))
    assert sum(tree.best_responses((likeliest[0], likeliest[1]))) == pytest.approx(0.0072, abs=1e-4)


# ------------------------------------------------------------------------------------------------------------ policies


def neural(seed: int, size: float) -> NeuralAgent:
    """A network with random weights of this size."""
    game = small()
    architecture = Architecture(trunk=(8,), policy=(), value=())
    shapes = architecture.shapes(game.observation_shape[0], game.num_actions)
    rng = np.random.default_rng(seed)
    weights = {name: (rng.normal(size=shape) * size).astype(np.float32) for name, shape in shapes.items()}
    weights["scale"] = np.ones(game.observation_shape, np.float32)
    return NeuralAgent(weights, ModelInfo.of(game, architecture))


@pytest.mark.parametrize("policy", [RandomAgent(), neural(0, size=0.0), lambda observations, masks: 3.0 * masks])
def test_ways_to_say_uniform(policy: Any) -> None:
    found, uniform = exact_exploitability(small(), policy), exact_exploitability(small())
    assert found.best_responses == pytest.approx(uniform.best_responses) and found.value == pytest.approx(uniform.value)


def test_a_network_is_judged_by_what_it_draws() -> None:
    """Its exploitability is the one that OpenSpiel finds by asking the network at each decision."""
    agent = neural(1, size=0.2)

    class Asked(spiel_policy.Policy):
        def action_probabilities(self, state: SpielState, player_id: int | None = None) -> dict[int, float]:
            player = state.current_player() if player_id is None else player_id
            legal = state.legal_actions()
            logits = agent.logits(np.array([state.observation_tensor(player)], np.int8))[0, legal]
            weights = np.exp(logits.astype(np.float64) - logits.max())
            return dict(zip(legal, weights / weights.sum()))

    game = SpielGame(small())
    found = exact_exploitability(small(), agent)
    assert found.nash_conv == pytest.approx(exploitability.nash_conv(game, Asked(game, range(2))), abs=1e-6)
    assert abs(found.nash_conv - exact_exploitability(small()).nash_conv) > 0.01


def test_temperature_zero_is_the_best_action() -> None:
    agent = neural(1, size=0.2)

    def first(observations: Any, masks: Any) -> Any:
        return np.eye(masks.shape[1])[agent.act(observations, masks, np.random.default_rng(0))]

    cold = exact_exploitability(small(), agent, temperature=0)
    assert cold.nash_conv == pytest.approx(exact_exploitability(small(), first).nash_conv)
    assert cold.nash_conv == pytest.approx(exact_exploitability(small(), agent, temperature=1e-4).nash_conv, abs=1e-6)


# ------------------------------------------------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        (lambda: agents.load("greedy", small()), "needs the probabilities of a policy.*found 'greedy'"),
        (lambda: "champion", "found 'champion'"),
        (lambda: lambda observations, masks: np.zeros(masks.shape), "no legal action any probability"),
        (lambda: lambda observations, masks: np.ones((3, 2)), r"probabilities \(54, 85\)"),
        (lambda: lambda observations, masks: np.where(masks, np.nan, 0.0), "none negative"),
    ],
)
def test_what_is_no_policy_is_refused(policy: Callable[[], Any], why: str) -> None:
    with pytest.raises(OptionError, match=why):
        exact_exploitability(small(), policy())


def test_games_whose_tree_cannot_be_walked_are_refused() -> None:
    with pytest.raises(OptionError, match="more than 500 histories.*edition='small'"):
        GameTree.of(react_env.load("arts_of_war-v0"), most=500)
    with pytest.raises(OptionError, match="whose chance can be listed"):
        GameTree.of(react_env.load("fight_sequence-v0"))


@pytest.mark.parametrize("knows", [lambda state: "", lambda state: str(state.legal_actions())])
def test_a_player_who_forgets_is_noticed(knows: Callable[[Any], str], monkeypatch: pytest.MonkeyPatch) -> None:
    """One forgets what is legal, the other what was done before."""
    monkeypatch.setattr(SpielState, "information_state_string", lambda self, player: f"player_{player} {knows(self)}")
    with pytest.raises(OptionError, match="imperfect recall"):
        GameTree.of(small())
