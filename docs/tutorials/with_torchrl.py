"""Masked PPO with TorchRL: python docs/tutorials/with_torchrl.py --frames 20000

The observation is a dict with the mask in it; TorchRL's `ActionMask` puts the mask on the action space, and a `MaskedCategorical` takes it
from there. The opponent plays inside the step, so one agent learns, from both seats in turn.
"""

import argparse

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import ActionMask, GymWrapper, TransformedEnv, check_env_specs
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import react_env
from react_env.envs.gym import OpponentEnv


def trunk(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, outputs))


class Policy(nn.Module):
    """Logits, and the mask as the distribution wants it."""

    def __init__(self, inputs, actions):
        super().__init__()
        self.layers = trunk(inputs, actions)

    def forward(self, observations, mask):
        return self.layers(observations), mask.bool()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="fight_sequence-v0")
    parser.add_argument("--opponent", default="random")
    parser.add_argument("--frames", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    if not 1 <= options.rounds <= options.frames:
        parser.error("--rounds must be from 1 to the number of --frames")

    game = react_env.load(options.game)
    one = OpponentEnv(game, options.opponent, observation="dict", dtype="float32")
    env = TransformedEnv(GymWrapper(one, categorical_action_encoding=True), ActionMask())
    check_env_specs(env)
    actor = ProbabilisticActor(
        TensorDictModule(
            Policy(game.layout.size, game.num_actions), ["observations", "action_mask"], ["logits", "legal"]
        ),
        in_keys={"logits": "logits", "mask": "legal"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    critic = ValueOperator(trunk(game.layout.size, 1), in_keys=["observations"])
    advantage = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
    loss = ClipPPOLoss(actor, critic)
    optimizer = torch.optim.Adam(loss.parameters(), 3e-4)
    batch = options.frames // options.rounds
    for data in Collector(env, actor, frames_per_batch=batch, total_frames=batch * options.rounds):
        for _ in range(4):
            advantage(data)
            for rows in torch.randperm(batch).split(256):
                found = loss(data[rows])
                optimizer.zero_grad()
                sum(value for name, value in found.items() if name.startswith("loss_")).backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimizer.step()
        ended = data["next", "done"].squeeze(-1)
        rewards = data["next", "reward"].squeeze(-1)[ended]
        mean = rewards.mean().item() if ended.any() else float("nan")
        print(f"mean reward of {int(ended.sum())} games: {mean:+.2f}")


if __name__ == "__main__":
    main()
