"""Agents by name: what `agents.load` and the command line understand."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from agents.protocol import AnyAgent
from react_env.errors import OptionError


@dataclass(frozen=True)
class Entry:
    """One named agent: how it is made, and what the command line says of it."""

    make: Callable[[Any, str, int], AnyAgent]  # (game, what stands after the colon, threads)
    help: str


def _random(game: Any, argument: str, threads: int) -> AnyAgent:
    from agents.random import RandomAgent

    _no_argument("random", argument)
    return RandomAgent()


def _greedy(game: Any, argument: str, threads: int) -> AnyAgent:
    from agents.greedy import GreedyAgent

    return GreedyAgent(game, worlds=_worlds("greedy", argument), threads=threads)


def _worlds(name: str, argument: str) -> int:
    """How many guesses of what is hidden are averaged."""
    if not argument:
        return 1
    if not argument.isdigit() or not 1 <= int(argument) <= 1000:
        raise OptionError(f"{name}:{argument}: the number of worlds must be a whole number from 1 to 1000")
    return int(argument)


def _scripted(game: Any, argument: str, threads: int) -> AnyAgent:
    from agents.scripted import ScriptedAgent

    return ScriptedAgent(game, worlds=_worlds("scripted", argument), threads=threads)


def _mcts(game: Any, argument: str, threads: int) -> AnyAgent:
    from agents.search import from_argument

    return from_argument(game, argument, threads)


def _no_argument(name: str, argument: str) -> None:
    if argument:
        raise OptionError(f"{name}:{argument}: {name} takes nothing after a colon")


_AGENTS: dict[str, Entry] = {
    "random": Entry(_random, "any legal action, all equally likely"),
    "greedy": Entry(_greedy, "best own play if nobody reacts; greedy:4 averages over 4 guesses of what is hidden"),
    "scripted": Entry(_scripted, "greedy with a good player's rules of thumb: threats, tempo, what to hold"),
    "mcts": Entry(
        _mcts, "tree search over guesses of what is hidden; mcts:256 simulations or mcts:0.5s for each decision"
    ),
}


def available() -> dict[str, str]:
    """The named agents and a line on each."""
    return {name: entry.help for name, entry in _AGENTS.items()}


def load(
    spec: str | os.PathLike[str], game: Any, *, threads: int = 1, on_mismatch: Literal["refuse", "warn"] = "refuse"
) -> AnyAgent:
    """The agent that `spec` names, ready for `game`.

    `spec` is a name of `available()`, a model file (``*.safetensors``), or a folder that holds ``model.safetensors``; a model takes its
    best action, and with ``:sample`` behind the path it draws from its own probabilities. `threads`: how many a search may use.
    `on_mismatch`: whether a model of other rules is refused or only warned of.

    OptionError for an unknown name, ModelError for a file that cannot be used.
    """
    text = os.fspath(spec)
    name, _, argument = text.partition(":")
    if name in _AGENTS:
        return _AGENTS[name].make(game, argument, threads)
    place, sample = (text.removesuffix(":sample"), True) if text.endswith(":sample") else (text, False)
    path = Path(place)
    if place and (path.suffix == ".safetensors" or path.is_dir()):
        from agents.neural import NeuralAgent

        return NeuralAgent.load(path, game, temperature=1.0 if sample else 0.0, on_mismatch=on_mismatch)
    known = ", ".join(_AGENTS)
    raise OptionError(
        f"no agent is called {text!r}: use {known}, a path to a model.safetensors, or a folder that holds one"
    )
