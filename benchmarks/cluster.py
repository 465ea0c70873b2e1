"""What many machines cost the one that asks: the figures of docs/many_machines.md.

python -m benchmarks.cluster [--games 4000] [--steps 2500000] [--workers 1,2]

Results that a machine takes in from workers which do nothing; what an arena's file takes for a piece and a game; arena and training with
two threads and with two workers of Ray on this machine, start included; and a simulation of many workers, with what 1, 2, 4 and 8 did
whose pieces take time and no processor.
"""

from __future__ import annotations

import heapq
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import react_env
from benchmarks import command
from react_env.evaluation.arena.run import Arena
from react_env.evaluation.arena.store import Store
from react_env.evaluation.cluster import AHEAD, LOCAL, Cluster
from react_env.evaluation.matches.elsewhere import play_match_elsewhere
from react_env.evaluation.matches.games import Job, Row, setting_names
from react_env.registry import DEFAULT_GAME, describe

PIECES, DEALS = 3000, 64


def _nothing(told: bytes) -> bytes:
    return bytes(4700)


def results() -> float:
    """Results of 4.7 KB that come in per second, for pieces of 2 KB."""
    with Cluster(LOCAL) as cluster:
        list(cluster.each(_nothing, [(b"",)] * 20))
        begin = time.perf_counter()
        count = sum(1 for _ in cluster.each(_nothing, ((bytes(2000),) for _ in range(PIECES))))
        return count / (time.perf_counter() - begin)


def writing() -> tuple[float, float]:
    """Milliseconds to write a piece to an arena's file, and bytes of a game in it."""
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
    begun = [sys.executable, "-m", "react_env", "arena", "greedy", "scripted", "--artists", "random", "--json"]
    begin = time.perf_counter()
    subprocess.run([*begun, "--games", str(games), *words], check=True, capture_output=True)
    return time.perf_counter() - begin


def training(algorithm: str, steps: int, *words: str) -> float:
    """Learner steps a second of a run without warm start and evaluations, over all pairings."""
    begun = [sys.executable, "-m", "react_env", "train", "--artists", "random", "--json", "--name", "run"]
    begun += ["--algorithm", algorithm, "--steps", str(steps), "--seed", "3", "--opponent", "greedy=0.1"]
    for option in ("evaluations=0", "imitation_games=0", "self_share=0.8"):
        begun += ["-o", option]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([*begun, "--runs", folder, *words], check=True, capture_output=True, text=True)
    return float(json.loads(done.stdout)["steps_per_second"])


def scaling(workers: Sequence[int], games: int = 4096) -> dict[int, float]:
    """Number of workers -> games per second of greedy against scripted, once the workers are running and warm."""
    game = react_env.load(DEFAULT_GAME, **describe(DEFAULT_GAME).every)
    found = {}
    for count in workers:
        with Cluster(LOCAL, count) as cluster:
            play_match_elsewhere(cluster, game, "greedy", "scripted", 64 * count, seed=1)
            begin = time.perf_counter()
            play_match_elsewhere(cluster, game, "greedy", "scripted", games, seed=2)
            found[count] = games / (time.perf_counter() - begin)
    return found


def simulated(workers: int, seconds: NDArray[np.float64], head: float, ahead: int = AHEAD) -> float:
    """Pieces per second of so many workers, if the pieces take them `seconds` (N,) and the head `head` seconds each.

    The head sends out pieces while fewer than `ahead` for each worker are under way, and takes in results one after the other.
    """
    free, done, now = [0.0] * workers, list[float](), 0.0
    for number, spent in enumerate(seconds):
        if number >= ahead * workers:
            now = max(now, heapq.heappop(done)) + head
        ended = max(now, heapq.heappop(free)) + float(spent)
        heapq.heappush(free, ended)
        heapq.heappush(done, ended)
    while done:
        now = max(now, heapq.heappop(done)) + head
    return len(seconds) / now


def _sleep(seconds: float) -> bytes:
    time.sleep(seconds)
    return bytes(4700)


def plan(head: float, pieces: int = 60, mean: float = 0.2) -> None:
    """Print what workers do whose pieces only sleep, beside the simulation; then the simulation of many workers."""
    rng = np.random.default_rng(0)

    def drawn(count: int, mean: float) -> NDArray[np.float64]:
        return np.asarray(mean * rng.lognormal(-0.08, 0.4, count))  # spread like the times of games

    print("workers  did  simulated   pieces a second, of 0.2 s each")
    for workers in (1, 2, 4, 8):
        seconds = drawn(pieces * workers, mean)
        with Cluster(LOCAL, workers) as cluster:
            list(cluster.each(_sleep, [(0.5,)] * 2 * workers))
            begin = time.perf_counter()
            list(cluster.each(_sleep, ((float(one),) for one in seconds)))
            did = len(seconds) / (time.perf_counter() - begin)
        print(f"{workers:7} {did:5.1f} {simulated(workers, seconds, head):8.1f}")
    print("workers  pieces a second, and busy, of 5.4 s, of 0.5 s")
    for workers in (10, 100, 1000, 10_000, 20_000):
        rates = [simulated(workers, drawn(20 * workers, mean), head) for mean in (5.4, 0.5)]
        busy = [rate * mean / workers for rate, mean in zip(rates, (5.4, 0.5), strict=True)]
        print(f"{workers:7} " + "  ".join(f"{rate:8.1f} {part:4.0%}" for rate, part in zip(rates, busy, strict=True)))


def main(games: int = 4000, steps: int = 2_500_000, workers: str = "1,2") -> None:
    """Measure and print."""
    rate = results()
    print(f"{rate:,.0f} results a second")
    plan(1 / rate)
    piece, size = writing()
    print(f"a piece of {2 * DEALS} games is written in {piece:.2f} ms, a game takes {size:.0f} bytes")
    rates = scaling([int(count) for count in workers.split(",")])
    first = min(rates)
    for count, rate in rates.items():
        each = rate / rates[first] * first / count
        print(f"{count} workers: {rate:.1f} games a second, {each:.2f} of {first} for each")
    for algorithm in ("ppo", "td"):
        here, there = training(algorithm, steps), training(algorithm, steps, "--ray", LOCAL)
        print(
            f"{algorithm}: {here:,.0f} learner steps a second here, {there:,.0f} by Ray, {there / here:.2f} of the speed"
        )
    threads, ray = arena(games, "--threads", "2"), arena(games, "--ray", LOCAL)
    print(f"{games:,} games: two threads {threads:.1f} s, Ray {ray:.1f} s, {threads / ray:.2f} of the speed")


if __name__ == "__main__":
    command(main)
