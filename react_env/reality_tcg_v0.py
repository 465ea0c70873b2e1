"""Reality TCG as a PettingZoo environment.

    from react_env import reality_tcg_v0

    env = reality_tcg_v0.env(render_mode="ansi")
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
| Truncation | none: after `max_turns` turns IP decide |

Keywords of `env` and `raw_env`, all optional:

- `decks`: player 0's and player 1's deck, names of installed decks or paths of deck files; one name or path for both; by default `tempo`
  against `wall`; `"random"`: in each game each player draws a deck from `pool`, or from all installed decks if there is no pool;
- `render_mode`: what `render()` does with the position, including hidden cards: `"human"` prints it, `"ansi"`, `"svg"` and
  `"rgb_array"` return text, a picture and its pixels; or None;
- `illegal`: `"lose"` (the default of `env`): whoever chooses an illegal action loses the game at once, and the other wins it; `"raise"`
  (the default of `raw_env`): it raises `react_env.errors.IllegalAction`, and the game is as it was;
- `action_features`: True: observations include what each legal action leads to, `Box(float32)` (A, F): `react_env.agents.ActionFeatures`;
- every option of the rules, such as `max_turns`, `deck_out` or `open_decklists`: the fields of
  `react_env.games.reality_tcg.rules.RulesConfig`.

A turn is many steps of the same agent (a card, then its place or its target), and each declared action may be answered, so
`agent_selection` does not simply alternate. If exactly one action is legal, the game takes it itself. `reset(seed=...)` deals the same
game each time, and the same games at later resets without a seed. An agent that is not to move sees an action mask of zeros. Once the
game is over the mask is all ones; then None is the only action, and any other raises `react_env.errors.GameOver`. `infos` holds the same
masks. `state()` returns what both agents see together, and `state_space` is its space.
"""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv

from react_env.envs import aec
from react_env.envs.learner import Illegal

__all__ = ["env", "raw_env"]


class raw_env(aec.of_id):
    """The game without wrappers. Keywords as above; illegal actions raise.

    Raises:
        OptionError: an unknown keyword or an impossible value.
        CardError: a card file that cannot be used.
    """

    metadata = {**aec.raw_env.metadata, "name": "reality_tcg_v0"}
    game_id = "reality_tcg-v0"


def env(render_mode: str | None = None, illegal: Illegal = "lose", **options: Any) -> AECEnv:
    """The game with PettingZoo's check of the order of calls. Illegal actions lose; keywords and errors as for `raw_env`."""
    return aec.Ordered(raw_env(render_mode, illegal, **options))
