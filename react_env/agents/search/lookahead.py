"""What an action leads to if nobody reacts: the depth-first look that greedy, scripted and the searches have in common."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from react_env.agents.search.sharing import as_bytes, copy_row
from react_env.engine.compile import njit

UNIT = 200.0  # a logit of winning in the units in which games judge, about: the first damage to an artist is 125
NO_PARAMS = (0,)  # in place of what a learned value asks (`react_env.agents.players.learned_value.Params`)


class Lines(NamedTuple):
    """Scratch memory of one worker that looks ahead, D rows deep."""

    games: npt.NDArray[Any]  # (D,) records
    raw: npt.NDArray[np.uint8]  # (D, bytes) the same memory: compiled code copies bytes far faster than records
    masks: npt.NDArray[np.bool_]  # (D, A) the legal actions
    cursor: npt.NDArray[np.int64]  # (D,) the next action to try
    best: npt.NDArray[np.float64]  # (D,) the value so far
    origin: npt.NDArray[np.float64]  # (P,) the value of the position to decide for each player, as far as it is needed
    params: Any  # what a learned value asks


def new_lines(game: Any, depth: int, params: Any = NO_PARAMS) -> Lines:
    """Scratch memory for a game, `depth` rows, and the `params` of a learned value."""
    games = np.zeros(depth, game.state_dtype)
    masks = np.zeros((depth, game.num_actions), np.bool_)
    cursor, best = np.zeros(depth, np.int64), np.zeros(depth, np.float64)
    return Lines(games, as_bytes(games), masks, cursor, best, np.zeros(game.num_players, np.float64), params)


def make_value(evaluate: Any, prefix: str) -> Any:
    """Compiles value_of(s, t, player, params) of evaluate(s, t, player), which has learned nothing; `prefix` names it in the cache."""

    @njit(name=f"{prefix}.value_of")
    def value_of(s: Any, t: Any, player: Any, params: Any) -> Any:
        return evaluate(s, t, player)

    return value_of


@njit
def no_prior(s: Any, t: Any, player: Any, action: Any) -> Any:
    """The prior of a game that has none."""
    return 0.0


@njit
def _unnoted(params: Any, s: Any, raw: Any, row: Any, player: Any, value: Any, complete: Any) -> None:
    """For a look of which only the value counts."""


def make_look(game: Any, value_of: Any, prefix: str, note: Any = _unnoted) -> Any:
    """Compiles the look for `game`, positions valued by value_of(s, t, player, params); `prefix` names the function in the cache.

    `look(lines, root, first, t, player, action, share, nest, most)` gives the value for `player` of `action` in the game lines.games[root],
    and the number of actions applied to find it. Windows are passed, and the choices that complete the
    play are searched depth first, each player taking what is best for the own side, until about `share` actions are spent. From then on
    the first choice is taken, up to `nest` actions, and windows are passed up to `most`; then the position is valued as it stands.

    Of `lines`, which is `Lines` or has the same fields, it uses the rows from `first` on; row `root` is only read.

    `note(params, s, raw, row, player, value, complete)` is told what the player can count on: each position s (raw[row]) to which the own
    choices alone may lead, and its value; with complete 0 what the first choice of another leads to, which may be foreseen, not made.
    """
    apply, unfinished, pass_action = game.rules.apply, game.heuristics.unfinished, game.heuristics.pass_action

    @njit(name=f"{prefix}.look")
    def look(
        lines: Any, root: Any, first: Any, t: Any, player: Any, action: Any, share: Any, nest: Any, most: Any
    ) -> Any:
        games, raw, masks, cursor, best = lines.games, lines.raw, lines.masks, lines.cursor, lines.best
        params = lines.params
        depth = first
        copy_row(raw[root], raw[depth])
        apply(games[depth], t, action, masks[depth])
        spent = 1
        foreign = games.shape[0]  # where another than the player chose first
        arrived = True
        while True:
            s = games[depth]
            mask = masks[depth]
            if arrived:
                while s.over == 0 and unfinished(s) == 0 and pass_action(s) >= 0 and spent < most:
                    apply(s, t, pass_action(s), mask)
                    spent += 1
                if s.over == 0 and unfinished(s) != 0 and spent < nest and depth + 1 < games.shape[0]:
                    cursor[depth] = 0
                    best[depth] = -np.inf
                    if s.to_play != player:
                        best[depth] = np.inf
                        foreign = min(foreign, depth)
                    arrived = False
                    continue
                value = value_of(s, t, player, params)
                if foreign > depth:
                    note(params, s, raw, depth, player, value, 1)
            else:
                choice = cursor[depth]
                while choice < mask.shape[0] and not mask[choice]:
                    choice += 1
                if choice < mask.shape[0] and (cursor[depth] == 0 or spent < share):
                    cursor[depth] = choice + 1
                    copy_row(raw[depth], raw[depth + 1])
                    depth += 1
                    apply(games[depth], t, choice, masks[depth])
                    spent += 1
                    arrived = True
                    continue
                value = best[depth]
                if foreign == depth:
                    foreign = games.shape[0]
                    note(params, s, raw, depth, player, value, 0)
            depth -= 1
            if depth < first:
                return value, spent
            if games[depth].to_play == player:
                best[depth] = max(best[depth], value)
            else:
                best[depth] = min(best[depth], value)
            arrived = False

    return look
