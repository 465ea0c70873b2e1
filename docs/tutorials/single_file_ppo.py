"""PPO in one file, for a Gymnasium vector with action masks: python docs/tutorials/single_file_ppo.py --steps 500000

The manner of CleanRL: nothing is hidden in a library, so copy it and change it. What matters here:

- Masks. Illegal actions get the logit -1e9 before the distribution is made, when acting and when learning alike.
- Seats. `make_vec` puts the learner into both seats, half of the games each, and the opponent plays inside the step, so observations,
  rewards and masks are always those of the learner's own seat.
- The last step of a game. With SAME_STEP a finished game starts again within the step, and no transition crosses from one game to the next.
- No discount: games end, and the result is all that counts.

docs/baselines.md has learning curves in every game, docs/training.md what learns faster.
"""

import argparse

import gymnasium
import numpy as np
import torch
from torch import nn

from react_env import agents
from react_env.evaluation import play_match


class Network(nn.Module):
    """A policy and a value over one trunk."""

    def __init__(self, inputs, actions, width, scale):
        super().__init__()
        self.register_buffer("scale", torch.as_tensor(scale))
        self.trunk = nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.policy, self.value = nn.Linear(width, actions), nn.Linear(width, 1)
        nn.init.orthogonal_(self.policy.weight, 0.01)

    def forward(self, observations, masks):
        hidden = self.trunk(observations.float() * self.scale)
        logits = self.policy(hidden).masked_fill(~masks, -1e9)
        return torch.distributions.Categorical(logits=logits, validate_args=False), self.value(hidden).squeeze(-1)


class Player:
    """The network as an agent, for matches."""

    name = "ppo"

    def __init__(self, network):
        self.network = network

    @torch.no_grad()
    def act(self, observations, action_masks, rng):
        policy, _ = self.network(torch.from_numpy(observations), torch.from_numpy(action_masks))
        return policy.probs.argmax(1).numpy()


def advantages_of(rewards, dones, values, last, lam):
    """GAE without a discount: (T, N) each, `last` (N,)."""
    found, ahead = torch.zeros_like(rewards), torch.zeros_like(last)
    for t in reversed(range(len(rewards))):
        following = last if t == len(rewards) - 1 else values[t + 1]
        ahead = rewards[t] + (1 - dones[t]) * (following + lam * ahead) - values[t]
        found[t] = ahead
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--env", default="react_env/FightSequence-v0")
    parser.add_argument("--steps", type=int, default=500_000)
    parser.add_argument("--envs", type=int, default=128)
    parser.add_argument("--rollout", type=int, default=64)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--opponent", default="random", help="who plays the other seat")
    parser.add_argument("--games", type=int, default=400, help="of each match at the end")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for name in ("envs", "rollout", "width", "games"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} must be at least 1")

    torch.manual_seed(options.seed)
    envs = gymnasium.make_vec(options.env, num_envs=options.envs, opponent=options.opponent, autoreset_mode="SameStep")
    game = envs.game
    if options.games % game.num_players:
        parser.error(f"--games must be a multiple of {game.num_players}, to play the same games from each seat")
    network = Network(game.layout.size, game.num_actions, options.width, game.layout.scale.astype(np.float32))
    optimizer = torch.optim.Adam(network.parameters(), 5e-4, eps=1e-5)
    shape = (options.rollout, options.envs)
    seen = torch.zeros((*shape, game.layout.size), dtype=torch.int8)
    masks = torch.zeros((*shape, game.num_actions), dtype=torch.bool)
    actions, logs, values, rewards, dones = (torch.zeros(shape) for _ in range(5))

    observation, info = envs.reset(seed=options.seed)
    updates = max(1, options.steps // (options.rollout * options.envs))
    for update in range(updates):
        optimizer.param_groups[0]["lr"] = 5e-4 * (1 - update / updates)
        for t in range(options.rollout):
            seen[t], masks[t] = torch.from_numpy(observation), torch.from_numpy(info["action_mask"]).bool()
            with torch.no_grad():
                policy, values[t] = network(seen[t], masks[t])
            action = policy.sample()
            actions[t], logs[t] = action, policy.log_prob(action)
            observation, reward, terminated, truncated, info = envs.step(action.numpy())
            rewards[t], dones[t] = torch.from_numpy(reward), torch.from_numpy(terminated | truncated).float()
        with torch.no_grad():
            _, last = network(torch.from_numpy(observation), torch.from_numpy(info["action_mask"]).bool())
        advantages = advantages_of(rewards, dones, values, last, 0.95)
        targets = (advantages + values).reshape(-1)
        flat = [part.flatten(0, 1) for part in (seen, masks, actions, logs, advantages)]
        for _ in range(4):
            for rows in torch.randperm(len(targets)).split(2048):
                o, m, a, old, advantage = (part[rows] for part in flat)
                policy, value = network(o, m)
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                ratio = (policy.log_prob(a) - old).exp()
                gain = torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
                loss = 0.5 * (value - targets[rows]).square().mean() - gain - 0.01 * policy.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), 0.5)
                optimizer.step()
        if dones.any() and (update % 10 == 0 or update == updates - 1):
            won = (rewards[dones.bool()] > 0).float().mean()
            print(f"{(update + 1) * dones.numel():>9,} steps: won {won:.0%} against {options.opponent} while learning")

    for name in ("random", "greedy"):
        total = play_match(game, Player(network), agents.load(name, game), games=options.games).total
        low, high = total.interval
        print(f"against {name}: {total.win_rate:.1%} ({low:.1%} to {high:.1%}) of {total.games} games from both seats")


if __name__ == "__main__":
    main()
