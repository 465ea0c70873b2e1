"""Self-play with MaskablePPO in one file: python training/maskable_ppo.py --steps 200000

It learns from all seats, in equally many games. The opponents are greedy, random, and the learner as it was some updates ago: a copy
joins them every `--snapshot` updates, and the oldest leaves. At the end it plays 400 games against random and greedy, from all seats.
Ctrl-C saves it and ends. docs/baselines.md has learning curves in every game, docs/training.md says what learns faster.
"""

import argparse
import io

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

import react_env
from react_env import agents
from react_env.envs.sb3 import SelfPlayVecEnv
from react_env.evaluation import play_match


class Model:
    """A MaskablePPO policy as an agent."""

    name = "model"

    def __init__(self, policy):
        self.policy = policy

    def act(self, observations, action_masks, rng):
        actions, _ = self.policy.predict(observations.copy(), action_masks=action_masks.copy())
        return np.asarray(actions, np.int64)


def copy_of(policy):
    file = io.BytesIO()
    policy.save(file)
    file.seek(0)
    return type(policy).load(file, device="cpu")


class Snapshots(BaseCallback):
    """Mixes the learner's earlier selves into its opponents."""

    def __init__(self, env, named, every, keep=4):
        super().__init__()
        self.env, self.named, self.every, self.keep = env, named, every, keep
        self.earlier = []
        self.updates = 0

    def _on_rollout_start(self):
        if self.updates % self.every == 0:
            self.earlier = [*self.earlier, Model(copy_of(self.model.policy))][-self.keep :]
            self.env.set_opponents([*self.named, *self.earlier])
        self.updates += 1

    def _on_step(self):
        return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="arts_of_war-v0", choices=react_env.game_ids())
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--envs", type=int, default=256)
    parser.add_argument("--rollout", type=int, default=64)
    parser.add_argument("--snapshot", type=int, default=10, help="updates between two copies of the learner")
    parser.add_argument("--games", type=int, default=400, help="against each of random and greedy at the end")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="runs/maskable_ppo.zip")
    options = parser.parse_args()
    for name, least in {"steps": 0, "envs": 1, "rollout": 1, "snapshot": 1, "games": 1, "seed": 0}.items():
        if getattr(options, name) < least:
            parser.error(f"--{name} must be at least {least}")
    if options.seed >= 2**32:
        parser.error("--seed must be less than 2**32")
    if options.envs * options.rollout < 2:
        parser.error("--envs times --rollout must be at least 2")

    game = react_env.load(options.game)
    if options.games % game.num_players:
        parser.error(f"--games must be a multiple of {game.num_players}, to play the same games from each seat")
    named = ["greedy", "random"]
    env = SelfPlayVecEnv(game, num_envs=options.envs, opponent=named, seed=options.seed, seats="both")
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=options.rollout,
        batch_size=min(4096, options.envs * options.rollout),
        n_epochs=4,
        gamma=1.0,
        ent_coef=0.01,
        seed=options.seed,
        device="cpu",
    )
    model.set_logger(Logger(None, []))  # the default one would leave an empty folder in /tmp
    interrupted = False
    try:
        model.learn(options.steps, callback=Snapshots(env, named, options.snapshot), progress_bar=False)
    except KeyboardInterrupt:
        interrupted = True
    model.save(options.out)
    if interrupted:
        print(f"interrupted after {model.num_timesteps:,} steps, saved: {options.out}")
        raise SystemExit(130)
    for name in ("random", "greedy"):
        total = play_match(game, Model(model.policy), agents.load(name, game), games=options.games).total
        low, high = total.interval
        print(
            f"against {name}: {total.win_rate:.1%} ({low:.1%} to {high:.1%}) of {total.games} games, as many from each seat"
        )


if __name__ == "__main__":
    main()
