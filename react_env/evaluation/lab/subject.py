"""What the laboratory asks of a game: what may sit at a seat, what a side can play, how a game has ended.

`Subject` answers for any game whose record has the engine's fields. A game with sides (artists, decks) has its own class, which its
description names in `lab`.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from react_env.content.card_files import home
from react_env.content.files import read_text
from react_env.engine.game import Game
from react_env.errors import OptionError
from react_env.evaluation.arrays import Ints
from react_env.evaluation.lab.edits import Edition
from react_env.registry import describe, load

STANDARD = "standard"  # the installed card files


class Item(NamedTuple):
    """Something that a side may play, or that may happen to it: a card, an effect, a feat."""

    id: str  # by which it is forbidden
    name: str
    part: bool = False  # of another item, as an effect is part of its card
    can_be_forbidden: bool = True


class Ban(NamedTuple):
    """One side may not play one of its items."""

    side: str
    item: str

    def lists(self, sides: Sequence[str]) -> list[list[str]]:
        """The ban in the form of a game's option `forbidden`: the first seat of the side may not play the item."""
        found: list[list[str]] = [[] for _ in sides]
        found[list(sides).index(self.side)].append(self.item)
        return found


class Figure(NamedTuple):
    """A figure from a game's own events: how many of one thing for each of another."""

    name: str
    share: bool = True  # of the other thing, shown in percent


@dataclass(frozen=True)
class Goals:
    """What a fair game should keep to. Shares are of games, lengths in the game's own unit; None: no goal."""

    pairing: tuple[float, float] | None = (0.25, 0.75)  # the score of a side against another
    side: tuple[float, float] | None = None  # the score of a side against all others
    sides: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # the same for single sides
    began: tuple[float, float] | None = (0.44, 0.56)  # the first player's share of the games with a winner
    ties: float | None = 0.03  # at most
    cut: float | None = 0.01  # at most: games ended by a limit
    length: tuple[float, float] | None = None  # the median game
    played: float | None = None  # at least: the games of its side in which an item is played
    part_played: float | None = None  # at least, for an item that is part of another
    figures: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # by the name of the figure


class Moves(NamedTuple):
    """One step of M games; all arrays are (M,)."""

    rows: Ints  # the numbers of the games
    players: Ints  # who chose
    actions: Ints
    before: NDArray[Any]  # their records
    after: NDArray[Any]


class Watch:
    """Counts what happens in N games at once.

    Attributes:
        used: (N, P, I) bool, which items each player has played, I the most items of any side.
        counted: (N, P, F, 2) int32, for each player and figure how many of the one thing and of the other.
    """

    def __init__(self, games: int, players: int, items: int, figures: int = 0) -> None:
        self.used = np.zeros((games, players, items), np.bool_)
        self.counted = np.zeros((games, players, figures, 2), np.int32)

    def step(self, moves: Moves) -> None:
        """Look at one step."""


class Subject:
    """A game under study, with some of its options set.

    Attributes:
        game_id: the id of the game.
        options: its options that are the same in all games.
        sides: what may sit at a seat, by id; () if all seats bring the same.
        side_word: what sits at a seat ("artist"); "" if all seats bring the same.
        edition_option: the option that names an edition of card files; "" if an edition is the files of the sides.
        ways: how a game may be won or tied, in words that follow "won by" and "tied by".
        limit: which of the ways means that a rule ended a game that took too long; "" if there is no such rule.
        figures: what its watch counts.
        goals: what it is measured by.
    """

    side_word = ""
    edition_option = ""
    ways: tuple[str, ...] = ("won",)
    limit = ""
    figures: tuple[Figure, ...] = ()
    goals = Goals()

    def __init__(self, game_id: str, options: Mapping[str, Any], sides: Sequence[str] = ()) -> None:
        """`sides`: names or paths of those to study; none: all that are installed. Raises OptionError and CardError as the game does."""
        seats = describe(game_id).seats
        if seats is not None and seats in options:
            raise OptionError(f"{seats} are the sides of a study; name them by --sides")
        if sides and not self.side_word:
            raise OptionError(f"sides: {', '.join(sides)}; in {game_id} all seats are alike")
        self.game_id = game_id
        self.options = dict(options)
        self.sides: tuple[str, ...] = ()

    def edition(self, name: str) -> tuple[Mapping[str, Any], tuple[str, ...]]:
        """(options, sides) of the same study with the card files of that edition. OptionError if the game has no editions."""
        raise OptionError(f"{self.game_id} has no editions of card files")

    def files(self, name: str | None) -> Path:
        """The folder of card files of that name; without a name the usual one. OptionError if the game has no editions."""
        raise OptionError(f"{self.game_id} has no editions of card files")

    def texts(self, name: str) -> Mapping[str, str]:
        """File -> text of all card files of an edition, including those it leaves as installed. From them a report tells what was edited;
        without texts it does not."""
        return {}

    def title(self, side: str) -> str:
        """A side in words."""
        return side

    def items(self, side: str) -> tuple[Item, ...]:
        """What a side can play, and what can be forbidden to it."""
        return ()

    def load(self, sides: Sequence[str], ban: Ban | None = None) -> Game:
        """The game with these sides at its seats, () if there are none; the first seat of `ban.side` may not play the item."""
        if ban is not None:
            raise OptionError(f"{self.game_id} has nothing that can be forbidden to one side")
        return load(self.game_id, **self.options)

    def played_by(self, game: Game, sides: Sequence[str]) -> bytes:
        """All that a game of these sides depends on: two editions with the same bytes play the same game, whatever their texts say."""
        return game.tables.tobytes()

    def watch(self, game: Game, sides: Sequence[str], games: int) -> Watch:
        """A Watch that counts the items played in so many games."""
        return Watch(games, game.num_players, 0)

    def began(self, state: Any) -> int:
        """The seat that began, from a record in the middle of a game or at its end; -1 if there is no first player."""
        return int(state["first"]) if "first" in state.dtype.names else -1

    @property
    def length_unit(self) -> str:
        """The unit of a game's length."""
        names = load(self.game_id, **self.options).state_dtype.names or ()
        return "turns" if "turn" in names else "decisions"

    def length(self, last: Any) -> int:
        """How long the game was, by its last record; -1 if the record does not say, and decisions are to be counted."""
        return int(last["turn"]) if "turn" in last.dtype.names else -1

    def way(self, last: Any) -> int:
        """How a game that was not cut has ended, by its last record: an index of `ways`."""
        return 0


class FileSubject(Subject, ABC):
    """A game in which a card file with an `id` and a `name` sits at each seat."""

    length_unit = "turns"

    def __init__(self, game_id: str, options: Mapping[str, Any], sides: Sequence[str] = ()) -> None:
        super().__init__(game_id, options, sides)
        self._files: dict[str, Any] = {}  # by id
        self._names: dict[str, str] = {}  # the names or paths as given, by id
        for name in sides or self.installed():
            file = self.read(name)
            if file.id in self._files:
                raise OptionError(f"{self.side_word} {file.id!r} is listed twice")
            self._files[file.id], self._names[file.id] = file, name
        self.sides = tuple(self._files)

    @abstractmethod
    def installed(self) -> Sequence[str]:
        """The names of the files that come with the game."""

    @abstractmethod
    def read(self, name: str) -> Any:
        """The file of that name or path. Raises OptionError and CardError."""

    def title(self, side: str) -> str:
        name = str(self._files[side].name)
        return name if [str(file.name) for file in self._files.values()].count(name) == 1 else f"{name} ({side})"


class DeckSubject(FileSubject):
    """A game in which a deck sits at each seat. An edition is a folder of files named after decks; other decks stay as they are."""

    side_word = "deck"

    def edition(self, name: str) -> tuple[Mapping[str, Any], tuple[str, ...]]:
        if name == STANDARD:
            return self.options, self.sides
        if not os.path.isdir(folder := home(name)):
            raise OptionError(f"there is no folder {name}; {STANDARD} is that of the installed decks")
        own = {deck: folder / f"{deck}.yaml" for deck in self.sides}
        found = [str(own[deck]) if own[deck].is_file() else self._names[deck] for deck in self.sides]
        if not any(file.is_file() for file in own.values()):
            raise OptionError(
                f"{name} has none of {', '.join(file.name for file in own.values())}; a deck's file is named after it, "
                "and a deck without a file there plays as it is installed"
            )
        return self.options, tuple(found)

    def files(self, name: str | None) -> Path:
        if name is None:
            raise OptionError(
                "name a folder with the files of the decks, and of the cards if they may move too, by --edition"
            )
        return home(name)

    def texts(self, name: str) -> Mapping[str, str]:
        files = describe(self.game_id).part("card_files")
        found = {f"{one}.yaml": read_text(files.file(one)) for one in files.names(STANDARD)} if files else {}
        return found if name == STANDARD else {**found, **Edition(home(name)).texts}
