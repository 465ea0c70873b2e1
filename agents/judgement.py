"""The agent that looks ahead and judges what it finds by a learned judgement: an estimate of who will win, from what counts in a position.

A game tells what counts (`Rules.features`: numbers for one player's side) and who plays what (`Rules.roles`: the artist). With f the
numbers of one side and g those of the other, and matrices of the roles of both, the judgement in logits of winning is

    l f - l' g  +  c . (relu(A f + B' g + b) - relu(A' g + B f + b))

where l, A and B belong to the role of the first side and l', A' and B' to that of the second: what is good for one side is as bad for
the other. A position is judged after the play is completed and the chain resolved as if nobody reacted (`agents.lookahead`), in worlds
in which what the player cannot know has been redrawn. `training.td` learns it by self-play.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.greedy import BUDGET, GreedyAgent, kernel
from agents.lookahead import UNIT
from agents.models import Judgement, ModelInfo, Weights
from react_env.engine.compile import njit

_TIE = -2.0  # logits; a tie or a game that is cut is sought only by who is about to lose


class Mind(NamedTuple):
    """The weights and scratch memory of one worker. K roles and their mean, which stands for one that was not learned.

    Few arrays: each that compiled code takes in hand is counted, which costs more than a row of the product.
    """

    weights: npt.NDArray[np.float32]  # (K + 1, F, 2 H + 1) own, other, linear
    ends: npt.NDArray[np.float32]  # (2, H) bias, out
    role: npt.NDArray[np.int64]  # (T, P) the role of each player at each table
    counts: npt.NDArray[np.float32]  # (F,) scratch
    sums: npt.NDArray[np.float32]  # (2, 2 H + 1) scratch, of the side that is asked for and of the other


def new_mind(weights: Weights, shape: Judgement, rules: Any) -> Mind:
    """Weights of `shape` for games of these rules, with scratch memory of its own."""
    whole = np.concatenate([weights["own"], weights["other"], weights["linear"][:, :, None]], 2).astype(np.float32)
    known = {role: number for number, role in enumerate(shape.roles)}
    return Mind(
        np.concatenate([whole, whole.mean(0, keepdims=True)]),
        np.stack([weights["bias"], weights["out"]]).astype(np.float32),
        np.array([[known.get(role, len(known)) for role in table] for table in rules.roles], np.int64),
        np.zeros(len(shape.features), np.float32),
        np.zeros((2, 2 * shape.width + 1), np.float32),
    )


_JUDGES: dict[Any, Any] = {}


def learned(rules: Any) -> Any:
    """The compiled judge(s, t, player, mind) -> float in the units of `evaluate`; one for each game's features."""
    features = rules.features
    if features in _JUDGES:
        return _JUDGES[features]

    @njit(name=f"{rules.id}.learned")
    def judge(s: Any, t: Any, player: Any, mind: Any) -> Any:
        """How probably `player` wins, as logits times UNIT; a win is 1e6."""
        if s.over:
            return 1e6 * s.reward[player] if s.reward[player] else UNIT * _TIE
        weights, ends, counts, sums = mind.weights, mind.ends, mind.counts, mind.sums
        width = ends.shape[1]
        for p in range(2):
            features(s, t, p, counts)
            role = mind.role[s.table, p]
            side = 0 if p == player else 1
            for j in range(sums.shape[1]):
                sums[side, j] = 0.0
            for i in range(counts.shape[0]):
                x = counts[i]
                if x != 0:
                    for j in range(sums.shape[1]):
                        sums[side, j] += x * weights[role, i, j]
        total = sums[0, 2 * width] - sums[1, 2 * width]
        for j in range(width):
            mine = ends[0, j] + sums[0, j] + sums[1, width + j]
            theirs = ends[0, j] + sums[1, j] + sums[0, width + j]
            total += ends[1, j] * (max(mine, np.float32(0.0)) - max(theirs, np.float32(0.0)))
        return UNIT * float(total)

    _JUDGES[features] = judge
    return judge


class JudgementAgent(GreedyAgent):
    """Takes the action that leads, if nobody reacts, to the position in which it is most likely to win, as it judges that."""

    kind = "judgement"

    def __init__(
        self,
        game: Any,
        weights: Weights,
        info: ModelInfo,
        *,
        name: str = kind,
        worlds: int = 1,
        budget: int = BUDGET,
        threads: int = 1,
    ) -> None:
        """The chances in `worlds` guesses of what is hidden are averaged, about `budget` actions applied in each."""
        assert isinstance(info.architecture, Judgement)
        self.info = info
        self.weights = weights
        super().__init__(game, worlds=worlds, budget=budget * worlds, threads=threads)
        self.name = name

    def _make(self, rules: Any) -> Any:
        return kernel(rules, learned=learned(rules))

    def win_chances(
        self, states: npt.NDArray[Any], players: npt.NDArray[np.int64], rng: np.random.Generator
    ) -> npt.NDArray[np.float64]:
        """(N,) records and (N,) players to move -> (N, A) float64: how probably the player wins after each legal action, as it judges
        that; 0 where an action is not legal. An only action is not looked at: one half."""
        values = self.action_values(states, players, rng) / self.worlds
        legal = np.isfinite(values)
        values[~legal] = 0.0
        values[legal & (legal.sum(1) == 1)[:, None]] = 0.5
        return values

    def set_weights(self, weights: Weights) -> None:
        """Judge by other weights of the same shape from now on."""
        self.weights = weights
        self._workers.scratch.clear()

    def new_mind(self) -> Mind:
        """The weights, with scratch memory of their own."""
        assert isinstance(self.info.architecture, Judgement)
        return new_mind(self.weights, self.info.architecture, self._rules)

    def _new_mind(self) -> Mind:
        return self.new_mind()
