"""The agent that looks at each legal action to the end of the chain it leads to, as if nobody reacted, and takes what looks best then.

For each decision it copies the game, redraws what its player cannot know (`determinize`, with a seed of its own, so that neither the
opponent's cards nor the next draws are seen), and tries every legal action on a copy:

* choices that complete what was begun (a zone, a direction, a part of an effect) are searched depth first: its own for the best result, the
  opponent's for the worst;
* at every free decision that has a "do nothing" (a reaction window) nothing is done, whoever is asked, so that the chain resolves;
* at the next free decision without one (a main phase), or when the game is over, the game's quick value counts.

Ties are broken by the agent's random numbers. A budget of applied actions bounds each decision; where it ends, the position is valued as it
stands. Everything runs in compiled code that allocates nothing and releases the GIL.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from react_env.agents.arguments import worlds_in
from react_env.agents.protocol import Actions, Players, Records, Values
from react_env.agents.search.lookahead import NO_PARAMS, TIE, make_look, make_value, new_lines, no_prior
from react_env.agents.search.sharing import IMPOSSIBLE, Compiled, Decisions, copy_row, make_next_row
from react_env.engine.compile import announced, njit
from react_env.engine.game import Game, once_per_game
from react_env.engine.kernels import count_legal

DEPTH = 48  # follow-up choices nested in one another, after which the position is valued as it stands
BUDGET = 3000  # actions applied for one decision, about


@once_per_game
def kernel(game: Game, value_of: Any, prior: Any = None) -> Any:
    """The compiled choice over positions valued by value_of(s, t, player), to which `prior` adds what speaks for each action."""
    prefix = f"{game.id}.{'greedy' if prior is None and value_of is game.heuristics.quick else 'scripted'}"
    return make_decide(game, _make_try_all(game, value_of, prior, prefix), prefix)


def _make_try_all(game: Game, value_of: Any, prior: Any, prefix: str) -> Any:
    """Compiles what tries every action on its own; `prefix` names it in the cache."""
    dear = game.heuristics.quick_value not in (None, value_of)  # a game with a quick value has one that takes its time
    look = make_look(game, make_value(value_of, prefix), prefix, remembers=dear)
    has_prior = prior is not None
    prior_of = prior if has_prior else no_prior

    @njit(name=f"{prefix}.try_all")
    def try_all(lines: Any, t: Any, player: Any, left: Any, todo: Any, values: Any, once: Any) -> Any:
        root = lines.masks[0]
        least = -np.inf
        # The action with the lowest id, the one that does no more, comes last: what comes of it takes longest to look at.
        for action in range(root.shape[0] - 1, -1, -1):
            if root[action]:
                share = max(1, left // todo)
                liking = prior_of(lines.games[0], t, player, action) if has_prior else 0.0
                value, spent = look(lines, 0, 1, t, player, action, True, least - liking, share, share)
                values[action] += value + liking
                if once:
                    least = max(least, values[action] - 2 * TIE)
                left -= spent
                todo -= 1
        return left

    return try_all


def make_decide(game: Any, assess: Any, prefix: str) -> Any:
    """Compiles the choice of the action with the highest value; `prefix` names it in the cache.

    `assess(lines, t, player, left, todo, values, once)` adds to values[action] what each legal action of lines.games[0] is worth in this
    guess of what is hidden, and returns what it leaves of `left` actions to be applied; `todo` looks share these in this and the further
    guesses. lines.masks[0] (A,): those actions; the other rows are scratch. `once`: only the best actions are asked for, and this is the
    only guess; what is worse than another by more than a tie need only be known to be so.
    """
    legal, determinize = game.rules.legal, game.rules.determinize
    next_row = make_next_row(game)

    @njit(name=f"{prefix}.decide")
    def decide(asked: Any, budget: Any, lead: Any, turn: Any, most: Any, lines: Any, values: Any) -> None:
        """Makes at most `most` of the `Decisions` asked, those that it takes from `turn`.

        lead: where only the choice is asked for, how much better than the others an action must be on the average so far for no further
        guess to be made; values (A,): scratch.
        """
        states, raw_states, tables, _, players, seeds, ties, out, worth = asked
        stack, root = lines.games, lines.masks[0]
        once = seeds.shape[1] == 1 and worth.shape[0] == 0
        for _ in range(most):
            row = next_row(asked, turn)
            if row < 0:
                break
            t = tables[states[row].table]
            player = players[row]
            values[:] = 0.0
            left = budget
            for world in range(seeds.shape[1]):
                copy_row(raw_states[row], lines.raw[0])
                stack[0].rng = seeds[row, world]
                determinize(stack[0], t, player)
                legal(stack[0], t, root)
                todo = count_legal(root)
                if todo == 1:
                    break
                todo *= seeds.shape[1] - world
                left = assess(lines, t, player, left, todo, values, once)
                if worth.shape[0] == 0:
                    top, second = -np.inf, -np.inf
                    for action in range(root.shape[0]):
                        if root[action] and values[action] > second:
                            top, second = max(top, values[action]), min(top, values[action])
                    if top - second >= lead * (world + 1):
                        break
            top = -np.inf
            for action in range(root.shape[0]):
                if root[action] and values[action] > top:
                    top = values[action]
            equal = 0
            for action in range(root.shape[0]):
                if root[action] and values[action] >= top - TIE:
                    equal += 1
            nth = int(ties[row] * equal)
            out[row] = -1
            for action in range(root.shape[0]):
                if root[action] and values[action] >= top - TIE:
                    if nth == 0:
                        out[row] = action
                        break
                    nth -= 1
            if worth.shape[0] > 0:
                for action in range(root.shape[0]):
                    worth[row, action] = values[action] if root[action] else -np.inf

    return decide


def from_argument(game: Any, argument: str, threads: int) -> GreedyAgent:
    """The agent ``greedy:ARGUMENT``: how many guesses of what is hidden are averaged; nothing: one. OptionError for anything else."""
    return GreedyAgent(game, worlds=worlds_in("greedy", argument), threads=threads)


class GreedyAgent(Compiled):
    """Takes the action whose chain, if nobody reacts, ends best for it."""

    kind = "greedy"
    lead = np.inf  # how much better than the others an action must be for fewer guesses of what is hidden

    def _make(self, game: Any) -> Any:
        return kernel(game, game.heuristics.quick)

    def __init__(self, game: Any, *, worlds: int = 1, budget: int = BUDGET, threads: int = 1) -> None:
        """`worlds` guesses of what is hidden are averaged; at most about `budget` actions are applied for one decision."""
        self.name = self.kind if worlds == 1 else f"{self.kind}:{worlds}"
        self.worlds = worlds
        self.budget = budget
        super().__init__(game, threads)
        # Called once here, for no decision, so that a first compilation happens now and says so.
        with announced(f"{game.id}.{self.kind}"):
            nobody, rng = np.zeros(0, np.int64), np.random.default_rng(0)
            asked = self._asked(np.zeros(0, game.state_dtype), nobody, rng, np.zeros((0, 0)))
            self._kernel(asked, budget, self.lead, np.zeros(1, np.int64), 0, *self._new_scratch())

    def act_states(self, states: Records, players: Players, rng: np.random.Generator) -> Actions:
        """(N,) records and (N,) players to move -> (N,) int64 ids.

        StateError where a record belongs to a game with other options.
        """
        return self._decide(states, players, rng, np.zeros((0, 0)))

    def action_values(self, states: Records, players: Players, rng: np.random.Generator) -> Values:
        """(N,) records and (N,) players to move -> (N, A) float64: what each legal action is worth to the player, in the units of the
        game's value, or by a learned one as the chance of winning (summed over the worlds); -inf where it is not legal. 0 for an only
        action, which is not looked at."""
        worth = np.empty((len(states), len(self._game.action_names)))
        self._decide(states, players, rng, worth)
        return worth

    def _decide(self, states: Records, players: Players, rng: np.random.Generator, worth: Values) -> Actions:
        asked = self._asked(states, players, rng, worth)

        def decide(turn: npt.NDArray[np.int64], most: int, scratch: tuple[Any, ...]) -> None:
            self._kernel(asked, self.budget, self.lead, turn, most, *scratch)

        self._workers.share(len(asked.out), decide)
        self._workers.check(asked.states, np.flatnonzero(asked.out == IMPOSSIBLE))
        return asked.out

    def _asked(self, states: Records, players: Players, rng: np.random.Generator, worth: Values) -> Decisions:
        seeds = rng.integers(0, 2**64, size=(len(states), self.worlds), dtype=np.uint64)
        return self._workers.asked(states, players, seeds, rng.random(len(states)), worth)

    def _new_scratch(self) -> tuple[Any, ...]:
        return new_lines(self._game, DEPTH, self._new_params()), np.zeros(self._game.num_actions, np.float64)

    def _new_params(self) -> Any:
        """What the value function of one worker asks."""
        return NO_PARAMS
