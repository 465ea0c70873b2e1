"""Compilation of the rules by Numba, with a cache on disk that cannot go stale.

`njit` compiles a function for the machine it runs on and releases the GIL. Without Numba, or with ``NUMBA_DISABLE_JIT=1``, it returns the
function unchanged: the same source then runs as plain Python, for debugging and for measuring coverage.

Numba's own cache knows a function by the path and the time of its file: it does not notice that a called function in another file has
changed, and it compiles again for every copy of the sources. Here a compiled function is known by what it was compiled from (see
`fingerprint`): its own code, the constants that it reads, and the same for every function that it calls. So it is found wherever the
sources lie, and if a function changes, only that function and its callers are compiled again.
"""

from __future__ import annotations

import gc
import hashlib
import mmap
import os
import platform
import re
import shutil
import signal
import sys
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any, NoReturn

import numpy as np

from react_env.engine.fingerprint import FINGERPRINTS, UnknownConstantError, fingerprint, type_text
from react_env.processors import processors

# Numba has type hints only for parts of itself, not for those needed here.
numba: Any = None
Listener: Any = object
try:
    numba = import_module("numba")
    Listener = import_module("numba.core.event").Listener
except ImportError:  # pragma: no cover - the uncompiled fall-back is tested with NUMBA_DISABLE_JIT
    pass

COMPILED = numba is not None and not numba.config.DISABLE_JIT

if COMPILED:
    from react_env.engine import linking

KEPT_DAYS = 14
# Files that compiled code depends on besides its own source: those that compile it, and those with code for LLVM, which a fingerprint
# knows only by name.
HOW = ("bits.py", "compile.py", "fingerprint.py", "linking.py", "memory.py", "turns.py")
_HASH = 32  # bytes of a hash
# Names of the files of `linking.Function`, finished or written aside, and of folders of agents from other machines (evaluation/cluster.py).
_OURS = re.compile(r".+-[0-9a-f]{32}[na]*-[0-9a-f]{8}\.(part|whole)(\.[0-9a-f]{8})?|agent-[0-9a-f]{16}")
SILENT_SECONDS = 1.0  # of compiling in one process, before anything is said


def cache_dir() -> Path:
    """Folder of the compiled functions: ``$REACT_ENV_CACHE_DIR``, else react_env in the user's cache folder."""
    named = os.environ.get("REACT_ENV_CACHE_DIR")  # empty is as good as not set
    base = os.path.expanduser(named or os.path.join(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "react_env"))
    return Path(os.devnull if base.startswith("~") else base)  # without a home nothing is kept


@lru_cache(maxsize=1)
def _circumstances() -> str:
    """What else compiled code depends on: versions, and the way it is compiled."""
    llvm = import_module("llvmlite").__version__
    versions = f"{platform.python_version()} {np.__version__} {numba.__version__} {llvm} {numba.config.OPT!r}"
    bounds = os.environ.get("NUMBA_BOUNDSCHECK", "")  # checks indices, by other code
    how = hashlib.sha256()
    for name in HOW:
        how.update(Path(__file__).with_name(name).read_bytes())
    return f"{versions} {bounds} {how.hexdigest()}"


class Store:
    """The compiled functions on disk, in files whose names hash everything that they depend on.

    There is no index that two processes could write at once. What cannot be read is compiled; what cannot be written is compiled again
    next time. A file ends with the hash of its contents, because damaged code might still load, and could do anything.

    Attributes:
        failure: why something could not be written; "" once this has been reported.
    """

    failure = ""

    def identity(self, function: FunctionType, types: tuple[Any, ...]) -> str:
        """Hash of a function, the types that it is called with, and what else the result depends on; "" if it has no fingerprint."""
        try:
            known = (fingerprint(function), [type_text(given) for given in types], _circumstances())
        except UnknownConstantError:
            return ""
        return hashlib.sha256(repr(known).encode()).hexdigest()[:32]

    def has(self, name: str) -> bool:
        """Whether there is such a file."""
        return (cache_dir() / name).exists()

    def read(self, name: str) -> bytes:
        """The contents of a file. Raises OSError, or ValueError if it is damaged."""
        file = cache_dir() / name
        data, known = (whole := file.read_bytes())[:-_HASH], whole[-_HASH:]
        if hashlib.sha256(data).digest() != known:
            raise ValueError(f"{file}: damaged")
        with suppress(OSError):  # a read-only cache, such as another user's, serves as well
            if file.stat().st_mtime < time.time() - 86_400:
                file.touch()  # it is used: see `forget_old`
        return data

    def write(self, name: str, data: bytes) -> None:
        """Write a file aside and rename it. If that is not possible, `failure` says why."""
        file = cache_dir() / name
        aside = file.with_name(f"{name}.{uuid.uuid4().hex[:8]}")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            try:
                aside.write_bytes(data + hashlib.sha256(data).digest())
                aside.replace(file)
            finally:
                aside.unlink(missing_ok=True)
        except OSError as error:
            self.failure = f"{cache_dir()}: {error.strerror}"


def njit(function: Callable[..., Any] | None = None, *, name: str | None = None, noalias: bool = False) -> Any:
    """Compile `function` (usable as ``@njit`` and ``@njit(name=...)``).

    Args:
        name: for functions made by a factory, the name in messages and in the cache. It tells, for instance, the loops over the rules of
            two games apart.
        noalias: the arguments share no memory, so after a write to one of them nothing need be read again from another.
    """
    if function is None:
        return lambda f: njit(f, name=name, noalias=noalias)
    if not COMPILED:
        return function
    if name is not None:
        function.__qualname__ = name
    return linking.Function(function, _STORE, noalias, nogil=True, no_cfunc_wrapper=True)


_STORE = Store()


def forget_old() -> None:
    """Remove from the cache what was not compiled or used for `KEPT_DAYS` days. Other files in the same folder stay."""
    limit = time.time() - KEPT_DAYS * 86_400
    for found in cache_dir().glob("*"):
        with suppress(OSError):
            if _OURS.fullmatch(found.name) and found.stat().st_mtime < limit:
                shutil.rmtree(found) if found.is_dir() else found.unlink()


class Announcer(Listener):
    """Says on stderr that something is being compiled once that takes long, and on a terminal how much is done."""

    def __init__(self) -> None:
        self.topic = ""
        # How many fingerprints were known when the topic began; the functions of all later ones are compiled or loaded for it.
        self.known = 0
        self._depth = 0
        self._begun = 0.0
        # The event of the function that was called. Compiling it compiles others too, including Numba's own.
        self._outermost: Any = None
        self._spent = 0.0
        self._collects = True  # whether Python collects garbage while nothing is compiled
        self._line = ""  # the message that has been begun and not ended
        self._finished = 0
        self._share = 0.0  # of the topic that is done, as last shown

    def on_start(self, event: Any) -> None:
        if self._depth == 0:
            self._begun = time.monotonic()
            self._outermost = event
            self._collects = gc.isenabled()
            _begin()
            gc.disable()  # nothing of Numba's is garbage yet, and looking for it takes a tenth of the time
        self._depth += 1
        # Without standard error (Windows without a console) there is nobody to tell.
        if sys.stderr and not self._line and self._spent + time.monotonic() - self._begun > SILENT_SECONDS:
            what = self.topic
            if not what:  # the function's own name means nothing to a player
                module = self._outermost.data["dispatcher"].py_func.__module__.removeprefix("react_env.")
                what = {"agents": "an agent", "games": "a game"}.get(module.partition(".")[0], "code")
            self._line = f"react_env: compiling {what} for this machine (once, up to a minute) ..."
            print(self._line, end="" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        self._finished += 1
        self.show()
        if self._depth == 0:
            if self._collects:
                gc.enable()
            self._spent += time.monotonic() - self._begun
            if not self.topic:
                self.done(getattr(event, "_exc_details", None) is None)  # Numba's `is_failed` says the opposite

    def show(self) -> None:
        """Show on a terminal how much is done: of the functions here and, if there is a team, of its tasks too."""
        if not self._line or not (sys.stderr and sys.stderr.isatty()):
            return
        share = min(1.0, self._finished / max(1, len(FINGERPRINTS) - self.known))
        if _team is not None:
            share = (share + _team.finished()) / (1 + len(_team.tasks))
        self._share = max(self._share, min(0.99, share))
        print(f"\r{self._line} {self._share:.0%} ", end="", file=sys.stderr, flush=True)

    def done(self, finished: bool = True) -> None:
        """End the message: compiling is finished for now, or was given up because of an error or Ctrl-C."""
        if self._line and sys.stderr:
            if sys.stderr.isatty():
                line = f"\r{self._line} {'done' if finished else 'stopped'}"
            else:
                line = "react_env: compiled." if finished else "react_env: compiling was stopped."
            print(line, file=sys.stderr, flush=True)
            if _STORE.failure:
                print(
                    f"react_env: it cannot be kept for the next time ({_STORE.failure}); "
                    "REACT_ENV_CACHE_DIR can name another folder",
                    file=sys.stderr,
                    flush=True,
                )
                _STORE.failure = ""
            forget_old()
        self._line, self._finished, self.known = "", 0, len(FINGERPRINTS)
        self._share = self._spent = 0.0

    def reset(self) -> None:
        """Begin anew in a process that has just been forked from one that compiles."""
        self.__init__()  # type: ignore[misc]
        self.topic = "ahead"


if COMPILED:
    _announcer = Announcer()
    numba.core.event.register("numba:compile", _announcer)


@contextmanager
def announced(topic: str) -> Iterator[None]:
    """Name what is compiled in this context, for messages on stderr. Within another such context, the outer one's topic stays.

    Without a topic, compiling that takes long is announced too, but function by function.
    """
    if not COMPILED or _announcer.topic:
        yield
        return
    _announcer.topic, _announcer.known = topic, len(FINGERPRINTS)
    finished = False
    try:
        yield
        finished = True
    finally:
        _announcer.topic = ""
        _announcer.done(finished)


Task = Callable[[], object]  # compiles something, by a call or by making an object that compiles its functions


class Team:
    """Processes that each take the next task from one list: this process and, after `fork`, others beside it."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.tasks = list(tasks)[:256]  # a number is a byte
        self._process = os.getpid()
        self._children: list[int] = []
        self.forked = False
        self._finished = mmap.mmap(-1, max(1, len(self.tasks)))  # shared: a byte for each task
        self._numbers, pipe = os.pipe()
        os.write(pipe, bytes(range(len(self.tasks))))
        os.close(pipe)

    def fork(self) -> None:
        """Start to work in other processes, one for each processor besides the one in use.

        None are started if this process has other threads, which may hold locks that a copy of the process would wait for, or if
        processes cannot be forked.
        """
        self.forked = True
        if not hasattr(os, "fork") or threading.active_count() > 1:
            return
        for _ in range(min(processors() - 1, len(self.tasks))):
            with warnings.catch_warnings():
                # Since Python 3.12 a fork also warns about threads that are not Python's, such as those of a matrix library.
                warnings.simplefilter("ignore", DeprecationWarning)
                process = os.fork()
            if process == 0:  # pragma: no cover - a process beside the first
                self._be_beside()
            self._children.append(process)

    def _be_beside(self) -> NoReturn:  # pragma: no cover
        try:
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(self._numbers, 3)
            for stream in range(3):
                os.dup2(null, stream)
            os.closerange(4, 4096)  # or others wait for pipes to close that are still open here
            self._numbers = 3
            _announcer.reset()
            self.work()
        finally:
            os._exit(0)

    def work(self) -> None:
        """Do tasks until every one has been begun. What fails is compiled again where it is needed, and the error is raised there.

        The other processes stop when the first one is gone.
        """
        while self._process in (os.getpid(), os.getppid()) and (number := os.read(self._numbers, 1)):
            with suppress(Exception):
                self.tasks[number[0]]()
            self._finished[number[0]] = 1

    def finished(self) -> int:
        """How many tasks are done."""
        return sum(self._finished[: len(self.tasks)])

    def wait(self) -> None:
        """Wait until the other processes have finished what they have begun."""
        while self._children:
            with suppress(ChildProcessError):
                if os.waitpid(self._children[-1], os.WNOHANG) == (0, 0):
                    time.sleep(0.02)
                    _announcer.show()
                    continue
            self._children.pop()

    def close(self) -> None:
        """End the other processes, whatever they are doing."""
        for process in self._children:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.wait()
        os.close(self._numbers)


_offered: list[Sequence[Task]] = []  # the tasks of the open contexts of `ahead`
_team: Team | None = None
_later = False


def _begin() -> None:
    """Called when something must be compiled: start the tasks of `ahead` too, if there are any."""
    global _team
    if _offered and _team is None:
        _team = Team([task for tasks in reversed(_offered) for task in tasks])
    if _team is not None and not _team.forked:
        _team.fork()


@contextmanager
def ahead(tasks: Sequence[Task], topic: str, *, rest: bool = True) -> Iterator[None]:
    """While this context is open, other processes compile what will be needed next, each on a processor that is free.

    They put what they compile into the cache, and whatever goes wrong in them costs only time. They start when something is not in the
    cache. The context ends when all is done. `topic` is what messages say is being compiled.

    Args:
        tasks: the most useful first. They run in copies of this process, made when it begins to compile.
        rest: True: this process does the tasks that nobody has begun when the context ends. False: they are left until they are needed.
    """
    global _team
    if not COMPILED or _team is not None:  # within a team all is part of its work
        yield
        return
    with announced(topic):
        _offered.append(tasks)
        first = len(_offered) == 1
        try:
            yield
            if first and rest:
                if _team is None:
                    _team = Team(tasks)
                _team.work()
            if first and _team is not None:
                _team.wait()
        finally:
            _offered.pop()
            if first and _team is not None:
                _team.close()
                _team = None


@contextmanager
def later() -> Iterator[None]:
    """Games that are loaded in this context are not compiled yet; `Game.compile` does that."""
    global _later
    before, _later = _later, True
    try:
        yield
    finally:
        _later = before


def compiled_when_loaded() -> bool:
    """Whether a game is to be compiled when it is loaded; see `later`."""
    return not _later


def kept(function: Any, arguments: tuple[Any, ...]) -> None:
    """Compile a function of `njit` for arguments of these types, without calling it, unless it is compiled or in the cache already."""
    types = tuple(numba.typeof(value) for value in arguments)
    if not function.is_kept(types):
        function.compile(types)
