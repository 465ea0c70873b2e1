"""Everything that can be set about a training run, a sentence each."""

from __future__ import annotations

import contextlib
import json
from dataclasses import MISSING, asdict, dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

import yaml

from react_env.errors import OptionError
from react_env.registry import DEFAULT_GAME

_SENTENCE = "sentence"
_KINDS: dict[type, tuple[type, ...]] = {float: (float, int), tuple: (list,)}  # what a file may hold for a value
_WORDS: dict[type, str] = {
    int: "whole number",
    float: "number",
    str: "text",
    list: "list",
    dict: "table",
    bool: "true or false",
}
_CHOICES = {
    "activation": ("relu", "tanh"),
    "algorithm": ("ppo", "maskable_ppo", "td"),
    "precision": ("auto", "float32", "bfloat16"),
}


def _option(default: Any, sentence: str) -> Any:
    metadata = {_SENTENCE: sentence}
    if isinstance(default, dict):
        return field(default_factory=lambda: dict(default), metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class TrainConfig:
    """One training run. `TrainConfig.describe()` gives the sentences; the file config.json of a run holds the values."""

    game: str = _option(DEFAULT_GAME, "The game.")
    options: dict[str, Any] = _option({}, "Options of the game, as keywords of react_env.load.")
    seed: int = _option(0, "Seed of the network, the games and every choice.")
    steps: int = _option(0, "End after this many learner steps (decisions of the learner); 0: no such limit.")
    minutes: float = _option(
        0.0,
        "End after this many minutes of learning; 0: no such limit. The warm start takes at most a quarter of that more, evaluations a "
        "sixth, with fewer games where these take longer.",
    )
    threads: int = _option(2, "Threads of the network, of the games and of the searching opponents in evaluations.")

    algorithm: Literal["ppo", "maskable_ppo", "td"] = _option(
        "ppo",
        "ppo: our own, which learns from both seats of a game; maskable_ppo: stable-baselines3's, from one seat; td: a value of "
        "positions for an agent that plans its turn, in games that tell what counts in a position.",
    )
    envs: int = _option(2048, "Games played at the same time.")
    rollout: int = _option(16, "Decisions in each game between two updates (maskable_ppo: of the learner).")
    minibatch: int = _option(4096, "Decisions in one gradient step; large ones are what makes two cores suffice.")
    epochs: int = _option(3, "How often an update goes over what was collected.")
    learning_rate: float = _option(5e-4, "Step size of Adam at the start; it falls in a straight line.")
    learning_rate_end: float = _option(1e-4, "Step size at the end.")
    entropy: float = _option(0.01, "Weight of the entropy bonus at the start; it falls in a straight line.")
    entropy_end: float = _option(0.003, "Weight of the entropy bonus at the end.")
    gamma: float = _option(0.995, "Discount of the final reward for each own decision on the way.")
    gae_lambda: float = _option(0.95, "Lambda of generalized advantage estimation, and of td.")
    shaping: float = _option(
        1.0, "Weight of the reward shaping by the game's own potential, where it has one; 0: the result alone."
    )
    shaping_unit: float = _option(
        0.0,
        "Above 0: that potential is the value of scripted (else of greedy), so many of whose units make tanh(1) = 0.76.",
    )
    stalemate: float = _option(
        0.3, "Taken from the learner when the turn limit ends a game, so that waiting does not pay."
    )
    value_width: int = _option(32, "Hidden width of the learned value of td.")
    replay: int = _option(12, "td: the games of so many updates are gone over in each.")
    exploration: float = _option(0.03, "td: share of random moves.")
    averaging: float = _option(
        3.0,
        "td: how much the average of the weights, which plays, leans to the last updates: its nth step is (1 + this) / (n + this); "
        "0: all count alike; 1e9: only the last one does.",
    )
    look_budget: int = _option(
        150, "td: actions tried to look ahead in one decision while it learns, for the first play of a turn."
    )
    plan_width: int = _option(
        0,
        "td: positions that the plan of a turn follows while it learns; 0: it looks at one play, which is several times as fast; its agent "
        "afterwards plans in any case.",
    )
    clip: float = _option(0.2, "PPO's clipping of the probability ratio.")
    value_weight: float = _option(0.5, "Weight of the value loss.")
    magnet: float = _option(0.0, "Weight of the Kullback-Leibler divergence from a moving average of the policy.")
    magnet_decay: float = _option(0.98, "What stays of that average at each update.")
    precision: Literal["auto", "float32", "bfloat16"] = _option(
        "auto", "Numbers of large products; auto: bfloat16 where the processor has instructions for it."
    )
    max_grad_norm: float = _option(0.5, "Longest gradient; longer ones are scaled down.")

    trunk: tuple[int, ...] = _option((128,), "Widths of the layers that policy and value share.")
    policy: tuple[int, ...] = _option((128,), "Widths of the layers of the policy alone.")
    value: tuple[int, ...] = _option((128,), "Widths of the layers of the value alone.")
    row_width: int = _option(32, "Hidden width of the score of single zones, units and directions; 0: without it.")
    pool_width: int = _option(
        32,
        "Numbers that tell the trunk what the zones, units and directions have in them, wherever they are; 0: without them.",
    )
    activation: Literal["relu", "tanh"] = _option("relu", "The function after each layer.")

    start: str = _option(
        "",
        "A model of the same game to begin from, file or folder: its network and its weights; then without warm start.",
    )
    imitation_games: int = _option(
        1024,
        "Games of the teacher against itself that the network imitates before self-play begins; 0: it begins from nothing.",
    )
    teacher: str = _option(
        "auto", "Whom it imitates, an agent by name; auto: scripted where the game has a script, else greedy."
    )
    advice: str = _option(
        "",
        "An agent whose look-ahead is added to the network's logits, greedy or scripted: the network learns what is to be added "
        "to it, without a warm start; nothing: the network plays alone.",
    )
    advice_scale: float = _option(10.0, "How many units of that agent's value are one logit.")
    temperature: float = _option(
        0.0,
        "How much worse than the best an action may be, in the units of the game's value, to be imitated as well; 0: not at all.",
    )
    teaching: float = _option(
        0.0, "Weight of the teacher's advice on the learner's own decisions at the start; it falls in a straight line."
    )
    teaching_end: float = _option(0.0, "Weight of that advice at the end.")
    taught: float = _option(0.2, "Share of the learner's decisions in which the teacher is asked; with teaching only.")
    imitation_epochs: int = _option(4, "How often the imitation goes over those games.")
    imitation_rate: float = _option(2e-3, "Step size of the imitation at the start; it falls to a tenth.")
    imitation_noise: float = _option(0.1, "Share of random moves in those games, so that positions differ.")

    opponents: dict[str, float] = _option(
        {"random": 0.02, "greedy": 0.4}, "Named agents to spar with, and the share of the games against each."
    )
    self_share: float = _option(
        0.45,
        "Share of the games against the newest self, as far as the named opponents leave them; the others are against earlier selves.",
    )
    pool_size: int = _option(8, "Earlier selves kept; when there are more, one between the oldest and the newest goes.")
    pool_active: int = _option(1, "Earlier selves that play at the same time (each costs a pass of its own).")
    pool_priority: float = _option(
        1.0, "Earlier selves are drawn with weight (1 - win rate against them) to this power; 0: all alike."
    )
    pool_redraw: int = _option(20, "Updates between two draws of the earlier selves that play.")
    snapshot_steps: int = _option(500_000, "Learner steps between two additions to the pool.")

    baselines: tuple[str, ...] = _option(("random", "greedy"), "Agents to measure it against.")
    evaluations: int = _option(
        8,
        "Evaluations against the baselines, evenly spread over the learning, and one before it; 0: none at all.",
    )
    evaluation_games: int = _option(
        200,
        "Games against each baseline in one evaluation, half from each seat; with --minutes, fewer where they take longer than the time "
        "for it.",
    )
    evaluated_as: str = _option(
        "",
        "How the agent plays in evaluations, as it stands behind the path of a model and a colon: 1,width=0 is a quick form of td's; "
        "nothing: as it plays afterwards.",
    )
    checkpoint_seconds: float = _option(45.0, "Seconds between two checkpoints.")

    def __post_init__(self) -> None:
        for name in ("trunk", "policy", "value", "baselines"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        positive = (
            "threads",
            "envs",
            "rollout",
            "minibatch",
            "epochs",
            "pool_size",
            "pool_active",
            "snapshot_steps",
            "value_width",
            "replay",
            "look_budget",
        )
        for name in (*positive, "evaluation_games", "checkpoint_seconds", "learning_rate"):
            if getattr(self, name) <= 0:
                raise OptionError(f"{name} is {getattr(self, name)}: it must be more than 0")
        if self.steps < 0 or self.minutes < 0 or not (self.steps or self.minutes):
            raise OptionError("a training run needs an end: steps or minutes, more than 0")
        shares = self.opponents.values()
        if min(shares, default=0) < 0 or sum(shares) > 1:
            raise OptionError(
                f"opponents: {', '.join(f'{name} {share}' for name, share in self.opponents.items())}: "
                "each and together within 0..1"
            )
        if self.evaluation_games % 2:
            raise OptionError(
                f"evaluation_games is {self.evaluation_games}: half are played from each seat, so it must be even"
            )
        if self.envs * self.rollout < self.minibatch:
            raise OptionError(f"minibatch is {self.minibatch}: more than envs * rollout = {self.envs * self.rollout}")
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise OptionError(f"{name} is {getattr(self, name)!r}: it must be one of {', '.join(choices)}")
        for name in ("plan_width", "averaging"):
            if getattr(self, name) < 0:
                raise OptionError(f"{name} is {getattr(self, name)}: it must be 0 or more")
        for name in ("exploration", "self_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise OptionError(f"{name} is {getattr(self, name)}: it must be within 0..1")
        for name in ("magnet", "teaching", "teaching_end", "advice", "shaping_unit"):
            if getattr(self, name) and self.algorithm != "ppo":
                raise OptionError(f"{name} is {getattr(self, name)}: only the algorithm ppo has it")

    @classmethod
    def describe(cls) -> dict[str, str]:
        """Name of each option -> its sentence."""
        return {option.name: option.metadata[_SENTENCE] for option in fields(cls)}

    @classmethod
    def read(cls, path: Path) -> TrainConfig:
        """The options of an earlier run. OptionError names what is wrong with the file."""
        return cls(**read_options(path))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def read_options(path: Path) -> dict[str, Any]:
    """Options of a run from a file, YAML or JSON (config.json of another run will do): name -> value, not checked together yet.

    OptionError names what is wrong with the file.
    """
    try:
        text = path.read_text()
        found = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    except FileNotFoundError:
        raise OptionError(f"{path}: there is no such file") from None
    except (OSError, ValueError, yaml.YAMLError, RecursionError) as error:
        raise OptionError(f"{path}: cannot be read as YAML or JSON ({str(error).splitlines()[0]})") from None
    if not isinstance(found, dict):
        raise OptionError(f"{path}: not the options of a training run, lines such as 'envs: 1024'")
    known = {option.name: option for option in fields(TrainConfig)}
    options: dict[str, Any] = found
    for name, value in options.items():
        if name not in known:
            near = get_close_matches(str(name), known, 1)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
            raise OptionError(f"{path}: there is no option {name!r}; {hint}")
        option = known[name]
        usual: Any = option.default_factory() if option.default is MISSING else option.default  # type: ignore[operator]
        kinds = _KINDS.get(type(usual), (type(usual),))
        if isinstance(usual, float) and isinstance(value, str):  # YAML reads 1e-4, which has no point, as text
            with contextlib.suppress(ValueError):
                options[name] = value = float(value)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise OptionError(f"{path}: {name} is {value!r}, expected {' or '.join(_WORDS[kind] for kind in kinds)}")
        if isinstance(value, list):
            inner = type(usual[0]) if usual else int
            if not all(type(item) is inner for item in value):
                raise OptionError(f"{path}: {name} is {value!r}, expected a list of {_WORDS[inner]}s")
        if (
            name == "opponents"
            and isinstance(value, dict)
            and not all(type(share) in (int, float) for share in value.values())
        ):
            raise OptionError(f"{path}: opponents is {value!r}, expected lines such as 'greedy: 0.4'")
    return options


# Where td differs from the usual values of options: whole games count there, and no network has to keep a policy.
TD_USUAL: dict[str, Any] = {
    "envs": 1024,
    "rollout": 64,
    "epochs": 1,
    "learning_rate": 3e-3,
    "learning_rate_end": 3e-4,
    "gae_lambda": 0.85,
    "opponents": {},
    "self_share": 1.0,
}


def usual(algorithm: str) -> dict[str, Any]:
    """The options whose usual values are others with this algorithm than the defaults of `TrainConfig`."""
    return dict(TD_USUAL) if algorithm == "td" else {}


def demo_config(
    *, game: str, options: dict[str, Any], minutes: float, seed: int, threads: int, has_features: bool
) -> TrainConfig:
    """What `react-env demo` trains, with as many evaluations as a short run can afford: a value where the game tells what counts in a
    position (`has_features`), else a network by PPO after a longer warm start."""
    found: dict[str, Any] = {
        "imitation_games": 2048,
        "trunk": (256,),
        "epochs": 2,
        "evaluations": 8,
        "evaluation_games": 200,
    }
    if has_features:
        found = {"algorithm": "td", "imitation_games": 256, "evaluations": 6, "evaluation_games": 200, **usual("td")}
        # Fewer games at a time end sooner, and what they teach is played by sooner: that counts in a few minutes.
        found |= {"envs": 256, "evaluated_as": "1,width=0"}
    return TrainConfig(game=game, options=options, minutes=minutes, seed=seed, threads=threads, **found)
