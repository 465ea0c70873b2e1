"""Fight Sequence as a PettingZoo environment.

    from react_env import fight_sequence_v0

    env = fight_sequence_v0.env(render_mode="ansi")
    env.reset(seed=7)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        if termination or truncation:
            action = None
        else:
            action = env.action_space(agent).sample(observation["action_mask"])
        env.step(action)
    env.close()

| | |
|---|---|
| API | AEC, turn by turn |
| Agents | `player_0`, `player_1` |
| Actions | `Discrete`, ids with fixed names, the same for both players |
| Observations | `Dict(observation=Box(int8), action_mask=Box(0, 1, int8))`, seen from the agent's own side |
| Rewards | 1 to the winner and -1 to the loser at the end, 0 before, 0 for a draw |
| Truncation | after `max_sequences` sequences |

Keywords of `env` and `raw_env`, all optional:

- `decks`: player 0's and player 1's deck, names of installed decks or paths of deck files; one name or path for both; left out: the
  default deck for both;
- `render_mode`: `"ansi"`, then `render()` returns the position as text, hidden cards too; or None;
- every option of the rules, such as `max_sequences`, `first_player` or `deck_size`: the fields of
  `react_env.games.fight_sequence.rules.RulesConfig`.

A turn can be several steps of the same agent (an attack, then the target of its effect), and while the sequence resolves either agent may
be asked, so `agent_selection` does not simply alternate. Where exactly one action is legal the game takes it itself. `reset(seed=...)`
deals the same game each time, and the same games at later resets without a seed. An agent that is not to move sees an action mask of
zeros; once the game is over the mask is all ones, and None is the only action. Illegal actions raise `react_env.errors.IllegalAction`,
steps after the end `react_env.errors.GameOver`; the game is as it was.
"""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv

from react_env import load
from react_env.envs import aec

__all__ = ["env", "raw_env"]

_ID = "fight_sequence-v0"


def env(render_mode: str | None = None, **options: Any) -> AECEnv:
    """The game with PettingZoo's check of the order of calls; keywords as above.

    Raises:
        OptionError: an unknown keyword or an impossible value.
        CardError: a deck file that cannot be used.
    """
    return aec.env(load(_ID, **options), render_mode)


def raw_env(render_mode: str | None = None, **options: Any) -> aec.raw_env:
    """The game without wrappers; keywords and errors as for `env`."""
    return aec.raw_env(load(_ID, **options), render_mode)
