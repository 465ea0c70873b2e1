"""What a person may take back: a decision after which the player saw nothing that was not certain before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from react_env.engine.game import Game

WORLDS = 256  # guesses of what is hidden, in each of which the decision must have led to the same


def why_not(game: Game, before: Any, action: int, after: Any, player: int, others: bool) -> str:
    """Why `player` cannot take back `action`, which led from the state `before` to `after`; "" if it can be taken back.

    It can where nobody else has decided since, no chance was drawn, and what the player sees now was certain before: in each of `WORLDS`
    determinizations of `before` the action leads to the same observation and the same legal actions. So the answer tells nothing of
    what is hidden either, such as whether an opponent who passed could have done otherwise.

    Args:
        game: the rules.
        before, after: records; the player decides in both.
        action: what the player did in `before`.
        player: who asks.
        others: whether another player has decided between the two.
    """
    seen, legal = game.observe(after, player), game.action_mask(after)

    def leads_there(world: Any) -> bool:
        return (
            game.to_play(world) == player
            and np.array_equal(game.observe(world, player), seen)
            and np.array_equal(game.action_mask(world), legal)
        )

    worlds = _worlds(game, before, action, player)
    if not others and before["rng"] == after["rng"] and all(map(leads_there, worlds)):
        return ""
    first = game.event_count(before)
    lines = game.log_lines(after, since=first)
    certain = len(lines)
    for world in _worlds(game, before, action, player):
        certain = min(certain, _alike(lines, game.log_lines(world, since=first)))
        if certain == 0:
            break
    if certain < len(lines):
        return f"you could not know this when you decided: {lines[certain]}"
    if any(" draws " in line for line in lines):
        return "a card has been drawn since"
    return "something hidden has been shown since"


def _worlds(game: Game, before: Any, action: int, player: int) -> Iterator[Any]:
    """To what the action leads in each of the guesses."""
    for seed in range(WORLDS):
        world = game.determinize(before, player, seed)
        game.step(world, action)
        yield world


def _alike(lines: list[str], others: list[str]) -> int:
    """How many lines from the first one on are the same."""
    for number, (line, other) in enumerate(zip(lines, others, strict=False)):
        if line != other:
            return number
    return min(len(lines), len(others))
