"""How many decisions a second `ActionFeatures` describes, beside how many greedy makes, which looks as far.

python -m benchmarks.action_features [--game arts_of_war-v0] [--positions 2000]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import react_env
from benchmarks.search import positions
from react_env import agents
from react_env.registry import DEFAULT_GAME, describe


def seconds(call: Callable[..., object], *arguments: object) -> float:
    """What a call takes, once all is compiled."""
    call(*arguments)
    begin = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - begin


def main() -> None:
    """Measure, and print a line for each number of threads."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default=DEFAULT_GAME)
    parser.add_argument("--positions", type=int, default=2000)
    options = parser.parse_args()
    game = react_env.load(options.game, **describe(options.game).every)
    states, players = positions(game, options.positions)
    masks = np.array([game.action_mask(state) for state in states])
    rng = np.random.default_rng(0)
    for threads in (1, 2):
        tell = agents.ActionFeatures(game, threads=threads)
        greedy: Any = agents.load("greedy", game, threads=threads)
        told = len(states) / seconds(tell.of_legal, states, players, masks, rng)
        chosen = len(states) / seconds(greedy.act_states, states, players, rng)
        print(
            f"{threads} threads: {told:,.0f} decisions/s described, {chosen:,.0f} made by greedy, ratio {told / chosen:.2f}"
        )


if __name__ == "__main__":
    main()
