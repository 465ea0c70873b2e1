"""Speed of the search agents on positions of greedy play, whatever the seats may bring, and on request their strength.

OPENBLAS_NUM_THREADS=1 python -m benchmarks.search [mcts:256 flat:256 ...] [--positions 400] [--games 0] [--against greedy] [--json]

Decisions a second on one thread and on two; simulations a second as asked for and as done, which are fewer where the choice was clear
before; game decisions a second inside the simulations. A decision with one legal action does not occur: the engine takes it.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np

import react_env
from react_env import agents
from react_env.cli.common import share_processor
from react_env.registry import DEFAULT_GAME, describe

LONGEST = 200  # decisions of a game before a position is taken, at most
GOALS = {"decisions": 100.0, "simulated": 1e6}  # a second, of mcts:256 on two threads


def positions(game: Any, count: int, seed: int = 0) -> tuple[Any, Any]:
    """`count` decisions of as many games of greedy against itself: (count,) records and (count,) players to move."""
    greedy: Any = agents.load("greedy", game, threads=2)
    rng = np.random.default_rng(seed)
    batch = game.batch(num_games=count, seed=seed)
    length = rng.integers(0, LONGEST, count)  # a game that ends before starts again
    for step in range(LONGEST):
        rows = np.flatnonzero(length > step)
        if len(rows):
            batch.step(greedy.act_states(batch.states[rows], batch.to_play[rows].astype(np.int64), rng), rows)
    return batch.states.copy(), batch.to_play.astype(np.int64)


def speed(game: Any, spec: str, threads: int, states: Any, players: Any) -> dict[str, float]:
    """What one call for all the positions comes to, each a second."""
    agent: Any = agents.load(spec, game, threads=threads)
    agent.act_states(states[:4], players[:4], np.random.default_rng(1))
    simulated, done = agent.simulated, agent.simulations_done
    start = time.perf_counter()
    agent.act_states(states, players, np.random.default_rng(0))
    seconds = time.perf_counter() - start
    return {
        "decisions": len(states) / seconds,
        "simulations": agent.simulations * len(states) / seconds,
        "simulations_done": (agent.simulations_done - done) / seconds,
        "simulated": (agent.simulated - simulated) / seconds,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default=DEFAULT_GAME)
    parser.add_argument("agents", nargs="*", default=["mcts:64", "mcts:256", "flat:256"])
    parser.add_argument("--positions", type=int, default=400)
    parser.add_argument("--games", type=int, default=0, help="of a match, half from each seat; an even number; 0: none")
    parser.add_argument("--against", default="greedy")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    share_processor()
    game = react_env.load(options.game, **describe(options.game).every)
    states, players = positions(game, options.positions, options.seed)
    found: dict[str, Any] = {}
    for spec in options.agents:
        for threads in (1, 2):
            rates = speed(game, spec, threads, states, players)
            found[f"{spec}, {threads} threads"] = {name: round(rate, 1) for name, rate in rates.items()}
            if not options.json:
                told = "  ".join(f"{name.replace('_', ' ')} {rate:,.0f}" for name, rate in rates.items())
                print(f"{spec:10} {threads} thread{'s' if threads > 1 else ' '}  a second: {told}")
            if spec == "mcts:256" and threads == 2 and not options.json:
                for name, goal in GOALS.items():
                    print(f"{'':21}{name} at least {goal:,.0f}: {'met' if rates[name] >= goal else 'missed'}")
    if options.games:
        from react_env.evaluation.matches.match import play_match

        other = agents.load(options.against, game, threads=2)
        for spec in options.agents:
            agent = agents.load(spec, game, threads=2)
            result = play_match(game, agent, other, options.games, seed=options.seed, threads=2)
            found[f"{spec} against {options.against}"] = result.to_json()
            if not options.json:
                total, (low, high) = result.total, result.total.interval
                print(
                    f"{spec} against {options.against}: {total.win_rate:.1%} of {total.games} games, {low:.1%} to {high:.1%}"
                )
    if options.json:
        print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
