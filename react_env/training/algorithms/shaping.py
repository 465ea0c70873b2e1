"""Potential-based reward shaping (Ng, Harada and Russell, 1999): a hint at every step that leaves the best play as it is.

A game's result comes once, after a hundred decisions. The shaped reward of a step is r + gamma * phi(next) - phi(now), where phi is the
game's own measure of how far the learner has come (`Heuristics.potential`), times a weight, and 0 at the end of a game.
Summed over a game the hints cancel out, so winning stays all that counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env.agents.protocol import Records
from react_env.engine.compile import njit
from react_env.engine.game import Game, once_per_game
from react_env.engine.kernels import for_compiled
from react_env.envs.sb3 import SelfPlayVecEnv


@once_per_game
def _kernel(game: Game) -> Any:
    potential: Any = game.heuristics.potential

    @njit(name=f"{game.id}.potentials")
    def potentials(states: Any, tables: Any, rows: Any, seats: Any, out: Any) -> None:
        """out[k]: the potential of states[rows[k]] for player seats[k]."""
        for k in range(rows.shape[0]):
            s = states[rows[k]]
            out[k] = potential(s, tables[s.table], np.int64(seats[k]))

    return potentials


def potentials_of(
    game: Game,
    states: Records,
    players: NDArray[np.integer[Any]],
    rows: NDArray[np.int64] | None = None,
) -> NDArray[np.float64]:
    """The potential of each of states (N,), or of those at `rows` (N,), for players (N,); zeros if the game defines none."""
    out = np.zeros(len(players), np.float64)
    if game.heuristics.potential is not None:
        if rows is None:
            states, rows = for_compiled(states), np.arange(len(states))
        _kernel(game)(states, game.tables, rows, players, out)
    return out


class ShapedVecEnv(SelfPlayVecEnv):
    """SelfPlayVecEnv with shaped rewards; the "episode" infos still give the unshaped result.

    Args:
        weight: the largest potential; 0, or a game without potentials, leaves the rewards as they are.
        gamma: the learner's discount.
        stalemate: subtracted from the learner's reward if the turn limit cuts a game short; otherwise two cautious selves soon teach each
            other to wait.

    With a weight or a stalemate, a game that is cut short counts as over, with no value after it: the turn number is observed.
    """

    def __init__(
        self, game: Game, num_envs: int, *, weight: float, gamma: float, stalemate: float = 0.0, **keywords: Any
    ) -> None:
        super().__init__(game, num_envs, **keywords)
        self._weight, self._gamma, self._stalemate = weight, gamma, stalemate
        self._phi: NDArray[np.float64] = np.zeros(num_envs, np.float64)

    def _potential(self) -> NDArray[np.float64]:
        """phi of the current positions, (N,)."""
        if not self._weight:
            return self._phi
        return self._weight * potentials_of(self.game, self.batch.states, self.seats, np.arange(self.num_envs))

    def reset(self) -> NDArray[np.int8]:
        """As in SelfPlayVecEnv."""
        observations = super().reset()
        self._phi = self._potential()
        return observations

    def step_wait(self) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """As in SelfPlayVecEnv, with shaped rewards (N,) float32."""
        observations, rewards, dones, infos = super().step_wait()
        phi = self._potential()
        shaped = rewards + np.where(dones, 0.0, self._gamma * phi) - self._phi
        self._phi = phi
        if self._stalemate or self._weight:
            for i in np.flatnonzero(dones).tolist():
                if infos[i]["TimeLimit.truncated"]:
                    infos[i]["TimeLimit.truncated"] = False
                    shaped[i] -= self._stalemate
        return observations, shaped.astype(np.float32), dones, infos
