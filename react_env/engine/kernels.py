"""The compiled loop over records, made once for each set of rules.

It works on arrays of records (a single game is an array of one) and on ranges of them, so that threads can share a batch. There is one loop
for everything that moves a game, because each loop over the rules takes seconds to compile. `N` is the number of games of the batch, `A` of
actions, `P` of players, `O` of features of an observation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from react_env.engine.bits import WORD, count_bits, lowest_bit, word_of
from react_env.engine.compile import COMPILED, njit
from react_env.engine.memory import ask_for
from react_env.engine.rng import below, below_at, next_word
from react_env.errors import BatchError

# The jobs of `Kernels.drive`.
START = 0  # set up records that are zero but for their seeded rng
REFRESH = 1  # compute the outputs for the records as they are
PLAY = 2  # check and take an action; a game that ends stays over
STEP = 3  # take an action; a game that ends starts again
OTHERS = 4  # no action of the learner: only let the others play (see `seats`)
RANDOM = 5  # as STEP, with a random action; `masks` must be those of the records

# Its results: ILLEGAL and OVER only for PLAY, STUCK if no decision comes, FOREIGN if a record is not known to be sound.
PLAYED, ILLEGAL, OVER, STUCK, FOREIGN = range(5)

MOST_MOVES = 1_000_000  # and starts in one step of a game; then it gives up waiting for a decision


class Kernels(NamedTuple):
    """The compiled functions of one game; see `kernels`."""

    drive: Callable[..., int]  # everything that moves games
    # (states, tables, fixed, fixed_row, player, out, sound) -> PLAYED or FOREIGN: what the player sees in states[0]
    observe: Callable[..., int]
    # (states, tables, player, word, sound) -> PLAYED or FOREIGN: redraw in states[0] what the player cannot know; `word` is its new rng
    determinize: Callable[..., int]


@njit
def count_legal(mask: Any) -> Any:
    """How many actions `mask`, contiguous bool (A,), allows."""
    count = np.int64(0)
    for first in range(0, mask.size, WORD):
        count += count_bits(word_of(mask, first))
    return count


@njit
def nth_legal(mask: Any, left: Any) -> Any:
    """The legal action of `mask`, contiguous bool (A,), with `left` legal ones before it; 0 if there is none."""
    for first in range(0, mask.size, WORD):
        word = word_of(mask, first)
        found = count_bits(word)
        if left < found:
            for _ in range(left):
                word &= word - 1  # without its lowest bit
            return first + lowest_bit(word)
        left -= found
    return 0


@njit
def choose(mask: Any, words: Any, i: Any) -> Any:
    """A uniformly random legal action of mask (A,) bool, drawn from the stream words[i] of (N,) uint64; 0 if nothing is legal."""
    return nth_legal(mask, below_at(words, i, count_legal(mask)))


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
        `out`, or a new array; 0 if nothing is legal.

    Raises:
        BatchError: an array of another shape or type, or one to write to that is read-only or not contiguous.
    """
    if not isinstance(masks, np.ndarray) or masks.dtype != np.bool_ or masks.ndim != 2:
        raise BatchError(f"masks must be an array of bool (N, A), not {_kind(masks)}")
    if out is None:
        out = np.empty(len(masks), np.int64)
    check_array("rng_states", rng_states, np.dtype(np.uint64), (len(masks),))
    check_array("out", out, np.dtype(np.int64), (len(masks),))
    _random_actions(for_compiled(masks), rng_states, out, 0, len(masks))
    return out


def for_compiled(array: NDArray[Any], dtype: Any = None) -> NDArray[Any]:
    """An array that compiled functions take as it is: contiguous, aligned, writable. A copy if the given one is not.

    For any other kind of array Numba would compile the function again, which takes seconds for the loop over the rules.
    """
    if dtype is None or array.dtype != dtype or not array.flags.c_contiguous:
        array = np.ascontiguousarray(array, dtype)
    return array if array.flags.carray else array.copy()


def check_array(name: str, array: Any, dtype: np.dtype[Any], shape: tuple[int, ...], written: bool = True) -> None:
    """Raise BatchError unless `array` has this dtype and shape and, if it is `written`, compiled code can write to it."""
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape != shape:
        raise BatchError(f"{name} must be an array of {dtype} {shape}, not {_kind(array)}")
    if written and not array.flags.carray:
        raise BatchError(f"{name} must be a contiguous array that can be written to")


def _kind(value: Any) -> str:
    """What a message calls a given value."""
    return f"{value.dtype} {value.shape}"[:200] if isinstance(value, np.ndarray) else type(value).__name__


@njit(name="engine.first_beyond")
def first_beyond(numbers: Any, count: Any) -> Any:
    """The first index in `numbers` (N,) of a number outside 0..count-1; -1 if there is none."""
    for i in range(numbers.size):
        if numbers[i] < 0 or numbers[i] >= count:
            return i
    return -1


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


_ODD = np.random.default_rng(0).integers(2**63, 2**64, 1024, np.uint64) | np.uint64(1)  # a factor for each place


if COMPILED:

    @njit
    def mark(states: Any) -> Any:
        """A uint64 hash of the memory of the single record of `states` (1,). It always changes if only one word of eight bytes changes.

        It is a sum of products, which the processor computes in parallel. The high bits of a word are first folded down, because a
        multiplication carries bits only upwards.
        """
        data = states.view(np.uint8)
        count = data.size // 8
        words = data[: 8 * count].view(np.uint64)
        total = np.uint64(0)
        for i in range(count):
            total += (words[i] ^ (words[i] >> np.uint64(32))) * _ODD[i & (_ODD.size - 1)]
        for i in range(8 * count, data.size):
            total = (total ^ data[i]) * np.uint64(0xD6E8FEB86659FD93)
        total ^= total >> np.uint64(32)
        total *= np.uint64(0xBF58476D1CE4E5B9)
        return total ^ (total >> np.uint64(32))

else:

    def mark(states: Any) -> Any:
        """A hash of the memory of the single record of `states` (1,)."""
        return np.uint64(hash(states.tobytes()) % 2**64)


@njit(name="engine.is_sound")
def is_sound(states: Any, sound: Any) -> Any:
    """Whether the single record of `states` is as the rules left it, or was found to be sound; see `note`."""
    if sound.size == 0:
        return True
    number = mark(states)
    return sound[np.int64(number & np.uint64(sound.size - 1))] == number


@njit(name="engine.note")
def note(states: Any, sound: Any) -> None:
    """Keep the mark of the single record of `states`, which is sound, in `sound` (K,) uint64, over an older one. K is a power of 2."""
    if sound.size > 0:
        number = mark(states)
        sound[np.int64(number & np.uint64(sound.size - 1))] = number


@njit
def draw_table(s: Any, tables: Any) -> None:
    """Draw one of `tables` (T,) for the game that begins in record `s`. A single one takes nothing from the random stream."""
    if len(tables) > 1:
        s.table = below(s, len(tables))


@njit
def copy_end(fixed: Any, out: Any) -> None:
    """Write `fixed` (F,) to the end of the observation `out` (O,)."""
    end = out[out.size - fixed.size :]  # indices from 0, so that many are copied at once
    for i in range(fixed.size):
        end[i] = fixed[i]


@lru_cache(maxsize=64)
def checker(game_id: str, rules_valid: Callable[..., Any]) -> Callable[..., tuple[int, int]]:
    """(states, tables, index, names) -> (k, field): the first record states[index[k]] that no game could reach, and the number of its
    impossible field; (-1, -1) if there is none. `names` (4,) int64: the numbers of the fields `table`, `over` and `to_play`; then the
    number of players. Compiled when it is first called."""

    wrong_field = field_checker(game_id, rules_valid)

    @njit(name=f"{game_id}.check")
    def check(states: Any, tables: Any, index: Any, names: Any) -> Any:
        for k in range(index.size):
            field = wrong_field(states[index[k]], tables, names)
            if field >= 0:
                return k, field
        return -1, np.int64(-1)

    return check


@lru_cache(maxsize=64)
def field_checker(game_id: str, rules_valid: Callable[..., Any]) -> Callable[..., int]:
    """(record, tables, names) -> the number of a field with a value that no game could reach; -1 if there is none. `names` is as in
    `checker`. For compiled code."""

    @njit(name=f"{game_id}.wrong_field")
    def wrong_field(s: Any, tables: Any, names: Any) -> Any:
        if not 0 <= s.table < len(tables):
            return names[0]
        if not 0 <= s.over <= 2:
            return names[1]
        if not 0 <= s.to_play < names[3]:
            return names[2]
        return np.int64(rules_valid(s, tables[s.table]))

    return wrong_field


@lru_cache(maxsize=64)
def kernels(
    game_id: str,
    rules_reset: Callable[..., Any],
    rules_apply: Callable[..., Any],
    rules_legal: Callable[..., Any],
    rules_observe: Callable[..., Any],
    rules_determinize: Callable[..., Any],
    touched: tuple[tuple[int, int], ...],
) -> Kernels:
    """The loops over these rules; the same object for the same functions, however often a game is loaded. `touched`: `Rules.touched`."""

    @njit(name=f"{game_id}.drive")
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
        sound: Any,
    ) -> Any:
        """Do `job` for the games index[first:last]. Only PLAY checks the action.

        If seats[i] is a player (the learner), random moves of the others follow until that player has to choose, in this game or a later
        one. Rewards and ends are then those of the first game that ended on the way.

        Args:
            states: (N,) records.
            tables: (T,) records of static data; a game is played by tables[s.table], drawn when it starts.
            raw: (N, bytes) uint8, the memory of `states`: compiled code clears bytes much faster than the fields of a record. Only for jobs
                from STEP on.
            fixed: (K, F) int8, the constant ends of observations.
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
            shown: (N,) int64, which row of `fixed` is in `observations`, -1 if unknown. It is written again only if another one is
                needed, because it is most of the memory that a step would touch.
            sound: (K,) uint64, marks of sound records, for a single game (see `note`); (0,): all records are sound.

        Returns:
            For PLAY: PLAYED, ILLEGAL or OVER; the last two leave the record as it was. For the other jobs: PLAYED, or STUCK if a game
            did not come to a decision of the learner within MOST_MOVES moves and starts. FOREIGN if the record is not known to be sound;
            then nothing is done.
        """
        if job != START and not is_sound(states, sound):
            return FOREIGN
        result = PLAYED
        for k in range(first, last):
            i = index[k]
            if job >= STEP and k + 1 < last:  # fetch the next game while this one steps
                for begin, end in touched:
                    ask_for(raw, index[k + 1], begin, end)
                if observations.shape[0] > 0:
                    ask_for(observations, index[k + 1], 0, observations.shape[1] - fixed.shape[1])
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
            moves = 0
            while True:  # until no move follows
                moves += 1
                if fresh:
                    fresh = False
                    draw_table(s, tables)
                    t = tables[s.table]
                    rules_reset(s, t, mask)
                elif action >= 0:
                    rules_apply(s, t, action, mask)
                    action = np.int64(-1)
                if s.over != 0 and job >= STEP and moves < MOST_MOVES:
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
                elif seat >= 0 and s.over == 0 and s.to_play != seat and moves < MOST_MOVES:
                    action = np.int64(choose(mask, words, i))
                else:
                    if moves >= MOST_MOVES:
                        result = STUCK
                    break
            to_play[i] = s.to_play
            if observations.shape[0] > 0:
                row = fixed_row[s.table, s.to_play]
                if shown[i] != row:
                    shown[i] = row
                    copy_end(fixed[row], observations[i])
                rules_observe(s, t, np.int64(s.to_play), observations[i])
        if job != REFRESH:
            note(states, sound)
        return result

    @njit(name=f"{game_id}.observe")
    def observe(states: Any, tables: Any, fixed: Any, fixed_row: Any, player: Any, out: Any, sound: Any) -> Any:
        if not is_sound(states, sound):
            return FOREIGN
        copy_end(fixed[fixed_row[states[0].table, player]], out)
        rules_observe(states[0], tables[states[0].table], player, out)
        return PLAYED

    @njit(name=f"{game_id}.determinize")
    def determinize(states: Any, tables: Any, player: Any, word: Any, sound: Any) -> Any:
        if not is_sound(states, sound):
            return FOREIGN
        states[0].rng = word
        rules_determinize(states[0], tables[states[0].table], player)
        note(states, sound)
        return PLAYED

    return Kernels(drive, observe, determinize)
