"""The learner's earlier selves, and who plays against whom."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from agents.neural import ModelInfo, NeuralAgent, Weights, load_model, save_model
from react_env.errors import ModelError
from training.config import TrainConfig


@dataclass
class OpponentPool:
    """The newest self, earlier selves, the baselines, dealt out over the games.

    Opponents draw from their probabilities (temperature 1), as the learner does while it collects. Each earlier self lies in a folder
    of its own, ``<folder>/<learner steps>/model.safetensors``, so that a checkpoint only names them.
    """

    config: TrainConfig
    info: ModelInfo
    folder: Path
    rng: np.random.Generator
    greedy: Any = None  # the baseline as a sparring partner
    latest: NeuralAgent | None = None
    members: dict[int, NeuralAgent] = field(default_factory=dict)  # learner steps -> that self
    playing: list[int] = field(default_factory=list)  # members that play now

    def renew(self, weights: Weights) -> None:
        """`weights` are the newest self from now on."""
        self.latest = self._agent(weights, "latest")

    def add(self, steps: int, weights: Weights) -> None:
        """Keep `weights` as an earlier self; where there are too many, one between the oldest and the newest is forgotten.

        Its folder stays until `sweep`, for a checkpoint may still name it.
        """
        save_model(self.folder / f"{steps:012d}", weights, self.info)
        self.members[steps] = self._agent(weights, f"self at {steps}")
        if len(self.members) > self.config.pool_size:
            between = sorted(self.members)[1:-1] or sorted(self.members)[:1]
            del self.members[int(self.rng.choice(between))]
        self.draw()

    def draw(self) -> None:
        """Choose which earlier selves play until the next draw."""
        steps = sorted(self.members)
        count = min(self.config.pool_active, len(steps))
        self.playing = sorted(int(s) for s in self.rng.choice(steps, count, replace=False)) if count else []

    def deal(self, games: int) -> tuple[list[Any], np.ndarray[Any, np.dtype[np.int64]]]:
        """The opponents, and for each of `games` games the index of its opponent, (games,) int64.

        Neighbouring games (and so both seats) get the same opponent. Without earlier selves their share goes to the newest one.
        """
        assert self.latest is not None
        config = self.config
        opponents: list[Any] = [self.latest, "random"]
        counts = [0, round(games * config.random_share)]
        if self.greedy is not None:
            opponents.append(self.greedy)
            counts.append(round(games * config.greedy_share))
        rest = games - sum(counts)
        counts[0] = min(round(games * config.self_share), rest) if self.playing else rest
        rest -= counts[0]
        index = np.repeat(np.arange(len(counts)), counts)
        if rest > 0:
            index = np.append(index, len(opponents) + np.arange(rest) * len(self.playing) // rest)
        opponents += [self.members[steps] for steps in self.playing]
        return opponents, index.astype(np.int64)

    def to_json(self) -> dict[str, Any]:
        """What a checkpoint keeps of the pool."""
        return {"members": sorted(self.members), "playing": self.playing, "rng": self.rng.bit_generator.state}

    def restore(self, saved: dict[str, Any]) -> list[str]:
        """Undo `to_json`. Returns a line for each earlier self that can no longer be read and is left out."""
        problems = []
        self.members = {}
        for steps in saved["members"]:
            try:
                weights, _ = load_model(self.folder / f"{steps:012d}")
            except ModelError as error:
                problems.append(f"an earlier self is left out: {error}")
                continue
            self.members[steps] = self._agent(weights, f"self at {steps}")
        self.rng.bit_generator.state = saved["rng"]
        self.playing = [steps for steps in saved["playing"] if steps in self.members]
        return problems

    def sweep(self) -> None:
        """Remove the folders of forgotten selves."""
        for folder in self.folder.glob("[0-9]*"):
            if folder.name.isdigit() and int(folder.name) not in self.members:
                for file in folder.iterdir():
                    file.unlink()
                folder.rmdir()

    def _agent(self, weights: Weights, name: str) -> NeuralAgent:
        return NeuralAgent(weights, self.info, name=name, temperature=1.0, threads=self.config.threads)
