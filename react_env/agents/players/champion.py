"""The champions that ship with the library: one trained network for each game that has one.

react_env/agents/champions/GAME/model.safetensors, model.json    the network (agents.players.neural) or value (agents.players.learned_value)
react_env/agents/champions/GAME/README.md                        how it was made, and how good it is
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from react_env.agents.models.model import ValueArchitecture, load_model
from react_env.errors import OptionError

FOLDER = Path(__file__).parents[1] / "champions"


def games() -> tuple[str, ...]:
    """The games that have a champion."""
    return tuple(sorted(file.parent.name for file in FOLDER.glob("*/model.safetensors")))


def knows(game: Any) -> bool:
    """Whether the champion of this game was trained for its rules and options."""
    if game.id not in games():
        return False
    info = load_model(path(game.id))[1]
    return game.rules_hash in (info.rules_hash, *info.covers)


def spec(game_id: str, argument: str = "") -> str:
    """What `agents.load` takes for ``champion:ARGUMENT``.

    OptionError for a game that has no champion, or an argument that it cannot take.
    """
    file = path(game_id)
    has_value = isinstance(load_model(file)[1].architecture, ValueArchitecture)
    if has_value:
        from react_env.agents.players.learned_value import options_of

        options_of("champion", argument)
    elif argument not in ("", "sample"):
        raise OptionError(f"champion:{argument}: the champion of {game_id} is champion or champion:sample, which draws")
    return f"{file}:{argument}" if argument else str(file)


def path(game_id: str) -> Path:
    """The file of a game's champion. OptionError for a game that has none."""
    if game_id not in games():
        raise OptionError(f"{game_id} has no champion; there is one for: {', '.join(games()) or 'no game yet'}")
    return FOLDER / game_id / "model.safetensors"
