"""The search agent: legal, wins in one, ends when its choice is clear, keeps its budget, refuses bad names. The rest: test_planners.py."""

import copy
import time
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from react_env import agents
from react_env.agents.players.greedy import GreedyAgent, kernel
from react_env.agents.search import tree
from react_env.agents.search.mcts import SearchAgent
from react_env.engine.compile import njit
from react_env.errors import OptionError
from react_env.evaluation.matches.match import play_match
from tests import toy
from tests.agents.games import game_of, positions

GAMES = ["toy", "arts_of_war-v0", "fight_sequence-v0", "react_fast-v0", "reality_tcg-v0"]


def assert_legal(game: Any, states: Any, chosen: Any) -> None:
    for state, action in zip(states, chosen, strict=True):
        assert game.action_mask(state)[action]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"lookahead": False, "width": 1, "grow": 1},
        {"horizon": 0, "width": 1},
        {"horizon": 3, "width": 2, "reach": 1},
        {"rollout": "random", "horizon": 2},
        {"rollout": "idle", "grow": 2},
        {"rollout": "none"},
    ],
)
def test_actions_are_legal_whatever_the_options(name: str, options: Any) -> None:
    game = game_of(name)
    states, players = positions(game, 12, seed=6)
    chosen = SearchAgent(game, simulations=20, **options).act_states(states, players, np.random.default_rng(1))
    assert_legal(game, states, chosen)


@pytest.mark.parametrize("name", [GAMES[0], *(pytest.param(name, marks=pytest.mark.slow) for name in GAMES[1:])])
def test_actions_are_legal_against_a_known_opponent(name: str) -> None:
    game = game_of(name)
    states, players = positions(game, 12, seed=6)
    for horizon in (0, 1):
        agent = SearchAgent(game, simulations=20, horizon=horizon, opponent=agents.load("greedy:2", game))
        assert_legal(game, states, agent.act_states(states, players, np.random.default_rng(1)))


@pytest.mark.parametrize("name", ["toy", "arts_of_war-v0", "fight_sequence-v0"])
def test_idle_takes_the_action_with_the_lowest_id(name: str) -> None:
    """Past bug: amid a play, idle drew its choices at random. In these games the action that passes has the lowest id, so idle chooses as
    greedy does if it compares one action."""
    game = game_of(name)
    states, players = positions(game, 40, seed=6)
    searches = [SearchAgent(game, simulations=30, grow=1, **options) for options in ({"rollout": "idle"}, {"width": 1})]
    idle, one = ([*agent.act_states(states, players, np.random.default_rng(1))] for agent in searches)
    assert idle == one


def test_a_game_may_suit_one_kind_of_search_or_all() -> None:
    game = game_of("toy")
    suited = type(game)(game.rules, replace(game.heuristics, search={"horizon": 2, "mcts.horizon": 3, "flat.reach": 9}))
    policies = [agents.load(name, suited).policy for name in ("mcts:8", "flat:8", "mcts:8,horizon=1")]
    assert [policy.horizon for policy in policies] == [3, 2, 1]
    assert [policy.reach for policy in policies] == [30, 9, 30]


def contrary(game: Any) -> GreedyAgent:
    """An agent that takes what greedy finds worst."""
    quick = game.heuristics.quick

    @njit
    def worst(s: Any, t: Any, player: Any) -> Any:
        return -quick(s, t, player)

    class Contrary(GreedyAgent):
        kind = "contrary"

        def _make(self, game: Any) -> Any:
            return kernel(game, worst)

    return Contrary(game)


def test_a_known_opponent_is_exploited() -> None:
    """The search knows what the opponent will do, and waits for it."""
    game = game_of("toy")
    weak = contrary(game)
    searches = [SearchAgent(game, simulations=64, opponent=opponent) for opponent in (None, weak)]
    guesses, knows = (play_match(game, agent, weak, 400, seed=3).total for agent in searches)
    assert knows.wins > guesses.wins + 40
    assert [agent.name for agent in searches] == ["mcts:64", "mcts:64 against contrary"]


def test_a_known_opponent_is_asked_in_every_thread_and_copy() -> None:
    game = game_of("toy")
    states, players = positions(game, 40, seed=6)
    one, many = (SearchAgent(game, simulations=64, opponent=contrary(game), threads=n) for n in (1, 3))
    chosen = [
        agent.act_states(states, players, np.random.default_rng(1)).tolist()
        for agent in (one, many, copy.deepcopy(one))
    ]
    assert chosen[0] == chosen[1] == chosen[2]


def test_outside_the_tree_a_known_opponent_plays_for_both_sides() -> None:
    """So the rollouts that the search would use by itself make no difference."""
    game = game_of("toy")
    states, players = positions(game, 60, seed=6)

    def chosen(rollout: str, opponent: GreedyAgent | None) -> list[int]:
        agent = SearchAgent(game, simulations=30, horizon=0, grow=1, rollout=rollout, opponent=opponent)
        return [int(action) for action in agent.act_states(states, players, np.random.default_rng(1))]

    known = contrary(game)
    assert chosen("random", known) == chosen("greedy", known)
    assert chosen("random", None) != chosen("greedy", None)


def test_only_who_chooses_by_compiled_code_can_be_a_known_opponent() -> None:
    game = game_of("toy")
    for name in ("random", "mcts:8"):
        with pytest.raises(OptionError, match=f"can take greedy, scripted or a learned value .* not {name}"):
            SearchAgent(game, opponent=agents.load(name, game))
    for other in (toy.load(max_turns=6), game_of("fight_sequence-v0")):
        with pytest.raises(OptionError, match="opponent: greedy was loaded for .* under other rules"):
            SearchAgent(game, opponent=agents.load("greedy", other))


def test_finds_a_win_in_one_play() -> None:
    game = game_of("toy")
    states, players = positions(game, 64, seed=5)
    fit = (states["rank"] < 0) & (states["hand"][np.arange(64), players, 3] > 0)
    states, players = states[fit], players[fit]
    assert len(states) > 5
    states["points"][np.arange(len(states)), players] = 4
    states["pile"][:] = (3, 2)  # only a 3 on the right pile makes the fifth point
    agent = SearchAgent(game, simulations=64)
    for _ in range(2):  # the card, then the pile
        chosen = agent.act_states(states, players, np.random.default_rng(0))
        for state, action in zip(states, chosen, strict=True):
            game.step(state, int(action))
    assert (states["over"] == 1).all()
    assert (states["reward"][np.arange(len(states)), players] == 1).all()


def test_plays_the_toy_better_than_greedy() -> None:
    game = game_of("toy")
    agent = SearchAgent(game, simulations=100, scale=2.0, horizon=4)
    total = play_match(game, agent, GreedyAgent(game), 200, seed=1).total
    assert total.wins > 1.5 * total.losses


@pytest.mark.parametrize("name", GAMES)
def test_ends_when_the_choice_is_clear_and_chooses_what_it_would_have_chosen(name: str) -> None:
    game = game_of(name)
    states, players = positions(game, 40, seed=8)
    short, full = SearchAgent(game, simulations=60), SearchAgent(game, simulations=60)
    compiled = full._kernel

    def to_the_end(*given: Any) -> int:
        total = 7  # the argument that says after how many simulations the search will be over
        assert given[total] == 60
        return int(compiled(*given[:total], 0, *given[total + 1 :]))

    full._kernel = to_the_end
    chosen = [agent.act_states(states, players, np.random.default_rng(2)) for agent in (short, full)]
    assert (chosen[0] == chosen[1]).all()
    open_ones = sum(len(game.legal_actions(state)) > 1 for state in states)
    assert full.simulations_done == 60 * open_ones
    assert 30 * open_ones <= short.simulations_done < full.simulations_done


def test_the_first_look_at_the_choice_may_go_further() -> None:
    """The actions to choose from share `root` for each simulation; it counts if that gives them more than `reach`."""
    game = game_of("arts_of_war-v0")
    states, players = positions(game, 60, seed=8)
    chosen, made = {}, {}
    for root in (0, 1, 1500):
        agent = SearchAgent(game, simulations=2, reach=2, root=root)
        chosen[root] = agent.act_states(states, players, np.random.default_rng(0))
        made[root] = agent.simulated
    np.testing.assert_array_equal(chosen[0], chosen[1])
    assert made[0] == made[1] < made[1500]
    assert (chosen[0] != chosen[1500]).any()
    name = "mcts:2,exploration=0.02,rollout=greedy,root=1500,plans=0"
    assert SearchAgent(game, simulations=2, root=1500).name == name, "as the name that makes it"
    assert agents.load(name, game).settings == SearchAgent(game, simulations=2, root=1500).settings  # type: ignore[union-attr]
    assert SearchAgent(game, simulations=64).settings.root == 4 * SearchAgent(game, simulations=16).settings.root
    assert SearchAgent(game, seconds=0.5).settings.root == 50 * SearchAgent(game, seconds=0.01).settings.root > 0


def test_a_full_tree_does_not_end_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    game = game_of("arts_of_war-v0")
    states, players = positions(game, 20, seed=6)
    monkeypatch.setattr(tree, "NODES", 3)
    monkeypatch.setattr(tree, "_SPREAD", 1)
    monkeypatch.setattr(tree, "WORLDS", 2)
    agent = SearchAgent(game, simulations=100)
    assert_legal(game, states, agent.act_states(states, players, np.random.default_rng(1)))
    assert agent.simulated > 100


def test_a_budget_of_time_is_kept() -> None:
    game = game_of("toy")
    states, players = positions(game, 2, seed=3)
    agent = SearchAgent(game, seconds=0.2)
    begin = time.perf_counter()
    chosen = agent.act_states(states, players, np.random.default_rng(0))
    assert time.perf_counter() - begin >= 0.2  # it uses its time if there is something to decide
    assert_legal(game, states, chosen)
    assert agent.name == "mcts:0.2s" and agent.simulated > 100


@pytest.mark.parametrize(("count", "threads", "left"), [(1, 2, 0.7), (4, 2, 0.85), (1, 1, 0.7)])
def test_what_plans_take_is_a_part_of_the_time(
    monkeypatch: pytest.MonkeyPatch, count: int, threads: int, left: float
) -> None:
    """Each decision has a second, and the plans of all decisions together took 0.3 seconds."""
    game = game_of("toy")
    agent = SearchAgent(game, seconds=1.0, plans=1, threads=threads)
    states, players = positions(game, count, seed=3)
    clock, given = [0.0], list[float | None]()

    def planned(states: Any, *_: Any) -> Any:
        clock[0] += 0.3
        return np.full((len(states), game.num_actions), 0.5)

    monkeypatch.setattr("react_env.agents.search.mcts.time", SimpleNamespace(perf_counter=lambda: clock[0]))
    monkeypatch.setattr(agent._planner, "win_chances", planned)
    monkeypatch.setattr(agent, "_search", lambda *arguments: given.append(arguments[-1]) or 0)
    agent.act_states(states, players, np.random.default_rng(0))
    assert given == pytest.approx([left] * count)


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("mcts", "mcts"),
        ("mcts:64", "mcts:64"),
        ("mcts:0.5s", "mcts:0.5s"),
        ("mcts:2s,horizon=3", "mcts:2s,horizon=3"),
        (
            "mcts:64,rollout=random,exploration=0.25,lookahead=no",
            "mcts:64,exploration=0.25,rollout=random,lookahead=no",
        ),
        ("mcts:horizon=0", "mcts:256,horizon=0"),
    ],
)
def test_names_say_what_differs_from_the_default(spec: str, name: str) -> None:
    agent = agents.load(spec, game_of("toy"))
    assert isinstance(agent, SearchAgent) and agent.name == name
    assert agents.load(agent.name, game_of("toy")).name == name


def test_options_of_a_name_are_those_of_the_constructor() -> None:
    game = game_of("arts_of_war-v0")
    states, players = positions(game, 20, seed=4)
    named = agents.load("mcts:30,horizon=2,rollout=random,trust=0.5", game)
    made = SearchAgent(game, simulations=30, horizon=2, rollout="random", trust=0.5, plans=4, exploration=0.5)
    plain = SearchAgent(game, simulations=30, plans=4, exploration=0.5)
    for agent in (named, made, plain):
        agent.act_states(states, players, np.random.default_rng(0))  # type: ignore[union-attr]
    assert named.simulated == made.simulated != plain.simulated  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "argument", ["0", "x", "-5", "1.5", "0s", "s", "1e3s", "99999s", "10000000", "64:2", " 64", "²"]
)
def test_bad_budgets_are_refused(argument: str) -> None:
    with pytest.raises(OptionError, match="simulations"):
        agents.load(f"mcts:{argument}", game_of("toy"))


@pytest.mark.parametrize(
    ("argument", "told"),
    [
        ("64,depth=3", "no option 'depth'; there are exploration,.* horizon, rollout,"),
        ("64,threads=3", "no option 'threads'"),
        ("64,horizon", "no option 'horizon'.*name=value"),
        ("64,", "no option ''"),
        ("64,horizon=2,horizon=3", "horizon is given twice"),
        ("64,horizon=two", "horizon must be a whole number, not 'two'"),
        ("64,trust=much", "trust must be a number"),
        ("64,exploration=nan", "exploration must be from 0"),
        ("64,lookahead=maybe", "lookahead must be yes or no"),
        ("64,rollout=best", "rollout must be one of none, idle, random, greedy, script, not 'best'"),
        ("64,width=0", "width must be from 1"),
    ],
)
def test_bad_options_say_what_would_be_right(argument: str, told: str) -> None:
    with pytest.raises(OptionError, match=told):
        agents.load(f"mcts:{argument}", game_of("toy"))


@pytest.mark.parametrize(
    "options",
    [
        {"simulations": 0},
        {"seconds": 0.0},
        {"seconds": float("nan")},
        {"exploration": -1.0},
        {"trust": 0.0},
        {"scale": 0.0},
        {"horizon": -1},
        {"width": 0},
        {"grow": 0},
        {"reach": 0},
        {"root": -1},
        {"rollout": "best"},
        {"threads": 0},
    ],
)
def test_options_out_of_range_are_named(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=next(iter(options))):
        SearchAgent(game_of("toy"), **options)
