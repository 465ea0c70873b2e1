"""Speed of the search agents on positions of greedy play, whatever the seats may bring.

OPENBLAS_NUM_THREADS=1 python -m benchmarks.search [mcts:256 flat:256 ...] [--positions 400] [--json]

Decisions a second on one thread and on two; simulations a second as asked for and as done, which are fewer where the choice was clear
before; game decisions a second inside the simulations. A decision with one legal action does not occur: the engine takes it.
"""

from __future__ import annotations

import json
import time
from typing import Annotated, Any

import numpy as np
from typer import Argument, Option

import react_env
from benchmarks import command
from react_env import agents
from react_env.cli.common import share_processor
from react_env.registry import DEFAULT_GAME, describe

AGENTS = ("mcts:64", "mcts:256", "flat:256")
LONGEST = 200  # most decisions of a game before a position is taken
GOALS = {"decisions": 100.0, "simulated": 1e6}  # per second, of mcts:256 on two threads


def positions_of(game: Any, count: int, seed: int = 0) -> tuple[Any, Any]:
    """`count` positions, one from each of as many games of greedy against itself: (count,) records and (count,) players to move."""
    greedy: Any = agents.load("greedy", game, threads=2)
    rng = np.random.default_rng(seed)
    batch = game.batch(num_games=count, seed=seed)
    length = rng.integers(0, LONGEST, count)  # a game that ends earlier starts again
    for step in range(LONGEST):
        rows = np.flatnonzero(length > step)
        if len(rows):
            batch.step(greedy.act_states(batch.states[rows], batch.to_play[rows].astype(np.int64), rng), rows)
    return batch.states.copy(), batch.to_play.astype(np.int64)


def speed(game: Any, spec: str, threads: int, states: Any, players: Any) -> dict[str, float]:
    """Figures per second, from one call for all the positions."""
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


def main(
    names: Annotated[list[str] | None, Argument(metavar="AGENT")] = None,
    game: str = DEFAULT_GAME,
    positions: int = 400,
    seed: int = 0,
    as_json: Annotated[bool, Option("--json")] = False,
) -> None:
    """Measure and print."""
    share_processor()
    played = react_env.load(game, **describe(game).every)
    states, players = positions_of(played, positions, seed)
    found: dict[str, Any] = {}
    for spec in names or AGENTS:
        for threads in (1, 2):
            rates = speed(played, spec, threads, states, players)
            found[f"{spec}, {threads} threads"] = {name: round(rate, 1) for name, rate in rates.items()}
            if not as_json:
                told = "  ".join(f"{name.replace('_', ' ')} {rate:,.0f}" for name, rate in rates.items())
                print(f"{spec:10} {threads} thread{'s' if threads > 1 else ' '}  a second: {told}")
            if spec == "mcts:256" and threads == 2 and not as_json:
                for name, goal in GOALS.items():
                    print(f"{'':21}{name} at least {goal:,.0f}: {'met' if rates[name] >= goal else 'missed'}")
    if as_json:
        print(json.dumps(found, indent=2))


if __name__ == "__main__":
    command(main)
