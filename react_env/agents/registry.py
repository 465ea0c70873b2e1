"""Agents by name, as `agents.load` and the command line take them."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from react_env.agents.arguments import no_argument, split_own
from react_env.agents.protocol import AnyAgent, what_lacks
from react_env.engine.batch import check_count
from react_env.engine.game import a_game
from react_env.errors import ModelError, OptionError
from react_env.registry import described


@dataclass(frozen=True)
class Entry:
    """One named agent: its help text, the module of its code, and how it is made."""

    help: str
    module: str
    # (game, the text after the colon, threads) -> the agent. None: `from_argument` of the module makes it; only then is it imported.
    make: Callable[..., AnyAgent] | None = None
    # (game, the text after the colon) -> the spec of the agent or model that this agent stands for or uses, or ""
    made_from: Callable[[Any, str], str] | None = None
    has_model: bool = False  # it may have been trained under other rules, so `make` also takes on_mismatch


def _network(game: Any, argument: str) -> str:
    from react_env.agents.search.mcts import network_of

    return network_of(argument)


def _level(name: str, stronger: str) -> Entry:
    """The entry of a level, which plays as `_level_is` says. `stronger`: the next level up."""

    def make(game: Any, argument: str, threads: int) -> AnyAgent:
        from react_env.agents.players.levels import Careless

        spec, slips = _level_is(name, game, argument)
        agent = load(spec, game, threads=threads)
        return Careless(game, agent, name=name, slips=slips) if slips else _renamed(agent, name)  # type: ignore[arg-type]

    def made_from(game: Any, argument: str) -> str:
        return _level_is(name, game, argument)[0]

    return Entry(
        f"a level: about one game in four against {stronger}", "react_env.agents.players.levels", make, made_from
    )


def _level_is(name: str, game: Any, argument: str) -> tuple[str, float]:
    """The agent that plays at a level, and the share of its decisions in which it takes a random legal action. In place of a champion that
    was not trained for these rules, the level's usual agent."""
    from react_env.agents.players.champion import knows

    no_argument(name, argument)
    usual = {
        "easy": ("greedy", SLIPS),
        "medium": ("scripted" if game.heuristics.by_hand else "greedy", 0.0),
        "hard": ("champion" if knows(game) else HARD, 0.0),
    }
    found = described(game.id).levels.get(name, usual[name])
    return usual[name] if found[0].startswith("champion") and not knows(game) else found


def _champion(game: Any, argument: str, threads: int, on_mismatch: Literal["refuse", "warn"]) -> AnyAgent:
    agent = load(_champion_is(game, argument), game, threads=threads, on_mismatch=on_mismatch)
    return _renamed(agent, f"champion:{argument}" if argument else "champion")


def _champion_is(game: Any, argument: str) -> str:
    from react_env.agents.players.champion import spec

    model = spec(game, argument)
    return model if argument else described(game.id).champion or model


def _renamed(agent: AnyAgent, name: str) -> AnyAgent:
    agent.name = name
    return agent


HARD = "mcts:256"
SLIPS = 0.3  # of an easy player, unless the game's description says otherwise
_AGENTS: dict[str, Entry] = {
    "random": Entry("any legal action, all equally likely", "react_env.agents.players.uniform"),
    "greedy": Entry(
        "best own play if nobody reacts; greedy:4 averages over 4 guesses of what is hidden",
        "react_env.agents.players.greedy",
    ),
    "scripted": Entry(
        "greedy with a good player's rules of thumb: threats, tempo, what to hold",
        "react_env.agents.players.scripted",
    ),
    "flat": Entry(
        "plays on after each legal action, equally often; flat:200 simulations for each decision",
        "react_env.agents.search.flat",
    ),
    "mcts": Entry(
        "tree search over guesses of what is hidden; mcts:256 simulations or mcts:0.5s for each decision, "
        "mcts:256,net=MODEL with a network",
        "react_env.agents.search.mcts",
        made_from=_network,
        has_model=True,
    ),
    "easy": _level("easy", "medium"),
    "medium": _level("medium", "hard"),
    "hard": _level("hard", "the champion, where there is one"),
    "champion": Entry(
        "what was trained best so far, and ships with the library",
        "react_env.agents.players.champion",
        _champion,
        _champion_is,
        has_model=True,
    ),
}
_BLIND = ("random", "greedy")  # of a game they use at most the quick value
_SEARCHES = ("flat", "mcts")  # their usual options may be those of a game


def available() -> dict[str, str]:
    """Name of each built-in agent -> one line about it."""
    return {name: entry.help for name, entry in _AGENTS.items()}


def load(
    spec: str | os.PathLike[str], game: Any, *, threads: int = 1, on_mismatch: Literal["refuse", "warn"] = "refuse"
) -> AnyAgent:
    """The agent that `spec` names, ready for `game`.

    `spec` is a name of `available()`; a model file (``*.safetensors``), or a folder that holds ``model.safetensors``; or a class of your
    own in a Python file, ``path/to/file.py:ClassName`` (that file is run; see `agents.process.own`). A model takes its best action.
    With ``:sample`` after the path, a network draws from its own probabilities. With a number, a learned value averages over that many
    guesses of the hidden information; with ``:1,width=0`` it looks at one play instead of its whole turn, which is fast. `threads`:
    how many threads a search may use. `on_mismatch`: refuse a model trained under other rules, or only warn.

    Raises OptionError for an unknown name or a class that cannot be used, ModelError for a file that cannot be used, BatchError for an
    impossible number of threads.
    """
    if not isinstance(spec, (str, os.PathLike)):
        raise OptionError(
            f"an agent is loaded by its name or its file, and for a game; found {spec!r:.80}{what_lacks(spec)}"
        )
    a_game(game)
    check_count("threads", threads)
    text = os.fspath(spec)
    name, _, argument = text.partition(":")
    if name in _AGENTS:
        entry = _AGENTS[name]
        make = entry.make or import_module(entry.module).from_argument
        return make(game, argument, threads, **({"on_mismatch": on_mismatch} if entry.has_model else {}))
    file, of_file = split_own(text)
    if file:
        from react_env.agents.process.own import load as load_own

        own = load_own(text, game)
        if own.name.partition(":")[0] in _AGENTS:  # in tables it would pass for the built-in agent
            own.name = f"{Path(file).name}:{of_file}"
        return own
    from react_env.agents.players.from_model import load as load_model_agent

    agent = load_model_agent(text, game, threads=threads, on_mismatch=on_mismatch)
    if agent is None:
        raise _unknown(text)
    return agent


def check_spec(spec: str) -> None:
    """Raise OptionError unless `spec` is the name of a built-in agent, a model, or names a file that exists; ModelError for a model that
    cannot be read. This needs no game."""
    from react_env.agents.models.model import load_model
    from react_env.agents.players.from_model import split_model

    if spec.partition(":")[0] in _AGENTS:
        return
    own, of_file = split_own(spec)
    place = Path(own or split_model(spec)[0]).expanduser()
    if not place.exists() or not (own or place.is_dir() or place.suffix == ".safetensors"):
        raise _unknown(spec)
    if not own:
        load_model(place)
    elif not of_file:
        raise OptionError(f"{spec}: which class? Write {place.name}:NAME")


def fingerprint(spec: str | os.PathLike[str], game: Any) -> str:
    """16 hex digits that change with `spec` and with the code that chooses actions and values positions.

    For a named agent that is its code, what it uses of `react_env.agents`, and the model that it plays by, if any; for a model, its
    weights and the code that plays by them, but not its path; for searches and models also the options that the game gives to searches;
    for an own agent, its .py file, but not what that file imports or reads.
    OptionError for an unknown name, OptionError or ModelError for a file that does not exist.
    """
    from react_env.agents.players.from_model import split_model

    text = os.fspath(spec)
    name = text.partition(":")[0]
    own = bool(split_own(text)[0])
    named = name in _AGENTS or own
    digest = hashlib.sha256((text if named else split_model(text)[1]).encode(errors="surrogatepass"))
    for file in _files(text, game):
        if not file.is_file():
            raise (OptionError if own else ModelError)(f"{file}: no such file")
        digest.update(b"\0" + file.read_bytes())
    if (name in _SEARCHES or not named) and game.heuristics.search:
        digest.update(b"\0" + repr(sorted(game.heuristics.search.items())).encode())
    made_from = _AGENTS[name].made_from if name in _AGENTS else None
    if made_from is not None and (other := made_from(game, text.partition(":")[2])):
        digest.update(b"\0" + fingerprint(other, game).encode())
    return digest.hexdigest()[:16]


def _files(text: str, game: Any) -> list[Path]:
    """The files on which an agent's choices depend, except those of the agent or model that it is made from."""
    from react_env.agents.players.from_model import split_model

    name = text.partition(":")[0]
    if name in _AGENTS:
        return sorted(_sources(_AGENTS[name].module)) + _heuristics(game, name not in _BLIND)
    if own := split_own(text)[0]:
        return [Path(own).expanduser()]
    model = Path(split_model(text)[0])
    if model.is_dir():
        model = model / "model.safetensors"
    if model.suffix != ".safetensors":
        raise _unknown(text)
    from react_env.agents.models.model import Architecture, PolicyArchitecture, load_model

    known = game.heuristics
    try:
        shape = load_model(model)[1].architecture
    except ModelError:  # a file that cannot be used
        shape = Architecture()
    if isinstance(shape, Architecture):
        return [*sorted(_sources("react_env.agents.players.neural")), model]
    module = "policy" if isinstance(shape, PolicyArchitecture) else "learned_value"
    return [
        *sorted(_sources(f"react_env.agents.players.{module}")),
        model,
        *([_file_of(known.features)] if known.features else []),
        *(_heuristics(game, False) if shape.policy else []),  # for the action features that a policy is given
    ]


def _heuristics(game: Any, all_of_them: bool) -> list[Path]:
    """The files of the game's quick value and, if wanted, of its value and prior."""
    known = game.heuristics
    files = [_file_of(f) for f in (known.quick, *((known.value, known.prior) if all_of_them else ())) if f is not None]
    return [*files, *(known.value_files if all_of_them else ())]


def _file_of(function: Any) -> Path:
    return Path(getattr(function, "py_func", function).__code__.co_filename)


def _sources(module: str, found: set[str] | None = None) -> set[Path]:
    """The files of a module and of all modules of `react_env.agents` that it imports from, directly or not."""
    found = set() if found is None else found
    found.add(module)
    import_module(module)
    files = {Path(str(sys.modules[module].__file__))}
    for value in vars(sys.modules[module]).values():
        name = str(value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", ""))
        if name not in found and name in sys.modules and name.startswith("react_env.agents."):
            files |= _sources(name, found)
    return files


def _unknown(text: str) -> OptionError:
    near = get_close_matches(text.partition(":")[0].lower(), _AGENTS, 1)
    hint = f"did you mean {near[0]}? There are" if near else "use"
    return OptionError(
        f"no agent is called {text!r}: {hint} {', '.join(_AGENTS)}, a path to a model.safetensors, "
        f"a folder that holds one, or a class of your own, my_agent.py:MyAgent{what_lacks(text)}"
    )
