"""The update of PPO: what its losses say before anything has changed, and where each of them draws the policy."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from react_env.agents.models.model import Architecture, ModelInfo
from react_env.agents.models.torch_network import Processor
from react_env.training.algorithms.ppo import PPO
from react_env.training.algorithms.rollouts import SELF, Rollout
from react_env.training.algorithms.workers import NEVER, Workers
from react_env.training.config import TrainConfig
from react_env.training.selfplay import checkpoints
from tests.agents.games import game_of

ENVS = 64


def learner(**options: Any) -> PPO:
    """A learner of the toy game; all decisions of a rollout are one minibatch."""
    usual = {"envs": ENVS, "rollout": 12, "minibatch": 12 * ENVS, "epochs": 1, "threads": 1, "shaping": 0.0}
    config = TrainConfig(steps=1, seed=1, **{**usual, **options})
    network = Architecture(trunk=(16,), policy=(), value=(), activation="tanh")
    found = PPO(game_of("toy"), config, network, Workers(1, Processor("cpu")), seed=1)
    found.deal([], np.full(ENVS, SELF))
    return found


def collected(ppo: PPO) -> Rollout:
    """A copy of a rollout, which later rollouts leave alone."""
    found = ppo._rollouts.collect(ppo._evaluate)  # type: ignore[union-attr, call-arg, arg-type]
    return replace(found, **{name: value.copy() for name, value in vars(found).items()})


def log_probs(ppo: PPO, rollout: Rollout) -> Any:
    """The log probabilities of all actions, (D, A)."""
    with torch.no_grad():
        logits, _ = ppo.policy(torch.from_numpy(rollout.observations))
    return torch.log_softmax(logits.masked_fill(torch.from_numpy(~rollout.masks), NEVER), 1).numpy()


def of_actions(ppo: PPO, rollout: Rollout) -> Any:
    """The log probabilities of the actions that were taken, (D,)."""
    return log_probs(ppo, rollout)[np.arange(len(rollout.actions)), rollout.actions]


def test_before_the_first_step_nothing_has_changed() -> None:
    ppo = learner(magnet=0.5, imitation_games=0)
    rollout = collected(ppo)
    losses = ppo._update(rollout, 1e-3, 0.0)
    assert losses["approx_kl"] == pytest.approx(0.0, abs=1e-6) and losses["clip_fraction"] == 0.0
    assert losses["magnet_kl"] == pytest.approx(0.0, abs=1e-6)
    assert losses["policy_loss"] == pytest.approx(0.0, abs=1e-5), "advantages are normalized"
    advantages = rollout.advantages[rollout.complete]
    assert losses["value_loss"] == pytest.approx(float(np.mean(advantages**2)), rel=1e-4)
    assert ppo.steps == len(rollout.complete) < len(rollout.actions)
    ppo.close()


def test_what_did_well_becomes_more_probable_and_what_waits_counts_for_nothing() -> None:
    ppo = learner(value_weight=0.0)
    rollout = collected(ppo)
    good = rollout.actions == rollout.masks.argmax(1)  # the first legal action
    rollout.advantages[:] = np.where(good, 3.0, 1.0)  # better than the others is what counts, not better than nothing
    waits = np.setdiff1d(np.arange(len(good)), rollout.complete)
    rollout.advantages[waits] = np.nan
    before = of_actions(ppo, rollout)
    for _ in range(5):
        ppo._update(rollout, 3e-3, 0.0)
    change = (of_actions(ppo, rollout) - before)[rollout.complete]
    assert change[good[rollout.complete]].mean() > 0.02 and change[~good[rollout.complete]].mean() < -0.02
    ppo.close()


@pytest.mark.parametrize(("beyond", "moves"), [(1.0, False), (-1.0, True)])
def test_a_probability_that_has_moved_far_enough_is_left_alone(beyond: float, moves: bool) -> None:
    """If it has moved the wrong way, it is drawn back."""
    ppo = learner(value_weight=0.0)
    rollout = collected(ppo)
    rollout.advantages[:] = np.where(np.arange(len(rollout.actions)) % 2, 1.0, -1.0)
    rollout.log_probs[:] -= beyond * rollout.advantages  # as if it had been less probable by so much
    before = of_actions(ppo, rollout)
    losses = ppo._update(rollout, 1e-2, 0.0)
    assert losses["clip_fraction"] == 1.0
    assert (np.abs(of_actions(ppo, rollout) - before).max() > 1e-4) == moves
    ppo.close()


def entropy(ppo: PPO, rollout: Rollout) -> float:
    found = log_probs(ppo, rollout)
    return float(-np.where(rollout.masks, np.exp(found) * found, 0.0).sum(1).mean())


def far_from_the_magnet(ppo: PPO, rollout: Rollout) -> float:
    assert ppo.magnet is not None
    here = log_probs(ppo, rollout)
    ppo.policy, held = ppo.magnet, ppo.policy
    there, ppo.policy = log_probs(ppo, rollout), held
    return float(np.where(rollout.masks, np.exp(here) * (here - there), 0.0).sum(1).mean())


@pytest.mark.parametrize(
    ("bonus", "told", "measure", "sign"),
    [(1.0, "entropy", entropy, 1), (0.0, "magnet_kl", far_from_the_magnet, -1)],
)
def test_entropy_grows_and_the_magnet_holds(
    bonus: float, told: str, measure: Callable[[PPO, Rollout], float], sign: int
) -> None:
    ppo = learner(value_weight=0.0, magnet=1.0 - bonus, magnet_decay=1.0)
    rollout = collected(ppo)
    rollout.advantages[:] = 0.0
    with torch.no_grad():
        ppo.policy.policy[0].bias[0] += 2.0
    rows = rollout.complete
    learned = replace(rollout, observations=rollout.observations[rows], masks=rollout.masks[rows])
    first = measure(ppo, learned)
    assert ppo._update(rollout, 1e-2, bonus)[told] == pytest.approx(first, rel=1e-4)
    for _ in range(10):
        ppo._update(rollout, 1e-2, bonus)
    assert sign * (measure(ppo, learned) - first) > 0.01
    ppo.close()


def test_the_magnet_follows_slowly() -> None:
    ppo = learner(magnet=0.1, magnet_decay=0.75)
    assert ppo.magnet is not None
    start = ppo.magnet.policy[0].bias.clone()
    ppo._update(collected(ppo), 1e-2, 0.0)
    assert torch.allclose(ppo.magnet.policy[0].bias - start, 0.25 * (ppo.policy.policy[0].bias - start), atol=1e-7)
    assert (ppo.policy.policy[0].bias != start).any()
    ppo.close()


def test_the_step_is_as_long_as_it_is_told() -> None:
    ppo = learner()
    before = ppo.export()
    ppo.learn(0.0, 0.0)
    assert all((before[name] == value).all() for name, value in ppo.export().items())
    ppo.close()


def test_learning_goes_on_from_a_checkpoint_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    ppo, again = learner(magnet=0.1), learner(magnet=0.1)
    rollout = collected(ppo)
    ppo._update(rollout, 1e-2, 0.0)
    torch.manual_seed(5)
    info = ModelInfo.of(game_of("toy"), ppo.policy.architecture)
    checkpoints.save(tmp_path, ppo, ppo.export(), info, {})
    chance = torch.rand(3)
    checkpoints.restore(tmp_path, again)
    assert (torch.rand(3) == chance).all() and (again.steps, again.updates) == (ppo.steps, ppo.updates)
    for one in (ppo, again):
        one._update(rollout, 1e-2, 0.0)
        one.close()
    assert ppo.magnet is not None and again.magnet is not None
    for mine, theirs in ((ppo.policy, again.policy), (ppo.magnet, again.magnet)):
        for name, value in mine.state_dict().items():
            torch.testing.assert_close(theirs.state_dict()[name], value, rtol=1e-4, atol=1e-6)


def test_threads_share_the_mean_of_a_loss() -> None:
    data = torch.arange(701, dtype=torch.float32)

    def descended(threads: int) -> tuple[float, float]:
        place = torch.zeros(1, requires_grad=True)

        def loss_of(rows: Any) -> Any:
            loss = ((place - data[torch.from_numpy(rows)]) ** 2).mean()
            return loss, np.array([loss.item()])

        workers = Workers(threads, Processor("cpu"))
        told = workers.descend(torch.optim.SGD([place], lr=0.1), loss_of, np.arange(701))
        workers.close()
        return place.item(), float(told[0])

    assert descended(1) == pytest.approx((0.2 * 350, float((data**2).mean())))
    assert descended(2) == pytest.approx(descended(1))
