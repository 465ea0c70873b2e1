"""Our PettingZoo environments in Tianshou: python docs/tutorials/with_tianshou.py --games 20

Tianshou's `PettingZooEnv` takes an AEC environment as it is: the mask comes as `obs["mask"]`, and `obs["agent_id"]` says whose turn it is.
Here two policies of one's own play through it; any of Tianshou's multi-agent policies takes their place.
"""

import argparse

import numpy as np
from tianshou.env import PettingZooEnv

from react_env import fight_sequence_v0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20)
    options = parser.parse_args()
    env, rng = PettingZooEnv(fight_sequence_v0.env()), np.random.default_rng(0)
    first = {"player_0": lambda legal: legal[0], "player_1": lambda legal: int(rng.choice(legal))}
    totals = np.zeros(2)
    for number in range(options.games):
        seen, _ = env.reset(seed=number)
        over = False
        while not over:
            legal = np.flatnonzero(seen["mask"])
            seen, rewards, terminated, truncated, _ = env.step(int(first[seen["agent_id"]](legal)))
            over = terminated or truncated
        totals += rewards
    print(f"{options.games} games; the first legal action against a random one: {totals[0]:+.0f}")


if __name__ == "__main__":
    main()
