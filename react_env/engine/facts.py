"""What is known of a game apart from any position: sizes, names, tables and compiled functions."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from react_env.engine.compile import COMPILED
from react_env.engine.kernels import Kernels, checker, kernels
from react_env.engine.rules import Heuristics, Rules, field_names, field_of
from react_env.errors import IllegalAction, StateError

_KEPT = 1 << 13  # marks of sound records
_NAMED = 12  # legal actions that an error message names


class Facts:
    """What single games and batches of them share.

    Args:
        rules: by which it is played.
        heuristics: what agents may ask.

    Raises:
        ValueError: records without a field that the engine reads, no table, or more tables than the field `table` can number.

    Attributes:
        id: "arts_of_war-v0".
        options: the keywords that load this game again.
        num_players, num_actions: P and A.
        action_names: A names, fixed whatever the state.
        action_groups: group -> slice of action ids.
        layout: the named pieces of the observation.
        observation_shape: (O,); observations are int8.
        observation_pieces: name -> (slice, shape, meaning).
        state_dtype: the dtype of a record.
        rules_hash: 16 hex digits that change with whatever changes the rules.
        tables: (T,) records, what does not change during a game; a state is played by tables[state["table"]].
        fixed, fixed_row: int8 (K, F) and int64 (T, P): the ends of observations that never change, and who sees which.
        checked: (4,) int64, what `react_env.engine.kernels.field_checker` takes to tell sound records.
        rules, heuristics, kernels: the compiled functions, for compiled code of your own.

    """

    def __init__(self, rules: Rules, heuristics: Heuristics | None = None) -> None:
        heuristics = heuristics or Heuristics()
        if not COMPILED:
            rules, heuristics = rules.uncompiled(), heuristics.uncompiled()
        rules.check()
        self.rules, self.heuristics = rules, heuristics
        self.id = rules.identity.id
        self.options = MappingProxyType(dict(rules.identity.options))
        self.rules_hash = rules.identity.hash
        self.num_players = rules.num_players
        self.action_names = rules.actions.names
        self.num_actions = len(self.action_names)
        self.action_groups = MappingProxyType(dict(rules.actions.groups))
        self.layout = rules.layout
        self.observation_shape = (rules.layout.size,)
        self.observation_pieces = rules.layout.pieces
        self.state_dtype = rules.state_dtype
        self.tables = rules.tables.records
        self.kernels: Kernels = kernels(
            self.id, rules.reset, rules.apply, rules.legal, rules.observe, rules.determinize, rules.touched
        )
        players, tables = self.num_players, len(self.tables)
        # The ends of observations that stay as they are, each once, and who sees which.
        fixed = np.zeros((tables, players, 0), np.int8) if rules.tables.fixed is None else rules.tables.fixed
        rows, row_of = np.unique(fixed.reshape(tables * players, -1), axis=0, return_inverse=True)
        self.fixed: NDArray[np.int8] = np.ascontiguousarray(rows)
        self.fixed_row: NDArray[np.int64] = row_of.reshape(tables, players).astype(np.int64)
        # Marks of the single records that the rules have made, or that have been found to be sound: what is written to a record in between
        # shows, and it is looked at again before compiled code relies on it.
        self._sound = np.zeros(_KEPT, np.uint64)
        self._sound[0] = 1  # a mark that belongs elsewhere, as 0 does in the other places
        names = self._fields = field_names(rules.state_dtype)
        self.checked = np.array([*(names.index(name) for name in ("table", "over", "to_play")), players])
        self._first = np.zeros(1, np.int64)

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"react_env.load({self.id!r}{options})"

    @property
    def functions(self) -> tuple[Any, ...]:
        """The compiled functions of the rules and the heuristics, on which code that is made of them depends."""
        return self.rules.functions + self.heuristics.functions

    def __reduce__(self) -> Any:
        load = self.rules.identity.load
        if load is None:
            raise TypeError(f"{self.id} cannot be pickled: its Identity has no load")
        return _load_again, (load, dict(self.options), self.rules_hash)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # nothing of a game ever changes

    def illegal(self, mask: NDArray[np.bool_], action: int, where: str = "") -> IllegalAction:
        """The error for an action that `mask` does not allow; `where` is put before the message."""
        legal = np.flatnonzero(mask)
        named = ", ".join(f"{i} ({self.action_names[i]})" for i in legal[:_NAMED].tolist())
        if len(legal) > _NAMED:
            named += f" and {len(legal) - _NAMED} more"
        if not 0 <= action < self.num_actions:
            return IllegalAction(
                f"{where}action {action} does not exist, ids go from 0 to {self.num_actions - 1}; legal now: {named}"
            )
        return IllegalAction(f"{where}action {action} ({self.action_names[action]}) is not legal now; legal: {named}")

    def impossible(self, states: NDArray[Any], index: NDArray[np.int64]) -> tuple[int, str] | None:
        """The first of the records states[index[k]] that no game by these rules could reach, as (k, what is wrong); None if all are sound.

        Args:
            states: (N,) records, as compiled code takes them (`react_env.engine.compile.for_compiled`).
            index: int64 (M,).
        """
        check = checker(self.id, self.rules.valid)
        k, field = check(states, self.tables, index, self.checked)
        if k < 0:
            return None
        name = self._fields[field]
        more = f", and this game has {len(self.tables)}: it belongs to other options" if name == "table" else ""
        return int(k), f"field {name}: impossible value {_short(field_of(states[index[k]], name))}{more}"


@lru_cache(maxsize=16)
def _loaded(load: Callable[..., Facts], options: str, rules_hash: str) -> Facts:
    game = load(**json.loads(options))
    if game.rules_hash != rules_hash:
        raise StateError(f"{game.id} has other rules here: {game.rules_hash}, not {rules_hash}")
    return game


def _load_again(load: Callable[..., Facts], options: dict[str, Any], rules_hash: str) -> Facts:
    """The same game in another process (a Game travels as the name of what loads it and its options, never as its tables)."""
    return _loaded(load, json.dumps(options, sort_keys=True, default=str), rules_hash)


def _short(value: Any) -> str:
    """A value of a field, for a message."""
    text = str(value.tolist())
    return text if len(text) <= 80 else f"{text[:80]} ..."
