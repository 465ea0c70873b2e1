"""OpenSpiel's own agents in our games: python docs/tutorials/openspiel_agents.py

`react_env.envs.openspiel` makes every game a game of OpenSpiel. Two things that it brings:

- External sampling CFR (Lanctot et al., 2009) on a small form of Re;ACT.
- Information set Monte Carlo tree search (Cowling et al., 2012) against one of our agents in the whole game.
"""

import argparse

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

import react_env
from react_env import agents
from react_env.envs.openspiel import SpielGame
from react_env.registry import describe


def follow(state, rng, choose):
    """Play a state to its end: chance by its own chances, players by `choose(state, player)`; what each gets."""
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes())
            state.apply_action(int(rng.choice(outcomes, p=chances)))
        else:
            state.apply_action(choose(state, state.current_player()))
    return state.returns()


def learn(iterations, games):
    """CFR on the small form, then its average policy against uniform play."""
    small = react_env.load("arts_of_war-v0", **describe("arts_of_war-v0").small)
    game = SpielGame(small, chance="cards")
    solver = pyspiel.ExternalSamplingMCCFRSolver(game, seed=1)
    for _ in range(iterations):
        solver.run_iteration()
    policy, rng = solver.average_policy(), np.random.default_rng(0)

    def choose(state, player):
        if player != number % 2:
            return int(rng.choice(state.legal_actions()))
        actions, chances = zip(*policy.action_probabilities(state).items())
        return int(rng.choice(actions, p=np.array(chances) / sum(chances)))

    won = 0.0
    for number in range(games):
        won += (follow(game.new_initial_state(), rng, choose)[number % 2] + 1) / 2
    print(
        f"CFR after {iterations} iterations scores {won:.1f} of {games} against uniform play, in a small form of Re;ACT"
    )


def play(games, simulations):
    """ISMCTS against greedy, from both seats."""
    ours = react_env.load("fight_sequence-v0", max_sequences=4)
    game, greedy = SpielGame(ours), agents.load("greedy", ours)
    rng, won = np.random.default_rng(0), 0.0
    bot = ismcts.ISMCTSBot(
        game=game,
        evaluator=mcts.RandomRolloutEvaluator(1, np.random.RandomState(1)),
        uct_c=2.0,
        max_simulations=simulations,
        random_state=np.random.RandomState(0),
    )

    def choose(state, player):
        if player == number % 2:
            return bot.step(state)
        return int(greedy.act_states(np.asarray(state.record).reshape(1), np.array([player]), rng)[0])

    for number in range(games):
        won += (follow(game.new_initial_state(), rng, choose)[number % 2] + 1) / 2
    print(f"ISMCTS with {simulations} simulations scores {won:.1f} of {games} against greedy, from both seats")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=2000)
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--simulations", type=int, default=32)
    options = parser.parse_args()
    for name in ("iterations", "games", "simulations"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} must be at least 1")
    learn(options.iterations, 10 * options.games)
    play(options.games, options.simulations)


if __name__ == "__main__":
    main()
