"""How fast the engine is, and how fast its peers are in the same run.

Each figure is measured several times, all figures in turn, and the median is told: on a shared machine a comparison counts only if both
sides ran in one go.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from react_env.engine.compile import njit
from react_env.registry import describe, game_ids

if TYPE_CHECKING:
    from rich.table import Table

BATCH = 4096
VEC_ENVS = 1024

COMPILATION = "first compilation, load and first step"  # measured by benchmarks/startup.py
TRAINING = "training"  # by benchmarks/training.py
# At least so much; of "ns", "bytes" and seconds at most. What a game says of itself (`Description.goals`) comes before it.
ALL_GAMES: dict[str, float] = {
    "2 threads to 1": 1.7,
    "SelfPlayVecEnv, 1 thread": 3e5,
    "PettingZoo raw_env": 60e3,
    "PettingZoo env, wrapped": 25e3,
    "clone of a state, compiled": 1000,
    "import react_env": 0.5,
    "later start: load and first step": 2.0,
}


def goal(game: str, figure: str) -> float | None:
    """What a figure of a game should reach; None where nothing is asked."""
    own = describe(game).goals if game in game_ids() else {}
    return {**ALL_GAMES, **own}.get(figure)


@dataclass
class Figure:
    """One measured number."""

    name: str
    unit: str
    values: list[float] = field(default_factory=list)
    goal: float | None = None  # at least so much; for "ns" and "bytes" at most
    skipped: str = ""

    @property
    def value(self) -> float:
        """The median; 0 where nothing was measured."""
        return median(self.values) if self.values else 0.0

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; None where there is none."""
        if self.goal is None or not self.values:
            return None
        return self.value <= self.goal if self.unit in ("ns", "bytes") else self.value >= self.goal

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "value": self.value, "met": self.met}


class Stopwatch:
    """Counts work until `seconds` are over: ``while watch.running(steps): ...``."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.count = 0
        self._start = time.perf_counter()
        self.elapsed = 0.0

    def running(self, count: int) -> bool:
        """Add `count`; True while time is left."""
        self.count += count
        self.elapsed = time.perf_counter() - self._start
        return self.elapsed < self._seconds

    @property
    def rate(self) -> float:
        return self.count / self.elapsed


def random_play(game: Any, threads: int, given: bool = False) -> Callable[[float], float]:
    """Random play in a Batch, observation and mask written for every decision: decisions a second.

    `given`: the actions are chosen first, then handed to `step`, as those of agents are.
    """
    from react_env.engine.batch import seed_words

    batch = game.batch(num_games=BATCH, seed=0, threads=threads)
    words, actions = seed_words(1, BATCH), np.zeros(BATCH, np.int64)

    def measure(seconds: float) -> float:
        watch = Stopwatch(seconds)
        while watch.running(BATCH):
            if given:
                batch.step(batch.random_actions(words, actions))
            else:
                batch.step_random(words)
        return watch.rate

    for _ in range(150):  # into the middle of the games, which is longer than their beginning
        batch.step_random(words)
    return measure


def vec_env(game: Any, threads: int) -> Callable[[float], float]:
    """`SelfPlayVecEnv` against random play, random learner, nothing learned: learner steps a second, masks fetched at each."""
    from react_env.engine.batch import seed_words
    from react_env.engine.kernels import random_actions
    from react_env.envs.sb3 import SelfPlayVecEnv

    env = SelfPlayVecEnv(game, VEC_ENVS, "random", seed=0, threads=threads)
    env.reset()
    words = seed_words(2, VEC_ENVS)

    def measure(seconds: float) -> float:
        watch = Stopwatch(seconds)
        while watch.running(VEC_ENVS):
            env.step(random_actions(env.env_method("action_masks"), words))
        return watch.rate

    return measure


def gymnasium_env(game: Any) -> Callable[[float], float]:
    """`OpponentEnv` against random play, its first legal action at each decision: steps a second."""
    from react_env.envs.gym import OpponentEnv

    env = OpponentEnv(game)

    def measure(seconds: float) -> float:
        watch = Stopwatch(seconds)
        _, info = env.reset(seed=0)
        while watch.running(1):
            _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
            if terminated or truncated:
                _, info = env.reset()
        return watch.rate

    return measure


def gymnasium_vector(game: Any, threads: int) -> Callable[[float], float]:
    """`OpponentVectorEnv` against random play, a random legal action at each decision: steps a second, masks with them."""
    from react_env.engine.batch import seed_words
    from react_env.engine.kernels import random_actions
    from react_env.envs.gym import OpponentVectorEnv

    envs = OpponentVectorEnv(game, VEC_ENVS, seed=0, threads=threads, autoreset_mode="SameStep")
    words = seed_words(2, VEC_ENVS)

    def measure(seconds: float) -> float:
        watch = Stopwatch(seconds)
        _, infos = envs.reset()
        while watch.running(VEC_ENVS):
            *_, infos = envs.step(random_actions(infos["action_mask"].view(np.bool_), words))
        return watch.rate

    return measure


def aec(make: Callable[[], Any]) -> Callable[[float], float]:
    """A PettingZoo environment in its usual loop, a random legal action at each decision: steps a second."""
    env = make()
    uniform = np.random.default_rng(0).random(4096).tolist()

    def measure(seconds: float) -> float:
        watch = Stopwatch(seconds)
        seed = turn = 0
        while watch.running(0):
            env.reset(seed=seed)
            seed += 1
            steps = 0
            for agent in env.agent_iter():
                observation, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    env.step(None)
                    continue
                legal = observation["action_mask"].nonzero()[0]
                turn += 1
                env.step(int(legal[int(uniform[turn & 4095] * len(legal))]))
                steps += 1
                del agent
            watch.running(steps)
        return watch.rate

    return measure


def clone(game: Any) -> Callable[[float], float]:
    """Copying one record in compiled code: nanoseconds."""

    @njit(name=f"{game.id}.benchmark.clone")
    def copies(states: Any, count: Any) -> None:
        size = states.shape[0]
        for i in range(count):
            states[(i * 7 + 1) % size] = states[i % size]

    states = game.batch(num_games=64, seed=0).states.copy()
    copies(states, 1)

    def measure(seconds: float) -> float:
        watch = Stopwatch(seconds)
        while watch.running(10_000):
            copies(states, 10_000)
        return 1e9 / watch.rate

    return measure


def openspiel() -> Callable[[float], float]:
    """OpenSpiel's gin_rummy through its Python interface: decisions a second, observation and mask for each."""
    import pyspiel

    game = pyspiel.load_game("gin_rummy")
    rng = np.random.default_rng(0)

    def measure(seconds: float) -> float:
        watch = Stopwatch(seconds)
        while watch.running(0):
            state = game.new_initial_state()
            steps = 0
            while not state.is_terminal():
                if state.is_chance_node():
                    # Every chance node of this game draws from the stock, all cards equally likely.
                    outcomes = state.chance_outcomes()
                    state.apply_action(outcomes[int(rng.random() * len(outcomes))][0])
                    continue
                player = state.current_player()
                np.asarray(state.observation_tensor(player), np.float32)
                np.asarray(state.legal_actions_mask(player), np.int8)
                legal = state.legal_actions(player)
                state.apply_action(legal[int(rng.random() * len(legal))])
                steps += 1
            watch.running(steps)
        return watch.rate

    return measure


def rlcard() -> Callable[[float], float]:
    """RLCard's gin-rummy: decisions a second, observation and legal actions for each."""
    import rlcard as library

    env = library.make("gin-rummy", config={"seed": 0})
    rng = np.random.default_rng(0)

    def measure(seconds: float) -> float:
        watch = Stopwatch(seconds)
        while watch.running(0):
            state, _ = env.reset()
            steps = 0
            while not env.is_over():
                legal = list(state["legal_actions"])
                state, _ = env.step(legal[int(rng.random() * len(legal))])
                steps += 1
            watch.running(steps)
        return watch.rate

    return measure


PEERS = {"OpenSpiel gin_rummy": (openspiel, 20.0), "RLCard gin-rummy": (rlcard, 50.0)}


def run(
    game: Any,
    *,
    seconds: float = 1.5,
    repeats: int = 5,
    peers: bool = False,
    progress: Callable[[int, int, str], None] = lambda done, total, what: None,
) -> list[Figure]:
    """All figures: each measured `repeats` times for `seconds`, in turn.

    `peers` adds OpenSpiel and RLCard where they are installed; the ratios are of the medians of each round.
    """
    figures: list[Figure] = []
    measures: list[tuple[Figure, Callable[[float], float]]] = []

    def add(name: str, unit: str, make: Callable[[], Callable[[float], float]]) -> Figure:
        figure = Figure(name, unit, goal=goal(game.id, name))
        figures.append(figure)
        try:
            measures.append((figure, make()))
        except ImportError:
            figure.skipped = "skipped: not installed"
        return figure

    one = add("random play, 1 thread", "decisions/s", lambda: random_play(game, 1))
    two = add("random play, 2 threads", "decisions/s", lambda: random_play(game, 2))
    ratio = Figure("2 threads to 1", "times", goal=goal(game.id, "2 threads to 1"))
    figures.append(ratio)
    add("the same with actions given", "decisions/s", lambda: random_play(game, 1, given=True))
    add("SelfPlayVecEnv, 1 thread", "steps/s", lambda: vec_env(game, 1))
    add("Gymnasium vector, 1 thread", "steps/s", lambda: gymnasium_vector(game, 1))
    add("Gymnasium, one game", "steps/s", lambda: gymnasium_env(game))
    add("PettingZoo raw_env", "steps/s", lambda: aec(lambda: _raw_env(game)))
    add("PettingZoo env, wrapped", "steps/s", lambda: aec(lambda: _wrapped_env(game)))
    add("clone of a state, compiled", "ns", lambda: clone(game))
    record = "record of a state"
    figures.append(Figure(record, "bytes", [float(game.state_dtype.itemsize)], goal=goal(game.id, record)))
    against = []
    if peers:
        for name, (make, times_goal) in PEERS.items():
            peer = add(name, "decisions/s", make)
            ratio_name = f"random play to {name.split()[0]}"
            times = Figure(ratio_name, "times", goal=goal(game.id, ratio_name) or times_goal)
            times.skipped = peer.skipped
            figures.append(times)
            against.append((peer, times))
    total = len(measures) * repeats
    for round_ in range(repeats):
        for number, (figure, measure) in enumerate(measures):
            progress(round_ * len(measures) + number, total, figure.name)
            figure.values.append(measure(seconds))
        ratio.values.append(two.values[-1] / one.values[-1])
        for peer, times in against:
            if peer.values:
                times.values.append(one.values[-1] / peer.values[-1])
    return figures


def _raw_env(game: Any) -> Any:
    from react_env.envs.aec import raw_env

    return raw_env(game)


def _wrapped_env(game: Any) -> Any:
    from react_env.envs.aec import env

    return env(game)


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    import os

    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as lines:
            return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def figure_table(figures: list[Figure]) -> Table:
    """The figures, their spread and their goals."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("figure", overflow="fold")
    for column in ("median", "spread"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    table.add_column("goal", no_wrap=True)
    for figure in figures:
        if figure.skipped:
            continue
        shown = "{:,.1f}" if figure.unit in ("times", "ns") else "{:,.0f}"
        spread = (max(figure.values) - min(figure.values)) / (2 * figure.value)
        sign = "<=" if figure.unit in ("ns", "bytes") else ">="
        goal = "" if figure.goal is None else f"{sign} {figure.goal:,.10g}"
        mark = {None: "", True: " [green]met[/]", False: " [red]missed[/]"}[figure.met]
        table.add_row(figure.name, shown.format(figure.value), f"+-{100 * spread:.0f} %", figure.unit, goal + mark)
    return table
