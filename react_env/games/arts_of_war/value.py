"""The value of a position in Re;ACT as a good player sees it, beyond what a quick count of it shows: a weighted sum of its features.

What a card, a summon or a threat is worth depends on the artist, so each artist has weights of its own (`weights.csv`, one column for
each). They were found by play: `training/scripted_value.py` makes all weights of a game a little larger or smaller, at random, and moves
them to where scripted wins more against greedy and the champion's quick form. An artist that the file does not know has the mean of all
(`usual`).

Both hands are read, so what a player cannot know must be redrawn first.
"""

import csv
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from react_env.engine.compile import njit
from react_env.engine.memory import scratch
from react_env.engine.terms import Player, State, Table, Value
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.features import FEATURES, features
from react_env.games.arts_of_war.heuristics import W_TIE

WEIGHTS = Path(__file__).parent / "weights.csv"  # a row for each feature, a column for each artist
USUAL = "usual"  # the column for any other artist

_new_features = scratch(S.FEATURES, np.float32)


def read(text: str) -> dict[str, NDArray[np.float32]]:
    """The weights in a file's text, (len(FEATURES),) float32 for each artist and for `USUAL`; the first damage is worth about 125.

    Raises ValueError if its rows are not the features, a weight is not a finite number, or it has no column `USUAL`.
    """
    rows = list(csv.DictReader(text.splitlines()))
    if tuple(row.get("feature", "") for row in rows) != FEATURES:
        raise ValueError(f"the column feature must name the {len(FEATURES)} features of a position, in their order")
    if USUAL not in rows[0]:
        raise ValueError(f"the column {USUAL} is missing")
    found = {name: np.array([row[name] for row in rows], np.float32) for name in rows[0] if name != "feature"}
    if not all(np.isfinite(weights).all() for weights in found.values()):
        raise ValueError("a weight is not a finite number")
    return found


@lru_cache
def weights() -> dict[str, NDArray[np.float32]]:
    """The weights in use."""
    return read(WEIGHTS.read_text())


def weights_of(artist: str) -> NDArray[np.float32]:
    """The weights of the artist with this id, or the usual ones."""
    known = weights()
    return known.get(artist, known[USUAL])


@njit
def value(s: State, t: Table, p: Player) -> Value:
    """How good the position is for player `p`, in the units of `heuristics.value` (float; a win is 1e6)."""
    if s.over:
        return 1e6 * s.reward[p] if s.reward[p] else W_TIE
    q = 1 - p
    mine, theirs = _new_features(), _new_features()
    features(s, t, p, mine)
    features(s, t, q, theirs)
    total = 0.0
    for k in range(S.FEATURES):
        total += t.weights[p, k] * mine[k] - t.weights[q, k] * theirs[k]
    return total
