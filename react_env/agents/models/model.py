"""The two files in which a model travels, and what they say of it.

``model.safetensors`` holds the weights (float32), ``model.json`` beside it says what they are: architecture, game, options, rules hash,
training summary and the hash of the weights. Loading runs no code from either, and needs neither torch nor stable-baselines3. What is in
them is a network (`Architecture`; agents.players.neural) or a learned value (`ValueArchitecture`; agents.players.learned_value).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from math import prod
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load as _tensors_from
from safetensors.numpy import save as _bytes_of

from react_env.errors import ModelError, OptionError
from react_env.files import as_json, write_all_aside

FORMAT = "react_env model"
VERSION = 1
_MAX_JSON = 1 << 20
_MAX_WIDTH = 1 << 16

Floats: TypeAlias = npt.NDArray[np.float32]
Weights: TypeAlias = dict[str, Floats]


@dataclass(frozen=True)
class Rows:
    """A group of actions that are scored by rows of the observation."""

    group: str
    first_action: int
    count: int
    start: int  # of the first row in the observation
    size: int  # of a row

    @property
    def slice(self) -> slice:
        """All rows in the observation."""
        return slice(self.start, self.start + self.count * self.size)


@dataclass(frozen=True)
class Pool:
    """A piece of the observation whose rows all go through the same layer and are added up."""

    piece: str
    start: int  # of the first row in the observation
    count: int
    size: int  # of a row

    @property
    def slice(self) -> slice:
        """All rows in the observation."""
        return slice(self.start, self.start + self.count * self.size)


@dataclass(frozen=True)
class Architecture:
    """Widths of the hidden layers, and the function after each."""

    trunk: tuple[int, ...] = (256,)  # shared by policy and value
    policy: tuple[int, ...] = (128,)
    value: tuple[int, ...] = (128,)
    activation: Literal["relu", "tanh"] = "relu"
    row_width: int = 0  # hidden width of the score of single actions; 0: without it
    rows: tuple[Rows, ...] = ()
    inputs: int = 0  # so many numbers at the beginning of an observation go into the trunk; 0: all
    pool_width: int = 0  # numbers in the pool of a piece; 0: without pools
    pools: tuple[Pool, ...] = ()

    def fitted(self, game: Any) -> Architecture:
        """This architecture for `game`: without the pieces that never change, and with its rows, if it has a row width."""
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


@dataclass(frozen=True)
class ValueArchitecture:
    """The shape of a learned value: K roles, F features, H hidden numbers."""

    features: tuple[str, ...]
    roles: tuple[str, ...]
    width: int

    @classmethod
    def of(cls, game: Any, width: int) -> ValueArchitecture:
        """The shape for `game`. OptionError for a game that does not tell what counts."""
        if game.heuristics.features is None:
            raise OptionError(f"{game.id} does not tell what counts in a position: a value cannot be learned")
        roles = tuple(sorted({role for table in game.rules.tables.roles for role in table}))
        return cls(game.heuristics.feature_names, roles, width)

    def shapes(self, observation_size: int, action_count: int) -> dict[str, tuple[int, ...]]:
        """Name -> shape of every tensor."""
        roles, features, width = len(self.roles), len(self.features), self.width
        return {
            "linear": (roles, features),
            "own": (roles, features, width),
            "other": (roles, features, width),
            "bias": (width,),
            "out": (width,),
        }


@dataclass(frozen=True)
class ModelInfo:
    """What ``model.json`` says of the weights beside it."""

    game: str
    options: dict[str, Any]
    rules_hash: str
    observation_size: int
    action_count: int
    architecture: Architecture | ValueArchitecture
    training: dict[str, Any] = field(default_factory=dict)
    advice: str = ""  # the agent whose look-ahead is added to the logits (react_env.agents.players.advised), or nothing
    advice_scale: float = 1.0  # how many units of its value are one logit
    covers: tuple[str, ...] = ()  # rules hashes of games that are a part of this one: a single pairing of all

    @classmethod
    def of(
        cls, game: Any, architecture: Architecture | ValueArchitecture, training: Mapping[str, Any] | None = None
    ) -> ModelInfo:
        """The info of a network, or of a learned value, for `game`."""
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

    Both are written aside, then renamed. Weights and info that do not fit each other are refused before anything is written.
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
        # Killed between the renaming of the weights and that of their description, which then still lies aside.
        for aside in about_file.parent.glob(f".{about_file.name}.*.tmp"):
            with contextlib.suppress(ModelError):
                info, digest = _read_info(aside)
                if found == digest:
                    break
    if found != digest:
        try:
            _tensors_from(data)
        except (SafetensorError, ValueError, KeyError, TypeError) as error:
            raise ModelError(f"{file}: not a whole safetensors file ({error})") from None
        raise ModelError(f"{file}: these are not the weights that {about_file.name} describes (weights_sha256 differs)")
    try:
        tensors = _tensors_from(data)
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{file}: not a safetensors file ({error})") from None
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


def _read_info(file: Path) -> tuple[ModelInfo, str]:
    """Info and the hash of the weights from model.json, every field checked."""
    data = _read(file)
    if len(data) > _MAX_JSON:
        raise ModelError(f"{file}: {len(data)} bytes is no description of a model")
    try:
        about = json.loads(data)
    except (ValueError, RecursionError):
        raise ModelError(f"{file}: not JSON, or only a part of it") from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise ModelError(f'{file}: not the description of a model: "format" is not {FORMAT!r}')
    if about.get("version") != VERSION:
        raise ModelError(f"{file}: format version {about.get('version')!r}; this program reads version {VERSION}")

    def need(source: Any, key: str, kind: type, where: str = "") -> Any:
        value = source.get(key) if isinstance(source, dict) else None
        if not isinstance(value, kind) or isinstance(value, bool):
            raise ModelError(f"{file}: {where}{key} is {value!r}, expected {kind.__name__}")
        return value

    def widths(source: Any, key: str) -> tuple[int, ...]:
        value = need(source, key, list, "architecture.")
        if len(value) > 16 or not all(type(width) is int and 0 < width <= _MAX_WIDTH for width in value):
            raise ModelError(
                f"{file}: architecture.{key} is {value!r}, expected at most 16 widths from 1 to {_MAX_WIDTH}"
            )
        return tuple(value)

    shape = need(about, "architecture", dict)
    covers = about.get("covers", [])
    if not isinstance(covers, list) or len(covers) > _MAX_WIDTH or not all(isinstance(name, str) for name in covers):
        raise ModelError(f"{file}: covers is {str(covers)[:80]!r}, expected a list of rules hashes")
    observation_size, action_count = need(about, "observation_size", int), need(about, "action_count", int)
    if "features" in shape:

        def names(key: str) -> tuple[str, ...]:
            value = need(shape, key, list, "architecture.")
            if not 0 < len(value) <= _MAX_WIDTH or not all(isinstance(name, str) for name in value):
                raise ModelError(f"{file}: architecture.{key} is {str(value)[:80]!r}, expected a list of names")
            return tuple(value)

        width = need(shape, "width", int, "architecture.")
        if not 0 < width <= _MAX_WIDTH:
            raise ModelError(f"{file}: architecture.width is {width}, expected 1 to {_MAX_WIDTH}")
        value = ModelInfo(
            game=need(about, "game", str),
            options=need(about, "options", dict),
            rules_hash=need(about, "rules_hash", str),
            observation_size=observation_size,
            action_count=action_count,
            architecture=ValueArchitecture(names("features"), names("roles"), width),
            training=need(about, "training", dict),
            covers=tuple(covers),
        )
        return value, need(about, "weights_sha256", str)
    activation = shape.get("activation")
    if activation not in ("relu", "tanh"):
        raise ModelError(f"{file}: architecture.activation is {activation!r}, expected 'relu' or 'tanh'")
    row_width = need(shape, "row_width", int, "architecture.")
    if not 0 <= row_width <= _MAX_WIDTH:
        raise ModelError(f"{file}: architecture.row_width is {row_width}, expected 0 to {_MAX_WIDTH}")
    inputs = need(shape, "inputs", int, "architecture.")
    if not 0 <= inputs <= observation_size:
        raise ModelError(f"{file}: architecture.inputs is {inputs}, expected 0 to {observation_size}")
    listed = need(shape, "rows", list, "architecture.")
    rows = tuple(
        Rows(
            need(row, "group", str, "architecture.rows: "),
            *(need(row, key, int, "architecture.rows: ") for key in ("first_action", "count", "start", "size")),
        )
        for row in listed[:64]
    )
    for row in rows:
        if min(row.first_action, row.start) < 0 or min(row.count, row.size, row_width) < 1:
            raise ModelError(f"{file}: architecture.rows: {row.group} has an impossible size")
        if row.first_action + row.count > action_count or row.slice.stop > observation_size:
            raise ModelError(f"{file}: architecture.rows: {row.group} goes beyond the observation or the actions")
    if len({row.group for row in rows}) != len(listed):
        raise ModelError(f"{file}: architecture.rows names a group twice, or more than 64 groups")
    pool_width = need(shape, "pool_width", int, "architecture.") if "pool_width" in shape else 0
    listed = need(shape, "pools", list, "architecture.") if "pools" in shape else []
    pools = tuple(
        Pool(
            need(pool, "piece", str, "architecture.pools: "),
            *(need(pool, key, int, "architecture.pools: ") for key in ("start", "count", "size")),
        )
        for pool in listed[:64]
    )
    for pool in pools:
        if pool.start < 0 or min(pool.count, pool.size, pool_width) < 1 or pool.slice.stop > observation_size:
            raise ModelError(f"{file}: architecture.pools: {pool.piece} has an impossible size")
    if len({pool.piece for pool in pools}) != len(listed) or pool_width > _MAX_WIDTH or (pools and not shape["trunk"]):
        raise ModelError(f"{file}: architecture.pools names a piece twice, is too large, or has no trunk to go into")
    advice, scale = about.get("advice", ""), about.get("advice_scale", 1.0)
    if advice not in ("", "greedy", "scripted"):
        raise ModelError(f"{file}: advice is {advice!r}, expected greedy, scripted or nothing")
    if not isinstance(scale, int | float) or isinstance(scale, bool) or not 0 < scale < 1e9:
        raise ModelError(f"{file}: advice_scale is {scale!r}, expected a number above 0")
    info = ModelInfo(
        game=need(about, "game", str),
        options=need(about, "options", dict),
        rules_hash=need(about, "rules_hash", str),
        observation_size=observation_size,
        action_count=action_count,
        architecture=Architecture(
            widths(shape, "trunk"),
            widths(shape, "policy"),
            widths(shape, "value"),
            activation,
            row_width,
            rows,
            inputs,
            pool_width,
            pools,
        ),
        training=need(about, "training", dict),
        advice=advice,
        advice_scale=float(scale),
        covers=tuple(covers),
    )
    return info, need(about, "weights_sha256", str)


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


def load_for(
    path: str | os.PathLike[str], game: Any, *, on_mismatch: Literal["refuse", "warn"] = "refuse"
) -> tuple[Weights, ModelInfo, str]:
    """Weights, description and name of the model in a file, if it was made for `game`.

    Another game or other shapes are refused (ModelError); other rules (`rules_hash`) are refused, or with `on_mismatch="warn"` only
    warned of.
    """
    weights, info = load_model(path)
    file = _weights_file(Path(path))
    here = ModelInfo.of(game, info.architecture)
    if info.game != here.game:
        raise ModelError(f"{file}: made for {info.game}, not for {here.game}")
    if isinstance(info.architecture, ValueArchitecture):
        if info.architecture.features != game.heuristics.feature_names:
            raise ModelError(f"{file}: it values other features of a position than {here.game} has; train one again")
    else:
        for what in ("observation_size", "action_count"):
            theirs, ours = getattr(info, what), getattr(here, what)
            if theirs != ours:
                raise ModelError(f"{file}: its {what.replace('_', ' ')} is {theirs}, that of {here.game} is {ours}")
    if here.rules_hash not in (info.rules_hash, *info.covers):
        message = (
            f"{file}: trained under other rules (hash {info.rules_hash}, options {info.options}) "
            f"than these (hash {here.rules_hash}, options {here.options}); train one for these (react-env train), load the "
            'game with those options, or let it play all the same with on_mismatch="warn" (--any-rules)'
        )
        if on_mismatch != "warn":
            raise ModelError(message)
        warnings.warn(message, stacklevel=3)
    parent = file.resolve().parent.name
    return weights, info, parent if file.stem == "model" else file.stem
