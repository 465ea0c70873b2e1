"""agents.load: names, paths, and what it says if there is no such agent; agents.fingerprint."""

from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

import react_env
from react_env import agents
from react_env.agents.models.model import Architecture, ModelInfo, save_model
from react_env.agents.players import champion
from react_env.agents.players.learned_value import WORLDS
from react_env.agents.players.levels import Careless
from react_env.agents.search.planning import WIDTH
from react_env.envs.gym import OpponentEnv
from react_env.errors import BatchError, ModelError, OptionError, StateError
from react_env.evaluation.matches.match import play_match
from react_env.registry import GAMES, describe
from tests.agents.games import game_of, positions


def game_for(name: str) -> Any:
    """A small game that the agent of that name can play."""
    return game_of("fight_sequence-v0" if name in ("scripted", "champion") else "toy")


def test_named_agents_follow_the_protocol() -> None:
    for name in agents.available():
        game = game_for(name)
        agent = agents.load(name, game)
        assert agent.name.partition(":")[0] == name
        assert isinstance(agent, agents.StateAgent if agents.uses_states(agent) else agents.Agent)


def test_worlds_of_greedy() -> None:
    assert agents.load("greedy:4", game_of("toy")).name == "greedy:4"


@pytest.mark.parametrize(
    "spec",
    [
        "gready",
        "",
        "random:3",
        "greedy:0",
        "greedy:many",
        "greedy:100000",
        "nowhere/at/all",
        "easy:2",
        "medium:",
        "hard:3",
    ],
)
def test_unknown_agents_are_refused(spec: str) -> None:
    if spec == "medium:":  # nothing after the colon is as good as no colon
        assert agents.load(spec, game_of("toy")).name == "medium"
        return
    with pytest.raises(OptionError):
        agents.load(spec, game_of("toy"))


@pytest.mark.parametrize("threads", [0, "2", None, 1.5])
def test_threads_that_cannot_be(threads: Any) -> None:
    with pytest.raises(BatchError, match="threads must be an integer of at least 1"):
        agents.load("mcts:4", game_of("toy"), threads=threads)


@pytest.mark.parametrize("ask", [agents.load, agents.fingerprint])
def test_the_error_lists_what_there_is(ask: Any) -> None:
    with pytest.raises(OptionError, match=r"'qwx': use random, greedy.*hard.*model\.safetensors.*my_agent.py:MyAgent"):
        ask("qwx", game_of("toy"))
    for wrong, right in (("gready", "greedy"), ("MCTS:256", "mcts"), ("script", "scripted"), ("haard", "hard")):
        with pytest.raises(OptionError, match=rf"'{wrong}': did you mean {right}\? There are random, greedy"):
            ask(wrong, game_of("toy"))


@pytest.mark.parametrize(
    "ask", [lambda game, spec: agents.load(spec, game), OpponentEnv, partial(play_match, agent_b="random")]
)
def test_a_model_of_stable_baselines_is_told_what_it_lacks(ask: Any) -> None:
    """Past bug: no message mentioned agents/sb3_agent.py."""
    for spec in ("model.zip", Mock(spec=["predict"])):
        with pytest.raises(OptionError, match="stable-baselines3 needs a class with act around it: see agents/sb3_ag"):
            ask(game_of("toy"), spec)


def test_the_champion_of_re_act_searches() -> None:
    """It searches with its model, which is ``champion:4``, and gives the same chances."""
    game = game_of("arts_of_war-v0")
    found: Any = agents.load("champion", game)
    named: Any = agents.load(describe(game.id).champion, game)
    model: Any = agents.load("champion:4", game)
    assert found.name == "champion" and found.simulations == 256 and found.value.how == model.how == "4"
    states, players = positions(game, 24, seed=3)
    states, players = states[states["over"] == 0], players[states["over"] == 0]
    chosen = [agent.act_states(states, players, np.random.default_rng(0)) for agent in (found, named, model)]
    np.testing.assert_array_equal(chosen[0], chosen[1])
    assert (chosen[0] != chosen[2]).any()
    chances = [agent.win_chances(states, players, np.random.default_rng(0)) for agent in (found, model)]
    np.testing.assert_array_equal(*chances)
    assert agents.fingerprint("champion", game) != agents.fingerprint("champion:4", game)
    edited = react_env.load("arts_of_war-v0", max_turns=50)
    with pytest.raises(ModelError, match="other rules"):
        agents.load("champion", edited)
    with pytest.warns(UserWarning, match="other rules"):
        assert agents.load("champion", edited, on_mismatch="warn").simulations == 256  # type: ignore[union-attr]


def test_what_a_champion_can_be_asked_for(tmp_path: Path) -> None:
    """A value averages over guesses; a network does not."""
    value: Any = agents.load("champion:3", game_of("arts_of_war-v0"))
    assert (value.name, value.worlds, value.width, value.how) == ("champion:3", 3, WIDTH, "3")
    value = agents.load("champion:1,width=0,budget=300", game_of("arts_of_war-v0"))
    assert (value.worlds, value.width, value.budget) == (1, 0, 300) and value.how == "1,width=0,budget=300"
    value = agents.load(f"{champion.path('arts_of_war-v0')}:budget=300", game_of("arts_of_war-v0"))
    assert (value.worlds, value.width, value.budget) == (WORLDS, WIDTH, WORLDS * 300)
    for game, asked, right in (
        ("arts_of_war-v0", "sample", r"champion:sample: give the number of guesses .* \(champion:4\)"),
        ("arts_of_war-v0", "0", "worlds must be from 1 to"),
        ("arts_of_war-v0", "\u00b2", "give the number of guesses"),  # a digit, but not a number
        ("arts_of_war-v0", "1,width=-1", "width must be from 0 to"),
        ("arts_of_war-v0", "width=x", "width must be a whole number"),
        ("arts_of_war-v0", "1,wide=3", "no option 'wide'; there are width, budget"),
        ("fight_sequence-v0", "sample", r"champion:sample: give the number of guesses .* \(champion:4\)"),
    ):
        with pytest.raises(OptionError, match=right):
            agents.load(f"champion:{asked}", game_of(game))
    with pytest.raises(OptionError, match="the number of worlds must be a whole number"):
        agents.load("greedy:\u00b2", game_of("toy"))
    info = ModelInfo.of(game_of("toy"), Architecture((4,), (4,), (4,), "relu").fitted(game_of("toy")))
    shapes = info.architecture.shapes(info.observation_size, info.action_count)
    save_model(tmp_path, {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}, info)
    with pytest.raises(OptionError, match="leave out :2"):
        agents.load(f"{tmp_path}:2", game_of("toy"))


def test_a_missing_model_is_named(tmp_path: Path) -> None:
    for ask in (agents.load, agents.fingerprint):
        with pytest.raises(ModelError, match="no such file"):
            ask(tmp_path, game_of("toy"))
        with pytest.raises(ModelError, match="no such file"):
            ask(tmp_path / "x.safetensors", game_of("toy"))


def test_choose_asks_each_kind_of_agent_for_some_rows() -> None:
    rows = np.array([1, 5, 6])
    for name in agents.available():
        game = game_for(name)
        batch = game.batch(num_games=8, seed=0)
        chosen = agents.choose(agents.load(name, game), batch, rows, np.random.default_rng(0))
        assert chosen.shape == (3,) and chosen.dtype == np.int64
        assert batch.action_masks[rows, chosen].all()
        assert len(agents.choose(agents.load(name, game), batch, rows[:0], np.random.default_rng(0))) == 0


# ------------------------------------------------------------------------------------------------ levels


def test_what_the_levels_are() -> None:
    toy = game_of("toy")
    for level, game, other in (
        ("medium", toy, "greedy"),
        ("hard", toy, "mcts:256"),
        ("easy", game_of("arts_of_war-v0"), "greedy"),
        ("hard", react_env.load("arts_of_war-v0", max_turns=50), "mcts:256"),  # no champion knows these rules
    ):
        states, players = positions(game, 20)
        first, second = (
            agents.load(spec, game).act_states(states, players, np.random.default_rng(0))  # type: ignore[union-attr]
            for spec in (level, other)
        )
        assert (first == second).all()


def test_a_game_without_levels_has_the_champion_as_hard_where_it_knows_the_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = describe("fight_sequence-v0")
    monkeypatch.setitem(GAMES, "fight_sequence-v0", f"{__name__}:OTHER")
    monkeypatch.setitem(globals(), "OTHER", replace(known, levels={}))
    same, other = game_of("fight_sequence-v0"), react_env.load("fight_sequence-v0", return_itself=True)
    for game, spec in ((same, "champion"), (other, "mcts:256")):
        states, players = positions(game, 10)
        first, second = (
            agents.load(name, game).act_states(states, players, np.random.default_rng(0))  # type: ignore[union-attr]
            for name in ("hard", spec)
        )
        assert (first == second).all()


@pytest.mark.long
@pytest.mark.parametrize("game_id", react_env.game_ids())
def test_each_level_beats_the_one_below(game_id: str) -> None:
    """Two players, both seats. A level is meant to win about three games of four against the one below."""
    about = describe(game_id)
    assert set(about.levels) == {"easy", "medium", "hard"}
    game = react_env.load(game_id, **(about.every if about.players[1] == 2 else {"players": 2}))
    rungs = [agents.load(level, game, threads=2) for level in ("easy", "medium", "hard")]
    for weaker, stronger in pairwise(rungs):
        assert 0.55 < play_match(game, stronger, weaker, 60, seed=3, threads=2).total.score < 0.92


def test_easy_slips_as_often_as_it_says() -> None:
    game = game_of("toy")
    states, players = positions(game, 2000)
    masks = np.array([game.action_mask(state) for state in states])

    class Noone:
        name = "no legal action"

        def act_states(self, states: Any, players: Any, rng: Any) -> Any:
            assert len(states) == len(players) > 0
            return np.full(len(states), -1)

    def slips(share: float) -> Any:
        chosen = Careless(game, Noone(), name="x", slips=share).act_states(states, players, np.random.default_rng(0))
        slipped = chosen >= 0
        assert masks[slipped, chosen[slipped]].all()
        return slipped.mean()

    assert slips(0.0) == 0 and slips(1.0) == 1
    assert abs(slips(0.3) - 0.3) < 4 * np.sqrt(0.3 * 0.7 / 2000)


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_one_choice_is_that_of_a_batch(name: str) -> None:
    game = game_of("toy")
    agent, batch = agents.load(name, game), game.batch(4, seed=3)
    for row in range(4):
        state = batch.states[row].copy()
        one = agents.choose_one(agent, game, state, np.random.default_rng(row))
        assert [one] == agents.choose(agent, batch, np.array([row]), np.random.default_rng(row)).tolist()
        assert state == batch.states[row]
    while not game.terminated(state):
        game.step(state, int(game.legal_actions(state)[0]))
    with pytest.raises(StateError, match="the game is over"):
        agents.choose_one(agent, game, state, np.random.default_rng(0))


# ------------------------------------------------------------------------------------------------ fingerprints


def read_by(spec: Any, game: Any, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names of the files that a fingerprint reads."""
    read: set[str] = set()
    real = Path.read_bytes
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", lambda self: read.add(self.name) or real(self))
        agents.fingerprint(spec, game)
    return read


def test_a_fingerprint_knows_the_code_that_chooses_and_that_values(monkeypatch: pytest.MonkeyPatch) -> None:
    game = game_of("arts_of_war-v0")
    value = Path(game.heuristics.value.py_func.__code__.co_filename).name
    quick = Path(game.heuristics.quick.py_func.__code__.co_filename).name
    for spec, there, absent in (
        ("random", {"uniform.py"}, {"greedy.py", value}),
        ("greedy", {"greedy.py", quick}, {"uniform.py", "mcts.py", "registry.py", value, "weights.csv"}),
        ("scripted", {"scripted.py", "greedy.py", quick, value, "weights.csv"}, {"mcts.py"}),
        ("mcts:8", {"mcts.py", quick, value, "weights.csv"}, {"neural.py"}),
        ("easy", {"levels.py", "greedy.py"}, {"mcts.py"}),
        ("medium", {"levels.py", "learned_value.py", "planning.py"}, {"mcts.py"}),
        ("hard", {"levels.py", "learned_value.py", "planning.py"}, {"mcts.py"}),
    ):
        read = read_by(spec, game, monkeypatch)
        assert there <= read and not absent & read, spec
    specs = [*agents.available(), "greedy:4", "mcts:8"]
    prints = {agents.fingerprint(spec, game) for spec in specs}
    assert len(prints) == len(specs)
    assert all(len(digits) == 16 and int(digits, 16) >= 0 for digits in prints)
    assert agents.fingerprint("greedy", game) == agents.fingerprint("greedy", game)


def test_a_fingerprint_knows_what_a_game_gives_to_searches() -> None:
    game = game_of("arts_of_war-v0")
    bolder = type(game)(game.rules, replace(game.heuristics, search={**game.heuristics.search, "exploration": 0.7}))
    for spec, differs in (
        ("greedy", False),
        ("scripted", False),
        ("flat:8", True),
        ("mcts:8", True),
        ("champion", True),
    ):
        assert (agents.fingerprint(spec, bolder) != agents.fingerprint(spec, game)) == differs, spec


def test_a_fingerprint_knows_a_file(tmp_path: Path) -> None:
    game = game_of("toy")
    model, own = tmp_path / "model.safetensors", tmp_path / "own.py"
    prints = set()
    for content in (b"1", b"2"):
        model.write_bytes(content)
        own.write_bytes(content)
        for spec in (tmp_path, f"{model}:sample", f"{own}:A", f"{own}:B"):
            prints.add(agents.fingerprint(spec, game))
    assert len(prints) == 8
    copy = tmp_path / "elsewhere" / "other.safetensors"
    copy.parent.mkdir()
    copy.write_bytes(model.read_bytes())
    for how in ("", ":sample"):
        assert agents.fingerprint(f"{copy}{how}", game) == agents.fingerprint(f"{model}{how}", game) in prints
    with pytest.raises(OptionError, match=r"nothing.py: no such file"):
        agents.fingerprint(f"{tmp_path}/nothing.py:A", game)
    own.rename(tmp_path / "caf\udce9.py")  # a name that is not UTF-8
    assert agents.fingerprint(f"{tmp_path}/caf\udce9.py:A", game) not in prints
