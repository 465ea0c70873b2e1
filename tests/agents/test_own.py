"""Agents of a user: classes in Python files, in processes of their own."""

import contextlib
import copy
import os
import pickle
import re
import runpy
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import react_env
from react_env import agents, docs_tables
from react_env.agents.process import own
from react_env.agents.process.guard import AgentFault
from react_env.agents.registry import check_spec
from react_env.errors import OptionError
from react_env.evaluation.matches.match import play_match
from tests.agents.games import game_of, positions
from tests.agents.test_guard import ROWS, batch_of

EXAMPLES = docs_tables.ROOT / "docs" / "examples"
BOTS = docs_tables.ROOT / "agents"
NO_GAME = SimpleNamespace(id="nothing-v0", options={}, rules_hash="0" * 16)
RNG = np.random.default_rng(0)
Loader = Callable[..., Any]

# One agent for everything that can go wrong, but only for the observation WRONG.
SELECTIVE = """
import os, sys, time

class Selective:
    def __init__(self):
        self.calls = 0

    def act(self, observations, action_masks, rng):
        self.calls += 1
        if (observations == WRONG).all(axis=1).any():
            {deed}
        return action_masks.argmax(axis=1)
"""


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Loader]:
    """Write a file and load a class from it; what was loaded is closed at the end."""
    loaded: list[Any] = []

    def write_and_load(text: str, class_name: str = "A", game: Any = NO_GAME, file: str = "agent.py") -> Any:
        (tmp_path / file).write_text(text)
        loaded.append(agents.load(f"{tmp_path / file}:{class_name}", game))
        return loaded[-1]

    yield write_and_load
    for agent in loaded:
        agent.close()


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended but has not been waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def ends(pid: int) -> bool:
    """Whether a process ends within a minute."""
    for _ in range(1200):
        if not alive(pid):
            return True
        time.sleep(0.05)
    return False


# ------------------------------------------------------------------------------------------------ loading


GOOD = "class A:\n    def act(self, observations, action_masks, rng):\n        return action_masks.argmax(axis=1)\n"


def test_what_is_no_file_is_said_before_anything_starts(tmp_path: Path) -> None:
    for spec in ("nowhere.py:A", "nowhere.py", f"{tmp_path}/x.py:A"):
        with pytest.raises(OptionError, match=r"there is no file .*\.py$"):
            agents.load(spec, NO_GAME)


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        (
            GOOD + "class Other: pass\nfrom pathlib import Path",
            "B",
            "there is no class B; the classes of agent.py: A, Other$",
        ),
        (
            GOOD.replace("A:", "MyAgent:"),
            "MyAgnet",
            r"no class MyAgnet; did you mean MyAgent\? The classes of agent.py: MyAgent$",
        ),
        ("x = 1", "x", "there is no class x; there are no classes in agent.py$"),
        (GOOD, "", r"which class\? Write agent.py:NAME; the classes of agent.py: A$"),
        (
            "import nothing_like_it",
            "A",
            r"cannot be imported: it raised ModuleNotFoundError: .*'nothing_like_it' \(agent.py, line 1\)$",
        ),
        ("x = 1\ndef f(:\n", "A", r"cannot be imported: it raised SyntaxError: .* \(agent.py, line 2\)$"),
        ("import sys\nsys.exit(3)", "A", r"cannot be imported: it raised SystemExit: 3 \(agent.py, line 2\)$"),
        ("import os\nos._exit(3)", "A", r"it ended its process \(exit code 3\) before it was ready$"),
        ("class A:\n    name = 'x'", "A", r"has no act: an agent needs act\(self, observations, action_masks, rng\)"),
        (
            GOOD + "    def __init__(self):\n        self.x = 1 / 0",
            "A",
            r"could not be made: it raised ZeroDivisionError: division by zero \(agent.py, line 5\)$",
        ),
        (
            GOOD + "    def __init__(self, size, depth): pass",
            "A",
            "takes size, depth: it may take nothing, or the game alone; others need defaults",
        ),
        (GOOD + "    def __init__(self, game): pass", "A", "the game, which cannot be loaded .* no game 'nothing-v0'"),
        (
            "class A:\n    def act(self, observations, action_masks): pass",
            "A",
            r"act takes \(observations, action_masks\): it must take \(observations, action_masks, rng\)$",
        ),
        (
            "class A:\n    memory_per_game = 3\n    def act_states(self, states, players, rng): pass",
            "A",
            r"act_states takes \(states, players, rng\): .* \(states, players, rng, memory\), for memory_per_game is set$",
        ),
    ],
)
def test_a_class_that_cannot_be_used(load: Loader, text: str, name: str, message: str) -> None:
    with pytest.raises(OptionError, match=message) as error:
        load(text, name)
    assert "agent.py:" in str(error.value) and "\n" not in str(error.value)


def test_an_agent_that_is_never_ready(load: Loader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own, "START_SECONDS", 0.1)
    with pytest.raises(OptionError, match=r"it was not ready after 0\.1 s"):
        load("while True: pass")


def test_names(load: Loader) -> None:
    """The name is the class attribute, or the class's own name. A default argument is not taken for the game."""
    assert load(GOOD + "    def __init__(self, size=3, *rest, **more):\n        assert size == 3").name == "A"
    assert load(GOOD + "    name = 'the  best\\none'").name == "the best one"


def test_no_own_agent_passes_for_one_of_the_library(load: Loader) -> None:
    """Past bug: in the arena's tables, a class with the name greedy replaced the real greedy."""
    assert load(GOOD + "    name = 'greedy'").name == "agent.py:A"
    assert load(GOOD + "    name = 'mcts:256'").name == "agent.py:A"
    assert load(GOOD + "    name = 'greedy too'").name == "greedy too"


def test_parameters_are_set_behind_the_name(load: Loader) -> None:
    text = dedent("""
        class Kw:
            def __init__(self, depth=1, careful=False, *, rate=0.5, label="x"):
                self.told = (depth, careful, rate, label)
                self.name = repr(self.told).replace(",", ";")

            def act(self, observations, action_masks, rng):
                return action_masks.argmax(axis=1)
    """)
    assert load(text, "Kw").name.endswith("1; False; 0.5; 'x')")
    assert load(text, "Kw,depth=4,careful=yes,rate=2").name.endswith("4; True; 2.0; 'x'),depth=4,careful=yes,rate=2")
    for wrong, told in (("depht=4", "no option 'depht'; there are depth"), ("depth=x", "depth must be a whole number")):
        with pytest.raises(OptionError, match=told):
            load(text, f"Kw,{wrong}")
    plain = "class Plain:\n    def act(self, observations, action_masks, rng): ..."
    with pytest.raises(OptionError, match="Plain takes no options, such as 'depth=4'"):
        load(plain, "Plain,depth=4")


def test_the_value_of_a_parameter_may_hold_colons_and_files(load: Loader, tmp_path: Path) -> None:
    """Past bug: the last colon was taken for the one after the file."""
    text = GOOD + "    def __init__(self, of='x'):\n        assert of in ('http://here:80', 'mcts:16', 'b.py:B')\n"
    for value in ("http://here:80", "mcts:16", "b.py:B"):
        agent = load(text, f"A,of={value}")
        assert agent.name == f"A,of={value}"
        assert agents.fingerprint(f"{tmp_path}/agent.py:A,of={value}", NO_GAME)
        check_spec(f"{tmp_path}/agent.py:A,of={value}")


def test_a_file_that_was_just_edited_is_the_new_one(load: Loader, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: if two versions of a file had the same second and length, Python ran the cached bytecode of the first for both."""
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "")
    for answer in (1, 2, 3):
        agent = load(f"class A:\n    def act(self, observations, action_masks, rng):\n        return [{answer}]\n")
        assert agent.act(np.zeros((1, 2), np.int8), np.ones((1, 4), np.bool_), RNG).tolist() == [answer]


def test_neighbours_can_be_imported(load: Loader, tmp_path: Path) -> None:
    (tmp_path / "my_helper.py").write_text("def pick(masks): return masks.argmax(axis=1)")
    agent = load(
        "from my_helper import pick\nclass A:\n    def act(self, observations, action_masks, rng):\n"
        "        return pick(action_masks)"
    )
    masks = np.eye(3, dtype=np.bool_)
    assert agent.act(np.zeros((3, 2), np.int8), masks, RNG).tolist() == [0, 1, 2]


# ------------------------------------------------------------------------------------------------ asking


def test_it_gets_what_the_protocol_says_and_its_chance_comes_from_the_generator(load: Loader) -> None:
    agent = load(
        """
import numpy as np
class A:
    def act(self, observations, action_masks, rng):
        assert observations.dtype == np.int8 and action_masks.dtype == np.bool_
        assert len(observations) == len(action_masks) and isinstance(rng, np.random.Generator)
        print("garbage\\n" * 1000)
        observations[:] = 0
        action_masks[:] = True
        return rng.integers(0, 1000, len(observations)).tolist()
"""
    )
    observations, masks = np.ones((5, 7), np.int8), np.zeros((5, 9), np.bool_)
    first, again, other = (agent.act(observations, masks, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first.shape == (5,) and first.dtype == np.int64
    assert (first == again).all() and (first != other).any()
    assert observations.all() and not masks.any()
    assert isinstance(agent, agents.Agent) and not agents.uses_states(agent)


def test_an_agent_that_searches_gets_states(load: Loader) -> None:
    agent = load(
        "class A:\n    def act_states(self, states, players, rng):\n"
        "        return [10 * int(s['to_play']) + int(p) for s, p in zip(states, players)]"
    )
    batch = batch_of()
    assert agents.uses_states(agent)
    assert (agents.choose(agent, batch, ROWS, RNG) == 11 * batch.to_play[ROWS]).all()


def test_without_a_guard_a_fault_is_an_error(load: Loader) -> None:
    agent = load("class A:\n    def act(self, observations, action_masks, rng):\n        return [0.5]")
    with pytest.raises(AgentFault, match="^A returned float64") as caught:
        agent.act(np.zeros((1, 2), np.int8), np.ones((1, 3), np.bool_), RNG)
    # Past bug: it could not be unpickled. Gymnasium's AsyncVectorEnv makes a new error from the error itself.
    error = pickle.loads(pickle.dumps(caught.value))
    for one in (error, type(error)(error)):
        assert str(one) == str(caught.value) and one.fault == caught.value.fault


def test_threads_that_share_an_agent_get_their_own_answers(load: Loader) -> None:
    """Past bug: each thread got whichever answer came first."""
    agent = load(GOOD)

    def ask(legal: int) -> bool:
        masks = np.arange(9)[None] == legal
        return all(agent.act(np.zeros((1, 2), np.int8), masks, RNG).tolist() == [legal] for _ in range(200))

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(ask, range(4)))


def test_the_answer_to_a_question_that_was_given_up_is_not_that_to_the_next(
    load: Loader, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = load("class A:\n    def act(self, observations, action_masks, rng): return action_masks.argmax(1)\n")
    batch = batch_of()

    def interrupted(process: Any, seconds: float) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(own._Process, "_next_answer", interrupted)
        with pytest.raises(KeyboardInterrupt):
            agent.act(batch.observations[:3], batch.action_masks[:3], RNG)
    assert (agent.act(batch.observations, batch.action_masks, RNG) == batch.action_masks.argmax(1)).all()


@pytest.mark.slow
def test_a_copy_starts_a_process_of_its_own(load: Loader) -> None:
    """So environments can be copied and pickled, whoever the opponent is."""
    agent = load(GOOD)
    for copied in (copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        masks = np.eye(3, dtype=np.bool_)
        assert copied.act(np.zeros((3, 2), np.int8), masks, RNG).tolist() == [0, 1, 2]
        copied.close()


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_fork_starts_a_process_of_its_own_and_leaves_that_of_its_parent(load: Loader) -> None:
    """Past bug: a child waited forever for the thread that asks, which only its parent has."""
    agent = load(GOOD)
    masks, seen = np.eye(3, dtype=np.bool_), np.zeros((3, 2), np.int8)
    before = agent._process._process.pid
    child = os.fork()
    if child == 0:
        code = 1
        with contextlib.suppress(BaseException):
            signal.alarm(60)
            code = int(agent.act(seen, masks, RNG).tolist() != [0, 1, 2])
            agent.close()
        os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert agent.act(seen, masks, RNG).tolist() == [0, 1, 2]
    assert agent._process._process.pid == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("deed", "kind", "message"),
    [
        ("raise ValueError('not this')", "error", "raised ValueError: not this (agent.py, line 11)"),
        ("return None", "shape", "returned None: it must return the actions"),
        ("time.sleep(1000)", "timeout", "did not answer within 2 s"),
        ("os._exit(7)", "crash", "ended its process (exit code 7)"),
        ("os.kill(os.getpid(), 9)", "crash", "ended its process (signal 9: Killed)"),
        ("sys.exit()", "error", "raised SystemExit (agent.py, line 11)"),
    ],
)
def test_only_the_guilty_row_fails(load: Loader, deed: str, kind: str, message: str) -> None:
    batch = batch_of()
    text = SELECTIVE.format(deed=deed).replace("WRONG", str(batch.observations[5].tolist()))
    chooser = agents.guarded(load(text, "Selective"), seconds=2)
    rows = np.array([2, 5])
    actions, failed = chooser.choose(batch, rows, RNG)
    assert failed.tolist() == [False, True]
    assert actions[0] == batch.action_masks[2].argmax()
    assert [(fault.kind, fault.message) for fault in chooser.faults] == [(kind, message)]
    details = chooser.faults[0].details
    assert (kind == "error") == details.startswith('Traceback (most recent call last):\n  File "/')
    assert "own_worker" not in details
    if kind != "error":
        chooser.close()
    assert not chooser.choose(batch, rows[:1], RNG)[1].any(), "it can be asked again, also after its process has ended"


@pytest.mark.slow
def test_an_agent_that_cannot_start_again(load: Loader, tmp_path: Path) -> None:
    chooser = agents.guarded(
        load(
            f"import os, pathlib\nflag = pathlib.Path({str(tmp_path / 'flag')!r})\nassert not flag.exists()\n"
            "class A:\n    def act(self, observations, action_masks, rng):\n        flag.touch()\n        os._exit(1)"
        )
    )
    _, failed = chooser.choose(batch_of(), ROWS, RNG)
    assert failed.all()
    assert chooser.faults[0].message.startswith("could not be started again: cannot be imported: it raised Assertion")
    assert "Traceback" in chooser.faults[0].details
    assert chooser.faults[3].message.startswith("not asked any more after 3 timeouts or crashes")


# ------------------------------------------------------------------------------------------------ processes

HANGS = """
import os, pathlib, sys
class A:
    def __init__(self):
        pathlib.Path({pid!r}).write_text(str(os.getpid()))
    def act(self, observations, action_masks, rng):
        pathlib.Path({asked!r}).touch()
        try:
            while True:
                pass
        except KeyboardInterrupt:
            print("not quiet", file=sys.stderr, flush=True)
"""
ASKS = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background may have it ignored
from textwrap import dedent
from types import SimpleNamespace
import numpy as np
from react_env import agents
agent = agents.load({spec!r}, SimpleNamespace(id="nothing-v0", options={{}}, rules_hash="0"))
try:
    agent.act(np.zeros((1, 2), np.int8), np.ones((1, 2), np.bool_), np.random.default_rng(0))
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_behind(tmp_path: Path, how: signal.Signals) -> None:
    """Ctrl-C in the terminal ends quietly, and a parent that is killed leaves no process, even if the agent hangs at that moment."""
    pid, asked = tmp_path / "pid", tmp_path / "asked"
    (tmp_path / "agent.py").write_text(HANGS.format(pid=str(pid), asked=str(asked)))
    # A script without `if __name__ == "__main__"`.
    (tmp_path / "script.py").write_text(ASKS.format(spec=f"{tmp_path / 'agent.py'}:A"))
    parent = subprocess.Popen(
        [sys.executable, str(tmp_path / "script.py")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(docs_tables.ROOT)},
        start_new_session=True,
    )
    while not asked.exists():
        assert parent.poll() is None
        time.sleep(0.02)
    os.killpg(parent.pid, how)
    try:
        out, err = parent.communicate()
        assert ends(int(pid.read_text()))
    finally:
        for process in (parent.pid, int(pid.read_text())):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
    if how == signal.SIGINT:
        assert (out, err, parent.returncode) == ("interrupted\n", "", 0)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc")
def test_an_agent_that_nobody_needs_any_more_ends(load: Loader, tmp_path: Path) -> None:
    pids = []
    for _ in range(2):
        path = tmp_path / "agent.py"
        path.write_text(
            GOOD
            + f"    def __init__(self):\n        import os; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))"
        )
        agent = agents.load(f"{path}:A", NO_GAME)
        pids.append(int((tmp_path / "pid").read_text()))
        assert alive(pids[-1])
        if len(pids) == 1:
            agent.close()  # type: ignore[union-attr]
        del agent
    assert all(ends(pid) for pid in pids)


# ------------------------------------------------------------------------------------------------ the examples of the documentation


@pytest.mark.slow
@pytest.mark.parametrize(("file", "name"), [("my_agent.py", "MyAgent"), ("remembering_agent.py", "Patient")])
def test_the_examples_play(file: str, name: str) -> None:
    game = game_of("fight_sequence-v0")
    agent: Any = agents.load(f"{EXAMPLES / file}:{name}", game)
    assert agent.name == name
    result = play_match(game, agent, agents.load("random", game), games=20, seed=3)
    assert result.total.games == 20
    agent.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "game_id",
    [
        "arts_of_war-v0",
        *(pytest.param(name, marks=pytest.mark.long) for name in ("fight_sequence-v0", "reality_tcg-v0")),
    ],
)
def test_the_readable_bots_play(game_id: str) -> None:
    """They play from both seats, loaded like any user's agent; the two that look ahead beat random."""
    game = game_of(game_id)
    rates = {}
    for name in ("random", "greedy", "cautious"):
        agent: Any = agents.load(f"{BOTS / f'{name}_agent.py'}:{name.title()}Agent", game)
        rates[name] = play_match(game, agent, agents.load("random", game), games=20, seed=3).total.score
        agent.close()
    assert min(rates["greedy"], rates["cautious"]) >= 0.7 and 0.1 < rates["random"] < 0.9, rates


@pytest.mark.parametrize("game_id", react_env.game_ids())
def test_the_readable_bots_look_ahead_in_every_game(game_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: they looked for an action named "pass", which React Fast lacks, and in Reality TCG they looked on to the game's end."""
    monkeypatch.syspath_prepend(str(BOTS))
    game = game_of(game_id)
    states, players = positions(game, 4)
    for name in ("greedy", "cautious"):
        bot = runpy.run_path(str(BOTS / f"{name}_agent.py"))[f"{name.title()}Agent"](game)
        chosen = bot.act_states(states, players, np.random.default_rng(0))
        assert all(game.action_mask(state)[action] for state, action in zip(states, chosen, strict=True))


def test_every_readable_bot_is_in_the_table() -> None:
    table = (BOTS / "README.md").read_text(encoding="utf-8")
    assert [file.name for file in sorted(BOTS.glob("*.py")) if f"]({file.name})" not in table] == []
    assert [name for name in agents.available() if not re.search(rf"^\|[^|]*`{name}", table, re.MULTILINE)] == []


def sb3_model(folder: Path) -> Any:
    """An untrained model, saved where the example looks for it."""
    pytest.importorskip("stable_baselines3")
    from sb3_contrib import MaskablePPO

    from react_env.envs.sb3 import SelfPlayVecEnv

    env = SelfPlayVecEnv(game_of("toy"), num_envs=4, seed=0)
    model = MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=32, n_epochs=1, seed=0, device="cpu")
    model.save(folder / "sb3_model.zip")
    shutil.copy(BOTS / "sb3_agent.py", folder)
    return model


def chosen_by(model: Any, batch: Any) -> Any:
    return model.predict(batch.observations.copy(), action_masks=batch.action_masks.copy(), deterministic=True)[0]


def test_the_example_of_a_stable_baselines_model_chooses_as_the_model(tmp_path: Path) -> None:
    model, batch = sb3_model(tmp_path), batch_of()
    names = runpy.run_path(str(tmp_path / "sb3_agent.py"))
    actions = names["Sb3Agent"]().act(batch.observations.copy(), batch.action_masks.copy(), RNG)
    assert (actions == chosen_by(model, batch)).all()


def test_the_example_names_the_model_that_is_not_there(tmp_path: Path) -> None:
    """Past bug: the error named sb3_model.zip.zip."""
    pytest.importorskip("sb3_contrib")
    shutil.copy(BOTS / "sb3_agent.py", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"sb3_model\.zip'"):
        runpy.run_path(str(tmp_path / "sb3_agent.py"))["Sb3Agent"]()


@pytest.mark.long
def test_the_example_of_a_stable_baselines_model_plays(tmp_path: Path) -> None:
    model, batch, game = sb3_model(tmp_path), batch_of(), game_of("toy")
    agent: Any = agents.load(f"{tmp_path / 'sb3_agent.py'}:Sb3Agent", game)
    assert play_match(game, agent, agents.load("random", game), games=20, seed=3).total.games == 20
    assert (agents.choose(agent, batch, np.arange(8), RNG) == chosen_by(model, batch)).all()
    agent.close()


PAGE = (docs_tables.ROOT / "docs" / "own_agents.md").read_text(encoding="utf-8")


def test_the_page_shows_the_examples_as_they_are() -> None:
    for file in (EXAMPLES / "my_agent.py", EXAMPLES / "remembering_agent.py", BOTS / "sb3_agent.py"):
        assert f"```python\n{file.read_text(encoding='utf-8')}```\n" in PAGE


def test_what_the_page_does_with_the_example_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's Python that is not an example file runs piece by piece, in the folder of the examples."""
    monkeypatch.chdir(EXAMPLES)
    monkeypatch.syspath_prepend(str(EXAMPLES))
    names: dict[str, Any] = {}
    pieces = re.findall(r"^```py\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    for piece in pieces:
        exec(piece, names)
    assert len(pieces) == 2 and names["agent"].name == "MyAgent"
    names["agent"].close()
