"""How the agents that simulate look ahead: the first estimate of an action, and how the game is played outside a tree.

For the first estimate of an action, it is tried on a copy and its play is completed: windows are passed, and the choices that belong to
the play are searched as far as a small budget goes. Then the position is valued.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from react_env.agents.arguments import check_ranges
from react_env.agents.search.lookahead import make_look, make_value, no_prior
from react_env.engine.compile import njit
from react_env.engine.kernels import count_legal, nth_legal
from react_env.engine.rng import below
from react_env.errors import OptionError

ROLLOUTS = ("none", "idle", "random", "greedy", "script")
_NONE, _IDLE, _RANDOM, _GREEDY, SCRIPT = range(5)
OTHERS = PARANOID, SELFISH = ("paranoid", "selfish")
NESTED = 32  # choices within one play that the first estimate searches
_LONGEST = 2000  # decisions of a simulation, after which the position is valued as it stands
_PLAY = 200  # further decisions in which a play is completed; then likewise
# Rows of `lookahead.Lines`: the game that is played on, a game used only for its random stream, and the first of the look-ahead.
LINE, DICE, AHEAD = range(3)
DEPTH = AHEAD + NESTED
_RANGES = {"width": (1, 10_000), "reach": (1, 1_000_000), "scale": (1e-6, 1e9), "horizon": (0, 10_000)}


class Policy(NamedTuple):
    """How a simulation goes on outside the tree, and where it ends; see `react_env.agents.search.mcts.SearchAgent`."""

    rollout: int  # index of ROLLOUTS
    width: int
    reach: int
    scale: float
    horizon: int
    selfish: bool  # each player takes what is best for itself; else the others what is worst for the searching one


def make_policy(agent: str, options: Mapping[str, Any], players: int) -> Policy:
    """The Policy of the options "rollout", "width", "reach", "scale", "horizon" and "others" (there may be more) for that many `players`.

    OptionError, which names `agent`, if one is out of its range.
    """
    for name, known in (("rollout", ROLLOUTS), ("others", OTHERS)):
        if options[name] not in known:
            raise OptionError(f"{agent}: {name} must be one of {', '.join(known)}, not {options[name]!r}")
    check_ranges(agent, options, _RANGES)
    return Policy(
        ROLLOUTS.index(options["rollout"]),
        int(options["width"]),
        int(options["reach"]),
        float(options["scale"]),
        int(options["horizon"]),
        options["others"] == SELFISH and players > 2,
    )


class Parts(NamedTuple):
    """The compiled functions of one game."""

    action_value: Any  # (lines, t, player, action, reach, policy) -> value in -1..1 and decisions made
    value_of: Any  # (s, t, player, params) -> value in the units of the game's value
    play_out: Any  # (lines, t, player, turns, turn_of, policy) -> value in -1..1 and decisions made
    find_origin: Any  # (lines, t, player, policy)
    by_script: Any  # (s, t, mask) -> the action that the script takes


def make_parts(game: Any, prefix: str, learned: Any = None, answer: Any = None) -> Parts:
    """Compiles the look-ahead for `game`; `prefix` names the functions in the cache. `learned` values positions instead of the game.
    answer(lines) chooses for a known opponent, and outside the tree for all players, whatever the policy
    (`react_env.agents.search.opponent`).
    """
    opposed = answer is not None
    apply, unfinished, pass_action = game.rules.apply, game.heuristics.unfinished, game.heuristics.pass_action
    prior = game.heuristics.prior or no_prior
    value_of = learned or make_value(game.heuristics.value, prefix)
    dear = learned is not None or game.heuristics.quick_value is not None  # as in `greedy`
    look = make_look(game, value_of, prefix, remembers=dear)

    @njit(name=f"{prefix}.action_value")
    def action_value(lines: Any, t: Any, player: Any, action: Any, reach: Any, policy: Any) -> Any:
        """(value in -1..1 for `player` of `action` in the game on LINE, by a look of `reach` decisions; how many it took)"""
        # No pruning: of so few decisions, those it saved would be spent on other choices. In Fight Sequence mcts:32 played worse with it.
        value, spent = look(lines, LINE, AHEAD, t, player, action, False, -np.inf, reach, reach + _PLAY)
        return np.tanh((value - lines.origin[player]) / policy.scale), spent

    @njit(name=f"{prefix}.likely")
    def likely(lines: Any, t: Any, player: Any, policy: Any) -> Any:
        """(the best of `width` actions for the player to move, by `action_value`; the number of decisions it took to find it)

        If more are legal, these are judged: the one with the lowest id, which does nothing more if there is such an action, and others
        drawn at random.
        """
        s, mask, dice = lines.games[LINE], lines.masks[LINE], lines.games[DICE]
        left = count_legal(mask)
        wanted = min(np.int64(policy.width), left)
        chosen, top, spent = np.int64(-1), -np.inf, 0
        sees = np.int64(s.to_play) if policy.selfish else player
        sign = 1.0 if s.to_play == sees else -1.0
        for action in range(mask.shape[0]):
            if mask[action]:
                if chosen < 0 or below(dice, left) < wanted:
                    wanted -= 1
                    if chosen < 0 and wanted == 0:
                        return np.int64(action), spent
                    value, took = action_value(lines, t, sees, action, policy.reach, policy)
                    spent += took
                    if sign * value > top:
                        chosen, top = np.int64(action), sign * value
                left -= 1
        return chosen, spent

    @njit(name=f"{prefix}.by_script")
    def by_script(s: Any, t: Any, mask: Any) -> Any:
        """The choice without looking ahead: the action that passes, else the first of those with the highest prior."""
        chosen = np.int64(pass_action(s)) if unfinished(s) == 0 else np.int64(-1)
        top = -np.inf
        if chosen < 0:
            for action in range(mask.shape[0]):
                if mask[action]:
                    liking = prior(s, t, s.to_play, action)
                    if liking > top:
                        chosen, top = np.int64(action), liking
        return chosen

    @njit(name=f"{prefix}.play_out")
    def play_out(lines: Any, t: Any, player: Any, turns: Any, turn_of: Any, policy: Any) -> Any:
        """Plays the game on LINE to the cut-off: (its value in -1..1 for `player` there, the number of decisions made).

        turns: how often the main phase has gone to another player so far; turn_of: who had it last, or -1.
        """
        s, mask = lines.games[LINE], lines.masks[LINE]
        made, spent = 0, 0
        while s.over == 0 and made < _LONGEST:
            free = unfinished(s) == 0
            if free and pass_action(s) < 0:
                if turn_of >= 0 and turn_of != s.to_play:
                    turns += 1
                    if turns == policy.horizon:
                        break
                turn_of = np.int64(s.to_play)
                if policy.rollout == _NONE:
                    break
            if opposed:
                chosen = answer(lines)
            elif policy.rollout == _GREEDY:
                chosen, took = likely(lines, t, player, policy)
                spent += took
            elif policy.rollout == SCRIPT:
                chosen = by_script(s, t, mask)
            elif policy.rollout == _RANDOM:
                chosen = np.int64(nth_legal(mask, below(lines.games[DICE], count_legal(mask))))
            else:  # do nothing: pass, or else take the action with the lowest id
                chosen = np.int64(pass_action(s)) if free else np.int64(-1)
                if chosen < 0:
                    chosen = np.int64(0)
                    while not mask[chosen]:
                        chosen += 1
            apply(s, t, chosen, mask)
            made += 1
        worth = value_of(s, t, player, lines.params)
        return np.tanh((worth - lines.origin[player]) / policy.scale), made + spent

    @njit(name=f"{prefix}.find_origin")
    def find_origin(lines: Any, t: Any, player: Any, policy: Any) -> None:
        """Notes the value of the position on LINE, from which others are counted: for `player`, or for all players if each is selfish."""
        for q in range(lines.origin.shape[0]):
            if q == player or policy.selfish:
                lines.origin[q] = value_of(lines.games[LINE], t, np.int64(q), lines.params)

    return Parts(action_value, value_of, play_out, find_origin, by_script)
