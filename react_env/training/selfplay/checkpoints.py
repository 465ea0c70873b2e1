"""Checkpoints: each is a folder that is written aside and then renamed, so one with its final name is complete.

checkpoints/000001234567/
    learner.pt           tensors only: weights, Adam's moments, torch's random stream (read with weights_only=True)
    checkpoint.json      counters, pool, the other random streams
    model.safetensors    the agent at that moment, with model.json
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from react_env.agents.models.model import ModelInfo, Weights, load_model, save_model
from react_env.errors import ModelError
from react_env.extras import need
from react_env.files import write_aside, write_json
from react_env.training.algorithms.learner import Learner

with need("train", "torch"):
    import torch

KEEP = 2  # complete checkpoints to keep


def save(folder: Path, learner: Learner, weights: Weights, info: ModelInfo, extra: dict[str, Any]) -> Path:
    """Write a checkpoint of `learner`, and remove all but the newest `KEEP`.

    Raises OSError if that fails; nothing is left behind then.
    """
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{learner.steps:012d}"
    aside = folder / f".{name}.{os.getpid()}.tmp"
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir()
    try:
        tensors = {
            "policy": learner.policy.state_dict(),
            "optimizer": learner.optimizer.state_dict(),
            "torch_rng": torch.get_rng_state(),
        }
        if learner.magnet is not None:
            tensors["magnet"] = learner.magnet.state_dict()
        data = io.BytesIO()  # written below: torch reports a full disk as a RuntimeError about positions
        torch.save(tensors, data)
        write_aside(aside / "learner.pt", data.getvalue())
        save_model(aside, weights, info)
        kind, keys, position, has_gauss, cached = np.random.get_state()  # noqa: NPY002 - the stream that stable-baselines3 shuffles with
        numpy_rng = [kind, np.asarray(keys).tolist(), position, has_gauss, cached]
        write_json(
            aside / "checkpoint.json",
            {"steps": learner.steps, "updates": learner.updates, "numpy_rng": numpy_rng, **extra},
        )
        final = folder / name
        if final.exists():  # the same step once more: an interruption without progress
            before = folder / f".{name}.{os.getpid()}.before.tmp"
            shutil.rmtree(before, ignore_errors=True)
            os.replace(final, before)  # removed below: no folder with a final name is ever incomplete
        os.replace(aside, final)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)  # a full disk gets its room back
        raise
    for old in _complete(folder)[KEEP:]:
        shutil.rmtree(old, ignore_errors=True)
    for leftover in folder.glob(".*.tmp"):  # left by a run that was killed while it wrote
        shutil.rmtree(leftover, ignore_errors=True)
    return final


def restore(folder: Path, learner: Learner) -> tuple[dict[str, Any], list[str]]:
    """Put the newest usable checkpoint into `learner`. Returns its checkpoint.json with `extra`, and a line for each newer one that
    cannot be read. Raises ModelError if there is no usable one.
    """
    problems = []
    for place in _complete(folder):
        try:
            found = json.loads((place / "checkpoint.json").read_text(encoding="utf-8"))
            tensors = torch.load(place / "learner.pt", weights_only=True, map_location="cpu")
            learner.policy.load_state_dict(tensors["policy"])
            learner.optimizer.load_state_dict(tensors["optimizer"])
            if learner.magnet is not None:
                learner.magnet.load_state_dict(tensors["magnet"])
            torch.set_rng_state(tensors["torch_rng"])
            kind, keys, *rest = found["numpy_rng"]
            np.random.set_state((kind, np.asarray(keys, np.uint32), *rest))  # noqa: NPY002
            learner.steps = int(found["steps"])
            learner.updates = int(found["updates"])
        except Exception as error:  # whatever is wrong with this one, an older one may be sound
            problems.append(f"{place}: left out, it cannot be read ({type(error).__name__}: {str(error)[:120]})")
            continue
        return found, problems
    raise ModelError("; ".join([f"{folder}: there is no checkpoint to resume from", *problems]))


def newest_steps(folder: Path) -> int:
    """Learner steps of the newest complete checkpoint, or -1 if there is none."""
    return max((int(place.name) for place in _complete(folder)), default=-1)


def newest_model(folder: Path) -> Path | None:
    """The folder of the newest checkpoint whose model can be read, or None if there is none."""
    for place in _complete(folder):
        with contextlib.suppress(ModelError):
            load_model(place)
            return place
    return None


def _complete(folder: Path) -> list[Path]:
    """Complete checkpoints, the newest first."""
    with contextlib.suppress(FileNotFoundError):
        return sorted((place for place in folder.iterdir() if place.name.isdecimal()), reverse=True)
    return []
