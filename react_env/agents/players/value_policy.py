"""What a policy adds to choices by a value: lessons from play that a look-ahead does not see.

A look-ahead assumes that nobody reacts, and judges a play by the value of the position it leads to. How the play fares against players who
do react shows only in games. So a network adds to the logit of each legal action (residual policy learning: Silver et al., 2018). An
untrained one adds 0. With v the value of an action, x the observation and f the features of the action
(`react_env.agents.search.action_features`, and v):

    logit of the action = sharpness * (v - the largest of the legal actions) + w . relu(A f + C relu(S x + s) + b)

Over a learned value, v is the logit of the chance of winning after the action. Over the game's own value, v is how much the action changes
that value, in the same unit. `react_env.training.algorithms.residual` learns both kinds of policy by playing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from react_env.agents.models.model import POLICY, Floats, Weights
from react_env.agents.protocol import Masks, Observations, Players, Records
from react_env.agents.search.action_features import ActionFeatures
from react_env.engine.compile import announced, njit
from react_env.engine.kernels import for_compiled

SURE = 1e-4  # chances of winning are kept at least this far from 0 and 1


class _Network(NamedTuple):
    """The weights as compiled code takes them, W wide. The inputs come first: most are 0 and are skipped."""

    see: npt.NDArray[np.float32]  # (S + 1, W), the last row the bias
    context: npt.NDArray[np.float32]  # (W + 1, W), the last row the bias
    action: npt.NDArray[np.float32]  # (F, W)
    score: npt.NDArray[np.float32]  # (W,)


@njit
def _add(inputs: Any, weights: Any, out: Any) -> None:
    """out (W,) += inputs (N,) times weights (N, W)."""
    for i in range(inputs.size):
        x = np.float32(inputs[i])
        if x != 0.0:
            for j in range(out.size):
                out[j] += x * weights[i, j]


@njit
def _run(network: Any, sharpness: Any, observations: Any, masks: Any, features: Any, scratch: Any, logits: Any) -> None:
    """Writes logits float32 (N, A) of the legal actions. observations int8 (N, S), masks bool (N, A), features float32 (M, F) of the M
    legal actions, the last number of each its value; scratch float32 (3, W)."""
    width, last = network.score.size, features.shape[1] - 1
    seen, context, hidden = scratch[0], scratch[1], scratch[2]
    place = 0
    for row in range(observations.shape[0]):
        seen[:] = network.see[observations.shape[1]]
        _add(observations[row], network.see, seen)
        for j in range(width):
            seen[j] = max(seen[j], np.float32(0.0))
        context[:] = network.context[width]
        _add(seen, network.context, context)
        for action in range(masks.shape[1]):
            if masks[row, action]:
                hidden[:] = context
                _add(features[place], network.action, hidden)
                logit = sharpness * features[place, last]
                for j in range(width):
                    logit += network.score[j] * max(hidden[j], np.float32(0.0))
                logits[row, action] = logit
                place += 1


class ValuePolicy:
    """The policy over a value.

    Attributes:
        describe: computes the features of the actions.
    """

    def __init__(self, game: Any, weights: Weights, *, threads: int = 1) -> None:
        """`weights`: those of its model."""
        self.describe = ActionFeatures(game, threads=threads)
        part = {name: weights[POLICY + name] for name in ("see.weight", "see.bias", "context.weight", "context.bias")}
        see = part["see.weight"].T * weights[f"{POLICY}scale"][:, None]
        self._network = _Network(
            np.concatenate([see, part["see.bias"][None]]).astype(np.float32),
            np.concatenate([part["context.weight"].T, part["context.bias"][None]]).astype(np.float32),
            np.ascontiguousarray(weights[f"{POLICY}action.weight"].T, np.float32),
            weights[f"{POLICY}score.weight"][0].astype(np.float32),
        )
        self._sharpness = np.float32(weights[f"{POLICY}sharpness"][0])
        # Called once here, for no decision, so that a first compilation happens now and is announced.
        with announced(f"{game.id}.policy"):
            nothing = np.zeros((0, len(see)), np.int8), np.zeros((0, game.num_actions), np.bool_)
            self.logits(*nothing, np.zeros((0, len(self._network.action)), np.float32))

    def logits(self, observations: Observations, masks: Masks, features: Floats) -> Floats:
        """int8 (N, S), bool (N, A) and what `told` gives for the legal actions -> (N, A) float32, -inf for illegal actions."""
        found = np.full(masks.shape, -np.inf, np.float32)
        given = for_compiled(observations), for_compiled(masks), for_compiled(features)
        _run(self._network, self._sharpness, *given, np.empty((3, len(self._network.score)), np.float32), found)
        return found


def logits_of(chances: npt.NDArray[np.float64]) -> Floats:
    """Chances of winning as logits, float32."""
    sure = chances.clip(SURE, 1.0 - SURE)
    return np.log(sure / (1.0 - sure)).astype(np.float32)


def told(
    describe: ActionFeatures,
    states: Records,
    players: Players,
    masks: Masks,
    rng: np.random.Generator,
    chances: npt.NDArray[np.float64] | None = None,
) -> Floats:
    """The input of a policy for the M legal actions: (M, F) float32, the features of each and its value.

    (N,) records, (N,) players to move, bool (N, A). `chances` (N, A) are those of a learned value; None: the game's own value counts."""
    found = describe.of_legal(states, players, masks, rng)
    return np.concatenate([found, found[:, :1] if chances is None else logits_of(chances[masks])[:, None]], 1)
