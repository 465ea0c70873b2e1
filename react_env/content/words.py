"""The texts of a game's cards, by what its description offers (`Description.words`)."""

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
    held: int  # copies that this player can see in the own hand, or 1 for what always lies ready there


def card_words(game: Game, state: Any, player: int) -> list[Words]:
    """What there is in this game, own things first; empty for a game without card texts."""
    part = described(game.id).part("words")
    return [] if part is None else part.card_words(game, state, player)


def asked_words(game: Game, state: Any) -> str:
    """What the player to move is asked, in a few words: the last line of the position's text without who that is."""
    last = game.text(state, game.to_play(state)).rstrip().splitlines()[-1]
    return last.partition(": ")[2] or last


def question_words(game: Game, state: Any) -> str:
    """The text of what asks the question at hand, where the question itself does not tell; "" elsewhere."""
    part = described(game.id).part("words")
    return str(part.question_words(game, state)) if hasattr(part, "question_words") else ""
