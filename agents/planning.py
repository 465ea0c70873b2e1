"""The look ahead to the end of the own turn: plays one after the other, of which a few of the best are followed (a beam search).

A look to the end of one chain (`agents.lookahead`) does not see what a play prepares: the step that brings a unit within reach, the card
that pays for the next. Here every action is looked at so; the best positions in which the own turn goes on are played on from in the same
way, play after play, and an action is worth the best position in which a turn that begins with it ends.

Draws and dice on the way are those of one guess. A plan that counts on them is too hopeful, so agents average over several guesses.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.lookahead import UNIT
from agents.sharing import as_bytes
from react_env.engine.compile import njit

WIDTH = 3  # positions that are followed
BUDGET = 1000  # actions applied for the first play, about
_SHARE = 60  # and for each first action of a further play
_PLAYS = 8  # in a turn, after which it is judged as it stands
_MORE = 64  # further actions, in which windows are passed
_EQUAL = 1e-6  # values closer than this are of the same position, found in another order


class Beam(NamedTuple):
    """Scratch memory of one worker: where the turn goes on after a play and after the next, and what the first actions lead to."""

    states: npt.NDArray[Any]  # (2, W) records (one at least)
    raw: npt.NDArray[np.uint8]  # (2, W, bytes) the same memory
    values: npt.NDArray[np.float64]  # (2, W)
    roots: npt.NDArray[np.int64]  # (2, W) the action with which the way there began
    kept: npt.NDArray[np.int64]  # (2,) how many there are
    mask: npt.NDArray[np.bool_]  # (A,)
    first: npt.NDArray[np.float64]  # (A,) the value after the first play
    ended: npt.NDArray[np.float64]  # (A,) the best where the turn has ended, -inf where none was found
    followed: npt.NDArray[np.bool_]  # (A,) whether the turn was played on after it


def new_beam(rules: Any, width: int = WIDTH) -> Beam:
    """Scratch memory for games of these rules, in which `width` positions are followed; 0: plans end with the first play."""
    actions = len(rules.action_names)
    rows = max(width, 1)
    states = np.zeros((2, rows), rules.state_dtype)
    return Beam(
        states,
        as_bytes(states.reshape(-1)).reshape(2, rows, -1),
        np.zeros((2, width)),
        np.zeros((2, width), np.int64),
        np.zeros(2, np.int64),
        np.zeros(actions, np.bool_),
        np.zeros(actions),
        np.zeros(actions),
        np.zeros(actions, np.bool_),
    )


def make_plan(rules: Any, judge: Any, prefix: str) -> Any:
    """Compiles the plan for `rules`, positions judged by a learned `judge`; `prefix` names the functions in the cache.

    `plan(games, raw, masks, cursor, best, t, player, left, worlds, values, mind)` adds to values[action] the chance of winning after each
    legal action of games[0], which stand in masks[0]; `left` is what may be applied for the first play, in this and `worlds` - 1 others.
    Returns what is left of it. The scratch is that of `agents.lookahead.make_look`; mind: (what the judge asks, a Beam).
    """
    apply, legal, follow_up, window = rules.apply, rules.legal, rules.follow_up, rules.window

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
        beam.raw[side, worst] = raw

    @njit(name=f"{prefix}.play")
    def play(
        games: Any,
        raw: Any,
        masks: Any,
        cursor: Any,
        best: Any,
        origin: Any,
        t: Any,
        player: Any,
        action: Any,
        share: Any,
        mind: Any,
        beam: Any,
        side: Any,
        root: Any,
    ) -> Any:
        """Looks at one play, which begins with `action` in the record `origin`: its value, and how many actions were applied.

        As `agents.lookahead.make_look`, and what it finds is noted in `beam`: where the turn goes on, for its next play at `side`, and
        where it has ended. After a choice of the opponent nothing is noted, since the own plan cannot count on it; the choice is judged
        as it stands.
        """
        depth = 1
        raw[depth] = origin
        apply(games[depth], t, action, masks[depth])
        spent = 1
        foreign = games.shape[0]  # where the opponent chose first
        arrived = True
        while True:
            s = games[depth]
            mask = masks[depth]
            if arrived:
                while s.over == 0 and follow_up(s) == 0 and window(s) >= 0 and spent < share + _MORE:
                    apply(s, t, window(s), mask)
                    spent += 1
                if s.over == 0 and follow_up(s) != 0 and spent < share + _MORE and depth + 1 < games.shape[0]:
                    cursor[depth] = 0
                    if s.to_play == player:
                        best[depth] = -np.inf
                    else:
                        best[depth] = np.inf
                        foreign = min(foreign, depth)
                    arrived = False
                    continue
                value = judge(s, t, player, mind)
                if foreign > depth:
                    if (
                        s.over == 0
                        and s.turn == games[0].turn
                        and s.to_play == player
                        and follow_up(s) == 0
                        and window(s) < 0
                    ):
                        keep(beam, side, raw[depth], value, root)
                    else:
                        beam.ended[root] = max(beam.ended[root], value)
            else:
                choice = cursor[depth]
                while choice < mask.shape[0] and not mask[choice]:
                    choice += 1
                if choice < mask.shape[0] and (cursor[depth] == 0 or spent < share):
                    cursor[depth] = choice + 1
                    raw[depth + 1] = raw[depth]
                    depth += 1
                    apply(games[depth], t, choice, masks[depth])
                    spent += 1
                    arrived = True
                    continue
                value = best[depth]
                if foreign == depth:
                    foreign = games.shape[0]
                    beam.ended[root] = max(beam.ended[root], value)
            depth -= 1
            if depth < 1:
                return value, spent
            if games[depth].to_play == player:
                best[depth] = max(best[depth], value)
            else:
                best[depth] = min(best[depth], value)
            arrived = False

    @njit(name=f"{prefix}.plan")
    def plan(
        games: Any,
        raw: Any,
        masks: Any,
        cursor: Any,
        best: Any,
        t: Any,
        player: Any,
        left: Any,
        worlds: Any,
        values: Any,
        mind: Any,
    ) -> Any:
        judging, beam = mind
        root = masks[0]
        first, ended, followed, mask = beam.first, beam.ended, beam.followed, beam.mask
        beam.kept[0] = 0
        ended[:] = -np.inf
        followed[:] = False
        todo = 0
        for action in range(root.shape[0]):
            todo += root[action]
        todo *= worlds
        for action in range(root.shape[0]):
            if root[action]:
                share = max(1, left // todo)
                first[action], spent = play(
                    games, raw, masks, cursor, best, raw[0], t, player, action, share, judging, beam, 0, action
                )
                left -= spent
                todo -= 1
        for i in range(beam.kept[0]):
            followed[beam.roots[0, i]] = True
        for number in range(_PLAYS):
            side = number % 2
            beam.kept[1 - side] = 0
            for i in range(beam.kept[side]):
                legal(beam.states[side, i], t, mask)
                for action in range(mask.shape[0]):
                    if mask[action]:
                        play(
                            games,
                            raw,
                            masks,
                            cursor,
                            best,
                            beam.raw[side, i],
                            t,
                            player,
                            action,
                            _SHARE,
                            judging,
                            beam,
                            1 - side,
                            beam.roots[side, i],
                        )
        side = _PLAYS % 2
        for i in range(beam.kept[side]):
            ended[beam.roots[side, i]] = max(ended[beam.roots[side, i]], beam.values[side, i])
        planned = False
        lowest = np.inf
        for action in range(root.shape[0]):
            if followed[action]:
                lowest = min(lowest, ended[action])
                planned = True
        for action in range(root.shape[0]):
            if root[action]:
                # What was dropped looked worse than what was followed: it is worth no more than the least of that.
                value = ended[action] if planned and ended[action] > -np.inf else min(first[action], lowest)
                values[action] += 1.0 / (1.0 + np.exp(-value / UNIT))
        return left

    return plan
