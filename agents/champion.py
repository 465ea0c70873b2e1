"""The champions that ship with the library: one trained network for each game that has one.

agents/champions/GAME/model.safetensors, model.json    the network (agents.neural)
agents/champions/GAME/README.md                        how it was made, and how good it is
"""

from __future__ import annotations

from pathlib import Path

from react_env.errors import OptionError

FOLDER = Path(__file__).parent / "champions"


def games() -> tuple[str, ...]:
    """The games that have a champion."""
    return tuple(sorted(file.parent.name for file in FOLDER.glob("*/model.safetensors")))


def path(game_id: str) -> Path:
    """The file of a game's champion. OptionError for a game that has none."""
    if game_id not in games():
        raise OptionError(f"{game_id} has no champion; there is one for: {', '.join(games()) or 'no game yet'}")
    return FOLDER / game_id / "model.safetensors"
