"""Greedy, but it holds its reactions until they save something: react-env arena agents/cautious_agent.py:CautiousAgent greedy

A card that answers now cannot answer later. So in a window it passes, unless passing leaves it clearly worse off than it stands now.
"""

from greedy_agent import GreedyAgent

WORTH_A_CARD = 40.0  # in the units of the game's own evaluation: Re;ACT counts a wound as some hundreds


class CautiousAgent(GreedyAgent):
    def choose(self, state, player, rng):
        values = self.values(state, player, rng)
        best = max(values, key=values.get)
        if self.passing in values and values[best] - values[self.passing] < WORTH_A_CARD:
            return self.passing
        return best
