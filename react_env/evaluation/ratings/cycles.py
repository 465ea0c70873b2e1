"""How far from a ladder an arena is: Nash averaging, alpha-rank, what ratings leave unexplained, cycles of three.

Arrays are over A agents: `odds` is (A, A), antisymmetric, the log-odds of the row against the column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env.errors import OptionError
from react_env.evaluation.arrays import Bools, Floats, Ints
from react_env.extras import need

SHOWN = 5  # most cycles of three in a report
_ZERO = 1e-9
_GAIN = 1e-6  # of the largest payoff: so much may an equilibrium leave to be gained
_TRIES = 20


@dataclass(frozen=True)
class Cycle:
    """Each of three agents beats the next, and the last the first."""

    agents: tuple[str, ...]
    scores: tuple[float, ...]  # of each against the next; ties and cut games are half a win
    intervals: tuple[tuple[float, float], ...]  # 95 % of each score
    games: tuple[int, ...]

    @property
    def strength(self) -> float:
        """By how much the weakest of the three scores is above one half."""
        return min(self.scores) - 0.5

    @property
    def sure(self) -> bool:
        """Whether all three intervals are above one half."""
        return all(low > 0.5 for low, _ in self.intervals)


def max_entropy_nash(odds: Floats) -> Floats:
    """(A,) the equilibrium of maximum entropy of the symmetric zero-sum game with payoffs `odds` (Balduzzi et al., 2018).

    That is the mixture x of largest entropy against which nobody gains: odds @ x <= 0. The only constraints of its dual are signs:
    x is the softmax of odds @ prices, where the prices >= 0 minimize logsumexp(odds @ prices).
    """
    need("eval", "scipy")
    from scipy.optimize import minimize
    from scipy.special import logsumexp, softmax

    if not np.allclose(odds, -odds.T):
        raise OptionError("the payoffs must be antisymmetric: what one gains the other loses")
    odds = odds / max(np.abs(odds).max(), _ZERO)

    def dual(prices: Floats) -> tuple[float, Floats]:
        return float(logsumexp(odds @ prices)), odds.T @ softmax(odds @ prices)

    # The share of an agent outside the mixture only tends to 0 as prices grow, so the minimum is far away: no early stop.
    exact = {"maxiter": 20_000, "maxfun": 100_000, "maxcor": 50, "ftol": 1e-15, "gtol": 1e-10}
    bounds = [(0.0, None)] * len(odds)
    prices = np.zeros(len(odds))
    for _ in range(_TRIES):  # now and then a step that led nowhere is mistaken for the end
        prices = minimize(dual, prices, jac=True, method="L-BFGS-B", bounds=bounds, options=exact).x
        mixture = softmax(odds @ prices)
        if (odds @ mixture).max() < _GAIN:
            break
    return mixture.round(8)


def alpha_rank(payoffs: Floats) -> Floats | None:
    """(A,) masses of alpha-rank (Omidshafiei et al., 2019) for antisymmetric payoffs (A, A); None if OpenSpiel is not installed.

    By OpenSpiel, for one population and infinite alpha: only who beats whom counts, not by how much.
    """
    try:
        from open_spiel.python.egt import alpharank
    except ImportError:
        return None
    if len(payoffs) == 1:
        return np.ones(1)
    return np.asarray(alpharank.compute([payoffs], use_inf_alpha=True, inf_alpha_eps=0.01)[2], np.float64)


def explained(odds: Floats, met: Bools) -> float:
    """The share of the variation of the log-odds that differences of ratings explain, over the pairs that have met.

    The Hodge decomposition of Jiang et al. (2011), used for agents by Balduzzi et al. (2018): the sum of squares splits into a
    transitive part, the differences of the ratings that fit best (least squares), and a rest. 1: a ladder; 0: nothing but cycles.
    """
    a, b = np.nonzero(np.triu(met, 1))
    values = odds[a, b]
    total = float(values @ values)
    if total < _ZERO:
        return 1.0
    design = differences(a, b, len(odds))
    rest = values - design @ np.linalg.lstsq(design, values, rcond=None)[0]
    return float(np.clip(1 - rest @ rest / total, 0, 1))


def cyclic_chance(pairs: Ints, scores: Floats, sizes: Floats, agents: int, groups: int, rivals: int = 1) -> float:
    """How likely a rest as large as the measured one is if differences of ratings explained all log-odds; 1 if nothing can be said.

    A chi-square test of the deviance that the likeliest ratings leave (McCullagh and Nelder, 1989), for the `scores` (P,) of `pairs`
    (P, 2), known as precisely as from `sizes` (P,) independent games. Log-odds themselves would not do: if one agent of a pair won all
    games, they only say how many games there were.

    Args:
        rivals: copies of the second agent of a pair, among which the first sat alone.
    """
    need("eval", "scipy")
    from scipy.optimize import minimize
    from scipy.special import entr, expit
    from scipy.stats import chi2

    freedom = len(pairs) - agents + groups
    if freedom <= 0:
        return 1.0
    design = differences(pairs[:, 0], pairs[:, 1], agents)

    def deviance(theta: Floats) -> tuple[float, Floats]:
        z = design @ theta - np.log(rivals)
        away = np.logaddexp(0, z) - scores * z - entr(scores) - entr(1 - scores)
        return 2 * float(sizes @ away), 2 * (sizes * (expit(z) - scores)) @ design

    return float(chi2.sf(minimize(deviance, np.zeros(agents), jac=True, method="L-BFGS-B").fun, freedom))


def strongest_cycles(agents: Sequence[str], scores: Floats, games: Ints) -> tuple[Cycle, ...]:
    """The cycles of three with the largest `strength`, at most `SHOWN`.

    `scores` is (A, A, 3): score of the row against the column and the ends of its interval, nan where they have not met; `games` is (A, A).
    """
    rate = np.where(np.isnan(scores[..., 0]), 0.0, scores[..., 0])
    found = []
    for i, j, k in combinations(range(len(agents)), 3):
        for ring in ((i, j, k), (i, k, j)):
            steps = list(zip(ring, ring[1:] + ring[:1]))
            if min(rate[step] for step in steps) > 0.5:
                found.append((min(rate[step] for step in steps), ring, steps))
    found.sort(key=lambda entry: (-entry[0], entry[1]))
    return tuple(
        Cycle(
            agents=tuple(agents[i] for i in ring),
            scores=tuple(float(scores[step][0]) for step in steps),
            intervals=tuple((float(scores[step][1]), float(scores[step][2])) for step in steps),
            games=tuple(int(games[step]) for step in steps),
        )
        for _, ring, steps in found[:SHOWN]
    )


def differences(a: NDArray[Any], b: NDArray[Any], agents: int) -> Floats:
    """(P, A) the matrix that turns strengths into the differences of P pairs, `a` minus `b`."""
    design = np.zeros((len(a), agents))
    design[np.arange(len(a)), a] = 1
    design[np.arange(len(a)), b] = -1
    return design
