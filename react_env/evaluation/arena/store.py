"""The file of an arena: who has played whom, game by game, in SQLite.

Several runs may write to one file at once, and a run may be killed at any moment. A run claims the deals that it is going to play, so that
others take different ones. A claim ends with its run, or if it is not renewed in time. Claims only save work: a game has one row, and if it
is played a second time, that result is not counted.
"""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from react_env.errors import OptionError
from react_env.evaluation.arrays import Ints
from react_env.evaluation.matches.games import Job, Row
from react_env.evaluation.matches.records import A_FORFEITED, COLUMNS, Games

if TYPE_CHECKING:
    from react_env.agents.process.guard import Fault

FORMAT = 1
LEASE = 120.0  # seconds for which a claim holds without being renewed
MAX_SEED = 2**31 - 1
_PATIENCE = 60.0  # seconds to wait while another run writes

_TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE agents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    spec TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    added TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    UNIQUE (spec, fingerprint)
);
CREATE TABLE settings (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE games (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    a INTEGER NOT NULL REFERENCES agents,
    b INTEGER NOT NULL REFERENCES agents,
    seed INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    setting INTEGER NOT NULL REFERENCES settings,
    result INTEGER NOT NULL CHECK (result IN (-1, 0, 1)),
    cut INTEGER NOT NULL,
    forfeit INTEGER NOT NULL,
    turns INTEGER NOT NULL,
    decisions INTEGER NOT NULL,
    UNIQUE (a, b, seed, seat),
    CHECK (a < b)
);
CREATE TABLE faults (
    id INTEGER PRIMARY KEY,
    agent INTEGER NOT NULL REFERENCES agents,
    game INTEGER NOT NULL UNIQUE REFERENCES games,
    kind TEXT NOT NULL,
    message TEXT NOT NULL,
    details TEXT NOT NULL
);
CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    host TEXT NOT NULL,
    process INTEGER NOT NULL,
    began TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE claims (
    a INTEGER NOT NULL REFERENCES agents,
    b INTEGER NOT NULL REFERENCES agents,
    seed INTEGER NOT NULL,
    run INTEGER NOT NULL REFERENCES runs,
    until REAL NOT NULL,
    PRIMARY KEY (a, b, seed)
) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class StoredAgent:
    """An agent in the file."""

    id: int
    name: str
    spec: str
    fingerprint: str


@dataclass(frozen=True)
class FaultCount:
    """How often an agent failed in one way, with the message and the traceback of the first time."""

    agent: str
    kind: str
    count: int
    message: str
    details: str


class Store:
    """The games of an arena, in a file or (path None) in memory.

    Args:
        path: the file; created if it does not exist and `game` is given.
        game: the game that is played; None: the file is only read, never changed.
        seed: seed of the deals; for a file that exists it must be the file's own. None: the file's own, or 0 for a new file.

    Attributes:
        game_id, rules_hash, options, players, seed: facts of the file.
        messages: what a user should be told about agents that were added.

    Raises:
        OptionError: the file does not exist, is a folder, cannot be read or written, or is not one of an arena; it was written by a newer
            version, or for another game, other rules or another seed; or `seed` is out of range.
    """

    def __init__(self, path: str | os.PathLike[str] | None, game: Any = None, *, seed: int | None = None) -> None:
        self.path = None if path is None else Path(path)
        self.messages: list[str] = []
        self._progress: dict[tuple[int, int], NDArray[np.uint64]] = {}  # by pair; bit s of [i]: deal i from seat s
        self._seen = 0  # the last row of `games` that is in _progress
        self._settings: dict[str, int] = {}
        self._run: int | None = None
        self._renewed = 0.0
        if seed is not None and not 0 <= seed <= MAX_SEED:
            raise OptionError(f"seed is {seed}: it must be from 0 to {MAX_SEED}")
        self._connection = self._connect(writable=game is not None)
        try:
            with self._understood():
                self._open(game, seed)
        except BaseException:
            self._connection.close()
            raise

    # -- opening ----------------------------------------------------------------------------------------------------------------

    def _connect(self, writable: bool) -> sqlite3.Connection:
        path = self.path
        if path is not None:
            if path.is_dir():
                raise OptionError(f"{path} is a folder: name a file")
            if not path.exists() and not (writable and path.absolute().parent.is_dir()):
                missing = f"folder {path.absolute().parent}" if writable else "such file"
                raise OptionError(f"{path}: there is no {missing}")
        with self._understood():
            if path is None:
                return _opened(":memory:")
            uri = path.absolute().as_uri()
            if writable:
                return _opened(f"{uri}?mode=rwc")
            # SQLite writes beside a file even to read it, unless told that nobody changes it. Without a log nobody does.
            log = path.with_name(f"{path.name}-wal")
            return _opened(f"{uri}?mode=ro" if log.exists() else f"{uri}?immutable=1")

    @contextmanager
    def _understood(self) -> Iterator[None]:
        """Turn errors of SQLite into an OptionError that names the file."""
        try:
            yield
        except sqlite3.OperationalError as error:
            text = str(error)
            if "readonly" in text or "read-only" in text:
                text = "it cannot be written to"
            elif "unable to open" in text:
                text = "it cannot be opened (is it, or its folder, yours to read and write?)"
            elif "locked" in text or "busy" in text:
                text = f"another program has locked it for {_PATIENCE:.0f} seconds"
            raise OptionError(f"{self.path}: {text}") from error
        except sqlite3.DatabaseError as error:
            raise OptionError(f"{self.path}: not a file of an arena, or damaged: {error}") from error

    def _open(self, game: Any, seed: int | None) -> None:
        run = self._connection.execute
        if game is not None:
            run("PRAGMA foreign_keys = ON")
            run("PRAGMA synchronous = NORMAL")  # a commit survives the end of the process
            with self._writing():
                if not self._tables():
                    self._create(game, seed or 0)
        tables = self._tables()
        if not {"facts", "agents", "games"} <= tables:
            raise OptionError(
                f"{self.path}: an SQLite file, but not one of an arena; it holds {', '.join(sorted(tables)) or 'nothing'}"
            )
        facts = {row["name"]: row["value"] for row in run("SELECT name, value FROM facts")}
        try:
            if (written := int(facts["format"])) <= FORMAT:
                self.game_id, self.rules_hash = facts["game"], facts["rules_hash"]
                self.options: dict[str, Any] = json.loads(facts["options"])
                self.players, self.seed = int(facts["players"]), int(facts["seed"])
        except (KeyError, ValueError) as error:
            raise OptionError(f"{self.path}: not a file of an arena, or damaged: facts: {error}") from error
        if written > FORMAT:
            raise OptionError(
                f"{self.path}: written in format {written} by a newer version; this one reads up to {FORMAT}"
            )
        if game is None:
            return
        if game.id != self.game_id:
            raise OptionError(f"{self.path}: it holds games of {self.game_id}, not of {game.id}")
        if game.rules_hash != self.rules_hash:
            options = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
            raise OptionError(
                f"{self.path}: its games were played under other rules ({self.rules_hash}, here {game.rules_hash}); "
                f"its options: {options or 'none'}"
            )
        if seed is not None and seed != self.seed:
            raise OptionError(f"{self.path}: its deals are those of seed {self.seed}, not {seed}")
        if self.path is not None:
            # SQLite opens a read-only file without complaint and fails only when something is written.
            run("UPDATE facts SET value = value WHERE name = 'format'")
            # With a write-ahead log readers need not wait for writers. If two runs turn it on at once, one fails: no matter, it stays on.
            with suppress(sqlite3.OperationalError):
                run("PRAGMA journal_mode = WAL")

    def _tables(self) -> set[str]:
        rows = self._connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
        return {row["name"] for row in rows}

    def _create(self, game: Any, seed: int) -> None:
        for statement in _TABLES.split(";\n"):
            self._connection.execute(statement)
        facts = {
            "format": FORMAT,
            "game": game.id,
            "rules_hash": game.rules_hash,
            "options": json.dumps(dict(game.options), default=str),
            "players": game.num_players,
            "seed": seed,
        }
        self._connection.executemany("INSERT INTO facts VALUES (?, ?)", [(k, str(v)) for k, v in facts.items()])

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it is written, or nothing."""
        with self._understood():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                if self._connection.in_transaction:  # SQLite itself has ended it if the disk is full
                    self._connection.execute("ROLLBACK")
                self._settings.clear()
                raise
            self._connection.execute("COMMIT")

    def _read(self, query: str, *values: Any) -> list[sqlite3.Row]:
        with self._understood():
            return self._connection.execute(query, values).fetchall()

    def release(self) -> None:
        """Give up this run's claims."""
        if self._run is not None:
            with self._writing() as connection:
                connection.execute("DELETE FROM claims WHERE run = ?", (self._run,))

    def close(self) -> None:
        """Give up this run's claims and close the file."""
        try:
            self.release()
        finally:
            self._run = None
            self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- agents -----------------------------------------------------------------------------------------------------------------

    def agents(self) -> tuple[StoredAgent, ...]:
        """All agents, in the order in which they were added."""
        return tuple(
            StoredAgent(*row) for row in self._read("SELECT id, name, spec, fingerprint FROM agents ORDER BY id")
        )

    def agent(self, name: str, spec: str, fingerprint: str) -> StoredAgent:
        """The agent of this spec and fingerprint, added if it is new.

        A new agent is called `name`, or by its spec if another agent has that name. If its spec has played before with another fingerprint,
        it gets the name of that agent with the start of its own fingerprint behind it, and `messages` says so.
        """
        with self._writing() as connection:
            known = {(agent.spec, agent.fingerprint): agent for agent in self.agents()}
            if (spec, fingerprint) in known:
                return known[spec, fingerprint]
            names = {agent.name: agent for agent in known.values()}
            before = [agent for agent in known.values() if agent.spec == spec]
            if before:
                name = before[0].name
            elif name in names:
                name = spec
            if name in names:
                length = 6
                while (longer := f"{name}@{fingerprint[:length]}") in names:
                    length += 1
                name = longer
            row = connection.execute(
                "INSERT INTO agents (name, spec, fingerprint) VALUES (CAST(? AS TEXT), CAST(? AS TEXT), ?)",
                (_text(name), _text(spec), fingerprint),
            )
            if before:
                self.messages.append(
                    f"{spec} is not what it was: its former games stay with {before[-1].name}, it now plays as {name}"
                )
            assert row.lastrowid is not None
            return StoredAgent(row.lastrowid, name, spec, fingerprint)

    # -- which games to play ----------------------------------------------------------------------------------------------------

    def claim(self, pairs: Sequence[tuple[int, int]], couples: int, count: int) -> list[Job]:
        """Claim games that nobody has played or claimed: at most `count` deals, each from every seat where it is missing.

        Args:
            pairs: ids of two agents, the smaller first.
            couples: deals that each pair is to have played in the end.
            count: deals to claim at most.

        The pairs with the fewest games come first, so that all grow alike. Empty if nothing is left to claim.
        """
        if not pairs:
            return []
        run = self.run
        with self._writing() as connection:
            self._sync(pairs, couples)
            now = time.time()
            self._end_claims(now)
            self._keep_claims(now)
            missing = {pair: self._progress[pair][:couples] != (1 << self.players) - 1 for pair in pairs}
            for a, b, seed in connection.execute("SELECT a, b, seed FROM claims"):
                if (a, b) in missing and 0 <= seed - self._first < couples:
                    missing[a, b][seed - self._first] = False
            # Each missing deal, with how many deals its pair has before it.
            deals: list[tuple[int, int, int]] = []
            for k, where in enumerate(missing.values()):
                has = couples - int(where.sum())
                deals += [(has + n, k, i) for n, i in enumerate(np.flatnonzero(where)[:count].tolist())]
            claims: list[Any] = []
            jobs = []
            for _, k, i in sorted(deals)[:count]:
                claims.append((*pairs[k], self._first + i, run, now + LEASE))
                jobs += self._unplayed(pairs[k], i)
            connection.executemany("INSERT INTO claims VALUES (?, ?, ?, ?, ?)", claims)
        return jobs

    def missing(self, pairs: Sequence[tuple[int, int]], couples: int) -> list[Job]:
        """Games not yet played, of the first `couples` deals of each pair from every seat, even if another run has claimed them."""
        self._sync(pairs, couples)
        return [job for pair in pairs for i in range(couples) for job in self._unplayed(pair, i)]

    def _unplayed(self, pair: tuple[int, int], deal: int) -> list[Job]:
        """The games of a deal that are missing, one for each seat."""
        played = int(self._progress[pair][deal])
        return [Job(*pair, self._first + deal, seat) for seat in range(self.players) if not played >> seat & 1]

    @property
    def run(self) -> int:
        """The number of this run in the file, from 1."""
        if self._run is None:
            with self._understood():
                row = self._connection.execute(
                    "INSERT INTO runs (host, process) VALUES (?, ?)", (socket.gethostname(), os.getpid())
                )
            self._run = row.lastrowid
            assert self._run is not None
        return self._run

    @property
    def _first(self) -> int:
        return self.seed << 32  # the seed of deal 0

    def _sync(self, pairs: Iterable[tuple[int, int]], couples: int) -> None:
        """Take note of the games that any run has written since the last call."""
        for pair in pairs:
            if pair not in self._progress:
                self._progress[pair] = np.zeros(0, np.uint64)
                self._seen = 0
            if len(old := self._progress[pair]) < couples:
                self._progress[pair] = np.zeros(couples, np.uint64)
                self._progress[pair][: len(old)] = old
                self._seen = 0
        with self._understood():
            rows = self._connection.execute(
                "SELECT id, a, b, seed, seat FROM games WHERE id > ? ORDER BY id", (self._seen,)
            )
            for number, a, b, seed, seat in rows:
                self._seen = number
                played = self._progress.get((a, b))
                if played is not None and 0 <= (i := seed - self._first) < len(played):
                    played[i] |= np.uint64(1 << seat)

    def _end_claims(self, now: float) -> None:
        """Free the claims of runs that have ended, and those that other runs have not renewed. This run keeps its own."""
        run = self._connection.execute
        run("DELETE FROM claims WHERE until < ? AND run IS NOT ?", (now, self._run))
        host = socket.gethostname()
        others = run("SELECT DISTINCT runs.id, host, process FROM claims JOIN runs ON runs.id = claims.run").fetchall()
        for number, where, process in others:
            if number != self._run and where == host and not _lives(process):
                run("DELETE FROM claims WHERE run = ?", (number,))

    def renew(self) -> None:
        """Renew this run's claims; call it now and then during play. Cheap."""
        if time.monotonic() - self._renewed < LEASE / 4 or self._run is None:
            return
        with self._writing():
            self._keep_claims(time.time())

    def _keep_claims(self, now: float) -> None:
        self._connection.execute("UPDATE claims SET until = ? WHERE run = ?", (now + LEASE, self._run))
        self._renewed = time.monotonic()

    def counts(self, pairs: Sequence[tuple[int, int]], couples: int) -> dict[tuple[int, int], int]:
        """How many games of each pair are played already, of the first `couples` deals."""
        self._sync(pairs, couples)
        return {pair: int(np.bitwise_count(self._progress[pair][:couples]).sum()) for pair in pairs}

    # -- results ----------------------------------------------------------------------------------------------------------------

    def add(self, rows: Sequence[Row], settings: Sequence[str]) -> int:
        """Write games that have ended, in one transaction; the jobs name agents by id, `settings` the tables.

        Returns how many of them are new: another run may have played some, too. OptionError if the file is gone; SQLite itself would go on
        writing without complaint.
        """
        if not rows:
            return 0
        if self.path is not None and not self.path.exists():
            raise OptionError(f"{self.path}: the file was removed during play, and its games are lost")
        with self._writing() as connection:
            numbers = {row.table: self._setting(settings[row.table]) for row in rows}
            before = connection.total_changes
            connection.executemany(
                "INSERT INTO games (a, b, seed, seat, setting, result, cut, forfeit, turns, decisions)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (a, b, seed, seat) DO NOTHING",
                [
                    (
                        *(row.job.a, row.job.b, row.job.seed, row.job.seat, numbers[row.table]),
                        *(row.result, row.cut, row.forfeit, row.turns, row.decisions),
                    )
                    for row in rows
                ],
            )
            new = connection.total_changes - before
            for row in rows:
                if row.fault is not None:
                    self._add_fault(row.job, row.job.a if row.forfeit == A_FORFEITED else row.job.b, row.fault)
        return new

    def _setting(self, name: str) -> int:
        if name not in self._settings:
            run = self._connection.execute
            run("INSERT INTO settings (name) VALUES (?) ON CONFLICT DO NOTHING", (name,))
            self._settings[name] = run("SELECT id FROM settings WHERE name = ?", (name,)).fetchone()[0]
        return self._settings[name]

    def _add_fault(self, job: Job, agent: int, fault: Fault) -> None:
        # An agent that always fails in the same way does so in thousands of games: keep one traceback.
        known = self._connection.execute(
            "SELECT 1 FROM faults WHERE agent = ? AND kind = ? AND details = CAST(? AS TEXT) LIMIT 1",
            (agent, fault.kind, _text(fault.details)),
        ).fetchone()
        message, details = _text(fault.message), _text("" if known else fault.details)
        # If another run has played the game, too, its fault stays.
        self._connection.execute(
            "INSERT INTO faults (agent, game, kind, message, details)"
            " SELECT ?, id, ?, CAST(? AS TEXT), CAST(? AS TEXT) FROM games WHERE a = ? AND b = ? AND seed = ? AND seat = ? AND forfeit > 0"
            " ON CONFLICT (game) DO NOTHING",
            (agent, fault.kind, message, details, job.a, job.b, job.seed, job.seat),
        )

    def games(self, agents: Iterable[int] | None = None) -> Games:
        """All games, or those between `agents` (ids), in the order in which they ended."""
        chosen = {agent.id: agent.name for agent in self.agents()}
        if agents is not None:
            wanted = set(agents)
            chosen = {number: name for number, name in chosen.items() if number in wanted}
        settings = {row["id"]: row["name"] for row in self._read("SELECT id, name FROM settings")}
        names = list(COLUMNS)
        rows = self._read(f"SELECT {', '.join(names)} FROM games ORDER BY id")
        table = np.array([tuple(row) for row in rows], np.int64).reshape(-1, len(names))
        columns: Mapping[str, Ints] = dict(zip(names, table.T))
        keep = np.isin(columns["a"], list(chosen)) & np.isin(columns["b"], list(chosen))
        columns = {name: column[keep] for name, column in columns.items()}
        columns |= {name: np.searchsorted(list(chosen), columns[name]) for name in ("a", "b")}
        columns["setting"] = np.searchsorted(sorted(settings), columns["setting"])
        return Games.of(
            self.game_id,
            self.rules_hash,
            tuple(chosen.values()),
            tuple(settings[number] for number in sorted(settings)) or ("",),
            self.players,
            **columns,
        )

    def faults(self) -> tuple[FaultCount, ...]:
        """What went wrong, by agent and kind, with the first message and traceback of each."""
        # With `min`, SQLite takes the other columns from the row of the minimum.
        rows = self._read(
            "SELECT agents.name, kind, count(*), message, details, min(faults.id) FROM faults"
            " JOIN agents ON agents.id = agent GROUP BY agent, kind ORDER BY agent, kind"
        )
        return tuple(FaultCount(*row[:-1]) for row in map(tuple, rows))


def _opened(uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=_PATIENCE)
    connection.row_factory = sqlite3.Row
    connection.text_factory = lambda data: data.decode(errors="surrogatepass")
    return connection


def _text(text: str) -> bytes:
    """Text to be stored. Names of files and messages of agents may hold surrogates, which sqlite3 does not take as a str."""
    return text.encode(errors="surrogatepass")


def _lives(process: int) -> bool:
    """Whether a process of this number exists on this machine; taken to exist on systems other than POSIX, where one cannot ask."""
    if os.name != "posix":  # on Windows signal 0 is Ctrl-C
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
