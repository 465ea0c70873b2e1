"""What a search asks a network about positions of a game, compiled."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from react_env.agents.models.network import Network, logits, no_network, trunk, value
from react_env.engine.compile import njit
from react_env.engine.kernels import copy_end

if TYPE_CHECKING:
    from react_env.agents.players.neural import NeuralAgent


class Guide(NamedTuple):
    """A network and what it needs to know of the game."""

    network: Network
    # The weight of the game's potential, which the network's value leaves out (`react_env.training.algorithms.shaping`).
    shaping: float
    fixed: npt.NDArray[np.int8]  # (K, F) ends of observations that never change
    fixed_row: npt.NDArray[np.int64]  # (T, P) which of them a player sees


def guide_of(agent: NeuralAgent, game: Any) -> Guide:
    """The guide with the network of `agent`, which was made for `game`."""
    config = agent.info.training.get("config")
    shaping = config.get("shaping") if isinstance(config, dict) and game.heuristics.potential is not None else None
    shaping = float(shaping) if isinstance(shaping, int | float) and math.isfinite(shaping) else 0.0
    return Guide(agent.network, shaping, game.fixed, game.fixed_row)


def no_guide() -> Guide:
    """An empty guide, for a search without a network."""
    return Guide(no_network(), 0.0, np.zeros((0, 0), np.int8), np.zeros((0, 0), np.int64))


class Questions(NamedTuple):
    """The compiled functions of one game."""

    policy: Any  # (guide, thoughts, s, t, mask): fills thoughts.policy for the player to move
    worth: Any  # (guide, thoughts, s, t, player) -> value in -1..1 for `player` of a game that goes on


def make_questions(game: Any, prefix: str, guided: bool) -> Questions:
    """Compiles what a search asks a network about a position s of `game`; `prefix` names the functions in the cache.

    If the search is not `guided` by a network they do nothing, so there is less to compile.
    """
    if not guided:

        @njit(name=f"{prefix}.no_policy")
        def no_policy(guide: Any, thoughts: Any, s: Any, t: Any, mask: Any) -> None:
            pass

        @njit(name=f"{prefix}.no_worth")
        def no_worth(guide: Any, thoughts: Any, s: Any, t: Any, player: Any) -> Any:
            return 0.0

        return Questions(no_policy, no_worth)
    observe, potential, others = game.rules.observe, game.heuristics.potential, game.num_players - 1

    if potential is None:

        @njit(name=f"{prefix}.potential_of")
        def potential_of(s: Any, t: Any, player: Any) -> Any:
            return 0.0

    else:
        potential_of = potential

    @njit(name=f"{prefix}.look_at")
    def look_at(guide: Any, thoughts: Any, s: Any, t: Any) -> None:
        """Fills `thoughts.observation` with what the player to move sees."""
        copy_end(guide.fixed[guide.fixed_row[s.table, s.to_play]], thoughts.observation)
        observe(s, t, np.int64(s.to_play), thoughts.observation)

    @njit(name=f"{prefix}.policy")
    def policy(guide: Any, thoughts: Any, s: Any, t: Any, mask: Any) -> None:
        look_at(guide, thoughts, s, t)
        logits(guide.network, thoughts, trunk(guide.network, thoughts), mask)
        found, out = thoughts.logits, thoughts.policy
        top = -np.inf
        for action in range(mask.shape[0]):
            if mask[action]:
                top = max(top, found[action])
        total = 0.0
        for action in range(mask.shape[0]):
            out[action] = np.exp(found[action] - top) if mask[action] else 0.0
            total += out[action]
        for action in range(mask.shape[0]):
            out[action] /= total

    @njit(name=f"{prefix}.worth")
    def worth(guide: Any, thoughts: Any, s: Any, t: Any, player: Any) -> Any:
        look_at(guide, thoughts, s, t)
        found = float(value(guide.network, thoughts, trunk(guide.network, thoughts)))
        if guide.shaping != 0.0:
            found += guide.shaping * potential_of(s, t, np.int64(s.to_play))
        found = min(max(found, -1.0), 1.0)
        return found if s.to_play == player else -found / others

    return Questions(policy, worth)
