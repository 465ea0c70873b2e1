"""What other projects' own checks say; each runs where the project is installed (`make test-ecosystem` installs them all)."""

from typing import Any

import numpy as np
import pytest

import react_env
from react_env import arts_of_war_v0, fight_sequence_v0, react_fast_v0, reality_tcg_v0
from react_env.envs.gym import OpponentEnv, OpponentVectorEnv
from tests import toy

ID = "react_env/FightSequence-v0"
MODULES = [arts_of_war_v0, fight_sequence_v0, react_fast_v0, reality_tcg_v0]


def test_torchrl_checks_single_environments() -> None:
    """By id, where TorchRL tries keywords first, and by object; its transform accepts the mask in the dict."""
    pytest.importorskip("torchrl")
    import torch
    from torchrl.envs import ActionMask, GymEnv, GymWrapper, TransformedEnv, check_env_specs

    check_env_specs(GymEnv(ID, illegal="lose", categorical_action_encoding=True))
    masked = TransformedEnv(
        GymWrapper(OpponentEnv(toy.load(), observation="dict", dtype="float32"), categorical_action_encoding=True),
        ActionMask(),
    )
    check_env_specs(masked)
    rolled = masked.rollout(200)
    assert rolled["next", "done"].any() and rolled["observations"].dtype == torch.float32


def test_torchrl_checks_vectors() -> None:
    """TorchRL takes the modes SAME_STEP and DISABLED."""
    pytest.importorskip("torchrl")
    from torchrl.envs import GymWrapper, check_env_specs

    for mode in ("SameStep", "Disabled"):
        envs = OpponentVectorEnv(toy.load(max_turns=6), 3, seed=1, illegal="lose", autoreset_mode=mode)
        wrapped = GymWrapper(envs)
        check_env_specs(wrapped)
        assert wrapped.rollout(40, break_when_any_done=False)["next", "done"].any()


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_torchrl_takes_pettingzoo(module: Any) -> None:
    """With the mask in observations and infos, and the state."""
    pytest.importorskip("torchrl")
    from torchrl.envs import PettingZooWrapper, check_env_specs

    env = PettingZooWrapper(module.env(), use_mask=True, return_state=True)
    check_env_specs(env)
    rolled = env.rollout(60)
    game = module.raw_env().game
    assert rolled["state"].shape[-1] == game.num_players * game.layout.size


def test_rllib_checks_multi_agent_environments() -> None:
    pytest.importorskip("ray.rllib")
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
    from ray.rllib.utils.pre_checks.env import check_multiagent_environments

    for module in MODULES:
        check_multiagent_environments(PettingZooEnv(module.env()))


def test_rllib_learns_with_its_masks() -> None:
    """One iteration of PPO with the masked module of RLlib's examples, which prescribes the names in the dict."""
    pytest.importorskip("ray.rllib")
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
    from ray.tune.registry import register_env

    register_env("react_env", lambda config: OpponentEnv(toy.load(max_turns=6), observation="dict", dtype="float32"))
    config = (
        PPOConfig()
        .environment("react_env")
        .env_runners(num_env_runners=0)
        .rl_module(
            rl_module_spec=RLModuleSpec(
                module_class=ActionMaskingTorchRLModule, model_config={"head_fcnet_hiddens": [8]}
            )
        )
        .training(train_batch_size_per_learner=64, minibatch_size=32, num_epochs=1)
    )
    algorithm = config.build_algo()
    assert algorithm.train()["num_env_steps_sampled_lifetime"] >= 64
    algorithm.stop()


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_tianshou_takes_pettingzoo(module: Any) -> None:
    pytest.importorskip("tianshou")
    from tianshou.env import PettingZooEnv

    env = PettingZooEnv(module.env())
    seen, _ = env.reset(seed=1)
    steps, over = 0, False
    while not over:
        assert (
            sum(seen["mask"]) == react_env.load(env.env.unwrapped.game.id).action_mask(env.env.unwrapped.position).sum()
        )
        seen, rewards, terminated, truncated, _ = env.step(int(np.argmax(seen["mask"])))
        over, steps = terminated or truncated, steps + 1
    assert len(rewards) == env.num_agents and sum(rewards) == pytest.approx(0, abs=1e-6) and steps > 5


def test_agilerl_learns_with_masks_of_infos() -> None:
    """AgileRL's DQN accepts the mask in the infos of a vector."""
    pytest.importorskip("agilerl")
    from agilerl.algorithms import DQN

    envs = OpponentVectorEnv(toy.load(max_turns=6), 4, seed=1, dtype="float32")
    agent = DQN(envs.single_observation_space, envs.single_action_space)
    seen, infos = envs.reset()
    for _ in range(30):
        seen, *_, infos = envs.step(agent.get_action(seen, epsilon=0.5, action_mask=infos["action_mask"]))
