"""The texts of the traveling cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from react_env.content.words import Words
from react_env.games.react_fast import state as S
from react_env.games.react_fast.view import card_name

if TYPE_CHECKING:
    from react_env.engine.game import Game

TEXTS = {  # of the traveling cards: for whom, and what they do
    S.J2: ("everybody, until the round ends", "Every chance card has one chance more, also one that lies on top."),
    S.J3: ("everybody, until the round ends", "Two cards of one suit in a row may be slapped, too."),
    S.C4: ("a player, until the round ends", "Places two cards folded into one; only the upper one exists."),
    S.C5: ("a player, once", "Plays this turn in your place; chance cards are yours."),
    S.G6: ("your opponents, once", "Each gives two cards to the pile. They are one card, and only the top is live."),
    S.G7: ("you, until you slap or the round ends", "Nobody else may slap."),
    S.A8: ("you, until the round ends", "You may skip turns in which chances are to be answered."),
    S.A9: ("you, once", "You take the top card of the pile. No chance is pending any more."),
}


def card_words(game: Game, state: Any, player: int) -> list[Words]:
    """The eight traveling cards, with those of `player` first."""
    found = []
    needed = game.tables[0]["needed"]
    for card in sorted(range(S.TRAVELING), key=lambda card: int(state["owner"][card]) != player):
        whom, text = TEXTS[card]
        lines = [f"For {whom}. {text}", f"Whoever slaps the {card_name(int(needed[card]))} gets it, unused."]
        found.append(Words(player, S.TRAVELING_NAMES[card], lines, int(state["owner"][card] == player)))
    return found
