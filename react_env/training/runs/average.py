"""Average the values of several training runs of a game into one, which is better than each: their errors differ (Breiman, 1996).

    python -m react_env.training.runs.average OUT runs/A runs/B ... [--width 384]

The average of the logits is one value with the hidden units of all; a policy over one of the values is left out. With --width it keeps
only so many hidden units (`react_env.training.runs.prune`), chosen in games that it plays. OUT is a folder like that of a run, with the
learning curve of the first: `agents.load` takes it, and `python -m react_env.training.runs.ship` makes it the champion.
"""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from react_env.agents.models.model import ModelInfo, ValueArchitecture, Weights, load_model, save_model
from react_env.errors import OptionError, ReactEnvError
from react_env.training.runs import progress
from react_env.training.runs.prune import prune

_TOGETHER = ("learner_steps", "seconds")  # summed over the runs


def average(models: Sequence[tuple[Weights, ModelInfo]]) -> tuple[Weights, ModelInfo]:
    """One value whose logits are the means of those of `models`; its width is the sum of theirs, and no policy stands over it.

    Raises OptionError for fewer than two, for a model that is not a learned value, and for different games, rules, features or roles.
    """
    if len(models) < 2:
        raise OptionError(f"an average needs two values or more, not {len(models)}")
    # Only the value is averaged, not a policy over it, so only the value's own training counts.
    models = [(one, replace(info, training=info.training.get("over", info.training))) for one, info in models]
    first = models[0][1]
    same = ("game", "options", "rules_hash", "observation_size", "action_count")
    shapes: list[ValueArchitecture] = []
    for _, info in models:
        shape = info.architecture
        if not isinstance(shape, ValueArchitecture):
            raise OptionError(
                f"{info.game}: a network that chooses cannot be averaged, only learned values can (--algorithm td)"
            )
        shapes.append(replace(shape, width=1, policy=0))
        other = [name for name in same if getattr(info, name) != getattr(first, name)]
        if other or shapes[-1] != shapes[0]:
            raise OptionError(
                f"these values differ in {other[0] if other else 'features or roles'}, so they have no average"
            )
    found = [weights for weights, _ in models]
    weights = {
        "linear": np.mean([one["linear"] for one in found], 0),
        "own": np.concatenate([one["own"] for one in found], 2),
        "other": np.concatenate([one["other"] for one in found], 2),
        "bias": np.concatenate([one["bias"] for one in found]),
        "out": np.concatenate([one["out"] for one in found]) / len(found),
    }
    members = [member for _, info in models for member in info.training.get("members", [info.training])]
    training = {**first.training, **{name: sum(member.get(name, 0) for member in members) for name in _TOGETHER}}
    training["members"] = members
    about = replace(first, architecture=replace(shapes[0], width=len(weights["bias"])), training=training)
    return {name: np.ascontiguousarray(value, np.float32) for name, value in weights.items()}, about


def _progress(games: int) -> Callable[[int], None]:
    """A function that prints, at each tenth, how many of the games are over."""
    told = 0

    def tick(over: int) -> None:
        nonlocal told
        if 10 * over // games > told:
            told = 10 * over // games
            print(f"{over} of {games} games are over", flush=True)

    return tick


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--width", type=int, help="how many hidden units to keep; else those of all")
    parser.add_argument("--games", type=int, default=2000, help="in which --width looks for what matters least")
    options = parser.parse_args()
    if os.path.lexists(options.out):
        parser.error(f"{options.out} is there already: name a folder that is not")
    if options.games < 1:
        parser.error("--games must be at least 1")
    try:
        weights, info = average([load_model(run) for run in options.runs])
        if options.width is not None:
            weights, info, change = prune(
                weights, info, options.width, games=options.games, tick=_progress(options.games)
            )
            print(f"{options.width} hidden units: a chance to win changes by {100 * change:.2f} points on average")
        save_model(options.out, weights, info)
    except ReactEnvError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        parser.exit(130, "interrupted\n")
    for name in (progress.FILE, "learning_curve.png"):
        if (options.runs[0] / name).exists():
            shutil.copyfile(options.runs[0] / name, options.out / name)
    print(f"{options.out}: the average of {', '.join(map(str, options.runs))}")


if __name__ == "__main__":
    main()
