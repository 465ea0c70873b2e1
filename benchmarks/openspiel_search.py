"""Our tree search against an independent one: the ISMCTS bot of OpenSpiel (`pip install open_spiel`), with equal simulations.

OPENBLAS_NUM_THREADS=1 python -m benchmarks.openspiel_search [--simulations 64] [--games 100] [--ours mcts:64] [--json]

The bot (`open_spiel.python.algorithms.ismcts`, after Cowling, Powley and Whitehouse, 2012) is used as it is, with its defaults and random
playouts to the end of the game. It sees our game through `react_env.envs.openspiel`; a position is resampled by `determinize`. The
playouts run in our compiled code, since OpenSpiel's own, step by step in Python, would take minutes for a game; what they return has the
same distribution. Both sides play the same deals from both seats.
"""

from __future__ import annotations

import json
import math
import time
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from typer import Option

import react_env
from benchmarks import command
from react_env import agents
from react_env.agents.search.lookahead import new_lines
from react_env.agents.search.rollout import DEPTH, DICE, LINE, PARANOID, make_parts, make_policy
from react_env.agents.search.sharing import as_bytes
from react_env.cli.common import output, share_processor
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
            """Play a copy of the state to its end on LINE."""
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
        options = {"rollout": "random", "width": 1, "reach": 1, "scale": 1.0, "horizon": 0, "others": PARANOID}
        self._policy = make_policy("playouts", options, 2)

    def evaluate(self, state: SpielState) -> npt.NDArray[np.float32]:
        raw = as_bytes(np.array([state.record], self._game.state_dtype))
        seed = np.uint64(self._random.randint(2**63))
        self._finish(raw, self._game.tables, seed, self._policy, self._lines)
        return np.asarray(self._game.rewards(self._lines.games[LINE]))

    def prior(self, state: SpielState) -> list[tuple[int, float]]:
        legal = state.legal_actions()
        return [(action, 1.0 / len(legal)) for action in legal]


class OpenSpielAgent:
    """The bot as one of our agents."""

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


def main(
    game: str = DEFAULT_GAME,
    simulations: int = 64,
    ours: Annotated[str | None, Option(help="The agent of ours; mcts with as many simulations if not given.")] = None,
    games: int = 100,
    exploration: Annotated[float, Option(help="The bot's constant of UCB1.")] = math.sqrt(2.0),
    seed: int = 0,
    as_json: Annotated[bool, Option("--json")] = False,
) -> None:
    """Play and print."""
    share_processor()
    from react_env.evaluation.matches.match import match_table, play_match

    played = react_env.load(game, **describe(game).every)
    theirs = OpenSpielAgent(played, simulations, exploration)
    result = play_match(played, agents.load(ours or f"mcts:{simulations}", played, threads=2), theirs, games, seed=seed)
    rate = theirs.decisions / theirs.seconds
    if as_json:
        print(json.dumps({**result.to_json(), "decisions_per_second_of_the_bot": round(rate, 1)}, indent=2))
        return
    output().print(match_table([result]))
    print(f"the bot made {rate:.1f} decisions a second")


if __name__ == "__main__":
    command(main)
