"""Ways to play Fight Sequence nearly at random; each makes other things happen often."""

from __future__ import annotations

from typing import Any

from react_env.games.fight_sequence.actions import A_ATTACK, A_CARD, A_DECLINE, A_PASS, A_RESPOND
from tests.properties import Chooser, uniform


def passing(rng: Any, legal: list[int]) -> int:
    """Mostly passes: full hands, cards put back, Willpower in the hand."""
    return A_PASS if A_PASS in legal and rng.random() < 0.65 else uniform(rng, legal)


def building(rng: Any, legal: list[int]) -> int:
    """Seldom passes or declines: full sequences, empty hands."""
    liked = [action for action in legal if action not in (A_PASS, A_DECLINE)]
    return uniform(rng, liked if liked and rng.random() < 0.9 else legal)


def responding(rng: Any, legal: list[int]) -> int:
    """Builds responses and keeps its Willpower: long games with empty decks."""
    liked = [action for action in legal if A_RESPOND <= action < A_CARD or action == A_DECLINE]
    return uniform(rng, liked if liked and rng.random() < 0.75 else legal)


def attacking(rng: Any, legal: list[int]) -> int:
    """Builds attacks: short games."""
    liked = [action for action in legal if A_ATTACK <= action < A_RESPOND]
    return uniform(rng, liked if liked and rng.random() < 0.75 else legal)


CHOOSERS: list[Chooser] = [uniform, passing, building, responding, attacking]
