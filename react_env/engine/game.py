"""One game at a time: its fixed facts, and methods that make, step, observe, save and describe one state.

A state is one NumPy record (`Game.state_dtype`). Its random stream is inside it, so what happens next depends on the record and the
actions alone.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial, wraps
from importlib import import_module
from operator import index
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from react_env.engine.batch import Batch
from react_env.engine.compile import COMPILED, ahead, compiled_when_loaded, kept
from react_env.engine.kernels import (
    FOREIGN,
    ILLEGAL,
    OVER,
    PLAY,
    REFRESH,
    START,
    Kernels,
    checker,
    is_sound,
    kernels,
    note,
)
from react_env.engine.rng import as_seed, is_integer, random_seed, seed_word
from react_env.engine.rules import Heuristics, Rules, field_names, field_of
from react_env.errors import GameOver, IllegalAction, OptionError, StateError
from react_env.svg import Svg, of_text

_MAGIC = b"RENV1\0\0\0"
_HEADER = struct.Struct("<8s16sII")  # magic, rules hash, length of the record, CRC-32 of the record
_NONE = np.full(1, -1, np.int64)
WORLDS = 2**32  # number of the stream that draws a seed's worlds; the streams below it deal the games of batches
_KEPT = 1 << 13  # how many marks of sound records are kept
_NAMED = 12  # legal actions that an error message names


class Game:
    """One set of rules with its options, ready to play.

    The first time on a machine the rules are compiled here, with a message on stderr; later they are loaded from a cache.

    Args:
        rules: the rules of the game.
        heuristics: what agents may ask about the game; None: the defaults.

    Raises:
        ValueError: the parts of the rules do not fit together, for instance because the records lack a field that the engine reads.

    Attributes:
        id: "arts_of_war-v0".
        options: the keywords that load this game again.
        files: path -> text of the card files that are not installed with the game; `react_env.load` fills it in.
        num_players, num_actions: P and A.
        action_names: A names, the same in every state.
        action_groups: group -> slice of action ids.
        layout: the named pieces of the observation.
        observation_shape: (O,); observations are int8.
        observation_pieces: name -> (slice, shape, meaning).
        state_dtype: the dtype of a record.
        rules_hash: 16 hex digits that change whenever the rules, the options or the cards change.
        tables: (T,) records of what does not change during a game; a state is played by tables[state["table"]].
        fixed, fixed_row: int8 (K, F) and int64 (T, P): the constant ends of observations, and which of them each player of a table sees.
        checked: (4,) int64, the argument `names` of `react_env.engine.kernels.field_checker`.
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
        self.files: Mapping[Path, str] = {}
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
        # The constant ends of observations, each stored once, and which of them each player sees.
        fixed = np.zeros((tables, players, 0), np.int8) if rules.tables.fixed is None else rules.tables.fixed
        number: dict[bytes, int] = {}
        row_of = [number.setdefault(row.tobytes(), len(number)) for row in fixed.reshape(tables * players, -1)]
        self.fixed: NDArray[np.int8] = np.frombuffer(b"".join(number), np.int8).reshape(len(number), -1).copy()
        self.fixed_row: NDArray[np.int64] = np.array(row_of, np.int64).reshape(tables, players)
        # Marks of the single records that the rules have made or that were found to be sound. Anything else that is written to a record
        # changes its mark, and the record is checked again before compiled code relies on it.
        self._sound = np.zeros(_KEPT, np.uint64)
        self._sound[0] = 1  # no mark is found at first: 1 belongs in place 1, and the zeros elsewhere belong here
        names = self._fields = field_names(rules.state_dtype)
        self.checked = np.array([*(names.index(name) for name in ("table", "over", "to_play")), players])
        # Arguments of `drive` for one game: no raw memory, the index of the game, and the outputs after the mask, which nobody reads.
        self._raw = np.zeros((0, 0), np.uint8)
        self._first = np.zeros(1, np.int64)
        self._rest = (
            np.zeros((0, rules.layout.size), np.int8),
            np.zeros((0, players, rules.layout.size), np.int8),
            np.zeros(1, np.int8),
            np.zeros((1, players), np.float32),
            np.zeros(1, np.bool_),
            np.zeros(1, np.bool_),
            np.full(1, -1, np.int8),
            np.zeros(1, np.uint64),
            np.zeros(1, np.int64),
            self._sound,
        )
        if compiled_when_loaded():
            self.compile()

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"react_env.load({self.id!r}{options})"

    @property
    def functions(self) -> tuple[Any, ...]:
        """The compiled functions of the rules and the heuristics. Code built from them depends on all of these."""
        return self.rules.functions + self.heuristics.functions

    def __reduce__(self) -> Any:
        load = self.rules.identity.load
        if load is None:
            raise TypeError(f"{self.id} cannot be pickled: its Identity has no load")
        return _load_again, (load, dict(self.options), self.rules_hash, dict(self.files))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # a game never changes

    def as_action(self, action: Any, where: str = "") -> int:
        """An action id as a Python integer, also from an array or a tensor without dimensions. Raises IllegalAction, with `where` before
        the message, for anything that is not an integer."""
        try:
            if isinstance(action, bool) or (hasattr(action, "ndim") and action.ndim):
                raise TypeError
            return index(action)
        except TypeError:
            raise IllegalAction(
                f"{where}an action is an integer from 0 to {self.num_actions - 1}, not {action!r:.80}"
            ) from None

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
            states: (N,) records, as compiled code takes them (`react_env.engine.kernels.for_compiled`).
            index: int64 (M,).
        """
        check = checker(self.id, self.rules.valid)
        k, field = check(states, self.tables, index, self.checked)
        if k < 0:
            return None
        name = self._fields[field]
        more = f", and this game has {len(self.tables)}: it belongs to other options" if name == "table" else ""
        return int(k), f"field {name}: impossible value {_short(field_of(states[index[k]], name))}{more}"

    def compile(self) -> None:
        """Compile the functions that move games, by calling them, so that nothing is compiled while time is measured.

        A game is compiled when it is loaded, except within `react_env.engine.compile.later`. Free processors compile its other functions
        at the same time; what they do not reach is compiled when it is first called.
        """
        if (key := (self.kernels, self.state_dtype.itemsize)) in _WARM:
            self._undecided()
            return
        states = np.zeros(1, self.state_dtype)
        out = np.empty(self.observation_shape, np.int8)
        seen = (states, self.tables, self.fixed, self.fixed_row, 0, out, self._sound)
        check = checker(self.id, self.rules.valid)  # for records from outside, and for agents that search
        tasks = [
            partial(kept, self.kernels.observe, seen),
            partial(kept, self.kernels.determinize, (states, self.tables, 0, np.uint64(0), self._sound)),
            partial(kept, is_sound, (states, self._sound)),
            partial(kept, note, (states, self._sound)),
            partial(kept, check, (states, self.tables, self._first, self.checked)),
        ]
        with ahead(tasks, self.id, rest=False):
            self.step(state := self._undecided(), int(self.legal_actions(state)[0]))
            self.batch(num_games=1, seed=0).warm()
        _WARM.add(key)

    def _undecided(self) -> np.record:
        """A new game that is not over yet. Raises OptionError if `DEALS_TRIED` deals were all over before anybody could choose."""
        for seed in range(DEALS_TRIED):
            if not (state := self.new(seed=seed))["over"]:
                return state
        message = f"{DEALS_TRIED} deals were over before anybody could choose: what the set-up does decides them"
        raise OptionError(f"{self.id}: {message}")

    # -- one state --------------------------------------------------------------------------------------------------------------

    def new(self, seed: int | None = None, *, start: int | None = None) -> np.record:
        """A new game at its first decision: one independent record.

        Args:
            seed: any int; the same seed gives the same game as game 0 of `batch(seed=seed)`. None draws a seed from the system.
            start: instead of a seed, the first state of the random stream itself (0..2**64-1), as replays store it.

        Raises:
            OptionError: an impossible seed or start.
        """
        if start is None:
            start = seed_word(random_seed() if seed is None else as_seed(seed))
        elif not is_integer(start) or not 0 <= start < 2**64:
            raise OptionError(
                f"the first state of a random stream is an integer from 0 to 2**64 - 1, not {start!r:.80}"
            )
        states = np.zeros(1, self.state_dtype)
        states["rng"] = start
        self.drive(START, states, np.empty(self.num_actions, np.bool_))
        return states[0]

    def copy(self, state: np.record) -> np.record:
        """A clone; like `state.copy()`, but several times faster."""
        return np.frombuffer(bytearray(self._rows(state).tobytes()), self.state_dtype)[0]

    def to_play(self, state: np.record) -> int:
        """The player to move."""
        return int(self._field(state, "to_play"))

    def action_mask(self, state: np.record) -> NDArray[np.bool_]:
        """bool (num_actions,), the legal actions of the player to move; all False when the game is over."""
        mask = np.empty(self.num_actions, np.bool_)
        self.drive(REFRESH, self._rows(state), mask)
        return mask

    def legal_actions(self, state: np.record) -> NDArray[np.int64]:
        """The sorted ids of the legal actions; empty when the game is over."""
        return np.flatnonzero(self.action_mask(state))

    def step(self, state: np.record, action: int) -> None:
        """Take an action in place, and advance to the next decision or the end.

        Args:
            state: a record from `new`, `copy` or `restore`. Elements of `Batch.states` are read-only: step a `copy` and put that back.
            action: a legal action id.

        Raises:
            IllegalAction: not an integer, out of range, or not legal now; the state is unchanged.
            GameOver: the game has ended.
            StateError: not a state of this game, or a read-only one.
        """
        action = self.as_action(action)
        rows = self._rows(state)
        array = np.asarray(state)
        if not array.flags.writeable or (array.base is None and isinstance(state, np.void)):
            raise StateError(f"{self.id}: the record is read-only, or was unpickled: step a `copy` of it")
        mask = np.empty(self.num_actions, np.bool_)
        result = self.drive(PLAY, rows, mask, action)
        if result == OVER:
            raise GameOver(f"{self.id}: the game is over; start a new one")
        if result == ILLEGAL:
            raise self.illegal(mask, action)

    def drive(self, job: int, rows: NDArray[Any], mask: NDArray[np.bool_], action: int = -1) -> int:
        """`Kernels.drive` for one game: `rows` (1,) record, `mask` (num_actions,) bool; job START, REFRESH or PLAY."""
        known = 0 <= action < self.num_actions
        arguments = (
            rows,
            self.tables,
            self._raw,
            self.fixed,
            self.fixed_row,
            job,
            np.array([action]) if known else _NONE,
            self._first,
            0,
            1,
            mask.reshape(1, -1),
            *self._rest,
        )
        while (result := self.kernels.drive(*arguments)) == FOREIGN:
            self._vet(rows)
        return result

    def look(self, rows: NDArray[Any], player: int, out: NDArray[np.int8]) -> None:
        """`Kernels.observe` for one game: `rows` (1,) record, a player that exists, and an `out` that fits."""
        while self.kernels.observe(rows, self.tables, self.fixed, self.fixed_row, player, out, self._sound) == FOREIGN:
            self._vet(rows)

    def _vet(self, rows: NDArray[Any]) -> None:
        """Check the record of `rows` (1,), and note that it is sound. Raises StateError if it is not."""
        if problem := self.impossible(rows, self._first):
            raise StateError(f"{self.id}: {problem[1]}")
        note(rows, self._sound)

    def terminated(self, state: np.record) -> bool:
        """Whether the rules have ended the game."""
        return bool(self._field(state, "over") == 1)

    def truncated(self, state: np.record) -> bool:
        """Whether the game was cut short, for instance by a turn limit."""
        return bool(self._field(state, "over") == 2)

    def rewards(self, state: np.record) -> NDArray[np.float32]:
        """float32 (num_players,), each player's reward for the last step."""
        return np.asarray(self._field(state, "reward")).astype(np.float32)

    def observe(self, state: np.record, player: int, out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        """What the player sees, with the player's own side first: int8 `observation_shape`, a new array or `out`.

        Raises:
            StateError: not a state of this game.
            OptionError: no such player, or an `out` of another shape or dtype, read-only or not contiguous.
        """
        if out is None:
            out = np.empty(self.observation_shape, np.int8)
        elif (
            not isinstance(out, np.ndarray)
            or out.dtype != np.int8
            or out.shape != self.observation_shape
            or not out.flags.carray
        ):
            raise OptionError(
                f"{self.id}: out must be a contiguous, writable array of int8 {self.observation_shape}, not {out!r:.80}"
            )
        self.look(self._rows(state), self._player(player), out)
        return out

    def determinize(self, state: np.record, player: int, seed: int | None = None) -> np.record:
        """A random record that the player cannot tell from this one: hidden cards and all future randomness are redrawn, uniformly.

        `seed` is as for `new`.
        """
        rows = np.frombuffer(bytearray(self._rows(state).tobytes()), self.state_dtype)
        word = np.uint64(seed_word(random_seed() if seed is None else as_seed(seed), WORLDS))
        player = self._player(player)
        while self.kernels.determinize(rows, self.tables, player, word, self._sound) == FOREIGN:
            self._vet(rows)
        return rows[0]

    def together(self, state: np.record) -> NDArray[np.bool_]:
        """bool (num_players,): who decides now at the same time, including the player to move.

        They are asked in turn, and nobody sees a choice before the last has been made. In most games only one player decides at a time.
        """
        rows, who = self._rows(state), np.zeros(self.num_players, np.bool_)
        if self.rules.together is None or rows["over"][0]:
            who[rows["to_play"][0]] = not rows["over"][0]
        else:
            self._vet(rows)
            self.rules.together(rows[0], self.tables[rows["table"][0]], who)
        return who

    def save(self, state: np.record) -> bytes:
        """The state as bytes, for `restore` by the same rules."""
        data = self._rows(state).tobytes()
        return _HEADER.pack(_MAGIC, self.rules_hash.encode(), len(data), zlib.crc32(data)) + data

    def restore(self, data: bytes) -> np.record:
        """The state that `save` turned into bytes.

        Raises:
            StateError: the bytes are not a saved state, are damaged or cut off, were saved under other rules, or hold a record that no
                game could reach; the message then names the field.
        """
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise StateError(f"{self.id}: a saved state is bytes, not {type(data).__name__}")
        data = bytes(data)
        if len(data) < _HEADER.size or not data.startswith(_MAGIC):
            raise StateError(f"{self.id}: these bytes are not a saved state")
        _, rules_hash, length, checksum = _HEADER.unpack_from(data)
        if rules_hash != self.rules_hash.encode():
            raise StateError(
                f"{self.id}: the state was saved under other rules ({rules_hash.decode('ascii', 'replace')}, here {self.rules_hash})"
            )
        record = data[_HEADER.size :]
        if length != self.state_dtype.itemsize or len(record) != length:
            raise StateError(f"{self.id}: the record has {len(record)} bytes instead of {self.state_dtype.itemsize}")
        if zlib.crc32(record) != checksum:
            raise StateError(f"{self.id}: the saved state is damaged (wrong checksum)")
        rows = np.frombuffer(bytearray(record), self.state_dtype)
        self._vet(rows)
        return rows[0]

    # -- in words ---------------------------------------------------------------------------------------------------------------

    def text(self, state: np.record, player: int | None = None) -> str:
        """The position as text, as `player` sees it; None: everything is shown."""
        return self.rules.view.text(self._record(state), player if player is None else self._player(player))

    def svg(self, state: np.record, player: int | None = None, *, choices: bool = False, style: bool = True) -> Svg:
        """The position as a picture. A notebook shows it if this is the last line of a cell.

        Args:
            state: a state of this game.
            player: whose view; None: everything is shown.
            choices: mark the parts that stand for legal actions of the player to move: elements with the ids in `data-action`.
            style: include the colours; False for a page that has them already (`react_env.svg.STYLE`).
        """
        record, seat = self._record(state), player if player is None else self._player(player)
        words = {int(a): self.action_text(record, int(a)) for a in self.legal_actions(record)} if choices else {}
        if not self.rules.drawing:
            return of_text(self.text(record, seat), style)
        return import_module(self.rules.drawing).draw(self, record, seat, words, style)

    def status_lines(self, state: np.record, player: int | None = None) -> list[str]:
        """The position in a few short lines."""
        return self.rules.view.status_lines(self._record(state), player if player is None else self._player(player))

    def log_lines(self, state: np.record, since: int = 0) -> list[str]:
        """The public events numbered from `since` (see `event_count`) that the record still holds, one line each.

        A record holds the last few dozen events. If `since` is above 0 and some events after it are gone, the first line says how many.
        """
        if not is_integer(since):
            raise OptionError(f"{self.id}: events are numbered from 0, not {since!r:.80}")
        record = self._record(state)
        lines = self.rules.view.log_lines(record, int(since))
        if since > 0 and "event" in (self.state_dtype.names or ()):  # a ring, see `react_env.engine.plain.EventLog`
            gone = self.event_count(record) - len(record["event"]) - since
            lines = [f"({gone} more, which are no longer kept)"] * (gone > 0) + lines
        return lines

    def event_count(self, state: np.record) -> int:
        """How many public events there have been."""
        return self.rules.view.event_count(self._record(state))

    def action_text(self, state: np.record, action: int) -> str:
        """What the action means in this state: "play Quick Step (Reaction)"."""
        if not is_integer(action) or not 0 <= action < self.num_actions:
            raise IllegalAction(
                f"{self.id}: action {action!r:.80} does not exist, ids go from 0 to {self.num_actions - 1}"
            )
        return self.rules.view.action_text(self._record(state), int(action))

    # -- many states ------------------------------------------------------------------------------------------------------------

    def batch(
        self,
        num_games: int,
        seed: int | Sequence[int] | None = None,
        threads: int = 1,
        keep_final: bool = False,
    ) -> Batch[Self]:
        """`num_games` games that step together; see `Batch`."""
        return Batch(self, num_games, seed=seed, threads=threads, keep_final=keep_final)

    def _rows(self, state: np.record) -> NDArray[Any]:
        """The record as an array (1,) in the same memory, or as a copy if that is read-only."""
        try:
            rows = np.asarray(state)
        except Exception as error:  # NumPy, or the object itself, may raise anything
            raise StateError(f"{self.id}: not a state of this game but {type(state).__name__}") from error
        if rows.dtype != self.state_dtype or rows.size != 1:
            raise StateError(
                f"{self.id}: not a state of this game but {type(state).__name__} of dtype {rows.dtype}"[:200]
            )
        if not 0 <= (table := rows["table"].item()) < len(self.tables):
            raise StateError(
                f"{self.id}: this state belongs to table {table}, but this game has {len(self.tables)}: it was made with other options"
            )
        return rows.reshape(1) if rows.flags.writeable else rows.reshape(1).copy()

    def _record(self, state: np.record) -> np.record:
        """The state as a record, after a check that it is a sound one of this game."""
        rows = self._rows(state)
        if not is_sound(rows, self._sound):
            self._vet(rows)
        return rows[0]

    def _field(self, state: np.record, name: str) -> Any:
        """A field of a state, as quickly as possible."""
        if isinstance(state, np.void) and state.dtype == self.state_dtype:
            return state[name]
        return self._rows(state)[0][name]

    def _player(self, player: int) -> int:
        if not is_integer(player):
            raise OptionError(f"{self.id}: a player is a number, not {player!r:.80}")
        if not 0 <= player < self.num_players:
            raise OptionError(
                f"{self.id}: player {player} does not exist, players are numbered from 0 to {self.num_players - 1}"
            )
        return int(player)


DEALS_TRIED = 20  # before a game is refused because nobody ever chooses
_WARM: set[Any] = set()
_MADE: dict[Any, Any] = {}


def a_game(found: Any) -> Game:
    """`found` if it is a Game; OptionError for anything else, such as an id."""
    if not hasattr(found, "rules_hash"):
        what = f"react_env.load({found!r})" if isinstance(found, str) else "what react_env.load gives"
        raise OptionError(f"a game is needed, {what}, not {found!r:.80}")
    return found


def once_per_game(make: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate make(game, *arguments), which compiles something from the functions of a game. The same functions and arguments give the
    same result again, however often the game is loaded."""

    @wraps(make)
    def found(game: Game, *arguments: Any) -> Any:
        key = (make, game.id, game.functions, arguments)
        if key not in _MADE:
            _MADE[key] = make(game, *arguments)
        return _MADE[key]

    return found


@lru_cache(maxsize=16)
def _loaded(load: Callable[..., Game], options: str, rules_hash: str) -> Game:
    game = load(**json.loads(options))
    if game.rules_hash != rules_hash:
        raise StateError(f"{game.id} has other rules here: {game.rules_hash}, not {rules_hash}")
    return game


def _load_again(load: Callable[..., Game], options: dict[str, Any], rules_hash: str, files: Mapping[Path, str]) -> Game:
    """The same game in another process. A pickled Game holds the name of the function that loads it and its options, never its tables."""
    game = _loaded(load, json.dumps(options, sort_keys=True, default=str), rules_hash)
    game.files = files
    return game


def _short(value: Any) -> str:
    """A value of a field, for a message."""
    text = str(value.tolist())
    return text if len(text) <= 80 else f"{text[:80]} ..."
