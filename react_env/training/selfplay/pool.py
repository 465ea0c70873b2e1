"""The learner's earlier selves, and who plays against whom."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env import agents
from react_env.agents.models.model import ModelInfo, Weights, load_model, save_model
from react_env.errors import ModelError
from react_env.evaluation.cluster import Cluster, parcel
from react_env.training.algorithms.elsewhere import Earlier, Named
from react_env.training.algorithms.rollouts import SELF
from react_env.training.config import TrainConfig

MEMORY = 200  # newest results against a member that are remembered


@dataclass
class OpponentPool:
    """The newest self, earlier selves, and named agents, dealt out over the games.

    The harder an earlier self is, the more often it plays: it is drawn with weight (1 - win rate against it) ** pool_priority, so those
    that the learner already beats are seldom met (prioritized fictitious self-play: Vinyals et al., 2019).
    Opponents draw from their probabilities (temperature 1), as the learner does while it collects. Each earlier self has a folder of
    its own, ``<folder>/<learner steps>/model.safetensors``; a checkpoint only names it.
    """

    config: TrainConfig
    info: ModelInfo
    folder: Path
    rng: np.random.Generator
    game: Any
    cluster: Cluster | None = None  # whose machines they play on; opponents are then what `Cluster.share` returns
    named: dict[str, Any] = field(default_factory=dict)  # the agents of config.opponents
    members: dict[int, Any] = field(default_factory=dict)  # learner steps -> that self
    playing: list[int] = field(default_factory=list)  # members that play now
    results: dict[int, list[float]] = field(default_factory=dict)  # member -> the learner's newest results against it

    def add(self, steps: int, weights: Weights) -> None:
        """Keep `weights` as an earlier self; if there are too many, forget one between the oldest and the newest.

        The folder of the forgotten one stays until `sweep`, because a checkpoint may still name it.
        """
        save_model(self.folder / f"{steps:012d}", weights, self.info)
        self.members[steps] = self._agent(weights, f"self at {steps}")
        if len(self.members) > self.config.pool_size:
            between = sorted(self.members)[1:-1] or sorted(self.members)[:1]
            gone = int(self.rng.choice(between))
            del self.members[gone]
            self.results.pop(gone, None)
        self.draw()

    def draw(self) -> None:
        """Choose which earlier selves play until the next draw."""
        steps = sorted(self.members)
        config = self.config
        self.playing = []
        if steps and config.self_share + sum(config.opponents.values()) < 1:
            count = min(config.pool_active, len(steps))
            hard = np.array([(1.0 - self.win_rate(s)) ** config.pool_priority for s in steps]) + 1e-3
            self.playing = sorted(int(s) for s in self.rng.choice(steps, count, replace=False, p=hard / hard.sum()))

    def win_rate(self, steps: int) -> float:
        """The learner's recent share of wins against that member, drawn towards one half while few results are known."""
        found = self.results.get(steps, [])
        return (sum(result > 0 for result in found) + 2.0) / (len(found) + 4.0)

    def deal(self, games: int) -> tuple[list[Any], NDArray[np.int64]]:
        """The opponents, and for each of `games` games the index of its opponent, (games,) int64, or SELF.

        Neighbouring games (and so both seats) get the same opponent. Without earlier selves their share goes to the newest one.
        """
        config = self.config
        opponents = list(self.named.values())
        share = 0.0
        counts: list[int] = []  # the running sum is rounded, not each share, so they never exceed all games
        for name in self.named:
            share += config.opponents[name]
            counts.append(min(round(games * share / 2) * 2, games) - sum(counts))
        rest = games - sum(counts)
        own = min(round(games * config.self_share / 2) * 2, rest) if self.playing else rest
        counts.append(own)
        index = np.repeat([*range(len(opponents)), SELF], counts)
        rest -= own
        if rest > 0:
            index = np.append(index, len(opponents) + np.arange(rest) * len(self.playing) // rest)
        opponents += [self.members[steps] for steps in self.playing]
        return opponents, index.astype(np.int64)

    def note(self, results: dict[int, list[float]]) -> None:
        """Remember the learner's results, by the index that `deal` gave the opponent."""
        for index, found in results.items():
            number = index - len(self.named)
            if 0 <= number < len(self.playing):
                known = self.results.setdefault(self.playing[number], [])
                known.extend(found)
                del known[:-MEMORY]

    def to_json(self) -> dict[str, Any]:
        """What a checkpoint keeps of the pool."""
        return {
            "members": sorted(self.members),
            "playing": self.playing,
            "results": {str(steps): found for steps, found in self.results.items()},
            "rng": self.rng.bit_generator.state,
        }

    def restore(self, saved: dict[str, Any]) -> list[str]:
        """Take over what `to_json` returned. Returns a line for each earlier self that can no longer be read and is left out."""
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
        self.results = {int(steps): found for steps, found in saved["results"].items() if int(steps) in self.members}
        return problems

    def sweep(self) -> None:
        """Remove the folders of forgotten selves."""
        for folder in self.folder.glob("[0-9]*"):
            if folder.name.isdecimal() and int(folder.name) not in self.members:
                for file in folder.iterdir():
                    file.unlink()
                folder.rmdir()

    def meet(self, name: str) -> None:
        """Add a named agent from the options."""
        if self.cluster is None:
            self.named[name] = agents.load(name, self.game, threads=self.config.threads)
        else:
            self.named[name] = self.cluster.share(Named(parcel(name)))

    def _agent(self, weights: Weights, name: str) -> Any:
        found = Earlier(name, weights, self.info, self.config)
        if self.cluster is None:
            return found.agent(self.game, self.config.threads, self.config.device)
        return self.cluster.share(found)
