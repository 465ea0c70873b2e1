"""Our tree search against an independent one: the ISMCTS bot of OpenSpiel (`pip install open_spiel`), with equal simulations.

OPENBLAS_NUM_THREADS=1 python -m benchmarks.openspiel_search [--simulations 64] [--games 100] [--ours mcts:64] [--json]

The bot (`open_spiel.python.algorithms.ismcts`, after Cowling, Powley and Whitehouse, 2012) is used as it is, with its defaults and random
playouts to the end of the game. It sees our game through `react_env.envs.openspiel`; a position is resampled by `determinize`. The
playouts run in our compiled code, since OpenSpiel's own, step by step in Python, would take minutes for a game; what they return has the
same distribution. Both sides play the same deals from both seats.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from typing import Any

import numpy as np
import numpy.typing as npt

import react_env
from react_env import agents
from react_env.agents.search.lookahead import new_lines
from react_env.agents.search.rollout import DEPTH, DICE, LINE, PARANOID, make_parts, make_policy
from react_env.agents.search.sharing import as_bytes
from react_env.cli.common import share_processor
from react_env.engine.compile import njit
from react_env.envs.openspiel import SpielGame, SpielState
from react_env.registry import DEFAULT_GAME, describe


class RandomPlayouts:
    """OpenSpiel's Evaluator: the result of one random game to the end, and the same prior for all actions."""

    def __init__(self, game: Any, random: np.random.RandomState) -> None:
        legal = game.rules.legal
        prefix = f"{game.id}.playouts"
        play_out = make_parts(game, prefix).play_out

        @njit(name=f"{prefix}.finish")
        def finish(raw_state: Any, tables: Any, seed: Any, policy: Any, lines: Any) -> None:
            """Plays a copy of the state to its end on LINE."""
            lines.raw[LINE] = raw_state[0]
            t = tables[lines.games[LINE].table]
            lines.masks[LINE] = False
            legal(lines.games[LINE], t, lines.masks[LINE])
            lines.games[DICE].rng = seed
            play_out(lines, t, 0, 0, -1, policy)

        self._finish = finish
        self._game = game
        self._random = random
        self._lines = new_lines(game, DEPTH)
        self._policy = make_policy("playouts", "random", 1, 1, 1.0, 0, PARANOID, 2)

    def evaluate(self, state: SpielState) -> npt.NDArray[np.float32]:
        raw = as_bytes(np.array([state.record], self._game.state_dtype))
        seed = np.uint64(self._random.randint(2**63))
        self._finish(raw, self._game.tables, seed, self._policy, self._lines)
        return np.asarray(self._game.rewards(self._lines.games[LINE]))

    def prior(self, state: SpielState) -> list[tuple[int, float]]:
        legal = state.legal_actions()
        return [(action, 1.0 / len(legal)) for action in legal]


class OpenSpielAgent:
    """The bot as an agent of ours."""

    def __init__(self, game: Any, simulations: int, exploration: float) -> None:
        from open_spiel.python.algorithms.ismcts import ISMCTSBot

        self.name = f"openspiel:{simulations}"
        self.decisions = 0
        self.seconds = 0.0
        self._game = SpielGame(game, chance="seed")
        self._random = np.random.RandomState(0)
        evaluator = RandomPlayouts(game, self._random)
        self._bot = ISMCTSBot(self._game, evaluator, exploration, simulations, random_state=self._random)
        self._bot.set_resampler(
            lambda state, player: state.resample_from_infostate(player, lambda: self._random.uniform())
        )

    def act_states(
        self, states: npt.NDArray[Any], players: npt.NDArray[np.int64], rng: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        start = time.perf_counter()
        out = np.empty(len(states), np.int64)
        for row, seed in enumerate(rng.integers(0, 2**32, len(states))):
            self._random.seed(seed)
            out[row] = self._bot.step(self._game.state_of(states[row].copy()))
        self.decisions += len(states)
        self.seconds += time.perf_counter() - start
        return out


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default=DEFAULT_GAME)
    parser.add_argument("--simulations", type=int, default=64)
    parser.add_argument("--ours", help="the agent of ours; mcts with as many simulations if not given")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--exploration", type=float, default=math.sqrt(2.0), help="the bot's constant of UCB1")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    share_processor()
    from react_env.evaluation.matches.match import play_match

    game = react_env.load(options.game, **describe(options.game).every)
    ours = agents.load(options.ours or f"mcts:{options.simulations}", game, threads=2)
    theirs = OpenSpielAgent(game, options.simulations, options.exploration)
    result = play_match(game, ours, theirs, options.games, seed=options.seed)
    rate = theirs.decisions / theirs.seconds
    if options.json:
        print(json.dumps({**result.to_json(), "decisions_per_second_of_the_bot": round(rate, 1)}, indent=2))
        return
    for tally in (result.total, *result.seats):
        low, high = tally.interval
        where = "all" if tally.seat < 0 else f"seat {tally.seat}"
        print(
            f"{result.a} against {result.b}, {where}: won {tally.wins}, lost {tally.losses} of {tally.games}: "
            f"{tally.win_rate:.1%}, 95 % from {low:.1%} to {high:.1%}"
        )
    print(f"the bot made {rate:.1f} decisions a second")


if __name__ == "__main__":
    main()
