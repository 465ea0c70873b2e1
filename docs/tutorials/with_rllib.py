"""Masked PPO with RLlib's new stack: python docs/tutorials/with_rllib.py --iterations 20

`ActionMaskingTorchRLModule` of RLlib's examples takes a dict with the keys that `observation="dict"` gives. The opponent plays inside the
step, so one agent learns, from both seats in turn. For both seats of one network, wrap `react_env.NAME_v0.env` in RLlib's `PettingZooEnv`.
"""

import argparse

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

import react_env
from react_env.envs.gym import OpponentEnv


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="fight_sequence-v0")
    parser.add_argument("--opponent", default="random")
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--batch", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=0)
    options = parser.parse_args()
    for name, least in {"batch": 1, "workers": 0}.items():
        if getattr(options, name) < least:
            parser.error(f"--{name} must be at least {least}")

    def make(config):
        game = react_env.load(options.game)
        return OpponentEnv(game, options.opponent, observation="dict", dtype="float32")

    register_env("react_env", make)
    module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config={"head_fcnet_hiddens": [128, 128]})
    config = (
        PPOConfig()
        .environment("react_env")
        .env_runners(num_env_runners=options.workers)
        .rl_module(rl_module_spec=module)
        .training(
            train_batch_size_per_learner=options.batch, minibatch_size=min(256, options.batch), num_epochs=4, gamma=1.0
        )
    )
    algorithm = config.build_algo()
    for _ in range(options.iterations):
        found = algorithm.train()
        mean = found.get("env_runners", {}).get("episode_return_mean", float("nan"))
        print(f"learned from {found['num_env_steps_sampled_lifetime']:,} steps, mean reward {mean:+.2f}")
    algorithm.stop()


if __name__ == "__main__":
    main()
