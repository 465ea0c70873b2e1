"""The texts of Fight Sequence's cards."""

from __future__ import annotations

from typing import Any

from react_env.content.words import Words
from react_env.games.fight_sequence import state as S
from react_env.games.fight_sequence.game import FightSequence


def card_words(game: FightSequence, state: Any, player: int) -> list[Words]:
    """The cards of both decks, with those of `player` first."""
    found = []
    for seat in (player, 1 - player):
        for number, card in enumerate(game.decks[seat].cards):
            attack = f"Attack: Speed {card.speed}, {card.power} {card.type}"
            if card.effect is not None:
                timing = game.tables[0]["effect"][seat, S.ATTACK, number, 1]  # an option may have changed it
                attack += f", {'immediate' if timing == S.IMMEDIATE else 'timed'}: {card.effect.text()}"
            lines = [f"{attack}.", f"Response: {card.response_text()}."]
            found.append(Words(seat, card.name, lines, int(state["hand"][seat][number]) if seat == player else 0))
    return found
