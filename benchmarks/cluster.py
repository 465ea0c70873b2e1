"""What many machines cost the one that asks: the figures of docs/many_machines.md.

python -m benchmarks.cluster [--games 4000]

Results that a machine takes in from workers which do nothing, what an arena's file takes for a piece and a game, and the arena with two
threads and with two workers of Ray on this machine, start included.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import react_env
from react_env.evaluation.arena.run import Arena
from react_env.evaluation.arena.store import Store
from react_env.evaluation.cluster import LOCAL, Cluster
from react_env.evaluation.matches.games import Job, Row, setting_names
from react_env.registry import DEFAULT_GAME, describe

PIECES, DEALS = 3000, 64


def _nothing(told: bytes) -> bytes:
    return bytes(4700)


def results() -> float:
    """Results a second, of 4.7 KB, for pieces of 2 KB."""
    with Cluster(LOCAL) as cluster:
        list(cluster.each(_nothing, [(b"",)] * 20))
        begin = time.perf_counter()
        count = sum(1 for _ in cluster.each(_nothing, ((bytes(2000),) for _ in range(PIECES))))
        return count / (time.perf_counter() - begin)


def writing() -> tuple[float, float]:
    """Milliseconds of a piece and bytes of a game in an arena's file."""
    game = react_env.load(DEFAULT_GAME, **describe(DEFAULT_GAME).every)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "arena.db"
        with Store(file, game, seed=0) as store, Arena(game, store) as arena:
            a, b = arena.add("random"), arena.add("greedy")
            names, pieces, begin = setting_names(game), 400, time.perf_counter()
            for piece in range(pieces):
                jobs = [Job(a, b, piece * DEALS + deal, seat) for deal in range(DEALS) for seat in (0, 1)]
                store.add([Row(job, job.seed % len(names), 1, False, 0, 20, 300) for job in jobs], names)
            spent = time.perf_counter() - begin
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
    return 1000 * spent / pieces, size / (pieces * 2 * DEALS)


def arena(games: int, *words: str) -> float:
    """Seconds of greedy against scripted over all pairings."""
    command = [sys.executable, "-m", "react_env.cli", "arena", "greedy", "scripted", "--artists", "random", "--json"]
    begin = time.perf_counter()
    subprocess.run([*command, "--games", str(games), *words], check=True, capture_output=True)
    return time.perf_counter() - begin


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=4000)
    options = parser.parse_args()
    print(f"{results():,.0f} results a second")
    piece, size = writing()
    print(f"a piece of {2 * DEALS} games is written in {piece:.2f} ms, a game takes {size:.0f} bytes")
    threads, ray = arena(options.games, "--threads", "2"), arena(options.games, "--ray", LOCAL)
    print(f"{options.games:,} games: two threads {threads:.1f} s, Ray {ray:.1f} s, {threads / ray:.2f} of the speed")


if __name__ == "__main__":
    main()
