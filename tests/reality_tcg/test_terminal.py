"""The position in the terminal: who stands where, nothing that is hidden, and the texts of the cards."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from react_env.games.reality_tcg import terminal
from react_env.games.reality_tcg.cards import load_set
from react_env.games.reality_tcg.game import RealityTCG
from react_env.games.reality_tcg.words import card_words
from tests.reality_tcg.positions import SET, Position


def drawn(x: Position, player: int | None, you: int | None = None, width: int = 100) -> str:
    """The drawing as text."""
    console = Console(file=io.StringIO(), width=width)
    terminal.draw(console, _game(x), x.s, player, you)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def _game(x: Position) -> RealityTCG:
    """The game of a position, with its cards."""
    return RealityTCG(x.game.rules, x.game.heuristics, load_set(SET), ())


@pytest.mark.parametrize("player", [0, 1])
def test_the_field(player: int) -> None:
    x = Position(
        ["Boxer", "Coach /d"],
        ["Champion"],
        hands=("Captain", "Headliner"),
        traps=("", "Red Tape"),
        land=("Old Quarter", ""),
    )
    text = drawn(x, player, player)
    assert "5 (4) ATK  2/2 DEF" in text, "with what the Coach behind it adds"
    assert "6/6 HP   5 SPD" in text and "defense" in text and "Land: Old Quarter" in text
    assert ("Captain" in text) == (player == 0) and ("Headliner" in text) == (player == 1)
    assert ("Red Tape" in text) == (player == 1) and f"player_{player} (you)" in text
    assert text.index("Champion") < text.index("Boxer") if player == 0 else text.index("Boxer") < text.index("Champion")


@pytest.mark.parametrize("width", [40, 50, 100])
def test_the_field_in_a_narrow_terminal(width: int) -> None:
    """Past bug: what did not fit was cut off, so that the last place of a Back Row was missing."""
    text = drawn(Position(["Boxer", "Coach /d", "Captain", "Champion"]), 0, 0, width)
    assert max(map(len, text.splitlines())) <= width
    assert all(name in text for name in ("Boxer", "Coach", "Captain", "Champion"))
    assert ("Back 3" in text) == (width < 100)


def test_texts_of_the_cards() -> None:
    x = Position(hands=("Captain", ""))
    words = card_words(_game(x), x.s, 0)
    assert words[0].name == "Captain" and words[0].held == 1 and len(words) == 28
    assert "Character, cost 4: 5 ATK, 3 DEF, 4 HP, 4 SPD." in words[0].lines
    assert any("When attacked: cancel the attack." in w.lines for w in words)
