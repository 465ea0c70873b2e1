"""A study: which games are played, where they are kept, and how an interrupted study continues.

A block of games is kept under a name derived from all that it depends on: the rules and cards, the code and weights of the agents, the
seed, the deals. A study that needs the same games again finds them, and never finds others.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from itertools import permutations, zip_longest
from pathlib import Path
from typing import Any

from react_env.agents.registry import fingerprint
from react_env.errors import OptionError
from react_env.evaluation.cluster import Cluster, Package, check_rules, parcel, unpacked
from react_env.evaluation.kept import read_kept
from react_env.evaluation.lab.games import DEALS, Cell, Outcomes, play
from react_env.evaluation.lab.subject import Ban, Subject
from react_env.evaluation.matches.playing import load_for_edited
from react_env.files import is_leftover, write_aside, write_json
from react_env.registry import describe

FORMAT = 3
STUDY = "study.json"
MAY_GROW = ("deals", "judged")
JUDGE = "champion:1"
LOADED = 8  # games, with their agents, that are kept in memory
_CHANGED = "changed during the study; give the same command again, to study what is there now"


@dataclass(frozen=True)
class Settings:
    """Which games a study plays.

    Attributes:
        game: the id of the game.
        options: options of the game.
        agents: each plays the whole study by itself, at all seats.
        deals: how many deals each ordered pairing of sides plays.
        sides: the sides to study, names or paths; (): all sides of the game.
        seed: seed of the deals and the agents.
        judge: a learned value that judges who is ahead; "": nobody does.
        judged: how many games of each ordered pairing it judges.
    """

    game: str
    options: Mapping[str, Any] = field(default_factory=dict)
    agents: tuple[str, ...] = ("scripted",)
    deals: int = 100
    sides: tuple[str, ...] = ()
    seed: int = 0
    judge: str = ""
    judged: int = 5

    def __post_init__(self) -> None:
        if self.deals < 1:
            raise OptionError(f"deals is {self.deals}; allowed: 1 or more")
        if not self.agents:
            raise OptionError("agents: none; at least one is needed")
        for name, found in (("agent", self.agents), ("side", self.sides)):
            for one in found:
                if found.count(one) > 1:
                    raise OptionError(f"{name} {one!r} is named twice")


class Folder:
    """Where blocks of games are kept. Without a path they are kept in memory."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._here: dict[str, Outcomes] = {}

    def get(self, key: str) -> Outcomes | None:
        """The block of that name; None if there is none, or if it cannot be read."""
        if key not in self._here and self.path is not None:
            try:
                self._here[key] = Outcomes.from_bytes((self.path / "games" / f"{key}.npz").read_bytes())
            except (OSError, ValueError, KeyError, zipfile.BadZipFile):
                return None
        return self._here.get(key)

    def put(self, key: str, block: Outcomes) -> None:
        """Keep a block."""
        self._here[key] = block
        if self.path is not None:
            write_aside(self.path / "games" / f"{key}.npz", block.to_bytes())

    def claim(self, content: Mapping[str, Any]) -> None:
        """Write down which study this folder holds. The same study may come back for more games.

        Raises OptionError if the folder holds another study, or cannot be written.
        """
        if self.path is None:
            return
        file, ours = self.path / STUDY, json.loads(json.dumps({"format": FORMAT, **content}))

        found: dict[str, Any] | None = read_kept(file, "file of a study", FORMAT, dict)
        if found is None and self.path.exists() and not all(map(is_leftover, self.path.iterdir())):
            raise OptionError(f"{self.path} is not the folder of a study; name another, or one that does not exist")
        differ = [key for key, value in ours.items() if found and key not in MAY_GROW and found.get(key) != value]
        if found and differ:
            told = ", ".join(_difference(key, found.get(key), ours[key]) for key in differ)
            if "kind" in differ:
                told = f"a {found.get('kind')}, not a {ours['kind']}"
            raise OptionError(f"{self.path} holds another study ({told}); name another folder, or the same study")
        try:
            write_json(file, ours)
        except OSError as error:
            raise OptionError(f"{file} cannot be written: {error.strerror}") from None


def _difference(at: str, found: Any, ours: Any) -> str:
    """The first difference between two JSON values: 'plan.goals.length is [12.0, 18.0], not [5.0, 30.0]'; entries of lists count from 1."""
    parts: list[tuple[Any, Any, Any]] = []
    if isinstance(found, dict) and isinstance(ours, dict):
        parts = [(key, found.get(key), ours.get(key)) for key in {**ours, **found}]
    elif isinstance(found, list) and isinstance(ours, list) and all(isinstance(one, dict) for one in (*found, *ours)):
        parts = [(number, *pair) for number, pair in enumerate(zip_longest(found, ours), start=1)]
    for key, one, other in parts:
        if one != other:
            return _difference(f"{at}.{key}", one, other)
    words = ["nothing" if value is None else f"{value!r:.60}" for value in (found, ours)]
    return f"{at} is {words[0]}, not {words[1]}"


def subject_of(game_id: str, options: Mapping[str, Any], sides: Sequence[str] = ()) -> Subject:
    """The Subject of a game. Raises OptionError and CardError as the game does."""
    kind = describe(game_id).part("lab") or Subject
    return kind(game_id, options, sides)


@dataclass(frozen=True)
class Work:
    """Games to play: the first `deals` deals of a cell, by one agent."""

    agent: str
    cell: Cell
    deals: int


class Study:
    """The games of a study.

    Args:
        settings: which games to play.
        folder: where they are kept.
        threads: threads of the batches and of agents that search.
        cluster: machines that play instead of this one.

    Attributes:
        subject: the game.
        sides: the sides that are studied.
    """

    def __init__(self, settings: Settings, folder: Folder, *, threads: int = 1, cluster: Cluster | None = None) -> None:
        self.settings, self.folder, self.threads, self.cluster = settings, folder, threads, cluster
        self.subject = subject_of(settings.game, settings.options, settings.sides)
        self.sides = self.subject.sides
        self._at_hand = lru_cache(LOADED)(self._load)
        self._hashes: dict[Cell, str] = {}
        self._agents: dict[str, str] = {}
        self._first: Any = None  # the game of the first cell; the fingerprint of a level depends on the game
        for agent in (*settings.agents, *filter(None, [settings.judge])):  # better to hear now of one that cannot play
            self._at_hand(self.cells[0], agent)

    @property
    def cells(self) -> list[Cell]:
        """Every ordered pairing of different sides; a single side against itself; one cell if there are no sides."""
        return [Cell(pair) for pair in permutations(self.sides, 2)] or [Cell(self.sides * 2)]

    def banned(self, ban: Ban) -> list[Cell]:
        """The cells of a side that may not play one of its items."""
        return [Cell(cell.sides, ban) for cell in self.cells if ban.side in cell.sides]

    def _load(self, cell: Cell, agent: str) -> tuple[Any, Any]:
        game = self.subject.load(cell.sides, cell.ban)
        found = load_for_edited(agent, game, self.threads)
        if self._hashes.setdefault(cell, game.rules_hash) != game.rules_hash:
            raise OptionError(f"the card files of {game.id} {_CHANGED}")
        if self._first is None:
            self._first = game
        self._check_unchanged(agent)
        return game, found

    def _check_unchanged(self, agent: str) -> None:
        """Raise OptionError if the agent's files are no longer those with which the study began: its games have that name."""
        now = fingerprint(agent, self._first)
        if self._agents.setdefault(agent, now) != now:
            raise OptionError(f"{agent} {_CHANGED}")

    def played_by(self, cell: Cell) -> bytes:
        """All that the games of a cell depend on, except their agents."""
        return self.subject.played_by(self._at_hand(cell, self.settings.agents[0])[0], cell.sides)

    def rules_hash(self, cell: Cell) -> str:
        """The hash of the rules and cards with which a cell is played."""
        if cell not in self._hashes:
            self._at_hand(cell, self.settings.agents[0])
        return self._hashes[cell]

    def _key(self, agent: str, cell: Cell, block: int, deals: int) -> str:
        judge = self.settings.judge
        content = [
            FORMAT,
            self.rules_hash(cell),
            agent,
            self._agents[agent],
            judge and not block and [judge, self._agents[judge], self.settings.judged],
            self.settings.seed,
            block,
            deals,
        ]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:24]

    def _blocks(self, work: Work) -> list[tuple[int, int, str]]:
        sizes = [DEALS] * (work.deals // DEALS) + [work.deals % DEALS] * (work.deals % DEALS > 0)
        return [(block, size, self._key(work.agent, work.cell, block, size)) for block, size in enumerate(sizes)]

    def outcomes(self, agent: str, cell: Cell, deals: int | None = None) -> Outcomes:
        """The games of a cell. KeyError if one of them has not been played."""
        found = [self.folder.get(key) for *_, key in self._blocks(Work(agent, cell, deals or self.settings.deals))]
        parts = [part for part in found if part is not None]
        if len(parts) < len(found):
            raise KeyError(f"{agent}, {cell}")
        return Outcomes.together(parts)

    def play(
        self, work: Sequence[Work], progress: Callable[[int, int], None] = lambda done, total: None
    ) -> Iterator[int]:
        """Play the games that are missing, block by block; yields how many have been played."""
        left = [
            (part, block, size, key)
            for part in work
            for block, size, key in self._blocks(part)
            if self.folder.get(key) is None
        ]
        total, done = sum(size for *_, size, _ in left), 0
        if self.cluster is not None:
            for number, data in self.cluster.each(_remote_block, self._pieces(left)):
                self.folder.put(left[number][3], Outcomes.from_bytes(data))
                done += left[number][2]
                progress(done, total)
                yield done
            return
        for part, block, size, key in left:

            def finished(games: int, before: int = done) -> None:
                progress(before + games, total)

            self.folder.put(key, self.block(part.agent, part.cell, block, size, finished))
            done += size
            yield done

    def block(
        self, agent: str, cell: Cell, block: int, deals: int, finished: Callable[[int], None] = lambda games: None
    ) -> Outcomes:
        """Play the first `deals` of the block with the number `block`: the same games wherever and whenever it is played."""
        game, player = self._at_hand(cell, agent)
        judging = self.settings.judge and block == 0 and cell.ban is None
        judge = self._at_hand(cell, self.settings.judge)[1] if judging else None
        return play(
            self.subject,
            cell,
            game,
            player,
            seed=self.settings.seed,
            block=block,
            deals=deals,
            threads=self.threads,
            judge=judge,
            judged=self.settings.judged,
            finished=finished,
        )

    def _pieces(self, left: Sequence[tuple[Work, int, int, str]]) -> Iterator[tuple[Any, ...]]:
        """The blocks, in the form that other machines receive."""
        assert self.cluster is not None
        settings = replace(self.settings, agents=("random",), judge="")  # each block comes with its agent and judge
        named = dict.fromkeys([*self.settings.agents, *filter(None, [self.settings.judge])])
        packages = {agent: self.cluster.share(parcel(agent)) for agent in named}
        for agent in named:
            self._check_unchanged(agent)
        judge = packages.get(self.settings.judge)
        for part, block, size, _ in left:
            judged = judge if block == 0 and part.cell.ban is None else None
            yield settings, packages[part.agent], judged, part.cell, block, size, self.rules_hash(part.cell)

    def everything(self, bans: Sequence[Ban] = ()) -> list[Work]:
        """All games of the study, and those that measure what the items of `bans` are worth."""
        cells = [*self.cells, *(cell for ban in bans for cell in self.banned(ban))]
        return [Work(agent, cell, self.settings.deals) for agent in self.settings.agents for cell in cells]

    def bans(self, sides: Sequence[str]) -> list[Ban]:
        """A ban of every item of these sides that can be forbidden. OptionError for a side that is not studied or has no items."""
        for side in sides:
            if side not in self.sides or not self.subject.items(side):
                known = ", ".join(one for one in self.sides if self.subject.items(one)) or "none"
                raise OptionError(f"what items of {side!r} are worth cannot be measured; sides with items: {known}")
        found = [Ban(side, item.id) for side in sides for item in self.subject.items(side) if item.can_be_forbidden]
        if found:
            self.subject.load(self.banned(found[0])[0].sides, found[0])  # better to hear now that it cannot be
        return found


@lru_cache(maxsize=8)
def _study(settings: str, agent: Package, judge: Package | None) -> Study:
    """The study of these settings, which name both, on this machine. What it has loaded stays in memory as long as both are the same."""
    content = json.loads(settings)
    for name in ("agents", "sides"):
        content[name] = tuple(content[name])
    return Study(Settings(**content), Folder(None))


def _remote_block(
    settings: Settings, agent: Package, judge: Package | None, cell: Cell, block: int, deals: int, rules_hash: str
) -> bytes:
    """Play a block on another machine; the result of `Outcomes.to_bytes`."""
    here = unpacked(agent)
    described = replace(settings, agents=(here,), judge=unpacked(judge) if judge else "")
    study = _study(json.dumps(asdict(described)), agent, judge)
    check_rules(study._at_hand(cell, here)[0], rules_hash)
    return study.block(here, cell, block, deals).to_bytes()


def default_judge(game_id: str, options: Mapping[str, Any], sides: Sequence[str] = ()) -> str:
    """The quick form of a game's champion, if it has one that estimates the chance to win; else ""."""
    from react_env.agents.players.champion import FOLDER

    if not (FOLDER / game_id).is_dir():
        return ""
    subject = subject_of(game_id, options, sides)
    found = load_for_edited("champion", subject.load((subject.sides * 2)[:2]))
    return JUDGE if hasattr(found, "win_chances") else ""
