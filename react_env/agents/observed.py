"""Observations and masks of records, for agents that are given states."""

from __future__ import annotations

from typing import Any

import numpy as np

from react_env.agents.protocol import Masks, Observations, Records
from react_env.agents.search.sharing import as_bytes
from react_env.engine.kernels import REFRESH, for_compiled


def see(game: Any, states: Records) -> tuple[Observations, Masks]:
    """What the players to move see in (N,) sound records, and which actions are legal: int8 (N, S) and bool (N, A)."""
    count, players = len(states), game.num_players
    states = for_compiled(np.asarray(states))
    (size,) = game.observation_shape
    observations, masks = np.empty((count, size), np.int8), np.empty((count, game.num_actions), np.bool_)
    index = np.arange(count)
    game.kernels.drive(
        states,
        game.tables,
        as_bytes(states),
        game.fixed,
        game.fixed_row,
        REFRESH,
        index,
        index,
        0,
        count,
        masks,
        observations,
        np.empty((0, players, size), np.int8),
        np.empty(count, np.int8),
        np.empty((count, players), np.float32),
        np.empty(count, np.bool_),
        np.empty(count, np.bool_),
        np.full(count, -1, np.int8),
        np.zeros(count, np.uint64),
        np.full(count, -1, np.int64),
        np.zeros(0, np.uint64),
    )
    return observations, masks
