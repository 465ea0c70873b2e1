"""Games by id: the library's own, and those of other packages.

Each game has one `Description`, which says what it is. A package announces its game with an entry point in the group ``react_env.games``,
whose name is the id and whose value is the description:

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

DEFAULT_GAME = "arts_of_war-v0"  # of commands that name no game
GAMES = {  # id -> description
    DEFAULT_GAME: "react_env.games.arts_of_war:GAME",
    "fight_sequence-v0": "react_env.games.fight_sequence:GAME",
    "react_fast-v0": "react_env.games.react_fast:GAME",
    "reality_tcg-v0": "react_env.games.reality_tcg:GAME",
}


@dataclass(frozen=True)
class Description:
    """What the rest of the library knows about a game. Only `id`, `title` and `load` are required.

    Parts are named as "module" or "module:name" and imported only when they are needed, so a description costs nothing.

    Attributes:
        id: "my_game-v0".
        title: the name that people use.
        brief: for newcomers: how to win and what to do, in a few sentences.
        load: load(**options) -> Game.
        players: the fewest and the most players; two if not given.
        config: the pydantic model of the options that set rules; its fields are parameters in OpenSpiel and a table in the docs.
        seats: the option that names what each seat brings, such as "decks"; None if the seats bring nothing.
        terminal: a module with draw(console, game, state, player, you), which prints a position; without it the text is printed.
        words: a module with card_words(game, state, player) -> list of `react_env.content.words.Words`, the texts of the game's cards; and,
            if some questions do not explain themselves, question_words(game, state), the text that explains the present one.
        live: for a game against the clock, a module with play(console, game, choose, seat, seed), which lets a person play it in a
            terminal; `choose` picks the other players' action in a record. The module also has options_of(game, seat) and
            Live(game, choose, seat, seed, screen), for any other screen.
        card_files: a `react_env.content.card_files.CardFiles`, for ``react-env cards``.
        lab: a `react_env.evaluation.lab.subject.Subject`, which tells ``react-env balance`` about a game whose seats bring something.
        balance: a Typer command that ``react-env balance`` runs instead.
        deck_space: a `react_env.evaluation.deck_search.DeckSpace` for ``react-env decks search``, if players of the game build decks.
        chance: a module that makes the chance of a game explicit for OpenSpiel (`react_env.envs.openspiel`).
        tables: a mapping name -> function: further tables for the game's docs.
        small: options that make the game so small that its whole tree can be walked.
        every: options that make each deal draw what the seats bring.
        goals: benchmark figure -> the value that it should reach.
        levels: easy, medium, hard -> the name of an agent, and the share of its decisions in which it takes a random legal action;
            chosen so that each level wins about three of four games against the one below, and the champion against hard.
        champion: the agent that plain ``champion``, without a colon, stands for, such as "mcts:256,net=champion:4"; by default the model
            itself.
        studied_by: the agents that play in ``react-env balance`` without --agent.
        hidden, drawn: for the docs: what players do not see, and what chance decides.
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
        """Import the part that a field names; None if the field is empty. Raises ImportError or AttributeError if there is no such part."""
        found: str = getattr(self, name)
        return imported(found) if found else None


def imported(name: str) -> Any:
    """The module of this name, or for "module:name" the object `name` in it."""
    module, _, attribute = name.partition(":")
    found = import_module(module)
    return getattr(found, attribute) if attribute else found


@cache
def _installed() -> dict[str, str]:
    return {point.name: point.value for point in entry_points(group="react_env.games")}


def _names() -> dict[str, str]:
    """Id -> "module:name" of the description. The library's games come first, and another package cannot take their ids."""
    return {**GAMES, **{name: value for name, value in _installed().items() if name not in GAMES}}


def game_ids() -> tuple[str, ...]:
    """The ids that `load` knows."""
    return tuple(_names())


def describe(game_id: str) -> Description:
    """The description of a game.

    Raises:
        OptionError: there is no such game, or the package that announces it has no usable description of it.
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
    """The description of a game, or an empty one if it has none."""
    try:
        return describe(game_id)
    except OptionError:
        return Description(game_id, game_id, "")


def descriptions() -> dict[str, Description]:
    """Id -> description of every game that has a usable one."""
    found = {game_id: described(game_id) for game_id in game_ids()}
    return {game_id: found for game_id, found in found.items() if found.load}  # `describe` raises for the others


def small_games() -> str:
    """The games that can be made so small that their whole tree can be walked, in words: "my_game-v0 with size='small'"."""
    found = [(name, about.small) for name, about in descriptions().items() if about.small]
    return ", ".join(f"{name} with {', '.join(f'{k}={v!r}' for k, v in small.items())}" for name, small in found)


def option_words(game_id: str, options: Mapping[str, Any]) -> list[str]:
    """A game and its options as quoted words of a command line."""
    words = [] if game_id == DEFAULT_GAME else ["--game", game_id]
    seats = describe(game_id).seats
    for name, value in options.items():
        if seats is not None and name == seats:
            words += [f"--{name}", value if isinstance(value, str) else ",".join(map(str, value))]
        else:
            words += ["--set", f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
    return [shlex.quote(word) for word in words]


def plain(value: Any) -> Any:
    """An option's value without NumPy arrays and numbers, which files, pickles and other libraries' parameters do not accept."""
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
        options: keywords of that game; see its page. NumPy numbers become plain numbers, arrays become tuples.

    Raises:
        OptionError: no such game, an unknown option or an impossible value, or a game of another package that cannot be imported or is
            not as its description says.
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
    others = len(known) < len(parameters)  # **keywords, such as the rules
    if others and (rules := description.part("config")) is not None:
        known, others = [*known, *rules.model_fields], False
    unknown = [] if others else [name for name in options if name not in known]
    if unknown:
        raise UnsupportedOption.named(unknown[0], known, game_id)
    package = import_module(description.load.partition(":")[0].partition(".")[0]).__file__
    with noting(Path(package).resolve().parent if package else None) as files:
        game = make(**{name: plain(value) for name, value in options.items()})
    game.files = files
    fewest, most = description.players
    if not fewest <= game.num_players <= most:  # by which the page offers seats
        raise OptionError(
            f"{game_id}: {description.load} made a game for {game.num_players} players, but its Description.players are "
            f"{description.players}, the fewest and the most"
        )
    if game.id != game_id:  # by which replays, models and other processes load it
        raise OptionError(f"{game_id}: {description.load} made a game with the id {game.id!r} in its Identity")
    return game
