"""High Card: a game of tricks in 150 lines, which joins react_env by its entry point."""

from react_env.registry import Description

GAME = Description(
    "high_card-v0",
    "High Card",
    load="high_card.game:load",
    hidden="the opponent's hand and the cards that are out of the game",
    drawn="the hands, and who leads first",
)
