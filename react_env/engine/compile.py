"""Compilation of the rules by Numba, with a cache on disk that cannot be stale.

`njit` compiles a function for the machine it runs on and releases the GIL. Where Numba is absent, or with ``NUMBA_DISABLE_JIT=1``,
it returns the function as it is: the same source then runs as plain Python, which is how it is debugged and covered.

Numba's own cache notices a change of the file in which a function stands, but not a change of a function that it calls in another
file. Here the folder of the cache is named by a hash of every source file of the engine and the games and of the versions of Python,
NumPy and Numba, so a compiled function is used only with the sources from which it was made. Functions of other packages (agents)
add a hash of their own file.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

# Numba types only parts of itself, and not the parts needed here.
numba: Any = None
FunctionCache: Any = object
try:
    numba = import_module("numba")
    FunctionCache = import_module("numba.core.caching").FunctionCache
except ImportError:  # pragma: no cover - the uncompiled fall-back is tested with NUMBA_DISABLE_JIT
    pass

COMPILED = numba is not None and not numba.config.DISABLE_JIT

KEPT_DAYS = 14

_PACKAGE = Path(__file__).resolve().parent.parent


@lru_cache(maxsize=1)
def source_hash() -> str:
    """Hash of the compiled sources and of the versions that compile them (16 hex digits)."""
    digest = hashlib.sha256()
    for folder in ("engine", "games"):
        for path in sorted((_PACKAGE / folder).rglob("*.py")):
            digest.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    digest.update(f"{platform.python_version()} {np.__version__} {getattr(numba, '__version__', '-')}".encode())
    digest.update(os.environ.get("NUMBA_BOUNDSCHECK", "").encode())  # a way to look for wrong indices; other code
    return digest.hexdigest()[:16]


def cache_dir() -> Path:
    """Folder of the compiled functions: ``$REACT_ENV_CACHE_DIR``, else the user's cache folder, and in it the source hash."""
    base = os.environ.get("REACT_ENV_CACHE_DIR")
    if base is None:
        base = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "react_env")
    return Path(base) / source_hash()


if COMPILED:

    class _Cache(FunctionCache):
        """Numba's cache, keyed by signature, machine and our own stamp.

        Numba also hashes the closure of a function; ours close over other compiled functions, whose pickles differ in every process.
        """

        stamp = ""

        def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
            return (sig, codegen.magic_tuple(), self.stamp)


def njit(function: Callable[..., Any] | None = None, *, name: str | None = None) -> Any:
    """Compile `function` (usable as ``@njit`` and ``@njit(name=...)``).

    `name` tells apart functions made by one factory, for instance the same loop over the rules of two games.
    """
    if function is None:
        return lambda f: njit(f, name=name)
    if not COMPILED:
        return function
    if name is not None:
        function.__qualname__ = name
    dispatcher = numba.njit(nogil=True, no_cfunc_wrapper=True)(function)
    saved = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_dir())
    try:
        dispatcher._cache = _Cache(function)
    except RuntimeError:  # no file to locate, or nowhere to write: compile in every process
        return dispatcher
    finally:
        numba.config.CACHE_DIR = saved
    path = Path(function.__code__.co_filename).resolve()
    if not path.is_relative_to(_PACKAGE):
        dispatcher._cache.stamp = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    return dispatcher


def forget_old() -> None:
    """Remove what other versions of the sources left in the cache and nobody compiled or used for `KEPT_DAYS` days."""
    limit = time.time() - KEPT_DAYS * 86_400
    for folder in cache_dir().parent.glob("[0-9a-f]" * 16):
        try:
            if folder != cache_dir() and folder.stat().st_mtime < limit:
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            pass


def announce(game_id: str) -> Callable[[], None]:
    """Say on stderr that a first compilation begins; call the result when it is done, so that later starts stay silent."""
    marker = cache_dir() / f"{game_id}.compiled"
    if not COMPILED or marker.exists():
        return lambda: None
    print(f"react_env: compiling {game_id} for this machine (once, up to a minute) ...", file=sys.stderr, flush=True)

    def done() -> None:
        try:
            marker.parent.mkdir(parents=True, exist_ok=True)
            marker.touch()
        except OSError:
            pass
        print("react_env: compiled.", file=sys.stderr, flush=True)
        forget_old()

    return done
