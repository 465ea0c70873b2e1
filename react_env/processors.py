"""How many processors this process may use, so that long work can use them all and no more."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def processors(process: Path = Path("/proc/self"), groups: Path = Path("/sys/fs/cgroup")) -> int:
    """The processors that this process may run on, or fewer if a control group limits its time, as containers and Slurm do.

    Half a processor counts as a whole one. `process` and `groups`: where Linux tells.
    """
    found = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(found, math.ceil(min(_quotas(process, groups), default=found))))


def _quotas(process: Path, groups: Path) -> Iterator[float]:
    """The processors that each control group above this process allows, in version 1 and 2 of control groups.

    In a container, the groups named outside it may be missing; its own is at the top then.
    """
    memberships: list[str] = []
    with suppress(OSError, ValueError):
        memberships = (process / "cgroup").read_text().splitlines()
    for membership in memberships:
        _, controllers, name = [*membership.split(":", 2), "", ""][:3]
        if not name or controllers and "cpu" not in controllers.split(","):
            continue
        top = groups / "cpu" if controllers else groups
        own = top / name.lstrip("/")
        for group in (own, *(parent for parent in own.parents if parent.is_relative_to(top))):
            with suppress(OSError, ValueError):  # also if there is no limit: no file, "max", or -1
                if controllers:
                    quota, period = ((group / f"cpu.cfs_{part}_us").read_text() for part in ("quota", "period"))
                else:
                    quota, period = (group / "cpu.max").read_text().split()
                if int(quota) > 0 < int(period):
                    yield int(quota) / int(period)
