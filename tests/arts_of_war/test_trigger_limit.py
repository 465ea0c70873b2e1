"""Random games of all pairings never meet the limit of triggers (AW-C6, AW-C6a).

`python -m tests.arts_of_war.test_trigger_limit 1000000` plays a million games and prints how deep triggers nested.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import react_env
from react_env.engine.compile import njit
from react_env.engine.kernels import choose, draw_table
from react_env.engine.rng import next_word
from react_env.games.arts_of_war.log import E_LEFT_OUT, E_TRIGGER
from react_env.games.arts_of_war.state import DEEPEST, EVENTS
from react_env.games.arts_of_war.turn import apply, reset

# What is counted: decisions, triggers left out, events that the log had dropped, and from DEPTHS on triggers by their depth.
DECISIONS, LEFT_OUT, FORGOTTEN, DEPTHS = range(4)


@njit(name="tests.trigger_limit.play")
def play(states: Any, tables: Any, raw: Any, mask: Any, words: Any, games: Any, found: Any) -> None:
    """Play `games` random games one after the other in states[0], counting into `found` ((DEPTHS + DEEPEST + 1,) int64)."""
    s = states[0]
    for _ in range(games):
        word = next_word(s)
        for j in range(raw.shape[1]):
            raw[0, j] = 0
        s.rng = word
        draw_table(s, tables)
        t = tables[s.table]
        seen = 0
        reset(s, t, mask)
        while True:
            found[FORGOTTEN] += max(0, s.events - EVENTS - seen)
            for i in range(max(seen, s.events - EVENTS), s.events):
                row = s.event[i % EVENTS]
                if row[0] == E_TRIGGER:
                    found[DEPTHS + row[3]] += 1
                elif row[0] == E_LEFT_OUT:
                    found[LEFT_OUT] += 1
            seen = np.int64(s.events)
            if s.over:
                break
            found[DECISIONS] += 1
            apply(s, t, np.int64(choose(mask, words, 0)), mask)


def random_games(games: int, seed: int) -> NDArray[np.int64]:
    """What `play` counts in `games` games, each of a random pairing."""
    game = react_env.load("arts_of_war-v0", artists="random")
    states = np.zeros(1, game.state_dtype)
    states["rng"] = seed
    found = np.zeros(DEPTHS + DEEPEST + 1, np.int64)
    mask, words = np.zeros(game.num_actions, np.bool_), np.array([seed], np.uint64)
    play(states, game.tables, states.view(np.uint8).reshape(1, -1), mask, words, games, found)
    return found


@pytest.mark.rule("AW-C6")
@pytest.mark.parametrize("games", [300, pytest.param(1_000_000, marks=pytest.mark.long)])
def test_random_games_never_meet_the_limit(games: int) -> None:
    found = random_games(games, seed=1)
    assert found[LEFT_OUT] == 0 and found[DEPTHS:].sum() > games
    assert found[DEPTHS + 17 :].sum() == 0  # they do not even come near it


if __name__ == "__main__":
    found = random_games(int(sys.argv[1]), seed=int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    print(
        f"{sys.argv[1]} games, {found[DECISIONS]} decisions, {found[LEFT_OUT]} triggers left out, {found[FORGOTTEN]} events forgotten"
    )
    for depth in np.flatnonzero(found[DEPTHS:]):
        print(f"{found[DEPTHS + depth]:12} triggers at depth {depth}")
