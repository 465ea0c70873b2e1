"""The champions that ship with the library: a trained model for the usual options of a game, and for some games models for other options.

react_env/agents/champions/GAME/model.safetensors, model.json    the network (agents.players.neural) or value (agents.players.learned_value)
react_env/agents/champions/GAME/README.md                        how it was made, and how good it is
react_env/agents/champions/GAME/VARIANT/...                      the same for other options, such as another number of players
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from react_env.agents.models.model import ValueArchitecture, load_model
from react_env.errors import OptionError
from react_env.registry import described

FOLDER = Path(__file__).parents[1] / "champions"


def games() -> tuple[str, ...]:
    """The games that have a champion."""
    return tuple(sorted(file.parent.name for file in FOLDER.glob("*/model.safetensors")))


def files(game_id: str) -> tuple[Path, ...]:
    """The files of a game's champions, the one for its usual options first. OptionError for a game that has none."""
    return (path(game_id), *sorted((FOLDER / game_id).glob("*/model.safetensors")))


def file_for(game: Any) -> Path | None:
    """The file of the champion that was trained for these rules and options; None if there is none."""
    if game.id not in games():
        return None
    for file in files(game.id):
        info = load_model(file)[1]
        if game.rules_hash in (info.rules_hash, *info.covers):
            return file
    return None


def knows(game: Any) -> bool:
    """Whether the champion of this game was trained for its rules and options."""
    return file_for(game) is not None


def spec(game: Any, argument: str = "") -> str:
    """What `agents.load` takes for the model of ``champion:ARGUMENT``: the champion of these rules, or else of the usual ones.

    OptionError for a game that has no champion, or for an argument that its champion cannot take.
    """
    file = file_for(game) or files(game.id)[0]
    has_value = isinstance(load_model(file)[1].architecture, ValueArchitecture)
    if has_value:
        from react_env.agents.players.learned_value import options_of

        options_of("champion", argument, game)
    elif argument not in ("", "sample"):
        raise OptionError(f"champion:{argument}: the champion of {game.id} is champion or champion:sample, which draws")
    return f"{file}:{argument}" if argument else str(file)


def played_by(model: Path, game_id: str) -> str:
    """What `agents.load` takes so that `model` plays as the champion of its game does (`react_env.registry.Description.champion`)."""
    usual = described(game_id).champion
    return usual.replace("net=champion", f"net={model}") if usual else str(model)


def path(game_id: str) -> Path:
    """The file of a game's champion for its usual options. OptionError for a game that has none."""
    if game_id not in games():
        raise OptionError(f"{game_id} has no champion; there is one for: {', '.join(games()) or 'no game yet'}")
    return FOLDER / game_id / "model.safetensors"
