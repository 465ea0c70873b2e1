"""How many decisions a second `ActionFeatures` describes, beside how many greedy makes, which looks as far.

python -m benchmarks.action_features [--game arts_of_war-v0] [--positions 2000]
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import react_env
from benchmarks import command
from benchmarks.search import positions_of
from react_env import agents
from react_env.registry import DEFAULT_GAME, describe


def seconds(call: Callable[..., object], *arguments: object) -> float:
    """Seconds that a call takes, once everything is compiled."""
    call(*arguments)
    begin = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - begin


def main(game: str = DEFAULT_GAME, positions: int = 2000) -> None:
    """Measure, and print a line for each number of threads."""
    played = react_env.load(game, **describe(game).every)
    states, players = positions_of(played, positions)
    masks = np.array([played.action_mask(state) for state in states])
    rng = np.random.default_rng(0)
    for threads in (1, 2):
        tell = agents.ActionFeatures(played, threads=threads)
        greedy: Any = agents.load("greedy", played, threads=threads)
        told = len(states) / seconds(tell.of_legal, states, players, masks, rng)
        chosen = len(states) / seconds(greedy.act_states, states, players, rng)
        print(
            f"{threads} threads: {told:,.0f} decisions/s described, {chosen:,.0f} made by greedy, ratio {told / chosen:.2f}"
        )


if __name__ == "__main__":
    command(main)
