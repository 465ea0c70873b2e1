"""Everything that can be set about a training run, a sentence each."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from react_env.errors import OptionError

_SENTENCE = "sentence"


def _option(default: Any, sentence: str) -> Any:
    metadata = {_SENTENCE: sentence}
    if isinstance(default, dict):
        return field(default_factory=lambda: dict(default), metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class TrainConfig:
    """One training run. `TrainConfig.describe()` gives the sentences; the file config.json of a run holds the values."""

    game: str = _option("arts_of_war-v0", "The game.")
    options: dict[str, Any] = _option({}, "Options of the game, as keywords of react_env.load.")
    seed: int = _option(0, "Seed of the network, the games and every choice.")
    steps: int = _option(0, "End after this many learner steps (decisions of the learner); 0: no such limit.")
    minutes: float = _option(
        0.0, "End after this many minutes of training, evaluations and saving included; 0: no such limit."
    )
    threads: int = _option(2, "Threads of the network, of the games and of the searching opponents in evaluations.")

    envs: int = _option(1024, "Games played at the same time.")
    rollout: int = _option(16, "Learner steps of each game between two updates.")
    minibatch: int = _option(2048, "Decisions in one gradient step; large ones are what makes two cores suffice.")
    epochs: int = _option(3, "How often an update goes over what was collected.")
    learning_rate: float = _option(5e-4, "Step size of Adam at the start; it falls in a straight line.")
    learning_rate_end: float = _option(1e-4, "Step size at the end.")
    entropy: float = _option(0.01, "Weight of the entropy bonus at the start; it falls in a straight line.")
    entropy_end: float = _option(0.003, "Weight of the entropy bonus at the end.")
    gamma: float = _option(0.995, "Discount of the final reward for each own decision on the way.")
    gae_lambda: float = _option(0.95, "Lambda of generalized advantage estimation.")
    shaping: float = _option(
        1.0, "Weight of the reward shaping by the game's own potential, where it has one; 0: the result alone."
    )
    stalemate: float = _option(
        0.3, "Taken from the learner when the turn limit ends a game, so that waiting does not pay."
    )
    clip: float = _option(0.2, "PPO's clipping of the probability ratio.")
    value_weight: float = _option(0.5, "Weight of the value loss.")
    max_grad_norm: float = _option(0.5, "Longest gradient; longer ones are scaled down.")

    trunk: tuple[int, ...] = _option((128,), "Widths of the layers that policy and value share.")
    policy: tuple[int, ...] = _option((128,), "Widths of the layers of the policy alone.")
    value: tuple[int, ...] = _option((128,), "Widths of the layers of the value alone.")
    row_width: int = _option(32, "Hidden width of the judgement of single zones, units and directions; 0: without it.")
    activation: Literal["relu", "tanh"] = _option("relu", "The function after each layer.")

    imitation_games: int = _option(
        1024,
        "Games of the teacher against itself that the network imitates before self-play begins; 0: it begins from nothing.",
    )
    teacher: str = _option(
        "auto", "Whom it imitates, an agent by name; auto: scripted where the game has a script, else greedy."
    )
    imitation_epochs: int = _option(4, "How often the imitation goes over those games.")
    imitation_rate: float = _option(2e-3, "Step size of the imitation at the start; it falls to a tenth.")
    imitation_noise: float = _option(0.1, "Share of random moves in those games, so that positions differ.")

    greedy_share: float = _option(0.45, "Share of the games against the greedy baseline.")
    self_share: float = _option(0.4, "Share of the games against the newest self; the others are against the pool.")
    random_share: float = _option(0.02, "Share of the games against random play, which a pure self-player forgets.")
    pool_size: int = _option(8, "Earlier selves kept; when there are more, one between the oldest and the newest goes.")
    pool_active: int = _option(1, "Earlier selves that play at the same time (each costs a pass of its own).")
    snapshot_steps: int = _option(250_000, "Learner steps between two additions to the pool.")

    evaluations: int = _option(
        8, "Evaluations against the baselines, evenly spread over the run, and one before it; 0: none at all."
    )
    evaluation_games: int = _option(200, "Games against each baseline in one evaluation, half from each seat.")
    checkpoint_seconds: float = _option(45.0, "Seconds between two checkpoints.")

    def __post_init__(self) -> None:
        for name in ("trunk", "policy", "value"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        positive = ("threads", "envs", "rollout", "minibatch", "epochs", "pool_size", "pool_active", "snapshot_steps")
        for name in (*positive, "evaluation_games", "checkpoint_seconds", "learning_rate"):
            if getattr(self, name) <= 0:
                raise OptionError(f"{name} is {getattr(self, name)}: it must be more than 0")
        if self.steps < 0 or self.minutes < 0 or not (self.steps or self.minutes):
            raise OptionError("a training run needs an end: steps or minutes, more than 0")
        shares = {name: getattr(self, name) for name in ("self_share", "random_share", "greedy_share")}
        if min(shares.values()) < 0 or sum(shares.values()) > 1:
            raise OptionError(
                f"{', '.join(f'{name} {share}' for name, share in shares.items())}: each and together within 0..1"
            )
        if self.evaluation_games % 2:
            raise OptionError(
                f"evaluation_games is {self.evaluation_games}: half are played from each seat, so it must be even"
            )
        if self.envs * self.rollout < self.minibatch:
            raise OptionError(f"minibatch is {self.minibatch}: more than envs * rollout = {self.envs * self.rollout}")
        if self.activation not in ("relu", "tanh"):
            raise OptionError(f"activation is {self.activation!r}: it must be 'relu' or 'tanh'")

    @classmethod
    def describe(cls) -> dict[str, str]:
        """Name of each option -> its sentence."""
        return {option.name: option.metadata[_SENTENCE] for option in fields(cls)}

    @classmethod
    def read(cls, path: Path) -> TrainConfig:
        """The options of an earlier run. OptionError names what is wrong with the file."""
        try:
            found = json.loads(path.read_text())
        except FileNotFoundError:
            raise OptionError(f"{path}: there is no such file, so there is no run to resume") from None
        except (OSError, ValueError):
            raise OptionError(f"{path}: not a whole JSON file") from None
        if not isinstance(found, dict):
            raise OptionError(f"{path}: not the options of a training run")
        unknown = sorted(set(found) - set(cls.describe()))
        if unknown:
            raise OptionError(f"{path}: unknown option {unknown[0]!r}; known: {', '.join(cls.describe())}")
        return cls(**found)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def demo_config(*, game: str, options: dict[str, Any], minutes: float, seed: int, threads: int) -> TrainConfig:
    """What `react-env demo` trains: the defaults, with as many evaluations as a short run can afford."""
    return TrainConfig(
        game=game, options=options, minutes=minutes, seed=seed, threads=threads, evaluations=8, evaluation_games=200
    )
