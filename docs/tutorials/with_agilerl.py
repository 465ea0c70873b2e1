"""Masked DQN with AgileRL: python docs/tutorials/with_agilerl.py --steps 5000

AgileRL's agents take the mask that Gymnasium vectors give in their infos. The opponent plays inside the step, so one agent learns, from
both seats, half of the games each.
"""

import argparse

from agilerl.algorithms import DQN
from agilerl.components.replay_buffer import ReplayBuffer
from tensordict import TensorDict

import react_env
from react_env.envs.gym import OpponentVectorEnv


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="fight_sequence-v0")
    parser.add_argument("--opponent", default="random")
    parser.add_argument("--steps", type=int, default=5000)
    options = parser.parse_args()
    envs = OpponentVectorEnv(react_env.load(options.game), 16, options.opponent, seed=1, dtype="float32")
    agent, buffer = DQN(envs.single_observation_space, envs.single_action_space, batch_size=32), ReplayBuffer(10_000)
    seen, infos = envs.reset()
    won = ended = 0
    for step in range(options.steps):
        epsilon = max(0.05, 1 - 2 * step / options.steps)
        actions = agent.get_action(seen, epsilon=epsilon, action_mask=infos["action_mask"])
        following, rewards, terminated, truncated, infos = envs.step(actions)
        content = {"obs": seen, "action": actions, "reward": rewards, "next_obs": following, "done": terminated * 1.0}
        buffer.add(TensorDict(content, batch_size=[16]))
        if len(buffer) >= 64:
            agent.learn(buffer.sample(32))
        seen, won, ended = following, won + int((rewards > 0).sum()), ended + int((terminated | truncated).sum())
    print(f"{options.steps} steps of 16 games: won {won} of {ended}")


if __name__ == "__main__":
    main()
