"""How exploitable a policy is, exactly: for games so small that the whole tree fits into memory.

    game = react_env.load("arts_of_war-v0", edition="small")
    tree = GameTree.of(game)
    exact_exploitability(tree, agents.load("path/to/model.safetensors", game)).nash_conv
    solve(tree).value

The tree is walked once through OpenSpiel's interface and kept in the sequence form (von Stengel, 1996; Koller, Megiddo and von
Stengel, 1994): for each player the sequences of own actions, and a sparse matrix with what each pair of sequences pays. A best
response is then one product with the matrix and one pass over the player's information sets, from the last to the first; an equilibrium is
one linear program. OpenSpiel's own best response gives the same values (tests/evaluation/test_exact.py), but walks the tree anew each time.
Games have two players and zero sum.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from react_env.agents.players.neural import NeuralAgent
from react_env.agents.players.uniform import RandomAgent
from react_env.engine.game import Game
from react_env.errors import OptionError
from react_env.evaluation.arrays import Bools, Floats, Ints
from react_env.extras import need
from react_env.registry import small_games

# (observations (N, O) int8, masks (N, A) bool) -> probabilities (N, A).
Policy: TypeAlias = Callable[[npt.NDArray[np.int8], Bools], Any]
UNIFORM = "uniform"
PLAYERS = 2
MOST_HISTORIES = 3_000_000


@dataclass(frozen=True)
class Side:
    """What one player can know and do: I information sets and S sequences.

    A sequence is the player's own actions up to some point; number 0 is the empty one. Both are numbered as the walk met them, so that
    what leads to an information set has a smaller number than what comes after it.
    """

    keys: list[str]  # (I,) information state strings
    first: Ints  # (I + 1,): set i offers the sequences first[i] to first[i + 1] - 1
    parent: Ints  # (I,) the sequence that leads to the set
    actions: Ints  # (S,) the last action of each sequence, -1 for the empty one
    observations: npt.NDArray[np.int8] | None  # (I, O), for our own games
    action_count: int

    @property
    def masks(self) -> Bools:
        """What is legal in each information set, (I, A)."""
        found = np.zeros((len(self.keys), self.action_count), np.bool_)
        found[self.owner[1:], self.actions[1:]] = True
        return found

    @property
    def owner(self) -> Ints:
        """The information set of each sequence, (S,); -1 for the empty one."""
        return np.concatenate([[-1], np.repeat(np.arange(len(self.keys)), np.diff(self.first))])

    @property
    def flow(self) -> Any:
        """Sparse (I + 1, S). x >= 0 is a realization plan if `flow @ x` is (1, 0, ..., 0): sets share out the weight that leads to them."""
        from scipy.sparse import csr_array

        sets, sequences = np.arange(len(self.keys)) + 1, np.arange(len(self.actions))
        ends = (np.concatenate([self.owner + 1, sets]), np.concatenate([sequences, self.parent]))
        signs = np.repeat([1.0, -1.0], [len(sequences), len(sets)])
        return csr_array((signs, ends), shape=(len(sets) + 1, len(sequences)))

    def uniform(self) -> Floats:
        """(S,): all actions of a set equally likely."""
        return np.concatenate([[1.0], np.repeat(1.0 / np.diff(self.first), np.diff(self.first))])

    def plan(self, policy: Floats) -> Floats:
        """The realization plan, (S,): the product of the player's own probabilities along each sequence. `policy` (S,)."""
        out = policy.copy()
        out[0] = 1.0
        for parent, start, end in zip(self.parent, self.first, self.first[1:]):
            out[start:end] *= out[parent]
        return out

    def policy(self, plan: Floats) -> Floats:
        """The policy (S,) of a realization plan; uniform in sets that the player's own choices never reach."""
        totals = np.add.reduceat(plan, self.first[:-1])
        spread = np.repeat(totals, np.diff(self.first))
        out = self.uniform()
        np.divide(plan[1:], spread, out=out[1:], where=spread > 0)
        return out

    def best(self, gains: Floats) -> float:
        """The value of the best response if games that end with sequence s are worth gains[s] (S,) in all."""
        values = gains.copy()
        for i in reversed(range(len(self.parent))):
            values[self.parent[i]] += values[self.first[i] : self.first[i + 1]].max()
        return float(values[0])


@dataclass(frozen=True)
class GameTree:
    """A whole game in the sequence form.

    Attributes:
        sides: the sides of player 0 and player 1.
        payoff: sparse (S0, S1): what player 0 gets when the two sequences are played, times the probability of the chance events.
        histories: nodes of the tree, ends and chance among them.
        seconds: how long the walk took.
        game: id and rules hash, or OpenSpiel's name for one of its own games.
    """

    sides: tuple[Side, Side]
    payoff: Any
    histories: int
    seconds: float
    game: str

    @classmethod
    def of(cls, game: Any, most: int = MOST_HISTORIES) -> GameTree:
        """Walk the tree of a game of ours, or of OpenSpiel (`pyspiel.Game`) with two players, zero sum and explicit chance.

        Raises:
            OptionError: the game does not have two players, its chance is sampled or hidden in a seed, it has more than `most`
                histories, or a player forgets what it knew.
        """
        need("openspiel", "pyspiel")
        import pyspiel

        from react_env.envs.openspiel import SpielGame

        spiel = SpielGame(game) if isinstance(game, Game) else game
        kind = spiel.get_type()
        sampled = kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC
        if sampled or (isinstance(spiel, SpielGame) and not spiel.lists_chance) or spiel.num_players() != PLAYERS:
            raise OptionError(
                f"{kind.long_name}: an exact walk needs a game of two players whose chance can be listed; "
                f"load {small_games()}"
            )
        started = time.perf_counter()
        builders = [_Builder(), _Builder()]
        entries: dict[tuple[int, int], float] = {}
        histories = 0
        stack = [(spiel.new_initial_state(), 1.0, (0, 0))]
        while stack:
            state, chance, at = stack.pop()
            histories += 1
            if histories > most:
                raise OptionError(
                    f"{kind.long_name}: the tree has more than {most} histories; an exact walk needs a smaller game, "
                    f"such as {small_games()}"
                )
            if state.is_terminal():
                value = chance * state.player_return(0)
                if value:
                    entries[at] = entries.get(at, 0.0) + value
            elif state.is_chance_node():
                stack += [(state.child(outcome), chance * p, at) for outcome, p in reversed(state.chance_outcomes())]
            else:
                player = state.current_player()
                legal = state.legal_actions()
                sequence = builders[player].enter(state, player, at[player], legal)
                for n, action in reversed(list(enumerate(legal))):
                    now = (sequence + n, at[1]) if player == 0 else (at[0], sequence + n)
                    stack.append((state.child(action), chance, now))
        need("eval", "scipy")
        from scipy.sparse import csr_array

        sides = (builders[0].side(spiel.num_distinct_actions()), builders[1].side(spiel.num_distinct_actions()))
        ends = np.array(list(entries), np.int64).reshape(-1, PLAYERS).T
        shape = (len(sides[0].actions), len(sides[1].actions))
        payoff = csr_array((np.array(list(entries.values())), (ends[0], ends[1])), shape=shape)
        name = f"{game.id} ({game.rules_hash})" if isinstance(game, Game) else str(spiel)
        return cls(sides, payoff, histories, time.perf_counter() - started, name)

    def gains(self, player: int, other: Floats) -> Floats:
        """What the player's sequences pay, (S,), against the other's realization plan."""
        return self.payoff @ other if player == 0 else -(self.payoff.T @ other)

    def best_responses(self, policies: tuple[Floats, Floats]) -> tuple[float, float]:
        """What each player gets by a best response to the other's policy (S,)."""
        plans = [side.plan(policy) for side, policy in zip(self.sides, policies)]
        first, second = (self.sides[p].best(self.gains(p, plans[1 - p])) for p in range(PLAYERS))
        return first, second

    def value(self, policies: tuple[Floats, Floats]) -> float:
        """What player 0 gets when both play these policies."""
        plans = [side.plan(policy) for side, policy in zip(self.sides, policies)]
        return float(plans[0] @ self.gains(0, plans[1]))


@dataclass(frozen=True)
class Exploitability:
    """How much worse a policy is than an unbeatable one, in rewards (a win 1, a tie 0, a loss -1).

    Attributes:
        best_responses: what a perfect opponent in seat 0, and in seat 1, gets against the policy in the other seat.
        value: what the policy in seat 0 gets against itself.
        histories, information_sets: how large the tree is; the information sets are counted for each seat.
        seconds: how long it took, without the walk over the tree.
    """

    best_responses: tuple[float, float]
    value: float
    histories: int
    information_sets: tuple[int, int]
    seconds: float

    @property
    def nash_conv(self) -> float:
        """What both seats together could gain by a best response; 0 in an equilibrium (Lanctot et al., 2017)."""
        return sum(self.best_responses)

    @property
    def exploitability(self) -> float:
        """What a perfect opponent gets on average over both seats beyond the fair share: half of `nash_conv`."""
        return self.nash_conv / PLAYERS


def exact_exploitability(game: Game | GameTree, policy: Any = UNIFORM, temperature: float = 1.0) -> Exploitability:
    """The best response to a policy, in each seat, over all histories of a game.

    Args:
        game: a game of ours with a small tree; or its `GameTree`, which saves the walk if several policies are judged.
        policy: "uniform"; a `NeuralAgent`, which is taken to draw from softmax(logits / temperature) over the legal actions; a
            `RandomAgent`; or a function from observations (N, O) int8 and masks (N, A) bool to probabilities (N, A).
        temperature: temperature of a `NeuralAgent`; 0: always the action of the largest logit.

    Raises:
        OptionError: a policy that gives no probabilities, or a game whose tree cannot be walked.
    """
    tree = game if isinstance(game, GameTree) else GameTree.of(game)
    started = time.perf_counter()
    first, second = (_table(side, policy, temperature) for side in tree.sides)
    return Exploitability(
        best_responses=tree.best_responses((first, second)),
        value=tree.value((first, second)),
        histories=tree.histories,
        information_sets=(len(tree.sides[0].keys), len(tree.sides[1].keys)),
        seconds=time.perf_counter() - started,
    )


@dataclass(frozen=True)
class Solution:
    """An equilibrium, and what the game is worth.

    Attributes:
        bounds: what the two policies guarantee, by their best responses: the value lies between.
        policies: the probability of each sequence's last action, (S,) for each player.
        seconds: how long it took, without the walk over the tree.
    """

    bounds: tuple[float, float]
    policies: tuple[Floats, Floats]
    seconds: float

    @property
    def value(self) -> float:
        """The value of the game for player 0, known to within `tolerance`."""
        return sum(self.bounds) / 2

    @property
    def tolerance(self) -> float:
        return (self.bounds[1] - self.bounds[0]) / 2


def solve(game: Game | GameTree) -> Solution:
    """An equilibrium, by the linear program of the sequence form (Koller, Megiddo and von Stengel, 1994) and HiGHS.

    `game` as in `exact_exploitability`. RuntimeError if the program cannot be solved.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack

    tree = game if isinstance(game, GameTree) else GameTree.of(game)
    started = time.perf_counter()
    # The unknowns: player 0's plan, and what it guarantees in each set of player 1. The first of these is the game's value: maximize it.
    flow, prices = tree.sides[0].flow, tree.sides[1].flow.T
    sequences, places = flow.shape[1], prices.shape[1]
    one, zeros = np.eye(1, flow.shape[0])[0], np.zeros(prices.shape[0])
    found = linprog(
        -np.eye(1, sequences + places, sequences)[0],
        A_ub=hstack([-tree.payoff.T, prices]),
        b_ub=zeros,
        A_eq=hstack([flow, csr_array((flow.shape[0], places))]),
        b_eq=one,
        bounds=[(0, None)] * sequences + [(None, None)] * places,
        method="highs-ipm",
    )
    if found.status:
        raise RuntimeError(f"{tree.game}: {found.message}")
    plans = (found.x[:sequences], -found.ineqlin.marginals)  # player 1's is the dual
    first, second = (side.policy(np.maximum(plan, 0.0)) for side, plan in zip(tree.sides, plans))
    high, low = tree.best_responses((first, second))
    return Solution((-low, high), (first, second), time.perf_counter() - started)


class _Builder:
    """One player's side while the tree is walked."""

    def __init__(self) -> None:
        self._sets: dict[str, int] = {}
        self._first: list[int] = [1]
        self._parent: list[int] = []
        self._actions: list[int] = [-1]
        self._observations: list[Any] = []

    def enter(self, state: Any, player: int, sequence: int, legal: list[int]) -> int:
        """The first sequence of the information set of a decision, to which the player's own `sequence` has led."""
        key = state.information_state_string(player)
        number = self._sets.setdefault(key, len(self._sets))
        if number == len(self._parent):
            self._parent.append(sequence)
            self._actions += legal
            self._first.append(len(self._actions))
            record = getattr(state, "record", None)
            if record is not None:
                self._observations.append(state.get_game().rules.observe(record, player))
        known = self._actions[self._first[number] : self._first[number + 1]]
        if self._parent[number] != sequence or known != legal:
            raise OptionError(f"a player with imperfect recall, or who cannot know what is legal: {key}")
        return self._first[number]

    def side(self, action_count: int) -> Side:
        """The side, with everything that was met."""
        return Side(
            keys=list(self._sets),
            first=np.array(self._first, np.int64),
            parent=np.array(self._parent, np.int64),
            actions=np.array(self._actions, np.int64),
            observations=np.stack(self._observations) if self._observations else None,
            action_count=action_count,
        )


def _table(side: Side, policy: Any, temperature: float) -> Floats:
    """The probabilities (S,) of a policy as `exact_exploitability` takes it."""
    if isinstance(policy, RandomAgent) or (isinstance(policy, str) and policy == UNIFORM):
        return side.uniform()
    if isinstance(policy, NeuralAgent):
        policy = _softmax(policy, temperature)
    if not callable(policy):
        raise OptionError(
            f"an exact best response needs the probabilities of a policy: 'uniform', a neural agent, or a function from "
            f"observations and masks to probabilities; found {getattr(policy, 'name', policy)!r}"
        )
    if side.observations is None:
        raise OptionError("this tree has no observations of ours, which such a policy needs")
    masks = side.masks
    found = np.asarray(policy(side.observations, masks), np.float64)
    if found.shape != masks.shape or (found < 0).any() or not np.isfinite(found).all():
        raise OptionError(f"a policy gives probabilities {masks.shape}, none negative; found {found.shape}")
    found = np.where(masks, found, 0.0)
    totals = found.sum(axis=1)
    if (totals <= 0).any():
        raise OptionError("a policy gives no legal action any probability")
    out = np.ones(len(side.actions))
    out[1:] = (found / totals[:, None])[side.owner[1:], side.actions[1:]]
    return out


def _softmax(agent: NeuralAgent, temperature: float) -> Policy:
    """What the agent draws from; with temperature 0 its best action."""
    from scipy.special import softmax

    def probabilities(observations: npt.NDArray[np.int8], masks: Bools) -> Floats:
        logits = np.where(masks, agent.logits(observations).astype(np.float64), -np.inf)
        found: Floats
        found = softmax(logits / temperature, axis=1) if temperature else np.eye(masks.shape[1])[logits.argmax(axis=1)]
        return found

    return probabilities
