"""PettingZoo: its own tests, and what they leave out."""

import textwrap
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pettingzoo.test
import pytest
from pettingzoo.test.state_test import test_state as check_state
from pettingzoo.test.state_test import test_state_space as check_state_space
from pettingzoo.utils import CaptureStdoutWrapper

from react_env import arts_of_war_v0, fight_sequence_v0, react_fast_v0, reality_tcg_v0
from react_env.engine.game import Game
from react_env.envs import aec, parallel
from react_env.envs.gym import OpponentEnv
from react_env.envs.learner import ADVICE
from react_env.errors import GameOver, IllegalAction, OptionError, ReactEnvError

MAKERS = [aec.raw_env, aec.env]
# PettingZoo's warnings about each environment whose observation is a dict with the mask, except those that it knows by name.
OF_DICTS = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box",
)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("render_mode", [None, "ansi"])
def test_pettingzoo(game: Game, make: Callable[..., Any], render_mode: str | None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in OF_DICTS:
            warnings.filterwarnings("ignore", message)
        pettingzoo.test.api_test(make(game, render_mode), num_cycles=300)
        pettingzoo.test.seed_test(lambda: make(game, render_mode), num_cycles=100)


def test_pettingzoo_of_the_state(game: Game) -> None:
    """PettingZoo's check knows no masks, so a player who chooses an illegal action loses."""
    env = aec.env(game)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "Environment's maximum and minimum state space values are equal")
        check_state_space(env)
        check_state(env, num_cycles=20)
    with pytest.raises(OptionError, match="a seed is an integer"):
        env.reset(seed="3")
    env.reset(seed=3)
    seen = [env.observe(agent)["observation"] for agent in env.possible_agents]
    np.testing.assert_array_equal(env.state(), np.concatenate(seen))
    kept = env.state()
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    assert not np.shares_memory(kept, env.state())


@pytest.mark.parametrize(
    ("module", "options", "limit", "wrong"),
    [
        (
            arts_of_war_v0,
            {"artists": ("dancer", "calligrapher")},
            "max_turns",
            {"artists": ("calligrapher", "calligrapher")},
        ),
        (fight_sequence_v0, {"decks": "academy_default"}, "max_sequences", {"decks": ("academy_default", "nobody")}),
        (react_fast_v0, {"players": 4}, "max_placements", {"profiles": ("fast", "slow")}),
        (reality_tcg_v0, {"decks": "rush"}, "max_turns", {"decks": ("rush", "nobody")}),
    ],
    ids=["arts_of_war_v0", "fight_sequence_v0", "react_fast_v0", "reality_tcg_v0"],
)
def test_module_of_the_game(module: Any, options: Any, limit: str, wrong: dict[str, Any]) -> None:
    assert module.raw_env.metadata["name"] == module.__name__.removeprefix("react_env.")
    env = module.env(**options, render_mode="ansi", **{limit: 3})
    assert str(env) == module.__name__.removeprefix("react_env.")
    assert env.unwrapped.game.options[limit] == 3
    env.reset(seed=1)
    assert isinstance(env.render(), str)
    assert isinstance(module.raw_env(), aec.raw_env)
    assert (env.unwrapped.illegal, module.raw_env().illegal) == ("lose", "raise")
    for refused in ({"no_such": 1}, wrong, {"render_mode": "rgb"}, {limit: 0}, {"illegal": "no"}):
        with pytest.raises(OptionError):
            module.env(**refused)


@pytest.mark.parametrize(
    "module", [arts_of_war_v0, fight_sequence_v0, react_fast_v0, reality_tcg_v0], ids=lambda module: module.__name__
)
def test_the_example_of_the_module_runs(module: Any) -> None:
    """The example in the docstring, which is also the module's page, runs as it stands there."""
    example = module.__doc__.split("\n\n", 1)[1].split("\n\n| | |")[0]
    lines = textwrap.dedent(example)
    assert "agent_iter" in lines
    names: dict[str, Any] = {}
    exec(lines, names)
    assert not names["env"].agents


def play(env: Any, rng: np.random.Generator) -> dict[str, float]:
    """Play a random game to the end; return the sum of the rewards that last() gave each agent."""
    told = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        told[agent] += reward
        mask = observation["action_mask"]
        env.step(None if termination or truncation else int(rng.choice(np.flatnonzero(mask))))
    return told


@pytest.mark.parametrize("make", MAKERS)
def test_an_agent_sees_and_gets_what_the_game_says(game: Game, make: Callable[..., Any]) -> None:
    env = make(game)
    rng = np.random.default_rng(3)
    ends = set()
    for seed in range(5):
        env.reset(seed=seed)
        state = game.new(seed)
        told = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            over = game.terminated(state) or game.truncated(state)
            for player, other in enumerate(env.possible_agents):
                seen = env.observe(other)
                assert env.observation_space(other).contains(seen)
                np.testing.assert_array_equal(seen["observation"], game.observe(state, player))
                if over:
                    assert seen["action_mask"].all()
                elif player == game.to_play(state):
                    np.testing.assert_array_equal(seen["action_mask"], game.action_mask(state))
                else:
                    assert not seen["action_mask"].any(), "nothing leaks of another player's choices"
            observation, reward, termination, truncation, info = env.last()
            told[agent] += reward
            assert (termination, truncation) == (game.terminated(state), game.truncated(state))
            assert info.keys() == {"action_mask"} and info["action_mask"] is not observation["action_mask"]
            for other in env.agents:
                np.testing.assert_array_equal(env.infos[other]["action_mask"], env.observe(other)["action_mask"])
            if over:
                env.step(None)
                continue
            assert agent == f"player_{game.to_play(state)}"
            action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
            env.step(action)
            game.step(state, action)
        assert list(told.values()) == game.rewards(state).tolist()
        assert env.agents == []
        ends.add((game.terminated(state), *game.rewards(state).tolist()))
    assert ends


def test_observations_are_the_callers_own(game: Game) -> None:
    env = aec.raw_env(game)
    env.reset(seed=0)
    kept, *_ = env.last()
    before = {name: array.copy() for name, array in kept.items()}
    play(env, np.random.default_rng(0))
    for name in before:
        np.testing.assert_array_equal(kept[name], before[name])


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("illegal", ["raise", "lose"])
def test_wrong_actions_change_nothing(game: Game, make: Callable[..., Any], illegal: str) -> None:
    env = make(game, illegal=illegal)
    env.reset(seed=4)
    mask = env.last()[0]["action_mask"]
    before = env.unwrapped.position.tobytes()
    ids = (int(np.argmin(mask)), -1, game.num_actions)
    for action in (0.5, None, "0", True, *(ids if illegal == "raise" else ())):
        with pytest.raises(IllegalAction) as caught:
            env.step(action)
        assert getattr(caught.value, "__notes__", []) == ([ADVICE] if illegal == "raise" else [])
        assert env.unwrapped.position.tobytes() == before
        np.testing.assert_array_equal(env.last()[0]["action_mask"], mask)
    env.step(np.int8(np.argmax(mask)))
    assert env.unwrapped.position.tobytes() != before


@pytest.mark.parametrize("kind", ["array", "tensor"])
def test_an_action_without_dimensions_is_an_integer(game: Game, kind: str) -> None:
    """Past bug: only some functions took arrays, and none took tensors of PyTorch."""
    as_kind: Any = np.array if kind == "array" else pytest.importorskip("torch").tensor
    envs = [aec.raw_env(game), aec.raw_env(game)]
    for env in envs:
        env.reset(seed=4)
    state, one = game.new(4), OpponentEnv(game)
    one.reset(seed=4)
    action = int(game.legal_actions(state)[0])
    for env, chosen in zip(envs, (action, as_kind(action)), strict=True):
        env.step(chosen)
    game.step(state, as_kind(action))
    assert envs[0].position == envs[1].position == state
    one.step(as_kind(int(one.action_masks().argmax())))
    if game.rules.together is not None:
        together = parallel.env(game)
        seen, _ = together.reset(seed=4)
        together.step({agent: as_kind(int(told["action_mask"].argmax())) for agent, told in seen.items()})
    for wrong in (as_kind(1.0), as_kind([0, 1])):
        with pytest.raises(IllegalAction, match="an action is an integer from 0 to"):
            game.step(state, wrong)


def test_what_wraps_one_environment_leaves_the_others_as_they_are(game: Game) -> None:
    """Past bug: all games shared one list of render modes, and PettingZoo's CaptureStdoutWrapper appends to it."""
    CaptureStdoutWrapper(aec.env(game, "human"))
    for made in (aec.env(game), OpponentEnv(game), *([parallel.env(game)] if game.rules.together is not None else [])):
        assert made.metadata["render_modes"] == [*aec.RENDER_MODES]


@pytest.mark.parametrize("wrong", ["illegal", "too large", "negative"])
def test_an_illegal_action_loses_where_that_is_asked(game: Game, wrong: str) -> None:
    """Each player in turn takes one in the middle of a game: what everybody is told, and that the next game is like any other."""
    env = aec.env(game)
    rng = np.random.default_rng(1)
    losers = set()
    for seed in range(8):
        env.reset(seed=seed)
        for _ in range(int(rng.integers(6))):
            env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
        loser, mask = env.agent_selection, env.last()[0]["action_mask"]
        before = env.unwrapped.position.tobytes()
        env.step({"illegal": int(mask.argmin()), "too large": game.num_actions, "negative": -1}[wrong])
        assert env.unwrapped.position.tobytes() == before
        told = {}
        for agent in env.agent_iter():
            observation, told[agent], termination, truncation, info = env.last()
            assert (termination, truncation) == (True, False)
            assert observation["action_mask"].all() and info["action_mask"].all()
            with pytest.raises(GameOver):
                env.step(0)
            env.step(None)
        others = game.num_players - 1
        assert told == {agent: -1 if agent == loser else 1 / others for agent in env.possible_agents}
        losers.add(loser)
    assert len(losers) == game.num_players
    env.reset(seed=0)
    assert not any(env.terminations.values()) and not env.last()[0]["action_mask"].all()
    assert sum(play(env, rng).values()) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("make", MAKERS)
def test_steps_out_of_order(game: Game, make: Callable[..., Any]) -> None:
    env = make(game)
    with pytest.raises((ReactEnvError, AssertionError), match="reset"):
        env.step(0)
    env.reset(seed=1)
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        env.step(int(np.argmax(env.last()[0]["action_mask"])))
    with pytest.raises(GameOver):
        env.step(0)
    for _ in env.possible_agents:
        env.step(None)
    for action in (0, None):
        with pytest.raises(GameOver, match="reset"):
            env.step(action)
    with pytest.raises(GameOver, match="reset"):  # past bug: KeyError
        env.last()


def test_seeds(game: Game) -> None:
    env = aec.raw_env(game)

    def starts(seed: int | None) -> list[bytes]:
        found = []
        for number in range(3):
            env.reset(seed=seed if number == 0 else None, options={"any": 1})
            found.append(env.position.tobytes())
        return found

    first = starts(7)
    assert first == starts(7)
    assert len(set(first)) == 3 and first[0] == game.new(7).tobytes()
    assert starts(8) != first
    fresh = []
    for _ in range(2):
        other = aec.raw_env(game)
        other.reset()
        fresh.append(other.position.tobytes())
    assert fresh[0] != fresh[1], "without a seed the game is a random one"


def test_render(game: Game) -> None:
    env = aec.env(game, "ansi")
    env.reset(seed=1)
    assert env.render() == game.text(game.new(1))
    silent = aec.raw_env(game)
    silent.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert silent.render() is None
    with pytest.raises(OptionError, match="rgb_array") as error:
        aec.env(game, "rgb")
    assert isinstance(error.value, TypeError), "as for a keyword that a function does not have"


def test_spaces_are_the_same_objects(game: Game) -> None:
    env = aec.env(game)
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
    assert env.action_space("player_0").n == game.num_actions and type(env.action_space("player_0").n) is int
    assert env.observation_space("player_0")["observation"].shape == game.observation_shape
