"""What each legal action leads to, in numbers, so that learning algorithms need not find out the rules by themselves.

A network that sees a position has to learn what every card does before it can learn which result is good. The rules know what a card does.
So each legal action is tried on a copy of the game as greedy tries it (`react_env.agents.search.lookahead`): what the player cannot know is
redrawn, windows are passed, and the play is completed in the way that the game's value rates best. The numbers tell what has changed
then: the features of both sides (`Heuristics.features`) and the value. The player could work out all of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from react_env.agents.protocol import Masks, Players, Records
from react_env.agents.search.lookahead import UNIT, make_look, make_value, new_lines
from react_env.agents.search.sharing import IMPOSSIBLE, Compiled, admitted, copy_row, make_next_row
from react_env.engine.compile import announced, njit
from react_env.engine.game import Game, once_per_game
from react_env.engine.kernels import count_legal, for_compiled
from react_env.errors import OptionError

DEPTH = 48  # nested follow-up choices, after which the position is valued as it stands
BUDGET = 1000  # about how many actions are applied for one decision
_MORE = 64  # further actions, in which a play is completed by its first choices
_OTHERS = -3  # in place of an action: other actions are legal than the given mask says
MOST = 5.0  # most logits by which a value changes; winning or losing the game changes it by as many


class _Seen(NamedTuple):
    """Scratch memory of one worker: the best that the action at hand may lead to."""

    tables: npt.NDArray[Any]  # (T,) of the game
    value: npt.NDArray[np.float64]  # (1,)
    features: npt.NDArray[np.float32]  # (2, F) of the player's side and the mean of the others'
    one: npt.NDArray[np.float32]  # (F,) of one side


@once_per_game
def kernel(game: Game) -> Any:
    """Compiles the function that fills the rows of many decisions."""
    prefix = f"{game.id}.action_features"
    known = game.heuristics
    features, quick, legal, determinize = known.features, known.quick, game.rules.legal, game.rules.determinize
    features_of: Any = _none if features is None else features
    players = game.num_players
    next_row = make_next_row(game)

    @njit(name=f"{prefix}.sides")
    def sides(s: Any, t: Any, player: Any, out: Any, one: Any) -> None:
        """out (2, F): the features of the player's side, and the mean of the others'."""
        out[:] = 0.0
        for q in range(players):
            features_of(s, t, q, one)
            side, share = (0, np.float32(1.0)) if q == player else (1, np.float32(1.0 / (players - 1)))
            for j in range(one.size):
                out[side, j] += share * one[j]

    @njit(name=f"{prefix}.note")
    def note(seen: Any, s: Any, raw: Any, row: Any, player: Any, value: Any, complete: Any) -> None:
        """Keeps the features of the best position that the player can count on."""
        if value > seen.value[0]:
            seen.value[0] = value
            sides(s, seen.tables[s.table], player, seen.features, seen.one)

    look = make_look(game, make_value(quick, prefix), prefix, note)

    @njit(name=f"{prefix}.describe")
    def describe(
        asked: Any, masks: Any, begins: Any, budget: Any, turn: Any, most: Any, lines: Any, before: Any, out: Any
    ) -> None:
        """Makes at most `most` of the `Decisions` asked, whichever it takes from `turn`: fills out (M, 1 + 2 F) from row begins[...] on,
        with a row for each action that is legal in masks (N, A)."""
        stack, mask, seen = lines.games, lines.masks[0], lines.params
        for _ in range(most):
            row = next_row(asked, turn)
            if row < 0:
                break
            t = asked.tables[asked.states[row].table]
            player = asked.players[row]
            copy_row(asked.raw[row], lines.raw[0])
            stack[0].rng = asked.seeds[row, 0]
            determinize(stack[0], t, player)
            legal(stack[0], t, mask)
            for action in range(mask.shape[0]):
                if mask[action] != masks[row, action]:
                    asked.out[row] = _OTHERS
            todo = count_legal(mask)
            if asked.out[row] == _OTHERS or todo == 1:
                continue
            sides(stack[0], t, player, before, seen.one)
            worth = quick(stack[0], t, player)
            left, place = np.int64(budget), begins[row]
            for action in range(mask.shape[0]):
                if mask[action]:
                    seen.value[0] = -np.inf
                    share = max(1, left // todo)
                    value, spent = look(lines, 0, 1, t, player, action, False, -np.inf, share, share + _MORE)
                    left -= spent
                    todo -= 1
                    out[place, 0] = min(max((value - worth) / UNIT, -MOST), MOST)
                    for side in range(2):
                        for j in range(before.shape[1]):
                            out[place, 1 + side * before.shape[1] + j] = seen.features[side, j] - before[side, j]
                    place += 1

    return describe


@njit
def _none(s: Any, t: Any, player: Any, out: Any) -> None:
    """The features of a game that has none."""


class ActionFeatures(Compiled):
    """What each legal action of many decisions leads to.

    Attributes:
        names: names of the F numbers of an action: "value", how much better the game's value rates the result, in logits of winning
            from -5 to 5 (a win is 5); then, for a game with features, the change of each on the player's own side ("own ...") and on
            the other side ("their ...", the mean over several opponents).
    """

    def __init__(self, game: Game, *, budget: int = BUDGET, threads: int = 1) -> None:
        """At most about `budget` actions are applied for one decision. OptionError for a number out of its range."""
        if budget < 1:
            raise OptionError(f"budget must be at least 1, not {budget!r}")
        features = game.heuristics.feature_names
        self.names = ("value", *(f"own {name}" for name in features), *(f"their {name}" for name in features))
        self.budget = budget
        super().__init__(game, threads)
        with announced(f"{game.id}.action_features"):
            nothing = np.zeros(0, game.state_dtype), np.zeros(0, np.int64), np.zeros((0, game.num_actions), np.bool_)
            self.of_legal(*nothing, np.random.default_rng(0))

    def _make(self, game: Game) -> Any:
        return kernel(game)

    def __call__(
        self, states: Records, players: Players, masks: Masks, rng: np.random.Generator
    ) -> npt.NDArray[np.float32]:
        """(N,) records, (N,) players to move and (N, A) legal actions -> (N, A, F) float32: 0 for illegal actions, and for a single
        legal one, which is not looked at. `rng` draws what the players cannot know.

        Raises:
            StateError: a record of other options, or that no game could reach.
            OptionError: players or masks of another shape, or masks of other positions.
        """
        found = np.zeros((*masks.shape, len(self.names)), np.float32)
        found[masks] = self.of_legal(states, players, masks, rng)
        return found

    def of_legal(
        self, states: Records, players: Players, masks: Masks, rng: np.random.Generator
    ) -> npt.NDArray[np.float32]:
        """As a call, but (M, F) float32: a row for each of the M legal actions, in the order of np.nonzero(masks)."""
        game, count = self._game, len(states)
        if masks.shape != (count, game.num_actions) or masks.dtype != np.bool_:
            raise OptionError(f"masks must be bool ({count}, {game.num_actions}), not {masks.dtype} {masks.shape}")
        masks = for_compiled(masks)
        seeds = rng.integers(0, 2**64, size=(count, 1), dtype=np.uint64)
        begins = np.zeros(count + 1, np.int64)
        np.cumsum(masks.sum(1), out=begins[1:])
        found = np.zeros((int(begins[-1]), len(self.names)), np.float32)
        asked = self._workers.asked(states, players, seeds, np.zeros(0), np.zeros((0, 0)))

        def describe(turn: npt.NDArray[np.int64], most: int, scratch: tuple[Any, ...]) -> None:
            self._kernel(asked, masks, begins, self.budget, turn, most, *scratch, found)

        if count:
            self._workers.share(count, describe)
        else:
            describe(np.zeros(1, np.int64), 0, self._new_scratch())
        self._workers.check(asked.states, np.flatnonzero(asked.out == IMPOSSIBLE))
        for row in np.flatnonzero(asked.out == _OTHERS):
            raise OptionError(f"masks[{row}] is not the mask of legal actions of states[{row}]")
        return found

    def admit(self, states: Records, players: Players) -> tuple[Records, Players]:
        """(N,) records and (N,) players, as compiled code takes them, checked before anything reads them. StateError and OptionError as in
        a call."""
        states, players = admitted(self._game, states, players)
        self._workers.check(states, np.arange(len(states)))
        return states, players

    def none(self) -> npt.NDArray[np.float32]:
        """Zeros (A, F) float32, for when there is nothing to choose."""
        return np.zeros((self._game.num_actions, len(self.names)), np.float32)

    def _new_scratch(self) -> tuple[Any, ...]:
        size = len(self._game.heuristics.feature_names)
        seen = _Seen(self._game.tables, np.zeros(1), np.zeros((2, size), np.float32), np.zeros(size, np.float32))
        return new_lines(self._game, DEPTH, seen), np.zeros((2, size), np.float32)
