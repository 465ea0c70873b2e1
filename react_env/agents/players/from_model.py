"""The agent that plays by a model: a network, a learned value, or a policy over the game's own value."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

from react_env.agents.models.model import ModelInfo, PolicyArchitecture, ValueArchitecture, Weights, load_for
from react_env.agents.players import champion
from react_env.agents.players.learned_value import ValueAgent, options_of
from react_env.agents.players.neural import NeuralAgent
from react_env.agents.players.policy import PolicyAgent
from react_env.agents.protocol import AnyAgent
from react_env.errors import OptionError

_HOW = re.compile(r"sample|[0-9]+|([0-9]+,)?[a-z]+=[^,]*(,[a-z]+=[^,]*)*")


def load(
    text: str, game: Any, *, threads: int = 1, on_mismatch: Literal["refuse", "warn"] = "refuse"
) -> AnyAgent | None:
    """The agent of a model's file or folder, with how it plays behind a colon, or of ``champion``; None if `text` names neither.

    OptionError or ModelError for a model that cannot be used.
    """
    name, _, argument = text.partition(":")
    if name == "champion":
        text = champion.spec(game, argument)
    place, how = split_model(text)
    if not place or not (Path(place).suffix == ".safetensors" or Path(place).is_dir()):
        return None
    weights, info, name = load_for(Path(place), game, on_mismatch=on_mismatch)
    return agent_of(game, weights, info, name=name, how=how, threads=threads)


def agent_of(
    game: Any, weights: Weights, info: ModelInfo, *, name: str = "model", how: str = "", threads: int = 1
) -> AnyAgent:
    """The agent that plays by a model: a network, a learned value of positions, or a policy over the game's own value.

    `how`: the text behind a colon after its path, "sample" or a number of worlds and options. OptionError if the model cannot play that
    way.
    """
    if isinstance(info.architecture, ValueArchitecture):
        if how == "sample":
            raise OptionError(f"{name}: a learned value has no probabilities to draw from: leave out :sample")
        return ValueAgent(game, weights, info, name=name, threads=threads, **options_of(name, how, game))
    if how not in ("", "sample"):
        raise OptionError(f"{name}: a network makes no guesses of the hidden information: leave out :{how}")
    temperature = 1.0 if how else 0.0
    if how:
        name = f"{name}:{how}"
    if isinstance(info.architecture, PolicyArchitecture):
        return PolicyAgent(game, weights, info, name=name, temperature=temperature, threads=threads)
    return NeuralAgent(weights, info, name=name, temperature=temperature, threads=threads)


def split_model(text: str) -> tuple[str, str]:
    """(the path of a model, how it plays: "sample", a number of worlds and options, or nothing)"""
    place, _, how = text.rpartition(":")
    return (place, how) if place and _HOW.fullmatch(how) else (text, "")
