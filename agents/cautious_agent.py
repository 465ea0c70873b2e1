"""Greedy, but it holds its reactions until they save something: react-env arena agents/cautious_agent.py:CautiousAgent greedy

A card that answers now cannot answer later. So in a window it passes, unless passing leaves it clearly worse off than it stands now.
"""

from greedy_agent import GreedyAgent

WORTH_A_CARD = 40.0  # in the units of Re;ACT's own evaluation, which counts a wound as some hundreds


class CautiousAgent(GreedyAgent):
    def choose(self, state, player, rng):
        values = self.values(state, player, rng)
        best, passing = max(values, key=values.get), self.passing(state)
        if passing in values and values[best] - values[passing] < WORTH_A_CARD:
            return passing
        return best
