"""What is installed only on request: packages that come with an extra of react_env (pyproject.toml)."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec

from react_env.errors import MissingPackage

# The packages that each extra brings, by the names that are imported.
EXTRAS = {
    "eval": ("scipy", "matplotlib", "openskill", "jinja2", "optuna"),
    "train": ("torch", "stable_baselines3", "sb3_contrib", "tensorboard", "scipy", "matplotlib", "jinja2"),
    "render": ("PIL", "matplotlib"),
    "ray": ("ray",),
    "web": ("fastapi", "uvicorn", "websockets"),
    "openspiel": ("pyspiel", "open_spiel"),
    "peers": ("pyspiel", "open_spiel", "rlcard"),
}


def need(extra: str, *packages: str) -> AbstractContextManager[None]:
    """Check that `packages` are installed, by default all that the extra brings. Call it before importing them, or before long work that
    needs them.

    Imports at the top of a file go into its `with` block, where Ctrl-C waits until they are done.

    Raises:
        MissingPackage: one of them is not installed; the message says how to install it.
    """
    for package in packages or EXTRAS[extra]:
        if package not in sys.modules and find_spec(package) is None:
            raise MissingPackage(
                f"{package} is not installed: this needs react_env with its extra {extra!r}: pip install 'react_env[{extra}]'",
                name=package,
            )
    return _interrupted_afterwards()


@contextmanager
def _interrupted_afterwards() -> Iterator[None]:
    """Delay Ctrl-C until the end of the block: some packages abort if it comes while their compiled parts are loaded."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is None:
        yield  # here no handler can be set
        return
    asked: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: asked.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if asked:
            signal.raise_signal(signal.SIGINT)
