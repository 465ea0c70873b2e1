"""How fast the engine is, and how fast its peers are in the same run.

Each figure is measured several times, all figures in turn, and the median is reported: on a shared machine, a comparison is fair only if
both sides ran in one go.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import count
from statistics import median
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from react_env.engine.compile import njit
from react_env.evaluation.document import console_table
from react_env.registry import described

if TYPE_CHECKING:
    from rich.table import Table

Work: TypeAlias = Iterator[int]  # endless; yields how much it has just done
# Name of each figure -> its unit, and the work to time or the two figures whose ratio it is.
Measured: TypeAlias = dict[str, tuple[str, Callable[[Any], Work] | tuple[str, str] | None]]

BATCH = 4096
VEC_ENVS = 1024

COMPILATION = "first compilation, load and first step"  # measured by benchmarks/startup.py
TRAINING = "training"  # by benchmarks/training.py
# Lower limits; for "ns", "bytes" and seconds, upper limits. A game's own goals (`Description.goals`) override them.
ALL_GAMES: dict[str, float] = {
    "2 threads to 1": 1.7,
    "SelfPlayVecEnv, 1 thread": 3e5,
    "PettingZoo raw_env": 60e3,
    "PettingZoo env, wrapped": 25e3,
    "clone of a state, compiled": 1000,
    "import react_env": 0.5,
    "random play to OpenSpiel": 20.0,
    "random play to RLCard": 50.0,
    "later start: load and first step": 2.0,
}


def goal(game: str, figure: str) -> float | None:
    """What a figure of a game should reach, or None if it has no goal."""
    own = described(game).goals
    return {**ALL_GAMES, **own}.get(figure)


@dataclass
class Figure:
    """One measured number."""

    name: str
    unit: str
    values: list[float] = field(default_factory=list)
    goal: float | None = None  # a lower limit; for "ns" and "bytes" an upper one
    skipped: str = ""

    @property
    def value(self) -> float:
        """The median, or 0 if nothing was measured."""
        return median(self.values) if self.values else 0.0

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; None if there is no goal or no measurement."""
        if self.goal is None or not self.values:
            return None
        return self.value <= self.goal if self.unit in ("ns", "bytes") else self.value >= self.goal

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "value": self.value, "met": self.met}


def random_play(game: Any, threads: int, given: bool = False) -> Work:
    """Random play in a Batch, observation and mask written for every decision.

    `given`: the actions are chosen first and then passed to `step`, as an agent's are.
    """
    from react_env.engine.batch import seed_words

    batch = game.batch(num_games=BATCH, seed=0, threads=threads)
    words, actions = seed_words(1, BATCH), np.zeros(BATCH, np.int64)
    for _ in range(150):  # into the middle of the games, which lasts longer than their beginning
        batch.step_random(words)
    while True:
        if given:
            batch.step(batch.random_actions(words, actions))
        else:
            batch.step_random(words)
        yield BATCH


def vec_env(game: Any) -> Work:
    """Steps of a random learner in `SelfPlayVecEnv` against random play, with masks fetched at each step and nothing learned."""
    from react_env.engine.batch import seed_words
    from react_env.engine.kernels import random_actions
    from react_env.envs.sb3 import SelfPlayVecEnv

    env = SelfPlayVecEnv(game, VEC_ENVS, "random", seed=0, threads=1)
    env.reset()
    words = seed_words(2, VEC_ENVS)
    while True:
        env.step(random_actions(env.env_method("action_masks"), words))
        yield VEC_ENVS


def gymnasium_env(game: Any) -> Work:
    """Steps of `OpponentEnv` against random play, taking the first legal action at each decision."""
    from react_env.envs.gym import OpponentEnv

    env = OpponentEnv(game)
    _, info = env.reset(seed=0)
    while True:
        _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        if terminated or truncated:
            _, info = env.reset()
        yield 1


def gymnasium_vector(game: Any) -> Work:
    """Steps of `OpponentVectorEnv` against random play, taking a random legal action at each decision; masks come with the steps."""
    from react_env.engine.batch import seed_words
    from react_env.engine.kernels import random_actions
    from react_env.envs.gym import OpponentVectorEnv

    envs = OpponentVectorEnv(game, VEC_ENVS, seed=0, threads=1, autoreset_mode="SameStep")
    words = seed_words(2, VEC_ENVS)
    _, infos = envs.reset()
    while True:
        *_, infos = envs.step(random_actions(infos["action_mask"].view(np.bool_), words))
        yield VEC_ENVS


def aec(game: Any, wrapped: bool) -> Work:
    """Steps of a PettingZoo environment in its usual loop, taking a random legal action at each decision."""
    from react_env.envs import aec

    env = aec.env(game) if wrapped else aec.raw_env(game)
    uniform = np.random.default_rng(0).random(4096).tolist()
    turn = 0
    for seed in count():
        env.reset(seed=seed)
        before = turn
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = observation["action_mask"].nonzero()[0]
            turn += 1
            env.step(int(legal[int(uniform[turn & 4095] * len(legal))]))
        yield turn - before


def clone(game: Any) -> Work:
    """Copies of one record in compiled code."""

    @njit(name=f"{game.id}.benchmark.clone")
    def copies(states: Any, count: Any) -> None:
        size = states.shape[0]
        for i in range(count):
            states[(i * 7 + 1) % size] = states[i % size]

    states = game.batch(num_games=64, seed=0).states.copy()
    while True:
        copies(states, 10_000)
        yield 10_000


def openspiel(_: Any) -> Work:
    """Decisions of OpenSpiel's gin_rummy through its Python interface, observation and mask for each."""
    import pyspiel

    game = pyspiel.load_game("gin_rummy")
    rng = np.random.default_rng(0)
    while True:
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
        yield steps


def rlcard(_: Any) -> Work:
    """Decisions of RLCard's gin-rummy, observation and legal actions for each."""
    import rlcard as library

    env = library.make("gin-rummy", config={"seed": 0})
    rng = np.random.default_rng(0)
    while True:
        state, _ = env.reset()
        steps = 0
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(rng.random() * len(legal))])
            steps += 1
        yield steps


ONE, RECORD = "random play, 1 thread", "record of a state"
FIGURES: Measured = {
    ONE: ("decisions/s", lambda game: random_play(game, 1)),
    "random play, 2 threads": ("decisions/s", lambda game: random_play(game, 2)),
    "2 threads to 1": ("times", ("random play, 2 threads", ONE)),
    "the same with actions given": ("decisions/s", lambda game: random_play(game, 1, given=True)),
    "SelfPlayVecEnv, 1 thread": ("steps/s", vec_env),
    "Gymnasium vector, 1 thread": ("steps/s", gymnasium_vector),
    "Gymnasium, one game": ("steps/s", gymnasium_env),
    "PettingZoo raw_env": ("steps/s", lambda game: aec(game, wrapped=False)),
    "PettingZoo env, wrapped": ("steps/s", lambda game: aec(game, wrapped=True)),
    "clone of a state, compiled": ("ns", clone),
    RECORD: ("bytes", None),
}
PEERS: Measured = {
    "OpenSpiel gin_rummy": ("decisions/s", openspiel),
    "random play to OpenSpiel": ("times", (ONE, "OpenSpiel gin_rummy")),
    "RLCard gin-rummy": ("decisions/s", rlcard),
    "random play to RLCard": ("times", (ONE, "RLCard gin-rummy")),
}


def run(
    game: Any,
    *,
    seconds: float = 1.5,
    repeats: int = 5,
    peers: bool = False,
    progress: Callable[[int, int, str], None] = lambda done, total, what: None,
) -> list[Figure]:
    """All figures: each measured `repeats` times for `seconds`, in turn.

    `peers` adds OpenSpiel and RLCard if they are installed. A ratio is measured once in each round.
    """
    wanted = FIGURES | (PEERS if peers else {})
    figures = {name: Figure(name, unit, goal=goal(game.id, name)) for name, (unit, _) in wanted.items()}
    figures[RECORD].values.append(float(game.state_dtype.itemsize))
    works: dict[str, Work] = {}
    for name, (_, what) in wanted.items():
        if callable(what):
            try:
                next(work := what(game))  # the imports and compilation at the start are not timed
            except ImportError:
                figures[name].skipped = "skipped: not installed"
            else:
                works[name] = work
        elif what is not None:
            figures[name].skipped = figures[what[0]].skipped or figures[what[1]].skipped
    for round_ in range(repeats):
        for number, (name, work) in enumerate(works.items()):
            progress(round_ * len(works) + number, len(works) * repeats, name)
            rate = _rate(work, seconds)
            figures[name].values.append(1e9 / rate if figures[name].unit == "ns" else rate)
        for name, (_, what) in wanted.items():
            if isinstance(what, tuple) and not figures[name].skipped:
                figures[name].values.append(figures[what[0]].values[-1] / figures[what[1]].values[-1])
    return list(figures.values())


def _rate(work: Work, seconds: float) -> float:
    """How much of `work` is done per second."""
    done, start = 0, time.perf_counter()
    while True:
        done += next(work)
        if (elapsed := time.perf_counter() - start) >= seconds:
            return done / elapsed


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
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
    from rich.text import Text

    rows = []
    for figure in figures:
        if figure.skipped:
            continue
        shown = "{:,.1f}" if figure.unit in ("times", "ns") else "{:,.0f}"
        spread = (max(figure.values) - min(figure.values)) / (2 * figure.value)
        sign = "<=" if figure.unit in ("ns", "bytes") else ">="
        goal = Text("" if figure.goal is None else f"{sign} {figure.goal:,.10g}")
        if figure.met is not None:
            goal.append(" met" if figure.met else " missed", style="green" if figure.met else "red")
        rows.append((figure.name, shown.format(figure.value), f"+-{100 * spread:.0f} %", figure.unit, goal))
    return console_table(("figure", "median", "spread", "unit", "goal"), rows, padding=(0, 1, 0, 0), pad_edge=False)
