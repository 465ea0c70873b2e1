"""The agent that plays by a good player's rules of thumb.

Like greedy it counts what each legal action leads to if nobody reacts; to that it adds what such a count cannot see, by the `script` of the
game: what the opponent may answer, what is better held back, what tempo is worth. A script sees a copy of the game in which all that its
player cannot know has been redrawn.
"""

from __future__ import annotations

from typing import Any

from agents.greedy import GreedyAgent, kernel
from react_env.errors import OptionError


class ScriptedAgent(GreedyAgent):
    """Takes the action that is best by its outcome, if nobody reacts, and by the script of the game.

    Raises OptionError for a game without a script.
    """

    kind = "scripted"

    def _make(self, rules: Any) -> Any:
        if rules.script is None:
            raise OptionError(f"{rules.id} has no script yet: use greedy or mcts:64")
        return kernel(rules, rules.script)
