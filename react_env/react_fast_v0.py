"""React Fast as a PettingZoo environment, turn by turn and with all players choosing at once.

    from react_env import react_fast_v0

    env = react_fast_v0.env(players=3, render_mode="ansi")
    env.reset(seed=7)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        if termination or truncation:
            action = None
        else:
            action = env.action_space(agent).sample(observation["action_mask"])
        env.step(action)
    env.close()

    env = react_fast_v0.parallel_env(players=3)
    observations, infos = env.reset(seed=7)
    while env.agents:
        actions = {a: env.action_space(a).sample(observations[a]["action_mask"]) for a in env.agents}
        observations, rewards, terminations, truncations, infos = env.step(actions)

| | |
|---|---|
| API | AEC and parallel |
| Agents | `player_0` to `player_7` at most, four by default |
| Actions | `Discrete`, ids with fixed names, the same for all players |
| Observations | `Dict(observation=Box(int8), action_mask=Box(0, 1, int8))`, seen from the agent's own side |
| Rewards | at the end 1 to the winner, and the others share -1; 0 before, 0 for a draw |
| Truncation | none: after `max_placements` the cards decide |

Keywords of `env`, `raw_env` and `parallel_env`, all optional:

- `players`: 2 to 8;
- `profiles`: how fast the players are: `"fast"`, `"average"`, `"slow"`, a YAML file, or its values; one for all, or a list with one each;
- `mode`: `"decision"` (players decide whether to slap, and latencies are drawn), `"skill"` (players also decide stance and pace), or
  `"deterministic"` (latencies are fixed);
- `memory`: what an observation shows of the decks: `"perfect"`, `"last_k"` with `memory_length`, or `"counts"`;
- `render_mode`: what `render()` does with the position, including hidden cards: `"human"` prints it, `"ansi"`, `"svg"` and
  `"rgb_array"` return text, a picture and its pixels; or None;
- `illegal`: `"lose"` (the default of `env` and `parallel_env`): whoever chooses an illegal action loses the game at once, and the others
  win it; `"raise"` (the default of `raw_env`): it raises `react_env.errors.IllegalAction`, and the game is as it was;
- `action_features`: True: observations include what each legal action leads to, `Box(float32)` (A, F):
  `react_env.agents.ActionFeatures`;
- every other option of the rules: the fields of `react_env.games.react_fast.rules.RulesConfig`.

After each card everybody decides at the same time whether to slap. Turn by turn they are asked one after the other, and nobody sees what
the others have chosen before all have; with `parallel_env` one step takes all their choices. The same seed and the same choices give the
same game in both. A player who is out of the game is not asked any more, and gets its reward when the game ends. An agent that has nothing
to decide sees an action mask of zeros. A masked distribution needs another mask there, such as all ones; the choice is ignored. Once the
game is over the mask is all ones.
"""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv

from react_env import load
from react_env.envs import aec, parallel
from react_env.envs.learner import Illegal

__all__ = ["env", "parallel_env", "raw_env"]


class raw_env(aec.of_id):
    """The game turn by turn without wrappers. Keywords as above; illegal actions raise.

    Raises:
        OptionError: an unknown keyword or an impossible value, a profile that cannot be used.
    """

    metadata = {**aec.raw_env.metadata, "name": "react_fast_v0"}
    game_id = "react_fast-v0"


def env(render_mode: str | None = None, illegal: Illegal = "lose", **options: Any) -> AECEnv:
    """The game with PettingZoo's check of the order of calls. Illegal actions lose; keywords and errors as for `raw_env`."""
    return aec.Ordered(raw_env(render_mode, illegal, **options))


class parallel_env(parallel.env):
    """The game with all choices of a window in one step. Keywords as above; illegal actions lose. Errors as for `raw_env`."""

    metadata = {**parallel.env.metadata, "name": "react_fast_v0"}

    def __init__(
        self, render_mode: str | None = None, illegal: Illegal = "lose", action_features: bool = False, **options: Any
    ) -> None:
        super().__init__(load(raw_env.game_id, **options), render_mode, illegal, action_features)
