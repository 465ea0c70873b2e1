"""The look-ahead for when luck decides more than choices: each action is played on in many worlds, with the same luck for all.

Each world is a guess of what is hidden, with dice of its own. In it every action is taken, the game is played on for a while by the game's
prior, and the position is valued. So in one world two actions differ by what they do and not by luck. How much these differences scatter
from world to world tells how much luck is left in them. An action that is worse than another by more than that is tried no further, and
the action that the prior likes most is given up only for one that is surely better.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from react_env.agents.search.lookahead import UNIT
from react_env.agents.search.rollout import DICE, LINE, SCRIPT, Policy, make_parts
from react_env.agents.search.sharing import copy_row, make_next_row
from react_env.engine.compile import njit
from react_env.engine.kernels import count_legal
from react_env.engine.rng import next_word

DEPTH = 4  # rows of `lookahead.Lines`
_ROOT, _WORLD = 2, 3  # rows: the position to decide, the world at hand
_ROUND = 16  # worlds between two checks of which actions to go on with
_HOPELESS = 1.5  # standard errors: an action worse than the best less one, even with these added, is tried no further
_SURELY = 1.0  # standard errors by which an action must be better than the usual one to be taken
_SCATTER = 0.02  # added to the sum of the squares, which is 0 if an action has made no difference yet
SUMS, SQUARES, OPEN = range(3)  # rows of the scratch memory (3, A)


def make_playouts(game: Any, value_of: Any, prefix: str) -> Any:
    """Compiles the choice of an action; `prefix` names it in the cache. `value_of` is a learned value.

    The function is called like that of `react_env.agents.players.greedy.make_decide`. budget: how many times the main phase passes to
    another player in a playout, counted from the first main phase after the action. lead is not used.
    """
    apply, legal, determinize = game.rules.apply, game.rules.legal, game.rules.determinize
    next_row = make_next_row(game)
    parts = make_parts(game, prefix, value_of)
    play_out, by_script = parts.play_out, parts.by_script

    @njit(name=f"{prefix}.chance_after")
    def chance_after(lines: Any, t: Any, player: Any, action: Any, luck: Any, policy: Any) -> Any:
        """The chance that the player wins after `action` in the world at hand."""
        copy_row(lines.raw[_WORLD], lines.raw[LINE])
        s = lines.games[LINE]
        s.rng = luck
        apply(s, t, action, lines.masks[LINE])
        value, _ = play_out(lines, t, player, 0, np.int64(-1), policy)
        return 0.5 + 0.5 * value

    @njit(name=f"{prefix}.decide")
    def decide(asked: Any, budget: Any, lead: Any, turn: Any, most: Any, lines: Any, values: Any) -> None:
        states, raw_states, tables, _, players, seeds, _, out, worth = asked
        raw, root, dice = lines.raw, lines.masks[_ROOT], lines.games[DICE]
        sums, squares, open_ = values[SUMS], values[SQUARES], values[OPEN]
        policy = Policy(SCRIPT, 1, 1, 2.0 * UNIT, budget, True)
        lines.origin[:] = 0.0  # so that the value becomes a chance
        for _ in range(most):
            row = next_row(asked, turn)
            if row < 0:
                break
            t = tables[states[row].table]
            player = players[row]
            copy_row(raw_states[row], raw[_ROOT])
            legal(lines.games[_ROOT], t, root)
            left = count_legal(root)
            values[:] = 0.0
            for action in range(root.shape[0]):
                open_[action] = root[action]
            usual = np.int64(by_script(lines.games[_ROOT], t, root))
            total = 0.0
            for world in range(seeds.shape[1]):
                if left <= 1:
                    break
                copy_row(raw[_ROOT], raw[_WORLD])
                dice.rng = seeds[row, world]
                lines.games[_WORLD].rng = next_word(dice)
                determinize(lines.games[_WORLD], t, player)
                luck = next_word(dice)
                chance = chance_after(lines, t, player, usual, luck, policy)
                total += chance
                for action in range(root.shape[0]):
                    if open_[action] > 0.0 and action != usual:
                        more = chance_after(lines, t, player, np.int64(action), luck, policy) - chance
                        sums[action] += more
                        squares[action] += more * more
                if worth.shape[0] == 0 and (world + 1) % _ROUND == 0:
                    best = 0.0
                    for action in range(root.shape[0]):
                        if open_[action] > 0.0:
                            best = max(best, sums[action] - np.sqrt(squares[action] + _SCATTER))
                    for action in range(root.shape[0]):
                        most = sums[action] + _HOPELESS * np.sqrt(squares[action] + _SCATTER)
                        if open_[action] > 0.0 and action != usual and most < best:
                            open_[action] = 0.0
                            left -= 1
            out[row] = usual
            top = 0.0
            for action in range(root.shape[0]):
                least = sums[action] - _SURELY * np.sqrt(squares[action] + _SCATTER)
                if open_[action] > 0.0 and action != usual and least > top:
                    out[row], top = action, least
            if worth.shape[0] > 0:
                for action in range(root.shape[0]):
                    worth[row, action] = total + sums[action] if root[action] else -np.inf

    return decide
