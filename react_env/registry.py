"""Games by id: those of the library, and those of other packages.

A game tells what it is by one `Description`. A package makes its game known by an entry point of the group ``react_env.games``, whose name
is the id and whose value is the description:

    [project.entry-points."react_env.games"]
    my_game-v0 = "my_package:GAME"

    GAME = Description("my_game-v0", "My Game", load="my_package.game:load")
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from react_env.errors import OptionError, UnsupportedOption
from react_env.files import noting

if TYPE_CHECKING:
    from react_env.engine.game import Game

DEFAULT_GAME = "arts_of_war-v0"  # where a command names none
GAMES = {  # id -> description
    DEFAULT_GAME: "react_env.games.arts_of_war:GAME",
    "fight_sequence-v0": "react_env.games.fight_sequence:GAME",
    "react_fast-v0": "react_env.games.react_fast:GAME",
    "reality_tcg-v0": "react_env.games.reality_tcg:GAME",
}


@dataclass(frozen=True)
class Description:
    """What the rest of the library knows about a game. Only `id`, `title` and `load` are needed.

    Parts are named as "module:name" and imported only when they are needed, so a description costs nothing.

    Attributes:
        id: "my_game-v0".
        title: as people call it.
        brief: for newcomers: how to win and what to do, in a few sentences.
        load: load(**options) -> Game.
        players: the fewest and the most.
        config: the pydantic model of the options that are rules; its fields are parameters of OpenSpiel and a table of the docs.
        seats: what each seat brings.
        terminal: a module with draw(console, game, state, player, you), which prints a position. Without it the text is.
        words: a module with card_words(game, state, player) -> list of `react_env.content.words.Words`, the texts of its cards; and, where
            questions do not say everything, question_words(game, state), the text behind one.
        live: a module with play(console, game, choose, seat, seed), a person against the clock in a terminal, in a game that has one;
            `choose` is what the others do in a record. And options_of(game, seat) and Live(game, choose, seat, seed, screen), the same on
            any screen.
        card_files: a `react_env.content.card_files.CardFiles`, for ``react-env cards``.
        lab: a `react_env.evaluation.lab.subject.Subject`, what ``react-env balance`` asks of a game whose seats bring something.
        balance: what ``react-env balance`` does instead, a function as Typer takes it.
        deck_space: a `react_env.evaluation.deck_search.DeckSpace`, of a game whose players build decks, for ``react-env decks search``.
        chance: a module that makes the chance of a game explicit for OpenSpiel (`react_env.envs.openspiel`).
        tables: a mapping name -> function, further tables of the game's docs.
        small: options of a form that is so small that its whole tree can be walked.
        every: options by which each deal draws what the seats bring.
        goals: figure of the benchmark -> what it should reach.
        levels: easy, medium, hard -> the name of an agent, and the share of its decisions in which it takes a random legal action;
            chosen so that each wins about three games of four against the level below, and the champion against hard.
        champion: what plain ``champion``, without a colon, stands for, such as "mcts:256,net=champion:4"; if not given, the model
            itself.
        studied_by: the agents that play in ``react-env balance`` without --agent.
        hidden, drawn: for the docs, what players do not see, and what chance decides.
    """

    id: str
    title: str
    load: str
    brief: str = ""
    players: tuple[int, int] = (2, 2)
    config: str = ""
    seats: str | None = None
    terminal: str = ""
    words: str = ""
    live: str = ""
    card_files: str = ""
    lab: str = ""
    balance: str = ""
    deck_space: str = ""
    chance: str = ""
    tables: str = ""
    small: Mapping[str, Any] = field(default_factory=dict)
    every: Mapping[str, Any] = field(default_factory=dict)
    goals: Mapping[str, float] = field(default_factory=dict)
    levels: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    champion: str = ""
    studied_by: tuple[str, ...] = ("greedy", "scripted", "champion")
    hidden: str = ""
    drawn: str = ""

    def part(self, name: str) -> Any:
        """The part that a field names, imported; None where there is none. ImportError where it is not there."""
        found: str = getattr(self, name)
        return imported(found) if found else None


def imported(name: str) -> Any:
    """The module, or what stands in it behind a colon."""
    module, _, attribute = name.partition(":")
    found = import_module(module)
    return getattr(found, attribute) if attribute else found


@cache
def _installed() -> dict[str, str]:
    return {point.name: point.value for point in entry_points(group="react_env.games")}


def _names() -> dict[str, str]:
    """Id -> description, of the library's games first; another package cannot take their ids."""
    return {**GAMES, **{name: value for name, value in _installed().items() if name not in GAMES}}


def game_ids() -> tuple[str, ...]:
    """The ids that `load` knows."""
    return tuple(_names())


def describe(game_id: str) -> Description:
    """The description of a game.

    Raises:
        OptionError: no such game, or one of another package whose description cannot be had.
    """
    if not isinstance(game_id, str) or game_id not in _names():
        raise OptionError(f"there is no game {game_id!r:.80}; there are: {', '.join(game_ids())}")
    name = _names()[game_id]
    try:
        found = imported(name)
    except (ImportError, AttributeError) as error:
        if game_id in GAMES:
            raise
        raise OptionError(f"{game_id}: its description {name} cannot be imported: {error}") from error
    if not isinstance(found, Description) or found.id != game_id:
        raise OptionError(f"{game_id}: {name} is not the description of this game but {found!r:.80}")
    return found


def described(game_id: str) -> Description:
    """The description of a game; of one that was made without, an empty one."""
    try:
        return describe(game_id)
    except OptionError:
        return Description(game_id, game_id, "")


def descriptions() -> dict[str, Description]:
    """Id -> description of every game that can be had."""
    found = {game_id: described(game_id) for game_id in game_ids()}
    return {game_id: found for game_id, found in found.items() if found.load}  # the others are told to whoever asks


def small_games() -> str:
    """In words, the games with a form whose whole tree can be walked: "my_game-v0 with size='small'"."""
    found = [(name, about.small) for name, about in descriptions().items() if about.small]
    return ", ".join(f"{name} with {', '.join(f'{k}={v!r}' for k, v in small.items())}" for name, small in found)


def option_words(game_id: str, options: Mapping[str, Any]) -> list[str]:
    """A game and its options as words of a command line."""
    words = [] if game_id == DEFAULT_GAME else ["--game", game_id]
    seats = describe(game_id).seats
    for name, value in options.items():
        if seats is not None and name == seats:
            words += [f"--{name}", value if isinstance(value, str) else ",".join(map(str, value))]
        else:
            words += ["--set", f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
    return [shlex.quote(word) for word in words]


def plain(value: Any) -> Any:
    """A value of an option without arrays and their numbers, which files, pickles and other libraries' parameters do not take."""
    if hasattr(value, "tolist"):
        value = value.tolist()
        return plain(tuple(value)) if isinstance(value, list) else value
    if isinstance(value, (list, tuple)):
        return tuple(map(plain, value)) if isinstance(value, tuple) else list(map(plain, value))
    return {key: plain(entry) for key, entry in value.items()} if isinstance(value, dict) else value


def load(game_id: str, **options: Any) -> Game:
    """Load a game with its options.

    The first time on a machine its rules are compiled, which takes up to a minute; a message on stderr says so.

    Args:
        game_id: one of `game_ids()`.
        options: keywords of that game; see its page. NumPy arrays and numbers become plain values, arrays tuples.

    Raises:
        OptionError: no such game, an unknown option or an impossible value, or a game of another package that cannot be imported.
    """
    description = describe(game_id)
    try:
        make: Callable[..., Game] = description.part("load")
    except (ImportError, AttributeError) as error:
        if game_id in GAMES:
            raise
        raise OptionError(f"{game_id}: {description.load} cannot be imported: {error}") from error
    parameters = signature(make).parameters.values()
    known = [one.name for one in parameters if one.kind != Parameter.VAR_KEYWORD]
    others = len(known) < len(parameters)  # such as the rules
    if others and (rules := description.part("config")) is not None:
        known, others = [*known, *rules.model_fields], False
    unknown = [] if others else [name for name in options if name not in known]
    if unknown:
        raise UnsupportedOption.named(unknown[0], known, game_id)
    package = import_module(description.load.partition(":")[0].partition(".")[0]).__file__
    with noting(Path(package).resolve().parent if package else None) as files:
        game = make(**{name: plain(value) for name, value in options.items()})
    game.files = files
    if game.id != game_id:  # which replays, models and other processes load it by
        raise OptionError(f"{game_id}: {description.load} made a game with the id {game.id!r} in its Identity")
    return game
