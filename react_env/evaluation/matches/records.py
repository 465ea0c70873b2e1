"""Games of an arena as columns: what the arena writes and ratings read."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env.evaluation.arrays import Bools, Ints

NOBODY, A_FORFEITED, B_FORFEITED = 0, 1, 2  # `Games.forfeit`

COLUMNS = {
    "a": np.int32,
    "b": np.int32,
    "seat": np.int8,
    "setting": np.int32,
    "seed": np.int64,
    "result": np.int8,
    "cut": np.bool_,
    "forfeit": np.int8,
    "turns": np.int32,
    "decisions": np.int32,
}


@dataclass(frozen=True)
class Games:
    """N games, each between two agents; all arrays are (N,).

    Each (a, b, seed) is one deal, played once with `a` at each seat so that its luck cancels.
    """

    game: str  # "arts_of_war-v0"
    rules_hash: str
    agents: tuple[str, ...]  # names, as shown
    settings: tuple[str, ...]  # what the players had, player 0's first: "calligrapher - dancer"; ("",) if nothing
    seats: int  # players of the game
    a: NDArray[np.int32]  # index of an agent; a < b always
    b: NDArray[np.int32]
    seat: NDArray[np.int8]  # where a sat; b sat at every other seat
    setting: NDArray[np.int32]  # index of a setting
    seed: Ints  # of the deal
    result: NDArray[np.int8]  # 1: a won, -1: b won, 0: nobody
    cut: Bools  # stopped by the game's limit; the result is 0
    forfeit: NDArray[np.int8]  # 1: a forfeited (result -1), 2: b did (result 1), 0: nobody
    turns: NDArray[np.int32]  # 0 where the game does not count turns
    decisions: NDArray[np.int32]  # of all players

    def __post_init__(self) -> None:
        for name, dtype in COLUMNS.items():
            column = getattr(self, name)
            if column.dtype != dtype or column.shape != self.a.shape:
                raise ValueError(f"{name} must be {np.dtype(dtype)} {self.a.shape}, not {column.dtype} {column.shape}")

    def __len__(self) -> int:
        return len(self.a)

    def __getitem__(self, where: Any) -> Games:
        """Some of the games, by a mask (N,), indices or a slice; agents and settings stay the same."""
        return replace(self, **{name: getattr(self, name)[where] for name in COLUMNS})

    def turned(self) -> Games:
        """The same games seen from the other side: the two agents change places. Only for two agents and two seats."""
        assert len(self.agents) == self.seats == 2
        return replace(
            self,
            agents=self.agents[::-1],
            seat=1 - self.seat,
            result=-self.result,
            forfeit=np.array([NOBODY, B_FORFEITED, A_FORFEITED], np.int8)[self.forfeit],
        )

    @classmethod
    def of(
        cls, game: str, rules_hash: str, agents: tuple[str, ...], settings: tuple[str, ...], seats: int, **columns: Any
    ) -> Games:
        """Games from columns of anything that NumPy can turn into arrays."""
        assert set(columns) == set(COLUMNS) <= {field.name for field in fields(cls)}
        arrays: dict[str, Any] = {name: np.asarray(columns[name], dtype) for name, dtype in COLUMNS.items()}
        return cls(game, rules_hash, agents, settings, seats, **arrays)
