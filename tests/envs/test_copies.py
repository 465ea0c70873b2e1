"""Copies of environments: a copy goes on exactly as the original, and neither affects the other."""

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import react_env
from react_env import arts_of_war_v0, fight_sequence_v0, react_fast_v0, reality_tcg_v0
from react_env.engine.game import Game
from react_env.envs import aec
from react_env.envs.gym import OpponentEnv, OpponentVectorEnv
from react_env.envs.learner import LearnerGames

WAYS: dict[str, Callable[[Any], Any]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}


SHORT: dict[str, dict[str, Any]] = {
    "arts_of_war-v0": {"max_turns": 4},
    "fight_sequence-v0": {"max_sequences": 1},
    "react_fast-v0": {"max_placements": 20, "players": 4},
    "reality_tcg-v0": {"max_turns": 8},
}
MODULES = {
    "arts_of_war-v0": arts_of_war_v0,
    "fight_sequence-v0": fight_sequence_v0,
    "react_fast-v0": react_fast_v0,
    "reality_tcg-v0": reality_tcg_v0,
}


@cache
def load(game_id: str) -> Game:
    """A game of a few turns, so that its end comes soon."""
    return react_env.load(game_id, **SHORT[game_id])


class First:
    """The first legal action."""

    def act(self, observations: Any, action_masks: Any, rng: np.random.Generator) -> Any:
        return action_masks.argmax(axis=1)


def self_play(game: Game) -> Any:
    pytest.importorskip("stable_baselines3")
    from react_env.envs.sb3 import SelfPlayVecEnv

    return SelfPlayVecEnv(game, 4, ["random", First()], seed=1, threads=2)


def opponent(game: Game) -> Any:
    from react_env import agents

    return agents.load("greedy", game)


MAKERS: dict[str, Callable[[Game], Any]] = {
    "raw_env": aec.raw_env,
    "env": lambda game: aec.env(game, "ansi"),
    "module": lambda game: MODULES[game.id].env(**game.options),
    "gym": lambda game: OpponentEnv(game),
    "gym, greedy": lambda game: OpponentEnv(game, opponent(game), observation="dict"),
    "vector": lambda game: OpponentVectorEnv(game, 4, seed=1, threads=2),
    "vector, agent": lambda game: OpponentVectorEnv(
        game, 4, First(), seed=1, max_episode_steps=9, autoreset_mode="SameStep"
    ),
    "LearnerGames": lambda game: LearnerGames(game, 4, First(), seed=1, threads=1, seats="both"),
    "SelfPlayVecEnv": self_play,
}


def flat(told: Any) -> list[Any]:
    """What an environment returned, in a form that can be compared."""
    if isinstance(told, dict):
        return [(key, flat(value)) for key, value in told.items() if key != "t"]
    if isinstance(told, (list, tuple)) or (isinstance(told, np.ndarray) and told.dtype == object):
        return [flat(value) for value in told]
    return [told.tobytes() if isinstance(told, np.ndarray) else told]


def begin(env: Any) -> None:
    env.reset(**({} if type(env).__name__ == "SelfPlayVecEnv" else {"seed": 3}))


def go_on(env: Any, steps: int) -> list[Any]:
    """Play, and return what the environment said."""
    told: list[Any] = []
    for _ in range(steps):
        if isinstance(env, aec.raw_env | aec.Ordered):
            observation, reward, terminated, truncated, info = env.last()
            told.append(flat([env.agent_selection, observation, reward, terminated, truncated, info, env.state()]))
            over = terminated or truncated
            env.step(None if over else int(np.flatnonzero(observation["action_mask"])[-1]))
            if not env.agents:
                env.reset()
        elif isinstance(env, OpponentEnv):
            result = env.step(int(np.flatnonzero(env.action_masks())[-1]))
            told.append(flat(result))
            if result[2] or result[3]:
                told.append(flat(env.reset()))
        elif isinstance(env, LearnerGames):
            env.step(env.batch.action_masks.argmax(axis=1))
            told.append(flat([env.rewards, env.terminated, env.truncated, env.final_observations, env.met]))
        else:
            masks = env.action_masks()
            told.append(flat(env.step(masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1))))
    return told


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("game_id", SHORT)
def test_a_copy_goes_on_as_the_original(game_id: str, kind: str, way: str) -> None:
    """Copies made before the first reset, at the start, and twice in the middle of games go on like the original, past some ends."""
    env = MAKERS[kind](load(game_id))
    unused = WAYS[way](env)
    begin(env)
    begin(unused)
    copies = [unused]
    length = 10 if "greedy" in kind else 40  # greedy takes time to think
    for steps in (0, 3, length // 4):
        for one in [env, *copies]:
            go_on(one, steps)
        copies.append(WAYS[way](env))
    expected = go_on(env, length)
    for one in copies:
        assert go_on(one, length) == expected
    assert len({str(told) for told in expected}) > length // 4


READ = """
import pickle, sys
from tests.envs.test_copies import go_on
for file in sys.argv[1:]:
    print(go_on(pickle.load(open(file, "rb")), 8))
"""


def test_another_process_goes_on_with_what_was_pickled(tmp_path: Path) -> None:
    """It makes the compiled functions again, including those of the opponent and of the action features."""
    files, expected = [], []
    for number, opponent in enumerate(("greedy", "flat:8", "mcts:8")):
        env = OpponentEnv(load("fight_sequence-v0"), opponent, action_features=True)
        begin(env)
        files.append(tmp_path / str(number))
        files[-1].write_bytes(pickle.dumps(env))
        expected.append(str(go_on(env, 8)))
    made = subprocess.run([sys.executable, "-c", READ, *files], capture_output=True, text=True, check=False)
    assert made.stdout.splitlines() == expected, made.stderr
