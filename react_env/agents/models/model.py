"""The two files of a model: its weights, and the description of them.

``model.safetensors`` holds the weights (float32), ``model.json`` beside it says what they are: architecture, game, options, rules hash,
training summary and the hash of the weights. Loading runs no code from either, and needs neither torch nor stable-baselines3. A model is
a network (`Architecture`; agents.players.neural), a learned value (`ValueArchitecture`; agents.players.learned_value) or a policy over the
game's own value (`PolicyArchitecture`; agents.players.policy).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import warnings
from collections.abc import Mapping
from dataclasses import KW_ONLY, asdict, field, fields, replace
from math import prod
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import ConfigDict, Discriminator, Field, Tag, TypeAdapter, ValidationError, model_validator
from pydantic.dataclasses import dataclass
from safetensors import SafetensorError
from safetensors.numpy import load as _tensors_from
from safetensors.numpy import save as _bytes_of

from react_env.errors import ModelError, OptionError
from react_env.files import as_json, write_all_aside

FORMAT: Literal["react_env model"] = "react_env model"
VERSION: Literal[1] = 1
_MAX_JSON = 1 << 20
_MAX_WIDTH = 1 << 16
POLICY = "policy."  # prefix of the names of a policy's tensors

Floats: TypeAlias = npt.NDArray[np.float32]
Weights: TypeAlias = dict[str, Floats]
Device: TypeAlias = Literal["auto", "cpu", "cuda"]  # where torch runs a network
Precision: TypeAlias = Literal["auto", "float32", "bfloat16"]  # of its large products
Place: TypeAlias = Annotated[int, Field(ge=0)]
Size: TypeAlias = Annotated[int, Field(ge=1, le=_MAX_WIDTH)]
Width: TypeAlias = Annotated[int, Field(ge=0, le=_MAX_WIDTH)]
Widths: TypeAlias = Annotated[tuple[Size, ...], Field(max_length=16)]
Names: TypeAlias = Annotated[tuple[str, ...], Field(min_length=1, max_length=_MAX_WIDTH)]
_STRICT = ConfigDict(strict=True)


@dataclass(frozen=True, config=_STRICT)
class Rows:
    """A group of actions that are scored by rows of the observation."""

    group: str
    first_action: Place
    count: Size
    start: Place  # of the first row in the observation
    size: Size  # of a row

    @property
    def slice(self) -> slice:
        """All rows in the observation."""
        return slice(self.start, self.start + self.count * self.size)


@dataclass(frozen=True, config=_STRICT)
class Pool:
    """A piece of the observation whose rows all go through the same layer and are added up."""

    piece: str
    start: Place  # of the first row in the observation
    count: Size
    size: Size  # of a row

    @property
    def slice(self) -> slice:
        """All rows in the observation."""
        return slice(self.start, self.start + self.count * self.size)


@dataclass(frozen=True, config=_STRICT)
class Architecture:
    """Widths of the hidden layers, and the activation after each."""

    trunk: Widths = (256,)  # shared by policy and value
    policy: Widths = (128,)
    value: Widths = (128,)
    activation: Literal["relu", "tanh"] = "relu"
    row_width: Width = 0  # hidden width of the score of single actions; 0: no such score
    rows: Annotated[tuple[Rows, ...], Field(max_length=64)] = ()
    inputs: Place = 0  # how many numbers at the beginning of an observation go into the trunk; 0: all
    pool_width: Width = 0  # numbers in the pool of a piece; 0: no pools
    pools: Annotated[tuple[Pool, ...], Field(max_length=64)] = ()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for what, names, width in (
            ("rows", [rows.group for rows in self.rows], self.row_width),
            ("pools", [pool.piece for pool in self.pools], self.pool_width),
        ):
            if len({*names}) != len(names):
                raise ValueError(f"{what} names something twice")
            if names and not width:
                raise ValueError(f"{what} without a width")
        if self.pools and not self.trunk:
            raise ValueError("pools have no trunk to go into")
        return self

    def fitted(self, game: Any) -> Architecture:
        """This architecture for `game`: without the pieces that never change, and with rows and pools if it has widths for them."""
        pieces = game.rules.tables.fixed_pieces if len(game.tables) == 1 else ()
        inputs = min((game.layout[piece].start for piece in pieces), default=0)
        pools = []
        if self.pool_width:
            if not self.trunk:
                raise OptionError("pools go into the trunk: a network with a pool width needs a trunk")
            for piece in dict.fromkeys(game.rules.actions.rows.values()):
                if piece not in game.rules.tables.fixed_pieces:
                    where = game.layout[piece]
                    *leading, size = where.shape
                    count = game.rules.actions.rows_in_use.get(piece, prod(leading))
                    pools.append(Pool(piece, where.start, count, size))
        fitted = replace(self, inputs=inputs, pools=tuple(pools))
        if not self.row_width:
            return fitted
        found = []
        for group, piece in game.rules.actions.rows.items():
            actions, where = game.action_groups[group], game.layout[piece]
            *leading, size = where.shape
            count = min(game.rules.actions.rows_in_use.get(piece, prod(leading)), actions.stop - actions.start)
            found.append(Rows(group, actions.start, count, where.start, size))
        return replace(fitted, rows=tuple(sorted(found, key=lambda rows: rows.first_action)))

    def shapes(self, observation_size: int, action_count: int) -> dict[str, tuple[int, ...]]:
        """Name -> shape of every tensor of the network, in the order of the forward pass; weights are (out, in)."""
        found: dict[str, tuple[int, ...]] = {"scale": (observation_size,)}

        def layers(name: str, width: int, sizes: tuple[int, ...]) -> int:
            for number, size in enumerate(sizes):
                found[f"{name}.{number}.weight"], found[f"{name}.{number}.bias"] = (size, width), (size,)
                width = size
            return width

        for pool in self.pools:
            found[f"pools.{pool.piece}.weight"] = (self.pool_width, pool.size)
            found[f"pools.{pool.piece}.bias"] = (self.pool_width,)
        width = layers("trunk", (self.inputs or observation_size) + self.pool_width * len(self.pools), self.trunk)
        for head, sizes, outputs in (("policy", self.policy, action_count), ("value", self.value, 1)):
            layers(head, width, (*sizes, outputs))
        hidden = self.policy[-1] if self.policy else width
        for rows in self.rows:
            found[f"rows.{rows.group}.features.weight"] = (self.row_width, rows.size)
            found[f"rows.{rows.group}.context.weight"] = (self.row_width, hidden)
            found[f"rows.{rows.group}.context.bias"] = (self.row_width,)
            found[f"rows.{rows.group}.score.weight"] = (1, self.row_width)
        return found


@dataclass(frozen=True, config=_STRICT)
class ValueArchitecture:
    """The shape of a learned value (K roles, F features, H hidden numbers) and of the policy over it, if it has one."""

    features: Names
    roles: Names
    width: Size
    # Hidden width of the policy over the value (agents.players.value_policy); 0: no policy.
    policy: Width = 0

    @classmethod
    def of(cls, game: Any, width: int) -> ValueArchitecture:
        """The shape for `game`. OptionError for a game without features of a position."""
        if game.heuristics.features is None:
            raise OptionError(f"{game.id} defines no features of a position: a value cannot be learned")
        roles = tuple(sorted({role for table in game.rules.tables.roles for role in table}))
        return cls(game.heuristics.feature_names, roles, width)

    def shapes(self, observation_size: int, action_count: int) -> dict[str, tuple[int, ...]]:
        """Name -> shape of every tensor."""
        roles, features, width = len(self.roles), len(self.features), self.width
        found: dict[str, tuple[int, ...]] = {
            "linear": (roles, features),
            "own": (roles, features, width),
            "other": (roles, features, width),
            "bias": (width,),
            "out": (width,),
        }
        return found | _policy_shapes(observation_size, features, self.policy) if self.policy else found

    def alone(self, weights: Weights) -> tuple[ValueArchitecture, Weights]:
        """The value without the policy over it."""
        return replace(self, policy=0), {name: w for name, w in weights.items() if not name.startswith(POLICY)}


@dataclass(frozen=True, config=_STRICT)
class PolicyArchitecture:
    """The shape of a policy over the game's own value, W wide. It is given how each action changes the F features of a position."""

    features: Annotated[tuple[str, ...], Field(max_length=_MAX_WIDTH)]
    policy: Size

    @classmethod
    def of(cls, game: Any, width: int) -> PolicyArchitecture:
        """The shape for `game`. OptionError for a game without features of a position: only its value would tell two actions apart, and a
        policy could add nothing to that."""
        if game.heuristics.features is None:
            raise OptionError(
                f"{game.id} defines no features of a position: a policy over its value has nothing to learn from; "
                "train it by ppo, over a look-ahead with advice=greedy"
            )
        return cls(game.heuristics.feature_names, width)

    def shapes(self, observation_size: int, action_count: int) -> dict[str, tuple[int, ...]]:
        """Name -> shape of every tensor."""
        return _policy_shapes(observation_size, len(self.features), self.policy)


def _policy_shapes(observation_size: int, features: int, width: int) -> dict[str, tuple[int, ...]]:
    return {
        f"{POLICY}scale": (observation_size,),
        f"{POLICY}sharpness": (1,),
        f"{POLICY}see.weight": (width, observation_size),
        f"{POLICY}see.bias": (width,),
        f"{POLICY}context.weight": (width, width),
        f"{POLICY}context.bias": (width,),
        f"{POLICY}action.weight": (width, 2 * features + 2),
        f"{POLICY}score.weight": (1, width),
    }


_KINDS = {Architecture: "network", ValueArchitecture: "learned value", PolicyArchitecture: "policy over the value"}


def _kind(shape: Any) -> str:
    """The kind of an architecture, given as an object or as its description."""
    if not isinstance(shape, dict):
        return _KINDS.get(type(shape), "network")
    kind = ValueArchitecture if {"roles", "width"} & {*shape} else PolicyArchitecture
    return _KINDS[kind if "features" in shape else Architecture]


AnyArchitecture: TypeAlias = Annotated[
    Annotated[Architecture, Tag("network")]
    | Annotated[ValueArchitecture, Tag("learned value")]
    | Annotated[PolicyArchitecture, Tag("policy over the value")],
    Discriminator(_kind),
]


@dataclass(frozen=True, config=_STRICT)
class ModelInfo:
    """What ``model.json`` says about the weights beside it."""

    game: str
    options: dict[str, Any]
    rules_hash: str
    observation_size: Place
    action_count: Place
    architecture: AnyArchitecture
    training: dict[str, Any] = field(default_factory=dict)
    # Rules hashes of games that are part of this one, such as one of its pairings alone.
    covers: Annotated[tuple[str, ...], Field(max_length=_MAX_WIDTH)] = ()

    @model_validator(mode="after")
    def _within(self) -> Self:
        shape, size = self.architecture, self.observation_size
        if isinstance(shape, Architecture):
            ends = [shape.inputs, *(rows.slice.stop for rows in shape.rows)]
            ends += [pool.slice.stop for pool in shape.pools]
            last = max((rows.first_action + rows.count for rows in shape.rows), default=0)
            if max(ends) > size or last > self.action_count:
                raise ValueError("the architecture goes beyond the observation or the actions")
        return self

    @classmethod
    def of(cls, game: Any, architecture: AnyArchitecture, training: Mapping[str, Any] | None = None) -> ModelInfo:
        """The info of a model of this shape for `game`."""
        return cls(
            game=game.id,
            options=dict(game.options),
            rules_hash=game.rules_hash,
            observation_size=int(game.layout.size),
            action_count=len(game.action_names),
            architecture=architecture,
            training=dict(training or {}),
            covers=tuple(game.rules.identity.parts),
        )


def save_model(path: str | os.PathLike[str], weights: Mapping[str, npt.NDArray[Any]], info: ModelInfo) -> Path:
    """Write `weights` to the file (or into the folder) `path`, and the JSON beside it. Returns the path of the weights.

    Both are written to temporary files, then renamed. Weights and info that do not fit each other are refused before anything is written.
    """
    file = _weights_file(Path(path))
    tensors = {name: np.ascontiguousarray(value, np.float32) for name, value in weights.items()}
    _check_tensors(tensors, info, file)
    data = _bytes_of(tensors)
    about = {"format": FORMAT, "version": VERSION, **asdict(info), "weights_sha256": hashlib.sha256(data).hexdigest()}
    write_all_aside({file: data, file.with_suffix(".json"): as_json(about)})
    return file


def load_model(path: str | os.PathLike[str]) -> tuple[Weights, ModelInfo]:
    """The weights and their description, checked against each other. `path`: the .safetensors file or its folder.

    ModelError names the file and what is wrong with it.
    """
    file = _weights_file(Path(path))
    about_file = file.with_suffix(".json")
    info, digest = _read_info(about_file)
    data = _read(file)
    if not data:
        raise ModelError(f"{file}: the file is empty")
    found = hashlib.sha256(data).hexdigest()
    if found != digest:
        # A save may have been killed after it renamed the weights. Their description then still has its temporary name.
        for aside in about_file.parent.glob(f".{about_file.name}.*.tmp"):
            with contextlib.suppress(ModelError):
                info, digest = _read_info(aside)
                if found == digest:
                    break
    try:
        tensors = _tensors_from(data)
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        what = "safetensors file" if found == digest else "whole safetensors file"
        raise ModelError(f"{file}: not a {what} ({error})") from None
    if found != digest:
        raise ModelError(f"{file}: these are not the weights that {about_file.name} describes (weights_sha256 differs)")
    _check_tensors(tensors, info, file)
    return tensors, info


def _weights_file(path: Path) -> Path:
    return path if path.suffix == ".safetensors" else path / "model.safetensors"


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise ModelError(f"{file}: there is no such file") from None
    except OSError as error:
        raise ModelError(f"{file}: cannot be read ({error.strerror})") from None


@dataclass(frozen=True, config=_STRICT)
class _File(ModelInfo):
    """``model.json`` as a whole: the info, the format, and the hash of the weights."""

    _: KW_ONLY
    format: Literal["react_env model"]
    version: Literal[1]
    weights_sha256: str


def _read_info(file: Path) -> tuple[ModelInfo, str]:
    """Info and the hash of the weights from model.json, every field checked."""
    data = _read(file)
    if len(data) > _MAX_JSON:
        raise ModelError(f"{file}: {len(data)} bytes is not a description of a model")
    try:
        read = TypeAdapter(_File).validate_json(data)
    except ValidationError as error:
        raise ModelError(f"{file}: {_mistake(error)}") from None
    return ModelInfo(**{each.name: getattr(read, each.name) for each in fields(ModelInfo)}), read.weights_sha256


def _mistake(error: ValidationError) -> str:
    """The first thing that is wrong with a description, and where."""
    first = error.errors()[0]
    message = first["msg"].removeprefix("Value error, ").removeprefix("Input ")
    where = ".".join(str(part) for part in first["loc"] if part not in _KINDS.values())
    if first["type"] in ("value_error", "missing", "json_invalid") or not where:
        return f"{where}: {message}" if where else f"not the description of a model: {message}"
    return f"{where} is {first['input']!r:.80}; it {message}"


def _check_tensors(tensors: Mapping[str, npt.NDArray[Any]], info: ModelInfo, file: Path) -> None:
    """ModelError unless the tensors are exactly those of the architecture, float32 and finite."""
    shapes = info.architecture.shapes(info.observation_size, info.action_count)
    for name in shapes:
        if name not in tensors:
            raise ModelError(f"{file}: the tensor {name!r} is missing")
    for name, value in tensors.items():
        if name not in shapes:
            raise ModelError(f"{file}: the tensor {name!r} belongs to no layer of the architecture")
        if value.shape != shapes[name]:
            raise ModelError(f"{file}: the tensor {name!r} has shape {value.shape}, expected {shapes[name]}")
        if value.dtype != np.float32:
            raise ModelError(f"{file}: the tensor {name!r} is {value.dtype}, expected float32")
        if not np.isfinite(value).all():
            raise ModelError(f"{file}: the tensor {name!r} holds numbers that are not finite")


def _words(options: Mapping[str, Any]) -> str:
    """The options of a game, as words in a message."""
    return f"options {dict(options)}" if options else "the usual options"


def load_for(
    path: str | os.PathLike[str], game: Any, *, on_mismatch: Literal["refuse", "warn"] = "refuse"
) -> tuple[Weights, ModelInfo, str]:
    """Weights, description and name of the model in a file, if it was made for `game`.

    ModelError if it was made for another game or has other shapes. Other rules (`rules_hash`) are refused too, unless
    `on_mismatch="warn"`, which only warns.
    """
    weights, info = load_model(path)
    file = _weights_file(Path(path))
    if info.game != game.id:
        raise ModelError(f"{file}: made for {info.game}, not for {game.id}")
    if not isinstance(info.architecture, Architecture):
        if info.architecture.features != game.heuristics.feature_names:
            raise ModelError(f"{file}: its features of a position are not those of {game.id}; train a new model")
    if not isinstance(info.architecture, ValueArchitecture):
        sizes = (("observation size", info.observation_size, game.layout.size),)
        for what, theirs, ours in (*sizes, ("action count", info.action_count, game.num_actions)):
            if theirs != ours:
                raise ModelError(f"{file}: its {what} is {theirs}, that of {game.id} is {ours}")
    here = ModelInfo.of(game, info.architecture)
    if here.rules_hash not in (info.rules_hash, *info.covers):
        message = (
            f"{file}: trained under other rules (hash {info.rules_hash}, {_words(info.options)}) "
            f"than these (hash {here.rules_hash}, {_words(here.options)}); train one for these (react-env train), load the "
            'game with those options, or let it play all the same with on_mismatch="warn" (--any-rules)'
        )
        if on_mismatch != "warn":
            raise ModelError(message)
        warnings.warn(message, stacklevel=3)
    parent = file.resolve().parent.name
    return weights, info, parent if file.stem == "model" else file.stem
