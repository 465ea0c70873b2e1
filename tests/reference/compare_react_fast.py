"""Play a game with the React Fast engine and the reference model in lockstep, and compare everything they show."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tests.reference.common import TEXT_EVERY, lockstep
from tests.reference.react_fast import Deal, ReferenceGame

RING = 32  # event rows that the engine's record keeps
Temperament = Callable[[random.Random, ReferenceGame], int]


def uniform(rng: random.Random, game: ReferenceGame) -> int:
    """Any legal action."""
    return rng.choice(game.legal_actions())


def choosing(slap_at: float, slap_else: float, activate: float) -> Temperament:
    """Slaps with the first chance if there is a pair, with the second if there is none; activates with the third."""

    def choose(rng: random.Random, game: ReferenceGame) -> int:
        legal = game.legal_actions()
        names = [game.names[action] for action in legal]
        if "slap" in names:
            face, before = game.table.face, game.table.before
            pair = face is not None and before is not None and game._match(face, before)
            return legal[names.index("slap" if rng.random() < (slap_at if pair else slap_else) else "hold")]
        if "activate nothing" in names and rng.random() > activate:
            return legal[0]
        return rng.choice(legal)

    return choose


careful, collector, jumpy, passive = (
    choosing(0.9, 0.02, 0.3),
    choosing(0.9, 0.05, 1.0),
    choosing(0.7, 0.3, 0.5),
    choosing(0.2, 0.0, 0.1),
)
TEMPERAMENTS: tuple[Temperament, ...] = (uniform, careful, collector, jumpy, passive)


def compare(
    game: Any,
    seed: int,
    rules: dict[str, Any],
    profiles: list[dict[str, Any]],
    players: list[Temperament],
    seen: Counter[str] | None = None,
) -> int:
    """Play one game and return the number of decisions. Raise AssertionError at the first difference. `seen` counts what happened."""
    rng = random.Random(seed)
    state = game.new(seed=seed)
    model = ReferenceGame(rules, profiles, opening(game, seed))

    def clocks() -> list[str]:
        if abs(float(state["clock"]) - model.clock) <= 1e-3:
            return []
        return [f"clock: engine {state['clock']}, reference {model.clock}"]

    def looked(number: int, texts: bool) -> Iterable[int]:
        """One player after another, and the player to move: all of them each time would take too long with eight players."""
        if model.over:
            return range(game.num_players)
        return {number // TEXT_EVERY % game.num_players, model.to_play} if texts else ()

    decisions = lockstep(
        game, state, model, seed, RING, lambda: players[model.to_play](rng, model), looked, model.knowledge, clocks
    )
    if seen is not None:
        seen.update(model.played)
    return decisions


def opening(game: Any, seed: int) -> Deal:
    """What the engine deals for a seed."""
    from react_env.engine.plain import from_python
    from react_env.engine.rng import seed_word
    from react_env.games.react_fast.turn import deal
    from react_env.games.react_fast.view import card_name

    states = np.zeros(1, game.state_dtype)
    states["rng"] = seed_word(seed)
    states["face"] = -1
    s = states[0]
    from_python(deal)(s, game.tables[0])
    decks = [[card_name(int(code) & 63) for code in s["deck"][p][: s["size"][p]]] for p in range(game.num_players)]
    rest = [card_name(int(code) & 63) for code in s["pile"][: s["pile_size"]]]
    return Deal(decks, rest, int(states["rng"][0]))
