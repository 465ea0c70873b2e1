"""Long comparisons run as chunks in several processes; this module collects what all of them have seen."""

from __future__ import annotations

import json
import os
from collections import Counter

import pytest

Seen = tuple[str, str, str]


def together(
    factory: pytest.TempPathFactory, name: str, chunk: int, chunks: int, seen: Counter[Seen]
) -> Counter[Seen] | None:
    """Return what all chunks have seen to the chunk that ends last, in whichever process, and None to the others."""
    folder = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # each worker has its own folder inside that of the run
        folder = folder.parent
    done = folder / f"{name}-{chunk}.json"
    unfinished = done.with_suffix(".part")
    unfinished.write_text(json.dumps([[*what, count] for what, count in seen.items()]))
    unfinished.rename(done)
    all_done = list(folder.glob(f"{name}-*.json"))
    if len(all_done) < chunks:
        return None
    total: Counter[Seen] = Counter()
    for path in all_done:
        for first, second, third, count in json.loads(path.read_text()):
            total[first, second, third] += count
    return total
