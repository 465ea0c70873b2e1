"""The process in which a user's own agent runs (`agents.process.own`). It answers on what was its standard output until its input ends.

A message is its length (8 bytes) and then its content: a pickle on the way in, JSON on the way out, so the agent cannot run code in the
process that asks. What the agent prints goes to standard error.
"""

from __future__ import annotations

import base64
import importlib.util
import inspect
import json
import os
import pickle
import struct
import sys
import threading
import time
from dataclasses import asdict
from difflib import get_close_matches
from importlib.machinery import SourceFileLoader
from pathlib import Path
from queue import SimpleQueue
from types import CodeType, ModuleType
from typing import IO, Any

import numpy as np

from react_env.agents.arguments import read
from react_env.agents.process.guard import AgentFault, integers, raised
from react_env.agents.protocol import ask, memory_per_game, uses_states
from react_env.errors import OptionError

_LENGTH = struct.Struct("<Q")
_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_NEEDED = "act(self, observations, action_masks, rng)"


def send(stream: IO[bytes], content: bytes) -> None:
    """Write one message."""
    stream.write(_LENGTH.pack(len(content)))
    stream.write(content)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """The next message; None if the stream ends, even in the middle of a message."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (size,) = _LENGTH.unpack(head)
    content = stream.read(size)
    return content if len(content) == size else None


class Refused(Exception):
    """The class cannot be used. The text says why; `details` is the traceback of what it raised, or ""."""

    def __init__(self, text: str, details: str = "") -> None:
        super().__init__(text)
        self.details = details


def main() -> None:
    """Make the agent that the first message names, then answer each further message with its actions or its fault."""
    answers = os.fdopen(os.dup(1), "wb")
    questions = os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    inbox: SimpleQueue[bytes | None] = SimpleQueue()

    def listen() -> None:
        while (message := receive(questions)) is not None:
            inbox.put(message)
        inbox.put(None)
        time.sleep(1)
        os._exit(0)  # the process that asked is gone: even an agent that hangs ends now

    threading.Thread(target=listen, daemon=True).start()
    message = inbox.get()
    if message is None:
        return
    path, what, game = pickle.loads(message)
    class_name, *options = what.split(",")
    try:
        agent = _make(_class(path, class_name), path, game, options)
        size = memory_per_game(agent)
        _check_call(agent, size > 0)
    except (Refused, OptionError) as error:
        send(answers, json.dumps({"refused": str(error), "details": getattr(error, "details", "")}).encode())
        return
    own_name = getattr(agent, "name", None)
    name = " ".join(own_name.split()) if isinstance(own_name, str) else ""
    made = {"name": ",".join([name or class_name, *options]), "states": uses_states(agent), "memory_per_game": size}
    send(answers, json.dumps(made).encode())
    while (message := inbox.get()) is not None:
        send(answers, json.dumps(_answer(agent, path, *pickle.loads(message))).encode())


def _answer(agent: Any, path: str, first: Any, second: Any, seed: int, memory: Any) -> dict[str, Any]:
    try:
        actions = integers(ask(agent, first, second, np.random.default_rng(seed), memory), len(first))
        kept = {} if memory is None else {"memory": base64.b64encode(memory.tobytes()).decode()}
        return {"actions": actions.tolist(), **kept}
    except AgentFault as error:
        fault = error.fault
    except BaseException as error:
        fault = raised(error, path)
    return {"fault": asdict(fault)}


class _AsItIs(SourceFileLoader):
    """Runs the source of a file, never cached bytecode, which may be of another version of the same second and length."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def _class(path: str, name: str) -> type:
    """A class of a Python file. The file is run as `python FILE` would run it, except that it is not `__main__`."""
    file = os.path.basename(path)
    sys.path.insert(0, os.path.dirname(path))
    module_name = Path(path).stem
    if module_name in sys.modules:
        module_name = f"own_{module_name}"
    spec = importlib.util.spec_from_file_location(module_name, path, loader=_AsItIs(module_name, path))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        fault = raised(error, path)
        raise Refused(f"cannot be imported: it {fault.message}", fault.details) from None
    found = getattr(module, name, None)
    if not isinstance(found, type):
        classes = _classes(module)
        there = f"the classes of {file}: {', '.join(classes)}" if classes else f"there are no classes in {file}"
        if not name:
            raise Refused(f"which class? Write {file}:NAME; {there}")
        near = get_close_matches(name, classes, 1)
        if near:
            there = f"did you mean {near[0]}? {there[0].upper()}{there[1:]}"
        raise Refused(f"there is no class {name}; {there}")
    if not callable(getattr(found, "act", None)) and not callable(getattr(found, "act_states", None)):
        raise Refused(f"the class has no act: an agent needs {_NEEDED}, which returns one legal id for each row")
    return found


def _classes(module: ModuleType) -> list[str]:
    """The names of the classes that a module defines."""
    return [n for n, value in vars(module).items() if isinstance(value, type) and value.__module__ == module.__name__]


def _make(cls: type, path: str, game: tuple[str, dict[str, Any], str], options: list[str]) -> Any:
    """An object of the class. It gets the game if it asks for it, and `options` such as depth=4 as keywords."""
    try:
        parameters = list(inspect.signature(cls).parameters.values())
    except (TypeError, ValueError):  # a class without a signature, made in C
        parameters = []
    usual = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    wanted = [p for p in parameters if p.kind not in usual and (p.default is p.empty or p.name == "game")]
    if len(wanted) > 1:
        names = ", ".join(p.name for p in wanted)
        raise Refused(f"__init__ takes {names}: it may take nothing, or the game alone; others need defaults")
    known = {p.name: p.default for p in parameters if p.kind in _BY_NAME and p not in wanted}
    try:
        keywords = read(cls.__name__, options, known)
    except OptionError as error:
        raise Refused(str(error) if known else f"{cls.__name__} takes no options, such as {options[0]!r}") from None
    arguments = []
    if wanted and wanted[0].kind is inspect.Parameter.KEYWORD_ONLY:
        keywords[wanted[0].name] = _load(game)
    elif wanted:
        arguments.append(_load(game))
    try:
        return cls(*arguments, **keywords)
    except BaseException as error:
        fault = raised(error, path)
        raise Refused(f"could not be made: it {fault.message}", fault.details) from None


def _check_call(agent: Any, remembers: bool) -> None:
    """Raise Refused if the agent's method does not take the arguments that it will get."""
    name, first = ("act_states", "states, players") if uses_states(agent) else ("act", "observations, action_masks")
    needed = f"{first}, rng" + (", memory" if remembers else "")
    try:
        signature = inspect.signature(getattr(agent, name))
    except (TypeError, ValueError):  # made in C
        return
    try:
        signature.bind(*needed.split(", "))
    except TypeError:
        why = ", for memory_per_game is set" if remembers else ""
        raise Refused(f"{name} takes {signature}: it must take ({needed}){why}") from None


def _load(game: tuple[str, dict[str, Any], str]) -> Any:
    import react_env
    from react_env.errors import ReactEnvError

    game_id, options, rules_hash = game
    try:
        loaded = react_env.load(game_id, **options)
    except ReactEnvError as error:
        raise Refused(f"its __init__ takes the game, which cannot be loaded in its process: {error}") from None
    if loaded.rules_hash != rules_hash:
        raise Refused("its __init__ takes the game, whose files have changed since it was loaded")
    return loaded
