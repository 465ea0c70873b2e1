"""Games on many machines: Ray's own test cluster, several nodes on this machine, some of them killed on purpose."""

from __future__ import annotations

import json
import os
import pickle
import platform
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest

import react_env
from react_env import agents
from react_env.engine.compile import forget_old
from react_env.errors import OptionError
from react_env.evaluation import cluster as C
from react_env.evaluation.arena.run import Arena, round_robin
from react_env.evaluation.arena.store import Store
from react_env.evaluation.deck_search import Search
from react_env.evaluation.deck_search import Settings as DeckSettings
from react_env.evaluation.lab.study import Folder, Settings, Study
from react_env.evaluation.matches.elsewhere import play_match_elsewhere
from react_env.evaluation.matches.match import play_match
from react_env.training.config import TrainConfig
from react_env.training.runs.exploit import Attack, exploit
from react_env.training.selfplay.run import train

OPTIONS = {"max_sequences": 4}


@pytest.fixture(scope="module")
def nodes() -> Iterator[Any]:
    """A head without workers, and two machines of one core each."""
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 0, "include_dashboard": False}
    found = Cluster(initialize_head=True, head_node_args=head, shutdown_at_exit=False)
    found.add_node(num_cpus=1)
    found.add_node(num_cpus=1)
    yield found
    found.shutdown()


@contextmanager
def third(nodes: Any) -> Iterator[None]:
    """One more machine for a while."""
    added = nodes.add_node(num_cpus=1)
    try:
        yield
    finally:
        nodes.remove_node(added)


@pytest.fixture(scope="module")
def kept() -> Iterator[list[C.Cluster]]:
    """The cluster that `cluster` passes from test to test, because its workers have already loaded the games."""
    found: list[C.Cluster] = []
    yield found
    for one in found:
        one.close()


@pytest.fixture
def cluster(nodes: Any, kept: list[C.Cluster]) -> C.Cluster:
    if not kept:
        kept.append(C.Cluster(nodes.address))
    return kept[0]


@pytest.fixture
def machines(nodes: Any, kept: list[C.Cluster]) -> Any:
    """The nodes, for a test that connects to them itself: a process can be in only one cluster at a time."""
    while kept:
        kept.pop().close()
    return nodes


def study(cluster: C.Cluster | None, agents: tuple[str, ...] = ("greedy", "random"), deals: int = 130) -> Study:
    settings = Settings("fight_sequence-v0", OPTIONS, agents, deals, seed=5)
    return Study(settings, Folder(None), cluster=cluster)


def everything(found: Study) -> list[Any]:
    for _ in found.play(found.everything()):
        pass
    return [found.outcomes(agent, cell).to_bytes() for agent in found.settings.agents for cell in found.cells]


def arena(cluster: C.Cluster | None, file: Path, games: int = 300, **more: Any) -> Any:
    game = react_env.load("fight_sequence-v0", **OPTIONS)
    with Store(file, game, seed=3) as store, Arena(game, store, cluster=cluster) as place:
        ids = [place.add(spec) for spec in ("random", "greedy", "scripted")]
        complete = place.play(round_robin(ids), games, **more)
        rows = place.games()
    order = np.lexsort((rows.seat, rows.seed, rows.b, rows.a))
    return complete, [
        column[order].tolist() for column in (rows.a, rows.b, rows.seed, rows.seat, rows.result, rows.decisions)
    ]


class _Here:
    """A cluster of this process alone."""

    def __init__(self) -> None:
        self.shared: list[Any] = []

    def share(self, content: Any) -> Any:
        self.shared.append(content)
        return content

    def each(self, function: Any, pieces: Any) -> Iterator[tuple[int, Any]]:
        return ((number, function(*arguments)) for number, arguments in enumerate(pieces))


def test_an_arena_sends_each_agent_once(tmp_path: Path) -> None:
    """Past bug: it sent an agent once for each of its pairs."""
    here: Any = _Here()
    complete, found = arena(here, tmp_path / "three.db", games=20)
    assert complete and len(found[0]) == 60
    assert len(here.shared) == 4, "three agents and the game"


@pytest.mark.slow
def test_a_study_is_the_same_on_two_machines_as_here(cluster: C.Cluster) -> None:
    assert cluster.cores == 2
    assert everything(study(cluster)) == everything(study(None))


def _own(folder: Path) -> Path:
    """A file with a user's own agent."""
    file = folder / "mine.py"
    file.write_text("class Mine: pass")
    return file


def test_agents_travel_as_files(tmp_path: Path) -> None:
    """A model's folder or file, or a user's own agent, is unpacked elsewhere under a name that means the same."""
    own = _own(tmp_path)
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"weights")
    (folder / "model.json").write_text("{}")
    (folder / "learning_curve.png").write_bytes(b"not needed")
    for spec in ("mcts:64", "mcts:64,net=champion"):
        assert C.unpacked(C.parcel(spec)) == spec
    search, _, there = C.unpacked(C.parcel(f"mcts:64,net={folder},prior=0.2")).partition("net=")
    net, _, option = there.partition(",")
    assert search == "mcts:64," and option == "prior=0.2" and net != str(folder)
    assert (Path(net) / "model.safetensors").read_bytes() == (folder / "model.safetensors").read_bytes()
    there = C.unpacked(C.parcel(f"{own}:Mine"))
    assert there.endswith("mine.py:Mine") and Path(there.partition(":")[0]).read_text() == own.read_text()
    there = C.unpacked(C.parcel(f"{folder}:1,width=0"))
    name, _, rest = there.partition(":")
    assert rest == "1,width=0" and sorted(file.name for file in Path(name).iterdir()) == [
        "model.json",
        "model.safetensors",
    ]
    assert C.unpacked(C.parcel(f"{folder}:1,width=0")) == there
    file = C.unpacked(C.parcel(str(folder / "model.safetensors")))
    assert Path(file).read_bytes() == b"weights" and Path(file).with_suffix(".json").exists()


def test_an_agent_is_not_a_folder_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: `--agent greedy --folder greedy` sent the folder's content instead of the name; so did a deck and a folder of its name."""
    monkeypatch.chdir(tmp_path)
    for name in ("greedy", "champion", "rush"):
        Path(name).mkdir()
    Path("champion/model.safetensors").write_bytes(b"weights")
    for spec in ("greedy", "champion:4", "mcts:64,net=champion", "rush"):
        assert C.unpacked(C.parcel(spec)) == spec


def test_what_was_unpacked_is_there_once_for_all_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray kills its workers, so files that each kept for itself would stay; those in the cache go when they are old."""
    package = C.parcel(f"{_own(tmp_path)}:Mine")
    (tmp_path / "mine.py").unlink()
    monkeypatch.setenv("REACT_ENV_CACHE_DIR", str(tmp_path / "cache"))
    told = "from react_env.evaluation import cluster as C; import sys; print(C.unpacked(eval(sys.argv[1])))"
    run = subprocess.run([sys.executable, "-c", told, repr(package)], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == C.unpacked(package)
    (folder,) = (tmp_path / "cache").iterdir()
    assert [file.name for file in folder.iterdir()] == ["mine.py"]
    os.utime(folder, (0, 0))
    C.unpacked(package)
    forget_old()
    assert folder.exists()
    os.utime(folder, (0, 0))
    forget_old()
    assert not folder.exists()


def test_without_a_cache_what_was_unpacked_goes_with_the_process(tmp_path: Path) -> None:
    package = C.parcel(f"{_own(tmp_path)}:Mine")
    (tmp_path / "mine.py").unlink()
    told = "from react_env.evaluation import cluster as C; import sys; print(C.unpacked(eval(sys.argv[1])))"
    run = subprocess.run(
        [sys.executable, "-c", told, repr(package)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "REACT_ENV_CACHE_DIR": os.devnull},
    )
    there = Path(run.stdout.strip().removesuffix(":Mine"))
    assert there.name == "mine.py" and not there.parent.exists()


def test_an_own_agent_that_is_there_too_keeps_its_neighbours(tmp_path: Path) -> None:
    """On machines with a shared file system an agent finds what it imports and reads beside it."""
    own = _own(tmp_path)
    package = C.parcel(f"{own}:Mine")
    assert C.unpacked(package) == f"{own}:Mine"
    own.write_text("class Mine: other = True")
    assert not C.unpacked(package).startswith(str(tmp_path))


@pytest.mark.slow
def test_a_deck_that_is_there_too_keeps_the_set_beside_it(tmp_path: Path) -> None:
    """Past bug: a search among decks of an edition, whose set lies beside them, failed on a cluster."""
    shipped = Path(react_env.__file__).parent / "games/reality_tcg"
    for name in ("decks/rush.yaml", "decks/wall.yaml", "sets/reality_default.yaml"):
        text = (shipped / name).read_text()
        (tmp_path / Path(name).name).write_text(text.replace("{hit_attacker: 5}", "{hit_attacker: 4}"))
    field = tuple(str(tmp_path / name) for name in ("rush.yaml", "wall.yaml"))
    settings = DeckSettings("reality_tcg-v0", field=field, agent="random", trials=2, deals=2, report=4)
    here: Any = _Here()
    with Search(settings) as alone, Search(settings, cluster=here) as there:
        assert there.run() == alone.run()


def test_a_piece_is_played_in_the_folder_of_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If that folder exists there; and an error names the machine."""
    monkeypatch.chdir(tmp_path)
    getcwd = pickle.dumps(os.getcwd)
    assert C._there(getcwd, str(tmp_path / "gone"), ()) == str(tmp_path)
    (tmp_path / "sub").mkdir()
    assert C._there(getcwd, str(tmp_path / "sub"), ()) == str(tmp_path / "sub")
    with pytest.raises(OptionError, match=f"^on {re.escape(platform.node())}: .*no_such_game"):
        C._there(pickle.dumps(react_env.load), ".", ("no_such_game-v0",))


def test_a_package_that_is_missing_elsewhere_is_told_with_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: the message named only the package, as if it were missing here."""
    from react_env.training.algorithms.elsewhere import _table

    packed = pickle.dumps(_table)
    monkeypatch.delitem(sys.modules, _table.__module__)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(C.ClusterError, match=f"^on {re.escape(platform.node())}: .*torch"):
        C._there(packed, ".", ())


def test_a_machine_that_has_just_died_is_not_asked() -> None:
    """For some seconds Ray still takes it to be alive."""
    ray = pytest.importorskip("ray")
    gone = {"Alive": True, "Resources": {"CPU": 1.0}, "NodeID": "0" * 56, "NodeManagerAddress": "10.0.0.9"}
    found = object.__new__(C.Cluster)
    found._ray = MagicMock(exceptions=ray.exceptions)
    found._ray.nodes.return_value = [gone]
    found._ray.get.side_effect = ray.exceptions.TaskUnschedulableError("the node does not exist any more")
    found._compare()
    found._ray.get.side_effect = ray.exceptions.WorkerCrashedError()
    with pytest.raises(C.ClusterError, match="10.0.0.9: "):
        found._compare()


def test_an_address_where_nobody_listens_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not take the minutes for which Ray keeps trying."""
    ray = pytest.importorskip("ray")
    monkeypatch.setattr(ray, "init", lambda **_: pytest.fail("Ray was asked"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    for given in (address, f"ray://{address}", "auto"):
        monkeypatch.setenv("RAY_ADDRESS", address)
        with pytest.raises(C.ClusterError, match=f"--ray .*{address}: no Ray cluster answers there: .*refused"):
            C.Cluster(given)


def test_an_address_at_which_something_else_answers_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: Ray tried it 20 times, for 14 minutes. Its setting is restored afterwards, since a head started here waits by it."""
    ray = pytest.importorskip("ray")
    tries = []

    def init(**_: Any) -> None:
        tries.append(os.environ.get("RAY_gcs_server_port_wait_time_s"))
        raise ConnectionError("not Ray")

    monkeypatch.setattr(ray, "init", init)
    with socket.create_server(("127.0.0.1", 0)) as other:
        for setting in (None, "30"):
            if setting is not None:
                monkeypatch.setenv("RAY_gcs_server_port_wait_time_s", setting)
            with pytest.raises(C.ClusterError, match="no Ray cluster answers there: not Ray"):
                C.Cluster(f"127.0.0.1:{other.getsockname()[1]}")
            assert os.environ.get("RAY_gcs_server_port_wait_time_s") == setting
    assert tries == ["1", "30"]


@pytest.mark.slow
def test_a_machine_with_other_rules_or_versions_is_refused(machines: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(C.ClusterError, match="other rules"):
        C.check_rules(react_env.load("fight_sequence-v0"), "0" * 16)
    real = C.Cluster._compare

    def newer(self: C.Cluster) -> None:
        ours = {**C.versions(), "numpy": "99.0"}
        with monkeypatch.context() as patch:
            patch.setattr(C, "here", lambda: ours)
            real(self)

    monkeypatch.setattr(C.Cluster, "_compare", newer)
    with pytest.raises(C.ClusterError, match=r"has numpy .*, here 99\.0"):
        C.Cluster(machines.address)


def test_what_cannot_be_reached() -> None:
    with pytest.raises(OptionError, match="give an address, or local"):
        C.cluster_of("")
    assert C.cluster_of(None) is None


@pytest.mark.slow
def test_what_a_piece_complains_of_is_told(cluster: C.Cluster) -> None:
    def refuse(number: int) -> int:
        raise OptionError(f"piece {number} cannot be")

    def break_(number: int) -> int:
        raise ZeroDivisionError(number)

    with pytest.raises(OptionError, match="piece 4 cannot be"):
        list(cluster.each(refuse, [(4,)]))
    with pytest.raises(C.ClusterError, match="^on .*: ZeroDivisionError: 4$"):
        list(cluster.each(break_, [(4,)]))


@pytest.mark.long
def test_an_arena_plays_the_same_games_whatever_the_machines_and_goes_on(cluster: C.Cluster, tmp_path: Path) -> None:
    complete, found = arena(cluster, tmp_path / "two.db")
    assert complete and len(found[0]) == 900
    with_one = arena(cluster, tmp_path / "part.db", games=128)[1]
    assert len(with_one[0]) == 384
    assert arena(cluster, tmp_path / "part.db")[1] == found  # what was there is not played again


def _kill_workers(stop: threading.Event, kills: list[int], most: int, task: str = "_remote_games") -> None:
    """Every second, kill a worker that is playing, with SIGKILL."""
    import psutil

    rng = np.random.default_rng(0)
    while not stop.wait(1.0) and len(kills) < most:
        playing = [
            p for p in psutil.process_iter(["cmdline"]) if " ".join(p.info["cmdline"] or ()).startswith(f"ray::{task}")
        ]
        if playing:
            process = playing[int(rng.integers(len(playing)))]
            process.kill()
            kills.append(process.pid)


@pytest.mark.long
def test_twenty_workers_that_die_cost_no_game_and_none_counts_twice(machines: Any, tmp_path: Path) -> None:
    with C.Cluster(machines.address) as calm:
        expected = arena(calm, tmp_path / "calm.db", games=1280)[1]
    stop, kills, runs = threading.Event(), list[int](), 0
    killer = threading.Thread(target=_kill_workers, args=(stop, kills, 20))
    killer.start()
    try:
        with C.Cluster(machines.address) as wild:
            while len(kills) < 20 and runs < 40:
                complete, found = arena(wild, tmp_path / f"wild{runs}.db", games=1280)
                runs += 1
                assert complete and found == expected
                assert len(set(zip(*found[:4], strict=True))) == len(found[0]) == 3 * 1280
    finally:
        stop.set()
        killer.join()
    assert len(kills) == 20


@pytest.mark.long
def test_a_machine_that_dies_costs_no_game(machines: Any, tmp_path: Path) -> None:
    """One of two machines is killed in the middle; the other one plays its games, too."""
    with C.Cluster(machines.address) as calm:
        expected = arena(calm, tmp_path / "calm.db", games=2560)[1]
    with C.Cluster(machines.address) as wild:
        lost = sorted(machines.worker_nodes, key=str)[0]
        killer = threading.Timer(2.0, lambda: machines.remove_node(lost, allow_graceful=False))
        killer.start()
        complete, found = arena(wild, tmp_path / "wild.db", games=2560)
        killer.join()
    machines.add_node(num_cpus=1)
    assert complete and found == expected


# -- training -------------------------------------------------------------------------------------------------------------------

RUN: dict[str, Any] = {
    "envs": 64,
    "rollout": 16,
    "minibatch": 256,
    "evaluations": 0,
    "imitation_games": 32,
    "opponents": {"greedy": 0.2},
    "self_share": 0.5,
    "snapshot_steps": 2000,
    "pool_redraw": 2,
    "seed": 3,
}
VALUE = {**RUN, "game": "reality_tcg-v0", "algorithm": "td", "value_width": 8, "parts": 2}
NETWORK = {
    **RUN,
    "device": "cpu",
    "game": "fight_sequence-v0",
    "trunk": (16,),
    "policy": (8,),
    "value": (8,),
    "parts": 4,
}


def trained(cluster: C.Cluster | None, folder: Path, steps: int, options: dict[str, Any], **more: Any) -> bytes:
    """The weights at the end of a run."""
    result = train(TrainConfig(steps=steps, **{**options, **more}), folder, cluster=cluster)
    assert result.steps >= steps
    return result.model.read_bytes()


@pytest.fixture(autouse=True)
def no_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw no pages: drawing would take longer than the learning here."""
    monkeypatch.setattr("react_env.training.runs.report.keep", lambda *_, **__: None)
    monkeypatch.setattr("react_env.training.runs.progress.draw", lambda _, path, __: path)


@pytest.mark.long
def test_a_value_is_learned_on_two_machines_as_here(cluster: C.Cluster, tmp_path: Path) -> None:
    """The weights are the same bit by bit, with earlier selves and a named agent among the opponents."""
    there = trained(cluster, tmp_path / "there", 12_000, VALUE)
    assert list((tmp_path / "there" / "pool").iterdir())
    assert there == trained(None, tmp_path / "here", 12_000, VALUE)


@pytest.mark.long
def test_a_network_is_learned_the_same_however_many_machines_there_are(machines: Any, tmp_path: Path) -> None:
    with C.Cluster(machines.address) as two:
        expected = trained(two, tmp_path / "two", 10_000, NETWORK)
    with third(machines), C.Cluster(machines.address) as three:
        assert trained(three, tmp_path / "three", 10_000, NETWORK) == expected


@pytest.mark.long
def test_a_run_on_many_machines_goes_on_after_an_end(cluster: C.Cluster, tmp_path: Path) -> None:
    trained(cluster, tmp_path / "run", 5_000, NETWORK)
    found = train(TrainConfig(steps=10_000, **NETWORK), tmp_path / "run", resume=True, cluster=cluster)
    assert found.steps >= 10_000


@pytest.mark.long
def test_results_against_opponents_are_counted_elsewhere_too(cluster: C.Cluster, tmp_path: Path) -> None:
    """The pool knows the results against its earlier selves, from games with the same opponent throughout."""
    seldom = {"pool_redraw": 20, "snapshot_steps": 12_000}  # new opponents
    for name, options, steps in (("network", NETWORK, 16_000), ("value", {**VALUE, **seldom}, 48_000)):
        trained(cluster, tmp_path / name, steps, options)
        (saved, *_) = sorted((tmp_path / name / "checkpoints").glob("[0-9]*"), reverse=True)
        results = json.loads((saved / "checkpoint.json").read_text())["pool"]["results"]
        assert sum(map(len, results.values())) > 3, name


@pytest.mark.slow
def test_stable_baselines3_does_not_travel(cluster: C.Cluster, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="maskable_ppo plays on one machine"):
        train(TrainConfig(steps=1000, algorithm="maskable_ppo", **NETWORK), tmp_path / "run", cluster=cluster)
    assert not list(tmp_path.iterdir())  # no folder that looks as if a run had begun


@pytest.mark.long
@pytest.mark.parametrize(("task", "options"), [("_rollout", NETWORK), ("_table", VALUE)])
def test_twenty_workers_that_die_change_nothing_of_what_is_learned(
    machines: Any, task: str, options: dict[str, Any], tmp_path: Path
) -> None:
    options = {**options, "envs": 512, "rollout": 64}
    with C.Cluster(machines.address) as calm:
        expected = trained(calm, tmp_path / "calm", 600_000, options)
    stop, kills, runs = threading.Event(), list[int](), 0
    killer = threading.Thread(target=_kill_workers, args=(stop, kills, 10, task))
    killer.start()
    try:
        with C.Cluster(machines.address) as wild:
            while len(kills) < 10 and runs < 10:
                assert trained(wild, tmp_path / f"wild{runs}", 600_000, options) == expected
                runs += 1
    finally:
        stop.set()
        killer.join()
    assert len(kills) == 10


@pytest.mark.long
def test_a_machine_that_dies_changes_nothing_of_what_is_learned(machines: Any, tmp_path: Path) -> None:
    options = {**VALUE, "envs": 512, "rollout": 64}
    with C.Cluster(machines.address) as calm:
        expected = trained(calm, tmp_path / "calm", 600_000, options)
    with C.Cluster(machines.address) as wild:
        lost = sorted(machines.worker_nodes, key=str)[0]
        killer = threading.Timer(8.0, lambda: machines.remove_node(lost, allow_graceful=False))
        killer.start()
        found = trained(wild, tmp_path / "wild", 600_000, options)
        killer.join()
    machines.add_node(num_cpus=1)
    assert found == expected


# -- attacks and decks ----------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_an_attack_is_the_same_however_many_machines_there_are(machines: Any, tmp_path: Path) -> None:
    def attacked(cluster: C.Cluster, out: Path) -> dict[str, Any]:
        attack = Attack("random", "fight_sequence-v0", seeds=1, steps=6000, games=100, training=training)
        return exploit(
            attack, out, trainer=lambda config, folder: train(config, folder, cluster=cluster), cluster=cluster
        )

    taken = ("opponents", "self_share", "seed", "imitation_games")
    training = {name: value for name, value in NETWORK.items() if name not in (*taken, "game")}
    with C.Cluster(machines.address) as two:
        found = attacked(two, tmp_path / "two")
    with third(machines), C.Cluster(machines.address) as three:
        again = attacked(three, tmp_path / "three")
    for report in (found, again):
        (name, attacker), *_ = report["attackers"].items()
        assert attacker["final"]["total"]["games"] == 100
    assert found["bound"]["match"]["seats"] == again["bound"]["match"]["seats"]


LOW = """
import numpy as np

class Low:
    name = "low"

    def __init__(self, game, **options):
        pass

    def act(self, observations, action_masks, rng):
        return action_masks.argmax(1)

class High(Low):
    name = "high"

    def act(self, observations, action_masks, rng):
        return action_masks.shape[1] - 1 - action_masks[:, ::-1].argmax(1)
"""


@pytest.mark.slow
def test_files_of_a_game_are_found_from_the_folder_of_the_command(
    cluster: C.Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Past bug: a worker that had played nothing yet looked for them in its own folder, and a match, an attack or a run failed there."""
    shutil.copy(
        Path(react_env.__file__).parent / "games/fight_sequence/decks/academy_default.yaml", tmp_path / "mine.yaml"
    )
    monkeypatch.chdir(tmp_path)
    game = react_env.load("fight_sequence-v0", decks=("mine.yaml", "academy_default"))
    assert play_match_elsewhere(cluster, game, "random", "random", 64).total.games == 64


@pytest.mark.slow
def test_a_match_elsewhere_is_the_match_here(cluster: C.Cluster, tmp_path: Path) -> None:
    """Its agents draw nothing at random, and travel as a file."""
    game = react_env.load("fight_sequence-v0")
    file = tmp_path / "bots.py"
    file.write_text(LOW)
    names = f"{file}:Low", f"{file}:High"
    told = list[tuple[int, int]]()
    there = play_match_elsewhere(cluster, game, *names, 100, seed=5, progress=lambda *done: told.append(done))
    assert told[-1] == (100, 100) and len(told) == 4
    low, high = (agents.load(name, game) for name in names)
    assert there.seats == play_match(game, low, high, 100, seed=5).seats


def test_an_own_agent_that_was_edited_plays_as_it_is_now(tmp_path: Path) -> None:
    """Past bug: a cluster that stayed open, as in a notebook, kept using the class that it had loaded."""
    here: Any = _Here()
    game = react_env.load("fight_sequence-v0", **OPTIONS)
    file = tmp_path / "bots.py"
    settings = Settings("fight_sequence-v0", OPTIONS, (f"{file}:Low",), 4)
    for text in (LOW, LOW.replace("class Low:", "class Base:").replace("High(Low)", "Low(Base)")):
        file.write_text(text)
        there = play_match_elsewhere(here, game, *settings.agents * 2, 20)
        assert there.seats == play_match(game, *(agents.load(f"{file}:Low", game) for _ in "ab"), 20).seats
        assert everything(Study(settings, Folder(None), cluster=here)) == everything(Study(settings, Folder(None)))


@pytest.mark.long
def test_a_deck_search_finds_the_same_on_many_machines(cluster: C.Cluster) -> None:
    settings = DeckSettings(
        "reality_tcg-v0", agent="random", trials=12, deals=4, finalists=2, again=2, report=8, seed=2
    )
    with Search(settings) as here, Search(settings, cluster=cluster) as there:
        assert there.run() == here.run()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="processes cannot be kept to some cores here")
def test_this_machine_plays_on_the_cores_that_it_may_use() -> None:
    """Past bug: on a shared machine it started a worker for each core, even where the command was kept to a few."""
    pytest.importorskip("ray")
    code = """
import os
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
from react_env.evaluation.cluster import Cluster
with Cluster("local") as cluster:
    print("cores", cluster.cores)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "cores 1" in found.stdout


@pytest.mark.slow
def test_what_ray_tells_stays_out_of_the_output(cluster: C.Cluster, capsys: pytest.CaptureFixture[str]) -> None:
    """Past bug: a worker that died made the output of --json no JSON."""
    from ray._private.worker import print_to_stdstream

    print_to_stdstream({"lines": ["A worker died"], "pid": "raylet", "is_err": False}, ignore_prefix=False)
    assert capsys.readouterr().out == ""
