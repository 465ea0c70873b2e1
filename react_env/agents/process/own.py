"""A user's own agent: a class in a Python file, `path/to/file.py:ClassName`, that runs in a process of its own.

An endless loop can then be ended, a crash harms nothing else, and nothing that the agent prints or does to its arguments reaches the games.
`multiprocessing` is not used: it would run the main script a second time, and could not start a process from a worker.
"""

from __future__ import annotations

import base64
import json
import math
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import weakref
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np
import numpy.typing as npt

from react_env.agents.arguments import split_own
from react_env.agents.process.guard import AgentFault, Fault
from react_env.agents.process.own_worker import Refused, receive, send
from react_env.agents.protocol import Actions, Masks, Memory, Observations, Players, Records
from react_env.errors import OptionError

START_SECONDS = 120.0  # for importing the file and making the agent
_END_SECONDS = 2.0  # for a process that is asked to end
_LONGEST_WAIT = 1.0  # seconds


def load(spec: str, game: Any) -> OwnAgent | OwnStateAgent:
    """The agent of the class that `spec` names, "path/to/file.py:ClassName" or "path/to/file.py:ClassName,depth=4".

    It is made as `ClassName()`, or as `ClassName(game)` if its `__init__` has a parameter without a default or one called `game`.
    Options after a comma go to its other parameters, each converted to the type of the default.

    Raises OptionError if there is no such file or class, the file cannot be imported, the class has neither `act` nor `act_states` or
    cannot be made, or it does not take an option.
    """
    file, class_name = split_own(spec)
    path = os.path.abspath(os.path.expanduser(file))
    if not os.path.isfile(path):
        raise OptionError(f"{spec}: there is no file {path}")
    about = pickle.dumps((path, class_name, (game.id, dict(game.options), game.rules_hash)))
    try:
        process, made = _started(about)
    except Refused as error:
        raise OptionError(f"{spec}: {error}") from None
    return (OwnStateAgent if made["states"] else OwnAgent)(made["name"], made["memory_per_game"], about, process)


class _Own:
    """What both kinds of own agents share: the process, which is started again after it has ended."""

    def __init__(self, name: str, memory_per_game: int, about: bytes, process: _Process) -> None:
        self.name = name
        self.memory_per_game = memory_per_game
        self.patience: float | None = None  # seconds after which a call is ended; None: never
        self._about = about
        self._process: _Process | None = process
        # One question at a time: otherwise a thread may get the answer to another thread's question.
        self._asking = threading.Lock()

    def close(self) -> None:
        """End the process; the next call starts a new one."""
        self._after_fork()
        if self._process is not None:
            self._process.end()
            self._process = None

    def __getstate__(self) -> dict[str, Any]:
        """Without the process: a copy starts one of its own."""
        return {name: value for name, value in self.__dict__.items() if name != "_asking"} | {"_process": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._asking = threading.Lock()

    def _after_fork(self) -> None:
        """In a forked child, leave the process to the parent: only a thread of the parent can ask it."""
        if self._process is not None and self._process.parent != os.getpid():
            self._process = None
            self._asking = threading.Lock()  # a thread of the parent may hold the old one

    def _ask(
        self, first: npt.NDArray[Any], second: npt.NDArray[Any], rng: np.random.Generator, memory: Memory | None
    ) -> Actions:
        question = pickle.dumps((first, second, int(rng.integers(2**63)), memory), protocol=5)
        self._after_fork()
        try:
            with self._asking:
                answer = self._answer(question)
        except AgentFault as error:
            raise AgentFault(error.fault, self.name) from None
        if memory is not None:
            memory[:] = np.frombuffer(base64.b64decode(answer["memory"]), np.float32).reshape(memory.shape)
        return np.array(answer["actions"], np.int64)

    def _answer(self, question: bytes) -> dict[str, Any]:
        """The process's answer to a question. The process is started again if it has ended."""
        if self._process is None:
            try:
                self._process, _ = _started(self._about)
            except Refused as error:
                raise AgentFault(Fault("crash", f"could not be started again: {error}", error.details)) from None
        try:
            self._process.put(question)
            answer = self._process.answer(self.patience)
        except BaseException:  # even Ctrl-C: the answer to this question must not be taken for that to the next
            self._process.kill()
            self._process = None
            raise
        if "fault" in answer:
            raise AgentFault(Fault(**answer["fault"]))
        return answer


class OwnAgent(_Own):
    """A user's own agent with `act`."""

    def act(
        self, observations: Observations, action_masks: Masks, rng: np.random.Generator, memory: Memory | None = None
    ) -> Actions:
        """As `agents.Agent.act`; the agent gets a generator that is seeded from `rng`.

        AgentFault if it raises, returns anything but (N,) integers, takes longer than `patience`, or ends its process.
        """
        return self._ask(observations, action_masks, rng, memory)


class OwnStateAgent(_Own):
    """A user's own agent with `act_states`."""

    def act_states(
        self, states: Records, players: Players, rng: np.random.Generator, memory: Memory | None = None
    ) -> Actions:
        """As `agents.StateAgent.act_states`; see `OwnAgent.act`."""
        return self._ask(states, players, rng, memory)


def _started(about: bytes) -> tuple[_Process, dict[str, Any]]:
    """A process that has made its agent, and its report on that agent. Raises Refused if it made none; the process has ended then."""
    process = _Process(about)
    try:
        made = process.answer(START_SECONDS)
    except AgentFault as error:
        if error.fault.kind == "timeout":
            raise Refused(f"it was not ready after {START_SECONDS:g} s") from None
        raise Refused(f"it {error.fault.message} before it was ready") from None
    if "refused" in made:
        process.end()
        raise Refused(made["refused"], made["details"])
    return process, made


class _Process:
    """A Python process that runs `own_worker`; a thread writes to it and reads from it, so that no caller blocks on its pipes."""

    def __init__(self, about: bytes) -> None:
        places = [place or os.getcwd() for place in sys.path]
        code = f"import sys; sys.path[:] = {places!r}; from react_env.agents.process.own_worker import main; main()"
        # The process has a group of its own, so Ctrl-C in the terminal reaches only the process that asks.
        group: dict[str, Any]
        if sys.platform == "win32":
            group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        else:
            group = {"process_group": 0}
        self._process = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, **group
        )
        self._questions: SimpleQueue[bytes | None] = SimpleQueue()
        self._answers: SimpleQueue[bytes | None] = SimpleQueue()
        threading.Thread(
            target=_exchange, args=(self._process, self._questions, self._answers), daemon=True, name="own agent"
        ).start()
        self.parent = os.getpid()
        self._kill = weakref.finalize(self, _kill, self._process, self._questions, self.parent)
        self.put(about)

    def put(self, question: bytes) -> None:
        """Send a message. Call `answer` next."""
        self._questions.put(question)

    def answer(self, seconds: float | None) -> dict[str, Any]:
        """The answer to the last message. AgentFault ("timeout" or "crash") if there is none; the process is dead then."""
        try:
            content = self._next_answer(math.inf if seconds is None else seconds)
        except Empty:
            self.kill()
            raise AgentFault(Fault("timeout", f"did not answer within {seconds:g} s")) from None
        if content is None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_SECONDS)
            code = self._process.returncode
            self.kill()
            raise AgentFault(Fault("crash", f"ended its process ({_exit_text(code)})"))
        return json.loads(content)

    def _next_answer(self, seconds: float) -> bytes | None:
        # The waits are short because a Ctrl-C that comes just before one is noticed only after it.
        end = time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            try:
                return self._answers.get(timeout=max(0.0, min(left, _LONGEST_WAIT)))
            except Empty:
                if left <= _LONGEST_WAIT:
                    raise

    def end(self) -> None:
        """Let it end, or kill it if it does not."""
        self._questions.put(None)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
        self.kill()

    def kill(self) -> None:
        """End it at once, with the processes that it started."""
        self._kill()


def _exchange(
    process: subprocess.Popen[bytes], questions: SimpleQueue[bytes | None], answers: SimpleQueue[bytes | None]
) -> None:
    """Pass on each question and its answer, or None if there is no answer."""
    assert process.stdin is not None and process.stdout is not None
    with suppress(OSError), process.stdin, process.stdout:
        while (question := questions.get()) is not None:
            try:
                send(process.stdin, question)
                answer = receive(process.stdout)
            except OSError:
                answer = None
            answers.put(answer)


def _kill(process: subprocess.Popen[bytes], questions: SimpleQueue[bytes | None], parent: int) -> None:
    """Kill a process and its group. Called at most once, at the latest when the interpreter ends. Does nothing in a fork of the parent."""
    if os.getpid() != parent:
        return
    if os.name == "posix":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
    questions.put(None)  # the thread closes the pipes and ends


def _exit_text(code: int | None) -> str:
    if code is None:
        return "its output is closed"
    if code < 0:
        return f"signal {-code}: {signal.strsignal(-code)}"
    return f"exit code {code}"
