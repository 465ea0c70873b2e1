"""What a game gives to the engine: `Rules`, by which it is played, and `Heuristics`, which agents may ask.

Functions are compiled (`react_env.engine.compile.njit`) and work on one record `s` of `Rules.state_dtype` and the record `t` of the tables
that belongs to it, tables[s.table]. `mask` is bool (A,), `out` int8 (layout.size,), `player` and `action` are int64. What a player
cannot know is redrawn (`determinize`) before a heuristic sees the record.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from react_env.engine.compile import njit
from react_env.engine.layout import Layout
from react_env.engine.plain import plain

Compiled = Callable[..., Any]  # a function that `njit` has wrapped
State = Any  # a record, as a game's view sees it
NEEDED = ("rng", "table", "over", "to_play", "reward")  # fields of a record


def field_names(dtype: np.dtype[Any]) -> tuple[str, ...]:
    """The names of the fields of a record. If a field is an array of records, their fields are named after it: "frame.player"."""
    found: list[str] = []
    for name in dtype.names or ():
        inner = dtype[name].base.names
        found += [f"{name}.{field}" for field in inner] if inner else [name]
    return tuple(found)


def numbered(dtype: np.dtype[Any]) -> Any:
    """The numbers, from 1, of the names in `field_names`: numbered(dtype).frame_player is that of "frame.player"."""
    names = [name.replace(".", "_") for name in field_names(dtype)]
    return namedtuple("FIELD", names)(*range(1, len(names) + 1))


def field_of(states: Any, name: str) -> Any:
    """The field of a record, or of an array of records, by its name in `field_names`."""
    for part in name.split("."):
        states = states[part]
    return states


class View(Protocol):
    """How a game is put into words, in plain Python. With `player` None everything is shown."""

    def text(self, state: State, player: int | None) -> str:
        """The position."""

    def status_lines(self, state: State, player: int | None) -> list[str]:
        """The position in a few short lines."""

    def log_lines(self, state: State, since: int = 0) -> list[str]:
        """Public events numbered from `since` that the record still holds."""

    def event_count(self, state: State) -> int:
        """How many public events there have been."""

    def action_text(self, state: State, action: int) -> str:
        """What the action means in this state."""


@dataclass(frozen=True)
class Identity:
    """Which game this is.

    Attributes:
        id: "my_game-v0".
        options: the keywords that load this game again, as JSON values.
        hash: 16 hex digits that change with the rules.
        parts: hashes of games that are part of this one, such as each of its pairings: an agent for this game can play all of them.
        load: a module's function load(**options), which makes this game again in another process. None: the game cannot be pickled.
    """

    id: str
    options: Mapping[str, Any]
    hash: str
    parts: tuple[str, ...] = ()
    load: Callable[..., Any] | None = None


@dataclass(frozen=True)
class Actions:
    """The names of the A actions, the same in every state, and the groups that they form.

    `rows` (group -> piece of the observation) names the piece that has a row for each action of a group, and perhaps more rows after these:
    a network may score each action by its row. `rows_in_use` (piece -> number) says how many rows of a piece are ever used, if not all.
    """

    names: tuple[str, ...]
    groups: Mapping[str, slice]
    rows: Mapping[str, str] = field(default_factory=dict)
    rows_in_use: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Tables:
    """What does not change during a game, one record for each setting (such as a pairing) that may be drawn.

    If there are several, the engine draws one for each game before `reset`, all equally likely, from the game's own stream, and writes its
    index into the field `table`. With a single one nothing is drawn.

    Attributes:
        records: (T,), structured.
        names: (T,), or empty: "calligrapher - dancer".
        roles: (T, P) names, or empty: what each player plays. What a feature is worth depends on it.
        fixed_pieces: the last pieces of the observation, as far as they depend on the table and the player alone. With a single table a
            network can do without them.
        fixed: int8 (T, P, F), their features: the engine writes them, and `observe` leaves them alone.
    """

    records: NDArray[Any]
    names: tuple[str, ...] = ()
    roles: tuple[tuple[str, ...], ...] = ()
    fixed_pieces: tuple[str, ...] = ()
    fixed: NDArray[np.int8] | None = None


class _Functions:
    """A dataclass some of whose fields are compiled functions: those whose metadata say so."""

    @classmethod
    def _names(cls) -> list[str]:
        return [f.name for f in fields(cls) if f.metadata.get("compiled")]  # type: ignore[arg-type]

    @property
    def functions(self) -> tuple[Compiled | None, ...]:
        """Every compiled function. Code built from them depends on all of these."""
        return tuple(getattr(self, name) for name in self._names())

    def uncompiled(self) -> Self:
        """A copy with functions of plain Python."""
        found = {name: plain(f) for name in self._names() if (f := getattr(self, name)) is not None}
        return replace(self, **found)  # type: ignore[type-var]


def _compiled(**keywords: Any) -> Any:
    return field(metadata={"compiled": True}, **keywords)


@njit
def anything(s: Any, t: Any) -> Any:
    """`Rules.valid` of a game that has none."""
    return -1


@dataclass(frozen=True)
class Rules(_Functions):
    """The rules of a game; its `load(**options)` builds them.

    A record has the fields that the engine reads: rng u8, table i2, over i1 (0 going on, 1 terminated, 2 truncated), to_play i1, reward
    f4 (P,): what the last step gave each of the P players; the sum is zero. A field `turn`, the number of the turn, is optional: with it,
    the lengths of games are told in turns, and plans end with a turn.
    """

    identity: Identity
    state_dtype: np.dtype[Any]
    tables: Tables
    actions: Actions
    layout: Layout
    view: View
    reset: Compiled = _compiled()  # (s, t, mask): s is zero but for rng and table; go to the first decision
    # (s, t, action, mask): a legal action; go to the next decision; sets s.over, s.reward, mask
    apply: Compiled = _compiled()
    legal: Compiled = _compiled()  # (s, t, mask): writes which actions are legal in the present decision, all of mask
    observe: Compiled = _compiled()  # (s, t, player, out)
    determinize: Compiled = _compiled()  # (s, t, player): redraw what the player cannot know, uniformly; s.rng is new
    # (s, t) -> -1, or the index in `field_names(state_dtype)` of the first field with a value that no game by these rules could reach and
    # that could lead a compiled function or a text astray. Every record that passes can be played to an end.
    valid: Compiled = _compiled(default=anything)
    # (s, t, who): writes to bool (P,) which players decide now without knowing what the others choose, including the player to move. They
    # are asked in turn, and no choice shows before the last has been made. None: one player decides at a time.
    together: Compiled | None = _compiled(default=None)
    # Name of a field of which only the first rows are in use -> the fields (i1) whose sum is their number. The rules write the other rows
    # before they read them, so a look ahead does not copy those. The log, {"event": ()}, is never read by rules.
    live: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # A module with draw(game, state, player, choices, style) -> `react_env.svg.Svg`, a position as a picture; without it the text is drawn.
    # It also has worth_showing(state) -> bool: whether a position makes a good picture for the README.
    drawing: str = ""

    @property
    def touched(self) -> tuple[tuple[int, int], ...]:
        """The spans (begin, end) of a record's bytes that a step usually touches: in the fields that `live` counts, only the first row."""
        spans, begin = [], 0
        known: Any = self.state_dtype.fields
        for offset, name in sorted((known[name][1], name) for name, counts in self.live.items() if counts):
            spans.append((begin, offset + known[name][0].base.itemsize))
            begin = offset + known[name][0].itemsize
        return (*spans, (begin, self.state_dtype.itemsize))

    @property
    def num_players(self) -> int:
        """P."""
        return int(self.state_dtype["reward"].shape[0])

    def check(self) -> None:
        """Raise ValueError if the parts do not fit together, so that compiled code would read what is not there."""
        game, dtype, tables = self.identity.id, self.state_dtype, self.tables
        missing = [name for name in NEEDED if name not in (dtype.names or ())]
        if missing:
            raise ValueError(f"{game}: the record has no field {', '.join(missing)}; needed: {', '.join(NEEDED)}")
        if dtype["reward"].base != np.float32 or len(dtype["reward"].shape) != 1:
            raise ValueError(f"{game}: the field reward is {dtype['reward']}; needed: float32 (P,), for P players")
        for name, counts in self.live.items():
            wrong = [field for field in counts if field not in (dtype.names or ()) or dtype[field] != np.int8]
            if name not in (dtype.names or ()) or wrong or len(counts) > 2:
                raise ValueError(
                    f"{game}: live is {{{name!r}: {counts}}}; needed: a field of the record, and up to two of type i1 that count its rows"
                )
        most = np.iinfo(dtype["table"]).max + 1
        if tables.records.ndim != 1 or not 1 <= len(tables.records) <= most:
            raise ValueError(f"{game}: tables of shape {tables.records.shape}; needed: (T,) with T from 1 to {most}")
        if tables.fixed is not None:
            size = sum(self.layout[name].size for name in tables.fixed_pieces)
            wanted = (len(tables.records), self.num_players, size)
            last = [piece.name for piece in self.layout][-len(tables.fixed_pieces) :]
            if tables.fixed.shape != wanted or tables.fixed.dtype != np.int8 or last != list(tables.fixed_pieces):
                raise ValueError(
                    f"{game}: fixed of shape {tables.fixed.shape} and {tables.fixed.dtype} for {tables.fixed_pieces}; needed: "
                    f"int8 {wanted}, for the last pieces of the observation in their order"
                )
        if tables.names and len(tables.names) != len(tables.records):
            raise ValueError(f"{game}: {len(tables.names)} names for {len(tables.records)} tables")


@njit
def _result(s: Any, t: Any, player: Any) -> Any:
    """The value in a game that defines none: what the last step gave."""
    return 1e6 * s.reward[player]


@njit
def _finished(s: Any) -> Any:
    """For a game in which every decision is a free one."""
    return 0


@njit
def _no_pass(s: Any) -> Any:
    """For a game in which nobody can pass."""
    return -1


@dataclass(frozen=True)
class Heuristics(_Functions):
    """What agents may ask about a game. Everything is optional: each field has a default."""

    # (s, t, player) -> float: a good player's judgement. Larger is better for the player; a win is 1e6.
    value: Compiled = _compiled(default=_result)
    quick_value: Compiled | None = _compiled(default=None)  # likewise, in a fraction of the time; None: `value`
    # (s, t, player, action) -> float, in the units of `value`: what speaks for a legal action beyond the value of the position that it
    # leads to, by what the player knows.
    prior: Compiled | None = _compiled(default=None)
    # (s, t, player) -> float in -1..1: how far the player has come, for shaped rewards
    potential: Compiled | None = _compiled(default=None)
    # (s, t, player, out): writes what counts in a position for one player, float32 (len(feature_names),). Values are learned from it.
    features: Compiled | None = _compiled(default=None)
    feature_names: tuple[str, ...] = ()
    unfinished: Compiled = _compiled(default=_finished)  # (s) -> 1 while a play already begun is being completed
    pass_action: Compiled = _compiled(default=_no_pass)  # (s) -> the action that passes at this free decision, or -1
    # (s) -> the action by which a person merely goes on, or -1. None: `pass_action`. A game has its own if agents' passing does more.
    nothing: Compiled | None = _compiled(default=None)
    # (s, t, action, mask): like `Rules.apply`, but afterwards everybody passes until there is a decision without a pass. It takes a
    # fraction of the time, since `mask` is filled correctly only if that decision is unfinished. None: built from the functions above.
    ahead: Compiled | None = _compiled(default=None)
    # Values read neither this field of the record nor any after it. "": they may read all but the random stream and the log (`events`
    # and what follows it).
    unread: str = ""
    # Files besides that of `value` itself that decide what it says: another text makes another agent (`agents.fingerprint`).
    value_files: tuple[Path, ...] = ()
    # Options of searches, by name, if this game needs others than usual; "mcts.horizon" is for mcts alone, "horizon" for all that have it.
    search: Mapping[str, Any] = field(default_factory=dict)

    @property
    def by_hand(self) -> bool:
        """Whether the game says how a good player judges positions or actions. The agent scripted plays by this."""
        return self.quick_value is not None or self.prior is not None

    @property
    def quick(self) -> Compiled:
        """`quick_value`, or `value` if there is none."""
        return self.quick_value or self.value
