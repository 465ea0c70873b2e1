"""Edits whose effect is known are found: a card that does one damage more, a cost that is gone, another name.

`python -m tests.evaluation.lab.test_truth 100` plays 100 seeded studies of each edit, and tells how many find it with the right sign;
names after the number choose the edits.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from react_env.evaluation.lab.compare import compare, touched
from react_env.evaluation.lab.findings import totals
from react_env.evaluation.lab.study import Folder, Settings, Study
from react_env.games.arts_of_war.rules import EDITIONS

COST = "          - pay: {counter: beat, count: 2}\n"
DROP = "        do:\n          - damage: {zone: target}\n"
EDITS = {  # of the DJ's Bass Drop: old text, new text, whether it helps the DJ (1) or changes nothing (0)
    "one damage more": (f"{COST}{DROP}", f"{COST}{DROP}          - damage: {{zone: target}}\n", 1),
    "a cost that is gone": (f"{COST}{DROP}", DROP, 1),
    "another name": ("name: Bass Drop\n", "name: Sub Drop\n", 0),
}
BUDGET = 1600  # games


def edition(folder: Path, edit: str) -> Path:
    """The standard edition with one of the edits."""
    old, new, _ = EDITS[edit]
    shutil.copytree(EDITIONS / "standard", folder)
    file = folder / "dj.yaml"
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))
    return folder


def found(folder: Path, seed: int, threads: int = 1) -> int:
    """What the laboratory says of the DJ: 1 surely better, -1 surely worse, 0 nothing."""
    before, after = (
        Study(Settings("arts_of_war-v0", options, ("greedy",), seed=seed), Folder(None), threads=threads)
        for options in ({}, {"edition": str(folder)})
    )
    cells, _ = touched(before, after)
    (one,) = compare(before, after, cells, [("greedy", "greedy")], precision=0.001, budget=BUDGET)
    sure = {total.side: total.difference for total in totals(one.changes) if total.difference.sure}
    return 0 if "dj" not in sure else 1 if sure["dj"].value > 0 else -1


@pytest.mark.long
@pytest.mark.parametrize("edit", EDITS)
def test_the_truth_is_found(edit: str, tmp_path: Path) -> None:
    folder = edition(tmp_path / "mine", edit)
    wanted = EDITS[edit][2]
    assert sum(found(folder, seed) == wanted for seed in range(10)) >= 9


def test_another_name_changes_nothing(tmp_path: Path) -> None:
    assert found(edition(tmp_path / "mine", "another name"), seed=0) == 0


def main() -> None:
    """Play that many studies of each edit that is named, or of all if none is."""
    runs = int(sys.argv[1])
    for edit in sys.argv[2:] or EDITS:
        *_, wanted = EDITS[edit]
        with tempfile.TemporaryDirectory() as parent:
            folder = edition(Path(parent) / "mine", edit)
            right = 0
            for seed in range(runs):
                right += found(folder, seed) == wanted
                print(f"{edit}: {right} of {seed + 1} are right", flush=True)


if __name__ == "__main__":
    main()
