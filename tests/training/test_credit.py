"""Credit by seat: self-play solves a game whose value is known, and the well-known faulty wrapper does not.

The game is Nim with one pile (Bouton, 1901): players take one or two stones in turn, and whoever takes the last one wins. A player who
can leave a multiple of three wins; here that is the first player. After any other move the opponent has a winning one, so a learner that
takes the opponent's reward or prospects for its own learns nothing, or the wrong thing.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")
from sb3_contrib import MaskablePPO

from react_env import agents
from react_env.engine.compile import njit
from react_env.engine.game import Game
from react_env.engine.layout import Layout
from react_env.engine.rules import Actions, Identity, Rules, Tables
from react_env.envs.sb3 import SelfPlayVecEnv
from react_env.registry import GAMES, Description
from react_env.training.config import TrainConfig
from react_env.training.selfplay.run import train

STONES, MOST = 7, 2
VALUE = 1.0  # of the first player
STEPS = 16_384

STATE = np.dtype(
    (
        np.record,
        [("rng", "u8"), ("table", "i2"), ("over", "i1"), ("to_play", "i1"), ("reward", "f4", 2), ("stones", "i1")],
    )
)
LAYOUT = Layout([("stones", (STONES + 1,), 0, 1, "one for the number of stones that are left")])


@njit
def legal(s: Any, t: Any, mask: Any) -> None:
    for action in range(MOST):
        mask[action] = action < s.stones


@njit
def reset(s: Any, t: Any, mask: Any) -> None:
    s.stones = STONES
    legal(s, t, mask)


@njit
def apply(s: Any, t: Any, action: Any, mask: Any) -> None:
    mask[:] = False
    s.stones -= action + 1
    if s.stones == 0:
        s.over = 1
        s.reward[s.to_play] = 1
        s.reward[1 - s.to_play] = -1
    else:
        s.to_play = 1 - s.to_play
        legal(s, t, mask)


@njit
def observe(s: Any, t: Any, player: Any, out: Any) -> None:
    out[:] = 0
    out[s.stones] = 1


@njit
def determinize(s: Any, t: Any, player: Any) -> None:
    pass


class View:
    """The game in words."""

    def text(self, state: Any, player: int | None) -> str:
        return f"{state.stones} stones"

    def status_lines(self, state: Any, player: int | None) -> list[str]:
        return [self.text(state, player)]

    def log_lines(self, state: Any, since: int = 0) -> list[str]:
        return []

    def event_count(self, state: Any) -> int:
        return 0

    def action_text(self, state: Any, action: int) -> str:
        return f"take {action + 1}"


GAME = Description("nim-v0", "Nim", load=f"{__name__}:load")


def load() -> Game:
    """Nim with one pile of seven stones."""
    return Game(
        Rules(
            identity=Identity("nim-v0", {}, "0" * 16),
            state_dtype=STATE,
            tables=Tables(np.zeros(1, np.dtype((np.record, [("unused", "i1")])))),
            actions=Actions(("take 1", "take 2"), {"take": slice(0, MOST)}),
            layout=LAYOUT,
            view=View(),
            reset=reset,
            apply=apply,
            legal=legal,
            observe=observe,
            determinize=determinize,
        )
    )


def guaranteed(taking: Any) -> float:
    """What the first player gets against a perfect opponent; taking[stones] (STONES + 1, MOST) are its own probabilities."""

    @lru_cache
    def own(stones: int) -> float:
        moves = range(min(MOST, stones))
        return float(sum(taking[stones][k] * (1.0 if stones == k + 1 else other(stones - k - 1)) for k in moves))

    @lru_cache
    def other(stones: int) -> float:
        return min(-1.0 if stones == k + 1 else own(stones - k - 1) for k in range(min(MOST, stones)))

    return own(STONES)


def softmax(logits: Any) -> Any:
    """Probabilities of the legal actions for each number of stones, (STONES + 1, MOST)."""
    masked = np.where(np.arange(MOST) < np.arange(STONES + 1)[:, None], logits, -1e9)
    weights = np.exp(masked - masked.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


OBSERVATIONS = np.eye(STONES + 1, dtype=np.int8)


def shipped(algorithm: str, seed: int, folder: Path) -> Any:
    """The self-play of `react-env train`."""
    config = TrainConfig(
        game="nim-v0",
        algorithm=algorithm,  # type: ignore[arg-type]
        steps=STEPS,
        seed=seed,
        threads=1,
        envs=64,
        rollout=16,
        minibatch=256,
        epochs=4,
        learning_rate=3e-3,
        learning_rate_end=1e-3,
        entropy=0.01,
        entropy_end=0.001,
        trunk=(32,),
        policy=(),
        value=(),
        imitation_games=0,
        opponents={},
        self_share=1.0,
        evaluations=0,
        baselines=(),
        device="cpu",
        precision="float32",
    )
    GAMES["nim-v0"] = f"{__name__}:GAME"
    try:
        result = train(config, folder)
    finally:
        del GAMES["nim-v0"]
    return softmax(agents.load(result.model, load()).logits(OBSERVATIONS))


def vec_env(kind: type[SelfPlayVecEnv], seed: int) -> Any:
    """Plain MaskablePPO over a VecEnv of this kind."""
    env = kind(load(), num_envs=64, seed=seed)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=16,
        batch_size=256,
        n_epochs=4,
        learning_rate=3e-3,
        ent_coef=0.005,
        gamma=0.995,
        policy_kwargs={"net_arch": [32]},
        seed=seed,
        device="cpu",
    )
    env.set_opponents([Newest(model)])
    model.learn(STEPS)
    return probabilities(model)


class Newest:
    """The learner as it is at this moment."""

    name = "newest"

    def __init__(self, model: Any) -> None:
        self._model = model

    def act(self, observations: Any, action_masks: Any, rng: np.random.Generator) -> Any:
        return self._model.predict(observations, action_masks=action_masks)[0]


def probabilities(model: Any) -> Any:
    """The probabilities from which a MaskablePPO draws, (STONES + 1, MOST)."""
    seen, _ = model.policy.obs_to_tensor(OBSERVATIONS)
    return softmax(model.policy.get_distribution(seen).distribution.logits.detach().numpy())


class NextSeesMoverEarns(SelfPlayVecEnv):
    """The faulty wrapper of tutorials that turn a two-player game into a single-agent one: one learner moves for both players in turn; each
    step returns what the next player sees, but the reward of the player who has moved."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._games.ready = lambda: None  # type: ignore[method-assign]

    def step_wait(self) -> Any:
        movers = self.batch.to_play.copy()
        self.batch.step(self._actions)
        dones = self.batch.terminated | self.batch.truncated
        rewards = self.batch.rewards[np.arange(self.num_envs), movers]
        ended = self.batch.final_observations[np.arange(self.num_envs), movers]
        infos = [{"terminal_observation": ended[i]} if dones[i] else {} for i in range(self.num_envs)]
        return self.batch.observations.copy(), rewards, dones, infos


@pytest.mark.slow
@pytest.mark.parametrize("trainer", ["ppo", "maskable_ppo", "vec_env"])
def test_self_play_reaches_the_known_value(trainer: str, tmp_path: Path) -> None:
    taking = vec_env(SelfPlayVecEnv, seed=0) if trainer == "vec_env" else shipped(trainer, 0, tmp_path / "run")
    assert guaranteed(taking) > VALUE - 0.2


def test_the_wrapper_with_the_wrong_credit_does_not() -> None:
    assert guaranteed(vec_env(NextSeesMoverEarns, seed=0)) < 0.0


def test_perfect_play_is_worth_what_is_known_and_random_play_is_not() -> None:
    stones = np.arange(STONES + 1)
    perfect = np.eye(MOST)[np.where(stones % 3 == 2, 1, 0)]
    assert guaranteed(perfect) == VALUE
    assert guaranteed(softmax(np.zeros((STONES + 1, MOST)))) < -0.5
