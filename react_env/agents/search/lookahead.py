"""What an action leads to if nobody reacts: the depth-first look that greedy, scripted and the searches have in common."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from react_env.agents.search.sharing import as_bytes, make_live_copy
from react_env.engine.compile import njit
from react_env.engine.kernels import mark

UNIT = 200.0  # about one logit of winning, in the units of the games' values: the first damage to an artist is 125
TIE = 1e-9  # values closer than this are equal
_PASSES = 200  # passes and the action before them, after which a position is valued as it stands
_ONE, _EIGHT = np.uint64(1), np.uint64(8)
_REMEMBERED = 1024  # values, a power of 2
NO_PARAMS = (0,)  # in place of the parameters of a learned value (`react_env.agents.players.learned_value.Params`)


class Lines(NamedTuple):
    """Scratch memory of one worker that looks ahead, D rows deep."""

    games: npt.NDArray[Any]  # (D,) records
    raw: npt.NDArray[np.uint8]  # (D, bytes) the same memory: compiled code copies bytes far faster than records
    masks: npt.NDArray[np.bool_]  # (D, A) the legal actions
    cursor: npt.NDArray[np.int64]  # (D,) the next action to try
    tried: npt.NDArray[np.int64]  # (D,) the action tried last, -1 none
    reply: npt.NDArray[np.int64]  # (D,) the action that was best where this row was last used
    best: npt.NDArray[np.float64]  # (D,) the value so far
    low: npt.NDArray[np.float64]  # (D,) alpha, what the player can have elsewhere: only higher values count
    high: npt.NDArray[np.float64]  # (D,) beta, what the others can hold it to elsewhere: only lower values count
    keys: npt.NDArray[np.uint64]  # (K,) keys of positions, and of the players for whom they were valued, ...
    worths: npt.NDArray[np.float64]  # (K,) ... and their values
    origin: npt.NDArray[np.float64]  # (P,) the value of the position to decide for each player, as far as it is needed
    params: Any  # the parameters of a learned value
    opponent: Any  # who plays for the others, if a search knows (`react_env.agents.search.opponent.Opponent`)


def new_lines(game: Any, depth: int, params: Any = NO_PARAMS, opponent: Any = NO_PARAMS) -> Lines:
    """Scratch memory for a game: `depth` rows, the `params` of a learned value, and a known `opponent`."""
    games = np.zeros(depth, game.state_dtype)
    masks = np.zeros((depth, game.num_actions), np.bool_)
    cursor, tried, reply = np.zeros((3, depth), np.int64)
    best, low, high = np.zeros((3, depth))
    keys, worths, origin = np.zeros(_REMEMBERED, np.uint64), np.zeros(_REMEMBERED), np.zeros(game.num_players)
    raw = as_bytes(games)
    return Lines(games, raw, masks, cursor, tried, reply, best, low, high, keys, worths, origin, params, opponent)


def make_value(evaluate: Any, prefix: str) -> Any:
    """Compiles value_of(s, t, player, params) from evaluate(s, t, player), which needs no params; `prefix` names it in the cache."""

    @njit(name=f"{prefix}.value_of")
    def value_of(s: Any, t: Any, player: Any, params: Any) -> Any:
        return evaluate(s, t, player)

    return value_of


def _what_counts(game: Any) -> tuple[int, int]:
    """The first byte of a record that a value may read, and the byte after the last."""
    fields: Any = game.state_dtype.fields
    begin = fields["rng"][0].itemsize if fields["rng"][1] == 0 else 0
    end = next((name for name in (game.heuristics.unread, "events") if name in fields), None)
    return begin, fields[end][1] if end else game.state_dtype.itemsize


@njit
def no_prior(s: Any, t: Any, player: Any, action: Any) -> Any:
    """The prior of a game that has none."""
    return 0.0


@njit
def _unnoted(params: Any, s: Any, raw: Any, row: Any, player: Any, value: Any, complete: Any) -> None:
    """The `note` of a look of which only the value counts."""


@njit
def _next_legal(mask: Any, begin: Any) -> Any:
    """The first legal action from `begin` on, A if there is none. Few actions are legal, so eight are checked at a time."""
    i, count = np.uint64(begin), np.uint64(mask.size)
    while i + _EIGHT <= count:
        some = False
        for k in range(8):
            some |= mask[i + np.uint64(k)]
        if some:
            break
        i += _EIGHT
    while i < count and not mask[i]:
        i += _ONE
    return np.int64(i)


def _make_ahead(game: Any, prefix: str) -> Any:
    """Compiles the function that takes an action and passes the windows that follow; `prefix` names it in the cache.

    It returns how many actions it applied, or 1 if it `hurries` and the game knows how (`Heuristics.ahead`).
    """
    apply, unfinished, pass_action = game.rules.apply, game.heuristics.unfinished, game.heuristics.pass_action
    knows_how = game.heuristics.ahead is not None
    quickly = game.heuristics.ahead if knows_how else apply

    @njit(name=f"{prefix}.ahead")
    def ahead(s: Any, t: Any, action: Any, mask: Any, hurries: Any) -> Any:
        if knows_how and hurries:
            quickly(s, t, action, mask)
            return 1
        apply(s, t, action, mask)
        spent = 1
        while s.over == 0 and unfinished(s) == 0 and pass_action(s) >= 0 and spent < _PASSES:
            apply(s, t, pass_action(s), mask)
            spent += 1
        return spent

    return ahead


def make_look(game: Any, value_of: Any, prefix: str, note: Any = _unnoted, remembers: bool = True) -> Any:
    """Compiles the look for `game`, positions valued by value_of(s, t, player, params); `prefix` names the function in the cache.

    `look(lines, root, first, t, player, action, prunes, least, share, nest)` gives the value for `player` of `action` in the game
    lines.games[root], and the number of actions applied to find it. Windows are passed, and the choices that complete the
    play are searched depth first, each player taking what is best for its own side, until about `share` actions are spent. From then on
    the first choice is taken, up to `nest` actions; then the position is valued as it stands.

    If it `prunes`, it skips what cannot change the value (alpha-beta), and first tries what was best at the same depth before, so that it
    skips much. With `Heuristics.ahead` it then counts actions without passed windows. If the value is at most `least`, the result is only
    an upper bound of it.

    `lines` is `Lines` or has the same fields. The rows from `first` on are scratch; row `root` is only read.

    `remembers`: whether to keep the values of positions, which does not pay if they are cheap.

    `note(params, s, raw, row, player, value, complete)` is told what the player can count on: each position s (raw[row]) to which the
    player's own choices alone may lead, and its value. With complete 0, s is the first choice of another player, and the
    value is what can be foreseen of it.
    """
    ahead, unfinished = _make_ahead(game, prefix), game.heuristics.unfinished
    copy_live = make_live_copy(game)
    begin, end = _what_counts(game)

    @njit(name=f"{prefix}.worth")
    def worth(lines: Any, s: Any, t: Any, raw: Any, player: Any) -> Any:
        """The value of position s (raw (bytes,)), which the same choices in another order often lead to again."""
        if not remembers:
            return value_of(s, t, player, lines.params)
        key = mark(raw[begin:end]) ^ np.uint64(player)
        place = np.int64(key & np.uint64(lines.keys.size - 1))
        if lines.keys[place] != key:
            lines.keys[place] = key
            lines.worths[place] = value_of(s, t, player, lines.params)
        return lines.worths[place]

    @njit(name=f"{prefix}.look")
    def look(
        lines: Any,
        root: Any,
        first: Any,
        t: Any,
        player: Any,
        action: Any,
        prunes: Any,
        least: Any,
        share: Any,
        nest: Any,
    ) -> Any:
        games, raw, masks, cursor, best = lines.games, lines.raw, lines.masks, lines.cursor, lines.best
        tried, reply, low, high, params = lines.tried, lines.reply, lines.low, lines.high, lines.params
        reply[:] = 0
        depth = first
        copy_live(raw[root], raw[depth])
        spent = ahead(games[depth], t, action, masks[depth], prunes)
        foreign = games.shape[0]  # the depth of the first choice of another player
        arrived = True
        while True:
            s = games[depth]
            mask = masks[depth]
            mine = s.to_play == player
            if arrived:
                arrived = False
                if s.over == 0 and unfinished(s) != 0 and spent < nest and depth + 1 < games.shape[0]:
                    low[depth], high[depth] = least, np.inf
                    if depth > first:
                        low[depth], high[depth] = low[depth - 1], high[depth - 1]
                        if games[depth - 1].to_play == player:
                            low[depth] = max(low[depth], best[depth - 1])
                        else:
                            high[depth] = min(high[depth], best[depth - 1])
                    if not mine and foreign > depth:
                        foreign = depth
                    cursor[depth], tried[depth] = 0, -1
                    best[depth] = -np.inf if mine else np.inf
                    continue
                value = worth(lines, s, t, raw[depth], player)
                if foreign > depth:
                    note(params, s, raw, depth, player, value, 1)
            else:
                choice = reply[depth]
                if not prunes or tried[depth] >= 0 or not mask[choice]:
                    choice = _next_legal(mask, cursor[depth])
                    cursor[depth] = choice
                value = best[depth]
                counts = not prunes or (value < high[depth] if mine else value > low[depth])
                if choice < mask.shape[0] and (tried[depth] < 0 or (spent < share and counts)):
                    tried[depth] = choice
                    mask[choice] = False
                    copy_live(raw[depth], raw[depth + 1])
                    depth += 1
                    spent += ahead(games[depth], t, choice, masks[depth], prunes)
                    arrived = True
                    continue
                if foreign == depth:
                    foreign = games.shape[0]
                    note(params, s, raw, depth, player, value, 0)
            depth -= 1
            if depth < first:
                return value, spent
            if value > best[depth] if games[depth].to_play == player else value < best[depth]:
                best[depth], reply[depth] = value, tried[depth]

    return look
