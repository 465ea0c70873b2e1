"""The look-ahead to the end of the player's own turn: play after play, of which a few of the best are followed (a beam search).

A look to the end of one chain (`lookahead`) does not see what a play prepares: the step that brings a unit within reach, the card
that pays for the next. Here every action is looked at in that way. From the best positions in which the turn goes on, the next play is
looked at in the same way, and so on. An action is worth the best position in which a turn that begins with it ends.

Draws and dice on the way are those of one guess. A plan that counts on them is too hopeful, so agents average over several guesses.

A reaction must be worth its effort, a two-hundredth of a logit: many change nothing, and a value rates them as good as a pass. In the
player's own turn such a step is harmless, and it may end a wait.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from react_env.agents.search.lookahead import TIE, UNIT, make_look
from react_env.agents.search.sharing import make_live_copy
from react_env.engine.compile import njit

WIDTH = 3  # positions that are followed
BUDGET = 1000  # about how many actions are applied for the first play
_SHARE = 60  # and for each first action of a further play
_PLAYS = 8  # further plays in a turn, after which it is valued as it stands
_MORE = 64  # further actions, in which a play is completed by the first choices
_EFFORT = UNIT / 200  # what a reaction must gain over a pass
_EQUAL = 1e-6  # values closer than this are taken for the same position, found in another order


class Beam(NamedTuple):
    """Scratch memory of one worker: where the turn goes on after a play and after the next, and what the first actions lead to."""

    raw: npt.NDArray[np.uint8]  # (2, W, bytes) records
    values: npt.NDArray[np.float64]  # (2, W)
    roots: npt.NDArray[np.int64]  # (2, W) the action that the way there began with
    kept: npt.NDArray[np.int64]  # (2,) how many there are
    # (4,) of the play at hand: the way's first action, where the next play begins (0 or 1), the turn, whether that action is a reaction
    place: npt.NDArray[np.int64]
    first: npt.NDArray[np.float64]  # (A,) the value after the first play
    ended: npt.NDArray[np.float64]  # (A,) the best value after the turn has ended, -inf if none was found
    followed: npt.NDArray[np.bool_]  # (A,) whether the turn was played on after it


def new_beam(game: Any, width: int = WIDTH) -> Beam:
    """Scratch memory for games of these rules, in which `width` positions are followed; 0: plans end with the first play."""
    actions = len(game.action_names)
    return Beam(
        np.zeros((2, width, game.state_dtype.itemsize), np.uint8),
        np.zeros((2, width)),
        np.zeros((2, width), np.int64),
        np.zeros(2, np.int64),
        np.zeros(4, np.int64),
        np.zeros(actions),
        np.zeros(actions),
        np.zeros(actions, np.bool_),
    )


@njit
def _turn(s: Any) -> Any:
    """The number of the turn."""
    return s.turn


@njit
def _no_turn(s: Any) -> Any:
    """The turn of a game whose records do not show it: a plan ends with the first play."""
    return -1


@njit
def as_chance(value: Any) -> Any:
    """The chance of winning that a value stands for."""
    return 1.0 / (1.0 + np.exp(-value / UNIT))


@njit
def as_value(chance: Any) -> Any:
    """The value that stands for a chance of winning; -inf for no chance."""
    return UNIT * np.log(chance / (1.0 - chance)) if chance > 0.0 else -np.inf


def make_plan(game: Any, value_of: Any, prefix: str) -> Any:
    """Compiles the plan for `game`, positions valued by value_of(s, t, player, params); `prefix` names the functions in the cache.

    `plan(lines, t, player, left, todo, values, once)` is an `assess` of `greedy.make_decide`. It adds the
    chance of winning after each legal action of lines.games[0]. `left` is for the first plays. lines.params: (params of the value, a Beam).
    """
    legal, unfinished, pass_action = game.rules.legal, game.heuristics.unfinished, game.heuristics.pass_action
    copy_live = make_live_copy(game)
    turn_of = _turn if "turn" in game.state_dtype.names else _no_turn

    @njit(name=f"{prefix}.keep")
    def keep(beam: Any, side: Any, raw: Any, value: Any, root: Any) -> None:
        """Notes a position from which the turn goes on, if it is among the best."""
        values = beam.values[side]
        count = beam.kept[side]
        worst = 0
        if values.shape[0] == 0:
            return
        for i in range(count):
            if abs(values[i] - value) < _EQUAL:
                return
            if values[i] < values[worst]:
                worst = i
        if count < values.shape[0]:
            worst = count
            beam.kept[side] = count + 1
        elif values[worst] >= value:
            return
        values[worst] = value
        beam.roots[side, worst] = root
        copy_live(raw, beam.raw[side, worst])

    @njit(name=f"{prefix}.note")
    def note(params: Any, s: Any, raw: Any, row: Any, player: Any, value: Any, complete: Any) -> None:
        """Notes where the turn goes on, and the best value where it has ended; a choice of the opponent counts as an end."""
        beam = params[1]
        root, side = beam.place[0], beam.place[1]
        value -= _EFFORT * beam.place[3]
        goes_on = (
            s.over == 0
            and turn_of(s) == beam.place[2] >= 0
            and s.to_play == player
            and unfinished(s) == 0
            and pass_action(s) < 0
        )
        if complete and goes_on:
            keep(beam, side, raw[row], value, root)
        else:
            beam.ended[root] = max(beam.ended[root], value)

    @njit(name=f"{prefix}.value_planned")
    def value_planned(s: Any, t: Any, player: Any, params: Any) -> Any:
        return value_of(s, t, player, params[0])

    look = make_look(game, value_planned, prefix, note)

    @njit(name=f"{prefix}.plan")
    def plan(lines: Any, t: Any, player: Any, left: Any, todo: Any, values: Any, once: Any) -> Any:
        games, raw, masks, beam = lines.games, lines.raw, lines.masks, lines.params[1]
        root, place, first, ended, followed = masks[0], beam.place, beam.first, beam.ended, beam.followed
        beam.kept[0] = 0
        place[1], place[2] = 0, turn_of(games[0])
        ended[:] = -np.inf
        followed[:] = False
        alone = beam.values.shape[1] == 0  # the first play is all that counts: nothing is played on from
        passes = -1 if unfinished(games[0]) else pass_action(games[0])
        least = -np.inf
        for number in range(root.shape[0]):
            action = root.shape[0] - 1 - number if alone else number  # the lowest last, as in `greedy`
            if root[action]:
                place[0], place[3] = action, passes >= 0 and action != passes
                share = max(1, left // todo)
                first[action], spent = look(lines, 0, 1, t, player, action, alone, least, share, share + _MORE)
                first[action] -= _EFFORT * place[3]
                if alone and once:
                    least = max(least, as_value(as_chance(first[action]) - 2.0 * TIE))
                left -= spent
                todo -= 1
        for i in range(beam.kept[0]):
            followed[beam.roots[0, i]] = True
        for number in range(_PLAYS):
            side = number % 2
            place[1] = 1 - side
            beam.kept[1 - side] = 0
            for i in range(beam.kept[side]):
                place[0] = beam.roots[side, i]
                place[3] = passes >= 0 and place[0] != passes
                copy_live(beam.raw[side, i], raw[1])
                legal(games[1], t, masks[1])
                for action in range(root.shape[0]):
                    if masks[1, action]:
                        look(lines, 1, 2, t, player, action, False, -np.inf, _SHARE, _SHARE + _MORE)
        side = _PLAYS % 2
        for i in range(beam.kept[side]):
            ended[beam.roots[side, i]] = max(ended[beam.roots[side, i]], beam.values[side, i])
        lowest = np.inf  # stays so if nothing was followed
        for action in range(root.shape[0]):
            if followed[action] and ended[action] > -np.inf:
                lowest = min(lowest, ended[action])
        for action in range(root.shape[0]):
            if root[action]:
                # An action that was dropped looked worse than those that were followed: it is worth no more than the least of them.
                value = ended[action] if lowest < np.inf and ended[action] > -np.inf else min(first[action], lowest)
                values[action] += as_chance(value)
        return left

    return plan
