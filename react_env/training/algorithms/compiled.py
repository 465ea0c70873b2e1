"""What training compiles: its own functions over games, and what a run is going to need. It is read without torch, which takes seconds."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from react_env import agents
from react_env.agents.models.model import Judgement, ModelInfo
from react_env.agents.players.judgement import JudgementAgent, untrained
from react_env.agents.players.scripted import has_script
from react_env.agents.players.uniform import pick_uniform
from react_env.engine.compile import njit
from react_env.engine.game import Game
from react_env.training.config import TrainConfig


@njit
def fill_targets(chances: Any, last: Any, results: Any, trace: Any, out: Any) -> None:
    """out (M,): the lambda returns; chances (M,) are player 0's to win as they are judged now, `trace` is lambda."""
    for i in range(out.shape[0] - 1, -1, -1):
        out[i] = results[i] if last[i] else (1.0 - trace) * chances[i + 1] + trace * out[i + 1]


def watch(rules: Any) -> Any:
    """What looks at a batch, compiled: look_on(states, tables, rows, out); see there."""
    look_on = _watch(rules.id, rules.features, rules.follow_up, rules.window)
    states, counts = np.zeros(0, rules.state_dtype), np.empty((0, 2, len(rules.feature_names)), np.float32)
    states.flags.writeable = False  # as those of a batch, which for Numba is another type
    look_on(states, rules.tables, np.empty(0, np.int64), counts)
    return look_on


@lru_cache(maxsize=8)
def _watch(game_id: str, features: Any, follow_up: Any, window: Any) -> Any:
    """Of the same functions the same one."""

    @njit(name=f"{game_id}.look_on")
    def look_on(states: Any, tables: Any, rows: Any, out: Any) -> Any:
        """rows: the games at rest; out (N, 2, F): their features, in that order. Returns how many there are."""
        count = 0
        for i in range(states.shape[0]):
            s = states[i]
            if follow_up(s) == 0 and window(s) < 0:
                rows[count] = i
                for p in range(2):
                    features(s, tables[s.table], p, out[count, p])
                count += 1
        return count

    return look_on


def teacher_of(game: Game, teacher: str) -> str:
    """The name of the agent to imitate; auto is scripted where the game has a script, else greedy."""
    if teacher != "auto":
        return teacher
    return "scripted" if has_script(game.rules) else "greedy"


def tasks(config: TrainConfig, game: Game) -> list[Callable[[], object]]:
    """Calls that compile what a run needs besides the game itself, for `react_env.engine.compile.ahead`."""
    found: list[Callable[[], object]] = []
    if config.algorithm == "td":
        shape = Judgement.of(game, config.judgement_width)
        found = [partial(watch, game.rules), partial(_judge, game, shape), _targets]
    teaches = config.imitation_games or config.teaching or config.teaching_end
    players = [teacher_of(game, config.teacher)] if teaches else []
    players += [*config.baselines, *(name for name, share in config.opponents.items() if share), config.advice]
    return [*found, *(partial(agents.load, name, game) for name in dict.fromkeys(players) if name), _choice]


def _judge(game: Game, shape: Judgement) -> None:
    JudgementAgent(game, untrained(shape), ModelInfo.of(game, shape))


def _targets() -> None:
    none = np.zeros(0, np.float32)
    fill_targets(none, np.zeros(0, np.bool_), none.copy(), 1.0, none.copy())


def _choice() -> None:
    pick_uniform(np.zeros((0, 1), np.bool_), np.random.default_rng(0))
