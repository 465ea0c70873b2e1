"""What is even in Reality TCG: each deck against each other, who begins, how long games last, by games of one agent against itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env.engine.batch import seed_words
from react_env.errors import OptionError
from react_env.evaluation.matches.match import SLOTS, Progress
from react_env.evaluation.matches.playing import Playing, Trusted
from react_env.games.reality_tcg.game import RANDOM, load

LEVELS = (5, 25, 50, 75, 95)  # percentiles of the length


@dataclass(frozen=True)
class Balance:
    """Games of one agent against itself, in each of which the players draw a deck.

    Attributes:
        decks: D names.
        games: (D, D) games of deck i against deck j, whoever begins.
        scores: (D, D) points of deck i in them: a win 1, a tie one half.
        decided: games with a winner; began: those that who began has won.
        turns: `LEVELS` of the length, in turns of both players; cut: games that the limit of turns
            ended.
    """

    agent: str
    decks: tuple[str, ...]
    games: list[list[int]]
    scores: list[list[float]]
    played: int
    decided: int
    began: int
    turns: tuple[float, ...]
    cut: int


def measure(
    agent: str, games: int, *, seed: int = 0, threads: int = 1, progress: Progress | None = None, **options: Any
) -> Balance:
    """Play `games` games. OptionError for fewer than one, CardError and ModelError as from `load` and the agent."""
    from react_env import agents

    if games < 1:
        raise OptionError(f"games is {games}; allowed: 1 or more")
    game = load(RANDOM, **options)
    player = agents.load(agent, game, threads=threads)
    words = seed_words(seed, games)
    decks, first = np.zeros((games, 2), np.int64), np.zeros(games, np.int64)
    turns, reward, cut = np.zeros(games, np.int64), np.zeros(games), np.zeros(games, np.bool_)
    rngs = {0: np.random.default_rng((seed, 0))}
    for begin in range(0, games, SLOTS):
        rows = np.arange(min(SLOTS, games - begin))
        with Playing(game, {0: Trusted(player)}, rngs, len(rows), threads=threads, keep_states=True) as playing:
            playing.begin(rows, words[begin : begin + len(rows)], np.zeros((len(rows), 2), np.int64))
            decks[begin + rows], first[begin + rows] = playing.batch.states["list"], playing.batch.states["first"]
            for step in playing.steps():
                assert step.before is not None
                for k in np.flatnonzero(step.over):  # a game that ends starts again: its end is made once more
                    last = game.copy(step.before[k])
                    game.step(last, int(step.actions[k]))
                    row = begin + step.rows[k]
                    turns[row], reward[row] = last["turn"], last["reward"][0]
                    cut[row] = last["turn"] == game.tables[0]["max_turns"] and last["ip"].min() > 0
                if progress is not None and step.over.any():
                    progress(begin + len(rows) - len(playing.rows), games)
    return _balance(game, agent, decks, first, turns, reward, cut)


def _balance(
    game: Any,
    agent: str,
    decks: NDArray[np.int64],
    first: NDArray[np.int64],
    turns: NDArray[np.int64],
    reward: NDArray[np.float64],
    cut: NDArray[np.bool_],
) -> Balance:
    names = tuple(deck.id for deck in game.decks)
    count, scores = np.zeros((len(names), len(names)), np.int64), np.zeros((len(names), len(names)))
    points = 0.5 + 0.5 * np.sign(reward)
    for mine, theirs, score in ((0, 1, points), (1, 0, 1.0 - points)):
        np.add.at(count, (decks[:, mine], decks[:, theirs]), 1)
        np.add.at(scores, (decks[:, mine], decks[:, theirs]), score)
    winner = np.where(reward > 0, 0, 1)
    return Balance(
        agent,
        names,
        count.tolist(),
        scores.tolist(),
        len(turns),
        int((reward != 0).sum()),
        int(((reward != 0) & (winner == first)).sum()),
        tuple(np.percentile(turns, LEVELS).tolist()),
        int(cut.sum()),
    )
