"""Self-play with stable-baselines3's MaskablePPO: python docs/tutorials/with_stable_baselines3.py --steps 500000

`SelfPlayVecEnv` is a vector of games for one learner. Each step is answered by the opponents within the environment, so what MaskablePPO
gets always belongs to one seat: observation, mask and reward of the same player. (Loops that give the next player's observation with the
last player's reward look alike and learn less.) The learner sits in both seats, half of the games each.

Every some updates the learner as it is joins its own opponents, beside greedy and random: `set_opponents`.
"""

import argparse
import io

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger

import react_env
from react_env import agents
from react_env.envs.sb3 import SelfPlayVecEnv
from react_env.evaluation import play_match


class Earlier:
    """The learner as it was: an agent."""

    name = "earlier"

    def __init__(self, policy):
        file = io.BytesIO()
        policy.save(file)
        file.seek(0)
        self.policy = type(policy).load(file, device="cpu")

    def act(self, observations, action_masks, rng):
        actions, _ = self.policy.predict(observations.copy(), action_masks=action_masks.copy())
        return np.asarray(actions, np.int64)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="fight_sequence-v0")
    parser.add_argument("--steps", type=int, default=500_000)
    parser.add_argument("--envs", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=8, help="after each the learner joins its opponents")
    parser.add_argument("--games", type=int, default=400)
    options = parser.parse_args()
    for name in ("envs", "rounds", "games"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} must be at least 1")

    game = react_env.load(options.game)
    if options.games % game.num_players:
        parser.error(f"--games must be a multiple of {game.num_players}, to play the same games from each seat")
    baselines = [agents.load("greedy", game), agents.load("random", game)]
    env = SelfPlayVecEnv(game, num_envs=options.envs, opponent=baselines, seed=0)
    rollout = max(8, min(64, options.steps // (options.rounds * options.envs)))
    batch = min(4096, rollout * options.envs)
    model = MaskablePPO("MlpPolicy", env, n_steps=rollout, batch_size=batch, n_epochs=4, gamma=1.0, device="cpu")
    model.set_logger(Logger(None, []))  # its own would leave an empty folder in /tmp
    earlier = []
    for _ in range(options.rounds):
        model.learn(options.steps // options.rounds, reset_num_timesteps=False)
        earlier = [*earlier, Earlier(model.policy)][-4:]
        env.set_opponents([*baselines, *earlier])
    for baseline in baselines:
        total = play_match(game, Earlier(model.policy), baseline, games=options.games).total
        low, high = total.interval
        print(f"against {baseline.name}: {total.win_rate:.1%} ({low:.1%} to {high:.1%}) of {total.games} games")


if __name__ == "__main__":
    main()
