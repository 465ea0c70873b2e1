"""A known opponent inside a search: one that chooses by compiled code, such as greedy, scripted or a learned value.

Otherwise a search assumes that the others do what is best for them, as far as it can see. Against an agent that is known and never changes
it can do better: wherever another player is to move in a simulation, that agent is asked what it would do (information-set Monte Carlo tree
search for a best response, ISMCTS-BR; Timbers et al., 2022). The agent is asked in the world at hand, but makes its own guesses of what it
cannot know there, so it sees no more than it would in a game. Outside the tree it plays for both sides: if something weaker
played on for the searching player, every action would look lost.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from react_env.agents.players.greedy import GreedyAgent
from react_env.agents.search.rollout import DICE, LINE
from react_env.agents.search.sharing import Decisions, as_bytes, copy_row
from react_env.engine.compile import njit
from react_env.engine.rng import next_word
from react_env.errors import OptionError


class Opponent(NamedTuple):
    """The agent and its scratch memory, for one worker."""

    asked: Decisions  # a single one
    budget: int
    lead: float
    turn: npt.NDArray[np.int64]  # (1,) 0: the decision is still to be made
    lines: Any
    values: npt.NDArray[np.float64]  # (A,) or more


def check_opponent(agent: Any, game: Any) -> GreedyAgent:
    """`agent`, if a search in `game` can ask it. OptionError if it does not choose by compiled code alone, or was made for another game."""
    name = getattr(agent, "name", agent)
    if not isinstance(agent, GreedyAgent):
        raise OptionError(
            f"a search can take greedy, scripted or a learned value (champion:1,width=0) for its opponent, not {name}"
        )
    if getattr(agent, "policy", None) is not None:
        raise OptionError(f"a search cannot ask {name}: it can ask the value under its policy (champion:1,policy=no)")
    if agent._game.rules_hash != game.rules_hash:
        raise OptionError(
            f"opponent: {name} was loaded for {agent._game.id} under other rules; load it for the same game"
        )
    return agent


def new_opponent(game: Any, agent: GreedyAgent) -> Opponent:
    """What one worker needs to ask `agent`, which was made for `game`."""
    states = np.array([game.new(seed=0)], game.state_dtype)
    one = np.zeros(1, np.int64)
    seeds = np.zeros((1, agent.worlds), np.uint64)
    asked = Decisions(
        states, as_bytes(states), game.tables, game.checked, one, seeds, np.zeros(1), one.copy(), np.zeros((0, 0))
    )
    return Opponent(asked, agent.budget, agent.lead, np.zeros(1, np.int64), *agent._new_scratch())


def make_answer(decide: Any, prefix: str) -> Any:
    """Compiles answer(lines): what `lines.opponent` does in the game on LINE; `decide` is the compiled choice of its agent, or None
    if there is no opponent. `prefix` names it in the cache.
    """
    if decide is None:

        @njit(name=f"{prefix}.no_answer")
        def no_answer(lines: Any) -> Any:
            return np.int64(-1)

        return no_answer

    @njit(name=f"{prefix}.answer")
    def answer(lines: Any) -> Any:
        known, dice = lines.opponent, lines.games[DICE]
        asked = known.asked
        copy_row(lines.raw[LINE], asked.raw[0])
        asked.players[0] = lines.games[LINE].to_play
        for world in range(asked.seeds.shape[1]):
            asked.seeds[0, world] = next_word(dice)
        asked.ties[0] = (next_word(dice) >> np.uint64(11)) * 2.0**-53
        known.turn[0] = 0
        decide(asked, known.budget, known.lead, known.turn, 1, known.lines, known.values)
        return asked.out[0]

    return answer
