"""Games on many machines: Ray's own test cluster, several nodes on this machine, some of them killed on purpose."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import react_env
from react_env.errors import OptionError
from react_env.evaluation import cluster as C
from react_env.evaluation.arena.run import Arena, round_robin
from react_env.evaluation.arena.store import Store
from react_env.evaluation.lab.study import Folder, Settings, Study

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


@pytest.fixture
def cluster(nodes: Any) -> Iterator[C.Cluster]:
    with C.Cluster(nodes.address) as found:
        yield found


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


def test_a_study_is_the_same_on_two_machines_as_here(cluster: C.Cluster) -> None:
    assert cluster.cores == 2
    assert everything(study(cluster)) == everything(study(None))


def test_agents_travel_as_files(tmp_path: Path) -> None:
    """A model's folder or file and an agent of one's own are unpacked elsewhere under a name that says the same."""
    own = tmp_path / "mine.py"
    own.write_text("class Mine: pass")
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"weights")
    (folder / "model.json").write_text("{}")
    (folder / "learning_curve.png").write_bytes(b"not needed")
    assert C.unpacked(C.parcel("mcts:64")) == "mcts:64"
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


def test_a_machine_with_other_rules_or_versions_is_refused(nodes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
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
        C.Cluster(nodes.address)


def test_what_cannot_be_reached() -> None:
    with pytest.raises(OptionError, match="an address is needed"):
        C.cluster_of("")
    assert C.cluster_of(None) is None


def test_what_a_piece_complains_of_is_told(cluster: C.Cluster) -> None:
    def refuse(number: int) -> int:
        raise OptionError(f"piece {number} cannot be")

    def break_(number: int) -> int:
        raise ZeroDivisionError(number)

    with pytest.raises(OptionError, match="piece 4 cannot be"):
        list(cluster.each(refuse, [(4,)]))
    with pytest.raises(C.ClusterError, match="ZeroDivisionError"):
        list(cluster.each(break_, [(4,)]))


@pytest.mark.long
def test_an_arena_plays_the_same_games_whatever_the_machines_and_goes_on(cluster: C.Cluster, tmp_path: Path) -> None:
    complete, found = arena(cluster, tmp_path / "two.db")
    assert complete and len(found[0]) == 900
    with_one = arena(cluster, tmp_path / "part.db", games=128)[1]
    assert len(with_one[0]) == 384
    assert arena(cluster, tmp_path / "part.db")[1] == found  # what was there is not played again


def _kill_workers(stop: threading.Event, kills: list[int], most: int) -> None:
    """Kill a worker that plays every second, with SIGKILL."""
    import psutil

    rng = np.random.default_rng(0)
    while not stop.wait(1.0) and len(kills) < most:
        playing = [p for p in psutil.process_iter(["cmdline"]) if "_remote_games" in " ".join(p.info["cmdline"] or ())]
        if playing:
            process = playing[int(rng.integers(len(playing)))]
            process.kill()
            kills.append(process.pid)


@pytest.mark.long
def test_twenty_workers_that_die_cost_no_game_and_none_counts_twice(nodes: Any, tmp_path: Path) -> None:
    with C.Cluster(nodes.address) as calm:
        expected = arena(calm, tmp_path / "calm.db", games=1280)[1]
    stop, kills, runs = threading.Event(), list[int](), 0
    killer = threading.Thread(target=_kill_workers, args=(stop, kills, 20))
    killer.start()
    try:
        with C.Cluster(nodes.address) as wild:
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
def test_a_machine_that_dies_costs_no_game(nodes: Any, tmp_path: Path) -> None:
    """One of two machines is killed in the middle; the other one plays its games, too."""
    with C.Cluster(nodes.address) as calm:
        expected = arena(calm, tmp_path / "calm.db", games=2560)[1]
    with C.Cluster(nodes.address) as wild:
        lost = sorted(nodes.worker_nodes, key=str)[0]
        killer = threading.Timer(2.0, lambda: nodes.remove_node(lost, allow_graceful=False))
        killer.start()
        complete, found = arena(wild, tmp_path / "wild.db", games=2560)
        killer.join()
    nodes.add_node(num_cpus=1)
    assert complete and found == expected
