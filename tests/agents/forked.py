"""Processes of own agents that begin as copies of this one: a fresh one takes a second to import what they need."""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from functools import partial
from typing import Any

import pytest

HIGHEST = 4096  # no open file has a higher number


class Forked(subprocess.Popen[bytes]):
    """Runs the code of `python -c CODE` in a fork, which has none of this process's files either."""

    def __init__(self, command: list[str], **options: Any) -> None:
        super().__init__(command, preexec_fn=partial(_run, command[2]), **options)


def _run(code: str) -> None:
    os.closerange(3, HIGHEST)
    sys.stdout = os.fdopen(1, "w", closefd=False)  # pytest has put others there
    sys.stderr = os.fdopen(2, "w", closefd=False)
    status = 1
    try:
        exec(code, {})
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def fork_own_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    """For the rest of a test, where the system forks."""
    if hasattr(os, "fork"):
        monkeypatch.setattr("react_env.agents.process.own.subprocess.Popen", Forked)
