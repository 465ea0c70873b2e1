"""Takes the action that leaves it best off if nobody reacts: react-env arena agents/greedy_agent.py:GreedyAgent greedy

It looks at one action at a time, so it chooses a play of several parts (which card, which unit, which zone) part by part. The library's
`greedy` looks at whole plays and is a hundred times as fast.
"""


class GreedyAgent:
    def __init__(self, game):
        self.game = game
        self.passing = game.heuristics.pass_action  # (state) -> the action that passes, or -1 if there is none

    def act_states(self, states, players, rng):
        return [self.choose(state, int(player), rng) for state, player in zip(states, players, strict=True)]

    def choose(self, state, player, rng):
        values = self.values(state, player, rng)
        return max(values, key=values.get)

    def values(self, state, player, rng):
        """What each legal action is worth, in one guess of everything that the player cannot know."""
        guess = self.game.determinize(state, player, seed=int(rng.integers(2**32)))
        return {int(action): self.value(guess, int(action), player, rng) for action in self.game.legal_actions(guess)}

    def value(self, state, action, player, rng):
        after = self.game.copy(state)
        self.game.step(after, action)
        while not self.over(after) and (passing := self.passing(after)) >= 0:  # the chain resolves
            self.game.step(after, passing)
        worth = self.game.heuristics.quick(after, self.game.tables[after["table"]], player)
        return worth + 1e-6 * rng.random()  # breaks ties at random

    def over(self, state):
        return self.game.terminated(state) or self.game.truncated(state)
