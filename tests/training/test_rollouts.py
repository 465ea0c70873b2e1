"""The learner's decisions in every seat: what follows what, and who gets which reward."""

from typing import Any

import numpy as np
import pytest

from react_env import agents
from react_env.errors import IllegalAction
from react_env.training.algorithms import imitation
from react_env.training.algorithms.rollouts import SELF, Rollout, Rollouts
from react_env.training.algorithms.shaping import potentials_of
from react_env.training.algorithms.tables import Table
from react_env.training.config import TrainConfig
from tests.agents.games import game_of

GAMMA, LAMBDA, STALEMATE = 0.9, 0.8, 0.3


def evaluate(observations: Any, *_: Any) -> Any:
    """Equal logits, and a value that depends on all that is seen."""
    values = np.sin(observations.astype(np.float32) @ np.arange(1, observations.shape[1] + 1, dtype=np.float32))
    return np.zeros((len(observations), 64), np.float32)[:, : game_of("toy").num_actions], values.astype(np.float32)


def config(ticks: int, **options: Any) -> TrainConfig:
    """A run with rollouts of that many decisions and nothing but results as rewards."""
    usual = {"shaping": 0.0, "gamma": 1.0, "stalemate": 0.0, "gae_lambda": 1.0, "minibatch": 1}
    return TrainConfig(steps=1, rollout=ticks, **{**usual, **options})


class Log:
    """Each game's decisions and ends, one tick after the other, as the batch told them."""

    def __init__(self, rollouts: Rollouts) -> None:
        self.ticks: list[Any] = []
        batch = rollouts.batch
        step = batch.step

        def logged(actions: Any) -> None:
            seats, seen = batch.to_play.copy(), batch.observations.copy()
            phi = potentials_of(rollouts.game, batch.states, seats, np.arange(len(seats)))
            step(actions)
            self.ticks.append((seats, seen, phi, batch.rewards.copy(), batch.terminated.copy(), batch.truncated.copy()))

        batch.step = logged  # type: ignore[method-assign]

    def decisions(self, game: int, seat: int) -> list[Any]:
        """[(observation, potential, reward of the step from it to the next own decision, whether the game ended in between, whether that
        is known)]"""
        found: list[Any] = []
        for seats, seen, phi, rewards, terminated, truncated in self.ticks:
            if seats[game] == seat:
                if found and not found[-1][3]:
                    found[-1][4] = True
                found.append([seen[game], phi[game], 0.0, False, False])
            if (terminated[game] or truncated[game]) and found and not found[-1][3]:
                found[-1][2:] = [rewards[game, seat] - (STALEMATE if truncated[game] else 0.0), True, True]
        return found


@pytest.mark.parametrize("shaping", [0.0, 0.5])
@pytest.mark.parametrize("shared", [False, True])
def test_credit_goes_along_the_decisions_of_each_seat(shared: bool, shaping: float) -> None:
    """Every decision is learned from exactly once, with the advantage that the definition gives. The reward is
    r + gamma phi' - phi, and the potential phi of an end is 0."""
    game = game_of("toy, mixed")
    count, ticks = 6, 200
    options = {"gamma": GAMMA, "stalemate": STALEMATE, "gae_lambda": LAMBDA, "shaping": shaping}
    rollouts = Rollouts(game, config(ticks, **options), count, seed=3)
    log = Log(rollouts)
    assigned = np.array([0, 0, 0, SELF, SELF, SELF] if shared else [SELF] * count)
    rollouts.deal([_Random()], assigned)
    rollout = rollouts.collect(evaluate)
    known = {row.tobytes(): [] for row in rollout.observations}
    for i in rollout.complete:
        known[rollout.observations[i].tobytes()].append(float(rollout.advantages[i]))
    wanted: dict[bytes, list[float]] = {key: [] for key in known}
    for g in range(count):
        for seat in range(2):
            if assigned[g] != SELF and seat != g % 2:
                continue
            decisions = log.decisions(g, seat)
            values = [float(evaluate(seen[None])[1][0]) for seen, *_ in decisions]
            advantage = 0.0
            for i in range(len(decisions) - 1, -1, -1):
                seen, phi, reward, ended, certain = decisions[i]
                if not certain:
                    advantage = 0.0
                    continue
                following, then = (0.0, 0.0) if ended else (values[i + 1], decisions[i + 1][1])
                delta = reward + shaping * (GAMMA * then - phi) + GAMMA * following - values[i]
                advantage = delta + (0.0 if ended else GAMMA * LAMBDA * advantage)
                wanted[seen.tobytes()].append(advantage)
    for key, advantages in wanted.items():
        np.testing.assert_allclose(sorted(known[key]), sorted(advantages), atol=1e-4)
    assert sum(map(len, wanted.values())) > count * ticks // (3 if shared else 2)
    assert any(truncated.any() for *_, truncated in log.ticks) and any(ended.any() for *_, ended, _ in log.ticks)
    rollouts.close()


class _Random:
    name = "random"

    def act(self, observations: Any, action_masks: Any, rng: Any) -> Any:
        return np.array([rng.choice(np.flatnonzero(mask)) for mask in action_masks], np.int64)


class _Wrong:
    name = "wrong"

    def act(self, observations: Any, action_masks: Any, rng: Any) -> Any:
        return (~action_masks).argmax(1)


def test_whoever_chooses_what_is_illegal_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: with several opponents nobody could tell whose action "game 3" had refused."""
    game = game_of("toy")
    rollouts = Rollouts(game, config(9), 4, seed=4)
    rollouts.deal([_Wrong()], np.zeros(4, np.int64))
    with pytest.raises(IllegalAction, match=r"^wrong, game \d: action \d+ "):
        rollouts.collect(evaluate)
    rollouts.close()
    with pytest.raises(IllegalAction, match=r"^wrong, game \d: action \d+ "):
        Table(game, 4, seed=1, threads=1).play(_Wrong())
    monkeypatch.setattr(agents, "load", lambda *_, **__: _Wrong())
    with pytest.raises(IllegalAction, match=r"^wrong, game \d: action \d+ "):
        imitation.collect(game, config(9, imitation_games=4), "wrong")


def test_what_waits_is_learned_from_later_and_nothing_twice() -> None:
    game = game_of("toy")
    rollouts = Rollouts(game, config(5, gamma=GAMMA, gae_lambda=LAMBDA), 8, seed=4)
    rollouts.deal([], np.full(8, SELF))
    log = Log(rollouts)
    learned = 0
    for _ in range(30):
        rollout = rollouts.collect(evaluate)
        learned += len(rollout.complete)
        waiting = len(rollout.actions) - len(rollout.complete)
        assert waiting <= 16  # at most the last decision of each seat
        assert rollout.masks[np.arange(len(rollout.actions)), rollout.actions].all()
    assert learned + waiting == len(log.ticks) * 8  # none is lost
    rollouts.close()


def test_parts_of_a_rollout_keep_what_belongs_together() -> None:
    parts = []
    for seed in (1, 2, 3):
        rollouts = Rollouts(game_of("toy"), config(7), 4, seed=seed)
        rollouts.deal([], np.full(4, SELF))
        parts.append(rollouts.collect(evaluate))
        rollouts.close()
    whole = Rollout.together(parts)
    for name in ("observations", "actions", "advantages"):
        of_parts = np.concatenate([getattr(part, name)[part.complete] for part in parts])
        assert (getattr(whole, name)[whole.complete] == of_parts).all()


def test_the_result_of_a_game_has_the_sign_of_the_seat() -> None:
    """Undiscounted and with a value of 0 everywhere, the advantages of a game's decisions are its result for that seat."""
    game = game_of("toy")

    def blank(observations: Any, *_: Any) -> Any:
        return np.zeros((len(observations), game.num_actions), np.float32), np.zeros(len(observations), np.float32)

    rollouts = Rollouts(game, config(80), 64, seed=5)
    rollouts.deal([], np.full(64, SELF))
    rollout = rollouts.collect(blank)
    advantages = rollout.advantages[rollout.complete]
    assert set(np.unique(advantages)) <= {-1.0, 0.0, 1.0}
    assert (advantages > 0).any() and (advantages < 0).any()
    rollouts.close()


def test_results_count_for_whole_games_only() -> None:
    game = game_of("toy")
    rollouts = Rollouts(game, config(60), 16, seed=6)
    rollouts.deal([_Random()], np.zeros(16, np.int64))
    rollouts.collect(evaluate)
    first = len(rollouts.results[0])
    assert first > 0
    before = rollouts._dealt._whole.copy()
    assert before.any()
    rollouts.deal([_Random(), _Random()], np.ones(16, np.int64))
    assert not rollouts._dealt._whole.any() and not rollouts.results
    rollouts.close()
