"""The file of an arena: what it keeps, what it refuses, and that no accident of a run damages it."""

import os
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from react_env.agents.process.guard import Fault
from react_env.errors import OptionError
from react_env.evaluation.arena.run import Arena, round_robin
from react_env.evaluation.arena.store import LEASE, Store
from react_env.evaluation.matches.games import Job, Row
from tests import toy
from tests.agents.games import game_of
from tests.evaluation.arena_run import SPECS


def row(job: Job, result: int = 1, **more: Any) -> Row:
    return Row(job, **{"table": 0, "result": result, "cut": False, "forfeit": 0, "turns": 9, "decisions": 20} | more)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "results.sqlite"


def opened(file: Path | None) -> Store:
    """A store with three agents, of ids 1 to 3."""
    store = Store(file, game_of("toy"))
    for name in "xyz":
        store.agent(name, name, name * 16)
    return store


def test_what_is_written_is_read_again(file: Path) -> None:
    with opened(file) as store:
        jobs = [Job(1, 2, 5, 0), Job(1, 2, 5, 1), Job(2, 3, 7, 1)]
        fault = Fault("illegal", "chose 7", "")
        rows = [row(jobs[0]), row(jobs[1], -1, forfeit=1, fault=fault), row(jobs[2], 0, table=1, cut=True)]
        assert store.add(rows, ["left", "right"]) == 3
        assert store.add(rows[:2], ["left", "right"]) == 0  # another run has played them, too
    with Store(file) as store:
        games = store.games()
        assert (games.game, games.agents, games.settings) == ("toy-v0", ("x", "y", "z"), ("left", "right"))
        assert games.a.tolist() == [0, 0, 1] and games.b.tolist() == [1, 1, 2] and games.seat.tolist() == [0, 1, 1]
        assert games.seed.tolist() == [5, 5, 7] and games.setting.tolist() == [0, 0, 1]
        assert games.result.tolist() == [1, -1, 0] and games.cut.tolist() == [False, False, True]
        assert games.forfeit.tolist() == [0, 1, 0] and set(games.turns) == {9} and set(games.decisions) == {20}
        assert [(f.agent, f.kind, f.count, f.message) for f in store.faults()] == [("x", "illegal", 1, "chose 7")]
        some = store.games([2, 3])
        assert some.agents == ("y", "z") and len(some) == 1 and (some.a[0], some.b[0]) == (0, 1)
    assert os.listdir(file.parent) == [file.name]  # nothing is left beside it


def test_text_that_is_not_valid_is_kept(file: Path) -> None:
    """Past bug: an agent whose file has a name that is not UTF-8, or that failed with such a message, ended the whole arena."""
    with opened(file) as store:
        spec = "caf\udce9/own.py:A"
        agent = store.agent("A\ud800", spec, "f")
        assert store.agent("A", spec, "f") == agent
        for seed in (1, 2):
            fault = Fault("error", f"no file \udce4 {seed}", "a \ud800 traceback")
            store.add([row(Job(1, agent.id, seed, 0), 1, forfeit=2, fault=fault)], [""])
    with Store(file) as store:
        assert store.agents()[-1] == agent and (agent.name, agent.spec) == ("A\ud800", spec)
        assert [(f.agent, f.count, f.message, f.details) for f in store.faults()] == [
            ("A\ud800", 2, "no file \udce4 1", "a \ud800 traceback")
        ]
        assert store._connection.execute("SELECT count(*) FROM faults WHERE details != ''").fetchone()[0] == 1


def test_one_traceback_for_many_faults() -> None:
    with opened(None) as store:
        for seed in range(50):
            fault = Fault("error", f"raised in game {seed}", "a long traceback")
            store.add([row(Job(1, 2, seed, 0), 1, forfeit=2, fault=fault)], [""])
        found = store.faults()
        assert [(f.agent, f.count, f.message, f.details) for f in found] == [
            ("y", 50, "raised in game 0", "a long traceback")
        ]
        assert store._connection.execute("SELECT count(*) FROM faults WHERE details != ''").fetchone()[0] == 1


# ------------------------------------------------------------------------------------------------ files that do not fit


def test_files_that_do_not_fit(file: Path, tmp_path: Path) -> None:
    game = game_of("toy")
    with Store(file, game, seed=3):
        pass
    with pytest.raises(OptionError, match="other rules"):
        Store(file, toy.load(max_turns=8))
    with pytest.raises(OptionError, match="games of toy-v0, not of fight_sequence-v0"):
        Store(file, game_of("fight_sequence-v0"))
    with pytest.raises(OptionError, match="deals are those of seed 3, not 4"):
        Store(file, game, seed=4)
    with Store(file, game) as store:
        assert store.seed == 3
    change(file, "UPDATE facts SET value = '99' WHERE name = 'format'")
    for how in (game, None):
        with pytest.raises(OptionError, match="format 99 by a newer version"):
            Store(file, how)
    change(file, "DELETE FROM facts WHERE name = 'format'")
    with pytest.raises(OptionError, match="damaged"):
        Store(file, game)
    with pytest.raises(OptionError, match="is a folder"):
        Store(tmp_path, game)
    with pytest.raises(OptionError, match="there is no folder"):
        Store(tmp_path / "no" / "x.sqlite", game)
    with pytest.raises(OptionError, match="no such file"):
        Store(tmp_path / "x.sqlite")
    assert not (tmp_path / "x.sqlite").exists()


def change(file: Path, statement: str) -> None:
    connection = sqlite3.connect(file)
    with connection:
        connection.execute(statement)
    connection.close()


@pytest.mark.parametrize("how", ["play", "look"])
def test_files_of_others_are_left_as_they_are(how: str, tmp_path: Path) -> None:
    game = game_of("toy") if how == "play" else None
    text, other = tmp_path / "notes.txt", tmp_path / "other.sqlite"
    text.write_text("no database at all, but long enough to be looked at as one " * 20)
    change(other, "CREATE TABLE flowers (name TEXT)")
    for path, message in ((text, "not a file of an arena"), (other, "not one of an arena; it holds flowers")):
        before = path.read_bytes()
        with pytest.raises(OptionError, match=message):
            Store(path, game)
        assert path.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["notes.txt", "other.sqlite"]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder that nobody can write to")
def test_a_folder_that_cannot_be_written_to() -> None:
    with pytest.raises(OptionError, match="cannot be opened"):
        Store("/proc/results.sqlite", game_of("toy"))


def test_a_file_that_may_only_be_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For root no file is read-only, so SQLite is told to open it as such."""
    from react_env.evaluation.arena import store as module

    with opened(file) as store:
        store.add([row(Job(1, 2, 0, 0))], [""])
    connect = module._opened
    monkeypatch.setattr(module, "_opened", lambda uri: connect(uri.replace("mode=rwc", "mode=ro")))
    with pytest.raises(OptionError, match="cannot be written to"):
        Store(file, game_of("toy"))
    with Store(file) as store:
        assert len(store.games()) == 1


# ------------------------------------------------------------------------------------------------ agents


def test_names_of_agents() -> None:
    with Store(None, game_of("toy")) as store:
        one = store.agent("agent", "runs/a", "1" * 16)
        assert store.agent("agent", "runs/a", "1" * 16) == one and one.name == "agent"
        assert store.agent("agent", "runs/b", "2" * 16).name == "runs/b"  # another agent with the same short name
        assert not store.messages
        changed = store.agent("agent", "runs/a", "3" * 16)
        assert changed.name == "agent@333333" and changed.id != one.id
        assert store.messages == [
            "runs/a is not what it was: its former games stay with agent, it now plays as agent@333333"
        ]
        assert store.agent("agent", "runs/a", "333333" + "4" * 10).name == "agent@3333334"
        assert len(store.agents()) == 4


# ------------------------------------------------------------------------------------------------ claims

PAIRS = [(1, 2), (1, 3), (2, 3)]


def deals(jobs: list[Job]) -> set[tuple[int, int, int]]:
    return {(job.a, job.b, job.seed) for job in jobs}


def test_claims_are_both_seats_of_deals_and_even() -> None:
    with opened(None) as store:
        jobs = store.claim(PAIRS, 10, 6)
        assert sorted((j.a, j.b, j.seed, j.seat) for j in jobs) == sorted(
            (*pair, seed, seat) for pair in PAIRS for seed in (0, 1) for seat in (0, 1)
        )
        store.add([row(job) for job in jobs if job.a == 1], [""])
        assert len(store.claim([(2, 3)], 10, 100)) == 2 * 8
        # The first two pairs are equally far along, and the third has been claimed completely.
        assert {(job.a, job.b) for job in store.claim(PAIRS, 10, 2)} == {(1, 2), (1, 3)}
        assert len(store.claim(PAIRS, 10, 100)) == 2 * (2 * 7)
        assert store.claim(PAIRS, 10, 100) == []
        assert store.counts(PAIRS, 10) == {(1, 2): 4, (1, 3): 4, (2, 3): 0}


def test_the_seed_of_a_store_gives_its_deals() -> None:
    with Store(None, game_of("toy"), seed=2) as store:
        for name in "xy":
            store.agent(name, name, name)
        assert [job.seed for job in store.claim([(1, 2)], 2, 9)] == [2 << 32, 2 << 32, (2 << 32) + 1, (2 << 32) + 1]
    with pytest.raises(OptionError, match="seed is 2147483648"):
        Store(None, game_of("toy"), seed=2**31)


def test_half_a_couple_is_made_whole(file: Path) -> None:
    with opened(file) as store:
        jobs = store.claim([(1, 2)], 3, 3)
        store.add([row(job) for job in jobs[:3]], [""])
    with opened(file) as store:
        assert store.claim([(1, 2)], 3, 3) == jobs[3:]
        store.add([row(job) for job in jobs[3:]], [""])
        store.release()
        assert store.claim([(1, 2)], 3, 3) == []
        assert len(store.claim([(1, 2)], 4, 9)) == 2  # more games are asked for


def test_two_runs_claim_different_deals(file: Path) -> None:
    with opened(file) as one, opened(file) as two:
        mine, theirs = one.claim(PAIRS, 10, 12), two.claim(PAIRS, 10, 12)
        assert len(deals(mine)) == len(deals(theirs)) == 12 and not deals(mine) & deals(theirs)
        one.add([row(job) for job in mine], [""])
        assert two.counts(PAIRS, 10) == one.counts(PAIRS, 10)
        one.close()
        assert deals(two.claim(PAIRS, 10, 99)) == {(*pair, seed) for pair in PAIRS for seed in range(10)} - deals(
            mine
        ) - deals(theirs)


def test_a_file_that_another_program_has_locked_says_so(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("react_env.evaluation.arena.store._PATIENCE", 0.05)
    with opened(file) as store, closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(OptionError, match="another program has locked it"):
            store.claim(PAIRS, 4, 9)
        other.execute("ROLLBACK")
        assert store.claim(PAIRS, 4, 9)


def test_claims_end_with_their_run_or_their_lease(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = opened(file), opened(file)
    one.claim(PAIRS, 4, 99)
    assert two.claim(PAIRS, 4, 99) == []
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    change(file, f"UPDATE runs SET process = {process.pid}, host = 'elsewhere' WHERE id = {one.run}")
    assert two.claim(PAIRS, 4, 99) == [], "of processes on other machines nothing is known"
    change(file, f"UPDATE runs SET host = '{socket.gethostname()}' WHERE id = {one.run}")
    assert len(two.claim(PAIRS, 4, 99)) == 2 * 12
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + LEASE - 5)
    assert one.claim(PAIRS, 4, 99) == []
    monkeypatch.setattr(time, "time", lambda: now + LEASE + 5)
    assert len(one.claim(PAIRS, 4, 99)) == 2 * 12
    one.close()
    two.close()


def test_claims_are_renewed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = opened(file), opened(file)
    one.claim(PAIRS, 4, 99)
    now, tick = time.time(), time.monotonic()
    monkeypatch.setattr(time, "time", lambda: now + LEASE - 5)
    monkeypatch.setattr(time, "monotonic", lambda: tick + LEASE - 5)
    one.renew()
    monkeypatch.setattr(time, "time", lambda: now + LEASE + 5)
    assert two.claim(PAIRS, 4, 99) == []
    one.close()
    two.close()


def test_a_run_that_claims_often_keeps_its_first_claims(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: each claim put off the renewal of those before it, so that games of more than two minutes were handed out twice."""
    one, two = opened(file), opened(file)
    claimed = []
    now, tick = time.time(), time.monotonic()
    for passed in range(0, 3 * int(LEASE), 20):
        monkeypatch.setattr(time, "time", lambda passed=passed: now + passed)
        monkeypatch.setattr(time, "monotonic", lambda passed=passed: tick + passed)
        one.renew()
        claimed += one.claim(PAIRS, 30, 1)
    assert len(claimed) == len(set(claimed)) == 2 * 18
    assert not deals(two.claim(PAIRS, 30, 99)) & deals(claimed)
    one.close()
    two.close()


def test_a_run_never_gives_up_its_own_claims(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One step of a slow search, or a stopped process, may take longer than a claim holds."""
    one = opened(file)
    one.claim(PAIRS, 4, 99)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + LEASE + 5)
    assert one.claim(PAIRS, 4, 99) == []
    one.close()


# ------------------------------------------------------------------------------------------------ processes


def test_a_file_that_is_removed_meanwhile_is_told_of(tmp_path: Path) -> None:
    """Past bug: the run went on to its end, and said that the file was written."""
    file = tmp_path / "results.sqlite"
    game = game_of("toy")
    with pytest.raises(OptionError, match="the file was removed during play"), Store(file, game) as store:
        with Arena(game, store) as arena:
            pairs = round_robin([arena.add(name) for name in ("random", "greedy")])
            arena.play(pairs, 10)
            for part in tmp_path.iterdir():
                part.unlink()
            arena.play(pairs, 20)


def run(file: Path, games: int, go: Path, rest: int = 0) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.evaluation.arena_run", str(file), str(games), str(go), str(rest)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )


def wait_until(process: subprocess.Popen[str], says: str) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == f"{says}\n"


def check_whole(file: Path, games: int | None = None) -> int:
    """Check that the file is sound and holds every game once; return how many there are."""
    connection = sqlite3.connect(file)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    count: int = connection.execute("SELECT count(*) FROM games").fetchone()[0]
    different = connection.execute("SELECT count(*) FROM (SELECT DISTINCT a, b, seed, seat FROM games)").fetchone()[0]
    connection.close()
    assert count == different
    if games is not None:
        with Store(file) as store:
            found = store.games()
        for a, b in ((0, 1), (0, 2), (1, 2)):
            pair = found[(found.a == a) & (found.b == b)]
            for seat in (0, 1):
                assert sorted(pair.seed[pair.seat == seat]) == list(range(games // 2))
    return count


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kill -9")
def test_a_run_that_is_killed_goes_on(file: Path, tmp_path: Path) -> None:
    """A run that is killed at work leaves what it had written, and the next run plays the rest."""
    go = tmp_path / "go"
    go.touch()
    before, games = 0, 1500
    for pause in (0.0, 0.05):
        process = run(file, games, go, rest=1000)
        wait_until(process, "ready")
        while (count := written(file)) <= before:
            time.sleep(0.002)
        time.sleep(pause)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert before < count <= check_whole(file)
        before = check_whole(file)
    assert before < 3 * games
    process = run(file, games, go)
    assert process.communicate()[0].split() == ["ready", str(3 * games - before), "True"]
    assert check_whole(file, games) == 3 * games


def written(file: Path) -> int:
    """The number of games in a file that another process writes, 0 if it does not exist yet."""
    try:
        with Store(file) as store:
            return len(store.games())
    except OptionError:
        return 0


@pytest.mark.slow
def test_two_runs_on_one_file_share_the_work(file: Path, tmp_path: Path) -> None:
    """Both begin at the same moment, on a file that does not exist yet."""
    go = tmp_path / "go"
    processes = [run(file, 1500, go, rest=1) for _ in range(2)]
    for process in processes:
        wait_until(process, "ready")
    go.touch()
    for process in processes:
        wait_until(process, "rests")
    go.with_name(f"{go.name}.on").touch()
    played = [int(process.communicate()[0].split()[0]) for process in processes]
    assert sum(played) == 3 * 1500 and min(played) > 100
    assert check_whole(file, 1500) == 3 * 1500
    with Store(file) as store:
        assert [agent.spec for agent in store.agents()] == list(SPECS)


def test_growing_a_store_of_many_games() -> None:
    """The claims of a large arena stay quick: nothing is read twice."""
    with opened(None) as store:
        jobs = store.claim([(1, 2)], 500, 500)
        store.add([row(job) for job in jobs], [""])
        store.release()
        assert store.counts([(1, 2)], 500) == {(1, 2): 1000}
        statements: list[str] = []
        store._connection.set_trace_callback(statements.append)
        assert len(store.claim([(1, 2)], 500, 10)) == 0
        assert any(f"id > {1000}" in statement for statement in statements)


def test_a_file_that_finds_no_more_room_says_so(file: Path) -> None:
    """Past bug: SQLite had already ended the transaction, and the error said "cannot rollback"."""
    with opened(file) as store:
        pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(f"PRAGMA max_page_count = {pages}")
        store._connection.execute("PRAGMA cache_size = 1")
        with pytest.raises(OptionError, match=r"results\.sqlite: database or disk is full"):
            store.add([row(Job(1, 2, seed, 0)) for seed in range(9000)], ["left"])
        assert len(store.games()) == 0


def test_a_full_disk_is_told_and_costs_what_was_to_be_written(file: Path) -> None:
    """If neither the file nor its log can grow, what was written stays, and the next run goes on."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    store = opened(file)
    assert store.add([row(Job(1, 2, 5, 0))], ["left"]) == 1
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
        with pytest.raises(OptionError, match=r"results\.sqlite: (disk I/O error|database or disk is full)"):
            store.add([row(Job(1, 2, seed, 0)) for seed in range(6, 500)], ["left"])
        with suppress(OptionError):
            store.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    with opened(file) as store:
        assert len(store.games()) == 1 and store.add([row(Job(1, 2, 6, 0))], ["left"]) == 1
        assert len(store.games()) == 2
