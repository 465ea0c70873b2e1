"""How many processors may be used: those of the affinity, or fewer if a control group limits the time."""

from __future__ import annotations

from pathlib import Path

import pytest

from react_env.processors import processors

SIXTEEN = range(16)
V1, V2 = "3:cpuset:/other\n1:cpu,cpuacct:/job/step\n0::/\n", "0::/job/step\n"


@pytest.mark.parametrize(
    ("membership", "files", "expected"),
    [
        (V2, {"job/step/cpu.max": "max 100000"}, 16),
        (V2, {"job/step/cpu.max": "400000 100000"}, 4),
        (V2, {"job/step/cpu.max": "150000 100000"}, 2),
        (V2, {"job/step/cpu.max": "20000 100000"}, 1),
        (V2, {"job/cpu.max": "300000 100000", "job/step/cpu.max": "max 100000"}, 3),
        (V2, {"job/cpu.max": "300000 100000", "job/step/cpu.max": "800000 100000"}, 3),
        (V2, {"cpu.max": "500000 100000"}, 5),
        (V2, {"job/step/cpu.max": "9900000 100000"}, 16),
        (V1, {"cpu/job/step/cpu.cfs_quota_us": "-1", "cpu/job/step/cpu.cfs_period_us": "100000"}, 16),
        (V1, {"cpu/job/cpu.cfs_quota_us": "250000", "cpu/job/cpu.cfs_period_us": "50000"}, 5),
        (V1, {"cpu/cpu.cfs_quota_us": "200000", "cpu/cpu.cfs_period_us": "100000"}, 2),
        (V1, {"cpu/other/cpu.cfs_quota_us": "200000", "cpu/other/cpu.cfs_period_us": "100000"}, 16),
        (V2, {"job/step/cpu.max": "what?"}, 16),
        (V2, {"job/step/cpu.max": "100000 0"}, 16),
        ("nonsense\n", {"cpu.max": "200000 100000"}, 16),
        (None, {"cpu.max": "200000 100000"}, 16),
    ],
)
def test_a_control_group_limits_what_is_used(
    membership: str | None, files: dict[str, str], expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(SIXTEEN), raising=False)
    if membership is not None:
        (tmp_path / "cgroup").write_text(membership)
    for name, text in files.items():
        path = tmp_path / "groups" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    assert processors(tmp_path, tmp_path / "groups") == expected


def test_where_there_is_no_affinity_all_processors_count(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    assert processors(tmp_path, tmp_path) == 8
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert processors(tmp_path, tmp_path) == 1
