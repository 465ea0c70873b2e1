"""Greedy, but it holds its reactions until they save something: react-env arena agents/cautious_agent.py:CautiousAgent greedy

A card spent on a reaction now cannot be used later. So in a window it passes, unless an action leaves it clearly better off than the pass.
"""

from greedy_agent import GreedyAgent

WORTH_A_CARD = 40.0  # in the units of Re;ACT's quick value, in which the first damage counts 125


class CautiousAgent(GreedyAgent):
    def choose(self, state, player, rng):
        values = self.values(state, player, rng)
        best, passing = max(values, key=values.get), self.passing(state)
        if passing in values and values[best] - values[passing] < WORTH_A_CARD:
            return passing
        return best
