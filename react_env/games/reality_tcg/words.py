"""The texts of Reality TCG's cards."""

from __future__ import annotations

from typing import Any

from react_env.content.words import Words
from react_env.games.reality_tcg import state as S
from react_env.games.reality_tcg.cards import Character
from react_env.games.reality_tcg.game import RealityTCG


def card_words(game: RealityTCG, state: Any, player: int) -> list[Words]:
    """The cards of the set, with the hand of `player` first."""
    found = []
    for k, card in enumerate(game.set.cards):
        line = f"{S.SORT_NAMES[card.sort]}, cost {card.cost}"
        if isinstance(card, Character):
            line += f": {card.atk} ATK, {card.def_} DEF, {card.hp} HP, {card.spd} SPD"
        text = card.text()
        lines = [f"{line}.", *([f"{text[0].upper()}{text[1:]}."] if text else [])]
        found.append(Words(player, card.name, lines, int(state["hand"][player][k])))
    return sorted(found, key=lambda words: -words.held)
