"""Card files in the browser: read, checked during typing, played, and compared with the installed ones.

Each typed text is kept in a folder named after its content, so that a game or a comparison keeps the cards with which it began.
"""

from __future__ import annotations

import hashlib
import io
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from react_env.content.files import short
from react_env.errors import OptionError, ReactEnvError
from react_env.evaluation.lab.compare import compare, touched
from react_env.evaluation.lab.findings import Change
from react_env.evaluation.lab.study import Folder, Settings, Study, subject_of
from react_env.files import write_aside
from react_env.registry import describe, descriptions
from react_env.web.sessions import SessionError

COLUMNS = 76  # width of a card file as a player reads it
PRECISION, BUDGET = 0.08, 8_000  # of a comparison: half the width of an interval of the score, and games
AGENT = "greedy"  # plays the comparisons, because it is quick
MOST_EDITIONS = 400


def catalogue() -> list[dict[str, Any]]:
    """The games whose cards are files, with the names of the installed files."""
    found = []
    for game_id, about in descriptions().items():
        if (files := about.part("card_files")) is not None:
            seat = {"sides": sorted(subject_of(game_id, {}).sides), "compared": files.editions}
            names = list(files.names("standard"))
            found.append({"game": game_id, "title": about.title, "noun": files.noun, "names": names, **seat})
    return found


class Editor:
    """The card files and the comparison that the routes share.

    Args:
        folder: where typed files are kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._writing = threading.Lock()  # several requests may come for the same text
        self.comparison: Comparison | None = None

    def text(self, game_id: str, name: str) -> str:
        """The text of the installed file of that name. Raises OptionError."""
        path: Path = _files(game_id).file(name)
        return path.read_text(encoding="utf-8")

    def check(self, game_id: str, name: str, text: str) -> dict[str, Any]:
        """What is wrong with a file, and how a player reads it if nothing is; `key` identifies the text, also in `Comparison.told`."""
        files, file = _files(game_id), self.kept(game_id, name, text)
        (finding,) = files.inspect(str(file))
        page = ""
        if finding.ok:
            from rich.console import Console

            console = Console(file=io.StringIO(), width=COLUMNS, record=True)
            console.print(files.page(files.load(str(file), "standard")))
            page = "\n".join(line.rstrip() for line in console.export_text(styles=False).split("\n")).strip()
        return {"errors": finding.errors, "warnings": finding.warnings, "page": page, "key": file.parent.name}

    def kept(self, game_id: str, name: str, text: str) -> Path:
        """Keep the typed file in its own folder; return its path. OptionError for a name other than those installed."""
        files = _files(game_id)
        files.file(name)
        if other := files.asks_for(text):
            raise OptionError(f"it needs {short(other)}, which is not installed, and a page may not read other files")
        digest = hashlib.sha256(f"{game_id} {name}\n{text}".encode()).hexdigest()[:16]
        file = self.folder / digest / f"{name}.yaml"
        with self._writing:
            if not file.exists():
                write_aside(file, text)
                old = sorted(self.folder.iterdir(), key=lambda one: one.stat().st_mtime)
                for one in old[:-MOST_EDITIONS]:
                    for inner in one.iterdir():
                        inner.unlink(missing_ok=True)
                    one.rmdir()
        return file

    def options(self, game_id: str, name: str, text: str, other: str) -> dict[str, Any]:
        """The options of a game with the typed file at seat 0. Raises OptionError and CardError."""
        files = _files(game_id)
        files.file(other)
        found: dict[str, Any] = files.played(self.kept(game_id, name, text), other)
        return found

    def begin(self, game_id: str, name: str, text: str) -> Comparison:
        """Compare the typed file with the installed one, in a thread. OptionError; SessionError while another comparison runs."""
        if not _files(game_id).editions:
            raise OptionError(f"only editions of cards are compared; {describe(game_id).title} has none")
        if self.comparison is not None and self.comparison.running:
            raise SessionError("another comparison is running: wait for it, or stop it")
        self.comparison = Comparison(game_id, self.kept(game_id, name, text))
        return self.comparison


class _Stopped(Exception):
    """The comparison was stopped by a person."""


class Comparison:
    """What a typed file changes in place of the installed one, in the hands of `AGENT`, on the same deals.

    Attributes:
        done, total: games.
        rows: the opponent, the score before and after, the difference with its 95 % interval, and whether it is surely not chance.
        problem: why there are no rows, or fewer than there could be; "" if nothing is wrong.
        finished: whether the differences are as precise as was asked, or all games are played.
    """

    def __init__(self, game_id: str, file: Path) -> None:
        self.side, self.key = file.stem, file.parent.name
        subject = subject_of(game_id, {})
        options, sides = subject.edition(str(file.parent))
        here = Folder(None)
        self._before = Study(Settings(game_id, {}, (AGENT,), 50), here, threads=1)
        self._after = Study(Settings(game_id, options, (AGENT,), 50, sides), here, threads=1)
        self._cells, self.others = touched(self._before, self._after)
        self.done, self.total, self.problem, self.rows = 0, BUDGET, "", list[dict[str, Any]]()
        self.finished = self._stop = False
        self.seconds, self._start = 0.0, time.monotonic()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether it is still running."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """Ask it to end soon."""
        self._stop = True

    def told(self) -> dict[str, Any]:
        """Its progress and rows as JSON."""
        return {
            "running": self.running,
            "done": self.done,
            "total": self.total,
            "seconds": round(time.monotonic() - self._start if self.running else self.seconds),
            "problem": self.problem,
            "finished": self.finished,
            "side": self.side,
            "key": self.key,
            "rows": self.rows,
            "others": self.others,
            "agent": AGENT,
            "precision": PRECISION,
        }

    def _row(self, change: Change) -> dict[str, Any]:
        """A change as the typed side sees it."""
        other, before, after, moved = change.other, change.before.value, change.after.value, change.difference
        value, low, high = moved.value, moved.low, moved.high
        if change.side != self.side:
            other, before, after, value, low, high = change.side, 1 - before, 1 - after, -value, -high, -low
        scores = {"other": other, "before": before, "after": after}
        return {**scores, "difference": value, "low": low, "high": high, "surely": moved.sure}

    def _run(self) -> None:
        def progress(done: int, total: int) -> None:
            self.done, self.total = done, total
            if self._stop:
                raise _Stopped

        def found_so_far(changes: Sequence[Change]) -> None:
            rows = [self._row(change) for change in changes]
            self.rows = sorted(rows, key=lambda row: -abs(row["difference"]))

        try:
            if not self._cells:
                self.problem = "The two play the same game: nothing that was changed matters to the rules."
                return
            (found,) = compare(
                self._before,
                self._after,
                self._cells,
                [(AGENT, AGENT)],
                precision=PRECISION,
                budget=BUDGET,
                progress=progress,
                found_so_far=found_so_far,
            )
            found_so_far(found.changes)
            self.done, self.finished = self.total, True
        except _Stopped:
            when = ": this is what was found until then." if self.rows else " before anything was found."
            self.problem = f"It was stopped{when}"
        except ReactEnvError as error:
            self.problem = str(error)
        except Exception as error:
            self.problem = f"It ended with an error: {error!r:.200}."
            raise  # the server's log has the traceback
        finally:
            self.seconds = time.monotonic() - self._start


def _files(game_id: str) -> Any:
    """The card files of a game. OptionError if it has none."""
    if (files := describe(game_id).part("card_files")) is None:
        raise OptionError(f"the cards of {describe(game_id).title} are no files")
    return files
