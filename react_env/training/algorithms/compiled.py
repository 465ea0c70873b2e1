"""What training compiles: its own functions over games, and what a run is going to need. It does not import torch, which takes seconds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from react_env import agents
from react_env.agents.models.model import ModelInfo, ValueArchitecture
from react_env.agents.players.learned_value import ValueAgent, untrained
from react_env.agents.players.uniform import pick_uniform
from react_env.engine.compile import njit
from react_env.engine.game import Game, once_per_game
from react_env.training.config import TrainConfig


@njit
def fill_targets(chances: Any, last: Any, results: Any, gamma: Any, trace: Any, out: Any) -> None:
    """Fill out (M, P) with the lambda returns; chances (M, P) of each player to win are by the current value, `trace` is lambda.

    With each position, 1 - `gamma` of a lead is lost: the target is drawn towards equal chances of the players who are in the game.
    """
    for i in range(out.shape[0] - 1, -1, -1):
        inside = 0
        for p in range(out.shape[1]):
            inside += chances[i, p] > 0
        even = 1.0 / max(inside, 1)
        for p in range(out.shape[1]):
            if last[i]:
                out[i, p] = results[i, p]
            else:
                ahead = (1.0 - trace) * chances[i + 1, p] + trace * out[i + 1, p]
                out[i, p] = gamma * ahead + (1.0 - gamma) * (even if chances[i, p] > 0 else 0.0)


def watch(game: Game) -> Any:
    """Compile and return look_on(states, tables, rows, out), which finds the games at rest; see there."""
    look_on = _watch(game)
    states = np.zeros(0, game.state_dtype)
    counts = np.empty((0, game.num_players, len(game.heuristics.feature_names)), np.float32)
    states.flags.writeable = False  # as a batch's states, which are another type to Numba
    look_on(states, game.tables, np.empty(0, np.int64), counts)
    return look_on


@once_per_game
def _watch(game: Game) -> Any:
    known = game.heuristics
    features: Any = known.features
    unfinished, pass_action = known.unfinished, known.pass_action

    @njit(name=f"{game.id}.look_on")
    def look_on(states: Any, tables: Any, rows: Any, out: Any) -> Any:
        """Fill rows with the games at rest and out (N, P, F) with their features, in that order. Returns how many there are."""
        count = 0
        for i in range(states.shape[0]):
            s = states[i]
            if unfinished(s) == 0 and pass_action(s) < 0:
                rows[count] = i
                for p in range(out.shape[1]):
                    features(s, tables[s.table], p, out[count, p])
                count += 1
        return count

    return look_on


def teacher_of(game: Game, teacher: str) -> str:
    """The name of the agent to imitate; auto is scripted if the game has a script, else greedy."""
    if teacher != "auto":
        return teacher
    return "scripted" if game.heuristics.by_hand else "greedy"


def tasks(config: TrainConfig, game: Game) -> list[Callable[[], object]]:
    """Calls that compile what a run needs besides the game itself, for `react_env.engine.compile.ahead`."""
    found: list[Callable[[], object]] = []
    if config.algorithm == "td" or (config.algorithm == "residual" and config.start and game.heuristics.features):
        found = [partial(_value, game, ValueArchitecture.of(game, config.value_width))]
    found += [partial(watch, game), _targets] if config.algorithm == "td" else []
    found += [partial(agents.ActionFeatures, game)] if config.algorithm == "residual" else []
    players = [teacher_of(game, config.teacher)] if config.imitation_games else []
    players += [*config.baselines, *(name for name, share in config.opponents.items() if share)]
    return [*found, *(partial(agents.load, name, game) for name in dict.fromkeys(players)), _choice]


def _value(game: Game, shape: ValueArchitecture) -> None:
    ValueAgent(game, untrained(shape), ModelInfo.of(game, shape))


def _targets() -> None:
    none = np.zeros((0, 2), np.float32)
    fill_targets(none, np.zeros(0, np.bool_), none.copy(), 1.0, 1.0, none.copy())


def _choice() -> None:
    pick_uniform(np.zeros((0, 1), np.bool_), np.random.default_rng(0))
