"""A reference model behind the engine's interface, to test the comparisons themselves."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.reference.common import LOG_RING


class Disguised:
    """Plays like an engine. A subclass gives `opening`, `new`, `knowledge`, and the lengths of the observation's `pieces`."""

    pieces: dict[str, int]
    log_ring = LOG_RING

    def opening(self, seed: int) -> dict[str, Any]:
        raise NotImplementedError

    def new(self, seed: int) -> Any:
        raise NotImplementedError

    def knowledge(self, state: Any, player: int) -> dict[str, list[int]]:
        raise NotImplementedError

    def step(self, state: Any, action: int) -> None:
        state.step(action)

    def terminated(self, state: Any) -> bool:
        return bool(state.over == 1)

    def truncated(self, state: Any) -> bool:
        return bool(state.over == 2)

    def rewards(self, state: Any) -> tuple[int, int]:
        first, second = state.rewards
        return first, second

    def to_play(self, state: Any) -> int:
        return int(state.to_play)

    def legal_actions(self, state: Any) -> NDArray[np.int64]:
        return np.array(state.legal_actions(), np.int64)

    def event_count(self, state: Any) -> int:
        return len(state.log)

    def log_lines(self, state: Any, since: int = 0) -> list[str]:
        return list(state.log[max(since, len(state.log) - self.log_ring) :])

    @property
    def observation_pieces(self) -> dict[str, tuple[slice]]:
        ends = list(itertools.accumulate(self.pieces.values()))
        return {name: (slice(end - size, end),) for (name, size), end in zip(self.pieces.items(), ends)}

    def observe(self, state: Any, player: int) -> NDArray[np.int8]:
        observation = np.zeros(sum(self.pieces.values()), np.int8)
        for name, value in self.knowledge(state, player).items():
            place = self.observation_pieces[name][0]
            observation[place.start : place.start + len(value)] = value
        return observation

    def status_lines(self, state: Any, player: int | None) -> list[str]:
        return list(state.status(player))
