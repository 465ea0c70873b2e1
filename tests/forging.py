"""Forged records: one that `valid` accepts must play on to an end; one that no game could reach is refused by its field's name."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from react_env.engine.batch import seed_words
from react_env.engine.rules import field_names, field_of
from tests.properties import LONGEST, seen

VALUES = (-128, -2, -1, 0, 1, 2, 3, 4, 5, 6, 8, 9, 12, 15, 16, 24, 25, 30, 40, 41, 64, 127)
LONG_CHUNKS = 20
ONE = np.zeros(1, np.int64)

Forger = Callable[
    [random.Random, Any, Any], None
]  # change a record (), an array of one; the last argument is another real record to take from


def fault(game: Any, state: Any) -> str:
    """What is wrong with a record, or ""."""
    found = game.impossible(np.asarray(state).reshape(1), ONE)
    return found[1] if found else ""


def records_of(game: Any, games: int = 8) -> list[Any]:
    """The records of so many random games, before each action and at the end."""
    found = []
    for seed in range(games):
        rng = random.Random(seed)
        state = game.new(seed=seed)
        while not state["over"]:
            found.append(np.asarray(state).copy())
            game.step(state, rng.choice(game.legal_actions(state).tolist()))
        found.append(np.asarray(state).copy())
    return found


def assert_valid(game: Any, states: Any) -> None:
    """None of these records (N,) is impossible."""
    found = game.impossible(states, np.arange(len(states)))
    assert not found, f"{found}\n{game.text(states[found[0]])}"


def other_value(rng: random.Random, state: Any, other: Any) -> None:
    """Change one number of one field."""
    flat = state.reshape(1)  # a view, so that writing to a field changes the record
    field = field_of(flat, rng.choice(field_names(state.dtype)))
    place = tuple(rng.randrange(length) for length in field.shape)
    if field.dtype.kind == "f":
        field[place] = rng.choice((-2.0, -1.0, 0.0, 0.5, 1.0, np.inf, np.nan))
        return
    limits = np.iinfo(field.dtype)
    near = int(field[place]) + rng.choice((-1, 1))
    value = rng.choice((rng.choice(VALUES), near, rng.randint(int(limits.min), int(limits.max))))
    field[place] = min(max(value, int(limits.min)), int(limits.max))


def other_bit(rng: random.Random, state: Any, other: Any) -> None:
    """Flip any one bit."""
    data = state.reshape(1).view(np.uint8)
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def field_of_another(rng: random.Random, state: Any, other: Any) -> None:
    """Take a field from another position."""
    name = rng.choice(state.dtype.names)
    state[name] = other[name]


EVERYWHERE: tuple[Forger, ...] = (*(other_value,) * 4, other_bit, field_of_another)


def play_on(game: Any, state: Any, rng: random.Random) -> None:
    """Play to an end: there are legal actions, all views can be shown at the start and at the end, and `valid` accepts each record."""
    for step in range(LONGEST):
        if step == 0 or state["over"]:
            for player in range(game.num_players):
                seen(game, state, player)
            game.text(state)
        if state["over"]:
            return
        legal = game.legal_actions(state).tolist()
        assert legal, "nothing is legal"
        game.step(state, rng.choice(legal))
        assert not (problem := fault(game, state)), f"what comes of it is refused: {problem}"
    raise AssertionError("it does not end")


def play_many_on(game: Any, records: Sequence[Any], seed: int) -> None:
    """Like `play_on`, with many records side by side and without texts; a record that fails is printed in hex."""
    alive = np.arange(len(records))
    before = np.array(records, game.state_dtype)
    batch = game.batch(len(records), seed=0)
    batch.states[:] = before
    batch.refresh()
    words = seed_words(seed, len(records))
    for step in range(LONGEST):
        stuck = alive[~batch.action_masks[alive].any(axis=1)]
        assert not len(stuck), f"nothing is legal after {step} steps: {before[stuck[0]].tobytes().hex()}"
        batch.step(batch.random_actions(words)[alive], alive)
        alive = alive[~(batch.terminated | batch.truncated)[alive]]
        if not len(alive):
            return
        if found := game.impossible(np.asarray(batch.states.copy()), alive):
            k, problem = found
            raise AssertionError(
                f"after {step + 1} steps what comes of it is refused: {problem}: {before[alive[k]].tobytes().hex()}"
            )
    raise AssertionError(f"it does not end: {before[alive[0]].tobytes().hex()}")


def forge(
    games: Sequence[tuple[Any, Sequence[Any]]], forgers: Sequence[Forger], number: int, seed: int, alone: float = 1.0
) -> Counter[str]:
    """Forge `number` records and count how often each field was named; "" counts those that are played on.

    Args:
        games: games and real records of each.
        forgers: one to three of them, drawn at random, change each record.
        alone: the share that is played on one by one with all texts; the others are played side by side, half of them as a player's guess.
    """
    rng = random.Random(seed)
    told: Counter[str] = Counter()
    together: list[list[Any]] = [[] for _ in games]
    for _ in range(number):
        which = rng.randrange(len(games))
        game, records = games[which]
        state = np.array(rng.choice(records), game.state_dtype)
        with np.errstate(over="ignore"):  # a number that was forged before may be the largest one
            for _ in range(rng.choice((1, 1, 1, 2, 3))):
                rng.choice(forgers)(rng, state, rng.choice(records))
        name = fault(game, state).partition(":")[0]
        told[name] += 1
        if name:
            continue
        if rng.random() >= alone and not state["over"]:
            world = game.determinize(state, rng.randrange(game.num_players), rng.randrange(2**32))
            assert not (problem := fault(game, world)), (
                f"{game!r}: a world is refused: {problem}: {state.tobytes().hex()}"
            )
            together[which].append(rng.choice((state, world)))
            if len(together[which]) == 500:
                play_many_on(game, together[which], rng.randrange(2**32))
                together[which].clear()
            continue
        before = state.tobytes()
        try:
            play_on(game, state.reshape(1)[0], rng)
        except Exception as error:
            raise AssertionError(f"{game!r}: {before.hex()}") from error
    for (game, _), records in zip(games, together, strict=True):
        if records:
            play_many_on(game, records, rng.randrange(2**32))
    return told
