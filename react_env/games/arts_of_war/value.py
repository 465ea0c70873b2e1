"""The value of a position in Re;ACT as a good player sees it, beyond what a quick count of it shows: a weighted sum of its features.

What a card, a summon or a threat is worth depends on the artist, so each artist has weights of its own: a column of `weights.csv` in the
folder of its edition. Those of the standard edition were found by play: `training/scripted_value.py` makes all weights of a game a little
larger or smaller, at random, and moves them to where scripted wins more against greedy and the champion's quick form. An artist without a
column has the mean of all (`usual`).

Both hands are read, so what a player cannot know must be redrawn first.
"""

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env.content.files import read_text, short, shown
from react_env.engine.compile import njit
from react_env.engine.memory import scratch
from react_env.engine.terms import Player, State, Table, Value
from react_env.errors import CardError
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.features import FEATURES, features
from react_env.games.arts_of_war.heuristics import W_TIE
from react_env.games.arts_of_war.rules import STANDARD, WEIGHTS, edition_folder

USUAL = "usual"  # the column for any other artist
_INSTALLED = edition_folder(STANDARD) / WEIGHTS

_new_features = scratch(S.FEATURES, np.float32)


def _number(text: Any) -> float:
    """The number, or nan for what is none."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return math.nan


def read(path: Path) -> dict[str, NDArray[np.float32]]:
    """The weights in a file, (len(FEATURES),) float32 by the name of the column; the first damage is worth about 125. It has a row for
    each feature and a column for each artist.

    Raises CardError for a file that cannot be read, whose rows are not the features, or with a weight that is not a finite number.
    """
    rows = list(csv.DictReader(read_text(path).splitlines()))
    if tuple(row.get("feature") for row in rows) != FEATURES:
        raise CardError(
            f"{shown(path)}: the column feature must name the {len(FEATURES)} features of a position, in their order"
        )
    found = {name: np.array([_number(row[name]) for row in rows], np.float32) for name in rows[0] if name != "feature"}
    for name, weights in found.items():
        for row in (row for row, weight in zip(rows, weights, strict=True) if not np.isfinite(weight)):
            raise CardError(f"{shown(path)}: {row['feature']}, {name}: a number is needed; found {short(row[name])}")
    return found


def weight_files(edition: str | Path = STANDARD) -> tuple[Path, ...]:
    """The files of the weights of an edition: the standard edition's, then its own if it has one."""
    own = edition_folder(edition) / WEIGHTS
    return (_INSTALLED,) if own == _INSTALLED or not own.exists() else (_INSTALLED, own)


def weights(edition: str | Path = STANDARD) -> dict[str, NDArray[np.float32]]:
    """The weights of an edition by artist, its own and those of `standard` that it lacks, and those of any other artist, `USUAL`.

    Raises OptionError and CardError.
    """
    found: dict[str, NDArray[np.float32]] = {}
    for file in weight_files(edition):
        found |= read(file)
    return found


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
