"""The agent that plays by a good player's rules of thumb.

Like greedy it looks at what each legal action leads to if nobody reacts. It judges that by the game's `judge`, as a good player would: what
threatens, what holds, what a card is still worth; and it adds the opinion of the game's `script` on the action itself: what the opponent
may answer, what is better held back, what tempo is worth. A game has one of the two, or both. They see a copy of the game in which all
that its player cannot know has been redrawn.
"""

from __future__ import annotations

from typing import Any

from react_env.agents.players.greedy import GreedyAgent, kernel
from react_env.errors import OptionError


def has_script(rules: Any) -> bool:
    """Whether a game tells how a good player judges positions or actions."""
    return rules.judge is not None or rules.script is not None


class ScriptedAgent(GreedyAgent):
    """Takes the action that is best by its outcome, if nobody reacts, as the judge and the script of the game see it.

    Raises OptionError for a game that has neither.
    """

    kind = "scripted"

    def _make(self, rules: Any) -> Any:
        if not has_script(rules):
            raise OptionError(f"{rules.id} has no script: use greedy or mcts:64")
        return kernel(rules, rules.judge, rules.script)
