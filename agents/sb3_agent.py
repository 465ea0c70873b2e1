"""A MaskablePPO model as an agent: react-env arena sb3_agent.py:Sb3Agent greedy"""

from pathlib import Path

from sb3_contrib import MaskablePPO


class Sb3Agent:
    def __init__(self):
        self.model = MaskablePPO.load(Path(__file__).with_name("sb3_model"), device="cpu")

    def act(self, observations, action_masks, rng):
        actions, _ = self.model.predict(observations, action_masks=action_masks, deterministic=True)
        return actions
