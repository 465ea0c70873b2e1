"""The compiled loop over records, made once for each set of rules.

It works on arrays of records (a single game is an array of one) and on ranges of them, so that threads can share a batch. There is one loop
for everything that moves a game, because each loop over the rules takes seconds to compile. `N` is the number of games of the batch, `A` of
actions, `P` of players, `O` of features of an observation.
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
from react_env.engine.rng import below, below_at, next_word

# What `Kernels.drive` is to do.
START = 0  # set up records that are zero but for their seeded rng
REFRESH = 1  # work out what belongs to the records as they are
PLAY = 2  # check and take an action; a game that ends stays over
STEP = 3  # take an action; a game that ends starts again
OTHERS = 4  # no action of the learner: only let the others play (see `seats`)
RANDOM = 5  # as STEP, with a random action; `masks` must be those of the records

# What it answers to PLAY.
PLAYED, ILLEGAL, OVER = range(3)

_PACKAGE = Path(__file__).resolve().parent.parent


class Kernels(NamedTuple):
    """The compiled functions of one game; see `kernels`."""

    drive: Callable[..., int]  # everything that moves games
    observe: Callable[..., None]  # (states, tables, fixed, fixed_row, player, out): what the player sees in states[0]
    determinize: Callable[
        ..., None
    ]  # (states, tables, player): redraw in states[0] what the player cannot know; its rng is new


BLOCK = 16


@njit
def choose(mask: Any, words: Any, i: Any) -> Any:
    """A uniformly random legal action of mask (A,) bool, drawn from the stream words[i] of (N,) uint64; 0 where nothing is legal."""
    count = 0
    for action in range(mask.size):
        count += mask[action]
    left = below_at(words, i, count)
    first = 0
    while first + BLOCK <= mask.size:  # whole blocks are counted faster than one action after the other is looked at
        found = 0
        for action in range(first, first + BLOCK):
            found += mask[action]
        if left < found:
            break
        left -= found
        first += BLOCK
    for action in range(first, mask.size):
        if mask[action]:
            if left == 0:
                return action
            left -= 1
    return 0


@njit(name="engine.random_actions")
def _random_actions(masks: Any, words: Any, out: Any, first: Any, last: Any) -> None:
    for i in range(first, last):
        out[i] = choose(masks[i], words, i)


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
    _random_actions(masks, rng_states, out, 0, len(masks))
    return out


@njit(name="engine.first_problem")
def first_problem(actions: Any, index: Any, masks: Any, stamp: Any, tick: Any) -> Any:
    """The first place in `index` that cannot be stepped: (-1, 0) none, (k, 1) the same game twice, (k, 2) illegal action.

    Args:
        stamp: (N,) int64 with values below `tick`; scratch memory.
    """
    for k in range(index.size):
        i = index[k]
        if stamp[i] == tick:
            return k, 1
        stamp[i] = tick
        action = actions[k]
        if action < 0 or action >= masks.shape[1] or not masks[i, action]:
            return k, 2
    return -1, 0


@njit
def draw_table(s: Any, tables: Any) -> None:
    """Draw which of `tables` (T,) the game that begins in record `s` is played by; a single one takes nothing from its random stream."""
    if len(tables) > 1:
        s.table = below(s, len(tables))


@njit
def copy_end(fixed: Any, out: Any) -> None:
    """Write `fixed` (F,) to the end of the observation `out` (O,)."""
    end = out[out.size - fixed.size :]  # indices from 0, so that many are copied at once
    for i in range(fixed.size):
        end[i] = fixed[i]


@lru_cache(maxsize=64)
def foreign_hash(functions: tuple[Any, ...]) -> str:
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
    prefix = game_id + foreign_hash((rules_reset, rules_apply, rules_legal, rules_observe, rules_determinize))

    @njit(name=f"{prefix}.drive")
    def drive(
        states: Any,
        tables: Any,
        raw: Any,
        fixed: Any,
        fixed_row: Any,
        job: Any,
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
        seats: Any,
        words: Any,
        shown: Any,
    ) -> Any:
        """Do `job` for games index[first:last]. Actions are not checked here, but for PLAY.

        Where seats[i] is a player (the learner), random moves of the others follow until that player has to choose, in this game or the
        next one; what is reported then is the first end on the way.

        Args:
            states: (N,) records.
            tables: (T,) records of static data; a game is played by tables[s.table], drawn where it starts.
            raw: (N, bytes) uint8, the memory of `states`: compiled code clears bytes much faster than the fields of a record. Only for jobs
                from STEP on.
            fixed: (K, F) int8, the ends of observations that stay as they are during a game.
            fixed_row: (T, P) int64, which of them each player of each table sees.
            job: START, REFRESH, PLAY, STEP, OTHERS or RANDOM.
            actions: (M,) int64, actions[k] for game index[k].
            index: (M,) int64.
            first, last: the range of `index` to do.
            masks: (N, A) bool, becomes the legal actions of the player to move.
            observations: (N, O) int8, becomes what the player to move sees; (0, O): not wanted.
            final: (N, P, O) int8, becomes what each player sees when a game ends; (0, P, O): not wanted.
            to_play: (N,) int8, becomes the player to move.
            rewards: (N, P) float32; terminated, truncated: (N,) bool: become those of the action.
            seats: (N,) int8, the learner's player number, or -1.
            words: (N,) uint64, random streams for the others' choices.
            shown: (N,) int64, which row of `fixed` stands in `observations`, -1 unknown: only where another one is needed it is written,
                for it is most of the memory that a step would touch.

        Returns:
            For PLAY: PLAYED, ILLEGAL or OVER; the last two leave the record as it was.
        """
        for k in range(first, last):
            i = index[k]
            s = states[i]
            t = tables[s.table]
            mask = masks[i]
            seat = seats[i]
            fresh = job == START
            action = np.int64(-1)
            if job == REFRESH or job == PLAY:
                mask[:] = False
                if s.over == 0:
                    rules_legal(s, t, mask)
            if job == PLAY:
                if s.over != 0:
                    return OVER
                action = actions[k]
                if action < 0 or action >= mask.size or not mask[action]:
                    return ILLEGAL
            elif job == STEP:
                action = actions[k]
            elif job == RANDOM:
                action = np.int64(choose(mask, words, i))
            for p in range(rewards.shape[1]):
                rewards[i, p] = 0.0
            terminated[i] = False
            truncated[i] = False
            reported = job == OTHERS
            while True:
                if fresh:
                    fresh = False
                    draw_table(s, tables)
                    t = tables[s.table]
                    rules_reset(s, t, mask)
                elif action >= 0:
                    rules_apply(s, t, action, mask)
                    action = np.int64(-1)
                if s.over != 0 and job >= STEP:
                    if not reported:
                        reported = True
                        for p in range(rewards.shape[1]):
                            rewards[i, p] = s.reward[p]
                        terminated[i] = s.over == 1
                        truncated[i] = s.over == 2
                        if final.shape[0] > 0:
                            for p in range(final.shape[1]):
                                copy_end(fixed[fixed_row[s.table, p]], final[i, p])
                                rules_observe(s, t, p, final[i, p])
                    word = next_word(s)
                    for j in range(raw.shape[1]):
                        raw[i, j] = 0
                    s.rng = word
                    fresh = True
                elif seat >= 0 and s.over == 0 and s.to_play != seat:
                    action = np.int64(choose(mask, words, i))
                else:
                    break
            to_play[i] = s.to_play
            if observations.shape[0] > 0:
                row = fixed_row[s.table, s.to_play]
                if shown[i] != row:
                    shown[i] = row
                    copy_end(fixed[row], observations[i])
                rules_observe(s, t, np.int64(s.to_play), observations[i])
        return PLAYED

    @njit(name=f"{prefix}.observe")
    def observe(states: Any, tables: Any, fixed: Any, fixed_row: Any, player: Any, out: Any) -> None:
        copy_end(fixed[fixed_row[states[0].table, player]], out)
        rules_observe(states[0], tables[states[0].table], player, out)

    @njit(name=f"{prefix}.determinize")
    def determinize(states: Any, tables: Any, player: Any) -> None:
        rules_determinize(states[0], tables[states[0].table], player)

    return Kernels(drive, observe, determinize)
