"""The texts of a game's cards, from the module that its description names (`Description.words`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from react_env.registry import described

if TYPE_CHECKING:
    from react_env.engine.game import Game


class Words(NamedTuple):
    """A card or something else of a game that has a name and does something."""

    player: int  # whose it is
    name: str
    lines: list[str]
    held: int  # copies in the own hand that this player can see, or 1 for something that is always ready there


def card_words(game: Game, state: Any, player: int) -> list[Words]:
    """The cards and other things in this game that have a text, the player's own first; empty for a game without card texts."""
    part = described(game.id).part("words")
    return [] if part is None else part.card_words(game, state, player)


def asked_words(game: Game, state: Any) -> str:
    """What the player to move is asked, in a few words: the last line of the position's text, without the name of the player."""
    last = game.text(state, game.to_play(state)).rstrip().splitlines()[-1]
    return last.partition(": ")[2] or last


def question_words(game: Game, state: Any) -> str:
    """The text that explains the present question, if the question does not explain itself; else ""."""
    part = described(game.id).part("words")
    return str(part.question_words(game, state)) if hasattr(part, "question_words") else ""
