"""The agent that looks ahead and plays by a learned value: an estimate of who will win, from features of the position.

A game defines the features (`Heuristics.features`: numbers for one player's side) and the role of each player (`Tables.roles`: the artist).
With f the features of one side and g those of the other, the value in logits of winning is

    l f - l' g  +  c . (relu(A f + B' g + b) - relu(A' g + B f + b))

where l, A and B are weights of the role of the first side, and l', A' and B' of the second: what is good for one side is as bad for the
other. With more than two sides, each has a strength, and its chance to win is the exponential of its strength divided by the sum over all
sides (Luce, 1959); B' g and B f are then means over the other sides in the game. A side whose features are all zero is out.

The agent plans its turn to the end as if nobody reacted, and values the positions in which it may end (`search.planning`). If luck decides
much, it plays the game on instead, and values the positions it gets to (`search.playouts`). Both happen in worlds in which what the player
cannot know has been redrawn. `react_env.training.algorithms.td` learns the value by self-play. A policy may add to the result
(`react_env.agents.players.value_policy`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from react_env.agents import arguments
from react_env.agents.models.model import ModelInfo, ValueArchitecture, Weights
from react_env.agents.observed import see
from react_env.agents.players.greedy import make_decide
from react_env.agents.players.planner import PlanningAgent
from react_env.agents.players.value_policy import ValuePolicy, told
from react_env.agents.protocol import Actions, Players, Records
from react_env.agents.search import playouts
from react_env.agents.search.lookahead import UNIT, new_lines
from react_env.agents.search.planning import BUDGET, WIDTH, make_plan
from react_env.engine.compile import njit
from react_env.engine.game import Game, once_per_game
from react_env.errors import OptionError

WORLDS = 4  # guesses of what is hidden
_RANGES = {"worlds": (1, 10_000), "width": (0, 4000), "budget": (1, 1_000_000), "playout": (0, 1000)}
_TIE = -2.0  # logits of a tie or a game that is cut: only a player who is about to lose wants one
_LANES = 32  # rows of the product are padded to a multiple of this many numbers, which the processor takes at once


class Params(NamedTuple):
    """The weights and scratch memory of one worker, for K roles and their mean, which stands for roles that were not learned.

    The arrays are few: compiled code counts its references to each, and that costs more than a row of the product.
    """

    weights: npt.NDArray[np.float32]  # (K + 1, F + 1, W) linear, own, other, zeros up to W; row F is 0: no feature
    ends: npt.NDArray[np.float32]  # (2, H) bias, out
    role: npt.NDArray[np.int64]  # (T, P) the role of each player at each table
    # (P + 1, F + 1): the features of each player when last asked for, and those of the player at hand; the last column is 0.
    counts: npt.NDArray[np.float32]
    present: npt.NDArray[np.int64]  # (F + 4,) scratch: the features that are not 0
    # (P, 2): for each player, how many features were not 0, and the number of the role plus 1; 0 before the first question.
    kept: npt.NDArray[np.int64]
    sums: npt.NDArray[np.float32]  # (P + 1, W) the product of each player, and scratch


def new_params(weights: Weights, shape: ValueArchitecture, game: Any) -> Params:
    """Params with weights of this shape for games of these rules, with scratch memory of their own."""
    roles, features, width = weights["own"].shape
    whole = np.zeros((roles, features + 1, -(-(2 * width + 1) // _LANES) * _LANES), np.float32)
    whole[:, :-1, 0] = weights["linear"]
    whole[:, :-1, 1 : 1 + width] = weights["own"]
    whole[:, :-1, 1 + width : 1 + 2 * width] = weights["other"]
    known = {role: number for number, role in enumerate(shape.roles)}
    return Params(
        np.concatenate([whole, whole.mean(0, keepdims=True)]),
        np.stack([weights["bias"], weights["out"]]).astype(np.float32),
        np.array([[known.get(role, len(known)) for role in table] for table in game.rules.tables.roles], np.int64),
        np.zeros((game.num_players + 1, features + 1), np.float32),
        np.zeros(features + 4, np.int64),
        np.zeros((game.num_players, 2), np.int64),
        np.zeros((game.num_players + 1, whole.shape[2]), np.float32),
    )


def untrained(shape: ValueArchitecture) -> Weights:
    """Weights by which all positions have the same value."""
    return {name: np.zeros(size, np.float32) for name, size in shape.shapes(0, 0).items()}


@njit
def _opposed(sums: Any, kept: Any, side: Any, column: Any) -> Any:
    """The mean of a column of the sums over all sides in the game except one."""
    total, count = np.float32(0.0), np.float32(0.0)
    for q in range(kept.shape[0]):
        if q != side and kept[q, 0] > 0:
            total += sums[q, column]
            count += np.float32(1.0)
    return total / count


@njit
def _sum_up(params: Any, role: Any, p: Any) -> None:
    """Multiplies the features at hand by the matrices of the role, for player `p`. Does nothing if both are unchanged: most actions change
    the features of one side alone."""
    counts, kept, sums, weights, present = params.counts, params.kept, params.sums, params.weights, params.present
    known, new = counts[p], counts[counts.shape[0] - 1]
    other = kept[p, 1] != role + 1
    for j in range(new.size):
        other |= known[j] != new[j]
    if not other:
        return
    found = 0
    for j in range(new.size):
        known[j] = new[j]
        present[found] = j
        found += new[j] != 0
    kept[p, 0], kept[p, 1] = found, role + 1
    present[found : found + 3] = new.size - 1
    total = sums[p]
    total[:] = 0.0
    for k in range(0, found, 4):  # four rows at once: the sums are loaded and stored once for all
        a, b, c, d = present[k], present[k + 1], present[k + 2], present[k + 3]
        u, v, w, x = new[a], new[b], new[c], new[d]
        for j in range(total.size):
            total[j] += (
                u * weights[role, a, j] + v * weights[role, b, j] + w * weights[role, c, j] + x * weights[role, d, j]
            )


@njit
def _hidden_lead(ends: Any, mine: Any, theirs: Any, terms: Any) -> Any:
    """What the hidden layer adds to the lead over the only other side, from the sums of both. Its terms are added in halves, many at a
    time, and in the same order everywhere."""
    bias, out, zero = ends[0], ends[1], np.float32(0.0)
    own, of_own = mine[1 : 1 + bias.size], mine[1 + bias.size :]
    other, of_other = theirs[1 : 1 + bias.size], theirs[1 + bias.size :]
    for j in range(bias.size):
        first, second = bias[j] + own[j] + of_other[j], bias[j] + other[j] + of_own[j]
        terms[j] = out[j] * (max(first, zero) - max(second, zero))
    count = bias.size
    while count > 1:
        half = (count + 1) // 2
        low, high = terms[:half], terms[half:count]
        for j in range(high.size):
            low[j] += high[j]
        count = half
    return terms[0]


@once_per_game
def learned(game: Game) -> Any:
    """The compiled value_of(s, t, player, params) -> float in the units of the game's own value."""
    features: Any = game.heuristics.features

    @njit(name=f"{game.id}.learned")
    def value_of(s: Any, t: Any, player: Any, params: Any) -> Any:
        """The chance that `player` wins, as logits times UNIT; a win is 1e6."""
        if s.over:
            return 1e6 * s.reward[player] if s.reward[player] else UNIT * _TIE
        ends, kept, sums = params.ends, params.kept, params.sums
        width = ends.shape[1]
        players = s.reward.shape[0]
        for i in range(players):
            p = (player + i) % players
            features(s, t, p, params.counts[players])
            _sum_up(params, params.role[s.table, p], p)
            if i == 0 and players > 2 and kept[p, 0] == 0:
                return -1e5
        # -log(sum(exp(-lead))) over the leads over the other sides; with a single one, the lead itself.
        least, odds = np.inf, 0.0
        for i in range(1, players):
            q = (player + i) % players
            if players > 2 and kept[q, 0] == 0:
                continue
            total = sums[player, 0] - sums[q, 0]
            if players == 2:
                total += _hidden_lead(ends, sums[player], sums[q], sums[players])
            else:
                for j in range(1, 1 + width):
                    mine = ends[0, j - 1] + sums[player, j] + _opposed(sums, kept, player, width + j)
                    theirs = ends[0, j - 1] + sums[q, j] + _opposed(sums, kept, q, width + j)
                    total += ends[1, j - 1] * (max(mine, np.float32(0.0)) - max(theirs, np.float32(0.0)))
            lead = float(total)
            if lead < least:
                odds = 1.0 + odds * np.exp(lead - least)
                least = lead
            else:
                odds += np.exp(least - lead)
        return UNIT * (least - np.log(odds))

    return value_of


@once_per_game
def _kernel(game: Game, plays_on: bool) -> Any:
    """The compiled choice of an action: by plans, or by playouts."""
    if plays_on:
        return playouts.make_playouts(game, learned(game), f"{game.id}.learned_playouts")
    prefix = f"{game.id}.learned_value"
    return make_decide(game, make_plan(game, learned(game), prefix), prefix)


class ValueAgent(PlanningAgent):
    """Plans the turn that ends, if nobody reacts, where its value finds a win most likely, and takes the first action."""

    kind = "value"

    def __init__(
        self,
        game: Any,
        weights: Weights,
        info: ModelInfo,
        *,
        name: str = kind,
        worlds: int = WORLDS,
        width: int = WIDTH,
        budget: int = BUDGET,
        playout: int = 0,
        policy: bool = True,
        threads: int = 1,
    ) -> None:
        """It averages the chances in `worlds` guesses of what is hidden, or fewer if the best action is clear; in each it applies about
        `budget` actions for the first play. The plan of a turn follows `width` positions; 0: it ends with the first play. With `playout`
        there is no plan: each action is played on until the main phase has passed to another player that many times, counted from the
        first main phase after it (`search.playouts`). `policy`: whether to use the policy over the value, if there is one.

        OptionError for a number out of its range."""
        assert isinstance(info.architecture, ValueArchitecture)
        given = locals()  # the options by name
        arguments.check_ranges(name, given, _RANGES)
        self.info = info
        self.weights = weights
        self.policy = ValuePolicy(game, weights, threads=threads) if policy and info.architecture.policy else None
        self.playout = playout
        # How it plays, as `agents.load` takes it behind a model's path and a colon.
        self.how = str(worlds) + arguments.differing(given, _known(game))
        super().__init__(game, worlds=worlds, width=width, budget=budget, threads=threads)
        if playout:
            self.budget = playout
        self.name = name

    def _make(self, game: Any) -> Any:
        return _kernel(game, self.playout > 0)

    def act_states(self, states: Records, players: Players, rng: np.random.Generator) -> Actions:
        """(N,) records and (N,) players to move -> (N,) int64 ids: the choices of the policy if there is one, else of the value.

        StateError if a record belongs to a game with other options.
        """
        if self.policy is None:
            return super().act_states(states, players, rng)
        chances = self.win_chances(states, players, rng)  # this also refuses records that no game could reach
        observations, masks = see(self._game, states)
        features = told(self.policy.describe, states, players, masks, rng, chances)
        return self.policy.logits(observations, masks, features).argmax(1)

    def set_weights(self, weights: Weights) -> None:
        """Play by other weights of the same shape from now on. The policy over the value stays as it is."""
        self.weights = weights
        self._workers.scratch.clear()

    def new_params(self) -> Params:
        """The weights, with scratch memory of their own."""
        assert isinstance(self.info.architecture, ValueArchitecture)
        return new_params(self.weights, self.info.architecture, self._game)

    def _new_scratch(self) -> tuple[Any, ...]:
        if self.playout:
            return new_lines(self._game, playouts.DEPTH, self.new_params()), np.zeros((3, self._game.num_actions))
        return super()._new_scratch()


def _known(game: Any) -> dict[str, Any]:
    return arguments.usual(ValueAgent, "value", game, without=("name", "worlds", "threads"))


def options_of(name: str, how: str, game: Any) -> dict[str, Any]:
    """The keywords of `ValueAgent` that ``name:how`` gives: a number of guesses of what is hidden, and options by name (1,width=0).

    OptionError for anything else.
    """
    worlds, texts = arguments.split(how)
    if worlds and not worlds.isdecimal():
        raise OptionError(
            f"{name}:{how}: give the number of guesses of the hidden information ({name}:4), and options after commas ({name}:1,width=0)"
        )
    known = _known(game)
    usual = game.heuristics.search.get("worlds", WORLDS)
    return {"worlds": int(worlds or usual), **known, **arguments.read(f"{name}:{how}", texts, known)}
