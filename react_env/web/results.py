"""Results while they grow: the files of arenas and folders of training runs that `react-env web RESULTS...` shows."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from react_env.errors import OptionError, ReactEnvError
from react_env.evaluation.arena.report import arena_report
from react_env.evaluation.arena.store import Store
from react_env.evaluation.document import counted
from react_env.svg import PLAYERS, WIDTH, Pen
from react_env.training.runs import progress

_BOOTSTRAP = 200  # resamples for the intervals: few, because the page asks again and again
_TOP, _HIGH, _LEFT = 24, 170, 34  # sizes in the picture of a learning curve
_DASHES = ("", "5 3", "2 2", "8 3 2 3")  # tell the curves apart without colours


class Results:
    """What the page shows of these files and folders. They are read again when they have changed.

    Args:
        paths: files of arenas, folders of training runs.

    Raises:
        OptionError: one of them does not exist, cannot be looked at, or is a folder of something else.
    """

    def __init__(self, paths: tuple[Path, ...]) -> None:
        for path in paths:
            try:
                path.stat()
            except OSError as error:
                missing = isinstance(error, FileNotFoundError)
                raise OptionError(
                    f"{path}: {'there is no such file or folder' if missing else error.strerror}"
                ) from None
            if path.is_dir() and not (path / progress.FILE).exists() and not (path / "config.json").exists():
                raise OptionError(f"{path}: not the folder of a training run; of an arena its file is needed")
        self.paths = paths
        self._kept: dict[Path, tuple[tuple[int, ...], dict[str, Any]]] = {}

    def told(self) -> list[dict[str, Any]]:
        """Each result as JSON: its name, a note or "", a table (heads and rows), a picture or "", and a problem or ""."""
        return [self._one(path) for path in self.paths]

    def _one(self, path: Path) -> dict[str, Any]:
        is_run = os.path.isdir(path)  # unlike Path.is_dir, False where one may not look
        file = path / progress.FILE if is_run else path
        log = file.with_name(f"{file.name}-wal")  # SQLite writes here first
        state = tuple(map(_written, (file, log)))
        known = self._kept.get(path)
        if known is None or known[0] != state:
            found: dict[str, Any] = {"name": path.name, "heads": [], "rows": [], "svg": "", "note": "", "problem": ""}
            try:
                found |= _run(path) if is_run else _arena(path)
            except (ReactEnvError, OSError, ValueError, KeyError, TypeError) as error:
                found["problem"] = f"it cannot be read now: {error}"
            known = self._kept[path] = state, found
        return known[1]


def _written(file: Path) -> int:
    """When a file was written, 0 if there is none: SQLite may remove its log at any moment."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def _arena(path: Path) -> dict[str, Any]:
    with Store(path) as store:
        games = store.games()
        if not len(games):
            return {"note": "no game has ended yet"}
        report = arena_report(games, faults=store.faults(), seed=store.seed, bootstrap=_BOOTSTRAP)
    rows = [
        [
            str(number),
            rating.agent,
            f"{rating.elo:.0f}",
            f"{rating.low:.0f} to {rating.high:.0f}",
            f"{100 * rating.win_rate:.1f} %",
            f"{rating.games:,}",
        ]
        for number, rating in enumerate(report.standings.ratings, 1)
    ]
    heads = ["", "agent", "Elo", "95 %", "won", "games"]
    note = f"{store.game_id}, {counted(len(report.games), 'game')}, {report.cuts:,} cut, {counted(report.ties, 'tie')}"
    return {"heads": heads, "rows": rows, "note": note}


def _run(folder: Path) -> dict[str, Any]:
    points = [line for line in progress.read(folder) if line.get("against")]
    if not points:
        return {"note": "nothing has been evaluated yet"}
    opponents = progress.baselines(points)
    rows = []
    for point in points[::-1]:
        cells = [f"{point['steps']:,}", f"{point['seconds'] / 60:.1f}"]
        for name in opponents:
            found = point["against"].get(name)
            low, high = found["win_rate_95"] if found else (0, 0)
            cells.append(f"{100 * found['win_rate']:.1f} % ({100 * low:.1f} to {100 * high:.1f})" if found else "")
        rows.append(cells)
    heads = ["learner steps", "minutes", *(f"won against {name} (95 %)" for name in opponents)]
    return {"heads": heads, "rows": rows, "svg": _curves(points, opponents)}


def _curves(points: list[dict[str, Any]], opponents: list[str]) -> str:
    """Win rates over learner steps, with their intervals."""
    pen, most = Pen(), max(1, points[-1]["steps"])
    width = WIDTH - _LEFT - 14

    def at(steps: int, rate: float) -> tuple[float, float]:
        return _LEFT + width * steps / most, _TOP + _HIGH * (1 - rate)

    for rate in (0.0, 0.25, 0.5, 0.75, 1.0):
        _, y = at(0, rate)
        pen.line([(_LEFT, y), (_LEFT + width, y)], "edge-line", 0.6)
        pen.text(_LEFT - 4, y + 3, f"{100 * rate:.0f} %", 8, "dim", at="end")
    pen.text(_LEFT, _TOP + _HIGH + 14, "0", 8, "dim")
    pen.text(_LEFT + width, _TOP + _HIGH + 14, f"{most:,} learner steps", 8, "dim", at="end")
    for number, name in enumerate(opponents):
        style = f"{PLAYERS[number % 2]}-line"
        found = [(point["steps"], point["against"][name]) for point in points if name in point["against"]]
        dashes = _DASHES[number % len(_DASHES)]
        pen.line([at(steps, one["win_rate"]) for steps, one in found], style, 2, dashes=dashes)
        for steps, one in found:
            pen.line([at(steps, rate) for rate in one["win_rate_95"]], style)
        pen.line([(_LEFT + 110 * number, 12), (_LEFT + 22 + 110 * number, 12)], style, 2, dashes=dashes)
        pen.text(_LEFT + 26 + 110 * number, 15, name, 9, room=80)
    return pen.finish(_TOP + _HIGH + 22, f"win rates against {', '.join(opponents)} over learner steps", style=False)
