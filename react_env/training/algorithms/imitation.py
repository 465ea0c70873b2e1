"""The warm start: before self-play, the network imitates a teacher, the best simple player of the game.

A game takes a hundred decisions of each player, so a few minutes of self-play are only some ten thousand games: too few to find out from
results alone what looking one chain ahead shows at once. The warm start plays the teacher against itself, with some random moves so
that positions differ, and fits the policy to what the teacher does (cross-entropy over the legal actions) and the value to how the games
end. Self-play then continues from there. ``imitation_games = 0`` leaves it out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env import agents
from react_env.agents.models.model import Floats
from react_env.agents.process.guard import Fault
from react_env.agents.protocol import Actions, AnyAgent, Flags, Players, Records, Rows
from react_env.engine.batch import seed_words
from react_env.engine.game import Game
from react_env.evaluation.matches.playing import Playing, Trusted
from react_env.extras import need
from react_env.training.algorithms.shaping import potentials_of
from react_env.training.algorithms.workers import NEVER, Workers
from react_env.training.config import TrainConfig

with need("train", "torch"):
    import torch

_LEAST = 32  # fewest games to imitate, however long they take


@dataclass
class Lessons:
    """D decisions of finished games."""

    observations: NDArray[np.int8]  # (D, O)
    masks: NDArray[np.bool_]  # (D, A)
    labels: Floats  # (D, A) the probability with which the teacher takes each action
    # (D,) discounted result for the player who decides, minus `stalemate` in a cut game; minus the potential (see shaping.py)
    returns: Floats


def labels_of(player: Any, states: Records, players: Players, temperature: float, rng: np.random.Generator) -> Floats:
    """The probabilities (N, A) of the actions in (N,) states, for a teacher that values actions: softmax(value / temperature), or with
    temperature 0 equal shares for all the best ones."""
    values = player.action_values(states, players, rng)
    values -= values.max(1, keepdims=True)
    weights = np.exp(values / temperature) if temperature else (values > -1e-6).astype(np.float64)
    return (weights / weights.sum(1, keepdims=True)).astype(np.float32)


class _Rows:
    """Rows in one array that grows in place: millions of decisions do not fit into memory twice."""

    def __init__(self) -> None:
        self._array: NDArray[Any] | None = None
        self._count = 0

    def add(self, rows: NDArray[Any]) -> None:
        """Add rows of the shape and dtype of the first ones."""
        if self._array is None:
            self._array = rows[:0].copy()
        end = self._count + len(rows)
        if end > len(self._array):
            self._array.resize((max(end, len(self._array) * 5 // 4), *rows.shape[1:]), refcheck=False)
        self._array[self._count : end] = rows
        self._count = end

    def all(self) -> NDArray[Any]:
        """All rows; nothing can be added afterwards."""
        assert self._array is not None
        self._array.resize((self._count, *self._array.shape[1:]), refcheck=False)
        return self._array


class _Shown:
    """A teacher as a `Chooser` that notes all its decisions. A share of its moves is random, but what it notes is the teacher's choice."""

    def __init__(self, player: AnyAgent, game: Game, config: TrainConfig) -> None:
        self.name = player.name
        self.faults: list[Fault] = []
        self.columns = [_Rows() for _ in range(6)]  # games, players, observations, masks, labels, potentials
        self._player, self._game, self._config = player, game, config

    def choose(self, batch: Any, rows: Rows, rng: np.random.Generator) -> tuple[Actions, Flags]:
        """See `react_env.agents.process.guard.Chooser`."""
        players = batch.to_play[rows].astype(np.int64)
        masks = batch.action_masks[rows].copy()
        if hasattr(self._player, "action_values"):
            labels = labels_of(self._player, batch.states[rows], players, self._config.temperature, rng)
            # The best action, or a random one of several that are equally good.
            actions = np.argmax(labels + 1e-6 * rng.random(labels.shape, np.float32), 1)
        else:
            actions = Trusted(self._player).choose(batch, rows, rng)[0]
            labels = np.zeros(masks.shape, np.float32)
            labels[np.arange(len(rows)), actions] = 1.0
        potentials = potentials_of(self._game, batch.states, players, rows)
        found = rows, players, batch.observations[rows], masks, labels, potentials
        for column, part in zip(self.columns, found, strict=True):
            column.add(part)
        for i in np.flatnonzero(rng.random(len(rows)) < self._config.imitation_noise).tolist():
            actions[i] = rng.choice(np.flatnonzero(masks[i]))
        return actions, np.zeros(len(rows), np.bool_)

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def collect(
    game: Game,
    config: TrainConfig,
    teacher: str,
    *,
    progress: Callable[[float], None] = lambda done: None,
    spent: Callable[[], float] = lambda: 0.0,
) -> Lessons:
    """Play games of the teacher against itself to their ends, as `config` says. Some moves are random, but the lessons are the teacher's.

    Once spent() reaches 1 and at least `_LEAST` games have ended, the unfinished ones are left out.
    """
    games, seed, threads = config.imitation_games, config.seed, config.threads
    shown = _Shown(agents.load(teacher, game, threads=threads), game, config)
    live = np.ones(games, np.bool_)
    results = np.zeros((games, game.num_players), np.float32)
    with Playing(game, {0: shown}, {0: np.random.default_rng((seed, 2))}, games, threads=threads) as playing:
        playing.begin(np.arange(games), seed_words(seed, games), np.zeros((games, game.num_players), np.int64))
        for step in playing.steps():
            ended = step.rows[step.over]
            results[ended] = playing.batch.rewards[ended] - config.stalemate * step.truncated[step.over, None]
            live[ended] = False
            progress(1.0 - live.mean())
            if spent() >= 1 and games - live.sum() >= _LEAST:
                break
    game_of, player_of, observations, all_masks, all_labels, potentials = (column.all() for column in shown.columns)
    # How many decisions of the same player follow each one: the discount counts a player's own decisions, as PPO does.
    left = np.zeros(len(game_of), np.int64)
    seen = np.zeros((games, game.num_players), np.int64)
    for i in range(len(game_of) - 1, -1, -1):
        left[i] = seen[game_of[i], player_of[i]]
        seen[game_of[i], player_of[i]] += 1
    returns = (results[game_of, player_of] * config.gamma**left - config.shaping * potentials).astype(np.float32)
    if not live.any():
        return Lessons(observations, all_masks, all_labels, returns)
    ended = ~live[game_of]
    return Lessons(observations[ended], all_masks[ended], all_labels[ended], returns[ended])


def fit(
    policy: Any,
    lessons: Lessons,
    config: TrainConfig,
    workers: Workers,
    *,
    tick: Callable[[float], None] = lambda done: None,
    spent: Callable[[], float] = lambda: 0.0,
) -> float:
    """Fit a `TorchNetwork` to `lessons` as `config` says, or until spent(), which grows with time, reaches 1. Returns the share of
    decisions in the last epoch in which the network agreed with the teacher."""
    epochs, minibatch, learning_rate = config.imitation_epochs, min(1024, config.minibatch), config.imitation_rate
    rng = np.random.default_rng((config.seed, 3))
    optimizer = torch.optim.Adam(policy.parameters(), lr=learning_rate, fused=True)
    count = len(lessons.labels)
    total = epochs * -(-count // minibatch)

    def loss_of(rows: NDArray[np.int64]) -> tuple[torch.Tensor, NDArray[np.float64]]:
        """The loss over some decisions, and the share of them in which the policy takes an action that the teacher finds best."""
        put = workers.processor.put
        illegal = put(~lessons.masks[rows])
        labels = put(lessons.labels[rows])
        with workers.processor.products():
            logits, values = policy(put(lessons.observations[rows]))
        logits = logits.masked_fill(illegal, NEVER)
        off = ((values - put(lessons.returns[rows])) ** 2).mean()
        loss = torch.nn.functional.cross_entropy(logits, labels) + 0.5 * off
        best = labels.gather(1, logits.argmax(1, keepdim=True))[:, 0] >= labels.amax(1) - 1e-3
        return loss, np.array([float(best.float().mean())])

    step, agreed, asked, done, begun = 0, 0.0, 0, 0.0, min(spent(), 0.99)
    for _ in range(epochs):
        agreed, asked = 0.0, 0
        order = rng.permutation(count)
        for begin in range(0, count, minibatch):
            rows = order[begin : begin + minibatch]
            for group in optimizer.param_groups:
                group["lr"] = learning_rate * (1.0 - 0.9 * done)
            agreed += len(rows) * float(workers.descend(optimizer, loss_of, rows)[0])
            asked += len(rows)
            step += 1
            done = max(step / total, (spent() - begun) / (1.0 - begun))
            tick(min(done, 1.0))
            if done >= 1:
                return agreed / asked
    return agreed / asked
