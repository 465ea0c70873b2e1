"""PPO that plays itself, over a batch of games as plain arrays: python docs/tutorials/self_play.py --steps 500000

No environment stands between: `game.batch` gives observations, masks and whose turn it is, and one network plays all seats. What matters:

- Whose reward. A reward comes to every player at the step that ends the game, whoever made it. So each decision is credited with what its
  own player gets until that player's next decision, which may be many steps away: see `advantages_of`.
- The end of a rollout. Games go on there. Who is to move expects the network's value, and the others, as rewards sum to zero, share the
  opposite.
- The end of a game. It starts again within the step: rewards are of the old game, observations and masks of the new one.
- No discount, as in single_file_ppo.py, which learns against a fixed opponent instead.
"""

import argparse

import numpy as np
import torch
from torch import nn

import react_env
from react_env import agents
from react_env.evaluation import play_match


class Network(nn.Module):
    """A policy, and the value of a position for the player who sees it."""

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

    name = "self_play"

    def __init__(self, network):
        self.network = network

    @torch.no_grad()
    def act(self, observations, action_masks, rng):
        policy, _ = self.network(torch.from_numpy(observations), torch.from_numpy(action_masks))
        return policy.probs.argmax(1).numpy()


def advantages_of(movers, rewards, dones, values, last_mover, last_value, lam):
    """GAE from each player's own decisions: movers, dones, values (T, N), rewards (T, N, P), last_mover, last_value (N,)."""
    steps, games, players = rewards.shape
    every = torch.arange(games)
    # Of each player of each game: the value of the next own decision, its advantage, and the rewards on the way there.
    following = -last_value[:, None].repeat(1, players) / (players - 1)
    following[every, last_mover] = last_value
    ahead, earned = torch.zeros(games, players), torch.zeros(games, players)
    found = torch.zeros(steps, games)
    for t in reversed(range(steps)):
        goes_on = 1 - dones[t][:, None]  # behind the end of a game begins another one
        following, ahead, earned = following * goes_on, ahead * goes_on, earned * goes_on + rewards[t]
        here = every, movers[t]
        found[t] = earned[here] + following[here] + lam * ahead[here] - values[t]
        following[here], ahead[here], earned[here] = values[t], found[t], 0.0
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="fight_sequence-v0")
    parser.add_argument("--steps", type=int, default=500_000, help="decisions of all seats together")
    parser.add_argument("--envs", type=int, default=256, help="games at the same time")
    parser.add_argument("--rollout", type=int, default=64)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--games", type=int, default=400, help="of each match at the end")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for name in ("envs", "rollout", "width", "games"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} must be at least 1")

    torch.manual_seed(options.seed)
    game = react_env.load(options.game)
    if options.games % game.num_players:
        parser.error(f"--games must be a multiple of {game.num_players}, to play the same games from each seat")
    batch = game.batch(num_games=options.envs, seed=options.seed)
    network = Network(game.layout.size, game.num_actions, options.width, game.layout.scale.astype(np.float32))
    optimizer = torch.optim.Adam(network.parameters(), 5e-4, eps=1e-5)
    shape = (options.rollout, options.envs)
    seen = torch.zeros((*shape, game.layout.size), dtype=torch.int8)
    masks = torch.zeros((*shape, game.num_actions), dtype=torch.bool)
    movers, actions = (torch.zeros(shape, dtype=torch.long) for _ in range(2))
    logs, values, dones = (torch.zeros(shape) for _ in range(3))
    rewards = torch.zeros((*shape, game.num_players))

    def present():
        """Whose turn it is in each game, what that player sees and may do. Each step overwrites the batch's arrays, so these are copies."""
        return tuple(torch.tensor(part) for part in (batch.to_play.astype(int), batch.observations, batch.action_masks))

    updates = max(1, options.steps // (options.rollout * options.envs))
    for update in range(updates):
        optimizer.param_groups[0]["lr"] = 5e-4 * (1 - update / updates)
        for t in range(options.rollout):
            movers[t], seen[t], masks[t] = present()
            with torch.no_grad():
                policy, values[t] = network(seen[t], masks[t])
            actions[t] = policy.sample()
            logs[t] = policy.log_prob(actions[t])
            batch.step(actions[t].numpy())
            rewards[t] = torch.tensor(batch.rewards)
            dones[t] = torch.from_numpy(batch.terminated | batch.truncated).float()
        last_mover, last_seen, last_masks = present()
        with torch.no_grad():
            _, last_value = network(last_seen, last_masks)
        advantages = advantages_of(movers, rewards, dones, values, last_mover, last_value, 0.95)
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
        if update % 10 == 0 or update == updates - 1:
            length = dones.numel() / max(1.0, float(dones.sum()))
            print(f"{(update + 1) * dones.numel():>9,} steps: {length:.0f} decisions a game")

    for name in ("random", "greedy"):
        total = play_match(game, Player(network), agents.load(name, game), games=options.games).total
        low, high = total.interval
        print(f"against {name}: {total.win_rate:.1%} ({low:.1%} to {high:.1%}) of {total.games} games from all seats")


if __name__ == "__main__":
    main()
