"""The games, one folder each. The package itself can be called: `react_env.games()` lists the ids that `react_env.load` knows.

`react_env.games` would otherwise be the list or the folder, by the order of imports.
"""

from __future__ import annotations

import sys
from types import ModuleType

PACKAGES = {  # id -> package with load(**options)
    "arts_of_war-v0": "react_env.games.arts_of_war",
    "fight_sequence-v0": "react_env.games.fight_sequence",
}


class _Games(ModuleType):
    def __call__(self) -> tuple[str, ...]:
        """The ids that `react_env.load` knows."""
        return tuple(PACKAGES)


sys.modules[__name__].__class__ = _Games
