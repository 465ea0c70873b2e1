"""Make a value narrower: remove its hidden units one by one, each time the one whose removal changes the value least.

The change is measured in positions of games that the value plays with itself. The output weights of the remaining units are fitted anew,
to do what the removed ones did as far as they can (optimal brain surgeon; Hassibi and Stork, 1993).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env import registry
from react_env.agents.models.model import Floats, ModelInfo, ValueArchitecture, Weights
from react_env.agents.players.learned_value import ValueAgent, new_params
from react_env.errors import OptionError
from react_env.training.algorithms.tables import Table, looks
from react_env.training.config import TrainConfig

_ENVS = 256  # games at once
_EXPLORATION = 0.05  # share of random decisions, so that odd positions count as well
_RIDGE = 1e-6  # share of the hidden units' mean square; keeps the inverse finite if some units are always equal
_BLOCK = 8192  # positions at once


def prune(
    weights: Weights,
    info: ModelInfo,
    width: int,
    *,
    games: int = 2000,
    seed: int = 0,
    tick: Callable[[int], None] = lambda over: None,
) -> tuple[Weights, ModelInfo, float]:
    """Return the value with `width` hidden units, its description, and the mean change of a chance to win, measured in a fifth of the
    positions, which the fit has not seen.

    `tick` is called now and then with how many of the `games` are over. Raises OptionError for anything but a value without a
    policy, and for a width that the value does not have.
    """
    shape = info.architecture
    if not isinstance(shape, ValueArchitecture) or shape.policy:
        raise OptionError("only a learned value without a policy over it can be made narrower")
    if not 1 <= width <= shape.width:
        raise OptionError(f"a width of {width}: this value can keep 1 to {shape.width} hidden units")
    features, roles = _positions(weights, info, games, seed, tick)
    unseen = np.arange(len(features)) % 5 == 0
    products = np.zeros((shape.width, shape.width))
    for hidden, _, inside in _sides(weights, features[~unseen], roles[~unseen]):
        rows = (hidden - _mean(hidden, inside))[inside].astype(np.float64)
        products += rows.T @ rows
    out, kept = _without_least(products, weights["out"].astype(np.float64), width)
    changes = []
    for hidden, linear, inside in _sides(weights, features[unseen], roles[unseen]):
        before, after = (_chances(linear + hidden @ last, inside) for last in (weights["out"], out))
        changes.append(np.abs(after - before)[inside])
    found = {
        "linear": weights["linear"],
        "own": weights["own"][:, :, kept],
        "other": weights["other"][:, :, kept],
        "bias": weights["bias"][kept],
        "out": out[kept],
    }
    training = {**info.training, "pruned": {"width": shape.width, "games": games, "seed": seed}}
    about = replace(info, architecture=replace(shape, width=len(kept)), training=training)
    return (
        {name: np.ascontiguousarray(part, np.float32) for name, part in found.items()},
        about,
        float(np.concatenate(changes).mean()),
    )


def _positions(
    weights: Weights, info: ModelInfo, games: int, seed: int, tick: Callable[[int], None]
) -> tuple[Floats, NDArray[np.int64]]:
    """Features (M, P, F) and roles (M, P) of the positions at rest in games that the value plays with itself, as in learning."""
    assert isinstance(info.architecture, ValueArchitecture)
    game = registry.load(info.game, **info.options)
    agent = ValueAgent(game, weights, info, **looks(game, TrainConfig(game=info.game, algorithm="td", minutes=1)))
    table = Table(game, min(games, _ENVS), seed=seed, threads=1)
    while (over := table.over_of(games)) < games:
        table.play(agent, _EXPLORATION)
        tick(over)
    found = table.take().finished()
    assert found is not None
    return found.features.numpy(), new_params(weights, info.architecture, game).role[found.tables.numpy()]


def _sides(
    weights: Weights, features: Floats, roles: NDArray[np.int64]
) -> Iterator[tuple[Floats, Floats, NDArray[np.bool_]]]:
    """Yield, block by block of N positions: the hidden units of each side (N, P, H), the linear part (N, P), and who is still in the
    game (N, P)."""
    known = [
        np.concatenate([weights[name], weights[name].mean(0, keepdims=True)]) for name in ("linear", "own", "other")
    ]
    for begin in range(0, len(features), _BLOCK):
        seen, played = features[begin : begin + _BLOCK], roles[begin : begin + _BLOCK]
        inside: NDArray[np.bool_] = seen.any(2) if seen.shape[1] > 2 else np.ones(seen.shape[:2], np.bool_)  # type: ignore[assignment]
        linear: Floats = np.zeros(seen.shape[:2], np.float32)
        own, of_others = np.zeros((2, *seen.shape[:2], len(weights["bias"])), np.float32)
        for role in np.unique(played):
            at = played == role
            linear[at], own[at], of_others[at] = (seen[at] @ part[role] for part in known)
        others = np.maximum(inside.sum(1, keepdims=True) - 1, 1)[:, :, None]
        against = (of_others.sum(1, keepdims=True) - of_others) / others
        yield np.maximum(own + against + weights["bias"], 0), linear, inside


def _mean(hidden: Floats, inside: NDArray[np.bool_]) -> Floats:
    """The mean (N, 1, H) over the sides in the game. Only a side's difference from it counts."""
    return (hidden * inside[:, :, None]).sum(1, keepdims=True) / inside.sum(1)[:, None, None]


def _without_least(
    products: NDArray[np.float64], out: NDArray[np.float64], width: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The output weights (H,) with all but `width` hidden units removed, and which are left; products (H, H) are sums over positions."""
    inverse = np.linalg.inv(products + _RIDGE * (np.trace(products) / len(out) + 1e-30) * np.eye(len(out)))
    out, left = out.copy(), np.arange(len(out))
    while len(left) > width:
        spread = np.diag(inverse)
        least = int((out[left] ** 2 / spread).argmin())
        column = inverse[:, least]
        out[left] -= column * (out[left[least]] / spread[least])
        out[left[least]] = 0.0
        inverse = inverse - np.outer(column, column) / spread[least]
        inverse = np.delete(np.delete(inverse, least, 0), least, 1)
        left = np.delete(left, least)
    return out, left


def _chances(strengths: NDArray[np.floating[Any]], inside: NDArray[np.bool_]) -> NDArray[np.floating[Any]]:
    """The chances to win (N, P), from the strengths (N, P) of the players who are in the game."""
    from scipy.special import softmax

    return softmax(np.where(inside, strengths, -np.inf), axis=1)
