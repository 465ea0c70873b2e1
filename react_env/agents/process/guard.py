"""Agents that cannot bring down their caller: a mistake costs an agent the games concerned, and nothing else.

`guarded(agent)` asks like `agents.choose` and checks the answer. If a call for many games goes wrong as a whole (an exception, a wrong
shape, no answer in time), its games are asked again one by one, so that only the guilty ones are forfeited.
"""

from __future__ import annotations

import os
import traceback
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from react_env.agents.protocol import Actions, AnyAgent, Flags, Rows, are_legal, choose
from react_env.errors import ReactEnvError

SECONDS = 10.0  # for a decision
STRIKES = 3  # timeouts and crashes after which an agent is not asked any more
_PATIENCE = 6  # a call for many games is ended after this many times `seconds`: its games can be asked again
_SMALLER = 8  # how many times smaller calls become after one that failed, though each game alone succeeded
_LONGEST = 300  # characters of a message


@dataclass(frozen=True)
class Fault:
    """What an agent did wrong in one decision.

    Attributes:
        kind: "error" (it raised), "shape" (not an array of the expected number of integers), "nan", "illegal", "timeout", or "crash"
            (its process ended).
        message: one line.
        details: the traceback, or "".
    """

    kind: str
    message: str
    details: str = ""


class AgentFault(ReactEnvError):
    """An agent did something wrong outside a game that it could forfeit; `fault` says what; the text also names the agent, if known."""

    def __init__(self, fault: Fault | AgentFault, name: str = "") -> None:
        # Gymnasium's AsyncVectorEnv raises an error of another process as type(error)(error).
        super().__init__(*(fault.args if isinstance(fault, AgentFault) else (fault, name)))
        self.fault: Fault = self.args[0]

    def __str__(self) -> str:
        return f"{self.args[1]} {self.fault.message}".lstrip()


class Chooser(Protocol):
    """What an arena asks instead of an agent."""

    name: str
    faults: list[Fault]  # one for each failed decision, in the order of the calls and of their rows

    def choose(self, batch: Any, rows: Rows, rng: np.random.Generator) -> tuple[Actions, Flags]:
        """For the games `rows` (M,) of a Batch: (M,) int64 ids, and (M,) bool, True where it failed and the game is forfeited."""
        ...

    def close(self) -> None:
        """Free what the agent holds, such as a process. If it is asked again, it starts again."""
        ...


def guarded(agent: AnyAgent, *, seconds: float = SECONDS) -> Chooser:
    """`agent` behind checks: nothing that it does raises, except KeyboardInterrupt.

    `seconds` for each decision can only be enforced on an agent in a process of its own (`own`). After three timeouts or crashes it is
    no longer asked: all its later decisions fail at once.
    """
    return Guarded(agent, seconds)


class Guarded:
    """See `guarded`."""

    def __init__(self, agent: AnyAgent, seconds: float = SECONDS) -> None:
        self.agent = agent
        self.name = agent.name
        self.faults: list[Fault] = []
        self._seconds = seconds
        self._strikes = 0
        self._given_up: Fault | None = None
        self._most = 2**31  # games in one call

    def choose(self, batch: Any, rows: Rows, rng: np.random.Generator) -> tuple[Actions, Flags]:
        """See `Chooser`."""
        actions, failed = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.bool_)
        begin = 0
        while begin < len(rows):
            end = min(len(rows), begin + self._most)
            actions[begin:end], failed[begin:end] = self._part(batch, rows[begin:end], rng)
            begin = end
        return actions, failed

    def close(self) -> None:
        """See `Chooser`."""
        if hasattr(self.agent, "close"):
            self.agent.close()

    def _part(self, batch: Any, rows: Rows, rng: np.random.Generator) -> tuple[Actions, Flags]:
        """`choose` for as many games as one call may have."""
        count = len(rows)
        if self._given_up is not None:
            self.faults += [self._given_up] * count
            return np.zeros(count, np.int64), np.ones(count, np.bool_)
        try:
            actions = self._ask(batch, rows, rng)
        except AgentFault as error:
            if count > 1:
                return self._one_by_one(batch, rows, rng)
            self._fail(error.fault)
            return np.zeros(1, np.int64), np.ones(1, np.bool_)
        wrong = ~are_legal(batch, rows, actions)
        for row, action in zip(rows[wrong].tolist(), actions[wrong].tolist()):
            self._fail(_illegal(batch, row, action))
        return actions, wrong

    def _one_by_one(self, batch: Any, rows: Rows, rng: np.random.Generator) -> tuple[Actions, Flags]:
        parts = [self._part(batch, rows[i : i + 1], rng) for i in range(len(rows))]
        failed = np.concatenate([part[1] for part in parts])
        if not failed.any():  # it cannot do so many at once, or not in time
            self._most = max(1, len(rows) // _SMALLER)
        return np.concatenate([part[0] for part in parts]), failed

    def _ask(self, batch: Any, rows: Rows, rng: np.random.Generator) -> Actions:
        """(M,) int64, legal or not. AgentFault for everything else."""
        if hasattr(self.agent, "patience"):
            self.agent.patience = self._seconds * min(len(rows), _PATIENCE)
        try:
            return integers(choose(self.agent, batch, rows, rng), len(rows))
        except AgentFault:
            raise
        except (Exception, SystemExit) as error:
            raise AgentFault(raised(error)) from None

    def _fail(self, fault: Fault) -> None:
        self.faults.append(fault)
        self._strikes += fault.kind in ("timeout", "crash")
        if self._strikes == STRIKES and self._given_up is None:
            message = f"not asked any more after {STRIKES} timeouts or crashes; the last: {fault.message}"
            self._given_up = Fault(fault.kind, message, fault.details)


def _illegal(batch: Any, row: int, action: int) -> Fault:
    legal = np.flatnonzero(batch.action_masks[row]).tolist()
    some = ", ".join(map(str, legal[:12])) + (", ..." if len(legal) > 12 else "")
    return Fault("illegal", f"chose {action}, which is not legal; legal: {some}")


def integers(answer: Any, count: int) -> Actions:
    """What an agent returned, as (`count`,) int64. Raises AgentFault ("shape" or "nan") if it is not that many integers."""
    if type(answer) is np.ndarray and answer.dtype == np.int64 and answer.shape == (count,):
        return answer
    if answer is None:
        raise AgentFault(Fault("shape", "returned None: it must return the actions"))
    try:
        found = np.asarray(answer)
    except ValueError:
        raise AgentFault(Fault("shape", f"returned rows of different lengths: expected shape ({count},)")) from None
    if found.dtype.kind == "f" and np.isnan(found).any():
        raise AgentFault(Fault("nan", f"returned NaN in {int(np.isnan(found).sum())} of {found.size} places"))
    if found.shape != (count,):
        raise AgentFault(Fault("shape", f"returned shape {found.shape}: expected ({count},)"))
    if found.dtype.kind not in "iu":
        raise AgentFault(Fault("shape", f"returned {found.dtype}: expected integers, such as int64"))
    return found.astype(np.int64)


def raised(error: BaseException, file: str = "") -> Fault:
    """The fault of an agent that raised `error`. With `file`, the traceback begins there, and the message names its last line in it."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [n for n, frame in enumerate(frames) if frame.filename == file]
    shown = error.__traceback__
    for _ in range(inside[0] if inside else 0):
        shown = shown.tb_next if shown is not None else None
    where = frames[inside[-1]] if inside else frames[-1] if frames else None
    told = traceback.TracebackException.from_exception(error)
    told.__notes__ = None  # they would come after the error's own line, and are in the details
    text = " ".join(list(told.format_exception_only())[-1].split())
    name, line = (where.filename, where.lineno) if where is not None else ("", 0)
    if isinstance(error, SyntaxError) and error.filename:
        name, line = error.filename, error.lineno
    place = f" ({os.path.basename(name)}, line {line})" if name else ""
    details = "".join(traceback.format_exception(type(error), error, shown))
    return Fault("error", f"raised {text[:_LONGEST]}{place}", details)
