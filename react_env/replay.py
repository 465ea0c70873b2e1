"""A match as readable text: game, options, rules hash, seed, players, every action, the result.

    react_env replay 1
    game: "arts_of_war-v0"
    options: {"artists": "random"}
    rules: "0123456789abcdef"
    start: "8f0c1e5a9b3d7264"
    seed: 7
    players: ["greedy", "random"]

    1 player_0 27: option 1
    2 player_1 14: play Quick Step (Reaction)
    ...
    end: 153 actions, terminated, rewards [1, -1]

The actions can also be listed in one line of the head, without words, which keeps a file under 2 KB:

    actions: [27, 14, ...]

Values are JSON. `start` is the first state of the random stream: `game.new(start=...)` draws the same pairing and deals the same game.
`seed` and the words after an action are only for the reader; what counts is the player and the action id. If the game was played with card
files of the player's own, a line `files` holds them, path -> text: the game can then be shown even if they have changed or are missing.
The last line shows that the file is complete. Reading a replay runs no code from it.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from react_env.engine.game import Game
from react_env.engine.rng import seed_word
from react_env.errors import ReactEnvError, ReplayError
from react_env.files import reading_only, write_aside
from react_env.registry import load

_TITLE = "react_env replay 1"
_KEYS = {
    "game": str,
    "options": dict,
    "files": dict,
    "rules": str,
    "start": str,
    "seed": (int, type(None)),
    "players": list,
    "actions": list,
}
_MAY_LACK = ("files", "actions")
_ACTION = re.compile(r"(\d{1,9}) player_(\d{1,3}) (\d{1,9})(?:: .*)?")
_END = re.compile(r"end: (\d{1,9}) actions, (terminated|truncated|unfinished), rewards (\[[-0-9.e, ]*\])")
_ENDS = ("unfinished", "terminated", "truncated")


class Step(NamedTuple):
    """One decision of a replay."""

    state: np.record  # before the action; a copy that may be kept
    player: int
    action: int  # -1 in the last step
    lines: list[str]  # public events that led to this state (of the set-up, before the first action)


@dataclass
class Replay:
    """A recorded match.

    Attributes:
        game_id, options, rules_hash: which game, under which rules.
        start: first state of the random stream.
        actions: ids, in order.
        players: a name for each seat.
        seed: the seed behind `start`, if there was one.
        end: "terminated", "truncated" or "unfinished".
        rewards: one for each player.
        files: path -> text of the card files that are not installed with the game; the options use the same paths.
    """

    game_id: str
    options: dict[str, Any]
    rules_hash: str
    start: int
    actions: list[int]
    players: list[str]
    seed: int | None = None
    end: str = "unfinished"
    rewards: list[float] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict, repr=False)
    _movers: list[int] = field(default_factory=list, repr=False)
    _lines: list[int] = field(default_factory=list, repr=False)  # the line number of each action, then of the end
    _source: str = field(default="replay", repr=False)

    @classmethod
    def record(
        cls,
        game: Game,
        actions: Sequence[int],
        *,
        seed: int | None = None,
        start: int | None = None,
        players: Sequence[str] = (),
    ) -> Replay:
        """The replay of these actions from a seed, or from the first state of a random stream.

        Args:
            game: the rules.
            actions: ids in the order in which they were taken; they are played again here.
            seed: as in `Game.new`; give this or `start`, not both.
            start: first state of the random stream, in place of a seed.
            players: a name for each seat; "player_0" and so on by default.

        Raises:
            ReplayError: not a game, not exactly one of seed and start, or a wrong number of names.
            OptionError: an impossible seed or start.
            IllegalAction, GameOver: the actions cannot have been played.
        """
        _check_game(game)
        if (seed is None) == (start is None):
            raise ReplayError("a replay needs a seed or a start, and not both")
        try:
            names, taken = list(players) or [f"player_{p}" for p in range(game.num_players)], list(actions)
        except Exception as error:  # foreign objects may raise anything
            raise ReplayError("players and actions must be sequences") from error
        if len(names) != game.num_players:
            raise ReplayError(f"{len(names)} names for {game.num_players} players")
        if not all(isinstance(name, str) for name in names):
            raise ReplayError(f"players must be names, not {names!r:.80}")
        state = game.new(seed) if start is None else game.new(start=start)
        files, options = _named(game.files, game.options)
        replay = cls(
            game_id=game.id,
            options=options,
            rules_hash=game.rules_hash,
            start=seed_word(int(seed)) if seed is not None else int(start or 0),
            actions=[],
            players=names,
            seed=None if seed is None else int(seed),
            files=files,
        )
        for action in taken:
            replay._movers.append(game.to_play(state))
            game.step(state, action)
            replay.actions.append(int(action))
        replay.end = _ENDS[int(state["over"])]
        replay.rewards = game.rewards(state).tolist()
        return replay

    def game(self) -> Game:
        """The game that was played, loaded with the replay's options.

        If card files that are not installed with the game have changed or are missing, those that the replay carries are used.

        Raises:
            ReplayError: this game or these options do not exist here, or the rules have changed.
        """
        try:
            game = self._load(self.options)
            self.check(game)
        except ReplayError:
            if not self.files:
                raise
            game = self.game_of_its_files()
        return game

    def game_of_its_files(self) -> Game:
        """Like `game`, but reads only the card files that the replay carries and the installed ones, no others on this machine.

        Raises:
            ReplayError: as `game`, or an option names a file that the replay does not carry.
        """
        folder = Path(tempfile.mkdtemp(prefix="react_env_replay_")).resolve()
        try:
            _unpack(self.files, folder, self._source)
            options = _moved(self.options, folder)
            for text in _strings(options):
                if re.search(r"[./\\~]", text) and not Path(text).is_relative_to(folder):
                    raise ReplayError(
                        f"{self._source}: it names {text!r:.60} but does not contain it; react-env replay looks for it on this machine"
                    )
            with reading_only(folder):
                game = self._load(options)
            self.check(game)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        weakref.finalize(game, shutil.rmtree, folder, ignore_errors=True)  # agents in other processes read it again
        return game

    def _load(self, options: dict[str, Any]) -> Game:
        try:
            return load(self.game_id, **options)
        except (ReactEnvError, TypeError, OSError) as error:
            raise ReplayError(f"{self._source}: cannot load the game: {error}") from error

    def check(self, game: Game) -> None:
        """Raise ReplayError unless this replay was recorded under the rules of `game`."""
        _check_game(game)
        if self.game_id != game.id:
            raise ReplayError(f"{self._source}: a replay of {self.game_id}, not of {game.id}")
        if self.rules_hash != game.rules_hash:
            raise ReplayError(
                f"{self._source}: recorded under other rules (rules hash {self.rules_hash}, here {game.rules_hash}): "
                "another version of the game, other options or changed card files"
            )

    def states(self, game: Game | None = None) -> Iterator[Step]:
        """Play the match again and check it: yield one `Step` before each action, and a last one with action -1.

        The lines of a step are the events since the previous step, which led to its state; the first step has those of the set-up.

        Raises:
            ReplayError: recorded under other rules, or a line that the rules do not allow; the message names the line and the reason.
        """
        if game is None:
            game = self.game()
        else:
            self.check(game)
        state = game.new(start=self.start)
        seen = 0
        for number, action in enumerate(self.actions):
            lines, seen = game.log_lines(state, since=seen), game.event_count(state)
            player = game.to_play(state)
            if number < len(self._movers) and self._movers[number] != player and not state["over"]:
                raise ReplayError(
                    f"{self._where(number)}: player_{player} is to move, not player_{self._movers[number]}"
                )
            yield Step(game.copy(state), player, action, lines)
            try:
                game.step(state, action)
            except ReactEnvError as error:
                raise ReplayError(f"{self._where(number)}: {error}") from error
        end, rewards = _ENDS[int(state["over"])], game.rewards(state).tolist()
        if (end, rewards) != (self.end, self.rewards):
            where = self._where(len(self.actions))
            raise ReplayError(f"{where}: the game is {end} with rewards {rewards}, not {self.end} with {self.rewards}")
        yield Step(game.copy(state), game.to_play(state), -1, game.log_lines(state, since=seen))

    def text(self, game: Game, words: bool = True) -> str:
        """The replay as the text of a file; checks the match on the way. Without `words`, actions are only ids, and the text is short."""
        _check_game(game)
        head = {
            "game": self.game_id,
            "options": self.options,
            "rules": self.rules_hash,
            "start": f"{self.start:016x}",
            "seed": self.seed,
            "players": self.players,
        }
        lines = [_TITLE, *(f"{key}: {json.dumps(value)}" for key, value in head.items()), ""]
        if self.files:
            lines.insert(-1, f"files: {json.dumps(self.files)}")
        if not words:
            lines.insert(-1, f"actions: {json.dumps(self.actions, separators=(',', ':'))}")
        for number, step in enumerate(self.states(game), 1):
            if step.action >= 0 and words:
                said = " ".join(game.action_text(step.state, step.action).split())
                lines.append(f"{number} player_{step.player} {step.action}: {said}")
        rewards = json.dumps([int(r) if r == int(r) else r for r in self.rewards])
        lines.append(f"end: {len(self.actions)} actions, {self.end}, rewards {rewards}")
        return "\n".join(lines) + "\n"

    def save(self, path: str | os.PathLike[str], game: Game | None = None) -> None:
        """Write the file atomically.

        Args:
            path: where to write; an older file is replaced.
            game: the game, if it is already loaded.

        Raises:
            ReplayError: the actions cannot be played by the rules.
            OSError: the file cannot be written.
        """
        write_aside(Path(path), self.text(self.game() if game is None else game))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Replay:
        """Read a file. This does not check that its actions are legal; `states` does.

        Raises:
            ReplayError: the file is missing, not a replay, damaged or cut off; the message says where and why.
        """
        try:
            text = Path(path).read_bytes().decode("utf-8")
        except OSError as error:
            raise ReplayError(f"{path}: {error.strerror}") from error
        except TypeError as error:
            raise ReplayError(f"the path of a file is needed, not {path!r:.80}") from error
        except UnicodeDecodeError as error:
            raise ReplayError(f"{path}: not a replay: byte {error.start} is not text") from error
        except ValueError as error:
            raise ReplayError(f"{str(path)!r}: not a path: {error}") from error
        return cls.parse(text, str(path))

    @classmethod
    def parse(cls, text: str, source: str = "replay") -> Replay:
        """Like `load`, but from the text of a file, which error messages call `source`."""
        if not isinstance(text, str):
            raise ReplayError(f"{source}: a replay is text, not {type(text).__name__}")
        lines = text.split("\n")
        if lines[0].strip() != _TITLE:
            raise ReplayError(f"{source}, line 1: not a replay: it begins with {lines[0][:40]!r}, not {_TITLE!r}")
        head: dict[str, Any] = {}
        actions: list[int] = []
        movers: list[int] = []
        numbers: list[int] = []
        for number, line in enumerate(lines[1:], 2):
            where = f"{source}, line {number}"
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            if match := _ACTION.fullmatch(line):
                if "actions" in head:
                    raise ReplayError(f"{where}: an action, but the head already lists all of them")
                if int(match[1]) != len(actions) + 1:
                    raise ReplayError(f"{where}: action {match[1]} where {len(actions) + 1} was expected")
                movers.append(int(match[2]))
                actions.append(int(match[3]))
                numbers.append(number)
            elif match := _END.fullmatch(line):
                if int(match[1]) != len(actions):
                    raise ReplayError(f"{where}: {match[1]} actions announced, but there are {len(actions)}")
                rest = [n for n, later in enumerate(lines[number:], number + 1) if later.strip()]
                if rest:
                    raise ReplayError(f"{source}, line {rest[0]}: there is text after the end")
                break
            elif movers:
                raise ReplayError(f"{where}: neither an action nor the end: {line[:60]!r}")
            else:
                key, value = _head_line(where, line)
                if key in head:
                    raise ReplayError(f"{where}: {key} is given twice")
                head[key] = value
                if key == "actions":
                    actions, numbers = list(value), [number] * len(value)
        else:
            raise ReplayError(f"{source}, line {len(lines)}: the file is cut off: the line with the end is missing")
        if missing := [key for key in _KEYS if key not in head and key not in _MAY_LACK]:
            raise ReplayError(f"{source}: {', '.join(missing)} is missing")
        try:
            rewards = [float(value) for value in json.loads(match[3])]
        except (ValueError, TypeError) as error:
            raise ReplayError(f"{where}: not a list of rewards: {match[3]}") from error
        return cls(
            game_id=head["game"],
            options=head["options"],
            rules_hash=head["rules"],
            start=int(head["start"], 16),
            actions=actions,
            players=head["players"],
            seed=head["seed"],
            end=match[2],
            rewards=rewards,
            files=head.get("files", {}),
            _movers=movers,
            _lines=[*numbers, number],
            _source=source,
        )

    def _where(self, number: int) -> str:
        if number < len(self._lines):
            return f"{self._source}, line {self._lines[number]}"
        return f"{self._source}, action {number + 1}"


def _check_game(game: Any) -> None:
    if not isinstance(game, Game):
        raise ReplayError(f"a game is needed, not {type(game).__name__}")


def _head_line(where: str, line: str) -> tuple[str, Any]:
    """Key and value of a line of the head."""
    key, colon, text = line.partition(":")
    if not colon or key not in _KEYS:
        raise ReplayError(f"{where}: {line[:60]!r} is not one of {', '.join(_KEYS)}, an action or the end")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ReplayError(f"{where}: {key} is not a JSON value: {text.strip()[:60]!r}") from error
    if not isinstance(value, _KEYS[key]) or isinstance(value, bool):  # type: ignore[arg-type]
        raise ReplayError(f"{where}: {key} has the wrong type: {text.strip()[:60]!r}")
    if key == "start" and not re.fullmatch(r"[0-9a-f]{16}", value):
        raise ReplayError(f"{where}: start must be 16 hex digits, not {value[:40]!r}")
    if key == "actions" and not all(type(one) is int and 0 <= one < 10**9 for one in value):
        raise ReplayError(f"{where}: actions must be ids, not {text.strip()[:60]!r}")
    if key == "files" and not all(isinstance(content, str) for content in value.values()):
        raise ReplayError(f"{where}: files must be texts, not {text.strip()[:60]!r}")
    if key == "players" and not all(isinstance(name, str) for name in value):
        raise ReplayError(f"{where}: players must be names, not {text.strip()[:60]!r}")
    return key, value


# ------------------------------------------------------------------------------------------------------- card files that a replay carries


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        value = tuple(value.values())
    if isinstance(value, (list, tuple)):
        for entry in value:
            yield from _strings(entry)


def _renamed(value: Any, name: Callable[[str], str]) -> Any:
    """The options with `name` applied to every text in them."""
    if isinstance(value, str):
        return name(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_renamed(entry, name) for entry in value)
    return {key: _renamed(entry, name) for key, entry in value.items()} if isinstance(value, Mapping) else value


def _named(files: Mapping[Path, str], options: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, Any]]:
    """Files and options with matching names, which do not reveal in which folder of the player's machine the files lie."""
    texts = {os.path.abspath(path): content for path, content in files.items()}
    folders = {str(parent) for path in texts for parent in Path(path).parents}
    asked = {text: os.path.abspath(os.path.expanduser(text)) for text in _strings(options) if text}
    named = {text: path for text, path in asked.items() if path in texts or path in folders}
    within = os.path.commonpath([os.path.dirname(path) for path in (*texts, *named.values())]) if texts else ""

    def name(text: str) -> str:
        return Path(os.path.relpath(named[text], within)).as_posix() if text in named else text

    return {Path(path).relative_to(within).as_posix(): text for path, text in texts.items()}, _renamed(
        dict(options), name
    )


def _place(folder: Path, name: str) -> Path:
    """The path of the file `name` among the unpacked files, never outside their folder."""
    return folder.joinpath(posixpath.normpath(f"/{name}").lstrip("/"))


def _unpack(files: Mapping[str, str], folder: Path, source: str) -> None:
    """Write these files to the folder, and nowhere else. Raises ReplayError, which names the file."""
    for name, content in files.items():
        try:
            path = _place(folder, name)
            if folder not in path.resolve().parents:
                raise ValueError("it would lie outside")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8", newline="")
        except (OSError, ValueError) as error:
            raise ReplayError(
                f"{source}: the file {name[:60]!r} that it carries cannot be unpacked: {error}"
            ) from error


def _moved(options: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The options with the paths of the unpacked files."""

    def place(text: str) -> str:
        return str(path) if text and (path := _place(folder, text)).exists() else text

    found: dict[str, Any] = _renamed(options, place)
    return found
