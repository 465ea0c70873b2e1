"""Every option of a training run, with a sentence for each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic_core import PydanticCustomError

from react_env.agents.models import model
from react_env.agents.models.model import Device, Precision, Size, Width
from react_env.content.files import parse
from react_env.content.options import explained
from react_env.errors import CardError, OptionError, UnsupportedOption
from react_env.processors import processors
from react_env.registry import DEFAULT_GAME


def _list(value: Any) -> Any:
    """'256,128' is [256, 128], 256 is [256], and '' is []."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return [value] if isinstance(value, int) else value


Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]
Widths: TypeAlias = Annotated[model.Widths, BeforeValidator(_list)]
Names: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_list)]
Text: TypeAlias = Annotated[str, BeforeValidator(lambda value: str(value) if isinstance(value, int) else value)]
# The options whose usual values differ for an algorithm. td learns from whole games, and no network has to preserve a policy; residual
# begins with a player that already plays well, so it needs no imitation and no shaped rewards.
USUAL: dict[str, dict[str, Any]] = {
    "td": {
        "epochs": 1,
        "learning_rate": 3e-3,
        "learning_rate_end": 3e-4,
        "gamma": 1.0,
        "gae_lambda": 0.85,
        "opponents": {},
        "self_share": 1.0,
    },
    "residual": {
        "envs": 512,
        "epochs": 2,
        "learning_rate": 3e-3,
        "learning_rate_end": 1.5e-4,
        "gamma": 0.999,
        "stalemate": 0.5,
        "minibatch": 2048,
        "entropy": 0.0,
        "entropy_end": 0.0,
        "shaping": 0.0,
        "look_budget": 1000,
        "imitation_games": 0,
        "opponents": {"scripted": 0.25},
    },
}


class _Group(BaseModel):
    """A group of options, each described by the string below it."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        for field in cls.model_fields.values():
            field.description = " ".join((field.description or "").split())


class Run(_Group):
    """What is trained, and for how long."""

    game: str = DEFAULT_GAME
    """The game."""
    options: dict[str, Any] = {}
    """Options of the game, as keywords of react_env.load."""
    seed: int = Field(0, ge=0)
    """Seed of the network, the games and every choice."""
    steps: int = Field(0, ge=0)
    """End after this many learner steps (decisions of the learner); 0: no such limit."""
    minutes: float = Field(0.0, ge=0)
    """End after this many minutes of learning; 0: no such limit. The warm start takes at most a quarter of that more, evaluations a
    sixth, with fewer games where these take longer."""
    threads: int = Field(0, ge=0, validate_default=True)
    """Threads of the network, of the games and of the searching opponents in evaluations; 0: as many as processors may be used."""
    algorithm: Literal["ppo", "maskable_ppo", "td", "residual"] = "ppo"
    """ppo: our own, which learns from both seats of a game; maskable_ppo: stable-baselines3's, from one seat; td: a value of positions for
    an agent that plans its turn, in games that define features; residual: a policy that is added to a value, the game's own or, with
    `start`, a learned one."""
    parts: int = Field(0, ge=0)
    """Parts into which the games are divided, each played separately: td plays each part on one core, and with --ray any machine may play a
    part; 0: 2, and 8 with --ray."""
    start: str = ""
    """A model of the same game to begin from, a file or folder: its network and weights, without a warm start."""


class Learning(_Group):
    """Options of every algorithm."""

    envs: int = Field(1024, gt=0)
    """Games played at the same time."""
    rollout: int = Field(64, gt=1)
    """Decisions in each game between two updates (maskable_ppo: of the learner)."""
    epochs: int = Field(3, gt=0)
    """Passes over the collected decisions in each update."""
    learning_rate: float = Field(5e-4, gt=0)
    """Step size of Adam at the start; it falls in a straight line."""
    learning_rate_end: float = Field(1e-4, ge=0)
    """Step size at the end."""
    gamma: float = Field(0.995, ge=0, le=1)
    """Discount of the final reward for each of the player's own decisions before it; td: discount of the lead for each position in which a
    turn waits for a decision, so that an early win is worth more than a late one."""
    gae_lambda: float = Field(0.95, ge=0, le=1)
    """Lambda of generalized advantage estimation, and of td."""
    max_grad_norm: float = Field(0.5, gt=0)
    """Largest gradient norm; larger gradients are scaled down."""


class PPO(_Group):
    """Options of ppo and residual, and of maskable_ppo as far as stable-baselines3 has them; td uses minibatch, too."""

    minibatch: int = Field(4096, gt=0)
    """Decisions in one gradient step; large steps are what makes two cores suffice."""
    entropy: float = Field(0.01, ge=0)
    """Weight of the entropy bonus at the start; it falls in a straight line."""
    entropy_end: float = Field(0.003, ge=0)
    """Weight of the entropy bonus at the end."""
    stalemate: float = Field(0.3, ge=0)
    """Subtracted from the learner's reward when the turn limit ends a game, so that waiting does not pay."""
    clip: float = Field(0.2, gt=0)
    """PPO's clipping of the probability ratio."""
    value_weight: float = Field(0.5, ge=0)
    """Weight of the value loss."""
    shaping: float = Field(1.0, ge=0)
    """Weight of the reward shaping by the game's own potential, where it has one; 0: the result alone."""
    magnet: float = Field(0.0, ge=0)
    """Weight of the Kullback-Leibler divergence from a moving average of the policy."""
    magnet_decay: float = Field(0.98, ge=0, le=1)
    """Share of that average that stays at each update."""


class TD(_Group):
    """Options of td; residual also uses those for looking ahead: look_budget, look_worlds and plan_width."""

    value_width: Size = 32
    """Hidden width of the learned value of td."""
    replay: int = Field(12, gt=0)
    """td: each update goes over the games of this many updates."""
    exploration: Share = 0.03
    """td: share of random moves."""
    averaging: float = Field(3.0, ge=0)
    """td: how strongly the average of the weights, which plays, favours recent updates: its nth step is (1 + this) / (n + this); 0: all
    count alike; 1e9: only the last one counts."""
    look_budget: int = Field(150, gt=0)
    """td, residual: actions that a decision may try while learning, to look ahead at the first play of a turn."""
    look_worlds: int = Field(1, gt=0)
    """td, residual: guesses of the hidden information in one decision while learning; games of luck need more than one."""
    plan_width: int = Field(0, ge=0)
    """td, residual: positions that the plan of a turn follows while learning; 0: it looks at one play, which is several times as fast; the
    finished agent plans in any case."""


class Residual(_Group):
    """Options of residual alone."""

    policy_width: Size = 128
    """Hidden width of the policy over a value."""
    sharpness: float = Field(0.0, ge=0)
    """Logits of a choice for each logit of winning that the value sees: the lower, the more it explores; 0: 80 over a learned value, 20
    over the game's own."""


class Network(_Group):
    """The network of ppo and maskable_ppo."""

    trunk: Widths = (128,)
    """Widths of the layers that policy and value share."""
    policy: Widths = (128,)
    """Widths of the layers of the policy alone."""
    value: Widths = (128,)
    """Widths of the layers of the value alone."""
    row_width: Width = 32
    """Hidden width of the score of single zones, units and directions; 0: no such score."""
    pool_width: Width = 32
    """Width of a summary of all zones, units and directions that the trunk sees; 0: no summary."""
    activation: Literal["relu", "tanh"] = "relu"
    """The function after each layer."""
    device: Device = "auto"
    """Where the network runs; auto: on a GPU if torch finds one. The same seed gives the same run only on a CPU."""
    precision: Precision = "auto"
    """Number format of large matrix products; auto: bfloat16 if the processor has instructions for it."""


class WarmStart(_Group):
    """What is imitated before self-play begins."""

    imitation_games: int = Field(1024, ge=0)
    """Games of the teacher against itself that the network imitates before self-play begins; 0: no imitation."""
    teacher: str = "auto"
    """The agent to imitate, by name; auto: scripted if the game has a script, otherwise greedy."""
    temperature: float = Field(0.0, ge=0)
    """How much worse than the best an action may be, in units of the game's value, and still be imitated; 0: only the best."""
    imitation_epochs: int = Field(4, gt=0)
    """Passes of the imitation over those games."""
    imitation_rate: float = Field(2e-3, gt=0)
    """Step size of the imitation at the start; it falls to a tenth."""
    imitation_noise: float = Field(0.1, ge=0, le=1)
    """Share of random moves in those games, so that positions differ."""


class Opponents(_Group):
    """Whom the learner plays against."""

    opponents: dict[str, Share] = {"random": 0.02, "greedy": 0.4}
    """Named agents to spar with, and the share of the games against each."""
    self_share: Share = 0.45
    """Share of all games against the newest self, as far as the named opponents leave room; the others are against earlier selves."""
    pool_size: int = Field(8, gt=0)
    """Earlier selves kept; when there are more, one between the oldest and the newest is dropped."""
    pool_active: int = Field(1, gt=0)
    """Earlier selves that play at the same time (each needs its own pass of the network)."""
    pool_priority: float = Field(1.0, ge=0)
    """Earlier selves are drawn with weight (1 - win rate against them) to this power; 0: all alike."""
    pool_redraw: int = Field(20, ge=0)
    """Updates between two draws of the earlier selves that play."""
    snapshot_steps: int = Field(500_000, gt=0)
    """Learner steps between two additions to the pool."""


class Evaluations(_Group):
    """What is measured during the run, and what is saved."""

    baselines: Names = ("random", "greedy")
    """Agents to measure the learner against."""
    evaluations: int = Field(8, ge=0)
    """Evaluations against the baselines, evenly spread over the learning, besides one before it; 0: none at all."""
    evaluation_games: int = Field(200, gt=0)
    """Games against each baseline in one evaluation, rounded up to the same number from each seat; with --minutes, fewer if time runs
    out."""
    evaluated_as: Text = ""
    """How the agent plays in evaluations, as written after the path of a model and a colon: 1,width=0 is a quick form of td's agent;
    nothing: as the finished agent plays."""
    checkpoint_seconds: float = Field(45.0, gt=0)
    """Seconds between two checkpoints."""


_GROUPS = (Run, Learning, PPO, TD, Residual, Network, WarmStart, Opponents, Evaluations)


class Options(Run, Learning, PPO, TD, Residual, Network, WarmStart, Opponents, Evaluations):
    """All options, each checked by itself. An option that is not given has its usual value for the algorithm."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _usual(cls, given: dict[str, Any]) -> dict[str, Any]:
        return {**USUAL.get(str(given.get("algorithm")), {}), **given}

    @field_validator("*", mode="before")
    @classmethod
    def _no_truth(cls, value: Any) -> Any:
        if isinstance(value, bool):
            raise PydanticCustomError("truth", "Input is neither true nor false")
        return value

    @field_validator("threads")
    @classmethod
    def _all_threads(cls, value: int) -> int:
        """A run keeps the number, so that it can be repeated elsewhere."""
        return value or processors()

    @classmethod
    def groups(cls) -> dict[str, tuple[str, ...]]:
        """Group -> the names of its options, in reading order."""
        return {group.__name__: tuple(group.model_fields) for group in _GROUPS}

    @classmethod
    def describe(cls) -> dict[str, tuple[Any, str]]:
        """Name of each option -> its usual value and its description, group by group."""
        return {
            name: (field.get_default(call_default_factory=True), field.description or "")
            for group in _GROUPS
            for name, field in group.model_fields.items()
        }


class TrainConfig(Options):
    """One training run; the file config.json of a run holds the values.

    Raises UnsupportedOption for an option that does not exist, and OptionError for an impossible value.
    """

    def __init__(self, **options: Any) -> None:
        try:
            super().__init__(**options)
        except ValidationError as error:
            told = explained(type(self), error)
            if isinstance(told, UnsupportedOption):
                told = UnsupportedOption(f"{told}; options of the game stand in options={{...}}")
            raise told from None

    @model_validator(mode="after")
    def _together(self) -> TrainConfig:
        if not (self.steps or self.minutes):
            raise ValueError("a training run needs an end: steps or minutes, more than 0")
        if sum(self.opponents.values()) > 1:
            shares = ", ".join(f"{name} {share}" for name, share in self.opponents.items())
            raise ValueError(f"opponents: {shares}: together more than 1")
        if self.envs * self.rollout < self.minibatch:
            raise ValueError(f"minibatch is {self.minibatch}: more than envs * rollout = {self.envs * self.rollout}")
        if self.magnet and self.algorithm != "ppo":
            raise ValueError(f"magnet is {self.magnet}: it needs the algorithm ppo")
        if self.algorithm == "residual" and self.imitation_games and not self.start:
            raise ValueError(
                f"imitation_games is {self.imitation_games}: residual begins with the value, without imitation"
            )
        return self

    @classmethod
    def read(cls, path: Path) -> TrainConfig:
        """Read the options of an earlier run. Raises OptionError, which says what is wrong with the file."""
        return cls(**read_options(path))

    def to_json(self) -> dict[str, Any]:
        return self.model_dump()

    def check_elsewhere(self) -> None:
        """Raise OptionError if other machines cannot play the games of this run."""
        if self.algorithm not in ("ppo", "td"):
            raise OptionError(f"{self.algorithm} plays on one machine; with --ray the algorithm is ppo or td")


def option_text(value: Any) -> str:
    """The value of a training option as it is written in a command."""
    if isinstance(value, dict):
        value = [f"{name}={share:g}" for name, share in value.items()]
    return ",".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)


def read_options(path: Path) -> dict[str, Any]:
    """Read the options of a run, name -> value, from a YAML or JSON file such as config.json of another run.

    Each option is checked by itself, but not yet together. Raises OptionError, which says what is wrong with the file.
    """
    try:
        text = path.read_text(encoding="utf-8")
        what = "a file of training options", ("envs", "learning_rate", "opponents", "...")
        found = json.loads(text) if path.suffix == ".json" else dict(parse(text, str(path), *what).data)
    except FileNotFoundError:
        raise OptionError(f"{path}: there is no such file") from None
    except CardError as error:
        raise OptionError(str(error)) from None
    except (OSError, ValueError, RecursionError) as error:
        raise OptionError(f"{path}: cannot be read as YAML or JSON ({error})") from None
    if not isinstance(found, dict):
        raise OptionError(f"{path}: not the options of a training run, lines such as 'envs: 1024'")
    try:
        Options.model_validate({str(name): value for name, value in found.items()})
    except ValidationError as error:
        raise OptionError(f"{path}: {explained(Options, error)}") from None
    return found


def demo_config(
    *, game: str, options: dict[str, Any], minutes: float, seed: int, threads: int, has_features: bool
) -> TrainConfig:
    """The run of `react-env demo`, with as many evaluations as a short run can afford: a learned value if the game defines features
    (`has_features`), else a network trained by PPO after a longer warm start."""
    found: dict[str, Any] = {
        "imitation_games": 2048,
        "trunk": (256,),
        "epochs": 2,
        "evaluations": 8,
        "evaluation_games": 200,
    }
    if has_features:
        found = {"algorithm": "td", "imitation_games": 256, "evaluations": 6, "evaluation_games": 200}
        # With fewer games at a time, each ends sooner, and the agent uses what it taught sooner: that counts in a few minutes.
        found |= {"envs": 256, "evaluated_as": "1,width=0"}
    return TrainConfig(game=game, options=options, minutes=minutes, seed=seed, threads=threads, **found)
