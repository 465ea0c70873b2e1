"""The agent that plays by a good player's rules of thumb.

Like greedy, it looks at what each legal action leads to if nobody reacts. It judges the result by the game's full `value`, as a good player
would: what threatens, what holds, what a card is still worth. It adds the game's `prior` of the action itself: what the opponent may
answer, what is better held back, what tempo is worth. A game has one of the two, or both. They see a copy of the game in which everything
that the player cannot know has been redrawn.
"""

from __future__ import annotations

from typing import Any

from react_env.agents.arguments import worlds_in
from react_env.agents.players.greedy import GreedyAgent, kernel
from react_env.errors import OptionError


def from_argument(game: Any, argument: str, threads: int) -> ScriptedAgent:
    """The agent ``scripted:ARGUMENT``: it averages that many guesses of what is hidden, by default one. OptionError for anything else."""
    return ScriptedAgent(game, worlds=worlds_in("scripted", argument), threads=threads)


class ScriptedAgent(GreedyAgent):
    """Takes the action that the game's value and prior rate best, if nobody reacts.

    Raises OptionError for a game without a script (`Heuristics.by_hand`).
    """

    kind = "scripted"

    def _make(self, game: Any) -> Any:
        if not game.heuristics.by_hand:
            raise OptionError(f"{game.id} has no script: use greedy or mcts:64")
        return kernel(game, game.heuristics.value, game.heuristics.prior)
