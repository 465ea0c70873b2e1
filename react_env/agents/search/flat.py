"""The agent that compares its actions by playing each of them out equally often: flat Monte Carlo over worlds it cannot tell apart.

N simulations are spread evenly over K legal actions: each action is tried in the same N // K worlds (at least one) with the same dice, so
actions differ by what they do and not by luck. A world is a copy of the game in which what its player cannot know is redrawn
(`determinize`, with a seed of its own). After the action all players follow the rollout policy to the cut-off. There the position is
judged: how much better the game's value rates it than the position to decide, squashed into -1..1. `react_env.agents.search.mcts` explains
both. The action with the highest mean is taken; ties are broken by the agent's random numbers.

There is no tree, so one simulation does not steer the next: this is the plain baseline for the tree search. Everything runs in compiled
code that allocates nothing and releases the GIL. Each decision depends on its own seed alone, so the number of threads changes nothing.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from react_env.agents import arguments
from react_env.agents.protocol import Actions, Players, Records
from react_env.agents.search.lookahead import Lines, new_lines
from react_env.agents.search.rollout import DEPTH as LINES_DEPTH
from react_env.agents.search.rollout import DICE, LINE, SELFISH, make_parts, make_policy
from react_env.agents.search.sharing import Compiled, admitted, as_bytes, copy_row
from react_env.engine.compile import announced, njit
from react_env.engine.game import Game, once_per_game
from react_env.engine.kernels import count_legal, nth_legal
from react_env.engine.rng import below, next_word
from react_env.errors import OptionError

MAX_SIMULATIONS = 1_000_000
_TIE = 1e-12  # means closer than this are equal


@once_per_game
def kernel(game: Game) -> Any:
    """The compiled comparison of actions by simulations."""
    apply, legal, determinize = game.rules.apply, game.rules.legal, game.rules.determinize
    unfinished, pass_action = game.heuristics.unfinished, game.heuristics.pass_action
    prefix = f"{game.id}.flat"
    parts = make_parts(game, prefix)
    find_origin, play_out = parts.find_origin, parts.play_out

    @njit(name=f"{prefix}.decide")
    def decide(
        states: Any,
        raw_states: Any,
        tables: Any,
        players: Any,
        seeds: Any,
        row: Any,
        simulations: Any,
        policy: Any,
        lines: Any,
        scratch: Any,
    ) -> Any:
        """The action for states[row]. raw_states (N, bytes): the same memory; seeds (N,) uint64, one for each decision."""
        t = tables[states[row].table]
        player = players[row]
        games, raw, mask = lines.games, lines.raw, lines.masks[LINE]
        root, totals, counts = scratch.root, scratch.totals, scratch.counts
        legal(states[row], t, root)
        legals, chosen = count_legal(root), np.int64(-1)
        if legals <= 1:
            return np.int64(nth_legal(root, 0)) if legals else chosen
        turn_of = np.int64(-1)
        if unfinished(states[row]) == 0 and pass_action(states[row]) < 0:
            turn_of = np.int64(states[row].to_play)
        totals[:] = 0.0
        before = counts[1]
        stream = seeds[row]
        dice = games[DICE]
        for _ in range(max(1, simulations // legals)):
            dice.rng = stream
            world = next_word(dice)
            luck = next_word(dice)
            stream = dice.rng
            for action in range(root.shape[0]):
                if root[action]:
                    copy_row(raw_states[row], raw[LINE])
                    games[LINE].rng = world
                    determinize(games[LINE], t, player)
                    if counts[1] == before:
                        find_origin(lines, t, player, policy)
                    dice.rng = luck
                    apply(games[LINE], t, action, mask)
                    value, made = play_out(lines, t, player, 0, turn_of, policy)
                    totals[action] += value
                    counts[0] += 1 + made
                    counts[1] += 1
        dice.rng = stream
        top, equal = -np.inf, 0
        for action in range(root.shape[0]):
            if root[action]:
                if totals[action] > top + _TIE:
                    chosen, top, equal = np.int64(action), totals[action], 1
                elif totals[action] >= top - _TIE:
                    equal += 1
                    if below(dice, equal) == 0:
                        chosen = np.int64(action)
        return chosen

    return decide


class Scratch(NamedTuple):
    """Memory of one worker besides its `Lines`."""

    root: npt.NDArray[np.bool_]  # (A,) the legal actions
    totals: npt.NDArray[np.float64]  # (A,) sums of the values found
    counts: npt.NDArray[np.int64]  # (2,) game decisions made and simulations done since the last reading


def from_argument(game: Any, argument: str, threads: int) -> FlatAgent:
    """The agent ``flat:ARGUMENT``: simulations for each decision, and options by name (256,rollout=random). Both have defaults.

    OptionError for anything else.
    """
    spec = f"flat:{argument}"
    budget, texts = arguments.split(argument)
    if budget and not (re.fullmatch(r"[0-9]{1,9}", budget) and 1 <= int(budget) <= MAX_SIMULATIONS):
        raise OptionError(
            f"{spec}: give simulations for each decision, a whole number from 1 to {MAX_SIMULATIONS} (flat:256), and options after "
            "commas (flat:256,rollout=random)"
        )
    known = _usual(game)
    options = known | arguments.read(spec, texts, known)
    if budget:
        options["simulations"] = int(budget)
    agent = FlatAgent(game, threads=threads, **options)
    if not argument:
        agent.name = "flat"
    return agent


def _usual(game: Any) -> dict[str, Any]:
    return arguments.usual(FlatAgent, "flat", game, without=("simulations", "threads"))


class FlatAgent(Compiled):
    """Flat Monte Carlo."""

    def __init__(
        self,
        game: Any,
        *,
        simulations: int = 256,
        rollout: str = "greedy",
        horizon: int = 1,
        scale: float = 150.0,
        width: int = 2,
        reach: int = 30,
        others: str = SELFISH,
        threads: int = 1,
    ) -> None:
        """An agent ready for `game`.

        Args:
            game: the rules.
            simulations: how many for each decision; with more legal actions than that, each is tried once.
            rollout, horizon, scale, width, reach, others: as for `react_env.agents.search.mcts.SearchAgent`.
            threads: how many decisions are made at once.

        Raises:
            OptionError: an option out of its range.
        """
        given = locals()  # the options by name
        arguments.check_ranges("flat", given, {"simulations": (1, MAX_SIMULATIONS)})
        self.policy = make_policy("flat", given, game.num_players)
        self.name = f"flat:{simulations}{arguments.differing(given, _usual(game))}"
        self.simulations = simulations
        self.simulated = 0  # game decisions made inside all simulations so far
        self.simulations_done = 0
        super().__init__(game, threads)
        # Called once here, so that a first compilation happens now and is announced.
        with announced(f"{game.id}.flat"):
            state = np.array([game.new(seed=0)], game.state_dtype)
            self._decide(state, np.zeros(1, np.int64), np.zeros(1, np.uint64), 0, 1, self._new_scratch())

    def _make(self, game: Any) -> Any:
        return kernel(game)

    def act_states(self, states: Records, players: Players, rng: np.random.Generator) -> Actions:
        """(N,) records and (N,) players to move -> (N,) int64 ids.

        StateError if a record belongs to a game with other options.
        """
        states, players = admitted(self._game, states, players)
        seeds = rng.integers(0, 2**64, size=len(states), dtype=np.uint64)

        def choose(row: int, scratch: tuple[Lines, Scratch]) -> int:
            return self._decide(states, players, seeds, row, self.simulations, scratch)

        out = self._workers.one_by_one(states, choose)
        for _, scratch in self._workers.scratch:
            self.simulated += int(scratch.counts[0])
            self.simulations_done += int(scratch.counts[1])
            scratch.counts[:] = 0
        return out

    def _decide(
        self,
        states: Records,
        players: Players,
        seeds: npt.NDArray[np.uint64],
        row: int,
        simulations: int,
        scratch: tuple[Lines, Scratch],
    ) -> int:
        tables = self._game.tables
        return int(
            self._kernel(states, as_bytes(states), tables, players, seeds, row, simulations, self.policy, *scratch)
        )

    def _new_scratch(self) -> tuple[Lines, Scratch]:
        actions = len(self._game.action_names)
        scratch = Scratch(np.zeros(actions, np.bool_), np.zeros(actions, np.float64), np.zeros(2, np.int64))
        return new_lines(self._game, LINES_DEPTH), scratch
