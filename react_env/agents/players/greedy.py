"""The agent that follows each legal action to the end of its chain, as if nobody reacted, and takes the one that ends best.

For each decision it copies the game, redraws what its player cannot know (`determinize`, with a seed of its own, so that neither the
opponent's cards nor the next draws are seen), and tries every legal action on a copy:

* choices that complete what was begun (a zone, a direction, a part of an effect) are searched depth first: its own for the best result, the
  opponent's for the worst;
* at every free decision with a pass (a reaction window) it passes, whoever is to move, so that the chain resolves;
* at the next free decision without a pass (a main phase), or when the game is over, the game's quick value counts.

Ties are broken by the agent's random numbers. A budget of applied actions bounds each decision; when it is spent, the position is valued as
it stands. Everything runs in compiled code that allocates nothing and releases the GIL.
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

DEPTH = 48  # nested follow-up choices, after which the position is valued as it stands
BUDGET = 3000  # about how many actions are applied for one decision


@once_per_game
def kernel(game: Game, value_of: Any, prior: Any = None) -> Any:
    """The compiled choice of an action by value_of(s, t, player) of the position it leads to, plus `prior` of the action itself."""
    prefix = f"{game.id}.{'greedy' if prior is None and value_of is game.heuristics.quick else 'scripted'}"
    return make_decide(game, _make_try_all(game, value_of, prior, prefix), prefix)


def _make_try_all(game: Game, value_of: Any, prior: Any, prefix: str) -> Any:
    """Compiles the function that tries every action by itself; `prefix` names it in the cache."""
    dear = game.heuristics.quick_value not in (None, value_of)  # if a game has a quick value, its other value is slow
    look = make_look(game, make_value(value_of, prefix), prefix, remembers=dear)
    has_prior = prior is not None
    prior_of = prior if has_prior else no_prior

    @njit(name=f"{prefix}.try_all")
    def try_all(lines: Any, t: Any, player: Any, left: Any, todo: Any, values: Any, once: Any) -> Any:
        root = lines.masks[0]
        least = -np.inf
        # The action with the lowest id, usually the one that does nothing more, comes last: what follows it takes longest to look at.
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
    guess of what is hidden. `left` more actions may be applied, shared by `todo` looks in this guess and the guesses to come; it returns
    how many remain. lines.masks[0] (A,): the legal actions; the other rows are scratch. `once`: this is the only guess, and only the best
    actions are asked for, so it is enough to know which actions are worse than another by more than a tie.
    """
    legal, determinize = game.rules.legal, game.rules.determinize
    next_row = make_next_row(game)

    @njit(name=f"{prefix}.decide")
    def decide(asked: Any, budget: Any, lead: Any, turn: Any, most: Any, lines: Any, values: Any) -> None:
        """Makes at most `most` of the `Decisions` asked, whichever it takes from `turn`.

        lead: how much better than the others an action must be, on average so far, to save the remaining guesses, if only the choice is
        asked for; values (A,): scratch.
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
    """The agent ``greedy:ARGUMENT``: it averages that many guesses of what is hidden, by default one. OptionError for anything else."""
    return GreedyAgent(game, worlds=worlds_in("greedy", argument), threads=threads)


class GreedyAgent(Compiled):
    """Takes the action whose chain, if nobody reacts, ends best for it."""

    kind = "greedy"
    lead = np.inf  # how much better than the others an action must be to save the remaining guesses

    def _make(self, game: Any) -> Any:
        return kernel(game, game.heuristics.quick)

    def __init__(self, game: Any, *, worlds: int = 1, budget: int = BUDGET, threads: int = 1) -> None:
        """It averages `worlds` guesses of what is hidden, and applies at most about `budget` actions for one decision."""
        self.name = self.kind if worlds == 1 else f"{self.kind}:{worlds}"
        self.worlds = worlds
        self.budget = budget
        super().__init__(game, threads)
        # Called once here, for no decision, so that a first compilation happens now and is announced.
        with announced(f"{game.id}.{self.kind}"):
            nobody, rng = np.zeros(0, np.int64), np.random.default_rng(0)
            asked = self._asked(np.zeros(0, game.state_dtype), nobody, rng, np.zeros((0, 0)))
            self._kernel(asked, budget, self.lead, np.zeros(1, np.int64), 0, *self._new_scratch())

    def act_states(self, states: Records, players: Players, rng: np.random.Generator) -> Actions:
        """(N,) records and (N,) players to move -> (N,) int64 ids.

        StateError if a record belongs to a game with other options.
        """
        return self._decide(states, players, rng, np.zeros((0, 0)))

    def action_values(self, states: Records, players: Players, rng: np.random.Generator) -> Values:
        """(N,) records and (N,) players to move -> (N, A) float64: what each legal action is worth to the player, summed over the
        worlds: in the units of the game's value, or for an agent that plans as chances of winning. -inf for illegal actions; 0 for a
        single legal action, which is not looked at."""
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
        """The parameters of the value function, for one worker."""
        return NO_PARAMS
