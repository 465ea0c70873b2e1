"""Matches played on other machines, by Ray."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env import agents
from react_env.agents.protocol import AnyAgent
from react_env.engine.batch import seed_words
from react_env.evaluation.arrays import Ints
from react_env.evaluation.cluster import Cluster, Package, parcel, unpacked
from react_env.evaluation.matches.match import MatchResult, Progress, Tally, deals, outcomes
from react_env.evaluation.matches.playing import Trusted

PIECE = 16  # deals that are played together


def play_match_elsewhere(
    cluster: Cluster,
    game: Any,
    spec_a: str,
    spec_b: str,
    games: int,
    *,
    seed: int = 0,
    progress: Progress = lambda done, total: None,
    names: tuple[str, str] | None = None,
) -> MatchResult:
    """Like `react_env.evaluation.matches.match.play_match` for two agents by name, but on the machines of `cluster`.

    The deals are the same as there, the agents' random draws are not. The result does not depend on how many machines there are.
    """
    start = time.perf_counter()
    words = seed_words(seed, deals(game, games))
    told = cluster.share((game, parcel(spec_a), parcel(spec_b), seed))
    pieces = np.split(words, range(PIECE, len(words), PIECE))
    counts, done = np.zeros((game.num_players, 6), np.int64), 0
    for _, found in cluster.each(_piece, ((told, number, part) for number, part in enumerate(pieces))):
        counts += found
        done += int(found[:, :4].sum())
        progress(done, games)
    tallies = tuple(Tally(seat, len(words), *row) for seat, row in enumerate(counts.tolist()))
    return MatchResult(game.id, *(names or (spec_a, spec_b)), seed, tallies, time.perf_counter() - start)


@lru_cache(maxsize=8)
def _agent(package: Package, game: Any) -> AnyAgent:
    return agents.load(unpacked(package), game)


def _piece(told: tuple[Any, ...], number: int, words: NDArray[np.uint64]) -> Ints:
    """Play some deals of a match; runs on another machine."""
    game, package_a, package_b, seed = told
    choosers = {player: Trusted(_agent(one, game)) for player, one in enumerate((package_a, package_b))}
    rngs = {player: np.random.default_rng((seed, player, number)) for player in choosers}
    return outcomes(game, choosers, words, rngs, 1, lambda done: None)
