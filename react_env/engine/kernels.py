"""The compiled loops over records, made once for each set of rules.

All loops work on arrays of records (a single game is an array of one) and on ranges of them, so that threads can share a batch. `N` is the
number of games of the batch, `A` of actions, `P` of players, `O` of features of an observation. Arguments that repeat:

    states        (N,) records             tables        (1,) record of static data
    masks         (N, A) bool, the legal actions of the player to move
    observations  (N, O) int8, what the player to move sees
    final         (N, P, O) int8, what each player sees when a game ends; (0, P, O) where nobody asked for it
    to_play       (N,) int8                rewards       (N, P) float32
    terminated, truncated  (N,) bool       blank         (1,) record of zeros
    index         (M,) int64, the games that are meant; the loop goes over index[first:last]
    streams       (N,) records with the field rng, see `as_streams`
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from react_env.engine.compile import njit
from react_env.engine.rng import below, next_word

STREAM = np.dtype((np.record, [("rng", "u8")]))

PLAYED, ILLEGAL, OVER = range(3)  # what `Kernels.play` answers

_PACKAGE = Path(__file__).resolve().parent.parent


class Kernels(NamedTuple):
    """The compiled functions of one game; see `kernels`."""

    new: Callable[..., Any]  # (states, tables, mask): set up states[0], whose rng is seeded and all else zero
    play: Callable[..., int]  # (states, tables, action, mask) -> PLAYED, ILLEGAL or OVER: one checked step of states[0]
    legal: Callable[..., Any]  # (states, tables, mask): the legal actions of states[0]
    observe: Callable[..., Any]  # (states, tables, player, out): what the player sees in states[0]
    determinize: Callable[..., Any]  # (states, tables, player): redraw what the player cannot know
    start: Callable[..., Any]
    step: Callable[..., Any]
    refresh: Callable[..., Any]
    against_random: Callable[..., Any]


@njit
def choose(mask: Any, s: Any) -> Any:
    """A uniformly random legal action, drawn from the stream of record `s`; 0 where nothing is legal.

    Args:
        mask: (A,) bool.
        s: a record with the field rng; it moves on by one word.
    """
    count = 0
    for action in range(mask.size):
        if mask[action]:
            count += 1
    left = below(s, count)
    for action in range(mask.size):
        if mask[action]:
            if left == 0:
                return action
            left -= 1
    return 0


@njit(name="engine.random_actions")
def _random_actions(masks: Any, streams: Any, out: Any, first: Any, last: Any) -> None:
    for i in range(first, last):
        out[i] = choose(masks[i], streams[i])


def as_streams(words: NDArray[np.uint64]) -> NDArray[Any]:
    """The same memory as records with the field rng. `words`: (N,) uint64, contiguous."""
    return words.view(STREAM)


def random_actions(
    masks: NDArray[np.bool_], rng_states: NDArray[np.uint64], out: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """One uniformly random legal action for each game.

    Args:
        masks: (N, A) bool, contiguous.
        rng_states: (N,) uint64, one SplitMix64 stream for each game (`batch.seed_words` makes them); each moves on by one word.
        out: (N,) int64, where to write.

    Returns:
        `out`, or a new array; 0 where nothing is legal.
    """
    if out is None:
        out = np.empty(len(masks), np.int64)
    _random_actions(masks, as_streams(rng_states), out, 0, len(masks))
    return out


@njit(name="engine.first_problem")
def first_problem(actions: Any, index: Any, masks: Any, stamp: Any, tick: Any) -> Any:
    """The first place in `index` that cannot be stepped: (-1, 0) none, (k, 1) no such game or twice, (k, 2) illegal action.

    Args:
        stamp: (N,) int64 with values below `tick`; scratch memory.
    """
    for k in range(index.size):
        i = index[k]
        if i < 0 or i >= masks.shape[0] or stamp[i] == tick:
            return k, 1
        stamp[i] = tick
        action = actions[k]
        if action < 0 or action >= masks.shape[1] or not masks[i, action]:
            return k, 2
    return -1, 0


@lru_cache(maxsize=64)
def _foreign_hash(functions: tuple[Any, ...]) -> str:
    """Hash of the files of rules that lie outside the package (its own files name the folder of the cache)."""
    paths = sorted({Path(getattr(f, "py_func", f).__code__.co_filename).resolve() for f in functions})
    foreign = [path for path in paths if not path.is_relative_to(_PACKAGE)]
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in foreign)).hexdigest()[:12] if foreign else ""


@lru_cache(maxsize=64)
def kernels(
    game_id: str,
    rules_reset: Callable[..., Any],
    rules_apply: Callable[..., Any],
    rules_legal: Callable[..., Any],
    rules_observe: Callable[..., Any],
    rules_determinize: Callable[..., Any],
) -> Kernels:
    """The loops over these rules; the same object for the same functions, however often a game is loaded."""
    prefix = game_id + _foreign_hash((rules_reset, rules_apply, rules_legal, rules_observe, rules_determinize))

    @njit(name=f"{prefix}.new")
    def new(states: Any, tables: Any, mask: Any) -> None:
        rules_reset(states[0], tables[0], mask)

    @njit(name=f"{prefix}.legal")
    def legal(states: Any, tables: Any, mask: Any) -> None:
        s = states[0]
        mask[:] = False
        if s.over == 0:
            rules_legal(s, tables[0], mask)

    @njit(name=f"{prefix}.play")
    def play(states: Any, tables: Any, action: Any, mask: Any) -> Any:
        s = states[0]
        t = tables[0]
        mask[:] = False
        if s.over != 0:
            return 2
        rules_legal(s, t, mask)
        if action < 0 or action >= mask.size or not mask[action]:
            return 1
        rules_apply(s, t, action, mask)
        return 0

    @njit(name=f"{prefix}.observe")
    def observe(states: Any, tables: Any, player: Any, out: Any) -> None:
        rules_observe(states[0], tables[0], player, out)

    @njit(name=f"{prefix}.determinize")
    def determinize(states: Any, tables: Any, player: Any) -> None:
        rules_determinize(states[0], tables[0], player)

    @njit(name=f"{prefix}.start")
    def start(states: Any, tables: Any, first: Any, last: Any, masks: Any, observations: Any, to_play: Any) -> None:
        """Set up games first..last-1, whose rng is seeded and all else zero."""
        t = tables[0]
        for i in range(first, last):
            s = states[i]
            rules_reset(s, t, masks[i])
            to_play[i] = s.to_play
            rules_observe(s, t, np.int64(s.to_play), observations[i])

    @njit(name=f"{prefix}.restart")
    def restart(states: Any, i: Any, tables: Any, blank: Any, mask: Any) -> None:
        """A new game in states[i]; its random stream goes on."""
        word = next_word(states[i])
        states[i] = blank[0]
        states[i].rng = word
        rules_reset(states[i], tables[0], mask)

    @njit(name=f"{prefix}.step")
    def step(
        states: Any,
        tables: Any,
        blank: Any,
        actions: Any,
        index: Any,
        first: Any,
        last: Any,
        masks: Any,
        observations: Any,
        final: Any,
        to_play: Any,
        rewards: Any,
        terminated: Any,
        truncated: Any,
    ) -> None:
        """Take actions[k] in game index[k]; games that end start again."""
        t = tables[0]
        for k in range(first, last):
            i = index[k]
            s = states[i]
            mask = masks[i]
            rules_apply(s, t, actions[k], mask)
            for p in range(rewards.shape[1]):
                rewards[i, p] = s.reward[p]
            terminated[i] = s.over == 1
            truncated[i] = s.over == 2
            if s.over != 0:
                if final.shape[0] > 0:
                    for p in range(final.shape[1]):
                        rules_observe(s, t, p, final[i, p])
                restart(states, i, tables, blank, mask)
            to_play[i] = s.to_play
            rules_observe(s, t, np.int64(s.to_play), observations[i])

    @njit(name=f"{prefix}.refresh")
    def refresh(
        states: Any, tables: Any, index: Any, first: Any, last: Any, masks: Any, observations: Any, to_play: Any
    ) -> None:
        """Masks, observations and players to move of games index[first:last], whatever was written into their records."""
        t = tables[0]
        for k in range(first, last):
            i = index[k]
            s = states[i]
            mask = masks[i]
            mask[:] = False
            if s.over == 0:
                rules_legal(s, t, mask)
            to_play[i] = s.to_play
            rules_observe(s, t, np.int64(s.to_play), observations[i])

    @njit(name=f"{prefix}.against_random")
    def against_random(
        states: Any,
        tables: Any,
        blank: Any,
        actions: Any,
        moving: Any,
        first: Any,
        last: Any,
        seats: Any,
        streams: Any,
        masks: Any,
        observations: Any,
        final: Any,
        to_play: Any,
        rewards: Any,
        terminated: Any,
        truncated: Any,
    ) -> None:
        """A step of the learner in each of games first..last-1, then random moves of the others until it has to move again.

        Args:
            moving: 1: the learner takes actions[i] first; 0: only let the others move.
            seats: (N,) int8, the learner's player number.
            final: (N, O) int8, what the learner sees when a game ends.
            rewards: (N,) float32, the learner's.
        """
        t = tables[0]
        for i in range(first, last):
            s = states[i]
            mask = masks[i]
            seat = np.int64(seats[i])
            rewards[i] = 0.0
            terminated[i] = False
            truncated[i] = False
            ended = False
            pending = moving != 0
            while pending or s.over != 0 or s.to_play != seat:
                if s.over != 0:
                    if not ended and moving != 0:  # a game in which the learner had no move at all is not reported
                        ended = True
                        rewards[i] = s.reward[seat]
                        terminated[i] = s.over == 1
                        truncated[i] = s.over == 2
                        rules_observe(s, t, seat, final[i])
                    restart(states, i, tables, blank, mask)
                elif pending:
                    pending = False
                    rules_apply(s, t, actions[i], mask)
                else:
                    rules_apply(s, t, np.int64(choose(mask, streams[i])), mask)
            to_play[i] = s.to_play
            rules_observe(s, t, seat, observations[i])

    return Kernels(new, play, legal, observe, determinize, start, step, refresh, against_random)
